//! The terms of a text that can match a question: stems of words, and pairs of characters where a script has no spaces.
use rust_stemmers::{Algorithm, Stemmer};
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Words of more bytes are cut: no question needs their rest.
const MAX_WORD_BYTES: usize = 64;
/// Languages that inflect words at their end and have no stemmer here.
const WITHOUT_STEMMER: [&str; 16] =
    ["be", "bg", "bs", "cs", "et", "hr", "ka", "kk", "lt", "lv", "mk", "pl", "sk", "sl", "sr", "uk"];
/// Characters to which words are cut in these languages, as in McNamee and Mayfield, "Character N-Gram Tokenization for European
/// Language Text Retrieval" (2004).
const MAX_STEM_CHARS: usize = 6;
/// Weight of a word of the question that most texts hold, such as "what".
const STOP_WEIGHT: f64 = 0.2;
/// Weight of a pair of characters that is mostly grammar.
const GRAMMAR_WEIGHT: f64 = 0.3;
/// Weight of a pair of characters inside a word that counts as a whole, too.
const INNER_WEIGHT: f64 = 0.5;
/// Weight of the first characters of a long word, for words of the same family.
const BEGINNING_WEIGHT: f64 = 0.3;
/// Weight of any number, if the question asks for one.
const NUMBER_WEIGHT: f64 = 0.3;
/// Maximum number of different terms of a question.
const MAX_TERMS: usize = 512;

/// Han characters of Chinese that are mostly grammar or belong to a question.
const GRAMMAR_HAN: &str = "的了是在和吗呢什么哪怎样多少有我你他她它们这那个为因被把也就都与及其";

/// The terms of a question, for pages in one language.
#[derive(Debug)]
pub(crate) struct AskedTerms {
    /// The number of each term.
    terms: HashMap<String, usize>,
    /// The weight of each term.
    pub(crate) weights: Vec<f64>,
    /// The first characters of all terms.
    first: HashSet<char>,
    words: TermMaker,
    /// The number of the term for any number, if the question asks for one.
    number: Option<usize>,
}

impl AskedTerms {
    /// Reads a question for pages in a language, a BCP 47 tag.
    pub(crate) fn new(question: &str, language: &str) -> AskedTerms {
        let words = TermMaker::new(language);
        let primary = primary(language);
        let stops: HashSet<&str> =
            [primary.as_str(), "en"].iter().filter_map(stop_words::lookup).flatten().copied().collect();
        let mut asked =
            AskedTerms { terms: HashMap::new(), weights: Vec::new(), first: HashSet::new(), words, number: None };
        let mut found = Vec::new();
        units(question, |unit| {
            let (term, weight) = match unit {
                TermUnit::Word(word) => {
                    let lower = word.to_lowercase();
                    let is_stop = stops.contains(lower.as_str()) || longest_part(&lower).chars().count() < 2;
                    let is_stop = is_stop && !lower.contains(|c: char| c.is_numeric());
                    let term = asked.words.term(word);
                    if !is_stop && let Some(beginning) = beginning(&term) {
                        found.push((beginning, BEGINNING_WEIGHT));
                    }
                    (term, if is_stop { STOP_WEIGHT } else { 1.0 })
                }
                TermUnit::Pair(pair, inner) => {
                    let is_grammar = pair.chars().all(is_hiragana) || pair.chars().any(|c| GRAMMAR_HAN.contains(c));
                    (
                        pair.to_owned(),
                        if is_grammar {
                            GRAMMAR_WEIGHT
                        } else if inner {
                            INNER_WEIGHT
                        } else {
                            1.0
                        },
                    )
                }
            };
            found.push((term, weight));
        });
        if super::numbers::asks_for_number(question) {
            found.push((ANY_NUMBER.to_owned(), NUMBER_WEIGHT));
        }
        for (term, weight) in found {
            if asked.terms.len() < MAX_TERMS && !asked.terms.contains_key(&term) {
                asked.first.extend(term.chars().find(|c| !c.is_control()));
                asked.terms.insert(term, asked.weights.len());
                asked.weights.push(weight);
            }
        }
        asked.number = asked.terms.get(ANY_NUMBER).copied();
        asked
    }

    /// Counts the terms in a text. Returns the number of all its units.
    pub(crate) fn count(&self, text: &str, counts: &mut [f64]) -> usize {
        let mut units_of_text = 0;
        units(text, |unit| {
            units_of_text += 1;
            let mut hit = |term: Option<&usize>| term.into_iter().for_each(|&term| counts[term] += 1.0);
            match unit {
                TermUnit::Pair(pair, _) => hit(self.terms.get(pair)),
                TermUnit::Word(word) if word.starts_with(char::is_numeric) => {
                    hit(self.number.as_ref());
                    hit(self.terms.get(&self.words.term(word)));
                }
                // Stems begin like their words: most words are no more than looked at.
                TermUnit::Word(word) if self.may_match(word) => {
                    let term = self.words.term(word);
                    hit(self.terms.get(&term));
                    hit(beginning(&term).and_then(|b| self.terms.get(&b)));
                }
                TermUnit::Word(_) => {}
            }
        });
        units_of_text
    }

    fn may_match(&self, word: &str) -> bool {
        let Some(first) = word.chars().next() else { return false };
        if first.is_ascii() && !word.contains(['\'', '’']) {
            self.first.contains(&first.to_ascii_lowercase())
        } else {
            true
        }
    }
}

/// The term for any number. No word has its first character.
const ANY_NUMBER: &str = "\u{2}";
/// Number of characters of a beginning.
const BEGINNING_CHARS: usize = 5;

/// Returns the term for all words that begin like a long word.
fn beginning(term: &str) -> Option<String> {
    let (end, _) = term.char_indices().nth(BEGINNING_CHARS)?;
    Some(format!("\u{1}{}", &term[..end]))
}

/// Returns the language of a BCP 47 tag, in lower case.
pub(crate) fn primary(language: &str) -> String {
    language.split(['-', '_']).next().unwrap_or("").to_ascii_lowercase()
}

/// Makes terms of words.
struct TermMaker {
    stemmer: Option<Stemmer>,
    truncate: bool,
}

impl std::fmt::Debug for TermMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("truncate", &self.truncate).finish_non_exhaustive()
    }
}

impl TermMaker {
    fn new(language: &str) -> TermMaker {
        let primary = primary(language);
        let algorithm = match primary.as_str() {
            "ar" => Some(Algorithm::Arabic),
            "da" => Some(Algorithm::Danish),
            "de" => Some(Algorithm::German),
            "el" => Some(Algorithm::Greek),
            "en" => Some(Algorithm::English),
            "es" => Some(Algorithm::Spanish),
            "fi" => Some(Algorithm::Finnish),
            "fr" => Some(Algorithm::French),
            "hu" => Some(Algorithm::Hungarian),
            "it" => Some(Algorithm::Italian),
            "nb" | "nn" | "no" => Some(Algorithm::Norwegian),
            "nl" => Some(Algorithm::Dutch),
            "pt" => Some(Algorithm::Portuguese),
            "ro" => Some(Algorithm::Romanian),
            "ru" => Some(Algorithm::Russian),
            "sv" => Some(Algorithm::Swedish),
            "ta" => Some(Algorithm::Tamil),
            "tr" => Some(Algorithm::Turkish),
            _ => None,
        };
        let truncate = WITHOUT_STEMMER.contains(&primary.as_str());
        TermMaker { stemmer: algorithm.map(Stemmer::create), truncate }
    }

    /// Returns the term of a word.
    fn term(&self, word: &str) -> String {
        let lower = if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase().nfkc().collect() };
        let part = longest_part(&lower);
        let part = &part[..part.floor_char_boundary(MAX_WORD_BYTES)];
        if part.starts_with(|c: char| c.is_ascii_digit()) {
            return number(part);
        }
        let stem = self.stemmer.as_ref().map_or(part.into(), |s| s.stem(part));
        let mut folded = fold(&stem);
        if self.truncate
            && let Some((at, _)) = folded.char_indices().nth(MAX_STEM_CHARS)
        {
            folded.truncate(at);
        }
        folded
    }
}

/// Returns the longest part of a word between apostrophes, the last of several: `ancien` of `l'ancien`.
fn longest_part(word: &str) -> &str {
    if word.contains(['\'', '’']) {
        word.split(['\'', '’']).max_by_key(|part| part.chars().count()).unwrap_or(word)
    } else {
        word
    }
}

/// Removes the separators of thousands from a number: `1,500` and `1.500` are `1500`.
fn number(text: &str) -> String {
    let groups: Vec<&str> = text.split([',', '.', '\'']).collect();
    let is_grouped =
        groups.len() > 1 && groups[1..].iter().all(|g| g.len() == 3 && g.bytes().all(|b| b.is_ascii_digit()));
    if is_grouped { groups.concat() } else { text.replace(',', ".") }
}

/// Removes the diacritics of scripts whose readers leave them out in questions.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_owned();
    }
    let mut out = String::with_capacity(word.len());
    let mut base = ' ';
    for c in word.chars() {
        if is_hangul(c) || is_dense(c) {
            (base, _) = (c, out.push(c));
            continue;
        }
        for d in std::iter::once(c).nfkd() {
            let is_folded = matches!(base, '\0'..='\u{6ff}');
            if is_combining_mark(d) && is_folded {
                continue;
            }
            base = d;
            match d {
                'ß' => out.push_str("ss"),
                'æ' => out.push_str("ae"),
                'œ' => out.push_str("oe"),
                'ø' => out.push('o'),
                'ł' => out.push('l'),
                'đ' => out.push('d'),
                'ı' => out.push('i'),
                d => out.push(d),
            }
        }
    }
    out
}

/// A part of a text that can match.
enum TermUnit<'a> {
    Word(&'a str),
    /// Two characters; whether their word is a unit, too.
    Pair(&'a str, bool),
}

/// Calls `each` for the units of a text, in order.
fn units(text: &str, mut each: impl FnMut(TermUnit<'_>)) {
    // The run of characters without spaces that is open.
    let mut run = 0..0;
    for (at, word) in text.unicode_word_indices() {
        let end = at + word.len();
        if word.starts_with(is_dense) {
            if at != run.end {
                pairs(&text[run.clone()], false, &mut each);
                run.start = at;
            }
            run.end = end;
            continue;
        }
        pairs(&text[run.clone()], false, &mut each);
        run = end..end;
        each(TermUnit::Word(word));
        if word.starts_with(is_hangul) {
            pairs(word, true, &mut each);
        }
    }
    pairs(&text[run], false, &mut each);
}

/// Calls `each` for each two neighbours of a run of characters; for the character of a run of one.
fn pairs(run: &str, inner: bool, each: &mut impl FnMut(TermUnit<'_>)) {
    let mut before: Option<usize> = None;
    let mut number = 0;
    for (at, c) in run.char_indices() {
        if let Some(before) = before {
            each(TermUnit::Pair(&run[before..at + c.len_utf8()], inner));
        }
        before = Some(at);
        number += 1;
    }
    if number == 1 && !inner {
        each(TermUnit::Pair(run, inner));
    }
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}')
}

/// Whether a character belongs to a script without spaces between words.
pub(crate) fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the terms of a question that are in a text.
    fn found(question: &str, text: &str, language: &str) -> Vec<String> {
        let asked = AskedTerms::new(question, language);
        let mut counts = vec![0.0; asked.weights.len()];
        asked.count(text, &mut counts);
        asked.terms.iter().filter(|t| counts[*t.1] > 0.0).map(|t| t.0.clone()).collect()
    }

    /// Returns the number of words or pairs of a question that are in a text.
    fn hits(question: &str, text: &str, language: &str) -> usize {
        found(question, text, language).iter().filter(|t| !t.starts_with(char::is_control)).count()
    }

    #[test]
    fn words_match_in_other_forms() {
        for (question, text, language) in [
            ("tickets", "A TICKET costs four pounds", "en"),
            ("Häuser", "Das Haus steht", "de"),
            ("prévoir", "il prévoyait, prevoir", "fr"),
            ("ancien", "l’ancien port", "fr"),
            ("1,500", "1500 people", "en"),
            ("1.500", "1500 Menschen", "de"),
            ("Łódź", "w Lodz", "pl"),
            ("mieszkaniach", "mieszkanie", "pl"),
            ("Strasse", "Die Straße", "und"),
            ("ﬁne", "fine", ""),
        ] {
            assert_eq!(hits(question, text, language), 1, "{question} {text}");
        }
        assert_eq!(hits("ticket", "tick", "en") + hits("3.5", "35", "en"), 0);
    }

    #[test]
    fn scripts_without_spaces_match_by_pairs() {
        assert_eq!(hits("渡船", "这里的渡船九点开", "zh"), 1);
        assert_eq!(hits("渡船票价", "票价是四元", "zh"), 1);
        assert_eq!(hits("船", "船。", "zh"), 1);
        assert_eq!(hits("เรือ", "ค่าเรือเท่าไร", "th"), 3);
        // The word with another particle matches by its pairs.
        assert_eq!(hits("가격은", "가격이", "ko"), 1);
        assert_eq!(hits("가격", "가격", "ko"), 1);
    }

    #[test]
    fn question_words_weigh_less() {
        let asked = AskedTerms::new("What does the ferry cost in 5 years?", "en");
        let of = |word: &str| asked.weights[asked.terms[word]];
        assert_eq!((of("what"), of("ferri"), of("5")), (STOP_WEIGHT, 1.0, 1.0));

        let asked = AskedTerms::new("渡船什么时候开", "zh");
        assert!(asked.weights[asked.terms["什么"]] < asked.weights[asked.terms["渡船"]]);
    }

    #[test]
    fn beginnings_and_numbers_match_too() {
        assert_eq!(found("How many photographs?", "photocopies for 300", "en").len(), 2);
        assert_eq!(found("Which photographs?", "photocopies for 300", "en"), ["\u{1}photo"]);
    }

    #[test]
    fn long_words_and_questions_are_bounded() {
        let long = "x".repeat(1 << 16);
        assert_eq!(hits(&long, &long, "en"), 1);
        let many: String = (0..5000).map(|n| format!("w{n} ")).collect();
        assert_eq!(AskedTerms::new(&many, "en").weights.len(), MAX_TERMS);
    }
}
