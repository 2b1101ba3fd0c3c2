//! Keeps the notes to which the kept text refers.
use maintext_html::Attr;
use maintext_page::address;
use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashSet;
use maintext_reading::features::heading_level;

/// Longest text of a link that refers to a note, in bytes.
const LABEL: usize = 12;
/// Longest text of a link that cites a work: "Halm et al., 2011".
const CITATION: usize = 60;
/// Maximum number of links that are read.
const LINKS: usize = 400;
/// Largest share of the words of the kept text that the added notes may have: lists of sources may be longer than their article.
const SHARE: f32 = 0.25;
/// Number of words up to which notes are added to any text.
const NOTE_WORDS: f32 = 100.0;

/// Keeps the items, divisions and paragraphs to which short links in the kept text lead, further down on the page. Longer links cite a work: its
/// entry is kept with the entry before or after it, or below a kept heading.
pub(crate) fn keep_referenced(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let mut targets: HashSet<&str> = HashSet::default();
    let mut cited: HashSet<&str> = HashSet::default();
    let mut first = usize::MAX;
    let links = blocks.elements.iter().filter(|e| e.tag == Tag::A && !e.blocks.is_empty());
    let referring = links.filter(|e| kept[e.blocks.start as usize] && is_reference(dom, e.node, CITATION)).take(LINKS);
    for link in referring {
        let target = dom.attribute(link.node, Attr::HREF).and_then(|href| address::fragment(dom, href, None));
        // The date of a comment leads to the comment itself.
        if let Some(target) = target.filter(|target| !is_inside(dom, link.node, target)) {
            let set = if is_reference(dom, link.node, LABEL) { &mut targets } else { &mut cited };
            set.insert(target);
            first = first.min(link.blocks.start as usize);
        }
    }
    if targets.is_empty() && cited.is_empty() {
        return;
    }
    let mut added: Vec<usize> = Vec::new();
    let mut end = 0;
    let elements = &blocks.elements;
    for (i, e) in elements.iter().enumerate().filter(|(_, e)| e.blocks.start as usize > first) {
        let holds = matches!(e.tag, Tag::LI | Tag::P | Tag::DIV | Tag::ASIDE | Tag::DD | Tag::DT);
        let (from, mut to) = (e.blocks.start as usize, e.blocks.end as usize);
        if !holds || from < end {
            continue;
        }
        let is_entry = is_cited(dom, e, &cited)
            && (has_kept_neighbour(dom, blocks, e, &cited, kept)
                || from > 0 && (kept[from - 1] && heading_level(blocks, from - 1) > 0 || from == end));
        if !is_entry && !own_ids(dom, e.node).any(|id| targets.contains(id)) {
            continue;
        }
        // The text of a note in a list of definitions follows its label.
        if e.tag == Tag::DT {
            let next = i + 1 + e.descendants as usize;
            let text = elements.get(next).filter(|d| d.tag == Tag::DD && d.blocks.start as usize == to);
            to = text.map_or(to, |d| d.blocks.end as usize);
        }
        added.extend((from..to).filter(|&b| !kept[b]));
        end = to;
    }
    let all: f32 = (0..kept.len()).filter(|&b| kept[b]).map(|b| blocks.blocks[b].words as f32).sum();
    if added.iter().map(|&b| blocks.blocks[b].words as f32).sum::<f32>() <= (SHARE * all).max(NOTE_WORDS) {
        added.into_iter().for_each(|b| kept[b] = true);
    }
}

/// Whether a link is inside its target.
fn is_inside(dom: &Dom<'_>, link: NodeId, target: &str) -> bool {
    const MAX_LEVELS: usize = 12;
    dom.ancestors(link).take(MAX_LEVELS).any(|n| dom.attribute(n, Attr::ID) == Some(target))
}

/// Whether an element is the entry of a cited work.
fn is_cited(dom: &Dom<'_>, e: &Element, cited: &HashSet<&str>) -> bool {
    own_ids(dom, e.node).any(|id| cited.contains(id))
}

/// Whether a block directly before or after an entry is a kept entry of the same list.
fn has_kept_neighbour(dom: &Dom<'_>, blocks: &Blocks, e: &Element, cited: &HashSet<&str>, kept: &[bool]) -> bool {
    let (before, after) = (e.blocks.start.checked_sub(1), e.blocks.end as usize);
    before.is_some_and(|b| is_cited_entry(dom, blocks, e, cited, kept, b as usize))
        || after < kept.len() && is_cited_entry(dom, blocks, e, cited, kept, after)
}

fn is_cited_entry(dom: &Dom<'_>, blocks: &Blocks, e: &Element, cited: &HashSet<&str>, kept: &[bool], b: usize) -> bool {
    let other = &blocks.elements[blocks.blocks[b].container as usize];
    kept[b] && other.parent == e.parent && is_cited(dom, other, cited)
}

/// Whether a link within the page has a text of at most `max` bytes, and is not a control.
fn is_reference(dom: &Dom<'_>, link: NodeId, max: usize) -> bool {
    // The tab of a panel is a control.
    if dom.attr(link, "aria-controls").is_some() || dom.attribute(link, Attr::ROLE) == Some("tab") {
        return false;
    }
    let mut chars = 0;
    for (count, n) in dom.descendants(link).enumerate() {
        chars += dom.text(n).trim().len();
        if count > 8 || chars > max {
            return false;
        }
    }
    chars > 0
}

/// Returns the ids of an element and of its first child, and the `name` attributes of old pages.
fn own_ids<'a>(dom: &'a Dom<'_>, n: NodeId) -> impl Iterator<Item = &'a str> {
    let child = dom.first_child(n).filter(|&c| matches!(dom.tag(c), Tag::A | Tag::SPAN | Tag::SUP));
    [Some(n), child]
        .into_iter()
        .flatten()
        .flat_map(|n| [dom.attribute(n, Attr::ID), dom.attribute(n, Attr::NAME)])
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps the notes of a choice, given as one sign for each block.
    fn kept(html: &str, choice: &str) -> String {
        crate::passes::choice_after(html, choice, keep_referenced)
    }

    #[test]
    fn notes_are_kept_with_the_text_that_refers_to_them() {
        let text = "<p>text<a href=#n1>1</a></p><p>more</p>";
        for note in [
            "<ol><li id=n1>note</ol>",
            "<p id=n1>note</p>",
            "<p><a id=n1></a>note</p>",
            "<p><sup id=n1>1</sup> note</p>",
            "<p><a name=n1 href=#r1>[1]</a> note</p>",
            "<aside id=n1>note</aside>",
        ] {
            // The id of the inner element counts only if it is the first child.
            assert_eq!(kept(&format!("{text}{note}"), "++-"), "+++", "{note}");
            assert_eq!(kept(&format!("{text}{note}"), "-+-"), "-+-", "{note}");
        }
        assert_eq!(kept(&format!("{text}<dl><dt id=n1>1<dd>note<dt>2<dd>other</dl>"), "++----"), "++++--");
        assert_eq!(kept(&format!("{text}<h2 id=n1>note</h2>"), "++-"), "++-");
        assert_eq!(kept(&format!("{text}<ol><li id=n2>note</ol>"), "++-"), "++-");
    }

    #[test]
    fn a_cited_work_is_kept_with_the_works_beside_it() {
        let text = "<p>text (<a href=#b1>Halm et al., 2011</a>; <a href=#b2>Halm and Rye, 2012</a>)</p>";
        for works in [
            "<div><p><a id=b1></a>one</p><p><a id=b2></a>two</p></div>",
            "<ol><li id=b1>one<li id=b2>two</ol>",
            "<ul><li><a name=b1></a>one<li><a name=b2></a>two</ul>",
        ] {
            assert_eq!(kept(&format!("{text}{works}"), "++-"), "+++", "{works}");
            assert_eq!(kept(&format!("{text}{works}"), "+-+"), "+++", "{works}");
            // Without a kept entry or heading the list was dropped as a whole.
            assert_eq!(kept(&format!("{text}{works}"), "+--"), "+--", "{works}");
            assert_eq!(kept(&format!("{text}<h2>References</h2>{works}"), "++--"), "++++", "{works}");
            assert_eq!(kept(&format!("{text}<h2>References</h2>{works}"), "+---"), "+---", "{works}");
        }
        assert_eq!(kept(&format!("{text}<div><p>kept</p></div><p id=b2>two</p>"), "++-"), "++-");
        assert_eq!(kept(&format!("{text}<p id=b1>one</p><p id=b3>three</p>"), "++-"), "++-");
        let long =
            "<p>text <a href=#b2>a line that is much too long to be the citation of a single work in a text</a></p>";
        assert_eq!(kept(&format!("{long}<p id=b1>one</p><p id=b2>two</p>"), "++-"), "++-");
    }

    #[test]
    fn other_links_keep_nothing() {
        let note = "<p id=n1>note</p>";
        assert_eq!(kept(&format!("<p>text <a href=#n1>a long name of a chapter</a></p>{note}"), "+-"), "+-");
        assert_eq!(kept(&format!("<p>text <a href=#n1></a></p>{note}"), "+-"), "+-");
        assert_eq!(kept(&format!("{note}<p>text<a href=#n1>1</a></p>"), "-+"), "-+");
        let sources = "source ".repeat(NOTE_WORDS as usize + 1);
        assert_eq!(kept(&format!("<p>text<a href=#n1>1</a></p><p id=n1>{sources}</p>"), "+-"), "+-");
    }
}
