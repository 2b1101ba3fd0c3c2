//! The terms of an answer with the status 402: price and licence, if the server states them.
//!
//! Prices are in the header `crawler-price`, in the header `PAYMENT-REQUIRED` (x402, version 2: JSON in base64), or in a JSON body (x402, version
//! 1). The licence is a `Link` with the relation `license`, as in Really Simple Licensing.
use crate::link;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::Value;
use url::Url;

/// Maximum size of a body that is read for its price.
pub(crate) const MAX_BODY: usize = 64 * 1024;
/// Maximum number of prices that are listed, and of characters of a text from the server.
const MAX_PRICES: usize = 3;
const MAX_CHARACTERS: usize = 200;

/// Returns the price and the address of the licence.
pub(crate) fn terms(url: &Url, headers: &[(String, String)], body: &[u8]) -> (Option<String>, Option<String>) {
    let price = header(headers, "crawler-price")
        .filter(|price| !price.is_empty())
        .map(short)
        .or_else(|| price_in_header(headers))
        .or_else(|| prices(body));
    let license = link::links(url.as_str(), headers).into_iter().find(|l| l.has("license")).map(|l| l.url);
    (price, license)
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.trim())
}

fn price_in_header(headers: &[(String, String)]) -> Option<String> {
    let text = header(headers, "payment-required").filter(|text| text.len() <= MAX_BODY)?;
    let bytes = STANDARD.decode(text).or_else(|_| URL_SAFE_NO_PAD.decode(text.trim_end_matches('='))).ok()?;
    prices(&bytes)
}

/// Returns the prices in the JSON of x402, as a text: `10000 units of USDC on base`.
fn prices(json: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(json).ok()?;
    let offers = value.get("accepts")?.as_array()?;
    let prices: Vec<String> = offers.iter().filter_map(price).take(MAX_PRICES).collect();
    (!prices.is_empty()).then(|| prices.join(", or "))
}

fn price(offer: &Value) -> Option<String> {
    let amount = short_text(offer.get("amount").or(offer.get("maxAmountRequired")))?;
    let asset = short_text(offer.get("extra").and_then(|e| e.get("name"))).or(short_text(offer.get("asset")));
    let mut price = match asset {
        Some(asset) => format!("{amount} units of {asset}"),
        None => format!("{amount} units"),
    };
    if let Some(network) = short_text(offer.get("network")) {
        price += &format!(" on {network}");
    }
    Some(price)
}

fn short(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_CHARACTERS).collect()
}

fn short_text(value: Option<&Value>) -> Option<String> {
    match value {
        Some(Value::String(text)) => Some(short(text)),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&str, &str)], body: &str) -> (Option<String>, Option<String>) {
        let headers: Vec<_> = headers.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        terms(&Url::parse("https://e.org/a").unwrap(), &headers, body.as_bytes())
    }

    #[test]
    fn prices_are_read_from_headers_and_bodies() {
        let body = r#"{"x402Version": 1, "error": "X-PAYMENT header is required", "accepts": [
            {"scheme": "exact", "network": "base", "maxAmountRequired": "10000", "asset": "0x83", "extra": {"name": "USDC"}},
            {"scheme": "exact", "network": "solana", "maxAmountRequired": 20000, "asset": "EPj"}, {"scheme": "exact"}]}"#;
        let price = "10000 units of USDC on base, or 20000 units of EPj on solana";
        assert_eq!(of(&[], body).0.as_deref(), Some(price));
        let coded = STANDARD.encode(r#"{"x402Version": 2, "accepts": [{"amount": "5", "network": "eip155:8453"}]}"#);
        assert_eq!(of(&[("payment-required", &coded)], body).0.as_deref(), Some("5 units on eip155:8453"));
        let headers = [("crawler-price", " USD 0.01 "), ("payment-required", coded.as_str())];
        assert_eq!(of(&headers, body).0.as_deref(), Some("USD 0.01"));
        let link = "</license.xml>; rel=\"license\"; type=\"application/rsl+xml\"";
        assert_eq!(of(&[("link", link)], "").1.as_deref(), Some("https://e.org/license.xml"));
    }

    #[test]
    fn what_is_no_price_is_none() {
        let deep = "[".repeat(60_000);
        for body in ["", "<p>Pay!", "{}", r#"{"accepts": 1}"#, r#"{"accepts": [{"amount": {}}, 1, null]}"#, &deep] {
            assert_eq!(of(&[("payment-required", "?"), ("crawler-price", "")], body), (None, None));
        }
        assert!(of(&[("crawler-price", &"1\u{1b}".repeat(900))], "").0.unwrap().len() <= MAX_CHARACTERS);
    }
}
