//! How the shipped model is made: which sets, which settings, and what cross-validation says about it.
use crate::Error;
use crate::data::{self, Page};
use crate::held_out::HeldOut;
use maintext_core::model::Model;
use maintext_learn::gbdt::Settings;
use maintext_learn::learned::{Decided, Outcome, Run, Sample, cross_validate, fit, fold_of};
use maintext_learn::network;
use maintext_learn::rows::Rows;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Sets with whole gold texts.
pub const TEXT_SETS: [&str; 8] = [
    "wcxb-dev",
    "fundus",
    "misinfo-crawler",
    "magic-html-article",
    "magic-html-forum",
    "web-forum-52",
    "krdwrd-canola",
    "newspaper4k",
];
/// Sets with snippets that must be, or must not be, in the content.
pub const SNIPPET_SETS: [&str; 2] = ["trafilatura-eval", "recipe-scrapers"];

/// What a page of a snippet set weighs against one with a whole gold text.
const SNIPPET_WEIGHT: f32 = 0.15;
/// Sets of forum threads only. What is a post there is a comment on the many blogs that look alike, and threads are rarer on the web
/// than in the sum of the sets.
const FORUM_SETS: [&str; 2] = ["web-forum-52", "magic-html-forum"];
/// What a page of them weighs.
const FORUM_WEIGHT: f32 = 0.35;
/// Sets whose gold texts have the readers' comments. They are apart from the content here; the figures are still against the whole texts.
const COMMENTED_SETS: [&str; 1] = ["krdwrd-canola"];
/// Pages whose gold text the page's blocks cannot give are not learned from: best reachable word F1 below this.
const MIN_ORACLE: f64 = 0.5;

/// The settings of the shipped model.
pub fn settings(seed: u64) -> Run {
    let forest = Settings { trees: 100, learning_rate: 0.25, l2: 2.0, feature_share: 0.25, page_share: 0.7, seed };
    let network =
        network::Settings { epochs: 14, rate: 5e-3, decay: 0.02, drop_out: 0.1, f1_share: 0.5, seed: seed + 1 };
    let confidence =
        Settings { trees: 120, learning_rate: 0.06, l2: 10.0, feature_share: 0.4, page_share: 0.6, seed: seed + 2 };
    Run { forest, network, confidence }
}

/// How pages are held out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldOut {
    /// Pages of one site together.
    Sites,
    /// Pages of one set together: how well the model does on a kind of data that it has never seen.
    Sets,
}

/// Reads the training sets below `dir`.
pub fn load(dir: &Path, mut progress: impl FnMut(&str)) -> Result<Vec<Sample>, Error> {
    let mut samples = Vec::new();
    for set in TEXT_SETS.iter().chain(&SNIPPET_SETS) {
        progress(&format!("reading {set}"));
        let pages = data::read(dir.join("train").join(format!("{set}.jsonl.zst")))?;
        let made: Vec<Option<Sample>> = pages.par_iter().map(|p| sample(p, set)).collect();
        samples.extend(made.into_iter().flatten());
    }
    Ok(samples)
}

/// A page as a sample; `None` if it teaches nothing.
pub fn sample(page: &Page, set: &str) -> Option<Sample> {
    let mut s = match &page.text {
        Some(text) if !text.trim().is_empty() => {
            let s = Sample::new(&page.decoded(), text);
            if COMMENTED_SETS.contains(&set) { s.without_comments() } else { s }
        }
        _ if SNIPPET_SETS.contains(&set) => Sample::from_snippets(&page.decoded(), &page.with, &page.without),
        _ => return None,
    };
    s.id = page.id.clone();
    s.set = set.to_owned();
    s.site = page.site.clone();
    s.kind = page.page_type.clone().unwrap_or_default();
    s.lang = page.lang.clone().unwrap_or_default();
    (!s.blocks.is_empty()).then_some(s)
}

fn weight(s: &Sample) -> f32 {
    if s.gold.is_empty() {
        SNIPPET_WEIGHT
    } else if s.ceiling < MIN_ORACLE {
        0.0
    } else if FORUM_SETS.contains(&s.set.as_str()) {
        FORUM_WEIGHT
    } else {
        1.0
    }
}

/// The rows of all samples, weighed as the shipped model weighs them.
pub fn rows(samples: &[Sample]) -> Rows {
    Rows::new(samples, weight)
}

/// A trained model with the cross-validation behind it.
pub struct Trained {
    /// The model, trained on all pages.
    pub model: Model,
    /// Out-of-fold scores, a list a sample.
    pub outcome: Outcome,
    /// Out-of-fold decisions.
    pub decided: Decided,
}

impl Trained {
    /// The out-of-fold scores by page.
    pub fn held_out(&self, samples: &[Sample]) -> HeldOut {
        let mut out = HeldOut::default();
        for (s, scores) in samples.iter().zip(self.outcome.scores()) {
            out.insert(&s.set, &s.id, scores);
        }
        out
    }
}

/// Cross-validates and trains on all samples.
pub fn train(samples: &[Sample], hold_out: HoldOut, run: &Run, mut progress: impl FnMut(&str)) -> Trained {
    let fold: Vec<usize> = samples
        .iter()
        .map(|s| match hold_out {
            HoldOut::Sites => fold_of(&s.site),
            HoldOut::Sets => fold_of(&s.set),
        })
        .collect();
    let rows = Rows::new(samples, weight);
    let outcome = cross_validate(samples, &fold, &rows, run, |m| progress(&m));
    let (model, decided) = fit(samples, &fold, &rows, run, &outcome, |m| progress(&m));
    Trained { model, outcome, decided }
}

/// Mean out-of-fold word F1 by set, and by page type of wcxb-dev, with the number of pages and the best that its blocks could reach.
pub fn report(samples: &[Sample], f1: impl Fn(usize) -> f64 + Sync + Send) -> BTreeMap<String, (usize, f64, f64)> {
    let scored: Vec<Option<(f64, f64)>> = (0..samples.len())
        .into_par_iter()
        .map(|i| (!samples[i].gold.is_empty()).then(|| (f1(i), samples[i].ceiling)))
        .collect();
    let mut out: BTreeMap<String, (usize, f64, f64)> = BTreeMap::new();
    for (s, (f1, oracle)) in samples.iter().zip(scored).filter_map(|(s, x)| Some((s, x?))) {
        let mut keys = vec![s.set.clone()];
        if s.set == "wcxb-dev" {
            keys.push(format!("wcxb-dev/{}", s.kind));
        }
        for k in keys {
            let e = out.entry(k).or_default();
            e.0 += 1;
            e.1 += f1;
            e.2 += oracle;
        }
    }
    out.values_mut().for_each(|e| {
        e.1 /= e.0 as f64;
        e.2 /= e.0 as f64;
    });
    out
}
