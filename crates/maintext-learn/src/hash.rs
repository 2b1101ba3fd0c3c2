//! Hashes that assign pages and sites to parts, the same in every run and on every machine.
use maintext_core::hash::{FNV64, fnv64};

/// Returns FNV-1a of a name and a seed. For short names only the lower bits differ.
pub fn fnv(name: &str, seed: u64) -> u64 {
    name.bytes().fold(FNV64 ^ seed, fnv64)
}

/// The same with better mixing, so that similar names get very different hashes.
pub fn stirred(name: &str, seed: u64) -> u64 {
    let h = fnv(name, seed);
    (h ^ (h >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}
