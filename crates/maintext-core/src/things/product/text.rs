//! The walk over the visible text of a page that may sell something.
use super::classes::Classes;
use super::gather::Gatherer;
use super::printed::{self, Shown};
use super::words::{self, Says};
use super::{Slot, brands, labels};
use crate::dom::{Dom, NodeId, Tag};
use crate::metadata::sources::facts::{Facts, region};
use crate::metadata::text::squeeze;
use crate::things::needles::Needles;
use maintext_html::Attr;
use std::sync::LazyLock;

/// Longest text that is searched for words, in bytes.
pub(super) const MAX_LEAF: usize = 90;

/// What the walk over the texts found.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub prices: Vec<Shown>,
    /// Blocks of buttons that buy, in order.
    pub buttons: Vec<u32>,
    /// Whether the place of the product says that it is not for sale.
    pub is_out: bool,
}

/// Names in ids and classes of buttons that buy.
static BUYS: LazyLock<Needles> = LazyLock::new(|| {
    Needles::new([
        "add-to-cart",
        "addtocart",
        "add_to_cart",
        "add-to-basket",
        "addtobasket",
        "add-to-bag",
        "buy-now",
        "buynow",
    ])
});

/// Finds the prices and the buttons of the page.
pub(super) fn see(g: &Gatherer<'_>, classes: &mut Classes) -> Seen {
    let mut seen = Seen { prices: printed::find(g, classes), ..Seen::default() };
    buttons(g.sources.facts, &mut seen);
    seen
}

/// Adds the candidates in the texts of the page. `false` if it neither declares a product nor shows a price or a button that buys.
pub(super) fn read(g: &mut Gatherer<'_>, seen: &mut Seen, classes: &mut Classes, is_declared: bool) -> bool {
    // A page without a price, a button that buys, a word on the stock and a declared product sells nothing.
    let has_any = is_declared || !seen.prices.is_empty() || !seen.buttons.is_empty() || has_stock(g);
    if !has_any && g.pools[Slot::Price as usize].groups.is_empty() {
        return false;
    }
    labels::read(g, seen, classes);
    printed::describe(g, seen, classes);
    brands::read(g);
    true
}

/// Whether a short text below the heading says that something is sold out.
fn has_stock(g: &Gatherer<'_>) -> bool {
    let blocks = g.sources.facts.blocks;
    let mut found = false;
    for i in (g.heading as usize..blocks.len()).take(40).filter(|i| blocks.blocks[*i].chars <= MAX_LEAF as u32) {
        words::within(&blocks.text(i).to_lowercase(), |says, at| found |= says == Says::OutOfStock && at == 0);
    }
    found
}

/// Whether a block is outside the parts of the page that hold products.
pub(super) fn is_frame(facts: &Facts<'_>, block: usize) -> bool {
    let element = facts.blocks.blocks[block].element as usize;
    facts.regions[element] & (region::NAV | region::FOOTER) != 0
}

/// Returns the elements above a node, the nearest first.
pub(super) fn chain<'a>(dom: &'a Dom<'_>, node: NodeId, most: usize) -> impl Iterator<Item = NodeId> + 'a {
    dom.ancestors(node).take(most)
}

/// Finds the buttons that buy.
fn buttons(facts: &Facts<'_>, seen: &mut Seen) {
    let dom = facts.dom;
    for n in dom.descendants(NodeId::ROOT) {
        let tag = dom.tag(n);
        if !matches!(tag, Tag::BUTTON | Tag::INPUT | Tag::A) || seen.buttons.len() >= 60 {
            continue;
        }
        let text = match tag {
            Tag::INPUT => dom.attribute(n, Attr::VALUE).unwrap_or("").to_owned(),
            _ => short_text(dom, n),
        };
        if dom.attr(n, "disabled").is_some() {
            continue;
        }
        let mut buys = false;
        if (2..=MAX_LEAF).contains(&text.len()) {
            words::within(&text.to_lowercase(), |says, _| buys |= says == Says::Buy);
        }
        if !buys {
            let mut named = [Attr::ID, Attr::CLASS].iter().filter_map(|a| dom.attribute(n, *a));
            buys = named.any(|v| BUYS.are_in(v));
        }
        if buys && let Some(b) = facts.block_of(n) {
            seen.buttons.push(b);
        }
    }
    seen.buttons.sort_unstable();
}

/// Returns the text of a small element; `""` of a large one.
pub(super) fn short_text(dom: &Dom<'_>, n: NodeId) -> String {
    const NODES: usize = 16;
    let mut out = String::new();
    for (i, d) in dom.descendants(n).enumerate() {
        if i >= NODES || out.len() > MAX_LEAF {
            return String::new();
        }
        out.push_str(dom.text(d));
    }
    squeeze(&out)
}
