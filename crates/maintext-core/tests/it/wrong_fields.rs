//! Fields that users of other extractors report as wrong; each test is named after the correct behaviour.
use maintext_core::{Metadata, Options, extract};

const STORY: &str = "<p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted and the sun came out.</p>
    <p>By noon we had seen two herons, a fox, and the first swallows of the year. The innkeeper asked us where we had been.</p>
    <p>The way back took longer than the way out, since the upper path had been washed away in March and was still closed.</p>";

fn read(head: &str, before: &str, after: &str) -> Metadata {
    let html = format!(
        "<html lang=en><head><title>A walk in the hills | The Daily Example</title>{head}</head><body>
        <header><a href=/>The Daily Example</a><nav><a href=/news>News</a> <a href=/sport>Sport</a></nav></header>
        <article><h1>A walk in the hills</h1>{before}{STORY}{after}</article>
        <footer><p>© 2019-2026 The Daily Example Ltd.</p></footer></body></html>"
    );
    let url = Some("https://www.example.org/news/a-walk".into());
    extract(&html, &Options { url, ..Options::default() }).unwrap().metadata
}

#[test]
fn dates_from_json_ld_keep_time_and_zone() {
    let head = r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"A walk in the hills",
        "datePublished":"2024-05-17T09:30:05-04:00","dateModified":"2024-05-18T10:00Z"}</script>"#;
    let m = read(head, "", "");
    assert_eq!(m.date.as_deref(), Some("2024-05-17T09:30:05-04:00"));
    assert_eq!(m.date_modified.as_deref(), Some("2024-05-18T10:00Z"));
}

#[test]
fn dates_from_text_keep_time_and_zone() {
    let m = read("", "<p class=date>Published May 17, 2024 at 9:30 p.m. EDT</p>", "");
    assert_eq!(m.date.as_deref(), Some("2024-05-17T21:30-04:00"));
}

#[test]
fn a_time_without_zone_stays_so_and_a_day_gets_no_time() {
    let m = read("", "<p class=date>Published 17 May 2024, 09:30</p>", "");
    assert_eq!(m.date.as_deref(), Some("2024-05-17T09:30"));
    let m = read("", "<p class=date>Published 17 May 2024</p>", "");
    assert_eq!(m.date.as_deref(), Some("2024-05-17"));
}

#[test]
fn social_buttons_and_promotions_are_not_authors() {
    let share = "<p class=by>By <a rel=author href=/authors/jane-doe>Jane Doe</a></p><ul class=share><li><a href=https://social.example/share>Share on Facebook</a>
        <li><a href=https://mail.example/>Email</a><li><a href=#>Follow us</a></ul><p class=promo>Promoted by Acme Corporation</p>";
    assert_eq!(read("", share, "").authors, ["Jane Doe"]);
}

#[test]
fn a_role_is_not_part_of_a_name() {
    let m =
        read("", "<p class=byline>By <a rel=author href=/authors/jane-doe>Jane Doe</a>, Senior Staff Writer</p>", "");
    assert_eq!(m.authors, ["Jane Doe"]);
    let m = read(
        "<meta name=author content='Jane Doe, Political Editor, @janedoe'>",
        "<p class=byline>By Jane Doe</p>",
        "",
    );
    assert_eq!(m.authors, ["Jane Doe"]);
}

#[test]
fn a_page_without_byline_and_date_gets_neither() {
    // The copyright year, another article's date and another article's author are not the page's.
    let related = "<aside><h4>More walks</h4><p><a href=/news/b>The lake in winter</a> 3 January 2024</p></aside>";
    let m = read("", "", related);
    assert_eq!((m.author, m.date), (None, None));
}

#[test]
fn the_date_of_a_comment_is_not_the_articles() {
    let comments: String = (1..6)
        .map(|i| format!("<li class=comment><b class=name>Reader {i}</b> <time datetime=2024-06-0{i}T10:00Z>{i} June 2024</time><p>I took the same path that day, and saw {i} herons there.</p></li>"))
        .collect();
    let m =
        read("", "<p class=byline>By Jane Doe, 17 May 2024</p>", &format!("</article><article><ol>{comments}</ol>"));
    assert_eq!(m.date.as_deref(), Some("2024-05-17"));
    assert_eq!(m.authors, ["Jane Doe"]);
}

#[test]
fn a_date_after_now_is_rejected() {
    let html = format!(
        "<title>A walk</title><h1>A walk</h1><p>Next meeting: 1 July 2031</p><p class=date>3 hours ago</p>{STORY}"
    );
    let now = maintext_core::metadata::Stamp::parse("2024-05-17T10:00+02:00");
    let m = extract(&html, &Options { now, ..Options::default() }).unwrap().metadata;
    assert!(m.date.is_none_or(|d| d.starts_with("2024-05-17")));
}

#[test]
fn the_date_of_a_delivery_or_an_event_is_not_the_pages() {
    for line in [
        "<p class=shipping>Order today to get it by <b>Mar 17-27</b></p>",
        "<div class=banner>Walkers' conference (Nov 16-20): what is next on the paths?</div>",
        "<p>The redirect was unknown until versions 1.1.16 and 1.0.13.</p>",
    ] {
        assert_eq!(read("", "", line).date, None, "{line}");
    }
}

#[test]
fn the_date_of_publication_wins_over_that_of_the_last_change() {
    let head = r#"<meta property="article:modified_time" content="2026-04-24T11:16:53Z"><script type="application/ld+json">
        {"@type":"NewsArticle","headline":"A walk in the hills","datePublished":"2012-05-10T14:29:05Z","dateModified":"2026-04-24T11:16:53Z"}</script>"#;
    let m = read(head, "", "");
    assert_eq!(m.date.as_deref(), Some("2012-05-10T14:29:05Z"));
    assert_eq!(m.date_modified.as_deref(), Some("2026-04-24T11:16:53Z"));
}
