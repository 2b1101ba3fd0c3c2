//! Chunks of pages of our own: their limits, their positions, their order, and uncut parts.
use maintext_chunks::{Chunk, PieceForm, Settings, Tokenizer, chunks, chunks_with_warning};
use maintext_core::{Extractor, Input, Options, Page};
use std::time::{Duration, Instant};

const GUIDE: &str = r#"<html><head><title>Guide to the ferry</title></head><body><article>
<h1>Guide</h1>
<p>The ferry leaves at nine, and it returns in the evening. Nobody has to book. Bring a coat, since the deck is cold.</p>
<h2>Install</h2><h3>Linux</h3>
<p>Download the <a href="/deb">package for Debian</a> first. Then read the <a href="/notes">notes of the release</a>, which are short.</p>
<pre><code class="language-sh">apt install ferry
ferry --version
ferry leave --at nine
ferry return</code></pre>
<h3>Windows</h3><p>There is no package for Windows yet.</p>
<h2>Prices</h2>
<table><tr><th>Passenger</th><th>Price</th></tr><tr><td>Adult person</td><td>four pounds</td></tr>
<tr><td>Child below ten</td><td>two pounds</td></tr><tr><td>Dog of any size</td><td>free</td></tr></table>
<ul><li>Tickets are sold on board.</li><li>Cards are accepted. Cash is, too.</li></ul>
<blockquote><h4>A voice</h4><p>I have never missed it. It waits for everyone.</p></blockquote>
<p>Prices hold until the end of the year. They will rise after it. Nobody knows by how much they will.</p>
</article></body></html>"#;

fn extract(html: &str, form: PieceForm) -> Page {
    let options = Options { pieces: Some(form), ..Options::default() };
    let whole = Input { whole: true, ..Input::at(html, Some("https://e.org/guide"), None) };
    Extractor::new(options).unwrap().extract(whole).unwrap()
}

fn settings(limit: usize, form: PieceForm) -> Settings {
    Settings { form, ..Settings::new(Tokenizer::named("words").unwrap(), limit) }
}

fn rendered(page: &Page, form: PieceForm) -> &str {
    match form {
        PieceForm::Text => page.text(),
        PieceForm::Markdown => page.markdown.as_deref().unwrap_or(""),
    }
}

/// Checks what holds for all pages, and returns the chunks.
fn checked(html: &str, settings: &Settings) -> Vec<Chunk> {
    let page = extract(html, settings.form);
    let text = rendered(&page, settings.form);
    let found = chunks(&page, settings);
    let mut at = 0;
    for (i, c) in found.iter().enumerate() {
        assert_eq!(c.index, i);
        assert_eq!(c.tokens, settings.tokenizer.count(&c.text));
        assert_eq!(c.oversized, c.tokens > settings.limit, "{c:?}");
        let chars: String = text.chars().skip(c.start).take(c.end - c.start).collect();
        assert_eq!(chars, text[c.bytes.clone()]);
        assert!(c.text.contains(&chars) && (settings.split_large || c.text == chars));
        let own = c.bytes.start + chars.chars().take(c.overlap).map(char::len_utf8).sum::<usize>();
        assert!(own >= at && c.bytes.end > own && (i == 0 || c.bytes.start > found[i - 1].bytes.start), "{c:?}");
        assert!(text[at..own].chars().all(|c| c.is_whitespace() || c == '>'), "lost: {:?}", &text[at..own]);
        at = c.bytes.end;
        for piece in &page.pieces {
            let atomic = matches!(format!("{:?}", piece.kind).as_str(), "Table" | "Code" | "Formula");
            let inside = |r: &std::ops::Range<usize>| r.start <= piece.range.start && piece.range.end <= r.end;
            let apart = piece.range.end <= c.bytes.start || c.bytes.end <= piece.range.start;
            assert!(
                settings.split_large || !atomic || apart || inside(&c.bytes),
                "cut: {:?}",
                &text[piece.range.clone()]
            );
        }
    }
    assert!(text[at..].trim().is_empty(), "lost at the end: {:?}", &text[at..]);
    found
}

#[test]
fn headings_begin_chunks_and_give_their_path() {
    let found = checked(GUIDE, &settings(60, PieceForm::Markdown));
    let paths: Vec<String> = found.iter().map(|c| c.headings.join("/")).collect();
    assert_eq!(
        paths,
        ["Guide", "Guide/Install/Linux", "Guide/Install/Windows", "Guide/Prices", "Guide/Prices"],
        "{found:#?}"
    );
    assert!(found[1].text.starts_with("## Install\n\n### Linux\n\nDownload"));
    let links: Vec<(&str, &str)> = found[1].links.iter().map(|l| (l.text.as_str(), l.href.as_str())).collect();
    assert_eq!(links, [("package for Debian", "https://e.org/deb"), ("notes of the release", "https://e.org/notes")]);
    assert_eq!(found[1].kinds, ["heading", "text", "code"]);
    let source = &GUIDE[found[2].source_start.unwrap()..found[2].source_end.unwrap()];
    assert_eq!(source, "Windows</h3><p>There is no package for Windows yet.");
}

#[test]
fn a_heading_that_no_chunk_can_hold_leads_no_headings_that_follow_it() {
    let html = "<article><h1>A long title of eight words in all</h1><h2>Another one</h2><p>It is short.</p></article>";
    let found = checked(html, &settings(5, PieceForm::Text));
    let paths: Vec<usize> = found.iter().map(|c| c.headings.len()).collect();
    assert_eq!(paths, [1, 2, 2], "{found:#?}");
}

#[test]
fn all_limits_and_both_forms_keep_the_rules() {
    for form in [PieceForm::Text, PieceForm::Markdown] {
        for tokenizer in ["words", "chars", "cl100k_base", "o200k_base"] {
            for limit in [1, 2, 3, 5, 8, 13, 21, 34, 55, 200] {
                for (overlap, min, split_large) in
                    [(0, 0, false), (limit / 2, 0, false), (limit / 4, limit, true), (0, limit, false)]
                {
                    let tokenizer = Tokenizer::named(tokenizer).unwrap();
                    checked(GUIDE, &Settings { tokenizer, overlap, min, split_large, ..settings(limit, form) });
                }
            }
        }
    }
}

#[test]
fn small_neighbours_under_the_same_heading_are_joined() {
    let found = checked(GUIDE, &Settings { min: 20, ..settings(60, PieceForm::Markdown) });
    assert!(found.iter().any(|c| c.headings == ["Guide", "Install"] && c.text.contains("Windows yet")), "{found:#?}");
    assert!(found.iter().all(|c| !(c.text.contains("Nobody has to book") && c.text.contains("four pounds"))));
}

#[test]
fn overlap_repeats_whole_sentences_and_neither_tables_nor_code() {
    let found = checked(GUIDE, &Settings { overlap: 6, ..settings(13, PieceForm::Text) });
    let text = extract(GUIDE, PieceForm::Text).text.unwrap();
    let repeated: Vec<String> = found
        .iter()
        .map(|c| text.chars().skip(c.start).take(c.overlap).collect::<String>().trim().to_owned())
        .filter(|r| !r.is_empty())
        .collect();
    assert!(repeated.contains(&"It waits for everyone.".to_owned()), "{repeated:?}");
    for r in &repeated {
        assert!(r.ends_with('.') && r.split_whitespace().count() <= 6 && !r.contains('|'), "{r:?}");
    }
}

#[test]
fn large_tables_and_code_stay_whole_or_are_split_between_rows() {
    let whole = checked(GUIDE, &settings(9, PieceForm::Markdown));
    let large: Vec<&Chunk> = whole.iter().filter(|c| c.oversized).collect();
    assert_eq!(large.iter().map(|c| c.kinds.last().copied().unwrap()).collect::<Vec<_>>(), ["code", "table"]);
    assert!(large[1].text.contains("Adult person") && large[1].text.contains("Dog of any size"));
    let parts = checked(GUIDE, &Settings { split_large: true, ..settings(24, PieceForm::Markdown) });
    let rows: Vec<&Chunk> = parts.iter().filter(|c| c.kinds.contains(&"table")).collect();
    assert!(rows.len() > 1 && !rows.iter().any(|c| c.oversized), "{rows:#?}");
    assert!(rows[1].text.starts_with("| Passenger | Price |\n| --- | --- |\n| "), "{}", rows[1].text);
    let parts = checked(GUIDE, &Settings { split_large: true, ..settings(9, PieceForm::Markdown) });
    let code: Vec<&str> = parts.iter().filter(|c| c.kinds.contains(&"code")).map(|c| c.text.as_str()).collect();
    assert_eq!(code.last(), Some(&"```sh\nferry leave --at nine\nferry return\n```"), "{code:#?}");
    assert!(code[0].ends_with("\n```"), "{code:#?}");
}

#[test]
fn long_paragraphs_without_spaces_are_cut_between_graphemes() {
    let family = "👩‍👩‍👧‍👦";
    for text in [
        "渡船九点开，晚上才回来。".repeat(60),
        "เรือออกเวลาเก้าโมงและกลับมาในตอนเย็น".repeat(60),
        family.repeat(90),
        "x".repeat(5000),
    ] {
        for tokenizer in ["chars", "cl100k_base"] {
            let s = Settings { tokenizer: Tokenizer::named(tokenizer).unwrap(), ..settings(64, PieceForm::Text) };
            let found = checked(&format!("<article><p>{text}</p></article>"), &s);
            assert!(found.len() > 2 && found.iter().all(|c| !c.oversized));
            assert!(!text.starts_with(family) || found.iter().all(|c| c.text.replace(family, "").trim().is_empty()));
        }
    }
}

#[test]
fn posts_are_chunks_of_their_own_path() {
    let post = |n: usize| {
        format!(
            "<article class=post><span class=author>Ann{n}</span> <time datetime=2024-05-0{n}>May {n}</time><h3>Answer {n}</h3><p>The ferry number {n} was late, and nobody knew why it was.</p></article>"
        )
    };
    checked(&format!("<h1>Thread</h1>{}", (1..6).map(post).collect::<String>()), &settings(20, PieceForm::Markdown));
}

#[test]
fn hostile_pages_take_linear_time() {
    let quadratic = [
        ("one word", "x".repeat(50_000)),
        ("one ideograph", "渡".repeat(15_000)),
        ("stops", "a. ".repeat(15_000)),
        ("stops and brackets", format!("a.{}", ")".repeat(50_000))),
        ("a stop and white space", format!("a.{} b", "&nbsp; ".repeat(25_000))),
        ("marks on a letter", format!("a{}", "\u{301}".repeat(20_000))),
        ("quotes in a word", "a'\u{301}".repeat(10_000)),
        ("brackets", "[".repeat(25_000)),
        ("code", "`a".repeat(15_000)),
        ("dollars", "$a ".repeat(15_000)),
        ("flags", "🇩🇪".repeat(25_000)),
        ("joiners", "👩\u{200d}".repeat(25_000)),
        ("headings", "<h2>A heading</h2>".repeat(2_500)),
        ("headings and text", "<h2>A heading</h2><p>Some text. And more of it.</p>".repeat(2_500)),
        ("lists", "<ul><li>An item of a list".repeat(750)),
        ("links", "<a href=/x>a link</a> and ".repeat(5_000)),
        ("rows", format!("<table>{}</table>", "<tr><td>a cell</td><td>another</td></tr>".repeat(5_000))),
        ("lines", format!("<pre>{}</pre>", "a line of code\n".repeat(12_500))),
    ];
    for (name, body) in quadratic {
        for form in [PieceForm::Text, PieceForm::Markdown] {
            let page = extract(&format!("<article><p>{body}</p></article>"), form);
            for tokenizer in ["chars", "cl100k_base"] {
                let tokenizer = Tokenizer::named(tokenizer).unwrap();
                let s = Settings { tokenizer, overlap: 32, min: 64, split_large: true, ..settings(128, form) };
                let start = Instant::now();
                let found = chunks(&page, &s);
                let time = start.elapsed();
                println!("{name} {form:?} {}: {} chunks, {time:?}", s.tokenizer.name(), found.len());
                assert!(time < Duration::from_secs(10), "{name} {form:?} {}: {time:?}", s.tokenizer.name());
                let oversized = found.iter().filter(|c| c.oversized).count();
                assert_eq!(oversized, 0, "{name}");
            }
        }
    }
}

#[test]
fn headings_without_a_text_do_not_shorten_the_path() {
    let html = "<html><body><article><h1>Guide</h1><p>It lists what travellers ask for most often, week after week.</p>\
                <h2>Dates</h2><h2>Places</h2><p>The landing is behind the mill, where the road ends.</p>\
                <h2>Prices</h2><p>They hold until the end of the year.</p></article></body></html>";
    let path = |min| -> Vec<Vec<String>> {
        let found = checked(html, &Settings { min, ..settings(40, PieceForm::Markdown) });
        found.into_iter().filter(|c| c.text.contains("landing")).map(|c| c.headings).collect()
    };
    // "Dates" has no text, so the chunk is about places alone.
    assert_eq!(path(4), [["Guide", "Places"]]);
    assert_eq!(path(12), [["Guide"]]);
}

/// Returns the bytes of the chunks of a page as JSON and the message of the warning.
fn written(html: &str) -> (usize, Option<String>) {
    let settings = Settings { split_large: true, ..settings(20, PieceForm::Markdown) };
    let page = extract(html, PieceForm::Markdown);
    let (chunks, warning) = chunks_with_warning(&page, &settings);
    (serde_json::to_string(&chunks).unwrap().len(), warning.map(|w| w.message))
}

#[test]
fn headings_and_table_headers_are_repeated_in_proportion_to_the_page() {
    let sections = |n: usize| {
        let below = (0..n).map(|i| format!("<h3>S{i}</h3><p>Some words of text.</p>")).collect::<String>();
        format!("<h1>{}</h1><p>A text.</p><h2>{}</h2>{below}", "Heading words ".repeat(n), "More words ".repeat(n))
    };
    let rows = |n: usize| {
        let below = (0..n).map(|i| format!("<tr><td>some cell {i} of it<td>y")).collect::<String>();
        format!("<p>Words.</p><table><tr><th>{}<th>B{below}</table>", "header".repeat(2 * n))
    };
    let code = |n: usize| {
        format!("<p>Words.</p><pre><code class='language-{}'>{}", "a".repeat(10 * n), "words of it\n".repeat(10 * n))
    };
    for (name, page) in [("headings", &sections as &dyn Fn(usize) -> String), ("rows", &rows), ("code", &code)] {
        let html = page(1500);
        let (bytes, warning) = written(&html);
        assert!(bytes < 9 * html.len() + (1 << 20) + 500 * 1500, "{name}: {bytes} bytes for {}", html.len());
        let count = warning.as_deref().and_then(|m| m.split(' ').next()).and_then(|n| n.parse::<u32>().ok());
        assert!(name == "code" || count.is_some_and(|n| n > 0), "{name}: {warning:?}");
        let (_, warning) = written(&page(10));
        assert_eq!(warning, None, "{name}");
    }
}
