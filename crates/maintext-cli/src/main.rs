//! The `maintext` command: parses flags and calls the library crates. No extraction logic lives here.
//!
//! Each subcommand has one file ([`extract`], [`batch`], [`generate`]); code shared by several subcommands has its own file.
#![forbid(unsafe_code)]

mod batch;
mod classify;
mod content;
mod crawl;
mod eval;
mod eval_fields;
mod eval_lists;
mod extract;
mod fetch;
mod generate;
mod input;
mod inspect;
mod inspect_metadata;
mod list;
mod look;
mod mcp;
mod method;
mod output;
mod rendering;
mod report;
mod rules;
mod serve;
mod train;

use clap::{Parser, Subcommand};
use maintext_util::guard;
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

  maintext batch crawl/*.warc.gz -o texts.parquet
      Millions of pages, on all cores; an interrupted run resumes where it stopped.

  maintext list https://example.org/news
      The entries of a list page: titles and links, in page order.

  maintext crawl https://example.org/news --max-pages 200 -o news.jsonl
      The articles that a list page and its following pages link to; an interrupted run resumes where it stopped.

  maintext inspect --method line-blocks --html colours.html page.html
      The lines of a page with a method's scores and decisions, and a copy of the page with kept blocks in green.

  maintext inspect --metadata page.html
      The candidates for title, authors and date, and the reasons for the choice.

  maintext train markup-ratio --data pages.jsonl.zst --out model.json
      A line classifier, trained on labelled pages.

  maintext eval --data pages.jsonl.zst --method line-density --method text-density
      The accuracy of two methods, measured on labelled pages.

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
enum Command {
    Extract(extract::ExtractArgs),
    Batch(batch::BatchArgs),
    Inspect(inspect::InspectArgs),
    List(list::ListArgs),
    Classify(classify::ClassifyArgs),
    Crawl(crawl::CrawlArgs),
    Eval(eval::EvalArgs),
    Train(train::TrainArgs),
    Serve(serve::ServeArgs),
    Mcp(mcp::McpArgs),
    Completions(generate::CompletionsArgs),
    Man(generate::ManArgs),
}

fn main() -> ExitCode {
    guard::install();
    match Cli::parse().command {
        Command::Extract(args) => extract::run(args),
        Command::Batch(args) => batch::run(args),
        Command::Inspect(args) => inspect::run(&args),
        Command::List(args) => list::run(&args),
        Command::Classify(args) => classify::run(&args),
        Command::Crawl(args) => crawl::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Completions(args) => generate::completions(&args),
        Command::Man(args) => generate::man(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
