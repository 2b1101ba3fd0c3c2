//! The cost of hostile pages from 10 KB to 10 MB: nanoseconds of processor time per byte, by kind, for a full extraction in every format
//! with metadata, comments, page type and lists.
//!
//! `cargo run --release -p maintext-core --example adversarial [--max BYTES] [part of a kind's name…]`

#[path = "../../maintext-html/tests/it/support/clock.rs"]
mod clock;
#[path = "../tests/it/hostile/mod.rs"]
mod hostile;

use clock::Clock;
use maintext_core::{Extractor, Formats, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut max = usize::MAX;
    if let Some(i) = names.iter().position(|a| a == "--max") {
        max = names.get(i + 1).and_then(|v| v.parse().ok()).ok_or("--max needs a number")?;
        names.drain(i..i + 2);
    }
    let formats = Formats::ALL;
    let url = Some("https://example.org/news/".to_owned());
    let mut extractor = Extractor::new(Options { url, formats, page_type: true, ..Options::default() })?;
    let sizes: Vec<usize> = [10_000, 100_000, 1_000_000, 10_000_000].into_iter().filter(|s| *s <= max).collect();
    println!("{:50} nanoseconds per byte at {sizes:?} bytes; units of work per byte; warnings", "kind");
    for kind in hostile::ALL {
        if !names.is_empty() && !names.iter().any(|n| kind.name.contains(n.as_str())) {
            continue;
        }
        print!("{:50}", kind.name);
        let mut said = String::new();
        for &size in &sizes {
            let page = (kind.make)(size);
            let start = Clock::start();
            let result = extractor.extract(&page);
            print!(" {:9.1}", start.seconds() * 1e9 / page.len() as f64);
            said = match result {
                Ok(result) => {
                    let units = result.work as f64 / page.len() as f64;
                    let codes: Vec<&str> = result.warnings.iter().map(|w| w.code.as_str()).collect();
                    format!("{units:6.1} {}", codes.join(" "))
                }
                Err(error) => error.to_string(),
            };
        }
        println!("  {said}");
    }
    Ok(())
}
