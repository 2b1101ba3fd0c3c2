//! Inspecting a page and training classifiers.
use crate::block::{Block, blocks};
use crate::errors::{MaintextError, io_error, raise, wrong_option};
use crate::input::{Facts, Html, parsed};
use crate::options::from_keywords;
use maintext_learn::lines::{self, Rows, Trainable};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// All text blocks of a page, with a method's decision on each.
#[pyclass(frozen, module = "maintext", skip_from_py_object)]
pub struct Inspected {
    blocks: Vec<Block>,
    #[pyo3(get)]
    confidence: Option<f32>,
    #[pyo3(get)]
    method: String,
}

#[pymethods]
impl Inspected {
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.blocks.iter().map(|block| block.to_py(py)).collect()
    }
}

/// Returns the blocks of a page with the method's decisions.
#[pyfunction]
#[pyo3(signature = (html, url=None, **options))]
pub fn inspect(
    py: Python<'_>,
    html: &Bound<'_, PyAny>,
    url: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Inspected> {
    let html = Html::of(html)?;
    html.check()?;
    let options = from_keywords(options)?;
    let file = html.open(&Facts::default(), &options)?.map(|(_, document)| document);
    let url = url.map(parsed).transpose()?;
    py.detach(|| {
        let (method, given) = (options.method.clone(), options.charset.clone());
        let mut extractor = maintext_core::Extractor::new(options).map_err(|e| raise(&e))?;
        let (input, charset) = html.source(file.as_ref(), given.as_deref());
        let source = extractor.decode(input, charset).map_err(|e| raise(&e))?;
        let mut analysis = extractor.analyze(&source.text, url.as_ref());
        extractor.choose(&mut analysis, url.as_ref());
        Ok(Inspected { blocks: blocks(&analysis, true), confidence: analysis.choice.confidence, method })
    })
}

/// Checks that sets of pages can be opened.
///
/// # Errors
/// `OSError` for the first that cannot.
fn readable(data: &[PathBuf]) -> PyResult<()> {
    data.iter().try_for_each(|path| match std::fs::File::open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(io_error(format!("{}: {error}", path.display()))),
    })
}

fn failed(error: impl std::fmt::Display) -> PyErr {
    MaintextError::new_err(error.to_string())
}

/// Trains the classifier of a published method. Returns the model as JSON and a report.
#[pyfunction]
#[pyo3(signature = (method, data, hidden=None, seed=1))]
pub fn train(
    py: Python<'_>,
    method: &str,
    data: Vec<PathBuf>,
    hidden: Option<Vec<usize>>,
    seed: u64,
) -> PyResult<(String, String)> {
    readable(&data)?;
    py.detach(|| {
        let method = Trainable::named(method).map_err(|e| wrong_option(e.to_string()))?;
        let mut rows = Rows::default();
        for path in &data {
            rows.add_set(method, path, &|_| ()).map_err(failed)?;
        }
        let options = lines::Options { hidden, seed, ..lines::Options::default() };
        let trained = lines::train(method, &rows, &options, &()).map_err(failed)?;
        Ok((trained.model.to_json(), trained.report.text()))
    })
}
