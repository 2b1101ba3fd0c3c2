//! Evaluates methods on sets: means over pages, in total and by page type.
use crate::Error;
use crate::data::{self, Page, Reader};
use crate::score::{self, PageScore, Prediction, Prf, Tally, Tokens};
use maintext_core::blocks::Blocks;
use maintext_core::classic::fdr;
use maintext_core::method::Method;
use maintext_core::{Extractor, Options};
use maintext_learn::lines::LineErrors;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Number of pages in memory at a time.
const CHUNK: usize = 64;

/// Chooses the method for a page: always the same one, or in cross-validation the one that has not seen the page's site.
type Choose = Box<dyn Fn(&Page) -> Arc<dyn Method> + Send + Sync>;

/// A method to measure, with its settings.
pub struct Candidate {
    /// Its name in the report.
    pub name: String,
    options: Options,
    choose: Choose,
    levels: Vec<f32>,
}

impl Candidate {
    /// Creates a candidate from a method and its settings. The page's own address replaces [`Options::url`].
    pub fn new(name: impl Into<String>, options: Options, method: Arc<dyn Method>) -> Candidate {
        Candidate { name: name.into(), options, choose: Box::new(move |_| method.clone()), levels: Vec::new() }
    }

    /// Creates a candidate from a method's published name.
    ///
    /// # Errors
    /// No method has that name.
    pub fn named(name: &str) -> Result<Candidate, Error> {
        let method =
            maintext_core::methods::Parameters::default().method(name).map_err(|e| Error::other(e.to_string()))?;
        Ok(Candidate::new(name, Options::default(), method.into()))
    }

    /// Creates a candidate whose method depends on the page, for cross-validation by site.
    pub fn choosing(
        name: impl Into<String>,
        options: Options,
        choose: impl Fn(&Page) -> Arc<dyn Method> + Send + Sync + 'static,
    ) -> Candidate {
        Candidate { name: name.into(), options, choose: Box::new(choose), levels: Vec::new() }
    }

    /// Also measures the words kept at these false discovery rates, if the method gives probabilities.
    pub fn at_levels(mut self, levels: &[f32]) -> Candidate {
        self.levels = levels.to_vec();
        self
    }

    /// Extracts a page and measures the result.
    pub fn run(&self, page: &Page, prior: &mut Option<Vec<Option<bool>>>) -> Outcome {
        let start = Instant::now();
        let mut extractor = Extractor::with_method(self.options.clone(), Box::new((self.choose)(page)));
        let url = page.url.as_deref().and_then(|u| url::Url::parse(u).ok()).filter(url::Url::has_host);
        let Ok(decoded) = extractor.decode(page.html.as_slice(), None) else {
            let seconds = start.elapsed().as_secs_f64();
            return Outcome {
                said: Prediction::default(),
                lines: LineErrors::default(),
                words: Words::default(),
                levels: Vec::new(),
                seconds,
                failed: true,
            };
        };
        let analysis = extractor.analyze(&decoded.text, url.as_ref());
        let paused = Instant::now();
        let truth = prior.get_or_insert_with(|| crate::truth::blocks(&analysis.blocks, page));
        let kept = || analysis.choice.kept().iter().copied();
        let words = Words::count(truth, &analysis.blocks, kept());
        let lines = LineErrors::count(truth, kept());
        let levels = self
            .levels
            .iter()
            .map(|alpha| {
                let mut choice = analysis.choice.clone();
                fdr::decide(&mut choice, &analysis.blocks, *alpha);
                Words::count(truth, &analysis.blocks, choice.kept().iter().copied())
            })
            .collect();
        let pause = paused.elapsed();
        let said = extractor.assemble(analysis, url).into();
        Outcome { said, lines, words, levels, seconds: (start.elapsed() - pause).as_secs_f64(), failed: false }
    }
}

/// The result of a method on a page.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The extracted text and metadata.
    pub said: Prediction,
    /// Its errors by line.
    pub lines: LineErrors,
    /// Its errors by word of a block.
    pub words: Words,
    /// The errors by word at each of the candidate's levels.
    pub levels: Vec<Words>,
    /// Seconds taken on one thread.
    pub seconds: f64,
    /// Whether the extraction failed.
    pub failed: bool,
}

/// Errors by word; each word has the label of its block. All pages of a set are pooled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Boilerplate words that were kept, of all words kept: the false discovery rate.
    pub boilerplate: Tally,
    /// Content words that were kept, of all content words.
    pub content: Tally,
}

impl Words {
    /// Counts the words of labelled blocks.
    pub fn count(truth: &[Option<bool>], blocks: &Blocks, kept: impl Iterator<Item = bool>) -> Words {
        let mut out = Words::default();
        for ((content, b), kept) in truth.iter().zip(&blocks.blocks).zip(kept) {
            let Some(content) = *content else { continue };
            let n = b.words as u64;
            out.boilerplate += Tally { hits: n * (kept && !content) as u64, of: n * kept as u64 };
            out.content += Tally { hits: n * (kept && content) as u64, of: n * content as u64 };
        }
        out
    }
}

impl std::ops::AddAssign for Words {
    fn add_assign(&mut self, o: Words) {
        self.boilerplate += o.boilerplate;
        self.content += o.content;
    }
}

/// Means over the pages of a set, or over its pages of one type.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the set.
    pub set: String,
    /// Name of the candidate.
    pub method: String,
    /// The page type, `None` for the whole set.
    pub page_type: Option<String>,
    /// Number of pages.
    pub pages: usize,
    /// Number of pages with a gold text.
    pub text_pages: usize,
    /// Bags of `\w+` words: WCXB's measure.
    pub words: Option<Means>,
    /// Bags of words in which each CJK character is one.
    pub cjk: Option<Means>,
    /// Share of the required snippets found.
    pub with: Option<f64>,
    /// Share of the forbidden snippets found.
    pub without: Option<f64>,
    /// Share of correct titles.
    pub title: Option<f64>,
    /// Share of correct authors.
    pub author: Option<f64>,
    /// Share of correct dates.
    pub date: Option<f64>,
    /// Share of the boilerplate lines that were kept.
    pub false_positives: Option<f64>,
    /// Share of the content lines that were dropped.
    pub misses: Option<f64>,
    /// Share of boilerplate among the words kept in labelled blocks: the false discovery rate.
    pub boilerplate_words: Option<f64>,
    /// Share of the content words that were kept.
    pub content_words: Option<f64>,
    /// The last two shares for each level of the candidate.
    pub levels: Vec<[Option<f64>; 2]>,
    /// Pages that gave an error.
    pub failed: usize,
    /// Pages per second on one thread.
    pub pages_per_second: f64,
}

/// Means over pages.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Means {
    /// Mean precision.
    pub precision: f64,
    /// Mean recall.
    pub recall: f64,
    /// Mean F1 (not the F1 of the means).
    pub f1: f64,
}

#[derive(Default)]
struct Sums {
    pages: usize,
    text_pages: usize,
    words: Prf,
    cjk: Prf,
    with: Tally,
    without: Tally,
    title: Tally,
    author: Tally,
    date: Tally,
    lines: LineErrors,
    by_word: Words,
    levels: Vec<Words>,
    failed: usize,
    seconds: f64,
}

/// The measurements of one candidate on one page.
struct Measured {
    words: PageScore,
    cjk: Option<Prf>,
    outcome: Outcome,
}

impl Sums {
    fn add(&mut self, m: &Measured) {
        self.pages += 1;
        if let (Some(w), Some(c)) = (m.words.text, m.cjk) {
            self.text_pages += 1;
            for (sum, x) in [(&mut self.words, w), (&mut self.cjk, c)] {
                sum.precision += x.precision;
                sum.recall += x.recall;
                sum.f1 += x.f1;
            }
        }
        self.with += m.words.with;
        self.without += m.words.without;
        for (tally, hit) in
            [(&mut self.title, m.words.title), (&mut self.author, m.words.author), (&mut self.date, m.words.date)]
        {
            if let Some(hit) = hit {
                tally.add(hit);
            }
        }
        self.lines += m.outcome.lines;
        self.by_word += m.outcome.words;
        self.levels.resize(self.levels.len().max(m.outcome.levels.len()), Words::default());
        self.levels.iter_mut().zip(&m.outcome.levels).for_each(|(sum, w)| *sum += *w);
        self.failed += m.outcome.failed as usize;
        self.seconds += m.outcome.seconds;
    }

    fn row(&self, set: &str, method: &str, page_type: Option<&str>) -> Row {
        let n = self.text_pages as f64;
        let means =
            |s: &Prf| (n > 0.0).then(|| Means { precision: s.precision / n, recall: s.recall / n, f1: s.f1 / n });
        Row {
            set: set.to_owned(),
            method: method.to_owned(),
            page_type: page_type.map(str::to_owned),
            pages: self.pages,
            text_pages: self.text_pages,
            words: means(&self.words),
            cjk: means(&self.cjk),
            with: self.with.rate(),
            without: self.without.rate(),
            title: self.title.rate(),
            author: self.author.rate(),
            date: self.date.rate(),
            false_positives: self.lines.false_positives.rate(),
            misses: self.lines.misses.rate(),
            boilerplate_words: self.by_word.boilerplate.rate(),
            content_words: self.by_word.content.rate(),
            levels: self.levels.iter().map(|w| [w.boilerplate.rate(), w.content.rate()]).collect(),
            failed: self.failed,
            pages_per_second: if self.seconds > 0.0 { self.pages as f64 / self.seconds } else { 0.0 },
        }
    }
}

/// Receives the progress of an evaluation. Both methods do nothing by default.
pub trait Observer: Sync {
    /// Called with each result of a candidate, in the order of the set.
    fn page(&self, set: &str, candidate: &str, page: &Page, outcome: &Outcome) {
        let _ = (set, candidate, page, outcome);
    }
    /// Called with the number of pages done, and the number of bytes read of the file's size.
    fn progress(&self, set: &str, pages: usize, bytes: (u64, u64)) {
        let _ = (set, pages, bytes);
    }
}

/// Ignores the progress.
impl Observer for () {}

/// Measures all candidates on a set.
///
/// Rows are grouped by candidate: first the whole set, then its page types in alphabetical order.
///
/// # Errors
/// The set cannot be read. A page that cannot be extracted is not an error; it counts as failed and scores as an empty text.
pub fn evaluate(path: &Path, candidates: &[Candidate], observer: &dyn Observer) -> Result<Vec<Row>, Error> {
    let set = data::set_name(path);
    let mut reader = Reader::open(path)?;
    let mut sums: Vec<(Sums, BTreeMap<String, Sums>)> = candidates.iter().map(|_| Default::default()).collect();
    let mut done = 0;
    loop {
        let pages = reader.chunk(CHUNK)?;
        if pages.is_empty() {
            break;
        }
        let measured: Vec<Vec<Measured>> = pages.par_iter().map(|p| measure(p, candidates)).collect();
        for (page, of_page) in pages.iter().zip(&measured) {
            for ((m, candidate), (all, by_type)) in of_page.iter().zip(candidates).zip(&mut sums) {
                observer.page(&set, &candidate.name, page, &m.outcome);
                all.add(m);
                if let Some(kind) = &page.page_type {
                    by_type.entry(kind.clone()).or_default().add(m);
                }
            }
        }
        done += pages.len();
        observer.progress(&set, done, reader.position());
    }
    if done == 0 {
        return Err(Error::other(format!("{}: the set has no pages", path.display())));
    }
    let mut rows = Vec::new();
    for (candidate, (all, by_type)) in candidates.iter().zip(&sums) {
        rows.push(all.row(&set, &candidate.name, None));
        rows.extend(by_type.iter().map(|(kind, s)| s.row(&set, &candidate.name, Some(kind))));
    }
    Ok(rows)
}

fn measure(page: &Page, candidates: &[Candidate]) -> Vec<Measured> {
    let mut truth = None;
    candidates
        .iter()
        .map(|c| {
            let outcome = c.run(page, &mut truth);
            let words = score::page(page, &outcome.said, Tokens::Words);
            let cjk = page.text.as_deref().map(|t| score::prf(&outcome.said.text, t, Tokens::Cjk));
            Measured { words, cjk, outcome }
        })
        .collect()
}

/// Formats the rows as a table for the terminal. `types` adds a line for each page type.
pub fn table(rows: &[Row], types: bool) -> String {
    let mut out = format!(
        "{:20} {:34} {:>5} {:>7} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8}\n",
        "set", "method", "pages", "F1", "P", "R", "F1-cjk", "with", "w/o", "title", "author", "FP", "miss", "pages/s"
    );
    for r in rows.iter().filter(|r| types || r.page_type.is_none()) {
        let name = r.page_type.as_ref().map_or_else(|| r.method.clone(), |t| format!("  {t}"));
        let line = format!(
            "{:20} {:34} {:>5} {:>7} {:>6} {:>6} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8.1}\n",
            r.set,
            name,
            r.pages,
            figure(r.words.map(|m| m.f1), 4),
            figure(r.words.map(|m| m.precision), 3),
            figure(r.words.map(|m| m.recall), 3),
            figure(r.cjk.map(|m| m.f1), 4),
            percent(r.with),
            percent(r.without),
            percent(r.title),
            percent(r.author),
            percent(r.false_positives),
            percent(r.misses),
            r.pages_per_second
        );
        out.push_str(&line);
    }
    out
}

fn figure(x: Option<f64>, digits: usize) -> String {
    x.map_or_else(|| "-".into(), |x| format!("{x:.digits$}"))
}

fn percent(x: Option<f64>) -> String {
    x.map_or_else(|| "-".into(), |x| format!("{:.1}", 100.0 * x))
}

/// Formats the rows as Markdown tables, one section per set.
pub fn markdown(rows: &[Row], types: bool) -> String {
    let mut out = String::new();
    let mut set = None;
    for r in rows.iter().filter(|r| types || r.page_type.is_none()) {
        if set != Some(&r.set) {
            set = Some(&r.set);
            let blank = if out.is_empty() { "" } else { "\n" };
            out.push_str(&format!("{blank}**{}**\n\n", r.set));
            out.push_str("| method | pages | F1 | precision | recall | F1 (CJK) | with | without | false positives | misses | pages/s |\n");
            out.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        }
        let name = r.page_type.as_ref().map_or_else(|| r.method.clone(), |t| format!("{}: {t}", r.method));
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} |\n",
            name,
            r.pages,
            figure(r.words.map(|m| m.f1), 4),
            figure(r.words.map(|m| m.precision), 3),
            figure(r.words.map(|m| m.recall), 3),
            figure(r.cjk.map(|m| m.f1), 4),
            percent(r.with),
            percent(r.without),
            percent(r.false_positives),
            percent(r.misses),
            r.pages_per_second
        ));
    }
    out
}

/// Formats the rows as JSON.
pub fn json(rows: &[Row]) -> String {
    serde_json::to_string_pretty(rows).unwrap_or_default()
}

/// Returns a line of a predictions file in the format of the project's scoring script.
pub fn prediction_line(page: &Page, outcome: &Outcome) -> String {
    let s = &outcome.said;
    let line = serde_json::json!({
        "id": page.id, "text": s.text, "title": s.title, "author": s.author, "date": s.date, "cpu": outcome.seconds,
    });
    line.to_string()
}
