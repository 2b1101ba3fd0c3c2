//! The rows and columns of a table of data, with spans resolved, and the form in which a format without spans can write it.
use super::tree::{BlockKind, KeptTree};
use maintext_page::dom::{Dom, NodeId, Tag};

/// Maximum number of columns of a table whose spans are resolved; the output of a wider one would grow faster than its source.
const MAX_SPANNED: usize = 64;
/// The repeated values of a table are at most this many times as long as the table's own text, so that the output stays linear in the page.
const MAX_REPEATED: usize = 4;
/// Maximum number of bytes of a cell of several paragraphs that still fit one line, and of a cell of one paragraph in a table of one row.
const LINE_BYTES: usize = 300;

/// The form of a table in a format whose rows are lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TableForm {
    /// One line per row.
    Rows,
    /// Data, but with cells that one line cannot hold without loss: code, nested tables, nested lists, quotations.
    Rich,
    /// An arrangement of the page: its blocks follow each other.
    Apart,
}

/// Returns the form of a table.
pub(super) fn form(tree: &KeptTree<'_>, table: usize) -> TableForm {
    let (mut lines, mut bytes, mut longest, mut list_end) = (0, 0, 0, 0);
    let (mut hard, mut long, mut headed, mut rows) = (false, false, false, 0);
    for i in table + 1..tree.blocks[table].end as usize {
        let block = &tree.blocks[i];
        match block.kind {
            BlockKind::Row => rows += 1,
            BlockKind::Caption => headed = true,
            BlockKind::Cell { header, .. } => {
                headed |= header;
                (lines, bytes) = (0, 0);
            }
            BlockKind::List { .. } => {
                hard |= i < list_end;
                list_end = list_end.max(block.end as usize);
            }
            BlockKind::Table
            | BlockKind::Quote
            | BlockKind::Callout(_)
            | BlockKind::Note(_)
            | BlockKind::Details
            | BlockKind::Glossary => hard = true,
            BlockKind::Heading(_) => long = true,
            BlockKind::Pre => hard |= has_lines(tree, i),
            BlockKind::Paragraph if i >= list_end => {
                lines += 1;
                bytes += text_bytes(tree, i);
                long |= lines > 1 && bytes > LINE_BYTES;
                longest = longest.max(bytes);
            }
            _ => {}
        }
    }
    long |= rows == 1 && longest > LINE_BYTES;
    let has_head = headed && rows > 1;
    if !hard && (!long || has_head) {
        TableForm::Rows
    } else if has_head {
        TableForm::Rich
    } else {
        TableForm::Apart
    }
}

/// Whether preformatted text has several lines.
pub(super) fn has_lines(tree: &KeptTree<'_>, leaf: usize) -> bool {
    tree.blocks[leaf].kind == BlockKind::Pre && tree.runs(leaf).iter().any(|r| tree.slice(&r.text).contains('\n'))
}

fn text_bytes(tree: &KeptTree<'_>, leaf: usize) -> usize {
    tree.runs(leaf).iter().map(|r| r.text.len()).sum()
}

/// The content of a place in a [`Grid`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GridSlot {
    /// Nothing, or the rest of a span that is not repeated.
    Empty,
    /// A cell, by its block.
    Cell(usize),
    /// A further place of a cell that spans rows or columns.
    Again(usize),
}

impl GridSlot {
    /// Returns the cell that is written here.
    pub(super) fn cell(self) -> Option<usize> {
        match self {
            GridSlot::Empty => None,
            GridSlot::Cell(c) | GridSlot::Again(c) => Some(c),
        }
    }
}

/// The places of a table's cells.
pub(super) struct Grid {
    /// The rows without trailing empty places; rows and columns without any content are left out.
    pub(super) rows: Vec<Vec<GridSlot>>,
    pub(super) width: usize,
    /// Whether the first row holds the names of the columns.
    pub(super) headed: bool,
}

impl Grid {
    /// Resolves the spans of a table. With `repeat`, each row that a cell spans has its value, and each column, too, if it is a header.
    ///
    /// A row of Markdown must be readable alone, because readers, search indexes and language models look up rows; pandas and Docling
    /// repeat values, too. Repeating across the columns of a data row gains nothing: there the value is written once.
    pub(super) fn of(tree: &KeptTree<'_>, table: usize, repeat: bool) -> Grid {
        let blocks: Vec<usize> = tree.children(table).filter(|&r| tree.blocks[r].kind == BlockKind::Row).collect();
        let spans = spanned_width(tree, &blocks) <= MAX_SPANNED;
        let bytes: usize = tree.leaves(table).map(|l| text_bytes(tree, l)).sum();
        let mut budget = if repeat { bytes * MAX_REPEATED } else { 0 };
        // For each column, the cell from above, its length, and the row where it ends.
        let mut above: Vec<Above> = Vec::new();
        let mut rows: Vec<Vec<GridSlot>> = Vec::with_capacity(blocks.len());
        for (r, &row) in blocks.iter().enumerate() {
            let mut out: Vec<GridSlot> = Vec::new();
            // A name that spans several rows of headers is written in the first.
            let is_head = is_header_row(tree, row);
            for cell in tree.children(row) {
                let BlockKind::Cell { header, cols, rows } = tree.blocks[cell].kind else { continue };
                while let Some(a) = above.get(out.len()).filter(|a| a.until > r) {
                    out.push(if is_head { GridSlot::Empty } else { a.afford(&mut budget) });
                }
                let (at, cols) = (out.len(), cols as usize);
                out.push(if has_content(tree, cell) { GridSlot::Cell(cell) } else { GridSlot::Empty });
                if !spans || at + cols > MAX_SPANNED || cols == 1 && rows == 1 {
                    continue;
                }
                let own = Above::of(tree, cell, r + rows as usize);
                above.resize(above.len().max(at + cols), Above::NONE);
                above[at] = own;
                let further = if header { own } else { Above { slot: GridSlot::Empty, ..own } };
                for column in &mut above[at + 1..at + cols] {
                    out.push(further.afford(&mut budget));
                    *column = further;
                }
            }
            // Spans to the right of the last cell.
            let end = above.iter().rposition(|a| a.until > r).map_or(0, |i| i + 1);
            while out.len() < end {
                let a = above[out.len()];
                out.push(if a.until > r && !is_head { a.afford(&mut budget) } else { GridSlot::Empty });
            }
            rows.push(out);
        }
        let headed = rows.len() > 1 && blocks.first().is_some_and(|&r| is_header_row(tree, r));
        if repeat {
            drop_announcing_rows(tree, &mut rows);
        }
        let mut grid = Grid { rows, width: 0, headed };
        grid.compact();
        grid
    }

    /// Drops the rows and columns without content.
    fn compact(&mut self) {
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut used = vec![false; width];
        for row in &self.rows {
            row.iter().zip(&mut used).for_each(|(slot, used)| *used |= *slot != GridSlot::Empty);
        }
        let headed = self.headed && self.rows.first().is_some_and(|r| r.iter().any(|s| *s != GridSlot::Empty));
        self.rows.retain(|row| row.iter().any(|slot| *slot != GridSlot::Empty));
        if used.contains(&false) {
            for row in &mut self.rows {
                let mut column = 0..;
                row.retain(|_| column.next().is_some_and(|c: usize| used[c]));
            }
        }
        self.width = used.iter().filter(|u| **u).count();
        self.headed = headed && self.rows.len() > 1;
    }
}

/// A cell that spans a column of further rows.
#[derive(Clone, Copy)]
struct Above {
    slot: GridSlot,
    bytes: usize,
    /// The row where it ends.
    until: usize,
}

impl Above {
    const NONE: Above = Above { slot: GridSlot::Empty, bytes: 0, until: 0 };

    fn of(tree: &KeptTree<'_>, cell: usize, until: usize) -> Above {
        let mut leaves = tree.leaves(cell).filter(|&l| !tree.runs(l).is_empty());
        match (leaves.next(), leaves.next()) {
            (Some(l), None) if tree.has_text(l) => {
                Above { slot: GridSlot::Again(cell), bytes: text_bytes(tree, l), until }
            }
            // A picture or several paragraphs are written once.
            _ => Above { until, ..Above::NONE },
        }
    }

    /// Returns the slot for a further place, if the budget allows to write the cell again.
    fn afford(&self, budget: &mut usize) -> GridSlot {
        if self.slot == GridSlot::Empty || self.bytes > *budget {
            return GridSlot::Empty;
        }
        *budget -= self.bytes;
        self.slot
    }
}

/// Drops rows that hold only cells which the next rows repeat: a year that stands alone above its months.
fn drop_announcing_rows(tree: &KeptTree<'_>, rows: &mut Vec<Vec<GridSlot>>) {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let drop: Vec<bool> = (0..rows.len())
        .map(|r| r > 0 && rows.get(r + 1).is_some_and(|next| announces(tree, &rows[r], next, width)))
        .collect();
    let mut drop = drop.into_iter();
    rows.retain(|_| drop.next() != Some(true));
}

fn announces(tree: &KeptTree<'_>, row: &[GridSlot], next: &[GridSlot], width: usize) -> bool {
    let filled = row.iter().filter(|s| **s != GridSlot::Empty).count();
    row.iter().any(|s| matches!(s, GridSlot::Cell(_)))
        && filled < width
        && row.iter().filter(|s| matches!(s, GridSlot::Cell(_))).all(|s| {
            s.cell().is_some_and(|c| matches!(tree.blocks[c].kind, BlockKind::Cell { rows, .. } if rows > 1))
                && s.cell().is_some_and(|c| next.contains(&GridSlot::Again(c)))
        })
}

fn has_content(tree: &KeptTree<'_>, cell: usize) -> bool {
    tree.leaves(cell).any(|l| !tree.runs(l).is_empty())
}

/// Whether all cells of a row that have content are headers.
pub(super) fn is_header_row(tree: &KeptTree<'_>, row: usize) -> bool {
    let mut found = false;
    tree.children(row).all(|c| {
        let header = matches!(tree.blocks[c].kind, BlockKind::Cell { header: true, .. });
        found |= header;
        header || !has_content(tree, c)
    }) && found
}

/// Counts the rows of headers at the beginning of a table.
pub(super) fn header_rows(tree: &KeptTree<'_>, table: usize) -> usize {
    let headers = rows_of(tree, table).take_while(|&r| is_header_row(tree, r)).count();
    if headers == rows_of(tree, table).count() { 0 } else { headers }
}

fn rows_of<'a>(tree: &'a KeptTree<'_>, table: usize) -> impl Iterator<Item = usize> + 'a {
    tree.children(table).filter(|&r| tree.blocks[r].kind == BlockKind::Row)
}

fn spanned_width(tree: &KeptTree<'_>, rows: &[usize]) -> usize {
    rows.iter().map(|&r| row_width(tree, r)).max().unwrap_or(0)
}

fn row_width(tree: &KeptTree<'_>, r: usize) -> usize {
    let spans = tree.children(r).map(|c| match tree.blocks[c].kind {
        BlockKind::Cell { cols, .. } => cols as usize,
        _ => 1,
    });
    spans.sum::<usize>()
}

/// The alignment of a cell's text, if it differs from the usual one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Align {
    Center,
    Right,
}

impl Align {
    pub(super) fn name(self) -> &'static str {
        match self {
            Align::Center => "center",
            Align::Right => "right",
        }
    }

    /// Reads `align` and `style` of a cell or its row.
    pub(super) fn of(dom: &Dom<'_>, cell: NodeId) -> Option<Align> {
        if !matches!(dom.tag(cell), Tag::TD | Tag::TH) {
            return None;
        }
        let row = dom.parent(cell).filter(|&r| dom.tag(r) == Tag::TR);
        [Some(cell), row].into_iter().flatten().find_map(|n| align_of(dom, n)).flatten()
    }
}

/// Returns the alignment that an element states: `Some(None)` for the usual one.
fn align_of(dom: &Dom<'_>, n: NodeId) -> Option<Option<Align>> {
    let style = dom.attr(n, "style").and_then(|style| {
        let (_, value) = style.split(';').filter_map(|d| d.split_once(':')).find(|(p, _)| p.trim() == "text-align")?;
        Some(value.trim().trim_end_matches("!important").trim_end())
    });
    let value = style.or_else(|| dom.attr(n, "align").map(str::trim))?;
    Some(if value.eq_ignore_ascii_case("center") {
        Some(Align::Center)
    } else if value.eq_ignore_ascii_case("right") || value.eq_ignore_ascii_case("end") {
        Some(Align::Right)
    } else {
        None
    })
}
