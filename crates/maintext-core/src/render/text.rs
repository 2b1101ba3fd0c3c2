//! Writes plain text with the page's own line structure.
use super::tree::{Kind, RunKind, Step, Tree};

/// Separates the cells of a row.
const CELL: &str = " | ";

/// Writes each block on its own line; line breaks and preformatted lines stay separate lines. List items begin with `- `, and a table row is
/// one line. Nothing else is added to the page's words.
pub(super) fn write(tree: &Tree<'_>) -> String {
    let mut out = String::with_capacity(tree.text.len() + tree.blocks.len() * 2);
    let mut item = false;
    let mut walk = tree.walk();
    while let Some(step) = walk.next() {
        let Step::Open(i) = step else { continue };
        match tree.blocks[i].kind {
            Kind::Item => item = true,
            Kind::Post(_) if !out.is_empty() => out.push('\n'),
            Kind::Table if !tree.is_blocky(i) => {
                for child in tree.children(i) {
                    write_row(tree, child, std::mem::take(&mut item), &mut out);
                }
                walk.skip_subtree();
            }
            Kind::Paragraph | Kind::Byline | Kind::Heading(_) | Kind::Pre if tree.has_text(i) => {
                if std::mem::take(&mut item) {
                    out.push_str("- ");
                }
                write_leaf(tree, i, if matches!(tree.blocks[i].kind, Kind::Heading(_)) { ' ' } else { '\n' }, &mut out);
                out.push('\n');
            }
            _ => {}
        }
    }
    out
}

/// Writes a row, or the caption of a table.
fn write_row(tree: &Tree<'_>, row: usize, item: bool, out: &mut String) {
    let line = out.len();
    if item {
        out.push_str("- ");
    }
    let start = out.len();
    let is_row = tree.blocks[row].kind == Kind::Row;
    for (c, cell) in tree.children(row).enumerate() {
        if c > 0 {
            out.push_str(if is_row { CELL } else { " " });
        }
        for (n, leaf) in tree.leaves(cell).filter(|&l| tree.has_text(l)).enumerate() {
            if n > 0 {
                out.push(' ');
            }
            write_leaf(tree, leaf, ' ', out);
        }
    }
    let end = out.trim_end_matches([' ', '|']).len().max(start);
    // Bars that the page itself has at the end of a line are text.
    let own = tree.leaves(row).filter(|&l| tree.has_text(l)).last().is_some_and(|l| ends_with_bar(tree, l));
    if !own {
        out.truncate(end);
    }
    if out[start..].trim().is_empty() {
        out.truncate(line);
    } else {
        out.push('\n');
    }
}

fn ends_with_bar(tree: &Tree<'_>, leaf: usize) -> bool {
    tree.runs(leaf)
        .iter()
        .rev()
        .find(|r| r.kind == RunKind::Text)
        .is_some_and(|r| tree.slice(&r.text).trim_end().ends_with('|'))
}

/// Appends the text of a leaf, whose line breaks become `line_break`.
pub(super) fn write_leaf(tree: &Tree<'_>, leaf: usize, line_break: char, out: &mut String) {
    let start = out.len();
    let pre = tree.blocks[leaf].kind == Kind::Pre;
    for run in tree.runs(leaf) {
        let text = tree.slice(&run.text);
        match run.kind {
            RunKind::Text if pre && line_break == '\n' => out.push_str(text),
            RunKind::Text if pre => out.push_str(&text.replace('\n', " ")),
            // Two spaces around an image become one.
            RunKind::Text if out.len() == start || out.ends_with([' ', '\n']) => out.push_str(text.trim_start()),
            RunKind::Text | RunKind::Math { .. } => out.push_str(text),
            RunKind::Break => {
                let end = out.trim_end_matches(' ').len().max(start);
                out.truncate(end);
                if out.len() > start {
                    out.push(line_break);
                }
            }
            RunKind::Image(_) | RunKind::Media { .. } => {}
        }
    }
    let end = out.trim_end().len().max(start);
    out.truncate(end);
}
