//! Reads parts of files ahead of their use, several at the same time, and hands them over in order.
//!
//! Parts are requested in order: all of one file, then the next. A file's size is known after its first part; until then, the first parts of
//! the next files are requested, which take at most half of the memory.
use super::{CHUNK, FileRange, Location, Ranges, ReadError};
use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Largest number of parts that are requested or held, per connection. Many small ones are requested while the first is waited for.
const PARTS_PER_CONNECTION: usize = 16;

/// A file, from an offset on.
pub(crate) struct FileSpan {
    pub(crate) place: Arc<Location>,
    pub(crate) start: u64,
}

/// The spans of an iterator, read ahead.
pub(crate) struct Prefetch {
    shared: Arc<SharedState>,
    /// The number of the next span.
    next: u64,
}

struct SharedState {
    ranges: Ranges,
    state: Mutex<PrefetchState>,
    changed: Condvar,
    connections: usize,
}

type Source = Box<dyn Iterator<Item = FileSpan> + Send>;

struct PrefetchState {
    /// Absent while a thread takes the next span from it.
    source: Option<Source>,
    exhausted: bool,
    spans: VecDeque<OpenSpan>,
    /// The number of the first span.
    first: u64,
    /// Size of all parts that are requested or held.
    bytes: usize,
    parts: usize,
    closed: bool,
}

struct OpenSpan {
    place: Arc<Location>,
    /// Where the next part starts.
    next: u64,
    end: Option<u64>,
    /// The size of the whole file.
    total: Option<u64>,
    parts: VecDeque<FilePart>,
}

struct FilePart {
    start: u64,
    /// Its size in `State::bytes`.
    size: usize,
    /// `None` until it arrives.
    content: Option<Result<Vec<u8>, ReadError>>,
}

/// What a thread does next.
enum PrefetchTask {
    Read { span: u64, place: Arc<Location>, start: u64, length: usize },
    Open(Source),
    Wait,
}

impl Prefetch {
    /// # Errors
    /// No thread can be started.
    pub(crate) fn new(
        ranges: &Ranges,
        connections: usize,
        spans: impl Iterator<Item = FileSpan> + Send + 'static,
    ) -> Result<Self, String> {
        let ranges = Ranges { stopped: Arc::default(), ..ranges.clone() };
        let state = PrefetchState {
            source: Some(Box::new(spans)),
            exhausted: false,
            spans: VecDeque::new(),
            first: 0,
            bytes: 0,
            parts: 0,
            closed: false,
        };
        let connections = connections.max(1);
        let shared = Arc::new(SharedState { ranges, state: Mutex::new(state), changed: Condvar::new(), connections });
        // One thread is enough.
        let started: Vec<_> = (0..connections)
            .map(|_| {
                let shared = shared.clone();
                thread::Builder::new().name("archives".into()).spawn(move || shared.work())
            })
            .collect();
        match started.into_iter().reduce(io::Result::or) {
            Some(Err(error)) => Err(format!("no thread can be started: {error}")),
            _ => Ok(Prefetch { shared, next: 0 }),
        }
    }

    /// Returns the next span; its reader is valid until the next call.
    pub(crate) fn next(&mut self) -> Option<SpanReader> {
        let mut state = self.shared.lock();
        while state.first < self.next && !state.spans.is_empty() {
            state.drop_first();
        }
        self.shared.changed.notify_all();
        let state = self
            .shared
            .changed
            .wait_while(state, |s| s.spans.is_empty() && !s.exhausted)
            .unwrap_or_else(PoisonError::into_inner);
        let first = state.spans.front()?;
        let place = first.place.clone();
        let number = self.next;
        self.next += 1;
        drop(state);
        Some(SpanReader { shared: self.shared.clone(), number, place, at: 0, current: (0, Vec::new()), failed: None })
    }
}

impl Drop for Prefetch {
    fn drop(&mut self) {
        self.shared.ranges.stopped.store(true, Ordering::Relaxed);
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

impl PrefetchState {
    fn drop_first(&mut self) {
        if let Some(open) = self.spans.pop_front() {
            self.parts -= open.parts.len();
            self.bytes -= open.parts.iter().map(|part| part.size).sum::<usize>();
            self.first += 1;
        }
    }

    fn task(&mut self, connections: usize) -> PrefetchTask {
        let full = connections * CHUNK;
        let mut room = full;
        for (at, open) in self.spans.iter_mut().enumerate() {
            let left = match open.end {
                Some(end) => end.saturating_sub(open.next),
                // The first part reveals the size of the file.
                None if !open.parts.is_empty() => {
                    room = full / 2;
                    continue;
                }
                None => CHUNK as u64,
            };
            if left == 0 {
                continue;
            }
            let length = left.min(CHUNK as u64) as usize;
            let needed = at == 0 && open.parts.is_empty();
            if !needed && (self.bytes + length > room || self.parts >= connections * PARTS_PER_CONNECTION) {
                return PrefetchTask::Wait;
            }
            let start = open.next;
            open.next += length as u64;
            open.parts.push_back(FilePart { start, size: length, content: None });
            self.bytes += length;
            self.parts += 1;
            return PrefetchTask::Read { span: self.first + at as u64, place: open.place.clone(), start, length };
        }
        let many = self.spans.len() >= connections * PARTS_PER_CONNECTION;
        if !self.spans.is_empty() && (self.bytes >= room || many) {
            return PrefetchTask::Wait;
        }
        self.source.take().map_or(PrefetchTask::Wait, PrefetchTask::Open)
    }

    /// Takes the content of a part, unless its span was dropped.
    fn arrived(&mut self, span: u64, start: u64, length: usize, result: Result<FileRange, ReadError>) {
        let Some(open) = span.checked_sub(self.first).and_then(|at| self.spans.get_mut(at as usize)) else { return };
        let Some(part) = open.parts.iter_mut().find(|part| part.start == start) else { return };
        let result = result.and_then(|found| match (open.total, found.total) {
            (Some(before), Some(now)) if before != now => {
                let message = format!("the file changed while it was read, from {before} to {now} bytes");
                Err(ReadError::new("changed file", message))
            }
            _ => Ok(found),
        });
        let content = result.map(|found| {
            let found_end = start + found.bytes.len() as u64;
            open.total = open.total.or(found.total);
            let file_end = found.total.or((found.bytes.len() < length).then_some(found_end));
            // Without a size, the file continues.
            open.end = match (open.end, file_end) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            found.bytes
        });
        if content.is_err() {
            open.end = Some(open.next);
        }
        self.bytes = self.bytes + content.as_ref().map_or(0, Vec::len) - part.size;
        part.size = content.as_ref().map_or(0, Vec::len);
        part.content = Some(content);
    }
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, PrefetchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads parts until the end.
    fn work(&self) {
        let mut state = self.lock();
        while !state.closed {
            match state.task(self.connections) {
                PrefetchTask::Read { span, place, start, length } => {
                    drop(state);
                    let result = self.ranges.read(&place, start, length);
                    state = self.lock();
                    state.arrived(span, start, length, result);
                }
                PrefetchTask::Open(mut source) => {
                    drop(state);
                    let next = source.next();
                    state = self.lock();
                    match next {
                        Some(FileSpan { place, start }) => {
                            let parts = VecDeque::new();
                            state.spans.push_back(OpenSpan { place, next: start, end: None, total: None, parts });
                            state.source = Some(source);
                        }
                        None => state.exhausted = true,
                    }
                }
                PrefetchTask::Wait => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            }
            self.changed.notify_all();
        }
    }

    /// Waits for the first part of a span. Returns `None` at its end.
    fn first_part(&self, number: u64) -> Option<Result<(u64, Vec<u8>), ReadError>> {
        let waits = |s: &mut PrefetchState| {
            s.span(number).is_some_and(|open| match open.parts.front() {
                Some(part) => part.content.is_none(),
                None => open.end.is_none_or(|end| open.next < end),
            })
        };
        let mut state = self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        let part = state.span(number)?.parts.pop_front()?;
        state.bytes -= part.size;
        state.parts -= 1;
        self.changed.notify_all();
        Some(part.content?.map(|bytes| (part.start, bytes)))
    }
}

impl PrefetchState {
    fn span(&mut self, number: u64) -> Option<&mut OpenSpan> {
        self.spans.get_mut(number.checked_sub(self.first)? as usize)
    }
}

/// The bytes of the file that contains a span, by their offsets in the file. Bytes of the span are read ahead in order; all others are read
/// on demand, which is slow.
pub(crate) struct SpanReader {
    shared: Arc<SharedState>,
    number: u64,
    place: Arc<Location>,
    at: u64,
    /// The part that was read last, and its offset.
    current: (u64, Vec<u8>),
    /// The error that ended the span.
    failed: Option<ReadError>,
}

impl SpanReader {
    /// Waits for the first part and returns the error if it cannot be read.
    pub(crate) fn check(&mut self) -> Result<(), ReadError> {
        match self.shared.first_part(self.number) {
            Some(part) => self.current = part?,
            None => self.current = (u64::MAX, Vec::new()),
        }
        Ok(())
    }
}

impl Read for SpanReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let (start, bytes) = &self.current;
            if self.at < *start && *start < u64::MAX {
                let length = (*start - self.at).min(buffer.len().min(CHUNK) as u64) as usize;
                let found = self.shared.ranges.read(&self.place, self.at, length).map_err(io::Error::other)?;
                buffer[..found.bytes.len()].copy_from_slice(&found.bytes);
                self.at += found.bytes.len() as u64;
                return Ok(found.bytes.len());
            }
            if let Some(rest) = bytes.get((self.at.saturating_sub(*start)) as usize..).filter(|rest| !rest.is_empty()) {
                let length = rest.len().min(buffer.len());
                buffer[..length].copy_from_slice(&rest[..length]);
                self.at += length as u64;
                return Ok(length);
            }
            if let Some(error) = &self.failed {
                return Err(io::Error::other(error.clone()));
            }
            match self.shared.first_part(self.number) {
                Some(Ok(part)) => self.current = part,
                Some(Err(error)) => self.failed = Some(error),
                None => return Ok(0),
            }
        }
    }
}

impl Seek for SpanReader {
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
    fn files_come_in_order_with_their_bytes() {
        let path = std::env::temp_dir().join(format!("maintext-prefetch-{}", std::process::id()));
        let size = 2 * CHUNK + 1000;
        let bytes: Vec<u8> = (0..size).map(|i| (i / 7 % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let (file, missing) = (Location::Local(path.clone()), Location::Local(PathBuf::from("/nowhere/a.warc")));
        let (file, missing) = (Arc::new(file), Arc::new(missing));
        let span = |place: &Arc<Location>, start: u64| FileSpan { place: place.clone(), start };
        let ranges = Ranges::new(&ArchiveOptions::default()).unwrap();
        let spans = [span(&file, 0), span(&missing, 0), span(&file, 77)];
        let mut spans = Prefetch::new(&ranges, 3, spans.into_iter()).unwrap();
        let mut found = Vec::new();
        spans.next().unwrap().read_to_end(&mut found).unwrap();
        assert!(found == bytes);
        let mut reader = spans.next().unwrap();
        // The error stays.
        assert!(reader.read(&mut [0]).is_err() && reader.read(&mut [0]).is_err());
        // Before the offset, after it, and back.
        let mut reader = spans.next().unwrap();
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
        assert!(spans.next().is_none());
        std::fs::remove_file(path).unwrap();
    }
}
