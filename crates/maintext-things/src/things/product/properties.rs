//! Properties in specification tables and definition lists.
use crate::things::value::Value;
use maintext_facts::metadata::sources::facts::{Facts, region};
use maintext_facts::metadata::text::node_text;
use maintext_page::dom::{Dom, NodeId, NodeKind, Tag};

/// Maximum number of properties, and maximum lengths of a name and of a value, in characters.
const MAX_PROPERTIES: usize = 100;
const MAX_NAME: usize = 60;
const MAX_TEXT: usize = 300;
/// Minimum number of rows of a table of properties.
const MIN_ROWS: usize = 2;

/// Returns the properties of the page's tables with two columns and of its definition lists.
pub(super) fn read(facts: &Facts<'_>) -> Option<Value> {
    let dom = facts.dom;
    // Rows with the element that holds them, so that a table with a single row does not count.
    let mut rows: Vec<(NodeId, String, String)> = Vec::new();
    for e in &facts.blocks.elements {
        if e.hidden || rows.len() >= MAX_PROPERTIES || !matches!(e.tag, Tag::TR | Tag::DT) {
            continue;
        }
        let regions = facts.element(e.node).map_or(0, |i| facts.regions[i]);
        if regions & (region::NAV | region::FOOTER | region::HEADER) != 0 {
            continue;
        }
        let pair = match e.tag {
            Tag::TR => row(dom, e.node),
            _ => element(dom, dom.next_sibling(e.node)).filter(|n| dom.tag(*n) == Tag::DD).map(|dd| (e.node, dd)),
        };
        let Some((name, value)) = pair else { continue };
        let name = node_text(dom, name, 4 * MAX_NAME);
        let value = node_text(dom, value, 4 * MAX_TEXT);
        let name = name.trim_end_matches([':', '：']).trim().to_owned();
        let ok = !name.is_empty()
            && !value.is_empty()
            && name.chars().count() <= MAX_NAME
            && value.chars().count() <= MAX_TEXT;
        if ok && name.chars().any(char::is_alphabetic) && !rows.iter().any(|r| r.1 == name) {
            rows.push((dom.parent(e.node).unwrap_or(e.node), name, value));
        }
    }
    let size = |holder: NodeId| rows.iter().filter(|r| r.0 == holder).count();
    let kept = rows.iter().filter(|r| size(r.0) >= MIN_ROWS);
    Value::list(
        kept.map(|r| Value::object(vec![("name", Value::Text(r.1.clone())), ("value", Value::Text(r.2.clone()))])),
    )
}

/// Returns the two cells of a row.
fn row(dom: &Dom<'_>, tr: NodeId) -> Option<(NodeId, NodeId)> {
    let mut cells = dom.children(tr).filter(|n| matches!(dom.tag(*n), Tag::TH | Tag::TD)).take(3);
    match (cells.next(), cells.next(), cells.next()) {
        (Some(name), Some(value), None) => Some((name, value)),
        _ => None,
    }
}

/// Returns a node or the next element after it.
fn element(dom: &Dom<'_>, from: Option<NodeId>) -> Option<NodeId> {
    std::iter::successors(from, |n| dom.next_sibling(*n)).take(8).find(|n| dom.kind(*n) == NodeKind::Element)
}
