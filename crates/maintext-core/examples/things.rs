//! Writes the things of each page of a JSONL file with `id`, `url` and `html`: JSONL in, JSONL out.
use maintext_core::{Extractor, Formats, Options};
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options { things: true, formats: Formats::NONE, ..Options::default() };
    let mut extractor = Extractor::new(options)?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let page: serde_json::Value = serde_json::from_str(&line?)?;
        let Some(html) = page["html"].as_str() else { continue };
        let found = extractor.extract_at(html.as_bytes(), page["url"].as_str(), Some("utf-8"))?;
        writeln!(out, "{}", serde_json::json!({ "id": page["id"], "things": found.things }))?;
    }
    Ok(())
}
