//! `cargo xtask measure --fields`: the accuracy of titles, authors and dates.
use clap::ValueEnum;
use indicatif::ProgressBar;
use maintext_core::metadata::Rankers;
use maintext_lab::Error;
use maintext_lab::fields::measure::{self, Choice, Row};
use maintext_lab::fields::{self, Field, Samples};
use std::path::{Path, PathBuf};

/// A field that can be measured.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldName {
    /// Correct if all words agree
    Title,
    /// Three measures: one contains the other; at least one common name; the same names
    Author,
    /// Correct if the day is the same
    Date,
}

impl FieldName {
    fn field(self) -> Field {
        match self {
            FieldName::Title => Field::Title,
            FieldName::Author => Field::Author,
            FieldName::Date => Field::Date,
        }
    }
}

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Metadata")]
pub struct FieldArgs {
    /// Measure these metadata fields instead of the content
    ///
    /// With --cross-validate K, the sites are split into K parts, and each part is measured with rankers trained on the others. On
    /// sets that the shipped rankers were trained on, only these figures predict the accuracy on other sites.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', conflicts_with_all = ["method", "types", "predictions"])]
    pub fields: Vec<FieldName>,

    /// Add one row for each language
    #[arg(long, requires = "fields")]
    languages: bool,

    /// Results of other systems in DIR/SET/SYSTEM.jsonl, written by bench/peers-rs
    #[arg(long, value_name = "DIR", requires = "fields")]
    peers: Option<PathBuf>,
}

/// Output format.
pub enum As {
    /// Columns, for the terminal
    Table,
    /// Markdown tables
    Markdown,
    /// All figures, unrounded
    Json,
}

pub fn run(args: &FieldArgs, data: &[PathBuf], folds: Option<u16>, form: As) -> Result<String, Error> {
    let bar = ProgressBar::new_spinner();
    let say = |m: &str| {
        bar.set_message(m.to_owned());
        bar.tick();
    };
    let mut samples = Samples::load(data, say)?;
    let (name, answers) = match folds {
        Some(k) => {
            let folds = fields::cross_validate(&mut samples, k.into(), 1, say);
            (format!("maintext, {k}-fold"), measure::answers(&samples, &Choice::HeldOut(&folds)))
        }
        None => ("maintext".to_owned(), measure::answers(&samples, &Choice::One(Rankers::shipped()))),
    };
    bar.finish_and_clear();
    let mut rows = measure::rows(&samples.pages, &name, &answers);
    if let Some(dir) = &args.peers {
        rows = with_peers(rows, dir, &samples)?;
    }
    let wanted: Vec<Field> = args.fields.iter().map(|f| f.field()).collect();
    Ok(match form {
        As::Table => measure::table(&rows, &wanted, args.languages),
        As::Markdown => measure::markdown(&rows, &wanted, args.languages),
        As::Json => serde_json::to_string_pretty(&rows).map_err(|e| Error::other(e.to_string()))? + "\n",
    })
}

/// Adds the rows of other systems after ours, set by set.
fn with_peers(ours: Vec<Row>, dir: &Path, samples: &Samples) -> Result<Vec<Row>, Error> {
    let mut out: Vec<Row> = Vec::new();
    let mut at = 0;
    while at < ours.len() {
        let set = ours[at].set.clone();
        let end = at + ours[at..].iter().take_while(|r| r.set == set).count();
        out.extend(ours[at..end].iter().cloned());
        at = end;
        let folder = dir.join(&set);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("{}: no results of other systems in this folder", folder.display());
            continue;
        };
        let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        files.retain(|f| f.extension().is_some_and(|e| e == "jsonl"));
        files.sort();
        for file in files {
            let system = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let said = measure::read_answers(&file, samples, &set)?;
            out.extend(measure::rows(samples.pages.iter().filter(|p| p.set == set), &system, &said));
        }
    }
    Ok(out)
}
