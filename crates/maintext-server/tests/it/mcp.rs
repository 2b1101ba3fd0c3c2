//! `/mcp`: the tools for agents over HTTP, behind the same gate as the other routes.

use crate::support::{Answer, Running, STORY, config, page, site, start};
use maintext_server::{Config, Forwarded, ForwardedHeader};
use serde_json::{Value, json};
use std::net::TcpListener;
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
