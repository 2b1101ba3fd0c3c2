//! Month names of 45 languages, in the forms used in dates: nominative, genitive, abbreviated.
use maintext_page::hash::HashMap;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Lines of a language and its twelve months, forms separated by `/`.
const MONTHS: &[&str] = lexicon!("months.txt");

/// Months of the Persian solar calendar.
const JALALI: &[&str] =
    &["فروردین", "اردیبهشت", "خرداد", "تیر", "مرداد", "شهریور", "مهر", "آبان", "آذر", "دی", "بهمن", "اسفند"];

/// All forms, each with its months and their languages (indices of [`MONTHS`]).
static FORMS: LazyLock<HashMap<&str, Vec<(u8, u8)>>> = LazyLock::new(|| {
    let mut forms: HashMap<&str, Vec<(u8, u8)>> = HashMap::default();
    for (l, line) in MONTHS.iter().enumerate() {
        for (m, alternatives) in line.split(' ').enumerate().skip(1) {
            alternatives.split('/').for_each(|form| forms.entry(form).or_default().push((m as u8, l as u8)));
        }
    }
    forms
});

/// For each first byte, the lengths in bytes of the months that begin with it, as bits.
static LENGTHS: LazyLock<[u64; 256]> = LazyLock::new(|| {
    let mut out = [0; 256];
    for word in FORMS.keys().filter(|w| w.len() < 64) {
        out[word.bytes().next().unwrap_or(0) as usize] |= 1 << word.len();
    }
    out
});

/// The first bytes of months of two words.
static TWO_WORDS: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut out = [false; 256];
    for word in FORMS.keys().filter(|w| w.contains('-')) {
        out[word.as_bytes()[0] as usize] = true;
    }
    out
});

/// Returns whether a lower-case word may be the first of a two-word month.
pub fn may_begin_two(word: &str) -> bool {
    word.bytes().next().is_some_and(|first| TWO_WORDS[first as usize])
}

/// Returns whether a word in any case may be a month or its first word; rejects most words without lower-casing them.
pub fn may_be_month(word: &str) -> bool {
    if !word.is_ascii() {
        return true;
    }
    let first = word.bytes().next().unwrap_or(0).to_ascii_lowercase() as usize;
    (word.len() < 64 && LENGTHS[first] >> word.len() & 1 == 1) || TWO_WORDS[first]
}

/// Returns the month of a lower-case word, 1 to 12. Where languages differ (`listopad`), the BCP 47 tag `language` decides; if it does not,
/// the meaning in most languages wins.
pub fn month(word: &str, language: &str) -> Option<u8> {
    // First byte and length rule out nearly every word.
    let lengths = word.bytes().next().map_or(0, |first| LENGTHS[first as usize]);
    if word.len() >= 64 || lengths >> word.len() & 1 == 0 {
        return None;
    }
    let same = FORMS.get(word)?;
    let first = same.first()?.0;
    if same.iter().all(|f| f.0 == first) {
        return Some(first);
    }
    let primary = language.split(['-', '_']).next().unwrap_or("");
    let own = same.iter().find(|f| MONTHS[f.1 as usize].split(' ').next() == Some(primary));
    own.map(|f| f.0).or_else(|| (1..=12).max_by_key(|m| (same.iter().filter(|f| f.0 == *m).count(), 12 - m)))
}

/// Returns the month of the Persian calendar that a word names, 1 to 12.
pub fn jalali_month(word: &str) -> Option<u8> {
    JALALI.iter().position(|m| *m == word).map(|m| m as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_twelve_months() {
        assert!(MONTHS.len() >= 40);
        for line in MONTHS {
            assert_eq!(line.split(' ').count(), 13, "{line}");
        }
    }

    #[test]
    fn the_language_decides_between_meanings() {
        assert_eq!(month("listopada", "hr-HR"), Some(10));
        assert_eq!(month("listopada", "pl"), Some(11));
        assert_eq!(month("august", "xx"), Some(8));
        assert_eq!(month("monday", "en"), None);
    }
}
