//! Drawings of MathJax: elements `mjx-*` (CHTML of version 3), `<g data-mml-node>` (SVG of version 3), `<span class="mjx-*">` (CommonHTML of
//! version 2) and `<span class="MathJax">` (HTML-CSS of version 2).
use super::{
    ALIGNED, INDICES, Item, MAX_OPEN_ELEMENTS, Role, TERMS, element, fraction, group, join, label, length, scripts,
    space, take, token, without_pieces,
};
use crate::dom::{Dom, Edge, NodeId, NodeKind};
use crate::lexicon::lexicon;
use maintext_html::Attr;

/// An element whose children are being read.
struct Open<'a> {
    node: NodeId,
    name: &'a str,
    items: Vec<Item>,
    /// The characters of a token.
    text: String,
    /// Its alphabet, as an attribute.
    style: &'static str,
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
                let name = name(dom, n);
                if let Some(c) = char_of(dom, n, name) {
                    if let Some(o) = open.last_mut() {
                        o.text.push(c);
                    }
                    walk.skip_children();
                } else if is_dropped(name) {
                    walk.skip_children();
                }
                open.push(Open { node: n, name, items: Vec::new(), text: String::new(), style: alphabet(dom, n) });
            }
            Edge::Enter(n) => {
                if let Some(o) = open.last_mut() {
                    o.text.push_str(dom.text(n));
                }
            }
            Edge::Leave(n) if dom.kind(n) == NodeKind::Element => {
                let Some(mut closed) = open.pop() else { break };
                let Some(outer) = open.last_mut() else { return element("math", &join(&closed.items)) };
                if passes_text(closed.name) {
                    outer.text.push_str(&closed.text);
                    outer.style = if closed.style.is_empty() { outer.style } else { closed.style };
                }
                let y = shift(dom, n);
                let inside = outer.name;
                match close(dom, &mut closed, inside) {
                    Some(mut item) => {
                        item.y += y;
                        outer.items.push(item);
                    }
                    None => outer.items.extend(closed.items.into_iter().map(|i| Item { y: i.y + y, ..i })),
                }
            }
            Edge::Leave(_) => {}
        }
    }
    String::new()
}

/// Returns the name of an element in MathML, or of a part of its drawing.
fn name<'a>(dom: &'a Dom<'_>, n: NodeId) -> &'a str {
    if let Some(name) = dom.attr(n, "data-mml-node") {
        return name;
    }
    if dom.attr(n, "data-labels").is_some() {
        return "labels";
    }
    let tag = dom.tag_name(n);
    if let Some(name) = tag.strip_prefix("mjx-") {
        return name;
    }
    if tag != "span" {
        return tag;
    }
    let class = dom.attribute(n, Attr::CLASS).and_then(|c| c.split_ascii_whitespace().next()).unwrap_or("");
    class.strip_prefix("mjx-").unwrap_or(class)
}

/// Returns the alphabet that version 2 names by the font of the characters.
fn alphabet(dom: &Dom<'_>, n: NodeId) -> &'static str {
    const FONTS: [(&str, &str); 8] = [
        ("MJXc-TeX-ams-R", " mathvariant=\"double-struck\""),
        ("MJXc-TeX-main-B", " mathvariant=\"bold\""),
        ("MJXc-TeX-math-BI", " mathvariant=\"bold-italic\""),
        ("MJXc-TeX-cal-R", " mathvariant=\"script\""),
        ("MJXc-TeX-script-R", " mathvariant=\"script\""),
        ("MJXc-TeX-frak-R", " mathvariant=\"fraktur\""),
        ("MJXc-TeX-sans-R", " mathvariant=\"sans-serif\""),
        ("MJXc-TeX-type-R", " mathvariant=\"monospace\""),
    ];
    let class = dom.class(n);
    let glyph = if class.starts_with("mjx-c") { class } else { dom.attr(n, "xlink:href").unwrap_or("") };
    match glyph {
        g if g.contains("TEX-C") => return " mathvariant=\"script\"",
        // Letters of the upright alphabet; italic ones have code points of their own.
        g if g.contains("-TEX-N-") => return " mathvariant=\"normal\"",
        _ => {}
    }
    let font = dom.attribute(n, Attr::CLASS).and_then(|c| c.strip_prefix("mjx-char ")).unwrap_or("");
    let one_letter = || dom.first_child(n).is_some_and(|c| dom.text(c).chars().all(|c| c.is_ascii_alphanumeric()));
    let style = FONTS.iter().find(|(name, _)| font.split(' ').next() == Some(name)).map_or("", |f| f.1);
    if style.is_empty() || !one_letter() { "" } else { style }
}

/// Returns the character that an element without text draws.
fn char_of(dom: &Dom<'_>, n: NodeId, name: &str) -> Option<char> {
    let code = match name {
        "c" | "stretchy-v" | "stretchy-h" => {
            let class = dom.attribute(n, Attr::CLASS)?;
            class.split_ascii_whitespace().find_map(|w| w.strip_prefix("mjx-c"))?
        }
        "use" | "path" => dom.attr(n, "data-c")?,
        _ => return None,
    };
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

fn is_dropped(name: &str) -> bool {
    lexicon!("mathjax-measures.txt").contains(&name)
}

/// Whether the text of an element belongs to the token around it.
fn passes_text(name: &str) -> bool {
    matches!(name, "c" | "use" | "char" | "box" | "utext" | "text" | "svg" | "g" | "")
        || name.starts_with("delim")
        || name == "tspan"
}

/// Returns how far the element is moved down.
fn shift(dom: &Dom<'_>, n: NodeId) -> f32 {
    if let Some(transform) = dom.attr(n, "transform") {
        let moves = transform.split("translate(").skip(1);
        let y =
            moves.filter_map(|m| m.split(')').next()?.split([',', ' ']).rfind(|p| !p.is_empty())?.parse::<f32>().ok());
        return -y.sum::<f32>();
    }
    if dom.tag_name(n) == "span" { length(dom, n, "top").unwrap_or(0.0) } else { 0.0 }
}

/// The attribute of a cell that is set at the right.
const RIGHT: &str = "columnalign=\"right\"";

/// Makes an item of an element that ends; `None` if its items belong to the element around it.
fn close(dom: &Dom<'_>, o: &mut Open<'_>, inside: &str) -> Option<Item> {
    let items = &mut o.items;
    Some(match o.name {
        "mi" | "mn" | "mo" | "mtext" | "ms" => Item::new(symbol(dom, o)),
        "mspace" => Item::new(space(length(dom, o.node, "width").unwrap_or(0.0))),
        "mrow" if items.len() > 2 && [0, items.len() - 1].iter().all(|&i| items[i].ml == "<mo>∣</mo>") => {
            let last = items.len() - 1;
            for i in [0, last] {
                items[i].ml = "<mo>|</mo>".to_owned();
            }
            Item::new(group(items))
        }
        "mrow" | "TeXAtom" | "texatom" | "texAtom" | "mstyle" | "mpadded" | "math" | "mmultiscripts" | "merror" => {
            Item::new(group(items))
        }
        "mtd" if dom.attribute(o.node, Attr::STYLE).is_some_and(|s| s.contains("text-align: right")) => {
            Item::new(format!("<mtd {RIGHT}>{}</mtd>", join(items)))
        }
        "mtr" | "mtd" | "mlabeledtr" => Item::element(o.name, &join(items)),
        "labels" | "label" => Item { role: Role::Label, ..Item::new(join(items)) },
        "mfrac" => {
            let line = items.iter().any(|i| i.role == Role::Line);
            items.retain(|i| i.role != Role::Line);
            let (over, under) = (take(items, Role::Over), take(items, Role::Under));
            if over.is_none() && under.is_none() {
                order(items);
            }
            let mut rest = std::mem::take(items).into_iter().map(|i| i.ml);
            let over = over.or_else(|| rest.next()).unwrap_or_else(|| element("mrow", ""));
            let under = under.or_else(|| rest.next()).unwrap_or_else(|| element("mrow", ""));
            Item::new(fraction(&over, &under, line))
        }
        "msqrt" | "mroot" => {
            let degree = take(items, Role::Root);
            items.retain(|i| i.role != Role::Line && i.ml != "<mo>√</mo>");
            let degree = degree.or_else(|| (o.name == "mroot" && items.len() > 1).then(|| items.remove(1).ml));
            match degree {
                Some(degree) => Item::element("mroot", &format!("{}{degree}", group(items))),
                None => Item::element("msqrt", &join(items)),
            }
        }
        "msub" | "msup" | "msubsup" => Item::new(indices(items, o.name, INDICES)),
        // The lower part of a drawing with terms above and below.
        "munder" if inside == "box" || inside == "munderover" && items.iter().any(|i| i.role == Role::Base) => {
            return None;
        }
        "munder" | "mover" | "munderover" => Item::new(terms(items, o.name)),
        "mtable" => Item::new(table(items)),
        "menclose" => {
            let style = dom.first_child(o.node).and_then(|c| dom.attribute(c, Attr::STYLE)).unwrap_or("");
            let boxed = style.contains("border:") || items.iter().any(|i| i.role == Role::Line);
            items.retain(|i| i.role != Role::Line);
            match boxed {
                true => Item::new(format!("<menclose notation=\"box\">{}</menclose>", join(items))),
                false => Item::new(group(items)),
            }
        }
        "num" | "numerator" => Item { role: Role::Over, ..Item::new(group(items)) },
        "den" | "denominator" => Item { role: Role::Under, ..Item::new(group(items)) },
        "over" => Item { role: Role::Over, ..Item::new(group(items)) },
        "under" => Item { role: Role::Under, ..Item::new(group(items)) },
        "base" | "op" => Item { role: Role::Base, ..Item::new(group(items)) },
        "root" => Item { role: Role::Root, ..Item::new(group(items)) },
        "sup" => Item { role: Role::Over, ..Item::new(group(items)) },
        "sub" => Item { role: Role::Under, ..Item::new(group(items)) },
        // Above the other if there are two.
        "script" => {
            let roles: [Role; 2] = match (items.len(), inside) {
                (1, "msub" | "munder") => [Role::Under, Role::Under],
                _ => [Role::Over, Role::Under],
            };
            for (item, role) in items.iter_mut().zip(roles) {
                item.role = role;
            }
            return None;
        }
        "line" | "rect" => Item { role: Role::Line, ..Item::new(String::new()) },
        "g" if items.len() > 1 && matches!(inside, "msqrt" | "mroot" | "menclose") => Item::new(group(items)),
        "" if is_line(dom, o.node) => Item { role: Role::Line, ..Item::new(String::new()) },
        _ => return None,
    })
}

/// Whether a `<span>` draws the line of a fraction.
fn is_line(dom: &Dom<'_>, n: NodeId) -> bool {
    let style = dom.attribute(n, Attr::STYLE).unwrap_or("");
    dom.first_child(n).is_none()
        && (style.contains("border-top:") || style.contains("border-left:") && style.contains("width: 1"))
}

/// Sorts items from top to bottom.
fn order(items: &mut [Item]) {
    items.sort_by(|a, b| a.y.total_cmp(&b.y));
}

fn symbol(dom: &Dom<'_>, o: &Open<'_>) -> String {
    let class = dom.class(o.node);
    let text = if o.name == "mtext" { o.text.clone() } else { without_pieces(o.text.trim()) };
    let bar = |c| matches!(c, '¯' | '–' | '―' | '‾');
    let plain = if o.name == "mo" && !text.is_empty() && text.chars().all(bar) { "‾".to_owned() } else { text };
    let letter = plain.len() == 1 && plain.bytes().all(|b| b.is_ascii_alphabetic());
    // Letters of one character are italic; the drawing has the letters of the italic alphabet for them.
    let drawn = class.starts_with("mjx-") && o.name == "mi" && class.contains("mjx-n");
    let attributes = match o.name {
        _ if o.style.contains("normal") && !letter => "",
        _ if !o.style.is_empty() && o.name != "mo" => o.style,
        "mi" if letter && drawn => " mathvariant=\"normal\"",
        "mo" if class.split_ascii_whitespace().any(|w| w == "mjx-n") => " stretchy=\"false\"",
        _ => "",
    };
    token(o.name, attributes, &plain)
}

/// Returns the indices of a base: by their places, or by their heights.
fn indices(items: &mut Vec<Item>, name: &str, names: [&str; 3]) -> String {
    let (mut above, mut below) = (take(items, Role::Over), take(items, Role::Under));
    let base = take(items, Role::Base);
    let base_y = items.first().map_or(0.0, |i| i.y);
    let mut rest = std::mem::take(items).into_iter().filter(|i| i.role == Role::Inner);
    let base = base.or_else(|| rest.next().map(|i| i.ml)).unwrap_or_else(|| element("mrow", ""));
    for item in rest {
        let up = match name {
            "msub" | "munder" => false,
            "msup" | "mover" => true,
            _ => item.y < base_y,
        };
        let slot = if up { &mut above } else { &mut below };
        *slot = Some(slot.take().unwrap_or_default() + &item.ml);
    }
    scripts(names, &base, below, above)
}

fn terms(items: &mut Vec<Item>, name: &str) -> String {
    indices(items, name, TERMS)
}

/// Returns a table, with the labels of its lines.
fn table(items: &mut Vec<Item>) -> String {
    let labels = take(items, Role::Label).unwrap_or_default();
    let labels: Vec<String> = labels.split("<mtd").skip(1).map(|l| strip_tags(&format!("<{l}"))).collect();
    let rows = join(items);
    let is_labeled = !labels.is_empty() && rows.matches("<mlabeledtr>").count() == labels.len();
    let aligned = if labels.is_empty() && !rows.contains(RIGHT) { "" } else { ALIGNED };
    let mut out = format!("<mtable{aligned}>");
    let mut labels = labels.iter();
    for (i, part) in rows.split("<mlabeledtr>").enumerate() {
        match (i, is_labeled) {
            (0, _) => {}
            (_, true) => {
                out.push_str("<mlabeledtr><mtd>");
                out.push_str(&token("mtext", "", label(labels.next().map_or("", |l| l))));
                out.push_str("</mtd>");
            }
            _ => out.push_str("<mlabeledtr><mtd></mtd>"),
        }
        out.push_str(part);
    }
    out.push_str("</mtable>");
    out
}

/// Returns the characters of MathML of our own making.
fn strip_tags(ml: &str) -> String {
    ml.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text).collect()
}
