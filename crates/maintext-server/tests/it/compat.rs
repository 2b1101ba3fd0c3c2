//! Tests of the routes that are compatible with Firecrawl.

use crate::support::{Answer, STORY, config, page, site, start};
use maintext_server::Config;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const PARTS: &str = "<html lang=en><head><title>Parts</title></head><body><article><h1>Parts</h1>\
    <p class=one>The first paragraph tells of two herons that stood in the shallow water until noon.</p>\
    <aside>An aside about something else altogether, long enough to be a paragraph of its own.</aside>\
    <p class=two>The second paragraph tells of a fox that crossed the road below the hills in the evening.</p>\
    <img src=/heron.png alt='A heron'><p><a href=/a>First</a> and <a href=/b>second</a> and <a href=/a>first</a></p></article></body></html>";

fn sample() -> std::net::SocketAddr {
    site(|path| match path {
        "/story" => page(STORY),
        "/parts" => page(PARTS),
        "/gone" => ("404 Not Found\r\nContent-Type: text/html".into(), STORY.replace("Two herons", "Not here")),
        "/busy" => ("429 Too Many Requests\r\nContent-Type: text/html".into(), STORY.into()),
        "/file" => ("200 OK\r\nContent-Type: application/pdf".into(), "%PDF-1.4".into()),
        _ => ("404 Not Found".into(), String::new()),
    })
}

#[test]
fn firecrawl_scrapes_a_page_in_all_formats() {
    let (service, site) = (start(config()), sample());
    let ask = |body: Value| service.json("/v2/scrape", &body);
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    let formats = json!(["markdown", "html", "rawHtml", "links", "images", {"type": "json", "schema": schema}]);
    let answer = ask(json!({"url": format!("http://{site}/parts"), "formats": formats, "maxAge": 0, "origin": "test"}));
    assert_eq!(answer.status, 200, "{answer:?}");
    let data = &answer.json()["data"];
    assert!(data["markdown"].as_str().unwrap().contains("two herons"), "{data}");
    assert!(data["html"].as_str().unwrap().contains("<p>"), "{data}");
    assert_eq!(data["rawHtml"], PARTS);
    assert_eq!(data["links"], json!([format!("http://{site}/a"), format!("http://{site}/b")]));
    assert_eq!(data["images"], json!([format!("http://{site}/heron.png")]));
    assert_eq!(data["json"], json!({"title": "Parts"}));
    let metadata = &data["metadata"];
    assert_eq!((metadata["statusCode"].as_u64(), metadata["language"].as_str()), (Some(200), Some("en")));
    assert_eq!(metadata["sourceURL"], format!("http://{site}/parts"));
}

#[test]
fn selectors_choose_and_remove_elements() {
    let (service, site) = (start(config()), sample());
    let url = format!("http://{site}/parts");
    let markdown = |more: Value| {
        let mut body = json!({"url": url});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = service.json("/v2/scrape", &body);
        answer.json()["data"]["markdown"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    };
    let one = markdown(json!({"includeTags": [".one", "aside"]}));
    assert!(one.contains("two herons") && one.contains("An aside") && !one.contains("a fox"), "{one}");
    let rest = markdown(json!({"includeTags": ["article"], "excludeTags": [".two", "aside"]}));
    assert!(rest.contains("two herons") && !rest.contains("An aside") && !rest.contains("a fox"), "{rest}");
    let untitled = markdown(json!({"excludeTags": ["h1"]}));
    assert!(untitled.contains("two herons") && !untitled.contains("# Parts"), "{untitled}");
}

#[test]
fn error_pages_are_answers_with_their_status() {
    let (service, site) = (start(config()), sample());
    for (path, status, name) in [("/gone", 404, "Not Found"), ("/busy", 429, "Too Many Requests")] {
        let answer = service.json("/v2/scrape", &json!({"url": format!("http://{site}{path}")}));
        let metadata = &answer.json()["data"]["metadata"];
        assert_eq!((answer.status, &metadata["statusCode"], &metadata["error"]), (200, &json!(status), &json!(name)));
        // The service's own routes report a failure, with the status of the site.
        let own = service.json("/v1/extract", &json!({"url": format!("http://{site}{path}")}));
        assert_eq!((own.status, &own.json()["upstream_status"]), (424, &json!(status)));
    }
}

#[test]
fn errors_have_the_form_of_firecrawl() {
    let (service, site) = (start(config()), sample());
    let shaped = |answer: Answer, status: u16, code: &str, part: &str| {
        let value = answer.json();
        assert!(answer.head.contains("content-type: application/json\r\n"), "{answer:?}");
        assert_eq!(
            (answer.status, value["success"].as_bool(), value["code"].as_str()),
            (status, Some(false), Some(code))
        );
        assert!(value["error"].as_str().unwrap().contains(part), "{value}");
    };
    shaped(service.json("/v2/nothing", &json!({})), 404, "NOT_FOUND", "/v2/nothing");
    shaped(service.json("/v2/search", &json!({"query": "herons"})), 404, "NOT_FOUND", "a search engine");
    shaped(service.json("/v2/extract", &json!({})), 404, "NOT_FOUND", "a language model");
    let old = service.json("/v1/scrape", &json!({})).json();
    assert!(old["detail"].as_str().unwrap().contains("below /v2/"), "{old}");
    shaped(service.get("/v2/scrape", ""), 405, "METHOD_NOT_ALLOWED", "GET");
    shaped(service.json("/v2/scrape", &json!({"url": "http://10.0.0.1/"})), 403, "ADDRESS_REFUSED", "10.0.0.1");
    shaped(service.json("/v2/scrape", &json!({})), 400, "BAD_REQUEST", "'url' is missing");
    shaped(service.json("/v2/scrape", &json!({"url": "http://e.org", "colour": 1})), 400, "BAD_REQUEST", "'colour'");
    shaped(service.json("/v2/scrape", &json!({"url": "http://e.org", "waitFor": 9})), 400, "BAD_REQUEST", "'waitFor'");
    for value in [true, false] {
        let misspelt = service.json("/v2/scrape", &json!({"url": "http://e.org", "only_main_contnt": value}));
        shaped(misspelt, 400, "BAD_REQUEST", "did you mean 'onlyMainContent'?");
    }
    let products = service.json("/v2/scrape", &json!({"url": "http://e.org", "formats": ["product"]}));
    shaped(products, 400, "BAD_REQUEST", "'json' with a schema");
    let file = json!({"url": format!("http://{site}/file")});
    shaped(service.json("/v2/scrape", &file), 422, "SCRAPE_UNSUPPORTED_FILE_ERROR", "application/pdf");
    let guarded = start(Config { tokens: vec!["one".into()], ..config() });
    shaped(guarded.json("/v2/scrape", &file), 401, "UNAUTHORIZED", "token");
    // The service's own routes keep their form.
    assert!(service.get("/v1/extract", "").head.contains("application/problem+json"));
}

#[test]
fn highlights_are_the_passages_that_answer_a_question() {
    let (service, site) = (start(config()), sample());
    let formats = json!([{"type": "highlights", "query": "Which animal crossed the road?"}]);
    let answer = service.json("/v2/scrape", &json!({"url": format!("http://{site}/parts"), "formats": formats}));
    let data = &answer.json()["data"];
    let found = data["highlights"].as_str().unwrap_or_else(|| panic!("{answer:?}"));
    assert!(found.contains("a fox that crossed the road") && data.get("markdown").is_none(), "{data}");
}

#[test]
fn changes_since_the_clients_last_reading_are_told() {
    let count = Arc::new(AtomicUsize::new(0));
    let hits = count.clone();
    let site = site(move |_| match hits.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => page(STORY),
        2 => page(&STORY.replace("two herons, a fox", "three storks, a fox")),
        _ => ("404 Not Found\r\nContent-Type: text/html".into(), STORY.into()),
    });
    let service = start(config());
    let url = format!("http://{site}/story");
    let formats = json!(["markdown", {"type": "changeTracking", "modes": ["git-diff"]}]);
    let ask = || {
        let answer = service.json("/v2/scrape", &json!({"url": url, "formats": formats, "maxAge": 0}));
        answer.json()["data"]["changeTracking"].clone()
    };
    let first = ask();
    assert_eq!((&first["changeStatus"], &first["previousScrapeAt"]), (&json!("new"), &Value::Null), "{first}");
    let second = ask();
    assert!(second["changeStatus"] == "same" && second["previousScrapeAt"].is_string(), "{second}");
    let third = ask();
    assert_eq!(third["changeStatus"], "changed", "{third}");
    assert!(
        third["diff"]["text"].as_str().unwrap().lines().any(|l| l.starts_with("+ ") && l.contains("three storks")),
        "{third}"
    );
    assert_eq!(ask()["changeStatus"], "removed");
    // Each tag has its own history.
    let tagged = json!({"url": url, "formats": [{"type": "changeTracking", "tag": "hourly"}], "maxAge": 0});
    assert_eq!(service.json("/v2/scrape", &tagged).json()["data"]["changeTracking"]["changeStatus"], "new");
}

#[test]
fn an_address_needs_no_scheme() {
    let service = start(Config { log: false, ..Config::default() });
    let answer = service.json("/v2/scrape", &json!({"url": "127.0.0.1/a"})).json();
    assert!(answer["error"].as_str().unwrap().starts_with("https://127.0.0.1/a: refused: "), "{answer}");
}
