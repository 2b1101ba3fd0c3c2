//! Builds hostile input: pieces of markup, repeated up to a size in bytes.
#![allow(dead_code)]

use std::fmt::Write;

/// Repeats `piece`.
pub fn repeat(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len() + 1)
}

/// Repeats `piece` with each `#` replaced by an increasing number.
pub fn numbered(piece: &str, size: usize) -> String {
    let mut out = String::with_capacity(size + 64);
    let mut number = 0;
    while out.len() < size {
        let mut parts = piece.split('#');
        out.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let _ = write!(out, "{number}{part}");
        }
        number += 1;
    }
    out
}
