//! What all requests share, and the way of a page: fetched if need be, then extracted on a thread of its own.
use crate::ask::{Choices, Fetch, Input, Job, RenderName};
use crate::config::Config;
use crate::limits::{Limits, RateLimiter};
use crate::metrics::Metrics;
use crate::pages::Pages;
use crate::problem::Problem;
use crate::store::Store;
use axum::http::StatusCode;
use maintext_browser::{BrowserOptions, BrowserPool};
use maintext_core::list::Lists;
use maintext_core::model::{Learned, Model};
use maintext_core::page_type::PageTyper;
use maintext_core::{Extractor, Method, Options, Page};
use maintext_fetch::{FetchError, FetchOptions, Fetcher};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
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
    /// Pages that were inspected last.
    pub pages: Pages,
    /// Finds the entries of list pages.
    pub lists: Lists,
    /// What was taught.
    pub store: Store,
    fetcher: Option<Fetcher>,
    browsers: Option<Arc<BrowserPool>>,
    learned: Arc<Learned>,
    /// Models of single sites.
    taught: RwLock<HashMap<String, Arc<Learned>>>,
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
        let browsers = match (&config.render, &config.fetch) {
            (Some(render), Some(fetch)) => {
                let options = BrowserOptions { policy: fetch.policy.clone(), ..render.clone() };
                Some(Arc::new(BrowserPool::new(options).map_err(|e| e.to_string())?))
            }
            _ => None,
        };
        let learned = Learned::shipped().map_err(|e| e.to_string())?;
        // Read now, and not while the first request waits.
        PageTyper::shipped().map_err(|e| e.to_string())?;
        let named = |e: rusqlite::Error| match &config.store {
            Some(path) => format!("{}: {e}", path.display()),
            None => e.to_string(),
        };
        let store = Store::open(config.store.as_deref()).map_err(named)?;
        let mut taught = HashMap::new();
        for (site, bytes) in store.models().map_err(named)? {
            // A model of an older version is of no use any more; its labels are.
            if let Ok(model) = Model::from_bytes(&bytes) {
                taught.insert(site, Arc::new(Learned::new(model)));
            }
        }
        Ok(App {
            limits: Limits::new(config.in_flight, config.workers, config.body_memory),
            rate: config.rate.map(RateLimiter::new),
            metrics: Metrics::default(),
            stopping: AtomicBool::new(false),
            fetcher,
            browsers,
            learned,
            pages: Pages::default(),
            lists: Lists::named(maintext_core::list::METHODS[0]).map_err(|e| e.to_string())?,
            taught: RwLock::new(taught),
            store,
            config,
        })
    }

    /// An extractor with these settings.
    ///
    /// # Errors
    /// A setting is wrong.
    pub fn extractor_for(&self, choices: &Choices, url: Option<&str>) -> Result<Extractor, Problem> {
        let options = Options { budget: self.config.budget, ..choices.options()? };
        let plain = options.method == "learned" && options.parameters.is_default();
        let method: Box<dyn Method> = match plain {
            true => Box::new(self.model_for(choices.site_model, url)),
            false => options.parameters.method(&options.method)?,
        };
        Ok(Extractor::with_method(options, method))
    }

    /// The model that was taught for a page's site if that is wanted and there is one, else the shipped one.
    pub fn model_for(&self, site_model: bool, url: Option<&str>) -> Arc<Learned> {
        let own = || {
            let site = self.site_of(url)?;
            self.taught.read().unwrap_or_else(PoisonError::into_inner).get(&site).cloned()
        };
        site_model.then(own).flatten().unwrap_or_else(|| self.learned.clone())
    }

    /// The site of an address: its host without `www.`, with the port if it has one of its own.
    pub fn site_of(&self, url: Option<&str>) -> Option<String> {
        let url = url::Url::parse(url?).ok()?;
        let host = url.host_str()?;
        let host = host.strip_prefix("www.").unwrap_or(host);
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }

    /// Whether there is a model for the page's site.
    pub fn is_taught(&self, url: Option<&str>) -> bool {
        let taught = self.taught.read().unwrap_or_else(PoisonError::into_inner);
        self.site_of(url).is_some_and(|site| taught.contains_key(&site))
    }

    /// Uses a model for a site from now on.
    pub fn keep_taught(&self, site: &str, model: Learned) {
        self.taught.write().unwrap_or_else(PoisonError::into_inner).insert(site.to_owned(), Arc::new(model));
    }

    /// Uses a site's model no more.
    pub fn forget_taught(&self, site: &str) {
        self.taught.write().unwrap_or_else(PoisonError::into_inner).remove(site);
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
        let Job { page, url, choices, .. } = job;
        let given = |bytes, text, charset, url| Source { bytes, text, url, charset, status: None };
        match page {
            Input::Text(text) => Ok(given(text.into_bytes(), true, None, url)),
            Input::Bytes(bytes, charset) => Ok(given(bytes, false, charset, url)),
            Input::Address(fetch) => self.load(url.unwrap_or_default(), choices, fetch).await,
        }
    }

    /// The page at an address, from the browser if that is wanted, or if the page needs it.
    async fn load(self: &Arc<Self>, url: String, choices: Choices, fetch: Fetch) -> Result<Source, Problem> {
        let wanted = choices.render != RenderName::Never && fetch.headers.is_empty();
        let browsers = self.browsers.clone().filter(|_| wanted);
        let Some(browsers) = browsers else { return self.fetch(url, fetch).await };
        let method = choices.method.clone();
        if choices.render == RenderName::Always {
            return self.rendered(browsers, url, method).await;
        }
        let source = self.fetch(url, fetch).await?;
        let bare = Choices { formats: Vec::new(), metadata: false, page_type: false, ..choices };
        let look = self.on_worker(move |app| (app.extract(&bare, &source), source));
        let (page, source) = look.await?;
        let needed = page.is_ok_and(|page| page.warnings.iter().any(|w| w.code.as_str() == "needs_rendering"));
        match source.url.clone().filter(|_| needed) {
            // What came over the wire is better than nothing.
            Some(url) => Ok(self.rendered(browsers, url, method).await.unwrap_or(source)),
            None => Ok(source),
        }
    }

    async fn rendered(
        self: &Arc<Self>,
        browsers: Arc<BrowserPool>,
        url: String,
        method: String,
    ) -> Result<Source, Problem> {
        let task = tokio::task::spawn_blocking(move || browsers.load(&url));
        let page = task.await.map_err(|_| Problem::internal())?;
        let page = page.map_err(|e| Problem::new(StatusCode::FAILED_DEPENDENCY, "render_failed", e.to_string()))?;
        let (url, status) = (Some(page.url.clone()), Some(page.status));
        Ok(Source { bytes: page.html_for(&method).into_bytes(), text: true, url, charset: None, status })
    }

    /// Fetches a page for a client.
    ///
    /// # Errors
    /// Fetching is switched off, the address is refused, or the fetch failed.
    async fn fetch(self: &Arc<Self>, url: String, fetch: Fetch) -> Result<Source, Problem> {
        let Fetch { headers, limit } = fetch;
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

    /// A page's text.
    ///
    /// # Errors
    /// It is no page.
    pub fn html<'a>(&self, extractor: &Extractor, source: &'a Source) -> Result<Cow<'a, str>, Problem> {
        match source.text {
            true => Ok(String::from_utf8_lossy(&source.bytes)),
            false => Ok(extractor.decode(&source.bytes, source.charset.as_deref())?.text),
        }
    }

    /// Extracts a page: what most routes do with it.
    ///
    /// # Errors
    /// It is no page, or its address is none.
    pub fn extract(&self, choices: &Choices, source: &Source) -> Result<Page, Problem> {
        let start = Instant::now();
        let mut extractor = self.extractor_for(choices, source.url.as_deref())?;
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
