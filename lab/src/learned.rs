//! Prepares training data for the learned extractor and cross-validates it.
use crate::network::{self, Encoded, Lessons};
use crate::rows::Rows;
use maintext_core::features::bags::{self, Bags, Reads, Vocabulary};
use maintext_core::features::tokens::Table;
use maintext_core::features::{Features, TokenIndex, TokenScores};
use maintext_core::model::choose::content;
use maintext_core::model::confidence;
use maintext_core::model::forest::{Forest, Tree, sigmoid};
use maintext_core::model::kin::{self, Kin};
use maintext_core::model::network::{Around, Network, around};
use maintext_core::model::{Curve, Model};
use maintext_learn::gbdt::{Binned, LogLoss, Objective, Settings, columns_of, train};
use maintext_learn::hash::fnv;
pub use maintext_learn::sample::Sample;
use maintext_learn::sample::{fit_tokens, stack};
use rayon::prelude::*;
use std::collections::HashMap;

/// Number of folds.
pub const FOLDS: usize = 5;

/// Returns the fold of a site.
pub fn fold_of(site: &str) -> usize {
    (fnv(site, 0) >> 20) as usize % FOLDS
}

/// Minimum number of sites that must use a word for the network to read it.
const MIN_READ_WORD_SITES: usize = 12;
/// Minimum number of sites that must use a name.
const MIN_READ_NAME_SITES: usize = 6;

/// Returns the hashes that at least `min` sites use, in rising order.
fn known(sites: HashMap<u32, Vec<&str>>, min: usize) -> Vec<u32> {
    let mut known: Vec<u32> = sites.into_iter().filter(|(_, sites)| sites.len() >= min).map(|(hash, _)| hash).collect();
    known.sort_unstable();
    known
}

/// Returns the words and names that the network reads: the ones that enough sites use.
fn vocabulary<'a>(samples: impl Iterator<Item = &'a Sample>) -> Vocabulary {
    let (mut words, mut names) = (HashMap::new(), HashMap::new());
    for s in samples {
        let mut own: Vec<u32> = (0..s.blocks.len()).flat_map(|i| bags::ends(s.text_words.of(i))).collect();
        own.sort_unstable();
        own.dedup();
        for (uses, found) in [(&mut words, own), (&mut names, s.tokens.distinct())] {
            for hash in found {
                let sites: &mut Vec<&str> = uses.entry(hash).or_default();
                if sites.len() < MIN_READ_WORD_SITES && !sites.contains(&&*s.site) {
                    sites.push(&s.site);
                }
            }
        }
    }
    Vocabulary { words: known(words, MIN_READ_WORD_SITES), names: known(names, MIN_READ_NAME_SITES) }
}

/// Weight of an optional block as boilerplate, relative to other blocks: captions and bylines, which published ground truths leave out. The
/// optional text of lists and products, such as prices and ratings, has no weight.
const OPTIONAL_WEIGHT: f32 = 0.1;

impl Rows {
    /// Arranges the rows of pages. `weight` gives the weight of a page; within it, a block's weight is its number of words to the power of 0.7.
    pub fn new(samples: &[Sample], weight: impl Fn(&Sample) -> f32) -> Rows {
        let mut r = Rows { starts: vec![0], ..Rows::default() };
        for (p, s) in samples.iter().enumerate() {
            let optional = match s.kind.as_str() {
                "listing" | "collection" | "product" => 0.0,
                _ if s.is_read => OPTIONAL_WEIGHT,
                _ => 0.0,
            };
            let own: Vec<f32> = (0..s.blocks.len())
                .map(|i| {
                    (if s.labels.share[i].is_nan() { optional } else { 1.0 }) * (s.labels.words[i] as f32).powf(0.7)
                })
                .collect();
            let total: f32 = own.iter().sum::<f32>().max(1e-6);
            let w = weight(s);
            r.partial.push(s.gold.is_empty());
            for (i, own) in own.iter().enumerate() {
                r.pages.push(p as u32);
                r.labels.push(if s.labels.share[i] >= 0.5 { 1.0 } else { 0.0 });
                r.words.push(if s.labels.share[i].is_nan() { 0.0 } else { s.labels.words[i] as f32 });
                r.weights.push(own / total * w);
            }
            r.starts.push(r.pages.len());
        }
        r
    }
    fn range(&self, page: usize) -> std::ops::Range<usize> {
        self.starts[page]..self.starts[page + 1]
    }
}

/// Settings of the training.
pub struct TrainSettings {
    /// The forest over the blocks.
    pub forest: Settings,
    /// The network over the blocks.
    pub network: network::Settings,
    /// The forest that predicts the confidence.
    pub confidence: Settings,
}

/// Out-of-fold scores in log-odds, one list per page.
pub struct Outcome {
    /// Scores of the forest alone.
    pub forest: Vec<Vec<f32>>,
    /// Scores of the network alone.
    pub network: Vec<Vec<f32>>,
}

impl Outcome {
    /// Returns the mean of both.
    pub fn scores(&self) -> Vec<Vec<f32>> {
        self.forest
            .iter()
            .zip(&self.network)
            .map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a + b) / 2.0).collect())
            .collect()
    }
}

/// The training data of forest and network: the features of all blocks, and their positions.
struct Material<'a> {
    rows: &'a Rows,
    structural: Binned,
    /// The same columns for the network.
    encoded: Encoded,
    around: Vec<Vec<Around>>,
}

impl<'a> Material<'a> {
    fn new(samples: &[Sample], rows: &'a Rows) -> Material<'a> {
        let around = samples.par_iter().map(|s| around(&s.blocks)).collect();
        let width = samples.first().map_or(0, |s| s.features.names().len());
        let encoded: Vec<Encoded> = (0..width).into_par_iter().map(|c| Encoded::new(c, &column(samples, c))).collect();
        let encoded = Encoded::side_by_side(&encoded);
        Material { rows, structural: stack_binned(samples), encoded, around }
    }

    /// Trains both on all pages outside of the fold `held_out`, and returns their scores for the pages of the fold, in order. Token
    /// features come from tables that have not seen this fold either.
    fn train(
        &self,
        samples: &[Sample],
        fold: &[usize],
        held_out: usize,
        run: &TrainSettings,
        log: &mut dyn FnMut(String),
    ) -> (Forest, Network, Outcome) {
        let rows = self.rows;
        let tables = token_features(samples, fold, held_out);
        let columns = stack(&tables);
        let data = self.structural.with(&Binned::new(&columns));
        let active: Vec<bool> = fold.iter().map(|f| *f != held_out).collect();
        let judged: Vec<usize> = (0..samples.len()).filter(|&p| fold[p] == held_out).collect();
        let objective = LogLoss { labels: &rows.labels, weights: &rows.weights };
        let (forest, scores) = train(&data, &rows.pages, &active, &objective, &run.forest, |_| ());
        let by_forest = judged.iter().map(|&p| scores[rows.range(p)].to_vec()).collect();
        log("forest".to_owned());
        let first = samples.first().map_or(0, |s| s.features.names().len());
        let tokens: Vec<Encoded> =
            columns.par_iter().enumerate().map(|(c, values)| Encoded::new(first + c, values)).collect();
        let encoded = Encoded::side_by_side(std::iter::once(&self.encoded).chain(&tokens));
        let trained = samples.iter().zip(fold).filter(|(_, f)| **f != held_out).map(|(s, _)| s);
        let vocabulary = vocabulary(trained);
        let bags = bags_of(samples, fold, held_out, &vocabulary);
        log(format!("{} words, {} names", vocabulary.words.len(), vocabulary.names.len()));
        let lessons = Lessons { data: &encoded, rows, around: &self.around, bags: &bags, vocabulary: &vocabulary };
        let network = network::train(&lessons, &active, &run.network, |epoch, loss| {
            log(format!("network, epoch {epoch} of {}, loss {loss:.4}", run.network.epochs));
        });
        let of_page = |p: usize| {
            let own = &samples[p].features;
            let width = own.names().len();
            network.scores(
                |c| if c < width { own.column(c) } else { tables[p].column(c - width) },
                &self.around[p],
                &bags[p],
            )
        };
        let by_network = judged.par_iter().map(|&p| of_page(p)).collect();
        (forest, network, Outcome { forest: by_forest, network: by_network })
    }
}

/// Trains and predicts by folds. `fold[page]` is the fold of a page; pages with fold `FOLDS` or more are used for training in every fold.
pub fn cross_validate(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    run: &TrainSettings,
    mut log: impl FnMut(String),
) -> Outcome {
    let material = Material::new(samples, rows);
    let empty = || samples.iter().map(|s| vec![0.0; s.blocks.len()]).collect();
    let mut out = Outcome { forest: empty(), network: empty() };
    for k in 0..FOLDS {
        let (_, _, own) = material.train(samples, fold, k, run, &mut |m| log(format!("fold {k}: {m}")));
        let judged = (0..samples.len()).filter(|&p| fold[p] == k);
        for (p, (a, b)) in judged.zip(own.forest.into_iter().zip(own.network)) {
            (out.forest[p], out.network[p]) = (a, b);
        }
    }
    out
}

/// Returns out-of-fold scores of a forest that uses only some features, to measure the value of the others.
pub fn ablate(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    settings: &Settings,
    uses: impl Fn(&str) -> bool,
) -> Vec<Vec<f32>> {
    let names = maintext_core::features::names();
    let structural = stack_binned(samples);
    let mut out: Vec<Vec<f32>> = samples.iter().map(|s| vec![0.0; s.blocks.len()]).collect();
    for k in 0..FOLDS {
        let tables = token_features(samples, fold, k);
        let data = structural.with(&Binned::new(&stack(&tables))).only(|c| uses(&names[c]));
        let active: Vec<bool> = fold.iter().map(|f| *f != k).collect();
        let objective = LogLoss { labels: &rows.labels, weights: &rows.weights };
        let (_, scores) = train(&data, &rows.pages, &active, &objective, settings, |_| ());
        for (p, _) in fold.iter().enumerate().filter(|(_, f)| **f == k) {
            out[p] = scores[rows.range(p)].to_vec();
        }
    }
    out
}

/// Number of bins for a feature that differs between blocks.
const BLOCK_BINS: usize = 128;
/// Number of bins for a feature of the page.
const PAGE_BINS: usize = 32;

/// Returns a column for all samples.
fn column(samples: &[Sample], c: usize) -> Vec<f32> {
    samples.iter().flat_map(|s| s.features.column(c).iter().copied()).collect()
}

fn stack_binned(samples: &[Sample]) -> Binned {
    let width = samples.first().map_or(0, |s| s.features.names().len());
    let columns: Vec<Binned> = (0..width)
        .into_par_iter()
        .map(|c| {
            let name = &samples[0].features.names()[c];
            let column = column(samples, c);
            // There are few pages; coarse bins keep a tree from identifying a page by its page features alone.
            Binned::with_bins(&[column], if name.starts_with("page_") { PAGE_BINS } else { BLOCK_BINS })
        })
        .collect();
    columns.into_iter().reduce(|a, b| a.with(&b)).unwrap_or_else(|| Binned::new(&[]))
}

/// Returns the scores of a page's blocks after similar blocks share their scores.
fn smoothed(sample: &Sample, scores: &[f32]) -> Vec<f32> {
    let mut out = scores.to_vec();
    Kin::new(&sample.blocks, &sample.tokens).smooth(kin::SHARE, &mut out);
    out
}

/// Returns a page's F1 when the blocks are chosen by their scores.
pub fn page_f1(sample: &Sample, scores: &[f32]) -> f64 {
    let scores = smoothed(sample, scores);
    sample.f1(content(&sample.blocks, &sample.tokens, &scores, &sample.weights()).kept().iter().copied())
}

/// Trains the shipped model on all samples and calibrates it by the out-of-fold scores of `outcome`.
pub fn fit(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    run: &TrainSettings,
    outcome: &Outcome,
    mut log: impl FnMut(String),
) -> (Model, Decided) {
    // Token features of a page come from a table that has not seen its fold, as for a new page.
    let material = Material::new(samples, rows);
    let (mut forest, mut network, _) =
        material.train(samples, fold, FOLDS, run, &mut |m| log(format!("all pages: {m}")));
    // Forest and network were trained separately; the model uses the mean of their scores, so each is halved.
    forest.bias /= 2.0;
    forest.trees.iter_mut().for_each(|t| t.leaves.iter_mut().for_each(|x| *x /= 2.0));
    network.halve();
    let (calibration, confidence, decided) = decide(samples, fold, rows, outcome, &run.confidence);
    let tokens = fit_tokens(samples.iter());
    (Model { tokens, forest, network, calibration, confidence }, decided)
}

/// For one page in this many, forest and network are trained as if all its words were unknown. Most training pages are in English, and a
/// model that has always seen scored words would fail in languages whose words are not in the tables.
const BLIND: u64 = 5;

/// For one page in this many, the network is trained as if the names of all elements were unknown.
const NAMELESS: u64 = 8;

/// Returns the bags of each block of the samples; for some of the training pages, without their words or names.
fn bags_of(samples: &[Sample], fold: &[usize], held_out: usize, known: &Vocabulary) -> Vec<Bags> {
    let index = bags::Index::new(known);
    samples
        .par_iter()
        .zip(fold)
        .map(|(s, fold)| {
            let is_trained = *fold != held_out;
            let reads = Reads { words: !(is_trained && one_in(BLIND, &s.id)), names: !(is_trained && is_nameless(s)) };
            Bags::new(&s.blocks, &s.tokens, &s.text_words, &index, reads)
        })
        .collect()
}

/// Whether the network is trained on a page as if all its names were unknown.
fn is_nameless(s: &Sample) -> bool {
    one_in(NAMELESS, &format!("{} names", s.id))
}

/// Whether a page is one of those, one in `n`, for which models are trained without some of the inputs.
pub fn one_in(n: u64, id: &str) -> bool {
    let hash = fnv(id, 0);
    // The final mixing of MurmurHash3.
    (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 32 & 0xffff < 0xffff / n
}

/// Returns token features of all samples, each from a table fitted without the page's own fold and without fold `held_out`.
pub fn token_features(samples: &[Sample], fold: &[usize], held_out: usize) -> Vec<Features> {
    let tables: Vec<[TokenIndex; 2]> = (0..=FOLDS)
        .into_par_iter()
        .map(|f| {
            let seeing =
                fit_tokens(samples.iter().zip(fold).filter(move |(_, g)| **g != held_out && **g != f).map(|(s, _)| s));
            let blind = TokenScores { words: Table::default(), ..seeing.clone() };
            [seeing, blind].map(|scores| TokenIndex::new(&scores))
        })
        .collect();
    let features = samples.par_iter().zip(fold).map(|(s, f)| {
        let mut t = Features::new(s.blocks.len(), None);
        let is_blind = *f != held_out && one_in(BLIND, &s.id);
        t.add_tokens(&s.blocks, &s.tokens, &s.text_words, &tables[(*f).min(FOLDS)][is_blind as usize]);
        t
    });
    features.collect()
}

/// Number of knots in the calibration curves.
const KNOTS: usize = 24;

/// Squared error against a target, with a weight for each row.
struct Squared<'a> {
    targets: &'a [f32],
    weights: &'a [f32],
}

impl Objective for Squared<'_> {
    fn derivatives(&self, scores: &[f32], g: &mut [f32], h: &mut [f32]) {
        for i in 0..scores.len() {
            g[i] = self.weights[i] * (scores[i] - self.targets[i]);
            h[i] = self.weights[i];
        }
    }
    fn bias(&self) -> f32 {
        let total: f32 = self.weights.iter().sum();
        let sum: f32 = self.weights.iter().zip(self.targets).map(|(w, t)| w * t).sum();
        sum / total.max(1e-6)
    }
}

/// Weight of a page with our own labels for the confidence.
const READ_WEIGHT: f32 = 3.0;

/// Number of forests whose mean predicts the F1. With so few pages, a single forest depends too much on the pages sampled by its trees.
const FORESEEING: u64 = 4;

/// Trains forests that differ in their samples and returns their mean as one forest, with the scores of all rows.
pub fn train_mean(
    forests: u64,
    data: &Binned,
    pages: &[u32],
    active: &[bool],
    objective: &dyn Objective,
    settings: &Settings,
) -> (Forest, Vec<f32>) {
    let mut mean = Forest::default();
    let mut scores = vec![0.0; data.rows];
    let share = |x: f32| x / forests as f32;
    for k in 0..forests {
        let settings = Settings { seed: settings.seed + 7 * k, ..settings.clone() };
        let (forest, own) = train(data, pages, active, objective, &settings, |_| ());
        mean.bias += share(forest.bias);
        mean.trees.extend(forest.trees.into_iter().map(|t| Tree { leaves: t.leaves.map(share), ..t }));
        scores.iter_mut().zip(own).for_each(|(a, b)| *a += share(b));
    }
    (mean, scores)
}

/// Returns the values of [`confidence::PAGE_FEATURES`] for a page, from the tables that contain them.
fn page_values(tables: &[&Features]) -> Vec<f32> {
    confidence::PAGE_FEATURES
        .iter()
        .map(|name| {
            tables.iter().find_map(|t| t.names().iter().position(|n| n == name).map(|c| t.column(c)[0])).unwrap_or(0.0)
        })
        .collect()
}

/// The choice by out-of-fold scores, and the predicted F1, itself out of fold.
pub struct Decided {
    /// F1 of the chosen blocks, by sample.
    pub f1: Vec<f64>,
    /// The predicted F1.
    pub foreseen: Vec<f64>,
    /// For each block, whether it is kept.
    pub keep: Vec<Vec<bool>>,
    /// The calibrated probabilities.
    pub probabilities: Vec<Vec<f32>>,
}

/// Calibrates the scores of `outcome`, chooses blocks by them, and trains the forest behind the confidence by folds and on all pages.
pub fn decide(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    outcome: &Outcome,
    settings: &Settings,
) -> (Curve, Forest, Decided) {
    let scores: Vec<Vec<f32>> = samples.iter().zip(outcome.scores()).map(|(s, own)| smoothed(s, &own)).collect();
    let raw: Vec<Vec<f32>> = scores.iter().map(|s| s.iter().map(|s| sigmoid(*s)).collect()).collect();
    // The frequency of content by probability, weighted as in training, but no page counts more than 1.
    let page = |p: usize| {
        let own = &rows.weights[rows.range(p)];
        let most = own.iter().sum::<f32>().max(1.0);
        own.iter().map(move |w| w / most)
    };
    let weights = (0..samples.len()).flat_map(page);
    let points = raw.iter().flatten().zip(&rows.labels).zip(weights);
    let curve = isotonic(points.map(|((p, y), w)| (*p, *y as f64, w as f64)).collect());
    let probabilities: Vec<Vec<f32>> = raw.iter().map(|p| p.iter().map(|p| curve.at(*p)).collect()).collect();
    let tables = token_features(samples, fold, FOLDS);
    let made: Vec<(f64, Vec<f32>, Vec<bool>)> = (0..samples.len())
        .into_par_iter()
        .map(|i| {
            let s = &samples[i];
            let words = s.weights();
            let keep = content(&s.blocks, &s.tokens, &scores[i], &words).kept().to_vec();
            let mut features =
                confidence::choice(&s.blocks, &probabilities[i], &words, &keep).map(|column| column.1).to_vec();
            features.extend(page_values(&[&s.features, &tables[i]]));
            (s.f1(keep.iter().copied()), features, keep)
        })
        .collect();
    let mut out =
        Decided { f1: Vec::new(), foreseen: vec![0.0; samples.len()], keep: Vec::new(), probabilities: Vec::new() };
    let mut features = Vec::new();
    for (f1, own, keep) in made {
        out.f1.push(f1);
        features.push(own);
        out.keep.push(keep);
    }
    let targets: Vec<f32> = out.f1.iter().map(|f| *f as f32).collect();
    let weights: Vec<f32> = samples.iter().map(page_weight).collect();
    let pages: Vec<u32> = (0..samples.len() as u32).collect();
    let objective = Squared { targets: &targets, weights: &weights };
    let data = Binned::with_bins(&columns_of(&features, confidence::names().len()), 64);
    let train = |active: &[bool]| train_mean(FORESEEING, &data, &pages, active, &objective, settings);
    for k in 0..FOLDS {
        let (_, foreseen) = train(&fold.iter().map(|f| *f != k).collect::<Vec<_>>());
        for i in (0..samples.len()).filter(|&i| fold[i] == k) {
            out.foreseen[i] = foreseen[i] as f64;
        }
    }
    let (forest, _) = train(&vec![true; samples.len()]);
    out.probabilities = probabilities;
    (curve, forest, out)
}

/// Returns the weight of a page for the decision about whole pages; a page without marked content has none.
fn page_weight(page: &Sample) -> f32 {
    if page.gold.is_empty() {
        0.0
    } else if page.is_read {
        READ_WEIGHT
    } else {
        1.0
    }
}

/// Fits the increasing curve of least squared error through weighted points (x, y, weight), by pooling adjacent violators, and thins it to
/// [`KNOTS`].
fn isotonic(mut points: Vec<(f32, f64, f64)>) -> Curve {
    points.retain(|p| p.2 > 0.0);
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = points.iter().map(|p| p.2).sum();
    // First merges points into bins of equal weight, so that no knot depends on a handful of points.
    let mut bins: Vec<(f64, f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0, 0.0);
    for (x, y, w) in points {
        open = (open.0 + x as f64 * w, open.1 + y * w, open.2 + w);
        if open.2 >= total / KNOTS as f64 {
            bins.push(std::mem::take(&mut open));
        }
    }
    if open.2 > 0.0 {
        bins.push(open);
    }
    let mut pooled: Vec<(f64, f64, f64)> = Vec::new();
    for b in bins {
        pooled.push(b);
        while let [.., a, b] = pooled[..] {
            if a.1 / a.2 <= b.1 / b.2 {
                break;
            }
            pooled.pop();
            pooled.pop();
            pooled.push((a.0 + b.0, a.1 + b.1, a.2 + b.2));
        }
    }
    Curve { knots: pooled.into_iter().map(|(x, y, w)| [(x / w) as f32, (y / w) as f32]).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_three_holds_for_short_ids_too() {
        let share = |ids: &mut dyn Iterator<Item = String>| ids.filter(|id| one_in(3, id)).count();
        assert!((300..370).contains(&share(&mut (0..1000).map(|n| n.to_string()))));
        assert!((300..370).contains(&share(&mut (0..1000).map(|n| format!("{n:04}")))));
        assert!((300..370).contains(&share(&mut (0..1000).map(|n| format!("www.example{n}.org.article")))));
    }
}
