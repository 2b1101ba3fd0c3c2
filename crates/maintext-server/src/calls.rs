//! The cancellation of calls over HTTP by clients that shake hands.
//!
//! Their revisions send `notifications/cancelled` as a request of its own. To find the call, the answer to `initialize` gives the client a
//! random id, which it repeats in all requests. Nothing is kept for it except the calls that are being answered. Clients of the stateless
//! revision close the connection instead.
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The header with the id of a client.
pub const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// A call: the holder of the token, the id of the client, and the id of its request.
type Name = (String, String, String);

/// The calls that are being answered.
#[derive(Debug, Default)]
pub struct Calls {
    calls: Mutex<HashMap<Name, Arc<Notify>>>,
}

/// A call, until it is dropped.
#[derive(Debug)]
pub struct RunningCall {
    calls: Arc<Calls>,
    name: Name,
    stop: Arc<Notify>,
}

/// The parts of a message that matter here.
#[derive(Debug, Deserialize)]
pub struct Message {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Params,
}

#[derive(Debug, Default, Deserialize)]
struct Params {
    #[serde(rename = "requestId")]
    request: Option<Value>,
}

impl Message {
    /// Reads a message; `None` if it is not one.
    pub fn read(bytes: &[u8]) -> Option<Message> {
        serde_json::from_slice(bytes).ok()
    }

    /// Whether it asks for an id for the client.
    pub fn is_initialize(&self) -> bool {
        self.method.as_deref() == Some("initialize")
    }
}

/// Returns the id that a client sends.
pub fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(&SESSION)?.to_str().ok().filter(|id| id.len() <= 64)
}

/// Returns a new id for a client as a header.
pub fn new_session() -> HeaderValue {
    HeaderValue::from_str(&crate::trace::new_id()).unwrap_or(HeaderValue::from_static(""))
}

impl Calls {
    /// Keeps a call while it is answered. A cancellation ends the call, and is not a call itself.
    pub fn begin(self: &Arc<Self>, holder: &str, session: &str, message: &Message) -> Option<RunningCall> {
        let name = |id: &Value| (holder.to_owned(), session.to_owned(), id.to_string());
        if message.method.as_deref() == Some("notifications/cancelled") {
            let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(stop) = message.params.request.as_ref().and_then(|id| calls.get(&name(id))) {
                stop.notify_one();
            }
            return None;
        }
        let (name, stop) = (name(message.id.as_ref()?), Arc::new(Notify::new()));
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), stop.clone());
        Some(RunningCall { calls: self.clone(), name, stop })
    }
}

impl RunningCall {
    /// Waits until the client cancels the call.
    pub async fn cancelled(&self) {
        self.stop.notified().await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let mut calls = self.calls.calls.lock().unwrap_or_else(PoisonError::into_inner);
        // A client may have used the id again.
        if calls.get(&self.name).is_some_and(|stop| Arc::ptr_eq(stop, &self.stop)) {
            calls.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use serde_json::json;

    #[test]
    fn only_the_client_itself_cancels_its_call_and_nothing_is_kept() {
        let calls = Arc::new(Calls::default());
        let message = |value: Value| Message::read(value.to_string().as_bytes()).unwrap();
        let call = message(json!({"id": 7, "method": "tools/call", "params": {"name": "crawl"}}));
        let cancel = message(json!({"method": "notifications/cancelled", "params": {"requestId": 7}}));
        let running = calls.begin("a", "s", &call).unwrap();
        for (holder, session) in [("b", "s"), ("a", "t"), ("a", "")] {
            assert!(calls.begin(holder, session, &cancel).is_none());
            assert!(running.cancelled().now_or_never().is_none());
        }
        let other = message(json!({"method": "notifications/cancelled", "params": {"requestId": "7"}}));
        assert!(calls.begin("a", "s", &other).is_none() && running.cancelled().now_or_never().is_none());
        assert!(calls.begin("a", "s", &cancel).is_none() && running.cancelled().now_or_never().is_some());
        let again = calls.begin("a", "s", &call).unwrap();
        drop(running);
        assert_eq!(calls.calls.lock().unwrap().len(), 1);
        drop(again);
        assert!(calls.calls.lock().unwrap().is_empty());
        assert!(Message::read(b"[1]").is_none() && Message::read(b"{").is_none());
    }
}
