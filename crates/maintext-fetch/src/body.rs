//! Reads a body and decompresses it, with limits on both the compressed and the decompressed size.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::time::Instant;

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// Largest window of a zstd body, as a power of two: 8 MiB, which RFC 9659 sets for HTTP.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A body may be compressed more than once; servers do not do so intentionally more often than this.
pub const MAX_CODINGS: usize = 3;

/// Allowance for headers and checksums: compressed bytes may exceed the text by this much.
const OVERHEAD: u64 = 64 * 1024;

/// Why a body could not be read.
#[derive(Debug)]
pub enum BodyError {
    /// The deadline passed.
    Timeout,
    /// Too many decoded bytes, or more compressed bytes than any text within the limit needs.
    TooLarge,
    /// The caller has no memory for more.
    NoRoom,
    /// An unsupported `Content-Encoding`.
    Coding(String),
    /// The body ended early or cannot be decoded.
    Damaged(String),
}

/// Reads `reader` to its end and undoes the codings of the `Content-Encoding` header.
pub fn read(
    reader: impl Read + 'static,
    content_encoding: &str,
    max_size: usize,
    deadline: Option<Instant>,
) -> Result<Vec<u8>, BodyError> {
    read_within(reader, content_encoding, max_size, deadline, &mut |_| true)
}

/// Like [`read`], but asks `room` before it takes more bytes of memory.
pub fn read_within(
    reader: impl Read + 'static,
    content_encoding: &str,
    max_size: usize,
    deadline: Option<Instant>,
    room: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<u8>, BodyError> {
    let wire = Wire { reader, left: (max_size as u64).saturating_add(OVERHEAD) };
    let mut decoded = decoder(Box::new(wire), content_encoding)?;
    let mut body = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(BodyError::Timeout);
        }
        match decoded.read(&mut chunk) {
            Ok(0) => return Ok(body),
            Ok(read) if read > max_size - body.len() => return Err(BodyError::TooLarge),
            Ok(read) => {
                let (needed, capacity) = (body.len() + read, body.capacity());
                if needed > capacity {
                    // A quarter more each time: few copies, little waste.
                    let wanted = needed.max(capacity + capacity / 4);
                    if !room(wanted - capacity) {
                        return Err(BodyError::NoRoom);
                    }
                    body.reserve_exact(wanted - body.len());
                }
                body.extend_from_slice(&chunk[..read]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The bytes from the network, at most `left` of them.
struct Wire<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Wire<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        match self.left.checked_sub(read as u64) {
            Some(left) => self.left = left,
            None => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(read)
    }
}

impl From<io::Error> for BodyError {
    fn from(error: io::Error) -> BodyError {
        if let Some(ureq::Error::Timeout(_)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return BodyError::Timeout;
        }
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => BodyError::Timeout,
            // Only `Wire` has this kind of error.
            io::ErrorKind::FileTooLarge => BodyError::TooLarge,
            io::ErrorKind::UnexpectedEof => BodyError::Damaged("it ended early".into()),
            _ => BodyError::Damaged(error.to_string()),
        }
    }
}

type Source = Box<dyn Read>;

/// Undoes the codings. They are listed in the order of application, so the last is undone first.
fn decoder(wire: Source, content_encoding: &str) -> Result<Source, BodyError> {
    let codings: Vec<&str> = content_encoding
        .split(',')
        .map(str::trim)
        .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
        .collect();
    if codings.len() > MAX_CODINGS {
        return Err(BodyError::Coding(content_encoding.to_string()));
    }
    codings.into_iter().rev().try_fold(wire, |source, coding| undo(coding, source))
}

fn undo(coding: &str, source: Source) -> Result<Source, BodyError> {
    let mut source = BufReader::with_capacity(32 * 1024, source);
    let known = ["gzip", "x-gzip", "deflate", "br", "zstd"];
    let coding = coding.to_ascii_lowercase();
    if !known.contains(&coding.as_str()) {
        return Err(BodyError::Coding(coding));
    }
    // Servers send empty bodies with any Content-Encoding, but no coding accepts an empty stream.
    if source.fill_buf()?.is_empty() {
        return Ok(Box::new(io::empty()));
    }
    Ok(match coding.as_str() {
        "deflate" => return undo_deflate(source),
        "br" => Box::new(brotli_decompressor::Decompressor::new(source, 32 * 1024)),
        "zstd" => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(source)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
        _ => Box::new(Gzip { member: Some(GzDecoder::new(source)) }),
    })
}

/// Undoes "deflate": zlib by the standard, raw deflate on some servers. The zlib header distinguishes them.
fn undo_deflate(mut source: BufReader<Source>) -> Result<Source, BodyError> {
    let mut head = Vec::with_capacity(2);
    (&mut source).take(2).read_to_end(&mut head)?;
    let is_zlib =
        head.len() == 2 && head[0] & 0x0f == 8 && (u16::from(head[0]) * 256 + u16::from(head[1])).is_multiple_of(31);
    let whole = BufReader::new(Cursor::new(head).chain(source));
    Ok(if is_zlib { Box::new(ZlibDecoder::new(whole)) } else { Box::new(DeflateDecoder::new(whole)) })
}

/// One or more gzip members. Trailing bytes that do not start another member are ignored, as browsers do.
struct Gzip {
    member: Option<GzDecoder<BufReader<Source>>>,
}

impl Read for Gzip {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let Some(mut source) = self.member.take().map(GzDecoder::into_inner) else { break };
            if source.fill_buf()?.first() == Some(&0x1f) {
                self.member = Some(GzDecoder::new(source));
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read_all(bytes: Vec<u8>, coding: &str) -> Result<Vec<u8>, BodyError> {
        read(Cursor::new(bytes), coding, 1 << 20, None)
    }

    #[test]
    fn gzip_members_are_concatenated_and_trailing_garbage_is_ignored() {
        let mut bytes = gzip(b"one ");
        bytes.extend(gzip(b"two"));
        bytes.extend_from_slice(b"\0\0garbage");
        assert_eq!(read_all(bytes, "gzip").unwrap(), b"one two");
    }

    #[test]
    fn several_codings_are_undone_in_order() {
        let twice = gzip(&gzip(b"text"));
        assert_eq!(read_all(twice.clone(), "gzip, x-gzip").unwrap(), b"text");
        assert_eq!(read_all(gzip(b"text"), "identity,GZIP,").unwrap(), b"text");
        let many = read_all(twice, "gzip,gzip,gzip,gzip");
        assert!(matches!(many, Err(BodyError::Coding(_))));
    }

    #[test]
    fn an_empty_body_is_accepted_with_any_coding() {
        for coding in ["", "gzip", "deflate", "br", "zstd"] {
            assert_eq!(read_all(Vec::new(), coding).unwrap(), b"", "{coding}");
        }
    }

    #[test]
    fn broken_streams_are_errors() {
        let mut cut = gzip(&[b'x'; 5000]);
        cut.truncate(cut.len() - 10);
        for coding in ["gzip", "deflate", "br", "zstd"] {
            let result = read_all(cut.clone(), coding);
            assert!(matches!(result, Err(BodyError::Damaged(_))), "{coding}: {result:?}");
            let result = read_all(b"<p>not compressed at all</p>".to_vec(), coding);
            assert!(matches!(result, Err(BodyError::Damaged(_))), "{coding}: {result:?}");
        }
        let unknown = read_all(cut, "compress");
        assert!(matches!(unknown, Err(BodyError::Coding(name)) if name == "compress"));
    }

    #[test]
    fn the_limit_counts_decoded_bytes_exactly() {
        let bytes = gzip(&[b'x'; 1000]);
        assert_eq!(read(Cursor::new(bytes.clone()), "gzip", 1000, None).unwrap().len(), 1000);
        let over = read(Cursor::new(bytes), "gzip", 999, None);
        assert!(matches!(over, Err(BodyError::TooLarge)));
    }

    #[test]
    fn endless_empty_gzip_members_are_stopped() {
        let member = gzip(b"");
        let endless = std::iter::repeat_n(member, 100_000).flatten().collect::<Vec<u8>>();
        let result = read(Cursor::new(endless), "gzip", 1000, None);
        assert!(matches!(result, Err(BodyError::TooLarge)));
    }

    #[test]
    fn zstd_with_a_huge_window_is_refused() {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(27).unwrap();
        encoder.write_all(&[b'x'; 100]).unwrap();
        let result = read_all(encoder.finish().unwrap(), "zstd");
        assert!(matches!(result, Err(BodyError::Damaged(_))), "{result:?}");
    }
}
