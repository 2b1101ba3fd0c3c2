//! The settings of the service.
use crate::cache::CacheLimits;
use crate::manners::Manners;
use maintext_browser::BrowserOptions;
use maintext_core::Budget;
use maintext_fetch::{FetchOptions, Policy, Proxy};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the service. The defaults are safe on an open network; `docs/service.md` describes each setting.
#[derive(Clone, Debug)]
pub struct Config {
    /// Maximum size of a request body in bytes; for `/v1/batch`, of one line.
    pub max_body: usize,
    /// Memory for everything that requests cause: bodies, fetched pages, extraction, answers, caches, labelled pages and training, in
    /// bytes. An idle process needs some 25 MB more. At least ten times [`Config::max_body`] is used.
    pub memory: usize,
    /// Time limit for a request's header, and for an idle connection.
    pub header_timeout: Duration,
    /// Time limit for a request's body; for `/v1/batch`, between two pieces of it.
    pub body_timeout: Duration,
    /// Time limit from a complete request to its response.
    pub request_timeout: Duration,
    /// Maximum number of pages that wait for a processor; one client may use half of them. Further requests get 503.
    pub in_flight: usize,
    /// Maximum number of fetches in progress; one client may use half of them.
    pub fetches: usize,
    /// Maximum number of fetches in progress from one host.
    pub fetches_per_host: usize,
    /// Number of extraction threads, at least two.
    pub workers: usize,
    /// Maximum number of open connections.
    pub connections: usize,
    /// Maximum number of open connections from one address; further ones are closed immediately.
    pub connections_per_client: usize,
    /// The proxies that report the addresses of clients. Set this only if all requests come through them.
    pub trust: Option<Forwarded>,
    /// Accepted bearer tokens, as lines of a token file; if empty, and without a token file, requests need no token.
    pub tokens: Vec<String>,
    /// File of accepted bearer tokens, one per line: `[NAME] TOKEN`.
    pub token_file: Option<PathBuf>,
    /// How long new connections are accepted during shutdown, while `/readyz` already gives 503. Load balancers need this time to notice.
    pub drain_delay: Duration,
    /// Whether labels can be stored and site models be trained.
    pub teach: bool,
    /// Maximum memory that training may use, in bytes.
    pub teach_memory: usize,
    /// Origins whose scripts may use the API, or `*`; if empty, no other origin may.
    pub cors: Vec<String>,
    /// Accepted host names; if empty, every name is accepted. This protects a service on a loopback address against web pages that
    /// point their own domain to that address (DNS rebinding).
    pub hosts: Vec<String>,
    /// Fetch options; `None` disables fetching.
    pub fetch: Option<FetchOptions>,
    /// Limits of the cache of fetched pages; `None` means no cache.
    pub cache: Option<CacheLimits>,
    /// Politeness towards the sites that are fetched.
    pub manners: Manners,
    /// Browser options; `None` disables the browser. The network policy of `fetch` also applies to the browser.
    pub render: Option<BrowserOptions>,
    /// SQLite file for labels, site models and jobs; `None` keeps them in memory.
    pub store: Option<PathBuf>,
    /// Limits on crawls and batches.
    pub jobs: JobLimits,
    /// Whether each request is logged.
    pub log: bool,
    /// Time limit for open requests during shutdown.
    pub grace: Duration,
    /// Limits on the resources for one page. If a limit is reached, the result is partial and has a warning.
    pub budget: Budget,
}

/// Limits on crawls and batches.
#[derive(Clone, Debug, PartialEq)]
pub struct JobLimits {
    /// Jobs of one client that are not complete.
    pub per_client: usize,
    /// Pages of one job.
    pub pages: u64,
    /// Bytes of the results of all jobs together.
    pub bytes: usize,
    /// How long the results are kept.
    pub keep: Duration,
    /// Minimum time between two requests of a crawl to one host.
    pub delay: Duration,
}

impl Default for JobLimits {
    fn default() -> Self {
        let (keep, delay) = (Duration::from_secs(24 * 3600), Duration::from_secs(1));
        JobLimits { per_client: 5, pages: 1000, bytes: 256 << 20, keep, delay }
    }
}

/// Proxies in front of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forwarded {
    /// The header that they set.
    pub header: ForwardedHeader,
    /// Their number, one after the other: the client's address is this many entries from the end.
    pub hops: usize,
}

/// A header with the address of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`.
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            max_body: 10 << 20,
            memory: 384 << 20,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            in_flight: 128,
            fetches: 64,
            fetches_per_host: 16,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            connections: 1024,
            connections_per_client: 256,
            trust: None,
            tokens: Vec::new(),
            token_file: None,
            drain_delay: Duration::ZERO,
            teach: true,
            teach_memory: 128 << 20,
            cors: Vec::new(),
            hosts: Vec::new(),
            fetch: Some(FetchOptions {
                policy: Some(Policy::default()),
                proxy: Proxy::Direct,
                timeout: Duration::from_secs(20),
                ..FetchOptions::default()
            }),
            cache: None,
            manners: Manners::default(),
            render: None,
            store: None,
            jobs: JobLimits::default(),
            log: true,
            grace: Duration::from_secs(30),
            budget: Budget::default(),
        }
    }
}
