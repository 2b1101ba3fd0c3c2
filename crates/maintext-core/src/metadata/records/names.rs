//! Finds short texts that may be names, each with the kind of its place.
use super::Facts;
use super::anchors::kind;
use super::authors::{is_label, is_time};
use crate::dom::Tag;
use crate::metadata::text::dates;
use crate::metadata::text::names::strip_label;
use crate::metadata::text::{node_text, squeeze};
use std::cell::OnceCell;

/// Longest author's name, in characters.
pub(super) const LONGEST_NAME: usize = 40;
/// Most bytes of source for a name, with line breaks and indentation.
const LONGEST_SOURCE: usize = 1000;
/// Phrases before the name and date of a comment, hardly ever used elsewhere.
const SIGNATURES: [&str; 3] = ["posted by", "comment by", "comments by"];

/// A short text that may be a name: the kind of its place, the text, and the link around it.
pub(super) type Name<'a> = (u64, String, Option<&'a str>);

/// The texts of one element that may be names: all of its text, its own text without children, and the text beside a date in it.
pub(super) type NamesAt<'a> = [Option<Name<'a>>; 3];

/// The possible names of each element, computed on first use because the same elements occur in many groups. Boxed, since most are never
/// needed.
pub(super) type Names<'a> = [OnceCell<Box<NamesAt<'a>>>];

/// See [`Group::names_at`].
pub(super) fn names_at<'a>(facts: &'a Facts<'_>, e: usize) -> NamesAt<'a> {
    let element = &facts.blocks.elements[e];
    let dom = facts.dom;
    // A heading without an end tag also holds the rest of the record.
    let many = element.blocks.len() > 6 && element.tag.heading_level().is_none();
    if element.blocks.is_empty() || many || element.hidden {
        return [None, None, None];
    }
    let whole = if element.blocks.len() <= 2 { node_text(dom, element.node, LONGEST_NAME * 4) } else { String::new() };
    let mut direct = String::new();
    for n in dom.children(element.node).take(12) {
        direct.push(' ');
        direct.push_str(dom.text(n).trim());
        if direct.len() > LONGEST_SOURCE {
            direct.clear();
            break;
        }
    }
    let direct = Some(squeeze(&direct)).filter(|d| *d != whole && is_name(d));
    let signed = if element.blocks.len() == 1 { signed(&whole, || facts.hint()) } else { None };
    let whole = Some(whole).filter(|w| is_name(w));
    if whole.is_none() && direct.is_none() && signed.is_none() {
        return [None, None, None];
    }
    let own = kind(facts, element.node);
    let near = || dom.descendants(element.node).take(6).chain(dom.ancestors(element.node).take(2));
    let link = || std::iter::once(element.node).chain(near()).find(|n| dom.tag(*n) == Tag::A);
    let whole = whole.map(|w| (own, w, link().and_then(|n| dom.attr(n, "href"))));
    [whole, direct.map(|d| (own ^ 1, d, None)), signed.map(|s| (own ^ 2, s, None))]
}

/// Returns the name in a line with author and date: `Posted by: Jane | January 14, 2008 06:24 PM`.
pub(super) fn signed<'h>(line: &str, hint: impl FnOnce() -> dates::Hint<'h>) -> Option<String> {
    let comment = SIGNATURES.iter().find_map(|s| line.get(..s.len()).filter(|l| l.eq_ignore_ascii_case(s)));
    let name = match comment {
        // Commenters' names are often in lower case; a byline's names are not.
        Some(label) => line[label.len()..].strip_prefix([' ', ':', '\u{a0}'])?,
        None => Some(strip_label(line)).filter(|l| !l.1.is_empty())?.0,
    };
    let date = dates::find(name, &hint()).into_iter().next()?;
    let mut words: Vec<&str> = name[..date.range.start].split_whitespace().collect();
    // "Jane on", "Jane le", "Jane at 4:05pm Tue": words that introduce the date do not belong to the name.
    while let Some((last, before)) = words.split_last() {
        let clock = |w: &str| w.contains(|c: char| c.is_ascii_digit()) && w.contains([':', '.']);
        let short = last.chars().count() <= 3 && last.chars().all(char::is_lowercase);
        if !short && !clock(last) && !before.last().is_some_and(|w| clock(w)) {
            break;
        }
        words.pop();
    }
    let name = words.join(" ");
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    is_name(name).then(|| name.to_owned())
}

/// Returns whether a text is short enough for a name.
pub(super) fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let short = text.chars().count() <= LONGEST_NAME && text.split(' ').count() <= 4;
    letters >= 2 && short && !text.ends_with(':') && !is_label(text) && !is_time(text)
}
