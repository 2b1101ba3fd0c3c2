//! The middleware for every request: checks host, origin and token, then counts and logs the request.
use crate::app::App;
use crate::ask::header_text;
use crate::client::Client;
use crate::compat;
use crate::config::{Config, ForwardedHeader};
use crate::log;
use crate::metrics::Counted;
use crate::problem::Problem;
use crate::seats::ClientPlace;
use crate::trace::{self, RequestTrace};
use axum::body::{Body, HttpBody as _};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

/// The client address of a connection, stored as an extension of its requests.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Paths that need no token: health checks, the API description, and the playground, whose API calls carry a token.
const OPEN: [&str; 5] = ["/", "/healthz", "/readyz", "/openapi.json", "/docs"];

/// Checks a request, passes it on, and counts and logs it.
pub async fn gate(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    // Metrics count routes instead of paths, so that clients cannot create new counters.
    let route = request.extensions().get::<MatchedPath>().map_or("other".to_owned(), |p| p.as_str().to_owned());
    let peer = request.extensions().get::<Peer>().map(|p| p.0.ip());
    let client = address(&app.config, peer, request.headers());
    let origin = request.headers().get(header::ORIGIN).cloned();
    let cors = origin.as_ref().and_then(|o| allowed_origin(&app, o));
    let trace = RequestTrace::begin(request.headers());
    let counted = Counted::new(&app.metrics.in_progress);
    let answer = async {
        let paying = check(&app, &request, &path, client, cors.is_some())?;
        if cors.is_some() && method == Method::OPTIONS {
            return Ok(preflight(request.headers()));
        }
        let _open = match (&app.config.trust, client) {
            (Some(_), Some(address)) => {
                let place = ClientPlace::take(&app.open, &Client::at(address), app.config.connections_per_client);
                Some(place.ok_or_else(|| Problem::busy("too many open requests of this client"))?)
            }
            _ => None,
        };
        trace.set_client(paying);
        Ok::<_, Problem>(next.run(request).await)
    };
    // Within the scope, since a problem names its request.
    let response = trace.clone().scope(async { answer.await.into_response() }).await;
    let mut response = held(&app, &trace, response).await;
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
        let exposed = HeaderValue::from_static("age, retry-after, x-cache, x-request-id, x-warnings");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    let status = response.status().as_u16();
    app.metrics.request(&route, status, start.elapsed());
    if app.config.log {
        let code = response.extensions().get::<Problem>().map(|problem| problem.code);
        let shown = if log::is_address(&path) { &route } else { &path };
        let ms = log::milliseconds(start.elapsed());
        let line = json!({"client": client, "method": method.as_str(), "path": shown, "status": status, "ms": ms});
        log::request(&trace, code, line);
    }
    response
}

/// Paths of health checks, which every probe may reach.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Checks a request and returns the client to whom it counts.
fn check(app: &App, request: &Request, path: &str, address: Option<IpAddr>, cors: bool) -> Result<Client, Problem> {
    let headers = request.headers();
    let at = address.map(Client::at).unwrap_or_default();
    if PROBES.contains(&path) {
        return Ok(at);
    }
    check_one_host(headers)?;
    check_host(app, headers)?;
    check_encoding(headers)?;
    let open = OPEN.contains(&path) || path.starts_with("/assets/");
    // The frame that shows foreign pages has a separate origin and still loads its script from here.
    if !cors && !open {
        check_origin(headers)?;
        check_site(headers)?;
    }
    // Browsers send preflights without a token.
    let preflight = cors && request.method() == Method::OPTIONS;
    if open || preflight || !app.tokens.are_needed() { Ok(at) } else { check_token(app, &at, headers) }
}

/// Returns a host without its port.
fn host_name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    }
}

/// Rejects several `Host` headers: a proxy and this service could read different ones.
fn check_one_host(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get_all(header::HOST).iter().count() {
        0 | 1 => Ok(()),
        n => Err(Problem::bad_request(format!("the request has {n} Host headers; send one"))),
    }
}

/// Rejects compressed bodies, which would be taken for the page.
fn check_encoding(headers: &HeaderMap) -> Result<(), Problem> {
    let all = headers.get_all(header::CONTENT_ENCODING);
    let names = all.iter().flat_map(|value| value.to_str().unwrap_or("?").split(',')).map(str::trim);
    match names.filter(|name| !name.is_empty()).find(|name| !name.eq_ignore_ascii_case("identity")) {
        None => Ok(()),
        Some(name) => {
            let detail =
                format!("'Content-Encoding: {name}' is not supported; no encoding is, so send the body as it is");
            Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail))
        }
    }
}

/// Rejects unknown host names. A web page can point its own domain to 127.0.0.1 and then reach this service as its own origin, but
/// the browser sends that domain in the `Host` header.
fn check_host(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let hosts = &app.config.hosts;
    let host = host_name(header_text(headers, header::HOST).unwrap_or(""));
    // The attack needs a name. With an address, the browser connected to that address.
    if hosts.is_empty() || host.parse::<IpAddr>().is_ok() || hosts.iter().any(|h| h.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    let detail = format!("the host name '{host}' is not accepted; add it with --host-name");
    Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", detail))
}

/// Rejects requests from scripts of other origins, even if they could not read the response. Origins allowed by CORS skip this check.
fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(origin) = header_text(headers, header::ORIGIN) else { return Ok(()) };
    let own = header_text(headers, header::HOST).unwrap_or("");
    if origin.split_once("://").is_some_and(|(_, host)| host.eq_ignore_ascii_case(own)) {
        return Ok(());
    }
    Err(Problem::new(StatusCode::FORBIDDEN, "cross_origin", "scripts of other origins may not use this service"))
}

/// Rejects requests that a browser sends for the pages of other sites without an `Origin`, such as for an image or a frame. Browsers name the
/// site; other clients do not.
fn check_site(headers: &HeaderMap) -> Result<(), Problem> {
    match header_text(headers, "sec-fetch-site") {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => {
            let detail = "pages of other sites may not use this service; open the address itself";
            Err(Problem::new(StatusCode::FORBIDDEN, "cross_origin", detail))
        }
    }
}

/// Returns the client that holds the token of a request. Wrong tokens are limited; right ones never are.
fn check_token(app: &App, at: &Client, headers: &HeaderMap) -> Result<Client, Problem> {
    let given = header_text(headers, header::AUTHORIZATION).ok_or_else(token_required)?;
    let bearer = given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match bearer.and_then(|(_, token)| app.tokens.find(token.trim())) {
        Some(token) => {
            trace::note(|facts| facts.token = Some(token.name.clone()));
            Ok(Client::Named(token.name.clone()))
        }
        None => {
            app.wrong_tokens.count(at, Instant::now())?;
            if bearer.is_none() {
                return Err(token_required());
            }
            let detail = "the token is not known: it is mistyped, or was withdrawn";
            Err(Problem::new(StatusCode::UNAUTHORIZED, "unknown_token", detail))
        }
    }
}

fn token_required() -> Problem {
    let detail = "a token is required: send the header 'Authorization: Bearer TOKEN'";
    Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
}

/// Returns the value of `Access-Control-Allow-Origin` if the origin is allowed.
fn allowed_origin(app: &App, origin: &HeaderValue) -> Option<HeaderValue> {
    let cors = &app.config.cors;
    let named = cors.iter().any(|o| o == "*" || origin.to_str().is_ok_and(|origin| origin.eq_ignore_ascii_case(o)));
    named.then(|| origin.clone())
}

fn preflight(headers: &HeaderMap) -> Response {
    let asked = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let allowed = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE")),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, asked.unwrap_or(HeaderValue::from_static("content-type"))),
        (header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600")),
    ];
    (StatusCode::NO_CONTENT, allowed).into_response()
}

/// Returns the client's address: the peer of the connection, or the address that the trusted proxies report.
pub fn address(config: &Config, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
    let Some(trusted) = config.trust else { return peer };
    let name = match trusted.header {
        ForwardedHeader::XForwardedFor => "x-forwarded-for",
        ForwardedHeader::Forwarded => "forwarded",
    };
    let values: Vec<&str> = headers.get_all(name).iter().filter_map(|v| v.to_str().ok()).collect();
    let hops: Vec<&str> = values.iter().flat_map(|v| v.split(',')).map(str::trim).collect();
    // Each proxy appends the address from which it got the request. Earlier entries than the trusted proxies' are from the client, which
    // may write anything.
    let hop = hops.len().checked_sub(trusted.hops.max(1)).or_else(|| (!hops.is_empty()).then_some(0));
    let hop = hop.and_then(|i| hops.get(i)).and_then(|hop| match trusted.header {
        ForwardedHeader::XForwardedFor => parse_address(hop),
        ForwardedHeader::Forwarded => hop.split(';').find_map(|part| {
            let (key, value) = part.split_once('=')?;
            key.trim().eq_ignore_ascii_case("for").then(|| parse_address(value.trim().trim_matches('"')))?
        }),
    });
    hop.or(peer)
}

/// Parses an address that may have a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
fn parse_address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|a| a.ip()))
}

/// Makes an answer count to the memory of its client until it has been read. Streams count their own pieces.
async fn held(app: &App, trace: &RequestTrace, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let size = body.size_hint().exact().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > SMALL);
    let work = trace.finish();
    let Some(size) = size else { return Response::from_parts(parts, body) };
    let mut share = app.limits.share(&trace.client());
    if let Err(problem) = share.grow_soon(size).await {
        return problem.into_response();
    }
    drop(work);
    // The answer is complete, so this does not wait.
    match axum::body::to_bytes(body, size).await {
        Ok(bytes) => Response::from_parts(parts, Body::from(share.hold(bytes))),
        Err(_) => Problem::internal().into_response(),
    }
}

/// Answers of up to this many bytes are not counted.
const SMALL: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Forwarded;

    #[test]
    fn host_names_have_no_port() {
        assert_eq!(host_name("localhost:8080"), "localhost");
        assert_eq!((host_name("[::1]:80"), host_name("e.org"), host_name("")), ("::1", "e.org", ""));
    }

    #[test]
    fn trusted_proxies_name_the_client() {
        let address = |trust: Option<Forwarded>, headers: &[(&'static str, &'static str)]| {
            let config = Config { trust, ..Config::default() };
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(*name, HeaderValue::from_static(value));
            }
            super::address(&config, Some([192, 0, 2, 1].into()), &map).unwrap().to_string()
        };
        let x = |hops| Some(Forwarded { header: ForwardedHeader::XForwardedFor, hops });
        let list = [("x-forwarded-for", "10.0.0.1, 10.0.0.2"), ("x-forwarded-for", "10.0.0.3:81")];
        assert_eq!(address(None, &list), "192.0.2.1");
        assert_eq!((address(x(1), &list), address(x(2), &list)), ("10.0.0.3".into(), "10.0.0.2".into()));
        assert_eq!(address(x(7), &list), "10.0.0.1");
        assert_eq!(
            (address(x(1), &[]), address(x(1), &[("x-forwarded-for", "x")])),
            ("192.0.2.1".into(), "192.0.2.1".into())
        );
        let forwarded = [("forwarded", "for=10.0.0.1;proto=https, proto=https;For=\"[2001:db8::7]:4711\"")];
        let f = |hops| Some(Forwarded { header: ForwardedHeader::Forwarded, hops });
        assert_eq!((address(f(1), &forwarded), address(f(2), &forwarded)), ("2001:db8::7".into(), "10.0.0.1".into()));
        assert_eq!(address(x(1), &forwarded), "192.0.2.1", "only the header that the proxy sets counts");
    }

    #[test]
    fn pages_of_other_sites_are_rejected() {
        let check = |site: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            site.map(|site| headers.insert("sec-fetch-site", HeaderValue::from_static(site)));
            check_site(&headers).is_ok()
        };
        assert!(check(None) && check(Some("none")) && check(Some("same-origin")));
        assert!(!check(Some("cross-site")) && !check(Some("same-site")));
    }

    #[test]
    fn two_host_headers_are_rejected() {
        let mut headers = HeaderMap::new();
        headers.append(header::HOST, "localhost".parse().unwrap());
        assert!(check_one_host(&headers).is_ok());
        headers.append(header::HOST, "evil.example".parse().unwrap());
        assert_eq!(check_one_host(&headers).unwrap_err().status, StatusCode::BAD_REQUEST);
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
