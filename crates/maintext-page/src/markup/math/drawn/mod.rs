//! Formulas of which a page has only the drawing, from MathJax and KaTeX, without a source and without MathML.
//!
//! `mathjax` and `katex` translate the elements of a drawing to MathML, from the inside out; [`super::mathml`] makes TeX of it.
pub(super) mod katex;
pub(super) mod mathjax;

use crate::dom::{Dom, NodeId};
use maintext_html::Attr;

/// Maximum number of open elements; deeper drawings are not read, so that the work stays linear in their size.
const MAX_OPEN_ELEMENTS: usize = 250;

/// A finished part of a drawing.
struct Item {
    /// MathML; `""` if nothing is drawn.
    ml: String,
    /// Its place in the construct around it.
    role: Role,
    /// How far it is moved down, in any unit.
    y: f32,
}

impl Item {
    fn new(ml: String) -> Item {
        Item { ml, role: Role::Inner, y: 0.0 }
    }

    fn element(name: &str, inner: &str) -> Item {
        Item::new(element(name, inner))
    }
}

/// The role of an item in the construct around it, if the drawing shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Role {
    /// In the order of the drawing.
    #[default]
    Inner,
    Base,
    /// A numerator, a term above.
    Over,
    /// A denominator, a term below.
    Under,
    /// The degree of a root.
    Root,
    /// The number of an equation, or of a line of it.
    Label,
    /// A line or a glyph that is not part of the text: of a fraction, a root or a box.
    Line,
}

fn element(name: &str, inner: &str) -> String {
    format!("<{name}>{inner}</{name}>")
}

/// Returns one element that holds the items.
fn group(items: &[Item]) -> String {
    match items {
        [one] => one.ml.clone(),
        _ => element("mrow", &join(items)),
    }
}

fn join(items: &[Item]) -> String {
    items.iter().filter(|i| i.role != Role::Line).map(|i| i.ml.as_str()).collect()
}

/// Takes out the items of a role, as one element.
fn take(items: &mut Vec<Item>, role: Role) -> Option<String> {
    let (taken, rest) = std::mem::take(items).into_iter().partition::<Vec<_>, _>(|i| i.role == role);
    *items = rest;
    (!taken.is_empty()).then(|| group(&taken))
}

/// Returns the element with indices or terms above and below: `names` are the elements for below, above and both.
fn scripts(names: [&str; 3], base: &str, below: Option<String>, above: Option<String>) -> String {
    match (below, above) {
        (Some(b), None) => element(names[0], &format!("{base}{b}")),
        (None, Some(a)) => element(names[1], &format!("{base}{a}")),
        (Some(b), Some(a)) => element(names[2], &format!("{base}{b}{a}")),
        (None, None) => base.to_owned(),
    }
}

const INDICES: [&str; 3] = ["msub", "msup", "msubsup"];
/// The attributes of a table of equations.
const ALIGNED: &str = " displaystyle=\"true\" columnalign=\"right left\"";
const TERMS: [&str; 3] = ["munder", "mover", "munderover"];

fn fraction(over: &str, under: &str, line: bool) -> String {
    let thickness = if line { "" } else { " linethickness=\"0\"" };
    format!("<mfrac{thickness}>{over}{under}</mfrac>")
}

/// Returns the MathML of the characters of a token.
fn token(name: &str, attributes: &str, text: &str) -> String {
    let mut out = format!("<{name}{attributes}>");
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out.push_str(&format!("</{name}>"));
    out
}

/// Returns the sign that is drawn with pieces: `⎛⎜⎝` is a tall `(`. Other text is returned as it is.
fn without_pieces(text: &str) -> String {
    let has = |c| text.contains(c);
    let sign = match text.chars().next() {
        Some('⎛' | '⎜' | '⎝') => "(",
        Some('⎞' | '⎟' | '⎠') => ")",
        Some('⎡' | '⎢' | '⎣') if !has('⎣') => "⌈",
        Some('⎡' | '⎢' | '⎣') if !has('⎡') => "⌊",
        Some('⎡' | '⎢' | '⎣') => "[",
        Some('⎤' | '⎥' | '⎦') if !has('⎦') => "⌉",
        Some('⎤' | '⎥' | '⎦') if !has('⎤') => "⌋",
        Some('⎤' | '⎥' | '⎦') => "]",
        Some('⎧' | '⎨' | '⎩' | '⎪') if has('⎨') => "{",
        Some('⎫' | '⎬' | '⎭' | '⎪') if has('⎬') => "}",
        // The pieces of braces have places in the private area of MathJax's fonts.
        Some('\u{e150}') => "⏞",
        Some('\u{e152}') => "⏟",
        Some(c @ ('∣' | '∥')) if text.chars().all(|o| o == c) => return c.to_string(),
        _ => return text.to_owned(),
    };
    sign.to_owned()
}

/// Returns a length of the element's style.
fn length(dom: &Dom<'_>, n: NodeId, name: &str) -> Option<f32> {
    let style = dom.attribute(n, Attr::STYLE)?;
    let value = style.split(';').find_map(|rule| rule.trim().strip_prefix(name)?.trim_start().strip_prefix(':'))?;
    let number = value.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
    number.parse().ok().filter(|v: &f32| v.is_finite())
}

/// Returns the space of a width in em, if TeX writes it with a command that readers would miss.
fn space(width: f32) -> String {
    if width >= 0.9 { format!("<mspace width=\"{width}em\"></mspace>") } else { String::new() }
}

/// Returns the label of an equation without its parentheses.
fn label(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text)
}

#[cfg(test)]
mod tests;
