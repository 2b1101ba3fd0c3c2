//! The hot loop of the learned extractor (features, forests, choice) allocates nothing per block: a long page needs as many buffers
//! as a short one.

use maintext_core::blocks::Blocks;
use maintext_core::dom;
use maintext_core::model::Learned;
use std::hint::black_box;

/// Returns an article of `n` blocks in sections with distinct class names, so that lists of names grow, too.
fn page(n: usize) -> String {
    let paragraph = |i: usize| {
        format!(
            "<section class='part-{i} text' id=s{i}><p>The path leads along the river, past the <a href=/mill>old mill</a>, on day {i}.</p></section>"
        )
    };
    format!("<title>A walk</title><body class=article>{}", (0..n).map(paragraph).collect::<String>())
}

/// Returns the number of allocator calls while a page of `n` blocks is judged.
fn calls(model: &Learned, n: usize) -> u64 {
    let html = page(n);
    let dom = dom::parse(&html, &Default::default());
    let blocks = Blocks::new(&dom);
    assert_eq!(blocks.len(), n);
    let before = crate::counting::calls();
    black_box(model.decide(&dom, &blocks));
    crate::counting::calls() - before
}

#[test]
fn allocations_do_not_grow_with_the_number_of_blocks() {
    let model = Learned::shipped().unwrap();
    calls(&model, 10);
    let (short, long) = (calls(&model, 250), calls(&model, 2_500));
    // A buffer that doubles as it grows needs three or four more calls.
    assert!(long < short + 250, "{short} calls for 250 blocks, {long} for 2,500");
}
