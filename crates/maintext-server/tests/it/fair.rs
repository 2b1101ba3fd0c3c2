//! Fair shares, tokens, probes: one client must not spoil the service for the others.

use crate::support::{STORY, config, page, site, start};
use maintext_server::{Config, Forwarded, ForwardedHeader, Service};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

/// Behind a proxy, so that a test can be several clients.
fn proxied() -> Config {
    Config { trust: Some(Forwarded { header: ForwardedHeader::XForwardedFor, hops: 1 }), ..config() }
}

#[test]
fn a_slow_site_delays_no_pasted_page() {
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let service = start(Config { fetches: 8, request_timeout: Duration::from_secs(4), ..proxied() });
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let body = json!({ "url": url }).to_string();
                let headers = "X-Forwarded-For: 192.0.2.1\r\nContent-Type: application/json\r\n";
                assert!(matches!(service.post("/v1/extract", headers, body).status, 503 | 504));
            });
        }
        let _held: Vec<_> = (0..4).map(|_| hanging.accept().unwrap()).collect();
        for client in ["192.0.2.1", "192.0.2.2"] {
            let start = Instant::now();
            let answer = service.post("/v1/extract", &format!("X-Forwarded-For: {client}\r\n"), STORY);
            assert!(answer.status == 200 && start.elapsed() < Duration::from_secs(2), "{answer:?}");
        }
        assert_eq!(service.get("/readyz", "").status, 200);
        // Another client still finds a place for a fetch.
        let other = site(|_| page(STORY));
        let body = json!({"url": format!("http://{other}/")}).to_string();
        let headers = "X-Forwarded-For: 192.0.2.2\r\nContent-Type: application/json\r\n";
        let answer = service.post("/v1/extract", headers, body);
        assert_eq!(answer.status, 200, "{answer:?}");
    });
}

#[test]
fn unread_answers_count_and_leave_memory_for_others() {
    let service = start(Config { memory: 24 << 20, max_body: 1 << 20, fetch: None, ..proxied() });
    let large =
        format!("<article>{}</article>", "<p>A sentence of some words, for the herons of the river.</p>".repeat(9000));
    let mut slow = Vec::new();
    for _ in 0..30 {
        let mut stream = service.connect();
        let head = format!(
            "POST /v1/extract HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: {}\r\n\r\n",
            large.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(large.as_bytes()).unwrap();
        slow.push(stream);
    }
    // The first client does not read; another one is served all the same.
    let start = Instant::now();
    let answer = service.post("/v1/extract", "X-Forwarded-For: 192.0.2.2\r\n", STORY);
    assert!(answer.status == 200 && start.elapsed() < Duration::from_secs(10), "{answer:?}");
    let mut refused = 0;
    for mut stream in slow {
        let mut first = [0; 15];
        let _ = stream.read_exact(&mut first);
        refused += usize::from(first.starts_with(b"HTTP/1.1 503"));
    }
    assert!(refused > 0, "30 answers of more than a megabyte were accepted");
}

#[test]
fn a_batch_of_one_client_does_not_delay_another() {
    let service = start(Config { workers: 1, ..proxied() });
    let line = format!("{}\n", json!({"html": STORY.repeat(80)}));
    thread::scope(|scope| {
        let batch = scope.spawn(|| {
            let start = Instant::now();
            let answer = service.post("/v1/batch", "X-Forwarded-For: 192.0.2.1\r\n", line.repeat(150));
            assert_eq!(answer.body.lines().count(), 150);
            start.elapsed()
        });
        thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        assert_eq!(service.post("/v1/extract", "X-Forwarded-For: 192.0.2.2\r\n", STORY).status, 200);
        let waited = start.elapsed();
        let whole = batch.join().unwrap();
        assert!(waited < whole / 3, "{waited:?} of {whole:?}");
    });
}

#[test]
fn wrong_tokens_are_limited_and_right_ones_are_not() {
    let service = start(Config { tokens: vec!["lab s3cret".into()], ..config() });
    let status = |token: &str| service.post("/v1/extract", &format!("Authorization: Bearer {token}\r\n"), STORY).status;
    let wrong: Vec<u16> = (0..15).map(|n| status(&format!("guess{n}"))).collect();
    assert_eq!((wrong[0], wrong[14]), (401, 429));
    assert_eq!((status("s3cret"), status("s3cret")), (200, 200));
    assert!(!service.get("/metrics", "Authorization: Bearer s3cret\r\n").body.contains("s3cret"));
}

#[test]
fn a_wrong_token_is_told_from_none() {
    let service = start(Config { tokens: vec!["s3cret".into()], ..config() });
    for (headers, code, challenge) in [
        ("", "unauthorized", "www-authenticate: bearer\r\n"),
        ("Authorization: Basic dTpw\r\n", "unauthorized", "www-authenticate: bearer\r\n"),
        ("Authorization: Bearer guess\r\n", "unknown_token", "www-authenticate: bearer error=\"invalid_token\"\r\n"),
    ] {
        let answer = service.post("/v1/extract", headers, STORY);
        assert_eq!((answer.status, answer.json()["code"].as_str()), (401, Some(code)), "{answer:?}");
        assert!(answer.head.contains(challenge), "{answer:?}");
    }
}

#[test]
fn answers_escape_what_moves_a_terminal() {
    let service = start(config());
    let answer = service.get("/nothing/\u{9b}2J\u{202e}here", "");
    assert!(answer.status >= 400 && !answer.body.contains(['\u{9b}', '\u{202e}']), "{answer:?}");
}

#[test]
fn pages_of_other_sites_cannot_make_the_service_fetch() {
    let site = site(|_| page(STORY));
    let service = start(config());
    let get = |path: &str, site: &str| {
        service.get(path, &format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: no-cors\r\n")).status
    };
    let reader = format!("/http://{site}/");
    assert_eq!((get(&reader, "cross-site"), get(&reader, "same-site")), (403, 403));
    assert_eq!((get(&reader, "none"), get(&reader, "same-origin")), (200, 200));
    // A link to the playground still opens it.
    assert_eq!((get("/", "cross-site"), get("/?url=https://example.org/", "cross-site")), (200, 200));
}

#[test]
fn requests_of_a_client_behind_a_proxy_are_counted() {
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", hanging.local_addr().unwrap());
    let service = start(Config { connections_per_client: 3, request_timeout: Duration::from_secs(3), ..proxied() });
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let headers = "X-Forwarded-For: 192.0.2.1\r\nContent-Type: application/json\r\n";
                service.post("/v1/extract", headers, json!({ "url": url }).to_string())
            });
        }
        let _held: Vec<_> = (0..3).map(|_| hanging.accept().unwrap()).collect();
        let status =
            |client: &str| service.post("/v1/extract", &format!("X-Forwarded-For: {client}\r\n"), STORY).status;
        assert_eq!((status("192.0.2.1"), status("192.0.2.2")), (503, 200));
        // What the client itself writes into the header does not count.
        assert_eq!(status("192.0.2.9, 192.0.2.1"), 503);
    });
}

#[test]
fn work_ends_with_its_request() {
    let service = start(Config { workers: 2, request_timeout: Duration::from_millis(500), ..proxied() });
    // Half a minute of work if it went on.
    let selector = vec!["div:has(~ p) > p:nth-last-of-type(7n+3)"; 200].join(",");
    let asked =
        json!({"html": "<div><p>Some words of a page.</div>".repeat(100_000), "options": {"drop_selector": selector}});
    let answer = service.post("/v1/extract", "Content-Type: application/json\r\n", asked.to_string());
    assert_eq!(answer.status, 504, "{answer:?}");
    let (all, start) = (2, Instant::now());
    while service.get("/readyz", "").json()["free_slots"] != all {
        assert!(start.elapsed() < Duration::from_secs(12), "the work goes on");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn teaching_can_be_switched_off_and_its_memory_is_limited() {
    let service = start(Config { teach: false, ..config() });
    assert_eq!(service.get("/v1/teach/sites", "").json()["code"], "no_teaching");
    let service = start(Config { teach_memory: 1 << 20, ..config() });
    let seen = service.json("/v1/inspect", &json!({"html": STORY, "url": "https://birds.example/1"})).json();
    let label = service.json("/v1/teach/labels", &json!({"handle": seen["handle"], "labels": {"2": true}}));
    assert_eq!(label.status, 200, "{label:?}");
    let answer = service.json("/v1/teach/train", &json!({"site": "birds.example"}));
    assert!(answer.json()["detail"].as_str().unwrap().contains("--teach-memory"), "{answer:?}");
}

#[test]
fn health_and_metrics_have_a_port_and_shutdown_a_delay() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let bind = || runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let (public, admin) = (bind(), bind());
    let addresses = (public.local_addr().unwrap(), admin.local_addr().unwrap());
    let settings = Config {
        tokens: vec!["secret".into()],
        drain_delay: Duration::from_millis(1500),
        hosts: vec!["localhost".into()],
        ..config()
    };
    let service = Service::new(settings).unwrap().with_admin(admin);
    let running = runtime.spawn(service.run(public, async { drop(stopped.await) }));
    let get = |address, path: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let ask =
            format!("GET {path} HTTP/1.1\r\nHost: pod\r\nAuthorization: Bearer secret\r\nConnection: close\r\n\r\n");
        stream.write_all(ask.as_bytes()).unwrap();
        crate::support::Answer::read(&mut stream)
    };
    assert_eq!((get(addresses.1, "/readyz").status, get(addresses.1, "/metrics").status), (200, 200));
    assert!(get(addresses.1, "/metrics").body.contains("maintext_held_bytes_limit "));
    assert_eq!(get(addresses.1, "/v1/teach/sites").status, 404);
    assert_eq!((get(addresses.0, "/readyz").status, get(addresses.0, "/metrics").status), (200, 421));
    drop(stop);
    thread::sleep(Duration::from_millis(300));
    assert_eq!((get(addresses.0, "/readyz").status, get(addresses.1, "/readyz").status), (503, 503));
    assert_eq!(get(addresses.0, "/healthz").status, 200, "connections are still accepted");
    assert!(runtime.block_on(running).unwrap());
    assert!(std::net::TcpStream::connect(addresses.0).is_err());
}
