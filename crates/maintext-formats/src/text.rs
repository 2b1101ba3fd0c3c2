//! Plain text: paragraphs, line breaks that mean something, quotations.
use crate::head::{HeadFacts, escape};
use crate::{Document, Hint};
use maintext_core::decode::decode;

/// The longest line, in characters, of a text whose lines were cut at a fixed width.
const WRAPPED: std::ops::RangeInclusive<usize> = 40..=100;

/// Bytes of tags of quotations for each byte of text.
pub const QUOTATIONS: usize = 2;

pub fn document(bytes: &[u8], hint: &Hint<'_>) -> Document {
    let decoded = decode(bytes, hint.charset);
    Document::made(HeadFacts::default().page(paragraphs(&decoded.text)), true)
}

/// Returns the text as HTML. Paragraphs end at empty lines. Lines that begin with `>` are a quotation.
pub fn paragraphs(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut paragraph: Vec<&str> = Vec::new();
    let mut depth = 0;
    // Bytes of quotations that may begin and end: a line of ten bytes could change eight of them.
    let mut left = QUOTATIONS * text.len() + 1024;
    for line in text.split(['\n', '\u{c}', '\u{2029}']) {
        let line = line.trim_end();
        let (mut quoted, line) = quotation(line);
        let changed = quoted.abs_diff(depth) * "<blockquote></blockquote>".len();
        match left.checked_sub(changed) {
            Some(rest) => left = rest,
            None => quoted = depth,
        }
        if line.trim().is_empty() || quoted != depth {
            flush(&mut paragraph, &mut out);
        }
        if !line.trim().is_empty() || quoted > 0 {
            while depth < quoted {
                out += "<blockquote>";
                depth += 1;
            }
            while depth > quoted {
                out += "</blockquote>";
                depth -= 1;
            }
        }
        if !line.trim().is_empty() {
            // An indented line begins a paragraph in text without empty lines.
            if is_indented(line) && paragraph.last().is_some_and(|last| !is_indented(last)) {
                flush(&mut paragraph, &mut out);
            }
            paragraph.push(line);
        }
    }
    flush(&mut paragraph, &mut out);
    (0..depth).for_each(|_| out += "</blockquote>");
    out
}

fn is_indented(l: &str) -> bool {
    l.starts_with('\u{3000}') || l.starts_with('\t') || l.starts_with("   ")
}

/// Returns the number of `>` before a line (at most 8), and the rest.
fn quotation(line: &str) -> (usize, &str) {
    let (mut depth, mut rest) = (0, line);
    while depth < 8 {
        let Some(inner) = rest.strip_prefix('>') else { break };
        (depth, rest) = (depth + 1, inner.strip_prefix(' ').unwrap_or(inner));
    }
    (depth, rest)
}

/// Writes a paragraph. A line break stays if the next word had fitted into the line, else the lines are joined.
fn flush(lines: &mut Vec<&str>, out: &mut String) {
    if lines.is_empty() {
        return;
    }
    let widths: Vec<usize> = lines.iter().map(|l| l.chars().count()).collect();
    let width = widths.iter().copied().max().unwrap_or(0);
    *out += "<p>";
    for (i, line) in lines.iter().enumerate() {
        let line = line.trim();
        *out += &escape(line);
        let Some(next) = lines.get(i + 1).map(|l| l.trim()) else { break };
        let word = next.split_whitespace().next().map_or(0, |w| w.chars().count());
        let is_wrapped = WRAPPED.contains(&width) && widths[i] + 1 + word > width;
        let is_between_cjk = [line.chars().next_back(), next.chars().next()]
            .into_iter()
            .all(|c| c.is_some_and(maintext_core::blocks::is_cjk));
        *out += if !is_wrapped {
            "<br>"
        } else if is_between_cjk {
            ""
        } else {
            " "
        };
    }
    *out += "</p>\n";
    lines.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_end_at_empty_lines_and_wrapped_lines_are_joined() {
        let text = "We left early, and the road was empty until noon; nobody\nspoke until the hills, where the fog lifted & all at once\n\
                    we saw it.\r\n\r\nRoses are red,\nviolets are blue.\n";
        let html = paragraphs(text);
        assert!(
            html.contains("nobody spoke until the hills, where the fog lifted &amp; all at once we saw it.</p>"),
            "{html}"
        );
        assert!(html.contains("<p>Roses are red,<br>violets are blue.</p>"), "{html}");
    }

    #[test]
    fn quotations_nest_and_close() {
        let html = paragraphs("On Monday she wrote:\n> a\n>> b\n> c\n\nd");
        let flat = html.replace('\n', "");
        let expected = "<p>On Monday she wrote:</p><blockquote><p>a</p><blockquote><p>b</p></blockquote><p>c</p></blockquote><p>d</p>";
        assert_eq!(flat, expected);
        let changing = ">>>>>>>>a\nb\n".repeat(10_000);
        let html = paragraphs(&changing);
        assert!(html.len() < 6 * changing.len() && html.matches('a').count() == 10_000, "{}", html.len());
        assert_eq!(paragraphs(&">".repeat(10_000)).matches("<blockquote>").count(), 8);
    }

    #[test]
    fn indented_lines_begin_paragraphs() {
        let html = paragraphs("\u{3000}\u{3000}第一段的第一行。\n第二行。\n\u{3000}\u{3000}第二段。\n");
        assert_eq!(html.matches("<p>").count(), 2, "{html}");
    }
}
