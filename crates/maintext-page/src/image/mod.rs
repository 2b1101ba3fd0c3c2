//! Images: the addresses behind the placeholders of lazy loading, captions, characters drawn as images, decorations.
pub mod caption;
mod card;
mod decoration;
mod emoji;

pub use card::{box_of_link, card};
pub use decoration::{is_decoration, is_large, is_share, may_be_picture};
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
        let s = without_descriptor(s);
        let real = is_address(s) && !decoration::is_placeholder(s);
        if real { resolve_with(dom, s, base, &["http", "https"]) } else { None }
    };
    // An attribute other than `src` that holds an address is there because `src` is only a placeholder.
    let wide = |v| wider(dom, img, v).and_then(resolve).or_else(|| resolve(v));
    let has_whole = dom.attr(img, "src").is_some_and(is_whole_picture);
    let lazy = dom
        .attrs(img)
        .filter(|(name, _)| is_lazy_name(name))
        .find_map(|(_, v)| if looks_like_image(v) && !(has_whole && is_part(v)) { wide(v) } else { None });
    let src = || dom.attr(img, "src").and_then(wide);
    let sets = || dom.attrs(img).filter(|(n, _)| n.contains("srcset")).find_map(|(_, v)| resolve(largest(v)?));
    let any = || {
        let mut attrs = dom.attrs(img).filter(|(name, _)| !matches!(*name, "alt" | "title" | "srcset"));
        attrs.find_map(|(_, v)| if has_image_extension(v) { resolve(v) } else { None })
    };
    lazy.or_else(src).or_else(sets).or_else(|| picture(dom, img, &resolve)).or_else(any)
}

/// Whether an address is the whole one of a picture, not the placeholder of a part that a script completes.
fn is_whole_picture(address: &str) -> bool {
    address.trim_start().starts_with("http") && has_image_extension(address) && !decoration::is_placeholder(address)
}

fn is_part(address: &str) -> bool {
    !address.contains("//") && !address.trim_start().starts_with('/')
}

/// Returns an address without the width or density of a `srcset` that some systems leave behind it: `a.jpg 1x`.
fn without_descriptor(address: &str) -> &str {
    match address.trim_end().rsplit_once(' ') {
        Some((own, size)) if size.strip_suffix(['w', 'x']).is_some_and(|n| n.parse::<f64>().is_ok()) => own,
        _ => address,
    }
}

/// Returns the largest candidate of the set of candidates that shows the same picture as `address`, if the set has a larger one.
fn wider<'a>(dom: &'a Dom, img: NodeId, address: &str) -> Option<&'a str> {
    let own = address.trim();
    let shows_same = |set: &str| candidates(set).any(|(url, _)| url == own || is_same_file(url, own));
    // By the standard `src` has a density of one, and a set without it may have another shape than the picture.
    let is_larger = |set: &str| {
        let widths = set.trim_end().ends_with('w');
        let drawn = dom.attr(img, "width").and_then(|w| w.trim().parse().ok());
        let known = if widths { drawn } else { Some(1.0) };
        known.is_some_and(|known: f64| candidates(set).any(|(_, size)| size > known))
    };
    let mut sets = dom.attrs(img).filter(|(name, _)| name.contains("srcset")).map(|(_, set)| set);
    let set = sets.find(|set| shows_same(set) || is_larger(set));
    set.or_else(|| sources(dom, img).into_iter().find(|set| shows_same(set))).and_then(largest)
}

/// Whether two addresses have the same file name.
fn is_same_file(a: &str, b: &str) -> bool {
    let name = file_name(a);
    name.contains('.') && name == file_name(b)
}

fn file_name(address: &str) -> &str {
    let path = address.split(['?', '#']).next().unwrap_or("");
    path.rsplit('/').next().unwrap_or("")
}

/// Returns the largest candidate of the first source with candidates before the image in its `<picture>`.
fn picture(dom: &Dom, img: NodeId, resolve: &impl Fn(&str) -> Option<String>) -> Option<String> {
    sources(dom, img).into_iter().find_map(|set| resolve(largest(set)?))
}

/// Returns the sets of candidates of the sources before the image in its `<picture>`, in the order of the page.
fn sources<'a>(dom: &'a Dom, img: NodeId) -> Vec<&'a str> {
    /// Maximum number of siblings of the image that are read: more than a real picture has.
    const MAX_SIBLINGS: usize = 32;
    if dom.parent(img).is_none_or(|p| dom.tag(p) != Tag::PICTURE) {
        return Vec::new();
    }
    let before = dom.prev_siblings(img).take(MAX_SIBLINGS).filter(|&n| dom.tag(n) == Tag::SOURCE);
    let sets = before.filter_map(|source| dom.attrs(source).find(|(name, _)| name.contains("srcset")));
    let mut sets: Vec<&str> = sets.map(|(_, set)| set).collect();
    sets.reverse();
    sets
}

/// Whether width and height show that the image is there to be fetched, not seen.
fn is_pixel(dom: &Dom, img: NodeId) -> bool {
    let sides = ["width", "height"].map(|name| dom.attr(img, name).map(str::trim));
    sides.into_iter().all(|side| matches!(side, Some("0" | "1" | "0px" | "1px")))
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

/// Bytes of a name that is specific to a picture.
pub const MIN_NAME_BYTES: usize = 9;

/// Whether two addresses have the same picture: files of the same long name, apart from the size and the crop at its end.
pub fn is_same_picture(a: &str, b: &str) -> bool {
    a == b || picture_name(a).len() >= MIN_NAME_BYTES && picture_name(a) == picture_name(b)
}

/// Returns the name of an address's file without its size and extension, or the path to a file whose name is only a size.
pub fn picture_name(url: &str) -> &str {
    let file = file_name(url);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    if is_size(stem) {
        let path = url.split(['?', '#']).next().unwrap_or(url);
        return &path[..path.len() - file.len()];
    }
    let mut name = stem;
    while let Some((before, _)) = name.rsplit_once(['-', '_']).filter(|(_, last)| is_size(last)) {
        name = before;
    }
    name
}

/// Whether a part of a name is a size or a crop: `640x480`, `c1`.
fn is_size(part: &str) -> bool {
    dimensions(part).is_some() || part.strip_prefix('c').is_some_and(|n| n.parse::<u32>().is_ok())
}

/// Returns the width that an address asks for: in its query, or at the end of its file's name.
pub fn width_in(url: &str) -> Option<u32> {
    const NAMES: [&str; 6] = ["w", "width", "imwidth", "wid", "sw", "size"];
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let asked = query.split('&').filter_map(|part| part.split_once('=')).find(|(name, _)| NAMES.contains(name));
    let named = size_in(url).map(|(width, _)| width);
    asked.and_then(|(_, width)| width.parse().ok()).or(named)
}

/// Returns the size at the end of a file's name: `fox-150x150.jpg`.
pub fn size_in(url: &str) -> Option<(u32, u32)> {
    let (stem, _) = file_name(url).rsplit_once('.')?;
    stem.rsplit(['-', '_']).next().and_then(dimensions)
}

/// Reads a size, `1024x768` or `1024_768`.
fn dimensions(text: &str) -> Option<(u32, u32)> {
    let (w, h) = text.split_once(['x', '_'])?;
    Some((w.parse().ok()?, h.parse().ok()?))
}

/// Returns the candidate of a `srcset` with the largest width or density, the first among equals.
fn largest(srcset: &str) -> Option<&str> {
    let mut best: Option<(&str, f64)> = None;
    for (url, size) in candidates(srcset) {
        if best.is_none_or(|b| size > b.1) {
            best = Some((url, size));
        }
    }
    best.map(|b| b.0)
}

/// Returns the addresses of a `srcset` with their widths or densities.
fn candidates(srcset: &str) -> impl Iterator<Item = (&str, f64)> {
    let mut rest = srcset;
    let parts = std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let (url, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
        if url.ends_with(',') {
            rest = after;
            return Some((url.trim_end_matches(','), 1.0));
        }
        let (descriptor, next) = after.split_at(after.find(',').unwrap_or(after.len()));
        rest = next;
        Some((url, descriptor.trim().trim_end_matches(['w', 'x']).parse().unwrap_or(1.0)))
    });
    parts.filter(|(url, _)| is_address(url))
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
        let part = "<img src=https://cdn.e.org/fox.jpg data-src=2019/02/fox.jpg>";
        assert_eq!(source_of(part).as_deref(), Some("https://cdn.e.org/fox.jpg"));
        assert_eq!(source_of("<img src='/two words.jpg 1.5x'>").as_deref(), Some("https://e.org/two%20words.jpg"));
    }

    #[test]
    fn sizes_and_crops_of_a_picture_have_its_name() {
        let first = "https://e.org/media/USA_21850438.fill-1200x630-c0.jpg";
        for (a, b) in [
            (first, "https://cdn.e.org/USA_21850438.fill-735x490.jpg?v=2"),
            ("https://e.org/525d27/rye-bread/840_560.jpeg", "https://e.org/525d27/rye-bread/450x300.jpeg"),
            ("/harbour-walk.jpg", "/harbour-walk-300x200.webp"),
        ] {
            assert!(is_same_picture(a, b), "{a} {b}");
        }
        for (a, b) in [
            (first, "https://e.org/media/USA_21850439.fill-1200x630-c0.jpg"),
            ("https://e.org/525d27/rye-bread/840_560.jpeg", "https://e.org/525d28/wheat-bread/840_560.jpeg"),
            ("/a/1.jpg", "/b/1.jpg"),
        ] {
            assert!(!is_same_picture(a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_small_copy_gives_way_to_the_largest_of_its_set() {
        for html in [
            "<img src=/s.jpg srcset='/s.jpg 300w, /x.jpg 1200w, /m.jpg 600w'>",
            "<img src='data:,' data-src=/s.jpg data-srcset='/x.jpg 1200w, /s.jpg 300w'>",
            "<img src=/s.jpg srcset='/s.jpg, /x.jpg 2x'>",
            "<img src=' /s.jpg ' srcset='/s.jpg 1x,/x.jpg 3x'>",
            // The same file elsewhere, another name for a higher density, a place smaller than the largest candidate.
            "<img src=http://old.e.org/s.jpg?w=90 srcset='/s.jpg?w=90 90w, /x.jpg 1200w'>",
            "<img src=/s.jpg srcset='/m.jpg 1.5x, /x.jpg 2x'>",
            "<img src=/s.jpg width=300 srcset='/m.jpg 300w, /x.jpg 600w'>",
            "<picture><source srcset='/s.webp 90w, /x.webp 900w'><source srcset='/s.jpg 90w, /x.jpg 900w'><img src=/s.jpg></picture>",
        ] {
            assert_eq!(source_of(html).as_deref(), Some("https://e.org/x.jpg"), "{html}");
        }
        // Another picture, a set for another shape, and candidates that are not addresses.
        for html in [
            "<img src=/x.jpg srcset='/wide.jpg 1200w, /small.jpg 300w'>",
            "<img src=/x.jpg width=1200 srcset='/wide.jpg 980w, /small.jpg 300w'>",
            "<picture><source srcset='/portrait.jpg 900w'><img src=/x.jpg></picture>",
            "<img src=/x.jpg srcset='/x.jpg 1200w, /s.jpg 300w'>",
            "<img src=/x.jpg srcset='/x.jpg 300w, data:image/gif;base64,R0 1200w'>",
            "<img src=/x.jpg srcset='/x.jpg 300w, {{big}} 200w'>",
        ] {
            assert_eq!(source_of(html).as_deref(), Some("https://e.org/x.jpg"), "{html}");
        }
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
