//! Feeds, sitemaps and llms.txt, as lists of addresses. `maintext-formats` reads RSS, Atom, JSON Feed and XML sitemaps, compressed or not; a
//! sitemap may also be plain text with one address per line.
use maintext_core::decode::decode;
use maintext_core::dom::{NodeId, Tag};
use maintext_formats::{Format, Hint, Limits, documents, recognise, unpack};
use url::Url;

/// Largest number of links taken from one file; the sitemap protocol allows this many.
const MAX_LINKS: usize = 50_000;

/// The contents of a feed or sitemap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedIndex {
    /// The pages, in order.
    pub pages: Vec<NamedEntry>,
    /// Other sitemaps.
    pub sitemaps: Vec<String>,
    /// The next page of the feed (RFC 5005).
    pub next: Option<String>,
    /// Whether this is a sitemap.
    pub is_sitemap: bool,
    /// Whether this is an llms.txt.
    pub is_llms: bool,
}

/// A page that a feed or sitemap names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedEntry {
    /// The absolute address.
    pub url: String,
    /// The title, or an empty text.
    pub title: String,
    /// When it was last changed.
    pub lastmod: Option<String>,
}

/// Parses a feed or sitemap of at most `max_size` bytes uncompressed. Returns `None` for other files.
///
/// ```
/// let atom = br#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>"#;
/// let index = maintext_crawl::starts::read(atom, "https://example.org/feed", 1 << 20).unwrap();
/// assert_eq!(index.pages[0].url, "https://example.org/a");
/// ```
pub fn read(body: &[u8], url: &str, max_size: usize) -> Option<FeedIndex> {
    let base = Url::parse(url).ok()?;
    let (bytes, _) = unpack(body.to_vec(), None, max_size).ok()?;
    let hint = Hint { url: Some(url), ..Hint::default() };
    let format = recognise(&bytes, &hint).ok()?;
    let is_sitemap = match format {
        Format::Rss | Format::Atom | Format::JsonFeed => false,
        Format::Sitemap => true,
        Format::Text | Format::Markdown => {
            return if is_llms_file(&base) { listed_pages(bytes, &base, max_size) } else { lines(&bytes) };
        }
        _ => return None,
    };
    let limits = Limits { max_size, max_entries: MAX_LINKS, items: false };
    let document = documents(bytes, &hint, &limits).ok()?.next()?.ok()?;
    let list = document.list.unwrap_or_default();
    let absolute = |href: &str| {
        let href = href.trim();
        if href.is_empty() { None } else { base.join(href).ok().map(String::from) }
    };
    let entries = list.groups.into_iter().flat_map(|group| group.entries);
    let pages: Vec<NamedEntry> =
        entries.filter_map(|e| Some(NamedEntry { url: absolute(&e.url?)?, title: e.title, lastmod: e.date })).collect();
    let next = list.pagination.next.and_then(|link| absolute(&link.url));
    Some(if document.is_index {
        FeedIndex { sitemaps: pages.into_iter().map(|p| p.url).collect(), is_sitemap, ..FeedIndex::default() }
    } else {
        FeedIndex { pages, next, is_sitemap, ..FeedIndex::default() }
    })
}

/// Whether an address has the name of the file of llmstxt.org.
#[must_use]
pub fn is_llms_file(url: &Url) -> bool {
    url.path().ends_with("/llms.txt")
}

/// Reads an llms.txt: the links in its lists, with their texts as titles. Those to other such files are read like sitemaps.
fn listed_pages(bytes: Vec<u8>, base: &Url, max_size: usize) -> Option<FeedIndex> {
    /// Maximum number of elements between a link and its list.
    const NEAR: usize = 20;
    let hint = Hint { content_type: Some("text/markdown"), ..Hint::default() };
    let limits = Limits { max_size, ..Limits::default() };
    let html = documents(bytes, &hint, &limits).ok()?.next()?.ok()?.bytes;
    let html = String::from_utf8_lossy(&html);
    let dom = maintext_core::dom::parse(&html, &Default::default());
    let mut index = FeedIndex { is_llms: true, ..FeedIndex::default() };
    let links = dom.descendants(NodeId::ROOT).filter(|n| dom.tag(*n) == Tag::A);
    for node in links.filter(|n| dom.ancestors(*n).take(NEAR).any(|above| dom.tag(above) == Tag::LI)) {
        let Some(url) = dom.attr(node, "href").and_then(|href| base.join(href.trim()).ok()) else { continue };
        if !matches!(url.scheme(), "http" | "https") {
            continue;
        }
        if index.pages.len() + index.sitemaps.len() >= MAX_LINKS {
            break;
        }
        if is_llms_file(&url) {
            index.sitemaps.push(url.into());
        } else {
            let title = dom.text_content(node).split_whitespace().collect::<Vec<_>>().join(" ");
            index.pages.push(NamedEntry { url: url.into(), title, lastmod: None });
        }
    }
    Some(index)
}

/// Reads a plain-text sitemap: every line that is not empty is an address.
fn lines(bytes: &[u8]) -> Option<FeedIndex> {
    let text = decode(bytes, None).text;
    let mut pages = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()).take(MAX_LINKS) {
        let url = Url::parse(line).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        pages.push(NamedEntry { url: url.into(), ..NamedEntry::default() });
    }
    (!pages.is_empty()).then(|| FeedIndex { pages, is_sitemap: true, ..FeedIndex::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn index(text: &str) -> FeedIndex {
        read(text.as_bytes(), "https://e.org/dir/feed.xml", 1 << 20).unwrap()
    }

    fn pages(text: &str) -> Vec<String> {
        index(text).pages.into_iter().map(|p| p.url).collect()
    }

    #[test]
    fn rss_links_are_read() {
        let feed = "<?xml version='1.0'?>\n<rss version='2.0'><channel><link>https://e.org/</link><title>News &amp; more</title>\
            <item><title>a</title><link> https://e.org/a?x=1&amp;y=2 </link><guid>https://e.org/?p=1</guid></item>\
            <item><guid isPermaLink='true'>https://e.org/b</guid></item><item><link><![CDATA[/c]]></link></item></channel></rss>";
        assert_eq!(pages(feed), ["https://e.org/a?x=1&y=2", "https://e.org/b", "https://e.org/c"]);
        assert_eq!(index(feed).pages[0].title, "a");
        let rdf =
            "<rdf:RDF xmlns:rdf='x' xmlns='y'><channel><link>/</link></channel><item><link>d</link></item></rdf:RDF>";
        assert_eq!(pages(rdf), ["https://e.org/dir/d"]);
    }

    #[test]
    fn atom_alternate_links_and_the_next_page_are_read() {
        let feed = "<feed><link rel='self' href='/feed'/><link rel='next' href='/feed?page=2'/><entry><link rel='edit' href='/e'/>\
            <link href='/a?x=1&amp;y=2'/><link rel='alternate' href='/other'/></entry><entry><id>tag:1</id></entry></feed>";
        assert_eq!(pages(feed), ["https://e.org/a?x=1&y=2"]);
        assert_eq!(index(feed).next.as_deref(), Some("https://e.org/feed?page=2"));
    }

    #[test]
    fn json_feeds_are_read() {
        let feed = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items":
            [{"id": "1", "url": "/a", "title": "Herons", "date_published": "2024-05-17T09:00:00Z"}]}"#;
        let page = &index(feed).pages[0];
        assert_eq!((page.url.as_str(), page.title.as_str()), ("https://e.org/a", "Herons"));
        assert_eq!(page.lastmod.as_deref(), Some("2024-05-17T09:00:00Z"));
    }

    #[test]
    fn sitemaps_and_their_indices_are_read_with_and_without_compression() {
        let map = "<urlset xmlns:n='n'><url><loc>https://e.org/a</loc><image:image><image:loc>https://e.org/i.png</image:loc>\
            </image:image><lastmod>2024-05-17</lastmod></url><url><loc>https://e.org/b</loc><news:news><news:publication>\
            <news:name>The Ferry Post</news:name></news:publication><news:title>Herons</news:title></news:news></url></urlset>";
        assert_eq!(pages(map), ["https://e.org/a", "https://e.org/b"]);
        assert_eq!(index(map).pages[0].lastmod.as_deref(), Some("2024-05-17"));
        assert_eq!(index(map).pages[1].title, "Herons");
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(map.as_bytes()).unwrap();
        assert_eq!(read(&gz.finish().unwrap(), "https://e.org/s.xml.gz", 1 << 20), Some(index(map)));
        let all = "<sitemapindex><sitemap><loc>https://e.org/1.xml.gz</loc></sitemap></sitemapindex>";
        assert_eq!((index(all).sitemaps, index(all).pages), (vec!["https://e.org/1.xml.gz".into()], Vec::new()));
    }

    #[test]
    fn a_sitemap_may_be_lines_of_addresses() {
        assert_eq!(pages("https://e.org/a\r\n\r\nhttps://e.org/b?x=1\n"), ["https://e.org/a", "https://e.org/b?x=1"]);
    }

    #[test]
    fn an_llms_txt_names_the_pages_of_its_lists() {
        let text = "# Ferries\n\n> All about [them](/no).\n\n## Docs\n\n- [First *steps*](/docs/first.md): how to begin\n- [More](more?x=1#y)\n\
            * [Deep](https://other.example/d)\n  1. [Nested](/n)\n\n[Not in a list](/no)\n\n## Optional\n\n- [Old](http://e.org/old) and [older](/older)\n\
            - [Mail](mailto:a@e.org)\n- [All](/docs/llms.txt)\n- plain\n";
        let index = read(text.as_bytes(), "https://e.org/llms.txt", 1 << 20).unwrap();
        let found: Vec<_> = index.pages.iter().map(|p| (p.url.as_str(), p.title.as_str())).collect();
        let expected = [
            ("https://e.org/docs/first.md", "First steps"),
            ("https://e.org/more?x=1#y", "More"),
            ("https://other.example/d", "Deep"),
            ("https://e.org/n", "Nested"),
            ("http://e.org/old", "Old"),
            ("https://e.org/older", "older"),
        ];
        assert_eq!((found.as_slice(), index.is_llms), (&expected[..], true));
        assert_eq!(index.sitemaps, ["https://e.org/docs/llms.txt"]);
        let page = "<!doctype html><title>Not found</title><ul><li><a href=/a>a</a></ul>";
        assert_eq!(read(page.as_bytes(), "https://e.org/llms.txt", 1 << 20), None);
        let many = "- [a](/a)\n".repeat(MAX_LINKS + 10);
        assert_eq!(read(many.as_bytes(), "https://e.org/llms.txt", 1 << 24).unwrap().pages.len(), MAX_LINKS);
    }

    #[test]
    fn broken_files_are_read_up_to_the_error() {
        // The last address may be incomplete, but is a page of the site.
        assert_eq!(pages("<urlset><url><loc>https://e.org/a</loc></url><url><loc>https://e.org/b</loc>").len(), 2);
        assert_eq!(pages("<rss><channel><item><link>/a & b</link></item></wrong></channel></rss>").len(), 1);
        for other in ["", "plain text", "https://e.org/a\nand more", "<html><body><a href=/a>a</a>", "\0\0<"] {
            assert_eq!(read(other.as_bytes(), "https://e.org/", 1 << 20), None, "{other}");
        }
    }

    #[test]
    fn decompression_stops_at_the_size_limit() {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(b"<urlset><url><loc>https://e.org/a</loc></url>").unwrap();
        for _ in 0..1000 {
            gz.write_all(&[b' '; 4096]).unwrap();
        }
        assert_eq!(read(&gz.finish().unwrap(), "https://e.org/", 1 << 20), None);
    }
}
