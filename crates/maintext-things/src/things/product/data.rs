//! The data of scripts: values of keys that shops use, found without running or parsing the scripts.
use super::ProductSlot;
use maintext_facts::metadata::ranking::rank::FastMap;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Maximum number of bytes of scripts that are read.
const MAX_BYTES: usize = 6 << 20;
/// Maximum number of statements that are read.
const MAX_FOUND: usize = 4_000;
/// Maximum lengths of a key and of a value, in bytes.
const MAX_KEY: usize = 48;
const MAX_VALUE: usize = 120;
/// Maximum number of bytes between a key and the amount inside its object.
const MAX_BYTES_TO_AMOUNT: usize = 200;

/// A value in a script.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub slot: ProductSlot,
    /// The key in its short form: `saleprice`.
    pub key: &'static str,
    pub value: String,
    /// Index of the script, and the place in its text.
    pub script: usize,
    pub at: usize,
}

const KEYS: &[(ProductSlot, &[&str])] = &[
    (ProductSlot::Price, lexicon!("script-keys-price.txt")),
    (ProductSlot::ListPrice, lexicon!("script-keys-list-price.txt")),
    (ProductSlot::Currency, lexicon!("script-keys-currency.txt")),
    (ProductSlot::Availability, lexicon!("script-keys-availability.txt")),
    (ProductSlot::Brand, lexicon!("script-keys-brand.txt")),
    (ProductSlot::Sku, lexicon!("script-keys-sku.txt")),
    (ProductSlot::Mpn, lexicon!("script-keys-mpn.txt")),
    (ProductSlot::Sells, lexicon!("script-keys-page-kind.txt")),
    (ProductSlot::Gtin, lexicon!("script-keys-gtin.txt")),
];

/// The keys by their short form; the last slot of a key counts.
static TABLE: LazyLock<FastMap<&[u8], (ProductSlot, &str)>> = LazyLock::new(|| {
    let keys = KEYS.iter().flat_map(|(slot, keys)| keys.iter().map(|key| (*slot, *key)));
    keys.map(|(slot, key)| (key.as_bytes(), (slot, key))).collect()
});

/// Returns the number of a letter, in any case, or a digit: 0 to 35.
#[inline]
fn code(b: u8) -> Option<usize> {
    match b | 0x20 {
        l @ b'a'..=b'z' => Some(usize::from(l - b'a')),
        _ if b.is_ascii_digit() => Some(26 + usize::from(b - b'0')),
        _ => None,
    }
}

/// The last two characters of known keys, by which most other keys are passed over before their beginnings are searched for.
struct Ends([u64; 36]);

static ENDS: LazyLock<Ends> = LazyLock::new(|| {
    let mut ends = Ends([0; 36]);
    for key in KEYS.iter().flat_map(|k| k.1).chain(&PARTS) {
        let short: Vec<usize> = key.bytes().filter_map(code).collect();
        if let [.., before, last] = short[..] {
            ends.0[last] |= 1 << before;
        }
    }
    ends
});

impl Ends {
    /// Whether a key may end with two bytes. Other characters than letters and digits do not count.
    #[inline]
    fn allow(&self, before: u8, last: u8) -> bool {
        match (code(before), code(last)) {
            (Some(before), Some(last)) => self.0[last] >> before & 1 == 1,
            _ => true,
        }
    }
}

/// Keys that only count as the amount of the object around them.
const PARTS: [&str; 4] = ["value", "amount", "current", "name"];

fn is_part(key: &str) -> bool {
    let first = key.as_bytes()[0].to_ascii_lowercase();
    PARTS.iter().any(|p| p.len() == key.len() && p.as_bytes()[0] == first && key.eq_ignore_ascii_case(p))
}

/// Returns the slot of a key as written, and its short form.
pub(super) fn known(key: &str) -> Option<(ProductSlot, &'static str)> {
    if !(2..=MAX_KEY).contains(&key.len()) {
        return None;
    }
    let mut short = [0; MAX_KEY];
    let mut length = 0;
    for b in key.bytes().filter(u8::is_ascii_alphanumeric) {
        short[length] = b.to_ascii_lowercase();
        length += 1;
    }
    TABLE.get(&short[..length]).copied()
}

/// Returns the texts of the scripts that hold data, within the limits.
pub(super) fn texts<'a>(facts: &'a Facts<'_>) -> Vec<&'a str> {
    let mut left = MAX_BYTES;
    let mut out = Vec::new();
    for &script in &facts.scripts {
        for n in facts.dom.children(script) {
            let text = facts.dom.text(n);
            if text.len() > left {
                return out;
            }
            left -= text.len();
            out.push(text);
        }
    }
    out
}

/// Finds the values of known keys in scripts.
pub(super) fn find(texts: &[&str]) -> Vec<Stated> {
    let mut out = Vec::new();
    let ends = &*ENDS;
    for (script, text) in texts.iter().enumerate() {
        // The last key whose value is an object: `"price": {"value": 1}`.
        let mut open: Option<(ProductSlot, &'static str, usize)> = None;
        for at in memchr::memchr2_iter(b':', b'=', text.as_bytes()) {
            if out.len() >= MAX_FOUND {
                return out;
            }
            let Some(key) = key_before(text, at, ends) else { continue };
            let is_part = is_part(key);
            let Some((mut slot, mut key)) = (if is_part { Some((ProductSlot::Price, "")) } else { known(key) }) else {
                continue;
            };
            let after = skip_space(text, at + 1);
            if is_part {
                let Some((around, name, _)) = open.filter(|o| at - o.2 < MAX_BYTES_TO_AMOUNT) else { continue };
                (slot, key) = (around, name);
            }
            let bytes = text.as_bytes();
            if bytes.get(after) == Some(&b'{') || bytes.get(after) == Some(&b'[') {
                open = (!is_part).then_some((slot, key, after));
                continue;
            }
            if let Some(value) = value(text, after) {
                if is_part {
                    open = None;
                }
                out.push(Stated { slot, key, value, script, at });
            }
        }
    }
    out
}

fn skip_space(text: &str, from: usize) -> usize {
    from + text.as_bytes()[from..].iter().take(8).take_while(|b| b.is_ascii_whitespace()).count()
}

/// The bytes of a key: letters, digits, `_` and `-`.
const IN_KEY: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = (b as u8).is_ascii_alphanumeric() || matches!(b as u8, b'_' | b'-');
        b += 1;
    }
    table
};

/// Returns the key that ends before a colon or an equals sign, if it may be a known one.
fn key_before<'a>(text: &'a str, at: usize, ends: &Ends) -> Option<&'a str> {
    let bytes = text.as_bytes();
    if bytes[at] == b'=' && matches!(bytes.get(at + 1), Some(b'=' | b'>')) {
        return None;
    }
    let mut end = at;
    while end > 0 && at - end < 4 && matches!(bytes[end - 1], b' ' | b'"' | b'\'' | b'\\') {
        end -= 1;
    }
    if end < 2 || !ends.allow(bytes[end - 2], bytes[end - 1]) {
        return None;
    }
    let before = &bytes[end.saturating_sub(MAX_KEY + 1)..end];
    let length = before.len() - before.iter().rposition(|b| !IN_KEY[usize::from(*b)]).map_or(0, |i| i + 1);
    (2..=MAX_KEY).contains(&length).then(|| &text[end - length..end])
}

/// Returns the text or number at a place.
fn value(text: &str, from: usize) -> Option<String> {
    let bytes = text.as_bytes();
    let mut from = from;
    if bytes.get(from) == Some(&b'\\') {
        from += 1;
    }
    let first = *bytes.get(from)?;
    let raw = match first {
        b'"' | b'\'' => {
            let rest = bytes.get(from + 1..)?;
            let length = rest.iter().take(MAX_VALUE).position(|b| *b == first || *b == b'\n')?;
            let end = from + 1 + length;
            text.get(from + 1..end)?.trim_end_matches('\\')
        }
        b'0'..=b'9' | b't' | b'f' => {
            let length = bytes[from..].iter().take(40).take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count();
            text.get(from..from + length)?
        }
        _ => return None,
    };
    let raw = raw.trim();
    if raw.is_empty() || raw.contains(['<', '{', '+', '(']) {
        return None;
    }
    Some(if raw.contains("\\u") || raw.contains("\\/") { unescape(raw) } else { raw.to_owned() })
}

/// Resolves the escapes of a short JSON text.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = rest[at + 1..].trim_start_matches('\\');
        if let Some(hex) = rest.strip_prefix('u').and_then(|r| r.get(..4)) {
            out.extend(u32::from_str_radix(hex, 16).ok().and_then(char::from_u32));
            rest = &rest[5..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(&'static str, String)> {
        find(&[text]).into_iter().map(|s| (s.key, s.value)).collect()
    }

    #[test]
    fn values_of_common_forms() {
        assert_eq!(
            all(r#"dataLayer.push({"price": "19.90", 'currency':'EUR', brand : "A\u0026B"})"#),
            [("price", "19.90".to_owned()), ("currency", "EUR".to_owned()), ("brand", "A&B".to_owned())]
        );
        assert_eq!(
            all(r#"{"sale_price":{"currency":"USD","value":12.5}}"#),
            [("currency", "USD".to_owned()), ("saleprice", "12.5".to_owned())]
        );
        assert_eq!(
            all(r#"push([1,"{\"price\":\"7\",\"inStock\":true}"])"#),
            [("price", "7".to_owned()), ("instock", "true".to_owned())]
        );
        assert_eq!(all("var product_price = 12.5;"), [("productprice", "12.5".to_owned())]);
        assert_eq!(all("if (price == 3 || price > 1) { x = '<b>' + price + '</b>' }"), []);
    }

    #[test]
    fn long_scripts_end() {
        assert_eq!(find(&[&"\"price\":1,".repeat(100_000)]).len(), MAX_FOUND);
        assert_eq!(all(&":=".repeat(100_000)), []);
        assert_eq!(all(&format!("\"price\":\"{}\"", "9".repeat(10_000))), []);
        assert_eq!(all("\"price\":\"\u{e9}"), []);
    }
}
