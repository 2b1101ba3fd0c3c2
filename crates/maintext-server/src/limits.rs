//! The limits shared by all requests: memory, extraction, fetches, and exports.
use crate::client::Client;
use crate::config::Config;
use crate::memory::{Memory, MemoryShare};
use crate::metrics::Gauge;
use crate::problem::Problem;
use crate::threads::Threads;
use crate::turns::{Need, ServiceTurns, Turn, TurnRules};
use maintext_core::{Budget, Formats, Options};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How the memory of [`Config::memory`] is divided, in bytes. What the process needs when idle comes on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryParts {
    /// For extractions in progress.
    pub work: usize,
    /// For request bodies, fetched pages and unread answers.
    pub held: usize,
    /// For recently inspected pages.
    pub pages: usize,
    /// For labelled pages, unless they are in a file.
    pub store: usize,
}

impl MemoryParts {
    /// Divides `memory` bytes, and leaves a twelfth for cached answers.
    pub fn of(memory: usize) -> MemoryParts {
        MemoryParts { work: memory / 48 * 26, held: memory / 48 * 12, pages: memory / 48 * 3, store: memory / 48 * 3 }
    }
}

/// Number of threads for long pages. The system's allocator keeps some memory of a large page for the thread that had it, so long pages
/// have the same few threads. The memory allows no more of them anyway.
const LONG_THREADS: usize = 2;

/// Number of exports at the same time.
const EXPORTS: usize = 2;

/// The limits of the service.
#[derive(Debug)]
pub struct ServiceLimits {
    /// The parts of the memory.
    pub parts: MemoryParts,
    /// Memory for bodies, fetched pages and answers.
    pub memory: Arc<Memory>,
    /// Places for extraction, one for each thread.
    pub workers: Arc<ServiceTurns>,
    /// Places for fetches. Those wait for other sites and need little else, so there are many.
    pub fetches: Arc<ServiceTurns>,
    threads: Threads,
    long_threads: Threads,
    exports: Arc<Semaphore>,
}

impl ServiceLimits {
    /// Creates the limits, and starts the threads for extraction.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn new(config: &Config) -> std::io::Result<ServiceLimits> {
        // One client may hold an eighth of the memory, which must be enough for one body and one fetched page.
        let largest = config.max_body.max(config.fetch.as_ref().map_or(0, |f| f.max_size));
        let parts = MemoryParts::of(config.memory.max(largest.saturating_mul(10)));
        // With one thread, a long page would stop all others.
        let places = config.workers.max(2);
        let workers = TurnRules {
            places,
            long: LONG_THREADS.min(places - 1),
            per_host: usize::MAX,
            memory: parts.work,
            leave_half: false,
            waiting: config.in_flight.max(1),
        };
        let places = config.fetches.max(2);
        let per_host = config.fetches_per_host.max(1);
        let fetches =
            TurnRules { places, long: places, per_host, memory: usize::MAX, leave_half: true, waiting: 4 * places };
        Ok(ServiceLimits {
            parts,
            memory: Memory::new(parts.held),
            threads: Threads::new("extract", workers.places)?,
            long_threads: Threads::new("long", workers.long)?,
            workers: ServiceTurns::new(workers),
            fetches: ServiceTurns::new(fetches),
            exports: Arc::new(Semaphore::new(EXPORTS)),
        })
    }

    /// Returns an empty share of the memory for a client's body, page or answer.
    pub fn share(&self, client: &Client) -> MemoryShare {
        self.memory.share(client)
    }

    /// Returns the most memory that one page may use. The rest stays free for the short pages of other clients.
    pub fn most(&self) -> usize {
        self.parts.work / 8 * 7
    }

    /// Waits for a place for a fetch.
    ///
    /// # Errors
    /// Too many fetches, or too many of this client, wait (503).
    pub async fn fetch(&self, client: &Client, host: &str) -> Result<Turn, Problem> {
        self.fetches.take(client, Need { host: Some(host.to_owned()), ..Need::default() }, false).await
    }

    /// Returns a place for the extraction of a page within [`spare_budget`], if no request waits for it.
    pub fn spare(&self, client: &Client) -> Option<Turn> {
        self.workers.spare(client, Need { bytes: SPARE_BYTES, ..Need::default() })
    }

    /// Runs `work` on an extraction thread. Returns its result with the memory that it needed.
    ///
    /// # Errors
    /// The work panicked (500).
    pub async fn run<T: Send + 'static>(
        &self,
        turn: Turn,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Turn), Problem> {
        // The work keeps the turn, because it continues if the client leaves.
        let threads = if turn.is_long() { &self.long_threads } else { &self.threads };
        let done = threads.run(move || {
            let value = work();
            let mut turn = turn;
            turn.leave();
            (value, turn)
        });
        done.await.ok_or_else(Problem::internal)
    }

    /// Takes a place for an export.
    ///
    /// # Errors
    /// All are taken (503).
    pub fn export(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.exports.clone().try_acquire_owned().map_err(|_| Problem::busy("other exports are in progress; try again"))
    }

    /// Returns the number of free extraction threads.
    pub fn free(&self) -> usize {
        let (used, places, _) = self.workers.figures();
        places - used
    }

    /// Returns the levels for the metrics.
    pub fn gauges(&self) -> Vec<Gauge> {
        let (_, _, waiting) = self.workers.figures();
        let (fetches, fetch_places, fetches_waiting) = self.fetches.figures();
        let (held, memory) = self.memory.use_and_total();
        vec![
            gauge("maintext_free_slots", "Free extraction threads.", self.free()),
            gauge("maintext_pages_waiting", "Pages that wait for an extraction thread.", waiting),
            gauge("maintext_work_bytes", "Memory reserved for extractions in progress.", self.workers.bytes()),
            gauge("maintext_held_bytes", "Memory of bodies, fetched pages and unread answers.", held),
            gauge("maintext_held_bytes_limit", "Memory for bodies, fetched pages and unread answers.", memory),
            gauge("maintext_free_fetch_slots", "Free places for fetches.", fetch_places - fetches),
            gauge("maintext_fetches_waiting", "Fetches that wait for a place.", fetches_waiting),
        ]
    }

    /// Returns why the page of a new client would be refused, if it would.
    pub fn refusal(&self) -> Option<&'static str> {
        match () {
            () if !self.workers.accepts() => Some("too many pages wait"),
            () if !self.memory.has(ORDINARY) => Some("the memory for requests is used up"),
            () => None,
        }
    }
}

fn gauge(name: &'static str, help: &'static str, value: usize) -> Gauge {
    (name, help, value as f64)
}

/// Size of an ordinary page.
const ORDINARY: usize = 256 << 10;

/// Memory for a page of a crawl.
const SPARE_BYTES: usize = 64 << 20;

/// Returns the bounds of a page of a crawl, whose size is not known when it gets its place.
pub fn spare_budget(budget: Budget) -> Budget {
    budget.with_bytes(budget.bytes.min(4 << 20)).with_nodes(budget.nodes.min(60_000))
}

/// Returns the settings for pages of which a map needs only the links.
pub fn links_only(budget: Budget) -> Options {
    Options { formats: Formats::NONE, budget: spare_budget(budget), ..Options::default() }
}
