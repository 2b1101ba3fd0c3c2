//! The representation of a page that servers are asked for.
use crate::content_type::MARKDOWN;
use std::fmt;
use std::str::FromStr;
use ureq::http::header::{ACCEPT, HeaderMap, HeaderValue};

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

/// Whether a `Content-Type` is that of Markdown.
pub fn is_markdown(content_type: Option<&str>) -> bool {
    MARKDOWN.contains(&essence(content_type).as_str())
}

/// Returns a `Content-Type` without its parameters, in lower case.
pub fn essence(content_type: Option<&str>) -> String {
    content_type.unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}
