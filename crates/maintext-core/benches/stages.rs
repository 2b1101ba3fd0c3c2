//! The time of each stage of an extraction, on generated pages: `cargo bench -p maintext-core --bench stages`.
//!
//! `choice` is features, model and choice together, without parsing: what the learned method costs in addition to the stages that all
//! methods share.
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use maintext_core::blocks::Blocks;
use maintext_core::decode::decode;
use maintext_core::dom;
use maintext_core::model::Learned;
use maintext_core::{Extractor, Formats, Options};

/// Numbers of blocks (paragraphs, headings and list entries) of the benchmark pages.
const BLOCKS: [usize; 3] = [25, 250, 2_500];

fn main() {
    divan::main();
}

/// Returns a page of a news site with `n` blocks: navigation and footer around an article, comments below it.
fn page(n: usize) -> String {
    let link = |i: usize| format!("<li class='nav-item depth-{}'><a href=/topic/{i}>Topic number {i}</a></li>", i % 3);
    let paragraph = |i: usize| match i % 8 {
        0 => format!("<h2 class=heading id=part-{i}>Part {i} of the walk</h2>"),
        _ => format!(
            "<p class=text>The path leads along the river, past the <a href=/mill/{i}>old mill</a>, and up to the ridge, where the fog lifted \
             at noon on day {i}. We had <em>seen</em> two herons and a fox by then, and the road was empty.</p>"
        ),
    };
    let comment = |i: usize| {
        format!(
            "<div class=comment id=c{i}><a class=author href=/u/{i}>User {i}</a> <time datetime=2024-05-1{}>1 May</time><p>I walked it twice, and \
             the second time I took the path by the mill.</p></div>",
            i % 10
        )
    };
    let many = |n: usize, of: &dyn Fn(usize) -> String| (0..n).map(of).collect::<String>();
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>The walk to the ridge - Valley Post</title><meta name=author content='Ann Lee'></head><body>\
         <header><nav><ul>{}</ul></nav></header><main><article><h1>The walk to the ridge</h1><p class=byline>By Ann Lee, 1 May 2024</p>{}</article>\
         </main><section class=comments>{}</section><footer><p>All rights reserved.</p></footer>",
        many(n / 4, &link),
        many(n / 2, &paragraph),
        many(n / 8, &comment)
    )
}

#[divan::bench(args = BLOCKS)]
fn decode_utf_8(bencher: Bencher, n: usize) {
    let html = page(n);
    bencher.counter(BytesCount::of_str(&html)).bench_local(|| decode(black_box(html.as_bytes()), None).text.len());
}

#[divan::bench(args = BLOCKS)]
fn parse(bencher: Bencher, n: usize) {
    let html = page(n);
    bencher.counter(BytesCount::of_str(&html)).bench_local(|| dom::parse(black_box(&html), &Default::default()));
}

#[divan::bench(args = BLOCKS)]
fn blocks(bencher: Bencher, n: usize) {
    let html = page(n);
    let dom = dom::parse(&html, &Default::default());
    bencher.counter(BytesCount::of_str(&html)).bench_local(|| Blocks::new(black_box(&dom)));
}

#[divan::bench(args = BLOCKS)]
fn choice(bencher: Bencher, n: usize) {
    let html = page(n);
    let dom = dom::parse(&html, &Default::default());
    let blocks = Blocks::new(&dom);
    let learned = Learned::shipped().expect("the shipped model");
    bencher.counter(ItemsCount::new(blocks.len())).bench_local(|| learned.decide(black_box(&dom), &blocks));
}

/// Runs a whole extraction with these settings.
fn whole(bencher: Bencher, n: usize, options: Options) {
    let html = page(n);
    let mut extractor = Extractor::new(options).expect("the shipped model");
    let extract = || extractor.extract_at(black_box(html.as_str()), Some("https://example.org/walk"), None);
    bencher.counter(BytesCount::of_str(&html)).bench_local(extract);
}

#[divan::bench(args = BLOCKS)]
fn text(bencher: Bencher, n: usize) {
    whole(bencher, n, Options { metadata: false, comments: false, ..Options::default() });
}

#[divan::bench(args = BLOCKS)]
fn text_and_metadata(bencher: Bencher, n: usize) {
    whole(bencher, n, Options::default());
}

#[divan::bench(args = BLOCKS)]
fn every_format_and_list(bencher: Bencher, n: usize) {
    let formats = Formats { blocks: false, ..Formats::ALL };
    whole(bencher, n, Options { formats, page_type: true, ..Options::default() });
}
