//! What operators see: request ids and metrics.

use crate::support::{STORY, config, page, site, start};
use serde_json::json;
use std::io::{Read, Write};

/// Returns the value of a metric, or of one of its labelled lines.
fn value(metrics: &str, name: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|v| v.parse().ok()).unwrap_or_else(|| panic!("no {name} in {metrics}"))
}

#[test]
fn every_response_has_a_request_id() {
    let service = start(config());
    let given = service.post("/v1/extract", "X-Request-Id: run-7/page:3\r\n", STORY);
    assert!(given.head.contains("x-request-id: run-7/page:3"), "{given:?}");
    let refused = service.post("/v1/extract?colour=red", "X-Request-Id: run-8\r\n", STORY);
    assert_eq!((refused.status, refused.json()["request_id"].clone()), (400, json!("run-8")));
    for headers in ["", "X-Request-Id: two words\r\n", "X-Request-Id: \"><script>\r\n"] {
        let answer = service.get("/nowhere", headers);
        let id = answer.json()["request_id"].as_str().unwrap().to_owned();
        assert!(id.len() == 36 && answer.head.contains(&format!("x-request-id: {id}")), "{answer:?}");
    }
}

#[test]
fn metrics_count_fetches_by_outcome_and_measure_the_process() {
    let service = start(config());
    let site = site(|path| match path {
        "/story" => page(STORY),
        _ => ("404 Not Found".into(), String::new()),
    });
    for path in ["/story", "/story", "/missing"] {
        service.json("/v1/extract", &json!({"url": format!("http://{site}{path}")}));
    }
    service.json("/v1/extract", &json!({"url": "http://169.254.169.254/"}));
    let metrics = service.get("/metrics", "").body;
    for (name, expected) in [
        ("maintext_fetches_total{outcome=\"ok\"}", 2.0),
        ("maintext_fetches_total{outcome=\"status_4xx\"}", 1.0),
        ("maintext_fetches_total{outcome=\"refused\"}", 1.0),
        ("maintext_refused_total", 1.0),
        ("maintext_fetch_seconds_count", 4.0),
        ("maintext_queue_seconds_count", 2.0),
        ("maintext_queue_length", 0.0),
        ("maintext_fetched_bytes_total", 2.0 * STORY.len() as f64),
        ("maintext_requests_total{route=\"/v1/extract\",status=\"200\"}", 2.0),
    ] {
        assert_eq!(value(&metrics, name), expected, "{name}");
    }
    assert!(value(&metrics, "maintext_requests_in_progress") >= 1.0);
    if cfg!(target_os = "linux") {
        assert!(value(&metrics, "process_resident_memory_bytes") > 1e6);
        assert!(value(&metrics, "process_open_fds") > 3.0 && value(&metrics, "process_threads") > 1.0);
    }
}

/// Sends a page and returns head and body of the response as bytes.
fn exchange(service: &crate::support::Running, path: &str, encoding: &str, body: &str) -> (String, Vec<u8>) {
    let mut stream = service.connect();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let at = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    (String::from_utf8_lossy(&bytes[..at]).to_lowercase(), bytes.split_off(at + 4))
}

/// Joins the chunks of a body.
fn joined(mut chunked: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(at) = chunked.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&chunked[..at]).unwrap(), 16).unwrap();
        all.extend_from_slice(&chunked[at + 2..at + 2 + size]);
        chunked = &chunked[at + 4 + size..];
    }
    all
}

#[test]
fn large_answers_are_compressed_for_those_who_accept_it() {
    let service = start(config());
    let page = STORY.repeat(20);
    let plain = exchange(&service, "/v1/extract", "identity", &page);
    assert!(!plain.0.contains("content-encoding") && plain.1.len() > 4000);
    let gzip = exchange(&service, "/v1/extract", "gzip", &page);
    assert!(
        gzip.0.contains("content-encoding: gzip") && gzip.0.contains("vary: ") && gzip.1.len() < plain.1.len() / 4,
        "{}",
        gzip.0
    );
    let mut text = String::new();
    flate2::read::GzDecoder::new(&joined(&gzip.1)[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text.as_bytes(), plain.1);
    assert!(exchange(&service, "/v1/extract", "zstd, gzip;q=0.5", &page).0.contains("content-encoding: zstd"));
    // Small answers and streams are left as they are.
    assert!(!exchange(&service, "/v1/classify", "gzip", "").0.contains("content-encoding"));
    let lines = format!("{}\n", json!({"html": page}));
    let stream = exchange(&service, "/v1/batch", "gzip", &lines);
    assert!(stream.0.contains("application/x-ndjson") && !stream.0.contains("content-encoding"), "{}", stream.0);
}
