//! Explains the score of a block: the contribution of each feature, compared with the other blocks of the page.
use super::forest::{Forest, LEAVES, TREE_DEPTH, sigmoid};
use super::network::around;
use super::{Learned, Reading};
use crate::features::Features;
use crate::features::bags::{Bags, PARTS};
use maintext_page::blocks::Blocks;
use maintext_page::dom::Dom;

/// Maximum number of features of the network that are explained.
const MAX_FEATURES: usize = 24;
/// Maximum number of evaluations of blocks for them.
const MAX_EVALUATIONS: usize = 400_000;

/// Why a block has its probability, which comes from the sum of both scores, smoothed with the sums of its [`kin`](super::kin).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The probability that it is main content.
    pub probability: f32,
    /// The forest's score. The weights are exact.
    pub forest: Stage,
    /// The network's score, from the block's features and the blocks around. A weight is the change of the score when the block gets the page's
    /// median instead of its own value. Joint effects, and the features that were not evaluated, are in the part named
    /// [`Part::TOGETHER`].
    pub network: Stage,
    /// The mean, over the blocks with the same markup, of the sum of both scores.
    pub kin: f32,
    /// The log-odds behind the probability.
    pub smoothed: f32,
}

/// The score of a block in parts: `average` and the weights of all `parts` sum to `score`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The score, in log-odds.
    pub score: f32,
    /// The mean score of the page's blocks.
    pub average: f32,
    /// The contributions of the features, largest effect first; features without effect are left out.
    pub parts: Vec<Part>,
}

/// The contribution of a feature to a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The name of the feature, or of one of the [bags](PARTS) of words.
    pub feature: String,
    /// Its value for the block; for a bag, the number of known words in it.
    pub value: f32,
    /// Its median over the page; 0 for a bag.
    pub median: f32,
    /// Its contribution to the score, in log-odds.
    pub weight: f32,
}

impl Stage {
    fn new(score: f32, average: f32, mut parts: Vec<Part>) -> Stage {
        parts.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()).then_with(|| a.feature.cmp(&b.feature)));
        Stage { score, average, parts }
    }
}

impl Part {
    /// The name of the part with the joint effects in the network's score.
    pub const TOGETHER: &str = "all else, together";
}

impl Learned {
    /// Explains the score of a block; `None` if the block does not exist.
    ///
    /// The forest's weights are Shapley values: the mean change of the score over all orders in which the block's values can replace
    /// the values of another block, averaged over all blocks of the page. After Lundberg and Lee, *A unified approach to interpreting
    /// model predictions* (2017), with the page as background. Computed exactly, tree by tree.
    pub fn explain(&self, dom: &Dom, blocks: &Blocks, block: usize) -> Option<Explanation> {
        if block >= blocks.len() {
            return None;
        }
        let Reading { model: own, table, bags, scores, .. } = self.read(dom, blocks, None, None);
        let smoothed = scores[block];
        let names = crate::features::names();
        let forest = stage(&own.forest, &table, &names, block);
        let network = own.network_stage(&table, &bags, &names, blocks, block);
        let probability = own.calibration.at(sigmoid(smoothed));
        let score = forest.score + network.score;
        let kin = score + (smoothed - score) / own.kin_share;
        Some(Explanation { probability, forest, network, kin, smoothed })
    }

    fn network_stage(&self, table: &Features, bags: &Bags, names: &[String], blocks: &Blocks, block: usize) -> Stage {
        let around = around(blocks);
        let scores = self.network.scores(|c| table.column(c), &around, bags);
        let average = scores.iter().sum::<f32>() / scores.len() as f32;
        let score = scores[block];
        // Features are evaluated in the order of their distance from the median in the first layer's output.
        let mut inputs: Vec<(f32, usize, f32)> = Vec::new();
        for (input, weights) in self.network.inputs.iter().zip(&self.network.weights) {
            let values = table.column(input.column as usize);
            let median = median(values);
            let distance = (input.encode(values[block]) - input.encode(median)).abs();
            let effect = distance * weights.iter().map(|w| w.abs()).sum::<f32>();
            if effect > 0.0 {
                inputs.push((effect, input.column as usize, median));
            }
        }
        inputs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        inputs.truncate(MAX_FEATURES.min(MAX_EVALUATIONS / blocks.len()));
        let mut parts = Vec::with_capacity(inputs.len() + 1);
        for (_, column, median) in inputs {
            let value = table.column(column)[block];
            let mut changed = table.column(column).to_vec();
            changed[block] = median;
            let without = self.network.scores(|c| if c == column { &changed } else { table.column(c) }, &around, bags);
            parts.push(Part { feature: names[column].clone(), value, median, weight: score - without[block] });
        }
        let read = bags.of(block);
        for (part, name) in PARTS.into_iter().enumerate().filter(|(part, _)| !read[*part].is_empty()) {
            let without = self.network.scores(|c| table.column(c), &around, &bags.without(block, part));
            let (value, weight) = (read[part].len() as f32, score - without[block]);
            parts.push(Part { feature: name.to_owned(), value, median: 0.0, weight });
        }
        let explained: f32 = parts.iter().map(|p| p.weight).sum();
        let weight = score - average - explained;
        parts.push(Part { feature: Part::TOGETHER.to_owned(), value: 0.0, median: 0.0, weight });
        Stage::new(score, average, parts)
    }
}

fn median(values: &[f32]) -> f32 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted[sorted.len() / 2]
}

fn stage(forest: &Forest, table: &Features, names: &[String], block: usize) -> Stage {
    let n = table.rows();
    let mut weights = vec![0.0f64; names.len()];
    let mut average = forest.bias as f64;
    let mut score = forest.bias as f64;
    for tree in &forest.trees {
        let mut counts = [0u32; LEAVES];
        (0..n).for_each(|i| counts[leaf_of(tree, table, i)] += 1);
        let own = leaf_of(tree, table, block);
        score += tree.leaves[own] as f64;
        for (other, count) in counts.iter().enumerate().filter(|(_, c)| **c > 0) {
            let share = *count as f64 / n as f64;
            average += share * tree.leaves[other] as f64;
            add_shapley(&tree.features, &tree.leaves, own, other, share, &mut weights);
        }
    }
    let parts: Vec<Part> = weights
        .into_iter()
        .enumerate()
        .filter(|(_, w)| *w != 0.0)
        .map(|(f, weight)| {
            let column = table.column(f);
            Part { feature: names[f].clone(), value: column[block], median: median(column), weight: weight as f32 }
        })
        .collect();
    Stage::new(score as f32, average as f32, parts)
}

fn leaf_of(tree: &super::forest::Tree, table: &Features, i: usize) -> usize {
    (0..TREE_DEPTH)
        .fold(0, |l, d| l | ((table.column(tree.features[d] as usize)[i] > tree.thresholds[d]) as usize) << d)
}

/// Adds the Shapley values of the features that lead to leaf `own` and not to leaf `other`, times `share`. Levels that test the
/// same feature change together.
fn add_shapley(
    features: &[u16; TREE_DEPTH],
    leaves: &[f32; LEAVES],
    own: usize,
    other: usize,
    share: f64,
    weights: &mut [f64],
) {
    /// `s! (k - s - 1)! / k!` by k and s: the share of the orders in which s of k others come first.
    const ORDERS: [[f64; TREE_DEPTH]; TREE_DEPTH + 1] = orders();
    let mut players: [(u16, usize); TREE_DEPTH] = [(0, 0); TREE_DEPTH];
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
    // The leaf for each set of features that take the block's own values.
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

const fn orders() -> [[f64; TREE_DEPTH]; TREE_DEPTH + 1] {
    const fn factorial(n: usize) -> f64 {
        if n == 0 { 1.0 } else { n as f64 * factorial(n - 1) }
    }
    let mut out = [[0.0; TREE_DEPTH]; TREE_DEPTH + 1];
    let mut k = 1;
    while k <= TREE_DEPTH {
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
    use crate::model::kin;

    #[test]
    fn two_features_share_their_joint_effect() {
        let mut leaves = [0.0; LEAVES];
        leaves[0b01] = 1.0;
        leaves[0b11] = 4.0;
        let mut weights = [0.0; 2];
        let mut features = [0; TREE_DEPTH];
        features[1] = 1;
        add_shapley(&features, &leaves, 0b11, 0b00, 1.0, &mut weights);
        // Alone the first adds 1 and the second nothing; together they add 4: the first (1 + 4) / 2, the second (0 + 3) / 2.
        assert_eq!(weights, [2.5, 1.5]);
    }

    #[test]
    fn weights_sum_to_the_score() {
        let story = "<p>We left early, and the road was empty; nobody spoke until the hills, where the fog lifted.</p>";
        let html = format!(
            "<nav><a href=/>Home</a><a href=/b>More of it</a></nav><h1>A walk</h1>{story}<p>By noon it rained.</p>"
        );
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let model = Learned::shipped().unwrap();
        let decided = model.decide(&dom, &blocks);
        for block in 0..blocks.len() {
            let e = model.explain(&dom, &blocks, block).unwrap();
            assert!((e.probability - decided.probability(block).unwrap()).abs() < 1e-5);
            let own = e.forest.score + e.network.score;
            assert!((e.smoothed - own - kin::SHARE * (e.kin - own)).abs() < 1e-3);
            for stage in [&e.forest, &e.network] {
                let sum: f32 = stage.average + stage.parts.iter().map(|p| p.weight).sum::<f32>();
                assert!((sum - stage.score).abs() < 1e-3, "{sum} {}", stage.score);
            }
            assert!(e.network.parts.windows(2).all(|w| w[0].weight.abs() >= w[1].weight.abs()));
        }
        assert_eq!(model.explain(&dom, &blocks, blocks.len()), None);
    }
}
