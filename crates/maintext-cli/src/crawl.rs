//! `maintext crawl`: follows the list pages of a site to its detail pages, or all links of a site.
use crate::content::{ContentArgs, html_flag};
use crate::fetch::{FetchArgs, seconds, seconds_or_zero};
use crate::input::CommandInput;
use crate::interrupt::say_at_interrupt;
use crate::output::OutputFormat;
use crate::report;
use crate::representation::WantedRepresentation;
use crate::rows::Row;
use crate::site::{SiteArgs, policy, print_failures, print_reasons};
use indicatif::{ProgressBar, ProgressStyle};
use maintext_batch::{Body, Columns, Compression, Target, write_rows};
use maintext_chunks::{Changes, Reading, changes};
use maintext_core::preferences::Use;
use maintext_crawl::whole::{self, Crawled};
use maintext_crawl::{Error, Hosts, Observer, Options, Progress, max_requests};
use maintext_fetch::FetchOptions;
use maintext_util::atomic::write_atomic;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const AFTER_HELP: &str = "\
Starting points are list pages, feeds (RSS, Atom) or sitemaps. The crawler follows the entries of a list page and the links to its \
further pages; an entry may be a list itself. All other pages are written with the keys of 'maintext extract -f json'; \
a page that cannot be fetched is written as {\"url\", \"error\"}.

With --all, START_URL names a site: its host, or the part below its path. Every page that its sitemaps, llms.txt, feeds and links \
lead to is written once, whatever its kind; 'id' is the address that was requested. The order of the rows depends on the site only.

An interrupted crawl resumes where it stopped when the same command is run again; no page is lost or written twice. The state \
is stored next to the output, and a later --recrawl needs it: --recrawl asks servers only for pages that have changed and \
appends those to the output.

The crawler obeys robots.txt, Crawl-delay and Retry-After, and pays nothing: an answer with status 402 is a failed page. It fetches pages from public addresses and from the hosts of the \
starting points.

Examples:
  maintext crawl https://example.org/news --max-pages 200 -o news.jsonl
  maintext crawl https://example.org/feed.xml https://example.org/sitemap.xml.gz -o site.jsonl
  maintext crawl https://example.org/news -o news.jsonl --recrawl
  maintext crawl https://example.org/news -o news.jsonl --recrawl --changes
  maintext crawl https://example.org --all -o site/ --max-pages 5000
  maintext crawl https://example.org/docs/ --all -o docs.parquet --exclude '/docs/old/' --exclude 're:[?&]print='
  maintext crawl https://example.org/news -o news.jsonl --delay 0.2 --host media.example.net

Exit status: 0 success, 1 nothing could be read or written, 2 invalid usage. Failed pages are records in the output and do not \
change the exit status.";

/// Maximum number of rows in a row group of Parquet, as in a batch.
const ROW_GROUP: usize = 16_384;

/// Follow the list pages of a site and write its detail pages, or write all pages of a site
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct CrawlArgs {
    /// Addresses of list pages, feeds or sitemaps to start from
    #[arg(value_name = "START_URL", required = true)]
    starts: Vec<String>,

    /// Fetch and write all pages of the site
    #[arg(long, conflicts_with_all = ["all_hosts", "discover", "max_levels", "max_list_pages"])]
    all: bool,

    /// Write the pages to OUT: JSON lines, or by its name .jsonl.gz, .jsonl.zst, .parquet, or a folder/ of Markdown files
    ///
    /// Plain JSON lines grow during the crawl. Other files are made of the rows at its end, also at the end of --max-pages or --max-time;
    /// the rows stay in OUT.rows for the next run. The files of a folder follow the paths of the site, such as example.org/docs/install.md.
    #[arg(short, long, value_name = "OUT")]
    output: String,

    /// Format of the files in an output folder; makes OUT a folder [default: markdown]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<CrawlFileFormat>,

    /// Store the state in FILE instead of next to the output
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Maximum number of pages to write; a larger number continues the crawl
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    max_pages: u64,

    /// Stop after this time in seconds; the same command continues the crawl
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    max_time: Option<Duration>,

    /// Maximum depth of nested lists to follow
    #[arg(long, value_name = "N", default_value_t = 2)]
    max_levels: u32,

    /// Maximum number of pages to follow in one list
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_list_pages: u32,

    /// Also follow links to this host; can be repeated
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,

    /// Follow links to all hosts
    #[arg(long, conflicts_with = "host")]
    all_hosts: bool,

    /// Also start from the feeds that the starting pages declare and the sitemaps in robots.txt
    #[arg(long)]
    discover: bool,

    /// Fetch the pages of a completed crawl again, and write the changed ones
    #[arg(long)]
    recrawl: bool,

    /// Write the new, gone, edited and moved text of recrawled pages to OUT.changes.jsonl, one line per page; see 'maintext extract --since'
    ///
    /// Pages that differ only in counters and times have no line. Each recrawl replaces the file.
    #[arg(long, requires = "recrawl")]
    changes: bool,

    /// Retry pages that failed permanently
    #[arg(long)]
    retry_failed: bool,

    /// Minimum time between two requests to a host in seconds; a longer Crawl-delay takes precedence
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds_or_zero)]
    delay: Duration,

    /// Maximum number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = at_least_one)]
    concurrency: usize,

    /// Maximum number of concurrent requests to one host
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = at_least_one)]
    per_host: usize,

    /// Number of retries for a page after a temporary failure
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,

    /// Wait before the first retry in seconds; doubled for each further retry
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    backoff: Duration,

    /// Also fetch from private addresses, and use the proxies set in the environment
    #[arg(long)]
    allow_private: bool,

    /// Leave out pages whose site forbids this use: search, ai-input or ai-train; can be repeated, or a list with commas
    ///
    /// Sites state it in robots.txt and headers (Content-Signal, Content-Usage), as X-Robots-Tag noai, and in meta robots. A page that
    /// robots.txt forbids for the use is not requested. The key "preferences" of each page holds the statements in any case.
    #[arg(long, value_name = "USE", value_delimiter = ',', value_parser = str::parse::<Use>)]
    obey_preferences: Vec<Use>,

    /// Maximum number of links between the starting point and a page; entries of sitemaps and feeds count as its links [default: any]
    #[arg(long, value_name = "N", requires = "all", help_heading = "Whole sites")]
    depth: Option<u32>,

    #[command(flatten)]
    site: SiteArgs,

    /// Representation of pages to ask servers for; auto is html here, and declared Markdown versions are not followed
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Fetching")]
    representation: WantedRepresentation,

    #[command(flatten)]
    content: ContentArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// Format of the files in an output folder.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum CrawlFileFormat {
    /// Plain text
    Text,
    /// Markdown
    Markdown,
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|n| (1..=256).contains(n)).ok_or("expected a number from 1 to 256")
}

pub fn run(args: &CrawlArgs) -> ExitCode {
    if let Some(no) = args.starts.iter().find(|s| !matches!(CommandInput::new(s), CommandInput::Url(_))) {
        report::usage(&format!("{no}: not an address; write it in full, such as https://example.org/news"));
    }
    let only_all = [!args.site.include.is_empty(), !args.site.exclude.is_empty(), args.site.subdomains];
    if !args.all && only_all.contains(&true) {
        report::usage(&"--include, --exclude and --subdomains need --all");
    }
    let target = target(args);
    let made = target.as_ref().and_then(Target::path);
    say_at_interrupt(format!("interrupted; the same command resumes, and {} is complete then", args.output));
    let (watch, start) = (CrawlWatch { bar: bar() }, Instant::now());
    let result = whole::crawl(&options(args, made), made, &watch);
    watch.bar.finish_and_clear();
    match result {
        Ok(crawled) => {
            if let Some(target) = &target
                && let Err(error) = make(target, &crawled)
            {
                return report::write_failed(&args.output, &error);
            }
            let status = finish(args, &crawled, start.elapsed());
            if args.changes { write_changes(args, &crawled).unwrap_or(status) } else { status }
        }
        Err(error @ Error::Start(_)) => report::usage(&error),
        Err(error) => {
            report::note(&error);
            ExitCode::FAILURE
        }
    }
}

/// Returns the output to make from the rows at the end; `None` for plain lines, which are the rows.
fn target(args: &CrawlArgs) -> Option<Target> {
    let body = args.format.map(|format| match format {
        CrawlFileFormat::Text => Body::Text,
        CrawlFileFormat::Markdown => Body::Markdown,
    });
    let is_folder = args.output.ends_with('/') || Path::new(&args.output).is_dir();
    let body = body.or(is_folder.then_some(Body::Markdown));
    match Target::new(&args.output, body) {
        Ok(Target::Stdout(_)) => report::usage(&"a crawl cannot resume from standard output; choose a file"),
        Ok(Target::Lines(_, Compression::Plain)) => None,
        Ok(target) => Some(target),
        Err(message) => report::usage(&message),
    }
}

/// Makes the output of the rows.
fn make(target: &Target, crawled: &Crawled) -> std::io::Result<()> {
    write_rows(target, &Columns::all(), ROW_GROUP, crawled.rows()?)?;
    crawled.set_made().map_err(std::io::Error::other)
}

/// Returns the path of a file next to the output.
fn beside(args: &CrawlArgs, ending: &str) -> PathBuf {
    let mut name = Path::new(args.output.trim_end_matches('/')).as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A line of the changes of a recrawl.
#[derive(serde::Serialize)]
struct ChangeLine<'a> {
    id: Option<&'a str>,
    url: Option<&'a str>,
    title: Option<&'a str>,
    /// `new`, `changed` or `failed`.
    page: &'static str,
    error: Option<&'a serde_json::Value>,
    #[serde(flatten)]
    changes: Changes,
}

/// Writes the changes of the pages that the recrawl has read again. Returns a status if that failed.
fn write_changes(args: &CrawlArgs, crawled: &Crawled) -> Option<ExitCode> {
    let path = beside(args, ".changes.jsonl");
    let (mut new, mut changed, mut failed) = (0, 0, 0);
    let written = write_atomic(&path, |file| {
        crawled.rereadings(&mut |before, after| {
            let after = Row::parse(&after).map_err(std::io::Error::other)?;
            let earlier = before.and_then(|row| Row::parse(&row).ok()).filter(|row| row.text.is_some());
            let error = after.error.as_ref().filter(|e| !e.is_null());
            let (page, found) = match (&earlier, error) {
                (_, Some(_)) => ("failed", Changes::default()),
                (None, None) => ("new", Changes::default()),
                (Some(earlier), None) => ("changed", changes(&reading_of(earlier), &reading_of(&after))),
            };
            match page {
                "failed" => failed += 1,
                "new" => new += 1,
                _ if !found.changed => return Ok(()),
                _ => changed += 1,
            }
            let (id, url, title) = (after.id.as_deref(), after.url.as_deref(), after.title.as_deref());
            let line = serde_json::to_string(&ChangeLine { id, url, title, page, error, changes: found })?;
            file.write_all(line.as_bytes())?;
            file.write_all(b"\n")
        })
    });
    match written {
        Ok(()) => {
            let shown = path.display();
            report::note(&format!("pages: {changed} changed, {new} new, {failed} failed; in {shown}"));
            None
        }
        Err(error) => Some(report::write_failed(&path.display().to_string(), &error)),
    }
}

fn reading_of(row: &Row) -> Reading {
    let (text, language) = (row.text.as_deref().unwrap_or(""), row.language.as_deref().unwrap_or(""));
    Reading::of_text(text, language).with_title(row.title.as_deref())
}

fn options(args: &CrawlArgs, made: Option<&Path>) -> Options {
    let hosts = if args.all_hosts {
        Hosts::All
    } else if args.host.is_empty() {
        Hosts::Starts
    } else {
        Hosts::And(args.host.clone())
    };
    let policy = (!args.allow_private).then(|| policy(&args.starts));
    let extract = args.content.options(OutputFormat::Json.needs(), true);
    Options {
        starts: args.starts.clone(),
        output: if made.is_some() { beside(args, ".rows") } else { args.output.clone().into() },
        state: args.state.clone().unwrap_or_else(|| beside(args, ".crawl")),
        max_pages: args.max_pages,
        max_time: args.max_time,
        site: args.all.then(|| args.site.site(args.depth, false)),
        robots: !args.site.ignore_robots,
        max_depth: args.max_levels,
        max_list_pages: args.max_list_pages,
        delay: args.delay,
        backoff: args.backoff,
        retries: args.retries,
        concurrency: args.concurrency,
        per_host: args.per_host,
        hosts,
        discover: args.discover,
        recrawl: args.recrawl,
        retry_failed: args.retry_failed,
        obey_preferences: args.obey_preferences.clone(),
        fetch: FetchOptions {
            policy,
            representation: args.representation.resolve(html_flag(&extract), false),
            ..args.fetch.options()
        },
        extract,
        ..Options::default()
    }
}

/// Prints the summary and returns the exit status.
fn finish(args: &CrawlArgs, crawled: &Crawled, time: Duration) -> ExitCode {
    let progress = &crawled.progress;
    if args.all {
        report::note(&site_summary(crawled, args, time));
        print_reasons(&crawled.totals);
        return if crawled.totals.kept == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    report::note(&summary(crawled, args));
    print_failures(&crawled.totals);
    let found = progress.written + progress.unchanged + progress.duplicates + progress.unwanted;
    if progress.written > 0 && progress.lists == 0 && !had_ended(crawled, args) {
        report::note(&HAS_NO_LIST);
    }
    if found > 0 || progress.queued > 0 {
        return ExitCode::SUCCESS;
    }
    if progress.lists > 0 && progress.failed == 0 {
        report::note(&HAS_NO_ENTRIES);
    }
    ExitCode::FAILURE
}

/// Returns the summary of a whole site, with the same counts as for a batch.
fn site_summary(crawled: &Crawled, args: &CrawlArgs, time: Duration) -> String {
    let totals = &crawled.totals;
    let seconds = time.as_secs_f64().max(1e-3);
    let rate = totals.kept.saturating_sub(crawled.resumed) as f64 / seconds;
    let (pages, kept) = (report::counted(totals.pages, "page", "pages"), totals.kept);
    if had_ended(crawled, args) {
        return match kept {
            0 => format!("{pages}, none could be read; {TRIES_AGAIN}"),
            _ => format!("{pages}, {kept} kept by an earlier run; {HAS_ENDED}"),
        };
    }
    let mut said = format!("{pages}, {kept} kept in {seconds:.1} s: {rate:.1} pages/s");
    for (n, what) in [
        (crawled.resumed, "kept by an earlier run"),
        (crawled.progress.unchanged, "unchanged"),
        (totals.duplicates, "redirected or duplicate"),
    ] {
        if n > 0 {
            said += &format!("; {n} {what}");
        }
    }
    if totals.left > 0 {
        let progress = &crawled.progress;
        let limit = if progress.written >= args.max_pages {
            "--max-pages".to_owned()
        } else if progress.requests >= max_requests(args.max_pages) {
            format!("the limit of {} requests, which --max-pages raises", max_requests(args.max_pages))
        } else {
            "--max-time".to_owned()
        };
        said += &format!("; {} addresses left by {limit}", totals.left);
    }
    said
}

fn summary(crawled: &Crawled, args: &CrawlArgs) -> String {
    let p = &crawled.progress;
    let (pages, output) = (report::counted(p.written, "page", "pages"), &args.output);
    if had_ended(crawled, args) {
        return match (p.written, p.failed) {
            (0, failed @ 1..) => format!("nothing could be read, {failed} failed; {TRIES_AGAIN}"),
            (_, failed) => format!("{output} holds {pages}, {failed} failed; {HAS_ENDED}"),
        };
    }
    let mut said = format!("{pages} written to {output}");
    let rest = [
        (p.failed, "failed", "failed"),
        (p.unchanged, "unchanged", "unchanged"),
        (p.duplicates, "duplicate of another address", "duplicates of another address"),
        (p.disallowed, "forbidden by robots.txt", "forbidden by robots.txt"),
        (p.unwanted, "left out by --obey-preferences", "left out by --obey-preferences"),
        (p.lists, "list read", "lists read"),
        (p.queued, "left to fetch", "left to fetch"),
    ];
    for (n, one, many) in rest.into_iter().filter(|(n, ..)| *n > 0) {
        said += &format!(", {}", report::counted(n, one, many));
    }
    said
}

/// The end of the summary of a crawl that was complete before the run.
const HAS_ENDED: &str = "the crawl is complete, and --recrawl looks for changes";

/// The end of the summary of a crawl whose starting points failed.
const TRIES_AGAIN: &str = "--retry-failed tries again";

/// The advice for a crawl that read its starting points without finding an entry to follow.
const HAS_NO_ENTRIES: &str = "no entries on the hosts of the starting points were found: --all-hosts follows those on other hosts, --all follows \
all links, and 'maintext extract' reads a page itself";

/// The advice for a crawl from articles alone.
const HAS_NO_LIST: &str = "no starting point is a list page; --all follows all links";

/// Whether an earlier run had completed the crawl, so that this one requested nothing.
fn had_ended(crawled: &Crawled, args: &CrawlArgs) -> bool {
    let p = &crawled.progress;
    !args.recrawl && crawled.requested == 0 && p.queued == 0
}

struct CrawlWatch {
    bar: ProgressBar,
}

impl Observer for CrawlWatch {
    fn progress(&self, p: &Progress, now: &str) {
        self.bar.set_position(p.written);
        let rest = format!("{} waiting, {} failed, {} lists  {now}", p.queued, p.failed, p.lists);
        self.bar.set_message(rest.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>());
    }

    fn note(&self, message: &str) {
        self.bar.suspend(|| report::note(&message));
    }
}

/// Returns a progress bar, visible if standard error is a terminal.
fn bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {spinner} {pos} pages  {wide_msg}") {
        bar.set_style(style);
    }
    bar
}
