//! `maintext extract --find`: the passages of pages that answer a question.
use crate::extract::{ExtractArgs, ExtractJob, ask_for_metadata, write_one};
use crate::find_args::FindArgs;
use crate::input::CommandInput;
use crate::output::OutputFormat;
use crate::rows::{self, Row};
use crate::{keep, report};
use maintext_chunks::{Answer, Finder, Passage, Settings};
use maintext_core::Formats;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Searches the inputs for a question.
pub fn run(args: &ExtractArgs, question: &str) -> ExitCode {
    if !matches!(args.format, OutputFormat::Text | OutputFormat::Markdown | OutputFormat::Json) {
        report::usage(&"--find writes -f text, markdown or json");
    }
    let mut finder = FindArgs::check(question);
    let settings = args.cut.settings();
    let mut job = ExtractJob::new(args);
    job.set_options(|options| {
        options.pieces = Some(settings.form);
        ask_for_metadata(options, Formats::NONE);
    });
    keep::inputs(job.inputs().iter().filter_map(CommandInput::file), args.output.as_deref());
    if let Some(path) = args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        keep::existing([path], args.overwrite);
    }
    let mut failed = false;
    for input in job.inputs().to_vec() {
        failed |= !add(&mut finder, &mut job, &input, args, &settings);
    }
    let answer = answer(&finder, &args.find, &settings);
    if answer.pages > 0 && answer.passages.is_empty() {
        report::note(&"no passage holds a word of the question");
    }
    let status = write(&answer, args);
    if failed && status == ExitCode::SUCCESS { ExitCode::FAILURE } else { status }
}

/// Adds the pages of an input. Returns whether all could be read.
fn add(
    finder: &mut Finder,
    job: &mut ExtractJob,
    input: &CommandInput,
    args: &ExtractArgs,
    settings: &Settings,
) -> bool {
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
                _ if parts.len() != 1 => None,
                CommandInput::Url(url) if !args.follow.any() => Some(url.as_str()),
                _ => args.url.as_deref(),
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

fn answer(finder: &Finder, args: &FindArgs, settings: &Settings) -> Answer {
    let budget = args.find_tokens.map(|most| (most, &settings.tokenizer));
    finder.answer(&finder.ranking(), args.find_limit, budget)
}

fn write(answer: &Answer, args: &ExtractArgs) -> ExitCode {
    let out = match args.format {
        OutputFormat::Markdown => answer.passages.iter().map(markdown).collect::<Vec<_>>().join("\n"),
        OutputFormat::Json => {
            if args.compact {
                serde_json::to_string(answer).unwrap_or_default() + "\n"
            } else {
                serde_json::to_string_pretty(answer).unwrap_or_default() + "\n"
            }
        }
        _ => answer.passages.iter().map(text).collect::<Vec<_>>().join("\n"),
    };
    write_one(args, &out)
}

/// Describes the position of a passage in words.
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
