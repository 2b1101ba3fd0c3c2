//! Finds the dates of a page that may belong to comments and posts, and groups them by the markup around them.
use super::names::signed;
use super::single::single;
use super::{MIN_TEXT_WORDS, Search};
use crate::metadata::sources::MAX_VAGUE_CHARS;
use crate::metadata::sources::facts::{DateInLine, Facts, may_hold_date};
use crate::metadata::text::dates::{self, Stamp};
use crate::metadata::text::{node_text, squeeze};
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::NodeId;
use maintext_page::hash::{HashMap, HashSet};
use std::cell::OnceCell;

/// Maximum number of dates considered on a page.
const MAX_ANCHORS: usize = 3000;
/// Maximum number of groups of dates that are cut into records.
const MAX_GROUPS: usize = 10;
/// Maximum number of dates without a group that are considered as the date of an only comment.
const MAX_SINGLES: usize = 4;
/// Longest line with a date, in characters; a longer text is prose.
const MAX_LINE_CHARS: u32 = 220;
/// Bytes of a line that are searched for dates and names for one unit of work.
const BYTES_PER_UNIT: u64 = 64;
/// Bytes that a line needs in addition to its date to hold a name.
const MIN_NAME_BYTES: usize = 4;

/// A date on the page.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    pub node: NodeId,
    pub element: usize,
    /// The block of the date; for an element after the last text, the number of blocks. The element may begin with other blocks.
    pub line: u32,
    pub stamp: Option<Stamp>,
    pub when: String,
    pub kind: u64,
    /// Whether the line of the date also names the author.
    pub signed: bool,
}

impl Anchor {
    /// Whether the line of the date has room for a name.
    fn has_name_beside(&self, blocks: &Blocks) -> bool {
        let line = self.line as usize;
        line < blocks.len() && blocks.text(line).len() > self.when.len() + MIN_NAME_BYTES
    }
}

/// How complete a date is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completeness {
    /// Has day, month and year.
    Whole,
    /// Lacks the year, or is relative to today.
    Vague,
}

/// Returns the dates in short lines and in attributes, at most one per block.
pub(super) fn anchors(facts: &Facts<'_>, completeness: Completeness, search: Search) -> Vec<Anchor> {
    let blocks = facts.blocks;
    let mut found: Vec<Anchor> = Vec::new();
    // Many dates may be in one line, which is read once.
    let mut signed_lines: HashMap<u32, bool> = HashMap::default();
    let mut is_signed = |line: u32| {
        // An element after the last text has no line.
        (line as usize) < blocks.len()
            && *signed_lines.entry(line).or_insert_with(|| {
                let text = blocks.text(line as usize);
                facts.dom.works(text.len() as u64 / BYTES_PER_UNIT);
                signed(text, || facts.hint()).is_some()
            })
    };
    if completeness == Completeness::Whole {
        for e in facts.dated.iter().filter_map(|&n| facts.element(n)) {
            let element = &blocks.elements[e];
            if element.blocks.len() > 2 || found.len() > MAX_ANCHORS || element.hidden {
                continue;
            }
            let Some(stamp) = attribute(facts, element.node) else { continue };
            let when = node_text(facts.dom, element.node, 80);
            if when.chars().count() <= 60 {
                let kind = facts.kind(element.node);
                let line = element.blocks.start;
                let signed = is_signed(line);
                found.push(Anchor { node: element.node, element: e, line, stamp: Some(stamp), when, kind, signed });
            }
        }
    }
    let marked: HashSet<u32> = found.iter().map(|a| a.line).collect();
    let hint = facts.hint();
    let candidates: Vec<DateInLine> = match completeness {
        Completeness::Whole => {
            let hits = facts.hits().iter();
            let hits = hits.filter_map(|(b, hits)| Some((*b, Some(hits.first()?.stamp), hits.first()?.range.clone())));
            let touching = (search == Search::Lenient).then(|| in_leaves(facts, &hint));
            hits.chain(touching.into_iter().flatten()).collect()
        }
        Completeness::Vague => facts.vague_dates().to_vec(),
    };
    for (i, stamp, range) in candidates {
        let b = &blocks.blocks[i as usize];
        if b.chars > MAX_LINE_CHARS || b.hidden || marked.contains(&i) || found.len() > MAX_ANCHORS {
            continue;
        }
        let when = blocks.text(i as usize).get(range).unwrap_or("");
        let leaves = blocks.leaves_of(b);
        let start: String = when.chars().take_while(|c| !c.is_whitespace()).take(6).collect();
        let leaf = leaves.iter().find(|l| facts.dom.text(**l).contains(&start)).or(leaves.first());
        let Some(node) = leaf.and_then(|l| facts.dom.parent(*l)) else { continue };
        let Some(element) = facts.element(node) else { continue };
        let when = if completeness == Completeness::Vague { around(facts, node, when) } else { when.to_owned() };
        let (kind, signed) = (facts.kind(node), is_signed(i));
        found.push(Anchor { node, element, line: i, stamp, when, kind, signed });
    }
    found.sort_by_key(|a| (a.line, a.element));
    found.dedup_by_key(|a| a.line);
    found
}

/// Returns the dates of short lines that touch the text before them: `Jane6 June 2015` in two elements.
fn in_leaves<'a>(facts: &'a Facts<'_>, hint: &'a dates::Hint<'_>) -> impl Iterator<Item = DateInLine> + 'a {
    let blocks = facts.blocks;
    let lines = blocks
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, b)| !b.hidden && b.chars <= MAX_VAGUE_CHARS && b.leaves.end > b.leaves.start + 1);
    lines.filter_map(move |(i, b)| {
        let line = blocks.text(i);
        if !has_digit(line) || !facts.hits_of(i as u32).is_empty() {
            return None;
        }
        let leaves = blocks.leaves_of(b);
        leaves.iter().skip(1).find_map(|l| {
            let text = squeeze(facts.dom.text(*l));
            let hit = dates::find(Some(&text[..]).filter(|t| has_digit(t))?, hint).into_iter().next()?;
            let start = line.find(&text)? + hit.range.start;
            Some((i as u32, Some(hit.stamp), start..start + hit.range.len()))
        })
    })
}

fn has_digit(t: &str) -> bool {
    t.bytes().any(|c| c.is_ascii_digit())
}

/// Returns the text of the largest short element around a date, which includes the time of day next to it.
fn around(facts: &Facts<'_>, node: NodeId, when: &str) -> String {
    let mut out = when.to_owned();
    for n in std::iter::once(node).chain(facts.dom.ancestors(node).take(2)) {
        let text = node_text(facts.dom, n, 100);
        let clock = text.as_bytes().windows(3).any(|w| w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit());
        if text.chars().count() > 40 {
            break;
        }
        // "Sunday 8th March"
        if (clock || is_weekday(&text, when)) && text.len() > out.len() {
            out = text;
        }
    }
    out
}

fn is_weekday(t: &str, when: &str) -> bool {
    let day = t.strip_suffix(when).map_or("", str::trim);
    day.chars().count() > 2
        && day.chars().all(|c| c.is_alphabetic() || c == ',')
        && !dates::labels::announces_publication(day)
}

/// Returns the date in an attribute: `datetime`, `title`, or any `data-` attribute if the text is a relative time.
fn attribute(facts: &Facts<'_>, node: NodeId) -> Option<Stamp> {
    let is_relative = OnceCell::new();
    let dated = facts.dom.attributes_named(node).filter(|(name, text, value)| {
        // The parser numbers common attribute names; of those, only these two hold times.
        may_hold_date(*name, value)
            && (matches!(*name, Attr::DATETIME | Attr::TITLE)
                || !name.is_known()
                    && text.starts_with("data-")
                    && (text.contains("time")
                        || *is_relative.get_or_init(|| dates::is_relative(&node_text(facts.dom, node, 40)))))
    });
    let mut stamps = dated.filter_map(|(name, _, value)| Some((name, Stamp::parse(&squeeze(value))?)));
    let first = stamps.next()?;
    // `datetime` states the zone of the page; other attributes count from 1970.
    let own = (first.0 != Attr::DATETIME).then(|| stamps.find(|s| s.0 == Attr::DATETIME)).flatten();
    Some(own.unwrap_or(first).1)
}

/// Groups dates of the same kind, largest group first; the lenient search adds the dates of only comments.
/// A date printed twice in a row, for two screen widths, counts once.
pub(super) fn groups(facts: &Facts<'_>, anchors: Vec<Anchor>, search: Search) -> Vec<Vec<Anchor>> {
    let mut by_kind: HashMap<u64, Vec<Anchor>> = HashMap::default();
    for a in anchors {
        by_kind.entry(a.kind).or_default().push(a);
    }
    let blocks = facts.blocks;
    for group in by_kind.values_mut() {
        group.dedup_by(|b, a| {
            a.stamp == b.stamp && a.when == b.when && !has_text_between(blocks, a, b) && !are_answers(blocks, a, b)
        });
    }
    let (mut groups, mut singles): (Vec<Vec<Anchor>>, Vec<_>) = by_kind.into_values().partition(|g| g.len() >= 2);
    groups.sort_by_key(|g| (std::cmp::Reverse(g.len()), g[0].element));
    groups.truncate(MAX_GROUPS);
    singles.retain(|g| search == Search::Lenient && single(facts, g[0].element).is_some());
    singles.sort_by_key(|g| g[0].element);
    singles.truncate(MAX_SINGLES);
    groups.extend(singles);
    groups
}

/// Whether a text lies between the lines of two dates.
fn has_text_between(blocks: &Blocks, a: &Anchor, b: &Anchor) -> bool {
    (a.line + 1..b.line).any(|b| blocks.blocks.get(b as usize).is_some_and(|b| b.words >= MIN_TEXT_WORDS))
}

/// Whether two lines with the same date are "Jane, 5:23am" and "Joe, 5:23am": two short answers within a minute.
fn are_answers(blocks: &Blocks, a: &Anchor, b: &Anchor) -> bool {
    a.has_name_beside(blocks)
        && b.has_name_beside(blocks)
        && a.line != b.line
        && blocks.text(a.line as usize) != blocks.text(b.line as usize)
}
