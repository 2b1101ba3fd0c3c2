//! Writes typed blocks: a JSON array with one object per heading, paragraph, list, table and so on. `docs/blocks.schema.json` describes it.
//!
//! An object holds either its text (`text`, or `tex` of a formula) or other objects (`blocks`, `items`, `rows`). Items, cells, terms and
//! definitions hold both: their first paragraph as `text`, and everything after it as `blocks`. So each word occurs once, in the page's order.
mod leaves;
mod roles;

use super::callout;
use super::lists;
use super::markdown;
use super::text::write_leaf;
use super::tree::{BlockKind, KeptTree, NOWHERE, WalkStep};
use roles::RoleSums;
use serde::Serialize;
use std::ops::Range;

/// Returns the array on one line. `offsets`: whether the objects have their positions in the source.
pub(super) fn write(tree: &KeptTree<'_>, offsets: bool) -> String {
    let roles = tree.content.roles;
    let root = ObjectFrame { block: usize::MAX, array: "", holds: Holds::Array, has_caption: false };
    let mut w = BlocksWriter {
        tree,
        markdown: markdown::Leaves::new(tree),
        sources: if offsets || !roles.is_empty() { sources(tree) } else { Vec::new() },
        offsets,
        roles: (!roles.is_empty()).then(|| RoleSums::new(tree.content.blocks, roles)),
        out: Vec::with_capacity(tree.text.len() * 2 + 2),
        frames: vec![root],
        scratch: String::new(),
        title: None,
        marker: None,
    };
    w.out.push(b'[');
    let mut walk = tree.walk();
    while let Some(step) = walk.next() {
        match step {
            WalkStep::Open(i) if w.open(i) => {}
            WalkStep::Open(_) => walk.skip_subtree(),
            WalkStep::Close(i) => w.close(i),
        }
    }
    w.out.push(b']');
    String::from_utf8(w.out).unwrap_or_default()
}

/// Returns for each block the bytes of the source from its first content to its last.
pub(super) fn sources(tree: &KeptTree<'_>) -> Vec<Range<u32>> {
    let mut sources: Vec<Range<u32>> = tree.blocks.iter().map(|b| b.source.clone()).collect();
    for i in (0..sources.len()).rev() {
        let own = match tree.blocks[i].kind {
            BlockKind::Rule => as_u32(tree.content.dom.span(tree.blocks[i].node)),
            BlockKind::Byline => NOWHERE,
            _ => sources[i].clone(),
        };
        sources[i] = tree.children(i).fold(own, |a, c| a.start.min(sources[c].start)..a.end.max(sources[c].end));
    }
    sources
}

fn as_u32(r: Range<usize>) -> Range<u32> {
    r.start as u32..r.end as u32
}

/// What an open object has so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Neither text nor an array; its first paragraph will be its text.
    NothingYet,
    /// Its own text, or no place for one.
    Text,
    /// An open array.
    Array,
    /// A closed array.
    Whole,
}

/// An open object.
struct ObjectFrame {
    block: usize,
    /// The name of its array; `""` if it is an array itself.
    array: &'static str,
    holds: Holds,
    has_caption: bool,
}

struct BlocksWriter<'t> {
    tree: &'t KeptTree<'t>,
    markdown: markdown::Leaves<'t>,
    /// Empty if neither offsets nor roles are written.
    sources: Vec<Range<u32>>,
    /// Whether the positions in the source are written.
    offsets: bool,
    /// The roles of the blocks, if they are known.
    roles: Option<RoleSums>,
    out: Vec<u8>,
    frames: Vec<ObjectFrame>,
    scratch: String,
    /// The title of the callout that was opened last.
    title: Option<usize>,
    /// The label of the note that follows.
    marker: Option<String>,
}

impl<'t> BlocksWriter<'t> {
    /// Opens a block; returns false if it has been written whole, children included.
    fn open(&mut self, i: usize) -> bool {
        let (tree, kind) = (self.tree, self.tree.blocks[i].kind);
        match kind {
            BlockKind::Group | BlockKind::Notes => {}
            BlockKind::Label => self.marker(i),
            BlockKind::Paragraph | BlockKind::Heading(_) if self.title == Some(i) => {}
            BlockKind::NoteText(k) => {
                self.note(i, k);
                self.text(i, '\n');
                self.inline_content(i);
                self.out.push(b'}');
            }
            BlockKind::Note(k) => {
                self.note(i, k);
                self.push(i, "blocks", Holds::NothingYet);
            }
            BlockKind::Callout(callout) => {
                self.object("callout", i);
                self.field("kind", callout.name());
                self.title = callout::title(tree, i);
                if let Some(title) = self.title.and_then(|t| self.joined(t..t + 1)) {
                    self.field("title", &title);
                }
                self.push(i, "blocks", Holds::Text);
            }
            BlockKind::Caption | BlockKind::Summary => return !self.caption(i),
            BlockKind::Paragraph | BlockKind::Byline | BlockKind::Heading(_) | BlockKind::Pre | BlockKind::Rule => {
                self.leaf(i, kind)
            }
            BlockKind::Row => {
                self.element();
                self.out.push(b'[');
                self.push(i, "", Holds::Array);
            }
            BlockKind::List { ordered, .. } => {
                self.object("list", i);
                self.field("ordered", &ordered);
                if ordered {
                    let numbers = lists::Numbers::of(self.tree, i);
                    self.field("first", &numbers.next);
                    if numbers.reversed {
                        self.field("reversed", &true);
                    }
                }
                self.push(i, "items", Holds::Text);
            }
            BlockKind::Item => {
                let entry = self.tree.is_entry(i);
                self.object(if entry { "entry" } else { "item" }, i);
                if entry && let Some(url) = self.first_link(i) {
                    self.field("url", &url);
                }
                if !entry && let Some(done) = self.tree.task(i) {
                    self.field("checked", &done);
                }
                self.push(i, "blocks", Holds::NothingYet);
            }
            BlockKind::Quote => self.container("quote", i, "blocks"),
            BlockKind::Details => self.container("details", i, "blocks"),
            BlockKind::Figure => {
                self.container("figure", i, "blocks");
                let tree = self.tree;
                self.pictures(tree.children(i).filter(|&c| tree.blocks[c].kind.is_leaf() && !tree.has_text(c)));
            }
            BlockKind::Glossary => self.container("definitions", i, "items"),
            BlockKind::Term => self.holder("term", i),
            BlockKind::Definition => self.holder("definition", i),
            BlockKind::Table => {
                self.object("table", i);
                if let Some(caption) = self.joined(self.table_captions(i).0) {
                    self.field("caption", &caption);
                }
                self.field("header_rows", &self.tree.header_rows(i));
                self.push(i, "rows", Holds::Text);
            }
            BlockKind::Cell { header, cols, rows } => {
                self.object("cell", i);
                self.field("header", &header);
                if cols > 1 {
                    self.field("colspan", &cols);
                }
                if rows > 1 {
                    self.field("rowspan", &rows);
                }
                self.push(i, "blocks", Holds::NothingYet);
            }
            BlockKind::Post(n) => {
                self.object("post", i);
                if let Some(post) = self.tree.content.posts.get(n as usize) {
                    self.field("author", &stated(&post.author));
                    self.field("date", &stated(&post.when));
                    self.field("date_text", &stated(&post.date));
                }
                self.push(i, "blocks", Holds::Text);
            }
        }
        true
    }

    /// Ends the object of a block, if it has one that is open.
    fn close(&mut self, i: usize) {
        let Some(frame) = self.frames.pop_if(|f| f.block == i) else { return };
        let kind = self.tree.blocks[i].kind;
        match frame.holds {
            Holds::NothingYet => self.field("text", &""),
            Holds::Text if has_array(kind) => {
                self.name(frame.array);
                self.out.extend_from_slice(b"[]");
            }
            Holds::Array => self.out.push(b']'),
            Holds::Text | Holds::Whole => {}
        }
        let (before, behind) = if kind == BlockKind::Table { self.table_captions(i) } else { (0..0, 0..0) };
        let behind = self.joined(behind);
        match &behind {
            Some(caption) if before.is_empty() => self.field("caption", caption),
            _ => {}
        }
        if !frame.array.is_empty() {
            self.out.push(b'}');
        }
        if !before.is_empty()
            && let Some(caption) = behind
        {
            self.object("paragraph", i);
            self.field("text", &caption);
            self.out.push(b'}');
        }
    }

    /// Returns the blocks of a table's captions before its rows and behind them.
    fn table_captions(&self, table: usize) -> (Range<usize>, Range<usize>) {
        let end = self.tree.blocks[table].end as usize;
        let first = self.tree.children(table).find(|&c| self.tree.blocks[c].kind == BlockKind::Row).unwrap_or(end);
        let last = self
            .tree
            .children(table)
            .filter(|&c| self.tree.blocks[c].kind == BlockKind::Row)
            .last()
            .map_or(end, |r| self.tree.blocks[r].end as usize);
        (table + 1..first, last..end)
    }

    /// Returns the text of a range of blocks, one line per leaf; `None` without text.
    fn joined(&self, blocks: Range<usize>) -> Option<String> {
        let tree = self.tree;
        let mut text = String::new();
        for leaf in blocks.filter(|&b| tree.blocks[b].kind.is_leaf() && tree.has_text(b)) {
            if !text.is_empty() {
                text.push('\n');
            }
            write_leaf(tree, leaf, '\n', &mut text);
        }
        Some(text).filter(|t| !t.is_empty())
    }

    fn push(&mut self, block: usize, array: &'static str, holds: Holds) {
        self.frames.push(ObjectFrame { block, array, holds, has_caption: false });
    }

    fn container(&mut self, name: &str, i: usize, array: &'static str) {
        self.object(name, i);
        self.push(i, array, Holds::Text);
    }

    fn holder(&mut self, name: &str, i: usize) {
        self.object(name, i);
        self.push(i, "blocks", Holds::NothingYet);
    }

    /// Begins a note. Its label may have a line of its own, before the note or at its beginning.
    fn note(&mut self, i: usize, k: u32) {
        let tree = self.tree;
        self.object("note", i);
        self.field("label", &tree.notes[k as usize]);
        let first =
            tree.blocks.get(i + 1).filter(|b| b.kind == BlockKind::Label && i + 1 < tree.blocks[i].end as usize);
        let marker = self.marker.take().or_else(|| first.and_then(|_| self.joined(i + 1..i + 2)));
        if let Some(marker) = marker {
            self.field("marker", &marker);
        }
    }

    /// Keeps a label for the note that follows.
    fn marker(&mut self, i: usize) {
        let is_inside = i.checked_sub(1).is_some_and(|p| matches!(self.tree.blocks[p].kind, BlockKind::Note(_)));
        if !is_inside {
            self.marker = self.joined(i..i + 1);
        }
    }

    /// Begins an element of the innermost open object's array, which it opens if needed.
    fn element(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (before, array) = (std::mem::replace(&mut frame.holds, Holds::Array), frame.array);
        match before {
            Holds::Array if self.out.last() == Some(&b'[') => {}
            Holds::Array => self.out.push(b','),
            Holds::Text | Holds::Whole | Holds::NothingYet => {
                if before == Holds::NothingYet {
                    self.field("text", &"");
                }
                self.name(array);
                self.out.push(b'[');
            }
        }
    }

    /// Begins an object of a type; the caller adds fields and ends it.
    fn object(&mut self, name: &str, i: usize) {
        self.element();
        self.out.push(b'{');
        self.field("type", &name);
        let Some(source) = self.sources.get(i).filter(|s| s.start < s.end).cloned() else { return };
        if self.offsets {
            self.field("start", &source.start);
            self.field("end", &source.end);
        }
        let has_role = !matches!(name, "cell" | "definition" | "entry" | "item" | "rule" | "term");
        if has_role && let Some((role, probability)) = self.roles.as_ref().and_then(|r| r.of(&source)) {
            self.field("role", &role);
            self.field("probability", &probability);
        }
    }

    fn name(&mut self, name: &str) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Adds a field. Writing to memory cannot fail.
    fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.name(name);
        let _ = serde_json::to_writer(&mut self.out, value);
    }

    fn list_field<T: Serialize>(&mut self, name: &str, values: &[T]) {
        if !values.is_empty() {
            self.field(name, values);
        }
    }

    /// Writes the caption of a figure or the summary of details as a string. Returns false if the object has one already, or if content
    /// precedes and follows the caption: then its content is written like the rest.
    fn caption(&mut self, i: usize) -> bool {
        let tree = self.tree;
        let Some(frame) = self.frames.last_mut() else { return false };
        let Some(owner) = tree.blocks.get(frame.block) else { return false };
        let key = match (owner.kind, tree.blocks[i].kind) {
            (BlockKind::Figure, BlockKind::Caption) => "caption",
            (BlockKind::Details, BlockKind::Summary) => "summary",
            (BlockKind::Table, BlockKind::Caption) => return true,
            _ => return false,
        };
        let has_array = frame.holds == Holds::Array;
        if frame.has_caption || has_array && tree.blocks[i].end != owner.end {
            return false;
        }
        frame.has_caption = true;
        if has_array {
            frame.holds = Holds::Whole;
            self.out.push(b']');
        }
        if let Some(text) = self.joined(i..tree.blocks[i].end as usize) {
            self.field(key, &text);
        }
        true
    }
}

fn stated(s: &str) -> Option<&str> {
    Some(s).filter(|s| !s.is_empty())
}

/// Whether an object always has its array.
fn has_array(kind: BlockKind) -> bool {
    use BlockKind::*;
    matches!(kind, List { .. } | Table | Glossary | Quote | Callout(_) | Details | Post(_))
}
