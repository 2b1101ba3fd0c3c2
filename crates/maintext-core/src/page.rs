//! The result of an extraction.
use crate::barrier::Barrier;
use maintext_facts::metadata::Metadata;
use maintext_facts::preferences::Preferences;
use maintext_lists::list::{Entry, ListName, Pagination};
use maintext_page::visibility::Reason;
use maintext_page::warnings::Warning;
use maintext_render::keep::Image;
use maintext_render::render::Piece;
use maintext_things::things::Thing;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A page's main content and metadata.
///
/// Serialises to the JSON that the command prints: every key is present, and a missing value is `null` or an empty list.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Page {
    /// Title, authors, dates and other metadata, as keys at the level of `text`.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// The HTTP status of the page, if the caller knows it and called [`Page::answered`].
    pub status: Option<u16>,
    /// The address that answered, after redirects; see [`Page::status`]. The page's own [`Metadata::url`] is the canonical address that it
    /// declares.
    pub final_url: Option<String>,
    /// The kind of page that the site shows instead of its content: `login`, `paywall`, `challenge`, `error` or `parked`. `None` for ordinary
    /// pages.
    pub barrier: Option<Barrier>,
    /// Kind of page: `article`, `forum`, `product`, `collection`, `listing`, `documentation` or `service`.
    pub page_type: Option<String>,
    /// The probability of each kind by the page-type model alone, if it was requested. For lists, the entries also influence
    /// [`Page::page_type`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type_probabilities: Option<BTreeMap<&'static str, f32>>,
    /// Expected F1 of the text against the annotation of a careful reader, 0 to 1; `None` if the method does not estimate it.
    pub confidence: Option<f32>,
    /// The main text, one line per block. Empty if none was found; [`Page::warnings`] gives the reason.
    pub text: Option<String>,
    /// The main content as CommonMark with GFM tables.
    pub markdown: Option<String>,
    /// The main content as clean HTML.
    pub html: Option<String>,
    /// The main content as typed blocks: a JSON array of headings, paragraphs, lists, tables and others, with their positions in the
    /// source. `docs/blocks.schema.json` describes it. In the page's JSON it is an array, not a string.
    #[serde(serialize_with = "as_json")]
    pub blocks: Option<String>,
    /// The page in TEI, if requested. Not a key of the JSON.
    #[serde(skip)]
    pub xml: Option<String>,
    /// Where the blocks of the main content are in the text or Markdown, if the caller asks for it. Not a key of the JSON.
    #[serde(skip)]
    pub pieces: Vec<Piece>,
    /// Readers' comments, which are separate from the main content: none is in the text, unless the caller favors recall.
    pub comments: Vec<Comment>,
    /// The posts of a thread, if the main content consists of them.
    pub posts: Vec<Comment>,
    /// Images of the main content.
    pub images: Vec<Image>,
    /// Entries of a list page: a listing or a collection. Other kinds have no entries.
    pub entries: Vec<Entry>,
    /// The lists of a list page, in the order of [`Entry::group`]: the best one, the others in document order, and lists in side columns
    /// last. Not a key of the JSON of other pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<ListName>,
    /// The other parts of an article over several pages that the page links to: the next and the previous one, and the numbered ones in
    /// `pages`, sorted, with the number as text. Empty if the page's address is unknown; then not a key of the JSON.
    ///
    /// A link with a probability below 0.5 leads to a part only if the page itself was reached as a part; else it may be the next article.
    #[serde(skip_serializing_if = "Pagination::is_empty")]
    pub parts: Pagination,
    /// Addresses of the whole article on one page, if it has several parts: a single page, a version to print, AMP. Not a key of the JSON
    /// if it is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub single_page: Vec<String>,
    /// Addresses that hold the content instead of this page: frames, best first, the page to which it refreshes, or its canonical address.
    /// If there are any, the page has a warning; otherwise this is not a key of the JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<String>,
    /// Address of the Markdown version that the page declares with `<link rel="alternate" type="text/markdown">`. Not a key of the JSON of other
    /// pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown_url: Option<String>,
    /// The uses that the page allows or forbids. Callers that fetch pages add the preferences of the headers and of robots.txt. Not a key
    /// of the JSON of a page without statements.
    #[serde(skip_serializing_if = "Preferences::is_empty")]
    pub preferences: Preferences,
    /// The media type that was read, if the caller fetched the page and sets it: `text/html`, `text/markdown`, `text/plain`. Not a key of the
    /// JSON of other pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub representation: Option<String>,
    /// Products, recipes, events and other objects that the page describes, if requested. `docs/things.schema.json` describes them.
    pub things: Vec<Thing>,
    /// The values of [`Options::schema`](crate::Options::schema) as a JSON object in the order of the schema; `None` without a schema, and
    /// if a required property has no value, which is a warning. In the page's JSON it is an object, not a string.
    #[serde(serialize_with = "as_json")]
    pub data: Option<String>,
    /// The parts of the page that no visitor sees, and that no format holds, in document order: the first hundred.
    pub hidden: Vec<HiddenText>,
    /// Number of words of all parts of the page that no visitor sees.
    pub hidden_words: u32,
    /// Number of words of the blocks that the method chose. Not a key of the JSON.
    #[serde(skip)]
    pub(crate) chosen_words: u32,
    /// See [`Page::needs_rendering`]. Not a key of the JSON.
    #[serde(skip)]
    pub(crate) needs_rendering: bool,
    /// Units of work that the page took; see [`Budget::work`](maintext_page::Budget::work). Not a key of the JSON.
    #[serde(skip)]
    pub work: u64,
    /// Events that matter for using the result: limits reached, nothing found, wrong declarations.
    pub warnings: Vec<Warning>,
}

/// A part of the page that no visitor sees.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HiddenText {
    /// Why it is not seen.
    pub reason: Reason,
    /// The element that hides it, such as `span.sr-only`.
    pub element: String,
    /// Number of words.
    pub words: u32,
    /// The first words, at most 100 characters.
    pub text: String,
    /// Number of invisible characters, if they are the reason. They are counted over the whole page, and `element` holds the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<u32>,
}

/// A reader's comment, or a post of a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comment {
    /// The author.
    pub author: Option<String>,
    /// The author's page, absolute if the page's address is known.
    pub author_url: Option<String>,
    /// The date, ISO 8601.
    pub date: Option<String>,
    /// The date as printed: the only one for `3 hours ago` without [`Options::now`](crate::Options::now).
    pub date_text: Option<String>,
    /// The text, one line per block.
    pub text: String,
    /// Its own address.
    pub url: Option<String>,
    /// Depth of the reply: 0 for comments that answer no other.
    pub depth: u32,
}

fn as_json<S: Serializer>(json: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    match json.as_deref().map(serde_json::from_str::<&RawValue>) {
        Some(Ok(json)) => json.serialize(to),
        Some(Err(e)) => Err(S::Error::custom(e)),
        None => to.serialize_none(),
    }
}

impl Page {
    /// Returns the main text, `""` if none was found or requested.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }

    /// Whether the page is a shell whose content appears only after its scripts have run, so that a caller with a browser should load it there. The
    /// page then has a warning with the code `needs_rendering`.
    pub fn needs_rendering(&self) -> bool {
        self.needs_rendering
    }

    /// Notes the answer from which a caller got the page: its HTTP status, and the address after redirects. With few words, an error status
    /// becomes the [`Page::barrier`], unless the page itself shows one.
    pub fn answered(&mut self, status: u16, final_url: Option<String>) {
        self.status = Some(status);
        self.final_url = final_url.or_else(|| self.final_url.take());
        self.barrier = self.barrier.or_else(|| Barrier::of_status(status, self.chosen_words));
    }

    /// Returns the content as Markdown, or `""` if the options do not include Markdown.
    pub fn markdown(&self) -> &str {
        self.markdown.as_deref().unwrap_or("")
    }

    /// Returns the content as HTML, or `""` if the options do not include HTML.
    pub fn html(&self) -> &str {
        self.html.as_deref().unwrap_or("")
    }
}
