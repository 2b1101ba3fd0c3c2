//! Fetches one page over HTTP, with limits against hostile and broken servers.
//!
//! Built on ureq with rustls: blocking, without an async runtime. This module follows redirects itself instead of leaving them to
//! ureq, so that it can check each hop (http and https only; credentials stay with their site) and name it in errors. It also
//! decompresses bodies itself, so that `max_size` limits the decompressed size.

mod ask;
pub mod body;
pub mod content_type;
mod error;
mod hosts;
mod link;
mod payment;
mod policy;
mod proxy;
mod range;
pub mod representation;
mod rest;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::header::{HeaderMap, HeaderName, HeaderValue};
use ureq::http::{Response, header};
use ureq::unversioned::resolver::{DefaultResolver, Resolver};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, Timeout};
use url::Url;

pub use ask::{Answer, Ask};
use body::BodyError;
use content_type::Declared;
pub use error::FetchError;
pub use hosts::HostPattern;
pub use policy::{Network, Policy};
use policy::{Refused, Vetted};
pub use proxy::Proxy;
use proxy::{Exceptions, Proxies};
pub use range::Part;
pub use representation::Representation;
use rest::Rests;

/// How a [`Fetcher`] fetches pages.
///
/// ```
/// use std::time::Duration;
/// use maintext_fetch::FetchOptions;
///
/// let options = FetchOptions {
///     timeout: Duration::from_secs(5),
///     headers: vec![("Accept-Language".into(), "de, en;q=0.5".into())],
///     ..FetchOptions::default()
/// };
/// # assert_eq!(options.max_redirects, 10);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchOptions {
    /// The `User-Agent` header. Default: `maintext/` and the version.
    pub user_agent: String,
    /// Limit for the whole fetch: name lookup, connections, redirects, body, decompression. Default: 30 seconds.
    pub timeout: Duration,
    /// Limit for the name lookup, and for one connection with its TLS handshake. Default: 10 seconds.
    pub connect_timeout: Duration,
    /// Largest body in bytes, after decompression. Default: 20 MiB.
    pub max_size: usize,
    /// Largest number of redirects to follow. Default: 10.
    pub max_redirects: usize,
    /// Whether to accept the types of documents that are not HTML but can be turned into it: feeds, messages, archives. Their
    /// bodies are not checked. Default: no.
    pub documents: bool,
    /// Whether a page with an error status (4xx, 5xx) is returned like any other, instead of [`FetchError::Status`]. Default: no. The status
    /// 402 is an error in any case.
    pub error_pages: bool,
    /// The representation of a page to ask servers for. Default: HTML.
    pub representation: Representation,
    /// Headers sent with every request, as names and values; they replace the default ones. After a redirect to another origin only those
    /// without secrets are sent: `Accept`, `Accept-Language`, `User-Agent` and a few like them.
    pub headers: Vec<(String, String)>,
    /// Largest number of connections to one server that stay open for further fetches. Default: 3.
    pub idle_connections: usize,
    /// The proxy. Default: taken from the environment. HTTP proxies get a `CONNECT` request, for http URLs as well.
    pub proxy: Proxy,
    /// The servers that may be contacted. `None`, the default, allows all, because the caller chose the addresses. A service that
    /// fetches addresses on behalf of others needs a [`Policy`]. A policy disables the proxies of the environment. With a proxy in the
    /// options, the policy checks addresses, ports and names as written; which address a name has is then decided by the proxy.
    pub policy: Option<Policy>,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self {
            user_agent: concat!("maintext/", env!("CARGO_PKG_VERSION")).to_string(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            max_size: 20 * 1024 * 1024,
            max_redirects: 10,
            documents: false,
            error_pages: false,
            representation: Representation::Html,
            headers: Vec::new(),
            idle_connections: 3,
            proxy: Proxy::Environment,
            policy: None,
        }
    }
}

/// A fetched page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that answered, after redirects, without user name and password.
    pub url: String,
    /// The HTTP status, 200 to 299; with [`FetchOptions::error_pages`] also 400 to 599.
    pub status: u16,
    /// The `Content-Type` header as sent.
    pub content_type: Option<String>,
    /// Its `charset` parameter, to pass to the decoder.
    pub charset: Option<String>,
    /// All response headers in order, with names in lower case; bytes that are not UTF-8 are replaced by U+FFFD.
    pub headers: Vec<(String, String)>,
    /// The body without its `Content-Encoding`.
    pub body: Vec<u8>,
}

/// A request that is about to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Hop<'a> {
    /// The address.
    pub url: &'a Url,
    /// The status of the redirect that led to it; `None` for the first request.
    pub status: Option<u16>,
}

/// Fetches pages and keeps connections open between fetches. Cheap to clone; may be used from many threads at once.
///
/// A server that answers with an error and `Retry-After` gets no further request until then: those that are due earlier fail without one,
/// with the same status and the remaining time. Clones share these times.
#[derive(Clone, Debug)]
pub struct Fetcher {
    options: FetchOptions,
    headers: HeaderMap,
    direct: Agent,
    http_proxy: Option<Agent>,
    https_proxy: Option<Agent>,
    exceptions: Exceptions,
    rests: Arc<Rests>,
}

/// Longer timeouts are shortened to this, because ureq adds them to the clock, which panics on overflow.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Headers of the caller that are also sent after a redirect to another origin. All others may hold secrets of the first site
/// (`Authorization`, `Cookie`, `X-Api-Key`) or make sense for it only (`Referer`, `If-None-Match`).
const HARMLESS: [HeaderName; 10] = [
    header::ACCEPT,
    header::ACCEPT_CHARSET,
    header::ACCEPT_ENCODING,
    header::ACCEPT_LANGUAGE,
    header::CACHE_CONTROL,
    header::DNT,
    header::PRAGMA,
    header::RANGE,
    header::UPGRADE_INSECURE_REQUESTS,
    header::USER_AGENT,
];

/// Headers that belong to the connection: setting them by hand would break it or smuggle in a second request.
const FORBIDDEN: [HeaderName; 5] =
    [header::HOST, header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION, header::UPGRADE];

/// Whether a request header of the caller is also sent after a redirect to another origin, because it holds no secret: `Accept-Language`,
/// but not `Cookie`.
///
/// ```
/// assert!(maintext_fetch::is_harmless("accept-language") && !maintext_fetch::is_harmless("X-Api-Key"));
/// ```
pub fn is_harmless(header: &str) -> bool {
    HARMLESS.iter().any(|name| name.as_str().eq_ignore_ascii_case(header))
}

impl Fetcher {
    /// Creates a fetcher without opening a connection.
    ///
    /// # Errors
    ///
    /// Returns [`FetchError::BadHeader`] for a header (or user agent) that cannot be sent, and [`FetchError::BadProxy`].
    pub fn new(options: FetchOptions) -> Result<Self, FetchError> {
        let Some(policy) = options.policy.clone() else {
            let proxies = Proxies::choose(&options.proxy, |name| std::env::var(name).ok())?;
            return Self::with_resolver(options, DefaultResolver::default(), proxies);
        };
        let proxies = match options.proxy {
            Proxy::Url(_) => Proxies::choose(&options.proxy, |_| None)?,
            Proxy::Environment | Proxy::Direct => Proxies::default(),
        };
        let proxy = proxies.http.as_ref().map(|proxy| (proxy.host().to_owned(), proxy.port()));
        Self::with_resolver(options, Vetted { proxy, ..Vetted::new(policy) }, proxies)
    }

    /// Creates a fetcher that connects only to addresses of `resolver`.
    fn with_resolver(options: FetchOptions, resolver: impl Resolver, proxies: Proxies) -> Result<Self, FetchError> {
        let resolver: Arc<dyn Resolver> = Arc::new(resolver);
        let agent = |proxy| {
            let shared = policy::SharedResolver(resolver.clone());
            Agent::with_parts(config(&options, proxy), DefaultConnector::default(), shared)
        };
        Ok(Self {
            direct: agent(None),
            http_proxy: proxies.http.map(|proxy| agent(Some(proxy))),
            https_proxy: proxies.https.map(|proxy| agent(Some(proxy))),
            exceptions: proxies.exceptions,
            rests: Arc::default(),
            headers: header_map(&options)?,
            options,
        })
    }

    /// Returns a fetcher that asks for another representation. It shares the connections, and the times that servers asked for.
    #[must_use]
    pub fn asking_for(&self, representation: Representation) -> Fetcher {
        Fetcher { options: FetchOptions { representation, ..self.options.clone() }, ..self.clone() }
    }

    /// Returns this fetcher with the times that servers asked another one for; the two share them from now on.
    #[must_use]
    pub fn resting_with(self, other: &Fetcher) -> Fetcher {
        Fetcher { rests: other.rests.clone(), ..self }
    }

    /// Returns the settings.
    #[must_use]
    pub fn options(&self) -> &FetchOptions {
        &self.options
    }

    /// Returns how long the server of an address still wants to get no request, by its `Retry-After`; `None` if it may be asked.
    #[must_use]
    pub fn rest(&self, url: &str) -> Option<Duration> {
        let url = Url::parse(url).ok()?;
        self.rests.left(&url).map(|(left, _)| left)
    }

    /// Checks that the server of an address may be asked.
    ///
    /// # Errors
    ///
    /// Returns [`FetchError::Status`] if its `Retry-After` has not passed.
    pub fn check_rest(&self, url: &Url) -> Result<(), FetchError> {
        match self.rests.left(url) {
            Some((left, status)) => {
                Err(FetchError::Status { url: shown(url), status, retry_after: Some(left), sent: false })
            }
            None => Ok(()),
        }
    }

    /// Fetches a page and follows redirects.
    ///
    /// # Errors
    ///
    /// Returns any other variant of [`FetchError`]; each names the URL at which it occurred.
    pub fn fetch(&self, url: &str) -> Result<Fetched, FetchError> {
        self.fetch_within(url, |_| Ok(()), &mut |_| true)
    }

    /// Like [`Fetcher::fetch`], but calls `visit` before each request, to check the address or to wait, and `room` before the body occupies
    /// more bytes of memory, with their number. If `room` returns `false`, the fetch ends.
    ///
    /// # Errors
    ///
    /// The errors of [`Fetcher::fetch`] and of `visit`, and [`FetchError::NoRoom`] if `room` returns `false`.
    pub fn fetch_within(
        &self,
        url: &str,
        mut visit: impl FnMut(&Hop<'_>) -> Result<(), FetchError>,
        room: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Fetched, FetchError> {
        let deadline = Instant::now().checked_add(self.options.timeout.min(FOREVER));
        let first = parse(url)?;
        let mut visited = vec![without_fragment(&first)];
        let mut url = first.clone();
        // A foreign site that redirects back does not get the headers sent again to an address of its choice.
        let mut own = true;
        let mut status = None;
        loop {
            self.check(&url).map_err(|error| behind_redirect(error, &first, &url))?;
            visit(&Hop { url: &url, status })?;
            own &= url.origin() == first.origin();
            let response = self.send(&url, own, &self.options.representation.header(), deadline);
            let response = response.map_err(|error| behind_redirect(error, &first, &url))?;
            let found = response.status().as_u16();
            let Some(next) = redirect(&url, &response)? else {
                return self.receive(&url, response, false, deadline, room);
            };
            if visited.len() > self.options.max_redirects {
                let limit = self.options.max_redirects;
                return Err(FetchError::TooManyRedirects { url: shown(&first), last: shown(&next), limit });
            }
            // Without cookies, the same request gets the same response.
            let page = without_fragment(&next);
            if visited.contains(&page) {
                return Err(FetchError::RedirectLoop { url: shown(&first), again: shown(&next) });
            }
            visited.push(page);
            status = Some(found);
            url = next;
        }
    }

    /// Asks the policy whether the address may be requested, without resolving names.
    fn check(&self, url: &Url) -> Result<(), FetchError> {
        let Some(policy) = &self.options.policy else { return Ok(()) };
        let behind = || match self.http_proxy {
            Some(_) => policy.check_behind_proxy(url),
            None => Ok(()),
        };
        policy.check_url(url).and_then(|()| behind()).map_err(|reason| FetchError::Refused { url: shown(url), reason })
    }

    fn agent_for(&self, url: &Url) -> &Agent {
        let proxied = match url.scheme() {
            "https" => &self.https_proxy,
            _ => &self.http_proxy,
        };
        match proxied {
            Some(agent) if !self.exceptions.contains(url.host_str().unwrap_or("")) => agent,
            _ => &self.direct,
        }
    }

    fn send(
        &self,
        url: &Url,
        own: bool,
        extra: &HeaderMap,
        deadline: Option<Instant>,
    ) -> Result<Response<Body>, FetchError> {
        self.check(url)?;
        self.check_rest(url)?;
        let remaining = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if remaining.is_some_and(|remaining| remaining.is_zero()) {
            return Err(self.timeout(url, false));
        }
        let call = || {
            let mut request = self.agent_for(url).get(url.as_str());
            let extra = extra.iter().filter(|(name, _)| *name != header::ACCEPT || !self.headers.contains_key(*name));
            for (name, value) in self.headers.iter().chain(extra) {
                if own || HARMLESS.contains(name) {
                    request = request.header(name, value);
                }
            }
            request.config().timeout_global(remaining).build().call()
        };
        let mut answer = call();
        if matches!(&answer, Err(ureq::Error::Io(error)) if is_stale(error)) {
            // The server may have closed a connection that was kept open since the previous fetch.
            answer = call();
        }
        if let Ok(response) = &answer {
            self.rests.note(url, response.status().as_u16(), retry_after(response));
        }
        answer.map_err(|error| match error {
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => self.timeout(url, true),
            ureq::Error::Timeout(_) => self.timeout(url, false),
            ureq::Error::HostNotFound => FetchError::Connect { url: shown(url), reason: "no such host".into() },
            ureq::Error::Io(error) => FetchError::Connect { url: shown(url), reason: explained(&error) },
            ureq::Error::Other(error) if error.is::<Refused>() => {
                FetchError::Refused { url: shown(url), reason: error.to_string() }
            }
            ureq::Error::BadUri(reason) => FetchError::BadUrl { url: shown(url), reason },
            error => FetchError::Connect { url: shown(url), reason: explained(&error) },
        })
    }

    /// Reads the response. With `any`, content types other than pages are accepted too.
    fn receive(
        &self,
        url: &Url,
        response: Response<Body>,
        any: bool,
        deadline: Option<Instant>,
        room: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Fetched, FetchError> {
        let status = response.status();
        let content_type = last_header(response.headers(), header::CONTENT_TYPE);
        let declared = content_type::declared(content_type.as_deref());
        if status.as_u16() == 402 {
            return Err(self.payment_error(url, response, deadline));
        }
        let is_error_page = self.options.error_pages && declared != Declared::Other && status.as_u16() >= 400;
        if !status.is_success() && !is_error_page {
            return Err(self.status_error(url, &response));
        }
        let (parts, body) = response.into_parts();
        let any = any || (self.options.documents && content_type::is_document(content_type.as_deref()));
        if declared == Declared::Other && !any {
            return Err(FetchError::ContentType { url: shown(url), content_type: content_type.unwrap_or_default() });
        }
        let body = self.read_body(url, &parts.headers, body, deadline, room)?;
        if !any && let Some(kind) = content_type::binary_kind(&body, declared) {
            return Err(FetchError::Binary { url: shown(url), kind, content_type });
        }
        Ok(Fetched {
            url: shown(url),
            status: status.as_u16(),
            charset: content_type.as_deref().and_then(content_type::charset),
            content_type,
            headers: texts(&parts.headers),
            body,
        })
    }

    fn read_body(
        &self,
        url: &Url,
        headers: &HeaderMap,
        body: Body,
        deadline: Option<Instant>,
        room: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Vec<u8>, FetchError> {
        let encoding = content_encoding(headers);
        let max_size = self.options.max_size;
        // A compressed body that exceeds the limit is stopped while it is read.
        let too_long = body.content_length().is_some_and(|length| length > max_size as u64);
        let result = if too_long && encoding.is_empty() {
            Err(BodyError::TooLarge)
        } else {
            body::read_within(body.into_reader(), &encoding, max_size, deadline, room)
        };
        result.map_err(|error| self.body_error(url, error))
    }

    fn body_error(&self, url: &Url, error: BodyError) -> FetchError {
        match error {
            BodyError::Timeout => self.timeout(url, false),
            BodyError::NoRoom => FetchError::NoRoom { url: shown(url) },
            BodyError::TooLarge => FetchError::TooLarge { url: shown(url), limit: self.options.max_size },
            BodyError::Coding(encoding) => FetchError::ContentEncoding { url: shown(url), encoding },
            BodyError::Damaged(reason) => FetchError::Damaged { url: shown(url), reason },
        }
    }

    fn status_error(&self, url: &Url, response: &Response<Body>) -> FetchError {
        let retry_after = retry_after(response);
        FetchError::Status { url: shown(url), status: response.status().as_u16(), retry_after, sent: true }
    }

    /// Returns the error for an answer that asks for payment.
    fn payment_error(&self, url: &Url, response: Response<Body>, deadline: Option<Instant>) -> FetchError {
        let (parts, body) = response.into_parts();
        let encoding = content_encoding(&parts.headers);
        // Without the body, the headers may still state the price.
        let body = body::read(body.into_reader(), &encoding, payment::MAX_BODY, deadline).unwrap_or_default();
        let (price, license) = payment::terms(url, &texts(&parts.headers), &body);
        FetchError::Payment { url: shown(url), price, license }
    }

    fn timeout(&self, url: &Url, connecting: bool) -> FetchError {
        let limit = if connecting { self.options.connect_timeout } else { self.options.timeout };
        FetchError::Timeout { url: shown(url), limit, connecting }
    }
}

/// Names the requested address in the refusal of one that it redirects to.
fn behind_redirect(error: FetchError, first: &Url, url: &Url) -> FetchError {
    match error {
        FetchError::Refused { url: target, reason } if url != first => {
            FetchError::Refused { url: shown(first), reason: format!("{reason}; it redirects to {target}") }
        }
        other => other,
    }
}

/// Returns how long a server asks to wait.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    ask::retry_after(&last_header(response.headers(), header::RETRY_AFTER)?)
}

/// Returns the message of a failed connection. Rustls has `InvalidContentType` for an answer without TLS.
fn explained(error: &dyn std::error::Error) -> String {
    let message = error.to_string();
    if message.contains("InvalidContentType") {
        return "the server does not answer in TLS; its address may begin with http://".into();
    }
    message
}

/// Whether an error means that the server has closed the connection in the meantime.
fn is_stale(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

fn config(options: &FetchOptions, proxy: Option<ureq::Proxy>) -> Config {
    let connect_timeout = Some(options.connect_timeout.min(FOREVER));
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(&options.user_agent)
        .accept("text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1")
        .accept_encoding("gzip, deflate, br, zstd")
        .max_idle_connections_per_host(options.idle_connections)
        .max_idle_connections(options.idle_connections.max(10))
        .timeout_resolve(connect_timeout)
        .timeout_connect(connect_timeout)
        .proxy(proxy)
        .build()
}

/// Returns the extra headers of the options. A line break in a value would start another header; `http` rejects it.
fn header_map(options: &FetchOptions) -> Result<HeaderMap, FetchError> {
    header_value("User-Agent", &options.user_agent)?;
    let mut headers = HeaderMap::new();
    for (name, text) in &options.headers {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| bad_header(name, "the name contains a character that is not allowed in header names"))?;
        if FORBIDDEN.contains(&parsed) {
            return Err(bad_header(name, "the connection itself sets it"));
        }
        headers.append(parsed, header_value(name, text)?);
    }
    Ok(headers)
}

fn bad_header(name: &str, reason: &'static str) -> FetchError {
    FetchError::BadHeader { name: name.to_string(), reason }
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue, FetchError> {
    HeaderValue::from_str(value)
        .map_err(|_| bad_header(name, "the value contains a line break or another control character"))
}

fn parse(url: &str) -> Result<Url, FetchError> {
    let parsed =
        Url::parse(url).map_err(|error| FetchError::BadUrl { url: url.to_string(), reason: error.to_string() })?;
    check_scheme(parsed)
}

fn check_scheme(url: Url) -> Result<Url, FetchError> {
    match url.scheme() {
        "http" | "https" => Ok(url),
        scheme => Err(FetchError::Scheme { scheme: scheme.to_string(), url: shown(&url) }),
    }
}

/// Returns the target of a redirect, or `None` for other responses. Keeps the fragment of the first URL, as browsers do.
fn redirect(url: &Url, response: &Response<Body>) -> Result<Option<Url>, FetchError> {
    let status = response.status().as_u16();
    if !matches!(status, 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let bad = |reason: String| FetchError::BadRedirect { url: shown(url), status, reason };
    let location = last_header(response.headers(), header::LOCATION).ok_or_else(|| bad("it has no Location".into()))?;
    let mut next = url.join(location.trim()).map_err(|error| bad(format!("Location {location}: {error}")))?;
    if next.fragment().is_none() {
        next.set_fragment(url.fragment());
    }
    check_scheme(next).map(Some)
}

/// Returns the URL for messages, without user name and password.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // These fail only for URLs without a host, which have no credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

fn without_fragment(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    url
}

fn last_header(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get_all(name).iter().next_back().map(lossy)
}

/// Returns the codings of a body, the last one applied last.
fn content_encoding(headers: &HeaderMap) -> String {
    headers.get_all(header::CONTENT_ENCODING).iter().map(lossy).collect::<Vec<_>>().join(",")
}

/// Returns all headers as texts, with names in lower case.
fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.to_string(), lossy(value))).collect()
}

fn lossy(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
