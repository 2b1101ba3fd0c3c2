//! Recorded scores that a change must not lower: `{row: F1}`.
use crate::{OURS, Rows};
use maintext_lab::Error;
use std::collections::BTreeMap;
use std::path::Path;

/// Largest allowed drop below a recorded score.
const TOLERANCE: f64 = 0.003;

type Record = BTreeMap<String, f64>;

fn ours(rows: &Rows) -> Record {
    let f1 = |(name, systems): &(String, BTreeMap<_, crate::Figures>)| Some((name.clone(), systems.get(OURS)?.f1()?));
    rows.iter().filter_map(f1).collect()
}

fn read(path: &Path) -> Result<Record, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(path, e))?;
    serde_json::from_str(&text).map_err(|e| Error::other(format!("{}: {e}", path.display())))
}

/// Records the scores, and keeps the scores of rows that were not measured.
pub fn write(path: &Path, rows: &Rows) -> Result<(), Error> {
    let mut record = if path.exists() { read(path)? } else { Record::new() };
    record.extend(ours(rows).into_iter().map(|(name, f1)| (name, (f1 * 1e4).round() / 1e4)));
    let text = serde_json::to_string_pretty(&record).map_err(|e| Error::other(e.to_string()))?;
    maintext_lab::write(path, format!("{text}\n").as_bytes())
}

/// Compares the scores with the recorded ones.
///
/// # Errors
/// A score fell, or there was nothing to compare.
pub fn check(path: &Path, rows: &Rows) -> Result<(), Error> {
    let (record, now) = (read(path)?, ours(rows));
    let (told, bad) = compare(&record, &now);
    told.iter().for_each(|line| eprintln!("{line}"));
    match bad {
        0 if told.is_empty() => Err(Error::other(format!("{}: no measured row is recorded", path.display()))),
        0 => Ok(()),
        n => Err(Error::other(format!("F1 fell by more than {TOLERANCE} in {n} rows; see FELL above"))),
    }
}

/// Returns a line for each recorded row, and the number of rows that fell.
fn compare(record: &Record, now: &Record) -> (Vec<String>, usize) {
    let mut bad = 0;
    let compared = record.iter().filter_map(|(name, was)| Some((name, was, now.get(name)?)));
    let told = compared
        .map(|(name, was, is)| {
            // Differences below half of the last recorded digit do not count.
            let fell = was - is > TOLERANCE + 5e-5;
            bad += fell as usize;
            format!("{name:34} {was:.4} -> {is:.4}  {}", if fell { "FELL" } else { "ok" })
        })
        .collect();
    (told, bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_beyond_the_tolerance_is_reported() {
        let record = Record::from([("a".into(), 0.9), ("b".into(), 0.9), ("not measured".into(), 0.9)]);
        let (told, bad) = compare(&record, &Record::from([("a".into(), 0.8971), ("b".into(), 0.8965)]));
        assert_eq!((told.len(), bad), (2, 1));
        assert!(told[0].ends_with("ok") && told[1].ends_with("FELL"));
    }
}
