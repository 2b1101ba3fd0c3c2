//! The parts of an article over several pages, and content that is at another address.
//!
//! Pages number the addresses of the parts: `/story`, `/story/2`, `/story?page=3`. A link leads to another part if its address is the page's own
//! but for that number, and if its label is the number, or it says "next" without naming another article. Nothing here fetches:
//! [`Follower`] names the next address and takes the page found there.
mod address;
mod elsewhere;
mod follow;

pub(crate) use elsewhere::elsewhere;
pub use follow::Follower;

use address::{Numbered, bare, extension, host, readings, says_page, says_whole};
use maintext_facts::metadata::text::{digit, node_text, squeeze};
use maintext_lists::list::words::{arrow, fit};
use maintext_lists::list::{PageLink, Pagination};
use maintext_page::address::head_links;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId, Tag};
use maintext_page::hash::HashMap;
use maintext_page::lexicon::lexicon;
use memchr::memmem;
use std::collections::BTreeMap;
use url::Url;

/// The probability of a link that leads to a part, and of one that may lead to the next article.
const SURE: f32 = 0.9;
const UNSURE: f32 = 0.4;
/// Maximum number of characters of a label.
const MAX_LABEL_CHARS: usize = 60;
/// Maximum number of links that are read.
const MAX_LINKS: usize = 20_000;
/// Maximum number of numbered parts that are returned.
const MAX_PARTS: usize = 2_000;
/// Maximum number of addresses of the whole article.
const MAX_WHOLE: usize = 3;

/// A link that may lead to another part.
struct PartCandidate {
    url: Url,
    href: String,
    /// The number in the address; `None` for the address without one.
    number: Option<u32>,
    label: LinkLabel,
}

impl PartCandidate {
    fn page_link(&self, number: u32, probability: f32) -> PageLink {
        PageLink::new(number.to_string(), self.url.to_string(), self.href.clone(), probability)
    }
}

/// The meaning of a link's label.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LinkLabel {
    /// The number of a part.
    Number(u32),
    /// The next part, by a word, an arrow or `rel`.
    Next,
    /// The part before, or the first one.
    Back,
    Other,
}

/// Returns the other parts of the article, and the addresses of the whole article if it has parts.
pub(crate) fn find(dom: &Dom, blocks: &Blocks, page: &Url, base: &Url) -> (Pagination, Vec<String>) {
    let (own, own_numbers) = (bare(page), readings(page));
    let near = PartSigns::new(page);
    let mut families: HashMap<(String, String), Vec<PartCandidate>> = HashMap::default();
    let mut whole: Vec<(u32, String)> = Vec::new();
    let links = blocks.elements.iter().filter(|e| e.tag == Tag::A).map(|e| e.node).take(MAX_LINKS);
    let head = dom.find(NodeId::ROOT, Tag::HEAD);
    let declared = head.into_iter().flat_map(|head| dom.children(head).filter(|&n| dom.tag(n) == Tag::LINK));
    for n in declared.chain(links) {
        let Some(href) = dom.attr(n, "href").map(str::trim).filter(|h| !h.is_empty() && !h.starts_with('#')) else {
            continue;
        };
        let rel = Rel::of(dom, n);
        let is_link = dom.tag(n) == Tag::LINK;
        // Parsing an address is expensive, and most links lead elsewhere.
        let may_matter = rel != Rel::None || !is_link && near.may_hold(href);
        let Some(url) = may_matter.then(|| maintext_page::address::parse(dom, href, Some(base)).ok()).flatten() else {
            continue;
        };
        // Pages of comments are numbered like parts.
        if host(&url) != host(page) && rel != Rel::Amp
            || !matches!(url.scheme(), "http" | "https")
            || says_comments(&url)
        {
            continue;
        }
        match rel {
            Rel::Amp | Rel::Canonical if bare(&url) != own => {
                whole.push((if rel == Rel::Amp { 3 } else { 1 }, url.to_string()))
            }
            Rel::Amp | Rel::Canonical => continue,
            _ if !is_link && says_whole(&url) => {
                let print = url.as_str().to_ascii_lowercase().contains("print") as u32;
                whole.push((2 * print, url.to_string()));
            }
            _ => {}
        }
        let numbered = readings(&url).into_iter().find(|r| belongs(r, &own, &own_numbers));
        let back = own_numbers.iter().find(|r| r.stem == bare(&url));
        let (key, number) = match (numbered, back) {
            (Some(r), _) => ((r.stem, r.form), Some(r.number)),
            (None, Some(r)) => ((r.stem.clone(), r.form.clone()), None),
            _ => continue,
        };
        let label = if is_link { rel.label() } else { label(dom, n, rel) };
        families.entry(key).or_default().push(PartCandidate { url, href: href.to_owned(), number, label });
    }
    let best = families.iter().max_by_key(|(key, links)| (evidence(links), std::cmp::Reverse(*key)));
    let Some(((stem, form), links)) = best else { return Default::default() };
    let own_number = own_numbers.iter().find(|r| (&r.stem, &r.form) == (stem, form));
    let found = parts(links, own_number);
    let mut seen = maintext_page::hash::HashSet::default();
    whole.sort_by_key(|w| w.0);
    whole.retain(|w| seen.insert(w.1.clone()) && w.1 != page.as_str());
    whole.truncate(if found.is_empty() { 0 } else { MAX_WHOLE });
    (found, whole.into_iter().map(|w| w.1).collect())
}

/// Returns the address of the Markdown version that a page declares in its head.
pub(crate) fn markdown_version(dom: &Dom, base: &Url) -> Option<String> {
    head_links(dom, "alternate").filter(|&n| is_markdown(dom, n)).find_map(|n| link_address(dom, base, n))
}

const TYPES: [&str; 3] = ["text/markdown", "text/x-markdown", "text/x-web-markdown"];

fn is_markdown(dom: &Dom, n: NodeId) -> bool {
    let media_type = dom.attr(n, "type").unwrap_or("").split(';').next().unwrap_or("").trim();
    TYPES.iter().any(|t| t.eq_ignore_ascii_case(media_type))
}

fn link_address(dom: &Dom, base: &Url, n: NodeId) -> Option<String> {
    let href = dom.attr(n, "href").map(str::trim).filter(|h| !h.is_empty())?;
    let url = maintext_page::address::parse(dom, href, Some(base)).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

/// Whether a numbered address is of the same article as the page's own.
fn belongs(r: &Numbered, own: &str, own_numbers: &[Numbered]) -> bool {
    r.stem == own || own_numbers.iter().any(|o| o.stem == r.stem && o.form == r.form)
}

/// Properties that the address of a part shares with the page's own, checked without parsing it.
struct PartSigns<'a> {
    /// The article's name in the path after a slash, without its number and extension; a slash if it has none in plain letters.
    name: String,
    /// The first long number in the path, or an empty text.
    id: &'a str,
    /// Maximum length of the address of a part, in bytes.
    longest: usize,
}

impl<'a> PartSigns<'a> {
    /// The bytes by which the address of a part may be longer.
    const MAX_EXTRA_BYTES: usize = 40;

    fn new(page: &'a Url) -> PartSigns<'a> {
        let mut names = page.path().rsplit('/').map(|part| {
            extension(part).0.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '~' | ',' | '.'))
        });
        let name = names.find(|name| !matches!(*name, "" | "index" | "default") && !says_page(name));
        let name = name.filter(|name| !name.contains('%')).unwrap_or("");
        let id = page.path().split(|c: char| !c.is_ascii_digit()).find(|id| id.len() > 4).unwrap_or("");
        PartSigns { name: format!("/{name}"), id, longest: page.as_str().len() + PartSigns::MAX_EXTRA_BYTES }
    }

    /// Returns whether a link may lead to a part or to the whole article: it is short and relative, or holds the article's name or number.
    fn may_hold(&self, href: &str) -> bool {
        let is_short = href.len() <= PartSigns::MAX_EXTRA_BYTES;
        let is_relative = !href.starts_with('/') && !href.contains("://");
        let is_named = match self.name.as_str() {
            "/" => is_short && href.bytes().any(|b| b.is_ascii_digit()),
            name => href.len() <= self.longest && holds(href, name),
        };
        is_short && is_relative || is_named || href.len() <= self.longest && !self.id.is_empty() && holds(href, self.id)
    }
}

fn holds(href: &str, word: &str) -> bool {
    memmem::find(href.as_bytes(), word.as_bytes()).is_some()
}

/// Whether an address leads to a page of comments.
fn says_comments(url: &Url) -> bool {
    let lower = url.as_str().to_ascii_lowercase();
    ["cpage=", "comment-page-", "comments?", "/comments/", "commentpage", "#comment"]
        .iter()
        .any(|sign| lower.contains(sign))
}

/// Counts the links that are evidence for parts: links with numbers, and links to the next part.
fn evidence(links: &[PartCandidate]) -> (usize, usize) {
    let numbers = links.iter().filter(|l| matches!(l.label, LinkLabel::Number(_))).count();
    (numbers, links.iter().filter(|l| l.label == LinkLabel::Next).count())
}

/// Returns the parts among the links of one family. `own` is the page's own number if its address has one.
fn parts(links: &[PartCandidate], own: Option<&Numbered>) -> Pagination {
    // Some count from 0: the label of `?page=1` is 2.
    let shifted = links.iter().filter(|l| label_distance(l) == Some(1)).count();
    let straight = links.iter().filter(|l| label_distance(l) == Some(0)).count();
    let from_first = own.is_none() && links.iter().any(|l| l.number == Some(1) && l.label == LinkLabel::Next);
    let shift = (shifted > straight || straight == 0 && from_first) as u32;
    let current = own.map_or(1, |o| o.number + shift);
    let has_numbers = shifted.max(straight) > 0;
    // A link back to the address without a number, or to the part before in an address that says "page".
    let has_back = links.iter().any(|l| l.label == LinkLabel::Back && l.number.is_none());
    let is_sure = has_numbers || own.is_none_or(|o| o.says_page) || has_back;
    let probability = if is_sure { SURE } else { UNSURE };
    let mut pages: BTreeMap<u32, &PartCandidate> = BTreeMap::new();
    let (mut next, mut previous) = (None, None);
    for l in links {
        let part = l.number.map_or(1, |n| n + shift);
        match l.label {
            // "1" may lead to the address without a number.
            LinkLabel::Number(n) if label_distance(l) == Some(shift) || l.number.is_none() && n == 1 => {
                pages.entry(n).or_insert(l);
            }
            LinkLabel::Next if part == current + 1 => next = next.or(Some(l)),
            LinkLabel::Back if part + 1 == current => previous = previous.or(Some(l)),
            _ => {}
        }
    }
    pages.remove(&current);
    let next = pages.get(&(current + 1)).copied().or(next);
    let previous = current.checked_sub(1).and_then(|n| pages.get(&n).copied()).or(previous);
    if next.is_none() && pages.keys().all(|&n| n < current) && previous.is_none() && pages.is_empty() {
        return Pagination::default();
    }
    Pagination::of_parts(
        next.map(|l| l.page_link(current + 1, probability)),
        previous.map(|l| l.page_link(current.saturating_sub(1), probability)),
        pages.iter().take(MAX_PARTS).map(|(n, l)| l.page_link(*n, probability)).collect(),
    )
}

fn label_distance(l: &PartCandidate) -> Option<u32> {
    match (l.label, l.number) {
        (LinkLabel::Number(label), Some(number)) => label.checked_sub(number).filter(|&d| d <= 1),
        _ => None,
    }
}

/// The part of `rel` that matters here.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rel {
    None,
    Next,
    Back,
    Amp,
    Canonical,
}

impl Rel {
    fn of(dom: &Dom, n: NodeId) -> Rel {
        let words = dom.attr(n, "rel").unwrap_or("").split_ascii_whitespace();
        words.into_iter().find_map(known_rel).unwrap_or(Rel::None)
    }

    fn label(self) -> LinkLabel {
        match self {
            Rel::Next => LinkLabel::Next,
            Rel::Back => LinkLabel::Back,
            _ => LinkLabel::Other,
        }
    }
}

fn known_rel(w: &str) -> Option<Rel> {
    match w.to_ascii_lowercase().as_str() {
        "next" => Some(Rel::Next),
        "prev" | "previous" => Some(Rel::Back),
        "amphtml" => Some(Rel::Amp),
        "canonical" => Some(Rel::Canonical),
        _ => None,
    }
}

/// Reads the label of a link.
fn label(dom: &Dom, n: NodeId, rel: Rel) -> LinkLabel {
    let mut text = squeeze(&node_text(dom, n, MAX_LABEL_CHARS + 1));
    if text.is_empty() {
        text = squeeze(dom.attr(n, "aria-label").or_else(|| dom.attr(n, "title")).unwrap_or(""));
    }
    if text.chars().count() > MAX_LABEL_CHARS || names_article(&text) {
        return LinkLabel::Other;
    }
    if let Some(number) = number_of(&text) {
        return LinkLabel::Number(number);
    }
    let kinds = fit(&text);
    let arrow = arrow(&text);
    // A headline next to an arrow is the title of another article.
    let is_short = text.split_whitespace().count() <= 4;
    match kinds {
        k if k[0] == 2.0 || is_short && k[0] > 0.0 && k[1] == 0.0 => LinkLabel::Next,
        k if k[1] == 2.0 || k[2] == 2.0 || is_short && k[1] > 0.0 => LinkLabel::Back,
        _ if !text.contains(char::is_alphanumeric) && arrow != 0.0 => {
            if arrow > 0.0 {
                LinkLabel::Next
            } else {
                LinkLabel::Back
            }
        }
        _ if is_short => rel.label(),
        _ => LinkLabel::Other,
    }
}

/// Returns the number of a label: "2", "[2]", "Page 2", "第2页", "2. Benchmarks".
fn number_of(text: &str) -> Option<u32> {
    let mut numbers = text.split(|c: char| digit(c).is_none()).filter(|s| !s.is_empty());
    let first = numbers.next().filter(|n| n.chars().count() <= 4)?;
    let rest: String = text.chars().filter(|c| c.is_alphabetic()).collect::<String>().to_lowercase();
    let is_page = rest.is_empty()
        || fit(text)[4] > 0.0
        || ["第页", "第頁", "页", "頁", "ページ", "페이지", "p"].contains(&rest.as_str());
    let leads = text.starts_with(first) && text[first.len()..].trim_start().starts_with(['.', ':', ')']);
    let alone = numbers.next().is_none();
    (alone && (is_page || leads)).then(|| first.chars().filter_map(digit).fold(0, |n, d| 10 * n + d))
}

/// Whether a label names another article: "Next article", "下一篇".
fn names_article(text: &str) -> bool {
    const NOUNS: &[&str] = lexicon!("article-nouns.txt");
    let text = text.to_lowercase();
    NOUNS.iter().any(|noun| text.contains(noun))
}

#[cfg(test)]
mod tests;
