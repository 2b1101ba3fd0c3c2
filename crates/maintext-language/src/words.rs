//! Words of a text and their n-grams, for the detector and its training alike.
use unicode_script::{Script, UnicodeScript};

/// Maximum number of characters of a word; the rest of a longer one is the next word.
pub(crate) const MAX_WORD_CHARS: usize = 40;
/// Maximum number of characters of an n-gram.
const MAX_GRAM_CHARS: usize = 4;
/// Bits of a bucket's number.
pub(crate) const BITS: u32 = 15;

/// Returns the script of a character: [`Script::Common`] for digits and punctuation.
pub(crate) fn script(c: char) -> Script {
    match c {
        'a'..='z' | 'A'..='Z' => Script::Latin,
        '\0'..='\u{a9}' => Script::Common,
        '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{24f}' => Script::Latin,
        '\u{400}'..='\u{482}' | '\u{48a}'..='\u{52f}' => Script::Cyrillic,
        '\u{4e00}'..='\u{9fff}' => Script::Han,
        '\u{ac00}'..='\u{d7a3}' => Script::Hangul,
        _ => c.script(),
    }
}

/// Returns whether a character can be inside a word: a letter, a vowel sign, or another mark that belongs to letters.
fn in_word(c: char) -> bool {
    match c {
        '\0'..='\x7f' => c.is_ascii_alphabetic(),
        '\u{300}'..='\u{36f}' => true,
        // Viramas and nuktas, which Unicode does not count as alphabetic. The blocks of the Indian scripts have them at the same places.
        '\u{900}'..='\u{d7f}' if matches!(c as u32 & 0x7f, 0x3c | 0x4d) => true,
        '\u{1039}' | '\u{103a}' | '\u{17d2}' => true,
        _ => c.is_alphabetic(),
    }
}

/// Calls `each` with the words of a text in lower case and their scripts.
pub(crate) fn words(text: &str, mut each: impl FnMut(&[char], Script)) {
    let mut word = [' '; MAX_WORD_CHARS];
    let mut len = 0;
    let mut of = Script::Common;
    for c in text.chars() {
        let inside = in_word(c);
        let script = if inside { script(c) } else { Script::Common };
        let own = !matches!(script, Script::Common | Script::Inherited | Script::Unknown);
        let another = own && of != Script::Common && script != of;
        if len > 0 && (!inside || another || len == MAX_WORD_CHARS) {
            if of != Script::Common {
                each(&word[..len], of);
            }
            (len, of) = (0, Script::Common);
        }
        if inside {
            word[len] = if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) };
            len += 1;
            if own {
                of = script;
            }
        }
    }
    if len > 0 && of != Script::Common {
        each(&word[..len], of);
    }
}

/// Calls `each` with the bucket of each n-gram of a word: runs of 2 to 4 characters with the borders of the word, the whole word, and the
/// characters outside ASCII.
pub(crate) fn grams(word: &[char], mut each: impl FnMut(usize)) {
    let end = word.len() + 2;
    for start in 0..end - 1 {
        let first = letter_at(word, start);
        let mut hash = mixed(0x811c_9dc5, first);
        if !first.is_ascii() {
            each(bucket(hash));
        }
        for i in start + 1..end.min(start + MAX_GRAM_CHARS) {
            hash = mixed(hash, letter_at(word, i));
            each(bucket(hash));
        }
    }
    if word.len() + 2 > MAX_GRAM_CHARS {
        each(bucket(word.iter().fold(0x1234_5678, |hash, c| mixed(hash, *c))));
    }
}

fn letter_at(word: &[char], i: usize) -> char {
    if i == 0 || i > word.len() { ' ' } else { word[i - 1] }
}

fn mixed(hash: u32, c: char) -> u32 {
    (hash ^ c as u32).wrapping_mul(0x9e37_79b1).rotate_left(13)
}

fn bucket(hash: u32) -> usize {
    ((hash ^ (hash >> 15)).wrapping_mul(0x85eb_ca6b) >> (32 - BITS)) as usize
}
