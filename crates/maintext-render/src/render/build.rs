//! Builds the [`KeptTree`] of the kept content from the walk that [`Blocks`](maintext_page::blocks::Blocks) recorded, so that a leaf holds the words of one
//! text block.
mod code;
mod equations;
mod figures;
mod formulas;
mod frames;
mod icons;
mod inlines;
mod layout;
mod media;
mod notes;
mod pictures;
mod posts;
mod runs;
mod signs;
mod tasks;

use super::Content;
use super::entries::{self, Entries, EntryRole};
use super::lists;
use super::tree::{BlockKind, KeptTree};
use code::Pre;
use figures::{FigurePart, Figures};
use frames::{ContainerFrame, MAX_NESTING};
use layout::{
    flatten_layout_tables, join_wrapped_lists, mark_headers, remove_empty_parts, remove_signs_of_items,
    unwrap_lists_of_sections,
};
use maintext_html::Attr;
use maintext_page::blocks::{Event, EventKind};
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::markup;
use maintext_page::markup::callout::{Callout, is_quotation};
use media::is_media;
use posts::{Relation, relations};

/// White space that is written once something follows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Break,
}

struct RenderTreeBuilder<'a> {
    dom: &'a Dom<'a>,
    tree: KeptTree<'a>,
    /// For each node, whether something below it is written.
    below: Vec<bool>,
    entries: Entries,
    figures: Figures,
    /// The open cell in a table of entries, or line of a heading.
    cell: Option<NodeId>,
    frames: Vec<ContainerFrame>,
    /// The node that the walk has reached.
    at: NodeId,
    leaf: Option<u32>,
    inline: u32,
    /// The open inline elements, each with the markup to return to when it ends.
    inlines: Vec<(NodeId, u32)>,
    headings: Vec<(NodeId, u8)>,
    /// The open block-level elements.
    elements: Vec<NodeId>,
    pre: Option<Pre>,
    gap: Gap,
    /// Whether the last characters were invisible ones.
    invisible: bool,
    /// Whether the last preformatted text was a formula.
    after_formula: bool,
    /// Where the formula ends that began in an earlier text node.
    formula_end: Option<(NodeId, usize)>,
    /// A rule, and its frame, that is written once content follows in that frame.
    rule: Option<(usize, NodeId)>,
    /// The position of each node relative to the posts of a thread.
    relations: Vec<Relation>,
    /// The open post.
    post: Option<u32>,
    signs: signs::OpenSigns,
    notes: notes::FoundReferences<'a>,
}

/// Returns the kept content as a [`KeptTree`].
pub(super) fn tree<'a>(content: &'a Content<'a>) -> KeptTree<'a> {
    let mut b = RenderTreeBuilder {
        dom: content.dom,
        tree: KeptTree::empty(content),
        below: marks(content),
        entries: entries::find(content),
        figures: Figures::find(content),
        cell: None,
        frames: Vec::new(),
        at: NodeId::ROOT,
        leaf: None,
        inline: 0,
        inlines: Vec::new(),
        headings: Vec::new(),
        elements: Vec::new(),
        pre: None,
        gap: Gap::None,
        invisible: false,
        after_formula: false,
        formula_end: None,
        rule: None,
        relations: relations(content),
        post: None,
        signs: signs::OpenSigns::default(),
        notes: notes::FoundReferences::default(),
    };
    b.run();
    let mut tree = b.tree;
    tree.entries = b.entries;
    equations::flatten_equation_tables(&mut tree);
    flatten_layout_tables(&mut tree);
    remove_empty_parts(&mut tree);
    remove_signs_of_items(&mut tree);
    mark_headers(&mut tree);
    join_wrapped_lists(&mut tree);
    unwrap_lists_of_sections(&mut tree);
    pictures::unlink_pictures(&mut tree);
    super::footnote::mark(&mut tree);
    super::title::apply_options(&mut tree);
    tree
}

/// Returns for each node whether it, or something below it, is written.
fn marks(content: &Content<'_>) -> Vec<bool> {
    let dom = content.dom;
    let mut below = vec![false; dom.len()];
    let leaves = content.blocks.leaves.iter().copied().filter(|n| content.keep[n.index()]);
    leaves.chain(media::written(content)).for_each(|n| below[n.index()] = true);
    // The open elements, each with the number of written nodes before it.
    let (mut open, mut written) = (Vec::new(), 0);
    let mut events = content.blocks.events.iter();
    while let Some(&Event { kind, node }) = events.next() {
        match kind {
            EventKind::Open if !content.options.tables && is_table(content, node) => skip(&mut events),
            EventKind::Open | EventKind::Aside => {
                open.push((node, written));
                written += u32::from(below[node.index()]);
            }
            EventKind::Close | EventKind::AsideEnd => {
                below[node.index()] = open.pop().is_some_and(|o| o.1 < written);
            }
            EventKind::Void | EventKind::Text | EventKind::Lines => written += u32::from(below[node.index()]),
            EventKind::Space | EventKind::EmptyLine => {}
        }
    }
    below
}

fn is_table(content: &Content<'_>, n: NodeId) -> bool {
    content.dom.tag(n) == Tag::TABLE && content.blocks.markup.role(n) == markup::Role::Plain
}

/// Moves behind the end of the element that the last event opened.
fn skip<'e>(events: &mut impl Iterator<Item = &'e Event>) {
    let mut depth = 1;
    for event in events {
        match event.kind {
            EventKind::Open | EventKind::Aside => depth += 1,
            EventKind::Close | EventKind::AsideEnd => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

impl<'a> RenderTreeBuilder<'a> {
    fn run(&mut self) {
        let mut events = self.tree.content.blocks.events.iter();
        while let Some(&Event { kind, node }) = events.next() {
            match kind {
                EventKind::Open => {
                    if !self.enter(node) {
                        skip(&mut events);
                    }
                }
                EventKind::Close => self.leave(node),
                EventKind::Void => self.void(node),
                EventKind::Text => self.text(node),
                EventKind::Lines => self.lines(node),
                EventKind::Space => self.space(),
                EventKind::EmptyLine => self.empty_line(),
                EventKind::Aside if self.below[node.index()] && !self.is_copy_of_note(node) => self.enter_aside(node),
                EventKind::Aside => skip(&mut events),
                EventKind::AsideEnd => self.leave_aside(),
            }
        }
        self.flush();
        while self.close_top() {}
    }

    /// Reaches a node.
    fn reach(&mut self, n: NodeId, tag: Tag) {
        self.at = n;
        self.enter_post(n);
        self.enter_figure(n, tag);
    }

    /// Writes the replacement of an element without content.
    fn void(&mut self, n: NodeId) {
        let tag = self.dom.tag(n);
        self.reach(n, tag);
        match self.tree.content.blocks.markup.role(n) {
            _ if tag == Tag::BR => self.line_break(),
            markup::Role::Skip => self.skip(tag),
            markup::Role::Mark => {}
            markup::Role::Formula(number) => self.formula_element(n, tag, number),
            markup::Role::Beside => self.refer_to_note(n),
            markup::Role::Code(number) => self.sorted_code(n, number),
            _ if self.is_in_code() => {}
            _ => {
                if is_media(tag) {
                    self.embed(n, tag);
                }
                if tag.is_block() {
                    if self.cell.is_some() && !self.below[n.index()] {
                        self.gap = self.gap.max(Gap::Space);
                    } else {
                        self.flush();
                    }
                }
            }
        }
    }

    /// Opens an element and returns whether its content is written.
    fn enter(&mut self, n: NodeId) -> bool {
        let tag = self.dom.tag(n);
        self.reach(n, tag);
        let is_block = match self.tree.content.blocks.markup.role(n) {
            markup::Role::Code(number) => return self.enter_code(n, number),
            role if self.is_in_code() => return self.enter_in_code(n, tag, role),
            role => role.is_block(tag),
        };
        match tag {
            Tag::IMG => self.image(n),
            Tag::INPUT => self.checkbox(n),
            _ => {}
        }
        self.stand_in(n, tag);
        let role = self.entries.role(n);
        // The cells of an entry share one line.
        let is_empty = self.cell.is_some() && is_block && !self.below[n.index()];
        if role == Some(EntryRole::Cell) || is_empty || self.is_line_of_heading(tag) {
            self.cell = if is_empty { self.cell } else { Some(n) };
            self.gap = self.gap.max(Gap::Space);
            return !is_empty;
        }
        if !is_block {
            if role == Some(EntryRole::Entry) && self.pre.is_none() && !self.is_glued() {
                self.flush();
                self.elements.push(n);
                self.open(BlockKind::Item, n);
            }
            self.enter_inline(n, tag);
            return true;
        }
        self.flush();
        if tag == Tag::HR {
            self.rule = self.frame_filled().then_some((self.frames.len(), n));
        }
        if !self.below[n.index()] {
            if matches!(tag, Tag::TD | Tag::TH) && self.pre.is_none() && self.top_kind() == Some(BlockKind::Row) {
                self.open(self.cell(n, tag), n);
                if let Some(name) = icons::name(self.dom, n) {
                    self.sign_text(name);
                }
                self.close_top();
            }
            return false;
        }
        self.elements.push(n);
        if self.pre.is_none() {
            self.enter_block(n, tag);
        }
        true
    }

    /// Begins an item, which ends where the next one begins.
    fn enter_row(&mut self, n: NodeId) {
        self.close_implied(BlockKind::Item);
        if matches!(self.top_kind(), Some(BlockKind::List { .. })) && self.frames.len() < MAX_NESTING {
            self.push_frame(BlockKind::Item, n, None);
        }
    }

    fn enter_block(&mut self, n: NodeId, tag: Tag) {
        if self.is_layout(n, tag) {
            return;
        }
        match self.entries.role(n) {
            Some(EntryRole::Entry) => return self.open(BlockKind::Item, n),
            Some(EntryRole::Table) => return self.open(BlockKind::List { ordered: false, start: 1 }, n),
            Some(EntryRole::Row) => return self.enter_row(n),
            _ => {}
        }
        match self.figures.part(n) {
            Some(FigurePart::Figure) => return self.open(BlockKind::Figure, n),
            Some(FigurePart::Caption) if self.top_kind() == Some(BlockKind::Figure) => {
                return self.open(BlockKind::Caption, n);
            }
            _ => {}
        }
        let kind = match tag {
            _ if tag.is_preformatted() && !lists::holds_table(self.dom, n) => {
                self.pre = Some(Pre::new(n, None));
                return;
            }
            Tag::UL | Tag::MENU | Tag::DIR => {
                BlockKind::List { ordered: lists::has_numbered_items(self.dom, n), start: 1 }
            }
            Tag::OL => BlockKind::List { ordered: true, start: lists::start(self.dom, n) },
            Tag::LI => BlockKind::Item,
            Tag::BLOCKQUOTE => match Callout::of(self.dom, n, tag) {
                Some(callout) => BlockKind::Callout(callout),
                None => BlockKind::Quote,
            },
            Tag::TABLE => BlockKind::Table,
            Tag::TR => BlockKind::Row,
            Tag::TD | Tag::TH => self.cell(n, tag),
            Tag::FIGURE => BlockKind::Figure,
            Tag::FIGCAPTION | Tag::CAPTION => BlockKind::Caption,
            Tag::DETAILS => match Callout::of(self.dom, n, tag) {
                Some(callout) => BlockKind::Callout(callout),
                None => BlockKind::Details,
            },
            Tag::SUMMARY => BlockKind::Summary,
            Tag::DL => {
                self.tree.add_bold();
                BlockKind::Glossary
            }
            Tag::DT => BlockKind::Term,
            Tag::DD => BlockKind::Definition,
            Tag::DIV | Tag::ASIDE | Tag::SECTION | Tag::P => match Callout::of(self.dom, n, tag) {
                Some(callout) if !self.holds_notes(n) && !self.may_be_note(n) => BlockKind::Callout(callout),
                Some(_) => BlockKind::Group,
                None if is_quotation(self.dom, n) => BlockKind::Quote,
                None if self.may_be_note(n) => BlockKind::Group,
                None => return self.enter_heading(n, tag),
            },
            _ => return self.enter_heading(n, tag),
        };
        self.open(kind, n);
    }

    /// Begins a heading: an element of HTML, or one with the role.
    fn enter_heading(&mut self, n: NodeId, tag: Tag) {
        let role = || {
            let heading = self.dom.attribute(n, Attr::ROLE).is_some_and(|r| r.eq_ignore_ascii_case("heading"));
            (tag == Tag::DIV && heading).then(|| {
                self.dom.attribute(n, Attr::ARIA_LEVEL).and_then(|l| l.trim().parse().ok()).unwrap_or(2).clamp(1, 6)
            })
        };
        if let Some(level) = tag.heading_level().or_else(role) {
            self.headings.push((n, level));
        }
    }

    /// Whether a block is one of the few lines of a heading, which are one heading: a title with its kicker, a name with its conditions.
    fn is_line_of_heading(&self, tag: Tag) -> bool {
        const MAX_NODES: usize = 100;
        const MAX_LINES: usize = 3;
        const MAX_BYTES: usize = 150;
        let Some(&(heading, _)) = self.headings.last() else { return false };
        if !matches!(tag, Tag::DIV | Tag::P) {
            return false;
        }
        let mut nodes = self.dom.descendants(heading).skip(1);
        let (mut lines, mut bytes) = (0, 0);
        let are_lines = nodes.by_ref().take(MAX_NODES).all(|n| {
            let (tag, text) = (self.dom.tag(n), self.dom.text(n).trim());
            lines += usize::from(tag.is_block());
            bytes += text.len();
            // The sentences of a tip are text.
            !text.ends_with('.') && (!tag.is_block() || matches!(tag, Tag::DIV | Tag::P))
        });
        are_lines && lines <= MAX_LINES && bytes <= MAX_BYTES && nodes.next().is_none()
    }

    fn cell(&self, n: NodeId, tag: Tag) -> BlockKind {
        BlockKind::Cell {
            header: tag == Tag::TH,
            cols: span(self.dom, n, "colspan"),
            rows: span(self.dom, n, "rowspan"),
        }
    }

    fn leave(&mut self, n: NodeId) {
        if self.inlines.last().is_some_and(|i| i.0 == n) {
            self.close_sign(n);
            self.inline = self.inlines.pop().map_or(0, |i| i.1);
        }
        if self.is_in_code() {
            self.leave_in_code(n);
        }
        if self.cell == Some(n) {
            self.cell = None;
            self.gap = self.gap.max(Gap::Space);
        }
        // A card that is one link is inline, yet it still separates blocks.
        if self.elements.last() != Some(&n) {
            return;
        }
        self.elements.pop();
        if self.pre.as_ref().is_some_and(|p| p.owner == n) {
            self.pre = None;
            self.leaf = None;
        }
        self.flush();
        if self.headings.last().is_some_and(|h| h.0 == n) {
            self.headings.pop();
        }
        // Implied frames above the element's own frame end with it.
        while let Some(own) = self.frames.iter().rposition(|f| f.owner.is_some()) {
            if self.frames[own].owner != Some(n) {
                break;
            }
            while self.frames.len() > own {
                self.close_top();
            }
        }
    }

    /// Returns the leaf that receives text, opening one if needed.
    fn open_leaf(&mut self) -> u32 {
        if let Some(leaf) = self.leaf {
            return leaf;
        }
        let kind = match (&self.pre, self.headings.last()) {
            (Some(_), _) => BlockKind::Pre,
            (None, Some(&(_, level))) => BlockKind::Heading(level),
            (None, None) => BlockKind::Paragraph,
        };
        let node = match &self.pre {
            Some(p) => p.owner,
            None => self.elements.last().copied().unwrap_or(NodeId::ROOT),
        };
        self.close_implied(kind);
        self.imply_parent(kind, node);
        self.write_rule();
        let leaf = self.push_block(kind, node);
        if let Some(f) = self.frames.last_mut() {
            f.filled = true;
        }
        self.gap = Gap::None;
        self.leaf = Some(leaf);
        leaf
    }

    /// Ends the leaf, as a block-level border does.
    fn flush(&mut self) {
        if let Some(pre) = &mut self.pre {
            if !pre.gap.contains('\n') {
                pre.gap.push('\n');
            }
            return;
        }
        self.gap = Gap::None;
        self.leaf = None;
    }

    fn line_break(&mut self) {
        if let Some(pre) = &mut self.pre {
            return pre.line_break();
        }
        if self.formula_end.is_none() {
            self.gap = Gap::Break;
        }
    }

    /// Ends the leaf at an empty line.
    fn empty_line(&mut self) {
        match &mut self.pre {
            Some(pre) => pre.line_break(),
            None if self.formula_end.is_none() => self.flush(),
            None => {}
        }
    }

    /// Separates words.
    fn space(&mut self) {
        match &mut self.pre {
            Some(pre) => pre.gap.push(' '),
            None if self.formula_end.is_none() => self.gap = self.gap.max(Gap::Space),
            None => {}
        }
    }

    fn is_written(&self, n: NodeId) -> bool {
        self.below[n.index()]
    }
}

fn span(dom: &Dom, n: NodeId, name: &str) -> u16 {
    dom.attr(n, name).and_then(|s| s.trim().parse::<u16>().ok()).unwrap_or(1).clamp(1, 1000)
}
