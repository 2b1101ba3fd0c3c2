//! The interface of content methods: blocks in, a score and a decision for each block out.
use crate::blocks::Blocks;
use crate::dom::Dom;
use std::any::Any;

pub mod lines;
mod scan;

pub use lines::{Breaks, Line, Lines};

/// The view of a page that methods judge.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The decoded source; [`Block::span`](crate::blocks::Block::span) points into it.
    pub source: &'a str,
    /// The tree.
    pub dom: &'a Dom<'a>,
    /// The text blocks.
    pub blocks: &'a Blocks,
    /// The page's address, if known.
    pub url: Option<&'a str>,
}

/// A method's decision about one block.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Verdict {
    /// The method's own score; larger means more like content. Its unit is the method's.
    pub score: f32,
    /// The probability that the block is main content, if the method estimates one.
    pub probability: Option<f32>,
    /// Whether the block belongs to the main content.
    pub keep: bool,
}

/// The preferred kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Favor {
    /// Neither kind: the best F1.
    #[default]
    Balance,
    /// Loses content before it keeps boilerplate.
    Precision,
    /// Keeps boilerplate before it loses content.
    Recall,
}

/// The names of all methods; the first is the default.
pub const NAMES: &[&str] =
    &["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];

/// A way to choose the main content.
///
/// Implementations are deterministic, hold no state that a page changes, and take time linear in the size of the page.
pub trait Method: Send + Sync {
    /// The published name, as `--method` takes it.
    fn name(&self) -> &'static str;
    /// One verdict per block, in the order of the blocks.
    fn judge(&self, page: &View<'_>, favor: Favor) -> Vec<Verdict>;
    /// The verdicts, and the expected word F1 of the kept blocks, 0 to 1, if the method estimates it.
    fn judge_page(&self, page: &View<'_>, favor: Favor) -> (Vec<Verdict>, Option<f32>) {
        (self.judge(page, favor), None)
    }
    /// The table of lines behind the decisions, if the method works on lines.
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let _ = (page, favor);
        None
    }
    /// Whether the verdicts hold probabilities, so that `classic::Fdr` can choose by them.
    fn gives_probabilities(&self) -> bool {
        false
    }
    /// The method itself, for callers that know its type and can reuse its answer.
    fn as_any(&self) -> Option<&dyn Any> {
        None
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
    fn as_any(&self) -> Option<&dyn Any> {
        (**self).as_any()
    }
}
