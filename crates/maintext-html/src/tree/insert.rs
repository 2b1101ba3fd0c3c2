//! Inserts nodes: "the appropriate place for inserting a node", text merging, the depth limit.

use super::{Mode, TreeBuilder};
use crate::names::{Attr, Tag};
use crate::node::{INTEGRATION, NONE, Namespace, Node, NodeKind, OWNED, SELECTED};
use crate::tokenizer::AttrRec;
use crate::tokenizer::{Core, Next, SIDE, StartTag, TextRun, TokenizerState};

/// A position in the tree: at the end of `parent`, or before its child `before`.
#[derive(Clone, Copy, Debug)]
pub(super) struct InsertionPoint {
    pub parent: u32,
    pub before: u32,
}

impl InsertionPoint {
    pub(super) fn end_of(parent: u32) -> InsertionPoint {
        InsertionPoint { parent, before: NONE }
    }
}

impl TreeBuilder<'_> {
    /// Returns the appropriate place for inserting a node.
    #[inline]
    pub(super) fn insertion_point(&self) -> InsertionPoint {
        let current = self.current();
        if !self.foster && current.tag != Tag::TEMPLATE {
            return InsertionPoint::end_of(current.node);
        }
        self.insertion_point_in(current.node, current.html_tag())
    }

    /// Like [`Self::insertion_point`], with an override target: a node and its name, if it is an HTML element.
    pub(super) fn insertion_point_in(&self, target: u32, tag: Option<Tag>) -> InsertionPoint {
        match tag {
            Some(Tag::TABLE | Tag::TBODY | Tag::TFOOT | Tag::THEAD | Tag::TR) if self.foster => self.foster_point(),
            Some(Tag::TEMPLATE) => self.inside(target),
            _ => InsertionPoint::end_of(target),
        }
    }

    /// Returns the end of an element, or of its contents for a template.
    fn inside(&self, node: u32) -> InsertionPoint {
        InsertionPoint::end_of(self.arena.template_content(node).unwrap_or(node))
    }

    fn foster_point(&self) -> InsertionPoint {
        let (table, template) = (self.html_top(Tag::TABLE), self.html_top(Tag::TEMPLATE));
        if template > table {
            return self.inside(self.s.stack[template].node);
        }
        if table == 0 {
            // The fragment case.
            return InsertionPoint::end_of(self.s.stack[1].node);
        }
        let node = self.s.stack[table].node;
        match self.arena.node(node).parent {
            NONE => InsertionPoint::end_of(self.s.stack[table - 1].node),
            parent => InsertionPoint { parent, before: node },
        }
    }

    /// Inserts a node without a parent at a place.
    #[inline]
    pub(super) fn put(&mut self, place: InsertionPoint, node: u32) {
        if place.before == NONE {
            self.arena.append(place.parent, node);
        } else {
            self.arena.insert_before(place.before, node);
        }
    }

    /// Inserts a new element at the appropriate place, or as a sibling of the current node at the depth limit.
    #[inline]
    pub(super) fn insert_element(&mut self, _core: &mut Core<'_>, node: u32) {
        let mut place = self.insertion_point();
        if self.s.stack.len() > self.max_depth && place.before == NONE {
            let above = self.arena.node(place.parent).parent;
            if above != NONE {
                place.parent = above;
                self.depth_hits = self.depth_hits.saturating_add(1);
            }
        }
        self.put(place, node);
    }

    /// "Create an element for a token", without inserting it into the tree. Takes the token's attributes.
    #[inline]
    pub(super) fn create_element(&mut self, core: &mut Core<'_>, tag: StartTag, ns: Namespace) -> u32 {
        let name = if ns == Namespace::Svg { tag.tag.in_svg() } else { tag.tag };
        let mut flags = 0;
        if ns == Namespace::Html {
            if matches!(tag.tag, Tag::OPTION | Tag::SELECT | Tag::SELECTEDCONTENT) {
                flags = self.select_flags(core, tag);
            }
        } else if ns == Namespace::MathMl && tag.tag == Tag::ANNOTATION_XML {
            flags = integration_flag(core, tag);
        }
        self.keep_attributes(core, tag);
        let count = core.attrs.len() as u32 - tag.attrs;
        let node = self.arena.add(NodeKind::Element, ns, name.0, tag.attrs, count, core.token);
        self.arena.node_mut(node).flags = flags;
        self.attrs_used = true;
        if ns == Namespace::Html && tag.tag == Tag::TEMPLATE {
            self.add_template_content(node);
        }
        node
    }

    /// Removes the attributes that the options omit.
    #[inline]
    fn keep_attributes(&mut self, core: &mut Core<'_>, tag: StartTag) {
        if self.opts.skip.attributes_except.is_none() {
            return;
        }
        let first = tag.attrs as usize;
        let mut end = first;
        for i in first..core.attrs.len() {
            let name = core.attrs[i].name;
            if self.kept_attrs.get(name.index()) == Some(&true) {
                core.attrs.swap(end, i);
                end += 1;
            }
        }
        core.attrs.truncate(end);
    }

    pub(super) fn add_template_content(&mut self, template: u32) {
        let source = self.arena.node(template).start;
        let content = self.arena.add(NodeKind::TemplateContent, Namespace::Html, NONE, 0, 0, (source, source));
        self.arena.templates.push((template, content));
    }

    /// "Insert an HTML element" and leaves it open.
    #[inline]
    pub(super) fn insert_html(&mut self, core: &mut Core<'_>, tag: StartTag) -> u32 {
        let node = self.create_element(core, tag, Namespace::Html);
        self.insert_element(core, node);
        self.push(node, tag.tag, Namespace::Html);
        node
    }

    /// Inserts an HTML element that is closed at once, and acknowledges its self-closing flag.
    #[inline]
    pub(super) fn insert_void(&mut self, core: &mut Core<'_>, tag: StartTag) -> u32 {
        let node = self.create_element(core, tag, Namespace::Html);
        self.insert_element(core, node);
        node
    }

    /// Inserts an HTML element without a token.
    pub(super) fn insert_implied(&mut self, core: &mut Core<'_>, tag: Tag) -> u32 {
        let at = self.token.0;
        let node = self.arena.add(NodeKind::Element, Namespace::Html, tag.0, 0, 0, (at, at));
        self.insert_element(core, node);
        self.push(node, tag, Namespace::Html);
        node
    }

    /// "Insert a foreign element" and leaves it open unless it closes itself.
    pub(super) fn insert_foreign(&mut self, core: &mut Core<'_>, tag: StartTag, ns: Namespace) {
        for attr in &mut core.attrs[tag.attrs as usize..] {
            let name = match ns {
                Namespace::Svg => attr.name.in_svg(),
                Namespace::MathMl if attr.name == Attr::DEFINITIONURL => Attr::DEFINITION_URL,
                _ => attr.name,
            };
            attr.name = name.in_namespace();
        }
        let node = self.create_element(core, tag, ns);
        self.insert_element(core, node);
        if !tag.self_closing {
            self.push(node, tag.tag, ns);
        }
    }

    /// Inserts an element whose content is RCDATA, RAWTEXT or script data.
    pub(super) fn insert_raw(&mut self, core: &mut Core<'_>, tag: StartTag, state: TokenizerState) {
        self.insert_html(core, tag);
        self.next = Next::Switch(state);
        self.original_mode = self.mode;
        self.mode = Mode::Text;
    }

    /// "Insert a comment" at a place.
    pub(super) fn insert_comment(&mut self, run: TextRun, place: InsertionPoint) {
        if self.opts.skip.comments {
            return;
        }
        let node = self.arena.add(NodeKind::Comment, Namespace::Html, NONE, run.start, run.len, self.token);
        self.put(place, node);
    }

    /// "Insert a character", for a whole run.
    #[inline]
    pub(super) fn insert_text(&mut self, core: &mut Core<'_>, run: TextRun) {
        if run.len == 0 {
            return;
        }
        let place = self.insertion_point();
        let before =
            if place.before == NONE { self.arena.node(place.parent).last } else { self.arena.node(place.before).prev };
        if before != NONE && self.arena.node(before).kind == NodeKind::Text {
            return self.extend_text(core, before, run);
        }
        let node = self.arena.add(NodeKind::Text, Namespace::Html, NONE, run.start, run.len, self.token);
        self.put(place, node);
    }

    /// Appends to a text node. Text that is not contiguous is copied: first to the end of the side buffer, and once other text follows
    /// there, to a separate string. Text nodes that grow in turns therefore cost no more than their length.
    #[inline(never)]
    fn extend_text(&mut self, core: &mut Core<'_>, node: u32, run: TextRun) {
        let Node { a, b, flags, .. } = *self.arena.node(node);
        self.arena.node_mut(node).end = self.token.1;
        if flags & OWNED != 0 {
            self.arena.owned[a as usize].push_str(core.str(run));
            return;
        }
        let end = a + b;
        if end == run.start {
            self.arena.node_mut(node).b += run.len;
        } else if a & SIDE != 0 && (end & !SIDE) as usize == core.side.len() && !run.is_side() {
            core.side.push_str(&core.input[run.start as usize..(run.start + run.len) as usize]);
            self.arena.node_mut(node).b += run.len;
        } else {
            let mut text = String::with_capacity((b + run.len) as usize * 2);
            text.push_str(core.str(TextRun { start: a, len: b }));
            text.push_str(core.str(run));
            self.arena.owned.push(text);
            let index = self.arena.owned.len() as u32 - 1;
            let node = self.arena.node_mut(node);
            node.a = index;
            node.flags |= OWNED;
        }
    }

    /// Adds the attributes of a second start tag that an element lacks. `slot` is 0 for `html`, 1 for `body`.
    pub(super) fn merge_attributes(&mut self, core: &Core<'_>, node: u32, slot: usize, tag: StartTag) {
        let Node { a, b, .. } = *self.arena.node(node);
        let merge = &mut self.merges[slot];
        if merge.node != node {
            merge.node = node;
            merge.seen.extend(core.attrs[a as usize..(a + b) as usize].iter().map(|attr| attr.name));
        }
        for &attr in &core.attrs[tag.attrs as usize..] {
            let kept =
                self.opts.skip.attributes_except.is_none() || self.kept_attrs.get(attr.name.index()) == Some(&true);
            if kept && merge.seen.insert(attr.name) {
                merge.added.push(attr);
            }
        }
    }

    /// Writes merged attributes next to the element's own.
    pub(super) fn finish_merges(&mut self, core: &mut Core<'_>) {
        for merge in &self.merges {
            if merge.added.is_empty() {
                continue;
            }
            let node = self.arena.node_mut(merge.node);
            let own = node.a as usize..(node.a + node.b) as usize;
            node.a = core.attrs.len() as u32;
            node.b += merge.added.len() as u32;
            core.attrs.extend_from_within(own);
            core.attrs.extend_from_slice(&merge.added);
        }
    }
}

/// Attributes added by a later `html` or `body` tag.
#[derive(Default, Debug)]
pub(super) struct Merge {
    pub node: u32,
    pub seen: std::collections::BTreeSet<Attr>,
    pub added: Vec<AttrRec>,
}

/// Returns the value of a token's attribute.
pub(super) fn attr_of<'c>(core: &'c Core<'_>, tag: StartTag, name: Attr) -> Option<&'c str> {
    let attr = core.attrs[tag.attrs as usize..].iter().find(|a| a.name == name)?;
    Some(core.str(attr.value))
}

fn integration_flag(core: &Core<'_>, tag: StartTag) -> u8 {
    let html = attr_of(core, tag, Attr::ENCODING)
        .is_some_and(|v| v.eq_ignore_ascii_case("text/html") || v.eq_ignore_ascii_case("application/xhtml+xml"));
    if html { INTEGRATION } else { 0 }
}

/// The flag of a chosen option, or of a select that displays one.
pub(super) const CHOSEN: u8 = SELECTED;
