//! What every content method does: blocks in, a score and a decision for each block out.
use crate::blocks::Blocks;
use crate::classic::Lines;
use crate::dom::Dom;
use crate::error::Error;
use crate::metadata::Namer;
use crate::model::Learned;

/// What a method sees of a page.
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

/// A method's word on one block.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Verdict {
    /// The method's own score; larger means more like content. Its unit is the method's.
    pub score: f32,
    /// The probability that the block is main content, if the method estimates one.
    pub probability: Option<f32>,
    /// Whether the block belongs to the main content.
    pub keep: bool,
}

/// Which way to err.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Favor {
    /// Neither: the best F1.
    #[default]
    Balance,
    /// Rather lose content than keep boilerplate.
    Precision,
    /// Rather keep boilerplate than lose content.
    Recall,
}

/// The names of all methods; the first is the default.
pub const NAMES: &[&str] =
    &["learned", "line-density", "line-blocks", "text-density", "markup-ratio", "density-statistics"];

/// The method of that name, with its published parameters or its shipped weights.
///
/// # Errors
/// [`Error::UnknownMethod`] for a name that is not in [`NAMES`].
pub fn by_name(name: &str) -> Result<Box<dyn Method>, Error> {
    if name == "learned" {
        return match Learned::shipped() {
            Ok(m) => Ok(Box::new(m)),
            Err(e) => Err(Error::BadModel(e.to_string())),
        };
    }
    crate::classic::method(name).ok_or_else(|| Error::UnknownMethod(name.to_owned()))
}

/// A way to choose the main content.
///
/// Implementations are deterministic, hold no state that a page changes, and take time linear in the size of the page.
pub trait Method: Send + Sync {
    /// The published name, as `--method` takes it.
    fn name(&self) -> &'static str;
    /// One verdict a block, in the order of the blocks.
    fn judge(&self, page: &View<'_>, favor: Favor) -> Vec<Verdict>;
    /// The verdicts, and the word F1 that is to be expected of what they keep, 0 to 1, if the method can tell.
    fn judge_page(&self, page: &View<'_>, favor: Favor) -> (Vec<Verdict>, Option<f32>) {
        (self.judge(page, favor), None)
    }
    /// The table of lines that the decisions come from, if the method looks at lines.
    fn lines(&self, page: &View<'_>, favor: Favor) -> Option<Lines> {
        let _ = (page, favor);
        None
    }
    /// A model of one's own that decides what groups of records are; the shipped one if `None`. For cross-validation.
    #[doc(hidden)]
    fn namer(&self) -> Option<&Namer> {
        None
    }
    /// Whether the verdicts hold probabilities, so that [`Fdr`](crate::classic::Fdr) can choose by them.
    fn gives_probabilities(&self) -> bool {
        false
    }
    /// The content model that judges, if one does: whoever needs its word too need not ask again.
    fn learned(&self) -> Option<&Learned> {
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
    fn namer(&self) -> Option<&Namer> {
        (**self).namer()
    }
    fn gives_probabilities(&self) -> bool {
        (**self).gives_probabilities()
    }
    fn learned(&self) -> Option<&Learned> {
        (**self).learned()
    }
}
