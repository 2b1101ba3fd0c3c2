//! The interface of content methods: blocks in, a choice among them out.
use crate::choice::Choice;
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

/// The names of all methods; the first is the default.
pub const NAMES: &[&str] =
    &["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];

/// A way to choose the main content.
///
/// Implementations are deterministic, keep no state between pages, and take time linear in the size of the page.
pub trait Method: Send + Sync {
    /// Returns the published name, as `--method` accepts it.
    fn name(&self) -> &'static str;
    /// Chooses among the blocks; a method that works on lines keeps the blocks that lie on the lines which [`Method::lines`] keeps.
    fn judge(&self, page: &View<'_>, favor: Favor) -> Choice {
        self.lines(page, favor).map_or_else(Choice::default, |lines| lines.choice(page.dom, page.blocks))
    }
    /// Returns the table of lines behind the decisions, if the method works on lines.
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let _ = (page, favor);
        None
    }
    /// Whether the choice holds probabilities, which `classic::Fdr` needs.
    fn gives_probabilities(&self) -> bool {
        false
    }
}

impl<M: Method + ?Sized> Method for std::sync::Arc<M> {
    fn name(&self) -> &'static str {
        (**self).name()
    }
    fn judge(&self, page: &View<'_>, favor: Favor) -> Choice {
        (**self).judge(page, favor)
    }
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        (**self).lines(page, favor)
    }
    fn gives_probabilities(&self) -> bool {
        (**self).gives_probabilities()
    }
}
