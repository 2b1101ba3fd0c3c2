//! Tests of the routes that are compatible with Firecrawl and Jina Reader.

use crate::support::{Answer, STORY, config, page, site, start};
use maintext_server::Config;
use serde_json::{Value, json};

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
    for version in ["v1", "v2"] {
        let ask = |body: Value| service.json(&format!("/{version}/scrape"), &body);
        let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
        let formats = json!(["markdown", "html", "rawHtml", "links", "images", {"type": "json", "schema": schema}]);
        let answer =
            ask(json!({"url": format!("http://{site}/parts"), "formats": formats, "maxAge": 0, "origin": "test"}));
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
    let body = service.get(&format!("/r/{url}"), "X-Target-Selector: .two\r\n").body;
    assert!(body.contains("a fox") && !body.contains("two herons"), "{body}");
    let body = service.get(&format!("/r/{url}"), "X-Remove-Selector: .two\r\n").body;
    assert!(!body.contains("a fox") && body.contains("two herons"), "{body}");
}

#[test]
fn error_pages_are_answers_with_their_status() {
    let (service, site) = (start(config()), sample());
    for (path, status, name) in [("/gone", 404, "Not Found"), ("/busy", 429, "Too Many Requests")] {
        let answer = service.json("/v2/scrape", &json!({"url": format!("http://{site}{path}")}));
        let metadata = &answer.json()["data"]["metadata"];
        assert_eq!((answer.status, &metadata["statusCode"], &metadata["error"]), (200, &json!(status), &json!(name)));
        let reader = service.get(&format!("/r/http://{site}{path}"), "");
        assert!(reader.body.contains(&format!("Warning: Target URL returned error {status}: {name}\n")), "{reader:?}");
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
    shaped(service.json("/v2/nothing", &json!({})), 404, "not_found", "/v2/nothing");
    shaped(service.get("/v2/scrape", ""), 405, "method_not_allowed", "GET");
    shaped(service.json("/v2/scrape", &json!({"url": "http://10.0.0.1/"})), 403, "address_refused", "10.0.0.1");
    shaped(service.json("/v2/scrape", &json!({})), 400, "BAD_REQUEST", "'url' is missing");
    shaped(service.json("/v2/scrape", &json!({"url": "http://e.org", "colour": 1})), 400, "BAD_REQUEST", "'colour'");
    shaped(service.json("/v1/scrape", &json!({"url": "http://e.org", "waitFor": 9})), 400, "BAD_REQUEST", "'waitFor'");
    let file = json!({"url": format!("http://{site}/file")});
    shaped(service.json("/v2/scrape", &file), 422, "SCRAPE_UNSUPPORTED_FILE_ERROR", "application/pdf");
    let guarded = start(Config { tokens: vec!["one".into()], ..config() });
    shaped(guarded.json("/v2/scrape", &file), 401, "unauthorized", "token");
    // The service's own routes keep their form.
    assert!(service.get("/v1/extract", "").head.contains("application/problem+json"));
}

#[test]
fn the_reader_writes_its_header_above_markdown_only() {
    let (service, site) = (start(config()), sample());
    let url = format!("http://{site}/story");
    let get = |headers: &str| service.get(&format!("/r/{url}"), headers);
    assert!(get("").body.starts_with(&format!("Title: Two herons\n\nURL Source: {url}\n\nMarkdown Content:\n")));
    let html = get("X-Return-Format: html\r\n");
    assert!(!html.body.contains("Markdown Content:") && html.body.contains("<p>We left early"), "{html:?}");
    assert!(html.head.contains("content-type: text/plain"), "{html:?}");
    let text = get("X-Return-Format: text\r\n").body;
    assert!(text.contains("We left early") && !text.contains("Title:"), "{text}");
    for (header, name) in [
        ("X-Return-Format: pageshot", "pageshot"),
        ("X-With-Generated-Alt: true", "X-With-Generated-Alt"),
        ("X-Proxy-Url: http://p/", "X-Proxy-Url"),
        ("X-Wait-For-Selector: p", "X-Wait-For-Selector"),
        ("X-Engine: browser", "X-Engine"),
    ] {
        let answer = get(&format!("{header}\r\n"));
        assert!(answer.status == 400 && answer.body.contains(name), "{header}: {answer:?}");
    }
    let over = get("X-Token-Budget: 3\r\n");
    assert_eq!((over.status, over.json()["code"].as_str()), (409, Some("token_budget")));
}

#[test]
fn the_reader_summarises_links_and_images() {
    let (service, site) = (start(config()), sample());
    let headers = "X-With-Links-Summary: true\r\nX-With-Images-Summary: true\r\n";
    let body = service.get(&format!("/r/http://{site}/parts"), headers).body;
    let end = format!(
        "\nImages:\n- ![Image 1: A heron](http://{site}/heron.png)\n\nLinks/Buttons:\n- [First](http://{site}/a)\n- [second](http://{site}/b)\n"
    );
    assert!(body.ends_with(&end), "{body}");
    let json = format!("{headers}Accept: application/json\r\n");
    let data = &service.get(&format!("/r/http://{site}/parts"), &json).json()["data"];
    assert_eq!(data["links"], json!({"First": format!("http://{site}/a"), "second": format!("http://{site}/b")}));
    assert_eq!(data["images"], json!({"Image 1: A heron": format!("http://{site}/heron.png")}));
}

#[test]
fn the_reader_takes_a_body_and_streams_events() {
    let (service, site) = (start(config()), sample());
    let url = format!("http://{site}/story");
    let answer = service.json("/r/", &json!({"url": url, "respondWith": "text"}));
    assert!(answer.status == 200 && answer.body.starts_with("Two herons\n"), "{answer:?}");
    let answer = service.json("/r", &json!({"html": STORY, "url": "https://e.org/"}));
    assert!(answer.body.starts_with("Title: Two herons\n\nURL Source: https://e.org/\n"), "{answer:?}");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let coded = url.replace(':', "%3A").replace('/', "%2F");
    let answer = service.post("/r/", form, format!("url={coded}&targetSelector=article"));
    assert!(answer.body.contains("two herons"), "{answer:?}");
    let events = service.get(&format!("/r/{url}"), "Accept: text/event-stream\r\n");
    assert!(events.head.contains("content-type: text/event-stream"), "{events:?}");
    let data = events.body.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert!(data["content"].as_str().unwrap().contains("two herons"), "{data}");
    assert!(events.body.starts_with("event: data\n") && events.body.ends_with("\n\n"), "{events:?}");
    for (body, part) in
        [(json!({}), "/r/"), (json!({"url": url, "colour": "red"}), "'colour'"), (json!({"pdf": "x"}), "'pdf'")]
    {
        let answer = service.json("/r/", &body);
        assert!(answer.status == 400 && answer.body.contains(part), "{answer:?}");
    }
}
