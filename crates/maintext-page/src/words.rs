//! Words and white space in the text of blocks.

/// Whether a character is written without spaces between words and counts as a word of its own: Kana, Han, Hangul.
pub fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ac00}'..='\u{d7af}')
}

/// Whether a character shows nothing and only permits or forbids a line break: the soft hyphen, the zero-width space, the word joiner, the byte
/// order mark.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// Counts words: runs of letters, digits and `_`; each character for which [`is_cjk`] holds is a word.
pub fn count_words(text: &str) -> u32 {
    let (mut words, mut inside) = (0, false);
    for c in text.chars() {
        if is_cjk(c) {
            words += 1;
            inside = false;
        } else {
            let w = c.is_alphanumeric() || c == '_';
            words += (w && !inside) as u32;
            inside = w;
        }
    }
    words
}

/// Marks a letter, a digit or `_` in [`VISIBLE`].
const IN_WORD: u8 = 2;

/// For each byte: 0 for white space and non-ASCII bytes, [`IN_WORD`] for parts of words, 1 for the rest.
pub(super) const VISIBLE: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0u8;
    while b < 128 {
        let space = matches!(b, b' ' | 9..=13);
        let word = b.is_ascii_alphanumeric() || b == b'_';
        table[b as usize] = if space { 0 } else { 1 + word as u8 };
        b += 1;
    }
    table
};

/// Whether the text is only white space.
pub(super) fn is_blank(s: &str) -> bool {
    match s.bytes().find(|b| VISIBLE[*b as usize] != 0 || *b >= 128) {
        None => true,
        Some(b) => b >= 128 && s.chars().all(char::is_whitespace),
    }
}

/// Visible text that is copied unchanged: ASCII with single spaces in it, or another character.
pub(super) struct Run {
    /// Length in bytes.
    pub(super) len: usize,
    /// Number of words that begin in it.
    pub(super) words: u32,
    /// Whether its end is inside a word.
    pub(super) in_word: bool,
}

impl Run {
    /// Returns a character that is not ASCII; `in_word`: whether a word precedes it directly.
    pub(super) fn of_char(c: char, in_word: bool) -> Run {
        let is_cjk = is_cjk(c);
        let is_word = !is_cjk && c.is_alphanumeric();
        Run { len: c.len_utf8(), words: (is_cjk || is_word && !in_word) as u32, in_word: is_word }
    }

    /// Returns the run at the beginning of `bytes`, whose first byte is visible ASCII; `in_word`: whether a word precedes it directly.
    pub(super) fn new(bytes: &[u8], mut in_word: bool) -> Run {
        let (mut len, mut words) = (0, 0);
        loop {
            for &b in &bytes[len..] {
                let class = VISIBLE[b as usize];
                if class == 0 {
                    break;
                }
                let is_word = class == IN_WORD;
                words += (is_word && !in_word) as u32;
                in_word = is_word;
                len += 1;
            }
            let next = bytes.get(len + 1).map_or(0, |&b| VISIBLE[b as usize]);
            if bytes.get(len) != Some(&b' ') || next == 0 {
                return Run { len, words, in_word };
            }
            in_word = false;
            len += 1;
        }
    }
}
