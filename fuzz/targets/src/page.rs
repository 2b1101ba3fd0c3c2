//! Extracts any bytes in every format, with page type, entries and things: no panic, well-formed XML, and the same result twice.
use maintext_core::{Extractor, Formats, Options};
use std::cell::RefCell;

thread_local!(static EXTRACTOR: RefCell<Option<Extractor>> = const { RefCell::new(None) });

/// Tries one input.
pub fn run(data: &[u8]) {
    EXTRACTOR.with_borrow_mut(|e| {
        let formats = Formats::ALL;
        let url = Some("https://example.org/a".into());
        let options = || Options { url: url.clone(), formats, page_type: true, things: true, ..Options::default() };
        let e = e.get_or_insert_with(|| Extractor::new(options()).expect("the shipped model loads"));
        let Ok(page) = e.extract(data) else { return };
        serde_json::from_str::<serde_json::Value>(page.blocks.as_deref().unwrap_or("")).expect("JSON");
        roxmltree::Document::parse(page.xml.as_deref().unwrap_or("")).expect("well-formed XML");
        let json = serde_json::to_string(&page).expect("JSON");
        let again = e.extract(data).expect("the second time too");
        assert_eq!(json, serde_json::to_string(&again).expect("JSON"));
    });
}
