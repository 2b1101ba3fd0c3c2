//! The middleware for every request: checks host, origin, token and rate, then counts and logs the request.
use crate::app::App;
use crate::caller::Caller;
use crate::compat;
use crate::log;
use crate::metrics::Counted;
use crate::problem::Problem;
use crate::trace::{self, Trace};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

/// The client address of a connection, stored as an extension of its requests.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Paths that need no token: health checks, the API description, and the playground, whose API calls carry a token.
const OPEN: [&str; 5] = ["/", "/healthz", "/readyz", "/openapi.json", "/docs"];

/// Checks a request, passes it on, and counts and logs it.
pub async fn gate(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    // Metrics count routes instead of paths, so that clients cannot create new counters.
    let route = request.extensions().get::<MatchedPath>().map_or("other".to_owned(), |p| p.as_str().to_owned());
    let client = client(&app, &request);
    let token = (!app.config.tokens.is_empty()).then(|| text(request.headers(), header::AUTHORIZATION)).flatten();
    let caller = Caller { client, token: token.map(str::to_owned) };
    request.extensions_mut().insert(caller);
    let origin = request.headers().get(header::ORIGIN).cloned();
    let cors = origin.as_ref().and_then(|o| allowed_origin(&app, o));
    let trace = Trace::begin(request.headers());
    let counted = Counted::new(&app.metrics.in_progress);
    let answer = async {
        match check(&app, &request, &path, client, cors.is_some()) {
            Err(problem) => problem.into_response(),
            Ok(()) if cors.is_some() && method == Method::OPTIONS => preflight(request.headers()),
            Ok(()) => next.run(request).await,
        }
    };
    let mut response = trace.clone().scope(answer).await;
    drop(counted);
    if compat::is_firecrawl(&path) {
        compat::shaped(&mut response);
    }
    let headers = response.headers_mut();
    headers.insert(trace::HEADER, trace.header());
    let facts = trace.facts();
    if let Some(cache) = facts.cache {
        headers.insert("x-cache", HeaderValue::from_static(cache));
    }
    if let Some(age) = facts.age {
        headers.insert(header::AGE, age.as_secs().into());
    }
    headers.entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    if let Some(origin) = cors {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        let exposed = HeaderValue::from_static("age, retry-after, x-cache, x-request-id");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    let status = response.status().as_u16();
    app.metrics.request(&route, status, start.elapsed());
    if app.config.log {
        log::request(&log::Access {
            client,
            method: method.as_str(),
            path: &path,
            route: &route,
            status,
            time: start.elapsed(),
            trace: &trace,
        });
    }
    response
}

fn check(app: &App, request: &Request, path: &str, client: Option<IpAddr>, cors: bool) -> Result<(), Problem> {
    let headers = request.headers();
    check_host(app, headers)?;
    let open = OPEN.contains(&path) || path.starts_with("/assets/");
    // The frame that shows foreign pages has a separate origin and still loads its script from here.
    if !cors && !open {
        check_origin(headers)?;
    }
    // Browsers send preflights without a token.
    let preflight = cors && request.method() == Method::OPTIONS;
    if !open && !preflight {
        check_token(&app.config.tokens, headers)?;
    }
    match (&app.rate, client) {
        (Some(limiter), Some(client)) if !matches!(path, "/healthz" | "/readyz") => {
            limiter.take(client, Instant::now())
        }
        _ => Ok(()),
    }
}

/// Returns a host without its port.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|v| v.to_str().ok())
}

/// Rejects unknown host names. A web page can point its own domain to 127.0.0.1 and then reach this service as its own origin, but
/// the browser sends that domain in the `Host` header.
fn check_host(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let hosts = &app.config.hosts;
    let host = host_name(text(headers, header::HOST).unwrap_or(""));
    if hosts.is_empty() || hosts.iter().any(|h| h.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    let detail = format!("the host name '{host}' is not accepted; add it with --host-name");
    Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", detail))
}

/// Rejects requests from scripts of other origins, even if they could not read the response. Origins allowed by CORS skip this check.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = text(headers, header::ORIGIN) else { return Ok(()) };
    let own = text(headers, header::HOST).unwrap_or("");
    let same = origin.split_once("://").is_some_and(|(_, host)| host.eq_ignore_ascii_case(own));
    match same {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "cross_origin",
            "scripts of other origins may not use this service",
        )),
    }
}

fn check_token(tokens: &[String], headers: &HeaderMap) -> Result<(), Problem> {
    if tokens.is_empty() {
        return Ok(());
    }
    let given = text(headers, header::AUTHORIZATION).unwrap_or("");
    let given =
        given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, t)| t.trim());
    let known = given.is_some_and(|given| tokens.iter().fold(false, |found, t| found | same(given, t)));
    match known {
        true => Ok(()),
        false => Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "a bearer token is required")),
    }
}

/// Compares in constant time, so that timing does not reveal a part of a token.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}

/// Returns the value of `Access-Control-Allow-Origin` if the origin is allowed.
fn allowed_origin(app: &App, origin: &HeaderValue) -> Option<HeaderValue> {
    let cors = &app.config.cors;
    let named = cors.iter().any(|o| o == "*" || origin.to_str().is_ok_and(|origin| origin.eq_ignore_ascii_case(o)));
    named.then(|| origin.clone())
}

fn preflight(headers: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let out = response.headers_mut();
    out.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    let asked = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS);
    out.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        asked.cloned().unwrap_or(HeaderValue::from_static("content-type")),
    );
    out.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// Returns the client's address: the peer of the connection, or the last address that a trusted proxy reports.
fn client(app: &App, request: &Request) -> Option<IpAddr> {
    let peer = request.extensions().get::<Peer>().map(|p| p.0.ip());
    if !app.config.trust_forwarded {
        return peer;
    }
    let last = request.headers().get_all("x-forwarded-for").iter().next_back().and_then(|v| v.to_str().ok());
    last.and_then(|list| list.rsplit(',').next()).and_then(|ip| ip.trim().parse().ok()).or(peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names_have_no_port() {
        assert_eq!(host_name("localhost:8080"), "localhost");
        assert_eq!((host_name("[::1]:80"), host_name("e.org"), host_name("")), ("::1", "e.org", ""));
    }

    #[test]
    fn only_complete_tokens_match() {
        assert!(same("abc", "abc") && !same("abc", "abd") && !same("abc", "ab") && same("", ""));
        let mut headers = HeaderMap::new();
        let tokens = ["first".to_owned(), "second".to_owned()];
        assert!(check_token(&[], &headers).is_ok() && check_token(&tokens, &headers).is_err());
        for (value, good) in
            [("Bearer second", true), ("bearer first", true), ("Basic first", false), ("Bearer fir", false)]
        {
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
            assert_eq!(check_token(&tokens, &headers).is_ok(), good, "{value}");
        }
    }

    #[test]
    fn other_origins_are_rejected() {
        let check = |origin: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, "localhost:8000".parse().unwrap());
            headers.insert(header::ORIGIN, origin.parse().unwrap());
            check_origin(&headers).is_ok()
        };
        assert!(check("http://localhost:8000"));
        assert!(!check("http://localhost:9000") && !check("https://evil.example") && !check("null"));
    }
}
