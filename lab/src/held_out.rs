//! Held-out scores of the content model: the scores of cross-validation, stored in a file. Models that build on the content model are
//! trained and measured with them, so that they see scores as good as on new pages.
use crate::Error;
use crate::data::Page;
use crate::learned::{FOLDS, fold_of};
use maintext_core::Choice;
use maintext_core::metadata::training::records::{PURPOSE, RecordModel};
use maintext_core::method::{Favor, Method, View};
use maintext_core::model::prefer;
use maintext_core::model::{Learned, Pack};
use maintext_core::{Extractor, Options};
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The log-odds of the blocks of some pages, by set and page id.
#[derive(Clone, Debug, Default)]
pub struct HeldOut {
    pages: HashMap<(String, String), Vec<f32>>,
    /// For each fold, the model of record groups trained without the sites of the fold.
    record_models: Vec<Arc<RecordModel>>,
}

impl HeldOut {
    /// Adds a page.
    pub fn insert(&mut self, set: &str, id: &str, scores: Vec<f32>) {
        self.pages.insert((set.to_owned(), id.to_owned()), scores);
    }

    /// Returns the log-odds of a page's blocks before similar blocks share their scores.
    pub fn get(&self, set: &str, id: &str) -> Option<&[f32]> {
        self.pages.get(&(set.to_owned(), id.to_owned())).map(Vec::as_slice)
    }

    /// Writes one JSON array per line: set, page id, scores. Lines are sorted.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn write(&self, to: &mut dyn Write) -> std::io::Result<()> {
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_by_key(|p| p.0);
        for ((set, id), scores) in pages {
            writeln!(to, "{}", serde_json::json!([set, id, scores]))?;
        }
        Ok(())
    }

    /// Reads a file written by [`HeldOut::write`].
    ///
    /// # Errors
    /// The file cannot be read, or a line is invalid.
    pub fn read(path: &Path) -> Result<HeldOut, Error> {
        let file = std::fs::File::open(path).map_err(|e| Error::file(path, e))?;
        let mut out = HeldOut::default();
        for (i, line) in std::io::BufReader::new(file).lines().enumerate() {
            let line = line.map_err(|e| Error::file(path, e))?;
            let (set, id, scores): (String, String, Vec<f32>) = serde_json::from_str(&line)
                .map_err(|e| Error::Line { path: path.into(), line: i + 1, message: e.to_string() })?;
            out.pages.insert((set, id), scores);
        }
        Ok(out)
    }

    /// Adds the models of record groups, one per fold, written by the trainer of records.
    ///
    /// # Errors
    /// A file is missing or damaged.
    pub fn with_record_models(mut self, dir: &Path) -> Result<HeldOut, Error> {
        self.record_models = read_folds(dir)?;
        Ok(self)
    }

    /// Returns the method that judges one page: by its held-out scores, or with the shipped model if it has none.
    ///
    /// # Errors
    /// The library was built with a damaged model.
    pub fn method(&self, set: &str, id: &str) -> Result<Box<dyn Method>, Error> {
        let model = Learned::shipped().map_err(|e| Error::other(e.to_string()))?;
        Ok(match self.get(set, id) {
            Some(scores) => Box::new(Scored { model, scores: scores.to_vec() }),
            None => Box::new(model),
        })
    }

    /// Returns the model of record groups that has not seen the page's site.
    pub fn record_model(&self, page: &Page) -> Option<Arc<RecordModel>> {
        self.record_models.get(fold_of(&page.site)).cloned()
    }

    /// Returns an extractor whose models have not seen the page's site.
    ///
    /// # Errors
    /// The library was built with a damaged model.
    pub fn extractor(&self, options: Options, set: &str, page: &Page) -> Result<Extractor, Error> {
        // No shipped model has seen a page without scores.
        let record_model = self.get(set, &page.id).and_then(|_| self.record_model(page));
        Ok(Extractor::with_method(options, self.method(set, &page.id)?).with_record_model(record_model))
    }
}

/// The learned method with given scores of the blocks.
struct Scored {
    model: Arc<Learned>,
    scores: Vec<f32>,
}

impl Method for Scored {
    fn name(&self) -> &'static str {
        "learned"
    }
    fn judge(&self, page: &View<'_>, favor: Favor) -> Choice {
        // Streamed contents that were moved to their places add blocks for a second judgement, which has no held-out scores.
        if self.scores.len() != page.blocks.len() {
            return self.model.judge(page, favor);
        }
        let mut choice = self.model.decide_with(page.dom, page.blocks, Some(self.scores.clone()), None);
        prefer(favor, page, &mut choice);
        choice
    }
    fn gives_probabilities(&self) -> bool {
        true
    }
}

/// Reads one model of record groups per fold.
fn read_folds(dir: &Path) -> Result<Vec<Arc<RecordModel>>, Error> {
    (0..FOLDS)
        .map(|k| {
            let path = fold_file(dir, k);
            let bytes = std::fs::read(&path).map_err(|e| Error::file(&path, e))?;
            let record_model = Pack::from_bytes(&bytes, PURPOSE).and_then(RecordModel::new);
            record_model.map(Arc::new).map_err(|e| Error::other(format!("{}: {e}", path.display())))
        })
        .collect()
}

/// Returns the file of one fold's model of record groups.
pub(crate) fn fold_file(dir: &Path, fold: usize) -> PathBuf {
    dir.join(format!("records-{fold}.mtx"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_read_back_and_used() {
        let mut all = HeldOut::default();
        all.insert("a-set", "1", vec![-4.0, 5.0]);
        let path = std::env::temp_dir().join(format!("held-out-{}.jsonl", std::process::id()));
        all.write(&mut std::fs::File::create(&path).unwrap()).unwrap();
        assert_eq!(HeldOut::read(&path).unwrap().pages, all.pages);
        std::fs::remove_file(&path).unwrap();
        // All text of a short page without scripts would be content.
        let html =
            "<p>The ferry leaves at nine, and comes back in the evening.<div class=ad>Buy one</div><script></script>";
        let text = |method| Extractor::with_method(Options::default(), method).extract(html).unwrap().text().to_owned();
        assert_eq!(text(all.method("a-set", "1").unwrap()), "Buy one\n");
        assert!(text(all.method("a-set", "2").unwrap()).starts_with("The ferry"));
    }
}
