//! Turns kept blocks into kept nodes of the tree.
mod media;

use crate::blocks::{Blocks, Element, is_permalink};
use crate::dom::{Dom, NodeId, Tag};
use crate::image::{caption, characters, image_source};
use crate::markup::{headings, notes::back_link};
use crate::page::Image;
use maintext_html::Attr;
use url::Url;

/// Returns for each node whether it is written: the text of kept blocks without permalinks, and the images and
/// embedded parts among them.
pub(crate) fn keep_nodes(dom: &Dom, blocks: &Blocks, kept: &[bool]) -> Vec<bool> {
    let mut keep = vec![false; dom.len()];
    for (b, _) in blocks.blocks.iter().zip(kept).filter(|(_, k)| **k) {
        for n in &blocks.leaves[b.leaves.start as usize..b.leaves.end as usize] {
            keep[n.index()] = true;
        }
    }
    let is_kept = |e: &Element| kept[e.blocks.start as usize..e.blocks.end as usize].contains(&true);
    let (mut pictures, mut last_dropped) = (Vec::new(), None);
    let mut drop = |n| dom.descendants(n).for_each(|n| keep[n.index()] = false);
    for e in &blocks.elements {
        match e.tag {
            Tag::A if has_fragment(dom, e.node) => {
                // The link of an arrow that is a picture has no text that could be kept.
                let dropped =
                    if is_kept(e) && is_permalink(dom, e.node) { Some(e.node) } else { back_link(dom, e.node) };
                if let Some(n) = dropped.filter(|&n| last_dropped.replace(n) != Some(n)) {
                    drop(n);
                    pictures.extend(dom.descendants(n).filter(|&d| dom.tag(d) == Tag::IMG));
                }
            }
            Tag::LABEL if is_toggle(dom, e.node) => drop(e.node),
            tag if (tag == Tag::DT || tag.heading_level().is_some()) && is_kept(e) => {
                headings::furniture(dom, e.node).into_iter().for_each(&mut drop);
            }
            _ => {}
        }
    }
    media::keep(dom, blocks, kept, &mut keep);
    pictures.into_iter().for_each(|n: NodeId| keep[n.index()] = false);
    keep
}

/// Whether a label is only the sign that shows a note beside the text on small screens.
fn is_toggle(dom: &Dom, label: NodeId) -> bool {
    dom.attribute(label, Attr::CLASS).is_some_and(|c| c.contains("toggle"))
        && !dom.text_content(label).contains(char::is_alphanumeric)
}

fn has_fragment(dom: &Dom, link: NodeId) -> bool {
    dom.attribute(link, Attr::HREF).is_some_and(|href| href.contains('#'))
}

/// Returns the images that are written, with their alternative texts and captions.
pub(crate) fn images(dom: &Dom, blocks: &Blocks, keep: &[bool], base: Option<&Url>) -> Vec<Image> {
    let kept = blocks.media.iter().filter(|m| keep[m.node.index()] && dom.tag(m.node) == Tag::IMG);
    let images = kept.filter(|m| characters(dom, m.node).is_none()).filter_map(|m| {
        let src = image_source(dom, m.node, base)?;
        let figure = dom.ancestors(m.node).take(8).find(|&n| dom.tag(n) == Tag::FIGURE);
        let caption = figure.and_then(|f| dom.find(f, Tag::FIGCAPTION));
        let caption = caption.or_else(|| caption::find(dom, m.node).map(|c| c.node)).map(|c| dom.text_content(c));
        let clean = |s: String| Some(s.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|s| !s.is_empty());
        Some(Image {
            src,
            alt: dom.attr(m.node, "alt").map(str::to_owned).and_then(clean),
            caption: caption.and_then(clean),
        })
    });
    images.collect()
}
