//! Notes: groups that links on the page lead to, and side notes, which are written after their paragraph. Labels of tabs.
use super::super::footnote;
use super::super::tree::{BlockKind, InlineMark, RunKind};
use super::RenderTreeBuilder;
use maintext_facts::metadata::text::node_text;
use maintext_html::Attr;
use maintext_page::address;
use maintext_page::dom::{NodeId, NodeKind, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::markup::Role;

/// The notes found so far.
#[derive(Default)]
pub(super) struct FoundReferences<'a> {
    /// The places to which short links lead.
    targets: HashSet<&'a str>,
    /// The numbers of the notes that follow.
    numbers: HashMap<NodeId, u32>,
    /// The elements of the page by their ids, collected on first use.
    by_id: Option<HashMap<&'a str, NodeId>>,
    /// The state to return to when the open aside ends.
    outer: Option<Outer>,
}

struct Outer {
    inline: u32,
    headings: Vec<(NodeId, u8)>,
    /// Number of open containers.
    frames: usize,
}

impl<'a> RenderTreeBuilder<'a> {
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

    /// Whether a division begins with a note. If so, a class that usually names a callout names the list of notes.
    pub(super) fn holds_notes(&self, n: NodeId) -> bool {
        /// Maximum number of children before the first note: a heading and white space.
        const MAX_CHILDREN_TO_NOTE: usize = 6;
        let targets = &self.notes.targets;
        let is_note = |n| footnote::group_ids(self.dom, n).any(|id| targets.contains(id));
        let elements = |n| self.dom.children(n).filter(|&c| self.dom.kind(c) == NodeKind::Element);
        let begins = |c| match self.dom.tag(c) {
            Tag::OL | Tag::UL | Tag::DL => elements(c).next().is_some_and(is_note),
            Tag::P | Tag::DIV => is_note(c),
            _ => false,
        };
        !targets.is_empty() && elements(n).take(MAX_CHILDREN_TO_NOTE).any(begins)
    }

    /// Whether the open containers may hold a note.
    fn may_hold_note(&self) -> bool {
        self.frames.iter().all(|f| {
            matches!(
                self.tree.blocks[f.block as usize].kind,
                BlockKind::Group | BlockKind::Quote | BlockKind::Callout(_) | BlockKind::Details | BlockKind::Post(_)
            )
        })
    }

    /// Refers to a side note, which follows as an aside.
    pub(super) fn refer_to_note(&mut self, n: NodeId) {
        let may_follow =
            self.below[n.index()] && self.leaf.is_some() && self.headings.is_empty() && self.may_hold_note();
        if may_follow && !self.is_copy_of_note(n) {
            let number = self.refer();
            self.notes.numbers.insert(n, number);
        }
    }

    /// Whether a side note repeats the kept note to which the link before it leads: the page shows it there, and when a reader points at the link.
    pub(super) fn is_copy_of_note(&mut self, n: NodeId) -> bool {
        const MAX_NODES_TO_LINK: usize = 4;
        const MAX_LEVELS: usize = 16;
        /// Maximum number of characters of a note that are compared.
        const MAX_CHARS: usize = 2000;
        // A note with a number has been compared already.
        if self.notes.numbers.contains_key(&n) {
            return false;
        }
        let dom = self.dom;
        let before = dom.prev_siblings(n).find(|&s| dom.kind(s) == NodeKind::Element || !dom.text(s).trim().is_empty());
        let link = before.and_then(|s| dom.descendants(s).take(MAX_NODES_TO_LINK).find(|&d| dom.tag(d) == Tag::A));
        let href = link.and_then(|link| dom.attribute(link, Attr::HREF));
        let Some(id) = href.and_then(|href| address::fragment(dom, href, self.tree.content.base)) else { return false };
        let by_id = self.notes.by_id.get_or_insert_with(|| {
            dom.descendants(NodeId::ROOT).filter_map(|n| Some((dom.attribute(n, Attr::ID)?, n))).collect()
        });
        let Some(&note) = by_id.get(id) else { return false };
        let is_around = |inner, outer| inner == outer || dom.ancestors(inner).take(MAX_LEVELS).any(|a| a == outer);
        if !self.below[note.index()] || is_around(n, note) || is_around(note, n) {
            return false;
        }
        let text = node_text(dom, n, MAX_CHARS);
        !text.is_empty() && node_text(dom, note, 2 * MAX_CHARS).contains(&text)
    }

    /// Adds a note, and a reference to it at the end of the open leaf: the raised label there, or a new one.
    fn refer(&mut self) -> u32 {
        let number = self.tree.notes.len() as u32;
        let run = self.last_run().and_then(|_| self.tree.runs.last());
        let raised = run.filter(|r| r.kind == RunKind::Text && self.tree.is_in(r.inline, InlineMark::Sup));
        let own = raised.and_then(|r| footnote::label(self.tree.slice(&r.text)));
        let is_new = |label: &String| self.tree.notes.iter().rev().take(64).all(|l| l != label);
        match own {
            Some(label) => {
                let label =
                    Some(label).filter(|l| l.chars().all(char::is_alphanumeric) && is_new(l)).unwrap_or_default();
                self.tree.notes.push(label);
                if let Some(run) = self.tree.runs.last_mut() {
                    run.kind = RunKind::Reference(number);
                }
            }
            None => {
                self.tree.notes.push(String::new());
                self.push_run_in(RunKind::Reference(number), "", self.inline);
            }
        }
        number
    }

    /// Begins a side note, or the label of a tab, which becomes a line of its own before its panel.
    pub(super) fn enter_aside(&mut self, n: NodeId) {
        self.flush();
        let headings = std::mem::take(&mut self.headings);
        self.notes.outer = Some(Outer { inline: self.inline, headings, frames: self.frames.len() });
        if self.tree.content.blocks.markup.role(n) == Role::Label {
            let strong = self.tree.push_inline(self.inline, InlineMark::Strong, (n, 0..0), true);
            self.inline = strong.unwrap_or(self.inline);
            return;
        }
        self.inline = 0;
        if let Some(number) = self.notes.numbers.remove(&n) {
            self.push_frame(BlockKind::Note(number), n, Some(n));
        }
    }

    pub(super) fn leave_aside(&mut self) {
        self.flush();
        let Some(outer) = self.notes.outer.take() else { return };
        while self.frames.len() > outer.frames {
            self.close_top();
        }
        (self.inline, self.headings) = (outer.inline, outer.headings);
    }
}
