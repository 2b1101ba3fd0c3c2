//! Pages of addresses.
use crate::errors::{io_error, wrong_option};
use crate::many::limit;
use maintext_cli::AddressFacts;
use maintext_fetch::{FetchOptions, Fetched, Fetcher, Representation};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What an address answered, and the facts about it that a page states.
pub struct FetchedPage {
    pub body: Vec<u8>,
    pub charset: Option<String>,
    pub facts: AddressFacts,
}

impl FetchedPage {
    /// Fetches a page.
    ///
    /// # Errors
    /// `OSError` if it cannot be fetched, `InvalidOptionError` for a wrong setting.
    pub fn of(py: Python<'_>, url: &str, timeout: f64, max_size: usize, representation: &str) -> PyResult<FetchedPage> {
        let timeout = limit(Some(timeout))?.unwrap_or_default();
        let representation: Representation =
            representation.parse().map_err(|e| wrong_option(format!("representation: {e}")))?;
        let options = FetchOptions { timeout, max_size, representation, ..FetchOptions::default() };
        let agent = options.user_agent.clone();
        let fetched: Fetched = py
            .detach(|| Fetcher::new(options).and_then(|fetcher| fetcher.fetch(url)))
            .map_err(|e| io_error(e.to_string()))?;
        let facts = AddressFacts::new(&fetched, &agent);
        Ok(FetchedPage { body: fetched.body, charset: fetched.charset, facts })
    }
}

/// Fetches a page. Returns its body and the charset in the header.
#[pyfunction]
#[pyo3(signature = (url, timeout=30.0, max_size=20 << 20))]
pub fn fetch<'py>(
    py: Python<'py>,
    url: &str,
    timeout: f64,
    max_size: usize,
) -> PyResult<(Bound<'py, PyBytes>, Option<String>)> {
    let page = FetchedPage::of(py, url, timeout, max_size, "html")?;
    Ok((PyBytes::new(py, &page.body), page.charset))
}
