//! The outputs. Each can report how much of it is on disk and can be truncated to that length.
use crate::columns::Extra;
use crate::columns::{Columns, Rows, Values, row_size};
use maintext_chunks::Chunk;
use maintext_core::{Fields, Page};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

mod folder;
mod lines;
mod names;
mod shards;
mod table;

pub(crate) use folder::{FolderWriter, is_number, is_numbered};
pub(crate) use lines::LineWriter;
pub use shards::ShardFormat;
pub(crate) use shards::{ShardSettings, Shards};
pub(crate) use table::{TableWriter, whole};

/// How a JSONL file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    Plain,
    /// gzip, in members of about a megabyte of text.
    Gzip,
    /// zstd, in frames of about a megabyte of text.
    Zstd,
}

/// The content of the files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
}

/// The format and location of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// JSON lines to standard output.
    Stdout(Compression),
    /// JSON lines to a file.
    Lines(PathBuf, Compression),
    /// A Parquet file.
    Table(PathBuf),
    /// One file per page, and an `index.jsonl` with the other fields.
    Folder(PathBuf, Body),
    /// A folder of numbered files and a manifest. A file ends when its rows reach this size in bytes before compression.
    Shards(PathBuf, ShardFormat, u64),
}

impl Target {
    /// Derives the target from a name: `-`, `.jsonl`, `.jsonl.gz`, `.jsonl.zst`, `.parquet`; a folder if the name ends with `/`, if the
    /// folder exists, or if `body` is given.
    ///
    /// # Errors
    /// A message if the name does not determine a format, or if `body` is given and the name is a single file.
    pub fn new(name: &str, body: Option<Body>) -> Result<Target, String> {
        match (Target::of_file(name), body) {
            (Some(_), Some(_)) => Err(not_a_folder(name)),
            (Some(target), None) => Ok(target),
            (None, None) if !is_folder(name) => Err(format!(
                "{name}: the name does not determine a format; it must end with .jsonl, .jsonl.gz, .jsonl.zst, .parquet, or a folder that ends with /"
            )),
            (None, body) => Ok(Target::Folder(name.into(), body.unwrap_or(Body::Text))),
        }
    }

    /// Returns a folder of numbered files of a size in bytes.
    ///
    /// # Errors
    /// A message if the name is a single file.
    pub fn shards(name: &str, format: ShardFormat, size: u64) -> Result<Target, String> {
        match Target::of_file(name) {
            Some(_) => Err(not_a_folder(name)),
            None => Ok(Target::Shards(name.into(), format, size)),
        }
    }

    /// Returns standard output or the file with this name, unless it is a folder.
    fn of_file(name: &str) -> Option<Target> {
        let path = PathBuf::from(name);
        if name == "-" {
            return Some(Target::Stdout(Compression::Plain));
        }
        if is_folder(name) {
            return None;
        }
        let lower = name.to_ascii_lowercase();
        let (stem, compression) = match lower.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Compression::Gzip),
            Some((stem, "zst")) => (stem, Compression::Zstd),
            _ => (lower.as_str(), Compression::Plain),
        };
        if stem.ends_with(".parquet") && compression == Compression::Plain {
            return Some(Target::Table(path));
        }
        let known = [".jsonl", ".ndjson", ".json"].iter().any(|end| stem.ends_with(end));
        // Devices and pipes accept lines.
        (known || path.metadata().is_ok_and(|m| !m.is_file())).then_some(Target::Lines(path, compression))
    }

    /// Returns the file or folder; `None` for standard output.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Target::Stdout(_) => None,
            Target::Lines(path, _) | Target::Table(path) | Target::Folder(path, _) => Some(path),
            Target::Shards(path, ..) => Some(path),
        }
    }
}

fn is_folder(name: &str) -> bool {
    name.ends_with('/') || Path::new(name).is_dir()
}

fn not_a_folder(name: &str) -> String {
    let one = if name == "-" { "standard output" } else { name };
    format!("{one} cannot hold several files, which this format makes; name a folder, or leave out the format")
}

/// The rows of a page on their way to the output: one, or one per chunk.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    /// The rows as JSON, each with a line break; empty if the output is a table.
    pub(crate) line: Vec<u8>,
    /// The rows of a table.
    pub(crate) values: Vec<Values>,
    /// The number of rows.
    pub(crate) rows: u64,
    /// The content of the page's own file and the text for its name, if each page gets a file.
    pub(crate) file: Option<(String, String)>,
}

impl Encoded {
    /// A row as a line.
    pub(crate) fn line(line: Vec<u8>) -> Encoded {
        Encoded { line, rows: 1, ..Encoded::default() }
    }

    /// Returns the size of the rows, in bytes that they have before compression.
    pub(crate) fn size(&self) -> usize {
        self.line.len() + self.values.iter().map(row_size).sum::<usize>()
    }
}

/// Turns pages into rows, on the extracting threads.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    columns: Columns,
    body: Option<Body>,
    table: bool,
}

impl Encoder {
    pub(crate) fn new(columns: &Columns, target: &Target) -> Encoder {
        match target {
            Target::Folder(_, body) => Encoder {
                columns: columns.without(&["text", "markdown", "html", "blocks"]),
                body: Some(*body),
                table: false,
            },
            target => {
                let table = matches!(target, Target::Table(_) | Target::Shards(_, ShardFormat::Parquet, _));
                Encoder { columns: columns.clone(), body: None, table }
            }
        }
    }

    /// Returns the formats to render.
    pub(crate) fn formats(&self) -> maintext_core::Formats {
        let mut formats = self.columns.formats();
        formats.text |= self.body == Some(Body::Text);
        formats.markdown |= self.body == Some(Body::Markdown);
        formats
    }

    /// Returns the parts of the page that rows and file names use in addition to the formats.
    pub(crate) fn parts(&self) -> Fields {
        if self.body.is_some() { self.columns.parts() | Fields::ADDRESS } else { self.columns.parts() }
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Returns the rows of a page's chunks.
    pub(crate) fn chunk_rows(&self, id: &str, page: &mut Page, extra: &Extra, chunks: &[Chunk]) -> Encoded {
        page.text = None;
        if !self.columns.has("markdown") {
            page.markdown = None;
        }
        let rows = chunks.len() as u64;
        if self.table {
            Encoded { values: self.columns.chunk_values(Some(id), page, extra, chunks), rows, ..Encoded::default() }
        } else {
            Encoded { line: self.columns.chunk_rows(Some(id), page, extra, chunks), rows, ..Encoded::default() }
        }
    }

    /// Whether rows hold chunks.
    pub(crate) fn of_chunks(&self) -> bool {
        self.columns.rows() == Rows::Chunks
    }

    pub(crate) fn row(&self, id: Option<&str>, page: &mut Page, error: Option<&str>, extra: &Extra) -> Encoded {
        let body = match self.body {
            Some(Body::Text) => page.text.take(),
            Some(Body::Markdown) => page.markdown.take(),
            None => None,
        };
        let name = page.metadata.url.as_deref().or(id).unwrap_or_default();
        let file = if error.is_none() { body.map(|body| (body, name.to_owned())) } else { None };
        if self.body.is_some() {
            (page.text, page.markdown, page.html, page.blocks) = (None, None, None, None);
        }
        if self.table {
            Encoded { values: vec![self.columns.values(id, page, error, extra)], rows: 1, ..Encoded::default() }
        } else {
            Encoded { file, ..Encoded::line(self.columns.json_with(id, page, error, extra)) }
        }
    }
}

/// The part of an output that is on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progressed {
    /// Size of the file in bytes.
    pub(crate) bytes: u64,
    /// Number of rows.
    pub(crate) rows: u64,
    /// Ends of the parts of an unfinished table.
    #[serde(default)]
    pub(crate) parts: Vec<u64>,
    /// Rows of each finished shard. The other values describe the unfinished one.
    #[serde(default)]
    pub(crate) shards: Vec<u64>,
    /// Size of the rows of the unfinished shard in bytes before compression.
    #[serde(default)]
    pub(crate) filled: u64,
}

/// An output under construction.
pub(crate) trait Sink {
    /// Writes a row.
    fn write(&mut self, row: Encoded) -> io::Result<()>;
    /// Whether [`Sink::sync`] can write everything to disk now without affecting the bytes of the output.
    fn at_boundary(&self) -> bool;
    /// Whether the run must make a checkpoint now.
    fn needs_checkpoint(&self) -> bool {
        false
    }
    /// Writes everything to disk and returns the amount.
    fn sync(&mut self) -> io::Result<Progressed>;
    /// Writes buffered data and the end of the output; everything is on disk when it returns.
    fn finish(&mut self) -> io::Result<()>;
}

/// A writer that counts bytes.
pub(crate) struct Counting<W> {
    pub(crate) inner: W,
    pub(crate) bytes: u64,
}

impl<W: Write> Write for Counting<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A file that lines are appended to.
pub(crate) type Log = Counting<io::BufWriter<std::fs::File>>;

/// Opens such a file, which then has `bytes` bytes.
pub(crate) fn log(path: &Path, bytes: u64) -> io::Result<Log> {
    Ok(Counting { inner: io::BufWriter::new(reopen(path, bytes)?), bytes })
}

/// Brings such a file to disk and returns its length.
pub(crate) fn sync_log(log: &mut Log) -> io::Result<u64> {
    log.flush()?;
    log.inner.get_ref().sync_data()?;
    Ok(log.bytes)
}

/// Opens a partly written file and truncates it to `bytes`.
pub(crate) fn reopen(path: &Path, bytes: u64) -> io::Result<std::fs::File> {
    use std::io::{Seek, SeekFrom};
    let mut file = std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    if file.metadata()?.len() < bytes {
        let message = format!("{}: shorter than its checkpoint; start again with --restart", path.display());
        return Err(io::Error::other(message));
    }
    file.set_len(bytes)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}
