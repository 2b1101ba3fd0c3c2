//! Reads the pages of the data sets.
#![allow(dead_code)]

use base64::Engine;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Returns all data set files in `$MAINTEXT_DATA`, or none if it is not set.
pub fn data_sets() -> Vec<PathBuf> {
    let Some(data) = std::env::var_os("MAINTEXT_DATA") else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = ["train", "eval"]
        .iter()
        .filter_map(|folder| std::fs::read_dir(Path::new(&data).join(folder)).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".jsonl.zst"))
        .collect();
    files.sort();
    files
}

/// Calls `page` with the id and the text of each page of a data set.
pub fn each_page(path: &Path, mut page: impl FnMut(&str, String)) {
    let file = std::fs::File::open(path).expect("readable data set");
    let mut decoder = zstd::Decoder::new(file).expect("a zstd file");
    decoder.window_log_max(31).expect("a window size that zstd knows");
    for line in BufReader::new(decoder).lines() {
        let line = line.expect("a readable line");
        let record: serde_json::Value = serde_json::from_str(&line).expect("a JSON record");
        let html = match (record["html"].as_str(), record["html_base64"].as_str()) {
            (Some(html), _) => html.to_string(),
            (None, Some(encoded)) => {
                decode(&base64::engine::general_purpose::STANDARD.decode(encoded).unwrap_or_default())
            }
            _ => continue,
        };
        page(&record["id"].to_string(), html);
    }
}

/// Decodes well enough for a parser test: as UTF-8 if valid, otherwise in the declared encoding, otherwise as windows-1252.
fn decode(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_string();
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]).to_ascii_lowercase();
    let label = head.split("charset=").nth(1).map(|rest| {
        rest.trim_start_matches(['"', '\''])
            .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
            .next()
            .unwrap_or("")
    });
    let encoding =
        label.and_then(|l| encoding_rs::Encoding::for_label(l.as_bytes())).unwrap_or(encoding_rs::WINDOWS_1252);
    encoding.decode(bytes).0.into_owned()
}
