//! The work for the things of hostile pages grows in proportion to the pages. It is counted in allocations, which are the same in every run
//! and build, and in processor time, which includes work without allocations.

use maintext_core::things::Thing;
use maintext_core::{Extractor, Options};

fn things_at(url: &str, html: &str) -> Vec<Thing> {
    let options = Options { things: true, url: Some(url.into()), ..Options::default() };
    Extractor::new(options).unwrap().extract(html).unwrap().things
}

/// Calls of the allocator, allocated bytes, and nanoseconds of processor time where the system reports them.
fn cost(f: impl FnOnce()) -> [u64; 3] {
    let now = || [crate::counting::calls(), crate::counting::bytes(), crate::counting::processor().unwrap_or(0)];
    let before = now();
    f();
    let after = now();
    std::array::from_fn(|i| after[i] - before[i])
}

/// Number of parts of the small page of each kind; the large one has four times as many.
const PARTS: usize = 250;

/// Checks that four times the parts make at most about four times the work. The rest allows for tables that double, for caches and for
/// other processes.
fn check(name: &str, url: &str, make: impl Fn(usize) -> String, is_sound: impl Fn(&[Thing])) {
    let work = |parts: usize| {
        let html = make(parts);
        cost(|| is_sound(&things_at(url, &html)))
    };
    // The first page of a process loads models and word lists.
    work(1);
    let (small, large) = (work(PARTS), work(4 * PARTS));
    for (i, (what, factor)) in [("calls", 5), ("bytes", 6), ("nanoseconds", 12)].into_iter().enumerate() {
        assert!(large[i] <= factor * small[i], "{name}: {} {what}, then {}", small[i], large[i]);
    }
}

/// Checks a shop's page with something in its head and something next to the heading.
fn check_shop(name: &str, head: impl Fn(usize) -> String, buy: impl Fn(usize) -> String) {
    let make = |n: usize| {
        format!(
            "<!doctype html><html lang=en><title>Pot | Teapot House</title>{}<main class=product><h1>Pot</h1>{}<button>Add to cart</button>\
             <p>Made by hand in a small workshop, glazed twice and fired at a high temperature.</p></main>",
            head(n),
            buy(n)
        )
    };
    check(name, "https://teapots.example.com/p/pot", make, |things| {
        let priced = things.iter().filter_map(|t| t.text("offers.price"));
        priced.for_each(|p| assert!(p.len() < 20, "{p}"));
    });
}

#[test]
fn products() {
    let none = |_: usize| String::new();
    let head = |name: &str, f: fn(usize) -> String| check_shop(name, f, none);
    let buy = |name: &str, f: fn(usize) -> String| check_shop(name, none, f);
    buy("digits", |n| format!("<p class=price>${}</p>", "9".repeat(5 * n)));
    head("keys", |n| format!("<script>var p = {{{}}}</script>", "\"price\":1,".repeat(20 * n)));
    head("nested keys", |n| format!("<script>{}</script>", "{\"price\":".repeat(20 * n)));
    buy("prices", |n| "<b class=price>$1</b><p>".repeat(n));
    buy("labels", |n| "<p>SKU:<p>Brand:<p>EAN:".repeat(n));
    buy("attributes", |n| "<div data-price=5 data-sku=a1 class=brand>".repeat(n));
    buy("marks", |n| format!("<p class=price>{}</p>", "1.".repeat(20 * n)));
    head("metas", |n| format!("<meta property=product:price:amount content={}>", "9".repeat(1_000)).repeat(n));
    buy("rows", |n| "<tr><th>a<td>b".repeat(n));
    buy("tables", |n| "<table><tr><td>a<td>b</table>".repeat(n));
    head("offers", |n| {
        let offers = vec![r#"{"@type":"Offer","price":"1","priceCurrency":"USD"}"#; 10 * n].join(",");
        format!(r#"<script type="application/ld+json">{{"@type":"Product","name":"Pot","offers":[{offers}]}}</script>"#)
    });
}

#[test]
fn visible_things() {
    let check = |name: &str, make: fn(usize) -> String| {
        check(name, "https://evil.example/events/faq", make, |things| assert!(things.len() <= 101));
    };
    check("questions", |n| "<h3>Why?</h3><p>So it is.".repeat(n));
    check("lists of questions", |n| "<h2>FAQ</h2><h3>Why is it so?</h3><p>a b<h4>Is it?</h4>".repeat(n));
    check("labels", |n| "<dl><dt>Location<dd>Salary:<dt>Ort:<dd>1".repeat(n));
    check("events", |n| format!("<h1>Event</h1>{}", "<div class=vevent><a href=x.ics>1. - 2. 3. 2025 bis".repeat(n)));
    check("summaries", |n| "<details><summary>Why is it so?</summary>".repeat(n));
    check("buttons", |n| "<button aria-expanded=false class=faq>Who is it?</button>".repeat(n));
    check("declared questions", |n| {
        let questions = vec![r#"{"@type":"Question","name":"q?","acceptedAnswer":{"text":"a"}}"#; n].join(",");
        format!("<script type='application/ld+json'>[{questions}]</script>")
    });
}
