//! `POST /mcp`: the same tools over streamable HTTP, behind the same gate as all routes.
use super::Handler;
use crate::app::App;
use crate::ask::header_text;
use crate::body;
use crate::problem::Problem;
use crate::trace;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;
use serde_json::json;
use std::sync::Arc;

/// `POST /mcp`: one message, one answer. Nothing is kept for clients that do not return.
pub async fn over_http(State(app): State<Arc<App>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let received = body::read(&app.config, &app.limits, body).await?;
    // The gate has checked host and origin.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(app.config.max_body);
    let request = trace::current();
    let declared = header_text(&parts.headers, header::CONTENT_TYPE).unwrap_or("");
    let declares_json = declared.trim_start().to_ascii_lowercase().starts_with("application/json");
    let wrong_json = serde_json::from_slice::<IgnoredAny>(&received.bytes).err();
    let handler = move || Ok(Handler { app: app.clone(), request: request.clone() });
    let service = StreamableHttpService::new(handler, Arc::new(NeverSessionManager::default()), config);
    let response = service.handle(axum::http::Request::from_parts(parts, Body::from(received.bytes))).await;
    drop(received.memory);
    let kind = header_text(response.headers(), header::CONTENT_TYPE).unwrap_or("");
    if response.status().is_client_error() && !kind.starts_with("application/json") {
        let status = response.status();
        if status == StatusCode::UNSUPPORTED_MEDIA_TYPE && declares_json {
            return Ok(not_a_message(wrong_json));
        }
        let text = response.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        return Err(Problem::new(status, "bad_message", String::from_utf8_lossy(&text)));
    }
    Ok(response.map(Body::new))
}

/// Returns the error of JSON-RPC for a body that is not JSON, or not a message.
fn not_a_message(wrong: Option<serde_json::Error>) -> Response {
    let (code, message) = match wrong {
        Some(error) => (-32700, format!("Parse error: the body is not valid JSON: {error}")),
        None => (-32600, "Invalid Request: the body is not a message of JSON-RPC".to_owned()),
    };
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, kind, body.to_string()).into_response()
}
