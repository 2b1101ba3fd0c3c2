//! The common lines of two readings, in order, with bounded work.
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of cells of all tables together.
const MAX_CELLS: usize = 4_000_000;

/// Returns pairs of equal lines, ascending in both readings.
///
/// Patience diff (Bram Cohen): lines that occur once in each reading and in the same order are anchors. Between two anchors, a table finds
/// the longest common subsequence; if the tables would grow too large, lines between anchors are matched only from both ends.
pub(super) fn common(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut cells = MAX_CELLS;
    let (mut i, mut j) = (0, 0);
    for (x, y) in anchors(a, b).into_iter().chain([(a.len(), b.len())]) {
        between(a, b, i..x, j..y, &mut cells, &mut pairs);
        if x < a.len() {
            pairs.push((x, y));
        }
        (i, j) = (x + 1, y + 1);
    }
    pairs
}

/// Returns the longest ascending list of lines that are once in each reading.
fn anchors(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let (in_a, in_b) = (places_of_unique(a), places_of_unique(b));
    let both = a.iter().enumerate().filter(|(_, line)| in_a[*line].is_some());
    let both: Vec<(usize, usize)> = both.filter_map(|(i, line)| Some((i, (*in_b.get(line)?)?))).collect();
    // The longest increasing subsequence of the places in `b`, by patience sorting.
    let mut tops: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(both.len());
    for (n, pair) in both.iter().enumerate() {
        let pile = tops.partition_point(|&top| both[top].1 < pair.1);
        before.push(pile.checked_sub(1).map(|p| tops[p]));
        match tops.get_mut(pile) {
            Some(top) => *top = n,
            None => tops.push(n),
        }
    }
    let mut found = Vec::with_capacity(tops.len());
    let mut next = tops.last().copied();
    while let Some(n) = next {
        found.push(both[n]);
        next = before[n];
    }
    found.reverse();
    found
}

fn places_of_unique(lines: &[u32]) -> HashMap<u32, Option<usize>> {
    let mut places: HashMap<u32, Option<usize>> = HashMap::with_capacity(lines.len());
    for (i, line) in lines.iter().enumerate() {
        places.entry(*line).and_modify(|place| *place = None).or_insert(Some(i));
    }
    places
}

/// Adds the pairs between two anchors.
fn between(
    a: &[u32],
    b: &[u32],
    mut left: Range<usize>,
    mut right: Range<usize>,
    cells: &mut usize,
    pairs: &mut Vec<(usize, usize)>,
) {
    while !left.is_empty() && !right.is_empty() && a[left.start] == b[right.start] {
        pairs.push((left.start, right.start));
        (left.start, right.start) = (left.start + 1, right.start + 1);
    }
    let mut ends = 0;
    while ends < left.len().min(right.len()) && a[left.end - 1 - ends] == b[right.end - 1 - ends] {
        ends += 1;
    }
    let (x, y) = (left.start..left.end - ends, right.start..right.end - ends);
    if !x.is_empty() && !y.is_empty() && x.len().saturating_mul(y.len()) <= *cells {
        *cells -= x.len() * y.len();
        longest(a, b, &x, &y, pairs);
    }
    pairs.extend((0..ends).map(|n| (x.end + n, y.end + n)));
}

/// Adds the longest common subsequence of two ranges.
fn longest(a: &[u32], b: &[u32], x: &Range<usize>, y: &Range<usize>, pairs: &mut Vec<(usize, usize)>) {
    let width = y.len() + 1;
    let mut table = vec![0u32; (x.len() + 1) * width];
    for i in (0..x.len()).rev() {
        for j in (0..y.len()).rev() {
            table[i * width + j] = if a[x.start + i] == b[y.start + j] {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        if a[x.start + i] == b[y.start + j] {
            pairs.push((x.start + i, y.start + j));
            (i, j) = (i + 1, j + 1);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_ascend_and_are_as_many_as_possible() {
        // Against a table over all lines, on lines that repeat.
        let mut seed = 7_u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        for round in 0..300 {
            let kinds = 2 + round % 12;
            let mut lines = || (0..random(15)).map(|_| u32::try_from(random(kinds)).unwrap()).collect::<Vec<u32>>();
            let (a, b) = (lines(), lines());
            let pairs = common(&a, &b);
            assert!(pairs.iter().all(|&(i, j)| a[i] == b[j]), "{a:?} {b:?}");
            assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1), "{a:?} {b:?} {pairs:?}");
        }
        assert_eq!(common(&[1, 2, 2, 3, 4], &[1, 2, 5, 2, 4]).len(), 4);
        assert_eq!(common(&[], &[1]), []);
    }

    #[test]
    fn many_equal_lines_cost_little() {
        let start = std::time::Instant::now();
        let a: Vec<u32> = (0..30_000).map(|n| n % 3).collect();
        let b: Vec<u32> = (0..30_000).map(|n| n % 2).collect();
        common(&a, &b);
        let unique: Vec<u32> = (0..30_000).collect();
        let reversed: Vec<u32> = (0..30_000).rev().collect();
        assert_eq!(common(&unique, &reversed).len(), 1);
        assert!(start.elapsed().as_secs() < 5);
    }
}
