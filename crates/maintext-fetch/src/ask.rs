//! One request and its response. Redirects are returned to the caller, because a crawler has to check each address first.
use super::{
    FOREVER, FetchError, Fetched, Fetcher, Representation, header, header_value, link, parse, redirect, representation,
};
use std::time::{Duration, Instant, SystemTime};

/// A request.
///
/// ```no_run
/// use maintext_fetch::{Answer, Ask, FetchOptions, Fetcher};
///
/// let fetcher = Fetcher::new(FetchOptions::default())?;
/// let ask = Ask { etag: Some("\"33a64df5\""), ..Ask::new("https://www.example.org/") };
/// match fetcher.ask(&ask)? {
///     Answer::Page(page) => println!("{} bytes", page.body.len()),
///     Answer::Unchanged => println!("the page has not changed"),
///     Answer::Moved(url) => println!("now at {url}"),
/// }
/// # Ok::<(), maintext_fetch::FetchError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The address.
    pub url: &'a str,
    /// The `ETag` of the copy that the caller has: sent as `If-None-Match`.
    pub etag: Option<&'a str>,
    /// The `Last-Modified` of the copy that the caller has: sent as `If-Modified-Since`.
    pub last_modified: Option<&'a str>,
    /// Accept a body of any type: compressed sitemaps are not pages.
    pub any_type: bool,
    /// The representation to ask for, if it differs from the options.
    pub representation: Option<Representation>,
}

impl<'a> Ask<'a> {
    /// A request for a page without conditions.
    pub fn new(url: &'a str) -> Ask<'a> {
        Ask { url, etag: None, last_modified: None, any_type: false, representation: None }
    }
}

/// The response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The page.
    Page(Fetched),
    /// The caller's copy is still valid: status 304.
    Unchanged,
    /// The page is at another address, which was not requested.
    Moved(String),
}

impl Fetcher {
    /// Sends one request without following redirects.
    ///
    /// # Errors
    ///
    /// The same as for [`Fetcher::fetch`], and [`FetchError::BadHeader`] if the validators cannot be sent.
    pub fn ask(&self, ask: &Ask<'_>) -> Result<Answer, FetchError> {
        let deadline = Instant::now().checked_add(self.options.timeout.min(FOREVER));
        let url = parse(ask.url)?;
        let mut extra = ask.representation.unwrap_or(self.options.representation).header();
        for (name, value) in [(header::IF_NONE_MATCH, ask.etag), (header::IF_MODIFIED_SINCE, ask.last_modified)] {
            if let Some(value) = value {
                extra.insert(name.clone(), header_value(name.as_str(), value)?);
            }
        }
        let response = self.send(&url, true, &extra, deadline)?;
        if response.status().as_u16() == 304 {
            return Ok(Answer::Unchanged);
        }
        match redirect(&url, &response)? {
            Some(next) => Ok(Answer::Moved(next.into())),
            None => self.receive(&url, response, ask.any_type, deadline, &mut |_| true).map(Answer::Page),
        }
    }
}

/// Longer waits than this are shortened to it.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// Parses a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3); zero for a date in the past.
pub(super) fn retry_after(text: &str) -> Option<Duration> {
    let text = text.trim();
    let wait = if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().map_or(LONGEST_RETRY_AFTER, Duration::from_secs)
    } else {
        httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).unwrap_or_default()
    };
    Some(wait.min(LONGEST_RETRY_AFTER))
}

impl Fetched {
    /// Returns the address of the Markdown version that a `Link` header declares, absolute.
    pub fn markdown_link(&self) -> Option<String> {
        let found = link::links(&self.url, &self.headers);
        found.into_iter().find(|l| l.has("alternate") && representation::is_markdown(l.kind.as_deref())).map(|l| l.url)
    }

    /// Returns the value of a header by its name in lower case; the last one if there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Returns how long the server asks clients to wait, from its `Retry-After` header; zero for a date in the past.
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.header("retry-after")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(retry_after(" 120 "), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("Fri, 31 Dec 1999 23:59:59 GMT"), Some(Duration::ZERO));
        let later = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
        assert!(retry_after(&later).is_some_and(|d| (3500..=3600).contains(&d.as_secs())));
        for endless in ["99999999999999999999999", "18446744073709551615", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            assert_eq!(retry_after(endless), Some(LONGEST_RETRY_AFTER), "{endless}");
        }
        for wrong in ["", "-1", "soon", "1.5"] {
            assert_eq!(retry_after(wrong), None, "{wrong}");
        }
    }
}
