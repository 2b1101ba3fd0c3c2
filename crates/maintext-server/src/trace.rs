//! Facts about a request while it is served: its id, and facts for its line in the log.
use crate::client::Client;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use maintext_util::guard::lock;
use std::any::Any;
use std::future::Future;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// The header with the id of a request.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that is accepted from a client.
const MAX_ID_BYTES: usize = 128;

/// A request that is being served.
#[derive(Debug, Default)]
pub struct RequestTrace {
    id: String,
    facts: Mutex<LogFacts>,
    client: OnceLock<Client>,
    /// The memory of finished work, until the answer has its own. Closed when the answer is there.
    turns: Mutex<TraceTurns>,
}

/// Something that returns its memory when it is dropped.
pub type Held = Box<dyn Any + Send>;

#[derive(Debug, Default)]
struct TraceTurns {
    turns: Vec<Held>,
    closed: bool,
}

/// Facts for the log. Absent ones do not apply.
#[derive(Clone, Debug, Default)]
pub struct LogFacts {
    /// Name of the client's token.
    pub token: Option<Arc<str>>,
    /// Host of the page that was loaded, without the rest of its address.
    pub host: Option<String>,
    /// The result of the look-up in the cache.
    pub cache: Option<&'static str>,
    /// Age of a page from the cache.
    pub age: Option<Duration>,
    /// Time that fetching took.
    pub fetch: Option<Duration>,
    /// Time that the browser took.
    pub render: Option<Duration>,
    /// Time in the queue for an extraction thread.
    pub queue: Option<Duration>,
}

tokio::task_local! {
    static CURRENT: Arc<RequestTrace>;
}

impl RequestTrace {
    /// Begins a request, with the id that the client or a proxy gave, or a new one.
    pub fn begin(headers: &HeaderMap) -> Arc<RequestTrace> {
        let given = headers.get(HEADER).and_then(|v| v.to_str().ok()).filter(|id| is_valid(id));
        Arc::new(RequestTrace { id: given.map_or_else(new_id, str::to_owned), ..RequestTrace::default() })
    }

    /// Returns the id as a header.
    pub fn header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.id).unwrap_or(HeaderValue::from_static(""))
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the facts so far.
    pub fn facts(&self) -> LogFacts {
        lock(&self.facts).clone()
    }

    /// Sets the client to whom the work for this request counts.
    pub fn set_client(&self, client: Client) {
        let _ = self.client.set(client);
    }

    /// Returns the client.
    pub fn client(&self) -> Client {
        self.client.get().cloned().unwrap_or_default()
    }

    /// Returns the memory of the work for this request. Memory of later work is not kept.
    pub fn finish(&self) -> Vec<Held> {
        let mut turns = lock(&self.turns);
        turns.closed = true;
        std::mem::take(&mut turns.turns)
    }

    /// Runs a future as a part of this request.
    pub async fn scope<T>(self: Arc<Self>, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self, work).await
    }
}

/// Returns the id of the current request, if there is one.
pub fn id() -> Option<String> {
    CURRENT.try_with(|trace| trace.id.clone()).ok().filter(|id| !id.is_empty())
}

/// Returns the client of the current request; [`Client::Own`] outside of a request.
pub fn client() -> Client {
    CURRENT.try_with(|trace| trace.client()).unwrap_or_default()
}

/// Returns the current request, for work in a task of its own.
pub fn current() -> Option<Arc<RequestTrace>> {
    CURRENT.try_with(Arc::clone).ok()
}

/// Keeps the memory of finished work until the answer of the current request has its own.
pub fn keep(turn: impl Any + Send) {
    let _ = CURRENT.try_with(|trace| {
        let mut turns = lock(&trace.turns);
        if !turns.closed {
            turns.turns.push(Box::new(turn));
        }
    });
}

/// Notes facts about the current request.
pub fn note(change: impl FnOnce(&mut LogFacts)) {
    let _ = CURRENT.try_with(|trace| change(&mut lock(&trace.facts)));
}

/// Makes a future that is spawned a part of the current request.
pub fn carried<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    CURRENT.scope(CURRENT.try_with(Arc::clone).unwrap_or_default(), work)
}

/// Runs work within the trace of a request. Without a trace, the work counts as a request of `client`.
pub fn within<T>(trace: Option<Arc<RequestTrace>>, client: Client, work: impl FnOnce() -> T) -> T {
    let own = RequestTrace { client: client.into(), ..RequestTrace::default() };
    CURRENT.sync_scope(trace.unwrap_or_else(|| Arc::new(own)), work)
}

/// Letters, digits and the usual punctuation of ids, so that an id cannot disturb a log or a header.
fn is_valid(id: &str) -> bool {
    (1..=MAX_ID_BYTES).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:/+=@".contains(&b))
}

/// Returns an id that cannot be guessed, in the form of a UUID.
pub fn new_id() -> String {
    // Each state has random keys from the system, and the time differs.
    let [a, b] = [1, 2].map(|half: u8| RandomState::new().hash_one((half, Instant::now())));
    let b = b & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    let (a1, a2, a3) = (a >> 32, a >> 16 & 0xffff, a & 0xfff);
    format!("{a1:08x}-{a2:04x}-4{a3:03x}-{:04x}-{:012x}", b >> 48, b & 0xffff_ffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_over_or_made() {
        let begin = |id: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            id.map(|id| headers.insert(HEADER, HeaderValue::from_static(id)));
            RequestTrace::begin(&headers).id().to_owned()
        };
        assert_eq!(begin(Some("0b9d-12:a/b+c=@")), "0b9d-12:a/b+c=@");
        for wrong in ["", "a b", "a\"b", "<script>", "a,b"] {
            let id = begin(Some(wrong));
            assert!(
                id.len() == 36 && id.as_bytes()[14] == b'4' && b"89ab".contains(&id.as_bytes()[19]),
                "{wrong}: {id}"
            );
        }
        assert_ne!(begin(None), begin(None));
        assert!(!is_valid(&"a".repeat(MAX_ID_BYTES + 1)));
    }

    #[tokio::test]
    async fn facts_belong_to_their_request() {
        note(|facts| facts.cache = Some("lost"));
        let trace = Arc::new(RequestTrace { id: "a".into(), ..RequestTrace::default() });
        let work = async {
            let task = tokio::spawn(carried(async { note(|facts| facts.host = Some("e.org".into())) }));
            task.await.unwrap();
            id()
        };
        assert_eq!(trace.clone().scope(work).await.as_deref(), Some("a"));
        assert_eq!((trace.facts().host.as_deref(), trace.facts().cache), (Some("e.org"), None));
        assert_eq!(id(), None);
    }
}
