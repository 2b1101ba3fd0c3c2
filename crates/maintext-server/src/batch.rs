//! `POST /v1/batch`: many pages in one request, one per line. Results are streamed in input order while the request still arrives.
use crate::api::PageAnswer;
use crate::app::App;
use crate::ask::{Ask, from_json_line, is_array, json_weight};
use crate::body;
use crate::memory::{Growing, MemoryShare};
use crate::problem::Problem;
use crate::trace;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// A line of the response that is in progress.
type Line = JoinHandle<Bytes>;

/// Minimum number of lines that are read ahead.
const LEAST_AHEAD: usize = 8;

/// Returns NDJSON with one line for each line of the request. A failed page becomes a line with `error` and does not affect the
/// others.
pub async fn batch(State(app): State<Arc<App>>, request: Request) -> Response {
    // The channel holds two lines for each worker: one in progress and one ready. Some more may wait for other sites. Reading pauses
    // while it is full.
    let (sender, receiver) = mpsc::channel::<Line>(LEAST_AHEAD.max(2 * app.config.workers));
    tokio::spawn(trace::carried(async move { read_lines(app, request.into_body(), sender).await }));
    let lines = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let line = receiver.recv().await?;
        let line = line.await.unwrap_or_else(|_| error_line(None, None, &Problem::internal()).into());
        Some((Ok::<_, Infallible>(line), receiver))
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}

/// Reads the request and starts the work on each line. Ends early if the client stops reading the response.
async fn read_lines(app: Arc<App>, mut body: Body, sender: mpsc::Sender<Line>) {
    let mut pending = Growing::new(app.limits.share(&trace::client()));
    let mut number = 0;
    loop {
        let piece = match body::next_piece(&app.config, &mut body).await {
            Ok(piece) => piece,
            Err(problem) => {
                number += 1;
                let _ = sender.send(fixed(number, &problem)).await;
                return;
            }
        };
        let ended = piece.is_none();
        // A last line needs no line break.
        let piece = piece.unwrap_or_else(|| Bytes::from_static(b"\n"));
        for part in piece.split_inclusive(|b| *b == b'\n') {
            let added = if pending.len() + part.len() > app.config.max_body {
                Err(body::too_large(app.config.max_body))
            } else {
                pending.add(part).await
            };
            if let Err(problem) = added {
                let _ = sender.send(fixed(number + 1, &problem)).await;
                return;
            }
            if !part.ends_with(b"\n") {
                continue;
            }
            let next = Growing::new(app.limits.share(&trace::client()));
            let (line, memory) = std::mem::replace(&mut pending, next).end();
            number += 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let app = app.clone();
            let task = tokio::spawn(trace::carried(async move { answer(app, number, line, memory).await }));
            if sender.send(task).await.is_err() {
                return;
            }
        }
        if ended {
            return;
        }
    }
}

async fn answer(app: Arc<App>, number: u64, line: Vec<u8>, mut memory: MemoryShare) -> Bytes {
    // For the copy that parsing makes.
    let grown = memory.grow_soon(json_weight(&line)).await;
    let ask: Result<Ask, Problem> = grown.and_then(|()| from_json_line(&line));
    let id = ask.as_ref().map_or_else(|_| id_of(&line), |ask| ask.id.clone());
    drop(line);
    let named = id.clone();
    let result = async {
        let job = Ask { memory: Some(memory), ..ask? }.job_of_one_form()?;
        let reply = app.reply(job, move |app, choices, source| {
            let page = app.extract(choices, source)?;
            let answer = PageAnswer { origin: source.origin(), page: &page };
            let mut line = serde_json::to_vec(&NamedPage { answer, id: &named }).map_err(|_| Problem::internal())?;
            line.push(b'\n');
            line.shrink_to_fit();
            Ok(line)
        });
        reply.await
    };
    result.await.unwrap_or_else(|problem| error_line(id, Some(number), &problem).into())
}

/// Returns the id in a line that has an unknown field or a wrong value, if it is JSON.
fn id_of(line: &[u8]) -> Option<Value> {
    #[derive(serde::Deserialize)]
    struct Named {
        id: Option<Value>,
    }
    if is_array(line) {
        return None;
    }
    serde_json::from_slice::<Named>(line).ok()?.id
}

/// A page with the id that the client gave it.
#[derive(serde::Serialize)]
struct NamedPage<'a> {
    #[serde(flatten)]
    answer: PageAnswer<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: &'a Option<Value>,
}

fn fixed(number: u64, problem: &Problem) -> Line {
    let line = error_line(None, Some(number), problem);
    tokio::spawn(async move { line.into() })
}

fn error_line(id: Option<Value>, number: Option<u64>, problem: &Problem) -> String {
    let mut value = json!({"error": problem.to_json(), "id": id});
    if let Some(number) = number {
        value["line"] = number.into();
    }
    format!("{value}\n")
}
