//! Writes trees as HTML.

use crate::document::Edge;
use crate::document::{Document, NodeId};
use crate::names::{Tag, any_tag};
use crate::node::{Namespace, NodeKind};

impl Document<'_> {
    /// The document as HTML by the standard's "HTML fragment serialization algorithm", with the scripting flag used for parsing.
    pub fn to_html(&self) -> String {
        self.inner_html(self.root())
    }

    /// The node's children as HTML; for a template, its contents.
    pub fn inner_html(&self, id: NodeId) -> String {
        let mut out = String::new();
        self.write_html(&mut out, id, false);
        out
    }

    /// The node itself as HTML.
    pub fn outer_html(&self, id: NodeId) -> String {
        let mut out = String::new();
        self.write_html(&mut out, id, true);
        out
    }

    fn write_html(&self, out: &mut String, root: NodeId, outer: bool) {
        // Template contents are not children, so this keeps a stack of walks, each with a flag for writing its root.
        let start = if outer { root } else { self.template_content(root).unwrap_or(root) };
        let mut walks = vec![(self.traverse(start), (!outer).then_some(start))];
        while let Some((walk, hidden)) = walks.last_mut() {
            let hidden = *hidden;
            let Some(edge) = walk.next() else {
                walks.pop();
                continue;
            };
            match edge {
                Edge::Enter(node) | Edge::Leave(node) if Some(node) == hidden => {}
                Edge::Enter(node) => {
                    self.write_start(out, node);
                    if let Some(content) = self.template_content(node) {
                        walks.push((self.traverse(content), Some(content)));
                    }
                }
                Edge::Leave(node) => self.write_end(out, node),
            }
        }
    }

    fn write_start(&self, out: &mut String, node: NodeId) {
        match self.kind(node) {
            NodeKind::Element => {
                out.push('<');
                out.push_str(self.tag_name(node));
                for attr in self.attrs(node) {
                    out.push(' ');
                    out.push_str(attr.name_str);
                    out.push_str("=\"");
                    escape(out, attr.value, true);
                    out.push('"');
                }
                out.push('>');
            }
            NodeKind::Text => {
                let raw = self.parent(node).is_some_and(|p| {
                    self.namespace(p) == Namespace::Html && self.tag(p).is_some_and(|t| is_raw_text(t, self.scripting))
                });
                if raw {
                    out.push_str(self.text(node));
                } else {
                    escape(out, self.text(node), false);
                }
            }
            NodeKind::Comment => {
                out.push_str("<!--");
                out.push_str(self.text(node));
                out.push_str("-->");
            }
            NodeKind::Doctype => {
                out.push_str("<!DOCTYPE ");
                out.push_str(self.doctype(node).map_or("", |d| d.name));
                out.push('>');
            }
            NodeKind::Document | NodeKind::TemplateContent => {}
        }
    }

    fn write_end(&self, out: &mut String, node: NodeId) {
        let Some(tag) = self.tag(node) else { return };
        if self.namespace(node) == Namespace::Html && is_void(tag) {
            return;
        }
        out.push_str("</");
        out.push_str(self.tag_name(node));
        out.push('>');
    }
}

fn escape(out: &mut String, text: &str, attribute: bool) {
    let mut from = 0;
    for (i, c) in text.char_indices() {
        let replacement = match c {
            '&' => "&amp;",
            '\u{A0}' => "&nbsp;",
            '"' if attribute => "&quot;",
            '<' => "&lt;",
            '>' => "&gt;",
            _ => continue,
        };
        out.push_str(&text[from..i]);
        out.push_str(replacement);
        from = i + c.len_utf8();
    }
    out.push_str(&text[from..]);
}

/// Whether the element's text is written without escaping.
fn is_raw_text(tag: Tag, scripting: bool) -> bool {
    (scripting && tag == Tag::NOSCRIPT)
        || matches!(
            tag,
            Tag::STYLE | Tag::SCRIPT | Tag::XMP | Tag::IFRAME | Tag::NOEMBED | Tag::NOFRAMES | Tag::PLAINTEXT
        )
}

/// Whether the element has no end tag.
fn is_void(tag: Tag) -> bool {
    matches!(
        tag,
        any_tag![AREA BASE BASEFONT BGSOUND BR COL EMBED FRAME HR IMG INPUT KEYGEN LINK META PARAM SOURCE TRACK WBR]
    )
}
