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

#[test]
fn published_methods_need_no_feature() {
    for method in Method::ALL.into_iter().skip(1) {
        let options = Options::new().with_method(method).with_metadata(false).with_comments(false);
        let page = Extractor::new(options).unwrap().extract(PAGE).unwrap();
        assert!(page.text().contains("The ferry"), "{method}");
    }
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
