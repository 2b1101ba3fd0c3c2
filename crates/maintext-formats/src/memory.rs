//! How much memory a file takes on the way to a page.
use crate::{Format, Limits};

/// Bytes of the parser's tree for each byte of a piece of Markdown: a node for each marker of a list or quotation.
#[cfg(feature = "markdown")]
const MARKDOWN_TREE: usize = 64;
/// Bytes for each byte of a message: its parts, decoded, and the page.
const MAIL: usize = 5;
/// Bytes for each byte of a feed or sitemap: one of short entries.
const FEED: usize = 24;

/// Returns how many bytes of memory [`documents`](crate::documents) and [`declared_text`](crate::declared_text) take at most, as measured, besides
/// the bytes of a file, for each of its pages: with the page that they return, without its extraction.
///
/// The worst known files of 1 to 10 MB gave the factors: lines of `>`, lists in lists, empty entries. The extraction
/// takes memory by the page.
///
/// ```
/// use maintext_formats::{Format, Limits, memory};
/// let limits = Limits::default();
/// let (prose, markers) = ("A walk. ".repeat(10_000), "> ".repeat(40_000));
/// let of = |text: &str| memory(text.as_bytes(), Format::Markdown, &limits);
/// assert!(of(&prose) > prose.len() && of(&markers) > of(&prose));
/// ```
#[must_use]
#[cfg_attr(not(feature = "markdown"), expect(unused_variables, reason = "only Markdown is bounded by the limit"))]
pub fn memory(bytes: &[u8], format: Format, limits: &Limits) -> usize {
    let size = bytes.len();
    match format {
        Format::Text => 2 * size + 2 * (crate::text::QUOTATIONS * size + written(bytes)),
        #[cfg(feature = "markdown")]
        Format::Markdown => {
            let tree = MARKDOWN_TREE * size.min(crate::markdown::PIECE + crate::markdown::DEFINITIONS);
            let quotations = 27 * memchr::memchr_iter(b'>', bytes).count();
            let html = (written(bytes) + quotations).min(limits.max_size.saturating_mul(2));
            // The text in UTF-8, with one kind of line breaks; the page doubles its memory as it grows.
            2 * size + tree + 2 * html
        }
        Format::Mail | Format::Mhtml => MAIL * size,
        Format::Rss | Format::Atom | Format::JsonFeed | Format::Sitemap => FEED * size,
        _ => size,
    }
}

/// Returns how long a text is at most as HTML, without quotations: with its escapes, and a block for each line or marker of one.
fn written(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .map(|byte| match byte {
            b'&' | b'<' | b'"' => 6,
            b'*' | b'+' | b'-' | b'#' | b'|' | b'.' | b')' | b'`' | b'\n' => 20,
            _ => 1,
        })
        .sum()
}

#[cfg(all(test, feature = "markdown"))]
mod tests {
    use super::*;
    use crate::{Hint, documents};

    #[test]
    fn pages_take_no_more_than_their_estimate() {
        let limits = Limits::default();
        for (name, text) in [
            ("a.md", "* ".repeat(50_000) + "a"),
            ("a.md", "* * * a\n".repeat(20_000)),
            ("a.md", "* * *\n".repeat(20_000)),
            ("a.md", ">".repeat(100_000) + "a"),
            ("a.md", (">".repeat(20) + "a\n\n").repeat(5_000)),
            ("a.md", "1) a\n".repeat(20_000)),
            ("a.md", "a\n\n".repeat(30_000)),
            ("a.md", "*a* `b` ".repeat(10_000)),
            ("a.md", "\"&".repeat(30_000)),
            ("a.md", "[".repeat(100_000)),
            ("a.md", "|a|b|\n|-|-|\n".to_owned() + &"|a|b|\n".repeat(20_000)),
            ("a.txt", ">>>>>>>>a\nb\n".repeat(10_000)),
            ("a.txt", "a\n\n".repeat(30_000)),
            ("a.txt", "<&\"".repeat(30_000)),
        ] {
            let format = if name == "a.md" { Format::Markdown } else { Format::Text };
            let estimate = memory(text.as_bytes(), format, &limits);
            let hint = Hint { name: Some(name), ..Hint::default() };
            let start = text[..10].to_owned();
            let page = documents(text.into_bytes(), &hint, &limits).unwrap().next().unwrap().unwrap();
            // Twice the page, while its memory grows.
            assert!(2 * page.bytes.len() <= estimate, "{name} {start}: {} {estimate}", page.bytes.len());
        }
        let long = vec![b'a'; 30 << 20];
        assert!(memory(&long, Format::Markdown, &limits) < 240 << 20, "Markdown is read in pieces");
    }
}
