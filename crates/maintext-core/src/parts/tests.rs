//! Which links lead to other parts.
use super::*;

fn at(url: &str, html: &str) -> (Pagination, Vec<String>) {
    let dom = maintext_page::dom::parse(html, &Default::default());
    let url = Url::parse(url).unwrap();
    find(&dom, &Blocks::new(&dom), &url, &url)
}

/// Returns the address of the next part, if the link is sure.
fn next(url: &str, html: &str) -> Option<String> {
    let link = at(url, html).0.next.filter(|l| l.probability >= 0.5)?;
    Some(link.url.replace("https://e.org", ""))
}

#[test]
fn numbers_lead_to_the_next_part_in_any_order() {
    let block = |links: &[(u32, &str)]| {
        let link = |l: &(u32, &str)| format!("<a href='{}'>{}</a> ", l.1, l.0);
        format!("<p>Text.</p><div>{}</div>", links.iter().map(link).collect::<String>())
    };
    let links = block(&[(3, "/story/3"), (2, "/story/2"), (4, "/story/4")]);
    assert_eq!(next("https://e.org/story", &links).as_deref(), Some("/story/2"));
    let pages: Vec<String> = at("https://e.org/story", &links).0.pages.into_iter().map(|l| l.text).collect();
    assert_eq!(pages, ["2", "3", "4"]);
    let links = block(&[(1, "/story"), (3, "/story/3"), (4, "/story/4")]);
    assert_eq!(next("https://e.org/story/2", &links).as_deref(), Some("/story/3"));
    assert_eq!(at("https://e.org/story/2", &links).0.previous.unwrap().url, "https://e.org/story");
    // Some count from 0.
    let links = block(&[(2, "?page=1"), (3, "?page=2")]);
    assert_eq!(next("https://e.org/story", &links).as_deref(), Some("/story?page=1"));
    assert_eq!(next("https://e.org/story?page=1", &links).as_deref(), Some("/story?page=2"));
    // The last part has no next one.
    let links = block(&[(1, "/story.html"), (2, "/story-2.html")]);
    assert_eq!(next("https://e.org/story-3.html", &links), None);
}

#[test]
fn words_and_rel_lead_to_the_next_part() {
    for link in [
        "<a href='/story/2'>Next</a>",
        "<a href='/story/2'>Next page »</a>",
        "<a href='/story-2'>下一页</a>",
        "<a href='/story?page=2'>Weiter</a>",
        "<a href='/story/2' rel=next>Onwards</a>",
        "<a href='/story/2'>→</a>",
        "<a href='/story/2'>Page 2</a>",
        "<a href='/story/2'>2. What the captain saw</a>",
        "<head><link rel=next href='/story/page/2'></head><p>a",
    ] {
        assert!(next("https://e.org/story", link).is_some(), "{link}");
    }
}

#[test]
fn next_articles_are_no_parts() {
    for (url, link) in [
        ("https://e.org/story", "<a rel=next href='/another-story'>Next</a>"),
        ("https://e.org/story", "<head><link rel=next href='/another-story'></head><p>a"),
        ("https://e.org/story", "<a href='/story/2'>Next article</a>"),
        ("https://e.org/story", "<a rel=next href='/story/2'>The council votes for a new bridge today</a>"),
        ("https://e.org/news/1234", "<a rel=next href='/news/1235'>Next</a>"),
        (
            "https://e.org/blog/3",
            "<a rel=next href='/blog/4'>Next</a> <a href='/blog/2'>Previous</a> <a href='/blog'>Blog</a>",
        ),
        ("https://e.org/?p=12", "<head><link rel=next href='/?p=13'></head><p>a"),
        ("https://e.cn/news/10.html", "<a href='/news/11.html'>下一篇</a>"),
        ("https://e.org/2024/05/17", "<a href='/2024/05/18'>18</a> <a href='/2024/05/16'>16</a>"),
        ("https://e.org/story", "<a href='/story/comment-page-2'>2</a>"),
        ("https://e.org/story", "<a href='https://f.org/story/2'>2</a>"),
        ("https://e.org/story", "<a href='/story/9'>Next</a>"),
        ("https://e.org/story", "<a href='/story/2024'>2024 2023</a>"),
    ] {
        assert_eq!(next(url, link), None, "{url} {link}");
    }
    // In the middle of an article that was reached from its beginning, the same links are followed.
    let unsure = at("https://e.org/story/3", "<a href='/story/2'>Back</a> <a href='/story/4'>Next</a>").0.next.unwrap();
    assert!(unsure.probability < 0.5);
    assert!(next("https://e.org/story/2", "<a href='/story'>Back</a> <a href='/story/3'>Next</a>").is_some());
}

#[test]
fn whole_articles_are_found_beside_parts() {
    let html = "<head><link rel=amphtml href='https://amp.e.org/story'></head><p>a <a href='/story/2'>2</a> \
        <a href='/story?print=1'>Print</a> <a href='/story/all'>Show all</a>";
    let whole = ["https://e.org/story/all", "https://e.org/story?print=1", "https://amp.e.org/story"];
    assert_eq!(at("https://e.org/story", html).1, whole);
    assert!(at("https://e.org/story", &html.replace("<a href='/story/2'>2</a>", "")).1.is_empty());
}

#[test]
fn many_links_take_linear_time() {
    let work = |n: usize| {
        let html: String = (0..n).map(|i| format!("<a href='/story/{i}'>{i}</a> <a href='/x{i}'>next</a>")).collect();
        let dom = maintext_page::dom::parse(&html, &Default::default());
        let url = Url::parse("https://e.org/story").unwrap();
        find(&dom, &Blocks::new(&dom), &url, &url);
        dom.work()
    };
    assert!(work(4000) < 11 * work(400));
}

#[test]
fn the_markdown_version_is_declared_in_the_head() {
    let find = |html: &str| {
        let dom = maintext_page::dom::parse(html, &Default::default());
        super::markdown_version(&dom, &Url::parse("https://e.org/docs/a").unwrap())
    };
    let link = |attributes: &str| format!("<head><link {attributes}></head><p>Text.");
    let found = find(&link("rel='Alternate' type='text/markdown; charset=utf-8' href='a.md'"));
    assert_eq!(found.as_deref(), Some("https://e.org/docs/a.md"));
    for other in [
        "rel=alternate type=text/html href=a.md",
        "rel=stylesheet type=text/markdown href=a.md",
        "rel=alternate type=text/markdown href='javascript:1'",
        "rel=alternate type=text/markdown href=''",
        "rel=alternate type=text/markdown",
    ] {
        assert_eq!(find(&link(other)), None, "{other}");
    }
    assert_eq!(find("<p>Text.<link rel=alternate type=text/markdown href=a.md>"), None);
}
