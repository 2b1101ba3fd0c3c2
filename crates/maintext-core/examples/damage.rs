//! Extracts every page of the data sets cut at random bytes, and with one byte in a hundred flipped. Reports panics and the slowest extraction.
//!
//! `cargo run --release -p maintext-core --example damage [--data DIR] [--passes N] [--cuts N] [--seed N]`, by default `$MAINTEXT_DATA`, all 8
//! passes (each takes every eighth page, so that a few passes see part of every set) and 20 cuts per page. Exits with 1 after a panic or an
//! extraction that took more than a second of processor time.

#[path = "../../maintext-html/tests/it/support/clock.rs"]
mod clock;

use base64::Engine;
use clock::Clock;
use maintext_core::{Extractor, Formats, Options};
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const PASSES: usize = 8;

type Failed = Box<dyn std::error::Error>;

/// A generator of numbers that are the same in every run: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) as usize % n.max(1)
    }
}

struct Run {
    extractor: Extractor,
    random: Random,
    cuts: usize,
    pages: usize,
    answers: usize,
    bytes: usize,
    panics: usize,
    seconds: f64,
    slowest: (f64, String),
}

fn extractor() -> Extractor {
    let formats = Formats { blocks: false, ..Formats::ALL };
    let url = Some("https://example.org/news/page".to_owned());
    Extractor::new(Options { url, formats, page_type: true, ..Options::default() }).expect("the shipped model")
}

impl Run {
    fn answer(&mut self, name: &str, bytes: &[u8]) {
        let start = Clock::start();
        let outcome = catch_unwind(AssertUnwindSafe(|| self.extractor.extract(bytes).is_ok()));
        let seconds = start.seconds();
        self.answers += 1;
        self.bytes += bytes.len();
        self.seconds += seconds;
        if seconds > self.slowest.0 {
            self.slowest = (seconds, format!("{name}, {} bytes", bytes.len()));
        }
        if outcome.is_err() {
            self.panics += 1;
            println!("PANIC on {name}");
            self.extractor = extractor();
        }
    }

    fn page(&mut self, id: &str, bytes: &[u8]) {
        self.pages += 1;
        for _ in 0..self.cuts {
            let end = self.random.below(bytes.len());
            self.answer(&format!("{id} cut at {end}"), &bytes[..end]);
        }
        let mut flipped = bytes.to_vec();
        for _ in 0..bytes.len().div_ceil(100) {
            let at = self.random.below(bytes.len());
            if let Some(byte) = flipped.get_mut(at) {
                *byte ^= 1 << self.random.below(8);
            }
        }
        self.answer(&format!("{id} with flipped bits"), &flipped);
    }

    fn report(&self, what: &str) {
        println!(
            "{what}: {} pages, {} extractions, {:.1} GB, {} panics, {:.2} ms on average, slowest {:.3} s ({})",
            self.pages,
            self.answers,
            self.bytes as f64 / 1e9,
            self.panics,
            self.seconds * 1e3 / self.answers.max(1) as f64,
            self.slowest.0,
            self.slowest.1
        );
    }
}

fn sets(data: &Path) -> Result<Vec<PathBuf>, Failed> {
    let mut sets = Vec::new();
    for folder in ["train", "eval"] {
        for entry in std::fs::read_dir(data.join(folder))? {
            sets.push(entry?.path());
        }
    }
    sets.retain(|p| p.to_string_lossy().ends_with(".jsonl.zst"));
    sets.sort();
    Ok(sets)
}

fn read(set: &Path, pass: usize, run: &mut Run) -> Result<(), Failed> {
    let mut decoder = zstd::Decoder::new(std::fs::File::open(set)?)?;
    decoder.window_log_max(31)?;
    let name = set.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (i, line) in BufReader::new(decoder).lines().enumerate() {
        if i % PASSES != pass {
            continue;
        }
        let record: serde_json::Value = serde_json::from_str(&line?)?;
        let bytes = match (record["html"].as_str(), record["html_base64"].as_str()) {
            (Some(html), _) => html.as_bytes().to_vec(),
            (None, Some(encoded)) => base64::engine::general_purpose::STANDARD.decode(encoded)?,
            _ => continue,
        };
        run.page(&format!("{name} {}", record["id"]), &bytes);
    }
    Ok(())
}

fn main() -> Result<ExitCode, Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1)).cloned();
    let number = |flag: &str, default| value(flag).map_or(Ok(default), |v| v.parse::<usize>());
    let data = value("--data")
        .or_else(|| std::env::var("MAINTEXT_DATA").ok())
        .ok_or("set $MAINTEXT_DATA or give --data DIR")?;
    let (passes, cuts) = (number("--passes", PASSES)?.min(PASSES), number("--cuts", 20)?);
    let random = Random(number("--seed", 1)? as u64 | 1 << 40);
    let mut run = Run {
        extractor: extractor(),
        random,
        cuts,
        pages: 0,
        answers: 0,
        bytes: 0,
        panics: 0,
        seconds: 0.0,
        slowest: (0.0, String::new()),
    };
    for pass in 0..passes {
        for set in sets(Path::new(&data))? {
            read(&set, pass, &mut run)?;
            run.report(&format!(
                "pass {} of {passes}, {}",
                pass + 1,
                set.file_name().unwrap_or_default().to_string_lossy()
            ));
        }
    }
    let good = run.panics == 0 && run.slowest.0 <= 1.0;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
