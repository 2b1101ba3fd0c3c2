//! `select`, `option`, `optgroup`, and the `selectedcontent` element into which the chosen option is copied.

use super::TreeBuilder;
use super::insert::{CHOSEN, attr_of};
use super::stack::SCOPE;
use crate::names::{Attr, Tag};
use crate::node::{NONE, Namespace, Node, OWNED};
use crate::tokenizer::{Core, StartTag};

/// Work charged for a copied node.
const COPY_COST: u64 = 16;

/// State of the last opened `select`. Selects do not nest.
#[derive(Debug)]
pub(super) struct SelectState {
    select: u32,
    /// Its first `selectedcontent` that is not disabled.
    content: u32,
    /// Whether it has no `multiple` attribute.
    single: bool,
    /// Whether the display size is 1: then the first option is chosen unless another is selected.
    drop_down: bool,
    /// Whether an option has been chosen.
    chosen: bool,
}

impl Default for SelectState {
    fn default() -> Self {
        SelectState { select: NONE, content: NONE, single: false, drop_down: false, chosen: false }
    }
}

impl TreeBuilder<'_> {
    pub(super) fn select_start(&mut self, core: &mut Core<'_>, tag: StartTag) {
        let in_select = self.in_scope(Tag::SELECT, SCOPE);
        match tag.tag {
            Tag::SELECT => {
                if self.context == Some((Namespace::Html, Tag::SELECT)) {
                    return;
                }
                if in_select {
                    self.pop_until(Tag::SELECT);
                    return;
                }
                self.reconstruct(core);
                self.insert_html(core, tag);
                self.frameset_ok = false;
            }
            Tag::HR => {
                self.close_p();
                if in_select {
                    self.generate_implied(None);
                }
                self.insert_void(core, tag);
                self.frameset_ok = false;
            }
            _ => {
                if in_select {
                    self.generate_implied((tag.tag == Tag::OPTION).then_some(Tag::OPTGROUP));
                } else if self.current_is(Tag::OPTION) {
                    self.pop();
                }
                self.reconstruct(core);
                self.insert_html(core, tag);
            }
        }
    }

    /// Returns the flags of a new `select`, `option` or `selectedcontent`, which will be the next node created.
    pub(super) fn select_flags(&mut self, core: &Core<'_>, tag: StartTag) -> u8 {
        let node = self.arena.nodes.len() as u32;
        match tag.tag {
            Tag::SELECT => {
                let size = attr_of(core, tag, Attr::SIZE).and_then(|v| v.trim().parse::<u32>().ok());
                let single = attr_of(core, tag, Attr::MULTIPLE).is_none();
                self.select = SelectState {
                    select: node,
                    content: NONE,
                    single,
                    drop_down: size.is_none_or(|s| s <= 1),
                    chosen: false,
                };
            }
            Tag::OPTION => {
                let state = &mut self.select;
                let by_default =
                    state.single && state.drop_down && !state.chosen && attr_of(core, tag, Attr::DISABLED).is_none();
                if attr_of(core, tag, Attr::SELECTED).is_some() || by_default {
                    state.chosen = true;
                    return CHOSEN;
                }
            }
            _ => {
                self.selected_content = true;
                let select = self.html_top(Tag::SELECT);
                if select > self.html_top(Tag::OPTION) && select > 0 && self.select.content == NONE {
                    self.select.content = node;
                }
            }
        }
        0
    }

    /// "Maybe clone an option into selectedcontent".
    #[cold]
    pub(super) fn option_popped(&mut self, option: u32) {
        let SelectState { select, content, single, .. } = self.select;
        if content == NONE || !single || self.arena.node(option).flags & CHOSEN == 0 || !self.belongs_to(option, select)
        {
            return;
        }
        while self.arena.node(content).first != NONE {
            let child = self.arena.node(content).first;
            self.arena.detach(child);
            self.charge(1);
        }
        self.copy_children(option, content);
    }

    /// Whether `select` is the option's nearest ancestor select.
    fn belongs_to(&mut self, option: u32, select: u32) -> bool {
        let mut node = self.arena.node(option).parent;
        while node != NONE && node != select {
            let Node { tag, parent, ns, .. } = *self.arena.node(node);
            if ns == Namespace::Html && [Tag::DATALIST, Tag::HR, Tag::OPTION, Tag::SELECT].contains(&Tag(tag)) {
                return false;
            }
            node = parent;
            self.charge(1);
        }
        node == select
    }

    /// Appends copies of the descendants of one node to another.
    fn copy_children(&mut self, from: u32, to: u32) {
        let mut open = vec![(self.arena.node(from).first, to)];
        while let Some((node, parent)) = open.pop() {
            if node == NONE || self.frugal {
                continue;
            }
            self.charge(COPY_COST);
            let original = *self.arena.node(node);
            let copy = self.arena.add(
                original.kind,
                original.ns,
                original.tag,
                original.a,
                original.b,
                (original.start, original.end),
            );
            self.arena.node_mut(copy).flags = original.flags & OWNED;
            if original.flags & OWNED != 0 {
                let text = self.arena.owned[original.a as usize].clone();
                self.charge(text.len() as u64 / 4);
                self.arena.owned.push(text);
                self.arena.node_mut(copy).a = self.arena.owned.len() as u32 - 1;
            }
            self.arena.append(parent, copy);
            open.push((original.next, parent));
            if let Some(content) = self.arena.template_content(node) {
                self.add_template_content(copy);
                let new_content = self.arena.template_content(copy).unwrap_or(copy);
                open.push((self.arena.node(content).first, new_content));
            }
            open.push((original.first, copy));
        }
    }
}
