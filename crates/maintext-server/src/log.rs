//! Logs on standard error: one JSON object per line, or words if it is a terminal.
use crate::trace::RequestTrace;
use maintext_util::terminal::{is_printable, printable};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// Logs a completed request, with an error's code and the facts in its trace. Facts that do not apply are left out, and so is the query, since it
/// may contain private data.
pub(crate) fn request(trace: &RequestTrace, code: Option<&'static str>, mut line: Value) {
    let facts = trace.facts();
    (line["event"], line["id"]) = ("request".into(), trace.id().into());
    let known = [
        ("code", code.map(Value::from)),
        ("token", facts.token.map(|t| json!(t))),
        ("host", facts.host.map(Value::from)),
        ("cache", facts.cache.map(Value::from)),
        ("queue_ms", facts.queue.map(milliseconds).map(Value::from)),
        ("fetch_ms", facts.fetch.map(milliseconds).map(Value::from)),
        ("render_ms", facts.render.map(milliseconds).map(Value::from)),
    ];
    for (name, value) in known {
        if let Some(value) = value {
            line[name] = value;
        }
    }
    write(line);
}

/// Returns a time for the log.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Logs an event.
pub fn event(name: &str, message: &str) {
    write(json!({"event": name, "message": message}));
}

fn write(mut value: Value) {
    let now = jiff::Timestamp::now();
    value["time"] = format!("{now:.3}").into();
    let mut log = std::io::stderr().lock();
    // The service continues even if the log cannot be written.
    let _ = if log.is_terminal() {
        writeln!(log, "{}", printable(&words(&value)))
    } else {
        writeln!(log, "{}", escaped(&value.to_string()))
    };
}

/// Escapes the characters of JSON by which a client could manipulate the terminal of who reads it: U+0080 to U+009F, and those that change the
/// direction of text. JSON itself escapes only those below U+0020.
pub fn escaped(json: &str) -> Cow<'_, str> {
    if printable(json).len() == json.len() {
        return json.into();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_printable(c) {
            out.push(c);
        } else {
            // All of them are in the first plane.
            out += &format!("\\u{:04x}", u32::from(c));
        }
    }
    out.into()
}

/// Returns a line of the log for a reader at a terminal.
fn words(line: &Value) -> String {
    match text_of(line, "event") {
        "listening" => {
            format!("maintext listens on {}: open it in a browser; Ctrl-C ends it", text_of(line, "message"))
        }
        "request" => {
            format!("{} {} {}, {} ms", text_of(line, "method"), text_of(line, "path"), line["status"], line["ms"])
        }
        event => format!("{event}: {}", text_of(line, "message")),
    }
}

fn text_of<'l>(line: &'l Value, name: &str) -> &'l str {
    line[name].as_str().unwrap_or("")
}

/// Whether a path is the address of a page, which is private.
pub(crate) fn is_address(path: &str) -> bool {
    ["/https:/", "/http:/"].iter().any(|scheme| path.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_an_address_is_known() {
        assert!(is_address("/http://e.org") && is_address("/https:/e.org") && !is_address("/v1/extract"));
    }

    #[test]
    fn json_holds_no_characters_that_move_a_terminal() {
        let json = json!({"path": "/a\u{9b}2J\u{202e}b\u{7f}\u{e9}"}).to_string();
        assert_eq!(escaped(&json), "{\"path\":\"/a\\u009b2J\\u202eb\\u007f\u{e9}\"}");
        assert_eq!(serde_json::from_str::<Value>(&escaped(&json)).unwrap()["path"], "/a\u{9b}2J\u{202e}b\u{7f}\u{e9}");
    }

    #[test]
    fn a_terminal_gets_words() {
        let line = json!({"event": "listening", "message": "http://127.0.0.1:8000", "time": "2026-01-01"});
        assert_eq!(words(&line), "maintext listens on http://127.0.0.1:8000: open it in a browser; Ctrl-C ends it");
        let line = json!({"event": "request", "method": "POST", "path": "/v1/extract", "status": 200, "ms": 12.5});
        assert_eq!(words(&line), "POST /v1/extract 200, 12.5 ms");
        assert_eq!(
            words(&json!({"event": "stopped", "message": "all requests were answered"})),
            "stopped: all requests were answered"
        );
    }
}
