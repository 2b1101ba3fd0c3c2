//! Shows a method's view of a page and the kept text: as a table, a plot, and the page itself in colours.
//!
//! ```
//! use maintext_core::{Favor, blocks::Blocks, dom, method::View};
//! use maintext_learn::inspect::Table;
//!
//! let html = "<ul><li><a href=/>Home</a></ul><p>The fox ran home through the rain.</p>";
//! let dom = dom::parse(html, &Default::default());
//! let blocks = Blocks::new(&dom);
//! let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
//! let method = maintext_core::classic::method("line-density").unwrap();
//! let table = Table::new(&view, &*method, Favor::Balance, &method.judge(&view, Favor::Balance));
//! assert_eq!(table.rows.iter().map(|r| r.keep).collect::<Vec<_>>(), [false, true]);
//! println!("{}", table.terminal(80));
//! ```
mod annotate;
mod terminal;

pub use annotate::annotate;

use maintext_core::Choice;
use maintext_core::choice::{Reason, Step};
use maintext_core::method::{Favor, Lines, Method, NAMES, View};
use maintext_core::model::roles::{self, Role, Shares};

/// A line or block with its measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number, counted from 1.
    pub number: u32,
    /// Length of its HTML.
    pub bytes: u32,
    /// Number of characters in its text.
    pub chars: u32,
    /// The method's density; for methods without one, characters of text per byte of HTML.
    pub density: f32,
    /// The method's score.
    pub score: f32,
    /// The probability that it is content, if the method estimates one.
    pub probability: Option<f32>,
    /// Whether it was kept.
    pub keep: bool,
    /// Its most probable role and the probability of that role, if the method works on blocks and estimates probabilities.
    pub role: Option<(Role, f32)>,
    /// The step after the method's own decision that kept or dropped it, if there was one.
    pub why: Option<Reason>,
    /// Its text.
    pub text: String,
}

/// The lines of a page with a method's decisions, or, for methods that work on blocks, its blocks with the choice of the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The method's name.
    pub method: String,
    /// `line` or `block`.
    pub unit: &'static str,
    /// The rows in the order of the page.
    pub rows: Vec<Row>,
    /// The threshold on scores, if there is one.
    pub threshold: Option<f32>,
    /// Other figures that the method computed for the page.
    pub facts: Vec<(&'static str, f64)>,
}

impl Table {
    /// Returns the table of a page, given the choice of its content by the method and all steps.
    pub fn new(page: &View<'_>, method: &dyn Method, favor: Favor, choice: &Choice) -> Table {
        match method.lines(page, favor) {
            Some(lines) => Table::from_lines(method.name(), &lines),
            None => Table::from_blocks(page, method.name(), choice),
        }
    }

    fn from_lines(method: &str, lines: &Lines) -> Table {
        let row = |i: usize| {
            let l = &lines.lines[i];
            Row {
                number: l.number,
                bytes: l.bytes,
                chars: l.chars,
                density: l.density,
                score: l.score,
                probability: l.probability,
                keep: l.keep,
                role: None,
                why: None,
                text: lines.text(i).to_owned(),
            }
        };
        let rows = (0..lines.len()).map(row).collect();
        Table { method: method.into(), unit: "line", rows, threshold: lines.threshold, facts: lines.facts.clone() }
    }

    fn from_blocks(page: &View<'_>, method: &str, choice: &Choice) -> Table {
        let roles = roles_of(page, method, choice);
        let why = choice.why();
        let mut end = 0;
        let mut rows = Vec::with_capacity(choice.len());
        for (i, b) in page.blocks.blocks.iter().enumerate() {
            let bytes = b.span.end.saturating_sub(end).max(1);
            end = end.max(b.span.end);
            rows.push(Row {
                number: i as u32 + 1,
                bytes,
                chars: b.chars,
                density: (b.chars as f32 / bytes as f32).min(1.0),
                score: choice.scores()[i],
                probability: choice.probability(i),
                keep: choice.keeps(i),
                role: roles.get(i).map(Role::best),
                why: why[i].last().copied().filter(|reason| reason.step != Step::Method),
                text: page.blocks.text(i).to_owned(),
            });
        }
        Table { method: method.into(), unit: "block", rows, threshold: None, facts: Vec::new() }
    }

    /// Formats the rows as CSV (RFC 4180) with a header: number, bytes, characters, density, score, probability, kept,
    /// role, probability of the role, the last step that kept or dropped it after the method, first words.
    ///
    /// ```
    /// # use maintext_learn::inspect::{Row, Table};
    /// let row = Row { number: 1, bytes: 20, chars: 10, density: 0.5, score: 0.25, probability: None, keep: true,
    ///     role: None, why: None, text: "He said \"no\"".into() };
    /// let table = Table { method: "m".into(), unit: "line", rows: vec![row], threshold: None, facts: vec![] };
    /// assert_eq!(table.csv().lines().nth(1), Some("1,20,10,0.5,0.25,,1,,,,\"He said \"\"no\"\"\""));
    /// ```
    pub fn csv(&self) -> String {
        let mut out =
            String::from("number,bytes,chars,density,score,probability,kept,role,role_probability,why,text\r\n");
        for r in &self.rows {
            let probability = r.probability.map_or_else(String::new, |p| p.to_string());
            let role = r.role.map_or_else(|| ",".to_owned(), |(role, p)| format!("{},{p}", role.name()));
            let why = r.why.map_or("", |reason| reason.step.name());
            out.push_str(&format!(
                "{},{},{},{},{},{probability},{},{role},{why},\"{}\"\r\n",
                r.number,
                r.bytes,
                r.chars,
                r.density,
                r.score,
                r.keep as u8,
                cell(&first_words(&r.text, 80))
            ));
        }
        out
    }
}

/// Returns the probabilities of the roles of each block, if the method is the learned one.
pub fn roles_of(page: &View<'_>, method: &str, choice: &Choice) -> Vec<Shares> {
    if method == NAMES[0] { roles::read(page, choice.probabilities()) } else { Vec::new() }
}

/// Returns a text for a cell of CSV between quotation marks. Spreadsheets compute a text that begins like a formula unless an apostrophe
/// precedes it.
fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    format!("{}{}", if is_formula { "'" } else { "" }, text.replace('"', "\"\""))
}

/// Returns the beginning of a text, at most `columns` wide, cut between words if possible.
pub fn first_words(text: &str, columns: usize) -> String {
    let (mut width, mut end, mut space) = (0, 0, 0);
    for (at, c) in text.char_indices() {
        width += char_width(c);
        if width > columns {
            let cut = if space * 2 > end { space } else { end };
            return format!("{}…", text[..cut].trim_end());
        }
        if c == ' ' {
            space = at;
        }
        // Leaves room for the ellipsis.
        if width < columns {
            end = at + c.len_utf8();
        }
    }
    text.to_owned()
}

/// Returns the width of a character in a terminal: two columns for wide East Asian characters, none for combining marks.
fn char_width(c: char) -> usize {
    let wide = maintext_core::blocks::is_cjk(c)
        || matches!(c, '\u{3000}'..='\u{303e}' | '\u{ff01}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}');
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe0f}' => 0,
        _ => 1 + wide as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_no_formulas() {
        assert_eq!(cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(cell("a \"b\""), "a \"\"b\"\"");
    }

    #[test]
    fn first_words_are_cut_between_words_and_by_width() {
        assert_eq!(first_words("short", 10), "short");
        assert_eq!(first_words("one two three four", 12), "one two…");
        assert_eq!(first_words("中文字中文字", 6), "中文…");
        assert_eq!(first_words("abcdefghijkl", 5), "abcd…");
    }

    #[test]
    fn methods_without_lines_show_blocks() {
        let html = "<div><p>One, two. Three.</p><p>Four, five.</p></div>";
        let dom = maintext_core::dom::parse(html, &Default::default());
        let blocks = maintext_core::blocks::Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        let method = maintext_core::classic::method("text-density").unwrap();
        let table = Table::new(&view, &*method, Favor::Balance, &method.judge(&view, Favor::Balance));
        assert_eq!((table.unit, table.rows.len()), ("block", 2));
        // From the page's first byte to the end of the first text: "<div><p>One, two. Three." is 24 bytes.
        assert_eq!((table.rows[0].bytes, table.rows[0].chars), (24, 16));
    }
}
