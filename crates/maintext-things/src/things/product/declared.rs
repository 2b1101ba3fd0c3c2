//! Candidates that the page declares: in items, in metas and in attributes.
use super::gather::Gatherer;
use super::{ProductSlot, data};
use crate::things::declared::kind_of;
use crate::things::items::{ItemObject, PageItems, Syntax};
use maintext_facts::metadata::ranking::rank::Source;
use maintext_facts::metadata::text::key;
use maintext_html::Attr;
use maintext_page::dom::{NodeKind, Tag};
use maintext_page::hash::HashMap;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Maximum numbers of declared products that are compared, of offers of one, and of attributes that are read.
const MAX_PRODUCTS: usize = 200;
const MAX_OFFERS: usize = 60;
const MAX_ATTRIBUTES: usize = 400;

/// A declared product and how well it fits the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    pub item: usize,
    pub score: i32,
    /// Whether the name is the page's title.
    pub named: bool,
    /// Whether the address is the page's.
    pub addressed: bool,
}

/// Whether an item is a product.
pub(super) fn is_product(item: &ItemObject) -> bool {
    kind_of(item).is_some_and(|k| k.name == "Product")
}

/// Properties that hold other products.
const OTHERS: &[&str] = lexicon!("properties-of-other-products.txt");

/// Returns the declared products with their fits, in order.
pub(super) fn products(g: &Gatherer<'_>) -> Vec<Fit> {
    let items = &g.sources.items;
    let found = items.iter().filter(|(_, item)| is_product(item)).take(MAX_PRODUCTS);
    found.map(|(i, item)| fit(g, i, item)).collect()
}

fn fit(g: &Gatherer<'_>, i: usize, item: &ItemObject) -> Fit {
    let items = &g.sources.items;
    let name = items.text(i, &["name"]).map(key).unwrap_or_default();
    let named = !name.is_empty() && g.titles.contains(&name);
    let partly = !named
        && name.len() >= 5
        && g.titles.iter().any(|t| t.len() >= 5 && (t.contains(&name) || name.contains(t.as_str())));
    let addresses = ["url", "@id", "mainEntityOfPage"].iter().flat_map(|p| items.texts(i, p)).take(4);
    let offers = items.objects(i, "offers").take(3).flat_map(|o| items.texts(o, "url").take(1));
    let addressed = addresses.chain(offers).any(|a| g.is_page(a));
    let is_other = OTHERS.contains(&&item.under[..]);
    let priced = items.values(i, "offers").next().is_some();
    let score = 4 * named as i32 + 2 * partly as i32 + 3 * addressed as i32 - 3 * is_other as i32 + priced as i32;
    Fit { item: i, score, named: named || partly, addressed }
}

/// Returns the product that the page is about, if the declared ones hold it.
pub(super) fn main(products: &[Fit]) -> Option<Fit> {
    let best = products.iter().map(|p| p.score).max()?;
    let first = products.iter().find(|p| p.score == best).copied()?;
    // Of several products without a tie to the page, none is the main one.
    let alike = products.iter().filter(|p| p.score == best).count();
    (first.named || first.addressed || alike <= 2 || best >= 1 && products.len() <= 3).then_some(first)
}

fn source(syntax: Syntax) -> Source {
    match syntax {
        Syntax::JsonLd => Source::JsonLd,
        Syntax::Microdata | Syntax::Rdfa => Source::Microdata,
    }
}

/// Adds the values of all declared products.
pub(super) fn items(g: &mut Gatherer<'_>, products: &[Fit], main: Option<Fit>) {
    let main_name = main.and_then(|m| g.sources.items.text(m.item, &["name"]).map(key)).unwrap_or_default();
    for p in products {
        let name = g.sources.items.text(p.item, &["name"]).map(key).unwrap_or_default();
        let is_main = main.is_some_and(|m| m.item == p.item || m.score == p.score && name == main_name);
        let place = if is_main { "main" } else { "other" };
        product(g, p, place, products.len());
    }
    let items = &g.sources.items;
    for (i, _) in items.iter().filter(|(_, item)| is_free_offer(item)).take(MAX_OFFERS) {
        offer(g, i, "free", 0);
    }
}

/// Returns whether an item is an offer without a product.
fn is_free_offer(item: &ItemObject) -> bool {
    item.under.is_empty() && item.kinds.iter().any(|k| k == "Offer" || k == "AggregateOffer")
}

fn product(g: &mut Gatherer<'_>, fit: &Fit, place: &'static str, count: usize) {
    /// Properties with the name under which their values are known, and the maximum number of their values.
    const PROPERTIES: [(ProductSlot, &str, &str, usize); 17] = [
        (ProductSlot::Brand, "brand", "brand", 3),
        (ProductSlot::Brand, "manufacturer", "manufacturer", 3),
        (ProductSlot::Sku, "sku", "sku", 3),
        (ProductSlot::Sku, "productID", "productID", 3),
        (ProductSlot::Sku, "identifier", "productID", 3),
        (ProductSlot::Mpn, "mpn", "mpn", 3),
        (ProductSlot::Mpn, "model", "mpn", 3),
        (ProductSlot::Gtin, "gtin13", "gtin", 2),
        (ProductSlot::Gtin, "gtin", "gtin", 2),
        (ProductSlot::Gtin, "gtin12", "gtin", 2),
        (ProductSlot::Gtin, "gtin14", "gtin", 2),
        (ProductSlot::Gtin, "gtin8", "gtin", 2),
        (ProductSlot::Gtin, "isbn", "gtin", 2),
        (ProductSlot::Gtin, "productID", "gtin", 2),
        (ProductSlot::Price, "price", "price", 2),
        (ProductSlot::Price, "offers.price", "price", 2),
        (ProductSlot::Currency, "priceCurrency", "priceCurrency", 1),
    ];
    let items = &g.sources.items;
    let i = fit.item;
    for (slot, property, name, most) in PROPERTIES {
        for text in items.texts(i, property).take(most) {
            declared(g, slot, items.get(i).syntax, name, place, text);
        }
    }
    for (nth, o) in offers_of(items, i).into_iter().enumerate() {
        offer(g, o, place, nth);
    }
    if count > 1 && place == "main" {
        for v in items.objects(i, "hasVariant").take(MAX_OFFERS) {
            for o in offers_of(items, v).into_iter().take(3) {
                offer(g, o, "variant", 1);
            }
        }
    }
}

/// Returns the offers of a product, those inside an offer too, in order.
fn offers_of(items: &PageItems, product: usize) -> Vec<usize> {
    let mut out = Vec::new();
    for o in items.objects(product, "offers").take(MAX_OFFERS) {
        out.push(o);
        out.extend(items.objects(o, "offers").take(MAX_OFFERS));
    }
    out.truncate(MAX_OFFERS);
    out
}

fn offer(g: &mut Gatherer<'_>, o: usize, place: &'static str, nth: usize) {
    const PROPERTIES: [(ProductSlot, &str); 9] = [
        (ProductSlot::Price, "price"),
        (ProductSlot::Price, "lowPrice"),
        (ProductSlot::Price, "highPrice"),
        (ProductSlot::ListPrice, "listPrice"),
        (ProductSlot::Currency, "priceCurrency"),
        (ProductSlot::Availability, "availability"),
        (ProductSlot::Sku, "sku"),
        (ProductSlot::Mpn, "mpn"),
        (ProductSlot::Gtin, "gtin13"),
    ];
    let items = &g.sources.items;
    let order = match nth {
        0 => "first",
        1 => "second",
        _ => "later",
    };
    let mut add = |slot: ProductSlot, name: &str, text: &str| {
        declared(g, slot, items.get(o).syntax, name, place, text);
        g.feature(slot, text, |f| f.set(&["d.offer.", order], 1.0));
    };
    for (slot, name) in PROPERTIES {
        items.texts(o, name).take(2).for_each(|text| add(slot, name, text));
    }
    for s in items.objects(o, "priceSpecification").take(4) {
        let kind = items.text(s, &["priceType"]).unwrap_or("").to_ascii_lowercase();
        let listed = ["list", "srp", "msrp", "strikethrough", "regular"].iter().any(|k| kind.contains(k));
        let slot = if listed { ProductSlot::ListPrice } else { ProductSlot::Price };
        items.texts(s, "price").take(1).for_each(|text| add(slot, "specification", text));
        items.texts(s, "priceCurrency").take(1).for_each(|text| add(ProductSlot::Currency, "priceCurrency", text));
    }
}

fn declared(g: &mut Gatherer<'_>, slot: ProductSlot, syntax: Syntax, name: &str, place: &str, text: &str) {
    let trust = if place == "main" { 9 } else { 2 };
    let origin = syntax.name();
    g.add(slot, text, source(syntax), origin, trust, |f| {
        let bound = if place == "main" { "/up" } else { "" };
        f.set(&["d:", origin, ".", name, ".", place, bound], 1.0);
        f.set(&["d:", name, ".", place, bound], 1.0);
        f.set(&["d.", place, bound], 1.0);
    });
}

/// Metas of products, with their slots.
static METAS: LazyLock<HashMap<&str, ProductSlot>> = LazyLock::new(|| {
    let entries = lexicon!("product-metas.txt").iter().filter_map(|entry| entry.split_once(" = "));
    entries.filter_map(|(name, slot)| Some((name, ProductSlot::named(slot)?))).collect()
});

/// Adds the values of metas.
pub(super) fn metas(g: &mut Gatherer<'_>) {
    let facts = g.sources.facts;
    for meta in facts.metas.iter().take(1_000) {
        if let Some((name, slot)) = METAS.get_key_value(&meta.key[..]) {
            g.add(*slot, &meta.content, Source::OpenGraph, "open-graph", 7, |f| {
                f.set(&["m:", name, "/up"], 1.0);
                f.set(&["m./up"], 1.0);
            });
        }
    }
    // Twitter's cards name their values: `label1` is "Price", `data1` the price.
    for n in ["1", "2"] {
        let (Some(label), Some(value)) =
            (facts.meta(&[&format!("twitter:label{n}")]), facts.meta(&[&format!("twitter:data{n}")]))
        else {
            continue;
        };
        let label = label.to_lowercase();
        let slot = super::words::at_start(&label).iter().find_map(|(says, _)| super::labels::slot_of(*says));
        let priced = (label.contains("price") || label.contains("preis")).then_some(ProductSlot::Price);
        let available = label.contains("availab").then_some(ProductSlot::Availability);
        if let Some(slot) = priced.or(available).or(slot) {
            g.add(slot, &value, Source::OpenGraph, "open-graph", 6, |f| f.set(&["m:twitter"], 1.0));
        }
    }
}

/// Adds the values of attributes: `data-price`, hidden inputs, properties of microdata outside an item.
pub(super) fn attributes(g: &mut Gatherer<'_>) {
    let facts = g.sources.facts;
    let dom = facts.dom;
    let mut left = MAX_ATTRIBUTES;
    for n in dom.descendants(maintext_page::dom::NodeId::ROOT) {
        if dom.kind(n) != NodeKind::Element || left == 0 {
            continue;
        }
        if matches!(dom.tag(n), Tag::INPUT | Tag::SELECT) {
            let (name, value) = (dom.attr(n, "name").or_else(|| dom.attr(n, "id")), dom.attribute(n, Attr::VALUE));
            g.quantities += usize::from(name.is_some_and(is_quantity));
            if let (Some(name), Some(value)) = (name, value)
                && let Some((slot, key)) = data::known(name)
            {
                left -= 1;
                g.add(slot, value, Source::Markup, "data", 3, |f| f.set(&["i:", key], 1.0));
            }
        }
        for (_, name, value) in dom.attributes_named(n) {
            let Some(name) = name.strip_prefix("data-") else { continue };
            if value.is_empty() || value.len() > 100 {
                continue;
            }
            let Some((slot, key)) = data::known(name) else { continue };
            left = left.saturating_sub(1);
            let near = facts.block_of(n).map_or("none", |b| g.place(b));
            g.add(slot, value, Source::Markup, "data", 3, |f| {
                f.set(&["a:", key], 1.0);
                f.set(&["a.place:", near], 1.0);
            });
        }
    }
    for prop in facts.props.iter().filter(|p| p.kind.is_empty()).take(200) {
        let slot = match prop.name.as_str() {
            "price" | "lowPrice" => ProductSlot::Price,
            "priceCurrency" => ProductSlot::Currency,
            "availability" => ProductSlot::Availability,
            "brand" | "manufacturer" => ProductSlot::Brand,
            "sku" | "productID" => ProductSlot::Sku,
            "mpn" => ProductSlot::Mpn,
            "gtin13" | "gtin" | "isbn" => ProductSlot::Gtin,
            _ => continue,
        };
        let value = facts.prop_value(prop.node);
        g.add(slot, &value, Source::Microdata, "microdata", 6, |f| f.set(&["p:", &prop.name], 1.0));
    }
}

/// Whether the name of a field of a form says that it is for a quantity.
fn is_quantity(name: &str) -> bool {
    let mut found = false;
    maintext_facts::metadata::text::tokens(name, |w| found |= means_quantity(w));
    found
}

fn means_quantity(w: &str) -> bool {
    matches!(w, "qty" | "quantity" | "quantite" | "menge" | "anzahl" | "cantidad" | "quantidade" | "amount")
}

/// Adds the values of scripts.
pub(super) fn scripts(g: &mut Gatherer<'_>) {
    let facts = g.sources.facts;
    let texts = data::texts(facts);
    let found = data::find(&texts);
    let ids = g.url_ids();
    let mut counts: HashMap<&'static str, usize> = Default::default();
    for s in &found {
        let nth = counts.entry(s.key).or_default();
        *nth += 1;
        let order = match *nth {
            1 => "first",
            2..=3 => "early",
            _ => "late",
        };
        let around = window(texts[s.script], s.at);
        let by_id = ids.iter().any(|id| around.contains(id.as_str()));
        let by_title = !g.title_start.is_empty() && around.contains(&g.title_start);
        if s.slot == ProductSlot::Sells {
            if *nth <= 3 && g.page_names.len() < 12 {
                g.page_names.push(s.value.to_ascii_lowercase());
            }
            continue;
        }
        // Large pages hold the data of many products.
        let limit = if by_id || by_title { 30 } else { 6 };
        if *nth > limit || !g.is_plausible(s.slot, s.key, &s.value, by_id || by_title) {
            continue;
        }
        g.add(s.slot, said(s.key, &s.value), Source::Script, "data", 4, |f| {
            f.set(&["x:", s.key], 1.0);
            f.set(&["x.order:", order], 1.0);
            f.flag("x.by.id/up", by_id);
            f.flag("x.by.title/up", by_title);
        });
    }
    for s in &found {
        // A key with a single value on the whole page describes the page's product.
        if counts.get(s.key) == Some(&1) {
            g.feature(s.slot, &s.value, |f| f.set(&["x.single/up"], 1.0));
        }
    }
}

/// Returns the value that a key states: `"soldOut": true` is out of stock.
fn said<'a>(key: &str, value: &'a str) -> &'a str {
    if !key.contains("outofstock") && !key.contains("soldout") {
        value
    } else if matches!(value, "true" | "1") {
        "OutOfStock"
    } else {
        "InStock"
    }
}

/// Returns the text around a place in a script.
fn window(text: &str, at: usize) -> &str {
    const BYTES_AROUND: usize = 400;
    let mut start = at.saturating_sub(BYTES_AROUND);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let mut end = (at + BYTES_AROUND).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[start..end]
}
