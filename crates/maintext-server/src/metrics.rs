//! Counters for Prometheus, in its text format.
use crate::process;
use maintext_fetch::{FetchError, Fetched};
use maintext_util::guard::lock;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the histograms, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Clone, Copy, Debug, Default)]
struct Histogram {
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        self.count += 1;
        self.sum += seconds;
        for (bucket, bound) in self.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
    }

    /// Writes the lines. `label` is empty or a label with its value.
    fn write(&self, name: &str, label: &str, out: &mut String) {
        let (comma, own) = if label.is_empty() { ("", String::new()) } else { (",", format!("{{{label}}}")) };
        for (n, bound) in self.buckets.iter().zip(BOUNDS) {
            let _ = writeln!(out, "{name}_bucket{{{label}{comma}le=\"{bound}\"}} {n}");
        }
        let _ = writeln!(out, "{name}_bucket{{{label}{comma}le=\"+Inf\"}} {}", self.count);
        let _ = writeln!(out, "{name}_sum{own} {}\n{name}_count{own} {}", self.sum, self.count);
    }
}

/// A duration that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Waiting for an extraction thread.
    Queue,
    /// Fetching a page, with redirects, without the cache.
    Fetch,
    /// Loading a page in the browser.
    Render,
}

/// Events that are counted by their outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedEvent {
    /// A page was fetched.
    Fetch,
    /// A page was loaded in the browser.
    Render,
    /// A page was looked up in the cache.
    Cache,
}

/// Name and help of each timing.
const TIMINGS: [(&str, &str); 3] = [
    ("maintext_queue_seconds", "Time in the queue for an extraction thread."),
    ("maintext_fetch_seconds", "Time to fetch a page, redirects included."),
    ("maintext_render_seconds", "Time to load a page in the browser."),
];

/// Name, label and help of each event.
const EVENTS: [(&str, &str, &str); 3] = [
    ("maintext_fetches_total", "outcome", "Fetched pages by outcome."),
    ("maintext_renders_total", "outcome", "Pages loaded in the browser by outcome."),
    ("maintext_cache_lookups_total", "result", "Lookups in the cache of fetched pages by result."),
];

/// A gauge that another part of the service knows: its name, help and value.
pub type Gauge = (&'static str, &'static str, f64);

/// The counters of the service.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Requests by route and status.
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    /// Durations by route.
    durations: Mutex<BTreeMap<String, Histogram>>,
    timings: Mutex<[Histogram; TIMINGS.len()]>,
    events: Mutex<[BTreeMap<&'static str, u64>; EVENTS.len()]>,
    /// Requests whose response has not begun.
    pub in_progress: AtomicU64,
    /// Pages that wait for an extraction thread.
    pub queued: AtomicU64,
    /// Extracted pages.
    pub pages: AtomicU64,
    /// Bytes of their HTML.
    pub page_bytes: AtomicU64,
    /// Nanoseconds of extraction.
    pub page_nanos: AtomicU64,
    /// Bytes of fetched pages.
    pub fetched_bytes: AtomicU64,
    /// Blocked addresses.
    pub refused: AtomicU64,
    /// Open connections.
    pub connections: AtomicU64,
}

/// Counts one more until it is dropped, which also happens when a client goes away.
pub struct Counted<'a>(&'a AtomicU64);

impl<'a> Counted<'a> {
    /// Counts one more.
    pub fn new(gauge: &'a AtomicU64) -> Counted<'a> {
        gauge.fetch_add(1, Ordering::Relaxed);
        Counted(gauge)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a request.
    pub fn request(&self, route: &str, status: u16, duration: Duration) {
        *lock(&self.requests).entry((route.to_owned(), status)).or_default() += 1;
        lock(&self.durations).entry(route.to_owned()).or_default().add(duration);
    }

    /// Notes a duration.
    pub fn time(&self, timing: Timing, duration: Duration) {
        lock(&self.timings)[timing as usize].add(duration);
    }

    /// Counts an event by its outcome.
    pub fn count(&self, event: CountedEvent, outcome: &'static str) {
        *lock(&self.events)[event as usize].entry(outcome).or_default() += 1;
    }

    /// Returns all metrics in Prometheus' text format, with the gauges of other parts of the service.
    pub fn text(&self, gauges: &[Gauge]) -> String {
        let mut out = String::new();
        write_head("maintext_requests_total", "counter", "Requests by route and status.", &mut out);
        for ((route, status), n) in lock(&self.requests).iter() {
            let _ = writeln!(out, "maintext_requests_total{{route=\"{route}\",status=\"{status}\"}} {n}");
        }
        let name = "maintext_request_seconds";
        write_head(name, "histogram", "Time from a request's header to its response.", &mut out);
        for (route, h) in lock(&self.durations).iter() {
            h.write(name, &format!("route=\"{route}\""), &mut out);
        }
        for (h, (name, help)) in lock(&self.timings).iter().zip(TIMINGS) {
            write_head(name, "histogram", help, &mut out);
            h.write(name, "", &mut out);
        }
        for (counts, (name, label, help)) in lock(&self.events).iter().zip(EVENTS) {
            write_head(name, "counter", help, &mut out);
            for (outcome, n) in counts {
                let _ = writeln!(out, "{name}{{{label}=\"{outcome}\"}} {n}");
            }
        }
        write_head("maintext_build_info", "gauge", "Always 1, with the version as a label.", &mut out);
        let _ = writeln!(out, "maintext_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"));
        let in_progress = load(&self.in_progress);
        let own = [
            ("maintext_pages_total", "counter", "Extracted pages.", load(&self.pages)),
            ("maintext_page_bytes_total", "counter", "Bytes of the extracted pages.", load(&self.page_bytes)),
            ("maintext_page_seconds_total", "counter", "Processor time of extraction.", load(&self.page_nanos) / 1e9),
            ("maintext_fetched_bytes_total", "counter", "Bytes of the fetched pages.", load(&self.fetched_bytes)),
            ("maintext_refused_total", "counter", "Requests for blocked addresses.", load(&self.refused)),
            ("maintext_connections", "gauge", "Open connections.", load(&self.connections)),
            ("maintext_requests_in_progress", "gauge", "Requests whose response has not begun.", in_progress),
            ("maintext_queue_length", "gauge", "Pages that wait for an extraction thread.", load(&self.queued)),
        ];
        let others = gauges.iter().map(|&(name, help, value)| (name, "gauge", help, value));
        for (name, kind, help, value) in own.into_iter().chain(others).chain(process::figures()) {
            write_head(name, kind, help, &mut out);
            let _ = writeln!(out, "{name} {value}");
        }
        out
    }
}

fn write_head(name: &str, kind: &str, help: &str, out: &mut String) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn load(a: &AtomicU64) -> f64 {
    a.load(Ordering::Relaxed) as f64
}

/// Returns the outcome of a fetch as a label. Pages with an error status that a client asked for have the label of the status.
pub fn outcome(fetched: &Result<Fetched, FetchError>) -> &'static str {
    let error = match fetched {
        Ok(Fetched { status: ..400, .. }) => return "ok",
        Ok(Fetched { status: 400..500, .. }) => return "status_4xx",
        Ok(_) => return "status_5xx",
        Err(error) => error,
    };
    match error {
        FetchError::BadUrl { .. } | FetchError::Scheme { .. } => "bad_url",
        FetchError::Refused { .. } => "refused",
        FetchError::BadHeader { .. } | FetchError::BadProxy { .. } => "settings",
        FetchError::Connect { .. } => "no_connection",
        FetchError::Timeout { .. } => "timeout",
        FetchError::TooManyRedirects { .. } | FetchError::RedirectLoop { .. } | FetchError::BadRedirect { .. } => {
            "redirects"
        }
        FetchError::Status { status: 400..=499, .. } => "status_4xx",
        FetchError::Status { status: 500..=599, .. } => "status_5xx",
        FetchError::Status { .. } => "status_other",
        FetchError::ContentType { .. } | FetchError::Binary { .. } => "not_a_page",
        FetchError::ContentEncoding { .. } | FetchError::Damaged { .. } => "damaged",
        FetchError::TooLarge { .. } => "too_large",
        _ => "other",
    }
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
        let text = m.text(&[("maintext_free_slots", "Free slots for pages.", 7.0)]);
        assert!(text.contains("maintext_requests_total{route=\"/v1/extract\",status=\"200\"} 2\n"), "{text}");
        assert!(text.contains("maintext_request_seconds_bucket{route=\"/v1/extract\",le=\"0.005\"} 2\n"), "{text}");
        assert!(text.contains("maintext_request_seconds_count{route=\"/v1/extract\"} 3\n"), "{text}");
        assert!(text.contains("\n# TYPE maintext_free_slots gauge\nmaintext_free_slots 7\n"), "{text}");
    }

    #[test]
    fn events_and_durations_have_names_of_their_own() {
        let m = Metrics::default();
        m.time(Timing::Render, Duration::from_millis(20));
        m.count(CountedEvent::Fetch, "timeout");
        m.count(CountedEvent::Fetch, "timeout");
        m.count(CountedEvent::Cache, "hit");
        let waiting = Counted::new(&m.queued);
        let text = m.text(&[]);
        assert!(text.contains("\nmaintext_render_seconds_bucket{le=\"0.025\"} 1\n"), "{text}");
        assert!(
            text.contains("\nmaintext_render_seconds_count 1\n") && text.contains("\nmaintext_queue_seconds_count 0\n")
        );
        assert!(text.contains("\nmaintext_fetches_total{outcome=\"timeout\"} 2\n"), "{text}");
        assert!(text.contains("\nmaintext_cache_lookups_total{result=\"hit\"} 1\n"), "{text}");
        assert!(text.contains("\nmaintext_queue_length 1\n"), "{text}");
        drop(waiting);
        assert!(m.text(&[]).contains("\nmaintext_queue_length 0\n"));
    }
}
