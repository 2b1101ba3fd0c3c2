//! The work for a list page with very many links grows in proportion to them: counted in allocations, which are the same in every run
//! and build, and in time on the processor, which shows what no allocation does.
mod counting;
mod hostile;

use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::list::{Lists, METHODS};
use maintext_core::method::View;
use std::hint::black_box;

/// A page of a list with `n` entries, as a forum's or an archive's without pages.
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

/// What the list of a page costs: calls of the allocator, bytes that it gave, and nanoseconds on the processor where Linux says them.
struct Work {
    calls: u64,
    bytes: u64,
    time: Option<u64>,
}

fn work(lists: &Lists, html: &str) -> Work {
    let dom = dom::parse(html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: html, dom: &dom, blocks: &blocks, url: Some("https://example.org/archive") };
    let before = (counting::calls(), counting::bytes(), processor());
    black_box(lists.page(&view));
    let time = before.2.zip(processor()).map(|(start, end)| end - start);
    Work { calls: counting::calls() - before.0, bytes: counting::bytes() - before.1, time }
}

fn processor() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// Half as much again as was counted when this was written.
const CALLS_A_LINK: u64 = 65;
const BYTES_A_LINK: u64 = 8_200;

#[test]
fn the_work_of_a_list_grows_in_proportion_to_its_links() {
    for method in METHODS {
        let lists = Lists::named(method).unwrap();
        let (small, large) = (work(&lists, &page(3_000)), work(&lists, &page(30_000)));
        assert!(large.calls <= 11 * small.calls, "{method}: {} calls, then {}", small.calls, large.calls);
        assert!(large.bytes <= 12 * small.bytes, "{method}: {} bytes, then {}", small.bytes, large.bytes);
        // What a link costs, so that a change that makes all links dearer is seen.
        let (calls, bytes) = (large.calls / 30_000, large.bytes / 30_000);
        assert!(calls <= CALLS_A_LINK && bytes <= BYTES_A_LINK, "{method}: {calls} calls and {bytes} bytes a link");
        // Ten times the links; the rest is for the caches and for what else the machine does.
        if let Some((small, large)) = small.time.zip(large.time) {
            assert!(large <= 30 * small, "{method}: {small} ns, then {large}");
        }
    }
}

/// Steps over the tree and text read for the lists of a page, which an extraction asks for only where it takes the page for one.
fn steps(lists: &Lists, page: &[u8]) -> u64 {
    let html = String::from_utf8_lossy(page);
    let dom = dom::parse(&html, &Default::default());
    let blocks = Blocks::new(&dom);
    let view = View { source: &html, dom: &dom, blocks: &blocks, url: Some("https://example.org/archive") };
    let before = dom.work();
    black_box(lists.page(&view));
    dom.work() - before
}

/// Where markup is broken, every record of a list can be most of the page: what is looked at in each has a bound.
#[test]
fn lists_of_hostile_pages_cost_no_more_than_their_size() {
    const STEPS_A_BYTE: u64 = 25;
    for method in METHODS {
        let lists = Lists::named(method).unwrap();
        let costs = |kind: &hostile::Hostile| {
            let page = (kind.make)(100_000);
            let steps = steps(&lists, &page);
            (steps > STEPS_A_BYTE * page.len() as u64).then(|| format!("{}: {steps} steps", kind.name))
        };
        let bad: Vec<String> = hostile::ALL.iter().filter_map(costs).collect();
        assert!(bad.is_empty(), "{method}: {bad:?}");
    }
}
