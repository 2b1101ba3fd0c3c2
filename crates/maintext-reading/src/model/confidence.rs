//! Predicts how good the chosen blocks are: the page's expected word F1, from a small forest over statistics of the choice.
use crate::features::Column;
use maintext_page::blocks::Blocks;

/// Columns of the block table that describe the page; the forest also sees the columns that describe the choice.
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

/// Returns the names of the columns that the forest sees: the columns of [`choice`], then [`PAGE_FEATURES`].
pub fn names() -> Vec<&'static str> {
    let of_choice = choice(&Blocks::new(&maintext_page::dom::parse("", &Default::default())), &[], &[], &[]);
    of_choice.iter().map(|column| column.0).chain(PAGE_FEATURES).collect()
}

/// Returns the statistics of a choice of blocks. `p` holds the calibrated probabilities.
pub fn choice(blocks: &Blocks, p: &[f32], words: &[u32], kept: &[bool]) -> [Column; 24] {
    let own = Stats::new(blocks, p, words, kept);
    let whole = Stats::new(blocks, p, words, &vec![true; p.len()]);
    let n = p.len().max(1) as f32;
    let [words_0_2, words_0_4, words_0_6, words_0_8, words_1] =
        [(0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.0)].map(|(low, high)| {
            let inside = p.iter().zip(words).filter(|(p, _)| **p > low && **p <= high);
            inside.map(|(_, w)| *w as f32).sum::<f32>() / whole.words.max(1.0)
        });
    let dropped = p.iter().zip(kept).filter(|(_, kept)| !**kept).map(|(p, _)| *p);
    [
        ("kept_words", maintext_page::num::ln_1p(own.words)),
        ("kept_share", own.words / whole.words.max(1.0)),
        ("kept_blocks", own.blocks),
        ("kept_block_share", own.blocks / n),
        ("expected_precision", own.mass / own.words.max(1.0)),
        ("expected_recall", own.mass / whole.mass.max(1e-6)),
        ("expected_f1", 2.0 * own.mass / (own.words + whole.mass).max(1e-6)),
        ("lowest_kept", own.lowest),
        ("highest_dropped", dropped.fold(0.0, f32::max)),
        ("words_per_block_kept", own.words / own.blocks.max(1.0)),
        ("link_density_kept", own.links / own.chars.max(1.0)),
        ("link_density_dropped", (whole.links - own.links) / (whole.chars - own.chars).max(1.0)),
        ("runs", own.runs),
        ("blocks_per_run", own.blocks / own.runs.max(1.0)),
        ("first_kept", own.first / n),
        ("span_kept", (own.last - own.first) / n),
        ("longest_run_share", own.longest / own.words.max(1.0)),
        ("doubtful_kept", own.doubtful / own.words.max(1.0)),
        ("words_at_0_2", words_0_2),
        ("words_at_0_4", words_0_4),
        ("words_at_0_6", words_0_6),
        ("words_at_0_8", words_0_8),
        ("words_at_1", words_1),
        ("best_p", p.iter().copied().fold(0.0, f32::max)),
    ]
}

/// Sums over the blocks of a choice.
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
    fn the_statistics_of_a_choice_are_computed() {
        let html = "<p>one two three four<p>five six<p><a href=/>seven</a> eight<p>nine";
        let blocks = Blocks::new(&maintext_page::dom::parse(html, &Default::default()));
        let values = choice(&blocks, &[0.9, 0.7, 0.2, 0.8], &[4, 2, 2, 1], &[true, true, false, true]);
        let value = |name: &str| values.iter().find(|c| c.0 == name).unwrap().1;
        assert_eq!((value("kept_blocks"), value("runs"), value("first_kept")), (3.0, 2.0, 0.0));
        assert_eq!((value("lowest_kept"), value("highest_dropped")), (0.7, 0.2));
        assert!((value("kept_share") - 7.0 / 9.0).abs() < 1e-6);
        assert!((value("expected_f1") - 2.0 * 5.8 / (7.0 + 6.2)).abs() < 1e-5);
    }
}
