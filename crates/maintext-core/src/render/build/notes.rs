//! Notes: groups that links on the page lead to, and notes beside the text, which are written behind their paragraph.
use super::super::footnote::{self, Note};
use super::super::tree::{Kind, Mark, RunKind};
use super::Builder;
use crate::address;
use crate::dom::NodeId;
use crate::hash::HashSet;

/// The notes found so far.
#[derive(Default)]
pub(super) struct Beside<'a> {
    /// The places to which short links lead.
    targets: HashSet<&'a str>,
    /// The notes of the open leaf, with their numbers.
    pending: Vec<(NodeId, Option<u32>)>,
    /// Whether a note is being written.
    inside: bool,
}

impl<'a> Builder<'a> {
    /// Remembers the place to which a link leads if it may refer to a note.
    pub(super) fn expect_note(&mut self, link: NodeId, href: &'a str) {
        if let Some(target) = address::fragment(self.dom, href, self.tree.content.base)
            && footnote::is_label(self.dom, link)
        {
            self.notes.targets.insert(target);
        }
    }

    /// Whether a division or a paragraph may be a note.
    pub(super) fn may_be_note(&self, n: NodeId) -> bool {
        let targets = &self.notes.targets;
        !targets.is_empty() && self.may_hold_note() && footnote::group_ids(self.dom, n).any(|id| targets.contains(id))
    }

    /// Whether the open containers may hold a note.
    fn may_hold_note(&self) -> bool {
        let holds =
            |kind: Kind| matches!(kind, Kind::Group | Kind::Quote | Kind::Callout(_) | Kind::Details | Kind::Post(_));
        self.frames.iter().all(|f| holds(self.tree.blocks[f.block as usize].kind))
    }

    /// Refers to a note beside the text, which is written when the leaf ends.
    pub(super) fn enter_note(&mut self, n: NodeId) {
        if !self.below[n.index()] {
            return;
        }
        let refers = self.leaf.is_some() && self.headings.is_empty() && self.may_hold_note();
        let number = refers.then(|| self.refer());
        self.notes.pending.push((n, number));
    }

    /// Adds a note, and a reference to it at the end of the open leaf: the raised label there, or a new one.
    fn refer(&mut self) -> u32 {
        let number = self.tree.notes.len() as u32;
        let run = self.last_run().and_then(|_| self.tree.runs.last());
        let raised = run.filter(|r| r.kind == RunKind::Text && self.tree.is_in(r.inline, Mark::Sup));
        let own = raised.and_then(|r| footnote::label(self.tree.slice(&r.text)));
        let is_new = |label: &String| self.tree.notes.iter().rev().take(64).all(|n| n.label != *label);
        match own {
            Some(label) => {
                let label =
                    Some(label).filter(|l| l.chars().all(char::is_alphanumeric) && is_new(l)).unwrap_or_default();
                self.tree.notes.push(Note { label, is_referenced: true });
                if let Some(run) = self.tree.runs.last_mut() {
                    run.kind = RunKind::Reference(number);
                }
            }
            None => {
                self.tree.notes.push(Note { label: String::new(), is_referenced: true });
                self.push_run_in(RunKind::Reference(number), "", self.inline);
            }
        }
        number
    }

    /// Writes the notes of the leaf that ended.
    pub(super) fn write_notes(&mut self) {
        if self.notes.pending.is_empty() || self.notes.inside {
            return;
        }
        self.notes.inside = true;
        let inline = std::mem::take(&mut self.inline);
        let headings = std::mem::take(&mut self.headings);
        for (n, number) in std::mem::take(&mut self.notes.pending) {
            let depth = self.frames.len();
            if let Some(number) = number {
                self.push_frame(Kind::Note(number), n, Some(n));
            }
            self.walk(n);
            self.flush();
            while self.frames.len() > depth {
                self.close_top();
            }
        }
        self.inline = inline;
        self.headings = headings;
        self.notes.inside = false;
    }

    /// Writes the label of a tab as a line of its own, before the panel.
    pub(super) fn write_label(&mut self, label: NodeId) {
        if !self.below[label.index()] || self.notes.inside {
            return;
        }
        self.flush();
        self.notes.inside = true;
        let outer = self.inline;
        let headings = std::mem::take(&mut self.headings);
        if let Some(inline) = self.tree.push_inline(outer, Mark::Strong, (label, 0..0), true) {
            self.inline = inline;
        }
        self.walk(label);
        self.flush();
        (self.inline, self.headings) = (outer, headings);
        self.notes.inside = false;
    }
}
