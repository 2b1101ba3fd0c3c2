//! Archives on servers, and lists of them.
use super::list::Addresses;
use super::{
    InputError, InputFormat, InputOptions, InputSource, Items, Loaded, OpenInput, RawPage, UnreadItem, by_name,
};
use crate::archive::remote::RemoteFile;
use crate::archive::{CHUNK, Location, Ranges, ReadError};
use crate::members::Archive;
use crate::warc::{Records, Skipped, WarcRecord};
use maintext_util::files::Identity;
use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
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

/// Returns the source of an archive at an address.
fn remote(address: String, format: Option<InputFormat>) -> Result<InputSource, String> {
    match format {
        Some(InputFormat::Warc) => Ok(InputSource::Remote(address.into(), InputFormat::Warc)),
        _ => Err(format!(
            "{address}: only WARC files and lists of them can be read from a server; put the addresses of pages in a file that ends \
             with .urls"
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
                _ => return Err(failed(format!("{line} is not a WARC file"))),
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

/// Returns a reader of archives, if any are on a server.
pub(super) fn prepare(sources: &[InputSource], options: &InputOptions) -> Result<Option<Ranges>, InputError> {
    let is_needed = sources.iter().any(|source| matches!(source, InputSource::Remote(..)));
    is_needed.then(|| Ranges::new(&options.archives).map_err(InputError)).transpose()
}

impl Items {
    fn ranges(&self) -> Result<&Ranges, String> {
        self.ranges.as_ref().ok_or_else(|| "no archives were expected".to_owned())
    }

    /// Opens the WARC file of the current source. An error while a resumed run was in its middle is an item.
    pub(super) fn open_archive(&mut self, address: &Arc<str>) -> Result<OpenInput, String> {
        let (name, start) = (address.to_string(), self.at.place.unwrap_or(0));
        let (place, connections) = (Location::Remote(name.clone()), self.options.archives.connections);
        let reader = match RemoteFile::open(self.ranges()?, place, start, connections) {
            Ok(reader) => reader,
            Err(error) => {
                return Ok(OpenInput::One(match (self.at.number, self.at.place) {
                    // The run that is being resumed has reported it.
                    (1.., None) => None,
                    _ => Some(unreachable(None, None, &name, &error)),
                }));
            }
        };
        let mut records = Records::from_seekable(name.as_str(), reader);
        match self.at.place {
            Some(place) => records.resume(self.at.number, place).map_err(|e| e.to_string())?,
            None => super::skip(&mut records, self.at.number),
        }
        Ok(OpenInput::Warc { file: address.clone(), records: Archive::Records(records) })
    }
}

fn unreachable(id: Option<String>, url: Option<String>, name: &str, error: &ReadError) -> UnreadItem {
    UnreadItem::Unreachable { id, url, reason: error.reason.clone(), message: format!("{name}: {error}") }
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
            Err(Loaded::Failed {
                id: Some(id),
                url: record.url,
                place: None,
                status: None,
                reason: "broken record".into(),
                message,
            })
        }
    }
}
