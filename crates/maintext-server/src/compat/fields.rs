//! Reads the options of a JSON object one by one, and refuses the others.
pub use crate::ask::bad_options as refused;
use crate::problem::Problem;
use maintext_core::settings::similar;
use maintext_crawl::address::Address;
use serde_json::{Map, Value};

/// A JSON object whose fields are taken one by one.
#[derive(Clone, Debug)]
pub struct JsonFields {
    fields: Map<String, Value>,
    /// Name of the object in errors, with a dot, such as `scrapeOptions.`.
    within: String,
    /// The names that were looked for, to suggest one for a misspelt name.
    known: Vec<String>,
}

/// Options of the original that resemble supported ones.
const NOT_MISSPELT: [&str; 1] = ["minAge"];

impl JsonFields {
    /// Reads an object; `within` is its name in errors.
    ///
    /// # Errors
    /// The value is not an object.
    pub fn new(value: Value, within: &str) -> Result<JsonFields, Problem> {
        let within = if within.is_empty() { String::new() } else { format!("{within}.") };
        match value {
            Value::Object(fields) => Ok(JsonFields { fields, within, known: Vec::new() }),
            _ if within.is_empty() => Err(Problem::bad_request("expected a JSON object")),
            _ => Err(refused(format!("'{}' must be an object", within.trim_end_matches('.')))),
        }
    }

    fn wrong(&self, name: &str, expected: &str) -> Problem {
        refused(format!("'{}{name}' must be {expected}", self.within))
    }

    /// Takes a field; null counts as absent.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.known.push(name.to_owned());
        self.fields.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a boolean.
    ///
    /// # Errors
    /// The field has another type; here and below.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, Problem> {
        let value = self.take(name);
        value.map(|v| v.as_bool().ok_or_else(|| self.wrong(name, "true or false"))).transpose()
    }

    /// Takes a whole number that is not negative.
    ///
    /// # Errors
    /// See [`JsonFields::flag`].
    pub fn number(&mut self, name: &str) -> Result<Option<u64>, Problem> {
        let value = self.take(name);
        value.map(|v| whole_number(&v).ok_or_else(|| self.wrong(name, "a whole number, at least 0"))).transpose()
    }

    /// Takes a text.
    ///
    /// # Errors
    /// See [`JsonFields::flag`].
    pub fn text(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let value = self.take(name);
        value.map(|v| v.as_str().map(str::to_owned).ok_or_else(|| self.wrong(name, "a text"))).transpose()
    }

    /// Takes a list of texts; empty if the field is absent.
    ///
    /// # Errors
    /// See [`JsonFields::flag`].
    pub fn texts(&mut self, name: &str) -> Result<Vec<String>, Problem> {
        let Some(value) = self.take(name) else { return Ok(Vec::new()) };
        serde_json::from_value(value).map_err(|_| self.wrong(name, "a list of texts"))
    }

    /// Drops fields that cannot change the answer.
    pub fn accept(&mut self, names: &[&str]) {
        for name in names {
            self.take(name);
        }
    }

    /// Refuses a field with any value but the given ones.
    ///
    /// # Errors
    /// The field has another value.
    pub fn only(&mut self, name: &str, values: &[&str]) -> Result<(), Problem> {
        match self.text(name)? {
            Some(value) if !values.contains(&value.as_str()) => {
                let (within, values) = (&self.within, values.join(" or "));
                Err(refused(format!("'{within}{name}': '{value}' is not supported; use {values}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the option that a misspelt name means.
    fn meant(&self, name: &str) -> Option<&str> {
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        if NOT_MISSPELT.contains(&name) { None } else { similar(name, &known) }
    }

    /// Refuses the fields that were not taken. Those that are off (null, false, 0 or empty) are the defaults that clients send, unless they
    /// resemble an option that does something.
    ///
    /// # Errors
    /// A field remains.
    pub fn end(self) -> Result<(), Problem> {
        let mut left = self.fields.iter();
        let left = left.find(|(name, value)| !is_off(value) || !value.is_null() && self.meant(name).is_some());
        let (Some((name, _)), within) = (left, &self.within) else { return Ok(()) };
        let meant = self.meant(name);
        let advice = meant.map_or_else(String::new, |meant| format!("; did you mean '{within}{meant}'?"));
        Err(refused(format!("the option '{within}{name}' is not supported{advice}")))
    }
}

fn is_off(v: &Value) -> bool {
    match v {
        Value::Null | Value::Bool(false) => true,
        Value::Number(n) => n.as_f64() == Some(0.0),
        Value::String(s) => s.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) => false,
    }
}

/// Returns a whole number that a client may have written as `5.0`.
pub fn whole_number(v: &Value) -> Option<u64> {
    v.as_u64().or_else(|| v.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0).map(|n| n as u64))
}

/// Returns the seconds since 1970.
pub fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

/// Writes a time that [`now`] gave.
pub fn time(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).map_or_else(|_| String::new(), |t| t.to_string())
}

/// Takes the address of a request; `https` is added if it names no scheme.
///
/// # Errors
/// It is missing, or not an address of the web.
pub fn address(fields: &mut JsonFields) -> Result<String, Problem> {
    let url = fields.text("url")?.ok_or_else(|| Problem::bad_request("'url' is missing"))?;
    let url = url.trim();
    let url = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    match Address::new(&url) {
        Some(_) => Ok(url),
        None => Err(Problem::bad_request(format!("'url': '{url}' is not an http or https address"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_name_the_field() {
        let fields = |value: Value| JsonFields::new(value, "scrapeOptions").unwrap();
        let said = |r: Result<(), Problem>| r.unwrap_err().detail;
        assert!(said(fields(json!({"x": 1})).end()).contains("'scrapeOptions.x' is not supported"));
        let mut misspelt = fields(json!({"wait_fr": 1, "minAge": 0}));
        misspelt.accept(&["waitFor", "maxAge"]);
        assert!(
            said(misspelt.end())
                .ends_with("'scrapeOptions.wait_fr' is not supported; did you mean 'scrapeOptions.waitFor'?")
        );
        let mut other = fields(json!({"minAge": 1}));
        other.accept(&["maxAge"]);
        assert!(said(other.end()).ends_with("'scrapeOptions.minAge' is not supported"));
        assert!(said(fields(json!({"x": 1})).flag("x").map(drop)).contains("'scrapeOptions.x' must be true or false"));
        assert!(said(fields(json!({"x": -1})).number("x").map(drop)).contains("whole number"));
        assert!(said(fields(json!({"x": [1]})).texts("x").map(drop)).contains("list of texts"));
        assert!(said(fields(json!({"x": "b"})).only("x", &["a"])).contains("use a"));
        for off in [json!(null), json!(false), json!(0), json!(""), json!([]), json!({})] {
            fields(json!({"x": off})).end().unwrap();
        }
        assert!(JsonFields::new(json!([]), "").is_err());
    }
}
