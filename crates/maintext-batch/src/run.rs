//! Runs a batch on all cores: one thread reads, one writes, the others extract.
//!
//! Rows are written in the order of the inputs, so the output does not depend on the number of threads or on how often the run was
//! killed and resumed. [`FlightBudget`](crate::budget::Budget) limits the pages in flight, and with them the memory.
use crate::budget::{FlightBudget, lock};
use crate::checkpoint::Checkpoint;
use crate::columns::{Columns, Extra, Rows};
use crate::dedup::{Dedup, Signature};
use crate::filter::Filter;
use crate::measures::{measure, measures};
use crate::output::{Encoded, Encoder, Target};
use crate::totals::Totals;
use crate::worker::{Outcome, Worker};
use maintext_browser::{BrowserOptions, BrowserPool};
use maintext_chunks::{Chunk, Settings, Tokenizer};
use maintext_core::{Fields, Input, Options, Page, Warning, WarningCode};
use maintext_corpus::inputs::{Inputs, Item, Items, Loaded, Place, Position, RawPage};
use maintext_fetch::{FetchOptions, Fetcher};
use maintext_util::guard;
use serde_json::json;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

mod books;
mod crashes;
mod manifest;
mod rows;
mod sites;

use books::Books;
use crashes::Crashes;
pub use rows::write_rows;
use sites::SharedSites;

/// Largest number of pages in flight, per thread.
const PAGES_PER_THREAD: usize = 256;
/// Largest number of bytes in flight, per thread; a single larger page passes alone.
const BYTES_PER_THREAD: usize = 16 << 20;
/// Largest number of bytes in flight, for any number of threads.
const MAX_BYTES: usize = 512 << 20;
/// Number of extracting threads that one decompressing thread feeds with ease; see docs/experiments/scale.md.
const THREADS_PER_READER: usize = 3;

/// Returns the number of threads that should decompress archives and tables for a number of extracting threads.
#[must_use]
pub fn readers(threads: usize) -> usize {
    threads.div_ceil(THREADS_PER_READER).max(1)
}

/// A run: its inputs, its settings and its output.
#[derive(Debug)]
pub struct Job {
    /// The inputs.
    pub inputs: Inputs,
    /// The output.
    pub target: Target,
    /// The fields to write.
    pub columns: Columns,
    /// The options of the extraction. The formats to render follow from the columns.
    pub options: Options,
    /// The pages to keep.
    pub filter: Filter,
    /// Whether each page is compared with other pages of its host, which a first pass over the inputs samples.
    pub sites: bool,
    /// Whether to drop duplicates of earlier pages, and by which measure.
    pub dedup: Option<Dedup>,
    /// A separate file for failed pages; by default they go to the output.
    pub errors: Option<PathBuf>,
    /// The value of the field `dump`: the name of the crawl that the pages are from.
    pub dump: Option<String>,
    /// What the field `token_count` counts; without it, the field is null.
    pub tokenizer: Option<Tokenizer>,
    /// How pages are cut, if the columns hold chunks.
    pub chunks: Option<Settings>,
    /// Number of extracting threads.
    pub threads: usize,
    /// Time limit for a page.
    pub limit: Option<Duration>,
    /// Largest page in bytes.
    pub max_size: usize,
    /// Largest number of rows in a Parquet row group; a group also ends when its rows reach 32 MiB of JSON.
    pub row_group: usize,
    /// How addresses are fetched.
    pub fetch: FetchOptions,
    /// When fetched pages are loaded in a browser.
    pub render: UseBrowser,
    /// How the browser loads pages.
    pub browser: BrowserOptions,
    /// Minimum time between two checkpoints.
    pub checkpoint: Duration,
    /// A page is an error, and not read again, after the process has ended this often while it was being read; at 0, it is always read.
    pub crashes: u32,
    /// Whether the output of an earlier run is replaced, finished or not. Otherwise, an interrupted run of the same job is resumed, and any
    /// other output is an error.
    pub restart: bool,
}

/// When fetched pages are loaded in a browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UseBrowser {
    /// Never.
    #[default]
    Never,
    /// If the page turns out to need its scripts and a browser is available.
    Auto,
    /// Always.
    Always,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Counts of the pages so far.
    pub totals: &'a Totals,
    /// Number of input bytes read.
    pub consumed: u64,
    /// Whether this is the first pass of [`Job::sites`], which counts no pages.
    pub first_pass: bool,
}

/// Why a run ended early.
#[derive(Debug)]
pub enum Failure {
    /// The settings contradict each other or an interrupted run.
    Settings(String),
    /// An output cannot be written.
    Write {
        /// The output.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A thread cannot be started, for example for lack of memory, or has ended. What the last checkpoint counts is kept.
    Stopped(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Settings(message) | Failure::Stopped(message) => f.write_str(message),
            Failure::Write { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Failure {}

/// An item on its way to a worker.
struct Work {
    number: u64,
    size: usize,
    item: Item,
}

/// The result of an item, on its way to the writer.
pub(crate) struct DoneItem {
    number: u64,
    size: usize,
    pub(crate) after: Position,
    /// Size of the page in bytes.
    pub(crate) bytes: u64,
    pub(crate) result: Made,
}

/// The result of an item.
pub(crate) enum Made {
    Row(Encoded, Option<Signature>),
    Failed { row: Encoded, reason: Cow<'static, str>, id: Option<String> },
    Filtered,
    Skipped { reason: Cow<'static, str>, id: Option<String> },
}

impl Job {
    /// Describes the job: two jobs with the same description give the same output. Each setting is a line with its name and its value.
    fn describe(&self) -> Vec<String> {
        let mut lines = vec![
            line("version", &env!("CARGO_PKG_VERSION")),
            format!("--fields: {}", self.columns.describe()),
            line("--filter", &self.filter),
            line("--dedup", &self.dedup),
            line("--output", &self.target),
            line("--row-group", &self.row_group),
            line("--errors", &self.errors),
            line("--max-size", &self.max_size),
            line("--page-time", &self.limit),
            line("--dump", &self.dump),
            line("--tokenizer", &self.tokenizer),
            line("--sites", &self.sites),
            line("--rows", &(self.columns.rows(), &self.chunks)),
            line("options of the content", &self.options),
            line("--render", &self.render),
        ];
        lines.extend(self.inputs.describe().into_iter().map(|input| format!("input: {input}")));
        lines
    }

    /// Creates the browsers if they are requested and there is something to fetch. Without a browser, [`UseBrowser::Auto`] is not an error.
    fn browsers(&self) -> Result<Option<BrowserPool>, Failure> {
        if self.render == UseBrowser::Never || !self.inputs.fetches() {
            return Ok(None);
        }
        match BrowserPool::new(BrowserOptions { max_size: self.max_size, ..self.browser.clone() }) {
            Ok(browsers) => Ok(Some(browsers)),
            Err(_) if self.render == UseBrowser::Auto => Ok(None),
            Err(error) => Err(Failure::Settings(error.to_string())),
        }
    }

    /// Returns the files and folders that the run writes.
    fn outputs(&self) -> Vec<PathBuf> {
        self.target.path().into_iter().map(Path::to_owned).chain(self.errors.clone()).collect()
    }

    fn encoder(&self) -> Encoder {
        Encoder::new(&self.columns, &self.target)
    }

    /// Returns the options of the extraction, with everything that the columns, the filter and deduplication need.
    fn extraction(&self) -> Options {
        let mut options = self.options.clone();
        let encoder = self.encoder();
        encoder.columns().ask(&mut options);
        (options.formats, options.fields) = (encoder.formats(), encoder.parts());
        if self.filter.needs_language() {
            options.fields |= Fields::LANGUAGE;
        }
        options.formats.text |= measures(&self.columns) || self.dedup.is_some() || self.filter.needs_text();
        options.page_type |= self.filter.needs_page_type();
        let chunks = if encoder.columns().tells_chunks() { self.chunks.as_ref() } else { None };
        options.pieces = chunks.map(|settings| settings.form);
        options
    }

    /// Checks that the chunks can be made and written.
    fn check_chunks(&self) -> Result<(), String> {
        if !self.columns.tells_chunks() {
            return Ok(());
        }
        let lacks_rows = matches!(self.target, Target::Folder(..));
        match &self.chunks {
            _ if self.columns.rows() == Rows::Chunks && lacks_rows => {
                Err("rows of chunks are written to JSONL or Parquet, not to one file per page".into())
            }
            Some(settings) => settings.check(),
            None => Err("the columns are of chunks, but the job has no settings for chunks".into()),
        }
    }
}

fn line(name: &str, value: &dyn fmt::Debug) -> String {
    format!("{name}: {value:?}")
}

/// Runs a job. A failed page never ends the run. `progress` is called after each page, and ends the run with `Break`.
///
/// A run into a file or folder writes checkpoints to a hidden folder next to it. If it is killed, running the same job again resumes
/// after the last checkpoint and gives byte-identical output. Standard input cannot be read twice, so a run from it cannot be resumed;
/// its output appears complete or not at all.
///
/// # Errors
/// An output cannot be written, would overwrite an input, or exists already; or the settings do not match an interrupted run into the same
/// output; or `progress` has ended the run.
pub fn run(job: &Job, progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>) -> Result<Totals, Failure> {
    let outputs = job.outputs();
    if let Some((output, input)) = outputs.iter().find_map(|path| Some((path, job.inputs.overwritten_by(path)?))) {
        let (output, input) = (output.display(), input.display());
        return Err(Failure::Settings(format!("{output}: the output would overwrite {input}, which is an input")));
    }
    job.check_chunks().map_err(Failure::Settings)?;
    let options = job.extraction();
    maintext_core::Extractor::new(options.clone()).map_err(|e| Failure::Settings(e.to_string()))?;
    let fetcher = if job.inputs.fetches() {
        Some(Fetcher::new(job.fetch.clone()).map_err(|e| Failure::Settings(e.to_string()))?)
    } else {
        None
    };
    let checkpoint = Checkpoint::new(job.describe());
    let mut books = Books::open(job, job.encoder().columns(), checkpoint)?;
    if !books.finished() {
        let sites = if job.sites { SharedSites::read(job, &outputs, progress)? } else { SharedSites::default() };
        let items = job.inputs.read(books.position(), &outputs);
        let (encoder, browsers, crashes) = (job.encoder(), job.browsers()?, books.crashes(job)?);
        let maker = Maker { job, options, encoder, fetcher, browsers, sites, crashes };
        all_items(items, &maker, &mut books, progress)?;
    }
    books.finish()
}

/// Reads, extracts and writes all items.
fn all_items(
    items: Items,
    maker: &Maker<'_>,
    books: &mut Books,
    progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let threads = maker.job.threads.max(1);
    let budget = FlightBudget::new(threads * PAGES_PER_THREAD, (threads * BYTES_PER_THREAD).min(MAX_BYTES));
    let (work_in, work_out) = channel();
    let (done_in, done_out) = channel();
    let work_out = Mutex::new(work_out);
    let consumed = maker.job.inputs.consumed();
    // The names of the threads are for tools that show the time of each.
    thread::scope(|scope| {
        let _closed = Closed(&budget);
        let mut running = Vec::new();
        for number in 0..threads {
            let (done_in, work_out, budget) = (done_in.clone(), &work_out, &budget);
            let extract = move || {
                // Made by the thread: a thread that cannot start must not close the budget of the others.
                let _closed = Closed(budget);
                maker.work(number, work_out, &done_in);
            };
            match named_thread("extract").spawn_scoped(scope, extract) {
                Err(error) if running.is_empty() => return Err(no_thread(&error)),
                Err(_) => break,
                Ok(thread) => running.push(thread),
            }
        }
        let reading = named_thread("read").spawn_scoped(scope, || read(items, work_in, &budget));
        running.push(reading.map_err(|e| no_thread(&e))?);
        drop(done_in);
        let result = write(done_out, &budget, books, &mut |totals| {
            let consumed = consumed.load(std::sync::atomic::Ordering::Relaxed);
            progress(Progress { totals, consumed, first_pass: false })
        });
        budget.close();
        let ended = running.into_iter().filter_map(|thread| thread.join().err()).count();
        match ended {
            0 => result,
            _ => result.and(Err(Failure::Stopped("a thread of the run has panicked; its message is above".into()))),
        }
    })
}

fn named_thread(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.into())
}

fn no_thread(error: &io::Error) -> Failure {
    Failure::Stopped(format!("no thread can be started: {error}"))
}

fn ended_by_caller() -> Failure {
    Failure::Stopped("the caller has ended the run".into())
}

/// Closes the budget when it is dropped: the reader does not wait for a thread that has panicked.
struct Closed<'a>(&'a FlightBudget);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn read(items: Items, work: Sender<Work>, budget: &FlightBudget) {
    for (number, item) in (0..).zip(items) {
        let size = item.size();
        if !budget.take(size) || work.send(Work { number, size, item }).is_err() {
            return;
        }
    }
}

/// Writes the results in the order of the items; a result waits here for earlier ones.
fn write(
    done: Receiver<DoneItem>,
    budget: &FlightBudget,
    books: &mut Books,
    show: &mut dyn FnMut(&Totals) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for result in done {
        waiting.insert(result.number, result);
        while let Some(result) = waiting.remove(&next) {
            next += 1;
            let size = result.size;
            books.write(result)?;
            budget.give(size);
            if show(books.totals()).is_break() {
                return Err(ended_by_caller());
            }
        }
    }
    Ok(())
}

/// Notes the answer from which a page is.
fn answered(outcome: &mut Outcome, raw: &RawPage) {
    if let (Ok(page), Some(status)) = (outcome, raw.status) {
        page.answered(status, raw.url.clone());
    }
}

/// The state shared by the extracting threads.
struct Maker<'a> {
    job: &'a Job,
    options: Options,
    encoder: Encoder,
    fetcher: Option<Fetcher>,
    browsers: Option<BrowserPool>,
    sites: SharedSites,
    crashes: Crashes,
}

impl Maker<'_> {
    /// Processes items on the thread with a number.
    fn work(&self, thread: usize, work: &Mutex<Receiver<Work>>, done: &Sender<DoneItem>) {
        let mut worker = Worker::new(self.options.clone(), self.job.limit);
        loop {
            let next = lock(work).recv();
            let Ok(Work { number, size, item }) = next else { return };
            let after = item.after;
            let (bytes, result) = match self.crashes.times(&item) {
                Some(times) => (0, self.ended(&item, times)),
                None => {
                    let _turn = self.crashes.turn(thread, &item);
                    self.make(&mut worker, item)
                }
            };
            if done.send(DoneItem { number, size, after, bytes, result }).is_err() {
                return;
            }
        }
    }

    /// Processes an item. Returns the size of the page in bytes and the result.
    fn make(&self, worker: &mut Worker, item: Item) -> (u64, Made) {
        let fetched = item.address().is_some();
        let loaded = match (&self.browsers, item.address()) {
            (Some(browsers), Some(address)) if self.job.render == UseBrowser::Always => {
                self.rendered(browsers, address)
            }
            _ => item.page(self.fetcher.as_ref(), self.job.max_size),
        };
        let mut raw = match loaded {
            Loaded::Page(raw) => raw,
            Loaded::Skipped { reason, id } => return (0, Made::Skipped { reason, id }),
            Loaded::Failed { id, url, place, status, reason, message } => {
                return (0, self.failed(id, url, place, status, reason, &message));
            }
        };
        let (url, charset) = (raw.url.as_deref(), raw.charset.as_deref());
        let page = Input { whole: raw.whole, ..Input::at(&raw.bytes, url, charset) };
        let mut outcome = worker.extract(page, self.sites.of(url).as_ref());
        answered(&mut outcome, &raw);
        if let (Ok(page), Some(lost)) = (&mut outcome, raw.warning.take()) {
            page.warnings.push(Warning::new(WarningCode::LimitReached, lost));
        }
        if fetched && self.job.render == UseBrowser::Auto {
            self.render_if_needed(worker, &mut raw, &mut outcome);
        }
        let bytes = raw.bytes.len() as u64;
        let made = match outcome {
            Ok(page) if !self.job.filter.keeps(&page) => Made::Filtered,
            Ok(mut page) => {
                let chunks = match guard::catch(|| self.chunks(&mut page)) {
                    Ok(chunks) => chunks,
                    Err(panic) => {
                        return (
                            bytes,
                            self.failed(Some(raw.id), raw.url, None, None, "internal error".into(), &panic),
                        );
                    }
                };
                let mut extra = self.corpus_columns(&raw, &page);
                let signature = self.job.dedup.and_then(|dedup| dedup.signature(page.text()));
                if self.encoder.of_chunks() {
                    let encoded = self.encoder.chunk_rows(&raw.id, &mut page, &extra, &chunks);
                    return (bytes, Made::Row(encoded, signature));
                }
                extra.push(("chunks", json!(chunks)));
                Made::Row(self.encoder.row(Some(&raw.id), &mut page, None, &extra), signature)
            }
            Err(error) => self.failed(Some(raw.id), raw.url, None, None, error.reason.into(), &error.message),
        };
        (bytes, made)
    }

    /// Returns the chunks of a page, if the columns need them.
    fn chunks(&self, page: &mut Page) -> Vec<Chunk> {
        match &self.job.chunks {
            Some(settings) if self.options.pieces.is_some() => {
                let (chunks, warning) = maintext_chunks::chunks_with_warning(page, settings);
                page.warnings.extend(warning);
                chunks
            }
            _ => Vec::new(),
        }
    }

    /// Returns the columns of corpora: the origin of the page, and measures of its text.
    fn corpus_columns(&self, raw: &RawPage, page: &Page) -> Extra {
        let (captured, file) = (json!(raw.captured), json!(raw.file.as_deref()));
        let mut extra = vec![("captured", captured), ("file", file), ("dump", json!(self.job.dump))];
        self.measure(page, &mut extra);
        extra
    }

    /// Adds the columns that measure the final text, or replaces them.
    fn measure(&self, page: &Page, extra: &mut Extra) {
        measure(&self.job.columns, self.job.tokenizer.as_ref(), page, extra);
    }

    /// Loads the page at an address in a browser.
    fn rendered(&self, browsers: &BrowserPool, address: &str) -> Loaded {
        let id = address.to_owned();
        match browsers.load(address) {
            Ok(page) => {
                let (url, status) = (Some(page.url.clone()), Some(page.status).filter(|status| *status > 0));
                let bytes = page.html_for(&self.options.method).into_bytes();
                Loaded::Page(RawPage { id, url, bytes, charset: Some("utf-8".into()), status, ..RawPage::default() })
            }
            Err(error) => {
                let (url, reason) = (Some(address.to_owned()), "browser".into());
                Loaded::Failed { id: Some(id), url, place: None, status: None, reason, message: error.to_string() }
            }
        }
    }

    /// Loads a page in a browser if extraction found that it needs its scripts. If that fails, the page stays as it is.
    fn render_if_needed(&self, worker: &mut Worker, raw: &mut RawPage, outcome: &mut Outcome) {
        let Some(browsers) = &self.browsers else { return };
        let Ok(page) = outcome else { return };
        if !page.needs_rendering() {
            return;
        }
        let Some(url) = raw.url.clone() else { return };
        match self.rendered(browsers, &url) {
            Loaded::Page(shown) => {
                *outcome =
                    worker.extract(Input::at(&shown.bytes, shown.url.as_deref(), shown.charset.as_deref()), None);
                answered(outcome, &shown);
                *raw = RawPage { id: std::mem::take(&mut raw.id), ..shown };
            }
            Loaded::Failed { message, .. } => page.warnings.push(Warning::new(WarningCode::RenderFailed, message)),
            Loaded::Skipped { .. } => {}
        }
    }

    /// Returns the error of a page that has ended the process.
    fn ended(&self, item: &Item, times: u32) -> Made {
        let (id, url, place) = item.names();
        let message = format!(
            "not read: the process has ended {times} times while it read this page; --crashes 0 reads it in any case"
        );
        self.failed(id, url, place, None, "ended the process".into(), &message)
    }

    fn failed(
        &self,
        id: Option<String>,
        url: Option<String>,
        place: Option<Place>,
        status: Option<u16>,
        reason: Cow<'static, str>,
        message: &str,
    ) -> Made {
        let mut page = Page::default();
        page.status = status;
        page.metadata.url = url;
        let extra: Extra = place.iter().map(|(word, number)| (*word, json!(number))).collect();
        let row = match self.job.errors {
            None => self.encoder.row(id.as_deref(), &mut page, Some(message), &extra),
            Some(_) => {
                let mut line = serde_json::json!({"id": id, "url": page.metadata.url, "error": message});
                extra.into_iter().for_each(|(word, number)| line[word] = number);
                if let Some(status) = status {
                    line["status"] = json!(status);
                }
                Encoded::line(format!("{line}\n").into_bytes())
            }
        };
        let name = id.or_else(|| place.map(|(word, number)| format!("{word} {number}")));
        Made::Failed { row, reason, id: name }
    }
}

#[cfg(test)]
mod tests;
