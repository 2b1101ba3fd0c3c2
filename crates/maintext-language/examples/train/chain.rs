//! Words drawn from the n-gram models of lingua: shares of runs of one to five letters within words, from a million sentences per language.
use crate::random::Random;
use fst::{IntoStreamer, Map, Streamer};
use std::collections::HashMap;
use std::path::Path;

/// Longest drawn word in characters.
const LONGEST: usize = 30;

/// Frequencies of n-grams: how often one occurs per letter of text.
struct Shares(HashMap<Box<str>, f64>);

impl Shares {
    fn get(&self, gram: &str) -> f64 {
        self.0.get(gram).copied().unwrap_or(0.0)
    }

    /// Reads a model. It stores the logarithm of the probability of an n-gram's last letter after the others.
    fn read(map: &Map<Vec<u8>>) -> (Self, Vec<String>) {
        let mut keys = Vec::new();
        let mut logs = HashMap::new();
        let mut stream = map.into_stream();
        while let Some((key, value)) = stream.next() {
            let key = String::from_utf8_lossy(key).into_owned();
            logs.insert(key.clone(), f64::from_bits(value));
            keys.push(key);
        }
        let joint = |key: &str| {
            let ends = key.char_indices().skip(1).map(|(i, _)| i).chain([key.len()]);
            let sum: Option<f64> = ends.map(|end| logs.get(&key[..end])).sum();
            sum.map_or(0.0, libm::exp)
        };
        let shares = keys.iter().map(|k| (k.as_str().into(), joint(k))).collect();
        (Self(shares), keys)
    }
}

/// Draws words as they occur in text. A model counts runs within words and not words, but what continues a run less often than the run occurs
/// is its share of ends of words, and likewise of starts.
pub fn words(folder: &Path, count: usize, random: &mut Random) -> Result<Vec<String>, String> {
    let path = folder.join("models/ngrams.fst");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let map = Map::new(bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    let (shares, keys) = Shares::read(&map);
    let mut starts = HashMap::<&str, f64>::new();
    let mut inside = HashMap::<&str, f64>::new();
    let mut next = HashMap::<&str, Vec<(char, f64)>>::new();
    for key in &keys {
        let share = shares.get(key);
        let chars = key.chars().count();
        *starts.entry(key).or_default() += share;
        *inside.entry(key).or_default() += share;
        if chars < 2 {
            continue;
        }
        let second = key.chars().next().map_or(0, char::len_utf8);
        let last = key.char_indices().next_back().map_or(0, |l| l.0);
        *starts.entry(&key[second..]).or_default() -= share;
        *inside.entry(&key[second..]).or_default() -= share;
        *inside.entry(&key[..last]).or_default() -= share;
        if chars > 2 {
            *inside.entry(&key[second..last]).or_default() += share;
        }
        if chars == 5 {
            next.entry(&key[..last]).or_default().push((key[last..].chars().next().unwrap_or(' '), share));
        }
    }
    // Whole words of up to three letters, and the first four letters of longer ones.
    let mut cumulated = Vec::new();
    let mut sum = 0.0;
    for key in &keys {
        let share = match key.chars().count() {
            1..=3 => inside[key.as_str()],
            4 => starts[key.as_str()],
            _ => continue,
        };
        if share > 0.0 {
            sum += share;
            cumulated.push((sum, key.as_str()));
        }
    }
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let at = random.share() * sum;
        let (_, first) = cumulated[cumulated.partition_point(|c| c.0 <= at).min(cumulated.len() - 1)];
        let mut word: Vec<char> = first.chars().collect();
        while word.len() >= 4 && word.len() < LONGEST {
            let tail: String = word[word.len() - 4..].iter().collect();
            let mut at = random.share() * shares.get(&tail);
            let follower = next.get(tail.as_str()).into_iter().flatten().find(|(_, share)| {
                at -= share;
                at < 0.0
            });
            match follower {
                Some((c, _)) => word.push(*c),
                None => break,
            }
        }
        out.push(word.into_iter().collect());
    }
    Ok(out)
}
