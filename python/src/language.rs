//! Languages of plain text.
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the language and the script of a text, and the shares of the languages of its paragraphs.
#[pyfunction]
pub fn language<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let (found, shares) = py.detach(|| (maintext_language::detect(text), maintext_language::shares(text)));
    let rows = shares.iter().map(|share| {
        let row = PyDict::new(py);
        row.set_item("language", share.language)?;
        row.set_item("script", share.script)?;
        row.set_item("share", share.share)?;
        Ok(row)
    });
    let out = PyDict::new(py);
    out.set_item("language", found.map(|d| d.language))?;
    out.set_item("script", found.map(|d| d.script))?;
    out.set_item("score", found.map(|d| d.score))?;
    out.set_item("languages", rows.collect::<PyResult<Vec<_>>>()?)?;
    Ok(out)
}
