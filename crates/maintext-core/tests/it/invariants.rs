//! Invariants of every page: one choice of the content is behind all parts of the answer.
use crate::common::{each_page, example_files, html_files};
use maintext_core::blocks::count_words;
use maintext_core::rules::Rules;
use maintext_core::select::Selector;
use maintext_core::{Extractor, Formats, Input, Options, Page};
use serde_json::Value;
use std::path::{Path, PathBuf};

const URL: &str = "https://example.org/dir/page";

fn options() -> Options {
    Options { url: Some(URL.into()), formats: Formats { xml: false, ..Formats::ALL }, ..Options::default() }
}

fn read(html: &str, options: Options) -> Option<Page> {
    Extractor::new(options).unwrap().extract(html).ok()
}

/// Returns the JSON of a page without the keys that only a request for more fills.
fn keys(page: &Page) -> Value {
    let mut json = serde_json::to_value(page).unwrap();
    for key in ["page_type", "page_type_probabilities", "entries", "lists", "things", "warnings"] {
        json.as_object_mut().unwrap().remove(key);
    }
    json
}

/// Checks all invariants on a page, and returns the first one that does not hold.
fn broken(html: &str) -> Option<String> {
    let page = read(html, options())?;
    let words = count_words(page.text());
    if page.metadata.words != words {
        return Some(format!("'words' is {}, the text has {words}", page.metadata.words));
    }
    let more = read(html, Options { page_type: true, things: true, ..options() })?;
    if keys(&page) != keys(&more) {
        let (Value::Object(a), Value::Object(b)) = (keys(&page), keys(&more)) else { return Some("no object".into()) };
        let differ: Vec<&String> = a.keys().filter(|key| a.get(*key) != b.get(*key)).collect();
        return Some(format!("with kind and things, these keys differ: {differ:?}"));
    }
    if !more.entries.is_empty() && !more.posts.is_empty() {
        return Some(format!("{} entries and {} posts", more.entries.len(), more.posts.len()));
    }
    shown_otherwise(html).or_else(|| titled_otherwise(&page)).or_else(|| dropped_in_vain(html))
}

/// `inspect` shows the choice that `extract` writes.
fn shown_otherwise(html: &str) -> Option<String> {
    let mut extractor = Extractor::new(options()).unwrap();
    let (_, written) =
        extractor.extract_seen(Input::at(html, Some(URL), None), |analysis| analysis.choice.kept().to_vec()).ok()?;
    let source = extractor.decode(html, None).ok()?;
    let url = url::Url::parse(URL).ok();
    let mut analysis = extractor.analyze_source(&source, url.as_ref(), false);
    extractor.choose(&mut analysis, url.as_ref());
    let reasons = analysis.choice.why();
    let explains =
        |block: usize| reasons[block].last().is_some_and(|reason| reason.kept == analysis.choice.keeps(block));
    if analysis.choice.kept() != written {
        return Some("inspect and extract choose differently".into());
    }
    (0..analysis.choice.len()).find(|block| !explains(*block)).map(|block| format!("block {block} has no reason"))
}

/// Markdown and HTML begin with the same title, if they begin with one.
fn titled_otherwise(page: &Page) -> Option<String> {
    let is_titled = |begins: bool| if begins { "begins" } else { "does not begin" };
    let (markdown, html) = (page.markdown().starts_with("# "), page.html().trim_start().starts_with("<h1"));
    (markdown != html).then(|| format!("Markdown {} with a title, HTML {}", is_titled(markdown), is_titled(html)))
}

/// Text that a selector drops is in no key, unless the page has it twice.
fn dropped_in_vain(html: &str) -> Option<String> {
    /// Minimum number of words of a text that is not somewhere else by chance.
    const MIN_WORDS: u32 = 8;
    let mut extractor = Extractor::new(options()).unwrap();
    let see = |analysis: &maintext_core::Analysis<'_>| {
        let blocks = &analysis.blocks;
        let is_single = |b: &usize| {
            let text = blocks.text(*b);
            blocks.blocks[*b].words >= MIN_WORDS && html.matches(text).count() == 1
        };
        let block = (0..blocks.len()).filter(|b| analysis.choice.keeps(*b)).find(is_single)?;
        let container = &blocks.elements[blocks.blocks[block].container as usize];
        let start = analysis.dom.span(container.node).start;
        Some((blocks.text(block).to_owned(), start + 1 + analysis.dom.tag_name(container.node).len()))
    };
    let (_, found) = extractor.extract_seen(Input::at(html, Some(URL), None), see).ok()?;
    let (text, at) = found?;
    if !html.is_char_boundary(at) || html[..at].rfind('<').is_none_or(|tag| at - tag >= 20) {
        return None;
    }
    let marked = format!("{} data-dropped=1{}", &html[..at], &html[at..]);
    let rules = Rules { drop: vec![Selector::parse("[data-dropped]").unwrap()], ..Rules::default() };
    let page = read(&marked, Options { rules, page_type: true, things: true, ..options() })?;
    let json = serde_json::to_value(&page).unwrap();
    let key = json.as_object().unwrap().iter().find(|(_, value)| holds(value, &text))?.0;
    Some(format!("'{}…' was dropped and is in '{key}'", text.chars().take(40).collect::<String>()))
}

fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own.contains(text),
        Value::Array(values) => values.iter().any(|value| holds(value, text)),
        Value::Object(members) => members.values().any(|value| holds(value, text)),
        _ => false,
    }
}

#[test]
fn one_choice_is_behind_all_parts_of_an_answer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let more =
        ["forums", "structure", "barriers", "visibility"].into_iter().flat_map(|dir| html_files(&root.join(dir)));
    let files: Vec<PathBuf> = example_files().into_iter().chain(more).collect();
    assert!(files.len() > 60);
    let check = |file: &PathBuf| {
        let html = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        broken(&html).map(|fault| format!("{}: {fault}", file.display()))
    };
    let faults: Vec<String> = files.iter().filter_map(check).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Reads the pages of `$MAINTEXT_DATA/train`, or every `$MAINTEXT_EACH`th of them.
#[test]
#[ignore = "needs $MAINTEXT_DATA"]
fn one_choice_is_behind_all_parts_of_the_answers_on_the_data() {
    let data = PathBuf::from(std::env::var_os("MAINTEXT_DATA").expect("MAINTEXT_DATA is set"));
    let each: usize = std::env::var("MAINTEXT_EACH").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut sets: Vec<PathBuf> = std::fs::read_dir(data.join("train")).unwrap().map(|e| e.unwrap().path()).collect();
    sets.retain(|set| set.to_string_lossy().ends_with(".jsonl.zst") && !set.ends_with("wcxb-markdown.jsonl.zst"));
    sets.sort();
    let (mut pages, mut failed) = (0usize, 0usize);
    for set in sets {
        each_page(&set, |id, html| {
            pages += 1;
            if pages % each != 0 {
                return;
            }
            if let Some(fault) = broken(html) {
                failed += 1;
                println!("{} {id}: {fault}", set.display());
            }
        });
    }
    println!("{pages} pages, every {each}th read, {failed} with a fault");
    assert_eq!(failed, 0);
}
