//! Extracts each page once, for callgrind: `MODE=full profile FILE...`. Of a data set, `profile SET.jsonl.zst`, takes every thirtieth page,
//! or one of `EVERY`.
//! `ROUNDS=20` repeats, to measure the time; `PRINT=1` prints the pages as JSON, to compare two versions. The pages are read once
//! before, so that `--toggle-collect=profile::counted` leaves out reading the models; `cargo xtask budget` does.
use maintext_core::{Extractor, Fields, Formats, Options};
use std::error::Error;
use std::io::BufRead as _;

/// The address of all pages.
const ADDRESS: &str = "https://example.org/a";

/// One of how many pages of a data set is extracted by default.
const EVERY: usize = 30;

/// The window of the data sets' compression.
const WINDOW_LOG: u32 = 27;

fn options(mode: &str) -> Options {
    let mut o = Options::default();
    if mode == "text" {
        o.metadata = false;
        o.render.images = false;
    }
    if mode == "text-column" {
        o.fields = Fields::NONE;
    }
    if mode == "markdown" {
        o.formats = Formats { markdown: true, ..Default::default() };
    }
    o.things = mode == "things";
    if mode == "all" {
        o.formats = Formats::ALL;
        (o.things, o.page_type) = (true, true);
    }
    o
}

/// Reads a page, or the pages of a data set that are UTF-8.
fn pages(file: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    if !file.ends_with(".jsonl.zst") {
        return Ok(vec![std::fs::read(file)?]);
    }
    let mut set = zstd::Decoder::new(std::fs::File::open(file)?)?;
    set.window_log_max(WINDOW_LOG)?;
    let every = std::env::var("EVERY").map_or(Ok(EVERY), |every| every.parse())?;
    let mut pages = Vec::new();
    for line in std::io::BufReader::new(set).lines().step_by(every) {
        let page: serde_json::Value = serde_json::from_str(&line?)?;
        pages.extend(page["html"].as_str().map(|html| html.as_bytes().to_vec()));
    }
    Ok(pages)
}

/// Returns the number of bytes of text.
#[inline(never)]
fn counted(extractor: &mut Extractor, pages: &[Vec<u8>]) -> Result<usize, Box<dyn Error>> {
    let print = std::env::var_os("PRINT").is_some();
    let mut bytes = 0;
    for html in pages {
        let page = extractor.extract_at(html, Some(ADDRESS), None)?;
        if print {
            println!("{}", serde_json::to_string(&page)?);
        }
        bytes += page.text().len();
    }
    Ok(bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut extractor = Extractor::new(options(&std::env::var("MODE").unwrap_or_default()))?;
    let pages: Vec<Vec<Vec<u8>>> = std::env::args().skip(1).map(|file| pages(&file)).collect::<Result<_, _>>()?;
    let pages = pages.concat();
    let rounds: usize = std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(1);
    let (mut bytes, mut best) = (0, f64::INFINITY);
    for page in &pages {
        extractor.extract_at(page, Some(ADDRESS), None)?;
    }
    for _ in 0..rounds {
        let start = std::time::Instant::now();
        bytes = counted(&mut extractor, &pages)?;
        best = best.min(start.elapsed().as_secs_f64() * 1000.0 / pages.len() as f64);
    }
    eprintln!("{} pages, {bytes} bytes of text; {best:.3} ms per page in the fastest round", pages.len());
    Ok(())
}
