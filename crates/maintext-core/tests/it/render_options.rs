//! Each option of the writers has the effect that it is named after, and no other.

use crate::common::Rendered;
use maintext_core::Metadata;
use maintext_core::render::{AltText, RenderOptions, TitleHeading, Tree};

/// Returns Markdown, HTML and TEI of a page with a title.
fn written(html: &str, title: Option<&str>, options: RenderOptions) -> [String; 3] {
    let page = Rendered::new(html);
    let keep = page.keep(|_| true);
    let mut content = page.content(&keep, None);
    (content.options, content.title) = (options, title);
    let tree = Tree::new(&content);
    [tree.markdown(), tree.html(), tree.xml(&Metadata::default())]
}

#[test]
fn the_title_is_written_once_never_or_as_it_stands() {
    let with = |html: &str, title| {
        let options = RenderOptions { title, ..RenderOptions::default() };
        let [markdown, html, _] = written(html, Some("Beech woods"), options);
        (markdown, html)
    };
    let own = "<h1>Beech woods</h1><p>They are shady.";
    let other = "<p>They are shady.";
    let (heading, text) = ("# Beech woods\n\n", "They are shady.\n");
    let (h1, p) = ("<h1>Beech woods</h1>\n", "<p>They are shady.</p>\n");
    let both = (format!("{heading}{text}"), format!("{h1}{p}"));
    let none = (text.to_owned(), p.to_owned());
    assert_eq!(with(own, TitleHeading::Once), both);
    assert_eq!(with(other, TitleHeading::Once), both);
    assert_eq!(with(own, TitleHeading::Never), none);
    assert_eq!(with(other, TitleHeading::Never), none);
    let picture = "<img src=/a.png><h1>Beech <b>woods</b></h1><p>They are shady.";
    let below = with(picture, TitleHeading::Once);
    assert_eq!(below.0, format!("{heading}![](/a.png)\n\n{text}"));
    assert!(below.1.starts_with(h1) && below.1.ends_with(p) && below.1.contains("/a.png"), "{}", below.1);
    assert_eq!(with(own, TitleHeading::AsIs), both);
    assert_eq!(with(other, TitleHeading::AsIs), none);
    // A blog's page of whole articles may be named after the first.
    let article =
        |title: &str| format!("<article><h1><a href=/{title}>{title}</a></h1><p>They are shady in {title}.</article>");
    let articles = ["Beech woods", "Oak woods", "Elm woods"].map(article).concat();
    assert_eq!(with(&articles, TitleHeading::Once).0.matches("Beech woods\n").count(), 0);
    assert!(
        with(&articles, TitleHeading::Once).0.starts_with("# [Beech woods]"),
        "{}",
        with(&articles, TitleHeading::Once).0
    );
}

#[test]
fn a_title_that_the_content_lacks_is_written_without_its_kicker_and_with_gaps() {
    let first_line = |heading: &str, title: &str| {
        let html = format!("<h1>{heading}</h1><p>They are shady.");
        let page = Rendered::new(&html);
        let keep = page.keep(|block| block > 0);
        let mut content = page.content(&keep, None);
        content.title = Some(title);
        Tree::new(&content).markdown().lines().next().unwrap_or("").to_owned()
    };
    let title = "Beech woods in the city";
    let heading = "<span>Nature</span><span>Beech woods in the city</span>";
    assert_eq!(first_line(heading, title), format!("# {title}"));
    assert_eq!(first_line(heading, "Nature Beech woods in the city"), format!("# Nature {title}"));
    let thai = "<span>ธรรมชาติ</span><span>ป่าบีชในเมือง</span>";
    assert_eq!(first_line(thai, "ป่าบีชในเมือง"), "# ป่าบีชในเมือง");
}

#[test]
fn the_lines_of_a_heading_are_one_heading() {
    let markdown = |html: &str| written(html, None, RenderOptions::default())[0].clone();
    let lines = "<h3>Buffer of T<div class=where>where T: Copy</div></h3><p>They are shady.";
    assert_eq!(markdown(lines), "### Buffer of T where T: Copy\n\nThey are shady.\n");
    assert_eq!(markdown("<h2><div>Nature</div><p>Beech woods</p></h2><p>Shady."), "## Nature Beech woods\n\nShady.\n");
    // A heading without its end tag.
    let open = "<h2>Beech woods<div><p>They are shady.</p><p>And old.</p><p>And wet.</p></div>";
    assert_eq!(markdown(open).matches("## ").count(), 4, "{}", markdown(open));
}

#[test]
fn the_sign_that_a_page_writes_before_an_item_is_its_marker() {
    let markdown = |html: &str| written(html, None, RenderOptions::default())[0].clone();
    let item = |text: &str| format!("<li style='list-style-type:none'><span>•</span> <div><p>{text}</p></div></li>");
    assert_eq!(markdown(&format!("<ul>{}{}</ul>", item("Beech"), item("Oak"))), "- Beech\n\n- Oak\n");
    assert_eq!(markdown("<ul><li>•</li><li>Oak</li></ul>"), "- •\n- Oak\n");
}

#[test]
fn a_list_of_one_item_around_a_section_is_no_list() {
    let markdown = |html: &str| written(html, None, RenderOptions::default())[0].clone();
    let section = "<li><section><h3>Beech</h3><p>They are shady.</p></section></li>";
    assert_eq!(markdown(&format!("<ul>{section}</ul>")), "### Beech\n\nThey are shady.\n");
    assert_eq!(markdown("<ul><li><p>They are shady.</p></li></ul>"), "- They are shady.\n");
}

#[test]
fn alternative_texts_are_written_nowhere_with_images_or_in_text_too() {
    let with = |alt_text| {
        let page = Rendered::new(
            "<p>The boat <img class=emoji alt=⛵ src=/e.png> left.</p><img src=/a.png alt='Low tide' title=Noon><p>End.",
        );
        let keep = page.keep(|_| true);
        let mut content = page.content(&keep, None);
        content.options = RenderOptions { alt_text, ..RenderOptions::default() };
        let tree = Tree::new(&content);
        [tree.text(), tree.markdown(), tree.html(), tree.xml(&Metadata::default())]
    };
    let has_alt = |output: &String| output.contains("Low tide");
    let emoji = |outputs: &[String; 4]| outputs.iter().all(|output| output.contains("The boat ⛵ left."));
    let never = with(AltText::Never);
    assert!(
        emoji(&never) && !never.iter().any(has_alt) && never[1].contains("![](/a.png)") && !never[2].contains("Noon")
    );
    let images = with(AltText::Images);
    assert!(emoji(&images) && images[1..].iter().all(has_alt) && images[1].contains("![Low tide](/a.png \"Noon\")"));
    assert_eq!(images[0], "The boat ⛵ left.\nEnd.\n");
    let all = with(AltText::All);
    assert_eq!(all[0], "The boat ⛵ left.\n[Low tide]\nEnd.\n");
    assert_eq!(all[1..], images[1..]);
}

#[test]
fn levels_of_headings_have_no_holes_if_wanted() {
    let html = "<h2>a</h2><p>x<h5>b</h5><p>y<h6>c</h6><p>z<h2>d</h2><p>w";
    let levels = |level_headings| {
        let options = RenderOptions { level_headings, ..RenderOptions::default() };
        let [markdown, html, _] = written(html, None, options);
        let level = |line: &str| line.bytes().take_while(|b| *b == b'#').count();
        let of_html: Vec<usize> = html.split("<h").skip(1).filter_map(|h| h[..1].parse().ok()).collect();
        let of_markdown: Vec<usize> = markdown.lines().map(level).filter(|l| *l > 0).collect();
        assert_eq!(of_html, of_markdown);
        of_markdown
    };
    assert_eq!(levels(false), [2, 5, 6, 2]);
    assert_eq!(levels(true).windows(2).filter(|w| w[1] > w[0] + 1).count(), 0, "{:?}", levels(true));
    let stays: Vec<_> = levels(true).windows(2).map(|w| w[1].cmp(&w[0])).collect();
    assert_eq!(stays, levels(false).windows(2).map(|w| w[1].cmp(&w[0])).collect::<Vec<_>>());
}

#[test]
fn footnotes_are_omitted_with_their_references_if_wanted() {
    let html = "<p>Oaks grow old.<sup><a id=r1 href='#f1'>1</a></sup> Birches do not.</p>\
        <ol><li id=f1>See the forester.</ol>";
    let [markdown, clean, tei] = written(html, None, RenderOptions::default());
    assert_eq!(markdown, "Oaks grow old.[^1] Birches do not.\n\n[^1]: See the forester.\n");
    assert!(clean.contains("See the forester") && tei.contains("<note"), "{clean}{tei}");
    let [markdown, clean, tei] = written(html, None, RenderOptions { footnotes: false, ..RenderOptions::default() });
    assert_eq!(markdown, "Oaks grow old. Birches do not.\n");
    assert_eq!(clean, "<p>Oaks grow old. Birches do not.</p>\n");
    assert!(tei.contains("<p>Oaks grow old. Birches do not.</p>") && !tei.contains("note"), "{tei}");
}

#[test]
fn links_back_from_notes_are_not_text() {
    use maintext_core::rules::Rules;
    use maintext_core::{Extractor, Favor, Formats, Options};
    let words = "The keeper read the water from a painted staff every hour of the day, and wrote it into a ledger.";
    let html = format!(
        "<body><article><p>{words}<sup id=r1><a href='#f1'>1</a></sup></p><p>{words}</p>\
         <ol><li id=f1>The staff stood at the old pier. <a href='#r1'>↩</a></li></ol></article>"
    );
    let formats = Formats { text: true, markdown: true, xml: true, ..Formats::NONE };
    let own: Rules = serde_json::from_str(r#"{"content": "article"}"#).unwrap();
    for options in [
        Options { formats, favor: Favor::Recall, ..Options::default() },
        Options { formats, rules: own, ..Options::default() },
    ] {
        let page = Extractor::new(options).unwrap().extract(html.as_str()).unwrap();
        for written in [page.text(), page.markdown.as_deref().unwrap(), page.xml.as_deref().unwrap()] {
            assert!(written.contains("The staff stood at the old pier.") && !written.contains('↩'), "{written}");
        }
    }
}
