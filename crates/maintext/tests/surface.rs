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
    let page = maintext::extract(html, &Options::new().with_fields(["things", "page_type"]).unwrap()).unwrap();
    assert_eq!((page.things.len(), page.page_type.is_some()), (1, true));
    let page = maintext::extract(html, &Options::new().with_fields(["title"]).unwrap()).unwrap();
    assert_eq!((page.things.len(), page.page_type.is_some()), (0, false));
}

#[test]
fn the_names_of_fields_are_the_keys_of_the_json() {
    let json = serde_json::to_value(maintext::Page::default()).unwrap();
    let keys = json.as_object().unwrap().keys();
    assert_eq!(keys.filter(|key| !Options::FIELDS.contains(&key.as_str())).collect::<Vec<_>>(), [""; 0]);
    let error = Options::new().with_fields(["titel"]).unwrap_err();
    assert!(error.to_string().starts_with("no field 'titel'; the fields are: url, "), "{error}");
    let page =
        maintext::extract(PAGE, &Options::new().with_method(Method::TextDensity).with_fields(["markdown"]).unwrap());
    assert!(page.unwrap().markdown().contains("The ferry"));
}

#[test]
fn wrong_settings_are_errors_with_one_message() {
    for error in [
        Options::new().with_now("2024-13-45").unwrap_err(),
        Options::new().with_site_rules(".example.org", maintext::Rules::new()).unwrap_err(),
        maintext::Rules::new().with_drop("p[").unwrap_err(),
        "pdf".parse::<maintext::Format>().unwrap_err(),
    ] {
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(std::error::Error::source(&error).is_none(), "{error}");
    }
}

#[test]
fn site_rules_apply_to_hosts_in_any_script() {
    let rules = maintext::Rules::new().with_content("#b").unwrap();
    let options = Options::new().with_method(Method::TextDensity).with_site_rules("München.example", rules).unwrap();
    let html = "<p id=a>One text of some words.<p id=b>Another text of some words.";
    for host in ["münchen.example", "www.xn--mnchen-3ya.example"] {
        let url = format!("https://{host}/a");
        let page = maintext::extract(maintext::Input::from(html).with_url(&url), &options).unwrap();
        assert_eq!(page.text(), "Another text of some words.\n", "{host}");
    }
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
}

#[cfg(not(feature = "lists"))]
#[test]
fn lists_name_their_feature() {
    let options = Options::new().with_method(Method::TextDensity);
    let error = Extractor::new(options).unwrap().list(PAGE).unwrap_err();
    assert!(error.to_string().contains("'lists'"), "{error}");
}

#[test]
fn a_charset_of_utf_16_is_believed_without_a_mark() {
    let page = "<p>Паром уходит в девять часов, и никто не ждёт тех, кто опоздал.";
    let bytes: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let options = Options::new().with_method(Method::TextDensity);
    let read = |input| maintext::extract(input, &options).map(|page| page.text().trim_end().to_owned());
    let input = maintext::Input::from(&bytes).with_charset("UTF-16LE");
    assert_eq!(read(input).unwrap(), &page[3..]);
}
