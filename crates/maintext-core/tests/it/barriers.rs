//! Pages that sites show instead of their content, and pages that only look like them.

use maintext_core::{Barrier, Extractor, Fields, Formats, Options};
use std::collections::BTreeMap;

const KNOWN: &str = include_str!("../../../../testdata/barriers/known.txt");
const HELD_OUT: &str = include_str!("../../../../testdata/barriers/held_out.txt");

/// Returns the pages of a file: kind, name and source.
fn pages(text: &str) -> Vec<(&str, &str, &str)> {
    let page = |part| {
        let (head, html) = str::split_once(part, '\n').unwrap();
        let (kind, name) = head.split_once(' ').unwrap();
        (kind, name, html)
    };
    text.split("\n=== ").skip(1).map(page).collect()
}

fn extractor() -> Extractor {
    let options = Options { fields: Fields::of(["barrier"]), formats: Formats::NONE, ..Options::default() };
    Extractor::new(options).unwrap()
}

fn found(extractor: &mut Extractor, html: &str) -> &'static str {
    extractor.extract(html).unwrap().barrier.map_or("none", Barrier::as_str)
}

fn right(text: &str) -> (usize, Vec<String>) {
    let mut extractor = extractor();
    let pages = pages(text);
    let mut by_kind: BTreeMap<&str, u32> = BTreeMap::new();
    pages.iter().for_each(|p| *by_kind.entry(p.0).or_default() += 1);
    assert!(by_kind.len() == 5 && by_kind.values().all(|n| *n == 6), "{by_kind:?}");
    let wrong = pages.iter().filter_map(|(kind, name, html)| {
        let found = found(&mut extractor, html);
        (found != *kind).then(|| format!("{kind} {name}: {found}"))
    });
    let wrong: Vec<String> = wrong.collect();
    (pages.len() - wrong.len(), wrong)
}

#[test]
fn barriers_are_recognised() {
    let (known, wrong) = right(KNOWN);
    assert!(known >= 30, "{known} of 30; {wrong:#?}");
}

#[test]
fn barriers_that_the_rules_were_not_made_for_are_recognised() {
    let (held_out, wrong) = right(HELD_OUT);
    assert!(held_out >= 29, "{held_out} of 30; {wrong:#?}");
}

const PROSE: &str = "The ferry leaves at nine and comes back in the evening, except on Sundays, when the crew sleeps. ";

#[test]
fn pages_that_only_look_like_barriers_have_none() {
    let mut extractor = extractor();
    let (short, long) = (PROSE.repeat(3), PROSE.repeat(9));
    for page in [
        format!("<title>The ferry</title><header><form action=/login><input name=u><input type=password><button>Log in</button></form></header><nav>{}</nav><article><h1>The ferry</h1><p>{long}</article>", "<a href=/a>Some part of the site</a> ".repeat(30)),
        format!("<title>The ferry</title><h1>The ferry</h1><p>{short}<h2>Comments</h2><p>You must log in to view and post comments.</p>"),
        format!("<title>How to fix 404 Not Found</title><h1>How to fix 404 Not Found errors</h1><p>{}", PROSE.repeat(12)),
        format!("<title>The ferry</title><header><p>Already a subscriber? <a href=/in>Sign in</a></header><article><h1>The ferry</h1><p>{}</article>", PROSE.repeat(10)),
        format!("<title>Contact</title><script src=https://www.google.com/recaptcha/api.js></script><h1>Contact</h1><p>{short}</p><form><input name=name><textarea></textarea><div class=g-recaptcha></div><button>Send</button></form>"),
        format!("<title>The ferry</title><h1>The ferry</h1><p>{long}</p><script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>"),
        format!("<title>Selling a name</title><h1>Selling a name</h1><p>{}</p><p>A page that says “this domain is for sale” sells little.</p>", PROSE.repeat(16)),
        format!("<title>News</title><main>{}</main>", format!("<article><h2><a href=/a>The ferry</a></h2><p>{PROSE}</p><p>This article is for subscribers.</p></article>").repeat(12)),
        "<title>App</title><div id=root></div><script src=/app.js></script>".to_owned(),
        String::new(),
    ] {
        assert_eq!(found(&mut extractor, &page), "none", "{page}");
    }
}

#[test]
fn an_error_status_is_a_barrier_of_short_pages() {
    let page = |words: usize, status: u16| {
        let html = format!(
            "<title>The ferry</title><h1>The ferry</h1><p>{}",
            "It leaves at nine in the evening. ".repeat(words)
        );
        let mut page = Extractor::new(Options::default()).unwrap().extract(&html).unwrap();
        assert_eq!((page.barrier, page.status), (None, None));
        page.answered(status, Some("https://example.org/ferry".into()));
        assert_eq!((page.status, page.final_url.as_deref()), (Some(status), Some("https://example.org/ferry")));
        page.barrier.map(Barrier::as_str)
    };
    assert_eq!([page(5, 200), page(5, 404), page(5, 401)], [None, Some("error"), Some("login")]);
    assert_eq!([page(5, 402), page(50, 404)], [Some("paywall"), None]);
}

#[test]
fn rules_for_the_content_do_not_hide_a_barrier() {
    let html = "<title>Page not found</title><h1>Page not found</h1><p id=x>It may have moved to another place.";
    let rules = serde_json::from_str(r##"{"content": "#x"}"##).unwrap();
    let page = Extractor::new(Options { rules, ..Options::default() }).unwrap().extract(html).unwrap();
    assert_eq!((page.barrier, page.text()), (Some(Barrier::Error), "It may have moved to another place.\n"));
}

#[test]
fn an_article_that_is_gone_is_an_error_page_in_many_languages() {
    let mut extractor = extractor();
    for heading in
        ["Artiklen findes ikke længere", "Article not found", "Článek byl odstraněn", "この記事は削除されました"]
    {
        let html = format!("<title>{heading}</title><main><h1>{heading}</h1><p>Try the search.</p></main>");
        assert_eq!(found(&mut extractor, &html), "error", "{heading}");
    }
}

#[test]
fn a_thread_that_is_gone_is_an_error_and_a_removed_reply_is_not() {
    let mut extractor = extractor();
    for notice in [
        "The requested thread could not be found.",
        "Тема не найдена",
        "抱歉，指定的主题不存在或已被删除或正在被审核",
        "Este mensaje ha sido eliminado",
        "Konu bulunamadı",
    ] {
        let html = format!("<title>Forum</title><main><h1>A message of the forum</h1><p>{notice}</p></main>");
        assert_eq!(found(&mut extractor, &html), "error", "{notice}");
    }
    let post = |author: &str, text: &str| {
        format!(
            "<div class=post><p class=author>by <a href=/u/{author}>{author}</a> » 3 May 2024</p><div class=content>{text}</div></div>"
        )
    };
    let thread = [
        post("kim", "Which glue do you use between the strips, and do I need clamps?"),
        post("ole", "Plain wood glue, and tape is enough."),
        post("bot", "This post has been removed by a moderator."),
        post("kim", "Thanks, tape it is!"),
    ];
    let html = format!("<title>Which glue?</title><main><h1>Which glue?</h1>{}</main>", thread.concat());
    assert_eq!(found(&mut extractor, &html), "none");
}

#[test]
fn a_short_text_whose_title_begins_like_an_error_is_a_page() {
    const STORY: &str = "<p>For two hundred years people have looked for a chapel that may never have stood. A student with a spade gave up this summer.</p>
        <p>The map of 1802 shows it on the hill. The map of 1803 does not, and a clerk has written a note about it beside the place.</p>
        <p>The student keeps the boot. It is a left one, and it is older than both maps.</p>";
    let mut extractor = extractor();
    let mut of = |title: &str, text: &str| {
        found(
            &mut extractor,
            &format!(
                "<title>{title} | The Daily Example</title><main><article><h1>{title}</h1>{text}</article></main>"
            ),
        )
    };
    for title in [
        "Not found: the lost chapel",
        "Forbidden fruit",
        "Access denied: a night at the gate",
        "Nicht gefunden: die Kapelle",
    ] {
        assert_eq!(of(title, STORY), "none", "{title}");
    }
    let play = "<p>Down for maintenance is a comedy in one act, which takes place in a lift that has stopped between two floors of an office.</p>
        <h2>Characters</h2><p>A lawyer with a cake</p><h2>Productions</h2><p>The first production ran for eleven nights, and in 2012 the ending was written again for a smaller stage.</p>";
    assert_eq!(of("Down for maintenance (play)", play), "none");
    let rules = "<p>The bridge was built in 1911 and carries one cart at a time, if the horse is willing and the wind is low.</p>";
    for line in [
        "<table><tr><th>Vehicle</th><th>Rule</th></tr><tr><td>Lorry</td><td>Forbidden</td></tr></table>",
        "<p><b>Forbidden</b> are lorries, carriages with more than two horses, and dancing after the bells have rung.</p>",
    ] {
        assert_eq!(of("Weights on the bridge", &format!("{rules}{line}")), "none", "{line}");
    }
    for (title, text) in [
        (
            "Not found",
            "<p>The page that you were looking for does not exist or has moved to another address on this site.</p>",
        ),
        ("403 Forbidden", "<p>You do not have permission to access this page.</p>"),
        ("Seite nicht gefunden", "<p>Die Seite wurde leider nicht gefunden.</p><p><a href=/>Zur Startseite</a></p>"),
    ] {
        assert_eq!(of(title, text), "error", "{title}");
    }
}
