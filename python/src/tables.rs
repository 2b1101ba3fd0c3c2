//! Arrow tables, pages of WARC and other files, and `maintext batch`.
use crate::chunks::Cutting;
use crate::columns::slice_at;
use crate::errors::{io_error, wrong_option, wrong_value};
use crate::many::limit;
use crate::options::from_keywords;
use crate::sites::sites_of;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_pyarrow::PyArrowType;
use maintext_batch::{Body, Columns, Extra, Failure, Filter, Job, Rows, ShardFormat, Target, Values, Worker};
use maintext_chunks::{Settings, Tokenizer};
use maintext_core::model::site::Site;
use maintext_core::{Input, Page};
use maintext_corpus::inputs::{InputOptions, Inputs, Item, Items, Loaded, Position};
use maintext_corpus::parquet::{Columns as InputColumns, text_at};
use maintext_fetch::FetchOptions;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

fn threads(threads: Option<usize>) -> usize {
    threads.filter(|t| *t > 0).unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZeroUsize::get))
}

fn columns(fields: Option<Vec<String>>) -> PyResult<Columns> {
    fields.map_or_else(|| Ok(Columns::all()), |fields| Columns::new(&fields).map_err(wrong_option))
}

/// Reads the settings of chunks, which are needed if the columns hold chunks and are an error otherwise.
fn cutting(given: Option<&Bound<'_, PyDict>>, columns: &Columns) -> PyResult<Option<Cutting>> {
    match (columns.tells_chunks(), given) {
        (true, given) => Cutting::new(given).map(Some),
        (false, Some(_)) => Err(wrong_option("chunks has no effect without the field 'chunks' or rows='chunks'")),
        (false, None) => Ok(None),
    }
}

/// Returns the names of all fields, in order.
#[pyfunction]
pub fn field_names() -> Vec<String> {
    Columns::known()
}

/// Returns the Arrow schema of these fields.
#[pyfunction]
#[pyo3(signature = (fields=None))]
pub fn schema(fields: Option<Vec<String>>) -> PyResult<PyArrowType<arrow_schema::Schema>> {
    Ok(PyArrowType(columns(fields)?.schema().as_ref().clone()))
}

/// Extracts the pages of a record batch, without copying its strings. Returns a row for each page.
#[pyfunction]
#[pyo3(signature = (batch, html, url, id, charset, site, fields, threads, timeout, max_size, chunks, tokenizer, options))]
#[allow(clippy::too_many_arguments)]
pub fn extract_record_batch(
    py: Python<'_>,
    batch: PyArrowType<RecordBatch>,
    html: &str,
    url: Option<&str>,
    id: Option<&str>,
    charset: Option<&str>,
    site: Option<&str>,
    fields: Option<Vec<String>>,
    threads: Option<usize>,
    timeout: Option<f64>,
    max_size: Option<usize>,
    chunks: Option<&Bound<'_, PyDict>>,
    tokenizer: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyArrowType<RecordBatch>> {
    let columns = columns(fields)?;
    let cutting = cutting(chunks, &columns)?;
    let mut options = from_keywords(options)?;
    columns.ask(&mut options);
    options.formats.text |= maintext_batch::measures(&columns);
    options.pieces = cutting.as_ref().map(|cutting| cutting.settings.form);
    let column = |name: &str| {
        batch.0.column_by_name(name).ok_or_else(|| {
            wrong_value(format!(
                "no column '{name}'; the columns are {}",
                batch.0.schema().fields().iter().map(|f| f.name().clone()).collect::<Vec<_>>().join(", ")
            ))
        })
    };
    let pages = Pages {
        html: column(html)?.clone(),
        url: url.map(column).transpose()?.cloned(),
        id: id.map(column).transpose()?.cloned(),
        charset: charset.map(column).transpose()?.cloned(),
        sites: site.map(column).transpose()?.map(sites_of).transpose()?,
        origin: ORIGIN.iter().filter_map(|name| Some((*name, batch.0.column_by_name(name)?.clone()))).collect(),
        tokenizer: tokenizer.map(crate::chunks::named).transpose()?,
        limit: limit(timeout)?,
        max_size: max_size.unwrap_or(usize::MAX),
        chunks: cutting.as_ref().map(|cutting| cutting.settings.clone()),
        options,
        columns,
    };
    if slice_at(&pages.html, usize::MAX).is_err() {
        let kind = pages.html.data_type();
        return Err(wrong_value(format!("column '{html}' has the type {kind}; expected strings or binary")));
    }
    let threads = self::threads(threads);
    let table = py.detach(|| pages.table(threads));
    cutting.map_or(Ok(()), |cutting| cutting.raise())?;
    table.map(PyArrowType).map_err(|e| wrong_value(e.to_string()))
}

/// Columns of a table of pages that its result copies to the fields of the same names.
const ORIGIN: [&str; 3] = ["captured", "file", "dump"];

/// The columns of a table of pages and the settings for their extraction.
struct Pages {
    html: ArrayRef,
    url: Option<ArrayRef>,
    id: Option<ArrayRef>,
    charset: Option<ArrayRef>,
    sites: Option<Vec<Option<Arc<Site>>>>,
    /// The columns of [`ORIGIN`] that the table has.
    origin: Vec<(&'static str, ArrayRef)>,
    tokenizer: Option<Tokenizer>,
    limit: Option<Duration>,
    max_size: usize,
    chunks: Option<Settings>,
    options: maintext_core::Options,
    columns: Columns,
}

impl Pages {
    /// Returns the table.
    fn table(&self, threads: usize) -> Result<RecordBatch, arrow_schema::ArrowError> {
        let next = AtomicUsize::new(0);
        let rows = Mutex::new(BTreeMap::new());
        thread::scope(|scope| {
            for _ in 0..threads.min(self.html.len()) {
                scope.spawn(|| {
                    let mut worker = Worker::new(self.options.clone(), self.limit);
                    loop {
                        let row = next.fetch_add(1, Ordering::Relaxed);
                        if row >= self.html.len() {
                            return;
                        }
                        let line = self.row(&mut worker, row);
                        rows.lock().unwrap_or_else(PoisonError::into_inner).insert(row, line);
                    }
                });
            }
        });
        let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.columns.table(&rows.into_values().collect::<Vec<_>>())
    }

    /// Returns a row.
    fn row(&self, worker: &mut Worker, row: usize) -> Values {
        let url = self.url.as_ref().and_then(|column| text_at(column, row));
        let id = self.id.as_ref().and_then(|column| text_at(column, row));
        let origin = self.origin.iter().map(|(name, column)| (*name, serde_json::json!(text_at(column, row))));
        let outcome = match slice_at(&self.html, row) {
            Ok(Some((bytes, _))) if bytes.len() > self.max_size => {
                Err(format!("the page has {} bytes, which is larger than the limit of {}", bytes.len(), self.max_size))
            }
            Ok(Some((bytes, known))) => {
                let declared = self.charset.as_ref().and_then(|column| text_at(column, row));
                let charset = known.or(declared.as_deref()).or(self.options.charset.as_deref());
                let site = self.sites.as_ref().and_then(|sites| sites[row].as_ref());
                let page = Input::at(bytes, url.as_deref(), charset);
                worker.extract(page, site).map_err(|e| e.message)
            }
            Ok(None) | Err(()) => Err("the page is null".to_owned()),
        };
        match outcome {
            Ok(mut page) => {
                let cut = self.chunks.as_ref().map(|settings| maintext_chunks::chunks_with_warning(&page, settings));
                let mut extra = Extra::new();
                maintext_batch::measure(&self.columns, self.tokenizer.as_ref(), &page, &mut extra);
                if let Some((chunks, warning)) = cut {
                    page.warnings.extend(warning);
                    extra.push(("chunks", serde_json::json!(chunks)));
                }
                extra.extend(origin);
                self.columns.values(id.as_deref(), &page, None, &extra)
            }
            Err(error) => {
                let mut page = Page::default();
                page.metadata.url = url;
                let extra: Extra = origin.collect();
                self.columns.values(id.as_deref(), &page, Some(&error), &extra)
            }
        }
    }
}

/// An iterator over the pages of files and folders, as dicts.
#[pyclass(module = "maintext")]
pub struct Records {
    items: Mutex<Items>,
    max_size: usize,
    errors: bool,
}

#[pymethods]
impl Records {
    #[new]
    #[pyo3(signature = (inputs, max_size=20 << 20, errors=false))]
    fn new(inputs: Vec<String>, max_size: usize, errors: bool) -> PyResult<Records> {
        let options = InputOptions { max_size, ..InputOptions::default() };
        let inputs = Inputs::new(&inputs, options).map_err(|e| io_error(e.to_string()))?;
        Ok(Records { items: Mutex::new(inputs.read(Position::default(), &[])), max_size, errors })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        loop {
            let loaded = py.detach(|| {
                self.items
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .next()
                    .map(|item: Item| item.page(None, self.max_size))
            });
            let record = PyDict::new(py);
            match loaded {
                None => return Ok(None),
                Some(Loaded::Skipped { .. }) => continue,
                Some(Loaded::Failed { .. }) if !self.errors => continue,
                Some(Loaded::Failed { id, url, message, .. }) => {
                    record.set_item("id", id)?;
                    record.set_item("url", url)?;
                    record.set_item("html", py.None())?;
                    record.set_item("charset", py.None())?;
                    record.set_item("captured", py.None())?;
                    record.set_item("whole", false)?;
                    record.set_item("error", message)?;
                }
                Some(Loaded::Page(page)) => {
                    record.set_item("id", page.id)?;
                    record.set_item("url", page.url)?;
                    record.set_item("html", PyBytes::new(py, &page.bytes))?;
                    record.set_item("charset", page.charset.as_deref())?;
                    record.set_item("captured", page.captured)?;
                    record.set_item("whole", page.whole)?;
                    record.set_item("error", py.None())?;
                }
            }
            return Ok(Some(record));
        }
    }
}

/// Returns the output with this name, in this format.
fn target(output: &str, format: Option<&str>, shard_size: u64) -> PyResult<Target> {
    let shards = |format| Target::shards(output, format, shard_size).map_err(wrong_option);
    match format {
        None => Target::new(output, None).map_err(wrong_option),
        Some("text") => Target::new(output, Some(Body::Text)).map_err(wrong_option),
        Some("markdown") => Target::new(output, Some(Body::Markdown)).map_err(wrong_option),
        Some("parquet") => shards(ShardFormat::Parquet),
        Some("jsonl") => shards(ShardFormat::Jsonl),
        Some(other) => {
            Err(wrong_option(format!("format={other:?}: expected 'text', 'markdown', 'parquet' or 'jsonl'")))
        }
    }
}

/// Returns a message of the batch with its flags as the arguments that they are in Python.
fn in_python(message: &str) -> String {
    message.replace("--restart", "restart=True")
}

/// Runs `maintext batch`. Returns counts of pages by outcome.
#[pyfunction]
#[pyo3(signature = (inputs, output, format, shard_size, fields, dump, tokenizer, filter, sites, dedup, errors, threads, timeout, max_size, restart, rows, chunks, names, progress, options))]
#[allow(clippy::too_many_arguments)]
pub fn batch<'py>(
    py: Python<'py>,
    inputs: Vec<String>,
    output: &str,
    format: Option<&str>,
    shard_size: u64,
    fields: Option<Vec<String>>,
    dump: Option<String>,
    tokenizer: Option<&str>,
    filter: &str,
    sites: bool,
    dedup: Option<&str>,
    errors: Option<String>,
    threads: Option<usize>,
    timeout: Option<f64>,
    max_size: usize,
    restart: bool,
    rows: &str,
    chunks: Option<&Bound<'py, PyDict>>,
    names: [String; 3],
    progress: Option<Py<PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let [html, url, id] = names;
    let columns = match (rows, fields) {
        ("pages", fields) => columns(fields)?,
        ("chunks", None) => Columns::of_chunks(),
        ("chunks", Some(fields)) => Columns::select(&fields, Rows::Chunks).map_err(wrong_option)?,
        _ => return Err(wrong_option(format!("rows={rows:?}: expected 'pages' or 'chunks'"))),
    };
    let cutting = cutting(chunks, &columns)?;
    let readers = maintext_batch::readers(self::threads(threads));
    let input_options =
        InputOptions { columns: InputColumns { html, url, id }, max_size, readers, ..InputOptions::default() };
    let job = Job {
        inputs: Inputs::new(&inputs, input_options).map_err(|e| io_error(e.to_string()))?,
        target: target(output, format, shard_size)?,
        columns,
        chunks: cutting.as_ref().map(|cutting| cutting.settings.clone()),
        options: from_keywords(options)?,
        filter: Filter::parse(filter).map_err(wrong_option)?,
        dedup: dedup
            .map(|name| crate::dedup::named(name).map_err(|e| wrong_option(format!("dedup={name:?}: {e}"))))
            .transpose()?,
        errors: errors.map(Into::into),
        dump,
        sites,
        tokenizer: tokenizer.map(crate::chunks::named).transpose()?,
        threads: self::threads(threads),
        limit: limit(timeout)?,
        max_size,
        row_group: 16_384,
        fetch: FetchOptions::default(),
        render: maintext_batch::UseBrowser::Never,
        browser: Default::default(),
        checkpoint: Duration::from_secs(5),
        crashes: 2,
        restart,
    };
    let mut last = std::time::Instant::now();
    let mut stopped = None;
    let mut show = |now: maintext_batch::Progress<'_>| {
        if last.elapsed() < Duration::from_millis(200) {
            return ControlFlow::Continue(());
        }
        last = std::time::Instant::now();
        // Checks for Ctrl-C and calls the caller's function. An exception ends the run, which resumes when it is called again.
        let shown = Python::attach(|py| {
            py.check_signals()?;
            progress.as_ref().map_or(Ok(()), |f| f.call1(py, (now.totals.pages, now.consumed)).map(|_| ()))
        });
        stopped = shown.err();
        if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = py.detach(|| maintext_batch::run(&job, &mut show));
    if let Some(error) = stopped {
        return Err(error);
    }
    cutting.map_or(Ok(()), |cutting| cutting.raise())?;
    let totals = result.map_err(|failure| match failure {
        Failure::Settings(message) => wrong_option(in_python(&message)),
        Failure::Stopped(message) => io_error(in_python(&message)),
        Failure::Write { path, error } => io_error(format!("{}: {error}", path.display())),
    })?;
    let counts = PyDict::new(py);
    for (name, count) in [
        ("pages", totals.pages),
        ("rows", totals.rows),
        ("failed", totals.failed.count()),
        ("skipped", totals.skipped.count()),
        ("filtered", totals.filtered),
        ("duplicates", totals.duplicates),
        ("bytes", totals.bytes),
        ("resumed", totals.resumed),
    ] {
        counts.set_item(name, count)?;
    }
    Ok(counts)
}
