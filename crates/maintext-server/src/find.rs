//! `POST /v1/find` and `POST /v1/changes`: the passages of pages that answer a question, and the changes between two readings of a page.
use crate::accept;
use crate::api::{FORMS, json_response, receive, text_response};
use crate::app::{App, PageOrigin};
use crate::ask::{AnswerFormat, Ask, Choices, PageJob, bad_options, from_json};
use crate::problem::Problem;
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::future::join_all;
use maintext_chunks::{Answer, Changes, Finder, PieceForm, Reading, Settings, Tokenizer, changes, words_of};
use maintext_core::Formats;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// Maximum number of pages of a search.
pub const MAX_PAGES: usize = 50;
/// Default of the number of passages.
pub const LIMIT: usize = 5;
/// Range of the words of a passage, and the default, the same as for chunks.
const SIZES: std::ops::RangeInclusive<usize> = 10..=5000;
pub const SIZE: usize = 350;

/// The body of `POST /v1/find`: a question, and a page as for `/v1/extract` or several `pages`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    question: String,
    url: Option<String>,
    html: Option<String>,
    html_base64: Option<String>,
    charset: Option<String>,
    options: Option<Choices>,
    #[serde(default)]
    pages: Vec<Ask>,
    limit: Option<usize>,
    tokens: Option<usize>,
    size: Option<usize>,
}

/// A search with its settings.
#[derive(Debug)]
pub struct PassageSearch {
    /// Reads the question.
    pub finder: Finder,
    /// The pages with the names that the answer has for them.
    pub pages: Vec<(String, PageJob)>,
    /// Maximum number of passages.
    pub limit: usize,
    /// Maximum number of words of all passages.
    pub tokens: Option<usize>,
    /// Maximum number of words of a passage.
    pub size: usize,
}

/// A page that could not be read.
pub type Failure = (String, Problem);

/// `POST /v1/find`.
pub async fn find(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let received = receive(&app, request.into_body()).await?;
    let asked: Question = from_json(&received.bytes)?;
    drop(received.bytes);
    let (answer, failures) = search(&app, read(asked)?).await?;
    drop(received.memory);
    Ok(json_response(&FindAnswer {
        answer: &answer,
        errors: failures.iter().map(|f| json!({"id": f.0, "error": f.1.to_json()})).collect(),
    }))
}

/// The answer of `/v1/find`.
#[derive(Serialize)]
struct FindAnswer<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    errors: Vec<Value>,
}

fn read(asked: Question) -> Result<PassageSearch, Problem> {
    let Question { question, url, html, html_base64, charset, options, pages, limit, tokens, size } = asked;
    let finder = Finder::new(&question).map_err(|e| Problem::bad_request(format!("'question': {e}")))?;
    let is_single = url.is_some() || html.is_some() || html_base64.is_some();
    if is_single && !pages.is_empty() {
        return Err(Problem::bad_request("send one page, or 'pages', not both"));
    }
    if charset.is_some() && !is_single {
        return Err(bad_options("'charset' belongs to the page in 'html_base64'"));
    }
    if pages.len() > MAX_PAGES {
        return Err(Problem::bad_request(format!("'pages' holds {} pages; the limit is {MAX_PAGES}", pages.len())));
    }
    let size = size.unwrap_or(SIZE);
    if !SIZES.contains(&size) {
        let (least, most) = (SIZES.start(), SIZES.end());
        return Err(bad_options(format!("'size' must be from {least} to {most}, not {size}")));
    }
    if let Some((name, _)) = [("limit", limit), ("tokens", tokens)].into_iter().find(|given| given.1 == Some(0)) {
        return Err(bad_options(format!("'{name}' must be at least 1")));
    }
    let asks = if pages.is_empty() { vec![Ask { url, html, html_base64, charset, ..Ask::default() }] } else { pages };
    let mut jobs = Vec::with_capacity(asks.len());
    for (n, mut ask) in asks.into_iter().enumerate() {
        let id = ask.id.take().map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        let name = id.or_else(|| ask.url.clone()).unwrap_or_else(|| format!("page {}", n + 1));
        if let Some(shared) = &options {
            ask.options = shared.clone();
        }
        let mut job = ask.job()?;
        job.choices.check_for("/v1/find")?;
        job.choices = content_only(&job.choices);
        jobs.push((name, job));
    }
    Ok(PassageSearch { finder, pages: jobs, limit: limit.unwrap_or(LIMIT), tokens, size })
}

/// Returns the choices for a page if only its pieces are used.
pub fn content_only(choices: &Choices) -> Choices {
    choices.with(|o| (o.formats, o.metadata, o.pieces) = (Formats::NONE, true, Some(PieceForm::Markdown)))
}

/// Reads the pages and searches them. A page that fails is not searched; if it is the only one, its problem is returned.
///
/// # Errors
/// See above, and if the service is at capacity.
pub async fn search(app: &Arc<App>, search: PassageSearch) -> Result<(Answer, Vec<Failure>), Problem> {
    let PassageSearch { mut finder, pages, limit, tokens, size } = search;
    let is_single = pages.len() == 1;
    let read = pages.into_iter().map(|(name, job)| async move {
        let page =
            app.on_page_patiently(job, |app, choices, source| Ok((app.extract(choices, source)?, source.url.clone())));
        (name, page.await)
    });
    let (mut read_pages, mut failures, mut weight) = (Vec::new(), Vec::new(), 0);
    for (name, page) in join_all(read).await {
        match page {
            Ok((page, url)) => {
                weight += 4 * page.markdown.as_ref().map_or(0, String::len);
                read_pages.push((name, page, url));
            }
            Err(problem) if is_single => return Err(problem),
            Err(problem) => failures.push((name, problem)),
        }
    }
    let answer = app.on_worker(weight, move |_| {
        let words = Tokenizer::named("words").map_err(|_| Problem::internal())?;
        let settings = Settings::new(words.clone(), size);
        for (name, page, url) in read_pages {
            finder.add(&name, url.as_deref(), &page, &settings);
        }
        Ok::<_, Problem>(finder.answer(&finder.ranking(), limit, tokens.map(|most| (most, &words))))
    });
    Ok((answer.await??, failures))
}

/// The body of `POST /v1/changes`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    before: Side,
    after: Side,
    #[serde(default)]
    options: Choices,
}

/// A reading: a page as for `/v1/extract`, or the `result` of an earlier extraction.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Side {
    result: Option<Earlier>,
    url: Option<String>,
    html: Option<String>,
    html_base64: Option<String>,
    charset: Option<String>,
}

/// The keys of an earlier result that are compared; it may have others.
#[derive(Deserialize)]
struct Earlier {
    text: String,
    title: Option<String>,
    language: Option<String>,
}

/// The answer of `/v1/changes`.
#[derive(Serialize)]
struct Compared<'a> {
    #[serde(flatten)]
    origin: PageOrigin,
    #[serde(flatten)]
    changes: &'a Changes,
}

/// `POST /v1/changes`: JSON, or text or Markdown if `Accept` names it.
pub async fn compare(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    // The forms without HTML, which changes do not have.
    let form = accept::best(request.headers(), &FORMS[..3])?;
    let received = receive(&app, request.into_body()).await?;
    let Pair { before, after, options } = from_json(&received.bytes)?;
    drop(received.bytes);
    let (before, _) = side(&app, before, options.clone(), "before").await?;
    let (after, origin) = side(&app, after, options, "after").await?;
    let weight = 8 * (before.size() + after.size());
    let found = app.on_worker(weight, move |_| changes(&before, &after)).await?;
    drop(received.memory);
    Ok(accept::varies(match form {
        AnswerFormat::Json => json_response(&Compared { origin, changes: &found }),
        AnswerFormat::Markdown => text_response("text/markdown; charset=utf-8", Some(found.to_markdown())),
        AnswerFormat::Text | AnswerFormat::Html => text_response("text/plain; charset=utf-8", Some(found.to_text())),
    }))
}

/// Reads one side of a comparison.
async fn side(app: &Arc<App>, side: Side, options: Choices, name: &str) -> Result<(Reading, PageOrigin), Problem> {
    let Side { result, url, html, html_base64, charset } = side;
    if let Some(Earlier { text, title, language }) = result {
        if url.is_some() || html.is_some() || html_base64.is_some() {
            return Err(Problem::bad_request(format!("'{name}': send either 'result' or a page, not both")));
        }
        let reading = Reading::of_text(&text, language.as_deref().unwrap_or("")).with_title(title.as_deref());
        return Ok((reading, PageOrigin::default()));
    }
    let ask = Ask { url, html, html_base64, charset, options, ..Ask::default() };
    let mut job = ask.job().map_err(|problem| named(name, problem))?;
    job.choices.check_for("/v1/changes")?;
    job.choices = job.choices.with(|o| (o.formats, o.metadata) = (AnswerFormat::Text.formats(), true));
    reading(app, job).await.map_err(|problem| named(name, problem))
}

fn named(name: &str, problem: Problem) -> Problem {
    Problem { detail: format!("'{name}': {}", problem.detail), ..problem }
}

/// Reads a page for a comparison. The job must ask for text.
///
/// # Errors
/// The page cannot be loaded or read.
pub async fn reading(app: &Arc<App>, job: PageJob) -> Result<(Reading, PageOrigin), Problem> {
    let read = app.on_page_patiently(job, |app, choices, source| {
        let (page, words) = app.extract_seen(choices, source, |analysis| words_of(&analysis.blocks))?;
        Ok((Reading::of_page(&page).with_words(words), source.origin()))
    });
    read.await
}
