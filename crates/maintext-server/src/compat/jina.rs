//! `/r/<URL>` like Jina Reader: a page as Markdown below a short header, as JSON or as an event stream.
use super::document::{images, links};
use super::fields::refused;
use crate::accept;
use crate::api::json_response;
use crate::app::{App, Source};
use crate::ask::{AnswerFormat, Choices, Fetch, Input, Job, Look, RenderName, from_json};
use crate::body;
use crate::problem::Problem;
use axum::extract::{OriginalUri, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maintext_core::select::Selector;
use maintext_core::{Analysis, Page};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Options that are only read for their usual value, with that value: the answer has no other form.
const FIXED: [(&str, &[&str]); 14] = [
    ("x-md-heading-style", &["atx"]),
    ("x-md-hr", &["---"]),
    ("x-md-bullet-list-marker", &["-"]),
    ("x-md-em-delimiter", &["*"]),
    ("x-md-strong-delimiter", &["**"]),
    ("x-md-link-reference-style", &["full"]),
    ("x-retain-media", &["link"]),
    ("x-base", &["final"]),
    ("x-proxy", &["none"]),
    ("x-no-gfm", &["false"]),
    ("x-with-iframe", &["false"]),
    ("x-with-shadow-dom", &["false"]),
    ("x-keep-img-data-url", &["false"]),
    ("x-with-generated-alt", &["false"]),
];
/// Options that cannot change the answer: nobody is tracked, and banners are never content.
const ACCEPTED: [&str; 3] = ["x-remove-overlay", "x-no-track", "dnt"];
/// Options that the service cannot honour.
const REFUSED: [&str; 14] = [
    "x-proxy-url",
    "x-instruction",
    "x-json-schema",
    "x-preset",
    "x-viewport",
    "x-robots-txt",
    "x-respond-timing",
    "x-max-tokens",
    "x-markdown-chunking",
    "x-assertion",
    "x-detach-invisibles",
    "x-inject-page-script",
    "x-inject-frame-script",
    "x-mobile",
];

/// What a client asks for.
struct Wish {
    page: Input,
    url: Option<String>,
    choices: Choices,
    format: AnswerFormat,
    with_links: Option<All>,
    with_images: Option<All>,
    token_budget: Option<usize>,
}

/// Whether a list has each address once or every time.
#[derive(Clone, Copy, PartialEq)]
enum All {
    Once,
    Every,
}

/// `GET /r/<URL>` and `POST /r/<URL>`.
pub async fn reader(
    State(app): State<Arc<App>>,
    OriginalUri(uri): OriginalUri,
    request: Request,
) -> Result<Response, Problem> {
    let path = uri.path_and_query().map_or("", |p| p.as_str());
    let path = path.strip_prefix("/r").unwrap_or(path).trim_start_matches('/').to_owned();
    let (parts, body) = request.into_parts();
    let mut settings = from_headers(&parts.headers);
    let (mut html, mut memory) = (None, None);
    let mut url = (!path.is_empty()).then(|| target(&path)).transpose()?;
    if parts.method == axum::http::Method::POST {
        let received = body::read(&app.config, &app.limits, body).await?;
        memory = received.memory;
        for (name, value) in from_body(&parts.headers, &received.bytes)? {
            match name.as_str() {
                "url" => url = Some(target(&value)?),
                "html" => html = Some(value),
                "pdf" | "file" => return Err(refused(format!("'{name}' is not supported; send 'url' or 'html'"))),
                _ => drop(settings.insert(header_name(&name)?, value)),
            }
        }
    }
    let names_format = settings.contains_key("x-return-format") || settings.contains_key("x-respond-with");
    let mut wish = Wish::new(html, url, settings, app.can_render())?;
    let shape = match accept::best(&parts.headers, shapes(wish.format)) {
        Ok(shape) => shape,
        // The format that the client names counts more than the form that it accepts.
        Err(_) if names_format => Shape::Text,
        Err(problem) => return Ok(accept::varies(problem.into_response())),
    };
    // The summaries need the whole page.
    wish.choices.reading = wish.with_links.is_none() && wish.with_images.is_none();
    let Wish { page, url, choices, format: kind, with_links, with_images, token_budget } = wish;
    let job = Job { page, url: url.clone(), choices, memory };
    let work = move |app: &App, choices: &Choices, source: &Source| {
        let base = source.url.as_deref().and_then(|u| Url::parse(u).ok());
        let (page, found) = app.extract_seen(choices, source, |Analysis { dom, .. }| {
            let links = with_links.map(|all| listed(links(dom, base.as_ref()), all));
            (links, with_images.map(|all| listed(images(dom, base.as_ref()), all)))
        })?;
        Ok((page, source.status, found))
    };
    let (page, status, (links, images)) = app.on_page(job, work).await?;
    let answer = Reading { page: &page, url: url.as_deref().unwrap_or(""), status, kind, links, images };
    if let Some(budget) = token_budget
        && answer.tokens() > budget
    {
        let detail = format!("the page has {} tokens, more than X-Token-Budget: {budget}", answer.tokens());
        return Err(Problem::new(StatusCode::CONFLICT, "token_budget", detail));
    }
    Ok(accept::varies(match shape {
        Shape::Json => json_response(&answer.json()),
        Shape::Markdown => ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], answer.text()).into_response(),
        Shape::Text => ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], answer.text()).into_response(),
        Shape::Stream => {
            let data = &answer.json()["data"];
            let event = format!("event: data\nid: 1\ndata: {data}\n\n");
            ([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")], event).into_response()
        }
    }))
}

/// The form of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Text,
    Markdown,
    Json,
    Stream,
}

/// Returns the forms of a response with content in this format, the usual one first: `*/*` gets text.
fn shapes(format: AnswerFormat) -> &'static [(&'static str, Shape)] {
    const SHAPES: [(&str, Shape); 4] = [
        ("text/plain", Shape::Text),
        ("application/json", Shape::Json),
        ("text/event-stream", Shape::Stream),
        ("text/markdown", Shape::Markdown),
    ];
    if format == AnswerFormat::Markdown { &SHAPES } else { &SHAPES[..3] }
}

/// Returns the headers that may be options, by name.
fn from_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let known = |name: &str| {
        OPTIONS.contains(&name)
            || ACCEPTED.contains(&name)
            || REFUSED.contains(&name)
            || FIXED.iter().any(|(n, _)| *n == name)
    };
    let options = headers.iter().filter(|(name, _)| known(name.as_str()));
    options.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}

/// Options that are honoured.
pub const OPTIONS: [&str; 19] = [
    "x-return-format",
    "x-respond-with",
    "x-engine",
    "x-target-selector",
    "x-remove-selector",
    "x-wait-for-selector",
    "x-timeout",
    "x-no-cache",
    "x-cache-tolerance",
    "x-with-links-summary",
    "x-with-images-summary",
    "x-retain-images",
    "x-retain-links",
    "x-md-link-style",
    "x-set-cookie",
    "x-token-budget",
    "x-locale",
    "x-referer",
    "x-user-agent",
];

/// Returns the header that is the same as a field of the body: `targetSelector` is `X-Target-Selector`.
fn header_name(field: &str) -> Result<String, Problem> {
    let mut name = String::from("x-");
    for c in field.chars() {
        if c.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    let name = if field == "setCookies" { "x-set-cookie".to_owned() } else { name };
    let known = OPTIONS.contains(&name.as_str()) || ACCEPTED.contains(&name.as_str());
    match known || REFUSED.contains(&name.as_str()) || FIXED.iter().any(|(n, _)| *n == name) {
        true => Ok(name),
        false => Err(refused(format!("the option '{field}' is not known"))),
    }
}

/// Returns the fields of a JSON body or a form, as texts.
fn from_body(headers: &HeaderMap, body: &[u8]) -> Result<Vec<(String, String)>, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or("");
    let essence = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" => {
            let fields: Map<String, Value> = from_json(body)?;
            let text = |(name, value): (String, Value)| match value {
                Value::String(text) => Ok((name, text)),
                Value::Bool(_) | Value::Number(_) => Ok((name, value.to_string())),
                Value::Array(list) if list.iter().all(Value::is_string) => {
                    let list: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                    Ok((name, list.join(", ")))
                }
                _ => Err(refused(format!("'{name}' must be a text"))),
            };
            fields.into_iter().filter(|(_, v)| !v.is_null()).map(text).collect()
        }
        "application/x-www-form-urlencoded" => {
            Ok(url::form_urlencoded::parse(body).map(|(k, v)| (k.into_owned(), v.into_owned())).collect())
        }
        other => {
            let detail = format!("the content type '{other}' is not supported; send application/json or a form");
            Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail))
        }
    }
}

impl Wish {
    fn new(
        html: Option<String>,
        url: Option<String>,
        mut settings: BTreeMap<String, String>,
        can_render: bool,
    ) -> Result<Wish, Problem> {
        for name in REFUSED {
            if settings.remove(name).is_some_and(|v| !matches!(v.trim(), "" | "false")) {
                return Err(refused(format!("{} is not supported", shown(name))));
            }
        }
        for (name, values) in FIXED {
            if let Some(value) = settings.remove(name).filter(|v| !values.contains(&v.trim())) {
                let why = format!("{}: '{value}' is not supported; only {}", shown(name), values.join(" or "));
                return Err(refused(why));
            }
        }
        let mut take = |name: &str| settings.remove(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
        let mut choices = Choices::default();
        let format = take("x-respond-with").or(take("x-return-format"));
        let format = match format.as_deref().unwrap_or("markdown") {
            "text" => AnswerFormat::Text,
            "html" => AnswerFormat::Html,
            "markdown" | "content" => AnswerFormat::Markdown,
            other => {
                let why = format!("X-Return-Format: '{other}' is not supported; use markdown, text or html");
                return Err(refused(why));
            }
        };
        choices.options.formats = format.formats();
        choices.render = match take("x-engine").as_deref() {
            Some("browser") => RenderName::Always,
            Some("direct" | "curl") => RenderName::Never,
            None | Some("auto" | "default") => RenderName::Auto,
            Some(other) => return Err(refused(format!("X-Engine: '{other}' is not supported; use browser or direct"))),
        };
        let rules = &mut choices.options.rules;
        rules.content = selector(take("x-target-selector"), "X-Target-Selector")?;
        rules.drop = selector(take("x-remove-selector"), "X-Remove-Selector")?.into_iter().collect();
        let look = Look { wait_for: take("x-wait-for-selector"), ..Look::default() };
        let tolerance = take("x-cache-tolerance").map(|v| number(&v, "X-Cache-Tolerance")).transpose()?;
        let no_cache = take("x-no-cache").is_some_and(|v| v != "false");
        let max_age = if no_cache { Some(Duration::ZERO) } else { tolerance.map(|s| Duration::from_secs(s as u64)) };
        let limit = take("x-timeout").map(|v| number(&v, "X-Timeout")).transpose()?;
        let with_links = summary(take("x-with-links-summary"), "X-With-Links-Summary")?;
        let with_images = summary(take("x-with-images-summary"), "X-With-Images-Summary")?;
        match take("x-retain-images").as_deref() {
            None | Some("all") => {}
            Some("none") => choices.options.render.images = false,
            Some(other) => {
                return Err(refused(format!("X-Retain-Images: '{other}' is not supported; use all or none")));
            }
        }
        match take("x-retain-links").as_deref() {
            None | Some("all") => {}
            Some("text") => choices.options.render.links = false,
            Some(other) => return Err(refused(format!("X-Retain-Links: '{other}' is not supported; use all or text"))),
        }
        match take("x-md-link-style").as_deref() {
            None | Some("inlined") => {}
            Some("referenced") => choices.options.render.reference_links = true,
            Some("discarded") => choices.options.render.links = false,
            Some(other) => return Err(refused(format!("X-Md-Link-Style: '{other}' is not supported"))),
        }
        let token_budget = take("x-token-budget").map(|v| number(&v, "X-Token-Budget")).transpose()?;
        let mut headers = Vec::new();
        for (option, name) in
            [("x-locale", "Accept-Language"), ("x-referer", "Referer"), ("x-user-agent", "User-Agent")]
        {
            headers.extend(take(option).map(|value| (name.to_owned(), value)));
        }
        if let Some(cookie) = take("x-set-cookie") {
            // Of a whole `Set-Cookie`, only the cookie itself is sent, and only to the site of the address.
            let pair = cookie.split(';').next().unwrap_or("").trim().to_owned();
            headers.push(("Cookie".into(), pair));
        }
        let browser = match &look.wait_for {
            Some(_) => Some("X-Wait-For-Selector"),
            None => (choices.render == RenderName::Always).then_some("X-Engine: browser"),
        };
        let page = match (html, &url) {
            (Some(html), _) => Input::Text(html),
            (None, Some(_)) => {
                let limit = limit.map(|s| Duration::from_secs(s.clamp(1, 180) as u64));
                Input::Address(Fetch { headers, limit, max_age, error_pages: true, look, ..Fetch::default() })
            }
            (None, None) => {
                return Err(Problem::bad_request("expected /r/ and an address, such as /r/https://example.org/page"));
            }
        };
        if let (Some(name), Input::Address(fetch)) = (browser, &page) {
            if !can_render {
                return Err(refused(format!("{name} needs a browser; this service runs without --render")));
            }
            if choices.render == RenderName::Never || !fetch.headers.is_empty() {
                let why = "X-Engine: direct, X-Set-Cookie, X-Locale, X-Referer and X-User-Agent exclude the browser";
                return Err(refused(format!("{name} needs a browser; {why}")));
            }
        }
        Ok(Wish { page, url, choices, format, with_links, with_images, token_budget: token_budget.map(|n| n as usize) })
    }
}

/// Writes the name of a header in the usual way.
fn shown(name: &str) -> String {
    let word = |w: &str| w[..1].to_ascii_uppercase() + &w[1..];
    name.split('-').filter(|w| !w.is_empty()).map(word).collect::<Vec<_>>().join("-")
}

fn selector(text: Option<String>, name: &str) -> Result<Option<Selector>, Problem> {
    text.map(|selector| Selector::parse(&selector).map_err(|e| refused(format!("{name}: {e}")))).transpose()
}

fn number(text: &str, name: &str) -> Result<u32, Problem> {
    text.parse().map_err(|_| refused(format!("{name}: '{text}' is not a whole number")))
}

fn summary(text: Option<String>, name: &str) -> Result<Option<All>, Problem> {
    match text.as_deref() {
        None | Some("false") => Ok(None),
        Some("true") => Ok(Some(All::Once)),
        Some("all") => Ok(Some(All::Every)),
        Some(other) => Err(refused(format!("{name}: '{other}' is not supported; use true or all"))),
    }
}

fn listed(mut pairs: Vec<(String, String)>, all: All) -> Vec<(String, String)> {
    let mut seen = std::collections::HashSet::new();
    pairs.retain(|(_, url)| all == All::Every || seen.insert(url.clone()));
    pairs
}

/// An extracted page with what the client asked for.
struct Reading<'a> {
    page: &'a Page,
    url: &'a str,
    status: Option<u16>,
    kind: AnswerFormat,
    links: Option<Vec<(String, String)>>,
    images: Option<Vec<(String, String)>>,
}

impl Reading<'_> {
    fn content(&self) -> &str {
        let page = self.page;
        [&page.markdown, &page.text, &page.html].into_iter().flatten().next().map_or("", String::as_str)
    }

    /// A rough estimate, as clients expect: four characters per token.
    fn tokens(&self) -> usize {
        self.content().chars().count().div_ceil(4)
    }

    fn warnings(&self) -> Vec<String> {
        let failed = self.status.filter(|s| *s >= 400).map(|s| {
            let name = StatusCode::from_u16(s).ok().and_then(|s| s.canonical_reason()).unwrap_or("");
            format!("Target URL returned error {s}: {name}")
        });
        failed.into_iter().chain(self.page.warnings.iter().map(|w| w.message.clone())).collect()
    }

    /// The header belongs to Markdown; text and HTML come alone.
    fn text(&self) -> String {
        if self.kind != AnswerFormat::Markdown {
            return self.content().to_owned();
        }
        let m = &self.page.metadata;
        let mut out = format!("Title: {}\n\nURL Source: {}\n\n", m.title.as_deref().unwrap_or(""), self.url);
        if let Some(date) = &m.date {
            out += &format!("Published Time: {date}\n\n");
        }
        for warning in self.warnings() {
            out += &format!("Warning: {warning}\n\n");
        }
        out += "Markdown Content:\n";
        out += self.content();
        if let Some(images) = self.images.as_ref().filter(|list| !list.is_empty()) {
            out += "\nImages:\n";
            for (i, (alt, url)) in images.iter().enumerate() {
                out += &format!("- ![{}]({url})\n", named(i, alt));
            }
        }
        if let Some(links) = self.links.as_ref().filter(|list| !list.is_empty()) {
            out += "\nLinks/Buttons:\n";
            for (text, url) in links {
                out += &format!("- [{}]({url})\n", escaped(text));
            }
        }
        out
    }

    fn json(&self) -> Value {
        let m = &self.page.metadata;
        let warnings = self.warnings();
        let mut value = json!({"code": 200, "status": 20000, "data": {
            "title": m.title.as_deref().unwrap_or(""),
            "description": m.description.as_deref().unwrap_or(""),
            "url": self.url,
            "content": self.content(),
            "publishedTime": m.date,
            "warning": (!warnings.is_empty()).then(|| warnings.join("\n")),
            "usage": {"tokens": self.tokens()},
        }});
        if let Some(links) = &self.links {
            let links: Map<String, Value> = links.iter().map(|(text, url)| (text.clone(), json!(url))).collect();
            value["data"]["links"] = links.into();
        }
        if let Some(images) = &self.images {
            let images = images.iter().enumerate().map(|(i, (alt, url))| (named(i, alt), json!(url)));
            value["data"]["images"] = images.collect::<Map<String, Value>>().into();
        }
        value
    }
}

fn named(i: usize, alt: &str) -> String {
    let n = i + 1;
    if alt.is_empty() { format!("Image {n}") } else { format!("Image {n}: {}", escaped(alt)) }
}

/// Escapes what would end the text of a link.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// Returns an address, which may be percent-encoded. Proxies may have merged its two slashes; a missing scheme is https.
fn target(path: &str) -> Result<String, Problem> {
    let lower = path.to_ascii_lowercase();
    let text = match lower.starts_with("http%3a") || lower.starts_with("https%3a") {
        true => percent_decoded(path).ok_or_else(|| Problem::bad_request("the address is not UTF-8"))?,
        false => path.to_owned(),
    };
    let text = ["https:/", "http:/"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme).map(|rest| format!("{scheme}/{}", rest.trim_start_matches('/'))))
        .unwrap_or_else(
            || if text.contains("://") || text.is_empty() { text.clone() } else { format!("https://{text}") },
        );
    match Url::parse(&text) {
        Ok(url) if url.has_host() => Ok(text),
        _ => Err(Problem::bad_request("expected /r/ and an address, such as /r/https://example.org/page")),
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    // With '+' and '&' escaped, decoding a form value decodes percent-encoded text.
    let form = format!("u={}", text.replace('+', "%2B").replace('&', "%26"));
    let (_, value) = url::form_urlencoded::parse(form.as_bytes()).next()?;
    Some(value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_follows_the_prefix() {
        let target = |p: &str| target(p).ok();
        assert_eq!(target("https://e.org/a?b=c&d").as_deref(), Some("https://e.org/a?b=c&d"));
        assert_eq!(target("https:/e.org/a").as_deref(), Some("https://e.org/a"));
        assert_eq!(target("https%3A%2F%2Fe.org%2Fa%3Fb%3D1%262+3").as_deref(), Some("https://e.org/a?b=1&2+3"));
        assert_eq!(target("e.org/x").as_deref(), Some("https://e.org/x"));
        assert_eq!((target(""), target("https://")), (None, None));
    }

    fn wish(settings: &[(&str, &str)]) -> Result<Wish, Problem> {
        let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Wish::new(None, Some("https://e.org/".into()), settings, false)
    }

    #[test]
    fn headers_are_honoured_or_refused_by_name() {
        let set = [
            ("x-return-format", "text"),
            ("x-target-selector", "article"),
            ("x-remove-selector", ".ad, aside"),
            ("x-timeout", "5"),
            ("x-set-cookie", "a=b; Domain=e.org; Path=/"),
            ("x-retain-images", "none"),
            ("x-md-link-style", "referenced"),
            ("x-no-cache", "true"),
            ("x-md-heading-style", "atx"),
            ("x-with-generated-alt", "false"),
        ];
        let found = wish(&set).unwrap();
        let options = &found.choices.options;
        assert_eq!(options.formats, AnswerFormat::Text.formats());
        assert_eq!((options.render.images, options.render.reference_links), (false, true));
        assert_eq!(options.rules.drop.iter().map(Selector::as_str).collect::<Vec<_>>(), [".ad, aside"]);
        let Input::Address(fetch) = &found.page else { panic!() };
        assert_eq!(
            (fetch.limit, &fetch.headers[..]),
            (Some(Duration::from_secs(5)), &[("Cookie".into(), "a=b".into())][..])
        );
        for (name, value) in [
            ("x-return-format", "screenshot"),
            ("x-return-format", "pageshot"),
            ("x-engine", "cf-browser-rendering"),
            ("x-engine", "browser"),
            ("x-wait-for-selector", "p"),
            ("x-with-generated-alt", "true"),
            ("x-proxy-url", "http://proxy/"),
            ("x-target-selector", "p["),
            ("x-timeout", "soon"),
            ("x-md-hr", "***"),
        ] {
            let problem = wish(&[(name, value)]).err().unwrap_or_else(|| panic!("{name}"));
            assert!(problem.detail.to_ascii_lowercase().contains(name), "{problem:?}");
        }
    }

    #[test]
    fn fields_of_a_body_are_headers() {
        assert_eq!(header_name("targetSelector").unwrap(), "x-target-selector");
        assert_eq!(header_name("withGeneratedAlt").unwrap(), "x-with-generated-alt");
        assert!(header_name("colour").unwrap_err().detail.contains("'colour'"));
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, "application/x-www-form-urlencoded".parse().unwrap());
        let fields = from_body(&headers, b"url=https%3A%2F%2Fe.org%2F&respondWith=text").unwrap();
        assert_eq!(fields, [("url".into(), "https://e.org/".into()), ("respondWith".into(), "text".to_owned())]);
    }
}
