//! What the Model Context Protocol demands of `maintext mcp`: the stateless revision of July 2026, progress and cancellation. The tests in `mcp` follow the revision of June 2025, with its handshake.
use crate::command::mcp::{Agent, index, walk};
use crate::command::server::{Server, page};
use crate::command::{article, command};
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

const MODERN: &str = "2026-07-28";

/// The facts that each request of the stateless revision carries.
fn modern(version: &str, params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "progressToken": "p",
    });
    params
}

/// A site of an index and pages, whose pages answer after `pause`.
fn site(pause: Duration) -> (Server, Vec<String>) {
    let site = Server::start(move |path, stream| {
        let answer = match path {
            "/" => page(&index(12)),
            path if path.starts_with("/walks/") => {
                std::thread::sleep(pause);
                page(&walk())
            }
            _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
        };
        let _ = stream.write_all(&answer);
    });
    let port = site.url("").trim_end_matches('/').rsplit_once(':').unwrap().1.to_owned();
    (site, vec!["--allow-network".into(), "127.0.0.0/8".into(), "--allow-port".into(), port])
}

fn agent(flags: &[String], more: &[&str]) -> Agent {
    let mut all: Vec<&str> = flags.iter().map(String::as_str).collect();
    all.extend(more);
    Agent::without_handshake(&all)
}

#[test]
fn a_client_without_a_handshake_is_served() {
    let mut agent = Agent::without_handshake(&["--no-fetch"]);
    let found = agent.ask("server/discover", modern(MODERN, json!({})))["result"].take();
    let versions: Vec<&str> = found["supportedVersions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(versions.contains(&MODERN) && versions.contains(&"2025-06-18"), "{found}");
    assert_eq!((&found["resultType"], &found["cacheScope"]), (&json!("complete"), &json!("public")));
    assert!(found["ttlMs"].as_u64().unwrap() > 0 && found["capabilities"]["tools"].is_object(), "{found}");
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "maintext");
    assert!(found["instructions"].as_str().unwrap().contains("next_offset"));

    let listed = agent.ask("tools/list", modern(MODERN, json!({})))["result"].take();
    assert_eq!((&listed["resultType"], &listed["cacheScope"]), (&json!("complete"), &json!("public")));
    assert!(listed["ttlMs"].as_u64().unwrap() > 0 && listed["tools"].as_array().unwrap().len() >= 4, "{listed}");

    let call = json!({"name": "extract", "arguments": {"html": article("herons")}});
    let answer = agent.ask("tools/call", modern(MODERN, call))["result"].take();
    assert_eq!((&answer["resultType"], &answer["isError"]), (&json!("complete"), &json!(false)), "{answer}");
    assert_eq!(answer["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "maintext");

    let refused = agent.ask("tools/list", modern("1900-01-01", json!({})))["error"].take();
    assert_eq!((&refused["code"], &refused["data"]["requested"]), (&json!(-32022), &json!("1900-01-01")));
    assert!(refused["data"]["supported"].as_array().unwrap().contains(&json!(MODERN)), "{refused}");
    // The revision has no ping, and wants its facts in each request.
    assert_eq!(agent.ask("ping", modern(MODERN, json!({})))["error"]["code"], -32601);
    assert_eq!(agent.ask("tools/list", json!({}))["error"]["code"], -32602);
    agent.end();
}

#[test]
fn a_client_with_a_handshake_gets_the_form_of_its_revision() {
    let mut agent = Agent::start(&["--no-fetch"]);
    let listed = agent.ask("tools/list", json!({}))["result"].take();
    for name in ["resultType", "ttlMs", "cacheScope", "_meta"] {
        assert!(listed[name].is_null(), "{name}: {listed}");
    }
    assert!(agent.ask("ping", json!({}))["result"].is_object());
    agent.end();
    // A revision that the server does not know is answered with one that it knows.
    let mut agent = Agent::without_handshake(&["--no-fetch"]);
    let client =
        json!({"protocolVersion": "2031-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let hello = agent.ask("initialize", client);
    assert!(hello["result"]["protocolVersion"].as_str().unwrap().starts_with("202"), "{hello}");
    agent.end();
}

#[test]
fn a_crawl_and_a_map_report_their_progress() {
    let (site, flags) = site(Duration::from_millis(300));
    let mut agent = agent(&flags, &[]);
    for (tool, knows_total) in [("map", false), ("crawl", true)] {
        agent.notes.clear();
        let call = json!({"name": tool, "arguments": {"url": site.url("/"), "max_pages": 3}});
        let answer = agent.ask("tools/call", modern(MODERN, call));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let steps = agent.notes.iter().filter(|note| note["method"] == "notifications/progress");
        let steps: Vec<&Value> = steps.map(|note| &note["params"]).collect();
        assert!(!steps.is_empty() && steps.iter().all(|s| s["progressToken"] == "p"), "{tool}: {:?}", agent.notes);
        assert!(steps.windows(2).all(|s| s[0]["progress"].as_f64() < s[1]["progress"].as_f64()), "{steps:?}");
        // Addresses come from the site, so the messages must not contain them.
        assert!(steps.iter().all(|s| !s["message"].as_str().unwrap().contains("http")), "{steps:?}");
        assert_eq!(steps.iter().any(|s| s["total"].is_number()), knows_total, "{steps:?}");
    }
    // Who did not ask hears nothing.
    agent.notes.clear();
    let mut call = modern(MODERN, json!({"name": "map", "arguments": {"url": site.url("/"), "max_pages": 3}}));
    call["_meta"].as_object_mut().unwrap().remove("progressToken");
    agent.ask("tools/call", call);
    assert!(agent.notes.is_empty(), "{:?}", agent.notes);
    agent.end();
}

#[test]
fn a_cancelled_crawl_ends_without_an_answer() {
    let (site, flags) = site(Duration::from_millis(200));
    let mut agent = agent(&flags, &[]);
    let call = json!({"name": "crawl", "arguments": {"url": site.url("/"), "max_pages": 20}});
    let id = agent.send("tools/call", modern(MODERN, call));
    // The crawl is in the middle of its pages: the last requests were for pages, one after the other.
    loop {
        let note = agent.hear();
        assert_eq!(note["method"], "notifications/progress", "{note}");
        if note["params"]["total"].is_number() {
            break;
        }
    }
    agent.tell("notifications/cancelled", json!({"requestId": id, "reason": "no longer needed"}));
    let start = Instant::now();
    let call = json!({"name": "extract", "arguments": {"html": article("herons")}});
    let answer = agent.ask("tools/call", modern(MODERN, call));
    assert!(answer["result"]["content"][0]["text"].is_string() && answer["id"] != id, "{answer}");
    assert!(start.elapsed() < Duration::from_secs(5));
    // A request that was under way may still arrive; no other follows.
    std::thread::sleep(Duration::from_millis(700));
    let before = site.requests().len();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(site.requests().len(), before);
    agent.end();
}

#[test]
fn a_cancelled_map_ends() {
    let (site, flags) = site(Duration::from_secs(60));
    let mut agent = agent(&flags, &[]);
    // The start is a page that answers after a minute.
    let call = json!({"name": "map", "arguments": {"url": site.url("/walks/1-the-herons")}});
    let id = agent.send("tools/call", modern(MODERN, call));
    std::thread::sleep(Duration::from_millis(500));
    agent.tell("notifications/cancelled", json!({"requestId": id}));
    let start = Instant::now();
    let answer = agent.ask("tools/list", modern(MODERN, json!({})));
    assert!(answer["result"]["tools"].is_array() && start.elapsed() < Duration::from_secs(3), "{answer}");
    agent.end();
    assert!(start.elapsed() < Duration::from_secs(10), "the command waited for the map: {:?}", start.elapsed());
}

#[cfg(feature = "openai-tokens")]
#[test]
fn the_descriptions_of_all_tools_take_few_tokens() {
    let tokenizer = maintext_chunks::Tokenizer::named("o200k_base").unwrap();
    // No tool is called, so that any file can be the browser.
    let mut agent = Agent::of(command(&["mcp", "--render"]).env("CHROMIUM", env!("CARGO_BIN_EXE_maintext")));
    let tools = agent.ask("tools/list", modern(MODERN, json!({})))["result"]["tools"].take();
    let tokens = tokenizer.count(&tools.to_string());
    assert!(tokens <= 1800, "{tokens} tokens");
    agent.end();
}
