//! Prices in texts.
use maintext_page::lexicon::lexicon;
use std::borrow::Cow;
use std::ops::Range;

/// Currency signs and codes used in prices.
const CURRENCIES: &[&str] = lexicon!("currencies.txt");
/// Currencies that only follow numbers: before one, the word means "law" or "she".
const AFTER_NUMBERS: [&str; 2] = ["lei", "Lei"];
/// The bytes with which currencies begin and end.
const CURRENCY_STARTS: [bool; 256] = bytes_at_edge(CURRENCIES, false);
const CURRENCY_ENDS: [bool; 256] = bytes_at_edge(CURRENCIES, true);
/// Words before a price that is no longer asked, in lower case.
const OLD_PRICE_LABELS: &[&str] = lexicon!("old-price-labels.txt");
/// Maximum number of prices of a record that are compared.
const MAX_PRICES: usize = 8;
/// Badges, buttons and price labels on shop cards, in lower case without punctuation at the ends.
pub(super) const BADGES: &[&str] = lexicon!("entry-badges.txt");
/// Words before a reduction, in lower case.
const REDUCTIONS: &[&str] = lexicon!("reduction-labels.txt");
/// Words for nothing to pay, in lower case.
const FREE: &[&str] = lexicon!("free-of-charge.txt");
/// Letters and words after thousands and millions, in lower case.
const LARGE_NUMBERS: &[&str] = lexicon!("large-numbers.txt");
/// Maximum number of letters of those that must touch their number: "$5 m" may be a length.
const MAX_LETTERS_OF_FACTOR: usize = 3;
/// Maximum number of characters of a label before a price.
const MAX_LABEL_CHARS: usize = 20;
/// Minimum number of bytes of a text that is longer than all labels of prices, with signs at its ends.
const MAX_LABEL_BYTES: usize = 200;
/// Maximum number of letters between two prices of one offer: a currency, a unit.
const MAX_LETTERS_OF_UNIT: usize = 3;
/// Maximum number of letters of a line that is nothing but prices, besides these.
const MAX_LETTERS_BESIDE: usize = 6;
/// Maximum number of words of a text with a price: longer texts speak of money.
const MAX_PRICE_WORDS: usize = 24;
/// Maximum number of words of a text that is a price and its label.
const MAX_WORDS_BESIDE: usize = 8;
/// Minimum share of the price before at which a lower price after it is the one to pay, not a rate.
const MIN_REDUCED_SHARE: f64 = 0.2;

/// Returns the bytes with which words begin, or end: most places in a text are excluded by one look-up.
pub(super) const fn bytes_at_edge(words: &[&str], last: bool) -> [bool; 256] {
    let (mut out, mut i) = ([false; 256], 0);
    while i < words.len() {
        let word = words[i].as_bytes();
        out[word[if last { word.len() - 1 } else { 0 }] as usize] = true;
        i += 1;
    }
    out
}

/// Returns the number of a price as written, without its separators of thousands.
pub(super) fn amount(price: &str) -> f64 {
    let number = price.trim_matches(|c: char| !c.is_ascii_digit());
    // Two digits after the last separator are cents.
    let cents = number.rfind(['.', ',']).filter(|at| number.len() - at <= 3);
    let whole = digits(&number[..cents.unwrap_or(number.len())]);
    let rest = cents.map_or(String::new(), |at| digits(&number[at..]));
    format!("{whole}.{rest}0").parse().unwrap_or(0.0)
}

fn digits(s: &str) -> String {
    s.chars().filter(char::is_ascii_digit).collect::<String>()
}

/// Returns the first number with a currency beside it, as written.
pub(super) fn price_in(text: &str) -> Option<&str> {
    prices_in(text).first().map(|p| &text[p.range.clone()])
}

/// Whether a text is nothing but prices, with a short label or unit: "79,00 € 64,00 €", "Price: $129.00".
pub fn is_prices(text: &str) -> bool {
    let found = prices_in(text);
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    let own: usize = found.iter().map(|p| letters(&text[p.range.clone()])).sum();
    !found.is_empty() && letters(text) <= own + MAX_LETTERS_BESIDE
}

/// Returns the end of the number that begins at `start`, with groups of three digits after spaces: "1 299,00".
fn number_end(text: &str, start: usize) -> usize {
    let mut end = run_end(text, start);
    while end - start <= 3 || text[start..end].contains([' ', '\u{a0}', '\u{202f}']) {
        let Some(space) = text[end..].chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}')) else {
            break;
        };
        let group = end + space.len_utf8();
        let digits = text[group..].bytes().take_while(u8::is_ascii_digit).count();
        if digits != 3 {
            break;
        }
        end = run_end(text, group);
    }
    start + text[start..end].trim_end_matches(['.', ',', '\'']).len()
}

fn run_end(text: &str, from: usize) -> usize {
    text[from..].find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '\'')).map_or(text.len(), |i| from + i)
}

/// The part that a number with a currency has in its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PricePart {
    /// A price.
    Price,
    /// A price that the words before it call the original one.
    Old,
    /// A reduction: "You save $20", "-20 €".
    Reduction,
}

/// A number with a currency.
pub(super) struct FoundPrice {
    /// Its bytes.
    pub range: Range<usize>,
    pub part: PricePart,
}

/// Returns whether a text that follows a number makes it a count of thousands or millions: salaries and budgets are not prices.
fn counts_thousands(after: &str) -> bool {
    let word = after.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or("").to_lowercase();
    let glued = after.starts_with(char::is_alphabetic);
    LARGE_NUMBERS.contains(&word.as_str()) && (glued || word.len() > MAX_LETTERS_OF_FACTOR)
}

/// Returns the currency that ends a text, as one of a price. Letters form a word of their own. A single letter touches the number and follows
/// nothing but a label: "from R90", unlike "Lens R90".
fn sign_before(text: &str) -> Option<&'static str> {
    let before = text.trim_end();
    if !CURRENCY_ENDS[usize::from(*before.as_bytes().last()?)] {
        return None;
    }
    let mut signs = CURRENCIES.iter().copied().filter(|sign| before.ends_with(*sign) && !AFTER_NUMBERS.contains(sign));
    signs.find(|sign| {
        let label = &before[..before.len() - sign.len()];
        !sign.starts_with(char::is_alphabetic)
            || !label.ends_with(char::is_alphanumeric)
                && (sign.len() > 1
                    || before.len() == text.len()
                        && (label.trim().is_empty() || BADGES.contains(&label.trim().to_lowercase().as_str())))
    })
}

/// Returns the currency that begins a text. Letters form a word of their own.
fn sign_after(text: &str) -> Option<&'static str> {
    if !CURRENCY_STARTS[usize::from(*text.as_bytes().first()?)] {
        return None;
    }
    CURRENCIES
        .iter()
        .filter(|s| text.starts_with(**s))
        .find(|s| !is_letter(s.chars().next()) || s.len() > 1 && !is_letter(text[s.len()..].chars().next()))
        .copied()
}

fn is_letter(c: Option<char>) -> bool {
    c.is_some_and(char::is_alphabetic)
}

/// Returns the numbers with a currency.
pub(super) fn prices_in(text: &str) -> Vec<FoundPrice> {
    let (mut from, mut found, mut taken) = (0, Vec::new(), 0);
    while let Some(at) = text.as_bytes()[from..].iter().position(u8::is_ascii_digit) {
        let start = from + at;
        let end = number_end(text, start);
        // The sign of the price before it is not its own.
        let before = &text[taken..start];
        let after = text[end..].trim_start();
        let is_own_word = !text[..start].ends_with(char::is_alphabetic);
        let range = if let Some(sign) = sign_before(before) {
            Some(taken + before.trim_end().len() - sign.len()..end)
        } else if is_own_word && let Some(sign) = sign_after(after) {
            Some(start..text.len() - after.len() + sign.len())
        } else {
            None
        };
        let range = range.filter(|r| !counts_thousands(&text[r.end..]));
        from = range.as_ref().map_or(end, |r| r.end).max(start + 1);
        if let Some(range) = range {
            let part = part(&text[..range.start], &text[taken..range.start], &text[range.end..]);
            taken = range.end;
            found.push(FoundPrice { range, part });
        }
        if found.len() == MAX_PRICES {
            break;
        }
    }
    found
}

/// Returns the part that a price plays, judged by the text after it and the text before it, back to the previous price.
fn part(all: &str, before: &str, after: &str) -> PricePart {
    let label = all.trim_end_matches([' ', ':', '\u{a0}', '(']);
    let words = label.char_indices().rev().nth(MAX_LABEL_CHARS).map_or(label, |(i, _)| &label[i..]).to_lowercase();
    // A dash after another price joins a range.
    let is_joined = before.len() < all.len() && !before.contains(char::is_alphanumeric);
    let is_negative = before.ends_with(['-', '\u{2212}', '\u{2013}']) && !is_joined;
    let next = after.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or("");
    match () {
        () if is_negative || REDUCTIONS.iter().any(|w| words.ends_with(w)) || next.eq_ignore_ascii_case("off") => {
            PricePart::Reduction
        }
        () if OLD_PRICE_LABELS.iter().any(|w| words.ends_with(w)) => PricePart::Old,
        () => PricePart::Price,
    }
}

/// The price of an entry.
pub(super) struct Price {
    /// As written.
    pub text: String,
    /// Whether it is among many other words, so that the text may be about money.
    pub is_mentioned: bool,
}

/// Returns the price to pay of an entry with these texts: the first one, or the reduced one next to it. A price in `struck`, or with a
/// label such as "was", is taken only if there is no other. A price after words of its own belongs to another offer: "With subscription
/// $8".
pub(super) fn to_pay<'t>(
    texts: impl Iterator<Item = Cow<'t, str>>,
    struck: impl FnOnce() -> Vec<String>,
) -> Option<Price> {
    let (mut prices, mut free): (Vec<(Price, PricePart, bool)>, Option<Price>) = (Vec::new(), None);
    // Whether words other than labels of prices precede the text after the last price.
    let mut is_apart = false;
    for text in texts {
        let count = text.split_whitespace().take(MAX_PRICE_WORDS + 1).count();
        let found = if count <= MAX_PRICE_WORDS { prices_in(&text) } else { Vec::new() };
        let mut at = 0;
        for (k, p) in found.iter().enumerate() {
            is_apart =
                is_apart || k > 0 && found[k - 1].part == PricePart::Reduction || names_offer(&text[at..p.range.start]);
            at = p.range.end;
            if prices.len() < MAX_PRICES {
                let price = Price { text: text[p.range.clone()].to_owned(), is_mentioned: count > MAX_WORDS_BESIDE };
                prices.push((price, p.part, is_apart));
                is_apart = false;
            }
        }
        is_apart = is_apart || names_offer(&text[at..]);
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
        if free.is_none() && count <= 2 && FREE.contains(&bare.to_lowercase().as_str()) {
            free = Some(Price { text: bare.to_owned(), is_mentioned: false });
        }
    }
    prices.retain(|p| p.1 != PricePart::Reduction);
    if prices.len() > 1 {
        let struck = struck();
        prices.iter_mut().filter(|p| struck.contains(&p.0.text)).for_each(|p| p.1 = PricePart::Old);
    }
    if prices.iter().any(|p| p.1 == PricePart::Price) {
        prices.retain(|p| p.1 == PricePart::Price);
    }
    let mut prices = prices.into_iter();
    let Some((first, ..)) = prices.next() else { return free };
    Some(prices.next().filter(|p| is_reduced(&first, p)).map_or(first, |p| p.0))
}

fn is_reduced(first: &Price, p: &(Price, PricePart, bool)) -> bool {
    let (before, after) = (amount(&first.text), amount(&p.0.text));
    !p.2 && after < before && after >= MIN_REDUCED_SHARE * before
}

/// Returns whether a text has words that are neither labels of prices nor currencies.
fn names_offer(text: &str) -> bool {
    if text.len() > MAX_LABEL_BYTES && text.chars().filter(|c| c.is_alphabetic()).nth(MAX_LETTERS_OF_UNIT).is_some() {
        return true;
    }
    let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters > MAX_LETTERS_OF_UNIT && !BADGES.contains(&text.as_str()) && !OLD_PRICE_LABELS.contains(&text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(texts: &[&str]) -> Option<String> {
        to_pay(texts.iter().map(|s| Cow::Borrowed(*s)), Vec::new).map(|p| p.text)
    }

    #[test]
    fn prices_are_read_as_written() {
        assert_eq!(price_in("Now only $1,299.00, was more"), Some("$1,299.00"));
        assert_eq!(price_in("12 pieces, 19,90 \u{20ac} each"), Some("19,90 \u{20ac}"));
        assert_eq!(price_in("\u{ffe5}88\u{8d77}"), Some("\u{ffe5}88"));
        assert_eq!(price_in("3 krakens in 2024"), None);
        assert_eq!(price_in("no number"), None);
        assert_eq!(price_in("od 1 299,00 z\u{142}"), Some("1 299,00 z\u{142}"));
        assert_eq!(price_in("2 100 ml bottles"), None);
        assert_eq!((amount("$1,299.00"), amount("19,9 \u{20ac}"), amount("1.299 kr")), (1299.0, 19.9, 1299.0));
        assert_eq!((price_in("from R450"), price_in("Tripod R450"), price_in("OR 450")), (Some("R450"), None, None));
        assert_eq!((price_in("17,50 lei"), price_in("Lei 107"), price_in("VM4RM")), (Some("17,50 lei"), None, None));
    }

    #[test]
    fn the_price_to_pay_is_the_reduced_one() {
        assert_eq!(price(&["Original price was: $30.00.$21.00"]).as_deref(), Some("$21.00"));
        assert_eq!(price(&["Was: $30.00", "Now", "$21.00"]).as_deref(), Some("$21.00"));
        assert_eq!(price(&["Special price $151.00 You save $48.00 Regular price $199.00"]).as_deref(), Some("$151.00"));
        assert_eq!(price(&["120,00 \u{20ac} 160,00 \u{20ac}", "-40,00 \u{20ac}"]).as_deref(), Some("120,00 \u{20ac}"));
        assert_eq!(price(&["\u{20ac}12", "\u{20ac}15 off"]).as_deref(), Some("\u{20ac}12"));
    }

    #[test]
    fn prices_of_other_offers_are_left_out() {
        assert_eq!(price(&["$40.00", "With a yearly plan", "$32.00"]).as_deref(), Some("$40.00"));
        assert_eq!(price(&["5 bulbs 13.50 CHF", "from 3 bags 10.50 CHF / bag"]).as_deref(), Some("13.50 CHF"));
        assert_eq!(price(&["$40.00", "Sale price", "$32.00"]).as_deref(), Some("$32.00"));
    }

    #[test]
    fn nothing_to_pay_is_a_price_and_a_budget_is_not() {
        assert_eq!(price(&["Price", "$1,850 - $2,050"]).as_deref(), Some("$1,850"));
        assert_eq!(price(&["Price", "Free*", "8 weeks"]).as_deref(), Some("Free"));
        assert_eq!(price(&["Free", "then $5"]).as_deref(), Some("$5"));
        for none in ["\u{20ac}90k - 110k", "A fund of $2.5bn", "It cost $457 million", "Free the whales"] {
            assert_eq!(price(&[none]), None, "{none}");
        }
    }
}
