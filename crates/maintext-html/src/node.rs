//! Nodes of the tree, as the arena stores them.

/// Marks a missing link.
pub(crate) const NONE: u32 = u32::MAX;

/// The type of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum NodeKind {
    /// The root: a document, or the parent of a fragment's nodes.
    Document,
    /// `<!DOCTYPE …>`.
    Doctype,
    /// An element.
    Element,
    /// Text. Two text nodes are never adjacent.
    Text,
    /// A comment.
    Comment,
    /// The contents of a `template` element, which are not its children.
    TemplateContent,
}

/// The namespace of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Namespace {
    /// `http://www.w3.org/1999/xhtml`
    Html,
    /// `http://www.w3.org/2000/svg`
    Svg,
    /// `http://www.w3.org/1998/Math/MathML`
    MathMl,
}

/// The text of a text node is `Arena::owned[a]`.
pub(crate) const OWNED: u8 = 1;
/// The element is on the stack of open elements.
pub(crate) const OPEN: u8 = 2;
/// The element is in the list of active formatting elements.
pub(crate) const FORMATTING: u8 = 4;
/// A `MathML annotation-xml` that is an HTML integration point.
pub(crate) const INTEGRATION: u8 = 8;
/// A selected `option`, or a `select` without `multiple`.
pub(crate) const SELECTED: u8 = 16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub parent: u32,
    pub prev: u32,
    pub next: u32,
    pub first: u32,
    pub last: u32,
    /// The tag's number; NONE for nodes other than elements.
    pub tag: u32,
    /// Elements: first attribute. Text and comments: the run's start, or the index in `owned`. Doctypes: the index in `doctypes`.
    pub a: u32,
    /// Elements: number of attributes. Text and comments: the run's length.
    pub b: u32,
    /// Source range.
    pub start: u32,
    pub end: u32,
    pub kind: NodeKind,
    pub ns: Namespace,
    pub flags: u8,
}
