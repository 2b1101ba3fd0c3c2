//! Trains and measures the model of roles on our own labels.
use crate::Error;
use crate::data;
use crate::held_out::HeldOut;
use crate::learned::{FOLDS, Sample, fold_of, token_features};
use crate::readings::{PageReading, Readings};
use crate::shipped::load;
use maintext_core::Choice;
use maintext_core::blocks::Blocks;
use maintext_core::features::Features;
use maintext_core::method::Favor;
use maintext_core::model::forest::Forest;
use maintext_core::model::kin::Kin;
use maintext_core::model::roles::{PURPOSE, ROLES, Role, Shares, around, columns, shares};
use maintext_core::model::{Learned, Pack};
use maintext_learn::align::{is_known, read_words};
use maintext_learn::gbdt::{Binned, Settings, train_classes};
use rayon::prelude::*;
use std::path::Path;

/// Returns the settings of the shipped model.
pub fn settings(seed: u64) -> Settings {
    Settings { trees: 60, learning_rate: 0.2, l2: 3.0, feature_share: 0.3, page_share: 0.8, seed }
}

/// Weight of a page. The weights of its blocks are proportional to the square roots of their words.
const PAGE_WEIGHT: f32 = 300.0;

/// A page with the role of each block.
pub struct ReadPage {
    fold: usize,
    sample: Sample,
    kin: Kin,
    /// The roles as read; `None` where the reading lacks the block.
    roles: Vec<Option<Role>>,
    words: Vec<u32>,
    choice: Choice,
    tokens: Features,
}

/// Reads the pages with roles below `data`, with the content model's scores of a cross-validation.
///
/// # Errors
/// A set cannot be read, or the library was built with a damaged model.
pub fn pages(
    data: &Path,
    readings: &Readings,
    scores: &HeldOut,
    mut progress: impl FnMut(&str),
) -> Result<Vec<ReadPage>, Error> {
    let samples = load(data, readings, &mut progress)?;
    progress("features of names and words");
    let fold: Vec<usize> = samples.iter().map(|s| fold_of(&s.site)).collect();
    // The features of a page come from tables that have not seen its fold.
    let tokens = token_features(&samples, &fold, FOLDS);
    let model = Learned::shipped().map_err(|e| Error::other(e.to_string()))?;
    let read: Vec<(usize, Sample, Features)> = fold
        .into_iter()
        .zip(samples)
        .zip(tokens)
        .filter(|((_, s), _)| s.is_read)
        .map(|((f, s), t)| (f, s, t))
        .collect();
    let mut out = Vec::new();
    for set in readings.sets() {
        let sources = data::read(data.join("train").join(format!("{set}.jsonl.zst")))?;
        out.extend(sources.into_iter().map(|p| (p.decoded().into_owned(), set, p.id)));
    }
    let html: std::collections::HashMap<(&str, &str), &str> =
        out.iter().map(|(html, set, id)| ((*set, id.as_str()), html.as_str())).collect();
    Ok(read
        .into_par_iter()
        .filter_map(|(fold, sample, tokens)| {
            let reading = readings.get(&sample.set, &sample.id)?;
            let dom =
                maintext_core::dom::parse(html.get(&(sample.set.as_str(), sample.id.as_str()))?, &Default::default());
            let own = scores.get(&sample.set, &sample.id).map(<[f32]>::to_vec);
            let choice = model.decide_with(&dom, &sample.blocks, own, None);
            let (words, roles) = roles(&sample.blocks, reading);
            let kin = Kin::new(&sample.blocks, &sample.tokens);
            Some(ReadPage { fold, kin, roles, words, choice, tokens, sample })
        })
        .collect())
}

/// Returns the words and the role of each block: the role of most of its words.
fn roles(blocks: &Blocks, reading: &PageReading) -> (Vec<u32>, Vec<Option<Role>>) {
    let pieces = reading.roles.iter().zip(reading.pieces.iter().map(|(_, text)| text.as_str()));
    read_words(blocks, pieces, Role::ALL)
        .into_iter()
        .map(|(words, counts)| {
            let most = Role::ALL.into_iter().zip(counts).rev().max_by_key(|c| c.1).map(|c| c.0);
            (words, if is_known(words, &counts) { most } else { None })
        })
        .unzip()
}

/// The columns of all blocks.
struct Material<'a> {
    pages: &'a [ReadPage],
    data: Binned,
    page: Vec<u32>,
    classes: Vec<usize>,
    weights: Vec<f32>,
}

impl<'a> Material<'a> {
    fn new(pages: &'a [ReadPage]) -> Material<'a> {
        let around: Vec<_> = pages.iter().map(|p| around(&p.sample.blocks, p.choice.scores())).collect();
        let own = pages.first().map_or(0, |p| p.sample.features.names().len());
        let tokens = pages.first().map_or(0, |p| p.tokens.names().len());
        let column = |c: usize| -> Vec<f32> {
            let of = |(p, around): (&'a ReadPage, &'_ [Vec<f32>])| match c {
                c if c < own => p.sample.features.column(c).to_vec(),
                c if c < own + tokens => p.tokens.column(c - own).to_vec(),
                c => around[c - own - tokens].clone(),
            };
            pages.iter().zip(&around).flat_map(|(p, a)| of((p, a))).collect()
        };
        let columns: Vec<Vec<f32>> = (0..columns().len()).map(column).collect();
        let mut m = Material { pages, data: Binned::new(&columns), page: vec![], classes: vec![], weights: vec![] };
        for (i, p) in pages.iter().enumerate() {
            let total: f32 = p.words.iter().map(|w| (*w as f32).sqrt()).sum::<f32>().max(1.0);
            for (role, words) in p.roles.iter().zip(&p.words) {
                m.page.push(i as u32);
                m.classes.push(role.map_or(0, |r| r as usize));
                m.weights.push(role.map_or(0.0, |_| PAGE_WEIGHT * (*words as f32).sqrt() / total));
            }
        }
        m
    }

    /// Trains without the pages of a fold ([`FOLDS`] for none). Returns the forests and the scores of all blocks by role.
    fn train(&self, held_out: usize, settings: &Settings) -> Vec<(Forest, Vec<f32>)> {
        let active: Vec<bool> = self.pages.iter().map(|p| p.fold != held_out).collect();
        train_classes(&self.data, &self.page, &active, &self.classes, &self.weights, ROLES, settings)
    }

    /// Returns the probabilities of the roles on the pages of a fold by a model that has not seen them, by page.
    fn fold(&self, fold: usize, settings: &Settings) -> Vec<(usize, Vec<Shares>)> {
        let trained = self.train(fold, settings);
        let mut start = 0;
        let mut out = Vec::new();
        for (i, p) in self.pages.iter().enumerate() {
            let end = start + p.words.len();
            if p.fold == fold {
                let scores = std::array::from_fn(|k| trained[k].1[start..end].to_vec());
                out.push((i, shares(&p.kin, scores)));
            }
            start = end;
        }
        out
    }
}

/// Returns the model trained on all pages, and for each page the probabilities of the roles by a model that has not seen its site.
pub fn train(pages: &[ReadPage], settings: &Settings, mut progress: impl FnMut(&str)) -> (Pack, Vec<Vec<Shares>>) {
    let material = Material::new(pages);
    let mut told = vec![Vec::new(); pages.len()];
    for fold in 0..FOLDS {
        material.fold(fold, settings).into_iter().for_each(|(i, shares)| told[i] = shares);
        progress(&format!("fold {fold} of {FOLDS}"));
    }
    let forests = material.train(FOLDS, settings).into_iter().map(|t| t.0).collect();
    let pack = Pack { kind: PURPOSE.into(), names: columns(), forests, tables: Vec::new(), numbers: Vec::new() };
    (pack, told)
}

/// The figures of one role.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Blocks that have it.
    pub blocks: u32,
    /// Blocks that the model gives it.
    pub told: u32,
    /// Blocks of both.
    pub right: u32,
    /// Sum of the probabilities of the blocks that the model gives it.
    pub probability: f32,
}

/// Compares the most probable roles with those read.
pub fn figures(pages: &[ReadPage], told: &[Vec<Shares>]) -> [Figures; ROLES] {
    let mut out = [Figures::default(); ROLES];
    for (p, told) in pages.iter().zip(told) {
        for (role, shares) in p.roles.iter().zip(told).filter_map(|(r, s)| Some((r.as_ref()?, s))) {
            let (best, probability) = Role::best(shares);
            let own = &mut out[best as usize];
            own.told += 1;
            own.right += u32::from(best == *role);
            own.probability += probability;
            out[*role as usize].blocks += 1;
        }
    }
    out
}

/// The share of the main words of a page that a choice keeps, and the share of its words that are main.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kept {
    /// Precision where optional words count on neither side.
    pub precision: f64,
    /// Recall.
    pub recall: f64,
    /// Share of the kept words that are optional.
    pub optional: f64,
}

/// Returns the mean figures of the pages under a preference, without and with the roles.
pub fn preference(pages: &[ReadPage], told: &[Vec<Shares>], favor: Favor) -> [Kept; 2] {
    [false, true].map(|by_role| {
        let mut sum = Kept::default();
        for (p, told) in pages.iter().zip(told) {
            let (mut main, mut found, mut wrong, mut optional) = (0u32, 0u32, 0u32, 0u32);
            for (i, role) in p.roles.iter().enumerate().filter_map(|(i, r)| Some((i, r.as_ref()?))) {
                let keep =
                    favor.keeps(p.choice.keeps(i), p.choice.scores()[i]) && (!by_role || Role::keeps(favor, &told[i]));
                let words = p.words[i];
                let kept = if keep { words } else { 0 };
                match role {
                    Role::Main | Role::Entry => (main, found) = (main + words, found + kept),
                    Role::Comment | Role::Boilerplate => wrong += kept,
                    _ => optional += kept,
                }
            }
            let share = |a: u32, b: u32| if b == 0 { 1.0 } else { f64::from(a) / f64::from(b) };
            sum.precision += share(found, found + wrong);
            sum.recall += share(found, main);
            sum.optional += if optional == 0 { 0.0 } else { share(optional, optional + found + wrong) };
        }
        let n = pages.len().max(1) as f64;
        Kept { precision: sum.precision / n, recall: sum.recall / n, optional: sum.optional / n }
    })
}
