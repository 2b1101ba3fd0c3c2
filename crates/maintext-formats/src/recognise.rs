//! Formats of files, recognised by content first.
use crate::compression::Packed;
use crate::{Hint, Refusal};
use maintext_core::decode::{decode, foreign, root_name};
use maintext_fetch::representation::{essence, is_markdown};
use memchr::memmem;
use std::borrow::Cow;
use std::fmt;

/// Bytes at the beginning of a file that are examined.
const HEAD: usize = 64 * 1024;

/// A format that becomes pages. `Display` gives its name with an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// HTML or XHTML, also with its resources inside (SingleFile).
    Html,
    /// Text in paragraphs.
    Text,
    /// CommonMark with tables and front matter.
    Markdown,
    /// One message.
    Mail,
    /// A page with its resources, as browsers save it.
    Mhtml,
    /// An archive of HTTP responses.
    Warc,
    /// WARC files in a ZIP archive.
    Wacz,
    /// RSS 0.9 to 2.0.
    Rss,
    /// Atom, RFC 4287.
    Atom,
    /// JSON Feed.
    JsonFeed,
    /// A sitemap, or an index of sitemaps.
    Sitemap,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Html => "an HTML page",
            Format::Text => "plain text",
            Format::Markdown => "Markdown",
            Format::Mail => "an e-mail message",
            Format::Mhtml => "an MHTML archive",
            Format::Warc => "a WARC archive",
            Format::Wacz => "a WACZ archive",
            Format::Rss => "an RSS feed",
            Format::Atom => "an Atom feed",
            Format::JsonFeed => "a JSON feed",
            Format::Sitemap => "a sitemap",
        })
    }
}

impl Format {
    /// Returns the cargo feature of this crate that a build needs to read the format, if the build lacks it.
    #[must_use]
    pub fn left_out(self) -> Option<&'static str> {
        let (feature, has) = match self {
            Format::Html | Format::Text | Format::Warc => return None,
            Format::Markdown => ("markdown", cfg!(feature = "markdown")),
            Format::Mail | Format::Mhtml => ("mail", cfg!(feature = "mail")),
            Format::Wacz => ("archives", cfg!(feature = "archives")),
            Format::Rss | Format::Atom | Format::JsonFeed | Format::Sitemap => ("feeds", cfg!(feature = "feeds")),
        };
        (!has).then_some(feature)
    }

    /// Returns the media type of the format. The declared type counts only for formats other than pages and texts.
    ///
    /// ```
    /// use maintext_formats::Format;
    /// assert_eq!(Format::Html.media_type(Some("text/markdown")), "text/html");
    /// assert_eq!(Format::Rss.media_type(Some("application/rss+xml; charset=utf-8")), "application/rss+xml");
    /// ```
    #[must_use]
    pub fn media_type(self, content_type: Option<&str>) -> String {
        let declared = essence(content_type);
        match self {
            Format::Html if declared == "application/xhtml+xml" => declared,
            Format::Html => "text/html".into(),
            Format::Markdown => "text/markdown".into(),
            Format::Text => "text/plain".into(),
            _ if declared.is_empty() => "application/octet-stream".into(),
            _ => declared,
        }
    }

    /// Whether a file of the format may hold several documents.
    #[must_use]
    pub fn is_container(self) -> bool {
        matches!(self, Format::Warc | Format::Wacz | Format::Rss | Format::Atom | Format::JsonFeed)
    }
}

/// Returns the format that a name promises, without endings such as `.gz`. Names of XML and of other formats promise nothing.
///
/// ```
/// use maintext_formats::{Format, by_name};
/// assert_eq!(by_name("letters/May.EML.gz"), Some(Format::Mail));
/// assert_eq!(by_name("photo.jpg"), None);
/// ```
#[must_use]
pub fn by_name(name: &str) -> Option<Format> {
    let mut name = name;
    while let Some((_, stem)) = Packed::by_name(name) {
        name = stem;
    }
    Some(match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
        "html" | "htm" | "xhtml" | "xht" | "shtml" => Format::Html,
        "txt" | "text" => Format::Text,
        "md" | "markdown" | "mdown" | "mkd" => Format::Markdown,
        "eml" => Format::Mail,
        "mht" | "mhtml" => Format::Mhtml,
        "warc" => Format::Warc,
        "wacz" => Format::Wacz,
        "rss" => Format::Rss,
        "atom" => Format::Atom,
        _ => return None,
    })
}

/// Returns the name of the page that a folder belongs to if browsers give such names to folders of a saved page's images and frames:
/// `walk` for `walk_files`.
///
/// ```
/// assert_eq!(maintext_formats::companion_of("walk_files"), Some("walk"));
/// assert_eq!(maintext_formats::companion_of("files"), None);
/// ```
#[must_use]
pub fn companion_of(folder: &str) -> Option<&str> {
    ["_files", "-Dateien", "_Dateien", "_fichiers", "_archivos", "_file", ".files"]
        .iter()
        .find_map(|ending| folder.strip_suffix(ending).filter(|stem| !stem.is_empty()))
}

/// Recognises the format of a file that is not compressed: by its bytes, then by its name and address.
///
/// # Errors
/// [`Refusal::NotAPage`] names data that are not a page.
pub fn recognise(bytes: &[u8], hint: &Hint<'_>) -> Result<Format, Refusal> {
    if bytes.starts_with(b"WARC/") {
        return Ok(Format::Warc);
    }
    let named = hint.name.and_then(by_name);
    if named == Some(Format::Wacz) && bytes.starts_with(b"PK\x03\x04") {
        return Ok(Format::Wacz);
    }
    if is_mailbox(bytes) {
        return Err(Refusal::NotAPage("a mailbox".into()));
    }
    if hint.name.is_some_and(|name| name.ends_with(".urls")) {
        return Err(Refusal::NotAPage("a list of addresses".into()));
    }
    if let Some(what) = foreign(bytes, hint.charset) {
        return match what {
            "a ZIP archive" => zip(bytes, named),
            "JSON" | "damaged JSON"
                if memmem::find(&bytes[..bytes.len().min(HEAD)], b"jsonfeed.org/version").is_some() =>
            {
                Ok(Format::JsonFeed)
            }
            // A text may begin with a brace: only JSON itself is refused there.
            "damaged JSON" if matches!(named, Some(Format::Text | Format::Markdown)) => Ok(Format::Text),
            // Messages carry other encodings as they are.
            "binary data" if let Some(format) = is_mail(bytes) => Ok(format),
            _ => Err(Refusal::NotAPage(what.into())),
        };
    }
    if let Some(format) = is_mail(bytes) {
        return Ok(if named == Some(Format::Mhtml) && format == Format::Mail { Format::Mhtml } else { format });
    }
    let head = decode(&bytes[..bytes.len().min(HEAD)], None).text;
    let head = head.trim_start();
    match root(head) {
        Some(XmlRoot::Format(format)) => return Ok(format),
        Some(XmlRoot::Other(name)) if named.is_none() && !holds_html(bytes) => return Err(Refusal::NotAPage(name)),
        _ => {}
    }
    let declared = declared(hint);
    Ok(match named.or(declared) {
        // The name in an address is less reliable than the server: `/page.html` may answer in Markdown, and `/page.md` with an error page.
        Some(Format::Html | Format::Text) if declared == Some(Format::Markdown) => Format::Markdown,
        Some(Format::Text | Format::Markdown) if declared == Some(Format::Html) && holds_html(head.as_bytes()) => {
            Format::Html
        }
        // Servers send Markdown as plain text.
        Some(Format::Text) if named.is_none() && is_marked_down(head) => Format::Markdown,
        // And pages.
        Some(Format::Text) if named.is_none() && head.starts_with('<') && holds_html(head.as_bytes()) => Format::Html,
        Some(format @ (Format::Text | Format::Markdown | Format::Html)) => format,
        _ if head.is_empty() => Format::Html,
        _ if is_marked_down(head) => Format::Markdown,
        _ if holds_html(head.as_bytes()) || head.starts_with('<') => Format::Html,
        _ => Format::Text,
    })
}

/// The format that a server declares for a text.
fn declared(hint: &Hint<'_>) -> Option<Format> {
    let essence = hint.content_type?.split(';').next()?.trim().to_ascii_lowercase();
    match essence.as_str() {
        _ if is_markdown(Some(&essence)) => Some(Format::Markdown),
        "text/plain" => Some(Format::Text),
        "text/html" | "application/xhtml+xml" => Some(Format::Html),
        _ => None,
    }
}

fn zip(bytes: &[u8], named: Option<Format>) -> Result<Format, Refusal> {
    match named {
        _ if memmem::find(bytes, b"META-INF/container.xml").is_some() => Err(Refusal::NotAPage("an EPUB book".into())),
        _ if memmem::find(bytes, b"datapackage.json").is_some() && memmem::find(bytes, b".warc").is_some() => {
            Ok(Format::Wacz)
        }
        Some(Format::Wacz) => Ok(Format::Wacz),
        _ => Err(Refusal::NotAPage("a ZIP archive".into())),
    }
}

enum XmlRoot {
    Format(Format),
    Other(Cow<'static, str>),
}

/// Judges a document by its first element, after declarations and comments.
fn root(text: &str) -> Option<XmlRoot> {
    let is_declared = text.starts_with("<?xml");
    let local = root_name(text)?;
    Some(match local {
        "rss" | "RDF" => XmlRoot::Format(Format::Rss),
        "feed" => XmlRoot::Format(Format::Atom),
        "urlset" | "sitemapindex" => XmlRoot::Format(Format::Sitemap),
        "svg" => XmlRoot::Other("an SVG image".into()),
        "plist" => XmlRoot::Other("a property list".into()),
        _ if local.eq_ignore_ascii_case("html") => XmlRoot::Format(Format::Html),
        _ if is_declared && local.len() <= 40 && local.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) => {
            XmlRoot::Other(format!("an XML document of <{local}>").into())
        }
        _ => return None,
    })
}

/// Elements that show that a text is HTML.
const ELEMENTS: [&str; 46] = [
    "a",
    "article",
    "b",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "footer",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "li",
    "link",
    "main",
    "meta",
    "nav",
    "ol",
    "p",
    "pre",
    "script",
    "section",
    "span",
    "strong",
    "style",
    "table",
    "td",
    "title",
    "tr",
    "ul",
];

/// Whether a text contains tags of HTML.
fn holds_html(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    memchr::memchr_iter(b'<', head).any(|i| {
        let rest = &head[i + 1..];
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        let end = rest.iter().take(12).position(|b| !b.is_ascii_alphanumeric()).unwrap_or(0);
        let name = std::str::from_utf8(&rest[..end]).unwrap_or("");
        let closes = matches!(rest.get(end), Some(b'>' | b'/')) || rest.get(end).is_some_and(u8::is_ascii_whitespace);
        closes && ELEMENTS.iter().any(|e| e.eq_ignore_ascii_case(name))
    })
}

/// Whether a text without a name is Markdown: it begins with front matter, or it shows two signs of it and does not begin with a tag.
fn is_marked_down(text: &str) -> bool {
    if text.starts_with('<') {
        return false;
    }
    if has_front_matter(text) {
        return true;
    }
    let mut signs = [false; 5];
    let mut blank = true;
    for line in text.lines().take(2000) {
        let marks = line.bytes().take_while(|b| *b == b'#').count();
        signs[0] |= blank && (1..=6).contains(&marks) && line[marks..].starts_with(' ');
        signs[1] |= line.starts_with("```") || line.starts_with("~~~");
        signs[2] |= line.split("](").nth(1).is_some_and(|rest| rest.contains(')'));
        signs[3] |= line.contains("**");
        signs[4] |= blank && (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("1. "));
        blank = line.trim().is_empty();
    }
    signs.iter().filter(|s| **s).count() >= 2
}

/// Whether a text begins with keys and values between two lines of three hyphens.
fn has_front_matter(text: &str) -> bool {
    /// Maximum number of lines of front matter.
    const MAX_LINES: usize = 200;
    let mut lines = text.lines().take(MAX_LINES);
    let mut has_key = false;
    lines.next().is_some_and(|line| line.trim_end() == "---")
        && lines.any(|line| {
            has_key |= line.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains(char::is_whitespace));
            has_key && line.trim_end() == "---"
        })
        // A template of a page has it, too.
        && lines.find(|line| !line.trim().is_empty()).is_none_or(|line| !line.trim_start().starts_with('<'))
}

/// Whether a file is a mailbox: before its first message is a line that begins with `From `.
fn is_mailbox(bytes: &[u8]) -> bool {
    bytes.starts_with(b"From ") && memchr::memchr(b'\n', bytes).is_some_and(|end| is_mail(&bytes[end + 1..]).is_some())
}

/// Whether bytes begin with others, of which at most one bit is wrong.
pub(crate) fn is_almost(bytes: &[u8], beginning: &[u8]) -> bool {
    let mut wrong = 0;
    bytes.len() >= beginning.len()
        && beginning.iter().zip(bytes).all(|(a, b)| {
            wrong += (a ^ b).count_ones();
            wrong <= 1
        })
}

/// Recognises messages by their header.
fn is_mail(bytes: &[u8]) -> Option<Format> {
    let mut known = 0;
    let (mut multipart, mut snapshot, mut addressed) = (false, false, false);
    for (i, line) in bytes.split(|b| *b == b'\n').take(200).enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        if line[0] == b' ' || line[0] == b'\t' {
            if i == 0 {
                return None;
            }
            multipart |= memmem::find(line, b"multipart/related").is_some();
            continue;
        }
        let colon = line.iter().position(|b| *b == b':')?;
        let name = std::str::from_utf8(&line[..colon]).ok()?.trim_end().to_ascii_lowercase();
        if name.is_empty() || name.len() > 77 || !name.bytes().all(|b| b.is_ascii_graphic()) {
            return None;
        }
        let value = line[colon + 1..].to_ascii_lowercase();
        multipart |= name == "content-type" && memmem::find(&value, b"multipart/related").is_some();
        snapshot |=
            name == "snapshot-content-location" || (name == "from" && memmem::find(&value, b"<saved by").is_some());
        addressed |= matches!(name.as_str(), "to" | "received" | "message-id" | "return-path" | "delivered-to");
        let standard =
            ["from", "date", "subject", "mime-version", "content-type", "content-location", "received", "return-path"];
        known += usize::from(standard.contains(&name.as_str()) || addressed);
    }
    match () {
        () if known < 2 => None,
        () if snapshot || (multipart && !addressed) => Some(Format::Mhtml),
        () => Some(Format::Mail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str, content_type: &str, bytes: &str) -> Format {
        let given = |text| Some(text).filter(|t: &&'_ str| !t.is_empty());
        let hint = Hint { name: given(name), content_type: given(content_type), ..Hint::default() };
        recognise(bytes.as_bytes(), &hint).unwrap()
    }

    #[test]
    fn what_the_server_declares_counts_more_than_the_address() {
        let error = "<!DOCTYPE html><html><title>Not found</title><p>No such page.";
        let prose = "The ferry leaves at nine, and <b>nobody</b> is late.";
        let marked = "# Ferries\n\n- [One](/one) leaves at nine.\n";
        for (name, content_type, bytes, expected) in [
            ("/a", "text/markdown", "Ferries leave.", Format::Markdown),
            ("/a.html", "text/markdown; charset=utf-8", "Ferries leave.", Format::Markdown),
            ("/llms-full.txt", "text/markdown", "Ferries leave.", Format::Markdown),
            ("/a", "text/x-markdown", "<div align=center>\n\n# Ferries", Format::Markdown),
            ("/a.md", "text/plain", "Ferries leave.", Format::Markdown),
            ("/a", "text/plain", "---\ntitle: Ferries\n---\nFerries leave.", Format::Markdown),
            ("/a", "text/plain", "---\nFerries leave.\n---\nFerries land.", Format::Text),
            ("/a.md", "text/markdown", error, Format::Html),
            ("/a.md", "text/html", error, Format::Html),
            ("/a.md", "text/html", "<h1>Not found</h1>", Format::Html),
            ("/a", "text/plain", prose, Format::Text),
            ("/a", "text/plain", marked, Format::Markdown),
            ("/a", "text/plain", error, Format::Html),
            ("/a", "text/plain", "<h1>Ferries</h1><p>They leave.", Format::Html),
            ("/a", "text/html", "Ferries leave.", Format::Html),
            ("", "", "Ferries leave.", Format::Text),
        ] {
            assert_eq!(format(name, content_type, bytes), expected, "{name} {content_type} {bytes}");
        }
    }
}
