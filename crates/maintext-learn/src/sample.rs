//! Pages prepared for training, and the scores of their names and words.
use crate::align::{Labels, Reading, words};
use maintext_core::blocks::{Blocks, ElementTokens};
use maintext_core::features::tokens::{COMMENTS, KINDS, Role, Table};
use maintext_core::features::{BlockWords, Features, TokenScores};
use rayon::prelude::*;
use std::collections::HashMap;

/// A page prepared for training: its blocks with features and labels.
pub struct Sample {
    /// Page id in its set.
    pub id: String,
    /// Name of the set.
    pub set: String,
    /// Registrable domain. Pages of one site are never split between training and test.
    pub site: String,
    /// Page type as annotated, `""` if unknown.
    pub kind: String,
    /// Language as annotated.
    pub lang: String,
    /// Whether the labels are from a careful reading of the page.
    pub is_read: bool,
    /// The blocks.
    pub blocks: Blocks,
    /// Tokens of the elements.
    pub tokens: ElementTokens,
    /// Features that do not depend on learned tables.
    pub features: Features,
    /// Content shares of the blocks.
    pub labels: Labels,
    /// Words of each block, hashed as for the features.
    pub text_words: BlockWords,
    /// Counts from which the learned tables are fitted.
    pub counts: PageCounts,
    /// Hashed words of each block.
    pub block_words: Vec<Vec<u32>>,
    /// Hashed words of the gold text with their counts.
    pub gold: HashMap<u32, u32>,
    /// Word F1 of the blocks that best match the gold text: an upper bound for any choice of blocks. 0 without a gold text.
    pub ceiling: f64,
}

fn hashed(text: &str) -> Vec<u32> {
    words(text).into_iter().map(|w| maintext_core::hash::of(w.as_bytes())).collect()
}

impl Sample {
    /// Creates a sample from a decoded page and its gold text.
    pub fn new(html: &str, gold: &str) -> Sample {
        Sample::labelled(html, gold, |blocks| Labels::align(blocks, gold))
    }

    /// Creates a sample from a decoded page and a careful reading of it.
    pub fn from_reading(html: &str, reading: &[(Reading, String)]) -> Sample {
        let main: Vec<&str> = reading.iter().filter(|r| r.0 == Reading::Main).map(|r| &*r.1).collect();
        Sample::labelled(html, &main.join("\n"), |blocks| Labels::from_reading(blocks, reading))
    }

    /// Creates a sample from a decoded page with snippets only.
    pub fn from_snippets(html: &str, with: &[String], without: &[String]) -> Sample {
        Sample::labelled(html, "", |blocks| Labels::from_snippets(blocks, with, without))
    }

    /// Creates a sample from a page with its gold text, without an address; `labels` labels the blocks.
    pub fn labelled(html: &str, gold: &str, labels: impl Fn(&Blocks) -> Labels) -> Sample {
        let dom = maintext_core::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut counts = HashMap::new();
        for w in hashed(gold) {
            *counts.entry(w).or_default() += 1;
        }
        let tokens = ElementTokens::new(&dom, &blocks);
        let mut features = Features::new(blocks.len(), None);
        let text_words = features.add_structural(&dom, &blocks, &tokens);
        let mut sample = Sample {
            text_words,
            counts: PageCounts::default(),
            id: String::new(),
            set: String::new(),
            site: String::new(),
            kind: String::new(),
            lang: String::new(),
            is_read: false,
            tokens,
            features,
            labels: labels(&blocks),
            block_words: (0..blocks.len()).map(|i| hashed(blocks.text(i))).collect(),
            gold: counts,
            blocks,
            ceiling: 0.0,
        };
        sample.counts = page_counts(&sample);
        if !sample.gold.is_empty() {
            sample.ceiling = sample.f1(sample.labels.positive());
        }
        sample
    }

    /// Labels readers' comments as boilerplate, whatever the gold text contains. Comments are recognised by the names of their elements.
    pub fn without_comments(mut self) -> Sample {
        let comments = Role::new(&self.blocks, &self.tokens, COMMENTS);
        for (share, distance) in self.labels.share.iter_mut().zip(comments.distance) {
            if distance >= 0.0 {
                *share = 0.0;
            }
        }
        self.counts = page_counts(&self);
        self
    }

    /// Returns the word F1 of the kept blocks against the gold text.
    pub fn f1(&self, keep: impl Iterator<Item = bool>) -> f64 {
        let mut left = self.gold.clone();
        let (mut taken, mut hits) = (0u32, 0u32);
        // Optional text counts on neither side.
        let counts = |i: usize| self.gold.is_empty() || !self.labels.share[i].is_nan();
        for (_, (w, _)) in self.block_words.iter().zip(keep).enumerate().filter(|(i, (_, k))| *k && counts(*i)) {
            for x in w {
                taken += 1;
                if let Some(n) = left.get_mut(x).filter(|n| **n > 0) {
                    *n -= 1;
                    hits += 1;
                }
            }
        }
        let gold: u32 = self.gold.values().sum();
        if taken + gold == 0 { 1.0 } else { 2.0 * hits as f64 / (taken + gold) as f64 }
    }

    /// Returns the words of each block as weighted by the choice.
    pub fn weights(&self) -> Vec<u32> {
        self.block_words.iter().map(|w| w.len() as u32).collect()
    }
}

/// Minimum number of sites that must use a token for it to get a score.
const MIN_PAGES: f32 = 3.0;
/// Smoothing: pages added to either side.
const SMOOTHING: f32 = 1.0;

/// Minimum number of pages that must use a word for it to get a score; higher, because words reflect a page's topic more than tokens do.
const MIN_WORD_PAGES: f32 = 12.0;

/// Sums of content shares over pages, and numbers of pages, by hash.
#[derive(Default)]
struct Shares(Counts);

impl Shares {
    fn add(&mut self, page: &Counts) {
        for (t, (hits, total)) in page {
            let e = self.0.entry(*t).or_default();
            e.0 += hits / total;
            e.1 += 1.0;
        }
    }
    fn table(self, min_pages: f32) -> Table<f32> {
        let scores = self.0.into_iter().filter(|(_, (_, n))| *n >= min_pages);
        let mut out: Vec<(u32, f32)> =
            scores.map(|(t, (a, n))| (t, ((a + SMOOTHING) / (n - a + SMOOTHING)).ln())).collect();
        out.sort_by_key(|e| e.0);
        Table(out)
    }
}

/// Fits token scores on some pages.
pub fn fit_tokens<'a>(samples: impl Iterator<Item = &'a Sample>) -> TokenScores {
    fit_tokens_of(samples, MIN_PAGES, MIN_WORD_PAGES)
}

/// Fits scores of the tokens and words used by at least the given numbers of pages.
pub fn fit_tokens_of<'a>(
    samples: impl Iterator<Item = &'a Sample>,
    min_pages: f32,
    min_word_pages: f32,
) -> TokenScores {
    let [mut near, mut far, mut document_near, mut document_far, mut words] = [0; 5].map(|_| Shares::default());
    let mut kinds: HashMap<u32, [f32; KINDS.len()]> = HashMap::new();
    let mut pages = [0.0f32; KINDS.len()];
    for s in samples {
        let c = &s.counts;
        near.add(&c.near);
        far.add(&c.far);
        words.add(&c.words);
        if s.kind != "forum" {
            document_near.add(&c.near);
            document_far.add(&c.far);
        }
        if let Some(k) = KINDS.iter().position(|k| *k == s.kind) {
            pages[k] += 1.0;
            s.tokens.distinct().into_iter().for_each(|t| kinds.entry(t).or_default()[k] += 1.0);
        }
    }
    TokenScores {
        near: near.table(min_pages),
        far: far.table(min_pages),
        document_near: document_near.table(min_pages),
        document_far: document_far.table(min_pages),
        words: words.table(min_word_pages),
        kinds: kind_table(kinds, pages),
    }
}

/// Returns the log-odds of each type against the others, for tokens on at least five pages.
fn kind_table(counts: HashMap<u32, [f32; KINDS.len()]>, pages: [f32; KINDS.len()]) -> Table<[f32; KINDS.len()]> {
    let total: f32 = pages.iter().sum();
    let odds = |c: [f32; KINDS.len()]| {
        let all: f32 = c.iter().sum();
        std::array::from_fn(|k| {
            let own = (c[k] + 0.5) / (pages[k] + 1.0);
            let rest = (all - c[k] + 0.5) / (total - pages[k] + 1.0);
            (own / rest).ln()
        })
    };
    let kept = counts.into_iter().filter(|(_, c)| c.iter().sum::<f32>() >= 5.0);
    let mut out: Vec<_> = kept.map(|(t, c)| (t, odds(c))).collect();
    out.sort_by_key(|e| e.0);
    Table(out)
}

type Counts = HashMap<u32, (f32, f32)>;

fn count(counts: &mut Counts, name: u32, hits: f32, total: f32) {
    let own = counts.entry(name).or_default();
    *own = (own.0 + hits, own.1 + total);
}

/// For each token and word of a page, the number of content words and of all words that occur with it.
#[derive(Default)]
pub struct PageCounts {
    near: Counts,
    far: Counts,
    words: Counts,
}

/// Counts, for each token of a page, content words and all words below elements with that token.
fn page_counts(s: &Sample) -> PageCounts {
    let mut content = vec![0.0f32; s.blocks.len() + 1];
    let mut all = vec![0.0f32; s.blocks.len() + 1];
    for i in 0..s.blocks.len() {
        let n = s.labels.words[i] as f32;
        let y = s.labels.share[i];
        let (a, b) = if y.is_nan() { (0.0, 0.0) } else { (n * y, n) };
        content[i + 1] = content[i] + a;
        all[i + 1] = all[i] + b;
    }
    let (mut near, mut far) = (Counts::new(), Counts::new());
    for (i, b) in s.blocks.blocks.iter().enumerate() {
        let (a, n) = (content[i + 1] - content[i], all[i + 1] - all[i]);
        if n == 0.0 {
            continue;
        }
        let mut seen: Vec<u32> = Vec::new();
        for e in s.blocks.element_chain(b.element as usize).take(maintext_core::features::tokens::NEAR_LEVELS) {
            for &t in s.tokens.of(e) {
                if !seen.contains(&t) {
                    seen.push(t);
                    count(&mut near, t, a, n);
                }
            }
        }
    }
    for (i, e) in s.blocks.elements.iter().enumerate() {
        let (from, to) = (e.blocks.start as usize, e.blocks.end as usize);
        let (a, n) = (content[to] - content[from], all[to] - all[from]);
        if n > 0.0 {
            s.tokens.of(i).iter().for_each(|&t| count(&mut far, t, a, n));
        }
    }
    let mut words = Counts::new();
    for (i, &y) in s.labels.share.iter().enumerate().filter(|(_, y)| !y.is_nan()) {
        s.text_words.of(i).iter().for_each(|&w| count(&mut words, w, y, 1.0));
    }
    PageCounts { near, far, words }
}

/// Concatenates the columns of all samples.
pub fn stack(tables: &[Features]) -> Vec<Vec<f32>> {
    let width = tables.first().map_or(0, |t| t.names().len());
    (0..width).into_par_iter().map(|c| tables.iter().flat_map(|t| t.column(c).iter().copied()).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_not_learned_as_content() {
        let html =
            "<h1>The mill</h1><p>The wheel turns again.</p><ol class=comments><li>So it does, at last.</li></ol>";
        let plain = Sample::new(html, "The mill The wheel turns again. So it does, at last.");
        assert!((plain.ceiling - 1.0).abs() < 1e-9);
        let token = maintext_core::blocks::token_hash("comments");
        let far = |s: &Sample| s.counts.far[&token];
        assert_eq!(far(&plain), (5.0, 5.0));
        let without = plain.without_comments();
        assert_eq!(without.labels.share, [1.0, 1.0, 0.0]);
        assert_eq!(far(&without), (0.0, 5.0));
        assert!((without.ceiling - 1.0).abs() < 1e-9, "against the whole gold text");
    }
}
