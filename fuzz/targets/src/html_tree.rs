//! Compares the tree with html5ever's for any bytes, except for html5ever's known deviations from the standard.

#[path = "../../../crates/maintext-html/tests/it/support/mod.rs"]
mod support;

use maintext_html::{Document, ParseOptions};

/// Tries one input.
pub fn run(data: &[u8]) {
    let html = String::from_utf8_lossy(data);
    if support::soup::may_show_known(&html) {
        return;
    }
    let options =
        ParseOptions { max_depth: u32::MAX, max_attributes: u32::MAX, bounded_work: false, ..ParseOptions::default() };
    let ours = support::ours::outline(&Document::parse(&html, &options));
    let theirs = support::outline(&support::html5ever_parse(&html), false);
    assert!(ours == theirs, "{}", support::first_difference(&ours, &theirs));
}
