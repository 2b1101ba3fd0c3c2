//! Recognises images with captions that no `<figure>` holds.
use super::super::Content;
use super::super::tree::BlockKind;
use super::RenderTreeBuilder;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::HashMap;
use maintext_page::image::caption;

/// The part that an element plays in a figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FigurePart {
    /// It holds the image and the caption, and nothing else.
    Figure,
    /// It begins a figure that ends with this element, the caption.
    Begin(NodeId),
    Caption,
}

/// The parts of the figures.
#[derive(Default)]
pub(super) struct Figures(HashMap<NodeId, FigurePart>);

impl Figures {
    pub(super) fn part(&self, n: NodeId) -> Option<FigurePart> {
        if self.0.is_empty() { None } else { self.0.get(&n).copied() }
    }

    /// Finds the captions of the kept images and embedded parts.
    pub(super) fn find(content: &Content<'_>) -> Figures {
        /// Maximum number of elements between an image and its `<figure>`.
        const MAX_LEVELS_TO_FIGURE: usize = 8;
        let dom = content.dom;
        let mut parts = HashMap::default();
        if !content.options.images {
            return Figures::default();
        }
        for m in content.blocks.media.iter().filter(|m| content.keep[m.node.index()]) {
            let Some(found) = caption::find(dom, m.node) else { continue };
            if dom.ancestors(m.node).take(MAX_LEVELS_TO_FIGURE).any(|n| dom.tag(n) == Tag::FIGURE) {
                if dom.tag(found.node) != Tag::FIGCAPTION {
                    parts.insert(found.node, FigurePart::Caption);
                }
                continue;
            }
            let Some(parent) = dom.parent(found.node).filter(|p| !parts.contains_key(p)) else { continue };
            let is_cell = matches!(dom.tag(parent), Tag::TD | Tag::TH | Tag::LI | Tag::TR);
            if found.alone && dom.tag(parent).is_block() && !is_cell {
                parts.insert(parent, FigurePart::Figure);
            } else if dom.tag(found.node).is_block()
                && dom.tag(found.image).is_block()
                && !parts.contains_key(&found.image)
            {
                parts.insert(found.image, FigurePart::Begin(found.node));
            } else {
                continue;
            }
            parts.insert(found.node, FigurePart::Caption);
        }
        Figures(parts)
    }
}

impl RenderTreeBuilder<'_> {
    /// Opens a figure that begins with an element, or a caption that is inline.
    pub(super) fn enter_figure(&mut self, n: NodeId, tag: Tag) {
        if self.pre.is_some() || !self.below[n.index()] {
            return;
        }
        match self.figures.part(n) {
            Some(FigurePart::Begin(caption)) if self.below[caption.index()] => {
                self.flush();
                self.open_for(BlockKind::Figure, n, caption);
            }
            Some(FigurePart::Caption) if !tag.is_block() && self.top_kind() == Some(BlockKind::Figure) => {
                self.flush();
                self.elements.push(n);
                self.open(BlockKind::Caption, n);
            }
            _ => {}
        }
    }
}
