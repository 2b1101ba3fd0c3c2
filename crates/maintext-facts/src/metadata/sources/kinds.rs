//! Hashes of markup, by which records of one page are compared.
use super::facts::Facts;
use crate::metadata::ranking::rank::{SEED, hash};
use maintext_html::Attr;
use maintext_page::dom::NodeId;
use std::cell::OnceCell;

impl Facts<'_> {
    /// Returns a hash of the markup of an element and its parents, ignoring numbers.
    pub fn kind(&self, node: NodeId) -> u64 {
        self.cached(&self.kinds, node, || self.compute_kind(node))
    }

    /// Returns the value of an element in a table, computed on first use; elements outside of the body are in no table.
    fn cached(&self, table: &[OnceCell<u64>], node: NodeId, compute: impl Fn() -> u64) -> u64 {
        self.element(node).map_or_else(&compute, |e| *table[e].get_or_init(&compute))
    }

    fn compute_kind(&self, node: NodeId) -> u64 {
        let mut h = self.own_kind(node);
        let mut up = self.dom.ancestors(node);
        if let Some(parent) = up.next() {
            h = h.wrapping_mul(31) ^ self.own_kind(parent);
        }
        up.next().map_or(h, |n| hash(h, self.dom.tag_name(n)))
    }

    /// Returns a hash of the markup of an element that varies little between records: its name and classes, or without classes its name and
    /// its parent's.
    pub fn rough_kind(&self, node: NodeId) -> u64 {
        let is_bare = self.dom.attribute(node, Attr::CLASS).is_none_or(|c| c.trim().is_empty());
        let own = self.own_kind(node);
        match self.dom.parent(node) {
            Some(parent) if is_bare => hash(own, self.dom.tag_name(parent)),
            _ => own,
        }
    }

    fn own_kind(&self, node: NodeId) -> u64 {
        self.cached(&self.own_kinds, node, || self.read_kind(node))
    }

    /// Returns a hash of the element's name and classes. Classes with digits are left out: they number or colour rows.
    fn read_kind(&self, node: NodeId) -> u64 {
        let mut h = hash(SEED, self.dom.tag_name(node));
        let class = self.dom.attribute(node, Attr::CLASS).unwrap_or("");
        let mut words: Vec<&str> =
            class.split_ascii_whitespace().filter(|w| !w.bytes().any(|b| b.is_ascii_digit())).collect();
        words.sort_unstable();
        for w in words {
            h = hash(hash(h, "."), w);
        }
        self.dom.attribute(node, Attr::ITEMPROP).map_or(h, |p| hash(h, p))
    }
}
