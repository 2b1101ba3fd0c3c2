//! E-mail messages, mailboxes and MHTML, by mail-parser.
use crate::head::{HeadFacts, escape};
use crate::recognise::is_almost;
use crate::{Document, Refusal, text};
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};
use memchr::memmem;
use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// Parses a message. Returns `None` if it has no header.
fn parse(bytes: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse(bytes)
}

/// Maximum number of boundaries of a message that are looked at.
const BOUNDARIES: usize = 16;

/// Mends boundaries with a wrong bit, and adds the last ones that a file lacks which was cut off: mail-parser reads only parts that end.
/// Returns the warning of a file that was cut off.
fn completed(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<String>) {
    let declared = boundaries(bytes);
    let mut whole = Cow::Borrowed(bytes);
    for (at, byte) in declared.iter().flat_map(|boundary| faults(bytes, boundary)) {
        whole.to_mut()[at] = byte;
    }
    let open: Vec<&&[u8]> = declared
        .iter()
        .filter(|boundary| {
            let begin = [b"\n--", **boundary].concat();
            memmem::rfind(&whole, &begin).is_some_and(|last| !whole[last + begin.len()..].starts_with(b"--"))
        })
        .collect();
    if open.is_empty() {
        return (whole, None);
    }
    let ends = open.iter().rev().flat_map(|boundary| [&b"\r\n--"[..], boundary, b"--"]);
    let whole = [&*whole].into_iter().chain(ends).collect::<Vec<_>>().concat();
    (whole.into(), Some("the message is cut off: the part before the end was read".to_owned()))
}

/// Returns the boundaries that a message declares.
fn boundaries(bytes: &[u8]) -> Vec<&[u8]> {
    let mut found: Vec<&[u8]> = Vec::new();
    for (number, at) in memmem::find_iter(bytes, b"oundary=").take(BOUNDARIES).enumerate() {
        let value = &bytes[at + b"oundary=".len()..];
        let boundary = match value.strip_prefix(b"\"") {
            Some(quoted) => quoted.split(|b| *b == b'"').next(),
            None => value.split(|b| *b == b';' || b.is_ascii_whitespace()).next(),
        };
        // Text may speak of boundaries; only the header says that there are parts.
        if number == 0 && memmem::find(&bytes[..at], b"\n\n").or(memmem::find(&bytes[..at], b"\r\n\r\n")).is_some() {
            break;
        }
        found.extend(boundary.filter(|boundary| !boundary.is_empty() && !found.contains(boundary)));
    }
    found
}

/// Returns the bytes of a boundary's lines that have a wrong bit, with the right ones. Such a bit would join two parts.
fn faults(bytes: &[u8], boundary: &[u8]) -> Vec<(usize, u8)> {
    let line = [b"--", boundary].concat();
    let mut found = Vec::new();
    let mut mend = |at: usize, right: &[u8]| {
        let wrong = (at..).zip(right).filter(|(at, right)| bytes.get(*at).is_some_and(|b| b != *right));
        found.extend(wrong.map(|(at, right)| (at, *right)));
    };
    for at in memchr::memchr_iter(b'\n', bytes).map(|at| at + 1) {
        if is_almost(&bytes[at..], &line) {
            mend(at, &line);
        }
    }
    for at in memmem::find_iter(bytes, &line) {
        let (before, after) = (at.saturating_sub(1), &bytes[at + line.len()..]);
        if is_almost(&bytes[before..at], b"\n") {
            mend(before, b"\n");
        }
        // The empty line after the header.
        if let Some([b'\n', empty, b'\n']) = bytes.get(at.saturating_sub(3)..at)
            && is_almost(&[*empty], b"\r")
        {
            mend(at - 2, b"\r");
        }
        let ends: [&[u8]; 3] = [b"\r\n", b"\n", b"--"];
        if !ends.iter().any(|end| after.starts_with(end))
            && let Some(end) = ends.iter().find(|end| is_almost(after, end))
        {
            mend(at + line.len(), end);
        }
    }
    found
}

/// Reads a message: its HTML part, or else its text part.
pub fn message(bytes: &[u8]) -> Result<Document, Refusal> {
    let (bytes, warning) = completed(bytes);
    Ok(Document { warning, ..whole_message(&bytes)? })
}

fn whole_message(bytes: &[u8]) -> Result<Document, Refusal> {
    let message =
        parse(bytes).ok_or_else(|| Refusal::Damaged("an e-mail message".into(), "its header cannot be read".into()))?;
    let date = message.date().filter(|d| d.is_valid()).map(mail_parser::DateTime::to_rfc3339);
    let facts = HeadFacts {
        title: message.subject().map(str::to_owned),
        authors: message.from().and_then(sender).into_iter().collect(),
        date,
        ..HeadFacts::default()
    };
    let htmls: Vec<&str> = message.html_bodies().filter_map(html_of).collect();
    // Letters to many people have the frame of a page: banners, links to unsubscribe.
    let is_bulk = message.header("List-Unsubscribe").is_some() || message.header("List-Id").is_some();
    if !htmls.is_empty() && htmls.iter().any(|h| !h.trim().is_empty()) {
        return Ok(Document::made(facts.add_to(&htmls.concat()), !is_bulk));
    }
    let texts: Vec<&str> = message.text_bodies().filter_map(text_of).collect();
    if texts.is_empty() {
        return Err(Refusal::NotAPage("an e-mail message without text".into()));
    }
    Ok(Document::made(facts.page(text::paragraphs(&texts.join("\n\n"))), true))
}

fn html_of<'a>(part: &'a mail_parser::MessagePart<'_>) -> Option<&'a str> {
    match &part.body {
        PartType::Html(html) => Some(html),
        _ => None,
    }
}

fn text_of<'a>(part: &'a mail_parser::MessagePart<'_>) -> Option<&'a str> {
    match &part.body {
        PartType::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns the sender's name, or else the address.
fn sender(address: &Address<'_>) -> Option<String> {
    let first = address.first()?;
    let name = first.name().map(|n| n.trim().trim_matches(['"', '\'']).trim()).filter(|n| !n.is_empty());
    name.or(first.address()).map(str::to_owned)
}

/// Reads an MHTML file: its root page.
pub fn archive(bytes: &[u8]) -> Result<Document, Refusal> {
    let (bytes, warning) = completed(bytes);
    Ok(Document { warning, ..whole_archive(&bytes)? })
}

fn whole_archive(bytes: &[u8]) -> Result<Document, Refusal> {
    let message = parse(bytes).ok_or_else(|| damaged("its header cannot be read"))?;
    let start = message.content_type().and_then(|t| t.attribute("start")).map(|s| s.trim_matches(['<', '>']));
    let page = message
        .parts
        .iter()
        .filter(|part| html_of(part).is_some())
        .find(|part| start.is_some() && part.content_id() == start)
        .or_else(|| message.parts.iter().find(|part| html_of(part).is_some()))
        .ok_or_else(|| damaged("it holds no HTML page"))?;
    let address = message.header_raw("Snapshot-Content-Location").or_else(|| page.content_location());
    let url = address.map(str::trim).filter(|u| u.starts_with("http")).map(str::to_owned);
    let html = html_of(page).unwrap_or_default();
    // Browsers write the title into the subject as well; a page without one gets it from there.
    let has_title = memmem::find(html.to_ascii_lowercase().as_bytes(), b"<title").is_some();
    let html = match message.subject() {
        Some(subject) if !has_title => format!("<title>{}</title>{html}", escape(subject)),
        _ => html.to_owned(),
    };
    Ok(Document { url, ..Document::made(html, false) })
}

fn damaged(reason: &str) -> Refusal {
    Refusal::Damaged("an MHTML archive".into(), reason.into())
}

/// Splits a mailbox of any size into its messages, each of at most a number of bytes, as their senders wrote them: without the line that
/// precedes each, and with `From ` for `>From `.
///
/// That line begins with `From ` after an empty line. If one bit of both is wrong, the date in it and the header behind it show it.
pub struct Mailbox {
    reader: Box<dyn BufRead + Send>,
    /// A line that was read ahead.
    ahead: Option<Vec<u8>>,
    max_size: usize,
    begun: bool,
    ended: bool,
}

impl Mailbox {
    /// Reads a file that begins with a message.
    pub fn new(reader: Box<dyn BufRead + Send>, max_size: usize) -> Mailbox {
        Mailbox { reader, ahead: None, max_size, begun: false, ended: false }
    }

    /// Returns the next line, of which at most one byte more than the largest size. It is empty at the end of the file.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = self.ahead.take().unwrap_or_default();
        if line.is_empty() {
            (&mut self.reader).take(self.max_size as u64 + 1).read_until(b'\n', &mut line)?;
        }
        Ok(line)
    }

    /// Whether a line precedes a message.
    fn separates(&mut self, line: &[u8], after_blank: bool) -> io::Result<bool> {
        if after_blank && line.starts_with(b"From ") {
            return Ok(true);
        }
        // The line break before it may be the damaged byte.
        let start = (0..2).find(|at| is_almost(line.get(*at..).unwrap_or_default(), b"\n")).map_or(0, |at| at + 1);
        let rest = line.get(start..).unwrap_or_default();
        if !(rest.starts_with(b"From ") || (start == 0 && is_almost(rest, b"From "))) || !holds_time(line) {
            return Ok(false);
        }
        let next = self.line()?;
        let name = next.iter().position(|b| *b == b':').map_or(&[][..], |end| &next[..end]);
        let is_header = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
        self.ahead = Some(next);
        Ok(is_header)
    }

    /// Returns the next message; `None` if it is too large.
    fn message(&mut self) -> io::Result<Option<Vec<u8>>> {
        if !std::mem::replace(&mut self.begun, true) {
            self.line()?;
        }
        let (mut message, mut too_large, mut after_blank) = (Vec::new(), false, false);
        loop {
            let line = self.line()?;
            self.ended = line.is_empty();
            if self.ended || self.separates(&line, after_blank)? {
                return Ok((!too_large).then_some(message));
            }
            after_blank = line.trim_ascii().is_empty();
            too_large |= message.len() + line.len() > self.max_size;
            if too_large { message.clear() } else { message.extend_from_slice(unquoted(&line)) }
        }
    }
}

impl Iterator for Mailbox {
    type Item = Result<Vec<u8>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match self.message() {
            Ok(Some(message)) if self.ended && message.trim_ascii().is_empty() => None,
            Ok(Some(message)) => Some(Ok(message)),
            Ok(None) => Some(Err(format!("the message is larger than the limit of {} bytes", self.max_size))),
            Err(error) => {
                self.ended = true;
                Some(Err(format!("cannot be read further: {error}")))
            }
        }
    }
}

/// Whether a line holds a time of day, as the lines before messages do.
fn holds_time(line: &[u8]) -> bool {
    line.len() < 200
        && line.windows(5).any(|five| five[2] == b':' && [0, 1, 3, 4].iter().all(|i| five[*i].is_ascii_digit()))
}

/// Returns a line of a mailbox as its sender wrote it.
fn unquoted(line: &[u8]) -> &[u8] {
    let marks = line.iter().take_while(|b| **b == b'>').count();
    let is_quoted = marks > 0 && line[marks..].starts_with(b"From ");
    if is_quoted { &line[1..] } else { line }
}

/// The messages of a mailbox in memory.
pub struct Mbox {
    mailbox: Mailbox,
    number: usize,
}

impl Mbox {
    pub fn new(bytes: Vec<u8>) -> Mbox {
        let max_size = bytes.len();
        Mbox { mailbox: Mailbox::new(Box::new(io::Cursor::new(bytes)), max_size), number: 0 }
    }
}

impl Iterator for Mbox {
    type Item = Result<Document, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        let message = self.mailbox.next()?;
        self.number += 1;
        let message = message.map_err(|reason| Refusal::Damaged("a mailbox".into(), reason));
        let part = Some(self.number.to_string());
        Some(message.and_then(|message| self::message(&message)).map(|document| Document { part, ..document }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A past bug: a message that was cut off lost its last part, and an archive was refused.
    #[test]
    fn what_was_cut_off_is_read_to_its_end() {
        let message = "Subject: Wind\nContent-Type: multipart/mixed; boundary=\"a\"\n\n--a\nContent-Type: multipart/alternative; boundary=b\n\n\
            --b\nContent-Type: text/plain\n\nPlain words.\n--b\nContent-Type: text/html\n\n<p>Words of the page, and more of th";
        for (read, name) in [(message_of as fn(&[u8]) -> _, "message"), (archive, "archive")] {
            let document: Document = read(message.as_bytes()).unwrap_or_else(|e| panic!("{name}: {e}"));
            let text = String::from_utf8_lossy(&document.bytes).into_owned();
            assert!(text.contains("<p>Words of the page, and more of th"), "{name}: {text}");
            assert!(document.warning.unwrap().starts_with("the message is cut off"), "{name}");
            let whole = format!("{message}e end.</p>\n--b--\n\n--a--\n");
            assert_eq!(read(whole.as_bytes()).unwrap().warning, None, "{name}");
        }
        let about = "Subject: MIME\nContent-Type: text/plain\n\nThey write boundary=x\n--x\nand so on.\n";
        assert!(matches!(completed(about.as_bytes()), (Cow::Borrowed(_), None)));
    }

    fn message_of(bytes: &[u8]) -> Result<Document, Refusal> {
        message(bytes)
    }
}
