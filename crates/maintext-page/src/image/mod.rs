//! Images: the addresses behind the placeholders of lazy loading, captions, characters drawn as images, decorations.
pub mod caption;
mod card;
mod decoration;
mod emoji;

pub use card::card;
pub use decoration::{is_decoration, is_large, may_be_picture};
pub use emoji::characters;

use crate::address::resolve_with;
use crate::dom::{Dom, NodeId, Tag};
use crate::markup::math;
use url::Url;

/// Returns the address of an image, absolute if `base` is known: the real one behind a placeholder of lazy loading, or the one of `<picture>`.
///
/// `None` for data URLs, tracking pixels, and drawings of the formula before them.
pub fn image_source(dom: &Dom, img: NodeId, base: Option<&Url>) -> Option<String> {
    if is_pixel(dom, img) || is_amp_stand_in(dom, img) || math::is_fallback_image(dom, img) {
        return None;
    }
    let resolve = |s: &str| {
        let real = is_address(s) && !decoration::is_placeholder(s);
        if real { resolve_with(dom, s, base, &["http", "https"]) } else { None }
    };
    // An attribute other than `src` that holds an address is there because `src` is only a placeholder.
    let lazy = dom
        .attrs(img)
        .filter(|(name, _)| is_lazy_name(name))
        .find_map(|(_, v)| if looks_like_image(v) { resolve(v) } else { None });
    let src = || dom.attr(img, "src").and_then(resolve);
    let sets = || dom.attrs(img).filter(|(n, _)| n.contains("srcset")).find_map(|(_, v)| resolve(largest(v)?));
    let any = || {
        let mut attrs = dom.attrs(img).filter(|(name, _)| !matches!(*name, "alt" | "title" | "srcset"));
        attrs.find_map(|(_, v)| if has_image_extension(v) { resolve(v) } else { None })
    };
    lazy.or_else(src).or_else(sets).or_else(|| picture(dom, img, &resolve)).or_else(any)
}

/// Returns the largest candidate of the first source with candidates before the image in its `<picture>`.
fn picture(dom: &Dom, img: NodeId, resolve: &impl Fn(&str) -> Option<String>) -> Option<String> {
    /// Maximum number of siblings of the image that are read: more than a real picture has.
    const MAX_SIBLINGS: usize = 32;
    dom.parent(img).filter(|&p| dom.tag(p) == Tag::PICTURE)?;
    let before = dom.prev_siblings(img).take(MAX_SIBLINGS);
    let sources = before.filter(|&n| dom.tag(n) == Tag::SOURCE);
    let of_source = |s| dom.attrs(s).filter(|(n, _)| n.contains("srcset")).find_map(|(_, v)| resolve(largest(v)?));
    sources.filter_map(of_source).last()
}

/// Whether width and height show that the image is there to be fetched, not seen.
fn is_pixel(dom: &Dom, img: NodeId) -> bool {
    let tiny = |name| dom.attr(img, name).is_some_and(|v| matches!(v.trim(), "0" | "1" | "0px" | "1px"));
    tiny("width") && tiny("height")
}

/// Whether AMP shows the picture only until another one has loaded, or if that fails.
fn is_amp_stand_in(dom: &Dom, img: NodeId) -> bool {
    ["placeholder", "fallback"].iter().any(|name| dom.attr(img, name).is_some())
}

fn is_lazy_name(name: &str) -> bool {
    name != "src" && !name.contains("srcset") && (name.contains("src") || name.contains("original"))
}

fn is_address(s: &str) -> bool {
    let s = s.trim();
    let colon = s.find([':', '/', '?', '#']).filter(|&i| s.as_bytes()[i] == b':');
    let scheme = colon.map(|i| s[..i].to_ascii_lowercase());
    !s.is_empty() && !s.starts_with('#') && !scheme.is_some_and(|s| s != "http" && s != "https")
}

fn looks_like_image(s: &str) -> bool {
    let s = s.trim();
    let plain = !s.contains(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '<' | '>' | '"'));
    plain && (s.starts_with("http://") || s.starts_with("https://") || s.starts_with('/') || has_image_extension(s))
}

fn has_image_extension(s: &str) -> bool {
    let path = s.trim().split(['?', '#']).next().unwrap_or("");
    if path.contains(|c: char| c.is_whitespace() || matches!(c, '{' | '}' | '<' | '>' | '"')) {
        return false;
    }
    let Some((stem, extension)) = path.rsplit_once('.') else { return false };
    let known = ["jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "bmp"];
    !stem.is_empty() && known.iter().any(|k| extension.eq_ignore_ascii_case(k))
}

/// Returns the candidate of a `srcset` with the largest width or density, the first among equals.
fn largest(srcset: &str) -> Option<&str> {
    let mut best: Option<(&str, f64)> = None;
    let mut rest = srcset;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if rest.is_empty() {
            return best.map(|b| b.0);
        }
        let (mut url, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        let mut size = 1.0;
        if url.ends_with(',') {
            url = url.trim_end_matches(',');
            rest = after;
        } else {
            let (descriptor, next) = after.split_at(after.find(',').unwrap_or(after.len()));
            size = descriptor.trim().trim_end_matches(['w', 'x']).parse().unwrap_or(1.0);
            rest = next;
        }
        if is_address(url) && best.is_none_or(|b| size > b.1) {
            best = Some((url, size));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::resolve;

    fn source_of(html: &str) -> Option<String> {
        let dom = crate::dom::parse(html, &Default::default());
        let base = Url::parse("https://e.org/a/b.html").unwrap();
        image_source(&dom, dom.find(NodeId::ROOT, Tag::IMG)?, Some(&base))
    }

    #[test]
    fn images_are_absolute() {
        assert_eq!(source_of("<img src='c.png'>").as_deref(), Some("https://e.org/a/c.png"));
        assert_eq!(source_of("<img src='//cdn.e.org/c'>").as_deref(), Some("https://cdn.e.org/c"));
    }

    #[test]
    fn pictures_of_amp_have_their_address() {
        for html in [
            "<amp-img src='/x.jpg' width=8 height=6></amp-img>",
            "<amp-img src='/x.jpg'><noscript><img src='/x.jpg'></noscript></amp-img>",
            "<amp-anim src='/x.jpg'></amp-anim>",
            "<amp-img srcset='/s.jpg 320w, /x.jpg 640w'></amp-img>",
        ] {
            assert_eq!(source_of(html).as_deref(), Some("https://e.org/x.jpg"), "{html}");
        }
        for html in [
            "<amp-img placeholder src='/x.jpg'></amp-img>",
            "<amp-img fallback src='/x.jpg'></amp-img>",
            "<amp-img src='data:,'></amp-img>",
            "<amp-img width=1 height=1 src='/x.gif'></amp-img>",
        ] {
            assert_eq!(source_of(html), None, "{html}");
        }
    }

    #[test]
    fn lazy_images_are_found_behind_their_placeholders() {
        for html in [
            "<img src='data:image/gif;base64,R0lG' data-src='/x.jpg'>",
            "<img src='/spinner.gif' data-original='/x.jpg'>",
            "<img data-lazy-src='/x.jpg'>",
            "<img src='' data-srcset='/s.jpg 320w, /x.jpg 640w'>",
            "<img srcset='/s.jpg, /x.jpg 2x'>",
            "<img src='data:image/svg+xml,%3Csvg' data-picture='/x.jpg'>",
            "<picture><source srcset='/s.jpg 1x, /x.jpg 2x'><img src='data:,'></picture>",
        ] {
            assert_eq!(source_of(html).as_deref(), Some("https://e.org/x.jpg"), "{html}");
        }
    }

    #[test]
    fn pixels_and_placeholders_have_no_source() {
        for html in [
            "<img>",
            "<img src='data:image/png;base64,AAAA'>",
            "<img src='javascript:alert(1)'>",
            "<img src='java\nscript:alert(1)'>",
            "<img src='/count.gif' width=1 height=1>",
            "<img src='' data-src='{{ url }}'>",
        ] {
            assert_eq!(source_of(html), None, "{html}");
        }
    }

    #[test]
    fn srcset_addresses_may_hold_commas() {
        assert_eq!(
            largest("https://e.org/w_1,h_2/a.jpg 1x, https://e.org/w_2,h_4/a.jpg 2x"),
            Some("https://e.org/w_2,h_4/a.jpg")
        );
        assert_eq!(largest(""), None);
    }

    #[test]
    fn links_that_run_code_are_dropped() {
        let (base, dom) =
            (Url::parse("https://e.org/a/").unwrap(), crate::dom::parse("", &crate::budget::Budget::default()));
        for href in [
            "javascript:x",
            " JaVaScript:x",
            "java\tscript:x",
            "\u{1}javascript:x",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc",
        ] {
            assert_eq!(resolve(&dom, href, Some(&base)), None, "{href}");
            assert_eq!(resolve(&dom, href, None), None, "{href}");
        }
        assert_eq!(resolve(&dom, "b?c=1#d", Some(&base)).as_deref(), Some("https://e.org/a/b?c=1#d"));
        assert_eq!(resolve(&dom, "b?c=1#d", None).as_deref(), Some("b?c=1#d"));
        assert_eq!(resolve(&dom, "mailto:a@b.org", None).as_deref(), Some("mailto:a@b.org"));
    }
}
