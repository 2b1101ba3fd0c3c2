//! Cards: images that lead to other pages, with the titles of these.
use super::has_image_extension;
use crate::blocks::{Blocks, Element, Media};
use crate::dom::{Dom, Tag};
use maintext_html::Attr;

/// Returns the element of the card that an image belongs to: a link around the image and a title, or the nearest element with text, if that
/// is linked like the image.
pub fn card(dom: &Dom, blocks: &Blocks, m: &Media) -> Option<usize> {
    /// Maximum number of elements between an image and the card, and of words of a title with a teaser.
    const MAX_LEVELS_TO_CARD: usize = 6;
    const MAX_TITLE_WORDS: u32 = 40;
    let elements = &blocks.elements;
    let chain: Vec<usize> = blocks.element_chain(m.element as usize).take(MAX_LEVELS_TO_CARD).collect();
    let mut links = chain.iter().copied().filter(|&e| leads_to_page(dom, &elements[e])).peekable();
    let has_link = links.peek().is_some();
    if let Some(link) = links.find(|&e| blocks.sums(&elements[e].blocks)[0] > 1) {
        return Some(link);
    }
    let nearest = chain.iter().copied().find(|&e| !elements[e].blocks.is_empty())?;
    let is_box = matches!(elements[nearest].tag, Tag::LI | Tag::DIV | Tag::ARTICLE | Tag::SECTION);
    let [words, chars, link_chars] = blocks.sums(&elements[nearest].blocks);
    let is_title = link_chars * 10 >= chars * 8 && (2..=MAX_TITLE_WORDS).contains(&words);
    (is_box && is_title && has_link).then_some(nearest)
}

/// Whether an element is a link to a page. A link to a larger image opens that.
fn leads_to_page(dom: &Dom, e: &Element) -> bool {
    let href = if e.tag == Tag::A { dom.attribute(e.node, Attr::HREF) } else { None };
    href.is_some_and(|href| !href.starts_with('#') && !has_image_extension(href))
}
