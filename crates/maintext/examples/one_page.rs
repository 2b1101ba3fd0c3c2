//! Prints a saved page as Markdown under its title: `cargo run --example one_page -- FILE [URL]`.
use maintext::{Extractor, Format, Input, Options, TitleHeading};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("usage: one_page FILE [URL]")?;
    let url = args.next();
    let html = std::fs::read(&file).map_err(|e| format!("{file}: {e}"))?;

    let mut input = Input::from(&html);
    if let Some(url) = &url {
        input = input.with_url(url);
    }
    let options = Options::new().with_formats([Format::Markdown]).with_title(TitleHeading::Never);
    let mut extractor = Extractor::new(options)?;
    let page = extractor.extract(input)?;

    for warning in &page.warnings {
        eprintln!("{file}: {}", warning.message);
    }
    let byline = [page.metadata.author.as_deref(), page.metadata.date.as_deref()];
    println!("{}", page.metadata.title.as_deref().unwrap_or("Untitled"));
    println!("{}\n", byline.into_iter().flatten().collect::<Vec<_>>().join(", "));
    print!("{}", page.markdown.as_deref().unwrap_or(""));
    Ok(())
}
