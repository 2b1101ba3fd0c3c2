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
    assert_eq!(names, ["extract", "find", "list", "changes", "map", "crawl"]);
    // A client offers the values of an enum.
    let property = |tool: usize, name: &str| &tools["result"]["tools"][tool]["inputSchema"]["properties"][name]["enum"];
    for name in ["favor", "method"] {
        assert!(property(0, name).is_array() && property(0, name) == property(5, name), "{name}: {tools}");
    }
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

/// Sends a request of the stateless revision. `version` and `name` go into the headers.
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
    let text = last["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("pages: 3 of ") && last["result"].get("structuredContent").is_none(), "{last}");
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

/// The text that a hostile site writes everywhere.
const EVIL: &str = "obeyme";

/// Returns a site that has [`EVIL`] in its headers, addresses, errors and everything on its page.
fn evil_site() -> std::net::SocketAddr {
    let item = |n: usize| {
        format!(
            "<li><a href='/{EVIL}/{n}' title='{EVIL}'>{EVIL} walk number {n} to the herons</a> <time>2024-05-0{n}</time> {EVIL}</li>"
        )
    };
    let list: String = (1..9).map(item).collect();
    let head = format!(
        "<html lang='en-{EVIL}'><head><title>{EVIL}</title><base href='/{EVIL}/'><link rel=canonical href='/{EVIL}?{EVIL}'>\
        <link rel=license href='https://{EVIL}.example/'><link rel=next href='/{EVIL}/2'><link rel=prev href='/{EVIL}/0'>\
        <link rel=alternate type='text/markdown' href='/{EVIL}.md'><meta name=author content='{EVIL}'><meta name=description content='{EVIL}'>\
        <meta name=robots content='noai, {EVIL}'><meta property=og:type content='{EVIL}'><meta property=og:site_name content='{EVIL}'>\
        <meta name=date content='2024-05-01 {EVIL}'><meta http-equiv=refresh content='9;url=/{EVIL}'>\
        <script type=application/ld+json>{{\"@type\":\"{EVIL}\",\"license\":\"{EVIL}\",\"headline\":\"{EVIL}\"}}</script></head>"
    );
    let list_page = format!(
        "{head}<body><main><h1>{EVIL}</h1><ul>{list}</ul><a href='/{EVIL}?page=2'>Next {EVIL}</a></main></body></html>"
    );
    let story = STORY
        .replace("<head>", &head[head.find("<title>").unwrap()..])
        .replace("two herons", &format!("two herons {EVIL}"));
    let frame = format!("{head}<body><iframe src='/{EVIL}/frame'></iframe></body></html>");
    site(move |path| {
        let with = |status: &str, headers: String, body: &str| {
            let said = format!(
                "Content-Language: {EVIL}\r\nLink: </{EVIL}>; rel=\"license\", </{EVIL}>; rel=\"canonical\"\r\nTDM-Policy: {EVIL}"
            );
            (format!("{status}\r\n{said}\r\n{headers}"), body.to_owned())
        };
        let html = || "Content-Type: text/html".to_owned();
        match path {
            "/" => with("200 OK", html(), &list_page),
            "/story" => with("200 OK", html(), &story),
            "/frame" => with("200 OK", html(), &frame),
            "/empty" => with("200 OK", html(), &format!("{head}<body></body></html>")),
            "/paid" => with(
                "402 Payment Required",
                format!(
                    "crawler-price: USD 3 {EVIL}\r\nLink: </{EVIL}.xml>; rel=\"license\"; type=\"application/rsl+xml\"\r\nContent-Type: text/html"
                ),
                EVIL,
            ),
            "/away" => with("302 Found", format!("Location: http://10.0.0.1/{EVIL}"), ""),
            "/nowhere" => with("302 Found", format!("Location: http://{EVIL}.invalid/"), ""),
            "/other" => with("302 Found", format!("Location: ftp://{EVIL}/"), ""),
            "/loop" => with("302 Found", "Location: /loop".into(), ""),
            "/file" => with("200 OK", format!("Content-Type: application/{EVIL}"), "\0\u{1}"),
            "/gone" => with("404 Not Found", html(), EVIL),
            _ => with("200 OK", html(), &story),
        }
    })
}

/// Returns the text outside the marks.
fn outside(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((own, fenced)) = rest.split_once("<<<page ") {
        let mark = fenced.split('\n').next().unwrap();
        let (_, after) = fenced.split_once(&format!("\npage {mark}>>>")).unwrap_or_else(|| panic!("no end: {text}"));
        out += own;
        rest = after;
    }
    out + rest
}

#[test]
fn what_a_site_says_stands_between_the_marks_in_every_tool() {
    let service = start(config());
    let address = evil_site();
    let mut said = 0;
    for path in ["/", "/story", "/frame", "/empty", "/paid", "/away", "/nowhere", "/other", "/loop", "/file", "/gone"] {
        let url = format!("http://{address}{path}");
        let one = |name: &str| (name.to_owned(), json!({"url": url}));
        let mut calls: Vec<(String, Value)> = ["extract", "list"].map(one).to_vec();
        calls.push(("extract".into(), json!({"url": url, "links": true})));
        calls.push(("list".into(), json!({"url": url, "group": 2})));
        calls.push(("extract".into(), json!({"url": url, "max_chars": 250})));
        calls.push(("find".into(), json!({"url": url, "question": "How many herons?", "urls": [format!("http://{address}/paid"), format!("http://{address}/story")]})));
        calls.push(("changes".into(), json!({"url": url, "before_text": "Two herons."})));
        calls.push(("changes".into(), json!({"url": format!("http://{address}/story"), "before_url": url})));
        if path == "/" {
            calls.push(("map".into(), json!({"url": url})));
            calls.push(("crawl".into(), json!({"url": url, "max_pages": 2})));
        }
        for (name, arguments) in calls {
            let answer = ask(&service, "", "tools/call", json!({"name": name, "arguments": arguments})).json();
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{name}: {answer}"));
            let own = outside(text).to_lowercase();
            assert!(!own.contains(EVIL), "{name} {arguments}: {own}\n\n{text}");
            said += usize::from(text.contains(EVIL));
        }
    }
    assert!(said > 40, "the site was heard in {said} answers only");
}

fn text_of(service: &Running, name: &str, arguments: Value) -> String {
    let answer = ask(service, "", "tools/call", json!({"name": name, "arguments": arguments})).json();
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn two_versions_of_a_page_are_compared() {
    let service = start(config());
    let later = STORY.replace("two herons, a fox", "three storks, a fox");
    let text = text_of(&service, "changes", json!({"html": later, "before_html": STORY}));
    assert!(text.starts_with("changes: 0 new, 0 gone, 1 edited, 0 moved\n"), "{text}");
    assert!(
        text.contains("\n- By noon we had seen two herons") && text.contains("\n+ By noon we had seen three storks"),
        "{text}"
    );
    let same = text_of(&service, "changes", json!({"html": STORY, "before_html": STORY}));
    assert!(same.starts_with("changes: 0 new, 0 gone, 0 edited, 0 moved\n"), "{same}");
    assert!(text_of(&service, "changes", json!({"html": STORY})).contains("expected before_url"));
}

#[test]
fn an_empty_page_gets_one_message_and_an_article_is_not_called_a_list() {
    let service = start(config());
    let empty =
        text_of(&service, "extract", json!({"html": "<html><head><title>Nothing</title></head><body></body></html>"}));
    assert!(empty.starts_with("hint: nothing to read: "), "{empty}");
    assert!(empty.matches("hint: ").count() == 1 && !empty.contains("warning"), "{empty}");
    let list = text_of(
        &service,
        "list",
        json!({"html": STORY.replace("<nav>", "<nav><ul><li><a href=/a>One walk to the sea</a><li><a href=/b>Another walk to the hills</a><li><a href=/c>A third walk to the river</a></ul>")}),
    );
    assert!(
        list.contains("page_type: article")
            && (list.contains("this is an article, not a list") || list.contains("no entries found")),
        "{list}"
    );
}

#[test]
fn the_schema_of_find_requires_its_question() {
    let tools = ask(&start(config()), "", "tools/list", json!({})).json();
    let find = tools["result"]["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "find").unwrap().clone();
    assert_eq!(find["inputSchema"]["required"], json!(["question"]), "{find}");
    assert!(find.get("outputSchema").is_none(), "the answers are text by default");
}

#[test]
fn wrong_messages_get_the_errors_of_json_rpc() {
    let service = start(config());
    let cut = service.post("/mcp", HEADERS, r#"{"jsonrpc":"2.0","id":1,"method":"#);
    assert_eq!((cut.status, cut.json()["error"]["code"].as_i64()), (400, Some(-32700)), "{cut:?}");
    let other = service.post("/mcp", HEADERS, r#"{"a":1}"#);
    assert_eq!((other.status, other.json()["error"]["code"].as_i64()), (400, Some(-32600)), "{other:?}");
    let unknown = ask(&service, "", "foo", json!({})).json();
    assert_eq!(unknown["error"], json!({"code": -32601, "message": "method not found: foo"}), "{unknown}");
    let wrong = ask(&service, "", "tools/call", json!({"name": "extract", "arguments": []})).json();
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
}

#[test]
fn a_max_chars_that_is_not_possible_is_refused_with_its_range() {
    let service = start(config());
    for wrong in [0, 100, 150] {
        let text = text_of(&service, "extract", json!({"html": STORY, "max_chars": wrong}));
        let said = format!("max_chars must be a number from 200 to 200000, not {wrong}");
        assert!(text.contains(&said), "{text}");
    }
    let text = text_of(&service, "extract", json!({"html": STORY, "max_chars": 400.0}));
    assert!(!text.contains("max_chars must be"), "{text}");
}

#[test]
fn a_crawl_follows_links_from_page_to_page() {
    let service = start(config());
    let site = site(|path| match path.trim_start_matches("/w/").trim_end_matches(".html").parse::<usize>() {
        Ok(n @ 1..5) => page(&format!("{STORY}<p>Walk {n}</p><a href=/w/{}.html>Next walk</a>", n + 1)),
        Ok(5) => page(STORY),
        _ => ("404 Not Found".into(), String::new()),
    });
    let text = text_of(&service, "crawl", json!({"url": format!("http://{site}/w/1.html"), "max_pages": 20}));
    assert!(text.starts_with("pages: 5 of "), "{text}");
    assert!(text.contains("/w/5.html\n"), "{text}");
}

#[test]
fn a_crawl_that_robots_txt_forbids_says_so() {
    let service = start(config());
    let site = site(|path| match path {
        "/robots.txt" => ("200 OK\r\nContent-Type: text/plain".into(), "User-agent: *\nDisallow: /\n".into()),
        _ => page(STORY),
    });
    let text = text_of(&service, "crawl", json!({"url": format!("http://{site}/a")}));
    assert!(text.contains("error (robots_refused)") && text.contains("does not want robots"), "{text}");
}

#[test]
fn a_failed_page_of_a_search_is_named_once() {
    let service = start(config());
    let site = site(|path| match path {
        "/a" => page(STORY),
        _ => ("404 Not Found".into(), String::new()),
    });
    let urls = [format!("http://{site}/a"), format!("http://{site}/b")];
    let text = text_of(&service, "find", json!({"urls": urls, "question": "How many herons?"}));
    assert!(text.contains("of 1 page\n") && !text.contains("\ntitle: "), "{text}");
    let warning = text.lines().find(|line| line.starts_with("warning: ")).unwrap();
    assert_eq!(warning.matches("/b").count(), 1, "{warning}");
}

#[test]
fn a_site_that_cannot_be_read_fails_as_its_start_does() {
    let service = start(config());
    let site = site(|path| match path {
        "/file" => ("200 OK\r\nContent-Type: application/pdf".into(), "%PDF-1.4".into()),
        _ => ("404 Not Found".into(), String::new()),
    });
    for (url, code) in [
        ("http://10.0.0.8/".to_owned(), "address_refused"),
        ("ftp://x.example/".into(), "bad_url"),
        (format!("http://{site}/file"), "not_a_page"),
        (format!("http://{site}/gone"), "fetch_failed"),
    ] {
        for tool in ["map", "crawl", "extract"] {
            let text = text_of(&service, tool, json!({"url": url}));
            assert!(text.starts_with(&format!("error ({code})")) && !text.contains("//..."), "{tool} {url}: {text}");
        }
    }
}

/// A page whose answer to a question is behind a long text.
fn long_page() -> String {
    let talk = |n: usize| {
        format!(
            "<p>Paragraph {n} tells of the harbour and its {n}5 boats. They left before dawn, and nobody saw them go. "
        ) + &"The wind was 12.5 knots from the west, as on most days. ".repeat(4)
            + "</p>"
    };
    let before: String = (1..6).map(talk).collect();
    let after: String = (6..9).map(talk).collect();
    format!(
        "<html lang=en><title>The mill</title><article><h1>The mill</h1>{before}<p>In a good week the mill ground 4200 kilograms of \
         flour for the town.</p>{after}</article></html>"
    )
}

#[test]
fn a_small_answer_has_the_sentence_that_matches_and_nothing_half() {
    let service = start(config());
    let page = long_page();
    for max_chars in [400, 900, 3000] {
        let wanted = json!({
            "html": page, "url": "https://example.org/mill", "question": "How many kilograms ground?", "max_chars": max_chars,
        });
        let text = text_of(&service, "find", wanted);
        assert!(text.contains("ground 4200 kilograms"), "{max_chars}: {text}");
        // A link is whole or left out.
        let links = text.lines().filter(|line| line.contains("#:~:text="));
        assert!(links.clone().all(|line| !line.contains('\u{2026}')), "{text}");
    }
}

#[test]
fn a_small_list_has_no_half_address() {
    let service = start(config());
    let entry = |n: usize| {
        format!("<li><a href=/walks/{n}/{}>Walk number {n} to the herons</a></li>", "a-long-path-".repeat(9))
    };
    let entries: String = (1..9).map(entry).collect();
    let page = format!("<title>Walks</title><main><h1>Walks</h1><ul>{entries}</ul></main>");
    let wanted = json!({"html": page, "url": "https://example.org/", "max_chars": 250});
    let text = text_of(&service, "list", wanted);
    assert!(text.contains("Walk") && !text.contains("https://example.org/walks"), "{text}");
    let wanted = json!({"html": page, "url": "https://example.org/", "max_chars": 420});
    let text = text_of(&service, "list", wanted);
    assert!(!text.contains("a-long-path-\u{2026}") && !text.contains("a-long\u{2026}"), "{text}");
}

#[test]
fn cut_pages_of_a_crawl_are_apart() {
    let service = start(config());
    let (url, _) = twelve_pages(Duration::ZERO);
    let text = text_of(&service, "crawl", json!({"url": url, "max_pages": 3, "max_chars": 900}));
    assert!(text.matches("\n\ntitle: ").count() >= 1 && !text.contains("## "), "{text}");
    assert!(text.contains('\u{2026}') && text.matches("\u{2026}\n\n").count() >= 1, "{text}");
}
