//! The arguments of a call.
use crate::answers::words::content_of;
use crate::ask::{AnswerFormat, Ask, Choices, PageJob, is_option};
use crate::compat::fields::whole_number;
use crate::problem::Problem;
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::RangeInclusive;

/// The range of `max_chars`.
pub const MAX_CHARS: RangeInclusive<usize> = 200..=200_000;
/// The default of `max_chars`: the model of most clients sees all of it, and a list and three pages take about 8,000 tokens.
pub const USUAL_CHARS: usize = 6_000;

/// A checked call.
#[derive(Debug)]
pub struct CheckedCall {
    /// Maximum length of the answer.
    pub max_chars: usize,
    /// Where the answer begins.
    pub offset: usize,
    /// Whether the answer is JSON.
    pub json: bool,
    /// How to extract.
    choices: Choices,
    arguments: Arguments,
}

/// The arguments of all tools; the schema of each tool names its own.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Arguments {
    url: Option<String>,
    html: Option<String>,
    max_chars: Option<usize>,
    offset: usize,
    format: Option<AnswerFormat>,
    /// Number of a group of entries, from 1.
    pub group: Option<usize>,
    /// Whether entries have summaries.
    pub summaries: bool,
    /// Maximum number of pages or addresses.
    pub max_pages: Option<u64>,
    /// Patterns of addresses.
    pub include: Vec<String>,
    /// Patterns of addresses.
    pub exclude: Vec<String>,
    /// What the passages answer.
    pub question: Option<String>,
    /// Further pages to search.
    pub urls: Vec<String>,
    /// Maximum number of passages.
    pub limit: Option<usize>,
    before_url: Option<String>,
    before_html: Option<String>,
    before_text: Option<String>,
}

/// The earlier version of a page.
pub enum EarlierSide {
    /// Its text, as an earlier answer gave it.
    Text(String),
    /// The page itself.
    Page(Box<PageJob>),
}

/// Returns the limit of the answer to a call that may be wrong: the usual one if the given one is not possible.
pub fn limit(arguments: &JsonObject) -> usize {
    let given = arguments.get("max_chars").and_then(whole_number).and_then(|n| usize::try_from(n).ok());
    given.filter(|n| MAX_CHARS.contains(n)).unwrap_or(USUAL_CHARS)
}

impl CheckedCall {
    /// Checks the arguments of a call against the schema of its tool.
    ///
    /// # Errors
    /// An argument is unknown or has a wrong value; the message names it.
    pub fn read(tool: &str, schema: &JsonObject, mut given: JsonObject) -> Result<CheckedCall, Problem> {
        // Some agents send null for omitted arguments.
        given.retain(|_, value| !value.is_null());
        for value in given.values_mut() {
            if let Some(number) = whole_number(value) {
                *value = number.into();
            }
        }
        let known = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, value) in &given {
            let Some(property) = known.get(name) else {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                let detail = format!("{tool} has no argument '{name}'; it takes {}", names.join(", "));
                return Err(Problem::bad_request(detail));
            };
            // The schema leaves the range out, which would take tokens in each tool.
            let (least, most) = MAX_CHARS.into_inner();
            match name.as_str() {
                "max_chars" => check(name, value, &json!({"type": "integer", "minimum": least, "maximum": most}))?,
                _ => check(name, value, property)?,
            }
        }
        let mut choices = Choices::default();
        // Addresses cost an agent more than they are worth.
        (choices.options.render.links, choices.options.render.images) = (false, false);
        for (name, value) in given.iter().filter(|(name, _)| is_option(name)) {
            choices.set(name, &value.to_string());
        }
        choices.check()?;
        given.retain(|name, _| !is_option(name));
        let mut arguments: Arguments = serde_json::from_value(given.into())
            .map_err(|e| Problem::bad_request(format!("invalid arguments: {e}")))?;
        let content = arguments.format.filter(|format| *format != AnswerFormat::Json);
        choices.options.formats = content.unwrap_or(AnswerFormat::Markdown).formats();
        choices.reading = matches!(tool, "extract" | "crawl");
        for url in arguments.url.iter_mut().chain(&mut arguments.before_url).chain(&mut arguments.urls) {
            *url = url.trim().to_owned();
            if !url.contains("://") && !url.is_empty() {
                *url = format!("https://{url}");
            }
        }
        let max_chars = arguments.max_chars.unwrap_or(USUAL_CHARS);
        let json = arguments.format == Some(AnswerFormat::Json);
        Ok(CheckedCall { max_chars, offset: arguments.offset, json, choices, arguments })
    }

    /// Returns the job that loads the page, and the arguments of the tool.
    ///
    /// # Errors
    /// There is neither an address nor a page.
    pub fn job(mut self) -> Result<(PageJob, Arguments), Problem> {
        let (url, html) = (self.arguments.url.take(), self.arguments.html.take());
        if url.is_none() && html.is_none() {
            return Err(Problem::bad_request("expected url, or the page itself in html"));
        }
        let job = Ask { url, html, options: self.choices, ..Ask::default() }.job()?;
        Ok((job, self.arguments))
    }

    /// Returns the jobs that load the pages to search, each with its name, and the arguments of the tool.
    ///
    /// # Errors
    /// There is neither an address nor a page, or there are too many.
    pub fn jobs(mut self) -> Result<(Vec<(String, PageJob)>, Arguments), Problem> {
        let (url, html) = (self.arguments.url.take(), self.arguments.html.take());
        let urls = std::mem::take(&mut self.arguments.urls);
        let choices = crate::find::content_only(&self.choices);
        let first = (url.is_some() || html.is_some()).then_some((url, html));
        let all: Vec<_> = first.into_iter().chain(urls.into_iter().map(|url| (Some(url), None))).collect();
        if all.is_empty() {
            return Err(Problem::bad_request("expected url or urls, or the page itself in html"));
        }
        if all.len() > crate::find::MAX_PAGES {
            return Err(Problem::bad_request(format!("urls: at most {} pages are searched", crate::find::MAX_PAGES)));
        }
        let jobs = all.into_iter().map(|(url, html)| {
            let name = url.clone().unwrap_or_else(|| "html".into());
            Ok((name, Ask { url, html, options: choices.clone(), ..Ask::default() }.job()?))
        });
        Ok((jobs.collect::<Result<_, Problem>>()?, self.arguments))
    }

    /// Returns the two versions of a page to compare, the earlier one first.
    ///
    /// # Errors
    /// One of them is missing, or the earlier one is given twice.
    pub fn sides(mut self) -> Result<(EarlierSide, PageJob), Problem> {
        let Arguments { before_url, before_html, before_text, .. } = &mut self.arguments;
        let (url, html, text) = (before_url.take(), before_html.take(), before_text.take());
        let options = self.choices.with(|o| (o.formats, o.metadata) = (AnswerFormat::Text.formats(), true));
        let before = match (text, url, html) {
            (Some(text), None, None) if is_cut(&text) => {
                let advice = "before_text is only a part of the earlier answer, which ends with next_offset; join all parts, or give before_url or \
                              before_html";
                return Err(Problem::bad_request(advice));
            }
            (Some(text), None, None) => EarlierSide::Text(content_of(&text).to_owned()),
            (None, url, html) if url.is_some() || html.is_some() => {
                EarlierSide::Page(Box::new(Ask { url, html, options: options.clone(), ..Ask::default() }.job()?))
            }
            (None, ..) => return Err(Problem::bad_request("expected before_url, before_html or before_text")),
            (Some(_), ..) => return Err(Problem::bad_request("before_text: give the earlier version once")),
        };
        self.choices = options;
        Ok((before, self.job()?.0))
    }

    /// Returns the address and the arguments of a tool for whole sites.
    ///
    /// # Errors
    /// The address is missing.
    pub fn site(mut self) -> Result<(String, Choices, Arguments), Problem> {
        let Some(url) = self.arguments.url.take() else {
            return Err(Problem::bad_request("expected url, the address of the site or of a part of it"));
        };
        // Before the first request.
        let options = &self.choices.options;
        options.parameters.choose(&options.method).map_err(|e| Problem::bad_request(e.to_string()))?;
        Ok((url, self.choices, self.arguments))
    }
}

/// Whether a text is an answer that names the offset at which the next one continues.
fn is_cut(text: &str) -> bool {
    text.trim_end().rsplit_once('\n').is_some_and(|(_, last)| last.starts_with("[next_offset: ") && last.ends_with(']'))
}

/// Checks a value against its property in the schema.
fn check(name: &str, value: &Value, property: &Value) -> Result<(), Problem> {
    let (is_right, expected) = match (property["type"].as_str(), property["enum"].as_array()) {
        (_, Some(names)) => {
            let shown: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            (names.contains(value), format!("one of {}", shown.join(", ")))
        }
        (Some("integer"), _) => {
            let (least, most) = (property["minimum"].as_u64().unwrap_or(0), property["maximum"].as_u64());
            let end = most.map_or("up".into(), |most| format!("to {most}"));
            let is_right = value.as_u64().is_some_and(|n| n >= least && most.is_none_or(|most| n <= most));
            (is_right, format!("a number from {least} {end}"))
        }
        (Some("boolean"), _) => (value.is_boolean(), "true or false".into()),
        (Some("array"), _) => {
            (value.as_array().is_some_and(|all| all.iter().all(Value::is_string)), "an array of strings".into())
        }
        _ => (value.is_string(), "a string".into()),
    };
    if is_right {
        return Ok(());
    }
    let value: String = value.to_string().chars().take(80).collect();
    Err(Problem::bad_request(format!("{name} must be {expected}, not {value}")))
}
