//! Words of shops in many languages: labels of brands and numbers, statements of availability, texts of buttons.
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// What a phrase says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PhraseMeaning {
    InStock,
    OutOfStock,
    PreOrder,
    /// A button that buys.
    Buy,
    /// The label of a brand, a number of the shop, of the maker, of the trade.
    Brand,
    Maker,
    Sku,
    /// A label that several kinds of numbers have: "Item no.", "Model".
    Model,
    Mpn,
    Gtin,
    /// A former price.
    Was,
    /// A price that is not the article's: a rate, a saving, the shipping.
    Other,
    /// The lowest of several prices.
    From,
}

const PHRASES: &[(PhraseMeaning, &[&str])] = &[
    (PhraseMeaning::InStock, lexicon!("shop-in-stock.txt")),
    (PhraseMeaning::OutOfStock, lexicon!("shop-out-of-stock.txt")),
    (PhraseMeaning::PreOrder, lexicon!("shop-pre-order.txt")),
    (PhraseMeaning::Buy, lexicon!("shop-buy-buttons.txt")),
    (PhraseMeaning::Brand, lexicon!("shop-brand-labels.txt")),
    (PhraseMeaning::Maker, lexicon!("shop-maker-labels.txt")),
    (PhraseMeaning::Sku, lexicon!("shop-sku-labels.txt")),
    (PhraseMeaning::Model, lexicon!("shop-model-labels.txt")),
    (PhraseMeaning::Mpn, lexicon!("shop-mpn-labels.txt")),
    (PhraseMeaning::Gtin, lexicon!("shop-gtin-labels.txt")),
    (PhraseMeaning::Was, lexicon!("shop-former-price.txt")),
    (PhraseMeaning::Other, lexicon!("shop-other-price.txt")),
    (PhraseMeaning::From, lexicon!("shop-lowest-price.txt")),
];

/// The phrases by the slot of their first two bytes.
type Index = Vec<Vec<(PhraseMeaning, &'static str)>>;

/// Number of slots, a power of two.
const SLOTS: usize = 4096;

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index: Index = vec![Vec::new(); SLOTS];
    for (says, list) in PHRASES {
        list.iter().for_each(|text| index[slot(text.as_bytes())].push((*says, *text)));
    }
    // Longer phrases first, so that "not available" comes before "not".
    for list in &mut index {
        list.sort_by_key(|p| std::cmp::Reverse(p.1.len()));
    }
    index
});

/// Returns the slot of a text by its first two bytes. No phrase is shorter.
fn slot(text: &[u8]) -> usize {
    match text {
        [a, b, ..] => (usize::from(*a) << 5 ^ usize::from(*b)) & (SLOTS - 1),
        _ => 0,
    }
}

/// Whether a character belongs to a script that writes words without spaces.
fn is_unspaced(c: char) -> bool {
    c >= '\u{2e80}' || ('\u{e00}'..='\u{eff}').contains(&c)
}

/// Returns the longest phrases at the start of a text in lower case, one for each thing said, with their lengths in bytes.
pub(super) fn at_start(lower: &str) -> Vec<(PhraseMeaning, usize)> {
    start_of(&INDEX, lower)
}

fn start_of(index: &Index, lower: &str) -> Vec<(PhraseMeaning, usize)> {
    let mut out: Vec<(PhraseMeaning, usize)> = Vec::new();
    for (says, text) in &index[slot(lower.as_bytes())] {
        if !lower.starts_with(text) || out.iter().any(|o| o.0 == *says) {
            continue;
        }
        let last = text.chars().next_back().unwrap_or(' ');
        let ends = is_unspaced(last)
            || !last.is_alphanumeric()
            || !lower[text.len()..].chars().next().is_some_and(char::is_alphanumeric);
        if ends {
            out.push((*says, text.len()));
        }
    }
    out
}

/// Finds phrases with a meaning anywhere in a short text in lower case, with the position of each.
pub(super) fn within(lower: &str, mut each: impl FnMut(PhraseMeaning, usize)) {
    let index = &*INDEX;
    let mut before = ' ';
    for (at, c) in lower.char_indices() {
        if !before.is_alphanumeric() || is_unspaced(c) {
            for (says, _) in start_of(index, &lower[at..]) {
                each(says, at);
            }
        }
        before = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_whole_words() {
        assert_eq!(at_start("brand: acme"), [(PhraseMeaning::Brand, 5)]);
        assert_eq!(at_start("brandy"), []);
        assert_eq!(at_start("かごに入れる"), [(PhraseMeaning::Buy, 18)]);
        assert!(at_start("art.-nr. 12").contains(&(PhraseMeaning::Sku, 7)));
        assert_eq!(at_start("品牌：華碩")[0].0, PhraseMeaning::Brand);
        let mut said = Vec::new();
        within("this item is currently unavailable", |s, _| said.push(s));
        assert!(said.contains(&PhraseMeaning::OutOfStock) && !said.contains(&PhraseMeaning::InStock), "{said:?}");
    }
}
