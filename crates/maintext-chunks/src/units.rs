//! What the pieces of a section fall into before chunks are filled.
use crate::sentences::{beginning, bounds, markup, sentences, words};
use crate::{PieceForm, Settings};
use maintext_core::render::{Piece, PieceKind};
use std::ops::Range;

/// Tokens are at most this many bytes long on average when a long word is cut.
const BYTES_PER_TOKEN: usize = 4;

/// A part of the text that chunks do not cut.
#[derive(Clone, Debug)]
pub(crate) struct WholeUnit {
    /// Its bytes of the text.
    pub(crate) range: Range<usize>,
    /// The tokens from the end of the unit before it to its end.
    pub(crate) tokens: usize,
    /// Its piece.
    pub(crate) piece: usize,
}

/// Whether nothing of a piece may be cut off.
pub(crate) fn is_atomic(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Table | PieceKind::Code | PieceKind::Formula)
}

/// Whether a piece belongs to the one after it.
pub(crate) fn is_lead(kind: PieceKind) -> bool {
    matches!(kind, PieceKind::Heading(_) | PieceKind::Sign)
}

/// Returns the units of a section's pieces.
pub(crate) fn units(text: &str, pieces: &[Piece], section: Range<usize>, settings: &Settings) -> Vec<WholeUnit> {
    let count = |range: Range<usize>| settings.tokenizer.count(&text[range]);
    let mut units: Vec<WholeUnit> = Vec::with_capacity(section.len());
    // The tokens of the headings directly before a piece, which a chunk holds with its beginning.
    let mut leads = 0;
    for i in section {
        let piece = &pieces[i];
        let from = units.last().map_or(piece.range.start, |u| u.range.end);
        let tokens = count(from..piece.range.end);
        let fits = tokens + leads <= settings.limit;
        leads = if is_lead(piece.kind) { leads + tokens } else { 0 };
        if fits || is_atomic(piece.kind) {
            units.push(WholeUnit { range: piece.range.clone(), tokens, piece: i });
            continue;
        }
        let mut end = from;
        for range in fine(text, piece, settings) {
            let tokens = count(end..range.end);
            end = range.end;
            units.push(WholeUnit { range, tokens, piece: i });
        }
    }
    units
}

/// Returns the sentences of a piece; of sentences above the limit the words, of words the parts.
fn fine(text: &str, piece: &Piece, settings: &Settings) -> Vec<Range<usize>> {
    let fits = |text: &str| settings.tokenizer.count(text) <= settings.limit;
    let own = &text[piece.range.clone()];
    let whole = if settings.form == PieceForm::Markdown { markup(own) } else { Vec::new() };
    let mut found = Vec::new();
    let mut first = 0;
    for sentence in sentences(own, &whole) {
        let s = &own[sentence.clone()];
        if fits(s) {
            found.push(sentence);
            continue;
        }
        while whole.get(first).is_some_and(|w| w.end <= sentence.start) {
            first += 1;
        }
        let inside = whole[first..].iter().take_while(|w| w.start < sentence.end);
        let inside: Vec<Range<usize>> = inside.map(|w| w.start - sentence.start..w.end - sentence.start).collect();
        for word in words(s, &inside) {
            let w = &s[word.clone()];
            let at = sentence.start + word.start;
            if fits(w) {
                found.push(at..at + w.len());
                continue;
            }
            for part in bounds(w) {
                if w[part.clone()].trim().is_empty() {
                    continue;
                }
                cut(w, part, settings, |r| found.push(at + r.start..at + r.end));
            }
        }
    }
    // What the units leave out between them has to be white space.
    found.into_iter().map(|r| piece.range.start + r.start..piece.range.start + r.end).collect()
}

/// Cuts a part of a word into pieces that the limit allows, between graphemes. Only a grapheme above the limit is cut between its code points.
fn cut(word: &str, part: Range<usize>, settings: &Settings, mut add: impl FnMut(Range<usize>)) {
    let mut start = part.start;
    while start < part.end {
        let rest = &word[start..part.end];
        let mut bytes = settings.limit.saturating_mul(BYTES_PER_TOKEN);
        let mut len = beginning(rest, bytes);
        while settings.tokenizer.count(&rest[..len]) > settings.limit && bytes > 1 {
            bytes = (bytes / 2).min(len.saturating_sub(1)).max(1);
            len = beginning(rest, bytes);
        }
        if settings.tokenizer.count(&rest[..len]) > settings.limit {
            // No tokenizer makes more tokens than bytes.
            let mut from = 0;
            for (at, c) in rest[..len].char_indices() {
                if at > from && at + c.len_utf8() - from > settings.limit {
                    add(start + from..start + at);
                    from = at;
                }
            }
            start += from;
            len -= from;
        }
        add(start..start + len);
        start += len;
    }
}

/// Returns where the last sentences of a unit begin, from the last to the first.
pub(crate) fn ends(text: &str, unit: &WholeUnit, settings: &Settings) -> Vec<usize> {
    let own = &text[unit.range.clone()];
    let whole = if settings.form == PieceForm::Markdown { markup(own) } else { Vec::new() };
    sentences(own, &whole).into_iter().rev().map(|r| unit.range.start + r.start).collect()
}
