//! Turns kept blocks into kept nodes of the tree.
mod buttons;
mod continued;
mod media;

pub use buttons::{drop_menus, drop_rows};

use maintext_html::Attr;
use maintext_page::blocks::{Blocks, Element, is_permalink};
use maintext_page::dom::{Dom, NodeId, Tag, single_spaced};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::image::{caption, characters, image_source, is_large};
use maintext_page::markup::{headings, notes::back_link};
use serde::Serialize;
use url::Url;

/// An image of the main content.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Image {
    /// Address, absolute if the page's address is known.
    pub src: String,
    /// Alternative text.
    pub alt: Option<String>,
    /// Caption of the figure that contains it.
    pub caption: Option<String>,
}

/// Maximum number of nodes of a figure that are searched for its description.
const MAX_FIGURE_NODES: usize = 40;

/// The nodes that are written.
#[derive(Clone, Debug, Default)]
pub struct KeptNodes {
    /// For each node whether every format writes it: the text of kept blocks without permalinks, and the images and embedded parts among them.
    pub nodes: Vec<bool>,
    /// The texts of captions that only their images keep, for the formats that write images.
    pub captions: Vec<NodeId>,
}

impl KeptNodes {
    /// Returns the nodes that formats with images write, `None` if all formats write the same.
    pub fn illustrated(&self) -> Option<Vec<bool>> {
        let mut nodes = (!self.captions.is_empty()).then(|| self.nodes.clone())?;
        for n in &self.captions {
            nodes[n.index()] = true;
        }
        Some(nodes)
    }
}

/// Returns the nodes of the kept blocks that are written.
pub fn keep_nodes(dom: &Dom, blocks: &Blocks, kept: &[bool]) -> KeptNodes {
    let mut keep = vec![false; dom.len()];
    for (b, _) in blocks.blocks.iter().zip(kept).filter(|(_, k)| **k) {
        for n in blocks.leaves_of(b) {
            keep[n.index()] = true;
        }
    }
    let (mut pictures, mut last_dropped) = (Vec::new(), None);
    let mut drop = |n| dom.descendants(n).for_each(|n| keep[n.index()] = false);
    for e in &blocks.elements {
        match e.tag {
            Tag::A if has_fragment(dom, e.node) || is_short(dom, e.node) => {
                // The link of an arrow that is a picture has no text that could be kept.
                let dropped =
                    if has_kept(kept, e) && is_permalink(dom, e.node) { Some(e.node) } else { back_link(dom, e.node) };
                if let Some(n) = dropped.filter(|&n| last_dropped.replace(n) != Some(n)) {
                    drop(n);
                    pictures.extend(dom.descendants(n).filter(|&d| dom.tag(d) == Tag::IMG));
                }
            }
            Tag::LABEL if is_toggle(dom, e.node) => drop(e.node),
            tag if (tag == Tag::DT || tag.heading_level().is_some()) && has_kept(kept, e) => {
                headings::furniture(dom, e.node).into_iter().for_each(&mut drop);
            }
            _ => {}
        }
    }
    for link in continued::links(dom, blocks, kept) {
        drop(link);
    }
    media::keep(dom, blocks, kept, &mut keep);
    let captions = keep_captions(dom, blocks, &mut keep);
    pictures.into_iter().for_each(|n: NodeId| keep[n.index()] = false);
    KeptNodes { nodes: keep, captions }
}

fn has_kept(kept: &[bool], e: &Element) -> bool {
    kept[e.blocks.start as usize..e.blocks.end as usize].contains(&true)
}

/// Keeps the short captions of kept images, unless several have the same text: a shop, an agency. Returns the texts of longer ones that the
/// choice of blocks left out: text without images reads better without them. A line that shares the box of a large image and has no links is a
/// caption, unless the page has rows of such boxes.
fn keep_captions(dom: &Dom, blocks: &Blocks, keep: &mut [bool]) -> Vec<NodeId> {
    /// Maximum number of words of a short caption.
    const MAX_SHORT_WORDS: u32 = 10;
    /// Maximum number of characters of a short caption in a script whose characters count as words.
    const MAX_SHORT_CHARS: u32 = 30;
    /// Maximum number of words of any caption. Longer ones are texts of their own, as in a picture story.
    const MAX_CAPTION_WORDS: u32 = 80;
    /// Maximum number of elements between an image and its figure.
    const MAX_LEVELS_TO_FIGURE: usize = 8;
    /// Number of captions with the same text from which they do not describe their images.
    const MIN_REPEATED_CAPTIONS: u32 = 3;
    /// Number of boxes of an image and a line from which they are cards.
    const MIN_CARDS: usize = 4;
    let (mut captions, mut known) = (HashSet::default(), Captions::default());
    let mut unnamed = HashSet::default();
    for m in blocks.media.iter().filter(|m| keep[m.node.index()] && dom.tag(m.node) == Tag::IMG) {
        let named = caption::find(dom, m.node).map(|c| c.node).or_else(|| {
            known.of_figure(dom, dom.ancestors(m.node).take(MAX_LEVELS_TO_FIGURE).find(|&n| dom.tag(n) == Tag::FIGURE)?)
        });
        if let Some(named) = named {
            captions.extend([named]);
            captions.extend(texts_of_figure(dom, named));
        } else if let Some(caption) = caption::in_box(dom, m.node)
            && is_large(dom, m.node)
        {
            unnamed.extend([caption]);
        }
    }
    if unnamed.len() < MIN_CARDS {
        let lines = blocks
            .elements
            .iter()
            .filter(|e| unnamed.contains(&e.node))
            .filter(|e| e.blocks.len() == 1)
            .filter(|e| blocks.blocks[e.blocks.start as usize].links == 0 || caption::is_named(dom, e.node));
        captions.extend(lines.map(|e| e.node));
    }
    let mut longer = Vec::new();
    if captions.is_empty() {
        return longer;
    }
    let found = || blocks.elements.iter().filter(|e| captions.contains(&e.node) && !e.hidden && !e.blocks.is_empty());
    let mut counts: HashMap<&str, u32> = HashMap::default();
    found().for_each(|e| *counts.entry(blocks.text(e.blocks.start as usize)).or_default() += 1);
    for e in found() {
        let own = &blocks.blocks[e.blocks.start as usize..e.blocks.end as usize];
        let first = e.blocks.start as usize;
        let text = blocks.text(first);
        let words = own.iter().map(|b| b.words).sum::<u32>();
        if words > MAX_CAPTION_WORDS || counts[text] >= MIN_REPEATED_CAPTIONS {
            continue;
        }
        let leaves = own.iter().flat_map(|b| blocks.leaves_of(b));
        if words <= MAX_SHORT_WORDS || own.iter().map(|b| b.chars).sum::<u32>() <= MAX_SHORT_CHARS {
            leaves.for_each(|n| keep[n.index()] = true);
        } else {
            longer.extend(leaves.filter(|n| !keep[n.index()]));
        }
    }
    longer
}

/// Returns the further texts of a figure: its description, where the caption is only its number.
fn texts_of_figure(dom: &Dom, caption: NodeId) -> Vec<NodeId> {
    let figure = dom.parent(caption).filter(|&n| dom.tag(n) == Tag::FIGURE);
    let below = figure.into_iter().flat_map(|figure| dom.descendants(figure).take(MAX_FIGURE_NODES));
    below.filter(|&n| matches!(dom.tag(n), Tag::P | Tag::SMALL)).collect()
}

/// Whether a label is only the sign that shows a side note on small screens.
fn is_toggle(dom: &Dom, label: NodeId) -> bool {
    dom.attribute(label, Attr::CLASS).is_some_and(|c| c.contains("toggle"))
        && !dom.text_content(label).contains(char::is_alphanumeric)
}

fn has_fragment(dom: &Dom, link: NodeId) -> bool {
    dom.attribute(link, Attr::HREF).is_some_and(|href| href.contains('#'))
}

/// Whether a link begins with a text short enough for a sign or a word.
fn is_short(dom: &Dom, link: NodeId) -> bool {
    const MAX_BYTES: usize = 20;
    (1..=MAX_BYTES).contains(&dom.first_child(link).map_or("", |n| dom.text(n)).trim().len())
}

/// The captions read last: the images of one figure share its caption.
#[derive(Default)]
struct Captions {
    /// A figure and its caption.
    figure: Option<(NodeId, Option<NodeId>)>,
    /// A caption and its text.
    text: Option<(NodeId, Option<String>)>,
}

impl Captions {
    fn of_figure(&mut self, dom: &Dom, figure: NodeId) -> Option<NodeId> {
        if self.figure.is_none_or(|known| known.0 != figure) {
            self.figure = Some((figure, dom.find(figure, Tag::FIGCAPTION)));
        }
        self.figure.and_then(|known| known.1)
    }

    /// Returns the text of a caption. Each is a copy that counts.
    fn text(&mut self, dom: &Dom, caption: NodeId) -> Option<String> {
        if self.text.as_ref().is_none_or(|known| known.0 != caption) {
            self.text = Some((caption, clean(&dom.text_content(caption))));
        }
        let text = self.text.as_ref()?.1.as_ref()?;
        dom.copies().allows(text.len(), 1).then(|| text.clone())
    }
}

/// Returns a text with single spaces, `None` for one without words.
fn clean(text: &str) -> Option<String> {
    Some(single_spaced(text)).filter(|s| !s.is_empty())
}

/// Returns the images that are written, with their alternative texts and captions.
pub fn images(dom: &Dom, blocks: &Blocks, keep: &[bool], base: Option<&Url>) -> Vec<Image> {
    let kept = blocks.media.iter().filter(|m| keep[m.node.index()] && dom.tag(m.node) == Tag::IMG);
    let mut captions = Captions::default();
    let images = kept.filter(|m| characters(dom, m.node).is_none()).filter_map(|m| {
        let src = image_source(dom, m.node, base)?;
        let figure = dom.ancestors(m.node).take(8).find(|&n| dom.tag(n) == Tag::FIGURE);
        let caption = figure.and_then(|f| captions.of_figure(dom, f));
        let caption =
            caption.or_else(|| caption::find(dom, m.node).map(|c| c.node)).and_then(|c| captions.text(dom, c));
        Some(Image { src, alt: dom.attr(m.node, "alt").and_then(clean), caption })
    });
    images.collect()
}
