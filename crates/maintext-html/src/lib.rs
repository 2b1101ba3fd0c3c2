#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod arena;
mod document;
mod entities;
mod entities_table;
mod error;
mod iter;
mod names;
mod names_table;
mod options;
mod scan;
mod serialize;
mod tokenizer;
#[doc(hidden)]
pub mod tokens;
mod tree;

pub use arena::{Arena, Namespace, NodeKind};
pub use document::{Attribute, Doctype, Document, NodeId};
pub use error::{ErrorCode, ParseError};
pub use iter::{Ancestors, AttrValues, Attributes, Children, Descendants, Edge, Traverse};
pub use names::{Attr, Tag};
pub use options::{Context, LimitsHit, MAX_INPUT, ParseOptions, QuirksMode, Skip};
