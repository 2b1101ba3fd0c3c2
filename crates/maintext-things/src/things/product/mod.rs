//! The product that a page sells.
//!
//! Candidates come from declared items, metas, attributes, the data of scripts and the visible text. A ranker for each field, fitted on
//! labelled pages, chooses among them; a value less likely than not is absent. `cargo xtask train things` fits the rankers.
mod assemble;
mod brands;
mod classes;
mod data;
mod declared;
mod gather;
mod labels;
mod locale;
mod price;
mod printed;
mod properties;
mod rankers;
mod reprice;
mod seen;
mod sells;
mod words;

use super::Sources;
pub(super) use assemble::complete;
use classes::Classes;
use gather::Gatherer;
pub(super) use locale::meanings;
use maintext_facts::metadata::ranking::rank::{Candidate, Source};
pub use rankers::{Calibration, ProductRankers};
use seen::SaleSigns;
use serde::Serialize;

/// A field that a ranker chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[doc(hidden)]
pub enum ProductSlot {
    Price,
    Currency,
    Availability,
    Brand,
    Sku,
    Mpn,
    Gtin,
    /// Whether the page sells a product; its only candidate is "yes".
    Sells,
    /// A former or recommended price; chosen by rule.
    ListPrice,
}

impl ProductSlot {
    /// Number of fields.
    pub const COUNT: usize = 9;
    /// The fields that have rankers, in the order of choice.
    pub const RANKED: [ProductSlot; 8] = [
        ProductSlot::Price,
        ProductSlot::Currency,
        ProductSlot::Availability,
        ProductSlot::Brand,
        ProductSlot::Sku,
        ProductSlot::Mpn,
        ProductSlot::Gtin,
        ProductSlot::Sells,
    ];
    /// Returns the least probability of a value that is given. Read off the cross-validated curves that `cargo xtask train things` prints.
    pub fn least(self) -> f32 {
        match self {
            ProductSlot::Sku => 0.6,
            ProductSlot::Brand => 0.45,
            // Of the undeclared products of raw pages, 48 % are right above 0.4 and 86 % above 0.75 (docs/experiments/things.md).
            ProductSlot::Sells => 0.75,
            _ => 0.5,
        }
    }
    /// Returns the name of the field.
    pub fn name(self) -> &'static str {
        ["price", "currency", "availability", "brand", "sku", "mpn", "gtin", "sells", "list_price"][self as usize]
    }

    /// Returns the field with a name.
    fn named(name: &str) -> Option<ProductSlot> {
        ProductSlot::RANKED.into_iter().chain([ProductSlot::ListPrice]).find(|slot| slot.name() == name)
    }
}

/// The ranked candidates of a page.
#[doc(hidden)]
pub struct RankedFields {
    /// The candidates of each slot, best first, with calibrated probabilities.
    pub slots: [Vec<Candidate>; ProductSlot::COUNT],
    /// The main declared product.
    pub main: Option<usize>,
}

impl RankedFields {
    /// Returns the best candidate of a field if it is likely enough.
    pub fn best(&self, slot: ProductSlot) -> Option<&Candidate> {
        self.slots[slot as usize].first().filter(|c| c.probability >= slot.least())
    }
}

/// Collects and ranks the candidates. Without `all`, a page that cannot be found to sell anything has none; with it, candidates keep
/// their features.
pub(super) fn rank(sources: &Sources<'_>, rankers: &ProductRankers, all: bool) -> RankedFields {
    let mut g = Gatherer::new(sources, all);
    let products = declared::products(&g);
    let main = declared::main(&products);
    declared::items(&mut g, &products, main);
    declared::metas(&mut g);
    let mut out = RankedFields { slots: std::array::from_fn(|_| Vec::new()), main: main.map(|m| m.item) };
    let mut classes = Classes::default();
    let facts = sources.facts;
    let prices = printed::find(facts, &mut classes);
    let mut seen = SaleSigns { prices, buttons: seen::buttons(facts), is_out: false };
    if !all && main.is_none() && !sells::shows_sale(&g, &seen) {
        return out;
    }
    // A page without a declared product, a price, a button that buys or a word on the stock sells nothing.
    let shows_any = !products.is_empty() || !seen.prices.is_empty() || !seen.buttons.is_empty() || says_sold_out(&g);
    if !shows_any && g.pools[ProductSlot::Price as usize].groups.is_empty() {
        return out;
    }
    labels::read(&mut g, &mut seen, &mut classes);
    printed::describe(&mut g, &seen, &mut classes);
    brands::read(&mut g);
    declared::attributes(&mut g);
    declared::scripts(&mut g);
    let lead = g.lead.clone();
    reprice::resolve(&mut g.pools[ProductSlot::Price as usize], lead.as_deref(), &g.printed);
    g.finish(&seen);
    out.slots[ProductSlot::Price as usize] = rankers.rank(ProductSlot::Price, g.take(ProductSlot::Price));
    let price = out.best(ProductSlot::Price).map(|c| price::key(&c.value));
    printed::currencies(&mut g, &seen, price.as_deref());
    g.finish_second(&seen, price.is_some());
    for slot in ProductSlot::RANKED.into_iter().skip(1).filter(|s| *s != ProductSlot::Sells) {
        out.slots[slot as usize] = rankers.rank(slot, g.take(slot));
    }
    // A price and a button to buy say that a product is in stock; a price alone does not.
    let availability = &mut out.slots[ProductSlot::Availability as usize];
    let is_guessed = availability.first().is_some_and(|c| c.evidence.iter().all(|e| e.source == Source::Derived));
    if is_guessed && seen.buttons.is_empty() {
        availability.clear();
    }
    out.slots[ProductSlot::ListPrice as usize] = rankers.rank(ProductSlot::ListPrice, g.take(ProductSlot::ListPrice));
    if sells::may_sell(sources) && sells::shows_sale(&g, &seen) {
        let pool = sells::candidate(&mut g, &seen, lead.as_deref(), &out);
        out.slots[ProductSlot::Sells as usize] = rankers.rank(ProductSlot::Sells, pool);
    }
    out
}

/// Whether a short text below the heading says that something is sold out.
fn says_sold_out(g: &Gatherer<'_>) -> bool {
    let blocks = g.sources.facts.blocks;
    let mut found = false;
    for i in (g.heading as usize..blocks.len()).take(40).filter(|i| blocks.blocks[*i].chars <= seen::MAX_TEXT as u32) {
        words::within(&blocks.text(i).to_lowercase(), |says, at| {
            found |= says == words::PhraseMeaning::OutOfStock && at == 0
        });
    }
    found
}
