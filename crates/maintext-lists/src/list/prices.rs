//! Prices in texts.
use maintext_page::lexicon::lexicon;

/// Currency signs and codes used in prices.
const CURRENCIES: &[&str] = lexicon!("currencies.txt");
/// Words before a price that is no longer asked, in lower case.
const OLD_PRICE_LABELS: &[&str] = lexicon!("old-price-labels.txt");
/// Maximum number of prices of a record that are compared.
pub(super) const MAX_PRICES: usize = 8;

/// Returns the number of a price as written, without its separators of thousands.
pub(super) fn amount(price: &str) -> f64 {
    let number = price.trim_matches(|c: char| !c.is_ascii_digit());
    // Two digits after the last separator are cents.
    let cents = number.rfind(['.', ',']).filter(|at| number.len() - at <= 3);
    let digits = |s: &str| s.chars().filter(char::is_ascii_digit).collect::<String>();
    let whole = digits(&number[..cents.unwrap_or(number.len())]);
    let rest = cents.map_or(String::new(), |at| digits(&number[at..]));
    format!("{whole}.{rest}0").parse().unwrap_or(0.0)
}

/// Returns the first number with a currency beside it, as written.
pub(super) fn price_in(text: &str) -> Option<String> {
    prices_in(text).into_iter().next().map(|p| p.0)
}

/// Returns the end of the number that begins at `start`, with groups of three digits after spaces: "1 299,00".
fn number_end(text: &str, start: usize) -> usize {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'');
    let run = |from: usize| text[from..].find(|c: char| !is_part(c)).map_or(text.len(), |i| from + i);
    let mut end = run(start);
    while end - start <= 3 || text[start..end].contains([' ', '\u{a0}', '\u{202f}']) {
        let Some(space) = text[end..].chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}')) else {
            break;
        };
        let group = end + space.len_utf8();
        let digits = text[group..].bytes().take_while(u8::is_ascii_digit).count();
        if digits != 3 {
            break;
        }
        end = run(group);
    }
    start + text[start..end].trim_end_matches(['.', ',', '\'']).len()
}

/// Returns the numbers with a currency beside them, as written, and whether the words before each call it the price of before.
pub(super) fn prices_in(text: &str) -> Vec<(String, bool)> {
    let (mut from, mut found, mut taken) = (0, Vec::new(), 0);
    while let Some(at) = text[from..].find(|c: char| c.is_ascii_digit()) {
        let start = from + at;
        let end = number_end(text, start);
        // The sign of the price before it is not its own.
        let before = text[taken..start].trim_end();
        let after = text[end..].trim_start();
        let word = |c: Option<char>| c.is_some_and(char::is_alphabetic);
        // Nearly every number has no currency beside it.
        let near = |c: Option<char>, of: fn(&str) -> Option<char>| c.is_some() && CURRENCIES.iter().any(|s| of(s) == c);
        let sign_before = near(before.chars().next_back(), |s| s.chars().next_back())
            .then(|| CURRENCIES.iter().find(|s| before.ends_with(**s)))
            .flatten();
        let follows = |s: &&&str| {
            after.starts_with(**s) && !word(after[s.len()..].chars().next().filter(|_| word(s.chars().next())))
        };
        let sign_after =
            near(after.chars().next(), |s| s.chars().next()).then(|| CURRENCIES.iter().find(follows)).flatten();
        let range = match (sign_before, sign_after) {
            (Some(sign), _) => Some((taken + before.len() - sign.len(), end)),
            (None, Some(sign)) => Some((start, text.len() - after.len() + sign.len())),
            (None, None) => None,
        };
        from = range.map_or(end, |r| r.1).max(start + 1);
        if let Some((first, last)) = range {
            taken = last;
            let label = text[..first].trim_end_matches([' ', ':', '\u{a0}', '(']);
            let words = label.char_indices().rev().nth(20).map_or(label, |(i, _)| &label[i..]).to_lowercase();
            found.push((text[first..last].to_owned(), OLD_PRICE_LABELS.iter().any(|w| words.ends_with(w))));
        }
        if found.len() == MAX_PRICES {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_as_written() {
        assert_eq!(price_in("Now only $1,299.00, was more").as_deref(), Some("$1,299.00"));
        assert_eq!(price_in("12 pieces, 19,90 \u{20ac} each").as_deref(), Some("19,90 \u{20ac}"));
        assert_eq!(price_in("\u{ffe5}88\u{8d77}").as_deref(), Some("\u{ffe5}88"));
        assert_eq!(price_in("3 krakens in 2024"), None);
        assert_eq!(price_in("no number"), None);
        assert_eq!(price_in("od 1 299,00 z\u{142}").as_deref(), Some("1 299,00 z\u{142}"));
        assert_eq!(price_in("2 100 ml bottles"), None);
        let both = prices_in("Original price was: $30.00.$21.00");
        assert_eq!(both, [("$30.00".to_owned(), true), ("$21.00".to_owned(), false)]);
        assert_eq!((amount("$1,299.00"), amount("19,9 \u{20ac}"), amount("1.299 kr")), (1299.0, 19.9, 1299.0));
    }
}
