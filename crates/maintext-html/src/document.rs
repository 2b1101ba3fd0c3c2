//! The parsed document and its accessors.

use crate::node::{NONE, Namespace, Node, NodeKind, OWNED};
use crate::tree::Arena;
mod edit;
mod iter;

use crate::names::{Attr, Tag};
use crate::options::{Context, LimitsHit, MAX_INPUT, ParseOptions, QuirksMode};
use crate::tokenizer::{Core, HtmlTokenizer, SIDE, TextRun, TokenizerState};
use crate::tree::TreeBuilder;
pub use iter::{Ancestors, AttrValues, Attributes, Children, Descendants, Edge, Traverse};
use std::ops::Range;

/// A node of a document: an index into the arena of that document.
///
/// Ids count up from 0 (the document) in order of creation. This is the order of the source, except for elements that the parser
/// moved or copied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The id as an index, for tables that run parallel to the tree.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An attribute of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attribute<'d> {
    /// The name as a number.
    pub name: Attr,
    /// The name as in the tree: lower case, except for SVG names with upper-case letters; with its prefix if it has a namespace.
    pub name_str: &'d str,
    /// The value with character references replaced.
    pub value: &'d str,
}

/// The contents of a doctype.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doctype<'d> {
    /// The name, usually `html`.
    pub name: &'d str,
    /// The public identifier, empty if missing.
    pub public_id: &'d str,
    /// The system identifier, empty if missing.
    pub system_id: &'d str,
}

/// A parsed document: the input and the tree over it.
///
/// ```
/// use maintext_html::{Document, NodeKind, ParseOptions, Tag};
///
/// let doc = Document::parse("<ul><li>one<li>two &amp; three</ul>", &ParseOptions::default());
/// let items: Vec<String> = doc
///     .descendants(doc.root())
///     .filter(|&n| doc.tag(n) == Some(Tag::LI))
///     .map(|li| doc.children(li).map(|c| doc.text(c)).collect())
///     .collect();
/// assert_eq!(items, ["one", "two & three"]);
/// ```
#[derive(Debug)]
pub struct Document<'a> {
    input: &'a str,
    arena: Arena,
    quirks: QuirksMode,
    limits: LimitsHit,
    steps: u64,
    pub(crate) scripting: bool,
}

impl<'a> Document<'a> {
    /// Parses a document. A byte-order mark at the start of the input is ignored.
    pub fn parse(input: &'a str, options: &ParseOptions) -> Document<'a> {
        Document::parse_into(Arena::new(), input, options)
    }

    /// Parses a document into the buffers of an arena and drops the arena's contents.
    pub fn parse_into(arena: Arena, input: &'a str, options: &ParseOptions) -> Document<'a> {
        parse(arena, input, options, None)
    }

    /// Parses a fragment, as when setting an element's `innerHTML`. The nodes of the fragment are the children of the root.
    ///
    /// ```
    /// use maintext_html::{Context, Document, ParseOptions};
    ///
    /// let doc = Document::parse_fragment("<td>1<td>2", &Context::html("tr"), &ParseOptions::default());
    /// assert_eq!(doc.to_html(), "<td>1</td><td>2</td>");
    /// ```
    pub fn parse_fragment(input: &'a str, context: &Context<'_>, options: &ParseOptions) -> Document<'a> {
        Document::parse_fragment_into(Arena::new(), input, context, options)
    }

    /// Like [`Document::parse_fragment`], but uses the buffers of an arena.
    pub fn parse_fragment_into(
        arena: Arena,
        input: &'a str,
        context: &Context<'_>,
        options: &ParseOptions,
    ) -> Document<'a> {
        parse(arena, input, options, Some(context))
    }

    /// Returns the buffers, for parsing the next document.
    pub fn into_arena(self) -> Arena {
        self.arena
    }

    /// The input as passed to the parser.
    pub fn input(&self) -> &'a str {
        self.input
    }

    /// Number of nodes created, including those that the parser removed from the tree.
    pub fn len(&self) -> usize {
        self.arena.nodes.len()
    }

    /// Always `false`, because every document has a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The root: the document node, or the parent of a fragment's nodes.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// The `html` element of a document.
    pub fn html(&self) -> Option<NodeId> {
        self.children(self.root()).find(|&n| self.is_element(n, Tag::HTML))
    }

    /// The `head` element of a document.
    pub fn head(&self) -> Option<NodeId> {
        self.children(self.html()?).find(|&n| self.is_element(n, Tag::HEAD))
    }

    /// The `body` element of a document; `None` for a document with a `frameset`.
    pub fn body(&self) -> Option<NodeId> {
        self.children(self.html()?).find(|&n| self.is_element(n, Tag::BODY))
    }

    /// The rendering mode.
    pub fn quirks(&self) -> QuirksMode {
        self.quirks
    }

    /// The limits that the parser reached. If there are any, the tree may differ from the standard's.
    pub fn limits_hit(&self) -> LimitsHit {
        self.limits
    }

    /// Steps of work beyond reading the input once and creating each node; [`ParseOptions::bounded_work`] limits them.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Memory of the tree's buffers in bytes.
    pub fn memory(&self) -> usize {
        self.arena.memory()
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.arena.node(id.0)
    }

    /// The type of the node.
    #[inline]
    pub fn kind(&self, id: NodeId) -> NodeKind {
        self.node(id).kind
    }

    /// The tag of an element in any namespace.
    #[inline]
    pub fn tag(&self, id: NodeId) -> Option<Tag> {
        let tag = self.node(id).tag;
        (tag != NONE).then_some(Tag(tag))
    }

    /// Whether the node is an HTML element with this tag.
    #[inline]
    pub fn is_element(&self, id: NodeId, tag: Tag) -> bool {
        let node = self.node(id);
        node.tag == tag.0 && node.ns == Namespace::Html
    }

    /// The name of an element, empty for other nodes.
    pub fn tag_name(&self, id: NodeId) -> &str {
        self.tag(id).map_or("", |tag| self.name_of_tag(tag))
    }

    /// The name of a tag that occurs in this document.
    pub fn name_of_tag(&self, tag: Tag) -> &str {
        self.arena.names.tag_name(tag)
    }

    /// The name of an attribute that occurs in this document.
    #[inline]
    pub fn name_of_attr(&self, attr: Attr) -> &str {
        self.arena.names.attr_name(attr)
    }

    /// The namespace of an element; HTML for other nodes.
    #[inline]
    pub fn namespace(&self, id: NodeId) -> Namespace {
        self.node(id).ns
    }

    /// The value of an attribute.
    #[inline]
    pub fn attr(&self, id: NodeId, name: Attr) -> Option<&str> {
        let attr = self.attr_records(id).iter().find(|a| a.name == name)?;
        Some(self.run(attr.value))
    }

    /// The value of an attribute, looked up by its name in the tree.
    pub fn attr_named(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attrs(id).find(|a| a.name_str == name).map(|a| a.value)
    }

    /// The attributes of an element, in the order of the source.
    #[inline]
    pub fn attrs(&self, id: NodeId) -> Attributes<'_, 'a> {
        Attributes { doc: self, records: self.attr_records(id).iter() }
    }

    /// The attributes of an element with their names as numbers, in the order of the source. Faster than [`Document::attrs`] for
    /// comparing names with constants.
    ///
    /// ```
    /// use maintext_html::{Attr, Document, ParseOptions};
    ///
    /// let doc = Document::parse("<p id=a class=b>", &ParseOptions::default());
    /// let p = doc.children(doc.body().unwrap()).next().unwrap();
    /// assert_eq!(doc.attr_values(p).collect::<Vec<_>>(), [(Attr::ID, "a"), (Attr::CLASS, "b")]);
    /// ```
    #[inline]
    pub fn attr_values(&self, id: NodeId) -> AttrValues<'_, 'a> {
        AttrValues { doc: self, records: self.attr_records(id).iter() }
    }

    #[inline]
    fn attr_records(&self, id: NodeId) -> &[crate::tokenizer::AttrRec] {
        let node = self.node(id);
        if node.kind != NodeKind::Element {
            return &[];
        }
        &self.arena.attrs[node.a as usize..(node.a + node.b) as usize]
    }

    /// The text of a text node or a comment, with references replaced and newlines normalised; empty for other nodes.
    #[inline]
    pub fn text(&self, id: NodeId) -> &str {
        let node = self.node(id);
        match node.kind {
            NodeKind::Text if node.flags & OWNED != 0 => &self.arena.owned[node.a as usize],
            NodeKind::Text | NodeKind::Comment => self.run(TextRun { start: node.a, len: node.b }),
            _ => "",
        }
    }

    #[inline]
    pub(crate) fn run(&self, run: TextRun) -> &str {
        let start = (run.start & !SIDE) as usize;
        let range = start..start + run.len as usize;
        if run.is_side() { self.arena.side.get(range) } else { self.input.get(range) }.unwrap_or("")
    }

    /// The contents of a doctype node.
    pub fn doctype(&self, id: NodeId) -> Option<Doctype<'_>> {
        let node = self.node(id);
        if node.kind != NodeKind::Doctype {
            return None;
        }
        let token = self.arena.doctypes.get(node.a as usize)?;
        Some(Doctype {
            name: token.name.as_deref().unwrap_or(""),
            public_id: token.public.as_deref().unwrap_or(""),
            system_id: token.system.as_deref().unwrap_or(""),
        })
    }

    /// The contents of a `template` element, which are not its children: a node of kind [`NodeKind::TemplateContent`].
    pub fn template_content(&self, id: NodeId) -> Option<NodeId> {
        if !self.is_element(id, Tag::TEMPLATE) {
            return None;
        }
        self.arena.template_content(id.0).map(NodeId)
    }

    /// The source range of the node in bytes. For an element, from its start tag to the end of its end tag, or to the position where it
    /// was closed without one; for text, the text itself. Implied and copied elements begin where the parser created them. Where the
    /// parser joined separate pieces of text, the range includes everything between them.
    pub fn span(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end.max(node.start) as usize
    }

    /// The parent.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        link(self.node(id).parent)
    }

    /// The first child.
    #[inline]
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        link(self.node(id).first)
    }

    /// The last child.
    #[inline]
    pub fn last_child(&self, id: NodeId) -> Option<NodeId> {
        link(self.node(id).last)
    }

    /// The previous sibling.
    #[inline]
    pub fn prev_sibling(&self, id: NodeId) -> Option<NodeId> {
        link(self.node(id).prev)
    }

    /// The next sibling.
    #[inline]
    pub fn next_sibling(&self, id: NodeId) -> Option<NodeId> {
        link(self.node(id).next)
    }

    /// The children.
    #[inline]
    pub fn children(&self, id: NodeId) -> Children<'_, 'a> {
        Children { doc: self, next: self.first_child(id) }
    }

    /// All descendants in document order, without template contents.
    #[inline]
    pub fn descendants(&self, id: NodeId) -> Descendants<'_, 'a> {
        Descendants { doc: self, root: id, next: self.first_child(id) }
    }

    /// The ancestors, from the parent to the root.
    pub fn ancestors(&self, id: NodeId) -> Ancestors<'_, 'a> {
        Ancestors { doc: self, next: self.parent(id) }
    }

    /// A walk that enters and leaves the node and each of its descendants.
    pub fn traverse(&self, id: NodeId) -> Traverse<'_, 'a> {
        Traverse::new(self, id)
    }
}

#[inline]
pub(crate) fn link(id: u32) -> Option<NodeId> {
    (id != NONE).then_some(NodeId(id))
}

/// The part of the input that is parsed.
fn limited(input: &str) -> &str {
    if input.len() <= MAX_INPUT {
        return input;
    }
    let end = (0..=MAX_INPUT).rev().find(|&i| input.is_char_boundary(i)).unwrap_or(0);
    &input[..end]
}

fn parse<'a>(mut arena: Arena, full: &'a str, options: &ParseOptions, context: Option<&Context<'_>>) -> Document<'a> {
    let input = limited(full);
    arena.clear();
    let mut core = Core {
        input,
        side: std::mem::take(&mut arena.side),
        attrs: std::mem::take(&mut arena.attrs),
        names: std::mem::take(&mut arena.names),
        token: (0, 0),
        max_attrs: options.max_attributes,
        attrs_dropped: 0,
        full: false,
    };
    let mut tree = TreeBuilder::new(arena, input.len(), options);
    let mut state = TokenizerState::Data;
    if let Some(context) = context {
        let tag = context_tag(&mut core, context);
        state = tree.set_context(context, tag);
    }
    let mut tokenizer = HtmlTokenizer::new(core, tree);
    tokenizer.state = state;
    if context.is_none() {
        tokenizer.skip_byte_order_mark();
    }
    tokenizer.run();
    let unread = tokenizer.unread() as u32;
    let HtmlTokenizer { core, sink: mut tree, .. } = tokenizer;
    if context.is_some() {
        tree.finish_fragment();
    }
    let limits = LimitsHit {
        depth: tree.depth_hits,
        attributes: core.attrs_dropped,
        work: tree.frugal,
        nodes: unread,
        input: input.len() < full.len(),
    };
    let (quirks, steps) = (tree.quirks, tree.work);
    let mut arena = tree.into_arena();
    arena.side = core.side;
    arena.attrs = core.attrs;
    arena.names = core.names;
    Document { input, arena, quirks, limits, steps, scripting: options.scripting }
}

fn context_tag(core: &mut Core<'_>, context: &Context<'_>) -> Tag {
    core.names.tag(context.name)
}
