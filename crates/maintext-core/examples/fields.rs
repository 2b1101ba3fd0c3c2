//! Prints title, author and date of each page of a data set as JSONL, with the processor time per page.
//!
//! ```text
//! cargo run --release -p maintext-core --example fields -- SET.jsonl.zst [whole|parse|read] > fields.jsonl
//! ```
//!
//! `parse` only decodes and parses each page, `read` only reads it from the file: the costs that precede any reading of fields.
use base64::Engine;
use maintext_core::decode::decode;
use maintext_core::{Extractor, Formats, Options, dom};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let usage = "usage: fields SET.jsonl.zst [whole|parse|read]";
    let path = std::env::args().nth(1).ok_or(usage)?;
    let stage = std::env::args().nth(2).unwrap_or_else(|| "whole".into());
    if !["whole", "parse", "read"].contains(&stage.as_str()) {
        return Err(usage.into());
    }
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
        if stage != "whole" {
            if stage == "parse" {
                let source = decode(&bytes, None).text;
                std::hint::black_box(dom::parse(&source, &Default::default()));
            }
            writeln!(out, "{}", json!({"id": row["id"], "cpu": start.elapsed().as_secs_f64()}))?;
            continue;
        }
        let page = extractor.extract_at(&bytes, url, None).or_else(|_| extractor.extract_at(&bytes, None, None));
        let cpu = start.elapsed().as_secs_f64();
        let m = page.map(|p| p.metadata).unwrap_or_default();
        let row = json!({"id": row["id"], "title": m.title, "author": m.author, "date": m.date, "cpu": cpu});
        writeln!(out, "{row}")?;
    }
    Ok(())
}
