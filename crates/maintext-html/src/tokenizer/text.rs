//! The data state: text, and the markup that a `<` begins.

use super::{HtmlTokenizer, Sink, TextRun, TokenizerState};
use crate::scan::find2;

impl<S: Sink> HtmlTokenizer<'_, S> {
    /// Tokenizes in the data state until the state changes or the input ends.
    pub(super) fn data(&mut self) {
        while self.state == TokenizerState::Data && self.goes_on() {
            if self.bytes[self.pos] != b'<' {
                self.text_run();
                continue;
            }
            match self.byte(self.pos + 1) {
                Some(b) if b.is_ascii_alphabetic() => self.start_tag(),
                Some(b'/') => self.end_tag_open(),
                Some(b'!') => self.markup_declaration(),
                Some(b'?') => {
                    self.bogus_comment(self.pos + 1);
                }
                _ => self.text_run(),
            }
        }
    }

    fn end_tag_open(&mut self) {
        match self.byte(self.pos + 2) {
            Some(b) if b.is_ascii_alphabetic() => self.end_tag(),
            Some(b'>') => {
                self.pos += 3;
            }
            Some(_) => {
                self.bogus_comment(self.pos + 2);
            }
            None => self.text_run(),
        }
    }

    /// Whether the `<` at `at` begins markup.
    #[inline]
    fn is_markup(&self, at: usize) -> bool {
        match self.byte(at + 1) {
            Some(b'/') => at + 2 < self.bytes.len(),
            Some(b) => b.is_ascii_alphabetic() || b == b'!' || b == b'?',
            None => false,
        }
    }

    /// Emits the text from the current position to the next markup or NUL.
    fn text_run(&mut self) {
        let start = self.pos;
        // Searches do not go beyond the next carriage return or NUL, so that many of them cost one search in total.
        let special = self.special_from(start);
        let stop = find2(&self.bytes[..special], start, b'<', b'&');
        if stop < special && self.bytes[stop] == b'<' && stop > start && self.is_markup(stop) {
            // The most frequent case by far: a span of the input.
            self.pos = stop;
            self.emit_text(TextRun { start: start as u32, len: (stop - start) as u32 }, start);
            return;
        }
        self.mixed_text_run(stop);
    }

    /// Like `text_run`, for text with character references, carriage returns, NULs, or `<`s that do not begin markup. `stop` is the first
    /// `<`, `&`, carriage return or NUL.
    fn mixed_text_run(&mut self, mut stop: usize) {
        let start = self.pos;
        let mut copied = None;
        // The text up to `from` is in the side buffer (if `copied`); the text up to `at` has been examined.
        let (mut from, mut at) = (start, start);
        loop {
            if stop < at {
                let special = self.special_from(at);
                stop = find2(&self.bytes[..special], at, b'<', b'&');
            }
            match self.byte(stop) {
                Some(0) => {
                    let run = self.finish_run(copied, from, stop);
                    self.pos = stop + 1;
                    self.emit_nonempty(run, start, stop);
                    self.emit_nul(stop);
                    return;
                }
                Some(b'\r') => {
                    self.copy(&mut copied, from, stop);
                    at = self.replace_special(stop);
                    from = at;
                }
                Some(b'&') => match self.char_ref(stop, false) {
                    Some((end, text)) => {
                        self.copy(&mut copied, from, stop);
                        self.push_expansion(text);
                        from = end;
                        at = end;
                    }
                    None => at = stop + 1,
                },
                Some(_) if !self.is_markup(stop) => at = stop + 1,
                _ => break,
            }
        }
        let run = self.finish_run(copied, from, stop);
        self.pos = stop;
        self.emit_nonempty(run, start, stop);
    }

    pub(super) fn emit_nonempty(&mut self, run: TextRun, start: usize, end: usize) {
        if run.len > 0 {
            self.set_token(start, end);
            self.sink.text(&mut self.core, run);
        }
    }

    fn emit_nul(&mut self, at: usize) {
        self.set_token(at, at + 1);
        self.sink.nul(&mut self.core);
    }

    #[inline]
    fn emit_text(&mut self, run: TextRun, start: usize) {
        self.set_token(start, self.pos);
        self.sink.text(&mut self.core, run);
    }

    /// Handles a CDATA section from the current position to its `]]>`.
    pub(super) fn cdata(&mut self) {
        let bytes = self.bytes;
        let end = memchr::memmem::find(&bytes[self.pos..], b"]]>").map(|i| self.pos + i);
        let to = end.unwrap_or(bytes.len());
        while self.pos < to {
            let start = self.pos;
            // Stops at the next NUL, which the tree builder handles separately.
            let nul = crate::scan::find1(&bytes[..to], start, 0);
            let run = self.clean(start, nul);
            self.emit_nonempty(run, start, nul);
            if nul < to {
                self.set_token(nul, nul + 1);
                self.sink.nul(&mut self.core);
            }
            self.pos = nul + 1;
        }
        self.pos = to;
        if end.is_some() {
            self.pos = to + 3;
            self.state = TokenizerState::Data;
        }
    }
}
