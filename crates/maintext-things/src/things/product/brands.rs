//! Brands that classes, links and images name.
use super::ProductSlot;
use super::gather::Gatherer;
use super::seen::short_text;
use crate::things::word_search::WordSearch;
use maintext_facts::metadata::ranking::rank::Source;
use maintext_facts::metadata::sources::facts::region;
use maintext_facts::metadata::text::{key, tokens};
use maintext_html::Attr;
use maintext_page::dom::Tag;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Class words of elements with brands.
const BRAND_WORDS: &[&str] = lexicon!("brand-classes.txt");

/// Words around a brand in links: "Visit the Acme Store", "by Acme".
const AROUND_BRANDS: &[&str] = lexicon!("brand-links.txt");

/// The parts that the words of [`BRAND_WORDS`] contain.
static NAMES: LazyLock<WordSearch> = LazyLock::new(|| {
    WordSearch::new(["brand", "manufacturer", "byline", "vendor", "marque", "marca", "marke", "maker"])
});

/// Words in the addresses of brands.
static ADDRESSES: LazyLock<WordSearch> =
    LazyLock::new(|| WordSearch::new(lexicon!("brand-addresses.txt").iter().copied()));

/// Returns the brand in the text of a link or a line: the part after a label, without the words around it.
fn brand_in(text: &str) -> &str {
    let text = text.rsplit([':', '：']).next().unwrap_or(text).trim();
    let lower = text.to_ascii_lowercase();
    for (before, after) in AROUND_BRANDS.iter().filter_map(|a| a.split_once('*')) {
        if lower.starts_with(before) && lower.ends_with(after) && lower.len() > before.len() + after.len() {
            return text[before.len()..text.len() - after.len()].trim();
        }
    }
    text
}

/// Adds the brands that classes, links and images name, and the first words of the title.
pub(super) fn read(g: &mut Gatherer<'_>) {
    let facts = g.sources.facts;
    let dom = facts.dom;
    let mut left = 60;
    for e in &facts.blocks.elements {
        if left == 0 {
            break;
        }
        let place = g.place(e.blocks.start);
        if matches!(place, "long.before" | "farther") {
            continue;
        }
        let mut named = false;
        let mut linked = false;
        for (name, value) in dom.attributes(e.node) {
            match name {
                Attr::CLASS | Attr::ID | Attr::ITEMPROP if value.len() < 200 && NAMES.is_in(value) => {
                    tokens(value, |w| named |= BRAND_WORDS.contains(&w));
                }
                Attr::HREF if e.tag == Tag::A => {
                    linked |= ADDRESSES.is_in(value);
                }
                _ => {}
            }
        }
        if !named && !linked {
            continue;
        }
        let text = short_text(dom, e.node);
        let regions = facts.element(e.node).map_or(0, |i| facts.regions[i]);
        if regions & (region::NAV | region::FOOTER) != 0 {
            continue;
        }
        let mut add = |text: &str, form: &'static str| {
            left -= 1;
            g.add(ProductSlot::Brand, text, Source::Markup, "text", 5, |f| {
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
        g.add(ProductSlot::Brand, &words[..n].join(" "), Source::Title, "text", 1, |f| {
            f.set(&["title.first:", form], 1.0)
        });
    }
    let site = g.sources.metadata.sitename.clone().unwrap_or_default();
    let host = facts.host().unwrap_or("").split('.').next().unwrap_or("").to_owned();
    g.site_names = vec![key(&site), key(&host)];
    g.add(ProductSlot::Brand, &site, Source::Derived, "text", 1, |f| f.set(&["site"], 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_for_brands_is_searched_for() {
        assert!(BRAND_WORDS.iter().all(|w| NAMES.is_in(w)));
    }
}
