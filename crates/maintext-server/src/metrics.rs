//! Counters for Prometheus, in its text format.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the duration histogram, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Clone, Copy, Debug, Default)]
struct Histogram {
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

/// The counters of the service.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Requests by route and status.
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    /// Durations by route.
    durations: Mutex<BTreeMap<String, Histogram>>,
    /// Extracted pages.
    pub pages: AtomicU64,
    /// Bytes of their HTML.
    pub page_bytes: AtomicU64,
    /// Nanoseconds of extraction.
    pub page_nanos: AtomicU64,
    /// Pages fetched for clients.
    pub fetches: AtomicU64,
    /// Blocked addresses.
    pub refused: AtomicU64,
    /// Open connections.
    pub connections: AtomicI64,
}

impl Metrics {
    /// Counts a request.
    pub fn request(&self, route: &str, status: u16, duration: Duration) {
        *lock(&self.requests).entry((route.to_owned(), status)).or_default() += 1;
        let seconds = duration.as_secs_f64();
        let mut durations = lock(&self.durations);
        let h = durations.entry(route.to_owned()).or_default();
        h.count += 1;
        h.sum += seconds;
        for (bucket, bound) in h.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
    }

    /// Returns all metrics in Prometheus' text format. `free` is the number of free slots for pages.
    pub fn text(&self, free: usize) -> String {
        let mut out = String::new();
        let head = |name: &str, kind: &str, help: &str, out: &mut String| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head("maintext_requests_total", "counter", "Requests by route and status.", &mut out);
        for ((route, status), n) in lock(&self.requests).iter() {
            let _ = writeln!(out, "maintext_requests_total{{route=\"{route}\",status=\"{status}\"}} {n}");
        }
        let name = "maintext_request_seconds";
        head(name, "histogram", "Time from a request's header to its response.", &mut out);
        for (route, h) in lock(&self.durations).iter() {
            for (n, bound) in h.buckets.iter().zip(BOUNDS) {
                let _ = writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {n}");
            }
            let _ = writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {}", h.count);
            let _ = writeln!(
                out,
                "{name}_sum{{route=\"{route}\"}} {}\n{name}_count{{route=\"{route}\"}} {}",
                h.sum, h.count
            );
        }
        let load = |a: &AtomicU64| a.load(Ordering::Relaxed) as f64;
        let connections = self.connections.load(Ordering::Relaxed) as f64;
        for (name, kind, help, value) in [
            ("maintext_pages_total", "counter", "Extracted pages.", load(&self.pages)),
            ("maintext_page_bytes_total", "counter", "Bytes of the extracted pages.", load(&self.page_bytes)),
            ("maintext_page_seconds_total", "counter", "Processor time of extraction.", load(&self.page_nanos) / 1e9),
            ("maintext_fetches_total", "counter", "Fetched pages.", load(&self.fetches)),
            ("maintext_refused_total", "counter", "Requests for blocked addresses.", load(&self.refused)),
            ("maintext_connections", "gauge", "Open connections.", connections),
            ("maintext_free_slots", "gauge", "Free slots for pages.", free as f64),
        ] {
            head(name, kind, help, &mut out);
            let _ = writeln!(out, "{name} {value}");
        }
        out
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_and_time() {
        let m = Metrics::default();
        m.request("/v1/extract", 200, Duration::from_millis(3));
        m.request("/v1/extract", 200, Duration::from_millis(300));
        m.request("/v1/extract", 503, Duration::from_micros(10));
        let text = m.text(7);
        assert!(text.contains("maintext_requests_total{route=\"/v1/extract\",status=\"200\"} 2\n"), "{text}");
        assert!(text.contains("maintext_request_seconds_bucket{route=\"/v1/extract\",le=\"0.005\"} 2\n"), "{text}");
        assert!(text.contains("maintext_request_seconds_count{route=\"/v1/extract\"} 3\n"), "{text}");
        assert!(text.contains("\nmaintext_free_slots 7\n"), "{text}");
    }
}
