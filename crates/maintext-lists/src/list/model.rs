//! The learned classifier of links: inference only.
use super::columns::{Keys, LinkTokens, columns, context_columns, token_columns};
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
    tokens: LinkTokens,
}

impl LinkModel {
    /// Prepares a model of two forests and two tables of names.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] if a part is missing.
    pub fn new(mut pack: Pack) -> Result<LinkModel, ModelError> {
        let [near, far] = &mut pack.tables[..] else { return Err(ModelError::Damaged) };
        let tokens = LinkTokens { near: std::mem::take(near), far: std::mem::take(far) };
        if pack.forests.len() != 2 {
            return Err(ModelError::Damaged);
        }
        Ok(LinkModel { pack, tokens })
    }

    shipped!(LinkModel, entries, KIND);

    /// Returns for each link the probability that it leads to an entry of the page's lists, and the groups of the links.
    pub fn judge(&self, t: &LinkTable<'_>, page: Option<&Url>) -> (Vec<f32>, Keys) {
        let (mut columns, keys) = columns(t, page);
        token_columns(t, t.blocks.names(t.dom), &self.tokens, &mut columns);
        let first: Vec<f32> = columns.scores(&self.pack, 0).into_iter().map(sigmoid).collect();
        context_columns(t, &keys, &first, &mut columns);
        (columns.scores(&self.pack, 1).into_iter().map(sigmoid).collect(), keys)
    }
}
