//! Threads of the most common forum programs: every post once, with its author, date and text, and without buttons, user panels and
//! signatures.
//!
//! The pages in `forums/` have the markup of their programs and words of our own. A JSON file for each page lists its posts and the texts
//! that must not be kept.
use maintext_core::{Extractor, Formats, Options, Page};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Expected {
    title: String,
    posts: Vec<Post>,
    absent: Vec<String>,
}

#[derive(Deserialize)]
struct Post {
    author: String,
    date: String,
    text: Vec<String>,
}

fn words(s: &str) -> Vec<&str> {
    s.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect()
}

fn read(name: &str) -> (Page, Expected) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/forums");
    let file = |extension: &str| -> PathBuf { dir.join(format!("{name}.{extension}")) };
    let html = std::fs::read_to_string(file("html")).unwrap();
    let expected = serde_json::from_str(&std::fs::read_to_string(file("json")).unwrap()).unwrap();
    let formats = Formats::ALL;
    let options = Options { formats, url: Some("https://example.org/thread/77".into()), ..Options::default() };
    (Extractor::new(options).unwrap().extract(&html).unwrap(), expected)
}

/// Returns Markdown without the addresses of its links.
fn without_addresses(markdown: &str) -> String {
    let mut parts = markdown.split("](");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |out, part| out + part.split_once(')').map_or("", |p| p.1))
}

/// Returns the differences from the expected page, one per line.
fn differences(page: &Page, expected: &Expected) -> Vec<String> {
    let mut out = Vec::new();
    let mut differs = |what: String, is: bool| {
        if is {
            out.push(what);
        }
    };
    let found = page.posts.len();
    differs(format!("{found} posts and {} comments", page.comments.len()), found != expected.posts.len());
    for (i, (want, post)) in expected.posts.iter().zip(&page.posts).enumerate() {
        let author = post.author.as_deref().unwrap_or("");
        differs(format!("author {i}: {author} for {}", want.author), author != want.author);
        let date = post.date.as_deref().unwrap_or("");
        differs(format!("date {i}: {date} for {}", want.date), date.get(..16) != Some(&want.date));
        let text = want.text.join("\n");
        differs(format!("text {i}: {:?} for {text:?}", post.text), words(&post.text) != words(&text));
    }
    let all = expected.posts.iter().flat_map(|p| &p.text).cloned().collect::<Vec<_>>().join("\n");
    let markdown = page.markdown.as_deref().unwrap_or("");
    for (format, text) in [("text", page.text()), ("Markdown", markdown)] {
        let lines: Vec<&str> = text.lines().collect();
        for (i, want) in expected.posts.iter().enumerate() {
            let date = want.date.replace('T', " ");
            let own = expected.posts.iter().filter(|p| p.author == want.author && p.date == want.date).count();
            // Plain text has no headers.
            let (head, wanted) = match format {
                "text" => (format!("{} · {date}", want.author), 0),
                _ => (format!("**{}** · {date}", want.author), own),
            };
            let n = lines.iter().filter(|l| **l == head).count();
            differs(format!("{format} has head {i} {n} times: {head}"), n != wanted);
        }
        for (i, want) in expected.posts.iter().enumerate() {
            for paragraph in want.text.iter().filter(|p| words(p).len() > 8) {
                let times =
                    |text: &str| words(&without_addresses(text)).join(" ").matches(&words(paragraph).join(" ")).count();
                let (n, there) = (times(text), times(&all));
                differs(format!("{format} has {n} times: {paragraph}"), n != there);
            }
            let last = want.text.last().map_or("", String::as_str);
            differs(format!("{format} lacks post {i}: {last}"), !text.contains(last));
        }
        for absent in &expected.absent {
            differs(format!("{format} has {absent:?}"), text.contains(&absent[..]));
        }
        // The title may precede the posts, but not each of them.
        let titles = text.matches(&expected.title[..]).count();
        differs(format!("{format} has the title {titles} times"), titles > 1);
    }
    out
}

#[track_caller]
fn check(name: &str) {
    let (page, expected) = read(name);
    let differences = differences(&page, &expected);
    assert!(differences.is_empty(), "{name}:\n{}\n\n{}", differences.join("\n"), page.markdown.unwrap_or_default());
}

macro_rules! programs {
    ($($name:ident)*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

programs! {
    discourse discourse_crawler github_issue hacker_news lemmy mybb phpbb reddit_new reddit_old smf stack_exchange vbulletin3 vbulletin4
    vbulletin5 xenforo
}
