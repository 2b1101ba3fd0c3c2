//! Loads pages with scripts in a real browser.
#[allow(dead_code)]
#[path = "../../../maintext-fetch/tests/server/mod.rs"]
pub(crate) mod server;

use maintext_browser::{BrowserError, BrowserOptions, BrowserPool};
use maintext_core::{Extractor, Formats, Options};
use maintext_fetch::Policy;
use server::Server;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Makes the tests of this file wait for each other: one of them looks for browsers that are left behind.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn options() -> BrowserOptions {
    BrowserOptions { sandbox: false, timeout: Duration::from_secs(20), browsers: 1, ..BrowserOptions::default() }
}

const SHELL: &str = "<title>App</title><div id=app></div><img src=/picture.png><p style='display:none'>Hidden words</p>\
    <p style='visibility:hidden'>Unseen words</p><script>fetch('/data').then(r => r.text()).then(t => {\
    const p = document.createElement('p'); p.textContent = t; p.style.fontSize = '20px'; app.append(p); })</script>";

/// Visible paragraphs contain "seen"; each of the others is invisible in a different way.
const UNSEEN: &str = "<style>.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) } \
    .away { position: absolute; left: -9999px } .zero { font-size: 0 }</style><link rel=stylesheet href=/style.css>\
    <p class=away>gone 3</p><p class=odd>gone 7</p><p class='hidden'>seen 6</p><div class=zero>gone 1 <p style='font-size:16px'>seen 1</p>\
    <img src=/a.png alt='seen picture'></div><a class=sr href=#x>gone 2</a><p class=zero>gone 4</p>\
    <div style='visibility:hidden'>gone 5 <p style='visibility:visible'>seen 2</p></div><p hidden>gone 6</p>\
    <span class=sr><math><mi>seen formula</mi></math></span><p style='opacity:0;transition:opacity 1s'>seen 3, by those who scroll</p>\
    <details><summary>More</summary>seen 4, by those who click</details><p data-maintext-box='9'>seen 5</p>";

/// Adds a paragraph after a second, and never stops asking for data.
const LATE: &str = "<p>Before</p><script>setInterval(() => fetch('/data'), 50); setTimeout(() => { \
    const p = document.createElement('p'); p.className = 'late'; p.textContent = 'The late ' + 'text'; document.body.append(p); }, 1000)</script>";

/// Adds a paragraph each time that its end is reached, up to five of them.
const LAZY: &str = "<main id=main><div style='height:1500px'>Top</div></main><div id=end style='height:10px'></div><script>let n = 0; \
    new IntersectionObserver((seen) => { if (seen[0].isIntersecting && n < 5) { n++; const d = document.createElement('div'); \
    d.style.height = '1500px'; d.textContent = 'Entry ' + n; main.append(d); } }).observe(end)</script>";

/// Grows without end.
const ENDLESS: &str = "<main id=main><div style='height:2000px'>Top</div></main><script>addEventListener('scroll', () => { \
    const d = document.createElement('div'); d.style.height = '2000px'; d.textContent = 'more'; main.append(d); })</script>";

fn site() -> Server {
    Server::start(|path, stream| {
        let (status, kind, body) = match path {
            "/" => ("200 OK", "text/html; charset=utf-8", SHELL),
            "/data" => ("200 OK", "text/plain", "The text that the script fetched."),
            "/loop" => ("200 OK", "text/html", "<p>Before</p><script>setInterval(() => fetch('/data'), 50)</script>"),
            "/inside" => (
                "200 OK",
                "text/html",
                "<p id=p>start</p><script>fetch('http://127.0.0.2:9/').catch(() => p.textContent = 'refused')</script>",
            ),
            "/late" => ("200 OK", "text/html", LATE),
            "/lazy" => ("200 OK", "text/html", LAZY),
            "/endless" => ("200 OK", "text/html", ENDLESS),
            "/unseen" => ("200 OK", "text/html", UNSEEN),
            "/style.css" => ("200 OK", "text/css", ".odd { display: none } .hidden { display: block }"),
            "/pdf" => ("200 OK", "application/octet-stream", "%PDF"),
            _ => ("404 Not Found", "text/plain", "nothing"),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        // The browser may have closed the connection.
        let _ = stream.write_all((head + body).as_bytes());
    })
}

#[test]
#[ignore = "needs Chromium"]
fn text_added_by_scripts_is_returned() {
    let _alone = alone();
    let site = site();
    let browsers = BrowserPool::new(options()).unwrap();
    let page = browsers.load(&site.url("/")).unwrap();
    assert!(page.html.contains("<p style=\"font-size: 20px;\">The text that the script fetched.</p>"), "{page:?}");
    assert!(page.html.contains("<p style=\"display: none !important;\">Hidden words"), "{page:?}");
    assert!(page.html.contains("<p style=\"visibility: hidden !important;\">Unseen words"), "{page:?}");
    let boxes =
        page.html_with_boxes.split(" data-maintext-box=\"").skip(1).map(|rest| {
            rest.split('"').next().unwrap().split(' ').map(|n| n.parse::<f32>().unwrap()).collect::<Vec<_>>()
        });
    assert!(boxes.into_iter().any(|b| b[4] == 20.0 && b[2] > 100.0 && b[3] > 10.0), "{page:?}");
    assert!((page.status, page.timed_out) == (200, false) && page.url == site.url("/"));
    assert!(!site.requests().iter().any(|r| r.contains("picture")), "images are not loaded");
    // The next pages use the same browser: a failed page must not affect it.
    assert!(matches!(browsers.load(&site.url("/none")), Err(BrowserError::Load { .. })));
    assert!(matches!(browsers.load(&site.url("/pdf")), Err(BrowserError::Load { .. })));
    assert!(matches!(browsers.load("http://127.0.0.1:9/"), Err(BrowserError::Load { .. })));
    assert!(browsers.load(&site.url("/")).is_ok());
}

#[test]
#[ignore = "needs Chromium"]
fn the_extractor_leaves_out_what_the_browser_does_not_show() {
    let _alone = alone();
    let site = site();
    let page = BrowserPool::new(options()).unwrap().load(&site.url("/unseen")).unwrap();
    let extractor = Extractor::new(Options { formats: Formats::ALL, ..Options::default() });
    let read = extractor.unwrap().extract(maintext_core::Input { whole: true, ..page.html.as_str().into() }).unwrap();
    for k in 1..=6 {
        assert!(read.text().contains(&format!("seen {k}")), "{k}: {read:?}");
    }
    assert!(read.text().contains("seen formula") && read.html.as_deref().unwrap().contains("seen picture"), "{read:?}");
    assert!(!read.text().contains("gone"), "{read:?}");
    // Each element has exactly one box, and a box attribute in the page's own markup is ignored.
    let elements = page.html.matches('<').count() - page.html.matches("</").count() - page.html.matches("<!").count();
    assert_eq!(page.html_with_boxes.matches(" data-maintext-box=\"").count(), elements);
    assert!(!page.html_with_boxes.contains("data-maintext-box=\"9\"") && !page.html.contains("data-maintext-box"));
    assert_eq!(page.clone().html_for("text-density"), page.html_with_boxes);
    assert_eq!(page.clone().html_for("learned"), page.html);
}

#[test]
#[ignore = "needs Chromium"]
fn a_page_that_never_becomes_idle_is_returned_at_the_timeout() {
    let _alone = alone();
    let site = site();
    let browsers = BrowserPool::new(BrowserOptions { timeout: Duration::from_secs(3), ..options() }).unwrap();
    let page = browsers.load(&site.url("/loop")).unwrap();
    assert!(page.timed_out && page.html.contains("<p>Before</p>"), "{page:?}");
}

#[test]
#[ignore = "needs Chromium"]
fn an_element_is_waited_for_within_the_time_limit() {
    let _alone = alone();
    let site = site();
    let load = |path: &str, selector: &str, seconds: u64| {
        let (wait_for, timeout) = (Some(selector.to_owned()), Duration::from_secs(seconds));
        BrowserPool::new(BrowserOptions { wait_for, timeout, ..options() }).unwrap().load(&site.url(path))
    };
    let page = load("/late", "p.late", 30).unwrap();
    assert!(page.html.contains("The late text") && !page.waited_in_vain && !page.timed_out, "{page:?}");
    let page = load("/late", "p.never", 3).unwrap();
    assert!(page.html.contains("Before") && page.waited_in_vain && page.timed_out, "{page:?}");
    assert_eq!(load("/late", "p[", 20).unwrap_err(), BrowserError::BadSelector("p[".into()));
    assert!(matches!(load("/none", "p", 20), Err(BrowserError::Load { .. })));
}

#[test]
#[ignore = "needs Chromium"]
fn scrolling_loads_what_waits_for_it_and_ends() {
    let _alone = alone();
    let site = site();
    let load = |path: &str, scroll: bool| {
        let options = BrowserOptions { scroll, timeout: Duration::from_secs(60), ..options() };
        BrowserPool::new(options).unwrap().load(&site.url(path)).unwrap().html
    };
    assert!(!load("/lazy", false).contains("Entry 3"));
    let scrolled = load("/lazy", true);
    assert!((1..=5).all(|n| scrolled.contains(&format!("Entry {n}"))), "{scrolled}");
    assert!(load("/endless", true).matches(">more<").count() <= 2 * maintext_browser::MAX_SCROLLS as usize);
}

#[test]
#[ignore = "needs Chromium"]
fn a_screenshot_shows_the_whole_page() {
    let _alone = alone();
    let site = site();
    let browsers = BrowserPool::new(BrowserOptions { screenshot: true, ..options() }).unwrap();
    let png = browsers.load(&site.url("/lazy")).unwrap().screenshot.unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    // The header of a PNG holds its width and height as big-endian numbers.
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert!(number(16) >= 1000 && number(20) > 1500, "{} x {}", number(16), number(20));
    assert_eq!(BrowserPool::new(options()).unwrap().load(&site.url("/lazy")).unwrap().screenshot, None);
}

#[test]
#[ignore = "needs Chromium"]
fn scripts_reach_only_what_the_policy_allows() {
    let _alone = alone();
    let site = site();
    let port = url::Url::parse(&site.url("/")).unwrap().port().unwrap();
    let policy = Policy { networks: vec!["127.0.0.1/32".parse().unwrap()], ports: vec![port], ..Policy::default() };
    let browsers = BrowserPool::new(BrowserOptions { policy: Some(policy), ..options() }).unwrap();
    assert!(browsers.load(&site.url("/")).unwrap().html.contains("script fetched"));
    assert!(browsers.load(&site.url("/inside")).unwrap().html.contains("refused"));
    for url in ["http://localhost:1/", "http://169.254.169.254/", "file:///etc/passwd", "http://127.0.0.2/"] {
        assert!(browsers.load(url).is_err(), "{url}");
    }
}

#[test]
#[ignore = "needs Chromium"]
fn no_process_or_profile_is_left_behind() {
    let _alone = alone();
    let site = site();
    let mine = format!("maintext-browser-{}-", std::process::id());
    let pages = std::env::var("MAINTEXT_RENDER_PAGES").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let browsers = BrowserPool::new(BrowserOptions { browsers: 2, pages_per_browser: 3, ..options() }).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..pages / 2).for_each(|_| assert!(browsers.load(&site.url("/")).is_ok())));
        }
    });
    drop(browsers);
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    loop {
        let left = profiles(&mine) + processes(&mine);
        if left == 0 {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{left} processes and profiles are left behind");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn profiles(mine: &str) -> usize {
    let names = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    names.filter(|e| e.file_name().to_string_lossy().starts_with(mine)).count()
}

/// Counts the processes whose command line contains a profile of this test.
fn processes(mine: &str) -> usize {
    let Ok(all) = std::fs::read_dir("/proc") else { return 0 };
    let lines = all.flatten().filter_map(|e| std::fs::read(e.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(mine)).count()
}
