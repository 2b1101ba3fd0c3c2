//! The entries and the kind of a page, without its text.
use crate::errors::{ExtractionError, raise};
use crate::input::{Facts, Html, parsed};
use crate::page::to_py;
use maintext_core::list::Lists;
use maintext_core::{Analysis, Extractor, Options};
use maintext_util::guard;
use pyo3::prelude::*;
use serde_json::Value;
use url::Url;

/// Analyses a page, in any of the formats that the command reads, and returns what `see` finds.
fn look<'py>(
    html: &Bound<'py, PyAny>,
    url: Option<&str>,
    see: impl FnOnce(&Extractor, &Analysis<'_>, Option<&Url>) -> Result<Value, maintext_core::Error> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let py = html.py();
    let html = Html::of(html)?;
    html.check()?;
    let url = url.map(parsed).transpose()?;
    let file = html.open(&Facts::default(), &Options::default())?.map(|(_, document)| document);
    let found = py.detach(|| {
        guard::catch(|| {
            let mut extractor = Extractor::new(Options::default())?;
            let (input, charset) = html.source(file.as_ref(), None);
            let source = extractor.decode(input, charset)?;
            let analysis =
                extractor.analyze_source(&source, url.as_ref(), file.as_ref().is_some_and(|file| file.whole));
            see(&extractor, &analysis, url.as_ref())
        })
    });
    let value = found.map_err(ExtractionError::new_err)?.map_err(|error| raise(&error))?;
    to_py(py, &value)
}

/// Returns the entries of a list page in groups, the best group first, and the links to its further pages.
#[pyfunction]
#[pyo3(signature = (html, url=None))]
pub fn entries<'py>(html: &Bound<'py, PyAny>, url: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    look(html, url, |_, analysis, url| {
        let page = Lists::named("learned")?.page(&analysis.view(url));
        Ok(serde_json::to_value(page).unwrap_or_default())
    })
}

/// Returns the type of a page and the probability of each type.
#[pyfunction]
#[pyo3(signature = (html, url=None))]
pub fn classify<'py>(html: &Bound<'py, PyAny>, url: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    look(html, url, |extractor, analysis, url| {
        let kind = extractor.page_type(analysis, url).map_err(maintext_core::Error::from)?;
        Ok(serde_json::to_value(kind).unwrap_or_default())
    })
}
