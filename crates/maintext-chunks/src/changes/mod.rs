//! The blocks of a page that differ between two readings: new, gone, edited and moved ones.
mod diff;
mod line;

use crate::find::is_dense;
use maintext_core::blocks::Blocks;
use maintext_core::{Budget, Page};
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;

/// The JSON Schema of [`Changes`] as they serialise.
pub const CHANGES_SCHEMA: &str = include_str!("changes.schema.json");

/// Share of words in common from which two blocks are the same one, edited: Dice's coefficient.
const MIN_SIMILARITY: f64 = 0.5;
/// Blocks on each side that are compared with a block to find the one that it was.
const MAX_LINES_APART: usize = 8;
/// Maximum number of bytes of whole pages that are searched for blocks.
const MAX_SEARCHED_BYTES: usize = 256 << 20;
/// Maximum number of bytes of a block that are compared word by word.
const MAX_COMPARED_BYTES: usize = 16 << 10;

/// A reading of a page.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    title: Option<String>,
    text: String,
    language: String,
    /// All text that a visitor sees, as words between single spaces.
    whole: Option<String>,
}

impl Reading {
    /// A reading of which only the main text is known, one block per line: the key `text` of an earlier result. `language` is a BCP 47 tag, or `""`.
    #[must_use]
    pub fn of_text(text: &str, language: &str) -> Reading {
        Reading { title: None, text: text.to_owned(), language: language.to_owned(), whole: None }
    }

    /// Adds the title, which is compared if both readings have one, unless both texts begin with theirs.
    #[must_use]
    pub fn with_title(self, title: Option<&str>) -> Reading {
        Reading { title: title.map(str::to_owned), ..self }
    }

    /// A reading of a page that was extracted as text.
    #[must_use]
    pub fn of_page(page: &Page) -> Reading {
        let metadata = &page.metadata;
        Reading::of_text(page.text(), metadata.language.as_deref().unwrap_or("")).with_title(metadata.title.as_deref())
    }

    fn begins_with_title(&self) -> bool {
        self.title.as_deref().map(str::trim) == self.text.lines().next().map(str::trim)
    }

    /// Returns its size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.text.len() + self.whole.as_ref().map_or(0, String::len)
    }

    /// Adds the source of the page, with the charset of the HTTP header: a block that is still on the page, but no longer in its main text, is not
    /// gone.
    #[must_use]
    pub fn with_source(mut self, bytes: &[u8], charset: Option<&str>, budget: &Budget) -> Reading {
        self.whole = maintext_core::source(bytes, charset).ok().map(|source| {
            let dom = maintext_core::dom::parse(&source.text, budget);
            words_of(&Blocks::new(&dom))
        });
        self
    }

    /// Adds the source of the page like [`Reading::with_source`], from the [`words_of`] its blocks.
    #[must_use]
    pub fn with_words(self, words: String) -> Reading {
        Reading { whole: Some(words), ..self }
    }
}

/// Returns the words of the blocks that a visitor sees, for [`Reading::with_words`].
#[must_use]
pub fn words_of(blocks: &Blocks) -> String {
    let mut words = String::with_capacity(1024);
    (0..blocks.len()).filter(|&i| !blocks.blocks[i].hidden).for_each(|i| push_words(&mut words, blocks.text(i)));
    words
}

/// The differences between two readings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Whether there are any.
    pub changed: bool,
    /// Number of new blocks.
    pub new: usize,
    /// Number of blocks that are gone.
    pub gone: usize,
    /// Number of edited blocks.
    pub edited: usize,
    /// Number of moved blocks.
    pub moved: usize,
    /// The changes in the order of the page. A block that is gone has its former place.
    pub changes: Vec<Change>,
}

/// A change of a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// The block in the later reading; `None` if it is gone.
    pub text: Option<String>,
    /// The block in the earlier reading; `None` if it is new.
    pub before: Option<String>,
    /// Its line in the later text, from 1; 0 is the title.
    pub line: Option<usize>,
    /// Its line in the earlier text, from 1; 0 is the title.
    pub line_before: Option<usize>,
}

/// What happened to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It is new.
    New,
    /// It is gone.
    Gone,
    /// Some of its words are others.
    Edited,
    /// It is elsewhere among the other blocks.
    Moved,
}

/// Compares two readings by block: a paragraph, a heading, a list item, a row of a table.
///
/// White space, the form of quotation marks and dashes, counters (`12 comments`), times relative to today (`3 minutes ago`) and the date of the last
/// change (`Updated 17 May 2024`) do not count.
///
/// ```
/// use maintext_chunks::{ChangeKind, Reading, changes};
/// let before = Reading::of_text("Ferries\nThe ferry leaves at nine.\n12 comments\nDogs travel free.", "en");
/// let after = Reading::of_text("Ferries\nThe ferry leaves at ten.\n13 comments\nCards are accepted.", "en");
/// let changes = changes(&before, &after);
/// let kinds: Vec<_> = changes.changes.iter().map(|c| c.kind).collect();
/// assert_eq!(kinds, [ChangeKind::Edited, ChangeKind::Gone, ChangeKind::New]);
/// ```
#[must_use]
pub fn changes(before: &Reading, after: &Reading) -> Changes {
    let mut names = HashMap::new();
    let both = [before, after];
    // A headline in the text would be compared twice.
    let has_titles = both.iter().all(|r| r.title.is_some()) && !both.iter().all(|r| r.begins_with_title());
    let (a, b) = (ReadingLines::new(before, has_titles, &mut names), ReadingLines::new(after, has_titles, &mut names));
    let pairs = diff::common(&a.keys, &b.keys);
    let mut of_a: Vec<Match> = vec![Match::Alone; a.keys.len()];
    let mut of_b: Vec<Match> = vec![Match::Alone; b.keys.len()];
    for &(i, j) in &pairs {
        (of_a[i], of_b[j]) = (Match::Same, Match::Same);
    }
    find_moved(&a, &b, &mut of_a, &mut of_b);
    let mut search = BlockSearch { left: MAX_SEARCHED_BYTES };
    for (i, fate) in of_a.iter_mut().enumerate().filter(|f| *f.1 == Match::Alone) {
        if search.holds(after, a.texts[i], before) {
            *fate = Match::Same;
        }
    }
    for (j, fate) in of_b.iter_mut().enumerate().filter(|f| *f.1 == Match::Alone) {
        if search.holds(before, b.texts[j], after) {
            *fate = Match::Same;
        }
    }
    let mut borders = pairs;
    borders.push((a.keys.len(), b.keys.len()));
    find_edited(&a, &b, &borders, &mut of_a, &mut of_b);
    listed(&a, &b, &borders, &of_a, &of_b)
}

/// The lines of a reading that count.
struct ReadingLines<'t> {
    texts: Vec<&'t str>,
    /// The line of each in the text, from 1; 0 is the title.
    numbers: Vec<usize>,
    /// Equal numbers for lines that are the same.
    keys: Vec<u32>,
}

impl<'t> ReadingLines<'t> {
    fn new(reading: &'t Reading, has_title: bool, names: &mut HashMap<String, u32>) -> ReadingLines<'t> {
        let mut lines = ReadingLines { texts: Vec::new(), numbers: Vec::new(), keys: Vec::new() };
        let title = if has_title { reading.title.as_deref() } else { None };
        for (n, text) in title.map(|title| (0, title)).into_iter().chain((1..).zip(reading.text.lines())) {
            let key = line::key(text, &reading.language);
            if key.is_empty() {
                continue;
            }
            let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
            lines.keys.push(*names.entry(key).or_insert(next));
            lines.texts.push(text.trim());
            lines.numbers.push(n);
        }
        lines
    }
}

/// The match of a line in the other reading.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Match {
    Same,
    Alone,
    Moved(usize),
    Edited(usize),
}

fn find_moved(a: &ReadingLines<'_>, b: &ReadingLines<'_>, of_a: &mut [Match], of_b: &mut [Match]) {
    let mut left: HashMap<u32, VecDeque<usize>> = HashMap::new();
    for (i, key) in a.keys.iter().enumerate().filter(|(i, _)| of_a[*i] == Match::Alone) {
        left.entry(*key).or_default().push_back(i);
    }
    for (j, key) in b.keys.iter().enumerate() {
        if of_b[j] == Match::Alone
            && let Some(i) = left.get_mut(key).and_then(VecDeque::pop_front)
        {
            (of_a[i], of_b[j]) = (Match::Moved(j), Match::Moved(i));
        }
    }
}

/// Pairs the lines that are similar between the same two common lines.
fn find_edited(
    a: &ReadingLines<'_>,
    b: &ReadingLines<'_>,
    borders: &[(usize, usize)],
    of_a: &mut [Match],
    of_b: &mut [Match],
) {
    let (mut from_a, mut from_b) = (0, 0);
    for &(to_a, to_b) in borders {
        let (left, right) = (unmatched(of_a, from_a, to_a), unmatched(of_b, from_b, to_b));
        (from_a, from_b) = (to_a + 1, to_b + 1);
        if left.is_empty() || right.is_empty() {
            continue;
        }
        let bags: Vec<Vec<&str>> = right.iter().map(|&j| bag(b.texts[j])).collect();
        for (n, &i) in left.iter().enumerate() {
            let own = bag(a.texts[i]);
            let near = n.saturating_sub(MAX_LINES_APART).min(right.len())..(n + MAX_LINES_APART + 1).min(right.len());
            let free = near.filter(|&m| of_b[right[m]] == Match::Alone);
            let best =
                free.map(|m| (dice(&own, &bags[m]), m)).fold(None, |best: Option<(f64, usize)>, next| match best {
                    Some(best) if best.0 >= next.0 => Some(best),
                    _ => Some(next),
                });
            if let Some((_, m)) = best.filter(|b| b.0 >= MIN_SIMILARITY) {
                (of_a[i], of_b[right[m]]) = (Match::Edited(right[m]), Match::Edited(i));
            }
        }
    }
}

fn unmatched(fates: &[Match], from: usize, to: usize) -> Vec<usize> {
    (from..to).filter(|&n| fates[n] == Match::Alone).collect::<Vec<usize>>()
}

/// Returns the words of a text, sorted; of scripts without spaces the characters.
fn bag(text: &str) -> Vec<&str> {
    let text = &text[..text.floor_char_boundary(MAX_COMPARED_BYTES)];
    let mut words: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        if word.contains(is_dense) {
            words.extend(word.char_indices().map(|(at, c)| &word[at..at + c.len_utf8()]))
        } else {
            words.push(word)
        }
    }
    words.sort_unstable();
    words
}

/// Returns the share of words that two sorted bags have in common.
fn dice(a: &[&str], b: &[&str]) -> f64 {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, both) = (i + 1, j + 1, both + 1),
        }
    }
    2.0 * f64::from(both) / (a.len() + b.len()).max(1) as f64
}

/// Looks for blocks on the whole pages: the choice of the main text may differ where the page does not.
struct BlockSearch {
    /// Bytes that may still be searched.
    left: usize,
}

impl BlockSearch {
    /// Whether a page holds a block at least as often as the other page.
    fn holds(&mut self, page: &Reading, text: &str, other: &Reading) -> bool {
        let Some(count) = self.count(text, page.whole.as_deref()) else { return false };
        count > 0 && count >= self.count(text, other.whole.as_deref()).unwrap_or(1)
    }

    fn count(&mut self, text: &str, whole: Option<&str>) -> Option<usize> {
        let whole = whole?;
        self.left = self.left.checked_sub(whole.len())?;
        let mut words = String::with_capacity(text.len() + 2);
        push_words(&mut words, text);
        if words.is_empty() {
            return None;
        }
        let (mut count, mut at) = (0, 0);
        while let Some(found) = whole[at..].find(&words) {
            count += 1;
            // Two that follow each other share the space between them.
            at += found + words.len() - 1;
        }
        Some(count)
    }
}

/// Adds the words of a text: ` the ferry `, then `leaves `.
fn push_words(out: &mut String, text: &str) {
    let text = line::folded(text);
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        if out.is_empty() {
            out.push(' ');
        }
        let _ = write!(out, "{word} ");
    }
}

/// Lists the changes in the order of the later page.
fn listed(
    a: &ReadingLines<'_>,
    b: &ReadingLines<'_>,
    borders: &[(usize, usize)],
    of_a: &[Match],
    of_b: &[Match],
) -> Changes {
    let mut out = Changes::default();
    let (mut from_a, mut from_b) = (0, 0);
    for &(to_a, to_b) in borders {
        for i in (from_a..to_a).filter(|&i| of_a[i] == Match::Alone) {
            let (before, line_before) = (Some(a.texts[i].to_owned()), Some(a.numbers[i]));
            out.changes.push(Change { kind: ChangeKind::Gone, text: None, before, line: None, line_before });
            out.gone += 1;
        }
        for (j, fate) in (from_b..).zip(&of_b[from_b..to_b]) {
            let (kind, earlier) = match *fate {
                Match::Same => continue,
                Match::Alone => (ChangeKind::New, None),
                Match::Moved(i) => (ChangeKind::Moved, Some(i)),
                Match::Edited(i) => (ChangeKind::Edited, Some(i)),
            };
            match kind {
                ChangeKind::New => out.new += 1,
                ChangeKind::Moved => out.moved += 1,
                _ => out.edited += 1,
            }
            let before = earlier.map(|i| a.texts[i].to_owned());
            let (text, line) = (Some(b.texts[j].to_owned()), Some(b.numbers[j]));
            out.changes.push(Change { kind, text, before, line, line_before: earlier.map(|i| a.numbers[i]) });
        }
        (from_a, from_b) = (to_a + 1, to_b + 1);
    }
    out.changed = !out.changes.is_empty();
    out
}

impl Changes {
    /// Returns the changes for readers, a line for each: `+` new, `-` gone, `>` moved; an edited block is a line of each of the first two.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.written(|kind, before, text| match kind {
            ChangeKind::New => format!("+ {text}\n"),
            ChangeKind::Gone => format!("- {before}\n"),
            ChangeKind::Edited => format!("- {before}\n+ {text}\n"),
            ChangeKind::Moved => format!("> {text}\n"),
        })
    }

    /// Returns the changes as a list in Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        self.written(|kind, before, text| match kind {
            ChangeKind::New => format!("- **New:** {}\n", escaped(text)),
            ChangeKind::Gone => format!("- **Gone:** {}\n", escaped(before)),
            ChangeKind::Edited => format!("- **Edited:** {}\n  **Before:** {}\n", escaped(text), escaped(before)),
            ChangeKind::Moved => format!("- **Moved:** {}\n", escaped(text)),
        })
    }

    fn written(&self, write: impl Fn(ChangeKind, &str, &str) -> String) -> String {
        let of = |c: &Change| write(c.kind, c.before.as_deref().unwrap_or(""), c.text.as_deref().unwrap_or(""));
        if self.changed { self.changes.iter().map(of).collect() } else { "not changed\n".to_owned() }
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '~' | '#' | '|' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(before: &str, after: &str) -> String {
        changes(&Reading::of_text(before, "en"), &Reading::of_text(after, "en")).to_text()
    }

    #[test]
    fn each_kind_of_change_is_found_in_its_place() {
        let before =
            "Title\nOne is the first of the lines.\nTwo is here.\nThree is a longer line of words.\nFour.\nFive.";
        assert_eq!(of(before, before), "not changed\n");
        let after =
            "Title\nOne is the last of the lines.\nThree is a longer line of words.\nSix.\nFour.\nFive.\nTwo is here.";
        let expected = "- One is the first of the lines.\n+ One is the last of the lines.\n+ Six.\n> Two is here.\n";
        assert_eq!(of(before, after), expected);
        assert_eq!(of("a\nb", ""), "- a\n- b\n");
        assert_eq!(of("", "a"), "+ a\n");
        assert_eq!(
            of("渡船九点开，六点回。", "渡船十点开，六点回。"),
            "- 渡船九点开，六点回。\n+ 渡船十点开，六点回。\n"
        );
    }

    #[test]
    fn a_title_that_the_text_begins_with_is_compared_once() {
        let reading = |title: &str, text: &str| Reading::of_text(text, "en").with_title(Some(title));
        let edited = |before, after| changes(&before, &after).to_text();
        let expected = "- The old ferry sails\n+ The new ferry sails\n";
        let (old, new) = ("The old ferry sails", "The new ferry sails");
        let headed = |title: &str| reading(title, &format!("{title}\nAt nine."));
        assert_eq!(edited(headed(old), headed(new)), expected);
        assert_eq!(edited(reading(old, "At nine."), reading(new, "At nine.")), expected);
    }

    #[test]
    fn a_repeated_line_that_loses_one_of_its_copies_is_gone_once() {
        assert_eq!(of("a\nx\nb\nx\nc", "a\nx\nb\nc"), "- x\n");
    }

    #[test]
    fn a_block_that_stays_on_the_page_is_not_gone() {
        let page = |main: &str, rest: &str| {
            let html = format!("<p>{}</p><aside>{rest}</aside>", main.replace('\n', "</p><p>"));
            Reading::of_text(main, "en").with_source(html.as_bytes(), None, &Budget::default())
        };
        let (long, other) = ("The ferry leaves at nine.", "It returns in the evening.");
        let (both, one) = (format!("{long}\n{other}"), long.to_owned());
        assert!(!changes(&page(&both, ""), &page(&one, other)).changed);
        assert!(!changes(&page(&one, other), &page(&both, "")).changed);
        // It was on the page twice.
        let gone = changes(&page(&both, other), &page(&one, other));
        assert_eq!(gone.to_text(), format!("- {other}\n"));
        assert!(changes(&Reading::of_text(&both, ""), &page(&one, "")).changed);
    }

    #[test]
    fn markdown_is_safe() {
        let text = changes(&Reading::default(), &Reading::of_text("<b>*x*", "")).to_markdown();
        assert_eq!(text, "- **New:** \\<b\\>\\*x\\*\n");
    }

    #[test]
    fn large_rewrites_cost_little() {
        let lines = |word: &str| (0..3000).map(|n| format!("{word} {n} is a line of the page\n")).collect::<String>();
        let start = std::time::Instant::now();
        let found = changes(&Reading::of_text(&lines("old"), "en"), &Reading::of_text(&lines("new"), "en"));
        assert_eq!(found.edited, 3000);
        assert!(start.elapsed().as_secs() < 30);
    }
}
