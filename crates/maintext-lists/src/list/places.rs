//! The places of a record with several links: its title, its authors, its subjects. One of them leads to the entry.
use super::columns::Keys;
use super::table::{LinkTable, MAX_LEVELS_TO_RECORD, MIN_RECORDS};
use maintext_html::Attr;
use maintext_page::hash::{HashMap, HashSet};
use std::collections::BTreeMap;

/// Links of other groups within a record of the best group are parts of it below this share of its own link's probability: tags, authors,
/// comment counts, colours.
pub(super) const KEEP_BESIDE: f32 = 0.9;
/// Maximum share of distinct addresses among the links of records to subjects or authors.
const MAX_SHARE_DISTINCT: f32 = 0.8;
/// Factor of the probability of such links: the titles of two copies of a list share their addresses, too.
const WORTH_OF_SHARED: f32 = 0.5;
/// Maximum number of siblings whose classes are compared.
const MAX_SIBLINGS: usize = 30;

/// Keeps the links of one place if a record has links in several: its title, without the picture and the author. The places with the
/// largest mean probability over the list come first, but places of subjects or of authors who have several records last.
pub(super) fn one_place_of_record(t: &LinkTable<'_>, keys: &Keys, links: Vec<usize>, p: &[f32]) -> Vec<usize> {
    let mut of_place: HashMap<(u32, bool), (f32, f32)> = HashMap::default();
    for &i in &links {
        let sum = of_place.entry((keys.signature[i], t.links[i].text.is_empty())).or_default();
        *sum = (sum.0 + p[i], sum.1 + 1.0);
    }
    for signature in shared_places(t, keys, &links) {
        of_place.entry((signature, false)).and_modify(|sum| sum.0 *= WORTH_OF_SHARED);
    }
    let worth =
        |i: usize| of_place.get(&(keys.signature[i], t.links[i].text.is_empty())).map_or(0.0, |(sum, n)| sum / n);
    let records = records_of(t, &links);
    let mut best: HashMap<u32, usize> = HashMap::default();
    for (&i, record) in links.iter().zip(&records) {
        let Some(record) = *record else { continue };
        let first = best.entry(record).or_insert(i);
        if worth(i) > worth(*first) {
            *first = i;
        }
    }
    let kept = links.into_iter().zip(records).filter(|(i, record)| {
        let own = record.and_then(|record| best.get(&record));
        own.is_none_or(|own| {
            (keys.signature[*own], t.links[*own].text.is_empty()) == (keys.signature[*i], t.links[*i].text.is_empty())
                || worth(*i) >= KEEP_BESIDE * worth(*own) && is_like(t, *i, *own)
        })
    });
    kept.map(|(i, _)| i).collect()
}

/// Returns the markup of the list's links of which many lead to addresses that several records share: subjects, authors.
fn shared_places(t: &LinkTable<'_>, keys: &Keys, links: &[usize]) -> Vec<u32> {
    let places: HashSet<u32> = links.iter().map(|&i| keys.signature[i]).collect();
    let alike = (0..t.links.len()).filter(|&i| t.links[i].url.is_some() && !t.links[i].text.is_empty());
    let alike: Vec<usize> = alike.filter(|&i| places.contains(&keys.signature[i])).collect();
    let mut of_record: HashSet<(u32, u32, u32)> = HashSet::default();
    let mut seen: HashSet<(u32, u32)> = HashSet::default();
    let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (&i, record) in alike.iter().zip(records_of(t, &alike)) {
        let (signature, target) = (keys.signature[i], t.links[i].target);
        if let Some(record) = record
            && of_record.insert((signature, target, record))
        {
            let (all, distinct) = counts.entry(signature).or_default();
            *all += 1;
            *distinct += usize::from(seen.insert((signature, target)));
        }
    }
    let shared = counts.into_iter().filter(|(_, (all, distinct))| *distinct as f32 <= MAX_SHARE_DISTINCT * *all as f32);
    shared.map(|(signature, _)| signature).collect()
}

/// Returns the record of each link of a list. Siblings with one tag and different classes are the parts of a record, its title, its authors
/// and its subjects, if most of the records have the same part.
fn records_of(t: &LinkTable<'_>, links: &[usize]) -> Vec<Option<u32>> {
    let mut are_parts = HashMap::default();
    let parts: Vec<Option<(u32, u32)>> = links.iter().map(|&i| part_and_record(t, i, &mut are_parts)).collect();
    let mut counts: HashMap<u32, u32> = HashMap::default();
    for (part, record) in parts.iter().flatten() {
        counts.insert(t.signature[*part as usize], 0);
        counts.insert(t.signature[*record as usize], 0);
    }
    if !counts.is_empty() {
        for signature in &t.signature {
            counts.entry(*signature).and_modify(|count| *count += 1);
        }
    }
    let count = |e: u32| counts.get(&t.signature[e as usize]).copied().unwrap_or(0);
    let records = links.iter().zip(parts).map(|(&i, part)| match part {
        Some((part, record)) if count(part) <= count(record) && count(record) < 2 * count(part) => Some(record),
        _ => repeated_record(t, i),
    });
    records.collect()
}

/// Returns the part of a record that a link is in, and the record: the next element around it that has many siblings of its kind.
/// `are_parts` has the elements whose children were compared.
fn part_and_record(t: &LinkTable<'_>, i: usize, are_parts: &mut HashMap<u32, bool>) -> Option<(u32, u32)> {
    let level = t.record_level(i);
    if level.like != 1 {
        return None;
    }
    let part = level.element?;
    let parent = t.blocks.elements[part as usize].parent;
    if !*are_parts.entry(parent).or_insert_with(|| have_own_classes(t, parent as usize)) {
        return None;
    }
    let mut around = t.blocks.element_chain(part as usize).skip(1).take(MAX_LEVELS_TO_RECORD);
    let record = around.find(|&e| t.alike[e] as usize >= MIN_RECORDS)?;
    Some((part, record as u32))
}

/// Returns whether each child of an element with links has a class that no other one has. Cells of a grid differ by their positions at
/// most: "item first", "item", "item last".
fn have_own_classes(t: &LinkTable<'_>, parent: usize) -> bool {
    let siblings = t.blocks.outermost(t.blocks.below(parent)).take(MAX_SIBLINGS).filter(|&s| t.links_below(s) > 0);
    let classes: Vec<Vec<&str>> = siblings.map(|s| classes(t, s)).collect();
    let mut counts: HashMap<&str, usize> = HashMap::default();
    classes.iter().flatten().for_each(|class| *counts.entry(class).or_default() += 1);
    classes.iter().all(|own| own.iter().any(|class| counts[class] == 1))
}

fn classes<'t>(t: &'t LinkTable<'_>, e: usize) -> Vec<&'t str> {
    const POSITIONS: [&str; 6] = ["first", "last", "odd", "even", "left", "right"];
    let names = t.dom.attribute(t.blocks.elements[e].node, Attr::CLASS).unwrap_or("").split_ascii_whitespace();
    names.filter(|class| !POSITIONS.contains(class)).collect()
}

fn repeated_record(t: &LinkTable<'_>, i: usize) -> Option<u32> {
    let level = t.record_level(i);
    if level.kin as usize >= MIN_RECORDS { level.element } else { None }
}

/// Returns whether a link may be the title of a second entry in the row of the first: its text is not much shorter.
pub(super) fn is_like(t: &LinkTable<'_>, i: usize, own: usize) -> bool {
    !t.links[i].text.is_empty() && 2 * t.links[i].text.len() >= t.links[own].text.len()
}
