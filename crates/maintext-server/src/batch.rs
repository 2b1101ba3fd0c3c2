//! `POST /v1/batch`: many pages in one request, one per line. Results are streamed in input order while the request still arrives.
use crate::api::Answer;
use crate::app::App;
use crate::ask::{Ask, from_json};
use crate::body;
use crate::problem::Problem;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinHandle;

/// A line of the response that is in progress.
type Line = JoinHandle<String>;

/// Returns NDJSON with one line for each line of the request. A failed page becomes a line with `error` and does not affect the
/// others.
pub async fn batch(State(app): State<Arc<App>>, request: Request) -> Response {
    // The channel holds two lines for each worker: one in progress and one ready. Reading pauses while it is full.
    let (sender, receiver) = mpsc::channel::<Line>(2 * app.config.workers);
    tokio::spawn(async move { read_lines(app, request.into_body(), sender).await });
    let lines = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let line = receiver.recv().await?;
        let line = line.await.unwrap_or_else(|_| error_line(None, None, &Problem::internal()));
        Some((Ok::<_, Infallible>(Bytes::from(line)), receiver))
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}

/// Reads the request and starts the work on each line. Ends early if the client stops reading the response.
async fn read_lines(app: Arc<App>, mut body: Body, sender: mpsc::Sender<Line>) {
    let mut pending = Pending::default();
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
            if let Err(problem) = pending.add(&app, part) {
                let _ = sender.send(fixed(number + 1, &problem)).await;
                return;
            }
            if !part.ends_with(b"\n") {
                continue;
            }
            let (line, memory) = pending.take();
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            number += 1;
            let app = app.clone();
            // Waiting for a slot here stops reading while the service is at capacity.
            let Some(slot) = app.limits.admit_later().await else { return };
            let task = tokio::spawn(async move { answer(app, number, line, memory, slot).await });
            if sender.send(task).await.is_err() {
                return;
            }
        }
        if ended {
            return;
        }
    }
}

/// The received part of an incomplete line.
#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    memory: Option<OwnedSemaphorePermit>,
}

impl Pending {
    fn add(&mut self, app: &App, part: &[u8]) -> Result<(), Problem> {
        if self.bytes.len() + part.len() > app.config.max_body {
            return Err(body::too_large(app.config.max_body));
        }
        body::add_memory(&app.limits, &mut self.memory, part.len())?;
        self.bytes.extend_from_slice(part);
        Ok(())
    }

    fn take(&mut self) -> (Vec<u8>, Option<OwnedSemaphorePermit>) {
        (std::mem::take(&mut self.bytes), self.memory.take())
    }
}

async fn answer(
    app: Arc<App>,
    number: u64,
    line: Vec<u8>,
    memory: Option<OwnedSemaphorePermit>,
    slot: OwnedSemaphorePermit,
) -> String {
    let ask: Result<Ask, Problem> = from_json(&line);
    drop(line);
    let (id, result) = match ask {
        Err(problem) => (None, Err(problem)),
        Ok(mut ask) => {
            let id = ask.id.take();
            let result = match (Ask { memory, ..ask }).job() {
                Ok(job) => {
                    app.with_slot(slot, job, |app, choices, source| {
                        app.extract(choices, &source).map(|page| json!(Answer { origin: source.origin(), page: &page }))
                    })
                    .await
                }
                Err(problem) => Err(problem),
            };
            (id, result)
        }
    };
    match result {
        Err(problem) => error_line(id, Some(number), &problem),
        Ok(mut value) => {
            if let (Value::Object(fields), Some(id)) = (&mut value, id) {
                fields.insert("id".into(), id);
            }
            format!("{value}\n")
        }
    }
}

fn fixed(number: u64, problem: &Problem) -> Line {
    let line = error_line(None, Some(number), problem);
    tokio::spawn(async move { line })
}

fn error_line(id: Option<Value>, number: Option<u64>, problem: &Problem) -> String {
    let mut value = json!({"error": problem.to_json()});
    if let Value::Object(fields) = &mut value {
        fields.extend(id.map(|id| ("id".into(), id)));
        fields.extend(number.map(|n| ("line".into(), n.into())));
    }
    format!("{value}\n")
}
