//! The pieces of a rendered page: the position of each block in the text or Markdown and in the source, and its kind.
use super::text::write_leaf;
use super::tree::{BlockKind, BlockSpan, KeptTree, RunKind, TITLE};
use super::typed;
use std::ops::Range;

/// A block of the rendered text that a reader sees as a unit.
///
/// Pieces follow each other in the order of the text without overlaps. Between them are only line breaks and the signs of quotations, so
/// that every word of the text is in one piece; the addresses of [`RenderOptions::reference_links`](super::RenderOptions::reference_links)
/// are in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its bytes of the rendered text, from the beginning of its first line to the end of its last.
    pub range: Range<usize>,
    /// Its bytes of the page's decoded source; `None` if the content has no place there.
    pub source: Option<Range<usize>>,
    /// The words of a heading, else `""`.
    pub title: String,
    /// The number of the post that holds it, from 1; 0 outside of posts.
    pub post: u32,
    /// The bytes of the rendered text where the rows of a table begin, without its caption and header. Empty for a table in HTML and for
    /// other pieces.
    pub rows: Vec<usize>,
    /// Its links, in order: text and address.
    pub links: Vec<(String, String)>,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A heading with its level, 1 to 6. Headings inside of lists, quotations, callouts and definitions are [`PieceKind::Text`].
    Heading(u8),
    /// A paragraph, or the first line of a list item.
    Text,
    /// A table with its captions.
    Table,
    /// Preformatted text.
    Code,
    /// A displayed formula.
    Formula,
    /// A sign without words that belongs to the next piece: a rule, the first line of a callout.
    Sign,
}

/// The rendered text for which pieces are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceForm {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
}

/// Returns the pieces for the recorded spans of a writer. `offsets`: whether the tree's positions are valid in the page's source.
pub(super) fn pieces(tree: &KeptTree<'_>, spans: Vec<BlockSpan>, offsets: bool) -> Vec<Piece> {
    let sources = if offsets { typed::sources(tree) } else { Vec::new() };
    // The ends of the blocks up to `next` that hold a post, or headings that are not the page's own.
    let (mut next, mut inner_end, mut post, mut post_end) = (0, 0, 0, 0);
    let mut pieces = Vec::with_capacity(spans.len());
    for BlockSpan { block, range, rows } in spans.into_iter().filter(|s| !s.range.is_empty()) {
        if block == TITLE {
            let title = tree.title.clone().unwrap_or_default();
            let kind = PieceKind::Heading(1);
            pieces.push(Piece { kind, range, source: None, title, post: 0, rows, links: Vec::new() });
            continue;
        }
        while next <= block {
            let b = &tree.blocks[next];
            match b.kind {
                BlockKind::Post(n) => (post, post_end) = (n + 1, b.end),
                BlockKind::Item
                | BlockKind::Quote
                | BlockKind::Callout(_)
                | BlockKind::Term
                | BlockKind::Definition
                | BlockKind::Note(_) => {
                    inner_end = inner_end.max(b.end);
                }
                BlockKind::Cell { .. } | BlockKind::Caption => inner_end = inner_end.max(b.end),
                _ => {}
            }
            next += 1;
        }
        let kind = match tree.blocks[block].kind {
            BlockKind::Heading(level) if block as u32 >= inner_end && tree.has_text(block) => PieceKind::Heading(level),
            BlockKind::Table => PieceKind::Table,
            BlockKind::Pre => PieceKind::Code,
            BlockKind::Rule | BlockKind::Callout(_) | BlockKind::Post(_) => PieceKind::Sign,
            _ => match tree.runs(block) {
                [run] if matches!(run.kind, RunKind::Math { display: true, .. }) => PieceKind::Formula,
                _ => PieceKind::Text,
            },
        };
        let mut title = String::new();
        if let PieceKind::Heading(_) = kind {
            write_leaf(tree, block, ' ', &mut title);
        }
        let source = sources.get(block).filter(|s| s.start < s.end).map(|s| s.start as usize..s.end as usize);
        let post = if (block as u32) < post_end { post } else { 0 };
        let mut links = Vec::new();
        if kind != PieceKind::Sign {
            let own = tree.links(tree.leaves(block).flat_map(|l| tree.runs(l))).into_iter();
            let own = own.filter(|(_, href)| !href.is_empty());
            links.extend(own.map(|(text, href)| (text.trim_end().to_owned(), href.to_owned())));
        }
        pieces.push(Piece { kind, range, source, title, post, rows, links });
    }
    pieces
}
