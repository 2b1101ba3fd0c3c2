//! Writes plain text with the page's own line structure.
use super::AltText;
use super::grid::{self, TableForm};
use super::lists::{self, NumberStyle, Numbers};
use super::tree::{BlockKind, BlockSpan, KeptTree, RunKind, WalkStep};

/// Separates the cells of a row.
const CELL_SEPARATOR: &str = " | ";
/// Spaces before the lines of a nested list.
const INDENT_SPACES: usize = 2;

/// Writes each block on its own line; line breaks and preformatted lines stay separate lines. List items begin with `- ` or their number, and the
/// lines of a nested list are indented; a table row is one line, and the reference to a note behind a number is in brackets. Nothing else is
/// added to the page's words, so the headers of posts are left out.
///
/// Records in `spans` where the blocks are.
pub(super) fn write(tree: &KeptTree<'_>, mut spans: Option<&mut Vec<BlockSpan>>) -> String {
    let out = String::with_capacity(tree.text.len() + tree.blocks.len() * 2);
    let mut w = TextWriter { tree, out, lists: Vec::new(), marker: String::new() };
    // Whether the label of a note stands at the beginning of the line, and where the list of notes ends.
    let (mut labelled, mut notes_end) = (false, 0);
    // Where the line of a label begins.
    let mut line = None;
    let mut walk = tree.walk();
    while let Some(step) = walk.next() {
        let i = match step {
            WalkStep::Open(i) => i,
            WalkStep::Close(i) => {
                if matches!(tree.blocks[i].kind, BlockKind::List { .. }) {
                    w.lists.pop();
                }
                continue;
            }
        };
        match tree.blocks[i].kind {
            BlockKind::List { ordered, .. } => w.open_list(i, ordered),
            BlockKind::Item => w.open_item(i),
            BlockKind::Note(_) if notes_end > i as u32 && !labelled => "- ".clone_into(&mut w.marker),
            BlockKind::Notes => notes_end = tree.blocks[i].end,
            BlockKind::Label if writes(tree, i) => {
                line.get_or_insert((i, w.out.len()));
                write_leaf(tree, i, ' ', &mut w.out);
                w.out.push(' ');
                labelled = true;
            }
            BlockKind::Post(_) if !w.out.is_empty() => w.out.push('\n'),
            BlockKind::Table if grid::form(tree, i) != TableForm::Apart => {
                let (start, mut rows) = (w.out.len(), Vec::new());
                for row in tree.children(i) {
                    let at = w.out.len();
                    w.row(row);
                    if spans.is_some() && w.out.len() > at && tree.blocks[row].kind == BlockKind::Row {
                        rows.push(at);
                    }
                }
                if let Some(spans) = &mut spans {
                    rows.drain(..tree.header_rows(i).min(rows.len()));
                    spans.push(BlockSpan { block: i, range: start..w.out.len().saturating_sub(1).max(start), rows });
                }
                walk.skip_subtree();
            }
            kind @ (BlockKind::Paragraph | BlockKind::NoteText(_) | BlockKind::Heading(_) | BlockKind::Pre)
                if writes(tree, i) =>
            {
                labelled = false;
                let begin = line.take().map_or(w.out.len(), |l| l.1);
                let indent = w.begin_line();
                let start = w.out.len();
                write_leaf(tree, i, if matches!(kind, BlockKind::Heading(_)) { ' ' } else { '\n' }, &mut w.out);
                w.indent_from(start, indent);
                if let Some(spans) = &mut spans {
                    spans.push(BlockSpan { block: i, range: begin..w.out.len(), rows: Vec::new() });
                }
                w.out.push('\n');
            }
            _ => {}
        }
    }
    if labelled {
        w.out.truncate(w.out.trim_end().len());
        if let (Some(spans), Some((block, begin))) = (&mut spans, line) {
            spans.push(BlockSpan { block, range: begin..w.out.len(), rows: Vec::new() });
        }
        w.out.push('\n');
    }
    w.out
}

struct TextWriter<'t> {
    tree: &'t KeptTree<'t>,
    out: String,
    /// The numbers and the style of each open list; nothing for a list without numbers.
    lists: Vec<Option<(Numbers, NumberStyle)>>,
    /// The marker of an item, until something follows it.
    marker: String,
}

impl TextWriter<'_> {
    fn open_list(&mut self, list: usize, ordered: bool) {
        let ordered = ordered && self.tree.content.options.list_numbers && lists::is_enumeration(self.tree, list);
        self.lists.push(ordered.then(|| {
            (Numbers::of(self.tree, list), NumberStyle::of(self.tree.content.dom, self.tree.blocks[list].node))
        }));
    }

    fn open_item(&mut self, item: usize) {
        self.marker.clear();
        match self.lists.last_mut() {
            Some(Some((numbers, style))) => {
                style.write(numbers.number(self.tree, item), &mut self.marker);
                self.marker.push_str(". ");
            }
            _ => self.marker.push_str("- "),
        }
        if self.tree.content.options.list_numbers {
            self.marker.push_str(lists::task_box(self.tree, item));
        }
    }

    /// Writes the indentation of a line, which it returns, and the marker that the line has to begin with.
    fn begin_line(&mut self) -> usize {
        let by = INDENT_SPACES * self.lists.len().saturating_sub(1);
        indent(&mut self.out, by);
        self.out.push_str(&self.marker);
        self.marker.clear();
        by
    }

    /// Indents the lines after the first of those written since `start`.
    fn indent_from(&mut self, start: usize, by: usize) {
        if by == 0 || !self.out[start..].contains('\n') {
            return;
        }
        let lines = self.out.split_off(start);
        for (n, line) in lines.split('\n').enumerate() {
            if n > 0 {
                self.out.push('\n');
                indent(&mut self.out, if line.is_empty() { 0 } else { by });
            }
            self.out.push_str(line);
        }
    }

    /// Writes a row, or the caption of a table. Code of several lines keeps its lines, and the row continues below it.
    fn row(&mut self, row: usize) {
        let tree = self.tree;
        if !tree.leaves(row).any(|l| writes(tree, l)) {
            return;
        }
        self.begin_line();
        let start = self.out.len();
        let is_row = tree.blocks[row].kind == BlockKind::Row;
        let mut line = start;
        for (c, cell) in tree.children(row).enumerate() {
            if c > 0 && (self.out.len() > line || line == start) {
                self.out.push_str(if is_row { CELL_SEPARATOR } else { " " });
            }
            let mut first = true;
            for leaf in tree.leaves(cell).filter(|&l| writes(tree, l)) {
                if grid::has_lines(tree, leaf) {
                    self.end_line(line);
                    write_leaf(tree, leaf, '\n', &mut self.out);
                    self.out.push('\n');
                    line = self.out.len();
                    continue;
                }
                if !std::mem::take(&mut first) && self.out.len() > line {
                    self.out.push(' ');
                }
                write_leaf(tree, leaf, ' ', &mut self.out);
            }
        }
        if self.out.len() == line && line > start {
            return;
        }
        // Bars that the page itself has at the end of a line are text.
        let own = tree.leaves(row).filter(|&l| writes(tree, l)).last().is_some_and(|l| ends_with_bar(tree, l));
        if !own {
            let end = self.out.trim_end_matches([' ', '|']).len().max(line);
            self.out.truncate(end);
        }
        self.out.push('\n');
    }
}

impl TextWriter<'_> {
    /// Ends a line of a row, unless it is empty.
    fn end_line(&mut self, line: usize) {
        let end = self.out.trim_end_matches([' ', '|']).len().max(line);
        self.out.truncate(end);
        if end > line {
            self.out.push('\n');
        }
    }
}

fn indent(out: &mut String, by: usize) {
    out.extend(std::iter::repeat_n(' ', by));
}

fn ends_with_bar(tree: &KeptTree<'_>, leaf: usize) -> bool {
    tree.runs(leaf)
        .iter()
        .rev()
        .find(|r| matches!(r.kind, RunKind::Text | RunKind::Label | RunKind::Reference(_)))
        .is_some_and(|r| tree.slice(&r.text).trim_end().ends_with('|'))
}

/// Whether a leaf has text, or an image whose alternative text is written.
fn writes(tree: &KeptTree<'_>, leaf: usize) -> bool {
    let content = tree.content;
    tree.has_text(leaf)
        || content.options.alt_text == AltText::All
            && tree.runs(leaf).iter().any(|run| matches!(run.kind, RunKind::Image(n) if !content.alt(n).is_empty()))
}

/// Appends the text of a leaf, whose line breaks become `line_break`.
pub(super) fn write_leaf(tree: &KeptTree<'_>, leaf: usize, line_break: char, out: &mut String) {
    let start = out.len();
    let pre = tree.blocks[leaf].kind == BlockKind::Pre;
    for run in tree.runs(leaf) {
        let text = tree.slice(&run.text);
        match run.kind {
            RunKind::Text if pre && line_break == '\n' => out.push_str(text),
            RunKind::Text if pre => out.push_str(&text.replace('\n', " ")),
            // Two spaces around an image become one.
            RunKind::Text | RunKind::Label if out.len() == start || out.ends_with([' ', '\n']) => {
                out.push_str(text.trim_start())
            }
            // The number of a note would become a part of the number before it.
            RunKind::Reference(_) if out.ends_with(char::is_numeric) && text.starts_with(char::is_numeric) => {
                out.extend(["[", text, "]"]);
            }
            RunKind::Text | RunKind::Sign | RunKind::Reference(_) | RunKind::Label | RunKind::Math { .. } => {
                out.push_str(text);
            }
            RunKind::Break => {
                let end = out.trim_end_matches(' ').len().max(start);
                out.truncate(end);
                if out.len() > start {
                    out.push(line_break);
                }
            }
            RunKind::Image(n) if tree.content.options.alt_text == AltText::All && !tree.content.alt(n).is_empty() => {
                out.extend(["[", tree.content.alt(n), "]"]);
            }
            RunKind::Image(_) | RunKind::Media { .. } => {}
        }
    }
    let end = out.trim_end().len().max(start);
    out.truncate(end);
}
