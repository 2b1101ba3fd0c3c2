//! Writes the default extractor's answers on pages: `answers OUT FILE...`. Called by `cargo xtask changes`.
//!
//! A FILE is a data set (`.jsonl.zst`) or a page (`.html`). Each line of OUT holds the set, id and kind of a page, and its text, title, authors,
//! date and addresses of entries. The program uses few functions of the library, so that it can be built in earlier revisions.
use maintext_core::{Extractor, Options};
use maintext_lab::Error;
use maintext_lab::data::{self, Page};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [out, files @ ..] = args.as_slice() else { return Err(Error::other("usage: answers OUT FILE...")) };
    let mut lines = Vec::new();
    for file in files.iter().map(Path::new) {
        eprintln!("{}", file.display());
        let (set, pages) = pages(file)?;
        let answers: Vec<String> = pages.par_iter().map(|page| answer(&set, page)).collect();
        lines.extend(answers);
    }
    maintext_lab::write(Path::new(out), (lines.join("\n") + "\n").as_bytes())
}

/// Returns the name of a set and its pages. The pages of a folder are a set.
fn pages(file: &Path) -> Result<(String, Vec<Page>), Error> {
    if file.extension().is_some_and(|extension| extension == "zst") {
        return Ok((data::set_name(file), data::read(file)?));
    }
    let html = std::fs::read(file).map_err(|e| Error::file(file, e))?;
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let id = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut page = data::parse_line(json!({"id": id, "html": ""}).to_string().as_bytes()).map_err(Error::other)?;
    page.html = html;
    Ok((folder, vec![page]))
}

fn answer(set: &str, page: &Page) -> String {
    let url = page.url.as_deref().filter(|url| url.starts_with("http"));
    let options = Options { page_type: true, ..Options::default() };
    let answer = Extractor::new(options).and_then(|mut e| e.extract_at(page.html.as_slice(), url, None));
    // A page that cannot be read counts as one without text.
    let found = answer.ok().and_then(|page| serde_json::to_value(page).ok()).unwrap_or_default();
    let entries: Vec<&Value> = found["entries"].as_array().into_iter().flatten().map(|entry| &entry["url"]).collect();
    let kind = page.page_type.as_deref().unwrap_or("unknown");
    json!({
        "set": set, "id": page.id, "kind": kind, "url": page.url, "text": found["text"].as_str().unwrap_or(""), "title": found["title"],
        "authors": found["authors"], "date": found["date"], "entries": entries,
    })
    .to_string()
}
