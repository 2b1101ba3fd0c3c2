//! Compares the extracted text of the pages under `examples/` with what a person would copy, line by line.
//!
//! A line too many fails, and so does a line too few. Lines that a careful editor might keep or leave out are in
//! `testdata/expected/<page>.optional.txt`; the page's title may be the first line.
use maintext_core::{Options, Page, extract};
use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Fields that must equal the fields in `testdata/expected/<page>.json`.
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

/// Returns the lines of a text without blank ones, marks of list items, and the difference between the separators of cells.
fn lines(text: &str) -> Vec<String> {
    let bare = |line: &str| {
        let line = line.trim().replace(" | ", "\t");
        let item = line.split_once(' ').filter(|(mark, _)| is_mark(mark)).map(|(_, item)| item.to_owned());
        item.unwrap_or(line)
    };
    text.lines().map(bare).filter(|line| !line.is_empty()).collect()
}

/// Whether a word marks an item of a list: `-`, `12.`
fn is_mark(word: &str) -> bool {
    let number = word.strip_suffix('.').unwrap_or("");
    word == "-" || !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the lines that differ, each with its sign.
fn difference(found: &[String], expected: &[String]) -> Vec<String> {
    let diff = similar::TextDiff::from_slices(
        &expected.iter().map(String::as_str).collect::<Vec<_>>(),
        &found.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let changes = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changes.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

#[test]
fn lines_are_compared_without_marks() {
    assert_eq!(lines("- one\n\n12. two | three\n1.2 kg\n"), ["one", "two\tthree", "1.2 kg"]);
    let text = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
    assert_eq!(difference(&text(&["a", "c"]), &text(&["a", "b"])), ["-b", "+c"]);
}

#[test]
fn each_page_has_the_expected_lines_and_no_others() {
    let mut wrong = Vec::new();
    for name in pages() {
        let expected = lines(&fs::read_to_string(expected(&name, "txt")).unwrap());
        let optional = lines(&fs::read_to_string(self::expected(&name, "optional.txt")).unwrap_or_default());
        let page = page(&name);
        let mut optional: HashSet<String> = optional.into_iter().collect();
        optional.extend(page.metadata.title.clone());
        let required: HashSet<&String> = expected.iter().collect();
        let found: Vec<String> =
            lines(page.text()).into_iter().filter(|line| required.contains(line) || !optional.contains(line)).collect();
        let differing = difference(&found, &expected);
        if !differing.is_empty() {
            wrong.push(format!("{name}:\n{}", differing.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
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
