//! The stack of open elements, with links that answer scope questions in constant time.
//!
//! Each entry stores the next lower entry of the same name and, for each kind of boundary (scope markers, special elements, …), the
//! nearest entry at or below it. "Is there a `p` in button scope" then asks: is the topmost `p` above the topmost boundary of button
//! scope?

use super::TreeBuilder;
use crate::names::{KNOWN_TAGS, Tag, tag_list};
use crate::node::{INTEGRATION, Namespace, OPEN};

/// Kinds of boundary: each is a bit in an entry's properties and an index into its bounds.
pub(super) const SCOPE: usize = 0;
pub(super) const LIST_SCOPE: usize = 1;
pub(super) const BUTTON_SCOPE: usize = 2;
pub(super) const TABLE_SCOPE: usize = 3;
/// The standard's "special" elements.
pub(super) const SPECIAL: usize = 4;
/// Special elements except `address`, `div` and `p`: they end the search for an open `li`, `dd` or `dt`.
pub(super) const ITEM_STOP: usize = 5;
/// Elements examined by "reset the insertion mode appropriately".
pub(super) const RESET: usize = 6;
/// HTML elements, in contrast to foreign ones.
pub(super) const HTML: usize = 7;

#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenElements {
    pub node: u32,
    /// The name as in the token: lower case, also for SVG.
    pub tag: Tag,
    pub ns: Namespace,
    pub props: u8,
    /// The next lower entry of the same name (among HTML or among foreign elements), or 0.
    below: u32,
    /// For each kind of boundary the nearest entry at or below this one, or 0.
    bounds: [u32; 8],
}

impl OpenElements {
    /// The entry at index 0, below `html`, so that there is always a current entry.
    pub(super) const BOTTOM: OpenElements =
        OpenElements { node: u32::MAX, tag: Tag(u32::MAX), ns: Namespace::Html, props: 0, below: 0, bounds: [0; 8] };

    #[inline]
    pub(super) fn is(&self, tag: Tag) -> bool {
        self.tag == tag && self.ns == Namespace::Html
    }

    #[inline]
    pub(super) fn html_tag(&self) -> Option<Tag> {
        (self.ns == Namespace::Html).then_some(self.tag)
    }
}

static HTML_PROPS: [u8; KNOWN_TAGS] = html_props();

const fn html_props() -> [u8; KNOWN_TAGS] {
    let mut props = [1u8 << HTML; KNOWN_TAGS];
    const SPECIAL_TAGS: &[Tag] = tag_list![ADDRESS APPLET AREA ARTICLE ASIDE BASE BASEFONT BGSOUND BLOCKQUOTE
        BODY BR BUTTON CAPTION CENTER COL COLGROUP DD DETAILS DIR DIV DL DT EMBED FIELDSET FIGCAPTION FIGURE
        FOOTER FORM FRAME FRAMESET H1 H2 H3 H4 H5 H6 HEAD HEADER HGROUP HR HTML IFRAME IMG INPUT KEYGEN LI LINK
        LISTING MAIN MARQUEE MENU META NAV NOEMBED NOFRAMES NOSCRIPT OBJECT OL P PARAM PLAINTEXT PRE SCRIPT
        SEARCH SECTION SELECT SOURCE STYLE SUMMARY TABLE TBODY TD TEMPLATE TEXTAREA TFOOT TH THEAD TITLE TR
        TRACK UL WBR XMP];
    const SCOPE_TAGS: &[Tag] = tag_list![APPLET CAPTION HTML TABLE TD TH MARQUEE OBJECT SELECT TEMPLATE];
    const RESET_TAGS: &[Tag] = tag_list![TD TH TR TBODY THEAD TFOOT CAPTION COLGROUP TABLE TEMPLATE HEAD BODY
        FRAMESET HTML];
    mark(&mut props, SPECIAL_TAGS, SPECIAL);
    mark(&mut props, SPECIAL_TAGS, ITEM_STOP);
    mark(&mut props, SCOPE_TAGS, SCOPE);
    mark(&mut props, SCOPE_TAGS, LIST_SCOPE);
    mark(&mut props, SCOPE_TAGS, BUTTON_SCOPE);
    mark(&mut props, &[Tag::OL, Tag::UL], LIST_SCOPE);
    mark(&mut props, &[Tag::BUTTON], BUTTON_SCOPE);
    mark(&mut props, &[Tag::HTML, Tag::TABLE, Tag::TEMPLATE], TABLE_SCOPE);
    mark(&mut props, RESET_TAGS, RESET);
    props[Tag::ADDRESS.index()] &= !(1 << ITEM_STOP);
    props[Tag::DIV.index()] &= !(1 << ITEM_STOP);
    props[Tag::P.index()] &= !(1 << ITEM_STOP);
    props
}

const fn mark(props: &mut [u8; KNOWN_TAGS], tags: &[Tag], bit: usize) {
    let mut i = 0;
    while i < tags.len() {
        props[tags[i].index()] |= 1 << bit;
        i += 1;
    }
}

/// Returns the properties of an element.
#[inline]
pub(super) fn props(ns: Namespace, tag: Tag) -> u8 {
    const FOREIGN_BOUNDARY: u8 = 1 << SCOPE | 1 << LIST_SCOPE | 1 << BUTTON_SCOPE | 1 << SPECIAL | 1 << ITEM_STOP;
    match ns {
        Namespace::Html => HTML_PROPS.get(tag.index()).copied().unwrap_or(1 << HTML),
        Namespace::MathMl => match tag {
            Tag::MI | Tag::MO | Tag::MN | Tag::MS | Tag::MTEXT | Tag::ANNOTATION_XML => FOREIGN_BOUNDARY,
            _ => 0,
        },
        Namespace::Svg => match tag {
            Tag::FOREIGNOBJECT | Tag::DESC | Tag::TITLE => FOREIGN_BOUNDARY,
            _ => 0,
        },
    }
}

impl TreeBuilder<'_> {
    /// Returns the index of the topmost entry of a name, among HTML or foreign elements.
    #[inline]
    fn top_of(&mut self, ns: Namespace, tag: Tag) -> &mut u32 {
        let tops = if ns == Namespace::Html { &mut self.s.html_tops } else { &mut self.s.foreign_tops };
        if tag.index() >= tops.len() {
            tops.resize((tag.index() + 1).next_power_of_two(), 0);
        }
        &mut tops[tag.index()]
    }

    #[inline]
    pub(super) fn current(&self) -> &OpenElements {
        // The bottom entry is never popped.
        &self.s.stack[self.s.stack.len() - 1]
    }

    #[inline]
    pub(super) fn current_is(&self, tag: Tag) -> bool {
        self.current().is(tag)
    }

    /// Returns the index of the current entry; `html` has index 1.
    #[inline]
    pub(super) fn top(&self) -> usize {
        self.s.stack.len() - 1
    }

    #[inline]
    pub(super) fn push(&mut self, node: u32, tag: Tag, ns: Namespace) {
        self.arena.node_mut(node).flags |= OPEN;
        self.link(OpenElements { node, tag, ns, props: props(ns, tag), below: 0, bounds: [0; 8] });
    }

    /// Pushes an entry and links it.
    #[inline]
    fn link(&mut self, mut entry: OpenElements) {
        let index = self.s.stack.len() as u32;
        entry.below = std::mem::replace(self.top_of(entry.ns, entry.tag), index);
        let under = self.current().bounds;
        for (bit, bound) in entry.bounds.iter_mut().enumerate() {
            *bound = if entry.props >> bit & 1 != 0 { index } else { under[bit] };
        }
        self.s.stack.push(entry);
    }

    /// Unlinks the entries from `index` on, which stay on the stack to be edited.
    fn unlink_from(&mut self, index: usize) {
        for i in (index..self.s.stack.len()).rev() {
            let OpenElements { ns, tag, below, .. } = self.s.stack[i];
            *self.top_of(ns, tag) = below;
        }
    }

    /// Links the entries from `index` on again.
    fn relink_from(&mut self, index: usize) {
        let mut tail = std::mem::take(&mut self.s.tail);
        tail.clear();
        tail.extend(self.s.stack.drain(index..));
        for &entry in &tail {
            self.link(entry);
        }
        self.s.tail = tail;
    }

    /// Replaces a range of entries, given as (node, tag) of HTML elements, and links all entries above again.
    pub(super) fn splice(&mut self, from: usize, to: usize, with: &[(u32, Tag)]) {
        self.charge((self.s.stack.len() - from) as u64 * 2);
        self.unlink_from(from);
        for i in from..to {
            let node = self.s.stack[i].node;
            let node = self.arena.node_mut(node);
            node.flags &= !OPEN;
            node.end = self.token.0.max(node.end);
        }
        let entries = with.iter().map(|&(node, tag)| OpenElements {
            node,
            tag,
            ns: Namespace::Html,
            props: props(Namespace::Html, tag),
            below: 0,
            bounds: [0; 8],
        });
        self.s.stack.splice(from..to, entries);
        for &(node, _) in with {
            self.arena.node_mut(node).flags |= OPEN;
        }
        self.relink_from(from);
    }

    /// Removes the entry at `index`, which may be anywhere in the stack.
    pub(super) fn remove_entry(&mut self, index: usize) {
        if index == self.top() {
            self.pop();
        } else {
            self.splice(index, index + 1, &[]);
        }
    }

    /// Pops the current entry. Its source range ends with the token if the token is its end tag, otherwise before it.
    #[inline]
    pub(super) fn pop(&mut self) -> u32 {
        if self.s.stack.len() == 1 {
            return u32::MAX;
        }
        let Some(entry) = self.s.stack.pop() else {
            return u32::MAX;
        };
        *self.top_of(entry.ns, entry.tag) = entry.below;
        let end = if self.end_tag == Some(entry.tag) { self.token.1 } else { self.token.0 };
        let node = self.arena.node_mut(entry.node);
        node.end = end.max(node.end);
        node.flags &= !OPEN;
        if entry.tag == Tag::OPTION && self.selected_content {
            self.option_popped(entry.node);
        }
        entry.node
    }

    /// Pops entries up to and including the one at `index`.
    pub(super) fn pop_to(&mut self, index: usize) {
        while self.s.stack.len() > index.max(1) {
            self.pop();
        }
    }

    /// Pops entries up to and including the topmost open HTML element of this name.
    pub(super) fn pop_until(&mut self, tag: Tag) {
        self.pop_to(self.html_top(tag));
    }

    /// The index of the topmost HTML element of this name, or 0.
    #[inline]
    pub(super) fn html_top(&self, tag: Tag) -> usize {
        self.s.html_tops.get(tag.index()).map_or(0, |&i| i as usize)
    }

    /// The index of the topmost foreign element of this (lower-case) name, or 0.
    pub(super) fn foreign_top(&self, tag: Tag) -> usize {
        self.s.foreign_tops.get(tag.index()).map_or(0, |&i| i as usize)
    }

    /// The index of the topmost boundary of this kind, or 0.
    #[inline]
    pub(super) fn bound(&self, kind: usize) -> usize {
        self.current().bounds[kind] as usize
    }

    /// Whether an HTML element of this name is in scope.
    #[inline]
    pub(super) fn in_scope(&self, tag: Tag, scope: usize) -> bool {
        let top = self.html_top(tag);
        top != 0 && top >= self.bound(scope)
    }

    /// The index of an open HTML element, by its node and name.
    pub(super) fn index_of(&mut self, node: u32, tag: Tag) -> Option<usize> {
        let mut index = self.html_top(tag);
        let mut steps = 0;
        while index != 0 && self.s.stack[index].node != node {
            index = self.s.stack[index].below as usize;
            steps += 1;
        }
        self.charge(steps);
        (index != 0).then_some(index)
    }

    /// Whether a `template` element is open.
    pub(super) fn in_template(&self) -> bool {
        self.html_top(Tag::TEMPLATE) != 0
    }

    /// The `body` element, if it is the second entry.
    pub(super) fn body(&self) -> Option<u32> {
        self.s.stack.get(2).filter(|e| e.is(Tag::BODY)).map(|e| e.node)
    }

    /// Whether the adjusted current node is a foreign element.
    #[inline]
    pub(super) fn foreign(&self) -> bool {
        self.current().ns != Namespace::Html || (self.foreign_context && self.s.stack.len() == 2)
    }

    /// Returns the adjusted current node's namespace, its name, and whether it is an `annotation-xml` that accepts HTML.
    pub(super) fn adjusted_current(&self) -> (Namespace, Tag, bool) {
        if self.s.stack.len() == 2
            && let Some((ns, tag)) = self.context
        {
            return (ns, tag, false);
        }
        let current = self.current();
        let integration = self.arena.node(current.node).flags & INTEGRATION != 0;
        (current.ns, current.tag, integration)
    }
}
