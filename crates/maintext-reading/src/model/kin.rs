//! Blocks with the same markup are judged together: paragraphs of one article, titles of one list, names above the posts of a thread.
use crate::features::{number_alike, tag_code};
use maintext_page::blocks::{Blocks, ElementTokens};
use maintext_page::hash::{FNV, fnv};

/// Weight of the mean of a block's kin in its log-odds: the best of the shares in docs/experiments/content.md, by site and by set.
pub const SHARE: f32 = 0.75;
/// The same for the [`early`](super::early) model, since old tables give unlike cells the same markup: with the share of other pages,
/// cleaneval-final loses 0.0025 and daniel-multiling 0.0021.
pub(super) const EARLY_SHARE: f32 = 0.5;

/// Minimum number of blocks of a kin that decide about each other.
const MIN_KIN: u32 = 5;
/// Share of kept blocks from which the doubtful rest of a kin is kept, too. F1 changes by less than 0.0005 for all shares from 0.8.
const MIN_KEPT_SHARE: f32 = 0.85;
/// Log-odds above which a block is doubtful and not ruled out.
const MIN_DOUBTFUL_SCORE: f32 = -0.7;

/// The kin of each block: the blocks with the same chain of tags and classes from the root to the block-level element, itself included.
pub struct Kin {
    /// For each block the number of its kin.
    numbers: Vec<u32>,
    /// How many kins there are.
    count: usize,
}

/// Returns, for each element, the hash of the chain of tags and classes from the root to it.
pub(super) fn paths(blocks: &Blocks, tokens: &ElementTokens) -> Vec<u32> {
    let mut paths: Vec<u32> = Vec::with_capacity(blocks.elements.len());
    for (e, class) in blocks.elements.iter().zip(tokens.classes()) {
        // The root is its own parent and has no path yet.
        let above = paths.get(e.parent as usize).copied().unwrap_or(FNV);
        // Kin of the same parent instead would lose 0.009 on listings, kin without classes 0.005 on products (docs/experiments/content.md).
        paths.push(fnv(fnv(above, tag_code(e.tag) as u32), *class));
    }
    paths
}

impl Kin {
    /// Groups the blocks of a page. Linear in the elements, apart from a sort of the blocks.
    pub fn new(blocks: &Blocks, tokens: &ElementTokens) -> Kin {
        let paths = paths(blocks, tokens);
        let (numbers, count) = number_alike(blocks.blocks.iter().map(|b| paths[b.container as usize]));
        Kin { numbers, count }
    }

    /// Replaces each block's log-odds by a weighted mean of its own and the mean of its kin, whose weight is `share`.
    pub fn smooth(&self, share: f32, scores: &mut [f32]) {
        let mut sums = vec![(0.0f32, 0.0f32); self.count];
        for (k, s) in self.numbers.iter().zip(&*scores) {
            let sum = &mut sums[*k as usize];
            *sum = (sum.0 + s, sum.1 + 1.0);
        }
        for (k, s) in self.numbers.iter().zip(scores) {
            let (sum, count) = sums[*k as usize];
            *s += share * (sum / count - *s);
        }
    }

    /// Keeps the doubtful blocks of a kin if nearly all others are kept, so that a list keeps the titles of all its records or of none.
    pub(super) fn keep_alike(&self, scores: &[f32], keep: &mut [bool]) {
        let mut kept = vec![(0u32, 0u32); self.count];
        for (k, keep) in self.numbers.iter().zip(&*keep) {
            let own = &mut kept[*k as usize];
            *own = (own.0 + *keep as u32, own.1 + 1);
        }
        for ((k, score), keep) in self.numbers.iter().zip(scores).zip(keep) {
            let (n, all) = kept[*k as usize];
            *keep |= all >= MIN_KIN && n as f32 >= MIN_KEPT_SHARE * all as f32 && *score > MIN_DOUBTFUL_SCORE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_the_same_markup_are_judged_alike() {
        let html = "<ul><li>One<li>Two<li class=ad>Three</ul><div><ul><li>Four</ul></div>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut scores = [4.0, 0.0, 3.0, -3.0];
        Kin::new(&blocks, blocks.names(&dom)).smooth(0.5, &mut scores);
        assert_eq!(scores, [3.0, 1.0, 3.0, -3.0]);
    }

    #[test]
    fn all_titles_of_a_list_are_kept_or_none() {
        let html: String = (0..8).map(|i| format!("<div class=e><h2>Title {i}</h2><p>Text {i}</p></div>")).collect();
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let blocks = Blocks::new(&dom);
        let kin = Kin::new(&blocks, blocks.names(&dom));
        let mut scores = [1.0; 16];
        (scores[4], scores[6], scores[7]) = (-0.5, -0.5, -4.0);
        let choice = |dropped: &[usize]| -> Vec<bool> { (0..16).map(|b| !dropped.contains(&b)).collect() };
        // One title of eight is doubtful, one text is clearly not content.
        let mut keep = choice(&[4, 7]);
        kin.keep_alike(&scores, &mut keep);
        assert_eq!(keep, choice(&[7]));
        // Two of eight are too many.
        let mut keep = choice(&[4, 6]);
        kin.keep_alike(&scores, &mut keep);
        assert_eq!(keep, choice(&[4, 6]));
    }
}
