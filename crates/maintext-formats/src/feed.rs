//! Feeds and sitemaps: a list page with entries, and the items that hold their full text.
//!
//! Our own reader of XML feeds, since feed-rs turns all dates into UTC, so that the day and the zone are lost, and gives nothing of a feed
//! that was cut off.
mod dates;
mod json;

use crate::head::{HeadFacts, escape};
use crate::xml::{Steps, XmlElement, XmlStep};
use crate::{Document, Format, Hint, Limits, Parts, Refusal};
use maintext_core::Entry;
use maintext_core::decode::decode;
use maintext_core::list::{Group, ListPage, PageLink};
use maintext_html::{NodeKind, ParseOptions};
use url::Url;

/// Minimum number of bytes of an item's content that count as its full text.
const FULL_TEXT: usize = 250;

/// A feed or sitemap.
#[derive(Default)]
struct Feed {
    facts: HeadFacts,
    items: Vec<FeedItem>,
    next: Option<String>,
    previous: Option<String>,
    warning: Option<String>,
    /// Whether the entries are other sitemaps.
    is_index: bool,
}

/// An entry.
#[derive(Default)]
struct FeedItem {
    title: String,
    link: Option<String>,
    date: Option<String>,
    modified: Option<String>,
    authors: Vec<String>,
    /// HTML.
    summary: Option<String>,
    /// HTML.
    content: Option<String>,
    image: Option<String>,
    tags: Vec<String>,
}

impl FeedItem {
    /// The full text, or the summary.
    fn html(&self) -> &str {
        self.content.as_deref().or(self.summary.as_deref()).unwrap_or("")
    }
}

pub fn parts(bytes: &[u8], format: Format, hint: &Hint<'_>, limits: &Limits) -> Result<Parts, Refusal> {
    let mut feed = match format {
        Format::JsonFeed => json::read(bytes, limits.max_entries)?,
        _ => read(&decode(bytes, hint.charset).text, limits.max_entries),
    };
    let base = hint.url.or(feed.facts.url.as_deref()).and_then(|u| Url::parse(u).ok());
    feed.resolve(base.as_ref());
    feed.facts = std::mem::take(&mut feed.facts).bounded();
    let full = feed.items.iter().filter(|item| item.content.as_ref().is_some_and(|c| c.len() >= FULL_TEXT)).count();
    if limits.items && full * 2 >= feed.items.len().max(1) {
        let (site, language) = (feed.facts.title.clone(), feed.facts.language.clone());
        let mut warning = feed.warning.take();
        let items = feed.items.into_iter().enumerate().map(move |(i, item)| {
            let mut document = item.document(site.clone(), language.clone());
            document.part = Some((i + 1).to_string());
            document.warning = warning.take();
            Ok(document)
        });
        return Ok(Box::new(items));
    }
    let (list, warning, is_index) = (Some(feed.list()), feed.warning.clone(), feed.is_index);
    Ok(crate::one(Document { list, warning, is_index, ..Document::made(feed.page(), true) }))
}

impl Feed {
    /// Makes the addresses absolute.
    fn resolve(&mut self, base: Option<&Url>) {
        let absolute = |href: &mut Option<String>| {
            if let (Some(url), Some(base)) = (href.as_deref(), base)
                && let Ok(url) = base.join(url.trim())
            {
                *href = Some(url.into());
            }
        };
        for item in &mut self.items {
            absolute(&mut item.link);
            absolute(&mut item.image);
        }
        absolute(&mut self.next);
        absolute(&mut self.previous);
    }

    fn list(&self) -> ListPage {
        let mut group = Group::default();
        group.score = 1.0;
        for (i, item) in self.items.iter().enumerate() {
            let mut entry = Entry::default();
            entry.title.clone_from(&item.title);
            entry.url.clone_from(&item.link);
            entry.href.clone_from(&entry.url);
            entry.summary = item.summary.as_deref().map(text_of).filter(|t| !t.is_empty());
            entry.date.clone_from(&item.date);
            entry.author = Some(item.authors.join(", ")).filter(|a| !a.is_empty());
            entry.image.clone_from(&item.image);
            entry.position = i + 1;
            group.entries.push(entry);
        }
        let mut list = ListPage::default();
        list.pagination.next = page_link(&self.next, "next");
        list.pagination.previous = page_link(&self.previous, "previous");
        list.groups.extend((!group.entries.is_empty()).then_some(group));
        list
    }

    /// Returns the feed as a page to read.
    fn page(&self) -> String {
        let facts = &self.facts;
        let heading = facts.title.as_deref().map_or(String::new(), |t| format!("<h1>{}</h1>", escape(t)));
        let mut body =
            heading + &facts.description.as_deref().map_or(String::new(), |d| format!("<p>{}</p>", escape(d)));
        for item in &self.items {
            let text = escape(if item.title.is_empty() { item.link.as_deref().unwrap_or("") } else { &item.title });
            let title = match &item.link {
                Some(link) => format!("<a href=\"{}\">{text}</a>", escape(link)),
                None => text,
            };
            let date = item
                .date
                .as_deref()
                .map(|d| format!("<time datetime=\"{0}\">{1}</time>", escape(d), escape(d.get(..10).unwrap_or(d))));
            let by: Vec<String> = date.into_iter().chain(item.authors.iter().map(|a| escape(a))).collect();
            let by = if by.is_empty() { String::new() } else { format!("<p>{}</p>", by.join(", ")) };
            // A sitemap is a plain list.
            if item.html().is_empty() && by.is_empty() {
                body += &format!("<p>{title}</p>\n")
            } else {
                body += &format!("<article><h2>{title}</h2>{by}{}</article>\n", balanced(item.html()))
            }
        }
        facts.page(body)
    }
}

fn page_link(url: &Option<String>, text: &str) -> Option<PageLink> {
    let mut link = PageLink::default();
    link.url.clone_from(url.as_ref()?);
    link.href.clone_from(&link.url);
    (link.text, link.probability) = (text.to_owned(), 1.0);
    Some(link)
}

impl FeedItem {
    fn document(&self, site: Option<String>, language: Option<String>) -> Document {
        let facts = HeadFacts {
            title: Some(self.title.clone()).filter(|t| !t.is_empty()),
            authors: self.authors.clone(),
            date: self.date.clone(),
            modified: self.modified.clone(),
            language,
            site,
            description: None,
            url: self.link.clone(),
            tags: self.tags.clone(),
        };
        let url = self.link.clone().filter(|l| l.starts_with("http"));
        Document { url, ..Document::made(facts.page(balanced(self.html())), true) }
    }
}

/// Returns a fragment with all its elements closed, so that it cannot swallow the rest of the page.
fn balanced(html: &str) -> String {
    let document = maintext_html::Document::parse(html, &ParseOptions::default());
    document.body().map_or(String::new(), |body| document.inner_html(body))
}

/// Returns the text of a fragment.
fn text_of(html: &str) -> String {
    if !html.contains(['<', '&']) {
        return html.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let document = maintext_html::Document::parse(html, &ParseOptions::default());
    let Some(body) = document.body() else { return String::new() };
    let mut out = String::new();
    for node in document.descendants(body) {
        match document.kind(node) {
            NodeKind::Text => out.push_str(document.text(node)),
            _ => out.push(' '),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The field whose text is being read.
struct OpenField {
    depth: usize,
    /// Where its content begins.
    place: usize,
    text: String,
    /// Whether it holds elements, so that its content is its source.
    nested: bool,
    element: XmlElement,
}

/// Reads RSS, RDF, Atom, or a sitemap.
fn read(text: &str, max_entries: usize) -> Feed {
    let mut feed = Feed::default();
    let mut item: Option<(usize, FeedItem)> = None;
    let mut open: Option<OpenField> = None;
    let mut steps = Steps::new(text);
    while let Some(step) = steps.next() {
        match step {
            XmlStep::Open(element) => {
                if matches!(element.name.as_str(), "urlset" | "sitemapindex") && steps.depth() == 1 {
                    feed.facts.title = Some("Sitemap".into());
                    feed.is_index = element.name == "sitemapindex";
                }
                if let Some(open) = &mut open {
                    open.nested = true;
                    continue;
                }
                let depth = steps.depth();
                let parent = depth.checked_sub(2).and_then(|i| steps.open.get(i)).map_or("", String::as_str);
                let is_item = match element.name.as_str() {
                    "item" | "entry" => depth > 1,
                    "url" | "sitemap" => matches!(parent, "urlset" | "sitemapindex"),
                    _ => false,
                };
                if is_item && item.is_none() {
                    if feed.items.len() >= max_entries {
                        feed.warning =
                            Some(format!("the feed has more entries: only the first {max_entries} were read"));
                        return feed;
                    }
                    item = Some((depth, FeedItem::default()));
                    continue;
                }
                if element.name == "language" || element.attribute("lang").is_some() && depth == 1 {
                    let lang = element.attribute("lang").map(str::to_owned);
                    feed.facts.language = feed.facts.language.take().or(lang);
                }
                let of_item = item.as_ref().is_some_and(|(d, _)| depth == d + 1);
                let of_feed = item.is_none() && matches!(parent, "channel" | "feed");
                let of_person = parent == "author" || parent == "news" || parent == "publication";
                if of_item || of_feed || of_person {
                    open = Some(OpenField { depth, place: steps.place(), text: String::new(), nested: false, element });
                    // A person's name is an element of its own.
                    let element = &open.as_ref().map(|o| o.element.name.as_str());
                    if matches!(element, Some("author" | "news" | "image" | "group")) && !is_leaf(text, steps.place()) {
                        open = None;
                    }
                }
            }
            XmlStep::Text(t) => {
                if let Some(open) = &mut open {
                    open.text += &t;
                }
            }
            XmlStep::Close => {
                let depth = steps.depth() + 1;
                if let Some(field) = open.take_if(|o| o.depth >= depth) {
                    let source = steps.since(field.place);
                    match &mut item {
                        Some((_, item)) => item.take(field, source),
                        None => feed.take(field, source),
                    }
                } else if let Some((_, item)) = item.take_if(|(d, _)| *d >= depth) {
                    feed.items.push(item);
                }
            }
        }
    }
    if steps.is_cut {
        feed.warning = Some("the feed is damaged or cut off: the part before the damage was read".into());
        feed.items.extend(item.map(|(_, item)| item).filter(|item| item.link.is_some() || !item.title.is_empty()));
    }
    feed
}

/// Whether the content at a place begins with text instead of an element.
fn is_leaf(text: &str, place: usize) -> bool {
    let rest = text.get(place..).unwrap_or("").trim_start();
    !rest.starts_with('<') || rest.starts_with("</") || rest.starts_with("<![CDATA[")
}

impl OpenField {
    /// Returns the content as HTML: Atom declares the type, RSS holds HTML.
    fn html(&self, source: &str) -> String {
        match self.element.attribute("type") {
            _ if self.nested => source.to_owned(),
            Some("text") => escape(&self.text).replace('\n', "<br>"),
            _ => self.text.clone(),
        }
    }

    fn plain(&self, source: &str) -> String {
        text_of(if self.nested { source } else { &self.text })
    }
}

/// Namespaces whose elements have the names of feed elements but other meanings.
const FOREIGN: [&str; 8] = ["media", "itunes", "podcast", "googleplay", "thr", "geo", "image", "video"];

fn author(text: &str) -> Option<String> {
    // RSS writes `jane@example.org (Jane Doe)`.
    let name = if text.contains('@') { text.split_once('(').and_then(|(_, rest)| rest.split_once(')')) } else { None };
    let name = name.map_or(text, |(name, _)| name).trim();
    (!name.is_empty()).then(|| name.to_owned())
}

impl FeedItem {
    fn take(&mut self, field: OpenField, source: &str) {
        let (name, prefix) = (field.element.name.as_str(), field.element.prefix.as_str());
        let attribute = |name: &str| field.element.attribute(name).map(str::to_owned);
        let text = || Some(field.text.trim().to_owned()).filter(|t| !t.is_empty());
        if FOREIGN.contains(&prefix) {
            let is_image = matches!(name, "thumbnail") || attribute("medium").is_some_and(|m| m == "image");
            if is_image && self.image.is_none() {
                self.image = attribute("url");
            }
            if name == "loc" && prefix == "image" && self.image.is_none() {
                self.image = text();
            }
            return;
        }
        match name {
            "title" if self.title.is_empty() => self.title = field.plain(source),
            "link" => match attribute("href") {
                Some(href) if attribute("rel").is_none_or(|r| r == "alternate") => _ = self.link.get_or_insert(href),
                Some(href) if attribute("rel").is_some_and(|r| r == "enclosure") => {
                    let is_image = attribute("type").is_some_and(|t| t.starts_with("image/"));
                    self.image = self.image.take().or(is_image.then_some(href));
                }
                Some(_) => {}
                None => self.link = text().or(self.link.take()),
            },
            "loc" => self.link = text(),
            "guid" if self.link.is_none() && field.text.trim().starts_with("http") => {
                let is_permanent = attribute("isPermaLink").is_none_or(|p| p != "false");
                self.link = if is_permanent { text() } else { None };
            }
            "pubDate" | "published" | "date" | "issued" | "publication_date" => {
                self.date = self.date.take().or_else(|| dates::iso(&field.text));
            }
            "updated" | "modified" | "lastmod" => {
                self.modified = dates::iso(&field.text);
                self.date = self.date.take().or_else(|| self.modified.clone());
            }
            "creator" | "author" => self.authors.extend(author(&field.plain(source))),
            "name" if prefix != "news" && !self.authors.contains(&field.text) => {
                self.authors.extend(author(&field.text))
            }
            "category" => self.tags.extend(attribute("term").or_else(text)),
            "encoded" => self.content = Some(field.html(source)).filter(|c| !c.trim().is_empty()),
            "content" if attribute("src").is_none() => {
                self.content = Some(field.html(source)).filter(|c| !c.trim().is_empty())
            }
            "description" | "summary" if self.summary.is_none() => {
                self.summary = Some(field.html(source)).filter(|c| !c.trim().is_empty());
            }
            "enclosure" if attribute("type").is_some_and(|t| t.starts_with("image/")) => {
                self.image = self.image.take().or(attribute("url"));
            }
            _ => {}
        }
    }
}

impl Feed {
    fn take(&mut self, field: OpenField, source: &str) {
        let (name, prefix) = (field.element.name.as_str(), field.element.prefix.as_str());
        let attribute = |name: &str| field.element.attribute(name).map(str::to_owned);
        let facts = &mut self.facts;
        if FOREIGN.contains(&prefix) {
            return;
        }
        match name {
            "title" if facts.title.is_none() => facts.title = Some(field.plain(source)),
            "description" | "subtitle" | "tagline" if facts.description.is_none() => {
                facts.description = Some(field.plain(source)).filter(|d| !d.is_empty());
            }
            "pubDate" | "lastBuildDate" | "updated" | "date" if facts.date.is_none() => {
                facts.date = dates::iso(&field.text)
            }
            "language" => facts.language = Some(field.text.trim().to_owned()),
            "link" => match (attribute("href"), attribute("rel").as_deref()) {
                (Some(href), None | Some("alternate")) => _ = facts.url.get_or_insert(href),
                (Some(href), Some("next")) => self.next = Some(href),
                (Some(href), Some("previous" | "prev")) => self.previous = Some(href),
                (Some(_), _) => {}
                (None, _) => facts.url = Some(field.text.trim().to_owned()).filter(|u| !u.is_empty()),
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rss_and_atom_are_read() {
        let rss = "<?xml version='1.0'?><rss version='2.0' xmlns:dc='d'><channel><title>News &amp; more</title>\
            <link>https://example.org/</link>\
            <image><title>Logo</title><url>/l.png</url></image><item><title>One &lt;i&gt;day&lt;/i&gt;</title><media:title>no</media:title>\
            <link>/a?x=1&amp;y=2</link><pubDate>Fri, 17 May 2024 23:30:00 +0900</pubDate><author>j@e.org (Jane Doe)</author>\
            <description>&lt;p&gt;First.&lt;/p&gt;</description><media:thumbnail url='/t.jpg'/></item>\
            <item><guid isPermaLink='true'>https://example.org/b</guid><dc:creator>John Roe</dc:creator></item></channel></rss>";
        let feed = read(rss, 10);
        assert_eq!(feed.facts.title.as_deref(), Some("News & more"));
        let first = &feed.items[0];
        assert_eq!((first.title.as_str(), first.link.as_deref()), ("One day", Some("/a?x=1&y=2")));
        assert_eq!(first.date.as_deref(), Some("2024-05-17T23:30:00+09:00"));
        assert_eq!((first.authors.as_slice(), first.html()), (&["Jane Doe".to_owned()][..], "<p>First.</p>"));
        assert_eq!(first.image.as_deref(), Some("/t.jpg"));
        assert_eq!(feed.items[1].link.as_deref(), Some("https://example.org/b"));
        assert_eq!(feed.items[1].authors, ["John Roe"]);
        let atom = "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de'><title>Blatt</title><link href='/'/>\
            <link rel='next' href='/2'/>\
            <entry><title type='html'>A &amp;amp; b</title><link rel='edit' href='/e'/><link href='/a'/>\
            <updated>2024-05-18T01:00:00Z</updated>\
            <author><name>Jane Doe</name></author><content type='xhtml'><div><p>One</p><p>Two</p></div></content></entry></feed>";
        let feed = read(atom, 10);
        assert_eq!((feed.facts.language.as_deref(), feed.next.as_deref()), (Some("de"), Some("/2")));
        let entry = &feed.items[0];
        assert_eq!((entry.title.as_str(), entry.link.as_deref()), ("A & b", Some("/a")));
        assert_eq!(
            (entry.authors.as_slice(), entry.html()),
            (&["Jane Doe".to_owned()][..], "<div><p>One</p><p>Two</p></div>")
        );
        assert_eq!(entry.date.as_deref(), Some("2024-05-18T01:00:00Z"));
    }

    #[test]
    fn a_feed_that_was_cut_off_keeps_its_items() {
        let feed = read(
            "<rss><channel><item><title>a</title><link>/a</link></item><item><title>b</title><link>/b</link><desc",
            10,
        );
        assert_eq!(feed.items.len(), 2);
        assert!(feed.warning.is_some());
        let feed = read(&format!("<urlset>{}", "<url><loc>https://e.org/</loc></url>".repeat(20)), 5);
        assert_eq!(feed.items.len(), 5);
        assert!(feed.warning.unwrap().contains("only the first 5"));
    }

    #[test]
    fn an_unclosed_fragment_swallows_nothing() {
        let rss = "<rss><channel><item><title>a</title><description>&lt;p&gt;x &lt;script&gt; &lt;!-- y</description></item>\
                   <item><title>second</title></item></channel></rss>";
        let page = read(rss, 10).page();
        let after = page.find("second").unwrap();
        assert!(page[..after].contains("</script>"), "{page}");
    }
}
