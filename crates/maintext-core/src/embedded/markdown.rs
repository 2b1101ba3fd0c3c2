//! Markdown in strings, written as HTML: the blocks and marks that content services store. Unknown syntax stays text.
use super::rich::change_list;
use maintext_render::render::escape;

/// A line with a mark of Markdown.
enum MarkedLine<'a> {
    Heading(usize, &'a str),
    Item(&'static str, &'a str),
    Fence(&'a str),
    Quote(&'a str),
    Text(&'a str),
}

fn line(line: &str) -> MarkedLine<'_> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if let (1..=6, Some(text)) = (level, line[level..].strip_prefix(' ')) {
        return MarkedLine::Heading(level, text.trim().trim_end_matches('#').trim_end());
    }
    if let Some(text) = ["- ", "* ", "+ "].into_iter().find_map(|m| line.strip_prefix(m)) {
        return MarkedLine::Item("ul", text);
    }
    if let Some(language) = line.strip_prefix("```") {
        return MarkedLine::Fence(language);
    }
    match line[digits..].strip_prefix(". ") {
        Some(text) if (1..=3).contains(&digits) => MarkedLine::Item("ol", text),
        _ => line
            .strip_prefix('>')
            .map_or(MarkedLine::Text(line), |text| MarkedLine::Quote(text.trim_start_matches(['>', ' ']))),
    }
}

/// Whether a text without tags looks like Markdown: it has headings, fences, or items on lines of their own.
pub(super) fn is_markdown(text: &str) -> bool {
    text.contains('\n') && text.lines().any(is_marked)
}

fn is_marked(l: &str) -> bool {
    matches!(line(l.trim_start()), MarkedLine::Heading(..) | MarkedLine::Item(..) | MarkedLine::Fence(_))
}

/// Appends the HTML of a text.
pub(super) fn html(text: &str, out: &mut String) {
    let (mut list, mut in_code) = ("", false);
    let mut paragraph = String::new();
    for source in text.lines().chain([""]) {
        let trimmed = source.trim();
        let read = line(trimmed);
        if in_code && !matches!(read, MarkedLine::Fence(_)) {
            out.push_str(&format!("{}\n", escape::html(source)));
            continue;
        }
        if let (MarkedLine::Text(text), false) = (&read, trimmed.is_empty()) {
            change_list(&mut list, "", out);
            paragraph.push_str(if paragraph.is_empty() { "" } else { "\n" });
            paragraph.push_str(text);
            continue;
        }
        if !paragraph.is_empty() {
            out.push_str(&format!("<p>{}</p>", inline(&std::mem::take(&mut paragraph))));
        }
        if !trimmed.is_empty() {
            change_list(&mut list, if let MarkedLine::Item(list, _) = read { list } else { "" }, out);
        }
        match read {
            MarkedLine::Heading(level, text) => out.push_str(&format!("<h{level}>{}</h{level}>", inline(text))),
            MarkedLine::Item(_, text) => out.push_str(&format!("<li>{}</li>", inline(text))),
            MarkedLine::Quote(text) => out.push_str(&format!("<blockquote><p>{}</p></blockquote>", inline(text))),
            MarkedLine::Fence(_) if in_code => {
                out.push_str("</code></pre>");
                in_code = false;
            }
            MarkedLine::Fence(language) => {
                let name: String = language.chars().take_while(|c| c.is_alphanumeric() || "+-#".contains(*c)).collect();
                out.push_str(&format!("<pre><code class=\"language-{name}\">"));
                in_code = true;
            }
            MarkedLine::Text(_) => {}
        }
    }
    change_list(&mut list, "", out);
    out.push_str(if in_code { "</code></pre>" } else { "" });
}

/// Returns a text with its strong and emphasised parts, code and links as HTML.
fn inline(text: &str) -> String {
    let (mut rest, mut out) = (text, String::new());
    // A mark that nothing closes is not searched for again, so that the work is linear.
    let mut marks = vec![("**", "strong"), ("`", "code"), ("*", "em")];
    while let Some(at) = rest.find(['*', '`', '[']) {
        out.push_str(&escape::html(&rest[..at]));
        rest = &rest[at..];
        if let Some((label, address, after)) = link(rest) {
            out.push_str(&format!("<a href=\"{}\">{}</a>", escape::html(address), escape::html(label)));
            rest = after;
            continue;
        }
        let mark =
            marks.iter().position(|(m, _)| rest.strip_prefix(m).is_some_and(|r| !r.starts_with([' ', '*', '`'])));
        let closed = mark.map(|i| (i, rest[marks[i].0.len()..].split_once(marks[i].0)));
        match closed {
            Some((i, Some((inner, after)))) => {
                out.push_str(&format!("<{0}>{1}</{0}>", marks[i].1, escape::html(inner)));
                rest = after;
                continue;
            }
            Some((i, None)) => drop(marks.remove(i)),
            None => {}
        }
        out.push_str(&rest[..1]);
        rest = &rest[1..];
    }
    out + &escape::html(rest)
}

/// Returns label and address of a link at the beginning, and the rest. Each search ends at the next bracket at the latest.
fn link(s: &str) -> Option<(&str, &str, &str)> {
    let inner = s.strip_prefix('[')?;
    let (label, after) = inner.split_at(inner.find(['[', ']', '\n'])?);
    let after = after.strip_prefix("](")?;
    let (address, after) = after.split_at(after.find(|c: char| matches!(c, ')' | '[') || c.is_whitespace())?);
    Some((label, address, after.strip_prefix(')')?))
}
