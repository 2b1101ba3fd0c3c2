//! `maintext list` and `maintext classify`.
use super::{maintext, maintext_on};

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
