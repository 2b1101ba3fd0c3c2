//! Finds text that a page carries in its scripts: JSON-LD bodies, and the application state of pages that JavaScript draws.
//!
//! No framework is known by name: every string literal of a script that reads like prose is a passage. The passages are used only
//! if the visible page lacks the content.
use crate::blocks::Blocks;
use crate::blocks::count_words;
use crate::dom::{Dom, NodeId, Tag};
use crate::warnings::{Warning, WarningCode};
use std::collections::HashSet;

/// Words below which a page may be a shell without its content.
pub(crate) const SHELL_WORDS: u32 = 60;
/// Bytes of scripts from which a page with hardly any text counts as a shell.
const SHELL_SCRIPTS: usize = 10_000;

/// Fewest words of a passage.
pub const MIN_WORDS: u32 = 30;
/// Most bytes of scripts that are read.
const MAX_BYTES: usize = 8 << 20;
/// Smallest share of letters and spaces among the characters.
const MIN_LETTERS: f32 = 0.75;

/// Returns the passages of prose in the page's scripts, each once, in order. Some are HTML.
pub fn passages(dom: &Dom) -> Vec<String> {
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    let mut left = MAX_BYTES;
    for n in dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::SCRIPT) {
        let text = dom.first_child(n).map_or("", |t| dom.text(t));
        let text = &text[..text.floor_char_boundary(left)];
        left -= text.len();
        // If JSON-LD has a body, that body is the content and everything else in the script is metadata.
        let named: Vec<String> = literals(text).filter(|(key, _)| is_body(key)).map(|(_, s)| s).collect();
        let all: Vec<String> = if named.is_empty() { literals(text).map(|(_, s)| s).collect() } else { named };
        for s in all {
            // Streamed server rendering puts JSON into strings.
            let inner =
                if is_data(&s) { literals(&s).map(|(_, s)| s).filter(|s| !is_data(s)).collect() } else { vec![s] };
            out.extend(inner.into_iter().filter(|s| is_prose(s) && seen.insert(s.clone())));
        }
    }
    out
}

/// Whether a string is itself JSON.
fn is_data(s: &str) -> bool {
    ["\":", "[\"", "{\"", "\",\""].iter().any(|mark| s.contains(mark))
}

/// Returns the bytes of the page's scripts, with a fixed number for each external one.
pub fn script_bytes(dom: &Dom) -> usize {
    const ELSEWHERE: usize = 10_000;
    let of = |n| match dom.attr(n, "src") {
        Some(_) => ELSEWHERE,
        None => dom.first_child(n).map_or(0, |t| dom.text(t).len()),
    };
    dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::SCRIPT).map(of).sum()
}

fn is_body(key: &str) -> bool {
    matches!(key, "articleBody" | "reviewBody")
}

/// Returns the long string literals of a script, unescaped as JSON, each with the key before it.
fn literals(script: &str) -> impl Iterator<Item = (&str, String)> {
    let bytes = script.as_bytes();
    let (mut at, mut key) = (0, "");
    std::iter::from_fn(move || {
        while let Some(open) = memchr::memchr(b'"', bytes.get(at..)?).map(|i| at + i) {
            let mut end = open + 1;
            // Up to the closing quote; a raw newline shows that this is not a JSON string.
            while let Some(i) = memchr::memchr3(b'"', b'\\', b'\n', bytes.get(end..)?) {
                end += i;
                if bytes[end] != b'\\' {
                    break;
                }
                end += 2;
            }
            if end >= bytes.len() {
                return None;
            }
            at = end + 1;
            if bytes[end] != b'"' {
                continue;
            }
            let literal = script.get(open..at)?;
            let inside = &literal[1..literal.len() - 1];
            if bytes.get(at) == Some(&b':') {
                key = inside;
            } else if inside.len() >= 120
                && let Ok(s) = serde_json::from_str::<String>(literal)
            {
                return Some((key, s));
            }
        }
        None
    })
}

fn is_prose(s: &str) -> bool {
    let words = count_words(s);
    if words < MIN_WORDS || s.contains("function(") || s.contains("=>") || s.contains("</script") {
        return false;
    }
    let (mut chars, mut letters, mut stops, mut inside) = (0u32, 0u32, 0u32, false);
    for c in s.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            _ if inside => {}
            c => {
                chars += 1;
                letters += (c.is_alphabetic() || c.is_whitespace()) as u32;
                stops += matches!(c, '.' | ',' | '!' | '?' | '。' | '，' | '؟' | '।') as u32;
            }
        }
    }
    letters as f32 >= MIN_LETTERS * chars as f32 && stops >= 2
}

/// Returns the passages as a page of their own, to be parsed and rendered like any other.
pub fn as_html(passages: &[String]) -> String {
    let mut out = String::from("<body><article>");
    for p in passages {
        if p.contains('<') {
            out.push_str("<div>");
            out.push_str(p);
            out.push_str("</div>");
        } else {
            for line in p.split("\n").filter(|l| !l.trim().is_empty()) {
                out.push_str("<p>");
                out.push_str(&line.replace('&', "&amp;").replace('<', "&lt;"));
                out.push_str("</p>");
            }
        }
    }
    out
}

/// Returns the warnings of a page that is listed or classified without extraction: limits reached while parsing, no text, content that only
/// scripts write.
pub fn page_warnings(dom: &Dom, blocks: &Blocks) -> Vec<Warning> {
    let limits = dom.truncated().into_iter().map(Warning::limit_reached);
    limits.chain(blocks.is_empty().then(|| no_content(blocks))).chain(needs_rendering(dom, blocks)).collect()
}

pub(crate) fn no_content(blocks: &Blocks) -> Warning {
    let message = if blocks.is_empty() { "the page has no text" } else { "no main content was found" };
    Warning::new(WarningCode::NoContent, message)
}

/// Returns the warning for the shell of an application: a page with hardly any text and long scripts.
pub(crate) fn needs_rendering(dom: &Dom, blocks: &Blocks) -> Option<Warning> {
    let words: u32 = blocks.blocks.iter().map(|b| b.words).sum();
    let is_shell = words < SHELL_WORDS && script_bytes(dom) > SHELL_SCRIPTS;
    let message = "the page is a shell that scripts fill: its content appears only after rendering";
    is_shell.then(|| Warning::new(WarningCode::NeedsRendering, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &str = "The river rose in the night, and by morning the lower road was gone. People carried what they could to the \
        school on the hill, where somebody had lit the stove. Nobody asked how long it would last.";

    fn found(script: &str) -> Vec<String> {
        let html = format!("<script>{script}</script>");
        passages(&crate::dom::parse(&html, &Default::default()))
    }

    #[test]
    fn prose_is_found_in_state_and_in_json_ld() {
        let state = format!(r#"window.__STATE__={{"a":{{"id":"17","body":"{PROSE}"}},"b":"short"}}"#);
        assert_eq!(found(&state), [PROSE]);
        let ld =
            format!(r#"{{"@type":"NewsArticle","description":"{PROSE} And more of it.","articleBody":"{PROSE}"}}"#);
        assert_eq!(found(&ld), [PROSE]);
    }

    #[test]
    fn prose_is_found_in_packed_json_but_the_json_is_not_prose() {
        let packed = serde_json::json!(format!("14:[\"$\",\"p\",null,{{\"children\":\"{PROSE}\"}}]")).to_string();
        assert_eq!(found(&format!("self.__next_f.push([1,{packed}])")), [PROSE]);
        let names = serde_json::json!(format!("[{{\"name\":\"{}\"}}]", "One, two. Three ".repeat(6))).to_string();
        assert!(found(&format!("x({names})")).is_empty());
    }

    #[test]
    fn code_and_lists_of_names_are_not_prose() {
        assert!(found(r#"var f="function(a,b){return a.b.c,d}; x=>y".repeat(9); // it's"#).is_empty());
        let names = format!("[\"{}\"]", "item_1/alpha-2:x ".repeat(40));
        assert!(found(&names).is_empty());
        assert!(found("\"never closed").is_empty());
        assert!(found(&"\"\\".repeat(1000)).is_empty());
    }
}
