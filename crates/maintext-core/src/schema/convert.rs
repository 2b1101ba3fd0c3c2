//! Converts the values of a page to the types of a schema. A value that cannot be converted is absent.
use maintext_facts::metadata::Stamp;
use maintext_things::things::number_of;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

/// A value of the output. Objects keep the order of the schema. It has few levels, so that recursion over it is safe.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum OutValue {
    Null,
    Flag(bool),
    Number(Number),
    Text(String),
    List(Vec<OutValue>),
    Object(#[serde(serialize_with = "as_map")] Vec<(String, OutValue)>),
}

/// Writes members as an object.
fn as_map<S: Serializer>(members: &[(String, OutValue)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(members.iter().map(|(name, value)| (name, value)))
}

/// Returns a text in the format that the schema names: `date`, `date-time`, `uri`. Other formats are not checked here.
pub(super) fn text(text: &str, format: Option<&str>) -> Option<String> {
    let text = text.trim();
    match format {
        _ if text.is_empty() => None,
        Some("date") => {
            let day = Stamp::parse(text)?.to_string();
            day.get(..10).filter(|d| d.len() == 10 && !d.contains('T')).map(str::to_owned)
        }
        Some("date-time") => {
            let time = Stamp::parse(text)?.to_string();
            let (day, clock) = time.split_once('T')?;
            let (clock, zone) = clock.split_at(clock.find(['+', '-', 'Z'])?);
            // RFC 3339 wants seconds.
            let seconds = if clock.len() == 5 { ":00" } else { "" };
            Some(format!("{day}T{clock}{seconds}{zone}"))
        }
        Some("uri") => url::Url::parse(text).ok().map(|url| url.to_string()),
        _ => Some(text.to_owned()),
    }
}

/// Returns a number: `1.299,00 €` is 1299.
pub(super) fn number(text: &str) -> Option<OutValue> {
    let number = number_of(text)?;
    integer(text).or_else(|| Number::from_f64(number.parse().ok()?).map(OutValue::Number))
}

/// Returns a whole number: `1,204` is 1204.
pub(super) fn integer(text: &str) -> Option<OutValue> {
    let number = number_of(text)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let is_whole = fraction.bytes().all(|b| b == b'0');
    is_whole.then(|| whole.parse::<i64>().ok()).flatten().map(|n| OutValue::Number(n.into()))
}

/// Returns a yes or no.
pub(super) fn flag(text: &str) -> Option<OutValue> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(OutValue::Flag(true)),
        "false" | "no" | "0" => Some(OutValue::Flag(false)),
        _ => None,
    }
}

/// Returns the allowed value that equals a value, or for texts, the one with the same letters (`in stock` is `InStock`).
pub(super) fn choose(value: OutValue, choices: &[Value]) -> Option<OutValue> {
    if choices.is_empty() {
        return Some(value);
    }
    let plain = maintext_things::things::names::plain;
    match value {
        OutValue::Text(text) => {
            let same = choices.iter().filter_map(Value::as_str).find(|c| *c == text);
            same.or_else(|| choices.iter().filter_map(Value::as_str).find(|c| plain(c) == plain(&text)))
                .map(|c| OutValue::Text(c.to_owned()))
        }
        OutValue::Number(number) => {
            choices.iter().any(|c| c.as_f64() == number.as_f64()).then_some(OutValue::Number(number))
        }
        OutValue::Flag(flag) => choices.iter().any(|c| c.as_bool() == Some(flag)).then_some(OutValue::Flag(flag)),
        OutValue::Null | OutValue::List(_) | OutValue::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_of_the_schema_or_are_absent() {
        let number_is = |raw: &str| number(raw).map(|n| serde_json::to_string(&n).unwrap());
        assert_eq!(number_is("1.299,50 €").as_deref(), Some("1299.5"));
        assert_eq!(number_is("19.00").as_deref(), Some("19"));
        assert_eq!((number_is("12").as_deref(), number_is("free")), (Some("12"), None));
        let integer_is = |raw: &str| integer(raw).map(|n| serde_json::to_string(&n).unwrap());
        assert_eq!(integer_is("1,204 reviews").as_deref(), Some("1204"));
        assert_eq!((integer_is("4.0").as_deref(), integer_is("4.50")), (Some("4"), None));
        assert_eq!((flag("Yes"), flag("maybe")), (Some(OutValue::Flag(true)), None));
    }

    #[test]
    fn formats_are_checked() {
        assert_eq!(text("2027-05-02T09:00:00+02:00", Some("date")).as_deref(), Some("2027-05-02"));
        assert_eq!(text("2027-05", Some("date")), None);
        assert_eq!(text("2027-05-02", Some("date-time")), None);
        assert_eq!(text("2027-05-02T09:00:00Z", Some("date-time")).as_deref(), Some("2027-05-02T09:00:00Z"));
        assert_eq!(text("2027-05-02T09:00+02:00", Some("date-time")).as_deref(), Some("2027-05-02T09:00:00+02:00"));
        assert_eq!((text("/a", Some("uri")), text(" ", None)), (None, None));
    }

    #[test]
    fn choices_ignore_case_and_spaces() {
        let choices = [Value::from("IN_STOCK"), Value::from("out of stock"), Value::from(3)];
        let chosen = |value| choose(value, &choices);
        assert_eq!(chosen(OutValue::Text("InStock".into())), Some(OutValue::Text("IN_STOCK".into())));
        assert_eq!(chosen(OutValue::Text("OutOfStock".into())), Some(OutValue::Text("out of stock".into())));
        assert_eq!(chosen(OutValue::Text("PreOrder".into())), None);
        assert_eq!(chosen(OutValue::Number(3.into())), Some(OutValue::Number(3.into())));
        assert_eq!(chosen(OutValue::Number(4.into())), None);
    }
}
