//! Decides which bodies are pages: by their `Content-Type` if there is one, and by their first bytes.

/// Number of bytes examined, as in the WHATWG MIME Sniffing Standard ("resource header").
const SNIFFED: usize = 1445;

/// The kind of content that a `Content-Type` header declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// HTML, XHTML, XML, Markdown or plain text.
    Text,
    /// No header, or one of those that servers send for unknown content.
    Unknown,
    /// Something else.
    Other,
}

/// The types of Markdown: from RFC 7763, and older ones in use.
pub(crate) const MARKDOWN: [&str; 4] =
    ["text/markdown", "text/x-markdown", "text/x-web-markdown", "text/vnd.daringfireball.markdown"];

/// Classifies a `Content-Type`; parameters are ignored.
pub fn declared(content_type: Option<&str>) -> Declared {
    match essence(content_type).as_str() {
        "text/html" | "text/plain" | "text/xml" | "application/xml" | "application/xhtml+xml" => Declared::Text,
        markdown if MARKDOWN.contains(&markdown) => Declared::Text,
        "image/svg+xml" => Declared::Other,
        "*/*" | "unknown/unknown" | "application/unknown" => Declared::Unknown,
        other if !other.contains('/') => Declared::Unknown,
        other if other.ends_with("+xml") => Declared::Text,
        _ => Declared::Other,
    }
}

/// Whether a `Content-Type` names a document that can be turned into a page, or compressed data that may hold one.
pub fn is_document(content_type: Option<&str>) -> bool {
    const APPLICATIONS: &str = "feed+json gzip json mbox wacz warc warc-fields x-gzip x-mimearchive zip zstd";
    let essence = essence(content_type);
    match essence.split_once('/') {
        Some(("application", kind)) => APPLICATIONS.split(' ').any(|known| known == kind),
        _ => matches!(essence.as_str(), "message/rfc822" | "multipart/related"),
    }
}

/// Returns a `Content-Type` without its parameters, in lower case.
pub fn essence(content_type: Option<&str>) -> String {
    content_type.unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}

/// Returns the `charset` parameter, unquoted: `utf-8` for `text/html; charset="utf-8"`.
pub fn charset(content_type: &str) -> Option<String> {
    content_type.split([';', ',']).skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        let is_charset = name.trim().eq_ignore_ascii_case("charset") && !value.is_empty();
        is_charset.then(|| value.to_string())
    })
}

/// Returns the name of a binary format, or `None` for text. A body declared as text only counts as binary if it starts with the
/// magic number of another format and continues with binary data.
pub fn binary_kind(body: &[u8], declared: Declared) -> Option<&'static str> {
    let head = &body[..body.len().min(SNIFFED)];
    let binary = has_binary_bytes(head);
    match known_format(head) {
        Some(kind) if binary || head.starts_with(b"%PDF-") => Some(kind),
        Some(kind) if declared == Declared::Unknown => Some(kind),
        None if binary && declared == Declared::Unknown => Some("binary data"),
        _ => None,
    }
}

/// Whether the bytes contain "binary data bytes" of the MIME Sniffing Standard. UTF-16 contains them too; it is recognised by its
/// byte-order mark, or by NULs on one side of its units only.
fn has_binary_bytes(head: &[u8]) -> bool {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return false;
    }
    if !head.iter().any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f)) {
        return false;
    }
    let units = head.len() / 2;
    let (high, low) = (count_nuls(head, 1).max(count_nuls(head, 0)), count_nuls(head, 1).min(count_nuls(head, 0)));
    let utf16 = high * 3 >= units && low == 0;
    !utf16
}

fn count_nuls(head: &[u8], side: usize) -> usize {
    head.chunks_exact(2).filter(|unit| unit[side] == 0).count()
}

/// Recognises formats that servers send instead of pages, by their first bytes.
fn known_format(head: &[u8]) -> Option<&'static str> {
    const MARKS: [(&[u8], &str); 24] = [
        (b"%PDF-", "a PDF document"),
        (b"%!PS-Adobe-", "a PostScript document"),
        (b"{\\rtf", "an RTF document"),
        (b"\xd0\xcf\x11\xe0", "an old Office document"),
        (b"PK\x03\x04", "a ZIP archive or Office document"),
        (b"\x1f\x8b\x08", "gzip data without a Content-Encoding"),
        (b"\x28\xb5\x2f\xfd", "zstd data without a Content-Encoding"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"BZh", "a bzip2 archive"),
        (b"\xfd7zXZ\0", "an xz archive"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF87a", "a GIF image"),
        (b"GIF89a", "a GIF image"),
        (b"\0\0\x01\0", "an icon"),
        (b"II*\0", "a TIFF image"),
        (b"MM\0*", "a TIFF image"),
        (b"ID3", "an MP3 file"),
        (b"OggS\0", "an Ogg file"),
        (b"\x1a\x45\xdf\xa3", "a Matroska or WebM file"),
        (b"wOFF", "a font"),
        (b"wOF2", "a font"),
        (b"\x7fELF", "a program"),
    ];
    if head.len() >= 12 && head.starts_with(b"RIFF") {
        return match &head[8..12] {
            b"WEBP" => Some("a WebP image"),
            _ => Some("an audio or video file"),
        };
    }
    if head.len() >= 12 && &head[4..8] == b"ftyp" {
        return Some("an MP4 file or AVIF image");
    }
    MARKS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_pages() {
        for text in [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            " application/xhtml+xml ",
            "text/plain;x",
            "text/xml",
            "application/rss+xml",
            "Text/Markdown; charset=utf-8; variant=CommonMark",
        ] {
            assert_eq!(declared(Some(text)), Declared::Text, "{text}");
        }
        for other in ["image/svg+xml", "application/pdf", "application/json", "video/mp4"] {
            assert_eq!(declared(Some(other)), Declared::Other, "{other}");
        }
        for unknown in [None, Some(""), Some("html"), Some("*/*"), Some(";charset=utf-8")] {
            assert_eq!(declared(unknown), Declared::Unknown, "{unknown:?}");
        }
    }

    #[test]
    fn charset_parameter() {
        let cases = [
            ("text/html", None),
            ("text/html; charset=gbk", Some("gbk")),
            ("text/html;CHARSET = \"KOI8-R\" ;x=y", Some("KOI8-R")),
            ("text/html; x=charset; charset='utf-8'", Some("utf-8")),
            ("text/html;charset=utf-8,text/html", Some("utf-8")),
            ("text/html; charset=", None),
            ("charset=utf-8", None),
        ];
        for (header, expected) in cases {
            assert_eq!(charset(header).as_deref(), expected, "{header}");
        }
    }

    #[test]
    fn text_is_not_taken_for_binary() {
        let utf16: Vec<u8> = "<p>Grüße</p>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for body in [b"".as_slice(), b"<p>x", b"\x1b$B", b"\xff\xfe<\0\x01\x02", &utf16] {
            assert_eq!(binary_kind(body, Declared::Unknown), None, "{body:?}");
        }
        for body in ["GIF89a was a format", "BZhang wrote", "ID3 tags explained"] {
            assert_eq!(binary_kind(body.as_bytes(), Declared::Text), None, "{body}");
        }
    }

    #[test]
    fn binary_is_named() {
        let cases: [(&[u8], Declared, &str); 6] = [
            (b"%PDF-1.7\n", Declared::Text, "a PDF document"),
            (b"\x89PNG\r\n\x1a\n\0\0", Declared::Text, "a PNG image"),
            (b"GIF89a", Declared::Unknown, "a GIF image"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Declared::Text, "a WebP image"),
            (b"PK\x03\x04\x14\0", Declared::Unknown, "a ZIP archive or Office document"),
            (b"\x01\x02\x03\x04", Declared::Unknown, "binary data"),
        ];
        for (body, declared, kind) in cases {
            assert_eq!(binary_kind(body, declared), Some(kind));
        }
    }
}
