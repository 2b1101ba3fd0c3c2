//! The flat store of nodes that a parse fills.

use super::Scratch;
use crate::names::Interner;
use crate::node::{NONE, Namespace, Node, NodeKind};
use crate::tokenizer::{AttrRec, DoctypeToken};

/// The buffers of a parsed document, which can be reused for the next one.
///
/// After parsing a few pages, an arena does not allocate for further pages of their size:
///
/// ```
/// use maintext_html::{Arena, Document, ParseOptions};
///
/// let mut arena = Arena::new();
/// for page in ["<p>one", "<p>two"] {
///     let doc = Document::parse_into(arena, page, &ParseOptions::default());
///     assert_eq!(doc.len(), 6); // document, html, head, body, p, text
///     arena = doc.into_arena();
/// }
/// ```
#[derive(Debug, Default)]
pub struct Arena {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attrs: Vec<AttrRec>,
    pub(crate) side: String,
    pub(crate) owned: Vec<String>,
    pub(crate) names: Interner,
    pub(crate) doctypes: Vec<DoctypeToken>,
    /// Template elements and their contents, sorted by element.
    pub(crate) templates: Vec<(u32, u32)>,
    pub(crate) scratch: Scratch,
}

impl Arena {
    /// Creates an arena with empty buffers.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Drops the contents and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.attrs.clear();
        self.side.clear();
        self.owned.clear();
        self.names.clear();
        self.doctypes.clear();
        self.templates.clear();
    }

    /// Memory of the buffers in bytes, used or not.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.attrs.capacity() * size_of::<AttrRec>()
            + self.side.capacity()
            + self.owned.iter().map(|s| s.capacity() + size_of::<String>()).sum::<usize>()
            + self.names.bytes()
            + self.templates.capacity() * 8
            + self.scratch.memory()
    }

    #[inline]
    pub(crate) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Adds a node without a parent.
    #[inline]
    pub(crate) fn add(&mut self, kind: NodeKind, ns: Namespace, tag: u32, a: u32, b: u32, source: (u32, u32)) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node {
            parent: NONE,
            prev: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            tag,
            a,
            b,
            start: source.0,
            end: source.1,
            kind,
            ns,
            flags: 0,
        });
        id
    }

    /// Makes a node without a parent the last child of `parent`.
    #[inline]
    pub(crate) fn append(&mut self, parent: u32, child: u32) {
        let last = std::mem::replace(&mut self.node_mut(parent).last, child);
        let node = self.node_mut(child);
        node.parent = parent;
        node.prev = last;
        if last == NONE {
            self.node_mut(parent).first = child;
        } else {
            self.node_mut(last).next = child;
        }
    }

    /// Inserts a node without a parent before `sibling`, which must have a parent.
    pub(crate) fn insert_before(&mut self, sibling: u32, child: u32) {
        let Node { parent, prev, .. } = *self.node(sibling);
        let node = self.node_mut(child);
        node.parent = parent;
        node.prev = prev;
        node.next = sibling;
        self.node_mut(sibling).prev = child;
        if prev == NONE {
            self.node_mut(parent).first = child;
        } else {
            self.node_mut(prev).next = child;
        }
    }

    /// Removes a node from its parent, if it has one.
    pub(crate) fn detach(&mut self, id: u32) {
        let Node { parent, prev, next, .. } = *self.node(id);
        if parent == NONE {
            return;
        }
        match prev {
            NONE => self.node_mut(parent).first = next,
            _ => self.node_mut(prev).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last = prev,
            _ => self.node_mut(next).prev = prev,
        }
        let node = self.node_mut(id);
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
    }

    /// Moves all children of `from` to the end of `to`. Returns their number.
    pub(crate) fn move_children(&mut self, from: u32, to: u32) -> usize {
        let (first, last) = (self.node(from).first, self.node(from).last);
        if first == NONE {
            return 0;
        }
        let mut count = 0;
        let mut child = first;
        while child != NONE {
            let node = self.node_mut(child);
            node.parent = to;
            child = node.next;
            count += 1;
        }
        let before = self.node(to).last;
        self.node_mut(first).prev = before;
        match before {
            NONE => self.node_mut(to).first = first,
            _ => self.node_mut(before).next = first,
        }
        self.node_mut(to).last = last;
        (self.node_mut(from).first, self.node_mut(from).last) = (NONE, NONE);
        count
    }

    /// The contents of a template element.
    pub(crate) fn template_content(&self, template: u32) -> Option<u32> {
        let at = self.templates.binary_search_by_key(&template, |t| t.0).ok()?;
        Some(self.templates[at].1)
    }
}
