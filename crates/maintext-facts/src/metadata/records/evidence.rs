//! The evidence for the kind of a group of records: named numbers, and hashes of the class names and labels around the records.
use super::{Group, Record};
use crate::metadata::ranking::rank::{SEED, hash};
use crate::metadata::text::names::looks_like_name;
use crate::metadata::text::{cap, node_text, tokens};
use maintext_html::Attr;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashSet;
use maintext_page::lexicon::lexicon;
use maintext_reading::choice::Choice;
use std::ops::Range;

/// Maximum number of records of a group that are examined; the rest are alike.
const MAX_RECORDS: usize = 60;
/// Number of elements around the records whose names count.
const MAX_NAMED_ANCESTORS: usize = 4;
/// Number of blocks before the records that may be their heading.
const MAX_BLOCKS_TO_HEADING: u32 = 8;
/// Longest heading or button, in characters.
const MAX_LABEL_CHARS: usize = 60;
/// Maximum number of bytes of a class or id, and of lines of one record, that are read.
const MAX_NAME_BYTES: usize = 200;
const MAX_LINES: usize = 60;
/// Maximum number of elements of one record that are examined.
const MAX_ELEMENTS: usize = 200;

/// The names of [`Evidence::values`].
pub const NAMES: &[&str] = lexicon!("record-evidence.txt");

/// Beginnings of words for readers' comments, in lower case.
pub(super) const COMMENTS: &[&str] = lexicon!("comments.txt");

/// Returns whether a word of a text begins as words for comments do.
pub fn names_comments(text: &str) -> bool {
    begins(text, COMMENTS)
}

/// Beginnings of labels of reply buttons, in lower case.
pub(super) const REPLY: &[&str] = lexicon!("reply-buttons.txt");

/// The evidence about a group of records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Numbers in the order of `NAMES`.
    pub values: Vec<f32>,
    /// Hashes of class names, headings, buttons and declared types, sorted.
    pub tokens: Vec<u32>,
}

/// Counts of words in some blocks: all, kept, and weighted by probability.
#[derive(Clone, Copy, Default)]
struct Words {
    all: f32,
    kept: f32,
    likely: f32,
}

impl Words {
    fn probability(self) -> f32 {
        self.likely / self.all.max(1.0)
    }
}

/// Whether an address leads to a place on the page with this path.
fn is_place_on(page: Option<&str>, address: &str) -> bool {
    address.starts_with('#')
        || address.contains('#') && url::Url::parse(address).ok().as_ref().map(|url| url.path()) == page
}

/// Whether an element's class or id has a word for comments.
fn has_name_of_comments(dom: &Dom, n: NodeId) -> bool {
    let values = [Attr::CLASS, Attr::ID].into_iter().filter_map(|a| dom.attribute(n, a));
    values.into_iter().any(|v| begins(cap(v, MAX_NAME_BYTES), COMMENTS))
}

/// Adds hashes of the names of an element: its tag, its classes, its types. Their place is hashed with them.
fn push_names(dom: &Dom, place: &str, n: NodeId, out: &mut Vec<u32>) {
    let seed = hash(SEED, place);
    for name in [Attr::CLASS, Attr::ID, Attr::ITEMPROP, Attr::ITEMTYPE, Attr::ROLE] {
        if let Some(value) = dom.attribute(n, name) {
            tokens(value, |t| out.push(hash(seed, t) as u32));
        }
    }
    out.push(hash(hash(seed, "<"), dom.tag_name(n)) as u32);
}

fn share(part: f32, whole: f32) -> f32 {
    part / whole.max(1.0)
}

fn log(x: f32) -> f32 {
    maintext_page::num::ln(1.0 + x)
}

impl Group<'_, '_> {
    fn count(&self, choice: &Choice, blocks: Range<u32>) -> Words {
        let mut out = Words::default();
        for b in blocks.start as usize..(blocks.end as usize).min(self.facts.blocks.len()) {
            let n = self.facts.blocks.blocks[b].words as f32;
            out.all += n;
            out.kept += if choice.keeps(b) { n } else { 0.0 };
            out.likely += n * choice.likelihood(b);
        }
        out
    }

    /// Returns the evidence about the group with these records; `trust` is the confidence that its authors were found.
    pub(super) fn evidence(&self, records: &[Record], trust: f32, choice: &Choice, vague: bool) -> Evidence {
        let blocks = self.facts.blocks;
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return Evidence::default() };
        let n = records.len() as f32;
        let (start, end) = (first.blocks.start, last.blocks.end);
        let page = self.count(choice, 0..blocks.len() as u32);
        let before = self.count(choice, 0..start);
        let after = self.count(choice, end..blocks.len() as u32);
        let own: Vec<Words> = records.iter().map(|r| self.count(choice, r.blocks.clone())).collect();
        let all: f32 = own.iter().map(|w| w.all).sum();
        let kept: f32 = own.iter().map(|w| w.kept).sum();
        let likely: f32 = own.iter().map(|w| w.likely).sum();
        let mut sizes: Vec<f32> = own.iter().map(|w| w.all).collect();
        sizes.sort_by(f32::total_cmp);
        let mean = all / n;
        let spread = (sizes.iter().map(|s| (s - mean).powi(2)).sum::<f32>() / n).sqrt() / mean.max(1.0);
        let mut values = vec![
            log(n),
            log(all),
            log(mean),
            log(sizes[sizes.len() / 2]),
            spread,
            share(all, page.all),
            share(kept, all),
            share(kept, page.kept),
            likely / all.max(1.0),
            own.first().map_or(0.0, |w| w.probability()),
            own.last().map_or(0.0, |w| w.probability()),
            before.likely / before.all.max(1.0),
            log(before.kept),
            log(after.kept),
            share(after.kept, page.kept),
            share(own.first().map_or(0.0, |w| w.all), all),
            trust,
        ];
        self.fields(records, &mut values);
        self.dates(vague, &mut values);
        self.markup(records, &mut values);
        self.place(start, end, choice, &mut values);
        self.words_of_comments(start, &mut values);
        let mut tokens = self.names(start);
        tokens.sort_unstable();
        tokens.dedup();
        Evidence { values, tokens }
    }

    /// Adds the columns about authors and addresses.
    fn fields(&self, records: &[Record], values: &mut Vec<f32>) {
        let n = records.len() as f32;
        let named = records.iter().filter_map(|r| r.author.as_deref());
        let authors: HashSet<&str> = named.clone().collect();
        let page = self.facts.url.as_ref().map(|u| u.path());
        let addressed = records.iter().filter_map(|r| r.url.as_deref());
        let addresses: HashSet<&str> = addressed.clone().collect();
        let own_places = addressed.clone().filter(|address| is_place_on(page, address)).count();
        let addressed = addressed.count();
        values.extend([
            authors.len() as f32 / n,
            records.iter().filter(|r| r.author_url.is_some()).count() as f32 / n,
            named.clone().filter(|name| looks_like_name(name)).count() as f32 / n,
            named.filter(|name| name.contains(|c: char| c.is_ascii_digit())).count() as f32 / n,
            own_places as f32 / n,
            (addressed - own_places) as f32 / n,
            share((addressed - addresses.len()) as f32, addressed as f32),
            self.leads_away() as f32 / n,
        ]);
    }

    fn dates(&self, vague: bool, values: &mut Vec<f32>) {
        let n = self.cuts.len() as f32;
        let (mut links, mut chars, mut linked, mut images) = (0, 0, 0, 0);
        let blocks = self.facts.blocks;
        for c in self.cuts.iter().take(MAX_RECORDS) {
            for b in &blocks.blocks[c.blocks.start as usize..(c.blocks.end as usize).min(blocks.len())] {
                links += b.links;
                chars += b.chars;
                linked += b.link_chars;
            }
            images += blocks.media.partition_point(|m| m.position < c.blocks.end)
                - blocks.media.partition_point(|m| m.position < c.blocks.start);
        }
        let looked_at = n.min(MAX_RECORDS as f32);
        let stamps: Vec<_> = self.cuts.iter().filter_map(|c| c.anchor.stamp).collect();
        let timed = stamps.iter().filter(|s| s.time.is_some()).count() as f32;
        let days = stamps.iter().map(|s| s.date).min().zip(stamps.iter().map(|s| s.date).max());
        let span = days.and_then(|(a, b)| a.until(b).ok()).map_or(0.0, |s| s.get_days() as f32);
        values.extend([
            share(linked as f32, chars as f32),
            log(links as f32 / looked_at),
            images as f32 / looked_at,
            vague as u8 as f32,
            self.order(),
            timed / n,
            log(span),
        ]);
    }

    fn markup(&self, records: &[Record], values: &mut Vec<f32>) {
        let n = self.cuts.len() as f32;
        let deepest = records.iter().map(|r| r.depth).max().unwrap_or(0) as f32;
        let answers = records.iter().filter(|r| r.depth > 0).count() as f32 / n;
        values.extend([
            deepest,
            answers,
            self.share_within(&[Tag::BLOCKQUOTE]),
            self.share_within(&[Tag::FIGURE, Tag::FIGCAPTION]),
            self.share_within(&[Tag::ARTICLE]),
            self.share_within(&[Tag::LI]),
            self.cuts.iter().filter(|c| c.anchor.signed).count() as f32 / n,
        ]);
    }

    /// Returns the share of the records whose date is in an element of one of these tags.
    fn share_within(&self, tags: &[Tag]) -> f32 {
        let blocks = self.facts.blocks;
        let within = self
            .cuts
            .iter()
            .filter(|c| blocks.element_chain(c.anchor.element).take(6).any(|e| tags.contains(&blocks.elements[e].tag)));
        within.count() as f32 / self.cuts.len() as f32
    }

    /// Adds the columns about the group's position on the page.
    fn place(&self, start: u32, end: u32, choice: &Choice, values: &mut Vec<f32>) {
        let facts = self.facts;
        let blocks = facts.blocks;
        let mut forms = 0;
        let mut form_after = false;
        for e in blocks.elements.iter().filter(|e| e.tag == Tag::FORM) {
            let writes = facts.dom.descendants(e.node).take(MAX_ELEMENTS).any(|n| facts.dom.tag(n) == Tag::TEXTAREA);
            forms += writes as u32;
            form_after |= writes && e.blocks.start >= start;
        }
        let headline = blocks.elements.iter().find(|e| e.tag == Tag::H1 && !e.blocks.is_empty());
        let headline = headline.map(|e| e.blocks.start);
        let kept_before = (0..start as usize).rev().find(|&b| choice.keeps(b));
        let distance = kept_before.map_or(200.0, |b| (start as usize - b) as f32);
        let empty = self.cuts.iter().filter(|c| self.word_counts(&c.blocks).2 == 0).count();
        let article = facts.meta(&["og:type"]).is_some_and(|t| t.starts_with("article"));
        values.extend([
            form_after as u8 as f32,
            forms as f32,
            headline.is_some_and(|b| b >= start && b < end) as u8 as f32,
            headline.is_some_and(|b| b < start) as u8 as f32,
            log(distance),
            empty as f32 / self.cuts.len() as f32,
            start as f32 / blocks.len().max(1) as f32,
            article as u8 as f32,
        ]);
    }

    /// Adds whether headings, element names and buttons mention comments.
    fn words_of_comments(&self, start: u32, values: &mut Vec<f32>) {
        let (dom, blocks) = (self.facts.dom, self.facts.blocks);
        let labels =
            (start.saturating_sub(MAX_BLOCKS_TO_HEADING)..start).filter(|b| blocks.blocks[*b as usize].words <= 8);
        let headings = labels.filter(|b| names_comments(blocks.text(*b as usize))).count();
        let cuts = &self.cuts[..self.cuts.len().min(MAX_RECORDS)];
        let n = cuts.len().max(1) as f32;
        let named = cuts.iter().filter(|c| {
            let node = blocks.elements[c.elements.start].node;
            let mut around = std::iter::once(node).chain(dom.ancestors(node).take(MAX_NAMED_ANCESTORS));
            around.any(|n| has_name_of_comments(dom, n))
        });
        let replies = cuts.iter().filter(|c| {
            let lines = c.blocks.clone().filter_map(|b| Some((blocks.blocks.get(b as usize)?, b as usize)));
            lines.filter(|(b, _)| b.words <= 3).take(MAX_LINES).any(|(_, i)| begins(blocks.text(i), REPLY))
        });
        values.extend([headings as f32, named.count() as f32 / n, replies.count() as f32 / n]);
    }

    /// Returns hashes of the names in and around the records, of their heading, their buttons and their declared types.
    fn names(&self, start: u32) -> Vec<u32> {
        let facts = self.facts;
        let (dom, blocks) = (facts.dom, facts.blocks);
        let mut out = Vec::new();
        for c in self.cuts.iter().take(6) {
            let own = blocks.elements[c.elements.start].node;
            push_names(dom, "own ", own, &mut out);
            for n in dom.ancestors(own).take(MAX_NAMED_ANCESTORS) {
                push_names(dom, "above ", n, &mut out);
            }
            for e in c.elements.clone().skip(1).take(40) {
                push_names(dom, "inside ", blocks.elements[e].node, &mut out);
            }
        }
        // Headings and labels before the records.
        for b in (start.saturating_sub(MAX_BLOCKS_TO_HEADING)..start).filter(|b| blocks.blocks[*b as usize].words <= 8)
        {
            let text = blocks.text(b as usize);
            // The model learned from pages in few languages, so words for comments are one word.
            let text = if names_comments(text) { "comments" } else { text };
            label("heading ", text, &mut out);
        }
        // Short texts that occur in several records.
        for c in self.cuts.iter().take(4) {
            for e in c.elements.clone().take(MAX_ELEMENTS).filter(|e| {
                let element = &blocks.elements[*e];
                element.blocks.len() <= 1 && matches!(element.tag, Tag::A | Tag::BUTTON | Tag::SPAN | Tag::INPUT)
            }) {
                let text = node_text(dom, blocks.elements[e].node, MAX_LABEL_CHARS);
                if text.chars().count() <= 24 && !looks_like_name(&text) {
                    label("button ", &text, &mut out);
                }
            }
        }
        for t in facts.graph().things.iter().filter(|t| t.depth <= 1).take(40) {
            out.push(hash(hash(SEED, "declared "), &t.kind) as u32);
        }
        for m in facts.metas.iter().filter(|m| m.key == "generator" || m.key == "og:type").take(4) {
            tokens(&m.content, |t| out.push(hash(hash(SEED, "page "), t) as u32));
        }
        if let Some(url) = &facts.url {
            tokens(url.path(), |t| out.push(hash(hash(SEED, "address "), t) as u32));
            for (name, _) in url.query_pairs().take(6) {
                tokens(&name, |t| out.push(hash(hash(SEED, "address "), t) as u32));
            }
        }
        out
    }
}

/// Returns whether a word of a text begins with one of the given beginnings.
pub(super) fn begins(text: &str, with: &[&str]) -> bool {
    if text.is_ascii() {
        let mut words = text.as_bytes().split(|b| !b.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
        return words.any(|word| {
            with.iter().any(|with| {
                // The beginnings that are ASCII are in lower case, and the first letter rules out most of them.
                word[0].to_ascii_lowercase() == with.as_bytes()[0]
                    && word.get(..with.len()).is_some_and(|w| w.eq_ignore_ascii_case(with.as_bytes()))
            })
        });
    }
    let text = text.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).any(|w| with.iter().any(|c| w.starts_with(c)))
        || with.iter().any(|c| !c.is_ascii() && text.contains(c))
}

/// Hashes the words of a short text, ignoring numbers.
fn label(prefix: &str, text: &str, out: &mut Vec<u32>) {
    let seed = hash(SEED, prefix);
    if text.chars().count() <= MAX_LABEL_CHARS {
        tokens(text, |t| out.push(hash(seed, t) as u32));
    }
}
