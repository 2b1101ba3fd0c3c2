//! The decompressed bytes of a WARC file, with the offsets at which a reader can resume.
use crate::recognise::is_almost;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest zstd window, as a power of two: what `zstd --long=31` writes.
const ZSTD_WINDOW_LOG: u32 = 31;
/// Number of bytes decompressed at once.
const CHUNK: usize = 64 * 1024;
/// Largest dictionary accepted in a `.warc.zst` file.
const MAX_DICTIONARY: u64 = 64 << 20;

const GZIP: &[u8] = b"\x1f\x8b\x08";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// Magic number of the skippable frame that holds the dictionary of a `.warc.zst` file.
const ZSTD_DICTIONARY: &[u8] = b"\x5d\x2a\x4d\x18";

/// A file or another source that can seek, or a stream that cannot; counts the bytes read from it.
pub(super) struct CountedSource {
    inner: Inner,
    offset: u64,
}

/// A source that can seek.
pub(super) trait Seekable: Read + Seek + Send {}

impl<T: Read + Seek + Send> Seekable for T {}

enum Inner {
    File(BufReader<Box<dyn Seekable>>),
    Stream(BufReader<Box<dyn Read + Send>>),
}

impl CountedSource {
    pub(super) fn file(file: Box<dyn Seekable>) -> CountedSource {
        CountedSource { inner: Inner::File(BufReader::with_capacity(2 * CHUNK, file)), offset: 0 }
    }

    pub(super) fn stream(reader: Box<dyn Read + Send>) -> CountedSource {
        CountedSource { inner: Inner::Stream(BufReader::with_capacity(2 * CHUNK, reader)), offset: 0 }
    }

    /// Seeks in a file; skips forward in a stream.
    fn seek(&mut self, to: u64) -> io::Result<()> {
        match &mut self.inner {
            Inner::File(file) => {
                file.seek(SeekFrom::Start(to))?;
                self.offset = to;
            }
            Inner::Stream(_) => {
                let forward = to.saturating_sub(self.offset);
                io::copy(&mut self.take(forward), &mut io::sink())?;
            }
        }
        Ok(())
    }

    /// Moves back over the bytes just read. A stream gets them again from memory.
    fn rewound(mut self, read: Vec<u8>) -> io::Result<CountedSource> {
        let to = self.offset - read.len() as u64;
        match self.inner {
            Inner::File(_) => self.seek(to)?,
            Inner::Stream(rest) => self = CountedSource::stream(Box::new(io::Cursor::new(read).chain(rest))),
        }
        self.offset = to;
        Ok(self)
    }
}

/// Reads the dictionary for all frames of a `.warc.zst` from its first, skippable frame. The dictionary may itself be compressed:
/// <https://iipc.github.io/warc-specifications/specifications/warc-zstd/>.
fn read_dictionary(raw: &mut CountedSource, length: u64) -> io::Result<Vec<u8>> {
    if length > MAX_DICTIONARY {
        return Err(io::Error::other("the dictionary is too large"));
    }
    let mut dictionary = Vec::new();
    raw.take(length).read_to_end(&mut dictionary)?;
    if !dictionary.starts_with(ZSTD) {
        return Ok(dictionary);
    }
    let mut plain = Vec::new();
    zstd::stream::read::Decoder::new(dictionary.as_slice())?.take(MAX_DICTIONARY).read_to_end(&mut plain)?;
    Ok(plain)
}

impl Read for CountedSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for CountedSource {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.inner {
            Inner::File(file) => file.fill_buf(),
            Inner::Stream(stream) => stream.fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        match &mut self.inner {
            Inner::File(file) => file.consume(bytes),
            Inner::Stream(stream) => stream.consume(bytes),
        }
    }
}

/// How the file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CompressionKind {
    Plain,
    Gzip,
    Zstd,
}

/// Position of the raw bytes: between two members, or inside one.
enum StreamState {
    Between(CountedSource),
    Gzip(Box<GzDecoder<CountedSource>>),
    Zstd(Box<zstd::stream::read::Decoder<'static, CountedSource>>),
    /// Placeholder while one state is replaced by another.
    Moving,
}

/// The decompressed bytes of all members in order.
pub(super) struct Stream {
    kind: CompressionKind,
    state: StreamState,
    dictionary: Option<Vec<u8>>,
    buffer: Vec<u8>,
    /// Start of the unread part of `buffer`.
    at: usize,
    /// Offset of the current member in the file.
    member: u64,
    /// Number of decompressed bytes read from the current member.
    read: u64,
    /// The error that ended the stream here.
    failed: Option<(io::ErrorKind, String)>,
    /// Number of bytes that may still be decompressed, of this file and others.
    left: Arc<AtomicU64>,
}

impl Stream {
    /// Detects the compression by the first bytes.
    pub(super) fn new(mut raw: CountedSource, left: Arc<AtomicU64>) -> io::Result<Stream> {
        let mut head = Vec::with_capacity(8);
        (&mut raw).take(8).read_to_end(&mut head)?;
        let skippable = head.len() >= 4 && head[0] & 0xf0 == 0x50 && head[1..4] == ZSTD_DICTIONARY[1..];
        let kind = match head.as_slice() {
            h if h.starts_with(GZIP) => CompressionKind::Gzip,
            h if h.starts_with(ZSTD) || skippable => CompressionKind::Zstd,
            h if is_almost(h, GZIP) => CompressionKind::Gzip,
            h if is_almost(h, ZSTD) => CompressionKind::Zstd,
            _ => CompressionKind::Plain,
        };
        let mut dictionary = None;
        if head.len() == 8 && head.starts_with(ZSTD_DICTIONARY) {
            let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
            dictionary = Some(read_dictionary(&mut raw, u64::from(length))?);
        } else {
            raw = raw.rewound(head)?;
        }
        let state = StreamState::Between(raw);
        Ok(Stream { kind, state, dictionary, buffer: Vec::new(), at: 0, member: 0, read: 0, failed: None, left })
    }

    /// Whether the file consists of compressed members.
    pub(super) fn is_compressed(&self) -> bool {
        self.kind != CompressionKind::Plain
    }

    /// Whether damage shows without the digests of records. Checksums are optional in zstd.
    pub(super) fn has_checksums(&self) -> bool {
        self.kind == CompressionKind::Gzip
    }

    /// Returns the offset that [`Stream::seek`] needs to reach the next byte again: any byte in a plain file, only the start of a member
    /// in a compressed one.
    pub(super) fn place(&self) -> Option<u64> {
        match &self.state {
            StreamState::Between(raw) if self.at == self.buffer.len() => Some(raw.offset),
            StreamState::Between(raw) if self.kind == CompressionKind::Plain => {
                Some(raw.offset - (self.buffer.len() - self.at) as u64)
            }
            _ if self.read == 0 => Some(self.member),
            _ => None,
        }
    }

    /// Returns the offset of the member that contains the next byte; in a plain file, of the byte itself.
    pub(super) fn member(&self) -> u64 {
        self.place().unwrap_or(self.member)
    }

    /// Seeks to an offset in the file. A plain stream stays where it is.
    pub(super) fn seek(&mut self, place: u64) -> io::Result<()> {
        if let StreamState::Between(CountedSource { inner: Inner::Stream(_), .. }) = self.state
            && self.kind == CompressionKind::Plain
        {
            return Ok(());
        }
        let mut raw = self.take_raw();
        let result = raw.seek(place);
        self.between(raw);
        result
    }

    /// Moves to the next bytes after `start` that look like the start of a member. Returns false at the end of the file.
    pub(super) fn next_member(&mut self, start: u64) -> io::Result<bool> {
        let magic = if self.kind == CompressionKind::Gzip { GZIP } else { ZSTD };
        self.seek(start + 1)?;
        let StreamState::Between(raw) = &mut self.state else { return Ok(false) };
        let mut matched = 0;
        loop {
            let buffer = raw.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let mut used = 0;
            for &byte in buffer {
                used += 1;
                // The first byte of each magic number occurs only once in it, so a failed match can only restart at this byte.
                matched = if byte == magic[matched] { matched + 1 } else { usize::from(byte == magic[0]) };
                if matched == magic.len() {
                    break;
                }
            }
            raw.consume(used);
            if matched == magic.len() {
                break;
            }
        }
        let raw = self.take_raw().rewound(magic.to_vec())?;
        self.between(raw);
        Ok(true)
    }

    /// Puts back the bytes just read; in a plain file they start at `place`.
    pub(super) fn unread(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        if let StreamState::Between(CountedSource { inner: Inner::File(_), .. }) = self.state
            && self.kind == CompressionKind::Plain
        {
            return self.seek(place);
        }
        // A stream that cannot seek gets the bytes back at the front of its buffer.
        self.buffer.splice(..self.at, bytes.iter().copied());
        self.at = 0;
        Ok(())
    }

    fn take_raw(&mut self) -> CountedSource {
        match std::mem::replace(&mut self.state, StreamState::Moving) {
            StreamState::Between(raw) => raw,
            StreamState::Gzip(decoder) => decoder.into_inner(),
            StreamState::Zstd(decoder) => decoder.into_inner(),
            // Not reachable: a state is only replaced within one call.
            StreamState::Moving => CountedSource::stream(Box::new(io::empty())),
        }
    }

    fn between(&mut self, raw: CountedSource) {
        self.state = StreamState::Between(raw);
        self.buffer.clear();
        self.at = 0;
        self.read = 0;
        self.failed = None;
    }

    /// Opens the next member. Returns false at the end of the file.
    fn open_member(&mut self) -> io::Result<bool> {
        let mut raw = self.take_raw();
        self.read = 0;
        let more = raw.fill_buf().map(|b| !b.is_empty());
        if !matches!(more, Ok(true)) {
            self.state = StreamState::Between(raw);
            return more;
        }
        self.member = raw.offset;
        self.state = match self.kind {
            CompressionKind::Plain => StreamState::Between(raw),
            CompressionKind::Gzip => StreamState::Gzip(Box::new(GzDecoder::new(raw))),
            CompressionKind::Zstd => StreamState::Zstd(Box::new(self.zstd_decoder(raw)?)),
        };
        Ok(true)
    }

    /// Returns the length of an empty member. At the end of a file, the decoders do not report an incomplete header.
    fn shortest_member(&self) -> u64 {
        match self.kind {
            CompressionKind::Plain => 0,
            CompressionKind::Gzip => 18,
            CompressionKind::Zstd => 8,
        }
    }

    fn zstd_decoder(&self, raw: CountedSource) -> io::Result<zstd::stream::read::Decoder<'static, CountedSource>> {
        let mut decoder = match &self.dictionary {
            Some(dictionary) => zstd::stream::read::Decoder::with_dictionary(raw, dictionary)?,
            None => zstd::stream::read::Decoder::with_buffer(raw)?,
        }
        .single_frame();
        decoder.window_log_max(ZSTD_WINDOW_LOG)?;
        Ok(decoder)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl Stream {
    /// Reads until the buffer is not empty or the file ends.
    fn fill(&mut self) -> io::Result<()> {
        while self.at == self.buffer.len() {
            if matches!(self.state, StreamState::Between(_)) && !self.open_member()? {
                return Ok(());
            }
            self.buffer.resize(CHUNK, 0);
            let read = match &mut self.state {
                StreamState::Between(raw) => raw.read(&mut self.buffer),
                StreamState::Gzip(decoder) => decoder.read(&mut self.buffer),
                StreamState::Zstd(decoder) => decoder.read(&mut self.buffer),
                StreamState::Moving => Ok(0),
            };
            self.at = 0;
            self.buffer.truncate(*read.as_ref().unwrap_or(&0));
            let left = self.left.load(Ordering::Relaxed);
            if self.buffer.len() as u64 > left {
                self.buffer.clear();
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            self.left.store(left - self.buffer.len() as u64, Ordering::Relaxed);
            if read? == 0 {
                let raw = self.take_raw();
                let cut_off = self.read == 0 && raw.offset - self.member < self.shortest_member();
                self.between(raw);
                if cut_off {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        Ok(())
    }
}

impl BufRead for Stream {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // The decoders do not repeat their errors, so the stream keeps them.
        if let Some((kind, message)) = &self.failed {
            return Err(io::Error::new(*kind, message.clone()));
        }
        if let Err(error) = self.fill() {
            if error.kind() != io::ErrorKind::Interrupted {
                self.failed = Some((error.kind(), error.to_string()));
            }
            return Err(error);
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
        self.read += bytes as u64;
    }
}
