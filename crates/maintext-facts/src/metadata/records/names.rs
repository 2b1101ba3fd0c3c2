//! Finds short texts that may be names, each with the kind of its place.
use super::labels::{is_label, is_likely_label, is_time};
use super::{Facts, Search};
use crate::metadata::text::dates;
use crate::metadata::text::names::{strip_label, without_weekday};
use crate::metadata::text::{node_text, squeeze};
use maintext_page::dom::{NodeId, Tag};
use maintext_page::lexicon::lexicon;
use std::cell::OnceCell;

/// Longest author's name, in characters.
pub(super) const MAX_NAME_CHARS: usize = 40;
/// Longest label before a name, in characters.
const MAX_LABEL_CHARS: usize = 16;
/// Maximum number of bytes of source for a name, with line breaks and indentation.
const MAX_SOURCE_BYTES: usize = 1000;
/// Maximum number of letters of a weekday's name, and of words that introduce a date.
const MAX_WEEKDAY_LETTERS: usize = 10;
/// Longest line with a name before a date, in characters.
const MAX_HEAD_CHARS: u32 = 100;

/// A short text that may be a name: the kind of its place, the text, and the link around it.
pub(super) type Name<'a> = (PlaceKind, String, Option<&'a str>);

/// The kind of a name's place: in detail, and without the markup that varies between records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlaceKind {
    pub exact: u64,
    pub rough: u64,
}

impl PlaceKind {
    /// Returns the kind for the `nth` text of the element.
    fn nth(self, nth: u64) -> PlaceKind {
        PlaceKind { exact: self.exact ^ nth, rough: self.rough ^ nth }
    }
}

/// Returns a number that all places of an element share; they differ in the two lowest bits.
pub(super) fn place_class(place: u64) -> u64 {
    place >> 2
}

/// The texts of one element that may be names: all of its text, its own text without children, the name in a byline, and the text before
/// a date, which only counts in rough places.
pub(super) type NamesAt<'a> = [Option<Name<'a>>; 4];

/// Words after the name of an author, in lower case: verbs of saying, and labels of the page's author.
const SAYS: &[&str] = lexicon!("comment-says.txt");
/// Words before the name of an author, in lower case. None of them is a first name.
const BEFORE: &[&str] = lexicon!("comment-before-name.txt");

/// Returns a name without the labels around it: `Jane says:`, `von Jane`.
pub(super) fn bare(text: &str) -> &str {
    let mut text = text.trim();
    if let Some((name, last)) = text.trim_end_matches(is_mark).rsplit_once(char::is_whitespace)
        && SAYS.contains(&last.to_lowercase().as_str())
    {
        text = name.trim_end().trim_end_matches(" a").trim_end_matches(" ha");
    }
    // A label ends with a space or a colon.
    let end =
        text.char_indices().take(MAX_LABEL_CHARS).filter(|(_, c)| matches!(c, ' ' | ':' | '\u{a0}')).map(|(i, _)| i);
    if let Some(end) = end.filter(|end| BEFORE.contains(&&*text[..*end].to_lowercase())).last() {
        text = text[end..].trim_start_matches(is_mark);
    }
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '|'))
}

/// Returns a name without the status of the account: `Jane (not verified)`.
pub(super) fn without_status(text: &str) -> &str {
    match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((name, status)) if status.starts_with(char::is_lowercase) && !status.contains(char::is_uppercase) => name,
        _ => text,
    }
}

/// Whether a character may be between a name and a word such as "says".
fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, ':' | ',' | '|' | '-' | '–' | '—' | '·' | '•' | '@' | '.' | '…')
}

/// Returns the name before the date of a short line: `Jane Doe | Tue, 21 April 2020`.
fn before_date<'a>(facts: &'a Facts<'_>, block: u32) -> Option<&'a str> {
    let start = facts.hits_of(block).first()?.range.start;
    if facts.blocks.blocks[block as usize].chars > MAX_HEAD_CHARS {
        return None;
    }
    let mut text = facts.blocks.text(block as usize).get(..start)?.trim_end();
    // "Jane | Tue,", "Jane - Le": words that introduce the date do not belong to the name.
    while let Some(at) = text.rfind(['|', '–', '—', '·', '•', '@', ',', '(']).or_else(|| text.rfind(" - "))
        && text[at..].chars().filter(|c| c.is_alphabetic()).count() <= MAX_WEEKDAY_LETTERS
    {
        text = text[..at].trim_end();
    }
    while let Some((name, last)) = text.rsplit_once(' ')
        && last.chars().count() <= 3
        && last.chars().all(char::is_lowercase)
    {
        text = name;
    }
    let text = bare(text);
    is_name(text).then_some(text)
}

/// The possible names of each element, computed on first use because the same elements occur in many groups. Boxed, since most are never
/// needed.
pub(super) type Names<'a> = [OnceCell<Box<NamesAt<'a>>>];

/// Whether a link says that it leads to the record itself.
pub(super) fn is_permalink(facts: &Facts<'_>, link: NodeId) -> bool {
    facts.has_rel(link, "bookmark") || facts.dom.has_class(link, "permalink")
}

/// See `Group::names_at`.
pub(super) fn names_at<'a>(facts: &'a Facts<'_>, e: usize, search: Search) -> NamesAt<'a> {
    let element = &facts.blocks.elements[e];
    let dom = facts.dom;
    // A heading without an end tag also holds the rest of the record.
    let many = element.blocks.len() > 6 && element.tag.heading_level().is_none();
    if element.blocks.is_empty() || many || element.hidden {
        return [None, None, None, None];
    }
    let whole =
        if element.blocks.len() <= 2 { node_text(dom, element.node, MAX_NAME_CHARS * 4) } else { String::new() };
    let (mut direct, mut bytes) = (String::new(), 0);
    for n in dom.children(element.node).take(12) {
        let text = dom.text(n).trim();
        bytes += 1 + text.len();
        if bytes > MAX_SOURCE_BYTES {
            direct.clear();
            break;
        }
        if !text.is_empty() {
            direct.push(' ');
            direct.push_str(text);
        }
    }
    let lenient = search.is_lenient();
    // Most elements have no text of their own.
    let direct = (!direct.is_empty()).then(|| squeeze(&direct)).filter(|d| *d != whole);
    let direct = direct.and_then(|text| name_in(text, lenient));
    let signed = if element.blocks.len() == 1 { signed(&whole, || facts.hint()) } else { None };
    let whole = name_in(whole, lenient);
    let head = if lenient && element.blocks.len() == 1 { before_date(facts, element.blocks.start) } else { None };
    if whole.is_none() && direct.is_none() && signed.is_none() && head.is_none() {
        return [None, None, None, None];
    }
    let rough = if lenient { facts.rough_kind(element.node) } else { 0 };
    let own = PlaceKind { exact: facts.kind(element.node), rough };
    let whole = whole.and_then(|name| {
        let near = dom.descendants(element.node).take(6).chain(dom.ancestors(element.node).take(2));
        let link = std::iter::once(element.node).chain(near).find(|n| dom.tag(*n) == Tag::A);
        // The text of a permalink is a title or a date.
        let is_permalink = link.is_some_and(|n| is_permalink(facts, n));
        (!is_permalink).then(|| (own, name, link.and_then(|n| dom.attr(n, "href"))))
    });
    let head = head.map(|h| (own.nth(3), h.to_owned(), None));
    [whole, direct.map(|d| (own.nth(1), d, None)), signed.map(|s| (own.nth(2), s, None)), head]
}

/// Returns the name in a line with author and date: `Posted by: Jane | January 14, 2008 06:24 PM`.
pub(super) fn signed<'h>(line: &str, hint: impl FnOnce() -> dates::Hint<'h>) -> Option<String> {
    if line.is_ascii() && !line.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    // Phrases before the name and date of a comment are hardly ever used elsewhere.
    let mut phrases = BEFORE.iter().filter(|label| label.contains(' '));
    let comment = phrases.find_map(|s| line.get(..s.len()).filter(|l| l.eq_ignore_ascii_case(s)));
    let name = match comment {
        // Commenters' names are often in lower case; a byline's names are not.
        Some(label) => line[label.len()..].strip_prefix([' ', ':', '\u{a0}'])?,
        None => Some(strip_label(line)).filter(|l| !l.1.is_empty())?.0,
    };
    let date = dates::find(name, &hint()).into_iter().next()?;
    let mut words: Vec<&str> = without_weekday(&name[..date.range.start]).split_whitespace().collect();
    // "Jane on", "Jane le", "Jane at 4:05pm Tue": words that introduce the date do not belong to the name.
    while let Some((last, before)) = words.split_last() {
        let short = last.chars().count() <= 3 && last.chars().all(char::is_lowercase);
        if !short && !is_clock(last) && !before.last().is_some_and(|w| is_clock(w)) {
            break;
        }
        words.pop();
    }
    let name = words.join(" ");
    // "Jane (not verified)"
    let name = name.split(" (").next().unwrap_or("");
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    is_name(name).then(|| name.to_owned())
}

/// Returns whether a text is short enough for a name.
pub(super) fn is_name(text: &str) -> bool {
    // Bytes rule out most texts before characters are counted.
    let is_long = text.len() > MAX_NAME_CHARS && text.chars().nth(MAX_NAME_CHARS).is_some();
    let is_short = !is_long && text.bytes().filter(|b| *b == b' ').nth(3).is_none();
    is_short
        && !is_rating(text)
        && text.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
        && !text.ends_with(':')
        && !is_verb_of_saying(text)
        && !is_label(text)
        && !is_time(text)
}

/// Whether a text is the rest of "Jane said...".
fn is_verb_of_saying(text: &str) -> bool {
    text.ends_with(['.', '…']) && SAYS.contains(&text.trim_end_matches(is_mark).to_lowercase().as_str())
}

/// Whether a text has two numbers: "Rated 4 out of 5".
fn is_rating(text: &str) -> bool {
    text.split(' ').filter(|word| word.bytes().all(|b| b.is_ascii_digit())).nth(1).is_some()
}

/// Returns a text if it may be a name; in a lenient search, without the words around names.
fn name_in(text: String, lenient: bool) -> Option<String> {
    let text = without_status(&text);
    let text = if lenient { bare(text).to_owned() } else { text.to_owned() };
    (is_name(&text) && !(lenient && is_likely_label(&text))).then_some(text)
}

/// Whether a word is a time of day.
fn is_clock(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) && word.contains([':', '.'])
}

#[cfg(test)]
mod tests {
    use super::{bare, is_name, signed, without_status};

    #[test]
    fn labels_beside_names() {
        for text in [
            "Jane Doe",
            "Jane Doe says:",
            "Jane Doe said...",
            "Jane Doe mengatakan…",
            "Jane Doe sagt",
            "von Jane Doe",
            "Par Jane Doe,",
            "Autor: Jane Doe",
            "Jane Doe dijo:",
            "Отправил: Jane Doe",
            "فرستنده: Jane Doe",
        ] {
            assert_eq!(bare(text), "Jane Doe", "{text}");
        }
        assert_eq!(without_status("Jane Doe (nicht überprüft)"), "Jane Doe");
        assert_eq!(without_status("Jane Doe (London)"), "Jane Doe (London)");
        for name in ["Byron", "vonnegut", "Parker", "says", "Paul von Hall"] {
            assert_eq!(bare(name), name);
        }
    }

    #[test]
    fn words_for_a_permalink_are_no_names() {
        for text in ["Permalink", "Enlace permanente", "Permanenter Link", "Постоянная ссылка", "固定リンク"]
        {
            assert!(!is_name(text), "{text}");
        }
        assert!(is_name("Jane Doe") && is_name("Lien"));
    }

    #[test]
    fn names_are_read_from_lines_with_dates() {
        let name = |line: &str| signed(line, Default::default).unwrap_or_default();
        assert_eq!(name("Posted by: Jane Lee | January 14, 2008 06:24 PM"), "Jane Lee");
        assert_eq!(name("Posted By heron_fan on May 3rd, 2024 at 10:00"), "heron_fan");
        assert_eq!(name("Comment by heron — May 3, 2024 @ 6:24 pm"), "heron");
        assert_eq!(name("Posted by: Jane, Leeds on 4:05pm Tue 1 Jan 2008"), "Jane, Leeds");
        assert_eq!(name("Von Erika am 3. Mai 2024"), "Erika");
        assert_eq!(name("Enviado por juana_p (invitada) el Vie, 03/05/2024 - 18:24"), "juana_p");
        assert_eq!(name("Ingediend door reiger op vr, 03/05/2024 - 18:24"), "reiger");
        assert_eq!(name("Posted on May 3, 2024"), "");
        assert_eq!(name("Posted by"), "");
        assert_eq!(name("Posted bytes until May 3, 2024"), "");
        assert_eq!(name("By May 3, 2024 all of this will have been forgotten by everybody"), "");
        assert_eq!(name("Jane Doe, May 3, 2024"), "");
    }
}
