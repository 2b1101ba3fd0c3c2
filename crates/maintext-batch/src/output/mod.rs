//! Where rows go. Every kind of output can say how much of it is on the disk, and can be cut back to that.
use crate::columns::Columns;
use maintext_core::Page;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

mod folder;
mod lines;
mod table;

pub(crate) use folder::Folder;
pub(crate) use lines::Lines;
pub(crate) use table::Table;

/// How a JSONL file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    Plain,
    /// gzip, in members of about a megabyte of text.
    Gzip,
    /// zstd, in frames of about a megabyte of text.
    Zstd,
}

/// What a file of a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
}

/// What is written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Lines of JSON to standard output.
    Stdout(Compression),
    /// Lines of JSON to a file.
    Lines(PathBuf, Compression),
    /// A Parquet file.
    Table(PathBuf),
    /// A file a page, and an `index.jsonl` with the other fields.
    Folder(PathBuf, Body),
}

impl Target {
    /// What a name stands for: `-`, `.jsonl`, `.jsonl.gz`, `.jsonl.zst`, `.parquet`; a folder if it ends with `/`, is one
    /// already, or if a `body` is asked for.
    ///
    /// # Errors
    /// A message if the name says nothing.
    pub fn new(name: &str, body: Option<Body>) -> Result<Target, String> {
        let path = PathBuf::from(name);
        if name == "-" {
            return Ok(Target::Stdout(Compression::Plain));
        }
        if body.is_some() || name.ends_with('/') || path.is_dir() {
            return Ok(Target::Folder(path, body.unwrap_or(Body::Text)));
        }
        let lower = name.to_ascii_lowercase();
        let (stem, compression) = match lower.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Compression::Gzip),
            Some((stem, "zst")) => (stem, Compression::Zstd),
            _ => (lower.as_str(), Compression::Plain),
        };
        if stem.ends_with(".parquet") && compression == Compression::Plain {
            return Ok(Target::Table(path));
        }
        let known = [".jsonl", ".ndjson", ".json"].iter().any(|end| stem.ends_with(end));
        // Devices and pipes take lines.
        if known || path.metadata().is_ok_and(|m| !m.is_file()) {
            return Ok(Target::Lines(path, compression));
        }
        Err(format!(
            "{name}: the name has to say what is written: .jsonl, .jsonl.gz, .jsonl.zst, .parquet, or a folder that ends with /"
        ))
    }

    /// The file or folder.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Target::Stdout(_) => None,
            Target::Lines(path, _) | Target::Table(path) | Target::Folder(path, _) => Some(path),
        }
    }
}

/// A row on its way to the output.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    /// The row as JSON, with a line break.
    pub(crate) line: Vec<u8>,
    /// The content of the page's own file and what its name is made of, where each page gets one.
    pub(crate) file: Option<(String, String)>,
}

/// Makes rows out of pages, on the threads that extract.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    columns: Columns,
    body: Option<Body>,
}

impl Encoder {
    pub(crate) fn new(columns: &Columns, target: &Target) -> Encoder {
        match target {
            Target::Folder(_, body) => {
                Encoder { columns: columns.without(&["text", "markdown", "html"]), body: Some(*body) }
            }
            _ => Encoder { columns: columns.clone(), body: None },
        }
    }

    /// What has to be rendered.
    pub(crate) fn formats(&self) -> maintext_core::Formats {
        let mut formats = self.columns.formats();
        formats.text |= self.body == Some(Body::Text);
        formats.markdown |= self.body == Some(Body::Markdown);
        formats
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }

    pub(crate) fn row(&self, id: Option<&str>, page: &mut Page, error: Option<&str>) -> Encoded {
        let body = match self.body {
            Some(Body::Text) => page.text.take(),
            Some(Body::Markdown) => page.markdown.take(),
            None => None,
        };
        let name = || page.metadata.url.as_deref().or(id).unwrap_or_default().to_owned();
        let file = body.filter(|_| error.is_none()).map(|body| (body, name()));
        if self.body.is_some() {
            (page.text, page.markdown, page.html) = (None, None, None);
        }
        Encoded { line: self.columns.json(id, page, error), file }
    }
}

/// How much of an output is on the disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progressed {
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// Rows.
    pub(crate) rows: u64,
    /// Where the parts end that a table consists of until it is finished.
    #[serde(default)]
    pub(crate) parts: Vec<u64>,
}

/// An output being written.
pub(crate) trait Sink {
    /// Writes a row.
    fn write(&mut self, row: Encoded) -> io::Result<()>;
    /// Whether [`Sink::sync`] can put everything that was written on the disk now, without leaving a trace in the output.
    fn at_boundary(&self) -> bool;
    /// Puts everything on the disk and says how much it is.
    fn sync(&mut self) -> io::Result<Progressed>;
    /// Writes what is held back and what ends the output; on the disk when it returns.
    fn finish(&mut self) -> io::Result<()>;
}

/// A writer that counts.
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

/// Opens a file that was written up to `bytes` before, and cuts off what follows.
pub(crate) fn reopen(path: &Path, bytes: u64) -> io::Result<std::fs::File> {
    use std::io::{Seek, SeekFrom};
    let mut file = std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    if file.metadata()?.len() < bytes {
        let message = format!("{}: shorter than the checkpoint says; begin anew with --restart", path.display());
        return Err(io::Error::other(message));
    }
    file.set_len(bytes)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}
