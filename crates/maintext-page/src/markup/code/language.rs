//! The language of a code block: from classes, attributes, or the label above it.
use super::hints;
use crate::dom::{Dom, NodeId, NodeKind, Tag};
use crate::lexicon::lexicon;

/// Returns the language that the page declares for code: on its element, on the `<code>` inside it, on the elements around it, or in a label
/// before it.
///
/// ```
/// use maintext_page::dom::{NodeId, Tag, parse};
/// let dom = parse("<div class='highlight-python3 notranslate'><div class=highlight><pre>x = 1</pre></div></div>", &Default::default());
/// let pre = dom.find(NodeId::ROOT, Tag::PRE).unwrap();
/// assert_eq!(maintext_page::markup::code::language::language(&dom, pre).as_deref(), Some("python3"));
/// ```
pub fn language(dom: &Dom<'_>, code: NodeId) -> Option<String> {
    /// Number of elements around code that are asked.
    const MAX_LEVELS_AROUND: usize = 10;
    /// Number of nodes in it that are asked.
    const MAX_NODES_INSIDE: usize = 16;
    if matches!(dom.tag(code), Tag::TABLE | Tag::DIV) && super::diff::is_diff(dom, code) {
        return Some("diff".to_owned());
    }
    let inside = dom
        .descendants(code)
        .take(MAX_NODES_INSIDE)
        .skip(1)
        .filter(|&d| matches!(dom.tag(d), Tag::CODE | Tag::PRE | Tag::DIV));
    let own = inside.chain([code]).find_map(|n| of_element(dom, n));
    if let Some(found) = own {
        return found.name();
    }
    let mut distance = 0;
    let mut inner = code;
    let mut label = None;
    for around in dom.ancestors(code).take(MAX_LEVELS_AROUND) {
        label = label.or_else(|| label_before(dom, inner));
        inner = around;
        match dom.tag(around) {
            Tag::TABLE | Tag::TBODY | Tag::TR | Tag::TD => {}
            Tag::DIV | Tag::FIGURE | Tag::SPAN | Tag::CODE | Tag::OTHER => distance += 1,
            _ => break,
        }
        if distance > 4 {
            break;
        }
        // Farther out, only the name of a language that is known counts.
        let found =
            of_element(dom, around).filter(|f| distance <= 2 || matches!(f, Found::Name(name) if is_known(name)));
        if let Some(found) = found {
            return found.name();
        }
        // An element with other content declares its own language, not the code's.
        if distance > 1 && dom.children(around).filter(|&c| dom.kind(c) == NodeKind::Element).count() > 4 {
            break;
        }
    }
    label
}

/// The language of the code in an element, if the element names one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    Name(String),
    /// The page says that it is only text.
    Plain,
}

impl Found {
    fn name(self) -> Option<String> {
        match self {
            Found::Name(name) => Some(name),
            Found::Plain => None,
        }
    }

    fn of(word: &str) -> Option<Found> {
        let word = word.trim().trim_matches([';', ',', '"', '\'']);
        let word = word.strip_prefix("text/x-").or_else(|| word.strip_prefix("text/")).unwrap_or(word);
        let word = word.strip_prefix("application/").unwrap_or(word);
        if is_plain(word) {
            return Some(Found::Plain);
        }
        is_name(word).then(|| Found::Name(word.to_owned()))
    }

    fn known(word: &str) -> Option<Found> {
        let word = word.trim_end_matches(';');
        is_known(word).then(|| Found::Name(word.to_owned()))
    }
}

/// Returns the language that one element names.
pub(super) fn of_element(dom: &Dom<'_>, n: NodeId) -> Option<Found> {
    let is_code = matches!(dom.tag(n), Tag::PRE | Tag::CODE);
    let (names, find) = (dom.names(), || of_class(dom.class(n), is_code).map(Found::name));
    let answer = dom.languages()[usize::from(is_code)].get(names, names.class_of(n), find);
    answer.clone().map(|name| name.map_or(Found::Plain, Found::Name)).or_else(|| of_attributes(dom, n))
}

fn of_attributes(dom: &Dom<'_>, n: NodeId) -> Option<Found> {
    /// Attributes that hold a language.
    const NAMES: &[&str] = lexicon!("code-language-attributes.txt");
    if let Some(found) = NAMES.iter().find_map(|a| dom.attr(n, a)).and_then(Found::of) {
        return Some(found);
    }
    // Confluence: "brush: java; gutter: false".
    if let Some(brush) = dom.attr(n, "data-syntaxhighlighter-params").and_then(brush) {
        return Found::of(brush);
    }
    // "cs", "pl", "ml" and "tr" are languages of people, too.
    let lang = if matches!(dom.tag(n), Tag::PRE | Tag::CODE) { dom.attr(n, "lang") } else { None };
    lang.filter(|l| !matches!(*l, "cs" | "pl" | "ml" | "tr" | "ts" | "sh" | "hr")).and_then(Found::known)
}

fn brush(params: &str) -> Option<&str> {
    let (_, rest) = params.split_once("brush:")?;
    rest.trim_start().split([';', ' ']).next()
}

/// Reads a class; `code`: whether its element is a `<pre>` or `<code>`.
fn of_class(class: &str, code: bool) -> Option<Found> {
    if class.is_empty() {
        return None;
    }
    let mut words = class.split_ascii_whitespace().peekable();
    let mut highlighter = false;
    let mut named = None;
    while let Some(word) = words.next() {
        let declared = [
            "language-",
            "lang-",
            "highlight-source-",
            "brush:",
            "mw-highlight-lang-",
            "src-",
            "syntax-",
            "enlighter-l-",
            "gatsby-code-",
        ];
        if word == "brush:" {
            return words.next().and_then(Found::of);
        }
        if let Some((prefix, name)) = declared.iter().find_map(|p| word.strip_prefix(p).map(|name| (*p, name))) {
            match prefix {
                "src-" | "syntax-" | "enlighter-l-" | "gatsby-code-" => named = named.or_else(|| Found::known(name)),
                _ => {
                    if let Some(found) = Found::of(name) {
                        return Some(found);
                    }
                }
            }
            continue;
        }
        // Sphinx: "highlight-python3 notranslate".
        if let Some(name) = word.strip_prefix("highlight-") {
            if words.peek() == Some(&"notranslate") || class.contains("notranslate") {
                return Found::of(name);
            }
            named = named.or_else(|| Found::known(name));
            continue;
        }
        highlighter |= lexicon!("code-highlighters.txt").contains(&word);
        // A name alone: "sourceCode python", "hljs python", <pre class="python">.
        if highlighter || code {
            let is_common = matches!(word, "code" | "text" | "block" | "c" | "r" | "d" | "j" | "v" | "q" | "k");
            if named.is_none() && !is_common {
                named = Found::known(word);
            }
            if highlighter && matches!(word, "c" | "r" | "d") {
                named = named.or_else(|| Found::of(word));
            }
        }
        if code && is_plain(word) && !matches!(word, "code" | "output") {
            named = named.or(Some(Found::Plain));
        }
    }
    named
}

/// Whether the name says that the code has no language.
fn is_plain(name: &str) -> bool {
    const PLAIN: &[&str] = lexicon!("code-plain.txt");
    PLAIN.iter().any(|p| p.eq_ignore_ascii_case(name))
}

fn is_name(s: &str) -> bool {
    let plain = s.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'#' | b'-' | b'_' | b'.'));
    plain && !s.is_empty() && s.len() <= 30
}

/// Names of languages as highlighters know them, sorted.
const KNOWN: &[&str] = lexicon!("code-languages.txt");

fn is_known(name: &str) -> bool {
    /// Maximum number of bytes of a name.
    const MAX_NAME_BYTES: usize = 16;
    if name.len() > MAX_NAME_BYTES {
        return false;
    }
    let name = name.to_ascii_lowercase();
    KNOWN.binary_search(&&*name).is_ok()
}

/// Returns the language that a label names: `""` for one without a name in highlighters.
fn of_label(text: &str) -> Option<String> {
    let name = text.trim().trim_end_matches(':').to_lowercase();
    let alias = match &*name {
        "c++" => "cpp",
        "c#" => "csharp",
        "f#" => "fsharp",
        "plain text" | "plaintext" | "text" | "code" => "",
        "objective-c" => "objectivec",
        "visual basic" | "vb.net" => "vbnet",
        "command line" | "terminal" | "shell session" => "shell",
        "azure cli" => "azurecli",
        "node.js" => "js",
        "t-sql" => "tsql",
        // Single letters and ordinary words are not labels.
        "c" | "r" => &name,
        "d" | "v" | "ex" | "cl" | "ml" | "env" | "basic" | "less" | "dot" | "go to" | "reason" | "properties"
        | "apex" | "puppet" => return None,
        _ if is_known(&name) => &name,
        _ => return None,
    };
    Some(alias.to_owned())
}

/// Whether a text is nothing but the name of a language, or the label of a button that copies code.
pub fn is_label_text(text: &str) -> bool {
    hints::is_copy_label(text) || of_label(text).is_some()
}

/// Returns the text of an element if it is short.
fn short_text(dom: &Dom<'_>, n: NodeId) -> Option<String> {
    /// Maximum number of nodes and bytes of a label with its button.
    const MAX_LABEL_NODES: usize = 30;
    const MAX_LABEL_BYTES: usize = 60;
    let mut text = String::new();
    for (i, d) in dom.descendants(n).enumerate() {
        if i > MAX_LABEL_NODES || text.len() > MAX_LABEL_BYTES {
            return None;
        }
        text.push_str(dom.text(d).trim());
        text.push('\n');
    }
    Some(text)
}

/// Returns the language in an element that holds nothing but the label of code: the name of a language, the label of a button.
fn label(dom: &Dom<'_>, n: NodeId) -> Option<Option<String>> {
    let text = short_text(dom, n)?;
    let (mut language, mut copies) = (None, false);
    for part in text.split('\n').map(str::trim).filter(|p| !p.is_empty()) {
        if hints::is_copy_label(part) {
            copies = true;
        } else if language.is_none() {
            language = Some(of_label(part)?);
        } else {
            return None;
        }
    }
    match language {
        Some(name) => Some(Some(name).filter(|l| !l.is_empty())),
        None => copies.then_some(None),
    }
}

/// Whether an element holds nothing but the label of code.
pub(super) fn is_label(dom: &Dom<'_>, n: NodeId) -> bool {
    label(dom, n).is_some()
}

/// Whether an element holds nothing but the label of the code after it.
pub(super) fn is_label_of_code(dom: &Dom<'_>, n: NodeId) -> bool {
    /// Number of elements from the label up to a sibling of the code, and of nodes among which the code is looked for.
    const MAX_LEVELS_TO_SIBLING: usize = 3;
    const MAX_NODES_TO_CODE: usize = 12;
    if !is_label(dom, n) {
        return false;
    }
    let mut at = n;
    for _ in 0..MAX_LEVELS_TO_SIBLING {
        let next = dom.next_siblings(at);
        let mut next = next.filter(|&s| dom.kind(s) == NodeKind::Element);
        if let Some(next) = next.next() {
            return dom
                .descendants(next)
                .take(MAX_NODES_TO_CODE)
                .any(|d| matches!(dom.tag(d), Tag::PRE | Tag::CODE | Tag::TABLE));
        }
        let Some(parent) = dom.parent(at).filter(|&p| dom.tag(p) == Tag::DIV) else { return false };
        at = parent;
    }
    false
}

/// Returns the language that the element before names.
fn label_before(dom: &Dom<'_>, n: NodeId) -> Option<String> {
    let mut before = dom.prev_siblings(n).take(3);
    let before = before.find(|&s| dom.kind(s) == NodeKind::Element)?;
    // A heading or a paragraph is content even if it is a single word.
    let part = matches!(
        dom.tag(before),
        Tag::DIV | Tag::SPAN | Tag::HEADER | Tag::LABEL | Tag::FIGCAPTION | Tag::BUTTON | Tag::SMALL
    );
    part.then(|| label(dom, before)).flatten().flatten()
}
