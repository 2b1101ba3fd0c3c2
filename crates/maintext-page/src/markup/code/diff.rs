//! Differences of files as forges show them: a row per line, with its sign in an attribute or a class, and columns of line numbers.
use super::hints;
use crate::dom::{Dom, Edge, NodeId, Tag};

/// Maximum number of cells of a row.
const MAX_CELLS: usize = 8;
/// Maximum number of nodes of a cell among which its sign is looked for.
const MAX_NODES_TO_SIGN: usize = 6;

/// One side of a row.
struct Line {
    /// `+`, `-` or a blank; `None` if the row is not a line of the files, such as the header of a hunk.
    sign: Option<char>,
    /// Whether an attribute holds the sign, so that the text does not.
    is_given: bool,
    text: String,
}

/// Returns the lines of a difference, each with its sign, or `None` if the element is something else.
pub(super) fn text(dom: &Dom<'_>, n: NodeId) -> Option<String> {
    let mut rows = Vec::new();
    let mut walk = dom.traverse(n);
    walk.next();
    while let Some(edge) = walk.next() {
        let Edge::Enter(e) = edge else { continue };
        if is_row(dom, e) {
            rows.push(lines(dom, e));
            walk.skip_children();
        }
    }
    let mut changed = rows.iter().flatten().filter(|l| matches!(l.sign, Some('+' | '-'))).peekable();
    changed.peek()?;
    // Older pages have the signs in the text as well.
    let written = changed.all(|l| !l.is_given && l.text.starts_with(l.sign.unwrap_or(' ')));
    let mut out = Out { lines: Vec::new(), added: Vec::new(), written };
    for row in rows {
        out.row(row);
    }
    out.flush();
    Some(out.lines.join("\n"))
}

/// Whether an element shows a difference, judged by its first rows.
pub(super) fn is_diff(dom: &Dom<'_>, n: NodeId) -> bool {
    /// Maximum number of nodes that are looked at.
    const MAX_NODES_TO_CHANGE: usize = 2000;
    let named = dom.class(n).contains("diff");
    (named || dom.tag(n) == Tag::TABLE)
        && dom.descendants(n).take(MAX_NODES_TO_CHANGE).any(|d| {
            matches!(dom.tag(d), Tag::TD | Tag::TR | Tag::DIV | Tag::SPAN) && sign(dom, d).is_some_and(|s| s.0 != ' ')
        })
}

fn is_row(dom: &Dom<'_>, e: NodeId) -> bool {
    match dom.tag(e) {
        Tag::TR => true,
        Tag::DIV => hints::has_word(dom.class(e), &["line_holder", "diff-tr"]),
        _ => false,
    }
}

/// Returns the sign that an element's attribute or class names, and whether it is an attribute.
fn sign(dom: &Dom<'_>, n: NodeId) -> Option<(char, bool)> {
    let given = dom.attr(n, "data-code-marker").or_else(|| dom.attr(n, "data-type-marker"));
    if let Some(given) = given {
        return Some((given.chars().next().filter(|c| matches!(c, '+' | '-')).unwrap_or(' '), true));
    }
    let class = dom.class(n);
    let holds = hints::has_word(class, &["line_holder", "line_content", "line-content"]);
    match class {
        "" => None,
        c if hints::has_word(c, &["blob-code-addition", "add-code"]) || holds && hints::has_word(c, &["new"]) => {
            Some(('+', false))
        }
        c if hints::has_word(c, &["blob-code-deletion", "del-code"]) || holds && hints::has_word(c, &["old"]) => {
            Some(('-', false))
        }
        _ => None,
    }
}

/// Returns the sides of a row: one, or two if the files are side by side.
fn lines(dom: &Dom<'_>, row: NodeId) -> Vec<Line> {
    let of_row = sign(dom, row);
    let mut out: Vec<Line> = Vec::new();
    let mut marker = None;
    let mut walk = dom.traverse(row);
    walk.next();
    let mut cells = 0;
    while let Some(edge) = walk.next() {
        let Edge::Enter(cell) = edge else { continue };
        if !is_cell(dom, cell) {
            continue;
        }
        walk.skip_children();
        cells += 1;
        if cells > MAX_CELLS {
            break;
        }
        // A sign that the markup gives counts before one in the text.
        let mut inside = None;
        for own in dom.descendants(cell).take(MAX_NODES_TO_SIGN).filter_map(|d| sign(dom, d)) {
            if own.1 {
                inside = Some(own);
                break;
            }
            inside = inside.or(Some(own));
        }
        marker = inside.or(marker);
        let name = dom.class(cell);
        let number =
            hints::is_gutter(name) || name.contains("-num") || name.contains("-marker") || name.contains("-escape");
        let empty = hints::has_word(name, &["empty-cell", "blob-code-empty"]);
        if number || empty || dom.attr(cell, "data-line-number").is_some() {
            continue;
        }
        let found = inside.or(marker.take()).or(of_row);
        let hunk = name.contains("hunk") || name.contains("match") || dom.class(row).contains("match");
        let text = dom.text_content(cell);
        out.push(Line {
            sign: if hunk { None } else { Some(found.map_or(' ', |s| s.0)) },
            is_given: found.is_some_and(|s| s.1),
            text: text.trim_matches(['\n', '\r']).to_owned(),
        });
    }
    out.truncate(2);
    out
}

fn is_cell(dom: &Dom<'_>, c: NodeId) -> bool {
    matches!(dom.tag(c), Tag::TD | Tag::TH) || dom.tag(c) == Tag::DIV && dom.class(c).contains("diff-td")
}

/// The lines of the difference; of two sides, removed lines come before added ones.
struct Out {
    lines: Vec<String>,
    added: Vec<String>,
    /// Whether the text has the signs.
    written: bool,
}

impl Out {
    fn row(&mut self, row: Vec<Line>) {
        let sides = row.len();
        for (i, line) in row.into_iter().enumerate() {
            let text = line.text.trim_end();
            match line.sign {
                None if text.trim().is_empty() || i > 0 => {}
                None => {
                    self.flush();
                    self.lines.push(text.trim().to_owned());
                }
                Some(' ') if i > 0 => {}
                Some(sign) => {
                    let text = if self.written { text.to_owned() } else { format!("{sign}{text}") };
                    match sign {
                        '+' if sides > 1 || !self.added.is_empty() => self.added.push(text),
                        '-' => self.lines.push(text),
                        _ => {
                            self.flush();
                            self.lines.push(text.trim_end().to_owned());
                        }
                    }
                }
            }
        }
    }

    fn flush(&mut self) {
        self.lines.append(&mut self.added);
    }
}
