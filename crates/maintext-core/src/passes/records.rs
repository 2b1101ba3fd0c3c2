//! Keeps the parts of alike records together: the title of each with its text.
use maintext_page::blocks::{Block, Blocks, Element};
use maintext_page::dom::Dom;
use maintext_page::hash::HashSet;
use maintext_reading::features::heading_level;
use std::collections::BTreeMap;

/// Minimum number of alike records, and of blocks of each; a larger element is a part of the page.
const MIN_RECORDS: usize = 4;
const MIN_BLOCKS: usize = 2;
const MAX_BLOCKS: usize = 40;
/// Number of blocks at the beginning of a record that may be its title.
const MAX_BLOCKS_TO_TITLE: usize = 3;
/// Probability from which a dropped title comes back.
const MIN_TITLE_PROBABILITY: f32 = 0.1;

/// Keeps the titles of alike records that have lost them, if most records keep a text.
pub(crate) fn keep_titles(dom: &Dom<'_>, blocks: &Blocks, probabilities: Option<&[f32]>, kept: &mut [bool]) {
    let Some(probabilities) = probabilities else { return };
    let mut groups: BTreeMap<(u32, u8, usize), Vec<&Element>> = BTreeMap::new();
    for e in &blocks.elements {
        if !e.hidden && (MIN_BLOCKS..=MAX_BLOCKS).contains(&e.blocks.len()) {
            let class = dom.names().class_of(e.node).index();
            groups.entry((e.parent, e.tag.0, class)).or_default().push(e);
        }
    }
    for group in groups.values().filter(|group| group.len() >= MIN_RECORDS) {
        let with_text = group.iter().filter(|record| has_text(blocks, record, kept)).count();
        if 5 * with_text < 3 * group.len() {
            continue;
        }
        let titles: Vec<usize> = group.iter().filter_map(|record| lost_title(blocks, record, kept)).collect();
        let distinct: HashSet<&str> = titles.iter().map(|t| blocks.text(*t)).collect();
        if titles.len() < MIN_RECORDS || 5 * distinct.len() < 4 * titles.len() {
            continue;
        }
        for t in titles {
            kept[t] |= probabilities[t] > MIN_TITLE_PROBABILITY;
        }
    }
}

/// Whether a record keeps a text beside its title.
fn has_text(blocks: &Blocks, record: &Element, kept: &[bool]) -> bool {
    record.blocks.clone().any(|b| kept[b as usize] && !is_link(&blocks.blocks[b as usize]))
}

/// Whether all of a block is a link.
fn is_link(block: &Block) -> bool {
    block.links > 0 && block.is_linked()
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

    /// Returns the choice after the pass for four cards, of which `card` makes each by its number; the model drops their titles.
    fn kept(card: impl Fn(usize) -> String, probability: f32) -> String {
        let cards: String = (1..5).map(card).collect();
        choice_after(&format!("<section>{cards}</section>"), "-+-+-+-+", |dom, blocks, kept| {
            super::keep_titles(dom, blocks, Some(&[probability; 8]), kept);
        })
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
