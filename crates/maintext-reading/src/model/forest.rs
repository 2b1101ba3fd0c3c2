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
                    let columns = tree.features.map(|feature| &column(feature as usize)[start..start + n]);
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
        self.trees.iter().fold(self.bias, |score, tree| {
            let tests = tree.features.iter().zip(tree.thresholds).enumerate();
            let leaf = tests
                .fold(0, |leaf, (level, (f, threshold))| leaf | u32::from(column(*f as usize) > threshold) << level);
            score + tree.value(leaf)
        })
    }

    /// Returns the part of the forest that rows may reach if their columns are in these ranges.
    pub fn reach(&self, ranges: &[[f32; 2]]) -> Reach {
        let mut out = Reach { sum: self.bias, ..Reach::default() };
        for t in &self.trees {
            out.add(t.features.into_iter().zip(t.thresholds), &t.leaves, |f| ranges[f]);
        }
        out
    }
}

/// The part of a forest that some rows may reach: for each column, their values are in a range, which excludes its first number and includes
/// its second one.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The bias and the leaves of the trees of which all tests are decided.
    sum: f32,
    /// For each other tree, the number of its undecided tests.
    levels: Vec<usize>,
    /// The undecided tests of these trees: columns and thresholds.
    tests: Vec<(u16, f32)>,
    /// Their leaves.
    leaves: Vec<f32>,
}

impl Reach {
    /// Adds a tree without the tests that the ranges decide.
    fn add(&mut self, tests: impl Iterator<Item = (u16, f32)>, leaves: &[f32], range: impl Fn(usize) -> [f32; 2]) {
        let first = self.tests.len();
        // The leaves that are left are those at `set` and some of the places in `at`, which differ by undecided tests.
        let (mut set, mut at, mut n) = (0, [0; LEAVES], 1);
        for (level, (f, threshold)) in tests.enumerate() {
            let [above, most] = range(f as usize);
            if above >= threshold {
                set |= 1 << level;
            } else if most > threshold {
                self.tests.push((f, threshold));
                (0..n).for_each(|i| at[n + i] = at[i] | 1 << level);
                n *= 2;
            }
        }
        if n == 1 {
            self.sum += leaves[set];
        } else {
            self.levels.push(self.tests.len() - first);
            self.leaves.extend(at[..n].iter().map(|i| leaves[set | i]));
        }
    }

    /// Returns the part that rows may reach if their values of a column are in a narrower range.
    pub fn narrow(&self, column: usize, range: [f32; 2]) -> Reach {
        let mut out = Reach { sum: self.sum, ..Reach::default() };
        let (mut tests, mut leaves) = (self.tests.as_slice(), self.leaves.as_slice());
        let any = [f32::NEG_INFINITY, f32::INFINITY];
        for &n in &self.levels {
            let (own_tests, own_leaves);
            (own_tests, tests) = tests.split_at(n);
            (own_leaves, leaves) = leaves.split_at(1 << n);
            if own_tests.iter().any(|t| usize::from(t.0) == column) {
                out.add(own_tests.iter().copied(), own_leaves, |f| if f == column { range } else { any });
            } else {
                out.levels.push(n);
                out.tests.extend_from_slice(own_tests);
                out.leaves.extend_from_slice(own_leaves);
            }
        }
        out
    }

    /// Returns an upper bound of the scores: the sum over the trees of the largest leaf.
    pub fn most(&self) -> f32 {
        let mut leaves = self.leaves.as_slice();
        self.sum
            + self
                .levels
                .iter()
                .map(|n| {
                    let own;
                    (own, leaves) = leaves.split_at(1 << n);
                    own.iter().fold(f32::NEG_INFINITY, |a, b| if *b > a { *b } else { a })
                })
                .sum::<f32>()
    }

    /// Returns the column with the most undecided tests, and the middle one of their thresholds. `None` if all are decided.
    pub fn undecided(&self) -> Option<(usize, f32)> {
        let mut counts = vec![0u32; self.tests.iter().map(|t| usize::from(t.0) + 1).max()?];
        self.tests.iter().for_each(|t| counts[usize::from(t.0)] += 1);
        let column = counts.iter().enumerate().max_by_key(|c| c.1)?.0;
        let mut thresholds: Vec<f32> = self.tests.iter().filter(|t| usize::from(t.0) == column).map(|t| t.1).collect();
        thresholds.sort_unstable_by(f32::total_cmp);
        Some((column, *thresholds.get(thresholds.len() / 2)?))
    }
}

/// Converts log-odds of mutually exclusive classes to probabilities.
pub fn softmax<const N: usize>(scores: [f32; N]) -> [f32; N] {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers = scores.map(|s| maintext_page::num::exp(s - most));
    let sum: f32 = powers.iter().sum();
    powers.map(|p| p / sum)
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
    fn no_row_of_the_ranges_has_a_larger_score_than_the_bound() {
        let mut leaves = [0.0; LEAVES];
        leaves[..4].copy_from_slice(&[1.0, 2.0, 5.0, -3.0]);
        let mut thresholds = [f32::INFINITY; TREE_DEPTH];
        (thresholds[0], thresholds[1]) = (0.5, 10.0);
        let tree = Tree { features: [0, 1, 0, 0, 0, 0], thresholds, leaves };
        let forest = Forest { bias: 0.25, trees: vec![tree.clone(), tree] };
        let any = [f32::NEG_INFINITY, f32::INFINITY];
        let one = |v: f32| [v.next_down(), v];
        let most = |row: [[f32; 2]; 2]| forest.reach(&row).most();
        assert_eq!(most([any, any]), 10.25);
        assert_eq!(most([one(1.0), any]), 4.25);
        assert_eq!(most([any, one(11.0)]), 10.25);
        assert_eq!(most([one(1.0), one(11.0)]), -5.75);
        assert_eq!([most([one(0.5), any]), most([[0.5, 7.0], any])], [10.25, 4.25]);
        let undecided = |row: [[f32; 2]; 2]| forest.reach(&row).undecided();
        assert_eq!(undecided([one(1.0), any]), Some((1, 10.0)));
        assert_eq!(undecided([any, one(11.0)]), Some((0, 0.5)));
        assert_eq!(undecided([[0.5, 7.0], [f32::NEG_INFINITY, 10.0]]), None);
        let narrowed = forest.reach(&[any, any]).narrow(0, [0.5, 7.0]);
        assert_eq!((narrowed.most(), narrowed.narrow(1, one(11.0)).most()), (4.25, -5.75));
    }

    #[test]
    fn the_bound_of_one_row_is_its_score() {
        let leaf = |i: usize| ((i * 37) % 64) as f32;
        let tree = |shift: u16| Tree {
            features: std::array::from_fn(|d| (d as u16 + shift) % 5),
            thresholds: std::array::from_fn(|d| (d as f32 + f32::from(shift)) % 3.0),
            leaves: std::array::from_fn(leaf),
        };
        let forest = Forest { bias: 0.5, trees: (0..7).map(tree).collect() };
        for k in 0..40 {
            let row: Vec<f32> = (0..5).map(|c| ((k * (c + 3)) % 7) as f32 / 2.0).collect();
            let ranges: Vec<[f32; 2]> = row.iter().map(|v| [v.next_down(), *v]).collect();
            let any = [[f32::NEG_INFINITY, f32::INFINITY]; 5];
            let narrowed = ranges.iter().enumerate().fold(forest.reach(&any), |r, (c, range)| r.narrow(c, *range));
            let score = forest.score(|c| row[c]);
            assert_eq!([forest.reach(&ranges).most(), narrowed.most()], [score; 2]);
        }
    }
}
