//! Requests that would be misread are errors: bodies of another kind than declared, and options that cannot have an effect.
use super::{Choices, RepresentationName};
use crate::problem::Problem;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use serde::de::IgnoredAny;

/// Returns the options that have no effect on a route, as words of a text.
pub fn unused(route: &str) -> &'static str {
    match route {
        // No content is written.
        "/v1/list" | "/v1/classify" => {
            "formats tables images links external_links reference_links html_tables repeat_spans list_numbers post_headers title \
             footnotes level_headings alt_text keep_hidden page_type things schema"
        }
        "/v1/inspect" => "formats metadata page_type",
        "/v1/find" | "/v1/changes" => "formats metadata page_type things schema",
        _ => "",
    }
}

/// Returns a problem with the code `bad_options`.
pub fn bad_options(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "bad_options", detail)
}

/// The kind of a request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// JSON with the options inside.
    Json,
    /// The page itself.
    Page,
}

/// Returns the kind of a body with this media type. JSON without a declared type, or with the one that curl and others send by default,
/// is recognised.
///
/// # Errors
/// The media type is not supported, or the body does not match it.
pub fn kind(essence: &str, body: &[u8]) -> Result<BodyKind, Problem> {
    match essence {
        "application/json" | "text/json" => return Ok(BodyKind::Json),
        json if json.starts_with("application/") && json.ends_with("+json") => return Ok(BodyKind::Json),
        "" | "application/octet-stream" | "application/x-www-form-urlencoded" => {
            if begins_like_json(body) || is_braced_text(body) {
                return Ok(BodyKind::Json);
            }
        }
        "text/html" | "application/xhtml+xml" | "application/xml" | "text/xml" | "text/plain" | "text/markdown" => {
            if begins_like_json(body) && serde_json::from_slice::<IgnoredAny>(body).is_ok() {
                let detail = format!("the body is JSON, not {essence}; send it as Content-Type: application/json");
                return Err(Problem::bad_request(detail));
            }
        }
        other => {
            let detail = format!(
                "the content type '{other}' is not supported; send application/json, text/html, text/plain or text/markdown"
            );
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
    let text = text.trim_matches(['"', '\'']);
    let address = text.starts_with("http://") || text.starts_with("https://");
    if address && !text.contains(char::is_whitespace) && body.len() < 4096 {
        return Err(Problem::bad_request("the body is an address; send it as JSON: {\"url\": \"...\"}"));
    }
    Ok(BodyKind::Page)
}

/// Whether a body begins like a JSON object, which no page does. Templates begin with `{{` or `{%`.
fn begins_like_json(body: &[u8]) -> bool {
    let mut visible = body.iter().filter(|b| !b.is_ascii_whitespace());
    visible.next() == Some(&b'{') && matches!(visible.next(), Some(b'"' | b'}'))
}

/// Whether a body is an object with names that JSON does not allow, such as `{url: …}`: no tag and no template.
fn is_braced_text(body: &[u8]) -> bool {
    let mut visible = body.iter().filter(|b| !b.is_ascii_whitespace());
    visible.next() == Some(&b'{') && !matches!(visible.next(), Some(b'{' | b'%')) && !body.contains(&b'<')
}

/// Refuses options in the query of a request with a JSON body, because they belong in the body.
///
/// # Errors
/// The query is not empty.
pub fn no_query(query: Option<&str>, instead: &str) -> Result<(), Problem> {
    let query = query.unwrap_or("");
    let mut names: Vec<_> =
        url::form_urlencoded::parse(query.as_bytes()).map(|(name, _)| format!("'{name}'")).collect();
    names.dedup();
    if names.is_empty() {
        Ok(())
    } else {
        Err(bad_options(format!("the query has no effect here: {}; {instead}", names.join(", "))))
    }
}

/// The middleware of routes whose options are all in the body: refuses a query.
pub async fn body_only(request: Request, next: Next) -> Result<Response, Problem> {
    no_query(request.uri().query(), "the body holds all options")?;
    Ok(next.run(request).await)
}

impl Choices {
    /// Refuses wrong options, and those that contradict each other.
    ///
    /// # Errors
    /// An option is unknown or has a wrong value, or it cannot have an effect together with another one; the problem names both.
    pub fn check(&self) -> Result<(), Problem> {
        if let Some(wrong) = &self.wrong {
            // TEI, which the library writes, is for corpora.
            return Err(bad_options(wrong.to_string().replace("html, xml and blocks", "html and blocks")));
        }
        let options = &self.options;
        if options.formats.xml {
            return Err(bad_options("formats: unknown format 'xml'; the formats are text, markdown, html and blocks"));
        }
        if self.site_model && options.method != "learned" {
            let detail =
                format!("'site_model' has an effect on the method 'learned' only, not on '{}'", options.method);
            return Err(bad_options(detail));
        }
        if self.site_model && options.parameters.fdr.is_some() {
            return Err(bad_options("'site_model' cannot be combined with 'fdr'"));
        }
        if self.representation == RepresentationName::Markdown
            && let Some(name) = self.needs_html()
        {
            let detail = format!("'{name}' has an effect on HTML only, not with 'representation': 'markdown'");
            return Err(bad_options(detail));
        }
        let render = options.render;
        for (name, set) in [("external_links", render.external_links), ("reference_links", render.reference_links)] {
            if set && !render.links {
                return Err(bad_options(format!("'{name}' has no effect without 'links'")));
            }
        }
        Ok(())
    }

    /// Refuses options that the client gave although they have no effect on `route`.
    ///
    /// # Errors
    /// There is one.
    pub fn check_for(&self, route: &str) -> Result<(), Problem> {
        self.check_unused(unused(route), &format!("on {route}"))
    }

    /// Refuses the options that `unused` names if the client gave one.
    ///
    /// # Errors
    /// There is one.
    pub fn check_unused(&self, unused: &str, because: &str) -> Result<(), Problem> {
        match unused.split(' ').find(|name| self.given.iter().any(|given| given == name)) {
            None => Ok(()),
            Some(name) => Err(bad_options(format!("the option '{name}' has no effect {because}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognised_and_nothing_else_is_taken_for_it() {
        for undeclared in ["", "application/octet-stream", "application/x-www-form-urlencoded"] {
            for json in ["{\"url\": \"https://e.org\"}", " \n{ \"html\": ", "{}"] {
                assert_eq!(kind(undeclared, json.as_bytes()).unwrap(), BodyKind::Json, "{undeclared} {json}");
            }
            for page in ["<p>{\"a\": 1}", "{{ template }}", "{% extends 'a' %}", "[1] A note", "Plain text.", ""] {
                assert_eq!(kind(undeclared, page.as_bytes()).unwrap(), BodyKind::Page, "{undeclared} {page}");
            }
            assert!(kind(undeclared, b"https://e.org/a\n").unwrap_err().detail.contains("is an address"));
        }
        assert!(
            kind("text/html", b"{\"url\": \"https://e.org\"}").unwrap_err().detail.contains("is JSON, not text/html")
        );
        assert_eq!(kind("text/plain", b"{\"a\" is no JSON").unwrap(), BodyKind::Page);
        assert_eq!(kind("application/ld+json", b"{}").unwrap(), BodyKind::Json);
        let form = kind("application/x-www-form-urlencoded", b"url=https%3A%2F%2Fe.org").unwrap_err();
        assert!(form.detail.contains("form fields"), "{form:?}");
        assert_eq!(kind("image/png", b"").unwrap_err().status, 415);
    }

    #[test]
    fn options_without_effect_are_named() {
        let options = |json: &str| serde_json::from_str::<Choices>(json);
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
        assert_eq!(choices.given, ["favor", "formats"]);
        assert!(choices.check_for("/v1/list").unwrap_err().detail.contains("'formats'"));
        assert!(options(r#"{"schema": null, "method": "learned"}"#).unwrap().check_for("/v1/list").is_ok());
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
