//! The names that authors gave to elements, scored by learned log-odds.
use super::text::BlockWords;
use maintext_page::blocks::{Blocks, ElementTokens, token_hash};

/// A small set of names to look tokens up in.
pub struct NameSet {
    hashes: Vec<u32>,
    /// One bit for each hash, by its last six bits: it rejects most other tokens.
    filter: u64,
}

impl NameSet {
    /// Returns the set of some names.
    pub fn new(names: &[&str]) -> NameSet {
        let hashes: Vec<u32> = names.iter().map(|n| token_hash(n)).collect();
        NameSet { filter: hashes.iter().fold(0, |f, h| f | 1 << (h & 63)), hashes }
    }
    /// Whether the token is one of the names.
    pub fn has(&self, token: u32) -> bool {
        self.filter >> (token & 63) & 1 == 1 && self.hashes.contains(&token)
    }

    /// Whether one of the tokens is one of the names.
    pub fn has_any(&self, tokens: &[u32]) -> bool {
        tokens.iter().any(|token| self.has(*token))
    }
}

/// A learned table: one value for each known hash, sorted by hash.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<T>(pub Vec<(u32, T)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table(Vec::new())
    }
}

impl<T: Copy> Table<T> {
    /// Returns the value of a hash, if it is known.
    pub fn get(&self, hash: u32) -> Option<T> {
        self.0.binary_search_by_key(&hash, |e| e.0).ok().map(|i| self.0[i].1)
    }
}

/// The page kinds that the naive Bayes scores distinguish, in the order of their features.
pub const KINDS: [&str; 7] = ["article", "forum", "product", "collection", "listing", "documentation", "service"];

/// Learned scores of tokens and words: smoothed log-odds that text below an element with that name, or with that word, is main content.
///
/// `near` holds for the innermost elements of a block ([`NEAR_LEVELS`] of them), `far` for those above. Comments are content on a forum page and
/// boilerplate elsewhere, so the `document` tables are fitted without forum pages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenScores {
    /// The innermost elements, on all pages.
    pub near: Table<f32>,
    /// The elements above, on all pages.
    pub far: Table<f32>,
    /// The innermost elements, on pages other than forums.
    pub document_near: Table<f32>,
    /// The elements above, on pages other than forums.
    pub document_far: Table<f32>,
    /// Words of the text.
    pub words: Table<f32>,
    /// Log-odds of each of [`KINDS`], given that the token occurs anywhere in the page.
    pub kinds: Table<[f32; KINDS.len()]>,
}

/// Number of innermost elements that count as near.
pub const NEAR_LEVELS: usize = 3;

/// The scores of a token in each table of [`TokenScores`], NaN where it has none.
#[derive(Clone, Debug)]
struct Known {
    scores: [f32; 4],
    kinds: Option<[f32; KINDS.len()]>,
}

/// A map from hashes to values with open addressing, at most half full. The keys come from a model, so no page can make it slow.
#[derive(Clone, Debug)]
pub struct HashIndex {
    /// Hash and index of the value; [`HashIndex::FREE`] if the slot is empty.
    slots: Vec<(u32, u32)>,
}

impl HashIndex {
    /// The index of an unknown hash.
    pub const FREE: u32 = u32::MAX;

    /// Returns an index of hashes.
    pub fn new(hashes: impl ExactSizeIterator<Item = u32>) -> HashIndex {
        let size = (2 * hashes.len() + 1).next_power_of_two();
        let mut slots = vec![(0, HashIndex::FREE); size];
        for (place, hash) in hashes.enumerate() {
            let mut i = HashIndex::slot(hash, size);
            while slots[i].1 != HashIndex::FREE {
                i = (i + 1) & (size - 1);
            }
            slots[i] = (hash, place as u32);
        }
        HashIndex { slots }
    }
    /// Returns the index of a hash, if it is known.
    #[inline]
    pub fn known(&self, hash: u32) -> Option<u32> {
        Some(self.get(hash)).filter(|place| *place != HashIndex::FREE)
    }
    /// Returns whether no hash is known.
    pub fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.1 == HashIndex::FREE)
    }
    #[inline]
    fn slot(hash: u32, size: usize) -> usize {
        (hash.wrapping_mul(0x9e37_79b1) >> 8) as usize & (size - 1)
    }
    /// Returns the index of a hash, or `HashIndex::FREE` if it is unknown.
    #[inline]
    pub fn get(&self, hash: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let mut i = HashIndex::slot(hash, self.slots.len());
        loop {
            let (h, place) = self.slots[i & mask];
            if h == hash || place == HashIndex::FREE {
                return place;
            }
            i += 1;
        }
    }
}

/// [`TokenScores`] prepared for look-up: one look-up finds all scores of a token.
#[derive(Clone, Debug)]
pub struct TokenIndex {
    tokens: HashIndex,
    /// Sorted by hash.
    known: Vec<Known>,
    words: HashIndex,
    word_scores: Vec<f32>,
}

/// A table of [`TokenScores`], as an index of [`Known::scores`].
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(super) enum Which {
    Near,
    Far,
    DocumentNear,
    DocumentFar,
}

impl TokenIndex {
    /// Prepares the scores.
    pub fn new(scores: &TokenScores) -> TokenIndex {
        let tables = [&scores.near, &scores.far, &scores.document_near, &scores.document_far];
        let mut hashes: Vec<u32> = tables.iter().flat_map(|t| t.0.iter().map(|e| e.0)).collect();
        hashes.extend(scores.kinds.0.iter().map(|e| e.0));
        // A stable sort merges sorted parts.
        hashes.sort();
        hashes.dedup();
        // All tables are sorted by hash, so that one pass merges them.
        let (mut near, mut kinds) = (tables.map(|t| t.0.iter().peekable()), scores.kinds.0.iter().peekable());
        let known = hashes.iter().map(|&h| Known {
            scores: near.each_mut().map(|t| t.next_if(|e| e.0 == h).map_or(f32::NAN, |e| e.1)),
            kinds: kinds.next_if(|e| e.0 == h).map(|e| e.1),
        });
        TokenIndex {
            known: known.collect(),
            tokens: HashIndex::new(hashes.iter().copied()),
            words: HashIndex::new(scores.words.0.iter().map(|e| e.0)),
            word_scores: scores.words.0.iter().map(|e| e.1).collect(),
        }
    }

    /// Returns for each token of a page its index among the known ones.
    fn find(&self, tokens: &ElementTokens) -> Vec<u32> {
        tokens.hashes().iter().map(|&h| self.tokens.get(h)).collect()
    }

    /// Returns the scores of some tokens in each table.
    fn spreads(&self, places: &[u32]) -> [Spread; 4] {
        let mut out = [Spread::NONE; 4];
        for k in places.iter().filter_map(|&p| self.known.get(p as usize)) {
            for (spread, score) in out.iter_mut().zip(k.scores) {
                if !score.is_nan() {
                    spread.add(score);
                }
            }
        }
        for spread in &mut out {
            *spread = spread.done();
        }
        out
    }

    /// Returns the scores of some words.
    pub(super) fn words(&self, hashes: &[u32]) -> Spread {
        let mut out = Spread::NONE;
        let scores = hashes.iter().filter_map(|&h| self.word_scores.get(self.words.get(h) as usize));
        scores.for_each(|s| out.add(*s));
        out.done()
    }

    /// Returns the evidence of the page's tokens for each of [`KINDS`].
    fn kinds(&self, places: &[u32]) -> [f32; KINDS.len()] {
        // A bit for each known token: most pages have few of them.
        let mut seen = vec![0u64; self.known.len().div_ceil(64)];
        places.iter().filter(|p| **p != HashIndex::FREE).for_each(|&p| seen[p as usize / 64] |= 1 << (p % 64));
        let tokens = seen.iter().enumerate().flat_map(|(group, bits)| ones(*bits).map(move |bit| 64 * group + bit));
        evidence(tokens.filter_map(|token| self.known[token].kinds))
    }
}

/// Returns the places of the bits that are set, in rising order.
fn ones(bits: u64) -> impl Iterator<Item = usize> {
    // Each step clears the lowest bit.
    let rests = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
    rests.take_while(|bits| *bits != 0).map(|bits| bits.trailing_zeros() as usize)
}

/// Returns the sum of the log-odds for each of [`KINDS`], divided by the square root of their number.
pub fn evidence(scores: impl Iterator<Item = [f32; KINDS.len()]>) -> [f32; KINDS.len()] {
    let (mut sums, mut count) = ([0.0f32; KINDS.len()], 0.0f32);
    for s in scores {
        sums.iter_mut().zip(s).for_each(|(a, b)| *a += b);
        count += 1.0;
    }
    sums.map(|s| s / count.max(1.0).sqrt())
}

/// Smallest and largest score, sum and count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Smallest score, 0 without scores.
    pub min: f32,
    /// Largest score, 0 without scores.
    pub max: f32,
    /// Sum of the scores.
    pub sum: f32,
    /// Number of scores.
    pub count: f32,
}

impl Spread {
    /// Returns the spread of some scores.
    pub fn of(scores: impl Iterator<Item = f32>) -> Spread {
        let mut out = Spread::NONE;
        scores.for_each(|s| out.add(s));
        out.done()
    }
    /// The spread of no scores, to which scores are added.
    const NONE: Spread = Spread { min: f32::INFINITY, max: f32::NEG_INFINITY, sum: 0.0, count: 0.0 };

    #[inline]
    fn add(&mut self, s: f32) {
        // Scores are never NaN.
        self.min = if s < self.min { s } else { self.min };
        self.max = if s > self.max { s } else { self.max };
        self.sum += s;
        self.count += 1.0;
    }
    fn done(self) -> Spread {
        if self.count == 0.0 { Spread::default() } else { self }
    }
    /// Returns the spread of both together.
    pub fn with(&self, o: &Spread) -> Spread {
        if self.count == 0.0 {
            return *o;
        }
        if o.count == 0.0 {
            return *self;
        }
        Spread {
            min: self.min.min(o.min),
            max: self.max.max(o.max),
            sum: self.sum + o.sum,
            count: self.count + o.count,
        }
    }
    /// Returns the mean score, 0 without scores.
    pub fn mean(&self) -> f32 {
        self.sum / self.count.max(1.0)
    }
}

/// Parts of a page that markup commonly names with the words of schema.org, and that are content on some kinds of pages only:
/// a post of a forum has the same name as a comment under an article.
pub const ROLES: [(&str, &[&str]); 2] = [("comment", COMMENTS), ("review", &["review", "reviews"])];

/// Names of elements that hold readers' comments.
pub const COMMENTS: &[&str] = &["comment", "comments", "reply", "replies", "respond", "responses"];

/// The positions of the elements of a role.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// For each block, the number of steps up to the outermost element of the role; -1 without one.
    pub distance: Vec<f32>,
    /// Share of the page's words inside these elements.
    pub share: f32,
    /// Words of the page outside them.
    pub words_outside: f32,
    /// The first block inside one.
    pub first: Option<usize>,
}

impl Role {
    /// Finds the elements that have one of `names` among their tokens.
    pub fn new(blocks: &Blocks, tokens: &ElementTokens, names: &[&str]) -> Role {
        let names = NameSet::new(names);
        let names_role = tokens.named(|list| names.has_any(list));
        // For each element, the depth of the outermost element of the role above it.
        let mut depth: Vec<Option<u16>> = Vec::with_capacity(blocks.elements.len());
        for (i, e) in blocks.elements.iter().enumerate() {
            let above = if i == 0 { None } else { depth[e.parent as usize] };
            // An element with nearly all of the page is not a part of it.
            let whole = e.blocks.len() * 20 > blocks.len() * 19;
            depth.push(above.or_else(|| (!whole && names_role.has(i)).then_some(e.depth)));
        }
        let (mut inside, mut all) = (0.0f32, 0.0f32);
        let mut out = Role::default();
        for (i, b) in blocks.blocks.iter().enumerate() {
            let d = depth[b.element as usize];
            out.distance.push(d.map_or(-1.0, |d| (blocks.elements[b.element as usize].depth - d) as f32));
            all += b.words as f32;
            if d.is_some() {
                inside += b.words as f32;
                out.first = out.first.or(Some(i));
            }
        }
        out.share = inside / all.max(1.0);
        out.words_outside = all - inside;
        out
    }
}

/// The learned scores of a page's blocks.
pub(super) struct BlockTokens<'a> {
    blocks: &'a Blocks,
    tokens: &'a ElementTokens,
    /// For each list of tokens, its scores in each table.
    spreads: Vec<[Spread; 4]>,
    places: Vec<u32>,
    index: &'a TokenIndex,
}

/// The token scores around each block, fitted on one set of pages.
#[derive(Clone, Debug)]
pub(super) struct Scores {
    /// For each block: of the element with its text, of the [`NEAR_LEVELS`] innermost elements, of all elements above those.
    pub parts: [Vec<Spread>; 3],
    /// Of all elements.
    pub whole: Vec<Spread>,
}

impl<'a> BlockTokens<'a> {
    pub fn new(blocks: &'a Blocks, tokens: &'a ElementTokens, index: &'a TokenIndex) -> BlockTokens<'a> {
        let places = index.find(tokens);
        let spreads = tokens.spans().iter().map(|r| index.spreads(&places[r.start as usize..r.end as usize]));
        BlockTokens { blocks, tokens, spreads: spreads.collect(), places, index }
    }
    /// Returns the evidence of the page's tokens for each of [`KINDS`].
    pub fn kinds(&self) -> [f32; KINDS.len()] {
        self.index.kinds(&self.places)
    }
    /// Returns the scores of each block's words.
    pub fn words(&self, words: &BlockWords) -> Vec<Spread> {
        (0..self.blocks.len()).map(|i| self.index.words(words.of(i))).collect()
    }

    /// Returns the scores of an element's own tokens in a table.
    fn spread(&self, element: usize, which: Which) -> &Spread {
        &self.spreads[self.tokens.list_of()[element] as usize][which as usize]
    }

    /// Computes the scores of two tables in time linear in the number of elements.
    pub fn scores(&self, near: Which, far: Which) -> Scores {
        // From the root down to each element.
        let mut chain: Vec<Spread> = Vec::with_capacity(self.blocks.elements.len());
        for (i, e) in self.blocks.elements.iter().enumerate() {
            let above = if i == 0 { Spread::default() } else { chain[e.parent as usize] };
            chain.push(above.with(self.spread(i, far)));
        }
        let rows = self.blocks.len();
        let mut out = Scores { parts: [0; 3].map(|_| Vec::with_capacity(rows)), whole: Vec::with_capacity(rows) };
        for b in &self.blocks.blocks {
            let mut e = b.element as usize;
            out.parts[0].push(*self.spread(e, near));
            let mut inner = Spread::default();
            for _ in 0..NEAR_LEVELS {
                inner = inner.with(self.spread(e, near));
                e = self.blocks.elements[e].parent as usize;
            }
            out.parts[1].push(inner);
            out.parts[2].push(chain[e]);
            out.whole.push(inner.with(&chain[e]));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_are_scored_separately() {
        let html = "<div class=page><div class=main><section><div><p class=lead>hello</p></div></section></div></div>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let tokens = blocks.names(&dom);
        let mut far = vec![(token_hash("page"), 0.5), (token_hash("main"), 2.0), (token_hash("lead"), -9.0)];
        far.sort_by_key(|e| e.0);
        let near = Table(vec![(token_hash("lead"), 1.5)]);
        let index = TokenIndex::new(&TokenScores { near, far: Table(far), ..TokenScores::default() });
        let scores = BlockTokens::new(&blocks, tokens, &index).scores(Which::Near, Which::Far);
        let [own, near, far] = scores.parts.map(|p| p[0]);
        assert_eq!((own.max, near.max, far.max, far.min), (1.5, 1.5, 2.0, 0.5));
    }
}
