//! Labels blocks by ground truth: aligns the blocks of a page with its gold text.
use maintext_core::blocks::{Blocks, is_cjk};
use std::collections::{HashMap, HashSet};

/// Number of consecutive words that identify a reordered passage in the gold text.
const SHINGLE: usize = 4;

/// Share of a block's shingles that must be in the gold text for a reordered block to count.
const REORDERED: f32 = 0.8;

/// Maximum size of the alignment matrix, in 64-bit words (512 MB). Above it, the middle of the page is aligned greedily.
const MAX_CELLS: usize = 64 << 20;

/// Returns the lower-cased words of a text: runs of letters and digits; each CJK character is a word.
pub fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let cjk = is_cjk(c);
        if !cjk && (c.is_alphanumeric() || c == '_') {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if cjk {
            out.push(c.to_string());
        }
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// The number of each different word.
#[derive(Default)]
struct Vocabulary(HashMap<String, u32>);

impl Vocabulary {
    /// Returns the numbers of a text's words.
    fn ids(&mut self, text: &str) -> Vec<u32> {
        let mut id = |word: String| {
            let next = self.0.len() as u32;
            *self.0.entry(word).or_insert(next)
        };
        words(text).into_iter().map(&mut id).collect()
    }
}

/// The label of a piece of text by a careful reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Main content.
    Main,
    /// Content that an editor may keep or drop.
    Optional,
    /// Boilerplate, or a reader's comment.
    Rest,
}

/// For each block, its number of words and the share of them, 0 to 1, that are in the gold text.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// Share of the block's words that are content.
    pub share: Vec<f32>,
    /// Words of the block.
    pub words: Vec<u32>,
    /// Words of the gold text.
    pub gold_words: u32,
    /// Number of words in the gold text that are in no block.
    pub missing: u32,
}

impl Labels {
    /// Aligns the blocks with the gold text: first by the longest common subsequence of their words, then by passages that are in a
    /// different order in the gold text.
    pub fn align(blocks: &Blocks, gold: &str) -> Labels {
        let mut vocabulary = Vocabulary::default();
        let per_block: Vec<Vec<u32>> = (0..blocks.len()).map(|i| vocabulary.ids(blocks.text(i))).collect();
        let gold = vocabulary.ids(gold);
        let page: Vec<u32> = per_block.iter().flatten().copied().collect();
        let mut matched = vec![false; page.len()];
        let mut used = vec![false; gold.len()];
        for (p, g) in common_subsequence(&page, &gold, vocabulary.0.len()) {
            matched[p] = true;
            used[g] = true;
        }
        let left = unused_shingles(&gold, &used);
        let mut out = Labels { gold_words: gold.len() as u32, ..Labels::default() };
        let mut at = 0;
        let mut found = 0;
        for b in &per_block {
            let hits = matched[at..at + b.len()].iter().filter(|m| **m).count();
            let mut share = hits as f32 / b.len().max(1) as f32;
            if share < 0.5 && b.len() >= SHINGLE {
                let known = b.windows(SHINGLE).filter(|w| left.contains(*w)).count();
                let moved = known as f32 / (b.len() + 1 - SHINGLE) as f32;
                if moved >= REORDERED {
                    share = moved;
                    found += b.len();
                }
            }
            at += b.len();
            out.share.push(share);
            out.words.push(b.len() as u32);
        }
        out.missing = (used.iter().filter(|u| !**u).count().saturating_sub(found)) as u32;
        out
    }

    /// Labels blocks by a careful reading of the whole page, given as pieces of its text in order: a block gets the label of most of its words.
    /// It is NaN for optional text and where the reading lacks the block.
    pub fn from_reading(blocks: &Blocks, reading: &[(Reading, String)]) -> Labels {
        let mut out = Labels::default();
        let pieces = reading.iter().map(|(label, text)| (label, text.as_str()));
        for (words, counts) in read_words(blocks, pieces, [Reading::Main, Reading::Optional, Reading::Rest]) {
            let most = counts.into_iter().max().unwrap_or(0);
            out.share.push(if !is_known(words, &counts) {
                f32::NAN
            } else if counts[0] == most {
                1.0
            } else if counts[2] == most {
                0.0
            } else {
                f32::NAN
            });
            out.words.push(words);
        }
        let main = reading.iter().filter(|(label, _)| *label == Reading::Main);
        out.gold_words = main.map(|(_, text)| words(text).len() as u32).sum();
        out
    }

    /// Labels blocks by snippets: the content must contain `with` and must not contain `without`. Blocks without a snippet get no label (NaN).
    pub fn from_snippets(blocks: &Blocks, with: &[String], without: &[String]) -> Labels {
        let fold = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let texts: Vec<String> = (0..blocks.len()).map(|i| fold(blocks.text(i))).collect();
        let mut out = Labels { share: vec![f32::NAN; blocks.len()], ..Labels::default() };
        out.words = texts.iter().map(|t| words(t).len() as u32).collect();
        for (snippets, value) in [(without, 0.0), (with, 1.0)] {
            for s in snippets.iter().map(|s| fold(s)).filter(|s| !s.is_empty()) {
                let hits: Vec<usize> = (0..texts.len()).filter(|&i| texts[i].contains(&s)).collect();
                // A snippet that occurs in several blocks is ambiguous.
                if let [i] = hits[..] {
                    out.share[i] = value;
                }
            }
        }
        out
    }

    /// Whether each block is content, that is, whether at least half of its words are.
    pub fn positive(&self) -> impl Iterator<Item = bool> + '_ {
        self.share.iter().map(|s| *s >= 0.5)
    }
}

/// Returns the words of each block, and how many of them have each of the labels, by a reading of the page: the words of both are aligned.
pub fn read_words<'r, L: PartialEq + 'r, const N: usize>(
    blocks: &Blocks,
    reading: impl Iterator<Item = (&'r L, &'r str)>,
    labels: [L; N],
) -> Vec<(u32, [u32; N])> {
    let mut vocabulary = Vocabulary::default();
    let per_block: Vec<Vec<u32>> = (0..blocks.len()).map(|i| vocabulary.ids(blocks.text(i))).collect();
    let (mut read, mut of_word) = (Vec::new(), Vec::new());
    for (label, text) in reading {
        read.extend(vocabulary.ids(text));
        of_word.resize(read.len(), labels.iter().position(|l| l == label));
    }
    let page: Vec<u32> = per_block.iter().flatten().copied().collect();
    let mut found = vec![None; page.len()];
    for (p, r) in common_subsequence(&page, &read, vocabulary.0.len()) {
        found[p] = of_word[r];
    }
    let mut found = found.as_slice();
    per_block
        .iter()
        .map(|block| {
            let own;
            (own, found) = found.split_at(block.len());
            let mut counts = [0; N];
            own.iter().flatten().for_each(|label: &usize| counts[*label] += 1);
            (block.len() as u32, counts)
        })
        .collect()
}

/// Whether the reading holds enough of a block's words to know it.
pub fn is_known(words: u32, counts: &[u32]) -> bool {
    /// Share of a block's words that the reading must hold.
    const KNOWN: f32 = 0.3;
    let read: u32 = counts.iter().sum();
    read > 0 && read as f32 >= KNOWN * words as f32
}

/// Returns the shingles of the gold text whose words are all left over from the alignment.
fn unused_shingles(gold: &[u32], used: &[bool]) -> HashSet<Vec<u32>> {
    let mut out = HashSet::new();
    for i in 0..gold.len().saturating_sub(SHINGLE - 1) {
        if used[i..i + SHINGLE].iter().all(|u| !u) {
            out.insert(gold[i..i + SHINGLE].to_vec());
        }
    }
    out
}

/// Returns the positions of a longest common subsequence, as pairs (in `a`, in `b`), by the bit-parallel method of Hyyrö (2004).
fn common_subsequence(a: &[u32], b: &[u32], vocabulary: usize) -> Vec<(usize, usize)> {
    // Words that occur on one side only cannot match; removing them makes the matrix much smaller.
    let (mut in_a, mut in_b) = (vec![false; vocabulary], vec![false; vocabulary]);
    a.iter().for_each(|&w| in_a[w as usize] = true);
    b.iter().for_each(|&w| in_b[w as usize] = true);
    let ai: Vec<usize> = (0..a.len()).filter(|&i| in_b[a[i] as usize]).collect();
    let bi: Vec<usize> = (0..b.len()).filter(|&i| in_a[b[i] as usize]).collect();
    if ai.is_empty() || bi.is_empty() {
        return Vec::new();
    }
    let width = bi.len().div_ceil(64);
    if ai.len().saturating_mul(width) > MAX_CELLS {
        return Vec::new();
    }
    let mut masks: HashMap<u32, Vec<u64>> = HashMap::new();
    for (j, &p) in bi.iter().enumerate() {
        masks.entry(b[p]).or_insert_with(|| vec![0; width])[j / 64] |= 1 << (j % 64);
    }
    // Bit j of row i is 0 where the common subsequence of a[..=i] and b[..=j] is longer than the one of a[..=i] and b[..j].
    let mut rows = vec![0u64; ai.len() * width];
    let mut state = vec![u64::MAX; width];
    for (i, &p) in ai.iter().enumerate() {
        let mask = &masks[&a[p]];
        let (mut carry, mut borrow) = (false, false);
        for k in 0..width {
            let s = state[k];
            let u = s & mask[k];
            let (x, c1) = s.overflowing_add(u);
            let (x, c2) = x.overflowing_add(carry as u64);
            carry = c1 | c2;
            let (y, b1) = s.overflowing_sub(u);
            let (y, b2) = y.overflowing_sub(borrow as u64);
            borrow = b1 | b2;
            state[k] = x | y;
        }
        rows[i * width..(i + 1) * width].copy_from_slice(&state);
    }
    let bit = |i: usize, j: usize| rows[i * width + j / 64] >> (j % 64) & 1 == 1;
    let mut out = Vec::new();
    let (mut i, mut j) = (ai.len(), bi.len());
    while i > 0 && j > 0 {
        if bit(i - 1, j - 1) {
            j -= 1;
            continue;
        }
        i -= 1;
        if i == 0 || bit(i - 1, j - 1) {
            j -= 1;
            out.push((ai[i], bi[j]));
        }
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(html: &str, gold: &str) -> Vec<f32> {
        let dom = maintext_core::dom::parse(html, &Default::default());
        Labels::align(&Blocks::new(&dom), gold).share
    }

    #[test]
    fn a_reading_labels_blocks_by_most_of_their_words() {
        let dom = maintext_core::dom::parse(
            "<p>Home<p>A walk<p>We saw two <b>herons</b>.<p>Home<p>Not read at all",
            &Default::default(),
        );
        let reading = [
            (Reading::Rest, "Home"),
            (Reading::Optional, "A walk"),
            (Reading::Main, "We saw two"),
            (Reading::Main, "herons"),
            (Reading::Rest, "Home"),
        ];
        let reading = reading.map(|(label, text)| (label, text.to_owned()));
        let l = Labels::from_reading(&Blocks::new(&dom), &reading);
        assert_eq!((l.share[0], l.share[2], l.share[3], l.gold_words), (0.0, 1.0, 0.0, 4));
        assert!(l.share[1].is_nan() && l.share[4].is_nan());
    }

    #[test]
    fn content_is_found_between_menus() {
        let html = "<ul><li>Home<li>News</ul><h1>Red fox</h1><p>A fox ran home.</p><p>More News</p>";
        assert_eq!(labels(html, "Red fox\nA fox ran home."), [0.0, 0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn reordered_passages_are_found() {
        let html = "<p>alpha beta gamma delta</p><p>one two three four five six</p><p>x</p>";
        assert_eq!(labels(html, "one two three four five six. Alpha beta gamma delta."), [1.0, 1.0, 0.0]);
    }

    #[test]
    fn the_subsequence_is_as_long_as_possible() {
        let to = |s: &str| s.bytes().map(|b| (b - b'a') as u32).collect::<Vec<_>>();
        let (a, b) = (to("abcabba"), to("cbabac"));
        let pairs = common_subsequence(&a, &b, 26);
        assert_eq!(pairs.len(), 4);
        assert!(pairs.iter().all(|&(i, j)| a[i] == b[j]));
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
        let long: Vec<u32> = (0..500).map(|i| i % 7).collect();
        assert_eq!(common_subsequence(&long, &long, 7).len(), 500);
    }

    #[test]
    fn snippets_label_single_blocks_only() {
        let dom = maintext_core::dom::parse("<p>keep this<p>twice<p>twice<p>drop that", &Default::default());
        let l = Labels::from_snippets(&Blocks::new(&dom), &["Keep this".into(), "twice".into()], &["drop".into()]);
        assert_eq!((l.share[0], l.share[3]), (1.0, 0.0));
        assert!(l.share[1].is_nan());
    }
}
