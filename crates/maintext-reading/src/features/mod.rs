//! The features of each text block: one table that both training and inference read.
//!
//! [`Features::new`] names and fills the columns in one place, so that training and inference cannot see different
//! features. Everything is language-independent and linear in the size of the page.
//!
//! Names: `_up_k` is the k-th *grown* ancestor, where an ancestor counts only if it holds more blocks than the one below it (so that
//! wrappers do not shift the levels); `_path` is the set of blocks with the same chain of tags and class. The blocks before
//! and after have no features here, except the share of a path's blocks next to a link, and neither have elements further up: the
//! [`network`](crate::model::network) sees both.
pub mod bags;
pub mod text;
pub mod tokens;
mod tree;

pub use maintext_page::sums;
pub use text::ends_sentence;
pub use text::{BlockWords, TextStats, WordSet};
pub use tokens::{TokenIndex, TokenScores};

use maintext_page::blocks::{Blocks, ElementTokens};
use maintext_page::dom::{Dom, Tag};
use maintext_page::signs::{PageSigns, SCHEMA_TYPES};
use std::fmt::Display;
use tokens::{BlockTokens, Which};
use tree::{ANCESTORS, GROWN_LEVELS, NEAR_GROWN_LEVELS, Subtree, Subtrees, Tree};
pub use tree::{heading_level, heading_of, number_alike};

/// A column of a page or of one row of a table: its name and its value.
pub type Column = (&'static str, f32);

/// Which of the columns that are added to a table are wanted. Columns that a model does not use are not computed.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// For each column, in the order of adding, whether it is wanted; `None` if all are.
    columns: Option<Box<[bool]>>,
    /// Number of columns added so far, wanted or not.
    seen: usize,
    /// Names of the columns; recorded only if all are wanted.
    names: Vec<String>,
}

impl Wanted {
    /// Wants some columns, or all.
    pub fn new(columns: Option<&[bool]>) -> Wanted {
        Wanted { columns: columns.map(Box::from), ..Wanted::default() }
    }

    /// Returns whether the next column, which has this name, is wanted.
    pub fn takes(&mut self, name: impl Display) -> bool {
        let is_wanted = self.columns.as_ref().is_none_or(|w| w.get(self.seen).copied().unwrap_or(false));
        self.seen += 1;
        if self.columns.is_none() {
            self.names.push(name.to_string());
        }
        is_wanted
    }

    /// Returns the names of the columns, if all are wanted.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// A table of block features: one column per feature, one row per block.
///
/// About half of a page's columns have one value for all of its blocks, and most of these values are 0 or 1. Such columns share one
/// place for each value.
#[derive(Clone, Debug, Default)]
pub struct Features {
    rows: usize,
    wanted: Wanted,
    /// For each column, wanted or not, where its values begin in `data`; [`Features::ABSENT`] if it is not filled.
    starts: Vec<usize>,
    data: Vec<f32>,
    /// The starts of the columns with one value.
    constants: Vec<usize>,
}

impl Features {
    /// Returns the number of blocks.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Returns the names of the columns.
    pub fn names(&self) -> &[String] {
        self.wanted.names()
    }
    /// The start of a column that is not filled.
    const ABSENT: usize = usize::MAX;

    /// Returns column `i` of all that were appended, one value per block. It must be a wanted one.
    #[inline]
    pub fn column(&self, i: usize) -> &[f32] {
        &self.data[self.starts[i]..][..self.rows]
    }

    /// Returns a table for `rows` blocks without columns. Of the columns that are appended, it fills the wanted ones.
    pub fn new(rows: usize, wanted: Option<&[bool]>) -> Features {
        let columns = wanted.map_or(0, |w| w.iter().filter(|w| **w).count());
        let data = Vec::with_capacity(rows * columns);
        Features { rows, wanted: Wanted::new(wanted), data, ..Features::default() }
    }

    /// Appends a column if it is wanted.
    pub fn add(&mut self, name: impl Display, f: impl FnMut(usize) -> f32) {
        if !self.wanted.takes(name) {
            return self.starts.push(Features::ABSENT);
        }
        let start = self.data.len();
        self.data.extend((0..self.rows).map(f));
        // A page of 1 MB that is cut into 200,000 blocks takes 146 MB this way instead of 260 (docs/experiments/speed.md).
        let start = match self.data[start..] {
            [first, ref rest @ ..] if rest.iter().all(|v| v.to_bits() == first.to_bits()) => {
                self.data.truncate(start);
                self.constant(first)
            }
            _ => start,
        };
        self.starts.push(start);
    }

    /// Appends a column with the same value for all blocks, if it is wanted.
    pub fn add_constant(&mut self, name: impl Display, value: f32) {
        let start = if self.wanted.takes(name) { self.constant(value) } else { Features::ABSENT };
        self.starts.push(start);
    }

    /// Returns where a column of one value begins.
    fn constant(&mut self, value: f32) -> usize {
        let mut known = self.constants.iter().copied();
        if let Some(start) = known.find(|start| self.data.get(*start).is_some_and(|v| v.to_bits() == value.to_bits())) {
            return start;
        }
        let start = self.data.len();
        self.data.resize(start + self.rows, value);
        self.constants.push(start);
        start
    }

    /// Appends all features that do not depend on learned token scores. Returns the words of the blocks for those that do.
    pub fn add_structural(&mut self, dom: &Dom, blocks: &Blocks, tokens: &ElementTokens) -> BlockWords {
        let signs = blocks.signs(dom);
        let title = WordSet::new(&signs.title);
        let description = WordSet::new(&signs.description);
        let (words, stats) = BlockWords::with_stats(blocks, &title, &description);
        let tree = Tree::new(blocks, tokens.classes(), &stats);
        let c = Columns { blocks, stats: &stats, tree: &tree, signs, title: &title, description: &description };
        // Without the features of the page, wcxb-dev loses most (0.0039), then without the place (0.0032) and the subtrees (0.0028). Addresses of
        // links would lose 0.005, as there are too few sites of each kind to learn from (docs/experiments/content.md).
        c.own(self);
        c.place(self);
        c.ancestors(self);
        c.subtrees(self);
        c.paths(self);
        c.page(self);
        words
    }

    /// Appends the features that depend on learned token scores.
    pub fn add_tokens(&mut self, blocks: &Blocks, tokens: &ElementTokens, words: &BlockWords, index: &TokenIndex) {
        let f = self;
        let scored = BlockTokens::new(blocks, tokens, index);
        for (name, scores) in [
            ("tokens", scored.scores(Which::Near, Which::Far)),
            ("document", scored.scores(Which::DocumentNear, Which::DocumentFar)),
        ] {
            for (part, ranges) in ["own", "near", "far"].into_iter().zip(&scores.parts) {
                f.add(format_args!("{name}_{part}_min"), |i| ranges[i].min);
                f.add(format_args!("{name}_{part}_max"), |i| ranges[i].max);
                f.add(format_args!("{name}_{part}_mean"), |i| ranges[i].mean());
            }
            let whole = &scores.whole;
            f.add(format_args!("{name}_min"), |i| whole[i].min);
            f.add(format_args!("{name}_max"), |i| whole[i].max);
            f.add(format_args!("{name}_mean"), |i| whole[i].mean());
            f.add(format_args!("{name}_sum"), |i| whole[i].sum);
        }
        let w = scored.words(words);
        f.add("word_score_min", |i| w[i].min);
        f.add("word_score_max", |i| w[i].max);
        f.add("word_score_mean", |i| w[i].mean());
        f.add("word_score_sum", |i| w[i].sum / w[i].count.max(1.0).sqrt());
        for (name, stems) in tokens::ROLES {
            let role = tokens::Role::new(blocks, tokens, stems);
            f.add(format_args!("role_distance_{name}"), |i| role.distance[i]);
            f.add_constant(format_args!("role_share_{name}"), role.share);
            f.add_constant(format_args!("role_words_outside_{name}"), maintext_page::num::ln_1p(role.words_outside));
            f.add(format_args!("role_blocks_since_{name}"), |i| role.first.map_or(-1000.0, |x| i as f32 - x as f32));
        }
        let kinds = scored.kinds();
        for (k, name) in tokens::KINDS.iter().enumerate() {
            f.add_constant(format_args!("page_kind_{name}"), kinds[k]);
        }
    }
}

/// Returns `ln(1 + x)`.
fn ln1p(x: u32) -> f32 {
    maintext_page::num::ln_1p(x as f32)
}

fn ratio(a: u32, b: u32) -> f32 {
    a as f32 / b.max(1) as f32
}

/// The data from which the columns are computed.
struct Columns<'a> {
    blocks: &'a Blocks,
    stats: &'a [TextStats],
    tree: &'a Tree,
    signs: &'a PageSigns,
    title: &'a WordSet,
    description: &'a WordSet,
}

impl Columns<'_> {
    /// Appends the features of the block on its own.
    fn own(&self, f: &mut Features) {
        let (b, s) = (&self.blocks.blocks, self.stats);
        f.add("words", |i| b[i].words as f32);
        f.add("chars", |i| b[i].chars as f32);
        f.add("link_density", |i| ratio(b[i].link_chars, b[i].chars));
        f.add("digit_share", |i| ratio(s[i].digits, s[i].chars));
        f.add("upper_share", |i| ratio(s[i].upper, s[i].chars));
        f.add("stops", |i| s[i].stops as f32);
        f.add("commas", |i| s[i].commas as f32);
        f.add("symbols_per_word", |i| ratio(s[i].symbols, s[i].words));
        f.add("emphasis_share", |i| ratio(b[i].emphasis_chars, b[i].chars));
        f.add("code_share", |i| ratio(b[i].code_chars, b[i].chars));
        f.add("ends_sentence", |i| s[i].ends_sentence as u8 as f32);
        f.add("title_overlap", |i| {
            let union = s[i].words + self.title.len() as u32 - s[i].title_words.min(self.title.len() as u32);
            ratio(s[i].title_words, union)
        });
        f.add("title_share", |i| ratio(s[i].title_words, s[i].words));
        f.add("description_share", |i| ratio(s[i].description_words, s[i].words));
        f.add("description_cover", |i| ratio(s[i].description_words, self.description.len() as u32));
        f.add("repeats", |i| self.tree.repeats[i] as f32);
        f.add("hidden", |i| b[i].hidden as u8 as f32);
        f.add("text_per_markup", |i| self.tree.text_per_markup[i]);
    }

    /// Appends the position of the block in the page.
    fn place(&self, f: &mut Features) {
        let (b, t) = (&self.blocks.blocks, self.tree);
        let n = b.len();
        let total = t.sums.all().words;
        f.add("position", |i| i as f32 / n as f32);
        f.add("words_before_share", |i| ratio(t.sums.before(i).words, total));
        f.add("words_after_share", |i| ratio(total - t.sums.before(i + 1).words, total));
        f.add("blocks_after", |i| (n - i) as f32);
        f.add("blocks_since_h1", |i| t.first_h1.map_or(-1000.0, |h| i as f32 - h as f32));
        f.add("blocks_since_heading", |i| t.since_heading[i] as f32);
        f.add("last_heading_level", |i| t.heading_level[i] as f32);
        f.add("words_since_heading", |i| ln1p(t.words_since_heading[i]));
        f.add("title_distance", |i| t.title_block.map_or(-1000.0, |h| i as f32 - h as f32));
        f.add("text_run", |i| t.text_run[i] as f32);
    }

    /// Appends the distances to elements around the block.
    fn ancestors(&self, f: &mut Features) {
        let (b, e, t) = (&self.blocks.blocks, &self.blocks.elements, self.tree);
        f.add("tag_element", |i| tag_code(e[b[i].element as usize].tag) as f32);
        f.add("tag_container", |i| tag_code(e[b[i].container as usize].tag) as f32);
        f.add("tag_parent", |i| tag_code(e[e[b[i].container as usize].parent as usize].tag) as f32);
        f.add("depth", |i| e[b[i].element as usize].depth as f32);
        f.add("inline_depth", |i| (e[b[i].element as usize].depth - e[b[i].container as usize].depth) as f32);
        f.add("heading", |i| t.heading[i] as f32);
        let distances: Vec<_> = b.iter().map(|b| &t.distances[b.element as usize]).collect();
        for (k, tag) in ANCESTORS.iter().enumerate() {
            f.add(format_args!("distance_{}", tag.name()), |i| distances[i][k] as f32);
        }
    }

    /// Appends statistics of the grown ancestors.
    fn subtrees(&self, f: &mut Features) {
        let (t, e) = (self.tree, &self.blocks.elements);
        let s = Subtrees::new(self.blocks, t);
        for k in 0..NEAR_GROWN_LEVELS {
            let level: Vec<&Subtree> = (0..self.blocks.len()).map(|i| s.at(i, k)).collect();
            f.add(format_args!("text_share_up_{k}"), |i| level[i].text_share);
            f.add(format_args!("link_density_up_{k}"), |i| level[i].link_density);
            f.add(format_args!("blocks_up_{k}"), |i| level[i].blocks);
            f.add(format_args!("chars_per_block_up_{k}"), |i| level[i].chars_per_block);
            f.add(format_args!("long_share_up_{k}"), |i| level[i].long_share);
            f.add(format_args!("stops_per_char_up_{k}"), |i| level[i].stops_per_char);
            f.add(format_args!("media_up_{k}"), |i| level[i].media);
            f.add(format_args!("tags_per_char_up_{k}"), |i| level[i].tags_per_char);
            f.add(format_args!("siblings_alike_up_{k}"), |i| level[i].siblings_alike);
            f.add(format_args!("place_up_{k}"), |i| (i as f32 - level[i].first) / level[i].blocks.max(1.0));
            f.add(format_args!("tag_up_{k}"), |i| level[i].tag);
        }
        // The best ancestor by text density, chosen as in the published methods.
        let page = t.sums.all().chars as f32 / (e[0].descendants + 1) as f32;
        f.add("best_density_up", |i| {
            (0..GROWN_LEVELS).map(|k| s.at(i, k).density).fold(0.0, f32::max) / page.max(1e-6)
        });
        f.add("in_densest", |i| e[t.densest].blocks.contains(&(i as u32)) as u8 as f32);
        f.add("in_most_paragraphs", |i| e[t.most_paragraphs].blocks.contains(&(i as u32)) as u8 as f32);
        f.add("most_paragraphs_share", |i| {
            let r = e[t.most_paragraphs].blocks.clone();
            let near = if (i as u32) < r.start { r.start - i as u32 } else { (i as u32 + 1).saturating_sub(r.end) };
            near as f32
        });
    }

    /// Appends statistics of the blocks with the same chain of tags and classes.
    fn paths(&self, f: &mut Features) {
        let t = self.tree;
        let total = t.sums.all().words;
        f.add("blocks_path", |i| t.group_of(i).blocks as f32);
        f.add("text_share_path", |i| ratio(t.group_of(i).words, total));
        f.add("words_per_block_path", |i| ratio(t.group_of(i).words, t.group_of(i).blocks));
        f.add("link_density_path", |i| ratio(t.group_of(i).link_chars, t.group_of(i).chars));
        f.add("after_link_path", |i| ratio(t.group_of(i).after_link, t.group_of(i).blocks));
        f.add("before_link_path", |i| ratio(t.group_of(i).before_link, t.group_of(i).blocks));
        f.add("max_words_path", |i| t.group_of(i).max_words as f32);
        f.add("words_deviation_path", |i| t.group_of(i).deviation());
        f.add("span_path", |i| ratio(t.group_of(i).last - t.group_of(i).first + 1, self.blocks.len() as u32));
    }

    /// Appends the features of the page.
    fn page(&self, f: &mut Features) {
        let (t, p) = (self.tree, self.signs);
        let (n, sums) = (self.blocks.len(), t.sums.all());
        f.add_constant("page_blocks", n as f32);
        f.add_constant("page_words", sums.words as f32);
        f.add_constant("page_link_density", ratio(sums.link_chars, sums.chars));
        f.add_constant("page_long_blocks", sums.long as f32);
        f.add_constant("page_long_share", ratio(sums.long, n as u32));
        f.add_constant("page_max_words", t.max_words as f32);
        f.add_constant("page_stops_per_char", ratio(sums.stops, sums.chars));
        f.add_constant("page_elements_per_word", ratio(p.elements, sums.words));
        for (name, count) in p.counts() {
            f.add_constant(format_args!("page_{name}"), count);
        }
        f.add_constant("page_og_type", p.og_type as f32);
        f.add_constant("page_published", p.published as u8 as f32);
        for (i, (name, _)) in SCHEMA_TYPES.iter().enumerate() {
            f.add_constant(format_args!("page_schema_{name}"), p.schema[i] as u8 as f32);
        }
        f.add_constant("page_h1", t.first_h1.map_or(-1.0, |h| h as f32 / n as f32));
        let [densest, most_paragraphs] = [t.densest, t.most_paragraphs].map(|e| t.sums.below(&self.blocks.elements[e]));
        f.add_constant("page_densest_share", ratio(densest.words, sums.words));
        f.add_constant("page_most_paragraphs_share", ratio(most_paragraphs.words, sums.words));
        f.add_constant("page_cjk", ratio(self.stats.iter().map(|s| s.cjk).sum(), sums.chars));
    }
}

/// Returns the names of the features in the order of the table: structural features first, then the token scores.
pub fn names() -> Vec<String> {
    let dom = maintext_page::dom::parse("", &Default::default());
    let blocks = Blocks::new(&dom);
    let mut f = Features::new(0, None);
    let tokens = blocks.names(&dom);
    let words = f.add_structural(&dom, &blocks, tokens);
    f.add_tokens(&blocks, tokens, &words, &TokenIndex::new(&TokenScores::default()));
    f.wanted.names
}

/// Tags, ordered so that tags with similar uses are close together.
const ORDER: &[Tag] = &[
    Tag::P,
    Tag::PRE,
    Tag::BLOCKQUOTE,
    Tag::CODE,
    Tag::EM,
    Tag::I,
    Tag::STRONG,
    Tag::B,
    Tag::FONT,
    Tag::TT,
    Tag::SMALL,
    Tag::SUP,
    Tag::SUB,
    Tag::H1,
    Tag::H2,
    Tag::H3,
    Tag::H4,
    Tag::H5,
    Tag::H6,
    Tag::DD,
    Tag::DT,
    Tag::DL,
    Tag::TD,
    Tag::TH,
    Tag::TR,
    Tag::TBODY,
    Tag::THEAD,
    Tag::TFOOT,
    Tag::TABLE,
    Tag::CAPTION,
    Tag::FIGCAPTION,
    Tag::FIGURE,
    Tag::CENTER,
    Tag::ARTICLE,
    Tag::MAIN,
    Tag::SECTION,
    Tag::DIV,
    Tag::BODY,
    Tag::HTML,
    Tag::SPAN,
    Tag::TIME,
    Tag::LI,
    Tag::OL,
    Tag::UL,
    Tag::A,
    Tag::DETAILS,
    Tag::SUMMARY,
    Tag::ADDRESS,
    Tag::CITE,
    Tag::U,
    Tag::HEADER,
    Tag::HGROUP,
    Tag::ASIDE,
    Tag::NAV,
    Tag::FOOTER,
    Tag::FORM,
    Tag::FIELDSET,
    Tag::LEGEND,
    Tag::LABEL,
    Tag::BUTTON,
    Tag::DIALOG,
    Tag::MENU,
    Tag::NOSCRIPT,
];

/// For each tag, its position in [`ORDER`].
const CODES: [u8; 256] = {
    let mut codes = [ORDER.len() as u8; 256];
    let mut i = 0;
    while i < ORDER.len() {
        codes[ORDER[i].0 as usize] = i as u8;
        i += 1;
    }
    codes
};

/// Returns a small number for the model; tags with similar uses have close numbers.
pub fn tag_code(tag: Tag) -> u8 {
    CODES[tag.0 as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut n = names();
        let all = n.len();
        n.sort();
        n.dedup();
        assert_eq!(n.len(), all);
        assert!(all > 100);
    }

    #[test]
    fn columns_with_one_value_share_their_place() {
        let mut f = Features::new(3, Some(&[true, true, false, true, true]));
        f.add("own", |i| i as f32);
        f.add("zeros", |_| 0.0);
        f.add("unwanted", |i| i as f32);
        f.add_constant("also_zeros", 0.0);
        f.add_constant("negative_zeros", -0.0);
        assert_eq!((f.column(0), f.column(1)), (&[0.0, 1.0, 2.0][..], &[0.0; 3][..]));
        assert_eq!(f.column(1).as_ptr(), f.column(3).as_ptr());
        assert!(f.column(4).iter().all(|v| v.is_sign_negative()));
        assert_eq!(f.data.len(), 9);
    }

    #[test]
    fn values_by_name() {
        let html = "<title>Red fox</title><body><nav><ul><li><a href=/>Home</a><li><a href=/b>News</a></ul></nav>
            <article><h1>Red fox</h1><p>One two three, four five.</p><p>Six seven eight nine ten eleven.</p></article>";
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let mut f = Features::new(blocks.len(), None);
        f.add_structural(&dom, &blocks, blocks.names(&dom));
        let get = |name: &str, row: usize| f.column(f.names().iter().position(|n| n == name).unwrap())[row];
        assert_eq!(get("words", 3), 5.0);
        assert_eq!(get("link_density", 0), 1.0);
        assert_eq!(get("title_overlap", 2), 1.0);
        assert_eq!(get("distance_nav", 0), 3.0); // a, li, ul, nav
        assert_eq!(get("distance_article", 3), 1.0);
        assert_eq!(get("blocks_up_0", 3), 1.0);
        assert_eq!(get("blocks_up_1", 3), 3.0); // the article
        assert_eq!(get("blocks_up_2", 3), 5.0); // the page
        assert_eq!(get("siblings_alike_up_0", 3), 2.0);
        assert_eq!((get("after_link_path", 1), get("before_link_path", 1)), (0.5, 0.5)); // one follows the other
        assert_eq!((get("after_link_path", 3), get("before_link_path", 3)), (0.0, 0.0));
        assert!(f.data.iter().all(|v| v.is_finite()));
    }
}
