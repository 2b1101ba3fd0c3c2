//! Rich text as trees of JSON, written as HTML.
//!
//! Editors, content services and frameworks name the same things in many ways: ProseMirror, Slate, Lexical, Contentful, Portable Text,
//! Editor.js, Draft.js, syntax trees of Markdown, React elements. A node is an object with a type, and with children, text or data, or an
//! array with a tag's name; one table of types serves them all.
use super::json::Json;
use super::{escaped, escaped_value};
use maintext_page::hash::HashMap;

/// Returns the HTML of a value that is rich text: a document, or a list of blocks.
pub(super) fn html(value: &Json<'_>) -> Option<String> {
    let is_rich = match value {
        Json::Object(_) => is_document(value),
        Json::Array(items) => {
            let blocks = items.iter().filter(|i| is_block(i)).count();
            blocks > 0 && 2 * blocks >= items.len()
        }
        _ => false,
    };
    is_rich.then(|| {
        let mut w = Writer::default();
        w.node(value);
        w.out
    })
}

/// Returns the HTML of React's rows, from those to which no other refers.
pub(super) fn html_of_rows(rows: &[(&str, Json<'_>)]) -> String {
    let by_id: HashMap<&str, usize> = rows.iter().enumerate().map(|(i, r)| (r.0, i)).collect();
    let mut referred = vec![false; rows.len()];
    rows.iter().for_each(|r| mark_references(&r.1, &by_id, &mut referred));
    let mut w = Writer { rows, by_id, written: vec![false; rows.len()], ..Writer::default() };
    for (i, row) in rows.iter().enumerate() {
        if !referred[i] && !matches!(row.1, Json::Text(_)) {
            w.found(&row.1, 0);
        }
    }
    w.out
}

/// Returns the id of a row that a string refers to: `$L1f`, `$1f`.
fn reference(text: &str) -> Option<&str> {
    let id = text.strip_prefix('$')?.trim_start_matches(['L', '@']);
    (!id.is_empty() && id.bytes().all(|b| b.is_ascii_hexdigit())).then_some(id)
}

fn mark_references(value: &Json<'_>, rows: &HashMap<&str, usize>, out: &mut [bool]) {
    match value {
        Json::Text(text) => {
            if let Some(&row) = reference(text).and_then(|id| rows.get(id)) {
                out[row] = true;
            }
        }
        Json::Array(items) => items.iter().for_each(|i| mark_references(i, rows, out)),
        Json::Object(members) => members.iter().for_each(|m| mark_references(&m.1, rows, out)),
        _ => {}
    }
}

/// Returns the type of a node in lower case, without signs.
fn kind(node: &Json<'_>) -> Option<String> {
    let name = ["nodeType", "_type", "tagName", "tag", "type"].into_iter().find_map(|key| node.str(key))?;
    let name = match name {
        // The tag of a syntax tree's element is more precise.
        "element" => node.str("tagName").or(node.str("tag")).unwrap_or(name),
        // In Portable Text the style names the kind of a block.
        "block" => node.str("style").unwrap_or("normal"),
        _ => name,
    };
    Some(name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect())
}

fn children<'j>(node: &'j Json<'j>) -> Option<&'j [Json<'j>]> {
    ["children", "content", "body"].into_iter().find_map(|key| node.get(key)?.array())
}

/// Returns the HTML element of a type of blocks; `"h"` is a heading whose level is elsewhere.
fn block_tag(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "paragraph" | "p" | "normal" | "unstyled" => "p",
        "heading" | "header" => "h",
        "h1" | "heading1" | "headerone" => "h1",
        "h2" | "heading2" | "headertwo" => "h2",
        "h3" | "heading3" | "headerthree" => "h3",
        "h4" | "heading4" | "headerfour" => "h4",
        "h5" | "heading5" | "headerfive" => "h5",
        "h6" | "heading6" | "headersix" => "h6",
        "bulletlist" | "unorderedlist" | "ul" | "bulletedlist" | "list" => "ul",
        "orderedlist" | "numberedlist" | "ol" => "ol",
        "listitem" | "li" | "unorderedlistitem" | "orderedlistitem" => "li",
        "blockquote" | "quote" => "blockquote",
        "codeblock" | "code" | "pre" => "pre",
        "table" => "table",
        "thead" | "tbody" | "section" | "article" | "div" | "main" | "figure" | "figcaption" => "div",
        "tablerow" | "tr" => "tr",
        "tablecell" | "td" => "td",
        "tableheader" | "tableheadercell" | "th" => "th",
        "horizontalrule" | "hr" | "thematicbreak" | "divider" | "delimiter" => "hr",
        _ => return None,
    })
}

fn inline_tag(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "strong" | "bold" | "b" => "strong",
        "em" | "emphasis" | "italic" | "i" => "em",
        "inlinecode" | "code" => "code",
        "strike" | "strikethrough" | "delete" | "del" | "s" => "del",
        "sub" | "subscript" => "sub",
        "sup" | "superscript" => "sup",
        "link" | "hyperlink" | "a" | "autolink" => "a",
        _ => return None,
    })
}

/// Whether a value is a document: its children are blocks.
fn is_document(value: &Json<'_>) -> bool {
    let named = kind(value).is_some_and(|k| matches!(k.as_str(), "doc" | "document" | "root" | "minimark"));
    named && children(value).is_some_and(|c| c.iter().any(is_block))
}

/// Whether a value is a block of rich text.
fn is_block(value: &Json<'_>) -> bool {
    match value {
        Json::Object(_) => {
            let holds = children(value).is_some()
                || value.str("text").is_some()
                || value.get("data").is_some()
                || value.str("code").is_some();
            holds && kind(value).is_some_and(|k| block_tag(&k).is_some())
        }
        Json::Array(_) => element(value).is_some_and(|(tag, ..)| block_tag(&tag.to_ascii_lowercase()).is_some()),
        _ => false,
    }
}

/// Returns tag, properties and children of an element that is an array: `["$", "p", key, {…}]` of React, `["p", {…}, …]` of Nuxt.
fn element<'j>(value: &'j Json<'j>) -> Option<(&'j str, &'j Json<'j>, &'j [Json<'j>])> {
    match value.array()? {
        [Json::Text(sign), Json::Text(tag), _, props @ Json::Object(_), ..] if sign == "$" => Some((tag, props, &[])),
        [Json::Text(tag), props @ Json::Object(_), rest @ ..] if tag.len() <= 20 && !tag.contains(' ') => {
            Some((tag, props, rest))
        }
        _ => None,
    }
}

#[derive(Default)]
struct Writer<'j> {
    out: String,
    /// The open lists of blocks that name their own level, as Portable Text and Draft.js do.
    lists: Vec<&'static str>,
    rows: &'j [(&'j str, Json<'j>)],
    by_id: HashMap<&'j str, usize>,
    written: Vec<bool>,
    /// The open nodes.
    depth: usize,
}

impl<'j> Writer<'j> {
    fn text(&mut self, s: &str) {
        self.out.push_str(&escaped(s));
    }

    fn open(&mut self, tag: &str, attributes: &[(&str, Option<&str>)]) {
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attributes {
            if let Some(value) = value {
                self.out.push_str(&format!(" {name}=\"{}\"", escaped_value(value)));
            }
        }
        self.out.push('>');
    }

    fn close(&mut self, tag: &str) {
        self.out.push_str(&format!("</{tag}>"));
    }

    fn nodes(&mut self, nodes: &'j [Json<'j>]) {
        for node in nodes {
            self.leveled_list(node);
            self.node(node);
        }
        self.close_lists(0);
    }

    /// Opens and closes lists before a block that names its list and level.
    fn leveled_list(&mut self, node: &Json<'_>) {
        let kind = kind(node).unwrap_or_default();
        let list = match node.str("listItem") {
            Some("number") => Some("ol"),
            Some(_) => Some("ul"),
            None if kind == "orderedlistitem" => Some("ol"),
            None if kind == "unorderedlistitem" => Some("ul"),
            None => None,
        };
        let Some(list) = list else { return self.close_lists(0) };
        let depth = node.number("level").or(node.number("depth").map(|d| d + 1)).unwrap_or(1).clamp(1, 9) as usize;
        self.close_lists(depth);
        if self.lists.len() == depth && self.lists.last() != Some(&list) {
            self.close_lists(depth - 1);
        }
        while self.lists.len() < depth {
            self.open(list, &[]);
            self.lists.push(list);
        }
    }

    fn close_lists(&mut self, depth: usize) {
        while self.lists.len() > depth {
            if let Some(list) = self.lists.pop() {
                self.close(list);
            }
        }
    }

    fn node(&mut self, node: &'j Json<'j>) {
        /// Maximum number of levels, over all rows. Deeper nodes are left out.
        const MAX_LEVELS: usize = 200;
        if self.depth >= MAX_LEVELS {
            return;
        }
        self.depth += 1;
        self.node_below(node);
        self.depth -= 1;
    }

    fn node_below(&mut self, node: &'j Json<'j>) {
        match node {
            Json::Text(text) => match reference(text).and_then(|id| self.by_id.get(id)).copied() {
                Some(row) => self.row(row),
                None if text.starts_with('$') && self.by_id.len() > 1 => {
                    self.text(text.strip_prefix("$$").map_or("", |_| &text[1..]))
                }
                None => self.text(text),
            },
            Json::Array(items) => match element(node) {
                Some((tag, props, rest)) => self.element(tag, props, rest),
                None => {
                    let lists = std::mem::take(&mut self.lists);
                    self.nodes(items);
                    self.lists = lists;
                }
            },
            Json::Object(_) => self.object(node),
            _ => {}
        }
    }

    /// Writes a row once, where it is first referred to.
    fn row(&mut self, row: usize) {
        let rows = self.rows;
        if !std::mem::replace(&mut self.written[row], true) {
            match &rows[row].1 {
                Json::Text(text) => self.text(text),
                value => self.found(value, 0),
            }
        }
    }

    /// Writes the elements in a value, whatever is around them: the properties of components.
    fn found(&mut self, value: &'j Json<'j>, level: usize) {
        /// Maximum number of levels of properties.
        const MAX_LEVELS: usize = 40;
        if level > MAX_LEVELS {
            return;
        }
        match value {
            Json::Array(items) if element(value).is_none() => items.iter().for_each(|i| self.found(i, level + 1)),
            Json::Object(members) if !is_document(value) => members.iter().for_each(|m| self.found(&m.1, level + 1)),
            Json::Text(text) if reference(text).is_some_and(|id| self.by_id.contains_key(id)) => self.node(value),
            Json::Array(_) | Json::Object(_) => self.node(value),
            _ => {}
        }
    }

    fn element(&mut self, tag: &str, props: &'j Json<'j>, rest: &'j [Json<'j>]) {
        const SKIPPED: [&str; 9] = ["script", "style", "svg", "link", "meta", "button", "form", "head", "template"];
        const VOID: [&str; 3] = ["img", "br", "hr"];
        if SKIPPED.contains(&tag) {
            return;
        }
        // A component: its properties hold the elements.
        let is_component =
            tag.starts_with('$') || tag.contains(char::is_uppercase) || !tag.bytes().all(|b| b.is_ascii_alphanumeric());
        if is_component {
            return self.found(props, 0);
        }
        let attribute = |names: [&str; 2]| names.into_iter().find_map(|n| props.str(n));
        let attributes = [
            ("href", props.str("href")),
            ("src", props.str("src")),
            ("alt", props.str("alt")),
            ("class", attribute(["className", "class"])),
            ("colspan", props.str("colSpan")),
        ];
        self.open(tag, &attributes);
        if !VOID.contains(&tag) {
            match props.get("dangerouslySetInnerHTML").and_then(|h| h.str("__html")) {
                Some(html) => self.out.push_str(html),
                None => props.get("children").into_iter().for_each(|c| self.node(c)),
            }
            self.nodes(rest);
            self.close(tag);
        }
    }

    fn object(&mut self, node: &'j Json<'j>) {
        let kind = kind(node).unwrap_or_default();
        let attrs = ["attrs", "data", "properties", "props"].into_iter().find_map(|key| node.get(key)).unwrap_or(node);
        match kind.as_str() {
            "hardbreak" | "linebreak" | "break" | "br" => return self.out.push_str("<br>"),
            "image" | "img" => {
                let address = |n: &'j Json<'j>| n.str("src").or(n.str("url"));
                let src = address(attrs).or(attrs.get("file").and_then(address)).or(address(node));
                let alt = attrs.str("alt").or(node.str("alt"));
                return if src.is_some() {
                    self.open("img", &[("src", src), ("alt", alt)])
                };
            }
            "text" | "span" | "" if children(node).is_none() => {
                let text = node.str("text").or(node.str("value"));
                return if let Some(text) = text {
                    self.marked(text, node, &[])
                };
            }
            _ => {}
        }
        // A text that has formats but no type, as in Slate.
        if let (None, None, Some(text)) = (children(node), block_tag(&kind), node.str("text")) {
            return self.marked(text, node, &[]);
        }
        match (block_tag(&kind), inline_tag(&kind)) {
            (Some("pre"), _) => self.code(node, attrs),
            (Some("hr"), _) => self.out.push_str("<hr>"),
            (Some(tag), _) => self.block(tag, node, attrs),
            (None, Some("a")) => {
                let href = ["href", "url", "uri"].into_iter().find_map(|n| attrs.str(n).or(node.str(n)));
                self.open("a", &[("href", href)]);
                self.content(node);
                self.close("a");
            }
            (None, Some(tag)) => {
                self.open(tag, &[]);
                self.content(node);
                self.close(tag);
            }
            (None, None) => self.content(node),
        }
    }

    fn block(&mut self, tag: &'static str, node: &'j Json<'j>, attrs: &'j Json<'j>) {
        let level = attrs.number("level").or(node.number("depth")).or(node.number("level")).unwrap_or(2).clamp(1, 6);
        let numbered = format!("h{level}");
        let ordered = [node.str("listType"), attrs.str("style"), node.str("tag")].into_iter().flatten();
        let tag = match tag {
            // Lexical gives a heading's level as a tag.
            "h" => node.str("tag").filter(|t| matches!(t.as_bytes(), [b'h', b'1'..=b'6'])).unwrap_or(&numbered),
            "ul" if ordered.into_iter().any(|s| matches!(s, "number" | "ordered" | "ol"))
                || node.number("ordered") == Some(1) =>
            {
                "ol"
            }
            // Blocks of a list name their level.
            "p" if node.get("listItem").is_some() => "li",
            tag => tag,
        };
        self.open(tag, &[]);
        self.content(node);
        if let Some(items) = attrs.get("items").and_then(Json::array) {
            items.iter().for_each(|i| self.list_item(i));
        } else if let Some(rows) = attrs.get("content").and_then(Json::array).filter(|_| tag == "table") {
            for row in rows {
                self.out.push_str("<tr>");
                for cell in row.array().into_iter().flatten().filter_map(Json::text) {
                    self.out.push_str(&format!("<td>{cell}</td>"));
                }
                self.out.push_str("</tr>");
            }
        } else if let (None, Some(html)) = (children(node), node.get("data").and_then(|d| d.str("text"))) {
            // Editor.js stores HTML.
            self.out.push_str(html);
        }
        self.close(tag);
    }

    /// Writes an item of Editor.js: HTML, or HTML with items below.
    fn list_item(&mut self, item: &Json<'_>) {
        self.out.push_str("<li>");
        self.out.push_str(item.text().or(item.str("content")).unwrap_or(""));
        if let Some(items) = item.get("items").and_then(Json::array).filter(|i| !i.is_empty()) {
            self.out.push_str("<ul>");
            items.iter().for_each(|i| self.list_item(i));
            self.out.push_str("</ul>");
        }
        self.out.push_str("</li>");
    }

    fn code(&mut self, node: &'j Json<'j>, attrs: &'j Json<'j>) {
        let language = [attrs.str("language"), node.str("language"), node.str("lang")].into_iter().flatten().next();
        let class = language.map(|l| format!("language-{l}"));
        self.out.push_str("<pre>");
        self.open("code", &[("class", class.as_deref())]);
        match [node.str("code"), attrs.str("code"), node.str("value")].into_iter().flatten().next() {
            Some(code) => self.text(code),
            None => self.content(node),
        }
        self.out.push_str("</code></pre>");
    }

    /// Writes the children of a node, or its own text.
    fn content(&mut self, node: &'j Json<'j>) {
        match children(node) {
            Some(nodes) => {
                let lists = std::mem::take(&mut self.lists);
                let links = link_definitions(node);
                for n in nodes {
                    self.leveled_list(n);
                    match n.str("text").filter(|_| !links.is_empty()) {
                        Some(text) => self.marked(text, n, &links),
                        None => self.node(n),
                    }
                }
                self.close_lists(0);
                self.lists = lists;
            }
            None => {
                let text = node.str("text").or(node.str("value"));
                text.into_iter().for_each(|t| self.text(t));
            }
        }
    }

    /// Writes text with its formats: names, objects with a type, flags, bits, or keys of links.
    fn marked(&mut self, text: &str, node: &Json<'_>, links: &[(&str, &str)]) {
        let mut open: Vec<&str> = Vec::new();
        for mark in node.get("marks").and_then(Json::array).unwrap_or(&[]) {
            let name = mark.text().map(str::to_owned).or_else(|| kind(mark)).unwrap_or_default();
            let key = links.iter().find(|l| l.0 == name).map(|l| l.1);
            let href = key.or_else(|| mark.get("attrs")?.str("href"));
            match inline_tag(&name).or(key.map(|_| "a")) {
                Some("a") => {
                    self.open("a", &[("href", href)]);
                    open.push("a");
                }
                Some(tag) => {
                    self.open(tag, &[]);
                    open.push(tag);
                }
                None => {}
            }
        }
        // Lexical's formats are bits.
        let bits = node.number("format").unwrap_or(0);
        for (name, bit) in [("bold", 1), ("italic", 2), ("strikethrough", 4), ("code", 16)] {
            if let Some(tag) = inline_tag(name).filter(|_| bits & bit != 0 || node.number(name) == Some(1)) {
                self.open(tag, &[]);
                open.push(tag);
            }
        }
        self.text(text);
        while let Some(tag) = open.pop() {
            self.close(tag);
        }
    }
}

/// Returns the links that a block of Portable Text defines, by their keys.
fn link_definitions<'j>(node: &'j Json<'j>) -> Vec<(&'j str, &'j str)> {
    let definitions = node.get("markDefs").and_then(Json::array).unwrap_or(&[]);
    definitions.iter().filter_map(|d| Some((d.str("_key")?, d.str("href")?))).collect()
}
