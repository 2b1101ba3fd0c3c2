//! Tests of crawls, batches and maps as jobs.

use crate::support::{Running, config, page, site, start};
use maintext_server::{Config, JobLimits};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn jobs_config() -> Config {
    Config { jobs: JobLimits { delay: Duration::ZERO, ..JobLimits::default() }, ..config() }
}

/// A page of its own words.
fn story(n: usize, links: &str) -> String {
    const ANIMALS: [&str; 8] = ["heron", "fox", "swallow", "badger", "otter", "kestrel", "hare", "toad"];
    let (one, other) = (ANIMALS[n % 8], ANIMALS[(n / 8) % 8]);
    let words: String = n.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect();
    format!(
        "<html lang=en><title>Story {words}</title><article><h1>Story {words}</h1><p>The {one} of tale {words} met the {other} by \
         the river in the early morning, and nobody of the village noticed it at all.</p><p>By noon both the {one} and the \
         {other} of tale {words} had gone home, which was more than anyone had hoped for that day.</p></article>\
         <nav>{links}</nav></html>"
    )
}

/// Counts of requests by path.
type Asked = Arc<Mutex<HashMap<String, usize>>>;

/// A site of `count` pages behind a front page. One page is missing, and robots.txt forbids another.
fn stories(count: usize, wait: Duration) -> (SocketAddr, Asked) {
    let asked = Asked::default();
    let counts = asked.clone();
    let address = site(move |path| {
        *counts.lock().unwrap().entry(path.to_owned()).or_default() += 1;
        let links: String = (1..=count).map(|n| format!("<a href=/story/{n}>{n}</a> ")).collect();
        match path {
            "/" => page(&story(0, &format!("{links}<a href=/gone>x</a><a href=/private/a>y</a>"))),
            "/robots.txt" => ("200 OK\r\nContent-Type: text/plain".into(), "User-agent: *\nDisallow: /private/".into()),
            _ => match path.strip_prefix("/story/").and_then(|n| n.parse::<usize>().ok()) {
                Some(n) if n <= count => {
                    std::thread::sleep(wait);
                    page(&story(n, "<a href=/>Home</a>"))
                }
                _ => ("404 Not Found".into(), String::new()),
            },
        }
    });
    (address, asked)
}

fn begin(service: &Running, path: &str, body: &Value) -> String {
    let answer = service.json(path, body);
    assert_eq!((answer.status, answer.json()["success"].as_bool()), (200, Some(true)), "{answer:?}");
    let id = answer.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(answer.json()["url"], format!("http://{}{path}/{id}", service.address));
    id
}

#[track_caller]
fn wait(service: &Running, path: &str, until: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let status = service.get(path, "").json();
        if until(&status) {
            return status;
        }
        assert!(Instant::now() < deadline, "{status}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[track_caller]
fn done(service: &Running, path: &str) -> Value {
    wait(service, path, |status| status["status"] != "scraping")
}

fn delete(service: &Running, path: &str) -> crate::support::Answer {
    service.raw(format!("DELETE {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", service.address))
}

#[test]
fn a_crawl_returns_the_pages_of_a_site() {
    let service = start(jobs_config());
    let (site, _) = stories(12, Duration::ZERO);
    let formats = json!(["markdown", "links"]);
    let request = json!({"url": format!("http://{site}/"), "limit": 50, "scrapeOptions": {"formats": formats}});
    let id = begin(&service, "/v2/crawl", &request);
    let path = format!("/v2/crawl/{id}");
    let status = done(&service, &path);
    assert_eq!((&status["status"], &status["completed"]), (&json!("completed"), &json!(13)));
    // The total never falls, and two more addresses were known until one failed and robots.txt forbade the other.
    assert!((13..=15).contains(&status["total"].as_u64().unwrap()), "{status}");
    let data = status["data"].as_array().unwrap();
    assert_eq!((data.len(), status.get("next")), (13, None));
    assert!(data[1]["markdown"].as_str().unwrap().contains("fox"), "{}", data[1]);
    assert_eq!(data[1]["metadata"]["sourceURL"], format!("http://{site}/story/1"));
    assert_eq!(data[1]["links"], json!([format!("http://{site}/")]));
    let errors = service.get(&format!("{path}/errors"), "").json();
    assert_eq!(errors["errors"][0]["url"], format!("http://{site}/gone"));
    assert_eq!(errors["robotsBlocked"], json!([format!("http://{site}/private/a")]));
    // Pages of results.
    let first = service.get(&format!("{path}?limit=5"), "").json();
    let next = first["next"].as_str().unwrap();
    assert!(next.ends_with("?skip=5&limit=5"), "{next}");
    let rest = service.get(next.strip_prefix(&format!("http://{}", service.address)).unwrap(), "").json();
    assert_eq!((first["data"].as_array().unwrap().len(), rest["data"].as_array().unwrap().len()), (5, 5));
    assert_eq!(rest["data"][0], data[5]);
    // A complete job cannot be cancelled.
    assert_eq!(delete(&service, &path).status, 409);
}

#[test]
fn a_crawl_whose_start_robots_txt_forbids_warns() {
    let service = start(jobs_config());
    let (site, _) = stories(1, Duration::ZERO);
    let id = begin(&service, "/v2/crawl", &json!({"url": format!("http://{site}/private/a")}));
    let status = done(&service, &format!("/v2/crawl/{id}"));
    assert_eq!(status["warning"], "robots.txt forbids the start of the crawl", "{status}");
}

#[test]
fn a_crawl_obeys_its_scope() {
    let service = start(jobs_config());
    let (site, asked) = stories(9, Duration::ZERO);
    let urls = |more: Value| {
        let mut request = json!({"url": format!("http://{site}/")});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let id = begin(&service, "/v2/crawl", &request);
        let status = done(&service, &format!("/v2/crawl/{id}"));
        let data = status["data"].as_array().unwrap().clone();
        data.iter()
            .map(|d| d["metadata"]["sourceURL"].as_str().unwrap().rsplit_once('/').unwrap().1.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(urls(json!({"includePaths": ["^/story/[1-3]$"], "excludePaths": ["2"]})), ["1", "3"]);
    assert_eq!(urls(json!({"limit": 3})), ["", "1", "2"]);
    assert_eq!(urls(json!({"sitemap": "only"})), [""]);
    asked.lock().unwrap().clear();
    assert_eq!(urls(json!({"sitemap": "skip", "maxDiscoveryDepth": 0})), [""]);
    assert!(!asked.lock().unwrap().contains_key("/sitemap.xml"));
    let refused = service.json("/v2/crawl", &json!({"url": "http://10.0.0.1/"}));
    assert_eq!((refused.status, refused.json()["success"].as_bool()), (403, Some(false)));
    let refused = service.json("/v2/crawl", &json!({"url": format!("http://{site}/"), "webhook": "http://h/"}));
    assert!(refused.status == 400 && refused.body.contains("'webhook'"), "{refused:?}");
}

#[test]
fn a_batch_returns_each_page_or_its_error() {
    let service = start(jobs_config());
    let (site, _) = stories(4, Duration::ZERO);
    let mut urls: Vec<String> = (1..=4).map(|n| format!("http://{site}/story/{n}")).collect();
    urls.extend([format!("http://{site}/nothing"), "http://10.0.0.1/".into(), "not an address".into()]);
    let request = json!({"urls": urls, "ignoreInvalidURLs": true, "formats": ["markdown"]});
    let answer = service.json("/v2/batch/scrape", &request).json();
    assert_eq!(answer["invalidURLs"], json!(["not an address"]));
    let path = format!("/v2/batch/scrape/{}", answer["id"].as_str().unwrap());
    let status = done(&service, &path);
    assert_eq!((&status["status"], &status["total"]), (&json!("completed"), &json!(6)));
    let found: Vec<&Value> = status["data"].as_array().unwrap().iter().map(|d| &d["metadata"]["sourceURL"]).collect();
    assert_eq!(found[..4].iter().map(|u| u.as_str().unwrap()).collect::<Vec<_>>(), urls[..4]);
    let errors = service.get(&format!("{path}/errors"), "").json();
    let codes: Vec<&str> = errors["errors"].as_array().unwrap().iter().map(|e| e["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"ADDRESS_REFUSED"), "{errors}");
    // Old clients ask for a batch like for a crawl.
    assert_eq!(service.get(&path.replace("batch/scrape", "crawl"), "").json()["completed"], status["completed"]);
    assert_eq!(service.get("/v2/crawl/none", "").status, 404);
}

/// The paths and times of requests.
type Requests = Arc<Mutex<Vec<(String, Instant)>>>;

/// A site that answers the first `busy` requests for pages with 429 and a pause.
fn busy_site(busy: usize, pause: u64) -> (SocketAddr, Requests) {
    let asked = Requests::default();
    let seen = asked.clone();
    let address = site(move |path| {
        if path == "/robots.txt" {
            return ("404 Not Found".into(), String::new());
        }
        let mut seen = seen.lock().unwrap();
        seen.push((path.to_owned(), Instant::now()));
        let text = story(seen.len(), "");
        if seen.len() <= busy {
            (format!("429 Too Many Requests\r\nContent-Type: text/html\r\nRetry-After: {pause}"), text)
        } else {
            page(&text)
        }
    });
    (address, asked)
}

#[test]
fn a_batch_waits_for_a_server_that_asks_for_it() {
    let service = start(jobs_config());
    let ((slow, asked), (other, _)) = (busy_site(1, 3), stories(2, Duration::ZERO));
    let urls = [format!("http://{slow}/1"), format!("http://{slow}/2"), format!("http://{slow}/3")];
    let urls: Vec<String> = urls.into_iter().chain([format!("http://{other}/story/1")]).collect();
    // Another client's request.
    assert_eq!(service.json("/v1/extract", &json!({"url": format!("http://{slow}/0")})).status, 424);
    let path = format!("/v2/batch/scrape/{}", begin(&service, "/v2/batch/scrape", &json!({"urls": urls})));
    let status = wait(&service, &path, |status| status["completed"] == 1);
    assert_eq!((&status["status"], &status["data"][0]["metadata"]["sourceURL"]), (&json!("scraping"), &json!(urls[3])));
    let status = done(&service, &path);
    assert_eq!((&status["status"], &status["completed"]), (&json!("completed"), &json!(4)), "{status}");
    assert_eq!(service.get(&format!("{path}/errors"), "").json()["errors"], json!([]));
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(asked[1].1 - asked[0].1 >= Duration::from_millis(2900), "{asked:?}");
}

#[test]
fn a_page_of_a_batch_that_is_answered_with_a_pause_is_retried_once() {
    let service = start(jobs_config());
    for (busy, code) in [(1, 200), (usize::MAX, 429)] {
        let (site, asked) = busy_site(busy, 1);
        let id = begin(&service, "/v2/batch/scrape", &json!({"urls": [format!("http://{site}/1")]}));
        let status = done(&service, &format!("/v2/batch/scrape/{id}"));
        assert_eq!((&status["completed"], &status["data"][0]["metadata"]["statusCode"]), (&json!(1), &json!(code)));
        let asked = asked.lock().unwrap();
        assert!(asked.len() == 2 && asked[1].1 - asked[0].1 >= Duration::from_millis(900), "{asked:?}");
    }
}

#[test]
fn a_batch_that_waits_can_be_cancelled() {
    let service = start(jobs_config());
    // As many jobs as one client may run.
    for _ in 0..2 {
        let (site, asked) = busy_site(usize::MAX, 600);
        let urls: Vec<String> = (1..=3).map(|n| format!("http://{site}/{n}")).collect();
        let path = format!("/v2/batch/scrape/{}", begin(&service, "/v2/batch/scrape", &json!({"urls": urls})));
        let status = wait(&service, &path, |_| !asked.lock().unwrap().is_empty());
        assert_eq!(status["status"], "scraping");
        assert_eq!(delete(&service, &path).json(), json!({"success": true, "status": "cancelled"}));
        assert_eq!(service.get(&path, "").json()["status"], "cancelled");
    }
    let (site, _) = stories(1, Duration::ZERO);
    let next = begin(&service, "/v2/batch/scrape", &json!({"urls": [format!("http://{site}/story/1")]}));
    assert_eq!(done(&service, &format!("/v2/batch/scrape/{next}"))["completed"], 1);
}

#[test]
fn crawls_and_maps_know_the_pause_that_another_client_was_told() {
    let service = start(jobs_config());
    let (site, asked) = busy_site(1, 2);
    let url = format!("http://{site}/1");
    assert_eq!(service.json("/v1/extract", &json!({"url": url})).status, 424);
    let id = begin(&service, "/v2/crawl", &json!({"url": url, "limit": 1}));
    let map = service.json("/v2/map", &json!({"url": url}));
    assert_eq!((map.status, map.json()["upstream_status"].as_u64()), (424, Some(429)), "{map:?}");
    assert!(map.head.contains("\r\nretry-after: ") && map.body.contains("asks to wait"), "{map:?}");
    assert_eq!(service.get(&format!("/v2/crawl/{id}"), "").json()["status"], "scraping");
    assert_eq!(asked.lock().unwrap().len(), 1);
    let status = done(&service, &format!("/v2/crawl/{id}"));
    assert_eq!((&status["status"], &status["completed"]), (&json!("completed"), &json!(1)), "{status}");
    let asked = asked.lock().unwrap();
    assert!(asked[1].1 - asked[0].1 >= Duration::from_millis(1900), "{asked:?}");
}

#[test]
fn a_map_lists_addresses() {
    let service = start(jobs_config());
    let (site, _) = stories(6, Duration::ZERO);
    let url = format!("http://{site}/");
    let links = service.json("/v2/map", &json!({"url": url, "limit": 100})).json();
    let list = links["links"].as_array().unwrap();
    assert!(list.iter().any(|l| l["url"] == format!("{url}story/3")) && list.len() >= 7, "{links}");
    let links = service.json("/v2/map", &json!({"url": url, "search": "story/"})).json();
    let list = links["links"].as_array().unwrap();
    assert!(list.len() == 6 && list.iter().all(|l| l["url"].as_str().unwrap().contains("/story/")), "{links}");
    // The limit holds for what the search has found, and the host is not searched.
    let links = service.json("/v2/map", &json!({"url": url, "search": "story/5", "limit": 2})).json();
    assert_eq!(links["links"][0]["url"], format!("{url}story/5"), "{links}");
    let links = service.json("/v2/map", &json!({"url": url, "search": "127.0.0.1"})).json();
    assert_eq!(links["links"], json!([]));
}

#[test]
fn a_map_of_a_site_that_cannot_be_read_is_a_failure() {
    let service = start(jobs_config());
    let (site, _) = stories(1, Duration::ZERO);
    for (url, status, code) in [
        (format!("http://{site}/gone"), 424, "SCRAPE_SITE_ERROR"),
        ("http://127.0.0.1:9/".into(), 424, "SCRAPE_SITE_ERROR"),
        (format!("http://{site}/private/a"), 200, ""),
    ] {
        let answer = service.json("/v2/map", &json!({"url": url, "sitemap": "skip"}));
        assert_eq!((answer.status, answer.json()["code"].as_str().unwrap_or("")), (status, code), "{url}: {answer:?}");
    }
}

#[test]
fn a_cancelled_job_stops_and_keeps_its_results() {
    let service = start(jobs_config());
    let (site, asked) = stories(200, Duration::from_millis(60));
    let id = begin(&service, "/v2/crawl", &json!({"url": format!("http://{site}/")}));
    let path = format!("/v2/crawl/{id}");
    let status = wait(&service, &path, |status| status["completed"].as_u64().unwrap() >= 3);
    assert_eq!(status["status"], "scraping");
    let active = service.get("/v2/crawl/active", "").json();
    assert_eq!((active["crawls"].as_array().unwrap().len(), active["crawls"][0]["id"].as_str()), (1, Some(&*id)));
    assert_eq!(delete(&service, &path).json(), json!({"success": true, "status": "cancelled"}));
    let status = service.get(&path, "").json();
    assert!(status["status"] == "cancelled" && !status["data"].as_array().unwrap().is_empty(), "{status}");
    std::thread::sleep(Duration::from_secs(1));
    let before = asked.lock().unwrap().len();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!((asked.lock().unwrap().len(), before < 150), (before, true));
    assert_eq!(service.get("/v2/crawl/active", "").json()["crawls"], json!([]));
}

#[test]
fn jobs_are_bounded() {
    let jobs = JobLimits { per_client: 2, pages: 3, bytes: 4000, ..jobs_config().jobs };
    let service = start(Config { jobs, ..config() });
    let (site, _) = stories(40, Duration::from_millis(100));
    let url = format!("http://{site}/");
    let many = service.json("/v2/crawl", &json!({"url": url, "limit": 4}));
    assert!(many.status == 400 && many.body.contains("--job-pages"), "{many:?}");
    let urls: Vec<String> = (1..=3).map(|n| format!("{url}story/{n}")).collect();
    let first = begin(&service, "/v2/batch/scrape", &json!({"urls": urls}));
    let second = begin(&service, "/v2/batch/scrape", &json!({"urls": urls}));
    let third = service.json("/v2/crawl", &json!({"url": url}));
    assert_eq!((third.status, third.json()["code"].as_str()), (429, Some("TOO_MANY_JOBS")), "{third:?}");
    for id in [first, second] {
        done(&service, &format!("/v2/batch/scrape/{id}"));
    }
    let crawl = json!({"url": url, "scrapeOptions": {"formats": ["rawHtml", "html", "markdown", "links"]}});
    let status = done(&service, &format!("/v2/crawl/{}", begin(&service, "/v2/crawl", &crawl)));
    assert!(status["warning"].as_str().unwrap().contains("--job-bytes"), "{status}");
    let full = service.json("/v2/crawl", &crawl);
    assert_eq!((full.status, full.json()["success"].as_bool()), (503, Some(false)), "{full:?}");
}

#[test]
fn jobs_expire() {
    let jobs = JobLimits { keep: Duration::from_secs(1), ..jobs_config().jobs };
    let (site, _) = stories(2, Duration::ZERO);
    let store = Temporary::new("expire");
    let service = start(Config { jobs, store: Some(store.path()), ..config() });
    let path = format!("/v2/crawl/{}", begin(&service, "/v2/crawl", &json!({"url": format!("http://{site}/")})));
    done(&service, &path);
    std::thread::sleep(Duration::from_millis(2100));
    drop(service);
    // Expired jobs are deleted now and then, and at the start.
    let service = start(Config { store: Some(store.path()), ..jobs_config() });
    let gone = wait(&service, &path, |status| status["success"] == false);
    assert_eq!(gone["code"], "NOT_FOUND");
    assert_eq!(store.files(), 0, "the queues of complete crawls are deleted");
}

struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("maintext-jobs-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Temporary(path)
    }

    fn path(&self) -> PathBuf {
        self.0.join("store")
    }

    /// Number of files of queues.
    fn files(&self) -> usize {
        let names = std::fs::read_dir(&self.0).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".crawl")).count()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn jobs_go_on_after_a_restart() {
    let store = Temporary::new("restart");
    let with_store = || Config { store: Some(store.path()), ..jobs_config() };
    let (site, asked) = stories(30, Duration::from_millis(60));
    let service = start(with_store());
    let crawl = format!("/v2/crawl/{}", begin(&service, "/v2/crawl", &json!({"url": format!("http://{site}/")})));
    let urls: Vec<String> = (1..=30).map(|n| format!("http://{site}/story/{n}")).collect();
    let batch = format!("/v2/batch/scrape/{}", begin(&service, "/v2/batch/scrape", &json!({"urls": urls})));
    for path in [&crawl, &batch] {
        wait(&service, path, |status| status["completed"].as_u64().unwrap() >= 4);
    }
    drop(service);
    let before = asked.lock().unwrap().values().sum::<usize>();
    assert!(before < 60, "{before}");
    let service = start(with_store());
    for (path, count) in [(&crawl, 31), (&batch, 30)] {
        let status = done(&service, path);
        let mut found: Vec<String> =
            status["data"].as_array().unwrap().iter().map(|d| d["metadata"]["sourceURL"].to_string()).collect();
        found.sort();
        found.dedup();
        assert_eq!(
            (&status["status"], found.len(), status["data"].as_array().unwrap().len()),
            (&json!("completed"), count, count)
        );
    }
    // Pages that were complete before the restart were not requested again.
    let most = 2 * 31 + 12;
    assert!(asked.lock().unwrap().values().sum::<usize>() <= most, "{asked:?}");
}

/// A past bug: each of two services on one store ran every job.
#[test]
fn two_services_share_the_jobs_of_a_store() {
    let store = Temporary::new("two");
    let with_store = || Config { store: Some(store.path()), ..jobs_config() };
    let (site, asked) = stories(20, Duration::from_millis(20));
    let services = [start(with_store()), start(with_store())];
    let crawl = format!("/v2/crawl/{}", begin(&services[0], "/v2/crawl", &json!({"url": format!("http://{site}/")})));
    let urls: Vec<String> = (1..=20).map(|n| format!("http://{site}/story/{n}?batch")).collect();
    let batch = begin(&services[1], "/v2/batch/scrape", &json!({"urls": urls}));
    for service in &services {
        assert_eq!(done(service, &crawl)["completed"], 21);
        let batch = done(service, &format!("/v2/batch/scrape/{batch}"));
        assert_eq!(batch["completed"], json!(20));
    }
    let twice: Vec<_> =
        asked.lock().unwrap().clone().into_iter().filter(|(path, n)| path != "/robots.txt" && *n > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn jobs_of_a_service_that_ends_are_taken_over() {
    let store = Temporary::new("lock");
    let with_store = || Config { store: Some(store.path()), ..jobs_config() };
    let (site, _) = stories(12, Duration::from_millis(300));
    let urls: Vec<String> = (1..=12).map(|n| format!("http://{site}/story/{n}")).collect();
    let first = start(with_store());
    let other = start(with_store());
    let path = format!("/v2/batch/scrape/{}", begin(&first, "/v2/batch/scrape", &json!({"urls": urls})));
    drop(first);
    let before = other.get(&path, "").json();
    assert_eq!(before["status"].as_str(), Some("scraping"), "{before}");
    assert_eq!(done(&other, &path)["completed"], 12);
}

#[test]
fn endless_sitemaps_end() {
    let service = start(jobs_config());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let site = site(move |path| {
        let n = counted.fetch_add(1, Ordering::Relaxed);
        let xml = |names: [usize; 2]| {
            let entry = |n: usize| format!("<sitemap><loc>/map-{n}.xml</loc></sitemap>");
            let list: String = names.into_iter().map(entry).collect();
            ("200 OK\r\nContent-Type: application/xml".into(), format!("<sitemapindex>{list}</sitemapindex>"))
        };
        match path {
            "/robots.txt" => ("404 Not Found".into(), String::new()),
            path if path.ends_with(".xml") => xml([2 * n, 2 * n + 1]),
            _ => page(&story(1, "")),
        }
    });
    let id = begin(&service, "/v2/crawl", &json!({"url": format!("http://{site}/"), "limit": 2}));
    let status = done(&service, &format!("/v2/crawl/{id}"));
    assert_eq!((&status["status"], &status["completed"]), (&json!("completed"), &json!(1)));
    assert!(status["warning"].as_str().unwrap().contains("sitemaps and feeds are beyond the limit"), "{status}");
    let requests = count.load(Ordering::Relaxed);
    assert!((50..=110).contains(&requests), "{requests}");
}
