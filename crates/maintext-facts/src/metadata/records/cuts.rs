//! Cuts a group of dates into records: one stretch of the page for each date.
use super::anchors::Anchor;
use super::single::single;
use super::{Facts, MIN_COVERAGE, MIN_TEXT_WORDS};
use maintext_page::blocks::Element;
use maintext_page::dom::NodeId;
use maintext_page::hash::HashSet;
use std::ops::Range;

/// Maximum number of nodes between a line and its text: links to a comment, line breaks.
const MAX_NODES_BETWEEN: usize = 8;
/// Below the last byline, an element with fewer words is a note ("Comments are closed"), not one more text.
const MAX_NOTE_WORDS: u32 = 10;

/// Maximum number of words of a date with its weekday, time and zone.
const MAX_DATE_WORDS: u32 = 8;

/// A stretch of elements in document order, and its blocks.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub anchor: Anchor,
    pub elements: Range<usize>,
    pub blocks: Range<u32>,
}

/// Cuts the page into one record for each anchor.
pub(super) fn cut(facts: &Facts<'_>, mut anchors: Vec<Anchor>) -> Vec<Cut> {
    let elements = &facts.blocks.elements;
    let are_signed = anchors.iter().filter(|a| a.signed).count() as f32 >= MIN_COVERAGE * anchors.len() as f32;
    if are_signed {
        anchors.retain(|a| a.signed);
    }
    if let [anchor] = &anchors[..] {
        let Some(e) = single(facts, anchor.element) else { return Vec::new() };
        let (elements, blocks) = (e..after(elements, e), elements[e].blocks.clone());
        return anchors
            .into_iter()
            .map(|anchor| Cut { anchor, elements: elements.clone(), blocks: blocks.clone() })
            .collect();
    }
    let shared: Vec<usize> =
        anchors.windows(2).map(|w| common_ancestor(elements, w[0].element, w[1].element)).collect();
    let own: Vec<usize> = (0..anchors.len())
        .map(|i| {
            let before = i.checked_sub(1).map(|j| elements[shared[j]].depth);
            let after = shared.get(i).map(|&e| elements[e].depth);
            let depth = usize::from(before.max(after).unwrap_or(0)) + 1;
            let mut chain = facts.blocks.element_chain(anchors[i].element);
            chain.find(|&a| usize::from(elements[a].depth) <= depth).unwrap_or(0)
        })
        .collect();
    let n = anchors.len();
    let gaps: u32 = (0..n.saturating_sub(1)).map(|i| words_of_texts(facts, gap(elements, &own, i))).sum();
    // Without the date, which may be longer than the text.
    let inside = own.iter().zip(&anchors).take(n.saturating_sub(1)).map(|(&e, anchor)| {
        let of_date = words_of_texts(facts, line_of(anchor, &elements[e].blocks)).min(MAX_DATE_WORDS);
        words_of_texts(facts, elements[e].blocks.clone()).saturating_sub(of_date)
    });
    let inside: u32 = inside.sum();
    let rows = gaps > inside;
    if let Some((nth, first)) = rows.then(|| closed_texts(facts, &own)).flatten() {
        let mut start = (first, elements[first].blocks.start);
        let lines = anchors.into_iter().zip(&own).skip(nth);
        let cuts = lines.map(|(anchor, &e)| {
            let end = (after(elements, e), elements[e].blocks.end);
            let (from, to) = (std::mem::replace(&mut start, end), end);
            Cut { anchor, elements: from.0..to.0, blocks: from.1..to.1 }
        });
        return cuts.collect();
    }
    anchors
        .into_iter()
        .enumerate()
        .map(|(i, anchor)| {
            let e = own[i];
            let mut blocks = elements[e].blocks.clone();
            let mut end = after(elements, e);
            let all = words_of_texts(facts, blocks.clone());
            let of_line = words_of_texts(facts, line_of(&anchor, &blocks));
            let gap = gap(elements, &own, i);
            if rows || (all <= of_line && !gap.is_empty()) {
                let parent = elements[e].parent as usize;
                end = own.get(i + 1).copied().unwrap_or(usize::MAX).min(after(elements, parent));
                blocks.end = gap.end.max(blocks.end);
            }
            Cut { anchor, elements: e..end.max(e + 1), blocks }
        })
        .collect()
}

/// Returns the block of a date, if it is among these.
fn line_of(anchor: &Anchor, blocks: &Range<u32>) -> Range<u32> {
    let line = anchor.line;
    line..(line + 1).min(blocks.end).max(line)
}

/// Returns the innermost element around two others.
fn common_ancestor(elements: &[Element], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if elements[a].depth >= elements[b].depth {
            a = elements[a].parent as usize;
        } else {
            b = elements[b].parent as usize;
        }
    }
    a
}

fn words_of_texts(facts: &Facts<'_>, blocks: Range<u32>) -> u32 {
    blocks.map(|b| facts.blocks.blocks[b as usize].words).filter(|w| *w >= MIN_TEXT_WORDS).sum()
}

/// Returns the blocks between a record and the next one, inside the record's parent.
fn gap(elements: &[Element], records: &[usize], i: usize) -> Range<u32> {
    let own = &elements[records[i]];
    let next = records.get(i + 1).map_or(u32::MAX, |&next| elements[next].blocks.start);
    let end = next.min(elements[own.parent as usize].blocks.end);
    own.blocks.end..end.max(own.blocks.end)
}

/// Returns the index after the last descendant of an element.
fn after(elements: &[Element], e: usize) -> usize {
    e + elements[e].descendants as usize + 1
}

/// Returns the first line and where its record begins, if the dates close the texts above them in one row: an element of one kind precedes
/// each of the first lines, and none of that kind follows the last line. The very first date may close something else, such as the article
/// above the comments.
fn closed_texts(facts: &Facts<'_>, lines: &[usize]) -> Option<(usize, usize)> {
    let elements = &facts.blocks.elements;
    let text = element_before(facts, *lines.get(1)?)?;
    let kind = facts.kind(elements[text].node);
    let first_text = element_before(facts, lines[0]).filter(|&e| facts.kind(elements[e].node) == kind);
    if let Some(next) = element_after(facts, *lines.last()?)
        && facts.kind(elements[next].node) == kind
        && !is_note(facts, next)
    {
        return None;
    }
    let (nth, mut start) = match first_text {
        Some(first_text) => (0, first_text),
        None if element_before(facts, *lines.get(2)?).is_some_and(|e| facts.kind(elements[e].node) == kind) => {
            (1, text)
        }
        None => return None,
    };
    // A text may have several paragraphs, but no more than the others: the text above may be the article that the comments answer.
    let between = lines[nth..].windows(2);
    let between = between.map(|w| elements[w[1]].blocks.start.saturating_sub(elements[w[0]].blocks.end));
    let longest = between.max().unwrap_or(1);
    let line = elements[lines[nth]].blocks.start;
    // Blogger prints the author in an element above the text.
    let kinds = kinds_between(facts, lines[nth], *lines.get(nth + 1)?);
    while let Some(e) = element_before(facts, start).filter(|&e| kinds.contains(&facts.kind(elements[e].node))) {
        if line.saturating_sub(elements[e].blocks.start) > longest {
            break;
        }
        start = e;
    }
    Some((nth, start))
}

/// Returns the kinds of the elements with text between two siblings.
fn kinds_between(facts: &Facts<'_>, first: usize, last: usize) -> HashSet<u64> {
    let elements = &facts.blocks.elements;
    let after = facts.dom.next_siblings(elements[first].node).take_while(|&n| n != elements[last].node);
    after.filter_map(|n| element_with_text(facts, n)).map(|e| facts.kind(elements[e].node)).collect()
}

/// Returns the next element with text before one, among its siblings.
fn element_before(facts: &Facts<'_>, e: usize) -> Option<usize> {
    let before = facts.dom.prev_siblings(facts.blocks.elements[e].node);
    before.take(MAX_NODES_BETWEEN).find_map(|n| element_with_text(facts, n))
}

/// Returns the next element with text after one, among its siblings.
fn element_after(facts: &Facts<'_>, e: usize) -> Option<usize> {
    let after = facts.dom.next_siblings(facts.blocks.elements[e].node);
    after.take(MAX_NODES_BETWEEN).find_map(|n| element_with_text(facts, n))
}

fn element_with_text(facts: &Facts<'_>, n: NodeId) -> Option<usize> {
    facts.element(n).filter(|&e| !facts.blocks.elements[e].blocks.is_empty())
}

/// Whether an element is a note below comments: "The comments to this entry are closed."
fn is_note(facts: &Facts<'_>, e: usize) -> bool {
    let blocks = facts.blocks.elements[e].blocks.clone();
    blocks.map(|b| facts.blocks.blocks[b as usize].words).sum::<u32>() < MAX_NOTE_WORDS
}

/// Returns the depth of each record in the thread: the number of nesting levels of records above its own.
pub(super) fn depths(facts: &Facts<'_>, anchors: &[usize]) -> Vec<u32> {
    let mut levels: Vec<u16> = anchors.iter().map(|e| facts.blocks.elements[*e].depth).collect();
    levels.sort_unstable();
    levels.dedup();
    anchors.iter().map(|e| levels.partition_point(|l| *l < facts.blocks.elements[*e].depth) as u32).collect()
}
