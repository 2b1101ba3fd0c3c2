//! `/mcp`: the tools for agents over HTTP, behind the same gate as the other routes.

use crate::support::{Answer, Running, STORY, config, page, site, start};
use maintext_server::{Config, Forwarded, ForwardedHeader};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const HEADERS: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

fn message(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn ask(service: &Running, headers: &str, method: &str, params: Value) -> Answer {
    service.post("/mcp", &format!("{HEADERS}{headers}"), message(method, params))
}

#[test]
fn the_tools_answer_over_http() {
    let service = start(config());
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = ask(&service, "", "initialize", client).json();
    assert_eq!(hello["result"]["serverInfo"]["name"], "maintext", "{hello}");
    let tools = ask(&service, "", "tools/list", json!({})).json();
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().filter_map(|t| t["name"].as_str()).collect();
    assert_eq!(names, ["extract", "find", "list", "links", "classify", "inspect", "map", "crawl"]);
    let call = json!({"name": "extract", "arguments": {"html": STORY}});
    let answer = ask(&service, "", "tools/call", call).json();
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("two herons, a fox"), "{answer}");
    let call =
        json!({"name": "find", "arguments": {"html": STORY, "question": "How many herons were there?", "limit": 1}});
    let answer = ask(&service, "", "tools/call", call).json();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("searched: ") && text.contains("\n1. ") && text.contains("two herons, a fox"), "{answer}");
    let call = json!({"name": "find", "arguments": {"html": STORY}});
    let answer = ask(&service, "", "tools/call", call).json();
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("question: expected"), "{answer}");
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(service.post("/mcp", HEADERS, ready).status, 202);
}

#[test]
fn the_gate_and_the_limits_hold_for_agents() {
    let service = start(Config { tokens: vec!["secret".into()], max_body: 5000, ..config() });
    let list = |headers: &str| ask(&service, headers, "tools/list", json!({})).status;
    assert_eq!((list(""), list("Authorization: Bearer secret\r\n")), (401, 200));
    assert_eq!(list("Authorization: Bearer secret\r\nOrigin: https://other.example\r\n"), 403);
    let large = json!({"name": "extract", "arguments": {"html": "x".repeat(6000)}});
    let answer = ask(&service, "Authorization: Bearer secret\r\n", "tools/call", large);
    assert_eq!((answer.status, answer.json()["code"].as_str()), (413, Some("body_too_large")));
}

#[test]
fn wrong_messages_are_problems() {
    let service = start(config());
    let wrong = service.post("/mcp", "Content-Type: text/plain\r\nAccept: */*\r\n", "hello");
    assert!((400..500).contains(&wrong.status), "{wrong:?}");
    let get = service.get("/mcp", "Accept: text/event-stream\r\n");
    assert_eq!((get.status, get.json()["code"].as_str()), (405, Some("method_not_allowed")));
    let html = service.post(
        "/mcp",
        "Content-Type: application/json\r\nAccept: text/html\r\n",
        message("tools/list", json!({})),
    );
    assert_eq!((html.status, html.json()["code"].as_str()), (406, Some("bad_message")), "{html:?}");
}

#[test]
fn calls_of_an_agent_count_to_its_client() {
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let slow = format!("http://{}/", hanging.local_addr().unwrap());
    let good = format!("http://{}/", site(|_| page(STORY)));
    let trust = Some(Forwarded { header: ForwardedHeader::XForwardedFor, hops: 1 });
    let service = start(Config { trust, fetches: 6, request_timeout: Duration::from_secs(6), ..config() });
    let call = |client: u8, url: &str| {
        let headers = format!("X-Forwarded-For: 192.0.2.{client}\r\n");
        ask(&service, &headers, "tools/call", json!({"name": "extract", "arguments": {"url": url}}))
    };
    thread::scope(|scope| {
        for _ in 0..18 {
            scope.spawn(|| call(1, &slow));
        }
        let _held: Vec<_> = (0..3).map(|_| hanging.accept().unwrap()).collect();
        thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        let answer = call(2, &good).json();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or("");
        assert!(text.contains("two herons, a fox") && start.elapsed() < Duration::from_secs(3), "{answer}");
    });
}

const MODERN: &str = "2026-07-28";

/// Sends a request of the stateless revision. `version` and `name` are those of the headers.
fn ask_modern(service: &Running, version: &str, name: &str, method: &str, mut params: Value) -> Answer {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "progressToken": 7,
    });
    let name = if name.is_empty() { String::new() } else { format!("Mcp-Name: {name}\r\n") };
    let headers = format!("MCP-Protocol-Version: {version}\r\nMcp-Method: {method}\r\n{name}");
    ask(service, &headers, method, params)
}

#[test]
fn requests_without_a_handshake_are_answered_over_http() {
    let service = start(config());
    let found = ask_modern(&service, MODERN, "", "server/discover", json!({}));
    let result = &found.json()["result"];
    assert!(
        found.status == 200 && result["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)),
        "{found:?}"
    );
    assert!(result["ttlMs"].as_u64().unwrap() > 0 && result["cacheScope"] == "public", "{found:?}");
    let listed = ask_modern(&service, MODERN, "", "tools/list", json!({})).json();
    assert!(
        listed["result"]["ttlMs"].as_u64().unwrap() > 0 && listed["result"]["resultType"] == "complete",
        "{listed}"
    );
    let call = json!({"name": "extract", "arguments": {"html": STORY}});
    let answer = ask_modern(&service, MODERN, "extract", "tools/call", call.clone());
    let result = &answer.json()["result"];
    assert!(result["structuredContent"]["content"].as_str().unwrap().contains("two herons, a fox"), "{answer:?}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("two herons, a fox"), "{answer:?}");
    // Errors that the revision names, with their status.
    let error = |answer: Answer| (answer.status, answer.json()["error"]["code"].as_i64());
    assert_eq!(error(ask_modern(&service, MODERN, "list", "tools/call", call)), (400, Some(-32020)));
    assert_eq!(error(ask_modern(&service, "1900-01-01", "", "tools/list", json!({}))), (400, Some(-32022)));
    assert_eq!(error(ask_modern(&service, MODERN, "", "prompts/nothing", json!({}))), (404, Some(-32601)));
}

fn twelve_pages(pause: Duration) -> (String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let address = site(move |path| {
        if path.starts_with("/walks/") {
            count.fetch_add(1, Ordering::SeqCst);
            thread::sleep(pause);
            return page(STORY);
        }
        let links: String =
            (0..12).map(|i| format!("<li><a href=/walks/{i}>Walk number {i} to the herons</a>")).collect();
        match path {
            "/" => page(&format!("<title>Walks</title><main><h1>Walks</h1><ul>{links}</ul></main>")),
            _ => ("404 Not Found".into(), String::new()),
        }
    });
    (format!("http://{address}/"), asked)
}

#[test]
fn a_crawl_over_http_streams_its_progress() {
    let service = start(config());
    let (url, _) = twelve_pages(Duration::from_millis(200));
    let call = json!({"name": "crawl", "arguments": {"url": url, "max_pages": 3}});
    let answer = ask_modern(&service, MODERN, "crawl", "tools/call", call);
    assert!(answer.head.contains("content-type: text/event-stream"), "{answer:?}");
    assert!(answer.head.contains("x-accel-buffering: no"), "{answer:?}");
    let data = answer.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let messages: Vec<Value> = data.filter_map(|text| serde_json::from_str(text).ok()).collect();
    let (last, steps) = messages.split_last().unwrap();
    assert!(!steps.is_empty() && steps.iter().all(|s| s["params"]["progressToken"] == 7), "{messages:?}");
    assert_eq!(last["result"]["structuredContent"]["total_pages"], 3, "{last}");
}

#[test]
fn a_client_that_closes_its_connection_ends_a_crawl() {
    let service = start(config());
    for streams in [true, false] {
        let (url, asked) = twelve_pages(Duration::from_millis(100));
        let mut params = json!({"name": "crawl", "arguments": {"url": url, "max_pages": 12}});
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if streams {
            params["_meta"]["progressToken"] = 1.into();
        }
        let body = message("tools/call", params);
        let mut stream = service.connect();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\n{HEADERS}MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\n\
            Mcp-Name: crawl\r\nContent-Length: {}\r\n\r\n{body}",
            service.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let start = Instant::now();
        while asked.load(Ordering::SeqCst) < 2 {
            assert!(start.elapsed() < Duration::from_secs(20), "the crawl never began");
            thread::sleep(Duration::from_millis(20));
        }
        drop(stream);
        thread::sleep(Duration::from_millis(800));
        let before = asked.load(Ordering::SeqCst);
        thread::sleep(Duration::from_millis(1500));
        assert_eq!(asked.load(Ordering::SeqCst), before, "streams: {streams}");
        assert!(before < 12);
    }
}

#[test]
fn a_client_that_shook_hands_cancels_a_crawl_by_a_notification() {
    let service = start(config());
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = ask(&service, "", "initialize", client);
    let id = hello.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let (url, asked) = twelve_pages(Duration::from_millis(100));
    let headers = format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-06-18\r\n");
    let wait = |count: usize| {
        let start = Instant::now();
        while asked.load(Ordering::SeqCst) < count {
            assert!(start.elapsed() < Duration::from_secs(20), "the crawl never began");
            thread::sleep(Duration::from_millis(20));
        }
    };
    thread::scope(|scope| {
        let call = json!({"name": "crawl", "arguments": {"url": url, "max_pages": 12}});
        let crawl = scope.spawn(|| ask(&service, &headers, "tools/call", call));
        wait(2);
        let cancel = |headers: &str| {
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
            assert_eq!(service.post("/mcp", &format!("{HEADERS}{headers}"), cancel.to_string()).status, 202);
        };
        // Who lacks the id, or has another one, cancels nothing.
        cancel("");
        cancel("Mcp-Session-Id: 00000000000000000000000000000000\r\n");
        wait(4);
        cancel(&headers);
        let answer = crawl.join().unwrap().json();
        assert_eq!(answer["error"]["message"], "cancelled by the client", "{answer}");
        assert!(asked.load(Ordering::SeqCst) < 12);
    });
}
