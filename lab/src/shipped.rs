//! How the shipped model is trained: its sets, its settings, and the results of cross-validation.
use crate::Error;
use crate::data::{self, Page};
use crate::held_out::HeldOut;
use crate::learned::{Decided, Outcome, Sample, TrainSettings, cross_validate, fit, fold_of};
use crate::network;
use crate::readings::{PageReading, Readings};
use crate::rows::Rows;
use maintext_core::model::Model;
use maintext_learn::gbdt::Settings;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Sets with complete gold texts.
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
/// Sets with snippets that the content must, or must not, contain.
pub const SNIPPET_SETS: [&str; 2] = ["trafilatura-eval", "recipe-scrapers"];

/// Weight of a page in a snippet set, relative to a page with a complete gold text.
const SNIPPET_WEIGHT: f32 = 0.15;
/// Sets that contain forum threads only. Their posts look like the comments on many blogs, and threads are rarer on the web than in all
/// sets together.
const FORUM_SETS: [&str; 2] = ["web-forum-52", "magic-html-forum"];
/// Weight of their pages.
const FORUM_WEIGHT: f32 = 0.35;
/// Sets whose gold texts include readers' comments. Training labels comments as boilerplate; the scores still use the complete texts.
const COMMENTED_SETS: [&str; 1] = ["krdwrd-canola"];
/// Weight of a page with our own labels.
const READ_WEIGHT: f32 = 3.0;
/// Minimum word F1 that the blocks of a page must be able to reach for the page to be used in training.
const MIN_ORACLE: f64 = 0.5;

/// Returns the settings of the shipped model.
pub fn settings(seed: u64) -> TrainSettings {
    let forest = Settings { trees: 100, learning_rate: 0.25, l2: 2.0, feature_share: 0.25, page_share: 0.7, seed };
    let network =
        network::Settings { epochs: 14, rate: 5e-3, decay: 0.02, drop_out: 0.1, f1_share: 0.5, seed: seed + 1 };
    let confidence =
        Settings { trees: 120, learning_rate: 0.06, l2: 10.0, feature_share: 0.4, page_share: 0.6, seed: seed + 2 };
    TrainSettings { forest, network, confidence }
}

/// The unit held out in cross-validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldOut {
    /// All pages of a site.
    Sites,
    /// All pages of a set: shows how well the model does on an unseen kind of data.
    Sets,
}

/// Reads the training sets below `dir`, and the pages of other sets that were read.
///
/// # Errors
/// A set cannot be read.
pub fn load(dir: &Path, readings: &Readings, mut progress: impl FnMut(&str)) -> Result<Vec<Sample>, Error> {
    let mut samples = Vec::new();
    let own: Vec<&str> = TEXT_SETS.iter().chain(&SNIPPET_SETS).copied().collect();
    let others = readings.sets().into_iter().filter(|set| !own.contains(set));
    for set in own.iter().copied().chain(others) {
        progress(&format!("reading {set}"));
        let pages = data::read(dir.join("train").join(format!("{set}.jsonl.zst")))?;
        let made: Vec<Option<Sample>> = pages
            .par_iter()
            .map(|page| match readings.get(set, &page.id) {
                Some(reading) => read(page, set, reading),
                None if own.contains(&set) => sample(page, set),
                None => None,
            })
            .collect();
        samples.extend(made.into_iter().flatten());
    }
    Ok(samples)
}

/// Converts a page that was read to a sample. Returns `None` if it has no text.
fn read(page: &Page, set: &str, reading: &PageReading) -> Option<Sample> {
    let mut s = Sample::from_reading(&page.decoded(), &reading.pieces);
    s.is_read = true;
    s.id = page.id.clone();
    s.set = set.to_owned();
    s.site = page.site.clone();
    s.kind = reading.kind.clone();
    s.lang = page.lang.clone().unwrap_or_default();
    (!s.blocks.is_empty() && !s.gold.is_empty()).then_some(s)
}

/// Converts a page to a sample. Returns `None` if it is of no use in training.
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
    if s.is_read {
        READ_WEIGHT
    } else if s.gold.is_empty() {
        SNIPPET_WEIGHT
    } else if s.ceiling < MIN_ORACLE {
        0.0
    } else if FORUM_SETS.contains(&s.set.as_str()) {
        FORUM_WEIGHT
    } else {
        1.0
    }
}

/// Returns the rows of all samples, weighted as for the shipped model.
pub fn rows(samples: &[Sample]) -> Rows {
    Rows::new(samples, weight)
}

/// A trained model and the results of cross-validation.
pub struct Trained {
    /// The model, trained on all pages.
    pub model: Model,
    /// Out-of-fold scores, one list per sample.
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
pub fn train(samples: &[Sample], hold_out: HoldOut, run: &TrainSettings, mut progress: impl FnMut(&str)) -> Trained {
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

/// Returns the mean out-of-fold word F1 by set, and by page type of wcxb-dev, with the number of pages and the best F1 that their blocks allow.
pub fn report(samples: &[Sample], f1: impl Fn(usize) -> f64 + Sync + Send) -> BTreeMap<String, (usize, f64, f64)> {
    let scored: Vec<Option<(f64, f64)>> = (0..samples.len())
        .into_par_iter()
        .map(|i| (!samples[i].gold.is_empty()).then(|| (f1(i), samples[i].ceiling)))
        .collect();
    let mut out: BTreeMap<String, (usize, f64, f64)> = BTreeMap::new();
    for (s, (f1, oracle)) in samples.iter().zip(scored).filter_map(|(s, x)| Some((s, x?))) {
        let mut keys = vec![s.set.clone()];
        if s.is_read {
            keys = vec!["labels".to_owned(), format!("labels/{}", s.kind)];
        } else if s.set == "wcxb-dev" {
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
