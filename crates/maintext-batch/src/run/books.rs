//! The files of a run: the output, the errors, the signatures of seen texts, and the checkpoint with their lengths.
use super::crashes::Crashes;
use super::manifest;
use super::{DoneItem, Failure, Job, Made};
use crate::checkpoint::Checkpoint;
use crate::columns::Columns;
use crate::dedup::{Dedup, SeenSignatures};
use crate::output::{
    Compression, Encoded, FolderWriter, LineWriter, Log, Progressed, ShardSettings, Shards, Sink, TableWriter, Target,
    is_number, is_numbered, log, sync_log, whole,
};
use crate::totals::Totals;
use maintext_core::hash::{FNV64, fnv64};
use maintext_corpus::inputs::Position;
use maintext_util::atomic::sync_folder;
use maintext_util::atomic::write_atomic;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The files of a run, which keep temporary names until it is done.
pub(super) struct Books {
    sink: Box<dyn Sink>,
    errors: Option<Log>,
    seen: Option<(SeenSignatures, Option<Log>)>,
    pub(super) checkpoint: Checkpoint,
    home: Option<Home>,
    every: Duration,
    last: Instant,
    /// Path of the output, for messages.
    name: PathBuf,
    errors_name: PathBuf,
    /// Whether the output is a folder of shards.
    shards: bool,
}

/// The hidden folder next to the output.
struct Home {
    folder: PathBuf,
    target: Target,
    errors: Option<PathBuf>,
    can_resume: bool,
    restart: bool,
    row_group: usize,
    /// The description of the job in the manifest of shards.
    settings: serde_json::Value,
    /// Held for the whole run, because two runs into one output would destroy each other's work.
    _lock: File,
}

impl Home {
    fn open(job: &Job, columns: &Columns, path: &Path) -> io::Result<Home> {
        // A link stays a link; its target is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().ok_or_else(|| io::Error::other("the path has no file name"))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(".partial");
        let folder = path.with_file_name(hidden);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let lock = File::create(folder.join("lock"))?;
        match lock.try_lock() {
            Err(fs::TryLockError::WouldBlock) => return Err(io::Error::other("another run is writing to it")),
            // Some file systems do not support locks; then nothing prevents a second run.
            Ok(()) | Err(fs::TryLockError::Error(_)) => {}
        }
        let target = match &job.target {
            Target::Lines(_, compression) => Target::Lines(path, *compression),
            Target::Table(_) => Target::Table(path),
            Target::Folder(_, body) => Target::Folder(path, *body),
            Target::Shards(_, format, size) => Target::Shards(path, *format, *size),
            Target::Stdout(compression) => Target::Stdout(*compression),
        };
        let can_resume = job.inputs.can_resume();
        let errors = job.errors.clone();
        let (restart, row_group) = (job.restart, job.row_group);
        let settings = manifest::settings(job, columns);
        Ok(Home { folder, target, errors, can_resume, restart, row_group, settings, _lock: lock })
    }

    fn checkpoint(&self) -> PathBuf {
        self.folder.join("checkpoint.json")
    }

    /// Returns the path where the output is collected.
    fn rows(&self) -> PathBuf {
        self.folder.join("rows")
    }

    /// Returns the folder where shards are collected.
    fn shards(&self) -> PathBuf {
        self.folder.join("shards")
    }

    fn sink(&self, columns: &Columns, from: &Progressed) -> io::Result<Box<dyn Sink>> {
        let rows = self.rows();
        Ok(match &self.target {
            Target::Lines(_, compression) => Box::new(LineWriter::resume(&rows, *compression, from)?),
            Target::Table(_) => Box::new(TableWriter::resume(&rows, columns, self.row_group, from)?),
            Target::Folder(path, body) => Box::new(FolderWriter::resume(path, &rows, *body, from)?),
            Target::Shards(_, format, size) => {
                let (format, size, columns, row_group) = (*format, *size, columns.clone(), self.row_group);
                let settings = ShardSettings { format, size, columns, row_group };
                Box::new(Shards::resume(self.shards(), settings, from)?)
            }
            Target::Stdout(_) => return Err(io::Error::other("standard output has no folder")),
        })
    }

    /// Renames the files to their final names, or adds them to the files there. Every step can be repeated.
    fn publish(&self, checkpoint: &Checkpoint) -> io::Result<()> {
        if let Some(errors) = &self.errors {
            move_file(&self.folder.join("errors"), errors)?;
        }
        if let (Target::Folder(path, _), true) = (&self.target, self.restart) {
            remove_replaced(path, &self.rows())?;
        }
        match &self.target {
            Target::Shards(path, format, _) => {
                let rows = &checkpoint.output.shards;
                fs::create_dir_all(path)?;
                manifest::remove_replaced(path, *format, rows.len())?;
                for number in 0..rows.len() {
                    move_file(&format.paths(&self.shards(), number).1, &path.join(format.name(number)))?;
                }
                manifest::write(path, *format, rows, &self.settings, &checkpoint.totals)?;
            }
            Target::Table(path) => move_file(&whole(&self.rows()), path)?,
            _ => move_file(&self.rows(), &final_name(&self.target).unwrap_or_default())?,
        }
        fs::remove_dir_all(&self.folder)?;
        Ok(())
    }
}

/// Returns the file that holds a row per page: the output itself, or a folder's index; `None` for standard output.
pub(super) fn final_name(target: &Target) -> Option<PathBuf> {
    Some(match target {
        Target::Folder(path, _) => index(path),
        Target::Shards(path, ..) => manifest::path(path),
        target => target.path()?.to_owned(),
    })
}

fn index(folder: &Path) -> PathBuf {
    folder.join("index.jsonl")
}

/// Checks that no file of another run is in the way.
fn check_existing(job: &Job) -> Result<(), Failure> {
    let mut files: Vec<PathBuf> = final_name(&job.target).into_iter().collect();
    if let Target::Shards(path, format, _) = &job.target {
        files.push(path.join(format.name(0)));
    }
    files.extend(job.errors.clone());
    // An empty file holds nothing to lose; devices and pipes accept rows at any time.
    files.retain(|file| file.metadata().is_ok_and(|m| m.is_file() && m.len() > 0));
    if let (Some(file), false) = (files.first(), job.restart) {
        return Err(Failure::Settings(format!("{}: exists already; replace it with --restart", file.display())));
    }
    Ok(())
}

/// Deletes the pages of a folder's old index that the new one does not name, and the folders that become empty.
pub(super) fn remove_replaced(folder: &Path, new: &Path) -> io::Result<()> {
    // Without case, since some file systems ignore it. Of two names with one hash, a file is kept that nothing names.
    let (Ok(old), Ok(new)) = (indexed_files(&index(folder)), indexed_files(new)) else { return Ok(()) };
    let kept: HashSet<u64> = new.map(|file| file_key(&file)).collect();
    for file in old.filter(|file| !kept.contains(&file_key(file))) {
        // An index that someone else wrote must not lead out of the folder.
        if !file.components().all(|part| matches!(part, std::path::Component::Normal(_))) {
            continue;
        }
        match fs::remove_file(folder.join(&file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Removing a folder fails if it holds anything.
        let above = file.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        let _ = above.map(|above| fs::remove_dir(folder.join(above))).find(Result::is_err);
    }
    Ok(())
}

/// Deletes the files of an unfinished run that is not resumed: those that the index of the last finished run does not name. The rows of the
/// unfinished run cannot name them, since the last ones may not be on disk.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    let kept: HashSet<u64> = match indexed_files(&index(folder)) {
        Ok(files) => files.map(|file| file_key(&file)).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => HashSet::new(),
        Err(error) => return Err(error),
    };
    for below in names_in(folder)? {
        for file in names_in(&folder.join(&below)).unwrap_or_default() {
            if is_numbered(&below, &file) && !kept.contains(&file_key(Path::new(&format!("{below}/{file}")))) {
                fs::remove_file(folder.join(&below).join(&file))?;
            }
        }
        if is_number(&below) {
            // Fails if it holds anything.
            let _ = fs::remove_dir(folder.join(&below));
        }
    }
    Ok(())
}

/// Returns the names in a folder; a missing folder has none.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect(),
    }
}

/// A row of the index of a folder.
#[derive(serde::Deserialize)]
struct IndexRow {
    file: Option<PathBuf>,
}

fn indexed_files(path: &Path) -> io::Result<impl Iterator<Item = PathBuf> + use<>> {
    let lines = BufReader::new(File::open(path)?).lines();
    Ok(lines.map_while(Result::ok).filter_map(|line| serde_json::from_str::<IndexRow>(&line).ok()?.file))
}

fn file_key(file: &Path) -> u64 {
    file.to_string_lossy().to_lowercase().bytes().fold(FNV64, fnv64)
}

/// Renames a file, or copies it to another file system. Skips a missing file, which was moved before.
pub(super) fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    let permissions = match fs::metadata(to) {
        Ok(old) if !old.is_file() => return copy_into(from, to),
        Ok(old) => Some(old.permissions()),
        Err(_) => None,
    };
    match fs::metadata(from) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    if let Some(permissions) = permissions {
        fs::set_permissions(from, permissions)?;
    }
    match fs::rename(from, to) {
        Ok(()) => sync_folder(to.parent().unwrap_or(Path::new("."))),
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => copy_into(from, to),
        Err(error) => Err(error),
    }
}

fn copy_into(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = File::open(from)?;
    write_atomic(to, |out| io::copy(&mut from, out)).map(|_| ())
}

impl Books {
    /// Opens the files after the last checkpoint of the same job, if there is one.
    pub(super) fn open(job: &Job, columns: &Columns, fresh: Checkpoint) -> Result<Books, Failure> {
        let name = job.target.path().unwrap_or(Path::new("standard output")).to_owned();
        let failed = |error: io::Error| Failure::Write { path: name.clone(), error };
        match job.target.path() {
            Some(path) if path.metadata().map_or(true, |m| m.is_file() || m.is_dir()) => {
                let home = Home::open(job, columns, path).map_err(failed)?;
                let checkpoint = resumed_from(&home, job, fresh)?;
                Books::with_home(job, columns, home, checkpoint).map_err(failed)
            }
            path => {
                check_existing(job)?;
                Books::streaming(job, path, fresh).map_err(failed)
            }
        }
    }

    /// Opens standard output, a pipe or a device.
    fn streaming(job: &Job, path: Option<&Path>, checkpoint: Checkpoint) -> io::Result<Books> {
        /// Number of bytes in one write to a pipe.
        const BUFFER: usize = 1 << 16;
        let compression = compression_of(&job.target);
        let out: Box<dyn Write> = match path {
            // Each write holds whole rows.
            None if io::stdout().is_terminal() && compression == Compression::Plain => {
                maintext_util::terminal::stdout()
            }
            None => Box::new(BufWriter::with_capacity(BUFFER, io::stdout())),
            Some(path) => Box::new(BufWriter::with_capacity(BUFFER, fs::OpenOptions::new().write(true).open(path)?)),
        };
        let sink = LineWriter::stream(out, compression);
        let errors = job.errors.as_ref().map(|path| log(path, 0)).transpose()?;
        let seen = job.dedup.map(|dedup| (SeenSignatures::new(dedup), None));
        Ok(Books::new(job, Box::new(sink), errors, seen, checkpoint, None))
    }

    fn with_home(job: &Job, columns: &Columns, home: Home, checkpoint: Checkpoint) -> io::Result<Books> {
        let errors_path = home.folder.join("errors");
        let seen_path = home.folder.join("seen");
        if checkpoint.finished {
            // Only the renaming remains.
            let sink = LineWriter::stream(Box::new(io::sink()), Compression::Plain);
            return Ok(Books::new(job, Box::new(sink), None, None, checkpoint, Some(home)));
        }
        let sink = home.sink(columns, &checkpoint.output)?;
        let errors = job.errors.is_some().then(|| log(&errors_path, checkpoint.errors)).transpose()?;
        let seen = match job.dedup {
            Some(dedup) => {
                let seen = read_signatures(&seen_path, dedup, checkpoint.seen)?;
                Some((seen, Some(log(&seen_path, checkpoint.seen)?)))
            }
            None => None,
        };
        Ok(Books::new(job, sink, errors, seen, checkpoint, Some(home)))
    }

    fn new(
        job: &Job,
        sink: Box<dyn Sink>,
        errors: Option<Log>,
        seen: Option<(SeenSignatures, Option<Log>)>,
        mut checkpoint: Checkpoint,
        home: Option<Home>,
    ) -> Books {
        checkpoint.totals.resumed = checkpoint.totals.pages;
        Books {
            sink,
            errors,
            seen,
            checkpoint,
            home,
            every: job.checkpoint,
            last: Instant::now(),
            name: job.target.path().unwrap_or(Path::new("standard output")).to_owned(),
            errors_name: job.errors.clone().unwrap_or_default(),
            shards: matches!(job.target, Target::Shards(..)),
        }
    }

    pub(super) fn finished(&self) -> bool {
        self.checkpoint.finished
    }

    pub(super) fn position(&self) -> Position {
        self.checkpoint.position()
    }

    /// Returns the crashes of earlier runs.
    pub(super) fn crashes(&self, job: &Job) -> Result<Crashes, Failure> {
        match &self.home {
            Some(home) => Crashes::open(&home.folder, &self.checkpoint, job).map_err(|error| self.failed(error)),
            None => Ok(Crashes::default()),
        }
    }

    pub(super) fn totals(&self) -> &Totals {
        &self.checkpoint.totals
    }

    pub(super) fn failed(&self, error: io::Error) -> Failure {
        Failure::Write { path: self.name.clone(), error }
    }

    /// Writes the result of the next item.
    pub(super) fn write(&mut self, done: DoneItem) -> Result<(), Failure> {
        self.checkpoint.set_position(done.after);
        let totals = &mut self.checkpoint.totals;
        totals.pages += u64::from(!matches!(done.result, Made::Skipped { .. }));
        totals.bytes += done.bytes;
        match done.result {
            Made::Skipped { reason, id } => totals.skipped.add(&reason, id),
            Made::Filtered => totals.filtered += 1,
            Made::Failed { row, reason, id } => {
                totals.failed.add(&reason, id);
                self.write_failed(row)?;
            }
            Made::Row(row, signature) => {
                let is_new = match (&mut self.seen, signature) {
                    (Some((seen, log)), Some(signature)) => {
                        let is_new = seen.insert(&signature);
                        if let (true, Some(log)) = (is_new, log) {
                            let bytes: Vec<u8> = signature.iter().flat_map(|key| key.to_le_bytes()).collect();
                            log.write_all(&bytes).map_err(|error| Failure::Write { path: self.name.clone(), error })?;
                        }
                        is_new
                    }
                    _ => true,
                };
                if is_new { self.write_row(row)? } else { totals.duplicates += 1 }
            }
        }
        if self.sink.needs_checkpoint() || self.last.elapsed() >= self.every && self.sink.at_boundary() {
            self.save().map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    fn write_row(&mut self, row: Encoded) -> Result<(), Failure> {
        self.checkpoint.totals.rows += row.rows;
        self.sink.write(row).map_err(|e| self.failed(e))
    }

    fn write_failed(&mut self, row: Encoded) -> Result<(), Failure> {
        match &mut self.errors {
            // Shards hold pages only; the manifest counts the failed ones.
            None if self.shards => Ok(()),
            None => self.write_row(row),
            Some(log) => {
                let written = log.write_all(&row.line);
                written.map_err(|error| Failure::Write { path: self.errors_name.clone(), error })
            }
        }
    }

    /// Makes a checkpoint: first brings everything it counts to disk, then writes the checkpoint.
    fn save(&mut self) -> io::Result<()> {
        let Some(home) = self.home.as_ref().filter(|home| home.can_resume) else { return Ok(()) };
        self.checkpoint.output = self.sink.sync()?;
        if let Some(log) = &mut self.errors {
            self.checkpoint.errors = sync_log(log)?;
        }
        if let Some((_, Some(log))) = &mut self.seen {
            self.checkpoint.seen = sync_log(log)?;
        }
        self.checkpoint.write(&home.checkpoint())?;
        self.last = Instant::now();
        Ok(())
    }

    /// Completes the output and renames it.
    pub(super) fn finish(mut self) -> Result<Totals, Failure> {
        self.end().map_err(|error| Failure::Write { path: self.name.clone(), error })?;
        Ok(self.checkpoint.totals)
    }

    fn end(&mut self) -> io::Result<()> {
        if !self.checkpoint.finished {
            self.sink.finish()?;
            if let Some(log) = &mut self.errors {
                match sync_log(log) {
                    // A pipe or a terminal.
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                    result => self.checkpoint.errors = result?,
                }
            }
        }
        let Some(home) = &self.home else { return Ok(()) };
        if !self.checkpoint.finished {
            self.checkpoint.output = self.sink.sync()?;
            self.checkpoint.finished = true;
            self.checkpoint.write(&home.checkpoint())?;
        }
        home.publish(&self.checkpoint)
    }
}

impl Drop for Home {
    /// Removes the files of a run that cannot be resumed.
    fn drop(&mut self) {
        if !self.can_resume || !self.checkpoint().exists() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn compression_of(target: &Target) -> Compression {
    match target {
        Target::Stdout(compression) | Target::Lines(_, compression) => *compression,
        Target::Table(_) | Target::Folder(..) | Target::Shards(..) => Compression::Plain,
    }
}

/// Returns the checkpoint to resume from: the one of an unfinished run into the same output, or `fresh`.
fn resumed_from(home: &Home, job: &Job, fresh: Checkpoint) -> Result<Checkpoint, Failure> {
    let path = home.checkpoint();
    if job.restart {
        let _ = fs::remove_file(&path);
    }
    let Some(found) = Checkpoint::read(&path)
        .map_err(|error| Failure::Write { path: job.target.path().unwrap_or(&path).to_owned(), error })?
    else {
        check_existing(job)?;
        if let (Target::Folder(folder, _), true) = (&home.target, home.rows().exists()) {
            remove_unfinished(folder).map_err(|error| Failure::Write { path: folder.clone(), error })?;
        }
        return Ok(fresh);
    };
    if found.job != fresh.job {
        return Err(Failure::Settings(format!(
            "an unfinished run into {} had other inputs or settings ({}); finish it with those, or start again with --restart",
            job.target.path().unwrap_or(&path).display(),
            difference(&found.job, &fresh.job)
        )));
    }
    Ok(found)
}

/// Names the settings that differ between two descriptions of a job, each with the first part of its value that does.
fn difference(old: &[String], new: &[String]) -> String {
    let mut found: Vec<String> = old
        .iter()
        .zip(new)
        .filter(|(a, b)| a != b)
        .map(|(old, new)| {
            let (name, old) = old.split_once(": ").unwrap_or(("", old));
            let new = new.split_once(": ").map_or(new.as_str(), |(_, new)| new);
            let (old, new) = old.split(", ").zip(new.split(", ")).find(|(a, b)| a != b).unwrap_or((old, new));
            format!("{name} was {}, is now {}", shortened(old), shortened(new))
        })
        .collect();
    if old.len() != new.len() {
        found.push(format!("{} inputs, now {}", count_inputs(old), count_inputs(new)));
    }
    found.join("; ")
}

const SHOWN_CHARS: usize = 60;

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn count_inputs(job: &[String]) -> usize {
    job.iter().filter(|line| line.starts_with("input: ")).count()
}

/// Reads the signatures of an interrupted run.
fn read_signatures(path: &Path, dedup: Dedup, bytes: u64) -> io::Result<SeenSignatures> {
    let mut seen = SeenSignatures::new(dedup);
    if bytes == 0 {
        return Ok(seen);
    }
    let mut file = BufReader::new(File::open(path)?).take(bytes);
    let mut record = vec![0; dedup.keys() * 8];
    for _ in 0..bytes / record.len() as u64 {
        file.read_exact(&mut record)?;
        let (keys, _) = record.as_chunks::<8>();
        let keys: Vec<u64> = keys.iter().map(|key| u64::from_le_bytes(*key)).collect();
        seen.insert(&keys);
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn settings_that_differ_are_named_with_old_and_new_values() {
        let job = |options: &str, size: u32| {
            vec![format!("options of the content: {options}"), format!("--max-size: {size}"), "input: a".to_owned()]
        };
        let (old, mut new) =
            (job("Options { url: None, favor: Balance }", 10), job("Options { url: None, favor: Recall }", 9));
        new.push("input: b".to_owned());
        assert_eq!(
            difference(&old, &new),
            "options of the content was favor: Balance }, is now favor: Recall }; --max-size was 10, is now 9; 1 inputs, now 2"
        );
    }
}
