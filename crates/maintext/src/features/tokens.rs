//! What the page's author called things: tokens of `class`, `id`, `role` and their like, scored by learned log-odds.
use super::text::{FNV, fnv};
use crate::blocks::Blocks;
use crate::dom::Dom;

/// Attributes whose words name what an element is for.
const NAMING: [&str; 6] = ["class", "id", "role", "itemprop", "data-testid", "aria-label"];

/// Tokens of one element at most; generated class lists carry no more meaning beyond.
const MAX_TOKENS: usize = 24;

/// Hashes of the tokens of each element of a page, in the order of [`Blocks::elements`].
#[derive(Clone, Debug, Default)]
pub struct ElementTokens {
    starts: Vec<u32>,
    hashes: Vec<u32>,
}

impl ElementTokens {
    /// Reads the tokens of all elements that stand around text.
    pub fn new(dom: &Dom, blocks: &Blocks) -> ElementTokens {
        let mut out = ElementTokens { starts: Vec::with_capacity(blocks.elements.len() + 1), hashes: Vec::new() };
        for e in &blocks.elements {
            out.starts.push(out.hashes.len() as u32);
            if e.blocks.is_empty() {
                continue;
            }
            let from = out.hashes.len();
            for (name, value) in dom.attrs(e.node) {
                if NAMING.contains(&name) {
                    push_tokens(value, from + MAX_TOKENS, &mut out.hashes);
                }
            }
        }
        out.starts.push(out.hashes.len() as u32);
        out
    }
    /// The different token hashes of the page, sorted.
    pub fn distinct(&self) -> Vec<u32> {
        let mut all = self.hashes.clone();
        all.sort_unstable();
        all.dedup();
        all
    }
    /// The token hashes of element `e`.
    pub fn of(&self, e: usize) -> &[u32] {
        &self.hashes[self.starts[e] as usize..self.starts[e + 1] as usize]
    }
}

/// Splits `mainContent-2 nav_item` into `main`, `content`, `nav`, `item`; single letters and digits carry no meaning.
fn push_tokens(value: &str, limit: usize, out: &mut Vec<u32>) {
    let (mut hash, mut len, mut was_lower) = (FNV, 0, false);
    for b in value.bytes().chain(std::iter::once(b' ')) {
        let letter = b.is_ascii_alphabetic();
        let camel = was_lower && b.is_ascii_uppercase();
        if (!letter || camel) && len > 0 {
            if len > 1 && out.len() < limit {
                out.push(hash);
            }
            (hash, len) = (FNV, 0);
        }
        if letter {
            hash = fnv(hash, b.to_ascii_lowercase() as u32);
            len += 1;
        }
        was_lower = b.is_ascii_lowercase();
    }
}

/// The hash of one token as [`ElementTokens`] stores it.
pub fn token_hash(token: &str) -> u32 {
    token.bytes().fold(FNV, |h, b| fnv(h, b.to_ascii_lowercase() as u32))
}

/// A learned table: a value for each known hash, sorted by hash.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<T>(pub Vec<(u32, T)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table(Vec::new())
    }
}

impl<T: Copy> Table<T> {
    /// The value of a hash, if it is known.
    pub fn get(&self, hash: u32) -> Option<T> {
        self.0.binary_search_by_key(&hash, |e| e.0).ok().map(|i| self.0[i].1)
    }
}

/// Page types that the naive Bayes scores tell apart, in the order of their features.
pub const KINDS: [&str; 7] = ["article", "forum", "product", "collection", "listing", "documentation", "service"];

/// Learned scores of tokens and words: smoothed log-odds that text below an element of that name, or with that word, is main content.
///
/// `near` holds for the innermost elements of a block ([`NEAR`] of them), `far` for those above. What is content on a forum page is a
/// comment elsewhere, so the `document` tables are fitted without forum pages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenScores {
    /// On all pages, of the innermost elements.
    pub near: Table<f32>,
    /// On all pages, of the elements above.
    pub far: Table<f32>,
    /// On pages that are no forums, of the innermost elements.
    pub document_near: Table<f32>,
    /// On pages that are no forums, of the elements above.
    pub document_far: Table<f32>,
    /// Of words of the text.
    pub words: Table<f32>,
    /// Log-odds of each of [`KINDS`], given that a token stands anywhere in the page.
    pub kinds: Table<[f32; KINDS.len()]>,
}

/// How many innermost elements count as near.
pub const NEAR: usize = 3;

/// Smallest, largest and sum of scores, with their count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// Smallest score, 0 if there is none.
    pub min: f32,
    /// Largest score, 0 if there is none.
    pub max: f32,
    /// Sum of the scores.
    pub sum: f32,
    /// How many.
    pub count: f32,
}

impl Range {
    /// The known ones among the hashes.
    pub fn of(table: &Table<f32>, hashes: &[u32]) -> Range {
        let mut r = Range::default();
        for s in hashes.iter().filter_map(|&h| table.get(h)) {
            r = r.with(&Range { min: s, max: s, sum: s, count: 1.0 });
        }
        r
    }
    /// Both together.
    pub fn with(&self, o: &Range) -> Range {
        if self.count == 0.0 {
            return *o;
        }
        if o.count == 0.0 {
            return *self;
        }
        Range { min: self.min.min(o.min), max: self.max.max(o.max), sum: self.sum + o.sum, count: self.count + o.count }
    }
    /// Mean score, 0 if there is none.
    pub fn mean(&self) -> f32 {
        self.sum / self.count.max(1.0)
    }
}

/// How much the page's tokens speak for each of [`KINDS`]: the sum of the log-odds over the root of their number.
pub fn kind_scores(tokens: &ElementTokens, scores: &TokenScores) -> [f32; KINDS.len()] {
    let (mut sums, mut count) = ([0.0f32; KINDS.len()], 0.0f32);
    for s in tokens.distinct().into_iter().filter_map(|h| scores.kinds.get(h)) {
        sums.iter_mut().zip(s).for_each(|(a, b)| *a += b);
        count += 1.0;
    }
    sums.map(|s| s / count.max(1.0).sqrt())
}

/// Parts of a page that its markup commonly names after what schema.org calls them, whose place in the content depends on the kind of
/// page: what is a post in a forum is a comment under an article.
pub const ROLES: [(&str, &[&str]); 2] = [
    ("comment", &["comment", "comments", "reply", "replies", "respond", "responses"]),
    ("review", &["review", "reviews"]),
];

/// Where the elements of a role stand.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// For each block, steps up to the outermost element of the role; -1 if there is none.
    pub distance: Vec<f32>,
    /// Share of the page's words inside the role's elements.
    pub share: f32,
    /// Words of the page outside of them.
    pub words_outside: f32,
    /// The first block inside.
    pub first: Option<usize>,
}

impl Role {
    /// Finds the elements whose tokens are among `names`.
    pub fn new(blocks: &Blocks, tokens: &ElementTokens, names: &[&str]) -> Role {
        let hashes: Vec<u32> = names.iter().map(|n| token_hash(n)).collect();
        // Depth of the outermost element of the role on the way to each element.
        let mut depth: Vec<Option<u16>> = Vec::with_capacity(blocks.elements.len());
        for (i, e) in blocks.elements.iter().enumerate() {
            let above = if i == 0 { None } else { depth[e.parent as usize] };
            // What holds nearly all of the page is not a part of it.
            let whole = e.blocks.len() * 20 > blocks.len() * 19;
            let own = || !whole && tokens.of(i).iter().any(|t| hashes.contains(t));
            depth.push(above.or_else(|| own().then_some(e.depth)));
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

/// Mean score and smallest score of a text's words.
pub fn word_scores(text: &str, words: &Table<f32>) -> Range {
    let mut r = Range::default();
    super::text::for_each_word(text, |h| {
        if let Some(s) = words.get(h) {
            r = r.with(&Range { min: s, max: s, sum: s, count: 1.0 });
        }
    });
    r
}

/// The token scores around each block.
#[derive(Clone, Debug, Default)]
pub struct BlockTokens {
    /// Of the element that holds the block's text, for each block.
    pub own: Vec<Range>,
    /// Of the [`NEAR`] innermost elements, for each block.
    pub near: Vec<Range>,
    /// Of all elements above those, for each block.
    pub far: Vec<Range>,
}

impl BlockTokens {
    /// Looks up the tokens around each block, in time linear in the number of elements.
    pub fn new(
        blocks: &Blocks,
        tokens: &ElementTokens,
        near_table: &Table<f32>,
        far_table: &Table<f32>,
    ) -> BlockTokens {
        let n = blocks.elements.len();
        let mut near = Vec::with_capacity(n);
        let mut far_chain: Vec<Range> = Vec::with_capacity(n);
        for (i, e) in blocks.elements.iter().enumerate() {
            near.push(Range::of(near_table, tokens.of(i)));
            let own = Range::of(far_table, tokens.of(i));
            let above = if i == 0 { Range::default() } else { far_chain[e.parent as usize] };
            far_chain.push(above.with(&own));
        }
        let mut out = BlockTokens::default();
        for b in &blocks.blocks {
            let mut e = b.element as usize;
            out.own.push(near[e]);
            let mut r = Range::default();
            for _ in 0..NEAR {
                r = r.with(&near[e]);
                e = blocks.elements[e].parent as usize;
            }
            out.near.push(r);
            out.far.push(far_chain[e]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_split_at_case_and_signs() {
        let mut out = Vec::new();
        push_tokens("mainContent-2 nav_item x", 10, &mut out);
        assert_eq!(out, ["main", "content", "nav", "item"].map(token_hash));
    }

    #[test]
    fn near_and_far_are_told_apart() {
        let html = "<div class=page><div class=main><section><div><p class=lead>hello</p></div></section></div></div>";
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let tokens = ElementTokens::new(&dom, &blocks);
        let mut far = vec![(token_hash("page"), 0.5), (token_hash("main"), 2.0), (token_hash("lead"), -9.0)];
        far.sort_by_key(|e| e.0);
        let b = BlockTokens::new(&blocks, &tokens, &Table(vec![(token_hash("lead"), 1.5)]), &Table(far));
        assert_eq!((b.own[0].max, b.near[0].max, b.far[0].max, b.far[0].min), (1.5, 1.5, 2.0, 0.5));
    }
}
