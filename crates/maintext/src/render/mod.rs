//! Kept blocks to text, Markdown, HTML and TEI.
//!
//! A renderer walks the tree once and writes the text nodes that belong to kept blocks, in the structure of their ancestors.
//! It knows nothing of scores.
mod build;
mod code;
mod escape;
mod html;
mod image;
mod markdown;
pub mod math;
mod tei;
mod text;
mod tree;

use crate::blocks::Blocks;
use crate::dom::{Dom, NodeId};
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
    /// What to leave out.
    pub options: RenderOptions,
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
}

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions { tables: true, images: true, links: true }
    }
}

/// Plain text: a line a block, `<br>` and preformatted lines kept, `- ` before list items, ` | ` between the cells of a row.
///
/// The words are those of the kept blocks, in their order. Not empty, it ends with a line feed.
pub fn text(content: &Content<'_>) -> String {
    text::write(&build::tree(content))
}

/// CommonMark with GFM tables; formulas between dollar signs. Not empty, it ends with a line feed.
///
/// A CommonMark parser reads from it the words of [`text`].
pub fn markdown(content: &Content<'_>) -> String {
    markdown::write(&build::tree(content))
}

/// Clean HTML: a well-formed fragment without scripts, handlers, styles, classes (but a code block's language) or addresses
/// other than http, https, mailto, tel and, without a base, relative ones.
pub fn html(content: &Content<'_>) -> String {
    html::write(&build::tree(content))
}

/// A TEI P5 document, well-formed XML 1.0, with a header from the metadata.
pub fn xml(content: &Content<'_>, metadata: &crate::Metadata) -> String {
    tei::write(&build::tree(content), metadata)
}

/// The address of an image, absolute if `base` is known, past the placeholders of lazy loading and out of `<picture>`.
///
/// `None` for images that are data, counting pixels, or drawings of the formula before them.
pub fn image_source(dom: &Dom, img: NodeId, base: Option<&Url>) -> Option<String> {
    image::source(dom, img, base)
}
