//! Pages that end the process: too large for its memory, or with a bug in a library that no thread survives.
//!
//! Each extracting thread writes the page that it is about to read to its slot of a file. The slots outlive the process, though not the machine, so
//! that they need no wait for the disk. After a crash, the next run reads the pages of the slots one at a time, while no other page is read, so
//! that the second crash has one cause. That page is an error from then on.
use super::Job;
use crate::budget::lock;
use crate::checkpoint::Checkpoint;
use maintext_core::hash::{FNV64, fnv64};
use maintext_corpus::inputs::{Item, Position};
use maintext_util::atomic::write_atomic;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Bytes of a slot, of which a name takes at most a part.
const SLOT: usize = 512;
const NAME_CHARS: usize = 60;
/// Number of pages of crashed runs that are remembered. More than the threads of any machine.
const MOST: usize = 10_000;

/// A page that was being read when the process ended: the position after it, and how often.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
struct Suspect {
    source: usize,
    number: u64,
    place: Option<u64>,
    /// Its id, for people who look into the file.
    name: String,
    times: u32,
}

impl Suspect {
    fn of(item: &Item) -> Suspect {
        let Position { source, number, place } = item.after;
        let (id, url, _) = item.names();
        let name = id.or(url).unwrap_or_default().chars().take(NAME_CHARS).collect();
        Suspect { source, number, place, name, times: 1 }
    }

    fn after(&self) -> Position {
        Position { source: self.source, number: self.number, place: self.place }
    }

    fn is(&self, after: Position) -> bool {
        self.after() == after
    }
}

/// The record of crashes, in a file.
#[derive(Default, Serialize, Deserialize)]
struct Record {
    /// A hash of the job: pages of another job have other positions.
    job: u64,
    suspects: Vec<Suspect>,
}

/// What a run knows of the crashes before it, and the slots of its threads.
#[derive(Default)]
pub(super) struct Crashes {
    suspects: Vec<Suspect>,
    /// The number of crashes after which a page is not read; 0 for never.
    most: u32,
    slots: Option<Mutex<File>>,
    job: u64,
    /// Held for writing while a suspect is read.
    turn: RwLock<()>,
}

impl Crashes {
    /// Reads the slots of a run that has crashed, and makes new ones.
    pub(super) fn open(folder: &Path, checkpoint: &Checkpoint, job: &Job) -> io::Result<Crashes> {
        let (slots, record) = (folder.join("reading"), folder.join("crashes.json"));
        let most = job.crashes;
        if most == 0 {
            return Ok(Crashes::default());
        }
        if job.restart {
            let _ = (fs::remove_file(&slots), fs::remove_file(&record));
        }
        let job = checkpoint.job.iter().flat_map(|line| line.bytes().chain([b'\n'])).fold(FNV64, fnv64);
        let known: Record =
            fs::read(&record).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        let mut known = if known.job == job { known } else { Record { job, suspects: Vec::new() } };
        let crashed = fs::read(&slots).unwrap_or_default();
        for slot in crashed.chunks(SLOT) {
            let Ok((of, suspect)) = serde_json::from_slice::<(u64, Suspect)>(slot.trim_ascii()) else { continue };
            if of != job {
                continue;
            }
            match known.suspects.iter_mut().find(|known| known.is(suspect.after())) {
                Some(known) => known.times += 1,
                None => known.suspects.push(suspect),
            }
        }
        known.suspects.truncate(MOST);
        if !known.suspects.is_empty() {
            write_atomic(&record, |file| serde_json::to_writer(file, &known).map_err(io::Error::from))?;
        }
        let slots = Some(Mutex::new(File::create(slots)?));
        Ok(Crashes { suspects: known.suspects, most, slots, job, turn: RwLock::default() })
    }

    /// Returns how often the process ended while it was reading an item, if that is often enough to leave it out.
    pub(super) fn times(&self, item: &Item) -> Option<u32> {
        let suspect = self.suspects.iter().find(|suspect| suspect.is(item.after))?;
        (suspect.times >= self.most).then_some(suspect.times)
    }

    /// Waits until an item may be read, a suspect alone, and writes it to the slot of a thread, which holds it until the turn is over.
    pub(super) fn turn(&self, thread: usize, item: &Item) -> ReadingTurn<'_> {
        let right = if self.suspects.iter().any(|suspect| suspect.is(item.after)) {
            Right::Alone { _held: self.turn.write().unwrap_or_else(PoisonError::into_inner) }
        } else {
            Right::Shared { _held: self.turn.read().unwrap_or_else(PoisonError::into_inner) }
        };
        if self.slots.is_some() {
            let mut suspect = Suspect::of(item);
            let mut slot = serde_json::to_vec(&(self.job, &suspect)).unwrap_or_default();
            if slot.len() > SLOT {
                suspect.name.clear();
                slot = serde_json::to_vec(&(self.job, &suspect)).unwrap_or_default();
            }
            slot.resize(SLOT, b' ');
            self.write(thread, &slot);
        }
        ReadingTurn { crashes: self, thread, _right: right }
    }

    /// Writes a slot. A slot that cannot be written costs only the protection against crashes.
    fn write(&self, thread: usize, bytes: &[u8]) {
        if let Some(slots) = &self.slots {
            let mut file = lock(slots);
            let _ = file.seek(SeekFrom::Start((thread * SLOT) as u64)).and_then(|_| file.write_all(bytes));
        }
    }
}

/// The time in which an item is read.
pub(super) struct ReadingTurn<'a> {
    crashes: &'a Crashes,
    thread: usize,
    _right: Right<'a>,
}

enum Right<'a> {
    Alone { _held: RwLockWriteGuard<'a, ()> },
    Shared { _held: RwLockReadGuard<'a, ()> },
}

impl Drop for ReadingTurn<'_> {
    fn drop(&mut self) {
        self.crashes.write(self.thread, b" ");
    }
}
