//! Keeps the parts of alike records together: what most of them keep, and the title of each with its text.
use super::is_link;
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::Dom;
use maintext_page::hash::{HashMap, HashSet};
use maintext_reading::features::heading_level;
use std::collections::BTreeMap;

/// Minimum number of alike records, and of blocks of each; a larger element is a part of the page.
const MIN_RECORDS: usize = 4;
const MIN_BLOCKS: usize = 2;
const MAX_BLOCKS: usize = 40;
/// Number of blocks at the beginning of a record that may be its title.
const MAX_BLOCKS_TO_TITLE: usize = 3;
/// Probability from which a dropped title or part comes back. Held out by sets, both gain 0.0003 on our labels, titles alone 0.0002.
const MIN_PROBABILITY: f32 = 0.1;

/// The tag of an element, and the number of its classes.
type Markup = (u8, usize);

fn markup(dom: &Dom<'_>, e: &Element) -> Markup {
    (e.tag.0, dom.names().class_of(e.node).index())
}

/// Keeps in each of alike records the parts that most of them keep, then the titles of those that lost theirs, if most keep a text.
pub(crate) fn keep_alike(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(probabilities) = probabilities else { return };
    for group in groups(dom, blocks) {
        let parts = parts(dom, blocks, &group);
        let titles = lost_titles(blocks, &group, kept);
        let common = parts.into_iter().filter(|part| 2 * part.iter().filter(|b| kept[**b]).count() >= part.len());
        let own = common.flat_map(|part| without_labels(blocks, part));
        for b in own.chain(titles).collect::<Vec<_>>() {
            kept[b] |= probabilities[b] > MIN_PROBABILITY && !blocks.blocks[b].hidden;
        }
    }
}

/// Returns the groups of neighbours with the same tag and classes.
fn groups<'b>(dom: &Dom<'_>, blocks: &'b Blocks) -> Vec<Vec<&'b Element>> {
    let mut groups: BTreeMap<(u32, Markup), Vec<&Element>> = BTreeMap::new();
    for e in &blocks.elements {
        if !e.hidden && (MIN_BLOCKS..=MAX_BLOCKS).contains(&e.blocks.len()) {
            groups.entry((e.parent, markup(dom, e))).or_default().push(e);
        }
    }
    groups.into_values().filter(|group| group.len() >= MIN_RECORDS).collect()
}

/// Returns the blocks of the records, grouped by the tags and classes of their elements and parents.
fn parts(dom: &Dom<'_>, blocks: &Blocks, group: &[&Element]) -> Vec<Vec<usize>> {
    let mut parts: BTreeMap<[Markup; 2], Vec<usize>> = BTreeMap::new();
    for b in group.iter().flat_map(|record| record.blocks.clone()) {
        let own = &blocks.elements[blocks.blocks[b as usize].container as usize];
        let around = &blocks.elements[own.parent as usize];
        parts.entry([markup(dom, own), markup(dom, around)]).or_default().push(b as usize);
    }
    parts.into_values().filter(|part| part.len() >= MIN_RECORDS).collect()
}

/// Returns the blocks of a part without rows of links and texts that recur in it: buttons and labels.
fn without_labels(blocks: &Blocks, mut part: Vec<usize>) -> Vec<usize> {
    const MAX_ALIKE: u32 = 2;
    let mut seen: HashMap<&str, u32> = HashMap::default();
    part.iter().for_each(|b| *seen.entry(blocks.text(*b)).or_default() += 1);
    part.retain(|&b| seen[blocks.text(b)] <= MAX_ALIKE && (blocks.blocks[b].links < 2 || !is_link(&blocks.blocks[b])));
    part
}

/// Returns the dropped titles of records, if most records keep a text and the titles differ: a button is the same in all.
fn lost_titles(blocks: &Blocks, group: &[&Element], kept: &[bool]) -> Vec<usize> {
    let with_text = group.iter().filter(|record| has_text(blocks, record, kept)).count();
    let titles: Vec<usize> = group.iter().filter_map(|record| lost_title(blocks, record, kept)).collect();
    let distinct: HashSet<&str> = titles.iter().map(|t| blocks.text(*t)).collect();
    let are_lost = 5 * with_text >= 3 * group.len() && titles.len() >= MIN_RECORDS;
    if are_lost && 5 * distinct.len() >= 4 * titles.len() { titles } else { Vec::new() }
}

/// Whether a record keeps more than its title.
fn has_text(blocks: &Blocks, record: &Element, kept: &[bool]) -> bool {
    record.blocks.clone().any(|b| kept[b as usize] && !is_link(&blocks.blocks[b as usize]))
}

/// Whether a block may be the title of a record.
fn is_title(blocks: &Blocks, b: usize) -> bool {
    !blocks.blocks[b].hidden && (is_link(&blocks.blocks[b]) || heading_level(blocks, b) > 0)
}

/// Returns the dropped title of a record whose first kept block is a text below it.
fn lost_title(blocks: &Blocks, record: &Element, kept: &[bool]) -> Option<usize> {
    let start = record.blocks.start as usize;
    let text = (start..record.blocks.end as usize).find(|&b| kept[b])?;
    if is_title(blocks, text) {
        return None;
    }
    (start..text.min(start + MAX_BLOCKS_TO_TITLE)).find(|&b| is_title(blocks, b))
}

#[cfg(test)]
mod tests {
    use crate::passes::choice_after;

    /// Returns the choice after the pass for four cards, of which `card` makes each by its number.
    fn after(choice: &str, card: impl Fn(usize) -> String, probability: f32) -> String {
        let cards: String = (1..5).map(card).collect();
        choice_after(&format!("<section>{cards}</section>"), choice, |dom, blocks, kept| {
            super::keep_alike(dom, blocks, Some(&[probability; 8]), kept);
        })
    }

    /// Returns the choice if the model dropped the titles.
    fn kept(card: impl Fn(usize) -> String, probability: f32) -> String {
        after("-+-+-+-+", card, probability)
    }

    #[test]
    fn records_keep_the_parts_that_most_of_them_keep() {
        let card = |i: usize| format!("<div class=card><p class=a>Brand {i}</p><p class=b>From {i} to 9</p></div>");
        assert_eq!(after("+++-+-++", card, 0.2), "++++++++");
        assert_eq!(after("+++-+---", card, 0.2), "+++-+-+-", "one of four");
        assert_eq!(after("+++-+-++", card, 0.05), "+++-+-++", "boilerplate");
        let label = |i: usize| format!("<div class=card><p class=a>Brand {i}</p><p class=b>Find similar</p></div>");
        assert_eq!(after("+++-+-++", label, 0.2), "+++-+-++", "a label");
    }

    #[test]
    fn records_keep_their_titles_with_their_texts() {
        let card = |i: usize| format!("<div class=card><a href=/{i}>Fire brick {i}</a><p>Brand {i}</p></div>");
        assert_eq!(kept(card, 0.2), "++++++++");
        assert_eq!(kept(card, 0.05), "-+-+-+-+");
        let headed = |i: usize| format!("<div class=card><h3>Fire brick {i}</h3><p>Brand {i}</p></div>");
        assert_eq!(kept(headed, 0.2), "++++++++");
        let other = |i: usize| format!("<div class='card c{i}'><a href=/{i}>Fire brick {i}</a><p>Brand {i}</p></div>");
        assert_eq!(kept(other, 0.2), "-+-+-+-+", "not alike");
        let button = |i: usize| format!("<div class=card><a href=/{i}>Edit</a><p>Brand {i}</p></div>");
        assert_eq!(kept(button, 0.2), "-+-+-+-+", "a button");
        let label = |i: usize| format!("<div class=card><span>Fire brick {i}</span><p>Brand {i}</p></div>");
        assert_eq!(kept(label, 0.2), "-+-+-+-+", "neither a link nor a heading");
    }
}
