//! `maintext extract --find`: the passages of pages that answer a question.
use crate::embedder;
use crate::extract::{ExtractArgs, Job, write_one};
use crate::input::Input;
use crate::output::Format;
use crate::rows::{self, Row};
use crate::{keep, report};
use maintext_chunks::{Answer, Finder, Passage, Settings};
use maintext_core::Formats;
use std::fmt::Write as _;
use std::process::ExitCode;

#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Find")]
pub struct FindArgs {
    /// Write only the passages that answer a question, best first, with headings, score and a link that opens the page at the passage
    ///
    /// All inputs are searched together. Besides pages, inputs may be the results of 'extract -f json', 'batch' and 'crawl': files named
    /// .json, .jsonl, .jsonl.gz, .jsonl.zst and .parquet. The passages are the chunks of 'maintext chunk', and its flags, such as --size,
    /// change them. Output is text, Markdown or JSON.
    #[arg(long, value_name = "QUESTION", conflicts_with_all = ["output_dir", "schema", "chunks", "with_metadata"])]
    pub find: Option<String>,

    /// Maximum number of passages
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = at_least_one)]
    find_limit: usize,

    /// Maximum number of tokens of all passages together, as --tokenizer counts them [default: any]
    ///
    /// Passages that do not fit are left out. Only if the first one does not fit, its end is cut.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    find_tokens: Option<usize>,

    /// Rank by an embedder, too: a command, or an http(s) address of the form of OpenAI's /v1/embeddings
    ///
    /// The command gets a JSON string per line and answers with an array of numbers per line. The question is the first text. The ranks of both
    /// are joined by reciprocal rank fusion. An address gets the key in $MAINTEXT_EMBEDDER_KEY, if there is one.
    #[arg(long, value_name = "COMMAND|URL")]
    embedder: Option<String>,

    /// Name of the model at the address of --embedder
    #[arg(long, value_name = "NAME")]
    embedder_model: Option<String>,
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|n| *n > 0).ok_or("expected a number from 1 up")
}

impl FindArgs {
    /// Returns a flag that was given and that has no effect without a question.
    pub fn given(&self) -> Option<&'static str> {
        let default = 5;
        [
            ("--find-limit", self.find_limit != default),
            ("--find-tokens", self.find_tokens.is_some()),
            ("--embedder", self.embedder.is_some()),
            ("--embedder-model", self.embedder_model.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }

    fn check(&self, question: &str) -> Finder {
        if self.embedder_model.is_some() && !self.embedder.as_deref().is_some_and(embedder::is_address) {
            report::usage(&"--embedder-model needs the address of an embedder in --embedder");
        }
        Finder::new(question).unwrap_or_else(|e| report::usage(&format!("--find: {e}")))
    }
}

/// The flags of `extract` without a search.
impl Default for FindArgs {
    fn default() -> Self {
        FindArgs { find: None, find_limit: 5, find_tokens: None, embedder: None, embedder_model: None }
    }
}

/// Searches the inputs for a question.
pub fn run(args: &ExtractArgs, question: &str) -> ExitCode {
    if !matches!(args.format, Format::Text | Format::Markdown | Format::Json) {
        report::usage(&"--find writes -f text, markdown or json");
    }
    let mut finder = args.find.check(question);
    let settings = args.cut.settings();
    let mut job = Job::new(args);
    job.set_options(|options| {
        options.pieces = Some(settings.form);
        (options.formats, options.metadata) = (Formats::NONE, true);
    });
    keep::inputs(job.inputs().iter().filter_map(Input::file), args.output.as_deref());
    if let Some(path) = args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        keep::existing([path], args.overwrite);
    }
    let mut failed = false;
    for input in job.inputs().to_vec() {
        failed |= !add(&mut finder, &mut job, &input, args, &settings);
    }
    let answer = match answer(&finder, &args.find, &settings) {
        Ok(answer) => answer,
        Err(message) => {
            report::note(&message);
            return ExitCode::FAILURE;
        }
    };
    if answer.pages > 0 && answer.passages.is_empty() {
        report::note(&"no passage holds a word of the question");
    }
    let status = write(&answer, args);
    if failed && status == ExitCode::SUCCESS { ExitCode::FAILURE } else { status }
}

/// Adds the pages of an input. Returns whether all could be read.
fn add(finder: &mut Finder, job: &mut Job, input: &Input, args: &ExtractArgs, settings: &Settings) -> bool {
    let mut good = true;
    let mut failed = |name: &str, message: &str| {
        report::failed(name, &message);
        good = false;
    };
    if let Some(path) = input.file().filter(|path| rows::is_rows(path)) {
        let read = rows::each(path, args.fetch.max_size, &mut |row: Result<Row, String>| match row {
            Ok(row) => {
                let id = row.id.clone().unwrap_or_else(|| input.to_string());
                match job.page_of(&row) {
                    Ok(page) => finder.add(&id, row.url.as_deref(), &page, settings),
                    Err(message) => failed(&id, &message),
                }
            }
            Err(message) => failed(&input.to_string(), &message),
        });
        read.unwrap_or_else(|message| failed(&input.to_string(), &message));
        return good;
    }
    match job.pages(input) {
        Ok(parts) => {
            let own = match input {
                Input::Url(url) if !args.follow.any() && parts.len() == 1 => Some(url.as_str()),
                _ => args.url.as_deref().filter(|_| parts.len() == 1),
            };
            for part in parts {
                match part.page {
                    Ok(page) => {
                        page.warnings.iter().for_each(|w| report::warning(&part.name, &w.message));
                        finder.add(&part.name, own, &page, settings);
                    }
                    Err(message) => failed(&part.name, &message),
                }
            }
        }
        Err(message) => failed(&input.to_string(), &message),
    }
    good
}

fn answer(finder: &Finder, args: &FindArgs, settings: &Settings) -> Result<Answer, String> {
    let mut ranking = finder.ranking();
    if let Some(embedder) = &args.embedder {
        let texts: Vec<String> = finder.texts().collect();
        let model = args.embedder_model.as_deref();
        let own = embedder::ranking(embedder, model, finder.question(), &texts);
        let own = own.map_err(|e| format!("--embedder {embedder}: {e}"))?;
        ranking = Finder::fused(&[ranking, own]);
    }
    let budget = args.find_tokens.map(|most| (most, &settings.tokenizer));
    Ok(finder.answer(&ranking, args.find_limit, budget))
}

fn write(answer: &Answer, args: &ExtractArgs) -> ExitCode {
    let out = match args.format {
        Format::Markdown => answer.passages.iter().map(markdown).collect::<Vec<_>>().join("\n"),
        Format::Json => match args.compact {
            true => serde_json::to_string(answer).unwrap_or_default() + "\n",
            false => serde_json::to_string_pretty(answer).unwrap_or_default() + "\n",
        },
        _ => answer.passages.iter().map(text).collect::<Vec<_>>().join("\n"),
    };
    write_one(args, &out)
}

/// Returns the place of a passage in words.
fn place(passage: &Passage) -> String {
    let title = passage.title.iter().filter(|t| passage.headings.first() != Some(*t));
    let path = title.chain(&passage.headings).map(String::as_str).collect::<Vec<_>>().join(" > ");
    if path.is_empty() { passage.id.clone() } else { path.replace('\n', " ") }
}

/// Returns a passage for readers.
fn text(passage: &Passage) -> String {
    let Passage { rank, score, tokens, text, .. } = passage;
    let cut = if passage.cut { ", cut" } else { "" };
    let mut out = format!("{rank}. {} (score {score:.2}, {tokens} tokens{cut})\n", place(passage));
    let _ = writeln!(out, "   {}", passage.link.as_deref().unwrap_or(&passage.id));
    out + text + "\n"
}

/// Returns a passage as Markdown.
fn markdown(passage: &Passage) -> String {
    let place = place(passage).replace(['[', ']', '\\', '<'], " ");
    let heading = passage.link.as_deref().map_or_else(|| place.clone(), |link| format!("[{place}]({link})"));
    format!("**{}. {heading}**\n\n{}\n", passage.rank, passage.text)
}
