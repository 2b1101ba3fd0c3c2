//! The learned classifier of links: inference only.
use super::choosing;
use super::columns::{self, Columns, Keys, LinkTokenIndex, LinkTokens, context_columns, token_columns};
use super::group::{GroupJudge, LinkGroup};
use super::table::LinkTable;
use maintext_reading::features::Column;
use maintext_reading::model::forest::sigmoid;
use maintext_reading::model::shipped::shipped;
use maintext_reading::model::{ModelError, Pack};
use url::Url;

/// The purpose stated in the model file.
pub const KIND: &str = "entries";

/// The forests that judge groups: which one is the list of the page, and which other ones are entries too. The first two judge links.
const QUALITY: usize = 2;
const FURTHER: usize = 3;

/// Separates links to entries from menus, tags, footers and other links.
#[derive(Clone, Debug)]
pub struct LinkModel {
    pack: Pack,
    tokens: LinkTokenIndex,
    /// For each column, whether the forests use it.
    wanted: Vec<bool>,
    /// For each column of the model, its place among the wanted ones of links, or among the ones of groups.
    places: Vec<usize>,
}

impl LinkModel {
    /// Prepares a model of four forests, two for links and two for groups of links, and two tables of names.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if a part is missing, [`ModelError::UnknownFeature`] for an unknown column.
    pub fn new(mut pack: Pack) -> Result<LinkModel, ModelError> {
        let [near, far] = &mut pack.tables[..] else { return Err(ModelError::Damaged) };
        let tokens = LinkTokens { near: std::mem::take(near), far: std::mem::take(far) };
        if pack.forests.len() != 4 {
            return Err(ModelError::Damaged);
        }
        let mut names = columns::names();
        let of_links = names.len();
        names.extend(choosing::names().into_iter().map(str::to_owned));
        let places = pack.places(&names)?;
        let wanted: Vec<bool> = (0..of_links).map(|i| places.contains(&i)).collect();
        let places = places
            .into_iter()
            .map(|p| if p < of_links { wanted[..p].iter().filter(|w| **w).count() } else { p - of_links })
            .collect();
        Ok(LinkModel { pack, tokens: LinkTokenIndex::new(&tokens), wanted, places })
    }

    shipped!(LinkModel, entries, KIND);

    /// Returns for each link the probability that it leads to an entry of the page's lists, and the groups of the links.
    pub fn judge(&self, t: &LinkTable<'_>, page: Option<&Url>) -> (Vec<f32>, Keys) {
        let mut columns = Columns::of(&self.wanted);
        let keys = columns::add_columns(t, page, &mut columns);
        token_columns(t, t.blocks.names(t.dom), &self.tokens, &mut columns);
        let first = self.scores(&columns, 0);
        context_columns(t, &keys, &first, &mut columns);
        (self.scores(&columns, 1), keys)
    }

    fn judge_groups(&self, forest: usize, rows: &[Vec<Column>]) -> Vec<f32> {
        let width = rows.first().map_or(0, Vec::len);
        let columns: Vec<Vec<f32>> = (0..width).map(|c| rows.iter().map(|row| row[c].1).collect()).collect();
        let scores = self.pack.forests[forest].scores(rows.len(), |column| &columns[self.places[column]]);
        scores.into_iter().map(sigmoid).collect()
    }

    fn scores(&self, columns: &Columns, forest: usize) -> Vec<f32> {
        columns.scores(&self.pack.forests[forest], &self.places).into_iter().map(sigmoid).collect()
    }
}

impl GroupJudge for LinkModel {
    fn qualities(&self, t: &LinkTable<'_>, groups: &[LinkGroup], p: &[f32]) -> Vec<f32> {
        self.judge_groups(QUALITY, &choosing::columns(t, groups, p))
    }

    fn chances(&self, t: &LinkTable<'_>, groups: &[LinkGroup], p: &[f32]) -> Vec<f32> {
        let further = self.judge_groups(FURTHER, &choosing::further_columns(t, groups, p));
        std::iter::once(1.0).chain(further).collect()
    }
}
