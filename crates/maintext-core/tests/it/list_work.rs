//! The work for a list page with very many links grows in proportion to them. It is counted in allocations, which are the same in every run
//! and build, and in processor time, which includes work without allocations.

use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::list::{Lists, METHODS};
use maintext_core::method::View;
use std::hint::black_box;

/// Returns a page with a list of `n` entries, like a forum's or an archive's without pagination.
fn page(n: usize) -> String {
    let entry = |i: usize| {
        format!(
            "<li class=row><a href='/story/{i}-the-title'>The title of story number {i}</a> <time>2024-05-01</time></li>\n"
        )
    };
    let entries: String = (0..n).map(entry).collect();
    format!(
        "<title>Archive</title><nav><a href=/>Home</a> <a href=/about>About</a></nav><main><ul>{entries}</ul></main>"
    )
}

/// The cost of a page's list: calls of the allocator, allocated bytes, and nanoseconds of processor time where the system reports them.
struct Work {
    calls: u64,
    bytes: u64,
    time: Option<u64>,
}

fn work(lists: &Lists, html: &str) -> Work {
    let dom = dom::parse(html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://example.org/archive") };
    let before = (crate::counting::calls(), crate::counting::bytes(), crate::counting::processor());
    black_box(lists.page(&view));
    let time = before.2.zip(crate::counting::processor()).map(|(start, end)| end - start);
    Work { calls: crate::counting::calls() - before.0, bytes: crate::counting::bytes() - before.1, time }
}

/// One and a half times the values counted when this was written.
const CALLS_PER_LINK: u64 = 70;
const BYTES_PER_LINK: u64 = 8_200;

#[test]
fn the_work_of_a_list_grows_in_proportion_to_its_links() {
    for method in METHODS {
        let lists = Lists::named(method).unwrap();
        let (small, large) = (work(&lists, &page(500)), work(&lists, &page(5_000)));
        assert!(large.calls <= 11 * small.calls, "{method}: {} calls, then {}", small.calls, large.calls);
        assert!(large.bytes <= 12 * small.bytes, "{method}: {} bytes, then {}", small.bytes, large.bytes);
        // The cost per link, so that a change that makes all links more expensive is noticed.
        let (calls, bytes) = (large.calls / 5_000, large.bytes / 5_000);
        assert!(
            calls <= CALLS_PER_LINK && bytes <= BYTES_PER_LINK,
            "{method}: {calls} calls and {bytes} bytes per link"
        );
        // Ten times the links; the rest allows for caches and for other processes.
        if let Some((small, large)) = small.time.zip(large.time) {
            assert!(large <= 30 * small, "{method}: {small} ns, then {large}");
        }
    }
}

/// Returns the steps over the tree and the text read for the lists of a page. An extraction looks for lists only on pages that it takes for one.
fn steps(lists: &Lists, page: &[u8]) -> u64 {
    let html = String::from_utf8_lossy(page);
    let dom = dom::parse(&html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: &html, dom: &dom, blocks: &blocks, url: Some("https://example.org/archive") };
    let before = dom.work();
    black_box(lists.page(&view));
    dom.work() - before
}

/// If markup is broken, every record of a list can be most of the page, so the work per record is bounded.
#[test]
fn lists_of_hostile_pages_cost_no_more_than_their_size() {
    const STEPS_PER_BYTE: u64 = 25;
    for method in METHODS {
        let lists = Lists::named(method).unwrap();
        let costs = |kind: &crate::hostile::Hostile| {
            let page = (kind.make)(15_000);
            let steps = steps(&lists, &page);
            (steps > STEPS_PER_BYTE * page.len() as u64).then(|| format!("{}: {steps} steps", kind.name))
        };
        let bad: Vec<String> = crate::hostile::ALL.iter().filter_map(costs).collect();
        assert!(bad.is_empty(), "{method}: {bad:?}");
    }
}
