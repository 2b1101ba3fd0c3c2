//! `maintext batch`: a file of pages in, a file of results out, on all cores.
//!
//! One thread reads, one writes, the rest extract. [`Budget`] bounds what is on the way between them, and with it the
//! memory: the reader waits until the writer has caught up.
use crate::content::ContentArgs;
use crate::output::Format;
use crate::{guard, report};
use indicatif::{ProgressBar, ProgressStyle};
use maintext::{Error, Extractor, Options, Page, Warning};
use maintext_io::atomic::write_atomic;
use maintext_io::pages::{PageRecord, Pages, PagesError};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Pages on the way at once, for each thread.
const PAGES_PER_THREAD: usize = 32;
/// Bytes of pages on the way at once, for each thread; a single larger page passes alone.
const BYTES_PER_THREAD: usize = 32 << 20;

const AFTER_HELP: &str = "\
Input: a JSON object a line, with the page in \"html\" (text) or \"html_base64\" (bytes in any encoding), and where known \
\"id\" and \"url\"; other keys are ignored. Compression with gzip or zstd is recognised by itself.

Output: a JSON object a line with the keys of 'maintext extract -f json', and \"id\" (the page's, or the number of its \
line) and \"error\": null, or why the page gave no result. A page that fails never ends the run.

Exit status: 0 all went well, 1 some page failed, 2 wrong usage.";

/// Extract the main text of many pages from one file
///
/// Reads pages from a JSONL file and writes a JSON record for each, on all cores, in bounded memory. The output is
/// written beside and renamed when it is whole.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct BatchArgs {
    /// Pages, as .jsonl, .jsonl.zst or .jsonl.gz; - for standard input
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// File for the results, .jsonl; - for standard output
    #[arg(short, long, value_name = "OUT", value_parser = plain_jsonl)]
    output: PathBuf,

    /// Write the results in the order of the pages
    #[arg(long)]
    ordered: bool,

    /// Threads that extract [default: one for each core]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    #[command(flatten)]
    content: ContentArgs,
}

/// Compressed output is not written: a plain file of such a name would be a trap.
fn plain_jsonl(text: &str) -> Result<PathBuf, String> {
    match text.rsplit_once('.') {
        Some((_, end @ ("zst" | "gz" | "xz" | "bz2"))) => {
            Err(format!("the output is not compressed to .{end}; write to - and pipe it through the compressor"))
        }
        _ => Ok(text.into()),
    }
}

/// A page on its way to a worker.
struct Work {
    number: u64,
    bytes: usize,
    page: Result<PageRecord, PagesError>,
}

/// A result on its way to the writer.
struct Done {
    number: u64,
    bytes: usize,
    failed: bool,
    line: Vec<u8>,
}

/// A line of the output.
#[derive(Serialize)]
struct Record<'a> {
    id: Option<&'a str>,
    #[serde(flatten)]
    page: &'a Page,
    error: Option<&'a str>,
}

/// What was done, for the last line on standard error.
#[derive(Default)]
struct Totals {
    pages: u64,
    bytes: u64,
    failed: u64,
}

pub fn run(args: BatchArgs) -> ExitCode {
    let input = args.input.display().to_string();
    let stdin = input == "-";
    let pages = match stdin {
        true => Ok(Pages::from_reader("standard input", io::stdin())),
        false => Pages::open(&args.input),
    };
    let pages = match pages {
        Ok(pages) => pages,
        Err(error) => {
            report::failed(&input, &error);
            return ExitCode::FAILURE;
        }
    };
    let options = args.content.options(Format::Json.needs(), true);
    if let Err(error) = Extractor::new(options.clone()) {
        report::usage(&error);
    }
    let threads = args.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let start = Instant::now();
    let run = |out: &mut dyn Write| all_pages(pages, &options, threads, args.ordered, out);
    match to_output(&args.output, run) {
        Ok(totals) => finish(if stdin { "standard input" } else { &input }, &totals, start.elapsed()),
        Err(error) => report::write_failed(&args.output.display().to_string(), &error),
    }
}

fn to_output(path: &Path, run: impl FnOnce(&mut dyn Write) -> io::Result<Totals>) -> io::Result<Totals> {
    if path.as_os_str() != "-" {
        return write_atomic(path, run);
    }
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let totals = run(&mut out)?;
    out.flush()?;
    Ok(totals)
}

fn finish(input: &str, totals: &Totals, time: Duration) -> ExitCode {
    let seconds = time.as_secs_f64().max(1e-3);
    let Totals { pages, bytes, failed } = totals;
    if io::stderr().is_terminal() {
        let per_second = *pages as f64 / seconds;
        let megabytes = *bytes as f64 / 1e6 / seconds;
        report::note(&format!("{pages} pages in {seconds:.1} s: {per_second:.0} pages/s, {megabytes:.1} MB/s"));
    }
    if *failed > 0 {
        report::failed(input, &format!("{failed} of {pages} pages failed; their records say why in \"error\""));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Reads, extracts and writes all pages. An error is one of writing.
fn all_pages(
    pages: Pages,
    options: &Options,
    threads: usize,
    ordered: bool,
    out: &mut dyn Write,
) -> io::Result<Totals> {
    let budget = Budget::new(threads * PAGES_PER_THREAD, threads * BYTES_PER_THREAD);
    let (work_in, work_out) = channel();
    let (done_in, done_out) = channel();
    let work_out = Mutex::new(work_out);
    thread::scope(|scope| {
        scope.spawn(|| read(pages, work_in, &budget));
        for _ in 0..threads {
            let done_in = done_in.clone();
            let work_out = &work_out;
            scope.spawn(move || work(options, work_out, &done_in));
        }
        drop(done_in);
        let result = write(done_out, &budget, ordered, out);
        budget.close();
        result
    })
}

fn read(pages: Pages, work: Sender<Work>, budget: &Budget) {
    for (number, page) in (0..).zip(pages) {
        let bytes = page.as_ref().map_or(0, |page| page.bytes.len());
        if !budget.take(bytes) || work.send(Work { number, bytes, page }).is_err() {
            return;
        }
    }
}

fn work(options: &Options, work: &Mutex<Receiver<Work>>, done: &Sender<Done>) {
    let mut extractor = None;
    loop {
        let next = lock(work).recv();
        let Ok(Work { number, bytes, page }) = next else { return };
        let (failed, line) = match page {
            Ok(record) => record_of(&mut extractor, options, &record),
            Err(error) => (true, line_of(line_number(&error).as_deref(), &Page::default(), Some(&error.to_string()))),
        };
        if done.send(Done { number, bytes, failed, line }).is_err() {
            return;
        }
    }
}

/// Whether the page failed, and its line of the output.
fn record_of(extractor: &mut Option<Extractor>, options: &Options, record: &PageRecord) -> (bool, Vec<u8>) {
    let id = record.id.clone().unwrap_or_else(|| record.line.to_string());
    let result = guard::catch(|| {
        let extractor = match extractor {
            Some(extractor) => extractor,
            None => extractor.insert(Extractor::new(options.clone())?),
        };
        page_of(extractor, record)
    });
    let error = match result {
        Ok(Ok(page)) => return (false, line_of(Some(&id), &page, None)),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => {
            // What a panic left behind is not used again.
            *extractor = None;
            panic
        }
    };
    let mut page = Page::default();
    page.metadata.url = record.url.clone();
    (true, line_of(Some(&id), &page, Some(&error)))
}

/// A page whose `url` is no address is worth its text all the same.
fn page_of(extractor: &mut Extractor, record: &PageRecord) -> Result<Page, Error> {
    let result = extractor.extract_at(&record.bytes, record.url.as_deref(), record.charset);
    let Err(Error::BadUrl(url)) = result else { return result };
    let mut page = extractor.extract_at(&record.bytes, None, record.charset)?;
    page.warnings.push(Warning { code: "bad_url", message: format!("'{url}' is not an absolute http(s) address") });
    Ok(page)
}

fn line_number(error: &PagesError) -> Option<String> {
    match error {
        PagesError::Line { line, .. } | PagesError::Read { line, .. } => Some(line.to_string()),
        _ => None,
    }
}

fn line_of(id: Option<&str>, page: &Page, error: Option<&str>) -> Vec<u8> {
    // A record has string keys only, so that writing it to memory cannot fail.
    let mut line = serde_json::to_vec(&Record { id, page, error }).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Writes the results as they come, or in the order of the pages: then a result waits here for those before it.
fn write(done: Receiver<Done>, budget: &Budget, ordered: bool, out: &mut dyn Write) -> io::Result<Totals> {
    let bar = progress();
    let mut totals = Totals::default();
    let mut waiting = BTreeMap::new();
    for result in done {
        waiting.insert(result.number, result);
        loop {
            let ready = |number: &u64| !ordered || *number == totals.pages;
            let Some(entry) = waiting.first_entry().filter(|entry| ready(entry.key())) else { break };
            let result = entry.remove();
            out.write_all(&result.line)?;
            budget.give(result.bytes);
            totals.pages += 1;
            totals.bytes += result.bytes as u64;
            totals.failed += u64::from(result.failed);
            show(&bar, &totals);
        }
    }
    bar.finish_and_clear();
    Ok(totals)
}

/// A line on standard error that is there only if it is a terminal.
fn progress() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise}  {human_pos} pages  {per_sec}  {msg}") {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, totals: &Totals) {
    bar.set_position(totals.pages);
    if !bar.is_hidden() && totals.pages.is_multiple_of(16) {
        let megabytes = totals.bytes as f64 / 1e6 / bar.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!("{megabytes:.1} MB/s  {} failed", totals.failed));
    }
}

/// How much may be on the way between the reader and the writer.
struct Budget {
    state: Mutex<OnTheWay>,
    freed: Condvar,
    max_pages: usize,
    max_bytes: usize,
}

#[derive(Default)]
struct OnTheWay {
    pages: usize,
    bytes: usize,
    closed: bool,
}

impl Budget {
    fn new(max_pages: usize, max_bytes: usize) -> Budget {
        Budget { state: Mutex::default(), freed: Condvar::new(), max_pages, max_bytes }
    }

    /// Waits until a page of that size has room; false once the budget is closed.
    fn take(&self, bytes: usize) -> bool {
        let full = |s: &mut OnTheWay| {
            let room = s.pages < self.max_pages && s.bytes.saturating_add(bytes) <= self.max_bytes;
            !s.closed && s.pages > 0 && !room
        };
        let mut state = self.freed.wait_while(lock(&self.state), full).unwrap_or_else(PoisonError::into_inner);
        state.pages += 1;
        state.bytes = state.bytes.saturating_add(bytes);
        !state.closed
    }

    fn give(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.pages -= 1;
        state.bytes -= bytes;
        self.freed.notify_one();
    }

    /// Lets the reader go: nothing is written any more.
    fn close(&self) {
        lock(&self.state).closed = true;
        self.freed.notify_one();
    }
}

/// What the locks guard is whole at any time, so that a panic elsewhere does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_on(lines: String, threads: usize, ordered: bool) -> (Totals, Vec<serde_json::Value>) {
        let pages = Pages::from_reader("in.jsonl", io::Cursor::new(lines));
        let options = Options { formats: Format::Json.needs(), ..Options::default() };
        let mut out = Vec::new();
        let totals = all_pages(pages, &options, threads, ordered, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        (totals, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    fn pages(n: usize) -> String {
        // The first page takes longest, so that results come out of order if they may.
        let size = |i: usize| if i == 0 { 2000 } else { 1 };
        (0..n).map(|i| format!("{{\"id\": {i}, \"html\": \"{}\"}}\n", "<p>Some words.".repeat(size(i)))).collect()
    }

    #[test]
    fn ordered_results_stand_in_the_order_of_the_pages() {
        let (totals, records) = run_on(pages(300), 3, true);
        assert_eq!((totals.pages, totals.failed), (300, 0));
        for (i, record) in records.iter().enumerate() {
            assert_eq!(record["id"], i.to_string());
        }
    }

    #[test]
    fn every_page_has_one_record_in_any_order() {
        let (_, records) = run_on(pages(300), 3, false);
        let mut ids: Vec<u32> = records.iter().map(|r| r["id"].as_str().unwrap().parse().unwrap()).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..300));
    }

    #[test]
    fn what_fails_has_a_record_with_every_key() {
        let lines = "{\"html\": \"<p>Words.\", \"url\": \"nonsense\"}\nbroken\n{\"id\": \"c\", \"url\": \"http://e.org/\", \
                     \"html\": \"%PDF-1.7\"}\n";
        let (totals, records) = run_on(lines.to_owned(), 1, true);
        assert_eq!((totals.pages, totals.failed), (3, 2));
        assert_eq!((&records[0]["id"], &records[0]["error"]), (&"1".into(), &serde_json::Value::Null));
        let warnings = records[0]["warnings"].as_array().unwrap();
        assert!(warnings.iter().any(|w| w["code"] == "bad_url"));
        assert_eq!(records[1]["id"], "2");
        assert!(records[1]["error"].as_str().unwrap().starts_with("in.jsonl line 2: "));
        assert!(records[2]["error"].as_str().unwrap().contains("a PDF"));
        assert_eq!(records[2]["url"], "http://e.org/");
        let keys = |i: usize| records[i].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(0), keys(2));
    }

    #[test]
    fn a_writer_that_fails_ends_the_run() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(1).ok_or_else(|| io::Error::other("disk full"))?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let pages = Pages::from_reader("in.jsonl", io::Cursor::new(pages(5000)));
        let result = all_pages(pages, &Options::default(), 2, true, &mut Full(3));
        assert_eq!(result.err().map(|e| e.to_string()).as_deref(), Some("disk full"));
    }

    #[test]
    fn the_budget_lets_a_large_page_pass_alone() {
        let budget = Budget::new(2, 10);
        assert!(budget.take(100));
        budget.give(100);
        assert!(budget.take(5) && budget.take(5));
        budget.close();
        assert!(!budget.take(1));
    }
}
