//! Turns tables that only place formulas and their numbers into displayed formulas.
use super::super::tree::{BlockKind, KeptTree, RunKind};

/// Maximum number of characters of the number of a formula: `(12.3a)`.
const MAX_NUMBER_CHARS: usize = 9;

/// Replaces each table of formulas by one paragraph per row.
pub(super) fn flatten_equation_tables(tree: &mut KeptTree<'_>) {
    if !tree.runs.iter().any(|r| matches!(r.kind, RunKind::Math { .. })) {
        return;
    }
    for table in 0..tree.blocks.len() {
        if tree.blocks[table].kind != BlockKind::Table || !is_equation(tree, table) {
            continue;
        }
        tree.blocks[table].kind = BlockKind::Group;
        for row in tree.children(table).collect::<Vec<_>>() {
            tree.blocks[row].kind = BlockKind::Group;
            for cell in tree.children(row).collect::<Vec<_>>() {
                tree.blocks[cell].kind = BlockKind::Group;
            }
            join(tree, row);
        }
    }
}

/// What a leaf shows.
#[derive(PartialEq, Eq)]
enum Shows {
    Formula,
    Number,
    Other,
}

fn shows(tree: &KeptTree<'_>, leaf: usize) -> Shows {
    if tree.blocks[leaf].kind != BlockKind::Paragraph {
        return Shows::Other;
    }
    let (mut formulas, mut text) = (0, String::new());
    for run in tree.runs(leaf) {
        match run.kind {
            RunKind::Math { .. } => formulas += 1,
            RunKind::Text if text.len() <= MAX_NUMBER_CHARS * 4 => text.push_str(tree.slice(&run.text)),
            _ => return Shows::Other,
        }
    }
    let text = text.trim();
    let bracketed = text.starts_with(['(', '[']) && text.ends_with([')', ']']);
    let number = bracketed
        && text.chars().count() <= MAX_NUMBER_CHARS
        && text.contains(|c: char| c.is_ascii_digit() || c == '*');
    match formulas {
        0 if number => Shows::Number,
        1.. if text.chars().all(|c| c.is_ascii_punctuation() || c.is_whitespace()) => Shows::Formula,
        _ => Shows::Other,
    }
}

/// Whether a table holds only formulas and numbers: one formula in each row, or the two sides of a relation.
fn is_equation(tree: &KeptTree<'_>, table: usize) -> bool {
    let class = tree.content.dom.attr(tree.blocks[table].node, "class").unwrap_or("");
    let named = class.contains("equation") || class.contains("eqn");
    let mut any = false;
    for row in tree.children(table) {
        if tree.blocks[row].kind != BlockKind::Row {
            return false;
        }
        let (mut formulas, mut numbers) = (0, 0);
        for cell in tree.children(row) {
            if !matches!(tree.blocks[cell].kind, BlockKind::Cell { header: false, .. }) {
                return false;
            }
            for leaf in tree.leaves(cell) {
                match shows(tree, leaf) {
                    Shows::Formula => {
                        formulas += 1;
                        if formulas > 1 && !named && !begins_with_relation(tree, leaf) {
                            return false;
                        }
                    }
                    Shows::Number => numbers += 1,
                    Shows::Other => return false,
                }
            }
        }
        if numbers > 1 || formulas == 0 && numbers > 0 {
            return false;
        }
        any |= formulas > 0;
    }
    any
}

fn begins_with_relation(tree: &KeptTree<'_>, leaf: usize) -> bool {
    let first = tree.runs(leaf).iter().find(|r| matches!(r.kind, RunKind::Math { .. }));
    let tex = first.map_or("", |r| tree.slice(&r.text)).trim_start_matches("\\displaystyle").trim_start();
    const RELATIONS: [&str; 12] =
        ["=", "<", ">", "\\leq", "\\geq", "\\le", "\\ge", "\\approx", "\\equiv", "\\sim", "\\to", "\\in"];
    RELATIONS.iter().any(|r| tex.starts_with(r))
}

/// Makes one paragraph of the leaves of a row, with one displayed formula.
fn join(tree: &mut KeptTree<'_>, row: usize) {
    let leaves: Vec<usize> = tree.leaves(row).collect();
    let Some((&first, rest)) = leaves.split_first() else { return };
    let runs = tree.blocks[first].runs.start as usize..tree.blocks[leaves[leaves.len() - 1]].runs.end as usize;
    let mut last: Option<usize> = None;
    for i in runs.clone() {
        let text = tree.slice(&tree.runs[i].text).trim().to_owned();
        let left = last.filter(|&l| matches!(tree.runs[l].kind, RunKind::Math { .. }));
        let punctuation = text.chars().all(|c| matches!(c, '.' | ',' | ';' | ':'));
        match (tree.runs[i].kind, left) {
            (RunKind::Math { .. }, Some(left)) => {
                // The sides of a relation are one formula; its parts in MathML stay separate.
                append(tree, left, " ", &text);
                tree.runs[left].kind = RunKind::Math { display: true, math: None };
                clear(tree, i);
            }
            (RunKind::Math { math, .. }, None) => {
                tree.runs[i].kind = RunKind::Math { display: true, math };
                if let Some(before) = last {
                    append(tree, before, "", " ");
                }
                last = Some(i);
            }
            _ if text.is_empty() => clear(tree, i),
            (_, Some(left)) if punctuation => {
                append(tree, left, "", &text);
                tree.runs[left].kind = RunKind::Math { display: true, math: None };
                clear(tree, i);
            }
            _ => {
                let space = if last.is_some() { " " } else { "" };
                set_text(tree, i, &format!("{space}{text}"));
                last = Some(i);
            }
        }
    }
    tree.blocks[first].runs = runs.start as u32..runs.end as u32;
    for &leaf in rest {
        tree.blocks[leaf].kind = BlockKind::Group;
        tree.blocks[leaf].runs.start = tree.blocks[leaf].runs.end;
    }
}

fn append(tree: &mut KeptTree<'_>, run: usize, between: &str, text: &str) {
    let joined = format!("{}{between}{text}", tree.slice(&tree.runs[run].text));
    set_text(tree, run, &joined);
}

fn clear(tree: &mut KeptTree<'_>, run: usize) {
    tree.runs[run].kind = RunKind::Text;
    tree.runs[run].text = 0..0;
}

fn set_text(tree: &mut KeptTree<'_>, run: usize, text: &str) {
    let from = tree.text.len() as u32;
    tree.text.push_str(text);
    tree.runs[run].text = from..tree.text.len() as u32;
}
