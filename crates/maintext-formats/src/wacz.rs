//! WACZ: WARC files in a ZIP archive, as <https://specs.webrecorder.net/wacz/1.1.1/> describes.
use crate::compression::Packed;
use crate::{Refusal, compression};
use std::io::{Cursor, Read, Seek};
use zip::{CompressionMethod, ZipArchive};

fn damaged(reason: impl ToString) -> Refusal {
    Refusal::Damaged("a WACZ archive".into(), reason.to_string())
}

fn is_warc(name: &str) -> bool {
    name.starts_with("archive/") && (name.ends_with(".warc") || name.ends_with(".warc.gz"))
}

/// Returns all WARC files of an archive as one, without compression.
pub(crate) fn joined(bytes: Vec<u8>, max_size: usize) -> Result<Vec<u8>, Refusal> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut out = Vec::new();
    for i in 0..zip.len() {
        let file = zip.by_index(i).map_err(damaged)?;
        if !is_warc(file.name().map_err(damaged)?.as_ref()) {
            continue;
        }
        let left = max_size - out.len();
        let mut packed = Vec::new();
        file.take(left as u64 + 1).read_to_end(&mut packed).map_err(damaged)?;
        let plain = match Packed::by_content(&packed) {
            Some(_) => compression::unpack(packed, None, left).map_err(|_| Refusal::TooLarge(max_size))?.0,
            None => packed,
        };
        if plain.len() > left {
            return Err(Refusal::TooLarge(max_size));
        }
        out.extend_from_slice(&plain);
    }
    if out.is_empty() {
        return Err(damaged("it holds no WARC file"));
    }
    Ok(out)
}

/// Returns the place and length in bytes of each WARC file in an archive of any size, so that they can be read from it one after another.
///
/// # Errors
/// [`Refusal::Damaged`] if the archive cannot be read, holds no WARC file, or compresses one a second time.
pub fn places(archive: impl Read + Seek) -> Result<Vec<(u64, u64)>, Refusal> {
    let mut zip = ZipArchive::new(archive).map_err(damaged)?;
    let mut out = Vec::new();
    for i in 0..zip.len() {
        let file = zip.by_index(i).map_err(damaged)?;
        let name = file.name().map_err(damaged)?.into_owned();
        if !is_warc(&name) {
            continue;
        }
        if file.compression() != CompressionMethod::Stored {
            return Err(damaged(format!("{name} is not stored as the format demands")));
        }
        out.push((file.data_start().ok_or_else(|| damaged(format!("{name} has no place")))?, file.size()));
    }
    if out.is_empty() {
        return Err(damaged("it holds no WARC file"));
    }
    Ok(out)
}
