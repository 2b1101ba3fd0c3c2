//! No page is parsed twice for one answer. The count is per process, so this test has its own process.
#![cfg(debug_assertions)]
#[path = "it/support/mod.rs"]
mod support;

use maintext_core::dom::PARSED;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use support::{STORY, config, page, site, start};

const MCP: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";

#[test]
fn each_route_parses_a_page_once() {
    let service = start(config());
    let site = site(|_| page(STORY));
    let url = format!("http://{site}/");
    let (html, fetched) = (json!({"html": STORY}), json!({ "url": url }));
    let all = json!({"url": url, "formats": ["markdown", "html", "rawHtml", "links", "images"]});
    let question = json!({"html": STORY, "question": "How many herons were there?"});
    let sides = json!({"before": {"result": {"text": "Two herons."}}, "after": html});
    let tool = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        ("/mcp", MCP, json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
    };
    let json = "Content-Type: application/json\r\n";
    let requests = [
        ("/v1/extract", json, html.clone()),
        ("/v1/extract", json, fetched),
        ("/v1/list", json, html.clone()),
        ("/v1/classify", json, html.clone()),
        ("/v1/inspect", json, html.clone()),
        ("/v1/find", json, question.clone()),
        ("/v1/changes", json, sides),
        ("/v1/batch", json, html.clone()),
        ("/v2/scrape", json, all.clone()),
        ("/v2/scrape", json, all),
        tool("extract", html.clone()),
        tool("find", question),
        tool("list", html),
    ];
    // Loading data for the first page of a process may itself parse fragments.
    service.post("/v1/inspect", "", STORY);
    for (path, headers, body) in requests {
        let before = PARSED.load(Ordering::Relaxed);
        let answer = service.post(path, headers, body.to_string());
        assert!(answer.status == 200 && !answer.body.contains("\"isError\":true"), "{path} {body}: {answer:?}");
        assert_eq!(PARSED.load(Ordering::Relaxed) - before, 1, "{path} {body}");
    }
}
