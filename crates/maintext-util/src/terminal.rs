//! Text for terminals.
use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

/// Returns a text without the characters by which a page could manipulate a terminal: control characters other than line breaks and tabs, and
/// those that change the direction of the text around them.
///
/// ```
/// use maintext_util::terminal::printable;
/// assert_eq!(printable("a\u{1b}[2J\u{9b}b\u{202e}c\n"), "a[2Jbc\n");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) { text.into() } else { text.chars().filter(|&c| is_printable(c)).collect() }
}

/// Whether [`printable`] keeps a character.
#[must_use]
pub fn is_printable(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        c => !c.is_control(),
    }
}

/// Returns standard output. On a terminal, it writes [`printable`] text. Each write must hold whole characters.
#[must_use]
pub fn stdout() -> Box<dyn Write> {
    if io::stdout().is_terminal() { Box::new(Printable(io::stdout())) } else { Box::new(io::stdout()) }
}

struct Printable<W>(W);

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.write_all(printable(&String::from_utf8_lossy(buffer)).as_bytes())?;
        Ok(buffer.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_get_no_escape_sequences() {
        assert_eq!(printable("a\x1b[2Jb\n\tc\u{9b}d\u{7f}\u{2066}e"), "a[2Jb\n\tcde");
        assert!(matches!(printable("plain\n"), Cow::Borrowed(_)));
        let mut out = Vec::new();
        Printable(&mut out).write_all("{\"a\":\"\u{9b}2J\"}\n".as_bytes()).unwrap();
        assert_eq!(out, b"{\"a\":\"2J\"}\n");
    }
}
