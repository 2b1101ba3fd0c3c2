//! The interface of content methods: blocks in, a score and a decision for each block out.
use maintext_page::blocks::Blocks;
use maintext_page::dom::Dom;

mod favor;
pub mod lines;
mod scan;

pub use favor::Favor;
pub use lines::{Line, Lines};

/// The view of a page that methods judge.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The decoded source that [`Block::span`](maintext_page::blocks::Block::span) refers to.
    pub source: &'a str,
    /// The tree.
    pub dom: &'a Dom<'a>,
    /// The text blocks.
    pub blocks: &'a Blocks,
    /// The page's address, if it is known.
    pub url: Option<&'a str>,
}

/// A method's decision about one block.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Verdict {
    /// The method's own score, in its own unit; larger means more like content.
    pub score: f32,
    /// The probability that the block is main content, if the method estimates one.
    pub probability: Option<f32>,
    /// Whether the block belongs to the main content.
    pub keep: bool,
}

/// The names of all methods; the first is the default.
pub const NAMES: &[&str] =
    &["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];

/// A way to choose the main content.
///
/// Implementations are deterministic, keep no state between pages, and take time linear in the size of the page.
pub trait Method: Send + Sync {
    /// Returns the published name, as `--method` accepts it.
    fn name(&self) -> &'static str;
    /// Returns one verdict per block, in block order; those of [`Method::lines`] if the method works on lines.
    fn judge(&self, page: &View<'_>, favor: Favor) -> Vec<Verdict> {
        self.lines(page, favor).map_or_else(Vec::new, |lines| lines.verdicts(page.dom, page.blocks))
    }
    /// Returns the verdicts, and the expected word F1 of the kept blocks, 0 to 1, if the method estimates it.
    fn judge_page(&self, page: &View<'_>, favor: Favor) -> (Vec<Verdict>, Option<f32>) {
        (self.judge(page, favor), None)
    }
    /// Returns the table of lines behind the decisions, if the method works on lines.
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let _ = (page, favor);
        None
    }
    /// Whether the verdicts hold probabilities, which `classic::Fdr` needs.
    fn gives_probabilities(&self) -> bool {
        false
    }
}

impl<M: Method + ?Sized> Method for std::sync::Arc<M> {
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn judge(&self, page: &View<'_>, favor: Favor) -> Vec<Verdict> {
        (**self).judge(page, favor)
    }
    fn judge_page(&self, page: &View<'_>, favor: Favor) -> (Vec<Verdict>, Option<f32>) {
        (**self).judge_page(page, favor)
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        (**self).lines(page, favor)
    }
    fn gives_probabilities(&self) -> bool {
        (**self).gives_probabilities()
    }
}
