//! Identifiers, numbers, operators, words and spaces of MathML.
use super::super::symbols;
use super::{Kind, Part, push};
use crate::dom::{Dom, NodeId};

pub(super) fn token(dom: &Dom<'_>, n: NodeId, name: &str) -> Part {
    let text = dom.text_content(n);
    if matches!(name, "mtext" | "ms") {
        // White space at the ends is not part of a token; no-break spaces are.
        return words(text.trim_matches(|c: char| c.is_ascii_whitespace()));
    }
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{2061}'..='\u{2064}'));
    let mut chars = text.chars();
    let (first, one) = (chars.next(), chars.next().is_none());
    let Some(first) = first else {
        // MathJax writes a bracket without a sign as an empty operator.
        let stretches = name == "mo" && matches!(dom.attr(n, "data-mjx-texclass"), Some("OPEN" | "CLOSE"));
        return Part::new("", if stretches { Kind::Operator('.', true) } else { Kind::Empty });
    };
    if name == "mo" && one {
        let grows = dom.attr(n, "stretchy") != Some("false") && dom.attr(n, "maxsize").is_none();
        let tall = matches!(first, '∑' | '∏' | '∫' | '∮');
        return Part::new(characters(text), Kind::Operator(first, grows)).tall(tall);
    }
    if symbols::is_function(text) {
        return Part::new(format!("\\{text}"), Kind::Atom);
    }
    if name == "mo" {
        let letters = text.chars().all(char::is_alphabetic);
        let tex = if letters { format!("\\operatorname{{{}}}", characters(text)) } else { characters(text) };
        return Part::new(tex, if letters { Kind::Atom } else { Kind::Other });
    }
    let style = match dom.attr(n, "mathvariant").unwrap_or("") {
        "bold" => "mathbf",
        "bold-italic" => "boldsymbol",
        "double-struck" => "mathbb",
        "script" | "bold-script" => "mathcal",
        "fraktur" | "bold-fraktur" => "mathfrak",
        "sans-serif" | "bold-sans-serif" | "sans-serif-italic" => "mathsf",
        "monospace" => "mathtt",
        // Roman letters; other symbols are upright anyway.
        "normal" if name == "mi" && first.is_ascii_alphabetic() => "mathrm",
        "" if name == "mi" && !one && text.chars().all(|c| c.is_ascii_alphabetic()) => "mathrm",
        _ => "",
    };
    let tex = characters(text);
    let greek = tex.starts_with('\\') && matches!(style, "mathbf" | "boldsymbol");
    match style {
        "" => Part::new(tex, if one || name == "mn" && text.len() == 1 { Kind::Atom } else { Kind::Other }),
        _ if greek => Part::new(format!("\\boldsymbol{{{tex}}}"), Kind::Atom),
        style => Part::new(format!("\\{style}{{{tex}}}"), Kind::Atom),
    }
}

/// Returns text inside a formula.
fn words(text: &str) -> Part {
    let text = text.replace('\u{a0}', " ");
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => out.push_str(if out.ends_with(' ') { "" } else { " " }),
            '{' | '}' | '%' | '#' | '&' | '$' | '_' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash "),
            '^' => out.push_str("\\^{}"),
            '\u{2061}'..='\u{2064}' | '\u{200b}' => {}
            c => out.push(c),
        }
    }
    match &*out {
        "" => Part::new("", Kind::Empty),
        " " => Part::new("\\ ", Kind::Other),
        _ => Part::new(format!("\\text{{{out}}}"), Kind::Atom),
    }
}

/// Returns the TeX of characters: symbols as commands, TeX's own characters escaped.
pub(super) fn characters(s: &str) -> String {
    let mut out = String::with_capacity(s.len());
    let mut chars = s.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{2061}'..='\u{2064}' | '\u{200b}' => {}
            '{' | '}' | '%' | '#' | '&' | '$' | '_' => out.extend(['\\', c]),
            '\\' => push(&mut out, "\\backslash"),
            '^' => out.push_str("\\hat{}"),
            '~' => push(&mut out, "\\sim"),
            c if c.is_whitespace() => out.push_str(if out.ends_with(' ') { "" } else { " " }),
            c if c.is_ascii() => push(&mut out, c.encode_utf8(&mut [0; 4])),
            c => {
                if let Some(command) = symbols::command(c) {
                    push(&mut out, command);
                } else if let Some((style, plain)) = symbols::styled(c) {
                    let mut letters = plain.to_string();
                    // Neighbours in the same style share one command.
                    while let Some((_, next)) = chars.peek().and_then(|&c| symbols::styled(c)).filter(|s| s.0 == style)
                    {
                        letters.push(next);
                        chars.next();
                    }
                    let letters = if letters.is_ascii() { letters } else { characters(&letters) };
                    match style {
                        "" => push(&mut out, &letters),
                        _ => out.push_str(&format!("\\{style}{{{letters}}}")),
                    }
                } else {
                    out.push(c);
                }
            }
        }
    }
    out
}

pub(super) fn space(dom: &Dom<'_>, n: NodeId) -> Part {
    if dom.attr(n, "linebreak") == Some("newline") {
        return Part::new("\\\\ ", Kind::Other);
    }
    let width = dom.attr(n, "width").unwrap_or("").trim();
    let units = [("em", 1.0), ("ex", 0.5), ("px", 0.0625), ("pt", 0.1)];
    let ems = units.iter().find_map(|(unit, size)| Some(width.strip_suffix(unit)?.parse::<f64>().ok()? * size));
    let ems = ems.unwrap_or(match width {
        "veryverythinmathspace" | "verythinmathspace" | "thinmathspace" => 0.17,
        "mediummathspace" => 0.22,
        "thickmathspace" | "verythickmathspace" | "veryverythickmathspace" => 0.28,
        _ => 0.0,
    });
    let tex = match ems {
        e if e >= 1.9 => "\\qquad",
        e if e >= 0.9 => "\\quad",
        e if e >= 0.27 => "\\;",
        e if e >= 0.2 => "\\:",
        e if e >= 0.1 => "\\,",
        _ => "",
    };
    Part::new(tex, if tex.is_empty() { Kind::Empty } else { Kind::Other })
}
