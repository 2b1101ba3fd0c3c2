//! Gopher's rules for quality and repetition: Rae et al. 2021, "Scaling Language Models", appendix A.1 and table A1
//! (<https://arxiv.org/abs/2112.11446>), with the definitions of datatrove 0.10.1.
use crate::report::Report;
use crate::words::{duplicates, is_space, lines};
use std::collections::{HashMap, HashSet};

/// The signs that datatrove does not count as words.
const SIGNS: &str = "!/—”:％１〈&(、━\\【#%「」，】；+^]~“《„';’{|∶´[=-`*．（–？！：$～«〉,><》)?）。…@_.\"}►»";

pub(crate) fn is_sign(c: char) -> bool {
    let control = c < ' ' && c != '\t' && c != '\n';
    control || SIGNS.contains(c) || crate::fineweb::is_stop(c) || ('\u{7f}'..'\u{a0}').contains(&c)
}

/// Parameters of `gopher-quality`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct GopherQuality {
    /// Minimum number of words, without signs.
    pub min_words: usize,
    /// Maximum number of words, without signs.
    pub max_words: usize,
    /// Minimum mean length of words, in characters.
    pub min_mean_word_length: f64,
    /// Maximum mean length of words, in characters.
    pub max_mean_word_length: f64,
    /// Maximum number of hashes, and of ellipses, per word.
    pub max_symbol_ratio: f64,
    /// Maximum share of lines that start with a bullet.
    pub max_bullet_lines: f64,
    /// Maximum share of lines that end with an ellipsis.
    pub max_ellipsis_lines: f64,
    /// Minimum share of words with a letter.
    pub min_alphabetic_words: f64,
    /// Minimum number of different stop words.
    pub min_stop_words: usize,
    /// The stop words.
    pub stop_words: Vec<String>,
}

impl Default for GopherQuality {
    fn default() -> GopherQuality {
        let stop_words = ["the", "be", "to", "of", "and", "that", "have", "with"].map(String::from).to_vec();
        GopherQuality {
            min_words: 50,
            max_words: 100_000,
            min_mean_word_length: 3.0,
            max_mean_word_length: 10.0,
            max_symbol_ratio: 0.1,
            max_bullet_lines: 0.9,
            max_ellipsis_lines: 0.3,
            min_alphabetic_words: 0.8,
            min_stop_words: 2,
            stop_words,
        }
    }
}

impl GopherQuality {
    pub(crate) fn check(&self, text: &str, words: &[&str], report: &mut Report) {
        let real: Vec<usize> =
            words.iter().filter(|w| w.chars().any(|c| !is_sign(c))).map(|w| w.chars().count()).collect();
        report.below("gopher.words", real.len() as f64, self.min_words as f64);
        report.above("gopher.words", real.len() as f64, self.max_words as f64);
        if words.is_empty() {
            return;
        }
        if !real.is_empty() {
            let mean = real.iter().sum::<usize>() as f64 / real.len() as f64;
            report.below("gopher.mean_word_length", mean, self.min_mean_word_length);
            report.above("gopher.mean_word_length", mean, self.max_mean_word_length);
        }
        let n = words.len() as f64;
        report.above("gopher.hashes", text.matches('#').count() as f64 / n, self.max_symbol_ratio);
        let ellipses = text.matches("...").count() + text.matches('…').count();
        report.above("gopher.ellipses", ellipses as f64 / n, self.max_symbol_ratio);
        let lines = lines(text);
        let share =
            |test: &dyn Fn(&str) -> bool| lines.iter().filter(|l| test(l)).count() as f64 / lines.len().max(1) as f64;
        report.above(
            "gopher.bullet_lines",
            share(&|l| l.trim_start_matches(is_space).starts_with(['•', '-'])),
            self.max_bullet_lines,
        );
        report.above(
            "gopher.ellipsis_lines",
            share(&|l| l.trim_end_matches(is_space).ends_with("...") || l.trim_end_matches(is_space).ends_with('…')),
            self.max_ellipsis_lines,
        );
        let letters = words.iter().filter(|w| w.chars().any(char::is_alphabetic)).count() as f64 / n;
        report.below("gopher.alphabetic_words", letters, self.min_alphabetic_words);
        let present: HashSet<&str> = words.iter().copied().collect();
        let stops = self.stop_words.iter().filter(|w| present.contains(w.as_str())).count();
        report.below("gopher.stop_words", stops as f64, self.min_stop_words as f64);
    }
}

/// Parameters of `gopher-repetition`. All values are maximum shares.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct GopherRepetition {
    /// Share of paragraphs that repeat an earlier one.
    pub duplicate_paragraphs: f64,
    /// Share of characters in such paragraphs.
    pub duplicate_paragraph_characters: f64,
    /// Share of lines that repeat an earlier one.
    pub duplicate_lines: f64,
    /// Share of characters in such lines.
    pub duplicate_line_characters: f64,
    /// Share of characters in the most frequent run of 2, 3 and 4 words.
    pub top_ngrams: [f64; 3],
    /// Share of characters in repeated runs of 5 to 10 words.
    pub duplicate_ngrams: [f64; 6],
}

impl Default for GopherRepetition {
    fn default() -> GopherRepetition {
        GopherRepetition {
            duplicate_paragraphs: 0.3,
            duplicate_paragraph_characters: 0.2,
            duplicate_lines: 0.3,
            duplicate_line_characters: 0.2,
            top_ngrams: [0.2, 0.18, 0.16],
            duplicate_ngrams: [0.15, 0.14, 0.13, 0.12, 0.11, 0.10],
        }
    }
}

const TOP: [&str; 3] = ["gopher.top_2_gram", "gopher.top_3_gram", "gopher.top_4_gram"];
const DUPLICATE: [&str; 6] = [
    "gopher.duplicate_5_grams",
    "gopher.duplicate_6_grams",
    "gopher.duplicate_7_grams",
    "gopher.duplicate_8_grams",
    "gopher.duplicate_9_grams",
    "gopher.duplicate_10_grams",
];

impl GopherRepetition {
    pub(crate) fn check(&self, text: &str, words: &[&str], report: &mut Report) {
        if text.is_empty() {
            return report.below("gopher.empty", 0.0, 1.0);
        }
        let length = text.chars().count() as f64;
        let paragraphs = runs(text.trim_matches(is_space), 2);
        let (number, characters) = duplicates(&paragraphs);
        report.above("gopher.duplicate_paragraphs", number as f64 / paragraphs.len() as f64, self.duplicate_paragraphs);
        report.above(
            "gopher.duplicate_paragraph_characters",
            characters as f64 / length,
            self.duplicate_paragraph_characters,
        );
        let lines = runs(text, 1);
        let (number, characters) = duplicates(&lines);
        report.above("gopher.duplicate_lines", number as f64 / lines.len() as f64, self.duplicate_lines);
        report.above("gopher.duplicate_line_characters", characters as f64 / length, self.duplicate_line_characters);
        self.ngrams(words, length, report);
    }

    /// Numbers the runs of n words by pairs of a run of n-1 words and the word after it: exact, and linear for each n.
    fn ngrams(&self, words: &[&str], length: f64, report: &mut Report) {
        let mut numbers: HashMap<&str, u32> = HashMap::with_capacity(words.len() / 2);
        let ids: Vec<u32> = words
            .iter()
            .map(|w| {
                let next = numbers.len() as u32;
                *numbers.entry(w).or_insert(next)
            })
            .collect();
        let mut ends = vec![0usize; words.len() + 1];
        for (i, word) in words.iter().enumerate() {
            ends[i + 1] = ends[i] + word.chars().count();
        }
        let mut runs = ids.clone();
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::with_capacity(words.len());
        for n in 2..=10 {
            if words.len() < n {
                break;
            }
            pairs.clear();
            let starts = words.len() - n + 1;
            for i in 0..starts {
                let next = pairs.len() as u32;
                runs[i] = *pairs.entry((runs[i], ids[i + n - 1])).or_insert(next);
            }
            runs.truncate(starts);
            if n <= 4 {
                // The first of the most frequent runs; its length counts the spaces between words.
                let mut counts = vec![(0usize, 0usize); pairs.len()];
                for (i, run) in runs.iter().enumerate() {
                    let entry = &mut counts[*run as usize];
                    *entry = if entry.0 == 0 { (1, i) } else { (entry.0 + 1, entry.1) };
                }
                let top = counts.iter().fold((0, 0), |best, c| if c.0 > best.0 { *c } else { best });
                let characters = (ends[top.1 + n] - ends[top.1] + n - 1) * top.0;
                report.above(TOP[n - 2], characters as f64 / length, self.top_ngrams[n - 2]);
            } else {
                let mut seen = vec![false; pairs.len()];
                let (mut i, mut characters) = (0, 0);
                while i < starts {
                    let seen = &mut seen[runs[i] as usize];
                    if *seen {
                        characters += ends[i + n] - ends[i];
                        i += n;
                    } else {
                        *seen = true;
                        i += 1;
                    }
                }
                report.above(DUPLICATE[n - 5], characters as f64 / length, self.duplicate_ngrams[n - 5]);
            }
        }
    }
}

/// Cuts a text at runs of at least `least` line feeds.
fn runs(text: &str, least: usize) -> Vec<&str> {
    let (mut out, mut start, mut i) = (Vec::new(), 0, 0);
    let bytes = text.as_bytes();
    while i < bytes.len() {
        let feeds = bytes[i..].iter().take_while(|b| **b == b'\n').count();
        if feeds >= least {
            out.push(&text[start..i]);
            start = i + feeds;
        }
        i += feeds.max(1);
    }
    out.push(&text[start..]);
    out
}
