//! Measures extracted titles, authors and dates.
use super::{Field, Folds, Sample, Samples, joins};
use crate::Error;
use crate::score::{Tally, fold};
use maintext_core::metadata::{Metadata, Rankers};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Scores on the pages of a set, or on its pages in one language. A rate is absent if no page has ground truth.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the set.
    pub set: String,
    /// The system measured.
    pub system: String,
    /// The language, `None` for the whole set.
    pub language: Option<String>,
    /// Number of pages.
    pub pages: usize,
    /// Titles that agree in all words.
    pub title: Tally,
    /// Authors that agree, or of which one contains the other, as in the project's scoring script.
    pub author: Tally,
    /// Author lists that share at least one name with the truth.
    pub author_any: Tally,
    /// Author lists with the same names, in any order.
    pub author_set: Tally,
    /// Dates with the same day.
    pub date: Tally,
    /// Pages without an author in the truth that got one.
    pub author_invented: Tally,
    /// Pages without a date in the truth that got one.
    pub date_invented: Tally,
}

/// Formats a rate in percent, or as `-`.
pub fn percent(rate: &Tally) -> String {
    rate.rate().map_or_else(|| "-".into(), |r| format!("{:.1}", 100.0 * r))
}

/// The output of a system for a page.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Title.
    pub title: Option<String>,
    /// Authors.
    pub authors: Vec<String>,
    /// Publication date, ISO 8601.
    pub date: Option<String>,
    /// The source in the page from which each field was taken.
    pub sources: BTreeMap<&'static str, String>,
}

impl From<Metadata> for Answer {
    fn from(m: Metadata) -> Answer {
        Answer { title: m.title, authors: m.authors, date: m.date, sources: m.sources }
    }
}

/// Splits a line of authors into names, at commas, semicolons, bars and "and".
pub fn split_authors(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for word in line.replace([',', ';', '|', '&', '、', '，', '\n'], " , ").split_whitespace() {
        if word == "," || joins(&word.to_lowercase()) {
            out.push(String::new());
        } else if let Some(last) = out.last_mut() {
            last.push(' ');
            last.push_str(word);
        }
    }
    out.into_iter().map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect()
}

fn names(list: &[String]) -> BTreeSet<String> {
    list.iter().flat_map(|l| split_authors(l)).map(|n| fold(&n)).filter(|n| !n.is_empty()).collect()
}

impl Row {
    fn new(set: &str, system: &str, language: Option<&str>) -> Row {
        let none = Tally::default();
        Row {
            set: set.to_owned(),
            system: system.to_owned(),
            language: language.map(str::to_owned),
            pages: 0,
            title: none,
            author: none,
            author_any: none,
            author_set: none,
            date: none,
            author_invented: none,
            date_invented: none,
        }
    }

    fn add(&mut self, page: &Sample, said: &Answer) {
        self.pages += 1;
        if let Some(t) = page.truth(Field::Title) {
            self.title.add(said.title.as_deref().is_some_and(|s| fold(s) == fold(t)));
        }
        let line = said.authors.join(", ");
        match page.truth(Field::Author) {
            Some(t) => {
                let (truth, given) = (fold(t), fold(&line));
                let holds = !given.is_empty() && (truth.contains(&given) || given.contains(&truth));
                self.author.add(holds);
                let (truth, given) = (names(&[t.to_owned()]), names(&said.authors));
                self.author_any.add(!truth.is_disjoint(&given));
                self.author_set.add(truth == given);
            }
            None => self.author_invented.add(!said.authors.is_empty()),
        }
        match page.truth(Field::Date) {
            Some(t) => self.date.add(said.date.as_deref().is_some_and(|s| s.get(..10) == t.get(..10))),
            None => self.date_invented.add(said.date.is_some()),
        }
    }
}

/// The rankers to measure with.
pub enum Choice<'a> {
    /// The same rankers on every page.
    One(&'a Rankers),
    /// For each page, the rankers that have not seen its site.
    HeldOut(&'a Folds),
}

/// Extracts the metadata of every page.
pub fn answers(samples: &Samples, choice: &Choice<'_>) -> Vec<Answer> {
    samples
        .pages
        .par_iter()
        .map(|s| match choice {
            Choice::One(r) => super::extract(s, r).into(),
            Choice::HeldOut(folds) => super::extract(s, folds.of(s)).into(),
        })
        .collect()
}

/// Reads the output of another system from JSONL with `id`, `title`, `author` (names joined by commas) and `date`; returns it in the order
/// of the pages. A missing page has an empty answer.
///
/// # Errors
/// The file cannot be read, or a line is not valid JSON.
pub fn read_answers(path: &Path, samples: &Samples, set: &str) -> Result<Vec<Answer>, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    let mut by_id: HashMap<String, Answer> = HashMap::new();
    for (i, line) in text.lines().enumerate() {
        let line: Said = serde_json::from_str(line).map_err(|e| Error::Line {
            path: path.to_owned(),
            line: i + 1,
            message: e.to_string(),
        })?;
        let authors = line.author.filter(|a| !a.trim().is_empty()).into_iter().collect();
        by_id.insert(line.id, Answer { title: line.title, authors, date: line.date, sources: BTreeMap::new() });
    }
    let of_set = samples.pages.iter().filter(|p| p.set == set);
    Ok(of_set.map(|p| by_id.remove(&p.id).unwrap_or_default()).collect())
}

#[derive(Deserialize)]
struct Said {
    id: String,
    title: Option<String>,
    author: Option<String>,
    date: Option<String>,
}

/// Returns a row for each set, followed by rows for its languages in alphabetical order if there are several.
pub fn rows<'a>(pages: impl IntoIterator<Item = &'a Sample>, system: &str, answers: &[Answer]) -> Vec<Row> {
    let mut sets: Vec<(Row, BTreeMap<String, Row>)> = Vec::new();
    for (page, said) in pages.into_iter().zip(answers) {
        if sets.last().is_none_or(|s| s.0.set != page.set) {
            sets.push((Row::new(&page.set, system, None), BTreeMap::new()));
        }
        let Some((all, by_language)) = sets.last_mut() else { continue };
        all.add(page, said);
        let language = page.lang.as_deref().unwrap_or("unknown");
        let language = language.split(['-', '_']).next().unwrap_or(language).to_lowercase();
        by_language
            .entry(language.clone())
            .or_insert_with(|| Row::new(&page.set, system, Some(&language)))
            .add(page, said);
    }
    sets.into_iter()
        .flat_map(|(all, languages)| {
            std::iter::once(all).chain(if languages.len() > 1 { languages.into_values().collect() } else { Vec::new() })
        })
        .collect()
}

const HEAD: [&str; 10] = ["set", "system", "pages", "title", "author", "any", "same", "date", "author-", "date-"];

fn cells(r: &Row, fields: &[Field]) -> Vec<String> {
    let shown = |f: Field, rate: &Tally| if fields.contains(&f) { percent(rate) } else { "-".into() };
    let name = r.language.as_ref().map_or_else(|| r.system.clone(), |l| format!("  {l}"));
    vec![
        r.set.clone(),
        name,
        r.pages.to_string(),
        shown(Field::Title, &r.title),
        shown(Field::Author, &r.author),
        shown(Field::Author, &r.author_any),
        shown(Field::Author, &r.author_set),
        shown(Field::Date, &r.date),
        shown(Field::Author, &r.author_invented),
        shown(Field::Date, &r.date_invented),
    ]
}

/// Formats the rows as columns for the terminal.
pub fn table(rows: &[Row], fields: &[Field], languages: bool) -> String {
    let mut out = String::new();
    let mut line = |c: &[String]| {
        out.push_str(&format!("{:22} {:26}", c[0], c[1]));
        c[2..].iter().for_each(|c| out.push_str(&format!(" {c:>7}")));
        out.push('\n');
    };
    line(&HEAD.map(str::to_owned));
    rows.iter().filter(|r| languages || r.language.is_none()).for_each(|r| line(&cells(r, fields)));
    out
}

/// Formats the rows as a Markdown table.
pub fn markdown(rows: &[Row], fields: &[Field], languages: bool) -> String {
    let line = |c: &[String]| format!("| {} |\n", c.join(" | "));
    let mut out = line(&HEAD.map(str::to_owned));
    out.push_str("| --- | --- |");
    out.push_str(&" ---: |".repeat(HEAD.len() - 2));
    out.push('\n');
    for r in rows.iter().filter(|r| languages || r.language.is_none()) {
        out.push_str(&line(&cells(r, fields)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn author_lists_are_split_into_names() {
        assert_eq!(split_authors("Jane Doe and John Roe; A. N. Other"), ["Jane Doe", "John Roe", "A. N. Other"]);
        assert_eq!(names(&["Jane Doe".into(), "JOHN ROE".into()]), names(&["John Roe & Jane Doe".into()]));
        assert_eq!(percent(&Tally { hits: 1, of: 3 }), "33.3");
        assert_eq!(percent(&Tally::default()), "-");
    }
}
