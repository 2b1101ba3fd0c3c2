//! `maintext extract --since`: the changes since an earlier reading of a page.
use crate::extract::{ExtractArgs, ExtractJob, WholePage, ask_for_metadata};
use crate::input::CommandInput;
use crate::output::OutputFormat;
use crate::rows::{self, Row, RowContent};
use crate::{keep, report};
use maintext_chunks::{Changes, Reading, changes};
use maintext_core::{Budget, Formats};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// The answer as JSON.
#[derive(Serialize)]
struct ChangesReport<'a> {
    id: &'a str,
    url: Option<&'a str>,
    title: Option<&'a str>,
    #[serde(flatten)]
    changes: &'a Changes,
}

/// Writes the changes of the only input since an earlier reading.
pub fn run(args: &ExtractArgs, earlier: &Path) -> ExitCode {
    if !earlier.is_file() {
        report::usage(&format!("--since: {}: no such file", earlier.display()));
    }
    if !matches!(args.format, OutputFormat::Text | OutputFormat::Markdown | OutputFormat::Json) {
        report::usage(&"--since writes changes as -f text, markdown or json");
    }
    let mut job = ExtractJob::new(args);
    let [input] = job.inputs() else { report::usage(&"--since compares one input") };
    let input = input.clone();
    job.set_options(|options| ask_for_metadata(options, Formats { text: true, ..Formats::NONE }));
    keep::inputs(input.file().into_iter().chain([earlier]), args.output.as_deref());
    if let Some(path) = args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        keep::existing([path], args.overwrite);
    }
    match compared(&mut job, args, &input, earlier) {
        Ok(out) => crate::extract::write_one(args, &out),
        Err((name, message)) => {
            report::failed(&name, &message);
            ExitCode::FAILURE
        }
    }
}

/// Returns the output, or the name of the input that failed and the reason.
fn compared(
    job: &mut ExtractJob,
    args: &ExtractArgs,
    input: &CommandInput,
    file: &Path,
) -> Result<String, (String, String)> {
    let id = input.to_string();
    let url = match input {
        CommandInput::Url(url) => Some(url.as_str()),
        _ => args.url.as_deref(),
    };
    let earlier = earlier_reading(job, file, url).map_err(|message| (file.display().to_string(), message))?;
    let whole = job.whole(input).map_err(|message| (id.clone(), message))?;
    whole.page.warnings.iter().for_each(|w| report::warning(&id, &w.message));
    let changes = &changes(&earlier, &reading(&whole));
    let metadata = &whole.page.metadata;
    let report = ChangesReport { id: &id, url: metadata.url.as_deref(), title: metadata.title.as_deref(), changes };
    Ok(match args.format {
        OutputFormat::Json if args.compact => serde_json::to_string(&report).unwrap_or_default() + "\n",
        OutputFormat::Json => serde_json::to_string_pretty(&report).unwrap_or_default() + "\n",
        OutputFormat::Markdown => changes.to_markdown(),
        _ => changes.to_text(),
    })
}

fn reading(whole: &WholePage) -> Reading {
    Reading::of_page(&whole.page).with_source(&whole.bytes, whole.charset.as_deref(), &Budget::default())
}

/// Reads an earlier page, or an earlier result; of several rows the last one of this address.
fn earlier_reading(job: &mut ExtractJob, file: &Path, url: Option<&str>) -> Result<Reading, String> {
    // A text that was written by line: as a document, lines without a gap between them are one paragraph.
    if file.extension().is_some_and(|end| end.eq_ignore_ascii_case("txt")) {
        let source = CommandInput::File(file.to_owned()).read(None, job.max_size())?;
        return Ok(Reading::of_text(&String::from_utf8_lossy(&source.bytes), ""));
    }
    if !rows::is_rows(file) {
        let whole = job.whole_of_file(file, url)?;
        return Ok(reading(&whole));
    }
    let (mut last, mut number) = (None, 0);
    let mut wrong = None;
    rows::each(file, job.max_size(), &mut |row| match row {
        Ok(row) => {
            number += 1;
            let is_own = url.is_none_or(|url| [&row.url, &row.id].into_iter().flatten().any(|own| own == url));
            if row.error.as_ref().is_none_or(serde_json::Value::is_null) && (is_own || last.is_none()) {
                last = Some((is_own, row));
            }
        }
        Err(message) => wrong = wrong.take().or(Some(message)),
    })?;
    match last {
        Some((is_own, row)) if number == 1 || is_own && url.is_some() => reading_of_row(job, &row),
        Some(_) if url.is_none() => Err(format!("holds {number} pages; name the address of the page with --url")),
        Some(_) => Err("holds no page of this address".into()),
        None => Err(wrong.unwrap_or_else(|| "holds no page".into())),
    }
}

fn reading_of_row(job: &mut ExtractJob, row: &Row) -> Result<Reading, String> {
    let language = row.language.as_deref().unwrap_or("");
    match (&row.text, row.content()) {
        (Some(text), _) => Ok(Reading::of_text(text, language).with_title(row.title.as_deref())),
        (None, Some(RowContent::Page(html))) => {
            let page = job.page_of(row)?;
            Ok(Reading::of_page(&page).with_source(html.as_bytes(), Some("utf-8"), &Budget::default()))
        }
        _ => Ok(Reading::of_page(&job.page_of(row)?)),
    }
}
