//! Finds the only comment on a page. No other record has the same markup, so the names of the elements around it decide.
use super::Facts;
use super::evidence::{COMMENTS, begins, names_comments};
use super::labels::is_likely_label;
use super::names::{bare, is_name};
use crate::metadata::text::cap;
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{NodeId, Tag};
use maintext_reading::features::heading_level;

/// Words that begin like words for comments, but name articles.
const COMMENTARY: [&str; 3] = ["commentary", "commentaries", "commentator"];
/// Beginnings of words in the names and headings of lists of comments on other pages, in lower case.
const LATEST: [&str; 9] = ["recent", "latest", "newest", "letzte", "neueste", "dernier", "récent", "último", "ultimi"];
/// Beginnings of words for ratings by customers, in lower case.
const RATINGS: [&str; 3] = ["rating", "review", "bewertung"];
/// Maximum number of bytes of an element's names that are read.
const MAX_NAME_BYTES: usize = 200;
/// Number of elements around a comment that may be named for comments.
const MAX_NAMED_ANCESTORS: usize = 6;
/// Number of blocks before comments that may be their heading.
const MAX_BLOCKS_TO_HEADING: u32 = 3;
/// Maximum number of words of labels and buttons around a comment.
const MAX_LABEL_WORDS: u32 = 12;
/// Minimum number of words of a comment without the line with its date.
const MIN_WORDS: u32 = 3;
/// Maximum number of elements and blocks in a comment.
const MAX_ELEMENTS: u32 = 600;
const MAX_BLOCKS: usize = 200;
/// Maximum number of levels between a date and its comment.
const MAX_LEVELS: usize = 12;

/// Returns the element of the comment with a date in an element: it is in an element named for comments, and has text, but no form to write one.
pub(super) fn single(facts: &Facts<'_>, date: usize) -> Option<usize> {
    let blocks = facts.blocks;
    let elements = &blocks.elements;
    let dom = facts.dom;
    let line = elements[date].blocks.start;
    let mut chain = blocks.element_chain(date).take(MAX_LEVELS).take_while(|e| {
        let own = &elements[*e];
        let small = own.blocks.len() <= MAX_BLOCKS && own.descendants <= MAX_ELEMENTS;
        small && !matches!(own.tag, Tag::BODY | Tag::HTML | Tag::MAIN)
    });
    let mut own = chain.find(|e| {
        let texts = elements[*e].blocks.clone().filter(|b| {
            let text = blocks.text(*b as usize);
            *b != line && !is_name(bare(text)) && !is_likely_label(text)
        });
        texts.map(|b| blocks.blocks[b as usize].words).sum::<u32>() >= MIN_WORDS
    })?;
    for e in chain {
        let inside = e..=e + elements[e].descendants as usize;
        let adds = words_without(blocks, e, line) - words_without(blocks, own, line);
        let part = own..=own + elements[own].descendants as usize;
        if adds > MAX_LABEL_WORDS
            || inside
                .filter(|i| !part.contains(i))
                .any(|i| elements[i].tag.heading_level().is_some_and(|l| l <= 3) || elements[i].tag == Tag::FORM)
        {
            break;
        }
        own = e;
    }
    let node = elements[own].node;
    // A heading above a single comment belongs to the section, unless it holds the author's name.
    let has_header = (own..=own + elements[own].descendants as usize).any(|e| {
        let start = elements[e].blocks.start;
        start < line
            && elements[e].tag.heading_level().is_some_and(|l| l <= 3)
            && (!is_name(bare(blocks.text(start as usize))) || blocks.text(start as usize).ends_with('?'))
    });
    if has_header {
        return None;
    }
    let named = std::iter::once(node)
        .chain(dom.ancestors(node).take(MAX_NAMED_ANCESTORS))
        .any(|n| is_named_for_comments(facts, n));
    (!elements[own].hidden
        && named
        && !dom.descendants(node).take(MAX_ELEMENTS as usize).any(|n| matches!(dom.tag(n), Tag::TEXTAREA | Tag::H1)))
    .then_some(own)
}

/// Returns the number of words of an element without the line of its date.
fn words_without(blocks: &Blocks, e: usize, line: u32) -> u32 {
    let own = blocks.elements[e].blocks.clone().filter(|b| *b != line);
    own.map(|b| blocks.blocks[b as usize].words).sum()
}

/// Returns whether an element is inside one that is named for comments.
pub(super) fn is_among_comments(facts: &Facts<'_>, element: usize) -> bool {
    let node = facts.blocks.elements[element].node;
    facts.dom.ancestors(node).take(MAX_LEVELS).any(|n| is_named_for_comments(facts, n))
        || is_named_for_comments(facts, node)
        || are_headed_by_comments(facts, element)
}

/// Whether an element around records begins with a short heading for comments: "Názory k článku".
pub(super) fn are_headed_by_comments(facts: &Facts<'_>, element: usize) -> bool {
    const MAX_WORDS: u32 = 6;
    let blocks = facts.blocks;
    blocks.element_chain(element).take(MAX_LEVELS).any(|e| {
        let heading = blocks.elements[e].blocks.start as usize;
        heading_level(blocks, heading) > 1
            && blocks.blocks[heading].words <= MAX_WORDS
            && names_comments(blocks.text(heading))
    })
}

/// Returns whether the names of an element mention comments.
pub(in crate::metadata) fn is_named_for_comments(facts: &Facts<'_>, node: NodeId) -> bool {
    facts.element(node).map_or_else(
        || {
            names(facts, node).any(|v| {
                v.split(|c: char| !c.is_alphanumeric()).any(|w| begins(w, COMMENTS) && !begins(w, &COMMENTARY))
            })
        },
        |e| {
            *facts.named_for_comments[e].get_or_init(|| {
                names(facts, node).any(|v| {
                    v.split(|c: char| !c.is_alphanumeric()).any(|w| begins(w, COMMENTS) && !begins(w, &COMMENTARY))
                })
            })
        },
    )
}

/// Returns whether an element is in a list of comments on other pages: "recent comments" or "latest ratings" in the names of the elements around it or in the
/// heading. Words such as "newest" alone also occur in sort orders.
pub(super) fn is_of_other_pages(facts: &Facts<'_>, element: usize) -> bool {
    let (blocks, dom) = (facts.blocks, facts.dom);
    let own = &blocks.elements[element];
    let start = own.blocks.start;
    let mut labels =
        (start.saturating_sub(MAX_BLOCKS_TO_HEADING)..start).filter(|b| blocks.blocks[*b as usize].words <= 6);
    std::iter::once(own.node)
        .chain(dom.ancestors(own.node).take(MAX_NAMED_ANCESTORS))
        .any(|n| names(facts, n).any(is_list_of_latest))
        || labels.any(|b| is_list_of_latest(blocks.text(b as usize)))
}

fn is_list_of_latest(text: &str) -> bool {
    begins(text, &LATEST) && (begins(text, COMMENTS) || begins(text, &RATINGS))
}

/// Returns the names of an element: its classes, id and declared type.
fn names<'a>(facts: &'a Facts<'_>, node: NodeId) -> impl Iterator<Item = &'a str> {
    let dom = facts.dom;
    let is_named = !matches!(dom.tag(node), Tag::BODY | Tag::HTML);
    let attributes = [Attr::CLASS, Attr::ID, Attr::ITEMTYPE, Attr::ITEMPROP].into_iter().filter(move |_| is_named);
    attributes.filter_map(move |a| dom.attribute(node, a)).map(|v| cap(v, MAX_NAME_BYTES))
}
