//! No format holds text that visitors never see. All formats hold text that a click or a script shows.
use maintext_core::{Extractor, Formats, Input, Options, extract};

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
        let page = extractor.extract(Input { whole: true, ..(&page(case)).into() }).unwrap();
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

#[test]
fn a_price_that_only_the_design_divides_is_read_as_screen_readers_read_it() {
    let design = |cents: &str| format!("<span aria-hidden=true>$12{cents}</span>");
    let raised = design("<sup>50</sup>");
    let reader = |text: &str| format!("<span class=sr-only>{text}</span>");
    for (price, expected) in [
        (reader("$12.50") + &raised, "$12.50"),
        (raised.clone() + &reader("$12.50"), "$12.50"),
        (reader("$12.50") + &design(".50"), "$12.50"),
        (reader("Price of the basket") + &raised, "$1250"),
        (reader("$99.50") + &raised, "$1250"),
    ] {
        let html = format!("<p>It costs <b>{price}</b> at the mill.</p>");
        let page =
            Extractor::new(Options::default()).unwrap().extract(Input { whole: true, ..(&html).into() }).unwrap();
        assert_eq!(page.text(), format!("It costs {expected} at the mill.\n"), "{html}");
    }
}

/// Designs move sections into view one after the other, so that a class of several hidden elements is not hidden for good.
#[test]
fn a_hidden_note_in_each_line_of_a_list_is_not_seen() {
    let text = |note: &str| {
        let row = |name: &str| format!("<li><p>{name}, {SENTENCE}</p>{note}</li>");
        let rows: String = ["Mint", "Fennel", "Sage", "Thyme"].into_iter().map(row).collect();
        let style = "<style>li .note { visibility: hidden; height: 0 }</style>";
        extract(&format!("{style}<main><h1>Herbs</h1><ul>{rows}</ul></main>"), &Options::default())
            .unwrap()
            .text()
            .to_owned()
    };
    assert!(!text("<span class=note>reorder before the fair</span>").contains("reorder"));
    assert!(text("<div class=note>Dried in the shade.</div>").contains("shade"));
}

/// A price is often written twice: with `aria-hidden` for the eye, and in words for screen readers.
#[test]
fn a_text_that_is_repeated_for_screen_readers_is_seen() {
    let shown = |price: &str| {
        let story = format!("<p>{SENTENCE}</p>").repeat(3);
        let html = format!("<title>Lamp</title><main><h1>Lamp</h1>{story}<div class=price>{price}</div>{story}</main>");
        extract(&html, &Options::default()).unwrap().text().contains("$359.99")
    };
    let (seen, heard) = ("<span aria-hidden=true>$359.99</span>", "<span class=sr-only>The price is $359.99</span>");
    assert!(shown(&format!("{seen}{heard}")) && shown(&format!("{heard}{seen}")));
}

/// A text in characters of Unicode's plane of tags.
fn tags(text: &str) -> String {
    text.chars().filter_map(|c| char::from_u32(c as u32 + 0xe0000)).collect()
}

#[test]
fn characters_that_show_nothing_are_in_no_format_and_are_counted() {
    let hidden = tags(SENTENCE);
    let cut: String = "lighthouse".chars().flat_map(|c| [c, '\u{200c}', '\u{200b}']).collect();
    let html = page(&Case {
        name: "",
        is_hidden: true,
        head: format!("<meta name=author content='Ada{hidden} Moor'>"),
        body: format!(
            "<p id=pier>The {cut} stands on the pier{hidden}, \u{202e}and\u{202c} its keeper rows out each day to count the boats.</p>\
             <img src=/a.png alt='A boat{hidden}' title='Low\u{e000}\u{e001} tide' width=400 height=300>\
             <pre>let a{hidden} = 1;</pre><p>The family 👩\u{200d}👧 می\u{200c}روم waved from the shore, and the ferry went on to the next island.</p>"
        ),
    });
    let mut extractor = Extractor::new(Options { formats: Formats::ALL, ..Options::default() }).unwrap();
    let page = extractor.extract(Input { whole: true, ..(&html).into() }).unwrap();
    let json = serde_json::to_string(&page).unwrap();
    for output in [page.text.as_deref(), page.xml.as_deref(), Some(&json)].into_iter().flatten() {
        let secret =
            |c: char| matches!(c, '\u{200b}' | '\u{202e}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}');
        assert!(!output.contains(secret), "{output}");
        assert!(output.contains("The lighthouse stands on the pier, and"), "{output}");
        assert!(output.contains("👩\u{200d}👧 می\u{200c}روم"), "{output}");
    }
    assert_eq!(page.metadata.author.as_deref(), Some("Ada Moor"));
    assert_eq!((page.images[0].alt.as_deref(), json.contains("Low tide")), (Some("A boat"), true));
    let part = page.hidden.iter().find(|part| part.characters.is_some()).unwrap();
    let count = 3 * SENTENCE.len() + "lighthouse".len() + 3 + 1;
    assert_eq!((part.element.as_str(), part.characters), ("p#pier", Some(count as u32)));
    assert!(part.text.starts_with(SENTENCE) && page.warnings.iter().any(|w| w.code.as_str() == "hidden_text"));

    let mut keeping = Extractor::new(Options { keep_hidden: true, ..Options::default() }).unwrap();
    assert!(keeping.extract(Input { whole: true, ..(&html).into() }).unwrap().text().contains(&hidden));
}
