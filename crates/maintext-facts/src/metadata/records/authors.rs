//! Finds the authors' names among the short texts of records.
use super::names::{NamesAt, is_name, names_at, place_class};
use super::{Cut, Group, MIN_COVERAGE};
use crate::metadata::ranking::rank::{SEED, hash};
use crate::metadata::sources::facts::is_property;
use crate::metadata::text::dates;
use crate::metadata::text::{key, tokens};
use maintext_html::Attr;
use maintext_page::dom::Tag;
use maintext_page::hash::HashMap;
use std::cmp::Ordering;

/// Maximum number of records whose attributes are compared with names.
const MAX_RECORDS: usize = 30;
/// Maximum number of elements of a record whose attributes are read.
const MAX_ELEMENTS: usize = 300;
/// Maximum number of places compared.
const MAX_PLACES: usize = 6;
/// Bonus for a place whose names also occur in attributes.
const CONFIRMED_BONUS: f32 = 1.5;

/// Number of other words in its block from which a name counts as part of running text.
const MIN_WORDS_OF_RUNNING_TEXT: usize = 12;
/// Number of elements around a name that may make it bold.
const MAX_LEVELS_TO_BOLD: usize = 3;
/// Bonus for a bold name.
const BOLD_BONUS: f32 = 0.4;

/// The kind of element that holds the authors' names of a group.
#[derive(Clone, Copy)]
pub(super) struct NamePlace {
    kind: u64,
    /// Whether places are compared without the markup that varies between records.
    is_rough: bool,
}

impl<'a> Group<'a, '_> {
    /// Returns where the records have their authors' names, by exact or by rough kinds, and the confidence in it from 0 to 1.
    pub(super) fn author(&self, rough: bool) -> Option<(NamePlace, f32)> {
        let mut places: HashMap<u64, AuthorPlace> = HashMap::default();
        // For each class of places, the number of records that have a name there, and the last of them.
        let mut classes: HashMap<u64, (usize, usize)> = HashMap::default();
        let n = self.cuts.len();
        for (i, c) in self.cuts.iter().enumerate() {
            let left = n - i;
            let is_late = (left as f32 / n as f32) < MIN_COVERAGE;
            for (nth, e) in c.elements.clone().take(400).enumerate() {
                if is_late {
                    let seen = classes.get(&place_class(self.kind_of(e, rough))).map_or(0, |class| class.0);
                    // A place that many of the records up to here lack will be in too few of them.
                    if ((seen + left) as f32 / n as f32) < MIN_COVERAGE {
                        continue;
                    }
                }
                for (place, text, href) in self.names_of(e, rough) {
                    let class = classes.entry(place_class(place)).or_insert((0, usize::MAX));
                    if class.1 != i {
                        *class = (class.0 + 1, i);
                    }
                    let place = places.entry(place).or_insert_with(|| AuthorPlace {
                        learned: self.learned(e) + self.bold_bonus(e),
                        ..AuthorPlace::default()
                    });
                    if place.last == Some(i) {
                        continue;
                    }
                    place.last = Some(i);
                    place.before_date += (self.facts.blocks.elements[e].blocks.start <= c.anchor.line + 1) as usize;
                    let around = self.facts.blocks.blocks.get(self.facts.blocks.elements[e].blocks.start as usize);
                    place.in_text += around
                        .is_some_and(|b| b.words as usize > text.split(' ').count() + MIN_WORDS_OF_RUNNING_TEXT)
                        as usize;
                    place.names.push(PlacedName { text, href, record: i, nth });
                }
            }
        }
        let mut scored: Vec<(f32, u64)> = places.iter().filter_map(|(k, p)| Some((p.score(n)?, *k))).collect();
        scored.sort_by(by_score);
        scored.truncate(MAX_PLACES);
        let trust = (scored.first()?.0 / 4.0).clamp(0.05, 1.0);
        // An only place wins without the bonus.
        if scored.len() > 1 {
            let attributes: Vec<Vec<&str>> =
                self.cuts.iter().take(MAX_RECORDS).map(|c| self.attributes(c).collect()).collect();
            scored.iter_mut().for_each(|s| s.0 += CONFIRMED_BONUS * places[&s.1].confirmed(&attributes));
            scored.sort_by(by_score);
        }
        let mut best = scored.first()?.1;
        for _ in 0..scored.len() {
            let Some(shorter) = scored.iter().find(|s| s.1 != best && places[&best].holds_more(&places[&s.1])) else {
                break;
            };
            best = shorter.1;
        }
        Some((NamePlace { kind: best, is_rough: rough }, trust))
    }

    /// Returns the short texts of an element that may be names, each with the kind of its place and the link around it.
    pub(super) fn names_at(&self, e: usize) -> &'a NamesAt<'a> {
        self.names[e].get_or_init(|| Box::new(names_at(self.facts, e, self.search)))
    }

    /// Returns those texts, each with the exact or the rough kind of its place.
    pub(super) fn names_of(
        &self,
        e: usize,
        rough: bool,
    ) -> impl Iterator<Item = (u64, &'a str, Option<&'a str>)> + use<'a> {
        let names = &self.names_at(e)[..if rough { 4 } else { 3 }];
        names.iter().flatten().map(move |(p, name, href)| (if rough { p.rough } else { p.exact }, &name[..], *href))
    }

    /// Returns the bonus of an element in a heading or in bold.
    fn bold_bonus(&self, e: usize) -> f32 {
        let blocks = self.facts.blocks;
        let mut tags = blocks.element_chain(e).take(MAX_LEVELS_TO_BOLD).map(|e| blocks.elements[e].tag);
        let is_bold = tags.any(|tag| tag.heading_level().is_some() || matches!(tag, Tag::B | Tag::STRONG));
        if is_bold { BOLD_BONUS } else { 0.0 }
    }

    /// Returns the author ranker's weight for the names in an element's attributes and in its link.
    fn learned(&self, e: usize) -> f32 {
        let facts = self.facts;
        let dom = facts.dom;
        let node = facts.blocks.elements[e].node;
        let model = &facts.rankers.author;
        let mut sum = 0.0;
        for (n, prefix) in std::iter::once(node).chain(dom.ancestors(node).take(1)).zip(["c:", "p:"]) {
            for (_, value) in dom.attrs(n).filter(|(n, _)| matches!(*n, "class" | "itemprop" | "rel")) {
                tokens(value, |t| sum += model.weight(hash(hash(SEED, prefix), t)));
            }
        }
        sum.clamp(-1.0, 1.5)
    }

    /// Returns the first name in a place, and the link around it.
    pub(super) fn in_place(
        &self,
        elements: impl Iterator<Item = usize>,
        place: NamePlace,
    ) -> Option<(&'a str, Option<&'a str>)> {
        let class = place_class(place.kind);
        let mut names = elements
            .filter(|e| place_class(self.kind_of(*e, place.is_rough)) == class)
            .flat_map(|e| self.names_of(e, place.is_rough));
        names.find(|name| name.0 == place.kind).map(|name| (name.1, name.2))
    }

    fn kind_of(&self, e: usize, rough: bool) -> u64 {
        let node = self.facts.blocks.elements[e].node;
        if rough { self.facts.rough_kind(node) } else { self.facts.kind(node) }
    }

    /// Returns the attribute values that may name a record's author: `data-` attributes, link addresses, `alt` texts of linked images.
    fn attributes(&self, c: &Cut) -> impl Iterator<Item = &str> {
        let dom = self.facts.dom;
        let nodes = c.elements.clone().take(MAX_ELEMENTS).map(|e| self.facts.blocks.elements[e].node);
        nodes.flat_map(move |n| {
            let linked = dom.parent(n).is_some_and(|p| dom.tag(p) == Tag::A);
            let named = dom.attributes_named(n).filter(move |(name, text, value)| {
                let holds = *name == Attr::HREF
                    || linked && *name == Attr::ALT
                    || *text == "author"
                    || *text == "aria-label"
                    || text.starts_with("data-");
                holds && value.len() <= 120
            });
            named.map(|(_, _, value)| value)
        })
    }

    /// Returns the record's author as microdata declares it.
    pub(super) fn declared_author(&self, c: &Cut) -> Option<(String, Option<&str>)> {
        let (dom, elements) = (self.facts.dom, &self.facts.blocks.elements);
        let mut own = c.elements.clone().take(MAX_ELEMENTS);
        let author = own.find(|&e| is_property(dom, elements[e].node, &["author", "creator"]))?;
        let inside = author..author + elements[author].descendants.min(40) as usize + 1;
        let named = inside.clone().find(|&e| e != author && is_property(dom, elements[e].node, &["name"]));
        let [whole, direct, ..] = names_at(self.facts, named.unwrap_or(author), self.search);
        let (_, name, href) = whole.or(direct)?;
        if !is_name(&name) {
            return None;
        }
        let href = href.or_else(|| {
            let link = inside.map(|e| elements[e].node).find(|n| dom.tag(*n) == Tag::A)?;
            dom.attr(link, "href")
        });
        Some((name, href))
    }
}

/// A name, prepared for comparison with many attribute values.
struct KnownName<'a> {
    name: &'a str,
    /// Its letters and digits, in lower case.
    plain: String,
    key: String,
}

impl KnownName<'_> {
    fn new(name: &str) -> KnownName<'_> {
        KnownName { name, plain: plain(name).collect(), key: key(name) }
    }

    /// Returns whether an attribute's value names the person: the name alone, at either end of the value, or as part of an address.
    fn is_named_by(&self, value: &str) -> bool {
        if self.plain.chars().nth(1).is_none() {
            return false;
        }
        if value.contains(['/', '?', '=']) {
            if value.is_ascii() && self.plain.is_ascii() {
                return self.plain.len() > 2 && is_in_address(value.as_bytes(), self.plain.as_bytes());
            }
            return self.plain.len() > 2
                && value.split(['/', '?', '=', '&']).any(|part| {
                    let part = part.split('.').next().unwrap_or(part);
                    plain(part).eq(self.plain.chars())
                        || plain(part).skip_while(|c| c.is_numeric()).eq(self.plain.chars())
                });
        }
        // Most values begin and end otherwise.
        if value.is_ascii()
            && self.name.is_ascii()
            && !plain(value).zip(self.plain.chars()).all(|(a, b)| a == b)
            && !plain_ascii(value).rev().zip(self.plain.bytes().rev()).all(|(a, b)| a == b)
        {
            return false;
        }
        let (value, name) = (key(value), &self.key[..]);
        value == name
            || value.strip_prefix(name).is_some_and(|r| r.starts_with([' ', '\'', '’']))
            || value.strip_suffix(name).is_some_and(|r| r.ends_with([' ', '@', '/']))
    }
}

/// Returns whether a part of an address is a name, perhaps after a number. Both are ASCII; the name is in lower case.
fn is_in_address(address: &[u8], name: &[u8]) -> bool {
    address.split(|b| matches!(b, b'/' | b'?' | b'=' | b'&')).filter(|part| part.len() >= name.len()).any(|part| {
        let part = part.split(|b| *b == b'.').next().unwrap_or(part);
        let own = part.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase);
        own.clone().eq(name.iter().copied()) || own.skip_while(u8::is_ascii_digit).eq(name.iter().copied())
    })
}

/// Puts the better places first.
fn by_score(a: &(f32, u64), b: &(f32, u64)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

fn plain(s: &str) -> impl Iterator<Item = char> {
    s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

fn plain_ascii(s: &str) -> impl DoubleEndedIterator<Item = u8> {
    s.bytes().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase())
}

/// A text in a place that may hold names.
struct PlacedName<'a> {
    text: &'a str,
    href: Option<&'a str>,
    /// The record, and which of its elements holds the text.
    record: usize,
    nth: usize,
}

/// The texts in one place of the records, at most one of each record.
#[derive(Default)]
struct AuthorPlace<'a> {
    names: Vec<PlacedName<'a>>,
    before_date: usize,
    /// Number of names within running text.
    in_text: usize,
    last: Option<usize>,
    learned: f32,
}

impl AuthorPlace<'_> {
    /// Returns the name of a record.
    fn name_of(&self, record: usize) -> Option<&str> {
        let at = self.names.binary_search_by_key(&record, |name| name.record).ok()?;
        let name = &self.names[at];
        (name.nth < MAX_ELEMENTS).then_some(name.text)
    }

    /// Returns the share of records whose name also occurs in one of their attributes: of the avatar, the post, the author's link.
    fn confirmed(&self, attributes: &[Vec<&str>]) -> f32 {
        let (mut named, mut hits, mut texts) = (0, 0, Vec::new());
        for (record, values) in attributes.iter().enumerate() {
            let Some(name) = self.name_of(record) else { continue };
            named += 1;
            let wanted = KnownName::new(name);
            if values.iter().any(|value| wanted.is_named_by(value)) {
                hits += 1;
                texts.push(name);
            }
        }
        texts.sort_unstable();
        texts.dedup();
        // A text that is the same in all records is a label, even if attributes repeat it.
        if texts.len() < 2 && named > 2 { 0.0 } else { hits as f32 / named.max(1) as f32 }
    }

    /// Returns whether the names are those in another place with additions: `Jane`, `Jane Member`.
    fn holds_more(&self, short: &AuthorPlace<'_>) -> bool {
        let (mut both, mut within, mut more) = (0, 0, 0);
        for record in 0..MAX_RECORDS {
            if let (Some(a), Some(b)) = (self.name_of(record), short.name_of(record)) {
                both += 1;
                let rest = a.strip_prefix(b).or_else(|| a.strip_suffix(b));
                let extends = rest.is_some_and(|r| r.starts_with([' ', '(']) || r.ends_with(' '));
                more += extends as usize;
                within += (extends || a == b) as usize;
            }
        }
        more > 0 && within * 10 >= both * 7
    }

    /// Scores how much the texts look like the names of the authors of `n` records; `None` if they cannot be names.
    fn score(&self, n: usize) -> Option<f32> {
        let coverage = self.names.len() as f32 / n as f32;
        if coverage < MIN_COVERAGE {
            return None;
        }
        let mut texts: Vec<String> = self.names.iter().map(|x| key(x.text)).collect();
        let mut pairs: Vec<(String, &str)> =
            self.names.iter().filter_map(|x| Some((key(x.text), x.href?.split('#').next().unwrap_or("")))).collect();
        texts.sort_unstable();
        texts.dedup();
        // The same text in every record is a button.
        if texts.len() == 1 && n > 2 {
            return None;
        }
        let dated = self.names.iter().filter(|x| !dates::find(x.text, &dates::Hint::default()).is_empty()).count();
        if dated * 3 > self.names.len() {
            return None;
        }
        let linked = pairs.len() as f32 / self.names.len() as f32;
        pairs.sort_unstable();
        pairs.dedup();
        // One address per name is a profile link; many addresses behind one word are a button.
        let of_texts = pairs.chunk_by(|a, b| a.0 == b.0).count();
        let faithful = if pairs.is_empty() { 0.0 } else { of_texts as f32 / pairs.len() as f32 };
        let mut targets: Vec<&str> = pairs.iter().map(|p| p.1).collect();
        targets.sort_unstable();
        targets.dedup();
        let spread = if pairs.is_empty() { 0.0 } else { targets.len() as f32 / of_texts.max(1) as f32 };
        let variety = texts.len() as f32 / self.names.len() as f32;
        let before = self.before_date as f32 / self.names.len() as f32;
        let in_text = self.in_text as f32 / self.names.len() as f32;
        let profile = if linked > 0.6 { faithful * spread.min(1.0) } else { 0.3 };
        // "Jane 120": an element that holds a name and a number of posts is one level too high.
        let counted = texts.iter().filter(|t| t.split(' ').any(|w| w.chars().all(|c| c.is_ascii_digit())));
        let counts = counted.count() as f32 / texts.len().max(1) as f32;
        // "by Jane", "Jane Member": a word shared by all texts is not part of a name.
        let first = texts.first().map_or("", String::as_str);
        let mut words = first.split(' ');
        let shares_word = texts.len() > 1 && words.any(|w| texts.iter().all(|t| t.split(' ').any(|x| x == w)));
        let label = if shares_word { 1.0 } else { 0.0 };
        let long = self.names.iter().map(|x| x.text.chars().count()).sum::<usize>() as f32 / self.names.len() as f32;
        Some(
            -counts - label - in_text - 0.01 * long
                + 3.0 * (coverage - 0.67)
                + 1.5 * variety.min(0.6)
                + profile
                + 0.5 * before
                + self.learned,
        )
    }
}
