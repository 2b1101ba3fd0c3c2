//! The inputs of a batch, in the order given: folders, lists of addresses, JSONL, WARC and Parquet files, and every format that
//! [`maintext_formats`] reads.
//!
//! [`Inputs::read`] returns [`Item`]s one at a time and never holds a whole file. Creating an item is cheap; [`Item::page`] parses and
//! decodes it and may run on another thread. Each item contains the [`Position`] after it, from which a later run can resume.
use crate::archive::{ArchiveOptions, Ranges};
use crate::members::Archive;
use crate::pages::{self, ESCAPED, Pages, RawLine};
use crate::parquet::{Columns, ParquetPages, RowError};
use crate::warc::{Records, WarcRecord};
use maintext_util::files::Identity;
use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

mod archives;
mod list;
mod load;
mod parts;
mod walk;

use archives::{ArchiveList, NamedArchives};
use list::Addresses;
use maintext_formats::{Format, Hint};
use parts::FileParts;
use walk::{FolderWalk, FoundFile};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputFormat {
    /// One page, or a file in another format that becomes pages: see [`maintext_formats`].
    Html,
    /// Several pages in one file: a feed.
    Documents,
    /// Addresses to fetch, one per line.
    Urls,
    /// JSON objects with a page each, one per line.
    Jsonl,
    /// WARC records.
    Warc,
    /// WARC files in a ZIP archive.
    Wacz,
    /// A table with a column of pages.
    Parquet,
    /// A list of web archives, one path or address per line.
    Paths,
}

/// How inputs are read.
#[derive(Clone, Debug)]
pub struct InputOptions {
    /// The format of all inputs; `None` detects it by file names and first bytes.
    pub format: Option<InputFormat>,
    /// The columns to read from Parquet files.
    pub columns: Columns,
    /// Largest page in bytes after decompression.
    pub max_size: usize,
    /// Number of threads that decompress a WARC file or a table; with 1, the thread that asks for the items does it.
    pub readers: usize,
    /// How archives of lists are read.
    pub archives: ArchiveOptions,
}

impl Default for InputOptions {
    fn default() -> Self {
        InputOptions {
            format: None,
            columns: Columns::default(),
            max_size: 20 << 20,
            readers: 1,
            archives: ArchiveOptions::default(),
        }
    }
}

/// The inputs of a run: located, but not yet read.
#[derive(Debug)]
pub struct Inputs {
    sources: Vec<InputSource>,
    /// The lists among the inputs, in order.
    lists: Vec<ArchiveList>,
    /// Reads archives, if there are any on a server.
    ranges: Option<Ranges>,
    options: InputOptions,
    consumed: Arc<AtomicU64>,
}

#[derive(Clone, Debug)]
enum InputSource {
    Stdin,
    Folder(PathBuf),
    File(PathBuf, InputFormat),
    /// An archive at an address.
    Remote(Arc<str>, InputFormat),
    /// An argument that cannot be used, although others can.
    Unusable {
        name: String,
        message: String,
    },
}

/// A position between two items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Number of the input, from 0.
    pub source: usize,
    /// Number of its items before the position: lines, records, rows or files.
    pub number: u64,
    /// Byte offset in the file, if reading can resume there directly.
    pub place: Option<u64>,
}

/// A possible page, not yet parsed.
#[derive(Debug)]
pub struct Item {
    /// The position after it.
    pub after: Position,
    raw: UnreadItem,
}

#[derive(Debug)]
enum UnreadItem {
    Line(RawLine),
    Record {
        file: Arc<str>,
        record: WarcRecord,
    },
    Row(pages::PageRecord),
    File {
        path: PathBuf,
        id: String,
    },
    Address(String),
    /// Read from standard input.
    Bytes(Vec<u8>),
    /// A part of a file.
    Part(RawPage),
    /// An archive, or a record of it, that could not be read.
    Unreachable {
        id: Option<String>,
        url: Option<String>,
        reason: Cow<'static, str>,
        message: String,
    },
    /// A file of a folder that is not a page.
    Skipped {
        id: String,
        reason: String,
    },
    /// An item that could not be read, with the reason.
    Failed {
        id: Option<String>,
        url: Option<String>,
        place: Option<Place>,
        reason: &'static str,
        message: String,
    },
}

impl UnreadItem {
    fn failed(id: Option<String>, message: String) -> UnreadItem {
        UnreadItem::Failed { id, url: None, place: None, reason: "unreadable input", message }
    }
}

/// The number of an item in its file, from 1, with the word for it: `line`, `row` or `record`.
pub type Place = (&'static str, u64);

/// The result of loading an item.
#[derive(Debug)]
pub enum Loaded {
    /// A page.
    Page(RawPage),
    /// A valid item that is not a page: a request, a redirect, an image, a style sheet.
    Skipped {
        /// Its id, if it has one.
        id: Option<String>,
        /// The reason, in a few words that many items share.
        reason: Cow<'static, str>,
    },
    /// The item could not be read.
    Failed {
        /// Its id, if it can be read.
        id: Option<String>,
        /// Its address, if known.
        url: Option<String>,
        /// The number of its line, row or record, if its id cannot be read.
        place: Option<Place>,
        /// The HTTP status, if that is the reason.
        status: Option<u16>,
        /// The reason, in a few words that many items share.
        reason: Cow<'static, str>,
        /// The reason, in one line that names the file and position.
        message: String,
    },
}

/// A page before extraction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawPage {
    /// The page's own id, or else its line, row or record number, its path in the folder, or its address.
    pub id: String,
    /// Its address.
    pub url: Option<String>,
    /// The page.
    pub bytes: Vec<u8>,
    /// The charset that the server or the file declared.
    pub charset: Option<Cow<'static, str>>,
    /// Whether all of it is content: messages and texts have no menus.
    pub whole: bool,
    /// When an archive fetched it, in the archive's own notation: `WARC-Date`.
    pub captured: Option<String>,
    /// The HTTP status of the answer from which it is; then [`RawPage::url`] is the address that answered.
    pub status: Option<u16>,
    /// The archive that contains it.
    pub file: Option<Arc<str>>,
    /// What its file holds and the page lacks, such as the entries of a feed above a limit.
    pub warning: Option<String>,
}

/// An input that cannot be used at all. `Display` names it.
#[derive(Debug, PartialEq, Eq)]
pub struct InputError(String);

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InputError {}

impl Inputs {
    /// Determines the kind of each argument: a folder, a file, a pattern with `*`, `?` or `[..]`, or `-` for standard input. A path that
    /// does not exist, a pattern without matches, a file of an unknown format and a folder without pages become failed items.
    ///
    /// # Errors
    /// Returns the first such argument if there is no other, or an invalid pattern or list.
    pub fn new<S: AsRef<str>>(arguments: &[S], options: InputOptions) -> Result<Inputs, InputError> {
        let mut sources = Vec::new();
        let mut lists = Vec::new();
        for argument in arguments {
            let argument = argument.as_ref();
            if argument == "-" {
                sources.push(InputSource::Stdin);
                continue;
            }
            let named = archives::named(argument, &options, sources.len())?;
            let argument = match &named {
                None => argument,
                Some(NamedArchives::Path(path)) => path,
                Some(NamedArchives::Sources(found, list)) => {
                    sources.extend_from_slice(found);
                    lists.extend(list.clone());
                    continue;
                }
            };
            let is_pattern = argument.contains(['*', '?', '[']) && !Path::new(argument).exists();
            if !is_pattern {
                sources.push(source(PathBuf::from(argument), options.format));
                continue;
            }
            let pattern =
                glob::glob(argument).map_err(|e| InputError(format!("{argument}: not a valid pattern: {e}")))?;
            let before = sources.len();
            // glob() returns names in order.
            for path in pattern {
                sources.push(match path {
                    Ok(path) => source(path, options.format),
                    Err(e) => unusable(e.path(), &format!("cannot be opened: {}", e.error())),
                });
            }
            if sources.len() == before {
                sources.push(unusable(Path::new(argument), "no file matches"));
            }
        }
        if !sources.iter().any(|source| !matches!(source, InputSource::Unusable { .. }))
            && let Some(InputSource::Unusable { message, .. }) = sources.first()
        {
            return Err(InputError(message.clone()));
        }
        let ranges = archives::prepare(&sources, &options)?;
        Ok(Inputs { sources, lists, ranges, options, consumed: Arc::default() })
    }

    /// Whether all inputs can be read a second time.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        self.sources.iter().all(|source| match source {
            InputSource::Stdin => false,
            InputSource::Folder(_) | InputSource::Remote(..) | InputSource::Unusable { .. } => true,
            // A missing file of a list is a failed item every time.
            InputSource::File(path, _) => path.is_file() || !path.exists(),
        })
    }

    /// Whether any input is, or may be, a list of addresses to fetch.
    #[must_use]
    pub fn fetches(&self) -> bool {
        let format = self.options.format;
        self.sources.iter().any(|source| match source {
            InputSource::File(_, kind) => *kind == InputFormat::Urls,
            InputSource::Stdin => format.is_none_or(|format| format == InputFormat::Urls),
            InputSource::Folder(_) | InputSource::Remote(..) | InputSource::Unusable { .. } => false,
        })
    }

    /// Returns the input that writing to `output` would replace: the same file or folder by name, link or identity, or a page in an input
    /// folder.
    #[must_use]
    pub fn overwritten_by(&self, output: &Path) -> Option<PathBuf> {
        // A folder that is read and written gives its own output to the next run.
        if let Some(folder) = fs::canonicalize(output).ok().filter(|path| path.is_dir()) {
            let mut folders = self.sources.iter().filter_map(|source| match source {
                InputSource::Folder(path) => Some(path),
                _ => None,
            });
            return folders.find(|source| fs::canonicalize(source).is_ok_and(|path| path == folder)).cloned();
        }
        let identity = Identity::of(output)?;
        let in_folder = |folder: &Path| {
            let name = output.file_name()?;
            let parent = fs::canonicalize(output).ok()?.parent()?.to_owned();
            let inside = parent.starts_with(fs::canonicalize(folder).ok()?);
            (inside && walk::skipped(&name.to_string_lossy()).is_none()).then(|| output.to_owned())
        };
        let listed = self.lists.iter().find_map(|list| list.overwritten_by(&identity));
        let replaced = |source: &InputSource| match source {
            InputSource::File(path, _) => (Identity::of(path)? == identity).then(|| path.clone()),
            InputSource::Folder(path) => in_folder(path),
            InputSource::Stdin | InputSource::Remote(..) | InputSource::Unusable { .. } => None,
        };
        listed.or_else(|| self.sources.iter().find_map(replaced))
    }

    /// Returns a line for each input with its name, size and modification time. Two runs with the same lines read the same inputs.
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        let mut lines = self.each(description, ArchiveList::describe);
        if self.ranges.is_some() {
            lines.push(format!("{:?}", self.options.archives.base));
        }
        lines
    }

    /// Returns a line for each source, and one for each list instead of its sources.
    fn each(&self, one: impl Fn(&InputSource) -> String, list: impl Fn(&ArchiveList) -> String) -> Vec<String> {
        self.sources
            .iter()
            .enumerate()
            .filter_map(|(number, source)| match ArchiveList::of(&self.lists, number) {
                None => Some(one(source)),
                Some((found, true)) => Some(list(found)),
                Some((_, false)) => None,
            })
            .collect()
    }

    /// Returns the name of each input.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.each(name_of, |list| list.name.clone())
    }

    /// Returns the size of all inputs in bytes, or `None` if it is unknown before reading.
    #[must_use]
    pub fn total_bytes(&self) -> Option<u64> {
        self.sources
            .iter()
            .map(|source| match source {
                InputSource::File(_, InputFormat::Urls) => None,
                InputSource::File(path, _) => Some(fs::metadata(path).ok()?.len()),
                InputSource::Folder(path) => Some(pages_of(path).map(|(_, bytes)| bytes).sum()),
                InputSource::Unusable { .. } => Some(0),
                InputSource::Stdin | InputSource::Remote(..) => None,
            })
            .sum()
    }

    /// Returns the number of bytes read so far, as counted by [`Inputs::total_bytes`].
    #[must_use]
    pub fn consumed(&self) -> Arc<AtomicU64> {
        self.consumed.clone()
    }

    /// Returns the items after `from`, in order. Files and folders in `outputs` are not read as parts of a folder.
    #[must_use]
    pub fn read(&self, from: Position, outputs: &[PathBuf]) -> Items {
        let before = self
            .sources
            .iter()
            .take(from.source)
            .map(|source| match source {
                InputSource::File(path, _) => fs::metadata(path).map_or(0, |m| m.len()),
                _ => 0,
            })
            .sum();
        self.consumed.store(before, Ordering::Relaxed);
        Items {
            sources: self.sources.clone(),
            options: self.options.clone(),
            at: from,
            ranges: self.ranges.clone(),
            open: None,
            before,
            consumed: self.consumed.clone(),
            outputs: outputs.iter().map(|path| fs::canonicalize(path).unwrap_or_else(|_| path.clone())).collect(),
        }
    }
}

fn name_of(source: &InputSource) -> String {
    match source {
        InputSource::Stdin => "-".to_owned(),
        InputSource::Folder(path) | InputSource::File(path, _) => path.display().to_string(),
        InputSource::Remote(address, _) => address.to_string(),
        InputSource::Unusable { name, .. } => name.clone(),
    }
}

fn description(source: &InputSource) -> String {
    match source {
        InputSource::Stdin => "-".to_owned(),
        InputSource::Folder(path) => path.display().to_string(),
        InputSource::Remote(address, format) => format!("{address} {format:?}"),
        InputSource::Unusable { message, .. } => message.clone(),
        InputSource::File(path, format) => {
            let metadata = fs::metadata(path).ok();
            let changed = metadata.as_ref().and_then(|m| m.modified().ok());
            let changed = changed.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
            let size = metadata.map_or(0, |m| m.len());
            format!("{} {format:?} {size} {}", path.display(), changed.map_or(0, |t| t.as_nanos()))
        }
    }
}

/// Returns the path and size of each page in a folder, in order.
fn pages_of(folder: &Path) -> impl Iterator<Item = (PathBuf, u64)> + use<> {
    FolderWalk::new(folder.to_owned(), String::new(), Vec::new()).filter_map(|found| match found {
        Ok(FoundFile::Page { path, .. }) => {
            let bytes = fs::metadata(&path).map_or(0, |m| m.len());
            Some((path, bytes))
        }
        _ => None,
    })
}

/// Determines what a path is.
fn source(path: PathBuf, format: Option<InputFormat>) -> InputSource {
    recognised(path.clone(), format).unwrap_or_else(|message| unusable(&path, &message))
}

fn unusable(path: &Path, message: &str) -> InputSource {
    let name = path.display().to_string();
    InputSource::Unusable { message: format!("{name}: {message}"), name }
}

/// Returns the source at a path, or the reason why it cannot be used.
fn recognised(path: PathBuf, format: Option<InputFormat>) -> Result<InputSource, String> {
    let metadata = fs::metadata(&path).map_err(|e| format!("cannot be opened: {e}"))?;
    if metadata.is_dir() {
        // An entry that cannot be read is reported when its turn comes.
        let mut walk = FolderWalk::new(path.clone(), String::new(), Vec::new());
        return if walk.any(|found| !matches!(found, Ok(FoundFile::Skipped { .. }))) {
            Ok(InputSource::Folder(path))
        } else {
            Err("no pages in this folder".into())
        };
    }
    let format = match format.or_else(|| by_name(&path)) {
        Some(format) => format,
        // Reading a pipe now would block; it is read when its turn comes.
        None if !metadata.is_file() => InputFormat::Jsonl,
        None => {
            let head = File::open(&path).and_then(|file| head_of(Box::new(file)));
            let head = head.map_err(|e| format!("cannot be opened: {e}"))?;
            by_content(&head).ok_or_else(|| match maintext_formats::recognise(&head, &Hint::default()) {
                Err(refusal) => refusal.to_string(),
                Ok(_) => "not recognised as HTML, JSONL, WARC or Parquet; name its format with --input-format".into(),
            })?
        }
    };
    Ok(InputSource::File(path, format))
}

fn by_name(path: &Path) -> Option<InputFormat> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    match name.rsplit_once('.')?.1 {
        "html" | "htm" | "xhtml" | "xht" | "shtml" => Some(InputFormat::Html),
        "jsonl" | "ndjson" => Some(InputFormat::Jsonl),
        "warc" => Some(InputFormat::Warc),
        "parquet" => Some(InputFormat::Parquet),
        "urls" => Some(InputFormat::Urls),
        "paths" => Some(InputFormat::Paths),
        _ => match maintext_formats::by_name(name)? {
            Format::Wacz => Some(InputFormat::Wacz),
            format if format.is_container() => Some(InputFormat::Documents),
            _ => Some(InputFormat::Html),
        },
    }
}

/// Returns the first bytes of a file, decompressed.
fn head_of(reader: Box<dyn Read + Send>) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    pages::decompress(reader)?.take(512).read_to_end(&mut head)?;
    Ok(head)
}

fn by_content(head: &[u8]) -> Option<InputFormat> {
    if head.starts_with(b"PAR1") {
        return Some(InputFormat::Parquet);
    }
    match maintext_formats::recognise(head, &Hint::default()) {
        Ok(Format::Html | Format::Text | Format::Markdown | Format::Warc) | Err(_) => {}
        Ok(Format::Wacz) => return Some(InputFormat::Wacz),
        Ok(format) if format.is_container() => return Some(InputFormat::Documents),
        Ok(_) => return Some(InputFormat::Html),
    }
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match head.first() {
        _ if head.starts_with(b"WARC/") => Some(InputFormat::Warc),
        Some(b'{') => Some(InputFormat::Jsonl),
        Some(b'<') => Some(InputFormat::Html),
        Some(b'#' | b'h' | b'H') if head.windows(3).any(|w| w == b"://") => Some(InputFormat::Urls),
        // An empty file is valid in any format.
        None => Some(InputFormat::Jsonl),
        _ => None,
    }
}

/// The items of all inputs in order.
pub struct Items {
    sources: Vec<InputSource>,
    options: InputOptions,
    at: Position,
    ranges: Option<Ranges>,
    open: Option<OpenInput>,
    /// Size of the inputs already read, in bytes.
    before: u64,
    consumed: Arc<AtomicU64>,
    /// The outputs of the run, which are not inputs.
    outputs: Vec<PathBuf>,
}

enum OpenInput {
    Jsonl(Pages),
    Warc {
        file: Arc<str>,
        records: Archive,
    },
    Parquet {
        pages: ParquetPages,
        bytes: u64,
    },
    Folder {
        walk: FolderWalk,
        /// The file of several pages that is being read.
        parts: Option<FileParts>,
    },
    Parts(FileParts),
    Addresses(Addresses),
    One(Option<UnreadItem>),
}

impl Iterator for Items {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if self.open.is_none() {
                let source = self.sources.get(self.at.source)?.clone();
                self.open = Some(match self.open(&source) {
                    Ok(open) => open,
                    Err(message) if self.at.number == 0 => OpenInput::One(Some(UnreadItem::failed(None, message))),
                    // The file existed during the run that is being resumed, which has reported everything about it.
                    Err(_) => OpenInput::One(None),
                });
            }
            if let Some(raw) = self.next_raw() {
                return Some(Item { after: self.at, raw });
            }
            if let Some(InputSource::File(path, _)) = self.sources.get(self.at.source) {
                self.before += fs::metadata(path).map_or(0, |m| m.len());
                self.consumed.store(self.before, Ordering::Relaxed);
            }
            self.open = None;
            self.at = Position { source: self.at.source + 1, ..Position::default() };
        }
    }
}

impl Items {
    /// Returns the beginning of the ids of a folder's pages. Two folders may have pages of the same name.
    fn prefix_of_ids(&self, folder: &Path) -> String {
        let mut folders = self.sources.iter().filter(|source| matches!(source, InputSource::Folder(_)));
        if folders.nth(1).is_none() {
            return String::new();
        }
        folder.display().to_string().trim_end_matches('/').to_owned()
    }

    fn open(&mut self, source: &InputSource) -> Result<OpenInput, String> {
        let stdin = "standard input";
        match source {
            InputSource::Stdin => {
                let (format, reader) = self.sniffed(Box::new(io::stdin()))?;
                self.open_stream(stdin, reader, format)
            }
            InputSource::Unusable { name, message } => Ok(OpenInput::One(
                (self.at.number == 0).then(|| UnreadItem::failed(Some(name.clone()), message.clone())),
            )),
            InputSource::Folder(path) => {
                let mut walk = FolderWalk::new(path.clone(), self.prefix_of_ids(path), self.outputs.clone());
                skip(&mut walk, self.at.number);
                let mut parts = None;
                if let Some(done) = self.at.place
                    && let Some(Ok(FoundFile::Page { path, id })) = walk.next()
                {
                    let mut open = FileParts::open(&path, id, self.options.max_size);
                    skip(&mut open, done);
                    parts = Some(open);
                }
                Ok(OpenInput::Folder { walk, parts })
            }
            InputSource::Remote(address, _) => self.open_archive(address),
            InputSource::File(path, InputFormat::Documents) => {
                let mut parts = FileParts::open(path, path.display().to_string(), self.options.max_size);
                skip(&mut parts, self.at.number);
                Ok(OpenInput::Parts(parts))
            }
            InputSource::File(path, InputFormat::Wacz) => {
                let mut records = parts::records_of(path)?;
                skip(&mut records, self.at.number);
                Ok(OpenInput::Warc { file: path.display().to_string().into(), records: Archive::Records(records) })
            }
            InputSource::File(path, InputFormat::Html) => {
                let id = path.display().to_string();
                let raw = (self.at.number == 0).then(|| UnreadItem::File { path: path.clone(), id });
                Ok(OpenInput::One(raw))
            }
            InputSource::File(path, InputFormat::Parquet) => {
                let bytes = fs::metadata(path).map_or(0, |m| m.len());
                let pages = ParquetPages::open(
                    path,
                    &self.options.columns,
                    self.at.number,
                    self.options.readers,
                    self.options.max_size,
                )?;
                Ok(OpenInput::Parquet { pages, bytes })
            }
            InputSource::File(path, InputFormat::Warc) => {
                let records = Archive::open(path, self.at.number, self.at.place, self.options.readers);
                let records = records.map_err(|e| e.to_string())?;
                Ok(OpenInput::Warc { file: path.display().to_string().into(), records })
            }
            InputSource::File(path, format) => {
                let name = path.display().to_string();
                let file = File::open(path).map_err(|e| format!("{name}: cannot be opened: {e}"))?;
                let counted = CountedBytes { reader: file, consumed: self.consumed.clone() };
                self.open_stream(&name, Box::new(counted), *format)
            }
        }
    }

    /// Detects the format of a stream by its first bytes; returns it with the stream from its start.
    fn sniffed(&self, mut reader: Box<dyn Read + Send>) -> Result<(InputFormat, Box<dyn Read + Send>), String> {
        if let Some(format) = self.options.format {
            return Ok((format, reader));
        }
        let mut head = Vec::new();
        // Compressed pages are JSONL or WARC; this many bytes are enough to detect the format.
        let read = (&mut reader).take(64 * 1024).read_to_end(&mut head);
        read.map_err(|e| format!("standard input: cannot be read: {e}"))?;
        let mut plain = Vec::new();
        let cut = pages::decompress(Box::new(io::Cursor::new(head.clone())));
        // The compressed head ends in mid-stream; the bytes decoded before that are enough.
        let _ = cut.map(|decoded| decoded.take(512).read_to_end(&mut plain));
        let format = by_content(&plain).unwrap_or(InputFormat::Jsonl);
        Ok((format, Box::new(io::Cursor::new(head).chain(reader))))
    }

    fn open_stream(
        &self,
        name: &str,
        mut reader: Box<dyn Read + Send>,
        format: InputFormat,
    ) -> Result<OpenInput, String> {
        let skipped = self.at.number;
        Ok(match format {
            InputFormat::Jsonl => {
                let mut pages =
                    Pages::from_reader(name, reader).max_line(ESCAPED.saturating_mul(self.options.max_size));
                pages.skip_lines(skipped).map_err(|e| e.to_string())?;
                OpenInput::Jsonl(pages)
            }
            InputFormat::Warc => {
                let mut records = Records::from_reader(name, reader);
                skip(&mut records, skipped);
                OpenInput::Warc { file: name.into(), records: Archive::Records(records) }
            }
            InputFormat::Urls => {
                let mut addresses = Addresses::new(name, reader);
                skip(&mut addresses, skipped);
                OpenInput::Addresses(addresses)
            }
            InputFormat::Html => {
                let mut bytes = Vec::new();
                let limit = self.options.max_size as u64 + 1;
                let read = (&mut reader).take(limit).read_to_end(&mut bytes);
                read.map_err(|e| format!("{name}: cannot be read: {e}"))?;
                OpenInput::One(Some(UnreadItem::Bytes(bytes)))
            }
            InputFormat::Documents => {
                let mut parts = FileParts::of(name, reader, self.options.max_size);
                skip(&mut parts, skipped);
                OpenInput::Parts(parts)
            }
            InputFormat::Paths => {
                return Err(format!("{name}: lists of archives can only be read from a file"));
            }
            InputFormat::Wacz => {
                return Err(format!("{name}: WACZ can only be read from a file, because its index is at the end"));
            }
            InputFormat::Parquet => {
                return Err(format!("{name}: Parquet can only be read from a file, because its index is at the end"));
            }
        })
    }

    fn next_raw(&mut self) -> Option<UnreadItem> {
        let number = self.at.number + 1;
        let failed = |word, message: String| UnreadItem::Failed {
            id: None,
            url: None,
            place: Some((word, number)),
            reason: "unreadable input",
            message,
        };
        let (raw, place) = match self.open.as_mut()? {
            OpenInput::Jsonl(pages) => {
                let raw = match pages.next_raw()? {
                    Ok(line) => UnreadItem::Line(line),
                    Err(error) => {
                        let is_open = !matches!(error, pages::PagesError::Open { .. });
                        let place = is_open.then(|| ("line", pages.line()));
                        let reason = "unreadable input";
                        UnreadItem::Failed { id: None, url: None, place, reason, message: error.to_string() }
                    }
                };
                // Blank lines do not count as items.
                self.at = Position { number: pages.line(), place: None, ..self.at };
                return Some(raw);
            }
            OpenInput::Warc { file, records } => {
                let raw = match records.next()? {
                    Ok(record) => (record.next, UnreadItem::Record { file: file.clone(), record }),
                    Err(error) => (None, failed("record", error.to_string())),
                };
                if let Some(place) = records.place() {
                    self.consumed.store(self.before + place, Ordering::Relaxed);
                }
                (raw.1, raw.0)
            }
            OpenInput::Parquet { pages, bytes } => {
                let share = number as f64 / pages.rows().max(1) as f64;
                let place = Some(("row", number));
                let lost = |e: RowError| {
                    let RowError { id, url, reason, message } = e;
                    UnreadItem::Failed { id, url, place, reason, message }
                };
                let raw = pages.next()?.map_or_else(lost, UnreadItem::Row);
                self.consumed.store(self.before + (*bytes as f64 * share) as u64, Ordering::Relaxed);
                (raw, None)
            }
            OpenInput::Folder { walk, parts } => {
                // The position within a file of several pages is the number of its pages before it; the file counts when it ends.
                if let Some(open) = parts {
                    if let Some(raw) = open.next() {
                        self.at.place = Some(self.at.place.unwrap_or(0) + 1);
                        return Some(raw);
                    }
                    *parts = None;
                    self.at = Position { number, place: None, ..self.at };
                    return self.next_raw();
                }
                match walk.next()? {
                    Ok(FoundFile::Page { path, id }) => {
                        self.before += fs::metadata(&path).map_or(0, |m| m.len());
                        self.consumed.store(self.before, Ordering::Relaxed);
                        if by_name(&path) == Some(InputFormat::Documents) {
                            *parts = Some(FileParts::open(&path, id, self.options.max_size));
                            return self.next_raw();
                        }
                        (UnreadItem::File { path, id }, None)
                    }
                    Ok(FoundFile::Skipped { id, reason }) => (UnreadItem::Skipped { id, reason }, None),
                    Err((id, message)) => (UnreadItem::failed(Some(id), message), None),
                }
            }
            OpenInput::Parts(parts) => (parts.next()?, None),
            OpenInput::Addresses(addresses) => {
                (addresses.next()?.map_or_else(|message| failed("line", message), UnreadItem::Address), None)
            }
            OpenInput::One(raw) => (raw.take()?, None),
        };
        self.at = Position { number, place, ..self.at };
        Some(raw)
    }
}

/// Skips items. An iterator that ends early stays at its end.
fn skip<I: Iterator>(items: &mut I, count: u64) {
    for _ in 0..count {
        if items.next().is_none() {
            return;
        }
    }
}

/// Counts the bytes read.
struct CountedBytes {
    reader: File,
    consumed: Arc<AtomicU64>,
}

impl Read for CountedBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
