//! The chosen values as a thing.
use super::declared::is_product;
use super::{ProductRankers, ProductSlot, RankedFields, rank, sells};
use crate::things::declared::{kind_of, thing};
use crate::things::value::{Object, Origin, Thing, Value};
use crate::things::{Sources, clean};
use maintext_facts::metadata::ranking::rank::Candidate;
use maintext_facts::metadata::text::key;

/// Completes the page's product by the chosen values; it keeps its place among the things. A page without a declared product has one if it
/// sells something.
pub(in crate::things) fn complete(sources: &Sources<'_>, rankers: &ProductRankers, things: &mut Vec<Thing>) {
    if !sources.items.iter().any(|(_, item)| is_product(item)) && !sells::may_sell(sources) {
        return;
    }
    let ranked = rank(sources, rankers, false);
    let declared = ranked.main.and_then(|item| thing(sources, item, kind_of(sources.items.get(item))?));
    let mut product = match declared {
        Some(product) => product,
        None if ranked.best(ProductSlot::Sells).is_some() => from_page(sources),
        None => return,
    };
    let name = key(product.text("name").unwrap_or(""));
    // A ticket is an offer of the event that the page declares.
    let is_other = |other: &Thing| other.get("offers").is_some() && other.text("name").is_some_and(|n| key(n) == name);
    if ranked.main.is_none() && things.iter().any(is_other) {
        return;
    }
    // The same product declared again, in another syntax or for a variant, fills the fields that the first leaves open.
    let mut rest = Vec::with_capacity(things.len());
    let mut place = None;
    for other in things.drain(..) {
        let same = other.kind == product.kind && other.text("name").is_some_and(|n| key(n) == name);
        if same {
            place = place.or(Some(rest.len()));
            product.fill(other);
        } else {
            rest.push(other);
        }
    }
    *things = rest;
    for slot in [ProductSlot::Brand, ProductSlot::Sku, ProductSlot::Mpn, ProductSlot::Gtin] {
        set(&mut product, slot.name(), ranked.best(slot));
    }
    offer(&mut product, &ranked);
    surroundings(sources, &mut product);
    things.insert(place.unwrap_or(0), product);
}

/// Returns a product made of the page's title.
fn from_page(sources: &Sources<'_>) -> Thing {
    let mut out = Thing::new("Product");
    if let Some(title) = &sources.metadata.title {
        out.set("name", Value::Text(title.clone()), Origin { from: "text", probability: 0.9 });
    }
    out
}

/// Adds facts from the page around the product: breadcrumb, image, description.
fn surroundings(sources: &Sources<'_>, product: &mut Thing) {
    let metadata = sources.metadata;
    let found = [
        ("description", metadata.description.as_deref().and_then(clean::text).map(Value::Text), "open-graph"),
        ("images", Value::texts(metadata.image.clone()), "open-graph"),
        ("breadcrumb", Value::texts(metadata.breadcrumb.clone()), "text"),
        ("properties", super::properties::read(sources.facts), "text"),
    ];
    for (name, value, from) in found {
        if product.get(name).is_none()
            && let Some(value) = value
        {
            product.set(name, value, Origin { from, probability: 0.9 });
        }
    }
}

/// Sets a field to the chosen candidate, or removes it.
fn set(product: &mut Thing, name: &'static str, best: Option<&Candidate>) {
    match best {
        Some(c) => product.set(name, Value::Text(c.value.clone()), origin(c)),
        None => drop(product.remove(name)),
    }
}

/// Returns the most trusted place that states a value.
fn origin(c: &Candidate) -> Origin {
    const FROM: [&str; 6] = ["json-ld", "microdata", "rdfa", "open-graph", "data", "text"];
    let from = FROM.iter().find(|from| c.evidence.iter().any(|e| e.key == **from));
    Origin { from: from.copied().unwrap_or("text"), probability: (c.probability * 1000.0).round() / 1000.0 }
}

/// Puts the chosen price, currency and availability into the first offer. Other declared offers stay behind it.
fn offer(product: &mut Thing, ranked: &RankedFields) {
    let price = ranked.best(ProductSlot::Price);
    let mut offers = match product.fields.iter().position(|f| f.0 == "offers").map(|i| product.fields.remove(i).1) {
        Some(Value::List(offers)) => offers,
        _ => Vec::new(),
    };
    let chosen = price.map(|p| super::price::key(&p.value));
    // The declared offer with the chosen price comes first; an only offer is corrected.
    if let Some(i) = offers
        .iter()
        .position(|o| chosen.is_some() && o.field("price").and_then(Value::text).map(super::price::key) == chosen)
    {
        offers[..=i].rotate_right(1);
    } else if offers.len() != 1 {
        offers.insert(0, Value::Object(Object::default()));
    }
    let Some(Value::Object(Object(first))) = offers.first_mut() else { return };
    let list = list_price(ranked);
    let currency = if price.is_some() { ranked.best(ProductSlot::Currency) } else { None };
    let chosen: [(&str, &str, Option<&Candidate>); 4] = [
        ("price", "offers.price", price),
        ("currency", "offers.currency", currency),
        ("availability", "offers.availability", ranked.best(ProductSlot::Availability)),
        ("list_price", "offers.list_price", list),
    ];
    for (name, path, best) in chosen {
        let declared = first.iter().any(|f| f.0 == name);
        match best {
            Some(c) => {
                first.retain(|f| f.0 != name);
                first.push((name, Value::Text(c.value.clone())));
                product.sources.insert(path, origin(c));
            }
            None if declared && name != "list_price" => first.retain(|f| f.0 != name),
            None => {}
        }
    }
    if first.is_empty() {
        offers.remove(0);
    }
    if offers.is_empty() {
        product.sources.remove("offers");
    } else {
        let best = price.or(ranked.best(ProductSlot::Availability)).map(origin);
        if let Some(origin) = best {
            product.sources.insert("offers", origin);
        }
        product.fields.push(("offers", Value::List(offers)));
    }
}

/// Returns the former price: the most agreed one that is higher than the price, but not many times so.
fn list_price(ranked: &RankedFields) -> Option<&Candidate> {
    let price: f64 = ranked.best(ProductSlot::Price)?.value.parse().ok()?;
    let candidates = &ranked.slots[ProductSlot::ListPrice as usize];
    let mut best: Option<&Candidate> = None;
    for c in candidates.iter().filter(|c| c.value.parse::<f64>().is_ok_and(|v| v > price && v < 5.0 * price)) {
        if best.is_none_or(|b| source_count(c) > source_count(b)) {
            best = Some(c);
        }
    }
    best
}

fn source_count(c: &Candidate) -> usize {
    let mut kinds: Vec<_> = c.evidence.iter().map(|e| e.source).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len()
}
