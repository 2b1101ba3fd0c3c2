//! Errors of a fetch. Each message is one line that names the URL and suggests what to do.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// Why a page was not fetched. `Display` prints one line for a log, even if the server sent line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchError {
    /// The text is not a URL.
    BadUrl {
        /// The text.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The URL, or one that a server redirected to, is neither `http` nor `https`.
    Scheme {
        /// The URL.
        url: String,
        /// Its scheme.
        scheme: String,
    },
    /// The [`Policy`](super::Policy) does not allow the URL, or an address to which its name resolves.
    Refused {
        /// The URL.
        url: String,
        /// Why.
        reason: String,
    },
    /// A header in the options cannot be sent.
    BadHeader {
        /// Name of the header.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// The proxy in the options or in the environment is not a proxy URL.
    BadProxy {
        /// Where it was set: an environment variable, or the options.
        place: String,
        /// The reason.
        reason: String,
    },
    /// No connection: unknown host, refused, TLS failure, or a server that does not speak HTTP.
    Connect {
        /// The URL.
        url: String,
        /// The error of the network.
        reason: String,
    },
    /// The limit for connecting or for the whole fetch has passed.
    Timeout {
        /// The URL.
        url: String,
        /// The limit.
        limit: Duration,
        /// Whether it was the limit for connecting.
        connecting: bool,
    },
    /// More redirects than the options allow.
    TooManyRedirects {
        /// The first URL.
        url: String,
        /// The redirect that was not followed.
        last: String,
        /// The limit.
        limit: usize,
    },
    /// A redirect leads to a URL that was already requested.
    RedirectLoop {
        /// The first URL.
        url: String,
        /// The repeated URL.
        again: String,
    },
    /// A redirect without a usable `Location`.
    BadRedirect {
        /// The URL that answered.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The reason.
        reason: String,
    },
    /// The server answered with something other than success.
    Status {
        /// The URL.
        url: String,
        /// The HTTP status.
        status: u16,
        /// How long the server asks clients to wait, from its `Retry-After` header.
        retry_after: Option<Duration>,
        /// Whether this is the answer to the request; otherwise none was sent, because the server asked to wait before.
        sent: bool,
    },
    /// The server demands payment: status 402. maintext never pays.
    Payment {
        /// The URL.
        url: String,
        /// The price in the words of the server, if it states one.
        price: Option<String>,
        /// Address of the licence, if it states one.
        license: Option<String>,
    },
    /// The `Content-Type` is not HTML, XHTML, XML, Markdown or plain text.
    ContentType {
        /// The URL.
        url: String,
        /// The type as the server sent it.
        content_type: String,
    },
    /// The body is not text, even if a `Content-Type` says otherwise.
    Binary {
        /// The URL.
        url: String,
        /// What it looks like: "a PDF document".
        kind: &'static str,
        /// The `Content-Type`, if there was one.
        content_type: Option<String>,
    },
    /// A `Content-Encoding` other than gzip, deflate, br, zstd.
    ContentEncoding {
        /// The URL.
        url: String,
        /// The encoding as the server sent it.
        encoding: String,
    },
    /// The body ended early, or its compression is broken.
    Damaged {
        /// The URL.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The server did not send the requested range of a file.
    Range {
        /// The URL.
        url: String,
        /// The reason.
        reason: String,
    },
    /// The body is larger, after decompression, than the options allow.
    TooLarge {
        /// The URL.
        url: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The caller of [`Fetcher::fetch_within`](crate::Fetcher::fetch_within) had no room for the body.
    NoRoom {
        /// The URL.
        url: String,
    },
}

impl FetchError {
    /// Whether the same fetch may succeed later: timeouts, network failures, damaged bodies and the statuses 408,
    /// 425, 429, 500, 502, 503, 504.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Timeout { .. } | Self::Connect { .. } | Self::Damaged { .. } | Self::NoRoom { .. } => true,
            Self::Status { sent: false, .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            _ => false,
        }
    }

    /// Returns the HTTP status of the answer, if it is the reason.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, sent: true, .. } => Some(*status),
            Self::Payment { .. } => Some(402),
            _ => None,
        }
    }

    /// Returns the reason in a few words that many pages share, to count failures by: "HTTP status 404", "no connection".
    pub fn reason(&self) -> Cow<'static, str> {
        match self {
            Self::Status { status, .. } => format!("HTTP status {status}").into(),
            Self::Payment { .. } => "payment required".into(),
            Self::BadUrl { .. } | Self::Scheme { .. } => "not an http(s) address".into(),
            Self::Refused { .. } => "not allowed".into(),
            Self::BadHeader { .. } | Self::BadProxy { .. } => "settings".into(),
            Self::Connect { .. } => "no connection".into(),
            Self::Timeout { .. } => "fetch timeout".into(),
            Self::TooManyRedirects { .. } | Self::RedirectLoop { .. } | Self::BadRedirect { .. } => "redirects".into(),
            Self::ContentType { .. } | Self::Binary { .. } => "not HTML".into(),
            Self::ContentEncoding { .. } | Self::Damaged { .. } => "damaged".into(),
            Self::Range { .. } => "no ranges".into(),
            Self::TooLarge { .. } => "too large".into(),
            Self::NoRoom { .. } => "no memory".into(),
        }
    }
}

impl std::error::Error for FetchError {}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadUrl { url, reason } => {
                let (url, reason) = (one_line(url), one_line(reason));
                write!(f, "{url}: not a URL ({reason}); write it in full, such as https://example.org/page")
            }
            Self::Scheme { url, scheme } => {
                write!(f, "{}: cannot fetch {}: URLs, only http: and https:", one_line(url), one_line(scheme))
            }
            Self::Refused { url, reason } => write!(f, "{}: refused: {}", one_line(url), one_line(reason)),
            Self::BadHeader { name, reason } => {
                write!(f, "header {}: {reason}; change it in the options", one_line(name))
            }
            Self::BadProxy { place, reason } => {
                let (place, reason) = (one_line(place), one_line(reason));
                write!(f, "proxy from {place}: {reason}; write it as http://host:port or socks5://host:port")
            }
            Self::Connect { url, reason } => {
                write!(f, "{}: no connection ({}); check the address and the network", one_line(url), one_line(reason))
            }
            Self::Timeout { url, limit, connecting } => {
                let what = if *connecting { "no connection" } else { "not finished" };
                write!(f, "{}: {what} within {} s; try again or raise the timeout", one_line(url), limit.as_secs_f64())
            }
            Self::TooManyRedirects { url, last, limit } => {
                let (url, last) = (one_line(url), one_line(last));
                write!(f, "{url}: more than {limit} redirects, the last to {last}; fetch that or raise the limit")
            }
            Self::RedirectLoop { url, again } => {
                let (url, again) = (one_line(url), one_line(again));
                write!(f, "{url}: redirects in a circle through {again}; the site may want a Cookie header")
            }
            Self::BadRedirect { url, status, reason } => {
                write!(f, "{}: redirect {status} cannot be followed ({})", one_line(url), one_line(reason))
            }
            Self::Status { url, status, retry_after: Some(wait), sent: false } => {
                let seconds = wait.as_secs_f64().ceil();
                write!(
                    f,
                    "{}: not requested, because the server answered an earlier request with {status}; it asks to wait {seconds} s",
                    one_line(url)
                )
            }
            Self::Status { url, status, retry_after: Some(wait), .. } if !wait.is_zero() => {
                let seconds = wait.as_secs_f64().ceil();
                write!(f, "{}: HTTP status {status} (the server asks to wait {seconds} s)", one_line(url))
            }
            Self::Status { url, status, .. } => {
                write!(f, "{}: HTTP status {status}{}", one_line(url), advice(*status))
            }
            Self::Payment { url, price, license } => {
                let price =
                    price.as_deref().map_or_else(|| "no price stated".into(), |p| format!("price: {}", one_line(p)));
                write!(f, "{}: payment required, but maintext never pays ({price}", one_line(url))?;
                if let Some(license) = license {
                    write!(f, "; licence: {}", one_line(license))?;
                }
                f.write_str(")")
            }
            Self::ContentType { url, content_type } => {
                write!(f, "{}: is {}, not HTML, XML or plain text", one_line(url), one_line(content_type))
            }
            Self::Binary { url, kind, content_type } => {
                write!(f, "{}: is {kind}, not a page", one_line(url))?;
                match content_type {
                    Some(declared) => write!(f, " (declared as {})", one_line(declared)),
                    None => write!(f, " (without a Content-Type)"),
                }
            }
            Self::ContentEncoding { url, encoding } => {
                let (url, encoding) = (one_line(url), one_line(encoding));
                write!(
                    f,
                    "{url}: compressed as {encoding}, which is not supported; supported are gzip, deflate, br and zstd"
                )
            }
            Self::Damaged { url, reason } => {
                write!(f, "{}: broken body ({}); try again", one_line(url), one_line(reason))
            }
            Self::Range { url, reason } => {
                write!(f, "{}: {}; download the file instead", one_line(url), one_line(reason))
            }
            Self::NoRoom { url } => write!(f, "{}: no memory is free for the page; try again", one_line(url)),
            Self::TooLarge { url, limit } => {
                write!(f, "{}: larger than {limit} bytes; raise the size limit (--max-size) to fetch it", one_line(url))
            }
        }
    }
}

/// Returns advice for a status, to append to the message.
fn advice(status: u16) -> &'static str {
    match status {
        401 | 407 => " (needs a login: pass an Authorization header)",
        403 => " (the site refuses: another User-Agent may help)",
        404 | 410 => " (no such page)",
        408 | 429 | 503 => " (busy: try again later)",
        500..=599 => " (the server failed: try again later)",
        _ => "",
    }
}

/// Returns at most 300 characters of untrusted text, without line breaks or control characters.
fn one_line(text: &str) -> String {
    const LIMIT: usize = 300;
    let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LIMIT).collect();
    if text.chars().nth(LIMIT).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_servers_stays_on_one_line() {
        let error = FetchError::ContentType {
            url: "http://a/\r\nb".into(),
            content_type: format!("x/y\n\u{1b}[2J{}", "z".repeat(9000)),
        };
        let line = error.to_string();
        assert!(!line.chars().any(char::is_control), "{line}");
        assert!(line.len() < 1000);
    }

    #[test]
    fn only_failures_that_may_pass_are_temporary() {
        let status = |status| FetchError::Status { url: "http://a/".into(), status, retry_after: None, sent: true };
        assert!(status(503).is_temporary() && status(429).is_temporary());
        assert!(!status(404).is_temporary());
    }
}
