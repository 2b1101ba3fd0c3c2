//! Writes GFM tables.
use super::super::tree::{Kind, Tree};
use super::inline::{Inlines, Place};

/// Most columns of a table whose spans are written as empty cells; the output of a wider one would grow faster than its source.
const MAX_SPANNED: usize = 64;

/// Returns the lines of a table, header and delimiter row first.
pub(super) fn lines<'t>(tree: &'t Tree<'t>, inlines: &mut Inlines<'t>, table: usize) -> Vec<String> {
    let rows: Vec<usize> = tree.children(table).filter(|&r| tree.blocks[r].kind == Kind::Row).collect();
    let spans = spanned_width(tree, &rows) <= MAX_SPANNED;
    let mut taken_until: Vec<usize> = Vec::new();
    let mut width = 0;
    let mut lines = Vec::with_capacity(rows.len() + 2);
    let mut headed = false;
    for (r, &row) in rows.iter().enumerate() {
        let mut line = String::new();
        let mut column = 0;
        let mut headers = true;
        for cell in tree.children(row) {
            let Kind::Cell { header, cols, rows } = tree.blocks[cell].kind else { continue };
            while spans && taken_until.get(column).is_some_and(|&until| until > r) {
                line.push_str("|  ");
                column += 1;
            }
            line.push_str("| ");
            write_cell(tree, inlines, cell, &mut line);
            line.push(' ');
            headers &= header || tree.blocks[cell].end as usize == cell + 1;
            let cols = if spans { cols as usize } else { 1 };
            line.push_str(&"|  ".repeat(cols - 1));
            if spans {
                taken_until.resize(taken_until.len().max(column + cols), 0);
                taken_until[column..column + cols].fill(r + rows as usize);
            }
            column += cols;
        }
        width = width.max(column);
        line.push('|');
        lines.push(line);
        if r == 0 {
            headed = headers && rows.len() > 1;
        }
    }
    frame(&mut lines, width, headed);
    lines
}

/// Inserts the delimiter row after the header, and an empty header if the table has none. The header spans every column.
fn frame(lines: &mut Vec<String>, width: usize, headed: bool) {
    if !headed {
        lines.insert(0, "|".into());
    }
    let cells = cells_of(&lines[0]);
    let missing = width.saturating_sub(cells);
    lines[0].push_str(&"  |".repeat(missing));
    lines.insert(1, format!("|{}", " --- |".repeat(width)));
}

/// Counts the cells of a line: its unescaped bars, less one.
fn cells_of(line: &str) -> usize {
    let (mut bars, mut escaped) = (0usize, false);
    for b in line.bytes() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'|' => bars += 1,
            _ => {}
        }
    }
    bars.saturating_sub(1)
}

fn spanned_width(tree: &Tree<'_>, rows: &[usize]) -> usize {
    let width = |r: usize| {
        let spans = tree.children(r).map(|c| match tree.blocks[c].kind {
            Kind::Cell { cols, .. } => cols as usize,
            _ => 1,
        });
        spans.sum::<usize>()
    };
    rows.iter().map(|&r| width(r)).max().unwrap_or(0)
}

/// Writes the leaves of a cell on one line, with lists and paragraphs separated by `<br>`.
fn write_cell<'t>(tree: &'t Tree<'t>, inlines: &mut Inlines<'t>, cell: usize, out: &mut String) {
    let mut first = true;
    inlines.crowded = tree.leaves(cell).nth(1).is_some();
    for leaf in tree.leaves(cell) {
        if tree.runs(leaf).is_empty() {
            continue;
        }
        if !std::mem::take(&mut first) {
            out.push_str("<br>");
        }
        let start = out.len();
        if tree.blocks[leaf].kind == Kind::Pre {
            super::inline_pre(tree, leaf, out);
        } else {
            inlines.write(leaf, Place::Cell, out);
        }
        if out.len() == start {
            first = out.ends_with("| ");
        }
    }
    inlines.crowded = false;
}
