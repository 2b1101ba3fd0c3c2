//! Cuts a group of dates into records: one stretch of the page for each date.
use super::anchors::Anchor;
use super::single::single;
use super::{Facts, MIN_COVERAGE, MIN_TEXT_WORDS};
use maintext_page::blocks::Element;
use maintext_page::dom::NodeId;
use std::ops::Range;

/// Below the last byline, an element with fewer words is a note ("Comments are closed"), not one more text.
const MAX_NOTE_WORDS: u32 = 10;

/// A stretch of elements in document order, and its blocks.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub anchor: Anchor,
    pub elements: Range<usize>,
    pub blocks: Range<u32>,
}

impl Cut {
    /// Returns the block of the date.
    pub(super) fn line(&self, facts: &Facts<'_>) -> u32 {
        facts.blocks.elements[self.anchor.element].blocks.start
    }
}

/// Cuts the page into one record for each anchor.
pub(super) fn cut(facts: &Facts<'_>, mut anchors: Vec<Anchor>) -> Vec<Cut> {
    let elements = &facts.blocks.elements;
    let are_signed = anchors.iter().filter(|a| a.signed).count() as f32 >= MIN_COVERAGE * anchors.len() as f32;
    if are_signed {
        anchors.retain(|a| a.signed);
    }
    let depth = |e: usize| usize::from(elements[e].depth);
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
    if let [anchor] = &anchors[..] {
        let Some(e) = single(facts, anchor.element) else { return Vec::new() };
        let (elements, blocks) = (e..after(elements, e), elements[e].blocks.clone());
        return anchors
            .into_iter()
            .map(|anchor| Cut { anchor, elements: elements.clone(), blocks: blocks.clone() })
            .collect();
    }
    let shared: Vec<usize> = anchors.windows(2).map(|w| common(w[0].element, w[1].element)).collect();
    let own: Vec<usize> = (0..anchors.len())
        .map(|i| {
            let before = i.checked_sub(1).map(|j| depth(shared[j]));
            let after = shared.get(i).map(|&e| depth(e));
            facts
                .blocks
                .element_chain(anchors[i].element)
                .find(|&a| depth(a) <= (before.max(after).unwrap_or(0) + 1))
                .unwrap_or(0)
        })
        .collect();
    let words =
        |r: Range<u32>| r.map(|b| facts.blocks.blocks[b as usize].words).filter(|w| *w >= MIN_TEXT_WORDS).sum::<u32>();
    // The elements between this one and the next one's record, inside their parent.
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

/// Returns the index after the last descendant of an element.
fn after(elements: &[Element], e: usize) -> usize {
    e + elements[e].descendants as usize + 1
}

/// Returns the first line and where its text begins, if the dates sign the texts above them in one row: an element of one kind precedes
/// each of the first lines, and none of that kind follows the last line. The very first date may sign something else, such as the article
/// above the comments.
fn signed_texts(facts: &Facts<'_>, lines: &[usize]) -> Option<(usize, usize)> {
    let elements = &facts.blocks.elements;
    let node = |e: usize| elements[e].node;
    let step = |n: NodeId, forward: bool| if forward { facts.dom.next_sibling(n) } else { facts.dom.prev_sibling(n) };
    // Links to a comment and line breaks may lie in between.
    let neighbour = |e: usize, forward: bool| {
        std::iter::successors(step(node(e), forward), |n| step(*n, forward))
            .take(8)
            .find_map(|n| facts.element(n).filter(|&e| !elements[e].blocks.is_empty()))
    };
    let of_kind = |e: usize| facts.kind(node(e));
    let text_above = |nth: usize| neighbour(*lines.get(nth)?, false);
    let text = of_kind(text_above(1)?);
    let is_text = |e: &usize| of_kind(*e) == text;
    let nth = if text_above(0).is_some_and(|e| is_text(&e)) { 0 } else { 1 };
    // "The comments to this entry are closed."
    let is_note = |e: usize| {
        elements[e].blocks.clone().map(|b| facts.blocks.blocks[b as usize].words).sum::<u32>() < MAX_NOTE_WORDS
    };
    let follows = neighbour(*lines.last()?, true).is_some_and(|e| is_text(&e) && !is_note(e));
    if follows || nth == 1 && !text_above(2).is_some_and(|e| is_text(&e)) {
        return None;
    }
    // A text may have several paragraphs, but no more than the others: the text above may be the article that the comments answer.
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

/// Returns the depth of each record in the thread: the number of nesting levels of records above its own.
pub(super) fn depths(facts: &Facts<'_>, anchors: &[usize]) -> Vec<u32> {
    let mut levels: Vec<u16> = anchors.iter().map(|e| facts.blocks.elements[*e].depth).collect();
    levels.sort_unstable();
    levels.dedup();
    anchors.iter().map(|e| levels.partition_point(|l| *l < facts.blocks.elements[*e].depth) as u32).collect()
}
