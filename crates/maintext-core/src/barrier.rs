//! Recognises barriers, pages that a site shows instead of its content: login walls, paywalls, challenges, errors and parked domains.
//!
//! No site is known by name. The evidence: phrases of the word lists `lexicons/barrier-*.txt` and their positions, how little other text
//! the page has, and the marks of products for challenges and parking. Pages with much content are not examined.
mod marks;
mod phrases;

use maintext_facts::metadata::names_comments;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_reading::features::heading_level;
use marks::Marks;
use phrases::{PhraseBits, said, says};
use serde::{Serialize, Serializer};
use std::fmt;

/// Words of the content from which a page is not a barrier.
const MANY_WORDS: u32 = 400;
/// Words of the content below which a page may be an error, a challenge, a login or a parked domain.
const FEW_WORDS: u32 = 150;
/// Words below which there is hardly anything but the notice.
const NOTICE_WORDS: u32 = 60;
/// Words of the content below which a page that is declared not to be free holds only the beginning of its text.
const TEASER_WORDS: u32 = 120;
/// Maximum number of words of a block that may be a notice.
const MAX_NOTICE_WORDS: u32 = 60;
/// Maximum number of words of a title or heading that names the kind of a page.
const MAX_TITLE_WORDS: usize = 9;
/// Number of blocks after the content that are searched for the offer of its rest.
const MAX_BLOCKS_TO_OFFER: usize = 8;
/// Number of elements around a block that are searched for a cell.
const MAX_LEVELS_TO_CELL: usize = 2;
/// Maximum number of blocks that are read.
const MAX_BLOCKS: usize = 400;
/// Maximum number of bytes of a title that are read.
const MAX_TITLE_BYTES: usize = 1000;
/// A page that has this many paragraphs about something else is not an error, whatever its title: "Not found: the lost chapel".
const MIN_PARAGRAPHS: u32 = 2;
/// Number of headings of sections that count as one more: an error has none.
const MIN_SECTIONS: usize = 2;
/// Minimum number of words of such a paragraph.
const MIN_PARAGRAPH_WORDS: u32 = 15;
/// Words of the content above a notice from which it is about a part of the page: a reply that a moderator removed.
const WORDS_ABOVE_PART: u32 = 15;

/// Status codes that may be a whole heading.
const CODES: [&str; 9] = ["400", "401", "403", "404", "410", "500", "502", "503", "504"];

/// The kind of page that a site shows instead of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Barrier {
    /// A page that asks visitors to log in.
    Login,
    /// The beginning of a text whose rest is for subscribers or registered readers.
    Paywall,
    /// A check that the visitor is a person.
    Challenge,
    /// An error page, whatever its HTTP status.
    Error,
    /// A domain without a site.
    Parked,
}

impl Barrier {
    /// Returns the name that JSON, Python and the command show.
    pub fn as_str(self) -> &'static str {
        match self {
            Barrier::Login => "login",
            Barrier::Paywall => "paywall",
            Barrier::Challenge => "challenge",
            Barrier::Error => "error",
            Barrier::Parked => "parked",
        }
    }

    /// Returns a message for users.
    pub fn message(self) -> &'static str {
        match self {
            Barrier::Login => "the page asks visitors to log in",
            Barrier::Paywall => "this is the beginning of a text whose rest is for subscribers or registered readers",
            Barrier::Challenge => "the page checks that the visitor is a person",
            Barrier::Error => "this is an error page",
            Barrier::Parked => "the domain has no site",
        }
    }

    /// Returns the barrier that an HTTP status implies for a page with this number of words of content. Some sites send an error status
    /// with whole pages.
    pub fn of_status(status: u16, words: u32) -> Option<Barrier> {
        match status {
            _ if words >= FEW_WORDS => None,
            401 | 407 => Some(Barrier::Login),
            402 => Some(Barrier::Paywall),
            400.. => Some(Barrier::Error),
            _ => None,
        }
    }
}

impl fmt::Display for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Barrier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The facts about a page.
pub(crate) struct BarrierFacts<'a> {
    pub dom: &'a Dom<'a>,
    pub blocks: &'a Blocks,
    /// Whether each block is content.
    pub kept: &'a [bool],
    /// Number of words of the content.
    pub words: u32,
}

/// Returns the kind of barrier, if the page is one. `is_free` returns the declaration of the page, and is called for short pages only.
pub(crate) fn find(page: &BarrierFacts<'_>, is_free: impl FnOnce() -> Option<bool>) -> Option<Barrier> {
    if page.words >= MANY_WORDS {
        return None;
    }
    let said = BarrierEvidence::of(page);
    let small = (page.words < FEW_WORDS).then(|| said.small(page)).flatten();
    small.or_else(|| said.is_paywall(page.words, is_free).then_some(Barrier::Paywall))
}

/// What a page says.
#[derive(Default)]
struct BarrierEvidence {
    /// Number of visible words.
    visible: u32,
    /// The parts of the title, and the main headings.
    names: PhraseBits,
    /// The headings below.
    headings: PhraseBits,
    /// The blocks, headings included.
    blocks: PhraseBits,
    /// The text for browsers without scripts.
    noscript: PhraseBits,
    /// Whether a heading is nothing but a status code.
    is_code: bool,
    /// Number of paragraphs of the content that are not about an error.
    paragraphs: u32,
    /// Number of blocks that offer the rest of a text.
    offers: u32,
    /// Whether one of them is in the content or follows it.
    is_cut: bool,
    /// Number of labels of texts for subscribers.
    labels: u32,
}

impl BarrierEvidence {
    fn of(page: &BarrierFacts<'_>) -> BarrierEvidence {
        let BarrierFacts { dom, blocks, kept, .. } = *page;
        let mut out = BarrierEvidence::default();
        let title = &blocks.signs(dom).title;
        let title = &title[..title.floor_char_boundary(MAX_TITLE_BYTES)];
        for part in title.split(['|', '｜', '·', '‹', '»', '«', '–', '—', '：']).flat_map(|p| p.split(" - "))
        {
            name(part, &mut out.names);
        }
        let first = kept.iter().position(|k| *k).unwrap_or(0);
        let end = kept.iter().rposition(|k| *k).map_or(0, |last| last + 1 + MAX_BLOCKS_TO_OFFER);
        let mut words_above = 0;
        for (i, block) in blocks.blocks.iter().enumerate() {
            if block.hidden {
                continue;
            }
            if !block.noscript {
                out.visible += block.words;
            }
            let is_paragraph = kept[i] && !block.noscript && block.words >= MIN_PARAGRAPH_WORDS;
            let is_late = words_above >= WORDS_ABOVE_PART;
            if kept[i] && !block.noscript && heading_level(blocks, i) == 0 {
                words_above += block.words;
            }
            if block.words > MAX_NOTICE_WORDS || i >= MAX_BLOCKS {
                out.paragraphs += u32::from(is_paragraph);
                continue;
            }
            let text = blocks.text(i);
            let mut found = said(text);
            out.paragraphs += u32::from(is_paragraph && found.anywhere & says::ERROR == 0);
            if block.noscript {
                out.noscript.add(found);
                continue;
            }
            if found.anywhere & says::LOGIN != 0 && is_on_comments(text) {
                found.drop(says::LOGIN);
            }
            // "Forbidden" in a table, or in a sentence of the text, is not a notice of the page.
            if found.first & says::ERROR != 0
                && (tags_around(blocks, i).take(MAX_LEVELS_TO_CELL).any(|t| matches!(t, Tag::TD | Tag::TH | Tag::DD))
                    || is_paragraph && !opens_with_notice(text)
                    || is_late)
            {
                found.first &= !says::ERROR;
            }
            out.blocks.add(found);
            if found.anywhere & (says::PAYWALL | says::SUBSCRIBER_LABEL) != 0
                && (kept[i] || !tags_around(blocks, i).any(|t| matches!(t, Tag::NAV | Tag::HEADER | Tag::FOOTER)))
            {
                let offers = found.anywhere & says::PAYWALL != 0;
                out.offers += u32::from(offers);
                out.labels += u32::from(!offers);
                out.is_cut |= offers && (first..end).contains(&i);
            }
            match tags_around(blocks, i).take(3).find(|t| matches!(*t, Tag::H1 | Tag::H2)) {
                Some(Tag::H1) => name(text, &mut out.names),
                Some(_) => name(text, &mut out.headings),
                None => continue,
            }
            out.is_code |= CODES.contains(&text.trim());
        }
        let sections = (0..blocks.len()).filter(|&b| kept[b] && heading_level(blocks, b) > 1).take(MIN_SECTIONS);
        out.paragraphs += u32::from(sections.count() == MIN_SECTIONS);
        out
    }

    /// Returns the kind of barrier, if a page of few words is one.
    fn small(&self, page: &BarrierFacts<'_>) -> Option<Barrier> {
        let (is_short, is_brief) = (self.visible < FEW_WORDS, self.visible < 2 * FEW_WORDS);
        let mut heads = self.names;
        if is_brief {
            heads.add(self.headings);
        }
        let checks = (self.names.anywhere | self.blocks.anywhere | self.noscript.anywhere) & says::CHALLENGE != 0;
        // Longer pages have more elements, and their marks would not count.
        let marks = if is_short || checks { Marks::of(page.dom) } else { Marks::default() };
        let marked = marks.captcha || heads.first & says::CHALLENGE != 0 || self.visible < NOTICE_WORDS;
        if marks.challenge && (is_short || checks) || checks && marked && is_short {
            return Some(Barrier::Challenge);
        }
        let is_empty = marks.lander && self.visible < NOTICE_WORDS;
        let is_parked = heads.anywhere & says::PARKED != 0 || self.speaks(says::PARKED);
        if is_empty || marks.parked && is_short || is_brief && is_parked {
            return Some(Barrier::Parked);
        }
        let has_password = has_password(page.dom, page.blocks);
        let is_login = heads.first & says::LOGIN_TITLE != 0;
        let asks = heads.anywhere & says::LOGIN != 0 || self.speaks(says::LOGIN) && (is_short || is_brief && is_login);
        if has_password && (asks || is_short && is_login) {
            return Some(Barrier::Login);
        }
        let fails = self.blocks.first & says::ERROR != 0 && is_short;
        let is_code = self.is_code && page.words < NOTICE_WORDS;
        // Short articles have titles such as "Forbidden", but error pages have no paragraphs.
        if (heads.first & says::ERROR != 0 || fails || is_code) && self.paragraphs < MIN_PARAGRAPHS {
            return Some(Barrier::Error);
        }
        let is_form = has_password && (self.names.first & says::LOGIN_TITLE != 0 || is_short);
        (is_form || asks).then_some(Barrier::Login)
    }

    fn speaks(&self, bit: u8) -> bool {
        self.blocks.anywhere & bit != 0
    }

    /// Whether the page holds the beginning of a text only. Lists of texts offer each of them.
    fn is_paywall(&self, words: u32, is_free: impl FnOnce() -> Option<bool>) -> bool {
        let is_teaser = words < TEASER_WORDS && words > 0;
        is_few_offers(self.offers) && (self.is_cut || is_teaser)
            || is_teaser && (is_few_offers(self.labels + self.offers) || is_free() == Some(false))
    }
}

/// Returns the tags of the elements around a block, from the inside.
fn tags_around(blocks: &Blocks, block: usize) -> impl Iterator<Item = Tag> + '_ {
    blocks.ancestors(block).map(|e| blocks.elements[e].tag)
}

/// Maximum number of blocks of one offer.
const OFFERS: u32 = 6;

fn is_few_offers(count: u32) -> bool {
    (1..=OFFERS).contains(&count)
}

/// Whether the first sentence of a paragraph is a short one about an error.
fn opens_with_notice(paragraph: &str) -> bool {
    let sentence = paragraph.split_inclusive(['.', '!', '?', ':', '。', '！', '：']).next().unwrap_or("");
    sentence.split_whitespace().nth(MAX_TITLE_WORDS).is_none() && said(sentence).first & says::ERROR != 0
}

/// Reads a part of the title, or a heading.
fn name(text: &str, names: &mut PhraseBits) {
    if text.split_whitespace().nth(MAX_TITLE_WORDS).is_none() && !text.trim().is_empty() {
        names.add(said(text));
    }
}

/// Whether a request to log in addresses readers who want to comment or rate.
fn is_on_comments(text: &str) -> bool {
    /// Parts of words for answers and ratings, in lower case.
    const ACTS: [&str; 9] =
        ["reply", "answer", "antwort", "répond", "respond", "vote", "bewert", "review", "rate this"];
    let lower = text.to_lowercase();
    names_comments(&lower) || ACTS.iter().any(|act| lower.contains(act))
}

/// Whether the page shows a field for a password.
fn has_password(dom: &Dom<'_>, blocks: &Blocks) -> bool {
    blocks.elements.iter().any(|e| e.tag == Tag::INPUT && !e.hidden && is_password_field(dom, e.node))
}

fn is_password_field(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.attr(n, "type").is_some_and(|t| t.eq_ignore_ascii_case("password"))
}
