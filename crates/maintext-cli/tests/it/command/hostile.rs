//! Pages built to break an extractor. Each must give a result or a clear error in bounded time and memory.
use crate::command::{Folder, Run, command, root};
use std::process::Command;
use std::time::{Duration, Instant};

/// The promised limit is one second per page in release builds; unoptimised builds are many times slower.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 1 });

/// Runs the command, on Linux with 500 MB of address space.
fn run(page: &[u8], name: &str) -> Run {
    let folder = Folder::new(&format!("hostile-{name}"));
    let file = folder.write("page.html", page);
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v 500000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_maintext")]);
        shell.args(["extract", "-f", "json", &file]).current_dir(root());
        shell
    } else {
        command(&["extract", "-f", "json", &file])
    };
    let start = Instant::now();
    let run = Run::from(command.output().unwrap());
    assert!(start.elapsed() < PATIENCE, "{name}: {:?}", start.elapsed());
    assert!(!run.stderr.contains("a bug in maintext"), "{name}: {}", run.stderr);
    run
}

#[track_caller]
fn answer(page: &[u8], name: &str) -> serde_json::Value {
    serde_json::from_str(&run(page, name).good()).unwrap()
}

#[test]
fn two_hundred_thousand_nested_divs() {
    let page = answer(("<div>".repeat(200_000) + "Deep inside, some words.").as_bytes(), "nested");
    assert!(page["warnings"].to_string().contains("limit_reached"), "{page}");
}

#[test]
fn ten_megabytes_in_one_text_node() {
    let text = "All of these words stand in one text node, without an end. ".repeat(10_000_000 / 59);
    let page = answer(format!("<p>{text}").as_bytes(), "text-node");
    assert!(page["text"].as_str().unwrap().len() > 9_000_000);
}

#[test]
fn an_empty_page() {
    assert!(answer(b"", "empty")["warnings"].to_string().contains("no_content"));
}

#[test]
fn random_bytes() {
    // xorshift64, so that every run sees the same bytes.
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    let bytes: Vec<u8> = (0..1_000_000).map(|_| random()).collect();
    let run = run(&bytes, "random");
    assert!(run.status == Some(0) || run.stderr.starts_with("maintext: "), "{run:?}");
}
