//! Writes inline markup, images and media.
use super::super::escape;
use super::super::tree::InlineMark;
use super::HtmlWriter;
use maintext_page::dom::{Dom, NodeId, Tag};

impl HtmlWriter<'_> {
    /// Closes and opens inline elements until exactly `chain` is open.
    pub(super) fn change_inline(&mut self, chain: &[u32]) {
        let same = self.open.iter().zip(chain).take_while(|(a, b)| a == b).count();
        while self.open.len() > same {
            if let Some(i) = self.open.pop() {
                let name = self.inline_name(i);
                self.out.extend(["</", name, ">"]);
            }
        }
        for &i in &chain[same..] {
            self.open_inline(i);
            self.open.push(i);
        }
    }

    fn inline_name(&self, inline: u32) -> &'static str {
        match self.tree.inlines[inline as usize].mark {
            InlineMark::Root => "span",
            InlineMark::Link => "a",
            InlineMark::Strong => "strong",
            InlineMark::Emphasis => "em",
            InlineMark::Code => "code",
            InlineMark::Strike => "del",
            InlineMark::Sub => "sub",
            InlineMark::Sup => "sup",
            InlineMark::Other(tag) => tag.name(),
        }
    }

    fn open_inline(&mut self, inline: u32) {
        let i = &self.tree.inlines[inline as usize];
        self.out.extend(["<", self.inline_name(inline)]);
        match i.mark {
            InlineMark::Link => {
                self.attribute("href", self.tree.slice(&i.href));
                self.copy(i.node, "title");
            }
            InlineMark::Other(Tag::ABBR | Tag::DFN) => self.copy(i.node, "title"),
            InlineMark::Other(Tag::TIME) if !i.href.is_empty() => self.attribute("datetime", self.tree.slice(&i.href)),
            InlineMark::Other(Tag::TIME | Tag::INS) | InlineMark::Strike => self.copy(i.node, "datetime"),
            InlineMark::Other(Tag::Q) => self.address(i.node, "cite"),
            _ => {}
        }
        self.language(i.node);
        self.out.push('>');
    }

    pub(super) fn image(&mut self, n: NodeId, address: &str) {
        self.out.push_str("<img");
        self.attribute("src", address);
        self.attribute("alt", self.tree.content.alt(n));
        if let Some(title) = self.tree.content.image_title(n) {
            self.attribute("title", title);
        }
        for side in ["width", "height"] {
            if let Some(pixels) = pixels(self.dom, n, side) {
                self.attribute(side, &pixels.to_string());
            }
        }
        self.out.push('>');
    }

    /// Writes a video or audio as a player without a script, and another embedded part as a link.
    pub(super) fn media(&mut self, n: NodeId, address: &str, title: &str) {
        let tag = self.dom.tag(n);
        if !matches!(tag, Tag::VIDEO | Tag::AUDIO) {
            self.out.push_str("<a");
            self.attribute("href", address);
            self.out.push('>');
            escape::text(title, &mut self.out);
            return self.out.push_str("</a>");
        }
        self.out.extend(["<", tag.name()]);
        self.attribute("src", address);
        self.attribute("title", title);
        self.out.extend([" controls></", tag.name(), ">"]);
    }
}

/// Returns the width or the height of an image in pixels.
pub(in super::super) fn pixels(dom: &Dom<'_>, n: NodeId, side: &str) -> Option<u16> {
    dom.attr(n, side).map(|v| v.trim().trim_end_matches("px")).and_then(|v| v.parse().ok())
}
