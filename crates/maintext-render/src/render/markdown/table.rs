//! Writes GFM tables.
use super::super::grid::{Align, Grid, GridSlot};
use super::super::tree::{BlockKind, KeptTree};
use super::inline::Inlines;
use super::token::LeafContext;

/// Returns the lines of a table, header and delimiter row first.
pub(super) fn lines<'t>(tree: &'t KeptTree<'t>, inlines: &mut Inlines<'t>, table: usize) -> Vec<String> {
    let grid = Grid::of(tree, table, tree.content.options.repeat_spans);
    if grid.rows.is_empty() {
        return Vec::new();
    }
    let mut lines = Vec::with_capacity(grid.rows.len() + 2);
    if !grid.headed {
        lines.push(format!("|{}", "  |".repeat(grid.width)));
    }
    for (r, row) in grid.rows.iter().enumerate() {
        inlines.in_header = grid.headed && r == 0;
        let mut line = String::from("|");
        for slot in row {
            line.push(' ');
            if let Some(cell) = slot.cell() {
                write_cell(tree, inlines, cell, &mut line);
            }
            line.push_str(" |");
        }
        if r == 0 {
            // The header has to have all columns.
            line.push_str(&"  |".repeat(grid.width.saturating_sub(row.len())));
        }
        lines.push(line);
    }
    inlines.in_header = false;
    lines.insert(1, delimiters(tree, &grid));
    lines
}

/// Returns the row below the header, with the alignment of each column: of its first cell below the header, or of the header if the column
/// is empty there.
fn delimiters(tree: &KeptTree<'_>, grid: &Grid) -> String {
    let body = &grid.rows[grid.headed as usize..];
    let mut out = String::from("|");
    for column in 0..grid.width {
        let cell = first_cell(body, column).or_else(|| first_cell(&grid.rows[..1], column));
        out.push_str(match cell.and_then(|c| Align::of(tree.content.dom, tree.blocks[c].node)) {
            None => " --- |",
            Some(Align::Center) => " :---: |",
            Some(Align::Right) => " ---: |",
        });
    }
    out
}

fn first_cell(rows: &[Vec<GridSlot>], column: usize) -> Option<usize> {
    let cells = rows.iter().filter_map(|row| row.get(column));
    cells.take(4).find_map(|s| s.cell())
}

/// Writes the leaves of a cell on one line, with a bullet before each item of a list. The lines of a cell are separated by spaces: `<br>` would be
/// markup for browsers only.
fn write_cell<'t>(tree: &'t KeptTree<'t>, inlines: &mut Inlines<'t>, cell: usize, out: &mut String) {
    inlines.crowded = tree.leaves(cell).nth(1).is_some();
    let start = out.len();
    let mut item = false;
    for i in cell + 1..tree.blocks[cell].end as usize {
        let kind = tree.blocks[i].kind;
        item |= kind == BlockKind::Item;
        if !kind.is_leaf() || tree.runs(i).is_empty() {
            continue;
        }
        let before = out.len();
        if out.len() > start {
            out.push(' ');
        }
        if std::mem::take(&mut item) {
            out.push_str("• ");
        }
        let text = out.len();
        if kind == BlockKind::Pre {
            super::inline_pre(tree, i, out);
        } else {
            inlines.write(i, LeafContext::Cell, out);
        }
        if out.len() == text {
            out.truncate(before);
        }
    }
    inlines.crowded = false;
}
