//! Names that are not the author's: in comments, in cards of other pages, in the site's own name.
use crate::metadata::layout::Layout;
use crate::metadata::ranking::rank::{Evidence, Source};
use crate::metadata::sources::facts::{naming_words, region};
use crate::metadata::text::{key, node_text};
use maintext_html::Attr;
use maintext_page::address::host_of;
use maintext_page::dom::{Dom, NodeId, Tag};
use url::Url;

/// Longest byline, in characters.
pub(super) const MAX_BYLINE_CHARS: usize = 160;

/// Largest numbers of elements and of blocks in a card of another page.
const MAX_CARD_ELEMENTS: u32 = 60;
const MAX_CARD_BLOCKS: usize = 10;

/// Number of siblings of a card that are searched for another card.
const MAX_NODES_BESIDE: usize = 6;

/// Number of elements before and after a card that are searched for another of its class.
const MAX_ELEMENTS_BETWEEN: usize = 60;

/// Returns whether a statement is only a short text in a likely place.
pub(super) fn is_unstated(e: &Evidence) -> bool {
    matches!(e.key.as_str(), "element" | "post" | "joined")
}

/// Returns whether a candidate is not the page's author, whatever its score: all its places are comments, cards of other pages, or the
/// site's own name around the article. `has_comments`: whether elements named for comments hold no posts of the page.
pub(super) fn is_elsewhere(
    page: &Layout<'_>,
    site: &[String],
    names: &[String],
    evidence: &[Evidence],
    has_comments: bool,
) -> bool {
    let are_shown = evidence.iter().all(|e| matches!(e.source, Source::Markup | Source::Text));
    let blocks: Vec<u32> = evidence.iter().filter_map(|e| e.block).collect();
    let are_blocks = !blocks.is_empty() && blocks.iter().all(|b| (*b as usize) < page.blocks.len());
    if !are_shown || !are_blocks {
        return false;
    }
    has_comments && blocks.iter().all(|b| page.is_in_comments(*b))
        || blocks.iter().all(|b| is_card_of_other_page(page, *b, names))
        || evidence.iter().all(is_unstated) && names_site(page, site, names, &blocks)
}

/// Returns whether the names are towns: in Danish and Norwegian, "By:" precedes one.
pub(super) fn is_town(page: &Layout<'_>, evidence: &[Evidence]) -> bool {
    let language = page.declared.get(..2).unwrap_or("");
    ["da", "no", "nb", "nn"].contains(&language)
        && evidence.iter().all(|e| e.block.is_some_and(|b| follows_by(page, b)))
}

/// Whether the word "By" with a colon begins a line or is the line before.
fn follows_by(page: &Layout<'_>, block: u32) -> bool {
    let Some(text) = page.blocks.blocks.get(block as usize).map(|_| page.blocks.text(block as usize)) else {
        return false;
    };
    let before = block.checked_sub(1).map_or("", |before| page.blocks.text(before as usize));
    let after = text.strip_prefix("By").unwrap_or("");
    after.trim_start().starts_with(':') || matches!(before.trim(), "By" | "By:")
}

/// Returns whether the names are the site's, printed only above the article or in the frame of the page.
fn names_site(page: &Layout<'_>, site: &[String], names: &[String], blocks: &[u32]) -> bool {
    let top = page.heading.unwrap_or(page.content.0);
    let [name] = names else { return false };
    let own = key(name);
    blocks.iter().all(|b| *b < top || is_in_frame(page, *b, &own))
        && (site.contains(&own) || blocks.iter().any(|b| begins_with_link_home(page, *b, &own)))
}

/// Whether a block is in the header, the footer or the navigation of the page. A line of nothing but a name in the header of an article is a
/// byline.
fn is_in_frame(page: &Layout<'_>, block: u32, name: &str) -> bool {
    let e = page.blocks.blocks[block as usize].element as usize;
    let regions = page.regions[e];
    if regions & region::HEADER == 0 {
        return regions & (region::FOOTER | region::NAV) != 0;
    }
    regions & region::ARTICLE == 0 || key(page.blocks.text(block as usize)) != name
}

/// Whether a link to the front page with this name begins in a block.
fn begins_with_link_home(page: &Layout<'_>, block: u32, name: &str) -> bool {
    page.blocks.beginning_with(block).map(|e| &page.blocks.elements[e]).any(|e| {
        // The text is read before the address, which costs more to parse.
        e.tag == Tag::A && key(&node_text(page.dom, e.node, MAX_BYLINE_CHARS)) == name && leads_home(page, e.node)
    })
}

/// Returns whether a link leads to the front page of the site.
fn leads_home(page: &Layout<'_>, node: NodeId) -> bool {
    let Some(href) = page.dom.attr(node, "href") else { return false };
    page.leads_home(href)
        && page.address(href).and_then(|u| Url::parse(&u).ok()).is_none_or(|url| page.host() == host_of(&url))
}

/// Returns whether a block is in a card with a heading that is a link and names no author, a teaser of another page: behind the content, or
/// one of several cards.
fn is_card_of_other_page(page: &Layout<'_>, block: u32, names: &[String]) -> bool {
    let elements = &page.blocks.elements;
    let top = page.heading.unwrap_or(page.content.0);
    if page.is_thread() || block <= top {
        return false;
    }
    let mut around = page.blocks.ancestors(block as usize).take_while(|&e| {
        let e = &elements[e];
        !e.blocks.contains(&top) && e.descendants <= MAX_CARD_ELEMENTS && e.blocks.len() <= MAX_CARD_BLOCKS
    });
    let found = around.find_map(|e| {
        let title = linked_titles(page, e).next().filter(|t| elements[*t].blocks.start <= block);
        Some((e, title?))
    });
    let Some((card, title)) = found else { return false };
    let text = node_text(page.dom, elements[title].node, MAX_BYLINE_CHARS);
    if names.iter().any(|n| text.contains(n.as_str())) {
        return false;
    }
    block > page.content.1 || has_card_beside(page, card)
}

/// Returns the first two headings within an element that hold a link or are in one, or the link with which it begins.
fn linked_titles(page: &Layout<'_>, e: usize) -> impl Iterator<Item = usize> {
    let (dom, elements) = (page.dom, &page.blocks.elements);
    let titles = (e..=e + elements[e].descendants as usize).filter(move |&i| {
        let n = elements[i].node;
        elements[i].tag.heading_level().is_some()
            && dom.descendants(n).take(6).chain(dom.ancestors(n).take(2)).any(|n| leads_on(dom, n))
            || i == e + 1 && is_title(page, n)
    });
    titles.take(2)
}

/// Whether a link has the words of a title, or the name.
fn is_title(page: &Layout<'_>, link: NodeId) -> bool {
    /// Minimum number of words: names have fewer.
    const MIN_WORDS: usize = 4;
    let (dom, mut named) = (page.dom, false);
    naming_words(dom, link, false, |word| named |= matches!(word, "title" | "headline"));
    leads_on(dom, link) && (named || node_text(dom, link, MAX_BYLINE_CHARS).split(' ').count() >= MIN_WORDS)
}

/// Whether a node is a link to another place than one of this page.
fn leads_on(dom: &Dom, n: NodeId) -> bool {
    dom.tag(n) == Tag::A && dom.attr(n, "href").is_some_and(|href| !href.starts_with('#'))
}

/// Whether a card has a sibling of the same tag with one title, or not far away an element of the same tag and class with one, as cards in rows
/// of a table do.
fn has_card_beside(page: &Layout<'_>, card: usize) -> bool {
    let (dom, elements) = (page.dom, &page.blocks.elements);
    let own = elements[card].node;
    let is_card = |e: usize| elements[e].tag == elements[card].tag && linked_titles(page, e).count() == 1;
    let beside = dom.next_siblings(own).take(MAX_NODES_BESIDE).chain(dom.prev_siblings(own).take(MAX_NODES_BESIDE));
    if beside.filter_map(|n| page.element(n)).any(is_card) {
        return true;
    }
    let Some(class) = dom.attribute(own, Attr::CLASS) else { return false };
    let end = card + elements[card].descendants as usize + 1;
    let near = card.saturating_sub(MAX_ELEMENTS_BETWEEN)..(end + MAX_ELEMENTS_BETWEEN).min(elements.len());
    near.filter(|&e| !(card..end).contains(&e) && elements[e].descendants <= MAX_CARD_ELEMENTS)
        .any(|e| dom.attribute(elements[e].node, Attr::CLASS) == Some(class) && is_card(e))
}
