//! Drawings of KaTeX without MathML: `<span class="katex-html">`.
//!
//! KaTeX stacks terms vertically in a `vlist`, whose entries give their height as `top`.
use super::{
    ALIGNED, INDICES, Item, MAX_OPEN_ELEMENTS, Role, TERMS, element, fraction, group, join, label, length, scripts,
    space, take, token, without_pieces,
};
use crate::dom::{Dom, Edge, NodeId, NodeKind};
use crate::markup::math::symbols;
use maintext_html::Attr;

struct Open<'a> {
    node: NodeId,
    kind: Class,
    class: &'a str,
    items: Vec<Item>,
    /// The entries of a `vlist` below, each with its height.
    stack: Vec<Item>,
    text: String,
    /// Whether the entry is set smaller than the base: an index or a term.
    small: bool,
    /// The height of the strut of an entry.
    strut: f32,
}

/// What a class makes of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Plain,
    Fraction,
    Scripts,
    Limits,
    Root,
    Degree,
    Accent,
    Over,
    Under,
    Table,
    Column,
    List,
    Entry,
    Text,
    Tag,
    Box,
    Delimiter,
    Small,
}

/// Returns the MathML of a drawing; `""` if it has none or is not understood.
pub(in super::super) fn to_mathml(dom: &Dom<'_>, drawing: NodeId) -> String {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut walk = dom.traverse(drawing);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Element => {
                if open.len() > MAX_OPEN_ELEMENTS {
                    return String::new();
                }
                let class = dom.class(n);
                let kind = match open.last() {
                    Some(o) if o.kind == Class::List => Class::Entry,
                    _ => kind(class),
                };
                let strut = has(class, "pstrut");
                if strut && let Some(entry) = open.last_mut() {
                    entry.strut = length(dom, n, "height").unwrap_or(0.0);
                }
                let whole = matches!(kind, Class::Text | Class::Delimiter | Class::Tag);
                if strut || whole || is_dropped(dom, n, class) {
                    walk.skip_children();
                }
                open.push(Open {
                    node: n,
                    kind,
                    class,
                    items: Vec::new(),
                    stack: Vec::new(),
                    text: if whole { dom.text_content(n) } else { String::new() },
                    small: false,
                    strut: 0.0,
                });
            }
            Edge::Enter(n) => {
                if let Some(o) = open.last_mut() {
                    o.text.push_str(dom.text(n));
                }
            }
            Edge::Leave(n) if dom.kind(n) == NodeKind::Element => {
                let Some(mut closed) = open.pop() else { break };
                let Some(outer) = open.last_mut() else { return element("math", &labeled(closed.items)) };
                close(dom, &mut closed, outer);
            }
            Edge::Leave(_) => {}
        }
    }
    String::new()
}

fn has(class: &str, word: &str) -> bool {
    class.split_ascii_whitespace().any(|w| w.strip_prefix("katex-").unwrap_or(w) == word)
}

fn kind(class: &str) -> Class {
    let mut found = Class::Plain;
    for word in class.split_ascii_whitespace() {
        found = match word.strip_prefix("katex-").unwrap_or(word) {
            "mfrac" => Class::Fraction,
            "msupsub" => Class::Scripts,
            "op-limits" => Class::Limits,
            "sqrt" => Class::Root,
            "root" => Class::Degree,
            "accent" | "accentunder" => Class::Accent,
            "overline" => Class::Over,
            "underline" => Class::Under,
            "mtable" => Class::Table,
            w if w.starts_with("col-align-") => Class::Column,
            "vlist" => Class::List,
            "text" => Class::Text,
            "tag" => Class::Tag,
            "boxpad" => Class::Box,
            "delimsizing" => Class::Delimiter,
            "sizing" if found == Class::Plain => Class::Small,
            _ => continue,
        };
        if found != Class::Small {
            break;
        }
    }
    found
}

/// Whether an element is a measure or a line without text.
fn is_dropped(dom: &Dom<'_>, n: NodeId, class: &str) -> bool {
    const DROPPED_CLASSES: [&str; 9] = [
        "strut",
        "vlist-s",
        "nulldelimiter",
        "arraycolsep",
        "fix",
        "mathml",
        "vertical-separator",
        "hline",
        "hide-tail",
    ];
    DROPPED_CLASSES.iter().any(|w| has(class, w)) || dom.tag_name(n) == "svg"
}

fn close(dom: &Dom<'_>, o: &mut Open<'_>, outer: &mut Open<'_>) {
    let text = o.text.replace(['\u{200b}', '\u{2061}'], "");
    let item = match o.kind {
        Class::Delimiter => {
            let drawn = || delimiter(dom, o.node, outer.class).unwrap_or("").to_owned();
            let sign = if text.trim().is_empty() { drawn() } else { without_pieces(text.trim()) };
            if sign.is_empty() { None } else { Some(Item::new(token("mo", "", &sign))) }
        }
        Class::Text => Some(Item::new(token("mtext", "", &text))),
        Class::Tag => Some(Item { role: Role::Label, ..Item::new(labels(dom, o.node)) }),
        Class::List => {
            outer.stack.append(&mut o.items);
            None
        }
        Class::Entry => {
            let y = length(dom, o.node, "top").unwrap_or(0.0) + o.strut;
            let accent = has_child(dom, o.node, &["accent-body"]);
            if accent {
                let text = dom.text_content(o.node).replace('\u{200b}', "");
                let sign = if text.trim().is_empty() { "→" } else { text.trim() };
                o.items = vec![Item::new(token("mo", "", sign))];
            }
            let line = o.items.is_empty() && has_child(dom, o.node, &LINES);
            if line || !o.items.is_empty() {
                let role = match (line, o.small || accent) {
                    (true, _) => Role::Line,
                    (_, true) => Role::Over,
                    _ => Role::Inner,
                };
                outer.items.push(Item { ml: group(&attach(std::mem::take(&mut o.items))), role, y });
            }
            return;
        }
        Class::Plain | Class::Small => {
            outer.small |= o.kind == Class::Small && outer.kind == Class::Entry;
            if is_atom(o.class) && !o.stack.is_empty() {
                let stacked = construct(dom, o);
                o.items.extend(stacked);
            }
            outer.stack.append(&mut o.stack);
            if !text.trim().is_empty() {
                // Parts of a word have elements of their own where letters are set closer.
                let text = dom.text_content(o.node).replace(['\u{200b}', '\u{2061}'], "");
                Some(Item::new(symbol(o.class, text.trim())))
            } else if has(o.class, "mspace") {
                let width = length(dom, o.node, "margin-right").unwrap_or(0.0);
                Some(Item::new(space(width))).filter(|i| !i.ml.is_empty())
            } else if o.items.len() > 1 && is_atom(o.class) {
                let items = attach(std::mem::take(&mut o.items));
                Some(Item::new(group(&items)))
            } else if o.items.is_empty() && o.class == "mord" {
                // The base of an index to the left of a symbol.
                Some(Item::new(element("mrow", "")))
            } else {
                outer.items.append(&mut o.items);
                None
            }
        }
        _ => construct(dom, o),
    };
    outer.items.extend(item);
}

fn is_atom(class: &str) -> bool {
    let first = class.split_ascii_whitespace().next().unwrap_or("");
    matches!(first, "mord" | "minner" | "mop" | "mrel" | "mbin" | "mopen" | "mclose" | "mpunct")
}

/// Returns a construct whose parts are stacked.
fn construct(dom: &Dom<'_>, o: &mut Open<'_>) -> Option<Item> {
    let mut stack = std::mem::take(&mut o.stack);
    stack.sort_by(|a, b| a.y.total_cmp(&b.y));
    let line = stack.iter().any(|i| i.role == Role::Line);
    let mut inner = stack.into_iter().filter(|i| i.role != Role::Line);
    let none = || element("mrow", "");
    Some(Item::new(match o.kind {
        Class::Fraction => {
            let (over, under) = (inner.next().map_or_else(none, |i| i.ml), inner.next().map_or_else(none, |i| i.ml));
            fraction(&over, &under, line)
        }
        // Joined with its base where the element around it ends.
        Class::Scripts => {
            let (mut above, mut below) = (String::new(), String::new());
            for item in inner {
                (if item.y < 0.0 { &mut above } else { &mut below }).push_str(&item.ml);
            }
            return Some(Item { role: Role::Over, ml: format!("{below}\u{0}{above}"), y: 0.0 });
        }
        Class::Limits => limits(&inner.collect::<Vec<_>>()),
        // A brace or an arrow is a picture.
        Class::Plain | Class::Small => {
            let items = limits(&inner.collect::<Vec<_>>());
            let brace = line && dom.descendants(o.node).any(|d| dom.attribute(d, Attr::CLASS) == Some("brace-center"));
            match () {
                _ if brace && has(o.class, "munder") => scripts(TERMS, &items, Some("<mo>⏟</mo>".to_owned()), None),
                _ if brace && has(o.class, "mover") => scripts(TERMS, &items, None, Some("<mo>⏞</mo>".to_owned())),
                _ if has(o.class, "x-arrow") => scripts(TERMS, "<mo>→</mo>", None, Some(items)),
                _ => items,
            }
        }
        Class::Degree => {
            let items: Vec<Item> = inner.collect();
            return Some(Item { role: Role::Root, ..Item::new(group(&items)) });
        }
        Class::Root => {
            let degree = take(&mut o.items, Role::Root);
            let items: Vec<Item> = inner.collect();
            match degree {
                Some(degree) => element("mroot", &format!("{}{degree}", group(&items))),
                None => element("msqrt", &join(&items)),
            }
        }
        Class::Accent => {
            let (above, base) = inner.partition::<Vec<_>, _>(|i| i.role == Role::Over);
            let wide = || wide_accent(dom, o.node).map(|c| token("mo", "", c));
            let above = if above.is_empty() { wide() } else { Some(group(&above)) };
            scripts(TERMS, &group(&base), None, above)
        }
        Class::Over | Class::Under => {
            let base = group(&inner.collect::<Vec<_>>());
            let bar = Some("<mo>‾</mo>".to_owned());
            if o.kind == Class::Over { scripts(TERMS, &base, None, bar) } else { scripts(TERMS, &base, bar, None) }
        }
        Class::Box => format!("<menclose notation=\"box\">{}</menclose>", join(&attach(std::mem::take(&mut o.items)))),
        Class::Column => {
            let cells: String = inner.map(|i| i.ml + "\u{0}").collect();
            return Some(Item { role: Role::Base, ..Item::new(cells) });
        }
        Class::Table => {
            let columns: Vec<Vec<&str>> =
                o.items.iter().map(|i| i.ml.trim_end_matches('\u{0}').split('\u{0}').collect()).collect();
            let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
            // A column without a cell in some line does not say in which.
            if columns.iter().any(|c| c.len() != rows) {
                return Some(Item::new(element("mrow", &columns.concat().concat())));
            }
            let row = |r: usize| -> String { columns.iter().map(|c| element("mtd", c[r])).collect() };
            let aligned = o.items.len() > 1 && has_child(dom, o.node, &["col-align-r"]);
            let rows: String = (0..rows).map(|r| element("mtr", &row(r))).collect();
            format!("<mtable{}>{rows}</mtable>", if aligned { ALIGNED } else { "" })
        }
        _ => return None,
    }))
}

/// Returns the first picture below an element.
fn picture(dom: &Dom<'_>, n: NodeId) -> Option<NodeId> {
    dom.descendants(n).find(|&d| dom.tag_name(d) == "svg")
}

/// Returns the accent that is drawn over several letters, which only the size of its picture identifies.
fn wide_accent(dom: &Dom<'_>, n: NodeId) -> Option<&'static str> {
    let svg = picture(dom, n)?;
    let size = dom.attr(svg, "viewbox").or_else(|| dom.attr(svg, "viewBox"))?;
    match size.split_ascii_whitespace().nth(2)? {
        "1062" | "2364" => Some("ˆ"),
        "600" | "1033" | "2339" | "2340" => Some("˜"),
        "400000" => Some("→"),
        _ => None,
    }
}

/// Returns the tall bracket that a picture draws: the width identifies it, the class shows whether it opens.
fn delimiter(dom: &Dom<'_>, n: NodeId, class: &str) -> Option<&'static str> {
    let svg = picture(dom, n)?;
    let signs = match dom.attr(svg, "width")? {
        "0.333em" => ["|", "|"],
        "0.556em" => ["‖", "‖"],
        "0.667em" => ["[", "]"],
        "0.875em" => ["(", ")"],
        "0.889em" | "0.75em" => ["{", "}"],
        _ => return None,
    };
    Some(signs[has(class, "mclose") as usize])
}

/// Returns a base with the terms above and below it, which are smaller.
fn limits(items: &[Item]) -> String {
    let mut bases = items.iter().enumerate().filter(|(_, i)| i.role == Role::Inner);
    let (Some((at, base)), None) = (bases.next(), bases.next()) else { return group(items) };
    let ml = |items: &[Item]| (!items.is_empty()).then(|| element("mrow", &join(items)));
    scripts(TERMS, &base.ml, ml(&items[at + 1..]), ml(&items[..at]))
}

/// Joins indices with the items before them.
fn attach(items: Vec<Item>) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::with_capacity(items.len());
    for item in items {
        match item.ml.split_once('\u{0}') {
            Some((below, above)) if item.role == Role::Over => {
                let base = out.pop().map_or_else(|| element("mrow", ""), |b| b.ml);
                let some = |s: &str| (!s.is_empty()).then(|| s.to_owned());
                out.push(Item::new(scripts(INDICES, &base, some(below), some(above))));
            }
            _ => out.push(item),
        }
    }
    out
}

/// Returns the labels of an equation's lines, each in an `<mtd>`.
fn labels(dom: &Dom<'_>, n: NodeId) -> String {
    let class = |n: NodeId| dom.class(n);
    let text = |n: NodeId| dom.text_content(n).replace('\u{200b}', "");
    let mut entries: Vec<(f32, String)> = match dom.descendants(n).find(|&d| class(d) == "vlist") {
        Some(list) => dom.children(list).map(|e| (length(dom, e, "top").unwrap_or(0.0), text(e))).collect(),
        None => vec![(0.0, text(n))],
    };
    entries.sort_by(|a, b| a.0.total_cmp(&b.0));
    entries.iter().map(|(_, text)| element("mtd", &token("mtext", "", label(text)))).collect()
}

/// Returns all items, with the labels before the lines of the equation.
fn labeled(items: Vec<Item>) -> String {
    let mut items = attach(items);
    let Some(labels) = take(&mut items, Role::Label) else { return join(&items) };
    let labels: Vec<&str> = labels.split_inclusive("</mtd>").collect();
    let inner = join(&items);
    let row = |label: &str, cells: &str| element("mlabeledtr", &format!("{label}{cells}"));
    let rows = match rows(&inner) {
        Some(rows) if rows.len() == labels.len() => labels.iter().zip(rows).map(|(l, r)| row(l, r)).collect(),
        _ => row(&labels.concat(), &element("mtd", &inner)),
    };
    format!("<mtable{ALIGNED}>{rows}</mtable>")
}

/// Returns the cells of each row if the MathML, which is of our own making, is one table.
fn rows(ml: &str) -> Option<Vec<&str>> {
    let body = ml.strip_prefix("<mtable")?.split_once('>')?.1.strip_suffix("</mtable>")?;
    let (mut rows, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, tag) in body.match_indices('<').map(|(i, _)| (i, &body[i..])) {
        match tag {
            t if t.starts_with("<mtr>") => {
                depth += 1;
                from = if depth == 1 { at + "<mtr>".len() } else { from };
            }
            t if t.starts_with("</mtr>") => {
                if depth == 1 {
                    rows.push(&body[from..at]);
                }
                depth -= 1;
            }
            t if depth == 0 && t.starts_with("</mtable>") => return None,
            _ => {}
        }
    }
    Some(rows)
}

/// Classes of what an entry may hold besides text.
const LINES: [&str; 5] = ["frac-line", "overline-line", "underline-line", "fbox", "stretchy"];

fn has_child(dom: &Dom<'_>, n: NodeId, words: &[&str]) -> bool {
    dom.children(n).any(|c| {
        let class = dom.class(c);
        words.iter().any(|w| has(class, w))
    })
}

fn symbol(class: &str, text: &str) -> String {
    // A stroke through the relation that follows.
    let text = text.replace("\u{e020}=", "≠").replace('\u{e020}', "\u{338}");
    let first = class.split_ascii_whitespace().next().unwrap_or("");
    let text = if text == "∣" && first != "mrel" { "|".to_owned() } else { text };
    let styles = [
        ("mathbf", "bold"),
        ("boldsymbol", "bold-italic"),
        ("mathbb", "double-struck"),
        ("mathcal", "script"),
        ("mathscr", "script"),
        ("mathfrak", "fraktur"),
        ("mathsf", "sans-serif"),
        ("mathtt", "monospace"),
        ("mathrm", "normal"),
    ];
    let style = styles.iter().find(|(word, _)| has(class, word) || *word == "mathbb" && has(class, "amsrm"));
    let variant = style.map_or(String::new(), |(_, variant)| format!(" mathvariant=\"{variant}\""));
    let letters = text.chars().all(char::is_alphabetic);
    if text.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return token("mn", &variant, &text);
    }
    match first {
        "mbin" | "mrel" | "mpunct" | "mopen" | "mclose" => token("mo", " stretchy=\"false\"", &text),
        "mop" if letters && symbols::is_function(&text) => token("mi", "", &text),
        "mop" | "accent-body" => token("mo", "", &text),
        _ if letters => token("mi", &variant, &text),
        _ => token("mo", &variant, &text),
    }
}
