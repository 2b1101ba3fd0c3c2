//! How good the chosen blocks are: the page's expected word F1, foreseen by a small forest that sees how they divide the page.
use crate::blocks::Blocks;
use crate::features::Features;

/// Columns of the block table that describe the page, and are copied into the features of the choice.
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

/// The features of a choice: one row. `p` are the calibrated probabilities, `page` the values of [`PAGE_FEATURES`].
pub fn features(blocks: &Blocks, p: &[f32], words: &[u32], kept: &[bool], page: &[f32]) -> Features {
    let own = Stats::new(blocks, p, words, kept);
    let whole = Stats::new(blocks, p, words, &vec![true; p.len()]);
    let n = p.len().max(1) as f32;
    let share = |low: f32, high: f32| {
        let inside = p.iter().zip(words).filter(|(p, _)| **p > low && **p <= high);
        inside.map(|(_, w)| *w as f32).sum::<f32>() / whole.words.max(1.0)
    };
    let dropped = p.iter().zip(kept).filter(|(_, kept)| !**kept).map(|(p, _)| *p);
    let mut f = Features::new(1, None);
    f.add("kept_words", |_| own.words.ln_1p());
    f.add("kept_share", |_| own.words / whole.words.max(1.0));
    f.add("kept_blocks", |_| own.blocks);
    f.add("kept_block_share", |_| own.blocks / n);
    f.add("expected_precision", |_| own.mass / own.words.max(1.0));
    f.add("expected_recall", |_| own.mass / whole.mass.max(1e-6));
    f.add("expected_f1", |_| 2.0 * own.mass / (own.words + whole.mass).max(1e-6));
    f.add("lowest_kept", |_| own.lowest);
    f.add("highest_dropped", |_| dropped.clone().fold(0.0, f32::max));
    f.add("words_per_block_kept", |_| own.words / own.blocks.max(1.0));
    f.add("link_density_kept", |_| own.links / own.chars.max(1.0));
    f.add("link_density_dropped", |_| (whole.links - own.links) / (whole.chars - own.chars).max(1.0));
    f.add("runs", |_| own.runs);
    f.add("blocks_per_run", |_| own.blocks / own.runs.max(1.0));
    f.add("first_kept", |_| own.first / n);
    f.add("span_kept", |_| (own.last - own.first) / n);
    f.add("longest_run_share", |_| own.longest / own.words.max(1.0));
    f.add("doubtful_kept", |_| own.doubtful / own.words.max(1.0));
    f.add("words_at_0_2", |_| share(0.1, 0.3));
    f.add("words_at_0_4", |_| share(0.3, 0.5));
    f.add("words_at_0_6", |_| share(0.5, 0.7));
    f.add("words_at_0_8", |_| share(0.7, 0.9));
    f.add("words_at_1", |_| share(0.9, 1.0));
    f.add("best_p", |_| p.iter().copied().fold(0.0, f32::max));
    for (name, value) in PAGE_FEATURES.iter().zip(page) {
        f.add(*name, |_| *value);
    }
    f
}

/// The names of the columns of [`features`].
pub fn names() -> Vec<String> {
    features(&Blocks::default(), &[], &[], &[], &[0.0; PAGE_FEATURES.len()]).names().to_vec()
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
    fn a_choice_is_described() {
        let html = "<p>one two three four<p>five six<p><a href=/>seven</a> eight<p>nine";
        let blocks = Blocks::new(&crate::dom::parse(html, &Default::default()));
        let f = features(&blocks, &[0.9, 0.7, 0.2, 0.8], &[4, 2, 2, 1], &[true, true, false, true], &[]);
        let value = |name: &str| f.column(f.names().iter().position(|n| n == name).unwrap())[0];
        assert_eq!((value("kept_blocks"), value("runs"), value("first_kept")), (3.0, 2.0, 0.0));
        assert_eq!((value("lowest_kept"), value("highest_dropped")), (0.7, 0.2));
        assert!((value("kept_share") - 7.0 / 9.0).abs() < 1e-6);
        assert!((value("expected_f1") - 2.0 * 5.8 / (7.0 + 6.2)).abs() < 1e-5);
    }
}
