//! What can be set.
use maintext_browser::BrowserOptions;
use maintext_core::Budget;
use maintext_fetch::{FetchOptions, Policy, Proxy};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the service. The defaults hold on an open network; `docs/service.md` describes each.
#[derive(Clone, Debug)]
pub struct Config {
    /// Largest request body in bytes; a line of `/v1/batch` counts as one.
    pub max_body: usize,
    /// Bytes of request bodies that may be in memory at once, over all clients.
    pub body_memory: usize,
    /// Longest time for a request's header, and for a connection to stay idle.
    pub header_timeout: Duration,
    /// Longest time for a request's body to arrive; for `/v1/batch`, between two pieces of it.
    pub body_timeout: Duration,
    /// Longest time from a whole request to its answer.
    pub request_timeout: Duration,
    /// Pages that are worked on at once, those that wait for a processor or a slow site among them. More get 503.
    pub in_flight: usize,
    /// Threads that extract.
    pub workers: usize,
    /// Open connections.
    pub connections: usize,
    /// Open connections of one address; more are closed at once.
    pub connections_per_client: usize,
    /// Requests of one client, if they are limited.
    pub rate: Option<Rate>,
    /// Whether the client's address is the last one of `X-Forwarded-For`: only behind a proxy that sets it.
    pub trust_forwarded: bool,
    /// Bearer tokens, one of which a request must carry; empty means that none is asked for.
    pub tokens: Vec<String>,
    /// Origins whose scripts may use the API, or `*`; empty means none.
    pub cors: Vec<String>,
    /// Names by which the service may be addressed; empty means any. Guards a service on loopback against pages that give their
    /// own name its address.
    pub hosts: Vec<String>,
    /// How pages are fetched. `None`: not at all, pages come in requests only.
    pub fetch: Option<FetchOptions>,
    /// How pages are rendered; `None`: not at all. The policy of `fetch` holds for the browser too.
    pub render: Option<BrowserOptions>,
    /// The SQLite file that keeps what is taught; `None`: it is forgotten at the end.
    pub store: Option<PathBuf>,
    /// Whether each request is logged.
    pub log: bool,
    /// Longest time that requests have to end after the service was told to stop.
    pub grace: Duration,
    /// What one page may cost; beyond it the answer is partial, and a warning says so.
    pub budget: Budget,
}

/// A limit on the requests of one client: a bucket of `burst` that refills with `per_second`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Requests a second, in the long run.
    pub per_second: f64,
    /// Requests at once.
    pub burst: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            max_body: 10 << 20,
            body_memory: 256 << 20,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(60),
            in_flight: 64,
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            connections: 1024,
            connections_per_client: 256,
            rate: None,
            trust_forwarded: false,
            tokens: Vec::new(),
            cors: Vec::new(),
            hosts: Vec::new(),
            fetch: Some(FetchOptions {
                policy: Some(Policy::default()),
                proxy: Proxy::Direct,
                timeout: Duration::from_secs(20),
                ..FetchOptions::default()
            }),
            render: None,
            store: None,
            log: true,
            grace: Duration::from_secs(30),
            budget: Budget::default(),
        }
    }
}
