//! Character references.

use super::{HtmlTokenizer, Sink};
use crate::entities::{C1, Expansion, longest_match};

impl<S: Sink> HtmlTokenizer<'_, S> {
    /// Reads the character reference at the `&` at `at`. Returns its end and replacement, or `None` if the `&` is text.
    pub(super) fn char_ref(&mut self, at: usize, in_attribute: bool) -> Option<(usize, Expansion)> {
        match self.byte(at + 1)? {
            b'#' => self.numeric_ref(at),
            b if b.is_ascii_alphanumeric() => self.named_ref(at, in_attribute),
            _ => None,
        }
    }

    pub(super) fn push_expansion(&mut self, (first, second): Expansion) {
        self.core.side.push(first);
        self.core.side.extend(second);
    }

    fn named_ref(&mut self, at: usize, in_attribute: bool) -> Option<(usize, Expansion)> {
        let (len, expansion) = longest_match(&self.bytes[at + 1..])?;
        let end = at + 1 + len;
        if self.bytes[end - 1] != b';' {
            let next = self.byte(end);
            if in_attribute && next.is_some_and(|b| b == b'=' || b.is_ascii_alphanumeric()) {
                return None;
            }
        }
        Some((end, expansion))
    }

    fn numeric_ref(&mut self, at: usize) -> Option<(usize, Expansion)> {
        let hex = matches!(self.byte(at + 2), Some(b'x' | b'X'));
        let (radix, digits) = if hex { (16, at + 3) } else { (10, at + 2) };
        let mut number = 0u32;
        let mut end = digits;
        while let Some(digit) = self.byte(end).and_then(|b| (b as char).to_digit(radix)) {
            number = number.saturating_mul(radix).saturating_add(digit);
            end += 1;
        }
        if end == digits {
            return None;
        }
        if self.byte(end) == Some(b';') {
            end += 1;
        }
        Some((end, (numbered_char(number), None)))
    }
}

/// The "numeric character reference end state".
fn numbered_char(number: u32) -> char {
    match number {
        0 => '\u{FFFD}',
        0x80..=0x9F => C1[number as usize - 0x80],
        _ => char::from_u32(number).unwrap_or('\u{FFFD}'),
    }
}
