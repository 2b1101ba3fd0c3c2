//! CulturaX's metrics by language: Nguyen et al. 2023 (<https://arxiv.org/abs/2309.09400>), section 2.3. The paper names the metrics and
//! takes them from the BigScience pipeline, but does not print its thresholds. The thresholds here are those that BigScience published for
//! OSCAR in ROOTS (Laurençon et al. 2022; `bigscience-workshop/data-preparation`, `parameters_filtering.py`). The stop words come from the
//! crate `stop-words` (stopwords-iso). Flagged words and perplexity need lists and models that are not part of this crate.
use crate::report::Report;
use crate::words::is_space;
use std::collections::{HashMap, HashSet};

const SPECIAL: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~’“”–▬…✦�£•€«»°·═×士＾˘⇓↓↑←→（）§″′´¿−±∈¢ø‚„½¼¾¹²³―⁃，ˌ¸‹›ʺ\
    ˈʻ¦‐⠀‰‑≤≥‖◆●■►▼▲▴∆▻¡★☆✱：。¯˜¥≈†：∼⁄♡✓⊕․．⋅÷；،、¨◦˚゜ʼ≖¤℃√！【】‿∞➤～☛➩☻٪♥《‘©﴿٬？▷♫∟™ª®「—❖」﴾》";

/// Parameters of `culturax` for one language.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct CulturaX {
    /// Minimum number of words.
    pub min_words: usize,
    /// Maximum number of words.
    pub max_words: usize,
    /// Length of the runs of characters that are counted.
    pub character_run: usize,
    /// Maximum share of the most frequent runs of characters.
    pub max_character_repetition: f64,
    /// Length of the runs of words that are counted.
    pub word_run: usize,
    /// Maximum share of repeated runs of words.
    pub max_word_repetition: f64,
    /// Maximum share of special characters, digits and spaces.
    pub max_special_characters: f64,
    /// Minimum share of stop words; checked only where the language has a list.
    pub min_stop_words: f64,
}

impl Default for CulturaX {
    /// Returns the parameters for languages without their own.
    fn default() -> CulturaX {
        CulturaX::for_language("")
    }
}

/// The languages with parameters of their own: words, runs of characters, their share, run of words, share, special characters, stop words.
type Row = (&'static str, usize, usize, f64, usize, f64, f64, f64);
const TABLE: [Row; 13] = [
    ("ar", 20, 10, 0.2, 5, 0.34, 0.3, 0.07),
    ("bn", 33, 10, 0.13, 5, 0.21, 0.45, 0.002),
    ("ca", 15, 10, 0.2, 5, 0.4, 0.25, 0.25),
    ("en", 20, 10, 0.106, 5, 0.19, 0.4, 0.3),
    ("es", 16, 10, 0.14, 5, 0.25, 0.34, 0.4),
    ("eu", 8, 10, 0.2, 5, 0.4, 0.31, 0.05),
    ("fr", 13, 10, 0.14, 5, 0.13, 0.34, 0.27),
    ("hi", 38, 10, 0.18, 5, 0.47, 0.45, 0.01),
    ("id", 15, 10, 0.15, 5, 0.2, 0.34, 0.15),
    ("pt", 19, 10, 0.25, 5, 0.98, 0.35, 0.2),
    ("ur", 25, 10, 0.19, 7, 0.5, 0.25, 0.01),
    ("vi", 30, 10, 0.15, 5, 0.2, 0.34, 0.08),
    ("zh", 1, 3, 0.2, 5, 0.96, 0.3, 0.1691),
];

impl CulturaX {
    /// Returns the published parameters for a language code such as `fr` or `fr-CA`, or the general ones.
    ///
    /// ```
    /// use maintext_quality::CulturaX;
    /// assert_eq!(CulturaX::for_language("es").min_stop_words, 0.4);
    /// assert_eq!(CulturaX::for_language("sw").min_words, 10);
    /// ```
    #[must_use]
    pub fn for_language(code: &str) -> CulturaX {
        let code = code.split(['-', '_']).next().unwrap_or_default();
        let row = TABLE.iter().find(|r| r.0 == code).unwrap_or(&("", 10, 10, 0.2, 5, 0.3, 0.4, 0.1));
        CulturaX {
            min_words: row.1,
            max_words: if row.0 == "zh" { 1_000_000 } else { 100_000 },
            character_run: row.2,
            max_character_repetition: row.3,
            word_run: row.4,
            max_word_repetition: row.5,
            max_special_characters: row.6,
            min_stop_words: row.7,
        }
    }

    pub(crate) fn check(&self, text: &str, code: &str, words: &[&str], report: &mut Report) {
        let code = code.split(['-', '_']).next().unwrap_or_default();
        // Chinese is cut into characters, other languages at spaces.
        let words: Vec<String> = match code {
            "zh" => words.iter().map(|w| w.trim_matches(special).to_lowercase()).filter(|w| !w.is_empty()).collect(),
            _ => {
                text.split(is_space).map(|w| w.trim_matches(special).to_lowercase()).filter(|w| !w.is_empty()).collect()
            }
        };
        report.below("culturax.words", words.len() as f64, self.min_words as f64);
        report.above("culturax.words", words.len() as f64, self.max_words as f64);
        let characters: Vec<char> = text.chars().collect();
        report.above(
            "culturax.character_repetition",
            character_repetition(&characters, self.character_run),
            self.max_character_repetition,
        );
        report.above("culturax.word_repetition", word_repetition(&words, self.word_run), self.max_word_repetition);
        let share = characters.iter().filter(|c| special(**c)).count() as f64 / characters.len().max(1) as f64;
        report.above("culturax.special_characters", share, self.max_special_characters);
        if let Some(list) = stop_words(code) {
            let list: HashSet<&str> = list.iter().copied().collect();
            let found = words.iter().filter(|w| list.contains(w.as_str())).count() as f64 / words.len().max(1) as f64;
            report.below("culturax.stop_words", found, self.min_stop_words);
        }
    }
}

/// Returns the stop words of a language that has a published bound.
fn stop_words(code: &str) -> Option<&'static [&'static str]> {
    use stop_words::{Language as L, get};
    Some(match code {
        "ar" => get(L::Arabic),
        "bn" => get(L::Bengali),
        "ca" => get(L::Catalan),
        "en" => get(L::English),
        "es" => get(L::Spanish),
        "eu" => get(L::Basque),
        "fr" => get(L::French),
        "hi" => get(L::Hindi),
        "id" => get(L::Indonesian),
        "pt" => get(L::Portuguese),
        "ur" => get(L::Urdu),
        "vi" => get(L::Vietnamese),
        _ => return None,
    })
}

fn special(c: char) -> bool {
    c.is_ascii_digit()
        || is_space(c)
        || SPECIAL.contains(c)
        || matches!(c, '\u{1f300}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}')
}

/// Returns the share of the √k most frequent of k runs of characters, of those that occur twice or more.
fn character_repetition(characters: &[char], run: usize) -> f64 {
    if characters.len() < run || run == 0 {
        return 0.0;
    }
    let mut counts: HashMap<&[char], usize> = HashMap::new();
    for window in characters.windows(run) {
        *counts.entry(window).or_default() += 1;
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let repeated = counts.iter().filter(|c| **c > 1).count();
    let top = (counts.len() as f64).sqrt() as usize;
    counts.iter().take(top.min(repeated)).sum::<usize>() as f64 / (characters.len() - run + 1) as f64
}

/// Returns the share of runs of words that occur twice or more.
fn word_repetition(words: &[String], run: usize) -> f64 {
    if words.len() < run || run == 0 {
        return 0.0;
    }
    let mut counts: HashMap<&[String], usize> = HashMap::new();
    for window in words.windows(run) {
        *counts.entry(window).or_default() += 1;
    }
    counts.values().filter(|c| **c > 1).sum::<usize>() as f64 / (words.len() - run + 1) as f64
}
