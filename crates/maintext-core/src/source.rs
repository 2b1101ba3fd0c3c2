//! The source text of a page, given as text or as bytes in any encoding, and its address.
use crate::options::Html;
use maintext_page::decode::{Reference, decode, foreign, foreign_xml, html_of_xml};
use maintext_page::warnings::{Warning, WarningCode};
use maintext_reading::error::Error;
use std::borrow::Cow;
use url::Url;

/// A decoded page.
pub struct DecodedPage<'a> {
    /// The text; borrowed if the input was UTF-8 already.
    pub text: Cow<'a, str>,
    /// Whether the text is an XML document rewritten as HTML, so that its positions differ from the document's.
    pub rewritten: bool,
    /// Warnings about its encoding.
    pub warnings: Vec<Warning>,
}

/// Decodes a page, given as text or as bytes in any encoding. An XML document is rewritten as HTML.
///
/// # Errors
/// [`Error::NotHtml`] if the input is not a page: a PDF, an image, an archive, a feed, JSON, binary data, an address or the
/// name of a file.
pub fn source<'a>(html: impl Into<Html<'a>>, charset: Option<&str>) -> Result<DecodedPage<'a>, Error> {
    let bytes = match html.into() {
        Html::Text(text) => {
            refuse(text.as_bytes(), None)?;
            return as_html(Cow::Borrowed(text), Vec::new());
        }
        Html::Bytes(bytes) => bytes,
    };
    refuse(bytes, charset)?;
    let decoded = decode(bytes, charset);
    let message = format!("some bytes are not valid {}", decoded.encoding);
    let warning = decoded.had_errors.then_some(Warning::new(WarningCode::EncodingErrors, message));
    as_html(decoded.text, warning.into_iter().collect())
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

/// Refuses data that are not a page.
fn refuse(bytes: &[u8], charset: Option<&str>) -> Result<(), Error> {
    match foreign(bytes, charset).or_else(|| Reference::of(bytes).map(Reference::name)) {
        Some(what) => Err(Error::NotHtml(what)),
        None => Ok(()),
    }
}

fn as_html(text: Cow<'_, str>, warnings: Vec<Warning>) -> Result<DecodedPage<'_>, Error> {
    if let Some(what) = foreign_xml(&text) {
        return Err(Error::NotHtml(what));
    }
    Ok(match html_of_xml(&text) {
        Some(html) => DecodedPage { text: Cow::Owned(html), rewritten: true, warnings },
        None => DecodedPage { text, rewritten: false, warnings },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_page_is_refused_as_text_and_as_bytes() {
        for (page, what) in [
            ("https://example.org/walk", "an address"),
            (" walk.HTML\n", "the name of a file"),
            ("{\"title\": \"A walk\"}", "JSON"),
            ("WARC/1.0\r\nWARC-Type: response\r\n", "a WARC archive"),
            ("<rss version='2.0'><channel>", "an RSS feed"),
        ] {
            for refused in [source(page, None), source(page.as_bytes(), None)] {
                assert!(matches!(refused, Err(Error::NotHtml(name)) if name == what), "{page}");
            }
        }
        for page in ["", "A walk", "A walk in index.htm and more", "<p>walk.html"] {
            assert!(source(page, None).is_ok(), "{page}");
        }
    }
}
