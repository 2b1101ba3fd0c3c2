//! The memory of the process under many large pages at once: a test with a process of its own.
#![cfg(target_os = "linux")]

#[path = "it/support/mod.rs"]
mod support;

use maintext_server::Config;
use serde_json::json;
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;
use support::{config, site, start};

/// Returns the largest memory of this process so far, in MiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() >> 10
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn parallel_pages_of_markdown_stay_within_the_memory_of_the_service() {
    const REQUESTS: usize = 32;
    // One page per line of three rules, 9.4 MB of them.
    let body = "* * *\n".repeat(9_400_000 / 6);
    let address = site(move |_| ("200 OK\r\nContent-Type: text/markdown".into(), body.clone()));
    let memory = 384 << 20;
    let service = start(Config { memory, request_timeout: Duration::from_secs(300), ..config() });
    let before = peak();
    let statuses = thread::scope(|scope| {
        let ask = |n: usize| service.json("/v1/extract", &json!({"url": format!("http://{address}/{n}")})).status;
        let running: Vec<_> = (0..REQUESTS).map(|n| scope.spawn(move || ask(n))).collect();
        let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
        running.into_iter().for_each(|one| *statuses.entry(one.join().unwrap()).or_default() += 1);
        statuses
    });
    println!("before: {before} MiB, peak: {} MiB, statuses: {statuses:?}", peak());
    // The site of the test sends from copies of its own, at most one for each fetch in progress.
    let copies = 10 * Config::default().fetches.min(REQUESTS);
    assert!(peak() <= before + (memory >> 20) + copies, "{} MiB", peak());
    // A text of rules alone is estimated at more than a page may have, and is refused by name.
    assert!(statuses.keys().all(|status| matches!(status, 200 | 422 | 503)), "{statuses:?}");
}
