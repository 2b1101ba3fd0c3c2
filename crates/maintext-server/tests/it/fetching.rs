//! The cache of fetched pages, politeness, robots.txt, and lists of hosts, against real sites on loopback.

use crate::support::{Answer, Running, STORY, config, page, site, start};
use maintext_fetch::{FetchOptions, Policy, Proxy};
use maintext_server::{CacheLimits, Config, Manners};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

fn caching() -> Config {
    let limits = CacheLimits { bytes: 1 << 20, entries: 100, age: Duration::from_secs(60) };
    Config { cache: Some(limits), ..config() }
}

fn extract(service: &Running, url: &str, options: Value) -> Answer {
    service.json("/v1/extract", &json!({"url": url, "options": options}))
}

/// Reads the head of a request, which may arrive in pieces.
fn read_head(stream: &mut std::net::TcpStream) -> String {
    use std::io::Read;
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n > 0) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).to_lowercase()
}

/// A site whose answers have the headers that the path names, and the requests that it got.
fn recorded(headers: fn(&str) -> &str) -> (std::net::SocketAddr, Arc<Mutex<Vec<String>>>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let requests = seen.clone();
    let address = site(move |path| {
        requests.lock().unwrap().push(path.to_owned());
        match path {
            "/moved" => ("301 Moved\r\nLocation: /public".into(), String::new()),
            "/elsewhere" => ("302 Found\r\nLocation: /public".into(), String::new()),
            "/missing" => {
                ("404 Not Found\r\nContent-Type: text/html\r\nCache-Control: max-age=60".into(), "<p>No.".into())
            }
            _ => (format!("200 OK\r\nContent-Type: text/html\r\n{}", headers(path)), STORY.into()),
        }
    });
    (address, seen)
}

#[test]
fn pages_are_cached_as_their_headers_allow() {
    let service = start(caching());
    let (site, seen) = recorded(|path| match path {
        "/private" => "Cache-Control: private",
        "/no-store" => "Cache-Control: no-store",
        "/cookie" => "Set-Cookie: visitor=7",
        "/public" => "Cache-Control: max-age=50",
        _ => "Vary: Accept-Encoding",
    });
    let count = |path: &str| seen.lock().unwrap().iter().filter(|p| *p == path).count();
    for (path, cached, final_path) in [
        ("/public", true, "/public"),
        ("/silent", true, "/silent"),
        ("/moved", true, "/public"),
        ("/elsewhere", false, "/public"),
        ("/private", false, "/private"),
        ("/no-store", false, "/no-store"),
        ("/cookie", false, "/cookie"),
    ] {
        let url = format!("http://{site}{path}");
        let first = extract(&service, &url, json!({"formats": ["text"]}));
        assert!(first.json()["cache"] == "miss" && first.head.contains("x-cache: miss"), "{path}: {first:?}");
        // The fragment and the options do not matter: the bytes are cached, not the result.
        let again = extract(&service, &format!("{url}#part"), json!({"formats": ["markdown"]}));
        let page = again.json();
        assert_eq!(page["cache"], if cached { "hit" } else { "miss" }, "{path}");
        assert_eq!(again.head.contains("\r\nage: 0"), cached, "{path}: {again:?}");
        assert!(page["markdown"].as_str().unwrap().contains("two herons, a fox"), "{path}: {page}");
        assert_eq!(page["final_url"], format!("http://{site}{final_path}#part"), "{path}");
        assert_eq!(first.json()["final_url"], format!("http://{site}{final_path}"), "{path}");
        assert!(count(path) == if cached { 1 } else { 2 }, "{path}");
    }
    for _ in 0..2 {
        assert_eq!(extract(&service, &format!("http://{site}/missing"), json!({})).status, 424);
    }
    assert_eq!(count("/missing"), 2);
    let metrics = service.get("/metrics", "").body;
    assert!(metrics.contains("maintext_cache_lookups_total{result=\"hit\"} 3\n"), "{metrics}");
    assert!(metrics.contains("maintext_cache_entries 3\n"), "{metrics}");
}

#[test]
fn clients_can_bypass_the_cache_and_their_headers_do() {
    let service = start(caching());
    let (site, seen) = recorded(|_| "Cache-Control: max-age=50");
    let url = format!("http://{site}/a");
    let states: Vec<Value> = [json!({}), json!({"cache": false}), json!({})]
        .into_iter()
        .map(|o| extract(&service, &url, o).json()["cache"].clone())
        .collect();
    assert_eq!(states, ["miss", "bypass", "hit"]);
    let ask = json!({"url": url}).to_string();
    let answer = service.post("/v1/extract", "Content-Type: application/json\r\nX-No-Cache: true\r\n", &ask);
    assert!(answer.head.contains("x-cache: bypass"), "{answer:?}");
    let own = json!({"url": url, "headers": {"Cookie": "session=7"}, "formats": ["markdown"]});
    for _ in 0..2 {
        let answer = service.json("/v2/scrape", &own);
        assert!(answer.status == 200 && answer.head.contains("x-cache: bypass"), "{answer:?}");
    }
    assert_eq!(seen.lock().unwrap().len(), 5);
    assert!(service.get(&format!("/{url}"), "X-No-Cache: true\r\n").head.contains("x-cache: bypass"));
    assert!(service.get(&format!("/{url}"), "").head.contains("x-cache: hit"));
    // A page in the request has nothing to do with the cache.
    let sent = service.json("/v1/extract", &json!({"html": STORY, "options": {"cache": false}}));
    assert_eq!(sent.status, 400);
    assert!(service.json("/v1/extract", &json!({"html": STORY})).json().get("cache").is_none());
}

#[test]
fn stale_pages_are_confirmed_by_their_sites() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let version = Arc::new(AtomicUsize::new(1));
    let (current, requests) = (version.clone(), Arc::new(Mutex::new(Vec::new())));
    let seen = requests.clone();
    thread::spawn(move || {
        use std::io::Write;
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let text = read_head(&mut stream);
            let version = current.load(Ordering::SeqCst);
            let etag = format!("\"v{version}\"");
            let body = STORY.replace("Two herons", &format!("Version {version}"));
            let known = text.contains(&format!("if-none-match: {etag}"));
            seen.lock().unwrap().push(known);
            let answer = if known {
                format!("HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\nConnection: close\r\n\r\n")
            } else {
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nCache-Control: no-cache\r\nETag: {etag}\r\n\
                     Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                )
            };
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    let service = start(caching());
    let ask = || {
        let page = extract(&service, &format!("http://{address}/"), json!({})).json();
        (page["cache"].as_str().unwrap().to_owned(), page["title"].as_str().unwrap().to_owned())
    };
    assert_eq!(ask(), ("miss".into(), "Version 1".into()));
    assert_eq!(ask(), ("revalidated".into(), "Version 1".into()));
    version.store(2, Ordering::SeqCst);
    assert_eq!(ask(), ("miss".into(), "Version 2".into()));
    assert_eq!(ask(), ("revalidated".into(), "Version 2".into()));
    assert_eq!(*requests.lock().unwrap(), [false, true, false, true]);
}

#[test]
fn requests_to_one_host_are_limited_and_apart() {
    let (active, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, largest) = (active.clone(), most.clone());
    let site = site(move |_| {
        largest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(50));
        now.fetch_sub(1, Ordering::SeqCst);
        page(STORY)
    });
    let manners = Manners { per_host: Some(2), delay: Duration::from_millis(40), robots: false };
    let service = start(Config { manners, ..config() });
    let begin = Instant::now();
    thread::scope(|scope| {
        for i in 0..6 {
            let service = &service;
            scope.spawn(move || assert_eq!(extract(service, &format!("http://{site}/{i}"), json!({})).status, 200));
        }
    });
    assert!(most.load(Ordering::SeqCst) <= 2, "{most:?}");
    assert!(begin.elapsed() >= Duration::from_millis(5 * 40), "{:?}", begin.elapsed());
}

#[test]
fn robots_txt_is_obeyed_on_request() {
    let rules = Arc::new(AtomicUsize::new(0));
    let asked = rules.clone();
    let forbidden = site(move |path| match path {
        "/robots.txt" => {
            asked.fetch_add(1, Ordering::SeqCst);
            ("200 OK\r\nContent-Type: text/plain".into(), "User-agent: *\nDisallow: /private".into())
        }
        "/moved" => ("302 Found\r\nLocation: /private/a".into(), String::new()),
        _ => page(STORY),
    });
    let broken = site(|path| match path {
        "/robots.txt" => ("500 Oops".into(), String::new()),
        _ => page(STORY),
    });
    let polite = start(Config { manners: Manners { robots: true, ..Manners::default() }, ..config() });
    let ask = |url: String| {
        let answer = extract(&polite, &url, json!({}));
        (answer.status, answer.json()["code"].as_str().unwrap_or("").to_owned())
    };
    assert_eq!(ask(format!("http://{forbidden}/public")), (200, String::new()));
    assert_eq!(ask(format!("http://{forbidden}/private/a")), (403, "robots_refused".into()));
    assert_eq!(ask(format!("http://{forbidden}/moved")), (403, "robots_refused".into()), "each redirect is checked");
    assert_eq!(rules.load(Ordering::SeqCst), 1, "the rules are remembered");
    assert_eq!(ask(format!("http://{broken}/a")), (424, "fetch_failed".into()));
    assert_eq!(extract(&start(config()), &format!("http://{forbidden}/private/a"), json!({})).status, 200);
}

#[test]
fn hosts_are_allowed_and_denied() {
    let site = site(|path| match path {
        "/away" => ("302 Found\r\nLocation: http://denied.localhost/".into(), String::new()),
        _ => page(STORY),
    });
    let fetch = config().fetch.unwrap();
    let with = |allowed: &[&str], denied: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|n| n.parse().unwrap()).collect();
        let (allowed_hosts, denied_hosts) = (list(allowed), list(denied));
        let policy = Policy { allowed_hosts, denied_hosts, ..fetch.policy.clone().unwrap() };
        start(Config { fetch: Some(FetchOptions { policy: Some(policy), ..fetch.clone() }), ..config() })
    };
    let ask = |service: &Running, path: &str| {
        let answer = extract(service, &format!("http://{site}{path}"), json!({}));
        (answer.status, answer.json()["code"].as_str().unwrap_or("").to_owned())
    };
    let refused = (403, "address_refused".to_owned());
    assert_eq!(ask(&with(&["127.0.0.1"], &[]), "/"), (200, String::new()));
    assert_eq!(ask(&with(&["example.org"], &[]), "/"), refused);
    assert_eq!(ask(&with(&[], &["127.0.0.1"]), "/"), refused);
    assert_eq!(ask(&with(&[], &["*.localhost"]), "/away"), refused);
}

#[test]
fn pages_are_fetched_through_the_proxy() {
    // A proxy that answers every tunnel itself, as if it were the site.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        use std::io::Write;
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            read_head(&mut stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            read_head(&mut stream);
            let length = STORY.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all((head + STORY).as_bytes());
        }
    });
    let proxy = Proxy::Url(format!("http://{address}"));
    let fetch = FetchOptions { policy: Some(Policy::default()), proxy, ..config().fetch.unwrap() };
    let service = start(Config { fetch: Some(fetch), ..config() });
    let page = extract(&service, "http://public.example/story", json!({})).json();
    assert_eq!(
        (page["title"].as_str(), page["final_url"].as_str()),
        (Some("Two herons"), Some("http://public.example/story"))
    );
    for inside in
        ["http://127.0.0.1/", "http://localhost/", "http://metadata.google.internal/", "http://public.example:22/"]
    {
        assert_eq!(extract(&service, inside, json!({})).status, 403, "{inside}");
    }
}
