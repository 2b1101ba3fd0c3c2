//! The roles of the blocks behind an object.
use maintext_page::blocks::Blocks;
use maintext_reading::model::roles::{ROLES, Role, Shares};
use std::ops::Range;

/// The probabilities of the roles of all blocks, summed from the beginning of the source.
pub(super) struct RoleSums {
    /// Where the blocks begin, sorted.
    starts: Vec<u32>,
    /// The sums over the blocks before each start, weighted by words, and over all blocks.
    sums: Vec<[f64; ROLES]>,
}

impl RoleSums {
    /// Sums the probabilities, in time linear in the number of blocks apart from a sort.
    pub(super) fn new(blocks: &Blocks, roles: &[Shares]) -> RoleSums {
        let mut all: Vec<(u32, u32, &Shares)> =
            blocks.blocks.iter().zip(roles).map(|(b, shares)| (b.span.start, b.words.max(1), shares)).collect();
        all.sort_by_key(|block| block.0);
        let mut sum = [0.0; ROLES];
        let mut sums = vec![sum];
        for (_, words, shares) in &all {
            sum.iter_mut().zip(*shares).for_each(|(sum, p)| *sum += f64::from(*words) * f64::from(*p));
            sums.push(sum);
        }
        RoleSums { starts: all.iter().map(|block| block.0).collect(), sums }
    }

    /// Returns the most probable role of the text in a part of the source, and its probability in hundredths: the means over the words of its
    /// blocks. `None` if no block begins there.
    pub(super) fn of(&self, source: &Range<u32>) -> Option<(Role, f32)> {
        let at = |position: u32| self.starts.partition_point(|start| *start < position);
        let (first, end) = (at(source.start), at(source.end));
        if first >= end {
            return None;
        }
        let own: [f64; ROLES] = std::array::from_fn(|k| self.sums[end][k] - self.sums[first][k]);
        let total: f64 = own.iter().sum();
        let (role, p) = Role::best(&own.map(|p| (p / total) as f32));
        Some((role, (p * 100.0).round() / 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_role_of_most_of_its_words() {
        let dom = maintext_page::dom::parse("<p>One two three</p><p>Four</p><p>Five</p>", &Default::default());
        let blocks = Blocks::new(&dom);
        let sure = |role: Role| std::array::from_fn(|k| if k == role as usize { 1.0 } else { 0.0 });
        let sums = RoleSums::new(&blocks, &[sure(Role::Main), sure(Role::Title), sure(Role::Caption)]);
        let start = |b: usize| blocks.blocks[b].span.start;
        assert_eq!(sums.of(&(0..start(1))), Some((Role::Main, 1.0)));
        assert_eq!(sums.of(&(0..start(2))), Some((Role::Main, 0.75)));
        assert_eq!(sums.of(&(start(2)..start(2) + 1)), Some((Role::Caption, 1.0)));
        assert_eq!(sums.of(&(start(2) + 1..start(2) + 9)), None);
    }
}
