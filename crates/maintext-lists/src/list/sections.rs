//! The headings above lists and the sections in them.
use super::record::text_of;
use super::table::LinkTable;
use maintext_page::dom::Tag;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of bytes of a name.
const MAX_NAME: usize = 120;
/// Minimum mean number of entries below a heading; a heading above each entry is a part of it.
const MIN_ENTRIES: usize = 2;
/// At most one section in this many has a single entry.
const MAX_SINGLES: usize = 4;
/// Maximum number of headings before a list among which its own is sought.
const MAX_BEFORE: usize = 50;
/// The level of a row that is a heading.
const LEVEL_OF_ROW: u8 = 7;
/// Maximum number of elements around an entry among which the item that holds its list is sought.
const MAX_LEVELS_TO_LIST: usize = 6;

/// The name of a list, and for each entry that of its section.
#[derive(Default)]
pub(super) struct Sections {
    pub name: Option<String>,
    pub categories: Vec<Option<String>>,
}

/// Returns whether an element is a heading: also the only cell of a row, and a term without links.
fn is_heading(t: &LinkTable<'_>, e: usize) -> bool {
    let elements = &t.blocks.elements;
    match elements[e].tag {
        Tag::TH => elements[elements[e].parent as usize].descendants == elements[e].descendants + 1,
        Tag::DT => t.links_below(e) == 0,
        tag => tag.heading_level().is_some(),
    }
}

/// Returns the headings of a page.
pub(super) fn headings(t: &LinkTable<'_>) -> Vec<usize> {
    (0..t.blocks.elements.len()).filter(|e| is_heading(t, *e)).collect()
}

/// Returns the names by the headings before the records, outside of them. Headings below the first level name sections if there are several
/// with entries.
pub(super) fn sections(t: &LinkTable<'_>, headings: &[usize], records: &[&Range<usize>]) -> Sections {
    if headings.is_empty() {
        return Sections { name: None, categories: items(t, records) };
    }
    let level = |h: usize| t.blocks.elements[h].tag.heading_level().unwrap_or(LEVEL_OF_ROW);
    // For each record, the last heading before it that is in no record.
    let mut above: Vec<Option<usize>> = Vec::with_capacity(records.len());
    let start = records.first().map_or(0, |r| r.start);
    let first = headings.partition_point(|h| *h < start).saturating_sub(1);
    let mut next = headings[first..].iter().copied().peekable();
    let (mut current, mut end) = (None, 0);
    for r in records {
        while let Some(h) = next.next_if(|h| *h < r.start) {
            let holds_record = t.subtree(h).contains(&r.start);
            if h >= end && !holds_record {
                current = Some(h);
            }
        }
        end = end.max(r.end);
        above.push(current);
    }
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    above.iter().flatten().filter(|h| level(**h) > 1).for_each(|h| *counts.entry(*h).or_default() += 1);
    let singles = counts.values().filter(|n| **n == 1).count();
    let are_sections =
        counts.len() > 1 && MIN_ENTRIES * counts.len() <= records.len() && MAX_SINGLES * singles <= counts.len();
    let name = |h: usize| Some(text_of(t, h)).filter(|s| !s.is_empty() && s.len() <= MAX_NAME);
    if are_sections {
        let least = counts.keys().map(|h| level(*h)).min().unwrap_or(1);
        let mut before = headings[..=first].iter().rev().filter(|h| **h < start).take(MAX_BEFORE);
        let outer = before.find(|h| level(**h) < least);
        let categories = above.iter().map(|h| h.filter(|h| level(*h) > 1).and_then(name)).collect();
        return Sections { name: outer.copied().and_then(name), categories };
    }
    Sections { name: above.first().copied().flatten().and_then(name), categories: items(t, records) }
}

/// Returns the texts of the items that hold the lists of the records: "Fiction" with a list of books below it.
fn items(t: &LinkTable<'_>, records: &[&Range<usize>]) -> Vec<Option<String>> {
    let elements = &t.blocks.elements;
    let is_list = |e: usize| matches!(elements[e].tag, Tag::UL | Tag::OL);
    let item = |r: &&Range<usize>| {
        let list = t.blocks.element_chain(r.start).skip(1).take(MAX_LEVELS_TO_LIST).find(|e| is_list(*e))?;
        let item = elements[list].parent as usize;
        let (own, nested) = (elements[item].blocks.start, elements[list].blocks.start);
        if elements[item].tag != Tag::LI || own >= nested {
            return None;
        }
        let text = t.blocks.text(own as usize).trim();
        (!text.is_empty() && text.len() <= MAX_NAME).then(|| text.to_owned())
    };
    records.iter().map(item).collect()
}
