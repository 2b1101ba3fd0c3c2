//! Compares the tree with html5ever's for generated tag soup.
//!
//! `SOUP_SEED` and `SOUP_COUNT` change the seed and the number of documents.

use crate::support::ours;
use crate::support::soup::{Rng, foreign_soup, is_known, shrink, soup};
use maintext_html::{Context, Document, ParseOptions};

fn unlimited() -> ParseOptions {
    ParseOptions { max_depth: u32::MAX, max_attributes: u32::MAX, bounded_work: false, ..ParseOptions::default() }
}

fn outlines(html: &str, context: Option<&str>) -> (String, String) {
    match context {
        None => (
            ours::outline(&Document::parse(html, &unlimited())),
            crate::support::outline(&crate::support::html5ever_parse(html), false),
        ),
        Some(name) => (
            ours::outline(&Document::parse_fragment(html, &Context::html(name), &unlimited())),
            crate::support::outline(&crate::support::html5ever_fragment(html, name), true),
        ),
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

type Soup = fn(&mut Rng, usize) -> Vec<String>;

fn compare(make: Soup, contexts: &[Option<&str>], seed: u64, count: u64) {
    let mut rng = Rng::new(seed);
    let mut different = 0;
    for _ in 0..count {
        let context = contexts[rng.below(contexts.len())];
        let length = 2 + rng.below(60);
        let pieces = make(&mut rng, length);
        let differs = |pieces: &[String]| {
            let (ours, theirs) = outlines(&pieces.concat(), context);
            ours != theirs
        };
        if differs(&pieces) {
            let small = shrink(pieces, differs);
            if is_known(&small.concat()) {
                continue;
            }
            different += 1;
            let (ours, theirs) = outlines(&small.concat(), context);
            println!("{context:?} {:?}\n{}", small.concat(), crate::support::first_difference(&ours, &theirs));
        }
    }
    assert_eq!(different, 0, "of {count}");
}

#[test]
fn soup_gives_the_same_tree_as_html5ever() {
    compare(soup, &[None], number("SOUP_SEED", 1), number("SOUP_COUNT", 3000));
}

#[test]
fn fragment_soup_gives_the_same_tree_as_html5ever() {
    let contexts =
        ["div", "table", "tr", "td", "tbody", "caption", "colgroup", "template", "body", "html", "p", "frameset"];
    let contexts: Vec<Option<&str>> = contexts.iter().map(|&c| Some(c)).collect();
    compare(soup, &contexts, number("SOUP_SEED", 2), number("SOUP_COUNT", 3000));
}

#[test]
fn foreign_soup_gives_the_same_tree_as_html5ever() {
    compare(foreign_soup, &[None], number("SOUP_SEED", 3), number("SOUP_COUNT", 3000));
}
