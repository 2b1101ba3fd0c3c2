//! Rules of callers for the content and the fields of a page.
use maintext_core::rules::{FieldRule, Rules, SiteRules};
use maintext_core::select::Selector;
use maintext_core::{Options, WarningCode, extract};

const PAGE: &str = "<title>A walk</title><body><nav>Home</nav><main><h1>A walk</h1><p>We left early, and the road was empty.
    <b class=x>Nobody</b> spoke.</p><p class=promo>Subscribe now and read every walk of the year.</p></main><div id=by>Jane Doe, John Roe</div>";

fn rules(json: &str) -> Rules {
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_content_is_what_the_selector_matches() {
    let options = Options { rules: rules(r#"{"content":"main p","drop":[".promo",".x"]}"#), ..Options::default() };
    let page = extract(PAGE, &options).unwrap();
    assert_eq!(page.text().trim(), "We left early, and the road was empty. spoke.");
    assert!(page.warnings.is_empty(), "{:?}", page.warnings);
}

#[test]
fn a_selector_without_matches_adds_a_warning_and_changes_nothing() {
    let default = extract(PAGE, &Options::default()).unwrap();
    let rules = rules(r##"{"content":"#none","drop":".none","fields":{"author":".none"}}"##);
    let page = extract(PAGE, &Options { rules, ..Options::default() }).unwrap();
    assert_eq!((page.text(), &page.metadata.author), (default.text(), &default.metadata.author));
    assert_eq!(
        page.warnings.iter().filter(|w| w.code == WarningCode::SelectorNoMatch).count(),
        3,
        "{:?}",
        page.warnings
    );
}

#[test]
fn fields_come_from_selectors() {
    let options =
        Options { rules: rules(r##"{"fields":{"author":"#by","tags":["h1","nav"]}}"##), ..Options::default() };
    let m = extract(PAGE, &options).unwrap().metadata;
    assert_eq!(m.authors, ["Jane Doe", "John Roe"]);
    assert_eq!(m.tags, ["A walk"]);
    assert_eq!(m.sources["author"], "rule #by");
}

#[test]
fn the_longest_matching_host_wins() {
    let rules = |c: &str| Rules { content: Selector::parse(c).ok(), ..Rules::default() };
    let sites =
        SiteRules::new([("e.org".into(), rules("a")), ("n.E.org".into(), rules("b")), ("*".into(), rules("i"))])
            .unwrap();
    let of = |host| sites.of(host).unwrap().content.as_ref().unwrap().as_str().to_owned();
    let found = [of(Some("www.e.org")), of(Some("n.e.org")), of(Some("x.com")), of(None)];
    assert_eq!(found, ["a", "b", "i", "i"]);
    for host in ["", "https://e.org", "e.org:8080", "*.e.org", "e.org/a"] {
        let error = SiteRules::new([(host.to_owned(), rules("a"))]).unwrap_err().to_string();
        assert!(error.starts_with(&format!("'{host}' is neither a host")), "{error}");
    }
}

#[test]
fn malformed_rules_are_refused() {
    for (text, message) in [
        ("author", "'author' is not of the form NAME=SELECTOR"),
        ("byline=p", "no field 'byline' (known: title, "),
        ("author=p..x", "selector 'p..x', column "),
    ] {
        let error = FieldRule::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert!(serde_json::from_str::<Rules>(r#"{"contents":"p"}"#).is_err());
    assert_eq!(FieldRule::parse("date=time[title*='@x']@datetime").unwrap().attribute.as_deref(), Some("datetime"));
    assert_eq!(FieldRule::parse("date=time[title*='@x']").unwrap().attribute, None);
}
