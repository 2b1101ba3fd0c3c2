//! `maintext train`: trains a line classifier.
use crate::{keep, report};
use indicatif::{ProgressBar, ProgressStyle};
use maintext_learn::Error;
use maintext_learn::lines::{Observer, Options, PageRows, Rows, Trainable, Visit, train};
use maintext_util::atomic::write_atomic;
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
A set is a file with one JSON object per line: \"id\", the page in \"html\", its main text in \"text\", and its \"site\" or \
\"url\". Aligning the two texts labels the lines of the page. A label file is written by 'maintext inspect --labels' and corrected by hand.

Seven tenths of the sites are for training, the others for early stopping, model selection and testing. The same data and \
seed give the same file. The file is written atomically: an interrupted run leaves no incomplete file under its name.

Examples:
  maintext train markup-ratio --data pages.jsonl.zst --out mlp.json
  maintext train markup-ratio --data pages.jsonl.zst --hidden 7-7-3 --out mlp.json
  maintext train line-density --data pages.jsonl.zst --site example.org --pages 10 --out example.json
  maintext extract --method markup-ratio --model mlp.json page.html";

/// Train a line classifier on labelled pages
///
/// line-density has a single-layer perceptron, markup-ratio a feed-forward network whose hidden layers are found by growing and shrinking
/// them.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct TrainArgs {
    /// Method whose classifier is trained
    #[arg(value_name = "METHOD", value_parser = ["line-density", "markup-ratio"])]
    method: String,

    /// Set of labelled pages; can be repeated
    #[arg(long, value_name = "FILE", num_args = 1.., required_unless_present = "labels")]
    data: Vec<PathBuf>,

    /// File of line labels; can be repeated
    #[arg(long, value_name = "FILE", num_args = 1..)]
    labels: Vec<PathBuf>,

    /// Write the model to FILE
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// Units of the hidden layers, such as 7-7-3, instead of a search
    #[arg(long, value_name = "UNITS", value_parser = hidden)]
    hidden: Option<HiddenUnits>,

    /// Train for this site only, on a few of its pages; its other pages test the model
    #[arg(long, value_name = "HOST")]
    site: Option<String>,

    /// Number of the site's pages to train on
    #[arg(long, value_name = "N", default_value_t = Options::default().site_pages, requires = "site")]
    pages: usize,

    /// Seed of the random number generator
    #[arg(long, value_name = "N", default_value_t = Options::default().seed)]
    seed: u64,
}

#[derive(Clone, Debug)]
struct HiddenUnits(Vec<usize>);

fn hidden(text: &str) -> Result<HiddenUnits, &'static str> {
    let units: Option<Vec<usize>> = text.split('-').map(|n| n.parse().ok().filter(|n| (1..=100).contains(n))).collect();
    units.filter(|u| u.len() <= 8).map(HiddenUnits).ok_or("expected the units of each layer, such as 7-7-3")
}

pub fn run(args: &TrainArgs) -> ExitCode {
    keep::inputs(args.data.iter().chain(&args.labels).map(PathBuf::as_path), [args.out.as_path()]);
    match work(args) {
        Ok(text) => report::printed(text),
        Err(e) => {
            report::note(&e);
            ExitCode::FAILURE
        }
    }
}

fn work(args: &TrainArgs) -> Result<String, Error> {
    let method = Trainable::named(&args.method)?;
    let mut rows = Rows::default();
    let bar = bytes_bar();
    for path in &args.data {
        bar.set_message(path.display().to_string());
        rows.add_set(method, path, &|(done, of)| {
            bar.set_length(of);
            bar.set_position(done);
        })?;
    }
    bar.finish_and_clear();
    for path in &args.labels {
        rows.pages.push(PageRows::from_labels(method, path)?);
    }
    let options = Options {
        hidden: args.hidden.as_ref().map(|h| h.0.clone()),
        seed: args.seed,
        site: args.site.clone(),
        site_pages: args.pages,
        ..Options::default()
    };
    let watch = TrainWatch { bar: epoch_bar(options.training.epochs as u64) };
    let trained = train(method, &rows, &options, &watch)?;
    watch.bar.finish_and_clear();
    let json = trained.model.to_json();
    write_atomic(&args.out, |file| file.write_all(json.as_bytes())).map_err(|e| Error::file(&args.out, e))?;
    Ok(trained.report.text())
}

struct TrainWatch {
    bar: ProgressBar,
}

impl Observer for TrainWatch {
    fn epoch(&self, hidden: &[usize], epoch: usize, of: usize, loss: f64, validation: f64) {
        self.bar.set_length(of as u64);
        self.bar.set_position(epoch as u64);
        self.bar.set_message(format!("{hidden:?}  loss {loss:.4}  validation {validation:.4}"));
    }

    fn visited(&self, visit: &Visit, remaining: usize) {
        let line = format!("hidden {}: validation error {:.5}, {remaining} remaining", visit.name(), visit.validation);
        self.bar.println(line);
    }
}

/// Returns a progress bar for reading a file, visible if standard error is a terminal.
fn bytes_bar() -> ProgressBar {
    bar("{elapsed_precise} [{bar:30}] {bytes}/{total_bytes}  ETA {eta}  {msg}", 0)
}

fn epoch_bar(epochs: u64) -> ProgressBar {
    bar("{elapsed_precise} [{bar:30}] epoch {pos} of at most {len}  ETA {eta}  {msg}", epochs)
}

fn bar(template: &str, length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
