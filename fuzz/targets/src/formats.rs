//! Reads any bytes as a file of each format: documents or a refusal, and no document much larger than the limit.
use maintext_formats::{Hint, Limits, documents};

const NAMES: [&str; 11] =
    ["", "a.html", "a.txt", "a.md", "a.eml", "a.mht", "a.wacz", "a.warc", "a.rss", "a.html.br", "a.html.gz"];
const LIMIT: usize = 1 << 16;

/// Tries one input.
pub fn run(data: &[u8]) {
    let [name, rest @ ..] = data else { return };
    let name = NAMES[*name as usize % NAMES.len()];
    let hint = Hint { name: Some(name), url: Some("https://example.org/a"), ..Hint::default() };
    for items in [false, true] {
        let limits = Limits { max_size: LIMIT, items, ..Limits::default() };
        let Ok(found) = documents(rest.to_vec(), &hint, &limits) else { return };
        for document in found.take(1000).flatten() {
            // Escaping makes one character six; a head of 100 authors and tags comes before it.
            assert!(document.bytes.len() <= 12 * LIMIT + (2 << 20), "{} bytes", document.bytes.len());
        }
    }
}
