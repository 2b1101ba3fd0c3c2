//! Pages without a frame: fragments, mails, cells of a database, short test pages. All of their text is content.
use crate::features::ends_sentence;
use crate::features::tokens::NameSet;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use std::sync::LazyLock;

/// Maximum number of words of such a page: longer ones are left to the model, which is right about them.
const MAX_WORDS: u32 = 150;
/// Share of words in links from which a page may be only a menu.
const MAX_LINKS: f32 = 0.6;

/// Names of elements that frame content.
static NAMES: LazyLock<NameSet> = LazyLock::new(|| {
    NameSet::new(&["nav", "navigation", "navbar", "menu", "sidebar", "footer", "breadcrumb", "breadcrumbs"])
});

/// Whether a page is short and has none of the elements that frame content: scripts, navigation, headers, footers, asides, forms, hidden parts,
/// a line of links.
///
/// The model has learned from whole pages of the web, none of which lacks all of these.
pub(super) fn is_bare(dom: &Dom<'_>, blocks: &Blocks) -> bool {
    let words: u32 = blocks.blocks.iter().map(|b| b.words).sum();
    let chars: u32 = blocks.blocks.iter().map(|b| b.chars).sum();
    let link_chars: u32 = blocks.blocks.iter().map(|b| b.link_chars).sum();
    if words > MAX_WORDS || link_chars as f32 > MAX_LINKS * chars as f32 || has_menu(blocks) {
        return false;
    }
    let named = blocks.names(dom).named(|list| NAMES.has_any(list));
    !(0..blocks.elements.len()).any(|i| blocks.elements[i].hidden || is_frame(blocks.elements[i].tag) || named.has(i))
        && !dom
            .descendants(NodeId::ROOT)
            .any(|n| matches!(dom.tag(n), Tag::SCRIPT | Tag::IFRAME | Tag::INPUT | Tag::SELECT))
}

/// Whether a page begins with a line of nothing but links, or has a line of several: a menu, whatever its name. The name of the site or of the
/// menu may precede them.
fn has_menu(blocks: &Blocks) -> bool {
    const MIN_LINKS: u32 = 3;
    /// Characters between two links: " | ".
    const SIGNS: u32 = 3;
    let first = blocks.blocks.first().is_some_and(|first| {
        let container = blocks.elements[first.container as usize].tag;
        first.links > 0 && first.is_linked() && !matches!(container, Tag::TD | Tag::TH)
    });
    first
        || (0..blocks.len()).any(|b| {
            let block = &blocks.blocks[b];
            block.links >= MIN_LINKS
                && (block.link_chars + SIGNS * block.links) * 2 >= block.chars
                && !ends_sentence(blocks.text(b))
        })
}

fn is_frame(tag: Tag) -> bool {
    matches!(tag, Tag::NAV | Tag::HEADER | Tag::FOOTER | Tag::ASIDE | Tag::FORM | Tag::BUTTON | Tag::DIALOG | Tag::MENU)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_bare_and_a_page_with_a_frame_is_not() {
        let bare = |html: &str| {
            let dom = maintext_page::dom::parse(html, &Default::default());
            is_bare(&dom, &Blocks::new(&dom))
        };
        let table = "<table><tr><th>Year<th>Boats<tr><td>2023<td>14</table>";
        assert!(bare(table));
        assert!(bare(&format!("<title>Boats</title><p>A <a href=/x>count</a> of boats:</p>{table}")));
        for frame in [
            "<nav>Home</nav>",
            "<footer>2024</footer>",
            "<script>x</script>",
            "<p hidden>x",
            "<form><input></form>",
            "<div class=site-nav>Home</div>",
            "<div><a href=/>Home</a></div>",
            "<p>The Trams</p><p><a href=/>Home</a> | <a href=/cars>Cars</a> | <a href=/guests>Guests</a></p>",
            "<p>Boats of the Bay | <a href=/cars>Cars</a> | <a href=/maps>Maps</a> | <a href=/guests>Guests</a></p>",
        ] {
            assert!(!bare(&format!("{frame}{table}")), "{frame}");
        }
        assert!(!bare("<a href=/a>One thing</a> <a href=/b>Another thing</a>"));
        assert!(!bare(&format!("{table}{}", "<p>and one more boat ".repeat(40))));
    }
}
