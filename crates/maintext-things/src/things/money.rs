//! Numbers and currencies of all locales.
use maintext_page::hash::HashMap;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Maximum number of digits of a number.
const MAX_DIGITS: usize = 15;

/// Codes of currencies, each with signs and names.
const CURRENCIES: &[&str] = lexicon!("currency-names.txt");

/// Returns a number as a decimal text with a point: `1.299,00` is `1299.00`. Words and signs around it are ignored; `None` if the text
/// holds no number, or more than one.
pub fn number(text: &str) -> Option<String> {
    let text = text.trim();
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}'))
        .unwrap_or(rest.len());
    let run = rest[..end].trim_end_matches(|c: char| !c.is_ascii_digit());
    if rest[end..].contains(|c: char| c.is_ascii_digit()) || run.len() > 3 * MAX_DIGITS {
        return None;
    }
    let negative = text[..start].ends_with(['-', '−']);
    if run.len() <= MAX_DIGITS && !negative && run.bytes().all(|b| b.is_ascii_digit()) {
        let whole = run.trim_start_matches('0');
        return Some(if whole.is_empty() { "0" } else { whole }.to_owned());
    }
    let marks: Vec<(usize, char)> = run.char_indices().filter(|(_, c)| !c.is_ascii_digit()).collect();
    let last = marks.last();
    // The last mark is a decimal one if it occurs once and not before a group of three digits, unless another mark divides groups.
    let decimal = last.filter(|(at, c)| {
        let after = run.len() - at - c.len_utf8();
        let once = marks.iter().filter(|m| m.1 == *c).count() == 1;
        let others = marks.iter().any(|m| m.1 != *c);
        matches!(c, '.' | ',') && once && (after != 3 || others || run.starts_with("0"))
    });
    let (whole, fraction) = decimal.map_or((run, ""), |(at, c)| (&run[..*at], &run[at + c.len_utf8()..]));
    let (whole, fraction) = (digits(whole), digits(fraction));
    if whole.len() + fraction.len() > MAX_DIGITS {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let sign = if negative { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{}{point}{fraction}", if whole.is_empty() { "0" } else { whole }))
}

fn digits(s: &str) -> String {
    s.chars().filter(char::is_ascii_digit).collect::<String>()
}

/// Returns the code of a currency: of its code, sign or name.
pub(super) fn currency(text: &str) -> Option<&'static str> {
    TABLE.get(&text.trim().to_lowercase()[..]).copied()
}

/// Returns the signs and names of currencies in lower case, and their codes as written, each with its code.
pub(super) fn currencies() -> impl Iterator<Item = (&'static str, &'static str)> {
    named(CURRENCIES).chain(CODES.split(' ').map(|code| (code, code)))
}

/// Returns the signs and names of a list with their codes.
pub(super) fn named(list: &'static [&'static str]) -> impl Iterator<Item = (&'static str, &'static str)> {
    list.iter()
        .filter_map(|line| line.split_once(' '))
        .flat_map(|(code, names)| names.split(' ').map(move |n| (n, code)))
}

/// The codes by signs, names and codes in lower case; the first entry of a sign counts.
static TABLE: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut table = HashMap::default();
    for (sign, code) in currencies() {
        table.entry(sign.to_ascii_lowercase()).or_insert(code);
    }
    table
});

/// The codes of ISO 4217 in use.
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP \
    CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD \
    JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN \
    NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB \
    TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG";

#[cfg(test)]
mod tests {
    use super::{currency, number};

    #[test]
    fn numbers_of_all_locales() {
        let cases = [
            ("19.90", "19.90"),
            ("19,90 €", "19.90"),
            ("$1,299.00", "1299.00"),
            ("1.299,00", "1299.00"),
            ("1 299,50 zł", "1299.50"),
            ("1'299.95", "1299.95"),
            ("1.299", "1299"),
            ("12.999.000 ₫", "12999000"),
            ("0.125", "0.125"),
            ("1,299", "1299"),
            ("4.5", "4.5"),
            ("-3.70", "-3.70"),
            ("007", "7"),
            ("1,23,456.00", "123456.00"),
            ("19.-", "19"),
            ("52.5200066", "52.5200066"),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "free", "10 - 20", "1234567890123456", "3 for $5"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(number(&"9".repeat(10_000)), None);
    }

    #[test]
    fn currencies_by_sign_and_code() {
        for (text, code) in
            [("€", "EUR"), (" usd", "USD"), ("Kč", "CZK"), ("PLN", "PLN"), ("R$", "BRL"), ("xof", "XOF")]
        {
            assert_eq!(currency(text), Some(code), "{text}");
        }
        assert_eq!(currency("apples"), None);
        assert_eq!(currency(""), None);
    }
}
