//! Text that users of other extractors report as lost or glued while rendering, with one test per report: in text, Markdown, HTML
//! and XML. The snippets are our own.

use crate::common::{Rendered, all_formats, check, read_html, read_markdown, read_tei, words};
use maintext_core::render::{self, RenderOptions};
use maintext_core::{Extractor, Metadata, Options};

/// Checks that every format has exactly these words, and returns the formats: text, Markdown, HTML, XML.
fn check_words(html: &str, want: &str) -> [String; 4] {
    check(&Rendered::new(html), |_| true).unwrap();
    let formats = all_formats(html);
    let [text, markdown, clean, xml] = &formats;
    assert_eq!(words(text), words(want), "text");
    assert_eq!(words(&read_markdown(markdown, false)), words(want), "Markdown:\n{markdown}");
    assert_eq!(words(&read_html(clean)), words(want), "HTML:\n{clean}");
    assert_eq!(words(&read_tei(xml).unwrap()), words(want), "XML:\n{xml}");
    formats
}

#[test]
fn trafilatura_531_list_in_a_table_cell_does_not_vanish() {
    let html = "<table><tr><th>Tool</th><th>Parts</th></tr><tr><td>Plane</td><td><ul><li>sole</li><li>iron</li></ul></td></tr></table>";
    let [text, markdown, clean, xml] = check_words(html, "Tool Parts Plane sole iron");
    assert_eq!(text, "Tool | Parts\nPlane | sole iron\n");
    assert_eq!(markdown, "| Tool | Parts |\n| --- | --- |\n| Plane | • sole • iron |\n");
    assert!(clean.contains("<td><ul>\n<li>sole</li>\n<li>iron</li>\n</ul>\n</td>"));
    assert!(xml.contains("<cell><list rend=\"bulleted\">\n<item>sole</item>\n<item>iron</item>\n</list>\n</cell>"));
}

#[test]
fn trafilatura_829_cell_with_a_bold_paragraph_is_not_empty() {
    let html = "<table><tr><td><p><b>Height</b></p></td><td><p><b>12 m</b> at most</p></td></tr></table>";
    let [text, markdown, clean, xml] = check_words(html, "Height 12 m at most");
    assert_eq!(text, "Height | 12 m at most\n");
    assert!(markdown.contains("| **Height** | **12 m** at most |"), "{markdown}");
    assert!(clean.contains("<td><strong>Height</strong></td>"), "{clean}");
    assert!(xml.contains("<cell><hi rend=\"bold\">Height</hi></cell>"), "{xml}");
}

#[test]
fn trafilatura_431_items_whose_text_is_in_spans_are_kept() {
    let html = "<ul><li><span>first thing</span></li><li><span><span>second</span> thing</span></li></ul>";
    let [text, markdown, clean, xml] = check_words(html, "first thing second thing");
    assert_eq!(text, "- first thing\n- second thing\n");
    assert_eq!(markdown, "- first thing\n- second thing\n");
    assert_eq!(clean, "<ul>\n<li>first thing</li>\n<li>second thing</li>\n</ul>\n");
    assert!(xml.contains("<item>first thing</item>\n<item>second thing</item>"));
}

#[test]
fn trafilatura_233_a_list_directly_in_the_body_is_kept() {
    let html = "<html><body><ul><li>apples</li><li>pears</li></ul></body></html>";
    let [text, markdown, clean, xml] = check_words(html, "apples pears");
    assert_eq!(text, "- apples\n- pears\n");
    assert_eq!(markdown, "- apples\n- pears\n");
    assert_eq!(clean, "<ul>\n<li>apples</li>\n<li>pears</li>\n</ul>\n");
    assert!(xml.contains("<body>\n<list rend=\"bulleted\">\n<item>apples</item>"));
}

#[test]
fn trafilatura_769_items_with_paragraphs_or_only_links_keep_their_list() {
    let html = "<ul><li><p>One paragraph.</p></li><li><p>Two.</p><p>Paragraphs.</p></li>\
        <li><a href='/a'>only</a> <a href='/b'>links</a></li><li><a href='/c'><p>linked paragraph</p></a></li></ul>";
    let [text, markdown, clean, xml] = check_words(html, "One paragraph Two Paragraphs only links linked paragraph");
    assert_eq!(text, "- One paragraph.\n- Two.\nParagraphs.\n- only links\n- linked paragraph\n");
    assert_eq!(
        markdown,
        "- One paragraph.\n\n- Two.\n\n  Paragraphs.\n\n- [only](https://example.org/a) [links](https://example.org/b)\n\n\
         - [linked paragraph](https://example.org/c)\n"
    );
    assert_eq!((clean.matches("<ul>").count(), clean.matches("<li>").count()), (1, 4), "{clean}");
    assert_eq!((xml.matches("<list ").count(), xml.matches("<item>").count()), (1, 4), "{xml}");
}

#[test]
fn trafilatura_76_a_table_of_links_is_kept_like_the_one_before() {
    let html = "<table><tr><td>Ada</td><td>1815</td></tr></table>\
        <table><tr><td><a href='/g'>Grace</a></td><td><a href='/1906'>1906</a></td></tr></table>";
    let [text, markdown, clean, xml] = check_words(html, "Ada 1815 Grace 1906");
    assert_eq!(text, "Ada | 1815\nGrace | 1906\n");
    assert!(markdown.contains("| [Grace](https://example.org/g) | [1906](https://example.org/1906) |"), "{markdown}");
    assert_eq!(markdown.matches("| --- | --- |").count(), 2);
    assert_eq!(clean.matches("<table>").count(), 2);
    assert_eq!(xml.matches("<table>").count(), 2);
}

#[test]
fn trafilatura_136_without_tables_nested_tables_are_left_out_too() {
    let html = "<p>before</p><table><tr><td>outer<table><tr><td>inner</td><td>cell</td></tr></table></td><td>end</td></tr></table>\
        <p>after</p>";
    check_words(html, "before outer inner cell end after");
    let page = Rendered::new(html);
    let keep = page.keep(|_| true);
    let mut c = page.content(&keep, None);
    c.options = RenderOptions { tables: false, ..Default::default() };
    assert_eq!(render::Tree::new(&c).text(), "before\nafter\n");
    assert_eq!(render::Tree::new(&c).markdown(), "before\n\nafter\n");
    assert_eq!(render::Tree::new(&c).html(), "<p>before</p>\n<p>after</p>\n");
    let xml = render::Tree::new(&c).xml(&Metadata::default());
    assert!(xml.contains("<body>\n<p>before</p>\n<p>after</p>\n</body>"), "{xml}");
}

#[test]
fn trafilatura_599_soft_breaks_and_lists_in_cells_leave_the_table_whole() {
    let html = "<table><tr><th>Key</th><th>Meaning</th></tr>\
        <tr><td>max_<wbr>retry_<wbr>count</td><td>how often<ul><li>at least 1</li><li>at most 9 | 10</li></ul></td></tr></table>";
    let [text, markdown, clean, xml] =
        check_words(html, "Key Meaning max_retry_count how often at least 1 at most 9 10");
    assert_eq!(text, "Key | Meaning\nmax_retry_count | how often at least 1 at most 9 | 10\n");
    assert_eq!(
        markdown,
        "| Key | Meaning |\n| --- | --- |\n| max_retry_count | how often • at least 1 • at most 9 \\| 10 |\n"
    );
    assert!(clean.contains("<td>max_retry_count</td>"), "{clean}");
    assert!(xml.contains("<cell>max_retry_count</cell>"), "{xml}");
}

#[test]
fn trafilatura_4_words_do_not_run_together_when_a_span_or_a_cell_ends() {
    let html = "<p><span>left </span><span>right</span>\n<span>and</span> <b>bold</b> <i>slanted</i>.</p><p>line<br>break, un<b>break</b>able</p>\
        <table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>";
    let [text, markdown, clean, xml] = check_words(html, "left right and bold slanted line break unbreakable a b c d");
    assert_eq!(text, "left right and bold slanted.\nline\nbreak, unbreakable\na | b\nc | d\n");
    assert!(
        markdown.starts_with("left right and **bold** *slanted*.\n\nline  \nbreak, un**break**able\n"),
        "{markdown}"
    );
    assert!(clean.contains("<p>line<br>break, un<strong>break</strong>able</p>"), "{clean}");
    assert!(xml.contains("<p>line<lb/>break, un<hi rend=\"bold\">break</hi>able</p>"), "{xml}");
}

#[test]
fn trafilatura_627_escaped_tags_stay_text_and_are_not_escaped_twice() {
    let html = "<p>Write &lt;b&gt;bold&lt;/b&gt; &amp;amp; &lt;script&gt;x&lt;/script&gt;.</p><pre>&lt;p&gt;a &amp;&amp; b&lt;/p&gt;</pre>";
    let [text, markdown, clean, xml] = check_words(html, "Write b bold b amp script x script p a b p");
    assert_eq!(text, "Write <b>bold</b> &amp; <script>x</script>.\n<p>a && b</p>\n");
    assert!(markdown.contains("Write \\<b>bold\\</b> \\&amp; \\<script>x\\</script>."), "{markdown}");
    assert!(markdown.contains("```\n<p>a && b</p>\n```"), "{markdown}");
    assert!(
        clean.contains("<p>Write &lt;b&gt;bold&lt;/b&gt; &amp;amp; &lt;script&gt;x&lt;/script&gt;.</p>"),
        "{clean}"
    );
    assert!(clean.contains("<pre>&lt;p&gt;a &amp;&amp; b&lt;/p&gt;</pre>"), "{clean}");
    assert!(xml.contains("<p>Write &lt;b&gt;bold&lt;/b&gt; &amp;amp; &lt;script&gt;x&lt;/script&gt;.</p>"), "{xml}");
}

/// Tests the same snippets through the whole extractor.
#[test]
fn an_extraction_loses_and_glues_nothing_either() {
    let html = "<html><body><article><h1>On planes</h1><p>A plane has two parts, which we list here, and a handle, which we do not.</p>\
        <table><tr><th>Tool</th><th>Parts</th></tr><tr><td><p><b>Plane</b></p></td><td><ul><li>sole</li><li>iron</li></ul></td></tr></table>\
        <ul><li><span>first thing to do, slowly</span></li><li><p>second thing, slower still</p></li></ul></article></body></html>";
    let formats = maintext_core::Formats::ALL;
    let options = Options { formats, ..Default::default() };
    let page = Extractor::with_method(options, Box::new(crate::hostile::KeepsAll)).extract(html).unwrap();
    let want = words(page.text()).join(" ");
    assert!(want.contains("Plane sole iron first thing to do slowly second thing slower still"), "{want}");
    assert_eq!(words(&read_markdown(page.markdown.as_deref().unwrap(), false)).join(" "), want);
    assert_eq!(words(&read_html(page.html.as_deref().unwrap())).join(" "), want);
    assert_eq!(words(&read_tei(page.xml.as_deref().unwrap()).unwrap()).join(" "), want);
}

/// The signs that documentation tools put next to headings as links to copy: Sphinx, MkDocs, rustdoc, VitePress and Docusaurus.
#[test]
fn signs_at_headings_are_not_text() {
    let html = "<title>Planes</title><article><h1>Planes<a class='headerlink' href='#planes' title='Permanent link'>¶</a></h1>\
        <h2><a href='#sole'>The sole</a> <a class='anchor' href='#sole'>§</a></h2><p>It is flat.</p>\
        <h2>The iron <a class='header-anchor' href='#iron' aria-label='Permalink'>\u{200b}</a></h2><p>It cuts<a href='#note'>*</a>.</p>\
        <h2><a href='#c'>#</a> C# for planes</h2><dl><dt>edge<a href='#edge'>🔗</a></dt><dd>What cuts.</dd></dl>\
        <p><span>Fig. 1</span><a href='#id1'>¶</a></p></article>";
    let formats = maintext_core::Formats::ALL;
    let options = Options { formats, ..Default::default() };
    let page = Extractor::with_method(options, Box::new(crate::hostile::KeepsAll)).extract(html).unwrap();
    assert_eq!(
        page.text(),
        "Planes\nThe sole\nIt is flat.\nThe iron\nIt cuts*.\nC# for planes\nedge\nWhat cuts.\nFig. 1\n"
    );
    assert_eq!(page.metadata.title.as_deref(), Some("Planes"));
    let rest = [page.markdown, page.html, page.xml].map(Option::unwrap);
    for (out, sign) in rest.iter().flat_map(|out| ['¶', '§', '\u{200b}', '🔗'].map(|sign| (out, sign))) {
        assert!(!out.contains(sign), "{sign} in {out}");
    }
    assert!(rest[0].starts_with("# Planes\n\n## The sole\n\nIt is flat.\n\n## The iron\n"), "{}", rest[0]);
}

/// Pages with lazy loading repeat their images in `<noscript>`, for browsers without scripts.
#[test]
fn a_lazily_loaded_image_is_one_image() {
    let html = "<article><p>Before it.</p><img src='data:image/gif;base64,R0lGOD' data-lazy-src='/a.jpg' alt=Pot>\
        <noscript><img src='/a.jpg' alt=Pot></noscript><p>Between.</p><img src='/a.jpg' alt=Again><img src='/b.jpg' alt=Other>\
        <p>After it.</p><figure><noscript><img src='/c.jpg' alt=Lid></noscript><img src='data:image/gif;base64,R0lGOD' \
        data-src='/c.jpg.webp' alt=Lid></figure><p>The end.</p></article>";
    let formats = maintext_core::Formats { markdown: true, ..Default::default() };
    let options = Options { formats, url: Some("https://example.org/".into()), ..Default::default() };
    let page = Extractor::with_method(options, Box::new(crate::hostile::KeepsAll)).extract(html).unwrap();
    let images: Vec<&str> = page.images.iter().map(|i| i.src.rsplit('/').next().unwrap()).collect();
    assert_eq!(images, ["a.jpg", "a.jpg", "b.jpg", "c.jpg"]);
    assert_eq!(page.markdown.unwrap().matches("/a.jpg").count(), 2);
}

#[test]
fn tabs_are_not_references_to_their_panels() {
    let html = "<p>Install it.<ul role=tablist><li><a href='#w' role=tab>Windows</a><li><a href='#m' data-toggle=tab>macOS</a></ul>\
        <section id=w><p>Use the installer.</section><section id=m><p>Use the shell.</section>";
    let [_, markdown, _, xml] = check_words(html, "Install it Windows Use the installer macOS Use the shell");
    assert!(markdown.contains("**Windows**\n\nUse the installer.\n\n**macOS**\n\nUse the shell."), "{markdown}");
    assert!(!xml.contains("<note"), "{xml}");
}

#[test]
fn a_note_shown_at_its_mark_and_at_the_end_is_written_once() {
    let mark = |n: u32, note: &str| {
        format!("<a href=#n{n}><sup>{n}</sup></a><span role=tooltip style='display:none'>{note}</span>")
    };
    let html = format!(
        "<p>Cairns were piled up{} on long heaths.</p><p>Some were older{} than the road.</p>
         <p id=n1>1. A letter of the sheriff.</p><p id=n2>2. Told by Gudrun of the hill.</p>",
        mark(1, "A letter of the sheriff."),
        mark(2, "Told by Gudrun of the hill.")
    );
    let [text, markdown, _, _] = all_formats(&html);
    for note in ["A letter of the sheriff", "Told by Gudrun"] {
        assert_eq!([&text, &markdown].map(|out| out.matches(note).count()), [1, 1], "{markdown}");
    }
    assert!(markdown.contains("up[^1] on long heaths."), "{markdown}");
}

#[test]
fn a_division_that_a_mark_leads_to_is_a_note_and_not_a_box() {
    let html = "<p>A traveller appears<a href=#n1><sup>[1]</sup></a> at dusk.</p>
        <div class=note id=n1><p><a href=#r1>[1]</a> In the draft it is a cock.</p></div>";
    let options =
        Options { formats: maintext_core::Formats { markdown: true, ..Default::default() }, ..Default::default() };
    let page = Extractor::with_method(options, Box::new(crate::hostile::KeepsAll)).extract(html).unwrap();
    assert_eq!(page.markdown.unwrap(), "A traveller appears[^1] at dusk.\n\n[^1]: In the draft it is a cock.\n");
}
