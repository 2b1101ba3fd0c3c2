//! Candidates in the visible text: prices, labelled values, statements of availability, brands.
use super::gather::Gatherer;
use super::price::{self, Printed};
use super::words::{self, Says};
use super::{Slot, locale};
use crate::dom::{Dom, NodeId, Tag};
use crate::metadata::ranking::rank::{Features, Source};
use crate::metadata::sources::facts::{Facts, naming_words, region};
use crate::metadata::text::{key, squeeze, tokens};
use maintext_html::Attr;
use std::collections::HashSet;

/// Longest block that is searched for prices, and longest text that is searched for words, in characters.
const MAX_BLOCK: u32 = 400;
const MAX_LEAF: usize = 90;
/// Most printed prices that are described.
const MAX_PRICES: usize = 200;
/// Longest value beside a label, in characters.
const MAX_VALUE: usize = 60;

/// A price in the text.
#[derive(Debug)]
pub(super) struct Shown {
    pub printed: Printed,
    pub block: u32,
    node: NodeId,
    pub struck: bool,
    named: bool,
    alone: bool,
    /// Whether words or classes say that it is a saving, a rate, a sum or a price without tax.
    aside: bool,
    before: String,
    after: String,
}

/// What the walk over the texts found.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub prices: Vec<Shown>,
    /// Blocks of buttons that buy, in order.
    pub buttons: Vec<u32>,
    /// Whether the place of the product says that it is not for sale.
    pub is_out: bool,
}

impl Seen {
    /// Returns the number of different prices with a currency.
    pub fn different(&self) -> usize {
        let keys = self.prices.iter().filter(|s| s.printed.sign.is_some()).map(|s| price::key(&s.printed.number));
        keys.collect::<HashSet<_>>().len()
    }
}

/// Returns the slot of a label.
pub(super) fn slot_of(says: Says) -> Option<Slot> {
    Some(match says {
        Says::Brand | Says::Maker => Slot::Brand,
        Says::Sku | Says::Model => Slot::Sku,
        Says::Mpn => Slot::Mpn,
        Says::Gtin => Slot::Gtin,
        _ => return None,
    })
}

/// Class words of elements with prices, in the languages of shops.
const PRICE_WORDS: [&str; 14] = [
    "price", "prices", "preis", "prix", "prezzo", "precio", "preco", "cena", "ceny", "hinta", "pris", "amount",
    "prijs", "pricing",
];
/// Class words of former prices.
const STRUCK_WORDS: [&str; 20] = [
    "old",
    "was",
    "strike",
    "struck",
    "striked",
    "strikethrough",
    "strikethough",
    "crossed",
    "rrp",
    "msrp",
    "oldprice",
    "wasprice",
    "highlow",
    "basisprice",
    "barred",
    "priceold",
    "pricewas",
    "originalprice",
    "listprice",
    "stroke",
];
/// Class words that say so only together with the word for prices.
const WEAK_STRUCK_WORDS: [&str; 8] = ["list", "original", "before", "previous", "compare", "regular", "through", "del"];
/// Class words of prices by what they say.
const CLASSES: [(&[&str], &str); 6] = [
    (
        &[
            "current",
            "now",
            "sale",
            "sales",
            "final",
            "special",
            "our",
            "ourprice",
            "actual",
            "selling",
            "offer",
            "new",
            "pricenew",
            "deal",
            "dealprice",
            "promo",
            "discounted",
            "newprice",
            "saleprice",
        ],
        "now/up",
    ),
    (&["main", "product", "pdp", "buybox", "priceblock", "detail", "details", "pip", "prod", "item"], "main/up"),
    (&["unit", "per", "base", "basic", "baseprice", "unitprice", "kg", "pum", "measure"], "unit/down"),
    (
        &[
            "shipping",
            "delivery",
            "installment",
            "installments",
            "finance",
            "monthly",
            "month",
            "rate",
            "credit",
            "loan",
            "cuotas",
            "tax",
            "deposit",
            "fee",
        ],
        "aside/down",
    ),
    (&["save", "saving", "savings", "discount", "off", "coupon", "points", "bonus"], "saving/down"),
    (&["total", "subtotal", "sum", "cart", "minicart", "basket", "order", "checkout", "filter"], "total/down"),
];
/// Class words of cents.
const CENT_WORDS: [&str; 12] = [
    "cents",
    "cent",
    "decimal",
    "decimals",
    "fraction",
    "fractional",
    "pence",
    "centimes",
    "centavos",
    "minor",
    "sup",
    "penny",
];

/// Walks over the texts of the page. `None` if it neither declares a product nor shows a price
/// or a button that buys.
pub(super) fn read(g: &mut Gatherer<'_>, is_declared: bool) -> Option<Seen> {
    let mut seen = Seen { prices: prices(g), ..Seen::default() };
    buttons(g.sources.facts, &mut seen);
    // A page without a price, a button that buys, a word on the stock and a declared product sells nothing.
    let has_any = is_declared || !seen.prices.is_empty() || !seen.buttons.is_empty() || has_stock(g);
    if !has_any && g.pools[Slot::Price as usize].groups.is_empty() {
        return None;
    }
    labels(g, &mut seen);
    describe(g, &seen);
    brands(g);
    Some(seen)
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
fn is_frame(facts: &Facts<'_>, block: usize) -> bool {
    let element = facts.blocks.blocks[block].element as usize;
    facts.regions[element] & (region::NAV | region::FOOTER) != 0
}

/// Finds the prices of the page.
fn prices(g: &Gatherer<'_>) -> Vec<Shown> {
    let facts = g.sources.facts;
    let mut out: Vec<Shown> = Vec::new();
    for (i, block) in facts.blocks.blocks.iter().enumerate() {
        if out.len() >= MAX_PRICES {
            break;
        }
        let plain = facts.blocks.text(i);
        if block.chars > MAX_BLOCK || !plain.bytes().any(|b| b.is_ascii_digit()) || is_frame(facts, i) {
            continue;
        }
        let (text, raised, leaves) = run(facts, i);
        for printed in price::find(&text, &raised) {
            let at = leaves.partition_point(|l| l.0 <= printed.range.start).saturating_sub(1);
            let Some(&(_, node)) = leaves.get(at) else { continue };
            let named = chain(facts.dom, node, 4).any(|n| has_word(facts.dom, n, &PRICE_WORDS));
            if (printed.sign.is_none() && !named) || price::key(&printed.number) == "0" || out.len() >= MAX_PRICES {
                continue;
            }
            let (before, after) = beside(&text, &printed);
            let mut aside = false;
            words::within(&before, |says, _| aside |= says == Says::Other);
            chain(facts.dom, node, 4).for_each(|n| classes(facts.dom, n, |kind| aside |= kind.ends_with("/down")));
            out.push(Shown {
                block: i as u32,
                node,
                struck: is_struck(facts.dom, node),
                named,
                aside,
                alone: text.len() <= printed.range.len() + 8,
                before,
                after,
                printed,
            });
        }
    }
    out
}

/// Returns the text of a block with the places where parts set apart as cents begin, and where each text node begins.
fn run(facts: &Facts<'_>, block: usize) -> (String, Vec<usize>, Vec<(usize, NodeId)>) {
    let b = &facts.blocks.blocks[block];
    let leaves = &facts.blocks.leaves[b.leaves.start as usize..b.leaves.end as usize];
    let (mut text, mut raised, mut places) = (String::new(), Vec::new(), Vec::new());
    for &leaf in leaves {
        let own = facts.dom.text(leaf);
        if own.starts_with(char::is_whitespace) && !text.ends_with(' ') && !text.is_empty() {
            text.push(' ');
        }
        let squeezed = squeeze(own);
        if squeezed.is_empty() {
            continue;
        }
        let is_cents = squeezed.len() <= 4
            && squeezed.starts_with(|c: char| c.is_ascii_digit())
            && chain(facts.dom, leaf, 3).any(|n| facts.dom.tag(n) == Tag::SUP || has_word(facts.dom, n, &CENT_WORDS));
        if is_cents && raised.len() < 8 {
            raised.push(text.len());
        }
        places.push((text.len(), leaf));
        text.push_str(&squeezed);
        if own.ends_with(char::is_whitespace) {
            text.push(' ');
        }
    }
    (text, raised, places)
}

/// Returns the elements above a node, the nearest first.
fn chain<'a>(dom: &'a Dom<'_>, node: NodeId, most: usize) -> impl Iterator<Item = NodeId> + 'a {
    dom.ancestors(node).take(most)
}

fn has_word(dom: &Dom<'_>, node: NodeId, wanted: &[&str]) -> bool {
    let mut found = false;
    naming_words(dom, node, false, |w| found |= wanted.contains(&w));
    found
}

fn is_struck(dom: &Dom<'_>, node: NodeId) -> bool {
    chain(dom, node, 4).enumerate().any(|(up, n)| {
        matches!(dom.tag_name(n), "del" | "s" | "strike")
            || dom.attr(n, "style").is_some_and(|s| s.contains("line-through"))
            || up < 3 && has_word(dom, n, &STRUCK_WORDS)
            || up < 2 && has_word(dom, n, &WEAK_STRUCK_WORDS) && has_word(dom, n, &PRICE_WORDS)
    })
}

/// Returns the texts before and after a price in its block, in lower case.
fn beside(text: &str, printed: &Printed) -> (String, String) {
    let before: String = text[..printed.range.start].chars().rev().take(40).collect();
    let before: String = before.chars().rev().collect();
    let after: String = text[printed.range.end..].chars().take(24).collect();
    (before.to_lowercase(), after.to_lowercase())
}

/// Adds the prices with their features: those of the best place of each value, and how often it occurs.
fn describe(g: &mut Gatherer<'_>, seen: &Seen) {
    let facts = g.sources.facts;
    let mut order: Vec<&str> = Vec::new();
    let mut times: std::collections::HashMap<String, usize> = Default::default();
    for s in &seen.prices {
        *times.entry(price::key(&s.printed.number)).or_default() += 1;
    }
    let near_struck: HashSet<u32> =
        seen.prices.iter().filter(|s| s.struck).flat_map(|s| s.block.saturating_sub(3)..=s.block + 3).collect();
    // Places of prices that are not struck, with their amounts.
    let open: Vec<(u32, f64)> = seen
        .prices
        .iter()
        .filter(|s| !s.struck && !s.aside && s.printed.sign.is_some())
        .filter_map(|s| Some((s.block, s.printed.number.parse().ok()?)))
        .collect();
    let beaten = |s: &Shown| {
        let own: f64 = s.printed.number.parse().unwrap_or(0.0);
        let from = open.partition_point(|o| o.0 + 3 < s.block);
        s.struck && open[from..].iter().take_while(|o| o.0 <= s.block + 3).any(|o| o.1 < own && o.1 > own / 5.0)
    };
    let lead = lead(g, seen);
    g.lead = lead.clone();
    for s in &seen.prices {
        let number = s.printed.number.as_str();
        let is_beaten = beaten(s);
        let hidden = facts.blocks.blocks[s.block as usize].hidden;
        let after_heading = s.block >= g.heading;
        if after_heading && !s.struck && !s.aside && s.printed.sign.is_some() && !order.contains(&number) {
            order.push(number);
        }
        let rank = order.iter().position(|o| *o == number);
        let place = g.place(s.block);
        let button = nearest(&seen.buttons, s.block);
        let count = times.get(&price::key(number)).copied().unwrap_or(0);
        let (mut was, mut other, mut from) = (false, false, false);
        words::within(&s.before, |says, _| match says {
            Says::Was => was = true,
            Says::Other => other = true,
            Says::From => from = true,
            _ => {}
        });
        let unit = s.after.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let per_unit =
            unit.starts_with('/') || s.after.contains("per ") || s.after.contains(" / ") || s.after.contains("/kg");
        let slot = if s.struck || was { Slot::ListPrice } else { Slot::Price };
        let describe = |f: &mut Features| {
            f.set(&["t."], 1.0);
            f.flag("t.sign/up", s.printed.sign.is_some());
            f.flag("t.named/up", s.named);
            f.flag("t.alone/up", s.alone);
            f.flag("t.cents", s.printed.has_cents);
            f.flag("t.starts.range", s.printed.starts_range);
            f.flag("t.ends.range", s.printed.ends_range);
            f.flag("t.struck/down", s.struck);
            f.flag("t.lead/up", lead.as_deref() == Some(price::key(number).as_str()));
            f.flag("t.beaten/down", is_beaten);
            f.flag("t.main.struck/down", s.struck && matches!(place, "at" | "near" | "after"));
            f.flag("t.main.open/up", !s.struck && !s.aside && !was && matches!(place, "at" | "near" | "after"));
            f.flag("t.was/down", was);
            f.flag("t.other/down", other);
            f.flag("t.from", from);
            f.flag("t.unit/down", per_unit);
            f.flag("t.hidden", hidden);
            f.flag("t.near.struck", !s.struck && !s.aside && near_struck.contains(&s.block));
            f.set(&["t.place:", place], 1.0);
            f.bucket("t.order", rank.unwrap_or(99));
            f.bucket("t.button", button.min(200));
            f.bucket("t.count", count);
            f.set(&["t.tag:", facts.dom.tag_name(facts.dom.parent(s.node).unwrap_or(s.node))], 1.0);
            let regions = facts.element(facts.dom.parent(s.node).unwrap_or(s.node)).map_or(0, |e| facts.regions[e]);
            for (bit, name) in region::NAMES.iter().enumerate() {
                if regions >> bit & 1 == 1 {
                    f.set(&["t.in:", name], 1.0);
                }
            }
            for n in chain(facts.dom, s.node, 4) {
                classes(facts.dom, n, |kind| f.set(&["class:", kind], 1.0));
            }
            for n in chain(facts.dom, s.node, 8) {
                naming_words(facts.dom, n, false, |t| {
                    f.flag(
                        "up.main/up",
                        matches!(t, "main" | "product" | "pdp" | "detail" | "details" | "summary" | "buybox"),
                    );
                    f.flag(
                        "up.other/down",
                        matches!(
                            t,
                            "related"
                                | "similar"
                                | "recommended"
                                | "recommendations"
                                | "carousel"
                                | "slider"
                                | "upsell"
                                | "crosssell"
                                | "tile"
                                | "card"
                                | "also"
                                | "sponsored"
                                | "widget"
                                | "minicart"
                                | "cart"
                                | "shipping"
                                | "installments"
                        ),
                    );
                });
            }
        };
        g.add(Slot::Price, number, Source::Text, "text", 5, describe);
        if slot == Slot::ListPrice && matches!(place, "at" | "near" | "after") {
            g.add(Slot::ListPrice, number, Source::Text, "text", 5, |f| f.set(&["t.place:", place], 1.0));
        }
    }
}

/// Calls `each` with what the class words of an element say of a price: `now/up` alone if they say that it is the price asked.
fn classes(dom: &Dom<'_>, n: NodeId, mut each: impl FnMut(&'static str)) {
    let mut said: [bool; CLASSES.len()] = Default::default();
    naming_words(dom, n, false, |t| {
        for (is, (words, _)) in said.iter_mut().zip(CLASSES) {
            *is |= words.contains(&t);
        }
    });
    let now = said[0];
    for (is, (_, kind)) in said.into_iter().zip(CLASSES) {
        if is && (!now || kind.ends_with("/up")) {
            each(kind);
        }
    }
}

/// Returns the price that a reader sees first below the heading: printed for itself, not struck, not a saving or a rate.
fn lead(g: &Gatherer<'_>, seen: &Seen) -> Option<String> {
    let facts = g.sources.facts;
    let fits = |s: &&Shown| {
        let mut was = false;
        words::within(&s.before, |says, _| was |= says == Says::Was);
        s.block >= g.heading
            && !s.struck
            && !s.aside
            && !was
            && s.printed.sign.is_some()
            && (s.alone || s.named)
            && !facts.blocks.blocks[s.block as usize].hidden
            && g.place(s.block) != "farther"
    };
    seen.prices.iter().find(fits).map(|s| price::key(&s.printed.number))
}

/// Returns the distance to the nearest button, in blocks.
fn nearest(buttons: &[u32], block: u32) -> usize {
    let after = buttons.partition_point(|b| *b < block);
    let around = [buttons.get(after), after.checked_sub(1).and_then(|i| buttons.get(i))];
    around.into_iter().flatten().map(|b| b.abs_diff(block) as usize).min().unwrap_or(999)
}

/// Adds the currencies that are printed beside prices: those of the chosen price apart.
pub(super) fn currencies(g: &mut Gatherer<'_>, seen: &Seen, chosen: Option<&str>) {
    for s in &seen.prices {
        let Some(sign) = &s.printed.sign else { continue };
        let own = chosen.is_some_and(|c| c == price::key(&s.printed.number));
        let vague = locale::meanings(sign).len() > 1;
        let place = g.place(s.block);
        g.add(Slot::Currency, sign, Source::Text, "text", 5, |f| {
            f.set(&["t."], 1.0);
            f.flag("t.own", own);
            f.flag("t.own.clear", own && !vague);
            f.flag("t.clear", !vague);
            f.set(&["t.place:", place], 1.0);
        });
        // A vague sign may also mean another of its currencies, if a declaration says so.
        if vague && own {
            for code in locale::meanings(sign) {
                g.feature(Slot::Currency, code, |f| f.set(&["t.own.maybe"], 1.0));
            }
        }
    }
    for (nth, country) in g.countries.clone().iter().enumerate().take(3) {
        let Some(code) = locale::currency_of(country) else { continue };
        g.add(Slot::Currency, code, Source::Derived, "text", 1, |f| {
            f.set(&["country:", if nth == 0 { "first" } else { "other" }], 1.0);
        });
    }
}

/// Adds labelled values and statements of availability.
fn labels(g: &mut Gatherer<'_>, seen: &mut Seen) {
    let facts = g.sources.facts;
    // The label that waits for its value.
    let mut open: Vec<(Says, usize)> = Vec::new();
    let mut since = 0;
    let mut shown: HashSet<String> = HashSet::new();
    for (i, block) in facts.blocks.blocks.iter().enumerate() {
        if is_frame(facts, i) {
            open.clear();
            continue;
        }
        for &leaf in &facts.blocks.leaves[block.leaves.start as usize..block.leaves.end as usize] {
            let raw = facts.dom.text(leaf);
            if raw.len() > 4 * MAX_LEAF {
                open.clear();
                continue;
            }
            let text = squeeze(raw);
            let bare = text.trim_matches(|c: char| {
                matches!(c, ':' | '：' | '-' | '|' | '•' | '\u{200e}' | '\u{200f}') || c.is_whitespace()
            });
            if bare.is_empty() || text.len() > 3 * MAX_LEAF {
                continue;
            }
            if bare.len() <= 40 && bare.bytes().any(|b| b.is_ascii_digit()) && shown.len() < 2_000 {
                shown.insert(super::gather::code_key(bare));
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
                    open.push((says, i));
                    since = 0;
                    continue;
                }
                // In one text: "SKU: 123", "Marke: Acme". A label without a colon needs a number.
                let colon = rest.trim_start().starts_with([':', '：', '#', '.', '(']);
                let value = bare.get(bare.len().saturating_sub(label.len())..).unwrap_or("");
                let numbered = slot_of(says) != Some(Slot::Brand) && value.starts_with(|c: char| c.is_ascii_digit());
                if (colon || numbered) && value.chars().count() <= MAX_VALUE {
                    labelled(g, says, value, i, "same");
                }
            }
            if lower.len() <= MAX_LEAF {
                availability(g, seen, &lower, i, leaf);
            }
        }
    }
    g.shown = shown;
}

fn labelled(g: &mut Gatherer<'_>, says: Says, value: &str, block: usize, form: &'static str) {
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
    let add = |g: &mut Gatherer<'_>, slot: Slot, value: &str, part: &'static str| {
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
        Slot::Brand => add(g, slot, value, ""),
        Slot::Gtin => {
            let first = value.split([' ', ',', ';', '/']).next().unwrap_or(value);
            add(g, slot, first, "");
            let all: String = value.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
            add(g, slot, &all, "");
            add(g, Slot::Sku, first, "");
        }
        _ => {
            let first = value.split([',', ';', '|']).next().unwrap_or(value).trim();
            let word = first.split_whitespace().next().unwrap_or(first);
            for slot in [Slot::Sku, Slot::Mpn] {
                add(g, slot, first, ":whole");
                if word != first {
                    add(g, slot, word, ":first");
                }
            }
        }
    }
}

/// Adds a statement of availability.
fn availability(g: &mut Gatherer<'_>, seen: &mut Seen, lower: &str, block: usize, leaf: NodeId) {
    let facts = g.sources.facts;
    let (mut stock, mut out, mut pre) = (None, None, None);
    words::within(lower, |says, at| match says {
        Says::InStock => stock = stock.or(Some(at)),
        Says::OutOfStock => out = out.or(Some(at)),
        Says::PreOrder => pre = pre.or(Some(at)),
        _ => {}
    });
    // "not in stock" says both; the negative words are longer.
    let (word, says, at) = match (out, stock, pre) {
        (Some(at), _, _) => ("OutOfStock", "out", at),
        (None, _, Some(at)) => ("PreOrder", "pre", at),
        (None, Some(at), None) => ("InStock", "in", at),
        _ => return,
    };
    let place = g.place(block as u32);
    let hidden = facts.blocks.blocks[block].hidden;
    let named = chain(facts.dom, leaf, 4).any(|n| {
        has_word(
            facts.dom,
            n,
            &["stock", "availability", "available", "lager", "disponibilita", "delivery", "dostupnost", "inventory"],
        )
    });
    if says == "out" && at == 0 && !hidden && matches!(place, "at" | "near" | "after") {
        seen.is_out = true;
    }
    g.add(Slot::Availability, word, Source::Text, "text", 5, |f| {
        f.set(&["t."], 1.0);
        f.set(&["t.place:", place], 1.0);
        f.set(&["t.place:", place, if at == 0 { ":start" } else { ":inside" }], 1.0);
        f.flag("t.named/up", named);
        f.flag("t.shown/up", !hidden && matches!(place, "at" | "near" | "after"));
        f.flag("t.hidden", hidden);
        f.flag("t.start/up", at == 0);
    });
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
            let named = [Attr::ID, Attr::CLASS].iter().filter_map(|a| dom.attribute(n, *a));
            buys = named.into_iter().any(|v| {
                let v = v.to_ascii_lowercase();
                [
                    "add-to-cart",
                    "addtocart",
                    "add_to_cart",
                    "add-to-basket",
                    "addtobasket",
                    "add-to-bag",
                    "buy-now",
                    "buynow",
                ]
                .iter()
                .any(|w| v.contains(w))
            });
        }
        if buys && let Some(b) = facts.block_of(n) {
            seen.buttons.push(b);
        }
    }
    seen.buttons.sort_unstable();
}

/// Returns the text of a small element; `""` of a large one.
fn short_text(dom: &Dom<'_>, n: NodeId) -> String {
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

/// Class words of elements with brands.
const BRAND_WORDS: [&str; 12] = [
    "brand",
    "brands",
    "brandname",
    "manufacturer",
    "byline",
    "bylineinfo",
    "vendor",
    "brandlink",
    "marque",
    "marca",
    "marke",
    "maker",
];

/// Words around a brand in links: "Visit the Acme Store", "by Acme".
const AROUND_BRANDS: [(&str, &str); 22] = [
    ("visit the ", " store"),
    ("besuchen sie den ", "-store"),
    ("besuche den ", "-store"),
    ("visiter la boutique ", ""),
    ("visita lo store di ", ""),
    ("visita la tienda de ", ""),
    ("visite a loja ", ""),
    ("see more ", ""),
    ("more from ", ""),
    ("all products from ", ""),
    ("all products by ", ""),
    ("shop all ", ""),
    ("shop ", ""),
    ("by ", ""),
    ("von ", ""),
    ("par ", ""),
    ("de ", ""),
    ("di ", ""),
    ("da ", ""),
    ("mehr von ", ""),
    ("alle produkte von ", ""),
    ("the ", " collection"),
];

/// Returns the brand in the text of a link or a line: the part after a label, without the words around it.
fn brand_in(text: &str) -> &str {
    let text = text.rsplit([':', '：']).next().unwrap_or(text).trim();
    let lower = text.to_ascii_lowercase();
    for (before, after) in AROUND_BRANDS {
        if lower.starts_with(before) && lower.ends_with(after) && lower.len() > before.len() + after.len() {
            return text[before.len()..text.len() - after.len()].trim();
        }
    }
    text
}

/// Adds the brands that classes, links and images name, and the first words of the title.
fn brands(g: &mut Gatherer<'_>) {
    let facts = g.sources.facts;
    let dom = facts.dom;
    let mut left = 60;
    for e in &facts.blocks.elements {
        if left == 0 {
            break;
        }
        let mut named = false;
        let mut linked = false;
        for (name, value) in dom.attributes(e.node) {
            match name {
                Attr::CLASS | Attr::ID | Attr::ITEMPROP if value.len() < 200 => {
                    tokens(value, |w| named |= BRAND_WORDS.contains(&w));
                }
                Attr::HREF if e.tag == Tag::A => {
                    let v = value.to_ascii_lowercase();
                    linked |= [
                        "brand",
                        "marke",
                        "marque",
                        "marca",
                        "manufacturer",
                        "hersteller",
                        "merk/",
                        "designer",
                        "znacka",
                        "zimol",
                    ]
                    .iter()
                    .any(|w| v.contains(w));
                }
                _ => {}
            }
        }
        if !named && !linked {
            continue;
        }
        let block = e.blocks.start;
        let text = short_text(dom, e.node);
        let regions = facts.element(e.node).map_or(0, |i| facts.regions[i]);
        if regions & (region::NAV | region::FOOTER) != 0 {
            continue;
        }
        let place = g.place(block);
        if matches!(place, "long.before" | "farther") {
            continue;
        }
        let mut add = |text: &str, form: &'static str| {
            left -= 1;
            g.add(Slot::Brand, text, Source::Markup, "text", 5, |f| {
                f.set(&["b:", form], 1.0);
                f.set(&["b.place:", place], 1.0);
            });
        };
        if !text.is_empty() {
            add(brand_in(&text), if named { "class" } else { "link" });
        } else if let Some(alt) =
            dom.descendants(e.node).take(16).filter(|n| dom.tag(*n) == Tag::IMG).find_map(|n| dom.attr(n, "alt"))
        {
            add(alt, "logo");
        }
        if left == 0 {
            break;
        }
    }
    let title = g.sources.metadata.title.clone().unwrap_or_default();
    let words: Vec<&str> = title.split_whitespace().take(3).collect();
    for n in 1..=words.len() {
        let form = ["one", "two", "three"][n - 1];
        g.add(Slot::Brand, &words[..n].join(" "), Source::Title, "text", 1, |f| f.set(&["title.first:", form], 1.0));
    }
    let site = g.sources.metadata.sitename.clone().unwrap_or_default();
    let host = facts.host().unwrap_or("").split('.').next().unwrap_or("").to_owned();
    g.site_names = vec![key(&site), key(&host)];
    g.add(Slot::Brand, &site, Source::Derived, "text", 1, |f| f.set(&["site"], 1.0));
}
