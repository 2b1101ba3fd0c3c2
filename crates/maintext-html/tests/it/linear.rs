//! Tests that steps, nodes and memory grow at most linearly with the length of any input.

use crate::support::clock::mean_seconds;
use crate::support::hostile::ALL;
use maintext_html::{Document, ParseOptions};

/// The allowance of `ParseOptions::bounded_work` according to its documentation.
fn allowance(len: usize) -> u64 {
    (1 << 20) + 8 * len as u64
}

#[test]
fn steps_nodes_and_memory_are_bounded_by_the_length() {
    for kind in ALL {
        for size in [2_000, 200_000] {
            let input = (kind.make)(size);
            let doc = Document::parse(&input, &ParseOptions::default());
            // One operation may exceed the bound before it is noticed; it costs at most a few steps per open element.
            let bound = allowance(input.len()) + 4 * input.len() as u64;
            assert!(doc.steps() <= bound, "{}: {} steps for {} bytes", kind.name, doc.steps(), input.len());
            // One node for every byte or two of input (`<p>` without end tags), plus the copies covered by the allowance.
            let nodes = input.len() / 2 + allowance(input.len()) as usize / 16 + 100;
            assert!(doc.len() <= nodes, "{}: {} nodes for {} bytes", kind.name, doc.len(), input.len());
            let memory = 40 * input.len() + 60 * nodes;
            assert!(doc.memory() <= memory, "{}: {} bytes for {}", kind.name, doc.memory(), input.len());
        }
    }
}

#[test]
fn steps_grow_in_proportion() {
    for kind in ALL {
        let steps = |size| {
            let input = (kind.make)(size);
            let doc = Document::parse(&input, &ParseOptions::default());
            (doc.steps(), doc.len() as u64)
        };
        let (small, large) = (steps(100_000), steps(400_000));
        assert!(large.0 <= 5 * small.0 + (1 << 21), "{}: {small:?} steps and nodes, then {large:?}", kind.name);
        assert!(large.1 <= 5 * small.1 + (1 << 17), "{}: {small:?} steps and nodes, then {large:?}", kind.name);
    }
}

/// Time reveals costs that no counter counts: twenty times the input may take a few times longer per byte because of the caches, but
/// not twenty times.
#[test]
fn time_grows_in_proportion() {
    for kind in ALL {
        let seconds_a_byte = |size| {
            let input = (kind.make)(size);
            let seconds = mean_seconds(0.02, || {
                assert!(Document::parse(&input, &ParseOptions::default()).len() > 1);
            });
            seconds / input.len() as f64
        };
        let (small, large) = (seconds_a_byte(50_000), seconds_a_byte(1_000_000));
        assert!(large < 10.0 * small + 1e-7, "{}: {small:.1e} seconds per byte, then {large:.1e}", kind.name);
    }
}

#[test]
fn walks_over_the_tree_end() {
    for kind in ALL {
        let input = (kind.make)(20_000);
        let doc = Document::parse(&input, &ParseOptions::default());
        assert!(doc.descendants(doc.root()).count() < doc.len(), "{}", kind.name);
        assert!(!doc.to_html().is_empty());
        for node in doc.descendants(doc.root()) {
            assert!(doc.parent(node).is_some());
            let span = doc.span(node);
            assert!(input.get(span.clone()).is_some(), "{}: {span:?}", kind.name);
        }
    }
}
