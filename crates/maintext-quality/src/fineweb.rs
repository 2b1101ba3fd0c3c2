//! FineWeb's own rules: Penedo et al. 2024, "The FineWeb Datasets", section 3.6 (<https://arxiv.org/abs/2406.17557>), with the
//! definitions of datatrove 0.10.1.
use crate::report::Report;
use crate::words::{duplicates, is_space};

/// Parameters of `fineweb`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FineWeb {
    /// Minimum share of lines that end with a terminal mark.
    pub min_ended_lines: f64,
    /// Maximum share of short lines.
    pub max_short_lines: f64,
    /// Characters of a line that is still short.
    pub short_line: usize,
    /// Maximum share of characters in repeated lines.
    pub max_duplicate_characters: f64,
    /// Maximum number of line feeds per word.
    pub max_newlines_per_word: f64,
}

impl Default for FineWeb {
    fn default() -> FineWeb {
        FineWeb {
            min_ended_lines: 0.12,
            max_short_lines: 0.67,
            short_line: 30,
            max_duplicate_characters: 0.01,
            max_newlines_per_word: 0.3,
        }
    }
}

impl FineWeb {
    pub(crate) fn check(&self, text: &str, words: &[&str], report: &mut Report) {
        let lines: Vec<&str> = text.split('\n').filter(|l| !l.chars().all(is_space)).collect();
        if lines.is_empty() {
            return report.below("fineweb.empty", 0.0, 1.0);
        }
        let n = lines.len() as f64;
        let ended = lines.iter().filter(|l| l.chars().next_back().is_some_and(is_stop)).count();
        report.below("fineweb.ended_lines", ended as f64 / n, self.min_ended_lines);
        let short = lines.iter().filter(|l| l.chars().take(self.short_line + 1).count() <= self.short_line).count();
        report.above("fineweb.short_lines", short as f64 / n, self.max_short_lines);
        let characters = text.chars().filter(|c| *c != '\n').count();
        report.above(
            "fineweb.duplicate_characters",
            duplicates(&lines).1 as f64 / characters as f64,
            self.max_duplicate_characters,
        );
        let feeds = text.matches('\n').count() as f64;
        report.above("fineweb.newlines_per_word", feeds / words.len().max(1) as f64, self.max_newlines_per_word);
    }
}

/// Whether a character ends a sentence in any script: Unicode's property Sentence_Terminal as datatrove lists it.
pub(crate) fn is_stop(c: char) -> bool {
    matches!(
            c,
            '\u{21}' | '\u{2e}' | '\u{3f}' | '\u{589}' | '\u{61d}'..='\u{61f}' | '\u{6d4}' | '\u{700}'..='\u{702}' | '\u{7f9}' |
    '\u{837}' | '\u{839}' | '\u{83d}'..='\u{83e}' | '\u{964}'..='\u{965}' | '\u{104a}'..='\u{104b}' | '\u{1362}' |
    '\u{1367}'..='\u{1368}' | '\u{166e}' | '\u{1735}'..='\u{1736}' | '\u{17d4}'..='\u{17d6}' | '\u{17d9}'..='\u{17da}' |
    '\u{1803}' | '\u{1809}' | '\u{1944}'..='\u{1945}' | '\u{1aa8}'..='\u{1aab}' | '\u{1b5a}'..='\u{1b5b}' |
    '\u{1b5e}'..='\u{1b5f}' | '\u{1b7d}'..='\u{1b7e}' | '\u{1c3b}'..='\u{1c3c}' | '\u{1c7e}'..='\u{1c7f}' |
    '\u{203c}'..='\u{203d}' | '\u{2047}'..='\u{2049}' | '\u{2e2e}' | '\u{2e3c}' | '\u{2e53}'..='\u{2e54}' | '\u{3002}' |
    '\u{a4ff}' | '\u{a60e}'..='\u{a60f}' | '\u{a6f3}' | '\u{a6f7}' | '\u{a876}'..='\u{a877}' | '\u{a8ce}'..='\u{a8cf}' |
    '\u{a92f}' | '\u{a9c8}'..='\u{a9c9}' | '\u{aa5d}'..='\u{aa5f}' | '\u{aaf0}'..='\u{aaf1}' | '\u{abeb}' | '\u{fe52}' |
    '\u{fe56}'..='\u{fe57}' | '\u{ff01}' | '\u{ff0e}' | '\u{ff1f}' | '\u{ff61}' | '\u{10a56}'..='\u{10a57}' |
    '\u{10f55}'..='\u{10f59}' | '\u{10f86}'..='\u{10f89}' | '\u{11047}'..='\u{11048}' | '\u{110be}'..='\u{110c1}' |
    '\u{11141}'..='\u{11143}' | '\u{111c5}'..='\u{111c6}' | '\u{111cd}' | '\u{111de}'..='\u{111df}' |
    '\u{11238}'..='\u{11239}' | '\u{1123b}'..='\u{1123c}' | '\u{112a9}' | '\u{1144b}'..='\u{1144c}' |
    '\u{115c2}'..='\u{115c3}' | '\u{115c9}'..='\u{115d7}' | '\u{11641}'..='\u{11642}' | '\u{1173c}'..='\u{1173e}' |
    '\u{11944}' | '\u{11946}' | '\u{11a42}'..='\u{11a43}' | '\u{11a9b}'..='\u{11a9c}' | '\u{11c41}'..='\u{11c42}' |
    '\u{11ef7}'..='\u{11ef8}' | '\u{11f43}'..='\u{11f44}' | '\u{16a6e}'..='\u{16a6f}' | '\u{16af5}' |
    '\u{16b37}'..='\u{16b38}' | '\u{16b44}' | '\u{16e98}' | '\u{1bc9f}' | '\u{1da88}'
        )
}
