//! The learned extractor: inference only.
//!
//! Two forests of oblivious trees score each block: the first sees the block and its surroundings
//! ([`features`](crate::features)), the second also what the first thinks of the blocks around ([`context`]). The probabilities are
//! calibrated, and of several candidate sets of blocks the one is kept whose F1 a third forest foresees to be the best
//! ([`mod@decide`]). How the weights are made is told in `MODEL_CARD.md`.
pub mod choose;
pub mod context;
pub mod decide;
mod explain;
mod file;
pub mod forest;
mod pack;
mod tables;
mod weights;

pub use explain::{Explanation, Part, Stage};
pub use file::ModelError;
pub use pack::Pack;
pub use weights::Weights;

use crate::blocks::Blocks;
use crate::dom::Dom;
use crate::features::{ElementTokens, Features, TokenIndex, TokenScores};
use crate::method::{Favor, Method, Verdict, View};
use forest::{Forest, sigmoid};

/// Where the caller favours precision, blocks below this probability are dropped from the choice.
const PRECISION_THRESHOLD: f32 = 0.6;
/// Where the caller favours recall, blocks above this probability are added to the choice.
const RECALL_THRESHOLD: f32 = 0.12;

/// A piecewise linear, rising function, for calibration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Knots as (x, y), rising in both.
    pub knots: Vec<(f32, f32)>,
}

impl Curve {
    /// The value at `x`; outside the knots the nearest knot's, without knots `x` itself.
    pub fn at(&self, x: f32) -> f32 {
        let k = &self.knots;
        let i = k.partition_point(|p| p.0 < x);
        match (i.checked_sub(1).map(|j| k[j]), k.get(i)) {
            (None, None) => x,
            (None, Some(b)) => b.1,
            (Some(a), None) => a.1,
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0).max(1e-9),
        }
    }
}

/// The weights of the learned extractor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Scores of class, id and role tokens.
    pub tokens: TokenScores,
    /// The first stage; its features are indices of [`crate::features::names`].
    pub first: Forest,
    /// The second stage; its features are indices of [`crate::features::names`] followed by [`context::names`].
    pub second: Forest,
    /// Second-stage score, as a probability, to the frequency of content.
    pub block_calibration: Curve,
    /// Foresees a candidate's F1; its features are indices of [`decide::names`].
    pub decision: Forest,
}

impl Model {
    /// The weights that are shipped inside the library.
    ///
    /// # Errors
    /// The library was built with a file that is none.
    pub fn shipped() -> Result<Model, ModelError> {
        Model::from_bytes(include_bytes!("../../models/main.mtx"))
    }
}

/// A model ready to judge pages: only the features that its trees ask about are computed.
#[derive(Clone, Debug)]
pub struct Learned {
    tokens: TokenIndex,
    first: Forest,
    second: Forest,
    block_calibration: Curve,
    decision: Forest,
    wanted: Vec<bool>,
    /// Columns of [`decide::PAGE_FEATURES`] among the filled ones.
    page_columns: Vec<usize>,
}

/// What a model makes of a page.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// For each block, the probability that it is main content.
    pub probabilities: Vec<f32>,
    /// For each block, whether it is kept.
    pub keep: Vec<bool>,
    /// The foreseen word F1.
    pub confidence: f32,
}

impl Learned {
    /// Prepares a model.
    pub fn new(model: Model) -> Learned {
        let Model { tokens, mut first, mut second, block_calibration, decision } = model;
        let names = crate::features::names();
        let page: Vec<u16> =
            decide::PAGE_FEATURES.iter().filter_map(|p| names.iter().position(|n| n == p).map(|i| i as u16)).collect();
        let asked = first.trees.iter().chain(&second.trees).flat_map(|t| t.features).chain(page.iter().copied());
        let mut wanted = vec![false; asked.clone().max().map_or(0, |f| f as usize + 1)];
        asked.for_each(|f| wanted[f as usize] = true);
        // Columns that are computed lie side by side: the trees' numbers are those of the filled columns.
        let mut filled = vec![0u16; wanted.len()];
        let mut next = 0;
        for (slot, w) in filled.iter_mut().zip(&wanted) {
            *slot = next;
            next += *w as u16;
        }
        for t in first.trees.iter_mut().chain(&mut second.trees) {
            t.features.iter_mut().for_each(|f| *f = filled[*f as usize]);
        }
        let page_columns = page.iter().map(|f| filled[*f as usize] as usize).collect();
        Learned { tokens: TokenIndex::new(&tokens), first, second, block_calibration, decision, wanted, page_columns }
    }

    /// The model that is shipped inside the library.
    pub fn shipped() -> Result<Learned, ModelError> {
        Model::shipped().map(Learned::new)
    }

    /// The columns that the trees ask about, with what the first stage thinks of the blocks around.
    fn table(&self, dom: &Dom, blocks: &Blocks) -> Features {
        let n = blocks.len();
        let mut f = Features::new(n, Some(&self.wanted));
        let tokens = ElementTokens::new(dom, blocks);
        let words = f.add_structural(dom, blocks, &tokens);
        f.add_tokens(blocks, &tokens, &words, &self.tokens);
        let first: Vec<f32> = self.first.scores(n, |c| f.column(c)).into_iter().map(sigmoid).collect();
        let paths = std::mem::take(&mut f.paths);
        context::add_context(&mut f, blocks, &paths, &first);
        f
    }

    /// Scores the blocks of a page and decides which ones to keep.
    pub fn decide(&self, dom: &Dom, blocks: &Blocks) -> Decision {
        let n = blocks.len();
        if n == 0 {
            return Decision::default();
        }
        let f = self.table(dom, blocks);
        let second = self.second.scores(n, |c| f.column(c));
        let probabilities: Vec<f32> = second.into_iter().map(|s| self.block_calibration.at(sigmoid(s))).collect();
        let page: Vec<f32> = self.page_columns.iter().map(|&c| f.column(c)[0]).collect();
        let words: Vec<u32> = blocks.blocks.iter().map(|b| b.words).collect();
        let (mut keep, confidence) = decide(&self.decision, blocks, &probabilities, &words, &page);
        tables::complete(blocks, &mut keep);
        Decision { probabilities, keep, confidence }
    }
}

/// The candidate whose F1 the forest foresees to be the best, with what it foresees.
pub fn decide(forest: &Forest, blocks: &Blocks, p: &[f32], words: &[u32], page: &[f32]) -> (Vec<bool>, f32) {
    let mut sets = decide::candidates(p, words);
    let f = decide::features(blocks, p, words, &sets, page);
    let foreseen = forest.scores(sets.len(), |c| f.column(c));
    let best = decide::pick(&foreseen);
    (sets.swap_remove(best), foreseen[best].clamp(0.0, 1.0))
}

impl Method for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn judge(&self, page: &View<'_>, favor: Favor) -> Vec<Verdict> {
        self.judge_page(page, favor).0
    }

    fn judge_page(&self, page: &View<'_>, favor: Favor) -> (Vec<Verdict>, Option<f32>) {
        let Decision { probabilities, keep, confidence } = self.decide(page.dom, page.blocks);
        let keeps = |p: f32, kept: bool| match favor {
            Favor::Balance => kept,
            Favor::Precision => kept && p > PRECISION_THRESHOLD,
            Favor::Recall => kept || p > RECALL_THRESHOLD,
        };
        let verdict = |(&p, &kept): (&f32, &bool)| Verdict { score: p, probability: Some(p), keep: keeps(p, kept) };
        let verdicts = probabilities.iter().zip(&keep).map(verdict).collect();
        (verdicts, Some(confidence))
    }

    fn odds_of_names(&self, page: &View<'_>, elements: &[usize]) -> f32 {
        let tokens = ElementTokens::new(page.dom, page.blocks);
        elements.iter().map(|&e| self.tokens.document_near(tokens.of(e))).fold(0.0, f32::min)
    }

    fn gives_probabilities(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_linear_between_knots_and_flat_outside() {
        let c = Curve { knots: vec![(0.2, 0.1), (0.4, 0.5)] };
        assert_eq!((c.at(0.0), c.at(0.9)), (0.1, 0.5));
        assert!((c.at(0.3) - 0.3).abs() < 1e-6);
        assert_eq!(Curve::default().at(0.7), 0.7);
    }
}
