//! Extracts each page once, for callgrind: `MODE=full profile FILE...`. `ROUNDS=20` repeats, to measure the time; `PRINT=1` prints the
//! pages as JSON, to compare two versions.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mode = std::env::var("MODE").unwrap_or_default();
    let mut o = maintext_core::Options::default();
    if mode == "text" {
        o.metadata = false;
        o.render.images = false;
    }
    if mode == "text-column" {
        o.fields = maintext_core::Fields::NONE;
    }
    if mode == "markdown" {
        o.formats = maintext_core::Formats { markdown: true, ..Default::default() };
    }
    o.things = mode == "things";
    if mode == "all" {
        o.formats = maintext_core::Formats::ALL;
        (o.things, o.page_type) = (true, true);
    }
    let mut e = maintext_core::Extractor::new(o)?;
    let pages: Vec<Vec<u8>> = std::env::args().skip(1).map(std::fs::read).collect::<Result<_, _>>()?;
    let rounds: usize = std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(1);
    let print = std::env::var_os("PRINT").is_some();
    let mut n = 0;
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = std::time::Instant::now();
        for p in &pages {
            let page = e.extract_at(p, Some("https://example.org/a"), None)?;
            if print {
                println!("{}", serde_json::to_string(&page)?);
            }
            n += page.text().len();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1000.0 / pages.len() as f64);
    }
    eprintln!("{n} bytes of text; {best:.3} ms per page in the fastest round");
    Ok(())
}
