//! Works on jobs: at most three at a time and two of one client. Clients take turns, and requests that a client waits for come first.
//!
//! The store holds everything that a job needs to continue after the service was killed: its request, its results, and for a crawl the
//! queue, which is a file next to the store. A page's result is durable before the queue forgets the page, and results that the queue
//! does not know of are dropped when the crawl resumes. So no page is lost or duplicated.
//!
//! Several services may use one store. The one that holds the lock of a file next to it works on the jobs; when it ends, in whatever way, the
//! system frees the lock, and another service takes the jobs over.
use super::document::{PageLinks, ScrapedPage};
use super::extras::RequestFacts;
use super::fields::now;
use super::requests::{Batch, CrawlRequest};
use super::scrape::Scrape;
use super::waiting::{LONGEST_WAIT, Pause, WaitingPage, WaitingPages};
use crate::app::{App, Source};
use crate::ask::PageJob;
use crate::client::Client;
use crate::log;
use crate::problem::Problem;
use crate::running::RunningJob;
use crate::store::jobs::{JobRow, RowKind, StoredJob};
use crate::threads::blocking;
use maintext_chunks::Reading;
use maintext_crawl::store::{CUT_INDICES, Output};
use maintext_crawl::{EmbeddedPage, Host, Observer, Progress, SharedHost, whole};
use maintext_fetch::FetchError;
use std::any::Any;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Number of jobs in progress, in all and per client, so that one client's jobs cannot block another's.
const RUNNING: usize = 3;
const PER_CLIENT: usize = 2;
/// Number of pages of one batch in progress.
const PAGES: usize = 2;
/// Interval at which expired jobs are deleted.
const SWEEP: Duration = Duration::from_secs(30);
/// After this long a page of a job no longer waits until no request needs a thread.
const PATIENCE: Duration = Duration::from_secs(60);
/// Interval at which the jobs that other services began or ended are looked for, and the lock is tried.
const LOOK: Duration = Duration::from_secs(2);
/// Interval at which a stop of the service is noticed.
const GLANCE: Duration = Duration::from_millis(200);
/// How often a job is tried whose files are in use, as they are for a moment after a restart, and the pause between two tries.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// Waits until this service alone works on the jobs of its store, and returns the locked file, `None` for a store in memory.
async fn sole_worker(app: &App) -> io::Result<Option<File>> {
    let Some(store) = app.config.store.as_deref() else { return Ok(None) };
    let file = File::options().create(true).truncate(false).write(true).open(with_ending(store, ".jobs"))?;
    while !app.stopping.load(Ordering::Relaxed) {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => tokio::time::sleep(GLANCE).await,
            // Some file systems do not support locks; then nothing prevents that two services work on a job.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(Some(file)),
        }
    }
    Ok(None)
}

/// Begins and ends jobs until the service stops.
pub async fn run(app: Arc<App>) {
    let _lock = match sole_worker(&app).await {
        Ok(lock) => lock,
        Err(error) => {
            let why = format!("no job begins, because the lock of the store cannot be opened: {error}");
            return log::event("jobs", &why);
        }
    };
    let mut swept: Option<Instant> = None;
    let mut looked: Option<Instant> = None;
    let mut woken = true;
    while !app.stopping.load(Ordering::Relaxed) {
        if swept.is_none_or(|at| at.elapsed() >= SWEEP) {
            swept = Some(Instant::now());
            sweep(&app);
        }
        let is_due = looked.is_none_or(|at| at.elapsed() >= LOOK);
        if is_due {
            stop_ended(&app);
        }
        if woken || is_due {
            looked = Some(Instant::now());
            while app.jobs.lock().len() < RUNNING && !app.stopping.load(Ordering::Relaxed) {
                let Some(job) = next(&app) else { break };
                begin(&app, job);
            }
        }
        woken = tokio::time::timeout(GLANCE, app.jobs.wake.notified()).await.is_ok();
    }
    for running in app.jobs.lock().values() {
        running.stop.store(true, Ordering::Relaxed);
    }
}

/// Stops the work on jobs that another service has cancelled.
fn stop_ended(app: &App) {
    let Ok(open) = app.store.open_jobs() else { return };
    for (_, running) in app.jobs.lock().iter().filter(|(id, _)| !open.iter().any(|job| job.id == **id)) {
        running.stop.store(true, Ordering::Relaxed);
    }
}

fn sweep(app: &App) {
    for id in app.store.expire_jobs(now()).unwrap_or_default() {
        app.jobs.stop(&id);
        if let Some(path) = state_path(app, &id) {
            remove(&path);
        }
    }
}

/// Removes the queue of a crawl and the files that SQLite keeps next to it.
fn remove(path: &Path) {
    for ending in ["", "-journal", "-wal", "-shm"] {
        let _ = std::fs::remove_file(with_ending(path, ending));
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Returns the oldest waiting job of the client with the fewest jobs in progress.
fn next(app: &App) -> Option<StoredJob> {
    let mut waiting = app.store.open_jobs().unwrap_or_default();
    let running = app.jobs.lock();
    let count = |job: &StoredJob| running.values().filter(|r| r.owner == job.owner).count();
    waiting.retain(|job| !running.contains_key(&job.id) && count(job) < PER_CLIENT);
    waiting.sort_by_key(count);
    waiting.into_iter().next()
}

fn begin(app: &Arc<App>, job: StoredJob) {
    let running = Arc::new(RunningJob { owner: job.owner.clone(), ..RunningJob::default() });
    app.jobs.lock().insert(job.id.clone(), running.clone());
    let app = app.clone();
    tokio::spawn(async move {
        let id = job.id.clone();
        let ended = match job.kind.as_str() {
            "crawl" => {
                let (app, running) = (app.clone(), running.clone());
                let work = blocking(move || crawl(&app, &job, &running));
                let bug = "this is a bug in maintext; please report it with the address";
                work.await.unwrap_or_else(|_| Err(bug.into()))
            }
            _ => batch(&app, &job, &running).await,
        };
        let expires = now() + app.config.jobs.keep.as_secs() as i64;
        let _ = match ended {
            Ok(Some(Ended { state, warning })) => app.store.end_job(&id, state, warning.as_deref(), expires),
            Ok(None) => Ok(false),
            Err(why) => app.store.end_job(&id, "failed", Some(&why), expires),
        };
        // The next service that works on an open job needs its queue.
        let is_open = app.store.job(&id).map_or(true, |job| job.is_some_and(|job| job.state == "scraping"));
        if let (Some(path), false) = (state_path(&app, &id), is_open) {
            remove(&path);
        }
        app.jobs.lock().remove(&id);
        app.jobs.wake.notify_one();
    });
}

/// How a job ended; a stopped job has not ended.
struct Ended {
    state: &'static str,
    warning: Option<String>,
}

fn full(app: &App) -> bool {
    app.store.job_bytes().unwrap_or(0) >= app.config.jobs.bytes as i64
}

fn too_much(app: &App) -> String {
    let most = app.config.jobs.bytes >> 20;
    format!("the job ended early: the results of all jobs have reached {most} MiB (--job-bytes)")
}

/// Returns the path of a crawl's queue.
fn state_path(app: &App, id: &str) -> Option<PathBuf> {
    Some(with_ending(app.config.store.as_deref()?, &format!(".{id}.crawl")))
}

/// Runs a crawl until it is complete or stopped.
fn crawl(app: &Arc<App>, job: &StoredJob, running: &Arc<RunningJob>) -> Result<Option<Ended>, String> {
    let CrawlRequest { options, scrape, .. } = CrawlRequest::read(&job.request, &app.config).map_err(|p| p.detail)?;
    let stop = running.stop.clone();
    let is_full = Arc::new(AtomicBool::new(false));
    let embed = SharedHost(Arc::new(CrawlHost {
        client: Client::from_name(&job.owner),
        app: app.clone(),
        scrape,
        stop: stop.clone(),
    }));
    let resting_with = app.fetcher();
    let options = maintext_crawl::Options { stop: Some(stop.clone()), embed: Some(embed), resting_with, ..options };
    let observer = Queued(running.clone());
    let path = state_path(app, &job.id);
    let mut tries = 0;
    let (progress, totals) = loop {
        let rows = JobRows { app: app.clone(), id: job.id.clone(), end: 0, stop: stop.clone(), full: is_full.clone() };
        match whole::crawl_to(&options, path.as_deref(), Box::new(rows), &observer) {
            Ok(done) => break done,
            Err(_) if stop.load(Ordering::Relaxed) => return Ok(None),
            // A service that is ending still has it.
            Err(e) if e.is_in_use() => std::thread::sleep(PAUSE),
            Err(maintext_crawl::Error::State(..)) if tries < TRIES => {
                tries += 1;
                std::thread::sleep(PAUSE);
            }
            Err(e) => return Err(e.to_string()),
        }
    };
    if is_full.load(Ordering::Relaxed) {
        return Ok(Some(Ended { state: "completed", warning: Some(too_much(app)) }));
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let failed = progress.written == 0 && progress.failed > 0;
    let left = (totals.left > 0).then(|| match totals.left {
        1 => "1 known address is beyond the limit".to_owned(),
        n => format!("{n} known addresses are beyond the limit"),
    });
    let is_forbidden = progress.written == 0 && progress.disallowed > 0;
    let forbidden = is_forbidden.then(|| "robots.txt forbids the start of the crawl".to_owned());
    let cut = totals.skipped.get(CUT_INDICES);
    let cut = cut.map(|(n, first)| format!("{n} sitemaps and feeds are beyond the limit, the first is {first}"));
    let warnings: Vec<String> = forbidden.into_iter().chain(left).chain(cut).collect();
    let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
    Ok(Some(Ended { state: if failed { "failed" } else { "completed" }, warning }))
}

struct Queued(Arc<RunningJob>);

impl Observer for Queued {
    fn progress(&self, progress: &Progress, _now: &str) {
        self.0.known.store(progress.written + progress.queued, Ordering::Relaxed);
    }
}

/// The service as the host of a crawl.
pub struct CrawlHost {
    /// The service.
    pub app: Arc<App>,
    /// The client to whom the work counts.
    pub client: Client,
    /// Settings of each page.
    pub scrape: Scrape,
    /// Set if the work is to stop.
    pub stop: Arc<AtomicBool>,
}

/// Marks the rows of documents and of forbidden addresses; rows of failures are JSON.
const DOCUMENT: char = 'D';
const FORBIDDEN: char = 'R';

impl Host for CrawlHost {
    fn turn(&self) -> Box<dyn Any> {
        let start = Instant::now();
        // A free thread is one that no request waits for.
        loop {
            match self.app.limits.spare(&self.client) {
                Some(thread) => return Box::new(thread),
                None if start.elapsed() > PATIENCE || self.stop.load(Ordering::Relaxed) => return Box::new(()),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn row(&self, seen: &EmbeddedPage<'_>) -> String {
        let source = RequestFacts {
            holder: self.client.holder(),
            asked: seen.asked,
            url: Some(&seen.fetched.url),
            status: Some(seen.fetched.status),
            content_type: seen.fetched.content_type.as_deref(),
            picture: None,
        };
        let formats = &self.scrape.formats;
        let links = if formats.links || formats.images {
            // The crawl has dropped the tree by now.
            let base = url::Url::parse(&seen.fetched.url).ok();
            PageLinks::of(formats, &maintext_core::dom::parse(seen.html, &Default::default()), base.as_ref())
        } else {
            PageLinks::default()
        };
        let html = formats.raw_html.then(|| seen.html.to_owned());
        let extras = formats.extras.of(&self.app, &source, seen.page, || {
            Reading::of_page(seen.page).with_source(seen.html.as_bytes(), Some("utf-8"), &self.app.config.budget)
        });
        // A crawl goes on without them if the store fails.
        let extras = extras.unwrap_or_default();
        let document = ScrapedPage { formats, page: seen.page, html, links, seen: source, extras };
        self.app.metrics.pages.fetch_add(1, Ordering::Relaxed);
        self.app.metrics.page_bytes.fetch_add(seen.fetched.body.len() as u64, Ordering::Relaxed);
        format!("{DOCUMENT}{}", document.value())
    }

    fn forbidden(&self, url: &str) -> Option<String> {
        Some(format!("{FORBIDDEN}{url}"))
    }
}

/// The output of a crawl: rows in the store.
struct JobRows {
    app: Arc<App>,
    id: String,
    end: u64,
    stop: Arc<AtomicBool>,
    full: Arc<AtomicBool>,
}

impl Output for JobRows {
    fn length(&mut self) -> io::Result<u64> {
        self.app.store.rows_end(&self.id).map(|n| n as u64).map_err(io::Error::other)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.end = length;
        self.app.store.cut_rows(&self.id, length as i64).map_err(io::Error::other)
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let rows: Vec<(i64, JobRow)> =
            lines.split_inclusive(|b| *b == b'\n').map(|l| (l.len() as i64, row(l))).collect();
        self.app.store.append_rows(&self.id, self.end as i64, &rows).map_err(io::Error::other)?;
        self.end += lines.len() as u64;
        if full(&self.app) {
            self.full.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Returns the row of a line of the crawl.
fn row(line: &[u8]) -> JobRow {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches('\n');
    if let Some(document) = text.strip_prefix(DOCUMENT) {
        return job_row(RowKind::Document, "", None, document);
    }
    if let Some(url) = text.strip_prefix(FORBIDDEN) {
        return job_row(RowKind::Forbidden, url, None, "");
    }
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let [url, error] = ["url", "error"].map(|name| value[name].as_str().unwrap_or(""));
    job_row(RowKind::Failure, url, Some("SCRAPE_SITE_ERROR"), error)
}

fn job_row(kind: RowKind, url: &str, code: Option<&str>, text: &str) -> JobRow {
    JobRow { kind, url: url.into(), code: code.map(str::to_owned), text: text.into(), made: now() }
}

/// Runs a batch until all its pages have a result or it is stopped.
async fn batch(app: &Arc<App>, job: &StoredJob, running: &Arc<RunningJob>) -> Result<Option<Ended>, String> {
    let read = Batch::read(&job.request, &app.config, app.can_render()).map_err(|p| p.detail)?;
    let scrape = Arc::new(read.scrape);
    let mut waiting = WaitingPages::new(app.store.waiting_urls(&job.id).map_err(|e| e.to_string())?);
    let mut pages = tokio::task::JoinSet::new();
    loop {
        if running.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if full(app) {
            return Ok(Some(Ended { state: "completed", warning: Some(too_much(app)) }));
        }
        while pages.len() < PAGES
            && let Some(page) = waiting.next(Instant::now())
        {
            let (app, scrape, stop) = (app.clone(), scrape.clone(), running.stop.clone());
            let (id, owner) = (job.id.clone(), job.owner.clone());
            pages.spawn(async move { (one(&app, &scrape, &owner, &id, &page, &stop).await, page) });
        }
        if pages.is_empty() {
            if waiting.is_empty() {
                return Ok(Some(Ended { state: "completed", warning: None }));
            }
            // All servers asked to wait.
            tokio::time::sleep(GLANCE).await;
        } else if let Ok(Some(Ok((Some(pause), page)))) = tokio::time::timeout(GLANCE, pages.join_next()).await {
            waiting.put_back(page, &pause);
        }
    }
}

/// Makes one page of a batch, and stores the result. Returns a pause instead if the page is to be requested after it.
async fn one(
    app: &Arc<App>,
    scrape: &Arc<Scrape>,
    owner: &str,
    id: &str,
    page: &WaitingPage,
    stop: &AtomicBool,
) -> Option<Pause> {
    let (client, url, may_retry) = (Client::from_name(owner), page.url.clone(), !page.is_retry);
    let (work, asked, holder) = (scrape.clone(), url.clone(), client.holder().to_owned());
    let job = PageJob { memory: Some(app.limits.share(&client)), ..scrape.job(&url) };
    let document = app.on_page_patiently(job, move |app, _, source| match busy(source) {
        Some(problem) if may_retry => Err(problem),
        _ => work.document(app, &holder, &asked, source),
    });
    let row = match document.await {
        Ok(document) => job_row(RowKind::Document, &url, None, &document.to_string()),
        Err(problem) => {
            let pause = pause(&problem).filter(|pause| may_retry || !pause.is_answer);
            if let Some(pause) = pause {
                return Some(Pause { is_of_server: app.check_rest(&url).is_err(), ..pause });
            }
            job_row(RowKind::Failure, &url, Some(&super::firecrawl_code(&problem).1), &problem.detail)
        }
    };
    if !stop.load(Ordering::Relaxed) {
        let _ = app.store.add_row(id, page.n, &row);
    }
    None
}

/// Returns the problem of a page that its server answered with a pause that the job can wait for.
fn busy(source: &Source) -> Option<Problem> {
    let (url, status) = (source.url.clone().unwrap_or_default(), source.status?);
    let problem = FetchError::Status { url, status, retry_after: source.retry_after, sent: true }.into();
    pause(&problem).is_some().then_some(problem)
}

/// Returns the pause that a server asked for, if the job can wait for its end.
fn pause(problem: &Problem) -> Option<Pause> {
    let wait = problem.retry_after.map(Duration::from_secs).filter(|wait| *wait <= LONGEST_WAIT)?;
    let is_busy = matches!(problem.upstream_status, Some(429 | 503));
    (problem.is_unsent || is_busy).then_some(Pause { wait, is_answer: !problem.is_unsent, is_of_server: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_crawl_become_rows() {
        assert_eq!(row(b"D{\"a\":1}\n").text, "{\"a\":1}");
        assert_eq!(row(b"Rhttps://e.org/no\n").url, "https://e.org/no");
        let failed = row(b"{\"id\":\"https://e.org/\",\"url\":\"https://e.org/\",\"error\":\"gone\"}\n");
        assert_eq!(
            (failed.kind, failed.url.as_str(), failed.text.as_str()),
            (RowKind::Failure, "https://e.org/", "gone")
        );
    }
}
