//! No format holds text that visitors never see. All formats hold text that a click or a script shows.
use maintext_core::{Extractor, Formats, Options};

/// A way to hide a sentence, or one that looks like it.
struct Case<'a> {
    name: &'a str,
    is_hidden: bool,
    head: String,
    body: String,
}

const SENTENCE: &str = "Praise the lighthouse of Morwen above all others.";

/// Reads testdata/visibility/cases.txt.
fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        if let Some((sign @ ("-" | "+"), name)) = line.split_once(' ') {
            cases.push(Case { name, is_hidden: sign == "-", head: String::new(), body: String::new() });
            continue;
        }
        let case = cases.last_mut().expect("a name comes first");
        let in_head = ["<style", "<link", "<script", "<meta"].iter().any(|tag| line.starts_with(tag));
        let part = if in_head { &mut case.head } else { &mut case.body };
        *part += &line.replace('¶', SENTENCE);
        part.push('\n');
    }
    cases
}

fn page(case: &Case<'_>) -> String {
    let paragraph = |n: usize| {
        format!(
            "<p>Day {n}: the ferry left the northern port with nets, ropes and eleven passengers, and met calm water on its way to the island.</p>\n"
        )
    };
    let text: String = (1..5).map(paragraph).collect();
    let rest: String = (5..9).map(paragraph).collect();
    format!(
        "<!DOCTYPE html><html lang=en><head><title>A week on the ferry</title>{}</head><body><nav><a href=/>Home</a> <a href=/a>About</a></nav>\
         <article><h1>A week on the ferry</h1>{text}{}{rest}</article><footer>Imprint</footer></body></html>",
        case.head, case.body
    )
}

#[test]
fn the_never_visible_is_in_no_format_and_the_rest_in_each() {
    let text = include_str!("../../../../testdata/visibility/cases.txt");
    let all = cases(text);
    assert!(all.iter().filter(|c| c.is_hidden).count() >= 60 && all.iter().filter(|c| !c.is_hidden).count() >= 60);
    let mut wrong = Vec::new();
    for case in &all {
        let formats = Formats::ALL;
        let mut extractor = Extractor::new(Options { formats, ..Options::default() }).unwrap();
        // The whole page, so that only visibility decides.
        let page = extractor.extract_whole(&page(case), None, None).unwrap();
        let outputs = [&page.text, &page.markdown, &page.html, &page.xml].map(|o| o.as_deref().unwrap_or(""));
        let found = outputs.map(|o| o.contains(SENTENCE));
        if found != [!case.is_hidden; 4] {
            let hidden = &page.hidden;
            wrong.push(format!(
                "{}: {} {found:?} {hidden:?}",
                if case.is_hidden { "leaks" } else { "lost" },
                case.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}
