//! Confidence that a page is a list.
//!
//! Nearly every page has links that look like entries: an article has related articles below it. A forest compares the best group of
//! entries with the rest of the page, with the blocks that the content model keeps, and with the page type.
use super::fields;
use super::group::LinkGroup;
use super::table::LinkTable;
use crate::blocks::{Block, Blocks};
use crate::hash::HashSet;
use crate::method::Verdict;
use crate::model::forest::sigmoid;
use crate::model::{ModelError, Pack};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// The purpose stated in the model file.
pub const KIND: &str = "list-confidence";

/// The columns of [`facts`].
pub const NAMES: [&str; 37] = [
    "entries",
    "mean",
    "score",
    "groups",
    "all_entries",
    "share_of_targets",
    "share_of_link_chars",
    "title_chars",
    "title_chars_least",
    "with_heading",
    "kept_words",
    "kept_blocks",
    "kept_in_records",
    "kept_links_share",
    "records_kept",
    "entries_kept",
    "entries_probability",
    "entries_least_probability",
    "other_words",
    "longest_other",
    "longest",
    "longest_unlinked",
    "words_a_record",
    "words_before",
    "words_after",
    "page_words_before",
    "page_words_in_records",
    "second_mean",
    "plain_in_records",
    "kind_list",
    "kind_listing",
    "kind_collection",
    "kind_article",
    "kind_forum",
    "kind_product",
    "kind_documentation",
    "kind_service",
];

/// Page types whose probabilities are the last of [`NAMES`].
const KINDS: [&str; 7] = ["listing", "collection", "article", "forum", "product", "documentation", "service"];

/// Minimum confidence for a page to be a list. Out of fold, one article in fifty reaches it (docs/lists.md).
pub const CONFIDENT: f32 = 0.3;

/// More than the error of a sum of the forest's leaves.
const ROUNDING: f32 = 1e-3;

/// Decides whether a page is a list.
#[derive(Clone, Debug)]
pub struct ListModel {
    pack: Pack,
    places: Vec<usize>,
}

impl ListModel {
    /// Prepares a model of one forest.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if a part is missing, or a column is unknown.
    pub fn new(pack: Pack) -> Result<ListModel, ModelError> {
        let places = pack.places(&NAMES.map(str::to_owned))?;
        if pack.forests.len() == 1 { Ok(ListModel { pack, places }) } else { Err(ModelError::Damaged) }
    }

    /// Returns the model inside the library, which is read once.
    ///
    /// # Errors
    /// [`ModelError`] if the library was built with a damaged model.
    pub fn shipped() -> Result<Arc<ListModel>, ModelError> {
        static SHIPPED: LazyLock<Result<Arc<ListModel>, ModelError>> = LazyLock::new(|| {
            let pack = Pack::from_bytes(crate::model::shipped::list_confidence()?, KIND)?;
            Ok(Arc::new(ListModel::new(pack)?))
        });
        SHIPPED.clone()
    }

    /// Returns the probability that a page with these features is a list.
    pub fn judge(&self, facts: &[f32]) -> f32 {
        let value = |column: usize| self.places.get(column).and_then(|&i| facts.get(i)).copied().unwrap_or(0.0);
        self.pack.forests.first().map_or(0.0, |f| sigmoid(f.score(value)))
    }

    /// Returns an upper bound of [`ListModel::judge`] that needs no links: most pages cannot be lists, whatever their links.
    fn most(&self, kept: &Kept, kinds: &[f32; 1 + KINDS.len()]) -> f32 {
        let mut known = [None; NAMES.len()];
        for (name, value) in kept.named() {
            if let Some(at) = NAMES.iter().position(|n| *n == name) {
                known[at] = Some(value);
            }
        }
        known[NAMES.len() - kinds.len()..].iter_mut().zip(kinds).for_each(|(slot, v)| *slot = Some(*v));
        let value = |column: usize| self.places.get(column).and_then(|&i| known[i]);
        self.pack.forests.first().map_or(0.0, |f| sigmoid(f.most(value) + ROUNDING))
    }
}

/// What the content model keeps of a page.
struct Kept {
    words: f32,
    blocks: f32,
    links_share: f32,
    longest: f32,
    longest_unlinked: f32,
}

impl Kept {
    fn new(blocks: &Blocks, verdicts: &[Verdict]) -> Kept {
        let kept: Vec<&Block> = blocks.blocks.iter().zip(verdicts).filter(|(_, v)| v.keep).map(|(b, _)| b).collect();
        let sum = |of: fn(&Block) -> u32| kept.iter().map(|b| of(b) as f32).sum::<f32>();
        let longest = |of: fn(&Block) -> bool| kept.iter().filter(|b| of(b)).map(|b| b.words).max().unwrap_or(0) as f32;
        Kept {
            words: kept.iter().map(|b| b.words).sum::<u32>() as f32,
            blocks: kept.len() as f32,
            links_share: share(sum(|b| b.link_chars), sum(|b| b.chars)),
            longest: longest(|_| true),
            longest_unlinked: longest(|b| 3 * b.link_chars < b.chars),
        }
    }

    fn named(&self) -> [(&'static str, f32); 5] {
        [
            ("kept_words", self.words),
            ("kept_blocks", self.blocks),
            ("kept_links_share", self.links_share),
            ("longest", self.longest),
            ("longest_unlinked", self.longest_unlinked),
        ]
    }
}

/// Returns the last of [`NAMES`]: the probabilities of a list and of each kind.
fn kind_facts(list: f32, kinds: &BTreeMap<&'static str, f32>) -> [f32; 1 + KINDS.len()] {
    let mut out = [list; 1 + KINDS.len()];
    out[1..].iter_mut().zip(KINDS).for_each(|(slot, k)| *slot = kinds.get(k).copied().unwrap_or(0.0));
    out
}

fn share(a: f32, b: f32) -> f32 {
    a / b.max(1.0)
}

/// Returns whether a page with these verdicts and probabilities may be a list, before its links are known. No page that [`facts`] and
/// [`ListModel::judge`] hold for a list is excluded.
pub(super) fn may_be_list(
    blocks: &Blocks,
    verdicts: &[Verdict],
    list: f32,
    kinds: &BTreeMap<&'static str, f32>,
) -> bool {
    let most = |m: Arc<ListModel>| m.most(&Kept::new(blocks, verdicts), &kind_facts(list, kinds));
    ListModel::shipped().map_or(0.0, most) >= CONFIDENT
}

/// Running sums over blocks: kept words, and all words.
struct WordSums {
    kept: Vec<u32>,
    all: Vec<u32>,
}

impl WordSums {
    fn new(t: &LinkTable<'_>, verdicts: &[Verdict]) -> WordSums {
        let sums = |counts: &dyn Fn(usize) -> bool| {
            let mut sum = 0;
            let words = |(i, b): (usize, &Block)| {
                sum += if counts(i) { b.words } else { 0 };
                sum
            };
            std::iter::once(0).chain(t.blocks.blocks.iter().enumerate().map(words)).collect()
        };
        let is_kept = |i: usize| verdicts.get(i).is_some_and(|v| v.keep);
        WordSums { kept: sums(&is_kept), all: sums(&|i| !t.blocks.blocks[i].hidden) }
    }

    fn in_range(sums: &[u32], r: &Range<usize>) -> f32 {
        (sums[r.end] - sums[r.start]) as f32
    }
}

/// Returns the columns of a page, in the order of [`NAMES`]; `None` for a page without groups.
///
/// `verdicts` are those of the content model with [`Favor::Balance`](crate::Favor::Balance).
pub fn facts(
    t: &LinkTable<'_>,
    groups: &[LinkGroup],
    verdicts: &[Verdict],
    list: f32,
    kinds: &BTreeMap<&'static str, f32>,
) -> Option<Vec<f32>> {
    let best = groups.first()?;
    let words = WordSums::new(t, verdicts);
    let n = t.blocks.len();
    let records = disjoint(fields::record_blocks(t, &best.links));
    let sum = |sums: &[u32]| records.iter().map(|r| WordSums::in_range(sums, r)).sum::<f32>();
    let of_kept = Kept::new(t.blocks, verdicts);
    let (kept, all) = (of_kept.words, words.all[n] as f32);
    let (kept_in, all_in) = (sum(&words.kept), sum(&words.all));
    let entries = best.links.len() as f32;
    let targets: HashSet<u32> = t.links.iter().filter(|l| l.url.is_some()).map(|l| l.target).collect();
    let mut chars: Vec<f32> = best.links.iter().map(|&i| t.links[i].label().chars().count() as f32).collect();
    chars.sort_by(f32::total_cmp);
    let (first, last) = (records.first().map_or(0, |r| r.start), records.last().map_or(0, |r| r.end));
    let mut inside = vec![false; n];
    records.iter().cloned().flatten().for_each(|b| inside[b] = true);
    let is_kept = |b: &usize| verdicts.get(*b).is_some_and(|v| v.keep);
    let other = (0..n).filter(|b| is_kept(b) && !inside[*b]).map(|b| t.blocks.blocks[b].words);
    let plain = |b: usize| 3 * t.blocks.blocks[b].link_chars < t.blocks.blocks[b].chars;
    let entry = entry_verdicts(t, &best.links, verdicts);
    let plain_in: f32 = (0..n).filter(|&b| inside[b] && plain(b)).map(|b| t.blocks.blocks[b].words as f32).sum();
    let mut out = vec![
        entries,
        best.mean,
        best.score,
        groups.len() as f32,
        groups.iter().map(|g| g.links.len()).sum::<usize>() as f32,
        share(entries, targets.len() as f32),
        share(chars.iter().sum(), t.link_chars as f32),
        chars.iter().sum::<f32>() / entries,
        chars[chars.len() / 4],
        best.links.iter().filter(|&&i| in_heading(t, i)).count() as f32 / entries,
        kept,
        of_kept.blocks,
        share(kept_in, kept),
        of_kept.links_share,
        share(kept_in, all_in),
        entry.kept,
        entry.mean,
        entry.least,
        kept - kept_in,
        other.max().unwrap_or(0) as f32,
        of_kept.longest,
        of_kept.longest_unlinked,
        all_in / entries,
        share(words.kept[first] as f32, kept),
        share((words.kept[n] - words.kept[last]) as f32, kept),
        share(words.all[first] as f32, all),
        share(all_in, all),
        groups.get(1).map_or(0.0, |g| g.mean),
        share(plain_in, all_in),
    ];
    out.extend(kind_facts(list, kinds));
    Some(out)
}

/// The content model's verdicts on the entries' own texts.
struct EntryVerdicts {
    kept: f32,
    mean: f32,
    /// The lower quartile of the scores.
    least: f32,
}

fn entry_verdicts(t: &LinkTable<'_>, links: &[usize], verdicts: &[Verdict]) -> EntryVerdicts {
    let block = |&i: &usize| {
        let blocks = &t.blocks.elements[t.links[i].element].blocks;
        blocks.clone().next().and_then(|b| verdicts.get(b as usize))
    };
    let judged: Vec<&Verdict> = links.iter().filter_map(block).collect();
    let mut scores: Vec<f32> = judged.iter().map(|v| v.score).collect();
    scores.sort_by(f32::total_cmp);
    let n = judged.len().max(1) as f32;
    EntryVerdicts {
        kept: judged.iter().filter(|v| v.keep).count() as f32 / n,
        mean: scores.iter().sum::<f32>() / n,
        least: scores.get(scores.len() / 4).copied().unwrap_or(0.0),
    }
}

fn in_heading(t: &LinkTable<'_>, link: usize) -> bool {
    let heading = |e: usize| t.blocks.elements[e].tag.heading_level().is_some();
    t.blocks.element_chain(t.links[link].element).take(4).any(heading) || t.headings_below(t.links[link].element) > 0
}

/// Returns the ranges in order, without overlaps.
fn disjoint(ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut out = Vec::with_capacity(ranges.len());
    for r in ranges {
        let start = r.start.max(end);
        if start < r.end {
            end = r.end;
            out.push(start..r.end);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Favor, Method, View};
    use crate::model::Learned;

    const LISTING: &str = "<title>News</title><h1>News</h1><div><h2><a href=/bridge-opens>The new bridge opens in May</a></h2>\
        <p>Traffic will cross it from Monday on.</div><div><h2><a href=/school-choir>The school choir sings again</a></h2>\
        <p>Forty children sang in the old hall.</div><div><h2><a href=/winter-storm>A winter storm closes the harbour</a></h2>\
        <p>No ferry left before the evening.</div><p><a href=/about>About</a>";

    /// Returns the bound and the probability for some probabilities of a list.
    fn bounds(html: &str) -> Vec<(f32, f32)> {
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        let verdicts = Learned::shipped().unwrap().judge(&view, Favor::Balance);
        let table = LinkTable::new(&dom, &blocks, None);
        let groups = super::super::Lists::named("learned").unwrap().links(&view, &table, None);
        let model = ListModel::shipped().unwrap();
        let at = |k: u8| {
            let list = f32::from(k) / 10.0;
            let kinds = BTreeMap::from([("listing", list), ("article", 1.0 - list)]);
            let judged = facts(&table, &groups, &verdicts, list, &kinds).map_or(0.0, |f| model.judge(&f));
            (model.most(&Kept::new(&blocks, &verdicts), &kind_facts(list, &kinds)), judged)
        };
        (0..=10).map(at).collect()
    }

    #[test]
    fn no_list_is_excluded_before_its_links_are_read() {
        let found = bounds(LISTING);
        assert!(found.iter().all(|(most, judged)| most >= judged), "{found:?}");
        assert!(found[10].1 >= CONFIDENT && found[0].0 < found[10].0, "{found:?}");
    }

    #[test]
    fn an_article_is_not_a_list_whatever_its_links_are() {
        let article =
            "It rained for a week, and the river rose above the meadows where nobody had seen it before. ".repeat(9);
        let found = bounds(&format!("<h1>The flood</h1><p>{article}</p>{LISTING}"));
        assert!(found[0].0 < CONFIDENT, "{found:?}");
    }
}
