//! The public surface stays small, and works without the models of features that are off.
use maintext::{Extractor, Method, Options};

const PAGE: &str =
    "<nav><a href=/>Home</a></nav><p>The ferry leaves at nine, and comes back in the evening, except on Sundays.";

#[test]
fn the_crate_exports_at_most_forty_names() {
    let source = include_str!("../src/lib.rs");
    let exports =
        source.split("pub use ").skip(1).filter_map(|u| u.split_once(';')).map(|u| u.0.matches(',').count() + 1);
    let count: usize = exports.sum();
    assert!((20..=40).contains(&count), "{count} names");
    assert!(!source.contains("pub mod"), "modules widen the surface");
}

/// Returns the megabytes in the first parentheses or sentence after a name: "(0.3 MB)", ", 0.3 MB".
fn stated_size(text: &str) -> Option<f64> {
    text.split(" MB").next()?.rsplit(['(', ' ']).next()?.parse().ok()
}

#[test]
fn the_documentation_names_every_feature_and_the_size_of_its_models() {
    let (manifest, documentation) = (include_str!("../Cargo.toml"), include_str!("../src/lib.rs"));
    let features = manifest.split("default = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    for feature in features.split(", ").map(|name| name.trim_matches('"')) {
        assert!(documentation.contains(&format!("`{feature}`")), "the documentation lacks {feature}");
    }
    let models = [
        (
            "learned",
            &[
                "maintext-reading/models/early.mtx",
                "maintext-reading/models/main.mtx",
                "maintext-reading/models/roles.mtx",
            ][..],
        ),
        ("comments", &["maintext-reading/models/records.mtx"]),
        ("metadata", &["maintext-reading/models/metadata.mtx"]),
        (
            "lists",
            &[
                "maintext-reading/models/entries.mtx",
                "maintext-reading/models/list-confidence.mtx",
                "maintext-reading/models/page-type.mtx",
                "maintext-reading/models/pagination.mtx",
            ],
        ),
        ("languages", &["maintext-language/models/language.bin"]),
    ];
    let mut all = 0.0;
    for (feature, files) in models {
        let size = |file: &&str| std::fs::metadata(format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"))).unwrap().len();
        let size = files.iter().map(size).sum::<u64>() as f64 / 1e6;
        all += size;
        let documented = documentation.split(&format!("`{feature}` (")).nth(1).and_then(stated_size);
        let declared = manifest
            .split(&format!("\n{feature} = "))
            .next()
            .and_then(|before| before.lines().last())
            .and_then(stated_size);
        for stated in [documented, declared] {
            assert!(
                stated.is_some_and(|stated| (stated / size - 1.0).abs() < 0.2),
                "{feature}: {size:.2} MB, not {stated:?}"
            );
        }
    }
    let stated = documentation.split("the models take ").nth(1).and_then(stated_size);
    assert!(stated.is_some_and(|stated| (stated / all - 1.0).abs() < 0.1), "all: {all:.2} MB, not {stated:?}");
}

#[test]
fn published_methods_need_no_feature() {
    for method in Method::ALL.into_iter().skip(1) {
        let options = Options::new().with_method(method).with_metadata(false).with_comments(false);
        let page = Extractor::new(options).unwrap().extract(PAGE).unwrap();
        assert!(page.text().contains("The ferry"), "{method}");
    }
}

#[cfg(all(feature = "learned", feature = "lists", feature = "things"))]
#[test]
fn fields_that_are_named_are_read() {
    let html = "<html><body><h1>Lamps</h1><script type='application/ld+json'>{\"@type\": \"Product\", \"name\": \"A brass lamp\"}</script>\
        <p>A lamp of brass, with a shade of green glass, for a desk.</p></body></html>";
    let page = maintext::extract(html, &Options::new().with_fields(["things", "page_type"])).unwrap();
    assert_eq!((page.things.len(), page.page_type.is_some()), (1, true));
    let page = maintext::extract(html, &Options::new().with_fields(["title"])).unwrap();
    assert_eq!((page.things.len(), page.page_type.is_some()), (0, false));
}

#[test]
fn feeds_are_refused_by_name() {
    let error = maintext::extract("<?xml version='1.0'?><rss version='2.0'><channel>", &Options::new()).unwrap_err();
    assert!(error.is_not_html() && error.to_string().contains("an RSS feed"), "{error}");
}

#[cfg(not(feature = "learned"))]
#[test]
fn a_missing_model_names_its_feature() {
    let error = maintext::extract(PAGE, &Options::new()).unwrap_err();
    assert!(error.to_string().contains("'learned'"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[cfg(not(feature = "lists"))]
#[test]
fn lists_name_their_feature() {
    let options = Options::new().with_method(Method::TextDensity);
    let error = Extractor::new(options).unwrap().list(PAGE).unwrap_err();
    assert!(error.to_string().contains("'lists'"), "{error}");
}
