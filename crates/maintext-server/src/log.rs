//! Structured logs: a JSON object a line on standard error.
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::IpAddr;
use std::time::Duration;

/// A request that was answered. The query is left out: it may hold what is not for logs.
pub struct Access<'a> {
    /// Who asked.
    pub client: Option<IpAddr>,
    /// GET, POST.
    pub method: &'a str,
    /// The path; of `/r/<URL>` the route only, since the address is the client's business.
    pub path: &'a str,
    /// The route that it matched.
    pub route: &'a str,
    /// The status of the answer.
    pub status: u16,
    /// How long it took until the answer began.
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

/// Logs that something happened.
pub fn event(name: &str, message: &str) {
    write(json!({"event": name, "message": message}));
}

fn write(mut value: Value) {
    let now = jiff::Timestamp::now();
    value["time"] = format!("{now:.3}").into();
    // Where the log goes may be gone; that is no reason to stop serving.
    let _ = writeln!(std::io::stderr().lock(), "{value}");
}
