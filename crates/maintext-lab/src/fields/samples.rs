//! Annotated pages and their candidates.
use super::fit::{Candidate, Names};
use super::{Field, Folds};
use crate::data::{self, Page};
use crate::error::Error;
use maintext_core::blocks::Blocks;
use maintext_core::metadata::{self, Settings};
use maintext_core::{Extractor, Options, View};
use maintext_learn::hash::stirred;
use rayon::prelude::*;
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
    url: Option<Url>,
    source: String,
    kept: Vec<bool>,
    /// The candidates of each field; those of authors and dates are only present after a cross-validation.
    pub(super) candidates: [Vec<Candidate>; 3],
}

impl Sample {
    fn new(set: &str, page: Page) -> Option<Sample> {
        let url = page.url.as_deref().and_then(|u| Url::parse(u).ok()).filter(Url::has_host);
        let source = page.decoded().into_owned();
        let mut extractor = Extractor::new(Options::default()).ok()?;
        let kept = extractor.analyze(&source, url.as_ref()).verdicts.iter().map(|v| v.keep).collect();
        let site = stirred(if page.site.is_empty() { &page.id } else { &page.site }, 0);
        Some(Sample {
            set: set.to_owned(),
            id: page.id,
            site,
            lang: page.lang,
            truth: [page.title, page.author, page.date],
            url,
            source,
            kept,
            candidates: Default::default(),
        })
    }

    /// Returns the annotated value of a field, if there is one.
    pub fn truth(&self, field: Field) -> Option<&str> {
        self.truth[field as usize].as_deref().filter(|t| !t.trim().is_empty())
    }

    /// Calls `f` with the parsed page, its kept blocks and its address.
    pub(super) fn with_view<T>(&self, f: impl FnOnce(&View<'_>, &[bool], Option<&Url>) -> T) -> T {
        let dom = maintext_core::dom::parse(&self.source, &Default::default());
        let blocks = Blocks::new(&dom);
        let url = self.url.as_ref();
        let view = View { source: &self.source, dom: &dom, blocks: &blocks, url: url.map(Url::as_str) };
        f(&view, &self.kept, url)
    }

    fn found(&self, rankers: Option<&metadata::Rankers>) -> metadata::Candidates {
        self.with_view(|view, kept, base| metadata::candidates(view, kept, &Settings { base, rankers, now: None }))
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
            let candidate = |(c, right): (&metadata::Candidate, bool)| {
                let features = c.features.iter().map(|(n, v, _)| (names.id(n, sample.site), *v)).collect();
                Candidate { features, right }
            };
            sample.candidates[field as usize] = found.iter().zip(right).map(candidate).collect();
        }
    }
}

/// Returns which candidates are right.
fn right(field: Field, truth: &str, values: &[&str]) -> Vec<bool> {
    let t = super::measure::words(truth);
    if t.is_empty() {
        return vec![false; values.len()];
    }
    if field == Field::Date {
        return values.iter().map(|v| v.get(..10) == truth.get(..10)).collect();
    }
    // "Jane Doe and John Roe" names the same persons as "Jane Doe, John Roe".
    let same = |v: &str| {
        let words = super::measure::words(v);
        let kept = words.split(' ').filter(|w| field == Field::Title || !super::measure::joins(w));
        kept.collect::<Vec<_>>().join(" ")
    };
    let persons = same(truth);
    let exact: Vec<bool> = values.iter().map(|v| same(v) == persons).collect();
    if field == Field::Title || exact.contains(&true) {
        return exact;
    }
    // For authors, the candidate that shares most with the truth, if one contains the other.
    let fit = |v: &&str| {
        let v = super::measure::words(v);
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
