//! Converts presentation MathML to TeX that LaTeX, KaTeX and MathJax read.
//!
//! Elements are closed from the inside out, so that each one sees the TeX of its children and their kinds: an operator, a table, a row.
mod rows;
mod tokens;

use super::symbols;
use crate::dom::{Dom, Edge, NodeId, NodeKind};
use rows::{fenced, row, table, table_row};
use tokens::{characters, space, token};

/// Returns the TeX of a `<math>` element, `""` if it is empty.
pub(super) fn to_tex(dom: &Dom<'_>, math: NodeId) -> String {
    let mut open: Vec<(NodeId, Vec<Part>)> = Vec::new();
    let mut walk = dom.traverse(math);
    while let Some(edge) = walk.next() {
        match edge {
            Edge::Enter(n) if dom.kind(n) == NodeKind::Element => {
                let name = dom.tag_name(n);
                if matches!(name, "annotation" | "annotation-xml" | "mphantom" | "script" | "style") || is_token(name) {
                    walk.skip_children();
                }
                open.push((n, Vec::new()));
            }
            Edge::Enter(n) => {
                let text = dom.text(n).trim();
                if !text.is_empty()
                    && let Some((_, parts)) = open.last_mut()
                {
                    parts.push(Part::new(characters(text), Kind::Other));
                }
            }
            Edge::Leave(n) if dom.kind(n) == NodeKind::Element => {
                let Some((node, parts)) = open.pop() else { break };
                let part = close(dom, node, parts);
                match open.last_mut() {
                    // Annotations are not part of a formula, and do not count as arguments.
                    Some((_, parent)) if part.kind != Kind::Absent => parent.push(part),
                    Some(_) => {}
                    None => return part.finish(),
                }
            }
            Edge::Leave(_) => {}
        }
    }
    String::new()
}

/// The kind of a part of a formula, for the element around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// No part of the formula.
    Absent,
    Empty,
    /// One symbol or number, or a command with its arguments: an index needs no braces around it.
    Atom,
    /// An operator of one character; whether it may grow.
    Operator(char, bool),
    /// A sum, a limit, a brace with a label: the terms above and below it are indices.
    Limits,
    /// A fraction without a line.
    Stack,
    /// The rows of a table without an environment around them, and its usual environment.
    Table(&'static str),
    Row,
    Cell,
    /// The place before which the indices of `<mmultiscripts>` go to the left.
    Prescripts,
    Other,
}

struct Part {
    tex: String,
    kind: Kind,
    /// Whether brackets around it should grow.
    tall: bool,
}

impl Part {
    fn new(tex: impl Into<String>, kind: Kind) -> Part {
        Part { tex: tex.into(), kind, tall: false }
    }

    fn tall(self, tall: bool) -> Part {
        Part { tall, ..self }
    }

    /// Returns the TeX, with the environment that a table needs.
    fn finish(self) -> String {
        match self.kind {
            Kind::Table(environment) => in_environment(environment, &self.tex),
            Kind::Stack => format!("\\genfrac{{}}{{}}{{0pt}}{{}}{}", self.tex),
            _ => self.tex,
        }
    }

    fn char(&self) -> Option<char> {
        match self.kind {
            Kind::Operator(c, _) => Some(c),
            _ => None,
        }
    }
}

fn in_environment(name: &str, body: &str) -> String {
    format!("\\begin{{{name}}} {body} \\end{{{name}}}")
}

fn is_token(name: &str) -> bool {
    matches!(name, "mi" | "mn" | "mo" | "ms" | "mtext" | "mspace")
}

fn close(dom: &Dom<'_>, n: NodeId, mut parts: Vec<Part>) -> Part {
    let name = dom.tag_name(n);
    match name {
        "annotation" | "annotation-xml" | "script" | "style" => return Part::new("", Kind::Absent),
        "mphantom" => return Part::new("", Kind::Empty),
        "mi" | "mn" | "mo" | "ms" | "mtext" => return token(dom, n, name),
        "mspace" => return space(dom, n),
        "none" => return Part::new("", Kind::Empty),
        "mprescripts" => return Part::new("", Kind::Prescripts),
        "mtd" => return Part { kind: Kind::Cell, ..row(parts) },
        "mtr" | "mlabeledtr" => return table_row(parts, name == "mlabeledtr"),
        "mtable" => return table(dom, n, parts),
        "maction" | "semantics" => parts.truncate(1),
        _ => {}
    }
    let tall = parts.iter().any(|p| p.tall);
    let mut parts = match name {
        "mfrac" | "mroot" | "msup" | "msub" | "msubsup" | "mover" | "munder" | "munderover" => {
            parts.resize_with(parts.len().max(3), || Part::new("", Kind::Empty));
            parts
        }
        _ => parts,
    };
    match name {
        "mfrac" => {
            let (a, b) = (taken(0, &mut parts).finish(), taken(1, &mut parts).finish());
            let line = dom.attr(n, "linethickness").unwrap_or("");
            if line.starts_with('0') {
                return Part::new(format!("{{{a}}}{{{b}}}"), Kind::Stack).tall(true);
            }
            Part::new(format!("\\frac{{{a}}}{{{b}}}"), Kind::Atom).tall(true)
        }
        "msqrt" => Part::new(format!("\\sqrt{{{}}}", row(parts).finish()), Kind::Atom).tall(tall),
        "mroot" => {
            let (a, b) = (taken(0, &mut parts).finish(), taken(1, &mut parts).finish());
            Part::new(format!("\\sqrt[{b}]{{{a}}}"), Kind::Atom).tall(tall)
        }
        "msup" | "msub" | "msubsup" => {
            let (base, a, b) = (taken(0, &mut parts), taken(1, &mut parts), taken(2, &mut parts));
            let none = Part::new("", Kind::Empty);
            let (sub, sup) = match name {
                "msup" => (none, a),
                "msub" => (a, none),
                _ => (a, b),
            };
            indices(base, sub, sup).tall(tall)
        }
        "mover" => {
            let (base, above) = (taken(0, &mut parts), taken(1, &mut parts));
            over(base, above).tall(tall)
        }
        "munder" => {
            let (base, below) = (taken(0, &mut parts), taken(1, &mut parts));
            under(base, below).tall(tall)
        }
        "munderover" => {
            let (base, below, above) = (taken(0, &mut parts), taken(1, &mut parts), taken(2, &mut parts));
            if takes_limits(&base) {
                return indices(base, below, above).tall(true);
            }
            if let Some(arrow) = base.char().and_then(extensible_arrow) {
                return Part::new(format!("{arrow}[{}]{{{}}}", below.finish(), above.finish()), Kind::Atom);
            }
            over(under(base, below), above).tall(tall)
        }
        "mmultiscripts" => multiscripts(parts).tall(tall),
        "menclose" => enclose(dom.attr(n, "notation").unwrap_or("longdiv"), row(parts)),
        "mfenced" => fenced(dom, n, parts),
        _ => row(parts),
    }
}

fn taken(at: usize, parts: &mut [Part]) -> Part {
    std::mem::replace(&mut parts[at], Part::new("", Kind::Empty))
}

/// Appends TeX, with a space where a command would run into a letter.
pub(super) fn push(out: &mut String, tex: &str) {
    if tex.starts_with(|c: char| c.is_ascii_alphabetic()) && ends_in_command(out) {
        out.push(' ');
    }
    out.push_str(tex);
}

fn ends_in_command(tex: &str) -> bool {
    let name = tex.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    name > 0 && tex[..tex.len() - name].ends_with('\\')
}

/// Returns the base of an index, with braces if it is more than one symbol.
fn base(part: Part) -> String {
    let bare = match part.kind {
        Kind::Atom | Kind::Limits | Kind::Operator(..) => true,
        Kind::Empty => return "{}".into(),
        _ => part.tex.chars().count() <= 1,
    };
    let tex = part.finish();
    if bare { tex } else { format!("{{{tex}}}") }
}

fn indices(at: Part, sub: Part, sup: Part) -> Part {
    let kind = if takes_limits(&at) { Kind::Limits } else { Kind::Other };
    let mut out = base(at);
    if sub.kind != Kind::Empty {
        out.push_str(&format!("_{{{}}}", sub.finish()));
    }
    if sup.kind != Kind::Empty {
        let sup = sup.finish();
        let primes = !sup.is_empty() && sup.bytes().all(|b| b == b'\'');
        if primes || sup == "^{\\circ}" {
            out.push_str(&sup);
        } else {
            out.push_str(&format!("^{{{sup}}}"));
        }
    }
    let tall = kind == Kind::Limits;
    Part::new(out, kind).tall(tall)
}

/// Whether TeX writes the terms above and below as indices.
fn takes_limits(part: &Part) -> bool {
    match part.kind {
        Kind::Limits => true,
        Kind::Operator(c, _) => "∑∏∐∫∬∭∮∯⋀⋁⋂⋃⨀⨁⨂⨆".contains(c),
        Kind::Atom => part.tex.strip_prefix('\\').is_some_and(symbols::is_function),
        _ => false,
    }
}

fn over(at: Part, above: Part) -> Part {
    if takes_limits(&at) {
        return indices(at, Part::new("", Kind::Empty), above);
    }
    if above.kind == Kind::Empty {
        return at;
    }
    let wide = at.tex.chars().filter(|c| c.is_alphanumeric()).count() > 1 && !matches!(at.kind, Kind::Atom);
    let accent = above.char().and_then(|c| accent_above(c, wide)).or(match &*above.tex {
        "..." | "\\cdots" => Some("\\dddot"),
        ".." => Some("\\ddot"),
        _ => None,
    });
    if let Some(accent) = accent {
        let kind = if matches!(accent, "\\overbrace" | "\\overbracket") { Kind::Limits } else { Kind::Atom };
        return Part::new(format!("{accent}{{{}}}", at.finish()), kind);
    }
    if let Some(arrow) = at.char().and_then(extensible_arrow) {
        return Part::new(format!("{arrow}{{{}}}", above.finish()), Kind::Atom);
    }
    Part::new(format!("\\overset{{{}}}{{{}}}", above.finish(), at.finish()), Kind::Atom)
}

fn under(at: Part, below: Part) -> Part {
    if takes_limits(&at) {
        return indices(at, below, Part::new("", Kind::Empty));
    }
    if below.kind == Kind::Empty {
        return at;
    }
    let accent = match below.char() {
        Some('_' | '¯' | '‾' | '―' | '\u{332}' | '-' | '−') => Some("\\underline"),
        Some('⏟' | '︸') => Some("\\underbrace"),
        Some('⎵') => Some("\\underbracket"),
        Some('→') => Some("\\underrightarrow"),
        Some('←') => Some("\\underleftarrow"),
        _ => None,
    };
    if let Some(accent) = accent {
        let kind = if accent == "\\underline" { Kind::Atom } else { Kind::Limits };
        return Part::new(format!("{accent}{{{}}}", at.finish()), kind);
    }
    if let Some(arrow) = at.char().and_then(extensible_arrow) {
        return Part::new(format!("{arrow}[{}]{{}}", below.finish()), Kind::Atom);
    }
    Part::new(format!("\\underset{{{}}}{{{}}}", below.finish(), at.finish()), Kind::Atom)
}

/// Returns the command of an accent above one symbol, or above a wide expression.
fn accent_above(c: char, wide: bool) -> Option<&'static str> {
    Some(match c {
        '^' | 'ˆ' | '\u{302}' => ["\\hat", "\\widehat"][wide as usize],
        '~' | '˜' | '\u{303}' | '∼' => ["\\tilde", "\\widetilde"][wide as usize],
        '¯' | '‾' | 'ˉ' | '―' | '_' | '-' | '−' | '\u{304}' | '\u{305}' => {
            ["\\bar", "\\overline"][wide as usize]
        }
        '→' | '⃗' | '⟶' | '⇀' => ["\\vec", "\\overrightarrow"][wide as usize],
        '←' => "\\overleftarrow",
        '↔' => "\\overleftrightarrow",
        '˙' | '.' | '\u{307}' | '⋅' | '·' => "\\dot",
        '¨' | '\u{308}' => "\\ddot",
        '\u{20db}' => "\\dddot",
        '´' | '\u{301}' => "\\acute",
        '`' | '\u{300}' => "\\grave",
        '˘' | '\u{306}' => "\\breve",
        'ˇ' | '\u{30c}' => "\\check",
        '°' | '˚' | '∘' | '\u{30a}' => "\\mathring",
        '⏞' | '︷' => "\\overbrace",
        '⎴' => "\\overbracket",
        _ => return None,
    })
}

/// Returns the command of an arrow that grows with its label.
fn extensible_arrow(c: char) -> Option<&'static str> {
    Some(match c {
        '→' | '⟶' => "\\xrightarrow",
        '←' | '⟵' => "\\xleftarrow",
        '↔' | '⟷' => "\\xleftrightarrow",
        '⇒' | '⟹' => "\\xRightarrow",
        '⇐' | '⟸' => "\\xLeftarrow",
        '⇌' => "\\xrightleftharpoons",
        '↦' | '⟼' => "\\xmapsto",
        _ => return None,
    })
}

fn multiscripts(parts: Vec<Part>) -> Part {
    let mut parts = parts.into_iter();
    let Some(at) = parts.next() else { return Part::new("", Kind::Empty) };
    let (mut before, mut after, mut left) = (String::new(), base(at), false);
    while let Some(sub) = parts.next() {
        if sub.kind == Kind::Prescripts {
            left = true;
            continue;
        }
        let sup = parts.next().unwrap_or_else(|| Part::new("", Kind::Empty));
        let out = if left { &mut before } else { &mut after };
        out.push_str(if left { "{}" } else { "" });
        for (sign, part) in [('_', sub), ('^', sup)] {
            if part.kind != Kind::Empty {
                out.push_str(&format!("{sign}{{{}}}", part.finish()));
            }
        }
    }
    push(&mut before, &after);
    Part::new(before, Kind::Other)
}

fn enclose(notation: &str, inner: Part) -> Part {
    let tall = inner.tall;
    let command = match () {
        _ if has_name(notation, "updiagonalstrike") && has_name(notation, "downdiagonalstrike") => "\\xcancel",
        _ if has_name(notation, "updiagonalstrike") => "\\cancel",
        _ if has_name(notation, "downdiagonalstrike") => "\\bcancel",
        _ if has_name(notation, "radical") => "\\sqrt",
        _ if has_name(notation, "box") || has_name(notation, "roundedbox") => "\\boxed",
        _ if has_name(notation, "top") => "\\overline",
        _ if has_name(notation, "bottom") => "\\underline",
        _ => return inner,
    };
    Part::new(format!("{command}{{{}}}", inner.finish()), Kind::Atom).tall(tall)
}

fn has_name(notation: &str, name: &str) -> bool {
    notation.split_whitespace().any(|n| n == name)
}
