//! The language of one text.
use crate::languages::{GROUPS, SINGLE};
use crate::words::{BITS, grams, words};
use unicode_script::Script;

/// Numbers of a vector.
const VECTOR_LENGTH: usize = 32;
const BUCKETS: usize = 1 << BITS;
/// Bytes of a vector: its first half in the low four bits, the second in the high ones, each an odd number from -15 to 15.
const ROW: usize = VECTOR_LENGTH / 2;
/// The vectors of the buckets of n-grams, then their scale, and per language 32 weights and a bias.
static MODEL: &[u8] = include_bytes!("../models/language.bin");
/// Maximum number of languages of one script.
const MAX_LANGUAGES: usize = 128;
/// Han, kana and Hangul write in one character what other scripts write in two or three.
const DENSE_WEIGHT: usize = 3;
/// Japanese text has at least one kana in this many letters.
const MAX_LETTERS_PER_KANA: usize = 20;

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detected {
    /// The language as a BCP 47 tag without a script, such as `de` or `haw`. `no` stands for Bokmål.
    pub language: &'static str,
    /// The ISO 15924 code of the script, such as `Latn`; of Chinese `Hans` or `Hant`, of Japanese `Jpan`, of Korean `Kore`.
    pub script: &'static str,
    /// The probability that the language is right, if it is one of [`languages`]; from 0 to 1.
    pub score: f32,
}

/// Returns the language of most of a text, or `None` for a text without letters of a known script. The time is linear in the text, so the
/// first few thousand characters of a long one are enough.
pub fn detect(text: &str) -> Option<Detected> {
    let mut scripts = ScriptLetters::default();
    words(text, |word, script| scripts.add(script, word.len()));
    let script = scripts.largest()?;
    let others = scripts.share_of_others(script);
    if let Some((language, code)) = alone(script, &scripts) {
        return Some(Detected { language, script: code, score: 1.0 - others / 2.0 });
    }
    let (group, first) = group(script)?;
    let mut sums = [0i32; VECTOR_LENGTH];
    let mut count = 0u32;
    words(text, |word, of| {
        if of == script && count < u32::MAX / 256 {
            grams(word, |bucket| {
                count += 1;
                let (low, high) = sums.split_at_mut(ROW);
                let row = &MODEL[bucket * ROW..][..ROW];
                for ((l, h), byte) in low.iter_mut().zip(high).zip(row) {
                    *l += i32::from(byte & 15) * 2 - 15;
                    *h += i32::from(byte >> 4) * 2 - 15;
                }
            });
        }
    });
    let (best, score) = judge(&sums, count, first, group.languages.len());
    let tag = group.languages[best];
    let (language, code) = named(tag, script);
    Some(Detected { language, script: code, score: score * (1.0 - others / 2.0) })
}

/// Returns the tags of all languages and the scripts in which they are detected.
pub fn languages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let groups = GROUPS.iter().flat_map(|g| g.languages.iter().map(move |tag| named(tag, g.script)));
    let single = SINGLE.iter().filter(|s| !matches!(s.0, Script::Hiragana | Script::Katakana));
    groups.chain(single.map(|(script, tag)| named(tag, *script)))
}

/// Returns the language of a tag and the code of its script.
fn named(tag: &'static str, script: Script) -> (&'static str, &'static str) {
    match (tag.split_once('-'), script, tag) {
        (Some(pair), ..) => pair,
        (None, Script::Han | Script::Hiragana | Script::Katakana, "ja") => (tag, "Jpan"),
        (None, Script::Han, _) => (tag, "Hant"),
        (None, Script::Hangul, _) => (tag, "Kore"),
        (None, ..) => (tag, script.short_name()),
    }
}

/// Letters by script.
#[derive(Default)]
struct ScriptLetters {
    counts: Vec<(Script, usize)>,
}

impl ScriptLetters {
    fn add(&mut self, script: Script, letters: usize) {
        let weight = if matches!(script, Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul) {
            DENSE_WEIGHT
        } else {
            1
        };
        match self.counts.iter_mut().find(|c| c.0 == script) {
            Some(count) => count.1 += letters * weight,
            None => self.counts.push((script, letters * weight)),
        }
    }

    fn of(&self, script: Script) -> usize {
        self.counts.iter().find(|c| c.0 == script).map_or(0, |c| c.1)
    }

    fn kana(&self) -> usize {
        self.of(Script::Hiragana) + self.of(Script::Katakana)
    }

    fn total(&self) -> usize {
        self.counts.iter().map(|c| c.1).sum()
    }

    /// Returns the script of most letters, among the scripts of known languages; kana and Han count as one, Han.
    fn largest(&self) -> Option<Script> {
        let (script, count) = self
            .counts
            .iter()
            .filter(|c| group(c.0).is_some() || SINGLE.iter().any(|(of, _)| *of == c.0))
            .max_by_key(|c| c.1)?;
        let japanese = self.of(Script::Han) + self.kana();
        Some(if japanese >= *count && japanese > 0 { Script::Han } else { *script })
    }

    /// Returns the share of letters in other scripts.
    fn share_of_others(&self, script: Script) -> f32 {
        let own = self.of(script) + if script == Script::Han { self.kana() } else { 0 };
        1.0 - own as f32 / self.total() as f32
    }
}

/// Returns the language and the code of a script that one language uses.
fn alone(script: Script, scripts: &ScriptLetters) -> Option<(&'static str, &'static str)> {
    let kana = scripts.kana();
    if script == Script::Han && kana > 0 && kana * MAX_LETTERS_PER_KANA >= scripts.of(Script::Han) + kana {
        return Some(("ja", "Jpan"));
    }
    let (_, language) = SINGLE.iter().find(|s| s.0 == script)?;
    Some((language, if script == Script::Hangul { "Kore" } else { script.short_name() }))
}

/// Returns the group of a script, and the number of its first language among the model's outputs.
fn group(script: Script) -> Option<(&'static crate::languages::LanguageGroup, usize)> {
    let mut first = 0;
    for group in GROUPS {
        if group.script == script {
            return Some((group, first));
        }
        first += group.languages.len();
    }
    None
}

/// Returns the best language of a group by the sums of the vectors of `count` n-grams, and its probability.
fn judge(sums: &[i32; VECTOR_LENGTH], count: u32, first: usize, languages: usize) -> (usize, f32) {
    let scale = number(BUCKETS * ROW) / (count.max(1) as f32).sqrt();
    let start = BUCKETS * ROW + 4 + first * (VECTOR_LENGTH + 1) * 4;
    let mut logits = [f32::MIN; MAX_LANGUAGES];
    for (language, logit) in logits[..languages].iter_mut().enumerate() {
        let at = start + language * (VECTOR_LENGTH + 1) * 4;
        let sum: f32 = sums.iter().enumerate().map(|(i, s)| number(at + i * 4) * *s as f32).sum();
        *logit = sum * scale + number(at + VECTOR_LENGTH * 4);
    }
    let (mut best, mut largest) = (0, f32::MIN);
    for (i, z) in logits[..languages].iter().enumerate() {
        if *z > largest {
            (best, largest) = (i, *z);
        }
    }
    let total: f32 = logits[..languages].iter().map(|z| libm::expf(z - largest)).sum();
    (best, 1.0 / total)
}

fn number(at: usize) -> f32 {
    f32::from_le_bytes([0, 1, 2, 3].map(|i| MODEL[at + i]))
}
