//! Posts and comments of whole pages.
use maintext_core::{Options, Page, extract};

const WORDS: [&str; 6] = [
    "We left early, and the road was empty until the hills.",
    "Nobody spoke before the fog lifted, and then all spoke at once.",
    "Two herons stood in the reeds; the third had gone fishing elsewhere.",
    "I would not have taken the upper path, it is washed out since March.",
    "Thanks, that is good to know for next week, when we try it again.",
    "The inn at the bridge is closed on Mondays, in case you are hungry.",
];
const NAMES: [&str; 4] = ["heron_fan", "Jane Doe", "fog", "old miller"];

fn read(body: &str) -> Page {
    let html = format!("<html lang=en><title>A walk</title><body><nav><a href=/>Home</a></nav>{body}");
    let options = Options { url: Some("https://e.org/t/7".into()), ..Options::default() };
    extract(&html, &options).unwrap()
}

/// The posts of a thread, each in markup that `post` writes from its number, name and text.
fn thread(post: impl Fn(usize, &str, &str) -> String) -> String {
    (0..6).map(|i| post(i, NAMES[i % 4], &format!("{} {}", WORDS[i], WORDS[(i + 1) % 6]))).collect()
}

#[track_caller]
fn check(page: &Page) {
    let found = if page.posts.is_empty() { &page.comments } else { &page.posts };
    let authors: Vec<_> = found.iter().map(|p| p.author.as_deref().unwrap_or("")).collect();
    let expected: Vec<_> = (0..6).map(|i| NAMES[i % 4]).collect();
    assert_eq!(authors, expected, "{found:?}");
    for (i, p) in found.iter().enumerate() {
        assert_eq!(p.date.as_deref().and_then(|d| d.get(..10)), Some(format!("2024-05-1{i}").as_str()));
        assert!(p.text.contains(WORDS[i]) && !p.text.contains("Reply"), "{}", p.text);
    }
}

#[test]
fn posts_in_boxes_are_read() {
    let page = read(&thread(|i, name, text| {
        format!(
            "<div class=post id=p{i}><div class=who><a href=/u/{}>{name}</a> <i>Member</i></div><div><a href=#p{i}>1{i} May 2024 10:3{i}</a></div>\
             <div class=say>{text}</div><p><a href=/reply/{i}>Reply</a></p></div>",
            name.replace(' ', "-")
        )
    }));
    check(&page);
    assert_eq!(page.posts[1].url.as_deref(), Some("https://e.org/t/7#p1"));
    assert_eq!(page.posts[1].author_url.as_deref(), Some("https://e.org/u/Jane-Doe"));
    assert_eq!(page.posts[1].date.as_deref(), Some("2024-05-11T10:31"));
}

#[test]
fn the_person_who_posts_a_link_opens_the_thread() {
    let replies = thread(|i, name, text| {
        format!(
            "<div class=post id=p{i}><div><a href=/u/{}>{name}</a> <i>1{i} May 2024 10:3{i}</i></div><div>{text}</div></div>",
            name.replace(' ', "-")
        )
    });
    let read = |link: &str| {
        read(&format!(
            "<h1><a href={link}>A walk along the upper path</a></h1><div><a href=/u/ferryman>ferryman</a> <i>9 May 2024 10:00</i></div>{replies}"
        ))
    };
    let page = read("https://walks.example/upper");
    assert_eq!(
        (page.metadata.authors.first().map(String::as_str), page.posts.len()),
        (Some("ferryman"), 7),
        "{:?}",
        page.posts
    );
    assert_eq!((page.posts[0].text.as_str(), page.posts[0].date.as_deref()), ("", Some("2024-05-09T10:00")));
    // On its own page, the title of a thread leads to the thread.
    assert_eq!(read("https://e.org/t/7").posts.len(), 6);
}

#[test]
fn comments_with_a_byline_below_are_read() {
    let article: String = (0..6).map(|i| format!("<p>{} {}</p>", WORDS[i], WORDS[5 - i])).collect();
    for (wrap, own) in [(true, false), (false, false), (false, true)] {
        let comments = thread(|i, name, text| {
            let (open, close) = if wrap { ("<div class=item>", "</div>") } else { ("", "") };
            format!(
                "<a name=c{i}></a>{open}<div class=said><p>{text}</p></div><p class=posted>Posted by: {name} | May 1{i}, 2024 0{}:24 \
                 PM</p>{close}<br>",
                i + 1
            )
        });
        let own = if own { "<p class=posted>By Ann Author | May 9, 2024 10:00 AM</p>" } else { "" };
        let page = read(&format!(
            "<h1>A walk</h1><div class=text>{article}</div>{own}<div id=comments><h3>Comments</h3>{comments}</div><form><p>Post a comment</p>\
             <textarea name=c></textarea></form>"
        ));
        check(&page);
        assert!(page.posts.is_empty() && !page.text().contains("heron_fan"), "{wrap}, {own}: {}", page.text());
        assert!(page.comments.iter().all(|c| !c.text.contains("Posted")), "{:?}", page.comments);
    }
}

#[test]
fn a_date_after_the_last_text_is_handled() {
    let day = |i: u32, text: &str| format!("<p class=t><time datetime=2024-05-1{i}>{text}</time></p>");
    let page = read(&format!("<p>{}</p>{}{}{}", WORDS[0], day(1, "one"), day(2, "two"), day(3, "")));
    assert!(page.text().contains(WORDS[0]));
}

#[test]
fn posts_in_table_rows_are_read() {
    let rows = thread(|i, name, text| {
        format!(
            "<tr class=head><td>by <a href=u{name}>{name}</a>, <b>2024-05-1{i} 10:00</b></td></tr><tr><td>{text}</td></tr>"
        )
    });
    check(&read(&format!("<table>{rows}</table>")));
}

#[test]
fn nested_comments_have_a_depth_and_are_not_content() {
    let article: String =
        (0..6).map(|i| format!("<p>{} {} {}</p>", WORDS[i], WORDS[5 - i], WORDS[(i + 2) % 6].to_uppercase())).collect();
    let mut comments = String::new();
    for i in 0..6 {
        let say = format!(
            "<li class=c><div class=h><b class=n>{}</b> <time datetime=2024-05-1{i}>day</time></div><p>{} {}</p><a href=#r{i}>Reply</a>",
            NAMES[i % 4],
            WORDS[i],
            WORDS[(i + 1) % 6]
        );
        comments += &say;
        comments += if i % 2 == 0 { "<ul>" } else { "</li></ul></li>" };
    }
    let page = read(&format!("<article><h1>A walk</h1>{article}</article><h3>6 comments</h3><ul>{comments}</ul>"));
    check(&page);
    assert!(page.posts.is_empty());
    assert_eq!(page.comments.iter().map(|c| c.depth).collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1]);
    assert!(!page.text().contains("heron_fan"));
}

#[test]
fn a_list_of_articles_is_not_a_thread() {
    let list = thread(|i, name, text| {
        format!(
            "<div class=e><h2><a href=/walks/{i}>The walk over the {i} hills and back</a></h2><i class=by>{name}</i> <time datetime=2024-05-1{i}>d</time><p>{text}</p></div>"
        )
    });
    let page = read(&list);
    assert!(page.posts.is_empty() && page.comments.is_empty(), "{:?}", page.posts);
}

#[test]
fn dates_of_joining_are_not_dates_of_posts() {
    let page = read(&thread(|i, name, text| {
        format!(
            "<div class=post><a href=/u/{name}>{name}</a><dl><dt>Joined<dd>0{} Mar 20{:02}</dl><div class=d>1{i} May 2024, 10:00</div><div class=say>{text}</div></div>",
            9 - i,
            19 - 2 * (i % 4)
        )
    }));
    check(&page);
}

/// An article with comments below it, and a form to write one.
fn with_comments(comments: &str) -> Page {
    let article: String = (0..6).map(|i| format!("<p>{} {}</p>", WORDS[i], WORDS[5 - i])).collect();
    read(&format!(
        "<div class=post><h1>Two herons above the mill</h1>{article}</div><div id=comments class=comments-area>{comments}\
         <div id=respond><h3>Leave a reply</h3><form action=/c><textarea></textarea></form></div></div>"
    ))
}

#[test]
fn an_only_comment_is_read() {
    let one = |author: &str| {
        with_comments(&format!(
            "<h2>One thought on \"Two herons above the mill\"</h2><ol class=comment-list><li class=comment id=comment-7>\
             <div class=comment-author><b>{author}</b> <span>says:</span></div><div class=comment-meta><a href=#comment-7>May 12, \
             2024 at 10:24 am</a></div><div class=comment-content><p>{} {}</p></div><div><a href=#r>Reply</a></div></li></ol>",
            WORDS[3], WORDS[4]
        ))
    };
    for author in ["Jane Doe", "old miller", "Klaus-Peter Muster"] {
        let page = one(author);
        let found: Vec<_> = page.comments.iter().map(|c| (c.author.as_deref(), c.text.as_str())).collect();
        assert_eq!(found, [(Some(author), format!("{} {}", WORDS[3], WORDS[4]).as_str())]);
        assert_eq!(page.comments[0].date.as_deref(), Some("2024-05-12T10:24"));
    }
}

#[test]
fn a_relative_time_may_precede_links_to_other_comments() {
    let page = with_comments(&thread(|i, name, text| {
        let links = if i % 2 == 0 { " | <a href=#c7>parent comment</a> | <a href=#c8>next comment</a>" } else { "" };
        format!(
            "<div class=comment id=c{i}><p class=head><a href=/u/{}>{name}</a> <a href=/c/{i}>{} hours ago</a>{links}</p>\
             <div class=said>{text}</div></div>",
            name.replace(' ', "-"),
            9 - i
        )
    }));
    let authors: Vec<_> = page.comments.iter().filter_map(|c| c.author.as_deref()).collect();
    assert_eq!(authors, (0..6).map(|i| NAMES[i % 4]).collect::<Vec<_>>());
    assert_eq!(page.comments[0].date_text.as_deref(), Some("9 hours ago"));
}

#[test]
fn comments_on_other_pages_are_not_read() {
    let list: String =
        (0..4).map(|i| format!("<li>{} on <a href=/{i}>{}</a></li>", NAMES[i], WORDS[i])).collect::<Vec<_>>().join("");
    let page = with_comments(&format!("<div class=widget_recent_comments><h4>May 12, 2024</h4><ul>{list}</ul></div>"));
    assert!(page.comments.is_empty(), "{:?}", page.comments);
}

#[test]
fn authors_in_striped_rows_are_read() {
    let page = with_comments(&thread(|i, name, text| {
        let stripe = ["even", "odd alt"][i % 2];
        format!(
            "<dl class=\"comment {stripe}\" id=comment-{i}><dt class=\"head {stripe}\"><span class=\"author {stripe}\">{name}</span> \
             <span class=time><a href=#comment-{i}>May 1{i}, 2024 at 8:0{i} am</a></span></dt><dd><p>{text}</p></dd></dl>"
        )
    }));
    check(&page);
}

#[test]
fn labels_around_names_and_dates_are_read_in_persian() {
    let page = with_comments(&thread(|i, name, text| {
        format!(
            "<div class=comment><div class=head>فرستنده: <b>{name}</b> — <span>جمعه 2024-05-1{i}، ساعت 08:1{i}</span> — <a href=#c{i}>پیوند</a> <a \
             href=#>پاسخ</a></div><div class=text><p>{text}</p></div></div>"
        )
    }));
    check(&page);
    assert!(page.comments.iter().all(|c| !c.text.contains("پاسخ")), "{:?}", page.comments);
}

#[test]
fn names_before_dates_in_one_line_are_read() {
    let page = with_comments(&thread(|i, name, text| {
        format!(
            "<article class=comment id=comment-{i}><h6>{name} | Mon, 1{i} May 2024 - 8:0{i}</h6><div class=text><p>{text}</p></div></article>"
        )
    }));
    check(&page);
}

#[test]
fn dates_that_touch_names_are_read() {
    let page = with_comments(&thread(|i, name, text| {
        format!(
            "<li class=comment><div class=header><cite><a href=\"/u/{}\">{name}</a></cite><span class=time>1{i} May 2024 at 8:0{i}</span></div>\
             <p class=content>{text}</p></li>",
            i % 4
        )
    }));
    check(&page);
}
