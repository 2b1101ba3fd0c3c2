//! The learned judgement of links: inference only.
use super::columns::{Columns, Keys, LinkTokens, columns, context_columns, token_columns};
use super::table::LinkTable;
use crate::features::ElementTokens;
use crate::model::forest::sigmoid;
use crate::model::{ModelError, Pack};
use std::sync::{Arc, LazyLock};
use url::Url;

/// What the model file says that it is for.
pub const KIND: &str = "entries";

/// Weights that tell links to entries from menus, tags, footers and the rest.
#[derive(Clone, Debug)]
pub struct LinkModel {
    pack: Pack,
    tokens: LinkTokens,
}

impl LinkModel {
    /// Prepares a model: two forests, two tables of names.
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

    /// The model that is shipped inside the library, read once for all who ask.
    ///
    /// # Errors
    /// [`ModelError`] if the library was built with a damaged model.
    pub fn shipped() -> Result<Arc<LinkModel>, ModelError> {
        static SHIPPED: LazyLock<Result<Arc<LinkModel>, ModelError>> = LazyLock::new(|| {
            let pack = Pack::from_bytes(crate::model::shipped::entries()?, KIND)?;
            Ok(Arc::new(LinkModel::new(pack)?))
        });
        SHIPPED.clone()
    }

    /// For each link of a page, the probability that it leads to an entry of the page's lists, with the groups that links are seen in.
    pub fn judge(&self, t: &LinkTable<'_>, page: Option<&Url>) -> (Vec<f32>, Keys) {
        let (mut columns, keys) = columns(t, page);
        token_columns(t, &ElementTokens::new(t.dom, t.blocks), &self.tokens, &mut columns);
        let first: Vec<f32> = self.scores(0, &columns).into_iter().map(sigmoid).collect();
        context_columns(t, &keys, &first, &mut columns);
        (self.scores(1, &columns).into_iter().map(sigmoid).collect(), keys)
    }

    fn scores(&self, forest: usize, columns: &Columns) -> Vec<f32> {
        let rows = columns.column(0).len();
        let names = columns.names();
        // A column of a later stage is never asked about by an earlier one.
        let places: Vec<usize> =
            self.pack.names.iter().map(|n| names.iter().position(|m| m == n).unwrap_or(0)).collect();
        self.pack.forests[forest].scores(rows, |f| columns.column(places[f]))
    }
}
