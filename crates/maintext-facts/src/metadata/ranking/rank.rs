//! Candidates, their features, and the ranker that chooses one.
//!
//! A candidate is a value with all the places that state it. Its score is the sum of its features' weights; small regression trees then
//! compare the best few candidates of a page and add to their scores. The probability is a softmax over the page's candidates and the
//! option that the page does not state the field, whose score is 0. `cargo xtask train metadata` fits weights and trees and stores them in
//! `models/metadata.mtx`.
use maintext_page::num::exp;
use serde::Serialize;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Source {
    /// A JSON-LD script.
    JsonLd,
    /// Microdata or RDFa attributes.
    Microdata,
    /// OpenGraph and related properties: `og:`, `article:`.
    OpenGraph,
    /// Any other `<meta>`: Dublin Core, Twitter, `citation_`, sailthru, parsely, plain names.
    Meta,
    /// The `<title>` element or part of it.
    Title,
    /// A heading, `<h1>` to `<h6>`.
    Heading,
    /// A `<time>` element or a date in an attribute.
    Time,
    /// An element marked by its attributes: `rel=author`, a class.
    Markup,
    /// Visible text.
    Text,
    /// The page's address.
    Url,
    /// A value in another script.
    Script,
    /// Set by rules or computed: language detection, the host's name.
    Derived,
}

impl Source {
    /// Returns whether the statement declares the value for machines.
    pub fn is_declared(self) -> bool {
        matches!(self, Source::JsonLd | Source::OpenGraph | Source::Meta | Source::Microdata)
    }
}

/// One statement of a candidate's value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The kind of statement.
    pub source: Source,
    /// Its name: `og:title`, `h1`, `Article.headline`.
    pub key: String,
    /// Index of the text block, if the statement is in the visible page.
    pub block: Option<u32>,
    /// Bytes of the source, if the statement is an element.
    pub span: Option<Range<u32>>,
}

/// A possible value of a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The normalised value.
    pub value: String,
    /// The statements of the value.
    pub evidence: Vec<Evidence>,
    /// The ranker's score; the option that the page does not state the field scores 0.
    pub score: f32,
    /// The probability that this is the correct value.
    pub probability: f32,
    /// The features behind the score: name, value, weight. Empty unless candidates were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<(String, f32, f32)>,
}

/// A tree of depth 4: from node `i`, a value up to the threshold leads to `2i + 1`, a larger one to `2i + 2`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// Input and threshold of each inner node.
    pub splits: [(u16, f32); 15],
    /// The values that the leaves add to the score.
    pub leaves: [f32; 16],
}

/// A model's parameters for a feature.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// Its weight in the linear part.
    pub weight: f32,
    /// Its input of the trees; 0 if none, since inputs below [`COMPUTED`] are computed.
    pub input: u16,
}

/// The model fitted for one field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The features by [`key`].
    features: FastMap<u32, Known>,
    /// The trees that correct the linear part.
    pub(in crate::metadata) trees: Vec<Tree>,
    /// Number of inputs of the trees.
    inputs: usize,
    /// Maximum amount that the trees add to a candidate's score.
    most: f32,
}

impl Model {
    /// Builds a model from features, keyed by [`feature_hash`](crate::metadata::feature_hash), and trees.
    pub fn new(features: impl IntoIterator<Item = (u64, Known)>, trees: Vec<Tree>) -> Model {
        Model::with_keys(features.into_iter().map(|(hash, known)| (key(hash), known)), trees)
    }
    /// Builds a model from features by [`key`], and trees.
    pub(super) fn with_keys(features: impl IntoIterator<Item = (u32, Known)>, trees: Vec<Tree>) -> Model {
        let features: FastMap<u32, Known> = features.into_iter().collect();
        let inputs = features.values().map(|k| k.input as usize + 1).max().unwrap_or(0).max(COMPUTED);
        let most =
            trees.iter().map(|t| t.leaves.iter().copied().fold(f32::NEG_INFINITY, f32::max)).sum::<f32>() + ROUNDING;
        Model { features, trees, inputs, most }
    }
    /// Returns the features in the order of their keys.
    pub(super) fn sorted(&self) -> Vec<(u32, Known)> {
        let mut features: Vec<(u32, Known)> = self.features.iter().map(|(key, known)| (*key, *known)).collect();
        features.sort_unstable_by_key(|f| f.0);
        features
    }
    fn known(&self, hash: u64) -> Known {
        self.features.get(&key(hash)).copied().unwrap_or_default()
    }
    pub(in crate::metadata) fn weight(&self, hash: u64) -> f32 {
        self.known(hash).weight
    }
}

/// Returns the key of a feature in a model: the bits of its hash that differ most. Four bytes keep the features of a model apart, and files
/// small.
fn key(hash: u64) -> u32 {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// A hasher for keys that are hashes already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed(u64);

/// A map with a fast hash, for keys that the program and not a page supplies.
pub type FastMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Hashed>>;
/// A set with a fast hash, for members that the program and not a page supplies.
pub type FastSet<K> = std::collections::HashSet<K, BuildHasherDefault<Hashed>>;

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |h, b| (h ^ *b as u64).wrapping_mul(0x100_0000_01b3));
    }
    fn write_u64(&mut self, h: u64) {
        // The table uses the bits at both ends; FNV's upper bits vary little among short names.
        self.0 = h.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_u32(&mut self, h: u32) {
        self.write_u64(h as u64);
    }
}

/// Minimum score of a valid author. At 0, an absent author would be as likely; but many of the training pages annotated without author or
/// date do state one. Both thresholds were read off the cross-validated curves that `cargo xtask train metadata` prints.
pub const AUTHOR_THRESHOLD: f32 = 0.0;
/// Minimum score of a valid date; see [`AUTHOR_THRESHOLD`].
pub const DATE_THRESHOLD: f32 = -1.5;

/// Number of candidates that the trees compare.
pub const COMPARED: usize = 8;
/// Number of inputs of the trees that are not features: the linear score, its distance to the best other score, the rank by it, the number
/// of candidates, and the share of each of the [`GROUPS`] in the score.
pub const COMPUTED: usize = 4 + GROUPS;
/// Number of groups of features; see [`group`].
pub const GROUPS: usize = 8;

/// Returns the group of a feature: kind of source, class names of the element, of its parent, of the element above, link, labels,
/// structured statements, others.
pub fn group(name: &str) -> usize {
    match name.as_bytes() {
        [b's', b':', ..] => 0,
        [b'c', b':', ..] => 1,
        [b'p', b':', ..] => 2,
        [b'g', b':', ..] => 3,
        [b'u', b':', ..] => 4,
        [b'w', b':', ..] | [b'l', b'a', b'b', b'e', b'l', ..] => 5,
        [b'l', b'd', ..] | [b'i', b'p', b':', ..] | [b'm', b':', ..] | [b'j', ..] => 6,
        _ => GROUPS - 1,
    }
}

/// Hashes the parts of a feature's name by FNV-1a.
pub const fn hash(h: u64, part: &str) -> u64 {
    let bytes = part.as_bytes();
    let (mut h, mut i) = (h, 0);
    while i < bytes.len() {
        h = maintext_page::hash::fnv64(h, bytes[i]);
        i += 1;
    }
    h
}

/// Start of the hashes of feature names.
pub const SEED: u64 = maintext_page::hash::FNV64;

/// Number of features for which memory is reserved, enough for most candidates.
const USUAL: usize = 64;
/// Number of words in the filter of [`Features`].
const FILTER: usize = 16;

/// The features of one candidate; each name counts once.
#[derive(Clone, Debug, Default)]
pub struct Features {
    items: Vec<(u64, f32, u8)>,
    /// A bit for each hash present, so that most new ones need no search.
    filter: [u64; FILTER],
    names: Option<Vec<String>>,
}

impl Features {
    /// Creates an empty set of features. Named features keep their names, for inspection and training.
    pub fn new(named: bool) -> Features {
        Features { items: Vec::with_capacity(USUAL), filter: [0; FILTER], names: named.then(Vec::new) }
    }
    /// Sets a feature.
    pub fn set(&mut self, parts: &[&str], value: f32) {
        let h = parts.iter().fold(SEED, |h, p| hash(h, p));
        if !self.is_new(h) {
            return;
        }
        self.items.push((h, value, group(parts[0]) as u8));
        if let Some(names) = &mut self.names {
            names.push(parts.concat());
        }
    }
    /// Records a hash, and returns whether it was absent.
    fn is_new(&mut self, h: u64) -> bool {
        let (word, bit) = ((h >> 40) as usize % FILTER, 1u64 << (h >> 32 & 63));
        let known = self.filter[word] & bit != 0 && self.items.iter().any(|i| i.0 == h);
        self.filter[word] |= bit;
        !known
    }
    /// Sets a yes-or-no feature.
    pub fn flag(&mut self, name: &str, is: bool) {
        if is {
            self.set(&[name], 1.0);
        }
    }
    /// Sets a yes-or-no feature whose name has several parts.
    pub fn flag_parts(&mut self, parts: &[&str], is: bool) {
        if is {
            self.set(parts, 1.0);
        }
    }
    /// Sets one of several mutually exclusive features for a size: `name:0`, `name:1`, `name:2-3`, ...
    pub fn bucket(&mut self, name: &str, n: usize) {
        let b = match n {
            0 => ":0",
            1 => ":1",
            2 => ":2",
            3 => ":3",
            4..=5 => ":4-5",
            6..=8 => ":6-8",
            9..=12 => ":9-12",
            13..=20 => ":13-20",
            21..=40 => ":21-40",
            41..=100 => ":41-100",
            _ => ":101-",
        };
        self.set(&[name, b], 1.0);
    }
    /// Returns the names, if they are kept.
    #[cfg(test)]
    pub fn names(&self) -> &[String] {
        self.names.as_deref().unwrap_or(&[])
    }
    /// Copies the features of another candidate that this one lacks.
    pub fn inherit(&mut self, other: &Features) {
        for (i, &(h, value, group)) in other.items.iter().enumerate() {
            if !self.is_new(h) {
                continue;
            }
            self.items.push((h, value, group));
            if let (Some(names), Some(theirs)) = (&mut self.names, &other.names) {
                names.push(theirs[i].clone());
            }
        }
    }
    /// Returns the score of the linear part, and the share of each group in it.
    fn score(&self, model: &Model) -> (f32, [f32; GROUPS]) {
        let mut parts = [0.0; GROUPS];
        for (h, v, g) in &self.items {
            parts[*g as usize] += v * model.weight(*h);
        }
        (parts.iter().sum(), parts)
    }
    /// Returns the inputs of the trees.
    fn inputs(&self, model: &Model, computed: [f32; COMPUTED]) -> Vec<f32> {
        let mut x = vec![0.0; model.inputs];
        for (h, v, _) in &self.items {
            let input = usize::from(model.known(*h).input);
            if let Some(x) = x.get_mut(input) {
                *x = *v;
            }
        }
        x[..COMPUTED].copy_from_slice(&computed);
        x
    }
    fn explain(&self, model: &Model) -> Vec<(String, f32, f32)> {
        let Some(names) = &self.names else { return Vec::new() };
        names.iter().zip(&self.items).map(|(n, (h, v, _))| (n.clone(), *v, model.weight(*h))).collect()
    }
}

/// A value that several places of the page may state.
#[derive(Clone, Debug)]
pub struct PoolGroup<V> {
    /// Comparison key of the value, and its hash.
    pub key: String,
    hash: u64,
    /// The normalised value.
    pub value: V,
    /// The most trusted of the value's spellings.
    pub text: String,
    /// Trust in the spelling; the highest wins.
    pub trust: u8,
    /// The statements of the value.
    pub evidence: Vec<Evidence>,
    /// Its features.
    pub features: Features,
}

/// The candidates of one field, one for each value.
#[derive(Clone, Debug)]
pub struct Pool<V> {
    /// The candidates in order of their first mention.
    pub groups: Vec<PoolGroup<V>>,
    named: bool,
}

/// Maximum number of candidates of a field; the first ones are in metadata and near the title.
const MAX_GROUPS: usize = 200;

impl<V> Pool<V> {
    /// Creates an empty pool.
    pub fn new(named: bool) -> Self {
        Pool { groups: Vec::new(), named }
    }
    /// Adds a statement of `value`, whose comparison key is `key`. `None` if the pool is full.
    pub fn add(
        &mut self,
        key: String,
        value: V,
        text: &str,
        trust: u8,
        evidence: Evidence,
    ) -> Option<&mut PoolGroup<V>> {
        let i = match self.position(&key) {
            Some(i) => i,
            None if key.is_empty() || self.groups.len() >= MAX_GROUPS => return None,
            None => {
                let features = Features::new(self.named);
                let hash = hash(SEED, &key);
                let text = text.to_owned();
                self.groups.push(PoolGroup { key, hash, value, text, trust, evidence: Vec::new(), features });
                self.groups.len() - 1
            }
        };
        let g = &mut self.groups[i];
        if trust > g.trust {
            g.trust = trust;
            g.text = text.to_owned();
        }
        if g.evidence.len() < 40 {
            g.evidence.push(evidence);
        }
        Some(g)
    }
    /// Returns the index of the group with that key.
    pub fn position(&self, key: &str) -> Option<usize> {
        // A linear search suffices: there are at most `MAX_GROUPS`, mostly a few dozen.
        let h = hash(SEED, key);
        self.groups.iter().position(|g| g.hash == h && g.key == key)
    }
    /// Returns the group with that key.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut PoolGroup<V>> {
        self.position(key).map(|i| &mut self.groups[i])
    }
    /// Returns the number of kinds of sources that state a group's value.
    pub fn families(g: &PoolGroup<V>) -> usize {
        let mut kinds: Vec<Source> = g.evidence.iter().map(|e| e.source).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.len()
    }
    /// Scores the candidates and returns them with their values, best first. Unless features are named, for inspection and training, only
    /// the first score is exact: the trees skip candidates that cannot win.
    pub fn rank(self, model: &Model) -> Vec<(V, Candidate)> {
        let total = self.groups.len();
        let mut scored: Vec<(f32, [f32; GROUPS], PoolGroup<V>)> = self
            .groups
            .into_iter()
            .map(|g| {
                let (score, parts) = g.features.score(model);
                (score, parts, g)
            })
            .collect();
        // The sort is stable: among equals, the first mention wins.
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = [0, 1].map(|i| scored.get(i).map_or(0.0, |s| s.0));
        let mut out = Vec::with_capacity(total);
        let mut reached = f32::NEG_INFINITY;
        for (rank, (linear, parts, g)) in scored.into_iter().enumerate() {
            let mut score = linear;
            if rank < COMPARED && !self.named && linear + model.most < reached {
                score += model.most;
            } else if rank < COMPARED && !model.trees.is_empty() {
                let other = if rank == 0 { best[1] } else { best[0] };
                let mut computed = [0.0; COMPUTED];
                computed[..4].copy_from_slice(&[linear, linear - other, rank as f32, total as f32]);
                computed[4..].copy_from_slice(&parts);
                let x = g.features.inputs(model, computed);
                score += model.trees.iter().map(|t| t.value(&x)).sum::<f32>();
                reached = reached.max(score);
            } else if !model.trees.is_empty() {
                score -= BEHIND;
            }
            let features = g.features.explain(model);
            out.push((g.value, Candidate { value: g.text, evidence: g.evidence, score, probability: 0.0, features }));
        }
        out.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
        let max = out.first().map_or(0.0, |c| c.1.score.max(0.0));
        let sum: f32 = exp(-max) + out.iter().map(|c| exp(c.1.score - max)).sum::<f32>();
        for (_, c) in &mut out {
            c.probability = exp(c.score - max) / sum;
        }
        out
    }
}

/// More than the rounding error of a sum of leaves.
const ROUNDING: f32 = 0.01;
/// Score deducted from candidates that the trees skip.
const BEHIND: f32 = 10.0;

impl Tree {
    fn value(&self, x: &[f32]) -> f32 {
        let mut i = 0;
        while i < 15 {
            let (input, threshold) = self.splits[i];
            let v = x.get(input as usize).copied().unwrap_or(0.0);
            i = 2 * i + 1 + (v > threshold) as usize;
        }
        self.leaves[i - 15]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_go_left_up_to_the_threshold() {
        let mut leaves = [0.0; 16];
        (leaves[0], leaves[15]) = (1.0, 2.0);
        let tree = Tree { splits: [(0, 0.5); 15], leaves };
        assert_eq!((tree.value(&[0.5]), tree.value(&[0.6]), tree.value(&[])), (1.0, 2.0, 1.0));
    }

    #[test]
    fn candidates_skipped_by_the_trees_could_not_win() {
        let h = |n: &str| hash(SEED, n);
        // The trees add 2 to a "late" candidate, nothing to others: 1.5 can still pass 3.0, and -4 cannot.
        let leaves = std::array::from_fn(|i| (i / 8) as f32);
        let tree = Tree { splits: [(COMPUTED as u16, 0.5); 15], leaves };
        let known = |weight, input| Known { weight, input };
        let features = [("a", 3.0), ("b", 1.5), ("c", -4.0)].map(|(n, w)| (h(n), known(w, 0)));
        let model = Model::new(features.into_iter().chain([(h("late"), known(0.0, COMPUTED as u16))]), vec![tree; 2]);
        let best = |named: bool| {
            let mut pool = Pool::new(named);
            for name in ["a", "b", "c"] {
                let at = Evidence { source: Source::Meta, key: name.into(), block: None, span: None };
                let f = &mut pool.add(name.into(), 0, name, 0, at).unwrap().features;
                f.flag(name, true);
                f.flag("late", name != "a");
            }
            let ranked = pool.rank(&model);
            (ranked[0].1.value.clone(), ranked[0].1.score, ranked.len())
        };
        assert_eq!(best(true), ("b".to_owned(), 3.5, 3));
        assert_eq!(best(false), best(true));
    }

    #[test]
    fn statements_of_one_value_form_one_candidate() {
        let mut pool = Pool::new(true);
        let at = |key: &str| Evidence { source: Source::Meta, key: key.into(), block: None, span: None };
        pool.add("a".into(), 1, "A", 0, at("x")).unwrap().features.flag("x", true);
        pool.add("b".into(), 2, "B", 0, at("y")).unwrap().features.flag("y", true);
        pool.add("a".into(), 1, "a", 1, at("z")).unwrap().features.flag("z", true);
        let h = |n: &str| hash(SEED, n);
        let known = |weight| Known { weight, input: 0 };
        let ranked =
            pool.rank(&Model::new([(h("x"), known(1.0)), (h("y"), known(1.5)), (h("z"), known(1.0))], Vec::new()));
        assert_eq!((ranked[0].1.value.as_str(), ranked[0].1.evidence.len(), ranked[0].1.score), ("a", 2, 2.0));
        let p = 2f32.exp() / (2f32.exp() + 1.5f32.exp() + 1.0);
        assert!((ranked[0].1.probability - p).abs() < 1e-6);
    }
}
