//! Hostile pages cost no more than pages of their size, in steps over the tree and in memory: the tests count both and time nothing.
//!
//! `cargo xtask scale` measures the time.

use crate::hostile::{ALL, Hostile, KeepsAll};
use maintext_core::{Budget, Extractor, Formats, Options, Page};

fn options() -> Options {
    let formats = Formats::ALL;
    let url = Some("https://example.org/news/".to_owned());
    Options { url, formats, page_type: true, ..Options::default() }
}

/// The cost of a page.
#[derive(Debug)]
struct Cost {
    bytes: usize,
    work: u64,
    allocated: u64,
    peak: i64,
    written: usize,
}

fn cost(extractor: &mut Extractor, bytes: &[u8]) -> Cost {
    let before = crate::counting::bytes();
    let (page, peak) = crate::counting::peak(|| extractor.extract(bytes).expect("a page"));
    let allocated = crate::counting::bytes() - before;
    let written =
        [&page.text, &page.markdown, &page.html, &page.xml].iter().filter_map(|s| s.as_ref()).map(String::len).sum();
    Cost { bytes: bytes.len(), work: page.work, allocated, peak, written }
}

/// Some kinds reach the limit of nesting below four times this size.
const SMALL: usize = 12_500;

/// Checks that a page of twice the size costs at most 2.2 times as much, with room for buffers that grow by doubling: vectors and tables.
fn doubles(extractor: &mut Extractor, kind: &Hostile, size: usize) -> Result<(), String> {
    let (small, large) = ((kind.make)(size), (kind.make)(2 * size));
    let (n, m) = (cost(extractor, &small), cost(extractor, &large));
    let factor = 1.1 * large.len() as f64 / small.len() as f64;
    let within = |a: f64, b: f64, slack: usize| b <= factor * a + slack as f64;
    let fits = within(n.work as f64, m.work as f64, size / 2)
        && within(n.written as f64, m.written as f64, size / 10)
        && within(n.allocated as f64, m.allocated as f64, 60 * size)
        && within(n.peak as f64, m.peak as f64, 60 * size);
    if fits { Ok(()) } else { Err(format!("{}: {n:?}\n  then {m:?}", kind.name)) }
}

fn grows_in_proportion(kinds: &[Hostile]) {
    let mut extractor = Extractor::with_method(options(), Box::new(KeepsAll));
    // A one-time step, such as a limit that takes effect, appears at one size only; unbounded growth appears at each.
    let bad = |kind: &Hostile| {
        let first = doubles(&mut extractor, kind, SMALL).err()?;
        doubles(&mut extractor, kind, 2 * SMALL).err().map(|second| first + "\n" + &second)
    };
    let bad: Vec<String> = kinds.iter().filter_map(bad).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Tests one of four parts of the kinds, so that no test is long and all processors work.
fn part_grows_in_proportion(part: usize) {
    let each = ALL.len().div_ceil(4);
    grows_in_proportion(ALL.chunks(each).nth(part).expect("four parts"));
}

#[test]
fn cost_grows_in_proportion_to_size_in_the_first_part() {
    part_grows_in_proportion(0);
}

#[test]
fn cost_grows_in_proportion_to_size_in_the_second_part() {
    part_grows_in_proportion(1);
}

#[test]
fn cost_grows_in_proportion_to_size_in_the_third_part() {
    part_grows_in_proportion(2);
}

#[test]
fn cost_grows_in_proportion_to_size_in_the_fourth_part() {
    part_grows_in_proportion(3);
}

/// Bounds for the shipped model, whose choice of rendered blocks may change with the size.
#[test]
fn cost_per_byte_is_bounded() {
    let mut extractor = Extractor::new(options()).expect("the shipped model");
    let mut bad = Vec::new();
    for kind in ALL {
        let page = (kind.make)(SMALL);
        let c = cost(&mut extractor, &page);
        let bytes = c.bytes as u64;
        let fits = c.work <= 100 * bytes
            && c.peak as u64 <= 400 * bytes + (4 << 20)
            && c.allocated <= 4000 * bytes + (8 << 20);
        if !fits {
            bad.push(format!("{}: {c:?}", kind.name));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

fn codes(page: &Page) -> Vec<&str> {
    page.warnings.iter().map(|w| w.code.as_str()).collect()
}

/// When the budget runs out, at any point, every stage ends in order and the output is well-formed.
#[test]
fn a_spent_budget_is_a_warning_and_never_a_panic() {
    for kind in ALL {
        let page = (kind.make)(8_000);
        for work in [0, 300, 9_000] {
            let mut options = options();
            options.budget = Budget::default().with_work(work);
            let page = Extractor::with_method(options, Box::new(KeepsAll)).extract(&page).expect("a page");
            assert_eq!(
                page.work > work,
                codes(&page).contains(&"limit_reached") && warns_of_work(&page),
                "{}",
                kind.name
            );
            let xml = page.xml.as_deref().unwrap_or("");
            roxmltree::Document::parse(xml).unwrap_or_else(|e| panic!("{} with {work}: {e}\n{xml}", kind.name));
        }
    }
}

/// The length of a selector, and each step that it takes between elements, is counted for each element that it is compared with.
#[test]
fn style_sheets_end_when_they_have_spent_their_share_of_the_work() {
    for name in ["a selector of many classes", "a selector that excludes many classes", "rules for many elements"] {
        let kind = ALL.iter().find(|kind| kind.name == name).expect("a kind");
        let page = (kind.make)(40_000);
        let result = Extractor::with_method(options(), Box::new(KeepsAll)).extract(&page).expect("a page");
        let warns = |part| result.warnings.iter().any(|w| w.message.starts_with(part));
        assert!(warns("more style rules") && !warns("more work"), "{name}: {:?}", result.warnings);
        assert!(result.work <= 100 * page.len() as u64 && result.text().contains("past the old mill"), "{name}");
    }
}

fn warns_of_work(page: &Page) -> bool {
    page.warnings.iter().any(|w| w.message.starts_with("more work"))
}

#[test]
fn a_tree_stops_growing_at_the_limit_of_nodes() {
    for kind in ALL {
        let page = (kind.make)(20_000);
        let mut options = options();
        options.budget = Budget::default().with_nodes(300);
        let mut extractor = Extractor::with_method(options, Box::new(KeepsAll));
        let cost = cost(&mut extractor, &page);
        // Style sheets are read whole, and have a share of the work in proportion to the bytes of the page.
        let styles = if page.starts_with(b"<style>") { 17 * page.len() as u64 } else { 0 };
        assert!(cost.work < 60_000 + styles, "{}: {cost:?}", kind.name);
    }
}
