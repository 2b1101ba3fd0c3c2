//! The part of the page that belongs to an entry, and its texts.
use super::table::LinkTable;
use maintext_facts::metadata::text::{cap, node_text, squeeze};
use maintext_page::dom::{NodeId, NodeKind, Tag};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of elements and blocks of a record that are examined: where markup is broken, each of many records may cover most of the
/// page.
const MAX_ELEMENTS: usize = 400;
const MAX_BLOCKS: usize = 100;
/// Maximum number of bytes of a block's text that are searched for dates, names and prices.
pub(super) const MAX_SCAN: usize = 600;
/// Maximum number of texts of a block that are looked for in a link, and of elements around each.
pub(super) const MAX_LEAVES: usize = 60;
const MAX_DEPTH: usize = 20;
/// Maximum number of characters of an element's text that are read.
const MAX_TEXT: usize = 1000;

/// The part of the page that belongs to an entry.
pub(super) struct EntryRecord {
    /// Its elements, as indices of `Blocks::elements`.
    pub elements: Range<usize>,
    /// Its blocks.
    pub blocks: Range<usize>,
}

impl EntryRecord {
    /// Returns the part of the record that is examined.
    pub fn capped(self) -> EntryRecord {
        let (e, b) = (self.elements, self.blocks);
        EntryRecord {
            elements: e.start..e.end.min(e.start + MAX_ELEMENTS),
            blocks: b.start..b.end.min(b.start + MAX_BLOCKS),
        }
    }
}

/// Returns the beginning of an element's text.
pub(super) fn text_of(t: &LinkTable<'_>, element: usize) -> String {
    node_text(t.dom, t.blocks.elements[element].node, MAX_TEXT)
}

/// Returns the beginnings of a record's texts, the hidden ones last: shops hide prices from screen readers and read out others. For a card
/// that is a link, only texts in the link. Reading them is charged as work, since every link of a long paragraph has the paragraph as its
/// record.
pub(super) fn texts<'t>(t: &'t LinkTable<'_>, r: &EntryRecord) -> impl Iterator<Item = Cow<'t, str>> {
    let card = &t.blocks.elements[r.elements.start];
    let own = (card.tag == Tag::A && card.blocks.len() > 1).then_some(card.node);
    // Cards without block-level elements are in one block with their neighbours.
    let in_line = if card.tag == Tag::A && own.is_none() { text_of_card(t, card.node) } else { None };
    let blocks = if in_line.is_some() { 0..0 } else { r.blocks.clone() };
    let of_blocks = blocks
        .clone()
        .filter(move |i| !t.blocks.blocks[*i].hidden)
        .chain(blocks.filter(|i| t.blocks.blocks[*i].hidden))
        .map(move |i| {
            let text = cap(t.blocks.text(i), MAX_SCAN);
            t.dom.reads(text.len());
            own.and_then(|link| inside(t, i, link)).map_or(Cow::Borrowed(text), Cow::Owned)
        });
    in_line.map(Cow::Owned).into_iter().chain(of_blocks)
}

/// Returns the text of a link that consists of several elements and nothing else, with spaces between them.
fn text_of_card(t: &LinkTable<'_>, link: NodeId) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for child in t.dom.children(link).take(MAX_LEAVES) {
        if t.dom.kind(child) == NodeKind::Text {
            if !t.dom.text(child).trim().is_empty() {
                return None;
            }
        } else {
            parts.push(node_text(t.dom, child, MAX_TEXT));
        }
    }
    parts.retain(|part| !part.is_empty());
    let text = parts.join(" ");
    t.dom.reads(text.len());
    if parts.len() > 1 { Some(cap(&text, MAX_SCAN).to_owned()) } else { None }
}

/// Returns the text of a block in a link, if the block holds other texts, such as the end of the card before.
fn inside(t: &LinkTable<'_>, block: usize, link: NodeId) -> Option<String> {
    let leaves = &t.blocks.blocks[block].leaves;
    let leaves = &t.blocks.leaves[leaves.start as usize..leaves.end as usize];
    let own: Vec<NodeId> = leaves
        .iter()
        .take(MAX_LEAVES)
        .filter(|n| t.dom.ancestors(**n).take(MAX_DEPTH).any(|a| a == link))
        .copied()
        .collect();
    (own.len() < leaves.len())
        .then(|| cap(&squeeze(&own.iter().map(|n| t.dom.text(*n)).collect::<String>()), MAX_SCAN).to_owned())
}
