//! Cells that show only an icon, such as a tick, get its name.
use super::super::tree::RunKind;
use super::RenderTreeBuilder;
use maintext_facts::metadata::text::node_text;
use maintext_html::Attr;
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};
use maintext_page::visibility::names::is_for_screen_readers;

/// Maximum number of bytes of a name, of nodes of a cell, and of its neighbours that may have the same text.
const MAX_BYTES: usize = 40;
const MAX_NODES: usize = 24;
const MAX_CELLS: usize = 6;
/// Maximum number of bytes of the text of such a neighbour, which may hold tables of its own.
const MAX_TEXT_BYTES: usize = 400;

/// Returns the name of the icon in a cell: its text for screen readers, a label, a title or an alternative text. Other hidden text is not a name.
pub(super) fn name<'a>(dom: &'a Dom<'_>, cell: NodeId) -> Option<&'a str> {
    // A table with a single row is a callout with its icon.
    let row = dom.parent(cell)?;
    let before = dom.prev_siblings(row).take(MAX_NODES);
    if !before.chain(dom.next_siblings(row).take(MAX_NODES)).any(|n| dom.tag(n) == Tag::TR) {
        return None;
    }
    let mut nodes = dom.descendants(cell);
    let mut name = None;
    for n in nodes.by_ref().take(MAX_NODES) {
        // The name of a button is an instruction.
        if matches!(dom.tag(n), Tag::A | Tag::BUTTON | Tag::INPUT) {
            return None;
        }
        name = name.or_else(|| Some((n, own_name(dom, n)?.trim())));
    }
    let (node, name) = name.filter(|(_, name)| name.len() <= MAX_BYTES && nodes.next().is_none())?;
    // A picture may illustrate the text of the next cell.
    let mut neighbours = dom.prev_siblings(cell).chain(dom.next_siblings(cell)).take(MAX_CELLS);
    let is_repeated =
        dom.kind(node) != NodeKind::Text && neighbours.any(|n| node_text(dom, n, MAX_TEXT_BYTES).contains(name));
    (!is_repeated).then_some(name)
}

fn own_name<'a>(dom: &'a Dom<'_>, n: NodeId) -> Option<&'a str> {
    let (parent, text) = (dom.parent(n)?, dom.text(n));
    if dom.kind(n) == NodeKind::Text {
        let is_name = dom.tag_name(parent) == "title" || is_for_screen_readers(dom.class(parent));
        return Some(text).filter(|text| is_name && !text.trim().is_empty());
    }
    let alt = if dom.tag(n) == Tag::IMG { dom.attribute(n, Attr::ALT) } else { None };
    let name = alt.or_else(|| dom.attr(n, "aria-label")).or_else(|| dom.attribute(n, Attr::TITLE));
    name.filter(|name| !name.trim().is_empty())
}

impl RenderTreeBuilder<'_> {
    /// Writes a text that the page does not print.
    pub(super) fn sign_text(&mut self, text: &str) {
        self.open_leaf();
        self.write_gap();
        self.push_run(RunKind::Text, text);
    }
}
