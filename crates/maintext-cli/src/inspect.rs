//! `maintext inspect`: a method's view of a page and its decisions.
use crate::content::words;
use crate::fetch::FetchArgs;
use crate::input::CommandInput;
use crate::inspect_metadata;
use crate::look::{FirstDocument, warn};
use crate::method::MethodArgs;
use crate::{keep, report};
use maintext_core::metadata;
use maintext_core::method::{Favor, View};
use maintext_core::{Choice, Options};
use maintext_learn::LineLabels;
use maintext_learn::inspect::{Table, annotate};
use maintext_learn::plot::{self, Heading, Theme};
use maintext_util::atomic::write_atomic;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  maintext inspect --method markup-ratio page.html
  maintext inspect --method line-blocks --plot page.svg --html page-in-colours.html page.html
  maintext inspect --method line-density --classifier perceptron --csv page.csv https://example.org/article
  maintext inspect --metadata page.html
  maintext inspect --method markup-ratio --labels page.labels page.html
      then correct + and - in page.labels and train on them: maintext train markup-ratio --labels *.labels --out model.json

Output is coloured on a terminal, unless NO_COLOR is set.";

/// Show a method's scores and decisions, line by line
///
/// Prints the page's lines (or text blocks, for methods that work on blocks) with length, density, score, decision and
/// role.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct InspectArgs {
    /// An address (http or https), a file, or - for standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    input: String,

    /// Write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Plot lengths and scores along the page, with kept lines shaded; FILE ends in .svg
    #[arg(long, value_name = "FILE", value_parser = plot_name)]
    plot: Option<PathBuf>,

    /// Draw the plot on a dark background; by default, it follows the reader's system
    #[arg(long, requires = "plot")]
    dark: bool,

    /// Write a copy of the page with kept blocks in green, dropped blocks in grey, hidden text in violet, an outline for each role, and scores on hover
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write the decisions as line labels, to correct and train on
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Replace a label file that exists already
    #[arg(long, requires = "labels")]
    overwrite: bool,

    /// Print the candidates for title, authors and date with their sources and scores, and the reasons for the choice
    ///
    /// --metadata=json prints a JSON object with the candidates, every part of their scores, and the metadata.
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    metadata: Option<MetadataFormat>,

    /// Address of a page from a file or standard input
    #[arg(long, value_name = "URL", requires = "metadata", value_parser = crate::look::absolute)]
    url: Option<String>,

    /// Reference time for dates such as "3 hours ago": 2024-05-17, 2024-05-17T10:00+02:00 or now
    #[arg(long, value_name = "TIME", value_parser = crate::rules::time, requires = "metadata")]
    now: Option<maintext_core::metadata::Stamp>,

    /// Favor precision (less boilerplate), recall (more content), or neither
    #[arg(long, value_name = "SIDE", default_value = "balance", value_parser = words::<Favor>(Favor::NAMES))]
    favor: Favor,

    #[command(flatten)]
    method: MethodArgs,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// Output format of the candidates.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MetadataFormat {
    /// For reading
    Text,
    /// For programs
    Json,
}

fn plot_name(name: &str) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(name);
    match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => Ok(path),
        _ => Err("expected a file name that ends in .svg"),
    }
}

pub fn run(args: &InspectArgs) -> ExitCode {
    if let CommandInput::File(page) = CommandInput::new(&args.input) {
        let outputs = [&args.csv, &args.plot, &args.html, &args.labels];
        keep::inputs([page.as_path()], outputs.into_iter().flatten().map(PathBuf::as_path));
    }
    // Labels are corrected by hand.
    keep::existing(args.labels.iter().map(PathBuf::as_path), args.overwrite);
    let parameters = args.method.parameters();
    let method = parameters.method(&args.method.name).unwrap_or_else(|e| report::usage(&e));
    let options = Options { method: args.method.name.clone(), parameters, favor: args.favor, ..Options::default() };
    match chosen(args, options, &*method) {
        Ok(status) => status,
        Err(message) => {
            report::failed(&CommandInput::new(&args.input).to_string(), &message);
            ExitCode::FAILURE
        }
    }
}

/// Reads the page and shows it with the choice that `extract` makes.
fn chosen(args: &InspectArgs, options: Options, method: &dyn maintext_core::Method) -> Result<ExitCode, String> {
    let seen = FirstDocument::open(&args.fetch, &args.input, args.url.as_deref())?;
    seen.analyze(options, |extractor, mut analysis, url| {
        extractor.choose(&mut analysis, url);
        warn(&args.input, &analysis.warnings);
        inspect(args, method, &analysis.view(url), &analysis.choice)
    })
}

fn inspect(
    args: &InspectArgs,
    method: &dyn maintext_core::Method,
    view: &View<'_>,
    choice: &Choice,
) -> Result<ExitCode, String> {
    if let Some(format) = args.metadata {
        let report = inspect_metadata::MetadataReport::new(view, choice, args.now);
        let text = match format {
            MetadataFormat::Text => report.text(view.source),
            MetadataFormat::Json => report.json(),
        };
        return Ok(report::printed(text));
    }
    let table = Table::new(view, method, args.favor, choice);
    if let Some(path) = &args.csv {
        write(path, table.csv().as_bytes())?;
    }
    if let Some(path) = &args.plot {
        let named = metadata::extract(view, choice, &metadata::Settings::default()).title;
        let below = format!("{}, {}", table.method, args.input);
        let heading = Heading { title: named.as_deref().unwrap_or(&args.input), below: &below };
        let theme = if args.dark { Theme::Dark } else { Theme::Reader };
        write(path, plot::svg(&table, &heading, theme).as_bytes())?;
    }
    if let Some(path) = &args.html {
        write(path, annotate(view, method.name(), choice).as_bytes())?;
    }
    if let Some(path) = &args.labels {
        labels(&table, &CommandInput::new(&args.input), path)?;
    }
    let columns = terminal_size::terminal_size().map_or(120, |(w, _)| w.0 as usize);
    print(&table.terminal(columns))
}

/// Prints a table with colours, whose texts are made for a terminal.
fn print(text: &str) -> Result<ExitCode, String> {
    let written = anstream::stdout().write_all(text.as_bytes());
    Ok(written.map_or_else(|e| report::write_failed("standard output", &e), |()| ExitCode::SUCCESS))
}

fn labels(table: &Table, input: &CommandInput, path: &Path) -> Result<(), String> {
    let CommandInput::File(page) = input else { return Err("--labels requires a page in a file".into()) };
    // The label file names the page by a path that works from the label file's folder.
    let same_folder = page.parent() == path.parent();
    let name = match (same_folder, page.file_name()) {
        (true, Some(name)) => PathBuf::from(name),
        _ => std::path::absolute(page).map_err(|e| e.to_string())?,
    };
    write(path, LineLabels::draft(table, &name).to_text().as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    write_atomic(path, |file| file.write_all(bytes)).map_err(|e| format!("{}: {e}", path.display()))
}
