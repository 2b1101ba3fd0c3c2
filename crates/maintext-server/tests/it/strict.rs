//! Requests that would be misread are errors that name the reason, and the addresses in answers.

use crate::support::{STORY, config, page, site, start};
use maintext_server::Config;
use serde_json::{Value, json};

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn json_without_a_content_type_is_read_as_json() {
    let service = start(config());
    let ask = json!({"html": STORY, "options": {"formats": ["text"]}}).to_string();
    for kind in ["", "Content-Type: application/x-www-form-urlencoded\r\n", JSON] {
        let page = service.post("/v1/extract", kind, &ask).json();
        assert!(
            page["text"].as_str().unwrap().contains("two herons, a fox") && page["html"].is_null(),
            "{kind}: {page}"
        );
    }
    let refused = [
        ("Content-Type: text/html\r\n", ask.as_str(), "is JSON, not text/html"),
        ("", "https://example.org/", "is an address"),
        ("", "\"https://example.org/\"", "is an address"),
        ("", "{\"url\": \"https://e.org\"", "invalid JSON: EOF"),
        ("", "{'url': 'https://e.org'}", "invalid JSON: key must be a string"),
        ("", "{\"urls\": []}", "unknown field `urls`"),
        ("Content-Type: application/x-www-form-urlencoded\r\n", "url=https://e.org", "form fields"),
        (JSON, "[null, \"https://e.org\"]", "not an array"),
        (JSON, "{\"html\": \"\", \"options\": [\"learned\"]}", "an object with options"),
    ];
    for (kind, body, why) in refused {
        let answer = service.post("/v1/extract", kind, body);
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.json()["detail"].as_str().unwrap().contains(why), "{answer:?}");
    }
}

#[test]
fn one_format_in_the_query_is_the_format_of_the_answer() {
    let service = start(config());
    let get = |query: &str, accept: &str| service.post(&format!("/v1/extract?{query}"), accept, STORY);
    for accept in ["", "Accept: */*\r\n"] {
        let text = get("formats=text", accept);
        assert!(text.head.contains("content-type: text/plain") && text.body.starts_with("Two herons\n"), "{text:?}");
    }
    assert!(get("formats=markdown", "").body.starts_with("# Two herons\n"));
    // Several formats need an object, and who accepts JSON gets it.
    assert!(get("formats=text,markdown", "").json()["markdown"].is_string());
    assert!(get("formats=text", "Accept: application/json\r\n").json()["text"].is_string());
}

#[test]
fn an_unknown_field_is_not_called_invalid_json() {
    let service = start(config());
    let said = |route: &str, body: Value| service.json(route, &body).json()["detail"].as_str().unwrap().to_owned();
    let unknown = said("/v1/extract", json!({"urls": []}));
    assert!(unknown.starts_with("unknown field `urls`"), "{unknown}");
    let negative = said("/v1/find", json!({"html": STORY, "question": "Which?", "limit": -1}));
    assert!(
        negative.starts_with("'limit': ") && negative.ends_with("expected a whole number, at least 0"),
        "{negative}"
    );
    let coded = service.get("/https%3A%2F%2Fexample.org%2Fa", "").json();
    assert!(coded["detail"].as_str().unwrap().ends_with("as it is: /https://example.org/page"), "{coded}");
}

#[test]
fn options_without_effect_are_errors_that_name_them() {
    let service = start(config());
    let options = |options: Value| json!({"html": STORY, "options": options}).to_string();
    let refused = [
        ("/v1/extract?formats=text&k=2", JSON, options(json!({})), "'formats', 'k'"),
        ("/v1/extract?formats=text&formats=html", "", STORY.into(), "'formats' twice"),
        ("/v1/extract?colour=red", "", STORY.into(), "'colour'"),
        ("/v1/extract", JSON, options(json!({"render": "always"})), "'render'"),
        ("/v1/extract?render=always", "", STORY.into(), "'render'"),
        ("/v1/extract", JSON, options(json!({"site_model": true, "method": "text-density"})), "'site_model'"),
        ("/v1/extract", JSON, options(json!({"classifier": "mlp"})), "'classifier'"),
        ("/v1/extract", JSON, options(json!({"links": false, "external_links": true})), "'external_links'"),
        ("/v1/extract", JSON, json!({"html": STORY, "charset": "koi8-r"}).to_string(), "'charset'"),
        ("/v1/extract", JSON, json!({"html": STORY, "id": 7}).to_string(), "'id'"),
        ("/v1/extract?formats=text", "Accept: text/markdown\r\n", STORY.into(), "'formats'"),
        ("/v1/list?formats=text", "", STORY.into(), "'formats'"),
        ("/v1/classify", JSON, options(json!({"things": true})), "'things'"),
        ("/v1/inspect?metadata=false", "", STORY.into(), "'metadata'"),
        ("/v1/batch?formats=text", "", options(json!({})), "'formats'"),
        ("/v1/explain?block=1", JSON, "{}".into(), "'block'"),
        ("/v1/teach/train?site=e.org", JSON, "{}".into(), "'site'"),
    ];
    for (path, headers, body, named) in refused {
        let answer = service.post(path, headers, &body);
        assert_eq!(answer.status, 400, "{path} {body:.80}: {answer:?}");
        assert!(answer.json()["detail"].as_str().unwrap().contains(named), "{path} {body:.80}: {answer:?}");
    }
    // Defaults and the same options where they have an effect are fine.
    for fine in [json!({"render": "auto", "site_model": true}), json!({"schema": null, "reference_links": true})] {
        assert_eq!(service.post("/v1/extract", JSON, options(fine)).status, 200);
    }
}

#[test]
fn a_browser_that_is_missing_is_an_error() {
    let service = start(config());
    let site = site(|_| page(STORY));
    for (render, status) in [("always", 400), ("auto", 200), ("never", 200)] {
        let ask = json!({"url": format!("http://{site}/"), "options": {"render": render}});
        let answer = service.json("/v1/extract", &ask);
        assert_eq!(answer.status, status, "{answer:?}");
        assert!(status == 200 || answer.json()["detail"].as_str().unwrap().contains("--render"), "{answer:?}");
    }
}

#[test]
fn an_answer_has_the_requested_the_final_and_the_canonical_address() {
    let service = start(config());
    let canonical = "https://elsewhere.example/story";
    let html = STORY.replace("<head>", &format!("<head><link rel=canonical href='{canonical}'>"));
    let site = site(move |path| match path {
        "/moved" => ("302 Found\r\nLocation: /story?from=moved".into(), String::new()),
        _ => page(&html),
    });
    let (asked, landed) = (format!("http://{site}/moved"), format!("http://{site}/story?from=moved"));
    let ask = json!({ "url": asked });
    let line = service.post("/v1/batch", "", ask.to_string()).json();
    let inspected = service.json("/v1/inspect", &ask).json()["page"].clone();
    let [extracted, listed, classified] =
        ["extract", "list", "classify"].map(|route| service.json(&format!("/v1/{route}"), &ask).json());
    for (route, answer) in [
        ("extract", &extracted),
        ("list", &listed),
        ("classify", &classified),
        ("batch", &line),
        ("inspect", &inspected),
    ] {
        assert_eq!(answer["requested_url"], asked, "{route}: {answer}");
        assert_eq!(answer["final_url"], landed, "{route}: {answer}");
        assert_eq!(answer["url"], canonical, "{route}: {answer}");
    }
    assert_eq!(extracted["hostname"], "127.0.0.1", "the host that answered, not one that the page declares");
    let sent = service.json("/v1/extract", &json!({"html": STORY, "url": "https://e.org/a"})).json();
    assert_eq!((&sent["requested_url"], &sent["final_url"]), (&Value::Null, &Value::Null));
    assert_eq!((&sent["url"], &sent["hostname"]), (&json!("https://e.org/a"), &json!("e.org")));
}

#[test]
fn an_accepted_format_is_computed_without_the_others() {
    let service = start(Config { ..config() });
    let answer = service.post("/v1/extract", "Accept: text/markdown\r\n", STORY);
    assert!(answer.status == 200 && answer.body.contains("# Two herons"), "{answer:?}");
}

#[test]
fn a_wrong_value_is_reported_with_the_name_of_its_field() {
    let service = start(config());
    for (path, body, said) in [
        ("/v1/extract", r#"{"html": 12}"#, "'html': invalid type: integer `12`, expected a string"),
        ("/v1/extract", r#"{"html": "\"a\": b", "format": "md"}"#, "'format': unknown value `md`"),
        (
            "/v1/extract",
            r#"{"html":"<p>x","format":["markdown"]}"#,
            "'format': invalid type: sequence, expected a string: one of json, ",
        ),
        (
            "/v1/extract",
            r#"{"html":"<p>x","format":true}"#,
            "'format': invalid type: boolean `true`, expected a string: one of json, ",
        ),
        (
            "/v1/extract",
            r#"{"html":"<p>x","format":5}"#,
            "'format': invalid type: integer `5`, expected a string: one of json, ",
        ),
        (
            "/v1/extract",
            r#"{"html":"<p>x","format":{"a":1}}"#,
            "'format': invalid type: map, expected a string: one of json, ",
        ),
        ("/v1/extract", r#"{"html": "<p>", "formats": ["text"]}"#, "'formats' belongs into 'options'"),
        ("/v1/find", r#"{"question": "x", "pages": ["http://e.org"]}"#, "expected an object"),
        ("/v1/find", r#"{"question": "x", "html": "<p>", "limit": 0}"#, "'limit' must be at least 1"),
        ("/v1/changes", r#"{"before": "<p>a", "after": {"html": "<p>"}}"#, "'before': invalid type"),
    ] {
        let answer = service.post(path, "Content-Type: application/json\r\n", body).json();
        let detail = answer["detail"].as_str().unwrap();
        assert!(detail.contains(said) && !detail.contains("struct") && !detail.contains("variant"), "{detail}");
    }
    let host = service.get("/example.org/a", "").json();
    assert!(host["detail"].as_str().unwrap().contains("write /https://example.org/a"), "{host}");
}
