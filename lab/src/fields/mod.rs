//! Trains and measures the rankers of title, author and publication date.
//!
//! The model of a field is a conditional logit: one of a page's candidates, or "the page does not say", is true. Scores are linear in
//! the features and corrected by gradient-boosted trees over the best candidates ([`fit`]). The title is ranked first, because the features
//! of authors and dates depend on the position of its heading. In training, this heading is chosen by a model that has not seen the
//! page's site.
pub mod fit;
pub mod measure;
mod samples;

pub use samples::{LABELLED, Sample, Samples};

use fit::{Case, Fitted, Names};
use maintext_core::metadata::{self, Rankers};
use rayon::prelude::*;

/// The training sets of the shipped rankers.
pub const SETS: [&str; 12] = [
    "wcxb-dev",
    "fundus",
    "misinfo-crawler",
    "postlight-fixtures",
    "mercury-fork-fixtures",
    "recipe-scrapers",
    "htmldate-default",
    "trafilatura-eval",
    "newspaper4k",
    "mediacloud-metadata",
    "naeb-newspaper4k",
    "goose3-fixtures",
];
/// Sets whose annotators looked for every field: a missing author or date means that the page has none.
const COMPLETE_SETS: [&str; 2] = ["wcxb-dev", "misinfo-crawler"];
/// Sets whose dates are not learned: on a seventh of the pages of naeb-newspaper4k, the year or the day contradicts every statement of the
/// page (2023 for articles of 2018 to 2022); goose3-fixtures has few dates, and most of its pages are cut down to a line.
const WRONG_DATES: [&str; 2] = ["naeb-newspaper4k", "goose3-fixtures"];
/// Sets whose authors are not learned: newspaper4k's own tool printed them, and they include authors of teasers and other words.
const WRONG_AUTHORS: [&str; 1] = ["newspaper4k"];
/// Weight of a page whose truth has no author or no date; below 1, because annotators overlook some.
const SILENT: f32 = 0.6;
/// Number of folds in the cross-validation of the shipped rankers.
pub const FOLDS: u64 = 5;

/// Whether a word joins two names of a list.
fn joins(word: &str) -> bool {
    matches!(word, "and" | "und" | "et" | "y" | "e" | "i" | "и" | "og" | "och" | "en")
}

/// A field chosen by a ranker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The page's own heading.
    Title,
    /// The authors.
    Author,
    /// The publication date.
    Date,
}

impl Field {
    /// All fields, in the order of choice.
    pub const ALL: [Field; 3] = [Field::Title, Field::Author, Field::Date];
    /// Returns the key in data sets and results.
    pub fn name(self) -> &'static str {
        ["title", "author", "date"][self as usize]
    }
}

/// The rankers of a cross-validation, one per fold, each trained without the pages of its fold.
pub struct Folds {
    rankers: Vec<Rankers>,
}

impl Folds {
    /// Returns the rankers that have not seen the page's site.
    pub fn of(&self, page: &Sample) -> &Rankers {
        &self.rankers[(page.site % self.rankers.len() as u64) as usize]
    }
}

/// Trains on all folds except one, for each fold. Leaves the candidates of authors and dates in `samples`, computed with the heading chosen
/// by the fold's title ranker.
pub fn cross_validate(samples: &mut Samples, folds: u64, seed: u64, progress: impl Fn(&str)) -> Folds {
    samples.collect_titles();
    let titles: Vec<_> =
        (0..folds).into_par_iter().map(|part| train(samples, Field::Title, Some((part, folds)), seed)).collect();
    progress("titles cross-validated");
    let title_only: Vec<Rankers> = titles
        .iter()
        .map(|t| Rankers::new(t.model(&samples.names[0]), Default::default(), Default::default()))
        .collect();
    samples.collect_rest(&Folds { rankers: title_only });
    progress("candidates of authors and dates collected");
    let rest: Vec<_> = (0..2 * folds)
        .into_par_iter()
        .map(|i| {
            let field = if i < folds { Field::Author } else { Field::Date };
            train(samples, field, Some((i % folds, folds)), seed).model(&samples.names[field as usize])
        })
        .collect();
    progress("authors and dates cross-validated");
    Folds {
        rankers: (0..folds as usize)
            .map(|part| {
                let title = titles[part].model(&samples.names[0]);
                Rankers::new(title, rest[part].clone(), rest[part + folds as usize].clone())
            })
            .collect(),
    }
}

/// Trains on all pages. Call [`cross_validate`] first, which collects the candidates.
pub fn train_all(samples: &Samples, seed: u64) -> Rankers {
    let models: Vec<_> =
        Field::ALL.par_iter().map(|&f| train(samples, f, None, seed).model(&samples.names[f as usize])).collect();
    match <[_; 3]>::try_from(models) {
        Ok([title, author, date]) => Rankers::new(title, author, date),
        Err(_) => unreachable!("a model for each field"),
    }
}

/// Returns the shipped rankers, with the ranker of one field replaced.
pub fn replaced(field: Field, new: Rankers) -> Rankers {
    let shipped = Rankers::shipped().clone();
    match field {
        Field::Title => Rankers { title: new.title, ..shipped },
        Field::Author => Rankers { author: new.author, ..shipped },
        Field::Date => Rankers { date: new.date, ..shipped },
    }
}

fn train(samples: &Samples, field: Field, held_out: Option<(u64, u64)>, seed: u64) -> Fitted {
    let cases: Vec<Case> = samples
        .pages
        .iter()
        .filter(|s| held_out.is_none_or(|(part, of)| s.site % of != part))
        .filter_map(|s| case(s, field))
        .collect();
    let names: &Names = &samples.names[field as usize];
    fit::fit(&cases, names, field != Field::Title, held_out.map_or(FOLDS, |h| h.1), seed)
}

/// Converts a page to a training case. Returns `None` if its set does not annotate the field.
fn case(sample: &Sample, field: Field) -> Option<Case<'_>> {
    let wrong: &[&str] = match field {
        Field::Title => &[],
        Field::Author => &WRONG_AUTHORS,
        Field::Date => &WRONG_DATES,
    };
    if wrong.contains(&sample.set.as_str()) {
        return None;
    }
    let stated = sample.truth(field).is_some_and(|t| !t.is_empty());
    let complete = field != Field::Title && COMPLETE_SETS.contains(&sample.set.as_str()) || sample.is_silent(field);
    let weight = if stated {
        1.0
    } else if complete {
        SILENT
    } else {
        return None;
    };
    let candidates = &sample.candidates[field as usize];
    // A page whose true value is not a candidate cannot be used.
    (!stated || candidates.iter().any(|c| c.right)).then_some(Case { site: sample.site, weight, candidates })
}

/// Returns the metadata of a page as chosen by rankers, with the same code as in every extraction.
pub fn extract(sample: &Sample, rankers: &Rankers) -> metadata::Metadata {
    sample.with_view(|view, choice, base| {
        let settings = metadata::Settings { base, rankers: Some(rankers), ..Default::default() };
        metadata::extract(view, choice, &settings)
    })
}
