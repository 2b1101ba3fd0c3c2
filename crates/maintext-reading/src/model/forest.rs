//! Boosted oblivious trees: each level of a tree applies one test to all rows, so a tree is a few vector comparisons and a table.
//!
//! Source: oblivious (symmetric) trees as in Prokhorenkova et al., *CatBoost: unbiased boosting with categorical features* (2018).

/// Levels of every tree.
pub const TREE_DEPTH: usize = 6;
/// Leaves of every tree.
pub const LEAVES: usize = 1 << TREE_DEPTH;

/// One tree: `leaves[Σ 2^d · (column[feature[d]] > threshold[d])]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The columns that the levels test.
    pub features: [u16; TREE_DEPTH],
    /// The thresholds of the levels. `INFINITY` makes a level constant.
    pub thresholds: [f32; TREE_DEPTH],
    /// The values that the leaves add to the score.
    pub leaves: [f32; LEAVES],
}

impl Tree {
    /// Writes the number of each row's leaf. One loop makes all tests, so that it compiles to a few vector instructions per row.
    #[inline(always)]
    fn leaves_of(&self, [a, b, c, d, e, f]: [&[f32]; TREE_DEPTH], leaf: &mut [u32]) {
        let t = &self.thresholds;
        let n = leaf.len();
        let (a, b, c, d, e, f) = (&a[..n], &b[..n], &c[..n], &d[..n], &e[..n], &f[..n]);
        for (i, l) in leaf.iter_mut().enumerate() {
            let low = (a[i] > t[0]) as u32 | ((b[i] > t[1]) as u32) << 1 | ((c[i] > t[2]) as u32) << 2;
            let high = (d[i] > t[3]) as u32 | ((e[i] > t[4]) as u32) << 1 | ((f[i] > t[5]) as u32) << 2;
            *l = low | high << 3;
        }
    }

    #[inline(always)]
    fn value(&self, leaf: u32) -> f32 {
        self.leaves[leaf as usize % LEAVES]
    }
}

/// A sum of trees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    /// The initial value of every score.
    pub bias: f32,
    /// The trees.
    pub trees: Vec<Tree>,
}

/// Number of rows that are scored together: their leaf numbers stay in the first-level cache.
const BATCH_ROWS: usize = 512;
/// Number of trees whose leaves are looked up together: a row's score is read and written once for all of them.
const BATCH_TREES: usize = 4;

impl Forest {
    /// Returns the score (log-odds) of each row. `column(f)` gives the values of feature `f`, one per row.
    #[inline(always)]
    pub fn scores<'a>(&self, rows: usize, column: impl Fn(usize) -> &'a [f32]) -> Vec<f32> {
        let mut out = vec![self.bias; rows];
        let mut leaves = [[0u32; BATCH_ROWS]; BATCH_TREES];
        for (start, scores) in out.chunks_mut(BATCH_ROWS).enumerate().map(|(k, c)| (k * BATCH_ROWS, c)) {
            let n = scores.len();
            for trees in self.trees.chunks(BATCH_TREES) {
                for (tree, leaf) in trees.iter().zip(&mut leaves) {
                    let column = |level: usize| &column(tree.features[level] as usize)[start..start + n];
                    let columns = [column(0), column(1), column(2), column(3), column(4), column(5)];
                    tree.leaves_of(columns, &mut leaf[..n]);
                }
                match (trees, &leaves) {
                    ([a, b, c, d], [la, lb, lc, ld]) => {
                        for (i, s) in scores.iter_mut().enumerate() {
                            *s = *s + a.value(la[i]) + b.value(lb[i]) + c.value(lc[i]) + d.value(ld[i]);
                        }
                    }
                    (few, leaves) => {
                        for (tree, leaf) in few.iter().zip(leaves) {
                            scores.iter_mut().zip(leaf).for_each(|(s, l)| *s += tree.value(*l));
                        }
                    }
                }
            }
        }
        out
    }
}

impl Forest {
    /// Returns the score of a single row: the same number as [`Forest::scores`].
    pub fn score(&self, column: impl Fn(usize) -> f32) -> f32 {
        let leaf = |t: &Tree| {
            let tests = t.features.iter().zip(t.thresholds).enumerate();
            tests.fold(0, |leaf, (level, (f, threshold))| leaf | u32::from(column(*f as usize) > threshold) << level)
        };
        self.trees.iter().fold(self.bias, |score, t| score + t.value(leaf(t)))
    }

    /// Returns the largest score of a row of which only some columns are known: the sum over the trees of the largest leaf that the row may
    /// reach.
    pub fn most(&self, column: impl Fn(usize) -> Option<f32>) -> f32 {
        let of_tree = |t: &Tree| {
            // The leaves that agree with the known columns: bits that may be either are in `free`.
            let (mut set, mut free) = (0, 0);
            for (level, (f, threshold)) in t.features.iter().zip(t.thresholds).enumerate() {
                match column(*f as usize) {
                    Some(v) => set |= usize::from(v > threshold) << level,
                    None if threshold < f32::INFINITY => free |= 1 << level,
                    None => {}
                }
            }
            let leaves = t.leaves.iter().enumerate().filter(|(i, _)| i & !free == set);
            leaves.map(|(_, v)| *v).fold(f32::NEG_INFINITY, f32::max)
        };
        self.bias + self.trees.iter().map(of_tree).sum::<f32>()
    }
}

/// Returns the logistic function of `x`.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + maintext_page::num::exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_scores_equal_hand_calculation() {
        let mut leaves = [0.0; LEAVES];
        leaves[0b01] = 1.0; // only the first test is true
        leaves[0b11] = 3.0;
        let mut thresholds = [f32::INFINITY; TREE_DEPTH];
        thresholds[0] = 0.5;
        thresholds[1] = 10.0;
        let tree = Tree { features: [0, 1, 0, 0, 0, 0], thresholds, leaves };
        let forest = Forest { bias: 0.25, trees: vec![tree] };
        let columns = [vec![0.0, 1.0, 1.0], vec![20.0, 5.0, 20.0]];
        assert_eq!(forest.scores(3, |f| &columns[f]), [0.25, 1.25, 3.25]);
        assert_eq!([0, 1, 2].map(|row| forest.score(|f| columns[f][row])), [0.25, 1.25, 3.25]);
    }

    #[test]
    fn the_largest_score_agrees_with_the_known_columns() {
        let mut leaves = [0.0; LEAVES];
        leaves[..4].copy_from_slice(&[1.0, 2.0, 5.0, -3.0]);
        let mut thresholds = [f32::INFINITY; TREE_DEPTH];
        (thresholds[0], thresholds[1]) = (0.5, 10.0);
        let tree = Tree { features: [0, 1, 0, 0, 0, 0], thresholds, leaves };
        let forest = Forest { bias: 0.25, trees: vec![tree.clone(), tree] };
        let most = |known: [Option<f32>; 2]| forest.most(|c| known[c]);
        assert_eq!(most([None, None]), 10.25);
        assert_eq!(most([Some(1.0), None]), 4.25);
        assert_eq!(most([None, Some(11.0)]), 10.25);
        assert_eq!(most([Some(1.0), Some(11.0)]), -5.75);
    }
}
