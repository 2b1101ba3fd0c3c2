//! Writes inline markup, images and media.
use super::super::tree::InlineMark;
use super::super::{escape, html};
use super::TeiWriter;
use super::header::is_language;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::embed::Medium;

impl TeiWriter<'_> {
    pub(super) fn change_inline(&mut self, chain: &[u32]) {
        let same = self.open.iter().zip(chain).take_while(|(a, b)| a == b).count();
        while self.open.len() > same {
            if let Some((name, _)) = self.open.pop().and_then(|i| self.inline_start(i)) {
                self.out.extend(["</", name, ">"]);
            }
        }
        for &c in &chain[same..] {
            let Some((name, rend)) = self.inline_start(c) else { continue };
            self.out.extend(["<", name]);
            if let Some(attribute) =
                matches!(name, "ref" | "date").then_some(if name == "ref" { "target" } else { "when" })
            {
                let href = self.tree.inlines[c as usize].href.clone();
                self.attribute(attribute, self.tree.slice(&href));
            }
            if !rend.is_empty() {
                self.attribute("rend", rend);
            }
            self.language(self.tree.inlines[c as usize].node);
            self.out.push('>');
            self.open.push(c);
        }
    }

    /// Returns the element and the `rend` of inline markup, or `None` for markup that TEI does not need.
    pub(super) fn inline_start(&self, inline: u32) -> Option<(&'static str, &'static str)> {
        let inline = &self.tree.inlines[inline as usize];
        Some(match inline.mark {
            InlineMark::Link => ("ref", ""),
            InlineMark::Strong => ("hi", "bold"),
            InlineMark::Emphasis => ("hi", "italic"),
            InlineMark::Strike => ("del", ""),
            InlineMark::Sub => ("hi", "sub"),
            InlineMark::Sup => ("hi", "sup"),
            InlineMark::Other(Tag::U) => ("hi", "underline"),
            InlineMark::Other(Tag::MARK) => ("hi", "highlight"),
            InlineMark::Other(Tag::KBD) => ("hi", "keyboard"),
            InlineMark::Other(Tag::INS) => ("add", ""),
            InlineMark::Other(Tag::Q) => ("q", ""),
            InlineMark::Other(Tag::ABBR) => ("abbr", ""),
            InlineMark::Other(Tag::DFN) => ("term", ""),
            InlineMark::Other(Tag::SPAN) if self.stated_language(inline.node).is_some() => ("foreign", ""),
            InlineMark::Other(Tag::TIME) if !inline.href.is_empty() => ("date", ""),
            _ => return None,
        })
    }

    /// Returns the language that an element states for its text. The `lang` of code names a programming language.
    fn stated_language(&self, n: NodeId) -> Option<&str> {
        if matches!(self.dom.tag(n), Tag::PRE | Tag::CODE) {
            return None;
        }
        self.dom.attr(n, "lang").map(str::trim).filter(|l| is_language(l))
    }

    pub(super) fn language(&mut self, n: NodeId) {
        if let Some(language) = self.stated_language(n).map(str::to_owned) {
            self.attribute("xml:lang", &language);
        }
    }

    pub(super) fn graphic(&mut self, address: &str, n: NodeId) {
        self.out.push_str("<graphic");
        self.attribute("url", address);
        for side in ["width", "height"] {
            if let Some(pixels) = html::pixels(self.dom, n, side) {
                self.attribute(side, &format!("{pixels}px"));
            }
        }
        match self.tree.content.alt(n) {
            "" => self.out.push_str("/>"),
            alt => {
                self.out.push_str("><desc>");
                escape::xml_text(alt, &mut self.out);
                self.out.push_str("</desc></graphic>");
            }
        }
    }

    pub(super) fn media(&mut self, address: &str, medium: Medium, title: &str) {
        self.out.push_str("<media");
        let kind = match medium {
            Medium::Video => "video/*",
            Medium::Audio => "audio/*",
            Medium::Other => "text/html",
        };
        self.attribute("mimeType", kind);
        self.attribute("url", address);
        self.out.push_str("><desc>");
        escape::xml_text(title, &mut self.out);
        self.out.push_str("</desc></media>");
    }
}
