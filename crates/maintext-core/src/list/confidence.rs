//! Confidence that a page is a list.
//!
//! Nearly every page has links that look like entries: an article has related articles below it. A forest compares the best group of
//! entries with the rest of the page, with the blocks that the content model keeps, and with the page type.
use super::fields;
use super::group::LinkGroup;
use super::table::LinkTable;
use crate::method::Verdict;
use crate::model::forest::sigmoid;
use crate::model::{ModelError, Pack};
use std::collections::BTreeMap;
use std::collections::HashSet;
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

/// Least confidence for a page to be a list. Out of fold, one article in fifty reaches it (docs/lists.md).
pub const CONFIDENT: f32 = 0.3;

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
        let value =
            |column: usize| self.places.get(column).and_then(|&i| facts.get(i)).map_or(&[][..], std::slice::from_ref);
        let one = |f: &crate::model::forest::Forest| f.scores(1, value).first().copied();
        self.pack.forests.first().and_then(one).map_or(0.0, sigmoid)
    }
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
            let words = |(i, b): (usize, &crate::blocks::Block)| {
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
    let share = |a: f32, b: f32| a / b.max(1.0);
    let (kept, all) = (words.kept[n] as f32, words.all[n] as f32);
    let (kept_in, all_in) = (sum(&words.kept), sum(&words.all));
    let entries = best.links.len() as f32;
    let targets: HashSet<u32> = t.links.iter().filter(|l| l.url.is_some()).map(|l| l.target).collect();
    let mut chars: Vec<f32> = best.links.iter().map(|&i| t.links[i].label().chars().count() as f32).collect();
    chars.sort_by(f32::total_cmp);
    let (first, last) = (records.first().map_or(0, |r| r.start), records.last().map_or(0, |r| r.end));
    let mut inside = vec![false; n];
    records.iter().cloned().flatten().for_each(|b| inside[b] = true);
    let is_kept = |b: &usize| verdicts.get(*b).is_some_and(|v| v.keep);
    let longest = |of: &dyn Fn(usize) -> bool| {
        let words = (0..n).filter(|b| is_kept(b) && of(*b)).map(|b| t.blocks.blocks[b].words);
        words.max().unwrap_or(0) as f32
    };
    let plain = |b: usize| 3 * t.blocks.blocks[b].link_chars < t.blocks.blocks[b].chars;
    let kept_chars = |links: bool| -> f32 {
        let chars = |b: usize| if links { t.blocks.blocks[b].link_chars } else { t.blocks.blocks[b].chars };
        (0..n).filter(is_kept).map(|b| chars(b) as f32).sum()
    };
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
        (0..n).filter(is_kept).count() as f32,
        share(kept_in, kept),
        share(kept_chars(true), kept_chars(false)),
        share(kept_in, all_in),
        entry.kept,
        entry.mean,
        entry.least,
        kept - kept_in,
        longest(&|b| !inside[b]),
        longest(&|_| true),
        longest(&plain),
        all_in / entries,
        share(words.kept[first] as f32, kept),
        share((words.kept[n] - words.kept[last]) as f32, kept),
        share(words.all[first] as f32, all),
        share(all_in, all),
        groups.get(1).map_or(0.0, |g| g.mean),
        share(plain_in, all_in),
        list,
    ];
    out.extend(KINDS.map(|k| kinds.get(k).copied().unwrap_or(0.0)));
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
