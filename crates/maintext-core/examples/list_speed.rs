//! Milliseconds of processor time for the lists of a page with 30,000 links: parser and blocks, entries with pagination, and all
//! together; the best of several runs.
//!
//! `cargo run --release -p maintext-core --example list_speed [RUNS]`
use maintext_core::blocks::Blocks;
use maintext_core::list::{Lists, METHODS};
use maintext_core::method::View;
#[cfg(unix)]
use std::time::Duration;
use std::time::Instant;

/// Returns the processor time of this thread in seconds, so that other work of the machine does not count. Falls back to wall-clock time
/// if the system does not report it.
fn seconds(start: Instant) -> f64 {
    #[cfg(unix)]
    if let Ok(time) = Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)) {
        return time.as_secs_f64();
    }
    start.elapsed().as_secs_f64()
}

fn main() -> Result<(), maintext_core::Error> {
    let start = Instant::now();
    let runs: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let entry = |i: usize| {
        format!(
            "<li class=row><a href='/story/{i}-the-title'>The title of story number {i}</a> <time>2024-05-01</time></li>\n"
        )
    };
    let entries: String = (0..30_000).map(entry).collect();
    let html = format!("<title>Archive</title><nav><a href=/>Home</a></nav><main><ul>{entries}</ul></main>");
    for method in METHODS {
        let lists = Lists::named(method)?;
        let mut best = [f64::INFINITY; 3];
        for _ in 0..runs {
            let begin = seconds(start);
            let dom = maintext_core::dom::parse(&html, &Default::default());
            let blocks = Blocks::new(&dom);
            let parsed = seconds(start);
            let view = View { source: &html, dom: &dom, blocks: &blocks, url: Some("https://example.org/archive") };
            let found = lists.page(&view);
            let end = seconds(start);
            assert!(!found.groups.is_empty());
            for (b, t) in best.iter_mut().zip([parsed - begin, end - parsed, end - begin]) {
                *b = b.min(t);
            }
        }
        let [parsed, lists, all] = best.map(|t| t * 1000.0);
        println!("{method:9} parser and blocks {parsed:6.1} ms, lists {lists:6.1} ms, all {all:6.1} ms");
    }
    Ok(())
}
