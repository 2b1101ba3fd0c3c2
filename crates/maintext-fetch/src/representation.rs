//! The representation of a page that servers are asked for.
use crate::content_type::MARKDOWN;
pub use crate::content_type::essence;
use std::fmt;
use std::str::FromStr;
use ureq::http::header::{ACCEPT, HeaderMap, HeaderValue};
use url::Url;

/// The representation of a page to ask servers for. A server may ignore it.
///
/// ```
/// use maintext_fetch::{FetchOptions, Representation};
/// let options = FetchOptions { representation: Representation::Markdown, ..FetchOptions::default() };
/// assert_eq!("markdown".parse(), Ok(options.representation));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Representation {
    /// HTML.
    #[default]
    Html,
    /// Markdown, else plain text, else HTML.
    Markdown,
}

impl Representation {
    /// Returns the `Accept` header; none for HTML, for which the default header asks.
    pub(crate) fn header(self) -> HeaderMap {
        const MARKDOWN_FIRST: &str = "text/markdown, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, \
             application/xhtml+xml;q=0.7, application/xml;q=0.6, */*;q=0.1";
        let mut headers = HeaderMap::new();
        if self == Representation::Markdown {
            headers.insert(ACCEPT, HeaderValue::from_static(MARKDOWN_FIRST));
        }
        headers
    }
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Representation::Html => "html",
            Representation::Markdown => "markdown",
        })
    }
}

impl FromStr for Representation {
    type Err = String;

    fn from_str(text: &str) -> Result<Representation, String> {
        match text {
            "html" => Ok(Representation::Html),
            "markdown" => Ok(Representation::Markdown),
            _ => Err(format!("'{text}' is not a representation; expected html or markdown")),
        }
    }
}

/// Whether a `Content-Type` names Markdown.
pub fn is_markdown(content_type: Option<&str>) -> bool {
    MARKDOWN.contains(&essence(content_type).as_str())
}

/// Whether an address may be a version of a page that names it: on the same host and port, and not less secure.
///
/// ```
/// use maintext_fetch::representation::is_same_host;
/// assert!(is_same_host("https://example.org/a", "https://example.org/a.md"));
/// assert!(!is_same_host("https://example.org/a", "https://md.example.org/a"));
/// ```
pub fn is_same_host(page: &str, address: &str) -> bool {
    let (Ok(page), Ok(address)) = (Url::parse(page), Url::parse(address)) else { return false };
    let is_upgrade = page.scheme() == "http" && address.scheme() == "https" && page.host() == address.host();
    page.origin() == address.origin() || is_upgrade && page.port().is_none() && address.port().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_on_the_same_host() {
        for same in ["https://e.org/a.md", "https://e.org:443/"] {
            assert!(is_same_host("https://e.org/a", same) && is_same_host("http://e.org/a", same), "{same}");
        }
        for other in
            ["http://e.org/a.md", "https://www.e.org/a.md", "https://e.org:8443/", "https://e.org.example/", "a.md"]
        {
            assert!(!is_same_host("https://e.org/a", other), "{other}");
        }
    }
}
