//! Words drawn from the n-gram models of lingua: probabilities of runs of one to five letters within words, counted in a million sentences per
//! language.
use crate::random::Random;
use fst::{Map, Streamer};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;

/// Longest drawn word in characters.
const MAX_WORD_CHARS: usize = 30;
/// Bits of a character in a [`Gram`].
const BITS: u32 = 21;

/// Up to five characters, the last one in the lowest bits.
type Gram = u128;
type Table<V> = HashMap<Gram, V, BuildHasherDefault<Multiply>>;

/// Hashes n-grams; SipHash takes most of the time otherwise.
#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn write_u128(&mut self, n: u128) {
        let mixed = ((n as u64) ^ ((n >> 64) as u64).rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

fn gram(chars: &[char]) -> Gram {
    chars.iter().fold(0, |gram, c| (gram << BITS) | u128::from(*c as u32))
}

/// The knowledge of a model about words.
#[derive(Default)]
struct Chain {
    /// Words of up to three letters and the starts of longer ones, with cumulated frequencies.
    starts: Vec<(f64, Vec<char>)>,
    /// How often a run of four letters occurs, and the range of its followers.
    runs: Table<(f64, usize, usize)>,
    /// Letters that follow the runs, with the frequencies of the runs of five.
    followers: Vec<(char, f64)>,
}

impl Chain {
    /// Reads a model. What continues a run less often than the run occurs is its share of ends of words, and likewise of starts.
    fn new(map: &Map<Vec<u8>>) -> Self {
        let mut chain = Chain::default();
        let mut short = Table::<f64>::default();
        let mut starts = Table::<f64>::default();
        let mut order = Vec::<Vec<char>>::new();
        // Keys come sorted, so that the prefixes of a key come before it.
        let mut prefixes = [1.0f64; 6];
        let mut stream = map.stream();
        while let Some((key, value)) = stream.next() {
            let chars: Vec<char> = String::from_utf8_lossy(key).chars().collect();
            let n = chars.len();
            if !(1..=5).contains(&n) {
                continue;
            }
            let share = prefixes[n - 1] * libm::exp(f64::from_bits(value));
            prefixes[n] = share;
            let mut add = |part: &[char], sign: f64| {
                if (1..=3).contains(&part.len()) {
                    *short.entry(gram(part)).or_default() += sign * share;
                }
            };
            add(&chars, 1.0);
            add(&chars[1..], -1.0);
            add(&chars[..n - 1], -1.0);
            if n > 2 {
                add(&chars[1..n - 1], 1.0);
            }
            match n {
                5 => {
                    *starts.entry(gram(&chars[1..])).or_default() -= share;
                    let end = chain.followers.len() + 1;
                    chain.runs.entry(gram(&chars[..4])).or_insert((0.0, end - 1, end)).2 = end;
                    chain.followers.push((chars[4], share));
                }
                4 => {
                    *starts.entry(gram(&chars)).or_default() += share;
                    let start = chain.followers.len();
                    chain.runs.insert(gram(&chars), (share, start, start));
                    order.push(chars);
                }
                _ => order.push(chars),
            }
        }
        let mut sum = 0.0;
        for chars in order {
            let share = match chars.len() {
                4 => starts[&gram(&chars)],
                _ => short[&gram(&chars)],
            };
            if share > 0.0 {
                sum += share;
                chain.starts.push((sum, chars));
            }
        }
        chain
    }

    fn word(&self, random: &mut Random) -> Vec<char> {
        let at = random.share() * self.starts.last().map_or(0.0, |s| s.0);
        let start = self.starts.partition_point(|s| s.0 <= at).min(self.starts.len() - 1);
        let mut word = self.starts[start].1.clone();
        while word.len() >= 4 && word.len() < MAX_WORD_CHARS {
            let Some((share, start, end)) = self.runs.get(&gram(&word[word.len() - 4..])) else { break };
            let mut at = random.share() * share;
            let follower = self.followers[*start..*end].iter().find(|(_, share)| {
                at -= share;
                at < 0.0
            });
            let Some((c, _)) = follower else { break };
            word.push(*c);
        }
        word
    }
}

/// Draws words as they occur in text.
pub fn words(folder: &Path, count: usize, random: &mut Random) -> Result<Vec<Vec<char>>, String> {
    let path = folder.join("models/ngrams.fst");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let chain = Chain::new(&Map::new(bytes).map_err(|e| format!("{}: {e}", path.display()))?);
    if chain.starts.is_empty() {
        return Err(format!("{}: no n-grams", path.display()));
    }
    Ok((0..count).map(|_| chain.word(random)).collect())
}
