//! Pages of our own writing with the expected text, Markdown, HTML and TEI: `testdata/structure/<topic>/<name>.html`, each with
//! `<name>.txt`, `<name>.md`, `<name>.out.html` and `<name>.tei`; the pages in `blocks/` also with `<name>.json`, the typed blocks.
//!
//! With `MAINTEXT_UPDATE=1` the expectations are written instead of compared: read the diff before you commit it.

use maintext_core::{Favor, Formats, Options, extract};
use std::path::{Path, PathBuf};

const ADDRESS: &str = "https://example.org/articles/page.html";

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/structure");
    let mut topics: Vec<PathBuf> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    topics.sort();
    let mut pages: Vec<PathBuf> = topics.iter().flat_map(|t| crate::common::html_files(t)).collect();
    pages.retain(|p| !p.to_string_lossy().ends_with(".out.html"));
    pages
}

/// Returns typed blocks without their roles, which belong to the model.
fn without_roles(json: &str) -> String {
    let mut parts = json.split(",\"role\":");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let rest = part.split_once(",\"probability\":").unwrap().1;
        out.push_str(rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
    }
    out
}

#[test]
fn typed_blocks_have_roles() {
    let html = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/product.html")).unwrap();
    let formats = Formats { blocks: true, ..Formats::default() };
    let page = extract(&html, &Options { formats, ..Options::default() }).unwrap();
    let blocks: Vec<serde_json::Value> = serde_json::from_str(&page.blocks.unwrap()).unwrap();
    let role = |text: &str| {
        let block = blocks.iter().find(|b| b["text"].as_str().is_some_and(|t| t.starts_with(text))).unwrap();
        assert!((0.3..=1.0).contains(&block["probability"].as_f64().unwrap()));
        block["role"].as_str().unwrap().to_owned()
    };
    assert_eq!(["Brindle Stovetop", "The base is wide", "Specification"].map(role), ["title", "main", "main"]);
}

#[test]
fn precision_leaves_optional_text_out() {
    let html = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/product.html")).unwrap();
    let text = |favor| extract(&html, &Options { favor, ..Options::default() }).unwrap().text().to_owned();
    let (balance, precision) = (text(Favor::Balance), text(Favor::Precision));
    // The chosen variant.
    assert!(balance.contains("Colour: Moss") && !precision.contains("Moss"), "{precision}");
    for main in ["Brindle Stovetop Kettle", "The base is wide and flat", "Works on gas"] {
        assert!(precision.contains(main), "{main}");
    }
}

/// Returns an array with each element on a line of its own.
fn one_per_line(json: &str) -> String {
    let json = &without_roles(json);
    let blocks: Vec<&serde_json::value::RawValue> = serde_json::from_str(json).unwrap();
    let lines: Vec<&str> = blocks.iter().map(|b| b.get()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[test]
fn pages_have_the_expected_structure_in_every_format() {
    let update = std::env::var_os("MAINTEXT_UPDATE").is_some();
    let formats = Formats::ALL;
    let (mut wrong, pages) = (Vec::new(), pages());
    for path in &pages {
        let html = std::fs::read_to_string(path).unwrap();
        let options = Options { url: Some(ADDRESS.into()), formats, ..Options::default() };
        let page = extract(html.as_str(), &options).unwrap();
        let json = page.blocks.as_deref().unwrap_or("");
        crate::common::blocks::check_blocks(json, &html).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // Plain text has no headers of posts and no long captions, and the numbers of lists do not belong to the text of their items.
        let mut plain = options.clone();
        (plain.render.list_numbers, plain.render.post_headers, plain.render.images) = (false, false, false);
        let plain = extract(html.as_str(), &plain).unwrap();
        let read = crate::common::blocks::read_blocks(plain.blocks.as_deref().unwrap_or("")).unwrap();
        assert_eq!(crate::common::words(&read), crate::common::words(plain.text()), "{}", path.display());
        let lines = path.parent().is_some_and(|p| p.ends_with("blocks")).then(|| one_per_line(json));
        for (ending, got) in [
            ("txt", &page.text),
            ("md", &page.markdown),
            ("out.html", &page.html),
            ("tei", &page.xml),
            ("json", &lines),
        ] {
            let (file, got) = (path.with_extension(ending), got.as_deref().unwrap_or(""));
            if ending == "json" && lines.is_none() {
                continue;
            }
            if update {
                std::fs::write(&file, got).unwrap();
            } else if std::fs::read_to_string(&file).unwrap_or_default() != got {
                wrong.push(format!("{}\n{got}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} files differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(!pages.is_empty());
}
