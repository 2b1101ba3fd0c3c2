//! Passes that change the choice of the content model. `steps.rs` runs them in order.
pub(crate) mod accordions;
pub(crate) mod announced;
pub(crate) mod articles;
pub(crate) mod boxes;
pub(crate) mod buttons;
pub(crate) mod declared;
pub(crate) mod headings;
pub(crate) mod labels;
pub(crate) mod lead;
pub(crate) mod legal;
pub(crate) mod noscript;
pub(crate) mod notes;
pub(crate) mod polls;
pub(crate) mod price;
pub(crate) mod records;
pub(crate) mod requests;
pub(crate) mod tables;
pub(crate) mod tabs;
pub(crate) mod thread;

use maintext_page::blocks::{Block, Blocks};
#[cfg(test)]
use maintext_page::dom::Dom;
use maintext_page::dom::Tag;

/// Whether a link begins in a block and holds all of it.
fn is_link(block: &Block) -> bool {
    block.links > 0 && block.is_linked()
}

/// Returns the first block of the first visible heading of the first level.
fn main_heading(blocks: &Blocks) -> Option<usize> {
    let heading = blocks.elements.iter().find(|e| e.tag == Tag::H1 && !e.hidden && !e.blocks.is_empty());
    heading.map(|heading| heading.blocks.start as usize)
}

/// Returns the choice of the blocks of a page after a pass, given and returned as one sign for each block.
#[cfg(test)]
pub(crate) fn choice_after(html: &str, choice: &str, pass: impl Fn(&Dom<'_>, &Blocks, &mut [bool])) -> String {
    let dom = maintext_page::dom::parse(html, &Default::default());
    let blocks = Blocks::new(&dom);
    let mut kept: Vec<bool> = choice.chars().map(|c| c == '+').collect();
    assert_eq!(kept.len(), blocks.len(), "{html}");
    pass(&dom, &blocks, &mut kept);
    kept.iter().map(|&k| if k { '+' } else { '-' }).collect()
}
