//! The result of an extraction.
use crate::metadata::Metadata;
use crate::things::Thing;
use crate::warnings::Warning;
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
    /// Title, authors, dates and other metadata, as keys beside `text`.
    #[serde(flatten)]
    pub metadata: Metadata,
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
    /// Readers' comments, which are separate from the main content.
    pub comments: Vec<Comment>,
    /// The posts of a thread, if the main content consists of them.
    pub posts: Vec<Comment>,
    /// Images of the main content.
    pub images: Vec<Image>,
    /// Entries of a list page: a listing or a collection. Other kinds have no entries.
    pub entries: Vec<Entry>,
    /// Products, recipes, events and other objects that the page describes, if requested. `docs/things.schema.json` describes them.
    pub things: Vec<Thing>,
    /// The values of [`Options::schema`](crate::Options::schema) as a JSON object in the order of the schema; `None` without a schema, and if a
    /// required property has no value, which is then a warning. In the page's JSON it is an object, not a string.
    #[serde(serialize_with = "as_json")]
    pub data: Option<String>,
    /// Units of work that the page took; see [`Budget::work`](crate::Budget::work). Not a key of the JSON.
    #[serde(skip)]
    pub work: u64,
    /// Events that matter for using the result: limits reached, nothing found, wrong declarations.
    pub warnings: Vec<Warning>,
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

/// An image of the main content.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Image {
    /// Address, absolute if the page's address is known.
    pub src: String,
    /// Alternative text.
    pub alt: Option<String>,
    /// Caption of the figure that contains it.
    pub caption: Option<String>,
}

/// An entry of a list page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The entry's heading.
    pub title: String,
    /// Address of the linked page, absolute if the page's address is known.
    pub url: String,
    /// Address of the linked page, as written in the source.
    pub href: String,
    /// The text below the heading.
    pub summary: Option<String>,
    /// Date of publication, ISO 8601.
    pub date: Option<String>,
    /// The author.
    pub author: Option<String>,
    /// Address of its image, absolute if the page's address is known.
    pub image: Option<String>,
    /// Its price, as written.
    pub price: Option<String>,
    /// The group that it belongs to: 0 for the best group of the page.
    pub group: usize,
    /// Its position in the group, from 1.
    pub position: usize,
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
}
