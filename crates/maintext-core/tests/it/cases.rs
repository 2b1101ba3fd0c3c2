//! Named cases: pages of kinds that users reported, each with the Markdown that a careful reader would copy from it, line by line.
use maintext_core::{Formats, Options, extract};
use std::fs;
use std::path::{Path, PathBuf};

/// Minimum number of cases, so that a wrong path does not pass.
const MIN_CASES: usize = 40;

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases");
    let mut pages: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|e| e == "html"));
    pages.sort();
    pages
}

/// MAINTEXT_UPDATE=1 writes the present answers, to be read before they are committed.
#[test]
fn each_case_has_the_lines_that_a_reader_would_copy() {
    let pages = pages();
    assert!(pages.len() >= MIN_CASES, "{} cases", pages.len());
    let mut wrong = String::new();
    for path in pages {
        let formats = Formats { markdown: true, ..Formats::NONE };
        let options = Options { url: Some("https://example.org/dir/page".into()), formats, ..Options::default() };
        let html = fs::read(&path).unwrap();
        let markdown = extract(html.as_slice(), &options).unwrap().markdown.unwrap();
        let file = path.with_extension("md");
        if std::env::var_os("MAINTEXT_UPDATE").is_some() {
            fs::write(&file, markdown).unwrap();
            continue;
        }
        let wanted = fs::read_to_string(&file).unwrap_or_default();
        let lost =
            wanted.lines().filter(|line| !markdown.lines().any(|own| own == *line)).map(|line| format!("- {line}"));
        let added =
            markdown.lines().filter(|line| !wanted.lines().any(|own| own == *line)).map(|line| format!("+ {line}"));
        let lines: Vec<String> = lost.chain(added).collect();
        if wanted != markdown {
            wrong += &format!("{}\n{}\n", path.file_name().unwrap().to_string_lossy(), lines.join("\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
