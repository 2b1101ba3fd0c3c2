//! Compares maintext with other extractors on all sets, with one scorer, and writes the tables of docs/benchmarks.md and
//! docs/experiments/benchmarks.md: `cargo xtask eval`.
//!
//! bench/peers-rs writes the outputs of the others to `PEERS/<set>/<system>.jsonl`, in lines with the keys `id` and `text`.
//! On the sets in `eval/`, this program runs maintext itself. The shipped model was trained on the sets in `train/`, so there it reads
//! cross-validated outputs of the same format from `OURS/<set>/maintext.jsonl`.
#![forbid(unsafe_code)]

mod figures;
mod record;
mod sets;
mod tables;

use figures::{Answers, Figures, measure, ours_live, predictions};
use maintext_core::model::{Learned, Model};
use maintext_core::{Extractor, Options};
use maintext_lab::{Error, data};
use sets::{RECALL, SETS, Set, Variant};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The name of maintext's column and files.
const OURS: &str = "maintext";

#[derive(Default)]
struct Args {
    data: PathBuf,
    peers: Option<PathBuf>,
    ours: Option<PathBuf>,
    method: Option<String>,
    model: Option<PathBuf>,
    docs: Option<PathBuf>,
    recorded: Option<PathBuf>,
    check: bool,
    record: bool,
}

/// All scores, by row and then by system.
pub type Rows = Vec<(String, BTreeMap<String, Figures>)>;

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Args, Error> {
    let mut out = Args::default();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| Error::other(format!("'{arg}' needs a value")));
        match arg.as_str() {
            "--data" => out.data = value()?.into(),
            "--peers" => out.peers = Some(value()?.into()),
            "--ours" => out.ours = Some(value()?.into()),
            "--method" => out.method = Some(value()?),
            "--model" => out.model = Some(value()?.into()),
            "--docs" => out.docs = Some(value()?.into()),
            "--recorded" => out.recorded = Some(value()?.into()),
            "--check" => out.check = true,
            "--record" => out.record = true,
            _ => return Err(Error::other(format!("unexpected argument '{arg}'"))),
        }
    }
    Ok(out)
}

fn run(args: &Args) -> Result<(), Error> {
    let mut rows = Rows::new();
    for set in SETS {
        eprintln!("{}", set.name);
        rows.extend(measure_set(args, set)?);
    }
    for (name, tables) in tables::all(&rows) {
        print!("{tables}");
        if args.peers.is_some()
            && let Some(docs) = &args.docs
        {
            tables::write_between_markers(&docs.join(name), &tables)?;
        }
    }
    let Some(path) = &args.recorded else { return Ok(()) };
    if args.record {
        record::write(path, &rows)?;
    }
    if args.check { record::check(path, &rows) } else { Ok(()) }
}

/// Computes the rows of one set.
fn measure_set(args: &Args, set: &Set) -> Result<Rows, Error> {
    let pages = data::read(args.data.join(set.folder).join(format!("{}.jsonl.zst", set.name)))?;
    let mut rows = Rows::new();
    for run in set.runs {
        let mut answers = peers(args, set, run)?;
        if let Some(said) = ours(args, set, run, &pages)? {
            answers.push((OURS.to_owned(), said));
        }
        let mut by_row: BTreeMap<(usize, String), BTreeMap<String, Figures>> = BTreeMap::new();
        for (system, said) in &answers {
            for (row, figures) in measure(set, run, &pages, said) {
                by_row.entry(row).or_default().insert(system.clone(), figures);
            }
        }
        rows.extend(by_row.into_iter().map(|((_, name), figures)| (name, figures)));
    }
    Ok(rows)
}

/// Reads the outputs of the other systems for a set. Where recall is wanted, uses a system's outputs with its recall setting, if there are any.
fn peers(args: &Args, set: &Set, run: &Variant) -> Result<Vec<(String, Answers)>, Error> {
    let Some(dir) = args.peers.as_ref().map(|d| d.join(set.name)).filter(|d| d.exists()) else { return Ok(Vec::new()) };
    let mut systems = BTreeSet::new();
    for entry in std::fs::read_dir(&dir).map_err(|e| Error::file(&dir, e))? {
        let name = entry.map_err(|e| Error::file(&dir, e))?.file_name().to_string_lossy().into_owned();
        systems.extend(name.strip_suffix(".jsonl").map(str::to_owned));
    }
    let plain = systems.iter().filter(|s| !s.ends_with(RECALL) && *s != OURS);
    plain
        .map(|system| {
            let special = format!("{system}{}", run.suffix);
            let file = if systems.contains(&special) { &special } else { system };
            Ok((system.clone(), predictions(&dir.join(format!("{file}.jsonl")))?))
        })
        .collect()
}

/// Returns maintext's outputs for a set, if they are available.
fn ours(args: &Args, set: &Set, run: &Variant, pages: &[data::Page]) -> Result<Option<Answers>, Error> {
    let file = |dir: &Path| dir.join(set.name).join(format!("{OURS}{}.jsonl", run.suffix));
    if let Some(path) = args.ours.as_deref().map(file).filter(|p| p.exists()) {
        return predictions(&path).map(Some);
    }
    if set.folder == "train" {
        return Ok(None);
    }
    let extractor = extractor(args, run).map_err(|e| Error::other(e.to_string()))?;
    Ok(Some(ours_live(extractor, pages)))
}

/// Creates the extractor to measure: a model from a file, a method by name, or the command's own method.
fn extractor(args: &Args, run: &Variant) -> Result<Extractor, Box<dyn std::error::Error>> {
    let mut options = Options { favor: run.favor, ..Options::default() };
    if let Some(path) = &args.model {
        let bytes = std::fs::read(path).map_err(|e| Error::file(path, e))?;
        let model = Model::from_bytes(&bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        return Ok(Extractor::with_method(options, Box::new(Learned::new(model))));
    }
    if let Some(method) = &args.method {
        options.method = method.clone();
    }
    Ok(Extractor::new(options)?)
}
