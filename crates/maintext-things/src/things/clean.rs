//! Values without markup, in the forms that programs read.
use maintext_facts::metadata::text::{cap, plain, squeeze};
use maintext_page::dom::{self, Dom, Edge, NodeId, NodeKind, Tag};

/// Maximum length of a text of a field, in bytes.
const MAX_TEXT: usize = 20_000;
/// Maximum number of lines of a text.
const MAX_LINES: usize = 500;

/// Returns a text without markup, entities and superfluous white space.
pub(super) fn text(raw: &str) -> Option<String> {
    let raw = cap(raw, MAX_TEXT);
    let text = if raw.contains('<') { lines(raw).join(" ") } else { plain(raw) };
    Some(text).filter(|t| !t.is_empty())
}

/// Returns the lines of a text that may hold markup: of HTML its blocks, else its printed lines.
pub(super) fn lines(raw: &str) -> Vec<String> {
    let raw = cap(raw, MAX_TEXT);
    let is_markup = raw.contains("</") || raw.contains("<br") || raw.contains("<p") || raw.contains("<li");
    let lines: Vec<String> = if is_markup {
        element(&dom::parse(raw, &Default::default()), NodeId::ROOT)
    } else {
        raw.lines().map(plain).collect()
    };
    lines.into_iter().filter(|l| !l.is_empty()).take(MAX_LINES).collect()
}

/// Returns the text of each block of an element.
pub(super) fn element(page: &Dom<'_>, of: NodeId) -> Vec<String> {
    let mut out = vec![String::new()];
    for edge in page.traverse(of) {
        match edge {
            Edge::Enter(n) if page.kind(n) == NodeKind::Text => {
                if let Some(last) = out.last_mut() {
                    last.push_str(page.text(n));
                }
            }
            Edge::Enter(n) | Edge::Leave(n) if page.tag(n) == Tag::BR || page.tag(n).is_block() => {
                out.push(String::new());
            }
            _ => {}
        }
    }
    out.iter().map(|line| squeeze(line)).filter(|line| !line.is_empty()).take(MAX_LINES).collect()
}

/// Returns the last part of an enumeration's address: `InStock` of `https://schema.org/InStock`.
pub(super) fn word(raw: &str) -> Option<String> {
    let word = raw.trim().trim_end_matches('/').rsplit(['/', '#']).next()?;
    let is_word = !word.is_empty() && word.len() <= 60 && word.chars().all(|c| c.is_alphanumeric());
    is_word.then(|| word.to_owned())
}

/// Returns a count: digits with or without separators of thousands.
pub(super) fn count(raw: &str) -> Option<u64> {
    let digits: String = raw.trim().chars().filter(|c| !matches!(c, ',' | '.' | ' ' | '\u{a0}' | '\'')).collect();
    let is_number = (1..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Returns an address without the parts that do not distinguish pages: scheme, `www.`, query, fragment, last slash and case.
pub(super) fn address_key(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or("");
    let address = address.split_once("://").map_or(address, |a| a.1);
    address.strip_prefix("www.").unwrap_or(address).trim_end_matches('/').to_ascii_lowercase()
}
