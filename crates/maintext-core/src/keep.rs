//! Turns kept blocks into kept nodes of the tree.
use crate::blocks::{Blocks, Element, Media, is_permalink};
use crate::dom::{Dom, Tag};
use crate::image::image_source;
use crate::page::Image;
use url::Url;

/// Returns for each node whether it is written: the text of kept blocks without permalinks, and the images among them.
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
    let (Some(first), Some(last)) = (kept.iter().position(|k| *k), kept.iter().rposition(|k| *k)) else {
        return keep;
    };
    let root = content_root(blocks, first, last);
    for m in &blocks.media {
        let at = m.position as usize;
        let before = at > 0 && kept[at - 1];
        let after = kept.get(at).copied().unwrap_or(false);
        let inside = blocks.elements[root].blocks.contains(&m.position) && at >= first;
        if (before && after) || ((before || after) && inside) {
            keep[m.node.index()] = true;
        }
    }
    drop_second_images(dom, blocks, &mut keep);
    keep
}

/// Drops the second copy, in `<noscript>`, of images that load late.
fn drop_second_images(dom: &Dom, blocks: &Blocks, keep: &mut [bool]) {
    /// Most elements between an image and its `<noscript>`: a link and a `<picture>`.
    const REACH: usize = 3;
    let kept: Vec<_> = blocks.media.iter().filter(|m| keep[m.node.index()] && dom.tag(m.node) == Tag::IMG).collect();
    let again = |m: &Media| dom.ancestors(m.node).take(REACH).any(|n| dom.tag(n) == Tag::NOSCRIPT);
    let source = |m: &Media| image_source(dom, m.node, None);
    for (first, second) in kept.iter().zip(kept.iter().skip(1)) {
        let beside = first.position == second.position && (again(second) || again(first));
        if beside && source(first).is_some_and(|address| source(second) == Some(address)) {
            keep[second.node.index()] = false;
        }
    }
}

/// Returns the smallest element that holds the blocks `first` and `last`.
fn content_root(blocks: &Blocks, first: usize, last: usize) -> usize {
    let holds = |e: &usize| blocks.elements[*e].blocks.contains(&(last as u32));
    blocks.ancestors(first).find(holds).unwrap_or(0)
}

/// Returns the images that are written, with their alternative texts and captions.
pub(crate) fn images(dom: &Dom, blocks: &Blocks, keep: &[bool], base: Option<&Url>) -> Vec<Image> {
    let kept = blocks.media.iter().filter(|m| keep[m.node.index()] && dom.tag(m.node) == Tag::IMG);
    let images = kept.filter_map(|m| {
        let src = image_source(dom, m.node, base)?;
        let figure = dom.ancestors(m.node).take(8).find(|&n| dom.tag(n) == Tag::FIGURE);
        let caption = figure.and_then(|f| dom.find(f, Tag::FIGCAPTION)).map(|c| dom.text_content(c));
        let clean = |s: String| Some(s.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|s| !s.is_empty());
        Some(Image {
            src,
            alt: dom.attr(m.node, "alt").map(str::to_owned).and_then(clean),
            caption: caption.and_then(clean),
        })
    });
    images.collect()
}
