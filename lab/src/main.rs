//! `cargo xtask measure`: the accuracy of methods on labelled pages.
mod measure {
    pub mod fields;
    pub mod lists;
}

use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use maintext_core::Options;
use maintext_core::methods::Parameters;
use maintext_lab::data::Page;
use maintext_lab::eval::{self, Candidate, Observer, Outcome, Row};
use maintext_lab::lines::{self, Rows, Trainable};
use maintext_lab::{Error, data};
use maintext_util::atomic::write_atomic;
use measure::fields::{self, As, FieldArgs};
use measure::lists::{self, ListArgs};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

const AFTER_HELP: &str = "\
A set is a file with one JSON object per line, compressed or not; each object holds a page and its ground truth. docs/data.md \
describes the keys and the sources of sets.

F1 counts words as WCXB does (runs of letters, digits and _); F1-cjk counts each Chinese, Japanese or Korean character \
as a word. FP is the share of boilerplate lines that were kept, miss the share of content lines that were dropped.

Examples:
  cargo xtask measure --data wcxb-dev.jsonl.zst
  cargo xtask measure --data news.jsonl.zst --method line-density --threshold 0.4 --types
  cargo xtask measure --data news.jsonl.zst --fields title,author,date --cross-validate 5
  cargo xtask measure --data wcxb-dev.jsonl.zst --page-type --entries --cross-validate 5
  cargo xtask measure --data a.jsonl.zst --data b.jsonl.zst --method markup-ratio --cross-validate 5 -f markdown";

/// Output format.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ReportFormat {
    /// Columns, for the terminal
    Table,
    /// Markdown tables
    Markdown,
    /// All figures, unrounded
    Json,
}

/// Measure the accuracy of methods on labelled pages
#[derive(Parser, Debug)]
#[command(name = "cargo xtask measure", after_long_help = AFTER_HELP)]
struct Args {
    /// Set of labelled pages; can be repeated
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,

    /// Method to measure; can be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(maintext_core::method::NAMES))]
    method: Vec<String>,

    /// Cross-validate the method's classifier: split the sites into K parts, and measure each part with a classifier trained on the others
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..=100))]
    cross_validate: Option<u16>,

    /// Add one row for each page type
    #[arg(long)]
    types: bool,

    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    format: ReportFormat,

    /// Write the result of each method to DIR/SET/METHOD.jsonl
    #[arg(long, value_name = "DIR")]
    predictions: Option<PathBuf>,

    #[command(flatten)]
    metadata: FieldArgs,

    #[command(flatten)]
    lists: ListArgs,

    /// Use the model in FILE instead of the built-in one: a classifier from 'maintext train', for line-density or markup-ratio
    #[arg(long, value_name = "FILE", value_parser = model)]
    model: Option<String>,

    /// Threshold of line-density, markup-ratio, density-statistics or a classifier
    #[arg(long, value_name = "X")]
    threshold: Option<f32>,

    /// Lines per group for line-blocks
    #[arg(long, value_name = "N")]
    k: Option<usize>,

    /// Decide with a trained classifier: perceptron (for line-density) or mlp (for markup-ratio)
    #[arg(long, value_name = "NAME")]
    classifier: Option<String>,

    /// Limit the expected share of boilerplate in the result
    #[arg(long, value_name = "ALPHA")]
    fdr: Option<f32>,
}

impl Args {
    fn parameters(&self) -> Parameters {
        Parameters {
            threshold: self.threshold,
            k: self.k,
            classifier: self.classifier.clone(),
            model: self.model.clone(),
            fdr: self.fdr,
            ..Parameters::default()
        }
    }
}

/// Reads the file of a line classifier.
fn model(path: &str) -> Result<String, String> {
    let json = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    maintext_core::classic::LineModel::from_json(&json).map_err(|e| e.to_string())?;
    Ok(json)
}

fn main() -> ExitCode {
    match measured(&Args::parse()) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn measured(args: &Args) -> Result<String, Error> {
    let form = match args.format {
        ReportFormat::Table => As::Table,
        ReportFormat::Markdown => As::Markdown,
        ReportFormat::Json => As::Json,
    };
    if args.lists.wanted() {
        return lists::run(&args.lists, &args.data, args.cross_validate, form);
    }
    if !args.metadata.fields.is_empty() {
        return fields::run(&args.metadata, &args.data, args.cross_validate, form);
    }
    let rows = rows(args)?;
    Ok(match args.format {
        ReportFormat::Table => eval::table(&rows, args.types),
        ReportFormat::Markdown => eval::markdown(&rows, args.types),
        ReportFormat::Json => eval::json(&rows) + "\n",
    })
}

fn rows(args: &Args) -> Result<Vec<Row>, Error> {
    let all: Vec<String> = maintext_core::method::NAMES.iter().map(|n| n.to_string()).collect();
    let names = if args.method.is_empty() { &all } else { &args.method };
    let candidates = names.iter().map(|n| candidate(args, n)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for path in &args.data {
        let watch = EvalWatch { bar: bytes_bar(), lines: args.predictions.as_ref().map(|_| Mutex::default()) };
        rows.extend(eval::evaluate(path, &candidates, &watch)?);
        watch.bar.finish_and_clear();
        if let (Some(dir), Some(lines)) = (&args.predictions, watch.lines) {
            let lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
            write_predictions(&dir.join(data::set_name(path)), &lines)?;
        }
    }
    Ok(rows)
}

fn candidate(args: &Args, name: &str) -> Result<Candidate, Error> {
    let parameters = args.parameters();
    if let Some(k) = args.cross_validate {
        let method = Trainable::named(name)?;
        let mut pages = Rows::default();
        for path in &args.data {
            let bar = bytes_bar();
            pages.add_set(method, path, &|(done, of)| {
                bar.set_length(of);
                bar.set_position(done);
            })?;
        }
        let hidden = Some(vec![7]);
        let options = lines::Options { hidden, ..lines::Options::default() };
        let models = lines::cross_validate(method, &pages, k.into(), &options, &())?;
        let name = format!("{name} --classifier {}", method.classifier());
        return lines::held_out(&name, method, &models, parameters.fdr);
    }
    let method = parameters.method(name).map_err(|e| Error::other(e.to_string()))?;
    Ok(Candidate::new(name, Options::default(), method.into()))
}

/// The result lines of each candidate, one line per page.
type Said = BTreeMap<String, String>;

/// Writes one file per candidate, in the format of the project's scoring script.
fn write_predictions(folder: &Path, said: &Said) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
    for (candidate, lines) in said {
        let file = folder.join(format!("{}.jsonl", candidate.replace(['/', ' '], "_")));
        write_atomic(&file, |out| out.write_all(lines.as_bytes())).map_err(|e| Error::file(&file, e))?;
    }
    Ok(())
}

/// Returns a progress bar for reading a file, visible if standard error is a terminal.
fn bytes_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) =
        ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {bytes}/{total_bytes}  ETA {eta}  {msg}")
    {
        bar.set_style(style);
    }
    bar
}

struct EvalWatch {
    bar: ProgressBar,
    lines: Option<Mutex<Said>>,
}

impl Observer for EvalWatch {
    fn page(&self, _: &str, candidate: &str, page: &Page, outcome: &Outcome) {
        if let Some(lines) = &self.lines {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let text = lines.entry(candidate.to_owned()).or_default();
            text.push_str(&eval::prediction_line(page, outcome));
            text.push('\n');
        }
    }

    fn progress(&self, set: &str, pages: usize, (done, of): (u64, u64)) {
        self.bar.set_length(of);
        self.bar.set_position(done);
        self.bar.set_message(format!("{set}: {pages} pages"));
    }
}
