//! Captions of images that no `<figure>` holds.
use crate::dom::{Dom, NodeId, NodeKind, Tag};

/// Maximum number of elements around an image that may hold its caption.
const MAX_LEVELS_AROUND: usize = 5;
/// Maximum number of nodes between an image and its caption.
const MAX_NODES_BETWEEN: usize = 6;

/// A caption of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caption {
    /// The element of the caption.
    pub node: NodeId,
    /// The sibling before it: the image, or the element around it.
    pub image: NodeId,
    /// Whether the parent of both holds nothing else.
    pub alone: bool,
}

/// Returns the caption directly after an image or a player: an element whose class or id calls it so.
pub fn find(dom: &Dom, image: NodeId) -> Option<Caption> {
    const ENDS: &[Tag] = &[Tag::BODY, Tag::MAIN, Tag::ARTICLE, Tag::LI, Tag::TD, Tag::TH];
    let (at, next) = following(dom, image, ENDS)?;
    if is_caption(dom, next) {
        return Some(Caption { node: next, image: at, alone: is_alone(dom, at, next) });
    }
    // Links to larger copies may lie between the two, in an element around the image.
    let around =
        dom.parent(at).filter(|n| matches!(dom.tag(next), Tag::UL | Tag::OL) && !ENDS.contains(&dom.tag(*n)))?;
    let below = next_content(dom, around).filter(|n| is_caption(dom, *n))?;
    Some(Caption { node: below, image: around, alone: is_alone(dom, around, below) })
}

/// Returns the element that shares a box of its own with an image and follows it, whatever its name. Two cells of a row are not such a box.
pub fn in_box(dom: &Dom, image: NodeId) -> Option<NodeId> {
    const ENDS: &[Tag] = &[Tag::BODY, Tag::MAIN, Tag::ARTICLE, Tag::LI];
    let (at, next) = following(dom, image, ENDS)?;
    let around = dom.tag(dom.parent(at)?);
    let is_box = matches!(around, Tag::DIV | Tag::FIGURE | Tag::P | Tag::DL | Tag::TABLE | Tag::TBODY);
    (is_box && dom.kind(next) == NodeKind::Element && is_alone(dom, at, next)).then_some(next)
}

/// Returns the node after an image, or after the innermost element around it that has a next node, with that image or element. The search
/// ends at elements with a tag of `ends`.
fn following(dom: &Dom, image: NodeId, ends: &[Tag]) -> Option<(NodeId, NodeId)> {
    let mut at = image;
    for _ in 0..MAX_LEVELS_AROUND {
        if let Some(next) = next_content(dom, at) {
            return Some((at, next));
        }
        at = dom.parent(at)?;
        if ends.contains(&dom.tag(at)) {
            return None;
        }
    }
    None
}

/// Whether a class or an id calls an element, or the cell of a row, a caption.
pub fn is_named(dom: &Dom, n: NodeId) -> bool {
    is_caption(dom, n) || dom.tag(n) == Tag::TR && dom.children(n).any(|cell| is_caption(dom, cell))
}

/// Whether a class or an id calls an element a caption.
fn is_caption(dom: &Dom, n: NodeId) -> bool {
    const NAMES: [&str; 3] = ["caption", "legend", "bildunter"];
    let mut names = ["class", "id"].into_iter().filter_map(|name| dom.attr(n, name));
    dom.tag(n) == Tag::FIGCAPTION
        || names.any(|value| {
            NAMES
                .iter()
                .any(|part| value.as_bytes().windows(part.len()).any(|w| w.eq_ignore_ascii_case(part.as_bytes())))
        })
}

/// Returns the next sibling that shows something.
fn next_content(dom: &Dom, n: NodeId) -> Option<NodeId> {
    dom.next_siblings(n).take(MAX_NODES_BETWEEN).find(|&s| is_content(dom, s))
}

fn is_content(dom: &Dom, n: NodeId) -> bool {
    match dom.kind(n) {
        NodeKind::Text => !dom.text(n).trim().is_empty(),
        NodeKind::Element => {
            // A button enlarges the image.
            !matches!(
                dom.tag(n),
                Tag::BR | Tag::NOSCRIPT | Tag::SOURCE | Tag::SCRIPT | Tag::STYLE | Tag::META | Tag::BUTTON
            )
        }
        _ => false,
    }
}

fn is_alone(dom: &Dom, image: NodeId, caption: NodeId) -> bool {
    let mut before = dom.prev_siblings(image).take(MAX_NODES_BETWEEN);
    !before.any(|s| is_content(dom, s)) && next_content(dom, caption).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caption(html: &str) -> Option<(String, bool)> {
        let dom = crate::dom::parse(html, &Default::default());
        let found = find(&dom, dom.find(NodeId::ROOT, Tag::IMG)?)?;
        Some((dom.text_content(found.node).trim().to_owned(), found.alone))
    }

    #[test]
    fn captions_are_found_by_place_and_name() {
        let alone = Some(("The mill".to_owned(), true));
        assert_eq!(
            caption("<div class=wp-caption><a href=x><img src=a></a><p class=wp-caption-text>The mill</p></div>"),
            alone
        );
        assert_eq!(caption("<p><img src=a><br><span class=imgCaption>The mill</span></p>"), alone);
        assert_eq!(
            caption("<div><div><picture><img src=a></picture><noscript>x</noscript></div><p id=Caption-1>The mill"),
            alone
        );
        let button = "<button type=button>Enlarge</button>";
        assert_eq!(
            caption(&format!("<div><div><img src=a>{button}</div><div class=caption><p>The mill</p></div></div>")),
            alone
        );
        let links = "<ol><li><a href=large.jpg>Full size</a></ol>";
        assert_eq!(
            caption(&format!("<div><span><img src=a>{links}</span><span class=captions>The mill</span></div>")),
            alone
        );
        let beside = Some(("The mill".to_owned(), false));
        assert_eq!(caption("<div><p>Text<p><img src=a></p><p class=caption>The mill</p><p>More"), beside);
        assert_eq!(caption("<div><p><img src=a></p><p>Text</p><p class=caption>The mill</p></div>"), None);
        assert_eq!(caption("<div><img src=a> Text <span class=caption>The mill</span></div>"), None);
    }

    #[test]
    fn what_shares_the_box_of_an_image_is_found_without_a_name() {
        let beside = |html: &str| {
            let dom = crate::dom::parse(html, &Default::default());
            let found = in_box(&dom, dom.find(NodeId::ROOT, Tag::IMG)?)?;
            Some(dom.text_content(found).trim().to_owned())
        };
        for html in [
            "<div><img src=a><small>The mill</small></div>",
            "<figure><picture><img src=a></picture><div>The mill</div></figure>",
            "<dl><dt><img src=a></dt><dd>The mill</dd></dl>",
            "<table><tr><td><img src=a></td></tr><tr><td>The mill</td></tr></table>",
        ] {
            assert_eq!(beside(html).as_deref(), Some("The mill"), "{html}");
        }
        for html in [
            "<div><img src=a><p>The mill</p><p>The weir</p></div>",
            "<table><tr><td><img src=a></td><td>The mill</td></tr></table>",
            "<ul><li><img src=a><p>The mill</p></li></ul>",
            "<div><img src=a> The mill</div>",
        ] {
            assert_eq!(beside(html), None, "{html}");
        }
    }
}
