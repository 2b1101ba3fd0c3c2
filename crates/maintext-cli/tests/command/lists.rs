//! `maintext list` and `maintext classify`.
use super::{Folder, article, maintext, maintext_on};

const URL: &str = "https://example.org/category/news";

fn page() -> String {
    let entry = |i: usize| {
        format!(
            "<article><h2><a href='/news/story-{i}?utm_source=list'>What happened on day {i} of the year</a></h2>\
             <p>It was seen by many, told by more, and is written down here at last in one long sentence.</p></article>"
        )
    };
    let entries: String = (1..9).map(entry).collect();
    let menu = "<nav><a href=/>Home</a> <a href=/about>About</a> <a href=/contact>Contact</a></nav>";
    let pages =
        "<p class=pagination><b>1</b> <a href='?page=2'>2</a> <a href='?page=3'>3</a> <a href='?page=2'>Next</a></p>";
    format!("<title>News</title><body>{menu}<main>{entries}</main>{pages}</body>")
}

#[test]
fn list_writes_entries_and_pagination_as_json() {
    let run = maintext_on(page().as_bytes(), &["list", "--url", URL, "-f", "json", "--strip-tracking"]);
    let json: serde_json::Value = serde_json::from_str(&run.good()).unwrap();
    let entries = json["groups"][0]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 8);
    assert_eq!(entries[2]["url"], "https://example.org/news/story-3");
    assert_eq!(entries[2]["href"], "/news/story-3?utm_source=list");
    assert!(entries[2]["summary"].as_str().unwrap().starts_with("It was seen"));
    assert_eq!(json["pagination"]["next"]["url"], "https://example.org/category/news?page=2");
}

#[test]
fn list_writes_a_table_for_people() {
    let table = maintext_on(page().as_bytes(), &["list", "--url", URL]).good();
    assert!(table.starts_with("Group 1 of "), "{table}");
    assert!(table.contains("Next: https://example.org/category/news?page=2"), "{table}");
    let empty = maintext_on(b"<p>nothing", &["list"]);
    assert_eq!((empty.status, empty.stdout.as_str()), (Some(0), ""));
    assert!(empty.stderr.contains("no list of entries"), "{empty:?}");
}

#[test]
fn classify_gives_probabilities() {
    let json = maintext_on(page().as_bytes(), &["classify", "--url", URL]).good();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sum: f64 = json["probabilities"].as_object().unwrap().values().filter_map(|p| p.as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{json}");
    assert!(json["list"].as_f64().is_some() && json["page_type"].is_string());
}

#[test]
fn what_cannot_be_read_is_said() {
    for command in ["list", "classify"] {
        assert!(maintext(&[command, "no-such-page.html"]).failure().contains("no-such-page.html"));
    }
}

#[test]
fn classify_by_the_published_method_tells_lists_from_details() {
    let json = maintext_on(page().as_bytes(), &["classify", "--classifier", "svm"]).good();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sum: f64 = json["probabilities"].as_object().unwrap().values().filter_map(|p| p.as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-3 && json["probabilities"]["list"] == json["list"], "{json}");
    let folder = Folder::new("svm");
    let broken = folder.write("svm.json", "{}");
    let run = maintext_on(b"<p>a", &["classify", "--classifier", "svm", "--model", &broken]);
    assert!(run.status == Some(1) && run.stderr.contains("svm.json: bad model: this is not"), "{run:?}");
    assert_eq!(maintext_on(b"<p>a", &["classify", "--model", &broken]).status, Some(2));
}

/// Thirty sites with a list page and two articles each.
fn labelled() -> String {
    let mut out = String::new();
    for site in 0..30 {
        for kind in 0..3 {
            let (html, page_type) = match kind {
                0 => (page().replace("day", &format!("day {site} and")), "listing"),
                _ => (article(&format!("herons {site} {kind}")), "article"),
            };
            let line = serde_json::json!({"id": format!("{site}-{kind}"), "site": format!("s{site}.example.org"), "html": html,
                "page_type": page_type, "text": "What happened"});
            out += &format!("{line}\n");
        }
    }
    out
}

#[test]
fn the_published_classifier_is_trained_and_used() {
    let folder = Folder::new("train-svm");
    let (data, model) = (folder.write("pages.jsonl", labelled()), folder.path("svm.json"));
    let report = maintext(&["train", "page-type", "--data", &data, "-o", &model]).good();
    assert!(report.contains("<- chosen") && report.contains("accuracy 1.0000"), "{report}");
    let again = folder.path("again.json");
    maintext(&["train", "page-type", "--data", &data, "-o", &again]).good();
    assert_eq!(folder.read("svm.json"), folder.read("again.json"));
    let said = |html: &str| {
        let json = maintext_on(html.as_bytes(), &["classify", "--classifier", "svm", "--model", &model]).good();
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["page_type"].clone()
    };
    assert_eq!((said(&page()), said(&article("foxes"))), ("list".into(), "detail".into()));
    let few = folder.write("few.jsonl", labelled().lines().next().unwrap());
    let run = maintext(&["train", "page-type", "--data", &few, "-o", &model]);
    assert!(run.status == Some(1) && run.stderr.contains("too few"), "{run:?}");
}

#[test]
fn eval_prints_a_confusion_matrix() {
    let folder = Folder::new("eval-kinds");
    let data = folder.write("pages.jsonl", labelled());
    let table = maintext(&["eval", "--data", &data, "--page-type"]).good();
    assert!(
        table.starts_with("truth \\ answer") && table.contains("accuracy ") && table.contains("list or not "),
        "{table}"
    );
    let json = maintext(&["eval", "--data", &data, "--page-type", "-f", "json"]).good();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let pages: u64 = json["page_type"]["matrix"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r.as_array().unwrap())
        .filter_map(|n| n.as_u64())
        .sum();
    assert_eq!(pages, 90);
    assert_eq!(maintext(&["eval", "--data", &data, "--entries", "--cross-validate", "4"]).status, Some(2));
}
