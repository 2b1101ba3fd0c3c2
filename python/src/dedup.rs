//! Signatures of texts and normal forms of addresses, by which duplicates are found.
use crate::errors::{wrong_option, wrong_value};
use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_pyarrow::PyArrowType;
use arrow_schema::DataType;
use maintext_batch::Dedup;
use maintext_corpus::parquet::text_at;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Returns a measure by its name.
pub fn named(method: &str) -> Result<Dedup, &'static str> {
    match method {
        "exact" => Ok(Dedup::Exact),
        "minhash" => Ok(Dedup::MinHash),
        _ => Err("expected 'exact' or 'minhash'"),
    }
}

/// Returns the signature of a text: its keys as 64-bit little-endian numbers.
#[pyfunction]
#[pyo3(signature = (text, method="minhash"))]
pub fn signature<'py>(py: Python<'py>, text: &str, method: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let dedup = named(method).map_err(|e| wrong_option(format!("method={method:?}: {e}")))?;
    let keys = py.detach(|| dedup.signature(text));
    Ok(keys.map(|keys| PyBytes::new(py, &keys.iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<u8>>())))
}

/// Returns the signatures of a column of texts as a batch with the column `signature`: lists of keys as signed numbers, since Spark has no
/// others. Null texts and texts without words have null.
#[pyfunction]
pub fn signature_column(
    py: Python<'_>,
    batch: PyArrowType<RecordBatch>,
    column: &str,
    method: &str,
) -> PyResult<PyArrowType<RecordBatch>> {
    let dedup = named(method).map_err(|e| wrong_option(format!("method={method:?}: {e}")))?;
    let texts = batch.0.column_by_name(column).ok_or_else(|| wrong_value(format!("no column '{column}'")))?;
    if !matches!(texts.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
        return Err(wrong_value(format!("column '{column}' has the type {}; expected strings", texts.data_type())));
    }
    let lists = py.detach(|| {
        let mut lists = ListBuilder::new(Int64Builder::new());
        for row in 0..texts.len() {
            let keys = text_at(texts, row).and_then(|text| dedup.signature(&text));
            lists.append_option(keys.map(|keys| keys.into_iter().map(|key| Some(key.cast_signed()))));
        }
        lists.finish()
    });
    let batch = RecordBatch::try_from_iter_with_nullable([("signature", Arc::new(lists) as ArrayRef, true)]);
    Ok(PyArrowType(batch.map_err(|e| wrong_value(e.to_string()))?))
}

/// Returns the normal form of an address.
#[pyfunction]
pub fn normalize_url(url: &str) -> Option<String> {
    maintext_crawl::address::normalize(url)
}
