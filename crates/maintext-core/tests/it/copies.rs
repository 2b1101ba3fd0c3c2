//! Parts of a page that grow times parts that repeat them: the result stays linear in the page.
use maintext_core::{Formats, Options, Page, extract};

fn page(html: &str) -> Page {
    extract(html, &Options { formats: Formats::ALL, metadata: true, ..Options::default() }).unwrap()
}

/// Returns the bytes of the page as JSON.
fn bytes(page: &Page) -> usize {
    serde_json::to_string(page).unwrap().len()
}

/// A page whose first part is repeated by each of the others.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 5] = [
    ("base", |n| {
        let links = (0..n).map(|i| format!("<p>Some words of text, <a href={i}>linked</a> here.</p>"));
        format!("<base href='https://e.org/{}/'><h1>T</h1>{}", "a".repeat(40 * n), links.collect::<String>())
    }),
    ("base below the longest address", |n| {
        let links = (0..4 * n).map(|i| format!("<p>Some words of text, <a href={i}>linked</a> here.</p>"));
        format!("<base href='https://e.org/{}/'><h1>T</h1>{}", "a".repeat(8_000), links.collect::<String>())
    }),
    ("link around blocks", |n| {
        format!(
            "<h1>T</h1><a href='https://e.org/{}'>{}",
            "a".repeat(8_000),
            "<div>Words of the text.</div>".repeat(4 * n)
        )
    }),
    ("link around images", |n| {
        let images = "<p>Words of the text. <img src=a.jpg alt='A picture of it'></p>".repeat(4 * n);
        format!("<h1>T</h1><p>Some words.</p><a href='https://e.org/{}'>{images}", "a".repeat(8_000))
    }),
    ("caption", |n| {
        let images = (0..n).map(|i| format!("<img src={i}.jpg>")).collect::<String>();
        format!("<p>Some words of text.</p><figure>{images}<figcaption>{}</figcaption></figure>", "word ".repeat(8 * n))
    }),
];

#[test]
fn what_grows_times_what_repeats_it_stays_linear_and_is_a_warning_with_a_count() {
    for (name, kind) in KINDS {
        let html = kind(300);
        let page = page(&html);
        // Text, Markdown, HTML, TEI and JSON may each hold the copies once.
        let limit = 5 * ((1 << 20) + 9 * html.len());
        assert!(bytes(&page) < limit, "{name}: {} bytes for {}", bytes(&page), html.len());
        let said = page.warnings.iter().find(|w| w.message.contains("left out")).map(|w| w.message.as_str());
        let count = said.and_then(|m| m.split(' ').next()).and_then(|n| n.parse::<u32>().ok());
        assert!(count.is_some_and(|n| n > 0), "{name}: {:?}", page.warnings);
    }
}

#[test]
fn formulas_are_not_markup_for_other_parsers() {
    let html = "<p>Let <math><annotation encoding='application/x-tex'>a</annotation></math> \
        $a&lt;script&gt;alert(1)&lt;/script&gt; [c](javascript:x)$ and $x&lt;y$ be known, as the text says.</p>\
        <p>And <span class=math>\\(a&lt;img onerror=x&gt; b\\)</span> too, as the text says once more.</p>\
        <p><math><annotation encoding='application/x-tex'>a &lt;b onclick=x&gt; [c](javascript:x) `&lt;i&gt;</annotation></math> is it.</p>";
    let markdown = page(html).markdown.unwrap();
    for part in ["<script", "<img", "](javascript", "<b on"] {
        let live = markdown.match_indices(part).any(|(at, _)| !markdown[..at].ends_with('\\'));
        assert!(!live, "{part} in {markdown}");
    }
}

#[test]
fn a_formula_that_ends_with_the_name_of_a_tag_begins_no_html() {
    let html = "<p>Let it be known, as the text says, that</p>\
        <math display=block><annotation encoding='application/x-tex'>a\n&lt;script</annotation></math><p>is it.</p>";
    let markdown = page(html).markdown.unwrap();
    assert!(markdown.contains("< script") && !markdown.contains("<script"), "{markdown}");
}
