//! Samples of the pages of sites, for Spark.
use crate::columns::slice_at;
use crate::errors::wrong_value;
use arrow_array::{Array, ArrayRef, BinaryArray, Int64Array, RecordBatch, StringArray};
use arrow_pyarrow::PyArrowType;
use maintext_batch::Worker;
use maintext_core::Options;
use maintext_core::model::site::{Sample, Site, key};
use maintext_corpus::parquet::text_at;
use pyo3::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Samples the pages of each site among the batches of a task.
#[pyclass(module = "maintext")]
#[derive(Default)]
pub struct Samples {
    sites: Mutex<BTreeMap<String, Sample>>,
}

#[pymethods]
impl Samples {
    #[new]
    fn new() -> Samples {
        Samples::default()
    }

    /// Adds the pages of a batch: the columns of pages, addresses, sites, and of charsets. Pages that fail are left out.
    #[pyo3(signature = (batch, html, url, site, charset, max_size))]
    #[allow(clippy::too_many_arguments)]
    fn add(
        &self,
        py: Python<'_>,
        batch: PyArrowType<RecordBatch>,
        html: &str,
        url: &str,
        site: &str,
        charset: Option<&str>,
        max_size: usize,
    ) -> PyResult<()> {
        let column = |name: &str| {
            batch.0.column_by_name(name).cloned().ok_or_else(|| wrong_value(format!("no column '{name}'")))
        };
        let (html, url, site) = (column(html)?, column(url)?, column(site)?);
        let charset = charset.map(column).transpose()?;
        py.detach(|| {
            let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
            let mut worker = Worker::new(Options::default(), None);
            for row in 0..html.len() {
                let (Some(url), Some(site)) = (text_at(&url, row), text_at(&site, row)) else { continue };
                let Ok(Some((bytes, known))) = slice_at(&html, row) else { continue };
                let key = key(&url);
                let sample = sites.entry(site).or_default();
                if bytes.len() > max_size || !sample.wants(key) {
                    continue;
                }
                let declared = charset.as_ref().and_then(|column| text_at(column, row));
                if let Some(trace) = worker.trace(bytes, known.or(declared.as_deref())) {
                    sample.add(key, trace);
                }
            }
        });
        Ok(())
    }

    /// Returns the sampled pages: site, key in the order of signed numbers, and page.
    fn table(&self) -> PyResult<PyArrowType<RecordBatch>> {
        let sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut names, mut keys, mut pages) = (Vec::new(), Vec::new(), Vec::new());
        for (site, sample) in sites.iter() {
            for (key, page) in sample.pages() {
                names.push(site.as_str());
                keys.push((key ^ 1 << 63) as i64);
                pages.push(page);
            }
        }
        let columns: [(&str, ArrayRef); 3] = [
            ("site", Arc::new(StringArray::from(names))),
            ("key", Arc::new(Int64Array::from(keys))),
            ("page", Arc::new(BinaryArray::from_iter_values(pages))),
        ];
        RecordBatch::try_from_iter(columns).map(PyArrowType).map_err(|e| wrong_value(e.to_string()))
    }
}

/// Returns the site of each row from a column of samples. Rows with the same sample share it.
pub fn sites_of(samples: &ArrayRef) -> PyResult<Vec<Option<Arc<Site>>>> {
    let mut known: HashMap<&[u8], Option<Arc<Site>>> = HashMap::new();
    let mut sites = Vec::with_capacity(samples.len());
    for row in 0..samples.len() {
        let Ok(sample) = slice_at(samples, row) else {
            let kind = samples.data_type();
            return Err(wrong_value(format!("the column of samples has the type {kind}; expected binary")));
        };
        let Some((bytes, _)) = sample else {
            sites.push(None);
            continue;
        };
        if !known.contains_key(bytes) {
            let sample = Sample::from_bytes(bytes).ok_or_else(|| wrong_value("a sample of a site is damaged"))?;
            known.insert(bytes, sample.site().map(Arc::new));
        }
        sites.push(known.get(bytes).cloned().flatten());
    }
    Ok(sites)
}
