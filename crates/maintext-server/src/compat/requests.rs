//! The requests for many pages: Firecrawl's options of maps, crawls and batches.
use super::fields::{JsonFields, address, refused};
use super::scrape::Scrape;
use crate::config::Config;
use crate::limits::{links_only, spare_budget};
use crate::problem::Problem;
use maintext_crawl::address::Address;
use maintext_crawl::{Hosts, Options, Pattern, Site};
use serde_json::{Value, json};
use std::time::Duration;

/// Largest number of addresses in a map, as in the original.
const MAP_LIMIT: u64 = 100_000;
/// The number of addresses in a map if the client names none, as in the original.
const MAP_USUAL: u64 = 5_000;

/// Options about the caller, which change no answer.
const CALLER: &[&str] = &["origin", "integration", "auditMetadata"];

/// A crawl.
pub struct CrawlRequest {
    /// The starting point.
    pub url: String,
    /// Settings of the crawler.
    pub options: Options,
    /// Settings of each page.
    pub scrape: Scrape,
}

impl CrawlRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// An option is invalid or not supported.
    pub fn read(request: &Value, config: &Config) -> Result<CrawlRequest, Problem> {
        let mut fields = JsonFields::new(request.clone(), "")?;
        let url = address(&mut fields)?;
        let mut site = Site::default();
        let full = fields.flag("regexOnFullURL")?.unwrap_or(false);
        site.include = patterns(&mut fields, "includePaths", full)?;
        site.exclude = patterns(&mut fields, "excludePaths", full)?;
        site.depth = fields.number("maxDiscoveryDepth")?.map(|n| n.min(1000) as u32);
        site.subdomains = fields.flag("allowSubdomains")?.unwrap_or(false);
        site.no_queries = fields.flag("ignoreQueryParameters")?.unwrap_or(false);
        site.whole_host = fields.flag("crawlEntireDomain")?.unwrap_or(false);
        sitemaps(&mut fields, &mut site)?;
        let external = fields.flag("allowExternalLinks")?.unwrap_or(false);
        let limit = page_limit(fields.number("limit")?, config)?;
        let delay = fields.take("delay").map(|v| v.as_f64().filter(|s| (0.0..=3600.0).contains(s)));
        let delay = match delay {
            Some(None) => return Err(refused("'delay' must be a number of seconds, at most 3600")),
            given => Duration::from_secs_f64(given.flatten().unwrap_or(0.0)).max(config.jobs.delay),
        };
        let concurrency = fields.number("maxConcurrency")?.unwrap_or(2).clamp(1, 2) as usize;
        if fields.flag("deduplicateSimilarURLs")? == Some(false) {
            return Err(refused("'deduplicateSimilarURLs': false is not supported; each page is read once"));
        }
        let mut inner = JsonFields::new(fields.take("scrapeOptions").unwrap_or(json!({})), "scrapeOptions")?;
        let scrape = Scrape::take(&mut inner, false)?;
        inner.end()?;
        fields.accept(CALLER);
        fields.end()?;
        if !scrape.headers.is_empty() && (external || site.subdomains) {
            let why = "with 'allowExternalLinks' or 'allowSubdomains' other sites would get them";
            return Err(refused(format!("'scrapeOptions.headers' and 'location' cannot be used: {why}")));
        }
        let fetch = config.fetch.clone().ok_or_else(no_fetching)?;
        let timeout = scrape.limit.unwrap_or(fetch.timeout).min(fetch.timeout);
        let options = Options {
            starts: vec![url.clone()],
            max_pages: limit,
            delay,
            concurrency,
            site: Some(site),
            hosts: if external { Hosts::All } else { Hosts::Starts },
            fetch: maintext_fetch::FetchOptions { headers: scrape.headers.clone(), timeout, ..fetch },
            extract: maintext_core::Options {
                budget: spare_budget(config.budget),
                ..(*scrape.choices.options).clone()
            },
            ..Options::default()
        };
        Ok(CrawlRequest { url, options, scrape })
    }
}

/// A batch.
pub struct Batch {
    /// The addresses.
    pub urls: Vec<String>,
    /// Addresses that cannot be fetched, if the client wants to continue without them.
    pub invalid: Vec<String>,
    /// Settings of each page.
    pub scrape: Scrape,
}

impl Batch {
    /// Reads a request.
    ///
    /// # Errors
    /// An option is invalid or not supported, or there are too many addresses.
    pub fn read(request: &Value, config: &Config, can_render: bool) -> Result<Batch, Problem> {
        let mut fields = JsonFields::new(request.clone(), "")?;
        let given = fields.texts("urls")?;
        let ignore = fields.flag("ignoreInvalidURLs")?.unwrap_or(false);
        let scrape = Scrape::take(&mut fields, can_render)?;
        fields.accept(&["maxConcurrency"]);
        fields.accept(CALLER);
        fields.end()?;
        if config.fetch.is_none() {
            return Err(no_fetching());
        }
        let (urls, invalid): (Vec<_>, Vec<_>) = given.into_iter().partition(|url| Address::new(url).is_some());
        if !ignore && let Some(url) = invalid.first() {
            return Err(Problem::bad_request(format!("'urls': '{url}' is not an http or https address")));
        }
        if urls.is_empty() {
            return Err(Problem::bad_request("'urls' must name at least one page"));
        }
        page_limit(Some(urls.len() as u64), config)?;
        Ok(Batch { urls, invalid, scrape })
    }
}

/// A map.
pub struct Map {
    /// The starting point.
    pub url: String,
    /// Settings of the crawler.
    pub options: Options,
    /// Words that put addresses first.
    pub search: Vec<String>,
    /// Largest number of addresses in the answer.
    pub limit: u64,
}

impl Map {
    /// Reads a request.
    ///
    /// # Errors
    /// An option is invalid or not supported.
    pub fn read(request: Value, config: &Config) -> Result<Map, Problem> {
        let mut fields = JsonFields::new(request, "")?;
        let url = address(&mut fields)?;
        let mut site = Site { map: true, depth: Some(1), whole_host: true, ..Site::default() };
        // As in the original, subdomains belong to a map unless the client says otherwise.
        site.subdomains = fields.flag("includeSubdomains")?.unwrap_or(true);
        site.no_queries = fields.flag("ignoreQueryParameters")?.unwrap_or(false);
        sitemaps(&mut fields, &mut site)?;
        let limit = fields.number("limit")?.unwrap_or(MAP_USUAL);
        if !(1..=MAP_LIMIT).contains(&limit) {
            return Err(refused(format!("'limit' must be between 1 and {MAP_LIMIT}")));
        }
        let longest = config.request_timeout.saturating_sub(Duration::from_secs(2)).max(Duration::from_secs(1));
        let time = fields.number("timeout")?.map_or(longest, |ms| Duration::from_millis(ms.max(1)).min(longest));
        let search = fields.text("search")?.unwrap_or_default();
        let search: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
        fields.accept(&["useIndex", "filterByPath"]);
        fields.accept(CALLER);
        fields.end()?;
        let fetch = config.fetch.clone().ok_or_else(no_fetching)?;
        let options = Options {
            starts: vec![url.clone()],
            // A search chooses among all addresses.
            max_pages: if search.is_empty() { limit } else { MAP_LIMIT },
            max_time: Some(time),
            delay: Duration::from_millis(100).min(config.jobs.delay),
            retries: 0,
            concurrency: 4,
            site: Some(site),
            fetch,
            extract: links_only(config.budget),
            ..Options::default()
        };
        Ok(Map { url, options, search, limit })
    }
}

/// Returns the problem of a service that does not fetch.
fn no_fetching() -> Problem {
    let detail = "this service does not fetch pages";
    Problem::new(axum::http::StatusCode::FORBIDDEN, "no_fetching", detail)
}

fn page_limit(limit: Option<u64>, config: &Config) -> Result<u64, Problem> {
    let most = config.jobs.pages;
    match limit {
        None => Ok(most),
        Some(0) => Err(refused("'limit' must be at least 1")),
        Some(n) if n > most => {
            Err(refused(format!("'limit': {n} pages are more than the {most} of this service (--job-pages)")))
        }
        Some(n) => Ok(n),
    }
}

/// Reads regular expressions that must match in the path, or in the whole address.
fn patterns(fields: &mut JsonFields, name: &str, full: bool) -> Result<Vec<Pattern>, Problem> {
    let list = fields.texts(name)?;
    list.iter()
        .map(|text| {
            let parsed = if full { Pattern::new(&format!("re:{text}")) } else { Pattern::of_path(text) };
            parsed.map_err(|e| refused(format!("'{name}': '{text}' is not a regular expression: {e}")))
        })
        .collect()
}

/// Reads whether sitemaps count.
fn sitemaps(fields: &mut JsonFields, site: &mut Site) -> Result<(), Problem> {
    match fields.text("sitemap")?.as_deref() {
        None | Some("include") => {}
        Some("skip") => site.no_sitemaps = true,
        Some("only") => site.no_links = true,
        Some(other) => return Err(refused(format!("'sitemap': '{other}' is not known; use include, skip or only"))),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_a_crawl_are_honoured() {
        let request = json!({"url": "e.org/docs/", "includePaths": ["^/docs/.*$"], "limit": 7, "maxDiscoveryDepth": 2, "sitemap": "only",
            "ignoreQueryParameters": true, "crawlEntireDomain": true, "delay": 3, "deduplicateSimilarURLs": true,
            "scrapeOptions": {"formats": ["html"], "excludeTags": ["aside"]}, "zeroDataRetention": false});
        let crawl = CrawlRequest::read(&request, &Config::default()).unwrap();
        let site = crawl.options.site.as_ref().unwrap();
        assert_eq!((crawl.url.as_str(), crawl.options.max_pages, site.depth), ("https://e.org/docs/", 7, Some(2)));
        assert!(
            site.no_links
                && site.no_queries
                && site.whole_host
                && !site.no_sitemaps
                && site.includes("https://e.org/docs/a")
        );
        assert_eq!((crawl.options.delay, crawl.options.extract.rules.drop.len()), (Duration::from_secs(3), 1));
        assert!(crawl.options.extract.formats.html && !crawl.options.extract.formats.markdown);
    }

    #[test]
    fn other_options_are_refused_by_name() {
        for (more, name) in [
            (json!({"url": "ftp://e.org"}), "'url'"),
            (json!({"webhook": "https://hook/"}), "'webhook'"),
            (json!({"prompt": "the docs"}), "'prompt'"),
            (json!({"limit": 1_000_000}), "--job-pages"),
            (json!({"includePaths": ["("]}), "'includePaths'"),
            (json!({"ignoreRobotsTxt": true}), "'ignoreRobotsTxt'"),
            (json!({"scrapeOptions": {"waitFor": 10}}), "'waitFor'"),
            (json!({"scrapeOptions": {"x": 10}}), "'scrapeOptions.x'"),
            (json!({"sitemap": "maybe"}), "'sitemap'"),
            (
                json!({"allowExternalLinks": true, "scrapeOptions": {"headers": {"Cookie": "a"}}}),
                "'scrapeOptions.headers'",
            ),
        ] {
            let mut request = json!({"url": "https://e.org/"});
            request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let problem = CrawlRequest::read(&request, &Config::default()).err().unwrap();
            assert!(problem.status == 400 && problem.detail.contains(name), "{name}: {problem:?}");
        }
        let batch = |request: Value| Batch::read(&request, &Config::default(), false);
        assert!(batch(json!({"urls": ["a b"]})).err().unwrap().detail.contains("'a b'"));
        let read = batch(json!({"urls": ["a b", "https://e.org/"], "ignoreInvalidURLs": true})).unwrap();
        assert_eq!((read.urls.len(), read.invalid), (1, vec!["a b".to_owned()]));
    }
}
