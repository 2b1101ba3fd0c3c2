//! Writes kept blocks as text, Markdown, HTML, TEI and typed blocks.
//!
//! The page's tree is walked once to build the structure of the kept content; every format is written from that structure. The renderers
//! know nothing of scores; typed blocks show the roles that they are given.
mod build;
mod callout;
mod entries;
pub mod escape;
mod footnote;
mod grid;
mod html;
mod lists;
mod markdown;
mod pieces;
mod tei;
mod text;
mod title;
mod tree;
mod typed;

use maintext_html::Attr;
use maintext_page::blocks::Blocks;
use maintext_page::dom::{Dom, NodeId};
use maintext_reading::model::roles::Shares;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use url::Url;

pub use pieces::{Piece, PieceForm, PieceKind};
pub use title::TitleHeading;

/// The content to write.
#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    /// The tree.
    pub dom: &'a Dom<'a>,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// For each node of the tree, whether to write it: text nodes and formulas of kept blocks, kept images and videos.
    pub keep: &'a [bool],
    /// The base address against which links and images are resolved.
    pub base: Option<&'a Url>,
    /// The posts of a thread, sorted and without overlaps: each is written with its author and date.
    pub posts: &'a [Post],
    /// The probabilities of the roles of each block, for typed blocks; empty if they are unknown.
    pub roles: &'a [Shares],
    /// The title of the page.
    pub title: Option<&'a str>,
    /// The kinds of content to write.
    pub options: RenderOptions,
}

impl Content<'_> {
    /// Returns the alternative text of an image, `""` if it is not written.
    pub fn alt(&self, image: NodeId) -> &str {
        self.image_text(image, Attr::ALT).unwrap_or_default()
    }

    /// Returns the title of an image.
    pub fn image_title(&self, image: NodeId) -> Option<&str> {
        self.image_text(image, Attr::TITLE)
    }

    fn image_text(&self, image: NodeId, name: Attr) -> Option<&str> {
        if self.options.alt_text == AltText::Never {
            return None;
        }
        self.dom.attribute(image, name).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// The header of a post, and the blocks of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Post {
    /// The author, `""` if unknown.
    pub author: String,
    /// The date as it is written: `2024-05-17 10:30`, or as the page prints it; `""` if unknown.
    pub date: String,
    /// The date in ISO 8601, `""` if unknown.
    pub when: String,
    /// The first block of the record that holds it, including its header.
    pub head: u32,
    /// The blocks of its text.
    pub blocks: Range<u32>,
}

impl Post {
    /// Whether the author or the date is known.
    pub fn has_byline(&self) -> bool {
        !self.author.is_empty() || !self.date.is_empty()
    }
}

/// The kinds of content to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Tables; without it their text is left out.
    pub tables: bool,
    /// Images.
    pub images: bool,
    /// Alternative texts of images.
    pub alt_text: AltText,
    /// Links as links; without it only their text is written.
    pub links: bool,
    /// Only links to other sites as links, of the others only the text. Off by default.
    pub external_links: bool,
    /// Links in Markdown as references, `[text][1]`, with their addresses at the end. Off by default.
    pub reference_links: bool,
    /// Author and date above each post of a thread, in all formats but text.
    pub post_headers: bool,
    /// Tables of data that a table of Markdown cannot hold, with code of several lines or other tables in their cells, as HTML inside Markdown;
    /// without it each cell becomes one line.
    pub html_tables: bool,
    /// Markdown repeats a cell that spans rows in each row, and a heading that spans columns in each column; without it, both are written
    /// once.
    pub repeat_spans: bool,
    /// In text, the numbers of ordered lists and the boxes of task lists; without it all items begin with `- `.
    pub list_numbers: bool,
    /// Whether Markdown and HTML begin with the title.
    pub title: TitleHeading,
    /// Whether gaps in the levels of headings are closed.
    pub level_headings: bool,
    /// Footnotes, citations included, and the references to them.
    pub footnotes: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions {
            tables: true,
            images: true,
            alt_text: AltText::default(),
            links: true,
            external_links: false,
            reference_links: false,
            post_headers: true,
            html_tables: true,
            repeat_spans: true,
            list_numbers: true,
            title: TitleHeading::default(),
            level_headings: false,
            footnotes: true,
        }
    }
}

/// Where the alternative texts of images are written. Emoji and formulas that are images are text in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AltText {
    /// Nowhere. The titles of images are left out too.
    Never,
    /// With the images, as formats that have images mark them.
    #[default]
    Images,
    /// In plain text too, in brackets.
    All,
}

impl AltText {
    /// The names of the choices.
    pub const NAMES: [&str; 3] = ["never", "images", "all"];
}

/// The structure of the kept content: headings, lists, tables, quotations, posts. Every format is written from it.
pub struct Tree<'a>(tree::KeptTree<'a>);

impl<'a> Tree<'a> {
    /// Builds the structure once, for any number of formats.
    pub fn new(content: &'a Content<'a>) -> Tree<'a> {
        Tree(build::tree(content))
    }

    /// Returns plain text: one line per block; line breaks and preformatted lines are kept; `- ` or a number before list items, nested ones
    /// indented; ` | ` between the cells of a row, a blank line before each post of a thread.
    ///
    /// Its words are the words of the kept blocks, in their order, and the numbers of ordered lists. Ends with a newline unless it is
    /// empty.
    pub fn text(&self) -> String {
        text::write(&self.0, None)
    }

    /// Returns CommonMark with GFM tables and formulas between dollar signs. Ends with a newline unless it is empty.
    ///
    /// A CommonMark parser reads from it the same words as [`Tree::text`] has, and again the values of cells that span rows.
    pub fn markdown(&self) -> String {
        markdown::write(&self.0, None)
    }

    /// Returns plain text or Markdown, and where its blocks are in it. `offsets`: whether pieces have their positions in the source.
    pub fn with_pieces(&self, form: PieceForm, offsets: bool) -> (String, Vec<Piece>) {
        let mut spans = Vec::new();
        let text = match form {
            PieceForm::Text => text::write(&self.0, Some(&mut spans)),
            PieceForm::Markdown => markdown::write(&self.0, Some(&mut spans)),
        };
        (text, pieces::pieces(&self.0, spans, offsets))
    }

    /// Returns clean HTML: a well-formed fragment without scripts, handlers, styles, classes (except a code block's language), and with no other
    /// addresses than http, https, mailto, tel and, without a base, relative ones.
    pub fn html(&self) -> String {
        html::write(&self.0)
    }

    /// Returns a TEI P5 document: well-formed XML 1.0 with a header from the metadata.
    pub fn xml(&self, metadata: &maintext_facts::Metadata) -> String {
        tei::write(&self.0, metadata)
    }

    /// Returns typed blocks: a JSON array of headings, paragraphs, lists, tables and other blocks, on one line, as `docs/blocks.schema.json`
    /// describes it. With `offsets`, each block has the bytes of the page's source that hold its content.
    ///
    /// It has the words of [`Tree::text`], in the same order.
    pub fn typed_blocks(&self, offsets: bool) -> String {
        typed::write(&self.0, offsets)
    }
}
