//! The learned extractor: inference only.
//!
//! A forest of oblivious trees and a small [`network`] over the sequence of blocks see the same [`features`](crate::features). The sum of
//! their scores, a part of it a block's own and the rest the mean of its [`kin`], is the log-odds that a block is content. Consent dialogs are
//! lowered, and the set of blocks with the largest expected F1 is kept ([`mod@choose`]); of a short page without a frame, all blocks are. A second forest predicts how good the choice is
//! ([`confidence`]). `MODEL_CARD.md` describes how the weights were trained.
mod bare;
pub mod choose;
pub mod columns;
pub mod confidence;
mod consent;
mod early;
mod explain;
pub mod file;
pub mod forest;
pub mod kin;
pub mod network;
mod pack;
mod repair;
pub mod roles;
pub mod sealed;
pub mod shipped;
pub mod site;
mod weights;

pub use explain::{Explanation, Part, Stage};
pub use file::ModelError;
pub use pack::Pack;
pub use weights::Weights;

use self::kin::Kin;
use crate::choice::{Choice, Step};
use crate::features::bags::{self, Bags, Reads};
use crate::features::{BlockWords, Features, TokenIndex, TokenScores};
use crate::method::{Favor, Method, View};
use forest::{Forest, sigmoid};
use maintext_page::blocks::{Blocks, ElementTokens};
use maintext_page::dom::Dom;
use network::{Around, Network};
use roles::{Role, RoleModel, Shares};
use site::{Site, Trace};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// A rising piecewise linear function, for calibration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Knots as x and y, rising in both.
    pub knots: Vec<[f32; 2]>,
}

impl Curve {
    /// Returns the value at `x`: outside the knots the value of the nearest knot, without knots `x` itself.
    pub fn at(&self, x: f32) -> f32 {
        interpolate(&self.knots, x)
    }
}

/// Returns the value at `x` between points with rising x: outside them the value of the nearest point, without points `x` itself.
pub fn interpolate(points: &[[f32; 2]], x: f32) -> f32 {
    let i = points.partition_point(|p| p[0] < x);
    match (i.checked_sub(1).map(|j| points[j]), points.get(i)) {
        (None, None) => x,
        (None, Some(p)) => p[1],
        (Some(p), None) => p[1],
        (Some(a), Some(b)) => a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]).max(1e-9),
    }
}

/// The weights of the learned extractor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Scores of class, id and role tokens.
    pub tokens: TokenScores,
    /// Scores a block by its features, which are indices of [`crate::features::names`].
    pub forest: Forest,
    /// Scores a block by the same features of the block and of its neighbours. The sum of both scores, smoothed with the sums of the
    /// block's [`kin`], is its log-odds.
    pub network: Network,
    /// Maps the sum, as a probability, to the frequency of content.
    pub calibration: Curve,
    /// Predicts the F1 of the chosen blocks; its features are indices of [`confidence::names`].
    pub confidence: Forest,
}

impl Model {
    /// Returns the weights that are shipped with the library, for the pages of today.
    ///
    /// # Errors
    /// The library was built without the model, or with a file that is not a model.
    pub fn shipped() -> Result<Model, ModelError> {
        Model::from_bytes(shipped::main()?)
    }

    /// Returns the shipped weights for articles of pages from before phones.
    ///
    /// # Errors
    /// As for [`Model::shipped`].
    pub fn early() -> Result<Model, ModelError> {
        Model::from_bytes(shipped::early()?)
    }
}

/// A model ready to judge pages: only the features that it needs are computed.
#[derive(Clone, Debug)]
pub struct Learned {
    tokens: TokenIndex,
    vocabulary: bags::Index,
    forest: Forest,
    network: Network,
    calibration: Curve,
    confidence: Forest,
    wanted: Vec<bool>,
    /// The columns of [`confidence::PAGE_FEATURES`].
    page_columns: Vec<usize>,
    /// Weight of the mean of a block's kin in its log-odds.
    kin_share: f32,
    /// Whether this is [`Learned::shipped`], which leaves some old pages to an [`early`] model.
    is_shipped: bool,
}

/// What a model computed about a page.
struct Reading<'m> {
    model: &'m Learned,
    table: Features,
    bags: Bags,
    kin: Kin,
    /// The log-odds of each block, a part of them the mean of its kin.
    scores: Vec<f32>,
}

/// Adjusts a model's choice to the kind of error that the caller wants to avoid. For precision, the [roles] of the blocks count, too.
pub fn prefer(favor: Favor, page: &View<'_>, choice: &mut Choice) {
    let Some(probabilities) = choice.probabilities().map(<[f32]>::to_vec) else { return };
    match favor {
        Favor::Balance => {}
        Favor::Recall => choice.step(Step::Favor, "recall is preferred, and it may be content", |kept| {
            kept.iter_mut().zip(&probabilities).for_each(|(kept, p)| *kept = favor.keeps(*kept, *p));
        }),
        Favor::Precision => {
            choice.step(Step::Favor, "precision is preferred, and it is not sure to be content", |kept| {
                kept.iter_mut().zip(&probabilities).for_each(|(kept, p)| *kept = favor.keeps(*kept, *p));
            });
            // Of the words in the text, 0.098 instead of 0.120 are optional then (docs/experiments/labels.md).
            let roles = roles::read(page, Some(&probabilities));
            choice.step(Step::Favor, "precision is preferred, and its role is not main content", |kept| {
                kept.iter_mut().zip(&roles).for_each(|(kept, roles)| *kept &= Role::keeps(favor, roles));
            });
        }
    }
}

impl Learned {
    /// Prepares a model.
    pub fn new(model: Model) -> Learned {
        let Model { tokens, forest, network, calibration, confidence } = model;
        let names = crate::features::names();
        let page_columns: Vec<usize> =
            confidence::PAGE_FEATURES.iter().filter_map(|p| names.iter().position(|n| n == p)).collect();
        let tested = forest.trees.iter().flat_map(|t| t.features).chain(network.inputs.iter().map(|i| i.column));
        let tested = tested.map(usize::from).chain(page_columns.iter().copied());
        let mut wanted = vec![false; tested.clone().max().map_or(0, |f| f + 1)];
        tested.for_each(|f| wanted[f] = true);
        let tokens = TokenIndex::new(&tokens);
        let vocabulary = bags::Index::new(&network.vocabulary);
        Learned {
            tokens,
            vocabulary,
            forest,
            network,
            calibration,
            confidence,
            wanted,
            page_columns,
            kin_share: kin::SHARE,
            is_shipped: false,
        }
    }

    /// Returns the shipped models, which are read once and shared.
    ///
    /// # Errors
    /// The library was built without the model, or with a file that is not a model.
    pub fn shipped() -> Result<Arc<Learned>, ModelError> {
        static SHIPPED: LazyLock<Result<Arc<Learned>, ModelError>> =
            LazyLock::new(|| Ok(Arc::new(Learned { is_shipped: true, ..Learned::new(Model::shipped()?) })));
        SHIPPED.clone()
    }

    /// Reads a page with this model, or an old article with the [`early`] one. `scores` replaces the log-odds. The columns include all that `roles`
    /// needs.
    fn read(&self, dom: &Dom, blocks: &Blocks, scores: Option<Vec<f32>>, roles: Option<&RoleModel>) -> Reading<'_> {
        let may_be_early = self.is_shipped && scores.is_none() && !blocks.signs(dom).viewport;
        let reading = self.read_alone(dom, blocks, scores, roles);
        if may_be_early { early::second_reading(dom, blocks, &reading).unwrap_or(reading) } else { reading }
    }

    /// See [`Learned::read`].
    fn read_alone(
        &self,
        dom: &Dom,
        blocks: &Blocks,
        scores: Option<Vec<f32>>,
        roles: Option<&RoleModel>,
    ) -> Reading<'_> {
        let (table, bags, tokens) = self.columns(dom, blocks, roles);
        let mut scores = scores.unwrap_or_else(|| self::scores(&self.forest, &self.network, &table, &bags, blocks));
        let kin = Kin::new(blocks, tokens);
        kin.smooth(self.kin_share, &mut scores);
        Reading { model: self, table, bags, kin, scores }
    }

    /// Returns the columns and the words that the model needs, with the columns for `roles`, and the names of the elements. A stage of
    /// `cargo xtask budget`.
    #[inline(never)]
    fn columns<'b>(
        &self,
        dom: &Dom,
        blocks: &'b Blocks,
        roles: Option<&RoleModel>,
    ) -> (Features, Bags, &'b ElementTokens) {
        let tokens = blocks.names(dom);
        let mut wanted = Cow::from(&self.wanted);
        if let Some(roles) = roles {
            roles.want(wanted.to_mut());
        }
        let (table, words) = self.table(dom, blocks, tokens, &wanted);
        let bags = Bags::new(blocks, tokens, &words, &self.vocabulary, Reads::ALL);
        (table, bags, tokens)
    }

    /// Returns the wanted columns, and the words of the blocks.
    fn table(&self, dom: &Dom, blocks: &Blocks, tokens: &ElementTokens, wanted: &[bool]) -> (Features, BlockWords) {
        let mut table = Features::new(blocks.len(), Some(wanted));
        let words = table.add_structural(dom, blocks, tokens);
        table.add_tokens(blocks, tokens, &words, &self.tokens);
        (table, words)
    }

    /// Scores the blocks of a page and decides which ones to keep.
    pub fn decide(&self, dom: &Dom, blocks: &Blocks) -> Choice {
        self.decide_with(dom, blocks, None, None)
    }

    /// Decides like [`Learned::decide`]. `scores` replaces the model's own log-odds, one per block, by another model's, for example in
    /// cross-validation; `site` corrects them by the similarities of the site's other pages with this one.
    pub fn decide_with(
        &self,
        dom: &Dom,
        blocks: &Blocks,
        scores: Option<Vec<f32>>,
        site: Option<(&Site, &site::Weights)>,
    ) -> Choice {
        self.decide_and_read(dom, blocks, scores, site, None).0
    }

    /// Judges a page like [`Method::judge`], corrected by the site's other pages, and reads the roles of the blocks from the same columns, as
    /// [`roles::read`] would. Only the shipped model has roles.
    pub fn judge_with_roles(&self, page: &View<'_>, favor: Favor, site: Option<&Site>) -> (Choice, Vec<Shares>) {
        // Tests load the shipped model, so this cannot fail in a release.
        let roles = if self.is_shipped { RoleModel::shipped().ok() } else { None };
        let (weights, View { dom, blocks, .. }) = (site::Weights::default(), *page);
        let site = site.map(|site| (site, &weights));
        let (mut choice, roles) = self.decide_and_read(dom, blocks, None, site, roles.as_deref());
        prefer(favor, page, &mut choice);
        (choice, roles)
    }

    /// See [`Learned::decide_with`] and [`Learned::judge_with_roles`]. A stage of `cargo xtask budget`.
    #[inline(never)]
    fn decide_and_read(
        &self,
        dom: &Dom,
        blocks: &Blocks,
        scores: Option<Vec<f32>>,
        site: Option<(&Site, &site::Weights)>,
        roles: Option<&RoleModel>,
    ) -> (Choice, Vec<Shares>) {
        if blocks.is_empty() || scores.as_ref().is_some_and(|s| s.len() != blocks.len()) {
            return Default::default();
        }
        let Reading { model: own, table, kin, mut scores, .. } = self.read(dom, blocks, scores, roles);
        let tokens = blocks.names(dom);
        if let Some((site, weights)) = site {
            weights.correct(site, blocks, tokens, &mut scores);
        }
        let words: Vec<u32> = blocks.blocks.iter().map(|b| b.words).collect();
        let probabilities: Vec<f32> = scores.iter().map(|s| own.calibration.at(sigmoid(*s))).collect();
        // Consent dialogs lower the scores for the choice only: the probability stays the model's own.
        consent::doubt(dom, blocks, tokens, &mut scores);
        let mut choice = choose::content(blocks, tokens, &scores, &words);
        choice
            .step(Step::Neighbours, "nearly all blocks with its markup are kept", |kept| kin.keep_alike(&scores, kept));
        if bare::is_bare(dom, blocks) {
            choice
                .step(Step::Method, "the page is short and has no menus or other surroundings", |kept| kept.fill(true));
        }
        // The confidence describes the final choice, so it comes last.
        let of_choice = confidence::choice(blocks, &probabilities, &words, choice.kept()).map(|column| column.1);
        let of_page = own.page_columns.iter().map(|&c| table.column(c)[0]);
        let columns: Vec<f32> = of_choice.into_iter().chain(of_page).collect();
        let confidence = own.confidence.score(|c| columns[c]).clamp(0.0, 1.0);
        let roles = match roles {
            // The roles learned from the names of elements as this model weighs them.
            Some(roles) if !std::ptr::eq(own, self) => roles.read(self, dom, blocks, &probabilities),
            Some(roles) => roles.of_columns(&table, blocks, &kin, &probabilities),
            None => Vec::new(),
        };
        (choice.judged(probabilities).with_confidence(confidence), roles)
    }

    /// Records a page for the [`site::Sample`] of its site. `scores` as for [`Learned::decide_with`].
    pub fn trace(&self, dom: &Dom, blocks: &Blocks, scores: Option<Vec<f32>>) -> Trace {
        let scores = scores.filter(|s| s.len() == blocks.len());
        Trace::new(blocks, blocks.names(dom), &self.read(dom, blocks, scores, None).scores)
    }
}

/// A computation over the rows of a table, which is compiled twice: for vectors of four numbers, and of eight.
trait Rowwise {
    type Output;

    /// Needs `#[inline(always)]`, so that it is compiled for the vectors of [`widely`].
    fn compute(self) -> Self::Output;
}

/// Computes with vectors of eight numbers instead of four if the processor has them, which is known only at run time. The operations and their
/// order are the same, and so are the numbers.
///
/// Contains the only unsafe code of this library: the choice takes an eighth less time (benchmark `choice`). The fuzz target `page` runs it.
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
fn widely<R: Rowwise>(rows: R) -> R::Output {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn wide<R: Rowwise>(rows: R) -> R::Output {
        rows.compute()
    }

    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { wide(rows) };
    }
    rows.compute()
}

/// Returns the score of each block: the sum of the forest's and the network's scores. A stage of `cargo xtask budget`.
#[inline(never)]
pub fn scores(forest: &Forest, network: &Network, table: &Features, bags: &Bags, blocks: &Blocks) -> Vec<f32> {
    widely(Scores { forest, network, table, bags, around: &network::around(blocks) })
}

struct Scores<'a> {
    forest: &'a Forest,
    network: &'a Network,
    table: &'a Features,
    bags: &'a Bags,
    around: &'a [Around],
}

impl Rowwise for Scores<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn compute(self) -> Vec<f32> {
        // Both together are better than either: on wcxb-dev 0.892, two stages of forests 0.888, the network alone 0.890
        // (docs/experiments/content.md).
        let mut scores = self.forest.scores(self.table.rows(), |c| self.table.column(c));
        let network = self.network.scores(|c| self.table.column(c), self.around, self.bags);
        scores.iter_mut().zip(network).for_each(|(s, x)| *s += x);
        scores
    }
}

impl Method for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn judge(&self, page: &View<'_>, favor: Favor) -> Choice {
        let mut choice = self.decide(page.dom, page.blocks);
        prefer(favor, page, &mut choice);
        choice
    }

    fn gives_probabilities(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_is_read_once() {
        assert!(Arc::ptr_eq(&Learned::shipped().unwrap(), &Learned::shipped().unwrap()));
    }

    #[test]
    fn curves_are_linear_between_knots_and_flat_outside() {
        let c = Curve { knots: vec![[0.2, 0.1], [0.4, 0.5]] };
        assert_eq!((c.at(0.0), c.at(0.9)), (0.1, 0.5));
        assert!((c.at(0.3) - 0.3).abs() < 1e-6);
        assert_eq!(Curve::default().at(0.7), 0.7);
    }
}
