//! Changes to a parsed tree: parts of a page that scripts would move to their places.

use super::{Document, NodeId};
use crate::node::{NONE, NodeKind, OWNED};

impl Document<'_> {
    /// Moves the children of `from`, in their order, to the end of `to`. Returns false, and changes nothing, if `to` is `from` or lies
    /// inside it.
    ///
    /// ```
    /// use maintext_html::{Document, ParseOptions, Tag};
    ///
    /// let mut doc = Document::parse("<p><b>one</b><i>two</i></p>", &ParseOptions::default());
    /// let body = doc.body().unwrap();
    /// let p = doc.children(body).next().unwrap();
    /// assert!(doc.append_children(p, body) && !doc.append_children(body, p));
    /// assert_eq!(doc.children(body).count(), 3);
    /// ```
    pub fn append_children(&mut self, from: NodeId, to: NodeId) -> bool {
        let free = !self.is_inside(to, from);
        if free {
            self.arena.move_children(from.0, to.0);
        }
        free
    }

    /// Moves the children of `from`, in their order, to before `sibling`. Returns false, and changes nothing, if `sibling` has no parent, is
    /// `from` or lies inside it.
    pub fn insert_children(&mut self, from: NodeId, sibling: NodeId) -> bool {
        let free = self.parent(sibling).is_some() && !self.is_inside(sibling, from);
        while free && let Some(child) = self.first_child(from) {
            self.arena.detach(child.0);
            self.arena.insert_before(sibling.0, child.0);
        }
        free
    }

    /// Moves a node, with all that is below it, to the end of `to`. Returns false, and changes nothing, if `to` is the node or lies inside it.
    pub fn append(&mut self, node: NodeId, to: NodeId) -> bool {
        let free = !self.is_inside(to, node);
        if free {
            self.arena.detach(node.0);
            self.arena.append(to.0, node.0);
        }
        free
    }

    /// Removes a node from its parent, with all that is below it.
    pub fn remove(&mut self, node: NodeId) {
        self.arena.detach(node.0);
    }

    /// Replaces the text of a text node. Returns false, and changes nothing, for other nodes.
    pub fn set_text(&mut self, node: NodeId, text: String) -> bool {
        let is_text = self.kind(node) == NodeKind::Text;
        if is_text {
            self.arena.owned.push(text);
            let index = self.arena.owned.len() as u32 - 1;
            let node = self.arena.node_mut(node.0);
            node.a = index;
            node.flags |= OWNED;
        }
        is_text
    }

    /// The `template` elements, including those that the parser removed from the tree, each with its contents, in the order of creation.
    pub fn templates(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.arena.templates.iter().map(|&(element, contents)| (NodeId(element), NodeId(contents)))
    }

    fn is_inside(&self, node: NodeId, of: NodeId) -> bool {
        let mut at = node.0;
        while at != NONE && at != of.0 {
            at = self.arena.node(at).parent;
        }
        at == of.0
    }
}
