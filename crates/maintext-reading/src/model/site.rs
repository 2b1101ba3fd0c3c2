//! The similarities of the pages of one site: text that repeats from page to page, and markup whose text is content on the other pages.
//!
//! A [`Trace`] records the blocks of a page; a [`Sample`] keeps up to [`SAMPLE`] traces of a site, and a [`Site`] counts them. The log-odds of
//! a block are corrected by the weighted sum of six [`EVIDENCE`]. They are zero for a block that shares nothing with other pages, so nothing
//! changes without evidence. The weights were fitted on the sites of the training sets that have at least three pages, with out-of-fold
//! scores (`MODEL_CARD.md`). Boosted trees over more counts learned the sites instead.
use super::kin::paths;
use maintext_page::blocks::{Blocks, ElementTokens};
use maintext_page::hash::{FNV, FNV64, HashMap, HashSet, fnv64};
use std::collections::btree_map::{BTreeMap, Entry};

/// Maximum number of pages of a site that are compared.
pub const SAMPLE: usize = 32;
/// Minimum number of other pages of the site from which a score is corrected.
pub const MIN_OTHERS: usize = 2;
/// A page that holds this share of another page's likely words is a copy of it: its print version, or the same article under another address.
const MIN_COPIED_SHARE: f32 = 0.5;
/// Units of a stored score.
const SCORE_UNITS: f32 = 16.0;
/// Bytes of a stored block.
const MARK_BYTES: usize = 11;
/// Maximum difference between a path's score on other pages and a block's own that counts.
const MAX_DIFFERENCE: f32 = 6.0;

/// The evidence for a correction: whether the block's text is on another page; the share of the other pages that have it; both times the
/// share of the page's likely words that repeat, which is large on list pages; the logarithm of its words if it repeats; and the mean score of
/// its path on the other pages less its own, times the share of the pages with the path.
pub const EVIDENCE: [&str; 6] =
    ["repeated", "share", "repeated_on_list", "share_on_list", "repeated_words", "path_difference"];

/// A block of a sampled page.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mark {
    /// Hash of its text without digits.
    text: u32,
    /// Hash of the chain of tags and classes above it.
    path: u32,
    /// Log-odds, in [`SCORE_UNITS`].
    score: i8,
    words: u16,
}

impl Mark {
    fn score(&self) -> f32 {
        f32::from(self.score) / SCORE_UNITS
    }

    fn to_bytes(self) -> [u8; MARK_BYTES] {
        let ([a, b, c, d], [e, f, g, h]) = (self.text.to_le_bytes(), self.path.to_le_bytes());
        let [i, j] = self.words.to_le_bytes();
        [a, b, c, d, e, f, g, h, self.score as u8, i, j]
    }

    fn from_bytes([a, b, c, d, e, f, g, h, score, i, j]: [u8; MARK_BYTES]) -> Mark {
        let (text, path) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        Mark { text, path, score: score as i8, words: u16::from_le_bytes([i, j]) }
    }
}

/// The blocks of a page as a [`Sample`] keeps them: about 3 kB for a page of 200 blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    marks: Box<[Mark]>,
}

impl Trace {
    /// Records the blocks of a page with their log-odds.
    pub(super) fn new(blocks: &Blocks, tokens: &ElementTokens, scores: &[f32]) -> Trace {
        let paths = paths(blocks, tokens);
        Trace {
            marks: scores
                .iter()
                .enumerate()
                .map(|(i, score)| Mark {
                    text: text_hash(blocks.text(i)),
                    path: paths[blocks.blocks[i].container as usize],
                    score: (score * SCORE_UNITS).clamp(-127.0, 127.0) as i8,
                    words: blocks.blocks[i].words.clamp(1, u16::MAX.into()) as u16,
                })
                .collect(),
        }
    }

    /// Returns the log-odds of the blocks, rounded.
    pub fn scores(&self) -> impl Iterator<Item = f32> + '_ {
        self.marks.iter().map(Mark::score)
    }

    /// Returns a hash of all texts in order: equal for a page that is read again.
    fn fingerprint(&self) -> u64 {
        self.marks.iter().flat_map(|m| m.text.to_le_bytes()).fold(FNV64, fnv64)
    }

    /// Returns the mean score of each path, weighted by words.
    fn by_path(&self) -> HashMap<u32, f32> {
        let mut sums: HashMap<u32, (f32, f32)> = HashMap::default();
        for mark in &self.marks {
            let sum = sums.entry(mark.path).or_default();
            *sum = (sum.0 + mark.score() * f32::from(mark.words), sum.1 + f32::from(mark.words));
        }
        sums.into_iter().map(|(path, (score, words))| (path, score / words)).collect()
    }
}

fn text_hash(text: &str) -> u32 {
    text.bytes().filter(|b| !b.is_ascii_digit()).fold(FNV, |hash, b| maintext_page::hash::fnv(hash, b.into()))
}

/// Returns the key of a page in a [`Sample`] from its address: a hash without the fragment, so that the order of keys is random.
#[must_use]
pub fn key(address: &str) -> u64 {
    // The last step of SplitMix64 (Steele, Lea, Flood 2014) spreads the last bytes over all bits.
    let mut x = maintext_page::hash::of64(address.split('#').next().unwrap_or_default().as_bytes());
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Pages of a site while a corpus is read the first time. Which pages it keeps does not depend on their order.
///
/// ```
/// use maintext_core::{Extractor, Input, Options, model::site::Sample};
/// let page = |title: &str, text: &str| format!("<h1>{title}</h1><p>{text}</p><p>Sign up for our letter about boats.</p>");
/// let pages = [page("Fog", "The fog came in from the sea."), page("Ice", "The harbour froze over."), page("Wind", "A gale is due.")];
/// let mut extractor = Extractor::new(Options::default())?;
/// let mut sample = Sample::default();
/// for (address, html) in (0u64..).zip(&pages) {
///     if sample.wants(address) {
///         sample.add(address, extractor.trace(html.as_bytes(), None)?);
///     }
/// }
/// let site = sample.site().unwrap();
/// println!("{}", extractor.extract(Input { site: Some(&site), ..html_of(&pages).into() })?.text());
/// # fn html_of(pages: &[String; 3]) -> &str { &pages[0] }
/// # Ok::<(), maintext_reading::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    pages: BTreeMap<u64, Trace>,
}

impl Sample {
    /// Whether a page with this key, the hash of its address or id, belongs to the sample of the pages so far: the pages with the smallest
    /// keys are kept.
    #[must_use]
    pub fn wants(&self, key: u64) -> bool {
        self.pages.len() < SAMPLE || self.pages.last_key_value().is_some_and(|(last, _)| key <= *last)
    }

    /// Adds a page. Of two pages with the same key, the sample keeps the one with the smaller hash of its texts.
    pub fn add(&mut self, key: u64, trace: Trace) {
        match self.pages.entry(key) {
            Entry::Vacant(slot) => drop(slot.insert(trace)),
            Entry::Occupied(mut slot) if trace.fingerprint() < slot.get().fingerprint() => drop(slot.insert(trace)),
            Entry::Occupied(_) => {}
        }
        if self.pages.len() > SAMPLE {
            self.pages.pop_last();
        }
    }

    /// Adds the pages of another sample of the same site.
    pub fn merge(&mut self, other: Sample) {
        other.pages.into_iter().for_each(|(key, trace)| self.add(key, trace));
    }

    /// Returns the pages as bytes, with their keys. Concatenated, they are a sample for [`Sample::from_bytes`].
    pub fn pages(&self) -> impl Iterator<Item = (u64, Vec<u8>)> + '_ {
        self.pages.iter().map(|(key, trace)| {
            let mut bytes = key.to_le_bytes().to_vec();
            bytes.extend((trace.marks.len() as u32).to_le_bytes());
            bytes.extend(trace.marks.iter().flat_map(|m| m.to_bytes()));
            (*key, bytes)
        })
    }

    /// Reads pages written by [`Sample::pages`]. Returns `None` if they were not written by it.
    ///
    /// ```
    /// use maintext_core::{Extractor, Options, model::site::Sample};
    /// let mut sample = Sample::default();
    /// sample.add(7, Extractor::new(Options::default())?.trace("<p>The ferry leaves at nine.", None)?);
    /// let bytes: Vec<u8> = sample.pages().flat_map(|(_, bytes)| bytes).collect();
    /// assert_eq!(Sample::from_bytes(&bytes), Some(sample));
    /// assert_eq!(Sample::from_bytes(&bytes[1..]), None);
    /// # Ok::<(), maintext_reading::Error>(())
    /// ```
    #[must_use]
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Sample> {
        let mut sample = Sample::default();
        while !bytes.is_empty() {
            let (key, rest) = bytes.split_first_chunk()?;
            let (count, rest) = rest.split_first_chunk()?;
            let (marks, rest) = rest.split_at_checked(u32::from_le_bytes(*count) as usize * MARK_BYTES)?;
            let marks = marks.as_chunks::<MARK_BYTES>().0.iter().map(|m| Mark::from_bytes(*m)).collect();
            sample.add(u64::from_le_bytes(*key), Trace { marks });
            bytes = rest;
        }
        Some(sample)
    }

    /// Returns the counts over the pages; `None` if there are too few different pages to compare.
    #[must_use]
    pub fn site(&self) -> Option<Site> {
        let mut seen = HashSet::default();
        let pages: Vec<&Trace> = self.pages.values().filter(|trace| seen.insert(trace.fingerprint())).collect();
        (pages.len() > MIN_OTHERS).then(|| Site::new(&pages))
    }
}

/// The text and the markup that the pages of a site share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Site {
    /// Fingerprints of the pages.
    pages: Vec<u64>,
    /// The pages that hold a text, one bit per page; texts of one page are left out.
    texts: HashMap<u32, u32>,
    /// The pages that have a path, with its mean score there; paths of one page are left out.
    paths: HashMap<u32, Vec<(u8, f32)>>,
}

impl Site {
    fn new(pages: &[&Trace]) -> Site {
        let mut texts: HashMap<u32, u32> = HashMap::default();
        for (i, page) in pages.iter().enumerate() {
            page.marks.iter().for_each(|m| *texts.entry(m.text).or_default() |= 1 << i);
        }
        texts.retain(|_, pages| pages.count_ones() > 1);
        let mut paths: HashMap<u32, Vec<(u8, f32)>> = HashMap::default();
        for (i, page) in (0u8..).zip(pages) {
            for (path, score) in page.by_path() {
                paths.entry(path).or_default().push((i, score));
            }
        }
        paths.retain(|_, pages| pages.len() > 1);
        Site { pages: pages.iter().map(|p| p.fingerprint()).collect(), texts, paths }
    }

    /// Returns the pages to compare a page with, one bit per page: neither itself nor its copies.
    fn others(&self, page: &Trace) -> u32 {
        let own = page.fingerprint();
        let mut shared = [0u32; SAMPLE];
        let mut likely = 0u32;
        for mark in page.marks.iter().filter(|m| m.score > 0) {
            likely += u32::from(mark.words);
            let holders = self.texts.get(&mark.text).copied().unwrap_or(0);
            (0..SAMPLE).filter(|j| holders >> j & 1 == 1).for_each(|j| shared[j] += u32::from(mark.words));
        }
        self.pages
            .iter()
            .enumerate()
            .filter(|(j, fingerprint)| {
                **fingerprint != own && (likely == 0 || (shared[*j] as f32) < MIN_COPIED_SHARE * likely as f32)
            })
            .fold(0, |others, (j, _)| others | 1 << j)
    }

    /// Returns the share of some other pages that have a text.
    fn share(&self, mark: &Mark, others: u32) -> f32 {
        let holders = self.texts.get(&mark.text).copied().unwrap_or(0);
        (holders & others).count_ones() as f32 / others.count_ones() as f32
    }

    /// Returns the [`EVIDENCE`] about each block of a page; `None` if there are too few other pages.
    #[must_use]
    pub fn evidence(&self, page: &Trace) -> Option<Vec<[f32; EVIDENCE.len()]>> {
        let others = self.others(page);
        let count = others.count_ones();
        if (count as usize) < MIN_OTHERS {
            return None;
        }
        let (mut likely, mut repeated) = (0.0, 0.0);
        for mark in page.marks.iter().filter(|m| m.score > 0) {
            likely += f32::from(mark.words);
            repeated += if self.share(mark, others) > 0.0 { f32::from(mark.words) } else { 0.0 };
        }
        let on_list = if likely > 0.0 { repeated / likely } else { 0.0 };
        Some(
            page.marks
                .iter()
                .map(|mark| {
                    let share = self.share(mark, others);
                    let repeated = if share > 0.0 { 1.0 } else { 0.0 };
                    let words = maintext_page::num::ln(f32::from(mark.words)) * repeated;
                    let difference = self.difference(mark, others, count);
                    [repeated, share, repeated * on_list, share * on_list, words, difference]
                })
                .collect(),
        )
    }

    /// Returns the mean score of a block's path on the other pages less the block's own, times the share of the pages that have the path.
    fn difference(&self, mark: &Mark, others: u32, count: u32) -> f32 {
        let pages = self.paths.get(&mark.path).map_or(&[][..], Vec::as_slice);
        let scores = pages.iter().filter(|(page, _)| others >> page & 1 == 1).map(|(_, score)| score);
        let (found, sum) = scores.fold((0.0, 0.0), |(found, sum), score| (found + 1.0, sum + score));
        if found == 0.0 {
            return 0.0;
        }
        (sum / found - mark.score()).clamp(-MAX_DIFFERENCE, MAX_DIFFERENCE) * found / count as f32
    }
}

/// The weights of the [`EVIDENCE`], in log-odds per unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights(pub [f32; EVIDENCE.len()]);

/// The weights that `cargo xtask train sites` fits and prints.
impl Default for Weights {
    fn default() -> Weights {
        Weights([0.099, -0.574, -0.355, -0.219, -0.369, 0.285])
    }
}

impl Weights {
    /// Corrects the log-odds of a page's blocks. Without enough other pages to compare with, nothing changes.
    pub(super) fn correct(&self, site: &Site, blocks: &Blocks, tokens: &ElementTokens, scores: &mut [f32]) {
        let Some(evidence) = site.evidence(&Trace::new(blocks, tokens, scores)) else { return };
        for (score, evidence) in scores.iter_mut().zip(evidence) {
            *score += evidence.iter().zip(&self.0).map(|(x, w)| x * w).sum::<f32>();
        }
    }
}
