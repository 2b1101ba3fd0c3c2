//! The hot loop of the learned extractor (features, forests, choice) allocates nothing for a single block: its buffers are as many for a long
//! page as for a short one.
mod counting;

use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::model::Learned;
use std::hint::black_box;

/// An article of `n` blocks in sections of their own class names, so that lists of names grow with it too.
fn page(n: usize) -> String {
    let paragraph = |i: usize| {
        format!(
            "<section class='part-{i} text' id=s{i}><p>The path leads along the river, past the <a href=/mill>old mill</a>, on day {i}.</p></section>"
        )
    };
    format!("<title>A walk</title><body class=article>{}", (0..n).map(paragraph).collect::<String>())
}

/// How often the allocator was called while a page of `n` blocks was decided.
fn calls(model: &Learned, n: usize) -> u64 {
    let html = page(n);
    let dom = dom::parse(&html, &Default::default());
    let blocks = Blocks::new(&dom);
    assert_eq!(blocks.len(), n);
    let before = counting::calls();
    black_box(model.decide(&dom, &blocks));
    counting::calls() - before
}

#[test]
fn no_block_has_an_allocation_of_its_own() {
    let model = Learned::shipped().unwrap();
    calls(&model, 10);
    let (short, long) = (calls(&model, 250), calls(&model, 2_500));
    // A buffer that doubles as it grows is called for three or four times more.
    assert!(long < short + 250, "{short} calls for 250 blocks, {long} for 2,500");
}
