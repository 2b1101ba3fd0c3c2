//! What one token made, only that token sees.

use crate::support::{Answer, Running, config, page, site, start};
use maintext_server::Config;
use serde_json::{Value, json};

/// Sends a request with a token.
fn send(service: &Running, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    service.raw(format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        service.address,
        body.len()
    ))
}

#[test]
fn only_the_token_that_made_a_thing_sees_it() {
    let service = start(Config { tokens: vec!["one first".into(), "two second".into()], ..config() });
    // The pages take longer than the test, so that the jobs are not complete.
    let site = site(|path| {
        if path != "/robots.txt" {
            std::thread::sleep(std::time::Duration::from_secs(2));
        }
        page("<p>Some words.")
    });
    let own = |method: &str, path: &str, body: Value| {
        let answer = send(&service, "first", method, path, &body);
        assert!(answer.status < 300, "{method} {path}: {answer:?}");
        answer
    };
    let html = "<article><h1>Herons</h1><p>We saw two herons and a fox by the river, early in the morning.</article>";
    let seen = own("POST", "/v1/inspect", json!({"html": html, "url": "https://secret.example/1"})).json();
    let handle = &seen["handle"];
    let labels = json!({"handle": handle, "labels": {"0": true}});
    own("POST", "/v1/teach/labels", labels.clone());
    own("POST", "/v1/teach/train", json!({"site": "secret.example"}));
    let crawl = own("POST", "/v2/crawl", json!({"url": format!("http://{site}/")})).json();
    let batch = own("POST", "/v2/batch/scrape", json!({"urls": [format!("http://{site}/b")]})).json();
    let (crawl, batch) = (crawl["id"].as_str().unwrap(), batch["id"].as_str().unwrap());

    let mut routes = vec![
        ("POST", "/v1/explain".to_owned(), json!({"handle": handle, "block": 0})),
        ("POST", "/v1/teach/labels".to_owned(), labels),
        ("GET", "/v1/teach/model/secret.example".to_owned(), Value::Null),
    ];
    for path in [format!("/v2/crawl/{crawl}"), format!("/v2/batch/scrape/{batch}")] {
        routes.push(("GET", format!("{path}/errors"), Value::Null));
        routes.push(("GET", path, Value::Null));
    }
    let destructive = [
        ("DELETE", "/v1/teach/sites/secret.example".to_owned(), Value::Null),
        ("DELETE", format!("/v2/crawl/{crawl}"), Value::Null),
        ("DELETE", format!("/v2/batch/scrape/{batch}"), Value::Null),
    ];
    for (method, path, body) in routes.iter().chain(&destructive) {
        let answer = send(&service, "second", method, path, body);
        assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
    }
    let list = |path: &str| send(&service, "second", "GET", path, &Value::Null);
    assert_eq!(list("/v1/teach/sites").json()["sites"], json!([]));
    assert_eq!(list("/v1/teach/export").body, "");
    assert_eq!(list("/v2/crawl/active").json()["crawls"], json!([]));
    let taught = json!({"html": html, "url": "https://secret.example/2"});
    assert_eq!(send(&service, "second", "POST", "/v1/inspect", &taught).json()["taught"], false);
    assert_eq!(own("POST", "/v1/inspect", taught).json()["taught"], true);
    let train = send(&service, "second", "POST", "/v1/teach/train", &json!({"site": "secret.example"}));
    assert_eq!((train.status, train.json()["code"].as_str()), (409, Some("no_labels")));

    // All of this is still there for its holder.
    assert!(own("GET", "/v1/teach/export", Value::Null).body.contains("two herons"));
    for (method, path, body) in routes.into_iter().chain(destructive) {
        own(method, &path, body);
    }
}
