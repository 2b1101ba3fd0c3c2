//! Records of WARC files, plain or compressed with gzip or zstd, as written by Common Crawl and other archives.
//!
//! A broken or truncated record gives an error that names the file and position, and reading continues: in a compressed file at the
//! next member, in a plain file at the next line that starts a record.
//!
//! The format: <https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/>. This is our own reader because
//! existing crates stop at the first broken record or bring a dependency tree as large as maintext's.
//!
//! ```
//! use maintext_formats::warc::Records;
//!
//! let file = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\nContent-Length: 47\r\n\r\n\
//!             HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>\r\n\r\n";
//! let records: Vec<_> = Records::from_reader("a.warc", file.as_bytes()).collect::<Result<_, _>>()?;
//! assert_eq!(records[0].url.as_deref(), Some("http://example.org/"));
//! let page = records[0].page(1 << 20).unwrap().unwrap();
//! assert_eq!(page.body, b"<p>");
//! # Ok::<(), maintext_formats::warc::WarcError>(())
//! ```
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

mod digest;
mod http;
pub(crate) mod pages;
mod stream;

pub use http::{HttpPage, Skipped};
use stream::{CountedSource, Stream};

/// Default for the longest record, in bytes. Longer ones give errors and are skipped.
const MAX_RECORD: u64 = 256 << 20;
/// Longest record header, in bytes.
const MAX_HEADER: u64 = 1 << 20;

/// One record, with the fields that maintext needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarcRecord {
    /// Its number among all records of the file, from 1.
    pub number: u64,
    /// `WARC-Type`: `response`, `request`, `warcinfo`, ...
    pub kind: String,
    /// `WARC-Record-ID` without its angle brackets.
    pub id: Option<String>,
    /// `WARC-Target-URI`.
    pub url: Option<String>,
    /// `WARC-Date`, when the page was fetched.
    pub date: Option<String>,
    /// `Content-Type` of the block: `application/http; msgtype=response` for pages.
    pub content_type: Option<String>,
    /// `WARC-Truncated`: why the archive holds only the beginning of the page.
    pub truncated: Option<String>,
    /// The block; for a response, the HTTP header and body.
    pub block: Vec<u8>,
    /// Offset of the next record in the file, if [`Records::resume`] can continue there.
    pub next: Option<u64>,
}

/// Why a record could not be read. `Display` is one line that names the file and position.
#[derive(Debug)]
#[non_exhaustive]
pub enum WarcError {
    /// The file cannot be opened.
    Open {
        /// The file.
        file: String,
        /// The system's error.
        error: io::Error,
    },
    /// The file cannot be read further.
    Read {
        /// The file.
        file: String,
        /// Number of the record.
        number: u64,
        /// The system's error.
        error: io::Error,
    },
    /// This record is broken or truncated; others may follow.
    Record {
        /// The file.
        file: String,
        /// Number of the record.
        number: u64,
        /// Byte offset of the record, or of the compressed member that contains it.
        offset: u64,
        /// The reason.
        reason: String,
    },
}

impl std::error::Error for WarcError {}

impl fmt::Display for WarcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { file, error } => write!(f, "{file}: cannot be opened: {error}"),
            Self::Read { file, number, error } => {
                write!(f, "{file} record {number}: cannot read further: {error}")
            }
            Self::Record { file, number, offset, reason } => {
                write!(f, "{file} record {number} (at byte {offset}): {reason}")
            }
        }
    }
}

/// An iterator over the records of a file. Holds one record in memory at a time.
pub struct Records {
    file: String,
    source: RecordSource,
    /// The files after the current one.
    more: Box<dyn Iterator<Item = CountedSource> + Send>,
    /// What else is to be said: the last error.
    damage: Option<String>,
    number: u64,
    max_record: u64,
    /// Number of bytes that may still be decompressed.
    left: Arc<AtomicU64>,
}

/// Compression is detected when the first record is requested, so that opening never blocks on a pipe.
enum RecordSource {
    Unopened(CountedSource),
    Open(Box<Stream>),
    Ended,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("file", &self.file).field("number", &self.number).finish_non_exhaustive()
    }
}

/// Whether a file is a compressed WARC file, by its first record or its name.
pub(crate) fn is_compressed(bytes: &[u8], name: Option<&str>) -> bool {
    let packed = crate::Packed::by_content(bytes);
    let mut first = [0; 5];
    let read = match packed {
        Some(crate::Packed::Gzip) => flate2::read::GzDecoder::new(bytes).read_exact(&mut first),
        Some(crate::Packed::Zstd) => zstd::stream::read::Decoder::new(bytes).and_then(|mut d| d.read_exact(&mut first)),
        _ => return false,
    };
    (read.is_ok() && first == *b"WARC/") || name.and_then(crate::by_name) == Some(crate::Format::Warc)
}

/// The problem with a record.
enum Fault {
    /// Reading failed; nothing follows.
    Io(io::Error),
    /// The record is broken; the reader looks for the next one.
    Broken(String),
    /// The record was skipped as a whole; the next one follows.
    PassedOver(String),
}

impl Records {
    /// Opens a file. Compression is detected by the first bytes, not by the name.
    ///
    /// # Errors
    /// [`WarcError::Open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Records, WarcError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        match File::open(path) {
            // A pipe has a path as well but cannot seek.
            Ok(open) if open.metadata().is_ok_and(|m| m.is_file()) => {
                Ok(Records::new(file, CountedSource::file(Box::new(open))))
            }
            Ok(open) => Ok(Records::from_reader(file, open)),
            Err(error) => Err(WarcError::Open { file, error }),
        }
    }

    /// Reads from any source, for example standard input; `name` replaces the file name in errors.
    pub fn from_reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Records {
        Records::new(name.into(), CountedSource::stream(Box::new(reader)))
    }

    /// Reads from a source that can seek, such as a file on a server; `name` replaces the file name in errors. Damage is passed over as in a
    /// file.
    pub fn from_seekable(name: impl Into<String>, reader: impl Read + Seek + Send + 'static) -> Records {
        Records::new(name.into(), CountedSource::file(Box::new(reader)))
    }

    /// Reads several files one after another, such as the files of an archive; `name` replaces their names in errors. Each may be
    /// compressed in its own way, and damage to one does not affect the next.
    pub fn from_files<R: Read + Seek + Send + 'static>(
        name: impl Into<String>,
        files: impl Iterator<Item = R> + Send + 'static,
    ) -> Records {
        let more = Box::new(files.map(|file| CountedSource::file(Box::new(file))));
        Records {
            source: RecordSource::Ended,
            more,
            ..Records::new(name.into(), CountedSource::stream(Box::new(io::empty())))
        }
    }

    fn new(file: String, raw: CountedSource) -> Records {
        let (source, more) = (RecordSource::Unopened(raw), Box::new(std::iter::empty()));
        let left = Arc::new(AtomicU64::new(u64::MAX));
        Records { file, source, more, damage: None, number: 0, max_record: MAX_RECORD, left }
    }

    /// Adds an error behind the last record, such as damage to the archive that holds the files.
    #[must_use]
    pub fn with_damage(mut self, damage: Option<String>) -> Records {
        self.damage = damage;
        self
    }

    /// Sets the number of bytes that all records may have together when decompressed. Reading ends there with an error of the kind
    /// [`io::ErrorKind::FileTooLarge`].
    #[must_use]
    pub fn max_size(self, bytes: u64) -> Records {
        self.left.store(bytes, Ordering::Relaxed);
        self
    }

    /// Sets the length of the longest record in bytes (default 256 MiB). A longer record gives an error and is never held in memory.
    #[must_use]
    pub fn max_record(mut self, bytes: u64) -> Records {
        self.max_record = bytes;
        self
    }

    /// Continues after record `number`, at the offset given by its [`WarcRecord::next`].
    ///
    /// # Errors
    /// [`WarcError::Read`].
    pub fn resume(&mut self, number: u64, place: u64) -> Result<(), WarcError> {
        self.number = number;
        let opened = self.open_stream().and_then(|stream| stream.map_or(Ok(()), |s| s.seek(place)));
        opened.map_err(|error| WarcError::Read { file: self.file.clone(), number, error })
    }

    /// Returns the number of bytes read from the file, if it is known.
    #[must_use]
    pub fn place(&self) -> Option<u64> {
        match &self.source {
            RecordSource::Open(stream) => Some(stream.member()),
            _ => None,
        }
    }

    fn open_stream(&mut self) -> io::Result<Option<&mut Stream>> {
        self.source = match std::mem::replace(&mut self.source, RecordSource::Ended) {
            RecordSource::Unopened(raw) => RecordSource::Open(Box::new(Stream::new(raw, self.left.clone())?)),
            other => other,
        };
        Ok(match &mut self.source {
            RecordSource::Open(stream) => Some(stream),
            _ => None,
        })
    }

    fn read_next(&mut self) -> Result<Option<WarcRecord>, WarcError> {
        self.number += 1;
        let (number, max_record) = (self.number, self.max_record);
        let file = self.file.clone();
        let stream = match self.open_stream() {
            Ok(Some(stream)) => stream,
            Ok(None) => return Ok(None),
            Err(error) => return Err(WarcError::Read { file, number, error }),
        };
        // Moves to the next member, so that its start is the offset of this record.
        let at_end = stream.fill_buf().is_ok_and(<[u8]>::is_empty);
        let offset = stream.member();
        let own_member = stream.is_compressed() && stream.place().is_some();
        let mut result = if at_end { Ok(None) } else { read_record(stream, number, max_record) };
        // The decoder checks a member's checksum at its end, before the next member begins. A member may hold further records; anything else in
        // it means that a damaged length has cut the block.
        let rest = stream.fill_buf().map(stream_goes_on);
        let has_ended = matches!(result, Ok(_) | Err(Fault::PassedOver(_)));
        if has_ended && stream.is_compressed() && stream.place().is_none() {
            match rest {
                Ok(true) => {}
                Ok(false) => result = Err(Fault::Broken("its length is wrong".into())),
                Err(error) => result = Err(fault(error, true)),
            }
        }
        let broken = |reason: String| WarcError::Record { file: file.clone(), number, offset, reason };
        match result {
            Ok(Some(mut record)) => {
                record.next = stream.place();
                Ok(Some(record))
            }
            Ok(None) => {
                self.source = RecordSource::Ended;
                Ok(None)
            }
            Err(Fault::PassedOver(reason)) => Err(broken(reason)),
            Err(Fault::Broken(reason)) => {
                if !matches!(recover(stream, offset, own_member), Ok(true)) {
                    self.source = RecordSource::Ended;
                }
                Err(broken(reason))
            }
            Err(Fault::Io(error)) => {
                self.source = RecordSource::Ended;
                Err(WarcError::Read { file, number, error })
            }
        }
    }
}

impl Iterator for Records {
    type Item = Result<WarcRecord, WarcError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.read_next().transpose() {
                return Some(record);
            }
            // The record sought is the first record of the next file.
            self.number -= 1;
            let Some(next) = self.more.next() else {
                let reason = self.damage.take()?;
                self.number += 1;
                return Some(Err(WarcError::Record {
                    file: self.file.clone(),
                    number: self.number,
                    offset: 0,
                    reason,
                }));
            };
            self.source = RecordSource::Unopened(next);
        }
    }
}

/// Classifies a read error: damaged compression breaks the record, anything else ends the file.
fn fault(error: io::Error, compressed: bool) -> Fault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Fault::Broken("cut off".into()),
        io::ErrorKind::FileTooLarge => Fault::Io(error),
        _ if compressed && error.raw_os_error().is_none() => {
            Fault::Broken(format!("the compressed data are damaged: {error}"))
        }
        _ => Fault::Io(error),
    }
}

fn read_record(stream: &mut Stream, number: u64, max_record: u64) -> Result<Option<WarcRecord>, Fault> {
    let compressed = stream.is_compressed();
    let Some(header) = read_header(stream)? else { return Ok(None) };
    let mut record = WarcRecord { number, ..WarcRecord::default() };
    let (mut length, mut digest) = (None, None);
    for (name, value) in header_fields(&header) {
        let text = || Some(String::from_utf8_lossy(value).into_owned());
        match name.to_ascii_lowercase().as_slice() {
            b"warc-type" => record.kind = String::from_utf8_lossy(value).into_owned(),
            b"warc-record-id" => record.id = text().map(|id| unbracketed(&id)),
            b"warc-target-uri" => record.url = text().map(|url| unbracketed(&url)),
            b"warc-date" => record.date = text(),
            b"warc-truncated" => record.truncated = text(),
            b"warc-block-digest" if !stream.has_checksums() => digest = text(),
            b"content-type" => record.content_type = text(),
            b"content-length" => length = std::str::from_utf8(value).ok().and_then(|v| v.parse::<u64>().ok()),
            _ => {}
        }
    }
    let length = length.ok_or_else(|| Fault::Broken("the header has no Content-Length".into()))?;
    let wanted = record.kind == "response" || record.kind == "resource";
    let too_long = length > max_record;
    if wanted && !too_long {
        // Does not trust the header with a large allocation.
        record.block.reserve(length.min(1 << 20) as usize);
        stream.take(length).read_to_end(&mut record.block).map_err(|e| fault(e, compressed))?;
    }
    let read = if wanted && !too_long {
        record.block.len() as u64
    } else {
        io::copy(&mut stream.take(length), &mut io::sink()).map_err(|e| fault(e, compressed))?
    };
    if read < length {
        return Err(Fault::Broken(format!("truncated: {read} of {length} bytes")));
    }
    read_end(stream)?;
    if wanted && too_long {
        return Err(Fault::PassedOver(format!("{length} bytes exceed the limit of {max_record}")));
    }
    match damage(&record, if wanted { digest } else { None }) {
        Some(reason) => Err(Fault::Broken(reason)),
        None => Ok(Some(record)),
    }
}

/// The types of the standard.
const TYPES: [&str; 8] =
    ["warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"];

/// Returns the evidence that a complete record is damaged: its digest, or a type that hides a page.
fn damage(record: &WarcRecord, digest: Option<String>) -> Option<String> {
    let is_page = record.content_type.as_deref().is_some_and(|t| t.ends_with("msgtype=response"));
    if is_page && !TYPES.contains(&record.kind.as_str()) {
        return Some(format!("a response of the unknown type '{}'", beginning(&record.kind)));
    }
    let digest = digest.filter(|digest| digest::matches(&record.block, digest) == Some(false))?;
    Some(format!("its block does not have the digest {}", beginning(&digest)))
}

/// Returns the beginning of a value, for an error. A digest is shown whole.
fn beginning(value: &str) -> String {
    value.escape_debug().take(80).collect()
}

/// Returns the header of the next record without its trailing blank line, or `None` at the end of the file.
fn read_header(stream: &mut Stream) -> Result<Option<Vec<u8>>, Fault> {
    let compressed = stream.is_compressed();
    let mut header = Vec::new();
    let mut limited = stream.take(MAX_HEADER);
    loop {
        let start = header.len();
        let read = limited.read_until(b'\n', &mut header).map_err(|e| fault(e, compressed))?;
        let line = header[start..].trim_ascii();
        if read == 0 {
            if header.is_empty() {
                return Ok(None);
            }
            let is_endless = header.len() as u64 >= MAX_HEADER;
            let fault = if is_endless { "the header has no end" } else { "truncated in the header" };
            return Err(Fault::Broken(fault.into()));
        }
        if line.is_empty() {
            if start > 0 {
                return Ok(Some(header));
            }
            // Skips blank lines before a record beyond the standard's two.
            header.clear();
        } else if start == 0 && !line.starts_with(b"WARC/") {
            return Err(Fault::Broken("no record starts here".into()));
        }
    }
}

/// Returns the fields after the first line of a header. Continuation lines, which start with white space, are ignored: no field that
/// is used here has them.
fn header_fields(header: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    header.split(|b| *b == b'\n').skip(1).filter(|line| !line.starts_with(b" ") && !line.starts_with(b"\t")).filter_map(
        |line| {
            let colon = line.iter().position(|b| *b == b':')?;
            Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
        },
    )
}

fn unbracketed(text: &str) -> String {
    text.trim_start_matches('<').trim_end_matches('>').to_owned()
}

/// Reads the two line breaks after a block. Anything else means that the length was wrong.
fn read_end(stream: &mut Stream) -> Result<(), Fault> {
    let compressed = stream.is_compressed();
    for expected in b"\r\n\r\n" {
        match stream.fill_buf().map_err(|e| fault(e, compressed))?.first() {
            Some(byte) if byte == expected => stream.consume(1),
            // The end of the last record if the writer omitted the line breaks, or line breaks without \r.
            None | Some(b'\n' | b'W') => return Ok(()),
            Some(_) => return Err(Fault::Broken("its length is wrong".into())),
        }
    }
    Ok(())
}

/// Whether the known rest of a member is empty, white space or another record.
fn stream_goes_on(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    rest.starts_with(b"WARC/") || b"WARC/".starts_with(rest)
}

/// Searches for the next member that begins with a record, after the one that starts at `offset`. Compressed data may hold the first bytes of a
/// member by chance.
fn next_member_with_a_record(stream: &mut Stream, mut offset: u64) -> io::Result<bool> {
    while stream.next_member(offset)? {
        offset = stream.member();
        match stream.fill_buf() {
            Ok(bytes) if bytes.trim_ascii_start().starts_with(b"WARC/") => return Ok(true),
            Err(error) if error.raw_os_error().is_some() => return Err(error),
            _ => {}
        }
    }
    Ok(false)
}

/// Whether a line is the first of a record.
fn is_version(line: &[u8]) -> bool {
    let version = line.strip_prefix(b"WARC/").map(<[u8]>::trim_ascii);
    version.is_some_and(|v| matches!(v, [b'0'..=b'9', b'.', b'0'..=b'9', ..] if v.len() <= 4))
}

/// Searches for the next record after a broken one that starts at `offset`. Returns false at the end of the file.
fn recover(stream: &mut Stream, offset: u64, own_member: bool) -> io::Result<bool> {
    if own_member {
        return next_member_with_a_record(stream, offset);
    }
    if !stream.is_compressed() {
        stream.seek(offset + 1)?;
    }
    let mut line = Vec::new();
    loop {
        let place = stream.place().unwrap_or(offset);
        line.clear();
        match stream.take(MAX_HEADER).read_until(b'\n', &mut line) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            // The rest of this member is lost.
            Err(error) if stream.is_compressed() && error.raw_os_error().is_none() => {
                return next_member_with_a_record(stream, stream.member());
            }
            Err(error) => return Err(error),
        }
        // Up to four damaged line breaks may precede the record.
        let start = (0..line.len().min(5)).find(|&at| is_version(&line[at..]));
        if let Some(start) = start {
            stream.unread(place + start as u64, &line[start..])?;
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests;
