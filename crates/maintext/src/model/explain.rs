//! Why a block got its score: what each feature adds to it, compared with the other blocks of the page.
use super::forest::{DEPTH, Forest, LEAVES};
use super::{Learned, context};
use crate::blocks::Blocks;
use crate::dom::Dom;
use crate::features::Features;

/// Why a block got its probability.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The probability that it is main content.
    pub probability: f32,
    /// What the block and its surroundings say by themselves.
    pub first: Stage,
    /// What is said when the first stage's word on the blocks around is known as well; the probability comes from here.
    pub second: Stage,
}

/// One forest's score of a block, taken apart: `average` and the weights of all `parts` sum to `score`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The score, in log-odds.
    pub score: f32,
    /// The mean score of the page's blocks.
    pub average: f32,
    /// What the features add, largest effect first; those without effect are left out.
    pub parts: Vec<Part>,
}

/// A feature's part in a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Name of the feature.
    pub feature: String,
    /// Its value for the block.
    pub value: f32,
    /// Its median over the page.
    pub median: f32,
    /// What it adds to the score, in log-odds.
    pub weight: f32,
}

impl Learned {
    /// Takes the score of a block apart; `None` if there is no such block.
    ///
    /// The weights are Shapley values: of all orders in which the block's values can take the place of those of another block of the
    /// page, the mean change of the score, averaged over all blocks of the page. After Lundberg and Lee, *A unified approach to
    /// interpreting model predictions* (2017), with the page as background. Computed exactly, tree by tree.
    pub fn explain(&self, dom: &Dom, blocks: &Blocks, block: usize) -> Option<Explanation> {
        if block >= blocks.len() {
            return None;
        }
        let table = self.table(dom, blocks);
        let names: Vec<String> = crate::features::names().into_iter().chain(context::names()).collect();
        let filled = |i: &usize| self.wanted.get(*i).copied().unwrap_or(false);
        let names: Vec<&str> = (0..names.len()).filter(filled).map(|i| names[i].as_str()).collect();
        let first = stage(&self.first, &table, &names, block);
        let second = stage(&self.second, &table, &names, block);
        let probability = self.block_calibration.at(super::forest::sigmoid(second.score));
        Some(Explanation { probability, first, second })
    }
}

fn stage(forest: &Forest, table: &Features, names: &[&str], block: usize) -> Stage {
    let n = table.rows();
    let mut weights = vec![0.0f64; names.len()];
    let mut average = forest.bias as f64;
    let mut score = forest.bias as f64;
    for tree in &forest.trees {
        let mut counts = [0u32; LEAVES];
        let leaf = |i: usize| {
            let level = |d: usize| table.column(tree.features[d] as usize)[i] > tree.thresholds[d];
            (0..DEPTH).fold(0, |l, d| l | (level(d) as usize) << d)
        };
        (0..n).for_each(|i| counts[leaf(i)] += 1);
        let own = leaf(block);
        score += tree.leaves[own] as f64;
        for (other, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            let share = *count as f64 / n as f64;
            average += share * tree.leaves[other] as f64;
            add_shapley(&tree.features, &tree.leaves, own, other, share, &mut weights);
        }
    }
    let part = |(f, weight): (usize, f64)| {
        let mut sorted = table.column(f).to_vec();
        sorted.sort_by(f32::total_cmp);
        let (value, median) = (table.column(f)[block], sorted[n / 2]);
        Part { feature: names[f].to_owned(), value, median, weight: weight as f32 }
    };
    let mut parts: Vec<Part> = weights.into_iter().enumerate().filter(|(_, w)| *w != 0.0).map(part).collect();
    parts.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.feature.cmp(&b.feature)));
    Stage { score: score as f32, average: average as f32, parts }
}

/// Adds the Shapley values of the features that lead to leaf `own` and not to leaf `other`, times `share`. Levels that ask about the
/// same feature change together.
fn add_shapley(
    features: &[u16; DEPTH],
    leaves: &[f32; LEAVES],
    own: usize,
    other: usize,
    share: f64,
    weights: &mut [f64],
) {
    /// `s! (k - s - 1)! / k!` by k and s: the share of the orders in which s of k others come first.
    const ORDERS: [[f64; DEPTH]; DEPTH + 1] = orders();
    let mut players: [(u16, usize); DEPTH] = [(0, 0); DEPTH];
    let mut k = 0;
    for (d, &feature) in features.iter().enumerate().filter(|(d, _)| (own ^ other) >> d & 1 == 1) {
        match players[..k].iter().position(|p| p.0 == feature) {
            Some(at) => players[at].1 |= 1 << d,
            None => {
                players[k] = (feature, 1 << d);
                k += 1;
            }
        }
    }
    // The leaf for each set of features that have the block's own values.
    let mut reached = [other; LEAVES];
    for set in 1usize..1 << k {
        let last = set.trailing_zeros() as usize;
        reached[set] = reached[set & (set - 1)] ^ players[last].1;
    }
    for (i, (feature, _)) in players[..k].iter().enumerate() {
        for set in (0usize..1 << k).filter(|set| set >> i & 1 == 0) {
            let gain = leaves[reached[set | 1 << i]] - leaves[reached[set]];
            weights[*feature as usize] += share * ORDERS[k][set.count_ones() as usize] * gain as f64;
        }
    }
}

const fn orders() -> [[f64; DEPTH]; DEPTH + 1] {
    const fn factorial(n: usize) -> f64 {
        if n == 0 { 1.0 } else { n as f64 * factorial(n - 1) }
    }
    let mut out = [[0.0; DEPTH]; DEPTH + 1];
    let mut k = 1;
    while k <= DEPTH {
        let mut s = 0;
        while s < k {
            out[k][s] = factorial(s) * factorial(k - s - 1) / factorial(k);
            s += 1;
        }
        k += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_features_share_what_they_do_together() {
        let mut leaves = [0.0; LEAVES];
        leaves[0b01] = 1.0;
        leaves[0b11] = 4.0;
        let mut weights = [0.0; 2];
        let mut features = [0; DEPTH];
        features[1] = 1;
        add_shapley(&features, &leaves, 0b11, 0b00, 1.0, &mut weights);
        // Alone the first adds 1 and the second nothing; together 4: the first (1 + 4) / 2, the second (0 + 3) / 2.
        assert_eq!(weights, [2.5, 1.5]);
    }

    #[test]
    fn weights_sum_to_the_score() {
        let story = "<p>We left early, and the road was empty; nobody spoke until the hills, where the fog lifted.</p>";
        let html = format!(
            "<nav><a href=/>Home</a><a href=/b>More of it</a></nav><h1>A walk</h1>{story}<p>By noon it rained.</p>"
        );
        let dom = crate::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let model = Learned::shipped().unwrap();
        let decided = model.decide(&dom, &blocks);
        for block in 0..blocks.len() {
            let e = model.explain(&dom, &blocks, block).unwrap();
            assert!((e.probability - decided.probabilities[block]).abs() < 1e-5);
            for stage in [&e.first, &e.second] {
                let sum: f32 = stage.average + stage.parts.iter().map(|p| p.weight).sum::<f32>();
                assert!((sum - stage.score).abs() < 1e-3, "{sum} {}", stage.score);
            }
            assert!(e.second.parts.windows(2).all(|w| w[0].weight.abs() >= w[1].weight.abs()));
        }
        assert_eq!(model.explain(&dom, &blocks, blocks.len()), None);
    }
}
