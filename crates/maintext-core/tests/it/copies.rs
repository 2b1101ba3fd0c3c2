//! Parts of a page that grow times parts that repeat them: the result stays linear in the page.
use maintext_core::schema::Schema;
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

/// Kinds whose copies reach the limit.
const KINDS: [Kind; 16] = [
    ("base and links", |n| {
        let links = (0..n).map(|i| format!("<p>Some words of text, <a href={i}>linked</a> here.</p>"));
        format!("<base href='https://e.org/{}/'><h1>T</h1>{}", "a".repeat(40 * n), links.collect::<String>())
    }),
    ("base below the longest address and links", |n| {
        let links = (0..4 * n).map(|i| format!("<p>Some words of text, <a href={i}>linked</a> here.</p>"));
        format!("{}<h1>T</h1>{}", base(), links.collect::<String>())
    }),
    ("link and blocks", |n| format!("<h1>T</h1>{}{}", link(), "<div>Words of the text.</div>".repeat(4 * n))),
    ("link and images", |n| {
        let images = "<p>Words of the text. <img src=a.jpg alt='A picture of it'></p>".repeat(4 * n);
        format!("<h1>T</h1><p>Some words.</p>{}{images}", link())
    }),
    ("caption and images", |n| {
        let images = (0..n).map(|i| format!("<img src={i}.jpg>")).collect::<String>();
        format!("<p>Some words of text.</p><figure>{images}<figcaption>{}</figcaption></figure>", "word ".repeat(8 * n))
    }),
    ("base and images", |n| {
        let images = (0..2 * n).map(|i| format!("<p>Some words of text. <img src={i}.jpg alt='A picture'></p>"));
        format!("{}<h1>T</h1>{}", base(), images.collect::<String>())
    }),
    ("base and feeds", |n| {
        let feeds = (0..4 * n).map(|i| format!("<link rel=alternate type=application/rss+xml href={i}>"));
        format!("{}{}<h1>T</h1><p>Some words of text.</p>", base(), feeds.collect::<String>())
    }),
    ("base and languages", |n| {
        let others = (0..4 * n).map(|i| format!("<link rel=alternate hreflang=de href={i}>"));
        format!("{}{}<h1>T</h1><p>Some words of text.</p>", base(), others.collect::<String>())
    }),
    ("base and players", |n| {
        let players =
            (0..4 * n).map(|i| format!("<p>Some words.</p><iframe allowfullscreen src='embed/player/{i}'></iframe>"));
        format!("{}<h1>T</h1>{}", base(), players.collect::<String>())
    }),
    ("base and entries", |n| {
        let entries = (0..4 * n)
            .map(|i| format!("<li><a href=/{i}x{}>The title of entry {i}</a> 2026-01-02</li>", "a".repeat(i % 7)));
        format!("{}<h1>T</h1><ul>{}</ul>", base(), entries.collect::<String>())
    }),
    ("base and pages of an article", |n| {
        let pages = (0..4 * n).map(|i| format!("<a href='?page={i}'>{i}</a> "));
        format!(
            "{}<h1>T</h1><p>Some words of text.</p><div class=pagination>{}</div>",
            base(),
            pages.collect::<String>()
        )
    }),
    ("name and works", |n| {
        let works =
            (0..4 * n).map(|i| format!("{{\"@type\":\"Article\",\"name\":\"T{i}\",\"author\":{{\"@id\":\"x\"}}}}"));
        graph(&format!("{{\"@id\":\"x\",\"name\":\"{}\"}}", "word ".repeat(8 * n)), works)
    }),
    ("person and data sets", |n| {
        let sets =
            (0..2 * n).map(|i| format!("{{\"@type\":\"Dataset\",\"name\":\"T{i}\",\"creator\":{{\"@id\":\"x\"}}}}"));
        graph(&format!("{{\"@id\":\"x\",\"name\":\"{}\"}}", "word ".repeat(8 * n)), sets)
    }),
    ("answer and questions", |n| {
        let answer = format!("{{\"@id\":\"x\",\"@type\":\"Answer\",\"text\":\"{}\"}}", "word ".repeat(8 * n));
        let questions = (0..4 * n).map(|i| {
            format!("{{\"@type\":\"FAQPage\",\"name\":\"T{i}\",\"mainEntity\":[{{\"@type\":\"Question\",\"name\":\"Q\",\"acceptedAnswer\":{{\"@id\":\"x\"}}}}]}}")
        });
        graph(&answer, questions)
    }),
    ("text and elements of a schema", |n| {
        format!("<h1>T</h1>{}<p>{}", "<div class=row>".repeat(n.min(400)), "words of it ".repeat(8 * n))
    }),
    ("base and links of a schema", |n| {
        let links = (0..4 * n).map(|i| format!("<p class=far><a href={i}>Words</a></p>"));
        format!("{}<h1>T</h1>{}", base(), links.collect::<String>())
    }),
];

/// Kinds without a limit on copies.
const PLAIN: [Kind; 5] = [
    ("cell and rows", |n| {
        let rows = "<tr><td>x y</tr>".repeat(n);
        format!(
            "<p>Words.</p><table><tr><th>A<th>B<tr><td rowspan={n}>{}<td>y</tr>{rows}</table>",
            "word ".repeat(3 * n)
        )
    }),
    ("note and references", |n| {
        let references = "<p>Some words<sup><a href='#n'>1</a></sup> here.</p>".repeat(n);
        format!("<h1>T</h1>{references}<ol><li id=n>{}</ol>", "word ".repeat(8 * n))
    }),
    ("header and cells", |n| {
        let rows = "<tr><td headers=h>x y<td>z</tr>".repeat(n);
        format!("<p>Words.</p><table><tr><th id=h>{}<th>B</tr>{rows}</table>", "word ".repeat(8 * n))
    }),
    ("class and elements", |n| {
        format!("<h1>T</h1><div class='{}'>{}", "word ".repeat(8 * n), "<p>Some words of the text.</p>".repeat(n))
    }),
    ("author and posts", |n| {
        let posts = (0..n).map(|i| {
            format!("<div class=post><b class=author>Ann</b> <time>2026-01-02</time><p>Post {i} of it.</p></div>")
        });
        format!("<meta name=author content='{}'><h1>T</h1>{}", "word ".repeat(8 * n), posts.collect::<String>())
    }),
];

/// Returns a page with JSON-LD.
fn graph(first: &str, others: impl Iterator<Item = String>) -> String {
    let others = others.map(|o| format!(",{o}")).collect::<String>();
    format!(
        "<script type=application/ld+json>{{\"@graph\":[{first}{others}]}}</script><h1>T</h1><p>Some words of text.</p>"
    )
}

/// Returns a base just below the longest address.
fn base() -> String {
    format!("<base href='https://e.org/{}/'>", "a".repeat(8_000))
}

/// Returns a link that is never closed.
fn link() -> String {
    format!("<a href='https://e.org/{}'>", "a".repeat(8_000))
}

const SCHEMA: &str = r#"{"type": "object", "properties": {
    "rows": {"type": "array", "items": {"type": "string"}, "x-selector": ".row"},
    "links": {"type": "array", "items": {"type": "string", "format": "uri"}, "x-selector": ".far a"}}}"#;

fn extracted(html: &str) -> Page {
    let schema = Some(Schema::parse(SCHEMA).unwrap());
    let (formats, page_type) = (Formats::ALL, true);
    extract(html, &Options { formats, metadata: true, things: true, page_type, schema, ..Options::default() }).unwrap()
}

#[test]
fn what_grows_times_what_repeats_it_stays_linear_and_is_a_warning_with_a_count() {
    for (i, (name, kind)) in KINDS.into_iter().chain(PLAIN).enumerate() {
        let (small, large) = (kind(150), kind(300));
        let (few, many) = (extracted(&small), extracted(&large));
        // Text, Markdown, HTML, TEI and JSON may each hold the copies once.
        let limit = 5 * ((1 << 20) + 9 * large.len());
        assert!(bytes(&many) < limit, "{name}: {} bytes for {}", bytes(&many), large.len());
        let ratio = |few: usize, many: usize| many as f64 / few as f64;
        let (of_bytes, of_work) = (ratio(bytes(&few), bytes(&many)), ratio(few.work as usize, many.work as usize));
        assert!(of_bytes < 2.6 && of_work < 2.6, "{name}: {of_bytes} times the bytes, {of_work} times the work");
        let said = many.warnings.iter().find(|w| w.message.contains("left out")).map(|w| w.message.as_str());
        let count = said.and_then(|m| m.split(' ').next()).and_then(|n| n.parse::<u32>().ok());
        assert!(i >= KINDS.len() || count.is_some_and(|n| n > 0), "{name}: {:?}", many.warnings);
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

fn things(html: &str) -> Page {
    extract(html, &Options { things: true, ..Options::default() }).unwrap()
}

/// Returns the numbers of omitted items in the warnings of a page.
fn left_out(page: &Page) -> Vec<usize> {
    let said = page.warnings.iter().filter(|w| w.message.contains("beyond the limit left out"));
    said.map(|w| w.message.split(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn lists_of_things_are_whole_or_say_what_is_left_out() {
    let events = |n: usize| {
        let event = |i| format!("{{\"@type\":\"Event\",\"name\":\"E{i}\",\"startDate\":\"2026-01-01\"}}");
        things(&graph("{}", (0..n).map(event)))
    };
    let recipe = |n: usize| {
        let lines = (0..n).map(|i| format!("\"{i} g of flour {i}\"")).collect::<Vec<_>>().join(",");
        let recipe = format!(
            "{{\"@type\":\"Recipe\",\"name\":\"R\",\"recipeIngredient\":[{lines}],\"recipeInstructions\":\"Mix.\"}}"
        );
        things(&graph(&recipe, std::iter::empty()))
    };
    let ingredients = |page: &Page| match page.things[0].get("ingredients") {
        Some(maintext_core::things::Value::List(lines)) => lines.len(),
        _ => 0,
    };
    assert_eq!((events(300).things.len(), left_out(&events(300))), (300, vec![]));
    let page = events(1_100);
    assert_eq!((page.things.len(), left_out(&page)), (1_000, vec![100]));
    let page = recipe(600);
    assert_eq!((ingredients(&page), left_out(&page)), (600, vec![]));
    let page = recipe(1_100);
    assert_eq!((ingredients(&page), left_out(&page)), (1_000, vec![100]));
}

#[test]
fn lists_of_a_schema_are_whole_or_say_what_is_left_out() {
    for (rows, kept, lost) in [(3_000, 3_000, vec![]), (10_007, 10_000, vec![7])] {
        let page = extracted(&(0..rows).map(|i| format!("<b class=row>{i}</b>")).collect::<String>());
        let data = page.data.as_deref().unwrap();
        assert_eq!((data.split("\",\"").count(), left_out(&page)), (kept, lost));
    }
}

#[test]
fn schemas_keep_no_long_data_and_have_few_selectors() {
    let page = extracted(&format!(
        "<p class=far><a href='data:text/plain,{}'>a</a><a href=https://e.org/b>b</a>",
        "a".repeat(9_000)
    ));
    assert_eq!(page.data.as_deref().unwrap_or(""), "{\"links\":[\"https://e.org/b\"]}");
    let schema = |n: usize, selector: &str| {
        let property = |i| format!("\"p{i}\":{{\"type\":\"string\",\"x-selector\":\"{selector}\"}}");
        let properties = (0..n).map(property).collect::<Vec<_>>().join(",");
        Schema::parse(&format!("{{\"type\":\"object\",\"properties\":{{{properties}}}}}")).map_err(|e| e.to_string())
    };
    assert!(schema(500, "p").is_ok());
    let error = schema(501, "p").unwrap_err();
    assert!(error.contains("501 selectors, more than the 500"), "{error}");
    let error = schema(1, &"a".repeat(10_001)).unwrap_err();
    assert!(error.contains("10001 bytes") && error.len() < 300, "{error}");
}
