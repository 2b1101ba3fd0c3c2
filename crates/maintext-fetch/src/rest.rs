//! Servers that asked for a pause, and until when.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use url::Url;

/// Maximum pause. One answer to one client pauses all clients, although it may concern a single path or be a mistake, so the pause is no
/// longer than a server needs for a restart. The caller who got the answer learns the full time.
const MAX_WAIT: Duration = Duration::from_secs(5 * 60);
/// Maximum number of servers that are remembered.
const SERVERS: usize = 10_000;

/// The servers that answered with an error and `Retry-After`.
#[derive(Debug, Default)]
pub(crate) struct Rests(Mutex<HashMap<String, (Instant, u16)>>);

impl Rests {
    /// Records the time that a server asks for, if the answer is an error.
    pub fn note(&self, url: &Url, status: u16, wait: Option<Duration>) {
        let Some(wait) = wait.filter(|wait| status >= 400 && !wait.is_zero()) else { return };
        let now = Instant::now();
        let mut servers = self.lock();
        if servers.len() >= SERVERS {
            servers.retain(|_, (end, _)| *end > now);
        }
        if servers.len() >= SERVERS {
            servers.clear();
        }
        servers.insert(server(url), (now + wait.min(MAX_WAIT), status));
    }

    /// Returns the rest of a server's pause, and the status of the answer that asked for it.
    pub fn left(&self, url: &Url) -> Option<(Duration, u16)> {
        let servers = self.lock();
        if servers.is_empty() {
            return None;
        }
        let (end, status) = servers.get(&server(url))?;
        Some((end.saturating_duration_since(Instant::now()), *status)).filter(|(left, _)| !left.is_zero())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (Instant, u16)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn server(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or(""), url.port_or_known_default().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_rest_as_long_as_they_ask_within_bounds() {
        let rests = Rests::default();
        let url = |text: &str| Url::parse(text).unwrap();
        let (busy, other) = (url("https://e.org/a"), url("https://e.org:8443/a"));
        rests.note(&busy, 200, Some(Duration::from_secs(60)));
        rests.note(&busy, 503, Some(Duration::ZERO));
        rests.note(&busy, 503, None);
        assert_eq!(rests.left(&busy), None);
        rests.note(&busy, 429, Some(Duration::from_secs(1 << 40)));
        let (left, status) = rests.left(&url("https://e.org/b")).unwrap();
        assert!(status == 429 && left <= MAX_WAIT && left > MAX_WAIT - Duration::from_secs(60));
        rests.note(&busy, 503, Some(Duration::from_secs(3600)));
        assert!(rests.left(&busy).unwrap().0 <= Duration::from_secs(300), "one answer stops a server for all");
        assert_eq!(rests.left(&other), None);
        rests.note(&other, 503, Some(Duration::from_millis(1)));
        std::thread::sleep(Duration::from_millis(3));
        assert_eq!(rests.left(&other), None);
        for i in 0..SERVERS + 10 {
            rests.note(&url(&format!("https://{i}.example/")), 503, Some(MAX_WAIT));
        }
        assert!(rests.lock().len() <= SERVERS);
    }
}
