//! The meaning of class names, ids and properties for prices and stock. Each element is read once.
use maintext_facts::metadata::ranking::rank::FastMap;
use maintext_facts::metadata::sources::facts::naming_words;
use maintext_page::dom::{Dom, NodeId};
use std::sync::LazyLock;

/// A set of meanings of the words of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SaidWords(u16);

impl SaidWords {
    /// Prices, in the languages of shops.
    pub const PRICE: SaidWords = SaidWords(1);
    pub const CENTS: SaidWords = SaidWords(1 << 1);
    /// Former prices.
    pub const STRUCK: SaidWords = SaidWords(1 << 2);
    /// Former prices, only together with [`PRICE`](Self::PRICE).
    pub const WEAK_STRUCK: SaidWords = SaidWords(1 << 3);
    pub const STOCK: SaidWords = SaidWords(1 << 4);
    /// The page's main part.
    pub const MAIN: SaidWords = SaidWords(1 << 5);
    /// Parts with other products, and costs on the side.
    pub const OTHER: SaidWords = SaidWords(1 << 6);
    /// The kinds of [`KINDS`]: the first one.
    const KIND: u16 = 7;

    /// Returns whether the words have any of these meanings.
    pub fn any(self, of: SaidWords) -> bool {
        self.0 & of.0 != 0
    }

    /// Returns the meaning of the words for a price: `now/up` alone for the price asked.
    pub fn kinds(self) -> impl Iterator<Item = &'static str> {
        let now = self.any(SaidWords(1 << SaidWords::KIND));
        let kinds = KINDS
            .iter()
            .enumerate()
            .filter(move |(i, _)| self.any(SaidWords(1 << (SaidWords::KIND + (*i) as u16))))
            .map(|k| k.1.0);
        kinds.filter(move |kind| !now || kind.ends_with("/up"))
    }

    /// Returns whether the words say that a price is a saving, a rate, a sum or a price of something else.
    pub fn is_aside(self) -> bool {
        self.kinds().any(|kind| kind.ends_with("/down"))
    }
}

const WORDS: [(SaidWords, &str); 7] = [
    (
        SaidWords::PRICE,
        "price prices preis prix prezzo precio preco cena ceny hinta pris amount prijs pricing cijena fiyat harga kaina kakaku \
        jiage pret tsena",
    ),
    (SaidWords::CENTS, "cents cent decimal decimals fraction fractional pence centimes centavos minor sup penny"),
    (
        SaidWords::STRUCK,
        "old was strike struck striked strikethrough strikethough crossed rrp msrp oldprice wasprice highlow basisprice \
        barred priceold pricewas originalprice listprice stroke",
    ),
    (SaidWords::WEAK_STRUCK, "list original before previous compare regular through del"),
    (SaidWords::STOCK, "stock availability available lager disponibilita delivery dostupnost inventory"),
    (SaidWords::MAIN, "main product pdp detail details summary buybox"),
    (
        SaidWords::OTHER,
        "related similar recommended recommendations carousel slider upsell crosssell tile card also sponsored widget \
        minicart cart shipping installments",
    ),
];

/// Words of prices by their meaning.
const KINDS: [(&str, &str); 6] = [
    (
        "now/up",
        "current now sale sales final special our ourprice actual selling offer new pricenew deal dealprice promo \
        discounted newprice saleprice",
    ),
    ("main/up", "main product pdp buybox priceblock detail details pip prod item"),
    ("unit/down", "unit per base basic baseprice unitprice kg pum measure"),
    (
        "aside/down",
        "shipping delivery installment installments finance monthly month rate credit loan cuotas tax deposit fee",
    ),
    ("saving/down", "save saving savings discount off coupon points bonus"),
    ("total/down", "total subtotal sum cart minicart basket order checkout filter"),
];

/// Maximum length of a word, in bytes.
const MAX_WORD: usize = 16;

/// What each word says.
static TABLE: LazyLock<FastMap<&str, SaidWords>> = LazyLock::new(|| {
    let kinds = KINDS.iter().enumerate().map(|(i, (_, words))| (SaidWords(1 << (SaidWords::KIND + i as u16)), *words));
    let mut table: FastMap<&str, SaidWords> = FastMap::default();
    for (says, words) in WORDS.into_iter().chain(kinds) {
        words.split_ascii_whitespace().for_each(|word| table.entry(word).or_default().0 |= says.0);
    }
    table
});

/// The meanings of the words of elements, by element.
#[derive(Debug, Default)]
pub(super) struct Classes {
    known: FastMap<u32, SaidWords>,
}

impl Classes {
    /// Returns the meanings of the words of an element.
    pub fn of(&mut self, dom: &Dom<'_>, n: NodeId) -> SaidWords {
        *self.known.entry(n.index() as u32).or_insert_with(|| {
            let mut out = SaidWords::default();
            naming_words(dom, n, false, |word| {
                if word.len() <= MAX_WORD {
                    out.0 |= TABLE.get(word).map_or(0, |says| says.0);
                }
            });
            out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::things::layout_of;

    fn says(class: &str) -> SaidWords {
        let mut out = SaidWords::default();
        layout_of(&format!("<p class=\"{class}\">Text"), |facts| {
            let p = facts.dom.descendants(NodeId::ROOT).find(|n| facts.dom.tag(*n) == maintext_page::dom::Tag::P);
            out = p.map(|p| Classes::default().of(facts.dom, p)).unwrap_or_default();
        });
        out
    }

    #[test]
    fn words_say_what_a_price_is() {
        assert!(says("product-price").any(SaidWords::PRICE) && says("product-price").any(SaidWords::MAIN));
        assert!(says("oldPrice").any(SaidWords::PRICE) && says("oldPrice").any(SaidWords::STRUCK));
        assert!(says("price-per-unit").is_aside() && !says("current-price-per-unit").is_aside());
        assert_eq!(says("sale-price unit").kinds().collect::<Vec<_>>(), ["now/up"]);
        assert_eq!(says("text"), SaidWords::default());
    }

    #[test]
    fn all_words_are_within_the_limit() {
        assert!(TABLE.keys().all(|word| word.len() <= MAX_WORD));
    }
}
