//! Markdown: CommonMark with tables, footnotes and front matter, by pulldown-cmark.
use crate::head::HeadFacts;
use crate::{Document, Hint, Limits};
use maintext_core::decode::decode;
use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd, html};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);
const FRONT_MATTER: Options =
    Options::ENABLE_YAML_STYLE_METADATA_BLOCKS.union(Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS);

/// A longer text is parsed in pieces, because the parser builds the tree of all its blocks first: 64 bytes for each marker of a list or quotation,
/// so 60 to 120 MB for each MB. Hardly a document that people write is as long.
pub const PIECE: usize = 512 << 10;
/// Bytes of definitions of links that each piece gets from the whole text.
pub const DEFINITIONS: usize = 32 << 10;

pub fn document(bytes: &[u8], hint: &Hint<'_>, limits: &Limits) -> Document {
    let decoded = decode(bytes, hint.charset);
    let text = if decoded.text.contains('\r') { decoded.text.replace("\r\n", "\n").into() } else { decoded.text };
    let mut facts = HeadFacts::default();
    let mut heading: Option<String> = None;
    // Nested quotations and entities become many times their size.
    let limit = limits.max_size.saturating_mul(2);
    let is_verbatim = Cell::new(false);
    let mut body = BoundedHtml { text: String::with_capacity(text.len() * 5 / 4), limit, is_verbatim: &is_verbatim };
    let definitions = if text.len() > PIECE { definitions(&text) } else { String::new() };
    let mut is_cut = false;
    // The head of a table that continues in the next piece.
    let mut table: Option<String> = None;
    let mut rest = &*text;
    while !rest.is_empty() && !is_cut {
        let is_first = rest.len() == text.len();
        let (piece, after) = rest.split_at(end_of_piece(rest, PIECE));
        rest = after;
        let piece = match (&table, definitions.is_empty()) {
            (None, true) => Cow::from(piece),
            (table, _) => format!("{}{piece}\n\n{definitions}", table.as_deref().unwrap_or("")).into(),
        };
        table = if rest.starts_with('|') { head_of_table(piece.trim_end_matches(&definitions)) } else { None };
        let (mut in_matter, mut in_heading) = (None, false);
        let options = if is_first { OPTIONS.union(FRONT_MATTER) } else { OPTIONS };
        let events = Parser::new_ext(&piece, options).inspect(|event| {
            match event {
                Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::InlineHtml(_) => is_verbatim.set(true),
                Event::Html(_) | Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => {}
                Event::Text(_) if is_verbatim.get() => {}
                _ => is_verbatim.set(false),
            }
            match event {
                Event::Start(Tag::MetadataBlock(kind)) => in_matter = Some(*kind),
                Event::End(TagEnd::MetadataBlock(_)) => in_matter = None,
                Event::Text(matter) if in_matter.is_some() => front_matter(matter, in_matter, &mut facts),
                Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) if heading.is_none() => {
                    (in_heading, heading) = (true, Some(String::new()));
                }
                Event::End(TagEnd::Heading(HeadingLevel::H1)) => in_heading = false,
                Event::Text(t) | Event::Code(t) if in_heading => heading.get_or_insert_default().push_str(t),
                _ => {}
            }
        });
        is_cut = html::write_html_fmt(&mut body, events).is_err();
    }
    facts.title = facts.title.or(heading).filter(|t| !t.trim().is_empty());
    let warning = is_cut.then(|| format!("the Markdown is more than {limit} bytes as HTML: the result is partial"));
    Document { warning, ..Document::made(facts.page(body.text), true) }
}

/// Returns where to cut a text after at most `most` bytes: before a heading, or else a paragraph, that begins a line after an empty one outside of
/// blocks of code; or else behind a line, or anywhere.
fn end_of_piece(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    let (mut heading, mut paragraph, mut line_end) = (0, 0, 0);
    let mut fence: Option<&str> = None;
    let mut is_blank = false;
    for line in text[..text.floor_char_boundary(most)].split_inclusive('\n') {
        let start = line.trim_start_matches(' ');
        let fence_char = if start.starts_with('`') { '`' } else { '~' };
        let mark = &start[..start.len() - start.trim_start_matches(fence_char).len()];
        match fence {
            Some(open) if mark.starts_with(open) && line.trim() == mark => fence = None,
            None if mark.len() >= 3 => fence = Some(mark),
            None if is_blank && line.starts_with('#') => heading = line_end,
            None if is_blank && line.starts_with(char::is_alphabetic) => paragraph = line_end,
            _ => {}
        }
        is_blank = line.trim().is_empty();
        line_end += line.len();
    }
    // The limit may cut the last line.
    let whole = text[..line_end].rfind('\n').map_or(0, |at| at + 1);
    let late = [heading, paragraph].into_iter().find(|at| *at > most / 2);
    late.or([heading, paragraph, whole].into_iter().find(|at| *at > 0)).unwrap_or(line_end)
}

/// Returns an empty head for the rest of the table with which a piece ends, with its columns.
fn head_of_table(piece: &str) -> Option<String> {
    let mut rows = piece.trim_end().lines().rev().take_while(|line| line.starts_with('|'));
    let mut last = rows.next()?;
    let mut second = last;
    for row in rows {
        (second, last) = (last, row);
    }
    let is_delimiter = second != last && second.contains('-') && second.chars().all(|c| "|-: \t".contains(c));
    is_delimiter.then(|| format!("{}\n{second}\n", second.replace(['-', ':'], " ")))
}

/// Returns the lines that define links, `[label]: address`, up to a limit: they hold for the whole text.
fn definitions(text: &str) -> String {
    let mut found = String::new();
    for line in text.lines().filter(|line| line.starts_with('[') && !line.starts_with("[^") && line.contains("]: ")) {
        if found.len() + line.len() > DEFINITIONS {
            break;
        }
        found.push_str(line);
        found.push('\n');
    }
    found
}

/// HTML of at most `limit` bytes, without the line breaks that the writer puts behind the tags of blocks: a page keeps each as a node of its own.
struct BoundedHtml<'a> {
    text: String,
    limit: usize,
    /// Whether line breaks mean something: in code, and in HTML of the author.
    is_verbatim: &'a Cell<bool>,
}

impl fmt::Write for BoundedHtml<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_tag = text.starts_with('<') && text.ends_with(">\n") && !self.is_verbatim.get();
        let text = if is_tag { &text[..text.len() - 1] } else { text };
        if text.len() > self.limit - self.text.len() {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// Reads the plain fields of front matter: `title: A walk`, `authors: [Jane Doe, John Roe]`, in TOML `title = "A walk"`.
fn front_matter(text: &str, kind: Option<MetadataBlockKind>, facts: &mut HeadFacts) {
    let mark = if kind == Some(MetadataBlockKind::PlusesStyle) { '=' } else { ':' };
    // The field of a list whose items follow, one per line.
    let mut open = String::new();
    for line in text.lines() {
        let item = if !open.is_empty() { line.trim_start().strip_prefix("- ") } else { None };
        let (name, value) = match (item, line.split_once(mark)) {
            (Some(item), _) => (open.clone(), item),
            (None, Some((name, value))) if !line.starts_with([' ', '\t']) => (name.trim().to_ascii_lowercase(), value),
            _ => continue,
        };
        let value = value.trim();
        open = if value.is_empty() || item.is_some() { name.clone() } else { String::new() };
        let values = match value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
            Some(list) => list.split(',').map(unquoted).collect::<Vec<_>>(),
            None => vec![unquoted(value)],
        };
        let values = values.into_iter().filter(|v| !v.is_empty()).map(str::to_owned);
        let first = || values.clone().next();
        match name.as_str() {
            "title" => facts.title = first(),
            "author" | "authors" | "by" => facts.authors.extend(values),
            "date" | "published" | "publishdate" => facts.date = first(),
            "updated" | "lastmod" | "last_modified_at" => facts.modified = first(),
            "lang" | "language" => facts.language = first(),
            "description" | "summary" => facts.description = first(),
            "tags" | "keywords" => facts.tags.extend(values),
            _ => {}
        }
    }
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    unquoted_by(value, '"').or_else(|| unquoted_by(value, '\'')).unwrap_or(value)
}

fn unquoted_by(value: &str, q: char) -> Option<&str> {
    value.strip_prefix(q).and_then(|v| v.strip_suffix(q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_and_structure_are_read() {
        let text = "---\ntitle: \"A walk: north\"\nauthors:\n  - Jane Doe\n  - John Roe\ndate: 2024-05-17\ntags: [hills, 'rain']\n---\n\
                    # Heading\n\nSome *text*.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let html = String::from_utf8(document(text.as_bytes(), &Hint::default(), &Limits::default()).bytes).unwrap();
        for part in [
            "<title>A walk: north</title>",
            "content=\"Jane Doe\"",
            "content=\"John Roe\"",
            "2024-05-17",
            "content=\"rain\"",
            "<td>2</td>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("authors:"), "{html}");
        let plain =
            String::from_utf8(document(b"# A `walk` in\r\n\r\ntext", &Hint::default(), &Limits::default()).bytes)
                .unwrap();
        assert!(plain.contains("<title>A walk in</title>"), "{plain}");
    }

    #[test]
    fn the_html_is_bounded() {
        let limits = Limits { max_size: 10_000, ..Limits::default() };
        let text = format!("First.\n\n{}", ">".repeat(2000));
        let page = document(text.as_bytes(), &Hint::default(), &limits);
        assert!(page.bytes.len() < 21_000 && page.warning.unwrap().contains("20000 bytes"));
        assert!(document(b"First.", &Hint::default(), &limits).warning.is_none());
    }

    fn html(text: &str) -> String {
        String::from_utf8(document(text.as_bytes(), &Hint::default(), &Limits::default()).bytes).unwrap()
    }

    #[test]
    fn only_line_breaks_that_mean_something_stay() {
        let page = html("a\n\n---\n\n- *b*\nc\n\n```\n<x>\n\ny\n```\n\n<pre>\n<i>\n\nz</i></pre>\n\n> d\n");
        for part in ["<p>a</p><hr />", "<em>b</em>\nc", "<code>&lt;x&gt;\n\ny\n</code>", "<pre>\n<i>\n\nz</i></pre>"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn a_long_text_is_the_same_in_pieces() {
        let part = |i: usize| {
            format!(
                "# Part {i}\n\nSee [the map][m] and\nthe road.\n\n- one\n\n  two\n- three\n\n```\n# no\n\nheading\n```\n\n"
            )
        };
        let text: String = (0..9000).map(part).collect::<String>() + "[m]: /map\n";
        assert!(text.len() > PIECE * 3 / 2);
        let page = html(&text);
        for (part, count) in [
            ("<h1>", 9000),
            ("<a href=\"/map\">the map</a> and\nthe road.</p>", 9000),
            ("<ul>", 9000),
            ("<code># no\n\nheading\n</code>", 9000),
            ("[m]", 0),
        ] {
            assert_eq!(page.matches(part).count(), count, "{part}");
        }
    }

    #[test]
    fn a_long_table_stays_one() {
        for end in ["", "\n[m]: /map\n"] {
            let page = html(&format!("| a | b |\n|---|:-:|\n{}{end}", "| c | d |\n".repeat(120_000)));
            assert_eq!((page.matches("<td>c</td>").count(), page.matches("| c").count()), (120_000, 0));
        }
    }

    #[test]
    fn pieces_end_before_blocks() {
        for (text, piece) in [
            ("# a\n\nbb\n\n# c\nlong long", "# a\n\nbb\n\n"),
            ("aaaa bbbb\n\ncccc dddd eeee", "aaaa bbbb\n\n"),
            ("```\na\n\n# b\n```\n\nc\n\ndddddd", "```\na\n\n# b\n```\n\n"),
            ("* * * * * * * * * * * * * *", "* * * * * * * * * "),
        ] {
            assert_eq!(&text[..end_of_piece(text, 18)], piece);
        }
        assert_eq!(end_of_piece("\u{4e2d}\u{4e2d}", 4), 3);
    }
}
