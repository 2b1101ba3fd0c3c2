//! Settles the choice for headings of tables of contents: one whose list was dropped is dropped, too.
use maintext_page::blocks::{Block, Blocks};
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};

/// Maximum number of ancestors of a text among which its heading or its link is looked for.
const HEADING_ANCESTORS: usize = 6;
/// Minimum number of lines of a table of contents.
const LINES: usize = 2;
/// Maximum number of words of its heading.
const WORDS: u32 = 5;

pub(crate) fn apply(dom: &Dom<'_>, blocks: &Blocks, kept: &mut [bool]) {
    let mut b = 0;
    while b < kept.len() {
        let block = &blocks.blocks[b];
        b += 1;
        if !kept[b - 1] || block.words > WORDS || !is_heading(dom, blocks, block) {
            continue;
        }
        let heading = b - 1;
        let lines =
            blocks.blocks[b..].iter().zip(&kept[b..]).take_while(|(l, k)| !**k && leads_into_page(dom, blocks, l));
        let end = b + lines.count();
        if end - b >= LINES && ends_at(dom, blocks, kept, heading, end) {
            kept[heading] = false;
        }
        b = end;
    }
}

/// Whether the section of a heading has no text from `end` on: the next heading follows, or an element holds exactly the blocks before it.
fn ends_at(dom: &Dom<'_>, blocks: &Blocks, kept: &[bool], heading: usize, end: usize) -> bool {
    let Some(next) = (end..kept.len()).find(|&b| kept[b]) else { return true };
    let whole = || {
        let own = blocks.ancestors(heading).map(|e| &blocks.elements[e].blocks);
        own.take(HEADING_ANCESTORS).any(|r| r.start as usize == heading && (end..=next).contains(&(r.end as usize)))
    };
    is_heading(dom, blocks, &blocks.blocks[next]) || whole()
}

fn first_text(blocks: &Blocks, b: &Block) -> Option<NodeId> {
    blocks.leaves.get(b.leaves.start as usize).copied()
}

fn is_heading(dom: &Dom<'_>, blocks: &Blocks, b: &Block) -> bool {
    let Some(leaf) = first_text(blocks, b) else { return false };
    dom.ancestors(leaf)
        .take(HEADING_ANCESTORS)
        .any(|n| dom.kind(n) == NodeKind::Element && dom.tag(n).heading_level().is_some())
}

/// Whether a block is a link to a place on a page.
fn leads_into_page(dom: &Dom<'_>, blocks: &Blocks, b: &Block) -> bool {
    let Some(leaf) = first_text(blocks, b).filter(|_| b.link_chars * 2 > b.chars) else { return false };
    let link = dom.ancestors(leaf).take(HEADING_ANCESTORS).find(|&n| dom.tag(n) == Tag::A);
    link.and_then(|n| dom.attr(n, "href")).is_some_and(|href| href.contains('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settles a choice, given as one sign for each block.
    fn kept(html: &str, choice: &str) -> String {
        crate::passes::choice_after(html, choice, apply)
    }

    #[test]
    fn a_heading_goes_with_its_list_of_contents() {
        let list = "<ul><li><a href=#a>A</a><li><a href=#b>B</a></ul>";
        let page = format!("<p>x</p><h2>On this page</h2>{list}<h2>A</h2><p>a</p>");
        assert_eq!(kept(&page, "++--++"), "+---++");
        assert_eq!(kept(&page, "++++++"), "++++++");
        assert_eq!(kept(&page, "++-+++"), "++-+++");
        let page = format!("<p>x</p><nav><h2>On this page</h2>{list}</nav><p>a</p>");
        assert_eq!(kept(&page, "++--+"), "+---+");
        assert_eq!(kept(&format!("<p>x</p><h2>Contents</h2>{list}"), "++--"), "+---");
    }

    #[test]
    fn a_heading_with_text_stays() {
        let list = "<ul><li><a href=#a>A</a><li><a href=#b>B</a></ul>";
        assert_eq!(kept(&format!("<h2>Tides</h2>{list}<p>text</p>"), "+--+"), "+--+");
        assert_eq!(
            kept("<h2>See also</h2><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul><h2>C</h2>", "+--+"),
            "+--+"
        );
        assert_eq!(kept("<h2>Tides</h2><p><a href=#a>A</a></p><h2>C</h2>", "+-+"), "+-+");
    }
}
