//! Iterators over the tree; none of them recurses.

use super::{Attribute, Document, NodeId};
use crate::names::Attr;
use crate::tokenizer::AttrRec;

/// The children of a node. See [`Document::children`].
#[derive(Clone, Debug)]
pub struct Children<'d, 'a> {
    pub(crate) doc: &'d Document<'a>,
    pub(crate) next: Option<NodeId>,
}

impl Iterator for Children<'_, '_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        let node = self.next?;
        self.next = self.doc.next_sibling(node);
        Some(node)
    }
}

/// The ancestors of a node. See [`Document::ancestors`].
#[derive(Clone, Debug)]
pub struct Ancestors<'d, 'a> {
    pub(crate) doc: &'d Document<'a>,
    pub(crate) next: Option<NodeId>,
}

impl Iterator for Ancestors<'_, '_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        let node = self.next?;
        self.next = self.doc.parent(node);
        Some(node)
    }
}

/// The descendants of a node in document order. See [`Document::descendants`].
#[derive(Clone, Debug)]
pub struct Descendants<'d, 'a> {
    pub(crate) doc: &'d Document<'a>,
    pub(crate) root: NodeId,
    pub(crate) next: Option<NodeId>,
}

impl Iterator for Descendants<'_, '_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        let node = self.next?;
        self.next = self.doc.first_child(node).or_else(|| {
            let mut at = node;
            loop {
                if at == self.root {
                    return None;
                }
                if let Some(sibling) = self.doc.next_sibling(at) {
                    return Some(sibling);
                }
                at = self.doc.parent(at)?;
            }
        });
        Some(node)
    }
}

/// A step of [`Document::traverse`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// The walk enters the node.
    Enter(NodeId),
    /// The walk leaves the node after all its descendants.
    Leave(NodeId),
}

/// A walk that enters and leaves each node. See [`Document::traverse`].
#[derive(Clone, Debug)]
pub struct Traverse<'d, 'a> {
    doc: &'d Document<'a>,
    root: NodeId,
    next: Option<Edge>,
}

impl<'d, 'a> Traverse<'d, 'a> {
    pub(crate) fn new(doc: &'d Document<'a>, root: NodeId) -> Self {
        Traverse { doc, root, next: Some(Edge::Enter(root)) }
    }
}

impl Iterator for Traverse<'_, '_> {
    type Item = Edge;

    #[inline]
    fn next(&mut self) -> Option<Edge> {
        let edge = self.next?;
        self.next = match edge {
            Edge::Enter(node) => Some(self.doc.first_child(node).map_or(Edge::Leave(node), Edge::Enter)),
            Edge::Leave(node) if node == self.root => None,
            Edge::Leave(node) => match self.doc.next_sibling(node) {
                Some(sibling) => Some(Edge::Enter(sibling)),
                None => self.doc.parent(node).map(Edge::Leave),
            },
        };
        Some(edge)
    }
}

/// The attributes of an element. See [`Document::attrs`].
#[derive(Clone, Debug)]
pub struct Attributes<'d, 'a> {
    pub(crate) doc: &'d Document<'a>,
    pub(crate) records: std::slice::Iter<'d, AttrRec>,
}

impl<'d> Iterator for Attributes<'d, '_> {
    type Item = Attribute<'d>;

    #[inline]
    fn next(&mut self) -> Option<Attribute<'d>> {
        let record = self.records.next()?;
        Some(Attribute {
            name: record.name,
            name_str: self.doc.name_of_attr(record.name),
            value: self.doc.run(record.value),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

impl ExactSizeIterator for Attributes<'_, '_> {}

/// The attributes of an element, names as numbers. See [`Document::attr_values`].
#[derive(Clone, Debug)]
pub struct AttrValues<'d, 'a> {
    pub(crate) doc: &'d Document<'a>,
    pub(crate) records: std::slice::Iter<'d, AttrRec>,
}

impl<'d> Iterator for AttrValues<'d, '_> {
    type Item = (Attr, &'d str);

    #[inline]
    fn next(&mut self) -> Option<(Attr, &'d str)> {
        let record = self.records.next()?;
        Some((record.name, self.doc.run(record.value)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.records.size_hint()
    }
}

impl ExactSizeIterator for AttrValues<'_, '_> {}
