//! Finds the post that opens a thread, if its markup differs from the markup of the answers.
//!
//! It precedes the answers, and its author's name links to a profile as theirs do.
use super::anchors::{Anchor, Completeness, anchors};
use super::names::{MAX_NAME_CHARS, is_name};
use super::text::{is_button, is_signature};
use super::{MIN_TEXT_WORDS, Record, Search};
use crate::metadata::sources::facts::Facts;
use crate::metadata::text::node_text;
use maintext_page::blocks::Element;
use maintext_page::dom::Tag;
use std::ops::Range;
use url::Url;

/// The common form must have more than one in this many of the authors' links.
const COMMON_FORM_SHARE: usize = 2;
/// Maximum number of blocks between an author's name and the date.
const MAX_BLOCKS_TO_DATE: u32 = 6;
/// Minimum number of words of an opening post.
const MIN_WORDS: u32 = 4;
/// Maximum number of lines between a title that is a link and the name of the person who posted it.
const MAX_LINES_TO_TITLE: u32 = 1;

/// Returns the opening post above the first record.
pub(super) fn opening(facts: &Facts<'_>, kept: &[bool], records: &[Record]) -> Option<Record> {
    let end = records.first()?.blocks.start;
    let form = profiles(records)?;
    let elements = &facts.blocks.elements;
    let links: Vec<&Element> = elements
        .iter()
        .filter(|e| {
            e.tag == Tag::A
                && e.blocks.start < end
                && !e.hidden
                && !e.blocks.is_empty()
                && facts.dom.attr(e.node, "href").and_then(|h| facts.address(h)).and_then(|u| shape(&u)).as_ref()
                    == Some(&form)
        })
        .collect();
    let mut dates: Vec<Anchor> = anchors(facts, Completeness::Whole, Search::Strict);
    dates.extend(anchors(facts, Completeness::Vague, Search::Strict));
    dates.retain(|a| a.line < end);
    let heads = || links.iter().rev().filter_map(|link| Head::of(facts, link, &dates));
    let with_text = heads().find_map(|found| {
        let lines = text(facts, kept, found.blocks.end..end).or_else(|| text(facts, kept, 0..found.blocks.start))?;
        Some((found, lines))
    });
    let (head, lines) = match with_text {
        Some(found) => found,
        None => {
            let title = linked_title(facts)?;
            let found = heads().find(|found| title.is_above(found.blocks.start))?;
            if title.leads_to(&found.profile(facts)?) {
                return None;
            }
            (found, Vec::new())
        }
    };
    let (first, last) = (lines.first().copied(), lines.last().copied());
    Some(Record {
        author_url: head.profile(facts),
        author: Some(head.author),
        stamp: head.date.stamp,
        when: head.date.when.clone(),
        text: lines.iter().map(|b| facts.blocks.text(*b as usize)).collect::<Vec<_>>().join("\n"),
        blocks: first.map_or(head.blocks.start, |b| head.blocks.start.min(b))
            ..last.map_or(head.blocks.end, |b| head.blocks.end.max(b + 1)),
        lines,
        is_post: true,
        ..Record::default()
    })
}

/// The lines with the author and the date of a post.
struct Head<'a> {
    author: String,
    link: &'a Element,
    date: &'a Anchor,
    blocks: Range<u32>,
}

impl<'a> Head<'a> {
    /// Returns the lines around an author's link and the nearest date, if they are near each other.
    fn of(facts: &Facts<'_>, link: &'a Element, dates: &'a [Anchor]) -> Option<Head<'a>> {
        let author = node_text(facts.dom, link.node, MAX_NAME_CHARS * 4);
        let date = dates.iter().min_by_key(|a| a.line.abs_diff(link.blocks.start))?;
        let blocks = date.line.min(link.blocks.start)..date.line.max(link.blocks.start) + 1;
        (blocks.len() as u32 <= MAX_BLOCKS_TO_DATE && is_name(&author)).then_some(Head { author, link, date, blocks })
    }

    /// Returns the address of the author's profile.
    fn profile(&self, facts: &Facts<'_>) -> Option<String> {
        facts.dom.attr(self.link.node, "href").and_then(|href| facts.address(href))
    }
}

/// A main heading that leads to another site: the title of a post that is nothing but a link.
struct LinkedTitle {
    end: u32,
    host: String,
}

impl LinkedTitle {
    /// Whether a line follows the title directly, or only a line apart.
    fn is_above(&self, line: u32) -> bool {
        line >= self.end && line - self.end <= MAX_LINES_TO_TITLE
    }

    /// Whether it leads to the site of an address.
    fn leads_to(&self, address: &str) -> bool {
        host(address).is_some_and(|own| own == self.host)
    }
}

/// Returns the first main heading, if it is a link.
fn linked_title(facts: &Facts) -> Option<LinkedTitle> {
    let heading = facts.blocks.elements.iter().find(|e| e.tag == Tag::H1 && !e.hidden && !e.blocks.is_empty())?;
    let link = facts.dom.descendants(heading.node).find(|&n| facts.dom.tag(n) == Tag::A)?;
    Some(LinkedTitle { end: heading.blocks.end, host: host(facts.dom.attr(link, "href")?)? })
}

fn host(address: &str) -> Option<String> {
    Some(Url::parse(address).ok()?.host_str()?.to_owned())
}

/// Adds authors whose markup differs from most, for example in a moderator's colour, by their links to profiles. A link to another kind of page
/// where the others have a profile is a button.
pub(super) fn name_by_profile(facts: &Facts<'_>, records: &mut [Record]) {
    let Some(form) = profiles(records) else { return };
    let lacks_profile = |r: &Record| match (&r.author, &r.author_url) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(address)) => shape(address).as_ref() != Some(&form),
    };
    let unnamed = records.iter_mut().filter(|r| lacks_profile(r));
    let mut unnamed = unnamed.peekable();
    let blocks = facts.blocks;
    for e in blocks.elements.iter().filter(|e| e.tag == Tag::A && !e.hidden && !e.blocks.is_empty()) {
        while unnamed.peek().is_some_and(|r| !lacks_profile(r) || r.blocks.end <= e.blocks.start) {
            unnamed.next();
        }
        let Some(r) = unnamed.peek_mut() else { return };
        let in_text = r.lines.contains(&e.blocks.start);
        let Some(address) = facts.dom.attr(e.node, "href").and_then(|h| facts.address(h)) else { continue };
        if !r.blocks.contains(&e.blocks.start) || in_text || shape(&address).as_ref() != Some(&form) {
            continue;
        }
        let name = node_text(facts.dom, e.node, MAX_NAME_CHARS * 4);
        if is_name(&name) {
            r.author = Some(name);
            r.author_url = Some(address);
        }
    }
}

/// Returns the form of most authors' links.
fn profiles(records: &[Record]) -> Option<String> {
    let mut shapes: Vec<String> = records.iter().filter_map(|r| shape(r.author_url.as_deref()?)).collect();
    let all = shapes.len();
    shapes.sort_unstable();
    let most = shapes.chunk_by(|a, b| a == b).max_by_key(|c| c.len())?;
    (most.len() * COMMON_FORM_SHARE > all).then(|| most[0].clone())
}

/// Returns the form of a profile's address: its host and path without the name; `None` for `/name`, which may be any page, unlike `/~name`.
fn shape(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let path = url.path().trim_end_matches('/');
    let mut keys: Vec<String> = url.query_pairs().map(|(k, _)| k.into_owned()).collect();
    keys.sort_unstable();
    let (before, name) = path.rsplit_once('/')?;
    let path = match name.get(..1) {
        _ if !keys.is_empty() => path,
        Some(mark @ ("~" | "@")) => mark,
        _ => before,
    };
    let path: String = path
        .split('/')
        .map(|p| if p.bytes().all(|b| b.is_ascii_digit()) { "" } else { p })
        .collect::<Vec<_>>()
        .join("/");
    let known = !path.trim_matches('/').is_empty() || !keys.is_empty();
    known.then(|| format!("{}{path}?{}", url.host_str().unwrap_or(""), keys.join("&")))
}

/// Returns the blocks of the element that holds most of a stretch's content and little else.
fn text(facts: &Facts<'_>, kept: &[bool], within: Range<u32>) -> Option<Vec<u32>> {
    let blocks = facts.blocks;
    let mut best: Option<(f32, Range<u32>)> = None;
    // For each block, the number of words before it: of all blocks, and of texts.
    let mut sums = vec![(0, 0)];
    let (mut words, mut all) = (0, 0);
    for b in within.clone() {
        let n = blocks.blocks[b as usize].words;
        words += n;
        if kept[b as usize] && n >= MIN_TEXT_WORDS && !is_label(facts, b) {
            all += n;
        }
        sums.push((words, all));
    }
    if all < MIN_WORDS {
        return None;
    }
    for e in blocks.elements.iter().filter(|e| e.tag.is_block() || matches!(e.tag, Tag::SPAN | Tag::OTHER)) {
        let r = e.blocks.start.max(within.start)..e.blocks.end.min(within.end);
        if r.is_empty() || e.hidden {
            continue;
        }
        let (a, z) = (sums[(r.start - within.start) as usize], sums[(r.end - within.start) as usize]);
        let f1 = 2.0 * (z.1 - a.1) as f32 / (all + z.0 - a.0).max(1) as f32;
        if best.as_ref().is_none_or(|b| f1 >= b.0) {
            best = Some((f1, r));
        }
    }
    let lines: Vec<u32> = best?.1.filter(|b| !blocks.blocks[*b as usize].hidden && !is_label(facts, *b)).collect();
    (!lines.is_empty()).then_some(lines)
}

fn is_label(facts: &Facts<'_>, b: u32) -> bool {
    is_button(facts, b)
        || is_signature(facts, b)
        || facts.title.as_ref().is_some_and(|t| t.contains(facts.blocks.text(b as usize)))
}
