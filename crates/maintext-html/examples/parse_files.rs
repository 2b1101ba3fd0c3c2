//! Parses files and prints numbers of nodes and errors, the limits reached, and memory.
//!
//! `cargo run --release --example parse_files FILE…`; under `valgrind --tool=callgrind --toggle-collect='*parse_all*'` it counts the
//! instructions of parsing.

use maintext_html::{Arena, Document, ParseOptions};

fn main() {
    let files: Vec<(String, String)> = std::env::args()
        .skip(1)
        .filter_map(|path| Some((path.clone(), String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())))
        .collect();
    let bytes: usize = files.iter().map(|f| f.1.len()).sum();
    let (nodes, memory) = parse_all(&files);
    println!("{} files, {bytes} bytes, {nodes} nodes, at most {memory} bytes of memory", files.len());
    for (path, text) in &files {
        let doc = Document::parse(text, &ParseOptions::default());
        if doc.limits_hit().any() {
            println!("{path}: {:?}", doc.limits_hit());
        }
    }
}

#[inline(never)]
fn parse_all(files: &[(String, String)]) -> (usize, usize) {
    let options = ParseOptions::default();
    let (mut nodes, mut arena, mut memory) = (0, Arena::new(), 0);
    for (_, text) in files {
        let doc = Document::parse_into(arena, text, &options);
        nodes += doc.len();
        memory = memory.max(doc.memory());
        arena = doc.into_arena();
    }
    (nodes, memory)
}
