//! Writes images, the characters that images stand for, and embedded parts.
use super::super::Content;
use super::super::tree::RunKind;
use super::RenderTreeBuilder;
use maintext_page::dom::{NodeId, NodeKind, Tag};
use maintext_page::embed::{Embed, embed};
use maintext_page::image::{characters, image_source};

/// Returns the nodes of the images and embedded parts that are written.
pub(super) fn written<'a>(content: &'a Content<'a>) -> impl Iterator<Item = NodeId> + 'a {
    let (dom, options) = (content.dom, content.options);
    let elements = content.blocks.elements.iter().map(|e| e.node).filter(|n| content.keep[n.index()]);
    let media = content.blocks.media.iter().map(|m| m.node).filter(|n| content.keep[n.index()]);
    elements.chain(media).filter(move |&n| options.images || dom.tag(n) == Tag::IMG && characters(dom, n).is_some())
}

impl RenderTreeBuilder<'_> {
    /// Writes an image, or the characters that it stands for.
    pub(super) fn image(&mut self, n: NodeId) {
        if !self.is_written(n) {
            return;
        }
        if let Some(text) = characters(self.dom, n) {
            if self.pre.is_some() {
                return self.preformatted(&text, true);
            }
            self.open_leaf();
            self.write_gap();
            return self.push_run(RunKind::Text, &text);
        }
        if self.pre.is_some() {
            return;
        }
        // The still picture of a video leads to the video, unless the page links it.
        if self.inlines.is_empty()
            && let Some(video) = embed(self.dom, n, None)
        {
            return self.push_embed(n, &video);
        }
        if let Some(address) = image_source(self.dom, n, self.tree.content.base) {
            self.open_leaf();
            self.write_gap();
            self.push_run(RunKind::Image(n), &address);
        }
    }

    /// Writes a player, a post or another embedded part; a frame is a paragraph of its own.
    pub(super) fn embed(&mut self, n: NodeId, tag: Tag) {
        if !self.is_written(n) || self.pre.is_some() {
            return;
        }
        let Some(found) = embed(self.dom, n, self.tree.content.base) else { return };
        if tag.is_block() {
            self.flush();
        }
        self.push_embed(n, &found);
    }

    /// Writes the part that an element stands for, if the choice of content found one.
    pub(super) fn stand_in(&mut self, n: NodeId, tag: Tag) {
        let content = self.tree.content;
        if content.keep[n.index()] && self.dom.kind(n) == NodeKind::Element && !is_media(tag) {
            self.embed(n, tag);
        }
    }

    fn push_embed(&mut self, n: NodeId, found: &Embed) {
        // All except the page's own files are links.
        if !self.tree.content.options.links && !matches!(self.dom.tag(n), Tag::VIDEO | Tag::AUDIO) {
            return;
        }
        self.open_leaf();
        // It is a link, so it is written outside of the links and other markup around it, like the space before it.
        let inline = std::mem::replace(&mut self.inline, 0);
        self.write_gap();
        self.inline = inline;
        let title = self.push_str(&found.title).start;
        self.push_run_in(RunKind::Media { node: n, medium: found.medium, title }, &found.address, 0);
    }
}

/// Whether an element is an image, an embedded part or a formula by its tag.
pub(super) fn is_media(tag: Tag) -> bool {
    matches!(tag, Tag::IMG | Tag::VIDEO | Tag::AUDIO | Tag::IFRAME | Tag::EMBED | Tag::OBJECT | Tag::SCRIPT | Tag::MATH)
}
