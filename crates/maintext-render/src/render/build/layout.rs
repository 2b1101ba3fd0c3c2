//! Recognises tables that arrange a page instead of showing data, the headers of the others, and lists that only indent.
use super::super::grid::{self, TableForm};
use super::super::tree::{BlockKind, InlineMark, KeptTree, RunKind};
use maintext_page::dom::Tag;

/// Turns tables that arrange the page, rather than show data, into groups: tables with one column, with a nested table and no headers, with the
/// role of a presentation, or with children other than rows and cells.
pub(super) fn flatten_layout_tables(tree: &mut KeptTree<'_>) {
    let mut last_nested = 0;
    // Backwards, so that one pass knows for each table whether another one begins inside it.
    let mut flat = Vec::new();
    for i in (0..tree.blocks.len()).rev() {
        if tree.blocks[i].kind != BlockKind::Table {
            continue;
        }
        let nests = last_nested > i && last_nested < tree.blocks[i].end as usize;
        last_nested = i;
        if (nests && !has_headers(tree, i)) || is_layout(tree, i) {
            flat.push(i);
        }
    }
    for i in flat {
        let rows: Vec<usize> = tree.children(i).collect();
        tree.blocks[i].kind = BlockKind::Group;
        for r in rows {
            let cells: Vec<usize> = tree.children(r).collect();
            for c in cells {
                if matches!(tree.blocks[c].kind, BlockKind::Cell { .. }) {
                    tree.blocks[c].kind = BlockKind::Group;
                }
            }
            if matches!(tree.blocks[r].kind, BlockKind::Row | BlockKind::Caption) {
                tree.blocks[r].kind = BlockKind::Group;
            }
        }
    }
}

/// Whether the table itself has a caption or a row of headers.
fn has_headers(tree: &KeptTree<'_>, table: usize) -> bool {
    tree.children(table).any(|r| match tree.blocks[r].kind {
        BlockKind::Caption => true,
        BlockKind::Row => grid::is_header_row(tree, r) && tree.children(r).count() > 1,
        _ => false,
    })
}

fn is_layout(tree: &KeptTree<'_>, table: usize) -> bool {
    let role = tree.content.dom.attr(tree.blocks[table].node, "role").unwrap_or("");
    if role.eq_ignore_ascii_case("presentation") || role.eq_ignore_ascii_case("none") {
        return true;
    }
    let (mut columns, mut rows, mut closed) = (0, 0, false);
    for r in tree.children(table) {
        match tree.blocks[r].kind {
            BlockKind::Caption => closed = columns > 0,
            BlockKind::Row if closed => return true,
            BlockKind::Row => {
                rows += 1;
                columns = columns.max(tree.children(r).filter(|&c| tree.blocks[c].end as usize > c + 1).count());
                if tree.children(r).any(|c| !matches!(tree.blocks[c].kind, BlockKind::Cell { .. })) {
                    return true;
                }
            }
            _ => return true,
        }
    }
    columns <= 1 || rows == 1 && grid::form(tree, table) == TableForm::Apart
}

/// Removes rows without content, and columns without content where no cell spans several.
pub(super) fn remove_empty_parts(tree: &mut KeptTree<'_>) {
    let mut drop: Vec<usize> = Vec::new();
    for table in 0..tree.blocks.len() {
        if tree.blocks[table].kind != BlockKind::Table {
            continue;
        }
        let rows: Vec<usize> = tree.children(table).filter(|&r| tree.blocks[r].kind == BlockKind::Row).collect();
        if rows.iter().any(|&r| tree.children(r).any(|c| spans(tree, c).1)) {
            continue;
        }
        let (empty, filled): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|&&r| tree.children(r).all(|c| tree.blocks[c].end as usize == c + 1));
        if filled.is_empty() {
            continue;
        }
        empty.iter().for_each(|&r| drop.extend(r..tree.blocks[r].end as usize));
        if filled.iter().any(|&r| tree.children(r).any(|c| spans(tree, c).0)) {
            continue;
        }
        let mut used: Vec<bool> = Vec::new();
        for &r in &filled {
            for (column, c) in tree.children(r).enumerate() {
                used.resize(used.len().max(column + 1), false);
                used[column] |= tree.blocks[c].end as usize != c + 1;
            }
        }
        if used.contains(&false) {
            let cells = filled.iter().flat_map(|&r| tree.children(r).zip(&used));
            drop.extend(cells.filter(|(_, used)| !**used).map(|(c, _)| c));
        }
    }
    if !drop.is_empty() {
        remove(tree, drop);
    }
}

/// Removes the signs that pages write before the items of a list without markers, where lists write their own: `<li><span>•</span><p>…`.
pub(super) fn remove_signs_of_items(tree: &mut KeptTree<'_>) {
    const SIGNS: [&str; 8] = ["•", "◦", "▪", "■", "●", "○", "‣", "·"];
    let signs = (0..tree.blocks.len()).filter(|&item| tree.blocks[item].kind == BlockKind::Item).filter_map(|item| {
        let mut parts = tree.children(item);
        let (first, _) = (parts.next()?, parts.next()?);
        let is_sign = tree.blocks[first].kind == BlockKind::Paragraph && SIGNS.contains(&tree.text_of(first).trim());
        is_sign.then_some(first)
    });
    let signs: Vec<usize> = signs.collect();
    if !signs.is_empty() {
        remove(tree, signs);
    }
}

/// Makes lists of one item with a heading plain parts of the page: each is the box around a section.
pub(super) fn unwrap_lists_of_sections(tree: &mut KeptTree<'_>) {
    for list in 0..tree.blocks.len() {
        if !matches!(tree.blocks[list].kind, BlockKind::List { .. }) {
            continue;
        }
        let items: Vec<usize> = tree.children(list).take(2).collect();
        let [item] = items[..] else { continue };
        let is_box = tree.blocks[item].kind == BlockKind::Item;
        let first = tree.leaves(item).next();
        if is_box && first.is_some_and(|leaf| matches!(tree.blocks[leaf].kind, BlockKind::Heading(_))) {
            tree.blocks[list].kind = BlockKind::Group;
            tree.blocks[item].kind = BlockKind::Group;
        }
    }
}

fn spans(tree: &KeptTree<'_>, c: usize) -> (bool, bool) {
    match tree.blocks[c].kind {
        BlockKind::Cell { cols, rows, .. } => (cols > 1, rows > 1),
        _ => (false, false),
    }
}

/// Makes the cells of rows in `<thead>` headers, and in a table without any those of a first row that alone is bold or names columns of
/// numbers.
pub(super) fn mark_headers(tree: &mut KeptTree<'_>) {
    for table in 0..tree.blocks.len() {
        if tree.blocks[table].kind != BlockKind::Table {
            continue;
        }
        let dom = tree.content.dom;
        let (heads, all) = (
            rows_of(tree, table)
                .take_while(|r| dom.parent(tree.blocks[*r].node).is_some_and(|p| dom.tag(p) == Tag::THEAD))
                .count(),
            rows_of(tree, table).count(),
        );
        let heads = match heads {
            0 if all > 1
                && !rows_of(tree, table).any(|r| {
                    tree.children(r).any(|c| matches!(tree.blocks[c].kind, BlockKind::Cell { header: true, .. }))
                }) =>
            {
                let mut rows = rows_of(tree, table);
                let first = rows.next();
                let bold = first.is_some_and(|r| is_bold(tree, r));
                let is_alone = bold && !rows.next().is_some_and(|r| is_bold(tree, r));
                let is_headed = first.is_some_and(|r| is_headings(tree, r)) && has_short_cells(tree, table);
                (is_alone || is_headed || names_columns(tree, table)) as usize
            }
            n if n < all => n,
            _ => 0,
        };
        let cells: Vec<usize> = rows_of(tree, table).take(heads).flat_map(|r| tree.children(r)).collect();
        for c in cells {
            if let BlockKind::Cell { header, .. } = &mut tree.blocks[c].kind {
                *header = true;
            }
        }
    }
}

fn rows_of<'a>(tree: &'a KeptTree<'_>, table: usize) -> impl Iterator<Item = usize> + 'a {
    tree.children(table).filter(|&r| tree.blocks[r].kind == BlockKind::Row)
}

/// Whether the first row of a table holds names of columns: short texts without digits, above at least one column whose cells all have
/// digits.
fn names_columns(tree: &KeptTree<'_>, table: usize) -> bool {
    /// Maximum number of rows that are compared.
    const MAX_COMPARED_ROWS: usize = 100;
    // The beginning of a cell's text: cells may nest, and each is read once per level.
    let mut rows = tree.children(table).filter(|&r| tree.blocks[r].kind == BlockKind::Row);
    let names: Vec<String> =
        rows.next().into_iter().flat_map(|r| tree.children(r)).map(|cell| name_text(tree, cell)).collect();
    // The corner may be empty.
    if names.len() < 2
        || !names.iter().enumerate().all(|(i, t)| {
            (i == 0 || !t.is_empty()) && t.len() <= MAX_NAME_BYTES && !t.contains(|c: char| c.is_numeric())
        })
    {
        return false;
    }
    let mut numeric = vec![true; names.len()];
    let mut below = 0;
    for row in rows.take(MAX_COMPARED_ROWS) {
        below += 1;
        let cells: Vec<usize> = tree.children(row).take(names.len() + 1).collect();
        if cells.len() != names.len() {
            return false;
        }
        for (n, cell) in numeric.iter_mut().zip(cells) {
            *n = *n && name_text(tree, cell).contains(|c: char| c.is_numeric());
        }
    }
    // Of two columns the first may name properties, some of which have numbers as values.
    below > if names.len() == 2 { 2 } else { 1 } && numeric.contains(&true)
}

/// Maximum number of bytes of a name.
const MAX_NAME_BYTES: usize = 60;

fn name_text(tree: &KeptTree<'_>, cell: usize) -> String {
    let mut out = String::new();
    for run in tree.leaves(cell).flat_map(|l| tree.runs(l)) {
        out.push_str(tree.slice(&run.text));
        if out.len() > MAX_NAME_BYTES {
            break;
        }
    }
    out.trim().to_owned()
}

/// Whether a row has at least two cells with text.
fn has_two_cells(tree: &KeptTree<'_>, row: usize) -> bool {
    tree.children(row).filter(|&c| tree.leaves(c).any(|l| tree.has_text(l))).take(2).count() == 2
}

/// Whether a row has at least two cells with text, and each holds nothing but a heading.
fn is_headings(tree: &KeptTree<'_>, row: usize) -> bool {
    has_two_cells(tree, row) && tree.leaves(row).all(|l| matches!(tree.blocks[l].kind, BlockKind::Heading(_)))
}

/// Whether the cells of all rows but the first hold at most one paragraph each: columns of a page hold more.
fn has_short_cells(tree: &KeptTree<'_>, table: usize) -> bool {
    let mut cells = rows_of(tree, table).skip(1).flat_map(|r| tree.children(r));
    cells.all(|c| tree.leaves(c).take(2).all(|l| l == c + 1 && tree.blocks[l].kind == BlockKind::Paragraph))
}

/// Whether a row has at least two cells with text, and all its text is bold.
fn is_bold(tree: &KeptTree<'_>, row: usize) -> bool {
    has_two_cells(tree, row)
        && tree.leaves(row).all(|l| tree.blocks[l].kind == BlockKind::Paragraph && is_bold_leaf(tree, l))
}

fn is_bold_leaf(tree: &KeptTree<'_>, leaf: usize) -> bool {
    let text = tree.runs(leaf).iter().filter(|r| r.kind == RunKind::Text);
    text.filter(|r| !tree.slice(&r.text).trim().is_empty()).all(|r| tree.is_in(r.inline, InlineMark::Strong))
}

/// Joins lists that pages wrap in an item of their own to indent them: an item that holds only lists becomes part of the item before it, and a
/// list whose only item holds only a list is left out.
pub(super) fn join_wrapped_lists(tree: &mut KeptTree<'_>) {
    let mut drop: Vec<usize> = Vec::new();
    for list in 0..tree.blocks.len() {
        if !is_list(tree.blocks[list].kind) {
            continue;
        }
        let items: Vec<usize> = tree.children(list).collect();
        if let [item] = items[..]
            && wraps_lists(tree, item)
            && tree.blocks[item + 1].end == tree.blocks[item].end
        {
            drop.extend([list, item]);
            continue;
        }
        // If all items hold only lists, these are their parts.
        let mut last: Option<usize> = None;
        let is_indented = !items.iter().all(|&item| wraps_lists(tree, item));
        for &item in &items {
            match last {
                Some(last) if is_indented && wraps_lists(tree, item) && tree.blocks[last].kind == BlockKind::Item => {
                    tree.blocks[last].end = tree.blocks[item].end;
                    drop.push(item);
                }
                _ => last = Some(item),
            }
        }
    }
    if !drop.is_empty() {
        remove(tree, drop);
    }
}

fn is_list(k: BlockKind) -> bool {
    matches!(k, BlockKind::List { .. })
}

fn wraps_lists(tree: &KeptTree<'_>, item: usize) -> bool {
    tree.blocks[item].kind == BlockKind::Item
        && is_list(tree.blocks.get(item + 1).map_or(BlockKind::Rule, |b| b.kind))
        && tree.blocks[item].end > item as u32 + 1
        && tree.children(item).all(|c| is_list(tree.blocks[c].kind))
}

/// Removes blocks, but not their children.
fn remove(tree: &mut KeptTree<'_>, mut blocks: Vec<usize>) {
    blocks.sort_unstable();
    for b in &mut tree.blocks {
        b.end -= count_before(&blocks, b.end);
    }
    tree.tasks.retain(|t| blocks.binary_search(&(t.0 as usize)).is_err());
    for t in &mut tree.tasks {
        t.0 -= count_before(&blocks, t.0);
    }
    let (mut at, mut next) = (0, 0);
    tree.blocks.retain(|_| {
        let removed = blocks.get(next) == Some(&at);
        at += 1;
        next += removed as usize;
        !removed
    });
}

fn count_before(blocks: &[usize], i: u32) -> u32 {
    blocks.partition_point(|&b| (b as u32) < i) as u32
}
