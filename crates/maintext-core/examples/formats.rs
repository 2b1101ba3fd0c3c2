//! Reads pages as JSON lines (`id`, `html`, optional `url`) from standard input and writes each as a JSON line with its text, Markdown, HTML
//! and TEI: for comparisons of the formats on whole data sets.
//!
//! ```sh
//! zstd -dc --long=27 $MAINTEXT_DATA/train/docling-html.jsonl.zst | cargo run --release -p maintext-core --example formats > out.jsonl
//! ```
use maintext_core::{Extractor, Formats, Options};
use std::io::{BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let formats = Formats::ALL;
    let mut extractor = Extractor::new(Options { formats, ..Options::default() })?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let row: serde_json::Value = serde_json::from_str(&line?)?;
        let Some(html) = row["html"].as_str() else { continue };
        let url = row["url"].as_str().filter(|u| u.starts_with("http"));
        let page = extractor.extract_at(html, url, None)?;
        let json = serde_json::json!({"id": row["id"], "text": page.text, "markdown": page.markdown, "html": page.html, "tei": page.xml});
        writeln!(out, "{json}")?;
    }
    Ok(())
}
