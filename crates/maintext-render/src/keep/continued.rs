//! Finds the links that end the summary of an entry and lead where its title leads: "Read on".
use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};

/// Maximum number of words of such a link.
const MAX_WORDS: u32 = 5;
/// Maximum number of elements between a text and its link, and between a link and its heading.
const MAX_LEVELS: usize = 4;

/// Returns the short links at the ends of kept texts that lead where the last heading above leads.
pub(super) fn links(dom: &Dom<'_>, blocks: &Blocks, kept: &[bool]) -> Vec<NodeId> {
    let mut title: Option<&str> = None;
    let mut found = Vec::new();
    for (i, e) in blocks.elements.iter().enumerate() {
        if e.tag != Tag::A || e.blocks.is_empty() {
            continue;
        }
        let Some(address) = dom.attribute(e.node, Attr::HREF) else { continue };
        let mut around = blocks.element_chain(i).take(MAX_LEVELS).chain(blocks.below(i).take(MAX_LEVELS));
        if around.any(|e| blocks.elements[e].tag.heading_level().is_some()) {
            title = Some(address);
            continue;
        }
        let b = e.blocks.start as usize;
        if title == Some(address) && kept[b] && ends_block(dom, blocks, b, e.node) {
            found.push(e.node);
        }
    }
    found
}

/// Whether a link is a short end of a block with other text.
fn ends_block(dom: &Dom<'_>, blocks: &Blocks, b: usize, link: NodeId) -> bool {
    let block = &blocks.blocks[b];
    let last = blocks.leaves_of(block).last();
    let is_last = last.is_some_and(|leaf| dom.ancestors(*leaf).take(MAX_LEVELS).any(|n| n == link));
    is_last && block.links == 1 && block.link_chars * 2 < block.chars && words(dom, link) <= MAX_WORDS
}

/// Returns the number of words of a link that are shown to everybody.
fn words(dom: &Dom<'_>, link: NodeId) -> u32 {
    let texts = dom.children(link).map(|n| dom.text(n));
    texts.map(maintext_page::blocks::count_words).sum()
}

#[cfg(test)]
mod tests {
    use maintext_page::blocks::Blocks;
    use maintext_page::dom;

    fn text(html: &str) -> String {
        let dom = dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let keep = crate::keep::keep_nodes(&dom, &blocks, &vec![true; blocks.len()]).nodes;
        let leaves = blocks.blocks.iter().flat_map(|b| blocks.leaves_of(b));
        leaves.filter(|n| keep[n.index()]).map(|n| dom.text(*n)).collect()
    }

    #[test]
    fn a_link_that_goes_on_where_the_title_leads_is_no_text() {
        let entry = |title: &str, end: &str| {
            format!("<h2><a href=/a>{title}</a></h2><p>The drawer stopped rattling. {end}</p>")
        };
        for more in ["Read on", "Weiterlesen", "Lire la suite", "続きを読む"] {
            assert_eq!(
                text(&entry("A drawer", &format!("<a href=/a>{more}</a>"))),
                "A drawerThe drawer stopped rattling. ",
                "{more}"
            );
        }
        let hidden = "<a href=/a>Read on<span class=sr-only> of the drawer and of the chair and the lamp</span></a>";
        assert!(!text(&entry("A drawer", hidden)).contains("Read on"));
    }

    #[test]
    fn other_links_stay() {
        for end in [
            "<a href=/b>Read on</a>",
            "<a href=/a>Read on</a> tomorrow.",
            "See <a href=/b>this</a> and <a href=/a>that</a>",
            "<a href=/a>The whole story of the drawer and the wax</a>",
        ] {
            let html = format!("<h2><a href=/a>A drawer</a></h2><p>The drawer stopped rattling at last. {end}</p>");
            assert!(
                text(&html).contains("Read on") || text(&html).contains("that") || text(&html).contains("whole"),
                "{end}"
            );
        }
        assert_eq!(text("<h2><a href=/a>A drawer</a></h2><p><a href=/a>Read on</a></p>"), "A drawerRead on");
    }
}
