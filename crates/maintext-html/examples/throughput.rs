//! Measures the MB/s of this parser and of html5ever with a simple arena sink, in one process, in turns, on one core.
//!
//! `MAINTEXT_DATA=… cargo run --release --example throughput [set…]`; by default on wcxb-dev, all of it and its script-heavy pages.

#[path = "../tests/it/support/pages.rs"]
mod pages;
#[path = "../tests/it/support/mod.rs"]
mod support;

use maintext_html::{Arena, Document, ParseOptions};
use support::clock::Clock;

const ROUNDS: usize = 7;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let wanted = if wanted.is_empty() { vec!["wcxb-dev".to_string()] } else { wanted };
    for set in pages::data_sets() {
        let name = set.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if !wanted.iter().any(|w| name.contains(w.as_str()) || w == "all") {
            continue;
        }
        let mut all = Vec::new();
        pages::each_page(&set, |_, html| all.push(html));
        let heavy: Vec<&String> = all.iter().filter(|p| script_share(p) > 0.5).collect();
        let light: Vec<&String> = all.iter().filter(|p| script_share(p) <= 0.5).collect();
        measure(&format!("{name}, all"), &all.iter().collect::<Vec<_>>());
        measure(&format!("{name}, scripts over half"), &heavy);
        measure(&format!("{name}, scripts under half"), &light);
    }
}

/// Returns the share of script and style text in a page.
fn script_share(page: &str) -> f64 {
    let doc = Document::parse(page, &ParseOptions::default());
    let script: usize = doc
        .descendants(doc.root())
        .filter(|&n| matches!(doc.tag_name(n), "script" | "style"))
        .map(|n| doc.span(n).len())
        .sum();
    script as f64 / page.len().max(1) as f64
}

fn measure(name: &str, pages: &[&String]) {
    let bytes: usize = pages.iter().map(|p| p.len()).sum();
    if bytes == 0 {
        return;
    }
    let options = ParseOptions::default();
    let mut arena = Arena::new();
    let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
    let mut nodes = 0;
    for _ in 0..ROUNDS {
        let start = Clock::start();
        nodes = 0;
        for page in pages {
            let doc = Document::parse_into(arena, page, &options);
            nodes += doc.len();
            arena = doc.into_arena();
        }
        ours = ours.min(start.seconds());
        let start = Clock::start();
        for page in pages {
            std::hint::black_box(support::html5ever_parse(page).nodes.borrow().len());
        }
        theirs = theirs.min(start.seconds());
    }
    let rate = |seconds: f64| bytes as f64 / seconds / 1e6;
    println!(
        "{name}: {} pages, {:.1} MB, {:.1} bytes per node; maintext-html {:.0} MB/s, html5ever {:.0} MB/s, {:.2} times",
        pages.len(),
        bytes as f64 / 1e6,
        bytes as f64 / nodes as f64,
        rate(ours),
        rate(theirs),
        theirs / ours,
    );
}
