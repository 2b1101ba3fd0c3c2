//! The headings above lists and the sections in them.
use super::record::text_of;
use super::table::LinkTable;
use super::title;
use maintext_facts::metadata::text::dates::scan;
use maintext_page::dom::Tag;
use maintext_page::hash::HashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of bytes of a name.
const MAX_NAME: usize = 120;
/// If this many records, and one record in so many, hold headings with the same markup, other headings with it are titles of entries.
const MIN_TITLES: usize = 2;
const RECORDS_PER_TITLE: usize = 4;
/// Minimum mean number of entries below a heading; a heading above each entry is a part of it.
const MIN_ENTRIES: usize = 2;
/// At most one section in this many has a single entry.
const MAX_SINGLES: usize = 4;
/// Maximum number of headings before a list among which its own is sought.
const MAX_BEFORE: usize = 50;
/// The level of a row that is a heading.
const LEVEL_OF_ROW: u8 = 7;
/// Maximum number of elements around a heading in which its box is sought, and minimum number of words of a sentence in it.
const MAX_LEVELS_TO_BOX: usize = 6;
const MIN_SENTENCE_WORDS: u32 = 5;
/// Maximum number of elements around an entry among which the item that holds its list is sought.
const MAX_LEVELS_TO_LIST: usize = 6;

/// The name of a list, and the name of each entry's section.
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

/// A heading and its rank: the level, the hash of its markup.
#[derive(Clone, Copy, PartialEq)]
struct Heading {
    element: usize,
    level: u8,
    kind: u32,
}

/// Returns the names by the headings before the records, outside of them. Headings below the first level with the same markup name sections if
/// there are several with entries.
pub(super) fn sections(t: &LinkTable<'_>, headings: &[usize], records: &[&Range<usize>]) -> Sections {
    if headings.is_empty() {
        return Sections { name: None, categories: items(t, records) };
    }
    let start = records.first().map_or(0, |r| r.start);
    let first = headings.partition_point(|h| *h < start).saturating_sub(1);
    // The headings outside of the records, with the number of records before each, and how many records have a heading of each markup.
    let (mut outside, mut inside): (Vec<(Heading, usize)>, HashMap<u32, usize>) = Default::default();
    let (mut record, mut end) = (0, 0);
    for heading in headings[first..].iter().map(|h| read_heading(t, *h)) {
        while let Some(r) = records.get(record).filter(|r| r.start <= heading.element) {
            end = end.max(r.end);
            record += 1;
        }
        if heading.element < end {
            *inside.entry(heading.kind).or_default() += 1;
        } else if records.get(record).is_none_or(|r| !t.subtree(heading.element).contains(&r.start))
            && !is_of_teaser(t, heading.element, records)
        {
            outside.push((heading, record));
        }
    }
    // A heading of a kind that occurs in the records is the title of another entry.
    let least = MIN_TITLES.max(records.len() / RECORDS_PER_TITLE);
    let is_title = |h: &Heading| inside.get(&h.kind).is_some_and(|n| *n >= least);
    let of_list = outside.iter().rfind(|h| h.1 == 0 && !is_title(&h.0)).map(|h| h.0);
    let outer = |level: u8| {
        let mut before = headings[..=first].iter().rev().filter(|h| **h < start).take(MAX_BEFORE);
        before.find(|h| read_heading(t, **h).level < level).copied()
    };
    // For each record, the last heading before it that is in no record and not a title.
    let mut next = outside.iter().filter(|h| !is_title(&h.0)).peekable();
    let mut current = None;
    let last = (0..records.len()).map(|record| {
        while let Some((heading, _)) = next.next_if(|h| h.1 <= record) {
            current = Some(*heading);
        }
        current
    });
    let last: Vec<Option<Heading>> = last.collect();
    let mut counts: BTreeMap<(u8, u32), usize> = BTreeMap::new();
    let below_first = last.iter().flatten().filter(|h| h.level > 1);
    below_first.for_each(|h| *counts.entry((h.level, h.kind)).or_default() += 1);
    if let Some(((level, kind), _)) = counts.into_iter().max_by_key(|c| c.1) {
        let above: Vec<Option<Heading>> =
            last.iter().map(|h| h.filter(|h| (h.level, h.kind) == (level, kind))).collect();
        let mut of_section: BTreeMap<usize, usize> = BTreeMap::new();
        above.iter().flatten().for_each(|h| *of_section.entry(h.element).or_default() += 1);
        let singles = of_section.values().filter(|n| **n == 1).count();
        let held: usize = of_section.values().sum();
        let names = of_section.keys().filter_map(|h| Some((*h, name_of(t, *h).filter(|s| !s.ends_with(['.', '?']))?)));
        let names: BTreeMap<usize, String> = names.collect();
        // The days of a log may have one entry each.
        let are_days = names.values().all(|name| title::is_date(name, &scan::Hint::default()));
        if names.len() > 1
            && 2 * names.len() > of_section.len()
            && (are_days || MIN_ENTRIES * of_section.len() <= held && MAX_SINGLES * singles <= of_section.len())
            && 2 * held > records.len()
        {
            let categories = above.iter().map(|h| names.get(&h.as_ref()?.element).cloned()).collect();
            return Sections { name: outer(level).and_then(|h| name_of(t, h)), categories };
        }
    }
    // A heading above a few of the records names a part of the list.
    let own = of_list.map_or(0, |list| last.iter().filter(|h| **h == Some(list)).count());
    let of_part = if 2 * own < records.len() { of_list } else { None };
    let outer = of_part.and_then(|part| outer(part.level));
    Sections { name: outer.or(of_list.map(|h| h.element)).and_then(|h| name_of(t, h)), categories: items(t, records) }
}

/// Whether a heading belongs to a box between the records that has a sentence and a link of its own: an advertisement, an invitation. The name of
/// a section is alone, or above its records.
fn is_of_teaser(t: &LinkTable<'_>, heading: usize, records: &[&Range<usize>]) -> bool {
    let blocks = t.blocks;
    let holds_record = |e: usize| {
        let inside = t.subtree(e);
        let next = records.partition_point(|r| r.start < inside.start);
        records.get(next).is_some_and(|r| inside.contains(&r.start))
    };
    let around = blocks.element_chain(heading).skip(1).take(MAX_LEVELS_TO_BOX);
    let Some(own) = around.take_while(|&e| !holds_record(e)).last() else { return false };
    let of_heading = &blocks.elements[heading].blocks;
    let is_sentence = |b: u32| {
        let block = &blocks.blocks[b as usize];
        !of_heading.contains(&b) && block.words >= MIN_SENTENCE_WORDS && 2 * block.link_chars < block.chars
    };
    t.links_below(own) > 0 && blocks.elements[own].blocks.clone().any(is_sentence)
}

fn read_heading(t: &LinkTable<'_>, element: usize) -> Heading {
    let level = t.blocks.elements[element].tag.heading_level().unwrap_or(LEVEL_OF_ROW);
    Heading { element, level, kind: t.kind[element] }
}

fn name_of(t: &LinkTable<'_>, h: usize) -> Option<String> {
    Some(text_of(t, h)).filter(|s| !s.is_empty() && s.len() <= MAX_NAME)
}

/// Returns the texts of the items that hold the lists of the records: "Fiction" with a list of books below it.
fn items(t: &LinkTable<'_>, records: &[&Range<usize>]) -> Vec<Option<String>> {
    let elements = &t.blocks.elements;
    records
        .iter()
        .map(|r| {
            let list = t
                .blocks
                .element_chain(r.start)
                .skip(1)
                .take(MAX_LEVELS_TO_LIST)
                .find(|e| matches!(elements[*e].tag, Tag::UL | Tag::OL))?;
            let item = elements[list].parent as usize;
            let (own, nested) = (elements[item].blocks.start, elements[list].blocks.start);
            if elements[item].tag != Tag::LI || own >= nested {
                return None;
            }
            let text = t.blocks.text(own as usize).trim();
            (!text.is_empty() && text.len() <= MAX_NAME).then(|| text.to_owned())
        })
        .collect()
}
