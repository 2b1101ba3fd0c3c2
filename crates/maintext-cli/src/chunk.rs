//! `maintext chunk`: writes the passages of pages.
use crate::browser::BrowserArgs;
use crate::content::ContentArgs;
use crate::cut::{ChunkShape, Chunking, CutArgs};
use crate::extract::{self, ExtractArgs};
use crate::fetch::FetchArgs;
use crate::follow::FollowArgs;
use crate::output::OutputFormat;
use crate::report;
use crate::representation::WantedRepresentation;
use clap::ValueEnum;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Each line of the output is a JSON object: the input (\"id\"), the page's address and title, and the chunk with its text, tokens, headings, \
links and positions. docs/chunks.md describes the keys.

Tables, code and formulas are never cut. One that is larger than --size is a chunk of its own with \"oversized\": true, or is cut between \
its rows or lines with --split-large.

Examples:
  maintext chunk https://example.org/guide
  maintext chunk --size 200 --overlap 30 *.html -o chunks.jsonl
  maintext chunk --tokenizer bge/tokenizer.json --size 512 guide.html
  maintext batch crawl.warc.gz --rows chunks --size 300 -o chunks.parquet

Exit status: 0 success, 1 at least one input failed, 2 invalid usage. A failed input does not stop the others.";

/// Cut the main text of pages into passages for retrieval
///
/// Chunks follow the headings and paragraphs of the page and stay within a number of tokens. The inputs are the same as for 'extract'; for
/// many pages in JSONL, WARC or Parquet files, and for Parquet output, see 'maintext batch --rows chunks'.
#[derive(clap::Args, Debug)]
#[command(after_long_help = AFTER_HELP)]
pub struct ChunkArgs {
    /// Addresses (http or https), files, or - for standard input [default: -]
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,

    /// Output format [default: json; text if the output is a terminal]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<ChunkFormat>,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace a file that exists already
    #[arg(long)]
    overwrite: bool,

    /// Address of a page from a file or standard input; its relative links are resolved against it
    #[arg(long, value_name = "URL", value_parser = crate::look::absolute)]
    url: Option<String>,

    #[command(flatten)]
    cut: CutArgs,

    #[command(flatten)]
    content: ContentArgs,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    follow: FollowArgs,

    #[command(flatten)]
    render: BrowserArgs,
}

/// Output format.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum ChunkFormat {
    /// One JSON object per chunk and line
    Json,
    /// The text of each chunk below a line with its number, tokens, kinds and headings
    Text,
}

pub fn run(args: ChunkArgs) -> ExitCode {
    if args.content.schema.is_some() || args.content.things {
        report::usage(&"--schema and --things need 'maintext extract'; chunks do not hold their values");
    }
    let to_file = args.output.as_deref().is_some_and(|path| path.as_os_str() != "-");
    if args.output.as_deref().and_then(|path| path.extension()).is_some_and(|e| e == "parquet") {
        report::usage(&"-o: 'chunk' writes JSON lines or text; for Parquet use 'maintext batch --rows chunks'");
    }
    let on_terminal = !to_file && io::stdout().is_terminal();
    let shape = match args.format {
        Some(ChunkFormat::Text) => ChunkShape::Shown,
        None if on_terminal => ChunkShape::Shown,
        _ => ChunkShape::Lines,
    };
    let settings = args.cut.settings();
    let ChunkArgs { inputs, output, overwrite, url, cut, content, fetch, follow, render, .. } = args;
    let format = if shape == ChunkShape::Shown { OutputFormat::Text } else { OutputFormat::Json };
    let request = ExtractArgs {
        inputs,
        format,
        compact: false,
        output,
        output_dir: None,
        overwrite,
        quiet: false,
        url,
        with_metadata: false,
        chunks: false,
        find: Default::default(),
        since: None,
        cut,
        content,
        fetch,
        // The positions of chunks refer to the HTML.
        representation: WantedRepresentation::Html,
        follow,
        render,
        screenshot: None,
    };
    extract::run_chunked(&request, Some(Chunking { settings, shape }))
}
