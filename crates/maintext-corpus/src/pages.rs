//! Pages from JSONL files, one page per line, plain or compressed with gzip or zstd.
//!
//! Each line is an object with `html` (the page as text) or `html_base64` (its raw bytes), and optionally `id` and `url`; other keys
//! are ignored. A line that cannot be parsed gives an error that names the file and line, and reading continues with the next line.
//!
//! ```
//! use maintext_corpus::pages::Pages;
//!
//! let lines = "{\"id\": \"a\", \"html\": \"<p>one</p>\"}\nbroken\n{\"html\": \"<p>two</p>\"}\n";
//! let pages: Vec<_> = Pages::from_reader("example.jsonl", lines.as_bytes()).collect();
//! assert_eq!(pages[0].as_ref().unwrap().bytes, b"<p>one</p>");
//! assert!(pages[1].as_ref().unwrap_err().to_string().starts_with("example.jsonl line 2: "));
//! assert_eq!(pages[2].as_ref().unwrap().line, 3);
//! ```

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde::de::{Deserializer, Visitor};
use serde_json::value::RawValue;

/// Largest zstd window, as a power of two: what `zstd --long=31` writes.
const ZSTD_WINDOW_LOG: u32 = 31;

/// Default for the longest line, in bytes.
const MAX_LINE: usize = 512 * 1024 * 1024;

/// Maximum number of bytes of a line for each byte of its page: Python writes a Cyrillic letter, two bytes, as `\u0430`.
pub(crate) const ESCAPED: usize = 3;

/// One page of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRecord {
    /// Number of its line, from 1.
    pub line: u64,
    /// The value of `id`; the digits of a number as they are written.
    pub id: Option<String>,
    /// The value of `url`.
    pub url: Option<String>,
    /// The page.
    pub bytes: Vec<u8>,
    /// `utf-8` if the file contains the page as text. Pass it to the decoder as the charset of the HTTP header, because a page that is
    /// already decoded no longer has the encoding that its `<meta>` declares.
    pub charset: Option<&'static str>,
}

/// Why a line contains no page. `Display` is one line that names the file and line.
#[derive(Debug)]
#[non_exhaustive]
pub enum PagesError {
    /// The file cannot be opened.
    Open {
        /// The file.
        file: String,
        /// The system's error.
        error: io::Error,
    },
    /// The file cannot be read further (disk error or broken compression); no record follows.
    Read {
        /// The file.
        file: String,
        /// The line that was being read.
        line: u64,
        /// The error of the system or the decompressor.
        error: io::Error,
    },
    /// This line is not a page; others follow.
    Line {
        /// The file.
        file: String,
        /// Its number, from 1.
        line: u64,
        /// The reason.
        reason: String,
    },
}

impl std::error::Error for PagesError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Open { error, .. } | Self::Read { error, .. } => Some(error),
            Self::Line { .. } => None,
        }
    }
}

impl fmt::Display for PagesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { file, error } => write!(f, "{file}: cannot be opened: {error}"),
            Self::Read { file, line, error } => {
                write!(f, "{file} line {line}: cannot read further: {error}")
            }
            Self::Line { file, line, reason } => write!(f, "{file} line {line}: {reason}"),
        }
    }
}

/// A line before parsing, so that another thread than the reader can parse it.
#[derive(Clone, Debug)]
pub struct RawLine {
    file: Arc<str>,
    /// Number of the line, from 1.
    pub number: u64,
    bytes: Vec<u8>,
}

impl RawLine {
    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Always false for a line from [`Pages`], which skips blank lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn broken(&self, reason: String) -> PagesError {
        PagesError::Line { file: self.file.to_string(), line: self.number, reason }
    }

    /// Whether the line may be an object. serde would accept an array with the fields in order, too.
    fn is_object(&self) -> bool {
        self.bytes.trim_ascii_start().first() == Some(&b'{')
    }

    /// Returns the id and the address on a line that is not a page, if they are readable.
    #[must_use]
    pub fn names(&self) -> (Option<String>, Option<String>) {
        #[derive(Default, Deserialize)]
        struct Names<'a> {
            #[serde(default, borrow)]
            id: Option<&'a RawValue>,
            #[serde(default, borrow)]
            url: Option<&'a RawValue>,
        }
        if !self.is_object() {
            return (None, None);
        }
        let names: Names<'_> = serde_json::from_slice(&self.bytes).unwrap_or_default();
        let url = names.url.and_then(|url| serde_json::from_str(url.get()).ok());
        (names.id.and_then(|value| id(value).ok()), url)
    }

    /// Parses the page on this line.
    ///
    /// # Errors
    ///
    /// [`PagesError::Line`].
    pub fn parse(&self) -> Result<PageRecord, PagesError> {
        let line = self.bytes.trim_ascii_end();
        if !self.is_object() {
            return Err(self.broken("not a page record: not a JSON object".into()));
        }
        let record: RawRecord<'_> = serde_json::from_slice(line)
            .map_err(|error| self.broken(format!("not a page record: {}", position(&error))))?;
        let id = record.id.map(id).transpose().map_err(|reason| self.broken(format!("not a page record: {reason}")))?;
        let (bytes, charset) = match (record.html, record.html_base64) {
            (Some(html), _) => (html.0, Some("utf-8")),
            (None, Some(base64)) => {
                (from_base64(base64.0).map_err(|error| self.broken(format!("html_base64: {error}")))?, None)
            }
            (None, None) => {
                return Err(self.broken("has neither \"html\" nor \"html_base64\"".into()));
            }
        };
        Ok(PageRecord { line: self.number, id, url: record.url, bytes, charset })
    }
}

/// An iterator over the pages of a file. Holds one line in memory at a time.
pub struct Pages {
    file: Arc<str>,
    source: LineSource,
    line: u64,
    max_line: usize,
    buffer: Vec<u8>,
}

/// Compression is detected when the first line is requested, so that opening never blocks on a pipe.
enum LineSource {
    Unopened(Box<dyn Read + Send>),
    Open(Box<dyn BufRead + Send>),
    Ended,
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("file", &self.file).field("line", &self.line).finish_non_exhaustive()
    }
}

impl Pages {
    /// Opens a file. Compression is detected by the first bytes, not by the name.
    ///
    /// # Errors
    ///
    /// [`PagesError::Open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, PagesError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match open_file(path) {
            Ok(file) => Ok(Self::from_reader(name, file)),
            Err(error) => Err(PagesError::Open { file: name, error }),
        }
    }

    /// Reads from any source, for example standard input; `name` replaces the file name in errors.
    pub fn from_reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self {
            file: name.into().into(),
            source: LineSource::Unopened(Box::new(reader)),
            line: 0,
            max_line: MAX_LINE,
            buffer: Vec::new(),
        }
    }

    /// Sets the length of the longest line in bytes (default 512 MiB). A longer line gives an error and is never held in memory.
    #[must_use]
    pub fn max_line(mut self, bytes: usize) -> Self {
        self.max_line = bytes;
        self
    }

    /// Reads the next line that is not blank into the buffer. Returns `Ok(false)` at the end of the file.
    fn next_line(&mut self) -> Result<bool, PagesError> {
        loop {
            self.line += 1;
            match self.read_line() {
                Ok(JsonLine::End) => return Ok(false),
                Ok(JsonLine::TooLong) => {
                    return Err(self.broken(format!("longer than {} bytes", self.max_line)));
                }
                Ok(JsonLine::Whole) => {
                    if self.line == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
                        self.buffer.drain(..3);
                    }
                    if !self.buffer.trim_ascii().is_empty() {
                        return Ok(true);
                    }
                }
                Err(error) => {
                    self.source = LineSource::Ended;
                    return Err(PagesError::Read { file: self.file.to_string(), line: self.line, error });
                }
            }
        }
    }

    fn read_line(&mut self) -> io::Result<JsonLine> {
        self.source = match std::mem::replace(&mut self.source, LineSource::Ended) {
            LineSource::Unopened(reader) => LineSource::Open(decompress(reader)?),
            other => other,
        };
        let LineSource::Open(reader) = &mut self.source else {
            return Ok(JsonLine::End);
        };
        self.buffer.clear();
        let limit = (self.max_line as u64).saturating_add(1);
        reader.take(limit).read_until(b'\n', &mut self.buffer)?;
        if self.buffer.is_empty() {
            return Ok(JsonLine::End);
        }
        if self.buffer.len() as u64 == limit && !self.buffer.ends_with(b"\n") {
            self.buffer = Vec::new();
            reader.skip_until(b'\n')?;
            return Ok(JsonLine::TooLong);
        }
        Ok(JsonLine::Whole)
    }

    fn broken(&self, reason: String) -> PagesError {
        PagesError::Line { file: self.file.to_string(), line: self.line, reason }
    }

    /// Returns the number of the last line read.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Continues after line `count` without parsing the lines before it.
    ///
    /// # Errors
    ///
    /// [`PagesError::Read`].
    pub fn skip_lines(&mut self, count: u64) -> Result<(), PagesError> {
        while self.line < count {
            self.line += 1;
            match self.read_line() {
                Ok(JsonLine::End) => break,
                Ok(JsonLine::Whole | JsonLine::TooLong) => {}
                Err(error) => return Err(PagesError::Read { file: self.file.to_string(), line: self.line, error }),
            }
        }
        Ok(())
    }

    /// Returns the next line without parsing it, or `None` at the end of the file. The iterator returns the same lines, parsed.
    pub fn next_raw(&mut self) -> Option<Result<RawLine, PagesError>> {
        match self.next_line() {
            Ok(true) => {
                let bytes = std::mem::take(&mut self.buffer);
                Some(Ok(RawLine { file: self.file.clone(), number: self.line, bytes }))
            }
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

fn open_file(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    // On Unix a folder opens without error and only fails when read, with an unhelpful message.
    if file.metadata()?.is_dir() {
        return Err(io::Error::other("is a folder"));
    }
    Ok(file)
}

enum JsonLine {
    Whole,
    TooLong,
    End,
}

impl Iterator for Pages {
    type Item = Result<PageRecord, PagesError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.next_raw()?.and_then(|line| line.parse()))
    }
}

/// Detects compression by the first four bytes; JSON starts with none of these magic numbers.
pub(crate) fn decompress(mut reader: Box<dyn Read + Send>) -> io::Result<Box<dyn BufRead + Send>> {
    const CAPACITY: usize = 128 * 1024;
    let mut head = Vec::with_capacity(4);
    (&mut reader).take(4).read_to_end(&mut head)?;
    let is_gzip = head.starts_with(b"\x1f\x8b");
    // A zstd file may start with a skippable frame, as pzstd writes.
    let is_zstd =
        head == b"\x28\xb5\x2f\xfd" || (head.len() == 4 && head[0] & 0xf0 == 0x50 && head[1..] == *b"\x2a\x4d\x18");
    let whole = BufReader::with_capacity(CAPACITY, io::Cursor::new(head).chain(reader));
    Ok(if is_gzip {
        let decoder = flate2::bufread::MultiGzDecoder::new(whole);
        Box::new(BufReader::with_capacity(CAPACITY, decoder))
    } else if is_zstd {
        let mut decoder = zstd::stream::read::Decoder::with_buffer(whole)?;
        decoder.window_log_max(ZSTD_WINDOW_LOG)?;
        Box::new(BufReader::with_capacity(CAPACITY, decoder))
    } else {
        Box::new(whole)
    })
}

/// Keeps only the column of a JSON error: serde_json counts lines within its text, which is always a single line.
fn position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) => format!("{} (column {})", &text[..at], error.column()),
        None => text,
    }
}

fn from_base64(mut text: Vec<u8>) -> Result<Vec<u8>, base64::DecodeError> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    text.retain(|byte| !byte.is_ascii_whitespace());
    GeneralPurpose::new(&STANDARD, config).decode(text)
}

#[derive(Deserialize)]
struct RawRecord<'a> {
    #[serde(default, borrow)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    html: Option<Bytes>,
    #[serde(default)]
    html_base64: Option<Bytes>,
}

/// A JSON string as bytes. Unlike `String` it accepts lone surrogates (`"\ud83d"`), which Python writes without complaint. They are
/// not valid UTF-8, and become U+FFFD.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesVisitor;

        impl Visitor<'_> for BytesVisitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(replaced(bytes.to_vec())))
            }
        }

        deserializer.deserialize_byte_buf(BytesVisitor)
    }
}

/// Replaces the bytes of surrogates with U+FFFD.
fn replaced(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while let Some(i) = memchr::memchr(0xed, &bytes[at..]) {
        at += i + 1;
        if let [_, 0xa0..=0xbf, _] = bytes[at - 1..(at + 2).min(bytes.len())] {
            bytes[at - 1..at + 2].copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    bytes
}

/// Returns an id: a string, or a number with all its digits.
fn id(value: &RawValue) -> Result<String, &'static str> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).map_err(|_| "id is not a valid string"),
        Some(b'-' | b'0'..=b'9') => Ok(text.to_owned()),
        _ => Err("id is neither a string nor a number"),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: impl Into<Vec<u8>>) -> Vec<Result<PageRecord, String>> {
        Pages::from_reader("f", io::Cursor::new(bytes.into()))
            .map(|page| page.map_err(|error| error.to_string()))
            .collect()
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &str, window_log: u32) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_record_is_read_from_its_keys() {
        let pages = read(
            "\u{feff}{\"id\": 7, \"url\": \"http://a/\", \"html\": \"<p>ü\", \"extra\": {\"a\": [1]}}\r\n\n\
             {\"html_base64\": \"PHA+/w==\", \"id\": null}\n{\"html\": \"\", \"html_base64\": null}",
        );
        let first = pages[0].as_ref().unwrap();
        assert_eq!(first.id.as_deref(), Some("7"));
        assert_eq!(first.url.as_deref(), Some("http://a/"));
        assert_eq!((first.bytes.as_slice(), first.charset), ("<p>ü".as_bytes(), Some("utf-8")));
        let second = pages[1].as_ref().unwrap();
        assert_eq!((second.line, second.id.as_ref(), second.charset), (3, None, None));
        assert_eq!(second.bytes, b"<p>\xff");
        assert_eq!(pages[2].as_ref().unwrap().bytes, b"");
        assert_eq!(pages.len(), 3);
    }

    #[test]
    fn numbers_as_ids_keep_their_digits() {
        for number in ["123456789012345678901234567890", "-7", "1.50", "9007199254740993"] {
            let pages = read(format!("{{\"id\": {number}, \"html\": \"\"}}"));
            assert_eq!(pages[0].as_ref().unwrap().id.as_deref(), Some(number));
        }
    }

    #[test]
    fn reading_continues_after_a_broken_line() {
        let cases: [(&[u8], &str); 9] = [
            (b"{", "f line 1: not a page record: EOF"),
            (b"{\"html\": \"x\"", "column 12"),
            (b"[\"a\", null, \"<p>\"]", "not a JSON object"),
            (b"{\"url\": \"\xff\", \"html\": \"\"}", "not a page record"),
            (b"{\"html\": 5}", "expected a string"),
            (b"{\"id\": []}", "id is neither a string nor a number"),
            (b"{\"id\": \"a\"}", "neither \"html\" nor \"html_base64\""),
            (b"{\"html_base64\": \"%\"}", "f line 1: html_base64: "),
            (b"{\"html\": \"x\"} y", "trailing characters"),
        ];
        for (line, expected) in cases {
            let pages = read([line, b"\n{\"html\": \"fine\"}\n"].concat());
            let error = pages[0].as_ref().unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert_eq!(pages[1].as_ref().unwrap().bytes, b"fine", "after {error}");
            assert_eq!(pages.len(), 2);
        }
    }

    #[test]
    fn only_an_object_names_a_page() {
        let names = |line: &'static str| Pages::from_reader("f", line.as_bytes()).next_raw().unwrap().unwrap().names();
        assert_eq!(names(r#"{"id": 7, "url": "https://e.org"}"#), (Some("7".into()), Some("https://e.org".into())));
        assert_eq!(names(r#"["<p>Text</p>", "https://e.org"]"#), (None, None));
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        let pages = read(r#"{"html": "a \ud83d b \udc00\ud83d\ude00 \ud800"}"#);
        assert_eq!(pages[0].as_ref().unwrap().bytes, "a \u{fffd} b \u{fffd}\u{1f600} \u{fffd}".as_bytes());
    }

    #[test]
    fn base64_may_have_line_breaks_or_lack_padding() {
        let pages = read("{\"html_base64\": \"PHA\\n+/w\"}");
        assert_eq!(pages[0].as_ref().unwrap().bytes, b"<p>\xff");
    }

    #[test]
    fn compression_is_recognised() {
        let (one, two) = ("{\"html\": \"one\"}\n", "{\"html\": \"two\"}\n");
        // Members and frames may follow each other, and a skippable frame may come first.
        let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0abcd".to_vec();
        for bytes in [
            [gzip(one), gzip(two)].concat(),
            [zstd(one, 10), zstd(two, 10)].concat(),
            [skippable, zstd(one, 10), zstd(two, 10)].concat(),
            zstd(&format!("{one}{two}"), 28),
        ] {
            let pages = read(bytes);
            assert_eq!(pages.len(), 2);
            assert_eq!(pages[1].as_ref().unwrap().bytes, b"two");
        }
    }

    #[test]
    fn truncated_compression_gives_one_error_after_the_complete_lines() {
        let text = "{\"html\": \"one\"}\n".repeat(3) + &"x".repeat(100_000);
        for mut bytes in [gzip(&text), zstd(&text, 20)] {
            bytes.truncate(bytes.len() - 8);
            let pages = read(bytes);
            let error = pages.last().unwrap().as_ref().unwrap_err();
            assert!(error.contains("cannot read further"), "{error}");
            assert!(pages.len() <= 4);
        }
    }

    #[test]
    fn a_line_over_the_limit_is_skipped() {
        let text = format!("{}\n{{\"html\": \"fine\"}}\n{}", "x".repeat(99), "y".repeat(99));
        let pages: Vec<_> = Pages::from_reader("f", io::Cursor::new(text)).max_line(20).collect();
        let errors: Vec<bool> = pages.iter().map(Result::is_err).collect();
        assert_eq!(errors, [true, false, true]);
        assert_eq!(pages[0].as_ref().unwrap_err().to_string(), "f line 1: longer than 20 bytes");
    }

    #[test]
    fn empty_files_contain_no_pages() {
        assert!(read("").is_empty());
        assert!(read("\n \r\n").is_empty());
        assert!(read(gzip("")).is_empty());
    }

    #[test]
    fn file_that_cannot_be_opened_is_named() {
        for path in ["/nonexistent/pages.jsonl", "/"] {
            let error = Pages::open(path).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{path}: cannot be opened")), "{error}");
        }
    }
}
