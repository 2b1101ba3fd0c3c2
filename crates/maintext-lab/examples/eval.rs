//! Measures methods on sets: `cargo run --release --example eval -- METHOD,METHOD FILE...`.
//!
//! With `PREDICTIONS=DIR`, each candidate's output is also written to `DIR/SET/METHOD.jsonl`.
use maintext_lab::data::Page;
use maintext_lab::eval::{self, Candidate, Observer, Outcome};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

struct Predictions(Option<PathBuf>, Mutex<std::collections::HashMap<PathBuf, std::fs::File>>);

impl Observer for Predictions {
    fn page(&self, set: &str, candidate: &str, page: &Page, outcome: &Outcome) {
        let Some(dir) = &self.0 else { return };
        let path = dir.join(set).join(format!("{candidate}.jsonl"));
        let mut files = self.1.lock().unwrap();
        let file = files.entry(path.clone()).or_insert_with(|| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(&path).unwrap()
        });
        writeln!(file, "{}", eval::prediction_line(page, outcome)).unwrap();
    }
}

fn main() -> Result<(), maintext_lab::Error> {
    let mut args = std::env::args().skip(1);
    let names = args.next().unwrap_or_else(|| maintext_core::method::NAMES.join(","));
    let candidates = names.split(',').map(Candidate::named).collect::<Result<Vec<_>, _>>()?;
    let observer = Predictions(std::env::var_os("PREDICTIONS").map(PathBuf::from), Mutex::default());
    let mut rows = Vec::new();
    for set in args {
        rows.extend(eval::evaluate(Path::new(&set), &candidates, &observer)?);
    }
    print!("{}", eval::table(&rows, true));
    Ok(())
}
