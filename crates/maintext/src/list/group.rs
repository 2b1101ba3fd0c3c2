//! From judged links to ranked groups of entries.
use super::columns::Keys;
use super::table::LinkTable;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Links of a group with less than this share of the group's best probability are no entries: menus and tags that share a path.
const KEEP_OF_TOP: f32 = 0.4;
/// Containers from which a group counts as one of records: then each container gives one entry.
const MIN_RECORDS: usize = 3;

/// Links that belong together, in document order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkGroup {
    /// Indices of [`LinkTable::links`], an entry each.
    pub links: Vec<usize>,
    /// What groups are ranked by: mean probability times the logarithm of the number of entries.
    pub score: f32,
    /// The best probability among the links.
    pub top: f32,
}

/// Forms groups of links with the same tags around them, best first; those without hope are left out.
pub fn rank(t: &LinkTable<'_>, keys: &Keys, p: &[f32]) -> Vec<LinkGroup> {
    let cut = expected_f1_cut(t, p);
    let mut by_path: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (i, l) in t.links.iter().enumerate().filter(|(_, l)| l.url.is_some() && !l.label().is_empty()) {
        let _ = l;
        by_path.entry(keys.path[i]).or_default().push(i);
    }
    let mut groups: Vec<LinkGroup> = by_path.into_values().filter_map(|links| group(t, links, p)).collect();
    groups.retain(|g| g.top >= cut);
    groups.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.links.cmp(&b.links)));
    groups
}

/// The probability of the last address that is taken when the largest expected F1 is aimed at.
///
/// Of the addresses sorted by probability, the first `k` have the expected F1 `2 Σ_{i≤k} p_i / (k + Σ p)`.
fn expected_f1_cut(t: &LinkTable<'_>, p: &[f32]) -> f32 {
    let mut best: HashMap<u32, f32> = HashMap::new();
    for (l, p) in t.links.iter().zip(p).filter(|(l, _)| l.url.is_some()) {
        let e = best.entry(l.target).or_default();
        *e = e.max(*p);
    }
    let mut sorted: Vec<f32> = best.into_values().collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let total: f32 = sorted.iter().sum();
    let (mut sum, mut found) = (0.0, (0.0, 1.0));
    for (k, p) in sorted.iter().enumerate() {
        sum += p;
        let f1 = 2.0 * sum / (k as f32 + 1.0 + total);
        if f1 > found.0 {
            found = (f1, *p);
        }
    }
    found.1
}

fn group(t: &LinkTable<'_>, links: Vec<usize>, p: &[f32]) -> Option<LinkGroup> {
    let top = links.iter().map(|&i| p[i]).fold(0.0, f32::max);
    // The score is of the whole path, so that a menu does not win by its one link that looks like an entry.
    let mut of: HashMap<u32, f32> = HashMap::new();
    for &i in &links {
        let e = of.entry(t.links[i].target).or_default();
        *e = e.max(p[i]);
    }
    let mut values: Vec<f32> = of.into_values().collect();
    values.sort_by(f32::total_cmp);
    let n = values.len() as f32;
    let score = values.iter().sum::<f32>() / n * (n + 1.0).ln();
    let links: Vec<usize> = links.into_iter().filter(|&i| p[i] >= KEEP_OF_TOP * top).collect();
    let links = one_per_target(t, one_per_record(t, links, p), p);
    (!links.is_empty()).then_some(LinkGroup { links, score, top })
}

/// Where a page's records are elements with several links of the same path, each gives its best link.
fn one_per_record(t: &LinkTable<'_>, links: Vec<usize>, p: &[f32]) -> Vec<usize> {
    let container = |i: usize| {
        let parent = t.blocks.elements[t.links[i].element].parent as usize;
        t.blocks.element_chain(parent).find(|&e| !super::table::inline(t.blocks.elements[e].tag)).unwrap_or(0)
    };
    let of: Vec<usize> = links.iter().map(|&i| container(i)).collect();
    let records: HashSet<usize> = of.iter().copied().collect();
    if records.len() < MIN_RECORDS {
        return links;
    }
    let mut best: HashMap<usize, usize> = HashMap::new();
    for (&i, c) in links.iter().zip(&of) {
        let e = best.entry(*c).or_insert(i);
        if p[i] > p[*e] {
            *e = i;
        }
    }
    links.into_iter().zip(of).filter(|(i, c)| best[c] == *i).map(|(i, _)| i).collect()
}

/// Of links to the same address, the one with the longest text; it stands where the first stood.
fn one_per_target(t: &LinkTable<'_>, links: Vec<usize>, p: &[f32]) -> Vec<usize> {
    let mut best: HashMap<u32, usize> = HashMap::new();
    let worth = |i: usize| (!t.links[i].text.is_empty(), p[i]);
    for &i in &links {
        let e = best.entry(t.links[i].target).or_insert(i);
        let (a, b) = (worth(i), worth(*e));
        if (a.0 && !b.0) || a.0 == b.0 && a.1 > b.1 {
            *e = i;
        }
    }
    links.into_iter().filter(|&i| best[&t.links[i].target] == i).collect()
}
