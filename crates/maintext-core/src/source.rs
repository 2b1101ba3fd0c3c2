//! The source text of a page, given as text or as bytes in any encoding, and its address.
use crate::options::Html;
use maintext_page::decode::{decode, foreign, foreign_xml, html_of_xml};
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
/// [`Error::NotHtml`] if the input is not a page: a PDF, an image, an archive, a feed, JSON, binary data.
pub fn source<'a>(html: impl Into<Html<'a>>, charset: Option<&str>) -> Result<DecodedPage<'a>, Error> {
    let bytes = match html.into() {
        Html::Text(text) => return as_html(Cow::Borrowed(text), Vec::new()),
        Html::Bytes(bytes) => bytes,
    };
    // Without a mark, text in UTF-16 outside of ASCII looks like binary data.
    let is_utf16 = charset.is_some_and(|name| name.trim().to_ascii_lowercase().starts_with("utf-16"));
    if let Some(what) = foreign(bytes).filter(|what| !is_utf16 || *what != "binary data") {
        return Err(Error::NotHtml(what));
    }
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

fn as_html(text: Cow<'_, str>, warnings: Vec<Warning>) -> Result<DecodedPage<'_>, Error> {
    if let Some(what) = foreign_xml(&text) {
        return Err(Error::NotHtml(what));
    }
    Ok(match html_of_xml(&text) {
        Some(html) => DecodedPage { text: Cow::Owned(html), rewritten: true, warnings },
        None => DecodedPage { text, rewritten: false, warnings },
    })
}
