//! The site's name.
use crate::metadata::sources::facts::Facts;
use crate::metadata::sources::jsonld::Graph;
use crate::metadata::text::{key, plain, slug};

/// Returns the name of the site: the declared one, or the part of the title that matches the host.
pub fn name(facts: &Facts<'_>) -> Option<String> {
    if let Some(name) = facts.meta(&["og:site_name", "og:site-name", "al:android:app_name"]).and_then(cleaned) {
        return Some(strip_handle(name));
    }
    structured(facts)
        .and_then(cleaned)
        .or_else(|| {
            facts
                .meta(&["application-name", "apple-mobile-web-app-title", "dc.publisher", "publisher"])
                .and_then(cleaned)
        })
        .or_else(|| from_title(facts))
        .or_else(|| facts.meta(&["citation_publisher", "twitter:site"]).and_then(cleaned).map(strip_handle))
        .or_else(|| facts.meta(&["copyright"]).and_then(|c| owner(&c)).and_then(cleaned))
        .or_else(|| facts.host().map(str::to_owned))
}

fn is_notice(s: &str) -> bool {
    s.contains('©') || s.get(..9).is_some_and(|s| s.eq_ignore_ascii_case("copyright"))
}

fn cleaned(s: String) -> Option<String> {
    let s = if is_notice(&s) { owner(&s)? } else { s };
    Some(s).filter(|s| !s.is_empty() && s.chars().count() <= 80 && !s.starts_with("http"))
}

/// Returns the owner named in a copyright notice: `Copyright © 2017 The Paper. All rights reserved.`
fn owner(notice: &str) -> Option<String> {
    let words = notice.split_whitespace().skip_while(|w| {
        let w = w.trim_matches(|c: char| !c.is_alphanumeric() && c != '©').to_lowercase();
        let year = w.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '–'));
        year || matches!(w.as_str(), "copyright" | "©" | "c" | "(c)" | "by" | "copyrights")
    });
    let rest = words.collect::<Vec<_>>().join(" ");
    let lower = rest.to_ascii_lowercase();
    let end =
        ["all rights", "alle rechte", "tous droits", "todos los derechos"].iter().filter_map(|w| lower.find(w)).min();
    let name = rest[..end.unwrap_or(rest.len())].trim_matches(|c: char| c.is_whitespace() || ".,;|-–©".contains(c));
    let name = name.split_once('©').map_or(name, |(before, _)| before.trim());
    (name.chars().any(char::is_alphabetic) && name.split(' ').count() <= 6).then(|| name.to_owned())
}

fn strip_handle(name: String) -> String {
    name.trim_start_matches('@').to_owned()
}

/// Returns the publisher of the page's article, or the `WebSite` that it is part of.
fn structured(facts: &Facts<'_>) -> Option<String> {
    let graph = facts.graph();
    let site = graph.things.iter().find(|t| t.kind == "WebSite" && t.depth <= 1);
    let name = site.and_then(|t| graph.text(t.id, "name").map(str::to_owned));
    name.or_else(|| publisher(facts)).map(|s| plain(&s))
}

/// Returns the name of the publisher that the page's work declares.
fn publisher(facts: &Facts<'_>) -> Option<String> {
    let graph = facts.graph();
    let mut works = graph.things.iter().filter(|t| Graph::is_work(&t.kind) && t.depth == 0);
    works.find_map(|t| {
        let id = *graph.values(t.id, "publisher").first()?;
        graph.name(id, facts.dom.copies())
    })
}

/// Returns the last or first part of the `<title>` if it matches the host.
fn from_title(facts: &Facts<'_>) -> Option<String> {
    let title = facts.title.as_deref()?;
    let host = slug(facts.host()?.rsplit('.').nth(1).unwrap_or(""));
    let parts: Vec<&str> = title.split(['|', '-', '–', '—', '·', '»', ':', '_']).map(str::trim).collect();
    let ends = [parts.last()?, parts.first()?];
    let mut named = ends.into_iter().filter(|part| parts.len() > 1 && key(part) != key(title));
    named.find(|part| is_like_host(&slug(part), &host)).map(|part| (*part).to_owned())
}

/// Whether one of two slugs, of a name and of a host, contains the other.
fn is_like_host(name: &str, host: &str) -> bool {
    name.len() > 2 && host.len() > 2 && (host.contains(name) || name.contains(host))
}
