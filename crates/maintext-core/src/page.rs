//! The result of an extraction.
use crate::metadata::Metadata;
use crate::warnings::Warning;
use serde::Serialize;
use std::collections::BTreeMap;

/// A page's main content and metadata.
///
/// Serialises to the JSON that the command prints: every key is present, what is absent is `null` or an empty list.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Page {
    /// Title, authors, dates and the rest, as keys beside `text`.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// Kind of page: `article`, `forum`, `product`, `collection`, `listing`, `documentation`, `service`, `other`.
    pub page_type: Option<String>,
    /// The probability of each kind by the model of kinds alone, if it was asked for. On lists the entries have a say in
    /// [`Page::page_type`], too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_type_probabilities: Option<BTreeMap<&'static str, f32>>,
    /// Expected F1 of the text against what a careful reader would mark, 0 to 1; `None` if the method does not estimate it.
    pub confidence: Option<f32>,
    /// The main text, a line a block. Empty if none was found; [`Page::warnings`] says why.
    pub text: Option<String>,
    /// The main content as CommonMark with GFM tables.
    pub markdown: Option<String>,
    /// The main content as clean HTML.
    pub html: Option<String>,
    /// The page in TEI, if asked for. Not a key of the JSON.
    #[serde(skip)]
    pub xml: Option<String>,
    /// Readers' comments that stand apart from the main content.
    pub comments: Vec<Comment>,
    /// The posts of a thread, where the main content consists of them.
    pub posts: Vec<Comment>,
    /// Images of the main content.
    pub images: Vec<Image>,
    /// Entries of a list page: a listing or a collection. Other kinds have none.
    pub entries: Vec<Entry>,
    /// Units of work that the page took; see [`Budget::work`](crate::Budget::work). Not a key of the JSON.
    #[serde(skip)]
    pub work: u64,
    /// What a reader of the result should know: limits reached, nothing found, wrong declarations.
    pub warnings: Vec<Warning>,
}

/// A reader's comment, or a post of a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comment {
    /// Who wrote it.
    pub author: Option<String>,
    /// The author's page, absolute if the page's address is known.
    pub author_url: Option<String>,
    /// When, ISO 8601.
    pub date: Option<String>,
    /// When, as it is printed: all that there is for `3 hours ago` without [`Options::now`](crate::Options::now).
    pub date_text: Option<String>,
    /// What it says, a line a block.
    pub text: String,
    /// Its own address.
    pub url: Option<String>,
    /// How deep it answers others, 0 for those that do not.
    pub depth: u32,
}

/// An image of the main content.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Image {
    /// Address, absolute if the page's is known.
    pub src: String,
    /// Alternative text.
    pub alt: Option<String>,
    /// Caption of the figure that it stands in.
    pub caption: Option<String>,
}

/// An entry of a list page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The entry's heading.
    pub title: String,
    /// Where it leads, absolute if the page's address is known.
    pub url: String,
    /// Where it leads, as the page writes it.
    pub href: String,
    /// The text below the heading.
    pub summary: Option<String>,
    /// When it was published, ISO 8601.
    pub date: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Address of its image, absolute if the page's is known.
    pub image: Option<String>,
    /// Its price, as written.
    pub price: Option<String>,
    /// The group that it belongs to: 0 for the best on the page.
    pub group: usize,
    /// Its place in the group, from 1.
    pub position: usize,
}

impl Page {
    /// The main text, `""` if none was found or asked for.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }
}
