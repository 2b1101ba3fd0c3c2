//! Hashes that share pages and sites out, the same in every run and on every machine.

/// FNV-1a of a name and a seed. Of short names only the lower bits differ.
pub(crate) fn fnv(name: &str, seed: u64) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325u64 ^ seed, |h, b| (h ^ b as u64).wrapping_mul(0x0100_0000_01b3))
}

/// The same, stirred: names that differ in a letter are far apart.
pub(crate) fn stirred(name: &str, seed: u64) -> u64 {
    let h = fnv(name, seed);
    (h ^ (h >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}
