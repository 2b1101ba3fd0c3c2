//! C4's rules: Raffel et al. 2019, section 2.2 (<https://arxiv.org/abs/1910.10683>), with the rules of its code in TensorFlow Datasets and
//! the definitions of datatrove 0.10.1.
use crate::report::Report;
use crate::words::{is_space, lines, sentences};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static CITATION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\[\d*\]|\[edit\]|\[citation needed\]").ok());
const POLICY: [&str; 6] =
    ["terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies", "use cookies"];

/// Parameters of `c4`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct C4 {
    /// Whether lines without a full stop, question mark, exclamation mark or quotation mark at their end are dropped.
    pub end_mark: bool,
    /// Minimum number of sentences in the kept lines.
    pub min_sentences: usize,
    /// Minimum number of words in a kept line, cut at spaces.
    pub min_line_words: usize,
    /// Maximum number of characters of a word of a kept line.
    pub max_word_length: usize,
    /// Whether lines about cookies and terms of use are dropped.
    pub policy: bool,
    /// Whether lines that mention JavaScript are dropped.
    pub javascript: bool,
    /// Whether a text with `lorem ipsum` fails.
    pub lorem_ipsum: bool,
    /// Whether a text with a curly bracket fails.
    pub curly_bracket: bool,
    /// Whether citation marks such as `[1]` are removed.
    pub citations: bool,
}

impl Default for C4 {
    fn default() -> C4 {
        C4 {
            end_mark: true,
            min_sentences: 5,
            min_line_words: 3,
            max_word_length: 1000,
            policy: true,
            javascript: true,
            lorem_ipsum: true,
            curly_bracket: true,
            citations: true,
        }
    }
}

impl C4 {
    /// Returns the kept lines. Rules about the whole text count only lines that reach them, as in C4's code.
    pub(crate) fn check(&self, text: &str, english: bool, report: &mut Report) -> String {
        let mut kept: Vec<String> = Vec::new();
        let (mut counted, mut lorem, mut curly) = (0, 0, 0);
        let all = lines(text);
        for line in &all {
            let line = line.trim_matches(is_space);
            let words: Vec<&str> = line.split(is_space).filter(|w| !w.is_empty()).collect();
            if words.iter().any(|w| w.len() > self.max_word_length && w.chars().count() > self.max_word_length) {
                continue;
            }
            let line = match CITATION.as_ref() {
                Some(citation) if self.citations => citation.replace_all(line, ""),
                _ => line.into(),
            };
            if self.end_mark && (!line.ends_with(['.', '?', '!', '"', '\'']) || line.ends_with("..."))
                || words.len() < self.min_line_words
            {
                continue;
            }
            let lower = line.to_lowercase();
            lorem += usize::from(self.lorem_ipsum && lower.contains("lorem ipsum"));
            if self.javascript && lower.contains("javascript") {
                continue;
            }
            curly += usize::from(self.curly_bracket && line.contains('{'));
            if self.policy && POLICY.iter().any(|p| lower.contains(p)) {
                continue;
            }
            counted += sentences(&line, english);
            kept.push(line.into_owned());
        }
        report.above("c4.lorem_ipsum", lorem as f64, 0.0);
        report.above("c4.curly_bracket", curly as f64, 0.0);
        report.below("c4.sentences", counted as f64, self.min_sentences as f64);
        report.dropped_lines += all.len() - kept.len();
        kept.join("\n").trim_matches(is_space).to_owned()
    }
}

/// A list of words that count as toxic, one per line, such as the list that C4 used
/// ("List of Dirty, Naughty, Obscene, and Otherwise Bad Words", CC BY 4.0). No list is part of this crate.
///
/// ```
/// let list = maintext_quality::BadWords::new("darn\nheck it\n");
/// assert_eq!(list.count("Darn, he said: heck  it!"), 2);
/// assert_eq!(list.count("A darning needle."), 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BadWords {
    phrases: BTreeSet<String>,
    /// The phrases of scripts without spaces, which need no boundary, joined into an expression.
    unspaced: Vec<String>,
    longest: usize,
    /// Maximum number of listed words in a text that the filter `bad-words` accepts.
    pub max: usize,
}

impl BadWords {
    /// Reads a list of lower-case words or phrases, one per line. Blank lines are skipped.
    #[must_use]
    pub fn new(list: &str) -> BadWords {
        let mut words = BadWords::default();
        for line in list.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let lower = line.to_lowercase();
            let parts: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty()).collect();
            if lower
                .chars()
                .any(|c| matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'))
            {
                words.unspaced.push(lower);
            } else if !parts.is_empty() {
                words.longest = words.longest.max(parts.len());
                words.phrases.insert(parts.join(" "));
            }
        }
        words
    }

    /// Counts the listed words and phrases in a text, flanked by other characters than letters and digits.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|p| !p.is_empty()).collect();
        let mut count: usize = self.unspaced.iter().map(|w| lower.matches(w.as_str()).count()).sum();
        let mut phrase = String::new();
        for i in 0..words.len() {
            phrase.clear();
            for word in words[i..].iter().take(self.longest.min(8)) {
                if !phrase.is_empty() {
                    phrase.push(' ');
                }
                phrase.push_str(word);
                count += usize::from(self.phrases.contains(phrase.as_str()));
            }
        }
        count
    }
}
