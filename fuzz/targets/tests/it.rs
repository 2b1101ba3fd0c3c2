//! Runs each target on the committed inputs, and on damaged copies of them. `cargo xtask fuzz` looks for new ones.
use maintext_fuzz_targets::TARGETS;
use std::path::{Path, PathBuf};

/// Damaged copies of each input.
const COPIES: usize = 8;

/// The longest input, as in `cargo xtask fuzz`.
const LONGEST: usize = 16_384;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns the inputs of a target: seeds of its own, or else small pages.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = fuzz.join("seeds").join(target);
    let folders = if own.is_dir() { vec![own] } else { vec![fuzz.join("seeds/html"), fuzz.join("../testdata/small")] };
    let found: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).filter(|path| path.is_file()).collect();
    assert!(found.len() >= 3, "{target}: {} inputs", found.len());
    found.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Returns a copy with changed, duplicated and lost bytes, the same in every run.
fn damaged(input: &[u8], seed: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed as u64 + 1);
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % n.max(1)
    };
    let mut copy = input[..input.len().min(LONGEST)].to_vec();
    for _ in 0..1 + below(8) {
        let (at, to) = (below(copy.len()), below(copy.len()));
        let (at, to) = (at.min(to), at.max(to).min(at.min(to) + 64));
        match below(3) {
            0 if at < copy.len() => copy[at] = below(256) as u8,
            1 => _ = copy.drain(at..to),
            _ => {
                let part = copy[at..to].to_vec();
                copy.splice(at..at, part);
            }
        }
    }
    copy
}

#[test]
fn every_target_holds_on_its_inputs_and_on_damaged_ones() {
    for (name, run) in TARGETS {
        for (number, input) in inputs(name).iter().enumerate() {
            run(&input[..input.len().min(LONGEST)]);
            for copy in 0..COPIES {
                run(&damaged(input, number * COPIES + copy));
            }
        }
    }
}
