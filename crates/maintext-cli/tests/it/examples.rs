//! Measures the extracted text of the pages under `examples/` against their ground truth.
//!
//! The measure is that of WCXB: precision and recall over the bag of words, and their harmonic mean, F1. Words that a careful editor might
//! keep or leave out count neither way; they are in `testdata/expected/<page>.optional.txt`. Each page has a minimum; raise it after a change that improves the page. `cargo test --test it examples -- --nocapture` prints the table.
use maintext_core::blocks::is_cjk;
use maintext_core::{Options, Page, extract};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Minimum word F1 of each page with the default method, in hundredths.
const FLOORS: &[(&str, u32)] = &[
    ("docs-code-tables", 99),
    ("forum-thread", 98),
    ("list", 97),
    ("news-en", 99),
    ("news-ru-1251", 99),
    ("news-zh-gbk", 99),
    ("product", 99),
    ("small/arabic-rtl", 99),
    ("small/bare-ul", 99),
    ("small/div-br", 99),
    ("small/drop-cap", 99),
    ("small/footnotes", 99),
    ("small/japanese-sjis", 99),
    ("small/link-paragraphs", 97),
    ("small/text-before-table", 97),
];

/// Fields that must equal those in `testdata/expected/<page>.json`.
const FIELDS: &[(&str, &[&str])] = &[
    ("docs-code-tables", &["title", "language"]),
    ("news-en", &["title", "author", "date"]),
    ("news-zh-gbk", &["title"]),
    ("product", &["title"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The file of a page; small pages are test data.
fn file(name: &str) -> PathBuf {
    let folder = if name.starts_with("small/") { "testdata" } else { "examples" };
    root().join(folder).join(format!("{name}.html"))
}

fn expected(name: &str, extension: &str) -> PathBuf {
    root().join(format!("testdata/expected/{name}.{extension}"))
}

/// Returns the sorted names of all example pages, without `.html`.
fn pages() -> Vec<String> {
    let mut names = Vec::new();
    for (folder, prefix) in [("examples", ""), ("testdata/small", "small/")] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            names.extend(name.strip_suffix(".html").map(|name| format!("{prefix}{name}")));
        }
    }
    names.sort();
    names
}

fn page(name: &str) -> Page {
    let html = fs::read(file(name)).unwrap();
    extract(&html, &Options::default()).unwrap()
}

/// Counts words: runs of letters, digits and `_` in lower case, and single Chinese, Japanese or Korean characters.
fn words(text: &str) -> HashMap<String, i32> {
    let mut words = HashMap::new();
    let mut word = String::new();
    for c in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        let inside = (c.is_alphanumeric() || c == '_') && !is_cjk(c);
        if inside {
            word.push(c);
        } else if !word.is_empty() {
            *words.entry(std::mem::take(&mut word)).or_default() += 1;
        }
        if is_cjk(c) {
            *words.entry(c.to_string()).or_default() += 1;
        }
    }
    words
}

fn f1(found: &str, expected: &str, optional: &str) -> f64 {
    let (found, expected, optional) = (words(found), words(expected), words(optional));
    let shared = |w: &String, n: i32| n.min(*expected.get(w).unwrap_or(&0));
    let common: i32 = found.iter().map(|(w, n)| shared(w, *n)).sum();
    // Of the words that are not expected, the optional ones count neither way.
    let further = |w: &String, n: i32| (n - shared(w, n) - optional.get(w).unwrap_or(&0)).max(0);
    let all = common + found.iter().map(|(w, n)| further(w, *n)).sum::<i32>() + expected.values().sum::<i32>();
    if all == 0 { 1.0 } else { f64::from(2 * common) / f64::from(all) }
}

#[test]
fn f1_matches_hand_calculation() {
    // 2 of the 3 extracted words are correct, and 2 of the 4 expected words were found: 2 * 2 / (3 + 4).
    assert_eq!(f1("One two, TWO", "one two three four", ""), 4.0 / 7.0);
    assert_eq!(f1("中文 x", "中国 x", ""), 4.0 / 6.0);
    assert_eq!((f1("", "", ""), f1("a", "", "")), (1.0, 0.0));
    // The second "two" is optional, "five" is wrong.
    assert_eq!(f1("one two two five", "one two three four", "two six"), 4.0 / 7.0);
}

#[test]
fn the_pages_for_visitors_have_nearly_the_expected_text() {
    let shown = FLOORS.iter().filter(|(name, _)| !name.starts_with("small/"));
    assert!(shown.clone().all(|(_, floor)| *floor >= 97));
    assert_eq!(shown.count(), pages().iter().filter(|name| !name.starts_with("small/")).count());
}

#[test]
fn the_text_of_each_page_reaches_its_floor() {
    let floors: HashMap<_, _> = FLOORS.iter().copied().collect();
    let pages = pages();
    for name in floors.keys() {
        assert!(pages.iter().any(|page| page == name), "there is no example {name}");
    }
    let mut below = Vec::new();
    for name in pages {
        let expected = fs::read_to_string(expected(&name, "txt")).unwrap();
        let optional = fs::read_to_string(self::expected(&name, "optional.txt")).unwrap_or_default();
        let reached = f1(page(&name).text(), &expected, &optional);
        let floor = floors.get(name.as_str()).map(|hundredths| f64::from(*hundredths) / 100.0);
        println!("{name:24} F1 {reached:.3}  floor {}", floor.map_or("none".into(), |f| format!("{f:.2}")));
        if floor.is_none_or(|floor| reached < floor) {
            below.push(format!("{name} {reached:.3}"));
        }
    }
    assert!(below.is_empty(), "below their floors or without one: {below:?}");
}

#[test]
fn the_fields_of_each_page_match_the_expected_ones() {
    let pages = pages();
    for (name, fields) in FIELDS {
        assert!(pages.iter().any(|page| page == name), "there is no example {name}");
        let expected = fs::read_to_string(expected(name, "json")).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        let found = serde_json::to_value(page(name)).unwrap();
        for field in *fields {
            let (mut found, expected) = (found[field].clone(), &expected[field]);
            // Compares the day only.
            if let (Some(date), "date") = (found.as_str(), *field) {
                found = date.chars().take(10).collect::<String>().into();
            }
            assert_eq!(&found, expected, "{field} of {name}");
        }
    }
}
