//! Reads compressed WARC files on several threads.
//!
//! A file is cut into pieces where a member of gzip seems to begin, and the pieces are decompressed at the same time. A piece counts only if
//! its members end exactly where it ends, which also shows that the next piece begins with a member. [`Records`] reads everything else:
//! damaged members, and members that were cut because they contain bytes like the beginning of a member. The records and errors are therefore
//! the same as with [`Records`] alone.
use crate::in_order::InOrder;
use crate::warc::{Records, WarcError, WarcRecord};
use memchr::memmem;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::vec;

/// Minimum size of a piece in bytes.
const PIECE: usize = 256 << 10;
/// Largest size of a piece in bytes, compressed and decompressed.
const LARGEST: usize = 16 << 20;
/// Pieces per thread that are read ahead.
const AHEAD: usize = 4;
/// The first bytes of a member.
const MEMBER: &[u8] = b"\x1f\x8b\x08";

/// The records of a WARC file.
pub(crate) enum Archive {
    /// Read on one thread.
    Records(Records),
    /// Read on several threads.
    Members(Box<Members>),
}

impl Archive {
    /// Opens a file after a number of records, at the offset of the next one if it is known. Up to `threads` threads decompress it.
    pub(crate) fn open(path: &Path, number: u64, place: Option<u64>, threads: usize) -> Result<Archive, WarcError> {
        if threads > 1
            && (number == 0 || place.is_some())
            && let Some(members) = Members::open(path, number, place.unwrap_or(0), threads)
        {
            return Ok(Archive::Members(Box::new(members)));
        }
        let mut records = Records::open(path)?;
        match place {
            Some(place) => records.resume(number, place)?,
            None => (0..number).for_each(|_| drop(records.next())),
        }
        Ok(Archive::Records(records))
    }

    /// Returns the number of bytes read from the file, if it is known.
    pub(crate) fn place(&self) -> Option<u64> {
        match self {
            Archive::Records(records) => records.place(),
            Archive::Members(members) => Some(members.place),
        }
    }
}

impl Iterator for Archive {
    type Item = Result<WarcRecord, WarcError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Archive::Records(records) => records.next(),
            Archive::Members(members) => members.next(),
        }
    }
}

/// The records of a file that is compressed with gzip.
pub(crate) struct Members {
    path: PathBuf,
    pieces: InOrder<u64, Option<Vec<WarcRecord>>>,
    /// The records of the current piece.
    ready: vec::IntoIter<WarcRecord>,
    /// Reads what a piece cannot.
    other: Option<Records>,
    /// The piece that `other` may reach next.
    ahead: Option<(u64, Option<Vec<WarcRecord>>)>,
    number: u64,
    /// Where the next record begins.
    place: u64,
}

impl Members {
    /// Returns `None` if the file is not compressed with gzip or no larger than a few pieces.
    fn open(path: &Path, number: u64, place: u64, threads: usize) -> Option<Members> {
        let mut file = File::open(path).ok()?;
        let metadata = file.metadata().ok()?;
        let mut head = [0; MEMBER.len()];
        file.read_exact(&mut head).ok()?;
        if !metadata.is_file() || head != *MEMBER || metadata.len() < 4 * PIECE as u64 {
            return None;
        }
        file.seek(SeekFrom::Start(place)).ok()?;
        let pieces = InOrder::new(threads, threads * AHEAD, MemberPieces::new(file, place), unpack).ok()?;
        let path = path.to_owned();
        Some(Members { path, pieces, ready: Vec::new().into_iter(), other: None, ahead: None, number, place })
    }

    fn next_piece(&mut self) -> Option<(u64, Option<Vec<WarcRecord>>)> {
        self.pieces.next().map(|(start, records)| (start, records.flatten()))
    }

    /// Drops the pieces before an offset and returns whether one begins there.
    fn has_piece_at(&mut self, place: u64) -> bool {
        while self.ahead.as_ref().is_none_or(|piece| piece.0 < place) {
            self.ahead = self.next_piece();
            if self.ahead.is_none() {
                return false;
            }
        }
        self.ahead.as_ref().is_some_and(|piece| piece.0 == place)
    }
}

impl Iterator for Members {
    type Item = Result<WarcRecord, WarcError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(mut record) = self.ready.next() {
                self.number += 1;
                record.number = self.number;
                self.place = record.next.unwrap_or(self.place);
                return Some(Ok(record));
            }
            if let Some(other) = &mut self.other {
                let item = other.next()?;
                self.number += 1;
                let next = item.as_ref().ok().and_then(|record| record.next);
                if let Some(place) = next {
                    self.place = place;
                    if self.has_piece_at(place) {
                        self.other = None;
                    }
                }
                return Some(item);
            }
            let (start, records) = self.ahead.take().or_else(|| self.next_piece())?;
            match records {
                Some(records) => self.ready = records.into_iter(),
                None => {
                    let mut records = match Records::open(&self.path) {
                        Ok(records) => records,
                        Err(error) => return Some(Err(error)),
                    };
                    if let Err(error) = records.resume(self.number, start) {
                        return Some(Err(error));
                    }
                    self.other = Some(records);
                }
            }
        }
    }
}

/// A part of a file from one possible beginning of a member to another.
struct MemberPiece {
    start: u64,
    bytes: Vec<u8>,
}

/// The pieces of a file, each with its offset. A piece that is too large or cannot be read is left out.
struct MemberPieces {
    file: BufReader<File>,
    start: u64,
    finder: memmem::Finder<'static>,
    /// The beginning of the next piece, which has been read.
    rest: Vec<u8>,
    ended: bool,
}

impl MemberPieces {
    fn new(file: File, start: u64) -> MemberPieces {
        let file = BufReader::with_capacity(PIECE, file);
        MemberPieces { file, start, finder: memmem::Finder::new(MEMBER), rest: Vec::new(), ended: false }
    }

    /// Reads on until the bytes hold the beginning of a member after the first [`PIECE`] bytes, and returns its offset in them. Returns
    /// `None` at the end of the file. Of a piece that is too large, only the last bytes are kept; `dropped` counts the others.
    fn read(&mut self, bytes: &mut Vec<u8>, dropped: &mut usize) -> io::Result<Option<usize>> {
        let mut from = PIECE;
        loop {
            if let Some(found) = bytes.get(from..).and_then(|rest| self.finder.find(rest)) {
                return Ok(Some(from + found));
            }
            from = from.max((bytes.len() + 1).saturating_sub(MEMBER.len()));
            if bytes.len() > LARGEST {
                *dropped += from;
                bytes.drain(..from);
                from = 0;
            }
            if (&mut self.file).take(PIECE as u64).read_to_end(bytes)? == 0 {
                return Ok(None);
            }
        }
    }
}

impl Iterator for MemberPieces {
    type Item = (u64, Option<MemberPiece>);

    fn next(&mut self) -> Option<(u64, Option<MemberPiece>)> {
        let (start, mut bytes, mut dropped) = (self.start, std::mem::take(&mut self.rest), 0);
        if self.ended {
            return None;
        }
        match self.read(&mut bytes, &mut dropped) {
            Ok(Some(end)) => {
                self.rest = bytes.split_off(end);
                self.start += (dropped + end) as u64;
            }
            Ok(None) => self.ended = true,
            Err(_) => {
                self.ended = true;
                return Some((start, None));
            }
        }
        if bytes.is_empty() && dropped == 0 {
            return None;
        }
        Some((start, (dropped == 0).then_some(MemberPiece { start, bytes })))
    }
}

/// Returns the records of a piece, unless something in it is damaged, it ends inside a member, or it is too large.
fn unpack(piece: MemberPiece) -> Option<Vec<WarcRecord>> {
    let end = piece.start + piece.bytes.len() as u64;
    let (mut found, mut size) = (Vec::new(), 0);
    for record in Records::from_seekable("", Cursor::new(piece.bytes)) {
        let mut record = record.ok()?;
        size += record.block.len();
        if size > LARGEST {
            return None;
        }
        record.next = record.next.map(|next| piece.start + next);
        found.push(record);
    }
    (found.last()?.next == Some(end)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn member(text: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn record(url: usize, body: &[u8]) -> Vec<u8> {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
        let header = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/{url}\r\nContent-Length: {}\r\n\r\n",
            head.len() + body.len()
        );
        [header.as_bytes(), head, body, b"\r\n\r\n"].concat()
    }

    /// Bytes that cannot be compressed.
    fn noise(seed: usize, length: usize) -> Vec<u8> {
        let mut state = seed as u64 * 2 + 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    /// Returns the items of a file on one thread, and how they differ on three.
    fn compare(name: &str, bytes: &[u8]) -> (usize, usize) {
        let path = std::env::temp_dir().join(format!("maintext-members-{name}-{}.warc.gz", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let describe = |item: Result<WarcRecord, WarcError>| match item {
            Ok(r) => (format!("{} {:?}", r.number, r.url), r.block),
            Err(error) => (error.to_string(), Vec::new()),
        };
        let one: Vec<_> = Archive::open(&path, 0, None, 1).unwrap().map(describe).collect();
        let archive = Archive::open(&path, 0, None, 3).unwrap();
        assert!(matches!(archive, Archive::Members(_)), "{name}");
        let mut places = Vec::new();
        let mut describe_placed = |item: Result<WarcRecord, WarcError>| {
            places.push(item.as_ref().ok().and_then(|record| record.next));
            describe(item)
        };
        let several: Vec<_> = archive.map(&mut describe_placed).collect();
        assert_eq!(one.len(), several.len(), "{name}");
        one.iter().zip(&several).for_each(|(a, b)| assert!(a == b, "{name}: {} {}", a.0, b.0));
        // Reading goes on from any record.
        let places = places.into_iter().enumerate().filter_map(|(i, place)| Some((i + 1, place?)));
        for (i, place) in places.step_by(7) {
            let rest: Vec<_> = Archive::open(&path, i as u64, Some(place), 3).unwrap().map(describe).collect();
            assert!(rest[..] == one[i..], "{name}: from record {i}");
        }
        std::fs::remove_file(&path).unwrap();
        (one.len(), one.iter().filter(|item| item.1.is_empty()).count())
    }

    fn records(count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|i| member(&record(i, &noise(i, 20_000 + i * 379 % 40_000)), 6)).collect()
    }

    #[test]
    fn records_are_the_same_on_several_threads() {
        assert_eq!(compare("plain", &records(60).concat()), (60, 0));
        let paired: Vec<u8> = records(60).into_iter().flat_map(|r| [member(b"", 6), r].concat()).collect();
        compare("empty", &paired);
    }

    #[test]
    fn members_inside_of_members_are_not_taken_for_pieces() {
        // An archive as the body of a page, which gzip stores as it is.
        let inner = records(25).concat();
        let outer: Vec<u8> = (0..6).flat_map(|i| member(&record(i, &inner), i as u32 % 2)).collect();
        assert_eq!(compare("nested", &outer), (6, 0));
        let large = member(&record(0, &noise(7, LARGEST + (5 << 20))), 0);
        let mixed = [records(20).concat(), large, records(20).concat()].concat();
        assert_eq!(compare("large", &mixed), (41, 0));
    }

    #[test]
    fn damage_gives_the_same_errors() {
        let whole = records(60).concat();
        let mut damaged = whole.clone();
        (1..8).for_each(|i| damaged[i * whole.len() / 8] ^= 0x55);
        assert!(compare("damaged", &damaged).1 > 3);
        assert_eq!(compare("cut", &whole[..whole.len() - 5]), (60, 1));
        compare("tail", &[&whole[..], b"neither a member nor a record"].concat());
        let all: Vec<u8> = (0..60).flat_map(|i| record(i, &noise(i, 30_000))).collect();
        assert_eq!(compare("one member", &member(&all, 6)), (60, 0));
    }
}
