//! Cards: images that lead to other pages, with the titles of these.
use super::has_image_extension;
use crate::blocks::{Block, Blocks, Media};
use crate::dom::{Dom, Tag};
use maintext_html::Attr;

/// Returns the element of the card that an image belongs to: a link around the image and a title, or the nearest element with text, if that
/// is linked like the image.
pub fn card(dom: &Dom, blocks: &Blocks, m: &Media) -> Option<usize> {
    /// Maximum number of elements between an image and the card, and of words of a title with a teaser.
    const MAX_LEVELS_TO_CARD: usize = 6;
    const MAX_TITLE_WORDS: u32 = 40;
    let elements = &blocks.elements;
    let sum = |e: usize, of: fn(&Block) -> u32| -> u32 {
        blocks.blocks[elements[e].blocks.start as usize..elements[e].blocks.end as usize].iter().map(of).sum()
    };
    // A link to a larger image opens that.
    let opens = |href: &str| href.starts_with('#') || has_image_extension(href);
    let leads = |&e: &usize| {
        elements[e].tag == Tag::A && dom.attribute(elements[e].node, Attr::HREF).is_some_and(|href| !opens(href))
    };
    let chain = || blocks.element_chain(m.element as usize).take(MAX_LEVELS_TO_CARD);
    chain().find(|e| leads(e) && sum(*e, |b| b.words) > 1).or_else(|| {
        let nearest = chain().find(|&e| !elements[e].blocks.is_empty())?;
        let is_box = matches!(elements[nearest].tag, Tag::LI | Tag::DIV | Tag::ARTICLE | Tag::SECTION);
        let is_linked = sum(nearest, |b| b.link_chars) * 10 >= sum(nearest, |b| b.chars) * 8;
        let is_title = || (2..=MAX_TITLE_WORDS).contains(&sum(nearest, |b| b.words));
        (is_box && is_linked && chain().any(|e| leads(&e)) && is_title()).then_some(nearest)
    })
}
