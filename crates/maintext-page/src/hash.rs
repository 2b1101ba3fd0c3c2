//! FNV-1a, the hash for all tables, features and checksums: short, fast on short keys, and the same on every machine; and the maps.

/// A map whose hash has a random seed, so that the author of a page cannot know which keys collide. On short keys it is faster than the
/// standard library's hash. Nothing may depend on the order of its items.
pub type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
/// A set with the hash of [`HashMap`].
pub type HashSet<K> = std::collections::HashSet<K, foldhash::fast::RandomState>;

/// Offset basis, 32 bits.
pub const FNV: u32 = 0x811c_9dc5;
/// Offset basis, 64 bits.
pub const FNV64: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME64: u64 = 0x0100_0000_01b3;

/// Returns the 32-bit hash after one more value.
#[inline]
pub fn fnv(hash: u32, value: u32) -> u32 {
    (hash ^ value).wrapping_mul(0x0100_0193)
}

/// Returns the 64-bit hash after one more byte.
#[inline]
pub const fn fnv64(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(PRIME64)
}

/// Returns the 32-bit hash of some bytes.
pub fn of(bytes: &[u8]) -> u32 {
    bytes.iter().fold(FNV, |hash, b| fnv(hash, u32::from(*b)))
}

/// Returns the 64-bit hash of some bytes.
// Inline, so that the crate that checks model files compiles it, which builds of tests optimise.
#[inline]
pub fn of64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(FNV64, |hash, b| fnv64(hash, *b))
}

#[cfg(test)]
mod tests {
    /// Test vectors of Fowler, Noll and Vo.
    #[test]
    fn hashes_equal_the_published_values() {
        assert_eq!((super::of(b""), super::of(b"a"), super::of(b"foobar")), (0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968));
        assert_eq!((super::of64(b"a"), super::of64(b"foobar")), (0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8));
    }
}
