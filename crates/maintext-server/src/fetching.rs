//! Fetches pages for clients: from the cache, or from their sites with the manners that the settings ask for.
use crate::ask::Fetch;
use crate::cache::{Cache, CacheHit};
use crate::config::Config;
use crate::manners::{Sites, Visit};
use crate::memory::MemoryShare;
use crate::metrics::{self, CountedEvent, Gauge, Metrics, Timing};
use crate::problem::Problem;
use maintext_core::Preferences;
use maintext_fetch::{Answer, Ask, FetchError, FetchOptions, Fetched, Fetcher, Hop, Representation};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use url::Url;

/// Fetches pages.
#[derive(Debug)]
pub struct Fetching {
    options: FetchOptions,
    fetcher: Fetcher,
    /// Returns pages with an error status, too.
    lenient: Fetcher,
    cache: Option<Cache>,
    sites: Arc<Sites>,
    metrics: Arc<Metrics>,
}

/// A page for a client.
#[derive(Debug)]
pub struct ClientPage {
    /// The page.
    pub page: Arc<Fetched>,
    /// The address that answered, with the fragment that the client asked for.
    pub url: String,
    /// The result of the look-up in the cache: `hit`, `revalidated`, `miss` or `bypass`; `None` without a cache.
    pub cache: Option<&'static str>,
    /// Age of a page from the cache.
    pub age: Option<Duration>,
    /// Time that the site took.
    pub time: Option<Duration>,
    /// The uses that robots.txt and the headers allow or forbid.
    pub preferences: Preferences,
}

impl Fetching {
    /// Checks the settings. Returns `None` if they forbid to fetch.
    ///
    /// # Errors
    /// A setting is invalid.
    pub fn new(config: &Config, metrics: &Arc<Metrics>) -> Result<Option<Fetching>, FetchError> {
        let Some(options) = config.fetch.clone() else { return Ok(None) };
        let fetcher = Fetcher::new(options.clone())?;
        Ok(Some(Fetching {
            lenient: Fetcher::new(FetchOptions { error_pages: true, ..options.clone() })?.resting_with(&fetcher),
            fetcher,
            cache: config.cache.map(Cache::new),
            sites: Sites::new(config.manners, &options.user_agent, config.memory),
            options,
            metrics: metrics.clone(),
        }))
    }

    /// Returns the levels of the cache, for the metrics.
    pub fn gauges(&self) -> Vec<Gauge> {
        let (entries, bytes) = self.cache.as_ref().map_or((0, 0), Cache::size);
        vec![
            ("maintext_cache_entries", "Pages in the cache.", entries as f64),
            ("maintext_cache_bytes", "Bytes of the pages in the cache.", bytes as f64),
        ]
    }

    /// Returns the fetcher, with which others share the times until which servers want no request.
    pub fn fetcher(&self) -> &Fetcher {
        &self.fetcher
    }

    /// Refuses an address whose server has asked to wait.
    ///
    /// # Errors
    /// The server has.
    pub fn check_rest(&self, url: &str) -> Result<(), Problem> {
        match Url::parse(url) {
            Ok(url) => Ok(self.fetcher.check_rest(&url)?),
            // The fetch rejects it.
            Err(_) => Ok(()),
        }
    }

    /// Waits until the browser may load an address.
    ///
    /// # Errors
    /// robots.txt forbids it, or the host is busy or asks to wait.
    pub fn visit(&self, url: &str) -> Result<Option<Visit>, Problem> {
        self.check_rest(url)?;
        match Url::parse(url) {
            Ok(url) => self.sites.visit(&self.fetcher, &url, Instant::now() + self.options.timeout),
            // The browser rejects it.
            Err(_) => Ok(None),
        }
    }

    /// Returns a page. Blocks.
    ///
    /// # Errors
    /// The address is blocked, the fetch failed, or the site is busy.
    pub fn get(&self, url: &str, fetch: &Fetch, memory: &mut MemoryShare) -> Result<ClientPage, Problem> {
        let got = self.look_up(url, fetch, memory)?;
        // The client gets a copy of a page in the cache.
        memory.grow_blocking(got.page.body.len().saturating_sub(memory.bytes()))?;
        // The cache has no fragments, which sites do not get to see.
        let fragment = if !got.url.contains('#') { url.split_once('#').map(|(_, fragment)| fragment) } else { None };
        let url = fragment.map(|fragment| format!("{}#{fragment}", got.url));
        let mut preferences = Url::parse(&got.page.url).map(|url| self.sites.preferences(&url)).unwrap_or_default();
        let headers = got.page.headers.iter();
        headers.for_each(|(name, value)| preferences.add_header(name, value, &self.options.user_agent));
        Ok(ClientPage { url: url.unwrap_or(got.url), preferences, ..got })
    }

    fn look_up(&self, url: &str, fetch: &Fetch, memory: &mut MemoryShare) -> Result<ClientPage, Problem> {
        // Pages that are fetched with a client's headers belong to that client.
        let cache = if fetch.headers.is_empty() { self.cache.as_ref() } else { None };
        let key = cache.and_then(|_| key(url));
        let (Some(cache), Some(key)) = (cache, key) else {
            let state = self.cache.is_some().then_some("bypass");
            state.inspect(|state| self.metrics.count(CountedEvent::Cache, state));
            let (page, time, _) = self.ask_site(url, fetch, memory)?;
            return Ok(got(page, state, None, Some(time)));
        };
        let slot = slot(&key, fetch.representation);
        let reload = fetch.max_age.is_some_and(|age| age.is_zero());
        let found = if reload { CacheHit::Nothing } else { cache.find(&slot, fetch.max_age, Instant::now()) };
        let stale = match found {
            CacheHit::Fresh(page, age) => {
                self.metrics.count(CountedEvent::Cache, "hit");
                return Ok(got(page, Some("hit"), Some(age), None));
            }
            // A page behind redirects is fetched again: its address may have changed.
            CacheHit::Stale(page) => Some(page).filter(|page| self::key(&page.url).as_ref() == Some(&key)),
            CacheHit::Nothing => None,
        };
        let start = Instant::now();
        let answer = stale.as_ref().map(|page| self.again(page, fetch)).transpose()?.flatten();
        if let (Some(page), Some(Answer::Unchanged)) = (stale, &answer) {
            cache.confirm(&slot, Instant::now());
            self.metrics.count(CountedEvent::Cache, "revalidated");
            return Ok(got(page, Some("revalidated"), Some(Duration::ZERO), Some(start.elapsed())));
        }
        let state = if reload { "bypass" } else { "miss" };
        self.metrics.count(CountedEvent::Cache, state);
        let (page, time, lasting) = match answer {
            Some(Answer::Page(page)) => (Arc::new(page), start.elapsed(), true),
            // The complete fetch follows the redirect, or repeats the error in the way that the client wants.
            _ => self.ask_site(&key, fetch, memory)?,
        };
        if lasting {
            cache.store(&slot, &page, Instant::now())
        } else {
            cache.drop_page(&slot)
        }
        Ok(got(page, Some(state), None, Some(time)))
    }

    /// Asks the site of a page in the cache whether it has changed; `None` if it cannot be asked, or fails.
    fn again(&self, page: &Fetched, fetch: &Fetch) -> Result<Option<Answer>, Problem> {
        let (etag, last_modified) = (page.header("etag"), page.header("last-modified"));
        let representation = Some(fetch.representation);
        let ask = Ask { etag, last_modified, representation, ..Ask::new(&page.url) };
        let Ok(url) = Url::parse(&page.url) else { return Ok(None) };
        if ask.etag.is_none() && ask.last_modified.is_none() {
            return Ok(None);
        }
        let _visit = self.sites.visit(&self.fetcher, &url, Instant::now() + self.timeout(fetch))?;
        let start = Instant::now();
        let answer = self.fetcher.ask(&ask).ok();
        self.metrics.time(Timing::Fetch, start.elapsed());
        match &answer {
            Some(Answer::Unchanged) => self.metrics.count(CountedEvent::Fetch, "unchanged"),
            Some(Answer::Page(_)) => self.metrics.count(CountedEvent::Fetch, "ok"),
            Some(Answer::Moved(_)) | None => {}
        }
        Ok(answer)
    }

    fn timeout(&self, fetch: &Fetch) -> Duration {
        fetch.limit.unwrap_or(self.options.timeout).min(self.options.timeout)
    }

    /// Fetches a page from its site. Returns the time that took, and whether all redirects on the way are permanent.
    fn ask_site(
        &self,
        url: &str,
        fetch: &Fetch,
        memory: &mut MemoryShare,
    ) -> Result<(Arc<Fetched>, Duration, bool), Problem> {
        let (metrics, representation, error_pages) = (&self.metrics, fetch.representation, fetch.error_pages);
        let fetcher = if !fetch.headers.is_empty() || fetch.limit.is_some() {
            let (headers, timeout) = (fetch.headers.clone(), self.timeout(fetch));
            let options = FetchOptions { headers, timeout, error_pages, representation, ..self.options.clone() };
            Fetcher::new(options)?.resting_with(&self.fetcher)
        } else if error_pages {
            self.lenient.asking_for(representation)
        } else {
            self.fetcher.asking_for(representation)
        };
        let start = Instant::now();
        let (mut lasting, mut refused, mut visit) = (true, None, None);
        let visiting = |hop: &Hop<'_>| {
            lasting &= hop.status.is_none_or(|status| matches!(status, 301 | 308));
            // The visit to the previous host has ended.
            drop(visit.take());
            match self.sites.visit(&self.fetcher, hop.url, start + self.timeout(fetch)) {
                Ok(next) => {
                    visit = next;
                    Ok(())
                }
                Err(problem) => {
                    let reason = problem.detail.clone();
                    refused = Some(problem);
                    Err(FetchError::Refused { url: hop.url.to_string(), reason })
                }
            }
        };
        let fetched = fetcher.fetch_within(url, visiting, &mut |bytes| memory.grow_blocking(bytes).is_ok());
        drop(visit);
        let time = start.elapsed();
        if let Some(problem) = refused {
            metrics.count(CountedEvent::Fetch, if problem.code == "busy" { "busy" } else { "robots" });
            return Err(problem);
        }
        if matches!(fetched, Err(FetchError::Refused { .. } | FetchError::Scheme { .. })) {
            metrics.refused.fetch_add(1, Ordering::Relaxed);
        }
        metrics.time(Timing::Fetch, time);
        metrics.count(CountedEvent::Fetch, metrics::outcome(&fetched));
        let page = fetched?;
        metrics.fetched_bytes.fetch_add(page.body.len() as u64, Ordering::Relaxed);
        Ok((Arc::new(page), time, lasting))
    }
}

fn got(page: Arc<Fetched>, cache: Option<&'static str>, age: Option<Duration>, time: Option<Duration>) -> ClientPage {
    ClientPage { url: page.url.clone(), page, cache, age, time, preferences: Preferences::default() }
}

/// Returns the name of a page in the cache: each representation of an address has its own.
fn slot(key: &str, representation: Representation) -> String {
    match representation {
        Representation::Html => key.to_owned(),
        // No address has a space.
        other => format!("{key} {other}"),
    }
}

/// Returns the address of a page in the cache: without its fragment.
fn key(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_fragment(None);
    Some(url.into())
}
