//! Finds duplicates among the texts of a run: identical texts, or near duplicates by MinHash.
//!
//! MinHash follows Broder, "On the resemblance and containment of documents" (1997), with banding: the five-word shingles of a text are
//! hashed 112 times, and two texts count as duplicates if all eight minima in one of 14 bands agree. Texts with a Jaccard similarity of
//! 0.8 are found with a probability of 0.92, texts with 0.5 with a probability of 0.05. The parameters are FineWeb's.
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use twox_hash::{XxHash3_64, XxHash3_128};

/// Number of words in a shingle.
const SHINGLE: usize = 5;
/// Number of bands in a signature.
const BANDS: usize = 14;
/// Number of minima in a band.
const ROWS: usize = 8;

/// Which texts count as duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dedup {
    /// Texts that are equal except for white space.
    Exact,
    /// Texts that share most of their shingles.
    MinHash,
}

/// The stored keys of a text: one for each way in which another text can match it.
pub type Signature = Vec<u64>;

impl Dedup {
    /// Returns the signature of a text, or `None` for a text without words, which is never a duplicate.
    #[must_use]
    pub fn signature(self, text: &str) -> Option<Signature> {
        let words = words(text);
        if words.is_empty() {
            return None;
        }
        Some(match self {
            Dedup::Exact => {
                let key = XxHash3_128::oneshot(words.join(" ").as_bytes());
                vec![key as u64, (key >> 64) as u64]
            }
            Dedup::MinHash => bands(&words),
        })
    }

    /// Returns the number of keys in a signature.
    #[must_use]
    pub fn keys(self) -> usize {
        match self {
            Dedup::Exact => 2,
            Dedup::MinHash => BANDS,
        }
    }
}

/// Returns the words of a text. In scripts without spaces, each character counts as a word.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for run in text.split_whitespace() {
        let mut start = 0;
        for (at, c) in run.char_indices() {
            if is_ideograph(c) {
                words.extend(run.get(start..at).filter(|w| !w.is_empty()));
                start = at + c.len_utf8();
                words.extend(run.get(at..start));
            }
        }
        words.extend(run.get(start..).filter(|w| !w.is_empty()));
    }
    words
}

/// Whether a character is kana or an ideograph of Chinese, Japanese or Korean.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn bands(words: &[&str]) -> Signature {
    let mut minima = [u64::MAX; BANDS * ROWS];
    for shingle in words.windows(SHINGLE.min(words.len())) {
        let mut hash = 0;
        for word in shingle {
            hash = XxHash3_64::oneshot_with_seed(hash, word.as_bytes());
        }
        for (i, minimum) in minima.iter_mut().enumerate() {
            *minimum = (*minimum).min(mix(hash, i as u64));
        }
    }
    minima
        .chunks_exact(ROWS)
        .enumerate()
        .map(|(number, rows)| {
            let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).chain([number as u8]).collect();
            XxHash3_64::oneshot(&bytes)
        })
        .collect()
}

/// Hashes a value with one of a family of functions: splitmix64 over the value and the function's number.
fn mix(value: u64, number: u64) -> u64 {
    let mut z = value.wrapping_add((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hasher that returns keys unchanged, because they are hashes already.
#[derive(Default, Clone, Copy)]
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = XxHash3_64::oneshot(bytes);
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

/// The signatures seen so far. Takes about 20 bytes per text for [`Dedup::Exact`] and 180 for [`Dedup::MinHash`].
#[derive(Debug)]
pub struct SeenSignatures {
    dedup: Dedup,
    keys: HashSet<u64, BuildHasherDefault<IdentityHasher>>,
    wide: HashSet<u128, BuildHasherDefault<IdentityHasher>>,
}

impl SeenSignatures {
    /// Creates an empty set.
    #[must_use]
    pub fn new(dedup: Dedup) -> SeenSignatures {
        SeenSignatures { dedup, keys: HashSet::default(), wide: HashSet::default() }
    }

    /// Adds a text and returns whether it is new. Duplicates are not added, so that a chain of small changes does not make
    /// everything a duplicate.
    pub fn insert(&mut self, signature: &[u64]) -> bool {
        match (self.dedup, signature) {
            (Dedup::Exact, [low, high, ..]) => self.wide.insert(u128::from(*low) | u128::from(*high) << 64),
            (Dedup::Exact, _) => true,
            (Dedup::MinHash, keys) => {
                let new = !keys.iter().any(|key| self.keys.contains(key));
                if new {
                    self.keys.extend(keys);
                }
                new
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: impl Iterator<Item = usize>) -> String {
        words.map(|i| format!("word{} ", mix(i as u64, 7) % 5000)).collect()
    }

    fn is_new(seen: &mut SeenSignatures, text: &str) -> bool {
        let signature = seen.dedup.signature(text).unwrap();
        assert_eq!(signature.len(), seen.dedup.keys());
        seen.insert(&signature)
    }

    #[test]
    fn texts_that_differ_in_white_space_only_are_duplicates() {
        let mut seen = SeenSignatures::new(Dedup::Exact);
        assert!(is_new(&mut seen, "a b\nc"));
        assert!(!is_new(&mut seen, " a  b c "));
        assert!(is_new(&mut seen, "a bc"));
        assert!(is_new(&mut seen, "水が 流れる") && !is_new(&mut seen, "水が\n流れる"));
        assert_eq!(Dedup::Exact.signature(" \n"), None);
    }

    #[test]
    fn signatures_are_the_same_on_every_machine_and_version() {
        let text = "Two herons stood at the pond for an hour.";
        assert_eq!(Dedup::Exact.signature(text).unwrap(), [0x8f2dc919a0b260cd, 0xd9bbbf449ed98569]);
        assert_eq!(Dedup::MinHash.signature(text).unwrap()[..2], [0xc8a1007d41591244, 0xf13574b96f8c6bf6]);
    }

    #[test]
    fn minhash_finds_near_duplicates() {
        let mut seen = SeenSignatures::new(Dedup::MinHash);
        assert!(is_new(&mut seen, &text(0..400)));
        // One changed word affects 5 of 396 shingles.
        assert!(!is_new(&mut seen, &text((0..400).map(|i| if i == 100 { 99_999 } else { i }))));
        assert!(!is_new(&mut seen, &text(3..400)));
        // A text that shares only half of its shingles is new.
        assert!(is_new(&mut seen, &text(200..600)));
        assert!(is_new(&mut seen, "short text") && !is_new(&mut seen, "short text"));
    }

    #[test]
    fn texts_without_spaces_have_shingles_too() {
        let mut seen = SeenSignatures::new(Dedup::MinHash);
        let sentence =
            |from: u32| (from..from + 200).filter_map(|i| char::from_u32(0x4e00 + i * 31 % 3000)).collect::<String>();
        assert!(is_new(&mut seen, &sentence(0)));
        assert!(!is_new(&mut seen, &format!("{}。", sentence(0))));
        assert!(is_new(&mut seen, &sentence(5000)));
    }
}
