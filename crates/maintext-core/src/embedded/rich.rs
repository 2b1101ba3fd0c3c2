//! Rich text as trees of JSON, written as HTML.
//!
//! Editors and content services name the same things in many ways: ProseMirror, Slate, Lexical, Contentful, Portable Text. A node is an object
//! with a type, and with children or a text; one table of types serves them all.
use crate::json::Json;
use maintext_page::hash::HashMap;
use maintext_render::render::escape;

/// The types of blocks and their elements; `h` is a heading of some level.
const BLOCKS: [(&str, &str); 11] = [
    ("paragraph p normal", "p"),
    ("heading header h1 h2 h3 h4 h5 h6 heading1 heading2 heading3 heading4 heading5 heading6", "h"),
    ("bulletlist unorderedlist bulletedlist ul list", "ul"),
    ("orderedlist numberedlist ol", "ol"),
    ("listitem li", "li"),
    ("blockquote quote", "blockquote"),
    ("codeblock code pre", "pre"),
    ("table", "table"),
    ("tablerow tr", "tr"),
    ("tablecell td", "td"),
    ("tableheader tableheadercell th", "th"),
];
/// The types of marks in a text, and their elements.
const MARKS: [(&str, &str); 5] =
    [("strong bold", "strong"), ("em emphasis italic", "em"), ("code", "code"), ("strike", "del"), ("link a", "a")];

/// Returns the HTML of a value that is rich text: a document, or a list of blocks.
pub(super) fn html(value: &Json<'_>) -> Option<String> {
    let blocks = match value {
        Json::Array(items) => items,
        _ if matches!(kind(value).as_str(), "doc" | "document" | "root") => children(value)?,
        _ => return None,
    };
    let found = blocks.iter().filter(|b| is_block(b)).count();
    if found == 0 || 2 * found < blocks.len() {
        return None;
    }
    let mut out = String::new();
    write_nodes(blocks, &HashMap::default(), &mut out);
    Some(out)
}

fn is_block(node: &Json<'_>) -> bool {
    (children(node).is_some() || node.str("text").is_some()) && element(&BLOCKS, &kind(node)).is_some()
}

/// Returns the type of a node in lower case, without signs; in Portable Text the style names it.
fn kind(node: &Json<'_>) -> String {
    let name = ["nodeType", "_type", "type"].into_iter().find_map(|key| node.str(key)).unwrap_or("");
    let name = if name == "block" { node.str("style").unwrap_or("normal") } else { name };
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn children<'j>(node: &'j Json<'j>) -> Option<&'j [Json<'j>]> {
    ["children", "content"].into_iter().find_map(|key| node.get(key)?.array())
}

fn element(table: &[(&str, &'static str)], kind: &str) -> Option<&'static str> {
    table.iter().find(|(kinds, _)| kinds.split(' ').any(|k| k == kind)).map(|t| t.1)
}

/// Writes nodes. `links`: the links that the block around them defines, by key.
fn write_nodes(nodes: &[Json<'_>], links: &HashMap<&str, &str>, out: &mut String) {
    let mut open = "";
    for node in nodes {
        let list = match node.str("listItem") {
            Some("number") => "ol",
            Some(_) => "ul",
            None => "",
        };
        change_list(&mut open, list, out);
        write_node(node, links, out);
    }
    change_list(&mut open, "", out);
}

/// Closes the open list and opens the next one, unless they are the same; an empty name means no list.
pub(super) fn change_list(open: &mut &'static str, list: &'static str, out: &mut String) {
    if *open != list {
        for (name, slash) in [(*open, "/"), (list, "")] {
            if !name.is_empty() {
                out.push_str(&format!("<{slash}{name}>"));
            }
        }
        *open = list;
    }
}

fn write_node(node: &Json<'_>, links: &HashMap<&str, &str>, out: &mut String) {
    let kind = kind(node);
    let attrs = ["attrs", "data"].into_iter().find_map(|key| node.get(key)).unwrap_or(node);
    // The level of a heading is a number, or at the end of its type or tag.
    let named = kind.bytes().chain(node.str("tag").unwrap_or("").bytes()).find(|b| matches!(b, b'1'..=b'6'));
    let level = named.map_or_else(|| attrs.number("level").unwrap_or(2).clamp(1, 6), |b| u64::from(b - b'0'));
    let tag = match element(&BLOCKS, &kind) {
        Some("h") => &format!("h{level}"),
        Some("ul") if node.str("listType") == Some("number") => "ol",
        Some("p") if node.get("listItem").is_some() => "li",
        Some(tag) => tag,
        None => element(&MARKS, &kind).unwrap_or("span"),
    };
    let href = ["href", "url", "uri"].into_iter().find_map(|name| attrs.str(name).or(node.str(name)));
    match (children(node), node.str("text").or(node.str("value"))) {
        (None, Some(text)) if element(&BLOCKS, &kind).is_none() => write_text(text, node, links, out),
        (None, None) if matches!(kind.as_str(), "hardbreak" | "linebreak" | "break") => out.push_str("<br>"),
        (nodes, text) => {
            out.push_str(&format!("<{tag}"));
            if tag == "a"
                && let Some(href) = href
            {
                out.push_str(&format!(" href=\"{}\"", escape::html(href)));
            }
            out.push_str(&format!(">{}", escape::html(text.unwrap_or(""))));
            let defined = node.get("markDefs").and_then(Json::array).unwrap_or(&[]);
            let defined: HashMap<_, _> =
                defined.iter().filter_map(|d| Some((d.str("_key")?, d.str("href")?))).collect();
            write_nodes(nodes.unwrap_or(&[]), if defined.is_empty() { links } else { &defined }, out);
            out.push_str(&format!("</{tag}>"));
        }
    }
}

/// Writes a text with its marks: names, objects with a type, flags, bits, or keys of links.
fn write_text(text: &str, node: &Json<'_>, links: &HashMap<&str, &str>, out: &mut String) {
    let mut open = Vec::new();
    let bits = node.number("format").unwrap_or(0);
    for (name, bit) in [("strong", 1), ("em", 2)] {
        let flag = if bit == 1 { "bold" } else { "italic" };
        // Lexical's formats are bits, Slate's are flags.
        if bits & bit != 0 || node.number(flag) == Some(1) {
            open.push(name);
            out.push_str(&format!("<{name}>"));
        }
    }
    for mark in node.get("marks").and_then(Json::array).unwrap_or(&[]) {
        let name = mark.text().map_or_else(|| kind(mark), str::to_owned);
        let href = links.get(&*name).copied().or_else(|| mark.get("attrs")?.str("href"));
        if let Some(tag) = element(&MARKS, &name).or(href.map(|_| "a")) {
            open.push(tag);
            let href = href.map(|h| format!(" href=\"{}\"", escape::html(h))).unwrap_or_default();
            out.push_str(&format!("<{tag}{href}>"));
        }
    }
    out.push_str(&escape::html(text));
    open.iter().rev().for_each(|tag| out.push_str(&format!("</{tag}>")));
}
