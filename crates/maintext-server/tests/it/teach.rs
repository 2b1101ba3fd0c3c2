//! Inspecting pages and teaching a site model, as in the playground.

use crate::support::{Running, config, page, site, start};
use maintext_core::model::Weights;
use serde_json::{Value, json};

/// Returns a page of a site whose readers' letters look like its articles.
fn story(k: usize) -> String {
    let p = |what: &str, n: usize| {
        format!(
            "<p>{what} {n} of page {k} tells, at some length, of herons, of a fox, and of the first swallows of the year.</p>"
        )
    };
    let story: String = (0..5 + k % 2).map(|n| p("Paragraph", n)).collect();
    let letters: String = (0..6).map(|n| p("Letter", n)).collect();
    format!(
        "<html><head><title>Page {k}</title></head><body><div class=qx-top><a href=/>Home</a> <a href=/b>Birds</a></div>\
         <div class=qx-main><h1>Page {k}</h1>{story}</div><div class=qx-post>{letters}</div><div>Imprint</div></body></html>"
    )
}

fn inspect(service: &Running, url: &str) -> Value {
    let answer = service.json("/v1/inspect", &json!({"url": url, "options": {"site_model": true}}));
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn letters(seen: &Value) -> Vec<(usize, bool)> {
    let blocks = seen["blocks"].as_array().unwrap().iter().enumerate();
    let letters = blocks.filter(|(_, b)| b["text"].as_str().unwrap().starts_with("Letter"));
    letters.map(|(i, b)| (i, b["keep"].as_bool().unwrap())).collect()
}

#[test]
fn a_page_is_inspected_and_each_block_explained() {
    let service = start(config());
    let seen = service.json("/v1/inspect", &json!({"html": story(1), "url": "https://birds.example/1"})).json();
    let blocks = seen["blocks"].as_array().unwrap();
    assert_eq!(seen["site"], "birds.example");
    for name in maintext_core::method::NAMES {
        assert_eq!(seen["methods"][name]["keep"].as_array().unwrap().len(), blocks.len(), "{name}");
        assert!(!seen["methods"][name]["rows"].as_array().unwrap().is_empty(), "{name}");
    }
    let shown: std::collections::BTreeSet<u64> =
        seen["view"].as_array().unwrap().iter().filter_map(|step| step[0].as_u64()).collect();
    assert_eq!(shown.into_iter().collect::<Vec<_>>(), (0..blocks.len() as u64).collect::<Vec<_>>());
    assert_eq!(seen["candidates"]["title"][0]["value"], "Page 1");
    for (block, judged) in blocks.iter().enumerate() {
        let why = service.json("/v1/explain", &json!({"handle": seen["handle"], "block": block})).json();
        for stage in [&why["forest"], &why["network"]] {
            let sum: f64 = stage["parts"].as_array().unwrap().iter().map(|p| p["weight"].as_f64().unwrap()).sum();
            let sum = sum + stage["average"].as_f64().unwrap() + stage["rest"].as_f64().unwrap();
            assert!((sum - stage["score"].as_f64().unwrap()).abs() < 1e-3, "{why}");
        }
        let number = |name: &str| why[name].as_f64().unwrap();
        let own = why["forest"]["score"].as_f64().unwrap() + why["network"]["score"].as_f64().unwrap();
        assert!((number("settled") - (own + 3.0 * number("kin")) / 4.0).abs() < 1e-3, "{why}");
        assert!((why["probability"].as_f64().unwrap() - judged["probability"].as_f64().unwrap()).abs() < 1e-3);
    }
    assert_eq!(service.json("/v1/explain", &json!({"handle": seen["handle"], "block": 999})).status, 404);
    assert_eq!(service.json("/v1/explain", &json!({"handle": "x", "block": 0})).json()["code"], "unknown_page");
}

#[test]
fn labels_on_three_pages_correct_a_fourth() {
    let folder = std::env::temp_dir().join(format!("maintext-teach-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let store = Some(folder.join("labels.sqlite"));
    let service = start(maintext_server::Config { store: store.clone(), ..config() });
    let site = site(|path| page(&story(path.trim_start_matches('/').parse().unwrap_or(0))));
    let url = |k: usize| format!("http://{site}/{k}");
    let fourth = inspect(&service, &url(7));
    assert!(letters(&fourth).iter().any(|(_, keep)| *keep), "the shipped model makes no mistake to correct: {fourth}");
    let name = fourth["site"].as_str().unwrap().to_owned();
    assert_eq!(service.json("/v1/teach/train", &json!({ "site": name })).json()["code"], "no_labels");
    for k in 0..3 {
        let seen = inspect(&service, &url(k));
        let labels: serde_json::Map<String, Value> =
            letters(&seen).into_iter().map(|(i, _)| (i.to_string(), false.into())).collect();
        let answer = service.json("/v1/teach/labels", &json!({"handle": seen["handle"], "labels": labels}));
        assert_eq!(answer.json()["sites"][0]["pages"].as_array().unwrap().len(), k + 1, "{answer:?}");
    }
    let figures = service.json("/v1/teach/train", &json!({ "site": name })).json();
    assert!(figures["after"].as_f64() > figures["before"].as_f64(), "{figures}");
    let fourth = inspect(&service, &url(7));
    assert!(fourth["taught"] == true && letters(&fourth).iter().all(|(_, keep)| !keep), "{fourth}");
    assert!(fourth["page"]["text"].as_str().unwrap().contains("Paragraph 2"));
    // The site model is used only on request.
    let plain = service.json("/v1/extract", &json!({"url": url(7)})).json();
    assert!(plain["text"].as_str().unwrap().contains("Letter"), "{plain}");

    let model = service.get(&format!("/v1/teach/model/{name}"), "");
    assert!(model.head.contains("attachment") && model.status == 200, "{}", model.head);
    // The library can load the file, as in `maintext extract --model` and in Python.
    let weights = Weights::from_bytes(&service.download(&format!("/v1/teach/model/{name}"))).unwrap();
    let mut options = maintext_core::Options::default();
    options.parameters.weights = Some(weights);
    let page = maintext_core::extract(&story(9), &options).unwrap();
    assert!(page.text().contains("Paragraph 2") && !page.text().contains("Letter"), "{}", page.text());
    let lines = service.get("/v1/teach/export", "").body;
    let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((lines.lines().count(), line["without"].as_array().unwrap().len()), (3, 6));
    // Labels and models survive a restart, until they are deleted.
    drop(service);
    let service = start(maintext_server::Config { store, ..config() });
    assert_eq!(inspect(&service, &url(8))["taught"], true);
    let forget = format!("DELETE /v1/teach/sites/{name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!((service.raw(&forget).status, service.raw(&forget).status), (204, 404));
    assert_eq!(inspect(&service, &url(8))["taught"], false);
    drop(service);
    std::fs::remove_dir_all(&folder).unwrap();
}
