//! Fetching one page over HTTP, with every limit that a hostile or broken server makes necessary.
//!
//! Built on ureq with rustls: blocking, no async runtime. Redirects are followed here and not by ureq, so that each
//! hop is checked (http and https only, credentials stay with their site) and errors can name it; bodies are
//! decompressed here, so that `max_size` holds for what comes out and not for what came in.

mod ask;
pub(crate) mod body;
pub(crate) mod content_type;
mod error;
mod policy;
mod proxy;

use std::io;
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::header::{HeaderMap, HeaderName, HeaderValue};
use ureq::http::{Response, header};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, Timeout};
use url::Url;

pub use ask::{Answer, Ask};
use body::BodyError;
use content_type::Declared;
pub use error::FetchError;
pub use policy::{Network, Policy};
use policy::{Refused, Vetted};
pub use proxy::Proxy;
use proxy::{Exceptions, Proxies};

/// How pages are fetched.
///
/// ```
/// use std::time::Duration;
/// use maintext_io::fetch::FetchOptions;
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
    /// Redirects followed before giving up. Default: 10.
    pub max_redirects: usize,
    /// Headers sent with every request, name and value; they replace those that are sent by default. `Authorization`
    /// and `Cookie` are sent to the site of the first URL only, and not to others that it redirects to.
    pub headers: Vec<(String, String)>,
    /// The proxy. Default: from the environment. HTTP proxies are asked to `CONNECT`, for http URLs as well.
    pub proxy: Proxy,
    /// Which servers may be fetched from. `None`, the default, allows all: the caller chose the addresses. Services that
    /// fetch what others name need a [`Policy`]. With one, the proxies of the environment are not used, since they and not
    /// the policy would decide where connections go.
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
            headers: Vec::new(),
            proxy: Proxy::Environment,
            policy: None,
        }
    }
}

/// A page as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that answered, after redirects; without user name and password.
    pub url: String,
    /// The HTTP status, 200 to 299.
    pub status: u16,
    /// The `Content-Type` header as sent.
    pub content_type: Option<String>,
    /// Its `charset` parameter: what the decoder wants to know.
    pub charset: Option<String>,
    /// All headers of the answer in their order, names in lower case; bytes that are not UTF-8 became U+FFFD.
    pub headers: Vec<(String, String)>,
    /// The body without its `Content-Encoding`.
    pub body: Vec<u8>,
}

/// Fetches pages. Keeps connections open between fetches; cheap to clone and usable from many threads at once.
#[derive(Clone, Debug)]
pub struct Fetcher {
    options: FetchOptions,
    headers: HeaderMap,
    direct: Agent,
    http_proxy: Option<Agent>,
    https_proxy: Option<Agent>,
    exceptions: Exceptions,
}

/// Longer timeouts are cut to this: ureq adds them to the clock, which panics when it overflows.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Headers that only the site gets for which they were given.
const CREDENTIALS: [HeaderName; 2] = [header::AUTHORIZATION, header::COOKIE];

/// Headers that belong to the connection and would break it, or smuggle a second request, if set by hand.
const FORBIDDEN: [HeaderName; 5] =
    [header::HOST, header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION, header::UPGRADE];

impl Fetcher {
    /// Prepares a fetcher; opens no connection yet.
    ///
    /// # Errors
    ///
    /// [`FetchError::BadHeader`] for a header (or user agent) that cannot be sent, [`FetchError::BadProxy`].
    pub fn new(options: FetchOptions) -> Result<Self, FetchError> {
        if let Some(policy) = options.policy.clone() {
            return Self::with_resolver(options, Vetted::new(policy));
        }
        let headers = header_map(&options)?;
        let proxies = Proxies::choose(&options.proxy, |name| std::env::var(name).ok())?;
        let agent = |proxy| config(&options, proxy).new_agent();
        Ok(Self {
            direct: agent(None),
            http_proxy: proxies.http.map(|proxy| agent(Some(proxy))),
            https_proxy: proxies.https.map(|proxy| agent(Some(proxy))),
            exceptions: proxies.exceptions,
            headers,
            options,
        })
    }

    /// A fetcher without proxies that connects to the addresses of `resolver` only.
    fn with_resolver(options: FetchOptions, resolver: Vetted) -> Result<Self, FetchError> {
        if let Proxy::Url(_) = options.proxy {
            let reason = "with a policy no proxy is used: it would resolve names by itself".into();
            return Err(FetchError::BadProxy { place: "the options".into(), reason });
        }
        Ok(Self {
            direct: Agent::with_parts(config(&options, None), DefaultConnector::default(), resolver),
            http_proxy: None,
            https_proxy: None,
            exceptions: Exceptions::default(),
            headers: header_map(&options)?,
            options,
        })
    }

    /// Fetches a page, following redirects.
    ///
    /// # Errors
    ///
    /// Every other variant of [`FetchError`]; each names the URL at which it happened.
    pub fn fetch(&self, url: &str) -> Result<Fetched, FetchError> {
        let deadline = Instant::now().checked_add(self.options.timeout.min(FOREVER));
        let first = parse(url)?;
        let mut visited = vec![without_fragment(&first)];
        let mut url = first.clone();
        loop {
            let response = self.send(&url, url.origin() == first.origin(), &HeaderMap::new(), deadline)?;
            let Some(next) = redirect(&url, &response)? else {
                return self.receive(&url, response, false, deadline);
            };
            if visited.len() > self.options.max_redirects {
                return Err(FetchError::TooManyRedirects {
                    url: shown(&first),
                    last: shown(&next),
                    limit: self.options.max_redirects,
                });
            }
            // Without cookies the same question gets the same answer.
            let page = without_fragment(&next);
            if visited.contains(&page) {
                return Err(FetchError::RedirectLoop { url: shown(&first), again: shown(&next) });
            }
            visited.push(page);
            url = next;
        }
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
        same_site: bool,
        extra: &HeaderMap,
        deadline: Option<Instant>,
    ) -> Result<Response<Body>, FetchError> {
        if let Some(policy) = &self.options.policy {
            policy.check_url(url).map_err(|reason| FetchError::Refused { url: shown(url), reason })?;
        }
        let remaining = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if remaining.is_some_and(|remaining| remaining.is_zero()) {
            return Err(self.timeout(url, false));
        }
        let mut answer = self.call(url, same_site, extra, remaining);
        if matches!(&answer, Err(ureq::Error::Io(error)) if is_stale(error)) {
            // The server may have closed a connection that was kept open since the last fetch.
            answer = self.call(url, same_site, extra, remaining);
        }
        answer.map_err(|error| match error {
            ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) => self.timeout(url, true),
            ureq::Error::Timeout(_) => self.timeout(url, false),
            ureq::Error::HostNotFound => FetchError::Connect { url: shown(url), reason: "no such host".into() },
            ureq::Error::Io(error) => FetchError::Connect { url: shown(url), reason: error.to_string() },
            ureq::Error::Other(error) if error.is::<Refused>() => {
                FetchError::Refused { url: shown(url), reason: error.to_string() }
            }
            ureq::Error::BadUri(reason) => FetchError::BadUrl { url: shown(url), reason },
            error => FetchError::Connect { url: shown(url), reason: error.to_string() },
        })
    }

    fn call(
        &self,
        url: &Url,
        same_site: bool,
        extra: &HeaderMap,
        remaining: Option<Duration>,
    ) -> Result<Response<Body>, ureq::Error> {
        let mut request = self.agent_for(url).get(url.as_str());
        for (name, value) in self.headers.iter().chain(extra) {
            if same_site || !CREDENTIALS.contains(name) {
                request = request.header(name, value);
            }
        }
        let request = request.config().timeout_global(remaining).build();
        request.call()
    }

    /// The body with what the server says of it; `any` takes what is no page too.
    fn receive(
        &self,
        url: &Url,
        response: Response<Body>,
        any: bool,
        deadline: Option<Instant>,
    ) -> Result<Fetched, FetchError> {
        let status = response.status();
        if !status.is_success() {
            let retry_after = last_header(response.headers(), header::RETRY_AFTER);
            let retry_after = retry_after.and_then(|text| ask::retry_after(&text));
            return Err(FetchError::Status { url: shown(url), status: status.as_u16(), retry_after });
        }
        let (parts, body) = response.into_parts();
        let content_type = last_header(&parts.headers, header::CONTENT_TYPE);
        let declared = content_type::declared(content_type.as_deref());
        if declared == Declared::Other && !any {
            return Err(FetchError::ContentType { url: shown(url), content_type: content_type.unwrap_or_default() });
        }
        let body = self.read_body(url, &parts.headers, body, deadline)?;
        if let Some(kind) = content_type::binary_kind(&body, declared).filter(|_| !any) {
            return Err(FetchError::Binary { url: shown(url), kind, content_type });
        }
        let headers = parts.headers.iter();
        Ok(Fetched {
            url: shown(url),
            status: status.as_u16(),
            charset: content_type.as_deref().and_then(content_type::charset),
            content_type,
            headers: headers.map(|(name, value)| (name.to_string(), lossy(value))).collect(),
            body,
        })
    }

    fn read_body(
        &self,
        url: &Url,
        headers: &HeaderMap,
        body: Body,
        deadline: Option<Instant>,
    ) -> Result<Vec<u8>, FetchError> {
        let encoding: Vec<String> = headers.get_all(header::CONTENT_ENCODING).iter().map(lossy).collect();
        let max_size = self.options.max_size;
        // A compressed body longer than the limit is stopped while it is read.
        let too_long = body.content_length().is_some_and(|length| length > max_size as u64);
        let result = if too_long && encoding.is_empty() {
            Err(BodyError::TooLarge)
        } else {
            body::read(body.into_reader(), &encoding.join(","), max_size, deadline)
        };
        result.map_err(|error| match error {
            BodyError::Timeout => self.timeout(url, false),
            BodyError::TooLarge => FetchError::TooLarge { url: shown(url), limit: max_size },
            BodyError::Coding(encoding) => FetchError::ContentEncoding { url: shown(url), encoding },
            BodyError::Damaged(reason) => FetchError::Damaged { url: shown(url), reason },
        })
    }

    fn timeout(&self, url: &Url, connecting: bool) -> FetchError {
        FetchError::Timeout {
            url: shown(url),
            limit: if connecting { self.options.connect_timeout } else { self.options.timeout },
            connecting,
        }
    }
}

/// How a connection fails that the other side has closed in the meantime.
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
        .timeout_resolve(connect_timeout)
        .timeout_connect(connect_timeout)
        .proxy(proxy)
        .build()
}

/// The extra headers of the options. A line break in a value would start a header of its own: `http` refuses it.
fn header_map(options: &FetchOptions) -> Result<HeaderMap, FetchError> {
    let bad = |name: &str, reason| FetchError::BadHeader { name: name.to_string(), reason };
    let value = |name: &str, value: &str| {
        HeaderValue::from_str(value).map_err(|_| bad(name, "the value holds a line break or another control character"))
    };
    value("User-Agent", &options.user_agent)?;
    let mut headers = HeaderMap::new();
    for (name, text) in &options.headers {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| bad(name, "the name holds a character that no header name may hold"))?;
        if FORBIDDEN.contains(&parsed) {
            return Err(bad(name, "the connection itself sets it"));
        }
        headers.append(parsed, value(name, text)?);
    }
    Ok(headers)
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

/// Where a response redirects to, if it does. The fragment of the first URL is kept, as browsers do.
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

/// The URL for eyes and logs: no user name, no password.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // These fail for URLs without a host, which have neither.
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

fn lossy(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
