//! The main API routes, which extract, list or classify one page.
use crate::accept;
use crate::app::{App, PageOrigin, Source};
use crate::ask::{AnswerFormat, Ask, Choices, PageJob, from_json, json_weight};
use crate::body::{self, Received};
use crate::cost;
use crate::memory::MemoryShare;
use crate::problem::Problem;
use axum::body::Body;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maintext_core::{Fields, Page, Warning};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Returns a value as a JSON response.
pub fn json_response(value: &impl serde::Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
        Err(_) => Problem::internal().into_response(),
    }
}

/// A request for one page whose answer has one form.
impl FromRequest<Arc<App>> for PageJob {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<PageJob, Problem> {
        ask(app, request).await?.0.job_of_one_form()
    }
}

/// Reads and parses a request for one page, and returns its headers, too.
async fn ask(app: &App, request: Request) -> Result<(Ask, HeaderMap), Problem> {
    let (parts, body) = request.into_parts();
    let ask = Ask::read(&parts.headers, parts.uri.query(), receive(app, body).await?)?;
    Ok((ask, parts.headers))
}

/// Reads a body that may hold pages in JSON.
///
/// # Errors
/// The body is too large or too slow, or the memory is used up.
pub async fn receive(app: &App, body: Body) -> Result<Received, Problem> {
    let mut received = body::read(&app.config, &app.limits, body).await?;
    // For the copy that parsing makes.
    received.memory.grow_soon(json_weight(&received.bytes)).await?;
    Ok(received)
}

/// Reads a small request in JSON, and returns it with its share of the memory.
///
/// # Errors
/// The body is too large, too slow or malformed.
pub async fn receive_json<T: DeserializeOwned>(app: &App, request: Request) -> Result<(T, MemoryShare), Problem> {
    let received = body::read(&app.config, &app.limits, request.into_body()).await?;
    Ok((from_json(&received.bytes)?, received.memory))
}

/// The forms of an answer, the usual one first.
pub const FORMS: [(&str, AnswerFormat); 4] = [
    ("application/json", AnswerFormat::Json),
    ("text/markdown", AnswerFormat::Markdown),
    ("text/plain", AnswerFormat::Text),
    ("text/html", AnswerFormat::Html),
];

/// `POST /v1/extract`: returns the page as JSON, or in the format that `format` or `Accept` names.
pub async fn extract(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (ask, headers) = ask(&app, request).await?;
    let accepts_all = headers.get_all(header::ACCEPT).iter().all(|accept| accept == "*/*");
    let (wanted, by) = match (ask.format, ask.only_format) {
        (Some(format), _) => (format, "'format'"),
        // A client that sends a bare page and asks for one format wants the text, not a JSON object around it.
        (None, Some(format)) if accepts_all => (format, ""),
        (None, _) => (accept::best(&headers, &FORMS)?, "'Accept'"),
    };
    let job = ask.job()?;
    if wanted != AnswerFormat::Json && !by.is_empty() {
        let because = format!("because {by} already sets the format of the answer");
        job.choices.check_unused("formats", &because)?;
    }
    answered(&app, job, wanted).await
}

/// Extracts a page and returns it in a negotiated format.
///
/// # Errors
/// The page cannot be loaded or read.
pub async fn answered(app: &Arc<App>, mut job: PageJob, wanted: AnswerFormat) -> Result<Response, Problem> {
    if wanted != AnswerFormat::Json {
        job.choices.reading = true;
        (job.choices.options.formats, job.choices.options.fields) = (wanted.formats(), Fields::NONE);
    }
    let answer = app.on_page(job, |app, choices, source| Ok((app.extract(choices, source)?, source.origin()))).await?;
    let (page, origin) = answer;
    let (kind, text) = match wanted {
        AnswerFormat::Json => return Ok(accept::varies(json_response(&PageAnswer { origin, page: &page }))),
        AnswerFormat::Markdown => ("text/markdown; charset=utf-8", page.markdown),
        AnswerFormat::Text => ("text/plain; charset=utf-8", page.text),
        AnswerFormat::Html => ("text/html; charset=utf-8", page.html),
    };
    let mut response = text_response(kind, text);
    if let Some(codes) = codes(&page.warnings) {
        response.headers_mut().insert(WARNINGS, codes);
    }
    Ok(accept::varies(response))
}

/// The header with the codes of the warnings about a page, for answers that are its content alone.
pub const WARNINGS: HeaderName = HeaderName::from_static("x-warnings");

/// Returns the codes of warnings, each once, in the order of the answer in JSON.
fn codes(warnings: &[Warning]) -> Option<HeaderValue> {
    let mut codes: Vec<&str> = Vec::new();
    for warning in warnings {
        if !codes.contains(&warning.code.as_str()) {
            codes.push(warning.code.as_str());
        }
    }
    if codes.is_empty() { None } else { HeaderValue::from_str(&codes.join(", ")).ok() }
}

/// A page with its origin.
#[derive(serde::Serialize)]
pub struct PageAnswer<'a> {
    /// Where the page is from.
    #[serde(flatten)]
    pub origin: PageOrigin,
    /// The page.
    #[serde(flatten)]
    pub page: &'a Page,
}

/// Returns content in one format as a response. Extracted HTML comes from untrusted pages, so the policy forbids it to run anything
/// in the service's own origin.
pub fn text_response(content_type: &'static str, text: Option<String>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, text.unwrap_or_default()).into_response()
}

/// `POST /v1/list`: returns the entries of a list page, and all groups of links that look like entries, the best first.
pub async fn list(State(app): State<Arc<App>>, job: PageJob) -> Result<Response, Problem> {
    job.choices.check_for("/v1/list")?;
    Ok(json_response(&app.on_page_as(cost::LIST, job, listed).await?))
}

/// Returns the entries of a list page as JSON.
///
/// # Errors
/// The source is not an HTML page.
pub fn listed(app: &App, choices: &Choices, source: &Source) -> Result<serde_json::Value, Problem> {
    let url = source.url.as_deref().and_then(|url| url::Url::parse(url).ok());
    let (page, (found, left_out)) = app.extract_seen(&choices.bare(), source, |analysis| {
        (app.lists.page(&analysis.view(url.as_ref())), analysis.dom.left_out())
    })?;
    let found = source.list.clone().unwrap_or(found);
    let groups = found.groups;
    let mut warnings = page.warnings;
    // The extraction may have said so already.
    if !warnings.iter().any(|w| w.message.contains("left out")) {
        warnings.extend(left_out);
    }
    let best = groups.first().map(|g| g.entries.clone()).unwrap_or_default();
    let entries = if page.entries.is_empty() || source.list.is_some() { best } else { page.entries };
    let origin = source.origin();
    Ok(json!({
        "requested_url": origin.requested_url, "final_url": origin.final_url, "url": page.metadata.url, "title": page.metadata.title, "page_type": page.page_type,
        "entries": entries, "groups": groups, "pagination": found.pagination, "warnings": warnings,
    }))
}

/// `POST /v1/classify`: returns the page type.
pub async fn classify(State(app): State<Arc<App>>, job: PageJob) -> Result<Response, Problem> {
    job.choices.check_for("/v1/classify")?;
    Ok(json_response(&app.on_page(job, classified).await?))
}

/// Returns the page type and the probability of each type as JSON.
///
/// # Errors
/// The source is not an HTML page.
pub fn classified(app: &App, choices: &Choices, source: &Source) -> Result<serde_json::Value, Problem> {
    let page = app.extract(&choices.bare(), source)?;
    let origin = source.origin();
    Ok(json!({
        "requested_url": origin.requested_url, "final_url": origin.final_url, "url": page.metadata.url, "page_type": page.page_type, "probabilities": page.page_type_probabilities,
        "language": page.metadata.language, "confidence": page.confidence, "status": page.status, "barrier": page.barrier, "warnings": page.warnings,
    }))
}

/// `GET /healthz`: reports that the process is alive.
pub async fn health() -> Response {
    json_response(&json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
}

/// `GET /readyz`: reports whether the service accepts requests; 503 if it would refuse them, and during shutdown.
pub async fn ready(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let stopping = app.stopping.load(Ordering::Relaxed).then_some("the service is stopping");
    match stopping.or_else(|| app.limits.refusal()) {
        Some(reason) => Err(Problem::busy(reason)),
        None => Ok(json_response(&json!({"status": "ready", "free_slots": app.limits.free()}))),
    }
}

/// `GET /metrics`: returns the counters of the service, in Prometheus' format.
pub async fn metrics(State(app): State<Arc<App>>) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], app.metrics.text(&app.gauges())).into_response()
}

/// Answers requests for unknown paths.
pub async fn not_found(request: Request) -> Problem {
    let path = request.uri().path();
    // "/example.org/a" asks for a page, as the routes "/https://..." do.
    let is_host = path.trim_start_matches('/').split('/').next().is_some_and(|host| host.contains('.'));
    let lower = path.to_ascii_lowercase();
    let of_firecrawl = ["scrape", "crawl", "map", "batch/scrape"].map(|route| format!("/v1/{route}"));
    let detail = match *request.method() {
        _ if of_firecrawl.iter().any(|route| path.starts_with(route)) => {
            format!("no route {path}; Firecrawl's routes are below /v2/, for version 2 of its clients")
        }
        _ if path == "/v2/search" => {
            format!("no route {path}; it would need a search engine, which this service lacks")
        }
        _ if path.starts_with("/v2/extract") => {
            format!("no route {path}; it would need a language model, which this service lacks")
        }
        Method::GET if lower.starts_with("/http%3a") || lower.starts_with("/https%3a") => {
            format!("no route {path}; to read a page, write its address as it is: /https://example.org/page")
        }
        Method::GET if is_host => format!("no route {path}; to read a page, write /https:/{path}"),
        _ => format!("no route {path}; GET /openapi.json lists all routes"),
    };
    Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
}

/// Answers requests with a method that the route does not support.
pub async fn wrong_method(request: Request) -> Problem {
    let detail = format!("{} does not support {}", request.uri().path(), request.method());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}
