//! Writes a WARC file for measurements, from the pages of data sets or from generated small pages: `cargo xtask warc`.
//!
//! Each record is a separate gzip member, as in Common Crawl's files: a `warcinfo`, and for each page a `request`, a `response` and a
//! `metadata` record. Pages of all sets are taken in turn until there are enough; each gets a separate address.
use flate2::Compression;
use flate2::write::GzEncoder;
use maintext_corpus::pages::{PageRecord, Pages};
use maintext_util::atomic::write_atomic;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(message) => {
            println!("{message}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("warc: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, String> {
    let (mut data, mut records, mut out, mut small) = (None, 20_000_u64, None, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("'{arg}' needs a value"));
        match arg.as_str() {
            "--data" => data = Some(PathBuf::from(value()?)),
            "--records" => records = value()?.parse().map_err(|_| "--records takes a number")?,
            "-o" | "--output" => out = Some(PathBuf::from(value()?)),
            "--small" => small = true,
            _ => return Err(format!("unexpected argument '{arg}'")),
        }
    }
    let out = out.ok_or("-o FILE is missing")?;
    let sets = if small { Vec::new() } else { sets(&data.ok_or("--data DIR is missing")?)? };
    let bytes = write_atomic(&out, |file| {
        let mut warc = Warc { file, bytes: 0 };
        warc.record("warcinfo", "", "application/warc-fields", b"software: maintext test data\r\n")?;
        if small {
            for number in 0..records {
                warc.page(number, None, small_page(number).as_bytes(), Some("utf-8"))?;
            }
        } else {
            warc.pages_of(&sets, records)?;
        }
        Ok(warc.bytes)
    });
    let bytes = bytes.map_err(|e| e.to_string())?;
    Ok(format!("{}: {records} pages, {:.1} MB of HTML", out.display(), bytes as f64 / 1e6))
}

/// Returns the sets in `train/` and `eval/`, in the order of their names.
fn sets(data: &Path) -> Result<Vec<PathBuf>, String> {
    let mut sets = Vec::new();
    for folder in ["train", "eval"] {
        let folder = data.join(folder);
        for entry in std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
            // Some sets hold annotations of the pages in another one.
            let has_pages = || Pages::open(&path).is_ok_and(|mut pages| matches!(pages.next(), Some(Ok(_))));
            if path.to_string_lossy().contains(".jsonl") && has_pages() {
                sets.push(path);
            }
        }
    }
    sets.sort();
    if sets.is_empty() { Err(format!("{}: no data sets", data.display())) } else { Ok(sets) }
}

struct Warc<'a> {
    file: &'a mut dyn Write,
    /// Number of HTML bytes written.
    bytes: u64,
}

impl Warc<'_> {
    fn pages_of(&mut self, sets: &[PathBuf], records: u64) -> io::Result<()> {
        let mut number = 0;
        while number < records {
            let before = number;
            for set in sets {
                for page in Pages::open(set).map_err(io::Error::other)? {
                    if number == records {
                        return Ok(());
                    }
                    let PageRecord { url, bytes, charset, .. } = page.map_err(io::Error::other)?;
                    self.page(number, url.as_deref(), &bytes, charset)?;
                    number += 1;
                }
            }
            if number == before {
                return Err(io::Error::other("the data sets contain no pages"));
            }
        }
        Ok(())
    }

    fn page(&mut self, number: u64, url: Option<&str>, html: &[u8], charset: Option<&str>) -> io::Result<()> {
        self.bytes += html.len() as u64;
        let url = url.filter(|u| u.starts_with("http") && !u.contains([' ', '\n', '\r', '#']));
        let url = match url {
            Some(url) => format!("{url}{}page={number}", if url.contains('?') { '&' } else { '?' }),
            None => format!("https://example.org/{number}"),
        };
        let request = "GET / HTTP/1.1\r\nUser-Agent: test\r\n\r\n";
        self.record("request", &url, "application/http; msgtype=request", request.as_bytes())?;
        let charset = charset.map(|c| format!("; charset={c}")).unwrap_or_default();
        let mut response = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html{charset}\r\nX-Crawler-Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
            html.len()
        )
        .into_bytes();
        response.extend_from_slice(html);
        self.record("response", &url, "application/http; msgtype=response", &response)?;
        self.record("metadata", &url, "application/warc-fields", b"fetchTimeMs: 100\r\n")
    }

    fn record(&mut self, kind: &str, url: &str, content_type: &str, block: &[u8]) -> io::Result<()> {
        let target = if url.is_empty() { String::new() } else { format!("WARC-Target-URI: {url}\r\n") };
        // Ids that look like a crawler's and are the same in every run.
        let id = hash(kind.bytes().chain(url.bytes()));
        let header = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: \
             <urn:uuid:{:08x}-0000-4000-8000-{:012x}>\r\n{target}Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            id >> 32,
            id & 0xffff_ffff,
            block.len()
        );
        let mut member = GzEncoder::new(&mut self.file, Compression::new(4));
        member.write_all(header.as_bytes())?;
        member.write_all(block)?;
        member.write_all(b"\r\n\r\n")?;
        member.finish().map(|_| ())
    }
}

/// Returns the FNV-1a hash.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(maintext_core::hash::FNV64, maintext_core::hash::fnv64)
}

/// Returns a page of about two kilobytes: a menu, three paragraphs and a footer, with different words for each number.
fn small_page(number: u64) -> String {
    let word = |i: u64| {
        let seed = hash(number.to_le_bytes().into_iter().chain(i.to_le_bytes()));
        let syllables = ["ra", "ten", "lo", "mi", "sar", "e", "kon", "du", "vi", "pal"];
        (0..=seed % 3).map(|s| syllables[(seed >> (8 * s + 8)) as usize % 10]).collect::<String>()
    };
    let paragraph = |p: u64| {
        let words: Vec<String> = (0..70).map(|i| word(p * 100 + i)).collect();
        format!("<p>{}, {}.</p>\n", words[..40].join(" "), words[40..].join(" "))
    };
    let text: String = (0..3).map(paragraph).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{} {number}</title></head><body>\
         <ul class=\"menu\"><li><a href=\"/\">Home</a></li><li><a href=\"/news\">News</a></li><li><a href=\"/about\">About</a></li></ul>\
         <div id=\"main\"><h1>{} {number}</h1>\n{text}</div><div class=\"footer\"><a href=\"/imprint\">Imprint</a></div></body></html>",
        word(0),
        word(1)
    )
}
