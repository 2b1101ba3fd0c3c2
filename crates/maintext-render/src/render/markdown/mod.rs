//! Writes CommonMark with GFM tables.
//!
//! Lists, quotes and code keep their nesting through a prefix on each of their lines.
mod emit;
mod escape;
mod inline;
mod table;
mod token;

use super::entries::EntryRole;
use super::grid::{self, TableForm};
use super::tree::{BlockKind, BlockSpan, InlineRun, KeptTree, RunKind, TITLE, WalkStep};
use super::{callout, html, lists};
use inline::Inlines;
use maintext_page::dom::Tag;
use maintext_page::markup::callout::Callout;
use maintext_page::markup::code;
use token::{LeafContext, References};

/// Writes the document; every line ends with a newline, and blank lines never follow each other. Records in `spans` where the blocks are.
pub(super) fn write(tree: &KeptTree<'_>, mut spans: Option<&mut Vec<BlockSpan>>) -> String {
    let mut w = MarkdownWriter {
        tree,
        inlines: Inlines::new(tree),
        out: String::with_capacity(tree.text.len() + tree.text.len() / 4),
        prefixes: Vec::new(),
        lists: Vec::new(),
        siblings: vec![None],
        close: false,
        title: None,
        is_summary: false,
        begun: None,
        rows: Vec::new(),
        scratch: String::new(),
    };
    w.inlines.references = tree.content.options.reference_links.then(References::default);
    w.added_title();
    w.record(TITLE, &mut spans);
    let mut walk = tree.walk();
    while let Some(step) = walk.next() {
        match step {
            WalkStep::Open(i) => {
                if !w.open(i) {
                    walk.skip_subtree();
                }
                w.record(i, &mut spans);
            }
            WalkStep::Close(i) => w.end(i),
        }
    }
    if !w.out.is_empty() {
        w.out.push('\n');
    }
    w.write_references();
    w.out
}

/// Writes single leaves, each as a document of its own.
pub(super) struct Leaves<'t>(Inlines<'t>);

impl<'t> Leaves<'t> {
    pub(super) fn new(tree: &'t KeptTree<'t>) -> Leaves<'t> {
        let mut inlines = Inlines::new(tree);
        inlines.plain_notes = true;
        Leaves(inlines)
    }

    /// Appends the Markdown of a leaf.
    pub(super) fn write(&mut self, leaf: usize, out: &mut String) {
        self.0.write(leaf, LeafContext::Block, out);
    }
}

/// The prefix of a container's lines.
struct Prefix {
    /// The prefix of its first line, until that line is written.
    first: Option<String>,
    rest: String,
}

/// Minimum number of items of a list of sections.
const MIN_SECTIONS: usize = 2;

struct OpenList {
    ordered: bool,
    numbers: lists::Numbers,
    /// Whether its items follow each other without blank lines.
    tight: bool,
    /// Whether it uses the second kind of marker, to separate it from the list before it.
    other_marker: bool,
    /// Whether its items are sections with headings, which need no markers.
    of_sections: bool,
    started: bool,
}

struct MarkdownWriter<'t> {
    tree: &'t KeptTree<'t>,
    inlines: Inlines<'t>,
    out: String,
    prefixes: Vec<Prefix>,
    lists: Vec<OpenList>,
    /// For each open container, whether its last child was a list, as (ordered, marker).
    siblings: Vec<Option<(bool, bool)>>,
    /// Whether the next block begins on the next line, without a blank one before it.
    close: bool,
    /// The title of the callout that was opened last.
    title: Option<usize>,
    /// Whether a summary is open.
    is_summary: bool,
    /// Where the first line begins that has been written since the last record.
    begun: Option<usize>,
    /// Where the rows of a table begin, without its header.
    rows: Vec<usize>,
    scratch: String,
}

impl<'t> MarkdownWriter<'t> {
    /// Records the position of the block whose lines have been written since the last record.
    fn record(&mut self, block: usize, spans: &mut Option<&mut Vec<BlockSpan>>) {
        let rows = std::mem::take(&mut self.rows);
        if let (Some(begun), Some(spans)) = (self.begun.take(), spans) {
            spans.push(BlockSpan { block, range: begun..self.out.len(), rows });
        }
    }

    /// Opens a block; returns false if it has been written whole, children included.
    fn open(&mut self, i: usize) -> bool {
        let kind = self.tree.blocks[i].kind;
        let before = if is_transparent(kind) { None } else { self.siblings.last_mut().and_then(Option::take) };
        match kind {
            BlockKind::Paragraph | BlockKind::Heading(_) if self.tree.hidden.contains(&i) => {}
            BlockKind::Paragraph | BlockKind::Heading(_) if self.title == Some(i) => self.callout_title(i),
            BlockKind::Paragraph if self.is_summary => self.strong(i),
            BlockKind::Summary => self.is_summary = true,
            BlockKind::Paragraph | BlockKind::Byline => self.paragraph(i),
            BlockKind::NoteText(k) => {
                self.open_note(k);
                self.paragraph(i);
                self.close_note();
            }
            BlockKind::Note(k) => self.open_note(k),
            BlockKind::Post(_) if !self.out.is_empty() => {
                self.begin();
                self.out.push_str("---");
            }
            BlockKind::Heading(level) => self.heading(i, level),
            BlockKind::Pre => self.preformatted(i),
            BlockKind::Rule => {
                self.begin();
                self.out.push_str("---");
            }
            BlockKind::Table => match grid::form(self.tree, i) {
                TableForm::Rich if self.tree.content.options.html_tables => {
                    self.html_table(i);
                    return false;
                }
                TableForm::Rows | TableForm::Rich => {
                    self.table(i);
                    return false;
                }
                TableForm::Apart => {}
            },
            BlockKind::List { ordered, .. } => self.open_list(i, ordered, before),
            BlockKind::Item => self.open_item(i),
            BlockKind::Term => self.inlines.in_term = true,
            BlockKind::Quote => self.prefix("> ".into(), "> ".into()),
            BlockKind::Callout(kind) => self.callout(i, kind),
            _ => {}
        }
        if !kind.is_leaf() && !is_transparent(kind) {
            self.siblings.push(None);
        }
        true
    }

    fn end(&mut self, i: usize) {
        let kind = self.tree.blocks[i].kind;
        if !kind.is_leaf() && !is_transparent(kind) {
            self.siblings.pop();
        }
        match kind {
            BlockKind::Summary => self.is_summary = false,
            BlockKind::List { .. } => {
                if let (Some(list), Some(last)) = (self.lists.pop(), self.siblings.last_mut()) {
                    *last = Some((list.ordered, list.other_marker));
                }
            }
            BlockKind::Term => self.inlines.in_term = false,
            BlockKind::Note(_) => self.close_note(),
            BlockKind::Item | BlockKind::Quote | BlockKind::Callout(_) => {
                self.prefixes.pop();
            }
            _ => {}
        }
    }

    fn prefix(&mut self, first: String, rest: String) {
        self.prefixes.push(Prefix { first: Some(first), rest });
    }

    fn open_list(&mut self, i: usize, ordered: bool, before: Option<(bool, bool)>) {
        let numbers = lists::Numbers::of(self.tree, i);
        // A nested list follows its item's text directly if the outer list is tight; CommonMark allows that only for lists that start at 1.
        let in_item = self.prefixes.last().is_some_and(|p| p.first.is_none());
        if in_item && self.lists.last().is_some_and(|l| l.tight) && (!ordered || numbers.next == 1) {
            self.close = true;
        }
        // Entries in cells of their own are one list.
        let other_marker = before.is_some_and(|(o, other)| o == ordered && !other) && !self.is_of_entries(i);
        let of_sections = !ordered && self.is_of_sections(i);
        let tight = !of_sections && self.is_tight(i);
        self.lists.push(OpenList { ordered, numbers, tight, other_marker, of_sections, started: false });
    }

    fn is_of_entries(&self, list: usize) -> bool {
        let item = self.tree.children(list).next();
        item.is_some_and(|item| self.tree.entries.role(self.tree.blocks[item].node) == Some(EntryRole::Entry))
    }

    /// Whether each item of a list begins with a heading: headings divide the text better than bullets do.
    fn is_of_sections(&self, list: usize) -> bool {
        let is_section = |item: usize| {
            let first = self.tree.children(item).next().map(|c| self.tree.blocks[c].kind);
            matches!(first, Some(BlockKind::Heading(_)))
        };
        self.tree.children(list).count() >= MIN_SECTIONS && self.tree.children(list).all(is_section)
    }

    /// Whether each item is one line of text, with at most lists below it. As in CommonMark, a list whose items hold `<p>` is loose.
    fn is_tight(&self, list: usize) -> bool {
        let tree = self.tree;
        tree.children(list).all(|item| {
            let mut children = tree.children(item);
            let first = children.next().is_none_or(|c| {
                matches!(tree.blocks[c].kind, BlockKind::Paragraph | BlockKind::Heading(_) | BlockKind::List { .. })
            });
            let loose = tree.children(item).next().is_some_and(|c| tree.content.dom.tag(tree.blocks[c].node) == Tag::P);
            first && !loose && children.all(|c| matches!(tree.blocks[c].kind, BlockKind::List { .. }))
        })
    }

    fn open_item(&mut self, i: usize) {
        let Some(list) = self.lists.last_mut() else {
            return self.prefix("- ".into(), "  ".into());
        };
        if list.of_sections {
            return self.prefix(String::new(), String::new());
        }
        let marker = if list.ordered {
            let number = list.numbers.number(self.tree, i);
            format!("{number}{} ", if list.other_marker { ')' } else { '.' })
        } else if list.other_marker {
            "* ".to_owned()
        } else {
            "- ".to_owned()
        };
        if std::mem::replace(&mut list.started, true) && list.tight {
            self.close = true;
        }
        let rest = " ".repeat(marker.len());
        // GFM reads a box only before a paragraph; before a heading it would make the heading one.
        let is_text = self.tree.children(i).next().is_none_or(|c| self.tree.blocks[c].kind == BlockKind::Paragraph);
        let task = if is_text { lists::task_box(self.tree, i) } else { "" };
        self.prefix(marker + task, rest);
    }

    /// Ends the previous block and begins a line for the next.
    fn begin(&mut self) {
        let close = std::mem::take(&mut self.close);
        if !self.out.is_empty() {
            self.out.push('\n');
            if !close {
                let started = self.prefixes.iter().take_while(|p| p.first.is_none());
                started.for_each(|p| self.out.push_str(&p.rest));
                self.trim_line();
                self.out.push('\n');
            }
        }
        self.begun.get_or_insert(self.out.len());
        for p in &mut self.prefixes {
            match p.first.take() {
                Some(first) => self.out.push_str(&first),
                None => self.out.push_str(&p.rest),
            }
        }
    }

    fn trim_line(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
    }

    /// Begins the next line of a block.
    fn next_line(&mut self, blank: bool) {
        self.out.push('\n');
        self.prefixes.iter().for_each(|p| self.out.push_str(&p.rest));
        if blank {
            self.trim_line();
        }
    }

    fn open_note(&mut self, k: u32) {
        let first = format!("[^{}]: ", self.tree.notes[k as usize]);
        self.inlines.in_note = true;
        self.prefix(first, "    ".into());
    }

    fn close_note(&mut self) {
        self.prefixes.pop();
        self.inlines.in_note = false;
    }

    fn paragraph(&mut self, i: usize) {
        if let Some(tex) = self.display_formula(i) {
            return self.fence("math", tex);
        }
        let mut text = std::mem::take(&mut self.scratch);
        self.inlines.write(i, LeafContext::Block, &mut text);
        if !text.trim().is_empty() {
            self.begin();
            let titled = self.title.is_some() && self.title == i.checked_sub(1);
            let above = i.checked_sub(1 + usize::from(titled)).map(|c| self.tree.blocks[c].kind);
            let shown = match above {
                Some(BlockKind::Callout(kind)) => callout::without_name(&text, kind),
                _ => &text,
            };
            for (n, line) in shown.split('\n').enumerate() {
                if n > 0 {
                    self.next_line(false);
                }
                self.out.push_str(line);
            }
        }
        text.clear();
        self.scratch = text;
    }

    fn heading(&mut self, i: usize, level: u8) {
        if !self.tree.has_text(i) {
            return self.paragraph(i);
        }
        self.begin();
        self.out.extend([&"######"[..usize::from(level.clamp(1, 6))], " "]);
        let mut text = std::mem::take(&mut self.scratch);
        self.inlines.write(i, LeafContext::Heading, &mut text);
        self.out.push_str(text.trim());
        text.clear();
        self.scratch = text;
    }

    /// Writes the title that the content lacks.
    fn added_title(&mut self) {
        let Some(title) = &self.tree.title else { return };
        self.begin();
        self.out.push_str("# ");
        emit::write_plain(title, LeafContext::Heading, &mut self.out);
    }

    /// Opens a callout with GitHub's sign for it.
    fn callout(&mut self, i: usize, kind: Callout) {
        self.prefix("> ".into(), "> ".into());
        self.begin();
        self.out.extend(["[!", kind.alert(), "]"]);
        self.title = callout::title(self.tree, i);
        // Other blocks would continue the line of the sign.
        self.close =
            self.tree.blocks.get(i + 1).is_some_and(|b| b.kind == BlockKind::Paragraph && self.title.is_none());
    }

    /// Writes the title of a callout unless it repeats the sign.
    fn callout_title(&mut self, i: usize) {
        let Some(BlockKind::Callout(kind)) = i.checked_sub(1).map(|c| self.tree.blocks[c].kind) else { return };
        let sign = kind.alert().eq_ignore_ascii_case(kind.name());
        if sign && callout::repeats(self.tree, i, kind) {
            self.close = self.tree.blocks.get(i + 1).is_some_and(|b| b.kind == BlockKind::Paragraph);
            return;
        }
        self.close = true;
        self.strong(i);
    }

    /// Writes a leaf as one line of strong text.
    fn strong(&mut self, i: usize) {
        let mut text = std::mem::take(&mut self.scratch);
        self.inlines.write(i, LeafContext::Heading, &mut text);
        // Stars inside would end the emphasis. Without emphasis, signs at the beginning of the line need an escape.
        let stars = if text.contains(['*', '\\']) { "" } else { "**" };
        if stars.is_empty() {
            text.clear();
            self.inlines.write(i, LeafContext::Line, &mut text);
        }
        let line = text.trim();
        if !line.is_empty() {
            self.begin();
            self.out.extend([stars, line, stars]);
        }
        text.clear();
        self.scratch = text;
    }

    /// Returns a display formula whose source needs the protection of a code block.
    fn display_formula(&self, i: usize) -> Option<&'t str> {
        let tree = self.tree;
        match tree.runs(i) {
            [InlineRun { kind: RunKind::Math { display: true, .. }, text, .. }] => {
                Some(tree.slice(text)).filter(|tex| !escape::is_readable_tex(tex))
            }
            _ => None,
        }
    }

    fn preformatted(&mut self, i: usize) {
        let language = code::language::language(self.tree.content.dom, self.tree.blocks[i].node);
        self.fence(language.as_deref().unwrap_or(""), &self.tree.text_of(i));
    }

    fn fence(&mut self, language: &str, text: &str) {
        let fence = "`".repeat((emit::longest_run(text) + 1).max(3));
        self.begin();
        self.out.extend([&*fence, language]);
        for line in text.split('\n') {
            self.next_line(line.is_empty());
            self.out.push_str(line);
        }
        self.next_line(false);
        self.out.push_str(&fence);
    }

    fn table(&mut self, i: usize) {
        let (before, behind): (Vec<usize>, Vec<usize>) = {
            let captions = self.tree.children(i).filter(|&c| self.tree.blocks[c].kind == BlockKind::Caption);
            let first_row = self.tree.children(i).find(|&c| self.tree.blocks[c].kind == BlockKind::Row).unwrap_or(i);
            captions.partition(|&c| c < first_row)
        };
        self.captions(&before);
        let lines = table::lines(self.tree, &mut self.inlines, i);
        if !lines.is_empty() {
            self.begin();
        }
        for (n, line) in lines.iter().enumerate() {
            if n > 0 {
                self.next_line(false);
            }
            // The first two lines are the header and its delimiters.
            if n > 1 {
                let start = self.out.rfind('\n').map_or(0, |at| at + 1);
                self.rows.push(start);
            }
            self.out.push_str(line);
        }
        self.captions(&behind);
    }

    /// Writes a table as HTML. No line may be blank, as a blank line would end it: line feeds that follow each other are written as references.
    fn html_table(&mut self, i: usize) {
        let html = html::table(self.tree, i);
        self.begin();
        let mut started = false;
        for line in html.trim_end().split('\n') {
            if line.trim().is_empty() {
                self.out.push_str("&#10;");
                continue;
            }
            if std::mem::replace(&mut started, true) {
                self.next_line(false);
            }
            self.out.push_str(line);
        }
    }

    /// Writes the addresses of the links.
    fn write_references(&mut self) {
        let references = self.inlines.references.take().unwrap_or_default();
        for (i, address) in references.addresses.iter().enumerate() {
            self.out.extend([if i == 0 { "\n[" } else { "[" }, &(i + 1).to_string(), "]: "]);
            escape::destination(address, &mut self.out);
            self.out.push('\n');
        }
    }

    fn captions(&mut self, captions: &[usize]) {
        let tree = self.tree;
        captions.iter().flat_map(|&c| tree.leaves(c)).for_each(|leaf| self.paragraph(leaf));
    }
}

/// Whether a block only holds its children.
fn is_transparent(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Group | BlockKind::Notes)
}

/// Writes preformatted text on one line as a code span, for a cell of a table.
fn inline_pre(tree: &KeptTree<'_>, leaf: usize, out: &mut String) {
    let text = tree.text_of(leaf);
    let lines: Vec<&str> = text.split('\n').map(str::trim).filter(|l| !l.is_empty()).collect();
    emit::write_code(&lines.join(" "), LeafContext::Cell, out);
}
