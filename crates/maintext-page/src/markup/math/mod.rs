//! Formulas: finds them in all forms in which pages write them, and reads their TeX.
//!
//! `mathml` converts MathML, `renderers` knows what MathJax, KaTeX and others leave in a page, `images` the drawings of formulas,
//! `delimiters` TeX in running text. A drawing without a source or MathML stays what it is.
pub mod delimiters;
mod images;
mod mathml;
mod renderers;
mod symbols;
pub mod tex;

use super::{Markup, Role, tabs};
use crate::dom::{Dom, NodeId, NodeKind, Tag, is_aria_hidden, single_spaced};
use maintext_html::Attr;

/// A formula of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Its TeX source; `""` if it is empty.
    pub tex: String,
    /// Whether it is displayed on a line of its own.
    pub display: bool,
    /// The `<math>` element, if the page has one.
    pub math: Option<NodeId>,
}

impl Formula {
    fn of_math(dom: &Dom<'_>, math: NodeId) -> Formula {
        Formula { tex: source(dom, math), display: is_display(dom, math), math: Some(math) }
    }
}

/// Returns the TeX source of a `<math>` element: from its annotation or `alttext`, otherwise from its MathML.
/// White space is collapsed; an empty formula gives `""`.
///
/// ```
/// use maintext_page::dom::{NodeId, Tag, parse};
/// let dom = parse("<math><msup><mi>x</mi><mn>2</mn></msup></math>", &Default::default());
/// let math = dom.find(NodeId::ROOT, Tag::MATH).unwrap();
/// assert_eq!(maintext_page::markup::math::source(&dom, math), "x^{2}");
/// ```
pub fn source(dom: &Dom, math: NodeId) -> String {
    let annotation = dom.descendants(math).find(|&n| is_tex(dom, n)).map(|n| tex::clean(&dom.text_content(n)));
    let tex = annotation.filter(|s| !s.is_empty()).or_else(|| {
        let mut attributes =
            ["alttext", "data-latex"].into_iter().filter_map(|name| dom.attr(math, name).map(tex::clean));
        attributes.find(|tex| tex.contains(['\\', '^', '_']))
    });
    let tex = tex.unwrap_or_else(|| tex::trim(&single_spaced(&mathml::to_tex(dom, math))).to_owned());
    // LaTeXML writes the style of a displayed equation into each of its cells.
    match tex.strip_prefix("\\displaystyle") {
        Some(rest)
            if !rest.starts_with(char::is_alphabetic)
                && dom.attribute(math, Attr::CLASS).is_some_and(|class| class.starts_with("ltx_")) =>
        {
            rest.trim_start().to_owned()
        }
        _ => tex,
    }
}

/// Whether a `<math>` element is displayed on a line of its own.
fn is_display(dom: &Dom<'_>, math: NodeId) -> bool {
    dom.attr(math, "display").is_some_and(|d| d.eq_ignore_ascii_case("block"))
        || dom.attr(math, "mode").is_some_and(|d| d.eq_ignore_ascii_case("display"))
}

/// Whether the element is an annotation in TeX.
pub fn is_tex(dom: &Dom, n: NodeId) -> bool {
    dom.tag(n) == Tag::OTHER
        && dom.tag_name(n) == "annotation"
        && dom.attr(n, "encoding").is_some_and(|e| e.to_ascii_lowercase().contains("tex"))
}

impl Markup {
    /// Returns the role of an element that may hold or draw a formula.
    pub(super) fn formula_role(&mut self, dom: &Dom<'_>, n: NodeId, tag: Tag) -> Role {
        match tag {
            Tag::MATH => self.add_formula(Formula::of_math(dom, n)),
            Tag::SCRIPT => {
                self.scripts.push(n);
                renderers::script(dom, n).map_or(Role::Plain, |f| self.add_formula(f))
            }
            Tag::IMG => self.image_role(dom, n),
            Tag::PRE | Tag::CODE => match renderers::code(dom, n) {
                Some(renderers::Part::Formula(formula)) => self.add_formula(formula),
                _ => Role::Plain,
            },
            _ => self.element_role(dom, n, tag),
        }
    }

    fn element_role(&mut self, dom: &Dom<'_>, n: NodeId, tag: Tag) -> Role {
        let (mut class, mut role, mut hidden, mut source) = ("", "", false, None);
        for (attr, name, value) in dom.attributes_named(n) {
            match attr {
                Attr::CLASS => class = value,
                Attr::ROLE => role = value,
                Attr::ARIA_HIDDEN => hidden = value.eq_ignore_ascii_case("true"),
                Attr::DATA_VALUE => source = source.or(Some((name, value))),
                _ if !attr.is_known() && self.is_source_attribute(attr, name) => {
                    source = source.or(Some((name, value)))
                }
                _ => {}
            }
        }
        if tag != Tag::SPAN
            && let Some(set) = tabs::set(class, role)
        {
            tabs::enter(self, dom, n, set);
        }
        let part = match source.and_then(|(name, value)| renderers::of_attribute(dom, n, name, value)) {
            Some(part) => Some(part),
            // A drawing that is not understood may hold others, each of which is read to its end.
            None if tag == Tag::OTHER && renderers::is_container(dom.tag_name(n)) && !self.may_read(dom, n) => None,
            None if tag == Tag::OTHER => renderers::custom(dom, n, dom.tag_name(n)),
            None if renderers::is_drawing(class) && !self.may_read(dom, n) => None,
            None => renderers::of_class(dom, n, class),
        };
        match part {
            Some(renderers::Part::Formula(formula)) => self.add_formula(formula),
            Some(renderers::Part::Copy) => Role::Skip,
            None if hidden && self.is_copy(dom, n) => Role::Skip,
            None => Role::Plain,
        }
    }

    /// Whether an attribute without a constant may hold a formula's source; the answer is kept for each name of the page.
    fn is_source_attribute(&mut self, attr: Attr, name: &str) -> bool {
        let at = attr.index() - Attr::known_count();
        if self.attributes.len() <= at {
            self.attributes.resize(at + 1, None);
        }
        *self.attributes[at].get_or_insert_with(|| renderers::is_source_attribute(name))
    }

    /// Whether the element draws a formula that an adjacent `<math>` also holds: KaTeX hides one of the two from readers.
    fn is_copy(&self, dom: &Dom<'_>, n: NodeId) -> bool {
        let before = sibling(dom, n, false).and_then(|s| formula_in(dom, s));
        if before.is_some_and(|m| self.has_source(dom, m)) {
            return true;
        }
        let after = sibling(dom, n, true).and_then(|s| formula_in(dom, s));
        after.is_some_and(|m| self.has_source(dom, m))
    }

    /// Whether a formula is not empty; its source has been read if it precedes.
    fn has_source(&self, dom: &Dom<'_>, math: NodeId) -> bool {
        match self.role(math) {
            Role::Formula(number) => !self.formula(number).tex.is_empty(),
            _ => !source(dom, math).is_empty(),
        }
    }

    fn image_role(&mut self, dom: &Dom<'_>, img: NodeId) -> Role {
        let drawn = sibling(dom, img, false).and_then(|s| formula_in(dom, s)).filter(|&m| self.has_source(dom, m));
        if let Some(math) = drawn {
            let fallback = is_aria_hidden(dom, img)
                || dom.attribute(img, Attr::CLASS).is_some_and(|c| c.starts_with("mwe-math"))
                || dom.attribute(img, Attr::ALT).is_some_and(|alt| match self.role(math) {
                    Role::Formula(number) => tex::clean(alt) == self.formula(number).tex,
                    _ => false,
                });
            return if fallback { Role::Skip } else { Role::Plain };
        }
        match images::formula(dom, img) {
            Some(f) if images::is_copy(dom, img, &f.tex) => Role::Skip,
            Some(f) => self.add_formula(f),
            None => Role::Plain,
        }
    }
}

/// Whether the image draws the formula before it, for browsers without MathML.
pub fn is_fallback_image(dom: &Dom, img: NodeId) -> bool {
    let Some(math) = sibling(dom, img, false).and_then(|s| formula_in(dom, s)) else { return false };
    let tex = source(dom, math);
    !tex.is_empty() && (is_aria_hidden(dom, img) || dom.attr(img, "alt").is_some_and(|alt| tex::clean(alt) == tex))
}

/// Returns the nearest sibling after (or before) that is an element, if only white space is between.
fn sibling(dom: &Dom, n: NodeId, after: bool) -> Option<NodeId> {
    let step = |n| if after { dom.next_sibling(n) } else { dom.prev_sibling(n) };
    let mut at = step(n)?;
    if dom.kind(at) == NodeKind::Text && dom.text(at).trim().is_empty() {
        at = step(at)?;
    }
    (dom.kind(at) == NodeKind::Element).then_some(at)
}

/// Returns the `<math>` that the element is, or that it thinly wraps.
fn formula_in(dom: &Dom, n: NodeId) -> Option<NodeId> {
    dom.descendants(n).take(4).find(|&d| dom.tag(d) == Tag::MATH)
}

#[cfg(test)]
mod tests;
