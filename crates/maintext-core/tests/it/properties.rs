//! Properties of every page, tested on the examples, on generated tag soup, and on damaged versions of both.

use crate::common::{Random, example_files, words};
use maintext_core::blocks::Blocks;
use maintext_core::method::Favor;
use maintext_core::rules::Rules;
use maintext_core::select::Selector;
use maintext_core::{Extractor, Formats, Options, dom};

/// The example pages, by name.
fn examples() -> Vec<(String, Vec<u8>)> {
    let files = example_files();
    assert!(files.len() > 10);
    files.into_iter().map(|p| (p.display().to_string(), std::fs::read(p).unwrap())).collect()
}

const PIECES: [&str; 40] = [
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href=/x>",
    "</a>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<ul>",
    "<li>",
    "</ul>",
    "<h1>",
    "</h1>",
    "<article>",
    "</article>",
    "<nav>",
    "</nav>",
    "<script>x</script>",
    "<style>",
    "</style>",
    "<!--",
    "-->",
    "<br>",
    "<img src=a.png alt=picture>",
    "<time datetime=2024-05-17>",
    "<meta property=og:title content='A &amp; B'>",
    "<noscript>",
    "<template>",
    "Some words of a sentence, and then some more. ",
    "红色的狐狸跑过了田野。",
    "Ещё одно предложение. ",
    "by Jane Doe",
    "17 May 2024",
    "&nbsp;&lt;&#0;&#xD800;",
    "\u{0}\u{feff}\u{202e}",
    "<svg><foreignObject><p>",
];

fn soup(random: &mut Random) -> String {
    (0..random.below(120)).map(|_| PIECES[random.below(PIECES.len())]).collect()
}

fn everything() -> Options {
    let formats = Formats::ALL;
    let mut options = Options { url: Some("https://example.org/dir/page".into()), formats, ..Options::default() };
    // The headers of posts repeat words of the page in another form, and numbers of lists are not words of the page.
    options.render.post_headers = false;
    options.render.list_numbers = false;
    options
}

/// Checks that the letters and digits of `part` occur in `whole`, in order. In damaged markup, words may end where a sign at a heading is left out.
fn are_letters_of(part: &str, whole: &str) -> Result<(), String> {
    let mut rest = whole.chars();
    let mut letters = part.char_indices().filter(|(_, c)| c.is_alphanumeric());
    match letters.find(|(_, c)| !rest.any(|x| x == *c)) {
        Some((i, _)) => Err(format!("out of order: {}", part[i..].chars().take(60).collect::<String>())),
        None => Ok(()),
    }
}

/// Checks that the words of `part` occur in `whole`, in order.
fn is_subsequence(part: &str, whole: &str) -> Result<(), String> {
    let (part, mut rest) = (words(part), words(whole).into_iter());
    match part.iter().position(|w| !rest.any(|x| x == *w)) {
        Some(i) => Err(format!("out of order: {}", part[i.saturating_sub(4)..(i + 8).min(part.len())].join(" "))),
        None => Ok(()),
    }
}

fn check(html: &[u8], name: &str, damaged: bool) {
    let mut extractor = Extractor::new(everything()).unwrap();
    let page = match extractor.extract(html) {
        Ok(page) => page,
        // Damage may leave nothing of a page.
        Err(_) if damaged => return,
        Err(e) => panic!("{name}: {e}"),
    };
    let source = maintext_core::decode::decode(html, None).text;
    let tree = dom::parse(&source, &Default::default());
    let blocks = Blocks::new(&tree);
    let whole: String = (0..blocks.len()).map(|i| crate::common::visible(blocks.text(i)) + "\n").collect();
    // Text from scripts is not text of the visible page.
    if !page.warnings.iter().any(|w| w.code.as_str() == "embedded_content") {
        let compare = if damaged { are_letters_of } else { is_subsequence };
        compare(page.text(), &whole).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let xml = page.xml.as_deref().unwrap_or("");
    roxmltree::Document::parse(xml).unwrap_or_else(|e| panic!("{name}: the XML is not well-formed: {e}\n{xml}"));
    let json = serde_json::to_string(&page).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{name}");
    let again = extractor.extract(html).unwrap();
    assert_eq!(json, serde_json::to_string(&again).unwrap(), "{name}: a second extraction gives another result");
}

#[test]
fn on_the_examples() {
    for (name, html) in examples() {
        check(&html, &name, false);
    }
}

#[test]
fn on_tag_soup() {
    let mut random = Random(11);
    for i in 0..60 {
        let html = soup(&mut random);
        check(html.as_bytes(), &format!("soup {i}: {html}"), false);
    }
}

#[test]
fn on_examples_cut_anywhere_and_with_broken_bytes() {
    let mut random = Random(5);
    for (name, html) in examples() {
        check(&html[..random.below(html.len())], &format!("{name}, cut"), true);
        let mut broken = html.clone();
        for _ in 0..broken.len() / 100 {
            let at = random.below(broken.len());
            broken[at] = random.next() as u8;
        }
        check(&broken, &format!("{name}, broken"), true);
    }
}

/// Extracted content, written as HTML, is content as a whole: a second extraction keeps at least 98 % of the words of all pages
/// together. On a page of two short diary entries it may drop a line of ten words.
#[test]
fn a_second_extraction_keeps_the_content() {
    let mut extractor = Extractor::new(everything()).unwrap();
    let (mut all_before, mut all_after) = (0, 0);
    for (name, html) in examples() {
        let first = extractor.extract(&html).unwrap_or_else(|e| panic!("{name}: {e}"));
        let title = first.metadata.title.clone().unwrap_or_default();
        let inner = first.html.clone().unwrap_or_default();
        let wrapped =
            format!("<html><head><title>{title}</title></head><body><article>{inner}</article></body></html>");
        let second = extractor.extract(&wrapped).unwrap();
        let (before, after) = (words(first.text()).len(), words(second.text()).len());
        assert!(after * 100 >= before * 95, "{name}: {after} of {before} words\n{}", second.text());
        all_before += before;
        all_after += after.min(before);
    }
    assert!(all_after * 100 >= all_before * 98, "{all_after} of {all_before} words");
}

#[test]
fn pages_without_class_or_id_still_have_text() {
    let mut extractor = Extractor::new(everything()).unwrap();
    for (name, html) in examples() {
        let source = maintext_core::decode::decode(&html, None).text;
        let mut bare = String::new();
        let mut rest = source.as_ref();
        while let Some(i) = [" class=", " id="].iter().filter_map(|a| rest.find(a)).min() {
            bare.push_str(&rest[..i]);
            let value = &rest[i + 1..];
            let value = &value[value.find('=').unwrap_or(0) + 1..];
            let end = match value.chars().next() {
                Some(q @ ('"' | '\'')) => value[1..].find(q).map_or(value.len(), |e| e + 2),
                _ => value.find([' ', '>']).unwrap_or(value.len()),
            };
            rest = &value[end..];
        }
        bare.push_str(rest);
        let page = extractor.extract(&bare).unwrap();
        assert!(!page.text().is_empty(), "{name}: nothing is left");
    }
}

#[test]
fn results_are_the_same_on_one_thread_and_on_many() {
    let pages = examples();
    let run = || -> Vec<String> {
        let mut extractor = Extractor::new(everything()).unwrap();
        pages
            .iter()
            .map(|(_, h)| extractor.extract(h).map_or_else(|e| e.to_string(), |p| serde_json::to_string(&p).unwrap()))
            .collect()
    };
    let alone = run();
    std::thread::scope(|s| {
        let threads: Vec<_> = (0..4).map(|_| s.spawn(run)).collect();
        for t in threads {
            assert_eq!(t.join().unwrap(), alone);
        }
    });
}

/// A text appears once: text in the formats is not a comment as well, unless the caller wants all text.
#[test]
fn no_comment_is_in_the_text_as_well() {
    let comment = |n: usize| {
        format!(
            "<li class=comment id=c{n}><b class=author>Reader {n}</b> <time datetime=2024-05-1{n}>May 1{n}</time>\
             <p>We walked there on day {n}, and the old mill by the river was open.</p></li>"
        )
    };
    let comments: String = (1..7).map(comment).collect();
    let story =
        "<p>The mill was built in 1720, and its wheel has turned ever since, in good years and in bad ones.</p>"
            .repeat(4);
    let html = format!(
        "<article><h1>The old mill</h1>{story}</article><section id=comments class=comments><ol>{comments}</ol></section>"
    );
    let read = |content: Option<&str>, favor: Favor| {
        let rules = Rules { content: content.map(|c| Selector::parse(c).unwrap()), ..Rules::default() };
        let page = Extractor::new(Options { rules, favor, ..Options::default() }).unwrap().extract(&html).unwrap();
        let text = page.text();
        let inside = page.comments.iter().filter(|c| text.contains(&c.text)).count();
        (page.comments.len(), inside)
    };
    assert_eq!(read(None, Favor::Balance), (6, 0));
    assert_eq!(read(Some("article"), Favor::Balance), (6, 0));
    assert_eq!(read(Some("body"), Favor::Balance), (0, 0), "the caller chose the comments as text");
    assert_eq!(read(Some("body"), Favor::Recall), (6, 6));
    for (name, bytes) in examples() {
        let page = Extractor::new(Options::default()).unwrap().extract(bytes.as_slice()).unwrap();
        let twice = page.comments.iter().find(|c| words(&c.text).len() > 7 && page.text().contains(&c.text));
        assert!(twice.is_none(), "{name}: {twice:?}");
    }
}
