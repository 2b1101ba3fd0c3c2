//! Character references.

use super::{HtmlTokenizer, Sink};
use crate::entities::{C1, Expansion, longest_match};
use crate::error::{ErrorCode, is_control};

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
        let Some((len, expansion)) = longest_match(&self.bytes[at + 1..]) else {
            self.note_unknown_name(at);
            return None;
        };
        let end = at + 1 + len;
        if self.bytes[end - 1] != b';' {
            let next = self.byte(end);
            if in_attribute && next.is_some_and(|b| b == b'=' || b.is_ascii_alphanumeric()) {
                return None;
            }
            self.error(ErrorCode::MissingSemicolonAfterCharacterReference, end);
        }
        Some((end, expansion))
    }

    /// The "ambiguous ampersand state", which only reports an error.
    fn note_unknown_name(&mut self, at: usize) {
        let run = self.bytes[at + 1..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        if self.byte(at + 1 + run) == Some(b';') {
            self.error(ErrorCode::UnknownNamedCharacterReference, at + 1 + run);
        }
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
            self.error(ErrorCode::AbsenceOfDigitsInNumericCharacterReference, end);
            return None;
        }
        if self.byte(end) == Some(b';') {
            end += 1;
        } else {
            self.error(ErrorCode::MissingSemicolonAfterCharacterReference, end);
        }
        Some((end, (self.numbered_char(number, end), None)))
    }

    /// The "numeric character reference end state".
    fn numbered_char(&mut self, number: u32, at: usize) -> char {
        let (code, c) = match number {
            0 => (ErrorCode::NullCharacterReference, '\u{FFFD}'),
            0x11_0000.. => (ErrorCode::CharacterReferenceOutsideUnicodeRange, '\u{FFFD}'),
            0xD800..=0xDFFF => (ErrorCode::SurrogateCharacterReference, '\u{FFFD}'),
            0x80..=0x9F => (ErrorCode::ControlCharacterReference, C1[number as usize - 0x80]),
            _ => {
                let c = char::from_u32(number).unwrap_or('\u{FFFD}');
                if (number & 0xFFFE) == 0xFFFE || (0xFDD0..=0xFDEF).contains(&number) {
                    (ErrorCode::NoncharacterCharacterReference, c)
                } else if is_control(number) {
                    (ErrorCode::ControlCharacterReference, c)
                } else {
                    return c;
                }
            }
        };
        self.error(code, at);
        c
    }
}
