//! Which set of blocks to keep: several candidate sets, and a small forest that foresees each one's F1.
//!
//! Block probabilities are marginal: they do not say that a page's doubtful blocks are doubtful *together* (all of its comments are
//! content, or none). So a page is not decided by its probabilities alone. Candidates are made by the expected-F1 rule of
//! [`choose`](super::choose::choose()) on shifted probabilities and by plain thresholds; a regression forest, trained on pages of other
//! sites, sees how each candidate divides the page and foresees its word F1. The best one is taken, and what was foreseen is the
//! page's confidence.
use super::choose::{choose_in, order};
use crate::blocks::Blocks;
use crate::features::Features;

/// Shifts of the log-odds under which the expected-F1 rule proposes a candidate.
pub const SHIFTS: [f32; 5] = [-2.0, -1.0, 0.0, 0.7, 1.4];
/// Thresholds on the probability, each a candidate.
pub const THRESHOLDS: [f32; 4] = [0.25, 0.4, 0.55, 0.75];
/// The candidate that is taken unless another one is foreseen to be better by [`MARGIN`]: the rule without a shift.
const DEFAULT: usize = 2;
/// By how much F1 another candidate must be foreseen to be better. Read off the cross-validated figures: without a margin, what is
/// won on articles is lost on documentation and lists.
const MARGIN: f32 = 0.01;
/// Number of candidates.
pub const CANDIDATES: usize = SHIFTS.len() + THRESHOLDS.len();

/// Columns of the block table that describe the page, and are copied into each candidate's features.
pub const PAGE_FEATURES: [&str; 17] = [
    "page_kind_article",
    "page_kind_forum",
    "page_kind_product",
    "page_kind_collection",
    "page_kind_listing",
    "page_kind_documentation",
    "page_kind_service",
    "page_og_type",
    "page_schema_article",
    "page_schema_product",
    "page_schema_forum",
    "page_published",
    "page_blocks",
    "page_words",
    "page_link_density",
    "page_long_blocks",
    "page_articles",
];

/// The candidate to take, by what was foreseen for each.
pub fn pick(foreseen: &[f32]) -> usize {
    let best = (0..foreseen.len()).fold(DEFAULT, |b, k| if foreseen[k] > foreseen[b] { k } else { b });
    if foreseen[best] > foreseen[DEFAULT] + MARGIN { best } else { DEFAULT }
}

/// The candidate sets, in the order of [`SHIFTS`], then [`THRESHOLDS`].
pub fn candidates(p: &[f32], words: &[u32]) -> Vec<Vec<bool>> {
    let shifted = |by: f32| -> Vec<f32> {
        let odds = by.exp();
        p.iter().map(|&p| p * odds / (1.0 - p + p * odds).max(1e-9)).collect()
    };
    // A shift moves all probabilities alike: their order stays.
    let order = order(p);
    let mut out: Vec<Vec<bool>> = SHIFTS.iter().map(|&s| choose_in(&order, &shifted(s), words, 1.0)).collect();
    out.extend(THRESHOLDS.iter().map(|t| p.iter().map(|p| p > t).collect()));
    out
}

/// The features of the candidates of one page: a row a candidate. `page` are the values of [`PAGE_FEATURES`].
pub fn features(blocks: &Blocks, p: &[f32], words: &[u32], sets: &[Vec<bool>], page: &[f32]) -> Features {
    let stats: Vec<Stats> = sets.iter().map(|s| Stats::new(blocks, p, words, s)).collect();
    let whole = Stats::new(blocks, p, words, &vec![true; p.len()]);
    let n = p.len().max(1) as f32;
    let share = |low: f32, high: f32| {
        let inside = p.iter().zip(words).filter(|(p, _)| **p > low && **p <= high);
        inside.map(|(_, w)| *w as f32).sum::<f32>() / whole.words.max(1.0)
    };
    let mut f = Features::new(sets.len(), None);
    f.add("candidate", |k| k as f32);
    f.add("kept_words", |k| stats[k].words.ln_1p());
    f.add("kept_share", |k| stats[k].words / whole.words.max(1.0));
    f.add("kept_blocks", |k| stats[k].blocks);
    f.add("kept_block_share", |k| stats[k].blocks / n);
    f.add("expected_precision", |k| stats[k].mass / stats[k].words.max(1.0));
    f.add("expected_recall", |k| stats[k].mass / whole.mass.max(1e-6));
    f.add("expected_f1", |k| 2.0 * stats[k].mass / (stats[k].words + whole.mass).max(1e-6));
    f.add("lowest_kept", |k| stats[k].lowest);
    f.add("highest_dropped", |k| {
        let dropped = p.iter().zip(&sets[k]).filter(|(_, kept)| !**kept);
        dropped.map(|(p, _)| *p).fold(0.0, f32::max)
    });
    f.add("words_per_block_kept", |k| stats[k].words / stats[k].blocks.max(1.0));
    f.add("link_density_kept", |k| stats[k].links / stats[k].chars.max(1.0));
    f.add("link_density_dropped", |k| (whole.links - stats[k].links) / (whole.chars - stats[k].chars).max(1.0));
    f.add("runs", |k| stats[k].runs);
    f.add("blocks_per_run", |k| stats[k].blocks / stats[k].runs.max(1.0));
    f.add("first_kept", |k| stats[k].first / n);
    f.add("span_kept", |k| (stats[k].last - stats[k].first) / n);
    f.add("longest_run_share", |k| stats[k].longest / stats[k].words.max(1.0));
    f.add("doubtful_kept", |k| stats[k].doubtful / stats[k].words.max(1.0));
    f.add("words_against_first", |k| stats[k].words / stats[0].words.max(1.0));
    f.add("words_against_widest", |k| stats[k].words / stats[SHIFTS.len() - 1].words.max(1.0));
    let mut all = |name: &'static str, value: f32| f.add(name, |_| value);
    all("words_at_0_2", share(0.1, 0.3));
    all("words_at_0_4", share(0.3, 0.5));
    all("words_at_0_6", share(0.5, 0.7));
    all("words_at_0_8", share(0.7, 0.9));
    all("words_at_1", share(0.9, 1.0));
    all("best_p", p.iter().copied().fold(0.0, f32::max));
    PAGE_FEATURES.iter().zip(page).for_each(|(name, value)| all(name, *value));
    f
}

/// The names of the columns of [`features`].
pub fn names() -> Vec<String> {
    let sets = vec![Vec::new(); CANDIDATES];
    features(&Blocks::default(), &[], &[], &sets, &[0.0; PAGE_FEATURES.len()]).names().to_vec()
}

/// Sums over the blocks of a candidate.
#[derive(Default)]
struct Stats {
    words: f32,
    blocks: f32,
    mass: f32,
    chars: f32,
    links: f32,
    lowest: f32,
    runs: f32,
    first: f32,
    last: f32,
    longest: f32,
    doubtful: f32,
}

impl Stats {
    fn new(blocks: &Blocks, p: &[f32], words: &[u32], kept: &[bool]) -> Stats {
        let mut s = Stats { lowest: 1.0, first: -1.0, ..Stats::default() };
        let mut run = 0.0;
        for (i, b) in blocks.blocks.iter().enumerate() {
            if !kept[i] {
                run = 0.0;
                continue;
            }
            let n = words[i].max(1) as f32;
            s.runs += (run == 0.0) as u8 as f32;
            run += n;
            s.longest = s.longest.max(run);
            s.words += n;
            s.blocks += 1.0;
            s.mass += p[i] * n;
            s.chars += b.chars as f32;
            s.links += b.link_chars as f32;
            s.lowest = s.lowest.min(p[i]);
            s.doubtful += if p[i] < 0.6 { n } else { 0.0 };
            if s.first < 0.0 {
                s.first = i as f32;
            }
            s.last = i as f32;
        }
        s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_grow_with_the_shift() {
        let sets = candidates(&[0.9, 0.5, 0.3, 0.05], &[10, 10, 10, 10]);
        assert_eq!(sets.len(), CANDIDATES);
        let count = |k: usize| sets[k].iter().filter(|x| **x).count();
        assert!(count(0) <= count(2) && count(2) <= count(4));
        assert_eq!(sets[SHIFTS.len() + 2], [true, false, false, false]);
    }
}
