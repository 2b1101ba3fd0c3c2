//! The learned extractor's training data, and its cross-validation.
use crate::align::{Labels, words};
use crate::gbdt::{Binned, LogLoss, Objective, Settings, train};
use maintext::blocks::Blocks;
use maintext::features::tokens::{KINDS, Table};
use maintext::features::{BlockWords, ElementTokens, Features, TokenIndex, TokenScores};
use maintext::model::choose::choose;
use maintext::model::context::add_context;
use maintext::model::decide;
use maintext::model::forest::{Forest, Tree, sigmoid};
use maintext::model::{Curve, Model};
use rayon::prelude::*;
use std::collections::HashMap;

/// A page ready for training: its blocks with features and labels.
pub struct Sample {
    /// Page id in its set.
    pub id: String,
    /// Name of the set.
    pub set: String,
    /// Registrable domain; pages of one site are never split over training and test.
    pub site: String,
    /// Page type as annotated, `""` if unknown.
    pub kind: String,
    /// Language as annotated.
    pub lang: String,
    /// The blocks.
    pub blocks: Blocks,
    /// Tokens of the elements.
    pub tokens: ElementTokens,
    /// Features that no learned table enters.
    pub features: Features,
    /// Content shares of the blocks.
    pub labels: Labels,
    /// Words of each block as the features hash them.
    pub text_words: BlockWords,
    /// What the learned tables are fitted on.
    pub counts: PageCounts,
    /// Hashed words of each block.
    pub block_words: Vec<Vec<u32>>,
    /// Hashed words of the gold text with their counts.
    pub gold: HashMap<u32, u32>,
}

fn hashed(text: &str) -> Vec<u32> {
    let hash = |w: String| w.bytes().fold(0x811c_9dc5u32, |h, b| (h ^ b as u32).wrapping_mul(0x0100_0193));
    words(text).into_iter().map(hash).collect()
}

impl Sample {
    /// Makes a sample of a decoded page and its gold text.
    pub fn new(html: &str, gold: &str) -> Sample {
        Sample::labelled(html, gold, |blocks| Labels::align(blocks, gold))
    }

    /// Makes a sample of a decoded page of which only snippets are known.
    pub fn from_snippets(html: &str, with: &[String], without: &[String]) -> Sample {
        Sample::labelled(html, "", |blocks| Labels::from_snippets(blocks, with, without))
    }

    pub(crate) fn labelled(html: &str, gold: &str, labels: impl Fn(&Blocks) -> Labels) -> Sample {
        let dom = maintext::dom::parse(html, &Default::default());
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
            tokens,
            features,
            labels: labels(&blocks),
            block_words: (0..blocks.len()).map(|i| hashed(blocks.text(i))).collect(),
            gold: counts,
            blocks,
        };
        sample.counts = page_counts(&sample);
        sample
    }

    /// Word F1 of the kept blocks against the gold text.
    pub fn f1(&self, keep: impl Iterator<Item = bool>) -> f64 {
        let mut left = self.gold.clone();
        let (mut taken, mut hits) = (0u32, 0u32);
        for (w, _) in self.block_words.iter().zip(keep).filter(|(_, k)| *k) {
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

    /// Words of each block, as the choice weighs them.
    pub fn weights(&self) -> Vec<u32> {
        self.block_words.iter().map(|w| w.len() as u32).collect()
    }
}

/// Number of folds.
pub const FOLDS: usize = 5;

/// The fold of a site.
pub fn fold_of(site: &str) -> usize {
    let hash = site.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ b as u64).wrapping_mul(0x0100_0000_01b3));
    (hash >> 20) as usize % FOLDS
}

/// Sites that must use a token before it gets a score.
const MIN_PAGES: f32 = 3.0;
/// Pages' worth of doubt added on either side.
const SMOOTHING: f32 = 1.0;

/// Pages that must use a word before it gets a score: words are more often a page's topic than tokens are.
const MIN_WORD_PAGES: f32 = 12.0;

/// Sums over pages of content share, and number of pages, by hash.
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

/// Fits scores of the tokens, and of the words, that so many pages use.
pub(crate) fn fit_tokens_of<'a>(
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

/// Log-odds of each type against the others, for tokens of at least five pages.
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

/// For each token and word of a page, how many words of content and how many words at all it goes with.
#[derive(Default)]
pub struct PageCounts {
    near: Counts,
    far: Counts,
    words: Counts,
}

/// For each token of a page, words of content and words below elements of that token.
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
        for e in s.blocks.element_chain(b.element as usize).take(maintext::features::tokens::NEAR) {
            for &t in s.tokens.of(e) {
                if !seen.contains(&t) {
                    seen.push(t);
                    let c = near.entry(t).or_default();
                    c.0 += a;
                    c.1 += n;
                }
            }
        }
    }
    for (i, e) in s.blocks.elements.iter().enumerate() {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        let (a, n) = (content[to] - content[from], all[to] - all[from]);
        if n > 0.0 {
            for &t in s.tokens.of(i) {
                let c = far.entry(t).or_default();
                c.0 += a;
                c.1 += n;
            }
        }
    }
    let mut words = Counts::new();
    for (i, &y) in s.labels.share.iter().enumerate() {
        if y.is_nan() {
            continue;
        }
        for w in s.text_words.of(i) {
            let c = words.entry(*w).or_default();
            c.0 += y;
            c.1 += 1.0;
        }
    }
    PageCounts { near, far, words }
}

/// All rows of some pages, one after another.
#[derive(Default)]
pub struct Rows {
    /// First row of each page, and the end.
    pub starts: Vec<usize>,
    /// The page of each row.
    pub pages: Vec<u32>,
    /// Content share of each row (0 where unknown).
    pub labels: Vec<f32>,
    /// Words of each row.
    pub words: Vec<f32>,
    /// Weight of each row; the rows of a page sum to the page's weight.
    pub weights: Vec<f32>,
    /// Pages whose labels cover some blocks only.
    pub partial: Vec<bool>,
}

impl Rows {
    /// Lays the pages out. A page weighs what `weight` says; inside it a block weighs the 0.7th power of its words.
    pub fn new(samples: &[Sample], weight: impl Fn(&Sample) -> f32) -> Rows {
        let mut r = Rows { starts: vec![0], ..Rows::default() };
        for (p, s) in samples.iter().enumerate() {
            let own: Vec<f32> = (0..s.blocks.len())
                .map(|i| if s.labels.share[i].is_nan() { 0.0 } else { (s.labels.words[i] as f32).powf(0.7) })
                .collect();
            let total: f32 = own.iter().sum::<f32>().max(1e-6);
            let w = weight(s);
            r.partial.push(s.labels.share.iter().any(|y| y.is_nan()));
            for (i, own) in own.iter().enumerate() {
                r.pages.push(p as u32);
                r.labels.push(if s.labels.share[i] >= 0.5 { 1.0 } else { 0.0 });
                r.words.push(s.labels.words[i] as f32);
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

/// Half log-loss, half the page's soft F1: `2 Σ p·n·y / (Σ p·n + Σ n·y)`.
pub struct Mixed<'a> {
    /// The rows.
    pub rows: &'a Rows,
    /// Share of the F1 term, 0 to 1.
    pub f1_share: f32,
}

impl Objective for Mixed<'_> {
    fn derivatives(&self, scores: &[f32], g: &mut [f32], h: &mut [f32]) {
        let r = self.rows;
        LogLoss { labels: &r.labels, weights: &r.weights }.derivatives(scores, g, h);
        if self.f1_share == 0.0 {
            return;
        }
        for page in 0..r.starts.len() - 1 {
            let range = r.range(page);
            let weight: f32 = r.weights[range.clone()].iter().sum();
            let (mut hits, mut size) = (0.0f64, 0.0f64);
            for i in range.clone() {
                let p = sigmoid(scores[i]) as f64;
                let n = r.words[i] as f64;
                hits += p * n * r.labels[i] as f64;
                size += p * n + n * r.labels[i] as f64;
            }
            if size <= 0.0 || weight == 0.0 || r.partial[page] {
                continue;
            }
            for i in range {
                let p = sigmoid(scores[i]) as f64;
                let n = r.words[i] as f64;
                let df = 2.0 * n * (r.labels[i] as f64 * size - hits) / (size * size);
                let dg = -(df * p * (1.0 - p)) as f32 * weight;
                let dh = (2.0 * n / size * p * (1.0 - p)) as f32 * weight;
                g[i] = (1.0 - self.f1_share) * g[i] + self.f1_share * dg;
                h[i] = (1.0 - self.f1_share) * h[i] + self.f1_share * dh;
            }
        }
    }
    fn bias(&self) -> f32 {
        LogLoss { labels: &self.rows.labels, weights: &self.rows.weights }.bias()
    }
}

/// Columns of all samples one after another.
fn stack(tables: &[Features]) -> Vec<Vec<f32>> {
    let width = tables.first().map_or(0, |t| t.names().len());
    (0..width).into_par_iter().map(|c| tables.iter().flat_map(|t| t.column(c).iter().copied()).collect()).collect()
}

/// Settings of a cross-validation run.
pub struct Run {
    /// First stage.
    pub first: Settings,
    /// Second stage.
    pub second: Settings,
    /// Share of the F1 term in the second stage.
    pub f1_share: f32,
    /// The decision between candidate sets.
    pub decision: Settings,
}

/// Out-of-fold probabilities of both stages, and the names of the columns with how often trees ask about them.
pub struct Outcome {
    /// First-stage probabilities, a list a page.
    pub first: Vec<Vec<f32>>,
    /// Second-stage probabilities.
    pub second: Vec<Vec<f32>>,
    /// Forests of the first stage, one a fold.
    pub forests: Vec<Forest>,
}

/// Trains and predicts by folds. `fold(sample)` gives the fold; a page with fold `FOLDS` or more is trained on in every fold.
pub fn cross_validate(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    run: &Run,
    mut log: impl FnMut(String),
) -> Outcome {
    let structural = stack_binned(samples);
    let mut first: Vec<Vec<f32>> = samples.iter().map(|s| vec![0.0; s.blocks.len()]).collect();
    let mut forests = Vec::new();
    let mut token_tables: Vec<Vec<Features>> = Vec::new();
    for k in 0..FOLDS {
        let tables = token_features(samples, fold, k);
        let data = structural.with(&Binned::new(&stack(&tables)));
        let active: Vec<bool> = fold.iter().map(|f| *f != k).collect();
        let objective = Mixed { rows, f1_share: 0.0 };
        let (forest, scores) = train(&data, &rows.pages, &active, &objective, &run.first, |_| ());
        for (p, f) in fold.iter().enumerate() {
            if *f == k {
                first[p] = scores[rows.range(p)].iter().map(|s| sigmoid(*s)).collect();
            }
        }
        forests.push(forest);
        token_tables.push(tables);
        log(format!("first stage, fold {k}"));
    }
    if run.second.trees == 0 {
        return Outcome { second: first.clone(), first, forests };
    }
    let contexts = context_features(samples, &first);
    let context_bins = Binned::new(&stack(&contexts));
    let mut second = first.clone();
    for (k, tables) in token_tables.iter().enumerate() {
        let data = structural.with(&Binned::new(&stack(tables))).with(&context_bins);
        let active: Vec<bool> = fold.iter().map(|f| *f != k).collect();
        let objective = Mixed { rows, f1_share: run.f1_share };
        let (_, scores) = train_mean(SECOND_STAGES, &data, &rows.pages, &active, &objective, &run.second);
        for (p, f) in fold.iter().enumerate() {
            if *f == k {
                second[p] = scores[rows.range(p)].iter().map(|s| sigmoid(*s)).collect();
            }
        }
        log(format!("second stage, fold {k}"));
    }
    Outcome { first, second, forests }
}

/// Out-of-fold probabilities of a first stage that sees only some of the features: what the others are worth.
pub fn ablate(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    settings: &Settings,
    uses: impl Fn(&str) -> bool,
) -> Vec<Vec<f32>> {
    let names = maintext::features::names();
    let structural = stack_binned(samples);
    let mut out: Vec<Vec<f32>> = samples.iter().map(|s| vec![0.0; s.blocks.len()]).collect();
    for k in 0..FOLDS {
        let tables = token_features(samples, fold, k);
        let data = structural.with(&Binned::new(&stack(&tables))).only(|c| uses(&names[c]));
        let active: Vec<bool> = fold.iter().map(|f| *f != k).collect();
        let (_, scores) = train(&data, &rows.pages, &active, &Mixed { rows, f1_share: 0.0 }, settings, |_| ());
        for (p, _) in fold.iter().enumerate().filter(|(_, f)| **f == k) {
            out[p] = scores[rows.range(p)].iter().map(|s| sigmoid(*s)).collect();
        }
    }
    out
}

/// Bins of a feature that differs from block to block.
const BLOCK_BINS: usize = 128;
/// Bins of a feature of the page.
const PAGE_BINS: usize = 32;

fn stack_binned(samples: &[Sample]) -> Binned {
    let width = samples.first().map_or(0, |s| s.features.names().len());
    let columns: Vec<Binned> = (0..width)
        .into_par_iter()
        .map(|c| {
            let name = &samples[0].features.names()[c];
            let column: Vec<f32> = samples.iter().flat_map(|s| s.features.column(c).iter().copied()).collect();
            // There are few pages: coarse bins keep a tree from telling them apart by their page's numbers alone.
            Binned::with_bins(&[column], if name.starts_with("page_") { PAGE_BINS } else { BLOCK_BINS })
        })
        .collect();
    columns.into_iter().reduce(|a, b| a.with(&b)).unwrap_or_else(|| Binned::new(&[]))
}

/// Mean page F1 of a set of probabilities when the best expected set is chosen.
pub fn page_f1(sample: &Sample, probabilities: &[f32], beta: f32) -> f64 {
    sample.f1(choose(probabilities, &sample.weights(), beta).into_iter())
}

/// Trains the model that is shipped: on all samples, with the out-of-fold probabilities of `outcome` for the second stage and the
/// calibration.
pub fn fit(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    run: &Run,
    outcome: &Outcome,
    mut log: impl FnMut(String),
) -> (Model, Decided) {
    let structural = stack_binned(samples);
    // Token features of a page come from a table that has not seen its fold, as they will for a page that no table has seen.
    let tables = token_features(samples, fold, FOLDS);
    let data = structural.with(&Binned::new(&stack(&tables)));
    let active = vec![true; samples.len()];
    let (first, _) = train(&data, &rows.pages, &active, &Mixed { rows, f1_share: 0.0 }, &run.first, |_| ());
    log("first stage, all pages".into());
    let contexts = context_features(samples, &outcome.first);
    let data = data.with(&Binned::new(&stack(&contexts)));
    let objective = Mixed { rows, f1_share: run.f1_share };
    let (second, _) = train_mean(SECOND_STAGES, &data, &rows.pages, &active, &objective, &run.second);
    log("second stage, all pages".into());
    let (block_calibration, decision, decided) = decision(samples, fold, rows, outcome, &run.decision);
    let tokens = fit_tokens(samples.iter());
    (Model { tokens, first, second, block_calibration, decision }, decided)
}

/// Whether the trees learn from a page as if no word of it were known: most training pages are in English, and a model that has
/// always seen words scored is lost in languages whose words the tables do not hold. One page in this many.
const BLIND: u64 = 3;

fn is_blind(s: &Sample) -> bool {
    s.id.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ b as u64).wrapping_mul(0x0100_0000_01b3)) >> 20 & 0xffff
        < 0xffff / BLIND
}

/// Token features of all samples, each from a table fitted without its own fold and without fold `held_out`.
fn token_features(samples: &[Sample], fold: &[usize], held_out: usize) -> Vec<Features> {
    let others = |f: usize| samples.iter().zip(fold).filter(move |(_, g)| **g != held_out && **g != f).map(|(s, _)| s);
    let tables: Vec<[TokenIndex; 2]> = (0..=FOLDS)
        .into_par_iter()
        .map(|f| {
            let seeing = fit_tokens(others(f));
            let blind = TokenScores { words: Table::default(), ..seeing.clone() };
            [seeing, blind].map(|scores| TokenIndex::new(&scores))
        })
        .collect();
    let features = samples.par_iter().zip(fold).map(|(s, f)| {
        let mut t = Features::new(s.blocks.len(), None);
        let blind = *f != held_out && is_blind(s);
        t.add_tokens(&s.blocks, &s.tokens, &s.text_words, &tables[(*f).min(FOLDS)][blind as usize]);
        t
    });
    features.collect()
}

fn context_features(samples: &[Sample], first: &[Vec<f32>]) -> Vec<Features> {
    let features = samples.par_iter().zip(first).map(|(s, p)| {
        let mut f = Features::new(s.blocks.len(), None);
        add_context(&mut f, &s.blocks, &s.features.paths, p);
        f
    });
    features.collect()
}

/// Knots of the calibration curves.
const KNOTS: usize = 24;

/// Frequency of content by probability, weighed as in training.
fn calibrate_blocks(rows: &Rows, probabilities: &[Vec<f32>]) -> Curve {
    let points = probabilities.iter().flatten().zip(&rows.labels).zip(&rows.weights);
    isotonic(points.map(|((p, y), w)| (*p, *y as f64, *w as f64)).collect())
}

/// Squared error against a target, each row with a weight.
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

/// Forests whose mean is the second stage.
const SECOND_STAGES: u64 = 2;
/// Forests whose mean decides: with so few pages a single one depends on the pages that its trees happened to see.
const DECISIONS: u64 = 4;

/// The mean of some forests that differ in what their trees happened to see, as one forest; with the scores of all rows.
fn train_mean(
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

/// The candidates of each page with their true F1.
struct Decisions {
    features: Vec<Features>,
    f1: Vec<Vec<f32>>,
}

impl Decisions {
    fn new(samples: &[Sample], probabilities: &[Vec<f32>], tables: &[Features]) -> Decisions {
        let made: Vec<(Features, Vec<f32>)> = samples
            .par_iter()
            .zip(probabilities)
            .zip(tables)
            .map(|((s, p), table)| {
                let words = s.weights();
                let sets = decide::candidates(p, &words);
                let page = page_values(&[&s.features, table]);
                let f1 = sets.iter().map(|k| s.f1(k.iter().copied()) as f32).collect();
                (decide::features(&s.blocks, p, &words, &sets, &page), f1)
            })
            .collect();
        let (features, f1) = made.into_iter().unzip();
        Decisions { features, f1 }
    }

    fn train(&self, samples: &[Sample], active: &[bool], settings: &Settings) -> (Forest, Vec<f32>) {
        let targets: Vec<f32> = self.f1.iter().flatten().copied().collect();
        let weight = |s: &Sample| if s.gold.is_empty() { 0.0 } else { 1.0 };
        let weights: Vec<f32> = samples.iter().zip(&self.f1).flat_map(|(s, f)| vec![weight(s); f.len()]).collect();
        let pages: Vec<u32> = self.f1.iter().enumerate().flat_map(|(i, f)| vec![i as u32; f.len()]).collect();
        let objective = Squared { targets: &targets, weights: &weights };
        let data = Binned::with_bins(&stack(&self.features), 64);
        train_mean(DECISIONS, &data, &pages, active, &objective, settings)
    }
}

/// The values of [`decide::PAGE_FEATURES`] of a page, from the tables that hold them.
fn page_values(tables: &[&Features]) -> Vec<f32> {
    let value = |name: &&str| {
        let find = |t: &&Features| t.names().iter().position(|n| n == name).map(|c| t.column(c)[0]);
        tables.iter().find_map(find).unwrap_or(0.0)
    };
    decide::PAGE_FEATURES.iter().map(value).collect()
}

/// What the decision makes of out-of-fold probabilities, itself trained out of fold.
pub struct Decided {
    /// F1 of the set that was chosen, by sample.
    pub f1: Vec<f64>,
    /// What was foreseen.
    pub foreseen: Vec<f64>,
    /// The chosen set: for each block, whether it is kept.
    pub keep: Vec<Vec<bool>>,
    /// The calibrated probabilities that it was chosen by.
    pub probabilities: Vec<Vec<f32>>,
}

/// Calibrates, trains the decision by folds and on all pages.
pub fn decision(
    samples: &[Sample],
    fold: &[usize],
    rows: &Rows,
    outcome: &Outcome,
    settings: &Settings,
) -> (Curve, Forest, Decided) {
    let curve = calibrate_blocks(rows, &outcome.second);
    let calibrated: Vec<Vec<f32>> = outcome.second.iter().map(|p| p.iter().map(|p| curve.at(*p)).collect()).collect();
    let tables = token_features(samples, fold, FOLDS);
    let decisions = Decisions::new(samples, &calibrated, &tables);
    let mut out = Decided {
        f1: vec![0.0; samples.len()],
        foreseen: vec![0.0; samples.len()],
        keep: vec![Vec::new(); samples.len()],
        probabilities: Vec::new(),
    };
    for k in 0..FOLDS {
        let active: Vec<bool> = fold.iter().map(|f| *f != k).collect();
        let (_, scores) = decisions.train(samples, &active, settings);
        let mut at = 0;
        for (i, f1) in decisions.f1.iter().enumerate() {
            let s = &scores[at..at + f1.len()];
            at += f1.len();
            if fold[i] == k {
                let best = decide::pick(s);
                (out.f1[i], out.foreseen[i]) = (f1[best] as f64, s[best] as f64);
                out.keep[i] = decide::candidates(&calibrated[i], &samples[i].weights()).swap_remove(best);
            }
        }
    }
    let (forest, _) = decisions.train(samples, &vec![true; samples.len()], settings);
    out.probabilities = calibrated;
    (curve, forest, out)
}

/// The rising curve of least squared error through weighted points (x, y, weight), by pooling adjacent violators, thinned to [`KNOTS`].
fn isotonic(mut points: Vec<(f32, f64, f64)>) -> Curve {
    points.retain(|p| p.2 > 0.0);
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = points.iter().map(|p| p.2).sum();
    // Bins of equal weight first: a curve of few knots, and no knot from a handful of points.
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
    Curve { knots: pooled.into_iter().map(|(x, y, w)| ((x / w) as f32, (y / w) as f32)).collect() }
}
