//! Settles the choice for boxes in the text: a callout or details go with their title, a division that is a heading goes with the text around
//! it, and a quotation that repeats a sentence is dropped.
use crate::blocks::{Blocks, Element};
use crate::dom::{Dom, Tag};
use crate::render;
use maintext_html::Attr;

/// Most words of a title.
const TITLE: u32 = 16;
/// Fewest and most words of a quotation that repeats a sentence.
const QUOTED: std::ops::RangeInclusive<u32> = 4..=80;
/// Most such quotations of a page.
const QUOTATIONS: usize = 16;

pub(crate) fn settle(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let mut quotations = Vec::new();
    for e in &blocks.elements {
        if !matches!(e.tag, Tag::DIV | Tag::SECTION | Tag::ASIDE | Tag::BLOCKQUOTE | Tag::DETAILS | Tag::FIGURE) {
            continue;
        }
        let first = e.blocks.start as usize;
        let has_title = || e.blocks.len() > 1 && !kept[first] && kept[first + 1] && blocks.blocks[first].words <= TITLE;
        if has_title() && (e.tag == Tag::DETAILS || render::is_callout(dom, e.node, e.tag)) {
            kept[first] = true;
        } else if e.blocks.len() == 1 && e.tag == Tag::DIV {
            let amid = !kept[first] && first > 0 && kept[first - 1] && kept.get(first + 1) == Some(&true);
            kept[first] |= amid && dom.attribute(e.node, Attr::ROLE) == Some("heading");
        } else if matches!(e.tag, Tag::ASIDE | Tag::BLOCKQUOTE | Tag::FIGURE) && is_pull_quote(dom, e) {
            quotations.extend((first..e.blocks.end as usize).filter(|&b| kept[b]));
        }
    }
    for b in quotations.into_iter().take(QUOTATIONS) {
        if QUOTED.contains(&blocks.blocks[b].words) && is_repeated(blocks, b, kept) {
            kept[b] = false;
        }
    }
}

fn is_pull_quote(dom: &Dom<'_>, e: &Element) -> bool {
    dom.attribute(e.node, Attr::CLASS).is_some_and(|c| c.contains("pull"))
}

/// Whether a longer kept block holds the text of a block, apart from its quotation marks.
fn is_repeated(blocks: &Blocks, b: usize, kept: &[bool]) -> bool {
    let text = blocks.text(b).trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words = blocks.blocks[b].words;
    (0..kept.len())
        .any(|o| o != b && kept[o] && blocks.blocks[o].words > words && blocks.text(o).to_lowercase().contains(&text))
}
