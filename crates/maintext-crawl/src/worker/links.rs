//! The links of a page, for crawls of whole sites.
use super::{Detail, Given, ListedLinks, PageContents, Worker, detail};
use crate::EmbeddedPage;
use crate::store::{PageRole, Waiting};
use maintext_core::dom::{Dom, NodeId, Tag};
use maintext_core::hash::{FNV64, fnv64};
use maintext_core::{Analysis, Page};
use serde::Serialize;
use std::collections::BTreeSet;
use url::Url;

/// Largest number of links taken from one page.
const MAX_LINKS: usize = 20_000;

/// A row of the output.
#[derive(Serialize)]
struct LinkRow<'a> {
    /// The address that was requested.
    id: &'a str,
    #[serde(flatten)]
    page: &'a Page,
    error: Option<&'a str>,
}

impl Worker {
    /// Reads a page of a site and all its links.
    pub(super) fn whole(
        &mut self,
        row: &Waiting,
        analysis: Analysis<'_>,
        url: Url,
        given: &Given<'_>,
    ) -> Result<PageContents, String> {
        let entries = links(&analysis.dom, &url).into_iter().map(|link| (link, String::new())).collect();
        let indices = if row.role == PageRole::Start { feeds(&analysis.dom, &url) } else { Vec::new() };
        let list = ListedLinks { entries, indices, ..ListedLinks::default() };
        let html = analysis.source;
        let mut page = self.extractor.assemble(analysis, Some(url));
        given.complete(&mut page);
        if let Some(purpose) = self.unwanted(&page) {
            return Ok(PageContents { list: Some(list), unwanted: Some(purpose), ..PageContents::default() });
        }
        let line = match &self.embed {
            Some(embed) => embed.0.row(&EmbeddedPage { asked: &row.url, fetched: given.fetched, html, page: &page }),
            None => {
                serde_json::to_string(&LinkRow { id: &row.url, page: &page, error: None }).map_err(|e| e.to_string())?
            }
        };
        let words = page.text.as_deref().filter(|text| !text.trim().is_empty()).map(words);
        let detail = Detail { words, ..detail(line, page) };
        Ok(PageContents { detail: Some(detail), list: Some(list), ..PageContents::default() })
    }
}

/// Returns a hash of the set of words, without digits: pages of a calendar without events differ in numbers only.
fn words(text: &str) -> i64 {
    let set: BTreeSet<&str> =
        text.split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().any(char::is_alphabetic)).collect();
    let bytes = set.iter().flat_map(|w| w.bytes().chain([0]));
    bytes.fold(FNV64, fnv64) as i64
}

/// Returns the absolute addresses that a page links to, in document order: of links, areas of images, frames, the next and previous page,
/// the canonical address and other languages.
fn links(tree: &Dom<'_>, url: &Url) -> Vec<String> {
    let Some(base) = maintext_core::address::base_url(tree, Some(url)) else { return Vec::new() };
    let mut out = Vec::new();
    for node in tree.descendants(NodeId::ROOT) {
        let attribute = match tree.tag(node) {
            Tag::A | Tag::AREA => "href",
            Tag::FRAME | Tag::IFRAME => "src",
            Tag::LINK if is_page(tree, node) => "href",
            _ => continue,
        };
        let Some(address) = tree.attr(node, attribute) else { continue };
        let Ok(address) = base.join(address.trim()) else { continue };
        if matches!(address.scheme(), "http" | "https") {
            out.push(address.into());
        }
        if out.len() >= MAX_LINKS {
            break;
        }
    }
    out
}

/// Whether a `<link>` leads to a page of the site.
fn is_page(tree: &Dom<'_>, node: NodeId) -> bool {
    let relations = lower_attribute(tree, node, "rel");
    let mut relations = relations.split_whitespace();
    relations.any(|r| {
        matches!(r, "next" | "prev" | "canonical")
            || r == "alternate"
                && !lower_attribute(tree, node, "hreflang").is_empty()
                && matches!(lower_attribute(tree, node, "type").as_str(), "" | "text/html")
    })
}

fn lower_attribute(tree: &Dom<'_>, node: NodeId, name: &str) -> String {
    tree.attr(node, name).unwrap_or("").to_ascii_lowercase()
}

/// Returns the feeds that a page declares: `<link rel=alternate type=application/rss+xml href=...>`.
pub(super) fn feeds(tree: &Dom<'_>, url: &Url) -> Vec<String> {
    const TYPES: [&str; 4] =
        ["application/rss+xml", "application/atom+xml", "application/feed+json", "application/json"];
    let base = maintext_core::address::base_url(tree, Some(url));
    let declared = tree.descendants(NodeId::ROOT).filter(|&n| {
        tree.tag(n) == Tag::LINK && has_value(tree, n, "rel", &["alternate"]) && has_value(tree, n, "type", &TYPES)
    });
    declared.filter_map(|n| base.as_ref()?.join(tree.attr(n, "href")?.trim()).ok().map(String::from)).take(10).collect()
}

fn has_value(tree: &Dom<'_>, n: NodeId, name: &str, values: &[&str]) -> bool {
    lower_attribute(tree, n, name).split_whitespace().any(|v| values.contains(&v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_differ_in_numbers_only_have_the_same_words() {
        assert_eq!(words("May 2024: 1 2 3, no events"), words("May 2025: 4 5, no no events"));
        assert_ne!(words("May 2024, no events"), words("May 2024, two events"));
        assert_ne!(words("五月没有活动"), words("六月没有活动"));
    }
}
