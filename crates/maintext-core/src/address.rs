//! Addresses of pages, of their links and of their images.
use crate::dom::{Dom, NodeId, Tag};
use crate::error::Error;
use url::{ParseError, Url};

/// Parses the address of a page.
///
/// # Errors
/// [`Error::BadUrl`] if it is not an absolute address with a host.
pub fn page_url(url: &str) -> Result<Url, Error> {
    match Url::parse(url) {
        Ok(parsed) if parsed.has_host() => Ok(parsed),
        other => Err(Error::BadUrl { url: url.to_owned(), source: other.err() }),
    }
}

/// Returns the base address of the page's links: the first `<base href>`, itself relative to the page's address.
pub fn base_url(dom: &Dom, url: Option<&Url>) -> Option<Url> {
    let declared = dom
        .find(NodeId::ROOT, Tag::HEAD)
        .and_then(|head| dom.children(head).filter(|&n| dom.tag(n) == Tag::BASE).find_map(|n| dom.attr(n, "href")));
    match declared {
        Some(href) => Url::options().base_url(url).parse(href).ok().or_else(|| url.cloned()),
        None => url.cloned(),
    }
}

/// Returns the address of a link, absolute if `base` is known; `None` for a malformed address and for every scheme other than http, https,
/// mailto and tel.
pub(crate) fn resolve(href: &str, base: Option<&Url>) -> Option<String> {
    resolve_with(href, base, &["http", "https", "mailto", "tel"])
}

/// Whether a resolved address leads to another site than `base`: to a host that is neither its own, nor above or below it. Without a base,
/// relative addresses lead to the page's own site. Addresses of letters and telephones lead elsewhere.
pub(crate) fn is_external(address: &str, base: Option<&Url>) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let (Some(host), Some(own)) = (url.host_str().map(bare), base.and_then(Url::host_str).map(bare)) else {
        return true;
    };
    let is_below = |a: &str, b: &str| a.strip_suffix(b).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !is_below(&host, &own) && !is_below(&own, &host)
}

/// Like [`resolve`], with other schemes.
pub(crate) fn resolve_with(href: &str, base: Option<&Url>, schemes: &[&str]) -> Option<String> {
    let href = href.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    if href.is_empty() {
        return None;
    }
    match Url::options().base_url(base).parse(href) {
        Ok(url) => schemes.contains(&url.scheme()).then(|| url.into()),
        // Without a base, a relative address stays relative; the characters that browsers drop are removed.
        Err(ParseError::RelativeUrlWithoutBase) => {
            let visible = href.chars().filter(|c| !c.is_control());
            Some(visible.map(|c| if c.is_whitespace() { "%20".into() } else { c.to_string() }).collect())
        }
        Err(_) => None,
    }
}
