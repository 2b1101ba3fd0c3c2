//! Measures a search over many pages, after their extraction.
//!
//! ```sh
//! cargo run --release --manifest-path lab/Cargo.toml --example find -- $MAINTEXT_DATA/train 1000
//! ```
use maintext_chunks::{Finder, PieceForm, Settings, Tokenizer};
use maintext_core::{Extractor, Formats, Options};
use maintext_lab::data;
use rayon::prelude::*;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("expected a folder of data sets")?;
    let most: usize = args.next().map_or(Ok(1000), |n| n.parse())?;
    let options = Options { pieces: Some(PieceForm::Markdown), formats: Formats::NONE, ..Options::default() };
    let mut files: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|f| f.path()).collect();
    files.retain(|f| f.to_string_lossy().ends_with(".jsonl.zst"));
    files.sort();
    let mut sources = Vec::with_capacity(most);
    for file in files {
        let left = most - sources.len();
        // Sets that have only the addresses of their pages are left out.
        let Ok(pages) = data::read(&file) else { continue };
        sources.extend(pages.into_iter().filter(|p| !p.html.is_empty()).take(left));
    }
    let extract = |source: &data::Page| {
        let mut extractor = Extractor::new(options.clone()).ok()?;
        extractor.extract_at(source.html.as_slice(), source.url.as_deref(), None).ok()
    };
    let pages: Vec<_> = sources.par_iter().filter_map(extract).collect();
    let settings = Settings::new(Tokenizer::named("words")?, 350);
    for question in
        ["How long should I let the dough rest before baking?", "Wann fährt die nächste Fähre?", "票价是多少"]
    {
        let start = Instant::now();
        let mut finder = Finder::new(question)?;
        for (n, page) in pages.iter().enumerate() {
            finder.add(&n.to_string(), Some("https://example.org/"), page, &settings);
        }
        let (added, answer) = (start.elapsed(), finder.answer(&finder.ranking(), 5, None));
        let all = start.elapsed();
        println!(
            "{} pages, {} passages: {all:.2?}, of which {added:.2?} to cut and count; {question}",
            answer.pages, answer.searched
        );
    }
    Ok(())
}
