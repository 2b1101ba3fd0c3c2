//! Annotated pages and their candidates.
use super::fit::{Candidate, Names};
use super::{Field, Folds, joins};
use crate::Error;
use crate::data::{self, Page};
use crate::score::fold;
use maintext_core::blocks::Blocks;
use maintext_core::metadata::{self, Settings};
use maintext_core::{Choice, Extractor, Options, View};
use maintext_learn::hash::stirred;
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;
use url::Url;

/// An annotated page.
pub struct Sample {
    /// Name of the set.
    pub set: String,
    /// Page id in its set.
    pub id: String,
    /// Hash of the site; its residues are the folds of a cross-validation.
    pub site: u64,
    /// The annotated language, or else the declared one.
    pub lang: Option<String>,
    truth: [Option<String>; 3],
    /// Fields that a person looked for in vain: their absence counts.
    silent: [bool; 3],
    url: Option<Url>,
    source: String,
    choice: Choice,
    /// The candidates of each field; candidates for authors and dates are only present after a cross-validation.
    pub(super) candidates: [Vec<Candidate>; 3],
}

impl Sample {
    fn new(set: &str, page: Page) -> Option<Sample> {
        let url = page.url.as_deref().and_then(|u| Url::parse(u).ok()).filter(Url::has_host);
        let source = page.decoded().into_owned();
        let mut extractor = Extractor::new(Options::default()).ok()?;
        let choice = extractor.analyze(&source, url.as_ref()).choice;
        let site = stirred(if page.site.is_empty() { &page.id } else { &page.site }, 0);
        Some(Sample {
            set: set.to_owned(),
            id: page.id,
            site,
            lang: page.lang,
            truth: [page.title, page.author, page.date],
            silent: [false; 3],
            url,
            source,
            choice,
            candidates: Default::default(),
        })
    }

    /// Returns the annotated value of a field, if there is one.
    pub fn truth(&self, field: Field) -> Option<&str> {
        self.truth[field as usize].as_deref().filter(|t| !t.trim().is_empty())
    }

    /// Returns whether a person has found that the page does not state a field.
    pub(super) fn is_silent(&self, field: Field) -> bool {
        self.silent[field as usize]
    }

    /// Calls `f` with the parsed page, the choice of its content and its address.
    pub(super) fn with_view<T>(&self, f: impl FnOnce(&View<'_>, &Choice, Option<&Url>) -> T) -> T {
        let dom = maintext_core::dom::parse(&self.source, &Default::default());
        let blocks = Blocks::new(&dom);
        let url = self.url.as_ref();
        let view = View { source: &self.source, dom: &dom, blocks: &blocks, url: url.map(Url::as_str) };
        f(&view, &self.choice, url)
    }

    fn found(&self, rankers: Option<&metadata::Rankers>) -> metadata::Candidates {
        self.with_view(|view, choice, base| metadata::candidates(view, choice, &Settings { base, rankers, now: None }))
    }
}

/// Name of the set of pages that only hand-made labels describe.
pub const LABELLED: &str = "labelled";

/// A line of `bench/labels/metadata.jsonl.zst`: the findings of a reader on a page.
#[derive(Deserialize)]
struct Label {
    set: String,
    id: String,
    /// Absent if the page was not checked for authors; empty if it names no person.
    authors: Option<Vec<String>>,
    /// Absent if the page was not checked for a date; `null` if it has no date of its own.
    #[serde(default, with = "looked")]
    date: Option<Option<String>>,
}

/// Tells an absent key from `null`.
mod looked {
    use serde::{Deserialize, Deserializer};
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Option<String>>, D::Error> {
        Option::<String>::deserialize(d).map(Some)
    }
}

impl Label {
    fn read(path: &Path) -> Result<Vec<Label>, Error> {
        let text = crate::data::read_text(path)?;
        text.lines()
            .enumerate()
            .map(|(i, line)| {
                serde_json::from_str(line).map_err(|e| Error::Line {
                    path: path.to_owned(),
                    line: i + 1,
                    message: e.to_string(),
                })
            })
            .collect()
    }

    /// Adds values that the page's own set lacks.
    fn apply(&self, page: &mut Sample) {
        let authors = self.authors.as_ref().map(|a| Some(a.join(", ")).filter(|a| !a.is_empty()));
        for (field, found) in [(Field::Author, authors), (Field::Date, self.date.clone())] {
            let i = field as usize;
            if page.truth[i].is_none()
                && let Some(value) = found
            {
                page.silent[i] = value.is_none();
                page.truth[i] = value;
            }
        }
    }
}

/// Pages of several sets, with the names of all candidate features.
#[derive(Default)]
pub struct Samples {
    /// In the order of the sets.
    pub pages: Vec<Sample>,
    pub(super) names: [Names; 3],
}

impl Samples {
    /// Reads sets and selects the content of each page.
    ///
    /// # Errors
    /// A set cannot be read.
    pub fn load(paths: &[impl AsRef<Path>], progress: impl Fn(&str)) -> Result<Samples, Error> {
        let mut samples = Samples::default();
        for path in paths {
            let set = data::set_name(path.as_ref());
            let pages = data::read(path)?;
            let pages: Vec<Option<Sample>> = pages.into_par_iter().map(|p| Sample::new(&set, p)).collect();
            samples.pages.extend(pages.into_iter().flatten());
            progress(&format!("{set} read, {} pages in all", samples.pages.len()));
        }
        Ok(samples)
    }

    /// Adds authors and dates that were labelled by hand: to loaded pages whose set does not state them, and from the labelled pages of
    /// other sets in `folder`, as the set [`LABELLED`].
    ///
    /// # Errors
    /// The labels or a set cannot be read.
    pub fn label(&mut self, labels: &Path, folder: &Path, progress: impl Fn(&str)) -> Result<(), Error> {
        let labels = Label::read(labels)?;
        let known: BTreeSet<String> = self.pages.iter().map(|p| p.set.clone()).collect();
        let wanted: BTreeSet<&str> = labels.iter().map(|l| l.set.as_str()).collect();
        for page in &mut self.pages {
            if let Some(l) = labels.iter().find(|l| l.set == page.set && l.id == page.id) {
                l.apply(page);
            }
        }
        for set in wanted.into_iter().filter(|s| !known.contains(*s)) {
            let pages = data::read(folder.join(format!("{set}.jsonl.zst")))?;
            let found: Vec<Option<Sample>> = pages
                .into_par_iter()
                .map(|p| {
                    let label = labels.iter().find(|l| l.set == set && l.id == p.id)?;
                    let mut sample = Sample::new(LABELLED, Page { title: None, author: None, date: None, ..p })?;
                    label.apply(&mut sample);
                    Some(sample)
                })
                .collect();
            self.pages.extend(found.into_iter().flatten());
        }
        progress(&format!("labels read, {} pages in all", self.pages.len()));
        Ok(())
    }

    /// Collects the candidates for titles.
    pub(super) fn collect_titles(&mut self) {
        let none = metadata::Rankers::default();
        let found: Vec<_> = self.pages.par_iter().map(|s| s.found(Some(&none)).title).collect();
        self.names = Default::default();
        self.keep(Field::Title, found);
    }

    /// Collects the candidates for authors and dates, with the headings chosen in the page's fold of the cross-validation.
    pub(super) fn collect_rest(&mut self, folds: &Folds) {
        let found: Vec<_> = self.pages.par_iter().map(|s| s.found(Some(folds.of(s)))).collect();
        let (authors, dates) = found.into_iter().map(|f| (f.author, f.date)).unzip();
        self.keep(Field::Author, authors);
        self.keep(Field::Date, dates);
    }

    fn keep(&mut self, field: Field, found: Vec<Vec<metadata::Candidate>>) {
        let names = &mut self.names[field as usize];
        for (sample, mut found) in self.pages.iter_mut().zip(found) {
            // Sorts them, because their order comes from the scores of some ranker and must not affect training.
            found.sort_by(|a, b| a.value.cmp(&b.value));
            let values: Vec<&str> = found.iter().map(|c| c.value.as_str()).collect();
            let right = right(field, sample.truth[field as usize].as_deref().unwrap_or(""), &values);
            sample.candidates[field as usize] = found
                .iter()
                .zip(right)
                .map(|(c, right)| {
                    let features = c.features.iter().map(|(n, v, _)| (names.id(n, sample.site), *v)).collect();
                    Candidate { features, right }
                })
                .collect();
        }
    }
}

/// Returns which candidates are right.
fn right(field: Field, truth: &str, values: &[&str]) -> Vec<bool> {
    let t = fold(truth);
    if t.is_empty() {
        return vec![false; values.len()];
    }
    if field == Field::Date {
        return values.iter().map(|v| v.get(..10) == truth.get(..10)).collect();
    }
    // "Jane Doe and John Roe" names the same persons as "Jane Doe, John Roe".
    let same = |v: &str| {
        let words = fold(v);
        let kept = words.split(' ').filter(|w| field == Field::Title || !joins(w));
        kept.collect::<Vec<_>>().join(" ")
    };
    let persons = same(truth);
    let exact: Vec<bool> = values.iter().map(|v| same(v) == persons).collect();
    if field == Field::Title || exact.contains(&true) {
        return exact;
    }
    // For authors, the candidate that shares most with the truth, if one contains the other.
    let fit = |v: &&str| {
        let v = fold(v);
        let holds = !v.is_empty() && (v.contains(&t) || t.contains(&v));
        if holds { 1000 * v.len().min(t.len()) / v.len().max(t.len()) } else { 0 }
    };
    let best = values.iter().map(fit).max().unwrap_or(0);
    values.iter().map(|v| best > 0 && fit(v) == best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_authors_are_right_with_any_separator() {
        let values = ["Jane Doe", "Jane Doe, John Roe", "The Paper"];
        assert_eq!(right(Field::Author, "Jane Doe and John Roe", &values), [false, true, false]);
        assert_eq!(right(Field::Author, "Dr. Jane Doe", &values), [true, false, false]);
        assert_eq!(right(Field::Title, "jane doe!", &values), [true, false, false]);
        assert_eq!(right(Field::Date, "2024-05-17", &["2024-05-17T10:00Z", "2024-05-18"]), [true, false]);
    }
}
