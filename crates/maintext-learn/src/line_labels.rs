//! Line labels in a text file, for manual correction.
//!
//! Fields are separated by tabs:
//!
//! ```text
//! # maintext line labels, version 1
//! # page: news.html
//! # method: markup-ratio
//! +    12    The first words of the line
//! -    13    A menu
//! ?    14    Excluded from training
//! ```
use crate::error::Error;
use crate::inspect::{Table, first_words};
use std::path::{Path, PathBuf};

const HEAD: &str = "# maintext line labels, version 1";

/// Width of a line's text in the file, in columns; this part must match when the file is read.
const WORDS: usize = 60;

/// The labels of one page's lines.
#[derive(Clone, Debug, PartialEq)]
pub struct LineLabels {
    /// Path of the page, relative to the folder of the label file.
    pub page: PathBuf,
    /// The method that split the page into lines.
    pub method: String,
    /// The label of each line (content, boilerplate or none) and its first words.
    pub lines: Vec<(Option<bool>, String)>,
}

impl LineLabels {
    /// Creates labels from a table's own decisions, for correction.
    pub fn draft(table: &Table, page: &Path) -> LineLabels {
        LineLabels {
            page: page.to_owned(),
            method: table.method.clone(),
            lines: table.rows.iter().map(|r| (Some(r.keep), excerpt(&r.text))).collect(),
        }
    }

    /// Formats the labels as a file.
    pub fn to_text(&self) -> String {
        let mut out = format!(
            "{HEAD}\n# page: {}\n# method: {}\n# + content, - boilerplate, ? exclude; then the line's number and its first words\n",
            self.page.display(),
            self.method
        );
        for (i, (label, words)) in self.lines.iter().enumerate() {
            let sign = match label {
                Some(true) => '+',
                Some(false) => '-',
                None => '?',
            };
            out.push_str(&format!("{sign}\t{}\t{words}\n", i + 1));
        }
        out
    }

    /// Parses a file; `path` is used in error messages.
    ///
    /// # Errors
    /// The text is not a label file, or a line of it lacks a sign or the next number.
    pub fn parse(text: &str, path: &Path) -> Result<LineLabels, Error> {
        let bad = |line: usize, message: String| Error::Line { path: path.to_owned(), line: line + 1, message };
        let mut out = LineLabels { page: PathBuf::new(), method: String::new(), lines: Vec::new() };
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, l)| l.trim_end() != HEAD) {
            return Err(bad(0, format!("not a label file: it does not begin with '{HEAD}'")));
        }
        for (i, line) in lines {
            if let Some(comment) = line.strip_prefix('#') {
                match comment.trim().split_once(": ") {
                    Some(("page", p)) => out.page = p.trim().into(),
                    Some(("method", m)) => out.method = m.trim().into(),
                    _ => {}
                }
                continue;
            }
            if line.trim().is_empty() {
                continue;
            }
            let mut fields = line.splitn(3, '\t');
            let label = match fields.next() {
                Some("+") => Some(true),
                Some("-") => Some(false),
                Some("?") => None,
                other => return Err(bad(i, format!("'{}' is not one of +, -, ?", other.unwrap_or("").escape_debug()))),
            };
            let number = fields.next().and_then(|n| n.trim().parse::<usize>().ok());
            if number != Some(out.lines.len() + 1) {
                return Err(bad(i, format!("line {} is missing or out of order", out.lines.len() + 1)));
            }
            out.lines.push((label, fields.next().unwrap_or("").to_owned()));
        }
        if out.page.as_os_str().is_empty() || out.method.is_empty() {
            return Err(bad(0, "the file does not name its page and method ('# page: ...', '# method: ...')".into()));
        }
        Ok(out)
    }

    /// Matches the labels with the lines of a page, given by their texts.
    ///
    /// # Errors
    /// The lines of the page differ: it has changed, or it is another page.
    pub fn fit<'a>(
        &self,
        path: &Path,
        texts: impl ExactSizeIterator<Item = &'a str>,
    ) -> Result<Vec<Option<bool>>, Error> {
        if texts.len() != self.lines.len() {
            let (have, want) = (texts.len(), self.lines.len());
            return Err(Error::other(format!(
                "{}: the page has {have} lines, the labels are for {want}",
                path.display()
            )));
        }
        for (i, (text, (_, words))) in texts.zip(&self.lines).enumerate() {
            if excerpt(text) != *words {
                return Err(Error::other(format!(
                    "{}: label {} is for '{words}', but the page's line is '{}'",
                    path.display(),
                    i + 1,
                    excerpt(text)
                )));
            }
        }
        Ok(self.lines.iter().map(|l| l.0).collect())
    }
}

fn excerpt(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    first_words(&plain, WORDS).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::Row;

    fn table() -> Table {
        let row = |text: &str, keep| Row {
            number: 1,
            bytes: 1,
            chars: 1,
            density: 0.0,
            score: 0.0,
            probability: None,
            role: None,
            why: None,
            keep,
            text: text.into(),
        };
        let rows = vec![row("Menu\tone", false), row(&"long ".repeat(40), true), row("", false)];
        Table { method: "markup-ratio".into(), unit: "line", rows, threshold: None, facts: vec![] }
    }

    #[test]
    fn a_corrected_file_reads_back_and_fits_its_page() {
        let t = table();
        let text = LineLabels::draft(&t, Path::new("a page.html")).to_text();
        let read = LineLabels::parse(&text.replace("-\t1", "?\t1"), Path::new("l.tsv")).unwrap();
        assert_eq!((read.page.to_str(), read.method.as_str()), (Some("a page.html"), "markup-ratio"));
        let texts = || t.rows.iter().map(|r| r.text.as_str()).collect::<Vec<_>>().into_iter();
        assert_eq!(read.fit(Path::new("l"), texts()).unwrap(), [None, Some(true), Some(false)]);
        let other = ["x", "y", "z"].into_iter();
        assert!(read.fit(Path::new("l"), other).unwrap_err().to_string().contains("label 1 is for 'Menu one'"));
        assert!(read.fit(Path::new("l"), ["x"].into_iter()).unwrap_err().to_string().contains("has 1 lines"));
    }

    #[test]
    fn errors_name_the_line() {
        let text = LineLabels::draft(&table(), Path::new("p")).to_text();
        let error = |s: &str| LineLabels::parse(s, Path::new("l.tsv")).unwrap_err().to_string();
        assert!(error("x").starts_with("l.tsv, line 1: not a label file"));
        assert_eq!(error(&text.replace("+\t2", "yes\t2")), "l.tsv, line 6: 'yes' is not one of +, -, ?");
        assert_eq!(error(&text.replace("+\t2", "+\t3")), "l.tsv, line 6: line 2 is missing or out of order");
        assert!(error(HEAD).contains("does not name its page"));
    }
}
