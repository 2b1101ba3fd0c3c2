//! Finds code: the elements that display it, its lines, and the parts of its display that are not code: line numbers, buttons, prompts that
//! readers cannot select, labels.
//!
//! A `<pre>` without lines of its own needs no role. Tables of lines, editors, and `<code>` with several lines become [`Role::Code`]: one text
//! block, whose white space the formats keep.
mod diff;
mod hints;
pub mod language;
mod scan;

use super::{Markup, Role};
use crate::dom::{Dom, NodeId, NodeKind, Tag};
pub(super) use hints::{draws_code, is_gutter};
use maintext_html::Attr;
use scan::{Root, Scan};

/// How to read the text of a [`Role::Code`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// White space other than no-break spaces collapses as in a paragraph; the page indents with no-break spaces.
    pub collapses: bool,
    /// A line feed after `<br>`, and white space with a line feed directly below the element, belongs to the page's source.
    pub breaks: bool,
    /// Columns of indentation that all lines share because the page's source is indented.
    pub indent: usize,
    /// The text, if its lines are not in the order of the page.
    pub text: Option<String>,
}

/// Returns the role of an element that may display code, and gives roles to elements below it.
pub(super) fn role(markup: &mut Markup, dom: &Dom<'_>, n: NodeId, tag: Tag) -> Role {
    match tag {
        Tag::PRE | Tag::XMP if markup.may_read(dom, n) => of_pre(markup, dom, n),
        Tag::CODE if markup.may_read(dom, n) => of_code(markup, dom, n),
        Tag::TABLE => of_table(markup, dom, n),
        Tag::DIV => of_div(markup, dom, n),
        Tag::P => of_p(markup, dom, n),
        Tag::BUTTON if hints::is_copy_button(dom, n) => Role::Skip,
        Tag::TEXTAREA => of_textarea(markup, dom, n),
        Tag::OTHER if dom.tag_name(n) == "listing" => accept(markup, dom, n, Root::Pre, Code::default()),
        _ => Role::Plain,
    }
}

/// Whether a class names a display of code or a part of one.
pub(super) fn is_container(class: &str) -> bool {
    hints::container(class) != hints::Container::None
}

/// Makes the element code if nothing but code is below it.
fn accept(markup: &mut Markup, dom: &Dom<'_>, n: NodeId, root: Root, code: Code) -> Role {
    let Some(scan) = Scan::of(markup, dom, n, root) else { return Role::Plain };
    if !scan.is_code() {
        return Role::Plain;
    }
    scan.apply(markup);
    markup.add_code(code)
}

fn of_pre(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    let near = dom.ancestors(n).take(2).chain([n]).chain(dom.descendants(n).skip(1).take(3));
    if hints::numbers(dom, n).is_some_and(|count| count > 0) && near.into_iter().any(|n| markup.is_gutter(dom, n)) {
        return Role::Skip;
    }
    let Some(scan) = Scan::of(markup, dom, n, Root::Pre) else { return Role::Plain };
    if !scan.is_code() {
        return Role::Plain;
    }
    scan.apply(markup);
    if scan.has_lines() { markup.add_code(Code::default()) } else { Role::Plain }
}

/// A `<code>` outside `<pre>` is a block if it holds several lines, or if the page displays it as one.
fn of_code(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    /// Maximum number of elements between a `<pre>` and the code in it.
    const MAX_LEVELS_TO_PRE: usize = 4;
    let (mut breaks, mut feeds) = (false, false);
    for d in dom.descendants(n) {
        breaks |= dom.tag(d) == Tag::BR;
        feeds |= dom.kind(d) == NodeKind::Text && dom.text(d).contains('\n');
        if dom.tag(d) == Tag::PRE {
            return Role::Plain;
        }
    }
    let named = hints::has_word(dom.class(n), &["block", "code-block", "codeblock", "d-block"]);
    if !(breaks || feeds || named)
        || dom.ancestors(n).take(MAX_LEVELS_TO_PRE).any(|a| matches!(dom.tag(a), Tag::PRE | Tag::XMP))
    {
        return Role::Plain;
    }
    let style = dom.attribute(n, Attr::STYLE).unwrap_or("").replace(' ', "");
    let pre = style.contains("white-space:pre") || style.contains("white-space:break-spaces");
    let text = dom.text_content(n);
    let several = text.trim().contains('\n');
    let alone = dom
        .ancestors(n)
        .take(MAX_LEVELS_TO_PRE)
        .take_while(|&a| dom.kind(a) == NodeKind::Element && !dom.tag(a).is_block())
        .chain([n])
        .all(|n| stands_alone(dom, n));
    let displayed = pre && several || named && alone && !text.trim().is_empty() || several && fills_parent(dom, n);
    if !(breaks || displayed) || breaks && !alone {
        return Role::Plain;
    }
    let indent = if breaks { 0 } else { common_indent(&text, pre) };
    let code = Code { breaks, collapses: breaks && !pre && text.contains('\u{a0}'), indent, text: None };
    accept(markup, dom, n, Root::Inline, code)
}

/// Whether a node is white space or shows nothing.
fn is_blank(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.kind(n) != NodeKind::Element && dom.text(n).trim_start().is_empty()
}

/// Whether the element holds only `<code>` elements on lines of their own.
fn holds_lines_of_code(dom: &Dom<'_>, n: NodeId) -> bool {
    let (mut codes, mut breaks) = (0, 0);
    for c in dom.children(n) {
        match dom.tag(c) {
            Tag::CODE => codes += 1,
            Tag::BR => breaks += 1,
            _ if is_blank(dom, c) => {}
            _ => return false,
        }
    }
    codes > 1 && breaks > 0
}

/// Whether each child of the element is a division with nothing but `<code>` elements in it, some with several: one division a line.
fn holds_divisions_of_code(dom: &Dom<'_>, n: NodeId) -> bool {
    let (mut lines, mut several) = (0, false);
    for line in dom.children(n).filter(|&c| !is_blank(dom, c)) {
        let mut codes = dom.children(line).filter(|&c| !is_blank(dom, c));
        if dom.tag(line) != Tag::DIV || codes.next().is_none_or(|c| dom.tag(c) != Tag::CODE) {
            return false;
        }
        for c in codes {
            several = true;
            if dom.tag(c) != Tag::CODE {
                return false;
            }
        }
        lines += 1;
    }
    lines > 1 && several
}

fn indents_by_nbsp(dom: &Dom<'_>, n: NodeId) -> bool {
    dom.descendants(n).any(|d| dom.text(d).contains('\u{a0}'))
}

/// Returns the number of blanks that begin every line but the empty ones, and the first unless the page shows its white space.
fn common_indent(text: &str, with_first: bool) -> usize {
    let lines = text.trim_end().split('\n').skip(usize::from(!with_first)).filter(|l| !l.trim().is_empty());
    lines.map(|l| l.len() - l.trim_start_matches([' ', '\t']).len()).min().unwrap_or(0)
}

/// A table is code if its rows are lines: a number and code. A column of line numbers is left out.
fn of_table(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    /// Number of nodes among which the first row is looked for.
    const MAX_NODES_TO_ROW: usize = 24;
    let row = dom.descendants(n).take(MAX_NODES_TO_ROW).find(|&r| dom.tag(r) == Tag::TR && cells(dom, r).count() > 1);
    let Some(row) = row.filter(|&r| cells(dom, r).count() <= 5) else { return Role::Plain };
    let Some(last) = cells(dom, row).last() else { return Role::Plain };
    let gutters: Vec<NodeId> = cells(dom, row).filter(|&c| c != last && is_gutter_cell(dom, c)).collect();
    if gutters.is_empty() {
        return Role::Plain;
    }
    if !markup.may_read(dom, n) {
        return Role::Plain;
    }
    if let Some(text) = diff::text(dom, n) {
        return markup.add_code(Code { text: Some(text), ..Code::default() });
    }
    let others = dom.next_siblings(row).any(|r| dom.tag(r) == Tag::TR);
    let inside = |tags: [Tag; 2]| dom.descendants(last).take(MAX_NODES_TO_ROW).find(|&d| tags.contains(&dom.tag(d)));
    if !others && gutters.iter().any(|&g| hints::numbers(dom, g).is_some_and(|count| count > 0)) {
        let content = dom.children(last).find(|&c| dom.kind(c) == NodeKind::Element).unwrap_or(last);
        match inside([Tag::PRE, Tag::PRE]) {
            Some(_) => {}
            None if hints::is_code(dom.class(last)) || inside([Tag::CODE, Tag::CODE]).is_some() => {
                match accept(markup, dom, content, Root::Lines, Code::default()) {
                    Role::Plain => return Role::Plain,
                    role => markup.set(content, role),
                }
            }
            None => return Role::Plain,
        }
        gutters.into_iter().for_each(|g| markup.set(g, Role::Skip));
        return Role::Plain;
    }
    let is_code = hints::is_code(dom.class(last)) || inside([Tag::CODE, Tag::PRE]).is_some();
    if is_code { accept(markup, dom, n, Root::Lines, Code::default()) } else { Role::Plain }
}

fn cells<'d>(dom: &'d Dom<'_>, row: NodeId) -> impl Iterator<Item = NodeId> + 'd {
    dom.children(row).filter(|&c| dom.tag(c) == Tag::TD)
}

/// Whether a cell holds nothing but the numbers of lines.
fn is_gutter_cell(dom: &Dom<'_>, cell: NodeId) -> bool {
    /// Number of nodes that are searched for a sign of line numbers.
    const MAX_NODES_TO_SIGN: usize = 4;
    let Some(count) = hints::numbers(dom, cell) else { return false };
    let mut nodes = dom.descendants(cell).take(MAX_NODES_TO_SIGN);
    count > 1 || nodes.any(|d| hints::is_gutter(dom.class(d)) || dom.attr(d, "data-line-number").is_some())
}

/// Whether an element has lines of its own.
fn stands_alone(dom: &Dom<'_>, n: NodeId) -> bool {
    [dom.prev_sibling(n), dom.next_sibling(n)].into_iter().flatten().all(|s| match dom.kind(s) {
        NodeKind::Text => dom.text(s).trim().is_empty(),
        NodeKind::Element => dom.tag(s).is_block() || dom.tag(s) == Tag::BR,
        _ => true,
    })
}

/// Whether an element is all that a paragraph or box holds.
fn fills_parent(dom: &Dom<'_>, n: NodeId) -> bool {
    let parent = dom.parent(n).filter(|&p| matches!(dom.tag(p), Tag::DIV | Tag::P | Tag::FIGURE));
    parent.is_some_and(|p| {
        dom.children(p).all(|c| c == n || dom.text(c).trim().is_empty() && dom.kind(c) == NodeKind::Text)
    })
}

fn of_div(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    if !markup.is_container(dom, n) {
        return of_p(markup, dom, n);
    }
    let class = dom.class(n);
    match hints::container(class) {
        hints::Container::None => of_p(markup, dom, n),
        _ if !markup.may_read(dom, n) => Role::Plain,
        _ if class.contains("diff-")
            && let Some(text) = diff::text(dom, n) =>
        {
            markup.add_code(Code { text: Some(text), ..Code::default() })
        }
        hints::Container::Lines => accept(markup, dom, n, Root::Lines, Code::default()),
        hints::Container::Sorted => sorted(markup, dom, n),
        hints::Container::Measure => Role::Skip,
        hints::Container::Gutter if hints::numbers(dom, n).is_some() => Role::Skip,
        hints::Container::Gutter => Role::Plain,
        hints::Container::Label if language::is_label_of_code(dom, n) => Role::Skip,
        hints::Container::Label => Role::Plain,
        hints::Container::Text => of_text(markup, dom, n),
    }
}

fn of_p(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    match dom.children(n).find(|&c| !is_blank(dom, c)).map(|c| dom.tag(c)) {
        Some(Tag::DIV) if holds_divisions_of_code(dom, n) => accept(markup, dom, n, Root::Lines, Code::default()),
        Some(Tag::CODE) if holds_lines_of_code(dom, n) => {
            let code = Code { breaks: true, collapses: indents_by_nbsp(dom, n), ..Code::default() };
            accept(markup, dom, n, Root::Inline, code)
        }
        _ => Role::Plain,
    }
}

/// Text in an element that is named after code and holds no element for code.
fn of_text(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    if dom
        .descendants(n)
        .any(|d| matches!(dom.tag(d), Tag::PRE | Tag::TABLE | Tag::TEXTAREA | Tag::P | Tag::CODE | Tag::BUTTON))
    {
        return Role::Plain;
    }
    let listed = dom.descendants(n).any(|d| dom.tag(d) == Tag::OL);
    let breaks = !listed && dom.descendants(n).any(|d| dom.tag(d) == Tag::BR);
    let text = dom.text_content(n);
    if !(breaks || listed || text.trim().contains('\n')) {
        return Role::Plain;
    }
    let indent = if breaks || listed { 0 } else { common_indent(&text, false) };
    let code = Code { breaks, collapses: breaks && text.contains('\u{a0}'), indent, text: None };
    accept(markup, dom, n, Root::Lines, code)
}

/// The lines of an editor that places them with `top`, in any order.
fn sorted(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    let mut lines: Vec<(f32, String)> = Vec::new();
    for line in dom.children(n).filter(|&c| dom.kind(c) == NodeKind::Element) {
        let Some(top) = top(dom, line) else { return accept(markup, dom, n, Root::Lines, Code::default()) };
        lines.push((top, dom.text_content(line).replace('\u{a0}', " ")));
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let text = lines.iter().map(|(_, line)| line.trim_end()).collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        return Role::Plain;
    }
    markup.add_code(Code { text: Some(text), ..Code::default() })
}

fn top(dom: &Dom<'_>, line: NodeId) -> Option<f32> {
    let style = dom.attribute(line, Attr::STYLE)?;
    let value = style.split(';').find_map(|rule| rule.trim().strip_prefix("top:"))?;
    value.trim().trim_end_matches("px").parse().ok().filter(|t: &f32| t.is_finite())
}

/// A text field that readers cannot change shows code if its class or an attribute names code or a language.
fn of_textarea(markup: &mut Markup, dom: &Dom<'_>, n: NodeId) -> Role {
    let shows =
        dom.attr(n, "readonly").is_some() && (hints::is_code(dom.class(n)) || language::of_element(dom, n).is_some());
    let text = if shows { dom.text_content(n) } else { String::new() };
    // Highlighters keep a hidden copy of the code that they draw.
    let copies = dom.ancestors(n).take(3).any(|a| markup.draws_code(dom, a));
    if text.trim().is_empty() || copies {
        return Role::Plain;
    }
    markup.add_code(Code { text: Some(text), ..Code::default() })
}

#[cfg(test)]
mod tests;
