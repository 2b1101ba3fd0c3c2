//! `maintext batch` on files and pipes.
use crate::{Folder, Run, article, maintext, maintext_on};
use serde_json::{Value, json};
use std::io::Write;

fn lines(pages: &[Value]) -> String {
    pages.iter().map(|page| format!("{page}\n")).collect()
}

fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_record_a_page_whatever_the_compression() {
    let folder = Folder::new("batch");
    let pages = lines(&[
        json!({"id": "one", "url": "https://example.org/1", "html": article("alders"), "other": [1]}),
        // "Пример" in windows-1251 among ASCII.
        json!({"id": 2, "html_base64": "PGh0bWw+PG1ldGEgY2hhcnNldD13aW5kb3dzLTEyNTE+PHA+z/Do7OXwLCDv8Ojs5fAu"}),
    ]);
    folder.write("in.jsonl", &pages);
    folder.write("in.jsonl.zst", zstd::encode_all(pages.as_bytes(), 3).unwrap());
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(pages.as_bytes()).unwrap();
    folder.write("in.jsonl.gz", gz.finish().unwrap());
    for name in ["in.jsonl", "in.jsonl.zst", "in.jsonl.gz"] {
        assert_eq!(maintext(&["batch", &folder.path(name), "--ordered", "-o", &folder.path("out.jsonl")]).good(), "");
        let out = records(&folder.read("out.jsonl"));
        assert_eq!((out.len(), &out[0]["id"], &out[1]["id"]), (2, &json!("one"), &json!("2")), "{name}");
        assert_eq!(out[0]["hostname"], "example.org");
        assert!(out[0]["text"].as_str().unwrap().contains("alders"));
        assert!(out[1]["text"].as_str().unwrap().contains("Пример"), "{}", out[1]);
        assert!(out.iter().all(|record| record["error"].is_null() && record.get("page_type").is_some()));
    }
    assert_eq!(folder.names(), ["in.jsonl", "in.jsonl.gz", "in.jsonl.zst", "out.jsonl"]);
}

#[test]
fn standard_input_and_output() {
    let pages = lines(&[json!({"id": "a", "html": article("alders")})]);
    let out = maintext_on(pages.as_bytes(), &["batch", "-", "-o", "-", "-j", "2"]).good();
    assert_eq!(records(&out)[0]["id"], "a");
    assert_eq!(maintext_on(b"", &["batch", "-", "-o", "-"]).good(), "");
}

#[test]
fn broken_pages_have_error_records_and_exit_status_1() {
    let pages = format!(
        "{}nonsense\n{}",
        lines(&[json!({"id": 1, "html": "%PDF-1.4"})]),
        lines(&[json!({"html": "<p>Good."})])
    );
    let Run { status, stdout, stderr } = maintext_on(pages.as_bytes(), &["batch", "-", "-o", "-", "--ordered"]);
    assert_eq!(status, Some(1));
    assert_eq!(stderr, "maintext: standard input: 2 of 3 pages failed; their records say why in \"error\"\n");
    let out = records(&stdout);
    assert!(out[0]["error"].as_str().unwrap().contains("a PDF"));
    assert!(out[1]["error"].as_str().unwrap().starts_with("standard input line 2: "));
    assert_eq!((&out[2]["id"], &out[2]["error"]), (&json!("3"), &Value::Null));
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = Folder::new("batch-files");
    let missing = folder.path("missing.jsonl");
    let message = maintext(&["batch", &missing, "-o", &folder.path("out.jsonl")]).failure();
    assert!(message.starts_with(&format!("maintext: {missing}: ")), "{message}");
    assert!(folder.names().is_empty());
    let input = folder.write("in.jsonl", lines(&[json!({"html": "<p>a"})]));
    let nowhere = folder.path("none/out.jsonl");
    let message = maintext(&["batch", &input, "-o", &nowhere]).failure();
    assert!(message.starts_with(&format!("maintext: {nowhere}: ")), "{message}");
}

#[test]
fn what_was_read_before_the_file_broke_is_kept() {
    let folder = Folder::new("batch-cut");
    let page = |i: u32| json!({"id": i, "html": article(&format!("tree{}", i.wrapping_mul(2_654_435_761)))});
    let pages: Vec<Value> = (0..3000).map(page).collect();
    let whole = zstd::encode_all(lines(&pages).as_bytes(), 3).unwrap();
    let input = folder.write("in.jsonl.zst", &whole[..whole.len() * 9 / 10]);
    let run = maintext(&["batch", &input, "-o", &folder.path("out.jsonl"), "--ordered"]);
    assert_eq!(run.status, Some(1));
    let out = records(&folder.read("out.jsonl"));
    assert!(out.len() > 100 && out[100]["id"] == "100");
    let last = out.last().unwrap()["error"].as_str().unwrap();
    assert!(last.contains("cannot be read any further"), "{last}");
}
