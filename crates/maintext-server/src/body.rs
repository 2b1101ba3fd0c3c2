//! Request bodies, limited in size, in time and in their total memory.
use crate::config::Config;
use crate::limits::ServiceLimits;
use crate::memory::{Growing, MemoryShare};
use crate::problem::Problem;
use crate::trace;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use http_body_util::BodyExt as _;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// A complete body with its share of the memory budget, which is released on drop.
#[derive(Debug)]
pub struct Received {
    /// The body.
    pub bytes: Vec<u8>,
    /// Its share of the memory budget.
    pub memory: MemoryShare,
}

/// Reads a complete body.
///
/// # Errors
/// The body is too large or too slow, or the memory budget is exhausted.
pub async fn read(config: &Config, limits: &ServiceLimits, mut body: Body) -> Result<Received, Problem> {
    let deadline = Instant::now() + config.body_timeout;
    let mut received = Growing::new(limits.share(&trace::client()));
    loop {
        let piece = timeout_at(deadline, next(&mut body)).await.map_err(|_| too_slow(config.body_timeout))?;
        let Some(piece) = piece? else { break };
        if received.len() + piece.len() > config.max_body {
            return Err(too_large(config.max_body));
        }
        received.add(&piece).await?;
    }
    let (bytes, memory) = received.end();
    Ok(Received { bytes, memory })
}

/// Reads the next piece of a body that may take long as a whole but must not be idle for long.
///
/// # Errors
/// No data arrived within the time limit, or the connection broke.
pub async fn next_piece(config: &Config, body: &mut Body) -> Result<Option<Bytes>, Problem> {
    timeout(config.body_timeout, next(body)).await.map_err(|_| too_slow(config.body_timeout))?
}

/// Returns the problem for a body that exceeds `limit`.
pub fn too_large(limit: usize) -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", format!("the body is larger than {limit} bytes"))
}

fn too_slow(limit: Duration) -> Problem {
    let detail = format!("the body did not arrive within {} s", limit.as_secs_f64());
    Problem::new(StatusCode::REQUEST_TIMEOUT, "body_too_slow", detail)
}

async fn next(body: &mut Body) -> Result<Option<Bytes>, Problem> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Err(_)) => return Err(Problem::bad_request("the connection ended before the body was complete")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}
