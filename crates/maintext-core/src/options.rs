//! The settings of an extraction.
use crate::schema::Schema;
use maintext_facts::fields::Fields;
use maintext_facts::metadata::Stamp;
use maintext_facts::rules::{Rules, SiteRules};
use maintext_page::budget::Budget;
use maintext_reading::method::Favor;
use maintext_reading::methods::Parameters;
use maintext_reading::model::site::Site;
use maintext_render::render::{PieceForm, RenderOptions, TitleHeading};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Settings of an extraction. `Options::default()` equals the command without flags.
///
/// ```
/// let options = maintext_core::Options { url: Some("https://example.org/a".into()), ..Default::default() };
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The page's address, against which links and images are made absolute.
    pub url: Option<String>,
    /// Charset of the HTTP `Content-Type` header, for input given as bytes.
    pub charset: Option<String>,
    /// Name of the content method; see [`method::NAMES`](maintext_reading::method::NAMES).
    pub method: String,
    /// The method's parameters.
    pub parameters: Parameters,
    /// The kind of error to avoid.
    pub favor: Favor,
    /// The formats to write.
    pub formats: Formats,
    /// The format for which [`Page::pieces`](crate::Page::pieces) are recorded; it is written even if [`Options::formats`] leaves it out.
    pub pieces: Option<PieceForm>,
    /// The parts of the page to compute in addition to the formats. Options that turn a part off take precedence.
    pub fields: Fields,
    /// Whether to read title, author, date and other metadata.
    pub metadata: bool,
    /// The time from which relative dates (`3 hours ago`) are counted; later dates are rejected. Without it relative dates are ignored.
    pub now: Option<Stamp>,
    /// Whether to classify the page and to list the entries of list pages. Off by default: it takes time that most callers do not need.
    pub page_type: bool,
    /// Whether to read products, recipes, events and other objects. Off by default: it takes time that most callers do not need.
    pub things: bool,
    /// The schema of [`Page::data`](crate::Page::data). Turns on metadata and things, which its properties may name. A property can also
    /// name a format that [`Options::formats`] requests.
    pub schema: Option<Schema>,
    /// Whether to look for readers' comments.
    pub comments: bool,
    /// The kinds of content to write.
    pub render: RenderOptions,
    /// Overrides by the caller, for every page.
    pub rules: Rules,
    /// Overrides by the caller, by site; [`Options::rules`] take precedence.
    pub site_rules: SiteRules,
    /// Bounds on the cost of a page.
    pub budget: Budget,
    /// Whether text that no visitor sees is kept; see [`Page::hidden`](crate::Page::hidden).
    pub keep_hidden: bool,
    /// Another thread sets it to end the extraction early. The page then holds the parts found so far and the warning `limit_reached`.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            url: None,
            charset: None,
            method: maintext_reading::method::NAMES[0].into(),
            parameters: Parameters::default(),
            favor: Favor::Balance,
            formats: Formats::default(),
            pieces: None,
            fields: Fields::ALL,
            metadata: true,
            now: None,
            page_type: false,
            things: false,
            schema: None,
            comments: true,
            render: RenderOptions::default(),
            rules: Rules::default(),
            site_rules: SiteRules::default(),
            budget: Budget::default(),
            keep_hidden: false,
            stop: None,
        }
    }
}

impl Options {
    /// Returns the metadata to read, with the parts that formats, things and a schema use. A caller's rule for a field can use any other.
    pub(crate) fn metadata_fields(&self, has_rules: bool) -> Fields {
        if self.metadata && (has_rules || self.things || self.schema.is_some() || self.formats.xml) {
            return Fields::ALL;
        }
        let title = if self.writes_title() || self.things { Fields::TITLE } else { Fields::NONE };
        title | if self.metadata { self.fields } else { Fields::NONE }
    }

    /// Returns whether a format writes or leaves out the title, which is then read even without the other metadata.
    pub(crate) fn writes_title(&self) -> bool {
        let f = &self.formats;
        let markdown = f.markdown || self.pieces == Some(PieceForm::Markdown);
        self.render.title != TitleHeading::AsIs && (markdown || f.html || f.xml || f.blocks)
    }
}

/// The formats to write; the others stay `None` and cost nothing.
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
    /// Typed blocks as JSON.
    pub blocks: bool,
}

impl Formats {
    /// No format.
    pub const NONE: Formats = Formats { text: false, markdown: false, html: false, xml: false, blocks: false };

    /// Every format.
    pub const ALL: Formats = Formats { text: true, markdown: true, html: true, xml: true, blocks: true };

    /// The names of the formats.
    pub const NAMES: [&str; 5] = ["text", "markdown", "html", "xml", "blocks"];

    /// Returns the formats with these names.
    ///
    /// # Errors
    /// A message that names an unknown format.
    pub fn named<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Formats, String> {
        let mut formats = Formats::NONE;
        for name in names {
            let name = name.as_ref();
            let [text, markdown, html, xml, blocks] = Formats::NAMES.map(|known| known == name);
            let found = Formats { text, markdown, html, xml, blocks };
            if !found.any() {
                return Err(format!("unknown format '{name}'; the formats are text, markdown, html, xml and blocks"));
            }
            formats = formats | found;
        }
        Ok(formats)
    }

    /// Returns the names of these formats.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let wanted = [self.text, self.markdown, self.html, self.xml, self.blocks];
        Formats::NAMES.into_iter().zip(wanted).filter_map(|(name, on)| on.then_some(name))
    }

    /// Whether at least one format is wanted.
    pub fn any(&self) -> bool {
        self.text || self.markdown || self.html || self.xml || self.blocks
    }
}

impl std::ops::BitOr for Formats {
    type Output = Formats;

    /// Returns the formats of both.
    fn bitor(self, other: Formats) -> Formats {
        Formats {
            text: self.text || other.text,
            markdown: self.markdown || other.markdown,
            html: self.html || other.html,
            xml: self.xml || other.xml,
            blocks: self.blocks || other.blocks,
        }
    }
}

impl Default for Formats {
    /// Returns plain text only.
    fn default() -> Self {
        Formats { text: true, ..Formats::NONE }
    }
}

/// A page, as text or as bytes in any encoding.
#[derive(Clone, Copy, Debug)]
pub enum Html<'a> {
    /// Decoded text.
    Text(&'a str),
    /// Bytes, whose encoding [`decode`](maintext_page::decode::decode) finds.
    Bytes(&'a [u8]),
}

impl<'a> From<&'a str> for Html<'a> {
    fn from(s: &'a str) -> Self {
        Html::Text(s)
    }
}
impl<'a> From<&'a String> for Html<'a> {
    fn from(s: &'a String) -> Self {
        Html::Text(s)
    }
}
impl<'a> From<&'a [u8]> for Html<'a> {
    fn from(b: &'a [u8]) -> Self {
        Html::Bytes(b)
    }
}
impl<'a> From<&'a Vec<u8>> for Html<'a> {
    fn from(b: &'a Vec<u8>) -> Self {
        Html::Bytes(b)
    }
}
impl<'a, const N: usize> From<&'a [u8; N]> for Html<'a> {
    fn from(b: &'a [u8; N]) -> Self {
        Html::Bytes(b)
    }
}

/// A page to extract, with its address and other known facts.
///
/// ```
/// use maintext_core::{Extractor, Input, Options};
/// let note = Input { whole: true, ..Input::from("<title>A note</title><p>Copyright.</p><p>Share this.</p>") };
/// let page = Extractor::new(Options::default())?.extract(note)?;
/// assert_eq!(page.text(), "Copyright.\nShare this.\n");
/// # Ok::<(), maintext_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The page.
    pub html: Html<'a>,
    /// Its address.
    pub url: Option<&'a str>,
    /// The charset of its HTTP header, for bytes.
    pub charset: Option<&'a str>,
    /// Whether it is a document without boilerplate, such as a chapter of a book or a plain text: all of its body is content, unless the
    /// caller's rules choose. The title, authors and date that its head states in `<meta>` are used unchanged. Comments and posts are not
    /// looked for.
    pub whole: bool,
    /// Its similarities with the other pages of its site, which correct the learned method. Other methods judge the page alone.
    pub site: Option<&'a Site>,
}

impl<'a> Input<'a> {
    /// A page at an address, with the charset of its HTTP header.
    pub fn at(html: impl Into<Html<'a>>, url: Option<&'a str>, charset: Option<&'a str>) -> Input<'a> {
        Input { html: html.into(), url, charset, whole: false, site: None }
    }
}

impl<'a, T: Into<Html<'a>>> From<T> for Input<'a> {
    fn from(html: T) -> Input<'a> {
        Input::at(html, None, None)
    }
}
