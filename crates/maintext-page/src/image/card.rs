//! Cards: images that lead to other pages, with the titles of these.
use super::has_image_extension;
use crate::blocks::{Blocks, Element, Media};
use crate::dom::{Dom, Tag};
use maintext_html::Attr;

/// Maximum number of elements between an image and the box that it shares with a text.
const MAX_LEVELS_TO_BOX: usize = 6;

/// Returns the element of the card that an image belongs to: a link around the image and a title, or the nearest element with text, if that
/// is linked like the image.
pub fn card(dom: &Dom, blocks: &Blocks, m: &Media) -> Option<usize> {
    /// Maximum number of words of a title with a teaser.
    const MAX_TITLE_WORDS: u32 = 40;
    let elements = &blocks.elements;
    let mut chain = blocks.element_chain(m.element as usize).take(MAX_LEVELS_TO_BOX);
    if let Some(link) = chain.find(|&e| leads_to_page(dom, &elements[e]) && blocks.sums(&elements[e].blocks)[0] > 1) {
        return Some(link);
    }
    let nearest = box_of_link(dom, blocks, m)?;
    let [words, chars, link_chars] = blocks.sums(&elements[nearest].blocks);
    let is_title = link_chars * 10 >= chars * 8 && (2..=MAX_TITLE_WORDS).contains(&words);
    is_title.then_some(nearest)
}

/// Returns the nearest element around an image that has text, if the image is a link to a page.
pub fn box_of_link(dom: &Dom, blocks: &Blocks, m: &Media) -> Option<usize> {
    let elements = &blocks.elements;
    let nearest =
        blocks.element_chain(m.element as usize).take(MAX_LEVELS_TO_BOX).find(|&e| !elements[e].blocks.is_empty())?;
    let mut around = blocks.element_chain(m.element as usize).take(MAX_LEVELS_TO_BOX);
    let has_link = around.any(|e| leads_to_page(dom, &elements[e]));
    let is_box = matches!(elements[nearest].tag, Tag::LI | Tag::DIV | Tag::ARTICLE | Tag::SECTION);
    (is_box && has_link).then_some(nearest)
}

/// Whether an element is a link to a page. A link to a larger image opens that.
fn leads_to_page(dom: &Dom, e: &Element) -> bool {
    let href = if e.tag == Tag::A { dom.attribute(e.node, Attr::HREF) } else { None };
    href.is_some_and(|href| !href.starts_with('#') && !has_image_extension(href))
}
