//! Settings, progress and errors of a crawl.
use crate::{SharedHost, Site};
use maintext_core::preferences::Use;
use maintext_fetch::{FetchError, FetchOptions, Fetcher};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The hosts that may be fetched from. `www.` is ignored; the port is part of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// The hosts of the starting points, and those they redirect to.
    #[default]
    Starts,
    /// The hosts of the starting points, and these.
    And(Vec<String>),
    /// All hosts.
    All,
}

/// Settings of a crawl.
#[derive(Clone, Debug)]
pub struct Options {
    /// The starting points: list pages, feeds (RSS, Atom) and sitemaps.
    pub starts: Vec<String>,
    /// The output file for detail pages, one JSON object per line.
    pub output: PathBuf,
    /// The state file.
    pub state: PathBuf,
    /// Largest number of detail pages to write, not counting errors. It also bounds the requests: see [`max_requests`](crate::max_requests).
    pub max_pages: u64,
    /// How many levels of lists to follow; at 0, all entries of the starting points count as detail pages.
    pub max_depth: u32,
    /// Largest number of pages to follow in one list's pagination.
    pub max_list_pages: u32,
    /// Minimum time between the starts of two requests to a host; a longer `Crawl-delay` takes precedence.
    pub delay: Duration,
    /// Wait before the first retry of a failed page; doubles with each further retry.
    pub backoff: Duration,
    /// Number of retries for a page whose failure may be temporary.
    pub retries: u32,
    /// Largest number of requests at the same time.
    pub concurrency: usize,
    /// Largest number of requests to one host at the same time.
    pub per_host: usize,
    /// The hosts that may be fetched from.
    pub hosts: Hosts,
    /// Follow all links of whole sites, not only the entries of lists.
    pub site: Option<Site>,
    /// Whether to obey robots.txt. Its sitemaps are read in any case.
    pub robots: bool,
    /// The uses for which pages are wanted. The crawl does not write a page whose site forbids one of them, and does not request it if robots.txt
    /// forbids the use.
    pub obey_preferences: Vec<Use>,
    /// Time after which no further page is requested.
    pub max_time: Option<Duration>,
    /// Whether to start from feeds declared by starting pages and sitemaps named in robots.txt, too.
    pub discover: bool,
    /// Whether to request all known pages again once the crawl is complete. Changed pages are written.
    pub recrawl: bool,
    /// Whether to retry pages that failed permanently.
    pub retry_failed: bool,
    /// How to fetch pages.
    pub fetch: FetchOptions,
    /// A fetcher with which the crawl shares the times until which servers want no request.
    pub resting_with: Option<Fetcher>,
    /// How to extract detail pages.
    pub extract: maintext_core::Options,
    /// Once set, no further page is requested, and the crawl can resume later.
    pub stop: Option<Arc<AtomicBool>>,
    /// The program that the crawl is a part of, if it writes the rows of the output itself.
    pub embed: Option<SharedHost>,
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
            site: None,
            robots: true,
            obey_preferences: Vec::new(),
            max_time: None,
            discover: false,
            recrawl: false,
            retry_failed: false,
            fetch: FetchOptions::default(),
            resting_with: None,
            extract: maintext_core::Options::default(),
            stop: None,
            embed: None,
        }
    }
}

/// Progress of a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Detail pages written, in all runs of the crawl.
    pub written: u64,
    /// Pages that failed permanently.
    pub failed: u64,
    /// Addresses in the queue.
    pub queued: u64,
    /// List pages, feeds and sitemaps read in this run.
    pub lists: u64,
    /// Pages already known by another address, in this run.
    pub duplicates: u64,
    /// Pages unchanged since an earlier fetch, in this run.
    pub unchanged: u64,
    /// Addresses forbidden by robots.txt, in this run.
    pub disallowed: u64,
    /// Pages left out because their sites forbid a use, in this run.
    pub unwanted: u64,
    /// Requests for pages, lists and sitemaps, in all runs of the crawl; see [`max_requests`](crate::max_requests).
    pub requests: u64,
}

/// Receives the progress of a crawl.
pub trait Observer {
    /// Called after each step; `now` is the address concerned.
    fn progress(&self, _progress: &Progress, _now: &str) {}
    /// A message for the user, in one line.
    fn note(&self, _message: &str) {}
}

impl Observer for () {}

/// Why a crawl cannot start or continue.
#[derive(Debug)]
pub enum Error {
    /// A starting point that cannot be fetched.
    Start(String),
    /// Invalid settings for fetching or extraction.
    Settings(String),
    /// The state file cannot be used.
    State(PathBuf, String),
    /// The output file cannot be used.
    Output(PathBuf, String),
}

/// Why a state cannot be used that another crawl has open.
pub(crate) const IN_USE: &str = "is in use by another crawl";

impl Error {
    /// Whether another crawl has the state open.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        matches!(self, Error::State(_, why) if why == IN_USE)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Start(why) | Error::Settings(why) => f.write_str(why),
            Error::State(path, why) | Error::Output(path, why) => write!(f, "{}: {why}", path.display()),
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
