//! Short texts that can be names, each with the kind of its place.
use super::super::dates;
use super::super::names::strip_label;
use super::super::text::{node_text, squeeze};
use super::Facts;
use super::anchors::kind;
use super::authors::{is_label, is_time};
use crate::dom::Tag;
use std::cell::OnceCell;

/// A longer text is no author's name.
pub(super) const LONGEST_NAME: usize = 40;
/// Bytes of source, line breaks and indentation included, beyond which a text is no name.
const LONGEST_SOURCE: usize = 1000;
/// What stands before the name and the date of a comment, and hardly ever before anything else.
const SIGNATURES: [&str; 3] = ["posted by", "comment by", "comments by"];

/// A short text that can be a name: the kind of its place, the text, and the link that it is on.
pub(super) type Name<'a> = (u64, String, Option<&'a str>);

/// What one element holds that can be a name: all of its text, what stands in it directly, and what stands beside a date in it.
pub(super) type NamesAt<'a> = [Option<Name<'a>>; 3];

/// What each element holds that can be a name, once it was asked for: the same elements stand in many groups. In boxes, since most are never
/// asked for.
pub(super) type Names<'a> = [OnceCell<Box<NamesAt<'a>>>];

/// See [`Group::names_at`].
pub(super) fn names_at<'a>(facts: &'a Facts<'_>, e: usize) -> NamesAt<'a> {
    let element = &facts.blocks.elements[e];
    let dom = facts.dom;
    // A heading that is not closed holds the rest of the record, too.
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

/// The name in a line that says by whom and when: `Posted by: Jane | January 14, 2008 06:24 PM`.
pub(super) fn signed<'h>(line: &str, hint: impl FnOnce() -> dates::Hint<'h>) -> Option<String> {
    let comment = SIGNATURES.iter().find_map(|s| line.get(..s.len()).filter(|l| l.eq_ignore_ascii_case(s)));
    let name = match comment {
        // Readers' names are often in lower case, where a byline's are not.
        Some(label) => line[label.len()..].strip_prefix([' ', ':', '\u{a0}'])?,
        None => Some(strip_label(line)).filter(|l| !l.1.is_empty())?.0,
    };
    let date = dates::find(name, &hint()).into_iter().next()?;
    let mut words: Vec<&str> = name[..date.range.start].split_whitespace().collect();
    // "Jane on", "Jane le", "Jane at 4:05pm Tue": what leads to the date is none of the name.
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

/// Whether a text is short enough to be somebody's name.
pub(super) fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let short = text.chars().count() <= LONGEST_NAME && text.split(' ').count() <= 4;
    letters >= 2 && short && !text.ends_with(':') && !is_label(text) && !is_time(text)
}
