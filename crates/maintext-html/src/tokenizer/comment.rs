//! Comments and other markup that begins with `<!`.

use super::{HtmlTokenizer, Sink, TextRun, TokenizerState};
use crate::scan::find1;

impl<S: Sink> HtmlTokenizer<'_, S> {
    /// Handles the `<!` at the current position.
    pub(super) fn markup_declaration(&mut self) {
        let at = self.pos + 2;
        if self.looking_at(at, b"--") {
            self.comment(at + 2);
        } else if self.looking_at(at, b"doctype") {
            self.doctype(at + 7);
        } else if self.bytes.get(at..at + 7) == Some(b"[CDATA[") {
            if self.sink.in_foreign() {
                self.pos = at + 7;
                self.state = TokenizerState::Cdata;
            } else {
                self.bogus_comment(at);
            }
        } else {
            self.bogus_comment(at);
        }
    }

    /// Emits a bogus comment whose data begins at `from`; the token begins at the current position.
    pub(super) fn bogus_comment(&mut self, from: usize) {
        let end = find1(self.bytes, from, b'>');
        let run = self.clean(from, end);
        self.emit_comment(run, (end + 1).min(self.bytes.len()));
    }

    fn emit_comment(&mut self, run: TextRun, end: usize) {
        self.set_token(self.pos, end);
        self.pos = end;
        self.sink.comment(&mut self.core, run);
    }

    /// Emits a comment whose data begins at `from`, after `<!--`.
    fn comment(&mut self, from: usize) {
        let abrupt = match self.byte(from) {
            Some(b'>') => Some(from + 1),
            Some(b'-') if self.byte(from + 1) == Some(b'>') => Some(from + 2),
            _ => None,
        };
        if let Some(end) = abrupt {
            self.emit_comment(TextRun::EMPTY, end);
            return;
        }
        let (data_end, end) = self.comment_end(from);
        let run = self.clean(from, data_end);
        self.emit_comment(run, end);
    }

    /// Returns where the comment's data ends and where the comment ends.
    fn comment_end(&mut self, from: usize) -> (usize, usize) {
        let len = self.bytes.len();
        let mut at = from;
        loop {
            // Searches for the `>` of `-->` or `--!>`, which is rarer than the dashes.
            let close = find1(self.bytes, at, b'>');
            if close == len {
                break;
            }
            let before = &self.bytes[from..close];
            if before.ends_with(b"--") {
                return (close - 2, close + 1);
            }
            if before.ends_with(b"--!") {
                return (close - 3, close + 1);
            }
            at = close + 1;
        }
        let data = &self.bytes[from..];
        let tail = [&b"--!"[..], b"--", b"-"].iter().find(|t| data.ends_with(t)).map_or(0, |t| t.len());
        (len - tail, len)
    }
}
