//! What all requests share, and the way of a page: fetched if need be, then extracted on a thread of its own.
use crate::ask::{Choices, Input, Job};
use crate::config::Config;
use crate::limits::{Limits, RateLimiter};
use crate::metrics::Metrics;
use crate::problem::Problem;
use axum::http::StatusCode;
use maintext::method::Method;
use maintext::model::Learned;
use maintext::{Extractor, Page};
use maintext_io::fetch::{FetchError, FetchOptions, Fetcher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// What all requests share.
pub struct App {
    /// The settings.
    pub config: Config,
    /// Work at once, memory.
    pub limits: Limits,
    /// Requests of one client.
    pub rate: Option<RateLimiter>,
    /// What has been done.
    pub metrics: Metrics,
    /// Whether the service was told to stop.
    pub stopping: AtomicBool,
    fetcher: Option<Fetcher>,
    learned: Arc<Learned>,
}

/// A page as it came, before it was decoded.
#[derive(Debug)]
pub struct Source {
    /// Its bytes; UTF-8 if [`Source::text`] is set.
    pub bytes: Vec<u8>,
    /// Whether the bytes are text that needs no decoding.
    pub text: bool,
    /// Its address, after redirects.
    pub url: Option<String>,
    /// Charset of the HTTP header.
    pub charset: Option<String>,
    /// Status of the answer, if it was fetched.
    pub status: Option<u16>,
}

impl App {
    /// Checks the settings and loads the model.
    ///
    /// # Errors
    /// A setting for fetching is wrong, or the shipped model is damaged.
    pub fn new(config: Config) -> Result<App, String> {
        let fetcher = config.fetch.clone().map(Fetcher::new).transpose().map_err(|e| e.to_string())?;
        let learned = Learned::shipped().map_err(|e| e.to_string())?;
        Ok(App {
            limits: Limits::new(config.in_flight, config.workers, config.body_memory),
            rate: config.rate.map(RateLimiter::new),
            metrics: Metrics::default(),
            stopping: AtomicBool::new(false),
            fetcher,
            learned: Arc::new(learned),
            config,
        })
    }

    /// An extractor with these settings; the model is not loaded anew.
    ///
    /// # Errors
    /// A setting is wrong.
    pub fn extractor(&self, choices: &Choices) -> Result<Extractor, Problem> {
        let options = choices.options();
        let plain = options.method == "learned" && options.parameters.is_default();
        match plain {
            true => Ok(Extractor::with_method(options, Box::new(self.learned.clone()) as Box<dyn Method>)),
            false => Ok(Extractor::new(options)?),
        }
    }

    /// Does `work` on a page within the limits of one request, or says 503.
    ///
    /// # Errors
    /// The limits, the fetch, or the work itself.
    pub async fn on_page<T: Send + 'static>(
        self: &Arc<Self>,
        job: Job,
        work: impl FnOnce(&App, &Choices, Source) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let slot = self.limits.admit()?;
        self.with_slot(slot, job, work).await
    }

    /// The same with a right to work that the caller has.
    ///
    /// # Errors
    /// The fetch, or the work itself.
    pub async fn with_slot<T: Send + 'static>(
        self: &Arc<Self>,
        slot: tokio::sync::OwnedSemaphorePermit,
        job: Job,
        work: impl FnOnce(&App, &Choices, Source) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = self.clone();
        // A task of its own: work goes on to its end, and holds its slot, if the client goes away or the time is up.
        let task = tokio::spawn(async move {
            let mut job = job;
            let _held = (slot, job.memory.take());
            let choices = job.choices.clone();
            let source = app.source(job).await?;
            app.on_worker(move |app| work(app, &choices, source)).await?
        });
        match timeout(self.config.request_timeout, task).await {
            Ok(result) => result.unwrap_or_else(|_| Err(Problem::internal())),
            Err(_) => Err(self.too_long()),
        }
    }

    /// Runs `work` on a thread as soon as one of the workers is free. A panic there is the problem of this request only.
    ///
    /// # Errors
    /// The work panicked.
    pub async fn on_worker<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&App) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let worker = self.limits.worker().await;
        let app = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let _worker = worker;
            work(&app)
        });
        task.await.map_err(|_| Problem::internal())
    }

    fn too_long(&self) -> Problem {
        let detail = format!("not finished within {} s", self.config.request_timeout.as_secs_f64());
        Problem::new(StatusCode::GATEWAY_TIMEOUT, "request_timeout", detail)
    }

    async fn source(self: &Arc<Self>, job: Job) -> Result<Source, Problem> {
        let Job { page, url, .. } = job;
        let given = |bytes, text, charset, url| Source { bytes, text, url, charset, status: None };
        match page {
            Input::Text(text) => Ok(given(text.into_bytes(), true, None, url)),
            Input::Bytes(bytes, charset) => Ok(given(bytes, false, charset, url)),
            Input::Address => self.fetch(url.unwrap_or_default(), Vec::new(), None).await,
        }
    }

    /// Fetches a page for a client, with headers and a shorter time of its own.
    ///
    /// # Errors
    /// Fetching is switched off, the address is refused, or the fetch failed.
    pub async fn fetch(
        self: &Arc<Self>,
        url: String,
        headers: Vec<(String, String)>,
        limit: Option<Duration>,
    ) -> Result<Source, Problem> {
        let Some(fetcher) = self.fetcher.clone() else {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "no_fetching",
                "this service does not fetch pages; send them",
            ));
        };
        let fetcher = match (headers.is_empty(), limit, &self.config.fetch) {
            (true, None, _) | (_, _, None) => fetcher,
            (_, _, Some(options)) => {
                let timeout = limit.unwrap_or(options.timeout).min(options.timeout);
                Fetcher::new(FetchOptions { headers, timeout, ..options.clone() })?
            }
        };
        self.metrics.fetches.fetch_add(1, Ordering::Relaxed);
        let fetched =
            tokio::task::spawn_blocking(move || fetcher.fetch(&url)).await.map_err(|_| Problem::internal())?;
        if matches!(fetched, Err(FetchError::Refused { .. } | FetchError::Scheme { .. })) {
            self.metrics.refused.fetch_add(1, Ordering::Relaxed);
        }
        let page = fetched?;
        let (url, status) = (Some(page.url), Some(page.status));
        Ok(Source { bytes: page.body, text: false, url, charset: page.charset, status })
    }

    /// Extracts a page: what most routes do with it.
    ///
    /// # Errors
    /// It is no page, or its address is none.
    pub fn extract(&self, choices: &Choices, source: &Source) -> Result<Page, Problem> {
        let start = Instant::now();
        let mut extractor = self.extractor(choices)?;
        let text = source.text.then(|| std::str::from_utf8(&source.bytes).unwrap_or(""));
        let page = match text {
            Some(text) => extractor.extract_at(text, source.url.as_deref(), None),
            None => extractor.extract_at(&source.bytes, source.url.as_deref(), source.charset.as_deref()),
        };
        self.metrics.pages.fetch_add(1, Ordering::Relaxed);
        self.metrics.page_bytes.fetch_add(source.bytes.len() as u64, Ordering::Relaxed);
        self.metrics.page_nanos.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(page?)
    }
}
