//! JSON-LD, dates and bylines in a page's head and text: no panic, no endless walk over `@id` references.
#![no_main]
use libfuzzer_sys::fuzz_target;
use maintext::metadata::Stamp;
use maintext::{Extractor, Options};

fuzz_target!(|data: &str| {
    let _ = Stamp::parse(data);
    let html = format!("<script type=application/ld+json>{data}</script><h1>A walk</h1><p class=byline>{data}</p><time>{data}</time>");
    let options = Options { method: "text-density".into(), ..Options::default() };
    let _ = Extractor::new(options).and_then(|mut e| e.extract(&html));
});
