//! The state shared by all requests, and the steps for one page: fetch it if necessary, then extract it on a worker thread.
use crate::answers::KeptAnswers;
use crate::ask::{Choices, Fetch, Look, PageInput, PageJob, RenderName, RepresentationName, bad_options};
use crate::config::Config;
use crate::cost;
use crate::fetching::Fetching;
use crate::limits::ServiceLimits;
use crate::memory::MemoryShare;
use crate::metrics::{CountedEvent, Gauge, Metrics, Timing};
use crate::pages::KnownPages;
use crate::problem::Problem;
use crate::running::Jobs;
use crate::seats::Seats;
use crate::start::{StartError, check_origins};
use crate::store::ServerStore;
use crate::threads::blocking;
use crate::tokens::Tokens;
use crate::trace;
use crate::turns::Need;
use crate::wrong_tokens::WrongTokens;
use axum::http::StatusCode;
use maintext_browser::{BrowserOptions, BrowserPool};
use maintext_core::list::{ListPage, Lists};
use maintext_core::model::{Learned, Model};
use maintext_core::page_type::PageTyper;
use maintext_core::{Analysis, Extractor, Formats, Html, Page, Preferences, Warning, WarningCode};
use maintext_fetch::representation::{is_markdown, is_same_host};
use maintext_fetch::{Fetched, Fetcher};
use maintext_formats::{Document, Format, Hint, Limits as FormatLimits};
use maintext_util::guard::lock;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

/// Window of a phone, in pixels.
const PHONE: (u32, u32) = (390, 844);

/// The state shared by all requests.
pub struct App {
    /// The settings.
    pub config: Config,
    /// Limits on concurrent work and memory.
    pub limits: ServiceLimits,
    /// Limits the wrong tokens of each client.
    pub wrong_tokens: WrongTokens,
    /// Open requests of the clients behind trusted proxies.
    pub open: Arc<Seats>,
    /// The tokens.
    pub tokens: Tokens,
    /// Counters.
    pub metrics: Arc<Metrics>,
    /// Start of the service.
    started: SystemTime,
    /// Whether the service is shutting down.
    pub stopping: AtomicBool,
    /// Recently inspected pages.
    pub pages: KnownPages,
    /// Answers to agents with parts that may be requested later.
    pub answers: KeptAnswers,
    /// Finds the entries of list pages.
    pub lists: Lists,
    /// Labels, site models and jobs.
    pub store: ServerStore,
    /// Crawls and batches in progress.
    pub jobs: Jobs,
    fetching: Option<Arc<Fetching>>,
    browsers: Option<Arc<BrowserPool>>,
    learned: Arc<Learned>,
    /// Site models, by the holder of the token that taught them, and the site.
    taught: Mutex<HashMap<crate::store::Owned, Arc<Learned>>>,
}

/// A page before decoding.
#[derive(Debug, Default)]
pub struct Source {
    /// Its bytes; UTF-8 if [`Source::text`] is set.
    pub bytes: Vec<u8>,
    /// Whether the bytes are text that needs no decoding.
    pub text: bool,
    /// Its address, after redirects.
    pub url: Option<String>,
    /// The address that the client asked for, if the page was fetched.
    pub requested: Option<String>,
    /// Charset in the HTTP header.
    pub charset: Option<String>,
    /// HTTP status, if the page was fetched.
    pub status: Option<u16>,
    /// How long the site wants to get no further request, if it said so.
    pub retry_after: Option<Duration>,
    /// The result of the look-up in the cache, if the service has one and the page was fetched.
    pub cache: Option<&'static str>,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// A picture of the page, as PNG.
    pub picture: Option<Vec<u8>>,
    /// Whether all of it is content: it was Markdown, plain text or a feed.
    pub whole: bool,
    /// The entries, if it was a feed or a sitemap.
    pub list: Option<ListPage>,
    /// The media type that was read, if the page was fetched.
    pub representation: Option<String>,
    /// The uses that robots.txt and the headers allow or forbid.
    pub preferences: Preferences,
    /// The Markdown version that the headers declare.
    pub markdown_url: Option<String>,
    /// What the page lacks, for the answer.
    pub warnings: Vec<Warning>,
    /// Whether the page may be loaded in the browser instead, if its extraction finds that it needs its scripts.
    pub may_render: bool,
    /// Whether the extraction has found that.
    pub needs_rendering: AtomicBool,
}

/// A loaded page with its client's share of the memory, or why loading failed.
type Loaded = Result<(Source, MemoryShare), Problem>;

/// Where a page is from, as keys of an answer; null if the request held the page.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct PageOrigin {
    /// The address that the client asked for.
    pub requested_url: Option<String>,
    /// The address that answered, after redirects; a [`Page`] states it, too.
    #[serde(skip)]
    pub final_url: Option<String>,
    /// The result of the look-up in the cache: `hit`, `revalidated`, `miss` or `bypass`. Not a key without a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<&'static str>,
}

impl Source {
    /// Returns where the page is from.
    pub fn origin(&self) -> PageOrigin {
        let final_url = self.requested.as_ref().and(self.url.clone());
        PageOrigin { requested_url: self.requested.clone(), final_url, cache: self.cache }
    }

    /// Returns the source with the bytes of a page, or with the document that was made from it.
    fn holding(self, page: Fetched, document: Option<Document>) -> Source {
        let Some(document) = document else { return Source { bytes: page.body, charset: page.charset, ..self } };
        let cut = document.warning.map(|message| Warning::new(WarningCode::LimitReached, message));
        Source {
            bytes: document.bytes,
            charset: Some("utf-8".into()),
            whole: true,
            list: document.list,
            warnings: cut.into_iter().collect(),
            ..self
        }
    }
}

impl App {
    /// Checks the settings, loads the models and opens the store.
    ///
    /// # Errors
    /// A setting is invalid, a shipped model is damaged, or the store cannot be opened.
    pub fn new(config: Config) -> Result<App, StartError> {
        check_origins(&config.cors)?;
        let limits = ServiceLimits::new(&config).map_err(|e| e.to_string())?;
        let metrics = Arc::default();
        let fetching = Fetching::new(&config, &metrics).map_err(|e| e.to_string())?.map(Arc::new);
        let browsers = match (&config.render, &config.fetch) {
            (Some(render), Some(fetch)) => {
                let options = BrowserOptions { policy: fetch.policy.clone(), ..render.clone() };
                Some(Arc::new(BrowserPool::new(options).map_err(|e| e.to_string())?))
            }
            _ => None,
        };
        let learned = Learned::shipped().map_err(|e| e.to_string())?;
        // Loads the classifier now, so that the first request does not wait for it.
        PageTyper::shipped().map_err(|e| e.to_string())?;
        let named = |e: rusqlite::Error| StartError::store(config.store.as_deref(), &e);
        let store = ServerStore::open(config.store.as_deref(), limits.parts.store).map_err(named)?;
        let mut taught = HashMap::new();
        for (key, bytes) in store.models().map_err(named)? {
            // A model in an older format is skipped; its labels remain, so it can be trained again.
            if let Ok(model) = Model::from_bytes(&bytes) {
                taught.insert(key, Arc::new(Learned::new(model)));
            }
        }
        Ok(App {
            pages: KnownPages::new(limits.parts.pages),
            limits,
            tokens: Tokens::new(config.token_file.as_deref(), &config.tokens)?,
            open: Arc::default(),
            wrong_tokens: WrongTokens::default(),
            metrics,
            started: SystemTime::now(),
            stopping: AtomicBool::new(false),
            fetching,
            browsers,
            learned,
            answers: KeptAnswers::default(),
            lists: Lists::named(maintext_core::list::METHODS[0]).map_err(|e| e.to_string())?,
            taught: Mutex::new(taught),
            store,
            jobs: Jobs::default(),
            config,
        })
    }

    /// Returns the levels that are not counters, for the metrics.
    pub fn gauges(&self) -> Vec<Gauge> {
        let started = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let mut gauges = vec![("process_start_time_seconds", "Start of the process in seconds since 1970.", started)];
        gauges.extend(self.limits.gauges());
        gauges.extend(self.fetching.iter().flat_map(|fetching| fetching.gauges()));
        gauges
    }

    /// Returns an extractor with these settings.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn extractor_for(&self, choices: &Choices, url: Option<&str>) -> Result<Extractor, Problem> {
        let options = (*choices.options).clone();
        let plain = options.method == "learned" && options.parameters.is_default();
        Ok(if plain {
            Extractor::with_model(options, self.model_for(choices.site_model, url))
        } else {
            Extractor::new(options)?
        })
    }

    /// Returns the model that the client taught for the page's site if `site_model` is set and one exists, else the shipped model.
    pub fn model_for(&self, site_model: bool, url: Option<&str>) -> Arc<Learned> {
        let taught = if site_model { self.taught(url) } else { None };
        taught.unwrap_or_else(|| self.learned.clone())
    }

    /// Returns the model that the client taught for the page's site, if it did.
    pub fn taught(&self, url: Option<&str>) -> Option<Arc<Learned>> {
        lock(&self.taught).get(&(trace::client().holder().to_owned(), site_of(url)?)).cloned()
    }

    /// Stores the model that a holder taught for a site.
    pub fn keep_taught(&self, holder: &str, site: &str, model: Learned) {
        lock(&self.taught).insert((holder.to_owned(), site.to_owned()), Arc::new(model));
    }

    /// Removes the model that a holder taught for a site.
    pub fn forget_taught(&self, holder: &str, site: &str) {
        lock(&self.taught).remove(&(holder.to_owned(), site.to_owned()));
    }

    /// Loads the page of a job. Its share of the memory grows by the page.
    ///
    /// # Errors
    /// The page cannot be loaded, or the memory is used up.
    pub async fn source(self: &Arc<Self>, job: PageJob) -> Loaded {
        let PageJob { page, url, choices, memory } = job;
        let memory = memory.unwrap_or_else(|| self.limits.share(&trace::client()));
        match page {
            PageInput::Text(text) => {
                Ok((Source { bytes: text.into_bytes(), text: true, url, ..Source::default() }, memory))
            }
            PageInput::Bytes { bytes, charset, media_type } => {
                let page = Fetched {
                    url: url.clone().unwrap_or_default(),
                    status: 0,
                    content_type: media_type,
                    charset,
                    headers: Vec::new(),
                    body: bytes,
                };
                let (page, _, document, memory) = self.converted(Arc::new(page), memory).await?;
                Ok((Source { url, ..Source::default() }.holding(Arc::unwrap_or_clone(page), document), memory))
            }
            PageInput::Address(fetch) => {
                let asked = url.unwrap_or_default();
                let host = url::Url::parse(&asked).ok().and_then(|url| url.host_str().map(str::to_owned));
                trace::note(|facts| facts.host = host);
                let (source, memory) = self.load(asked.clone(), choices, fetch, memory).await?;
                Ok((Source { requested: Some(asked), ..source }, memory))
            }
        }
    }

    /// Loads the page at an address, through the browser if the settings demand it or the page needs it.
    async fn load(self: &Arc<Self>, url: String, choices: Choices, fetch: Fetch, memory: MemoryShare) -> Loaded {
        let fetch = Fetch { representation: choices.wanted_representation(), ..fetch };
        let wanted = choices.render != RenderName::Never && fetch.headers.is_empty();
        if choices.render == RenderName::Always && self.browsers.is_none() {
            return Err(bad_options("'render': 'always' needs a service that was started with --render"));
        }
        let browsers = if wanted { self.browsers.clone() } else { None };
        if choices.representation == RepresentationName::Markdown {
            return self.markdown(url, choices, fetch, memory).await;
        }
        let Some(browsers) = browsers else { return self.fetch(url, fetch, memory).await };
        let method = choices.options.method.clone();
        if choices.render == RenderName::Always || fetch.look != Look::default() {
            return self.rendered(browsers, url, method, fetch.look, memory).await;
        }
        let (source, memory) = self.fetch(url, fetch, memory).await?;
        Ok((Source { may_render: !source.whole, ..source }, memory))
    }

    /// Loads a page in the browser whose extraction has found that it needs its scripts. `None` if it does not, or if the browser fails: the page
    /// as fetched is better than nothing.
    pub async fn rendered_if_needed(
        self: &Arc<Self>,
        source: &Source,
        method: &str,
        memory: &MemoryShare,
    ) -> Option<(Source, MemoryShare)> {
        if !source.may_render || !source.needs_rendering.load(Ordering::Relaxed) {
            return None;
        }
        let (browsers, url) = self.browsers.clone().zip(source.url.clone())?;
        let rendered = self.rendered(browsers, url, method.to_owned(), Look::default(), memory.another());
        let (rendered, memory) = rendered.await.ok()?;
        Some((Source { requested: source.requested.clone(), ..rendered }, memory))
    }

    /// Fetches a page as Markdown: as its site answers, or in the version that it declares on its host.
    async fn markdown(self: &Arc<Self>, url: String, choices: Choices, fetch: Fetch, memory: MemoryShare) -> Loaded {
        let second = Fetch { error_pages: false, look: Look::default(), ..fetch.clone() };
        let (source, memory) = self.fetch(url, fetch, memory).await?;
        if source.whole {
            return Ok((source, memory));
        }
        let bare = choices.with(|o| (o.formats, o.metadata) = (Formats::NONE, false));
        let client = memory.client().clone();
        let look = self
            .work_on(cost::PAGE, &client, bare, source, true, |app, bare, source| (app.extract(bare, &source), source));
        let ((page, mut source), _) = look.await?;
        let page_url = source.url.clone().unwrap_or_default();
        let declared = page.ok().and_then(|page| page.markdown_url).filter(|address| is_same_host(&page_url, address));
        let Some(address) = declared else { return Ok((source, memory)) };
        let why = match self.fetch(address.clone(), second, memory.another()).await {
            Ok((version, share)) => match version.url.as_deref() {
                Some(url) if !is_same_host(&page_url, url) => format!("{address}: redirects to another host"),
                _ if !version.whole => format!("{address}: is not Markdown"),
                _ => {
                    let mut version = version;
                    version.preferences.add(&source.preferences);
                    return Ok((version, share));
                }
            },
            Err(problem) => problem.detail,
        };
        let message = format!("the Markdown version could not be read: {why}");
        source.warnings.push(Warning::new(WarningCode::MarkdownFailed, message));
        Ok((source, memory))
    }

    /// Returns the fetcher with which crawls share the times until which servers want no request, if the service fetches.
    pub fn fetcher(&self) -> Option<Fetcher> {
        self.fetching.as_ref().map(|fetching| fetching.fetcher().clone())
    }

    /// Refuses an address whose server has asked the service to wait.
    ///
    /// # Errors
    /// The server has.
    pub fn check_rest(&self, url: &str) -> Result<(), Problem> {
        self.fetching.as_ref().map_or(Ok(()), |fetching| fetching.check_rest(url))
    }

    /// Whether the service has a browser.
    pub fn can_render(&self) -> bool {
        self.browsers.is_some()
    }

    async fn rendered(
        self: &Arc<Self>,
        browsers: Arc<BrowserPool>,
        url: String,
        method: String,
        look: Look,
        mut memory: MemoryShare,
    ) -> Loaded {
        let place = self.limits.fetch(memory.client(), &host_of(&url)).await?;
        let start = Instant::now();
        let own = browsers.options();
        let options = BrowserOptions {
            pause: look.pause.unwrap_or_default(),
            mobile: look.mobile,
            window: look.window.unwrap_or(if look.mobile { PHONE } else { own.window }),
            screenshot: look.picture.is_some(),
            window_only: look.picture == Some(false),
            ..own.clone()
        };
        let fetching = self.fetching.clone();
        let task = blocking(move || {
            let _place = place;
            let _visit = fetching.map(|fetching| fetching.visit(&url)).transpose()?;
            Ok::<_, Problem>(browsers.load_with(&url, &options))
        });
        let page = task.await??;
        self.metrics.time(Timing::Render, start.elapsed());
        self.metrics.count(CountedEvent::Render, if page.is_ok() { "ok" } else { "failed" });
        trace::note(|facts| facts.render = Some(start.elapsed()));
        let page = page.map_err(|e| Problem::new(StatusCode::FAILED_DEPENDENCY, "render_failed", e.to_string()))?;
        let (url, status) = (Some(page.url.clone()), Some(page.status));
        let picture = page.screenshot.clone();
        let bytes = page.html_for(&method).into_bytes();
        memory.grow_soon(bytes.len() + picture.as_ref().map_or(0, Vec::len)).await?;
        let representation = Some("text/html".into());
        Ok((Source { bytes, text: true, url, status, picture, representation, ..Source::default() }, memory))
    }

    /// Fetches a page for a client.
    ///
    /// # Errors
    /// Fetching is disabled, the address is blocked, or the fetch failed.
    async fn fetch(self: &Arc<Self>, url: String, fetch: Fetch, mut memory: MemoryShare) -> Loaded {
        let Some(fetching) = self.fetching.clone() else {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "no_fetching",
                "this service does not fetch pages; send the page itself as 'html' where that is taken",
            ));
        };
        let place = self.limits.fetch(memory.client(), &host_of(&url)).await?;
        // If the client leaves, the fetch continues for a while, and must keep its place and its share of the memory.
        let task = blocking(move || {
            let _place = place;
            let got = fetching.get(&url, &fetch, &mut memory)?;
            Ok::<_, Problem>((got, memory))
        });
        let (got, memory) = task.await??;
        trace::note(|facts| (facts.fetch, facts.cache, facts.age) = (got.time, got.cache, got.age));
        let (page, format, document, memory) = self.converted(got.page, memory).await?;
        let page = Arc::unwrap_or_clone(page);
        let (url, status, cache) = (Some(got.url), Some(page.status), got.cache);
        let representation = Some(format.media_type(page.content_type.as_deref()));
        let markdown_url = page.markdown_link();
        let (content_type, preferences) = (page.content_type.clone(), got.preferences);
        let source = Source { url, status, content_type, cache, representation, ..Source::default() };
        let retry_after = page.retry_after().filter(|wait| !wait.is_zero());
        let source = Source { preferences, markdown_url, retry_after, ..source };
        Ok((source.holding(page, document), memory))
    }

    /// Returns a page, its format, and its document if it is Markdown, plain text, a feed or a sitemap. Converting it takes many times the memory
    /// of the text, so it waits for its turn like an extraction.
    async fn converted(
        self: &Arc<Self>,
        page: Arc<Fetched>,
        mut memory: MemoryShare,
    ) -> Result<(Arc<Fetched>, Format, Option<Document>, MemoryShare), Problem> {
        let max_size = self.config.fetch.as_ref().map_or(usize::MAX, |fetch| fetch.max_size);
        let limits = FormatLimits { max_size, ..FormatLimits::default() };
        let Some(bytes) = conversion(&page, &limits) else { return Ok((page, Format::Html, None, memory)) };
        if bytes > self.limits.most() {
            let size = page.body.len() >> 10;
            let name = if page.url.is_empty() { "the body" } else { &page.url };
            let detail = format!(
                "{name}: a text of {size} kB takes more memory to read than the service has for one page (--memory)"
            );
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "page_too_large", detail));
        }
        let need = Need { bytes, long: bytes > cost::LONG, host: None };
        let client = memory.client().clone();
        let read = self.queued(&client, need, true, move || (document(&page, &limits), page)).await?;
        let ((read, page), _) = read;
        let (format, document) = read?;
        if let Some(document) = &document {
            memory.grow_soon(document.bytes.len()).await?;
        }
        Ok((page, format, document, memory))
    }

    /// Returns the decoded HTML of a page.
    ///
    /// # Errors
    /// The source is not an HTML page.
    pub fn html<'a>(&self, extractor: &Extractor, source: &'a Source) -> Result<Cow<'a, str>, Problem> {
        if source.text {
            Ok(String::from_utf8_lossy(&source.bytes))
        } else {
            Ok(extractor.decode(&source.bytes, source.charset.as_deref())?.text)
        }
    }

    /// Extracts a page and updates the counters.
    ///
    /// # Errors
    /// The source is not an HTML page, its address is invalid, or a setting is invalid.
    pub fn extract(&self, choices: &Choices, source: &Source) -> Result<Page, Problem> {
        self.extract_seen(choices, source, |_| ()).map(|read| read.0)
    }

    /// Names the setting behind a limit that is the page's share of the memory, not the one of the operator.
    fn name_memory(&self, choices: &Choices, warnings: &mut [Warning]) {
        let (used, own) = (choices.options.budget, self.config.budget);
        let lowered = [("bytes", used.bytes < own.bytes), ("nodes", used.nodes < own.nodes)];
        for (what, _) in lowered.into_iter().filter(|limit| limit.1) {
            let cut = Warning::limit_reached(what);
            for warning in warnings.iter_mut().filter(|warning| **warning == cut) {
                warning.message =
                    format!("more {what} than the memory of this service allows (--memory): the result is partial");
            }
        }
    }

    /// Extracts a page like [`App::extract`], and lets `see` look at its tree and blocks: no page is parsed twice for one answer.
    ///
    /// # Errors
    /// As for [`App::extract`].
    pub fn extract_seen<T>(
        &self,
        choices: &Choices,
        source: &Source,
        see: impl FnOnce(&Analysis<'_>) -> T,
    ) -> Result<(Page, T), Problem> {
        let start = Instant::now();
        let mut extractor = self.extractor_for(choices, source.url.as_deref())?;
        let html = if source.text {
            Html::Text(std::str::from_utf8(&source.bytes).unwrap_or(""))
        } else {
            Html::Bytes(&source.bytes)
        };
        let page = maintext_core::Input::at(html, source.url.as_deref(), source.charset.as_deref());
        let read = extractor.extract_seen(maintext_core::Input { whole: source.whole, ..page }, see);
        self.metrics.pages.fetch_add(1, Ordering::Relaxed);
        self.metrics.page_bytes.fetch_add(source.bytes.len() as u64, Ordering::Relaxed);
        self.metrics.page_nanos.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let (mut page, seen) = read?;
        self.name_memory(choices, &mut page.warnings);
        if page.needs_rendering() {
            source.needs_rendering.store(true, Ordering::Relaxed);
        }
        page.preferences.add(&source.preferences);
        page.markdown_url = page.markdown_url.or_else(|| source.markdown_url.clone());
        page.warnings.extend(source.warnings.iter().cloned());
        page.representation = source.requested.as_ref().and(source.representation.clone());
        if let Some(status) = source.status.filter(|status| *status > 0) {
            page.answered(status, source.url.clone());
        }
        Ok((page, seen))
    }
}

/// Returns the facts known about a page before it is read.
fn hint(page: &Fetched) -> Hint<'_> {
    Hint {
        name: page.url.split_once("://").and_then(|(_, rest)| rest.split(['?', '#']).next()),
        url: Some(&*page.url).filter(|url| !url.is_empty()),
        content_type: page.content_type.as_deref(),
        charset: page.charset.as_deref(),
    }
}

/// Whether the site declares a page as Markdown or plain text.
fn is_declared_text(page: &Fetched) -> bool {
    let essence = maintext_fetch::representation::essence(page.content_type.as_deref());
    essence == "text/plain" || is_markdown(Some(&essence))
}

/// Returns the memory that the conversion of a page takes if it may be Markdown or plain text, or is a feed or a sitemap.
fn conversion(page: &Fetched, limits: &FormatLimits) -> Option<usize> {
    // An empty answer is not another version of the page.
    if page.body.trim_ascii().is_empty() {
        return None;
    }
    let memory = |format| maintext_formats::memory(&page.body, format, limits);
    if is_declared_text(page) {
        // Plain text with the name of a Markdown file is Markdown, which takes more.
        return Some(memory(Format::Markdown).max(memory(Format::Text)));
    }
    let format = maintext_formats::recognise(&page.body, &hint(page)).ok()?;
    matches!(format, Format::Rss | Format::Atom | Format::Sitemap).then(|| memory(format))
}

/// Returns the format of a page, and its document if it is Markdown, plain text, a feed or a sitemap.
fn document(page: &Fetched, limits: &FormatLimits) -> Result<(Format, Option<Document>), Problem> {
    let read = if is_declared_text(page) {
        maintext_formats::declared_text(&page.body, &hint(page), limits)
    } else {
        maintext_formats::documents(page.body.clone(), &hint(page), limits)
            .and_then(|mut documents| Ok((documents.format(), documents.next().transpose()?)))
    };
    read.map_err(|refusal| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "not_a_page", refusal.to_string()))
}

/// Returns the site of an address: its host without `www.`, and the port unless it is the default.
pub fn site_of(url: Option<&str>) -> Option<String> {
    let url = url::Url::parse(url?).ok()?;
    let host = url.host_str()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Returns the host of an address, in lower case; empty if it has none.
pub fn host_of(url: &str) -> String {
    url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_lowercase)).unwrap_or_default()
}
