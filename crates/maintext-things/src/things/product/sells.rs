//! Whether a page that declares no product sells one.
//!
//! The decision is a logistic model, a ranker with one candidate. It compares the best price, the buttons, the numbers and the kind of page
//! that addresses and declarations name. Lists print many prices in the same markup, texts and threads about products have no button next
//! to the price.
use super::gather::Gatherer;
use super::printed::{self, nearest};
use super::seen::{SaleSigns, ShownPrice};
use super::{ProductSlot, RankedFields, price};
use crate::things::Sources;
use maintext_facts::metadata::ranking::rank::{Candidate, Evidence, Features, Pool, Source};
use maintext_facts::metadata::sources::facts::naming_words;
use maintext_facts::metadata::text::cap;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::{HashMap, HashSet};
use maintext_page::lexicon::lexicon;

/// Maximum length of a word of an address or of a declaration that is a feature, in bytes.
const MAX_WORD: usize = 24;
/// Maximum number of declared items whose types are read.
const MAX_ITEMS: usize = 200;

/// Types of texts.
const TEXTS: [&str; 8] =
    ["Article", "NewsArticle", "BlogPosting", "DiscussionForumPosting", "TechArticle", "QAPage", "Recipe", "Blog"];

/// Whether a page of this type may sell a product that it does not declare. Texts and threads about products sell nothing.
pub(super) fn may_sell(sources: &Sources<'_>) -> bool {
    let facts = sources.facts;
    if facts.is_root() {
        return false;
    }
    is_typed(sources) || !facts.is_thread() && !is_text(sources)
}

fn is_text(sources: &Sources<'_>) -> bool {
    let mut items = sources.items.iter().take(MAX_ITEMS).filter(|(_, i)| i.under.is_empty());
    sources.facts.metas("og:type").take(3).any(|t| t.contains("article"))
        || items.any(|(_, i)| i.kinds.iter().any(|k| TEXTS.contains(&&k[..])))
}

/// Whether the page's type in Open Graph is a product.
fn is_typed(sources: &Sources<'_>) -> bool {
    sources.facts.metas("og:type").take(3).any(|t| t.contains("product"))
}

/// Whether a page shows enough for the decision: its type, a leading price or a button that buys.
pub(super) fn shows_sale(g: &Gatherer<'_>, seen: &SaleSigns) -> bool {
    is_typed(g.sources) || !seen.buttons.is_empty() || printed::lead(g, seen).is_some()
}

/// Returns the pool of the decision with its only candidate.
pub(super) fn candidate(g: &mut Gatherer<'_>, seen: &SaleSigns, lead: Option<&str>, ranked: &RankedFields) -> Pool<()> {
    let mut pool = g.take(ProductSlot::Sells);
    let evidence = Evidence { source: Source::Derived, key: "text".to_owned(), block: None, span: None };
    if let Some(group) = pool.add("yes".to_owned(), (), "yes", 1, evidence) {
        let f = &mut group.features;
        f.set(&["one"], 1.0);
        values(ranked, f);
        shown(g, seen, lead, f);
        forms(g, seen, f);
        kinds(g, f);
        address(g, f);
    }
    pool
}

/// Sets features of the values that the rankers chose.
fn values(ranked: &RankedFields, f: &mut Features) {
    for slot in [ProductSlot::Price, ProductSlot::Brand, ProductSlot::Sku, ProductSlot::Mpn, ProductSlot::Gtin] {
        let found = &ranked.slots[slot as usize];
        let name = slot.name();
        f.set(&[name, ".p/up"], probability(found, 0));
        f.flag_parts(&[name, ".likely/up"], probability(found, 0) >= 0.5);
        f.flag_parts(&[name, ".sure/up"], probability(found, 0) >= 0.8);
        f.flag_parts(&[name, ".rival/down"], probability(found, 0) < 1.5 * probability(found, 1));
        if probability(found, 0) < 0.3 {
            continue;
        }
        let Some(best) = found.first() else { continue };
        for (source, by) in [
            (Source::Text, ".by:t/up"),
            (Source::Script, ".by:x/up"),
            (Source::Markup, ".by:a/up"),
            (Source::OpenGraph, ".by:m/up"),
            (Source::Url, ".by:u"),
            (Source::JsonLd, ".by:d"),
            (Source::Microdata, ".by:d"),
        ] {
            f.flag_parts(&[name, by], best.evidence.iter().any(|e| e.source == source));
        }
    }
    let stock = &ranked.slots[ProductSlot::Availability as usize];
    f.flag("stock.shown/up", stock.iter().any(|c| c.evidence.iter().any(|e| e.source == Source::Text)));
    f.flag("stock.data/up", stock.iter().any(|c| c.evidence.iter().any(|e| e.source != Source::Derived)));
}

fn probability(found: &[Candidate], n: usize) -> f32 {
    found.get(n).map_or(0.0, |c| c.probability)
}

/// Sets the flags `name:3`, `name:6`, ... for all sizes up to a number.
fn steps(f: &mut Features, name: &str, n: usize, end: &str) {
    for (size, text) in [(1, "1"), (2, "2"), (3, "3"), (6, "6"), (12, "12"), (24, "24")] {
        f.flag_parts(&[name, text, end], n >= size);
    }
}

/// Returns a number for the markup of a price, by its element and the one around it.
fn markup(dom: &Dom<'_>, node: NodeId) -> u64 {
    let mut h = maintext_page::hash::FNV64;
    for n in dom.ancestors(node).take(2) {
        for b in dom.tag_name(n).bytes().chain(dom.attr(n, "class").unwrap_or("").bytes().take(100)) {
            h = maintext_page::hash::fnv64(h, b);
        }
    }
    h
}

/// Sets features of the prices that the page shows: how many, where, and whether others have the markup of the leading one.
fn shown(g: &Gatherer<'_>, seen: &SaleSigns, lead: Option<&str>, f: &mut Features) {
    let dom = g.sources.facts.dom;
    let open: Vec<&ShownPrice> =
        seen.prices.iter().filter(|s| !s.struck && !s.aside && s.printed.sign.is_some()).collect();
    let all = count_prices(open.iter());
    f.flag("prices/up", all > 0);
    for (size, text) in [(4, "prices:4/down"), (8, "prices:8/down"), (16, "prices:16/down"), (32, "prices:32/down")] {
        f.flag(text, all >= size);
    }
    f.flag("prices.before/down", count_prices(open.iter().filter(|s| s.block < g.heading)) > 2);
    let near = count_prices(open.iter().filter(|s| s.block >= g.heading && s.block < g.heading + 30));
    f.flag("prices.near:1/up", near > 0);
    f.flag("prices.near:4/down", near > 3);
    f.flag("prices.near:8/down", near > 7);
    f.flag("struck/up", seen.prices.iter().any(|s| s.struck));
    f.flag("lead.none/down", lead.is_none());
    let first = open.iter().find(|s| s.block >= g.heading && lead == Some(&price::key(&s.printed.number)));
    let Some(first) = first else { return };
    f.set(&["lead.place:", g.place(first.block)], 1.0);
    let button = nearest(&seen.buttons, first.block);
    for (far, text) in [(3, "lead.button:3/up"), (12, "lead.button:12/up"), (40, "lead.button:40/up")] {
        f.flag(text, button <= far);
    }
    let own = markup(dom, first.node);
    let mut alike: HashMap<String, u32> = HashMap::default();
    for s in open.iter().filter(|s| s.block >= g.heading && markup(dom, s.node) == own) {
        alike.entry(price::key(&s.printed.number)).or_insert(s.block);
    }
    steps(f, "lead.alike:", alike.len(), "/down");
    steps(f, "lead.alike.near:", alike.values().filter(|b| **b < first.block + 40).count(), "/down");
    f.flag("lead.linked/down", dom.ancestors(first.node).take(6).any(|n| dom.tag(n) == Tag::A));
}

/// Returns the number of distinct prices.
fn count_prices<'s>(shown: impl Iterator<Item = &'s &'s ShownPrice>) -> usize {
    shown.map(|s| price::key(&s.printed.number)).collect::<HashSet<String>>().len()
}

/// Sets features of buttons, of fields for quantities and of labels.
fn forms(g: &Gatherer<'_>, seen: &SaleSigns, f: &mut Features) {
    f.flag("buttons:1/up", !seen.buttons.is_empty());
    f.flag("buttons:4/down", seen.buttons.len() > 3);
    f.flag("buttons:12/down", seen.buttons.len() > 11);
    if let Some(first) = seen.buttons.iter().find(|b| **b >= g.heading) {
        f.set(&["button.place:", g.place(*first)], 1.0);
    }
    f.flag("quantities:1/up", g.quantities > 0);
    f.flag("quantities:4/down", g.quantities > 3);
    f.flag("labels:1/up", !g.labels.is_empty());
    f.flag("labels:2/up", g.labels.len() > 1);
    f.flag("labels:3/up", g.labels.len() > 2);
    f.flag("labels.repeated/down", g.labels.values().any(|n| *n > 4));
    f.flag("out/up", seen.is_out);
}

/// Sets features of the types that the page declares and of the names that its scripts and its root give it.
fn kinds(g: &Gatherer<'_>, f: &mut Features) {
    let facts = g.sources.facts;
    let words = facts.words;
    for (size, text) in [(50, "words:50"), (150, "words:150"), (400, "words:400"), (1_000, "words:1000")] {
        f.flag(text, words >= size);
    }
    for kind in facts.metas("og:type").take(2) {
        f.set(&["og:", cap(kind, MAX_WORD)], 1.0);
        f.flag("og.product/up", kind.contains("product"));
        f.flag("og.article/down", kind.contains("article"));
    }
    for (_, item) in g.sources.items.iter().take(MAX_ITEMS) {
        for kind in item.kinds.iter().take(3) {
            f.set(&[if item.under.is_empty() { "kind:" } else { "inner:" }, cap(kind, MAX_WORD)], 1.0);
        }
    }
    for name in &g.page_names {
        page_name(name, "x.page.product/up", "x.page.other/down", f);
    }
    let dom = facts.dom;
    let roots = dom.descendants(NodeId::ROOT).take(4_000);
    for n in roots.filter(|n| matches!(dom.tag(*n), Tag::HTML | Tag::BODY)).take(2) {
        naming_words(dom, n, false, |w| page_name(w, "body.product/up", "body.other/down", f));
    }
    f.flag("records/down", facts.records.len() > 3);
}

/// Sets a feature of a name that the page's author gave to its kind.
fn page_name(name: &str, product: &'static str, other: &'static str, f: &mut Features) {
    const PRODUCT: &[&str] = lexicon!("product-page-kinds.txt");
    const OTHER: &[&str] = lexicon!("other-page-kinds.txt");
    f.flag(product, PRODUCT.contains(&name));
    f.flag(other, OTHER.contains(&name));
}

/// Sets features of the address: whole words of its path, keys of its query, numbers.
fn address(g: &Gatherer<'_>, f: &mut Features) {
    f.flag("ids/up", !g.url_ids().is_empty());
    let Some(url) = &g.sources.facts.url else { return };
    for segment in url.path().split('/').take(8) {
        if (1..=14).contains(&segment.len()) && segment.bytes().all(|b| b.is_ascii_alphabetic()) {
            f.set(&["path:", &segment.to_ascii_lowercase()], 1.0);
        }
    }
    let last = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or("");
    f.bucket("path.words", last.split(['-', '_']).filter(|w| !w.is_empty()).count());
    for (key, _) in url.query_pairs().take(6) {
        f.set(&["query:", cap(&key, MAX_WORD)], 1.0);
    }
}
