//! The chunks as they are given away.
use crate::links;
use crate::split::{ChunkCut, around_with};
use maintext_core::CopyMeter;
use maintext_core::render::{Piece, PieceKind};
use serde::Serialize;
use std::ops::Range;

/// Maximum length of a heading that is cut, in bytes: six of them are below [`CopyMeter::FREE_BYTES`].
const MAX_CUT: usize = 38;

/// The JSON Schema of a chunk as [`Chunk`] serialises.
pub const SCHEMA: &str = include_str!("chunk.schema.json");

/// A passage of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Chunk {
    /// Its number on the page, from 0.
    pub index: usize,
    /// Its text: that at [`Chunk::bytes`]; in parts of a large table or of large code the header or the fences around it, too.
    pub text: String,
    /// The tokens of its text.
    pub tokens: usize,
    /// The headings above it, from the outermost, and the headings at its beginning. Long ones are cut if chunks repeat too much of them.
    pub headings: Vec<String>,
    /// The kinds of its content, in order: `text`, `heading`, `table`, `code`, `formula`.
    pub kinds: Vec<&'static str>,
    /// Its links, in order.
    pub links: Vec<Link>,
    /// Where it begins in the page's text or Markdown, in characters (Unicode code points), so that Python's `text[start:end]` gives it.
    pub start: usize,
    /// Where it ends there, in characters.
    pub end: usize,
    /// The characters at its beginning that the chunk before it also holds.
    pub overlap: usize,
    /// Where its content begins in the page's decoded source, in bytes of UTF-8. Of a paragraph that was cut, where the paragraph begins.
    pub source_start: Option<usize>,
    /// Where its content ends there.
    pub source_end: Option<usize>,
    /// Whether it has more tokens than the limit: a table, code or a formula that cannot be cut.
    pub oversized: bool,
    /// Its bytes in the page's text or Markdown.
    #[serde(skip)]
    pub bytes: Range<usize>,
}

/// A link of a [`Chunk`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Its words, `""` for a picture.
    pub text: String,
    /// Its address, absolute if the page's address is known.
    pub href: String,
}

/// Counts characters up to positions that never decrease.
struct Chars<'t> {
    text: &'t str,
    at: usize,
    count: usize,
}

impl Chars<'_> {
    fn at(&mut self, byte: usize) -> usize {
        let byte = byte.max(self.at);
        self.count += self.text[self.at..byte].chars().count();
        self.at = byte;
        self.count
    }
}

/// Completes the chunks. `copies` bounds the headings that they repeat.
pub(crate) fn build(text: &str, pieces: &[Piece], cuts: Vec<ChunkCut<'_>>, copies: &CopyMeter) -> Vec<Chunk> {
    let (mut starts, mut owns, mut ends) =
        (Chars { text, at: 0, count: 0 }, Chars { text, at: 0, count: 0 }, Chars { text, at: 0, count: 0 });
    let mut first = 0;
    // The places of the links of the piece that was cut last.
    let mut cut_links: (usize, Vec<usize>) = (usize::MAX, Vec::new());
    let mut chunks = Vec::with_capacity(cuts.len());
    for (index, cut) in cuts.into_iter().enumerate() {
        let range = cut.range;
        while pieces.get(first).is_some_and(|p| p.range.end <= range.start) {
            first += 1;
        }
        let (mut kinds, mut links, mut source) = (Vec::new(), Vec::new(), None::<Range<usize>>);
        let inside = pieces.iter().enumerate().skip(first).take_while(|p| p.1.range.start < range.end);
        for (i, piece) in inside.filter(|p| p.1.range.end > range.start) {
            if let Some(kind) = name(piece.kind)
                && !kinds.contains(&kind)
            {
                kinds.push(kind);
            }
            if let Some(s) = &piece.source {
                source = Some(source.map_or(s.clone(), |o| o.start.min(s.start)..o.end.max(s.end)));
            }
            let whole = range.start <= piece.range.start && piece.range.end <= range.end;
            let own = if whole || piece.links.is_empty() {
                0..piece.links.len()
            } else {
                if cut_links.0 != i {
                    cut_links = (i, links::places(text, piece));
                }
                let below = |at: usize| cut_links.1.partition_point(|&place| place < at);
                below(range.start)..below(range.end)
            };
            links.extend(piece.links[own].iter().map(|l| Link { text: l.0.clone(), href: l.1.clone() }));
        }
        let own = &text[range.clone()];
        let (start, body, end) = (starts.at(range.start), owns.at(cut.own), ends.at(range.end));
        chunks.push(Chunk {
            index,
            text: cut.repeated.map_or_else(|| own.to_owned(), |repeated| around_with(repeated, own)),
            tokens: cut.tokens,
            headings: headings(&cut.headings, copies),
            kinds,
            links,
            start,
            end,
            overlap: body - start,
            source_start: source.as_ref().map(|s| s.start),
            source_end: source.map(|s| s.end),
            oversized: cut.oversized,
            bytes: range,
        });
    }
    chunks
}

/// Returns the headings of a chunk; only their beginnings where the page may repeat no more of them.
fn headings(path: &[&str], copies: &CopyMeter) -> Vec<String> {
    let whole = copies.allows(path.iter().map(|h| h.len()).sum(), 1);
    path.iter()
        .map(|h| {
            if whole || h.len() <= MAX_CUT {
                (*h).to_owned()
            } else {
                format!("{}…", &h[..h.floor_char_boundary(MAX_CUT)])
            }
        })
        .collect()
}

fn name(kind: PieceKind) -> Option<&'static str> {
    Some(match kind {
        PieceKind::Heading(_) => "heading",
        PieceKind::Text => "text",
        PieceKind::Table => "table",
        PieceKind::Code => "code",
        PieceKind::Formula => "formula",
        PieceKind::Sign => return None,
    })
}
