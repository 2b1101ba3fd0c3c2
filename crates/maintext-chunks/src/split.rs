//! Fills chunks with units.
use crate::units::{WholeUnit, ends, is_atomic, is_lead, units};
use crate::{PieceForm, Settings};
use maintext_core::CopyMeter;
use maintext_core::render::{Piece, PieceKind};
use std::ops::Range;

/// A chunk before it is written.
#[derive(Clone, Debug)]
pub(crate) struct ChunkCut<'a> {
    /// Its bytes of the text, with its overlap.
    pub(crate) range: Range<usize>,
    /// Where its own text begins.
    pub(crate) own: usize,
    /// The lines before and after it that are elsewhere in the text: the header of a table, the fences of code.
    pub(crate) repeated: Option<(&'a str, &'a str)>,
    pub(crate) tokens: usize,
    pub(crate) oversized: bool,
    pub(crate) headings: Vec<&'a str>,
    /// Whether it holds part of a table or of code, so that it joins no other chunk.
    part: bool,
}

/// Pieces under one heading, with the path of headings.
struct HeadedPieces<'a> {
    pieces: Range<usize>,
    headings: Vec<&'a str>,
}

/// Returns the chunks of a text. `copies` limits the repetitions in parts of tables and code.
pub(crate) fn split<'a>(
    text: &'a str,
    pieces: &'a [Piece],
    settings: &'a Settings,
    copies: &'a CopyMeter,
) -> Vec<ChunkCut<'a>> {
    let mut cuts = Vec::new();
    for section in sections(pieces) {
        let leads = pieces[section.pieces.clone()]
            .iter()
            .filter(|p| matches!(p.kind, PieceKind::Heading(_)))
            .map(|p| p.range.start)
            .collect();
        let units = units(text, pieces, section.pieces, settings);
        let mut filling = Filling {
            text,
            pieces,
            settings,
            copies,
            headings: &section.headings,
            leads,
            units: &units,
            cuts: Vec::new(),
        };
        filling.run();
        cuts.append(&mut filling.cuts);
    }
    if settings.min > 0 { joined(text, pieces, cuts, settings) } else { cuts }
}

/// Returns the sections: each begins with a heading, or with a post. A heading directly below another one stays with it if it is lower.
fn sections(pieces: &[Piece]) -> Vec<HeadedPieces<'_>> {
    let mut sections: Vec<HeadedPieces<'_>> = Vec::new();
    // The open headings with their levels, and those outside of posts.
    let (mut path, mut outer) = (Vec::<(u8, &str)>::new(), Vec::new());
    let (mut post, mut start, mut has_body) = (0, 0, false);
    for (i, piece) in pieces.iter().enumerate() {
        let other = piece.post != post;
        let level = match piece.kind {
            PieceKind::Heading(level) => Some(level),
            _ => None,
        };
        let deeper = level.is_some_and(|l| path.last().is_none_or(|h| h.0 < l));
        if other || level.is_some() && (has_body || !deeper) {
            // Signs belong to the next piece.
            let before =
                pieces[start..i].iter().rev().take_while(|p| p.kind == PieceKind::Sign && p.post == piece.post);
            let end = i - before.count();
            if end > start {
                sections.push(HeadedPieces { pieces: start..end, headings: names(&path) });
                start = end;
            }
            has_body = false;
        }
        if other {
            if post == 0 {
                outer.clone_from(&path);
            }
            path.clone_from(&outer);
            post = piece.post;
        }
        if let Some(level) = level {
            while path.pop_if(|h| h.0 >= level).is_some() {}
            path.push((level, &piece.title));
        }
        has_body |= !is_lead(piece.kind);
    }
    if start < pieces.len() {
        sections.push(HeadedPieces { pieces: start..pieces.len(), headings: names(&path) });
    }
    sections
}

/// Returns the headings of a path.
fn names<'a>(path: &[(u8, &'a str)]) -> Vec<&'a str> {
    path.iter().map(|h| h.1).collect()
}

struct Filling<'a, 's> {
    text: &'a str,
    pieces: &'a [Piece],
    settings: &'a Settings,
    copies: &'a CopyMeter,
    headings: &'s [&'a str],
    /// Where the section's own headings begin, which are the last of `headings`.
    leads: Vec<usize>,
    units: &'s [WholeUnit],
    cuts: Vec<ChunkCut<'a>>,
}

impl<'a> Filling<'a, '_> {
    fn run(&mut self) {
        let mut at = 0;
        // The first unit of the chunk before.
        let mut last = 0;
        while at < self.units.len() {
            let next = self.chunk(last, at);
            last = at;
            at = next;
        }
    }

    fn kind(&self, unit: usize) -> PieceKind {
        self.pieces[self.units[unit].piece].kind
    }

    fn count(&self, range: Range<usize>) -> usize {
        self.settings.tokenizer.count(&self.text[range])
    }

    /// Writes the chunk that begins with a unit and returns the first unit of the next one.
    fn chunk(&mut self, last: usize, first: usize) -> usize {
        let limit = self.settings.limit;
        let own = self.units[first].range.start;
        let (mut start, mut tokens) = self.overlap(last, first).unwrap_or((own, 0));
        let mut end = self.fill(first, tokens);
        if end == first && start < own {
            // The overlap leaves no room.
            (start, tokens) = (own, 0);
            end = self.fill(first, tokens);
        }
        if end < self.units.len() && (first..end).all(|u| is_lead(self.kind(u))) {
            // Headings before something that no chunk can hold with them.
            let large = &self.units[end];
            if is_atomic(self.kind(end)) && large.tokens > limit {
                return self.large(first, end);
            }
        }
        if end == first {
            // A unit that no chunk can hold: something large, or a grapheme of many tokens.
            return self.large(first, first);
        }
        // A sign at the end belongs to the next unit.
        while end < self.units.len() && end - 1 > first && self.kind(end - 1) == PieceKind::Sign {
            end -= 1;
        }
        loop {
            let range = start..self.units[end - 1].range.end;
            let tokens = self.count(range.clone());
            // Tokens at the seams of units can be more than the sum of both.
            match () {
                () if tokens <= limit => self.add(range, own, tokens, false),
                () if start < own => {
                    start = own;
                    continue;
                }
                () if end - first > 1 => {
                    end -= 1;
                    continue;
                }
                () => self.add(range, own, tokens, true),
            }
            return end;
        }
    }

    /// Returns one past the last unit of a chunk that begins with `first` and already holds some tokens.
    fn fill(&self, first: usize, held: usize) -> usize {
        let mut tokens = held;
        first
            + self.units[first..]
                .iter()
                .take_while(|u| {
                    tokens += u.tokens;
                    tokens <= self.settings.limit
                })
                .count()
    }

    /// Returns where the overlap of a chunk begins, and its tokens. It begins after the beginning of the chunk before.
    fn overlap(&self, last: usize, first: usize) -> Option<(usize, usize)> {
        let most = self.settings.overlap;
        if most == 0 || first == 0 {
            return None;
        }
        let (end, floor) = (self.units[first - 1].range.end, self.units[last].range.start);
        let (mut found, mut sum) = (None, 0);
        let mut until = end;
        for u in (last..first).rev() {
            let unit = &self.units[u];
            if self.kind(u) != PieceKind::Text {
                break;
            }
            for start in ends(self.text, unit, self.settings) {
                sum += self.count(start..until);
                until = start;
                if sum > most || start <= floor {
                    return found;
                }
                found = Some((start, sum));
            }
        }
        found
    }

    fn add(&mut self, range: Range<usize>, own: usize, tokens: usize, oversized: bool) {
        let later = self.leads.iter().filter(|&&lead| lead >= range.end).count();
        let headings = self.headings[..self.headings.len() - later.min(self.headings.len())].to_vec();
        self.cuts.push(ChunkCut { range, own, repeated: None, tokens, oversized, headings, part: oversized });
    }

    /// Writes the chunks of a unit above the limit, with the headings before it.
    fn large(&mut self, first: usize, unit: usize) -> usize {
        let range = self.units[first].range.start..self.units[unit].range.end;
        let parts = if self.settings.split_large { self.parts(unit) } else { None };
        match parts {
            Some(parts) => self.write_parts(range.start, &parts),
            None => {
                let tokens = self.count(range.clone());
                self.add(range.clone(), range.start, tokens, tokens > self.settings.limit);
            }
        }
        unit + 1
    }

    /// Returns where a table or code may be cut; `None` if nowhere.
    fn parts(&self, unit: usize) -> Option<SplitParts<'a>> {
        let piece = &self.pieces[self.units[unit].piece];
        let all = piece.range.clone();
        let text = &self.text[all.clone()];
        let mut parts = match piece.kind {
            PieceKind::Table => {
                let first = *piece.rows.first()?;
                // The header without a caption before it.
                let head = self.text[all.start..first].trim_end();
                let head = head.rsplit("\n\n").next().unwrap_or(head);
                SplitParts { cuts: piece.rows.clone(), end: all.end, head, tail: "" }
            }
            PieceKind::Code if self.settings.form == PieceForm::Markdown => {
                let cuts: Vec<usize> = text.match_indices('\n').map(|(at, _)| all.start + at + 1).collect();
                let (first, last) = (*cuts.first()?, *cuts.last()?);
                let (head, tail) = (self.text[all.start..first].trim_end_matches('\n'), &self.text[last..all.end]);
                SplitParts { cuts: cuts[..cuts.len() - 1].to_vec(), end: all.end, head, tail }
            }
            PieceKind::Code => {
                let cuts = std::iter::once(all.start)
                    .chain(text.match_indices('\n').map(|(at, _)| all.start + at + 1))
                    .collect();
                SplitParts { cuts, end: all.end, head: "", tail: "" }
            }
            _ => return None,
        };
        parts.cuts.dedup();
        (parts.cuts.len() > 1).then_some(parts)
    }

    /// Writes a chunk for as many rows as fit. The first also holds the text before the rows.
    fn write_parts(&mut self, start: usize, parts: &SplitParts<'a>) {
        let limit = self.settings.limit;
        let around = self.settings.tokenizer.count(parts.head) + self.settings.tokenizer.count(parts.tail);
        // The parts repeat the lines around them as long as the page may repeat them.
        let mut repeats = true;
        let end_of = |row: usize| parts.cuts.get(row + 1).copied().unwrap_or(parts.end);
        let mut row = 0;
        while row < parts.cuts.len() {
            let begin = if row == 0 { start } else { parts.cuts[row] };
            repeats = repeats && (row == 0 || self.copies.allows(parts.head.len() + parts.tail.len(), 1));
            let (head, tail) = if repeats { (parts.head, parts.tail) } else { ("", "") };
            let mut sum = if row == 0 || !repeats { 0 } else { around };
            let first = row;
            loop {
                let from = if row == first { begin } else { parts.cuts[row] };
                sum += self.count(from..end_of(row));
                if sum > limit && row > first {
                    break;
                }
                row += 1;
                if row == parts.cuts.len() || sum > limit {
                    break;
                }
            }
            loop {
                let range = begin..self.trimmed(begin, end_of(row - 1));
                let is_last = row == parts.cuts.len();
                let repeated = (if first == 0 { "" } else { head }, if is_last { "" } else { tail });
                let tokens = self.settings.tokenizer.count(&around_with(repeated, &self.text[range.clone()]));
                if tokens > limit && row - first > 1 {
                    row -= 1;
                    continue;
                }
                self.add(range, begin, tokens, tokens > limit);
                if let Some(cut) = self.cuts.last_mut() {
                    cut.repeated = Some(repeated).filter(|r| r.0.len() + r.1.len() > 0);
                    cut.part = true;
                }
                break;
            }
        }
    }

    fn trimmed(&self, start: usize, end: usize) -> usize {
        start + self.text[start..end].trim_end().len()
    }
}

/// The rows of a table or the lines of code.
struct SplitParts<'a> {
    cuts: Vec<usize>,
    end: usize,
    head: &'a str,
    tail: &'a str,
}

/// Returns a part between the lines that it repeats.
pub(crate) fn around_with((head, tail): (&str, &str), own: &str) -> String {
    let (after_head, before_tail) = (if head.is_empty() { "" } else { "\n" }, if tail.is_empty() { "" } else { "\n" });
    format!("{head}{after_head}{own}{before_tail}{tail}")
}

/// Joins chunks below the minimum with their neighbours under the same heading.
fn joined<'a>(text: &str, pieces: &[Piece], cuts: Vec<ChunkCut<'a>>, settings: &Settings) -> Vec<ChunkCut<'a>> {
    let mut out: Vec<ChunkCut<'a>> = Vec::with_capacity(cuts.len());
    for cut in cuts {
        if let Some(last) = out.last_mut()
            && (last.tokens < settings.min || cut.tokens < settings.min)
            && !last.part
            && !cut.part
            && last.tokens + cut.own_tokens(text, settings) <= settings.limit
            && let Some(shared) = shared(&last.headings, &cut.headings)
        {
            let range = last.range.start..cut.range.end;
            let tokens = settings.tokenizer.count(&text[range.clone()]);
            if tokens <= settings.limit {
                // A heading without a text lends its path to nothing.
                if !last.has_body(pieces) {
                    last.headings = cut.headings;
                } else if cut.has_body(pieces) {
                    last.headings.truncate(shared);
                }
                (last.range, last.tokens) = (range, tokens);
                continue;
            }
        }
        out.push(cut);
    }
    out
}

impl ChunkCut<'_> {
    /// Returns whether it holds something other than headings and signs.
    fn has_body(&self, pieces: &[Piece]) -> bool {
        let from = pieces.partition_point(|p| p.range.end <= self.own);
        pieces[from..].iter().take_while(|p| p.range.start < self.range.end).any(|p| !is_lead(p.kind))
    }

    fn own_tokens(&self, text: &str, settings: &Settings) -> usize {
        if self.own == self.range.start {
            self.tokens
        } else {
            settings.tokenizer.count(&text[self.own..self.range.end])
        }
    }
}

/// Returns the number of headings that two paths share if they lie under the same heading: the same section, a section and one directly below it,
/// or two sections directly below the same heading.
fn shared(a: &[&str], b: &[&str]) -> Option<usize> {
    // The same long heading is not read again for each chunk.
    let shared = a.iter().zip(b).take_while(|(a, b)| std::ptr::eq(**a, **b) || a == b).count();
    (a.len() <= shared + 1 && b.len() <= shared + 1).then_some(shared)
}
