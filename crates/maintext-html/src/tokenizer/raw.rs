//! RCDATA, RAWTEXT, script data and PLAINTEXT.

use super::{HtmlTokenizer, Sink, TextRun, TokenizerState};
use crate::names::Tag;
use crate::scan::{find1, find2, is_space};

/// State of script data with respect to `<!--`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    Escaped,
    Double,
}

impl<S: Sink> HtmlTokenizer<'_, S> {
    /// Whether the `<` at `at` begins the end tag of the current text.
    fn is_raw_end(&self, at: usize) -> bool {
        let Some(name) = self.raw_tag.and_then(Tag::known_name) else {
            return false;
        };
        self.byte(at + 1) == Some(b'/') && self.is_word(at + 2, name)
    }

    /// Whether the complete tag name `word` is at `at`.
    fn is_word(&self, at: usize, word: &str) -> bool {
        self.looking_at(at, word.as_bytes())
            && self.byte(at + word.len()).is_some_and(|b| is_space(b) || b == b'/' || b == b'>')
    }

    /// Emits `run` and then the end tag at `end`, unless the input ends there.
    fn finish_raw(&mut self, run: TextRun, end: usize) {
        let start = self.pos;
        self.pos = end;
        self.emit_nonempty(run, start, end);
        if end < self.bytes.len() {
            self.state = TokenizerState::Data;
            self.end_tag();
        }
    }

    pub(super) fn plaintext(&mut self) {
        let end = self.bytes.len();
        let run = self.clean(self.pos, end);
        self.finish_raw(run, end);
    }

    pub(super) fn rawtext(&mut self) {
        let mut end = find1(self.bytes, self.pos, b'<');
        while end < self.bytes.len() && !self.is_raw_end(end) {
            end = find1(self.bytes, end + 1, b'<');
        }
        let run = self.clean(self.pos, end);
        self.finish_raw(run, end);
    }

    pub(super) fn rcdata(&mut self) {
        let mut copied = None;
        let (mut from, mut at) = (self.pos, self.pos);
        let mut stop = find2(self.bytes, at, b'<', b'&');
        loop {
            if stop < at {
                stop = find2(self.bytes, at, b'<', b'&');
            }
            let special = self.special_from(at);
            if special < stop {
                self.copy(&mut copied, from, special);
                at = self.replace_special(special);
                from = at;
                continue;
            }
            match self.byte(stop) {
                Some(b'&') => match self.char_ref(stop, false) {
                    Some((end, text)) => {
                        self.copy(&mut copied, from, stop);
                        self.push_expansion(text);
                        from = end;
                        at = end;
                    }
                    None => at = stop + 1,
                },
                Some(_) if !self.is_raw_end(stop) => at = stop + 1,
                _ => break,
            }
        }
        let run = self.finish_run(copied, from, stop);
        self.finish_raw(run, stop);
    }

    pub(super) fn script(&mut self) {
        let end = self.script_end();
        let run = self.clean(self.pos, end);
        self.finish_raw(run, end);
    }

    /// Returns where the script data from the current position ends.
    fn script_end(&mut self) -> usize {
        let len = self.bytes.len();
        let mut escape = Escape::None;
        let mut at = self.pos;
        // A `-->` counts only if its dashes come from this position on; `<!-->` ends at once, because both marks share their dashes.
        let mut dashes_from = 0;
        loop {
            let stop = match escape {
                Escape::None => find1(self.bytes, at, b'<'),
                _ => find2(self.bytes, at, b'<', b'>'),
            };
            if stop == len {
                break;
            }
            at = stop + 1;
            if self.bytes[stop] == b'>' {
                if stop >= dashes_from + 2 && self.bytes[..stop].ends_with(b"--") {
                    escape = Escape::None;
                }
            } else if escape != Escape::Double && self.is_raw_end(stop) {
                return stop;
            } else if escape == Escape::None && self.looking_at(at, b"!--") {
                escape = Escape::Escaped;
                dashes_from = stop + 2;
                at = stop + 4;
            } else if escape == Escape::Escaped && self.is_word(at, "script") {
                escape = Escape::Double;
                at += 7;
            } else if escape == Escape::Double && self.byte(at) == Some(b'/') && self.is_word(at + 1, "script") {
                escape = Escape::Escaped;
                at += 8;
            }
        }
        len
    }
}
