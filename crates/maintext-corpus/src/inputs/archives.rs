//! Archives on servers: lists of them, whole files read ahead, and captures by the rows of an index.
use super::index::{self, Broken, CaptureRow, Rows, Spans, Together};
use super::list::Addresses;
use super::{
    InputError, InputFormat, InputOptions, InputSource, Items, Loaded, OpenInput, RawPage, Selection, UnreadItem,
    by_name,
};
use crate::archive::blocks::FileBlocks;
use crate::archive::prefetch::{FileSpan, Prefetch, SpanReader};
use crate::archive::{CHUNK, Location, Ranges, ReadError};
use crate::members::Archive;
use crate::pages;
use crate::warc::{Records, Skipped, WarcError, WarcRecord};
use maintext_util::files::Identity;
use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest list of archives in bytes.
const MAX_LIST: u64 = 256 << 20;

/// The files of a list, which are consecutive sources.
#[derive(Clone, Debug)]
pub(super) struct ArchiveList {
    pub(super) name: String,
    first: usize,
    count: usize,
    /// A hash of the files' names.
    hash: u64,
}

impl ArchiveList {
    /// Returns the list that contains a source, and whether the source is its first.
    pub(super) fn of(lists: &[ArchiveList], source: usize) -> Option<(&ArchiveList, bool)> {
        let list = lists.get(lists.partition_point(|list| list.first + list.count <= source))?;
        (list.first <= source).then_some((list, list.first == source))
    }

    /// Returns a line that differs if the list names other files.
    pub(super) fn describe(&self) -> String {
        format!("{} of {} archives {:x}", self.name, self.count, self.hash)
    }

    pub(super) fn overwritten_by(&self, output: &Identity) -> Option<PathBuf> {
        let path = PathBuf::from(&self.name);
        (Identity::of(&path)? == *output).then_some(path)
    }
}

/// The sources of an argument that names archives.
pub(super) enum NamedArchives {
    Sources(Vec<InputSource>, Option<ArchiveList>),
    /// A path without its `file://`.
    Path(String),
}

/// Determines whether an argument is an address or a list of archives, and its sources. `None` for any other argument. `first` is the
/// number of its first source.
pub(super) fn named(argument: &str, options: &InputOptions, first: usize) -> Result<Option<NamedArchives>, InputError> {
    let place = if argument.contains("://") {
        Location::new(argument, None).map_err(InputError)?
    } else {
        Location::Local(argument.into())
    };
    let format = options.format.or_else(|| by_name(Path::new(argument)));
    if format == Some(InputFormat::Paths) {
        return list(argument, &place, options, first).map(Some);
    }
    match (place, format) {
        (Location::Local(path), _) if argument.contains("://") => {
            Ok(Some(NamedArchives::Path(path.to_string_lossy().into_owned())))
        }
        (Location::Local(_), _) => Ok(None),
        (Location::Remote(address), format) => {
            let source = remote(address, format).map_err(InputError)?;
            Ok(Some(NamedArchives::Sources(vec![source], None)))
        }
    }
}

/// Returns the source of an archive or an index at an address.
fn remote(address: String, format: Option<InputFormat>) -> Result<InputSource, String> {
    match format {
        Some(InputFormat::Warc) => Ok(InputSource::Remote(address.into(), InputFormat::Warc)),
        Some(InputFormat::Parquet | InputFormat::Index) => Ok(InputSource::Remote(address.into(), InputFormat::Index)),
        _ => Err(format!(
            "{address}: only WARC files, their indexes and lists of them can be read from a server; put the addresses of pages in a \
             file that ends with .urls"
        )),
    }
}

/// Reads a list of archives.
fn list(name: &str, place: &Location, options: &InputOptions, first: usize) -> Result<NamedArchives, InputError> {
    let failed = |message: String| InputError(format!("{name}: {message}"));
    let reader: Box<dyn Read + Send> = match place {
        Location::Local(path) => {
            Box::new(File::open(path).map_err(|e| failed(format!("cannot be opened: {e}")))?.take(MAX_LIST))
        }
        Location::Remote(_) => {
            let ranges = Ranges::new(&options.archives).map_err(failed)?;
            Box::new(io::Cursor::new(whole(&ranges, place).map_err(|e| failed(e.message))?))
        }
    };
    let mut sources = Vec::new();
    let mut hash = DefaultHasher::new();
    for (number, line) in (1..).zip(Addresses::new(name, reader)) {
        let line = line.map_err(InputError)?;
        let place = Location::new(&line, options.archives.base.as_deref()).map_err(failed)?;
        place.to_string().hash(&mut hash);
        let format = by_name(Path::new(&line));
        let source = match place {
            Location::Remote(address) => remote(address, format).map_err(failed)?,
            Location::Local(path) if options.archives.base.is_none() && number == 1 && !path.exists() => {
                return Err(failed(format!(
                    "{line} is not a file; name what the paths start with, such as --base https://data.commoncrawl.org/"
                )));
            }
            Location::Local(path) => match format {
                Some(InputFormat::Warc) => InputSource::File(path, InputFormat::Warc),
                Some(InputFormat::Parquet | InputFormat::Index) => InputSource::File(path, InputFormat::Index),
                _ => return Err(failed(format!("{line} is neither a WARC file nor an index"))),
            },
        };
        sources.push(source);
    }
    let list = ArchiveList { name: name.to_owned(), first, count: sources.len(), hash: hash.finish() };
    Ok(NamedArchives::Sources(sources, Some(list)))
}

/// Reads a small file as a whole.
fn whole(ranges: &Ranges, place: &Location) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    loop {
        let found = ranges.read(place, bytes.len() as u64, CHUNK)?;
        bytes.extend_from_slice(&found.bytes);
        let end = found.total.is_none_or(|total| bytes.len() as u64 >= total);
        if end || found.bytes.is_empty() || bytes.len() as u64 > MAX_LIST {
            return Ok(bytes);
        }
    }
}

/// Finds out which tables are indexes, and returns a reader of archives, if any are on a server or in an index.
pub(super) fn prepare(sources: &mut [InputSource], options: &InputOptions) -> Result<Option<Ranges>, InputError> {
    let mut needed = false;
    for source in sources {
        if let InputSource::File(path, format @ InputFormat::Parquet) = source
            && options.format.is_none()
            && index::is_index(path, &options.columns.html)
        {
            *format = InputFormat::Index;
        }
        let (is_index, name) = match source {
            InputSource::File(path, format) => (*format == InputFormat::Index, path.display().to_string()),
            InputSource::Remote(address, format) => (*format == InputFormat::Index, address.to_string()),
            _ => continue,
        };
        if is_index && options.archives.base.is_none() {
            let hint = "is an index of web archives; name where they are, such as --base https://data.commoncrawl.org/";
            return Err(InputError(format!("{name}: {hint}")));
        }
        needed |= is_index || matches!(source, InputSource::Remote(..));
    }
    needed.then(|| Ranges::new(&options.archives).map_err(InputError)).transpose()
}

/// Archives on servers that follow each other in the inputs, read ahead.
pub(super) struct Ahead {
    /// The number of the next source.
    next: usize,
    archives: Prefetch<()>,
}

impl Items {
    fn ranges(&self) -> Result<&Ranges, String> {
        self.ranges.as_ref().ok_or_else(|| "no archives were expected".to_owned())
    }

    /// Opens the WARC file of the current source. An error while a resumed run was in its middle is an item.
    pub(super) fn open_archive(&mut self, address: &Arc<str>) -> Result<OpenInput, String> {
        let current = self.at.source;
        let mut ahead = match self.ahead.take() {
            Some(ahead) if ahead.next == current => ahead,
            _ => {
                let listed = self.sources[current..].iter().map_while(|source| match source {
                    InputSource::Remote(address, InputFormat::Warc) => Some(address.to_string()),
                    _ => None,
                });
                let listed: Vec<String> = listed.collect();
                let mut start = self.at.place.unwrap_or(0);
                let spans = listed.into_iter().map(move |address| FileSpan {
                    place: Arc::new(Location::Remote(address)),
                    start: std::mem::take(&mut start),
                    end: None,
                    tag: (),
                });
                let archives = Prefetch::new(self.ranges()?, self.options.archives.connections, spans)?;
                Ahead { next: current, archives }
            }
        };
        ahead.next += 1;
        let found = ahead.archives.next();
        self.ahead = Some(ahead);
        let (_, mut reader) = found.ok_or("no archive follows")?;
        let name = address.to_string();
        if let Err(error) = reader.check() {
            return Ok(OpenInput::One(match (self.at.number, self.at.place) {
                // The run that is being resumed has reported it.
                (1.., None) => None,
                _ => Some(unreachable(None, None, &name, &error)),
            }));
        }
        let mut records = Records::from_seekable(name.as_str(), reader);
        match self.at.place {
            Some(place) => records.resume(self.at.number, place).map_err(|e| e.to_string())?,
            None => super::skip(&mut records, self.at.number),
        }
        Ok(OpenInput::Warc { file: address.clone(), records: Archive::Records(records) })
    }

    fn table(&self, name: &str, place: Location, selection: Selection, skip: u64) -> Result<Rows, String> {
        let blocks = FileBlocks::open(self.ranges()?.clone(), place).map_err(|e| format!("{name}: {e}"))?;
        index::table(name, blocks, selection, skip)
    }

    /// Opens an index.
    pub(super) fn open_index(&self, name: &str, place: Location) -> Result<OpenInput, String> {
        let (ranges, archives) = (self.ranges()?, &self.options.archives);
        let (selection, skip) = (self.options.selection.clone(), self.at.number);
        let rows: Rows = match place {
            Location::Local(path) => {
                let open = || File::open(&path).map_err(|e| format!("{name}: cannot be opened: {e}"));
                let mut head = Vec::new();
                open()?.take(4).read_to_end(&mut head).map_err(|e| format!("{name}: cannot be read: {e}"))?;
                match head.as_slice() {
                    b"PAR1" => self.table(name, Location::Local(path), selection, skip)?,
                    _ => {
                        let reader = pages::decompress(Box::new(open()?)).map_err(|e| format!("{name}: {e}"))?;
                        index::lines(name, reader, selection, skip)
                    }
                }
            }
            Location::Remote(_) if name.ends_with(".parquet") => self.table(name, place, selection, skip)?,
            place => {
                let span = FileSpan { place: Arc::new(place), start: 0, end: None, tag: () };
                let mut file = Prefetch::new(ranges, 2, [span].into_iter())?;
                let (_, mut reader) = file.next().ok_or("no index follows")?;
                reader.check().map_err(|e| format!("{name}: {e}"))?;
                let reader = pages::decompress(Box::new(KeptReader { reader, _file: file }));
                index::lines(name, reader.map_err(|e| format!("{name}: {e}"))?, selection, skip)
            }
        };
        let spans = Spans::new(name, rows, archives.base.clone(), self.options.max_size);
        let captures = Prefetch::new(ranges, archives.connections, spans)?;
        Ok(OpenInput::Index(Captures { captures, open: None, name: name.into() }))
    }
}

/// A reader with everything that keeps it running.
struct KeptReader {
    reader: SpanReader<()>,
    _file: Prefetch<()>,
}

impl Read for KeptReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

fn unreachable(id: Option<String>, url: Option<String>, name: &str, error: &ReadError) -> UnreadItem {
    UnreadItem::Unreachable { id, url, reason: error.reason.clone(), message: format!("{name}: {error}") }
}

/// The captures of an index.
pub(super) struct Captures {
    captures: Prefetch<Together>,
    open: Option<(Together, SpanReader<Together>)>,
    /// The name of the index.
    name: Arc<str>,
}

/// The compressed record of a capture.
#[derive(Debug)]
pub(super) struct CompressedCapture {
    index: Arc<str>,
    pub(super) row: CaptureRow,
    /// The file.
    file: Arc<str>,
    pub(super) bytes: Vec<u8>,
}

impl Captures {
    /// Returns the next capture and the number of its row.
    pub(super) fn next(&mut self) -> Option<(u64, UnreadItem)> {
        loop {
            if let Some((rows, reader)) = &mut self.open
                && let Some(row) = rows.pop_front()
            {
                return Some(match row {
                    Ok(row) => (row.number, read(&self.name, row, reader)),
                    Err(Broken { number, url, message }) => {
                        let (id, reason) = (Some(number.to_string()), "broken index row".into());
                        (number, UnreadItem::Unreachable { id, url, reason, message })
                    }
                });
            }
            self.open = Some(self.captures.next()?);
        }
    }
}

/// Reads the record of a row.
fn read(index: &Arc<str>, row: CaptureRow, reader: &mut SpanReader<Together>) -> UnreadItem {
    let file: Arc<str> = reader.place().to_string().into();
    let mut bytes = Vec::new();
    let result = reader.seek(SeekFrom::Start(row.offset)).and_then(|_| reader.take(row.length).read_to_end(&mut bytes));
    let Err(error) = result else {
        return UnreadItem::Capture(Box::new(CompressedCapture { index: index.clone(), row, file, bytes }));
    };
    let reason = error.get_ref().and_then(|e| e.downcast_ref::<ReadError>()).map(|e| e.reason.clone());
    let (name, message) = (format!("{index} row {}", row.number), format!("{file} at byte {}: {error}", row.offset));
    let error = ReadError { reason: reason.unwrap_or("unreadable file".into()), message };
    unreachable(Some(row.number.to_string()), Some(row.url), &name, &error)
}

/// Returns the page of a capture; the error is the result if it is not a page.
#[allow(clippy::result_large_err)]
pub(super) fn page_of_capture(capture: CompressedCapture, max_size: usize) -> Result<RawPage, Loaded> {
    let CompressedCapture { index, row, file, bytes } = capture;
    let at =
        |what: &dyn std::fmt::Display| format!("{index} row {}: {file} at byte {}: {what}", row.number, row.offset);
    let broken = |what: &str| Loaded::Failed {
        id: None,
        url: Some(row.url.clone()),
        place: Some(("row", row.number)),
        reason: "broken record".into(),
        message: at(&what),
    };
    let record = match Records::from_reader("", io::Cursor::new(bytes)).next() {
        Some(Ok(record)) => record,
        Some(Err(WarcError::Record { reason, .. })) => return Err(broken(&reason)),
        Some(Err(error)) => return Err(broken(&error.to_string())),
        None => return Err(broken("the file ends before this record")),
    };
    let record = crate::warc::WarcRecord { number: row.number, ..record };
    page_of_record(file.clone(), record, max_size, &|_, why| at(why))
}

/// Returns the page of a record. `at` makes a message from the file and the error.
#[allow(clippy::result_large_err)]
pub(super) fn page_of_record(
    file: Arc<str>,
    record: WarcRecord,
    max_size: usize,
    at: &dyn Fn(&str, &dyn fmt::Display) -> String,
) -> Result<RawPage, Loaded> {
    let page = record.page(max_size);
    let id = record.id.unwrap_or_else(|| record.number.to_string());
    let skipped = |reason| Err(Loaded::Skipped { id: Some(id.clone()), reason });
    match page {
        Ok(Ok(page)) => {
            let charset = page.charset.map(Cow::Owned);
            let (url, captured) = (record.url, record.date);
            let (status, file) = (Some(page.status), Some(file));
            Ok(RawPage { id, url, bytes: page.body, charset, captured, status, file, ..RawPage::default() })
        }
        Ok(Err(Skipped::OtherRecord)) => skipped(format!("WARC record of type {}", record.kind).into()),
        Ok(Err(Skipped::Status(status))) => skipped(format!("HTTP status {status}").into()),
        Ok(Err(Skipped::NotHtml)) => skipped("not HTML".into()),
        Err(why) => {
            let message = at(&file, &why);
            Err(Loaded::Failed { id: Some(id), url: record.url, place: None, reason: "broken record".into(), message })
        }
    }
}
