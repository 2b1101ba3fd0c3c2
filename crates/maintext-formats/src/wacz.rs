//! WACZ: WARC files in a ZIP archive, as <https://specs.webrecorder.net/wacz/1.1.1/> describes.
use crate::Refusal;
use crate::warc::pages::ResponsePages;
use flate2::read::DeflateDecoder;
use std::io::{Cursor, Read, Seek};
use zip::{CompressionMethod, ZipArchive};

fn damaged(reason: impl ToString) -> Refusal {
    Refusal::Damaged("a WACZ archive".into(), reason.to_string())
}

fn is_warc(name: &[u8]) -> bool {
    name.starts_with(b"archive/") && (name.ends_with(b".warc") || name.ends_with(b".warc.gz"))
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

/// Returns the WARC files in an archive of any size, by its directory.
///
/// # Errors
/// [`Refusal::Damaged`] if it holds none, or its directory cannot be read.
pub fn contents(archive: impl Read + Seek) -> Result<Vec<WarcPlace>, Refusal> {
    let mut zip = ZipArchive::new(archive).map_err(damaged)?;
    let mut places = Vec::new();
    for i in 0..zip.len() {
        let file = zip.by_index_raw(i).map_err(damaged)?;
        if is_warc(file.name_raw()) {
            let start = file.data_start().ok_or_else(|| damaged("a file has no place"))?;
            let is_stored = file.compression() == CompressionMethod::Stored;
            places.push(WarcPlace { start, length: file.compressed_size(), is_stored });
        }
    }
    if places.is_empty() { Err(damaged("it holds no WARC file")) } else { Ok(places) }
}

/// Returns the pages of an archive in memory.
pub(crate) fn pages(archive: &[u8], max_size: usize) -> Result<ResponsePages, Refusal> {
    let mut left = max_size as u64;
    let mut files = Vec::new();
    for place in contents(Cursor::new(archive))? {
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
    Ok(ResponsePages::new(files, max_size))
}
