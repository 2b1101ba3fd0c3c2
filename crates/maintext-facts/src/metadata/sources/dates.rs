//! The dates in the text of a page, and how to read them.
use super::facts::{DateInLine, Facts};
use crate::metadata::Stamp;
use crate::metadata::text::dates::{self, Hit};
use crate::metadata::text::{cap, squeeze};
use std::ops::Range;

/// Longest line with an incomplete date, in characters; a longer one is a sentence.
pub const MAX_VAGUE_CHARS: u32 = 80;
/// Maximum number of texts after the first one in a line that may be its relative date.
const MAX_PARTS: usize = 8;

impl Facts<'_> {
    /// Returns the dates in the text of each block that has any.
    pub fn hits(&self) -> &[(u32, Vec<Hit>)] {
        self.hits.get_or_init(|| {
            let hint = self.hint();
            let blocks = self.blocks.blocks.iter().enumerate().filter(|(_, b)| !b.hidden || b.chars <= 100);
            let found = blocks.map(|(i, _)| (i as u32, dates::find(cap(self.blocks.text(i), 20_000), &hint)));
            found.filter(|f| !f.1.is_empty()).collect()
        })
    }

    /// Returns the dates in the text of a block.
    pub fn hits_of(&self, block: u32) -> &[Hit] {
        let hits = self.hits();
        hits.binary_search_by_key(&block, |of_block| of_block.0).map_or(&[], |at| &hits[at].1)
    }

    /// Returns the dates without a year and the relative dates in short lines, at most one per block.
    pub fn vague_dates(&self) -> &[DateInLine] {
        self.vague.get_or_init(|| {
            let hint = self.hint();
            let short = self.blocks.blocks.iter().enumerate();
            let short = short.filter(|(_, b)| b.chars - b.link_chars.min(b.chars) <= MAX_VAGUE_CHARS);
            short
                .filter_map(|(i, _)| {
                    let (stamp, range) = vague(self.blocks.text(i), &hint).or_else(|| self.after_name(i, &hint))?;
                    Some((i as u32, stamp, range))
                })
                .collect()
        })
    }

    /// Finds a relative date in an element of its own after a name, in a line with more: `Jane <a>3 hours ago</a> | parent | next`. A line that
    /// begins with such a date goes on with the title of another page.
    fn after_name(&self, i: usize, hint: &dates::Hint<'_>) -> Option<(Option<Stamp>, Range<usize>)> {
        let line = self.blocks.text(i);
        let (_, after) = self.blocks.leaves_of(&self.blocks.blocks[i]).split_first()?;
        after.iter().take(MAX_PARTS).find_map(|leaf| {
            let part = self.dom.text(*leaf);
            if !has_digit(part) {
                return None;
            }
            let part = squeeze(part);
            let stamp = relative(&part, hint)?;
            let start = line.find(&part).filter(|start| *start > 0)?;
            Some((stamp, start..start + part.len()))
        })
    }

    /// Returns how to read dates in texts of this page.
    pub fn hint(&self) -> dates::Hint<'_> {
        dates::Hint { language: &self.declared, month_first: self.month_first(), now: self.now, ..Default::default() }
    }

    /// Returns whether numeric dates put the month first, as in English of the United States and countries with the same convention.
    fn month_first(&self) -> bool {
        let lang = self.declared.to_ascii_lowercase().replace('_', "-");
        match lang.split_once('-') {
            Some(("en", region)) => {
                return matches!(region, "us" | "ph" | "us-posix") && !self.ends_with_country();
            }
            None if lang == "en" || lang.is_empty() => {}
            Some(("fil", _)) => return true,
            _ => return false,
        }
        !self.ends_with_country()
    }

    /// Returns whether the host ends with a two-letter country code. Codes of countries that write the month first and codes in generic use
    /// do not count.
    fn ends_with_country(&self) -> bool {
        let tld = self.host().and_then(|h| h.rsplit('.').next()).unwrap_or("");
        tld.len() == 2
            && !matches!(tld, "us" | "io" | "co" | "ai" | "tv" | "me" | "ly" | "fm" | "gg" | "ph" | "ca" | "cc" | "to")
    }
}

/// Finds a date without a year or relative to today, in a line too short for a sentence.
fn vague(text: &str, hint: &dates::Hint<'_>) -> Option<(Option<Stamp>, Range<usize>)> {
    // A relative date without a number ("yesterday") is rare, and looking for it would cost a lookup for every short line.
    if !has_digit(text) {
        return None;
    }
    if let Some(range) = dates::partial(text, hint.language) {
        return Some((None, range));
    }
    Some((relative(text, hint)?, 0..text.len()))
}

/// Returns the date of a text that is a relative date, if it can be told.
fn relative(text: &str, hint: &dates::Hint<'_>) -> Option<Option<Stamp>> {
    dates::is_relative(text).then(|| dates::find(text, hint).first().map(|hit| hit.stamp))
}

fn has_digit(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric()))
}
