//! `POST /v1/inspect` and `POST /v1/explain`: the decisions on a page and their reasons.
use crate::api::{PageAnswer, json_response, receive_json};
use crate::app::{App, Source, site_of};
use crate::ask::{Choices, PageJob};
use crate::cost;
use crate::pages::KeptPage;
use crate::problem::Problem;
use crate::trace;
use crate::view::view;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use maintext_core::Analysis;
use maintext_core::Choice;
use maintext_core::blocks::Blocks;
use maintext_core::metadata;
use maintext_core::method::{Favor, NAMES, View};
use maintext_core::model::Stage;
use maintext_core::model::roles::{Role, Shares};
use maintext_learn::inspect::{Table, roles_of};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;
use url::Url;

/// Maximum number of blocks in a response. If a page has more, `cut` is set.
const MAX_BLOCKS: usize = 20_000;
/// Maximum number of rows of a method's table in a response.
const MAX_ROWS: usize = 20_000;

/// `POST /v1/inspect`: returns the result, the blocks, the decisions of each method, the metadata candidates, and a view of the page.
pub async fn inspect(State(app): State<Arc<App>>, job: PageJob) -> Result<Response, Problem> {
    job.choices.check_for("/v1/inspect")?;
    Ok(json_response(&app.on_page_as(cost::INSPECT, job, inspected).await?))
}

fn inspected(app: &App, choices: &Choices, source: &Source) -> Result<Value, Problem> {
    let formats = Choices::default().options.formats;
    let choices = choices.with(|o| (o.formats, o.metadata, o.page_type) = (formats, true, true));
    let url = source.url.as_deref().and_then(|u| Url::parse(u).ok());
    let see = |analysis: &Analysis<'_>| {
        let start = Instant::now();
        // Some methods read the text itself, to which the bounds of the tree do not apply.
        let html = &analysis.source[..analysis.source.floor_char_boundary(choices.options.budget.bytes)];
        let seen = View { source: html, ..analysis.view(url.as_ref()) };
        let settings = metadata::Settings { base: url.as_ref(), ..Default::default() };
        let roles = roles_of(&seen, &choices.options.method, &analysis.choice);
        let answer = json!({
            "url": source.url, "bytes": html.len(), "blocks": block_list(&seen, &analysis.choice, &roles),
            "cut": analysis.blocks.len() > MAX_BLOCKS, "groups": app.lists.page(&seen).groups, "methods": methods(&seen)?,
            "candidates": metadata::candidates(&seen, &analysis.choice, &settings), "view": view(&analysis.dom, &analysis.blocks),
            "site": site_of(source.url.as_deref()), "taught": app.taught(source.url.as_deref()).is_some(),
        });
        Ok::<_, Problem>((answer, html.to_owned(), start.elapsed()))
    };
    let start = Instant::now();
    let (page, seen) = app.extract_seen(&choices, source, see)?;
    let (mut answer, html, looking) = seen?;
    answer["milliseconds"] = json!((start.elapsed() - looking).as_secs_f64() * 1e3);
    answer["page"] = json!(PageAnswer { origin: source.origin(), page: &page });
    let kept = KeptPage { html, url: source.url.clone(), holder: trace::client().holder().to_owned() };
    answer["handle"] = app.pages.keep(kept).into();
    Ok(answer)
}

/// Returns the blocks with the choice of the output and its reasons.
fn block_list(page: &View<'_>, choice: &Choice, roles: &[Shares]) -> Vec<Value> {
    let why = choice.why();
    (0..page.blocks.len().min(MAX_BLOCKS)).map(|i| block_json(page, choice, roles, i, &why[i])).collect()
}

fn block_json(page: &View<'_>, choice: &Choice, roles: &[Shares], i: usize, why: &impl serde::Serialize) -> Value {
    let b = &page.blocks.blocks[i];
    let role = roles.get(i).map(Role::best);
    json!({
        "role": role.map(|r| r.0), "role_probability": role.map(|r| round(r.1)),
        "text": page.blocks.text(i), "path": path(page.blocks, page, i), "words": b.words, "chars": b.chars,
        "link_density": round(b.link_chars as f32 / b.chars.max(1) as f32), "hidden": b.hidden,
        "score": round(choice.scores()[i]), "probability": choice.probability(i).map(round), "keep": choice.keeps(i),
        "why": why,
    })
}

fn round(x: f32) -> f64 {
    (f64::from(x) * 1e4).round() / 1e4
}

/// Returns the path of a block, such as `body > div.main > p`: its four innermost elements, each with its id or first class.
fn path(blocks: &Blocks, page: &View<'_>, block: usize) -> String {
    let mut names: Vec<String> =
        blocks.ancestors(block).filter(|e| *e != 0).take(4).map(|e| element_name(blocks, page, e)).collect();
    names.reverse();
    names.join(" > ")
}

fn element_name(blocks: &Blocks, page: &View<'_>, e: usize) -> String {
    let node = blocks.elements[e].node;
    let mut name = page.dom.tag_name(node).to_owned();
    name += &first_value(page, node, "id", "#").or_else(|| first_value(page, node, "class", ".")).unwrap_or_default();
    name
}

fn first_value(page: &View<'_>, node: maintext_core::dom::NodeId, attr: &str, mark: &str) -> Option<String> {
    let value = page.dom.attr(node, attr)?.split_whitespace().next()?;
    Some(format!("{mark}{}", value.chars().take(40).collect::<String>()))
}

/// Returns each method's decisions for the blocks, and its table of lines.
fn methods(page: &View<'_>) -> Result<Value, Problem> {
    let mut out = serde_json::Map::new();
    for name in NAMES {
        let method = maintext_core::methods::Parameters::default().method(name)?;
        let start = Instant::now();
        let choice = method.judge(page, Favor::Balance);
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let table = Table::new(page, &*method, Favor::Balance, &choice);
        let rows: Vec<Value> = table
            .rows
            .iter()
            .take(MAX_ROWS)
            .map(|r| json!([r.bytes, r.chars, round(r.density), round(r.score), r.keep as u8]))
            .collect();
        let words = page.blocks.kept_words(choice.kept());
        let facts: serde_json::Map<String, Value> =
            table.facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        out.insert((*name).into(), json!({
            "keep": choice.kept().iter().take(MAX_BLOCKS).map(|kept| u8::from(*kept)).collect::<Vec<_>>(),
            "words": words, "milliseconds": milliseconds, "unit": table.unit, "threshold": table.threshold, "facts": facts,
            "rows": rows,
        }));
    }
    Ok(out.into())
}

/// The body of `POST /v1/explain`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// The `handle` in a response of `/v1/inspect`.
    handle: String,
    /// Number of the block.
    block: usize,
    /// Whether the site's model is used, if one exists.
    #[serde(default)]
    site_model: bool,
}

/// `POST /v1/explain`: returns the contribution of each feature to the score of one block.
pub async fn explain(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (question, _memory): (Question, _) = receive_json(&app, request).await?;
    let page = known(&app, &question.handle)?;
    let estimate = cost::BLOCKS.of(page.html.as_bytes(), app.limits.most(), app.config.budget);
    let explained = app.on_worker(estimate.bytes, move |app| {
        let dom = maintext_core::dom::parse(&page.html, &estimate.budget);
        let blocks = Blocks::new(&dom);
        let model = app.model_for(question.site_model, page.url.as_deref());
        model.explain(&dom, &blocks, question.block)
    });
    let Some(e) = explained.await? else {
        return Err(Problem::new(StatusCode::NOT_FOUND, "unknown_block", "the page has no block with this number"));
    };
    Ok(json_response(&json!({
        "probability": e.probability, "forest": stage(&e.forest), "network": stage(&e.network), "kin": e.kin,
        "settled": e.smoothed,
    })))
}

/// Returns a page that the client has inspected recently.
///
/// # Errors
/// The page is no longer cached.
pub fn known(app: &App, handle: &str) -> Result<Arc<KeptPage>, Problem> {
    let detail = "the page is no longer cached; inspect it again";
    app.pages
        .get(trace::client().holder(), handle)
        .ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "unknown_page", detail))
}

fn stage(stage: &Stage) -> Value {
    /// Number of features listed one by one; the others are summed.
    const NAMED: usize = 40;
    let parts: Vec<Value> = stage
        .parts
        .iter()
        .take(NAMED)
        .map(|p| json!({"feature": p.feature, "value": p.value, "median": p.median, "weight": p.weight}))
        .collect();
    let rest: f32 = stage.parts.iter().skip(NAMED).map(|p| p.weight).sum();
    json!({"score": stage.score, "average": stage.average, "parts": parts, "rest": rest})
}
