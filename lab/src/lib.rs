//! Data sets, trainers, evaluation, tables and plots for maintext.
//!
//! [`data`] reads labelled pages, [`score`] compares an extraction with its ground truth, and [`eval`] does so for many methods on
//! many sets.
#![forbid(unsafe_code)]

pub mod entries;
mod entries_annotated;
pub mod eval;
pub mod fields;
pub mod held_out;
pub mod learned;
pub mod lines;
pub mod list_confidence;
pub mod list_eval;
pub mod list_groups;
mod name_weights;
pub mod network;
pub mod page_type;
pub mod pagination;
pub mod posts;
pub mod readings;
pub mod records;
pub mod roles;
pub mod rows;
pub mod score;
pub mod shipped;
pub mod sites;
pub mod softmax;
pub mod svm;
pub mod things;

pub use maintext_learn::{Error, LineLabels, data, plot, truth};

/// Writes a file whole or not at all, and creates a missing folder.
pub fn write(path: &std::path::Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let written = folder.and_then(|()| maintext_util::atomic::write_atomic(path, |file| file.write_all(bytes)));
    written.map_err(|e| Error::file(path, e))
}

/// Returns the sets of pages below a data directory, starting with `train/`. Omits wcxb-markdown, which has no pages of its own.
pub fn page_sets(data: &std::path::Path) -> Result<Vec<std::path::PathBuf>, Error> {
    let mut out = Vec::new();
    for folder in ["train", "eval"].map(|f| data.join(f)) {
        let entries = std::fs::read_dir(&folder).map_err(|e| Error::file(&folder, e))?;
        let paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>();
        let mut sets = paths.map_err(|e| Error::file(&folder, e))?;
        sets.retain(|p| p.to_string_lossy().ends_with(".jsonl.zst") && data::set_name(p) != "wcxb-markdown");
        sets.sort();
        out.extend(sets);
    }
    Ok(out)
}

/// Runs a trainer with its parsed arguments and reports errors on standard error. Exit status 2 for wrong arguments, 1 for a failed run.
///
/// ```
/// let parsed: Result<u8, String> = Ok(7);
/// assert_eq!(maintext_lab::exit_code(parsed, |_| Ok(())), std::process::ExitCode::SUCCESS);
/// assert_eq!(maintext_lab::exit_code(Err::<u8, _>("usage: ...".into()), |_| Ok(())), std::process::ExitCode::from(2));
/// ```
pub fn exit_code<A>(parsed: Result<A, String>, run: impl FnOnce(&A) -> Result<(), Error>) -> std::process::ExitCode {
    let (message, status) = match parsed {
        Ok(args) => match run(&args) {
            Ok(()) => return std::process::ExitCode::SUCCESS,
            Err(error) => (error.to_string(), 1),
        },
        Err(message) => (message, 2),
    };
    eprintln!("{message}");
    std::process::ExitCode::from(status)
}
