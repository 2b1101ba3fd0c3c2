//! Markdown in strings, written as HTML: the blocks and marks that content services store. Unknown syntax stays text.
use super::{escaped, escaped_value};

/// Whether a text without tags looks like Markdown: it has headings, fences, or items on lines of their own.
pub(super) fn is_markdown(text: &str) -> bool {
    let marks = |l: &str| l.starts_with("```") || heading(l).is_some() || item(l).is_some();
    text.contains('\n') && text.lines().any(|l| marks(l.trim_start()))
}

/// Returns level and text of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// Returns whether a list is ordered, and the text of an item.
fn item(line: &str) -> Option<(bool, &str)> {
    if let Some(rest) = ["- ", "* ", "+ "].into_iter().find_map(|m| line.strip_prefix(m)) {
        return Some((false, rest));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..)?.strip_prefix(". ")?;
    (1..=3).contains(&digits).then_some((true, rest))
}

/// Appends the HTML of a text.
pub(super) fn html(text: &str, out: &mut String) {
    let (mut open, mut fence) = ("", false);
    let mut paragraph: Vec<&str> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if fence {
            fence = !trimmed.starts_with("```");
            if fence {
                escape(line, out);
                out.push('\n');
            } else {
                out.push_str("</code></pre>");
            }
            continue;
        }
        let marks = (heading(trimmed), item(trimmed), trimmed.strip_prefix("```"));
        let ends = trimmed.is_empty()
            || marks.0.is_some()
            || marks.1.is_some()
            || marks.2.is_some()
            || trimmed.starts_with('>');
        if ends && !paragraph.is_empty() {
            element("p", &paragraph.join("\n"), out);
            paragraph.clear();
        }
        let list = match marks.1 {
            Some((true, _)) => "ol",
            Some((false, _)) => "ul",
            None if trimmed.is_empty() => continue,
            None => "",
        };
        if open != list {
            close(open, out);
            if !list.is_empty() {
                out.push_str(&format!("<{list}>"));
            }
            open = list;
        }
        match marks {
            (Some((level, text)), ..) => element(&format!("h{level}"), text, out),
            (_, Some((_, text)), _) => element("li", text, out),
            (.., Some(language)) => {
                fence = true;
                let name: String = language.chars().take_while(|c| c.is_alphanumeric() || "+-#".contains(*c)).collect();
                out.push_str(&format!("<pre><code class=\"language-{name}\">"));
            }
            _ if trimmed.starts_with('>') => {
                out.push_str("<blockquote>");
                element("p", trimmed.trim_start_matches(['>', ' ']), out);
                out.push_str("</blockquote>");
            }
            _ => paragraph.push(trimmed),
        }
    }
    if !paragraph.is_empty() {
        element("p", &paragraph.join("\n"), out);
    }
    close(open, out);
    if fence {
        out.push_str("</code></pre>");
    }
}

fn close(list: &str, out: &mut String) {
    if !list.is_empty() {
        out.push_str(&format!("</{list}>"));
    }
}

fn element(tag: &str, text: &str, out: &mut String) {
    out.push_str(&format!("<{tag}>"));
    inline(text, out);
    out.push_str(&format!("</{tag}>"));
}

/// Writes strong and emphasised text, code and links.
fn inline(mut rest: &str, out: &mut String) {
    while let Some(at) = rest.find(['*', '`', '[', '!']) {
        escape(&rest[..at], out);
        rest = &rest[at..];
        let between = |mark: &str| {
            let inner = rest.strip_prefix(mark)?;
            let end = inner.find(mark).filter(|&e| e > 0 && !inner.starts_with(' '))?;
            Some((&inner[..end], &inner[end + mark.len()..]))
        };
        let marked = [("**", "strong"), ("`", "code"), ("*", "em")]
            .into_iter()
            .find_map(|(mark, tag)| Some((tag, between(mark)?)));
        if let Some((tag, (inner, after))) = marked {
            out.push_str(&format!("<{tag}>"));
            escape(inner, out);
            out.push_str(&format!("</{tag}>"));
            rest = after;
        } else if let Some((is_image, label, address, after)) = link(rest) {
            let address = escaped_value(address);
            if is_image {
                out.push_str(&format!("<img src=\"{address}\" alt=\"{}\">", escaped_value(label)));
            } else {
                out.push_str(&format!("<a href=\"{address}\">"));
                escape(label, out);
                out.push_str("</a>");
            }
            rest = after;
        } else {
            escape(&rest[..1], out);
            rest = &rest[1..];
        }
    }
    escape(rest, out);
}

/// Returns a link or an image at the beginning: whether it is an image, its label, its address and the rest.
fn link(s: &str) -> Option<(bool, &str, &str, &str)> {
    let inner = s.strip_prefix('!').unwrap_or(s);
    let (label, after) = inner.strip_prefix('[')?.split_once("](")?;
    let (address, after) = after.split_once(')')?;
    let plain = !label.contains(['[', ']', '\n']) && !address.contains(char::is_whitespace);
    plain.then_some((inner.len() < s.len(), label, address, after))
}

fn escape(s: &str, out: &mut String) {
    out.push_str(&escaped(s));
}
