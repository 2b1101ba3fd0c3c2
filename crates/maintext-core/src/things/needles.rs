//! Words that are looked for inside texts.

/// Words of at least four bytes in lower case that are looked for in one pass, without regard to the case of ASCII letters.
#[derive(Debug)]
pub(super) struct Needles {
    words: Vec<(u32, &'static [u8])>,
    /// A bit for the slot of each word's first four bytes.
    filter: [u64; 4],
}

impl Needles {
    /// Prepares words; shorter ones are never found.
    pub fn new(words: impl IntoIterator<Item = &'static str>) -> Needles {
        let mut needles = Needles { words: Vec::new(), filter: [0; 4] };
        for word in words {
            let Some(first) = word.as_bytes().first_chunk::<4>() else { continue };
            let start = first.iter().fold(0, |start, b| next(start, *b));
            let slot = slot(start);
            needles.filter[slot >> 6] |= 1 << (slot & 63);
            needles.words.push((start, word.as_bytes()));
        }
        needles
    }

    /// Returns the index of each word found, in the order of the text.
    pub fn found<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        let text = text.as_bytes();
        let mut start = 0;
        text.iter().enumerate().flat_map(move |(at, b)| {
            start = next(start, *b);
            let slot = slot(start);
            let may_start = at > 2 && self.filter[slot >> 6] >> (slot & 63) & 1 == 1;
            let words = if may_start { &self.words[..] } else { &[] };
            let is_here = move |w: &[u8]| {
                text.get(at.wrapping_sub(3)..).and_then(|t| t.get(..w.len())).is_some_and(|t| t.eq_ignore_ascii_case(w))
            };
            words.iter().enumerate().filter(move |(_, w)| w.0 == start && is_here(w.1)).map(|(i, _)| i)
        })
    }

    /// Returns whether a text holds one of the words.
    pub fn are_in(&self, text: &str) -> bool {
        text.len() > 3 && self.found(text).next().is_some()
    }
}

/// Returns the last four bytes after one more. Setting the sixth bit makes letters lower case; what else it changes is compared later.
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
    use super::Needles;

    #[test]
    fn words_are_found_in_any_case_and_nowhere_else() {
        let needles = Needles::new(["step", "ingrédient", "add-to-cart", "buy"]);
        for (text, found) in [
            ("Step1 laststep", &[0, 0][..]),
            ("x-ADD-TO-CART", &[2]),
            ("ingrédients", &[1]),
            ("ste", &[]),
            ("s t e p", &[]),
            ("add\rto\rcart", &[]),
            ("buy", &[]),
            ("", &[]),
        ] {
            assert_eq!(needles.found(text).collect::<Vec<_>>(), found, "{text}");
            assert_eq!(needles.are_in(text), !found.is_empty(), "{text}");
        }
    }
}
