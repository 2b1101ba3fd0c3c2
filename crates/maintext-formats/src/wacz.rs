//! WACZ: WARC files in a ZIP archive, as <https://specs.webrecorder.net/wacz/1.1.1/> describes.
//!
//! One damaged bit in the directory, or in the archive's header before each file, does not lose the files: [`contents`] compares both, and
//! searches for the files where they differ.
use crate::Refusal;
use crate::recognise::is_almost;
use crate::warc::pages::ResponsePages;
use flate2::read::DeflateDecoder;
use memchr::memmem;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use zip::{CompressionMethod, ZipArchive};

/// The bytes that begin a file, and its entry in the directory.
const FILE: &[u8; 4] = b"PK\x03\x04";
const ENTRY: &[u8; 4] = b"PK\x01\x02";
/// The bytes that begin a WARC file, plain and compressed.
const BEGINNINGS: [&[u8]; 3] = [b"WARC/", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"];
/// Length of the fields before the name there.
const FILE_HEAD: usize = 30;
const ENTRY_HEAD: usize = 46;
/// Longest name of a file that is searched for, and the largest number of files.
const MAX_NAME: usize = 255;
const MAX_FILES: usize = 100_000;
/// Number of bytes searched at once.
const CHUNK: usize = 1 << 20;

fn damaged(reason: impl ToString) -> Refusal {
    Refusal::Damaged("a WACZ archive".into(), reason.to_string())
}

fn is_warc(name: &[u8]) -> bool {
    name.starts_with(b"archive/") && (name.ends_with(b".warc") || name.ends_with(b".warc.gz"))
}

/// The WARC files of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// The files, which can be read one after another.
    pub places: Vec<WarcPlace>,
    /// The damage to the archive, if its files had to be searched for.
    pub damage: Option<String>,
}

/// Where a WARC file is in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarcPlace {
    /// Where it begins, in bytes.
    pub start: u64,
    /// Its length in the archive.
    pub length: u64,
    /// Whether it is not compressed a second time, as the format demands.
    pub is_stored: bool,
}

/// Finds the WARC files in an archive of any size.
///
/// # Errors
/// [`Refusal::Damaged`] if it holds none, or none that can be found.
pub fn contents(mut archive: impl Read + Seek) -> Result<Contents, Refusal> {
    let (listed, fault) = listed(&mut archive);
    let Some(fault) = fault else {
        return if listed.is_empty() {
            Err(damaged("it holds no WARC file"))
        } else {
            Ok(Contents { places: listed, damage: None })
        };
    };
    let places = searched(&mut archive).map_err(|e| damaged(format!("it cannot be read: {e}")))?;
    if places.is_empty() {
        return Err(damaged(fault));
    }
    // An archive may have gaps between its files.
    let damage = (places != listed)
        .then(|| format!("the directory of the archive is damaged ({fault}), and its WARC files were searched for"));
    Ok(Contents { places, damage })
}

/// Returns the pages of an archive in memory.
pub(crate) fn pages(archive: &[u8], max_size: usize) -> Result<ResponsePages, Refusal> {
    let Contents { places, damage } = contents(Cursor::new(archive))?;
    let mut left = max_size as u64;
    let mut files = Vec::new();
    for place in places {
        let bytes = archive.get(place.start as usize..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(place.length as usize)];
        let mut file = Vec::new();
        let read = if place.is_stored {
            bytes.take(left + 1).read_to_end(&mut file)
        } else {
            DeflateDecoder::new(bytes).take(left + 1).read_to_end(&mut file)
        };
        // The readable part of a damaged file is used; its last record is an error.
        drop(read);
        left = left.checked_sub(file.len() as u64).ok_or(Refusal::TooLarge(max_size))?;
        files.push(file);
    }
    Ok(ResponsePages::new(files, damage, max_size))
}

/// Returns the WARC files in the directory, and the evidence if it is damaged.
fn listed(archive: &mut (impl Read + Seek)) -> (Vec<WarcPlace>, Option<String>) {
    let (mut places, mut files) = (Vec::new(), Vec::new());
    let mut zip = match ZipArchive::new(&mut *archive) {
        Ok(zip) => zip,
        Err(error) => return (places, Some(error.to_string())),
    };
    for i in 0..zip.len() {
        let file = match zip.by_index_raw(i) {
            Ok(file) => file,
            Err(error) => return (places, Some(error.to_string())),
        };
        let name = file.name_raw().to_vec();
        let Some(data) = file.data_start() else { return (places, Some("a file has no place".into())) };
        let is_stored = file.compression() == CompressionMethod::Stored;
        if is_warc(&name) {
            places.push(WarcPlace { start: data, length: file.compressed_size(), is_stored });
        }
        files.push(DirectoryFile { header: file.header_start(), data, size: file.compressed_size(), is_stored, name });
    }
    let end = zip.central_directory_start();
    drop(zip);
    let fits = fits(archive, files, end).unwrap_or(false);
    (places, (!fits).then(|| "its directory does not fit its files".to_owned()))
}

/// A file by the directory.
struct DirectoryFile {
    header: u64,
    data: u64,
    size: u64,
    is_stored: bool,
    name: Vec<u8>,
}

/// Whether the files begin with their names in the directory and follow each other without gaps up to `end`.
fn fits(archive: &mut (impl Read + Seek), mut files: Vec<DirectoryFile>, end: u64) -> io::Result<bool> {
    files.sort_unstable_by_key(|file| file.header);
    let nexts: Vec<u64> = files.iter().skip(1).map(|file| file.header).chain([end]).collect();
    for (file, next) in files.iter().zip(nexts) {
        let mut head = vec![0; FILE_HEAD + file.name.len()];
        archive.seek(SeekFrom::Start(file.header))?;
        archive.read_exact(&mut head)?;
        // Sizes that were not known when the file began follow it, in 32 or 64 bits, with a signature or without.
        let is_followed = head[6] & 8 != 0;
        let gap = next.checked_sub(file.data + file.size);
        let is_next = gap.is_some_and(|gap| gap == 0 || (is_followed && [12, 16, 20, 24].contains(&gap)));
        let is_same = number(&head, 26, 2) == file.name.len() as u64 && head[FILE_HEAD..] == file.name;
        if !is_same || !is_next || (number(&head, 8, 2) == 0) != file.is_stored {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns a number of up to four bytes; 0 behind the end.
fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let digits = bytes.get(at..at + length).unwrap_or_default();
    digits.iter().rev().fold(0, |sum, digit| sum << 8 | u64::from(*digit))
}

/// The facts about a file in its own header and in the directory, of which at most one is damaged.
#[derive(Default)]
struct FileFacts {
    is_warc: bool,
    /// Where its bytes begin, by the header before them.
    data: Option<u64>,
    /// Its length, by either.
    sizes: Vec<u64>,
}

/// Searches an archive for WARC files.
fn searched(archive: &mut (impl Read + Seek)) -> io::Result<Vec<WarcPlace>> {
    let mut seen: BTreeMap<u64, FileFacts> = BTreeMap::new();
    let mut end = archive.seek(SeekFrom::End(0))?;
    for (at, head) in heads(archive)? {
        let is_file = head.starts_with(FILE);
        let (size, length, name) = if is_file { (18, 26, FILE_HEAD) } else { (20, 28, ENTRY_HEAD) };
        let length = number(&head, length, 2) as usize;
        let file = seen.entry(if is_file { at } else { number(&head, 42, 4) }).or_default();
        file.is_warc |= head.get(name..name + length).is_some_and(is_warc);
        file.sizes.push(number(&head, size, 4));
        if is_file { file.data = Some(at + (name + length) as u64 + number(&head, 28, 2)) } else { end = end.min(at) }
    }
    let borders: Vec<u64> = seen.keys().copied().filter(|at| *at < end).chain([end]).collect();
    let mut places = Vec::new();
    for (at, file) in seen.iter().filter(|(_, file)| file.is_warc) {
        let Some(start) = start(archive, *at, file.data)? else { continue };
        let borders = &borders[borders.partition_point(|border| *border <= start)..];
        let told: Vec<u64> = file.sizes.iter().filter(|size| **size > 0).map(|size| start + size).collect();
        let agree = told.windows(2).all(|two| two[0] == two[1]);
        let told = told
            .iter()
            .copied()
            .find(|end| agree || borders.iter().any(|border| (0..=24).contains(&border.wrapping_sub(*end))));
        let Some(end) = told.or(borders.first().copied()) else { continue };
        places.push(WarcPlace { start, length: end - start, is_stored: true });
    }
    Ok(places)
}

/// Returns the headers of files and the entries of the directory, with their positions: as many bytes as can matter.
fn heads(archive: &mut (impl Read + Seek)) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let finder = memmem::Finder::new(b"PK");
    let (mut found, mut bytes, mut offset) = (Vec::new(), Vec::new(), 0);
    archive.seek(SeekFrom::Start(0))?;
    loop {
        let read = archive.by_ref().take(CHUNK as u64).read_to_end(&mut bytes)?;
        // The end of a chunk is searched with the next one.
        let done = if read == 0 { bytes.len() } else { bytes.len().saturating_sub(ENTRY_HEAD + MAX_NAME) };
        for at in finder.find_iter(&bytes).take_while(|at| *at < done) {
            let head = &bytes[at..bytes.len().min(at + ENTRY_HEAD + MAX_NAME)];
            if is_head(head) && found.len() < MAX_FILES {
                found.push((offset + at as u64, head.to_vec()));
            }
        }
        bytes.drain(..done);
        offset += done as u64;
        if read == 0 {
            return Ok(found);
        }
    }
}

/// Whether bytes are the header of a file or an entry, and not a part of a file: the name is a path, the method is known.
fn is_head(head: &[u8]) -> bool {
    let (method, length, name) = match head {
        _ if head.starts_with(FILE) => (8, 26, FILE_HEAD),
        _ if head.starts_with(ENTRY) => (10, 28, ENTRY_HEAD),
        _ => return false,
    };
    let name = head.get(name..name + number(head, length, 2) as usize);
    matches!(number(head, method, 2), 0 | 8)
        && name.is_some_and(|name| !name.is_empty() && name.iter().all(|b| (b' '..=b'~').contains(b)))
}

/// Returns where the bytes of a WARC file begin: at `told`, or else where the bytes show it.
fn start(archive: &mut (impl Read + Seek), header: u64, told: Option<u64>) -> io::Result<Option<u64>> {
    let mut bytes = Vec::new();
    archive.seek(SeekFrom::Start(header))?;
    archive.by_ref().take((FILE_HEAD + 4 * MAX_NAME) as u64).read_to_end(&mut bytes)?;
    if told.is_none() && !is_almost(&bytes, FILE) {
        // The directory names a place where no file begins.
        return Ok(None);
    }
    let told_at = told.map(|at| (at - header) as usize).filter(|at| *at < bytes.len());
    Ok(told_at
        .filter(|at| BEGINNINGS.iter().any(|first| bytes[*at..].starts_with(first)))
        .or_else(|| (FILE_HEAD..bytes.len()).find(|at| BEGINNINGS.iter().any(|first| bytes[*at..].starts_with(first))))
        .map(|at| header + at as u64))
}
