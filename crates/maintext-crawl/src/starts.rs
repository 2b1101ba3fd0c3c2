//! Feeds and sitemaps: lists of pages in XML.
//!
//! Supports RSS 0.9x, 1.0 and 2.0, Atom (RFC 4287), and the sitemap protocol of sitemaps.org with index files. The reader streams the
//! file and tolerates common errors of generators; other files give `None`.
use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::io::Read as _;
use url::Url;

/// Largest number of links taken from one file; the sitemap protocol allows this many.
const MAX_LINKS: usize = 50_000;
/// Largest nesting depth; no feed needs more.
const MAX_DEPTH: usize = 100;

/// The contents of a feed or sitemap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Absolute addresses of pages, in order.
    pub pages: Vec<String>,
    /// Other sitemaps.
    pub sitemaps: Vec<String>,
    /// The next page of the feed (RFC 5005).
    pub next: Option<String>,
}

/// Parses a feed or sitemap of at most `max_size` bytes uncompressed. The file may be compressed with gzip.
///
/// ```
/// let atom = br#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>"#;
/// let index = maintext_crawl::starts::read(atom, "https://example.org/feed", 1 << 20).unwrap();
/// assert_eq!(index.pages, ["https://example.org/a"]);
/// ```
pub fn read(body: &[u8], url: &str, max_size: usize) -> Option<Index> {
    let mut unpacked = Vec::new();
    let body = if body.starts_with(&[0x1f, 0x8b]) {
        // After a decompression error, the bytes before it are still used.
        let _ = MultiGzDecoder::new(body).take(max_size as u64).read_to_end(&mut unpacked);
        &unpacked
    } else {
        body
    };
    let head = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if head.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'<') {
        return None;
    }
    let text = maintext_core::decode::decode(body, None).text;
    Walk::default().over(&text, &Url::parse(url).ok()?)
}

/// State of the parser.
#[derive(Default)]
struct Walk {
    /// Local names of the open elements.
    open: Vec<String>,
    /// Text of the element that contains an address.
    text: String,
    index: Index,
    /// Link of the current entry: the first one that leads to a page.
    entry: Option<String>,
    known: bool,
}

impl Walk {
    fn over(mut self, text: &str, base: &Url) -> Option<Index> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        // An error ends the file; everything before it is used.
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Start(e) => self.start(&e, base)?,
                Event::Empty(e) => {
                    self.start(&e, base)?;
                    self.end(base);
                }
                Event::End(_) => self.end(base),
                Event::Text(t) => self.text.push_str(&t),
                Event::CData(t) => self.text.push_str(&t),
                Event::GeneralRef(name) => self.text.push_str(reference(&name)),
                Event::Eof => break,
                _ => {}
            }
            if self.index.pages.len() + self.index.sitemaps.len() >= MAX_LINKS {
                break;
            }
        }
        self.known.then_some(self.index)
    }

    /// Handles a start tag. Returns `None` if the root element is neither a feed nor a sitemap.
    fn start(&mut self, e: &BytesStart<'_>, base: &Url) -> Option<()> {
        let name = e.local_name().as_ref().to_owned();
        if self.open.is_empty() && !self.known {
            self.known = matches!(name.as_str(), "rss" | "RDF" | "feed" | "urlset" | "sitemapindex");
            self.known.then_some(())?;
        }
        self.text.clear();
        if name == "link" {
            self.atom_link(e, base);
        }
        if self.open.len() < MAX_DEPTH {
            self.open.push(name);
        }
        Some(())
    }

    /// Handles an Atom link, which has its target in an attribute.
    fn atom_link(&mut self, e: &BytesStart<'_>, base: &Url) {
        let attribute = |name: &str| {
            let found = e.attributes().with_checks(false).flatten().find(|a| a.key.as_ref() == name)?;
            Some(quick_xml::escape::unescape(&found.value).map_or_else(|_| found.value.to_string(), Cow::into_owned))
        };
        let Some(href) = attribute("href").and_then(|h| absolute(&h, base)) else { return };
        let relation = attribute("rel").unwrap_or_else(|| "alternate".into());
        match (relation.as_str(), self.within("entry") || self.within("item")) {
            ("alternate", true) => {
                self.entry.get_or_insert(href);
            }
            ("next", false) => self.index.next = Some(href),
            _ => {}
        }
    }

    fn within(&self, name: &str) -> bool {
        self.open.iter().any(|o| o == name)
    }

    fn end(&mut self, base: &Url) {
        let Some(name) = self.open.pop() else { return };
        let address = || absolute(self.text.trim(), base);
        match name.as_str() {
            "link" if self.within("item") => {
                if let Some(url) = address() {
                    self.entry.get_or_insert(url);
                }
            }
            // An item without a link may use an address as its id.
            "guid" if self.within("item") && self.entry.is_none() && self.text.trim().starts_with("http") => {
                self.entry = address();
            }
            "item" | "entry" => self.index.pages.extend(self.entry.take()),
            "loc" if self.open.last().is_some_and(|o| o == "url") => self.index.pages.extend(address()),
            "loc" if self.open.last().is_some_and(|o| o == "sitemap") => self.index.sitemaps.extend(address()),
            _ => {}
        }
        self.text.clear();
    }
}

fn absolute(text: &str, base: &Url) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    base.join(text).ok().map(String::from)
}

/// Returns the character of an entity; addresses need only these.
fn reference(name: &str) -> &'static str {
    match name {
        "amp" | "#38" => "&",
        "#x26" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" | "#39" => "'",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn index(text: &str) -> Index {
        read(text.as_bytes(), "https://e.org/dir/feed.xml", 1 << 20).unwrap()
    }

    #[test]
    fn rss_links_are_read() {
        let feed = "<?xml version='1.0'?>\n<rss version='2.0'><channel><link>https://e.org/</link><title>News &amp; more</title>\
            <item><title>a</title><link> https://e.org/a?x=1&amp;y=2 </link><guid>https://e.org/?p=1</guid></item>\
            <item><guid isPermaLink='true'>https://e.org/b</guid></item><item><link><![CDATA[/c]]></link></item></channel></rss>";
        assert_eq!(index(feed).pages, ["https://e.org/a?x=1&y=2", "https://e.org/b", "https://e.org/c"]);
        let rdf =
            "<rdf:RDF xmlns:rdf='x' xmlns='y'><channel><link>/</link></channel><item><link>d</link></item></rdf:RDF>";
        assert_eq!(index(rdf).pages, ["https://e.org/dir/d"]);
    }

    #[test]
    fn atom_alternate_links_and_the_next_page_are_read() {
        let feed = "<feed><link rel='self' href='/feed'/><link rel='next' href='/feed?page=2'/><entry><link rel='edit' href='/e'/>\
            <link href='/a?x=1&amp;y=2'/><link rel='alternate' href='/other'/></entry><entry><id>tag:1</id></entry></feed>";
        let index = index(feed);
        assert_eq!(index.pages, ["https://e.org/a?x=1&y=2"]);
        assert_eq!(index.next.as_deref(), Some("https://e.org/feed?page=2"));
    }

    #[test]
    fn sitemaps_and_their_indices_are_read_with_and_without_compression() {
        let map = "<urlset><url><loc>https://e.org/a</loc><image:image><image:loc>https://e.org/i.png</image:loc></image:image>\
            </url><url><loc>https://e.org/b</loc></url></urlset>";
        assert_eq!(index(map).pages, ["https://e.org/a", "https://e.org/b"]);
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(map.as_bytes()).unwrap();
        assert_eq!(read(&gz.finish().unwrap(), "https://e.org/s.xml.gz", 1 << 20), Some(index(map)));
        let all = "<sitemapindex><sitemap><loc>https://e.org/1.xml.gz</loc></sitemap></sitemapindex>";
        assert_eq!(index(all).sitemaps, ["https://e.org/1.xml.gz"]);
    }

    #[test]
    fn broken_files_are_read_up_to_the_error() {
        assert_eq!(index("<urlset><url><loc>https://e.org/a</loc></url><url><loc>https://e.org/b").pages.len(), 1);
        assert_eq!(index("<rss><item><link>/a & b</link></item></wrong></rss>").pages.len(), 1);
        for other in ["", "plain text", "<html><body><a href=/a>a</a>", "\0\0<"] {
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
        gz.write_all(b"<url><loc>https://e.org/b</loc></url>").unwrap();
        let index = read(&gz.finish().unwrap(), "https://e.org/", 1 << 20).unwrap();
        assert_eq!(index.pages, ["https://e.org/a"]);
    }
}
