//! The `maintext` command: parses flags and calls the library crates. No extraction logic lives here.
//!
//! Each subcommand has one file (`extract`, `batch`, `generate`); code shared by several subcommands has its own file. The program
//! `maintext` and the command of the Python package both call [`run`].
#![forbid(unsafe_code)]

#[cfg(feature = "batch")]
mod archives;
#[cfg(feature = "batch")]
mod batch;
mod browser;
#[cfg(feature = "chunks")]
mod chunk;
mod classify;
mod content;
#[cfg(feature = "crawl")]
mod crawl;
#[cfg(feature = "chunks")]
mod cut;
mod extract;
mod fetch;
#[cfg(feature = "chunks")]
mod find;
#[cfg(feature = "chunks")]
mod find_args;
mod follow;
mod generate;
mod input;
#[cfg(feature = "learn")]
mod inspect;
#[cfg(feature = "learn")]
mod inspect_metadata;
#[cfg(any(feature = "batch", feature = "crawl"))]
mod interrupt;
mod keep;
mod list;
mod list_feed;
mod look;
#[cfg(feature = "crawl")]
mod map;
#[cfg(feature = "serve")]
mod mcp;
mod method;
mod output;
mod report;
mod representation;
#[cfg(feature = "chunks")]
mod rows;
mod rules;
mod schema;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "chunks")]
mod since;
#[cfg(feature = "crawl")]
mod site;
#[cfg(feature = "learn")]
mod train;

pub use input::AddressFacts;

use crate::input::CommandInput;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use maintext_util::guard;
use std::ffi::OsString;
use std::io::{self, Write};
use std::iter;
use std::path::Path;
use std::process::ExitCode;

/// The one-line description in `maintext -h`.
const ABOUT: &str = "Turns web pages into their main text, with title, author, date, language and images";

const LONG_ABOUT: &str = "\
maintext turns web pages into their main text, with title, author, date, language and images.

It reads a page from a web address, a file or standard input, or many pages from data files, removes menus, advertisements, \
related links and other boilerplate, and writes the rest as text, Markdown, HTML, XML (TEI) or JSON.";

const AFTER_HELP: &str = "\
Examples:
  maintext extract https://example.org/article
      The main text of a page on the web.

  maintext extract -f markdown --with-metadata page.html -o page.md
      A saved page as Markdown, with title, author and date as front matter.

  curl -s https://example.org/ | maintext extract --url https://example.org/ -f json
      A page from standard input; relative links are resolved against --url.

  maintext extract -f json --output-dir out *.html
      Many pages, one result file for each.

  maintext chunk --size 300 https://example.org/guide
      A page in passages for retrieval, with headings, links and places.

  maintext batch crawl/*.warc.gz -o texts.parquet
      Millions of pages, on all cores; an interrupted run resumes where it stopped.

  maintext list https://example.org/news
      The entries of a list page: titles and links, in page order.

  maintext crawl https://example.org/news --max-pages 200 -o news.jsonl
      The articles that a list page and its following pages link to; an interrupted run resumes where it stopped.

  maintext crawl https://example.org --all -o site/
      The pages of a site as Markdown; up to 1,000 without --max-pages.

  maintext map https://example.org
      The addresses of a site, from its sitemaps, feeds and links.

  maintext inspect --method line-blocks --html colours.html page.html
      The lines of a page with a method's scores and decisions, and a copy of the page with kept blocks in green.

  maintext inspect --metadata page.html
      The candidates for title, authors and date, and the reasons for the choice.

  maintext train markup-ratio --data pages.jsonl.zst --out model.json
      A line classifier, trained on labelled pages.

  maintext serve
      An HTTP service with a playground, on http://127.0.0.1:8000.

  maintext mcp
      Tools for agents, over the Model Context Protocol.

  maintext completions bash > ~/.local/share/bash-completion/completions/maintext
      Shell completions.

Exit status:
  0  success
  1  at least one input failed; standard error has one line for each, with the input and the reason
  2  invalid usage";

/// The command line.
#[derive(Parser, Debug)]
#[command(name = "maintext", version, about = ABOUT, long_about = LONG_ABOUT, after_long_help = AFTER_HELP)]
#[command(max_term_width = 110, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
// Parsed once.
#[allow(clippy::large_enum_variant)]
enum Command {
    Extract(Box<extract::ExtractArgs>),
    #[cfg(feature = "chunks")]
    Chunk(Box<chunk::ChunkArgs>),
    #[cfg(feature = "batch")]
    Batch(Box<batch::BatchArgs>),
    #[cfg(feature = "learn")]
    Inspect(inspect::InspectArgs),
    List(list::ListArgs),
    Classify(classify::ClassifyArgs),
    #[cfg(feature = "crawl")]
    Crawl(crawl::CrawlArgs),
    #[cfg(feature = "crawl")]
    Map(map::MapArgs),
    #[cfg(feature = "learn")]
    Train(train::TrainArgs),
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    #[cfg(feature = "serve")]
    Mcp(mcp::McpArgs),
    Completions(generate::CompletionsArgs),
    Man(generate::ManArgs),
}

/// Runs the command with the arguments that follow the program's name, and returns its exit status: 0 for success, 1 if an input
/// failed, 2 for invalid usage.
///
/// Reads and writes the standard streams of the process. Usage that turns out to be invalid after parsing ends the process.
///
/// ```
/// assert_eq!(maintext_cli::run(["classify".into(), "no-such-file.html".into()]), 1);
/// ```
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    guard::install();
    let args: Vec<OsString> = iter::once("maintext".into()).chain(args).collect();
    let unreadable = args.iter().find(|arg| arg.to_str().is_none()).cloned();
    let command = Cli::command();
    #[cfg(feature = "serve")]
    let command = command.mut_subcommand("serve", serve::with_environment);
    let parsed = command.clone().try_get_matches_from(args).and_then(|matches| Cli::from_arg_matches(&matches));
    let status = match parsed.map_err(|error| error.format(&mut command.clone())) {
        Ok(cli) => status(cli.command.run()),
        Err(answer) if answer.kind() == ErrorKind::InvalidUtf8 => {
            let name = unreadable.unwrap_or_default();
            report::usage(&format!("{}: the name is not UTF-8; rename the file, or name its folder", name.display()))
        }
        // Help and version, too.
        Err(mut answer) => {
            advise(&mut answer);
            match answer.print() {
                Err(error) if answer.exit_code() == 0 => crate::status(report::write_failed("standard output", &error)),
                _ => u8::try_from(answer.exit_code()).unwrap_or(USAGE),
            }
        }
    };
    // Python's process ends without flushing Rust's standard output.
    match io::stdout().flush() {
        Err(error) if status == 0 => crate::status(report::write_failed("standard output", &error)),
        _ => status,
    }
}

/// The subcommands that a build may leave out, each with its cargo feature.
const FEATURES: [(&str, &str); 8] = [
    ("chunk", "chunks"),
    ("batch", "batch"),
    ("inspect", "learn"),
    ("train", "learn"),
    ("crawl", "crawl"),
    ("map", "crawl"),
    ("serve", "serve"),
    ("mcp", "serve"),
];

/// Adds advice to an error about usage for which clap has none, or a wrong one.
fn advise(error: &mut clap::Error) {
    if let Some(ContextValue::String(input)) = error.get(ContextKind::InvalidSubcommand) {
        let advice = if let Some((_, feature)) = FEATURES.iter().find(|(subcommand, _)| subcommand == input) {
            format!("this build leaves out '{input}'; install it with --features full, or --features {feature}")
        } else if matches!(CommandInput::new(input), CommandInput::Url(_)) || Path::new(input).is_file() {
            format!("'maintext extract {input}' writes the main text of a page")
        } else {
            return;
        };
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
    }
    // Other extractors call the format so.
    if error.get(ContextKind::InvalidArg) == Some(&ContextValue::String("--output-format".into())) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String("--format".into()));
    }
}

/// Makes each write to standard output fail. For a program whose standard output was closed when it began: a file that is opened later could
/// get its number, or the output be lost without an error.
pub fn refuse_output() {
    #[cfg(unix)]
    if let Ok(socket) = std::os::unix::net::UnixDatagram::unbound() {
        // A socket without a peer takes nothing.
        let _ = rustix::stdio::dup2_stdout(socket);
    }
}

/// The exit status of invalid usage.
const USAGE: u8 = 2;

/// Returns the number of an exit status of a subcommand. [`ExitCode`] does not give it away.
fn status(code: ExitCode) -> u8 {
    (0..=USAGE).find(|&n| code == ExitCode::from(n)).unwrap_or(1)
}

#[cfg(not(feature = "chunks"))]
fn run_extract(args: &extract::ExtractArgs) -> ExitCode {
    extract::run(args)
}

/// Extracts pages, or searches or compares them.
#[cfg(feature = "chunks")]
fn run_extract(args: &extract::ExtractArgs) -> ExitCode {
    extract::check_all(args);
    match (&args.find.find, &args.since) {
        (Some(question), _) => find::run(args, question),
        (None, Some(earlier)) => since::run(args, earlier),
        (None, None) => extract::run(args),
    }
}

impl Command {
    fn run(self) -> ExitCode {
        match self {
            Command::Extract(args) => run_extract(&args),
            #[cfg(feature = "chunks")]
            Command::Chunk(args) => chunk::run(*args),
            #[cfg(feature = "batch")]
            Command::Batch(args) => batch::run(*args),
            #[cfg(feature = "learn")]
            Command::Inspect(args) => inspect::run(&args),
            Command::List(args) => list::run(&args),
            Command::Classify(args) => classify::run(&args),
            #[cfg(feature = "crawl")]
            Command::Crawl(args) => crawl::run(&args),
            #[cfg(feature = "crawl")]
            Command::Map(args) => map::run(&args),
            #[cfg(feature = "learn")]
            Command::Train(args) => train::run(&args),
            #[cfg(feature = "serve")]
            Command::Serve(args) => serve::run(&args),
            #[cfg(feature = "serve")]
            Command::Mcp(args) => mcp::run(&args),
            Command::Completions(args) => generate::completions(&args),
            Command::Man(args) => generate::man(&args),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[cfg(not(feature = "batch"))]
    #[test]
    fn a_subcommand_that_was_left_out_is_named_with_its_feature() {
        let mut error = Cli::command().try_get_matches_from(["maintext", "batch", "-o", "a.jsonl"]).unwrap_err();
        advise(&mut error);
        assert!(error.to_string().contains("this build leaves out 'batch'") && error.exit_code() == 2, "{error}");
    }

    #[test]
    fn an_exit_status_is_a_number() {
        assert_eq!([ExitCode::SUCCESS, ExitCode::FAILURE, ExitCode::from(USAGE)].map(status), [0, 1, 2]);
    }
}
