//! What hostile input is made of: pieces of markup, repeated to a size in bytes.
#![allow(dead_code)]

use std::fmt::Write;

/// `piece` over and over.
pub fn repeat(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len() + 1)
}

/// `piece` with each `#` replaced by a number that counts up.
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
