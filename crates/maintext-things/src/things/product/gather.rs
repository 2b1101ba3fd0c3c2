//! The candidates of a page and the normal forms of their values.
use super::seen::SaleSigns;
use super::{ProductSlot, locale, price, reprice};
use crate::things::{Sources, clean, names};
use maintext_facts::metadata::ranking::rank::{Evidence, Features, Pool, PoolGroup, Source};
use maintext_facts::metadata::text::{cap, key, plain};
use maintext_page::hash::{HashMap, HashSet};

/// Maximum lengths of the name of a brand and of the number of an article, in characters.
const MAX_BRAND: usize = 50;
const MAX_CODE: usize = 40;

/// Collects the candidates of all slots.
pub(super) struct Gatherer<'a> {
    pub sources: &'a Sources<'a>,
    pub pools: [Pool<()>; ProductSlot::COUNT],
    /// The countries that the page names.
    pub countries: Vec<String>,
    /// The page's title and heading, as keys.
    pub titles: Vec<String>,
    /// The beginning of the title as printed, to find it in scripts.
    pub title_start: String,
    /// The block of the product's heading.
    pub heading: u32,
    /// Short texts of the page with digits, as keys.
    pub shown: HashSet<String>,
    /// How often each kind of label occurred.
    pub labels: HashMap<String, usize>,
    /// The price that a reader sees first below the heading.
    pub lead: Option<String>,
    /// The names of the site, as keys.
    pub site_names: Vec<String>,
    /// Which prices the page prints struck, and which not.
    pub printed: reprice::PrintedPrices,
    /// Number of fields for a quantity.
    pub quantities: usize,
    /// What the data of scripts calls the page.
    pub page_names: Vec<String>,
    /// The address as a key.
    address: String,
}

impl<'a> Gatherer<'a> {
    pub fn new(sources: &'a Sources<'a>, named: bool) -> Gatherer<'a> {
        let facts = sources.facts;
        let mut titles: Vec<String> = Vec::new();
        let mut add = |t: &str| {
            let key = key(t);
            if !key.is_empty() && !titles.contains(&key) {
                titles.push(key);
            }
        };
        let title = sources.metadata.title.as_deref().unwrap_or("");
        add(title);
        let heading = facts.heading;
        if let Some(text) = heading.map(|h| facts.blocks.text(h as usize)) {
            add(text);
        }
        facts.metas("og:title").take(1).for_each(&mut add);
        let address = facts.url.as_ref().map_or_else(String::new, |u| clean::address_key(u.as_str()));
        Gatherer {
            sources,
            pools: std::array::from_fn(|_| Pool::new(named)),
            countries: locale::countries(facts),
            titles,
            title_start: title.chars().take(16).collect(),
            heading: heading.unwrap_or(0),
            shown: HashSet::default(),
            labels: HashMap::default(),
            lead: None,
            site_names: Vec::new(),
            printed: reprice::PrintedPrices::default(),
            quantities: 0,
            page_names: Vec::new(),
            address,
        }
    }

    /// Returns whether an address is the page's own.
    pub fn is_page(&self, address: &str) -> bool {
        let address = self.sources.facts.address(address).map(|a| clean::address_key(&a));
        address.is_some_and(|a| !a.is_empty() && a == self.address)
    }

    /// Returns where a block is, seen from the heading.
    pub fn place(&self, block: u32) -> &'static str {
        match i64::from(block) - i64::from(self.heading) {
            ..-12 => "long.before",
            -12..0 => "before",
            0..=3 => "at",
            4..=12 => "near",
            13..=30 => "after",
            31..=80 => "far",
            _ => "farther",
        }
    }

    /// Returns the normal form of a value, and its key; `None` if it cannot be one.
    fn normal(&self, slot: ProductSlot, raw: &str) -> Option<(String, String)> {
        let raw = raw.trim();
        match slot {
            ProductSlot::Price | ProductSlot::ListPrice => {
                let found = price::find(cap(raw, 60), &[]);
                let number = match &found[..] {
                    [one] => one.number.clone(),
                    _ => return None,
                };
                let whole = number.split('.').next().unwrap_or("");
                let key = price::key(&number);
                (key != "0" && whole.len() <= 11).then_some((key, number))
            }
            ProductSlot::Currency => {
                let code = locale::resolve(cap(raw, 12), &self.countries)?;
                Some((code.to_owned(), code.to_owned()))
            }
            ProductSlot::Availability => availability(raw).map(|a| (a.to_owned(), a.to_owned())),
            ProductSlot::Brand => {
                let text = clean::text(cap(raw, 400))?;
                let text = text.trim_matches(|c: char| matches!(c, ':' | '-' | '|' | '›' | '>' | ',')).trim();
                let ok = (1..=MAX_BRAND).contains(&text.chars().count())
                    && text.chars().any(char::is_alphabetic)
                    && !text.contains("://")
                    && !matches!(
                        text.to_ascii_lowercase().as_str(),
                        "null" | "undefined" | "n/a" | "true" | "false" | "none" | "other" | "brand"
                    );
                let key = key(text);
                (ok && !key.is_empty()).then(|| (key, text.to_owned()))
            }
            ProductSlot::Sku | ProductSlot::Mpn => {
                let text = plain(cap(raw, 200));
                let text =
                    text.trim_matches(|c: char| matches!(c, ':' | '#' | '(' | ')' | ',' | ';' | '|' | '.')).trim();
                let ok = (2..=MAX_CODE).contains(&text.chars().count())
                    && text.chars().any(|c| c.is_ascii_digit())
                    && text.split_whitespace().count() <= 4
                    && !text.contains("//");
                ok.then(|| (names::plain(text), text.to_owned())).filter(|k| k.0.len() >= 2)
            }
            // Made by `sells`.
            ProductSlot::Sells => None,
            ProductSlot::Gtin => {
                let digits: String = raw.chars().filter(char::is_ascii_digit).collect();
                let other = raw.chars().any(|c| c.is_alphabetic());
                (!other && is_gtin(&digits)).then(|| (digits.trim_start_matches('0').to_owned(), digits))
            }
        }
    }

    /// Returns whether a value of a script may be the product's number: a vague key needs a value that the page shows or its address holds.
    pub fn is_plausible(&self, slot: ProductSlot, key: &str, value: &str, near: bool) -> bool {
        const STRONG: [&str; 10] = [
            "sku",
            "productid",
            "productsku",
            "articlenumber",
            "itemnumber",
            "productcode",
            "productnumber",
            "ecommprodid",
            "catentryid",
            "skuid",
        ];
        let code = names::plain(value);
        slot != ProductSlot::Sku
            || (near && STRONG.contains(&key))
            || self.shown.contains(&code)
            || code.len() >= 4 && names::plain(&self.address).contains(&code)
    }

    /// Adds a statement of a value. `set` sets its features.
    pub fn add(
        &mut self,
        slot: ProductSlot,
        raw: &str,
        source: Source,
        origin: &str,
        trust: u8,
        set: impl FnOnce(&mut Features),
    ) {
        let Some((key, text)) = self.normal(slot, raw) else { return };
        let evidence = Evidence { source, key: origin.to_owned(), block: None, span: None };
        if let Some(group) = self.pools[slot as usize].add(key, (), &text, trust, evidence) {
            set(&mut group.features);
        }
    }

    /// Sets features of a known value.
    pub fn feature(&mut self, slot: ProductSlot, raw: &str, set: impl FnOnce(&mut Features)) {
        let Some((key, _)) = self.normal(slot, raw) else { return };
        if let Some(group) = self.pools[slot as usize].get_mut(&key) {
            set(&mut group.features);
        }
    }

    /// Takes the candidates of a slot.
    pub fn take(&mut self, slot: ProductSlot) -> Pool<()> {
        std::mem::replace(&mut self.pools[slot as usize], Pool::new(false))
    }

    /// Sets the features that compare candidates, once all candidates except currencies are known.
    pub fn finish(&mut self, seen: &SaleSigns) {
        for (nth, id) in self.url_ids().into_iter().enumerate() {
            let order = if nth == 0 { "first" } else { "other" };
            for slot in [ProductSlot::Sku, ProductSlot::Mpn] {
                self.add(slot, &id, Source::Url, "text", 1, |f| f.set(&["url:", order], 1.0));
            }
        }
        let gtins = keys(self, ProductSlot::Gtin);
        let longest = self.url_ids().into_iter().max_by_key(String::len).map(|id| names::plain(&id));
        let address: String = names::plain(&self.address);
        for slot in [ProductSlot::Sku, ProductSlot::Mpn] {
            let whole = keys(self, slot);
            for c in &mut self.pools[slot as usize].groups {
                // A variant's number continues the product's: 1234567-42.
                let extends = c.text.char_indices().filter(|(i, c)| *i >= 5 && matches!(c, '-' | '_' | '.' | '/'));
                let extends = extends.take(4).any(|(i, _)| whole.contains(&names::plain(&c.text[..i])));
                let (key, f) = (&c.key, &mut c.features);
                f.flag("extends/down", extends);
                f.flag("url.longest/up", longest.as_ref() == Some(key));
                f.flag("in.url/up", key.len() >= 4 && address.contains(key.as_str()));
                f.flag("visible/up", self.shown.contains(key));
                f.bucket("length", key.chars().count());
                f.flag("digits", key.bytes().all(|b| b.is_ascii_digit()));
                f.flag("spaced", c.text.contains(' '));
                f.flag("also.gtin", gtins.contains(key.trim_start_matches('0')));
                f.flag("gtin.like", is_gtin(key));
            }
        }
        self.brands();
        self.cents();
        let lead = self.lead.take();
        for c in &mut self.pools[ProductSlot::Price as usize].groups {
            let visible = c.evidence.iter().any(|e| e.source == Source::Text);
            c.features.flag("lead.elsewhere/down", lead.as_ref().is_some_and(|l| *l != c.key));
            c.features.flag("unseen/down", lead.is_some() && !visible);
            c.features.flag("page.out", seen.is_out);
            c.features.flag("page.button", !seen.buttons.is_empty());
        }
        for slot in [
            ProductSlot::Price,
            ProductSlot::Brand,
            ProductSlot::Sku,
            ProductSlot::Mpn,
            ProductSlot::Gtin,
            ProductSlot::ListPrice,
        ] {
            agreement(&mut self.pools[slot as usize]);
        }
    }

    /// Sets the features that compare brands with the title, the site and the address.
    fn brands(&mut self) {
        let facts = self.sources.facts;
        let path = facts.url.as_ref().map_or_else(String::new, |u| key(&u.path().replace(['-', '_', '/'], " ")));
        let titles: Vec<String> = self.titles.iter().map(|t| t.replace('-', " ")).collect();
        for c in &mut self.pools[ProductSlot::Brand as usize].groups {
            let stated = c.evidence.iter().any(|e| !matches!(e.source, Source::Title | Source::Derived));
            let spaced = c.key.replace('-', " ");
            let (own, f) = (spaced.as_str(), &mut c.features);
            let starts = titles.iter().any(|t| t.strip_prefix(own).is_some_and(|r| r.is_empty() || r.starts_with(' ')));
            let has = titles.iter().any(|t| format!(" {t} ").contains(&format!(" {own} ")));
            f.flag("title.starts/up", starts);
            f.flag("title.has/up", has && !starts);
            f.flag("confirmed/up", stated && (starts || has));
            f.flag("title.none/down", !has && !starts);
            f.flag("is.title", titles.iter().any(|t| t == own));
            f.flag("is.site", self.site_names.iter().any(|s| s == own));
            f.flag("in.path/up", own.len() >= 3 && path.contains(own));
            f.bucket("words", c.text.split_whitespace().count());
            f.flag("upper", c.text.chars().all(|c| !c.is_lowercase()));
            f.flag("capital", c.text.starts_with(char::is_uppercase));
        }
    }

    /// Sets the features of currencies and availabilities that depend on the price.
    pub fn finish_second(&mut self, seen: &SaleSigns, has_price: bool) {
        if has_price {
            self.add(ProductSlot::Availability, "InStock", Source::Derived, "text", 1, |f| f.set(&["priced"], 1.0));
        }
        let out = seen.is_out;
        // If a text near the heading says "sold out" and the page asks for no price, nothing is in stock, even if other parts claim it.
        if out && !has_price {
            let pool = &mut self.pools[ProductSlot::Availability as usize];
            pool.groups.retain(|c| {
                c.key != "InStock"
                    || c.evidence
                        .iter()
                        .any(|e| matches!(e.source, Source::JsonLd | Source::Microdata | Source::OpenGraph))
            });
        }
        for c in &mut self.pools[ProductSlot::Availability as usize].groups {
            c.features.set(&["is:", &c.key], 1.0);
            c.features.flag("page.out", out);
            c.features.flag("page.button", !seen.buttons.is_empty());
            c.features.flag("page.unpriced", !has_price);
            let sold_out = matches!(c.key.as_str(), "OutOfStock" | "SoldOut" | "Discontinued");
            c.features.flag("out.said/up", sold_out && out);
            c.features.flag("out.unpriced/up", sold_out && !has_price);
            c.features.flag("in.unpriced/down", c.key == "InStock" && !has_price);
            c.features.flag("in.said.out/down", c.key == "InStock" && out);
            for (flag, name) in [(out, ":page.out"), (!seen.buttons.is_empty(), ":page.button"), (has_price, ":priced")]
            {
                if flag {
                    c.features.set(&["is:", &c.key, name], 1.0);
                }
            }
        }
        agreement(&mut self.pools[ProductSlot::Availability as usize]);
        agreement(&mut self.pools[ProductSlot::Currency as usize]);
    }

    /// Shops write prices in cents into scripts: 1990 supports 19.90.
    fn cents(&mut self) {
        let pool = &mut self.pools[ProductSlot::Price as usize];
        let whole: Vec<String> = pool
            .groups
            .iter()
            .filter(|c| {
                c.evidence.iter().any(|e| matches!(e.source, Source::Script | Source::Markup)) && !c.key.contains('.')
            })
            .map(|c| c.key.clone())
            .collect();
        for key in whole {
            if key.len() >= 3 {
                let (units, cents) = key.split_at(key.len() - 2);
                if let Some(c) = pool.get_mut(&price::key(&format!("{units}.{cents}"))) {
                    c.features.flag("x.cents/up", true);
                }
            }
        }
    }

    /// Returns the numbers in the page's address that may be a product's.
    pub fn url_ids(&self) -> Vec<String> {
        let Some(url) = &self.sources.facts.url else { return Vec::new() };
        let mut out: Vec<String> = Vec::new();
        let mut add = |t: &str| {
            let is_code = (4..=30).contains(&t.len()) && t.bytes().filter(u8::is_ascii_digit).count() >= 3;
            if is_code && out.len() < 8 && !out.iter().any(|o| o == t) {
                out.push(t.to_owned());
            }
        };
        for segment in url.path().rsplit('/').take(3) {
            let segment = segment.strip_suffix(".html").or(segment.strip_suffix(".htm")).unwrap_or(segment);
            for part in segment.rsplit(['-', '_', ',', '.']).take(3) {
                // A letter before the number is the shop's: `p4781720`.
                let digits = part
                    .strip_prefix(|c: char| c.is_ascii_alphabetic())
                    .filter(|d| d.len() >= 5 && d.bytes().all(|b| b.is_ascii_digit()));
                add(digits.unwrap_or(part));
            }
        }
        url.query_pairs().take(8).for_each(|(_, v)| add(&v));
        out
    }
}

fn keys(g: &Gatherer<'_>, slot: ProductSlot) -> HashSet<String> {
    g.pools[slot as usize].groups.iter().map(|c| c.key.clone()).collect::<HashSet<_>>()
}

/// Sets features of the sources that state a value, and of those that state another one.
fn agreement(pool: &mut Pool<()>) {
    let kinds: [(&str, &[Source]); 6] = [
        ("u", &[Source::Url]),
        ("d", &[Source::JsonLd, Source::Microdata]),
        ("m", &[Source::OpenGraph]),
        ("x", &[Source::Script]),
        ("a", &[Source::Markup]),
        ("t", &[Source::Text]),
    ];
    let best = pool.groups.iter().map(|c| c.trust).max().unwrap_or(0);
    let stated: Vec<bool> = kinds.iter().map(|k| pool.groups.iter().any(|c| is_from(c, k.1))).collect();
    for c in &mut pool.groups {
        let own: Vec<bool> = kinds.iter().map(|k| is_from(c, k.1)).collect();
        let count = own.iter().filter(|o| **o).count();
        c.features.set(&["agree/up"], count as f32);
        for (k, (name, _)) in kinds.iter().enumerate() {
            c.features.flag_parts(&["by:", name, "/up"], own[k]);
            c.features.flag_parts(&["not.by:", name, "/down"], stated[k] && !own[k]);
        }
        c.features.flag("main.elsewhere/down", best == 9 && c.trust < 9);
        c.features.flag("meta.elsewhere/down", best == 7 && c.trust < 7);
    }
    let total = pool.groups.len();
    for c in &mut pool.groups {
        c.features.bucket("rivals", total - 1);
    }
}

fn is_from(c: &PoolGroup<()>, wanted: &[Source]) -> bool {
    c.evidence.iter().any(|e| wanted.contains(&e.source))
}

/// Returns whether digits are a global trade item number: their last one checks the others (GS1 General Specifications, 7.9).
pub(super) fn is_gtin(digits: &str) -> bool {
    if !matches!(digits.len(), 8 | 12 | 13 | 14) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    let sum: u32 = digits.bytes().rev().zip([1, 3].into_iter().cycle()).map(|(b, w)| u32::from(b - b'0') * w).sum();
    sum.is_multiple_of(10) && digits.bytes().any(|b| b != b'0')
}

/// Returns schema.org's word for an availability in any of the forms that pages use in data.
fn availability(raw: &str) -> Option<&'static str> {
    let word = clean::word(raw).unwrap_or_else(|| raw.to_owned());
    Some(match names::plain(cap(&word, 200)).as_str() {
        "instock" | "true" | "available" | "yes" | "onstock" | "availableforsale" | "inventory" | "ok" => "InStock",
        "outofstock" | "false" | "oos" | "unavailable" | "no" | "notavailable" => "OutOfStock",
        "limitedavailability" | "lowstock" | "limited" | "lowinstock" => "LimitedAvailability",
        "preorder" => "PreOrder",
        "presale" => "PreSale",
        "backorder" | "availablefororder" => "BackOrder",
        "soldout" => "SoldOut",
        "discontinued" => "Discontinued",
        "instoreonly" => "InStoreOnly",
        "onlineonly" => "OnlineOnly",
        "madetoorder" => "MadeToOrder",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trade_numbers_check() {
        assert!(is_gtin("4006381333931") && is_gtin("96385074") && is_gtin("036000291452"));
        assert!(!is_gtin("4006381333932") && !is_gtin("12345") && !is_gtin("0000000000000"));
    }

    #[test]
    fn availabilities_of_data() {
        for (raw, word) in [
            ("https://schema.org/InStock", Some("InStock")),
            ("in stock", Some("InStock")),
            ("out_of_stock", Some("OutOfStock")),
            ("SOLD OUT", Some("SoldOut")),
            ("preorder", Some("PreOrder")),
            ("blue", None),
        ] {
            assert_eq!(availability(raw), word, "{raw}");
        }
    }
}
