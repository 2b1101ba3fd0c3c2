//! Prepares training data for the learned extractor and cross-validates it.
use crate::align::{Labels, Reading, words};
use crate::gbdt::{Binned, LogLoss, Objective, Settings, columns_of, train};
use crate::hash::fnv;
use crate::network::{self, Encoded, Lessons};
use crate::rows::Rows;
use maintext_core::blocks::{Blocks, ElementTokens};
use maintext_core::features::bags::{self, Bags, Reads, Vocabulary};
use maintext_core::features::tokens::{COMMENTS, KINDS, Role, Table};
use maintext_core::features::{BlockWords, Features, TokenIndex, TokenScores};
use maintext_core::model::choose::content;
use maintext_core::model::confidence;
use maintext_core::model::forest::{Forest, Tree, sigmoid};
use maintext_core::model::kin::Kin;
use maintext_core::model::network::{Around, Network, around};
use maintext_core::model::{Curve, Model};
use rayon::prelude::*;
use std::collections::HashMap;

/// A page prepared for training: its blocks with features and labels.
pub struct Sample {
    /// Page id in its set.
    pub id: String,
    /// Name of the set.
    pub set: String,
    /// Registrable domain. Pages of one site are never split between training and test.
    pub site: String,
    /// Page type as annotated, `""` if unknown.
    pub kind: String,
    /// Language as annotated.
    pub lang: String,
    /// Whether the labels are from a careful reading of the page.
    pub is_read: bool,
    /// The blocks.
    pub blocks: Blocks,
    /// Tokens of the elements.
    pub tokens: ElementTokens,
    /// Features that do not depend on learned tables.
    pub features: Features,
    /// Content shares of the blocks.
    pub labels: Labels,
    /// Words of each block, hashed as for the features.
    pub text_words: BlockWords,
    /// Counts from which the learned tables are fitted.
    pub counts: PageCounts,
    /// Hashed words of each block.
    pub block_words: Vec<Vec<u32>>,
    /// Hashed words of the gold text with their counts.
    pub gold: HashMap<u32, u32>,
    /// Word F1 of the blocks that best match the gold text: an upper bound for any choice of blocks. 0 without a gold text.
    pub ceiling: f64,
}

fn hashed(text: &str) -> Vec<u32> {
    words(text).into_iter().map(|w| maintext_core::hash::of(w.as_bytes())).collect()
}

impl Sample {
    /// Creates a sample from a decoded page and its gold text.
    pub fn new(html: &str, gold: &str) -> Sample {
        Sample::labelled(html, gold, |blocks| Labels::align(blocks, gold))
    }

    /// Creates a sample from a decoded page and a careful reading of it.
    pub fn from_reading(html: &str, reading: &[(Reading, String)]) -> Sample {
        let main: Vec<&str> = reading.iter().filter(|r| r.0 == Reading::Main).map(|r| &*r.1).collect();
        Sample::labelled(html, &main.join("\n"), |blocks| Labels::from_reading(blocks, reading))
    }

    /// Creates a sample from a decoded page with snippets only.
    pub fn from_snippets(html: &str, with: &[String], without: &[String]) -> Sample {
        Sample::labelled(html, "", |blocks| Labels::from_snippets(blocks, with, without))
    }

    /// Creates a sample from a page with its gold text, without an address; `labels` labels the blocks.
    pub fn labelled(html: &str, gold: &str, labels: impl Fn(&Blocks) -> Labels) -> Sample {
        let dom = maintext_core::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut counts = HashMap::new();
        for w in hashed(gold) {
            *counts.entry(w).or_default() += 1;
        }
        let tokens = ElementTokens::new(&dom, &blocks);
        let mut features = Features::new(blocks.len(), None);
        let text_words = features.add_structural(&dom, &blocks, &tokens);
        let mut sample = Sample {
            text_words,
            counts: PageCounts::default(),
            id: String::new(),
            set: String::new(),
            site: String::new(),
            kind: String::new(),
            lang: String::new(),
            is_read: false,
            tokens,
            features,
            labels: labels(&blocks),
            block_words: (0..blocks.len()).map(|i| hashed(blocks.text(i))).collect(),
            gold: counts,
            blocks,
            ceiling: 0.0,
        };
        sample.counts = page_counts(&sample);
        if !sample.gold.is_empty() {
            sample.ceiling = sample.f1(sample.labels.positive());
        }
        sample
    }

    /// Labels readers' comments as boilerplate, whatever the gold text contains. Comments are recognised by the names of their elements.
    pub fn without_comments(mut self) -> Sample {
        let comments = Role::new(&self.blocks, &self.tokens, COMMENTS);
        for (share, distance) in self.labels.share.iter_mut().zip(comments.distance) {
            if distance >= 0.0 {
                *share = 0.0;
            }
        }
        self.counts = page_counts(&self);
        self
    }

    /// Returns the word F1 of the kept blocks against the gold text.
    pub fn f1(&self, keep: impl Iterator<Item = bool>) -> f64 {
        let mut left = self.gold.clone();
        let (mut taken, mut hits) = (0u32, 0u32);
        // Optional text counts on neither side.
        let counts = |i: usize| self.gold.is_empty() || !self.labels.share[i].is_nan();
        for (_, (w, _)) in self.block_words.iter().zip(keep).enumerate().filter(|(i, (_, k))| *k && counts(*i)) {
            for x in w {
                taken += 1;
                if let Some(n) = left.get_mut(x).filter(|n| **n > 0) {
                    *n -= 1;
                    hits += 1;
                }
            }
        }
        let gold: u32 = self.gold.values().sum();
        if taken + gold == 0 { 1.0 } else { 2.0 * hits as f64 / (taken + gold) as f64 }
    }

    /// Returns the words of each block as weighted by the choice.
    pub fn weights(&self) -> Vec<u32> {
        self.block_words.iter().map(|w| w.len() as u32).collect()
    }
}

/// Number of folds.
pub const FOLDS: usize = 5;

/// Returns the fold of a site.
pub fn fold_of(site: &str) -> usize {
    (fnv(site, 0) >> 20) as usize % FOLDS
}

/// Minimum number of sites that must use a token for it to get a score.
const MIN_PAGES: f32 = 3.0;
/// Smoothing: pages added to either side.
const SMOOTHING: f32 = 1.0;

/// Minimum number of pages that must use a word for it to get a score; higher, because words reflect a page's topic more than tokens do.
const MIN_WORD_PAGES: f32 = 12.0;

/// Sums of content shares over pages, and numbers of pages, by hash.
#[derive(Default)]
struct Shares(Counts);

impl Shares {
    fn add(&mut self, page: &Counts) {
        for (t, (hits, total)) in page {
            let e = self.0.entry(*t).or_default();
            e.0 += hits / total;
            e.1 += 1.0;
        }
    }
    fn table(self, min_pages: f32) -> Table<f32> {
        let scores = self.0.into_iter().filter(|(_, (_, n))| *n >= min_pages);
        let mut out: Vec<(u32, f32)> =
            scores.map(|(t, (a, n))| (t, ((a + SMOOTHING) / (n - a + SMOOTHING)).ln())).collect();
        out.sort_by_key(|e| e.0);
        Table(out)
    }
}

/// Fits token scores on some pages.
pub fn fit_tokens<'a>(samples: impl Iterator<Item = &'a Sample>) -> TokenScores {
    fit_tokens_of(samples, MIN_PAGES, MIN_WORD_PAGES)
}

/// Fits scores of the tokens and words used by at least the given numbers of pages.
pub fn fit_tokens_of<'a>(
    samples: impl Iterator<Item = &'a Sample>,
    min_pages: f32,
    min_word_pages: f32,
) -> TokenScores {
    let [mut near, mut far, mut document_near, mut document_far, mut words] = [0; 5].map(|_| Shares::default());
    let mut kinds: HashMap<u32, [f32; KINDS.len()]> = HashMap::new();
    let mut pages = [0.0f32; KINDS.len()];
    for s in samples {
        let c = &s.counts;
        near.add(&c.near);
        far.add(&c.far);
        words.add(&c.words);
        if s.kind != "forum" {
            document_near.add(&c.near);
            document_far.add(&c.far);
        }
        if let Some(k) = KINDS.iter().position(|k| *k == s.kind) {
            pages[k] += 1.0;
            s.tokens.distinct().into_iter().for_each(|t| kinds.entry(t).or_default()[k] += 1.0);
        }
    }
    TokenScores {
        near: near.table(min_pages),
        far: far.table(min_pages),
        document_near: document_near.table(min_pages),
        document_far: document_far.table(min_pages),
        words: words.table(min_word_pages),
        kinds: kind_table(kinds, pages),
    }
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

/// Returns the log-odds of each type against the others, for tokens on at least five pages.
fn kind_table(counts: HashMap<u32, [f32; KINDS.len()]>, pages: [f32; KINDS.len()]) -> Table<[f32; KINDS.len()]> {
    let total: f32 = pages.iter().sum();
    let odds = |c: [f32; KINDS.len()]| {
        let all: f32 = c.iter().sum();
        std::array::from_fn(|k| {
            let own = (c[k] + 0.5) / (pages[k] + 1.0);
            let rest = (all - c[k] + 0.5) / (total - pages[k] + 1.0);
            (own / rest).ln()
        })
    };
    let kept = counts.into_iter().filter(|(_, c)| c.iter().sum::<f32>() >= 5.0);
    let mut out: Vec<_> = kept.map(|(t, c)| (t, odds(c))).collect();
    out.sort_by_key(|e| e.0);
    Table(out)
}

type Counts = HashMap<u32, (f32, f32)>;

fn count(counts: &mut Counts, name: u32, hits: f32, total: f32) {
    let own = counts.entry(name).or_default();
    *own = (own.0 + hits, own.1 + total);
}

/// For each token and word of a page, the number of content words and of all words that occur with it.
#[derive(Default)]
pub struct PageCounts {
    near: Counts,
    far: Counts,
    words: Counts,
}

/// Counts, for each token of a page, content words and all words below elements with that token.
fn page_counts(s: &Sample) -> PageCounts {
    let mut content = vec![0.0f32; s.blocks.len() + 1];
    let mut all = vec![0.0f32; s.blocks.len() + 1];
    for i in 0..s.blocks.len() {
        let n = s.labels.words[i] as f32;
        let y = s.labels.share[i];
        let (a, b) = if y.is_nan() { (0.0, 0.0) } else { (n * y, n) };
        content[i + 1] = content[i] + a;
        all[i + 1] = all[i] + b;
    }
    let (mut near, mut far) = (Counts::new(), Counts::new());
    for (i, b) in s.blocks.blocks.iter().enumerate() {
        let (a, n) = (content[i + 1] - content[i], all[i + 1] - all[i]);
        if n == 0.0 {
            continue;
        }
        let mut seen: Vec<u32> = Vec::new();
        for e in s.blocks.element_chain(b.element as usize).take(maintext_core::features::tokens::NEAR_LEVELS) {
            for &t in s.tokens.of(e) {
                if !seen.contains(&t) {
                    seen.push(t);
                    count(&mut near, t, a, n);
                }
            }
        }
    }
    for (i, e) in s.blocks.elements.iter().enumerate() {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        let (a, n) = (content[to] - content[from], all[to] - all[from]);
        if n > 0.0 {
            s.tokens.of(i).iter().for_each(|&t| count(&mut far, t, a, n));
        }
    }
    let mut words = Counts::new();
    for (i, &y) in s.labels.share.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
        s.text_words.of(i).iter().for_each(|&w| count(&mut words, w, y, 1.0));
    }
    PageCounts { near, far, words }
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

/// Concatenates the columns of all samples.
pub(crate) fn stack(tables: &[Features]) -> Vec<Vec<f32>> {
    let width = tables.first().map_or(0, |t| t.names().len());
    (0..width).into_par_iter().map(|c| tables.iter().flat_map(|t| t.column(c).iter().copied()).collect()).collect()
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
    Kin::new(&sample.blocks, &sample.tokens).smooth(&mut out);
    out
}

/// Returns a page's F1 when the blocks are chosen by their scores.
pub fn page_f1(sample: &Sample, scores: &[f32]) -> f64 {
    let scores = smoothed(sample, scores);
    sample.f1(content(&sample.blocks, &scores, &sample.weights()).kept().iter().copied())
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
            let keep = content(&s.blocks, &scores[i], &words).kept().to_vec();
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
    fn comments_are_not_learned_as_content() {
        let html =
            "<h1>The mill</h1><p>The wheel turns again.</p><ol class=comments><li>So it does, at last.</li></ol>";
        let plain = Sample::new(html, "The mill The wheel turns again. So it does, at last.");
        assert!((plain.ceiling - 1.0).abs() < 1e-9);
        let token = maintext_core::blocks::token_hash("comments");
        let far = |s: &Sample| s.counts.far[&token];
        assert_eq!(far(&plain), (5.0, 5.0));
        let without = plain.without_comments();
        assert_eq!(without.labels.share, [1.0, 1.0, 0.0]);
        assert_eq!(far(&without), (0.0, 5.0));
        assert!((without.ceiling - 1.0).abs() < 1e-9, "against the whole gold text");
    }

    #[test]
    fn one_in_three_holds_for_short_ids_too() {
        let share = |ids: &mut dyn Iterator<Item = String>| ids.filter(|id| one_in(3, id)).count();
        assert!((300..370).contains(&share(&mut (0..1000).map(|n| n.to_string()))));
        assert!((300..370).contains(&share(&mut (0..1000).map(|n| format!("{n:04}")))));
        assert!((300..370).contains(&share(&mut (0..1000).map(|n| format!("www.example{n}.org.article")))));
    }
}
