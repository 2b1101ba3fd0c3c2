//! Limits of the work on a page.
use maintext_core::{Budget, Formats, Options, Page, extract};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn with(budget: Budget, html: &str) -> Page {
    let formats = Formats::ALL;
    extract(html, &Options { budget, formats, page_type: true, ..Options::default() }).unwrap()
}

fn article() -> String {
    let paragraph = "<p>The path leads along the river, past the old mill, and <a href=/x>up</a> to the ridge.</p>";
    format!("<title>A walk</title><article><h1>A walk</h1>{}</article>", paragraph.repeat(300))
}

fn codes(page: &Page) -> Vec<&str> {
    page.warnings.iter().map(|w| w.code.as_str()).collect()
}

#[test]
fn every_bound_that_is_reached_is_a_warning() {
    let html = article();
    let whole = with(Budget::default(), &html);
    assert!(codes(&whole).is_empty(), "{:?}", whole.warnings);
    let budget = Budget::default();
    let (mut bytes, mut nodes, mut work) = (budget, budget, budget);
    (bytes.bytes, nodes.nodes, work.work) = (10_000, 500, 5_000);
    let cases = [(bytes, "input bytes"), (nodes, "nodes"), (work, "work")];
    for (budget, what) in cases {
        let page = with(budget, &html);
        assert_eq!(codes(&page)[0], "limit_reached", "{what}");
        assert!(page.warnings[0].message.contains(what), "{:?}", page.warnings);
        assert!(page.text().len() < whole.text().len(), "{what}");
    }
    let deep = "<div>".repeat(600) + "<p>Some words at the bottom.";
    assert!(with(budget, &deep).warnings[0].message.contains("nesting depth"));
    let many = format!("<p {}>x", (0..500).map(|i| format!("a{i} ")).collect::<String>());
    assert!(with(budget, &many).warnings[0].message.contains("attributes"));
    let json = format!("<script type=application/ld+json>{}</script><p>Some words.", "[1],".repeat(60_000));
    assert!(with(budget, &json).warnings[0].message.contains("JSON-LD"));
}

#[test]
fn work_ends_soon_after_the_budget_is_spent_at_any_point() {
    let html = article();
    let whole = with(Budget::default(), &html).work;
    let mut work = 1;
    while work < whole {
        let mut budget = Budget::default();
        budget.work = work;
        let page = with(budget, &html);
        // Walks under way still end in order.
        assert!(page.work < work + whole / 4, "{} for {work} of {whole}", page.work);
        assert!(codes(&page).contains(&"limit_reached"));
        work += 1 + work / 7;
    }
}

#[test]
fn a_set_stop_ends_the_work_within_a_millisecond() {
    let html = article().repeat(20);
    let whole = with(Budget::default(), &html).work;
    let stop = Some(Arc::new(AtomicBool::new(true)));
    let page = extract(&html, &Options { stop, ..Options::default() }).unwrap();
    assert!(codes(&page).contains(&"limit_reached") && page.text().len() < html.len() / 20);
    // The meter looks at the sign each 2^14 units.
    assert!(whole > 8 << 14);
}

#[test]
fn the_same_page_takes_the_same_work() {
    let html = article();
    assert_eq!(with(Budget::default(), &html).work, with(Budget::default(), &html).work);
}
