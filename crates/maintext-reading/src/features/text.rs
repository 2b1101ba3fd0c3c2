//! Statistics of one block's text, from a single pass over its characters.
use maintext_page::blocks::{Blocks, is_cjk};
use maintext_page::hash::{FNV, fnv};

/// Counts from one pass over a block's text. Words are runs of letters and digits; each CJK character is a word of its own.
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
    /// Marks that end or divide sentences, in any script.
    pub stops: u32,
    /// Commas and similar marks, in any script.
    pub commas: u32,
    /// Other symbols and punctuation.
    pub symbols: u32,
    /// Words that also occur in the page's title.
    pub title_words: u32,
    /// Words that also occur in the page's description.
    pub description_words: u32,
    /// Whether the text ends with a mark that ends a sentence, ignoring closing quotes.
    pub ends_sentence: bool,
    /// Hash of the text without digits, spaces and case: equal for repeated boilerplate.
    pub hash: u32,
}

/// A set of word hashes: sorted for binary search, behind a filter that rejects most words.
#[derive(Clone, Debug, Default)]
pub struct WordSet {
    hashes: Vec<u32>,
    filter: [u64; 8],
}

impl WordSet {
    /// Returns the set of the words in a text.
    pub fn new(text: &str) -> WordSet {
        let mut hashes = Vec::new();
        TextStats::new(text, &WordSet::default(), &WordSet::default(), &mut hashes);
        hashes.sort_unstable();
        hashes.dedup();
        let mut filter = [0; 8];
        for h in &hashes {
            filter[(h >> 6) as usize & 7] |= 1 << (h & 63);
        }
        WordSet { hashes, filter }
    }
    /// Returns the number of different words.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }
    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
    /// Returns the share of these words that are also in another set; 0 without words.
    pub fn share_in(&self, other: &WordSet) -> f32 {
        let shared = self.hashes.iter().filter(|h| other.contains(**h)).count();
        shared as f32 / self.len().max(1) as f32
    }
    #[inline]
    fn contains(&self, hash: u32) -> bool {
        self.filter[(hash >> 6) as usize & 7] & (1 << (hash & 63)) != 0 && self.hashes.binary_search(&hash).is_ok()
    }
}

/// Hashes of the words of each block, in order.
#[derive(Clone, Debug, Default)]
pub struct BlockWords {
    ends: Vec<u32>,
    hashes: Vec<u32>,
}

impl BlockWords {
    /// Returns the statistics of all blocks, and their words.
    pub fn with_stats(blocks: &Blocks, title: &WordSet, description: &WordSet) -> (BlockWords, Vec<TextStats>) {
        let mut out = BlockWords { ends: Vec::with_capacity(blocks.len()), hashes: Vec::new() };
        let mut stats = Vec::with_capacity(blocks.len());
        for i in 0..blocks.len() {
            stats.push(TextStats::new(blocks.text(i), title, description, &mut out.hashes));
            out.ends.push(out.hashes.len() as u32);
        }
        (out, stats)
    }
    /// Returns the word hashes of block `i`.
    pub fn of(&self, i: usize) -> &[u32] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.hashes[start as usize..self.ends[i] as usize]
    }
}

/// Classes of ASCII characters.
mod ascii {
    pub const WORD: u8 = 1;
    pub const DIGIT: u8 = 2;
    pub const UPPER: u8 = 4;
    pub const STOP: u8 = 8;
    pub const COMMA: u8 = 16;
    pub const SYMBOL: u8 = 32;

    /// The class of each byte; 0 for the space and for non-ASCII bytes.
    pub const CLASS: [u8; 256] = {
        let mut class = [0; 256];
        let mut c = 0;
        while c < 128u8 {
            class[c as usize] = match c {
                b'0'..=b'9' => WORD | DIGIT,
                b'A'..=b'Z' => WORD | UPPER,
                b'a'..=b'z' | b'_' => WORD,
                b'.' | b'!' | b'?' => STOP,
                b',' | b';' | b':' => COMMA,
                b' ' => 0,
                _ => SYMBOL,
            };
            c += 1;
        }
        class
    };
}

/// Whether the character belongs to words. The most common letters beyond ASCII are recognised without the Unicode tables.
#[inline]
fn is_word(c: char) -> bool {
    match c as u32 {
        0xc0..0x180 => !matches!(c, '×' | '÷'),
        0x400..0x460 => true,
        _ => c.is_alphanumeric(),
    }
}

#[inline]
fn lower(c: char) -> u32 {
    match c as u32 {
        x @ 0x410..0x430 => x + 0x20,
        x @ 0x430..0x450 => x,
        _ => c.to_lowercase().next().unwrap_or(c) as u32,
    }
}

impl TextStats {
    /// Counts a block's text, with the words that also occur in the page's title and description, and appends the hashes of its words.
    pub fn new(text: &str, title: &WordSet, description: &WordSet, words: &mut Vec<u32>) -> TextStats {
        let mut s = TextStats { hash: FNV, ..Default::default() };
        let first_word = words.len();
        let bytes = text.as_bytes();
        let (mut at, mut word, mut inside) = (0, FNV, false);
        while let Some(&b) = bytes.get(at) {
            let class = ascii::CLASS[b as usize];
            if class & ascii::WORD != 0 {
                let from = at;
                word = if inside { word } else { FNV };
                let mut hash = s.hash;
                for &b in &bytes[from..] {
                    let class = ascii::CLASS[b as usize];
                    if class & ascii::WORD == 0 {
                        break;
                    }
                    let l = b.to_ascii_lowercase() as u32;
                    word = fnv(word, l);
                    // Repeated texts may differ in a number, so digits are not hashed.
                    hash = if class & ascii::DIGIT != 0 { hash } else { fnv(hash, l) };
                    s.digits += (class & ascii::DIGIT != 0) as u32;
                    s.upper += (class & ascii::UPPER != 0) as u32;
                    at += 1;
                }
                (s.hash, inside) = (hash, true);
                s.chars += (at - from) as u32;
                continue;
            }
            s.chars += 1;
            if b < 128 {
                if std::mem::take(&mut inside) {
                    words.push(word);
                }
                s.stops += (class & ascii::STOP != 0) as u32;
                s.commas += (class & ascii::COMMA != 0) as u32;
                s.symbols += (class & ascii::SYMBOL != 0) as u32;
                at += 1;
                continue;
            }
            let c = text[at..].chars().next().unwrap_or(' ');
            if is_cjk(c) {
                if std::mem::take(&mut inside) {
                    words.push(word);
                }
                s.cjk += 1;
                words.push(fnv(FNV, c as u32));
                s.hash = fnv(s.hash, c as u32);
            } else if is_word(c) {
                let l = lower(c);
                word = fnv(if inside { word } else { FNV }, l);
                inside = true;
                if c.is_numeric() {
                    s.digits += 1;
                } else {
                    s.hash = fnv(s.hash, l);
                    s.upper += (l != c as u32 && c.is_uppercase()) as u32;
                }
            } else {
                if std::mem::take(&mut inside) {
                    words.push(word);
                }
                s.symbol(c);
            }
            at += c.len_utf8();
        }
        if inside {
            words.push(word);
        }
        s.ends_sentence = ends_sentence(text);
        let words = &words[first_word..];
        s.words = words.len() as u32;
        for &w in words {
            s.title_words += title.contains(w) as u32;
            s.description_words += description.contains(w) as u32;
        }
        s
    }

    fn symbol(&mut self, c: char) {
        match c {
            c if is_stop(c) => self.stops += 1,
            ',' | ';' | '，' | '、' | '；' | '،' | '؛' | ':' | '：' => self.commas += 1,
            _ => self.symbols += 1,
        }
    }
}

/// Whether the text ends with a mark that ends a sentence, ignoring quotes.
pub fn ends_sentence(text: &str) -> bool {
    const MAY_FOLLOW: [char; 11] = [' ', '"', '\'', ')', ']', '”', '’', '»', '」', '』', '）'];
    text.trim_end_matches(MAY_FOLLOW).chars().next_back().is_some_and(is_stop)
}

/// Whether the mark ends a sentence, in any script.
fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '۔' | '।' | '॥' | '．')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_equal_hand_counts() {
        let title = WordSet::new("The Red fox");
        let stats = |text: &str, title: &WordSet| TextStats::new(text, title, &WordSet::default(), &mut Vec::new());
        let s = stats("A red Fox, 42 €; “yes.”", &title);
        assert_eq!((s.words, s.digits, s.upper, s.stops, s.commas, s.title_words), (5, 2, 2, 1, 2, 2));
        assert!(s.ends_sentence);
        assert_eq!(s.symbols, 3);
        let zh = stats("红色，狐狸。", &WordSet::new("红"));
        assert_eq!((zh.words, zh.cjk, zh.stops, zh.commas, zh.title_words), (4, 4, 1, 1, 1));
        assert!(zh.ends_sentence);
    }

    #[test]
    fn repeated_boilerplate_hashes_alike() {
        let none = WordSet::default();
        let h = |t: &str| TextStats::new(t, &none, &none, &mut Vec::new()).hash;
        assert_eq!(h("Posted 3 days ago"), h("posted 12 Days  ago"));
        assert_ne!(h("Posted 3 days ago"), h("posted 3 hours ago"));
    }

    #[test]
    fn letters_beyond_ascii_follow_unicode() {
        for c in (0x80..0x3000).filter_map(char::from_u32).filter(|c| !is_cjk(*c)) {
            assert_eq!(is_word(c), c.is_alphanumeric(), "{c}");
            assert_eq!(lower(c), c.to_lowercase().next().unwrap() as u32, "{c}");
        }
    }

    #[test]
    fn words_are_grouped_by_block() {
        let dom = maintext_page::dom::parse("<p>One two<p>два, Два!<p>—", &Default::default());
        let blocks = Blocks::new(&dom);
        let (words, stats) = BlockWords::with_stats(&blocks, &WordSet::default(), &WordSet::default());
        let counts: Vec<_> = (0..3).map(|i| (words.of(i).len(), stats[i].words)).collect();
        assert_eq!(counts, [(2, 2), (2, 2), (0, 0)]);
        assert_eq!(words.of(1)[0], words.of(1)[1]);
    }
}
