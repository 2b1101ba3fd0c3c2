//! The `maintext` command: flags to calls of the library and of the other crates. No extraction logic lives here.
//!
//! A file a subcommand ([`extract`], [`batch`], [`generate`]); what two of them share has a file of its own.
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

/// What `maintext --help` says before the options.
const ABOUT: &str = "Turns web pages into their main text, with title, author, date, language and images";

const LONG_ABOUT: &str = "\
maintext turns web pages into their main text, with title, author, date, language and images.

It reads a page (an address, a file, standard input, or many pages from a JSONL file), drops menus, advertisements, \
related links and the rest of the furniture, and writes what is left as text, Markdown, HTML, XML (TEI) or JSON.";

const AFTER_HELP: &str = "\
Examples:
  maintext extract https://example.org/article
      The main text of a page on the web.

  maintext extract -f markdown --with-metadata page.html -o page.md
      A saved page as Markdown, with title, author and date as front matter.

  curl -s https://example.org/ | maintext extract --url https://example.org/ -f json
      A page from standard input; links are made absolute against --url.

  maintext extract -f json --output-dir out *.html
      Many pages, a file each.

  maintext batch crawl/*.warc.gz -o texts.parquet
      Millions of pages, on all cores; a run that was killed goes on where it was.

  maintext list https://example.org/news
      The entries of a list page: titles and links, in order.

  maintext crawl https://example.org/news --max-pages 200 -o news.jsonl
      The articles behind a list page and the pages that it goes on at; a run that was killed goes on where it was.

  maintext inspect --method line-blocks --html colours.html page.html
      What a method saw of a page, line by line, and the page with what was kept in green.

  maintext inspect --metadata page.html
      The candidates for title, authors and date, and why one won.

  maintext train markup-ratio --data pages.jsonl.zst --out model.json
      A classifier of lines, trained on labelled pages.

  maintext eval --data pages.jsonl.zst --method line-density --method text-density
      How good methods are on labelled pages.

  maintext serve
      All of it over HTTP, on http://127.0.0.1:8000, with a playground.

  maintext mcp
      The same as tools for agents, over the Model Context Protocol.

  maintext completions bash > ~/.local/share/bash-completion/completions/maintext
      Completions for a shell.

Exit status:
  0  all went well
  1  some input failed; standard error says in one line each which one and why
  2  wrong usage";

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
