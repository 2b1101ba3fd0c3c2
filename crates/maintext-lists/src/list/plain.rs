//! Lists of records without links: events, jobs and results that have no pages of their own, rows of tables.
//!
//! Such a list is the content of its page: it has most of the page's characters outside of side boxes. Each record has a title, and most have
//! the same kind of fact: a date, a price, a number with the same words around it.
use super::prices::prices_in;
use super::record::EntryRecord;
use maintext_facts::metadata::text::dates::scan;
use maintext_facts::metadata::text::{cap, node_text, squeeze};
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, Tag};
use maintext_page::hash::{FNV, HashMap, HashSet, fnv};
use maintext_reading::features::sums::RunningSums;
use std::ops::Range;

/// Minimum number of records, and their minimum share of the characters outside of side boxes.
const MIN_RECORDS: usize = 5;
const MIN_SHARE: f32 = 0.5;
/// Minimum shares of the records with a title and with the same kind of fact.
const MIN_TITLED: f32 = 0.9;
const MIN_FACTS: f32 = 0.7;
/// Maximum share of the records that link to pages of their own.
const MAX_LINKED: f32 = 0.2;
/// A label in this many records is a button.
const MIN_REPEATED: usize = 3;
/// Maximum numbers of bytes of a title and of a fact.
const MAX_TITLE: usize = 150;
const MAX_FACT: usize = 60;
/// Maximum number of characters of half of the records, and of records that are not elements of their own: longer ones are sections of a
/// text.
const MAX_CHARS: u32 = 700;
const MAX_FLAT_CHARS: u32 = 350;
/// Maximum number of elements of a record that are examined.
const MAX_ELEMENTS: usize = 300;
/// Maximum number of texts of a record that are read.
const MAX_TEXTS: usize = 30;
/// Minimum number of letters of a title.
const MIN_LETTERS: usize = 3;
/// Minimum number of cells of a row: a row of two is a name and its value.
const MIN_CELLS: usize = 3;
/// Maximum number of columns that are searched for the titles.
const MAX_COLUMNS: usize = 4;
/// Words in the class names of elements that answer the page, in lower case.
const ANSWERS: [&str; 6] = ["comment", "review", "reply", "post", "message", "testimonial"];

/// A record without a link.
pub(super) struct PlainRecord {
    /// Its place.
    pub place: EntryRecord,
    /// Its title.
    pub title: String,
}

/// A list of records without links.
pub(super) struct PlainList {
    /// Its records in order.
    pub records: Vec<PlainRecord>,
    /// Number of their characters.
    pub chars: u32,
}

struct PlainFinder<'a> {
    dom: &'a Dom<'a>,
    blocks: &'a Blocks,
    chars: RunningSums<u32, 1>,
}

/// Returns the list of records without links that is the content of the page.
pub(super) fn find(dom: &Dom<'_>, blocks: &Blocks, aside: &[bool]) -> Option<PlainList> {
    let chars = RunningSums::new(
        blocks.blocks.iter().map(|b| [if !b.hidden && !aside[b.element as usize] { b.chars } else { 0 }]),
    );
    let least = MIN_SHARE * chars.all()[0] as f32;
    let finder = PlainFinder { dom, blocks, chars };
    // The elements with most of the characters are a chain; the innermost one with records has the list.
    let mut at = Some(0);
    let mut found = None;
    while let Some(e) = at {
        let children = finder.children(e);
        found = finder.list(&children, least).or(found);
        at = children.into_iter().find(|c| finder.chars(c.clone()) as f32 >= least).map(|c| c.start);
    }
    found
}

impl PlainFinder<'_> {
    /// Returns the ranges of the elements that are children of an element and have text.
    fn children(&self, element: usize) -> Vec<Range<usize>> {
        let children = self.blocks.outermost(self.blocks.below(element));
        let with_text = children.filter(|e| !self.blocks.elements[*e].blocks.is_empty());
        with_text.map(|e| e..self.blocks.below(e).end).collect()
    }

    /// Returns the blocks of elements.
    fn blocks(&self, elements: &Range<usize>) -> Range<usize> {
        let first = self.blocks.elements[elements.start].blocks.start;
        let ends = self.blocks.outermost(elements.clone()).map(|e| self.blocks.elements[e].blocks.end);
        first as usize..ends.fold(first, u32::max) as usize
    }

    fn chars(&self, elements: Range<usize>) -> u32 {
        self.chars.of(self.blocks(&elements))[0]
    }

    /// Returns the tag of a child.
    fn tag(&self, child: &Range<usize>) -> Tag {
        self.blocks.elements[child.start].tag
    }

    /// Returns the list of which these elements are the records, or the titles of which are among them.
    fn list(&self, children: &[Range<usize>], least: f32) -> Option<PlainList> {
        let mut counts: HashMap<u8, usize> = HashMap::default();
        children.iter().for_each(|c| *counts.entry(self.tag(c).0).or_default() += 1);
        let (most, count) = counts.iter().map(|(tag, n)| (*tag, *n)).max_by_key(|(tag, n)| (*n, *tag))?;
        if count < MIN_RECORDS {
            return None;
        }
        let own = if Tag(most).heading_level().is_none() && Tag(most) != Tag::P {
            self.records(
                children.iter().filter(|c| self.tag(c).0 == most).cloned().collect::<Vec<_>>(),
                least,
                MAX_CHARS,
            )
        } else {
            None
        };
        own.or_else(|| {
            let level = (1..=6).find(|level| {
                children.iter().filter(|c| self.tag(c).heading_level() == Some(*level)).count() >= MIN_RECORDS
            })?;
            let heads: Vec<usize> =
                children.iter().filter(|c| self.tag(c).heading_level() == Some(level)).map(|c| c.start).collect();
            let end = children.last().map_or(0, |c| c.end);
            let ends = heads.iter().skip(1).copied().chain([end]);
            self.records(heads.iter().copied().zip(ends).map(|(a, b)| a..b).collect(), least, MAX_FLAT_CHARS)
        })
    }

    /// Returns the list of these records if they form one.
    fn records(&self, mut places: Vec<Range<usize>>, least: f32, most: u32) -> Option<PlainList> {
        let is_table = self.blocks.elements[places.first()?.start].tag == Tag::TR;
        if is_table {
            places.retain(|r| self.cells(r).filter(|e| self.blocks.elements[*e].tag == Tag::TD).count() > 1);
        }
        let mut lengths: Vec<u32> = places.iter().map(|r| self.chars(r.clone())).collect();
        let chars: u32 = lengths.iter().sum();
        lengths.sort_unstable();
        if places.len() < MIN_RECORDS || (chars as f32) < least || lengths[places.len() / 2] > most {
            return None;
        }
        if is_table && places.iter().filter(|r| self.cells(r).count() >= MIN_CELLS).count() < places.len() {
            return None;
        }
        // A record may hold most of the page, on each level of many.
        let short: Vec<Range<usize>> = places.iter().map(|r| r.start..r.end.min(r.start + MAX_ELEMENTS)).collect();
        let n = places.len() as f32;
        // The titles of a table are its first column of distinct texts.
        let columns = if is_table { MAX_COLUMNS } else { 1 };
        let mut titles = (0..columns).map(|k| short.iter().map(|r| self.title(r, is_table.then_some(k))).collect());
        let titles: Vec<Option<String>> = titles.find(|titles: &Vec<Option<String>>| {
            let distinct: HashSet<String> = titles
                .iter()
                .flatten()
                .map(|t| t.chars().filter(|c| !c.is_ascii_digit()).collect::<String>())
                .collect();
            distinct.len() as f32 >= MIN_TITLED * n
        })?;
        if self.answers(&short) || self.linked(&short) > MAX_LINKED * n {
            return None;
        }
        if self.most_facts(&short, &titles, is_table) < MIN_FACTS * n {
            return None;
        }
        let records = places.into_iter().zip(titles).filter_map(|(elements, title)| {
            let place = EntryRecord { blocks: self.blocks(&elements), elements }.capped();
            Some(PlainRecord { place, title: title? })
        });
        Some(PlainList { records: records.collect(), chars })
    }

    fn cells(&self, row: &Range<usize>) -> impl Iterator<Item = usize> {
        self.children(row.start).into_iter().map(|c| c.start)
    }

    /// Returns the title of a record: its cell in a column, or else its heading or its first text in an element of that class or in bold type.
    fn title(&self, r: &Range<usize>, column: Option<usize>) -> Option<String> {
        let elements = &self.blocks.elements;
        if let Some(column) = column {
            return self.cells(r).nth(column).and_then(|e| self.title_in(e));
        }
        let heading = r.clone().find(|e| elements[*e].tag.heading_level().is_some()).and_then(|e| self.title_in(e));
        heading
            .or_else(|| r.clone().skip(1).filter(|e| self.is_named_title(*e)).find_map(|e| self.title_in(e)))
            .or_else(|| {
                r.clone()
                    .filter(|e| matches!(elements[*e].tag, Tag::B | Tag::STRONG | Tag::DT))
                    .find_map(|e| self.title_in(e))
            })
    }

    fn title_in(&self, e: usize) -> Option<String> {
        Some(node_text(self.dom, self.blocks.elements[e].node, MAX_TITLE + 1)).filter(|s| is_title(s))
    }

    fn is_named_title(&self, e: usize) -> bool {
        let class = self.dom.attr(self.blocks.elements[e].node, "class").unwrap_or("");
        class
            .split([' ', '-', '_'])
            .any(|w| ["title", "name", "heading", "headline"].contains(&w.to_ascii_lowercase().as_str()))
    }

    /// Returns whether the records are answers to the page: comments, reviews, posts.
    fn answers(&self, places: &[Range<usize>]) -> bool {
        2 * places
            .iter()
            .filter(|r| {
                let class =
                    self.dom.attr(self.blocks.elements[r.start].node, "class").unwrap_or("").to_ascii_lowercase();
                ANSWERS.iter().any(|word| class.contains(word))
            })
            .count()
            > places.len()
    }

    /// Returns the number of records with a link to another page whose label few records have.
    fn linked(&self, places: &[Range<usize>]) -> f32 {
        let elements = &self.blocks.elements;
        let all: Vec<Vec<String>> = places
            .iter()
            .map(|r| {
                let links = r.clone().filter(|e| elements[*e].tag == Tag::A);
                let pages =
                    links.filter(|e| self.dom.attr(elements[*e].node, "href").is_some_and(|h| leads_to_page(h.trim())));
                pages.map(|e| node_text(self.dom, elements[e].node, MAX_TITLE)).collect::<Vec<String>>()
            })
            .collect();
        let mut counts: HashMap<&str, usize> = HashMap::default();
        all.iter().flatten().for_each(|label| *counts.entry(label).or_default() += 1);
        all.iter().filter(|of| of.iter().any(|label| counts[label.as_str()] < MIN_REPEATED)).count() as f32
    }

    /// Returns the number of records with the kind of fact that most have.
    fn most_facts(&self, places: &[Range<usize>], titles: &[Option<String>], is_table: bool) -> f32 {
        let mut counts: HashMap<u32, usize> = HashMap::default();
        for (r, title) in places.iter().zip(titles) {
            let mut own: Vec<u32> = Vec::new();
            for (k, text) in self.texts(r).into_iter().enumerate() {
                let has_digit = text.bytes().any(|b| b.is_ascii_digit());
                if !has_digit || text.len() > MAX_FACT || title.as_deref() == Some(text.as_str()) {
                    continue;
                }
                let words = text.bytes().filter(|b| !b.is_ascii_digit()).fold(FNV, |hash, b| fnv(hash, u32::from(b)));
                // A number without words is a fact of its column; outside of tables it may be the number of a note.
                if text.contains(char::is_alphabetic) {
                    own.push(words);
                } else if is_table {
                    own.push(fnv(words, k as u32));
                }
                own.extend((!scan::find(cap(&text, MAX_FACT), &scan::Hint::default()).is_empty()).then_some(0));
                own.extend((!prices_in(&text).is_empty()).then_some(1));
            }
            own.sort_unstable();
            own.dedup();
            own.into_iter().for_each(|fact| *counts.entry(fact).or_default() += 1);
        }
        counts.values().max().copied().unwrap_or(0) as f32
    }

    /// Returns the texts of a record: of its cells or of its text nodes.
    fn texts(&self, r: &Range<usize>) -> Vec<String> {
        let blocks = self.blocks(r);
        let leaves = blocks.flat_map(|b| self.blocks.blocks[b].leaves.clone()).take(MAX_TEXTS);
        let texts = leaves.map(|leaf| {
            let text = self.dom.text(self.blocks.leaves[leaf as usize]);
            self.dom.reads(text.len().min(MAX_TITLE));
            squeeze(cap(text, MAX_TITLE))
        });
        texts.filter(|s| !s.is_empty()).collect()
    }
}

fn leads_to_page(href: &str) -> bool {
    let scheme = href.split_once(':').map(|s| s.0).filter(|s| s.chars().all(char::is_alphanumeric));
    !href.is_empty() && !href.starts_with('#') && scheme.is_none_or(|s| s.to_ascii_lowercase().starts_with("http"))
}

fn is_title(text: &str) -> bool {
    text.len() <= MAX_TITLE
        && text.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS
        && scan::find(text, &scan::Hint::default()).is_empty()
}
