//! Routes compatible with other services: `GET /r/<URL>` like Jina Reader, `POST /v1/scrape` like Firecrawl.
use crate::api::{Wanted, json_response, wanted};
use crate::app::{App, Source};
use crate::ask::{Choices, Fetch, FormatName, Input, Job, RenderName, from_json};
use crate::body;
use crate::problem::Problem;
use axum::extract::{OriginalUri, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maintext_core::Page;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// `GET /r/<URL>`: returns the page as Markdown below a short header, or as JSON if `Accept` asks for it. `X-Return-Format` selects
/// `markdown`, `text` or `html`. `X-Engine` selects the loader: `browser` always uses the browser, `direct` never does.
pub async fn reader(
    State(app): State<Arc<App>>,
    OriginalUri(uri): OriginalUri,
    request: Request,
) -> Result<Response, Problem> {
    let path = uri.path_and_query().map_or("", |p| p.as_str());
    let url = target(path.strip_prefix("/r/").unwrap_or(""))?;
    let format = request.headers().get("x-return-format").and_then(|v| v.to_str().ok()).unwrap_or("markdown");
    let format = match format {
        "text" => FormatName::Text,
        "html" => FormatName::Html,
        "markdown" | "content" => FormatName::Markdown,
        other => {
            let detail = format!("X-Return-Format: '{other}' is not supported; use markdown, text or html");
            return Err(Problem::bad_request(detail));
        }
    };
    let render = match request.headers().get("x-engine").and_then(|v| v.to_str().ok()) {
        Some("browser") => RenderName::Always,
        Some("direct") => RenderName::Never,
        _ => RenderName::Auto,
    };
    let choices = Choices { formats: vec![format], render, ..Choices::default() };
    let job = Job { page: Input::Address(Fetch::default()), url: Some(url.clone()), choices, memory: None };
    let page = app.on_page(job, |app, choices, source| app.extract(choices, &source)).await?;
    Ok(match wanted_by_reader(request.headers()) {
        true => json_response(&reader_json(&page, &url)),
        false => ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], reader_text(&page, &url)).into_response(),
    })
}

/// Whether the client asks for JSON, with `application/json` itself; `*/*` gets text.
fn wanted_by_reader(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok()).unwrap_or("");
    accept.contains("application/json") && wanted(headers) == Wanted::Json
}

/// Returns the address after `/r/`, which may be percent-encoded. Proxies may have merged its two slashes; a missing scheme is https.
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
    match url::Url::parse(&text) {
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

fn content(page: &Page) -> &str {
    [&page.markdown, &page.text, &page.html].into_iter().flatten().next().map_or("", String::as_str)
}

fn reader_text(page: &Page, url: &str) -> String {
    let m = &page.metadata;
    let mut out = format!("Title: {}\n\nURL Source: {url}\n\n", m.title.as_deref().unwrap_or(""));
    if let Some(date) = &m.date {
        out += &format!("Published Time: {date}\n\n");
    }
    for warning in &page.warnings {
        out += &format!("Warning: {}\n\n", warning.message);
    }
    out + "Markdown Content:\n" + content(page)
}

fn reader_json(page: &Page, url: &str) -> Value {
    let m = &page.metadata;
    json!({"code": 200, "status": 20000, "data": {
        "title": m.title.as_deref().unwrap_or(""),
        "description": m.description.as_deref().unwrap_or(""),
        "url": url,
        "content": content(page),
        "publishedTime": m.date,
        "warning": page.warnings.first().map(|w| &w.message),
        // Clients expect a rough estimate: four characters per token.
        "usage": {"tokens": content(page).chars().count().div_ceil(4)},
    }})
}

/// The body of `POST /v1/scrape`. Features of the original that need browser actions or a language model are rejected by name.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Scrape {
    url: String,
    #[serde(default)]
    formats: Vec<Value>,
    #[serde(default = "yes")]
    only_main_content: bool,
    #[serde(default)]
    headers: std::collections::BTreeMap<String, String>,
    /// Milliseconds.
    timeout: Option<u64>,
    /// An extension: the original loads all pages in a browser.
    #[serde(default = "auto")]
    render: RenderName,
    #[serde(default)]
    actions: Vec<Value>,
}

fn yes() -> bool {
    true
}

fn auto() -> RenderName {
    RenderName::Auto
}

/// `POST /v1/scrape`.
pub async fn scrape(State(app): State<Arc<App>>, request: Request) -> Response {
    match scrape_or(app, request).await {
        Ok(data) => json_response(&json!({"success": true, "data": data})),
        Err(problem) => {
            let mut response = problem.clone().into_response();
            let body = json!({"success": false, "error": problem.detail, "code": problem.code}).to_string();
            *response.body_mut() = body.into();
            response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
            response
        }
    }
}

async fn scrape_or(app: Arc<App>, request: Request) -> Result<Value, Problem> {
    let received = body::read(&app.config, &app.limits, request.into_body()).await?;
    let ask: Scrape = from_json(&received.bytes)?;
    let formats = scrape_formats(&ask)?;
    let headers: Vec<(String, String)> = ask.headers.clone().into_iter().collect();
    let limit = ask.timeout.map(|ms| Duration::from_millis(ms.clamp(1, 300_000)));
    if ask.render == RenderName::Always && !headers.is_empty() {
        let detail =
            "'headers' cannot be used with 'render': 'always', since the browser would send them to other sites too";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_options", detail));
    }
    let formatted = vec![FormatName::Markdown, FormatName::Html];
    let mut choices = Choices { formats: formatted, render: ask.render, ..Choices::default() };
    // Everything on the page, including menus.
    choices.content_selector = (!ask.only_main_content).then(|| "body".to_owned());
    let page = Input::Address(Fetch { headers, limit });
    let job = Job { page, url: Some(ask.url.clone()), choices, memory: received.memory };
    app.on_page(job, move |app, choices, source| scraped(app, choices, &ask.url, &formats, &source)).await
}

fn scrape_formats(ask: &Scrape) -> Result<Vec<String>, Problem> {
    if !ask.actions.is_empty() {
        return Err(Problem::bad_request("'actions' are not supported"));
    }
    let mut formats = Vec::new();
    for format in &ask.formats {
        let name = format.as_str().or_else(|| format["type"].as_str()).unwrap_or("");
        if !["markdown", "html", "rawHtml", "links"].contains(&name) {
            let detail = format!("the format {format} is not supported; use markdown, html, rawHtml or links");
            return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_options", detail));
        }
        formats.push(name.to_owned());
    }
    if formats.is_empty() {
        formats.push("markdown".into());
    }
    Ok(formats)
}

fn scraped(app: &App, choices: &Choices, asked: &str, formats: &[String], source: &Source) -> Result<Value, Problem> {
    let has = |name: &str| formats.iter().any(|f| f == name);
    let page = app.extract(choices, source)?;
    let m = &page.metadata;
    let mut data = json!({"metadata": {
        "title": m.title, "description": m.description, "language": m.language, "author": m.author,
        "publishedTime": m.date, "modifiedTime": m.date_modified, "ogImage": m.image, "ogSiteName": m.sitename,
        "sourceURL": asked, "url": source.url, "statusCode": source.status,
    }});
    if let Value::Object(fields) = &mut data {
        if has("markdown") {
            fields.insert("markdown".into(), json!(page.markdown));
        }
        if has("html") {
            fields.insert("html".into(), json!(page.html));
        }
        let charset = if source.text { Some("utf-8") } else { source.charset.as_deref() };
        let text = maintext_core::decode::decode(&source.bytes, charset).text;
        if has("rawHtml") {
            fields.insert("rawHtml".into(), json!(text));
        }
        if has("links") {
            fields.insert("links".into(), json!(links(&text, source.url.as_deref())));
        }
        if let Some(warning) = page.warnings.first() {
            fields.insert("warning".into(), json!(warning.message));
        }
    }
    Ok(data)
}

/// Returns the page's links as absolute addresses without duplicates, in document order.
fn links(html: &str, base: Option<&str>) -> Vec<String> {
    use maintext_core::dom::{NodeId, Tag, parse};
    let dom = parse(html, &Default::default());
    let base = base.and_then(|b| url::Url::parse(b).ok());
    let mut seen = std::collections::HashSet::new();
    let hrefs = dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::A).filter_map(|n| dom.attr(n, "href"));
    let absolute = hrefs.filter_map(|href| url::Url::options().base_url(base.as_ref()).parse(href).ok());
    let web = absolute.filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from);
    web.filter(|url| seen.insert(url.clone())).collect()
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

    #[test]
    fn links_are_absolute_and_unique() {
        let html = "<a href=b>1</a><a href=/c#d>2</a><a href=b>3</a><a href='mailto:x@e.org'>4</a><a href='javascript:1'>5</a>";
        assert_eq!(links(html, Some("https://e.org/a/")), ["https://e.org/a/b", "https://e.org/c#d"]);
    }
}
