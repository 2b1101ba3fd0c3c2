//! A C interface for parsing from Python by ctypes, to measure against lexbor in one process.

use maintext_html::{Arena, Document, ParseOptions};

/// Parses `len` bytes of UTF-8 at `text`. Returns the number of nodes, or 0 if the text is not UTF-8.
///
/// # Safety
///
/// `text` points to `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parse(text: *const u8, len: usize) -> usize {
    thread_local!(static ARENA: std::cell::Cell<Arena> = std::cell::Cell::new(Arena::new()));
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(text, len) };
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    ARENA.with(|arena| {
        let doc = Document::parse_into(arena.take(), text, &ParseOptions::default());
        let nodes = doc.len();
        arena.set(doc.into_arena());
        nodes
    })
}
