//! Finds text that a page carries in its scripts: the texts that JSON-LD declares, and the data of pages that JavaScript draws.
//!
//! No framework is known by name: rich text in the JSON of a script, and each string that reads like prose, is a passage. The passages are
//! used only if the visible page lacks the content. Data that frameworks pack in formats of their own is not read.
mod markdown;
mod rich;

use crate::json::Json;
use maintext_page::blocks::count_words;
use maintext_page::dom::{Dom, NodeId};
use maintext_page::hash::HashMap;
use maintext_page::signs::PageSigns;
use maintext_render::render::escape;

/// Minimum number of words of a passage.
pub const MIN_WORDS: u32 = 30;
/// The keys of a page's body in JSON-LD.
const BODIES: &[&str] = &["articleBody", "reviewBody"];
/// The keys of other texts in JSON-LD: posts, answers, transcripts.
const TEXTS: &[&str] = &["text"];
/// Minimum number of bytes of a string with a passage.
const MIN_LITERAL: usize = 120;
/// Maximum number of bytes of JSON that are read, and of the values in it, each about 60 bytes of memory.
const MAX_BYTES: usize = 8 << 20;
const MAX_VALUES: usize = 1 << 19;
/// Maximum number of attempts to read a value in one script. Each may read to its end.
const MAX_ATTEMPTS: usize = 4;
/// Maximum number of levels of JSON in strings.
const MAX_LEVELS: u32 = 2;
/// Minimum share of letters and spaces among the characters.
const MIN_LETTERS: f32 = 0.75;

/// The passages found so far.
#[derive(Default)]
pub(crate) struct FoundPassages {
    pub(crate) passages: Vec<String>,
    /// The passages by their beginning. Scripts repeat a text with different markup, or truncated.
    by_start: HashMap<String, usize>,
    /// Whether a limit was reached.
    pub(crate) is_cut: bool,
}

impl FoundPassages {
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

    /// Adds the texts that JSON-LD declares: bodies, or else other texts.
    fn add_declared(&mut self, value: &Json<'_>, keys: &[&str]) {
        match value {
            Json::Array(items) => items.iter().for_each(|i| self.add_declared(i, keys)),
            Json::Object(members) => {
                for (key, value) in members {
                    match value {
                        Json::Text(text) if keys.contains(&&**key) && is_prose(text) => self.add(text.to_string()),
                        _ => self.add_declared(value, keys),
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the rich text and the prose in a value. JSON in strings is read too, `levels` deep.
    fn add_prose(&mut self, value: &Json<'_>, levels: u32, reader: &mut JsonReader<'_>) {
        match value {
            Json::Text(text) if text.len() < MIN_LITERAL => {}
            Json::Text(text) => {
                let is_data = levels > 0 && text.starts_with(['{', '[']);
                let inner = if is_data { reader.read(text) } else { Vec::new() };
                inner.iter().for_each(|value| self.add_prose(value, levels - 1, reader));
                if inner.is_empty() && is_prose(text) {
                    self.add(text.to_string());
                }
            }
            Json::Array(_) | Json::Object(_) => match (rich::html(value), value) {
                (Some(html), _) if is_prose(&html) => self.add(html),
                (Some(_), _) => {}
                (None, Json::Array(items)) => items.iter().for_each(|i| self.add_prose(i, levels, reader)),
                (None, Json::Object(members)) => members.iter().for_each(|m| self.add_prose(&m.1, levels, reader)),
                _ => {}
            },
            _ => {}
        }
    }
}

/// Reads JSON within the limits of a page.
struct JsonReader<'a> {
    dom: &'a Dom<'a>,
    bytes: usize,
    values: usize,
    is_cut: bool,
}

impl JsonReader<'_> {
    /// Returns the objects and arrays of a script: at its beginning, and where code assigns them or passes them to a function. Their memory
    /// is charged before they are built.
    fn read<'t>(&mut self, script: &'t str) -> Vec<Json<'t>> {
        let count = script.bytes().filter(|b| matches!(b, b',' | b'[' | b'{')).count();
        let (mut values, mut at, mut failed) = (Vec::new(), 0, 0);
        if !self.charge(0, count) {
            return values;
        }
        while let Some(open) = memchr::memchr2(b'{', b'[', &script.as_bytes()[at..]).map(|i| at + i)
            && failed < MAX_ATTEMPTS
        {
            at = open + 1;
            if !matches!(script[..open].trim_end().bytes().next_back(), None | Some(b'=' | b'(')) {
                continue;
            }
            let mut stream = serde_json::Deserializer::from_str(&script[open..]).into_iter();
            if let Some(Ok(value)) = stream.next() {
                values.push(value);
                at = open + stream.byte_offset();
                if !self.charge(at - open, 0) {
                    break;
                }
            } else {
                failed += 1;
                if !self.charge(script.len() - open, 0) {
                    break;
                }
            }
        }
        values
    }

    /// Whether this many more bytes and values stay within the limits.
    fn charge(&mut self, bytes: usize, values: usize) -> bool {
        self.is_cut |= bytes > self.bytes || values > self.values;
        if self.is_cut || !self.dom.works((bytes / 64 + values) as u64) {
            return false;
        }
        self.bytes -= bytes;
        self.values -= values;
        true
    }
}

/// Returns the passages of prose in JSON-LD and, on a shell, in the data of scripts, each once, in order. Some are HTML.
pub(crate) fn passages(dom: &Dom<'_>, signs: &PageSigns, is_shell: bool) -> FoundPassages {
    let mut found = FoundPassages::default();
    let mut reader = JsonReader { dom, bytes: MAX_BYTES, values: MAX_VALUES, is_cut: false };
    let (linked_data, others): (Vec<NodeId>, Vec<NodeId>) = signs.scripts(dom).partition(|&n| is_linked_data(dom, n));
    let declared: Vec<_> = linked_data.into_iter().flat_map(|n| reader.read(script_text(dom, n))).collect();
    for keys in [BODIES, TEXTS] {
        if found.passages.is_empty() {
            declared.iter().for_each(|value| found.add_declared(value, keys));
        }
    }
    // On other pages, half of the prose in scripts is a description of the site or its interface: reading it lost 0.0023 on the labels.
    if is_shell && found.passages.is_empty() {
        for n in others {
            let values = reader.read(script_text(dom, n));
            values.iter().for_each(|value| found.add_prose(value, MAX_LEVELS, &mut reader));
        }
    }
    found.is_cut = reader.is_cut;
    found
}

fn is_linked_data(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.attr(n, "type").is_some_and(|t| t.contains("ld+json"))
}

fn script_text<'d>(dom: &'d Dom<'_>, n: NodeId) -> &'d str {
    dom.first_child(n).map_or("", |t| dom.text(t).trim())
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
                out.push_str(&format!("<p>{}</p>", escape::html(line)));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &str = "The river rose in the night, and by morning the lower road was gone. People carried what they could to the \
        school on the hill, where somebody had lit the stove. Nobody asked how long it would last.";

    fn in_page(html: &str, is_shell: bool) -> Vec<String> {
        let dom = maintext_page::dom::parse(html, &Default::default());
        passages(&dom, &PageSigns::new(&dom), is_shell).passages
    }

    fn found(script: &str) -> Vec<String> {
        in_page(&format!("<script>{script}</script>"), true)
    }

    #[test]
    fn a_shell_holds_prose_in_its_state_and_any_page_in_its_json_ld() {
        let state = format!(r#"window.__STATE__={{"a":{{"id":"17","body":"{PROSE}"}},"b":"short"}};f()"#);
        assert_eq!(found(&state), [PROSE]);
        let ld =
            format!(r#"{{"@type":"NewsArticle","description":"{PROSE} And more of it.","articleBody":"{PROSE}"}}"#);
        let page = format!("<script>{state}</script><script type=application/ld+json>{ld}</script>");
        assert_eq!(in_page(&page, false), [PROSE]);
        assert_eq!(in_page(&page.replace("articleBody", "text"), false), [PROSE]);
        assert!(in_page(&format!("<script>{state}</script>"), false).is_empty());
    }

    #[test]
    fn json_in_a_string_is_read_but_is_not_prose() {
        let inner = serde_json::json!({ "post": { "html": format!("<p>{PROSE}</p>") } }).to_string();
        assert_eq!(
            found(&serde_json::json!({ "status": 200, "body": inner }).to_string()),
            [format!("<p>{PROSE}</p>")]
        );
        let names = serde_json::json!(format!("[{{\"name\":\"{}\"}}]", "One, two. Three ".repeat(6))).to_string();
        assert!(found(&format!("x({names})")).is_empty());
    }

    #[test]
    fn copies_count_once_and_deep_json_ends() {
        let script =
            serde_json::json!({"excerpt": &PROSE[..170], "html": format!("<p>{PROSE}</p>"), "text": PROSE}).to_string();
        assert_eq!(found(&script), [format!("<p>{PROSE}</p>")]);
        assert!(found(&"[".repeat(100_000)).is_empty());
    }

    #[test]
    fn code_and_lists_of_names_are_not_prose() {
        let code = serde_json::json!(["function(a,b){return a.b.c,d}; x=>y, z. ".repeat(9)]).to_string();
        assert!(found(&code).is_empty());
        assert!(found(&format!("[\"{}\"]", "item_1/alpha-2:x ".repeat(40))).is_empty());
        assert!(found("[\"never closed").is_empty());
    }

    /// Values take memory that bytes do not show.
    #[test]
    fn more_values_than_the_limit_are_a_warning_and_charge_the_page() {
        let html = format!("<script>x=[{}{:?}]</script>", "1,".repeat(MAX_VALUES), PROSE);
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let found = passages(&dom, &PageSigns::new(&dom), true);
        assert!(found.is_cut && found.passages.is_empty());
        let html = format!("<script>x=[{}{:?}]</script>", "1,".repeat(MAX_VALUES / 2), PROSE);
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let found = passages(&dom, &PageSigns::new(&dom), true);
        assert!(!found.is_cut && found.passages == [PROSE]);
        assert!(dom.work() > MAX_VALUES as u64 / 2);
    }

    #[test]
    fn brackets_and_marks_that_nothing_closes_cost_linear_work() {
        for unit in ["abcd [efgh ", "[a](b", "a *b **c `d ", "[a](b c", "*a [ "] {
            let text = format!("# A flood\n\n{PROSE} {}", unit.repeat(100_000));
            let before = std::time::Instant::now();
            let mut out = String::new();
            markdown::html(&text, &mut out);
            assert!(out.len() > text.len() / 2 && before.elapsed().as_secs() < 5, "{unit}: {:?}", before.elapsed());
        }
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
        let lexical = format!(
            r#"{{"root":{{"type":"root","children":[{{"type":"heading","tag":"h2","children":[{{"type":"text","text":"A flood"}}]}},
            {{"type":"paragraph","children":[{{"type":"text","text":"{a}"}},{{"type":"text","format":1,"text":"{b}"}}]}},
            {{"type":"list","listType":"bullet","children":[{{"type":"listitem","children":[{{"type":"text","text":"one"}}]}},{{"type":"listitem","children":[{{"type":"text","text":"two"}}]}}]}}]}}}}"#
        );
        assert_eq!(html_of(&lexical), want.replace("<li><p>", "<li>").replace("</p></li>", "</li>"));
    }

    #[test]
    fn markdown_in_strings_is_read() {
        let text = format!(
            "# A flood\n\n{PROSE} See *the* `map` and [more](/m).\n\n- one\n- two\n\n```sh\nls <x>\n```\n> said\n"
        );
        let script = serde_json::json!({ "body": text }).to_string();
        let want = format!(
            "<h1>A flood</h1><p>{PROSE} See <em>the</em> <code>map</code> and <a href=\"/m\">more</a>.</p><ul><li>one</li><li>two</li></ul>\
             <pre><code class=\"language-sh\">ls &lt;x&gt;\n</code></pre><blockquote><p>said</p></blockquote>"
        );
        assert_eq!(html_of(&script), want);
    }
}
