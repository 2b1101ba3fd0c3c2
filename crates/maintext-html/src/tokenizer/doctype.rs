//! Doctypes.

use super::{DoctypeToken, HtmlTokenizer, Sink};
use crate::scan::{find1, find2, is_space};

/// Selects one of the two identifiers of a doctype.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DoctypeId {
    Public,
    System,
}

impl<S: Sink> HtmlTokenizer<'_, S> {
    /// Emits the doctype whose name follows at `at`.
    pub(super) fn doctype(&mut self, at: usize) {
        let mut token = DoctypeToken::default();
        let end = match self.doctype_name(at, &mut token) {
            Some(end) => end,
            None => {
                token.force_quirks = true;
                self.bytes.len()
            }
        };
        self.set_token(self.pos, end);
        self.pos = end;
        self.sink.doctype(&mut self.core, token);
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while self.byte(at).is_some_and(is_space) {
            at += 1;
        }
        at
    }

    /// Reads the doctype from its name. Returns the position after its `>`, or `None` at the end of the input.
    fn doctype_name(&mut self, at: usize, token: &mut DoctypeToken) -> Option<usize> {
        let start = self.skip_space(at);
        if self.byte(start)? == b'>' {
            token.force_quirks = true;
            return Some(start + 1);
        }
        let mut end = start;
        while self.byte(end).is_some_and(|b| !is_space(b) && b != b'>') {
            end += 1;
        }
        let run = self.clean(start, end);
        token.name = Some(self.core.str(run).to_ascii_lowercase());
        let at = self.skip_space(end);
        match self.byte(at)? {
            b'>' => Some(at + 1),
            _ if self.looking_at(at, b"public") => self.identifiers(at + 6, DoctypeId::Public, token),
            _ if self.looking_at(at, b"system") => self.identifiers(at + 6, DoctypeId::System, token),
            _ => {
                token.force_quirks = true;
                self.bogus_doctype(at)
            }
        }
    }

    /// Reads the identifiers after the keyword.
    fn identifiers(&mut self, at: usize, which: DoctypeId, token: &mut DoctypeToken) -> Option<usize> {
        let start = self.skip_space(at);
        match self.byte(start)? {
            b'"' | b'\'' => {
                let after = self.identifier(start, which, token)?;
                if self.bytes[after - 1] == b'>' {
                    return Some(after);
                }
                match which {
                    DoctypeId::Public => self.after_public(after, token),
                    DoctypeId::System => self.after_system(after),
                }
            }
            b'>' => {
                token.force_quirks = true;
                Some(start + 1)
            }
            _ => {
                token.force_quirks = true;
                self.bogus_doctype(start)
            }
        }
    }

    /// Reads the identifier whose quote is at `at`. Returns the position after the closing quote, or after a `>` that ends it early.
    fn identifier(&mut self, at: usize, which: DoctypeId, token: &mut DoctypeToken) -> Option<usize> {
        let quote = self.bytes[at];
        let end = find2(self.bytes, at + 1, quote, b'>');
        let run = self.clean(at + 1, end);
        let text = self.core.str(run).to_string();
        match which {
            DoctypeId::Public => token.public = Some(text),
            DoctypeId::System => token.system = Some(text),
        }
        if self.byte(end)? == b'>' {
            token.force_quirks = true;
        }
        Some(end + 1)
    }

    fn after_public(&mut self, at: usize, token: &mut DoctypeToken) -> Option<usize> {
        let start = self.skip_space(at);
        match self.byte(start)? {
            b'>' => Some(start + 1),
            b'"' | b'\'' => {
                let after = self.identifier(start, DoctypeId::System, token)?;
                if self.bytes[after - 1] == b'>' { Some(after) } else { self.after_system(after) }
            }
            _ => {
                token.force_quirks = true;
                self.bogus_doctype(start)
            }
        }
    }

    fn after_system(&mut self, at: usize) -> Option<usize> {
        let start = self.skip_space(at);
        if self.byte(start)? == b'>' {
            return Some(start + 1);
        }
        self.bogus_doctype(start)
    }

    /// Skips to the `>`. The end of the input does not force quirks mode again.
    fn bogus_doctype(&mut self, at: usize) -> Option<usize> {
        Some((find1(self.bytes, at, b'>') + 1).min(self.bytes.len()))
    }
}
