//! Statistics along the tree, each computed once per element or once per block.
use super::ratio;
use super::sums::RunningSums;
use super::tag_code;
use super::text::TextStats;
use maintext_page::blocks::{Block, Blocks, Element};
use maintext_page::dom::Tag;
use maintext_page::hash::{FNV, fnv};

/// Elements whose distance above a block is a feature.
pub const ANCESTORS: [Tag; 12] = [
    Tag::ARTICLE,
    Tag::MAIN,
    Tag::SECTION,
    Tag::ASIDE,
    Tag::NAV,
    Tag::FOOTER,
    Tag::FORM,
    Tag::UL,
    Tag::LI,
    Tag::FIGURE,
    Tag::PRE,
    Tag::P,
];

/// For each tag, its position in [`ANCESTORS`], or a larger number.
const ANCESTOR_OF: [u8; 256] = {
    let mut of = [u8::MAX; 256];
    let mut k = 0;
    while k < ANCESTORS.len() {
        of[ANCESTORS[k].0 as usize] = k as u8;
        k += 1;
    }
    of
};

/// The distance of a missing ancestor.
const NO_ANCESTOR: u8 = 99;

/// Number of grown ancestors among which the densest is chosen: the block itself and five above it.
pub const GROWN_LEVELS: usize = 6;
/// Number of grown ancestors with features of their own.
pub const NEAR_GROWN_LEVELS: usize = 3;

/// Minimum number of words of a long block.
const MIN_LONG_WORDS: u32 = 12;

/// Number of tags in the path of a block, innermost first.
const PATH_TAGS: usize = 5;

/// Sums over blocks.
pub struct Sums {
    pub words: u32,
    pub chars: u32,
    pub link_chars: u32,
    /// Number of long blocks.
    pub long: u32,
    pub stops: u32,
    pub media: u32,
}

/// Running [`Sums`] of a page.
pub struct PageSums(RunningSums<u32, 6>);

impl PageSums {
    fn new(blocks: &Blocks, stats: &[TextStats]) -> PageSums {
        let mut media = vec![0; blocks.len() + 1];
        blocks.media.iter().for_each(|m| media[(m.position as usize).min(blocks.len())] += 1);
        PageSums(RunningSums::new(blocks.blocks.iter().enumerate().map(|(i, b)| {
            let long = (b.words >= MIN_LONG_WORDS) as u32;
            [b.words, b.chars, b.link_chars, long, stats[i].stops + stats[i].commas, media[i]]
        })))
    }
    fn named([words, chars, link_chars, long, stops, media]: [u32; 6]) -> Sums {
        Sums { words, chars, link_chars, long, stops, media }
    }
    /// Returns the sums over the blocks before block `i`.
    pub fn before(&self, i: usize) -> Sums {
        PageSums::named(self.0.before(i))
    }
    pub fn below(&self, e: &Element) -> Sums {
        PageSums::named(self.0.of(e.blocks.start as usize..e.blocks.end as usize))
    }
    pub fn all(&self) -> Sums {
        PageSums::named(self.0.all())
    }
}

/// The blocks of one path.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub blocks: u32,
    pub words: u32,
    squares: f64,
    pub chars: u32,
    pub link_chars: u32,
    pub max_words: u32,
    /// Blocks right after a link: descriptions of it, as in a list of other articles.
    pub after_link: u32,
    /// Blocks right before a link.
    pub before_link: u32,
    pub first: u32,
    pub last: u32,
}

impl Group {
    pub fn deviation(&self) -> f32 {
        let n = self.blocks.max(1) as f64;
        let mean = self.words as f64 / n;
        (self.squares / n - mean * mean).max(0.0).sqrt() as f32
    }
}

pub struct Tree {
    pub sums: PageSums,
    /// For each element, its distance to the nearest of each of [`ANCESTORS`]; 0 if it is one itself.
    pub distances: Vec<[u8; ANCESTORS.len()]>,
    /// For each block, its grown ancestors: the outermost element that holds only it, then each next larger one.
    pub levels: Vec<[u32; GROWN_LEVELS]>,
    /// For each element, how many siblings (itself included) have its tag and first class.
    pub alike: Vec<u32>,
    /// For each block, how many blocks have the same text, ignoring digits and case.
    pub repeats: Vec<u32>,
    pub group: Vec<u32>,
    pub groups: Vec<Group>,
    pub first_h1: Option<usize>,
    /// The block most similar to the page's title.
    pub title_block: Option<usize>,
    /// The heading level of each block, 0 if it is not a heading.
    pub heading: Vec<u8>,
    pub since_heading: Vec<u32>,
    pub heading_level: Vec<u8>,
    pub words_since_heading: Vec<u32>,
    /// Text bytes divided by source bytes since the previous block.
    pub text_per_markup: Vec<f32>,
    /// For each block, the length of the run around it of long blocks with few links.
    pub text_run: Vec<u32>,
    pub densest: usize,
    pub most_paragraphs: usize,
    pub max_words: u32,
}

impl Tree {
    /// Returns the group of a block.
    pub fn group_of(&self, block: usize) -> &Group {
        &self.groups[self.group[block] as usize]
    }

    /// Computes the statistics. `classes` are hashes of the elements' classes.
    pub fn new(blocks: &Blocks, classes: &[u32], stats: &[TextStats]) -> Tree {
        let sums = PageSums::new(blocks, stats);
        let (group, groups) = groups(blocks, classes);
        let top = grown_tops(blocks);
        let distances = distances(blocks);
        let mut t = Tree {
            alike: alike(blocks, classes),
            repeats: repeats(stats),
            levels: (0..blocks.len()).map(|i| levels(blocks, &top, i)).collect(),
            densest: densest(blocks, &sums),
            most_paragraphs: most_paragraphs(blocks),
            max_words: blocks.blocks.iter().map(|b| b.words).max().unwrap_or(0),
            text_per_markup: text_per_markup(blocks),
            text_run: runs(blocks, |i| {
                blocks.blocks[i].words >= MIN_LONG_WORDS && blocks.blocks[i].link_chars * 3 < blocks.blocks[i].chars
            }),
            first_h1: None,
            title_block: None,
            heading: Vec::with_capacity(blocks.len()),
            since_heading: Vec::with_capacity(blocks.len()),
            heading_level: Vec::with_capacity(blocks.len()),
            words_since_heading: Vec::with_capacity(blocks.len()),
            sums,
            distances,
            group,
            groups,
        };
        t.headings(blocks, stats);
        t
    }

    fn headings(&mut self, blocks: &Blocks, stats: &[TextStats]) {
        let (mut since, mut level, mut words) = (0u32, 0u8, 0u32);
        let mut best = 0.0;
        for (i, b) in blocks.blocks.iter().enumerate() {
            let h = heading_level(blocks, i);
            self.heading.push(h);
            if h > 0 {
                (since, level, words) = (0, h, 0);
                if h == 1 && self.first_h1.is_none() {
                    self.first_h1 = Some(i);
                }
            }
            self.since_heading.push(since);
            self.heading_level.push(level);
            self.words_since_heading.push(words);
            since += 1;
            words = words.saturating_add(b.words);
            let s = &stats[i];
            let like = s.title_words as f32 / (s.words + 2) as f32 * s.title_words.min(8) as f32
                + if h > 0 && s.title_words > 0 { 1.0 } else { 0.0 };
            if like > best {
                best = like;
                self.title_block = Some(i);
            }
        }
    }
}

/// Returns the level of the heading around the element, 0 if no heading is within three steps.
pub fn heading_of(elements: &[Element], mut e: usize) -> u8 {
    for _ in 0..3 {
        if let Some(l) = elements[e].tag.heading_level() {
            return l;
        }
        e = elements[e].parent as usize;
    }
    0
}

/// Returns the level of the heading that a block is, 0 for other text.
pub fn heading_level(blocks: &Blocks, block: usize) -> u8 {
    heading_of(&blocks.elements, blocks.blocks[block].element as usize)
}

/// Whether most of a block is links.
fn is_link(b: &Block) -> bool {
    b.link_chars * 5 >= b.chars * 4
}

/// Groups the blocks by their chain of tags and class.
fn groups(blocks: &Blocks, classes: &[u32]) -> (Vec<u32>, Vec<Group>) {
    let paths = blocks.blocks.iter().map(|b| {
        let chain = blocks.element_chain(b.container as usize).take(PATH_TAGS);
        chain.fold(fnv(FNV, classes[b.container as usize]), |key, e| fnv(key, tag_code(blocks.elements[e].tag) as u32))
    });
    let (group, count) = number_alike(paths);
    let mut groups = vec![Group { first: u32::MAX, ..Group::default() }; count];
    for (i, b) in blocks.blocks.iter().enumerate() {
        let g = &mut groups[group[i] as usize];
        g.first = g.first.min(i as u32);
        g.blocks += 1;
        g.words = g.words.saturating_add(b.words);
        g.squares += (b.words as f64).powi(2);
        g.chars = g.chars.saturating_add(b.chars);
        g.link_chars = g.link_chars.saturating_add(b.link_chars);
        g.max_words = g.max_words.max(b.words);
        g.after_link += i.checked_sub(1).is_some_and(|before| is_link(&blocks.blocks[before])) as u32;
        g.before_link += blocks.blocks.get(i + 1).is_some_and(is_link) as u32;
        g.last = i as u32;
    }
    (group, groups)
}

/// Numbers the keys so that equal keys have equal numbers, and returns how many distinct keys there are. It sorts, so no choice of keys
/// makes it slow.
pub fn number_alike(keys: impl Iterator<Item = u32>) -> (Vec<u32>, usize) {
    let mut order: Vec<u64> = keys.zip(0u64..).map(|(key, i)| (key as u64) << 32 | i).collect();
    order.sort_unstable();
    let mut numbers = vec![0; order.len()];
    let (mut count, mut last) = (0u32, None);
    for pair in order {
        let (key, i) = (pair >> 32, pair as u32);
        count += (last != Some(key)) as u32;
        last = Some(key);
        numbers[i as usize] = count - 1;
    }
    (numbers, count as usize)
}

/// Returns how often each key occurs.
fn occurrences(keys: impl Iterator<Item = u32>) -> Vec<u32> {
    let (numbers, count) = number_alike(keys);
    let mut counts = vec![0u32; count];
    numbers.iter().for_each(|n| counts[*n as usize] += 1);
    numbers.iter().map(|n| counts[*n as usize]).collect()
}

fn distances(blocks: &Blocks) -> Vec<[u8; ANCESTORS.len()]> {
    let mut out: Vec<[u8; ANCESTORS.len()]> = Vec::with_capacity(blocks.elements.len());
    for (i, e) in blocks.elements.iter().enumerate() {
        let mut d = if i > 0 { out[e.parent as usize] } else { [NO_ANCESTOR; ANCESTORS.len()] };
        // No distance reaches the number that stands for a missing ancestor.
        for x in &mut d {
            *x += (*x < NO_ANCESTOR - 1) as u8;
        }
        if let Some(x) = d.get_mut(ANCESTOR_OF[e.tag.0 as usize] as usize) {
            *x = 0;
        }
        out.push(d);
    }
    out
}

/// Returns for each element the outermost element that holds the same blocks.
fn grown_tops(blocks: &Blocks) -> Vec<u32> {
    let mut top: Vec<u32> = Vec::with_capacity(blocks.elements.len());
    for (i, e) in blocks.elements.iter().enumerate() {
        let same = i > 0 && blocks.elements[e.parent as usize].blocks == e.blocks;
        top.push(if same { top[e.parent as usize] } else { i as u32 });
    }
    top
}

fn levels(blocks: &Blocks, top: &[u32], i: usize) -> [u32; GROWN_LEVELS] {
    let mut out = [0; GROWN_LEVELS];
    let mut e = blocks.blocks[i].container;
    for slot in &mut out {
        let t = top[e as usize];
        *slot = t;
        e = blocks.elements[t as usize].parent;
    }
    out
}

fn alike(blocks: &Blocks, classes: &[u32]) -> Vec<u32> {
    let with_text: Vec<usize> = (1..blocks.elements.len()).filter(|&i| !blocks.elements[i].blocks.is_empty()).collect();
    let kinds = with_text.iter().map(|&i| {
        let e = &blocks.elements[i];
        fnv(fnv(classes[i], tag_code(e.tag) as u32), e.parent.wrapping_mul(0x9e37_79b1))
    });
    let mut out = vec![1; blocks.elements.len()];
    for (i, count) in with_text.iter().zip(occurrences(kinds)) {
        out[*i] = count;
    }
    out
}

fn repeats(stats: &[TextStats]) -> Vec<u32> {
    occurrences(stats.iter().map(|s| s.hash))
}

/// Statistics of an element's subtree, for the features of the grown ancestors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subtree {
    pub text_share: f32,
    pub link_density: f32,
    pub blocks: f32,
    pub chars_per_block: f32,
    pub long_share: f32,
    pub stops_per_char: f32,
    pub media: f32,
    pub tags_per_char: f32,
    pub siblings_alike: f32,
    pub tag: f32,
    /// Number of the first block.
    pub first: f32,
    /// Characters outside links per tag.
    pub density: f32,
}

/// The subtrees of the grown ancestors of all blocks, each computed once.
pub struct Subtrees {
    rows: Vec<Subtree>,
    /// For each block, indices in `rows`.
    levels: Vec<[u32; GROWN_LEVELS]>,
}

impl Subtrees {
    pub fn new(blocks: &Blocks, tree: &Tree) -> Subtrees {
        const UNSEEN: u32 = u32::MAX;
        let mut place = vec![UNSEEN; blocks.elements.len()];
        let mut rows = Vec::with_capacity(2 * blocks.len());
        let mut levels = tree.levels.clone();
        for element in levels.iter_mut().flatten() {
            let row = &mut place[*element as usize];
            if *row == UNSEEN {
                *row = rows.len() as u32;
                rows.push(Subtree::new(blocks, tree, *element as usize));
            }
            *element = *row;
        }
        Subtrees { rows, levels }
    }
    /// Returns the `k`-th grown ancestor of block `i`.
    #[inline]
    pub fn at(&self, i: usize, k: usize) -> &Subtree {
        &self.rows[self.levels[i][k] as usize]
    }
}

impl Subtree {
    fn new(blocks: &Blocks, tree: &Tree, x: usize) -> Subtree {
        let e = &blocks.elements[x];
        let (s, count) = (tree.sums.below(e), e.blocks.len() as u32);
        Subtree {
            text_share: ratio(s.words, tree.sums.all().words),
            link_density: ratio(s.link_chars, s.chars),
            blocks: count as f32,
            chars_per_block: ratio(s.chars, count),
            long_share: ratio(s.long, count),
            stops_per_char: ratio(s.stops, s.chars),
            media: ratio(s.media, count),
            tags_per_char: ratio(e.descendants + 1, s.chars),
            siblings_alike: tree.alike[x] as f32,
            tag: tag_code(e.tag) as f32,
            first: e.blocks.start as f32,
            density: s.chars.saturating_sub(s.link_chars) as f32 / (e.descendants + 1) as f32,
        }
    }
}

/// Returns the element with the most text outside links per tag, weighted by its share of the page.
fn densest(blocks: &Blocks, sums: &PageSums) -> usize {
    let mut best = (0.0, 0);
    for (i, e) in blocks.elements.iter().enumerate() {
        if e.hidden || e.blocks.is_empty() {
            continue;
        }
        let s = sums.below(e);
        let text = s.chars.saturating_sub(2 * s.link_chars) as f64;
        let score = text * text / (e.descendants + 10) as f64;
        if score > best.0 {
            best = (score, i);
        }
    }
    best.1
}

/// Returns the element with the most long blocks as direct content, similar to Readability's scoring.
fn most_paragraphs(blocks: &Blocks) -> usize {
    let mut score = vec![0.0f64; blocks.elements.len()];
    for b in &blocks.blocks {
        if b.hidden || b.link_chars * 2 > b.chars || b.words < MIN_LONG_WORDS {
            continue;
        }
        let points = 1.0 + (b.words as f64 / 40.0).min(3.0);
        let parent = blocks.elements[b.container as usize].parent as usize;
        score[parent] += points;
        score[blocks.elements[parent].parent as usize] += points / 2.0;
    }
    let mut best = 0;
    for (i, s) in score.iter().enumerate() {
        if *s > score[best] {
            best = i;
        }
    }
    best
}

fn text_per_markup(blocks: &Blocks) -> Vec<f32> {
    let mut end = 0;
    let shares = blocks.blocks.iter().map(|b| {
        let bytes = b.span.end.saturating_sub(end).max(1);
        end = end.max(b.span.end);
        (b.text.len() as f32 / bytes as f32).min(4.0)
    });
    shares.collect()
}

fn runs(blocks: &Blocks, like: impl Fn(usize) -> bool) -> Vec<u32> {
    let n = blocks.len();
    let mut out = vec![0; n];
    let mut i = 0;
    while i < n {
        let mut j = i;
        while j < n && like(j) {
            j += 1;
        }
        out[i..j].fill((j - i) as u32);
        i = j.max(i + 1);
    }
    out
}
