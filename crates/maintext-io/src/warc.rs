//! Records of WARC files, plain or compressed with gzip or zstd, as Common Crawl and other archives write them.
//!
//! A record that is broken or cut off is an error that names the file and the place, and the next one is read all the
//! same: a compressed file is picked up at its next member, a plain one at the next line that starts a record.
//!
//! The format: <https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/>. The reader is our own
//! since the ones at hand give up at the first broken record or bring a dependency tree as large as maintext's.
//!
//! ```
//! use maintext_io::warc::Records;
//!
//! let file = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\nContent-Length: 47\r\n\r\n\
//!             HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>\r\n\r\n";
//! let records: Vec<_> = Records::from_reader("a.warc", file.as_bytes()).collect::<Result<_, _>>()?;
//! assert_eq!(records[0].url.as_deref(), Some("http://example.org/"));
//! let page = records[0].page(1 << 20).unwrap().unwrap();
//! assert_eq!(page.body, b"<p>");
//! # Ok::<(), maintext_io::warc::WarcError>(())
//! ```
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

mod http;
mod stream;

pub use http::{HttpPage, Skipped};
use stream::{Raw, Stream};

/// Longest record in bytes unless set otherwise. Longer ones are errors and are passed over.
const MAX_RECORD: u64 = 256 << 20;
/// Longest header of a record in bytes.
const MAX_HEADER: u64 = 1 << 20;

/// One record, without those fields that nothing here needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarcRecord {
    /// Its number in the file, from 1, among all records.
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
    /// `WARC-Truncated`: why the archive holds the beginning of the page only.
    pub truncated: Option<String>,
    /// The block: for a response the HTTP header and the body.
    pub block: Vec<u8>,
    /// Where the next record starts in the file, if [`Records::resume`] can go there.
    pub next: Option<u64>,
}

/// Why a record could not be read. `Display` is one line that names the file and the place.
#[derive(Debug)]
#[non_exhaustive]
pub enum WarcError {
    /// The file cannot be opened.
    Open {
        /// The file.
        file: String,
        /// What the system said.
        error: io::Error,
    },
    /// The file cannot be read any further.
    Read {
        /// The file.
        file: String,
        /// Number of the record.
        number: u64,
        /// What the system said.
        error: io::Error,
    },
    /// This record is broken or cut off; others may follow.
    Record {
        /// The file.
        file: String,
        /// Number of the record.
        number: u64,
        /// Where it, or the compressed member with it, starts: bytes from the start of the file.
        offset: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl std::error::Error for WarcError {}

impl fmt::Display for WarcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { file, error } => write!(f, "{file}: cannot be opened: {error}"),
            Self::Read { file, number, error } => {
                write!(f, "{file} record {number}: cannot be read any further: {error}")
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
    source: Source,
    number: u64,
    max_record: u64,
}

/// The compression is looked at when the first record is asked for, so that opening never waits for a pipe.
enum Source {
    Unopened(Raw),
    Open(Box<Stream>),
    Ended,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("file", &self.file).field("number", &self.number).finish_non_exhaustive()
    }
}

/// What went wrong with a record.
enum Fault {
    /// Nothing can be read any more.
    Io(io::Error),
    /// The record is broken; the reader looks for the next one.
    Broken(String),
    /// The record was passed over as a whole; the next one follows.
    PassedOver(String),
}

impl Records {
    /// Opens a file. Compression is recognised by the first bytes, not by the name.
    ///
    /// # Errors
    /// [`WarcError::Open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Records, WarcError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        match File::open(path) {
            // A pipe has a name as well, and cannot go back.
            Ok(open) if open.metadata().is_ok_and(|m| m.is_file()) => Ok(Records::new(file, Raw::file(open))),
            Ok(open) => Ok(Records::from_reader(file, open)),
            Err(error) => Err(WarcError::Open { file, error }),
        }
    }

    /// Reads from anything, standard input for example; `name` stands for the file in errors.
    pub fn from_reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Records {
        Records::new(name.into(), Raw::stream(Box::new(reader)))
    }

    fn new(file: String, raw: Raw) -> Records {
        Records { file, source: Source::Unopened(raw), number: 0, max_record: MAX_RECORD }
    }

    /// Sets the longest record in bytes (default 256 MiB). A longer one is an error, and is never held in memory.
    #[must_use]
    pub fn max_record(mut self, bytes: u64) -> Records {
        self.max_record = bytes;
        self
    }

    /// Goes on behind record `number`, at the place that it named in [`WarcRecord::next`].
    ///
    /// # Errors
    /// [`WarcError::Read`].
    pub fn resume(&mut self, number: u64, place: u64) -> Result<(), WarcError> {
        self.number = number;
        let opened = self.open_stream().and_then(|stream| stream.map_or(Ok(()), |s| s.seek(place)));
        opened.map_err(|error| WarcError::Read { file: self.file.clone(), number, error })
    }

    /// How far the file was read, in bytes from its start, as far as that is known.
    #[must_use]
    pub fn place(&self) -> Option<u64> {
        match &self.source {
            Source::Open(stream) => Some(stream.member()),
            _ => None,
        }
    }

    fn open_stream(&mut self) -> io::Result<Option<&mut Stream>> {
        self.source = match std::mem::replace(&mut self.source, Source::Ended) {
            Source::Unopened(raw) => Source::Open(Box::new(Stream::new(raw)?)),
            other => other,
        };
        Ok(match &mut self.source {
            Source::Open(stream) => Some(stream),
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
        // Moves on to the next member, so that its start is the place of this record.
        let at_end = stream.fill_buf().is_ok_and(<[u8]>::is_empty);
        let offset = stream.member();
        let own_member = stream.is_compressed() && stream.place().is_some();
        let mut result = if at_end { Ok(None) } else { read_record(stream, number, max_record) };
        // The checksum of a member is looked at when it ends, before the next one begins.
        if let Err(error) = stream.fill_buf()
            && result.is_ok()
            && stream.is_compressed()
            && stream.place().is_none()
        {
            result = Err(fault(error, true));
        }
        let broken = |reason: String| WarcError::Record { file: file.clone(), number, offset, reason };
        match result {
            Ok(Some(mut record)) => {
                record.next = stream.place();
                Ok(Some(record))
            }
            Ok(None) => {
                self.source = Source::Ended;
                Ok(None)
            }
            Err(Fault::PassedOver(reason)) => Err(broken(reason)),
            Err(Fault::Broken(reason)) => {
                if !matches!(recover(stream, offset, own_member), Ok(true)) {
                    self.source = Source::Ended;
                }
                Err(broken(reason))
            }
            Err(Fault::Io(error)) => {
                self.source = Source::Ended;
                Err(WarcError::Read { file, number, error })
            }
        }
    }
}

impl Iterator for Records {
    type Item = Result<WarcRecord, WarcError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_next().transpose()
    }
}

/// An error of reading: damaged compression is the record's fault, anything else the disk's.
fn fault(error: io::Error, compressed: bool) -> Fault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Fault::Broken("cut off".into()),
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
    let mut length = None;
    for (name, value) in header_fields(&header) {
        let text = || Some(String::from_utf8_lossy(value).into_owned());
        match name.to_ascii_lowercase().as_slice() {
            b"warc-type" => record.kind = String::from_utf8_lossy(value).into_owned(),
            b"warc-record-id" => record.id = text().map(|id| unbracketed(&id)),
            b"warc-target-uri" => record.url = text().map(|url| unbracketed(&url)),
            b"warc-date" => record.date = text(),
            b"warc-truncated" => record.truncated = text(),
            b"content-type" => record.content_type = text(),
            b"content-length" => length = std::str::from_utf8(value).ok().and_then(|v| v.parse::<u64>().ok()),
            _ => {}
        }
    }
    let length = length.ok_or_else(|| Fault::Broken("the header has no Content-Length".into()))?;
    let wanted = record.kind == "response" || record.kind == "resource";
    let too_long = length > max_record;
    if wanted && !too_long {
        // What a header claims is no reason to reserve memory for it.
        record.block.reserve(length.min(1 << 20) as usize);
        stream.take(length).read_to_end(&mut record.block).map_err(|e| fault(e, compressed))?;
    }
    let read = if wanted && !too_long {
        record.block.len() as u64
    } else {
        io::copy(&mut stream.take(length), &mut io::sink()).map_err(|e| fault(e, compressed))?
    };
    if read < length {
        return Err(Fault::Broken(format!("cut off: {read} of {length} bytes")));
    }
    read_end(stream)?;
    match wanted && too_long {
        true => Err(Fault::PassedOver(format!("{length} bytes are more than the limit of {max_record}"))),
        false => Ok(Some(record)),
    }
}

/// The header of the next record, without the blank line behind it; `None` at the end of the file.
fn read_header(stream: &mut Stream) -> Result<Option<Vec<u8>>, Fault> {
    let compressed = stream.is_compressed();
    let mut header = Vec::new();
    let mut limited = stream.take(MAX_HEADER);
    loop {
        let start = header.len();
        let read = limited.read_until(b'\n', &mut header).map_err(|e| fault(e, compressed))?;
        let line = header[start..].trim_ascii();
        if read == 0 {
            return match header.is_empty() {
                true => Ok(None),
                false if header.len() as u64 >= MAX_HEADER => Err(Fault::Broken("the header has no end".into())),
                false => Err(Fault::Broken("cut off in the header".into())),
            };
        }
        match (line.is_empty(), start) {
            // Blank lines before a record, more than the standard's two.
            (true, 0) => header.clear(),
            (true, _) => return Ok(Some(header)),
            (false, 0) if !line.starts_with(b"WARC/") => {
                return Err(Fault::Broken("no record starts here".into()));
            }
            _ => {}
        }
    }
}

/// The fields behind the first line of a header. A line that starts with white space continues the one before; such
/// values are of no use here and are cut.
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

/// The two line breaks behind a block. If something else stands there, the length was wrong.
fn read_end(stream: &mut Stream) -> Result<(), Fault> {
    let compressed = stream.is_compressed();
    for expected in b"\r\n\r\n" {
        match stream.fill_buf().map_err(|e| fault(e, compressed))?.first() {
            Some(byte) if byte == expected => stream.consume(1),
            // The last record of a file that a careless writer closed, or lines that end with \n.
            None | Some(b'\n' | b'W') => return Ok(()),
            Some(_) => return Err(Fault::Broken("its length is wrong".into())),
        }
    }
    Ok(())
}

/// Looks for the next record behind a broken one that starts at `offset`. False if there is none.
fn recover(stream: &mut Stream, offset: u64, own_member: bool) -> io::Result<bool> {
    if own_member {
        return stream.next_member(offset);
    }
    if !stream.is_compressed() {
        stream.seek(offset + 1)?;
    }
    let mut line = Vec::new();
    loop {
        let place = stream.place().unwrap_or(offset);
        line.clear();
        if stream.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(false);
        }
        let version = line.strip_prefix(b"WARC/").map(|v| v.trim_ascii());
        if version.is_some_and(|v| matches!(v, [b'0'..=b'9', b'.', b'0'..=b'9', ..] if v.len() <= 4)) {
            stream.unread(place, &line)?;
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests;
