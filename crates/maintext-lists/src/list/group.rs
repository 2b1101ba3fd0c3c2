//! Turns link probabilities into ranked groups of entries.
use super::authors;
use super::buttons::buttons;
use super::columns::Keys;
use super::offsite;
use super::permalinks::{self, OwnLink};
use super::places::{KEEP_BESIDE, is_like, one_place_of_record};
use super::table::{LinkTable, MIN_RECORDS};
use super::title;
use maintext_page::hash::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::ops::Range;

/// Links in one container with less than this share of its best probability are not entries: categories, comment counts.
const KEEP_OF_RECORD: f32 = 0.8;
/// A group consists of parts of records if this share of its links is inside them.
const MIN_SHARE_INSIDE: f32 = 0.9;
/// Links below this share of the largest probability of their group are not entries.
const MIN_SHARE_IN_GROUP: f32 = 0.3;
/// Minimum expected share of entries in a group other than the best one. 0.3 gave the best F1 of 0.3, 0.4 and 0.5 on labelled pages, out of fold
/// by site.
const MIN_CHANCE: f32 = 0.3;

/// Minimum share of a side box's quality at which the list of the page precedes it.
const MIN_QUALITY_BESIDE_ASIDE: f32 = 0.8;

/// Share of the links of a group from which it is one of notes: authors, times, numbers of comments, buttons.
const MIN_NOTES_SHARE: f32 = 0.9;
/// Maximum number of other groups with which notes are compared, the largest first.
const MAX_COMPARED: usize = 8;

/// Links that belong together, in document order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkGroup {
    /// Indices of [`LinkTable::links`], one per entry.
    pub links: Vec<usize>,
    /// Score for ranking: the group's quality as the list of the page, 0 to 1. Before it is judged, the mean probability of all links of the path times
    /// the logarithm of their number.
    pub score: f32,
    /// The mean probability of its entries.
    pub mean: f32,
}

impl LinkGroup {
    /// Returns the share of the entries' links that are so.
    pub(super) fn share_of(&self, is: impl Fn(usize) -> bool) -> f32 {
        self.links.iter().filter(|i| is(**i)).count() as f32 / self.links.len().max(1) as f32
    }

    /// Returns the mean of a value over the entries' links.
    pub(super) fn mean_of(&self, value: impl Fn(usize) -> f32) -> f32 {
        self.links.iter().map(|i| value(*i)).sum::<f32>() / self.links.len().max(1) as f32
    }
}

/// Judges groups of links.
pub trait GroupJudge {
    /// Returns the quality of each group as the list of the page, given the probabilities of all links.
    fn qualities(&self, t: &LinkTable<'_>, groups: &[LinkGroup], p: &[f32]) -> Vec<f32>;

    /// Returns for each group the expected share of entries among its links; the first group is the list of the page.
    fn chances(&self, t: &LinkTable<'_>, groups: &[LinkGroup], p: &[f32]) -> Vec<f32>;
}

/// Groups links with the same tags around them, best group first.
///
/// Links with other markup among the entries of the best group, for example the first of a list, join it.
pub fn rank(t: &LinkTable<'_>, keys: &Keys, p: &[f32], judge: &dyn GroupJudge) -> Vec<LinkGroup> {
    let (groups, p) = candidates(t, keys, p);
    let qualities = judge.qualities(t, &groups, &p);
    let mut groups = best_first(t, groups, &qualities, &p);
    let chances = judge.chances(t, &groups, &p);
    let mut chances = chances.into_iter().enumerate();
    groups.retain(|_| chances.next().is_some_and(|(k, chance)| k == 0 || chance >= MIN_CHANCE));
    join(t, keys, groups, &p)
}

/// Returns the groups by their qualities, the best first, without parts of its records and without the addresses of better groups.
pub fn best_first(t: &LinkTable<'_>, mut groups: Vec<LinkGroup>, qualities: &[f32], p: &[f32]) -> Vec<LinkGroup> {
    groups.iter_mut().zip(qualities).for_each(|(g, quality)| g.score = *quality);
    groups.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.links.cmp(&b.links)));
    main_before_aside(t, &mut groups);
    one_group_per_address(t, drop_parts(t, groups, p))
}

/// Moves the best group outside of side boxes to the front, if the side box before it is not much better.
fn main_before_aside(t: &LinkTable<'_>, groups: &mut [LinkGroup]) {
    let Some(first) = groups.first().filter(|g| share_aside(t, g) == 1.0) else { return };
    let least = MIN_QUALITY_BESIDE_ASIDE * first.score;
    let main = groups.iter().position(|g| share_aside(t, g) == 0.0 && g.links.len() >= MIN_RECORDS && g.score >= least);
    if let Some(main) = main {
        groups[..=main].rotate_right(1);
    }
}

/// Returns the groups of links with the same tags around them, without buttons and notes, and the probabilities after some links stand for
/// their records.
pub fn candidates(t: &LinkTable<'_>, keys: &Keys, p: &[f32]) -> (Vec<LinkGroup>, Vec<f32>) {
    let mut dropped = buttons(t, keys);
    // Names in a column of authors look like titles one by one, and are never entries.
    dropped.iter_mut().zip(authors::in_columns(t)).for_each(|(dropped, is_author)| *dropped |= is_author);
    let mut own_links = permalinks::find(t, keys);
    if own_links.is_empty() {
        own_links = offsite::find(t, keys);
    }
    let mut p = with_own_links(&own_links, p, &mut dropped);
    drop_labelled(t, keys, &mut p, &mut dropped);
    let mut paths = links_by(t, &keys.path);
    drop_notes(t, &mut paths, &own_links, &mut dropped);
    let mut groups: Vec<LinkGroup> = paths.into_iter().filter_map(|links| group(t, links, &p, &dropped)).collect();
    groups.sort_by(|a, b| a.links.cmp(&b.links));
    (groups, p)
}

/// Returns the labelled links with each key.
fn links_by(t: &LinkTable<'_>, keys: &[u32]) -> Vec<Vec<usize>> {
    let mut by_key: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, _) in t.links.iter().enumerate().filter(|(_, l)| l.url.is_some() && !l.label().is_empty()) {
        by_key.entry(keys[i]).or_default().push(i);
    }
    by_key.into_values().collect()
}

/// Returns the probabilities after the own links of records take over the best ones there, averaged over the page because the records are
/// alike. The other links of the records are dropped.
fn with_own_links(own_links: &[OwnLink], p: &[f32], dropped: &mut [bool]) -> Vec<f32> {
    let mut p = p.to_vec();
    let mean = own_links.iter().map(|l| p[l.record.clone()].iter().copied().fold(0.0, f32::max)).sum::<f32>()
        / own_links.len().max(1) as f32;
    for l in own_links {
        p[l.record.clone()].fill(0.0);
        dropped[l.record.clone()].fill(true);
    }
    for l in own_links {
        p[l.link] = mean;
        dropped[l.link] = false;
    }
    p
}

/// Drops the links to authors and subjects: the ones with the same classes of which nearly all follow a label, if they alternate with entries.
/// Only their classes distinguish them from titles in blocks with the same tags.
fn drop_labelled(t: &LinkTable<'_>, keys: &Keys, p: &mut [f32], dropped: &mut [bool]) {
    let (labelled, others): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
        links_by(t, &keys.signature).into_iter().partition(|g| are_labelled(t, g));
    let entries = largest(others.iter().map(|g| (g, false)));
    for &i in labelled.iter().filter(|g| alternates(&entries, g, true)).flatten() {
        (p[i], dropped[i]) = (0.0, true);
    }
}

/// Whether nearly all links follow a label of bylines, or words that precede several of them.
fn are_labelled(t: &LinkTable<'_>, g: &[usize]) -> bool {
    if g.len() < MIN_RECORDS {
        return false;
    }
    let mut counts: HashMap<&str, usize> = HashMap::default();
    g.iter().for_each(|i| *counts.entry(title::label_before(t, *i)).or_default() += 1);
    let labelled = counts
        .iter()
        .filter(|(label, n)| **n >= MIN_RECORDS && label.contains(char::is_alphabetic) || title::ends_as_byline(label));
    labelled.map(|(_, n)| n).sum::<usize>() as f32 >= MIN_NOTES_SHARE * g.len() as f32
}

/// Returns the largest groups, each with whether its texts begin alike.
fn largest<'g>(groups: impl Iterator<Item = (&'g Vec<usize>, bool)>) -> Vec<(&'g Vec<usize>, bool)> {
    let mut groups: Vec<_> = groups.collect();
    groups.sort_by_key(|(g, _)| std::cmp::Reverse(g.len()));
    groups.truncate(MAX_COMPARED);
    groups
}

/// Drops the groups of which nearly all links are notes about entries, if they alternate with the links of another group, and marks
/// their links.
fn drop_notes(t: &LinkTable<'_>, paths: &mut Vec<Vec<usize>>, own_links: &[OwnLink], dropped: &mut [bool]) {
    // The first links distinguish most groups from notes.
    let notes: Vec<bool> = paths.iter().map(|g| are_notes(t, own_links, g)).collect();
    let alike: Vec<bool> = paths
        .iter()
        .map(|g| g.len() >= MIN_RECORDS && !g.iter().any(|i| is_own_link(own_links, *i)) && begin_alike(t, g))
        .collect();
    // The largest groups that are not notes, and whether their texts begin alike.
    let others = paths.iter().zip(&alike).zip(&notes).filter(|(_, note)| !**note);
    let entries = largest(others.map(|((g, alike), _)| (g, *alike)));
    // The number of gaps between notes in which an entry stands. Titles that begin alike are entries beside notes, not beside other titles.
    let flags = notes.iter().zip(&alike);
    let drops: Vec<bool> =
        paths.iter().zip(flags).map(|(g, (note, alike))| (*note || *alike) && alternates(&entries, g, *note)).collect();
    paths.iter().zip(&drops).filter(|d| *d.1).flat_map(|d| d.0).for_each(|&i| dropped[i] = true);
    let mut drops = drops.into_iter();
    paths.retain(|_| !drops.next().unwrap_or(false));
}

fn is_own_link(own_links: &[OwnLink], i: usize) -> bool {
    own_links.binary_search_by_key(&i, |p| p.link).is_ok()
}

fn are_notes(t: &LinkTable<'_>, own_links: &[OwnLink], g: &[usize]) -> bool {
    let mut others = 0;
    g.len() >= MIN_RECORDS
        && g.iter().all(|i| {
            others += usize::from(is_own_link(own_links, *i) || !(t.repeats[*i] || title::is_note(t, *i)));
            (g.len() - others) as f32 >= MIN_NOTES_SHARE * g.len() as f32
        })
}

fn alternates(entries: &[(&Vec<usize>, bool)], g: &[usize], note: bool) -> bool {
    entries.iter().filter(|(_, alike)| note || !alike).any(|(h, _)| {
        let held = g.windows(2).filter(|w| h.partition_point(|i| *i < w[1]) > h.partition_point(|i| *i < w[0])).count();
        held + 1 >= MIN_RECORDS && 2 * held + 2 >= h.len()
    })
}

/// Returns whether nearly all texts of a group begin with the same two words and differ after them: "More books in history".
fn begin_alike(t: &LinkTable<'_>, links: &[usize]) -> bool {
    let Some(&middle) = links.get(links.len() / 2) else { return false };
    let Some(common) = first_words(t, middle) else { return false };
    let alike = links.iter().filter(|i| first_words(t, **i) == Some(common)).count();
    alike as f32 >= MIN_NOTES_SHARE * links.len() as f32
}

fn first_words<'t>(t: &'t LinkTable<'_>, i: usize) -> Option<(&'t str, &'t str)> {
    let mut words = t.links[i].text.split_whitespace();
    Some((words.next()?, words.next()?, words.next()?)).map(|(first, second, _)| (first, second))
}

/// Returns the entries among links with the same tags around them.
fn group(t: &LinkTable<'_>, links: Vec<usize>, p: &[f32], dropped: &[bool]) -> Option<LinkGroup> {
    // The score covers the whole path, so that a menu does not win by its one link that looks like an entry.
    let taken = links.iter().copied().filter(|i| !dropped[*i]);
    let mut values: Vec<f32> = best_by(taken, p, |i| t.links[i].target).into_values().collect();
    values.sort_by(f32::total_cmp);
    let n = values.len().max(1) as f32;
    let score = values.iter().sum::<f32>() / n * maintext_page::num::ln(n + 1.0);
    let cut = MIN_SHARE_IN_GROUP * values.last().copied()?;
    let links: Vec<usize> = links.into_iter().filter(|&i| p[i] >= cut).collect();
    let mut links = best_of_record(t, links, p);
    links.retain(|i| !dropped[*i]);
    let links = one_per_target(t, links, p);
    let mean = links.iter().map(|&i| p[i]).sum::<f32>() / links.len().max(1) as f32;
    (!links.is_empty()).then_some(LinkGroup { links, score, mean })
}

/// Returns the highest probability of the links with each key.
fn best_by<K: std::hash::Hash + Eq>(
    links: impl Iterator<Item = usize>,
    p: &[f32],
    key: impl Fn(usize) -> K,
) -> HashMap<K, f32> {
    let mut best = HashMap::default();
    for i in links {
        let own: &mut f32 = best.entry(key(i)).or_default();
        *own = own.max(p[i]);
    }
    best
}

/// Keeps the best link of each record and those nearly as good, if the records are elements with several links of the same path.
fn best_of_record(t: &LinkTable<'_>, links: Vec<usize>, p: &[f32]) -> Vec<usize> {
    let best = best_by(links.iter().copied(), p, |i| block_container(t, i));
    if best.len() < MIN_RECORDS {
        return links;
    }
    links.into_iter().filter(|&i| p[i] >= KEEP_OF_RECORD * best[&block_container(t, i)]).collect()
}

fn block_container(t: &LinkTable<'_>, i: usize) -> usize {
    let parent = t.blocks.elements[t.links[i].element].parent as usize;
    t.blocks.element_chain(parent).find(|&e| !super::table::inline(t.blocks.elements[e].tag)).unwrap_or(0)
}

/// Keeps one link to each address: the first with a text of its own, unless another is clearly likelier.
fn one_per_target(t: &LinkTable<'_>, links: Vec<usize>, p: &[f32]) -> Vec<usize> {
    /// Least probability of a later link as a multiple of the first's: records that are written once for each width of the screen differ little.
    const MIN_GAIN: f32 = 1.25;
    let mut best: HashMap<u32, usize> = HashMap::default();
    for &i in &links {
        let e = best.entry(t.links[i].target).or_insert(i);
        let (a, b) = ((!t.links[i].text.is_empty(), p[i]), (!t.links[*e].text.is_empty(), p[*e]));
        if (a.0 && !b.0) || a.0 == b.0 && a.1 > MIN_GAIN * b.1 {
            *e = i;
        }
    }
    links.into_iter().filter(|&i| best[&t.links[i].target] == i).collect()
}

/// Drops the links that are parts of the best group's records.
fn drop_parts(t: &LinkTable<'_>, groups: Vec<LinkGroup>, p: &[f32]) -> Vec<LinkGroup> {
    let mut groups = groups.into_iter();
    let Some(best) = groups.next() else { return Vec::new() };
    // Tags, authors and comment counts are not entries: without them, the links of autopager-pagination's groups rise from 0.752 to 0.851
    // (docs/experiments/lists.md).
    let elements = t.record_elements(&best.links).into_iter();
    let records: Vec<(Range<usize>, usize)> = elements.map(|(e, own)| (t.links_in(e), own)).collect();
    std::iter::once(best)
        .chain(groups.filter_map(|mut g| {
            let inside = g.links.iter().filter_map(|&i| record_around(&records, i));
            let inside: Vec<usize> = inside.map(|(record, _)| record).collect();
            if inside.len() as f32 >= MIN_SHARE_INSIDE * g.links.len() as f32 {
                // An author or a button stands once in a record; a category holds several entries.
                let once = inside.windows(2).all(|w| w[0] != w[1]);
                g.links.retain(|&i| {
                    record_around(&records, i)
                        .is_none_or(|(_, own)| p[i] >= KEEP_BESIDE * p[own] && (!once || is_like(t, i, own)))
                });
            }
            (!g.links.is_empty()).then_some(g)
        }))
        .collect()
}

/// Returns the first link and the own link of the record that a link is in.
fn record_around(records: &[(Range<usize>, usize)], link: usize) -> Option<(usize, usize)> {
    let (links, own) = &records[records.partition_point(|r| r.0.start <= link).checked_sub(1)?];
    links.contains(&link).then_some((links.start, *own))
}

/// Drops the links whose address occurs in a better group, such as a second list of the newest entries at the side.
fn one_group_per_address(t: &LinkTable<'_>, mut groups: Vec<LinkGroup>) -> Vec<LinkGroup> {
    let mut named = HashSet::default();
    groups.iter_mut().for_each(|g| g.links.retain(|&i| named.insert(t.links[i].target)));
    groups.retain(|g| !g.links.is_empty());
    groups
}

/// Merges groups into the best one if they are among its entries, next to them in the same element, or lead to addresses of the same shape.
fn join(t: &LinkTable<'_>, keys: &Keys, groups: Vec<LinkGroup>, p: &[f32]) -> Vec<LinkGroup> {
    let mut groups = groups.into_iter();
    let Some(mut best) = groups.next() else { return Vec::new() };
    let beside = Beside::new(t, &best);
    let (joined, rest): (Vec<LinkGroup>, Vec<LinkGroup>) =
        groups.partition(|g| beside.is_among(g) || 2.0 * beside.alike(g) > 1.0 && share_aside(t, g) <= beside.aside);
    best.links.extend(joined.into_iter().flat_map(|g| g.links));
    best.links.sort_unstable();
    best.links = one_place_of_record(t, keys, best.links, p);
    best.links = one_per_target(t, best.links, p);
    best.mean = best.links.iter().map(|&i| p[i]).sum::<f32>() / best.links.len().max(1) as f32;
    std::iter::once(best).chain(rest).collect()
}

/// Compares other groups with the best one.
pub(super) struct Beside<'t> {
    t: &'t LinkTable<'t>,
    parents: HashSet<u32>,
    /// The first and the last link of the best group.
    pub(super) first: usize,
    pub(super) last: usize,
    shapes: HashSet<AddressShape<'t>>,
    aside: f32,
}

/// The host of an address and its number of segments.
type AddressShape<'t> = (Option<&'t str>, usize);

impl<'t> Beside<'t> {
    pub(super) fn new(t: &'t LinkTable<'t>, best: &LinkGroup) -> Beside<'t> {
        Beside {
            t,
            parents: best.links.iter().filter_map(|&i| record_parent(t, i)).collect(),
            first: best.links.first().copied().unwrap_or(0),
            last: best.links.last().copied().unwrap_or(0),
            shapes: best.links.iter().filter_map(|&i| address_shape(t, i)).collect(),
            aside: share_aside(t, best),
        }
    }

    /// Returns whether a group begins or ends between the entries, or has records in the same element.
    pub(super) fn is_among(&self, g: &LinkGroup) -> bool {
        let is_between =
            g.links.first().is_some_and(|i| *i <= self.last) && g.links.last().is_some_and(|i| *i >= self.first);
        is_between || g.links.iter().filter_map(|&i| record_parent(self.t, i)).any(|e| self.parents.contains(&e))
    }

    /// Returns the share of a group's links with an address like an entry's.
    pub(super) fn alike(&self, g: &LinkGroup) -> f32 {
        g.share_of(|i| address_shape(self.t, i).is_some_and(|shape| self.shapes.contains(&shape)))
    }
}

fn record_parent(t: &LinkTable<'_>, i: usize) -> Option<u32> {
    t.levels[i][0].element.map(|e| t.blocks.elements[e as usize].parent)
}

pub(super) fn share_aside(t: &LinkTable<'_>, g: &LinkGroup) -> f32 {
    g.links.iter().filter(|i| t.aside[t.links[**i].element]).count() as f32 / g.links.len().max(1) as f32
}

fn address_shape<'t>(t: &'t LinkTable<'_>, i: usize) -> Option<AddressShape<'t>> {
    t.links[i].url.as_ref().map(|u| (u.host_str(), u.path().matches('/').count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_page::blocks::Blocks;
    use maintext_page::dom;

    /// Judges groups by the probabilities of their links, without a model.
    struct ByMean;

    impl GroupJudge for ByMean {
        fn qualities(&self, _: &LinkTable<'_>, groups: &[LinkGroup], _: &[f32]) -> Vec<f32> {
            groups.iter().map(|g| g.score).collect()
        }

        fn chances(&self, _: &LinkTable<'_>, groups: &[LinkGroup], _: &[f32]) -> Vec<f32> {
            groups.iter().map(|g| MIN_CHANCE * g.mean / (0.5 * groups[0].mean)).collect()
        }
    }

    /// Returns the texts of the entries of each group, given probabilities by the first letter of a link's text.
    fn ranked(html: &str, odds: &[(char, f32)]) -> Vec<Vec<String>> {
        let dom = dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let t = LinkTable::new(&dom, &blocks, None);
        let keys = super::super::columns::columns(&t, None).1;
        let of = |text: &str| odds.iter().find(|o| text.starts_with(o.0)).map_or(0.02, |o| o.1);
        let p: Vec<f32> = t.links.iter().map(|l| of(&l.text)).collect();
        let texts = |g: LinkGroup| g.links.iter().map(|&i| t.links[i].text.clone()).collect();
        rank(&t, &keys, &p, &ByMean).into_iter().map(texts).collect()
    }

    fn items(texts: &[&str]) -> String {
        texts.iter().map(|t| format!("<li><a href='/{t}'>{t}</a></li>")).collect()
    }

    /// Like `items`, with addresses of another shape.
    fn deeper(texts: &[&str]) -> String {
        texts.iter().map(|t| format!("<li><a href='/x/{t}'>{t}</a></li>")).collect()
    }

    #[test]
    fn links_are_selected_by_expected_f1() {
        let html =
            format!("<ul>{}</ul><div><ul>{}</ul></div>", items(&["e1", "e2", "e3"]), items(&["m1", "m2", "m3", "m4"]));
        assert_eq!(ranked(&html, &[('e', 0.8), ('m', 0.1)]), [["e1", "e2", "e3"]]);
        // Links of low probability are kept if there is nothing better.
        assert_eq!(ranked(&html, &[('e', 0.4), ('m', 0.35)]).concat().len(), 7);
    }

    #[test]
    fn a_record_yields_its_best_link() {
        let row = |n: usize| format!("<p><a href='/e{n}'>e{n}</a> <a href='/c{n}'>c{n}</a></p>");
        let html: String = (0..4).map(row).collect();
        assert_eq!(ranked(&html, &[('e', 0.8), ('c', 0.5)]), [["e0", "e1", "e2", "e3"]]);
    }

    #[test]
    fn parts_of_a_record_are_not_entries() {
        let record = |n: usize| {
            format!(
                "<div><h2><a href='/e{n}'>e{n}</a></h2><p>at <a href='/a{n}'>a{n}</a></p><i><a href='/t{n}'>t{n}</a></i></div>"
            )
        };
        let html: String = (0..4).map(record).collect();
        let texts =
            |of: &[char]| -> Vec<String> { (0..4).flat_map(|n| of.iter().map(move |c| format!("{c}{n}"))).collect() };
        // Authors are dropped despite their probability: they are inside the records of the titles.
        assert_eq!(ranked(&html, &[('e', 0.9), ('a', 0.75), ('t', 0.05)]), [texts(&['e'])]);
        // If they are as probable as the titles, but much shorter, they are dropped too.
        let long = html.replace(">e", ">evening walk ");
        assert_eq!(ranked(&long, &[('e', 0.8), ('a', 0.79), ('t', 0.05)]).concat().len(), 4);
        // Outside the records, the same links are a list of their own.
        let others: String = (0..4).map(|n| format!("<p>at <a href='/x/a{n}'>a{n}</a></p>")).collect();
        let html = html + "<section><ul>" + &others + "</ul></section>";
        assert_eq!(ranked(&html, &[('e', 0.9), ('a', 0.75), ('t', 0.05)]).len(), 2);
    }

    #[test]
    fn a_group_without_a_chance_beside_the_best_is_not_a_further_list() {
        let list = format!("<ul>{}</ul><ol>{}</ol>", items(&["e1", "e2", "e3"]), deeper(&["m1", "m2", "m3"]));
        assert_eq!([0.5, 0.39, 0.2].map(|p| ranked(&list, &[('e', 0.8), ('m', p)]).len()), [2, 1, 1]);
    }

    #[test]
    fn lists_with_addresses_of_one_shape_are_one() {
        let html = format!("<ul>{}</ul><ol>{}</ol>", items(&["e1", "e2", "e3"]), items(&["m1", "m2", "m3"]));
        assert_eq!(ranked(&html, &[('e', 0.8), ('m', 0.5)]), [["e1", "e2", "e3", "m1", "m2", "m3"]]);
        let aside = format!("<ul>{}</ul><aside><ol>{}</ol></aside>", items(&["e1", "e2", "e3"]), items(&["m1", "m2"]));
        assert_eq!(ranked(&aside, &[('e', 0.8), ('m', 0.5)]).len(), 2);
    }

    #[test]
    fn a_record_gives_one_of_its_places() {
        let film = |n: usize| {
            format!(
                "<li><div class=poster><a href='/f{n}?r=i'><img alt='film {n}'></a></div><div class=title><a href='/f{n}?r=t'>f{n}</a></div></li>"
            )
        };
        let html = format!("<ul>{}</ul>", (0..4).map(film).collect::<String>());
        assert_eq!(ranked(&html, &[('f', 0.8)]), [["f0", "f1", "f2", "f3"]]);
        // Two entries in a row of a layout table have the same place.
        let row = |n: usize| format!("<tr><td><a href='/e{n}'>e{n}</a></td><td><a href='/e{n}b'>e{n}b</a></td></tr>");
        let html = format!("<table>{}</table>", (0..4).map(row).collect::<String>());
        let both = ranked(&html, &[('e', 0.8)]).concat();
        assert_eq!(both.len(), 8, "{both:?}");
    }

    #[test]
    fn parts_with_classes_of_their_own_belong_to_one_record() {
        let record = |n: usize| {
            format!(
                "<dd><div class='field title'><a href='/e{n}'>evening walk {n}</a></div><div class='field by'><a href='/a{n}'>a{n}</a>, \
                 <a href='/b{n}'>b{n}</a></div><div class='field on'><a href='/t{}'>tides and gulls</a></div></dd>",
                n % 2
            )
        };
        let html = format!("<dl>{}</dl>", (0..5).map(record).collect::<String>());
        let walks: Vec<String> = (0..5).map(|n| format!("evening walk {n}")).collect();
        assert_eq!(ranked(&html, &[('e', 0.8), ('a', 0.6), ('b', 0.6), ('t', 0.3)])[0], walks);
        // Subjects lead to addresses that records share, and are never titles.
        assert_eq!(ranked(&html, &[('e', 0.8), ('a', 0.6), ('b', 0.6), ('t', 0.9)])[0], walks);
        // Cells of a grid are records, not parts of its rows.
        let cell = |n: usize| ["first", "", "last"][n % 3];
        let row = |r: usize| {
            (3 * r..3 * r + 3)
                .map(|n| {
                    format!("<li class='item {}'><a href='/{n}'>{}{n}</a></li>", cell(n), ["evening ", "f", "f"][n % 3])
                })
                .collect::<String>()
        };
        let grid: String = (0..3).map(|r| format!("<ul class=row>{}</ul>", row(r))).collect();
        assert_eq!(ranked(&grid, &[('e', 0.8), ('f', 0.6)]).concat().len(), 9);
    }

    #[test]
    fn links_after_a_label_of_bylines_are_authors() {
        // Classes that differ by a number are alike, and a third line with links makes a record of each line.
        let record = |n: usize| {
            format!(
                "<section><div class=line1><a class=title href='/e{n}'>e{n}</a></div><div class=line2>by <a class=name href='/a?n={n}'>a{n} of \
                 Ashford</a></div><div>A walk of {n} hours.</div><div class=tools><a href='/s{n}'>s{n}</a> <a href='/c{n}'>c{n}</a></div></section>"
            )
        };
        let html: String = (0..5).map(record).collect();
        assert_eq!(ranked(&html, &[('e', 0.7), ('a', 0.8)]), [["e0", "e1", "e2", "e3", "e4"]]);
        // In one line with the title, a probable author does not hide it.
        let line = |n: usize| {
            format!("<p><a class=title href='/e{n}'>e{n}</a> asked by <a class=name href='/a{n}'>a{n}</a></p>")
        };
        let html: String = (0..5).map(line).collect();
        assert_eq!(ranked(&html, &[('e', 0.5), ('a', 0.8)]), [["e0", "e1", "e2", "e3", "e4"]]);
    }

    #[test]
    fn a_label_that_most_cells_of_a_grid_have_is_a_button() {
        let cell = |n: usize| format!("<td><a href='/e{n}'>e{n}</a><br>12 kr<br><a href='/buy{n}'>buy</a></td>");
        let row = |r: usize| format!("<tr>{}{}{}</tr>", cell(r), cell(r + 1), cell(r + 2));
        let entries: Vec<String> = (0..6).map(|n| format!("e{n}")).collect();
        assert_eq!(
            ranked(&format!("<table>{}{}</table>", row(0), row(3)), &[('e', 0.8), ('b', 0.8)]).concat().len(),
            entries.len()
        );
        // Without another link in its cell, the label is all that an entry has.
        let alone =
            |r: usize| (r..r + 3).map(|n| format!("<td>kr {n}<br><a href='/buy{n}'>buy</a></td>")).collect::<String>();
        let html = format!("<table><tr>{}</tr><tr>{}</tr></table>", alone(0), alone(3));
        assert_eq!(ranked(&html, &[('b', 0.8)]).concat().len(), 6);
    }

    #[test]
    fn an_address_occurs_only_in_its_best_group() {
        let (best, more) = (items(&["e1", "e2", "e3"]), items(&["e2"]) + &deeper(&["m1", "m2"]));
        let html = format!("<ul>{best}</ul><ol>{more}</ol>");
        assert_eq!(ranked(&html, &[('e', 0.8), ('m', 0.7)]), [vec!["e1", "e2", "e3"], vec!["m1", "m2"]]);
        let html = format!("<ul>{}</ul><ol>{}</ol>", items(&["e1", "e2", "e3"]), items(&["e2", "e1"]));
        assert_eq!(ranked(&html, &[('e', 0.8)]), [["e1", "e2", "e3"]]);
    }

    #[test]
    fn an_entry_with_larger_type_joins_its_list() {
        let small = |n: usize| format!("<p><a href='/e{n}'>e{n}</a></p>");
        let html = format!("<div>{}<h2><a href='/x/f'>f</a></h2>{}{}</div>", small(1), small(2), small(3));
        assert_eq!(ranked(&html, &[('e', 0.8), ('f', 0.7)]), [["e1", "f", "e2", "e3"]]);
        // A link without a chance does not join.
        assert_eq!(ranked(&html, &[('e', 0.8), ('f', 0.3)])[0], ["e1", "e2", "e3"]);
    }
}
