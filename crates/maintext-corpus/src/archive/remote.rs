//! A file on a server whose next parts are requested while one of them is read.
use super::{CHUNK, Location, Ranges, ReadError};
use crate::in_order::InOrder;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A file, from an offset on. Bytes before the offset are requested when they are read.
pub(crate) struct RemoteFile {
    ranges: Ranges,
    place: Arc<Location>,
    at: u64,
    /// Where the current part begins, and its bytes.
    part: (u64, Vec<u8>),
    /// The parts behind it.
    rest: InOrder<u64, Result<Vec<u8>, ReadError>>,
    failed: Option<ReadError>,
}

impl RemoteFile {
    /// Requests the first part, whose answer states the size of the file, and then up to `connections` parts at once.
    ///
    /// # Errors
    /// The first part cannot be read.
    pub(crate) fn open(
        ranges: &Ranges,
        place: Location,
        start: u64,
        connections: usize,
    ) -> Result<RemoteFile, ReadError> {
        let ranges = Ranges { stopped: Arc::default(), ..ranges.clone() };
        let place = Arc::new(place);
        let first = ranges.read(&place, start, CHUNK)?;
        let first_end = start + first.bytes.len() as u64;
        let total = first.total.unwrap_or(first_end);
        let starts = (first_end..total).step_by(CHUNK);
        let connections = connections.clamp(1, starts.clone().count().max(1));
        let (work_ranges, work_place) = (ranges.clone(), place.clone());
        let read = move |at| {
            let found = work_ranges.read(&work_place, at, CHUNK)?;
            match found.total {
                Some(now) if now != total => {
                    let message = format!("the file changed while it was read, from {total} to {now} bytes");
                    Err(ReadError::new("changed file", message))
                }
                _ => Ok(found.bytes),
            }
        };
        let rest = InOrder::new(connections, connections, starts.map(|at| (at, Some(at))), read)
            .map_err(|e| ReadError::new("no thread", format!("no thread can be started: {e}")))?;
        Ok(RemoteFile { ranges, place, at: 0, part: (start, first.bytes), rest, failed: None })
    }
}

impl Drop for RemoteFile {
    fn drop(&mut self) {
        self.ranges.stopped.store(true, Ordering::Relaxed);
    }
}

impl Read for RemoteFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let (start, bytes) = &self.part;
            if self.at < *start {
                let length = (*start - self.at).min(buffer.len().min(CHUNK) as u64) as usize;
                let found = self.ranges.read(&self.place, self.at, length).map_err(io::Error::other)?;
                buffer[..found.bytes.len()].copy_from_slice(&found.bytes);
                self.at += found.bytes.len() as u64;
                return Ok(found.bytes.len());
            }
            if let Some(rest) = bytes.get((self.at - *start) as usize..).filter(|rest| !rest.is_empty()) {
                let length = rest.len().min(buffer.len());
                buffer[..length].copy_from_slice(&rest[..length]);
                self.at += length as u64;
                return Ok(length);
            }
            if let Some(error) = &self.failed {
                return Err(io::Error::other(error.clone()));
            }
            match self.rest.next() {
                Some((start, Some(Ok(bytes)))) => self.part = (start, bytes),
                Some((_, Some(Err(error)))) => self.failed = Some(error),
                Some((_, None)) => self.failed = Some(ReadError::new("ended", "a thread has ended")),
                None => return Ok(0),
            }
        }
    }
}

impl Seek for RemoteFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match to {
            SeekFrom::Start(to) => self.at = to,
            SeekFrom::Current(by) => self.at = self.at.saturating_add_signed(by),
            SeekFrom::End(_) => return Err(io::ErrorKind::Unsupported.into()),
        }
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ArchiveOptions;
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn parts_come_in_order_from_an_offset_on() {
        let path = std::env::temp_dir().join(format!("maintext-remote-{}", std::process::id()));
        let size = 3 * CHUNK + 1000;
        let bytes: Vec<u8> = (0..size).map(|i| (i / 7 % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let ranges = Ranges::new(&ArchiveOptions::default()).unwrap();
        let open = |path: &str, start| RemoteFile::open(&ranges, Location::Local(PathBuf::from(path)), start, 3);
        let name = path.to_str().unwrap();
        let mut found = Vec::new();
        open(name, 0).unwrap().read_to_end(&mut found).unwrap();
        assert!(found == bytes);
        assert!(open("/nowhere/a.warc", 0).is_err());
        // Before the offset, after it, and back.
        let mut reader = open(name, 77).unwrap();
        let mut head = [0; 50];
        reader.read_exact(&mut head).unwrap();
        assert_eq!(head, bytes[..50]);
        reader.seek(SeekFrom::Start(100)).unwrap();
        reader.read_exact(&mut head).unwrap();
        assert_eq!(head, bytes[100..150]);
        reader.seek(SeekFrom::Start(77)).unwrap();
        found.clear();
        reader.read_to_end(&mut found).unwrap();
        assert!(found == bytes[77..]);
        std::fs::remove_file(&path).unwrap();
    }
}
