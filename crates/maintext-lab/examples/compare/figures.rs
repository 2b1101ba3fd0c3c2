//! Reads the output of systems and scores it.
use crate::sets::{Set, Variant};
use maintext_core::Extractor;
use maintext_lab::Error;
use maintext_lab::data::Page;
use maintext_lab::score::{self, PageScore, Prediction, Prf, Tally, Tokens};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

#[path = "../../../maintext-html/tests/it/support/clock.rs"]
mod clock;
use clock::Clock;

/// The output of a system for the pages of a set.
#[derive(Debug, Default)]
pub struct Answers {
    /// By page, with the processor time in seconds.
    pages: HashMap<String, (Prediction, f64)>,
    /// Whether any output has a title, an author, a date. A system without a field is not scored on it.
    tells: [bool; 3],
}

impl Answers {
    fn insert(&mut self, id: String, said: Prediction, seconds: f64) {
        for (tells, field) in self.tells.iter_mut().zip([&said.title, &said.author, &said.date]) {
            *tells |= field.as_ref().is_some_and(|f| !f.is_empty());
        }
        self.pages.insert(id, (said, seconds));
    }
}

#[derive(Deserialize)]
struct Line {
    id: String,
    text: Option<String>,
    title: Option<String>,
    author: Option<String>,
    date: Option<String>,
    #[serde(default)]
    cpu: f64,
}

/// Reads a file of outputs.
pub fn predictions(path: &Path) -> Result<Answers, Error> {
    let file = File::open(path).map_err(|e| Error::file(path, e))?;
    let mut out = Answers::default();
    for (i, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|cause| Error::File { path: path.to_owned(), line: Some(i + 1), cause })?;
        let l: Line = serde_json::from_str(&line).map_err(|e| Error::Line {
            path: path.to_owned(),
            line: i + 1,
            message: e.to_string(),
        })?;
        let said = Prediction { text: l.text.unwrap_or_default(), title: l.title, author: l.author, date: l.date };
        out.insert(l.id, said, l.cpu);
    }
    Ok(out)
}

/// Runs maintext on one page after another on this thread, so that the times are comparable.
pub fn ours_live(mut extractor: Extractor, pages: &[Page]) -> Answers {
    let mut out = Answers::default();
    for page in pages {
        let url = page.url.as_deref().and_then(|u| url::Url::parse(u).ok()).filter(url::Url::has_host);
        let clock = Clock::start();
        let said = match extractor.extract_at(page.html.as_slice(), url.as_ref().map(|u| u.as_str()), None) {
            Ok(page) => page.into(),
            Err(_) => Prediction::default(),
        };
        out.insert(page.id.clone(), said, clock.seconds());
    }
    out
}

/// Scores over the pages of a row.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pages: usize,
    seconds: f64,
    texts: usize,
    text: Prf,
    with: Tally,
    without: Tally,
    title: Tally,
    author: Tally,
    date: Tally,
}

impl Figures {
    fn add(&mut self, s: &PageScore, seconds: f64) {
        self.pages += 1;
        self.seconds += seconds;
        if let Some(t) = s.text {
            self.texts += 1;
            self.text.precision += t.precision;
            self.text.recall += t.recall;
            self.text.f1 += t.f1;
        }
        self.with += s.with;
        self.without += s.without;
        for (tally, right) in [(&mut self.title, s.title), (&mut self.author, s.author), (&mut self.date, s.date)] {
            right.into_iter().for_each(|r| tally.add(r));
        }
    }

    /// Number of pages.
    pub fn pages(&self) -> usize {
        self.pages
    }
    fn mean(&self, sum: f64) -> Option<f64> {
        (self.texts > 0).then(|| sum / self.texts as f64)
    }
    /// Mean word F1 of the pages.
    pub fn f1(&self) -> Option<f64> {
        self.mean(self.text.f1)
    }
    /// Mean precision.
    pub fn precision(&self) -> Option<f64> {
        self.mean(self.text.precision)
    }
    /// Mean recall.
    pub fn recall(&self) -> Option<f64> {
        self.mean(self.text.recall)
    }
    /// Share of the required snippets found.
    pub fn found(&self) -> Option<f64> {
        self.with.rate()
    }
    /// Share of the forbidden snippets kept.
    pub fn wrongly_kept(&self) -> Option<f64> {
        self.without.rate()
    }
    /// Share of correct titles.
    pub fn title(&self) -> Option<f64> {
        // Never correct means not extracted: outputs of cross-validation have no metadata.
        self.title.rate().filter(|_| self.title.hits > 0)
    }
    /// Share of correct authors.
    pub fn author(&self) -> Option<f64> {
        // Never correct means not extracted: outputs of cross-validation have no metadata.
        self.author.rate().filter(|_| self.author.hits > 0)
    }
    /// Share of correct dates.
    pub fn date(&self) -> Option<f64> {
        // Never correct means not extracted: outputs of cross-validation have no metadata.
        self.date.rate().filter(|_| self.date.hits > 0)
    }
    /// Pages per second of processor time, if times were recorded.
    pub fn speed(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.pages as f64 / self.seconds)
    }
}

/// Chinese and Japanese are written without spaces, so each character counts as a word.
fn tokens(page: &Page) -> Tokens {
    match page.lang.as_deref() {
        Some("zh" | "ja") => Tokens::Cjk,
        _ => Tokens::Words,
    }
}

/// Scores a page. A missing output scores 0, even if the truth is an empty text.
fn score(page: &Page, said: Option<&Prediction>) -> PageScore {
    match said {
        Some(said) => score::page(page, said, tokens(page)),
        None => {
            let empty = score::page(page, &Prediction::default(), tokens(page));
            PageScore { text: empty.text.map(|_| Prf::default()), ..empty }
        }
    }
}

/// Returns the rows of a set by position and name: first the whole set, then its parts.
pub fn measure(set: &Set, run: &Variant, pages: &[Page], said: &Answers) -> BTreeMap<(usize, String), Figures> {
    let mut rows: BTreeMap<(usize, String), Figures> = BTreeMap::new();
    let whole = format!("{}{}", set.name, run.label);
    let mut silent = 0;
    for page in pages {
        let answer = said.pages.get(&page.id);
        silent += answer.is_none() as usize;
        let mut s = score(page, answer.map(|(said, _)| said));
        for (right, tells) in [&mut s.title, &mut s.author, &mut s.date].into_iter().zip(said.tells) {
            *right = right.filter(|_| tells);
        }
        let seconds = answer.map_or(0.0, |(_, seconds)| *seconds);
        rows.entry((0, whole.clone())).or_default().add(&s, seconds);
        if let Some(part) = (set.part)(page) {
            rows.entry((1, format!("{whole}: {part}"))).or_default().add(&s, seconds);
        }
    }
    if silent > 0 {
        eprintln!("{whole}: no answer for {silent} of {} pages", pages.len());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::SETS;

    fn page(id: &str, lang: &str, text: &str) -> Page {
        Page { id: id.into(), lang: Some(lang.into()), text: Some(text.into()), ..Page::default() }
    }

    fn answers(texts: &[(&str, &str)]) -> Answers {
        let mut out = Answers::default();
        for (id, text) in texts {
            out.insert(id.to_string(), Prediction { text: text.to_string(), ..Prediction::default() }, 0.5);
        }
        out
    }

    #[test]
    fn chinese_is_scored_by_character_and_parts_have_rows() {
        let set = SETS.iter().find(|s| s.name == "daniel-multiling").unwrap();
        let pages = [page("1", "zh", "中文"), page("2", "en", "one two")];
        let answers = answers(&[("1", "中外"), ("2", "one")]);
        let rows = measure(set, &set.runs[0], &pages, &answers);
        let f1 = |place, name: &str| rows[&(place, name.to_owned())].f1().unwrap();
        // One of two characters; one word of two: 2 * 1 / (1 + 2).
        assert_eq!(f1(1, "daniel-multiling: zh"), 0.5);
        assert!((f1(1, "daniel-multiling: en") - 2.0 / 3.0).abs() < 1e-12);
        assert!((f1(0, "daniel-multiling") - 7.0 / 12.0).abs() < 1e-12);
        assert_eq!(rows[&(0, "daniel-multiling".to_owned())].speed(), Some(2.0));
    }

    #[test]
    fn fields_that_a_system_never_extracts_are_not_scored() {
        let set = &SETS[0];
        let pages = [Page { title: Some("t".into()), ..page("1", "en", "one") }];
        let mut said = answers(&[("1", "one")]);
        let title = |said: &Answers| measure(set, &set.runs[0], &pages, said)[&(0, set.name.to_owned())].title();
        assert_eq!(title(&said), None);
        said.insert("1".into(), Prediction { title: Some("T".into()), ..Prediction::default() }, 0.0);
        assert_eq!(title(&said), Some(1.0));
    }

    #[test]
    fn a_page_without_output_scores_zero_for_an_empty_truth() {
        assert_eq!(score(&page("1", "en", ""), Some(&Prediction::default())).text.unwrap().f1, 1.0);
        assert_eq!(score(&page("1", "en", ""), None).text.unwrap().f1, 0.0);
    }
}
