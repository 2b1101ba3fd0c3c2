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
fn a_label_without_a_name_and_the_authors_of_linked_texts_are_not_authors() {
    for before in [
        "<span class=submitted-by>Submitted on Mon, 2019-01-21 13:49</span>",
        "<div class=author>Veröffentlicht am 21.01.2019</div>",
        "<div><div class=box><a href=/a/22>The road that slides each March</a><br><span class=autore>by Peter Gale</span></div>\
         <div class=box><a href=/a/19>Chestnuts in a dry year</a><br><span class=autore>by Lucy Moor</span></div></div>",
    ] {
        assert_eq!(read("", before, "").author, None, "{before}");
    }
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
fn the_dates_of_a_lists_entries_are_not_the_pages() {
    let entry = |title: &str, date: &str, text: &str| {
        format!(
            "<article class=post><h2><a href=/{title}>The {title} in spring</a></h2><p class=meta>{date}</p><p>{text}</p></article>"
        )
    };
    let list = |lead: &str| {
        let entries = [
            entry(
                "heron",
                "17 May 2024",
                "Two herons stood in the shallows below the weir for the whole of the morning.",
            ),
            entry(
                "fox",
                "12 May 2024",
                "The vixen brought her cubs to the edge of the wood and let them look at the road.",
            ),
            entry(
                "swallow",
                "3 May 2024",
                "The first swallows of the year arrived in the evening, three days after the cuckoo.",
            ),
        ];
        let html = format!(
            "<html lang=en><head><title>Field notes</title><meta name=viewport content=width=device-width></head>
            <body><nav><a href=/>Home</a> <a href=/about>About</a></nav><main><h1>Field notes</h1>{lead}{}</main></body></html>",
            entries.concat()
        );
        extract(&html, &Options::default()).unwrap().metadata.date
    };
    assert_eq!(list(""), None);
    let lead = "<p class=updated>Published on 20 May 2024</p>";
    assert_eq!(list(lead).as_deref(), Some("2024-05-20"));
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

fn authors(byline: &str) -> Vec<String> {
    read("", byline, "").authors
}

#[test]
fn marks_of_notes_are_not_part_of_a_name() {
    for line in ["Jane Doe1*, John Roe2", "Jane Doe†, John Roe‡", "Jane Doe12 and John Roe3"] {
        assert_eq!(authors(&format!("<p class=authors>{line}</p>")), ["Jane Doe", "John Roe"], "{line}");
    }
    for (line, name) in [("janedoe42", "janedoe42"), ("jane_doe_7", "jane_doe_7"), ("Agent 47", "Agent 47")] {
        assert_eq!(authors(&format!("<p class=author><a rel=author href=/u/1>{line}</a></p>")), [name], "{line}");
    }
}

#[test]
fn the_section_of_a_page_is_not_its_author() {
    for line in [
        "<dl class=article-info><dd class=category-name>Kategória: <a href=/helyi>Helyi Hírek</a></dd><dd>2025. 04. 09.</dd></dl>",
        "<p class=cat-name><a href=/local>Local News</a></p>",
    ] {
        assert!(authors(line).is_empty(), "{line}");
    }
    assert_eq!(authors("<p class='category author'>Jane Doe</p>"), ["Jane Doe"]);
}

/// As DokuWiki writes it.
#[test]
fn the_heading_of_the_text_comes_before_a_linked_name_of_the_site() {
    let html = format!(
        "<title>guide:checklist [Net group wiki]</title><div class=header><h1 class=logo><a href='/doku.php?id=start'>Net group wiki</a></h1>
         <h3>Tools</h3><ul><li><a href='?do=recent'>Changes</a><li><a href='?do=media'>Media</a></ul></div>
         <div class=content><div class=pageId><span>guide:checklist</span></div><h1>Checklist for the site</h1>{STORY}</div>"
    );
    let metadata = extract(&html, &Options::default()).unwrap().metadata;
    assert_eq!(metadata.title.as_deref(), Some("Checklist for the site"));
}

#[test]
fn entries_of_a_menu_are_not_authors() {
    for menu in [
        "<div class=top><a href=/g/>Жанры</a> <a href=/a/>Авторы</a> <a href=/s/>Серии</a> <a href=/f/>Форум</a></div>",
        "<ul><li><a href=/a/>Autoren</a><li><a href=/s/>Reihen Forum</a></ul>",
    ] {
        assert!(authors(menu).is_empty(), "{menu}");
    }
}

#[test]
fn two_authors_above_a_date_are_two() {
    let time = "<time datetime=2024-05-17>17 May 2024</time>";
    for names in [
        "<div class=author>Jane Doe</div><div class=author>John Roe</div>",
        "<ul class=authors><li>Jane Doe</li><li>John Roe</li></ul>",
    ] {
        assert_eq!(authors(&format!("<div class=byline>{names}{time}</div>")), ["Jane Doe", "John Roe"], "{names}");
    }
}

#[test]
fn a_word_before_the_date_is_not_part_of_a_name() {
    for (label, word) in [("By", "On"), ("Von", "Am"), ("Par", "Le")] {
        let line = format!(
            "<div class=byline>{label} <span>Jane Doe</span> {word} <time datetime=2024-05-17>5/17/24</time></div>"
        );
        assert_eq!(authors(&line), ["Jane Doe"], "{label} {word}");
    }
    for name in ["Minh An", "Jane Doe Jr", "Park Eun Ji"] {
        assert_eq!(authors(&format!("<p class=byline>By <a rel=author href=/p/1>{name}</a></p>")), [name]);
    }
}

#[test]
fn a_sentence_that_begins_with_a_short_word_is_not_a_byline() {
    for line in [
        "By Friday I knew where the rivers are.",
        "By Lake Sallow there is a hut that nobody owns.",
        "By Old Bridge you wait until someone rows over.",
    ] {
        assert!(authors(&format!("<p>{line}</p>")).is_empty(), "{line}");
    }
    for line in ["By Jane Doe", "Von Jane Doe", "Par Jane Doe", "By Jane Doe, correspondent in Berlin."] {
        assert_eq!(authors(&format!("<p class=byline>{line}</p>")), ["Jane Doe"], "{line}");
    }
}

#[test]
fn a_role_at_the_site_is_not_an_author() {
    for role in ["Senior Reporter", "Staff Writer", "Chief Reporter"] {
        let html = format!(
            "<title>A walk in the hills | The Daily Example</title><meta name=author content='{role}, The Daily Example'>
            <header class=site-header><a class=logo href=/>The Daily Example</a></header><main><article><header><h1>A walk in the hills</h1>
            <div class=top><div class=list><a href=/author/x><span>Jane Doe</span></a></div></div></header>{STORY}</article></main>"
        );
        assert_eq!(extract(&html, &Options::default()).unwrap().metadata.authors, ["Jane Doe"], "{role}");
    }
    for content in ["Jane Doe", "Jane Doe, The Daily Example", "Jane Doe, Senior Reporter, The Daily Example"] {
        assert_eq!(read(&format!("<meta name=author content='{content}'>"), "", "").authors, ["Jane Doe"], "{content}");
    }
}

#[test]
fn a_declared_organisation_or_place_below_the_heading_is_not_an_author() {
    let head = r#"<script type="application/ld+json">{"@type":"JobPosting","title":"A walk in the hills",
        "hiringOrganization":{"@type":"Organization","name":"River Trust"},
        "jobLocation":{"@type":"Place","address":{"@type":"PostalAddress","addressLocality":"Lower Sallow"}}}</script>"#;
    for line in ["River Trust · Lower Sallow", "River Trust", "Lower Sallow"] {
        for class in ["org", "location", "tagline"] {
            let found = read(head, &format!("<p class={class}>{line}</p>"), "").authors;
            assert!(found.is_empty(), "{class}: {line}: {found:?}");
        }
    }
    for line in ["By Jane Doe", "Von Jane Doe", "Par Jane Doe"] {
        assert_eq!(read(head, &format!("<p class=byline>{line}</p>"), "").authors, ["Jane Doe"], "{line}");
    }
}

#[test]
fn the_whole_text_of_a_persons_scope_is_not_a_name() {
    let person = |name: &str, score: u32| {
        format!(
            "<div class=signature><div class=user-details itemprop=author itemscope itemtype=http://schema.org/Person><a href=/u/1/x>{name}</a>
            <span class=d-none itemprop=name>{name}</span><span class=reputation-score>{score}</span></div></div>"
        )
    };
    for name in ["rope_end", "walker42", "jd_77"] {
        let html = format!(
            "<title>How do I walk?</title><div itemprop=mainEntity itemscope itemtype=https://schema.org/Question><h1 itemprop=name>How do I walk?</h1>
            <div itemprop=text>{STORY}</div>{}<div><ul><li><div><a class=comment-user>weir</a> </div></li></ul></div>
            <div itemprop=acceptedAnswer itemscope itemtype=https://schema.org/Answer><div itemprop=text><p>Put one foot before the other.</p></div>{}</div></div>",
            person(name, 31),
            person("John Roe", 8)
        );
        let found = extract(&html, &Options::default()).unwrap().metadata.authors;
        assert!(found.iter().all(|author| author == name || author == "John Roe"), "{found:?}");
    }
    for tag in ["span", "a", "b"] {
        let plain =
            format!("<div itemscope itemtype=https://schema.org/Article><{tag} itemprop=author>Jane Doe</{tag}></div>");
        assert_eq!(authors(&plain), ["Jane Doe"], "{tag}");
    }
}

/// As Discuz writes it: the day on which a member registered is above each post, and a post may explain a form.
#[test]
fn the_first_post_dates_a_thread_and_names_its_author() {
    let post = |id: u32, name: &str, joined: &str, posted: &str, text: &str| {
        format!(
            "<div id=post_{id}><table class=plhin><tr><td class=pls><div class=authi><a href=space-uid-{id}.html class=xw1>{name}</a></div>
             <dl class=pil><dt>注册时间</dt><dd>{joined}</dd><dt>积分</dt><dd>44{id}</dd></dl></td><td class=plc><div class=authi>
             <em>发表于 {posted}</em></div><div class=pct><table><tr><td class=t_f>{text}</td></tr></table></div></td></tr></table></div>"
        )
    };
    let first = "搜索框可以填写下面几个参数，空着也行。<dl><dt>作者:<i>用户名</i></dt><dd>只看一个人写的帖子，可以写全名，也可以写开头几个字。</dd></dl>";
    let html = format!(
        "<title>论坛搜索的用法 - 修理天地</title><h1 class=ts>论坛搜索的用法</h1><div id=postlist>{}{}{}</div>",
        post(1, "折翼老张", "2013-4-9", "2021-6-15 10:22:31", first),
        post(
            2,
            "半斤铜",
            "2018-11-30",
            "2022-1-20 21:03:00",
            "谢谢楼主，我找了很久都没有找到这个说明，现在终于知道怎么写了。"
        ),
        post(
            3,
            "竹影先生",
            "2013-4-9",
            "2023-3-18 08:15:44",
            "今天又试了一次，还是可以用，开头几个字就够了，不用写全名。"
        ),
    );
    let metadata = extract(&html, &Options::default()).unwrap().metadata;
    assert_eq!(metadata.authors, ["折翼老张"]);
    assert!(metadata.date.as_deref().is_none_or(|date| date.starts_with("2021-06-15")), "{:?}", metadata.date);
}

#[test]
fn the_day_from_which_a_flat_is_free_is_not_its_date() {
    for label in ["Boşalma Tarihi", "Inflyttning", "入居可能日", "Datum nastěhování"] {
        let line = format!("<ul><li><strong>{label}</strong>&nbsp;<span>2026-11-01</span></li></ul>");
        assert_eq!(read("", &line, "").date, None, "{label}");
    }
}
