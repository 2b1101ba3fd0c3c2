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
pub use words::{PLACES, Words};

use maintext_page::blocks::{Blocks, Element};
use maintext_page::dom::Tag;
use maintext_page::hash::{FNV, HashMap, fnv};
use maintext_page::signs::{PageSigns, SCHEMA_TYPES};
use maintext_reading::choice::Choice;
use maintext_reading::features::tokens::{HashIndex, KINDS, Table, evidence};
use maintext_reading::features::{Column, heading_of};
use maintext_reading::method::View;
use maintext_reading::model::confidence::choice;
use maintext_reading::model::forest::{sigmoid, softmax};
use maintext_reading::model::shipped::shipped;
use maintext_reading::model::{Learned, ModelError, Pack};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use url::Url;

/// The purpose stated in the model file.
pub const KIND: &str = "page-type";

/// Maximum number of characters of the page's title in which headlines are sought.
const MAX_TITLE_CHARS: usize = 400;
/// Maximum number of blocks between a headline and its content.
const MAX_BLOCKS_TO_CONTENT: usize = 50;

/// A block with fewer words is a label.
const MIN_TEXT_WORDS: u32 = 8;

/// The type of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageType {
    /// The most probable kind; `None` of a page without text, of which it would be a guess.
    pub page_type: Option<&'static str>,
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
        let list = (probabilities.get("listing").copied().unwrap_or(0.0)
            + probabilities.get("collection").copied().unwrap_or(0.0)
            + list)
            / 2.0;
        PageType { page_type: Some(KINDS[best]), list, probabilities }
    }

    /// Returns the most probable kind among lists, or among other pages.
    pub fn among(&self, lists: bool) -> &'static str {
        let best = KINDS.into_iter().filter(|k| matches!(*k, "listing" | "collection") == lists).max_by(|a, b| {
            self.probabilities
                .get(a)
                .copied()
                .unwrap_or(0.0)
                .total_cmp(&self.probabilities.get(b).copied().unwrap_or(0.0))
        });
        best.unwrap_or(KINDS[0])
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
        let scores = WordScores::new(&std::mem::take(&mut pack.tables));
        let names = names();
        let places = pack.places(&names)?;
        let linear = Linear::from_numbers(&pack.numbers, names.len(), KINDS.len()).ok_or(ModelError::Damaged)?;
        Ok(PageTyper { pack, content: Learned::shipped()?, scores, places, linear })
    }

    shipped!(PageTyper, page_type, KIND);

    /// Returns the type of a page.
    pub fn classify(&self, view: &View<'_>) -> PageType {
        self.judge(&facts(view, &self.content.decide(view.dom, view.blocks)))
    }

    /// Returns the type of a page whose blocks the shipped content model has judged with [`Favor::Balance`](maintext_reading::Favor::Balance).
    pub fn classify_judged(&self, view: &View<'_>, content: &Choice) -> PageType {
        self.judge(&facts(view, content))
    }

    /// Returns the type of a page with these features.
    pub fn judge(&self, facts: &PageFacts) -> PageType {
        let mut values = facts.values.clone();
        values.extend(self.scores.of(&facts.words));
        let row: Vec<f32> = self.places.iter().map(|place| values[*place]).collect();
        let mut forests = [0.0; KINDS.len()];
        forests.iter_mut().zip(&self.pack.forests).for_each(|(p, f)| *p = f.score(|c| row[c]));
        let list = self.pack.forests.get(KINDS.len()).map_or(0.0, |f| f.score(|c| row[c]));
        PageType::new(together(forests, &self.linear.scores(&values)), sigmoid(list))
    }
}

/// Combines the scores of forests and linear model into probabilities: the softmax of their mean.
pub fn together(forests: [f32; KINDS.len()], linear: &[f32]) -> [f32; KINDS.len()] {
    let mut p = forests;
    p.iter_mut().zip(linear).for_each(|(p, l)| *p = (*p + l) / 2.0);
    softmax(p)
}

/// The log-odds of words by kind.
#[derive(Clone, Debug)]
pub struct WordScores {
    index: HashIndex,
    scores: Vec<[f32; KINDS.len()]>,
}

impl WordScores {
    /// Merges the tables of all kinds, in the order of [`KINDS`].
    pub fn new(tables: &[Table<f32>]) -> WordScores {
        let mut hashes: Vec<u32> = tables.iter().flat_map(|t| t.0.iter().map(|e| e.0)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let index = HashIndex::new(hashes.iter().copied());
        let mut scores = vec![[0.0; KINDS.len()]; hashes.len()];
        for (k, table) in tables.iter().enumerate() {
            table.0.iter().for_each(|(h, score)| scores[index.get(*h) as usize][k] = *score);
        }
        WordScores { index, scores }
    }

    /// Returns for each place in turn the evidence of the words there for each kind.
    pub fn of(&self, words: &Words) -> Vec<f32> {
        words
            .iter()
            .flat_map(|words| {
                evidence(words.iter().filter_map(|h| self.scores.get(self.index.get(*h) as usize).copied()))
            })
            .collect()
    }
}

/// Returns the names of the columns: the values of [`PageFacts::values`], then one per place and kind.
pub fn names() -> Vec<String> {
    let dom = maintext_page::dom::parse("", &Default::default());
    let view = View { source: "", dom: &dom, blocks: &Blocks::new(&dom), url: None };
    let schema = SCHEMA_TYPES.iter().map(|s| format!("schema_{}", s.0));
    let own = columns(&view, None, &PageSigns::new(&dom), &Choice::default());
    let words = PLACES.iter().flat_map(|p| KINDS.iter().map(move |k| format!("{p}_{k}")));
    schema.chain(own.into_iter().map(|column| column.0.to_owned())).chain(words).collect()
}

/// Computes the features of a page from its content model's choice.
pub fn facts(view: &View<'_>, content: &Choice) -> PageFacts {
    let signs = view.blocks.signs(view.dom);
    let url = view.url.and_then(|u| Url::parse(u).ok());
    let schema = signs.schema.iter().map(|s| *s as u8 as f32);
    let own = columns(view, url.as_ref(), signs, content);
    let values = schema.chain(own.into_iter().map(|column| column.1)).collect();
    PageFacts { values, words: words::words(view, url.as_ref(), signs, content.kept()) }
}

fn columns(view: &View<'_>, url: Option<&Url>, signs: &PageSigns, content: &Choice) -> Vec<Column> {
    let (dom, blocks) = (view.dom, view.blocks);
    let elements = signs.elements.max(1) as f32;
    let mut out = vec![
        ("og_article", (signs.og_type == 1) as u8 as f32),
        ("og_product", (signs.og_type == 2) as u8 as f32),
        ("og_website", (signs.og_type == 3) as u8 as f32),
        ("og_other", (signs.og_type == 4) as u8 as f32),
        ("published", signs.published as u8 as f32),
        ("script_bytes", maintext_page::num::ln(signs.script_bytes as f32 + 1.0)),
        ("elements", elements),
    ];
    out.extend(signs.counts());
    out.extend(text(blocks));
    out.extend(groups(view));
    out.extend(address(url));
    let words: Vec<u32> = blocks.blocks.iter().map(|b| b.words).collect();
    let first = blocks.blocks.iter().position(|b| b.words >= 25 && b.link_chars * 2 < b.chars);
    out.extend([
        ("title_words", maintext_page::blocks::count_words(&signs.title) as f32),
        ("image_share", signs.images as f32 / elements),
        ("control_share", signs.controls as f32 / elements),
        ("mean_words", words.iter().sum::<u32>() as f32 / blocks.len().max(1) as f32),
        ("first_long", first.map_or(1.0, |i| i as f32 / blocks.len() as f32)),
    ]);
    out.extend(headline(blocks, &signs.title, content.kept()));
    out.extend(repetition(blocks));
    out.extend(choice(blocks, content.scores(), &words, content.kept()));
    out.extend(records::records(dom, blocks, content.kept()));
    out
}

fn text(blocks: &Blocks) -> [Column; 15] {
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
        prices += (b.words < 12
            && text.bytes().any(|b| b.is_ascii_digit())
            && text.contains(['$', '\u{20ac}', '\u{a3}', '\u{a5}', '\u{20b9}'])) as u32;
        questions += text.ends_with('?') as u32;
    }
    let n = blocks.len().max(1) as f32;
    [
        ("words", words as f32),
        ("link_density", links as f32 / chars.max(1) as f32),
        ("blocks", n),
        ("long_blocks", long as f32),
        ("long_words", long_words as f32),
        ("long_share", long_words as f32 / words.max(1) as f32),
        ("longest", longest as f32),
        ("link_blocks", link_blocks as f32 / n),
        ("headings", count_tags(blocks, |t| t.heading_level().is_some())),
        ("h1", count_tags(blocks, |t| t == Tag::H1)),
        ("prices", prices as f32),
        ("price_share", prices as f32 / n),
        ("questions", questions as f32),
        ("code_chars", code as f32 / chars.max(1) as f32),
        ("list_items", count_tags(blocks, |t| t == Tag::LI)),
    ]
}

fn count_tags(blocks: &Blocks, f: impl Fn(Tag) -> bool) -> f32 {
    blocks.elements.iter().filter(|e| f(e.tag)).count() as f32
}

/// Returns the columns about the headline: the longest block whose text occurs in the title. A detail page has one above its content.
fn headline(blocks: &Blocks, title: &str, kept: &[bool]) -> [Column; 6] {
    let title: String = folded(title).chars().take(MAX_TITLE_CHARS).collect();
    let mut best: Option<usize> = None;
    // A text with a byte that the title does not have is not part of it.
    let mut has = [false; 256];
    title.bytes().for_each(|b| has[usize::from(b)] = true);
    for (i, b) in blocks.blocks.iter().enumerate().filter(|(_, b)| b.words >= 2 && b.chars as usize <= title.len()) {
        let better = best.is_none_or(|at| {
            let longest = blocks.blocks[at].chars;
            b.chars > longest
                || (b.chars == longest && heading_level_at(blocks, i) > 0 && heading_level_at(blocks, at) == 0)
        });
        let text = blocks.text(i);
        let mut bytes = text.bytes().filter(u8::is_ascii_graphic);
        if better && bytes.all(|b| has[usize::from(b.to_ascii_lowercase())]) && title.contains(&folded(text)) {
            best = Some(i);
        }
    }
    let [chars, share, link, level, below] = best.map_or([0.0; 5], |at| {
        let b = &blocks.blocks[at];
        [
            b.chars as f32,
            b.chars as f32 / title.chars().count().max(1) as f32,
            b.link_chars as f32 / b.chars.max(1) as f32,
            f32::from(heading_level_at(blocks, at)),
            kept_words_from(blocks, kept, at) / kept_words_from(blocks, kept, 0).max(1.0),
        ]
    });
    let to_content = best.and_then(|at| kept[at + 1..].iter().take(MAX_BLOCKS_TO_CONTENT).position(|k| *k));
    [
        ("headline_chars", chars),
        ("headline_share", share),
        ("headline_link", link),
        ("headline_level", level),
        ("headline_to_content", to_content.map_or(-1.0, |n| n as f32)),
        ("content_below_headline", below),
    ]
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn heading_level_at(blocks: &Blocks, i: usize) -> u8 {
    heading_of(&blocks.elements, blocks.blocks[i].container as usize)
}

fn kept_words_from(blocks: &Blocks, kept: &[bool], from: usize) -> f32 {
    (from..blocks.len()).filter(|&i| kept[i]).map(|i| blocks.blocks[i].words as f32).sum()
}

/// Returns the columns about entries of a list: headings that are links, and short texts that recur.
fn repetition(blocks: &Blocks) -> [Column; 3] {
    let (mut linked, mut headings) = (0.0f32, 0.0f32);
    let mut texts: HashMap<&str, u32> = HashMap::default();
    for (i, b) in blocks.blocks.iter().enumerate() {
        if heading_of(&blocks.elements, b.container as usize) > 0 {
            headings += 1.0;
            linked += (b.link_chars * 2 > b.chars) as u8 as f32;
        }
        if b.words < MIN_TEXT_WORDS {
            *texts.entry(blocks.text(i)).or_default() += 1;
        }
    }
    [
        ("linked_headings", linked),
        ("linked_heading_share", linked / headings.max(1.0)),
        ("repeated_text", texts.into_values().max().unwrap_or(0) as f32),
    ]
}

/// Returns the columns about the largest group of links with the same tags around them whose texts may be titles.
fn groups(view: &View<'_>) -> [Column; 4] {
    let (dom, blocks) = (view.dom, view.blocks);
    let mut path: Vec<u32> = Vec::with_capacity(blocks.elements.len());
    let mut groups: HashMap<u32, (f32, f32, f32)> = HashMap::default();
    let mut all = 0.0f32;
    for (i, e) in blocks.elements.iter().enumerate() {
        let above = if i == 0 { FNV } else { path[e.parent as usize] };
        path.push(if crate::list::table::inline(e.tag) { above } else { fnv(above, e.tag.0 as u32) });
        if e.tag == Tag::A && dom.attr(e.node, "href").is_some() {
            all += 1.0;
            let (own, above) =
                (first_chars(blocks, e, usize::MAX), first_chars(blocks, &blocks.elements[e.parent as usize], 20));
            let g = groups.entry(path[i]).or_default();
            *g = (g.0 + 1.0, g.1 + own.min(200.0), g.2 + above.min(2000.0));
        }
    }
    let mut sorted: Vec<(f32, f32, f32)> = groups.into_values().filter(|g| g.1 / g.0 >= 15.0).collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.total_cmp(&a.0)).then(b.2.total_cmp(&a.2)));
    let (n, own, above) = sorted.first().copied().unwrap_or_default();
    [
        ("group_links", n),
        ("group_share", n / all.max(1.0)),
        ("group_chars", own / n.max(1.0)),
        ("group_text", above / n.max(1.0)),
    ]
}

fn first_chars(blocks: &Blocks, e: &Element, most: usize) -> f32 {
    e.blocks.clone().take(most).map(|b| blocks.blocks[b as usize].chars).sum::<u32>() as f32
}

fn address(url: Option<&Url>) -> [Column; 6] {
    let [depth, length, hyphens, digits, query, root] = url.map_or([-1.0; 6], |url| {
        [
            segments(url) as f32,
            url.path().len() as f32,
            url.path().matches('-').count() as f32,
            url.path().matches(|c: char| c.is_ascii_digit()).count() as f32,
            url.query().is_some() as u8 as f32,
            (segments(url) == 0) as u8 as f32,
        ]
    });
    [
        ("url_depth", depth),
        ("url_length", length),
        ("url_hyphens", hyphens),
        ("url_digits", digits),
        ("url_query", query),
        ("url_root", root),
    ]
}

fn segments(url: &Url) -> usize {
    url.path().split('/').filter(|s| !s.is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classify(html: &str, url: &str) -> PageType {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        PageTyper::shipped().unwrap().classify(&View { source: html, dom: &dom, blocks: &blocks, url: Some(url) })
    }

    #[test]
    fn every_column_has_a_name() {
        let dom = maintext_page::dom::parse("<p>a", &Default::default());
        let blocks = Blocks::new(&dom);
        let content = Learned::shipped().unwrap().decide(&dom, &blocks);
        let f = facts(&View { source: "", dom: &dom, blocks: &blocks, url: None }, &content);
        assert_eq!(f.values.len() + PLACES.len() * KINDS.len(), names().len());
    }

    fn columns(html: &str) -> impl Fn(&str) -> f32 + use<> {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let blocks = Blocks::new(&dom);
        let keep = (0..blocks.len()).map(|i| blocks.text(i).contains("kept")).collect();
        let content = Choice::new(vec![0.5; blocks.len()], None, keep);
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
        assert_eq!(a.page_type, Some("article"), "{a:?}");
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
