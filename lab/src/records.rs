//! Trains and measures the classifier of record groups.
use crate::Error;
use crate::data::{self, Page};
use crate::held_out::{HeldOut, fold_file};
use crate::learned::{FOLDS, fold_of, train_mean};
use crate::name_weights::{self, Named};
use maintext_core::blocks::Blocks;
use maintext_core::metadata::Settings as Reading;
use maintext_core::metadata::training::records::{
    Decision, Evidence, Kind, PURPOSE, RecordGroup, by_name, columns, groups, row,
};
use maintext_core::method::{Favor, View};
use maintext_core::model::Pack;
use maintext_core::model::forest::{Forest, sigmoid};
use maintext_learn::gbdt::{Binned, LogLoss, Settings, columns_of};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// Hand-labelled groups of the training sets: set, page id, first and last byte, kind, quality. The file explains the letters.
const LABELS: &str = include_str!("record_groups.tsv");
/// Sets that contain threads only. Posts are rarer on the web than in all sets together.
const FORUM_SETS: [&str; 2] = ["web-forum-52", "magic-html-forum"];
/// The weight of their groups.
const FORUM_WEIGHT: f32 = 0.35;
/// Number of forests per question that are averaged.
const FORESTS: u64 = 3;
/// Settings for the weights of names.
const NAMES: name_weights::Settings = name_weights::Settings { min_samples: 4.0, min_weight: 0.4, penalty: 2e-4 };

/// The settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 40, learning_rate: 0.12, l2: 2.0, feature_share: 0.4, page_share: 0.7, seed }
}

/// A labelled group.
pub struct Sample {
    /// The set.
    pub set: &'static str,
    /// The page's id in the set.
    pub page: String,
    /// The labelled kind.
    pub kind: Kind,
    /// Whether author and text of most records were extracted correctly.
    pub legible: bool,
    /// Number of records.
    pub records: usize,
    fold: usize,
    evidence: Evidence,
}

struct Label {
    span: (usize, usize),
    kind: Kind,
    legible: bool,
}

fn kind(letter: &str) -> Option<Kind> {
    Some(match letter {
        "C" | "V" => Kind::Comments,
        "P" => Kind::Posts,
        "E" => Kind::Entries,
        "R" => Kind::Related,
        "M" => Kind::Embedded,
        "T" => Kind::Parts,
        "N" => Kind::Other,
        _ => return None,
    })
}

/// Returns the labels by set and page.
fn labels() -> Result<HashMap<(&'static str, &'static str), Vec<Label>>, Error> {
    let mut out: HashMap<_, Vec<Label>> = HashMap::new();
    for (i, line) in LABELS.lines().enumerate().filter(|(_, l)| !l.starts_with('#')) {
        let bad = || Error::other(format!("record_groups.tsv, line {}: not a label", i + 1));
        let [set, page, from, to, letter, quality] =
            <[&str; 6]>::try_from(line.split('\t').collect::<Vec<_>>()).map_err(|_| bad())?;
        let place = |s: &str| s.parse().map_err(|_| bad());
        let label =
            Label { span: (place(from)?, place(to)?), kind: kind(letter).ok_or_else(bad)?, legible: quality == "G" };
        out.entry((set, page)).or_default().push(label);
    }
    Ok(out)
}

/// Reads the labelled groups of the sets below `data`, on pages judged by the content model with the given scores.
pub fn samples(data: &Path, scores: &HeldOut) -> Result<Vec<Sample>, Error> {
    let labels = labels()?;
    let mut sets: Vec<&'static str> = labels.keys().map(|k| k.0).collect();
    sets.sort_unstable();
    sets.dedup();
    let mut out = Vec::new();
    for set in sets {
        let pages = data::read(data.join(format!("train/{set}.jsonl.zst")))?;
        let one = |page: &Page| -> Result<Vec<Sample>, Error> {
            let Some(known) = labels.get(&(set, page.id.as_str())) else { return Ok(Vec::new()) };
            let found = groups_of(page, set, scores)?.into_iter().filter_map(|g| {
                let label = known.iter().find(|l| l.span == (g.span.start, g.span.end))?;
                Some(Sample {
                    set,
                    page: page.id.clone(),
                    kind: label.kind,
                    legible: label.legible,
                    records: g.records.len(),
                    fold: fold_of(&page.site),
                    evidence: g.evidence,
                })
            });
            Ok(found.collect())
        };
        let made: Vec<Vec<Sample>> = pages.par_iter().map(one).collect::<Result<_, _>>()?;
        out.extend(made.into_iter().flatten());
    }
    Ok(out)
}

/// Returns the record groups of a page as the classifier sees them.
pub fn groups_of(page: &Page, set: &str, scores: &HeldOut) -> Result<Vec<RecordGroup>, Error> {
    let text = page.decoded();
    let dom = maintext_core::dom::parse(&text, &Default::default());
    let blocks = Blocks::new(&dom);
    let url = page.url.as_deref().and_then(|u| url::Url::parse(u).ok()).filter(url::Url::has_host);
    let view = View { source: &text, dom: &dom, blocks: &blocks, url: url.as_ref().map(url::Url::as_str) };
    let choice = scores.method(set, &page.id)?.judge(&view, Favor::Balance);
    let reading = Reading { base: url.as_ref(), ..Reading::default() };
    Ok(groups(&view, &choice, &reading))
}

fn weight(sample: &Sample) -> f32 {
    if FORUM_SETS.contains(&sample.set) { FORUM_WEIGHT } else { 1.0 }
}

fn fit_names<'a>(samples: impl Iterator<Item = &'a Sample>) -> Vec<maintext_core::features::tokens::Table<f32>> {
    let named: Vec<Named<'_>> =
        samples.map(|s| Named { names: &s.evidence.tokens, class: s.kind as usize, weight: weight(s) }).collect();
    name_weights::fit(&named, Kind::ALL.len(), &NAMES)
}

/// Trained models and the results of cross-validation.
pub struct Trained {
    /// The model, trained on all samples.
    pub pack: Pack,
    /// For each fold, the model trained on the other folds.
    pub folds: Vec<Pack>,
    /// Out-of-fold decisions.
    pub decisions: Vec<Decision>,
}

/// Trains on all samples, and on all except each fold.
pub fn train(samples: &[Sample], settings: &Settings) -> Trained {
    let mut out = vec![Decision::default(); samples.len()];
    let mut packs = Vec::new();
    for held_out in 0..=FOLDS {
        let fitted: Vec<_> = (0..=FOLDS)
            .into_par_iter()
            .map(|f| by_name(&fit_names(samples.iter().filter(|s| s.fold != held_out && s.fold != f))))
            .collect();
        let rows: Vec<Vec<f32>> =
            samples.par_iter().map(|s| row(&s.evidence, |h| fitted[s.fold].get(&h).copied())).collect();
        let data = Binned::with_bins(&columns_of(&rows, columns().len()), 48);
        let pages: Vec<u32> = page_numbers(samples);
        let mut active = vec![true; pages.iter().max().map_or(0, |p| *p as usize + 1)];
        pages.iter().zip(samples).for_each(|(p, s)| active[*p as usize] = s.fold != held_out);
        let weights: Vec<f32> = samples.iter().map(weight).collect();
        let fit = |is: &dyn Fn(&Sample) -> bool| -> (Forest, Vec<f32>) {
            let labels: Vec<f32> = samples.iter().map(|s| is(s) as u8 as f32).collect();
            let objective = LogLoss { labels: &labels, weights: &weights };
            train_mean(FORESTS, &data, &pages, &active, &objective, settings)
        };
        let mut forests: Vec<(Forest, Vec<f32>)> = Kind::ALL.iter().map(|k| fit(&|s| s.kind == *k)).collect();
        forests.push(fit(&|s| s.legible));
        for (i, decision) in out.iter_mut().enumerate().filter(|(i, _)| samples[*i].fold == held_out) {
            let p: Vec<f32> = forests.iter().map(|(_, scores)| sigmoid(scores[i])).collect();
            let sum: f32 = p[..Kind::ALL.len()].iter().sum();
            decision.kinds.iter_mut().zip(&p).for_each(|(d, p)| *d = p / sum.max(1e-6));
            decision.legible = p[Kind::ALL.len()];
        }
        packs.push(Pack {
            kind: PURPOSE.into(),
            names: columns(),
            forests: forests.into_iter().map(|f| f.0).collect(),
            tables: fit_names(samples.iter().filter(|s| s.fold != held_out)),
            ..Pack::default()
        });
    }
    let pack = packs.pop().unwrap_or_default();
    Trained { pack, folds: packs, decisions: out }
}

/// Writes the models of the folds below `dir`.
pub fn write_folds(dir: &Path, folds: &[Pack]) -> Result<(), Error> {
    std::fs::create_dir_all(dir).map_err(|e| Error::file(dir, e))?;
    folds.iter().enumerate().try_for_each(|(k, pack)| crate::write(&fold_file(dir, k), &pack.to_bytes()))
}

/// Returns the number of each sample's page: trees see all groups of a page or none.
fn page_numbers(samples: &[Sample]) -> Vec<u32> {
    let mut numbers = HashMap::new();
    samples
        .iter()
        .map(|s| {
            let next = numbers.len() as u32;
            *numbers.entry((s.set, s.page.clone())).or_insert(next)
        })
        .collect()
}

/// Formats out-of-fold decisions against the labels as text.
pub fn report(samples: &[Sample], decisions: &[Decision]) -> String {
    let mut matrix = [[0usize; Kind::ALL.len()]; Kind::ALL.len()];
    samples.iter().zip(decisions).for_each(|(s, d)| {
        matrix[s.kind as usize][(0..Kind::ALL.len()).fold(0, |b, k| if d.kinds[k] > d.kinds[b] { k } else { b })] += 1
    });
    let mut out = String::from("groups, by label and decision (out of fold)\n");
    for (kind, counts) in Kind::ALL.iter().zip(&matrix) {
        let cells: String = counts.iter().map(|n| format!("{n:>6}")).collect();
        out += &format!("{:10}{cells}\n", format!("{kind:?}"));
    }
    let right: usize = (0..Kind::ALL.len()).map(|k| matrix[k][k]).sum();
    out += &format!("right: {right} of {}\n", samples.len());
    for kind in [Kind::Comments, Kind::Posts] {
        for threshold in [0.3, 0.5, 0.7, 0.9] {
            let found = samples.iter().zip(decisions).filter(|(_, d)| d.of(kind) > threshold);
            let (mut n, mut hits) = (0usize, 0usize);
            found.for_each(|(s, _)| {
                n += 1;
                hits += (s.kind == kind) as usize;
            });
            let all = samples.iter().filter(|s| s.kind == kind).count();
            let (precision, recall) = (hits as f64 / n.max(1) as f64, hits as f64 / all.max(1) as f64);
            out += &format!("{kind:?} above {threshold}: precision {precision:.3}, recall {recall:.3}\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_can_be_read() {
        let labels = labels().unwrap();
        let all: usize = labels.values().map(Vec::len).sum();
        assert_eq!(all, LABELS.lines().filter(|l| !l.starts_with('#')).count());
        let comments = labels.values().flatten().filter(|l| l.kind == Kind::Comments).count();
        assert!(all > 1000 && comments > 100, "{all} {comments}");
    }
}
