//! Values, and how they become texts, numbers and truth values.
use crate::dom::NodeId;

/// A node of a set: an element or a text, or an attribute of an element by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The element or text.
    pub node: NodeId,
    /// Number of the attribute of that element, if it is the node.
    pub attribute: Option<u32>,
}

impl Item {
    pub(super) fn node(node: NodeId) -> Item {
        Item { node, attribute: None }
    }
}

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Nodes(Vec<Item>),
    Text(String),
    Number(f64),
    Truth(bool),
}

impl Value {
    pub fn truth(&self) -> bool {
        match self {
            Value::Nodes(nodes) => !nodes.is_empty(),
            Value::Text(text) => !text.is_empty(),
            Value::Number(n) => *n != 0.0 && !n.is_nan(),
            Value::Truth(truth) => *truth,
        }
    }
}

/// Returns the number that a text spells.
pub(super) fn number(text: &str) -> f64 {
    let text = text.trim();
    let plain = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !plain.is_empty() && plain.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| is_plain).unwrap_or(f64::NAN)
}

/// Returns a number as XPath writes it.
pub(super) fn spelled(number: f64) -> String {
    match number {
        n if n.is_nan() => "NaN".into(),
        n if n.is_infinite() => if n > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        0.0 => "0".into(),
        n => n.to_string(),
    }
}
