//! Kept blocks to text, Markdown, HTML and TEI.
//!
//! A renderer walks the tree once and writes the text nodes that belong to kept blocks, in the structure of their ancestors.
//! It knows nothing of scores.
mod build;
mod code;
mod entries;
mod escape;
mod html;
mod markdown;
mod tei;
mod text;
mod tree;

use crate::blocks::Blocks;
use crate::dom::Dom;
use std::ops::Range;
use url::Url;

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    /// The tree.
    pub dom: &'a Dom<'a>,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// For each node of the tree, whether it is to be written: text nodes and formulas of kept blocks, kept images and videos.
    pub keep: &'a [bool],
    /// Links and images are resolved against it.
    pub base: Option<&'a Url>,
    /// The posts of a thread, in order and apart from each other: each begins with its author and its date.
    pub posts: &'a [Post],
    /// What to leave out.
    pub options: RenderOptions,
}

/// The header of a post, and the blocks of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Post {
    /// Who wrote it, `""` if that is unknown.
    pub author: String,
    /// When, as it is written: `2024-05-17 10:30`, or as the page prints it; `""` if that is unknown.
    pub date: String,
    /// When, ISO 8601, `""` if that is unknown.
    pub when: String,
    /// The first block of the record that holds it, its header included.
    pub head: u32,
    /// The blocks of its text.
    pub blocks: Range<u32>,
}

impl Post {
    /// Whether something is known of it.
    pub(crate) fn has_byline(&self) -> bool {
        !self.author.is_empty() || !self.date.is_empty()
    }
}

/// What kinds of content are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Tables (their text is left out otherwise).
    pub tables: bool,
    /// Images.
    pub images: bool,
    /// Links as links; their text is written in any case.
    pub links: bool,
    /// Author and date above each post of a thread.
    pub post_headers: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions { tables: true, images: true, links: true, post_headers: true }
    }
}

/// The structure of the kept content: headings, lists, tables, quotations, posts. Every format is written from it.
pub struct Tree<'a>(tree::Tree<'a>);

impl<'a> Tree<'a> {
    /// Builds the structure once, for any number of formats.
    pub fn new(content: &'a Content<'a>) -> Tree<'a> {
        Tree(build::tree(content))
    }

    /// Plain text: one line per block, `<br>` and preformatted lines kept, `- ` before list items, ` | ` between the cells of a row, a
    /// blank line before each post of a thread.
    ///
    /// The words are those of the kept blocks, in their order. Ends with a newline unless it is empty.
    pub fn text(&self) -> String {
        text::write(&self.0)
    }

    /// CommonMark with GFM tables; formulas between dollar signs. Ends with a newline unless it is empty.
    ///
    /// A CommonMark parser reads from it the words of [`Tree::text`].
    pub fn markdown(&self) -> String {
        markdown::write(&self.0)
    }

    /// Clean HTML: a well-formed fragment without scripts, handlers, styles, classes (except a code block's language) or addresses other
    /// than http, https, mailto, tel and, without a base, relative ones.
    pub fn html(&self) -> String {
        html::write(&self.0)
    }

    /// A TEI P5 document, well-formed XML 1.0, with a header from the metadata.
    pub fn xml(&self, metadata: &crate::Metadata) -> String {
        tei::write(&self.0, metadata)
    }
}
