//! Prints title, author and date of each page of a data set as JSONL, with the processor time that each took.
//!
//! ```text
//! cargo run --release -p maintext --example fields -- SET.jsonl.zst > fields.jsonl
//! ```
use base64::Engine;
use maintext::{Extractor, Formats, Options};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: fields SET.jsonl.zst")?;
    let mut decoder = zstd::Decoder::new(std::fs::File::open(&path).map_err(|e| format!("{path}: {e}"))?)?;
    decoder.window_log_max(27)?;
    let formats = Formats { text: false, ..Formats::default() };
    let metadata = std::env::var("NO_METADATA").is_err();
    let mut extractor = Extractor::new(Options { formats, metadata, ..Options::default() })?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in BufReader::new(decoder).lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let bytes = match (row["html"].as_str(), row["html_base64"].as_str()) {
            (Some(h), _) => h.as_bytes().to_vec(),
            (_, Some(b)) => base64::engine::general_purpose::STANDARD.decode(b)?,
            _ => Vec::new(),
        };
        let url = row["url"].as_str().filter(|u| u.starts_with("http"));
        let start = Instant::now();
        let page = extractor.extract_at(&bytes, url, None).or_else(|_| extractor.extract_at(&bytes, None, None));
        let cpu = start.elapsed().as_secs_f64();
        let m = page.map(|p| p.metadata).unwrap_or_default();
        let row = json!({"id": row["id"], "title": m.title, "author": m.author, "date": m.date, "cpu": cpu});
        writeln!(out, "{row}")?;
    }
    Ok(())
}
