//! One walk over an element that may display code.
use super::super::{Markup, Role};
use super::hints;
use crate::dom::{Dom, Edge, NodeId, NodeKind, Tag};
use maintext_html::Attr;

/// The kind of element that is scanned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Root {
    /// Preformatted text.
    Pre,
    /// A container of lines, or a table of them.
    Lines,
    /// A paragraph or `<code>`.
    Inline,
}

/// A line of the display, while it is open and later.
struct Line {
    node: NodeId,
    /// Whether it holds lines itself, and whether a line around it begins with a number.
    nests: bool,
    numbered: bool,
    /// Its first element, and the number that this shows.
    number: Option<(NodeId, u32)>,
    has_text: bool,
}

/// What lies below an element that may display code.
pub(super) struct Scan {
    root: Root,
    roles: Vec<(NodeId, Role)>,
    /// Line elements that are inline: lines only if line feeds do not separate them.
    spans: Vec<NodeId>,
    /// Whether something is below that code does not hold.
    foreign: bool,
    /// Whether block-level elements or line breaks are below.
    broken: bool,
    feeds: usize,
    lines: Vec<Line>,
}

impl Scan {
    /// Walks over the element; `None` if the page has used up the budget of such walks.
    pub(super) fn of(markup: &mut Markup, dom: &Dom<'_>, n: NodeId, root: Root) -> Option<Scan> {
        let mut s = Scan {
            root,
            roles: Vec::new(),
            spans: Vec::new(),
            foreign: false,
            broken: false,
            feeds: 0,
            lines: Vec::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        // mdBook's script hides these lines of an example, which make it compile.
        let boring = class_of_code(dom, n).contains("language-");
        let label_ends = if root == Root::Pre { code_after_labels(dom, n) } else { None };
        let mut walk = dom.traverse(n);
        walk.next();
        while let Some(edge) = walk.next() {
            match edge {
                Edge::Leave(e) => {
                    if open.last().is_some_and(|&l| s.lines[l].node == e) {
                        open.pop();
                    }
                }
                Edge::Enter(e) if dom.kind(e) == NodeKind::Text => {
                    let text = dom.text(e);
                    s.feeds += memchr::memchr_iter(b'\n', text.as_bytes()).count();
                    if let Some(&l) = open.last() {
                        s.lines[l].has_text |= !text.trim().is_empty();
                    }
                }
                Edge::Enter(e) if dom.kind(e) == NodeKind::Element => {
                    if !markup.may_scan(dom) {
                        return None;
                    }
                    if !s.element(dom, e, &mut open, boring, label_ends) {
                        walk.skip_children();
                    }
                }
                Edge::Enter(_) => walk.skip_children(),
            }
            if s.foreign {
                break;
            }
        }
        s.skip_numbers();
        Some(s)
    }

    /// Reads an element and returns whether to walk its children.
    fn element(
        &mut self,
        dom: &Dom<'_>,
        e: NodeId,
        open: &mut Vec<usize>,
        boring: bool,
        labels: Option<NodeId>,
    ) -> bool {
        let tag = dom.tag(e);
        if tag.is_skipped() {
            return false;
        }
        if tag == Tag::BUTTON || self.is_decoration(dom, e, boring) || labels.is_some_and(|code| is_label(dom, e, code))
        {
            self.broken |= tag.is_block();
            self.roles.push((e, Role::Skip));
            return false;
        }
        self.number(dom, e, open);
        match tag {
            Tag::BR => self.broken = true,
            Tag::DIV | Tag::LI | Tag::TR | Tag::PRE => self.line(e, open),
            Tag::P if hints::is_line(dom.class(e)) => self.line(e, open),
            Tag::SPAN if hints::is_marked_line(dom.class(e)) => {
                self.broken = true;
                self.line(e, open);
            }
            Tag::SPAN | Tag::CODE if hints::is_line(dom.class(e)) => {
                self.spans.push(e);
                self.open_line(e, open);
            }
            Tag::TABLE | Tag::CODE => self.roles.push((e, Role::Part)),
            Tag::UL | Tag::OL if hints::numbers(dom, e).is_some_and(|count| count > 0) => {
                self.roles.push((e, Role::Skip));
                return false;
            }
            Tag::TBODY | Tag::THEAD | Tag::TFOOT | Tag::TD | Tag::TH | Tag::OL => {}
            _ if tag.is_block() => self.foreign = true,
            _ => {}
        }
        self.broken |= tag.is_block();
        true
    }

    fn line(&mut self, e: NodeId, open: &mut Vec<usize>) {
        self.roles.push((e, Role::Line));
        self.open_line(e, open);
    }

    fn open_line(&mut self, e: NodeId, open: &mut Vec<usize>) {
        let mut numbered = false;
        if let Some(above) = open.last().map(|&l| &mut self.lines[l]) {
            above.nests = true;
            numbered = above.numbered || above.number.is_some();
        }
        open.push(self.lines.len());
        self.lines.push(Line { node: e, nests: false, numbered, number: None, has_text: false });
    }

    /// Remembers the number at the beginning of a line.
    fn number(&mut self, dom: &Dom<'_>, e: NodeId, open: &[usize]) {
        let Some(line) = open.last().map(|&l| &mut self.lines[l]) else { return };
        if line.number.is_some() || line.has_text || dom.first_child(line.node) != Some(e) {
            return;
        }
        let Some(text) = dom.first_child(e).filter(|&c| dom.next_sibling(c).is_none()) else { return };
        line.number = dom.text(text).trim().parse().ok().map(|number| (e, number));
    }

    /// Leaves out the numbers of lines that count up by one.
    fn skip_numbers(&mut self) {
        let numbers: Vec<(NodeId, u32)> = self.lines.iter().filter_map(|l| l.number).collect();
        if numbers.len() < 2 || self.lines.iter().any(|l| !l.nests && !l.numbered && l.has_text && l.number.is_none()) {
            return;
        }
        if numbers.windows(2).all(|w| w[1].1 == w[0].1.wrapping_add(1)) {
            self.roles.extend(numbers.into_iter().map(|(n, _)| (n, Role::Skip)));
        }
    }

    /// Whether the element is a line number, a prompt that cannot be selected, or something that is not shown.
    fn is_decoration(&self, dom: &Dom<'_>, e: NodeId, boring: bool) -> bool {
        let mut id = "";
        let (mut gutter, mut unselectable, mut out) = (false, false, false);
        for (name, value) in dom.attributes(e) {
            match name {
                Attr::CLASS => {
                    gutter |= hints::is_gutter(value);
                    unselectable |= value.contains("select-none") || value.contains("unselectable");
                    out |= hints::is_popup(value)
                        || hints::is_toolbar(value)
                        || boring && hints::has_word(value, &["boring"]);
                }
                Attr::STYLE => {
                    unselectable |= value.contains("user-select") && value.contains("none");
                    out |= value.contains("display:none") || value.contains("display: none");
                }
                Attr::HIDDEN => out |= value != "until-found",
                Attr::ID | Attr::NAME => id = value,
                _ => {}
            }
        }
        if out {
            return true;
        }
        if gutter && hints::numbers(dom, e).is_some() {
            return true;
        }
        let child = dom.first_child(e).filter(|&c| dom.next_sibling(c).is_none());
        let text = child.map_or("", |c| dom.text(c));
        // The empty lines of CodeMirror hold a character that has no width.
        if text == "\u{200b}" && dom.attr(e, "cm-text").is_some() {
            return true;
        }
        if child.is_some()
            && !text.is_empty()
            && hints::is_copy_label(text)
            && (hints::copies(dom, e) || dom.tag(e) == Tag::EM)
        {
            return true;
        }
        let anchor = !id.is_empty() && !text.is_empty() && text.len() <= 7 && text.bytes().all(|b| b.is_ascii_digit());
        if anchor
            && matches!(dom.tag(e), Tag::A | Tag::SPAN)
            && id.trim_start_matches(|c: char| !c.is_ascii_digit()) == text
        {
            return true;
        }
        unselectable && hints::is_prompt_or_number(&dom.text_content(e))
    }

    /// Whether only code is below.
    pub(super) fn is_code(&self) -> bool {
        !self.foreign
    }

    /// Whether inline elements are lines, because fewer line feeds than lines are below.
    fn has_span_lines(&self) -> bool {
        self.spans.len() > 1 && self.feeds + 1 < self.spans.len()
    }

    /// Whether the lines are elements or have line breaks, so that text alone does not show them.
    pub(super) fn has_lines(&self) -> bool {
        self.broken || self.has_span_lines()
    }

    /// Gives the roles.
    pub(super) fn apply(&self, markup: &mut Markup) {
        for &(n, role) in &self.roles {
            // A plain `<pre>` has no lines, and its tag alone marks code.
            if self.has_lines() || self.root != Root::Pre || role == Role::Skip {
                markup.set(n, role);
            }
        }
        if self.has_span_lines() {
            self.spans.iter().for_each(|&n| markup.set(n, Role::Line));
        }
        // A number of a line comes after the line in the list of roles.
        self.roles.iter().filter(|r| r.1 == Role::Skip).for_each(|&(n, _)| markup.set(n, Role::Skip));
    }
}

/// Returns the class of the first `<code>` below.
fn class_of_code<'a>(dom: &'a Dom<'_>, n: NodeId) -> &'a str {
    let code = dom.descendants(n).take(4).find(|&d| dom.tag(d) == Tag::CODE);
    code.map_or("", |c| dom.class(c))
}

/// Returns the `<code>` of a `<pre>` if other elements precede it: a header with the language and a button.
fn code_after_labels(dom: &Dom<'_>, pre: NodeId) -> Option<NodeId> {
    /// Number of nodes among which it is looked for.
    const MAX_NODES_TO_CODE: usize = 60;
    let first = dom.children(pre).find(|&c| dom.kind(c) == NodeKind::Element)?;
    let is_wrapper = dom.tag(first) == Tag::DIV || dom.tag(first) == Tag::SPAN;
    let code = dom.descendants(pre).take(MAX_NODES_TO_CODE).find(|&d| dom.tag(d) == Tag::CODE);
    match code {
        Some(code) if code != first && is_wrapper => Some(code),
        Some(code) => dom
            .children(code)
            .find(|&c| dom.kind(c) == NodeKind::Element)
            .filter(|&c| dom.tag(c) == Tag::DIV && code == first),
        None => None,
    }
}

/// Whether the element, which precedes the code, only names its language.
fn is_label(dom: &Dom<'_>, e: NodeId, code: NodeId) -> bool {
    let before = e.index() < code.index() || e == code;
    before
        && matches!(dom.tag(e), Tag::DIV | Tag::SPAN | Tag::P)
        && super::language::is_label(dom, e)
        && !dom.descendants(e).any(|d| d == code && d != e)
}
