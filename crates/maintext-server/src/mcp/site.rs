//! Answers from several pages of a site: its map, and a crawl of a few pages.
use super::arguments::{Arguments, CheckedCall};
use super::task::{CallTask, TaskStep};
use crate::answers::words::{HeadValue, Own};
use crate::answers::{AnswerBody, CallAnswer};
use crate::app::{App, host_of};
use crate::ask::{Choices, Fetch, PageJob};
use crate::flow::StopOnDrop;
use crate::limits::links_only;
use crate::problem::Problem;
use crate::threads::blocking;
use crate::trace;
use axum::http::StatusCode;
use maintext_crawl::store::{AddressSource, Listing};
use maintext_crawl::{Error, Observer, Options, Pattern, Progress, Site, whole};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time for reading sitemaps, feeds and the first page.
const MAP_TIME: Duration = Duration::from_secs(20);
/// Time after which a crawl asks for no further page.
const CRAWL_TIME: Duration = Duration::from_secs(45);
/// Minimum time between two requests to the site.
const DELAY: Duration = Duration::from_millis(500);

/// `map`: the addresses of a site.
pub async fn map(app: &Arc<App>, task: &CallTask, call: CheckedCall) -> Result<CallAnswer, Problem> {
    let (url, _, wanted) = call.site()?;
    app.check_rest(&url)?;
    let listings = listings(app, task, &url, &wanted, Some(1), wanted.max_pages.unwrap_or(200)).await?.0;
    let items = listings.into_iter().map(|l| {
        let day = l.lastmod.as_ref().map(|d| d.chars().take(10).collect::<String>());
        let mut line = format!("- {}", l.url);
        for more in [&l.title, &day].into_iter().flatten() {
            line += &format!(" | {}", more.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        (line, json!({"url": l.url, "title": l.title, "lastmod": l.lastmod, "source": l.source.name()}))
    });
    let mut head = vec![("site", HeadValue::Site(url)), ("addresses", Own::count(items.len()).into())];
    if items.len() < 2 {
        head.push(("hint", "hardly any address was found; list returns the entries of a page".into()));
    }
    Ok(CallAnswer::of_items(head, "addresses", items))
}

/// `crawl`: the beginning of the text of a few pages.
pub async fn crawl(app: &Arc<App>, task: &CallTask, call: CheckedCall) -> Result<CallAnswer, Problem> {
    let (url, choices, wanted) = call.site()?;
    app.check_rest(&url)?;
    let most = wanted.max_pages.unwrap_or(5);
    let start = Instant::now();
    let time = CRAWL_TIME.min(app.config.request_timeout);
    let (mut listings, mut steps) = self::listings(app, task, &url, &wanted, Some(1), 2000).await?;
    // A small site, or one whose pages lead only to the next one: links of further pages are followed, too.
    if (listings.len() as u64) < most {
        let (more, further) = self::listings(app, task, &url, &wanted, None, most).await?;
        listings = more;
        steps += further;
    }
    // The site's own links show better what matters than the order of a sitemap.
    listings.sort_by_key(|l| match l.source {
        AddressSource::Start => 0,
        AddressSource::Link => 1,
        _ => 2,
    });
    let known = listings.len();
    let wanted = usize::try_from(most).unwrap_or(usize::MAX).min(known);
    let total = steps + wanted as u64;
    let mut items = Vec::new();
    let (mut late, mut failed) = (false, 0);
    // Pages that fail are replaced by others, but a site where most of them do is not tried for long.
    for listing in listings.into_iter().take(2 * wanted) {
        let read_pages = items.len() - failed;
        if read_pages == wanted {
            break;
        }
        if !items.is_empty() {
            tokio::time::sleep(DELAY).await;
        }
        // No address: a client may show the message outside of any mark.
        let message = format!("page {} of {wanted}", read_pages + 1);
        let left = time.saturating_sub(start.elapsed());
        let Ok(item) = tokio::time::timeout(left, read(app, listing.url, &choices)).await else {
            late = true;
            break;
        };
        failed += usize::from(item.1.get("error").is_some());
        items.push(item);
        task.report(TaskStep { done: steps + (items.len() - failed) as u64, total: Some(total), message });
    }
    let pages = Own::count(items.len() - failed).then(" of ");
    let pages = pages.and(Own::counted(known, " known address", " known addresses"));
    let mut head = vec![("site", HeadValue::Site(url)), ("pages", pages.into())];
    if failed > 0 {
        head.push(("failed", Own::count(failed).into()));
    }
    if late {
        head.push(("warnings", Own::text("stopped after ").and(Own::number(time.as_secs())).then(" s").into()));
    }
    head.push(("hint", "extract returns the whole text of a page".into()));
    Ok(CallAnswer { head, body: AnswerBody::Items { name: "pages", legend: None, items, share: true } })
}

/// Reads a page of a crawl. A page that fails is an item, too.
async fn read(app: &Arc<App>, url: String, choices: &Choices) -> (String, serde_json::Value) {
    let job = PageJob::at(&url, Fetch::default(), choices.clone());
    match app.on_page(job, |app, choices, source| app.extract(choices, source)).await {
        Ok(page) => {
            let title = page.metadata.title.unwrap_or_default();
            let line = if title.is_empty() { String::new() } else { format!("title: {title}\n") };
            let content = page.markdown.unwrap_or_default();
            let (content, characters) = (content.trim(), content.chars().count());
            // Fields, because a heading would be below the page's own ones.
            let text = format!("{line}url: {url}\ncharacters: {characters}\n\n{content}\n");
            (text, json!({"url": url, "title": title, "characters": characters, "content": content}))
        }
        Err(problem) => {
            let text = format!("url: {url}\nerror: {}\n", problem.detail);
            (text, json!({"url": url, "error": problem.detail}))
        }
    }
}

/// Tells the client how many addresses a map knows.
#[derive(Debug)]
struct MapTold {
    task: CallTask,
    steps: AtomicU64,
    /// Addresses that robots.txt forbids.
    forbidden: AtomicU64,
}

impl Observer for MapTold {
    fn progress(&self, progress: &Progress, _now: &str) {
        let done = progress.lists + progress.written + progress.queued + progress.failed + progress.disallowed;
        let done = self.steps.fetch_max(done, Ordering::Relaxed).max(done);
        self.forbidden.fetch_max(progress.disallowed, Ordering::Relaxed);
        self.task.report(TaskStep { done, total: None, message: format!("{done} addresses") });
    }
}

/// Lists the addresses of a site up to so many links from the start, the start first, and counts the steps that this took.
async fn listings(
    app: &Arc<App>,
    task: &CallTask,
    url: &str,
    wanted: &Arguments,
    depth: Option<u32>,
    most: u64,
) -> Result<(Vec<Listing>, u64), Problem> {
    let Some(fetch) = app.config.fetch.clone() else {
        return Err(Problem::new(StatusCode::FORBIDDEN, "no_fetching", "this server does not fetch pages"));
    };
    let site = Site {
        include: patterns(&wanted.include, "include")?,
        exclude: patterns(&wanted.exclude, "exclude")?,
        depth,
        map: true,
        ..Site::default()
    };
    let stop = StopOnDrop::default();
    let options = Options {
        starts: vec![url.to_owned()],
        max_pages: most,
        max_time: Some(MAP_TIME.min(app.config.request_timeout)),
        delay: DELAY,
        retries: 0,
        stop: Some(stop.0.clone()),
        site: Some(site),
        fetch,
        resting_with: app.fetcher(),
        extract: links_only(app.config.budget),
        ..Options::default()
    };
    let host = host_of(url);
    let slot = app.limits.fetch(&trace::client(), &host).await?;
    let told = MapTold { task: task.clone(), steps: AtomicU64::new(0), forbidden: AtomicU64::new(0) };
    let work = blocking(move || {
        let _slot = slot;
        whole::map(&options, &told)
            .map(|(listings, _)| (listings, told.steps.into_inner(), told.forbidden.into_inner()))
    });
    let (listings, steps, forbidden) = match work.await? {
        Ok(found) => found,
        Err(Error::Start(_)) => (Vec::new(), 0, 0),
        Err(other) => return Err(Problem::bad_request(other.to_string())),
    };
    drop(stop);
    if !listings.is_empty() {
        return Ok((listings, steps));
    }
    if forbidden > 0 {
        let detail = format!("the robots.txt of {host} does not allow {url}");
        return Err(Problem::new(StatusCode::FORBIDDEN, "robots_refused", detail));
    }
    app.check_start(url).await?;
    if !wanted.include.is_empty() || !wanted.exclude.is_empty() {
        let why = "include and exclude leave no address of the site; '*' stands for any text, as in '*/news/*'";
        return Err(Problem::bad_request(format!("{url}: {why}")));
    }
    let why = "the page can be read, but no address was found; robots.txt may be unreadable";
    Err(Problem::new(StatusCode::FAILED_DEPENDENCY, "fetch_failed", format!("{url}: {why}")))
}

fn patterns(texts: &[String], name: &str) -> Result<Vec<Pattern>, Problem> {
    let parsed = texts.iter().map(|text| Pattern::new(text));
    parsed.collect::<Result<Vec<_>, _>>().map_err(|e| Problem::bad_request(format!("{name}: {e}")))
}
