//! Pages that users of other extractors reported, each kind with variants, and with similar pages whose result must not change. The pages
//! are written for the tests.
use maintext_core::select::Selector;
use maintext_core::{Formats, Options, Page, extract};

const FIRST: &str = "The ferry to the outer islands has run twice a day since the old pier was rebuilt, and nobody remembers a winter in which it stayed away.";
const SECOND: &str = "In the first week of March the engine failed within sight of the harbour, so that two fishing boats had to bring the passengers ashore.";
const THIRD: &str = "The owners have promised a new engine before the summer, though the islanders would rather have a second boat and a captain who can swim.";

/// An article inside the frame of a small news site.
fn page(title: &str, content: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title} - The Island Post</title></head><body>
        <header><a class=logo href=/>The Island Post</a><nav><ul><li><a href=/news>News</a></li><li><a href=/boats>Boats</a></li>
        <li><a href=/weather>Weather</a></li><li><a href=/about>About us</a></li></ul></nav></header>
        <main><article><h1>{title}</h1>{content}</article></main>
        <aside class=sidebar><h3>Most read</h3><ul><li><a href=/n/1>Seals return to the north bay</a></li>
        <li><a href=/n/2>School opens its new roof</a></li><li><a href=/n/3>Bakery wins a prize for bread</a></li></ul></aside>
        <footer><p>© 2026 The Island Post. All rights reserved.</p><ul><li><a href=/imprint>Imprint</a></li></ul></footer></body></html>"
    )
}

fn read(html: &str) -> Page {
    let formats = Formats { text: true, markdown: true, ..Formats::NONE };
    extract(html, &Options { formats, ..Options::default() }).unwrap()
}

fn text(content: &str) -> String {
    read(&page("The ferry that stopped", content)).text.unwrap_or_default()
}

fn markdown(content: &str) -> String {
    read(&page("The ferry that stopped", content)).markdown.unwrap_or_default()
}

/// A part between paragraphs of an article.
fn amid(part: &str) -> String {
    format!("<p>{FIRST}</p><p>{SECOND}</p>{part}<p>{THIRD}</p>")
}

/// laurent22/joplin#10126: lists of line numbers; SyntaxHighlighter and its relatives write an element for each line, with several `<code>`.
#[test]
fn code_with_an_element_for_each_line_is_one_block() {
    let want = "```java\nclass Pier {\n    int boats = 2;\n}\n```";
    let line = |parts: &[&str]| {
        parts.iter().map(|p| format!("<code class='java plain'>{p}</code>")).collect::<Vec<_>>().join(" ")
    };
    let lines = [
        line(&["class", "Pier", "{"]),
        format!("<code>    </code>{}", line(&["int", "boats", "=", "2;"])),
        line(&["}"]),
    ];
    let divisions = |class: &str| lines.iter().map(|l| format!("<div class='{class}'>{l}</div>")).collect::<String>();
    let numbers = "<div class='line number1'>1</div><div class='line number2'>2</div><div class='line number3'>3</div>";
    for display in [
        format!("<div class='syntaxhighlighter java'><table><tr><td class=code><div class=container>{}</div></td></tr></table></div>", divisions("line")),
        format!(
            "<div class='syntaxhighlighter java'><div class=toolbar><a href=#>?</a></div><table><tr><td class=gutter>{numbers}</td>\
             <td class=code><div class=container>{}</div></td></tr></table></div>",
            divisions("line")
        ),
        format!("<div class=language-java><div>{}</div></div>", divisions("row")),
        "<pre><code class=language-java>class Pier {\n    int boats = 2;\n}\n</code><ul class=pre-numbering><li>1</li><li>2</li><li>3</li></ul></pre>".to_owned(),
    ] {
        assert!(markdown(&amid(&display)).contains(want), "{display}\n{}", markdown(&amid(&display)));
    }
    // Names of functions in a list of divisions are not lines of code.
    let names = "<div><div><code>open</code></div><div><code>close</code></div></div>";
    assert!(!markdown(&amid(names)).contains("```"));
}

/// Page builders whose shortcodes were never rendered.
#[test]
fn shortcodes_go_and_their_contents_stay() {
    let t = text(&format!(
        "<p>[vc_row type=\"full\"][vc_column width=\"1/2\"]{FIRST}</p><p>{SECOND}[/vc_column][/vc_row]</p><p>[gallery ids=\"1,2\"]</p>\
         <p>{THIRD} He wrote [sic] beside a[0], see [[Ferries]].</p>"
    ));
    assert!(t.contains(FIRST) && t.contains(SECOND) && t.contains("[sic] beside a[0], see [[Ferries]]."), "{t}");
    assert!(!t.contains("vc_") && !t.contains("gallery"), "{t}");
}

/// A second and a third article that endless pages load below the requested one.
#[test]
fn short_articles_below_the_requested_one_go() {
    let article = |title: &str, text: &str| {
        format!(
            "<article><h1>{title}</h1><p class=byline>By Ann Reed</p><p>{text}</p><p>The harbour office had no comment on it.</p></article>"
        )
    };
    let body = article("The ferry that stopped", &format!("{FIRST} {SECOND}"))
        + &article("Seals return", "Forty seals lie on the sand again, and the school counts them every Friday.")
        + &article(
            "A roof for the school",
            "The new roof has room for the nests of the swallows that came back in April.",
        );
    let html =
        |title: &str| format!("<html><head><title>{title}</title></head><body><main>{body}</main></body></html>");
    let t = read(&html("The ferry that stopped")).text.unwrap();
    assert!(t.contains(SECOND) && !t.contains("Forty seals") && !t.contains("swallows"), "{t}");
    // The front page, whose title names none of them.
    assert!(read(&html("The Island Post")).text.unwrap().contains("Forty seals"));
}

/// Alir3z4/html2text#207, kepano/defuddle#336.
#[test]
fn line_breaks_that_a_style_shows_stay() {
    let lines = "Minutes of the meeting\n\n- Pier: postponed\n- Bench: agreed\nSigned by the clerk";
    let style = "<style>article div{white-space:pre-line}</style>";
    for part in [
        format!("<div style='margin:0; white-space: pre-wrap'>{lines}</div>"),
        format!("<div style='white-space:pre-line'><span>{lines}</span></div>"),
        format!("<p class='whitespace-pre-wrap mt-4'>{lines}</p>"),
        format!("{style}<div>{lines}</div>"),
        format!(
            "<style>article div{{white-space:pre-line}}article p{{white-space:inherit}}</style><div><p>{lines}</p></div>"
        ),
    ] {
        let t = text(&amid(&part));
        assert!(t.contains("- Pier: postponed\n- Bench: agreed\nSigned by the clerk"), "{part}\n{t}");
    }
    for part in [
        format!("<p class=pre-wrapper style='white-space:normal'>{lines}</p>"),
        format!(
            "<style>article div{{white-space:pre-line}}article p{{white-space:normal}}</style><div><p>{lines}</p></div>"
        ),
    ] {
        let t = text(&amid(&part));
        assert!(t.contains("Pier: postponed - Bench: agreed Signed"), "{part}\n{t}");
    }
    let sentence = "The clerk wrote the minutes\nof the meeting on the back of a chart.";
    let t = text(&amid(&format!("<div class=whitespace-pre-wrap><p class=whitespace-normal>{sentence}</p></div>")));
    assert!(t.contains("the minutes of the meeting"), "{t}");
}

/// jmriebold/BoilerPy3#2.
#[test]
fn paragraphs_below_an_open_anchor_are_no_items() {
    let m = read(&format!(
        "<title>Ferries</title><h1>Ferries</h1><a name=a><h3>One</h3><p>{FIRST}<p>{SECOND}<a name=b><h3>Two</h3><p>{THIRD}<p>{FIRST}<hr>"
    ))
    .markdown
    .unwrap();
    assert!(!m.contains("- The") && m.contains("### Two"), "{m}");
}

/// obsidianmd/obsidian-clipper#863.
#[test]
fn a_note_with_other_markup_stays() {
    let m = markdown(&format!(
        "<p>{FIRST}<a href=#_ftn1 name=_ftnref1>[1]</a></p><p>{SECOND}<a href=#_ftn2 name=_ftnref2>[2]</a></p><p>{THIRD}</p><hr>\
         <p><a href=#_ftnref1 name=_ftn1>[1]</a> Letter to the owners, 1961.</p>\
         <div id=ftn2><p><a href=#_ftnref2 name=_ftn2>[2]</a> Ibid., 93.</p></div>"
    ));
    assert!(m.contains("[^1]: Letter to the owners, 1961.") && m.contains("[^2]: Ibid., 93."), "{m}");
}

/// xberg-io/html-to-markdown#28.
#[test]
fn quotations_nest() {
    let t = text(&amid(
        "<p>He said <q>the mate cried <q>land</q> twice</q> and <q><q>Land</q> is a word</q> to all of the passengers.</p>",
    ));
    assert!(t.contains("“the mate cried ‘land’ twice” and “‘Land’ is a word” to all"), "{t}");
}

/// danielfrg/mkdocs-jupyter#155.
#[test]
fn the_last_cell_of_a_notebook_stays() {
    let cell = |n: u32, code: &str, out: &str| {
        format!(
            "<div class='jp-Cell jp-CodeCell'><div class=jp-InputArea><div class=jp-InputPrompt>In&nbsp;[{n}]:</div><div class=cm-editor>\
             <div class=highlight><pre>{code}</pre></div></div></div><div class=jp-OutputArea><div class=jp-OutputPrompt>Out[{n}]:</div>\
             <div class=jp-RenderedText><pre>{out}</pre></div></div></div>"
        )
    };
    let t = text(&format!(
        "<p>{FIRST}</p>{}<p>{SECOND}</p>{}",
        cell(1, "import math\nq = 3", "3"),
        cell(2, "math.sqrt(q)", "1.7320508075688772")
    ));
    assert!(t.contains("math.sqrt(q)") && t.contains("1.7320508075688772") && !t.contains("In [2]"), "{t}");
}

/// adbar/trafilatura#10.
#[test]
fn accordions_keep_their_titles_and_answers() {
    let answers = [
        "We sail twice a day, in every kind of weather but fog.",
        "Dogs may come along if they stay on deck with you.",
    ];
    let titles = ["How often do you sail?", "May dogs come along?"];
    let set = |item: &dyn Fn(usize) -> String| format!("<h2>Questions</h2><div>{}</div>", item(0) + &item(1));
    let boxes = |i: usize| {
        format!(
            "<div class=panel><div class=panel-heading><h4><a data-toggle=collapse href=#c{i}>{}</a></h4></div>\
             <div id=c{i} class='panel-collapse collapse'><p>{}</p></div></div>",
            titles[i], answers[i]
        )
    };
    let links = |i: usize| {
        format!(
            "<div class=accordion-item><div class=accordion-title><a href='#'>{}</a></div><div class=accordion-content style='display:none'>\
             <p>{}</p></div></div>",
            titles[i], answers[i]
        )
    };
    let buttons =
        |i: usize| format!("<button class=acc>{}</button><div class=acc-panel><p>{}</p></div>", titles[i], answers[i]);
    for set in [set(&boxes), set(&links), set(&buttons)] {
        let t = text(&format!("<p>{FIRST}</p><p>{SECOND}</p>{set}"));
        assert!(titles.iter().chain(&answers).all(|part| t.contains(part)), "{set}\n{t}");
    }
}

/// mozilla/readability#888, kepano/defuddle#80.
#[test]
fn headings_stay_with_the_text_below_them() {
    let post = |title: &str, text: &str| {
        format!(
            "<article class=post><header><h2><a href='/p/{}'>{title}</a></h2><div class=meta>June 1, 2026</div></header><div><p>{text}</p>\
             <p>Nobody on the pier had seen anything like it before.</p></div><footer><a href=#respond>Leave a reply</a></footer></article>",
            title.len()
        )
    };
    let html = format!(
        "<html lang=en><title>Notes from the pier</title><header><a href=/>Notes from the pier</a><nav><a href=/a>About</a></nav></header><main>{}{}{}</main>",
        post("The ferry that stopped", FIRST),
        post("A kernel of song", SECOND),
        post("Engines and captains", THIRD)
    );
    let m = read(&html).markdown.unwrap();
    assert!(
        m.contains("A kernel of song") && m.contains("Engines and captains") && !m.contains("Leave a reply"),
        "{m}"
    );
    let m = markdown(&amid(
        "<h3 id=simple><a href=#simple>Simple requests</a></h3><div class=code-example><div class=example-header>\
         <span class=language-name>http</span><button>Copy to Clipboard</button></div><pre class='brush: http'><code>GET /boats HTTP/1.1</code></pre></div>",
    ));
    assert!(m.contains("### Simple requests") && m.contains("```http\nGET /boats") && !m.contains("Clipboard"), "{m}");
}

/// kepano/defuddle#371, jina-ai/reader#1196.
#[test]
fn boxes_and_facts_stay() {
    for title in [
        "<div class=font-bold>Mental model</div>",
        "<div><strong>Mental model</strong></div>",
        "<p class=card-title>Mental model</p>",
    ] {
        let t = text(&amid(&format!(
            "<div class=card>{title}<div>Think of two boats that leave both shores at once and meet.</div></div>"
        )));
        assert!(t.contains("Mental model"), "{title}\n{t}");
    }
    let facts = "<dl><dt>Kind of boat:</dt><dd>Ferry, cutter</dd><dt>Area:</dt><dd>Outer islands</dd><dt>Who may sail:</dt><dd>Everybody with a ticket</dd></dl>";
    let html = page("The ferry that stopped", &amid(""))
        .replace("<main><article>", &format!("<main><div class=jumbotron>{facts}</div><article>"));
    assert!(read(&html).text.unwrap().contains("Ferry, cutter"), "{}", read(&html).text.unwrap());
}

/// mozilla/readability#743, miniflux/v2#473.
#[test]
fn captions_that_repeat_say_nothing_about_their_images() {
    let figure = |n: usize| {
        format!("<figure><img src=/w{n}.jpg width=800 height=500><figcaption>The ferry in 1911</figcaption></figure>")
    };
    assert!(text(&amid(&figure(1))).contains("The ferry in 1911"));
    assert!(!text(&amid(&(1..4).map(figure).collect::<String>())).contains("The ferry in 1911"));
}

#[test]
fn short_captions_stay_with_their_images() {
    for figure in [
        "<figure><img src=/w.jpg width=800 height=500><figcaption>The ferry in 1911 (not to scale).</figcaption></figure>",
        "<figure><a-img><img alt=Ferry src=/w.jpg><div class=sizer></div></a-img><figcaption>The ferry in 1911</figcaption></figure>",
        "<div class=wp-caption><img src=/w.jpg width=800 height=500><p class=wp-caption-text>The ferry in 1911</p></div>",
        "<div class=media><img src=/w.jpg width=800 height=500><small>The ferry in 1911</small></div>",
        "<table><tr><td><img src=/w.jpg width=800 height=500></td></tr><tr><td>The ferry in 1911</td></tr></table>",
        "<table><tr><td><img src=/w.jpg width=800 height=500></td></tr><tr><td class=tr-caption>The ferry in 1911 (<a href=/ann>Ann Lee</a>)</td></tr></table>",
        "<a href=/big.jpg><img src=/w.jpg width=800 height=500></a><div class=bildunterschrift>The ferry in 1911</div>",
        "<figure><img src=/w.jpg width=800 height=500><figcaption>Photo: The ferry in 1911</figcaption></figure>",
    ] {
        let t = text(&amid(figure));
        assert!(t.contains("The ferry in 1911"), "{figure}\n{t}");
        let m = markdown(&format!("{figure}<p>{FIRST}</p><p>{SECOND}</p>"));
        assert!(m.contains("/w.jpg") && m.contains("The ferry in 1911"), "{figure}\n{m}");
    }
    let japanese = "<figure><img src=/w.jpg width=800 height=500><figcaption>土で塗り直したかまど（撮影：早瀬）</figcaption></figure>";
    assert!(text(&amid(japanese)).contains("土で塗り直したかまど"));
    let t =
        text(&amid("<figure><img src=/icon.png width=16 height=16><figcaption>Share this page</figcaption></figure>"));
    assert!(!t.contains("Share this page"), "{t}");
}

#[test]
fn a_long_caption_that_the_text_leaves_out_is_written_with_its_image() {
    let html = include_str!("../../../../testdata/structure/media/figures.html");
    // With a credit, the method takes it for a caption.
    let html = &html.replace("rotten and the whole of it was taken out with a crane.", "rotten. Photo: county archive");
    let caption = "The wheel before its repair";
    let mut options = Options { formats: Formats::ALL, ..Options::default() };
    let page = extract(html, &options).unwrap();
    assert!(!page.text().contains(caption), "{}", page.text());
    for written in [page.markdown, page.html, page.xml, page.blocks] {
        assert!(written.as_deref().unwrap_or("").contains(caption), "{written:?}");
    }
    options.render.images = false;
    assert!(!extract(html, &options).unwrap().markdown.unwrap().contains(caption));
    options.render.images = true;
    options.rules.drop = vec![Selector::parse(".photo-caption").unwrap()];
    assert!(!extract(html, &options).unwrap().markdown.unwrap().contains(caption));
}

#[test]
fn a_button_within_a_sentence_is_a_part_of_it() {
    let button =
        |before: &str, after: &str| amid(&format!("<p>{before}<button type=button>sugar water</button>{after}</p>"));
    let term = button("The keeper laid them in a tub of ", ", where they stayed until spring.");
    for written in [text(&term), markdown(&term)] {
        assert!(written.contains("a tub of sugar water, where they stayed until spring."), "{written}");
    }
    for (before, after) in
        [("They stayed until spring. ", ""), ("They stayed until spring. ", " Then they left."), ("", " They left.")]
    {
        let t = text(&button(before, after));
        assert!(!t.contains("spring. sugar water") && !t.contains("sugar water They"), "{t}");
    }
}

#[test]
fn the_description_of_a_numbered_figure_is_written_with_its_image() {
    let figure = "<figure><figcaption><b>Fig. 1</b></figcaption><div><picture><img src=/w.jpg width=800 height=500></picture>
        <div class=desc><p>Core from the mill at Ashford, with the harvests of forty years marked by bars.</p></div></div></figure>";
    let m = markdown(&format!("<p>{FIRST}</p>{figure}<p>{SECOND}</p>"));
    assert!(m.contains("/w.jpg") && m.contains("Core from the mill"), "{m}");
}

#[test]
fn signs_of_permalinks_and_links_of_scripts_are_not_links() {
    let m = markdown(&format!(
        "<p><a href=/2025/09.html#a1>■</a> {FIRST} <a class=perma href=/2025/09.html#a1>#</a></p><p>{SECOND}<a href=#note>*</a></p><h3><a href=#>The winter</a></h3><p>{THIRD}</p>"
    ));
    assert!(!m.contains('■') && !m.contains("[#]") && !m.contains("#a1"), "{m}");
    assert!(m.contains("### The winter") && m.contains("[\\*](#note)"), "{m}");
}

#[test]
fn what_an_amp_page_shows_in_place_of_an_advertisement_goes() {
    let t =
        text(&amid("<amp-ad width=300 height=250><div fallback>The advertisement could not be shown.</div></amp-ad>"));
    assert!(!t.contains("could not be shown"), "{t}");
}

/// kepano/defuddle#279.
#[test]
fn a_picture_between_heading_and_text_is_kept_though_its_caption_is_not() {
    let article = |lead: &str| {
        let text = format!(
            "<p class=by>Orla Finch</p>{lead}<div class=text><p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p></div>"
        );
        read(&page("The ferry that stopped", &text)).markdown.unwrap()
    };
    let m = article("<div class=hero><img src=/w.jpg width=800 height=500><div>Picture by the agency</div></div>");
    assert!(m.contains("/w.jpg"), "{m}");
    let m = article("<div class=hero><img src=/logo.svg><div>Picture by the agency</div></div>");
    assert!(!m.contains("/logo.svg"), "{m}");
    let about = "<div class=author-bio><a href=/orla>Orla Finch</a> has written about ships and harbours for the paper since she left school, and once built a boat</div>";
    let m = article(&format!(
        "<header><figure><img src=/w.jpg><figcaption>By the agency</figcaption></figure>{about}</header>"
    ));
    assert!(m.contains("/w.jpg") && !m.contains("once built a boat"), "{m}");
}

/// mozilla/readability#541.
#[test]
fn icons_are_no_text() {
    let m = markdown(&amid(
        "<ul><li><i class=fa>\u{f00c}</i> Repair the engine and the mast</li><li><b>\u{f00c}</b> Buy a second boat for the winter</li></ul>\
         <p><i class=material-icons>arrow_forward</i> The option <i>max_boats</i> limits the number of boats that may leave.</p>",
    ));
    assert!(!m.contains('\u{f00c}') && !m.contains("****") && !m.contains("arrow_forward"), "{m}");
    assert!(m.contains("- Repair the engine") && m.contains("max_boats"), "{m}");
}

/// kepano/defuddle#59.
#[test]
fn pictures_for_phones_and_desks_appear_once() {
    for (large, small) in
        [("d-none d-md-block", "d-md-none"), ("hidden lg:block", "lg:hidden"), ("desktop-only", "mobile-only")]
    {
        let picture = |class: &str, file: &str| {
            format!("<div class='{class}'><img src={file} alt='A boat' width=900 height=600></div>")
        };
        let m = markdown(&amid(&format!("<div>{}{}</div>", picture(large, "/l.jpg"), picture(small, "/s.jpg"))));
        assert!(m.contains("/l.jpg") && !m.contains("/s.jpg"), "{large}\n{m}");
        let m = markdown(&amid(&format!("<div>{}{}</div>", picture("left", "/l.jpg"), picture("right", "/s.jpg"))));
        assert!(m.contains("/l.jpg") && m.contains("/s.jpg"), "{m}");
    }
}

/// Unstructured-IO/unstructured#2562.
#[test]
fn notes_on_scripts_go_and_other_text_for_browsers_without_them_stays() {
    let t = text(&amid("<noscript><div>You need scripts to see the map of the piers.</div></noscript>"));
    assert!(!t.contains("You need scripts"), "{t}");
    let t = text(&amid(
        "<noscript><p>The timetable: first boat at seven in the morning, last boat at nine in the evening.</p></noscript>",
    ));
    assert!(t.contains("first boat at seven"), "{t}");
}

/// mozilla/readability#746.
#[test]
fn a_dialog_over_the_page_goes() {
    let choice = "<h2>We value your choice</h2><p>We and our 812 partners store and read information on a device, such as unique identifiers, \
        to process personal data. You may accept or manage your choices, including your right to object, at any time on the page of the policy.</p>\
        <p>Store and access information on a device. Advertising and content, audience research and development of services.</p>";
    for over in ["<div role=dialog aria-modal=true>", "<dialog open>"] {
        let end = if over.starts_with("<div") { "</div>" } else { "</dialog>" };
        let html = page("The ferry that stopped", &format!("<p>{FIRST}</p><p>{SECOND}</p>"))
            .replace("<main>", &format!("{over}{choice}{end}<main>"));
        let t = read(&html).text.unwrap();
        assert!(t.contains(SECOND) && !t.contains("812 partners"), "{over}\n{t}");
    }
}

/// AeternaLabsHQ/pullmd#17.
#[test]
fn pictures_of_dropped_recommendations_go() {
    let card = |i: u32, title: &str| {
        format!("<li><a href=/r{i}><figure><img src=/r{i}.jpg></figure><span>{title}</span></a></li>")
    };
    let list = card(1, "The lock that never opened") + &card(2, "Seven piers to see before autumn");
    let html = page(
        "The ferry that stopped",
        &amid(&format!("<div class=related><div>You may like</div><ul>{list}</ul></div>")),
    );
    let found =
        extract(html.as_str(), &Options { metadata: true, formats: Formats::ALL, ..Options::default() }).unwrap();
    assert!(!found.markdown.unwrap().contains("r1.jpg"));
    assert_eq!(found.metadata.image, None);
    // The picture of an article may lead to a larger one.
    let m = markdown(&amid("<figure><a href=/large.jpg><img src=/small.jpg width=800 height=500></a></figure>"));
    assert!(m.contains("small.jpg"), "{m}");
}

#[test]
fn the_picture_of_a_dropped_advertisement_goes() {
    let shown = |text: &str| {
        let picture = "<a href=/subscribe><img src=/spring.jpg width=1200 height=300 alt=Spring></a>";
        let head = format!("<div class=hero-banner-wrap>{picture}<div class=hero-banner-caption>{text}</div></div>");
        let html = page("The ferry that stopped", &amid("")).replace("</h1>", &format!("</h1>{head}"));
        read(&html).markdown.unwrap().contains("spring.jpg")
    };
    assert!(!shown(
        "<div class=txt>Subscribe now and the first month is free!</div><a class=btn href=/subscribe>Subscribe</a>"
    ));
    assert!(shown("The pier in spring, when the boats go out again."));
}

/// kepano/defuddle#343, kepano/defuddle#98, omnivore-app/omnivore#1176, mozilla/readability#674.
#[test]
fn what_serves_the_page_goes() {
    let m = markdown(&amid(
        "<div class=mw-heading><h2 id=a>Release</h2><span class=mw-editsection>[<a href=/edit>edit</a>]</span></div>",
    ));
    assert!(m.contains("## Release") && !m.contains("edit"), "{m}");
    let t = text(&amid("<div class=ad><div>Advertisement</div><p>Story continues below this advertisement</p></div>"));
    assert!(!t.contains("dvertisement") && t.contains(THIRD), "{t}");
    let mail = read(&format!(
        "<title>Letter 12</title><table role=presentation><tr><td><a href=https://m.example/v>View this email in your browser</a></td></tr>\
         <tr><td><h1>News of the ferry</h1><p>{FIRST}</p><p>How to unsubscribe from a ship is another story.</p></td></tr>\
         <tr><td><a href=https://m.example/u>Unsubscribe</a> | <a href=https://m.example/p>Update your preferences</a></td></tr></table>"
    ));
    let t = mail.text.unwrap();
    assert!(
        t.contains("How to unsubscribe from a ship") && !t.contains("View this") && !t.contains("Update your"),
        "{t}"
    );
}

/// Remarks of programmers in the settings of a page do not replace a short text that visitors see; the story of an empty page does.
#[test]
fn remarks_in_scripts_do_not_replace_a_short_page() {
    let remarks = "This can be used to load the settings of the second player, which are only published for tests. Used when the clock is \
        synchronised with the tags of the video, minus some features such as tabs, and so on. Specific to this page, you can override the name \
        of the default environment, so that the purchase flow knows which one you want to see. It is read once, so do not set it by hand.";
    let page = |content: &str| {
        let html = format!(
            "<!doctype html><meta name=viewport content='width=device-width'><title>Ferry schedule</title><nav><a href=/>Home</a> <a href=/fares>Fares</a> \
             <a href=/news>News</a></nav><main>{content}</main><footer><a href=/imprint>Imprint</a></footer>\
             <script type=application/json>{{\"help\": \"{remarks}\"}}</script>"
        );
        read(&html).text.unwrap()
    };
    let schedule = "<h1>Ferry schedule</h1><p>The ferry to the island leaves from the old pier every day in summer, and on Sundays in winter.</p>\
        <table><tr><th>From the pier<th>From the island<tr><td>9:00<td>10:15<tr><td>12:30<td>14:00<tr><td>17:45<td>19:00</table>\
        <p>Bicycles travel free, dogs for two crowns.</p>";
    let t = page(schedule);
    assert!(t.contains("Bicycles travel free") && !t.contains("second player"), "{t}");
    assert!(page("").contains("second player"));
}

/// obsidianmd/obsidian-clipper#656: notes as paragraphs with anchors, in a box whose class names a callout.
#[test]
fn notes_in_a_box_with_the_class_of_a_callout_are_notes() {
    let text = format!(
        "<p>{FIRST}<a class=note id=r1 href=#n1><sup>1</sup></a></p><p>{SECOND}<a href=#n2 id=r2>[2]</a></p><p>{THIRD}</p>"
    );
    for notes in [
        "<div class=note><p><a id=n1 href=#r1>1.</a> The pier is of oak.</p><p><a id=n2 href=#r2>2.</a> The boats were red.</p></div>",
        "<aside class=note><h4>Notes</h4><p id=n1>1. The pier is of oak.</p><p id=n2>2. The boats were red.</p></aside>",
        "<div role=note><ol><li id=n1>The pier is of oak.</li><li id=n2>The boats were red.</li></ol></div>",
        "<section class='admonition note'><div id=n1><p>The pier is of oak.</p></div><div id=n2><p>The boats were red.</p></div></section>",
    ] {
        let md = markdown(&format!("{text}{notes}"));
        assert!(md.contains("away.[^1]") && md.contains("ashore.[^2]"), "{md}");
        assert!(md.contains("\n[^1]: ") && md.contains("The pier is of oak.\n"), "{md}");
        assert!(!md.contains("[!NOTE]"), "{md}");
    }
    // Callouts without notes stay callouts, and so does one that a link names.
    for callout in [
        "<div class=note><p>The pier is of oak.</p></div>",
        "<div class='admonition note'><p class=admonition-title>Note</p><p>The pier is of oak.</p></div>",
        "<aside class=note id=n1><p>The pier is of oak.</p></aside>",
        "<div class=note><p>The pier is of oak.</p><p>See <a href=#r1>above</a>.</p></div>",
    ] {
        let md = markdown(&format!(
            "<p>{FIRST} See <a href=#n1>the note on the pier</a>.</p><p>{SECOND}</p>{callout}<p>{THIRD}</p>"
        ));
        assert!(md.contains("> [!NOTE]") && md.contains("> The pier is of oak."), "{md}");
    }
}

/// Kenshin/simpread#3575: the text of a note or a tooltip inside a sentence.
#[test]
fn a_note_that_pops_up_leaves_its_sentence_whole() {
    for note in [
        "<span class=ss-footnote><sup>1</sup><span class=footnote-popover><span class=footnote-content>It was built of oak.</span></span></span>",
        "<span class=tooltip><span class=tooltiptext>It was built of oak.</span></span>",
        "<sup>1</sup><span role=tooltip>It was built of oak.</span>",
        "<sup>1</sup><small class=note-popup>It was built of oak.</small>",
        "<sup>1</sup><span class='popover popover__content'>It was built of oak.</span>",
        "<sup>1</sup><span class=footnote-content>橡木制成的。</span>",
        "<span><sup>1</sup><span><span>It was built of oak.</span></span></span>",
    ] {
        let html = format!(
            "<p>{FIRST} The old pier{note}, which the storm took, was longer than the new one.</p><p>{SECOND}</p>"
        );
        let (t, md) = (text(&html), markdown(&html));
        for rest in ["<sup>1</sup>", "[^1]", "1", ""] {
            if md.contains(&format!("The old pier{rest}, which the storm took")) {
                break;
            }
            assert!(!rest.is_empty(), "{md}");
        }
        assert!(!t.contains("oak., which") && !t.contains("制成的。, which"), "{t}");
    }
    // References, short hints and words that are named alike stay in the sentence.
    for inline in [
        "<span class=footnote>12</span>",
        "<span class=note>the long one</span>",
        "<span class=tooltip>of tarred oak beams</span>",
        "<span class=text-note>of tarred oak beams</span>",
        "<span class=tooltip-trigger>of tarred oak beams</span>",
    ] {
        let words = inline.split_once('>').unwrap().1.replace("</span>", "");
        let t = text(&format!("<p>{FIRST} The old pier, {inline}, was longer than the new one.</p><p>{SECOND}</p>"));
        assert!(t.contains(&format!("The old pier, {words}, was longer")), "{t}");
    }
}

/// adbar/trafilatura#192: the updates of a live blog with the markup of posts.
#[test]
fn updates_of_a_live_blog_keep_their_headings() {
    let updates = |tag: &str, name: &str| -> String {
        let update = |(i, (head, body)): (usize, &(&str, &str))| {
            format!(
                "<article class=live-post itemprop=liveBlogUpdate itemscope itemtype=https://schema.org/BlogPosting>\
                 <time datetime=2026-02-03T1{i}:20:00Z itemprop=datePublished>1{i}:20</time><{tag} itemprop=headline>{head}</{tag}>\
                 <p class=by itemprop=author>{name} Rook</p><div itemprop=articleBody><p>{body}</p></div></article>"
            )
        };
        let bodies = [("Pier shut", FIRST), ("Engine fails again", SECOND), ("A promise is made", THIRD)];
        bodies.iter().enumerate().map(update).collect()
    };
    for tag in ["h2", "h3", "h4"] {
        let facts = "<h2>Key points</h2><ul><li>The old pier is shut</li><li>Two boats are at sea</li></ul>";
        let html = page("The ferry that stopped", &format!("{facts}<div>{}</div>", updates(tag, "Ann")));
        let md = read(&html.replace("<article><h1>", "<h1>").replace("</article></main>", "</main>")).markdown.unwrap();
        for heading in ["Pier shut", "Engine fails again", "A promise is made"] {
            assert!(
                md.lines().any(|l| l.trim_start_matches('#').trim() == heading && l.starts_with('#')),
                "{heading}: {md}"
            );
        }
        assert!(md.contains("Two boats are at sea"), "{md}");
    }
    // The names of authors and the subjects of answers are not headlines.
    let posts = |head: &str| -> String {
        [FIRST, SECOND, THIRD]
            .iter()
            .enumerate()
            .map(|(i, body)| {
                format!(
                    "<div class=post id=p{i}><h3 class=subject>{head}</h3><p class=author>by <a href=/u/{i}>Sailor{i}</a> » \
                     <time datetime=2026-02-1{i}T12:00:00Z>1{i} Feb</time></p><div class=content>{body}</div></div>"
                )
            })
            .collect()
    };
    for head in ["<a href=#p>Re: The ferry that stopped</a>", "Re: The ferry that stopped", "The ferry that stopped"] {
        let md = markdown(&posts(head));
        assert!(md.matches("The ferry that stopped").count() <= 2, "{md}");
    }
}

#[test]
fn html_states_the_direction_that_the_page_states() {
    let html = |document: &str, article: &str| {
        let page = page("العبارة التي توقفت", article).replace("<html lang=en>", document);
        let formats = Formats { html: true, ..Formats::NONE };
        extract(&page, &Options { formats, ..Options::default() }).unwrap().html.unwrap_or_default()
    };
    let text = format!("<p>{FIRST}</p><p dir=ltr>{SECOND}</p><ul><li>{THIRD}</li></ul>");
    for document in ["<html lang=ar dir=rtl>", "<html dir=RTL>", "<html dir=ltr><body dir=rtl>"] {
        let out = html(document, &text);
        for start in
            ["<h1 dir=\"rtl\">", "<p dir=\"rtl\">The ferry", "<p dir=\"ltr\">In the first", "<ul dir=\"rtl\">\n<li>"]
        {
            assert!(out.contains(start), "{start}: {out}");
        }
    }
    for document in ["<html lang=en>", "<html dir=ltr>", "<html dir=auto>", "<html dir=rtl><body dir=ltr>"] {
        assert!(!html(document, &text).contains("rtl"), "{document}");
    }
    assert!(!html("<html dir=rtl>", &format!("<div dir=ltr><p>{FIRST}</p></div>")).contains("<p dir"));
}
