//! The source text of a page, given as text or as bytes in any encoding, and its address.
use crate::decode::{decode, html_of_xml};
use crate::error::Error;
use crate::options::Input;
use crate::warnings::{Warning, WarningCode};
use std::borrow::Cow;
use url::Url;

/// A decoded page.
pub struct Source<'a> {
    /// The text; borrowed if the input was UTF-8 already.
    pub text: Cow<'a, str>,
    /// Whether the text is an XML document rewritten as HTML, so that positions in it are not those of the document.
    pub rewritten: bool,
    /// Warnings about its encoding.
    pub warnings: Vec<Warning>,
}

/// Decodes a page, given as text or as bytes in any encoding. An XML document is rewritten as HTML.
///
/// # Errors
/// [`Error::NotHtml`] if the input is not a page: a PDF, an image, an archive.
pub fn source<'a>(html: impl Into<Input<'a>>, charset: Option<&str>) -> Result<Source<'a>, Error> {
    let bytes = match html.into() {
        Input::Text(text) => return Ok(as_html(Cow::Borrowed(text), Vec::new())),
        Input::Bytes(bytes) => bytes,
    };
    if let Some(what) = not_html(bytes) {
        return Err(Error::NotHtml(what));
    }
    let decoded = decode(bytes, charset);
    let message = format!("some bytes are not valid {}", decoded.encoding);
    let warning = decoded.had_errors.then_some(Warning::new(WarningCode::EncodingErrors, message));
    Ok(as_html(decoded.text, warning.into_iter().collect()))
}

/// Parses the address of a page.
///
/// # Errors
/// [`Error::BadUrl`] if it is not an absolute address with a host.
pub fn page_url(url: &str) -> Result<Url, Error> {
    match Url::parse(url) {
        Ok(parsed) if parsed.has_host() => Ok(parsed),
        other => Err(Error::BadUrl { url: url.to_owned(), source: other.err() }),
    }
}

fn as_html(text: Cow<'_, str>, warnings: Vec<Warning>) -> Source<'_> {
    match html_of_xml(&text) {
        Some(html) => Source { text: Cow::Owned(html), rewritten: true, warnings },
        None => Source { text, rewritten: false, warnings },
    }
}

/// Returns the name of the input's format, judged by its first bytes, unless the input may be a page.
fn not_html(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"%PDF-", "a PDF"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b\x08", "gzip-compressed data"),
        (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
        (b"\x7fELF", "an ELF program"),
    ];
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, what)| *what)
}
