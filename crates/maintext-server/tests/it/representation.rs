//! The format of answers, and the representation that sites are asked for.

use crate::support::{Answer, Running, STORY, config, page, site, site_by_request, start};
use maintext_server::{CacheLimits, Config, Manners};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn extract(service: &Running, accept: &str, ask: &Value) -> Answer {
    let headers = format!("Content-Type: application/json\r\n{accept}");
    service.post("/v1/extract", &headers, ask.to_string())
}

fn has(answer: &Answer, header: &str) -> bool {
    answer.head.to_ascii_lowercase().contains(&format!("\r\n{header}"))
}

#[test]
fn the_form_of_an_answer_is_negotiated() {
    let service = start(config());
    let ask = json!({"html": STORY});
    for (accept, kind) in [
        ("", "application/json"),
        ("Accept: */*\r\n", "application/json"),
        ("Accept: text/markdown\r\n", "text/markdown"),
        ("Accept: text/plain;q=0.5, text/markdown;q=0.9\r\n", "text/markdown"),
        ("Accept: application/json;q=0.1, text/*;q=0.2, text/markdown;q=0\r\n", "text/plain"),
        ("Accept: image/png, text/html;q=0.3\r\n", "text/html"),
    ] {
        let answer = extract(&service, accept, &ask);
        assert!(answer.status == 200 && has(&answer, "vary: accept\r\n"), "{accept}: {answer:?}");
        assert!(has(&answer, &format!("content-type: {kind}")), "{accept}: {answer:?}");
    }
    let none = extract(&service, "Accept: image/png, text/markdown;q=0\r\n", &ask);
    assert_eq!((none.status, none.json()["code"].as_str()), (406, Some("not_acceptable")));
    assert!(has(&none, "vary: accept\r\n") && has(&none, "content-type: application/problem+json"), "{none:?}");
    assert!(none.json()["detail"].as_str().unwrap().contains("application/json, text/markdown, text/plain, text/html"));
}

#[test]
fn the_format_of_the_request_counts_more_than_accept() {
    let service = start(config());
    let ask = json!({"html": STORY, "format": "markdown"});
    for accept in ["Accept: image/png\r\n", "Accept: text/html\r\n", ""] {
        assert!(has(&extract(&service, accept, &ask), "content-type: text/markdown"), "{accept}");
    }
    let in_query = service.post("/v1/extract?format=text", "Content-Type: text/html\r\nAccept: text/html\r\n", STORY);
    assert!(in_query.status == 200 && has(&in_query, "content-type: text/plain"), "{in_query:?}");
    let twice = extract(&service, "", &json!({"html": STORY, "format": "text", "options": {"formats": ["text"]}}));
    assert!(twice.status == 400 && twice.body.contains("because 'format' already sets the format"), "{twice:?}");
    let wrong = extract(&service, "", &json!({"html": STORY, "format": "pdf"}));
    assert!(wrong.status == 400 && wrong.body.contains("'format': unknown value `pdf`"), "{wrong:?}");
    let elsewhere = service.json("/v1/classify", &json!({"html": STORY, "format": "json"}));
    assert!(elsewhere.status == 400 && elsewhere.body.contains("/v1/extract only"), "{elsewhere:?}");
    let line = service.post("/v1/batch", "Content-Type: application/x-ndjson\r\n", ask.to_string());
    assert!(line.body.contains("/v1/extract only"), "{line:?}");
}

#[test]
fn the_reader_is_negotiated() {
    let service = start(config());
    let site = site(|_| page(STORY));
    let path = format!("/http://{site}/a");
    for (headers, kind) in [
        ("", "text/markdown"),
        ("Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n", "text/markdown"),
        ("Accept: text/plain\r\n", "text/plain"),
        ("Accept: text/markdown;q=0.1, text/plain;q=0.2\r\n", "text/plain"),
    ] {
        let answer = service.get(&path, headers);
        assert!(answer.status == 200 && has(&answer, "vary: accept\r\n"), "{headers}: {answer:?}");
        assert!(has(&answer, &format!("content-type: {kind}")), "{headers}: {answer:?}");
    }
    let none = service.get(&path, "Accept: image/png\r\n");
    assert!(none.status == 406 && none.body.contains("text/markdown, text/plain"), "{none:?}");
}

type Seen = Arc<Mutex<Vec<(String, bool)>>>;

/// A site that serves `/walk` in both forms by negotiation, and a page that declares its Markdown version. Returns its address, and the
/// paths that were requested, with whether the client preferred Markdown.
fn markdown_site() -> (SocketAddr, Seen) {
    let seen: Seen = Arc::default();
    let requests = seen.clone();
    let site = site_by_request(move |request| {
        let path = request.split(' ').nth(1).unwrap_or("").to_owned();
        let markdown = request.to_ascii_lowercase().contains("\r\naccept: text/markdown");
        requests.lock().unwrap().push((path.clone(), markdown));
        let declaring = |href: &str| {
            page(&STORY.replace("</head>", &format!("<link rel=alternate type=text/markdown href='{href}'></head>")))
        };
        let in_markdown = |status: &str, body: &str| {
            (
                format!(
                    "{status}\r\nContent-Type: text/markdown\r\nVary: Accept\r\nContent-Usage: train-ai=n\r\nCache-Control: max-age=60"
                ),
                body.to_owned(),
            )
        };
        match path.as_str() {
            "/walk" if markdown => in_markdown("200 OK", "# A walk\n\nWe saw *geese*, [here](there).\n"),
            "/declared" => declaring("/declared.md"),
            "/declared.md" => in_markdown("200 OK", "# Declared\n\nWe saw *owls*.\n"),
            "/soft" => declaring("/soft.md"),
            "/soft.md" => in_markdown("200 OK", "<!doctype html><title>App</title><p>Not found."),
            "/missing" => in_markdown("404 Not Found", "# Not found\n"),
            "/busy" => ("429 Slow down\r\nRetry-After: 30".into(), String::new()),
            "/paid" => {
                ("402 Payment Required\r\ncrawler-price: USD 3\r\nLink: </l.xml>; rel=license".into(), String::new())
            }
            "/robots.txt" => {
                ("200 OK\r\nContent-Type: text/plain".into(), "User-agent: *\nContent-Signal: ai-input=no\n".into())
            }
            _ => {
                ("200 OK\r\nContent-Type: text/html\r\nCache-Control: max-age=60\r\nVary: Accept".into(), STORY.into())
            }
        }
    });
    (site, seen)
}

#[test]
fn texts_to_read_are_asked_for_in_markdown() {
    let (site, seen) = markdown_site();
    let service = start(config());
    let url = format!("http://{site}/walk");
    let ask = json!({"url": url});
    let answer = extract(&service, "Accept: text/markdown\r\n", &ask);
    assert_eq!(answer.body, format!("# A walk\n\nWe saw *geese*, [here](http://{site}/there).\n"));
    assert_eq!(extract(&service, "Accept: text/plain\r\n", &ask).body, "A walk\nWe saw geese, here.\n");
    assert_eq!(
        service.get(&format!("/{url}"), "").body,
        format!("# A walk\n\nWe saw *geese*, [here](http://{site}/there).\n")
    );
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "extract", "arguments": {"url": url}}});
    let headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    assert!(service.post("/mcp", headers, call.to_string()).body.contains("geese"));
    assert!(seen.lock().unwrap().iter().all(|(_, markdown)| *markdown));
    // What needs HTML, or holds more than a text, is read from it.
    seen.lock().unwrap().clear();
    let json = extract(&service, "", &ask).json();
    assert_eq!((&json["representation"], &json["final_url"]), (&"text/html".into(), &url.as_str().into()));
    for options in
        [json!({"content_selector": "article"}), json!({"representation": "html"}), json!({"favor": "recall"})]
    {
        let answer = extract(&service, "Accept: text/markdown\r\n", &json!({"url": url, "options": options}));
        assert!(answer.body.contains("two herons, a fox"), "{options}: {answer:?}");
    }
    assert!(extract(&service, "Accept: text/html\r\n", &ask).body.contains("two herons, a fox"));
    assert!(seen.lock().unwrap().iter().all(|(_, markdown)| !*markdown));
}

#[test]
fn a_declared_version_is_read_when_asked() {
    let (site, _) = markdown_site();
    let service = start(config());
    let ask = |path: &str, options: Value| {
        extract(&service, "", &json!({"url": format!("http://{site}{path}"), "options": options}))
    };
    let found = ask("/declared", json!({"representation": "markdown"})).json();
    assert_eq!((&found["representation"], &found["title"]), (&"text/markdown".into(), &"Declared".into()), "{found}");
    assert_eq!(found["final_url"], format!("http://{site}/declared.md"));
    assert_eq!(found["preferences"]["ai_train"], false);
    let plain = ask("/declared", json!({})).json();
    assert_eq!(plain["markdown_url"], format!("http://{site}/declared.md"));
    assert_eq!((&plain["representation"], plain.get("preferences")), (&"text/html".into(), None));
    let soft = ask("/soft", json!({"representation": "markdown"})).json();
    assert_eq!(
        (&soft["representation"], &soft["warnings"][0]["code"]),
        (&"text/html".into(), &"markdown_failed".into())
    );
    assert!(soft["text"].as_str().unwrap().contains("two herons, a fox"));
    let missing = ask("/missing", json!({"representation": "markdown"}));
    assert_eq!((missing.status, &missing.json()["upstream_status"]), (424, &404.into()));
    for options in [json!({"representation": "markdown", "content_selector": "p"}), json!({"representation": "pdf"})] {
        assert_eq!(ask("/declared", options.clone()).status, 400, "{options}");
    }
    let sent = extract(&service, "", &json!({"html": STORY, "options": {"representation": "html"}}));
    assert!(sent.status == 400 && sent.body.contains("only on an address"), "{sent:?}");
}

#[test]
fn the_cache_keeps_representations_apart() {
    let (site, seen) = markdown_site();
    let limits = CacheLimits { bytes: 1 << 20, entries: 100, age: Duration::from_secs(60) };
    let service = start(Config { cache: Some(limits), ..config() });
    let ask = json!({"url": format!("http://{site}/walk")});
    for _ in 0..2 {
        assert!(extract(&service, "Accept: text/markdown\r\n", &ask).body.contains("geese"));
        assert!(extract(&service, "Accept: text/html\r\n", &ask).body.contains("two herons, a fox"));
    }
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn payment_and_waits_are_reported() {
    let (site, seen) = markdown_site();
    let service = start(config());
    let ask = |path: &str| extract(&service, "", &json!({"url": format!("http://{site}{path}")}));
    let paid = ask("/paid").json();
    assert_eq!((&paid["code"], &paid["status"]), (&"payment_required".into(), &424.into()));
    assert_eq!((&paid["price"], &paid["license"]), (&"USD 3".into(), &format!("http://{site}/l.xml").into()));
    assert_eq!(paid["upstream_status"], 402);
    assert!(service.get(&format!("/http://{site}/paid"), "").body.contains("payment required"));
    for path in ["/busy", "/walk", "/declared"] {
        let answer = ask(path);
        assert_eq!((answer.status, &answer.json()["upstream_status"]), (424, &429.into()), "{path}");
        assert!(has(&answer, "retry-after: 30\r\n") || has(&answer, "retry-after: 29\r\n"), "{answer:?}");
    }
    // Also with a header or a time limit of the client's own.
    let limited = service.json("/v2/scrape", &json!({"url": format!("http://{site}/walk"), "timeout": 5000}));
    assert!(limited.body.contains("asks to wait"), "{limited:?}");
    let asked: Vec<String> = seen.lock().unwrap().iter().map(|(path, _)| path.clone()).collect();
    assert_eq!(asked, ["/paid", "/paid", "/busy"]);
}

#[test]
fn preferences_of_robots_txt_are_reported_where_it_is_obeyed() {
    let (site, _) = markdown_site();
    let service = start(Config { manners: Manners { robots: true, ..Manners::default() }, ..config() });
    let page = extract(&service, "", &json!({"url": format!("http://{site}/a")})).json();
    assert_eq!(page["preferences"]["ai_input"], false, "{page}");
    assert_eq!(page["preferences"]["statements"][0]["in"], "robots.txt");
}

#[test]
fn warnings_about_a_page_are_named_in_a_header_of_its_text() {
    let service = start(Config { memory: 64 << 20, max_body: 6 << 20, ..config() });
    let long = "<p>We saw two herons by the river, and a kingfisher too.</p>".repeat(90_000);
    for format in ["text", "markdown", "html"] {
        let path = format!("/v1/extract?formats={format}");
        let cut = service.post(&path, "Content-Type: text/html\r\n", &long);
        assert!(cut.status == 200 && has(&cut, "x-warnings: limit_reached"), "{format}: {}", cut.head);
        assert!(!has(&service.post(&path, "Content-Type: text/html\r\n", STORY), "x-warnings:"), "{format}");
    }
    let json = service.post("/v1/extract", "Content-Type: text/html\r\n", &long).json();
    let said = json["warnings"][0]["message"].as_str().unwrap();
    assert!(said.starts_with("more nodes than the memory of this service allows (--memory)"), "{said}");
    let empty = site(|_| page("<p></p>"));
    let read = service.get(&format!("/http://{empty}/a"), "");
    assert!(read.status == 200 && has(&read, "x-warnings: no_content\r\n"), "{read:?}");
}

const FEED: &str = "<?xml version='1.0'?><rss version='2.0'><channel><title>News of herons</title><link>http://e.org/</link>\
    <item><title>Two herons</title><link>http://e.org/w/1</link><pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate>\
    <description>&lt;p&gt;We saw two herons by the river.&lt;/p&gt;</description></item>\
    <item><title>The old bridge</title><link>http://e.org/w/2</link><description>It is closed.</description></item></channel></rss>";

#[test]
fn feeds_are_read_as_lists_of_their_entries() {
    let service = start(config());
    let site = site(|_| ("200 OK\r\nContent-Type: application/xml".into(), FEED.into()));
    let url = format!("http://{site}/feed.xml");
    let text = extract(&service, "Accept: text/plain\r\n", &json!({"url": url}));
    assert!(text.body.contains("Two herons\n") && !text.body.contains("<p>"), "{text:?}");
    let sent = service.post("/v1/list", "Content-Type: application/xml\r\n", FEED).json();
    for found in [service.json("/v1/list", &json!({"url": url})).json(), sent] {
        let titles: Vec<_> =
            found["entries"].as_array().unwrap().iter().map(|e| e["title"].as_str().unwrap()).collect();
        assert_eq!(titles, ["Two herons", "The old bridge"], "{found}");
        assert_eq!(found["entries"][0]["url"], "http://e.org/w/1", "{found}");
    }
}

#[test]
fn plain_text_and_markdown_are_read_alike_when_sent_and_when_fetched() {
    const TEXT: &str = "We saw that 1 < 2 and a <b> tag.\n\nThe second paragraph is about two herons.";
    let service = start(config());
    for (kind, name) in [("text/plain", "t.txt"), ("text/markdown", "t.md")] {
        let header = format!("200 OK\r\nContent-Type: {kind}");
        let site = site(move |_| (header.clone(), TEXT.into()));
        let fetched = extract(&service, "", &json!({"url": format!("http://{site}/{name}")})).json();
        let sent = service.post("/v1/extract", &format!("Content-Type: {kind}\r\n"), TEXT).json();
        assert_eq!(sent["markdown"], fetched["markdown"], "{kind}");
        assert!(sent["markdown"].as_str().unwrap().trim().contains("\n\n"), "{sent}");
    }
}
