//! Trains the rankers: a conditional logit by Adagrad, then boosted trees that correct it.
use maintext_core::metadata::feature_hash;
use maintext_core::metadata::training::{COMPARED, COMPUTED, GROUPS, Known, Model, Tree, group};
use maintext_learn::gbdt::Random;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

const EPOCHS: usize = 20;
const RATE: f32 = 0.15;
/// Number of orders of the pages over which the linear part is averaged.
const ORDERS: u64 = 3;
const L2: f32 = 0.01;
/// Minimum number of sites with a feature; fewer do not generalise.
const LEAST_SITES: usize = 3;
/// Weights closer to zero are omitted from the model.
const LEAST_WEIGHT: f32 = 0.05;
const TREES: usize = 160;
/// Share of the pages, and of the inputs, for each tree; averaging different trees reduces their errors.
const PAGE_SHARE: f64 = 0.7;
const INPUT_SHARE: f64 = 0.3;
const SHRINKAGE: f32 = 0.08;
const LEAF_L2: f64 = 16.0;
const BINS: usize = 32;
/// Number of parts of the sites for the scores used to train the trees. A linear model that has not seen the site scores each candidate.
const INNER: u64 = 3;

/// A candidate of a page.
pub struct Candidate {
    /// Ids in [`Names`], and values.
    pub features: Vec<(u32, f32)>,
    /// Whether it is the true value.
    pub right: bool,
}

/// A page to learn from: at most one of its candidates is right.
pub struct Case<'a> {
    /// Hash of its site.
    pub site: u64,
    /// Its weight.
    pub weight: f32,
    /// The candidates.
    pub candidates: &'a [Candidate],
}

/// The names of a field's features.
#[derive(Default)]
pub struct Names {
    ids: HashMap<String, u32>,
    names: Vec<String>,
    sites: Vec<HashSet<u64>>,
}

impl Names {
    /// Returns the id of a name that occurs on a page of the site.
    pub fn id(&mut self, name: &str, site: u64) -> u32 {
        let id = match self.ids.get(name) {
            Some(id) => *id,
            None => {
                let id = self.names.len() as u32;
                self.ids.insert(name.to_owned(), id);
                self.names.push(name.to_owned());
                self.sites.push(HashSet::new());
                id
            }
        };
        let sites = &mut self.sites[id as usize];
        if sites.len() < 10 {
            sites.insert(site);
        }
        id
    }

    /// Returns the features available to the trees: those that many candidates have and that are not the vocabulary of a single publisher.
    fn inputs(&self, cases: &[Case]) -> Vec<u16> {
        let mut counts = vec![0usize; self.names.len()];
        let mut total = 0;
        for c in cases.iter().flat_map(|c| c.candidates) {
            total += 1;
            c.features.iter().for_each(|f| counts[f.0 as usize] += 1);
        }
        let mut next = COMPUTED as u16;
        let mut input = |wanted: bool| {
            let id = if wanted { next } else { 0 };
            next += wanted as u16;
            id
        };
        let known = self.names.iter().zip(&counts).zip(&self.sites);
        known
            .map(|((n, &c), s)| {
                input(c * 100 >= total && s.len() >= 8 && ![1, 2, 3, 4].contains(&group(n)) && !n.starts_with("w:"))
            })
            .collect()
    }
}

/// A linear model and the trees that correct it.
pub struct Fitted {
    weights: Vec<f32>,
    groups: Vec<u8>,
    /// The tree input of each feature, 0 if it has none.
    inputs: Vec<u16>,
    trees: Vec<Tree>,
}

/// A candidate as input to the trees.
struct Compared {
    score: f32,
    right: bool,
    x: Vec<f32>,
}

impl Fitted {
    /// Returns the model in the library's format.
    pub fn model(&self, names: &Names) -> Model {
        let features = self.weights.iter().zip(&self.inputs).zip(&names.names).filter_map(|((w, &input), name)| {
            let weight = if w.abs() < LEAST_WEIGHT { 0.0 } else { (w * 100.0).round() / 100.0 };
            (weight != 0.0 || input != 0).then(|| (feature_hash(name), Known { weight, input }))
        });
        Model::new(features, self.trees.clone())
    }

    /// Returns the best candidates by linear score, with their tree inputs as the library computes them.
    fn compared(&self, case: &Case) -> Vec<Compared> {
        let mut linear: Vec<(usize, f32, [f32; GROUPS])> = Vec::new();
        for (i, c) in case.candidates.iter().enumerate() {
            let mut parts = [0.0; GROUPS];
            for &(f, v) in &c.features {
                parts[self.groups[f as usize] as usize] += v * self.weights[f as usize];
            }
            linear.push((i, parts.iter().sum(), parts));
        }
        linear.sort_by(|a, b| b.1.total_cmp(&a.1));
        let best = [0, 1].map(|i| linear.get(i).map_or(0.0, |l| l.1));
        let size = COMPUTED + self.inputs.iter().filter(|i| **i != 0).count();
        let compared = linear.iter().take(COMPARED).enumerate().map(|(rank, (i, score, parts))| {
            let c = &case.candidates[*i];
            let mut x = vec![0.0; size];
            for &(f, v) in &c.features {
                x[self.inputs[f as usize] as usize] = v;
            }
            let other = if rank == 0 { best[1] } else { best[0] };
            x[..4].copy_from_slice(&[*score, score - other, rank as f32, case.candidates.len() as f32]);
            x[4..COMPUTED].copy_from_slice(parts);
            Compared { score: *score, right: c.right, x }
        });
        compared.collect()
    }
}

/// Fits a model. With `silence`, "the page does not say" is also a candidate. `folds` is the number of parts of the outer cross-validation.
pub fn fit(cases: &[Case], names: &Names, silence: bool, folds: u64, seed: u64) -> Fitted {
    let all: Vec<&Case> = cases.iter().collect();
    let groups: Vec<u8> = names.names.iter().map(|n| group(n) as u8).collect();
    let inputs = names.inputs(cases);
    let make = |weights| Fitted { weights, groups: groups.clone(), inputs: inputs.clone(), trees: Vec::new() };
    let mut pages: Vec<(f32, Vec<Compared>)> = Vec::new();
    for inner in 0..INNER {
        let (held, rest): (Vec<&Case>, Vec<&Case>) = all.iter().partition(|c| (c.site / folds) % INNER == inner);
        let model = make(linear(&rest, names, silence, EPOCHS, seed));
        for c in held {
            let compared = model.compared(c);
            if !c.candidates.iter().any(|c| c.right) || compared.iter().any(|r| r.right) {
                pages.push((c.weight, compared));
            }
        }
    }
    let mut model = make(linear(&all, names, silence, EPOCHS, seed));
    model.trees = boost(pages, silence, seed);
    model
}

/// Fits a model without trees, for few pages, which it sees `epochs` times.
pub fn fit_linear(cases: &[Case], names: &Names, epochs: usize, seed: u64) -> Fitted {
    let all: Vec<&Case> = cases.iter().collect();
    let groups: Vec<u8> = names.names.iter().map(|n| group(n) as u8).collect();
    let inputs = vec![0; names.names.len()];
    Fitted { weights: linear(&all, names, true, epochs, seed), groups, inputs, trees: Vec::new() }
}

/// Returns the softmax over the scores of candidates and silence, and over the right ones only: the actual and the desired shares.
fn shares(scores: &[f32], right: impl Fn(usize) -> bool, silence: bool) -> Vec<(f32, f32)> {
    // A page always has a title.
    let none = if silence { 0.0 } else { f32::NEG_INFINITY };
    let max = scores.iter().copied().fold(none, f32::max);
    let e: Vec<f32> = scores.iter().map(|s| (s - max).exp()).collect();
    let sum: f32 = e.iter().sum::<f32>() + (none - max).exp();
    let good: f32 = e.iter().enumerate().filter(|(i, _)| right(*i)).map(|(_, e)| e).sum();
    e.iter().enumerate().map(|(i, e)| (e / sum, if right(i) { e / good.max(1e-20) } else { 0.0 })).collect()
}

/// Returns the bounds of a feature's weight. A name that ends in `/up` counts for a candidate, `/down` against it; with few pages, the
/// bounds prevent accidents of the sample from reversing the sign.
fn bounds(name: &str) -> (f32, f32) {
    match name.rsplit_once('/').map(|n| n.1) {
        Some("up") => (0.0, f32::INFINITY),
        Some("down") => (f32::NEG_INFINITY, 0.0),
        _ => (f32::NEG_INFINITY, f32::INFINITY),
    }
}

/// Fits the linear part several times, with the pages in other orders, and returns the mean, which depends less on the order.
fn linear(cases: &[&Case], names: &Names, silence: bool, epochs: usize, seed: u64) -> Vec<f32> {
    let mut mean = vec![0f32; names.names.len()];
    for i in 0..ORDERS {
        let once = linear_once(cases, names, silence, epochs, seed.wrapping_add(i * 0x9e37_79b9));
        mean.iter_mut().zip(once).for_each(|(m, w)| *m += w / ORDERS as f32);
    }
    mean
}

fn linear_once(cases: &[&Case], names: &Names, silence: bool, epochs: usize, seed: u64) -> Vec<f32> {
    let n = names.names.len();
    let usable: Vec<bool> = names.sites.iter().map(|s| s.len() >= LEAST_SITES).collect();
    let bounds: Vec<(f32, f32)> = names.names.iter().map(|n| bounds(n)).collect();
    let (mut w, mut h, mut mean) = (vec![0f32; n], vec![1e-3f32; n], vec![0f32; n]);
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let mut random = seed;
    for epoch in 0..epochs {
        for i in (1..order.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(i, (random >> 33) as usize % (i + 1));
        }
        // The mean over the later epochs depends less on the order of the pages than the final weights.
        if epoch * 2 >= epochs {
            mean.iter_mut().zip(&w).for_each(|(m, w)| *m += w / (epochs - epochs / 2) as f32);
        }
        let rate = RATE * (1.0 - epoch as f32 / epochs as f32).max(0.05);
        for case in order.iter().map(|&i| cases[i]) {
            let scores: Vec<f32> =
                case.candidates.iter().map(|c| c.features.iter().map(|&(i, v)| w[i as usize] * v).sum()).collect();
            let shares = shares(&scores, |i| case.candidates[i].right, silence);
            for (c, (is, should)) in case.candidates.iter().zip(shares) {
                let g = (is - should) * case.weight;
                if g.abs() < 1e-4 {
                    continue;
                }
                for &(i, v) in c.features.iter().filter(|f| usable[f.0 as usize]) {
                    let i = i as usize;
                    let g = g * v + L2 * w[i];
                    h[i] += g * g;
                    w[i] = (w[i] - rate * g / h[i].sqrt()).clamp(bounds[i].0, bounds[i].1);
                }
            }
        }
    }
    mean
}

/// One row of the trees' training data: a candidate with its inputs as bins.
struct Row {
    x: Vec<u8>,
    margin: f32,
    right: bool,
}

/// Stochastic gradient boosting (Friedman, 2002) of the softmax over the candidates of a page.
fn boost(pages: Vec<(f32, Vec<Compared>)>, silence: bool, seed: u64) -> Vec<Tree> {
    let all = || pages.iter().flat_map(|p| &p.1);
    let size = all().next().map_or(0, |r| r.x.len());
    let cuts: Vec<Vec<f32>> = (0..size).map(|f| quantiles(all().map(|r| r.x[f]))).collect();
    let mut rows: Vec<Row> = Vec::new();
    let mut spans: Vec<(f32, Range<usize>)> = Vec::new();
    for (weight, page) in &pages {
        let start = rows.len();
        for c in page {
            let x = c.x.iter().zip(&cuts).map(|(v, c)| c.partition_point(|t| t < v) as u8).collect();
            rows.push(Row { x, margin: c.score, right: c.right });
        }
        spans.push((*weight, start..rows.len()));
    }
    let mut random = Random(seed);
    let mut trees = Vec::new();
    for _ in 0..TREES {
        let inputs: Vec<bool> = cuts.iter().map(|_| random.unit() < INPUT_SHARE).collect();
        let mut grad = vec![(0f64, 0f64); rows.len()];
        for (weight, span) in &spans {
            if random.unit() >= PAGE_SHARE {
                continue;
            }
            let page = &rows[span.clone()];
            let scores: Vec<f32> = page.iter().map(|r| r.margin).collect();
            for (k, (is, should)) in shares(&scores, |i| page[i].right, silence).into_iter().enumerate() {
                let curve = (is * (1.0 - is)).max(1e-4) * weight;
                grad[span.start + k] = (f64::from((should - is) * weight), f64::from(curve));
            }
        }
        let (tree, bins) = grow(&rows, &grad, &cuts, &inputs);
        for r in &mut rows {
            r.margin += tree.leaves[leaf(&bins, &r.x)];
        }
        trees.push(tree);
    }
    trees
}

fn leaf(bins: &[(u16, u8); 15], x: &[u8]) -> usize {
    let mut i = 0;
    while i < 15 {
        let (f, b) = bins[i];
        i = 2 * i + 1 + (x[f as usize] > b) as usize;
    }
    i - 15
}

fn quantiles(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut v: Vec<f32> = values.collect();
    v.sort_by(f32::total_cmp);
    let mut cuts: Vec<f32> = (1..BINS).map(|i| v[(v.len() * i / BINS).min(v.len() - 1)]).collect();
    // Keeps rare flags, which lie between two quantiles.
    cuts.push(v[0]);
    cuts.sort_by(f32::total_cmp);
    cuts.dedup();
    cuts
}

/// Grows a tree of depth 4 over some inputs, level by level. Also returns its splits as bins.
fn grow(rows: &[Row], grad: &[(f64, f64)], cuts: &[Vec<f32>], inputs: &[bool]) -> (Tree, [(u16, u8); 15]) {
    let mut node = vec![0usize; rows.len()];
    let mut bins = [(0u16, u8::MAX); 15];
    let mut splits = [(0u16, f32::MAX); 15];
    for depth in 0..4 {
        let first = (1 << depth) - 1;
        let width = 1 << depth;
        let mut hist = vec![[(0f64, 0f64); BINS + 2]; width * cuts.len()];
        for ((r, g), n) in rows.iter().zip(grad).zip(&node) {
            let base = (n - first) * cuts.len();
            for (h, &b) in hist[base..base + cuts.len()].iter_mut().zip(&r.x) {
                h[b as usize].0 += g.0;
                h[b as usize].1 += g.1;
            }
        }
        for k in 0..width {
            if let Some((f, b)) = best_split(&hist[k * cuts.len()..(k + 1) * cuts.len()], cuts, inputs) {
                bins[first + k] = (f as u16, b as u8);
                splits[first + k] = (f as u16, cuts[f][b]);
            }
        }
        for (r, n) in rows.iter().zip(&mut node) {
            let (f, b) = bins[*n];
            *n = 2 * *n + 1 + (r.x[f as usize] > b) as usize;
        }
    }
    let mut sums = [(0f64, 0f64); 16];
    for (n, g) in node.iter().zip(grad) {
        let s = &mut sums[n - 15];
        s.0 += g.0;
        s.1 += g.1;
    }
    let leaves = sums.map(|(g, w)| SHRINKAGE * (g / (w + LEAF_L2)) as f32);
    (Tree { splits, leaves }, bins)
}

/// Returns the input and the bin whose split gains most.
fn best_split(hist: &[[(f64, f64); BINS + 2]], cuts: &[Vec<f32>], inputs: &[bool]) -> Option<(usize, usize)> {
    let mut best = 1e-3;
    let mut found = None;
    for (f, h) in hist.iter().enumerate().filter(|(f, _)| inputs[*f]) {
        let (g, w) = h.iter().fold((0.0, 0.0), |a, x| (a.0 + x.0, a.1 + x.1));
        let value = |g: f64, w: f64| g * g / (w + LEAF_L2);
        let (mut gl, mut wl) = (0.0, 0.0);
        for (b, bin) in h.iter().enumerate().take(cuts[f].len()) {
            gl += bin.0;
            wl += bin.1;
            let gain = value(gl, wl) + value(g - gl, w - wl) - value(g, w);
            if gain > best && wl > 1.0 && w - wl > 1.0 {
                best = gain;
                found = Some((f, b));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_learns_which_feature_is_reliable() {
        let mut names = Names::default();
        let mut pages: Vec<Vec<Candidate>> = Vec::new();
        for site in 0..60 {
            let mut candidate = |feature: &str, right| {
                let features = vec![(names.id("prior", site), 1.0), (names.id(feature, site), 1.0)];
                Candidate { features, right }
            };
            pages.push(vec![candidate("wrong", false), candidate("good", true)]);
            pages.push(vec![candidate("wrong", false)]);
        }
        let case =
            |(i, candidates): (usize, &'static [Candidate])| Case { site: i as u64 / 2, weight: 1.0, candidates };
        let pages: &'static Vec<Vec<Candidate>> = Box::leak(Box::new(pages));
        let cases: Vec<Case> = pages.iter().map(Vec::as_slice).enumerate().map(case).collect();
        let fitted = fit(&cases, &names, true, 5, 1);
        let score =
            |feature: &str| fitted.weights[names.ids["prior"] as usize] + fitted.weights[names.ids[feature] as usize];
        assert!(score("good") > 1.0 && score("wrong") < -1.0, "{} {}", score("good"), score("wrong"));
        assert_eq!(fitted.model(&names), fit(&cases, &names, true, 5, 1).model(&names));
    }
}
