//! Comments under articles and posts of forum threads, as records of author, time and text.
//!
//! A thread repeats itself: every post shows when it was written, by whom, and what it says, in markup of the same kind. So the dates of
//! a page are grouped by the markup around them; a group is cut into one record a date, at the elements that hold one date each; the
//! author is the short text, in the same place of most records, that varies and agrees with its link; the text is what stands in the
//! smallest element, in the same place of most records, that holds nearly all that no other record says. No name of a class is known
//! here; what class names say of an author is what the author's ranker has learned from bylines.
mod anchors;

use super::dates::{self, Stamp};
use super::facts::Facts;
use super::names::strip_label;
use super::rank::{SEED, hash};
use super::text::{key, node_text, squeeze, tokens};
use crate::blocks::Element;
use crate::dom::{NodeId, Tag};
use anchors::{Anchor, Telling, anchors, groups, kind};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

/// A longer text is no author's name.
const LONGEST_NAME: usize = 40;
/// Bytes of source, line breaks and indentation included, beyond which a text is no name.
const LONGEST_SOURCE: usize = 1000;
/// Words from which a block can be what somebody says.
const SAYING: u32 = 4;
/// What stands before the name and the date of a comment, and hardly ever before anything else.
const SIGNATURES: [&str; 3] = ["posted by", "comment by", "comments by"];
/// A text of fewer words after the last of some signed texts is none of them.
const NOTE: u32 = 10;
/// The share of what records say that the element of their text has to hold.
const BODY: f64 = 0.8;
/// The share of records that a place has to be in.
const COVERAGE: f32 = 0.7;

/// A comment or a post.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// Who wrote it.
    pub author: Option<String>,
    /// The author's page.
    pub author_url: Option<String>,
    /// When, if that is stated or can be told from `now`.
    pub stamp: Option<Stamp>,
    /// When, as printed.
    pub when: String,
    /// What it says.
    pub text: String,
    /// Its own address.
    pub url: Option<String>,
    /// How deep it answers.
    pub depth: u32,
    /// Its blocks.
    pub blocks: Range<u32>,
    /// Whether it is a post of a thread, content of the page, and not a comment on it.
    pub is_post: bool,
}

/// A stretch of elements, in document order, and the blocks in them.
#[derive(Clone, Debug)]
struct Cut {
    anchor: Anchor,
    elements: Range<usize>,
    blocks: Range<u32>,
}

/// The records of the page, best group only; empty if nothing repeats.
pub(crate) fn records(facts: &Facts<'_>, kept: &[bool]) -> Vec<Record> {
    let mut found = find(facts, kept);
    let words = |r: Range<u32>| -> u32 {
        let kept = r.filter(|b| kept.get(*b as usize).copied().unwrap_or(false));
        kept.map(|b| facts.blocks.blocks[b as usize].words).sum()
    };
    let said: u32 = found.iter().map(|r| words(r.blocks.clone())).sum();
    let is_post = said * 2 > words(0..facts.blocks.len() as u32);
    found.iter_mut().for_each(|r| r.is_post = is_post);
    found
}

fn find(facts: &Facts<'_>, kept: &[bool]) -> Vec<Record> {
    let names = vec![OnceCell::new(); facts.blocks.elements.len()];
    for style in [Telling::Whole, Telling::Vague] {
        let mut best: Option<(f32, u64, Group<'_, '_>)> = None;
        for anchors in groups(facts, anchors(facts, style)) {
            if let Some(group) = Group::new(facts, &names, kept, anchors)
                && let Some((worth, author)) = group.worth()
                && best.as_ref().is_none_or(|b| worth > b.0)
            {
                best = Some((worth, author, group));
            }
        }
        // "11 days ago" is looked for only where no page of calendar dates is found.
        if let Some((_, author, group)) = best {
            return group.records(author);
        }
    }
    Vec::new()
}

/// A short text that can be a name: the kind of its place, the text, and the link that it is on.
type Name<'a> = (u64, String, Option<&'a str>);

/// What one element holds that can be a name: all of its text, what stands in it directly, and what stands beside a date in it.
type NamesAt<'a> = [Option<Name<'a>>; 3];

/// What each element holds that can be a name, once it was asked for: the same elements stand in many groups. In boxes, since most are never
/// asked for.
type Names<'a> = [OnceCell<Box<NamesAt<'a>>>];

struct Group<'a, 'f> {
    facts: &'a Facts<'f>,
    names: &'a Names<'a>,
    cuts: Vec<Cut>,
    /// For each block, how many words stand before it, how many of them are said, and how many are sayings by their form.
    words: Vec<(u32, u32, u32)>,
}

impl<'a, 'f> Group<'a, 'f> {
    fn new(facts: &'a Facts<'f>, names: &'a Names<'a>, kept: &[bool], anchors: Vec<Anchor>) -> Option<Self> {
        let cuts = cut(facts, anchors);
        let first = cuts.first()?.blocks.start as usize;
        let last = cuts.iter().map(|c| c.blocks.end).max()? as usize;
        let blocks = facts.blocks;
        // What is printed twice is a button or a label, and no saying.
        let mut printed: HashMap<&str, u32> = HashMap::new();
        (first..last).for_each(|b| *printed.entry(blocks.text(b)).or_default() += 1);
        let says = |b: usize| {
            let own = &blocks.blocks[b];
            own.words >= SAYING && !own.hidden && printed.get(blocks.text(b)).is_some_and(|n| *n <= 2)
        };
        let sum =
            |f: &dyn Fn(usize) -> bool| (first..last).filter(|b| f(*b)).map(|b| blocks.blocks[b].words).sum::<u32>();
        let is_kept = |b: usize| says(b) && kept.get(b).copied().unwrap_or(false);
        // In a thread the content tells what is said from what is told of those who say it; comments are no content.
        let by_content = sum(&is_kept) * 3 >= sum(&says);
        let mut words = vec![(0, 0, 0); last + 1];
        for b in first..last {
            let n = blocks.blocks[b].words;
            let counts = if by_content { is_kept(b) } else { says(b) };
            let (all, said, form) = words[b];
            words[b + 1] = (all + n, said + if counts { n } else { 0 }, form + if says(b) { n } else { 0 });
        }
        Some(Group { facts, names, cuts, words })
    }

    fn said(&self, blocks: &Range<u32>) -> (u32, u32, u32) {
        let last = self.words.len() - 1;
        let at = |b: u32| self.words[(b as usize).min(last)];
        let (a, b) = (at(blocks.start), at(blocks.end.max(blocks.start)));
        (b.0.saturating_sub(a.0), b.1.saturating_sub(a.1), b.2.saturating_sub(a.2))
    }

    /// What the group is worth, the words that are said in it, and the kind of element that its authors' names stand in; `None` if these are
    /// no records.
    fn worth(&self) -> Option<(f32, u64)> {
        let n = self.cuts.len();
        let total: u32 = self.cuts.iter().map(|c| self.said(&c.blocks).2).sum();
        if n < 2 || total < 3 * n as u32 || self.is_list() {
            return None;
        }
        let (author, trust) = self.author()?;
        Some((total as f32 * trust * trust * self.order(), author))
    }

    /// The records, whose authors' names stand in elements of that kind.
    fn records(&self, author: u64) -> Vec<Record> {
        let body = self.body();
        let base = self.cuts.iter().map(|c| c.anchor.element).collect::<Vec<_>>();
        let depths = depths(self.facts, &base);
        self.cuts.iter().zip(depths).map(|(c, depth)| self.record(c, author, body, depth)).collect()
    }

    /// How much the dates are in order: posts follow each other in time, the days when their authors joined do not. 1 to 2.
    fn order(&self) -> f32 {
        let stamps: Vec<_> = self.cuts.iter().filter_map(|c| c.anchor.stamp.map(|s| (s.date, s.time))).collect();
        let steps = stamps.len().saturating_sub(1).max(1) as f32;
        let up = stamps.windows(2).filter(|w| w[0] <= w[1]).count() as f32 / steps;
        let down = stamps.windows(2).filter(|w| w[0] >= w[1]).count() as f32 / steps;
        let timed = stamps.iter().filter(|s| s.1.is_some()).count() * 2 > stamps.len();
        1.0 + 0.8 * up.max(down).powi(2) + if timed { 0.2 } else { 0.0 }
    }

    /// Whether most records have a heading that leads to another page: entries of a list.
    fn is_list(&self) -> bool {
        let facts = self.facts;
        let here = facts.url.as_ref().map(|u| u.path().to_owned());
        let leads_away = |c: &&Cut| {
            let headings = c.elements.clone().filter(|e| facts.blocks.elements[*e].tag.heading_level().is_some());
            headings.take(3).any(|e| {
                let node = facts.blocks.elements[e].node;
                let inside = facts.dom.descendants(node).take(8);
                let around = facts.dom.ancestors(node).take(2);
                let mut links = inside.chain(around).filter(|n| facts.dom.tag(*n) == Tag::A);
                // A name is no headline.
                let says = |n: &NodeId| node_text(facts.dom, *n, 200).split(' ').count() > 3;
                let href = links.find(says).and_then(|n| facts.dom.attr(n, "href"));
                let same_page = |h: &str| {
                    h.starts_with('#')
                        || h.contains('#')
                        || facts.address(h).and_then(|u| url::Url::parse(&u).ok()).map(|u| u.path().to_owned()) == here
                };
                href.is_some_and(|h| !same_page(h))
            })
        };
        self.cuts.iter().filter(leads_away).count() * 2 > self.cuts.len()
    }

    /// The kind of element that the authors' names stand in, and how sure that is, from 0 to 1.
    fn author(&self) -> Option<(u64, f32)> {
        let mut places: HashMap<u64, Place> = HashMap::new();
        for (i, c) in self.cuts.iter().enumerate() {
            for e in c.elements.clone().take(400) {
                for (kind, text, href) in self.names_at(e).iter().flatten() {
                    let place =
                        places.entry(*kind).or_insert_with(|| Place { learned: self.learned(e), ..Place::default() });
                    if place.last == Some(i) {
                        continue;
                    }
                    place.last = Some(i);
                    place.before_date +=
                        (self.facts.blocks.elements[e].blocks.start <= c.anchor_block(self.facts) + 1) as usize;
                    place.names.push((text, *href));
                }
            }
        }
        let n = self.cuts.len();
        let mut scored: Vec<(f32, u64)> = places.into_iter().filter_map(|(k, p)| Some((p.score(n)?, k))).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.first().map(|s| (s.1, (s.0 / 4.0).clamp(0.05, 1.0)))
    }

    /// The short texts of an element that can be a name, each with the kind of its place and the link that it is on.
    fn names_at(&self, e: usize) -> &'a NamesAt<'a> {
        self.names[e].get_or_init(|| Box::new(names_at(self.facts, e)))
    }

    /// What the author's ranker has learned of the names in an element's attributes and in its link.
    fn learned(&self, e: usize) -> f32 {
        let facts = self.facts;
        let dom = facts.dom;
        let node = facts.blocks.elements[e].node;
        let model = &facts.rankers.author;
        let mut sum = 0.0;
        for (n, prefix) in std::iter::once(node).chain(dom.ancestors(node).take(1)).zip(["c:", "p:"]) {
            for (_, value) in dom.attrs(n).filter(|(n, _)| matches!(*n, "class" | "itemprop" | "rel")) {
                tokens(value, |t| sum += model.weight(hash(hash(SEED, prefix), t)));
            }
        }
        sum.clamp(-1.0, 1.5)
    }

    /// The kind of the smallest element that holds nearly all that records say.
    fn body(&self) -> Option<u64> {
        #[derive(Default)]
        struct Sum {
            said: f64,
            words: u32,
            depth: u32,
            last: Option<usize>,
        }
        let elements = &self.facts.blocks.elements;
        let mut sums: HashMap<u64, Sum> = HashMap::new();
        let mut total = 0.0;
        for (i, c) in self.cuts.iter().enumerate() {
            total += f64::from(self.said(&c.blocks).1);
            for e in c.elements.clone() {
                let inside = elements[e].blocks.start.max(c.blocks.start)..elements[e].blocks.end.min(c.blocks.end);
                let (words, said, _) = self.said(&inside);
                if said == 0 || !elements[e].tag.is_block() && elements[e].tag != Tag::SPAN {
                    continue;
                }
                let sum = sums.entry(kind(self.facts, elements[e].node)).or_default();
                if sum.last != Some(i) {
                    sum.last = Some(i);
                    sum.said += f64::from(said);
                    sum.words += words;
                    sum.depth = sum.depth.max(u32::from(elements[e].depth));
                }
            }
        }
        let enough = sums.into_iter().filter(|(_, s)| s.said >= BODY * total);
        enough.min_by_key(|(k, s)| (s.words, std::cmp::Reverse(s.depth), *k)).map(|(k, _)| k)
    }

    fn record(&self, c: &Cut, author: u64, body: Option<u64>, depth: u32) -> Record {
        let facts = self.facts;
        let elements = &facts.blocks.elements;
        let mut record = Record { stamp: c.anchor.stamp, when: c.anchor.when.clone(), depth, ..Record::default() };
        let (mut text, mut says) = (None, false);
        for e in c.elements.clone() {
            if record.author.is_none()
                && let Some((_, name, href)) = self.names_at(e).iter().flatten().find(|n| n.0 == author)
            {
                record.author = Some(name.clone());
                record.author_url = href.and_then(|h| facts.address(h).or_else(|| Some(h.to_owned())));
            }
            // Of several elements of the kind the first that says something, else the last.
            if !says && body.is_some_and(|b| kind(facts, elements[e].node) == b) {
                let own = &elements[e].blocks;
                let inside = own.start.max(c.blocks.start)..own.end.min(c.blocks.end);
                says = self.said(&inside).1 > 0;
                text = Some(inside);
            }
        }
        let said = text.unwrap_or_else(|| if body.is_some() { 0..0 } else { c.blocks.clone() });
        let line = elements[c.anchor.element].blocks.start;
        let is_signature = |b: u32| b == line && c.anchor.signed;
        let lines = said.filter(|b| !facts.blocks.blocks[*b as usize].hidden && !is_signature(*b));
        record.text = lines.map(|b| facts.blocks.text(b as usize)).collect::<Vec<_>>().join("\n");
        record.url = self.link(c);
        record.blocks = c.blocks.clone();
        record
    }

    /// The record's own address: the link on its date, or the name of an element that holds it.
    fn link(&self, c: &Cut) -> Option<String> {
        let dom = self.facts.dom;
        let absolute = |h: &str| self.facts.address(h).or_else(|| Some(h.to_owned()));
        let near = dom.ancestors(c.anchor.node).take(3).chain(dom.descendants(c.anchor.node).take(6));
        let dated = std::iter::once(c.anchor.node).chain(near).filter(|n| dom.tag(*n) == Tag::A);
        if let Some(href) = dated.filter_map(|n| dom.attr(n, "href")).find(|h| !h.starts_with("javascript")) {
            return absolute(href);
        }
        let own = self.facts.blocks.elements.get(c.elements.start)?.node;
        let name = |n: NodeId| dom.attr(n, "id").or_else(|| dom.attr(n, "name")).filter(|_| dom.tag(n) != Tag::INPUT);
        let mut named = std::iter::once(own).chain(dom.descendants(own).take(12));
        named
            .find_map(name)
            .filter(|n| n.contains(|c: char| c.is_ascii_digit()))
            .and_then(|n| absolute(&format!("#{n}")))
    }
}

/// See [`Group::names_at`].
fn names_at<'a>(facts: &'a Facts<'_>, e: usize) -> NamesAt<'a> {
    let element = &facts.blocks.elements[e];
    let dom = facts.dom;
    if element.blocks.is_empty() || element.blocks.len() > 6 || element.hidden {
        return [None, None, None];
    }
    let whole = if element.blocks.len() <= 2 { node_text(dom, element.node, LONGEST_NAME * 4) } else { String::new() };
    let mut direct = String::new();
    for n in dom.children(element.node).take(12) {
        direct.push_str(dom.text(n));
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
fn signed<'h>(line: &str, hint: impl FnOnce() -> dates::Hint<'h>) -> Option<String> {
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
fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2 && text.chars().count() <= LONGEST_NAME && text.split(' ').count() <= 4 && !text.ends_with(':')
}

impl Cut {
    fn anchor_block(&self, facts: &Facts<'_>) -> u32 {
        facts.blocks.elements[self.anchor.element].blocks.start
    }
}

/// What stands in one place of the records.
#[derive(Default)]
struct Place<'a> {
    names: Vec<(&'a str, Option<&'a str>)>,
    before_date: usize,
    last: Option<usize>,
    learned: f32,
}

impl Place<'_> {
    /// How much the texts look like the names of those who wrote `n` records; `None` if they cannot be.
    fn score(&self, n: usize) -> Option<f32> {
        let coverage = self.names.len() as f32 / n as f32;
        if coverage < COVERAGE {
            return None;
        }
        let mut texts: Vec<String> = self.names.iter().map(|x| key(x.0)).collect();
        let mut pairs: Vec<(String, &str)> =
            self.names.iter().filter_map(|x| Some((key(x.0), x.1?.split('#').next().unwrap_or("")))).collect();
        texts.sort_unstable();
        texts.dedup();
        // The same words in every record are a button.
        if texts.len() == 1 && n > 2 {
            return None;
        }
        let dated = self.names.iter().filter(|x| !dates::find(x.0, &dates::Hint::default()).is_empty()).count();
        if dated * 3 > self.names.len() {
            return None;
        }
        let linked = pairs.len() as f32 / self.names.len() as f32;
        pairs.sort_unstable();
        pairs.dedup();
        // One name, one address: a profile. Many addresses behind one word: a button.
        let of_texts = pairs.chunk_by(|a, b| a.0 == b.0).count();
        let faithful = if pairs.is_empty() { 0.0 } else { of_texts as f32 / pairs.len() as f32 };
        let mut targets: Vec<&str> = pairs.iter().map(|p| p.1).collect();
        targets.sort_unstable();
        targets.dedup();
        let spread = if pairs.is_empty() { 0.0 } else { targets.len() as f32 / of_texts.max(1) as f32 };
        let variety = texts.len() as f32 / self.names.len() as f32;
        let before = self.before_date as f32 / self.names.len() as f32;
        let profile = if linked > 0.6 { faithful * spread.min(1.0) } else { 0.3 };
        // "Jane 120": a name and the number of posts are an element too far out.
        let counted = |t: &String| t.split(' ').any(|w| w.chars().all(|c| c.is_ascii_digit()));
        let counts = texts.iter().filter(|t| counted(t)).count() as f32 / texts.len().max(1) as f32;
        // "by Jane", "Jane Member": a word that all have is no name.
        let first = texts.first().map_or("", String::as_str);
        let shared = |w: &str| texts.len() > 1 && texts.iter().all(|t| t.split(' ').any(|x| x == w));
        let label = if first.split(' ').any(shared) { 1.0 } else { 0.0 };
        let long = self.names.iter().map(|x| x.0.chars().count()).sum::<usize>() as f32 / self.names.len() as f32;
        Some(
            -counts - label - 0.01 * long
                + 3.0 * (coverage - 0.67)
                + 1.5 * variety.min(0.6)
                + profile
                + 0.5 * before
                + self.learned,
        )
    }
}

/// Cuts the page into one record for each anchor.
fn cut(facts: &Facts<'_>, mut anchors: Vec<Anchor>) -> Vec<Cut> {
    let elements = &facts.blocks.elements;
    let are_signed = anchors.iter().filter(|a| a.signed).count() as f32 >= COVERAGE * anchors.len() as f32;
    if are_signed {
        anchors.retain(|a| a.signed);
    }
    let depth = |e: usize| usize::from(elements[e].depth);
    let up_to = |e: usize, d: usize| facts.blocks.element_chain(e).find(|&a| depth(a) <= d).unwrap_or(0);
    let common = |a: usize, b: usize| {
        let (mut a, mut b) = (a, b);
        while a != b {
            if depth(a) >= depth(b) {
                a = elements[a].parent as usize;
            } else {
                b = elements[b].parent as usize;
            }
        }
        a
    };
    let shared: Vec<usize> = anchors.windows(2).map(|w| common(w[0].element, w[1].element)).collect();
    let own: Vec<usize> = (0..anchors.len())
        .map(|i| {
            let before = i.checked_sub(1).map(|j| depth(shared[j]));
            let after = shared.get(i).map(|&e| depth(e));
            up_to(anchors[i].element, before.max(after).unwrap_or(0) + 1)
        })
        .collect();
    let words = |r: Range<u32>| r.map(|b| facts.blocks.blocks[b as usize].words).filter(|w| *w >= SAYING).sum::<u32>();
    // What follows an element inside its parent, up to the next one's record.
    let gap = |i: usize| {
        let parent = &elements[elements[own[i]].parent as usize];
        let end = own.get(i + 1).map_or(u32::MAX, |&o| elements[o].blocks.start).min(parent.blocks.end);
        let start = elements[own[i]].blocks.end;
        start..end.max(start)
    };
    let n = anchors.len();
    let gaps: u32 = (0..n.saturating_sub(1)).map(|i| words(gap(i))).sum();
    let inside: u32 = (0..n.saturating_sub(1)).map(|i| words(elements[own[i]].blocks.clone())).sum();
    let rows = gaps > inside;
    if let Some((nth, first)) = (rows && are_signed).then(|| signed_texts(facts, &own)).flatten() {
        let mut start = (first, elements[first].blocks.start);
        let mut cut = |(anchor, &e): (Anchor, &usize)| {
            let end = (after(elements, e), elements[e].blocks.end);
            let (from, to) = (std::mem::replace(&mut start, end), end);
            Cut { anchor, elements: from.0..to.0, blocks: from.1..to.1 }
        };
        return anchors.into_iter().zip(&own).skip(nth).map(&mut cut).collect();
    }
    anchors
        .into_iter()
        .enumerate()
        .map(|(i, anchor)| {
            let e = own[i];
            let mut blocks = elements[e].blocks.clone();
            let mut end = after(elements, e);
            let line = facts.blocks.elements[anchor.element].blocks.start;
            let rest =
                words(blocks.clone()) - words(line..(line + 1).min(blocks.end).max(line)).min(words(blocks.clone()));
            if rows || (rest == 0 && !gap(i).is_empty()) {
                let gap = gap(i);
                let parent = elements[e].parent as usize;
                end = own.get(i + 1).copied().unwrap_or(usize::MAX).min(after(elements, parent));
                blocks.end = gap.end.max(blocks.end);
            }
            Cut { anchor, elements: e..end.max(e + 1), blocks }
        })
        .collect()
}

/// The element after all that stands in one.
fn after(elements: &[Element], e: usize) -> usize {
    e + elements[e].descendants as usize + 1
}

/// The first line and where its text begins, if the lines that hold the dates stand below the texts that they sign, in one row with them:
/// before each of the first lines stands an element of one kind, and none of that kind follows the last line. The very first may sign
/// something else, the article above the comments.
fn signed_texts(facts: &Facts<'_>, lines: &[usize]) -> Option<(usize, usize)> {
    let elements = &facts.blocks.elements;
    let node = |e: usize| elements[e].node;
    let holds = |n: NodeId| facts.element(n).filter(|&e| !elements[e].blocks.is_empty());
    let step = |n: NodeId, forward: bool| if forward { facts.dom.next_sibling(n) } else { facts.dom.prev_sibling(n) };
    // Links to a comment and line breaks stand between.
    let neighbour = |e: usize, forward: bool| {
        std::iter::successors(step(node(e), forward), |n| step(*n, forward)).take(8).find_map(holds)
    };
    let of_kind = |e: usize| kind(facts, node(e));
    let text_above = |nth: usize| neighbour(*lines.get(nth)?, false);
    let text = of_kind(text_above(1)?);
    let is_text = |e: &usize| of_kind(*e) == text;
    let nth = if text_above(0).is_some_and(|e| is_text(&e)) { 0 } else { 1 };
    // "The comments to this entry are closed."
    let is_note =
        |e: usize| elements[e].blocks.clone().map(|b| facts.blocks.blocks[b as usize].words).sum::<u32>() < NOTE;
    let follows = neighbour(*lines.last()?, true).is_some_and(|e| is_text(&e) && !is_note(e));
    if follows || nth == 1 && !text_above(2).is_some_and(|e| is_text(&e)) {
        return None;
    }
    // A text of several paragraphs, but of no more than the others have: what stands above may be what they answer.
    let between = |above: usize, line: usize| elements[line].blocks.start.saturating_sub(elements[above].blocks.end);
    let longest = lines[nth..].windows(2).map(|w| between(w[0], w[1])).max().unwrap_or(1);
    let mut start = text_above(nth)?;
    let line = elements[lines[nth]].blocks.start;
    while let Some(e) = neighbour(start, false).filter(is_text) {
        if line.saturating_sub(elements[e].blocks.start) > longest {
            break;
        }
        start = e;
    }
    Some((nth, start))
}

/// How deep each record answers: how many of the records' levels of nesting lie above its own.
fn depths(facts: &Facts<'_>, anchors: &[usize]) -> Vec<u32> {
    let depth = |e: &usize| facts.blocks.elements[*e].depth;
    let mut levels: Vec<u16> = anchors.iter().map(depth).collect();
    levels.sort_unstable();
    levels.dedup();
    anchors.iter().map(|e| levels.partition_point(|l| *l < depth(e)) as u32).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Options, Page, extract};

    const WORDS: [&str; 6] = [
        "We left early, and the road was empty until the hills.",
        "Nobody spoke before the fog lifted, and then all spoke at once.",
        "Two herons stood in the reeds; the third had gone fishing elsewhere.",
        "I would not have taken the upper path, it is washed out since March.",
        "Thanks, that is good to know for next week, when we try it again.",
        "The inn at the bridge is closed on Mondays, in case you are hungry.",
    ];
    const NAMES: [&str; 4] = ["heron_fan", "Jane Doe", "fog", "old miller"];

    fn read(body: &str) -> Page {
        let html = format!("<html lang=en><title>A walk</title><body><nav><a href=/>Home</a></nav>{body}");
        let options = Options { url: Some("https://e.org/t/7".into()), ..Options::default() };
        extract(&html, &options).unwrap()
    }

    /// The posts of a thread, each in markup that `post` writes from its number, name and text.
    fn thread(post: impl Fn(usize, &str, &str) -> String) -> String {
        (0..6).map(|i| post(i, NAMES[i % 4], &format!("{} {}", WORDS[i], WORDS[(i + 1) % 6]))).collect()
    }

    #[track_caller]
    fn check(page: &Page) {
        let found = if page.posts.is_empty() { &page.comments } else { &page.posts };
        let authors: Vec<_> = found.iter().map(|p| p.author.as_deref().unwrap_or("")).collect();
        let expected: Vec<_> = (0..6).map(|i| NAMES[i % 4]).collect();
        assert_eq!(authors, expected, "{found:?}");
        for (i, p) in found.iter().enumerate() {
            assert_eq!(p.date.as_deref().and_then(|d| d.get(..10)), Some(format!("2024-05-1{i}").as_str()));
            assert!(p.text.contains(WORDS[i]) && !p.text.contains("Reply"), "{}", p.text);
        }
    }

    #[test]
    fn posts_in_boxes() {
        let page = read(&thread(|i, name, text| {
            format!(
                "<div class=post id=p{i}><div class=who><a href=/u/{}>{name}</a> <i>Member</i></div><div><a href=#p{i}>1{i} May 2024 10:3{i}</a></div>\
                 <div class=say>{text}</div><p><a href=/reply/{i}>Reply</a></p></div>",
                name.replace(' ', "-")
            )
        }));
        check(&page);
        assert_eq!(page.posts[1].url.as_deref(), Some("https://e.org/t/7#p1"));
        assert_eq!(page.posts[1].author_url.as_deref(), Some("https://e.org/u/Jane-Doe"));
        assert_eq!(page.posts[1].date.as_deref(), Some("2024-05-11T10:31"));
    }

    #[test]
    fn comments_signed_below_in_one_line() {
        let article: String = (0..6).map(|i| format!("<p>{} {}</p>", WORDS[i], WORDS[5 - i])).collect();
        for (wrap, own) in [(true, false), (false, false), (false, true)] {
            let comments = thread(|i, name, text| {
                let (open, close) = if wrap { ("<div class=item>", "</div>") } else { ("", "") };
                format!(
                    "<a name=c{i}></a>{open}<div class=said><p>{text}</p></div><p class=posted>Posted by: {name} | May 1{i}, 2024 0{}:24 \
                     PM</p>{close}<br>",
                    i + 1
                )
            });
            let own = if own { "<p class=posted>By Ann Author | May 9, 2024 10:00 AM</p>" } else { "" };
            let page = read(&format!(
                "<h1>A walk</h1><div class=text>{article}</div>{own}<div id=comments><h3>Comments</h3></div>{comments}<form><p>Post a comment</p>\
                 <input name=c></form>"
            ));
            check(&page);
            assert!(page.posts.is_empty() && !page.text().contains("heron_fan"), "{wrap}, {own}: {}", page.text());
            assert!(page.comments.iter().all(|c| !c.text.contains("Posted")), "{:?}", page.comments);
        }
    }

    #[test]
    fn a_date_after_the_last_text() {
        let day = |i: u32, text: &str| format!("<p class=t><time datetime=2024-05-1{i}>{text}</time></p>");
        let page = read(&format!("<p>{}</p>{}{}{}", WORDS[0], day(1, "one"), day(2, "two"), day(3, "")));
        assert!(page.text().contains(WORDS[0]));
    }

    #[test]
    fn names_in_lines_with_dates() {
        let name = |line: &str| super::signed(line, Default::default).unwrap_or_default();
        assert_eq!(name("Posted by: Jane Lee | January 14, 2008 06:24 PM"), "Jane Lee");
        assert_eq!(name("Posted By heron_fan on May 3rd, 2024 at 10:00"), "heron_fan");
        assert_eq!(name("Comment by heron — May 3, 2024 @ 6:24 pm"), "heron");
        assert_eq!(name("Posted by: Jane, Leeds on 4:05pm Tue 1 Jan 2008"), "Jane, Leeds");
        assert_eq!(name("Von Erika am 3. Mai 2024"), "Erika");
        assert_eq!(name("Posted on May 3, 2024"), "");
        assert_eq!(name("Posted by"), "");
        assert_eq!(name("Posted bytes until May 3, 2024"), "");
        assert_eq!(name("By May 3, 2024 all of this will have been forgotten by everybody"), "");
        assert_eq!(name("Jane Doe, May 3, 2024"), "");
    }

    #[test]
    fn posts_in_rows_of_a_table() {
        let rows = thread(|i, name, text| {
            format!(
                "<tr class=head><td>by <a href=u{name}>{name}</a>, <b>2024-05-1{i} 10:00</b></td></tr><tr><td>{text}</td></tr>"
            )
        });
        check(&read(&format!("<table>{rows}</table>")));
    }

    #[test]
    fn comments_in_comments_have_a_depth_and_are_no_content() {
        let article: String = (0..6)
            .map(|i| format!("<p>{} {} {}</p>", WORDS[i], WORDS[5 - i], WORDS[(i + 2) % 6].to_uppercase()))
            .collect();
        let mut comments = String::new();
        for i in 0..6 {
            let say = format!(
                "<li class=c><div class=h><b class=n>{}</b> <time datetime=2024-05-1{i}>day</time></div><p>{} {}</p><a href=#r{i}>Reply</a>",
                NAMES[i % 4],
                WORDS[i],
                WORDS[(i + 1) % 6]
            );
            comments += &say;
            comments += if i % 2 == 0 { "<ul>" } else { "</li></ul></li>" };
        }
        let page = read(&format!("<article><h1>A walk</h1>{article}</article><h3>6 comments</h3><ul>{comments}</ul>"));
        check(&page);
        assert!(page.posts.is_empty());
        assert_eq!(page.comments.iter().map(|c| c.depth).collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1]);
        assert!(!page.text().contains("heron_fan"));
    }

    #[test]
    fn a_list_of_articles_is_no_thread() {
        let list = thread(|i, name, text| {
            format!(
                "<div class=e><h2><a href=/walks/{i}>The walk over the {i} hills and back</a></h2><i class=by>{name}</i> <time datetime=2024-05-1{i}>d</time><p>{text}</p></div>"
            )
        });
        let page = read(&list);
        assert!(page.posts.is_empty() && page.comments.is_empty(), "{:?}", page.posts);
    }

    #[test]
    fn days_of_joining_are_not_those_of_posts() {
        let page = read(&thread(|i, name, text| {
            format!(
                "<div class=post><a href=/u/{name}>{name}</a><dl><dt>Joined<dd>0{} Mar 20{:02}</dl><div class=d>1{i} May 2024, 10:00</div><div class=say>{text}</div></div>",
                9 - i,
                19 - 2 * (i % 4)
            )
        }));
        check(&page);
    }
}
