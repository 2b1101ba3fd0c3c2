//! Turns kept blocks into kept nodes of the tree.
mod media;

use crate::blocks::{Blocks, Element, is_permalink};
use crate::dom::{Dom, Tag};
use crate::image::{caption, characters, image_source};
use crate::page::Image;
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
    for e in blocks.elements.iter().filter(|e| e.tag == Tag::A && is_kept(e) && is_permalink(dom, e.node)) {
        dom.descendants(e.node).for_each(|n| keep[n.index()] = false);
    }
    media::keep(dom, blocks, kept, &mut keep);
    keep
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
