//! How far a run is, on disk: what another run needs to go on as if nothing had happened.
//!
//! The rule: a checkpoint is written after everything that it counts is on the disk, and never the other way round. Whatever the
//! files hold beyond it is cut off when a run is taken up again.
use crate::output::Progressed;
use crate::totals::Totals;
use maintext_corpus::inputs::Position;
use maintext_util::atomic::{sync_folder, write_atomic};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;

/// Changes when older files can no longer be understood.
const VERSION: u32 = 1;

/// What a checkpoint says.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub(crate) struct Checkpoint {
    version: u32,
    /// What is read and how: a run with other inputs or settings must not go on from here.
    pub(crate) job: Vec<String>,
    pub(crate) source: usize,
    pub(crate) number: u64,
    pub(crate) place: Option<u64>,
    pub(crate) totals: Totals,
    /// Bytes of the file of errors.
    pub(crate) errors: u64,
    /// Bytes of the file of signatures that were seen.
    pub(crate) seen: u64,
    pub(crate) output: Progressed,
    /// Everything is written; only the names of the files have still to be changed.
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

    /// Writes it whole or not at all, and waits until the disk has it.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        write_atomic(path, |file| serde_json::to_writer(file, self).map_err(io::Error::from))?;
        sync_folder(path.parent().unwrap_or(path))
    }

    /// The checkpoint in a file; `None` if there is no file.
    pub(crate) fn read(path: &Path) -> io::Result<Option<Checkpoint>> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let checkpoint: Checkpoint = serde_json::from_slice(&text)
            .map_err(|e| io::Error::other(format!("{}: not a checkpoint of this version: {e}", path.display())))?;
        if checkpoint.version != VERSION {
            return Err(io::Error::other(format!("{}: a checkpoint of another version", path.display())));
        }
        Ok(Some(checkpoint))
    }
}
