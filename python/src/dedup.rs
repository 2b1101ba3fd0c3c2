//! Signatures of texts and normal forms of addresses, by which duplicates are found.
use crate::errors::wrong_option;
use maintext_batch::Dedup;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Returns the signature of a text: its keys as 64-bit little-endian numbers.
#[pyfunction]
#[pyo3(signature = (text, method="minhash"))]
pub fn signature<'py>(py: Python<'py>, text: &str, method: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let dedup = match method {
        "exact" => Dedup::Exact,
        "minhash" => Dedup::MinHash,
        other => return Err(wrong_option(format!("method={other:?}: expected 'exact' or 'minhash'"))),
    };
    let keys = py.detach(|| dedup.signature(text));
    Ok(keys.map(|keys| PyBytes::new(py, &keys.iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<u8>>())))
}

/// Returns the normal form of an address.
#[pyfunction]
pub fn normalize_url(url: &str) -> Option<String> {
    maintext_crawl::address::normalize(url)
}
