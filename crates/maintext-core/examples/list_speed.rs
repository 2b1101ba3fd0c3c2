//! Milliseconds of processor time for the lists of a page with 30,000 links: parser and blocks, entries with pagination, and all
//! together; the best of several runs.
//!
//! `cargo run --release -p maintext-core --example list_speed [RUNS]`
use maintext_core::blocks::Blocks;
use maintext_core::list::{Lists, METHODS};
use maintext_core::method::View;

#[path = "../../maintext-html/tests/it/support/clock.rs"]
mod clock;
use clock::Clock;

fn main() -> Result<(), maintext_core::Error> {
    let clock = Clock::start();
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
            let begin = clock.seconds();
            let dom = maintext_core::dom::parse(&html, &Default::default());
            let blocks = Blocks::new(&dom);
            let parsed = clock.seconds();
            let view = View { source: &html, dom: &dom, blocks: &blocks, url: Some("https://example.org/archive") };
            let found = lists.page(&view);
            let end = clock.seconds();
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
