//! What to extract, and how.
use crate::budget::Budget;
use crate::metadata::Stamp;
use crate::method::Favor;
use crate::methods::Parameters;
use crate::render::RenderOptions;
use crate::rules::{Rules, SiteRules};

/// Settings of an extraction. `Options::default()` is what the command does without flags.
///
/// ```
/// let options = maintext_core::Options { url: Some("https://example.org/a".into()), ..Default::default() };
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The page's address: links and images are made absolute against it.
    pub url: Option<String>,
    /// Charset of the HTTP `Content-Type` header, for input given as bytes.
    pub charset: Option<String>,
    /// Name of the content method; see [`method::NAMES`](crate::method::NAMES).
    pub method: String,
    /// The method's parameters.
    pub parameters: Parameters,
    /// Which way to err.
    pub favor: Favor,
    /// What to render.
    pub formats: Formats,
    /// Whether to read title, author, date and the rest.
    pub metadata: bool,
    /// The time that relative dates (`3 hours ago`) count from; later dates are not believed. Without it relative dates are ignored.
    pub now: Option<Stamp>,
    /// Whether the page's kind is told, and the entries of list pages are listed. Off by default: it costs time that most callers do not need.
    pub page_type: bool,
    /// Whether readers' comments are looked for.
    pub comments: bool,
    /// What kinds of content are written.
    pub render: RenderOptions,
    /// What the caller knows better, for every page.
    pub rules: Rules,
    /// What the caller knows better, by site; [`Options::rules`] go before.
    pub site_rules: SiteRules,
    /// Bounds on what a page may cost.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            url: None,
            charset: None,
            method: crate::method::NAMES[0].into(),
            parameters: Parameters::default(),
            favor: Favor::Balance,
            formats: Formats::default(),
            metadata: true,
            now: None,
            page_type: false,
            comments: true,
            render: RenderOptions::default(),
            rules: Rules::default(),
            site_rules: SiteRules::default(),
            budget: Budget::default(),
        }
    }
}

/// Which renderings of the content are wanted; the others stay `None` and cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// Plain text.
    pub text: bool,
    /// CommonMark with GFM tables.
    pub markdown: bool,
    /// Clean HTML.
    pub html: bool,
    /// TEI.
    pub xml: bool,
}

impl Formats {
    /// Whether at least one format is wanted.
    pub fn any(&self) -> bool {
        self.text || self.markdown || self.html || self.xml
    }
}

impl Default for Formats {
    /// Plain text only.
    fn default() -> Self {
        Formats { text: true, markdown: false, html: false, xml: false }
    }
}

/// A page as text or as bytes in any encoding.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Decoded text.
    Text(&'a str),
    /// Bytes; the encoding is found by [`decode`](crate::decode::decode).
    Bytes(&'a [u8]),
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(s: &'a str) -> Self {
        Input::Text(s)
    }
}
impl<'a> From<&'a String> for Input<'a> {
    fn from(s: &'a String) -> Self {
        Input::Text(s)
    }
}
impl<'a> From<&'a [u8]> for Input<'a> {
    fn from(b: &'a [u8]) -> Self {
        Input::Bytes(b)
    }
}
impl<'a> From<&'a Vec<u8>> for Input<'a> {
    fn from(b: &'a Vec<u8>) -> Self {
        Input::Bytes(b)
    }
}
impl<'a, const N: usize> From<&'a [u8; N]> for Input<'a> {
    fn from(b: &'a [u8; N]) -> Self {
        Input::Bytes(b)
    }
}
