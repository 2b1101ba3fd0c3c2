//! Structured logs: one JSON object per line on standard error.
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::IpAddr;
use std::time::Duration;

/// A completed request. The query is omitted, since it may contain private data.
pub struct Access<'a> {
    /// The client's address.
    pub client: Option<IpAddr>,
    /// The HTTP method.
    pub method: &'a str,
    /// The path. For `/r/<URL>`, the log contains only the route, since the address is private.
    pub path: &'a str,
    /// The matched route.
    pub route: &'a str,
    /// The status of the response.
    pub status: u16,
    /// Time until the response began.
    pub time: Duration,
}

/// Logs a request.
pub fn request(a: &Access<'_>) {
    let path = if a.path.starts_with("/r/") { a.route } else { a.path };
    write(json!({
        "event": "request", "client": a.client, "method": a.method, "path": path, "status": a.status,
        "ms": (a.time.as_secs_f64() * 1e6).round() / 1e3,
    }));
}

/// Logs an event.
pub fn event(name: &str, message: &str) {
    write(json!({"event": name, "message": message}));
}

fn write(mut value: Value) {
    let now = jiff::Timestamp::now();
    value["time"] = format!("{now:.3}").into();
    // The service continues even if the log cannot be written.
    let _ = writeln!(std::io::stderr().lock(), "{value}");
}
