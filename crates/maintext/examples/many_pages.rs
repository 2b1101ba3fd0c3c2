//! Extracts the pages of a folder on all cores, one JSON object per line: `cargo run --example many_pages -- FOLDER`.
use maintext::{Extractor, Options};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Mutex;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: many_pages FOLDER")?;
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?.map(|f| f.map(|f| f.path())).collect::<Result<_, _>>()?;
    files.retain(|f| f.extension().is_some_and(|e| e == "html"));
    let waiting = Mutex::new(files);
    let threads = std::thread::available_parallelism()?.get();

    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                // An extractor reuses its buffers from page to page.
                let mut extractor = Extractor::new(Options::new()).expect("the default models are in the library");
                loop {
                    let Some(file) = waiting.lock().unwrap().pop() else { break };
                    // One bad page is one line on standard error, and not the end.
                    match std::fs::read(&file).map_err(|e| e.to_string()) {
                        Ok(html) => match extractor.extract(&html) {
                            Ok(page) => println!("{}", serde_json::to_string(&page).unwrap_or_default()),
                            Err(error) => eprintln!("{}: {error}", file.display()),
                        },
                        Err(error) => eprintln!("{}: {error}", file.display()),
                    }
                }
            });
        }
    });
    Ok(())
}
