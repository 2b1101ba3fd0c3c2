//! The training of the model of page types, and its measurement.
use crate::error::Error;
use crate::gbdt::{Binned, LogLoss, Random, Settings, train};
use crate::learned::{FOLDS, fold_of};
use maintext::blocks::Blocks;
use maintext::features::tokens::{KINDS, Table};
use maintext::method::View;
use maintext::model::Pack;
use maintext::model::forest::sigmoid;
use maintext::page_type::{KIND, PageFacts, PageType, facts, merged, names, normalized, token_scores};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A page of a known kind.
pub struct Sample {
    /// Index of [`KINDS`].
    pub kind: usize,
    fold: usize,
    facts: PageFacts,
}

impl Sample {
    /// What is known of the page.
    pub fn facts(&self) -> &PageFacts {
        &self.facts
    }
}

/// The settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 100, learning_rate: 0.08, l2: 2.0, feature_share: 0.4, page_share: 0.8, seed }
}

/// The pages of known kind below `data/train`.
pub fn samples(data: &Path) -> Result<Vec<Sample>, Error> {
    samples_of(&[data.join("train/wcxb-dev.jsonl.zst")])
}

/// The pages of known kind of some sets.
pub fn samples_of(sets: &[PathBuf]) -> Result<Vec<Sample>, Error> {
    let mut pages = Vec::new();
    for set in sets {
        pages.extend(crate::data::read(set)?);
    }
    let one = |p: &crate::data::Page| {
        let kind = KINDS.iter().position(|k| Some(*k) == p.page_type.as_deref())?;
        let text = p.decoded();
        let dom = maintext::dom::parse(&text, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: &text, dom: &dom, blocks: &blocks, url: p.url.as_deref() };
        Some(Sample { kind, fold: fold_of(&p.site), facts: facts(&view) })
    };
    Ok(pages.par_iter().filter_map(one).collect())
}

/// Pages that must use a name before it gets a score.
const MIN_PAGES: f32 = 6.0;
/// Weights nearer to zero are not kept.
const MIN_WEIGHT: f32 = 0.12;

/// Passes over the pages, and the penalty on the weights of names.
const EPOCHS: usize = 40;
const PENALTY: f32 = 2e-4;
/// First step of the gradient descent; AdaGrad shortens the steps of names that are common.
const STEP: f32 = 0.3;

/// Weights of names by kind: logistic regressions of each kind against the others, over the names that a page has, each of which counts
/// one over the root of their number. Gradient descent with the steps of Duchi, Hazan and Singer, *Adaptive subgradient methods* (2011).
fn fit_tokens<'a>(samples: impl Iterator<Item = &'a Sample>) -> Vec<Table<f32>> {
    let samples: Vec<&Sample> = samples.collect();
    let mut pages: HashMap<u32, f32> = HashMap::new();
    samples.iter().flat_map(|s| &s.facts.tokens).for_each(|t| *pages.entry(*t).or_default() += 1.0);
    let mut known: Vec<u32> = pages.into_iter().filter(|(_, n)| *n >= MIN_PAGES).map(|(t, _)| t).collect();
    known.sort_unstable();
    let rows: Vec<Vec<usize>> =
        samples.iter().map(|s| s.facts.tokens.iter().filter_map(|t| known.binary_search(t).ok()).collect()).collect();
    let one = |k: usize| {
        let (mut w, mut squares, mut bias) = (vec![0.0f32; known.len()], vec![1e-3f32; known.len()], -2.0f32);
        let mut random = Random(k as u64 + 1);
        let mut order: Vec<usize> = (0..samples.len()).collect();
        for _ in 0..EPOCHS {
            for i in (1..order.len()).rev() {
                order.swap(i, (random.unit() * (i + 1) as f64) as usize);
            }
            for &i in &order {
                let x = 1.0 / (rows[i].len().max(1) as f32).sqrt();
                let score = bias + x * rows[i].iter().map(|&t| w[t]).sum::<f32>();
                let g = sigmoid(score) - (samples[i].kind == k) as u8 as f32;
                bias -= 0.02 * g;
                for &t in &rows[i] {
                    let d = g * x + PENALTY * w[t];
                    squares[t] += d * d;
                    w[t] -= STEP * d / squares[t].sqrt();
                }
            }
        }
        Table(known.iter().copied().zip(w).filter(|(_, w)| w.abs() >= MIN_WEIGHT).collect())
    };
    (0..KINDS.len()).into_par_iter().map(one).collect()
}

/// Trains on all samples and on all but each fold; gives the model and the out-of-fold answers.
pub fn train_page_type(samples: &[Sample], settings: &Settings) -> (Pack, Vec<PageType>) {
    let mut out = vec![None; samples.len()];
    let mut pack = Pack { kind: KIND.into(), names: names(), ..Pack::default() };
    for held_out in 0..=FOLDS {
        let fitted: Vec<HashMap<u32, [f32; KINDS.len()]>> = (0..=FOLDS)
            .into_par_iter()
            .map(|f| merged(&fit_tokens(samples.iter().filter(|s| s.fold != held_out && s.fold != f))))
            .collect();
        let row = |s: &Sample| {
            let mut v = s.facts.values.clone();
            v.extend(token_scores(&s.facts.tokens, |h| fitted[s.fold].get(&h).copied()));
            v
        };
        let rows: Vec<Vec<f32>> = samples.par_iter().map(row).collect();
        let columns: Vec<Vec<f32>> = (0..pack.names.len()).map(|c| rows.iter().map(|r| r[c]).collect()).collect();
        let data = Binned::with_bins(&columns, 48);
        let pages: Vec<u32> = (0..samples.len() as u32).collect();
        let active: Vec<bool> = samples.iter().map(|s| s.fold != held_out).collect();
        let weights = vec![1.0; samples.len()];
        let mut p = vec![[0.0f32; KINDS.len()]; samples.len()];
        let mut list = vec![0.0f32; samples.len()];
        // A forest a kind, and one that knows lists of both kinds from all else.
        for k in 0..=KINDS.len() {
            let is = |s: &Sample| if k < KINDS.len() { s.kind == k } else { is_list(s.kind) };
            let labels: Vec<f32> = samples.iter().map(|s| is(s) as u8 as f32).collect();
            let objective = LogLoss { labels: &labels, weights: &weights };
            let (forest, scores) = train(&data, &pages, &active, &objective, settings, |_| ());
            match k < KINDS.len() {
                true => scores.iter().zip(&mut p).for_each(|(s, p)| p[k] = sigmoid(*s)),
                false => scores.iter().zip(&mut list).for_each(|(s, l)| *l = sigmoid(*s)),
            }
            if held_out == FOLDS {
                pack.forests.push(forest);
            }
        }
        for i in (0..samples.len()).filter(|&i| samples[i].fold == held_out) {
            out[i] = Some(PageType::new(normalized(p[i]), list[i]));
        }
    }
    pack.tables = fit_tokens(samples.iter());
    (pack, out.into_iter().flatten().collect())
}

/// Right answers by kind: `matrix[truth][answer]`.
pub fn confusion(samples: &[Sample], answers: &[PageType]) -> [[usize; KINDS.len()]; KINDS.len()] {
    let mut m = [[0; KINDS.len()]; KINDS.len()];
    for (s, a) in samples.iter().zip(answers) {
        if let Some(k) = KINDS.iter().position(|k| *k == a.page_type) {
            m[s.kind][k] += 1;
        }
    }
    m
}

/// Whether pages of a kind are lists.
fn is_list(kind: usize) -> bool {
    matches!(KINDS[kind], "listing" | "collection")
}

/// Share of pages whose word on list (listing or collection) or not is right.
pub fn list_accuracy(samples: &[Sample], answers: &[PageType]) -> f64 {
    let right = samples.iter().zip(answers).filter(|(s, a)| is_list(s.kind) == (a.list > 0.5)).count();
    right as f64 / samples.len().max(1) as f64
}
