//! The columns of groups of links, from which a model judges which group is the list of the page.
use super::confidence::{disjoint, in_heading, lower_quartile};
use super::fields;
use super::group::{Beside, LinkGroup};
use super::table::{LinkTable, MIN_RECORDS};
use maintext_page::blocks::Blocks;
use maintext_page::hash::HashSet;
use maintext_reading::features::Column;
use maintext_reading::features::sums::RunningSums;
use std::ops::Range;

/// Minimum number of words outside of links from which a record has a text.
const MIN_TEXT_WORDS: f32 = 5.0;
/// Maximum number of groups in whose records the links of a group are sought, the ones with the most words.
const MAX_OUTER: usize = 8;

/// Maximum number of links of a record that are compared.
const MAX_LINKS_OF_RECORD: usize = 30;

/// What the columns of all groups of a page need of one group.
struct Judged {
    columns: Vec<Column>,
    /// Words in its records.
    words: f32,
    /// Words outside of links a record.
    plain: f32,
}

/// Returns the names of the columns of a group.
pub fn names() -> Vec<&'static str> {
    let dom = maintext_page::dom::parse("", &Default::default());
    let blocks = Blocks::new(&dom);
    let table = LinkTable::new(&dom, &blocks, None);
    let groups = [LinkGroup::default(), LinkGroup::default()];
    further_columns(&table, &groups, &[]).into_iter().flatten().map(|column| column.0).collect()
}

/// Returns the columns of each group after the first one: its own, then the ones about the first group, the list of the page.
pub fn further_columns(t: &LinkTable<'_>, groups: &[LinkGroup], p: &[f32]) -> Vec<Vec<Column>> {
    let mut rows = columns(t, groups, p).into_iter();
    let (Some(best), Some(of_best)) = (groups.first(), rows.next()) else { return Vec::new() };
    // Chosen by thresholds, lists at the side were merged into the best one or followed it (docs/experiments/lists.md).
    let beside = Beside::new(t, best);
    let further = rows.zip(&groups[1..]).map(|(mut row, g)| {
        let [first, best_first] = [&row, &of_best].map(|columns| value(columns, "list_first"));
        let [last, best_last] = [&row, &of_best].map(|columns| value(columns, "list_last"));
        let begin = g.links.first().copied().unwrap_or(0);
        let columns = [
            ("beside_score", g.score / best.score.max(1e-6)),
            ("beside_best_score", best.score),
            ("beside_mean", g.mean / best.mean.max(1e-6)),
            ("beside_text", difference(&row, &of_best, "list_with_text")),
            ("beside_images", difference(&row, &of_best, "list_images")),
            ("beside_in_heading", difference(&row, &of_best, "list_in_heading")),
            ("beside_deviation", difference(&row, &of_best, "list_chars_deviation")),
            ("beside_gap", (first - best_last).max(best_first - last)),
            ("beside_entries", ratio(&row, &of_best, "list_entries")),
            ("beside_chars", ratio(&row, &of_best, "list_chars")),
            ("beside_words", ratio(&row, &of_best, "list_words")),
            ("beside_best_entries", value(&of_best, "list_entries")),
            ("beside_best_plain", value(&of_best, "list_plain")),
            ("beside_best_aside", value(&of_best, "list_aside")),
            ("beside_among", u8::from(beside.is_among(g)).into()),
            ("beside_alike", beside.alike(g)),
            ("beside_after", u8::from(begin > beside.last).into()),
            ("beside_before", u8::from(begin < beside.first).into()),
        ];
        row.extend(columns);
        row
    });
    further.collect()
}

/// Returns the columns of each group, the first ones of [`names`]. `p` has the probability of each link.
pub fn columns(t: &LinkTable<'_>, groups: &[LinkGroup], p: &[f32]) -> Vec<Vec<Column>> {
    let words = RunningSums::new(t.blocks.blocks.iter().map(|b| {
        let is_plain = 3 * b.link_chars < b.chars;
        [!b.hidden, !b.hidden && is_plain].map(|counts| if counts { b.words } else { 0 })
    }));
    // The content model's choice is not a column: it gains 0.02 on labelled pages and loses 0.018 on search results (docs/experiments/lists.md).
    let judged: Vec<Judged> = groups.iter().map(|g| judge(t, g, p, &words)).collect();
    let best_mean = groups.iter().map(|g| g.mean).fold(f32::MIN_POSITIVE, f32::max);
    let best_score = groups.iter().map(|g| g.score).fold(f32::MIN_POSITIVE, f32::max);
    let most_words = judged.iter().map(|j| j.words).fold(1.0, f32::max);
    let most_plain = judged.iter().map(|j| j.plain).fold(1.0, f32::max);
    let best_main =
        groups.iter().zip(&judged).map(|(g, j)| g.score * (1.0 - value(&j.columns, "list_aside"))).fold(0.0, f32::max);
    let outer = outer_records(t, groups, &judged);
    let mut out = Vec::with_capacity(groups.len());
    for (k, (g, j)) in groups.iter().zip(judged).enumerate() {
        let others = outer.iter().filter(|(other, _)| *other != k);
        let inside = others.map(|(_, records)| share_inside(&g.links, records)).fold(0.0, f32::max);
        let mut columns = j.columns;
        columns.extend([
            ("list_inside", inside),
            ("list_mean_of_best", g.mean / best_mean),
            ("list_score_of_best", g.score / best_score),
            ("list_words_of_most", j.words / most_words),
            ("list_plain_of_most", j.plain / most_plain),
            ("list_best_main", best_main),
        ]);
        out.push(columns);
    }
    out
}

fn record(t: &LinkTable<'_>, link: usize) -> usize {
    t.record_level(link).element.map_or(t.links[link].element, |e| e as usize)
}

/// Returns whether no other link of the record has a longer label.
fn is_longest(t: &LinkTable<'_>, link: usize) -> bool {
    let own = t.links[link].label().len();
    t.links_in(record(t, link)).take(MAX_LINKS_OF_RECORD).all(|other| t.links[other].label().len() <= own)
}

fn value(row: &[Column], name: &str) -> f32 {
    row.iter().find(|column| column.0 == name).map_or(0.0, |column| column.1)
}

fn difference(row: &[Column], other: &[Column], name: &str) -> f32 {
    value(row, name) - value(other, name)
}

fn ratio(row: &[Column], other: &[Column], name: &str) -> f32 {
    value(row, name) / value(other, name).max(1.0)
}

/// Returns the innermost record around a link, if there is one.
fn record_of(t: &LinkTable<'_>, link: usize) -> Option<usize> {
    t.levels[link][0].element.map(|e| e as usize)
}

/// Returns the largest groups by their place, each with the links in its records.
fn outer_records(t: &LinkTable<'_>, groups: &[LinkGroup], judged: &[Judged]) -> Vec<(usize, Vec<Range<usize>>)> {
    let mut outer: Vec<usize> = (0..groups.len()).filter(|&g| groups[g].links.len() >= MIN_RECORDS).collect();
    outer.sort_by(|a, b| judged[*b].words.total_cmp(&judged[*a].words).then(a.cmp(b)));
    outer.truncate(MAX_OUTER);
    let with_records = outer.into_iter().map(|g| {
        let records = t.record_elements(&groups[g].links).into_iter();
        (g, records.map(|(e, _)| t.links_in(e)).collect())
    });
    with_records.collect()
}

fn share_inside(links: &[usize], records: &[Range<usize>]) -> f32 {
    let inside = links.iter().filter(|link| {
        let at = records.partition_point(|r| r.start <= **link);
        at > 0 && records[at - 1].contains(link)
    });
    inside.count() as f32 / links.len().max(1) as f32
}

fn judge(t: &LinkTable<'_>, g: &LinkGroup, p: &[f32], words: &RunningSums<u32, 2>) -> Judged {
    let entries = g.links.len().max(1) as f32;
    let mut chances: Vec<f32> = g.links.iter().map(|&i| p[i]).collect();
    chances.sort_by(f32::total_cmp);
    let mut chars: Vec<f32> = g.links.iter().map(|&i| t.links[i].label().chars().count() as f32).collect();
    chars.sort_by(f32::total_cmp);
    let all_chars: f32 = chars.iter().sum();
    let mean_chars = all_chars / entries;
    let deviation = (chars.iter().map(|c| (c - mean_chars).powi(2)).sum::<f32>() / entries).sqrt();
    let labels: HashSet<&str> = g.links.iter().map(|&i| t.links[i].label()).collect();
    let records = fields::record_blocks(t, &g.links);
    let mut plain: Vec<f32> = records.iter().map(|r| words.of(r.clone())[1] as f32).collect();
    plain.sort_by(f32::total_cmp);
    let with_text = plain.iter().filter(|words| **words >= MIN_TEXT_WORDS).count() as f32;
    let records = disjoint(records);
    let (mut all_in, mut plain_in) = (0.0, 0.0);
    for r in &records {
        let [all, plain] = words.of(r.clone()).map(|words| words as f32);
        (all_in, plain_in) = (all_in + all, plain_in + plain);
    }
    let blocks = t.blocks.len();
    let kin = g.mean_of(|i| t.levels[i][0].kin as f32);
    let columns = vec![
        ("list_entries", entries),
        ("list_mean", g.mean),
        ("list_score", g.score),
        ("list_least", lower_quartile(&chances)),
        ("list_most", chances.last().copied().unwrap_or(0.0)),
        ("list_chars", mean_chars),
        ("list_chars_deviation", deviation / mean_chars.max(1.0)),
        ("list_chars_least", lower_quartile(&chars)),
        ("list_labels", labels.len() as f32 / entries),
        ("list_link_chars", all_chars / (t.link_chars as f32).max(1.0)),
        ("list_words", all_in / entries),
        ("list_plain", plain_in / entries),
        ("list_plain_least", lower_quartile(&plain)),
        ("list_with_text", with_text / entries),
        ("list_images", g.share_of(|i| record_of(t, i).is_some_and(|e| t.images_below(e) > 0))),
        ("list_times", g.share_of(|i| record_of(t, i).is_some_and(|e| t.times_below(e) > 0))),
        ("list_headings", g.share_of(|i| record_of(t, i).is_some_and(|e| t.headings_below(e) > 0))),
        ("list_in_heading", g.share_of(|i| in_heading(t, i))),
        ("list_aside", g.share_of(|i| t.aside[t.links[i].element])),
        ("list_image_links", g.share_of(|i| t.links[i].image)),
        ("list_without_text", g.share_of(|i| t.links[i].text.is_empty())),
        ("list_repeated", g.share_of(|i| t.repeats[i])),
        ("list_first", records.first().map_or(0, |r| r.start) as f32 / blocks.max(1) as f32),
        ("list_last", records.last().map_or(0, |r| r.end) as f32 / blocks.max(1) as f32),
        ("list_page_words", all_in / (words.of(0..blocks)[0] as f32).max(1.0)),
        ("list_kin", kin),
        ("list_like", g.mean_of(|i| t.levels[i][0].like as f32) / kin.max(1.0)),
        ("list_leading", g.share_of(|i| t.links_in(record(t, i)).start == i)),
        ("list_longest", g.share_of(|i| is_longest(t, i))),
    ];
    Judged { columns, words: all_in, plain: plain_in / entries }
}
