//! The published method for list pages: clusters of similar siblings.
//!
//! Source: Cui Qingcai, *Python 3 web crawler development in practice*, 2nd edition (2021), chapter 14.5; the method of GerapyAutoExtractor.
//!
//! An element is a member if it has at least [`MIN_NUMBER`] siblings (itself included), a mean similarity of at least [`SIMILARITY`] to
//! them, and links of title length below it. Members of one parent form a cluster; of nested clusters the inner one is kept. The cluster
//! with the largest `mean similarity · log10(members + 1)` is the list. Of the link paths in it, the title is the one whose text lengths
//! are most probable under a normal distribution with mean [`MEAN_LENGTH`] and deviation [`DEVIATION`].
//!
//! Where the publication leaves something open: elements are compared by the sets of characters of their tag, attributes and place (its
//! Jaccard formula); a path consists of tags and the link's index among its siblings.
use super::table::LinkTable;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashMap;
use maintext_reading::method::View;
use std::collections::BTreeMap;

/// Minimum number of siblings of a member, itself included.
pub const MIN_NUMBER: usize = 5;
/// Minimum number of characters of a title, on average over a link path.
pub const MIN_LENGTH: f64 = 8.0;
/// Maximum number of characters of a title.
pub const MAX_LENGTH: f64 = 44.0;
/// Minimum mean similarity of a member to its siblings.
pub const SIMILARITY: f64 = 0.8;
/// Mean title length.
pub const MEAN_LENGTH: f64 = (MIN_LENGTH + MAX_LENGTH) / 2.0;
/// Standard deviation of title lengths.
pub const DEVIATION: f64 = 6.0;

/// Maximum number of different spellings of siblings that an element is compared with; without a limit, a long list costs its square.
const MAX_SPELLINGS: usize = 64;
/// Number of levels above a link that record its length.
const MAX_CLIMB: usize = 64;

/// Returns the links that the published method considers titles of the list, as indices of the table's links; empty if it finds none.
pub fn entries(view: &View<'_>, t: &LinkTable<'_>) -> Vec<usize> {
    let tree = TextTree::new(view.dom, view.blocks, t);
    let clusters = tree.clusters();
    let best = clusters.into_values().max_by(|a, b| tree.score(a).total_cmp(&tree.score(b)));
    best.map_or_else(Vec::new, |members| tree.titles(t, &members))
}

/// Returns the number of clusters of similar siblings on a page.
pub fn clusters(view: &View<'_>, t: &LinkTable<'_>) -> usize {
    TextTree::new(view.dom, view.blocks, t).clusters().len()
}

/// Elements with their text, without those that the method ignores.
struct TextTree<'a> {
    dom: &'a Dom<'a>,
    blocks: &'a Blocks,
    /// For each element, whether the method considers it.
    seen: Vec<bool>,
    /// For each element, its index among its parent's children, from 1.
    nth: Vec<u32>,
    /// For each element, the number of its siblings, itself included.
    siblings: Vec<u32>,
    similarity: Vec<f64>,
    /// For each element, the smallest and the largest mean length of its link paths.
    lengths: Vec<Option<(f64, f64)>>,
}

impl<'a> TextTree<'a> {
    fn new(dom: &'a Dom<'a>, blocks: &'a Blocks, t: &LinkTable<'_>) -> TextTree<'a> {
        let n = blocks.elements.len();
        let mut tree = TextTree {
            dom,
            blocks,
            seen: vec![false; n],
            nth: vec![0; n],
            siblings: vec![0; n],
            similarity: vec![0.0; n],
            lengths: vec![None; n],
        };
        let mut children: Vec<u32> = vec![0; n];
        for (i, e) in blocks.elements.iter().enumerate() {
            let p = e.parent as usize;
            let inside = i > 0 && (tree.seen[p] || e.tag == Tag::BODY);
            tree.seen[i] = inside && !ignored(dom, e.node, e.tag);
            if tree.seen[i] {
                children[p] += 1;
                tree.nth[i] = children[p];
            }
        }
        for (i, e) in blocks.elements.iter().enumerate() {
            tree.siblings[i] = children[e.parent as usize];
        }
        tree.compare();
        tree.measure(t);
        tree
    }

    /// Computes the mean similarity of each element to its siblings. Spellings are counted, so that equal siblings are compared once.
    fn compare(&mut self) {
        let mut of: BTreeMap<u32, BTreeMap<u128, u32>> = BTreeMap::new();
        let spelling: Vec<u128> = (0..self.nth.len()).map(|i| self.spelling(i)).collect();
        for (i, e) in self.blocks.elements.iter().enumerate().filter(|(i, _)| self.seen[*i]) {
            *of.entry(e.parent).or_default().entry(spelling[i]).or_default() += 1;
        }
        for (i, e) in self.blocks.elements.iter().enumerate().filter(|(i, _)| self.seen[*i]) {
            if (self.siblings[i] as usize) < MIN_NUMBER {
                continue;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            for (other, n) in of[&e.parent].iter().take(MAX_SPELLINGS) {
                let n = (*n - (*other == spelling[i]) as u32) as f64;
                sum += n * jaccard(spelling[i], *other);
                count += n;
            }
            self.similarity[i] = if count > 0.0 { sum / count } else { 1.0 };
        }
    }

    /// Returns the set of characters of an element's tag, attributes and place.
    fn spelling(&self, i: usize) -> u128 {
        let e = &self.blocks.elements[i];
        let mut set = 0u128;
        let mut add = |s: &str| s.bytes().filter(|b| !b.is_ascii_whitespace()).for_each(|b| set |= 1 << (b & 127));
        add(e.tag.name());
        for (name, value) in self.dom.attrs(e.node) {
            add("[=\"]");
            add(name);
            add(value);
        }
        add(":nth-child()");
        add(&self.nth[i].to_string());
        set
    }

    /// Computes the mean lengths of the link paths below each element.
    fn measure(&mut self, t: &LinkTable<'_>) {
        let mut sums: HashMap<(u32, u32), (f64, f64)> = HashMap::default();
        for l in t.links.iter().filter(|l| self.seen[l.element]) {
            let length = l.text.chars().filter(|c| !c.is_whitespace()).count() as f64;
            for e in self.blocks.element_chain(l.element).skip(1).take(MAX_CLIMB) {
                let s = sums.entry((e as u32, t.path[l.element])).or_default();
                *s = (s.0 + length, s.1 + 1.0);
            }
        }
        for ((e, _), (sum, n)) in sums {
            let mean = sum / n;
            let slot = &mut self.lengths[e as usize];
            *slot = Some(slot.map_or((mean, mean), |(a, b)| (a.min(mean), b.max(mean))));
        }
    }

    /// Returns the members by parent, without clusters that contain another cluster.
    fn clusters(&self) -> BTreeMap<u32, Vec<usize>> {
        let mut out: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for i in (0..self.seen.len()).filter(|&i| self.seen[i] && self.siblings[i] as usize >= MIN_NUMBER) {
            let fits = self.lengths[i].is_some_and(|(min, max)| min <= MAX_LENGTH && max >= MIN_LENGTH);
            if fits && self.similarity[i] >= SIMILARITY {
                out.entry(self.blocks.elements[i].parent).or_default().push(i);
            }
        }
        let inner: Vec<u32> = out.keys().copied().collect();
        out.retain(|parent, _| !{
            let end = *parent + self.blocks.elements[(*parent) as usize].descendants;
            inner.get(inner.partition_point(|x| *x <= *parent)).is_some_and(|x| *x <= end)
        });
        out
    }

    fn score(&self, members: &[usize]) -> f64 {
        let n = members.len() as f64;
        members.iter().map(|&i| self.similarity[i]).sum::<f64>() / n * libm::log10(n + 1.0)
    }

    /// Returns the links of the most probable title path of a cluster and of the siblings that it lacks.
    fn titles(&self, t: &LinkTable<'_>, members: &[usize]) -> Vec<usize> {
        let mut by_path: BTreeMap<(u32, u32), (f64, Vec<usize>)> = BTreeMap::new();
        for &m in members {
            for i in t.links_in(m) {
                let length = t.links[i].text.chars().filter(|c| !c.is_whitespace()).count() as f64;
                let e = by_path.entry((t.path[t.links[i].element], self.nth[t.links[i].element])).or_default();
                e.0 += density(length);
                e.1.push(i);
            }
        }
        let best = by_path.into_values().max_by(|a, b| (a.0 / a.1.len() as f64).total_cmp(&(b.0 / b.1.len() as f64)));
        best.map_or_else(Vec::new, |e| e.1)
    }
}

/// Returns the probability density of a title's length.
fn density(length: f64) -> f64 {
    let z = (length - MEAN_LENGTH) / DEVIATION;
    libm::exp(-z * z / 2.0) / ((2.0 * std::f64::consts::PI).sqrt() * DEVIATION)
}

fn jaccard(a: u128, b: u128) -> f64 {
    (a & b).count_ones() as f64 / (a | b).count_ones().max(1) as f64
}

/// Returns whether the publication's preprocessing removes an element.
pub fn ignored(dom: &Dom, node: NodeId, tag: Tag) -> bool {
    matches!(tag, Tag::VIDEO | Tag::AUDIO | Tag::IFRAME | Tag::SVG | Tag::IMG | Tag::FOOTER | Tag::HEADER)
        || tag == Tag::DIV
            && (dom.attr(node, "class").is_some_and(|class| class.contains("comment") || class.contains("advert"))
                || dom.attr(node, "style").is_some_and(|s| s.contains("display: none")))
}
