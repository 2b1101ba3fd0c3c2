//! The page as a tree: an arena of nodes with 32-bit ids.
//!
//! The rest of the crate reads pages through this module. Of the parser, `maintext-html`, other modules take the names of attributes only.
//! Every walk is an iterator over the arena: without recursion, no nesting can overflow the stack.
pub mod characters;
mod delivered;
pub mod names;
mod shortcodes;
mod tag;

pub use maintext_html::Arena;
pub use tag::Tag;

use crate::budget::{Budget, CopyMeter, Meter, Share};
use characters::Removed;
use maintext_html::{Attr, Document, ParseOptions};
use names::{Answers, Names};
use std::sync::atomic::AtomicBool;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A node of a [`Dom`]: an index into its arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The document node.
    pub const ROOT: NodeId = NodeId(0);
    /// The position in the arena, below [`Dom::len`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
    fn inner(self) -> maintext_html::NodeId {
        maintext_html::NodeId(self.0)
    }
}

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// The root.
    Document,
    /// An element.
    Element,
    /// Text.
    Text,
    /// A comment, a doctype, the contents of a template: never content.
    Other,
}

/// A parsed page. Text that the source holds unchanged is not copied: the tree refers to it.
#[derive(Debug)]
pub struct Dom<'a> {
    document: Document<'a>,
    cut: bool,
    meter: Meter,
    copies: CopyMeter,
    keeps_hidden: bool,
    characters: Removed,
    names: OnceLock<Names>,
    languages: [Answers<Language>; 2],
}

/// The language of code that a class names: none, plain text, or a name.
pub type Language = Option<Option<String>>;

/// Number of documents that this process has parsed, for tests: front ends parse no page twice for one answer.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub static PARSED: AtomicU64 = AtomicU64::new(0);

/// Parses a document as the HTML standard specifies, with scripting off. Leaves out characters that show nothing (docs/robustness.md).
pub fn parse<'a>(html: &'a str, budget: &Budget) -> Dom<'a> {
    Dom::parse_into(Arena::default(), html, budget)
}

impl<'a> Dom<'a> {
    /// Like [`parse`], but reuses an arena: see [`Dom::into_arena`].
    pub fn parse_into(arena: Arena, html: &'a str, budget: &Budget) -> Dom<'a> {
        let mut dom = Dom::parse_hidden_into(arena, html, budget);
        dom.keeps_hidden = false;
        dom.characters = characters::clean(&mut dom);
        dom
    }
    /// Like [`Dom::parse_into`], but keeps text that no visitor sees.
    pub fn parse_hidden_into(arena: Arena, html: &'a str, budget: &Budget) -> Dom<'a> {
        let options = ParseOptions {
            max_depth: budget.depth,
            max_attributes: budget.attributes,
            max_nodes: budget.nodes,
            ..ParseOptions::default()
        };
        #[cfg(debug_assertions)]
        PARSED.fetch_add(1, Ordering::Relaxed);
        let end = html.floor_char_boundary(budget.bytes);
        let mut document = Document::parse_into(arena, &html[..end], &options);
        delivered::place_shadows(&mut document);
        delivered::place_footers(&mut document);
        shortcodes::remove(&mut document);
        let copies = CopyMeter::new(end);
        Dom {
            document,
            cut: end < html.len(),
            meter: Meter::new(budget.work),
            copies,
            keeps_hidden: true,
            characters: Removed::default(),
            names: OnceLock::new(),
            languages: Default::default(),
        }
    }
    /// Returns the characters that were removed since they show nothing.
    pub fn removed_characters(&self) -> &Removed {
        &self.characters
    }
    /// Replaces the text of a text node.
    pub fn set_text(&mut self, node: NodeId, text: String) {
        self.document.set_text(node.inner(), text);
    }
    /// Replaces the value of an attribute that an element has.
    pub fn set_attribute(&mut self, node: NodeId, name: Attr, value: &str) {
        self.document.set_attr(node.inner(), name, value);
        self.forget_names();
    }
    fn forget_names(&mut self) {
        self.names.take();
        self.languages = Default::default();
    }
    /// Returns the classes and ids of the elements. They are read once.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(self))
    }
    /// Returns the languages of code that classes name: on other elements, and on `<pre>` and `<code>`.
    pub fn languages(&self) -> &[Answers<Language>; 2] {
        &self.languages
    }
    /// Returns the number of bytes of the text that was parsed.
    pub fn source_len(&self) -> usize {
        self.document.input().len()
    }
    /// Takes a node out of the tree, with all that is below it.
    pub fn remove(&mut self, node: NodeId) {
        self.document.remove(node.inner());
    }
    /// Whether text that no visitor sees is read.
    pub fn keeps_hidden(&self) -> bool {
        self.keeps_hidden
    }
    /// Ends the walks, as a spent [`Budget::work`] does, once another thread sets `stop`.
    pub fn until(self, stop: Option<Arc<AtomicBool>>) -> Dom<'a> {
        Dom { meter: self.meter.until(stop), ..self }
    }
    /// Moves streamed contents, which wait in hidden elements, to their placeholders if these are wanted. Returns whether it moved any.
    /// `is_wanted` gets a placeholder, and its parent if it is the last child.
    pub fn place_streamed(&mut self, is_wanted: impl Fn(NodeId, Option<NodeId>) -> bool) -> bool {
        let moved = delivered::place_streamed(&mut self.document, |n, parent| {
            is_wanted(NodeId(n.0), parent.map(|p| NodeId(p.0)))
        });
        if moved {
            self.forget_names();
        }
        moved
    }
    /// Returns the arena, to be reused for the next page.
    pub fn into_arena(self) -> Arena {
        self.document.into_arena()
    }
    /// Returns the number of nodes; every [`NodeId::index`] is below it.
    pub fn len(&self) -> usize {
        self.document.len()
    }
    /// Always false: a document has at least its root.
    pub fn is_empty(&self) -> bool {
        self.document.is_empty()
    }
    /// Returns names of the bounds of the [`Budget`] that cut the page while parsing, for its warnings.
    pub fn truncated(&self) -> Vec<&'static str> {
        let hit = self.document.limits_hit();
        let hits = [
            (self.cut || hit.input, "input bytes"),
            (hit.nodes > 0, "nodes"),
            (hit.depth > 0, "nesting depth"),
            (hit.attributes > 0, "attributes"),
            (hit.work, "mis-nested formatting"),
        ];
        hits.into_iter().filter(|h| h.0).map(|h| h.1).collect()
    }
    /// Returns the units of work spent on reading the tree so far; see [`Budget::work`].
    pub fn work(&self) -> u64 {
        self.meter.spent()
    }
    /// Charges for reading this many bytes of text that was taken from the tree earlier.
    pub fn reads(&self, bytes: usize) {
        self.meter.charge(1 + bytes as u64 / 64);
    }
    /// Returns a warning about the long addresses and the copies that were left out so far.
    pub fn left_out(&self) -> Option<crate::warnings::Warning> {
        crate::warnings::Warning::left_out(self.copies.left_out())
    }
    /// Returns the limit on the page's repetitions.
    pub fn copies(&self) -> &CopyMeter {
        &self.copies
    }
    /// Charges for work that is not a step in the tree, and returns whether the budget allowed it.
    pub fn works(&self, units: u64) -> bool {
        self.meter.charge(units)
    }
    /// Returns a share of the work: `per_byte` units for each byte of the page, and `free` ones.
    pub fn share(&self, per_byte: u64, free: u64) -> Share<'_> {
        Share::new(&self.meter, per_byte * self.source_len() as u64 + free)
    }
    /// Whether the work budget is spent; then every walk over the tree ends early.
    pub fn is_out_of_work(&self) -> bool {
        self.meter.is_spent()
    }
    /// Returns the kind of the node.
    #[inline]
    pub fn kind(&self, id: NodeId) -> NodeKind {
        match self.document.kind(id.inner()) {
            maintext_html::NodeKind::Document => NodeKind::Document,
            maintext_html::NodeKind::Element => NodeKind::Element,
            maintext_html::NodeKind::Text => NodeKind::Text,
            _ => NodeKind::Other,
        }
    }
    /// Returns the element's tag, [`Tag::OTHER`] for other nodes.
    #[inline]
    pub fn tag(&self, id: NodeId) -> Tag {
        self.document.tag(id.inner()).map_or(Tag::OTHER, Tag::of)
    }
    /// Returns the element's name in lower case, `""` for other nodes.
    pub fn tag_name(&self, id: NodeId) -> &str {
        self.document.tag_name(id.inner())
    }
    /// Returns the text of a text node, `""` for other nodes.
    #[inline]
    pub fn text(&self, id: NodeId) -> &str {
        match self.document.kind(id.inner()) {
            maintext_html::NodeKind::Text => {
                let text = self.document.text(id.inner());
                self.meter.charge(text.len() as u64 / 64);
                text
            }
            _ => "",
        }
    }
    /// Returns the element's attributes as (name, value), in the order of the page.
    pub fn attrs(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.records(id).map(|a| (a.name_str, a.value))
    }
    /// Returns the element's attributes with their names as numbers, in the order of the page: for loops over every element.
    #[inline]
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = (Attr, &str)> + Clone {
        let attrs = self.document.attr_values(id.inner());
        self.meter.charge(attrs.len() as u64);
        attrs
    }
    /// Returns the element's attributes as (number of the name, name, value), in the order of the page.
    pub fn attributes_named(&self, id: NodeId) -> impl Iterator<Item = (Attr, &str, &str)> {
        self.records(id).map(|a| (a.name, a.name_str, a.value))
    }
    fn records(&self, id: NodeId) -> maintext_html::Attributes<'_, 'a> {
        let attrs = self.document.attrs(id.inner());
        self.meter.charge(attrs.len() as u64);
        attrs
    }
    /// Returns the value of an attribute whose number is known.
    #[inline]
    pub fn attribute(&self, id: NodeId, name: Attr) -> Option<&str> {
        self.document.attr(id.inner(), name)
    }
    /// Returns the value of the attribute `class`, `""` without one.
    #[inline]
    pub fn class(&self, id: NodeId) -> &str {
        self.attribute(id, Attr::CLASS).unwrap_or("")
    }
    /// Whether an element has a class, as it is written.
    pub fn has_class(&self, id: NodeId, name: &str) -> bool {
        self.class(id).split_ascii_whitespace().any(|class| class == name)
    }
    /// Returns the words of the attribute `class`: `card__title--big` has three.
    pub fn class_words(&self, id: NodeId) -> impl Iterator<Item = &str> {
        self.class(id).split(|c: char| !c.is_ascii_alphanumeric())
    }
    /// Returns the value of the attribute `name` (in lower case).
    pub fn attr(&self, id: NodeId, name: &str) -> Option<&str> {
        if self.document.attrs(id.inner()).len() == 0 {
            return None;
        }
        match Attr::from_name(name) {
            Some(attr) => self.document.attr(id.inner(), attr),
            None => self.document.attr_named(id.inner(), name),
        }
    }
    /// Returns the source bytes that the node was made from; for an element, from its start tag to its end.
    /// Implied elements have the position where they were implied.
    pub fn span(&self, id: NodeId) -> std::ops::Range<usize> {
        self.document.span(id.inner())
    }
    /// Returns the parent.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.meter.charge(1);
        self.document.parent(id.inner()).map(|n| NodeId(n.0))
    }
    /// Returns the first child.
    #[inline]
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.step(self.document.first_child(id.inner()))
    }
    /// Returns the last child.
    #[inline]
    pub fn last_child(&self, id: NodeId) -> Option<NodeId> {
        self.step(self.document.last_child(id.inner()))
    }
    /// Returns the previous sibling.
    #[inline]
    pub fn prev_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.step(self.document.prev_sibling(id.inner()))
    }
    /// Returns the next sibling.
    #[inline]
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        self.step(self.document.next_sibling(id.inner()))
    }
    /// Steps to another node, or to none if the work budget is spent. Steps to parents always succeed, so that every walk can end.
    #[inline]
    fn step(&self, to: Option<maintext_html::NodeId>) -> Option<NodeId> {
        if self.meter.charge(1) { to.map(|n| NodeId(n.0)) } else { None }
    }
    /// Returns the children, first to last.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), |&n| self.next_sibling(n))
    }
    /// Returns the ancestors, parent first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&n| self.parent(n))
    }
    /// Returns the nodes of the subtree in document order, `id` itself first.
    pub fn descendants(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let below = self.document.descendants(id.inner()).map(|n| NodeId(n.0));
        std::iter::once(id).chain(below.take_while(|_| self.meter.charge(1)))
    }
    /// Walks the subtree, with one step where each node begins and one where it ends; [`Traverse::skip_children`] leaves out a node's children.
    pub fn traverse(&self, id: NodeId) -> Traverse<'_> {
        Traverse { dom: self, root: id, next: Some(Edge::Enter(id)) }
    }
    /// Returns the siblings after a node, in order.
    pub fn next_siblings(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.next_sibling(id), |&n| self.next_sibling(n))
    }
    /// Returns the siblings before a node, the nearest first.
    pub fn prev_siblings(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.prev_sibling(id), |&n| self.prev_sibling(n))
    }
    /// Returns the text of the subtree unchanged, without scripts and styles.
    pub fn text_content(&self, id: NodeId) -> String {
        let mut out = String::new();
        let mut walk = self.traverse(id);
        while let Some(edge) = walk.next() {
            if let Edge::Enter(n) = edge {
                if n != id && matches!(self.tag(n), Tag::SCRIPT | Tag::STYLE | Tag::TEMPLATE) {
                    walk.skip_children();
                }
                out.push_str(self.text(n));
            }
        }
        out
    }
    /// Whether some element has that tag, or had it before it was taken out of the tree. Quicker than [`Dom::find`] for tags that pages lack.
    pub fn may_have(&self, tag: Tag) -> bool {
        (0..self.len() as u32).any(|n| self.tag(NodeId(n)) == tag)
    }
    /// Returns the `<title>` of the page. One inside a drawing titles the drawing.
    pub fn title(&self) -> Option<NodeId> {
        self.descendants(NodeId::ROOT)
            .find(|n| self.tag(*n) == Tag::TITLE && !self.ancestors(*n).any(|a| self.tag(a) == Tag::SVG))
    }
    /// Returns the first element with that tag below `id`.
    pub fn find(&self, id: NodeId, tag: Tag) -> Option<NodeId> {
        self.descendants(id).find(|&n| self.tag(n) == tag)
    }
}

/// Returns a text with white space collapsed and trimmed.
pub fn single_spaced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Whether the element's own markup hides it.
pub fn is_hidden(dom: &Dom, id: NodeId) -> bool {
    let tag = dom.tag(id);
    let mut open = false;
    for (name, value) in dom.attributes(id) {
        match name {
            Attr::HIDDEN if value != "until-found" => return true,
            Attr::ARIA_HIDDEN if value.eq_ignore_ascii_case("true") => return true,
            Attr::STYLE if style_hides(value) => return true,
            Attr::OPEN => open = true,
            _ => {}
        }
    }
    tag == Tag::DIALOG && !open
}

/// Whether an element is hidden from screen readers.
pub fn is_aria_hidden(dom: &Dom, id: NodeId) -> bool {
    dom.attribute(id, Attr::ARIA_HIDDEN).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// Whether a `style` attribute hides its element.
pub fn style_hides(style: &str) -> bool {
    // Both properties have this letter, which most others lack.
    if memchr::memchr2(b'y', b'Y', style.as_bytes()).is_none() {
        return false;
    }
    style.split(';').any(|rule| {
        let Some((name, value)) = rule.split_once(':') else { return false };
        let value = value.trim().trim_end_matches("!important").trim_end();
        let name = name.trim();
        (name.eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case("none"))
            || (name.eq_ignore_ascii_case("visibility") && value.eq_ignore_ascii_case("hidden"))
    })
}

/// One step of a walk: the beginning or the end of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// The node begins.
    Enter(NodeId),
    /// The node and its subtree end.
    Leave(NodeId),
}

/// An iterator over the edges of a subtree. See [`Dom::traverse`].
#[derive(Clone, Debug)]
pub struct Traverse<'a> {
    dom: &'a Dom<'a>,
    root: NodeId,
    next: Option<Edge>,
}

impl Traverse<'_> {
    /// After an [`Edge::Enter`], moves to the end of that node without visiting its children.
    pub fn skip_children(&mut self) {
        self.next = match self.next {
            Some(Edge::Enter(n)) => self.dom.parent(n).map(Edge::Leave),
            other => other,
        };
    }
}

impl Iterator for Traverse<'_> {
    type Item = Edge;
    #[inline]
    fn next(&mut self) -> Option<Edge> {
        let edge = self.next?;
        self.next = match edge {
            Edge::Enter(n) => Some(match self.dom.first_child(n) {
                Some(c) => Edge::Enter(c),
                None => Edge::Leave(n),
            }),
            Edge::Leave(n) if n == self.root => None,
            Edge::Leave(n) => match self.dom.next_sibling(n) {
                Some(s) => Some(Edge::Enter(s)),
                None => self.dom.parent(n).map(Edge::Leave),
            },
        };
        Some(edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dom(html: &str) -> Dom<'_> {
        parse(html, &Budget::default())
    }

    #[test]
    fn walks_in_document_order() {
        let d = dom("<p>a<b>c</b><br>d<script>x</script></p><x-y>e</x-y>");
        let names: Vec<_> = d.descendants(NodeId::ROOT).map(|n| d.tag_name(n)).filter(|n| !n.is_empty()).collect();
        assert_eq!(names, ["html", "head", "body", "p", "b", "br", "script", "x-y"]);
        assert_eq!(d.text_content(NodeId::ROOT), "acde");
    }

    #[test]
    fn descendants_begin_with_the_node_itself() {
        let d = dom("<p>a<b>c</b></p>");
        let p = d.find(NodeId::ROOT, Tag::P).unwrap();
        assert_eq!(d.descendants(p).next(), Some(p));
        assert_eq!(d.descendants(p).count(), 4);
        assert_eq!(d.find(p, Tag::P), Some(p));
    }

    #[test]
    fn skipping_leaves_out_the_subtree() {
        let d = dom("<div><ul><li>a</li></ul>b</div>");
        let mut walk = d.traverse(NodeId::ROOT);
        let mut text = String::new();
        while let Some(e) = walk.next() {
            if let Edge::Enter(n) = e {
                if d.tag(n) == Tag::UL {
                    walk.skip_children();
                }
                text.push_str(d.text(n));
            }
        }
        assert_eq!(text, "b");
    }

    #[test]
    fn noscript_is_in_the_tree() {
        let d = dom("<body><noscript><p>hello</p></noscript>");
        assert_eq!(d.text_content(NodeId::ROOT), "hello");
        assert!(d.find(NodeId::ROOT, Tag::P).is_some());
    }

    #[test]
    fn spans_point_into_the_source() {
        let html = "<!doctype html><body><div class=a>one <b>two</b></div><p>three</p></body>";
        let d = dom(html);
        let div = d.find(NodeId::ROOT, Tag::DIV).unwrap();
        assert_eq!(&html[d.span(div)], "<div class=a>one <b>two</b></div>");
        let b = d.find(NodeId::ROOT, Tag::B).unwrap();
        assert_eq!(&html[d.span(b)], "<b>two</b>");
        let t = d.first_child(b).unwrap();
        assert_eq!(&html[d.span(t)], "two");
    }

    #[test]
    fn deep_nesting_is_cut_in_linear_time() {
        let html = "<div>".repeat(200_000) + "deep";
        let d = dom(&html);
        assert!(d.text_content(NodeId::ROOT).contains("deep"));
        assert!(d.work() < 4 * d.len() as u64, "{} steps to {} nodes", d.work(), d.len());
        let depth = d.descendants(NodeId::ROOT).map(|n| d.ancestors(n).count()).max().unwrap();
        assert!(depth <= Budget::default().depth as usize + 2, "{depth}");
        assert!(!d.truncated().is_empty());
    }

    #[test]
    fn attribute_floods_are_cut() {
        let html = format!("<div {}>x</div>", (0..100_000).map(|i| format!("a{i}=1 ")).collect::<String>());
        let d = dom(&html);
        let div = d.find(NodeId::ROOT, Tag::DIV).unwrap();
        assert!(d.attrs(div).count() <= Budget::default().attributes as usize);
        assert_eq!(d.text_content(NodeId::ROOT), "x");
    }
}
