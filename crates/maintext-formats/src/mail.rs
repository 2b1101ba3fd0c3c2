//! E-mail messages and MHTML, by mail-parser.
use crate::head::{HeadFacts, escape};
use crate::{Document, Refusal, text};
use mail_parser::{Address, Message, MessageParser, MimeHeaders, PartType};
use memchr::memmem;
use std::borrow::Cow;

/// Parses a message. Returns `None` if it has no header.
fn parse(bytes: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse(bytes)
}

/// Maximum number of boundaries of a message that are looked at.
const BOUNDARIES: usize = 16;

/// Adds the last boundaries that a file lacks which was cut off: mail-parser reads only parts that end.
/// Returns the warning of a file that was cut off.
fn completed(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<String>) {
    let declared = boundaries(bytes);
    let open: Vec<&&[u8]> = declared
        .iter()
        .filter(|boundary| {
            let begin = [b"\n--", **boundary].concat();
            memmem::rfind(bytes, &begin).is_some_and(|last| !bytes[last + begin.len()..].starts_with(b"--"))
        })
        .collect();
    if open.is_empty() {
        return (Cow::Borrowed(bytes), None);
    }
    let ends = open.iter().rev().flat_map(|boundary| [&b"\r\n--"[..], boundary, b"--"]);
    let whole = [bytes].into_iter().chain(ends).collect::<Vec<_>>().concat();
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
