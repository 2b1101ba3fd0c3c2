//! Writes formulas as MathML, or as TeX in a class that renderers know.
use super::super::escape;
use super::HtmlWriter;
use maintext_page::dom::{Edge, NodeId, NodeKind};
use maintext_page::lexicon::lexicon;
use maintext_page::markup::math::delimiters;

impl HtmlWriter<'_> {
    /// Writes TeX with the class and the delimiters that Pandoc uses, which renderers of formulas know.
    pub(super) fn tex(&mut self, display: bool, tex: &str) {
        let (class, open, close, other) =
            if display { ("display", "\\[", "\\]", "$$") } else { ("inline", "\\(", "\\)", "$") };
        // Source that holds the closing delimiter would end there.
        let (open, close) = if delimiters::closes(tex, close) { (other, other) } else { (open, close) };
        self.out.push_str(&format!("<span class=\"math {class}\">{open}"));
        escape::text(tex, &mut self.out);
        self.out.extend([close, "</span>"]);
    }

    /// Writes the formula as MathML, which every browser shows, with its TeX source as the page has it or as `alttext`.
    pub(super) fn math(&mut self, math: NodeId, display: bool, tex: &str) {
        const ATTRIBUTES: &[&str] = lexicon!("mathml-attributes.txt");
        let annotation = self.dom.descendants(math).find(|&n| maintext_page::markup::math::is_tex(self.dom, n));
        // Browsers show no annotation, so one that annotates nothing is the formula.
        if annotation.is_some_and(|a| self.dom.parent(a).is_none_or(|p| self.dom.tag_name(p) != "semantics")) {
            return self.tex(display, tex);
        }
        let mut walk = self.dom.traverse(math);
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(e) if self.dom.kind(e) == NodeKind::Element => {
                    let name = self.dom.tag_name(e);
                    let foreign = matches!(name, "annotation-xml" | "script" | "style");
                    if foreign || name == "annotation" && Some(e) != annotation {
                        walk.skip_children();
                    } else if is_mathml(name) {
                        self.out.extend(["<", name]);
                        if e == math && display {
                            self.attribute("display", "block");
                        }
                        if e == math && annotation.is_none() && tex.contains(['\\', '^', '_']) {
                            self.attribute("alttext", tex);
                        }
                        ATTRIBUTES.iter().for_each(|a| self.copy(e, a));
                        self.out.push('>');
                        if Some(e) == annotation {
                            escape::text(tex, &mut self.out);
                            walk.skip_children();
                        }
                    }
                }
                Edge::Enter(e) => escape::text(self.dom.text(e), &mut self.out),
                Edge::Leave(e) => {
                    let name = self.dom.tag_name(e);
                    if is_mathml(name) && (name != "annotation" || Some(e) == annotation) {
                        self.out.extend(["</", name, ">"]);
                    }
                }
            }
        }
    }
}

/// Whether `name` is an element of MathML Core, or an older one that pages still use. None of them runs code or loads anything.
fn is_mathml(name: &str) -> bool {
    lexicon!("mathml-elements.txt").contains(&name)
}
