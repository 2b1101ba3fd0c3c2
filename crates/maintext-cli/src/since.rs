//! `maintext extract --since`: the changes since an earlier reading of a page.
use crate::extract::{ExtractArgs, ExtractJob, WholePage};
use crate::input::{CommandInput, Conditions};
use crate::output::{OutputFormat, OutputStyle};
use crate::rows::{self, Row, RowContent};
use crate::{keep, report};
use maintext_chunks::{Changes, Reading, changes};
use maintext_core::{Budget, Formats, Page};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The values of `--since`.
#[derive(Debug, Default)]
struct Since {
    file: Option<PathBuf>,
    conditions: Conditions,
}

impl Since {
    fn new(values: &[String]) -> Result<Since, String> {
        let mut since = Since::default();
        for value in values {
            if is_entity_tag(value.strip_prefix("W/").unwrap_or(value)) {
                since.conditions.etag = Some(value.clone());
            } else if value.ends_with(" GMT") && value.contains(':') {
                since.conditions.last_modified = Some(value.clone());
            } else if !Path::new(value).is_file() {
                return Err(format!(
                    "{value}: no such file; an ETag is written in its quotes, such as '\"33a64df5\"', and a date as in HTTP, such as \
                    'Fri, 17 May 2024 09:30:00 GMT'"
                ));
            } else if since.file.replace(value.into()).is_some() {
                return Err("give one file at most".into());
            }
        }
        Ok(since)
    }
}

fn is_entity_tag(v: &str) -> bool {
    v.len() > 1 && v.starts_with('"') && v.ends_with('"')
}

/// The answer as JSON.
#[derive(Serialize)]
struct ChangesReport<'a> {
    id: &'a str,
    url: Option<&'a str>,
    title: Option<&'a str>,
    /// For the next request.
    etag: Option<&'a str>,
    last_modified: Option<&'a str>,
    /// Whether the server said that nothing has changed.
    not_modified: bool,
    #[serde(flatten)]
    changes: &'a Changes,
}

/// Writes the changes of the only input.
pub fn run(args: &ExtractArgs, values: &[String]) -> ExitCode {
    let since = Since::new(values).unwrap_or_else(|e| report::usage(&format!("--since: {e}")));
    if since.file.is_some() && !matches!(args.format, OutputFormat::Text | OutputFormat::Markdown | OutputFormat::Json)
    {
        report::usage(&"--since writes changes as -f text, markdown or json");
    }
    let mut job = ExtractJob::new(args);
    let [input] = job.inputs() else { report::usage(&"--since compares one input") };
    let input = input.clone();
    if since.conditions.any() && (!matches!(input, CommandInput::Url(_)) || job.has_browser()) {
        report::usage(&"--since: an ETag or a date needs an address as input, without --render");
    }
    if since.file.is_some() {
        job.set_options(|o| (o.formats, o.metadata) = (Formats { text: true, ..Formats::NONE }, true));
    }
    let files = input.file().into_iter().chain(since.file.as_deref());
    keep::inputs(files, args.output.as_deref());
    if let Some(path) = args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        keep::existing([path], args.overwrite);
    }
    match compared(&mut job, args, &input, &since) {
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
    since: &Since,
) -> Result<String, (String, String)> {
    let id = input.to_string();
    let failed = |message| (id.clone(), message);
    let mut earlier = None;
    if let Some(file) = &since.file {
        let url = match input {
            CommandInput::Url(url) => Some(url.as_str()),
            _ => args.url.as_deref(),
        };
        let read = earlier_reading(job, file, url);
        earlier = Some(read.map_err(|message| (file.display().to_string(), message))?);
    }
    let report = |changes: &Changes, whole: Option<&WholePage>| {
        let metadata = whole.map(|w| &w.page.metadata);
        let report = ChangesReport {
            id: &id,
            url: metadata.and_then(|m| m.url.as_deref()),
            title: metadata.and_then(|m| m.title.as_deref()),
            etag: whole.map_or(since.conditions.etag.as_deref(), |w| w.etag.as_deref()),
            last_modified: whole.map_or(since.conditions.last_modified.as_deref(), |w| w.last_modified.as_deref()),
            not_modified: whole.is_none(),
            changes,
        };
        match args.format {
            OutputFormat::Json if args.compact => serde_json::to_string(&report).unwrap_or_default() + "\n",
            OutputFormat::Json => serde_json::to_string_pretty(&report).unwrap_or_default() + "\n",
            OutputFormat::Markdown => changes.to_markdown(),
            _ => changes.to_text(),
        }
    };
    let Some(mut whole) = job.whole(input, &since.conditions).map_err(failed)? else {
        return Ok(report(&Changes::default(), None));
    };
    whole.page.warnings.iter().for_each(|w| report::warning(&id, &w.message));
    Ok(match earlier {
        Some(earlier) => report(&changes(&earlier, &reading(&whole)), Some(&whole)),
        None => {
            let style = OutputStyle { format: args.format, with_metadata: args.with_metadata, one_line: args.compact };
            for (name, value) in [("ETag", &whole.etag), ("Last-Modified", &whole.last_modified)] {
                value.iter().for_each(|value| report::note(&format!("{name}: {value}")));
            }
            job.written(&id, &mut whole.page, style).map_err(failed)?
        }
    })
}

fn reading(whole: &WholePage) -> Reading {
    Reading::of_page(&whole.page).with_source(&whole.bytes, whole.charset.as_deref(), &Budget::default())
}

/// Reads an earlier page, or an earlier result; of several rows the last one of this address.
fn earlier_reading(job: &mut ExtractJob, file: &Path, url: Option<&str>) -> Result<Reading, String> {
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
            let page: Page = job.page_of(row)?;
            Ok(Reading::of_page(&page).with_source(html.as_bytes(), Some("utf-8"), &Budget::default()))
        }
        _ => Ok(Reading::of_page(&job.page_of(row)?)),
    }
}
