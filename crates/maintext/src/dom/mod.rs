//! The page as a tree: an arena of nodes with 32-bit ids.
//!
//! The rest of the crate sees this module only; which parser fills the arena is known to [`parse`] alone.
//! Every walk is an iterator over the arena: no recursion, so that no nesting overflows the stack.
mod build;
mod tag;

pub use build::{Limits, parse};
pub use tag::Tag;

/// A node of a [`Dom`]: an index into its arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    const NONE: u32 = u32::MAX;
    /// The document node.
    pub const ROOT: NodeId = NodeId(0);
    /// The position in the arena, below [`Dom::len`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
    fn some(raw: u32) -> Option<NodeId> {
        (raw != Self::NONE).then_some(NodeId(raw))
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// The root, and the root of a template's content.
    Document,
    /// An element.
    Element,
    /// Text.
    Text,
    /// A comment, a doctype or a processing instruction: never content.
    Other,
}

#[derive(Clone, Debug)]
struct Node {
    parent: u32,
    prev: u32,
    next: u32,
    first: u32,
    last: u32,
    /// Text: bytes of `Dom::text`. Element: entries of `Dom::attrs`.
    from: u32,
    to: u32,
    span: (u32, u32),
    kind: NodeKind,
    tag: Tag,
}

#[derive(Clone, Copy, Debug)]
struct AttrEntry {
    name: (u32, u32),
    value: (u32, u32),
}

/// A parsed page.
#[derive(Clone, Debug)]
pub struct Dom {
    nodes: Vec<Node>,
    attrs: Vec<AttrEntry>,
    text: String,
    /// Names of the elements whose tag is [`Tag::OTHER`], sorted by node.
    other_names: Vec<(u32, Box<str>)>,
    truncated: Vec<&'static str>,
}

impl Dom {
    /// How many nodes there are; every [`NodeId::index`] is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// False: a document has at least its root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
    fn slice(&self, (from, to): (u32, u32)) -> &str {
        self.text.get(from as usize..to as usize).unwrap_or("")
    }
    /// What was cut because a limit of [`Limits`] was reached, for a page's warnings.
    pub fn truncated(&self) -> &[&'static str] {
        &self.truncated
    }
    /// What the node is.
    pub fn kind(&self, id: NodeId) -> NodeKind {
        self.node(id).kind
    }
    /// The element's tag; [`Tag::OTHER`] for a node that is no element.
    pub fn tag(&self, id: NodeId) -> Tag {
        self.node(id).tag
    }
    /// The element's name in lower case, `""` for a node that is no element.
    pub fn tag_name(&self, id: NodeId) -> &str {
        let tag = self.tag(id);
        if tag != Tag::OTHER {
            return tag.name();
        }
        match self.other_names.binary_search_by_key(&id.0, |e| e.0) {
            Ok(i) => &self.other_names[i].1,
            Err(_) => "",
        }
    }
    /// The text of a text node, `""` for any other node.
    pub fn text(&self, id: NodeId) -> &str {
        let n = self.node(id);
        if n.kind == NodeKind::Text { self.slice((n.from, n.to)) } else { "" }
    }
    /// The element's attributes as (name, value), in the order of the page.
    pub fn attrs(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let n = self.node(id);
        let range = if n.kind == NodeKind::Element { n.from as usize..n.to as usize } else { 0..0 };
        self.attrs[range].iter().map(|a| (self.slice(a.name), self.slice(a.value)))
    }
    /// The value of the attribute `name` (in lower case).
    pub fn attr(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attrs(id).find(|(n, _)| *n == name).map(|(_, v)| v)
    }
    /// The bytes of the source that the node was made from: an element from its start tag to its end.
    /// Implied elements have the place where they were implied.
    pub fn span(&self, id: NodeId) -> std::ops::Range<usize> {
        let (a, b) = self.node(id).span;
        a as usize..b.max(a) as usize
    }
    /// The parent.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        NodeId::some(self.node(id).parent)
    }
    /// The first child.
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        NodeId::some(self.node(id).first)
    }
    /// The last child.
    pub fn last_child(&self, id: NodeId) -> Option<NodeId> {
        NodeId::some(self.node(id).last)
    }
    /// The sibling before.
    pub fn prev_sibling(&self, id: NodeId) -> Option<NodeId> {
        NodeId::some(self.node(id).prev)
    }
    /// The sibling after.
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        NodeId::some(self.node(id).next)
    }
    /// The children, first to last.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(id), |&n| self.next_sibling(n))
    }
    /// The ancestors, parent first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&n| self.parent(n))
    }
    /// The nodes of the subtree in document order, `id` itself first.
    pub fn descendants(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.traverse(id).filter_map(|e| match e {
            Edge::Enter(n) => Some(n),
            Edge::Leave(_) => None,
        })
    }
    /// Walks the subtree and tells where each node begins and ends; [`Traverse::skip`] leaves out a node's children.
    pub fn traverse(&self, id: NodeId) -> Traverse<'_> {
        Traverse { dom: self, root: id, next: Some(Edge::Enter(id)) }
    }
    /// The text of the subtree as it stands, scripts and styles left out.
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
    /// The first element with that tag below `id`.
    pub fn find(&self, id: NodeId, tag: Tag) -> Option<NodeId> {
        self.descendants(id).find(|&n| self.tag(n) == tag)
    }
}

/// Where a walk is: at the beginning or at the end of a node.
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
    dom: &'a Dom,
    root: NodeId,
    next: Option<Edge>,
}

impl Traverse<'_> {
    /// After an [`Edge::Enter`]: go to the end of that node at once, without its children.
    pub fn skip_children(&mut self) {
        self.next = match self.next {
            Some(Edge::Enter(n)) => self.dom.parent(n).map(Edge::Leave),
            other => other,
        };
    }
}

impl Iterator for Traverse<'_> {
    type Item = Edge;
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

    fn dom(html: &str) -> Dom {
        parse(html, &Limits::default())
    }

    #[test]
    fn walks_in_document_order() {
        let d = dom("<p>a<b>c</b><br>d<script>x</script></p><x-y>e</x-y>");
        let names: Vec<_> = d.descendants(NodeId::ROOT).map(|n| d.tag_name(n)).filter(|n| !n.is_empty()).collect();
        assert_eq!(names, ["html", "head", "body", "p", "b", "br", "script", "x-y"]);
        assert_eq!(d.text_content(NodeId::ROOT), "acde");
    }

    #[test]
    fn skip_leaves_the_subtree_out() {
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
        let start = std::time::Instant::now();
        let d = dom(&html);
        assert!(d.text_content(NodeId::ROOT).contains("deep"));
        let depth = d.descendants(NodeId::ROOT).map(|n| d.ancestors(n).count()).max().unwrap();
        assert!(depth <= Limits::default().depth as usize + 2, "{depth}");
        assert!(start.elapsed().as_secs() < 20);
        assert!(!d.truncated().is_empty());
    }

    #[test]
    fn attribute_floods_are_cut() {
        let html = format!("<div {}>x</div>", (0..100_000).map(|i| format!("a{i}=1 ")).collect::<String>());
        let d = dom(&html);
        let div = d.find(NodeId::ROOT, Tag::DIV).unwrap();
        assert!(d.attrs(div).count() <= Limits::default().attributes as usize);
        assert_eq!(d.text_content(NodeId::ROOT), "x");
    }
}
