//! Requests that would be misread are errors: bodies of another kind than declared, and options that cannot have an effect.
use super::{Choices, RepresentationName};
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer as _, MapAccess, Visitor};
use std::fmt;

/// Options that only change how the content is written.
const WRITING: [&str; 15] = [
    "formats",
    "tables",
    "images",
    "links",
    "external_links",
    "reference_links",
    "html_tables",
    "repeat_spans",
    "list_numbers",
    "post_headers",
    "title",
    "footnotes",
    "level_headings",
    "alt_text",
    "keep_hidden",
];

/// Headers that are options of `/r/`, with the options of the other routes that replace them.
const HEADERS: [(&str, &str); 5] = [
    ("x-return-format", "formats"),
    ("x-engine", "render"),
    ("x-target-selector", "content_selector"),
    ("x-respond-with", "formats"),
    ("x-with-generated-alt", "images"),
];

/// Returns a problem with the code `bad_options`.
pub fn bad_options(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "bad_options", detail)
}

/// The kind of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// JSON with the options inside.
    Json,
    /// The page itself.
    Page,
}

/// Returns the kind of a body with this media type. JSON without a declared type, or with the one that curl and others send by default,
/// is recognised.
///
/// # Errors
/// The media type is not supported, or the body is something other than it says.
pub fn kind(essence: &str, body: &[u8]) -> Result<Kind, Problem> {
    match essence {
        "application/json" | "text/json" => return Ok(Kind::Json),
        json if json.starts_with("application/") && json.ends_with("+json") => return Ok(Kind::Json),
        "" | "application/octet-stream" | "application/x-www-form-urlencoded" => {
            if begins_like_json(body) {
                return Ok(Kind::Json);
            }
        }
        "text/html" | "application/xhtml+xml" | "application/xml" | "text/xml" | "text/plain" => {
            if begins_like_json(body) && serde_json::from_slice::<IgnoredAny>(body).is_ok() {
                let detail = format!("the body is JSON, not {essence}; send it as Content-Type: application/json");
                return Err(Problem::bad_request(detail));
            }
        }
        other => {
            let detail = format!("the content type '{other}' is not supported; send application/json or text/html");
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail));
        }
    }
    let text = std::str::from_utf8(&body[..body.len().min(4096)]).unwrap_or("").trim();
    let field = ["url=", "html=", "html_base64="].iter().any(|field| text.starts_with(field));
    if field && essence == "application/x-www-form-urlencoded" {
        return Err(Problem::bad_request(
            "form fields are not supported; send JSON with 'url' or 'html', or the page itself",
        ));
    }
    let address = text.starts_with("http://") || text.starts_with("https://");
    if address && !text.contains(char::is_whitespace) && body.len() < 4096 {
        return Err(Problem::bad_request("the body is an address; send it as JSON: {\"url\": \"...\"}"));
    }
    Ok(Kind::Page)
}

/// Whether a body begins like a JSON object, which no page does. Templates begin with `{{` or `{%`.
fn begins_like_json(body: &[u8]) -> bool {
    let mut visible = body.iter().filter(|b| !b.is_ascii_whitespace());
    visible.next() == Some(&b'{') && matches!(visible.next(), Some(b'"' | b'}'))
}

/// Refuses options in the query beside a JSON body, which holds them itself.
///
/// # Errors
/// The query is not empty.
pub fn no_query(query: Option<&str>, instead: &str) -> Result<(), Problem> {
    let query = query.unwrap_or("");
    let mut names: Vec<_> =
        url::form_urlencoded::parse(query.as_bytes()).map(|(name, _)| format!("'{name}'")).collect();
    names.dedup();
    match names.is_empty() {
        true => Ok(()),
        false => Err(bad_options(format!("the query has no effect here: {}; {instead}", names.join(", ")))),
    }
}

/// The middleware of routes whose options are all in the body: refuses a query.
pub async fn body_only(request: Request, next: Next) -> Result<Response, Problem> {
    no_query(request.uri().query(), "the body holds all options")?;
    Ok(next.run(request).await)
}

/// Refuses headers that are options of `/r/` only.
///
/// # Errors
/// There is one.
pub fn no_reader_headers(headers: &HeaderMap) -> Result<(), Problem> {
    match HEADERS.iter().find(|(name, _)| headers.contains_key(*name)) {
        None => Ok(()),
        Some((name, option)) => {
            Err(bad_options(format!("the header '{name}' has an effect on /r/ only; use the option '{option}'")))
        }
    }
}

impl Choices {
    /// Refuses options that contradict each other.
    ///
    /// # Errors
    /// An option cannot have an effect beside another one; the problem names both.
    pub fn check(&self) -> Result<(), Problem> {
        if self.site_model && self.method != "learned" {
            let detail = format!("'site_model' has an effect on the method 'learned' only, not on '{}'", self.method);
            return Err(bad_options(detail));
        }
        if self.site_model && self.fdr.is_some() {
            return Err(bad_options("'site_model' cannot be combined with 'fdr'"));
        }
        if self.representation == RepresentationName::Markdown
            && let Some(name) = self.needs_html()
        {
            let detail = format!("'{name}' has an effect on HTML only, not with 'representation': 'markdown'");
            return Err(bad_options(detail));
        }
        for (name, set) in [("external_links", self.external_links), ("reference_links", self.reference_links)] {
            if set && !self.links {
                return Err(bad_options(format!("'{name}' has no effect without 'links'")));
            }
        }
        Ok(())
    }

    /// Refuses options that the client gave although they have no effect on `route`, which returns no content.
    ///
    /// # Errors
    /// There is one.
    pub fn check_contentless(&self, route: &str) -> Result<(), Problem> {
        self.check_unused(&WRITING, route)?;
        self.check_unused(&["page_type", "things", "schema"], route)
    }

    /// Refuses those of the options `unused` that the client gave.
    ///
    /// # Errors
    /// There is one.
    pub fn check_unused(&self, unused: &[&str], route: &str) -> Result<(), Problem> {
        let given =
            |name: &&str| self.given.0.iter().any(|g| g == name) && (*name != "schema" || self.schema.is_some());
        match unused.iter().copied().find(given) {
            None => Ok(()),
            Some(name) => Err(bad_options(format!("the option '{name}' has no effect on {route}"))),
        }
    }
}

/// The names of the options that a client gave.
#[derive(Clone, Default)]
pub struct Given(pub Vec<String>);

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

/// Reads options and notes their names.
///
/// # Errors
/// They are not an object, or one is unknown, given twice, or wrong.
pub fn options<'de, D: Deserializer<'de>>(from: D) -> Result<Choices, D::Error> {
    from.deserialize_map(OptionsVisitor)
}

struct OptionsVisitor;

impl<'de> Visitor<'de> for OptionsVisitor {
    type Value = Choices;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with options")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Choices, A::Error> {
        let mut names = Vec::new();
        let noted = Noted { map, names: &mut names };
        let choices: Choices = serde::Deserialize::deserialize(MapAccessDeserializer::new(noted))?;
        Ok(Choices { given: Given(names), ..choices })
    }
}

/// A map whose keys are noted as they are read.
struct Noted<'a, A> {
    map: A,
    names: &'a mut Vec<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Noted<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(name) = self.map.next_key::<String>()? else { return Ok(None) };
        self.names.push(name.clone());
        let name: StringDeserializer<A::Error> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognised_and_nothing_else_is_taken_for_it() {
        for undeclared in ["", "application/octet-stream", "application/x-www-form-urlencoded"] {
            for json in ["{\"url\": \"https://e.org\"}", " \n{ \"html\": ", "{}"] {
                assert_eq!(kind(undeclared, json.as_bytes()).unwrap(), Kind::Json, "{undeclared} {json}");
            }
            for page in ["<p>{\"a\": 1}", "{{ template }}", "{% extends 'a' %}", "[1] A note", "Plain text.", ""] {
                assert_eq!(kind(undeclared, page.as_bytes()).unwrap(), Kind::Page, "{undeclared} {page}");
            }
            assert!(kind(undeclared, b"https://e.org/a\n").unwrap_err().detail.contains("is an address"));
        }
        assert!(
            kind("text/html", b"{\"url\": \"https://e.org\"}").unwrap_err().detail.contains("is JSON, not text/html")
        );
        assert_eq!(kind("text/plain", b"{\"a\" is no JSON").unwrap(), Kind::Page);
        assert_eq!(kind("application/ld+json", b"{}").unwrap(), Kind::Json);
        let form = kind("application/x-www-form-urlencoded", b"url=https%3A%2F%2Fe.org").unwrap_err();
        assert!(form.detail.contains("form fields"), "{form:?}");
        assert_eq!(kind("image/png", b"").unwrap_err().status, 415);
    }

    #[test]
    fn options_without_effect_are_named() {
        let options = |json: &str| options(&mut serde_json::Deserializer::from_str(json));
        for (json, named) in [
            (r#"{"site_model": true, "method": "line-density"}"#, "site_model"),
            (r#"{"site_model": true, "fdr": 0.1}"#, "fdr"),
            (r#"{"links": false, "reference_links": true}"#, "reference_links"),
            (r#"{"representation": "markdown", "content_selector": "p"}"#, "content_selector"),
        ] {
            let problem = options(json).unwrap().check().unwrap_err();
            assert!(problem.code == "bad_options" && problem.detail.contains(named), "{problem:?}");
        }
        let choices = options(r#"{"favor": "recall", "formats": ["text"], "schema": null}"#).unwrap();
        assert_eq!(choices.given.0, ["favor", "formats", "schema"]);
        assert!(choices.check_contentless("/v1/list").unwrap_err().detail.contains("'formats'"));
        assert!(options(r#"{"schema": null, "method": "learned"}"#).unwrap().check_contentless("/v1/list").is_ok());
        assert!(options(r#"["learned"]"#).is_err());
        let twice = options(r#"{"k": 1, "k": 2}"#).unwrap_err().to_string();
        assert!(twice.contains("duplicate field `k`"), "{twice}");
    }

    #[test]
    fn queries_beside_json_are_named() {
        assert!(no_query(None, "x").is_ok() && no_query(Some(""), "x").is_ok());
        let problem = no_query(Some("formats=text&k=1"), "put them in 'options'").unwrap_err();
        assert_eq!(problem.detail, "the query has no effect here: 'formats', 'k'; put them in 'options'");
    }
}
