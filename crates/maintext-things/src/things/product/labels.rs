//! Labelled values and statements of availability in the visible text.
use super::ProductSlot;
use super::classes::{self, Classes};
use super::gather::Gatherer;
use super::seen::{MAX_TEXT, SaleSigns, is_frame};
use super::words::{self, PhraseMeaning};
use crate::things::names::plain;
use maintext_facts::metadata::ranking::rank::Source;
use maintext_facts::metadata::text::squeeze;
use maintext_page::dom::{NodeId, Tag};
use maintext_page::hash::HashSet;

/// Maximum length of a value next to a label, in characters.
const MAX_VALUE: usize = 60;

/// Returns the slot of a label.
pub(super) fn slot_of(says: PhraseMeaning) -> Option<ProductSlot> {
    Some(match says {
        PhraseMeaning::Brand | PhraseMeaning::Maker => ProductSlot::Brand,
        PhraseMeaning::Sku | PhraseMeaning::Model => ProductSlot::Sku,
        PhraseMeaning::Mpn => ProductSlot::Mpn,
        PhraseMeaning::Gtin => ProductSlot::Gtin,
        _ => return None,
    })
}

/// Adds labelled values and statements of availability.
pub(super) fn read(g: &mut Gatherer<'_>, seen: &mut SaleSigns, classes: &mut Classes) {
    let facts = g.sources.facts;
    // The label that waits for its value.
    let mut open: Vec<(PhraseMeaning, usize)> = Vec::new();
    let mut since = 0;
    let mut shown: HashSet<String> = HashSet::default();
    for (i, block) in facts.blocks.blocks.iter().enumerate() {
        if is_frame(facts, i) {
            open.clear();
            continue;
        }
        for &leaf in facts.blocks.leaves_of(block) {
            let raw = facts.dom.text(leaf);
            if raw.len() > 4 * MAX_TEXT {
                open.clear();
                continue;
            }
            let text = squeeze(raw);
            let bare = text.trim_matches(|c: char| {
                matches!(c, ':' | '：' | '-' | '|' | '•' | '\u{200e}' | '\u{200f}') || c.is_whitespace()
            });
            if bare.is_empty() || text.len() > 3 * MAX_TEXT {
                continue;
            }
            if bare.len() <= 40 && bare.bytes().any(|b| b.is_ascii_digit()) && shown.len() < 2_000 {
                shown.insert(plain(bare));
            }
            let lower = bare.to_lowercase();
            let starts = words::at_start(&lower);
            let waiting = std::mem::take(&mut open);
            since += 1;
            if !waiting.is_empty() && since <= 2 && bare.chars().count() <= MAX_VALUE {
                for (says, _) in &waiting {
                    labelled(g, *says, bare, i, "next");
                }
            }
            for (says, length) in starts {
                if slot_of(says).is_none() {
                    continue;
                }
                let rest = lower.get(length..).unwrap_or("");
                let label = rest
                    .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '：' | '.' | '#' | '°' | ')'));
                if label.is_empty() {
                    // The entries of a menu are no labels of each other.
                    if slot_of(says) == Some(ProductSlot::Brand)
                        && facts.dom.ancestors(leaf).take(3).any(|n| facts.dom.tag(n) == Tag::A)
                    {
                        continue;
                    }
                    open.push((says, i));
                    since = 0;
                    continue;
                }
                // In one text: "SKU: 123", "Marke: Acme". A label without a colon needs a number.
                let colon = rest.trim_start().starts_with([':', '：', '#', '.', '(']);
                let value = bare.get(bare.len().saturating_sub(label.len())..).unwrap_or("");
                let numbered =
                    slot_of(says) != Some(ProductSlot::Brand) && value.starts_with(|c: char| c.is_ascii_digit());
                if (colon || numbered) && value.chars().count() <= MAX_VALUE {
                    labelled(g, says, value, i, "same");
                }
            }
            if lower.len() <= MAX_TEXT {
                availability(g, seen, classes, &lower, (i, leaf));
            }
        }
    }
    g.shown = shown;
}

fn labelled(g: &mut Gatherer<'_>, says: PhraseMeaning, value: &str, block: usize, form: &'static str) {
    let Some(slot) = slot_of(says) else { return };
    let place = g.place(block as u32);
    let hidden = g.sources.facts.blocks.blocks[block].hidden;
    let label = format!("{says:?}");
    let nth = g.labels.entry(label.clone()).or_insert(0);
    *nth += 1;
    let order = match *nth {
        1 => "first/up",
        2 => "second",
        _ => "later/down",
    };
    let add = |g: &mut Gatherer<'_>, slot: ProductSlot, value: &str, part: &'static str| {
        g.add(slot, value, Source::Text, "text", 6, |f| {
            f.set(&["label:", &label, "/up"], 1.0);
            f.set(&["label./up"], 1.0);
            f.set(&["label:", &label, ":", form, part], 1.0);
            f.set(&["label.place:", place], 1.0);
            f.set(&["label:", &label, ":", order], 1.0);
            f.flag("label.hidden", hidden);
        });
    };
    match slot {
        ProductSlot::Brand => add(g, slot, value, ""),
        ProductSlot::Gtin => {
            let first = value.split([' ', ',', ';', '/']).next().unwrap_or(value);
            add(g, slot, first, "");
            let all: String = value.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
            add(g, slot, &all, "");
            add(g, ProductSlot::Sku, first, "");
        }
        _ => {
            let first = value.split([',', ';', '|']).next().unwrap_or(value).trim();
            let word = first.split_whitespace().next().unwrap_or(first);
            for slot in [ProductSlot::Sku, ProductSlot::Mpn] {
                add(g, slot, first, ":whole");
                if word != first {
                    add(g, slot, word, ":first");
                }
            }
        }
    }
}

/// Adds a statement of availability.
fn availability(
    g: &mut Gatherer<'_>,
    seen: &mut SaleSigns,
    classes: &mut Classes,
    lower: &str,
    (block, leaf): (usize, NodeId),
) {
    let facts = g.sources.facts;
    let (mut stock, mut out, mut pre) = (None, None, None);
    words::within(lower, |says, at| match says {
        PhraseMeaning::InStock => stock = stock.or(Some(at)),
        PhraseMeaning::OutOfStock => out = out.or(Some(at)),
        PhraseMeaning::PreOrder => pre = pre.or(Some(at)),
        _ => {}
    });
    // "not in stock" contains both; the negative words are longer.
    let (word, says, at) = match (out, stock, pre) {
        (Some(at), _, _) => ("OutOfStock", "out", at),
        (None, _, Some(at)) => ("PreOrder", "pre", at),
        (None, Some(at), None) => ("InStock", "in", at),
        _ => return,
    };
    let place = g.place(block as u32);
    let hidden = facts.blocks.blocks[block].hidden;
    let named = facts.dom.ancestors(leaf).take(4).any(|n| classes.of(facts.dom, n).any(classes::SaidWords::STOCK));
    if says == "out" && at == 0 && !hidden && matches!(place, "at" | "near" | "after") {
        seen.is_out = true;
    }
    g.add(ProductSlot::Availability, word, Source::Text, "text", 5, |f| {
        f.set(&["t."], 1.0);
        f.set(&["t.place:", place], 1.0);
        f.set(&["t.place:", place, if at == 0 { ":start" } else { ":inside" }], 1.0);
        f.flag("t.named/up", named);
        f.flag("t.shown/up", !hidden && matches!(place, "at" | "near" | "after"));
        f.flag("t.hidden", hidden);
        f.flag("t.start/up", at == 0);
    });
}
