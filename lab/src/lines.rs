//! Cross-validates the classifiers of the line methods.
pub use maintext_learn::lines::*;

use crate::Error;
use crate::eval::Candidate;
use maintext_core::classic::LineModel;
use maintext_core::method::Method;
use std::sync::Arc;

/// Trains one model for each of `k` folds of sites on the pages of the other folds, for cross-validation.
///
/// # Errors
/// See [`train`].
pub fn cross_validate(
    method: Trainable,
    rows: &Rows,
    k: usize,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<LineModel>, Error> {
    (0..k)
        .map(|f| {
            let others = rows.pages.iter().filter(|p| fold_of(&p.site, k) != f).cloned().collect();
            let rows = Rows { pages: others, sets: rows.sets.clone() };
            train(method, &rows, options, observer).map(|t| t.model)
        })
        .collect()
}

/// Creates a candidate for an evaluation from the models of [`cross_validate`]. Each page is judged by the model that has not seen its
/// site. A page of a site that no model has seen is judged by any of them.
///
/// # Errors
/// `models` is empty, a model belongs to another method, or `fdr` is not a share.
pub fn held_out(name: &str, method: Trainable, models: &[LineModel], fdr: Option<f32>) -> Result<Candidate, Error> {
    if models.is_empty() {
        return Err(Error::other("cross-validation needs at least one fold"));
    }
    let mut methods: Vec<Arc<dyn Method>> = Vec::new();
    for model in models {
        let method = method.with_model(model.clone())?;
        methods.push(match fdr {
            None => method,
            Some(alpha) => {
                let controlled = maintext_core::classic::Fdr::new(Box::new(method), alpha);
                Arc::new(controlled.map_err(|e| Error::other(e.to_string()))?)
            }
        });
    }
    Ok(Candidate::choosing(name, maintext_core::Options::default(), move |page| {
        methods[fold_of(&page.site, methods.len())].clone()
    }))
}
