//! A folder of numbered files of limited size, in the formats of public corpora.
//!
//! While the run lasts, the shards are in the hidden folder. A finished shard is never opened again; an unfinished one resumes like a
//! single output. The run writes a checkpoint whenever a shard ends, and only then deletes the files from which it made the shard.
use super::table::whole;
use super::{Compression, Encoded, LineWriter, Progressed, Sink, TableWriter};
use crate::columns::Columns;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The format of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardFormat {
    /// Parquet tables.
    Parquet,
    /// JSON lines, compressed with zstd.
    Jsonl,
}

impl ShardFormat {
    /// Returns the name of a shard by its number.
    pub(crate) fn name(self, number: usize) -> String {
        let extension = match self {
            ShardFormat::Parquet => "parquet",
            ShardFormat::Jsonl => "jsonl.zst",
        };
        format!("{number:05}.{extension}")
    }

    /// Returns the path where a shard is collected, and the path where it is when it is finished.
    pub(crate) fn paths(self, folder: &Path, number: usize) -> (PathBuf, PathBuf) {
        let path = folder.join(format!("{number:05}"));
        let finished = if self == ShardFormat::Parquet { whole(&path) } else { path.clone() };
        (path, finished)
    }
}

/// How a folder of shards is written.
pub(crate) struct ShardSettings {
    pub(crate) format: ShardFormat,
    /// Size of the rows at which a shard ends, in bytes before compression.
    pub(crate) size: u64,
    pub(crate) columns: Columns,
    pub(crate) row_group: usize,
}

pub(crate) struct Shards {
    /// The hidden folder.
    folder: PathBuf,
    settings: ShardSettings,
    open: Option<Box<dyn Sink>>,
    written: Progressed,
    /// Number of shards when the last checkpoint was made; their parts are no longer needed.
    recorded: usize,
    ended: bool,
}

impl Shards {
    pub(crate) fn resume(folder: PathBuf, settings: ShardSettings, from: &Progressed) -> io::Result<Shards> {
        fs::create_dir_all(&folder)?;
        let recorded = from.shards.len();
        let mut shards = Shards { folder, settings, open: None, written: from.clone(), recorded, ended: false };
        if from.filled > 0 {
            shards.open = Some(shards.shard(from)?);
        }
        Ok(shards)
    }

    fn shard(&self, from: &Progressed) -> io::Result<Box<dyn Sink>> {
        let ShardSettings { format, columns, row_group, .. } = &self.settings;
        let (path, _) = format.paths(&self.folder, self.written.shards.len());
        let from = Progressed { shards: Vec::new(), ..from.clone() };
        Ok(match format {
            ShardFormat::Parquet => Box::new(TableWriter::resume(&path, columns, *row_group, &from)?),
            ShardFormat::Jsonl => Box::new(LineWriter::resume(&path, Compression::Zstd, &from)?),
        })
    }

    fn end_shard(&mut self) -> io::Result<()> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        open.finish()?;
        let rows = open.sync()?.rows;
        let mut shards = std::mem::take(&mut self.written.shards);
        shards.push(rows);
        self.written = Progressed { shards, ..Progressed::default() };
        self.ended = true;
        Ok(())
    }
}

impl Sink for Shards {
    fn write(&mut self, row: Encoded) -> io::Result<()> {
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let shard = self.shard(&Progressed::default())?;
                self.open.insert(shard)
            }
        };
        self.written.filled += row.size() as u64;
        open.write(row)?;
        if self.written.filled >= self.settings.size { self.end_shard() } else { Ok(()) }
    }

    fn at_boundary(&self) -> bool {
        self.open.as_ref().is_none_or(|open| open.at_boundary())
    }

    fn needs_checkpoint(&self) -> bool {
        self.ended
    }

    fn sync(&mut self) -> io::Result<Progressed> {
        // The checkpoint that recorded these shards is on disk.
        if self.settings.format == ShardFormat::Parquet {
            for number in self.recorded.saturating_sub(1)..self.recorded {
                match fs::remove_file(self.settings.format.paths(&self.folder, number).0) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        if let Some(open) = &mut self.open {
            let Progressed { bytes, rows, parts, .. } = open.sync()?;
            self.written = Progressed { bytes, rows, parts, ..self.written.clone() };
        }
        (self.recorded, self.ended) = (self.written.shards.len(), false);
        Ok(self.written.clone())
    }

    fn finish(&mut self) -> io::Result<()> {
        // A corpus without rows still has a schema.
        if self.open.is_none() && self.written.shards.is_empty() {
            self.open = Some(self.shard(&Progressed::default())?);
        }
        self.end_shard()
    }
}
