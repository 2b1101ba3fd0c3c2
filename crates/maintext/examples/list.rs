//! Prints the entries of a saved list page and the address of its next page: `cargo run --example list -- FILE URL`.
use maintext::{Extractor, Input, Options};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, url] = args.as_slice() else { return Err("usage: list FILE URL".into()) };
    let html = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;

    let mut extractor = Extractor::new(Options::new())?;
    let list = extractor.list(Input::from(&html).with_url(url))?;

    // The best group is the page's list; further groups are at its sides.
    for entry in list.groups.first().map_or(&[][..], |g| &g.entries) {
        println!(
            "{:10}  {}\n            {}",
            entry.date.as_deref().unwrap_or(""),
            entry.title,
            entry.url.as_deref().unwrap_or("")
        );
    }
    match &list.pagination.next {
        Some(next) => println!("\nnext page: {}", next.url),
        None => println!("\nthis is the last page"),
    }
    Ok(())
}
