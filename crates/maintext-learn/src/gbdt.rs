//! Gradient boosting of oblivious trees on binned features.
//!
//! After Friedman (2001), with Newton leaves as in Chen and Guestrin, *XGBoost* (2016), and symmetric trees as in CatBoost (2018).
//! The same data, settings and seed give the same forest, bit for bit, on any number of threads, because one thread sums each feature's
//! histogram in row order.
use maintext_core::model::forest::{Forest, LEAVES, TREE_DEPTH, Tree};
use rayon::prelude::*;
use std::sync::Arc;

/// Maximum number of thresholds for a feature.
const MAX_BINS: usize = 128;

/// Settings of the training.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of trees.
    pub trees: usize,
    /// Factor applied to the Newton step of each leaf.
    pub learning_rate: f32,
    /// L2 penalty on leaf values, in units of the summed second derivative.
    pub l2: f64,
    /// Share of the features that each tree may use.
    pub feature_share: f64,
    /// Share of the pages that each tree sees.
    pub page_share: f64,
    /// Seed of the sampling.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { trees: 400, learning_rate: 0.1, l2: 3.0, feature_share: 0.4, page_share: 0.7, seed: 1 }
    }
}

/// Features as small integers, one column per feature.
#[derive(Clone)]
pub struct Binned {
    /// Number of rows.
    pub rows: usize,
    columns: Vec<Arc<Vec<u8>>>,
    /// For each feature, the thresholds between its bins.
    thresholds: Vec<Vec<f32>>,
}

/// Transposes rows of `width` values into columns.
pub fn columns_of(rows: &[Vec<f32>], width: usize) -> Vec<Vec<f32>> {
    (0..width).map(|c| rows.iter().map(|r| r[c]).collect()).collect()
}

impl Binned {
    /// Bins columns by their quantiles.
    pub fn new(columns: &[Vec<f32>]) -> Binned {
        Binned::with_bins(columns, MAX_BINS)
    }

    /// Bins columns by their quantiles into at most `bins` bins.
    pub fn with_bins(columns: &[Vec<f32>], bins: usize) -> Binned {
        let thresholds: Vec<Vec<f32>> = columns.par_iter().map(|c| quantiles(c, bins.min(MAX_BINS))).collect();
        Binned::with_thresholds(columns, thresholds)
    }

    /// Returns the columns of both, side by side.
    pub fn with(&self, other: &Binned) -> Binned {
        let mut out = self.clone();
        out.rows = out.rows.max(other.rows);
        out.columns.extend(other.columns.iter().cloned());
        out.thresholds.extend(other.thresholds.iter().cloned());
        out
    }

    /// Returns only the columns selected by `uses`.
    pub fn only(&self, uses: impl Fn(usize) -> bool) -> Binned {
        let kept: Vec<usize> = (0..self.columns.len()).filter(|c| uses(*c)).collect();
        Binned {
            rows: self.rows,
            columns: kept.iter().map(|c| self.columns[*c].clone()).collect(),
            thresholds: kept.iter().map(|c| self.thresholds[*c].clone()).collect(),
        }
    }

    /// Returns the features that differ between rows.
    fn usable(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|&f| !self.thresholds[f].is_empty()).collect()
    }

    fn with_thresholds(columns: &[Vec<f32>], thresholds: Vec<Vec<f32>>) -> Binned {
        let rows = columns.first().map_or(0, Vec::len);
        let columns = columns
            .par_iter()
            .zip(&thresholds)
            .map(|(c, t)| Arc::new(c.iter().map(|v| t.partition_point(|x| x < v) as u8).collect::<Vec<u8>>()))
            .collect();
        Binned { rows, columns, thresholds }
    }
}

fn quantiles(column: &[f32], bins: usize) -> Vec<f32> {
    let step = (column.len() / 200_000).max(1);
    let mut sorted: Vec<f32> = column.iter().step_by(step).copied().collect();
    sorted.sort_by(f32::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    let between = |a: f32, b: f32| a + (b - a) / 2.0;
    if distinct.len() <= bins {
        return distinct.windows(2).map(|w| between(w[0], w[1])).collect();
    }
    // Half of the thresholds by rank, half spread over the distinct values, so that rare large values can be distinguished.
    let mut out = Vec::with_capacity(bins);
    for k in 1..bins / 2 {
        out.push(sorted[k * sorted.len() / (bins / 2)]);
        out.push(distinct[k * distinct.len() / (bins / 2)]);
    }
    out.sort_by(f32::total_cmp);
    out.dedup();
    out
}

/// The loss to minimise; computes its first and second derivatives by the score of each row.
pub trait Objective: Sync {
    /// Fills `g` and `h` from `scores`, which are log-odds; all have the same length.
    fn derivatives(&self, scores: &[f32], g: &mut [f32], h: &mut [f32]);
    /// Returns the initial score.
    fn bias(&self) -> f32;
}

/// Weighted log-loss against labels between 0 and 1.
pub struct LogLoss<'a> {
    /// Labels.
    pub labels: &'a [f32],
    /// Weights.
    pub weights: &'a [f32],
}

impl Objective for LogLoss<'_> {
    fn derivatives(&self, scores: &[f32], g: &mut [f32], h: &mut [f32]) {
        let rows = g.par_iter_mut().zip(h).zip(scores).zip(self.labels).zip(self.weights);
        rows.with_min_len(4096).for_each(|((((g, h), s), y), w)| {
            let p = maintext_core::model::forest::sigmoid(*s);
            *g = w * (p - y);
            *h = w * (p * (1.0 - p)).max(1e-6);
        });
    }
    fn bias(&self) -> f32 {
        let total: f64 = self.weights.iter().map(|w| *w as f64).sum();
        let hits: f64 = self.weights.iter().zip(self.labels).map(|(w, y)| (*w * *y) as f64).sum();
        let p = (hits / total.max(1e-9)).clamp(1e-3, 1.0 - 1e-3);
        (p / (1.0 - p)).ln() as f32
    }
}

/// A small, fast pseudo-random number generator (SplitMix64) of our own, so that a seed always gives the same numbers.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Returns a number from 0 up to but excluding 1.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Shuffles items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, (self.next_u64() % (i as u64 + 1)) as usize);
        }
    }
}

/// Trains a forest on the active pages and returns it with the scores of all rows. `pages[row]` is the page of a row; whole pages are
/// sampled. `active` has one entry per page. `progress` receives the number of finished trees.
///
/// # Panics
/// If `active` has another length, because held-out pages could then be used for training.
pub fn train(
    data: &Binned,
    pages: &[u32],
    active: &[bool],
    objective: &dyn Objective,
    settings: &Settings,
    mut progress: impl FnMut(usize),
) -> (Forest, Vec<f32>) {
    let n = data.rows;
    let bias = objective.bias();
    let mut scores = vec![bias; n];
    let (mut g, mut h) = (vec![0.0f32; n], vec![0.0f32; n]);
    let mut random = Random(settings.seed);
    let count = pages.iter().max().map_or(0, |p| *p as usize + 1);
    assert_eq!(count, active.len(), "one entry for each page");
    let mut forest = Forest { bias, trees: Vec::with_capacity(settings.trees) };
    let usable = data.usable();
    for t in 0..settings.trees {
        objective.derivatives(&scores, &mut g, &mut h);
        let seen: Vec<bool> = (0..count).map(|p| random.unit() < settings.page_share && active[p]).collect();
        // Rows without weight are ignored.
        let rows: Vec<u32> =
            (0..n as u32).filter(|&i| seen[pages[i as usize] as usize] && h[i as usize] > 0.0).collect();
        let features = sampled(&usable, settings.feature_share, &mut random);
        let tree = grow(data, &rows, &features, &g, &h, settings);
        apply(data, &tree, &mut scores);
        forest.trees.push(tree.tree);
        progress(t + 1);
    }
    (forest, scores)
}

/// Trains one forest per class by the log-loss of the softmax of their scores; each round grows a tree for every class. `pages` and
/// `active` as for [`train`]. Returns the forests and the scores of all rows, by class.
pub fn train_classes(
    data: &Binned,
    pages: &[u32],
    active: &[bool],
    classes: &[usize],
    weights: &[f32],
    count: usize,
    settings: &Settings,
) -> Vec<(Forest, Vec<f32>)> {
    let n = data.rows;
    let mut random = Random(settings.seed);
    let usable = data.usable();
    let mut out = vec![(Forest::default(), vec![0.0f32; n]); count];
    for _ in 0..settings.trees {
        let seen: Vec<bool> =
            active.iter().map(|is_active| random.unit() < settings.page_share && *is_active).collect();
        let rows: Vec<u32> =
            (0..n as u32).filter(|i| seen[pages[*i as usize] as usize] && weights[*i as usize] > 0.0).collect();
        let p: Vec<Vec<f32>> =
            rows.iter().map(|&i| softmax(out.iter().map(|(_, scores)| scores[i as usize]).collect())).collect();
        let (mut g, mut h) = (vec![0.0f32; n], vec![0.0f32; n]);
        for (k, (forest, scores)) in out.iter_mut().enumerate() {
            for (&i, p) in rows.iter().zip(&p) {
                let i = i as usize;
                g[i] = weights[i] * (p[k] - f32::from(u8::from(classes[i] == k)));
                h[i] = weights[i] * (p[k] * (1.0 - p[k])).max(1e-6);
            }
            let features = sampled(&usable, settings.feature_share, &mut random);
            let tree = grow(data, &rows, &features, &g, &h, settings);
            apply(data, &tree, scores);
            forest.trees.push(tree.tree);
        }
    }
    out
}

/// Returns a share of the features, or all if that leaves none.
fn sampled(features: &[usize], share: f64, random: &mut Random) -> Vec<usize> {
    let sampled: Vec<usize> = features.iter().copied().filter(|_| random.unit() < share).collect();
    if sampled.is_empty() { features.to_vec() } else { sampled }
}

/// Converts log-odds of mutually exclusive classes to probabilities.
pub fn softmax(mut scores: Vec<f32>) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|s| *s = (*s - most).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|s| *s /= sum);
    scores
}

struct Grown {
    tree: Tree,
    bins: [u8; TREE_DEPTH],
}

/// Adds a tree's leaves to the scores of all rows.
fn apply(data: &Binned, grown: &Grown, scores: &mut [f32]) {
    scores.par_chunks_mut(8192).enumerate().for_each(|(k, scores)| {
        let start = k * 8192;
        let mut leaf = [0u8; 8192];
        for d in 0..TREE_DEPTH {
            let column = &data.columns[grown.tree.features[d] as usize][start..start + scores.len()];
            for (l, b) in leaf.iter_mut().zip(column) {
                *l |= ((*b > grown.bins[d]) as u8) << d;
            }
        }
        for (s, l) in scores.iter_mut().zip(leaf) {
            *s += grown.tree.leaves[l as usize];
        }
    });
}

/// Sums of first and second derivatives, [`MAX_BINS`] entries per leaf.
type Histogram = Vec<[f32; 2]>;

/// The rows of a tree, grouped by leaf, in order within each leaf.
struct Partition {
    rows: Vec<u32>,
    pairs: Vec<[f32; 2]>,
    /// Start of each leaf, and the end.
    starts: Vec<usize>,
}

impl Partition {
    /// Splits every leaf: rows with a larger bin move to leaf + `leaves`. The result is ordered by the new leaf numbers.
    fn split(&self, column: &[u8], bin: u8) -> Partition {
        let leaves = self.starts.len() - 1;
        let n = self.rows.len();
        let mut out = Partition { rows: Vec::with_capacity(n), pairs: Vec::with_capacity(n), starts: vec![0] };
        for upper in [false, true] {
            for l in 0..leaves {
                for i in self.starts[l]..self.starts[l + 1] {
                    if (column[self.rows[i] as usize] > bin) == upper {
                        out.rows.push(self.rows[i]);
                        out.pairs.push(self.pairs[i]);
                    }
                }
                out.starts.push(out.rows.len());
            }
        }
        out
    }
    fn range(&self, leaf: usize) -> std::ops::Range<usize> {
        self.starts[leaf]..self.starts[leaf + 1]
    }
    fn add(&self, leaf: usize, column: &[u8], sums: &mut [[f32; 2]]) {
        let r = self.range(leaf);
        for (row, p) in self.rows[r.clone()].iter().zip(&self.pairs[r]) {
            let s = &mut sums[column[*row as usize] as usize & (MAX_BINS - 1)];
            s[0] += p[0];
            s[1] += p[1];
        }
    }
    /// Returns the histogram of one feature. After a split, only the smaller of two sibling leaves is counted; the other is the difference
    /// from their parent.
    fn histogram(&self, column: &[u8], parents: Option<Histogram>) -> Histogram {
        let leaves = self.starts.len() - 1;
        let mut out = vec![[0.0f32; 2]; leaves * MAX_BINS];
        let Some(parents) = parents else {
            self.add(0, column, &mut out);
            return out;
        };
        let half = leaves / 2;
        for (l, parent) in parents.chunks(MAX_BINS).enumerate() {
            let (small, large) =
                if self.range(l).len() <= self.range(l + half).len() { (l, l + half) } else { (l + half, l) };
            self.add(small, column, &mut out[small * MAX_BINS..(small + 1) * MAX_BINS]);
            for b in 0..MAX_BINS {
                let s = out[small * MAX_BINS + b];
                out[large * MAX_BINS + b] = [parent[b][0] - s[0], parent[b][1] - s[1]];
            }
        }
        out
    }
}

fn grow(data: &Binned, rows: &[u32], features: &[usize], g: &[f32], h: &[f32], settings: &Settings) -> Grown {
    let pairs = rows.iter().map(|&r| [g[r as usize], h[r as usize]]).collect();
    let mut part = Partition { rows: rows.to_vec(), pairs, starts: vec![0, rows.len()] };
    let mut histograms: Vec<Option<Histogram>> = vec![None; features.len()];
    let mut tree = Tree { features: [0; TREE_DEPTH], thresholds: [f32::INFINITY; TREE_DEPTH], leaves: [0.0; LEAVES] };
    let mut bins = [u8::MAX; TREE_DEPTH];
    for (d, slot) in bins.iter_mut().enumerate() {
        let splits: Vec<Option<(f64, u8)>> = histograms
            .par_iter_mut()
            .zip(features)
            .map(|(histogram, &f)| {
                let sums = part.histogram(&data.columns[f], histogram.take());
                let best = best_split(&sums, data.thresholds[f].len(), settings.l2);
                *histogram = Some(sums);
                best
            })
            .collect();
        let mut best: Option<(f64, usize, u8)> = None;
        for (split, &f) in splits.into_iter().zip(features) {
            if let Some((gain, bin)) = split
                && best.is_none_or(|b| gain > b.0)
            {
                best = Some((gain, f, bin));
            }
        }
        let Some((_, f, bin)) = best else { break };
        tree.features[d] = f as u16;
        tree.thresholds[d] = data.thresholds[f][bin as usize];
        *slot = bin;
        part = part.split(&data.columns[f], bin);
    }
    for l in 0..part.starts.len() - 1 {
        let (mut g, mut h) = (0.0f64, 0.0f64);
        for p in &part.pairs[part.range(l)] {
            g += p[0] as f64;
            h += p[1] as f64;
        }
        tree.leaves[l] = (-g / (h + settings.l2)) as f32 * settings.learning_rate;
    }
    Grown { tree, bins }
}

/// Returns the threshold of one feature that lowers the loss most when it splits all leaves, with its gain.
fn best_split(sums: &Histogram, thresholds: usize, l2: f64) -> Option<(f64, u8)> {
    let mut gains = [0.0f64; MAX_BINS];
    for part in sums.chunks(MAX_BINS) {
        let (mut tg, mut th) = (0.0f64, 0.0f64);
        for [g, h] in part {
            tg += *g as f64;
            th += *h as f64;
        }
        if th <= 1e-6 {
            continue;
        }
        let whole = tg * tg / (th + l2);
        let (mut lg, mut lh) = (0.0f64, 0.0f64);
        for (b, [g, h]) in part.iter().enumerate().take(thresholds) {
            lg += *g as f64;
            lh += *h as f64;
            let (rg, rh) = (tg - lg, (th - lh).max(0.0));
            gains[b] += lg * lg / (lh.max(0.0) + l2) + rg * rg / (rh + l2) - whole;
        }
    }
    let mut best: Option<(f64, u8)> = None;
    for (b, gain) in gains.iter().enumerate().take(thresholds) {
        if *gain > best.map_or(1e-9, |x| x.0) {
            best = Some((*gain, b as u8));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exclusive_or_is_learned_and_training_is_deterministic() {
        let mut r = Random(7);
        let n = 2000;
        let a: Vec<f32> = (0..n).map(|_| r.unit() as f32).collect();
        let b: Vec<f32> = (0..n).map(|_| r.unit() as f32).collect();
        let y: Vec<f32> = (0..n).map(|i| ((a[i] > 0.5) != (b[i] > 0.5)) as u8 as f32).collect();
        let w = vec![1.0; n];
        let pages: Vec<u32> = (0..n as u32).map(|i| i / 10).collect();
        let data = Binned::new(&[a.clone(), b.clone()]);
        let s = Settings { trees: 40, feature_share: 1.0, ..Settings::default() };
        let forest = train(&data, &pages, &[true; 200], &LogLoss { labels: &y, weights: &w }, &s, |_| ()).0;
        let columns = [a, b];
        let scores = forest.scores(n, |f| &columns[f]);
        let right = scores.iter().zip(&y).filter(|(s, y)| (**s > 0.0) == (**y > 0.5)).count();
        assert!(right as f64 > 0.97 * n as f64, "{right}");
        assert_eq!(forest, train(&data, &pages, &[true; 200], &LogLoss { labels: &y, weights: &w }, &s, |_| ()).0);
    }

    #[test]
    fn classes_share_one_softmax() {
        let column: Vec<f32> = (0..300).map(|i| (i % 3) as f32).collect();
        let classes: Vec<usize> = (0..300).map(|i| [2, 0, 1][i % 3]).collect();
        let data = Binned::new(&[column]);
        let s = Settings { trees: 20, feature_share: 1.0, learning_rate: 0.3, ..Settings::default() };
        // Inactive rows are ignored.
        let active: Vec<bool> = (0..300).map(|i| i % 3 != 2).collect();
        let trained = train_classes(&data, &(0..300).collect::<Vec<_>>(), &active, &classes, &[1.0; 300], 3, &s);
        let p = |i: usize| softmax(trained.iter().map(|(_, scores)| scores[i]).collect());
        assert!(p(0)[2] > 0.9 && p(1)[0] > 0.9 && p(2)[1] < 0.1, "{:?} {:?} {:?}", p(0), p(1), p(2));
        assert!((p(5).iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
