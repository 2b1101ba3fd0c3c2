//! Statistics of one block's text, from a single pass over its characters.
use crate::blocks::is_cjk;

/// What one pass over a block's text counts. Words are runs of letters and digits; CJK characters are words of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextStats {
    /// Unicode scalar values.
    pub chars: u32,
    /// Words.
    pub words: u32,
    /// Decimal digits.
    pub digits: u32,
    /// Upper-case letters.
    pub upper: u32,
    /// Characters for which [`is_cjk`] holds.
    pub cjk: u32,
    /// Marks that end or divide sentences, in any writing.
    pub stops: u32,
    /// Commas and their like, in any writing.
    pub commas: u32,
    /// Other symbols and punctuation.
    pub symbols: u32,
    /// Words that also stand in the page's title.
    pub title_words: u32,
    /// Words that also stand in the page's description.
    pub description_words: u32,
    /// Whether the text ends with a mark that ends a sentence, closing quotes ignored.
    pub ends_sentence: bool,
    /// Whether the text ends with a colon.
    pub ends_colon: bool,
    /// Whether the first letter is upper case.
    pub starts_upper: bool,
    /// Whether the first character is a digit.
    pub starts_digit: bool,
    /// Whether `©` stands in it.
    pub copyright: bool,
    /// Whether `|`, `›`, `»`, `/`, `•` or `·` stands in it with spaces around.
    pub separator: bool,
    /// Whether a currency sign stands in it.
    pub currency: bool,
    /// Whether `@` stands in it.
    pub at: bool,
    /// Hash of the text without digits, spaces and case: equal for repeated furniture.
    pub hash: u32,
}

/// FNV-1a offset basis and prime, 32 bit.
pub(crate) const FNV: u32 = 0x811c_9dc5;
/// One step of FNV-1a.
#[inline]
pub(crate) fn fnv(hash: u32, value: u32) -> u32 {
    (hash ^ value).wrapping_mul(0x0100_0193)
}

/// A set of word hashes: sorted, for binary search.
#[derive(Clone, Debug, Default)]
pub struct WordSet(Vec<u32>);

impl WordSet {
    /// The words of a text.
    pub fn new(text: &str) -> WordSet {
        let mut words = Vec::new();
        for_each_word(text, |h| words.push(h));
        words.sort_unstable();
        words.dedup();
        WordSet(words)
    }
    /// How many different words.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    fn contains(&self, hash: u32) -> bool {
        self.0.binary_search(&hash).is_ok()
    }
}

/// Hashes of the words of a text, in order.
pub fn word_hashes(text: &str) -> Vec<u32> {
    let mut out = Vec::new();
    for_each_word(text, |h| out.push(h));
    out
}

fn lower(c: char) -> u32 {
    if c.is_ascii() { c.to_ascii_lowercase() as u32 } else { c.to_lowercase().next().unwrap_or(c) as u32 }
}

pub(crate) fn for_each_word(text: &str, mut f: impl FnMut(u32)) {
    let (mut hash, mut inside) = (FNV, false);
    for c in text.chars() {
        let cjk = is_cjk(c);
        let word = !cjk && (c.is_alphanumeric() || c == '_');
        if !word && inside {
            f(hash);
            inside = false;
        }
        if cjk {
            f(fnv(FNV, c as u32));
        } else if word {
            hash = fnv(if inside { hash } else { FNV }, lower(c));
            inside = true;
        }
    }
    if inside {
        f(hash);
    }
}

impl TextStats {
    /// Counts a block's text against the words of the page's title and description.
    pub fn new(text: &str, title: &WordSet, description: &WordSet) -> TextStats {
        let mut s = TextStats { hash: FNV, ..Default::default() };
        let mut word = FNV;
        let mut inside = false;
        let (mut before, mut last) = (' ', ' ');
        let mut first = true;
        for c in text.chars() {
            s.chars += 1;
            let cjk = is_cjk(c);
            let letter = !cjk && (c.is_alphanumeric() || c == '_');
            if inside && !letter {
                s.end_word(word, title, description);
                inside = false;
            }
            if cjk {
                s.cjk += 1;
                s.words += 1;
                let h = fnv(FNV, c as u32);
                s.title_words += title.contains(h) as u32;
                s.description_words += description.contains(h) as u32;
                s.hash = fnv(s.hash, c as u32);
            } else if letter {
                let l = lower(c);
                word = fnv(if inside { word } else { FNV }, l);
                inside = true;
                if c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric()) {
                    s.digits += 1;
                } else {
                    s.hash = fnv(s.hash, l);
                    s.upper += c.is_uppercase() as u32;
                }
            } else if c != ' ' {
                s.symbol(c, before);
            }
            if first && !matches!(c, ' ' | '"' | '\'' | '(' | '“' | '«') {
                s.starts_upper = c.is_uppercase();
                s.starts_digit = c.is_numeric();
                first = false;
            }
            before = c;
            if !matches!(c, ' ' | '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '」' | '』' | '）') {
                last = c;
            }
        }
        if inside {
            s.end_word(word, title, description);
        }
        s.ends_sentence = matches!(last, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '۔' | '।' | '॥' | '．');
        s.ends_colon = matches!(last, ':' | '：');
        s
    }

    fn end_word(&mut self, word: u32, title: &WordSet, description: &WordSet) {
        self.words += 1;
        self.title_words += title.contains(word) as u32;
        self.description_words += description.contains(word) as u32;
    }

    fn symbol(&mut self, c: char, before: char) {
        match c {
            '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '۔' | '।' | '॥' | '．' => self.stops += 1,
            ',' | ';' | '，' | '、' | '；' | '،' | '؛' | ':' | '：' => self.commas += 1,
            '©' => self.copyright = true,
            '|' | '›' | '»' | '/' | '•' | '·' => {
                self.separator |= before == ' ';
                self.symbols += 1;
            }
            '$' | '€' | '£' | '¥' | '₽' | '₹' | '￥' | '₩' => self.currency = true,
            '@' => self.at = true,
            _ => self.symbols += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        let title = WordSet::new("The Red fox");
        let s = TextStats::new("A red Fox, 42 €; “yes.”", &title, &WordSet::default());
        assert_eq!((s.words, s.digits, s.upper, s.stops, s.commas, s.title_words), (5, 2, 2, 1, 2, 2));
        assert!(s.ends_sentence && s.starts_upper && s.currency && !s.at);
        let zh = TextStats::new("红色，狐狸。", &WordSet::new("红"), &WordSet::default());
        assert_eq!((zh.words, zh.cjk, zh.stops, zh.commas, zh.title_words), (4, 4, 1, 1, 1));
        assert!(zh.ends_sentence);
    }

    #[test]
    fn repeated_furniture_hashes_alike() {
        let none = WordSet::default();
        let h = |t: &str| TextStats::new(t, &none, &none).hash;
        assert_eq!(h("Posted 3 days ago"), h("posted 12 Days  ago"));
        assert_ne!(h("Posted 3 days ago"), h("posted 3 hours ago"));
    }
}
