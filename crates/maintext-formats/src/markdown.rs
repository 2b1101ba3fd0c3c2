//! Markdown: CommonMark with tables, footnotes and front matter, by pulldown-cmark.
use crate::head::Facts;
use crate::{Document, Hint, Limits};
use maintext_core::decode::decode;
use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd, html};
use std::fmt;

pub fn document(bytes: &[u8], hint: &Hint<'_>, limits: &Limits) -> Document {
    let decoded = decode(bytes, hint.charset);
    let text = decoded.text.replace("\r\n", "\n");
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut facts = Facts::default();
    let mut heading: Option<String> = None;
    let (mut in_matter, mut in_heading) = (None, false);
    let events = Parser::new_ext(&text, options).inspect(|event| match event {
        Event::Start(Tag::MetadataBlock(kind)) => in_matter = Some(*kind),
        Event::End(TagEnd::MetadataBlock(_)) => in_matter = None,
        Event::Text(matter) if in_matter.is_some() => front_matter(matter, in_matter, &mut facts),
        Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) if heading.is_none() => {
            (in_heading, heading) = (true, Some(String::new()));
        }
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => in_heading = false,
        Event::Text(t) | Event::Code(t) if in_heading => heading.get_or_insert_default().push_str(t),
        _ => {}
    });
    // Nested quotations and entities become many times their size.
    let limit = limits.max_size.saturating_mul(2);
    let mut body = Within { text: String::with_capacity(text.len() * 5 / 4), limit };
    let is_cut = html::write_html_fmt(&mut body, events).is_err();
    facts.title = facts.title.or(heading).filter(|t| !t.trim().is_empty());
    let warning = is_cut.then(|| format!("the Markdown is more than {limit} bytes as HTML: the result is partial"));
    Document { warning, ..Document::made(facts.page(&body.text), true) }
}

/// Text of at most `limit` bytes.
struct Within {
    text: String,
    limit: usize,
}

impl fmt::Write for Within {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() > self.limit - self.text.len() {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// Reads the plain fields of front matter: `title: A walk`, `authors: [Jane Doe, John Roe]`, in TOML `title = "A walk"`.
fn front_matter(text: &str, kind: Option<MetadataBlockKind>, facts: &mut Facts) {
    let mark = if kind == Some(MetadataBlockKind::PlusesStyle) { '=' } else { ':' };
    // The field of a list whose items follow, one per line.
    let mut open = String::new();
    for line in text.lines() {
        let item = line.trim_start().strip_prefix("- ").filter(|_| !open.is_empty());
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
    let inner = |q: char| value.strip_prefix(q).and_then(|v| v.strip_suffix(q));
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
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
}
