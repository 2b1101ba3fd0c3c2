//! Cuts a page into blocks in one walk over its tree.
use super::{Block, Blocks, Element, Event, EventKind, Media};
use crate::dom::{Dom, Edge, NodeId, NodeKind, Tag, Traverse};
use crate::markup::Role;
use crate::markup::seams::{is_after_number, is_seam, leaves_no_gap};
use crate::visibility::{Sight, Visibility};
use crate::words::{Run, VISIBLE, is_blank, is_zero_width};
use maintext_html::Attr;

/// The numbers of open elements of each kind.
#[derive(Default, Clone, Copy)]
pub(super) struct Inside {
    link: u32,
    emphasis: u32,
    pub(super) code: u32,
    /// Preformatted text, in which nothing but the page's own white space separates words.
    pre: u32,
    noscript: u32,
}

/// The walk's state.
pub(super) struct Builder<'a> {
    pub(super) dom: &'a Dom<'a>,
    pub(super) out: Blocks,
    seen: Visibility<'a>,
    pub(super) inside: Inside,
    /// The element of the current node.
    element: u32,
    /// The open block-level elements.
    pub(super) containers: Vec<u32>,
    /// The open targets of links. Old pages leave them open, and with them all that follows.
    targets: Vec<NodeId>,
    /// The open element that displays code, see [`Role::Code`].
    pub(super) code: Option<NodeId>,
    pub(super) open: Option<Block>,
    /// Number of links that began since the last block ended.
    links: u32,
    pub(super) space: bool,
    breaks: u32,
    in_word: bool,
    /// Whether the last text was a formula.
    pub(super) after_formula: bool,
    /// The side notes of the open block.
    notes: Vec<NodeId>,
    /// Whether such a note is being read.
    in_note: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(dom: &'a Dom<'a>, seen: Visibility<'a>) -> Self {
        Builder {
            dom,
            seen,
            out: Blocks { text: String::with_capacity(dom.len() * 8), ..Blocks::default() },
            inside: Inside::default(),
            element: 0,
            containers: Vec::new(),
            targets: Vec::new(),
            code: None,
            open: None,
            links: 0,
            space: false,
            breaks: 0,
            in_word: false,
            after_formula: false,
            notes: Vec::new(),
            in_note: false,
        }
    }

    /// Cuts the page, a second time if nearly all of it waits for a script.
    pub(super) fn cut(dom: &'a Dom<'a>) -> Blocks {
        let mut b = Builder::new(dom, Visibility::new(dom));
        b.run();
        if b.seen.waits_for_script(b.out.text.len()) {
            b = Builder::new(dom, b.seen);
            b.run();
        }
        b.out.cut = b.seen.cut().collect();
        b.out.hidden = b.seen.hidden;
        b.out
    }

    fn run(&mut self) {
        let root = NodeId::ROOT;
        self.out.elements.push(Element {
            node: root,
            tag: Tag::OTHER,
            parent: 0,
            depth: 0,
            hidden: false,
            blocks: 0..0,
            descendants: 0,
        });
        self.containers.push(0);
        let mut walk = self.dom.traverse(root);
        walk.next();
        self.walk(walk);
        self.flush();
        self.out.elements[0].blocks.end = self.out.blocks.len() as u32;
        self.find_delimited();
    }

    fn walk(&mut self, mut walk: Traverse<'_>) {
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(n) => match self.dom.kind(n) {
                    NodeKind::Text => self.text_node(n),
                    NodeKind::Element if self.enter(n) => {}
                    NodeKind::Document => {}
                    _ => walk.skip_children(),
                },
                Edge::Leave(n) => {
                    self.seen.leave(n);
                    if self.out.elements[self.element as usize].node == n {
                        self.leave();
                    }
                }
            }
        }
    }

    /// Adds the label of a tab as a block of its own at the beginning of its panel.
    fn label(&mut self, n: NodeId) {
        self.in_note = true;
        let (element, inside) = (self.element, self.inside);
        self.event(EventKind::Aside, n);
        let mut walk = self.dom.traverse(n);
        walk.next();
        self.walk(walk);
        self.flush();
        self.event(EventKind::AsideEnd, n);
        (self.element, self.inside) = (element, inside);
        self.in_note = false;
    }

    /// Adds the side notes of the block that ended, each as a block of its own.
    fn notes(&mut self) {
        self.in_note = true;
        let (element, inside) = (self.element, self.inside);
        for n in std::mem::take(&mut self.notes) {
            self.element = self.containers.last().copied().unwrap_or(0);
            self.inside = Inside { noscript: inside.noscript, ..Inside::default() };
            let begin = self.out.events.len();
            self.walk(self.dom.traverse(n));
            self.flush();
            if let [first, .., last] = &mut self.out.events[begin..] {
                (first.kind, last.kind) = (EventKind::Aside, EventKind::AsideEnd);
            }
        }
        (self.element, self.inside) = (element, inside);
        self.in_note = false;
    }

    fn event(&mut self, kind: EventKind, node: NodeId) {
        self.out.events.push(Event { kind, node });
    }

    fn media(&mut self, n: NodeId) {
        let position = (self.out.blocks.len() + self.open.is_some() as usize) as u32;
        self.out.media.push(Media { node: n, element: self.element, position });
    }

    /// Opens a node and returns whether to walk its children.
    fn enter(&mut self, n: NodeId) -> bool {
        let tag = self.dom.tag(n);
        let role = self.out.markup.enter(self.dom, n, tag);
        let code = matches!(role, Role::Code(_)) && self.code.is_none();
        // Borders inside code separate lines, not blocks.
        let border = self.code.is_none() && (role.is_block(tag) || code);
        if self.code.is_some() && (tag.is_block() && !tag.is_skipped() && role != Role::Skip || role == Role::Line) {
            self.space = true;
        }
        if border && role != Role::Plain {
            self.flush();
        }
        match role {
            Role::Skip | Role::Mark => {
                self.event(EventKind::Void, n);
                return false;
            }
            Role::Label if !self.in_note => return false,
            Role::Formula(number) => {
                self.event(EventKind::Void, n);
                self.formula(n, number);
                if border {
                    self.flush();
                }
                return false;
            }
            Role::Code(number) if self.out.markup.code(number).text.is_some() => {
                self.event(EventKind::Void, n);
                self.sorted_code(n, number);
                return false;
            }
            _ => {}
        }
        let sight = self.seen.enter(n, tag);
        if sight == Sight::Never {
            self.event(EventKind::Open, n);
            if !leaves_no_gap(self.dom, n) {
                self.event(EventKind::Space, n);
            }
            self.event(EventKind::Close, n);
            return false;
        }
        match tag {
            Tag::BR => {
                self.line_break(n);
                return false;
            }
            Tag::IMG | Tag::VIDEO | Tag::AUDIO | Tag::IFRAME | Tag::EMBED | Tag::OBJECT => self.media(n),
            Tag::SCRIPT if crate::embed::is_gist(self.dom, n) => self.media(n),
            _ => {}
        }
        let amid = self.open.is_some() && self.code.is_none();
        if amid && !self.in_note && self.out.markup.enter_amid(self.dom, n, tag, sight == Sight::Later) {
            self.event(EventKind::Void, n);
            self.notes.push(n);
            return false;
        }
        if !self.space && amid && self.inside.pre == 0 && is_seam(self.dom, n, tag) {
            self.event(EventKind::Space, n);
            self.space = true;
        }
        if border {
            self.flush();
        }
        if tag.is_skipped() {
            self.event(EventKind::Void, n);
            return false;
        }
        let parent = &self.out.elements[self.element as usize];
        let hidden = parent.hidden || sight == Sight::Later;
        let depth = parent.depth.saturating_add(1);
        let at = self.out.blocks.len() as u32;
        let descendants = 0;
        self.out.elements.push(Element {
            node: n,
            tag,
            parent: self.element,
            depth,
            hidden,
            blocks: at..at,
            descendants,
        });
        self.element = self.out.elements.len() as u32 - 1;
        if border {
            self.containers.push(self.element);
        }
        if code {
            self.code = Some(n);
            self.inside.code += 1;
        }
        if tag == Tag::A && is_target(self.dom, n) {
            self.targets.push(n);
        } else {
            self.count(tag, 1);
            if tag == Tag::A {
                match &mut self.open {
                    Some(b) => b.links += 1,
                    None => self.links += 1,
                }
            }
        }
        if let Role::Panel(label) = role
            && !self.in_note
        {
            self.label(label);
        }
        self.event(EventKind::Open, n);
        true
    }

    fn leave(&mut self) {
        let (node, tag, parent, start) = {
            let e = &self.out.elements[self.element as usize];
            (e.node, e.tag, e.parent, self.element)
        };
        self.event(EventKind::Close, node);
        if self.code == Some(node) {
            self.code = None;
            self.inside.code -= 1;
            self.flush();
            self.containers.pop();
        } else if self.code.is_some() {
            self.space |= tag.is_block() || self.out.markup.role(node) == Role::Line;
        } else if self.out.markup.role(node).is_block(tag) {
            self.flush();
            self.containers.pop();
        }
        if self.targets.pop_if(|target| *target == node).is_none() {
            self.count(tag, -1);
        }
        // An open block began inside this inline element or before it; it will get the next index.
        let open = self.open.is_some() as u32;
        let end = self.out.blocks.len() as u32 + open;
        let next = self.out.elements.len() as u32;
        let e = &mut self.out.elements[start as usize];
        e.blocks.end = end;
        e.descendants = next - start - 1;
        self.element = parent;
    }

    fn count(&mut self, tag: Tag, by: i32) {
        let i = &mut self.inside;
        if tag.is_preformatted() {
            i.pre = i.pre.saturating_add_signed(by);
        }
        let counter = match tag {
            Tag::A => &mut i.link,
            Tag::B | Tag::STRONG | Tag::EM | Tag::I | Tag::MARK => &mut i.emphasis,
            Tag::CODE | Tag::KBD | Tag::SAMP | Tag::PRE => &mut i.code,
            Tag::NOSCRIPT => &mut i.noscript,
            _ => return,
        };
        *counter = counter.saturating_add_signed(by);
    }

    fn line_break(&mut self, n: NodeId) {
        self.breaks += 1;
        self.space = true;
        let is_border = self.breaks == 2 && self.code.is_none();
        self.event(if is_border { EventKind::EmptyLine } else { EventKind::Void }, n);
        if is_border {
            self.flush();
        } else if let Some(b) = &mut self.open {
            b.breaks += 1;
        }
    }

    fn text_node(&mut self, n: NodeId) {
        let s = self.dom.text(n);
        let is_pre = self.inside.pre > 0 || self.code.is_some();
        let is_blank = is_blank(s);
        let kind = match s {
            // A text of characters that show nothing became empty.
            "" => return,
            _ if !is_pre && self.seen.shows_lines() && s.contains('\n') => EventKind::Lines,
            _ if !is_pre && is_blank => EventKind::Space,
            _ => EventKind::Text,
        };
        let is_amid = self.open.is_some() && !is_pre;
        if !self.space && is_amid && is_after_number(self.dom, n, s) {
            self.event(EventKind::Space, n);
            self.space = true;
        }
        self.event(kind, n);
        if is_blank { self.space = true } else { self.text(n, s) }
    }

    /// Adds a text to the open block, or to a new one.
    pub(super) fn text(&mut self, n: NodeId, s: &str) {
        if is_blank(s) || self.seen.hides_text(n, s) {
            self.space = true;
            return;
        }
        self.breaks = 0;
        self.after_formula = self.after_formula && s.chars().all(|c| c.is_whitespace() || is_zero_width(c));
        let start = self.out.text.len();
        let span = self.dom.span(n);
        if self.open.is_none() {
            let hidden = self.out.elements[self.element as usize].hidden;
            let at = self.out.leaves.len() as u32;
            self.open = Some(Block {
                element: self.element,
                container: self.containers.last().copied().unwrap_or(0),
                text: start as u32..start as u32,
                leaves: at..at,
                span: span.start as u32..span.end as u32,
                chars: 0,
                words: 0,
                link_chars: 0,
                links: std::mem::take(&mut self.links),
                emphasis_chars: 0,
                code_chars: 0,
                formula_chars: 0,
                breaks: 0,
                hidden,
                noscript: self.inside.noscript > 0,
            });
            self.space = false;
            self.in_word = false;
        }
        let Some(b) = &mut self.open else { return };
        self.out.leaves.push(n);
        let (mut chars, mut words) = (0, 0);
        let bytes = s.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let wide = if byte < 128 { None } else { s[at..].chars().next() };
            if wide.map_or(VISIBLE[byte as usize] == 0, char::is_whitespace) {
                self.space = true;
                at += wide.map_or(1, char::len_utf8);
                continue;
            }
            if std::mem::take(&mut self.space) && self.out.text.len() > b.text.start as usize {
                self.out.text.push(' ');
                chars += 1;
                self.in_word = false;
            }
            let run = match wide {
                None => Run::new(&bytes[at..], self.in_word),
                Some(c) => Run::of_char(c, self.in_word),
            };
            self.out.text.push_str(&s[at..at + run.len]);
            at += run.len;
            chars += if wide.is_some() { 1 } else { run.len as u32 };
            words += run.words;
            self.in_word = run.in_word;
        }
        b.chars += chars;
        b.words += words;
        b.link_chars += if self.inside.link > 0 { chars } else { 0 };
        b.emphasis_chars += if self.inside.emphasis > 0 { chars } else { 0 };
        b.code_chars += if self.inside.code > 0 { chars } else { 0 };
        b.span.end = b.span.end.max(span.end as u32);
    }

    /// Ends the open block, if any.
    pub(super) fn flush(&mut self) {
        self.space = false;
        self.breaks = 0;
        self.links = 0;
        if let Some(mut b) = self.open.take() {
            b.text.end = self.out.text.len() as u32;
            b.leaves.end = self.out.leaves.len() as u32;
            self.out.blocks.push(b);
        }
        if !self.notes.is_empty() && !self.in_note {
            self.notes();
        }
    }
}
/// Whether an `<a>` is only the target of links: it has a name and leads nowhere.
fn is_target(dom: &Dom<'_>, n: NodeId) -> bool {
    let mut is_named = false;
    for (name, _) in dom.attributes(n) {
        match name {
            Attr::HREF => return false,
            Attr::NAME => is_named = true,
            _ => {}
        }
    }
    is_named
}
