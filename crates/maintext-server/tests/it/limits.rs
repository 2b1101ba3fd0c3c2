//! Misbehaving clients, and a shutdown that loses no request.

use crate::support::{Answer, STORY, config, start};
use maintext_server::Config;
use std::io::{Read, Write};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn slow_headers_and_bodies_are_cut_off_and_do_not_block_others() {
    let limits = Config {
        header_timeout: Duration::from_millis(400),
        body_timeout: Duration::from_millis(400),
        connections: 50,
        ..config()
    };
    let service = start(limits);
    let mut slow: Vec<_> = (0..30).map(|_| service.connect()).collect();
    for (i, stream) in slow.iter_mut().enumerate() {
        let start = match i % 2 {
            0 => "POST /v1/extract HTTP/1.1\r\nHost: x\r\nX-Slow: ",
            _ => "POST /v1/extract HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n<p>",
        };
        stream.write_all(start.as_bytes()).unwrap();
    }
    let start = Instant::now();
    assert_eq!(service.post("/v1/extract", "", STORY).status, 200);
    assert!(start.elapsed() < Duration::from_secs(5), "another client had to wait");
    for (i, stream) in slow.iter_mut().enumerate() {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(i % 2 == 0 || answer.starts_with("HTTP/1.1 408 "), "{answer}");
    }
}

#[test]
fn huge_bodies_are_rejected_before_they_are_read() {
    let service = start(Config { max_body: 100_000, memory: 300_000, ..config() });
    let mut stream = service.connect();
    stream.write_all(b"POST /v1/extract HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n").unwrap();
    let piece = vec![b'x'; 64 * 1024];
    let mut sent = 0;
    while sent < 50_000_000 && stream.write_all(&piece).is_ok() {
        sent += piece.len();
    }
    assert!(sent < 50_000_000, "{sent} bytes were accepted");
    assert_eq!(service.post("/v1/extract", "", STORY).status, 200);
}

#[test]
fn a_page_over_budget_gives_a_partial_result() {
    let budget = maintext_core::Budget::default().with_nodes(100);
    let service = start(Config { budget, ..config() });
    let page = "<p>A sentence of some words, again and again.</p>".repeat(1000);
    let answer = service.post("/v1/extract", "", &page).json();
    assert_eq!(answer["warnings"][0]["code"], "limit_reached", "{answer}");
    assert!(answer["text"].as_str().unwrap().len() < page.len() / 2);
    assert_eq!(service.post("/v1/extract", "", STORY).json()["warnings"].as_array().map(Vec::len), Some(0));
}

#[test]
fn accepted_requests_are_answered_before_shutdown() {
    let mut service = start(Config { workers: 1, ..config() });
    let page = STORY.repeat(60);
    let mut clients: Vec<_> = (0..12).map(|_| service.connect()).collect();
    for stream in &mut clients {
        let head = format!("POST /v1/extract HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", page.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(page.as_bytes()).unwrap();
    }
    // All requests are sent; with one worker, none can be complete yet, and some connections may still wait for acceptance.
    thread::sleep(Duration::from_millis(30));
    service.stop();
    let statuses: Vec<u16> = clients.iter_mut().map(|stream| Answer::read(stream).status).collect();
    assert_eq!(statuses, vec![200; 12]);
    let address = service.address;
    assert!(service.finish(), "not all requests were answered in time");
    assert!(std::net::TcpStream::connect(address).is_err());
}
