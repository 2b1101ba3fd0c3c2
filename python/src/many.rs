//! `extract_many`: extracts the pages of an iterator on all cores and returns an iterator of results.
//!
//! Pages are read from the input only as fast as results are consumed, so that memory stays bounded for an input of any length.
use crate::errors::{raise, raise_type, wrong_option, wrong_value};
use crate::input::{Facts, Html, extract_page};
use crate::page::Page;
use maintext_batch::Worker;
use maintext_core::{Input, Options};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString, PyTuple};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Maximum number of pages in progress per thread.
const PAGES_PER_THREAD: usize = 16;
/// Maximum number of bytes of pages in progress per thread.
const BYTES_PER_THREAD: usize = 32 << 20;

struct Job {
    number: u64,
    html: Html,
    facts: Facts,
}

type Done = (u64, Page);

/// The iterator that `extract_many` returns.
#[pyclass(module = "maintext")]
pub struct Results {
    input: Option<Py<PyIterator>>,
    /// An error of the input, which is raised after the results of the pages before it.
    broken: Option<PyErr>,
    work: Option<Sender<Job>>,
    done: Mutex<Receiver<Done>>,
    sizes: BTreeMap<u64, usize>,
    waiting: BTreeMap<u64, Page>,
    threads: usize,
    taken: u64,
    given: u64,
    bytes: usize,
}

impl Results {
    pub fn new(
        options: Options,
        pages: &Bound<'_, PyAny>,
        threads: Option<usize>,
        timeout: Option<f64>,
    ) -> PyResult<Results> {
        if pages.is_instance_of::<PyString>() || pages.is_instance_of::<PyBytes>() || pages.is_instance_of::<PyDict>() {
            return Err(raise_type(format!(
                "pages is a {}; expected an iterable of pages, such as a list; for one page there is extract()",
                pages.get_type().name()?
            )));
        }
        if pages.hasattr("columns")? {
            return Err(raise_type(format!("pages is a {}; extract_batch() takes tables", pages.get_type().name()?)));
        }
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = threads.unwrap_or(cores);
        if threads == 0 {
            return Err(wrong_option("threads=0: expected at least 1"));
        }
        let limit = limit(timeout)?;
        let (work, jobs) = channel();
        let (results, done) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..threads {
            let (options, jobs, results) = (options.clone(), jobs.clone(), results.clone());
            thread::Builder::new()
                .name("maintext".into())
                .spawn(move || run(&options, limit, &jobs, &results))
                .map_err(|e| crate::errors::io_error(format!("cannot start a thread: {e}")))?;
        }
        Ok(Results {
            input: Some(pages.try_iter()?.unbind()),
            broken: None,
            work: Some(work),
            done: Mutex::new(done),
            sizes: BTreeMap::new(),
            waiting: BTreeMap::new(),
            threads,
            taken: 0,
            given: 0,
            bytes: 0,
        })
    }

    fn has_room(&self) -> bool {
        let pages = (self.taken - self.given) as usize;
        pages == 0 || (pages < self.threads * PAGES_PER_THREAD && self.bytes < self.threads * BYTES_PER_THREAD)
    }

    /// Reads pages from the input until the limits on pages in progress are reached.
    fn take(&mut self, py: Python<'_>) {
        while self.has_room() {
            let Some(input) = &self.input else { return };
            let next = input.bind(py).clone().next();
            let item = match next {
                Some(Ok(item)) => item,
                Some(Err(error)) => {
                    self.broken = Some(error);
                    self.input = None;
                    return;
                }
                None => {
                    self.input = None;
                    return;
                }
            };
            match job(&item, self.taken) {
                Ok(job) => {
                    let size = job.html.len();
                    if self.work.as_ref().is_none_or(|work| work.send(job).is_err()) {
                        self.input = None;
                        return;
                    }
                    self.sizes.insert(self.taken, size);
                    self.bytes += size;
                }
                // An item that is not a page is one failed page; the others are still extracted.
                Err(error) => {
                    self.waiting.insert(self.taken, Page::failed(None, error.value(py).to_string()));
                }
            }
            self.taken += 1;
        }
    }
}

/// Converts a timeout in seconds to a duration.
pub fn limit(timeout: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = timeout else { return Ok(None) };
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    limit.map(Some).ok_or_else(|| wrong_option(format!("timeout={seconds}: expected a positive number of seconds")))
}

#[pymethods]
impl Results {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Page>> {
        self.take(py);
        if self.given == self.taken {
            // Without further pages, closing the channel ends the threads.
            self.work = None;
            return self.broken.take().map_or(Ok(None), Err);
        }
        while !self.waiting.contains_key(&self.given) {
            let done = &self.done;
            let received = py.detach(|| done.lock().unwrap_or_else(PoisonError::into_inner).recv());
            let Ok((number, page)) = received else {
                return Err(wrong_value("the worker threads ended unexpectedly"));
            };
            self.waiting.insert(number, page);
        }
        let page = self.waiting.remove(&self.given);
        self.bytes -= self.sizes.remove(&self.given).unwrap_or(0);
        self.given += 1;
        Ok(page)
    }
}

/// Converts an item of the input: html, (html, url), or a dict with "html" and "url", as read() gives it.
fn job(item: &Bound<'_, PyAny>, number: u64) -> PyResult<Job> {
    if let Ok(dict) = item.cast::<PyDict>() {
        let html =
            dict.get_item("html")?.ok_or_else(|| wrong_value("a page given as a dict must have the key \"html\""))?;
        if let (true, Some(error)) = (html.is_none(), text_of(dict, "error")?) {
            return Err(wrong_value(error));
        }
        let whole = dict.get_item("whole")?.map(|v| v.extract()).transpose()?;
        let facts = Facts { url: text_of(dict, "url")?, charset: text_of(dict, "charset")?, whole, answer: None };
        return Ok(Job { number, html: Html::of(&html)?, facts });
    }
    if let Ok(pair) = item.cast::<PyTuple>() {
        if pair.len() != 2 {
            return Err(wrong_value("a page given as a tuple must be (html, url)"));
        }
        let facts = Facts { url: pair.get_item(1)?.extract()?, ..Facts::default() };
        return Ok(Job { number, html: Html::of(&pair.get_item(0)?)?, facts });
    }
    Ok(Job { number, html: Html::of(item)?, facts: Facts::default() })
}

fn text_of(dict: &Bound<'_, PyDict>, key: &str) -> PyResult<Option<String>> {
    Ok::<_, PyErr>(dict.get_item(key)?.map(|v| v.extract::<Option<String>>()).transpose()?.flatten())
}

/// Runs a worker thread, which extracts pages until the channel is closed.
fn run(options: &Options, limit: Option<Duration>, jobs: &Mutex<Receiver<Job>>, results: &Sender<Done>) {
    let mut worker = limit.map(|limit| Worker::new(options.clone(), Some(limit)));
    let mut extractor = None;
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { number, html, facts }) = next else { return };
        let page = match &mut worker {
            Some(worker) => limited(worker, options, &html, facts),
            None => extracted(&mut extractor, options, &html, facts),
        };
        // Releasing an object of Python needs the interpreter's lock.
        Python::attach(|_| drop(html));
        if results.send((number, page)).is_err() {
            return;
        }
    }
}

fn limited(worker: &mut Worker, options: &Options, html: &Html, facts: Facts) -> Page {
    let file = match html.check().and_then(|()| html.open(&facts, options)) {
        Ok(file) => file.map(|(_, document)| document),
        Err(error) => return Page::failed(facts.url, message(&error)),
    };
    let charset = facts.charset.as_deref().or(options.charset.as_deref());
    let (bytes, charset) = match (&file, html) {
        (Some(file), _) => (&file.bytes[..], file.charset.as_deref()),
        (None, Html::Text(text)) => (text.as_bytes(), Some("utf-8")),
        (None, Html::Mended(bytes)) => (&bytes[..], Some("utf-8")),
        (None, Html::Bytes(bytes)) => (&bytes[..], charset),
    };
    let url = facts.url.as_deref().or(file.as_ref().and_then(|file| file.url.as_deref()));
    let whole = file.as_ref().map_or(facts.whole == Some(true), |file| file.whole);
    match worker.extract(Input { whole, ..Input::at(bytes, url, charset) }, None) {
        Ok(page) => Page::new(page, Vec::new()),
        Err(error) => Page::failed(facts.url, error.message),
    }
}

fn extracted(extractor: &mut Option<maintext_core::Extractor>, options: &Options, html: &Html, facts: Facts) -> Page {
    let ready = match extractor.take() {
        Some(extractor) => Ok(extractor),
        None => maintext_core::Extractor::new(options.clone()).map_err(|e| raise(&e)),
    };
    let result = ready.and_then(|mut ready| {
        let page = extract_page(&mut ready, html, &facts);
        *extractor = Some(ready);
        page
    });
    result.unwrap_or_else(|error| {
        *extractor = None;
        Page::failed(facts.url, message(&error))
    })
}

fn message(error: &PyErr) -> String {
    Python::attach(|py| error.value(py).to_string())
}
