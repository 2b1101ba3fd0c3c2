//! Buttons and tags of records: "Buy", "Edit", "Science". They are never entries.
use super::columns::Keys;
use super::table::{LinkTable, MIN_RECORDS};
use maintext_page::dom::Tag;
use maintext_page::hash::{HashMap, HashSet};

/// A label in one of this many records is a button.
const MAX_RECORDS_PER_BUTTON: usize = 3;
/// Maximum number of links of a record among which one with a text of its own is sought.
const MAX_BESIDE: usize = 30;

/// Returns for each link whether it is a button or a tag of a record: many records have its label once, or several its address, and
/// another link of the record has a text of its own.
pub(super) fn buttons(t: &LinkTable<'_>, keys: &Keys) -> Vec<bool> {
    let repeats = &t.repeats;
    let mut places: HashMap<(u32, u32), HashSet<u32>> = HashMap::default();
    for (i, l) in t.links.iter().enumerate() {
        places.entry((keys.path[i], t.links[i].target)).or_default().insert(t.blocks.elements[l.element].parent);
    }
    let is_tag = |i: usize| places[&(keys.path[i], t.links[i].target)].len() >= MIN_RECORDS;
    // For each label, its links in records and the records.
    let mut of_label: HashMap<&str, (usize, HashSet<u32>)> = HashMap::default();
    for (i, l) in t.links.iter().enumerate().filter(|(i, _)| repeats[*i]) {
        if let Some((e, _)) = record_and_kin(t, i) {
            let own = of_label.entry(l.label()).or_default();
            own.0 += 1;
            own.1.insert(e);
        }
    }
    let of_cells = buttons_of_cells(t);
    let are_buttons = (0..t.links.len()).map(|i| {
        if !repeats[i] && !is_tag(i) {
            return false;
        }
        if of_cells[i] {
            return true;
        }
        let Some((record, kin)) = record_and_kin(t, i) else { return false };
        let links = t.links_in(record as usize);
        let own = if repeats[i] { of_label.get(t.links[i].label()) } else { None };
        let is_label = own
            .is_some_and(|(links, records)| records.len() == *links && MAX_RECORDS_PER_BUTTON * links >= kin as usize);
        let mut others = links.start..links.end.min(links.start + MAX_BESIDE);
        (is_tag(i) || is_label)
            && others.any(|j| {
                let l = &t.links[j];
                l.target != t.links[i].target && l.url.is_some() && !l.text.is_empty() && !repeats[j] && !is_tag(j)
            })
    });
    are_buttons.collect()
}

/// Returns for each link whether it is a button of a grid of cells, as in "title, price, Buy": at least half of the cells of the table with
/// several links have its label once, and another link with a text of its own.
fn buttons_of_cells(t: &LinkTable<'_>) -> Vec<bool> {
    let cells: Vec<Option<(usize, usize)>> = (0..t.links.len()).map(|i| table_and_cell(t, i)).collect();
    let mut of_table: HashMap<usize, HashSet<usize>> = HashMap::default();
    let mut of_label: HashMap<(usize, &str), (usize, HashSet<usize>)> = HashMap::default();
    for (i, (table, cell)) in cells.iter().enumerate().filter_map(|(i, at)| Some((i, (*at)?))) {
        of_table.entry(table).or_default().insert(cell);
        let mut others = t.links_in(cell);
        if t.repeats[i] && others.any(|j| t.links[j].url.is_some() && !t.links[j].text.is_empty() && !t.repeats[j]) {
            let own = of_label.entry((table, t.links[i].label())).or_default();
            own.0 += 1;
            own.1.insert(cell);
        }
    }
    let are_buttons = cells.iter().enumerate().map(|(i, at)| {
        let Some((table, _)) = *at else { return false };
        let own = of_label.get(&(table, t.links[i].label()));
        own.is_some_and(|(links, cells)| {
            *links >= MIN_RECORDS && *links == cells.len() && 2 * links >= of_table[&table].len()
        })
    });
    are_buttons.collect()
}

/// Returns the table and the cell that a link is in, if the cell has several links, but not as many as a part of a page's layout.
fn table_and_cell(t: &LinkTable<'_>, i: usize) -> Option<(usize, usize)> {
    /// Maximum number of elements between a link and its cell, and between that and the table.
    const MAX_LEVELS: usize = 6;
    let mut around = t.blocks.element_chain(t.links[i].element).take(MAX_LEVELS);
    let cell = around.find(|&e| matches!(t.blocks.elements[e].tag, Tag::TD | Tag::TH))?;
    let mut around = t.blocks.element_chain(cell).take(MAX_LEVELS);
    let table = around.find(|&e| t.blocks.elements[e].tag == Tag::TABLE)?;
    if (2..=MAX_BESIDE).contains(&t.links_in(cell).len()) { Some((table, cell)) } else { None }
}

fn record_and_kin(t: &LinkTable<'_>, i: usize) -> Option<(u32, u32)> {
    t.record_level(i).element.map(|e| (e, t.record_level(i).kin))
}
