//! Addresses of pages, of their links and of their images.
use crate::budget::CopyMeter;
use crate::dom::{Dom, NodeId, Tag};
use url::{ParseError, Url};

/// Returns the base address of the page's links: the first `<base href>`, itself relative to the page's address. A saved page whose address
/// is unknown is at the absolute address that it declares for itself.
pub fn base_url(dom: &Dom, url: Option<&Url>) -> Option<Url> {
    let Some(head) = dom.find(NodeId::ROOT, Tag::HEAD) else { return url.cloned() };
    let own = url.cloned().or_else(|| declared_url(dom, head));
    let base = dom.children(head).filter(|&n| dom.tag(n) == Tag::BASE).find_map(|n| dom.attr(n, "href"));
    match base {
        Some(href) => parse(dom, href, own.as_ref()).ok().or(own),
        None => own,
    }
}

/// Returns the absolute address in the page's canonical link, or else in its `og:url`.
fn declared_url(dom: &Dom, head: NodeId) -> Option<Url> {
    let canonical = head_links(dom, "canonical").find_map(|n| absolute(dom.attr(n, "href")?));
    canonical.or_else(|| {
        dom.children(head)
            .filter(|n| dom.tag(*n) == Tag::META && has_word(dom.attr(*n, "property"), "og:url"))
            .find_map(|n| absolute(dom.attr(n, "content")?))
    })
}

fn absolute(text: &str) -> Option<Url> {
    Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Returns the `<link>` elements of the head whose `rel` has a word.
pub fn head_links<'d>(dom: &'d Dom<'_>, rel: &'d str) -> impl Iterator<Item = NodeId> + 'd {
    let children = dom.find(NodeId::ROOT, Tag::HEAD).into_iter().flat_map(|head| dom.children(head));
    children.filter(move |&n| dom.tag(n) == Tag::LINK && has_word(dom.attr(n, "rel"), rel))
}

/// Whether the value of an attribute such as `rel` has a word, in upper or lower case.
pub fn has_word(value: Option<&str>, word: &str) -> bool {
    value.is_some_and(|words| words.split_ascii_whitespace().any(|w| w.eq_ignore_ascii_case(word)))
}

/// Whether an address leads to the front page of a site.
pub fn is_front_page(url: &Url) -> bool {
    url.path().len() <= 1 && url.query().is_none()
}

/// Parses an address, relative to `base` if there is one. Addresses of links, images and entries come from here, so that their copies are
/// bounded.
///
/// # Errors
/// The parser's; [`ParseError::Overflow`] for an address that the page's [`CopyMeter`] does not allow.
pub fn parse(dom: &Dom, href: &str, base: Option<&Url>) -> Result<Url, ParseError> {
    let longest = href.len() + base.map_or(0, |base| base.as_str().len());
    if longest > CopyMeter::FREE_BYTES {
        // Data and scripts are long, and no caller wants their addresses.
        if ["data:", "javascript:", "blob:"]
            .into_iter()
            .any(|scheme| href.get(..scheme.len()).is_some_and(|s| s.eq_ignore_ascii_case(scheme)))
            || !dom.copies().allows_address(longest)
        {
            return Err(ParseError::Overflow);
        }
    }
    Url::options().base_url(base).parse(href)
}

/// Returns the address of a link, absolute if `base` is known; `None` for a malformed address and for every scheme other than http, https,
/// mailto and tel.
pub fn resolve(dom: &Dom, href: &str, base: Option<&Url>) -> Option<String> {
    resolve_with(dom, href, base, &["http", "https", "mailto", "tel"])
}

/// Whether a resolved address leads to another site than `base`: to a host that is neither its own, nor above or below it. Without a base,
/// relative addresses lead to the page's own site. `mailto:` and `tel:` addresses count as external.
pub fn is_external(address: &str, base: Option<&Url>) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let (Some(host), Some(own)) = (host_of(&url), base.and_then(host_of)) else { return true };
    !is_below(host, own) && !is_below(own, host)
}

/// Returns the host of an address without `www.`.
pub fn host_of(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host))
}

fn is_below(a: &str, b: &str) -> bool {
    a.strip_suffix(b).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns the fragment of a link that leads to a place on its own page, whose address `base` is if it is known.
pub fn fragment<'h>(dom: &Dom, href: &'h str, base: Option<&Url>) -> Option<&'h str> {
    let (page, fragment) = href.trim().split_once('#')?;
    (!fragment.is_empty() && (page.is_empty() || base.is_some_and(|base| is_same_page(dom, page, base))))
        .then_some(fragment)
}

/// Whether a link leads to its own page or to a place on it.
pub fn leads_here(dom: &Dom, href: &str, base: Option<&Url>) -> bool {
    let page = href.trim().split('#').next().unwrap_or("");
    page.is_empty() && !href.is_empty() || base.is_some_and(|base| is_same_page(dom, page, base))
}

fn is_same_page(dom: &Dom, href: &str, base: &Url) -> bool {
    // Parsing is slow; the path of the page's own address ends like the link.
    let last = base.path().rsplit('/').find(|part| !part.is_empty()).unwrap_or("");
    href.trim_end_matches('/').split('?').next().is_some_and(|path| path.ends_with(last))
        && parse(dom, href, Some(base)).is_ok_and(|mut url| {
            url.set_fragment(None);
            url.as_str().trim_end_matches('/') == base.as_str().split('#').next().unwrap_or("").trim_end_matches('/')
        })
}

/// Like [`resolve`], with other schemes.
pub fn resolve_with(dom: &Dom, href: &str, base: Option<&Url>, schemes: &[&str]) -> Option<String> {
    let href = href.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    if href.is_empty() {
        return None;
    }
    match parse(dom, href, base) {
        Ok(url) => schemes.contains(&url.scheme()).then(|| url.into()),
        // Without a base, a relative address stays relative; the characters that browsers drop are removed.
        Err(ParseError::RelativeUrlWithoutBase) => {
            let visible = href.chars().filter(|c| !c.is_control());
            Some(visible.map(|c| if c.is_whitespace() { "%20".into() } else { c.to_string() }).collect())
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_own_page_are_recognised() {
        let base = Url::parse("https://example.org/a/page.html#top").unwrap();
        let (base, dom) = (Some(&base), crate::dom::parse("", &crate::budget::Budget::default()));
        for here in ["#x", "page.html#x", "/a/page.html#x", "https://example.org/a/page.html#x"] {
            assert_eq!(fragment(&dom, here, base), Some("x"), "{here}");
        }
        for away in ["other.html#x", "/page.html#x", "https://example.com/a/page.html#x", "page.html", "#", ""] {
            assert_eq!(fragment(&dom, away, base), None, "{away}");
        }
        assert!(leads_here(&dom, "page.html", base) && leads_here(&dom, "#", base));
        for (away, base) in [("", base), ("/", base), ("page.html", None)] {
            assert!(!leads_here(&dom, away, base), "{away}");
        }
    }
}
