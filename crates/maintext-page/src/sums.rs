//! Running sums: the sum over any range takes two look-ups.
use std::array::from_fn;
use std::ops::{Add, Range, Sub};

/// The sums of several columns over the rows before each one, and over all rows.
#[derive(Clone, Debug)]
pub struct RunningSums<T, const N: usize>(Vec<[T; N]>);

impl<T: Copy + Default + Add<Output = T> + Sub<Output = T>, const N: usize> RunningSums<T, N> {
    /// Adds up rows.
    pub fn new(rows: impl Iterator<Item = [T; N]>) -> Self {
        let mut sum = [T::default(); N];
        let mut sums = Vec::with_capacity(rows.size_hint().0 + 1);
        sums.push(sum);
        for row in rows {
            sum = from_fn(|i| sum[i] + row[i]);
            sums.push(sum);
        }
        RunningSums(sums)
    }

    /// Returns the sums over a range of rows.
    #[inline]
    pub fn of(&self, range: Range<usize>) -> [T; N] {
        let (from, to) = (&self.0[range.start], &self.0[range.end]);
        from_fn(|i| to[i] - from[i])
    }

    /// Returns the sums over the rows before row `i`.
    pub fn before(&self, i: usize) -> [T; N] {
        self.0[i]
    }

    /// Returns the sums over all rows.
    pub fn all(&self) -> [T; N] {
        self.0.last().copied().unwrap_or([T::default(); N])
    }
}
