//! The caller's rules, and the candidates for metadata.
use super::{Folder, maintext};

const PAGE: &str = "<html lang=en><title>A walk - The Paper</title><body><article><h1>A walk</h1><p class=by>By Jane Doe</p>
<time datetime=2024-05-17T09:30+02:00>17 May</time><p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted.</p>
<p class=ad>Subscribe now, and read a walk every week of the year.</p></article>";

#[test]
fn selectors_override_content_and_fields() {
    let folder = Folder::new("rules");
    let page = folder.write("page.html", PAGE);
    let drop =
        maintext(&["extract", "--content-selector", "article", "--drop-selector", ".ad, h1, .by, time", &page]).good();
    assert_eq!(
        drop.trim(),
        "We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted."
    );
    let json =
        maintext(&["extract", "-f", "json", "--field", "author=h1", "--field", "description=html@lang", &page]).good();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["author"], &json["description"]), (&"A walk".into(), &"en".into()));
    assert_eq!(json["metadata_sources"]["author"], "rule h1");
}

#[test]
fn a_selector_that_matches_nothing_is_a_warning() {
    let folder = Folder::new("unmatched");
    let page = folder.write("page.html", PAGE);
    let default = maintext(&["extract", &page]).good();
    let run = maintext(&["extract", "--content-selector", "#none", &page]);
    assert_eq!((run.status, run.stdout), (Some(0), default));
    assert!(run.stderr.contains("'#none' matches nothing"), "{}", run.stderr);
}

#[test]
fn a_bad_selector_is_invalid_usage_and_its_position_is_reported() {
    let folder = Folder::new("bad-rules");
    let rules = folder.write("rules.toml", "[\"e.org\"]\ncontent = \"p >\"\n");
    for (flag, value, message) in [
        ("--content-selector", "p >", "selector 'p >', column 4"),
        ("--field", "author=p..x", "selector 'p..x', column 5"),
        ("--field", "byline=p", "no field 'byline'"),
        ("--rules", &rules, "line 2, column 11: selector 'p >', column 4"),
        ("--rules", "/does/not/exist", "No such file"),
        ("--now", "soon", "expected a date"),
    ] {
        let run = maintext(&["extract", flag, value, "-"]);
        assert_eq!(run.status, Some(2), "{flag} {value}");
        assert!(run.stderr.contains(message), "{flag} {value}: {}", run.stderr);
    }
}

#[test]
fn rules_in_a_file_apply_to_their_site() {
    let folder = Folder::new("site-rules");
    let page = folder.write("page.html", PAGE);
    let rules = folder.write("rules.toml", "[\"e.org\"]\ncontent = \".ad\"\ndrop = \"nav\"\n");
    let of = |url: &str| maintext(&["extract", "--rules", &rules, "--url", url, &page]).stdout;
    assert!(of("https://www.e.org/").starts_with("Subscribe now"));
    assert!(of("https://f.org/").contains("We left early"));
    let saved = PAGE.replace("<title>", "<link rel=canonical href=https://www.e.org/walk><title>");
    let saved = folder.write("saved.html", saved);
    assert!(maintext(&["extract", "--rules", &rules, &saved]).stdout.starts_with("Subscribe now"));
}

#[test]
fn inspect_shows_the_candidates_and_the_reasons_for_the_choice() {
    let folder = Folder::new("candidates");
    let page = folder.write("page.html", PAGE);
    let text = maintext(&["inspect", "--metadata", &page]).good();
    for line in ["title: A walk\n", "author: Jane Doe\n", "date: 2024-05-17\n", "first over second: "] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let json = maintext(&["inspect", "--metadata=json", &page]).good();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let best = &json["candidates"]["date"][0];
    assert_eq!(best["value"], "2024-05-17T09:30+02:00");
    assert_eq!(best["evidence"][0]["key"], "time");
    assert_eq!(json["metadata"]["metadata_sources"]["title"], "h1");
}
