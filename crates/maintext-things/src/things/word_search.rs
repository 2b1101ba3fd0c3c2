//! Words that are looked for inside texts.

/// Words of at least four bytes in lower case that are looked for in one pass, without regard to the case of ASCII letters.
#[derive(Debug)]
pub(super) struct WordSearch {
    words: Vec<(u32, &'static [u8])>,
    /// A bit for the slot of each word's first four bytes.
    filter: [u64; 4],
}

impl WordSearch {
    /// Prepares words; shorter ones are never found.
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> WordSearch {
        let mut search = WordSearch { words: Vec::new(), filter: [0; 4] };
        for word in words {
            let Some(first) = word.as_bytes().first_chunk::<4>() else { continue };
            let start = first.iter().fold(0, |start, b| next(start, *b));
            let slot = slot(start);
            search.filter[slot >> 6] |= 1 << (slot & 63);
            search.words.push((start, word.as_bytes()));
        }
        search
    }

    /// Returns whether a text holds one of the words.
    pub fn is_in(&self, text: &str) -> bool {
        self.search(text, |_| true)
    }

    /// Returns the first of the words, in their given order, that a text contains.
    pub fn first_in(&self, text: &str) -> Option<usize> {
        let mut first = None;
        self.search(text, |i| {
            first = Some(first.map_or(i, |f: usize| f.min(i)));
            first == Some(0)
        });
        first
    }

    /// Calls `found` with the index of each word found until it returns true; returns whether it did.
    fn search(&self, text: &str, mut found: impl FnMut(usize) -> bool) -> bool {
        let text = text.as_bytes();
        let Some((first, rest)) = text.split_first_chunk::<3>() else { return false };
        let mut start = first.iter().fold(0, |start, b| next(start, *b));
        for (at, b) in rest.iter().enumerate() {
            start = next(start, *b);
            let slot = slot(start);
            if self.filter[slot >> 6] >> (slot & 63) & 1 == 0 {
                continue;
            }
            for (i, (_, word)) in self.words.iter().enumerate().filter(|(_, w)| w.0 == start) {
                if text[at..].get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word)) && found(i) {
                    return true;
                }
            }
        }
        false
    }
}

/// Returns the last four bytes after one more. Setting the sixth bit makes letters lower case; other characters that it changes are
/// compared later.
#[inline]
fn next(start: u32, byte: u8) -> u32 {
    start << 8 | u32::from(byte | 0x20)
}

#[inline]
fn slot(start: u32) -> usize {
    (start.wrapping_mul(0x9e37_79b1) >> 24) as usize
}

#[cfg(test)]
mod tests {
    use super::WordSearch;

    #[test]
    fn words_are_found_in_any_case_and_nowhere_else() {
        let search = WordSearch::new(["step", "ingrédient", "add-to-cart", "buy"]);
        for (text, found) in [
            ("laststep", Some(0)),
            ("ingrédients, step 2", Some(0)),
            ("x-ADD-TO-CART", Some(2)),
            ("ingrédients", Some(1)),
            ("ste", None),
            ("s t e p", None),
            ("add\rto\rcart", None),
            ("buy", None),
            ("", None),
        ] {
            assert_eq!(search.first_in(text), found, "{text}");
            assert_eq!(search.is_in(text), found.is_some(), "{text}");
        }
    }
}
