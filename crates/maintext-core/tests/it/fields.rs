//! Each part of a page is the same alone as with all others, and a part that was not requested is not computed.

use maintext_core::{Extractor, Fields, Formats, Options, Page};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The keys of a page's JSON that need parts of it, by part.
const KEYS: &[&[&str]] = &[
    &["title"],
    &["author", "authors"],
    &["date", "date_modified"],
    &["language", "language_detected"],
    &["url", "hostname"],
    &["image", "videos"],
    &[
        "sitename",
        "description",
        "categories",
        "tags",
        "license",
        "breadcrumb",
        "accessible_for_free",
        "alternates",
        "words",
        "reading_minutes",
        "feeds",
    ],
    &["metadata_sources"],
    &["comments"],
    &["images"],
    &["parts", "single_page", "elsewhere", "markdown_url"],
    &["barrier"],
    &["warnings"],
];

/// Keys that cost nothing, or that have options of their own.
const OTHERS: &[&str] = &[
    "status",
    "final_url",
    "representation",
    "page_type",
    "confidence",
    "text",
    "markdown",
    "html",
    "blocks",
    "posts",
    "entries",
    "things",
    "data",
    "hidden",
    "preferences",
    "hidden_words",
];

/// Smallest page that is left out, in bytes; larger ones only take time.
const LARGE: usize = 60_000;

fn is_example(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("examples"))
}

/// Returns the pages of the examples, and every eighth page of the tests.
fn pages() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut folders, mut found) = (vec![root.join("examples"), root.join("testdata")], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "html") {
                found.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    let small = |(i, page): &(usize, (PathBuf, Vec<u8>))| page.1.len() < LARGE && (i % 8 == 0 || is_example(&page.0));
    found.into_iter().enumerate().filter(small).map(|(_, page)| page).collect()
}

fn extractor(keys: &[&str], formats: Formats) -> Extractor {
    Extractor::new(Options { fields: Fields::of(keys.iter().copied()), formats, ..Options::default() }).unwrap()
}

fn page(extractor: &mut Extractor, html: &[u8]) -> Page {
    extractor.extract_at(html, Some("https://example.org/news/a?page=2"), None).unwrap()
}

#[test]
fn each_part_is_the_same_alone_as_among_all() {
    let mut whole = Extractor::new(Options { formats: Formats::ALL, ..Options::default() }).unwrap();
    let mut alone: Vec<_> = KEYS.iter().map(|keys| (*keys, extractor(&keys[..1], Formats::NONE))).collect();
    let pages = pages();
    assert!(pages.len() > 20, "{} pages", pages.len());
    for (path, html) in &pages {
        let all = serde_json::to_value(page(&mut whole, html)).unwrap();
        for (keys, extractor) in &mut alone {
            let own = serde_json::to_value(page(extractor, html)).unwrap();
            for key in *keys {
                assert_eq!(own.get(key), all.get(key), "{key} of {}", path.display());
            }
        }
    }
    for keys in KEYS {
        let part = Fields::of([keys[0]]);
        assert!(keys.iter().all(|key| Fields::of([*key]) == part), "{keys:?} are not one part");
    }
    let known: Vec<&str> = [KEYS.concat().as_slice(), OTHERS].concat();
    let row = serde_json::to_value(Page::default()).unwrap();
    let Value::Object(row) = row else { panic!("a page is an object") };
    for key in row.keys() {
        assert!(known.contains(&key.as_str()), "{key}: add it to Fields::of and to KEYS, or to OTHERS");
    }
}

#[test]
fn the_formats_do_not_depend_on_the_parts() {
    let formats = |page: Page| [page.text, page.markdown, page.html, page.blocks];
    let mut whole = Extractor::new(Options { formats: Formats::ALL, ..Options::default() }).unwrap();
    let mut few = extractor(&[], Formats { xml: false, ..Formats::ALL });
    let mut tei = extractor(&[], Formats { xml: true, ..Formats::NONE });
    let mut text = extractor(&[], Formats::default());
    let mut typed = extractor(&[], Formats { blocks: true, ..Formats::NONE });
    for (path, html) in &pages() {
        let all = page(&mut whole, html);
        assert_eq!(page(&mut text, html).text, all.text, "{}", path.display());
        assert_eq!(page(&mut typed, html).blocks, all.blocks, "{}", path.display());
        assert_eq!(page(&mut tei, html).xml, all.xml, "{}", path.display());
        assert_eq!(page(&mut few, html).posts, all.posts, "{}", path.display());
        assert_eq!(formats(page(&mut few, html)), formats(all), "{}", path.display());
    }
}

/// A page with a statement for each part, and `n` of each of those that a page may repeat.
fn rich(n: usize) -> String {
    let each = |f: fn(usize) -> String| (0..n).map(f).collect::<String>();
    format!(
        "<title>A walk in the hills</title><link rel=canonical href=/a>{}<script type=application/ld+json>[{}{{}}]</script>
         <article><h1>A walk in the hills</h1><p>By <a rel=author href=/jane>Jane Doe</a>, 17 May 2024{}</article>",
        each(|i| format!("<link rel=alternate hreflang=de href=/de/{i}><meta property=article:tag content=fog{i}>")),
        each(|i| format!(r#"{{"@type": "NewsArticle", "headline": "Walk {i}", "author": {{"name": "Ann Roe"}}}},"#)),
        each(|i| format!("<p>We left early, and road {i} was empty until the hills.<p><img src=/i/{i}.jpg width=600>")),
    )
}

/// Stages that are left out allocate nothing. What one of them allocates must be missing without it.
#[test]
fn parts_that_nobody_asks_for_cost_nothing() {
    let html = rich(200);
    let calls = |fields: Fields| {
        let options = Options { fields, ..Options::default() };
        let mut extractor = Extractor::new(options).unwrap();
        page(&mut extractor, html.as_bytes());
        let before = crate::counting::calls();
        let page = page(&mut extractor, html.as_bytes());
        (crate::counting::calls() - before, page)
    };
    let (none, page) = calls(Fields::NONE);
    assert!(page.text().contains("road 199"));
    assert!(page.metadata.title.is_none() && page.metadata.alternates.is_empty() && page.images.is_empty());
    let (all, page) = calls(Fields::ALL);
    assert_eq!((page.metadata.alternates.len(), page.images.len()), (200, 200));
    assert!(2 * none < all, "{none} of {all} allocations without any part");
    // With each part, and the JSON-LD or the title that it needs, there are more, but not all.
    for keys in [&["title"][..], &["author"], &["date"], &["url"], &["description"], &["images"], &["parts"]] {
        let (own, _) = calls(Fields::of(keys.iter().copied()));
        assert!(none < own && own < all, "{keys:?}: {own} allocations; {none} without any part, {all} with all");
    }
}
