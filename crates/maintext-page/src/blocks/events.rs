//! The walk over a page as a flat list. Renderers build their trees from it, so that borders, hidden parts and gaps between words are decided
//! once.
use crate::dom::NodeId;

/// A step of the walk, in reading order.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Kind of the event.
    pub kind: EventKind,
    /// The element or the text.
    pub node: NodeId,
}

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// An element begins.
    Open,
    /// An element ends.
    Close,
    /// An element without content of its own in the text: a line break, a formula, a script, a reference to a side note.
    Void,
    /// A text, which a visitor may not see.
    Text,
    /// A text whose line breaks the page shows.
    Lines,
    /// White space, something hidden, or another gap between two words.
    Space,
    /// A line break that ends a block, since only white space lies between it and the one before.
    EmptyLine,
    /// The label of a tab or a side note begins: text that is moved to another position.
    Aside,
    /// It ends.
    AsideEnd,
}
