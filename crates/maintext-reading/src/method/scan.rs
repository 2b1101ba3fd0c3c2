//! Cuts the source into text and markup for the methods that read lines of source.
//!
//! Those methods were published for the raw source, so they read it through a scanner instead of the tree: tags
//! with their quoted attributes, comments, and the contents of `<script>` and `<style>`. One pass without backtracking.
use maintext_page::dom::Tag;
use memchr::memchr;
use std::ops::Range;

/// The kind of a piece of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text, with entities left as they are.
    Text,
    /// A start tag.
    Start(Tag),
    /// An end tag.
    End(Tag),
    /// A doctype or a processing instruction.
    Declaration,
    /// A comment.
    Comment,
    /// `<script>...</script>` or `<style>...</style>` as one piece.
    Code,
}

/// A piece of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub kind: Kind,
    pub span: Range<usize>,
}

/// Cuts the source into pieces, without gaps.
pub fn pieces(source: &str) -> Pieces<'_> {
    Pieces { source, at: 0 }
}

pub struct Pieces<'a> {
    source: &'a str,
    at: usize,
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let start = self.at;
        let bytes = self.source.as_bytes();
        if start >= bytes.len() {
            return None;
        }
        let kind = match markup_kind(&bytes[start..]) {
            None => {
                self.at = text_end(bytes, start);
                Kind::Text
            }
            Some(Opening::Comment) => {
                self.at = after(bytes, start + 4, b"-->");
                Kind::Comment
            }
            Some(Opening::Declaration) => {
                self.at = after(bytes, start, b">");
                Kind::Declaration
            }
            Some(Opening::Start) => {
                let tag = self.tag(start, 1);
                if tag == Tag::SCRIPT || tag == Tag::STYLE {
                    self.at = raw_end(bytes, self.at, tag.name());
                    Kind::Code
                } else {
                    Kind::Start(tag)
                }
            }
            Some(Opening::End) => Kind::End(self.tag(start, 2)),
        };
        Some(Piece { kind, span: start..self.at })
    }
}

impl Pieces<'_> {
    /// Returns the tag whose name begins `skip` bytes after `start`, and moves past its `>`.
    fn tag(&mut self, start: usize, skip: usize) -> Tag {
        let bytes = self.source.as_bytes();
        let from = start + skip;
        let mut at = from;
        while at < bytes.len() && !bytes[at].is_ascii_whitespace() && bytes[at] != b'>' && bytes[at] != b'/' {
            at += 1;
        }
        // All names that have a constant are shorter.
        let name = self.source.get(from..at).filter(|n| n.len() <= 16).unwrap_or("");
        let tag = Tag::from_name(&name.to_ascii_lowercase());
        let mut quoted = None;
        let mut value = false;
        while at < bytes.len() {
            let c = bytes[at];
            at += 1;
            match (quoted, c) {
                (Some(q), c) if c == q => quoted = None,
                (Some(_), _) => {}
                (None, b'>') => break,
                (None, b'"' | b'\'') if value => quoted = Some(c),
                _ => {}
            }
            value = c == b'=' || (value && c.is_ascii_whitespace());
        }
        self.at = at;
        tag
    }
}

enum Opening {
    Comment,
    Declaration,
    Start,
    End,
}

fn markup_kind(bytes: &[u8]) -> Option<Opening> {
    match bytes {
        [b'<', b'!', b'-', b'-', ..] => Some(Opening::Comment),
        [b'<', b'!' | b'?', ..] => Some(Opening::Declaration),
        [b'<', b'/', c, ..] if c.is_ascii_alphabetic() => Some(Opening::End),
        [b'<', c, ..] if c.is_ascii_alphabetic() => Some(Opening::Start),
        _ => None,
    }
}

fn text_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        // The first byte may be a `<` that opens no tag.
        match memchr(b'<', &bytes[at + 1..]) {
            None => return bytes.len(),
            Some(i) => at += 1 + i,
        }
        if markup_kind(&bytes[at..]).is_some() {
            return at;
        }
    }
}

/// Returns the position after the first `what` at or after `from`, or the end of the source.
fn after(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    memchr::memmem::find(rest, what).map_or(bytes.len(), |i| from + i + what.len())
}

/// Returns the position after the end tag of a raw text element whose content begins at `from`.
fn raw_end(bytes: &[u8], from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(i) = memchr::memmem::find(&bytes[at..], b"</") {
        at += i + 2;
        let rest = &bytes[at..];
        if rest.len() >= name.len() && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return after(bytes, at, b">");
        }
    }
    bytes.len()
}

/// Whether an `<iframe>` is a player: it may go full screen or play automatically, or its address looks like one.
pub fn is_player(tag: &str) -> bool {
    const SIGNS: [&str; 6] = ["allowfullscreen", "fullscreen", "autoplay", "encrypted-media", "player", "video"];
    let tag = tag.to_ascii_lowercase();
    SIGNS.iter().any(|s| tag.contains(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(html: &str) -> Vec<(Kind, &str)> {
        pieces(html).map(|p| (p.kind, &html[p.span])).collect()
    }

    #[test]
    fn tags_comments_and_code_are_distinguished() {
        let html = "<!doctype html>a < b<P class='x > y'>c<!-- <p> -->d</p><SCRIPT>if(a</b/.test(c))</script >e";
        let want = [
            (Kind::Declaration, "<!doctype html>"),
            (Kind::Text, "a < b"),
            (Kind::Start(Tag::P), "<P class='x > y'>"),
            (Kind::Text, "c"),
            (Kind::Comment, "<!-- <p> -->"),
            (Kind::Text, "d"),
            (Kind::End(Tag::P), "</p>"),
            (Kind::Code, "<SCRIPT>if(a</b/.test(c))</script >"),
            (Kind::Text, "e"),
        ];
        assert_eq!(cut(html), want);
    }

    #[test]
    fn a_quote_outside_a_value_is_ignored() {
        assert_eq!(cut("<p it's>a")[1], (Kind::Text, "a"));
    }

    #[test]
    fn unclosed_markup_goes_to_the_end() {
        for html in ["<!-- a", "<script>a", "<p class=\"", "<", "</", "<!", "<p", "a<", "<style", "</p"] {
            let all = cut(html);
            assert_eq!(all.iter().map(|p| p.1).collect::<String>(), html);
        }
    }

    #[test]
    fn players_are_distinguished_from_other_frames() {
        assert!(is_player("<iframe src=/x allowFullScreen>"));
        assert!(!is_player("<iframe src=/ad.html width=1>"));
    }
}
