//! Finds text that a page carries in its scripts: JSON-LD bodies, and the application state of pages that JavaScript draws.
//!
//! Hardly any framework is known by name: rich text in the JSON of a script, and each string that reads like prose, is a passage; in other
//! scripts, each string literal. The passages are used only if the visible page lacks the content.
pub(crate) mod json;
mod markdown;
mod packed;
mod rich;
mod shell;

pub(crate) use crate::passes::noscript::SHELL_WORDS;
use json::Json;
use maintext_page::blocks::Blocks;
use maintext_page::blocks::count_words;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashMap;
use maintext_page::warnings::{Warning, WarningCode};
pub(crate) use shell::needs_rendering;

/// Minimum number of words of a passage.
pub const MIN_WORDS: u32 = 30;
/// The keys of a page's body in JSON-LD.
const BODIES: [&str; 2] = ["articleBody", "reviewBody"];
/// Minimum number of bytes of a string with a passage.
const MIN_LITERAL: usize = 120;
/// Maximum number of bytes of scripts that are read.
const MAX_BYTES: usize = 8 << 20;
/// Minimum share of letters and spaces among the characters.
const MIN_LETTERS: f32 = 0.75;

/// The passages found so far.
#[derive(Default)]
struct Found {
    passages: Vec<String>,
    /// The passages by their beginning. Scripts repeat a text with other markup, or cut.
    by_start: HashMap<String, usize>,
    /// Number of trees that looked like rich text and held no prose.
    empty: usize,
}

impl Found {
    /// Adds a passage. Of two that begin alike, the longer one counts.
    fn add(&mut self, passage: String) {
        /// Letters and digits that two copies of a text share at least.
        const SHARED_LETTERS: usize = 80;
        let mut inside = false;
        let letters = passage.chars().filter(|c| {
            inside = *c == '<' || inside && *c != '>';
            !inside && c.is_alphanumeric()
        });
        let start: String = letters.take(SHARED_LETTERS).collect();
        match self.by_start.get(&start) {
            Some(&at) if self.passages[at].len() < passage.len() => self.passages[at] = passage,
            Some(_) => {}
            None => {
                self.by_start.insert(start, self.passages.len());
                self.passages.push(passage);
            }
        }
    }
}

/// Returns the passages of prose in the page's scripts, each once, in order. Some are HTML.
pub fn passages(dom: &Dom) -> Vec<String> {
    let mut found = Found::default();
    let mut stream = String::new();
    let mut left = MAX_BYTES;
    for n in dom.descendants(NodeId::ROOT) {
        if dom.tag(n) == Tag::OTHER && dom.tag_name(n) == "astro-island" {
            let props = dom.attr(n, "props").filter(|p| p.len() <= left).and_then(Json::parse);
            props.iter().for_each(|p| from_json(&packed::of_island(p), 0, &mut found));
        }
        if dom.tag(n) != Tag::SCRIPT {
            continue;
        }
        let text = dom.first_child(n).map_or("", |t| dom.text(t));
        let text = &text[..text.floor_char_boundary(left)];
        left -= text.len();
        let before = (found.passages.len(), stream.len());
        let is_linked_data = dom.attr(n, "type").is_some_and(|t| t.contains("ld+json"));
        if !is_linked_data && !BODIES.into_iter().any(|key| text.contains(key)) {
            for value in packed::values(text) {
                match value.array() {
                    // A piece of React's stream.
                    Some([Json::Number(1), Json::Text(piece)]) => stream.push_str(piece),
                    _ => from_json(&value, 0, &mut found),
                }
            }
        }
        if (found.passages.len(), stream.len()) == before {
            from_literals(text, &mut found);
        }
    }
    let packed::Rows(rows) = packed::rows(&stream);
    let html = rich::html_of_rows(&rows);
    if is_prose(&html) {
        found.add(html);
    } else {
        rows.iter().for_each(|r| from_json(&r.1, 0, &mut found));
        if found.passages.is_empty() {
            from_literals(&stream, &mut found);
        }
    }
    found.passages
}

/// Adds the rich text and the prose in a value. JSON in strings is read too.
fn from_json(value: &Json<'_>, packed: usize, found: &mut Found) {
    /// Maximum number of levels of JSON in strings.
    const MAX_PACKED_LEVELS: usize = 3;
    /// Maximum number of trees without prose, since each has to be written to know that.
    const MAX_EMPTY_TREES: usize = 100;
    if let Some(html) = Some(value).filter(|_| found.empty < MAX_EMPTY_TREES).and_then(rich::html) {
        if is_prose(&html) {
            return found.add(html);
        }
        found.empty += 1;
    }
    match value {
        Json::Text(text) if text.len() < MIN_LITERAL => {}
        Json::Text(text) => {
            match Json::parse(text).filter(|_| packed < MAX_PACKED_LEVELS && text.starts_with(['{', '['])) {
                Some(inner) => from_json(&inner.unpacked(), packed + 1, found),
                None if is_prose(text) => found.add(text.clone().into_owned()),
                None => {}
            }
        }
        Json::Array(items) => items.iter().for_each(|i| from_json(i, packed, found)),
        Json::Object(members) => members.iter().for_each(|m| from_json(&m.1, packed, found)),
        Json::Number(_) | Json::Other => {}
    }
}

/// Adds the prose among the string literals of a script.
fn from_literals(text: &str, found: &mut Found) {
    // If JSON-LD has a body, that body is the content and everything else in the script is metadata.
    let named: Vec<String> = literals(text).filter(|(key, _)| is_body(key)).map(|(_, s)| s).collect();
    let all: Vec<String> = if named.is_empty() { literals(text).map(|(_, s)| s).collect() } else { named };
    for s in all {
        // Streamed server rendering puts JSON into strings.
        let inner = if is_data(&s) { literals(&s).map(|(_, s)| s).filter(|s| !is_data(s)).collect() } else { vec![s] };
        inner.into_iter().filter(|s| is_prose(s)).for_each(|s| found.add(s));
    }
}

/// Whether a string is itself JSON.
fn is_data(s: &str) -> bool {
    ["\":", "[\"", "{\"", "\",\""].iter().any(|mark| s.contains(mark))
}

fn is_body(key: &str) -> bool {
    BODIES.contains(&key)
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
            } else if inside.len() >= MIN_LITERAL
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

/// Whether a passage is HTML.
fn is_html(passage: &str) -> bool {
    ["</", "<br", "<p>", "<li>", "<img "].into_iter().any(|tag| passage.contains(tag))
}

/// Returns a text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Returns the value of an attribute as HTML in quotes.
fn escaped_value(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;")
}

/// Returns the passages as a page of their own, to be parsed and rendered like any other.
pub fn as_html(passages: &[String]) -> String {
    let mut out = String::from("<body><article>");
    for p in passages {
        if is_html(p) {
            out.push_str(&format!("<div>{p}</div>"));
        } else if markdown::is_markdown(p) {
            out.push_str("<div>");
            markdown::html(p, &mut out);
            out.push_str("</div>");
        } else {
            for line in p.split("\n").filter(|l| !l.trim().is_empty()) {
                out.push_str(&format!("<p>{}</p>", escaped(line)));
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

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &str = "The river rose in the night, and by morning the lower road was gone. People carried what they could to the \
        school on the hill, where somebody had lit the stove. Nobody asked how long it would last.";

    fn found(script: &str) -> Vec<String> {
        let html = format!("<script>{script}</script>");
        passages(&maintext_page::dom::parse(&html, &Default::default()))
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
        assert_eq!(found(&format!("self.__next_f.push([1,{packed}])")), [format!("<p>{PROSE}</p>")]);
        let names = serde_json::json!(format!("[{{\"name\":\"{}\"}}]", "One, two. Three ".repeat(6))).to_string();
        assert!(found(&format!("x({names})")).is_empty());
    }

    fn html_of(script: &str) -> String {
        as_html(&found(script)).strip_prefix("<body><article><div>").unwrap_or("").replace("</div>", "")
    }

    #[test]
    fn rich_text_of_editors_keeps_its_structure() {
        let (a, b) = PROSE.split_at(PROSE.find("People").unwrap());
        let want =
            format!("<h2>A flood</h2><p>{a}<strong>{b}</strong></p><ul><li><p>one</p></li><li><p>two</p></li></ul>");
        let prosemirror = format!(
            r#"{{"type":"doc","content":[{{"type":"heading","attrs":{{"level":2}},"content":[{{"type":"text","text":"A flood"}}]}},
            {{"type":"paragraph","content":[{{"type":"text","text":"{a}"}},{{"type":"text","marks":[{{"type":"bold"}}],"text":"{b}"}}]}},
            {{"type":"bulletList","content":[{{"type":"listItem","content":[{{"type":"paragraph","content":[{{"type":"text","text":"one"}}]}}]}},
            {{"type":"listItem","content":[{{"type":"paragraph","content":[{{"type":"text","text":"two"}}]}}]}}]}}]}}"#
        );
        assert_eq!(html_of(&format!("window.__STATE__ = {{\"page\": {prosemirror}}};")), want);
        let contentful = format!(
            r#"{{"nodeType":"document","content":[{{"nodeType":"heading-2","content":[{{"nodeType":"text","value":"A flood","marks":[]}}]}},
            {{"nodeType":"paragraph","content":[{{"nodeType":"text","value":"{a}","marks":[]}},{{"nodeType":"text","value":"{b}","marks":[{{"type":"bold"}}]}}]}},
            {{"nodeType":"unordered-list","content":[{{"nodeType":"list-item","content":[{{"nodeType":"paragraph","content":[{{"nodeType":"text","value":"one"}}]}}]}},
            {{"nodeType":"list-item","content":[{{"nodeType":"paragraph","content":[{{"nodeType":"text","value":"two"}}]}}]}}]}}]}}"#
        );
        assert_eq!(html_of(&contentful), want);
        let portable = format!(
            r#"[{{"_type":"block","style":"h2","children":[{{"_type":"span","text":"A flood"}}]}},
            {{"_type":"block","style":"normal","markDefs":[],"children":[{{"_type":"span","text":"{a}"}},{{"_type":"span","marks":["strong"],"text":"{b}"}}]}},
            {{"_type":"block","style":"normal","listItem":"bullet","level":1,"children":[{{"_type":"span","text":"one"}}]}},
            {{"_type":"block","style":"normal","listItem":"bullet","level":1,"children":[{{"_type":"span","text":"two"}}]}}]"#
        );
        assert_eq!(html_of(&format!("f({portable})")), want.replace("<li><p>", "<li>").replace("</p></li>", "</li>"));
        let editor = format!(
            r#"{{"time":1,"blocks":[{{"type":"header","data":{{"text":"A flood","level":2}}}},{{"type":"paragraph","data":{{"text":"{a}<strong>{b}</strong>"}}}},
            {{"type":"list","data":{{"style":"unordered","items":["one","two"]}}}}]}}"#
        );
        assert_eq!(html_of(&editor), want.replace("<li><p>", "<li>").replace("</p></li>", "</li>"));
        let lexical = format!(
            r#"{{"root":{{"type":"root","children":[{{"type":"heading","tag":"h2","children":[{{"type":"text","text":"A flood"}}]}},
            {{"type":"paragraph","children":[{{"type":"text","text":"{a}"}},{{"type":"text","format":1,"text":"{b}"}}]}},
            {{"type":"list","listType":"bullet","children":[{{"type":"listitem","children":[{{"type":"text","text":"one"}}]}},{{"type":"listitem","children":[{{"type":"text","text":"two"}}]}}]}}]}}}}"#
        );
        assert_eq!(html_of(&lexical), want.replace("<li><p>", "<li>").replace("</p></li>", "</li>"));
    }

    #[test]
    fn rows_of_react_are_joined_where_they_are_referred_to() {
        let rows = format!(
            "0:[\"$\",\"$L2\",null,{{\"children\":[[\"$\",\"h1\",null,{{\"children\":\"A flood\"}}],\"$L5\"]}}]\n\
             2:I[\"x\"]\n5:[\"$\",\"p\",null,{{\"className\":\"a\",\"children\":[\"$6\",[\"$\",\"br\",\"k\",{{}}]]}}]\n6:T{:x},{PROSE}",
            PROSE.len()
        );
        let (one, two) = rows.split_at(60);
        let push = |s: &str| format!("self.__next_f.push([1,{}])", serde_json::to_string(s).unwrap());
        let html = format!("<script>{}</script><script>{}</script>", push(one), push(two));
        let passages = passages(&maintext_page::dom::parse(&html, &Default::default()));
        assert_eq!(passages, [format!("<h1>A flood</h1><p class=\"a\">{PROSE}<br></p>")]);
    }

    #[test]
    fn packed_json_is_unpacked() {
        let nuxt = format!(
            r#"[["ShallowReactive",1],{{"data":2,"order":3}},{{"title":4,"body":5}},["Set"],"A flood",{{"type":6,"children":7}},"root",[8],
            {{"type":9,"tag":10,"children":11}},"element","p",[12],{{"type":13,"value":14}},"text","{PROSE}"]"#
        );
        assert_eq!(html_of(&nuxt), format!("<p>{PROSE}</p>"));
        let router = format!(r#"[{{"_1":2}},"post",{{"_3":4}},"body","{PROSE}"]"#);
        let script = format!("enqueue({})", serde_json::to_string(&router).unwrap());
        assert_eq!(found(&script), [PROSE]);
        let svelte = serde_json::json!({"status": 200, "body": serde_json::json!({"post": {"html": format!("<p>{PROSE}</p>")}}).to_string()});
        assert_eq!(found(&svelte.to_string()), [format!("<p>{PROSE}</p>")]);
        let island = serde_json::json!({"body": [1, [[0, {"type": [0, "paragraph"], "children": [1, [[0, {"text": [0, PROSE]}]]]}]]]});
        let page = format!("<astro-island props=\"{}\"></astro-island>", island.to_string().replace('"', "&quot;"));
        let dom = maintext_page::dom::parse(&page, &Default::default());
        assert_eq!(passages(&dom), [format!("<p>{PROSE}</p>")]);
    }

    #[test]
    fn markdown_in_strings_is_read() {
        let text = format!(
            "# A flood\n\n{PROSE} See *the* `map` and [more](/m).\n\n- one\n- two\n\n```sh\nls <x>\n```\n> said\n"
        );
        let script = serde_json::json!({ "body": text }).to_string();
        let want = format!(
            "<h1>A flood</h1><p>{PROSE} See <em>the</em> <code>map</code> and <a href=\"/m\">more</a>.</p><ul><li>one</li><li>two</li></ul>\
             <pre><code class=\"language-sh\">ls &lt;x>\n</code></pre><blockquote><p>said</p></blockquote>"
        );
        assert_eq!(html_of(&script), want);
    }

    #[test]
    fn copies_count_once_and_deep_json_ends() {
        let script =
            serde_json::json!({"excerpt": &PROSE[..170], "html": format!("<p>{PROSE}</p>"), "text": PROSE}).to_string();
        assert_eq!(found(&script), [format!("<p>{PROSE}</p>")]);
        assert!(found(&"[".repeat(100_000)).is_empty());
        let chain: String =
            (0..2000).map(|i| format!("{i:x}:[\"$\",\"p\",null,{{\"children\":\"${:x}\"}}]\n", i + 1)).collect();
        assert!(found(&format!("f([1,{}])", serde_json::to_string(&chain).unwrap())).is_empty());
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
