//! The list of active formatting elements, its reconstruction, and the adoption agency.

use super::TreeBuilder;
use super::stack::{SCOPE, SPECIAL};
use crate::names::{Tag, mix};
use crate::node::{FORMATTING, NONE, Namespace, Node, NodeKind, OPEN};
use crate::tokenizer::AttrRec;
use crate::tokenizer::{Core, StartTag};

/// Work charged for an element created without a tag of its own.
const CLONE_COST: u64 = 16;
/// Number of entries kept since the last marker once the work budget is spent.
const FRUGAL_ENTRIES: usize = 16;

/// Above this number of entries, equal ones are counted by hash; below half of it, they are compared one by one again.
const MANY_ENTRIES: usize = 64;

/// An entry of the list; a marker has no node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Formatting {
    pub node: u32,
    pub tag: Tag,
    /// Hash of name and attributes, or 0 until it is needed. Computed before the options remove attributes.
    pub hash: u64,
}

impl Formatting {
    const MARKER: Formatting = Formatting { node: NONE, tag: Tag(NONE), hash: 0 };
}

impl TreeBuilder<'_> {
    pub(super) fn push_marker(&mut self) {
        self.s.formatting.push(Formatting::MARKER);
    }

    pub(super) fn clear_to_marker(&mut self) {
        while let Some(entry) = self.s.formatting.pop() {
            if entry.node == NONE {
                break;
            }
            self.forget(entry);
        }
    }

    /// Cleans up after an entry that has left the list.
    #[inline]
    fn forget(&mut self, entry: Formatting) {
        if entry.node == NONE {
            return;
        }
        self.arena.node_mut(entry.node).flags &= !FORMATTING;
        if self.s.counting {
            self.uncount(entry.hash);
        }
    }

    #[cold]
    fn uncount(&mut self, hash: u64) {
        if self.s.formatting.len() < MANY_ENTRIES / 2 {
            self.s.stop_counting();
        } else if let Some(count) = self.s.equal_entries.get_mut(&hash) {
            *count -= 1;
            if *count == 0 {
                self.s.equal_entries.remove(&hash);
            }
        }
    }

    /// Inserts an element for a formatting tag and adds it to the list.
    pub(super) fn insert_formatting(&mut self, core: &mut Core<'_>, tag: StartTag) {
        let many = self.s.counting || self.s.formatting.len() >= MANY_ENTRIES;
        if many && !self.s.counting {
            self.count_entries(core);
        }
        let hashed = many || self.opts.skip.attributes_except.is_some();
        let hash = if hashed { hash_attrs(core, tag.tag, tag.attrs, core.attrs.len() as u32) } else { 0 };
        let node = self.insert_html(core, tag);
        if !many || self.s.equal_entries.get(&hash).is_some_and(|&count| count >= 3) {
            self.limit_equal_entries(core, node, tag.tag, hash);
        }
        if self.frugal {
            self.drop_old_entries();
        }
        if many {
            *self.s.equal_entries.entry(hash).or_insert(0) += 1;
        }
        self.arena.node_mut(node).flags |= FORMATTING;
        self.s.formatting.push(Formatting { node, tag: tag.tag, hash });
    }

    /// Starts counting equal entries by their hashes.
    #[cold]
    fn count_entries(&mut self, core: &Core<'_>) {
        self.s.counting = true;
        for entry in &mut self.s.formatting {
            if entry.node == NONE {
                continue;
            }
            if entry.hash == 0 {
                let Node { a, b, .. } = *self.arena.node(entry.node);
                entry.hash = hash_attrs(core, entry.tag, a, a + b);
            }
            *self.s.equal_entries.entry(entry.hash).or_insert(0) += 1;
        }
    }

    /// Applies the "Noah's Ark clause": at most three equal entries since the last marker.
    fn limit_equal_entries(&mut self, core: &Core<'_>, node: u32, tag: Tag, hash: u64) {
        let (mut equal, mut earliest, mut steps) = (0, 0, 0);
        for (i, entry) in self.s.formatting.iter().enumerate().rev() {
            if entry.node == NONE || equal == 3 {
                break;
            }
            steps += 1;
            if entry.tag == tag
                && (entry.hash == hash || entry.hash == 0 || hash == 0)
                && same_attrs(core, self.arena.node(entry.node), self.arena.node(node), &mut steps)
            {
                equal += 1;
                earliest = i;
            }
        }
        self.charge(steps / 4);
        if equal >= 3 {
            self.remove_formatting(earliest);
        }
    }

    #[cold]
    fn drop_old_entries(&mut self) {
        let end = self.s.formatting.len();
        let kept = self.s.formatting.iter().rev().take_while(|e| e.node != NONE).count();
        if kept > FRUGAL_ENTRIES {
            let old: Vec<Formatting> = self.s.formatting.drain(end - kept..end - FRUGAL_ENTRIES).collect();
            for entry in old {
                self.forget(entry);
            }
        }
    }

    pub(super) fn remove_formatting(&mut self, index: usize) {
        self.charge((self.s.formatting.len() - index) as u64 / 8);
        let entry = self.s.formatting.remove(index);
        self.forget(entry);
    }

    /// The last entry of this name since the last marker.
    pub(super) fn find_formatting(&mut self, tag: Tag) -> Option<usize> {
        if self.frugal {
            self.drop_old_entries();
        }
        let mut steps = 0;
        let mut found = None;
        for (i, entry) in self.s.formatting.iter().enumerate().rev() {
            if entry.node == NONE {
                break;
            }
            if entry.tag == tag {
                found = Some(i);
                break;
            }
            steps += 1;
        }
        self.charge(steps / 2);
        found
    }

    /// The position of a node in the list.
    pub(super) fn formatting_index(&mut self, node: u32) -> Option<usize> {
        if self.arena.node(node).flags & FORMATTING == 0 {
            return None;
        }
        let index = self.s.formatting.iter().rposition(|e| e.node == node)?;
        self.charge((self.s.formatting.len() - index) as u64 / 2);
        Some(index)
    }

    fn is_open(&self, node: u32) -> bool {
        self.arena.node(node).flags & OPEN != 0
    }

    /// "Reconstruct the active formatting elements".
    #[inline]
    pub(super) fn reconstruct(&mut self, core: &mut Core<'_>) {
        if let Some(last) = self.s.formatting.last()
            && last.node != NONE
            && !self.is_open(last.node)
        {
            self.reconstruct_closed(core);
        }
    }

    #[inline(never)]
    fn reconstruct_closed(&mut self, core: &mut Core<'_>) {
        let list = &self.s.formatting;
        let open = list.iter().rposition(|e| e.node == NONE || self.is_open(e.node));
        let first = open.map_or(0, |i| i + 1);
        self.charge((self.s.formatting.len() - first) as u64 * CLONE_COST);
        if self.frugal {
            let closed: Vec<Formatting> = self.s.formatting.drain(first..).collect();
            for entry in closed {
                self.forget(entry);
            }
            return;
        }
        for i in first..self.s.formatting.len() {
            let Formatting { node: old, tag, .. } = self.s.formatting[i];
            let new = self.clone_element(old, self.token.0);
            self.insert_element(core, new);
            self.push(new, tag, Namespace::Html);
            self.replace_formatting(i, new);
        }
    }

    fn replace_formatting(&mut self, index: usize, new: u32) {
        let old = std::mem::replace(&mut self.s.formatting[index].node, new);
        self.arena.node_mut(old).flags &= !FORMATTING;
        self.arena.node_mut(new).flags |= FORMATTING;
    }

    /// Creates an element for the token of `old`; the attributes are shared.
    fn clone_element(&mut self, old: u32, at: u32) -> u32 {
        let Node { tag, a, b, ns, .. } = *self.arena.node(old);
        self.arena.add(NodeKind::Element, ns, tag, a, b, (at, at))
    }

    /// The "adoption agency algorithm".
    pub(super) fn adoption_agency(&mut self, subject: Tag) {
        let current = self.current();
        let node = current.node;
        if current.is(subject) && self.arena.node(node).flags & FORMATTING == 0 {
            self.pop();
            return;
        }
        for _ in 0..8 {
            if !self.adopt_once(subject) {
                return;
            }
        }
    }

    /// Runs one round of the outer loop. Returns whether another may follow.
    fn adopt_once(&mut self, subject: Tag) -> bool {
        let Some(entry) = self.find_formatting(subject) else {
            self.other_end_tag(subject);
            return false;
        };
        let element = self.s.formatting[entry].node;
        let Some(index) = self.is_open(element).then(|| self.index_of(element, subject)).flatten() else {
            self.remove_formatting(entry);
            return false;
        };
        if index < self.bound(SCOPE) {
            return false;
        }
        if self.bound(SPECIAL) <= index || self.frugal {
            self.pop_to(index);
            self.remove_formatting(entry);
            return false;
        }
        let above = &self.s.stack[index + 1..];
        let block = index + 1 + above.iter().take_while(|e| e.props & 1 << SPECIAL == 0).count();
        self.charge(CLONE_COST + (block - index) as u64);
        self.adopt(entry, index, block);
        true
    }

    /// Rearranges the tree around the formatting element at stack index `index` and the furthest block at `block`.
    fn adopt(&mut self, entry: usize, index: usize, block: usize) {
        let Formatting { node: element, tag, hash } = self.s.formatting[entry];
        let furthest = self.s.stack[block].node;
        let (last, kept, mut bookmark) = self.adopt_between(index, block, entry);
        let ancestor = self.s.stack[index - 1];
        self.arena.detach(last);
        let place = self.insertion_point_in(ancestor.node, ancestor.html_tag());
        self.put(place, last);
        let new = self.clone_element(element, self.token.0);
        let moved = self.arena.move_children(furthest, new);
        self.charge(moved as u64);
        self.arena.append(furthest, new);

        // The formatting element leaves the list; its copy is inserted at the bookmark.
        if let Some(old) = self.formatting_index(element) {
            self.remove_formatting(old);
            if old < bookmark {
                bookmark -= 1;
            }
        }
        self.arena.node_mut(new).flags |= FORMATTING;
        if self.s.counting {
            *self.s.equal_entries.entry(hash).or_insert(0) += 1;
        }
        let bookmark = bookmark.min(self.s.formatting.len());
        self.s.formatting.insert(bookmark, Formatting { node: new, tag, hash });

        // The stack from the formatting element to the furthest block becomes: the kept copies, the block, the copy.
        let mut entries = [(0, tag); 5];
        let count = kept.len();
        let kept_entries = kept.iter().rev();
        for (slot, &pair) in entries.iter_mut().zip(kept_entries) {
            *slot = pair;
        }
        let block_entry = self.s.stack[block];
        if block_entry.ns == Namespace::Html {
            entries[count] = (furthest, block_entry.tag);
            entries[count + 1] = (new, tag);
            self.arena.node_mut(element).end = self.token.0;
            self.splice(index, block + 1, &entries[..count + 2]);
        } else {
            self.splice(block + 1, block + 1, &[(new, tag)]);
            self.splice(index, block, &entries[..count]);
        }
    }

    /// The inner loop: copies the formatting elements between formatting element and furthest block (at most three), chains the block
    /// into them and drops the rest. Returns the topmost node of the chain, the copies from the block downwards, and the bookmark.
    fn adopt_between(&mut self, index: usize, block: usize, entry: usize) -> (u32, KeptCopies, usize) {
        let furthest = self.s.stack[block].node;
        let mut last = furthest;
        let mut bookmark = entry;
        let mut kept = KeptCopies::default();
        for (count, i) in (index + 1..block).rev().enumerate() {
            let Some(node) = self.s.stack.get(i).map(|e| e.node) else {
                break;
            };
            let Some(at) = self.formatting_index(node) else {
                continue;
            };
            if count >= 3 {
                self.remove_formatting(at);
                if at < bookmark {
                    bookmark -= 1;
                }
                continue;
            }
            let new = self.clone_element(node, self.token.0);
            self.charge(CLONE_COST);
            self.replace_formatting(at, new);
            kept.push((new, self.s.formatting[at].tag));
            if last == furthest {
                bookmark = at + 1;
            }
            self.arena.detach(last);
            self.arena.append(new, last);
            last = new;
        }
        (last, kept, bookmark)
    }
}

/// The copies made by one round, at most three.
#[derive(Default)]
struct KeptCopies {
    entries: [Option<(u32, Tag)>; 3],
}

impl KeptCopies {
    fn push(&mut self, pair: (u32, Tag)) {
        if let Some(slot) = self.entries.iter_mut().find(|e| e.is_none()) {
            *slot = Some(pair);
        }
    }

    fn len(&self) -> usize {
        self.entries.iter().flatten().count()
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &(u32, Tag)> {
        self.entries.iter().flatten()
    }
}

/// Whether two elements have the same attributes, in any order.
fn same_attrs(core: &Core<'_>, x: &Node, y: &Node, steps: &mut u64) -> bool {
    if x.b != y.b {
        return false;
    }
    let (x, y) = (attrs_of(core, x), attrs_of(core, y));
    x.iter().zip(y).all(|(p, q)| {
        *steps += 1;
        is_equal(core, p, q)
            || y.iter().any(|r| {
                *steps += 1;
                is_equal(core, p, r)
            })
    })
}

fn attrs_of<'c>(core: &'c Core<'_>, n: &Node) -> &'c [AttrRec] {
    &core.attrs[n.a as usize..(n.a + n.b) as usize]
}

fn is_equal(core: &Core<'_>, p: &AttrRec, q: &AttrRec) -> bool {
    p.name == q.name && core.str(p.value) == core.str(q.value)
}

/// Hashes a name and attributes independently of the attributes' order. Never returns 0.
fn hash_attrs(core: &Core<'_>, tag: Tag, from: u32, to: u32) -> u64 {
    let attrs = &core.attrs[from as usize..to as usize];
    let sum = attrs.iter().fold(u64::from(tag.0), |sum, attr| {
        let mut hash = u64::from(attr.name.0);
        for &byte in core.str(attr.value).as_bytes() {
            hash = mix(hash ^ u64::from(byte), 0);
        }
        sum.wrapping_add(mix(hash, 1))
    });
    sum.max(1)
}
