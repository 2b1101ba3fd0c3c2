//! What a visitor sees of a product: its prices, and the buttons that buy it.
use super::price::PrintedNumber;
use super::words::{self, PhraseMeaning};
use crate::things::word_search::WordSearch;
use maintext_facts::metadata::sources::facts::{Facts, region};
use maintext_facts::metadata::text::squeeze;
use maintext_html::Attr;
use maintext_page::dom::{Dom, NodeId, Tag};
use std::sync::LazyLock;

/// Maximum length of a text that is searched for words, in bytes.
pub(super) const MAX_TEXT: usize = 90;
/// Maximum number of buttons of a page.
const MAX_BUTTONS: usize = 60;

/// The visible signs of a sale.
#[derive(Debug, Default)]
pub(super) struct SaleSigns {
    pub prices: Vec<ShownPrice>,
    /// Blocks of buttons that buy, in order.
    pub buttons: Vec<u32>,
    /// Whether a text near the product's heading begins with words such as "sold out".
    pub is_out: bool,
}

/// A price in the text.
#[derive(Debug)]
pub(super) struct ShownPrice {
    pub printed: PrintedNumber,
    pub block: u32,
    pub node: NodeId,
    pub struck: bool,
    /// Whether class names near it say that it is a price.
    pub named: bool,
    /// Whether it is all or nearly all of its block.
    pub alone: bool,
    /// Whether words or classes say that it is a saving, a rate, a sum or a price without tax.
    pub aside: bool,
    /// The texts before and after it in its block, in lower case.
    pub before: String,
    pub after: String,
}

/// Names in ids and classes of buttons that buy.
static BUYS: LazyLock<WordSearch> = LazyLock::new(|| {
    let names = "add-to-cart addtocart add_to_cart add-to-basket addtobasket add-to-bag buy-now buynow";
    WordSearch::new(names.split(' '))
});

/// Whether a block is outside the parts of the page that hold products.
pub(super) fn is_frame(facts: &Facts<'_>, block: usize) -> bool {
    let element = facts.blocks.blocks[block].element as usize;
    facts.regions[element] & (region::NAV | region::FOOTER) != 0
}

/// Returns the blocks of the buttons that buy, in order.
pub(super) fn buttons(facts: &Facts<'_>) -> Vec<u32> {
    let dom = facts.dom;
    let mut out = Vec::new();
    for n in dom.descendants(NodeId::ROOT) {
        let tag = dom.tag(n);
        if !matches!(tag, Tag::BUTTON | Tag::INPUT | Tag::A) || out.len() >= MAX_BUTTONS {
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
        if (2..=MAX_TEXT).contains(&text.len()) {
            words::within(&text.to_lowercase(), |says, _| buys |= says == PhraseMeaning::Buy);
        }
        if !buys {
            let mut named = [Attr::ID, Attr::CLASS].iter().filter_map(|a| dom.attribute(n, *a));
            buys = named.any(|v| BUYS.is_in(v));
        }
        if buys && let Some(b) = facts.block_of(n) {
            out.push(b);
        }
    }
    out.sort_unstable();
    out
}

/// Returns the text of a small element; `""` of a large one.
pub(super) fn short_text(dom: &Dom<'_>, n: NodeId) -> String {
    const MAX_NODES: usize = 16;
    let mut out = String::new();
    for (i, d) in dom.descendants(n).enumerate() {
        if i >= MAX_NODES || out.len() > MAX_TEXT {
            return String::new();
        }
        out.push_str(dom.text(d));
    }
    squeeze(&out)
}
