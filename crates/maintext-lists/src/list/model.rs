//! The learned classifier of links: inference only.
use super::columns::{self, Columns, Keys, LinkTokenIndex, LinkTokens, context_columns, token_columns};
use super::table::LinkTable;
use maintext_reading::model::forest::sigmoid;
use maintext_reading::model::shipped::shipped;
use maintext_reading::model::{ModelError, Pack};
use url::Url;

/// The purpose stated in the model file.
pub const KIND: &str = "entries";

/// Separates links to entries from menus, tags, footers and other links.
#[derive(Clone, Debug)]
pub struct LinkModel {
    pack: Pack,
    tokens: LinkTokenIndex,
    /// For each column, whether the forests use it.
    wanted: Vec<bool>,
    /// For each column of the model, its place among the wanted ones.
    places: Vec<usize>,
}

impl LinkModel {
    /// Prepares a model of two forests and two tables of names.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if a part is missing, [`ModelError::UnknownFeature`] for an unknown column.
    pub fn new(mut pack: Pack) -> Result<LinkModel, ModelError> {
        let [near, far] = &mut pack.tables[..] else { return Err(ModelError::Damaged) };
        let tokens = LinkTokens { near: std::mem::take(near), far: std::mem::take(far) };
        if pack.forests.len() != 2 {
            return Err(ModelError::Damaged);
        }
        let names = columns::names();
        let places = pack.places(&names)?;
        let wanted: Vec<bool> = (0..names.len()).map(|i| places.contains(&i)).collect();
        let places = places.iter().map(|p| wanted[..*p].iter().filter(|w| **w).count()).collect();
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

    fn scores(&self, columns: &Columns, forest: usize) -> Vec<f32> {
        columns.scores(&self.pack.forests[forest], &self.places).into_iter().map(sigmoid).collect()
    }
}
