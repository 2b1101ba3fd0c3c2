//! What the caller says, and what is said to the caller.
use maintext_io::fetch::{FetchError, FetchOptions};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Which hosts pages are fetched from. `www.` before a name makes no other host; a port does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// Those of the starting points, and where these redirect to.
    #[default]
    Starts,
    /// Those of the starting points and these.
    And(Vec<String>),
    /// All.
    All,
}

/// Settings of a crawl.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it begins: list pages, feeds (RSS, Atom) and sitemaps.
    pub starts: Vec<String>,
    /// The file that gets the detail pages, a JSON object a line.
    pub output: PathBuf,
    /// The file that holds the state.
    pub state: PathBuf,
    /// Detail pages that are written at most, errors not counted.
    pub max_pages: u64,
    /// How deep lists of lists are followed: 0 takes the entries of the starting points only as detail pages.
    pub max_depth: u32,
    /// Pages of one list's pagination that are followed at most.
    pub max_list_pages: u32,
    /// Least time between the beginnings of two requests to a host; its `Crawl-delay` counts if that is longer.
    pub delay: Duration,
    /// Wait before the first new try of a page that failed; doubled for each further one.
    pub backoff: Duration,
    /// New tries of a page whose failure may pass.
    pub retries: u32,
    /// Requests under way at once.
    pub concurrency: usize,
    /// Requests under way at once to one host.
    pub per_host: usize,
    /// Which hosts pages are fetched from.
    pub hosts: Hosts,
    /// Whether the feeds that starting pages declare and the sitemaps that robots.txt names are starting points too.
    pub discover: bool,
    /// If the crawl came to its end: whether all known pages are asked for again. What changed is written.
    pub recrawl: bool,
    /// Whether pages that failed for good are tried again.
    pub retry_failed: bool,
    /// How pages are fetched.
    pub fetch: FetchOptions,
    /// How detail pages are extracted.
    pub extract: maintext_core::Options,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            starts: Vec::new(),
            output: PathBuf::new(),
            state: PathBuf::new(),
            max_pages: 1000,
            max_depth: 2,
            max_list_pages: 100,
            delay: Duration::from_secs(1),
            backoff: Duration::from_secs(2),
            retries: 3,
            concurrency: 8,
            per_host: 2,
            hosts: Hosts::default(),
            discover: false,
            recrawl: false,
            retry_failed: false,
            fetch: FetchOptions::default(),
            extract: maintext_core::Options::default(),
        }
    }
}

/// How far a crawl is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Detail pages written, in all runs since the crawl began.
    pub written: u64,
    /// Pages that failed for good.
    pub failed: u64,
    /// Addresses that wait.
    pub queued: u64,
    /// List pages, feeds and sitemaps read in this run.
    pub lists: u64,
    /// Pages that were known from another address, in this run.
    pub duplicates: u64,
    /// Pages that had not changed since they were fetched before, in this run.
    pub unchanged: u64,
    /// Addresses that robots.txt forbids, in this run.
    pub disallowed: u64,
}

/// Watches a crawl.
pub trait Observer {
    /// Something has been done; `now` is an address that it was about.
    fn progress(&self, _progress: &Progress, _now: &str) {}
    /// Something that the caller should know, in one line.
    fn note(&self, _message: &str) {}
}

impl Observer for () {}

/// Why there is no crawl, or no more of it.
#[derive(Debug)]
pub enum Error {
    /// A starting point is no address that could be fetched.
    Start(String),
    /// The settings of fetching or extraction do not fit.
    Settings(String),
    /// The file of the state.
    State(PathBuf, String),
    /// The output file.
    Output(PathBuf, String),
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Start(why) | Error::Settings(why) => f.write_str(why),
            Error::State(path, why) => write!(f, "{}: {why}", path.display()),
            Error::Output(path, why) => write!(f, "{}: {why}", path.display()),
        }
    }
}

impl From<FetchError> for Error {
    fn from(e: FetchError) -> Self {
        Error::Settings(e.to_string())
    }
}

impl From<maintext_core::Error> for Error {
    fn from(e: maintext_core::Error) -> Self {
        Error::Settings(e.to_string())
    }
}
