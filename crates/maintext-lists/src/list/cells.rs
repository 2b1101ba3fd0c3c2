//! The cells of an entry's row in the columns of its table, by the heads of the columns.
use super::record::text_of;
use super::table::LinkTable;
use maintext_page::dom::Tag;
use maintext_page::hash::HashMap;

/// Maximum number of elements around a link among which its row is sought.
const MAX_LEVELS_TO_ROW: usize = 8;
/// Maximum number of rows and cells at the beginning of a table among which the head of a column is sought.
const MAX_HEAD_ROWS: usize = 3;
const MAX_CELLS: usize = 40;

/// The columns with one kind of head.
pub(super) struct Headed {
    /// Returns whether a text in lower case is the head.
    is_head: fn(&str) -> bool,
    /// For each table, the number of its column.
    columns: HashMap<usize, Option<usize>>,
}

impl Headed {
    pub fn by(is_head: fn(&str) -> bool) -> Headed {
        Headed { is_head, columns: HashMap::default() }
    }

    /// Returns the cell in the column, in the row around an element.
    pub fn cell(&mut self, t: &LinkTable<'_>, element: usize) -> Option<usize> {
        let elements = &t.blocks.elements;
        let mut around = t.blocks.element_chain(element).take(MAX_LEVELS_TO_ROW);
        let row = around.find(|&e| elements[e].tag == Tag::TR)?;
        let table = t.blocks.element_chain(row).take(MAX_LEVELS_TO_ROW).find(|&e| elements[e].tag == Tag::TABLE)?;
        let is_head = self.is_head;
        let column = (*self.columns.entry(table).or_insert_with(|| column(t, table, is_head)))?;
        cells(t, row).into_iter().find(|c| c.0 == column).map(|c| c.1)
    }
}

/// Returns the column by the heads in the first rows of a table.
fn column(t: &LinkTable<'_>, table: usize, is_head: fn(&str) -> bool) -> Option<usize> {
    let rows = t.subtree(table).filter(|&e| t.blocks.elements[e].tag == Tag::TR).take(MAX_HEAD_ROWS);
    let mut cells = rows.flat_map(|row| cells(t, row));
    cells.find(|c| is_head(text_of(t, c.1).trim().to_lowercase().as_str())).map(|c| c.0)
}

/// Returns the cells of a row, each with the number of its column.
fn cells(t: &LinkTable<'_>, row: usize) -> Vec<(usize, usize)> {
    let mut column = 0;
    t.blocks
        .outermost(t.blocks.below(row))
        .take(MAX_CELLS)
        .map(|at| {
            let own = column;
            let span = t.dom.attr(t.blocks.elements[at].node, "colspan").and_then(|n| n.trim().parse::<usize>().ok());
            column += span.unwrap_or(1).clamp(1, MAX_CELLS);
            (own, at)
        })
        .collect()
}
