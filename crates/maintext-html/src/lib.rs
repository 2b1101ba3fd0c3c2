#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod document;
mod entities;
mod names;
mod node;
mod options;
mod scan;
mod serialize;
mod tokenizer;
#[doc(hidden)]
pub mod tokens;
mod tree;

pub use document::{
    Ancestors, AttrValues, Attribute, Attributes, Children, Descendants, Doctype, Document, Edge, NodeId, Traverse,
};
pub use node::{Namespace, NodeKind};
pub use tree::Arena;

pub use names::{Attr, Tag};
pub use options::{Context, LimitsHit, MAX_INPUT, ParseOptions, QuirksMode, Skip};
