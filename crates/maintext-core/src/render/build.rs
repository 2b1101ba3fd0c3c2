//! Builds the [`Tree`] of the kept content in one walk over the page's tree.
//!
//! White space and block borders follow the rules of [`Blocks`](crate::blocks::Blocks) exactly, so that a leaf
//! holds the words of one text block.
mod code;
mod equations;
mod figures;
mod layout;
mod media;
mod notes;
mod posts;
mod signs;

use super::Content;
use super::callout::Callout;
use super::entries::{self, Entries, Role};
use super::lists;
use super::tree::{Block, Kind, Mark, NOWHERE, Run, RunKind, Tree};
use crate::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use crate::markup;
use crate::markup::seams::is_seam;
use code::Pre;
use figures::{Figures, Part};
use layout::{flatten_layout_tables, join_wrapped_lists, mark_headers, remove_empty_parts};
use maintext_html::Attr;
use posts::{Place, places};

/// Lists, quotes and other containers that nest deeper are written flat: indenting every line would make the output
/// larger than linear in the size of the page.
const MAX_NESTING: usize = 16;

/// Characters that show nothing and only permit or forbid a line break: the soft hyphen, the zero-width space, the word joiner, the byte order
/// mark.
const ZERO_WIDTH: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// White space that is written once something follows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Break,
}

/// An open container. It has no owner if its content implied it.
struct Frame {
    block: u32,
    owner: Option<NodeId>,
    /// The last item of a list.
    last_item: Option<u32>,
    /// Whether it has content.
    filled: bool,
}

struct Builder<'a> {
    dom: &'a Dom<'a>,
    tree: Tree<'a>,
    /// For each node, whether something below it is written.
    below: Vec<bool>,
    entries: Entries,
    figures: Figures,
    /// The open entry: a heading in it is the title of an item.
    entry: Option<NodeId>,
    /// The open cell in a table of entries.
    cell: Option<NodeId>,
    frames: Vec<Frame>,
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
    breaks: u32,
    /// Whether the last preformatted text was a formula.
    after_formula: bool,
    /// Where the formula ends that began in an earlier text node.
    formula_end: Option<(NodeId, usize)>,
    /// A rule, and its frame, that is written once content follows in that frame.
    rule: Option<(usize, NodeId)>,
    /// The position of each node relative to the posts of a thread.
    places: Vec<Place>,
    /// The open post.
    post: Option<u32>,
    signs: signs::Signs,
    notes: notes::Beside<'a>,
}

/// Returns the kept content as a [`Tree`].
pub(super) fn tree<'a>(content: &'a Content<'a>) -> Tree<'a> {
    let mut b = Builder {
        dom: content.dom,
        tree: Tree::empty(content),
        below: marks(content),
        entries: entries::find(content),
        figures: Figures::find(content),
        entry: None,
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
        breaks: 0,
        after_formula: false,
        formula_end: None,
        rule: None,
        places: places(content),
        post: None,
        signs: signs::Signs::default(),
        notes: notes::Beside::default(),
    };
    b.run();
    let mut tree = b.tree;
    tree.entries = b.entries;
    equations::flatten_equation_tables(&mut tree);
    flatten_layout_tables(&mut tree);
    remove_empty_parts(&mut tree);
    mark_headers(&mut tree);
    join_wrapped_lists(&mut tree);
    super::footnote::settle(&mut tree);
    super::title::settle(&mut tree);
    tree
}

/// Marks the ancestors of everything that is written. Each node is visited once.
fn marks(content: &Content<'_>) -> Vec<bool> {
    const UNKNOWN: u8 = 0;
    const YES: u8 = 1;
    const NO: u8 = 2;
    let dom = content.dom;
    let mut state = vec![UNKNOWN; dom.len()];
    let mut path = Vec::new();
    let kept = content.blocks.leaves.iter().copied().filter(|n| content.keep[n.index()]).chain(media::written(content));
    for leaf in kept {
        let mut verdict = YES;
        let mut at = Some(leaf);
        while let Some(n) = at {
            if state[n.index()] != UNKNOWN {
                verdict = state[n.index()];
                break;
            }
            path.push(n);
            if !content.options.tables
                && dom.tag(n) == Tag::TABLE
                && content.blocks.markup.role(n) == markup::Role::Plain
            {
                verdict = NO;
                break;
            }
            at = dom.parent(n);
        }
        for n in path.drain(..) {
            state[n.index()] = verdict;
        }
    }
    state.into_iter().map(|s| s == YES).collect()
}

impl<'a> Builder<'a> {
    fn run(&mut self) {
        self.walk(NodeId::ROOT);
        self.flush();
        while self.close_top() {}
    }

    /// Walks over the nodes below `root`.
    fn walk(&mut self, root: NodeId) {
        let mut walk = self.dom.traverse(root);
        walk.next();
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Enter(n) => match self.dom.kind(n) {
                    NodeKind::Text => self.text(n),
                    NodeKind::Element if self.enter(n) => {}
                    NodeKind::Document => {}
                    _ => walk.skip_children(),
                },
                Edge::Leave(n) if self.dom.kind(n) == NodeKind::Element && n != root => self.leave(n),
                Edge::Leave(_) => {}
            }
        }
    }

    /// Opens a node and returns whether to walk its children.
    fn enter(&mut self, n: NodeId) -> bool {
        let tag = self.dom.tag(n);
        self.at = n;
        self.enter_post(n);
        self.enter_figure(n, tag);
        if tag == Tag::BR {
            self.line_break();
            return false;
        }
        let role = self.tree.content.blocks.markup.role(n);
        match role {
            markup::Role::Skip => {
                self.skip(tag);
                return false;
            }
            markup::Role::Formula(number) => {
                self.formula_element(n, tag, number);
                return false;
            }
            markup::Role::Beside => {
                self.enter_note(n);
                return false;
            }
            markup::Role::Code(number) => return self.enter_code(n, number),
            _ if self.is_in_code() => return self.enter_in_code(n, tag, role),
            _ => {}
        }
        match tag {
            Tag::IMG => self.image(n),
            Tag::VIDEO | Tag::AUDIO | Tag::IFRAME | Tag::EMBED | Tag::OBJECT | Tag::SCRIPT => self.embed(n, tag),
            Tag::INPUT => self.checkbox(n),
            _ => {}
        }
        self.stand_in(n, tag);
        let role = self.entries.role(n);
        // The cells of an entry share one line.
        let is_empty = self.cell.is_some() && tag.is_block() && !self.below[n.index()];
        if role == Some(Role::Cell) || is_empty {
            self.cell = if is_empty { self.cell } else { Some(n) };
            self.gap = self.gap.max(Gap::Space);
            return !is_empty;
        }
        if !tag.is_block() {
            if tag.is_skipped() {
                return false;
            }
            if role == Some(Role::Entry) && self.pre.is_none() {
                self.flush();
                self.elements.push(n);
                self.enter_entry(n);
            }
            if self.gap == Gap::None && self.leaf.is_some() && is_seam(self.dom, n, tag) {
                self.gap = Gap::Space;
            }
            self.enter_inline(n, tag);
            return true;
        }
        self.flush();
        if tag.is_skipped() {
            return false;
        }
        if tag == Tag::HR {
            self.rule = self.frame_filled().then_some((self.frames.len(), n));
        }
        if !self.below[n.index()] {
            if matches!(tag, Tag::TD | Tag::TH) && self.pre.is_none() && self.top_kind() == Some(Kind::Row) {
                self.open(self.cell(n, tag), n);
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

    fn enter_entry(&mut self, n: NodeId) {
        self.entry.get_or_insert(n);
        self.open(Kind::Item, n);
    }

    /// Begins an item, which ends where the next one begins.
    fn enter_row(&mut self, n: NodeId) {
        self.close_implied(Kind::Item);
        if matches!(self.top_kind(), Some(Kind::List { .. })) && self.frames.len() < MAX_NESTING {
            self.push_frame(Kind::Item, n, None);
        }
    }

    fn enter_block(&mut self, n: NodeId, tag: Tag) {
        if self.is_layout(n, tag) {
            return;
        }
        match self.entries.role(n) {
            Some(Role::Entry) => return self.enter_entry(n),
            Some(Role::Table) => return self.open(Kind::List { ordered: false, start: 1 }, n),
            Some(Role::Row) => return self.enter_row(n),
            _ => {}
        }
        match self.figures.part(n) {
            Some(Part::Figure) => return self.open(Kind::Figure, n),
            Some(Part::Caption) if self.top_kind() == Some(Kind::Figure) => return self.open(Kind::Caption, n),
            _ => {}
        }
        let kind = match tag {
            Tag::PRE | Tag::XMP => {
                self.pre = Some(Pre::new(n, None));
                return;
            }
            Tag::UL | Tag::MENU | Tag::DIR => Kind::List { ordered: false, start: 1 },
            Tag::OL => Kind::List { ordered: true, start: lists::start(self.dom, n) },
            Tag::LI => Kind::Item,
            Tag::BLOCKQUOTE => match Callout::of(self.dom, n, tag) {
                Some(callout) => Kind::Callout(callout),
                None => Kind::Quote,
            },
            Tag::TABLE => Kind::Table,
            Tag::TR => Kind::Row,
            Tag::TD | Tag::TH => self.cell(n, tag),
            Tag::FIGURE => Kind::Figure,
            Tag::FIGCAPTION | Tag::CAPTION => Kind::Caption,
            Tag::DETAILS => match Callout::of(self.dom, n, tag) {
                Some(callout) => Kind::Callout(callout),
                None => Kind::Details,
            },
            Tag::SUMMARY => Kind::Summary,
            Tag::DL => {
                self.tree.add_bold();
                Kind::Glossary
            }
            Tag::DT => Kind::Term,
            Tag::DD => Kind::Definition,
            Tag::DIV | Tag::ASIDE | Tag::SECTION | Tag::P => match Callout::of(self.dom, n, tag) {
                Some(callout) => Kind::Callout(callout),
                None if self.may_be_note(n) => Kind::Group,
                None => return self.enter_heading(n, tag),
            },
            _ => return self.enter_heading(n, tag),
        };
        self.open(kind, n);
    }

    /// Makes the open item a task if the checkbox is its box: nothing is written before it.
    fn checkbox(&mut self, n: NodeId) {
        let Some(f) = self.frames.last().filter(|f| !f.filled) else { return };
        if self.top_kind() == Some(Kind::Item)
            && let Some(done) = lists::checkbox(self.dom, n)
        {
            self.set_task(f.block, done);
        }
    }

    fn set_task(&mut self, item: u32, done: bool) {
        while self.tree.tasks.last().is_some_and(|t| t.0 >= item) {
            self.tree.tasks.pop();
        }
        self.tree.tasks.push((item, done));
    }

    /// Begins a heading: an element of HTML, or one with the role.
    fn enter_heading(&mut self, n: NodeId, tag: Tag) {
        let role = || {
            let heading = self.dom.attribute(n, Attr::ROLE).is_some_and(|r| r.eq_ignore_ascii_case("heading"));
            let level = || self.dom.attribute(n, Attr::ARIA_LEVEL).and_then(|l| l.trim().parse().ok());
            (tag == Tag::DIV && heading).then(|| level().unwrap_or(2).clamp(1, 6))
        };
        if let Some(level) = tag.heading_level().or_else(role).filter(|_| self.entry.is_none()) {
            self.headings.push((n, level));
        }
    }

    fn cell(&self, n: NodeId, tag: Tag) -> Kind {
        let span = |name| self.dom.attr(n, name).and_then(|s| s.trim().parse::<u16>().ok()).unwrap_or(1).clamp(1, 1000);
        Kind::Cell { header: tag == Tag::TH, cols: span("colspan"), rows: span("rowspan") }
    }

    fn enter_inline(&mut self, n: NodeId, tag: Tag) {
        if !self.below[n.index()] {
            return;
        }
        let mark = match Mark::of(tag) {
            Some(mark) => mark,
            None if tag == Tag::SPAN && self.dom.attrs(n).any(|(name, _)| matches!(name, "lang" | "dir")) => {
                Mark::Other(tag)
            }
            None => return,
        };
        let mut href = 0..0;
        if mark == Mark::Link {
            let content = self.tree.content;
            let address = self.dom.attr(n, "href").filter(|_| content.options.links);
            let Some(address) = address.filter(|a| !self.is_own_address(n, a)) else { return };
            let Some(mut resolved) = crate::address::resolve(address, content.base) else { return };
            // The mark that the script of embedded posts adds to their links.
            if let Some(end) = resolved.find("?ref_src=twsrc") {
                resolved.truncate(end);
            }
            let outside = || crate::address::is_external(&resolved, content.base);
            let refers =
                || super::footnote::is_label(self.dom, n) && crate::address::fragment(address, content.base).is_some();
            if content.options.external_links && !outside() && !refers() {
                return;
            }
            self.expect_note(n, address);
            href = self.push_str(&resolved);
        }
        if let Some(inline) = self.tree.push_inline(self.inline, mark, (n, href), self.gap == Gap::None) {
            self.inlines.push((n, self.inline));
            self.inline = inline;
            self.open_sign(n, tag);
        }
    }

    /// Whether a link at a heading gives nothing but the heading's own address.
    fn is_own_address(&self, link: NodeId, href: &str) -> bool {
        /// Most nodes between a link and the heading that it holds.
        const REACH: usize = 6;
        let heads = |n: NodeId| self.dom.tag(n).heading_level().is_some();
        if self.headings.is_empty() {
            return href.starts_with('#') && self.dom.descendants(link).take(REACH).any(heads);
        }
        crate::address::leads_here(href, self.tree.content.base)
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
        self.entry = self.entry.filter(|e| *e != n);
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

    fn top_kind(&self) -> Option<Kind> {
        self.frames.last().map(|f| self.tree.blocks[f.block as usize].kind)
    }

    fn frame_filled(&self) -> bool {
        match self.frames.last() {
            Some(f) => f.filled,
            None => !self.tree.blocks.is_empty(),
        }
    }

    /// Opens a container and the frames that it implies. A container that is not allowed here is left out; its content is written without it.
    fn open(&mut self, kind: Kind, n: NodeId) {
        self.open_for(kind, n, n);
    }

    /// Like [`Builder::open`], for a container that ends with another element.
    fn open_for(&mut self, kind: Kind, n: NodeId, owner: NodeId) {
        self.close_implied(kind);
        let top = self.top_kind();
        let fits = match kind {
            Kind::Row => top == Some(Kind::Table),
            Kind::Cell { .. } => top == Some(Kind::Row),
            Kind::Term | Kind::Definition => top == Some(Kind::Glossary),
            Kind::Caption => matches!(top, Some(Kind::Figure | Kind::Table)),
            Kind::Summary => top == Some(Kind::Details),
            _ => true,
        };
        if !fits || self.frames.len() >= MAX_NESTING {
            return;
        }
        if kind == Kind::Item && !matches!(top, Some(Kind::List { .. })) {
            let list = Kind::List { ordered: false, start: 1 };
            self.imply_parent(list, n);
            self.push_frame(list, n, None);
        } else {
            self.imply_parent(kind, n);
        }
        self.push_frame(kind, n, Some(owner));
        if kind == Kind::Item
            && let Some(done) = lists::stated_task(self.dom, n)
            && let Some(f) = self.frames.last()
        {
            self.set_task(f.block, done);
        }
    }

    /// Ends the implied frames that cannot hold `kind`.
    fn close_implied(&mut self, kind: Kind) {
        while let Some(f) = self.frames.last().filter(|f| f.owner.is_none()) {
            let stays = match self.tree.blocks[f.block as usize].kind {
                Kind::List { .. } => kind == Kind::Item,
                Kind::Item => kind != Kind::Item,
                Kind::Definition => !matches!(kind, Kind::Term | Kind::Definition),
                _ => true,
            };
            if stays {
                return;
            }
            self.close_top();
        }
    }

    /// Opens the item that content of a list needs: a nested list joins the previous item, everything else gets a new one.
    fn imply_parent(&mut self, kind: Kind, n: NodeId) {
        match self.top_kind() {
            Some(Kind::List { .. }) if kind != Kind::Item => {
                let last = self.frames.last().and_then(|f| f.last_item);
                match (kind, last) {
                    (Kind::List { .. }, Some(item)) => {
                        self.frames.push(Frame { block: item, owner: None, last_item: None, filled: true });
                    }
                    _ => self.push_frame(Kind::Item, n, None),
                }
            }
            Some(Kind::Glossary) if !matches!(kind, Kind::Term | Kind::Definition) => {
                self.push_frame(Kind::Definition, n, None);
            }
            _ => {}
        }
    }

    fn push_frame(&mut self, kind: Kind, n: NodeId, owner: Option<NodeId>) {
        self.write_rule();
        let block = self.push_block(kind, n);
        if let Some(f) = self.frames.last_mut() {
            f.filled = true;
            if kind == Kind::Item {
                f.last_item = Some(block);
            }
        }
        self.frames.push(Frame { block, owner, last_item: None, filled: false });
    }

    fn push_block(&mut self, kind: Kind, node: NodeId) -> u32 {
        let at = self.tree.blocks.len() as u32;
        let runs = self.tree.runs.len() as u32;
        self.tree.blocks.push(Block { kind, node, end: at + 1, runs: runs..runs, source: NOWHERE });
        at
    }

    /// Ends the innermost container and removes it if it is empty, unless it is a cell.
    fn close_top(&mut self) -> bool {
        let Some(f) = self.frames.pop() else { return false };
        let len = self.tree.blocks.len() as u32;
        let is_cell = matches!(self.tree.blocks[f.block as usize].kind, Kind::Cell { .. });
        if f.block + 1 == len && !is_cell {
            self.tree.blocks.truncate(f.block as usize);
            if let Some(parent) = self.frames.last_mut().filter(|p| p.last_item == Some(f.block)) {
                parent.last_item = None;
            }
        } else {
            self.tree.blocks[f.block as usize].end = len;
        }
        true
    }

    /// Writes the pending rule if it still separates two parts of the same frame.
    fn write_rule(&mut self) {
        let Some((depth, n)) = self.rule.take() else { return };
        let divides = !matches!(
            self.top_kind(),
            Some(Kind::List { .. } | Kind::Table | Kind::Row | Kind::Cell { .. } | Kind::Glossary | Kind::Caption)
        );
        if depth == self.frames.len() && divides && self.frame_filled() {
            self.push_block(Kind::Rule, n);
        }
    }

    /// Returns the leaf that receives text, opening one if needed.
    fn open_leaf(&mut self) -> u32 {
        if let Some(leaf) = self.leaf {
            return leaf;
        }
        let kind = match (&self.pre, self.headings.last()) {
            (Some(_), _) => Kind::Pre,
            (None, Some(&(_, level))) => Kind::Heading(level),
            (None, None) => Kind::Paragraph,
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
        self.breaks = 0;
        if let Some(pre) = &mut self.pre {
            if !pre.gap.contains('\n') {
                pre.gap.push('\n');
            }
            return;
        }
        self.gap = Gap::None;
        self.leaf = None;
        self.write_notes();
    }

    fn line_break(&mut self) {
        if let Some(pre) = &mut self.pre {
            return pre.line_break();
        }
        if self.formula_end.is_some() {
            return;
        }
        self.breaks += 1;
        self.gap = Gap::Break;
        if self.breaks == 2 {
            self.flush();
        }
    }

    fn text(&mut self, n: NodeId) {
        let s = self.dom.text(n);
        self.at = n;
        self.enter_post(n);
        if self.pre.is_some() {
            self.after_formula &= s.trim().is_empty();
            return self.code_text(n, s);
        }
        let markup = &self.tree.content.blocks.markup;
        if self.formula_end.is_none() && markup.role(n) == markup::Role::Plain {
            return self.piece(n, s);
        }
        let mut at = 0;
        if let Some((last, end)) = self.formula_end {
            if last != n {
                return;
            }
            self.formula_end = None;
            at = end;
        }
        for f in markup.delimited(n) {
            self.piece(n, &s[at..f.first.1]);
            if self.is_written(n) && !f.tex.is_empty() {
                self.math(&f.tex, f.display, None);
            }
            at = f.last.1;
            if f.last.0 != n {
                return self.formula_end = Some(f.last);
            }
        }
        self.piece(n, &s[at..]);
    }

    /// Writes a part of a text node.
    fn piece(&mut self, n: NodeId, s: &str) {
        let mut rest = s.trim_start();
        if rest.is_empty() {
            return self.gap = self.gap.max(if s.is_empty() { Gap::None } else { Gap::Space });
        }
        self.breaks = 0;
        if !self.is_written(n) {
            return self.gap = self.gap.max(Gap::Space);
        }
        if rest.len() < s.len() {
            self.gap = self.gap.max(Gap::Space);
        }
        if rest.starts_with(ZERO_WIDTH) && rest.chars().all(|c| c.is_whitespace() || ZERO_WIDTH.contains(&c)) {
            self.invisible = true;
            return self.gap = if s.contains(char::is_whitespace) { self.gap.max(Gap::Space) } else { self.gap };
        }
        self.open_leaf();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(collapsed(rest));
            if !piece.is_empty() {
                if std::mem::take(&mut self.invisible) && self.gap == Gap::None && self.separates(piece) {
                    self.gap = Gap::Space;
                }
                self.write_gap();
                self.push_run(RunKind::Text, piece);
            }
            let visible = after.trim_start_matches(ZERO_WIDTH);
            rest = visible.trim_start();
            self.invisible = visible.len() < after.len();
            if !rest.is_empty() && (!self.invisible || rest.len() < visible.len()) {
                self.gap = Gap::Space;
            }
        }
        self.gap = Gap::None;
        if s.ends_with(char::is_whitespace) {
            self.gap = Gap::Space;
        }
    }

    /// Whether the invisible characters before a piece of text separate words: a capital follows a small letter or a digit.
    fn separates(&self, piece: &str) -> bool {
        let small = |c: char| c.is_lowercase() || c.is_ascii_digit();
        let last = self.last_run().and(self.tree.runs.last());
        piece.starts_with(char::is_uppercase) && last.is_some_and(|r| self.tree.slice(&r.text).ends_with(small))
    }

    fn is_written(&self, n: NodeId) -> bool {
        self.below[n.index()]
    }

    /// Writes a formula; one that is a block-level element ends the leaf before and behind it.
    fn formula_element(&mut self, n: NodeId, tag: Tag, number: u32) {
        if !tag.is_block() {
            return self.formula(n, number);
        }
        if self.is_in_code() {
            return self.formula_in_code(n, number);
        }
        if self.cell.is_some() {
            self.gap = self.gap.max(Gap::Space);
            self.formula(n, number);
            self.gap = self.gap.max(Gap::Space);
            return;
        }
        self.flush();
        self.elements.push(n);
        self.formula(n, number);
        self.elements.pop();
        self.flush();
    }

    fn formula(&mut self, n: NodeId, number: u32) {
        let markup::math::Formula { tex, display, math } = self.tree.content.blocks.markup.formula(number);
        if let Some(pre) = &mut self.pre {
            let apart = *display || self.after_formula;
            if apart && self.leaf.is_some() {
                pre.gap.push(' ');
            }
            let tex = if tex.is_empty() { " " } else { tex };
            self.preformatted(tex, self.is_written(n));
            if let Some(pre) = self.pre.as_mut().filter(|_| *display) {
                pre.gap.push(' ');
            }
            return self.after_formula = true;
        }
        if tex.is_empty() || !self.is_written(n) {
            return self.gap = self.gap.max(Gap::Space);
        }
        self.math(tex, *display, *math);
    }

    fn math(&mut self, tex: &str, display: bool, math: Option<NodeId>) {
        self.breaks = 0;
        self.open_leaf();
        // Two adjacent formulas are two words, and a displayed one stands alone.
        let after_formula =
            self.last_run().is_some() && self.tree.runs.last().is_some_and(|r| matches!(r.kind, RunKind::Math { .. }));
        if display || after_formula {
            self.gap = self.gap.max(Gap::Space);
        }
        self.write_gap();
        self.push_run(RunKind::Math { display, math }, tex);
        if display {
            self.gap = Gap::Space;
        }
    }

    fn push_str(&mut self, s: &str) -> std::ops::Range<u32> {
        let from = self.tree.text.len() as u32;
        self.tree.text.push_str(s);
        from..self.tree.text.len() as u32
    }

    /// Writes the gap under the markup that both sides share, so that no markup begins or ends with a space.
    fn write_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        let Some(last) = self.last_run() else { return };
        let inline = self.tree.common_inline(last, self.inline);
        match gap {
            Gap::None => {}
            Gap::Space => self.push_run_in(RunKind::Text, " ", inline),
            Gap::Break => self.push_run_in(RunKind::Break, "", inline),
        }
    }

    /// Returns the markup of the last run of the open leaf.
    fn last_run(&self) -> Option<u32> {
        let leaf = self.leaf?;
        let has = !self.tree.blocks[leaf as usize].runs.is_empty();
        self.tree.runs.last().filter(|_| has).map(|r| r.inline)
    }

    fn push_run(&mut self, kind: RunKind, s: &str) {
        if let Some(sign) = self.signs.take_opening(s) {
            self.push_run_in(RunKind::Sign, sign, self.inline);
        }
        self.push_run_in(kind, s, self.inline);
    }

    fn push_run_in(&mut self, kind: RunKind, s: &str, inline: u32) {
        let Some(leaf) = self.leaf else { return };
        let text = self.push_str(s);
        let (bytes, source) = (self.dom.span(self.at), &mut self.tree.blocks[leaf as usize].source);
        *source = source.start.min(bytes.start as u32)..source.end.max(bytes.end as u32);
        if kind == RunKind::Text
            && self.last_run() == Some(inline)
            && let Some(last) = self.tree.runs.last_mut()
            && last.kind == RunKind::Text
            && last.text.end == text.start
        {
            last.text.end = text.end;
            return;
        }
        self.tree.runs.push(Run { kind, inline, text });
        self.tree.blocks[leaf as usize].runs.end = self.tree.runs.len() as u32;
    }
}

/// Returns the length of the prefix of `s` that can be copied unchanged: it ends at the first white space that is not
/// a single space between two words. `s` must not begin with white space.
fn collapsed(s: &str) -> usize {
    let bytes = s.as_bytes();
    let is_graphic = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_graphic);
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        if b.is_ascii_graphic() || *b == b' ' && is_graphic(at + 1) {
            at += 1;
            continue;
        }
        match s[at..].chars().next() {
            Some(c) if !c.is_whitespace() && !ZERO_WIDTH.contains(&c) => at += c.len_utf8(),
            _ => break,
        }
    }
    at
}
