//! Compares the tree with html5ever's on every page of the data sets: `MAINTEXT_DATA=… cargo test --release -p maintext-html --test it
//! pages -- --ignored`.

#[path = "support/pages.rs"]
mod sets;

use maintext_html::{Arena, Document, ParseOptions};

#[test]
#[ignore = "reads the data sets; takes some minutes"]
fn every_page_gives_the_same_tree_as_html5ever() {
    let options = ParseOptions { max_depth: u32::MAX, bounded_work: false, ..ParseOptions::default() };
    let (mut count, mut different, mut bytes, mut depth) = (0, 0, 0, 0);
    let mut arena = Arena::new();
    for set in sets::data_sets() {
        let mut set_pages = 0;
        sets::each_page(&set, |id, html| {
            set_pages += 1;
            bytes += html.len();
            let theirs = crate::support::outline(&crate::support::html5ever_parse(&html), false);
            let doc = Document::parse_into(std::mem::take(&mut arena), &html, &options);
            let ours = crate::support::ours::outline(&doc);
            if ours != theirs {
                different += 1;
                println!("{} {id}\n{}", set.display(), crate::support::first_difference(&ours, &theirs));
            }
            let limited = Document::parse(&html, &ParseOptions::default());
            if limited.limits_hit().any() {
                depth += 1;
                println!("{} {id}: {:?}", set.display(), limited.limits_hit());
            }
            arena = doc.into_arena();
        });
        count += set_pages;
        println!("{}: {set_pages} pages", set.display());
    }
    println!("{count} pages, {bytes} bytes, {different} differ, {depth} reach a limit by default");
    assert!(count > 0, "no pages: is MAINTEXT_DATA set?");
    assert_eq!(different, 0);
}
