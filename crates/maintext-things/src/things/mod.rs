//! Products, recipes, events and other objects that a page describes, by schema.org's names.
//!
//! `items` reads what the page declares in JSON-LD, microdata and RDFa. `declared` turns items into things by a table of fields for each
//! type. Where declarations are wrong or missing, modules of single types choose among candidates from all sources and the visible page.
mod clean;
mod declared;
mod duration;
mod fields;
mod items;
mod money;
pub mod names;
mod order;
mod product;
mod recipe;
mod relevance;
mod schema;
mod value;
mod visible;
mod word_search;

pub use fields::{Field, FieldForm, KINDS};
use items::PageItems;
use maintext_facts::metadata::Metadata;
use maintext_facts::metadata::layout::Layout;
use maintext_page::Warning;
pub use money::number as number_of;
pub use schema::schema;
use std::cell::Cell;
pub use value::{Object, Origin, Thing, Value};

/// The sources from which things are read.
struct Sources<'a> {
    /// Facts of the whole page: its tree, blocks, metas and scripts, and where its content and title are.
    facts: &'a Layout<'a>,
    /// The declared items.
    items: PageItems,
    /// The metadata of the page; only the title if it was not requested.
    metadata: &'a Metadata,
    /// Number of things and values beyond the limits.
    left_out: Cell<usize>,
}

impl<'a> Sources<'a> {
    fn new(facts: &'a Layout<'a>, metadata: &'a Metadata) -> Sources<'a> {
        Sources { facts, items: PageItems::read(facts), metadata, left_out: Cell::new(0) }
    }

    /// Counts things or values that are left out.
    fn leave_out(&self, count: usize) {
        self.left_out.set(self.left_out.get() + count);
    }
}

/// The things of a page.
pub struct FoundThings {
    /// The things in order: the page's main object first.
    pub things: Vec<Thing>,
    /// The limits that were reached.
    pub warnings: Vec<Warning>,
}

/// Reads the objects that a page describes. `metadata` has only the title if it was not requested.
pub fn read(facts: &Layout<'_>, metadata: &Metadata) -> FoundThings {
    let sources = Sources::new(facts, metadata);
    let things = things(&sources, product::ProductRankers::shipped());
    let cut = sources.items.is_cut().then(|| Warning::limit_reached("things"));
    let counted = Warning::beyond(sources.left_out.get(), "things and values of things");
    FoundThings { things, warnings: cut.into_iter().chain(counted).collect() }
}

/// Reads the page's declarations, then completes and corrects them from the visible page.
fn things(sources: &Sources<'_>, rankers: &product::ProductRankers) -> Vec<Thing> {
    let mut things = declared::things(sources);
    relevance::arrange(sources, &mut things);
    recipe::complete(sources, &mut things);
    visible::add(sources, &mut things);
    product::complete(sources, rankers, &mut things);
    things.iter_mut().for_each(order::sort);
    things
}

/// What the trainer of the rankers needs.
#[doc(hidden)]
pub mod training {
    use super::{Sources, Thing};
    pub use crate::things::product::{Calibration, ProductRankers, ProductSlot, RankedFields};
    use maintext_facts::metadata::{self, Settings};
    use maintext_reading::choice::Choice;
    use maintext_reading::method::View;

    /// Returns the ranked candidates of a page's product, with their features.
    pub fn products(
        page: &View<'_>,
        choice: &Choice,
        settings: &Settings<'_>,
        rankers: &ProductRankers,
    ) -> RankedFields {
        with_sources(page, choice, settings, |sources| super::product::rank(sources, rankers, true))
    }

    /// Returns the things of a page as rankers choose them.
    pub fn things(page: &View<'_>, choice: &Choice, settings: &Settings<'_>, rankers: &ProductRankers) -> Vec<Thing> {
        with_sources(page, choice, settings, |sources| super::things(sources, rankers))
    }

    /// Returns the currencies that a sign may stand for.
    pub fn currencies(sign: &str) -> &'static [&'static str] {
        super::product::meanings(sign)
    }

    fn with_sources<T>(
        page: &View<'_>,
        choice: &Choice,
        settings: &Settings<'_>,
        f: impl FnOnce(&Sources<'_>) -> T,
    ) -> T {
        metadata::with_layout(page, choice, settings, |layout| {
            let (metadata, facts) = metadata::read(layout, choice, maintext_facts::Fields::ALL);
            f(&Sources::new(&facts, &metadata))
        })
    }
}

/// Calls a check with the layout of a page, as tests need it.
#[cfg(test)]
fn layout_of(html: &str, check: impl FnOnce(&Layout<'_>)) {
    let dom = maintext_page::dom::parse(html, &Default::default());
    let blocks = maintext_page::blocks::Blocks::new(&dom);
    let page = maintext_reading::View { source: html, dom: &dom, blocks: &blocks, url: None };
    let kept: Vec<bool> = blocks.blocks.iter().map(|b| b.chars > 40).collect();
    maintext_facts::metadata::with_layout(&page, &maintext_reading::Choice::of(kept), &Default::default(), |layout| {
        check(&layout)
    });
}
