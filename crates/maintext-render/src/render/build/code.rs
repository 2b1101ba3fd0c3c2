//! Preformatted text: white space is kept, and elements that are lines of code become lines.
use super::super::tree::RunKind;
use super::RenderTreeBuilder;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::markup::Role;
use maintext_page::markup::code::Code;

/// The state inside preformatted text.
pub(super) struct Pre {
    pub(super) owner: NodeId,
    /// Raw text that is written once something follows it.
    pub(super) gap: String,
    /// How to read the text, if markup shows its lines.
    code: Option<Code>,
    /// Length of the gap where the open line began, if only white space follows it.
    line: Option<usize>,
    /// Length of the gap where the last line ended, if only white space follows it.
    ended: Option<usize>,
    /// Whether a line break or a number is the last thing before the text.
    after: After,
}

/// What precedes a text in code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Text,
    Break,
    Number,
}

impl Pre {
    pub(super) fn new(owner: NodeId, code: Option<Code>) -> Pre {
        Pre { owner, gap: String::new(), code, line: None, ended: None, after: After::Text }
    }

    pub(super) fn line_break(&mut self) {
        if self.code.as_ref().is_some_and(|c| c.collapses) {
            self.gap.truncate(self.gap.trim_end_matches(' ').len());
        }
        self.gap.push('\n');
        self.after = After::Break;
    }

    /// Begins a line; `started`: whether something has been written.
    fn begin_line(&mut self, started: bool, inline: bool) {
        if !started {
            self.gap.clear();
        } else if let Some(end) = self.ended.take() {
            // White space between lines belongs to the page's source; only the empty lines between inline ones are code.
            let feeds = self.gap.get(end..).unwrap_or("").matches('\n').count();
            self.gap.truncate(end);
            if inline {
                (1..feeds).for_each(|_| self.gap.push('\n'));
            }
        } else if let Some(start) = self.line {
            self.gap.truncate(start);
        } else if !self.gap.contains('\n') {
            self.gap.push('\n');
        } else if !inline {
            let end = self.gap.rfind('\n').map_or(0, |i| i + 1);
            self.gap.truncate(end);
        }
        self.line = Some(self.gap.len());
    }

    fn end_line(&mut self) {
        if let Some(end) = self.ended {
            // The line ends with the last one in it.
            return self.gap.truncate(end);
        }
        let start = self.line.take().unwrap_or(0);
        if self.gap.len() > start && self.gap.ends_with('\n') {
            self.gap.pop();
        } else if self.gap.get(start..) == Some(" ") {
            // Highlighters fill empty lines with a blank.
            self.gap.pop();
        }
        self.gap.push('\n');
        self.ended = Some(self.gap.len());
    }

    /// Ends the line at the end of a block other than a line, such as a list.
    fn end_block(&mut self) {
        if !self.gap.contains('\n') {
            self.gap.push('\n');
            self.ended = Some(self.gap.len());
        }
    }
}

impl RenderTreeBuilder<'_> {
    /// Whether markup shows the lines of the open preformatted text.
    pub(super) fn is_in_code(&self) -> bool {
        self.pre.as_ref().is_some_and(|p| p.code.is_some())
    }

    /// Separates the parts around an element that is left out.
    pub(super) fn skip(&mut self, tag: Tag) {
        if self.is_in_code() {
            if let Some(pre) = &mut self.pre {
                pre.after = After::Number;
            }
        } else if tag.is_block() {
            self.flush();
        }
    }

    /// Begins code and returns whether to walk its children.
    pub(super) fn enter_code(&mut self, n: NodeId, number: u32) -> bool {
        if self.is_in_code() {
            return true;
        }
        self.flush();
        if !self.below[n.index()] {
            return false;
        }
        self.elements.push(n);
        let code = self.tree.content.blocks.markup.code(number);
        self.pre.get_or_insert_with(|| Pre::new(n, Some(code.clone())));
        true
    }

    /// Writes code whose lines are not in the order of the page.
    pub(super) fn sorted_code(&mut self, n: NodeId, number: u32) {
        self.flush();
        let text = self.tree.content.blocks.markup.code(number).text.as_deref();
        if !self.below[n.index()] {
            return;
        }
        let Some(text) = text else { return };
        let own = self.pre.is_none();
        self.pre.get_or_insert_with(|| Pre::new(n, None));
        self.preformatted(text, true);
        if own {
            self.pre = None;
            self.leaf = None;
        }
        self.flush();
    }

    /// Opens an element in code and returns whether to walk its children.
    pub(super) fn enter_in_code(&mut self, n: NodeId, tag: Tag, role: Role) -> bool {
        if tag == Tag::IMG {
            self.image(n);
        }
        let started = self.leaf.is_some();
        let Some(pre) = &mut self.pre else { return true };
        if role == Role::Line {
            pre.begin_line(started, !tag.is_block());
            return true;
        }
        match tag {
            // The cells of a row are one line.
            Tag::TD | Tag::TH if started && !pre.gap.contains('\n') => {
                let text = &self.tree.text;
                let marker = pre.gap.is_empty() && text.ends_with(['+', '-']) && text[..text.len() - 1].ends_with('\n');
                if !marker && pre.ended.is_none() {
                    pre.gap.push(' ');
                }
            }
            Tag::TD | Tag::TH => {}
            _ if tag.is_block() => pre.begin_line(started, false),
            _ => self.enter_inline(n, tag),
        }
        true
    }

    /// Ends an element in code.
    pub(super) fn leave_in_code(&mut self, n: NodeId) {
        let role = self.tree.content.blocks.markup.role(n);
        let Some(pre) = self.pre.as_mut().filter(|p| p.owner != n) else { return };
        let tag = self.dom.tag(n);
        if role == Role::Line {
            pre.end_line();
        } else if tag.is_block() && !matches!(tag, Tag::TD | Tag::TH) {
            pre.end_block();
        }
    }

    /// Writes a formula whose element is a block as a line of code.
    pub(super) fn formula_in_code(&mut self, n: NodeId, number: u32) {
        let started = self.leaf.is_some();
        if let Some(pre) = &mut self.pre {
            pre.begin_line(started, false);
        }
        self.formula(n, number);
        if let Some(pre) = &mut self.pre {
            pre.end_line();
        }
    }

    /// Adds a text node of preformatted text.
    pub(super) fn code_text(&mut self, n: NodeId, s: &str) {
        let written = self.is_written(n);
        let started = self.leaf.is_some();
        let Some(pre) = &mut self.pre else { return };
        let after = std::mem::replace(&mut pre.after, After::Text);
        let Some(code) = &pre.code else { return self.preformatted(s, written) };
        if self
            .dom
            .parent(n)
            .is_some_and(|n| matches!(self.dom.tag(n), Tag::TABLE | Tag::TBODY | Tag::THEAD | Tag::TR | Tag::OL))
            && s.trim().is_empty()
        {
            return;
        }
        let source = s.contains('\n') && s.trim().is_empty() && !s.contains('\u{a0}');
        if code.breaks && source && self.dom.parent(n) == Some(pre.owner) {
            return;
        }
        let mut s = s;
        if code.breaks && after == After::Break {
            s = s.strip_prefix("\r\n").or_else(|| s.strip_prefix('\n')).unwrap_or(s);
        }
        if after == After::Number && s.starts_with('\u{a0}') {
            s = &s['\u{a0}'.len_utf8()..];
        }
        if code.collapses {
            let fresh = !started && pre.gap.trim().is_empty() || pre.gap.ends_with('\n');
            let s = collapsed(s, fresh);
            return self.preformatted(&s, written);
        }
        if code.indent > 0 && s.contains('\n') {
            let s = unindented(s, code.indent);
            return self.preformatted(&s, written);
        }
        self.preformatted(s, written);
    }

    pub(super) fn preformatted(&mut self, s: &str, written: bool) {
        let blank = s.chars().all(char::is_whitespace);
        let Some(pre) = &mut self.pre else { return };
        if !written && !blank {
            return pre.gap.push(' ');
        }
        let s = s.replace("\r\n", "\n").replace('\r', "\n").replace('\u{a0}', " ");
        if blank {
            return pre.gap.push_str(&s);
        }
        let gap = std::mem::take(&mut pre.gap);
        (pre.line, pre.ended) = (None, None);
        if let Some(last) = self.last_run() {
            // White space between two pieces belongs to the markup that both share.
            let inline = self.tree.common_inline(last, self.inline);
            self.push_run_in(RunKind::Text, &gap, inline);
        }
        let first = self.leaf.is_none();
        self.open_leaf();
        let body = s.trim_end();
        if first {
            // Blank lines before the first line are dropped, but its indentation is kept.
            let whole = gap + body;
            let from = whole.find(|c: char| !c.is_whitespace()).unwrap_or(0);
            let line = whole[..from].rfind('\n').map_or(0, |i| i + 1);
            self.push_run(RunKind::Text, &whole[line..]);
        } else {
            self.push_run(RunKind::Text, body);
        }
        if let Some(pre) = &mut self.pre {
            pre.gap.push_str(&s[body.len()..]);
        }
    }
}

/// Collapses white space as browsers do in a paragraph, but for no-break spaces; `fresh`: whether the text begins a line.
fn collapsed(s: &str, fresh: bool) -> String {
    let mut out = String::with_capacity(s.len());
    let mut space = fresh;
    for c in s.chars() {
        let blank = c.is_ascii_whitespace();
        if !blank {
            out.push(c);
        } else if !space {
            out.push(' ');
        }
        space = blank;
    }
    out
}

/// Removes as many blanks after each line feed as the page's source is indented by.
fn unindented(s: &str, indent: usize) -> String {
    let mut lines = s.split('\n');
    let mut out = lines.next().unwrap_or("").to_owned();
    for line in lines {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        out.extend(["\n", &line[blanks.min(indent)..]]);
    }
    out
}
