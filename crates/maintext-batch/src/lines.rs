//! Removes lines that an earlier page of the run has: menus, notices and paragraphs that many pages repeat.
//!
//! Lines are compared as in CCNet (Wenzek et al., "CCNet: Extracting High Quality Monolingual Datasets from Web Crawl Data", 2019,
//! section 3.1): by a hash of 64 bits of the line in lower case, with digits replaced by 0 and without punctuation. Here, runs of white space
//! also count as one space, and short lines always stay. A line that a page repeats within itself stays.
use crate::dedup::IdentityHasher;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use twox_hash::XxHash3_64;

/// Default for the shortest line that is removed, in characters that count.
pub const SHORTEST_LINE: usize = 30;

/// A line of a text that may be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemovableLine {
    /// The key of its normalised text.
    key: u64,
    /// Its bytes in the text, with its line break.
    place: Range<usize>,
}

/// Returns the lines of a text with at least `shortest` characters that count.
///
/// Characters that count are letters and digits.
pub(crate) fn lines_of(text: &str, shortest: usize) -> Vec<RemovableLine> {
    let mut lines = Vec::new();
    let mut normal = String::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let place = start..start + line.len();
        start = place.end;
        let counted = normalise(line, &mut normal);
        if counted >= shortest.max(1) {
            lines.push(RemovableLine { key: XxHash3_64::oneshot(normal.as_bytes()), place });
        }
    }
    lines
}

/// Writes the normalised line to `normal` and returns the number of its letters and digits.
fn normalise(line: &str, normal: &mut String) -> usize {
    normal.clear();
    let (mut counted, mut space) = (0, false);
    for c in line.chars() {
        if c.is_whitespace() {
            space = !normal.is_empty();
            continue;
        }
        if is_punctuation(c) {
            continue;
        }
        if std::mem::take(&mut space) {
            normal.push(' ');
        }
        counted += usize::from(c.is_alphanumeric());
        match c {
            c if c.is_numeric() => normal.push('0'),
            c if c.is_ascii() => normal.push(c.to_ascii_lowercase()),
            c => normal.extend(c.to_lowercase()),
        }
    }
    counted
}

/// Whether a character is punctuation or cannot be seen. Signs that belong to letters, as in Indian scripts, are neither.
fn is_punctuation(c: char) -> bool {
    let block = matches!(c, '\u{80}'..='\u{bf}' | '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{303f}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff65}');
    c.is_ascii_punctuation() || c.is_control() || block && !c.is_alphanumeric() || c == '\u{feff}'
}

/// Returns the text without these parts, which are in order.
pub(crate) fn without(text: &str, removed: &[Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for part in removed {
        kept.push_str(text.get(at..part.start).unwrap_or_default());
        at = part.end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept
}

/// The keys of the lines seen so far. A key takes 8 bytes in a table that is between 7/16 and 7/8 full, and one byte of the table's own: 10 to
/// 21 bytes per line.
#[derive(Debug, Default)]
pub(crate) struct SeenLines(HashSet<u64, BuildHasherDefault<IdentityHasher>>);

impl SeenLines {
    /// Returns the parts of a page's text that earlier pages have, in order, and adds its other lines. `added` gets the key of each new line.
    pub(crate) fn repeated(&mut self, lines: &[RemovableLine], mut added: impl FnMut(u64)) -> Vec<Range<usize>> {
        let seen = lines.iter().filter(|line| self.0.contains(&line.key));
        let repeated = seen.map(|line| line.place.clone()).collect();
        for line in lines {
            if self.0.insert(line.key) {
                added(line.key);
            }
        }
        repeated
    }

    pub(crate) fn add(&mut self, key: u64) {
        self.0.insert(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(line: &str) -> (usize, String) {
        let mut normal = String::new();
        (normalise(line, &mut normal), normal)
    }

    #[test]
    fn lines_are_compared_without_case_digits_and_punctuation() {
        assert_eq!(normal("  Published: 12 May 2024, at  9:30!\n"), (23, "published 00 may 0000 at 000".into()));
        assert_eq!(normal("„Größe“ – ÄRGER…"), normal("größe ärger"));
        assert_eq!(normal("水が、流れる。１２"), (7, "水が流れる00".into()));
        // Vowel signs stay.
        assert_ne!(normal("कि"), normal("का"));
        assert_eq!(normal(" -- \u{200b} … "), (0, String::new()));
    }

    #[test]
    fn only_long_lines_of_earlier_pages_are_repeated() {
        let mut seen = SeenLines::default();
        let mut check = |text: &str| {
            let mut added = 0;
            let removed = seen.repeated(&lines_of(text, 10), |_| added += 1);
            (without(text, &removed), added)
        };
        let first = "A line that repeats.\nYes.\nA line that repeats.\nAnother one, alone\n";
        assert_eq!(check(first), (first.to_owned(), 2));
        assert_eq!(check("Yes.\na line that repeats\nA third line, new.\n"), ("Yes.\nA third line, new.\n".into(), 1));
        assert_eq!(check("A line — that repeats!\nANOTHER one alone"), (String::new(), 0));
    }

    #[test]
    fn keys_are_the_same_on_every_machine_and_version() {
        let line = &lines_of("Two herons stood at the pond for an hour.\n", SHORTEST_LINE)[0];
        assert_eq!((line.key, line.place.clone()), (0x917e_5b1d_23b7_5ff1, 0..42));
    }
}
