//! Comments under articles and posts of forum threads, as records of author, time and text.
//!
//! The posts of a thread repeat each other's markup: each shows its date, its author and its text. The dates of a page are therefore
//! grouped by the markup around them, and each group is cut into records at the elements that hold one date each. The author is the short
//! text, in the same place of most records, that varies and agrees with its link. The text is the smallest element, in the same place of
//! most records, that holds nearly all of the record's own words. No class name is hard-coded; the author's ranker has learned the class
//! names of authors from bylines.
//!
//! On a page without such groups, a lenient search looks for comments only: in elements named for comments, a single date is enough, and
//! the places of authors may vary more.
mod anchors;
mod authors;
mod cuts;
mod evidence;
pub(super) mod forum;
mod labels;
mod model;
mod names;
mod opening;
mod single;
mod text;
pub mod training;

use crate::metadata::sources::facts::Facts;
use crate::metadata::text::dates::Stamp;
use crate::metadata::text::node_text;
use anchors::{Anchor, Completeness, anchors, groups};
use authors::NamePlace;
use cuts::{Cut, cut, depths};
pub use evidence::{Evidence, names_comments};
use maintext_page::dom::Tag;
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::lexicon::lexicon;
use maintext_page::num;
use maintext_reading::choice::Choice;
use model::Kind;
pub use model::RecordModel;
use names::{Names, bare};
pub(super) use single::is_named_for_comments;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use text::{Bodies, drop_signatures};

/// Minimum number of words of a block that may be part of a comment or post.
const MIN_TEXT_WORDS: u32 = 4;
/// Longest button or label, in words.
const MAX_LABEL_WORDS: u32 = 12;
/// Share of the records that must have a text in a place for the place to count.
const MIN_COVERAGE: f32 = 0.7;

/// A comment or a post.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The author's name.
    pub author: Option<String>,
    /// Address of the author's page.
    pub author_url: Option<String>,
    /// The date, if it is stated or follows from `now`.
    pub stamp: Option<Stamp>,
    /// The date as printed.
    pub when: String,
    /// The text.
    pub text: String,
    /// The record's own address.
    pub url: Option<String>,
    /// Depth in the thread.
    pub depth: u32,
    /// The blocks of the record.
    pub blocks: Range<u32>,
    /// The blocks of its text.
    pub lines: Vec<u32>,
    /// Whether it is a post of a thread, and so content of the page, rather than a comment on it.
    pub is_post: bool,
}

/// A group of records with the same markup, and the evidence for its kind.
pub struct Candidate {
    /// The records in document order.
    pub records: Vec<Record>,
    /// The evidence for its kind.
    pub evidence: Evidence,
    /// Score from the amount of text, the confidence in the authors and the order of the dates; larger is better.
    pub worth: f32,
    /// Bytes of the source from the first record's date to the last one's.
    pub span: Range<usize>,
    /// The first element.
    element: usize,
}

/// The groups of dates that were judged, each by the elements of its dates. A group with a whole date in an attribute and a relative one in the
/// text would be judged twice.
type Judged = RefCell<HashSet<Vec<usize>>>;

/// Returns the groups of records of a page, without those that were judged before.
fn candidates<'a>(
    facts: &'a Facts<'_>,
    choice: &Choice,
    names: &'a Names<'a>,
    style: Completeness,
    search: Search,
    judged: &Judged,
) -> impl Iterator<Item = Candidate> {
    groups(facts, anchors(facts, style, search), search).into_iter().filter_map(move |anchors| {
        let is_among = search != Search::Lenient || single::is_among_comments(facts, anchors[0].element);
        if !is_among || !judged.borrow_mut().insert(anchors.iter().map(|a| a.element).collect()) {
            return None;
        }
        let group = Group::new(facts, names, choice.kept(), anchors, search)?;
        let (worth, author, trust) = group.worth()?;
        let records = group.records(author);
        if records.is_empty()
            || records.len() == 1
                && !group
                    .cuts
                    .iter()
                    .any(|c| search == Search::Lenient && single::single(facts, c.anchor.element).is_some())
        {
            return None;
        }
        let evidence = group.evidence(&records, trust, choice, style == Completeness::Vague);
        let (first, last) = (group.cuts.first()?, group.cuts.last()?);
        let span = facts.dom.span(first.anchor.node).start..facts.dom.span(last.anchor.node).start;
        Some(Candidate { records, evidence, worth, span, element: first.elements.start })
    })
}

/// Returns whether the text of a record is only a link, such as the title of another page.
fn is_link(facts: &Facts<'_>, r: &Record) -> bool {
    r.lines.iter().map(|b| &facts.blocks.blocks[*b as usize]).map(|b| b.links).sum::<u32>() == 1
        && r.lines.iter().map(|b| &facts.blocks.blocks[*b as usize]).all(|b| b.link_chars >= b.chars)
}

/// The searches for records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Finds groups of at least two dates, with authors in the same place.
    Strict,
    /// Reads the records of such a group once more, with labels removed and with authors in places that vary.
    Again,
    /// Also finds single comments, and dates that touch names; only in elements named for comments.
    Lenient,
}

impl Search {
    pub(super) fn is_lenient(self) -> bool {
        self != Search::Strict
    }
}

/// The posts and comments of a page.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The posts of the thread, if a thread is the page's content.
    pub posts: Vec<Record>,
    /// Readers' comments.
    pub comments: Vec<Record>,
    /// Blocks of comments, with their probability.
    pub apart: Vec<(Range<u32>, f32)>,
    /// The span of the group of comments.
    span: Range<usize>,
}

impl Found {
    /// Returns the posts, or without any the comments.
    pub fn of_page(&self) -> &[Record] {
        if self.posts.is_empty() { &self.comments } else { &self.posts }
    }
}

/// Minimum probability of a kind, and of records that were read correctly. Out of fold, 98 % of the groups of comments that pass both are
/// comments, and 90 % of the pages with comments have such a group.
const MIN_KIND_PROBABILITY: f32 = 0.4;
const MIN_LEGIBLE_PROBABILITY: f32 = 0.3;
/// Minimum probability of posts at which comments may be posts after all.
const MIN_DOUBTED_POSTS: f32 = 0.3;

/// Returns the posts and comments of a page: the best group of each.
pub fn records(facts: &Facts<'_>, choice: &Choice, model: &RecordModel) -> Found {
    let names = vec![OnceCell::new(); facts.blocks.elements.len()];
    let (forum, judged) = (OnceCell::new(), Judged::default());
    let mut found = Found::default();
    // The best groups of posts, of comments, and of either.
    let mut best = [(0.0, None), (0.0, None), (0.0, None)];
    let mut may_be_posts = false;
    for style in [Completeness::Whole, Completeness::Vague] {
        for c in candidates(facts, choice, &names, style, Search::Strict, &judged) {
            let decision = model.decide(&c.evidence);
            let (mut posts, mut comments) = (decision.of(Kind::Posts), decision.of(Kind::Comments));
            // Records of a forum thread are posts, even where the markup calls them comments.
            if comments > 0.0
                && posts + comments > MIN_KIND_PROBABILITY
                && *forum.get_or_init(|| forum::is_forum(facts))
            {
                (posts, comments) = (posts + comments, 0.0);
            }
            if comments > MIN_KIND_PROBABILITY {
                found.apart.extend(c.records.iter().map(|r| (r.blocks.clone(), comments)));
            }
            for ((score, slot), p) in best.iter_mut().zip([posts, comments, posts + comments]) {
                let own = p * decision.legible * num::ln(1.0 + c.worth);
                if p > MIN_KIND_PROBABILITY && decision.legible > MIN_LEGIBLE_PROBABILITY && own > *score {
                    (*score, *slot) = (own, Some((c.records.clone(), c.span.clone())));
                    may_be_posts = posts > MIN_DOUBTED_POSTS;
                }
            }
        }
        // Relative dates are read only where no calendar dates are found.
        if best.iter().any(|b| b.1.is_some()) {
            break;
        }
    }
    // A group that may be either is of the more likely kind.
    let [posts, comments] = [&best[0], &best[1]].map(|b| b.1.as_ref().map(|(_, span)| span));
    if posts == comments {
        let less = usize::from(best[0].0 >= best[1].0);
        best[less].1 = None;
    }
    let [(posts, _), (comments, span), (either, _)] = best.map(|b| b.1.unwrap_or_default());
    found.span = span;
    // If answers may be posts or comments, a post that opens a thread decides.
    let in_doubt = posts.is_empty() && (comments.is_empty() || may_be_posts);
    let first = opening::opening(facts, choice.kept(), if in_doubt { &either } else { &posts });
    (found.posts, found.comments) = if in_doubt && first.is_some() { (either, Vec::new()) } else { (posts, comments) };
    if let Some(first) = first {
        found.posts.insert(0, first);
    }
    found.posts.iter_mut().for_each(|r| r.is_post = true);
    found
}

/// Minimum probability of comments that the lenient search finds. On the 1,235 pages of naeb-newspaper4k, trafilatura-eval and fundus, it
/// finds 33 groups above 0.4: one below 0.55, the ratings of a shop, and 32 above, of which 31 are comments.
const MIN_LENIENT_PROBABILITY: f32 = 0.55;

/// Returns the comments to report, without notices that replace comments. The content does not depend on them.
pub fn comments(facts: &Facts<'_>, choice: &Choice, model: &RecordModel, found: &Found) -> Vec<Record> {
    let mut comments = all_comments(facts, choice, model, found);
    comments.retain(|r| !is_notice(&r.text));
    comments
}

/// Returns the comments of [`records`], read once more, or on a page without records the best group of the lenient search. Leaves out lists
/// of comments on other pages.
fn all_comments(facts: &Facts<'_>, choice: &Choice, model: &RecordModel, found: &Found) -> Vec<Record> {
    let names = vec![OnceCell::new(); facts.blocks.elements.len()];
    let (styles, judged) = ([Completeness::Whole, Completeness::Vague], Judged::default());
    if !found.comments.is_empty() {
        let mut all =
            styles.into_iter().flat_map(|style| candidates(facts, choice, &names, style, Search::Again, &judged));
        return match all.find(|c| c.span == found.span) {
            Some(c) if single::is_of_other_pages(facts, c.element) => Vec::new(),
            Some(c) => c.records,
            None => found.comments.clone(),
        };
    }
    if !found.posts.is_empty() {
        return Vec::new();
    }
    for style in styles {
        let mut best = (0.0, Vec::new());
        for c in candidates(facts, choice, &names, style, Search::Lenient, &judged) {
            if single::is_of_other_pages(facts, c.element) || c.records.iter().all(|r| is_link(facts, r)) {
                continue;
            }
            let decision = model.decide(&c.evidence);
            let comments = decision.of(Kind::Comments);
            let own = comments * decision.legible * num::ln(1.0 + c.worth);
            let is_likely = comments > MIN_LENIENT_PROBABILITY && decision.legible > MIN_LEGIBLE_PROBABILITY;
            // Below a heading for comments, records with authors need no names that the model knows.
            let is_headed = comments > decision.of(Kind::Posts)
                && c.records.iter().all(|r| r.author.is_some())
                && single::are_headed_by_comments(facts, c.element);
            if own > best.0 && (is_likely || is_headed) {
                best = (own, c.records);
            }
        }
        if !best.1.is_empty() {
            // Records of a forum thread are posts.
            return if forum::is_forum(facts) { Vec::new() } else { best.1 };
        }
    }
    Vec::new()
}

/// Phrases of notices that a site shows instead of a comment: it was removed, or it is a link from another blog. In lower case.
const NOTICES: &[&str] = lexicon!("comment-notices.txt");
/// Maximum number of words of such a notice.
const MAX_NOTICE_WORDS: u32 = 15;

/// Returns whether a text is a notice instead of a comment.
fn is_notice(text: &str) -> bool {
    maintext_page::blocks::count_words(text) <= MAX_NOTICE_WORDS && {
        let text = text.to_lowercase();
        NOTICES.iter().any(|n| text.contains(n))
    }
}

struct Group<'a, 'f> {
    facts: &'a Facts<'f>,
    search: Search,
    names: &'a Names<'a>,
    cuts: Vec<Cut>,
    /// For each block, sums over the blocks before it: all words, words of the records' texts, words of blocks that look like such texts.
    words: Vec<(u32, u32, u32)>,
    /// Blocks whose text occurs in half of the records, sorted.
    common: Vec<u32>,
}

impl<'a, 'f> Group<'a, 'f> {
    fn new(
        facts: &'a Facts<'f>,
        names: &'a Names<'a>,
        kept: &[bool],
        anchors: Vec<Anchor>,
        search: Search,
    ) -> Option<Self> {
        let cuts = cut(facts, anchors);
        let first = cuts.first()?.blocks.start as usize;
        let last = cuts.iter().map(|c| c.blocks.end).max()? as usize;
        let blocks = facts.blocks;
        // A short text printed more than twice is a button or a label.
        let mut printed: HashMap<&str, u32> = HashMap::default();
        (first..last).for_each(|b| *printed.entry(blocks.text(b)).or_default() += 1);
        // Decided once: each block would be judged four times, with the attributes of the elements around it.
        let texts: Vec<bool> = (first..last)
            .map(|b| {
                let own = &blocks.blocks[b];
                own.words >= MIN_TEXT_WORDS
                    && !own.hidden
                    // A longer text printed again is a quotation.
                    && (own.words > MAX_LABEL_WORDS || printed.get(blocks.text(b)).is_some_and(|n| *n <= 2))
                    // The title above a post does not belong to it.
                    && !facts.title.as_ref().is_some_and(|title| title.contains(blocks.text(b)))
                    && !text::is_button(facts, b as u32)
                    && !text::is_signature(facts, b as u32)
            })
            .collect();
        let (mut words_of_texts, mut words_kept) = (0, 0);
        for b in (first..last).filter(|b| texts[b - first]) {
            words_of_texts += blocks.blocks[b].words;
            if kept.get(b) == Some(&true) {
                words_kept += blocks.blocks[b].words;
            }
        }
        // In a thread, the content model separates posts from texts about their authors. It does not keep comments, so these are recognised
        // by their form.
        let by_content = words_kept * 3 >= words_of_texts;
        let mut words = vec![(0, 0, 0); last + 1];
        for b in first..last {
            let n = blocks.blocks[b].words;
            let of_text = if texts[b - first] { n } else { 0 };
            let counts = !by_content || kept.get(b) == Some(&true);
            let (all, own, form) = words[b];
            words[b + 1] = (all + n, own + if counts { of_text } else { 0 }, form + of_text);
        }
        let often = (cuts.len() as u32 / 2).max(3);
        let common = (first as u32..last as u32)
            .filter(|b| {
                blocks.blocks[*b as usize].words <= MAX_LABEL_WORDS
                    && printed.get(blocks.text(*b as usize)).is_some_and(|n| *n >= often)
            })
            .collect();
        Some(Group { facts, search, names, cuts, words, common })
    }

    fn text_of_block(&self, b: u32) -> &str {
        self.facts.blocks.text(b as usize)
    }

    /// Returns counts of words in blocks: all, of the record's text, and of blocks that look like text.
    fn word_counts(&self, blocks: &Range<u32>) -> (u32, u32, u32) {
        let last = self.words.len() - 1;
        let (a, b) = (
            self.words[(blocks.start as usize).min(last)],
            self.words[(blocks.end.max(blocks.start) as usize).min(last)],
        );
        (b.0.saturating_sub(a.0), b.1.saturating_sub(a.1), b.2.saturating_sub(a.2))
    }

    /// Returns the group's score, where it has its authors' names, and the confidence in this place; `None` if the group has no records.
    fn worth(&self) -> Option<(f32, NamePlace, f32)> {
        let n = self.cuts.len();
        let total: u32 = self.cuts.iter().map(|c| self.word_counts(&c.blocks).2).sum();
        if n == 0 || total < 3 * n as u32 {
            return None;
        }
        let mut found = self.author(false);
        if found.is_none() && self.search.is_lenient() {
            found = self.author(true);
        }
        let (author, trust) = found?;
        Some((total as f32 * trust * trust * self.order(), author, trust))
    }

    /// Returns the records, with authors from the given place.
    fn records(&self, author: NamePlace) -> Vec<Record> {
        let bodies = self.bodies();
        let base = self.cuts.iter().map(|c| c.anchor.element).collect::<Vec<_>>();
        let depths = depths(self.facts, &base);
        let mut out: Vec<Record> =
            depths.into_iter().enumerate().map(|(i, depth)| self.record(i, author, &bodies, depth)).collect();
        opening::name_by_profile(self.facts, &mut out);
        drop_signatures(&mut out, |b| self.text_of_block(b).to_owned());
        for r in &mut out {
            r.text = r.lines.iter().map(|b| self.text_of_block(*b)).collect::<Vec<_>>().join("\n");
            // "Thanks!" where a name is expected is the text of the record, and "| Reply" are buttons behind the name of somebody whose
            // name is not in an element.
            let is_text = self.search.is_lenient() && r.author.as_deref() == Some(bare(&r.text));
            if is_text || r.author.as_deref().is_some_and(|author| author.starts_with('|')) {
                (r.author, r.author_url) = (None, None);
            }
        }
        out.retain(|r| !r.text.is_empty());
        out
    }

    /// Scores the order of the dates from 1 to 2: posts follow each other in time, the days when their authors joined do not.
    fn order(&self) -> f32 {
        let stamps: Vec<_> = self.cuts.iter().filter_map(|c| c.anchor.stamp.map(|s| (s.date, s.time))).collect();
        let steps = stamps.len().saturating_sub(1).max(1) as f32;
        let up = stamps.windows(2).filter(|w| w[0] <= w[1]).count() as f32 / steps;
        let down = stamps.windows(2).filter(|w| w[0] >= w[1]).count() as f32 / steps;
        let timed = stamps.iter().filter(|s| s.1.is_some()).count() * 2 > stamps.len();
        1.0 + 0.8 * up.max(down).powi(2) + if timed { 0.2 } else { 0.0 }
    }

    /// Counts the records with a heading that links to another page, as list entries have.
    fn leads_away(&self) -> usize {
        let facts = self.facts;
        let here = facts.url.as_ref().map(|u| u.path().to_owned());
        let away = self.cuts.iter().filter(|c| {
            let headings = c.elements.clone().filter(|e| facts.blocks.elements[*e].tag.heading_level().is_some());
            headings.take(3).any(|e| {
                let node = facts.blocks.elements[e].node;
                let inside = facts.dom.descendants(node).take(8);
                let around = facts.dom.ancestors(node).take(2);
                let mut links = inside.chain(around).filter(|n| facts.dom.tag(*n) == Tag::A);
                // A person's name is too short for a headline.
                let headline = links.find(|n| node_text(facts.dom, *n, 200).split(' ').count() > 3);
                let href = headline.and_then(|n| facts.dom.attr(n, "href")).filter(|href| !href.contains('#'));
                href.is_some_and(|href| {
                    let url = facts.address(href).and_then(|url| url::Url::parse(&url).ok());
                    url.map(|url| url.path().to_owned()) != here
                })
            })
        });
        away.count()
    }

    fn record(&self, i: usize, author: NamePlace, bodies: &Bodies, depth: u32) -> Record {
        let c = &self.cuts[i];
        let facts = self.facts;
        let (author, href) = self
            .declared_author(c)
            .or_else(|| self.in_place(c.elements.clone(), author).map(|(name, href)| (name.to_owned(), href)))
            .unzip();
        Record {
            lines: self.lines(i, bodies, author.as_deref()),
            author,
            author_url: href.flatten().map(|href| absolute(facts, href)),
            stamp: c.anchor.stamp,
            when: c.anchor.when.clone(),
            url: self.link(c),
            depth,
            blocks: c.blocks.clone(),
            ..Record::default()
        }
    }

    /// Returns whether a block's text occurs in half of the records: a button, a label.
    fn is_common(&self, b: u32) -> bool {
        self.common.binary_search(&b).is_ok()
    }

    /// Returns the record's own address: the link around its date, or the id of an element around it.
    fn link(&self, c: &Cut) -> Option<String> {
        let dom = self.facts.dom;
        let near = dom.ancestors(c.anchor.node).take(3).chain(dom.descendants(c.anchor.node).take(6));
        let dated = std::iter::once(c.anchor.node).chain(near).filter(|n| dom.tag(*n) == Tag::A);
        if let Some(href) = dated.filter_map(|n| dom.attr(n, "href")).find(|h| !h.starts_with("javascript")) {
            return Some(absolute(self.facts, href));
        }
        let own = self.facts.blocks.elements.get(c.elements.start)?.node;
        let mut named = std::iter::once(own).chain(dom.descendants(own).take(12)).filter(|n| dom.tag(*n) != Tag::INPUT);
        named
            .find_map(|n| dom.attr(n, "id").or_else(|| dom.attr(n, "name")))
            .filter(|n| n.contains(|c: char| c.is_ascii_digit()))
            .map(|n| absolute(self.facts, &format!("#{n}")))
    }
}

/// Returns an absolute address, or the text if it cannot be parsed.
fn absolute(facts: &Facts<'_>, href: &str) -> String {
    facts.address(href).unwrap_or_else(|| href.to_owned())
}
