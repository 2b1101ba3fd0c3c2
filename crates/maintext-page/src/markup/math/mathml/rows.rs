//! Rows and tables of MathML: their brackets and environments.
use super::tokens::characters;
use super::{Kind, Part, in_environment, push};
use crate::dom::{Dom, NodeId};

/// Returns the children of a row as one part.
pub(super) fn row(mut parts: Vec<Part>) -> Part {
    parts.retain(|p| p.kind != Kind::Empty || !p.tex.is_empty());
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        // Wrappers may nest deeply, so their content is moved instead of copied.
        return if only.kind == Kind::Cell { Part { kind: Kind::Other, ..only } } else { only };
    }
    if let [open, table, rest @ ..] = &mut parts[..]
        && rest.len() <= 1
        && let Kind::Table(_) = table.kind
        && let Some(open) = fence(open)
        && let Some(close) = rest.first().map_or(Some('.'), fence)
        && let Some(environment) = matrix(open, close)
    {
        return Part::new(in_environment(environment, &table.tex), Kind::Atom).tall(true);
    }
    if let [open, stack, close] = &parts[..]
        && stack.kind == Kind::Stack
        && (fence(open), fence(close)) == (Some('('), Some(')'))
    {
        return Part::new(format!("\\binom{}", stack.tex), Kind::Atom).tall(true);
    }
    let tall = parts.iter().any(|p| p.tall);
    let grown = grown_fences(&parts);
    let whole = parts.len() > 1 && grown.first() == Some(&Grown::Left) && grown.last() == Some(&Grown::Right);
    let single = grown.iter().filter(|g| **g == Grown::Left).count() == 1;
    let mut out = String::new();
    for (i, part) in parts.into_iter().enumerate() {
        let shape = grown[i];
        if shape != Grown::No {
            push(&mut out, if shape == Grown::Left { "\\left" } else { "\\right" });
            let bracket = if part.tex.is_empty() { "." } else { &part.tex };
            out.push_str(bracket);
        } else {
            push(&mut out, &part.finish());
        }
    }
    // A bracket without a partner, as at a list of cases.
    if grown.contains(&Grown::Left) && !grown.contains(&Grown::Right) {
        out.push_str("\\right.");
    }
    let kind = if whole && single { Kind::Atom } else { Kind::Other };
    Part::new(out, if grown.is_empty() { Kind::Empty } else { kind }).tall(tall)
}

/// Returns the bracket that a part is; `.` for an operator without a character.
fn fence(part: &Part) -> Option<char> {
    match part.kind {
        Kind::Operator(c, _) if matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '|' | '‖' | '.') => Some(c),
        _ => None,
    }
}

/// Returns the environment of a table between two brackets.
fn matrix(open: char, close: char) -> Option<&'static str> {
    Some(match (open, close) {
        ('(', ')') => "pmatrix",
        ('[', ']') => "bmatrix",
        ('{', '}') => "Bmatrix",
        ('|', '|') => "vmatrix",
        ('‖', '‖') => "Vmatrix",
        ('{', '.') => "cases",
        _ => return None,
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grown {
    No,
    Left,
    Right,
}

/// Decides which brackets of a row are written with `\left` and `\right`: pairs that may grow and have something tall between them.
fn grown_fences(parts: &[Part]) -> Vec<Grown> {
    let mut grown = vec![Grown::No; parts.len()];
    // The open brackets, each with the number of tall parts before it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut tall = 0;
    for (i, part) in parts.iter().enumerate() {
        let Kind::Operator(c, may_grow) = part.kind else {
            tall += (part.tall || matches!(part.kind, Kind::Table(_))) as usize;
            continue;
        };
        let last = i + 1 == parts.len();
        let ambiguous = matches!(c, '|' | '‖' | '.');
        let opens = matches!(c, '(' | '[' | '{' | '⟨' | '⌊' | '⌈') || ambiguous && (i == 0 || !last && open.is_empty());
        if opens {
            open.push((i, tall));
        } else if ambiguous || matches!(c, ')' | ']' | '}' | '⟩' | '⌋' | '⌉') {
            let Some((from, before)) = open.pop() else { continue };
            let Kind::Operator(_, both) = parts[from].kind else { continue };
            if may_grow && both && tall > before && !(parts[from].tex.is_empty() && part.tex.is_empty()) {
                (grown[from], grown[i]) = (Grown::Left, Grown::Right);
            }
        }
    }
    // A bracket around the rest of the row, as at a list of cases: TeX wants a partner, which has no sign.
    if let [Part { kind: Kind::Operator('{', true), .. }, Part { tall: true, .. }] = parts {
        grown[0] = Grown::Left;
    }
    grown
}

pub(super) fn fenced(dom: &Dom<'_>, n: NodeId, parts: Vec<Part>) -> Part {
    let open = dom.attr(n, "open").unwrap_or("(").trim().chars().next();
    let close = dom.attr(n, "close").unwrap_or(")").trim().chars().next();
    let separators: Vec<char> =
        dom.attr(n, "separators").unwrap_or(",").chars().filter(|c| !c.is_whitespace()).collect();
    let mut all = vec![operator(open)];
    for (i, part) in parts.into_iter().enumerate() {
        if i > 0
            && let Some(&c) = separators.get(i - 1).or(separators.last())
        {
            all.push(Part::new(characters(c.encode_utf8(&mut [0; 4])), Kind::Other));
        }
        all.push(part);
    }
    all.push(operator(close));
    let inner = row(all);
    Part { kind: if inner.kind == Kind::Atom { Kind::Atom } else { Kind::Other }, ..inner }
}

fn operator(c: Option<char>) -> Part {
    Part::new(
        c.map_or(String::new(), |c| characters(c.encode_utf8(&mut [0; 4]))),
        Kind::Operator(c.unwrap_or('.'), true),
    )
}

pub(super) fn table_row(mut parts: Vec<Part>, labeled: bool) -> Part {
    let label = (labeled && !parts.is_empty()).then(|| parts.remove(0).finish());
    let mut out = String::new();
    for (i, part) in parts.into_iter().enumerate() {
        if i > 0 {
            out.push_str(" & ");
        }
        out.push_str(&part.finish());
    }
    if let Some(label) = label {
        let label = label.trim_start_matches("\\text{").trim_end_matches('}').trim_matches(['(', ')']);
        if !label.is_empty() {
            out.push_str(&format!(" \\tag{{{label}}}"));
        }
    }
    Part::new(out, Kind::Row)
}

pub(super) fn table(dom: &Dom<'_>, n: NodeId, parts: Vec<Part>) -> Part {
    let aligned = dom.attr(n, "columnalign").is_some_and(|a| a.trim_start().starts_with("right left"))
        || dom.attr(n, "displaystyle") == Some("true");
    let mut rows: Vec<String> = parts.into_iter().map(Part::finish).collect();
    if rows.len() == 1 && aligned && !rows[0].contains(" & ") {
        return Part::new(rows.remove(0), Kind::Other).tall(true);
    }
    // Renderers accept numbers in environments of their own only.
    let numbered = rows.iter().any(|r| r.contains("\\tag{"));
    let body = rows.join(" \\\\ ");
    Part::new(
        body,
        Kind::Table(if numbered {
            "align*"
        } else if aligned {
            "aligned"
        } else {
            "matrix"
        }),
    )
    .tall(true)
}
