//! Tables of contents: nested lists, in which every item is an entry, and links to parts of the page itself.
use super::group::LinkGroup;
use super::table::{LinkTable, inline};
use maintext_page::dom::Tag;
use maintext_page::hash::{HashMap, HashSet};

/// Minimum number of entries of a table of contents, and of those below others.
const MIN_ENTRIES: usize = 6;
const MIN_NESTED: usize = 3;
/// Minimum share of the best group's links that are in the list.
const MIN_SHARE_OF_BEST: f32 = 0.9;
/// Minimum share of the list's links that are the first of their item.
const MIN_SHARE_OF_FIRST: f32 = 0.8;
/// Minimum share of the list's characters that are in links.
const MIN_SHARE_IN_LINKS: f32 = 0.7;
/// Minimum share of the page's characters outside of side boxes that are in the list.
const MIN_SHARE_OF_PAGE: f32 = 0.6;
/// Minimum number of links to parts of the page.
const MIN_PARTS: usize = 4;
/// Minimum number of entries of another list, before which the parts do not count.
const MIN_OTHERS: usize = 3;
/// Minimum number of letters of a link to a part of the page; notes have numbers and arrows.
const MIN_LETTERS: usize = 3;
/// An address with more links than this does not belong to an entry: "Back to top".
const MAX_REPEATED: u32 = 2;

/// Replaces the best group by all items of the nested list that it is part of, if the page is mostly that list.
pub(super) fn complete(t: &LinkTable<'_>, mut groups: Vec<LinkGroup>) -> Vec<LinkGroup> {
    let Some(links) = groups.first().and_then(|best| nested(t, best)) else { return groups };
    let named: HashSet<usize> = links.iter().copied().collect();
    groups[0].links = links;
    groups[1..].iter_mut().for_each(|g| g.links.retain(|i| !named.contains(i)));
    groups.retain(|g| !g.links.is_empty());
    groups
}

fn nested(t: &LinkTable<'_>, best: &LinkGroup) -> Option<Vec<usize>> {
    let elements = &t.blocks.elements;
    let middle = *best.links.get(best.links.len() / 2)?;
    let list = t
        .blocks
        .element_chain(t.links[middle].element)
        .take_while(|&e| {
            let tag = elements[e].tag;
            inline(tag) || matches!(tag, Tag::A | Tag::P | Tag::DIV | Tag::LI | Tag::UL | Tag::OL)
        })
        .filter(|&e| matches!(elements[e].tag, Tag::UL | Tag::OL))
        .last()?;
    let range = t.links_in(list);
    let held = best.links.iter().filter(|i| range.contains(i)).count();
    let [all, linked] = t.chars_below(list);
    if (held as f32) < MIN_SHARE_OF_BEST * best.links.len() as f32 || (linked as f32) < MIN_SHARE_IN_LINKS * all as f32
    {
        return None;
    }
    let of_page: u32 = t.blocks.blocks.iter().filter(|b| !t.aside[b.element as usize]).map(|b| b.chars).sum();
    if t.aside[list] || (all as f32) < MIN_SHARE_OF_PAGE * of_page as f32 {
        return None;
    }
    // The innermost item around each element, and whether it is in another one.
    let inside = t.subtree(list);
    let mut items: Vec<(usize, bool)> = vec![(list, false); inside.len()];
    for e in inside.skip(1) {
        let (item, is_nested) = items[elements[e].parent as usize - list];
        items[e - list] = if elements[e].tag == Tag::LI { (e, item != list) } else { (item, is_nested) };
    }
    let (mut links, mut seen, mut addresses) = (Vec::new(), HashSet::default(), HashSet::default());
    let (mut firsts, mut below) = (0, 0);
    let labelled = range.filter(|i| t.links[*i].url.is_some() && !t.links[*i].label().is_empty());
    let labelled: Vec<usize> = labelled.collect();
    for &i in &labelled {
        let (item, is_nested) = items[t.links[i].element - list];
        if item != list && seen.insert(item) {
            firsts += 1;
            if addresses.insert(t.links[i].url.as_ref()) {
                below += usize::from(is_nested);
                links.push(i);
            }
        }
    }
    let is_contents = links.len() >= MIN_ENTRIES
        && below >= MIN_NESTED
        && firsts as f32 >= MIN_SHARE_OF_FIRST * labelled.len() as f32;
    is_contents.then_some(links)
}

/// Puts the links to parts of the page first, if the page has no other list and most of its links lead there.
pub(super) fn parts_of_page(t: &LinkTable<'_>, mut groups: Vec<LinkGroup>) -> Vec<LinkGroup> {
    let elements = &t.blocks.elements;
    if (0..t.links.len()).filter(|i| fragment(t, *i).is_some()).count() < MIN_PARTS {
        return groups;
    }
    let has_list = groups.iter().any(|g| g.links.iter().filter(|i| is_visible(t, **i)).count() >= MIN_OTHERS);
    if has_list {
        return groups;
    }
    let mut count: HashMap<&str, u32> = HashMap::default();
    (0..t.links.len()).filter_map(|i| fragment(t, i)).for_each(|f| *count.entry(f).or_default() += 1);
    let mut names: HashSet<&str> = HashSet::default();
    for e in elements {
        names.extend(t.dom.attr(e.node, "id"));
        if e.tag == Tag::A {
            names.extend(t.dom.attr(e.node, "name"));
        }
    }
    let mut seen = HashSet::default();
    let visible: Vec<usize> = (0..t.links.len()).filter(|i| is_visible(t, *i)).collect();
    let links: Vec<usize> = visible
        .iter()
        .copied()
        .filter(|i| {
            let letters = t.links[*i].label().chars().filter(|c| c.is_alphabetic()).take(MIN_LETTERS).count();
            // An escaped name is taken as it is.
            let part = fragment(t, *i).filter(|f| {
                letters == MIN_LETTERS && count[*f] <= MAX_REPEATED && (names.contains(*f) || f.contains('%'))
            });
            part.is_some_and(|f| seen.insert(f))
        })
        .collect();
    if links.len() < MIN_PARTS || 2 * links.len() <= visible.len() {
        return groups;
    }
    let score = maintext_page::num::ln(links.len() as f32 + 1.0);
    groups.insert(0, LinkGroup { links, score, mean: 1.0 });
    groups
}

fn fragment<'t>(t: &'t LinkTable<'_>, i: usize) -> Option<&'t str> {
    t.links[i].href.strip_prefix('#').filter(|f| !f.is_empty())
}

fn is_visible(t: &LinkTable<'_>, i: usize) -> bool {
    let e = t.links[i].element;
    !t.aside[e] && !t.blocks.elements[e].hidden && !t.links[i].label().is_empty()
}
