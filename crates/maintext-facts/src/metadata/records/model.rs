//! Decides the kind of a group of records: comments, posts, entries, or another. Forests decide by the [`evidence`](super::evidence).
use super::evidence::{self, Evidence};
use maintext_page::hash::HashMap;
use maintext_reading::features::tokens::Table;
use maintext_reading::model::forest::{Forest, sigmoid};
use maintext_reading::model::{ModelError, Pack};
use std::sync::{Arc, LazyLock};

/// The purpose stated in the model file.
pub const PURPOSE: &str = "records";

/// The kind of a group of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Readers' comments on the page's content, and reviews.
    Comments,
    /// Posts of a thread, which are the page's content.
    Posts,
    /// Entries of a list page.
    Entries,
    /// Links to other pages next to the content.
    Related,
    /// Posts from elsewhere, embedded in an article.
    Embedded,
    /// Parts of the article itself: a live ticker, a transcript, dated sections.
    Parts,
    /// Anything else: bylines, captions, tables.
    Other,
}

impl Kind {
    /// All kinds, in the order of the model's forests.
    pub const ALL: [Kind; 7] =
        [Kind::Comments, Kind::Posts, Kind::Entries, Kind::Related, Kind::Embedded, Kind::Parts, Kind::Other];
}

/// The decision on one group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Decision {
    /// The probability of each of [`Kind::ALL`]; they sum to 1.
    pub kinds: [f32; Kind::ALL.len()],
    /// The probability that author and text of most records were read correctly.
    pub legible: f32,
}

impl Decision {
    /// Returns the probability of a kind.
    pub fn of(&self, kind: Kind) -> f32 {
        self.kinds[kind as usize]
    }
}

/// Decides the kinds of groups of records.
#[derive(Clone, Debug)]
pub struct RecordModel {
    forests: Vec<Forest>,
    places: Vec<usize>,
    /// The log-odds of each kind for each hash of a name.
    names: HashMap<u32, [f32; Kind::ALL.len()]>,
}

impl RecordModel {
    /// Prepares a model: one forest for each of [`Kind::ALL`], one for legibility, and one table of names for each kind.
    ///
    /// # Errors
    /// [`ModelError`] if a part is missing or a column is unknown.
    pub fn new(mut pack: Pack) -> Result<RecordModel, ModelError> {
        if pack.forests.len() != Kind::ALL.len() + 1 || pack.tables.len() != Kind::ALL.len() {
            return Err(ModelError::Damaged);
        }
        let names = by_name(&std::mem::take(&mut pack.tables));
        Ok(RecordModel { places: pack.places(&columns())?, forests: pack.forests, names })
    }

    /// Returns the model inside the library, which is read once.
    ///
    /// # Errors
    /// [`ModelError`] if the library was built with a damaged model.
    pub fn shipped() -> Result<Arc<RecordModel>, ModelError> {
        static SHIPPED: LazyLock<Result<Arc<RecordModel>, ModelError>> = LazyLock::new(|| {
            let pack = Pack::from_bytes(maintext_reading::model::shipped::records()?, PURPOSE)?;
            Ok(Arc::new(RecordModel::new(pack)?))
        });
        SHIPPED.clone()
    }

    /// Decides on a group.
    pub fn decide(&self, evidence: &Evidence) -> Decision {
        let row = row(evidence, |h| self.names.get(&h).copied());
        let probabilities: Vec<f32> =
            self.forests.iter().map(|forest| sigmoid(forest.score(|c| row[self.places[c]]))).collect();
        let mut out = Decision::default();
        out.kinds.iter_mut().zip(&probabilities).for_each(|(kind, p)| *kind = *p);
        let sum: f32 = out.kinds.iter().sum();
        out.kinds.iter_mut().for_each(|p| *p /= sum.max(1e-6));
        out.legible = probabilities.last().copied().unwrap_or(0.0);
        out
    }
}

/// Returns the names of the model's columns.
pub fn columns() -> Vec<String> {
    let names = Kind::ALL.iter().map(|k| format!("names_{k:?}").to_lowercase());
    evidence::NAMES.iter().map(|n| (*n).to_owned()).chain(names).collect()
}

/// Returns the values of the columns: the numbers of the evidence, then for each kind the log-odds of the known names, summed and divided
/// by the square root of their count.
pub fn row(evidence: &Evidence, odds: impl Fn(u32) -> Option<[f32; Kind::ALL.len()]>) -> Vec<f32> {
    let (mut sums, mut known) = ([0.0f32; Kind::ALL.len()], 0.0f32);
    for own in evidence.tokens.iter().filter_map(|&h| odds(h)) {
        sums.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
        known += 1.0;
    }
    let mut out = evidence.values.clone();
    out.resize(evidence::NAMES.len(), 0.0);
    out.extend(sums.map(|s| s / known.max(1.0).sqrt()));
    out
}

/// Merges the tables of all kinds into one map.
pub fn by_name(tables: &[Table<f32>]) -> HashMap<u32, [f32; Kind::ALL.len()]> {
    let mut out: HashMap<u32, [f32; Kind::ALL.len()]> = HashMap::default();
    for (k, table) in tables.iter().enumerate().take(Kind::ALL.len()) {
        table.0.iter().for_each(|(h, s)| out.entry(*h).or_default()[k] = *s);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_is_valid() {
        let model = RecordModel::shipped().unwrap();
        let decision = model.decide(&Evidence::default());
        assert!((decision.kinds.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(RecordModel::new(Pack::default()).is_err());
    }
}
