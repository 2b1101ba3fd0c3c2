//! The decision which groups of records are comments.
use maintext_core::{Favor, Options, Page, extract};

fn read(body: &str, favor: Favor) -> Page {
    let html = format!(
        "<html lang=en><head><title>The herons are back - A walk a day</title><meta property=og:type content=article></head>\
         <body><div id=header><a href=/>A walk a day</a></div>{body}</body></html>"
    );
    let url = Some("https://example.org/2024/03/herons".into());
    extract(&html, &Options { url, favor, ..Options::default() }).unwrap()
}

const STORY: [&str; 4] = [
    "This morning, after a week of rain, two herons stood in the reeds below the mill, and nobody dared to go nearer.",
    "They will stay until the autumn, as they have done each year since the dam was built, if the water allows it.",
    "The miller, who has kept count for thirty years, says that he has never seen them arrive before the swallows.",
    "Whoever wants to watch them should come early, before the first walkers and their dogs have reached the bridge.",
];

fn comments(n: usize) -> String {
    let one = |n: usize| {
        format!(
            "<li class=comment id=comment-{n}><div class=comment-author><a href=\"/u/{n}\">Reader Number{n}</a></div>\
             <div class=comment-date>March {n}, 2024 at 10:1{n}</div><div class=comment-body><p>I have seen them too, \
             reader {n} says, and it was in the week after the storm, when the lake stood high. They left toward the \
             hills.</p><p>My neighbour has counted nine of them, which is more than last year.</p></div>\
             <a href=\"#respond-{n}\">Reply</a></li>"
        )
    };
    let all: String = (1..=n).map(one).collect();
    format!(
        "<div id=comments><h3>{n} comments</h3><ol class=commentlist>{all}</ol></div>\
         <form action=/comment><textarea name=comment></textarea></form>"
    )
}

fn story(after_each: impl Fn(usize) -> String) -> String {
    let parts: String = STORY.iter().enumerate().map(|(i, p)| format!("<p>{p}</p>{}", after_each(i))).collect();
    format!("<div id=content><div class=post><h1>The herons are back</h1>{parts}</div></div>")
}

/// The eight comments hold most of the page's words.
#[test]
fn comments_are_excluded_unless_recall_is_favored() {
    let html = story(|_| String::new()) + &comments(8);
    let page = read(&html, Favor::Balance);
    assert!(page.text().contains("two herons stood") && !page.text().contains("reader 4 says"), "{}", page.text());
    assert_eq!((page.posts.len(), page.comments.len()), (0, 8));
    assert_eq!(page.comments[2].author.as_deref(), Some("Reader Number3"));
    assert_eq!(read(&html, Favor::Recall).comments.len(), 8);
}

#[test]
fn comments_without_elements_of_their_own_end_with_their_dates() {
    let one = |n: usize| {
        format!(
            "<dt class=comment-author><a href=\"/u/{n}\">Reader Number{n}</a> said...</dt><dd class=comment-body><p>They left toward \
             the hills in week {n}.</p></dd><dd class=comment-footer><a href=\"#c{n}\">{n} March 2024 at 12:1{n}</a></dd>"
        )
    };
    let all: String = (1..=2).map(one).collect();
    let list = format!("<div id=comments><h4>2 comments:</h4><dl id=comments-block>{all}</dl></div>");
    for list in [
        list.clone(),
        list.replace("dl", "div")
            .replace("<dt", "<div")
            .replace("<dd", "<div")
            .replace("dd>", "div>")
            .replace("dt>", "div>"),
    ] {
        let comments = read(&(story(|_| String::new()) + &list), Favor::Balance).comments;
        let found: Vec<_> =
            comments.iter().map(|c| (c.author.as_deref().unwrap_or(""), &c.text[..], c.date.as_deref())).collect();
        let expected = [
            ("Reader Number1", "They left toward the hills in week 1.", Some("2024-03-01T12:11")),
            ("Reader Number2", "They left toward the hills in week 2.", Some("2024-03-02T12:12")),
        ];
        assert_eq!(found, expected, "{list}");
    }
}

#[test]
fn comments_may_be_shorter_than_their_dates_and_a_verb_of_saying_is_not_a_name() {
    let one = |author: &str, text: &str, day: u32| {
        format!(
            "<dt class=comment-author><a href='#'>{author}</a> sa...</dt><dd class=comment-body><p>{text}</p></dd>\
             <dd class=comment-footer><a href=\"#c{day}\">{day} March 2024 at 12:1{day}</a></dd>"
        )
    };
    let all = one("Kjell", "They left toward the hills before the rain.", 1)
        + &one("Anonym", "How long did you watch them?", 2);
    let list = format!("<div class=comments id=comments><h4>2 comments:</h4><dl id=comments-block>{all}</dl></div>");
    let comments = read(&(story(|_| String::new()) + &list), Favor::Balance).comments;
    let found: Vec<_> = comments.iter().map(|c| (c.author.as_deref().unwrap_or(""), &c.text[..])).collect();
    assert_eq!(
        found,
        [("Kjell", "They left toward the hills before the rain."), ("Anonym", "How long did you watch them?")]
    );
}

/// Arc, which several news aggregators run, calls answers comments in its markup.
#[test]
fn answers_to_a_question_on_a_news_aggregator_are_posts() {
    let answer = |(n, text): (usize, &&str)| {
        format!(
            "<tr class='athing comtr' id=50{n}><td><table><tr><td class=ind><td class=default><div><span class=comhead><a href=/user?id=u{n} class=hnuser>reader{n}</a> \
             <span class=age><a href=/item?id=50{n}>{n} hours ago</a></span></span></div><div class=comment><span class=commtext>{text}</span>\
             </div><div class=reply><a href=/reply?id=50{n}>reply</a></div></table></td></tr>"
        )
    };
    let answers: String = (1..).zip(&STORY[1..]).map(answer).collect();
    let html = format!(
        "<title>Ask: who has seen the herons? | Mill pond</title><table class=fatitem><tr class=athing><td class=title>\
         <span class=titleline><a href=/item?id=50>Ask: who has seen the herons?</a></span></td></tr><tr><td class=subtext>\
         <span class=score>41 points</span> by <a class=hnuser href=/user?id=m>miller</a> <span class=age><a href=/item?id=50>6 hours ago</a></span></td></tr>\
         <tr><td><div class=toptext>{}</div></td></tr></table><table class=comment-tree>{answers}</table>\
         <p><a href=/guidelines>Guidelines</a> | <a href=/faq>FAQ</a> | <a href=/contact>Contact</a></p>",
        STORY[0]
    );
    let page = extract(&html, &Options::default()).unwrap();
    assert_eq!((page.posts.len(), page.comments.len()), (3, 0), "{}", page.text());
    assert!(STORY.iter().all(|text| page.text().contains(text)), "{}", page.text());
}

#[test]
fn a_comment_may_have_more_paragraphs_than_the_others() {
    let one = |n: usize, text: &str| {
        format!(
            "<li class=comment><div class=comment-body><div class=comment-author><cite class=fn>Reader Number{n}</cite> <span>says:</span></div>\
             <div class=comment-meta><a href=\"#c{n}\">March {n}, 2024 at 10:1{n}</a></div>{text}<div class=reply><a href=\"?r={n}\">Reply</a>\
             </div></div></li>"
        )
    };
    let two = "<p>They left toward the hills.</p><p>My neighbour has counted nine of them.</p>";
    for (first, second) in [(two, "<p>We saw three.</p>"), ("<p>We saw three.</p>", two)] {
        let list = format!("<ol class=commentlist>{}{}</ol>", one(1, first), one(2, second));
        let found: Vec<String> =
            read(&(story(|_| String::new()) + &list), Favor::Balance).comments.into_iter().map(|c| c.text).collect();
        assert!(
            found.contains(&"They left toward the hills.\nMy neighbour has counted nine of them.".to_owned()),
            "{found:?}"
        );
        assert!(found.contains(&"We saw three.".to_owned()), "{found:?}");
    }
}

#[test]
fn embedded_posts_are_part_of_the_article() {
    let tweet = |i: usize| {
        format!(
            "<blockquote class=\"twitter-tweet\"><p lang=en dir=ltr>The {i}. heron of this year has been seen at the dam, \
             says the warden of the reserve.</p>&mdash; River Watch (@riverwatch) \
             <a href=\"https://twitter.com/riverwatch/status/17{i}?ref_src=twsrc\">March {}, 2024</a></blockquote>",
            i + 1
        )
    };
    let page = read(&story(tweet), Favor::Balance);
    assert!(page.comments.is_empty() && page.posts.is_empty(), "{:?}", page.comments);
    for (i, paragraph) in STORY.iter().enumerate() {
        assert!(page.text().contains(paragraph), "{}", page.text());
        assert!(page.text().contains(&format!("The {i}. heron of this year")), "{}", page.text());
    }
}

/// The model of groups learned the words of headings from pages in few languages.
#[test]
fn a_heading_in_another_language_announces_comments() {
    let [first, second, third] = [
        "Desde el invierno falta un puente en el valle y los niños caminan cada mañana cuatro kilómetros más hasta la escuela.",
        "Un carpintero ofrece ahora serrar él mismo las vigas si el municipio paga la madera y los bomberos ayudan.",
        "El alcalde decidirá en otoño, aunque dice que el precio le parece demasiado alto y que espera otras ofertas.",
    ];
    let html = format!(
        "<title>El puente | Valley Post</title><header><a href=/>Valley Post</a><nav><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></nav></header>
        <main><article><h1>El puente</h1><div><p>{first}</p><p>{second}</p><p>{third}</p></div></article><section><h2>Comentarios (2)</h2>
        <div><b>Kim</b> <time datetime=2024-05-04>2024-05-04</time><p>Kim: {}</p></div>
        <div><b>Ole</b> <time datetime=2024-05-06>2024-05-06</time><p>Ole: {}</p></div>
        <h3>Deja un comentario</h3><form><textarea></textarea><button>Deja un comentario</button></form></section></main>",
        &second[..60],
        &first[..60]
    );
    let page = extract(&html, &Options::default()).unwrap();
    assert_eq!(page.comments.len(), 2);
    assert!(!page.text().contains("Kim: "), "{}", page.text());
}

#[test]
fn related_headlines_are_not_comments() {
    let titles = ["Council votes for the new bridge", "Storm closes the northern harbour", "Ferry timetable changes"];
    let card = |(i, t): (usize, &&str)| {
        format!(
            "<article class=card><span class=label>Local</span><h3><a href=/news/{i}>{t} in the coming weeks</a></h3>\
             <time>{} minutes ago</time></article>",
            38 + i
        )
    };
    let cards: String = titles.iter().enumerate().map(card).collect();
    let html = format!("{}<aside class=related><h2>More news</h2>{cards}</aside>", story(|_| String::new()));
    let page = read(&html, Favor::Balance);
    assert!(page.comments.is_empty() && page.posts.is_empty(), "{:?}", page.comments);
}

#[test]
fn dated_sections_of_an_article_stay() {
    let section = |i: usize| {
        format!(
            "<h3>March {}, 2024</h3><p><b>Jane Doe</b></p><p>The {i}. walk led along the dam, past the old mill and over the \
             wooden bridge, where the water was higher than in any year that I remember.</p>",
            i + 1
        )
    };
    let page = read(&story(section), Favor::Balance);
    assert!(page.comments.is_empty(), "{:?}", page.comments);
    assert!((0..4).all(|i| page.text().contains(&format!("The {i}. walk"))), "{}", page.text());
}

/// As Drupal 7 writes them: a link to the comment, and a title that is one, too.
#[test]
fn the_link_to_a_comment_is_neither_its_author_nor_its_text() {
    let comment = |id: u32, name: &str, title: &str, text: &str| {
        format!(
            "<div class=comment><div class=attribution><p class=commenter-name><span class=username>{name} (neověřeno)</span></p>
             <p class=comment-time>Po, 05/{id}/2024 - 09:12</p><p><a href=/comment/{id} class=permalink rel=bookmark>Trvalý odkaz</a></p></div>
             <div class=comment-text><h3><a href=/comment/{id} class=permalink>{title}</a></h3><p>{text}</p></div></div>"
        )
    };
    let comments = [
        comment(
            13,
            "Karel",
            "Snow",
            "I have been going there for thirty years, and this is the first sign that I believe.",
        ),
        comment(14, "Jitka", "Wedding", "I said yes, for the sake of order, and the keeper laughed."),
    ];
    let page = read(
        &format!("{}<div id=comments><h2>Komentáře</h2>{}</div>", story(|_| String::new()), comments.concat()),
        Favor::Balance,
    );
    let found: Vec<_> = page.comments.iter().map(|c| (c.author.as_deref(), c.text.lines().count())).collect();
    assert_eq!(found, [(Some("Karel"), 2), (Some("Jitka"), 2)]);
    assert_eq!(page.comments[0].text.lines().next(), Some("Snow"));
}
