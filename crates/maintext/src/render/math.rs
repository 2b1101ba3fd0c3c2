//! Formulas: MathML and KaTeX as TeX source.
use crate::dom::{Dom, NodeId, Tag};

/// The TeX source of a `<math>` element if an annotation carries it, otherwise its text with white space collapsed.
pub fn source(dom: &Dom, math: NodeId) -> String {
    let tex = dom.descendants(math).find(|&n| {
        dom.tag(n) == Tag::OTHER
            && dom.tag_name(n) == "annotation"
            && dom.attr(n, "encoding").is_some_and(|e| e.to_ascii_lowercase().contains("tex"))
    });
    let text = dom.text_content(tex.unwrap_or(math));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
