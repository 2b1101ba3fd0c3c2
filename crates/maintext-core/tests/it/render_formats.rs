//! The output of each renderer, and content that none of them may let through.

use crate::common::{Rendered, all_formats, check_tei, read_tei};
use maintext_core::Metadata;
use maintext_core::render::{self, RenderOptions};
use std::time::{Duration, Instant};

fn markdown(html: &str) -> String {
    crate::common::check(&Rendered::new(html), |_| true).unwrap();
    all_formats(html)[1].clone()
}

fn html(source: &str) -> String {
    crate::common::check(&Rendered::new(source), |_| true).unwrap();
    all_formats(source)[2].clone()
}

fn with(source: &str, options: RenderOptions) -> [String; 4] {
    let page = Rendered::new(source);
    let keep = page.keep(|_| true);
    let mut c = page.content(&keep, None);
    c.options = options;
    [
        render::Tree::new(&c).text(),
        render::Tree::new(&c).markdown(),
        render::Tree::new(&c).html(),
        render::Tree::new(&c).xml(&Metadata::default()),
    ]
}

#[test]
fn headings_and_paragraphs() {
    assert_eq!(markdown("<h1>A <b>b</b> c<br>d</h1><h2> </h2><p>x<h6>C #</h6>"), "# A b c d\n\nx\n\n###### C \\#\n");
}

#[test]
fn emphasis_has_no_inner_spaces_and_does_not_nest() {
    assert_eq!(markdown("<p>a<b> b </b>c <i><em>d</em></i> <b>e</b><strong>f</strong>."), "a **b** c *d* **ef**.\n");
    assert_eq!(markdown("<p>un<b>believ</b>able <b><i>both</i></b>"), "un**believ**able **_both_**\n");
    assert_eq!(markdown("<p><b> </b>x<i></i>"), "x\n");
}

#[test]
fn emphasis_that_commonmark_would_not_read_is_html() {
    assert_eq!(markdown("<p>请<b>注意：</b>不要"), "请<strong>注意：</strong>不要\n");
    assert_eq!(markdown("<p>a<i>\"b\"</i>c"), "a<em>\"b\"</em>c\n");
    // A quotation mark behind the full stop is punctuation in all versions of the rules.
    assert_eq!(markdown("<p>In “<i>The Mill.</i>” and “<b>“So”</b>”"), "In “*The Mill.*” and “**“So”**”\n");
}

#[test]
fn headings_of_columns_make_a_table() {
    let head = "<tr><td><h3>Chair</h3><td><h3>Treasurer</h3>";
    assert_eq!(
        markdown(&format!("<table>{head}<tr><td>Ann Lee<td>Bob Orr<tr><td>since May<td>since June</table>")),
        "| Chair | Treasurer |\n| --- | --- |\n| Ann Lee | Bob Orr |\n| since May | since June |\n"
    );
    // Columns of a page.
    let text = "<p>Ann Lee leads the board.</p><p>She sails.</p>";
    assert!(!markdown(&format!("<table>{head}<tr><td>{text}<td>{text}</table>")).contains('|'));
}

#[test]
fn items_that_hold_only_lists_are_items() {
    assert_eq!(
        markdown("<ol><li><ul><li>Mills<li>2017</ul><li><ul><li>Ferries<li>2018</ul></ol>"),
        "1. - Mills\n   - 2017\n2. - Ferries\n   - 2018\n"
    );
}

#[test]
fn nested_lists_are_indented() {
    assert_eq!(
        markdown("<ul><li>a<ol><li>b<ul><li>c</ul><li>d</ol><li>e</ul><ul><li>f</ul>"),
        "- a\n  1. b\n     - c\n  2. d\n- e\n\n* f\n"
    );
    assert_eq!(
        markdown("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>"),
        "- a\n  - b\n- c\n",
        "a list directly in a list belongs to the item before it"
    );
    assert_eq!(
        markdown("<ol start=9><li>a<li><p>b<pre>c\nd</pre></ol>"),
        "9. a\n\n10. b\n\n    ```\n    c\n    d\n    ```\n"
    );
}

#[test]
fn quotes_hold_blocks() {
    assert_eq!(
        markdown("<blockquote><p>a<blockquote>b</blockquote><ul><li>c</ul><pre>d\n\ne</pre></blockquote><p>f"),
        "> a\n>\n> > b\n>\n> - c\n>\n> ```\n> d\n>\n> e\n> ```\n\nf\n"
    );
}

#[test]
fn code_keeps_lines_language_and_backticks() {
    assert_eq!(
        markdown("<pre><code class='language-rust'>fn main() {\n    let s = `x`;<br>\n}\n</code></pre>"),
        "```rust\nfn main() {\n    let s = `x`;\n\n}\n```\n"
    );
    assert_eq!(markdown("<pre>a\n```\nb</pre>"), "````\na\n```\nb\n````\n");
    assert_eq!(markdown("<p><code>a</code> <code>``</code> <kbd>x|y</kbd>"), "`a` ``` `` ``` <kbd>x|y</kbd>\n");
}

#[test]
fn links_and_images_are_absolute_and_survive_brackets_and_spaces() {
    assert_eq!(markdown("<p><a href='a b(1)'>x]y</a>"), "[x\\]y](https://example.org/dir/a%20b%281%29)\n");
    assert_eq!(
        markdown("<p><a href='/l'><img src='i.png' alt='an [i]'></a> t"),
        "[![an \\[i\\]](https://example.org/dir/i.png)](https://example.org/l) t\n"
    );
    assert_eq!(
        markdown("<a href=/c><h2>Card</h2><p>Teaser</p></a>"),
        "## [Card](https://example.org/c)\n\n[Teaser](https://example.org/c)\n",
        "a link around blocks becomes one link per block"
    );
}

#[test]
fn a_first_row_of_names_above_numbers_is_a_header() {
    let rows = |rows: &[&str]| {
        let cells = |row: &&str| row.split('|').map(|c| format!("<td>{c}")).collect::<String>();
        let html: String = rows.iter().map(|r| format!("<tr>{}", cells(r))).collect();
        markdown(&format!("<table>{html}</table>"))
    };
    assert!(
        rows(&["Tool|Price", "Rope|$10 - $25", "Mat|$20", "Bell|$40"]).starts_with("| Tool | Price |\n| --- | --- |\n")
    );
    assert!(rows(&["|Depth|Colour", "Lake|12 m|blue", "Sea|300 m|green"]).starts_with("|  | Depth | Colour |\n| --- "));
    // In properties with values, rows of numbers, and words alone, the first row is not recognised as a header.
    for data in
        [["Colour|red", "Width|12 cm", "Height|3 cm"], ["1|2", "3|4", "5|6"], ["Cat|Hund", "Dog|Katze", "Cow|Kuh"]]
    {
        let with_header = rows(&data).starts_with(&format!("| {} |", data[0].replace('|', " | ")));
        assert!(!with_header, "{data:?}");
    }
}

#[test]
fn tables_have_a_header_and_columns() {
    assert_eq!(
        markdown(
            "<table><caption>C</caption><tr><td>a<td>b|c<tr><td colspan=2>d<tr><td rowspan=2>e<td>f<tr><td>g</table>"
        ),
        "C\n\n|  |  |\n| --- | --- |\n| a | b\\|c |\n| d |  |\n| e | f |\n| e | g |\n"
    );
    assert_eq!(
        markdown("<ul><li>x<table><tr><th>a<th>b<tr><td>1<td>2</table></ul>"),
        "- x\n\n  | a | b |\n  | --- | --- |\n  | 1 | 2 |\n"
    );
}

#[test]
fn layout_tables_are_blocks() {
    assert_eq!(markdown("<table><tr><td><h2>a</h2><p>b</td><td><p>c</td></tr></table>"), "## a\n\nb\n\nc\n");
    assert_eq!(markdown("<table><tr><td>a<tr><td>b</table>"), "a\n\nb\n");
    assert_eq!(markdown("<table role=presentation><tr><td>a<td>b</table>"), "a\n\nb\n");
}

#[test]
fn formulas_are_tex() {
    let katex = "<p>Let <span class=katex><span class=katex-mathml><math><semantics><mi>E</mi>\
        <annotation encoding='application/x-tex'>E = mc^2</annotation></semantics></math></span>\
        <span class=katex-html aria-hidden=true><span>E=mc2</span></span></span> be.";
    assert_eq!(markdown(katex), "Let $E = mc^2$ be.\n");
    assert_eq!(all_formats(katex)[0], "Let E = mc^2 be.\n");
    assert_eq!(markdown("<math display=block><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"), "$$\n\\frac{a}{b}\n$$\n");
    assert_eq!(
        markdown("<math display=block><annotation encoding='application/x-tex'>\\{a\\}</annotation></math>"),
        "$$\n\\{a\\}\n$$\n"
    );
    assert_eq!(
        markdown("<p>x <math><annotation encoding='application/x-tex'>\\{a\\}</annotation></math>, $y$"),
        "x $\\{a\\}$, \\$y\\$\n"
    );
    assert_eq!(
        markdown("<p>x <math><annotation encoding='application/x-tex'>a $ b</annotation></math>"),
        "x a \\$ b\n",
        "no delimiter can hold a source with a dollar sign outside of braces"
    );
    assert_eq!(
        markdown(
            "<p>So <math display=block><mi>α</mi></math> holds.<p>And <b><math display=block><mo>-</mo><mi>β</mi></math></b>."
        ),
        "So\n$$\n\\alpha\n$$\nholds.\n\nAnd **$$-\\beta$$** .\n"
    );
}

#[test]
fn footnotes_are_footnotes() {
    assert_eq!(
        markdown(
            "<p>One<sup><a href='#f1'>1</a></sup> and two<a href='#f2'>[2]</a>, one again<sup><a href='#f1'>1</a></sup>.\
             <ol><li id=f1>First. <a href='#r1'>↩</a><li id=f2><p>Second.<p>More.</ol>"
        ),
        "One[^1] and two[^2], one again[^1].\n\n[^1]: First. ↩\n\n[^2]: Second.\n\n    More.\n"
    );
    assert_eq!(
        markdown("<p>See <a href='#s1'>1</a>.<ol><li id=s1>Section<li>no note</ol>"),
        "See [1](https://example.org/dir/page.html#s1).\n\n1. Section\n2. no note\n"
    );
}

#[test]
fn the_number_of_a_note_is_not_a_part_of_a_number() {
    let html = "<p>We counted 12<sup><a href='#f1'>1</a></sup> ships.<ol><li id=f1>Not boats. <a href='#r1'>↩</a></ol>";
    assert!(all_formats(html)[0].starts_with("We counted 12[1] ships."));
}

#[test]
fn the_year_of_a_citation_is_not_a_note() {
    let html = "<p>Earlier work (Harrow, <a href='#b1'>2011a</a>) says so.<ul><li id=b1>J. Harrow. Rough beds.</ul>";
    assert!(markdown(html).starts_with("Earlier work (Harrow, [2011a]("));
}

#[test]
fn words_in_a_sentence_mark_no_note() {
    let clauses = "<p id=c1>1. Rowers sign the book.<p id=c2>2. Nobody rows alone.";
    assert!(markdown(&format!("<p>At night (see <a href='#c2'>rule 2</a>) too.{clauses}")).contains("(see [rule 2]("));
    for mark in ["<sup><a href='#c2'>note 2</a></sup>", "<a href='#c2'>[note 2]</a>"] {
        assert!(markdown(&format!("<p>At night{mark} too.{clauses}")).contains("At night[^note-2]"), "{mark}");
    }
    assert!(markdown(&format!("<p>At night<a href='#c2'>iii</a> too.{clauses}")).contains("At night[^iii]"));
}

#[test]
fn numbered_clauses_that_refer_to_each_other_are_not_notes() {
    let clauses = "<div id=c1><p><a name=n1>[1]</a> Rowers sign the book.</div><div id=c2><p><a name=n2>[2]</a> Nobody rows alone.</div>";
    let first = |link: &str| markdown(&format!("<p>At night{link}.{clauses}")).lines().next().map(String::from);
    assert_eq!(
        first("<a href='#c2'>[2]</a>").as_deref(),
        Some("At night[\\[2\\]](https://example.org/dir/page.html#c2).")
    );
    // No number follows the largest one.
    let largest = "<p><a href='#c9'>[4294967295]</a><p id=c9>[4294967295] Rowers sign.<p>[0] Nobody rows.";
    assert!(markdown(largest).contains("[0"));
    // All of them are notes.
    assert_eq!(first("<a href='#c1'>[1]</a><a href='#c2'>[2]</a>").as_deref(), Some("At night[^1][^2]."));
}

#[test]
fn tabs_mark_no_notes() {
    let tab = "<ul><li role=tab><a href='#d'>1</a></ul>";
    assert!(!markdown(&format!("{tab}<div id=d><p>The oars are of ash.</div>")).contains("[^"));
}

#[test]
fn the_number_of_a_single_step_is_written() {
    assert_eq!(all_formats("<ol start=3><li>Write the settings.</ol>")[0], "3. Write the settings.\n");
}

#[test]
fn a_term_does_not_link_to_itself() {
    let html = "<dl><dt id=auto><a href='#auto'><code>auto</code></a><dd>As the browser likes.</dl>";
    assert_eq!(markdown(html), "**`auto`**\n\nAs the browser likes.\n");
}

#[test]
fn a_cell_with_an_icon_has_its_name() {
    let row = |cell: &str| {
        let html = format!("<table><tr><th>Plan<th>Small<th>Large<tr><td>Groups<td>{cell}<td>Ten</table>");
        all_formats(&html).map(|format| format.contains("Included"))
    };
    for cell in [
        "<svg aria-hidden=true></svg><span class=visually-hidden>Included</span>",
        "<svg aria-label=Included></svg>",
        "<svg><title>Included</title></svg>",
        "<i class=check title=Included></i>",
    ] {
        assert_eq!(row(cell), [true; 4], "{cell}");
    }
    // Other hidden text is not a name, and neither is the sign of a note in a table of one row.
    assert_eq!(row("<script>Included</script>"), [false; 4]);
    let note = "<table><tr><td><i title=Included></i><td>Close the valve before you begin.</table>";
    assert!(!all_formats(note)[1].contains("Included"));
}

#[test]
fn definition_lists_are_lists() {
    assert_eq!(markdown("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>"), "**a**\n\nb\n\nc\n\n**d**\n\ne\n");
    assert_eq!(markdown("<dl><dd>indented</dl>"), "indented\n");
}

#[test]
fn cjk_text_gets_no_spaces() {
    let [text, ..] = all_formats("<p>中文<b>字</b><span>在</span><a href=x>行</a>");
    assert_eq!(text, "中文字在行\n");
}

#[test]
fn html_is_an_allowlist() {
    let out = html(
        "<div onclick=x style='color:red' class=c id=i><p onmouseover=y>a <a href='javascript:alert(1)' onclick=z>b</a> \
         <a href=' JAVA\tSCRIPT:alert(1)'>c</a> <a href='data:text/html,x'>d</a> <a href='/e' target=_blank title='t\"&lt;'>e</a></p>\
         <img src='x.png' onerror=alert(1) alt='&quot;><script>alert(1)</script>'><img src='javascript:alert(1)'>\
         <script>alert(1)</script><style>p{}</style><iframe src=f></iframe><object data=o></object><embed src=e><form action=f><input value=v>\
         <button formaction=b>g</button></form><svg onload=x><text>h</text></svg><math href='javascript:x'><mi xlink:href='javascript:y' onclick=z>k\
         </mi><mtext><img src=x onerror=alert(1)><b>m</b></mtext></math><details ontoggle=x><summary>s</summary>t</details>\
         <base href='//evil.example'><link rel=stylesheet href=s><meta http-equiv=refresh content=0></div>",
    );
    assert_eq!(
        out,
        "<p>a b c d <a href=\"https://example.org/e\" title=\"t&quot;&lt;\">e</a></p>\n\
         <p><img src=\"https://example.org/dir/x.png\" alt=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\"></p>\n<p>g</p>\n\
         <p><math alttext=\"k\\text{m}\"><mi>k</mi><mtext>m</mtext></math></p>\n\
         <details>\n<summary>s</summary>\n<p>t</p>\n</details>\n"
    );
}

#[test]
fn html_keeps_meaningful_markup() {
    assert_eq!(
        html(
            "<p dir=rtl lang=ar>x <abbr title=T>a</abbr> <time datetime=2024-05-17>b</time> <q>c</q> <bdo dir=ltr>d</bdo> H<sub>2</sub>O"
        ),
        "<p lang=\"ar\" dir=\"rtl\">x <abbr title=\"T\">a</abbr> <time datetime=\"2024-05-17\">b</time> <q>c</q> <bdo dir=\"ltr\">d</bdo> \
         H<sub>2</sub>O</p>\n"
    );
    assert_eq!(
        html("<pre><code class='lang-py'>a\n  b</code></pre>"),
        "<pre><code class=\"language-py\">a\n  b</code></pre>\n"
    );
    assert_eq!(html("bare text<br>and a line"), "<p>bare text<br>and a line</p>\n");
}

#[test]
fn tei_is_well_formed_and_holds_the_metadata() {
    let page =
        Rendered::new("<h1>T &amp; u</h1><p>a&#1;b&#x8;<h2>S</h2><p>c<h1>V</h1><blockquote><h2>Q</h2>q</blockquote>");
    let keep = page.keep(|_| true);
    let mut metadata = Metadata::default();
    metadata.title = Some("A \"title\" <with> & signs\u{1}".into());
    metadata.authors = vec!["Ann Lee".into(), "Bo Ek".into()];
    metadata.date = Some("2024-05-17".into());
    metadata.sitename = Some("The Site".into());
    metadata.url = Some("https://example.org/a?b=1&c=2".into());
    metadata.language = Some("en-GB".into());
    metadata.license = Some("https://creativecommons.org/licenses/by/4.0/".into());
    metadata.description = Some("d".into());
    metadata.tags = vec!["t".into()];
    let xml = render::Tree::new(&page.content(&keep, None)).xml(&metadata);
    check_tei(&xml).unwrap();
    let doc = roxmltree::Document::parse(&xml).unwrap();
    let texts = |name: &str| -> Vec<String> {
        doc.descendants().filter(|n| n.has_tag_name(name)).map(|n| n.text().unwrap_or("").to_owned()).collect()
    };
    assert_eq!(texts("title")[0], "A \"title\" <with> & signs");
    assert_eq!(texts("author")[..2], ["Ann Lee", "Bo Ek"]);
    assert_eq!(texts("publisher")[0], "The Site");
    assert_eq!(texts("language"), ["en-GB"]);
    assert!(xml.contains("<ptr type=\"URL\" target=\"https://example.org/a?b=1&amp;c=2\"/>"));
    assert!(xml.contains("<licence target=\"https://creativecommons.org/licenses/by/4.0/\">"));
    assert!(xml.contains("<date when=\"2024-05-17\">"));
    // Sections nest by level; in a quote a heading is not a `<head>`.
    let at = |s: &str| xml.find(s).unwrap_or_else(|| panic!("{s} in {xml}"));
    assert!(
        at("<head rend=\"h1\">T") < at("<head rend=\"h2\">S") && at("<head rend=\"h2\">S") < at("</div>\n</div>\n")
    );
    assert!(xml.contains("<ab type=\"head\" rend=\"h2\">Q</ab>"));
    assert_eq!(read_tei(&xml).unwrap().split_whitespace().collect::<String>(), "T&uabScVQq");
}

#[test]
fn an_empty_page_is_empty() {
    let [text, markdown, clean, xml] = all_formats("<p> </p><ul><li></ul>");
    assert_eq!((text.as_str(), markdown.as_str(), clean.as_str()), ("", "", ""));
    check_tei(&xml).unwrap();
}

#[test]
fn links_are_references_or_lead_elsewhere_if_wanted() {
    let source = "<p>[1] <a href=/x>own</a> <a href='https://www.example.org/y'>too</a> <a href='https://e.com/(z)'>other</a> \
                  <a href=/x>again</a> <iframe src='https://www.youtube.com/embed/dQw4w9WgXcQ' title=Film></iframe>";
    let references = with(source, RenderOptions { reference_links: true, ..Default::default() });
    let want = "\\[1\\] [own][1] [too][2] [other][3] [again][1]\n\n[Film][4]\n\n[1]: https://example.org/x\n[2]: https://www.example.org/y\n\
                [3]: https://e.com/%28z%29\n[4]: https://www.youtube.com/watch?v=dQw4w9WgXcQ\n";
    assert_eq!(references[1], want.replace("https://example.org/x", "/x"));
    let elsewhere = with(source, RenderOptions { external_links: true, ..Default::default() });
    assert!(
        elsewhere[1].starts_with("[1] own [too](https://www.example.org/y) [other](https://e.com/%28z%29) again"),
        "{elsewhere:?}"
    );
    let page = Rendered::new(source);
    let (keep, base) = (page.keep(|_| true), url::Url::parse("https://blog.example.org/").unwrap());
    let mut content = page.content(&keep, Some(&base));
    content.options.external_links = true;
    let markdown = render::Tree::new(&content).markdown();
    assert!(markdown.starts_with("[1] own too [other]"), "{markdown}");
    let none = with(source, RenderOptions { links: false, ..Default::default() });
    assert!(none.iter().all(|f| !f.contains("youtube")), "{none:?}");
}

#[test]
fn options_leave_things_out() {
    let source = "<p><a href=x>a</a> <img src=i.png>b<table><tr><td>c<td><img src=j.png></table><figure><img src=k.png></figure>";
    let no_links = with(source, RenderOptions { links: false, ..Default::default() });
    assert!(
        no_links[1].starts_with("a ![](i.png)b") && !no_links[2].contains("<a") && !no_links[3].contains("<ref"),
        "{no_links:?}"
    );
    let no_images = with(source, RenderOptions { images: false, ..Default::default() });
    assert!(!no_images[1].contains("!["), "{}", no_images[1]);
    assert!(
        !no_images[2].contains("<img") && !no_images[2].contains("figure") && !no_images[3].contains("graphic"),
        "{no_images:?}"
    );
    let no_tables = with(source, RenderOptions { tables: false, ..Default::default() });
    for format in &no_tables {
        assert!(!format.contains("j.png") && !format.contains("table") && !format.contains("| "), "{format}");
    }
    assert_eq!(
        no_tables[0],
        "a b
"
    );
}

/// Returns pages with `n` of something: deep nesting, wide tables, spans, floods of one element.
fn hostile_pages(n: usize) -> Vec<(&'static str, String)> {
    let cells = |n: usize| "<td>x".repeat(n);
    vec![
        ("quotes", "<blockquote><p>a".repeat(n)),
        ("lists", "<ul><li>a".repeat(n)),
        ("items", format!("<ul>{}</ul>", "<li>a".repeat(n))),
        ("inline", "<b><i><a href=x>a".repeat(n)),
        (
            "spans",
            format!("<table><tr>{}{}</table>", cells(n / 2), "<tr><td colspan=1000 rowspan=1000>x".repeat(n / 2)),
        ),
        ("narrow spans", format!("<table>{}</table>", "<tr><td colspan=60 rowspan=60000>x".repeat(n))),
        ("rows behind a wide one", format!("<table><tr>{}{}</table>", cells(n), "<tr><td>x<td>y".repeat(n))),
        ("tables in cells", "<table><tr><td>a<td>b".repeat(n / 4)),
        ("stars", "*_`[]()<>~$!\\|&amp;#".repeat(n)),
        ("dollars", "<p>".to_owned() + &"$x <b>y$</b> ".repeat(n)),
        ("references", "<a href=#n>1</a> ".repeat(n) + "<ol><li id=n>note</ol>"),
        ("breaks", "a<br>".repeat(n)),
        ("formulas", "<math><mi>x</mi></math><span aria-hidden=true>x</span>".repeat(n)),
        ("rules", "a<hr>".repeat(n)),
        ("captions", format!("<table>{}<tr><td>a<td>b</table>", "<caption>c</caption>".repeat(n))),
        ("pictures", "<picture><source srcset='a 1x, b 2x'><img data-src='/a.png'></picture>".repeat(n)),
        ("sources", format!("<picture>{}{}</picture>", "<source>".repeat(n), "<img>".repeat(n))),
    ]
}

/// Returns the time that all formats of a page take, and the size of the largest.
fn cost(page: &Rendered) -> (Duration, usize) {
    let keep = page.keep(|_| true);
    let c = page.content(&keep, None);
    let start = Instant::now();
    let formats = [
        render::Tree::new(&c).text(),
        render::Tree::new(&c).markdown(),
        render::Tree::new(&c).html(),
        render::Tree::new(&c).xml(&Metadata::default()),
    ];
    (start.elapsed(), formats.iter().map(String::len).max().unwrap_or(0))
}

/// A page of eight times the size takes about eight times as long; a quadratic walk would take 64 times.
#[test]
fn hostile_pages_take_linear_time() {
    const N: usize = 500;
    for ((name, small), (_, large)) in hostile_pages(N).into_iter().zip(hostile_pages(8 * N)) {
        let (small, bytes, large) = (Rendered::new(&small), large.len(), Rendered::new(&large));
        // Other processes may disturb a run, so the best of a few tries counts.
        let ratio = || cost(&large).0.as_secs_f64() / cost(&small).0.as_secs_f64().max(0.001);
        let best = (0..5).map(|_| ratio()).find(|r| *r < 24.0);
        assert!(best.is_some(), "{name}: {:?} and {:?}", cost(&small).0, cost(&large).0);
        let size = cost(&large).1;
        assert!(size < 40 * bytes + 4096, "{name}: {size} bytes from {bytes}");
    }
}

#[test]
fn rows_of_several_years_repeat_the_year() {
    let html = "<table><tr><th>Year<th>Month<th>Sum<tr><th rowspan=3>2025<tr><td>May<td>1<tr><td>June<td>2</table>";
    assert_eq!(
        markdown(html),
        "| Year | Month | Sum |\n| --- | --- | --- |\n| 2025 | May | 1 |\n| 2025 | June | 2 |\n"
    );
    assert_eq!(all_formats(html)[0], "Year | Month | Sum\n2025\nMay | 1\nJune | 2\n");
}

#[test]
fn tables_that_markdown_cannot_hold_are_html_if_wanted() {
    let html = "<table><tr><th>a<th>b<tr><td>1<td><pre>x\n\ny</pre></table>";
    let whole = RenderOptions::default();
    assert!(with(html, whole)[1].contains("<td><pre>x&#10;\ny</pre>"), "{}", with(html, whole)[1]);
    let lines = RenderOptions { html_tables: false, ..whole };
    assert_eq!(with(html, lines)[1], "| a | b |\n| --- | --- |\n| 1 | `x y` |\n");
    assert_eq!(with(html, whole)[0], "a | b\n1\nx\n\ny\n");
}

#[test]
fn text_has_the_numbers_of_lists_and_indents_nested_ones() {
    let html = "<ol reversed><li>a<ol type=i start=4><li>b<li>c</ol><li>d</ol><ul><li>e<ul><li>f</ul></ul>";
    assert_eq!(all_formats(html)[0], "2. a\n  iv. b\n  v. c\n1. d\n- e\n  - f\n");
    let plain = RenderOptions { list_numbers: false, ..Default::default() };
    assert_eq!(with(html, plain)[0], "- a\n  - b\n  - c\n- d\n- e\n  - f\n");
    assert!(
        all_formats(html)[3].contains("<list rend=\"numbered lower-roman\">\n<item n=\"4\">"),
        "{}",
        all_formats(html)[3]
    );
}

#[test]
fn items_in_a_decimal_style_are_numbered() {
    let item = |text: &str, style: &str| format!("<li style='{style}'>{text}");
    let list = |style: &str| format!("<ul>{}{}</ul>", item("Peel.", style), item("Boil.", style));
    assert_eq!(markdown(&list("margin:0; list-style-type: decimal;")), "1. Peel.\n2. Boil.\n");
    assert_eq!(markdown(&list("list-style: none")), "- Peel.\n- Boil.\n");
}

#[test]
fn preformatted_text_around_tables_is_not_code() {
    let html = "<pre>\n<h3>Relay</h3>\n<table><tr><td>Club</td><td>51.2</td></tr>\n<tr><td>School</td><td>52.0</td></tr></table></pre>";
    let written = markdown(html);
    assert!(written.starts_with("### Relay") && written.contains("| Club | 51.2 |"), "{written}");
}

#[test]
fn a_checkbox_is_a_task_only_if_it_is_no_control() {
    let html = "<ul><li><input type=checkbox disabled checked> done<li aria-checked=false>open</ul>";
    assert_eq!(markdown(html), "- [x] done\n- [ ] open\n");
    assert_eq!(markdown("<ul><li><input type=checkbox name=red> Red</ul>"), "- Red\n");
}

#[test]
fn a_card_that_touches_text_is_no_entry() {
    let card = |n: u32| format!("a<a href=/{n}>b long title of the card<pre></pre></a>");
    let html: String = (0..3).map(|n| format!("<p>{}", card(n))).collect();
    crate::common::check(&Rendered::new(&html), |_| true).unwrap();
}

#[test]
fn invisible_characters_neither_join_nor_separate_words() {
    let text = |html: &str| {
        crate::common::check(&Rendered::new(html), |_| true).unwrap();
        all_formats(html)[0].clone()
    };
    assert_eq!(text("g \u{ad}<n>t"), "g t\n", "a space before a soft hyphen");
    assert_eq!(text("a \u{200b}<b>5</b>"), "a 5\n");
    assert_eq!(text("<q>t</q>\u{2060}C"), "“t” C\n", "a mark of quotation hides no word");
    let two = "\u{200b}<e><math><annotation encoding='application/x-tex'>2</annotation></math>C";
    assert_eq!(text(two), "2C\n", "a formula stands between the character and the capital");
    let formulas = "<span class=math>\\eta</span>\u{200b}<script type=math/tex>a</script>";
    assert_eq!(text(formulas), "\\eta a\n", "adjacent formulas are two words");
    assert_eq!(text(&format!("<pre>{formulas}")), "\\eta\u{200b} a\n");
}

#[test]
fn a_list_in_code_ends_its_line() {
    assert_eq!(markdown("<pre>a<ol>b</ol>c"), "```\na\nb\nc\n```\n");
    assert_eq!(markdown("<pre><br>a<button>x</button>b"), "```\nab\n```\n", "what is left out ends no line");
}

#[test]
fn a_summary_that_cannot_be_bold_begins_no_list() {
    assert_eq!(markdown("<details><summary>1. `</summary>x</details>"), "1\\. \\`\n\nx\n");
    assert_eq!(markdown("<details><summary># *</summary></details>"), "\\# *\n");
    assert_eq!(markdown("<details><summary>1. x</summary></details>"), "**1. x**\n");
}

#[test]
fn brackets_behind_a_reference_are_text() {
    assert_eq!(
        markdown("<p>s<a href='#n1'>1</a>[g]<ul><li id=n1>t</ul>"),
        "s[^1]&#91;g]\n\n[^1]: t\n",
        "pulldown-cmark reads an escaped bracket as the second half of a reference"
    );
}

#[test]
fn code_in_a_link_to_a_note_is_no_reference() {
    let html = "<a href='#n1'><div class=view-lines><div>x</div></div>g</a><p id=n1>note";
    crate::common::check(&Rendered::new(html), |_| true).unwrap();
    let [_, markdown, _, tei] = all_formats(html);
    assert!(markdown.starts_with("```\nx\n```\n"), "{markdown}");
    assert!(tei.contains("xml:space=\"preserve\">x</code>"), "{tei}");
}

#[test]
fn a_note_that_is_only_a_label_keeps_it() {
    assert_eq!(markdown("<p>x<a href='#n1'>1</a><ul><li id=n1><a href='#x'>1</a></ul>"), "x[^1]\n\n[^1]: 1\n");
    assert_eq!(markdown("<p>x<a href='#n1'>1</a><ul><li id=n1><kbd>*</kbd></ul>"), "x[^1]\n\n[^1]: <kbd>\\*</kbd>\n");
}

#[test]
fn formulas_are_not_looked_for_in_code() {
    let html = "<kbd>\\(\\alpha + \\beta\\)</kbd> is \\(\\alpha + \\beta\\)";
    assert_eq!(markdown(html), "<kbd>\\\\(\\alpha + \\beta\\\\)</kbd> is $\\alpha + \\beta$\n");
}

#[test]
fn a_formula_with_a_closing_delimiter_takes_other_ones_in_html() {
    assert_eq!(html("$\\eta\\)5$"), "<p><span class=\"math inline\">$\\eta\\)5$</span></p>\n");
    assert_eq!(html("$\\eta$"), "<p><span class=\"math inline\">\\(\\eta\\)</span></p>\n");
}

#[test]
fn a_box_in_a_caption_is_a_note_in_a_head() {
    let html = "<figure><img src=a.png><figcaption><div class=callout>f</div></figcaption></figure>";
    let tei = &all_formats(html)[3];
    assert!(tei.contains("<head><note type=\"note\">"), "{tei}");
    check_tei(tei).unwrap();
}

#[test]
fn a_figure_that_keeps_only_a_sign_holds_it_in_a_paragraph() {
    let html = "s<ul><rt><figure><img src=a.png>l";
    let page = Rendered::new(html);
    crate::common::check(&page, |i| !page.blocks.text(i).contains('l')).unwrap();
}
