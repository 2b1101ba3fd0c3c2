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

/// The texts that a system gives for the pages of a set, by the id of the page.
pub type Answers = HashMap<String, Prediction>;

#[derive(Deserialize)]
struct Line {
    id: String,
    text: Option<String>,
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
        out.insert(l.id, Prediction { text: l.text.unwrap_or_default(), ..Prediction::default() });
    }
    Ok(out)
}

/// Runs maintext on one page after another.
pub fn ours_live(mut extractor: Extractor, pages: &[Page]) -> Answers {
    let mut out = Answers::default();
    for page in pages {
        let url = page.url.as_deref().and_then(|u| url::Url::parse(u).ok()).filter(url::Url::has_host);
        let said = match extractor.extract_at(page.html.as_slice(), url.as_ref().map(|u| u.as_str()), None) {
            Ok(page) => page.into(),
            Err(_) => Prediction::default(),
        };
        out.insert(page.id.clone(), said);
    }
    out
}

/// Scores over the pages of a row.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pages: usize,
    texts: usize,
    text: Prf,
    with: Tally,
    without: Tally,
}

impl Figures {
    fn add(&mut self, s: &PageScore) {
        self.pages += 1;
        if let Some(t) = s.text {
            self.texts += 1;
            self.text.precision += t.precision;
            self.text.recall += t.recall;
            self.text.f1 += t.f1;
        }
        self.with += s.with;
        self.without += s.without;
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
        let answer = said.get(&page.id);
        silent += answer.is_none() as usize;
        let s = score(page, answer);
        rows.entry((0, whole.clone())).or_default().add(&s);
        if let Some(part) = (set.part)(page) {
            rows.entry((1, format!("{whole}: {part}"))).or_default().add(&s);
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
            out.insert(id.to_string(), Prediction { text: text.to_string(), ..Prediction::default() });
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
    }

    #[test]
    fn a_page_without_output_scores_zero_for_an_empty_truth() {
        assert_eq!(score(&page("1", "en", ""), Some(&Prediction::default())).text.unwrap().f1, 1.0);
        assert_eq!(score(&page("1", "en", ""), None).text.unwrap().f1, 0.0);
    }
}
