//! Writes the text of leaves as runs, with the white space between them.
use super::super::tree::{InlineRun, RunKind};
use super::{Gap, RenderTreeBuilder};
use maintext_page::blocks::is_zero_width;
use maintext_page::dom::NodeId;
use maintext_page::markup;
use std::ops::Range;

impl RenderTreeBuilder<'_> {
    pub(super) fn text(&mut self, n: NodeId) {
        let s = self.dom.text(n);
        self.at = n;
        self.enter_post(n);
        if self.pre.is_some() {
            self.after_formula &= s.chars().all(|c| c.is_whitespace() || is_zero_width(c));
            return self.code_text(n, s);
        }
        let markup = &self.tree.content.blocks.markup;
        if self.formula_end.is_none() && markup.role(n) == markup::Role::Plain {
            return self.piece(n, s);
        }
        let mut at = 0;
        if let Some((last, end)) = self.formula_end {
            if last != n {
                return;
            }
            self.formula_end = None;
            at = end;
        }
        for f in markup.delimited(n) {
            self.piece(n, &s[at..f.first.1]);
            if self.is_written(n) && !f.tex.is_empty() {
                self.math(&f.tex, f.display, None);
            }
            at = f.last.1;
            if f.last.0 != n {
                return self.formula_end = Some(f.last);
            }
        }
        self.piece(n, &s[at..]);
    }

    /// Writes a text node whose line breaks the page shows. An empty line ends a paragraph.
    pub(super) fn lines(&mut self, n: NodeId) {
        if self.formula_end.is_some() || self.tree.content.blocks.markup.role(n) != markup::Role::Plain {
            return self.text(n);
        }
        self.at = n;
        self.enter_post(n);
        for (i, line) in self.dom.text(n).split('\n').enumerate() {
            match self.gap {
                _ if i == 0 => {}
                Gap::Break => self.empty_line(),
                _ => self.line_break(),
            }
            if !line.trim().is_empty() {
                self.piece(n, line);
            }
        }
    }

    /// Writes a part of a text node.
    fn piece(&mut self, n: NodeId, s: &str) {
        let mut rest = s.trim_start();
        if rest.is_empty() {
            return self.gap = self.gap.max(if s.is_empty() { Gap::None } else { Gap::Space });
        }
        if !self.is_written(n) {
            return self.gap = self.gap.max(Gap::Space);
        }
        if rest.len() < s.len() {
            self.gap = self.gap.max(Gap::Space);
        }
        if rest.starts_with(is_zero_width) && rest.chars().all(|c| c.is_whitespace() || is_zero_width(c)) {
            self.invisible = true;
            return self.gap = if s.contains(char::is_whitespace) { self.gap.max(Gap::Space) } else { self.gap };
        }
        self.open_leaf();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(collapsed(rest));
            if !piece.is_empty() {
                if std::mem::take(&mut self.invisible) && self.gap == Gap::None && self.separates(piece) {
                    self.gap = Gap::Space;
                }
                self.write_gap();
                self.push_run(RunKind::Text, piece);
            }
            let visible = after.trim_start_matches(is_zero_width);
            rest = visible.trim_start();
            self.invisible = visible.len() < after.len();
            if !rest.is_empty() && (!self.invisible || rest.len() < visible.len()) {
                self.gap = Gap::Space;
            }
        }
        if s.ends_with(char::is_whitespace) {
            self.gap = Gap::Space;
        }
    }

    /// Whether the invisible characters before a piece of text separate words: a capital follows a small letter or a digit.
    fn separates(&self, piece: &str) -> bool {
        let runs = self.leaf.map_or(&[][..], |leaf| self.tree.runs(leaf as usize));
        // Quotation marks that the page leaves to the browser hide no word.
        let last = runs.iter().rev().find(|r| r.kind != RunKind::Sign);
        piece.starts_with(char::is_uppercase)
            && last
                .is_some_and(|r| self.tree.slice(&r.text).ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
    }

    /// Whether text directly precedes.
    pub(super) fn is_glued(&self) -> bool {
        let last = self.last_run().and(self.tree.runs.last());
        self.gap == Gap::None && last.is_some_and(|r| r.kind == RunKind::Text)
    }

    /// Writes the gap under the markup that both sides share, so that no markup begins or ends with a space.
    pub(super) fn write_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        let Some(last) = self.last_run() else { return };
        let inline = self.tree.common_inline(last, self.inline);
        match gap {
            Gap::None => {}
            Gap::Space => self.push_run_in(RunKind::Text, " ", inline),
            Gap::Break => self.push_run_in(RunKind::Break, "", inline),
        }
    }

    /// Returns the markup of the last run of the open leaf.
    pub(super) fn last_run(&self) -> Option<u32> {
        let leaf = self.leaf?;
        if self.tree.blocks[leaf as usize].runs.is_empty() {
            return None;
        }
        self.tree.runs.last().map(|r| r.inline)
    }

    pub(super) fn push_run(&mut self, kind: RunKind, s: &str) {
        for sign in self.signs.take_opening(s) {
            self.push_run_in(RunKind::Sign, sign, self.inline);
        }
        self.push_run_in(kind, s, self.inline);
    }

    pub(super) fn push_run_in(&mut self, kind: RunKind, s: &str, inline: u32) {
        let Some(leaf) = self.leaf else { return };
        self.invisible &= s.is_empty() || !matches!(kind, RunKind::Text | RunKind::Math { .. });
        let text = self.push_str(s);
        let (bytes, source) = (self.dom.span(self.at), &mut self.tree.blocks[leaf as usize].source);
        *source = source.start.min(bytes.start as u32)..source.end.max(bytes.end as u32);
        if kind == RunKind::Text
            && self.last_run() == Some(inline)
            && let Some(last) = self.tree.runs.last_mut()
            && last.kind == RunKind::Text
            && last.text.end == text.start
        {
            last.text.end = text.end;
            return;
        }
        self.tree.runs.push(InlineRun { kind, inline, text });
        self.tree.blocks[leaf as usize].runs.end = self.tree.runs.len() as u32;
    }

    pub(super) fn push_str(&mut self, s: &str) -> Range<u32> {
        let from = self.tree.text.len() as u32;
        self.tree.text.push_str(s);
        from..self.tree.text.len() as u32
    }
}

/// Returns the length of the prefix of `s` that can be copied unchanged: it ends at the first white space that is not
/// a single space between two words. `s` must not begin with white space.
fn collapsed(s: &str) -> usize {
    let bytes = s.as_bytes();
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        if b.is_ascii_graphic() || *b == b' ' && bytes.get(at + 1).is_some_and(u8::is_ascii_graphic) {
            at += 1;
            continue;
        }
        match s[at..].chars().next() {
            Some(c) if !c.is_whitespace() && !is_zero_width(c) => at += c.len_utf8(),
            _ => break,
        }
    }
    at
}
