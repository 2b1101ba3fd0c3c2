//! Firecrawl's routes for many pages: `/map`, `/crawl` and `/batch/scrape`.
use super::fields::{now, refused, time};
use super::jobs::CrawlHost;
use super::requests::{Batch, CrawlRequest, Map};
use super::scrape::Scrape;
use crate::api::{json_response, receive_json};
use crate::app::{App, host_of};
use crate::ask::header_text;
use crate::client::Client;
use crate::problem::Problem;
use crate::store::jobs::{RowKind, StoredJob};
use crate::threads::blocking;
use crate::trace;
use axum::body::Body;
use axum::extract::{FromRequest, OriginalUri, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use maintext_crawl::store::Listing;
use maintext_crawl::{SharedHost, whole};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Documents and bytes of one page of results.
const PAGE_DOCUMENTS: usize = 100;
const PAGE_BYTES: usize = 8 << 20;

/// Refuses addresses that may not be fetched at once, instead of in the results.
fn permitted(app: &App, url: &str) -> Result<(), Problem> {
    let policy = app.config.fetch.as_ref().and_then(|f| f.policy.as_ref());
    let (Some(policy), Ok(parsed)) = (policy, url::Url::parse(url)) else { return Ok(()) };
    policy
        .check_url(&parsed)
        .map_err(|why| Problem::new(StatusCode::FORBIDDEN, "address_refused", format!("{url}: {why}")))
}

/// `POST /v2/map`: returns the addresses of a site.
pub async fn map(State(app): State<Arc<App>>, ask: Request) -> Result<Response, Problem> {
    let asked = receive_json(&app, ask).await?.0;
    let Map { url, options, search, limit } = Map::read(asked, &app.config)?;
    permitted(&app, &url)?;
    app.check_rest(&url)?;
    let slot = app.limits.fetch(&trace::client(), &host_of(&url)).await?;
    let part = CrawlHost { client: trace::client(), app: app.clone(), scrape: Scrape::default(), stop: Arc::default() };
    let (embed, resting_with) = (Some(SharedHost(Arc::new(part))), app.fetcher());
    let options = maintext_crawl::Options { embed, resting_with, ..options };
    let work = blocking(move || {
        let _slot = slot;
        whole::map(&options, &())
    });
    let listed = work.await?;
    let (listings, totals) = listed.map_err(|e| Problem::bad_request(e.to_string()))?;
    if listings.is_empty() && !totals.skipped.contains_key("forbidden by robots.txt") {
        app.check_start(&url).await?;
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let links = sorted(listings, &search).into_iter().take(limit).map(|l| match l.title {
        Some(title) => json!({"url": l.url, "title": title}),
        None => json!({"url": l.url}),
    });
    Ok(json_response(&json!({"success": true, "links": links.collect::<Vec<_>>()})))
}

/// Keeps the addresses that have one of the words in the address or the title, most matches first; all addresses if `search` is empty.
fn sorted(listings: Vec<Listing>, search: &[String]) -> Vec<Listing> {
    if search.is_empty() {
        return listings;
    }
    let mut scored: Vec<(usize, Listing)> =
        listings.into_iter().map(|l| (count_words(search, &l), l)).filter(|(n, _)| *n > 0).collect();
    scored.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    scored.into_iter().map(|(_, listing)| listing).collect()
}

fn count_words(search: &[String], l: &Listing) -> usize {
    // The host and the port are the same in most addresses.
    let path = url::Url::parse(&l.url).map_or(String::new(), |url| url[url::Position::BeforePath..].to_owned());
    let text = format!("{path} {}", l.title.as_deref().unwrap_or("")).to_lowercase();
    search.iter().filter(|word| text.contains(word.as_str())).count()
}

/// A request for a job.
pub struct Order {
    headers: HeaderMap,
    path: String,
    body: Value,
}

impl FromRequest<Arc<App>> for Order {
    type Rejection = Problem;

    async fn from_request(ask: Request, app: &Arc<App>) -> Result<Order, Problem> {
        let (headers, path) = (ask.headers().clone(), ask.uri().path().to_owned());
        Ok(Order { headers, path, body: receive_json(app, ask).await?.0 })
    }
}

/// Stores a job and returns the answer to its request.
async fn begin(app: &Arc<App>, order: Order, kind: &str, url: &str, urls: Vec<String>) -> Result<Value, Problem> {
    let owner = trace::client().to_string();
    let open = app.store.open_jobs()?;
    let own = open.iter().filter(|j| j.owner == owner).count();
    let (most, all) = (app.config.jobs.per_client, app.config.jobs.per_client * 20);
    if own >= most || open.len() >= all {
        let (n, whose) = if own >= most { (most, "your") } else { (all, "all") };
        let detail = format!("{n} of {whose} jobs are not complete; wait until one is, or cancel one");
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_jobs", detail);
        return Err(Problem { retry_after: Some(30), ..problem });
    }
    let used = app.store.job_bytes()?;
    if used >= app.config.jobs.bytes as i64 {
        let detail = "the memory for results of jobs is exhausted; try again when older jobs have expired";
        return Err(Problem { retry_after: Some(600), ..Problem::busy(detail) });
    }
    let (id, created) = (trace::new_id(), now());
    let job = StoredJob {
        id: id.clone(),
        kind: kind.into(),
        owner,
        url: url.into(),
        request: order.body,
        state: "scraping".into(),
        total: urls.len() as i64,
        documents: 0,
        created,
        expires: created + app.config.jobs.keep.as_secs() as i64,
        warning: None,
    };
    let worker = app.clone();
    blocking(move || worker.store.add_job(&job, &urls)).await??;
    app.jobs.wake.notify_one();
    Ok(json!({"success": true, "id": id, "url": format!("{}{}/{id}", base(app, &order.headers), order.path)}))
}

/// Returns the address by which the client reaches the service.
fn base(app: &App, headers: &HeaderMap) -> String {
    let forwarded = header_text(headers, "x-forwarded-proto")
        .filter(|p| app.config.trust.is_some() && matches!(*p, "http" | "https"));
    let host = header_text(headers, header::HOST)
        .filter(|h| h.chars().all(|c| c.is_ascii_graphic() && !"/\\\"<>".contains(c)));
    format!("{}://{}", forwarded.unwrap_or("http"), host.unwrap_or("localhost"))
}

/// `POST /v2/crawl`: begins a crawl.
pub async fn crawl(State(app): State<Arc<App>>, order: Order) -> Result<Response, Problem> {
    let read = CrawlRequest::read(&order.body, &app.config)?;
    permitted(&app, &read.url)?;
    Ok(json_response(&begin(&app, order, "crawl", &read.url, Vec::new()).await?))
}

/// `POST /v2/batch/scrape`: begins a batch.
pub async fn batch(State(app): State<Arc<App>>, mut order: Order) -> Result<Response, Problem> {
    let read = Batch::read(&order.body, &app.config, app.can_render())?;
    // The addresses have a table of their own; one of them stands for all when the options are read again.
    order.body["urls"] = json!([read.urls[0]]);
    let first = read.urls[0].clone();
    let mut answer = begin(&app, order, "batch", &first, read.urls).await?;
    answer["invalidURLs"] = json!(read.invalid);
    Ok(json_response(&answer))
}

fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "no such job; it may have expired")
}

/// Returns a job that the client's token began.
async fn stored(app: &Arc<App>, id: &str) -> Result<StoredJob, Problem> {
    let job = app.store.job(id)?;
    job.filter(|job| Client::from_name(&job.owner).holder() == trace::client().holder()).ok_or_else(not_found)
}

fn number(uri: &Uri, name: &str) -> Result<Option<u64>, Problem> {
    let mut found = None;
    for (_, value) in url::form_urlencoded::parse(uri.query().unwrap_or("").as_bytes()).filter(|pair| pair.0 == name) {
        found = Some(value.parse().map_err(|_| refused(format!("'{name}': '{value}' is not a whole number")))?);
    }
    Ok(found)
}

/// `GET .../{id}`: returns the state of a job and a page of its results, with the address of the next page.
pub async fn status(
    State(app): State<Arc<App>>,
    OriginalUri(uri): OriginalUri,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let job = stored(&app, &id).await?;
    let skip = i64::try_from(number(&uri, "skip")?.unwrap_or(0)).unwrap_or(i64::MAX);
    let asked = number(&uri, "limit")?;
    let same_limit = asked.map_or_else(String::new, |limit| format!("&limit={limit}"));
    let limit = asked.unwrap_or(PAGE_DOCUMENTS as u64).clamp(1, PAGE_DOCUMENTS as u64);
    let (worker, name) = (app.clone(), id.clone());
    let documents = blocking(move || worker.store.documents(&name, skip, limit as usize, PAGE_BYTES)).await??;
    let seen = skip.saturating_add(documents.len() as i64);
    // The queue holds addresses beyond the limit, and shrinks by those that fail; a progress bar must not go back.
    let limit = job.request["limit"].as_i64().unwrap_or(app.config.jobs.pages as i64);
    let known = app.jobs.lock().get(&id).map_or(0, |job| job.known.load(Ordering::Relaxed)) as i64;
    let known = known.max(job.documents).min(limit);
    let total = if job.kind == "batch" { job.total } else { app.store.raise_total(&id, known)? };
    let mut head = json!({
        "success": true, "status": job.state, "completed": job.documents, "total": total.max(job.documents), "creditsUsed": job.documents,
        "expiresAt": time(job.expires),
    });
    if let Some(warning) = &job.warning {
        head[if job.state == "failed" { "error" } else { "warning" }] = json!(warning);
    }
    if seen < job.documents {
        head["next"] = json!(format!("{}{}?skip={seen}{same_limit}", base(&app, &headers), uri.path()));
    }
    // The documents are JSON already.
    let mut text = head.to_string();
    text.pop();
    text += ",\"data\":[";
    text += &documents.join(",");
    text += "]}";
    Ok(([(header::CONTENT_TYPE, "application/json")], Body::from(text)).into_response())
}

/// `DELETE .../{id}`: cancels a job. Its results stay until it expires.
pub async fn cancel(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Problem> {
    let job = stored(&app, &id).await?;
    let expires = now() + app.config.jobs.keep.as_secs() as i64;
    let was_open = app.store.cancel_job(&id, expires)?;
    app.jobs.stop(&id);
    if !was_open && job.state != "cancelled" {
        let detail = format!("the job is {} already", job.state);
        return Err(Problem::new(StatusCode::CONFLICT, "not_running", detail));
    }
    Ok(json_response(&json!({"success": true, "status": "cancelled"})))
}

/// `GET .../{id}/errors`: returns the pages that failed, and the addresses that robots.txt forbids.
pub async fn errors(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Problem> {
    stored(&app, &id).await?;
    let rows = app.store.job_rows(&id, RowKind::Failure)?;
    let errors: Vec<Value> = rows
        .into_iter()
        .map(|(n, row)| {
            json!({"id": n.to_string(), "timestamp": time(row.made), "url": row.url, "code": row.code, "error": row.text})
        })
        .collect();
    let forbidden = app.store.job_rows(&id, RowKind::Forbidden)?;
    let forbidden: Vec<String> = forbidden.into_iter().map(|(_, row)| row.url).collect();
    Ok(json_response(&json!({"success": true, "errors": errors, "robotsBlocked": forbidden})))
}

/// `GET .../crawl/active`: returns the caller's crawls that are not complete.
pub async fn active(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let owner = trace::client().to_string();
    let open = app.store.open_jobs()?;
    let crawls: Vec<Value> = open
        .into_iter()
        .filter(|job| job.kind == "crawl" && job.owner == owner)
        .map(|job| {
            let mut options = job.request;
            options.as_object_mut().and_then(|fields| fields.remove("url"));
            json!({"id": job.id, "teamId": "maintext", "url": job.url, "created_at": time(job.created), "options": options})
        })
        .collect();
    Ok(json_response(&json!({"success": true, "crawls": crawls})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_puts_the_best_addresses_first() {
        let listing =
            |url: &str, title: &str| Listing { url: url.into(), title: Some(title.into()), ..Listing::default() };
        let all = vec![
            listing("https://e.org/a", "Foxes"),
            listing("https://e.org/herons", "One"),
            listing("https://e.org/b", "Herons and foxes"),
        ];
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = sorted(all.clone(), &words("herons foxes"));
        assert_eq!(
            found.iter().map(|l| l.url.as_str()).collect::<Vec<_>>(),
            ["https://e.org/b", "https://e.org/a", "https://e.org/herons"]
        );
        assert_eq!((sorted(all.clone(), &[]).len(), sorted(all.clone(), &words("owl")).len()), (3, 0));
        assert!(sorted(all, &words("e.org https")).is_empty(), "the host is not searched");
    }
}
