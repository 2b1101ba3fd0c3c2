//! Files that become pages by [`maintext_formats`]: one page of a file, or the items of a feed.
use super::{Loaded, RawPage, UnreadItem};
use crate::pages;
use crate::warc::Records;
use maintext_formats::{Document, Documents, Hint, Limits, documents, wacz};
use maintext_util::guard;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

fn page(id: String, document: Document) -> RawPage {
    RawPage {
        id,
        url: document.url,
        bytes: document.bytes,
        charset: document.charset,
        whole: document.whole,
        ..RawPage::default()
    }
}

/// Returns the first document of a file.
#[allow(clippy::result_large_err)]
pub(super) fn first(id: String, bytes: Vec<u8>, hint: &Hint<'_>, max_size: usize) -> Result<RawPage, Loaded> {
    if bytes.len() > max_size {
        return Ok(RawPage { id, bytes, ..RawPage::default() });
    }
    let limits = Limits { max_size, ..Limits::default() };
    let url = hint.url.map(str::to_owned);
    match guard::catch(|| documents(bytes, hint, &limits)?.next().transpose()) {
        Ok(Ok(Some(document))) => {
            let warning = document.warning.clone();
            Ok(RawPage { warning, ..page(id, document) })
        }
        Ok(Ok(None)) => Err(Loaded::Skipped { id: Some(id), reason: "holds no page".into() }),
        Ok(Err(refusal)) => {
            let reason = refusal.reason();
            Err(Loaded::Failed { id: Some(id), url, place: None, status: None, reason, message: refusal.to_string() })
        }
        Err(message) => Err(Loaded::Failed {
            id: Some(id),
            url,
            place: None,
            status: None,
            reason: "internal error".into(),
            message,
        }),
    }
}

/// The pages of a file that holds several. Their ids consist of the file's id, `#`, and the number of the part.
pub(super) struct FileParts {
    id: String,
    number: u64,
    source: PartSource,
    /// What the file holds and the pages lack, such as the entries above a limit: the last item.
    lost: Option<String>,
}

enum PartSource {
    Documents(Box<Documents>),
    Failed(Option<String>),
}

impl FileParts {
    /// Opens a file. An error is the only item.
    pub fn open(path: &Path, id: String, max_size: usize) -> FileParts {
        match File::open(path) {
            Ok(file) => FileParts { id, ..FileParts::of(&path.to_string_lossy(), Box::new(file), max_size) },
            Err(error) => {
                let source = PartSource::Failed(Some(format!("cannot be opened: {error}")));
                FileParts { id, number: 0, source, lost: None }
            }
        }
    }

    /// Reads a stream, whose id is its name.
    pub fn of(name: &str, reader: Box<dyn Read + Send>, max_size: usize) -> FileParts {
        let source = source(name, reader, max_size).unwrap_or_else(|message| PartSource::Failed(Some(message)));
        FileParts { id: name.to_owned(), number: 0, source, lost: None }
    }
}

fn source(name: &str, reader: Box<dyn Read + Send>, max_size: usize) -> Result<PartSource, String> {
    let mut reader = pages::decompress(reader).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    let read = (&mut reader).take(max_size as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| format!("cannot be read: {e}"))?;
    if bytes.len() > max_size {
        return Err(format!("larger than the limit of {max_size} bytes"));
    }
    let limits = Limits { max_size, items: true, ..Limits::default() };
    let hint = Hint { name: Some(name), ..Hint::default() };
    let found = guard::catch(|| documents(bytes, &hint, &limits))?;
    found.map(|documents| PartSource::Documents(Box::new(documents))).map_err(|refusal| refusal.to_string())
}

impl Iterator for FileParts {
    type Item = UnreadItem;

    fn next(&mut self) -> Option<UnreadItem> {
        self.number += 1;
        let id = format!("{}#{}", self.id, self.number);
        let failed = |id, message: String| UnreadItem::failed(Some(id), format!("{}: {message}", self.id));
        match &mut self.source {
            PartSource::Failed(message) => message.take().map(|message| failed(self.id.clone(), message)),
            PartSource::Documents(documents) => match guard::catch(|| documents.next()) {
                Ok(None) => self.lost.take().map(|message| failed(id, message)),
                Ok(Some(Ok(document))) => {
                    self.lost = document.warning.clone().or(self.lost.take());
                    let id =
                        document.part.as_ref().map_or_else(|| self.id.clone(), |part| format!("{}#{part}", self.id));
                    Some(UnreadItem::Part(page(id, document)))
                }
                Ok(Some(Err(refusal))) => Some(failed(id, refusal.to_string())),
                Err(panic) => {
                    self.source = PartSource::Failed(None);
                    Some(UnreadItem::failed(Some(id), format!("{}: {panic}", self.id)))
                }
            },
        }
    }
}

/// Returns the records of the WARC files in an archive.
pub(super) fn records_of(path: &Path) -> Result<Records, String> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| format!("{name}: cannot be opened: {e}"))?;
    let places = wacz::contents(file).map_err(|e| format!("{name}: {e}"))?;
    let packed = places.iter().filter(|place| !place.is_stored).count();
    let damage = (packed > 0).then(|| format!("{packed} of its WARC files are not stored as the format demands"));
    let path = path.to_owned();
    let sections = places.into_iter().filter(|place| place.is_stored);
    let sections =
        sections.map(move |p| FileSection { path: path.clone(), file: None, start: p.start, length: p.length, at: 0 });
    Ok(Records::from_files(name, sections).with_damage(damage))
}

/// A part of a file, which is opened by the first read.
struct FileSection {
    path: PathBuf,
    file: Option<File>,
    start: u64,
    length: u64,
    at: u64,
}

impl Read for FileSection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            closed => closed.insert(File::open(&self.path)?),
        };
        file.seek(SeekFrom::Start(self.start + self.at))?;
        let read = file.take(self.length.saturating_sub(self.at)).read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for FileSection {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
