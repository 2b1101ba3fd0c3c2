//! Searches for bytes: eight at a time in the short runs of typical markup, with SIMD (memchr) in long ones.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Returns a word whose lowest set high bit marks the first zero byte of `word`, or zero without one.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// Number of words to check before calling memchr, whose set-up costs as much as checking a few words.
const WORDS_BEFORE_MEMCHR: usize = 4;

/// The position of the first `a` or `b` at or after `from`, or the length.
#[inline]
pub(crate) fn find2(bytes: &[u8], from: usize, a: u8, b: u8) -> usize {
    let mut at = from;
    let (wide_a, wide_b) = (LOW * u64::from(a), LOW * u64::from(b));
    for _ in 0..WORDS_BEFORE_MEMCHR {
        let Some(chunk) = bytes.get(at..at + 8) else {
            return tail(bytes, at, a, b);
        };
        let word = u64::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7]]);
        let hit = zero_bytes(word ^ wide_a) | zero_bytes(word ^ wide_b);
        if hit != 0 {
            return at + hit.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    memchr::memchr2(a, b, &bytes[at..]).map_or(bytes.len(), |i| at + i)
}

#[cold]
fn tail(bytes: &[u8], from: usize, a: u8, b: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter().position(|&c| c == a || c == b).map_or(bytes.len(), |i| from + i)
}

/// The position of the first `a` at or after `from`, or the length.
#[inline]
pub(crate) fn find1(bytes: &[u8], from: usize, a: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    memchr::memchr(a, rest).map_or(bytes.len(), |i| from + i)
}

/// The position of the first carriage return or NUL at or after `from`, or the length.
#[inline]
pub(crate) fn find_special(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    memchr::memchr2(b'\r', 0, rest).map_or(bytes.len(), |i| from + i)
}

/// Whether a byte is white space for the tokenizer. A carriage return counts, because it is normalised to a line feed.
#[inline(always)]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}

/// For each byte its lower case, or zero if the byte ends a name or needs special treatment in it.
pub(crate) static TAG_BYTE: [u8; 256] = name_bytes(false);
/// Like [`TAG_BYTE`], for attribute names.
pub(crate) static ATTR_BYTE: [u8; 256] = name_bytes(true);

const fn name_bytes(attr: bool) -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut b = 1usize;
    while b < 256 {
        let byte = b as u8;
        let ends = matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C | b'/' | b'>') || (attr && byte == b'=');
        if !ends {
            table[b] = byte.to_ascii_lowercase();
        }
        b += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find2_agrees_with_a_simple_search_at_every_length() {
        let mut bytes = vec![b'x'; 100];
        for i in 0..100 {
            for from in 0..=i {
                bytes[i] = if i % 2 == 0 { b'<' } else { b'&' };
                assert_eq!(find2(&bytes, from, b'<', b'&'), i);
                bytes[i] = 0x80 | b'<';
                assert_eq!(find2(&bytes, from, b'<', b'&'), 100);
                bytes[i] = b'x';
            }
        }
    }
}
