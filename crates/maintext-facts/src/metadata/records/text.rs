//! Finds the text of each record: the blocks of the element with the record's words, without byline, buttons and signature.
use super::evidence::REPLY;
use super::labels::is_likely_label;
use super::names::{bare, is_permalink, without_status};
use super::{Cut, Group, Record};
use crate::metadata::sources::facts::Facts;
use crate::metadata::text::dates;
use crate::metadata::text::names::strip_label;
use crate::metadata::text::tokens;
use maintext_html::Attr;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::HashMap;
use std::ops::Range;

/// Maximum number of kinds of elements that may hold the texts of one group: the first post and the answers may differ.
const MAX_BODIES: usize = 3;
/// Weight of blocks that look like prose, relative to blocks that the method keeps; the method drops short posts and quotations.
const FORM_WEIGHT: f64 = 1.1;
/// Number of elements above a block that may be its button.
const MAX_LEVELS_TO_BUTTON: usize = 3;
/// Number of elements above a block that may be named a signature.
const MAX_LEVELS_TO_SIGNATURE: usize = 4;
/// Maximum number of lines of a signature.
const MAX_SIGNATURE_LINES: usize = 6;
/// Minimum number of underscores or hyphens in a rule above a signature.
const MIN_RULE_CHARS: usize = 8;
/// Maximum number of words of a byline without the date and the author's name.
const MAX_BYLINE_WORDS: usize = 4;

/// Maximum number of words of a line that begins with a label and holds author and date.
const MAX_HEAD_WORDS: u32 = 24;

/// An element that may hold a record's text.
struct Holder {
    cut: usize,
    element: usize,
    kind: u64,
    blocks: Range<u32>,
}

/// The places of a group's texts.
pub(super) struct Bodies {
    /// The kinds of their elements, each with its index among the elements of that kind in a record, most common first.
    places: Vec<(u64, usize)>,
    holders: Vec<Holder>,
}

/// Totals over the elements of one kind.
#[derive(Default)]
struct Sum {
    words: u32,
    own_text: u32,
    form: u32,
    depth: u32,
    last: Option<usize>,
}

impl Group<'_, '_> {
    /// Finds the places of the texts.
    pub(super) fn bodies(&self) -> Bodies {
        let mut bodies = Bodies { places: Vec::new(), holders: self.holders() };
        let mut open: Vec<bool> = self.cuts.iter().map(|c| self.word_counts(&c.blocks).2 > 0).collect();
        for _ in 0..MAX_BODIES {
            let Some(kind) = self.best_kind(&bodies.holders, &open) else { break };
            bodies.places.push((kind, self.usual_place(&bodies.holders, kind)));
            let found = bodies.holders.iter().filter(|h| h.kind == kind && self.has_text(&h.blocks));
            found.for_each(|h| open[h.cut] = false);
        }
        bodies
    }

    /// Returns the elements that may hold texts, in document order.
    fn holders(&self) -> Vec<Holder> {
        let elements = &self.facts.blocks.elements;
        let mut out = Vec::new();
        for (cut, c) in self.cuts.iter().enumerate() {
            for e in c.elements.clone() {
                let own = &elements[e];
                let blocks = own.blocks.start.max(c.blocks.start)..own.blocks.end.min(c.blocks.end);
                let holds = own.tag.is_block() || matches!(own.tag, Tag::SPAN | Tag::OTHER);
                if holds && !blocks.is_empty() && !own.hidden {
                    out.push(Holder { cut, element: e, kind: self.facts.kind(own.node), blocks });
                }
            }
        }
        out
    }

    fn has_text(&self, blocks: &Range<u32>) -> bool {
        let (_, own_text, form) = self.word_counts(blocks);
        own_text + form > 0
    }

    /// Returns the kind of element that holds most of the words of the open records, and little else.
    fn best_kind(&self, holders: &[Holder], open: &[bool]) -> Option<u64> {
        let mut sums: HashMap<u64, Sum> = HashMap::default();
        for h in holders.iter().filter(|h| open[h.cut]) {
            let (words, own_text, form) = self.word_counts(&h.blocks);
            let sum = sums.entry(h.kind).or_default();
            if own_text + form > 0 && sum.last != Some(h.cut) {
                sum.last = Some(h.cut);
                sum.words += words;
                sum.own_text += own_text;
                sum.form += form;
                sum.depth = sum.depth.max(u32::from(self.facts.blocks.elements[h.element].depth));
            }
        }
        let all = self.cuts.iter().zip(open).filter(|(_, open)| **open).map(|(c, _)| self.word_counts(&c.blocks));
        let (own_text, form) = all.fold((0, 0), |t, s| (t.0 + s.1, t.1 + s.2));
        let scored = sums.into_iter().filter(|(_, s)| s.words > 0).map(|(kind, s)| {
            let worth = f1(s.own_text, own_text, s.words) + FORM_WEIGHT * f1(s.form, form, s.words);
            (worth, s.depth, kind)
        });
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(b.2.cmp(&a.2)));
        best.map(|(_, _, kind)| kind)
    }

    /// Returns which of several elements of a kind holds the text in most records.
    fn usual_place(&self, holders: &[Holder], kind: u64) -> usize {
        let mut counts: HashMap<usize, usize> = HashMap::default();
        let (mut cut, mut nth, mut found) = (usize::MAX, 0, false);
        for h in holders.iter().filter(|h| h.kind == kind) {
            if h.cut != cut {
                (cut, nth, found) = (h.cut, 0, false);
            }
            if !found && self.has_text(&h.blocks) {
                found = true;
                *counts.entry(nth).or_default() += 1;
            }
            nth += 1;
        }
        counts.into_iter().max_by_key(|(nth, n)| (*n, std::cmp::Reverse(*nth))).map_or(0, |(nth, _)| nth)
    }

    /// Returns the blocks of a record's text.
    pub(super) fn lines(&self, i: usize, bodies: &Bodies, author: Option<&str>) -> Vec<u32> {
        let c = &self.cuts[i];
        let from = bodies.holders.partition_point(|h| h.cut < i);
        let to = bodies.holders.partition_point(|h| h.cut <= i);
        let own = &bodies.holders[from..to];
        let blocks = if bodies.places.is_empty() { Some(c.blocks.clone()) } else { self.text_of(own, bodies, c) };
        let mut lines: Vec<u32> = blocks
            .unwrap_or(0..0)
            .filter(|b| {
                let label = is_button(self.facts, *b) || is_signature(self.facts, *b);
                !self.facts.blocks.blocks[*b as usize].hidden && !label
            })
            .collect();
        if let Some(head) = self.head(c).filter(|h| self.search.is_lenient() && lines.iter().any(|b| !h.contains(b))) {
            lines.retain(|b| !head.contains(b));
        }
        self.without_signature(self.without_head(lines, c, author))
    }

    fn text_of(&self, own: &[Holder], bodies: &Bodies, c: &Cut) -> Option<Range<u32>> {
        let line = c.anchor.line;
        if let Some(declared) = own.iter().find(|h| self.is_declared(h.element)) {
            return Some(declared.blocks.clone());
        }
        let mut usual = bodies.places.iter().filter_map(|(kind, nth)| own.iter().filter(|h| h.kind == *kind).nth(*nth));
        let mut others = bodies.places.iter().flat_map(|(kind, _)| own.iter().filter(|h| h.kind == *kind));
        usual
            .find(|h| !h.blocks.contains(&line) || self.has_text(&h.blocks))
            .or_else(|| others.find(|h| self.has_text(&h.blocks)))
            .map(|h| self.with_paragraphs_below(own, h))
    }

    /// Returns the blocks of a text; a paragraph goes on with the paragraphs, lists and quotations next to it.
    fn with_paragraphs_below(&self, own: &[Holder], first: &Holder) -> Range<u32> {
        let elements = &self.facts.blocks.elements;
        let mut blocks = first.blocks.clone();
        if elements[first.element].tag == Tag::P {
            for next in own.iter().filter(|h| elements[h.element].parent == elements[first.element].parent) {
                let goes_on = matches!(elements[next.element].tag, Tag::P | Tag::UL | Tag::OL | Tag::BLOCKQUOTE);
                if goes_on && next.blocks.start == blocks.end {
                    blocks.end = next.blocks.end;
                }
            }
        }
        blocks
    }

    /// Returns whether microdata declares that the element holds the text.
    fn is_declared(&self, e: usize) -> bool {
        let dom = self.facts.dom;
        let prop = dom.attribute(self.facts.blocks.elements[e].node, Attr::ITEMPROP).unwrap_or("");
        prop.split_ascii_whitespace().any(|p| matches!(p, "text" | "articleBody" | "commentText"))
    }

    /// Returns the blocks of the `<summary>`, `<header>` or `<dt>` of a record that holds its date.
    fn head(&self, c: &Cut) -> Option<Range<u32>> {
        let elements = &self.facts.blocks.elements;
        let inside = self.facts.blocks.element_chain(c.anchor.element).take_while(|e| c.elements.contains(e));
        let mut heads = inside.filter(|e| matches!(elements[*e].tag, Tag::SUMMARY | Tag::HEADER | Tag::DT));
        heads.next().map(|e| elements[e].blocks.clone())
    }

    /// Returns whether a line begins with a label such as "Posted" and holds the author's name and the date.
    fn is_signed_head(&self, line: u32, author: Option<&str>) -> bool {
        let text = self.facts.blocks.text(line as usize);
        let first = text.split(|c: char| !c.is_alphabetic()).find(|w| !w.is_empty()).unwrap_or("");
        author.is_some_and(|a| text.contains(a))
            && maintext_page::blocks::count_words(text) <= MAX_HEAD_WORDS
            && !self.facts.hits_of(line).is_empty()
            && (dates::labels::announces_publication(&first.to_lowercase()) || !strip_label(text).1.is_empty())
    }

    /// Drops the byline and the lines above it, if those are only labels: a title that all records share, the author's rank.
    fn without_head(&self, mut lines: Vec<u32>, c: &Cut, author: Option<&str>) -> Vec<u32> {
        let line = c.anchor.line;
        let lenient = self.search.is_lenient();
        let mut headed = false;
        if let Some(at) = lines.iter().position(|b| *b == line)
            && (c.anchor.signed
                || self.is_head(line, c, author)
                || lenient && at + 1 < lines.len() && self.is_signed_head(line, author))
            && lines[..at].iter().all(|b| {
                self.word_counts(&(*b..*b + 1)).2 == 0
                    || lenient && (self.is_author(self.text_of_block(*b), author) || self.is_in_heading(*b))
            })
        {
            lines.drain(..=at);
            headed = true;
        }
        // A byline below the text.
        if let Some(at) = lines.iter().position(|b| *b == line)
            && (c.anchor.signed || at > 0 && self.is_head(line, c, author))
        {
            lines.truncate(at);
        }
        let first = lines.iter().position(|b| {
            let text = self.text_of_block(*b);
            let is_header = self.is_author(text, author)
                || self.is_label_of_single(text)
                || self.is_common(*b)
                || self.is_permalink_line(*b)
                || text == c.anchor.when
                || headed && is_date(text, self);
            !is_header
        });
        lines.drain(..first.unwrap_or(0));
        // "Joined 12/2006", "Photos": a short line with a number, above a label that all records share.
        if let [line, next, _, ..] = lines[..]
            && lenient
            && self.text_of_block(line).contains(|c: char| c.is_ascii_digit())
            && self.is_common(next)
            && self.text_of_block(next).contains(char::is_alphabetic)
            && self.facts.blocks.blocks[line as usize].words as usize <= MAX_BYLINE_WORDS
        {
            lines.drain(..2);
        }
        while let [_, .., last] = lines[..] {
            let text = self.text_of_block(last).trim_end_matches(['»', '›', '↓', ' ']);
            if !self.is_common(last) && !self.is_label_of_single(text) && !self.is_reply_link(last) {
                break;
            }
            lines.pop();
        }
        lines
    }

    /// Whether a text is the author's name; in a lenient search, words may be around it.
    fn is_author(&self, text: &str, author: Option<&str>) -> bool {
        author.is_some_and(|a| a == without_status(text) || self.search.is_lenient() && a == bare(text))
    }

    /// Whether a text is a label of a record without others to compare: labels of such a record are recognised by their words.
    fn is_label_of_single(&self, text: &str) -> bool {
        self.cuts.len() == 1 && is_likely_label(text)
    }

    /// Whether a line is a link to answer. Two comments are too few for a label that repeats.
    fn is_reply_link(&self, line: u32) -> bool {
        let block = &self.facts.blocks.blocks[line as usize];
        let is_short_link = block.is_linked() && block.words as usize <= MAX_BYLINE_WORDS;
        is_short_link && {
            let text = self.text_of_block(line).to_lowercase();
            REPLY.iter().any(|reply| text.starts_with(reply))
        }
    }

    /// Whether a line is the link to the record itself, and not its title.
    fn is_permalink_line(&self, line: u32) -> bool {
        let blocks = self.facts.blocks;
        let block = &blocks.blocks[line as usize];
        let mut around = blocks.ancestors(line as usize).take(2).map(|e| &blocks.elements[e]);
        block.is_linked()
            && !self.is_in_heading(line)
            && around.any(|e| e.tag == Tag::A && is_permalink(self.facts, e.node))
    }

    /// Returns the number of words of the first date that a line prints.
    fn words_of_date(&self, line: u32) -> Option<usize> {
        self.text_of_block(line).get(self.facts.hits_of(line).first()?.range.clone()).map(word_count)
    }

    fn is_in_heading(&self, b: u32) -> bool {
        let mut around = self.facts.blocks.ancestors(b as usize).take(3);
        around.any(|e| self.facts.blocks.elements[e].tag.heading_level().is_some())
    }

    /// Returns whether a line has few words besides the date and the author's name.
    fn is_head(&self, line: u32, c: &Cut, author: Option<&str>) -> bool {
        let text = self.text_of_block(line);
        let printed = if self.search.is_lenient() { self.words_of_date(line).unwrap_or(0) } else { 0 };
        word_count(text) <= word_count(&c.anchor.when).max(printed) + author.map_or(0, word_count) + MAX_BYLINE_WORDS
    }

    /// Returns the lines above a rule of underscores or hyphens.
    fn without_signature(&self, mut lines: Vec<u32>) -> Vec<u32> {
        if let Some(at) = lines
            .iter()
            .rposition(|b| {
                let t = self.facts.blocks.text(*b as usize);
                let marks = t.bytes().take_while(|c| matches!(c, b'_' | b'-')).count();
                marks >= MIN_RULE_CHARS || t == "--"
            })
            .filter(|at| *at > 0 && at + MAX_SIGNATURE_LINES >= lines.len())
        {
            lines.truncate(at);
        }
        lines
    }
}

fn word_count(s: &str) -> usize {
    maintext_page::blocks::count_words(s) as usize
}

fn f1(hits: u32, total: u32, words: u32) -> f64 {
    2.0 * f64::from(hits) / f64::from((total + words).max(1))
}

/// Returns whether a block is the text of a button.
pub(super) fn is_button(facts: &Facts<'_>, b: u32) -> bool {
    let (blocks, dom) = (facts.blocks, facts.dom);
    let chain = blocks.ancestors(b as usize).take(MAX_LEVELS_TO_BUTTON);
    let mut chain = chain.take_while(|&e| blocks.elements[e].blocks.len() == 1);
    chain.any(|e| is_button_element(dom, blocks.elements[e].node))
}

fn is_button_element(dom: &maintext_page::dom::Dom<'_>, n: NodeId) -> bool {
    dom.tag(n) == Tag::BUTTON || dom.attr(n, "role").is_some_and(|r| r.eq_ignore_ascii_case("button"))
}

/// Name of the elements that hold signatures.
const SIGNATURE: &str = "signature";

/// Returns whether a block belongs to an element named `signature`. Each name of the page is read once.
pub(super) fn is_signature(facts: &Facts<'_>, b: u32) -> bool {
    let names = facts.dom.names();
    let (classes, ids) = facts
        .signatures
        .get_or_init(|| (names.classes().map(names_signature).collect(), names.texts().map(names_signature).collect()));
    facts.blocks.ancestors(b as usize).take(MAX_LEVELS_TO_SIGNATURE).any(|e| {
        let node = facts.blocks.elements[e].node;
        classes[names.class_of(node).index()] || names.id_of(node).is_some_and(|id| ids[id.index()])
    })
}

fn names_signature(name: &str) -> bool {
    // Splitting a name is slower than finding the word in it, by its rarest letter.
    let bytes = name.as_bytes();
    let mut is = false;
    if memchr::memchr2_iter(b'g', b'G', bytes).any(|g| {
        let word = g.checked_sub(2).and_then(|start| bytes.get(start..start + SIGNATURE.len()));
        word.is_some_and(|w| w.eq_ignore_ascii_case(SIGNATURE.as_bytes()))
    }) {
        tokens(name, |t| is |= t == SIGNATURE);
    }
    is
}

/// Returns whether a line is only a date.
fn is_date(text: &str, group: &Group<'_, '_>) -> bool {
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    digits
        && text.len() <= 40
        && dates::find(text, &group.facts.hint()).first().is_some_and(|h| h.range.len() + 6 >= text.len())
}

/// Returns the last line of a record that has other lines.
fn line_after_text(record: &Record) -> Option<u32> {
    match record.lines.as_slice() {
        [_, .., last] => Some(*last),
        _ => None,
    }
}

/// Whether a line is the author's name or a part of it, which authors type under what they write.
fn is_typed_name(line: &str, author: &str) -> bool {
    let name = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let author = author.to_lowercase();
    !name.is_empty() && (author == name || author.split_whitespace().any(|word| word == name))
}

/// Drops the closing lines that all posts of an author share, for authors with several posts.
pub(super) fn drop_signatures(records: &mut [Record], text: impl Fn(u32) -> String) {
    let mut of: HashMap<String, Vec<usize>> = HashMap::default();
    for (i, r) in records.iter().enumerate() {
        if let Some(author) = &r.author {
            of.entry(author.clone()).or_default().push(i);
        }
    }
    for posts in of.values().filter(|p| p.len() > 1) {
        for _ in 0..MAX_SIGNATURE_LINES {
            let Some(line) = line_after_text(&records[posts[0]]).map(&text) else { break };
            let author = records[posts[0]].author.as_deref().unwrap_or_default();
            let is_shared = posts.iter().all(|i| line_after_text(&records[*i]).map(&text).as_ref() == Some(&line));
            if !is_shared || is_typed_name(&line, author) {
                break;
            }
            posts.iter().for_each(|i| {
                records[*i].lines.pop();
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Record, drop_signatures};

    #[test]
    fn closing_lines_of_all_posts_are_signatures_and_names_are_not() {
        let lines = [
            "The pier is closed.",
            "William",
            "Tide tables since 1998",
            "The ferry runs.",
            "William",
            "Tide tables since 1998",
        ];
        let post = |lines: std::ops::Range<u32>| Record {
            author: Some("William Overington".into()),
            lines: lines.collect(),
            ..Record::default()
        };
        let mut posts = [post(0..3), post(3..6)];
        drop_signatures(&mut posts, |line| lines[line as usize].to_owned());
        assert_eq!(posts.map(|post| post.lines), [[0, 1], [3, 4]]);
    }
}
