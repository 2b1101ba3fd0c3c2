//! The kept content as a small tree of blocks, from which every format is written.
//!
//! Blocks are stored in one vector in document order. A subtree is the range up to its block's `end`, so every walk is a scan with
//! a short stack. The tree holds only content that a writer can show: `<div>` and similar elements produce no block. Inline markup is a chain
//! of [`Inline`]s that each run of text refers to; a chain holds each kind of markup at most once.
use super::Content;
use super::entries::{Entries, EntryRole};
use maintext_page::dom::{NodeId, Tag};
use maintext_page::embed::Medium;
use maintext_page::markup::callout::Callout;
use std::ops::Range;

/// The kind of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockKind {
    /// Holds its children and has no meaning of its own: the parts of a layout table.
    Group,
    List {
        ordered: bool,
        start: u32,
    },
    Item,
    Quote,
    /// A box with a note or a warning.
    Callout(Callout),
    Table,
    Row,
    Cell {
        header: bool,
        cols: u16,
        rows: u16,
    },
    Figure,
    /// The caption of a figure or a table.
    Caption,
    Details,
    Summary,
    /// A definition list, with its terms and definitions.
    Glossary,
    Term,
    Definition,
    /// A list of notes.
    Notes,
    /// A note, by its number in [`KeptTree::notes`].
    Note(u32),
    /// A post of a thread, by its number in [`Content::posts`].
    Post(u32),
    /// A leaf, like all kinds below: it has runs and no children.
    Paragraph,
    /// The author and date of a post.
    Byline,
    /// A note of one paragraph, by its number.
    NoteText(u32),
    /// The label of a note on a line of its own, which only text writes.
    Label,
    Heading(u8),
    /// Preformatted text: white space is kept.
    Pre,
    Rule,
}

impl BlockKind {
    pub(super) fn is_leaf(self) -> bool {
        matches!(
            self,
            BlockKind::Paragraph
                | BlockKind::Byline
                | BlockKind::NoteText(_)
                | BlockKind::Label
                | BlockKind::Heading(_)
                | BlockKind::Pre
                | BlockKind::Rule
        )
    }
}

/// A block.
#[derive(Clone, Debug)]
pub(super) struct TreeBlock {
    pub(super) kind: BlockKind,
    /// The element that it comes from; for a leaf, the nearest block-level element.
    pub(super) node: NodeId,
    /// One past the last block of its subtree.
    pub(super) end: u32,
    /// The entries of [`KeptTree::runs`] that belong to a leaf.
    pub(super) runs: Range<u32>,
    /// The bytes of the page's source that hold the content of a leaf; [`NOWHERE`] for other blocks.
    pub(super) source: Range<u32>,
}

/// No bytes at all: the empty range that any other one widens.
pub(super) const NOWHERE: Range<u32> = Range { start: u32::MAX, end: 0 };

/// Inline markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InlineMark {
    Root,
    Link,
    Strong,
    Emphasis,
    Code,
    Strike,
    Sub,
    Sup,
    /// Markup that only HTML shows, written under its own name.
    Other(Tag),
}

/// The elements of [`InlineMark::Other`]; a `<span>` is one if it states a language.
const OTHER_MARKS: [Tag; 16] = [
    Tag::U,
    Tag::KBD,
    Tag::INS,
    Tag::MARK,
    Tag::SMALL,
    Tag::Q,
    Tag::CITE,
    Tag::DFN,
    Tag::ABBR,
    Tag::TIME,
    Tag::VAR,
    Tag::BDI,
    Tag::BDO,
    Tag::RUBY,
    Tag::RT,
    Tag::RP,
];

impl InlineMark {
    /// Returns the inline markup that an element produces.
    pub(super) fn of(tag: Tag) -> Option<InlineMark> {
        Some(match tag {
            Tag::A => InlineMark::Link,
            Tag::B | Tag::STRONG => InlineMark::Strong,
            Tag::I | Tag::EM => InlineMark::Emphasis,
            Tag::CODE | Tag::TT | Tag::SAMP => InlineMark::Code,
            Tag::DEL | Tag::S | Tag::STRIKE => InlineMark::Strike,
            Tag::SUB => InlineMark::Sub,
            Tag::SUP => InlineMark::Sup,
            _ if OTHER_MARKS.contains(&tag) => InlineMark::Other(tag),
            _ => return None,
        })
    }

    /// Returns a mask with one bit per kind.
    fn bit(self) -> u32 {
        1 << match self {
            InlineMark::Root => return 0,
            InlineMark::Link => 0,
            InlineMark::Strong => 1,
            InlineMark::Emphasis => 2,
            InlineMark::Code => 3,
            InlineMark::Strike => 4,
            InlineMark::Sub => 5,
            InlineMark::Sup => 6,
            InlineMark::Other(tag) => 7 + OTHER_MARKS.iter().position(|t| *t == tag).unwrap_or(OTHER_MARKS.len()),
        }
    }
}

/// An inline element around runs. Index 0 of [`KeptTree::inlines`] is the root, which has no markup.
#[derive(Clone, Debug)]
pub(super) struct Inline {
    pub(super) mark: InlineMark,
    pub(super) parent: u32,
    pub(super) node: NodeId,
    /// The address of a link, or the time in a byline, as bytes of [`KeptTree::text`].
    pub(super) href: Range<u32>,
    depth: u8,
    /// The kinds of markup in the chain up to the root.
    kinds: u32,
}

/// The kind of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RunKind {
    Text,
    /// Characters that stand for markup in formats without it: the marks of `<q>`, the parentheses of ruby text.
    Sign,
    /// A reference to a note, by its number; `Run::text` is the text on the page, `""` if a style sheet numbers the notes.
    Reference(u32),
    /// The label at the beginning of a note, and more runs of a reference: only text writes them.
    Label,
    Break,
    /// An image; `Run::text` is its address.
    Image(NodeId),
    /// A video, audio, or another embedded part; `Run::text` is its address.
    Media {
        node: NodeId,
        medium: Medium,
        /// Where its title begins, which ends where the address begins.
        title: u32,
    },
    /// A formula; `Run::text` is TeX.
    Math {
        display: bool,
        /// The `<math>` element, if the page has one.
        math: Option<NodeId>,
    },
}

/// A piece of a leaf under the same inline markup.
#[derive(Clone, Debug)]
pub(super) struct InlineRun {
    pub(super) kind: RunKind,
    /// Index of [`KeptTree::inlines`].
    pub(super) inline: u32,
    /// Bytes of [`KeptTree::text`].
    pub(super) text: Range<u32>,
}

/// The kept content. See the [module documentation](self).
pub(super) struct KeptTree<'a> {
    pub(super) content: &'a Content<'a>,
    pub(super) blocks: Vec<TreeBlock>,
    pub(super) runs: Vec<InlineRun>,
    pub(super) inlines: Vec<Inline>,
    pub(super) text: String,
    /// The entries of the page's lists.
    pub(super) entries: Entries,
    /// Bold markup for the terms of definition lists, if there are any.
    pub(super) bold: Option<u32>,
    /// The items of task lists, in order, and whether each is done.
    pub(super) tasks: Vec<(u32, bool)>,
    /// The labels under which Markdown and HTML refer to the notes: letters, digits and hyphens.
    pub(super) notes: Vec<String>,
    /// The title, if Markdown and HTML begin with it and the blocks lack it.
    pub(super) title: Option<String>,
    /// The headings that Markdown and HTML leave out.
    pub(super) hidden: Vec<usize>,
}

/// The position of a block, as a writer records it.
pub(super) struct BlockSpan {
    /// The block; [`TITLE`] for the title that the blocks lack.
    pub(super) block: usize,
    pub(super) range: Range<usize>,
    pub(super) rows: Vec<usize>,
}

/// Stands for the title that the content lacks.
pub(super) const TITLE: usize = usize::MAX;

/// One step of a walk over a [`KeptTree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WalkStep {
    Open(usize),
    Close(usize),
}

impl<'a> KeptTree<'a> {
    pub(super) fn empty(content: &'a Content<'a>) -> KeptTree<'a> {
        let root = Inline { mark: InlineMark::Root, parent: 0, node: NodeId::ROOT, href: 0..0, depth: 0, kinds: 0 };
        KeptTree {
            content,
            blocks: Vec::new(),
            runs: Vec::new(),
            inlines: vec![root],
            text: String::new(),
            entries: Entries::default(),
            bold: None,
            tasks: Vec::new(),
            notes: Vec::new(),
            title: None,
            hidden: Vec::new(),
        }
    }

    /// Adds inline markup below `parent`; `None` if the chain has that kind already. `adjacent`: nothing separates it from the last run.
    pub(super) fn push_inline(
        &mut self,
        parent: u32,
        mark: InlineMark,
        (node, href): (NodeId, Range<u32>),
        adjacent: bool,
    ) -> Option<u32> {
        /// Maximum depth of markup around a quotation in a quotation.
        const MAX_QUOTATIONS: u8 = 12;
        let above = &self.inlines[parent as usize];
        // Only quotations nest, each with marks of its own.
        let nests = mark == InlineMark::Other(Tag::Q) && above.depth < MAX_QUOTATIONS;
        if above.kinds & mark.bit() != 0 && !nests {
            return None;
        }
        // The same markup closed and opened again is one piece: "<b>a</b><b>b</b>". Pieces of code stay separate unless they touch.
        if mark != InlineMark::Link && (adjacent || mark != InlineMark::Code) {
            let mut last = self.runs.last().map_or(0, |r| r.inline);
            while last != 0 {
                let i = &self.inlines[last as usize];
                if i.parent == parent && i.mark == mark && !matches!(mark, InlineMark::Other(_)) {
                    return Some(last);
                }
                last = i.parent;
            }
        }
        let (depth, kinds) = (above.depth + 1, above.kinds | mark.bit());
        self.inlines.push(Inline { mark, parent, node, href, depth, kinds });
        Some(self.inlines.len() as u32 - 1)
    }

    /// Adds the markup of terms.
    pub(super) fn add_bold(&mut self) {
        let next = self.inlines.len() as u32;
        if *self.bold.get_or_insert(next) == next {
            let (mark, node) = (InlineMark::Strong, NodeId::ROOT);
            self.inlines.push(Inline { mark, parent: 0, node, href: 0..0, depth: 1, kinds: mark.bit() });
        }
    }

    /// Returns the markup that both share.
    pub(super) fn common_inline(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            let (x, y) = (&self.inlines[a as usize], &self.inlines[b as usize]);
            if x.depth >= y.depth {
                a = x.parent;
            }
            if y.depth >= x.depth {
                b = y.parent;
            }
        }
        a
    }

    /// Whether the markup is `mark` or lies inside it.
    pub(super) fn is_in(&self, inline: u32, mark: InlineMark) -> bool {
        self.inlines[inline as usize].kinds & mark.bit() != 0
    }

    /// Returns the link in the chain of markup up to `inline`.
    pub(super) fn link(&self, inline: u32) -> Option<u32> {
        let inlines = &self.inlines;
        let mut chain = std::iter::successors(Some(inline), |&i| Some(inlines[i as usize].parent));
        if self.is_in(inline, InlineMark::Link) {
            chain.find(|&i| inlines[i as usize].mark == InlineMark::Link)
        } else {
            None
        }
    }

    /// Returns the address of a link.
    pub(super) fn href(&self, link: u32) -> &str {
        self.slice(&self.inlines[link as usize].href)
    }

    /// Returns the links around some runs, in order: text and address.
    pub(super) fn links<'t>(&'t self, runs: impl Iterator<Item = &'t InlineRun>) -> Vec<(String, &'t str)> {
        let (mut links, mut last) = (Vec::<(String, &str)>::new(), None);
        for run in runs {
            let Some(link) = self.link(run.inline) else { continue };
            if last.replace(link) != Some(link) {
                links.push((String::new(), self.href(link)));
            }
            let shown = match run.kind {
                RunKind::Break => " ",
                RunKind::Image(_) | RunKind::Media { .. } => "",
                _ => self.slice(&run.text),
            };
            if let Some(open) = links.last_mut() {
                open.0.push_str(shown);
            }
        }
        links
    }

    /// Replaces `out` with the chain of markup from the outermost to `inline`.
    pub(super) fn chain(&self, inline: u32, out: &mut Vec<u32>) {
        out.clear();
        let mut at = inline;
        while at != 0 {
            out.push(at);
            at = self.inlines[at as usize].parent;
        }
        out.reverse();
    }

    /// Whether an item is an entry of a list page.
    pub(super) fn is_entry(&self, item: usize) -> bool {
        matches!(self.entries.role(self.blocks[item].node), Some(EntryRole::Entry | EntryRole::Row))
    }

    /// Whether the task of an item is done, if it is one.
    pub(super) fn task(&self, item: usize) -> Option<bool> {
        let at = self.tasks.binary_search_by_key(&(item as u32), |t| t.0).ok()?;
        self.tasks.get(at).map(|t| t.1)
    }

    pub(super) fn slice(&self, range: &Range<u32>) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    /// Returns the title of an embedded part, given where it begins.
    pub(super) fn media_title(&self, run: &InlineRun, title: u32) -> &str {
        self.slice(&(title..run.text.start))
    }

    /// Returns the text of a leaf, without its markup.
    pub(super) fn text_of(&self, leaf: usize) -> String {
        self.runs(leaf).iter().map(|run| self.slice(&run.text)).collect()
    }

    pub(super) fn runs(&self, block: usize) -> &[InlineRun] {
        let r = &self.blocks[block].runs;
        &self.runs[r.start as usize..r.end as usize]
    }

    /// Returns the indices of the children.
    pub(super) fn children(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.blocks[block].end as usize;
        let first = Some(block + 1).filter(|&i| i < end);
        std::iter::successors(first, move |&i| Some(self.blocks[i].end as usize).filter(|&n| n < end))
    }

    /// Returns the indices of the leaves below.
    pub(super) fn leaves(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        (block..self.blocks[block].end as usize).filter(|&i| self.blocks[i].kind.is_leaf())
    }

    /// Returns the number of rows at the top of a table that hold only headers.
    pub(super) fn header_rows(&self, table: usize) -> usize {
        let rows = self.children(table).filter(|&r| self.blocks[r].kind == BlockKind::Row);
        rows.take_while(|&r| {
            self.children(r).all(|c| matches!(self.blocks[c].kind, BlockKind::Cell { header: true, .. }))
        })
        .count()
    }

    /// Whether a leaf shows words, a formula or a picture.
    pub(super) fn has_text(&self, leaf: usize) -> bool {
        self.runs(leaf)
            .iter()
            .any(|r| matches!(r.kind, RunKind::Text | RunKind::Reference(_) | RunKind::Label | RunKind::Math { .. }))
    }

    /// Walks over all blocks, opening and closing each.
    pub(super) fn walk(&self) -> TreeWalk<'_> {
        self.walk_range(0..self.blocks.len())
    }

    /// Walks over a range that holds whole subtrees.
    pub(super) fn walk_range(&self, range: Range<usize>) -> TreeWalk<'_> {
        TreeWalk { blocks: &self.blocks, next: range.start, end: range.end, open: Vec::new() }
    }
}

/// The iterator of [`KeptTree::walk`].
pub(super) struct TreeWalk<'t> {
    blocks: &'t [TreeBlock],
    next: usize,
    end: usize,
    open: Vec<usize>,
}

impl TreeWalk<'_> {
    /// After [`WalkStep::Open`], continues after that block at once, without a step that closes it.
    pub(super) fn skip_subtree(&mut self) {
        if let Some(top) = self.open.pop() {
            self.next = self.blocks[top].end as usize;
        }
    }
}

impl Iterator for TreeWalk<'_> {
    type Item = WalkStep;
    fn next(&mut self) -> Option<WalkStep> {
        if let Some(&top) = self.open.last()
            && self.blocks[top].end as usize <= self.next
        {
            self.open.pop();
            return Some(WalkStep::Close(top));
        }
        if self.next >= self.end {
            return None;
        }
        let i = self.next;
        self.open.push(i);
        self.next += 1;
        Some(WalkStep::Open(i))
    }
}
