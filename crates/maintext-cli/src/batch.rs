//! `maintext batch`: extracts many pages on all cores. The crate `maintext-batch` does the work.
use crate::archives::ArchiveArgs;
use crate::browser::{BrowserArgs, When};
use crate::content::ContentArgs;
use crate::cut::CutArgs;
use crate::fetch::FetchArgs;
use crate::input::hint_at_addresses;
use crate::interrupt::say_at_interrupt;
use crate::report;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use maintext_batch::{
    Body, Columns, Compression, Dedup, Failure, Filter, Job, Progress, Rows, ShardFormat, Tally, Target, Totals,
    UseBrowser, readers, run as run_job,
};
use maintext_core::Formats;
use maintext_corpus::inputs::{InputFormat, InputOptions, Inputs};
use maintext_corpus::parquet::Columns as InputColumns;
use maintext_util::atomic::write_atomic;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

/// Concurrent fetches per core. There are many, because a fetch spends most of its time waiting.
const FETCHES_PER_CORE: usize = 16;
/// Default size of a numbered file in bytes.
const SHARD: usize = 1 << 30;

const AFTER_HELP: &str = "\
Inputs can be mixed. Their format is detected from the file name and the first bytes. Files may be \
compressed (.gz, .zst, .br):
  folder     all files in it and in its subfolders that are pages, feeds, messages, Markdown or text
  .html      one page; also .md, .txt, .eml and .mht
  .rss       a row per item if they hold their full text, also .atom
  .jsonl     one JSON object per line, with the page in \"html\" (text) or \"html_base64\" (bytes in
             any encoding) and optional \"id\" and \"url\"; other keys are ignored
  .warc      the HTML pages among the responses, also .wacz; broken and truncated records are reported
  .parquet   a table with a column of pages; see --html-column
  .paths     web archives, one path or address per line, such as Common Crawl's warc.paths.gz;
             see --base
  .urls      addresses to fetch, one per line (any text file with --input-format urls)
  address    of a .warc or .paths file: http:, https: or file:
  pattern    a quoted pattern such as 'crawl/*.warc.gz'
  -          standard input: JSONL, WARC, addresses or one page

The name of OUT selects the output format:
  .jsonl     one JSON object per line with the keys of 'maintext extract -f json', \"id\", and
             \"error\" (null, or the reason why the page failed); also .jsonl.gz and .jsonl.zst
  .parquet   the same fields as a typed table, compressed with zstd
  OUT/       a folder with one text or Markdown file per page (-f); index.jsonl has the other fields
             With -f parquet or jsonl: numbered files of --shard-size, and _manifest.json with counts, filters and checksums
  -          JSONL on standard output

Results have the order of the pages. A failed page never ends the run. Each run ends with a summary on standard error: pages, rows, \
rate, and the reasons why pages failed and files were skipped.

No input is ever overwritten. The output of an earlier run stays unless --restart is given.

An interrupted run resumes where it stopped if it is started again with the same arguments. Its output is then identical, byte for \
byte, to that of an uninterrupted run. Compressed lines are kept by the megabyte and Parquet by the row group: what was not complete \
is read again. The state is in a hidden folder next to OUT until the run is complete. Standard input cannot be \
read again, so an interrupted run on standard input leaves no output.

Examples:
  maintext batch crawl/*.warc.gz -o texts.parquet --where lang=de,min-words=50 --dedup minhash
  maintext batch pages/ -o texts/ -f markdown
  maintext batch crawl/*.warc.gz -o corpus/ -f parquet --fields fineweb --dump CC-MAIN-2026-40
  maintext batch warc.paths.gz --base https://data.commoncrawl.org/ -o corpus/ -f parquet --dedup exact
  maintext batch crawl/*.warc.gz --rows chunks --size 300 --overlap 30 -o chunks.parquet
  maintext batch seeds.urls -o texts.jsonl.zst --fields url,title,date,text --errors failed.jsonl

Exit status: 0 success, 1 at least one page failed, 2 invalid usage.";

/// Extract the main text of many pages from files, folders, web archives and tables
///
/// Uses all cores, and bounded memory regardless of the input size. An interrupted run resumes where it stopped when it is started
/// again.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct BatchArgs {
    /// Folders, files (pages, feeds, messages, JSONL, WARC, Parquet), lists of addresses, or patterns; - for standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<String>,

    /// Write results to OUT: .jsonl, .jsonl.gz, .jsonl.zst, .parquet, or a folder/; - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: String,

    /// Format of the files in an output folder; makes OUT a folder
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<BatchFileFormat>,

    /// Format of the inputs, if their names and first bytes do not identify it
    #[arg(long, value_name = "FORMAT")]
    input_format: Option<InputKind>,

    /// Fields to write, in this order, separated by commas [default: all]
    ///
    /// Fewer fields are faster, because only they are computed. NAME=FIELD renames a field. Further fields: captured
    /// (when an archive fetched the page), file (the archive), dump (see --dump), language_score (0 to 1), script,
    /// languages (shares by paragraph), token_count (see --tokenizer), chunks (a list of passages; see Chunks).
    /// fineweb stands for the fields of that data set: text, id, dump, url, date=captured, file_path=file, language, language_score,
    /// token_count.
    #[arg(long, value_name = "NAMES")]
    fields: Option<String>,

    /// What a row of the output holds
    #[arg(long, value_name = "WHAT", default_value = "pages")]
    rows: RowOf,

    /// Keep only pages that meet all conditions, such as lang=zh,page_type=article,min-words=50
    ///
    /// Conditions: lang=CODE, page_type=TYPE, min-words=N, max-words=N, min-confidence=0..1, separated by commas. Separate several
    /// languages or page types with |. Conditions do not apply to failed pages.
    #[arg(long = "where", value_name = "CONDITIONS", value_parser = Filter::parse, default_value = "", hide_default_value = true)]
    filter: Filter,

    /// Drop pages whose text duplicates the text of an earlier page
    ///
    /// The signatures of all texts stay in memory: about 20 bytes per page for exact, 180 for minhash.
    #[arg(long, value_name = "HOW")]
    dedup: Option<Sameness>,

    /// Value of the field `dump`: the name of the crawl
    #[arg(long, value_name = "NAME")]
    dump: Option<String>,

    /// Size of the rows in one file of a folder of numbered files (-f parquet or jsonl), before compression [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = crate::fetch::size)]
    shard_size: Option<usize>,

    /// Compare each page with other pages of its host: reads the inputs twice
    ///
    /// The first pass samples up to 32 pages per host. Text and markup that the pages share help to separate content from boilerplate.
    /// Hosts with fewer than three pages, and pages without an address, are judged as without this option.
    #[arg(long)]
    sites: bool,

    /// Write failed pages to this JSONL file (id, url, error) instead of the output
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,

    /// Write results in page order. This is always so; the flag exists for older scripts
    #[arg(long, hide = true)]
    ordered: bool,

    /// Number of worker threads [default: one per core, more if addresses are fetched]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Number of threads that decompress a WARC.gz or Parquet file for the workers [default: one per 3 worker threads]
    #[arg(long, value_name = "N")]
    readers: Option<NonZeroUsize>,

    /// Time limit for extracting one page in seconds; a page that exceeds it fails [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = crate::fetch::seconds)]
    page_time: Option<Duration>,

    /// Replace the output of an earlier run, finished or not
    #[arg(long)]
    restart: bool,

    /// Write the counts of the run to FILE as JSON: pages, kept, failed and skipped by reason, rate
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// Print no summary at the end
    #[arg(short, long)]
    quiet: bool,

    /// Interval between checkpoints in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = crate::fetch::seconds_or_zero)]
    checkpoint: Duration,

    /// Give up on a page after the process has died N times while reading it; 0 never gives up
    #[arg(long, value_name = "N", default_value_t = 2)]
    crashes: u32,

    /// Column that holds the page, as text or bytes
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Parquet inputs")]
    html_column: String,

    /// Column that holds the page's address
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Parquet inputs")]
    url_column: String,

    /// Column that holds the page's id
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Parquet inputs")]
    id_column: String,

    /// Maximum number of rows in a row group
    #[arg(long, value_name = "N", default_value = "16384", help_heading = "Parquet output")]
    row_group: NonZeroUsize,

    #[command(flatten)]
    archives: ArchiveArgs,

    #[command(flatten)]
    cut: CutArgs,

    #[command(flatten)]
    content: ContentArgs,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    render: BrowserArgs,
}

/// Format of the files in an output folder.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum BatchFileFormat {
    /// Plain text
    Text,
    /// Markdown
    Markdown,
    /// Parquet tables of many pages
    Parquet,
    /// JSON lines of many pages, compressed with zstd
    Jsonl,
}

/// What a row holds.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum RowOf {
    /// A page
    Pages,
    /// A chunk of a page, for retrieval: id, url, title, the fields of 'maintext chunk', error
    Chunks,
}

/// Format of an input.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum InputKind {
    /// One page, in HTML or a format that becomes HTML
    Html,
    /// Several pages in one file: RSS, Atom, JSON Feed
    Documents,
    Urls,
    Jsonl,
    Warc,
    Wacz,
    Parquet,
    /// A list of web archives
    Paths,
}

/// The texts that count as duplicates.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Sameness {
    /// Equal texts, ignoring white space
    Exact,
    /// Nearly equal texts, by MinHash over shingles of five words
    Minhash,
}

fn columns(args: &BatchArgs) -> Result<Columns, String> {
    let rows = match args.rows {
        RowOf::Pages => Rows::Pages,
        RowOf::Chunks => Rows::Chunks,
    };
    match (&args.fields, rows) {
        (None, Rows::Pages) => Ok(Columns::all()),
        (None, Rows::Chunks) => Ok(Columns::of_chunks()),
        (Some(names), rows) => Columns::select(&names.split(',').collect::<Vec<_>>(), rows),
    }
}

pub fn run(args: BatchArgs) -> ExitCode {
    if args.input_format.is_none() {
        hint_at_addresses(&args.inputs);
    }
    let inputs = match Inputs::new(&args.inputs, input_options(&args)) {
        Ok(inputs) => inputs,
        Err(error) => {
            report::failed(args.inputs.first().map_or("", String::as_str), &error);
            return ExitCode::FAILURE;
        }
    };
    let job = job(&args, inputs);
    if let Some(input) = args.summary.as_deref().and_then(|path| job.inputs.overwritten_by(path)) {
        report::usage(&format!("--summary would overwrite {}, which is an input", input.display()));
    }
    let what = match args.inputs.as_slice() {
        [one] if one == "-" => "standard input".to_owned(),
        [one] => one.clone(),
        several => format!("{} inputs", several.len()),
    };
    let start = Instant::now();
    say_at_interrupt(format!("interrupted; {}", after_interrupt(&args)));
    let mut bar = Bar::new(&job.inputs);
    let result = run_job(&job, &mut |progress| {
        bar.show(progress);
        ControlFlow::Continue(())
    });
    bar.bar.finish_and_clear();
    match result {
        Ok(totals) => finish(&args, &what, &totals, start.elapsed()),
        Err(Failure::Settings(message)) => report::usage(&message),
        Err(Failure::Stopped(message)) => {
            report::note(&message);
            ExitCode::FAILURE
        }
        Err(Failure::Write { path, error }) => report::write_failed(&path.display().to_string(), &error),
    }
}

/// Returns what to do after an interrupted run.
fn after_interrupt(args: &BatchArgs) -> String {
    if args.output == "-" || args.inputs.iter().any(|input| input == "-") {
        return "the output is incomplete".to_owned();
    }
    let again = if args.restart { "the same command without --restart" } else { "the same command" };
    let from = match target(args) {
        Ok(Target::Table(_) | Target::Shards(_, ShardFormat::Parquet, _)) => " from the last row group",
        Ok(Target::Lines(_, Compression::Gzip | Compression::Zstd) | Target::Shards(..)) => " from the last megabyte",
        _ => "",
    };
    format!("{again} resumes{from}, and {} is complete then", args.output)
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn input_options(args: &BatchArgs) -> InputOptions {
    let format = args.input_format.map(|kind| match kind {
        InputKind::Html => InputFormat::Html,
        InputKind::Documents => InputFormat::Documents,
        InputKind::Wacz => InputFormat::Wacz,
        InputKind::Urls => InputFormat::Urls,
        InputKind::Jsonl => InputFormat::Jsonl,
        InputKind::Warc => InputFormat::Warc,
        InputKind::Parquet => InputFormat::Parquet,
        InputKind::Paths => InputFormat::Paths,
    });
    let (html, url, id) = (args.html_column.clone(), args.url_column.clone(), args.id_column.clone());
    let archives = args.archives.options(&args.fetch);
    let readers =
        args.readers.map_or_else(|| readers(args.threads.map_or_else(cores, NonZeroUsize::get)), NonZeroUsize::get);
    let (columns, max_size) = (InputColumns { html, url, id }, args.fetch.max_size);
    InputOptions { format, columns, max_size, readers, archives }
}

fn target(args: &BatchArgs) -> Result<Target, String> {
    let shards = |format| Target::shards(&args.output, format, args.shard_size.unwrap_or(SHARD) as u64);
    match args.format {
        None => Target::new(&args.output, None),
        Some(BatchFileFormat::Text) => Target::new(&args.output, Some(Body::Text)),
        Some(BatchFileFormat::Markdown) => Target::new(&args.output, Some(Body::Markdown)),
        Some(BatchFileFormat::Parquet) => shards(ShardFormat::Parquet),
        Some(BatchFileFormat::Jsonl) => shards(ShardFormat::Jsonl),
    }
}

fn job(args: &BatchArgs, inputs: Inputs) -> Job {
    let target = target(args).unwrap_or_else(|message| report::usage(&message));
    args.render.check(None).unwrap_or_else(|message| report::usage(&message));
    let columns = columns(args).unwrap_or_else(|message| report::usage(&format!("--fields: {message}")));
    if args.shard_size.is_some() && !matches!(target, Target::Shards(..)) {
        report::usage(&"--shard-size has no effect without -f parquet or jsonl");
    }
    if args.dump.is_some() && (args.fields.is_none() || !columns.has("dump")) {
        report::usage(&"--dump has no effect unless --fields names 'dump'");
    }
    if let (Some(flag), false) = (args.cut.given(), columns.tells_chunks()) {
        report::usage(&format!("{flag} has no effect without --rows chunks or the field 'chunks'"));
    }
    if args.content.things && !columns.has("things") {
        report::usage(&"--things has no effect, since --fields leaves out 'things'");
    }
    if args.content.schema.is_some() != columns.has("data") && args.fields.is_some() {
        report::usage(&"--schema and the field 'data' belong together");
    }
    let threads = if inputs.fetches() { cores() * FETCHES_PER_CORE } else { cores() };
    Job {
        inputs,
        target,
        chunks: columns.tells_chunks().then(|| args.cut.settings()),
        columns,
        // The columns determine the formats.
        options: args.content.options(Formats::default(), true),
        filter: args.filter.clone(),
        dump: args.dump.clone(),
        sites: args.sites,
        tokenizer: args.cut.tokenizer.clone(),
        dedup: args.dedup.map(|dedup| match dedup {
            Sameness::Exact => Dedup::Exact,
            Sameness::Minhash => Dedup::MinHash,
        }),
        errors: args.errors.clone(),
        threads: args.threads.map_or(threads, NonZeroUsize::get),
        limit: args.page_time,
        max_size: args.fetch.max_size,
        row_group: args.row_group.get(),
        fetch: args.fetch.options(),
        render: match args.render.when() {
            When::Never => UseBrowser::Never,
            When::Auto => UseBrowser::Auto,
            When::Always => UseBrowser::Always,
        },
        browser: args.render.options(),
        checkpoint: args.checkpoint,
        crashes: args.crashes,
        restart: args.restart,
    }
}

fn finish(args: &BatchArgs, input: &str, totals: &Totals, time: Duration) -> ExitCode {
    if !args.quiet {
        for line in summary(totals, time) {
            report::note(&line);
        }
    }
    if let Some(path) = &args.summary {
        let json = format!("{:#}\n", summary_json(totals, time));
        if let Err(error) = write_atomic(path, |file| file.write_all(json.as_bytes())) {
            return report::write_failed(&path.display().to_string(), &error);
        }
    }
    match totals.failed.count() {
        0 => ExitCode::SUCCESS,
        failed => {
            let reasons = if args.errors.is_some() {
                "the file of errors holds the reason"
            } else if columns(args).is_ok_and(|columns| columns.has("error")) {
                "the \"error\" field of their records holds the reason"
            } else {
                "\"error\" among the --fields, or --errors, writes the reason"
            };
            report::failed(input, &format!("{failed} of {} pages failed; {reasons}", totals.pages));
            ExitCode::FAILURE
        }
    }
}

/// Returns the rate of this run in pages per second, and its time in seconds.
fn rate(totals: &Totals, time: Duration) -> (f64, f64) {
    let seconds = time.as_secs_f64().max(1e-3);
    ((totals.pages - totals.resumed) as f64 / seconds, seconds)
}

/// Returns the lines of the summary: the counts, and one line per reason.
fn summary(totals: &Totals, time: Duration) -> Vec<String> {
    let Totals { pages, filtered, duplicates, resumed, .. } = *totals;
    let (per_second, seconds) = rate(totals, time);
    let pages = report::counted(pages, "page", "pages");
    let mut first = format!("{pages}, {} kept in {seconds:.1} s: {per_second:.0} pages/s", totals.kept());
    for (count, what) in
        [(resumed, "done by an earlier run"), (filtered, "did not meet --where"), (duplicates, "duplicates")]
    {
        if count > 0 {
            first += &format!("; {count} {what}");
        }
    }
    let mut lines = vec![first];
    for (what, reasons) in [("failed", &totals.failed), ("skipped", &totals.skipped)] {
        for (reason, Tally { count, first }) in reasons.by_count() {
            let example = match first {
                Some(id) if *count > 1 => format!(" (first: {id})"),
                Some(id) => format!(" ({id})"),
                None => String::new(),
            };
            lines.push(format!("{what}: {count} {reason}{example}"));
        }
    }
    lines
}

fn summary_json(totals: &Totals, time: Duration) -> serde_json::Value {
    let (per_second, seconds) = rate(totals, time);
    serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pages": totals.pages,
        "kept": totals.kept(),
        "rows": totals.rows,
        "bytes": totals.bytes,
        "resumed": totals.resumed,
        "filtered": totals.filtered,
        "duplicates": totals.duplicates,
        "failed": totals.failed,
        "skipped": totals.skipped,
        "seconds": (seconds * 1e3).round() / 1e3,
        "pages_per_second": (per_second * 10.0).round() / 10.0,
    })
}

/// A progress bar on standard error, visible only on a terminal.
struct Bar {
    bar: ProgressBar,
    /// Pages and bytes of an earlier run.
    start: Option<(u64, u64)>,
    shown: Instant,
}

impl Bar {
    fn new(inputs: &Inputs) -> Bar {
        // The size of a folder is known only after a walk over its files, which is wasted without a terminal.
        let (bar, template) = if io::stderr().is_terminal()
            && let Some(total) = inputs.total_bytes()
        {
            (ProgressBar::new(total), "{elapsed_precise}  {bar:20} {percent}%  {msg}  ETA {eta_precise}")
        } else {
            (ProgressBar::new_spinner(), "{elapsed_precise}  {msg}")
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar { bar, start: None, shown: Instant::now() }
    }

    fn show(&mut self, progress: Progress<'_>) {
        if progress.first_pass {
            self.bar.set_position(progress.consumed);
            self.bar.set_message("first pass: the pages of each host");
            return;
        }
        let Totals { pages, bytes, ref failed, .. } = *progress.totals;
        let start = *self.start.get_or_insert_with(|| {
            // Pages of an earlier run do not count towards the speed of this one.
            self.bar.set_position(progress.consumed);
            self.bar.reset_eta();
            (pages, bytes)
        });
        if self.bar.is_hidden() || self.shown.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.shown = Instant::now();
        let seconds = self.bar.elapsed().as_secs_f64().max(1e-3);
        let per_second = (pages - start.0) as f64 / seconds;
        let megabytes = (bytes - start.1) as f64 / 1e6 / seconds;
        self.bar.set_position(progress.consumed);
        let failed = failed.count();
        let failed = if failed > 0 { format!("  {failed} failed") } else { String::new() };
        self.bar.set_message(format!("{pages} pages  {per_second:.0} pages/s  {megabytes:.1} MB/s{failed}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_batch::Compression;

    #[test]
    fn output_names_determine_the_format() {
        let target = |name: &str| Target::new(name, None);
        assert_eq!(target("a.jsonl.zst"), Ok(Target::Lines("a.jsonl.zst".into(), Compression::Zstd)));
        assert_eq!(target("a.JSONL.gz"), Ok(Target::Lines("a.JSONL.gz".into(), Compression::Gzip)));
        assert_eq!(target("a.parquet"), Ok(Target::Table("a.parquet".into())));
        assert_eq!(target("out/"), Ok(Target::Folder("out/".into(), Body::Text)));
        assert_eq!(Target::new("out", Some(Body::Markdown)), Ok(Target::Folder("out".into(), Body::Markdown)));
        for one in ["a.parquet", "a.jsonl.gz", "-"] {
            let body = Target::new(one, Some(Body::Text)).unwrap_err();
            assert!(body.contains("cannot hold several files"), "{body}");
            assert_eq!(Target::shards(one, ShardFormat::Parquet, 1).unwrap_err(), body);
        }
        assert!(Target::shards("a.parquet/", ShardFormat::Parquet, 1).is_ok());
        for wrong in ["a.txt", "a", "a.jsonl.xz", "a.parquet.gz"] {
            assert!(target(wrong).unwrap_err().starts_with(&format!("{wrong}: the name does not determine a format")));
        }
    }
}
