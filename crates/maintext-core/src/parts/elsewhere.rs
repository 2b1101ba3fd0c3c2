//! Content that is at another address: frames, pages that refresh to another, hints of a canonical address.
use super::address::bare;
use crate::passes::noscript::SHELL_WORDS;
use maintext_page::address::{head_links, is_front_page, resolve};
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::signs::PageSigns;
use maintext_page::warnings::{Warning, WarningCode};
use url::Url;

/// Maximum number of frames that are named.
const MAX_FRAMES: usize = 8;
/// Maximum delay of a refresh that redirects, in seconds; longer ones reload the page to update it.
const MAX_DELAY: f32 = 15.0;

/// Returns the addresses that hold the content instead of this page, best first, with the warning that names them. `words` counts the
/// page's own content; `is_shell` says that scripts fill it.
pub(crate) fn elsewhere(
    dom: &Dom,
    signs: &PageSigns,
    words: u32,
    is_shell: bool,
    page: Option<&Url>,
    base: Option<&Url>,
) -> Option<(Vec<String>, Warning)> {
    let found = others(frames(dom, base), page, "the page consists of frames; its content is at ");
    if found.is_some() {
        return found;
    }
    if words >= SHELL_WORDS {
        return None;
    }
    let refresh = refresh(dom, signs, base).into_iter().collect();
    let found = others(refresh, page, "the page has hardly any text and redirects to ");
    if found.is_some() {
        return found;
    }
    let canonical = canonical(dom, base).filter(|c| !is_shell && page.is_some_and(|page| is_other_page(c, page)));
    let canonical = canonical.into_iter().map(String::from).collect();
    others(canonical, page, "the page has hardly any text; its canonical address is ")
}

/// Returns the addresses other than the page's with a warning that begins with `what`.
fn others(addresses: Vec<String>, page: Option<&Url>, what: &str) -> Option<(Vec<String>, Warning)> {
    let addresses: Vec<String> = addresses.into_iter().filter(|address| is_other_address(address, page)).collect();
    let message = format!("{what}{}", addresses.join(", "));
    (!addresses.is_empty()).then(|| (addresses, Warning::new(WarningCode::ContentElsewhere, message)))
}

fn is_other_address(address: &str, page: Option<&Url>) -> bool {
    match (Url::parse(address), page) {
        (Ok(url), Some(page)) => without_fragment(&url) != without_fragment(page),
        _ => true,
    }
}

fn without_fragment(url: &Url) -> &str {
    url.as_str().split('#').next().unwrap_or("")
}

/// Returns the addresses of the frames: frames with names such as "main" first, menus last.
fn frames(dom: &Dom, base: Option<&Url>) -> Vec<String> {
    if !dom.may_have(Tag::FRAMESET) || dom.find(NodeId::ROOT, Tag::FRAMESET).is_none() {
        return Vec::new();
    }
    let frames = dom.descendants(NodeId::ROOT).filter(|&n| dom.tag(n) == Tag::FRAME);
    let mut found: Vec<(u32, String)> = frames
        .filter_map(|n| Some((frame_rank(dom, n), page_address(dom, dom.attr(n, "src")?, base)?)))
        .take(MAX_FRAMES)
        .collect();
    found.sort_by_key(|f| f.0);
    found.into_iter().map(|f| f.1).collect()
}

const MENU_NAMES: [&str; 12] =
    ["nav", "menu", "toc", "index", "head", "top", "banner", "foot", "left", "logo", "title", "bottom"];

const CONTENT_NAMES: [&str; 10] =
    ["main", "content", "body", "text", "inhalt", "haupt", "centre", "center", "page", "principal"];

fn frame_rank(dom: &Dom, n: NodeId) -> u32 {
    let name = dom.attr(n, "name").or_else(|| dom.attr(n, "id")).unwrap_or("").to_ascii_lowercase();
    let (is_content, is_menu) = (has_any(&name, &CONTENT_NAMES), has_any(&name, &MENU_NAMES));
    if is_content == is_menu {
        1
    } else if is_content {
        0
    } else {
        2
    }
}

fn has_any(name: &str, words: &[&str]) -> bool {
    words.iter().any(|w| name.contains(w))
}

/// Returns the address to which the page refreshes soon.
fn refresh(dom: &Dom, signs: &PageSigns, base: Option<&Url>) -> Option<String> {
    let mut refreshes = signs.metas(dom).filter(|n| is_refresh(dom, *n));
    refreshes.find_map(|n| page_address(dom, refresh_target(dom.attr(n, "content")?)?, base))
}

fn is_refresh(dom: &Dom, n: NodeId) -> bool {
    dom.attr(n, "http-equiv").is_some_and(|v| v.trim().eq_ignore_ascii_case("refresh"))
}

/// Returns the address in the value of a refresh, `5; url='/next'`, if its delay is short (HTML standard, shared declarative refresh steps).
fn refresh_target(content: &str) -> Option<&str> {
    let content = content.trim_start();
    let end = content.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(content.len());
    let (delay, rest) = content.split_at(end);
    let delay: f32 = delay.parse().ok()?;
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == ',');
    let named = rest.get(..3).filter(|name| name.eq_ignore_ascii_case("url"));
    let value = named.and_then(|_| rest[3..].trim_start().strip_prefix('=')).unwrap_or(rest).trim();
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or(""),
        _ => value,
    };
    (delay <= MAX_DELAY && !value.is_empty()).then_some(value)
}

fn canonical(dom: &Dom, base: Option<&Url>) -> Option<Url> {
    let href = head_links(dom, "canonical").next().and_then(|n| dom.attr(n, "href"))?;
    Url::parse(&page_address(dom, href, base)?).ok()
}

/// Whether an address belongs to another page: it differs in more than tracking parameters, and is not the site's front page.
fn is_other_page(url: &Url, page: &Url) -> bool {
    bare(url) != bare(page) && (!is_front_page(url) || is_front_page(page))
}

/// Returns the address of a page, absolute if `base` is known.
fn page_address(dom: &Dom, href: &str, base: Option<&Url>) -> Option<String> {
    let address = resolve(dom, href, base)?;
    (!address.starts_with("mailto:") && !address.starts_with("tel:")).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(html: &str, words: u32) -> Vec<String> {
        let dom = maintext_page::dom::parse(html, &Default::default());
        let page = Url::parse("https://e.org/dir/a").unwrap();
        elsewhere(&dom, &PageSigns::new(&dom), words, false, Some(&page), Some(&page)).map(|f| f.0).unwrap_or_default()
    }

    #[test]
    fn framesets_name_their_frames_content_first() {
        let html = "<frameset cols='20%,*'><frame name=menu src=menu.html><frame src=other.html><frame name=main src='/text.html'>\
            <noframes>Your browser has no frames</noframes></frameset>";
        assert_eq!(
            at(html, 0),
            ["https://e.org/text.html", "https://e.org/dir/other.html", "https://e.org/dir/menu.html"]
        );
        assert!(at("<frameset><frame src='javascript:x()'><frame></frameset>", 0).is_empty());
    }

    #[test]
    fn refreshes_lead_on_if_they_are_quick_and_to_another_page() {
        let refresh = |content: &str| at(&format!("<meta http-equiv=Refresh content=\"{content}\">"), 0);
        for content in ["0; url=/b", "0;URL='/b'", "5;/b", "0 , url = /b", " 1.5; url=/b "] {
            assert_eq!(refresh(content), ["https://e.org/b"], "{content}");
        }
        for content in ["0", "300; url=/b", "0; url=a#x", "0; url=/dir/a", "x; url=javascript:y", ""] {
            assert!(refresh(content).is_empty(), "{content}");
        }
        assert!(at("<meta http-equiv=refresh content='0; url=/b'>", 100).is_empty());
        assert_eq!(
            at("<noscript><meta http-equiv=refresh content='0; url=/plain'></noscript>", 0),
            ["https://e.org/plain"]
        );
    }

    #[test]
    fn a_canonical_address_counts_only_without_content() {
        let hint = |href: &str, words| at(&format!("<head><link rel=canonical href='{href}'></head>"), words);
        assert_eq!(hint("/story", 10), ["https://e.org/story"]);
        assert!(hint("/story", 100).is_empty() && hint("/", 10).is_empty());
        assert!(hint("https://www.e.org/dir/a/?utm_source=x", 10).is_empty());
    }
}
