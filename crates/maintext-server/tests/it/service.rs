//! Tests of the routes from a client's view.

use crate::support::{STORY, config, page, site, start};
use maintext_server::Config;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

#[test]
fn a_page_in_the_body_gives_its_text() {
    let service = start(config());
    let answer = service.post(
        "/v1/extract?url=https://e.org/birds/1&formats=text,markdown",
        "Content-Type: text/html\r\n",
        STORY,
    );
    assert_eq!(answer.status, 200, "{answer:?}");
    let page = answer.json();
    assert!(page["text"].as_str().unwrap().contains("two herons, a fox"), "{page}");
    assert!(!page["text"].as_str().unwrap().contains("Imprint"), "{page}");
    assert_eq!((page["title"].as_str(), page["html"].as_str()), (Some("Two herons"), None));
    assert!(page["confidence"].as_f64().unwrap() > 0.3);
}

#[test]
fn json_html_and_base64_give_the_same_text() {
    let service = start(config());
    let text = |answer: crate::support::Answer| answer.json()["text"].clone();
    let plain = text(service.post("/v1/extract", "", STORY));
    assert_eq!(text(service.json("/v1/extract", &json!({"html": STORY}))), plain);
    let koi = b"<meta charset=koi8-r><p>\xeb\xcf\xd4 \xd3\xd0\xc9\xd4.</p>";
    let answer =
        service.json("/v1/extract", &json!({"html_base64": "PG1ldGEgY2hhcnNldD1rb2k4LXI+PHA+68/UINPQydQuPC9wPg=="}));
    assert_eq!(text(service.post("/v1/extract", "Content-Type: text/html\r\n", koi)), text(answer));
}

#[test]
fn accept_chooses_the_format() {
    let service = start(config());
    let answer = service.post("/v1/extract", "Accept: text/markdown\r\n", STORY);
    assert!(
        answer.head.contains("content-type: text/markdown") && answer.body.contains("two herons, a fox"),
        "{answer:?}"
    );
    let answer = service.post("/v1/extract", "Accept: text/html\r\n", STORY);
    assert!(answer.head.contains("content-security-policy: default-src 'none'; sandbox"), "{answer:?}");
    assert!(answer.body.contains("<p>We left early"), "{answer:?}");
}

#[test]
fn pages_are_fetched_from_permitted_networks_only() {
    let service = start(config());
    let site = site(|path| match path {
        "/story" => page(STORY),
        "/moved" => ("302 Found\r\nLocation: /story".into(), String::new()),
        "/inside" => ("302 Found\r\nLocation: http://169.254.169.254/".into(), String::new()),
        _ => ("404 Not Found".into(), String::new()),
    });
    let ask = |path: &str| service.json("/v1/extract", &json!({"url": format!("http://{site}{path}")}));
    let answer = ask("/moved");
    assert_eq!(answer.json()["title"], "Two herons");
    assert!(answer.json()["url"].as_str().unwrap().ends_with("/story"));
    let refused = ask("/inside");
    assert_eq!((refused.status, refused.json()["code"].as_str()), (403, Some("address_refused")), "{refused:?}");
    assert_eq!(ask("/nothing").status, 424);
    assert!(service.get("/metrics", "").body.contains("\nmaintext_refused_total 1\n"));

    // Also below an address with merged slashes, as proxies send it.
    for path in [format!("/http://{site}/story"), format!("/http:/{site}/story")] {
        let read = service.get(&path, "");
        assert!(read.status == 200 && read.body.contains("two herons, a fox"), "{read:?}");
        assert!(read.head.contains("content-type: text/markdown"), "{read:?}");
    }

    let formats = json!(["markdown", {"type": "links"}, "rawHtml"]);
    let scraped =
        service.json("/v2/scrape", &json!({"url": format!("http://{site}/story"), "formats": formats})).json();
    assert_eq!(
        (scraped["success"].as_bool(), scraped["data"]["metadata"]["statusCode"].as_u64()),
        (Some(true), Some(200))
    );
    assert!(scraped["data"]["markdown"].as_str().unwrap().contains("two herons"), "{scraped}");
    assert_eq!(scraped["data"]["links"][0], format!("http://{site}/"));
    assert_eq!(scraped["data"]["rawHtml"], STORY);
    assert!(!scraped["data"]["markdown"].as_str().unwrap().contains("Imprint"), "{scraped}");
    let whole = json!({"url": format!("http://{site}/story"), "onlyMainContent": false});
    let whole = service.json("/v2/scrape", &whole).json();
    let markdown = whole["data"]["markdown"].as_str().unwrap();
    assert!(markdown.contains("two herons") && markdown.contains("Imprint") && markdown.contains("Birds"), "{whole}");
    let failed = service.json("/v2/scrape", &json!({"url": "http://10.0.0.1/"}));
    assert_eq!((failed.status, failed.json()["success"].as_bool()), (403, Some(false)));
}

#[test]
fn local_addresses_are_blocked_by_default() {
    let service = start(Config { log: false, ..Config::default() });
    let site = site(|_| page(STORY));
    let port = site.port();
    for url in [
        format!("http://{site}/"),
        format!("http://localhost:{port}/"),
        "http://[::1]/".into(),
        "http://2130706433/".into(),
        "http://169.254.169.254/latest/".into(),
        "file:///etc/passwd".into(),
    ] {
        let answer = service.json("/v1/extract", &json!({ "url": url }));
        assert!(matches!(answer.status, 400 | 403), "{url}: {answer:?}");
    }
    let closed = start(Config { fetch: None, ..config() });
    assert_eq!(closed.json("/v1/extract", &json!({"url": "https://e.org"})).json()["code"], "no_fetching");
}

#[test]
fn invalid_requests_get_problem_details() {
    let service = start(Config { max_body: 1000, ..config() });
    let json = "Content-Type: application/json\r\n";
    for (answer, status, code) in [
        (service.post("/v1/extract", json, "{"), 400, "bad_request"),
        (
            service.post("/v1/extract", json, "{\"options\": {\"method\": \"magic\"}, \"html\": \"\"}"),
            400,
            "bad_options",
        ),
        (service.post("/v1/extract", json, "{\"url\": \"not an address\", \"html\": \"a\"}"), 400, "bad_url"),
        (service.post("/v1/extract", "", "%PDF-1.7 and so on"), 422, "not_a_page"),
        (service.post("/v1/extract", "", ""), 400, "bad_request"),
        (service.post("/v1/extract", "Content-Type: image/png\r\n", "x"), 415, "unsupported_media_type"),
        (service.post("/v1/extract", "Content-Encoding: gzip\r\n", "x"), 415, "unsupported_media_type"),
        (service.post("/v1/batch", "Content-Encoding: identity, br\r\n", "x"), 415, "unsupported_media_type"),
        (service.post("/v1/extract", "", "x".repeat(1001)), 413, "body_too_large"),
        (service.get("/v1/extract", ""), 405, "method_not_allowed"),
        (service.get("/v3", ""), 404, "not_found"),
        (service.post("/https://e.org/x", "", ""), 405, "method_not_allowed"),
        (service.get("/http://", ""), 400, "bad_url"),
        (service.get("/ftp://e.org/x", ""), 404, "not_found"),
    ] {
        assert_eq!((answer.status, answer.json()["code"].as_str()), (status, Some(code)), "{answer:?}");
        assert!(answer.head.contains("content-type: application/problem+json"), "{answer:?}");
        assert_eq!(answer.json()["status"], status);
    }
    let coded = service.post("/v1/extract", "Content-Encoding: gzip\r\n", "x").json();
    assert!(
        coded["detail"].as_str().unwrap().starts_with("'Content-Encoding: gzip' is not supported; no encoding"),
        "{coded}"
    );
    assert_eq!(service.post("/v1/extract", "Content-Encoding: identity\r\n", "<p>x").status, 200);
}

#[test]
fn a_batch_is_answered_line_by_line_in_order() {
    let service = start(Config { max_body: 2000, ..config() });
    let mut lines: Vec<Value> =
        (0..40).map(|i| json!({"id": i, "html": format!("<p>Page number {i} has a sentence.")})).collect();
    lines[7] = json!({"id": 7});
    lines[8] = json!({"id": 8, "htm": "<p>A field of a wrong name."});
    let mut body: String = lines.iter().map(|l| format!("{l}\n")).collect();
    body.insert_str(0, "\n  \nno json\n");
    let answer = service.post("/v1/batch", "Content-Type: application/x-ndjson\r\n", body.trim_end());
    let got: Vec<Value> = answer.body.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(got.len(), 41, "{answer:?}");
    assert_eq!((got[0]["error"]["status"].as_u64(), got[0]["line"].as_u64()), (Some(400), Some(3)));
    for (i, line) in got[1..].iter().enumerate() {
        assert_eq!(line["id"], i);
        match i {
            7 | 8 => assert_eq!(line["error"]["code"], "bad_request"),
            _ => assert!(line["text"].as_str().unwrap().contains(&format!("number {i} has")), "{line}"),
        }
    }
    let long = format!("{}\n{}\n", json!({"html": "<p>a b c."}), "x".repeat(3000));
    let answer = service.post("/v1/batch", "", long);
    assert_eq!(answer.body.lines().count(), 2);
    assert!(answer.body.contains("\"code\":\"body_too_large\""), "{answer:?}");
}

#[test]
fn list_and_classify_return_entries_and_page_type() {
    let service = start(config());
    let entry = |k: usize| {
        format!(
            "<li class=item><h2><a href=/story/{k}>The story of the heron number {k}</a></h2><p>It was seen by the river.</p>"
        )
    };
    let entries: String = (0..12).map(entry).collect();
    let html =
        format!("<title>Birds</title><nav><a href=/>Home</a><a href=/b>More</a></nav><h1>Birds</h1><ul>{entries}</ul>");
    let list = service.post("/v1/list?url=https://e.org/birds", "", html).json();
    assert_eq!(list["entries"].as_array().unwrap().len(), 12, "{list}");
    assert_eq!(list["entries"][3]["url"], "https://e.org/story/3");
    let kind = service.post("/v1/classify", "", STORY).json();
    assert_eq!(kind["language"], "en", "{kind}");
    let probabilities = kind["probabilities"].as_object().unwrap();
    let sum: f64 = probabilities.values().filter_map(Value::as_f64).sum();
    let best = probabilities.iter().max_by(|a, b| a.1.as_f64().partial_cmp(&b.1.as_f64()).unwrap()).unwrap();
    assert!((sum - 1.0).abs() < 1e-3 && kind["page_type"] == *best.0, "{kind}");
    let page = service.post("/v1/extract?page_type=true", "", STORY).json();
    assert_eq!(page["page_type"], kind["page_type"]);
    assert_eq!(service.post("/v1/extract", "", STORY).json()["page_type"], Value::Null);
}

const FERRY: &str = "<html lang=en><title>Ferry</title><article><h1>Ferry</h1>
    <p>The ferry leaves at nine, and it returns in the evening. Bring a coat, since the deck is cold in winter.</p>
    <h2>Prices</h2><p>A ticket is sold on board, and all cards are accepted. An adult pays four pounds and a child pays two.</p></article></html>";

#[test]
fn find_returns_the_passages_that_answer() {
    let service = start(config());
    let find = |body: Value| service.json("/v1/find", &body);
    let one = find(json!({"question": "What does a ticket cost?", "html": FERRY, "url": "https://e.org/ferry", "size": 25, "limit": 1})).json();
    let passage = &one["passages"][0];
    assert!(passage["text"].as_str().unwrap().contains("four pounds"), "{one}");
    assert!(passage["link"].as_str().unwrap().starts_with("https://e.org/ferry#:~:text="), "{one}");
    assert_eq!((one["passages"].as_array().unwrap().len(), &one["errors"]), (1, &json!([])));
    let pages =
        json!([{"id": "a", "html": STORY}, {"id": 7, "html": FERRY}, {"id": "c", "html_base64": "JVBERi0xLjcK"}]);
    let many = find(json!({"question": "ferry ticket", "pages": pages, "tokens": 30})).json();
    assert_eq!((&many["passages"][0]["id"], &many["pages"]), (&json!("7"), &json!(2)), "{many}");
    assert!(many["tokens"].as_u64().unwrap() <= 30 && many["errors"][0]["id"] == "c", "{many}");
    for (wrong, part) in [
        (json!({"question": "?", "html": FERRY}), "'question': the question holds no word"),
        (json!({"question": "a"}), "expected 'url'"),
        (json!({"question": "a", "html": FERRY, "pages": [{"html": FERRY}]}), "not both"),
        (json!({"question": "a", "html": FERRY, "size": 3}), "'size' must be from 10 to 5000, not 3"),
        (json!({"question": "a", "html": FERRY, "options": {"formats": ["text"]}}), "'formats'"),
        (json!({"question": "a", "html": FERRY, "options": {"color": 1}}), "unknown option 'color'"),
    ] {
        let answer = find(wrong);
        assert_eq!(answer.status, 400);
        assert!(answer.json()["detail"].as_str().unwrap().contains(part), "{answer:?}");
    }
}

#[test]
fn changes_compares_pages_and_earlier_results() {
    let service = start(config());
    let later = FERRY.replace("at nine", "at ten").replace("<title>", "<nav>New</nav><title>");
    let found = service.json("/v1/changes", &json!({"before": {"html": FERRY}, "after": {"html": later}})).json();
    assert_eq!((&found["edited"], &found["new"], &found["gone"]), (&json!(1), &json!(0), &json!(0)), "{found}");
    let result = service.post("/v1/extract", "", FERRY).json();
    let pair = json!({"before": {"result": result}, "after": {"html": FERRY}});
    assert_eq!(service.json("/v1/changes", &pair).json()["changed"], false);
    let headers = "Content-Type: application/json\r\nAccept: text/plain\r\n";
    let pair = json!({"before": {"result": result}, "after": {"html": later}});
    let text = service.post("/v1/changes", headers, pair.to_string());
    assert!(
        text.body.starts_with("- The ferry leaves at nine") && text.body.contains("\n+ The ferry leaves at ten"),
        "{text:?}"
    );
    let wrong = service.json("/v1/changes", &json!({"before": {}, "after": {"html": FERRY}}));
    assert!(wrong.json()["detail"].as_str().unwrap().starts_with("'before': expected 'url'"), "{wrong:?}");
}

#[test]
fn tokens_origins_and_hosts_are_checked() {
    let tokens = vec!["secret".to_owned()];
    let service = start(Config { tokens, cors: vec!["https://app.example".into()], ..config() });
    assert_eq!(service.post("/v1/extract", "", STORY).status, 401);
    assert_eq!(service.get("/metrics", "").status, 401);
    assert_eq!(service.get("/healthz", "").status, 200);
    let token = "Authorization: Bearer secret\r\n";
    assert_eq!(service.post("/v1/extract", token, STORY).status, 200);
    assert_eq!(service.post("/v1/extract", &format!("{token}Origin: https://evil.example\r\n"), STORY).status, 403);
    let answer = service.post("/v1/extract", &format!("{token}Origin: https://app.example\r\n"), STORY);
    assert!(
        answer.status == 200 && answer.head.contains("access-control-allow-origin: https://app.example"),
        "{answer:?}"
    );
    let preflight = service.raw(format!(
        "OPTIONS /v1/extract HTTP/1.1\r\nHost: {}\r\nOrigin: https://app.example\r\nConnection: close\r\n\
         Access-Control-Request-Headers: authorization\r\n\r\n",
        service.address
    ));
    assert!(preflight.status == 204 && preflight.head.contains("access-control-allow-headers: authorization"));

    let service = start(Config { hosts: vec!["localhost".into()], ..config() });
    let named = |path: &str, host: &str| {
        service.raw(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).status
    };
    assert_eq!((named("/docs", "localhost:80"), named("/docs", "evil.example")), (200, 421));
    assert_eq!(named("/docs", &service.address.to_string()), 200, "rebinding needs a name, not an address");
    assert_eq!((named("/healthz", "pod.example"), named("/readyz", "10.2.3.4")), (200, 200));
}

#[test]
fn things_are_read_on_request() {
    let service = start(config());
    let html =
        r#"<script type="application/ld+json">{"@type": "Book", "name": "On rivers"}</script><h1>On rivers</h1>"#;
    let page = service.json("/v1/extract", &json!({"html": html, "options": {"things": true}})).json();
    assert_eq!((&page["things"][0]["type"], &page["things"][0]["name"]), (&json!("Book"), &json!("On rivers")));
    let page = service.post("/v1/extract?things=true", "Content-Type: text/html\r\n", html).json();
    assert_eq!(page["things"][0]["sources"]["name"]["from"], "json-ld");
    let page = service.json("/v1/extract", &json!({"html": html})).json();
    assert_eq!(page["things"], json!([]));
    let document = service.get("/openapi.json", "").json();
    for key in ["things", "data"] {
        assert!(document["components"]["schemas"]["Page"]["properties"].get(key).is_some(), "{key}");
        assert!(
            document["components"]["schemas"]["Options"]["properties"].get(key.replace("data", "schema")).is_some(),
            "{key}"
        );
    }
    let ask = json!({"html": html, "options": {"schema": {"properties": {"isbn": {"type": "string"}, "name": {"type": "string"}}}}});
    assert_eq!(service.json("/v1/extract", &ask).json()["data"], json!({"name": "On rivers"}));
    let wrong = service.json("/v1/extract", &json!({"html": html, "options": {"schema": {"type": "string"}}}));
    assert_eq!((wrong.status, wrong.json()["code"].clone()), (400, json!("bad_options")));
}

#[test]
fn the_openapi_document_lists_all_routes() {
    let service = start(config());
    let document = service.get("/openapi.json", "").json();
    for path in document["paths"].as_object().unwrap().keys() {
        let answer = service.get(&path.replace("{address}", "x").replace("{site}", "x"), "");
        assert!(answer.status != 404 || !answer.body.contains("no route"), "{path}");
    }
    let source = include_str!("../../src/lib.rs");
    let not_described =
        ["/", "/docs", "/assets/{name}", "/https:/{*address}", "/http:/{*address}", "/v1/teach/{*rest}"];
    let mut routes = 0;
    for route in source.split(".route(").skip(1) {
        let line = route.lines().next().unwrap();
        let path = line.split('"').nth(1).unwrap();
        if not_described.contains(&path) {
            continue;
        }
        let path = path.replace("{*", "{");
        for method in ["get", "post", "delete"].into_iter().filter(|m| line.contains(&format!("{m}("))) {
            routes += 1;
            let entry = &document["paths"][&path][method];
            assert!(entry["operationId"].is_string(), "{method} {path} is not in openapi.json");
        }
    }
    assert!(routes > 30, "{routes} routes were found in lib.rs");
}

#[test]
fn the_keys_of_answers_are_in_the_openapi_document() {
    let service = start(config());
    let document = service.get("/openapi.json", "").json();
    let resolved = |schema: &Value| match schema["$ref"].as_str() {
        Some(name) => document.pointer(&name[1..]).unwrap().clone(),
        None => schema.clone(),
    };
    let check = |place: &str, schema: &Value, answer: &Value| {
        let schema = resolved(schema);
        for key in answer.as_object().unwrap().keys() {
            assert!(schema["properties"].get(key).is_some(), "{place}: {key} is not in openapi.json");
        }
        for key in schema["required"].as_array().unwrap() {
            assert!(answer.get(key.as_str().unwrap()).is_some(), "{place}: {key} is not in the answer");
        }
        schema["properties"].clone()
    };
    let page = json!({"html": STORY});
    let handle = service.json("/v1/inspect", &page).json()["handle"].clone();
    for (route, body) in [
        ("/v1/extract", page.clone()),
        ("/v1/list", page.clone()),
        ("/v1/classify", page.clone()),
        ("/v1/inspect", page.clone()),
        ("/v1/explain", json!({"handle": handle, "block": 1})),
        ("/v1/find", json!({"html": STORY, "question": "How many herons?"})),
        ("/v1/changes", json!({"before": page, "after": page})),
    ] {
        let answer = service.json(route, &body).json();
        let content = &document["paths"][route]["post"]["responses"]["200"]["content"]["application/json"];
        let properties = check(route, &content["schema"], &answer);
        match route {
            "/v1/inspect" => drop(check("block", &properties["blocks"]["items"], &answer["blocks"][0])),
            "/v1/explain" => {
                let stage = check("stage", &properties["forest"], &answer["forest"]);
                check("part", &stage["parts"]["items"], &answer["forest"]["parts"][0]);
            }
            _ => {}
        }
    }
}

#[test]
fn the_openapi_document_lists_all_codes() {
    let document: Value = serde_json::from_str(include_str!("../../src/openapi.json")).unwrap();
    let schemas = &document["components"]["schemas"];
    let listed = |schema: &str| schemas[schema]["properties"]["code"]["examples"].as_array().unwrap().clone();
    let codes = [listed("Problem"), listed("Failure")].concat();
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut found = 0;
    let mut check = |argument: Option<&str>| {
        let code = argument.and_then(|a| a.trim().strip_prefix('"')).and_then(|a| a.strip_suffix('"'));
        found += usize::from(code.is_some());
        assert!(code.is_none_or(|code| codes.contains(&json!(code))), "{code:?} is not in openapi.json");
    };
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let source = fs::read_to_string(entry.path()).unwrap_or_default();
            for new in source.split("Problem::new(").skip(1) {
                check(new.split(',').nth(1));
            }
            // Conversions of other errors choose a status and a code.
            for pair in source.split("(StatusCode::").skip(1).chain(source.split("=> (status").skip(1)) {
                check(pair.split([',', ')']).nth(1));
            }
        }
    }
    assert!(found > 25, "{found} codes were found");
}

mod in_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium"]
    fn a_page_that_scripts_fill_is_loaded_in_a_browser() {
        let render = maintext_browser::BrowserOptions { sandbox: false, ..Default::default() };
        let service = start(Config { render: Some(render), ..config() });
        let padding = "// a framework that would stand here\n".repeat(400);
        let html = format!(
            "<div id=app></div><script>{padding}for (let i = 0; i < 8; i++) {{ const p = document.createElement('p'); \
             p.textContent = i + ': the he' + 'ron stood in the water, and waited for the fish.'; app.append(p); }}</script>"
        );
        let site = site(move |_| page(&html));
        let ask = |render: &str| {
            let ask = json!({"url": format!("http://{site}/"), "options": {"render": render}});
            service.json("/v1/extract", &ask).json()
        };
        assert!(ask("never")["warnings"].to_string().contains("needs_rendering"));
        for when in ["auto", "always"] {
            let page = ask(when);
            assert!(page["text"].as_str().unwrap_or("").contains("7: the heron stood"), "{when}: {page}");
        }
        let scrape = |render: &str| {
            let ask = json!({"url": format!("http://{site}/"), "render": render, "formats": ["markdown", "rawHtml"]});
            service.json("/v2/scrape", &ask).json()["data"].clone()
        };
        assert!(!scrape("never")["rawHtml"].as_str().unwrap().contains("heron"));
        for when in ["auto", "always"] {
            let data = scrape(when);
            assert!(data["markdown"].as_str().unwrap().contains("7: the heron stood"), "{when}: {data}");
            assert!(data["rawHtml"].as_str().unwrap().contains("7: the heron stood"), "{when}: {data}");
        }
        assert!(service.get(&format!("/http://{site}/"), "").body.contains("7: the heron stood"));
        let secret = json!({"url": format!("http://{site}/"), "render": "always", "headers": {"Cookie": "a=b"}});
        assert_eq!(service.json("/v2/scrape", &secret).status, 400);
        let inside = json!({"url": "http://127.0.0.2/", "options": {"render": "always"}});
        assert_eq!(service.json("/v1/extract", &inside).status, 424);
    }
}

#[test]
fn blank_lines_of_a_batch_count_in_line_numbers() {
    let service = start(config());
    let lines = "{\"id\": \"a\", \"html\": \"<p>x y\"}\n\n{\"html\": \"<p>\"\nnonsense";
    let answer = service.post("/v1/batch", "Content-Type: application/x-ndjson\r\n", lines);
    let last: Value = serde_json::from_str(answer.body.lines().last().unwrap()).unwrap();
    assert_eq!(last["line"], 4, "{answer:?}");
    // The position is within the line.
    assert_eq!(last["error"]["detail"], "invalid JSON: expected ident at column 2");
    assert!(answer.body.contains("invalid JSON: EOF while parsing an object at column 14"), "{answer:?}");
}

#[test]
fn a_line_of_a_batch_that_is_an_array_has_no_id() {
    let service = start(config());
    let answer =
        service.post("/v1/batch", "Content-Type: application/x-ndjson\r\n", "[{\"id\": 1, \"html\": \"<p>x\"}]").json();
    assert_eq!((answer.get("id"), &answer["line"]), (Some(&Value::Null), &json!(1)), "{answer}");
}

#[test]
fn a_page_without_text_has_neither_a_type_nor_a_language() {
    let service = start(config());
    for html in ["", "<p></p>", "<p>x"] {
        let found = service.json("/v1/classify", &json!({"html": html})).json();
        assert!(found["language"].is_null(), "{html}: {found}");
        assert_eq!(found["page_type"].is_null(), html != "<p>x", "{html}: {found}");
    }
}
