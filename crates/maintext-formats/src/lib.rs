//! Any file as HTML pages: recognises its format and gives the documents in it.
//!
//! [`documents`] recognises a format by the bytes, and by the name only where the bytes leave it open. It undoes compression and returns one
//! [`Document`] per page: a page of an archive, an item of a feed. Each document is HTML, whose head holds the
//! title, authors, dates and language that the file states, so that an extractor reads them as on any other page. Other files, such as
//! images, are a [`Refusal`] that names their format.
//!
//! Costs are linear in the size of the file and bounded by [`Limits::max_size`], which also bounds the size of decompressed data.
//!
//! ```
//! use maintext_formats::{Hint, Limits, documents};
//! let text = b"The ferry leaves at nine.\n\nIt comes back in the evening.\n".to_vec();
//! let mut found = documents(text, &Hint::default(), &Limits::default())?;
//! let page = found.next().unwrap()?;
//! assert!(page.whole && String::from_utf8_lossy(&page.bytes).contains("<p>It comes back in the evening.</p>"));
//! let refused = documents(b"GIF89a".to_vec(), &Hint::default(), &Limits::default()).err();
//! assert_eq!(refused.unwrap().to_string(), "the input is a GIF image, not a page");
//! # Ok::<(), maintext_formats::Refusal>(())
//! ```
#![forbid(unsafe_code)]

mod compression;
#[cfg(feature = "feeds")]
mod feed;
mod head;
#[cfg(feature = "mail")]
mod mail;
#[cfg(feature = "markdown")]
mod markdown;
mod memory;
mod recognise;
mod text;
#[cfg(feature = "archives")]
pub mod wacz;
pub mod warc;
#[cfg(feature = "feeds")]
mod xml;

pub use compression::{Packed, unpack};
pub use memory::memory;
pub use recognise::{Format, by_name, companion_of, recognise};

use maintext_core::list::ListPage;
use maintext_fetch::representation;
use std::borrow::Cow;
use std::fmt;

/// Facts about a file besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint<'a> {
    /// Its name or path.
    pub name: Option<&'a str>,
    /// Its address.
    pub url: Option<&'a str>,
    /// The `Content-Type` that the server declared.
    pub content_type: Option<&'a str>,
    /// The charset that the server declared.
    pub charset: Option<&'a str>,
}

/// Bounds on the work for a file, and the parts to take from it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest size in bytes of the file, and of its decompressed data.
    pub max_size: usize,
    /// Maximum number of entries read from a feed or sitemap.
    pub max_entries: usize,
    /// Whether the items of a feed that hold their full text become documents of their own. Otherwise a feed is one document.
    pub items: bool,
}

impl Default for Limits {
    /// 20 MiB, 50,000 entries (the limit of the sitemap protocol), one document per feed.
    fn default() -> Limits {
        Limits { max_size: 20 << 20, max_entries: 50_000, items: false }
    }
}

/// A page made from a file, or a part of it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// The part of the file, such as `3` for the third item of a feed. `None` if the file is this document alone.
    pub part: Option<String>,
    /// The document's address, if the file states it.
    pub url: Option<String>,
    /// The page, as HTML.
    pub bytes: Vec<u8>,
    /// Its charset, if known.
    pub charset: Option<Cow<'static, str>>,
    /// Whether all of it is content: texts and letters have no menus.
    pub whole: bool,
    /// The entries, if the document is a feed or sitemap.
    pub list: Option<ListPage>,
    /// Whether the entries are other sitemaps.
    pub is_index: bool,
    /// The parts that were left out, in one line.
    pub warning: Option<String>,
}

impl Document {
    /// A document made by this crate, in UTF-8.
    fn made(html: String, whole: bool) -> Document {
        Document { bytes: html.into_bytes(), charset: Some("utf-8".into()), whole, ..Document::default() }
    }
}

/// The reason why a file, or a part of it, is not a page. `Display` is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Another kind of data: its name with its article.
    NotAPage(Cow<'static, str>),
    /// A format that this build leaves out, and the cargo feature that adds it.
    LeftOut(Format, &'static str),
    /// More than the limit in bytes.
    TooLarge(usize),
    /// Damaged: the format, and the reason.
    Damaged(Cow<'static, str>, String),
}

impl Refusal {
    /// Returns the kind of the refusal, for counts: `a PDF`, `too large`, `a damaged file`.
    #[must_use]
    pub fn reason(&self) -> Cow<'static, str> {
        match self {
            Refusal::NotAPage(name) => name.clone(),
            Refusal::LeftOut(..) => "a format that this build leaves out".into(),
            Refusal::TooLarge(_) => "too large".into(),
            Refusal::Damaged(..) => "a damaged file".into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotAPage(name) => {
                write!(f, "the input is {name}, not a page")?;
                match name.as_ref() {
                    "a PDF" => f.write_str("; convert it first, for example with pdftotext"),
                    "a mailbox" => f.write_str("; split it into messages first, for example with formail"),
                    "an EPUB book" => f.write_str("; convert it first, for example with pandoc"),
                    "lines of JSON" | "a Parquet file" | "a list of addresses" => {
                        f.write_str("; pages in it are read by 'maintext batch'")
                    }
                    "UTF-32 text" => f.write_str("; convert it to UTF-8"),
                    _ => Ok(()),
                }
            }
            Refusal::LeftOut(format, feature) => {
                write!(
                    f,
                    "the input is {format}, which this build leaves out; build with '--features {feature}' to read it"
                )
            }
            Refusal::TooLarge(limit) => {
                write!(f, "larger than {limit} bytes after decompression; raise --max-size to read it")
            }
            Refusal::Damaged(what, reason) => write!(f, "the input is {what}, but it is damaged: {reason}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// The documents of a file, in order. A part that cannot be read is an error, and others may follow.
pub struct Documents {
    format: Format,
    parts: Parts,
}

type Parts = Box<dyn Iterator<Item = Result<Document, Refusal>> + Send>;

impl Documents {
    /// The file's format, without its compression.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }
}

impl fmt::Debug for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Documents").field("format", &self.format).finish_non_exhaustive()
    }
}

impl Iterator for Documents {
    type Item = Result<Document, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        self.parts.next()
    }
}

/// Returns the documents in a file. Records are read when their turn comes.
///
/// # Errors
/// A [`Refusal`] if the file is not a page, is damaged as a whole, or is larger than the limit.
pub fn documents(bytes: Vec<u8>, hint: &Hint<'_>, limits: &Limits) -> Result<Documents, Refusal> {
    // The members of an archive are decompressed one by one: damage to one does not affect the others.
    if bytes.len() <= limits.max_size && warc::is_compressed(&bytes, hint.name) {
        return Ok(Documents { format: Format::Warc, parts: parts(bytes, Format::Warc, hint, limits)? });
    }
    let (bytes, name) = compression::unpack(bytes, hint.name, limits.max_size)?;
    let hint = Hint { name: name.as_deref(), ..*hint };
    let format = recognise(&bytes, &hint)?;
    if let Some(feature) = format.left_out() {
        return Err(Refusal::LeftOut(format, feature));
    }
    Ok(Documents { format, parts: parts(bytes, format, &hint, limits)? })
}

/// Returns an answer that a server declares as Markdown or plain text, if it is that, with its format. Any other answer is given back as none,
/// with the format [`Format::Html`]: readers of pages judge it by its bytes.
///
/// ```
/// use maintext_formats::{Format, Hint, Limits, declared_text};
/// let hint = Hint { content_type: Some("text/markdown"), ..Hint::default() };
/// let (format, page) = declared_text(b"# A walk", &hint, &Limits::default())?;
/// assert!(format == Format::Markdown && page.unwrap().whole);
/// // An error page is not Markdown, whatever the server calls it.
/// let (format, page) = declared_text(b"<!DOCTYPE html><p>Not found", &hint, &Limits::default())?;
/// assert!(format == Format::Html && page.is_none());
/// # Ok::<(), maintext_formats::Refusal>(())
/// ```
///
/// # Errors
/// The same as of [`documents`].
pub fn declared_text(bytes: &[u8], hint: &Hint<'_>, limits: &Limits) -> Result<(Format, Option<Document>), Refusal> {
    let essence = representation::essence(hint.content_type);
    if !representation::is_markdown(Some(&essence)) && essence != "text/plain" {
        return Ok((Format::Html, None));
    }
    match recognise(bytes, hint)? {
        Format::Text if bytes.len() <= limits.max_size => Ok((Format::Text, Some(text::document(bytes, hint)))),
        #[cfg(feature = "markdown")]
        Format::Markdown if bytes.len() <= limits.max_size => {
            Ok((Format::Markdown, Some(markdown::document(bytes, hint, limits))))
        }
        // An error.
        format @ (Format::Markdown | Format::Text) => {
            Ok((format, documents(bytes.to_vec(), hint, limits)?.next().transpose()?))
        }
        _ => Ok((Format::Html, None)),
    }
}

fn one(document: Document) -> Parts {
    Box::new(std::iter::once(Ok(document)))
}

fn parts(bytes: Vec<u8>, format: Format, hint: &Hint<'_>, limits: &Limits) -> Result<Parts, Refusal> {
    Ok(match format {
        Format::Html => {
            let url = head::saved_from(&bytes);
            let charset = hint.charset.map(|c| c.to_owned().into());
            one(Document { url, bytes, charset, ..Document::default() })
        }
        Format::Text => one(text::document(&bytes, hint)),
        #[cfg(feature = "markdown")]
        Format::Markdown => one(markdown::document(&bytes, hint, limits)),
        #[cfg(feature = "mail")]
        Format::Mail => one(mail::message(&bytes)?),
        #[cfg(feature = "mail")]
        Format::Mhtml => one(mail::archive(&bytes)?),
        Format::Warc => Box::new(warc::pages::ResponsePages::new(vec![bytes], limits.max_size)),
        #[cfg(feature = "archives")]
        Format::Wacz => Box::new(wacz::pages(&bytes, limits.max_size)?),
        #[cfg(feature = "feeds")]
        Format::Rss | Format::Atom | Format::JsonFeed | Format::Sitemap => feed::parts(&bytes, format, hint, limits)?,
        #[allow(unreachable_patterns)]
        _ => {
            let _ = (hint, limits);
            unreachable!("documents() refuses formats that were left out")
        }
    })
}
