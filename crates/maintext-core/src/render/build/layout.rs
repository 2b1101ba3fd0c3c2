//! Recognises tables that arrange a page instead of showing data.
use super::super::tree::{Kind, Tree};

/// Turns tables that arrange the page, rather than show data, into groups: tables with one column, with a nested table, with a role that says
/// so, or with children other than rows and cells.
pub(super) fn flatten_layout_tables(tree: &mut Tree<'_>) {
    let mut last_nested = 0;
    // Backwards, so that one pass knows for each table whether another one begins inside it.
    let mut flat = Vec::new();
    for i in (0..tree.blocks.len()).rev() {
        if tree.blocks[i].kind != Kind::Table {
            continue;
        }
        let nests = last_nested > i && last_nested < tree.blocks[i].end as usize;
        last_nested = i;
        if nests || is_layout(tree, i) {
            flat.push(i);
        }
    }
    for i in flat {
        let rows: Vec<usize> = tree.children(i).collect();
        tree.blocks[i].kind = Kind::Group;
        for r in rows {
            let cells: Vec<usize> = tree.children(r).collect();
            for c in cells {
                if matches!(tree.blocks[c].kind, Kind::Cell { .. }) {
                    tree.blocks[c].kind = Kind::Group;
                }
            }
            if matches!(tree.blocks[r].kind, Kind::Row | Kind::Caption) {
                tree.blocks[r].kind = Kind::Group;
            }
        }
    }
}

fn is_layout(tree: &Tree<'_>, table: usize) -> bool {
    let role = tree.content.dom.attr(tree.blocks[table].node, "role").unwrap_or("");
    if role.eq_ignore_ascii_case("presentation") || role.eq_ignore_ascii_case("none") {
        return true;
    }
    let (mut columns, mut closed) = (0, false);
    for r in tree.children(table) {
        match tree.blocks[r].kind {
            Kind::Caption => closed = columns > 0,
            Kind::Row if closed => return true,
            Kind::Row => {
                columns = columns.max(tree.children(r).count());
                if tree.children(r).any(|c| !matches!(tree.blocks[c].kind, Kind::Cell { .. })) {
                    return true;
                }
            }
            _ => return true,
        }
    }
    columns <= 1
}
