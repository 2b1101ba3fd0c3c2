//! Confidence that a page is a list.
//!
//! Nearly every page has links that look like entries: an article has related articles below it. A forest compares the best group of
//! entries with the rest of the page, with the blocks that the content model keeps, and with the page type.
use super::fields;
use super::group::LinkGroup;
use super::table::LinkTable;
use maintext_page::blocks::{Block, Blocks};
use maintext_page::hash::HashSet;
use maintext_reading::choice::Choice;
use maintext_reading::features::Column;
use maintext_reading::features::sums::RunningSums;
use maintext_reading::model::forest::sigmoid;
use maintext_reading::model::shipped::shipped;
use maintext_reading::model::{ModelError, Pack};
use std::collections::BTreeMap;
use std::ops::Range;

/// The purpose stated in the model file.
pub const KIND: &str = "list-confidence";

/// Minimum confidence for a page to be a list. Out of fold, one article in fifty reaches it (docs/lists.md).
pub const CONFIDENT: f32 = 0.3;

/// Minimum probability of a list for records without links to be one, and the probability of another kind from which they are not.
const MIN_PLAIN: f32 = 0.05;
const MIN_OTHER: f32 = 0.4;

/// Minimum median probability of a group's own texts for it to be a list. Of 242 pages without labels, seven had a list below it, all menus.
const MIN_MEDIAN: f32 = 0.01;

/// Maximum number of ranges of a page's unknown columns that are examined.
const MAX_CASES: usize = 64;
/// If the bound of a page's confidence reaches this, no ranges are examined: they seldom exclude it.
const LIKELY: f32 = 0.85;

/// More than the error of a sum of the forest's leaves.
const ROUNDING: f32 = 1e-3;

/// Decides whether a page is a list.
#[derive(Clone, Debug)]
pub struct ListModel {
    pack: Pack,
}

impl ListModel {
    /// Prepares a model of one forest.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if a part is missing, [`ModelError::UnknownFeature`] for an unknown column.
    pub fn new(pack: Pack) -> Result<ListModel, ModelError> {
        pack.places(&names())?;
        if pack.forests.len() == 1 { Ok(ListModel { pack }) } else { Err(ModelError::Damaged) }
    }

    shipped!(ListModel, list_confidence, KIND);

    /// Returns the probability that a page with these columns is a list.
    pub fn judge(&self, facts: &[Column]) -> f32 {
        let row = self.pack.row(facts);
        self.pack.forests.first().map_or(0.0, |f| sigmoid(f.score(|column| row[column].unwrap_or(0.0))))
    }

    /// Returns whether [`ListModel::judge`] may take a page for a list if only some columns, and the largest values of some others, are
    /// known: most pages cannot be lists, whatever their links. The ranges of unknown columns are halved until none allows it.
    fn may_hold(&self, known: &[Column], at_most: &[Column]) -> bool {
        let Some(forest) = self.pack.forests.first() else { return false };
        let known = self.pack.row(known).into_iter().zip(self.pack.row(at_most));
        let mut cases = vec![
            forest.reach(
                &known
                    .map(|(known, at_most)| match known {
                        Some(v) => [v.next_down(), v],
                        None => [f32::NEG_INFINITY, at_most.unwrap_or(f32::INFINITY)],
                    })
                    .collect::<Vec<_>>(),
            ),
        ];
        for k in 0..MAX_CASES {
            let Some(case) = cases.pop() else { return false };
            let bound = sigmoid(case.most() + ROUNDING);
            if bound < CONFIDENT {
                continue;
            }
            if k == 0 && bound >= LIKELY {
                return true;
            }
            let Some((column, middle)) = case.undecided() else { return true };
            let halves = [[f32::NEG_INFINITY, middle], [middle, f32::INFINITY]];
            cases.extend(halves.map(|half| case.narrow(column, half)));
        }
        !cases.is_empty()
    }
}

/// Returns the columns about the blocks that the content model keeps.
fn kept_columns(blocks: &Blocks, choice: &Choice) -> [Column; 5] {
    let kept: Vec<&Block> =
        blocks.blocks.iter().zip(choice.kept()).filter(|(_, kept)| **kept).map(|(b, _)| b).collect();
    let chars: f32 = kept.iter().map(|b| b.chars as f32).sum();
    let link_chars: f32 = kept.iter().map(|b| b.link_chars as f32).sum();
    let unlinked = kept.iter().filter(|b| 3 * b.link_chars < b.chars);
    [
        ("kept_words", kept.iter().map(|b| b.words).sum::<u32>() as f32),
        ("kept_blocks", kept.len() as f32),
        ("kept_links_share", share(link_chars, chars)),
        ("longest", kept.iter().map(|b| b.words).max().unwrap_or(0) as f32),
        ("longest_unlinked", unlinked.map(|b| b.words).max().unwrap_or(0) as f32),
    ]
}

/// Returns the words of some blocks that are kept, and all that are visible.
fn kept_and_all(words: &RunningSums<u32, 2>, blocks: Range<usize>) -> [f32; 2] {
    words.of(blocks).map(|sum| sum as f32)
}

/// Returns the columns about the page type: the probabilities of a list and of each kind.
fn kind_columns(list: f32, kinds: &BTreeMap<&'static str, f32>) -> [Column; 8] {
    [
        // On zhao1-list the types find 0.82 of the lists, the other columns 0.84, both 0.97 (docs/experiments/lists.md).
        ("kind_list", list),
        ("kind_listing", probability(kinds, "listing")),
        ("kind_collection", probability(kinds, "collection")),
        ("kind_article", probability(kinds, "article")),
        ("kind_forum", probability(kinds, "forum")),
        ("kind_product", probability(kinds, "product")),
        ("kind_documentation", probability(kinds, "documentation")),
        ("kind_service", probability(kinds, "service")),
    ]
}

fn probability(kinds: &BTreeMap<&'static str, f32>, kind: &str) -> f32 {
    kinds.get(kind).copied().unwrap_or(0.0)
}

fn share(a: f32, b: f32) -> f32 {
    a / b.max(1.0)
}

/// Returns whether a page with this choice and these probabilities may be a list, before its links are known. No page that [`facts`] and
/// [`ListModel::judge`] take for a list is excluded.
pub(super) fn may_be_list(blocks: &Blocks, choice: &Choice, list: f32, kinds: &BTreeMap<&'static str, f32>) -> bool {
    let kept = kept_columns(blocks, choice);
    let [words, .., longest, _] = kept;
    // This excludes 297 of 393 pages before their links are read (docs/experiments/speed.md).
    let at_most = [("other_words", words.1), ("longest_other", longest.1)];
    let known = [&kept[..], &kind_columns(list, kinds)].concat();
    ListModel::shipped().is_ok_and(|m| m.may_hold(&known, &at_most))
}

/// Returns whether a page with these probabilities may be a list of records without links: it is not clearly another kind. The model of
/// page types has seen few such pages, so that most look like pages of a service.
pub(super) fn may_be_plain(list: f32, kinds: &BTreeMap<&'static str, f32>) -> bool {
    list >= MIN_PLAIN
        && !["article", "forum", "product", "documentation"]
            .into_iter()
            .any(|kind| kinds.get(kind).is_some_and(|p| *p >= MIN_OTHER))
}

/// Returns the names of the columns of [`facts`].
pub fn names() -> Vec<&'static str> {
    let dom = maintext_page::dom::parse("", &Default::default());
    let blocks = Blocks::new(&dom);
    let table = LinkTable::new(&dom, &blocks, None);
    let columns = facts(&table, &[LinkGroup::default()], &Choice::default(), 0.0, &BTreeMap::new());
    columns.into_iter().flatten().map(|column| column.0).collect()
}

/// Returns the columns of a page; `None` for a page without groups.
///
/// `choice` is the content model's, with [`Favor::Balance`](maintext_reading::Favor::Balance).
pub fn facts(
    t: &LinkTable<'_>,
    groups: &[LinkGroup],
    choice: &Choice,
    list: f32,
    kinds: &BTreeMap<&'static str, f32>,
) -> Option<Vec<Column>> {
    let best = groups.first()?;
    let n = t.blocks.len();
    let words = RunningSums::new(
        t.blocks
            .blocks
            .iter()
            .enumerate()
            .map(|(i, b)| [choice.keeps(i), !b.hidden].map(|counts| if counts { b.words } else { 0 })),
    );
    let records = disjoint(fields::record_blocks(t, &best.links));
    let (mut kept_in, mut all_in) = (0.0, 0.0);
    for record in &records {
        let [kept, all] = kept_and_all(&words, record.clone());
        (kept_in, all_in) = (kept_in + kept, all_in + all);
    }
    let [kept, all] = kept_and_all(&words, 0..n);
    let (first, last) = (records.first().map_or(0, |r| r.start), records.last().map_or(0, |r| r.end));
    let [kept_before, all_before] = kept_and_all(&words, 0..first);
    let [kept_after, _] = kept_and_all(&words, last..n);
    let entries = best.links.len() as f32;
    let targets: HashSet<u32> = t.links.iter().filter(|l| l.url.is_some()).map(|l| l.target).collect();
    let mut chars: Vec<f32> = best.links.iter().map(|&i| t.links[i].label().chars().count() as f32).collect();
    chars.sort_by(f32::total_cmp);
    let mut inside = vec![false; n];
    records.iter().cloned().flatten().for_each(|b| inside[b] = true);
    let other = (0..n).filter(|&b| choice.keeps(b) && !inside[b]).map(|b| t.blocks.blocks[b].words);
    let plain_in: f32 = (0..n)
        .filter(|&b| inside[b] && 3 * t.blocks.blocks[b].link_chars < t.blocks.blocks[b].chars)
        .map(|b| t.blocks.blocks[b].words as f32)
        .sum();
    let [kept_words, kept_blocks, kept_links, longest, longest_unlinked] = kept_columns(t.blocks, choice);
    let [entries_kept, entries_mean, entries_least] = entry_columns(t, &best.links, choice);
    let mut out = vec![
        ("entries", entries),
        ("mean", best.mean),
        ("score", best.score),
        ("groups", groups.len() as f32),
        ("all_entries", groups.iter().map(|g| g.links.len()).sum::<usize>() as f32),
        ("share_of_targets", share(entries, targets.len() as f32)),
        ("share_of_link_chars", share(chars.iter().sum(), t.link_chars as f32)),
        ("title_chars", chars.iter().sum::<f32>() / entries),
        ("title_chars_least", lower_quartile(&chars)),
        ("with_heading", best.links.iter().filter(|&&i| in_heading(t, i)).count() as f32 / entries),
        kept_words,
        kept_blocks,
        ("kept_in_records", share(kept_in, kept)),
        kept_links,
        ("records_kept", share(kept_in, all_in)),
        entries_kept,
        entries_mean,
        entries_least,
        ("other_words", kept - kept_in),
        ("longest_other", other.max().unwrap_or(0) as f32),
        longest,
        longest_unlinked,
        ("words_a_record", all_in / entries),
        ("words_before", share(kept_before, kept)),
        ("words_after", share(kept_after, kept)),
        ("page_words_before", share(all_before, all)),
        ("page_words_in_records", share(all_in, all)),
        ("second_mean", groups.get(1).map_or(0.0, |g| g.mean)),
        ("plain_in_records", share(plain_in, all_in)),
    ];
    out.extend(kind_columns(list, kinds));
    Some(out)
}

/// Whether the content model rules out the texts of a group: a menu is not a list, whatever its form.
pub(super) fn is_menu(t: &LinkTable<'_>, group: &LinkGroup, choice: &Choice) -> bool {
    let scores = sorted_scores(&judged(t, &group.links, choice), choice);
    scores.get(scores.len() / 2).is_some_and(|median| *median < MIN_MEDIAN)
}

/// Returns the first block of each link's element, if the content model has judged it.
fn judged(t: &LinkTable<'_>, links: &[usize], choice: &Choice) -> Vec<usize> {
    let first = links.iter().filter_map(|&i| t.blocks.elements[t.links[i].element].blocks.clone().next());
    first.map(|b| b as usize).filter(|b| *b < choice.len()).collect()
}

fn sorted_scores(judged: &[usize], choice: &Choice) -> Vec<f32> {
    let mut scores: Vec<f32> = judged.iter().map(|b| choice.scores()[*b]).collect();
    scores.sort_by(f32::total_cmp);
    scores
}

/// Returns the columns about the content model's choice among the entries' own texts.
fn entry_columns(t: &LinkTable<'_>, links: &[usize], choice: &Choice) -> [Column; 3] {
    let judged = judged(t, links, choice);
    let scores = sorted_scores(&judged, choice);
    let n = judged.len().max(1) as f32;
    [
        ("entries_kept", judged.iter().filter(|b| choice.keeps(**b)).count() as f32 / n),
        ("entries_probability", scores.iter().sum::<f32>() / n),
        ("entries_least_probability", lower_quartile(&scores)),
    ]
}

pub(super) fn lower_quartile(sorted: &[f32]) -> f32 {
    sorted.get(sorted.len() / 4).copied().unwrap_or(0.0)
}

pub(super) fn in_heading(t: &LinkTable<'_>, link: usize) -> bool {
    t.blocks.element_chain(t.links[link].element).take(4).any(|e| t.blocks.elements[e].tag.heading_level().is_some())
        || t.headings_below(t.links[link].element) > 0
}

/// Returns the ranges in order, without overlaps.
pub(super) fn disjoint(ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
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
    use maintext_reading::method::{Favor, Method, View};
    use maintext_reading::model::Learned;

    const LISTING: &str = "<title>News</title><h1>News</h1><div><h2><a href=/bridge-opens>The new bridge opens in May</a></h2>\
        <p>Traffic will cross it from Monday on.</div><div><h2><a href=/school-choir>The school choir sings again</a></h2>\
        <p>Forty children sang in the old hall.</div><div><h2><a href=/winter-storm>A winter storm closes the harbour</a></h2>\
        <p>No ferry left before the evening.</div><p><a href=/about>About</a>";

    /// Returns for some probabilities of a list whether the page may be one before its links are read, and whether it is.
    fn decisions(html: &str) -> Vec<[bool; 2]> {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: html, dom: &dom, blocks: &blocks, url: None };
        let choice = Learned::shipped().unwrap().judge(&view, Favor::Balance);
        let table = LinkTable::new(&dom, &blocks, None);
        let groups = super::super::Lists::named("learned").unwrap().links(&view, &table, None);
        let model = ListModel::shipped().unwrap();
        let at = |k: u8| {
            let list = f32::from(k) / 10.0;
            let kinds = BTreeMap::from([("listing", list), ("article", 1.0 - list)]);
            let judged = facts(&table, &groups, &choice, list, &kinds).map_or(0.0, |f| model.judge(&f));
            [may_be_list(&blocks, &choice, list, &kinds), judged >= CONFIDENT]
        };
        (0..=10).map(at).collect()
    }

    #[test]
    fn no_list_is_excluded_before_its_links_are_read() {
        let found = decisions(LISTING);
        assert!(found.iter().all(|[may, is]| *may || !is), "{found:?}");
        assert!(found[10][1], "{found:?}");
    }

    #[test]
    fn a_menu_is_not_a_list() {
        let dom = maintext_page::dom::parse(LISTING, &Default::default());
        let blocks = Blocks::new(&dom);
        let view = View { source: LISTING, dom: &dom, blocks: &blocks, url: None };
        let lists = super::super::Lists::named("learned").unwrap();
        let kinds = BTreeMap::from([("listing", 1.0)]);
        let entries = |probability: f32| {
            let choice = Choice::new(vec![probability; blocks.len()], None, vec![true; blocks.len()]);
            let groups = lists.confident(&view, &choice, 1.0, &kinds);
            groups.iter().map(|group| group.entries.len()).sum::<usize>()
        };
        assert_eq!((entries(0.005), entries(0.6)), (0, 3));
    }

    #[test]
    fn an_article_is_not_a_list_whatever_its_links_are() {
        let article =
            "It rained for a week, and the river rose above the meadows where nobody had seen it before. ".repeat(9);
        let found = decisions(&format!("<h1>The flood</h1><p>{article}</p>{LISTING}"));
        assert!(!found[0][0], "{found:?}");
    }
}
