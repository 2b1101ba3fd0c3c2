//! The tree of a document as the html5lib tests write it: one line per node, `| ` and two spaces per level, attributes sorted by name.
use maintext_html::{Document, Edge, Namespace, NodeId, NodeKind};
use std::fmt::Write;

/// Returns the outline of a document.
pub fn outline(doc: &Document<'_>) -> String {
    let mut out = String::new();
    let root = doc.root();
    let mut walks = vec![(doc.traverse(root), root)];
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
                write_node(doc, &mut out, node, depth);
                depth += 1;
                if let Some(content) = doc.template_content(node) {
                    indent(&mut out, depth);
                    out.push_str("content\n");
                    depth += 1;
                    walks.push((doc.traverse(content), content));
                }
            }
            Some(Edge::Leave(_)) => depth = depth.saturating_sub(1),
        }
    }
    out
}

fn write_node(doc: &Document<'_>, out: &mut String, node: NodeId, depth: usize) {
    indent(out, depth);
    match doc.kind(node) {
        NodeKind::Element => {
            let prefix = match doc.namespace(node) {
                Namespace::Html => "",
                Namespace::Svg => "svg ",
                Namespace::MathMl => "math ",
            };
            let _ = writeln!(out, "<{prefix}{}>", doc.tag_name(node));
            let mut attrs: Vec<(String, &str)> = doc
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
            let _ = writeln!(out, "\"{}\"", doc.text(node));
        }
        NodeKind::Comment => {
            let _ = writeln!(out, "<!-- {} -->", doc.text(node));
        }
        NodeKind::Doctype => {
            let Some(doctype) = doc.doctype(node) else { return };
            if doctype.public_id.is_empty() && doctype.system_id.is_empty() {
                let _ = writeln!(out, "<!DOCTYPE {}>", doctype.name);
            } else {
                let _ =
                    writeln!(out, "<!DOCTYPE {} \"{}\" \"{}\">", doctype.name, doctype.public_id, doctype.system_id);
            }
        }
        NodeKind::Document | NodeKind::TemplateContent => {}
    }
}

fn indent(out: &mut String, depth: usize) {
    out.push_str("| ");
    for _ in 0..depth {
        out.push_str("  ");
    }
}
