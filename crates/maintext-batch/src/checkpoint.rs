//! The progress of a run on disk, from which another run can resume.
//!
//! A checkpoint is written only after everything it counts is on disk. A resumed run truncates whatever the files contain beyond the
//! checkpoint.
use crate::output::Progressed;
use crate::totals::Totals;
use maintext_corpus::inputs::Position;
use maintext_util::atomic::{sync_folder, write_atomic};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;

/// Incremented when older files can no longer be read.
const VERSION: u32 = 4;

/// The contents of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(crate) struct Checkpoint {
    version: u32,
    /// Inputs and settings of the run. A run with others must not resume from here.
    pub(crate) job: Vec<String>,
    pub(crate) source: usize,
    pub(crate) number: u64,
    pub(crate) place: Option<u64>,
    pub(crate) totals: Totals,
    /// Size of the file of errors in bytes.
    pub(crate) errors: u64,
    /// Size of the file of text signatures in bytes.
    pub(crate) seen: u64,
    pub(crate) output: Progressed,
    /// Whether everything is written and only the renaming of the files remains.
    pub(crate) finished: bool,
}

impl Checkpoint {
    pub(crate) fn new(job: Vec<String>) -> Checkpoint {
        Checkpoint {
            version: VERSION,
            job,
            source: 0,
            number: 0,
            place: None,
            totals: Totals::default(),
            errors: 0,
            seen: 0,
            output: Progressed::default(),
            finished: false,
        }
    }

    pub(crate) fn position(&self) -> Position {
        Position { source: self.source, number: self.number, place: self.place }
    }

    pub(crate) fn set_position(&mut self, position: Position) {
        Position { source: self.source, number: self.number, place: self.place } = position;
    }

    /// Writes the checkpoint atomically and waits until it is on disk.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        write_atomic(path, |file| serde_json::to_writer(file, self).map_err(io::Error::from))?;
        sync_folder(path.parent().unwrap_or(path))
    }

    /// Reads the checkpoint in a file. Returns `None` if the file does not exist.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Checkpoint>> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let checkpoint: Checkpoint = serde_json::from_slice(&text)
            .map_err(|e| io::Error::other(format!("{}: not a checkpoint of this version: {e}", path.display())))?;
        if checkpoint.version != VERSION {
            return Err(io::Error::other(format!("{}: the checkpoint was written by another version", path.display())));
        }
        Ok(Some(checkpoint))
    }
}
