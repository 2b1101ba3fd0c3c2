//! Scores an extraction against its ground truth.
//!
//! The text score is the one of WCXB: both texts are compared as bags of lower-cased words, with precision, recall and F1 averaged
//! over pages. [`Tokens::Words`] uses runs of letters, digits and `_`; [`Tokens::Cjk`] also treats each Kana, Han and Hangul
//! character as a word, so that Chinese and Japanese pages are not compared by whole sentences.
use crate::data;
use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use maintext_core::blocks::is_cjk;
pub use maintext_learn::lines::Tally;
use std::collections::HashMap;

/// The definition of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    /// Runs of letters, digits and `_`, as in WCXB.
    #[default]
    Words,
    /// The same, but each CJK character is a word.
    Cjk,
}

/// Whether a character belongs to a word: letters, numbers of all kinds and `_`. Combining marks do not.
///
/// Unlike `char::is_alphanumeric`, which treats the vowel signs of Indic scripts as letters.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let word = GeneralCategoryGroup::Letter.union(GeneralCategoryGroup::Number);
    word.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

/// Whether a character is white space for Python's `str.isspace`: Unicode's white space and the four separators of ASCII.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// Calls `f` with each word of an already lower-cased text.
fn each_token<'a>(lower: &'a str, tokens: Tokens, mut f: impl FnMut(&'a str)) {
    let mut start = None;
    for (at, c) in lower.char_indices() {
        let single = tokens == Tokens::Cjk && is_cjk(c);
        if !single && is_word(c) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(s) = start.take() {
            f(&lower[s..at]);
        }
        if single {
            f(&lower[at..at + c.len_utf8()]);
        }
    }
    if let Some(s) = start {
        f(&lower[s..]);
    }
}

/// Returns the lower-cased words of a text.
///
/// ```
/// use maintext_lab::score::{Tokens, tokens};
/// assert_eq!(tokens("Ab_1, 中文 c.", Tokens::Words), ["ab_1", "中文", "c"]);
/// assert_eq!(tokens("Ab_1, 中文 c.", Tokens::Cjk), ["ab_1", "中", "文", "c"]);
/// ```
pub fn tokens(text: &str, tokens: Tokens) -> Vec<String> {
    let mut out = Vec::new();
    each_token(&text.to_lowercase(), tokens, |t| out.push(t.to_owned()));
    out
}

/// Precision, recall and F1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prf {
    /// Share of the extracted words that are in the ground truth.
    pub precision: f64,
    /// Share of the ground truth's words that were extracted.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
}

/// Compares an extracted text with the ground truth as bags of words.
///
/// An empty ground truth scores 1 for an empty extraction and 0 for any other.
///
/// ```
/// use maintext_lab::score::{Tokens, prf};
/// // 3 words extracted, 4 true, 2 in common: 2/3, 2/4, 2 * 2 / (3 + 4).
/// let s = prf("a b x", "a b c d", Tokens::Words);
/// assert!((s.precision - 2.0 / 3.0).abs() < 1e-12 && s.recall == 0.5 && (s.f1 - 4.0 / 7.0).abs() < 1e-12);
/// ```
pub fn prf(extracted: &str, truth: &str, kind: Tokens) -> Prf {
    let (extracted, truth) = (extracted.to_lowercase(), truth.to_lowercase());
    let mut left: HashMap<&str, u32> = HashMap::new();
    let (mut taken, mut gold, mut common) = (0u64, 0u64, 0u64);
    each_token(&truth, kind, |t| {
        gold += 1;
        *left.entry(t).or_default() += 1;
    });
    each_token(&extracted, kind, |t| {
        taken += 1;
        if let Some(n) = left.get_mut(t).filter(|n| **n > 0) {
            *n -= 1;
            common += 1;
        }
    });
    match (taken, gold) {
        (0, 0) => return Prf { precision: 1.0, recall: 1.0, f1: 1.0 },
        (0, _) | (_, 0) => return Prf::default(),
        _ => {}
    }
    let (precision, recall) = (common as f64 / taken as f64, common as f64 / gold as f64);
    let sum = precision + recall;
    Prf { precision, recall, f1: if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 } }
}

fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.to_lowercase().chars() {
        let s = is_space(c);
        if !s {
            out.push(c);
        } else if !space {
            out.push(' ');
        }
        space = s;
    }
    out
}

/// Counts the snippets that occur in the text, ignoring case and white space.
pub fn snippets(text: &str, snippets: &[String]) -> Tally {
    if snippets.is_empty() {
        return Tally::default();
    }
    let text = collapse(text);
    let hits = snippets.iter().filter(|s| text.contains(collapse(s).trim_matches(is_space))).count() as u64;
    Tally { hits, of: snippets.len() as u64 }
}

/// Normalises titles and names for comparison: compatibility form, lower case, single spaces.
pub(crate) fn fold(text: &str) -> String {
    let normal = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    tokens(&normal, Tokens::Words).join(" ")
}

/// The output of a method for a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// The main text.
    pub text: String,
    /// The title.
    pub title: Option<String>,
    /// The authors, joined by `", "`.
    pub author: Option<String>,
    /// The publication date, ISO 8601.
    pub date: Option<String>,
}

impl From<maintext_core::Page> for Prediction {
    fn from(page: maintext_core::Page) -> Prediction {
        let m = page.metadata;
        Prediction { text: page.text.unwrap_or_default(), title: m.title, author: m.author, date: m.date }
    }
}

/// The scores of one page. Values without ground truth are absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageScore {
    /// Scores of the text.
    pub text: Option<Prf>,
    /// Required snippets found.
    pub with: Tally,
    /// Forbidden snippets found.
    pub without: Tally,
    /// Whether the title is correct.
    pub title: Option<bool>,
    /// Whether the author is correct, or one contains the other.
    pub author: Option<bool>,
    /// Whether the day of publication is correct.
    pub date: Option<bool>,
}

/// Scores one page.
pub fn page(truth: &data::Page, said: &Prediction, kind: Tokens) -> PageScore {
    let stated = |s: &Option<String>| s.clone().filter(|s| !s.is_empty());
    let said_folded = |s: &Option<String>| fold(s.as_deref().unwrap_or(""));
    PageScore {
        text: truth.text.as_deref().map(|t| prf(&said.text, t, kind)),
        with: snippets(&said.text, &truth.with),
        without: snippets(&said.text, &truth.without),
        title: stated(&truth.title).map(|t| fold(&t) == said_folded(&said.title)),
        author: stated(&truth.author).map(|t| {
            let (gold, got) = (fold(&t), said_folded(&said.author));
            !got.is_empty() && (gold.contains(&got) || got.contains(&gold))
        }),
        date: stated(&truth.date).map(|t| {
            let day = |s: &str| s.chars().take(10).collect::<String>();
            day(&t) == day(said.date.as_deref().unwrap_or(""))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_truth_only_matches_an_empty_text() {
        assert_eq!(prf("", "", Tokens::Words).f1, 1.0);
        assert_eq!(prf(" ..", "a", Tokens::Words), Prf::default());
        assert_eq!(prf("a", "--", Tokens::Words), Prf::default());
    }

    #[test]
    fn repeated_words_count_as_often_as_both_texts_contain_them() {
        // common = min(3, 2) = 2: precision 2/3, recall 2/2.
        let s = prf("a a a", "A a", Tokens::Words);
        assert!((s.precision - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(s.recall, 1.0);
    }

    #[test]
    fn marks_end_a_word_as_in_python() {
        // Devanagari: ka, vowel sign i, ta. Python's \w does not match the sign, Rust's is_alphanumeric would.
        assert_eq!(tokens("कित", Tokens::Words), ["क", "त"]);
        // Superscript two, a Roman numeral and a fraction are numbers; a circled letter is a symbol.
        assert_eq!(tokens("x² Ⅷ ½ Ⓐ", Tokens::Words), ["x²", "ⅷ", "½"]);
        assert_eq!(tokens("ΟΔΟΣ", Tokens::Words), ["οδος"]);
    }

    #[test]
    fn snippets_ignore_case_and_space() {
        let s =
            |w: &[&str]| snippets("One  two\nthree\u{1f}four", &w.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        assert_eq!(s(&["ONE two three", " three four "]), Tally { hits: 2, of: 2 });
        assert_eq!(s(&["twothree"]), Tally { hits: 0, of: 1 });
    }

    #[test]
    fn metadata_is_compared_folded() {
        let truth = data::Page {
            title: Some("Ｆｕｌｌ width!".into()),
            author: Some("Ann Lee, Bo".into()),
            date: Some("2020-01-02".into()),
            ..Default::default()
        };
        let said = Prediction {
            title: Some("full WIDTH".into()),
            author: Some("Ann Lee".into()),
            date: Some("2020-01-02T10:00".into()),
            ..Default::default()
        };
        let s = page(&truth, &said, Tokens::Words);
        assert_eq!((s.title, s.author, s.date), (Some(true), Some(true), Some(true)));
        let s = page(&truth, &Prediction::default(), Tokens::Words);
        assert_eq!((s.title, s.author, s.date), (Some(false), Some(false), Some(false)));
    }
}
