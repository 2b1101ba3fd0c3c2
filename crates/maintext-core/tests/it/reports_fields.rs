//! Fields that users of other extractors reported as wrong: authors, dates, languages. Comments name the public report.
use maintext_core::{Metadata, Options, extract};

const STORY: &str = "<p>The ferry left the old pier an hour late, because the crew had to pump out the water that came in overnight.</p>
    <p>Passengers waited in the shed, drank tea from paper cups, and argued whether the harbour would ever get a new boat.</p>
    <p>The council has set money aside for two years now, but the yard that should build it closed its gates in autumn.</p>
    <p>Until then, the mechanic patches the hull with what he finds, and the captain keeps a second pump below the bridge.</p>";

fn page(html: &str) -> Metadata {
    extract(html, &Options::default()).unwrap().metadata
}

/// A page with a logo, a head, and lines above and below the story.
fn story(logo: &str, head: &str, above: &str, below: &str) -> Metadata {
    page(&format!(
        "<html lang=en><head><title>The ferry that waits | Tidewater Herald</title>{head}</head><body><header>{logo}<nav><ul>
         <li><a href=/news>News</a><li><a href=/boats>Boats</a><li><a href=/weather>Weather</a></ul></nav></header><main><article>
         <h1>The ferry that waits</h1>{above}{STORY}</article>{below}</main>
         <footer><p>© 2025 Tidewater Herald</p><a href=/imprint>Imprint</a></footer></body></html>"
    ))
}

const LOGO: &str = "<a class=logo href=/>Tidewater Herald</a>";

#[test]
fn a_breadcrumb_that_the_page_shows_is_read() {
    let items = "<a href=/>Home</a> › <a href=/boats>Boats</a> › <span>Ferries</span>";
    let list = "<li><a href=/>Home</a> /<li><a href=/boats>Boats</a> /<li>Ferries";
    for (trail, expected) in [
        (format!("<nav class='page-breadcrumbs'>{items}</nav>"), vec!["Home", "Boats"]),
        (format!("<nav aria-label=Breadcrumb><ol>{list}</ol></nav>"), vec!["Home", "Boats", "Ferries"]),
        (format!("<ul id=breadcrumb>{list}</ul>"), vec!["Home", "Boats", "Ferries"]),
        (format!("<nav class=menu>{items}</nav>"), vec![]),
        ("<div class=breadcrumb><a href=/>Home</a></div>".to_owned(), vec![]),
    ] {
        assert_eq!(story(LOGO, "", &trail, "").breadcrumb, expected, "{trail}");
    }
    let declared = "<script type='application/ld+json'>{\"@type\": \"BreadcrumbList\", \"itemListElement\": \
        [{\"@type\": \"ListItem\", \"name\": \"News\"}]}</script>";
    let m = story(LOGO, declared, &format!("<nav class=breadcrumb>{items}</nav>"), "");
    assert_eq!(m.breadcrumb, ["News"]);
}

// AndyTheFactory/newspaper4k#425
#[test]
fn the_name_of_the_site_is_no_author() {
    for logo in [
        LOGO,
        "<a href=/>Tidewater Herald</a>",
        "<div class=site-title><a href='/'>Tidewater Herald</a></div>",
        "<p class=name>Tidewater Herald</p>",
        // A name that the title lacks, with a link home.
        "<a class=brand href=/>Harbour Museum</a>",
        "<div id=logo><a href=/>Miller Tools</a></div>",
    ] {
        let m = story(logo, "", "", "");
        assert!(m.authors.is_empty(), "{logo}: {:?}", m.authors);
    }
    // A person after whom the site is named signs the article.
    let own = "<p class=byline>By <a rel=author href=/about>Ida Fenn</a></p>";
    assert_eq!(story("<a class=logo href=/>Ida Fenn</a>", "", own, "").authors, ["Ida Fenn"]);
    let stated = "<meta name=author content='Tidewater Herald'>";
    assert_eq!(story(LOGO, stated, "", "").authors, ["Tidewater Herald"]);
    // The publisher declares itself, and a line names the person who wrote the text.
    for line in ["By Ida Fenn", "Von Ida Fenn, Märschau", "By Ida Fenn, Reuters"] {
        assert_eq!(story(LOGO, stated, &format!("<p>{line}</p>"), "").authors, ["Ida Fenn"], "{line}");
    }
}

#[test]
fn each_date_of_a_line_has_its_own_label() {
    for line in [
        "Updated 5 March 2025. First published 3 March 2025.",
        "Last updated: 5 March 2025 | Published: 3 March 2025",
        "Published 3 March 2025, updated 5 March 2025",
    ] {
        let m = story(LOGO, "", &format!("<p>{line}</p>"), "");
        let dates = [m.date, m.date_modified].map(Option::unwrap_or_default);
        assert_eq!(dates, ["2025-03-03", "2025-03-05"], "{line}");
    }
}

#[test]
fn the_day_of_an_event_is_not_the_date_of_its_page() {
    for line in
        ["The fair takes place on 12 June 2027 in the hall.", "Stalls may be booked until 1 May 2027 at the gate."]
    {
        assert_eq!(story(LOGO, "", &format!("<p>{line}</p>"), "").date, None, "{line}");
    }
    let line = "<p>This page was first published on 3 March 2025 by the council.</p>";
    assert_eq!(story(LOGO, "", line, "").date.as_deref(), Some("2025-03-03"));
}

// adbar/trafilatura#596
#[test]
fn commenters_are_no_authors() {
    let comment = |name: &str, day: u32| {
        format!(
            "<div class=comment><p class=meta><a class=author href=/u/{name}>{name}</a> <time datetime=2024-05-0{day}T10:00:00Z>{day} \
             days ago</time></p><div class=body><p>My aunt crossed with it {day} times last year and was late on every one of them.</p></div></div>"
        )
    };
    let comments: String = [("gullwing", 1), ("Tom Reed", 2), ("Ada Quay", 3)].map(|(n, d)| comment(n, d)).concat();
    for around in ["<section id=comments>", "<div class=commentlist>", "<div class=kommentare>"] {
        let below = format!("{around}<h3>3 answers</h3>{comments}</div></section>");
        assert!(story(LOGO, "", "", &below).authors.is_empty(), "{around}");
    }
    // The article itself may be called a comment.
    let m = page(&format!(
        "<html lang=en><title>The ferry that waits</title><h2><a href=/news/9>The ferry that waits</a></h2><article class=comment><span \
         class=info><span class=username><a href=/user/ida>idafenn</a></span> 12 May 2024</span>{STORY}</article>"
    ));
    assert_eq!((m.authors.as_slice(), m.date.as_deref()), (&["idafenn".to_owned()][..], Some("2024-05-12")));
    // A page with only a link and readers' comments on it: the person who submitted the link.
    let link = format!(
        "<html lang=en><title>A ferry that waits | Talk</title><body><header><a href=/>Talk</a></header><div class=thing><p class=title><a \
         href=https://tidewater.example/a>A ferry that waits</a></p><p class=tagline>submitted 3 hours ago by <a href=/u/plank>plank</a></p></div>\
         <div class=commentarea><div>all 3 comments</div>{comments}</div></body></html>"
    );
    let authors = page(&link).authors;
    assert!(authors.is_empty() || authors == ["plank"], "{authors:?}");
}

// newspaper4k#106
#[test]
fn the_authors_of_linked_articles_are_no_authors() {
    let card = |title: &str, name: &str| {
        format!("<div class=card><h3><a href=/n/{title}>{title}</a></h3><span class=author>By {name}</span></div>")
    };
    let cards = [("The pier", "Nora Bight"), ("The shed", "Karl Strand"), ("The yard", "Olga Firth")];
    let cards = cards.map(|(t, n)| card(t, n)).concat();
    for below in [format!("<section><h2>Read on</h2>{cards}</section>"), card("The pier in winter", "Nora Bight")] {
        assert!(story(LOGO, "", "", &below).authors.is_empty(), "{below}");
        let own = "<p class=byline>By Ida Fenn</p>";
        assert_eq!(story(LOGO, "", own, &below).authors, ["Ida Fenn"]);
    }
}

// ageitgey/node-unfluff#93
#[test]
fn weekdays_and_prepositions_are_no_authors() {
    for (byline, name) in [
        ("Monday August 27, 2018 10:05 am PDT by Ida Fenn", "Ida Fenn"),
        ("On August 27, 2018 by Ida Fenn", "Ida Fenn"),
        ("Freitag 3. Mai 2019 von Erika Muster", "Erika Muster"),
        ("vendredi 3 mai 2019 par Jeanne Dupont", "Jeanne Dupont"),
        ("viernes 3 de mayo de 2019 por Ana Prado", "Ana Prado"),
        ("By Wednesday Adams, Friday May 3, 2019", "Wednesday Adams"),
    ] {
        let m = story(LOGO, "", &format!("<div class=byline>{byline}</div>"), "");
        assert_eq!(m.authors, [name], "{byline}");
        assert!(m.date.is_some(), "{byline}");
    }
    assert!(story(LOGO, "", "<div class=byline>Sunday, May 5, 2019</div>", "").authors.is_empty());
}

// adbar/trafilatura#362
#[test]
fn names_in_parts_are_joined() {
    for (person, name) in [
        (r#"{"@type":"Person","givenName":"Ida","familyName":"Fenn"}"#, "Ida Fenn"),
        (
            r#"{"@type":"Person","givenName":"Ida","additionalName":"M.","familyName":"Fenn","url":"https://x.example/ida"}"#,
            "Ida M. Fenn",
        ),
        (r#"{"@type":"Person","firstName":"Ida","lastName":"Fenn"}"#, "Ida Fenn"),
        (r#"[{"@type":"Person","name":"","givenName":"Ida","familyName":"Fenn"}]"#, "Ida Fenn"),
        // The whole name outranks its parts.
        (r#"{"@type":"Person","name":"I. M. Fenn","givenName":"Ida","familyName":"Fenn"}"#, "I. M. Fenn"),
    ] {
        let head = format!(
            r#"<script type="application/ld+json">{{"@type":"NewsArticle","headline":"The ferry that waits","author":{person}}}</script>"#
        );
        assert_eq!(story(LOGO, &head, "", "").authors, [name], "{person}");
    }
}

// zotero/translators#1333
#[test]
fn family_and_given_name_are_one_person() {
    let meta = |key: &str, value: &str| format!("<meta name={key} content='{value}'>");
    for (head, names) in [
        (meta("citation_author", "Fenn Quay, Ida Maria"), vec!["Ida Maria Fenn Quay"]),
        (
            meta("citation_author", "Fenn, Ida Maria") + &meta("citation_author", "van der Berg, Jan"),
            vec!["Ida Maria Fenn", "Jan van der Berg"],
        ),
        (meta("DC.creator", "Fenn Quay, Ida"), vec!["Ida Fenn Quay"]),
        (meta("citation_authors", "Fenn, Ida; Berg, Jan"), vec!["Ida Fenn", "Jan Berg"]),
        (meta("citation_author", "Ida Fenn"), vec!["Ida Fenn"]),
        // Other fields list whole names.
        (meta("author", "Ida Fenn, Jan Berg"), vec!["Ida Fenn", "Jan Berg"]),
    ] {
        assert_eq!(story(LOGO, &head, "", "").authors, names, "{head}");
    }
}

fn said(when: &[&str]) -> String {
    let comment = |w: &&str| {
        format!(
            "<li class=comment><div class='comment-author vcard'><cite class=fn>Tom Reed</cite> <span class=says>says:</span></div>\
             <div class=comment-meta><a href=#c>{w}</a></div><p>I waited there as well and had the same tea.</p></li>"
        )
    };
    format!("<h3>Comments</h3><ol class=commentlist>{}</ol>", when.iter().map(comment).collect::<String>())
}

// ZachSaucier/Just-Read#248
#[test]
fn the_day_of_a_comment_is_not_the_pages() {
    for when in [
        &["March 4, 2014 at 9:12 pm", "March 5, 2014 at 8:01 am"][..],
        &["March 4, 2014 at 9:12 pm"],
        &["4. März 2014 um 21:12 Uhr", "5. März 2014 um 8:01 Uhr"],
        &["<time datetime=2014-03-04T21:12:00Z>4 March</time>", "<time datetime=2014-03-05T21:12:00Z>5 March</time>"],
    ] {
        assert_eq!(story(LOGO, "", "", &said(when)).date, None, "{when:?}");
        let dated = story(LOGO, "", "<p class=date>Published 2 March 2014</p>", &said(when));
        assert_eq!(dated.date.as_deref(), Some("2014-03-02"), "{when:?}");
    }
    // adbar/trafilatura#850: a comment of the same day does not lend its time.
    let same =
        story(LOGO, "", "<p class=byline>By Ida Fenn<br>March 4, 2014</p>", &said(&["March 4, 2014 at 9:12 pm"]));
    assert_eq!(same.date.as_deref(), Some("2014-03-04"));
    // An article with a class that mentions comments.
    let m = page(&format!(
        "<html lang=en><title>The ferry that waits</title><article class='post comments-open'><h1>The ferry that waits</h1>\
         <p class=date>Published 2 March 2014</p>{STORY}</article>"
    ));
    assert_eq!(m.date.as_deref(), Some("2014-03-02"));
}

// mengxi-ream/read-frog#1608
#[test]
fn a_text_in_another_script_refutes_the_declared_language() {
    let language = |lang: &str, text: &str| {
        page(&format!("<html lang={lang}><title>x</title><article><p>{text}</p></article>")).language
    };
    let chinese = "渡船晚了一个小时才离开旧码头，因为船员要先把夜里进的水抽干。乘客们在棚子里等着，用纸杯喝茶。";
    let russian =
        "Паром вышел от старого причала на час позже, потому что команда откачивала воду, набравшуюся за ночь.";
    let english = "The ferry left the old pier an hour late, because the crew had to pump out the water.";
    for (lang, text, found) in [
        ("en", chinese, "zh"),
        ("de", russian, "ru"),
        ("ru", english, "en"),
        // The declaration stays if the script fits it.
        ("zh-TW", chinese, "zh-TW"),
        ("bg", "Къща край реката, на час път от града, в която никой не живее.", "bg"),
        ("en", english, "en"),
    ] {
        assert_eq!(language(lang, text).as_deref(), Some(found), "{lang} {text}");
    }
    assert_eq!(language("en", &format!("{english} They call the boat 渡船.")).as_deref(), Some("en"));
}

/// Writes a comment from its author, its time and its text.
type Form<'a> = &'a dyn Fn(&str, &str, &str) -> String;

// adbar/trafilatura#850
#[test]
fn the_header_of_a_comment_is_not_its_text() {
    let said = "I would not call this a pump at all, since it has never moved more than a bucket of water in an hour.";
    let other = "Fair, but what else should one call it when the whole town has called it that for two years?";
    let header = |name: &str, at: &str| {
        format!("Posted May 28, 2026 {at} UTC (Thu) by <b>{name}</b> (subscriber, #123) [<a href=/l>Link</a>]")
    };
    let forms: [Form<'_>; 5] = [
        &|name, at, text| {
            let head = header(name, at);
            format!(
                "<details class=CommentBox open><summary><h3>Not a pump</h3><p>{head}</p></summary><div class=text><p>{text}</p></div></details>"
            )
        },
        &|name, at, text| {
            let head = header(name, at);
            format!(
                "<div class=comment><h4>It is not a pump at all</h4><p class=poster>{head}</p><div class=text><p>{text}</p></div></div>"
            )
        },
        &|name, at, text| format!("<div class=comment><p class=poster>{}</p><p>{text}</p></div>", header(name, at)),
        &|name, at, text| {
            format!(
                "<article class=comment><header><b class=author>{name}</b> <span>has sailed here for 12 years</span> <time datetime='2026-05-28T{at}Z'>May \
                 28</time></header><p>{text}</p></article>"
            )
        },
        &|name, at, text| {
            let subject = if name == "oarsman" { "What else?" } else { "Not a pump" };
            format!(
                "<div class=comment><div class=head><h3><a href='/comment/{}#c' rel=bookmark>{subject}</a></h3> Posted Thu, 28/05/2026 - {at} by \
                 <b>{name}</b>. [<a href=/l>Link</a>]</div><div class=text><p>{text}</p></div></div>",
                &at[..2]
            )
        },
    ];
    for (k, form) in forms.into_iter().enumerate() {
        let comments = form("gullwing", "14:03", said) + &form("oarsman", "15:10", other);
        let html = format!(
            "<html lang=en><title>The ferry that waits [Pier News]</title><body><h1>The ferry that waits</h1><div class=story><div \
             class=byline>By <b>Ida Fenn</b><br>May 28, 2026</div>{STORY}</div><hr><div id=comments>{comments}</div></body></html>"
        );
        let page = extract(&html, &Options::default()).unwrap();
        let texts: Vec<&str> = page.comments.iter().map(|c| c.text.as_str()).collect();
        assert_eq!(texts, [said, other], "form {k}");
        assert_eq!(page.metadata.date.as_deref(), Some("2026-05-28"), "form {k}");
        assert_eq!(page.metadata.authors, ["Ida Fenn"], "form {k}");
    }
}

#[test]
fn authors_of_reviews_without_a_type_are_not_the_pages() {
    let review = |name: &str| {
        format!(
            "<div itemprop=review itemscope><meta itemprop=author content='{name}'><p itemprop=description>{name} waited for \
             the boat from nine to eleven, and would wait again for the tea.</p></div>"
        )
    };
    let reviews = ["Katherine Lamb", "Junkan Sorel", "Adam Hurst"].map(review).concat();
    let below = format!("<div itemscope itemtype='https://schema.org/LocalBusiness'>{reviews}</div>");
    assert_eq!(story(LOGO, "", "", &below).authors, Vec::<String>::new());
    let critic = format!("<div itemscope itemtype='https://schema.org/WebPage'>{}</div>", review("Katherine Lamb"));
    assert_eq!(story(LOGO, "", "", &critic).authors, ["Katherine Lamb"], "a single review may be the page");
}
