//! Products, recipes, events and other objects that a page describes, by schema.org's names.
//!
//! [`items`] reads what the page declares in JSON-LD, microdata and RDFa. [`declared`] turns items into things by a table of fields for each
//! type. Where declarations lie or lack, modules of single types choose among candidates from all sources and the visible page.
mod clean;
mod declared;
mod duration;
mod fields;
mod items;
pub(crate) mod lookup;
mod money;
mod schema;
mod settle;
mod value;
mod visible;

use crate::metadata::Metadata;
use crate::metadata::sources::facts::Facts;
pub(crate) use fields::{Field, KINDS, Read};
use items::Items;
pub(crate) use money::number as number_of;
pub use schema::schema;
pub use value::{Object, Origin, Thing, Value};

/// The sources from which things are read.
struct Sources<'a> {
    /// Facts of the whole page: its tree, blocks, metas and scripts.
    facts: &'a Facts<'a>,
    /// The declared items.
    items: Items,
    /// The metadata of the page; only the title if nobody wants it.
    metadata: &'a Metadata,
}

/// The things of a page.
pub(crate) struct Found {
    /// The things in order: the page's main object first.
    pub things: Vec<Thing>,
    /// Whether declarations beyond the limits were ignored.
    pub is_cut: bool,
}

/// Reads the objects that a page describes. `metadata` has only the title if nobody wants it.
pub(crate) fn read(facts: &Facts<'_>, metadata: &Metadata) -> Found {
    let items = Items::read(facts.dom, &facts.graph);
    let sources = Sources { facts, items, metadata };
    let mut things = declared::things(&sources);
    settle::settle(&sources, &mut things);
    visible::add(&sources, &mut things);
    Found { things, is_cut: sources.items.is_cut() }
}
