//! The HTTP response in a WARC record: status, charset, and the decoded body.
use super::WarcRecord;
use maintext_fetch::{body, content_type};
use std::borrow::Cow;
use std::io;

/// A page in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpPage {
    /// Status code; 200 for a `resource` record, which has none.
    pub status: u16,
    /// `Content-Type` header.
    pub content_type: Option<String>,
    /// Its `charset`.
    pub charset: Option<String>,
    /// The body, without transfer and content codings.
    pub body: Vec<u8>,
}

/// Why a valid record is not a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// Neither a `response` nor a `resource`, or a `resource` of the crawler.
    OtherRecord,
    /// A redirect, or an error page of the server.
    Status(u16),
    /// An image, a script, a PDF.
    NotHtml,
}

impl WarcRecord {
    /// Returns the page in this record, at most `max_size` bytes after decompression.
    ///
    /// # Errors
    /// Returns a message if the response is malformed. The inner `Err` is the reason why a valid record is not a page.
    pub fn page(&self, max_size: usize) -> Result<Result<HttpPage, Skipped>, String> {
        if self.kind == "resource" {
            return Ok(self.resource());
        }
        if self.kind != "response" {
            return Ok(Err(Skipped::OtherRecord));
        }
        // DNS lookups are stored as responses as well.
        if !self.block.starts_with(b"HTTP/") {
            let http = self.content_type.as_deref().is_none_or(|t| t.starts_with("application/http"));
            return if http { Err("not an HTTP response".into()) } else { Ok(Err(Skipped::OtherRecord)) };
        }
        let head = HttpHead::parse(&self.block)?;
        if !(200..300).contains(&head.status) {
            return Ok(Err(Skipped::Status(head.status)));
        }
        let declared = content_type::declared(head.content_type.as_deref());
        if declared == content_type::Declared::Other {
            return Ok(Err(Skipped::NotHtml));
        }
        let body = head.body(&self.block[head.length..], max_size)?;
        if content_type::binary_kind(&body, declared).is_some() {
            return Ok(Err(Skipped::NotHtml));
        }
        let charset = head.content_type.as_deref().and_then(content_type::charset);
        Ok(Ok(HttpPage { status: head.status, content_type: head.content_type, charset, body }))
    }

    /// Returns a file that was saved without HTTP.
    fn resource(&self) -> Result<HttpPage, Skipped> {
        // GNU Wget stores its command line and its log under addresses with the scheme metadata.
        let scheme = self.url.as_deref().and_then(|url| url.split_once(':')).map(|(scheme, _)| scheme);
        if scheme.is_some_and(|scheme| !FILE_SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme))) {
            return Err(Skipped::OtherRecord);
        }
        if content_type::declared(self.content_type.as_deref()) != content_type::Declared::Text {
            return Err(Skipped::NotHtml);
        }
        let content_type = self.content_type.clone();
        let charset = content_type.as_deref().and_then(content_type::charset);
        Ok(HttpPage { status: 200, content_type, charset, body: self.block.clone() })
    }
}

/// The schemes of files that may be pages.
const FILE_SCHEMES: [&str; 4] = ["http", "https", "ftp", "file"];

/// The fields of an HTTP header that are needed.
#[derive(Default)]
struct HttpHead {
    status: u16,
    /// Length up to the body, in bytes.
    length: usize,
    content_type: Option<String>,
    content_encoding: String,
    chunked: bool,
}

impl HttpHead {
    fn parse(block: &[u8]) -> Result<HttpHead, String> {
        let mut head = HttpHead::default();
        for line in block.split_inclusive(|b| *b == b'\n') {
            let start = head.length;
            head.length += line.len();
            let line = line.trim_ascii();
            if start == 0 {
                let status = line.split(|b| *b == b' ').filter(|part| !part.is_empty()).nth(1);
                let status = status.and_then(|s| std::str::from_utf8(s).ok()).and_then(|s| s.parse().ok());
                head.status = status.ok_or("the HTTP response has no status")?;
                continue;
            }
            if line.is_empty() {
                return Ok(head);
            }
            let Some(colon) = line.iter().position(|b| *b == b':') else { continue };
            let value = String::from_utf8_lossy(line[colon + 1..].trim_ascii());
            match line[..colon].trim_ascii().to_ascii_lowercase().as_slice() {
                b"content-type" => head.content_type = Some(value.into_owned()),
                // Several fields are one list.
                b"content-encoding" => head.content_encoding += &format!(",{value}"),
                b"transfer-encoding" => head.chunked = value.to_ascii_lowercase().contains("chunked"),
                _ => {}
            }
        }
        Err("the HTTP header has no end".into())
    }

    /// Decodes the body. Archives keep the headers of codings that they have already undone, so a body that does not look encoded is
    /// returned unchanged.
    fn body(&self, body: &[u8], max_size: usize) -> Result<Vec<u8>, String> {
        let dechunked = if self.chunked { dechunk(body) } else { None };
        let body = dechunked.as_deref().unwrap_or(body);
        let too_large = || format!("the page is larger than the limit of {max_size} bytes");
        let encoding = self.content_encoding.to_ascii_lowercase();
        let codings: Vec<&str> =
            encoding.split(',').map(str::trim).filter(|c| !matches!(*c, "" | "identity")).collect();
        if codings.len() > body::MAX_CODINGS {
            return Err(format!("{} content codings, more than {}", codings.len(), body::MAX_CODINGS));
        }
        let mut body = Cow::Borrowed(body);
        // The header lists them in the order of application.
        for coding in codings.into_iter().rev() {
            let is_encoded = match coding {
                "gzip" | "x-gzip" => body.starts_with(b"\x1f\x8b"),
                "zstd" => body.starts_with(b"\x28\xb5\x2f\xfd"),
                // These codings have no magic number, but a page encoded with them never starts with "<".
                "br" | "deflate" => !body.trim_ascii_start().starts_with(b"<"),
                _ if is_text(&body) => false,
                _ => return Err(format!("the content coding '{}' is unknown", coding.escape_debug())),
            };
            if !is_encoded {
                continue;
            }
            body = match body::read(io::Cursor::new(body.into_owned()), coding, max_size, None) {
                Ok(plain) => Cow::Owned(plain),
                Err(body::BodyError::TooLarge) => return Err(too_large()),
                Err(error) => return Err(format!("the {coding} body cannot be decoded: {error:?}")),
            };
        }
        if body.len() > max_size { Err(too_large()) } else { Ok(body.into_owned()) }
    }
}

/// Whether a body is text, although its header says that it is encoded.
fn is_text(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<") || (!body.contains(&0) && std::str::from_utf8(body).is_ok())
}

/// Undoes the chunked transfer coding. Returns `None` if the body is not chunked; the last chunk may be truncated.
fn dechunk(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(body.len());
    loop {
        let line_end = body.iter().take(1 << 10).position(|b| *b == b'\n')?;
        let size = body[..line_end].split(|b| *b == b';').next()?.trim_ascii();
        let size = usize::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok()?;
        body = &body[line_end + 1..];
        if size == 0 {
            return Some(plain);
        }
        let taken = size.min(body.len());
        plain.extend_from_slice(&body[..taken]);
        body = &body[taken..];
        if body.len() < 2 {
            return Some(plain);
        }
        body = body.strip_prefix(b"\r\n").or_else(|| body.strip_prefix(b"\n"))?;
    }
}
