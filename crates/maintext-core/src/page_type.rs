//! The page type: one of seven kinds, with probabilities.
//!
//! Forests and a linear model decide together. Their features are the blocks and confidence of the content model, counts of text, links,
//! headings, forms, code and prices, the page's records, the form of its address, and learned weights of its words. [`svm`] is the
//! published classifier of list and detail pages.
pub mod features;
mod linear;
mod records;
pub mod svm;
mod words;

pub use linear::Linear;
pub use records::RECORD_FEATURES;
pub use words::{PLACES, Words};

use crate::blocks::Blocks;
use crate::dom::Tag;
use crate::features::tokens::{KINDS, Table};
use crate::features::{PageSigns, SCHEMA_TYPES, heading_of};
use crate::hash::{FNV, HashMap, fnv};
use crate::method::{Verdict, View};
use crate::model::confidence::{CHOICE_FEATURES, choice};
use crate::model::forest::sigmoid;
use crate::model::{Decision, Learned, ModelError, Pack};
use serde::Serialize;
use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, LazyLock};
use url::Url;

/// The purpose stated in the model file.
pub const KIND: &str = "page-type";

/// Maximum number of characters of the page's title in which headlines are sought.
const MAX_TITLE: usize = 400;
/// Maximum number of blocks between a headline and its content.
const NEAR_HEADLINE: usize = 50;

/// A block with fewer words is a label.
const SHORT: u32 = 8;

/// The type of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageType {
    /// The most probable kind.
    pub page_type: &'static str,
    /// The probability of each kind; they sum to 1.
    pub probabilities: BTreeMap<&'static str, f32>,
    /// The probability that the page is a list: a listing or a collection. It is the mean of two answers: the sum of the probabilities of
    /// these kinds, and the output of a forest that only separates lists from other pages.
    pub list: f32,
}

impl PageType {
    /// Combines the probabilities of the kinds, in the order of [`KINDS`], with the probability of a list from its own forest.
    pub fn new(p: [f32; KINDS.len()], list: f32) -> PageType {
        let best = (0..KINDS.len()).fold(0, |b, k| if p[k] > p[b] { k } else { b });
        let probabilities: BTreeMap<&'static str, f32> = KINDS.into_iter().zip(p).collect();
        let of = |name: &str| probabilities.get(name).copied().unwrap_or(0.0);
        let list = (of("listing") + of("collection") + list) / 2.0;
        PageType { page_type: KINDS[best], list, probabilities }
    }

    /// Returns the most probable kind among lists, or among other pages.
    pub fn among(&self, lists: bool) -> &'static str {
        let may = |kind: &str| matches!(kind, "listing" | "collection") == lists;
        let of = |kind: &str| self.probabilities.get(kind).copied().unwrap_or(0.0);
        let best = KINDS.into_iter().filter(|k| may(k)).max_by(|a, b| of(a).total_cmp(&of(b)));
        best.unwrap_or(self.page_type)
    }
}

/// The features of a page: columns and words.
#[derive(Clone, Debug, Default)]
pub struct PageFacts {
    /// The columns that need no learned words.
    pub values: Vec<f32>,
    /// Hashes of the page's words, by place.
    pub words: Words,
}

/// Classifies pages by type.
#[derive(Clone, Debug)]
pub struct PageTyper {
    pack: Pack,
    /// The content model.
    content: Arc<Learned>,
    /// The log-odds of each kind for each hash.
    scores: WordScores,
    places: Vec<usize>,
    /// The linear model; forests and linear model count equally.
    linear: Linear,
}

impl PageTyper {
    /// Prepares a model: a forest and a table of words for each of [`KINDS`], a forest for lists, and the numbers of the linear model.
    ///
    /// # Errors
    /// [`ModelError`] if a part is missing or a column is unknown, or the library was built with a damaged content model.
    pub fn new(mut pack: Pack) -> Result<PageTyper, ModelError> {
        if pack.forests.len() != KINDS.len() + 1 || pack.tables.len() != KINDS.len() {
            return Err(ModelError::Damaged);
        }
        let scores = merged(&std::mem::take(&mut pack.tables));
        let names = names();
        let places = pack.places(&names)?;
        let linear = Linear::from_numbers(&pack.numbers, names.len(), KINDS.len()).ok_or(ModelError::Damaged)?;
        Ok(PageTyper { pack, content: Learned::shipped()?, scores, places, linear })
    }

    /// Returns the model inside the library, which is read once.
    ///
    /// # Errors
    /// [`ModelError`] if the library was built with a damaged model.
    pub fn shipped() -> Result<Arc<PageTyper>, ModelError> {
        static SHIPPED: LazyLock<Result<Arc<PageTyper>, ModelError>> = LazyLock::new(|| {
            let pack = Pack::from_bytes(crate::model::shipped::page_type()?, KIND)?;
            Ok(Arc::new(PageTyper::new(pack)?))
        });
        SHIPPED.clone()
    }

    /// Returns the type of a page.
    pub fn classify(&self, view: &View<'_>) -> PageType {
        self.judge(&facts(view, &self.content.decide(view.dom, view.blocks)))
    }

    /// Returns the type of a page whose blocks the shipped content model has judged with [`Favor::Balance`](crate::Favor::Balance).
    pub(crate) fn classify_judged(&self, view: &View<'_>, verdicts: &[Verdict]) -> PageType {
        let probabilities = verdicts.iter().map(|v| v.score).collect();
        let keep = verdicts.iter().map(|v| v.keep).collect();
        self.judge(&facts(view, &Decision { probabilities, keep, ..Decision::default() }))
    }

    /// Returns the type of a page with these features.
    pub fn judge(&self, facts: &PageFacts) -> PageType {
        let mut values = facts.values.clone();
        values.extend(word_scores(&facts.words, |h| self.scores.get(&h).copied()));
        let one = |f: &crate::model::forest::Forest| f.score(|c| values[self.places[c]]);
        let mut forests = [0.0; KINDS.len()];
        forests.iter_mut().zip(&self.pack.forests).for_each(|(p, f)| *p = one(f));
        let list = self.pack.forests.get(KINDS.len()).map_or(0.0, one);
        PageType::new(together(forests, &self.linear.scores(&values)), sigmoid(list))
    }
}

/// Combines the scores of forests and linear model into probabilities: the softmax of their mean.
pub fn together(forests: [f32; KINDS.len()], linear: &[f32]) -> [f32; KINDS.len()] {
    let mut p = forests;
    p.iter_mut().zip(linear).for_each(|(p, l)| *p = (*p + l) / 2.0);
    let most = p.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let p = p.map(|x| crate::num::exp(x - most));
    let sum: f32 = p.iter().sum();
    p.map(|x| x / sum)
}

/// Returns for each kind the sum of the log-odds of the known names, divided by the square root of their count.
pub fn token_scores(tokens: &[u32], score: impl Fn(u32) -> Option<[f32; KINDS.len()]>) -> [f32; KINDS.len()] {
    let (mut sums, mut count) = ([0.0f32; KINDS.len()], 0.0f32);
    for s in tokens.iter().filter_map(|&h| score(h)) {
        sums.iter_mut().zip(s).for_each(|(a, b)| *a += b);
        count += 1.0;
    }
    sums.map(|s| s / count.max(1.0).sqrt())
}

/// Returns for each place in turn the score of each kind by the words there.
pub fn word_scores(words: &Words, score: impl Fn(u32) -> Option<[f32; KINDS.len()]>) -> Vec<f32> {
    words.iter().flat_map(|w| token_scores(w, &score)).collect()
}

/// The log-odds of words by kind. The keys are hashes from a model, so a page cannot choose them.
pub type WordScores = std::collections::HashMap<u32, [f32; KINDS.len()], BuildHasherDefault<Mixed>>;

/// A hasher for keys that are hashes: one multiplication.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u32(u32::from(*b)));
    }
    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

/// Merges the tables of all kinds into one map.
pub fn merged(tables: &[Table<f32>]) -> WordScores {
    let mut out = WordScores::default();
    for (k, t) in tables.iter().enumerate() {
        t.0.iter().for_each(|(h, s)| out.entry(*h).or_default()[k] = *s);
    }
    out
}

/// Returns the names of the columns: those of [`PageFacts::values`], then one per kind.
pub fn names() -> Vec<String> {
    let counts = [
        "og_article",
        "og_product",
        "og_website",
        "og_other",
        "published",
        "script_bytes",
        "elements",
        "articles",
        "controls",
        "images",
        "paragraphs",
        "code",
        "tables",
        "links",
        "times",
        "words",
        "link_density",
        "blocks",
        "long_blocks",
        "long_words",
        "long_share",
        "longest",
        "link_blocks",
        "headings",
        "h1",
        "prices",
        "price_share",
        "questions",
        "code_chars",
        "list_items",
        "group_links",
        "group_share",
        "group_chars",
        "group_text",
        "url_depth",
        "url_length",
        "url_hyphens",
        "url_digits",
        "url_query",
        "url_root",
        "title_words",
        "image_share",
        "control_share",
        "mean_words",
        "first_long",
        "headline_chars",
        "headline_share",
        "headline_link",
        "headline_level",
        "headline_to_content",
        "content_below_headline",
        "linked_headings",
        "linked_heading_share",
        "repeated_text",
    ];
    let schema = SCHEMA_TYPES.iter().map(|s| format!("schema_{}", s.0));
    let counts = counts.into_iter().chain(CHOICE_FEATURES);
    let counts = counts.chain(RECORD_FEATURES);
    let words = PLACES.iter().flat_map(|p| KINDS.iter().map(move |k| format!("{p}_{k}")));
    schema.chain(counts.map(str::to_owned)).chain(words).collect()
}

/// Computes the features of a page from its content model's decision.
pub fn facts(view: &View<'_>, content: &Decision) -> PageFacts {
    let (dom, blocks) = (view.dom, view.blocks);
    let signs = PageSigns::new(dom);
    let url = view.url.and_then(|u| Url::parse(u).ok());
    let mut v: Vec<f32> = signs.schema.iter().map(|s| *s as u8 as f32).collect();
    v.extend((1..=4).map(|k| (signs.og_type == k) as u8 as f32));
    let elements = signs.elements.max(1) as f32;
    v.extend([
        signs.published as u8 as f32,
        crate::num::ln(signs.script_bytes as f32 + 1.0),
        elements,
        signs.articles as f32,
    ]);
    let counts = [signs.controls, signs.images, signs.paragraphs, signs.code, signs.tables, signs.links, signs.times];
    v.extend(counts.map(|c| c as f32));
    text(blocks, &mut v);
    groups(view, &mut v);
    address(url.as_ref(), &mut v);
    v.extend([
        crate::blocks::count_words(&signs.title) as f32,
        signs.images as f32 / elements,
        signs.controls as f32 / elements,
    ]);
    let words: u32 = blocks.blocks.iter().map(|b| b.words).sum();
    v.push(words as f32 / blocks.len().max(1) as f32);
    let first = blocks.blocks.iter().position(|b| b.words >= 25 && b.link_chars * 2 < b.chars);
    v.push(first.map_or(1.0, |i| i as f32 / blocks.len() as f32));
    headline(blocks, &signs.title, &content.keep, &mut v);
    repetition(blocks, &mut v);
    let words: Vec<u32> = blocks.blocks.iter().map(|b| b.words).collect();
    v.extend(choice(blocks, &content.probabilities, &words, &content.keep));
    v.extend(records::records(dom, blocks, &content.keep));
    PageFacts { values: v, words: words::words(view, url.as_ref(), &content.keep) }
}

fn text(blocks: &Blocks, v: &mut Vec<f32>) {
    let (mut words, mut chars, mut links, mut code) = (0, 0, 0, 0);
    let (mut long, mut long_words, mut longest, mut link_blocks) = (0, 0, 0, 0);
    let (mut prices, mut questions) = (0, 0);
    for (i, b) in blocks.blocks.iter().enumerate() {
        words += b.words;
        chars += b.chars;
        links += b.link_chars;
        code += b.code_chars;
        let dense = b.link_chars * 2 > b.chars;
        link_blocks += dense as u32;
        if b.words >= 20 && !dense {
            long += 1;
            long_words += b.words;
            longest = longest.max(b.words);
        }
        let text = blocks.text(i);
        let price = |c: char| matches!(c, '$' | '\u{20ac}' | '\u{a3}' | '\u{a5}' | '\u{20b9}');
        prices += (b.words < 12 && text.bytes().any(|b| b.is_ascii_digit()) && text.contains(price)) as u32;
        questions += text.ends_with('?') as u32;
    }
    let n = blocks.len().max(1) as f32;
    let tags = |f: &dyn Fn(Tag) -> bool| blocks.elements.iter().filter(|e| f(e.tag)).count() as f32;
    v.extend([words as f32, links as f32 / chars.max(1) as f32, n, long as f32, long_words as f32]);
    v.extend([long_words as f32 / words.max(1) as f32, longest as f32, link_blocks as f32 / n]);
    v.extend([tags(&|t| t.heading_level().is_some()), tags(&|t| t == Tag::H1)]);
    v.extend([
        prices as f32,
        prices as f32 / n,
        questions as f32,
        code as f32 / chars.max(1) as f32,
        tags(&|t| t == Tag::LI),
    ]);
}

/// Adds the columns about the headline: the longest block whose text occurs in the title. A detail page has one above its content.
fn headline(blocks: &Blocks, title: &str, kept: &[bool], v: &mut Vec<f32>) {
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let title: String = folded(title).chars().take(MAX_TITLE).collect();
    let level = |i: usize| heading_of(&blocks.elements, blocks.blocks[i].container as usize);
    let mut best: Option<usize> = None;
    // A text with a byte that the title does not have is not part of it.
    let mut has = [false; 256];
    title.bytes().for_each(|b| has[usize::from(b)] = true);
    let may_hold = |text: &str| text.bytes().all(|b| !b.is_ascii_graphic() || has[usize::from(b.to_ascii_lowercase())]);
    for (i, b) in blocks.blocks.iter().enumerate().filter(|(_, b)| b.words >= 2 && b.chars as usize <= title.len()) {
        let better = best.is_none_or(|at| {
            let longest = blocks.blocks[at].chars;
            b.chars > longest || (b.chars == longest && level(i) > 0 && level(at) == 0)
        });
        if better && may_hold(blocks.text(i)) && title.contains(&folded(blocks.text(i))) {
            best = Some(i);
        }
    }
    let Some(at) = best else {
        v.extend([0.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
        return;
    };
    let b = &blocks.blocks[at];
    let words =
        |from: usize| -> f32 { (from..blocks.len()).filter(|&i| kept[i]).map(|i| blocks.blocks[i].words as f32).sum() };
    let next = kept[at + 1..].iter().take(NEAR_HEADLINE).position(|k| *k);
    v.extend([
        b.chars as f32,
        b.chars as f32 / title.chars().count().max(1) as f32,
        b.link_chars as f32 / b.chars.max(1) as f32,
        f32::from(level(at)),
        next.map_or(-1.0, |n| n as f32),
        words(at) / words(0).max(1.0),
    ]);
}

/// Adds the columns about entries of a list: headings that are links, and short texts that recur.
fn repetition(blocks: &Blocks, v: &mut Vec<f32>) {
    let (mut linked, mut headings) = (0.0f32, 0.0f32);
    let mut texts: HashMap<&str, u32> = HashMap::default();
    for (i, b) in blocks.blocks.iter().enumerate() {
        if heading_of(&blocks.elements, b.container as usize) > 0 {
            headings += 1.0;
            linked += (b.link_chars * 2 > b.chars) as u8 as f32;
        }
        if b.words < SHORT {
            *texts.entry(blocks.text(i)).or_default() += 1;
        }
    }
    v.extend([linked, linked / headings.max(1.0), texts.into_values().max().unwrap_or(0) as f32]);
}

/// Adds the columns about the largest group of links with the same tags around them whose texts may be titles.
fn groups(view: &View<'_>, v: &mut Vec<f32>) {
    let (dom, blocks) = (view.dom, view.blocks);
    let mut path: Vec<u32> = Vec::with_capacity(blocks.elements.len());
    let mut groups: HashMap<u32, (f32, f32, f32)> = HashMap::default();
    let mut all = 0.0f32;
    for (i, e) in blocks.elements.iter().enumerate() {
        let above = if i == 0 { FNV } else { path[e.parent as usize] };
        path.push(if crate::list::table::inline(e.tag) { above } else { fnv(above, e.tag.0 as u32) });
        if e.tag == Tag::A && dom.attr(e.node, "href").is_some() {
            all += 1.0;
            let chars: u32 = e.blocks.clone().map(|b| blocks.blocks[b as usize].chars).sum();
            let own = if e.blocks.is_empty() { 0.0 } else { (chars as f32).min(200.0) };
            let above: u32 = blocks.elements[e.parent as usize]
                .blocks
                .clone()
                .map(|b| blocks.blocks[b as usize].chars)
                .take(20)
                .sum();
            let g = groups.entry(path[i]).or_default();
            *g = (g.0 + 1.0, g.1 + own, g.2 + (above as f32).min(2000.0));
        }
    }
    let mut sorted: Vec<(f32, f32, f32)> = groups.into_values().filter(|g| g.1 / g.0 >= 15.0).collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.total_cmp(&a.0)).then(b.2.total_cmp(&a.2)));
    let (n, own, above) = sorted.first().copied().unwrap_or_default();
    v.extend([n, n / all.max(1.0), own / n.max(1.0), above / n.max(1.0)]);
}

fn address(url: Option<&Url>, v: &mut Vec<f32>) {
    let Some(url) = url else {
        v.extend([-1.0; 6]);
        return;
    };
    let path = url.path();
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    let count = |f: &dyn Fn(char) -> bool| path.chars().filter(|c| f(*c)).count() as f32;
    let depth = segments.len() as f32;
    v.extend([depth, path.len() as f32, count(&|c| c == '-'), count(&|c| c.is_ascii_digit())]);
    v.extend([url.query().is_some() as u8 as f32, segments.is_empty() as u8 as f32]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify(html: &str, url: &str) -> PageType {
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        PageTyper::shipped().unwrap().classify(&View { source: html, dom: &dom, blocks: &blocks, url: Some(url) })
    }

    #[test]
    fn every_column_has_a_name() {
        let dom = crate::dom::parse("<p>a", &Default::default());
        let blocks = Blocks::new(&dom);
        let content = Learned::shipped().unwrap().decide(&dom, &blocks);
        let f = facts(&View { source: "", dom: &dom, blocks: &blocks, url: None }, &content);
        assert_eq!(f.values.len() + PLACES.len() * KINDS.len(), names().len());
    }

    fn columns(html: &str) -> impl Fn(&str) -> f32 + use<> {
        let dom = crate::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let keep = (0..blocks.len()).map(|i| blocks.text(i).contains("kept")).collect();
        let content = Decision { probabilities: vec![0.5; blocks.len()], keep, confidence: 0.5 };
        let f = facts(&View { source: html, dom: &dom, blocks: &blocks, url: None }, &content);
        move |name| f.values[names().iter().position(|n| n == name).unwrap()]
    }

    #[test]
    fn a_headline_occurs_in_the_title_and_above_the_content() {
        let value = columns(
            "<title>The herons are back - A walk a day</title><p>A walk a day<p>The herons<h1>The  herons are\nback</h1><p>10 May\
             <p>This is kept.<p>So is this, kept.<p>No more.",
        );
        let of = ["headline_chars", "headline_link", "headline_level", "headline_to_content", "content_below_headline"];
        assert_eq!(of.map(&value), [19.0, 0.0, 1.0, 1.0, 1.0]);
        assert!((value("headline_share") - 19.0 / 34.0).abs() < 1e-6);
        let value = columns("<title>News</title><p>News of today, kept.<h2>More</h2>");
        assert_eq!(of.map(&value), [0.0, 0.0, 0.0, -1.0, 0.0]);
    }

    #[test]
    fn repeated_entries_are_counted() {
        let entry = "<h2><a href=/1>A title</a></h2><p>And a text of more than a few words.<p><a href=/1>Read more</a>";
        let value = columns(&format!("<h1>News</h1>{}", entry.repeat(3)));
        assert_eq!(["linked_headings", "linked_heading_share", "repeated_text"].map(value), [3.0, 0.75, 3.0]);
    }

    #[test]
    fn articles_and_shops_are_distinguished() {
        let body = "<p>The council met on Monday evening, and after three hours of debate it voted for the new bridge over the river.</p>";
        let article = format!(
            "<title>Council votes for bridge</title><meta property=og:type content=article><article><h1>Council votes for bridge</h1>{}\
             </article>",
            body.repeat(12)
        );
        let a = classify(&article, "https://example.org/2024/05/council-votes-for-bridge");
        assert_eq!(a.page_type, "article", "{a:?}");
        assert!((a.probabilities.values().sum::<f32>() - 1.0).abs() < 1e-4);
        let card = |i: u32| {
            format!(
                "<li class=product-card><a href='/products/lamp-{i}'><img src=/{i}.jpg><h3>Reading lamp number {i}</h3></a>\
                     <span class=price>${i}9.00</span><button>Add to cart</button></li>"
            )
        };
        let shop: String = (1..40).map(card).collect();
        let html = format!("<title>Lamps</title><h1>Lamps</h1><ul class='product-grid collection'>{shop}</ul>");
        let s = classify(&html, "https://example.org/collections/lamps");
        assert!(s.list > 0.5, "{s:?}");
    }
}
