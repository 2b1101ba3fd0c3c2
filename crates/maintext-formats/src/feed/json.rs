//! JSON Feed, <https://www.jsonfeed.org/version/1.1/>.
use super::{Feed, FeedItem, dates};
use crate::head::{HeadFacts, escape};
use crate::{Refusal, text};
use serde::Deserialize;
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Raw {
    title: Option<String>,
    description: Option<String>,
    home_page_url: Option<String>,
    language: Option<String>,
    next_url: Option<String>,
    items: Vec<RawItem>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawItem {
    id: Value,
    url: Option<String>,
    external_url: Option<String>,
    title: Option<String>,
    summary: Option<String>,
    content_html: Option<String>,
    content_text: Option<String>,
    image: Option<String>,
    date_published: Option<String>,
    date_modified: Option<String>,
    author: Option<Author>,
    authors: Vec<Author>,
    tags: Vec<String>,
}

#[derive(Deserialize)]
struct Author {
    name: Option<String>,
}

pub fn read(bytes: &[u8], max_entries: usize) -> Result<Feed, Refusal> {
    // Empty objects take much more memory than text.
    if memchr::memchr_iter(b'{', bytes).count() > max_entries.saturating_mul(8) {
        return Err(damaged(format!("it has more than {max_entries} entries")));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let raw: Raw = serde_json::from_slice(bytes).map_err(|e| damaged(e.to_string()))?;
    let facts = HeadFacts {
        title: raw.title,
        description: raw.description,
        url: raw.home_page_url,
        language: raw.language,
        ..HeadFacts::default()
    };
    let warning = raw.items.len() > max_entries;
    let warning = warning.then(|| format!("the feed has more entries: only the first {max_entries} were read"));
    let items = raw.items.into_iter().take(max_entries).map(item).collect();
    Ok(Feed { facts, items, next: raw.next_url, warning, ..Feed::default() })
}

fn damaged(reason: String) -> Refusal {
    Refusal::Damaged("a JSON feed".into(), reason)
}

fn item(raw: RawItem) -> FeedItem {
    let id = raw.id.as_str().filter(|id| id.starts_with("http")).map(str::to_owned);
    FeedItem {
        title: raw.title.unwrap_or_default(),
        link: raw.url.or(raw.external_url).or(id),
        date: raw.date_published.as_deref().and_then(dates::iso),
        modified: raw.date_modified.as_deref().and_then(dates::iso),
        authors: raw.authors.into_iter().chain(raw.author).filter_map(|a| a.name).collect(),
        summary: raw.summary.map(|s| escape(&s)),
        content: raw.content_html.or_else(|| raw.content_text.map(|t| text::paragraphs(&t))),
        image: raw.image,
        tags: raw.tags,
    }
}
