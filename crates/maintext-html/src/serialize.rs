//! Writes trees as HTML, and as the outline format of the html5lib tests.

use crate::document::Edge;
use crate::document::{Document, NodeId};
use crate::names::{Tag, any_tag};
use crate::node::{Namespace, NodeKind};
use std::fmt::Write;

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

    /// The tree in the format of the html5lib tests: one line per node, `| ` and two spaces per level, attributes sorted by name.
    ///
    /// ```
    /// use maintext_html::{Document, ParseOptions};
    ///
    /// let doc = Document::parse("<p id=a>x", &ParseOptions::default());
    /// assert_eq!(doc.to_outline(), r#"| <html>
    /// |   <head>
    /// |   <body>
    /// |     <p>
    /// |       id="a"
    /// |       "x"
    /// "#);
    /// ```
    pub fn to_outline(&self) -> String {
        let mut out = String::new();
        let root = self.root();
        let mut walks = vec![(self.traverse(root), root)];
        let mut depth = 0usize;
        while let Some((walk, top)) = walks.last_mut() {
            let top = *top;
            match walk.next() {
                None => {
                    walks.pop();
                    depth = depth.saturating_sub(1);
                }
                Some(Edge::Enter(node) | Edge::Leave(node)) if node == top => {}
                Some(Edge::Enter(node)) => {
                    self.write_outline(&mut out, node, depth);
                    depth += 1;
                    if let Some(content) = self.template_content(node) {
                        indent(&mut out, depth);
                        out.push_str("content\n");
                        depth += 1;
                        walks.push((self.traverse(content), content));
                    }
                }
                Some(Edge::Leave(_)) => depth = depth.saturating_sub(1),
            }
        }
        out
    }

    fn write_outline(&self, out: &mut String, node: NodeId, depth: usize) {
        indent(out, depth);
        match self.kind(node) {
            NodeKind::Element => {
                let prefix = match self.namespace(node) {
                    Namespace::Html => "",
                    Namespace::Svg => "svg ",
                    Namespace::MathMl => "math ",
                };
                let _ = writeln!(out, "<{prefix}{}>", self.tag_name(node));
                let mut attrs: Vec<(String, &str)> = self
                    .attrs(node)
                    .map(|a| match (a.name.prefix(), a.name_str) {
                        (Some("xmlns"), "xmlns") => ("xmlns xmlns".to_string(), a.value),
                        (Some(_), name) => (name.replacen(':', " ", 1), a.value),
                        (None, name) => (name.to_string(), a.value),
                    })
                    .collect();
                attrs.sort_by(|x, y| x.0.encode_utf16().cmp(y.0.encode_utf16()));
                for (name, value) in attrs {
                    indent(out, depth + 1);
                    let _ = writeln!(out, "{name}=\"{value}\"");
                }
            }
            NodeKind::Text => {
                let _ = writeln!(out, "\"{}\"", self.text(node));
            }
            NodeKind::Comment => {
                let _ = writeln!(out, "<!-- {} -->", self.text(node));
            }
            NodeKind::Doctype => {
                let Some(doctype) = self.doctype(node) else { return };
                if doctype.public_id.is_empty() && doctype.system_id.is_empty() {
                    let _ = writeln!(out, "<!DOCTYPE {}>", doctype.name);
                } else {
                    let _ = writeln!(
                        out,
                        "<!DOCTYPE {} \"{}\" \"{}\">",
                        doctype.name, doctype.public_id, doctype.system_id
                    );
                }
            }
            NodeKind::Document | NodeKind::TemplateContent => {}
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    out.push_str("| ");
    for _ in 0..depth {
        out.push_str("  ");
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
