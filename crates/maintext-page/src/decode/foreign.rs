//! Data that are not a page: recognised by their first bytes, their structure, or their control characters.
use super::detect::utf16_by_nuls;
use memchr::memmem;
use serde::de::IgnoredAny;

/// Number of bytes in which control characters are counted.
const HEAD_BYTES: usize = 4096;
/// One control character per this many bytes makes data binary. Random bytes have one in ten.
const BYTES_PER_CONTROL: usize = 20;

/// First bytes of formats, and their names.
const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "a PDF"),
    (b"%!PS", "a PostScript document"),
    (b"{\\rtf", "an RTF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\0\0\x01\0", "an icon"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000 image"),
    (b"8BPS\0", "a Photoshop image"),
    (b"\x1f\x8b\x08", "gzip-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"BZh", "bzip2-compressed data"),
    (b"\xfd7zXZ\0", "xz-compressed data"),
    (b"\x04\x22\x4d\x18", "LZ4-compressed data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"bplist00", "a binary property list"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"WARC/", "a WARC archive"),
    (b"ARROW1", "an Arrow file"),
    (b"ID3", "an MP3 recording"),
    (b"\xff\xfb\x90", "an MP3 recording"),
    (b"fLaC", "a FLAC recording"),
    (b"OggS\0", "an Ogg recording"),
    (b"\x1a\x45\xdf\xa3", "a Matroska or WebM film"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OTTO\0", "a font"),
    (b"\0\x01\0\0\0", "a font"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ\x90\0", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"\xca\xfe\xba\xbe", "a Java class or macOS program"),
    (b"\0asm", "a WebAssembly program"),
    (b"!<arch>\n", "an archive of object files"),
    (b"\xff\xfe\0\0", "UTF-32 text"),
    (b"\0\0\xfe\xff", "UTF-32 text"),
];

/// Returns the name of the format of data that are certainly not a page, with its article. `charset` is the one that the caller knows, if any.
///
/// ```
/// use maintext_page::decode::foreign;
/// assert_eq!(foreign(b"GIF89a", None), Some("a GIF image"));
/// assert_eq!(foreign(b"{\"title\": \"A walk\"}", None), Some("JSON"));
/// assert_eq!(foreign(b"<p>A walk", None), None);
/// ```
pub fn foreign(bytes: &[u8], charset: Option<&str>) -> Option<&'static str> {
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(name);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Some(zip(bytes));
    }
    if bytes.starts_with(b"RIFF") && bytes.len() >= 12 {
        return Some(match &bytes[8..12] {
            b"WEBP" => "a WebP image",
            b"WAVE" => "a WAV recording",
            _ => "a recording or film",
        });
    }
    if bytes.len() >= 12 && &bytes[4..8] == b"ftyp" {
        return Some(match &bytes[8..12] {
            b"avif" | b"avis" => "an AVIF image",
            b"heic" | b"heix" | b"mif1" | b"hevc" => "a HEIC image",
            _ => "an MP4 film or recording",
        });
    }
    if bytes.len() > 262 && &bytes[257..262] == b"ustar" {
        return Some("a tar archive");
    }
    if bytes.starts_with(b"BM") && bytes.len() >= 14 && bytes[6..10] == [0; 4] {
        return Some("a BMP image");
    }
    if let Some(what) = json(bytes) {
        return Some(what);
    }
    // Without a byte order mark, text in UTF-16 outside of ASCII looks like binary data.
    if charset.is_some_and(|name| name.trim().get(..6).is_some_and(|start| start.eq_ignore_ascii_case("utf-16"))) {
        return None;
    }
    binary(&bytes[..bytes.len().min(HEAD_BYTES)])
}

/// What callers pass by mistake instead of a page: one line without tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// A web address.
    Address,
    /// The name of a page's file.
    FileName,
}

impl Reference {
    /// Recognises a reference to a page.
    ///
    /// ```
    /// use maintext_page::decode::Reference;
    /// assert_eq!(Reference::of(b"https://example.org/walk"), Some(Reference::Address));
    /// assert_eq!(Reference::of(b"pages/walk.html"), Some(Reference::FileName));
    /// assert_eq!(Reference::of(b"The rest of the story is in walk.html"), None);
    /// ```
    pub fn of(page: &[u8]) -> Option<Reference> {
        /// Maximum number of bytes of an address or a path, and of words of the name of a file.
        const LONGEST: usize = 4096;
        const MAX_WORDS: usize = 4;
        if page.len() > LONGEST {
            return None;
        }
        let line = std::str::from_utf8(page).ok()?.trim();
        if line.contains(['<', '\n', '\r']) {
            return None;
        }
        let starts = |scheme: &str| line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if (starts("http://") || starts("https://")) && !line.contains(char::is_whitespace) {
            return Some(Reference::Address);
        }
        let (name, ending) = line.rsplit_once('.')?;
        let is_page = ["html", "htm", "xhtml", "mhtml"].iter().any(|known| ending.eq_ignore_ascii_case(known));
        // A sentence may end with a name.
        let is_name = (1..=MAX_WORDS).contains(&name.split_whitespace().count());
        (is_page && is_name).then_some(Reference::FileName)
    }

    /// Returns its name, with an article.
    pub fn name(self) -> &'static str {
        match self {
            Reference::Address => "an address",
            Reference::FileName => "the name of a file",
        }
    }
}

/// Returns the name of the format of an XML document that is not a page, by the name of its root: a feed, a sitemap, an image. Unlike
/// [`foreign`], it needs to be asked only where nothing else reads feeds.
///
/// ```
/// use maintext_page::decode::foreign_xml;
/// assert_eq!(foreign_xml("<?xml version='1.0'?><rss version='2.0'><channel>"), Some("an RSS feed"));
/// assert_eq!(foreign_xml("<?xml version='1.0'?><html><p>A walk"), None);
/// ```
pub fn foreign_xml(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match root_name(text)? {
        "rss" | "RDF" => Some("an RSS feed"),
        "feed" => Some("an Atom feed"),
        "urlset" | "sitemapindex" => Some("a sitemap"),
        "opml" => Some("an OPML outline"),
        // A page may begin with its drawings.
        "svg" if text.starts_with("<?xml") => Some("an SVG image"),
        _ => None,
    }
}

/// Returns the name of a document's root element without its prefix, skipping declarations and comments; `html` if the doctype names it.
pub fn root_name(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start();
        let end = match text {
            t if t.starts_with("<!--") => t.find("-->")? + 3,
            t if t.starts_with("<?") => t.find("?>")? + 2,
            t if t.get(..9).is_some_and(|d| d.eq_ignore_ascii_case("<!doctype")) => {
                let doctype = t[9..].trim_start();
                if doctype.get(..4).is_some_and(|d| d.eq_ignore_ascii_case("html")) {
                    return Some("html");
                }
                // An internal subset holds declarations of its own.
                let end = t.find('>')?;
                match t[..end].find('[') {
                    Some(_) => t.find("]>")? + 2,
                    None => end + 1,
                }
            }
            _ => break,
        };
        text = &text[end..];
    }
    let name = text.strip_prefix('<')?;
    let name = &name[..name.find(|c: char| c.is_whitespace() || "/>".contains(c))?];
    name.rsplit(':').next()
}

/// Names a ZIP file by the names of the files in it.
fn zip(bytes: &[u8]) -> &'static str {
    let first = bytes.get(30..).unwrap_or_default();
    for (kind, name) in [
        ("application/epub+zip", "an EPUB book"),
        ("application/vnd.oasis.opendocument.text", "an OpenDocument text"),
        ("application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet"),
        ("application/vnd.oasis.opendocument", "an OpenDocument file"),
    ] {
        if first.strip_prefix(b"mimetype").is_some_and(|rest| rest.starts_with(kind.as_bytes())) {
            return name;
        }
    }
    match () {
        () if !has_entry(bytes, "[Content_Types].xml") => "a ZIP archive",
        () if has_entry(bytes, "word/document") => "a Word document",
        () if has_entry(bytes, "xl/workbook") => "an Excel workbook",
        () if has_entry(bytes, "ppt/presentation") => "a PowerPoint presentation",
        () => "an Office document",
    }
}

fn has_entry(bytes: &[u8], name: &str) -> bool {
    memmem::find(bytes, name.as_bytes()).is_some()
}

/// Recognises JSON, and lines of it. A text that only begins like JSON counts if its beginning is an object's first key.
fn json(bytes: &[u8]) -> Option<&'static str> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if !matches!(text.first(), Some(b'{' | b'[')) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    let first = values.next();
    let (whole, rest) = (matches!(first, Some(Ok(_))), text.get(values.byte_offset()..).unwrap_or_default());
    let rest = rest.trim_ascii_start();
    match rest.first() {
        None if whole => Some("JSON"),
        Some(b'{' | b'[') if whole && has_key(rest) => Some("lines of JSON"),
        _ => (!whole && has_key(text)).then_some("damaged JSON"),
    }
}

/// Whether a text begins with `{"key":`, in arrays or not.
fn has_key(text: &[u8]) -> bool {
    let mut at = 0;
    while text.get(at).is_some_and(|b| *b == b'[' || b.is_ascii_whitespace()) {
        at += 1;
    }
    let Some(object) = text[at..].strip_prefix(b"{") else { return false };
    let Some(key) = object.trim_ascii_start().strip_prefix(b"\"") else { return false };
    let Some(end) = memchr::memchr(b'"', key) else { return false };
    key[end + 1..].trim_ascii_start().starts_with(b":")
}

/// Recognises binary data and UTF-32 by their first bytes. UTF-16 is text, and a file that begins with a tag is a damaged page at worst.
fn binary(head: &[u8]) -> Option<&'static str> {
    if let [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'!' | b'?', ..] = head.trim_ascii_start() {
        return None;
    }
    let mut units = head.chunks_exact(4);
    let is_utf32 = units.clone().all(|u| u[2..] == [0, 0]) || units.clone().all(|u| u[..2] == [0, 0]);
    if units.nth(3).is_some() && is_utf32 && head.iter().any(|b| *b != 0) {
        return Some("UTF-32 text");
    }
    let is_utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if is_utf16 || utf16_by_nuls(head, false).is_some() {
        return None;
    }
    let controls = head.iter().filter(|b| matches!(b, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f)).count();
    (controls * BYTES_PER_CONTROL > head.len() && controls > 1).then_some("binary data")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a linear congruential generator.
    fn random(count: usize) -> Vec<u8> {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn formats_are_named() {
        let utf32: Vec<u8> = "<p>A walk in the hills".chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
        let word = b"PK\x03\x04..........................[Content_Types].xml...word/document.xml";
        let odt = b"PK\x03\x04..........................mimetypeapplication/vnd.oasis.opendocument.textPK";
        let cases: [(&[u8], Option<&str>); 18] = [
            (b"bplist00\xd1\x01\x02", Some("a binary property list")),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some("a WebP image")),
            (b"\0\0\0\x1cftypheic", Some("a HEIC image")),
            (word, Some("a Word document")),
            (odt, Some("an OpenDocument text")),
            (b"PK\x03\x04", Some("a ZIP archive")),
            (&utf32, Some("UTF-32 text")),
            (b"\xff\xfe\0\0<\0\0\0", Some("UTF-32 text")),
            (b" {\"a\": [1, {\"b\": \"<p>x\"}]}\n", Some("JSON")),
            (b"[1, 2]", Some("JSON")),
            (b"{\"a\": 1}\n{\"a\": 2}", Some("lines of JSON")),
            (b"{\"a\": \"cut of", Some("damaged JSON")),
            (b"[a note] A walk in the hills", None),
            (b"{{template}} A walk in the hills", None),
            (b"<p>A page with a \0 in it, and nothing else that is wrong with it.", None),
            (b" <p>\0\x01\0\x02\0\x03\0\x04\0", None),
            (b"\xff\xfe<\0p\0>\0", None),
            (b"", None),
        ];
        for (bytes, name) in cases {
            assert_eq!(foreign(bytes, None), name, "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(foreign(&random(3000), None), Some("binary data"));
        let utf16: Vec<u8> = "<p>A walk in the hills".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(foreign(&utf16, None), None);
        let unmarked: Vec<u8> = "丘の散歩".repeat(30).encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(foreign(&unmarked, Some("UTF-16LE")), None);
    }

    #[test]
    fn xml_that_is_not_a_page_is_named_by_its_root() {
        let cases: [(&str, Option<&str>); 6] = [
            (
                "\u{feff}<?xml version='1.0'?><!-- a --><?xml-stylesheet href=a?><rss version='2.0'>",
                Some("an RSS feed"),
            ),
            ("<feed xmlns='http://www.w3.org/2005/Atom'>", Some("an Atom feed")),
            ("<?xml version='1.0'?><!DOCTYPE svg><svg>", Some("an SVG image")),
            ("<svg><path d='M0 0'/></svg><p>A walk in the hills", None),
            ("<?xml version='1.0'?><!DOCTYPE html><html><p>A walk in the hills", None),
            ("<!-- rss", None),
        ];
        for (text, name) in cases {
            assert_eq!(foreign_xml(text), name, "{text}");
        }
    }

    /// Neither depth nor length of JSON costs more than its bytes.
    #[test]
    fn deep_json_is_recognised_without_recursion() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(foreign(deep.as_bytes(), None), Some("JSON"));
        assert_eq!(foreign("{\"a\":".repeat(500_000).as_bytes(), None), Some("damaged JSON"));
        assert_eq!(foreign("[".repeat(1_000_000).as_bytes(), None), None);
    }
}
