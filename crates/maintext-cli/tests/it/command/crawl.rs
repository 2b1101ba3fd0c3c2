//! `maintext crawl` against a news site on the loopback interface that has the usual faults of such sites.
use crate::command::server::{Server, page, redirect, response};
use crate::command::{Folder, Run, command, example};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Articles in each language, and entries on each page of a list.
const ARTICLES: usize = 30;
const PER_PAGE: usize = 10;
/// Articles that fail twice before they succeed, and slow articles.
const FAILS_TWICE: [usize; 2] = [4, 17];
const SLOW: [usize; 3] = [2, 11, 23];
/// The article that the server refuses once as busy.
const BUSY: usize = 8;

/// The number of requests for each path, which decides whether the next one fails.
type Asked = Mutex<BTreeMap<String, usize>>;

/// Starts the site: two lists of articles, in English below /news/ and in Chinese below /zh/.
fn site() -> Server {
    let asked = Asked::default();
    Server::start(move |path, stream| {
        let times = {
            let mut asked = asked.lock().unwrap();
            let n = asked.entry(path.to_owned()).or_default();
            *n += 1;
            *n
        };
        answer(path, times, stream);
    })
}

fn answer(path: &str, times: usize, stream: &mut TcpStream) {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let parts: Vec<&str> = place.trim_matches('/').split('/').collect();
    let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec();
    let bytes = match parts[..] {
        ["robots.txt"] => response("Content-Type: text/plain", b"User-agent: *\nDisallow: /private/\n"),
        [language @ ("news" | "zh")] => page(&list(language, number(query, "page").unwrap_or(1), times)),
        ["news" | "zh", "gone"] => missing,
        ["news", "hangs"] => {
            thread::sleep(Duration::from_secs(5));
            return;
        }
        [language @ ("news" | "zh"), name] => match name.strip_prefix("story-").and_then(|n| n.parse().ok()) {
            Some(n) if n < ARTICLES => match failure(language, n, times) {
                Some(failure) => failure,
                None => page(&article(language, n)),
            },
            _ => missing,
        },
        ["old", n] => redirect(301, &format!("/news/story-{n}")),
        ["private", n] => page(&article("news", n.parse().unwrap_or(0))),
        ["calendar", year, month] => page(&calendar(year.parse().unwrap_or(2024), month.parse().unwrap_or(1))),
        _ => missing,
    };
    let _ = stream.write_all(&bytes);
}

fn number(query: &str, name: &str) -> Option<usize> {
    query.split('&').find_map(|p| p.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

fn failure(language: &str, n: usize, times: usize) -> Option<Vec<u8>> {
    if language == "news" && SLOW.contains(&n) {
        thread::sleep(Duration::from_millis(300));
    }
    if language == "zh" && n == BUSY && times == 1 {
        return Some(b"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n".to_vec());
    }
    (FAILS_TWICE.contains(&n) && times <= 2).then(|| b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".to_vec())
}

/// Returns a different sentence for each number.
fn sentence(language: &str, seed: usize) -> String {
    let pick = |words: &[&str], salt: usize| {
        let hash = (seed * 2_654_435_761 + salt * 40_503) >> 7;
        words[hash % words.len()].to_owned()
    };
    if language == "zh" {
        let who = ["市政府", "当地居民", "研究人员", "消防部门", "图书馆", "学校", "渔民", "博物馆"];
        let what = [
            "宣布了新的计划",
            "讨论了桥梁的修缮",
            "记录了河水的变化",
            "举办了秋季展览",
            "修改了渡轮的时刻表",
            "种下了一千棵树",
        ];
        let when = ["在星期一上午", "经过三个月的准备", "在大雨之后", "根据最新的报告", "在广场上"];
        return format!("{},{}{},编号为{seed}。", pick(&when, 1), pick(&who, 2), pick(&what, 3));
    }
    let who =
        ["The council", "A group of neighbours", "The ferry company", "Two teachers", "The museum", "The fire brigade"];
    let what = [
        "announced a plan for the old bridge",
        "counted the herons along the river",
        "opened the winter rooms",
        "changed the timetable once more",
        "planted a thousand trees",
        "closed the northern harbour",
    ];
    let when = ["on Monday morning", "after three months of talks", "before the storm came in", "as it had promised"];
    format!("{} {} {}, and note {seed} of the minutes says why.", pick(&who, 1), pick(&what, 2), pick(&when, 3))
}

fn title(language: &str, n: usize) -> String {
    match language {
        "zh" => format!(
            "{}第{n}号新闻",
            ["桥梁修缮计划公布", "河边的白鹭", "渡轮时刻表调整", "冬季展览开幕", "千棵树苗种下"][n % 5]
        ),
        _ => format!(
            "{}, report {n}",
            [
                "The bridge will be mended",
                "Herons are back at the river",
                "The ferry sails later",
                "The museum opens its winter rooms",
                "A thousand trees for the hill"
            ][n % 5]
        ),
    }
}

fn frame(language: &str, title: &str, head: &str, main: &str) -> String {
    let (home, about, lang) = match language {
        "zh" => ("首页", "关于我们", "zh"),
        _ => ("Home", "About us", "en"),
    };
    format!(
        "<!DOCTYPE html><html lang={lang}><head><meta charset=utf-8><title>{title} | The Ferry Post</title>{head}</head><body>\
         <nav><ul><li><a href='/{language}/'>{home}</a></li><li><a href='/about'>{about}</a></li></ul></nav>{main}\
         <aside><table class=calendar><caption><a href='/calendar/2024/5/'>May 2024</a></caption><tr><td><a href='/calendar/2024/5/'>1</a>\
         <td><a href='/calendar/2024/6/'>2</a></table></aside><footer><a href='/imprint'>Imprint</a></footer></body></html>"
    )
}

fn article(language: &str, n: usize) -> String {
    let paragraphs: String = (0..5)
        .map(|p| {
            format!("<p>{}</p>", (0..3).map(|s| sentence(language, n * 100 + p * 10 + s) + " ").collect::<String>())
        })
        .collect();
    let heading = title(language, n);
    let head = format!("<link rel=canonical href='/{language}/story-{n}'><meta property='og:type' content='article'>");
    let main = format!(
        "<main><article><h1>{heading}</h1><p class=byline>By <a rel=author href='/staff'>Jo Field</a>, <time datetime='2024-05-{:02}'>\
         </time></p>{paragraphs}</article></main>",
        n % 28 + 1
    );
    frame(language, &heading, &head, &main)
}

/// Returns a page of a list. After the last page, the list continues for ever with the last page's entries. Links carry session
/// ids and tracking parameters.
fn list(language: &str, at: usize, times: usize) -> String {
    let last = ARTICLES / PER_PAGE;
    let shown = at.clamp(1, last);
    let first = (shown - 1) * PER_PAGE;
    let mut entries: Vec<(String, String)> = (first..first + PER_PAGE)
        .map(|n| {
            let url = match n % 5 {
                0 => format!("/{language}/story-{n}?sid=9f{times}e{n}"),
                1 => format!("/{language}/story-{n}?utm_source=list&amp;utm_medium=web#top"),
                2 => format!("/{language}/story-{n}?visit={times}{at}"),
                3 if language == "news" => format!("/old/{n}"),
                _ => format!("/{language}/story-{n}"),
            };
            (url, title(language, n))
        })
        .collect();
    if shown == 2 {
        entries.push((format!("/{language}/gone"), title(language, 101)));
        entries.push((format!("/{language}/story-3"), title(language, 3)));
        entries.push((format!("/private/{}", 7), title(language, 102)));
    }
    if shown == 3 && language == "news" {
        entries.push(("/news/hangs".into(), title(language, 103)));
    }
    let entries: String = entries
        .iter()
        .enumerate()
        .map(|(i, (url, title))| {
            let summary = sentence(language, at * 1000 + i);
            format!("<article class=teaser><h2><a href='{url}'>{title}</a></h2><time>2024-05-{:02}</time><p>{summary}</p></article>", i + 1)
        })
        .collect();
    let next = if language == "zh" { "下一页" } else { "Next page" };
    let pages: String = (1..=last).map(|p| format!("<a href='?page={p}'>{p}</a> ")).collect();
    let main = format!(
        "<main><h1>News</h1><section class=list>{entries}</section><p class=pagination>{pages} <a href='?page={}'>{next}</a></p></main>",
        at + 1
    );
    frame(language, if language == "zh" { "新闻" } else { "News" }, "", &main)
}

/// Returns a month of an endless calendar, with a link to the next month.
fn calendar(year: usize, month: usize) -> String {
    let (next_year, next_month) = if month >= 12 { (year + 1, 1) } else { (year, month + 1) };
    let days: String = (1..29).map(|d| format!("<td><a href='/calendar/{year}/{month}/?day={d}'>{d}</a>")).collect();
    let main = format!(
        "<main><h1>{month}/{year}</h1><table><tr>{days}</table><a rel=next href='/calendar/{next_year}/{next_month}/'>Next month</a></main>"
    );
    frame("news", "Calendar", "", &main)
}

const QUICK: [&str; 10] =
    ["--delay", "0.001", "--backoff", "0.05", "--timeout", "1", "--retries", "2", "--per-host", "4"];

fn arguments(server: &Server, out: &str) -> Vec<String> {
    let mut args: Vec<String> = ["crawl", &server.url("/news/"), &server.url("/zh/"), "-o", out].map(Into::into).into();
    args.extend(QUICK.map(String::from));
    args.extend(["--concurrency".into(), "3".into()]);
    args
}

fn crawl(args: &[String]) -> Run {
    command(&args.iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap().into()
}

fn start(args: &[String]) -> Child {
    let mut command = command(&args.iter().map(String::as_str).collect::<Vec<_>>());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn records(out: &str) -> Vec<Value> {
    let text = fs::read_to_string(out).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the sorted paths of the pages below /news/ and /zh/, and marks failed pages.
fn names(records: &[Value], server: &Server) -> Vec<String> {
    let path = |r: &Value| r["url"].as_str().unwrap().replacen(&server.url(""), "", 1);
    let name = |r: &Value| match r["error"].as_str() {
        Some(_) => format!("{} failed", path(r)),
        None => path(r),
    };
    let mut names: Vec<String> = records.iter().map(name).collect();
    names.sort();
    // The crawler may mistake a link in the menu for an entry, which costs one page.
    let others = names.iter().filter(|n| !n.starts_with("/news/") && !n.starts_with("/zh/")).count();
    assert!(others <= 2, "{names:?}");
    names.retain(|n| n.starts_with("/news/") || n.starts_with("/zh/"));
    names
}

fn expected() -> Vec<String> {
    let mut names: Vec<String> =
        ["news", "zh"].iter().flat_map(|l| (0..ARTICLES).map(move |n| format!("/{l}/story-{n}"))).collect();
    names.extend(["/news/gone failed", "/zh/gone failed", "/news/hangs failed"].map(String::from));
    names.sort();
    names
}

#[track_caller]
fn check_requests(server: &Server) {
    let requests = server.requests();
    let paths: Vec<&str> = requests.iter().filter_map(|r| r.split(' ').nth(1)).collect();
    assert!(!paths.iter().any(|p| p.starts_with("/private")), "robots.txt disallows /private/");
    let calendar = paths.iter().filter(|p| p.starts_with("/calendar")).count();
    assert!(calendar <= 40, "{calendar} calendar pages");
    let beyond = paths.iter().filter(|p| number(p, "/news/?page").is_some_and(|n| n > 3)).count();
    assert!(beyond <= 2 * 4, "{beyond} pages after the end of the list");
    assert!(requests.iter().all(|r| r.to_ascii_lowercase().contains("user-agent: maintext/")));
}

#[test]
fn a_site_is_crawled_completely_and_once() {
    let (server, folder) = (site(), Folder::new("crawl"));
    let out = folder.path("pages.jsonl");
    let run = crawl(&arguments(&server, &out));
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains("60 pages written"), "{run:?}");
    assert!(run.stderr.contains("failed: 2 HTTP status 4") && run.stderr.contains("(first: http://"), "{run:?}");
    let found = records(&out);
    assert_eq!(names(&found, &server), expected());
    let texts: BTreeSet<&str> = found.iter().filter_map(|r| r["text"].as_str()).collect();
    assert_eq!(texts.len(), 2 * ARTICLES);
    let one = found.iter().find(|r| r["url"] == server.url("/zh/story-7")).unwrap();
    assert_eq!((one["title"].as_str(), one["date"].as_str()), (Some(title("zh", 7).as_str()), Some("2024-05-08")));
    assert!(one["text"].as_str().unwrap().contains(&sentence("zh", 712)) && one["markdown"].is_string());
    check_requests(&server);
    repeat_without_new_pages(&server, &out);
}

#[test]
fn a_crawl_from_an_article_does_not_follow_its_menu() {
    let (server, folder) = (site(), Folder::new("crawl-article"));
    let out = folder.path("pages.jsonl");
    let args = ["crawl", &server.url("/news/story-3"), "-o", &out].map(String::from);
    let run = crawl(&args.into_iter().chain(QUICK.iter().map(|s| s.to_string())).collect::<Vec<_>>());
    assert!(run.status == Some(0) && run.stderr.contains("no starting point is a list page"), "{run:?}");
    assert_eq!(records(&out).len(), 1);
}

/// A past bug: a page that was probably a list, but had no entries, was followed and not written; another one had entries, and was lost as well.
#[test]
fn an_article_that_looks_like_a_list_is_written() {
    const PAGES: [&str; 6] = [
        "news-ru-1251.html",
        "small/link-paragraphs.html",
        "news/story-0",
        "news/story-1",
        "news/story-5",
        "news/story-6",
    ];
    let server = Server::start(|path, stream| {
        let path = path.trim_start_matches('/');
        if path.is_empty() {
            let entry = |(n, name): (usize, &&str)| {
                let (title, text) = (title("news", n), sentence("news", n));
                format!("<article class=teaser><h2><a href='/{name}'>{title}</a></h2><p>{text}</p></article>")
            };
            let entries: String = PAGES.iter().enumerate().map(entry).collect();
            let list = frame("news", "News", "", &format!("<main><h1>News</h1><section>{entries}</section></main>"));
            let _ = stream.write_all(&page(&list));
        } else if PAGES.contains(&path) && path.ends_with(".html") {
            let _ = stream.write_all(&response("Content-Type: text/html", &example(path)));
        } else {
            answer(&format!("/{path}"), 3, stream);
        }
    });
    let folder = Folder::new("crawl-articles");
    let out = folder.path("pages.jsonl");
    let mut args: Vec<String> = ["crawl", &server.url("/"), "-o", &out].map(String::from).into();
    args.extend(QUICK.map(String::from));
    let run = crawl(&args);
    assert_eq!(run.status, Some(0), "{run:?}");
    let found = records(&out);
    for words in ["Верхнеозёрске", "lime avenue"] {
        let has = |row: &Value| row["text"].as_str().is_some_and(|text| text.contains(words));
        assert_eq!(found.iter().filter(|row| has(row)).count(), 1, "{words}: {run:?}");
    }
}

/// Runs the same command again, which must not request completed pages.
fn repeat_without_new_pages(server: &Server, out: &str) {
    let (before, text) = (server.requests().len(), fs::read_to_string(out).unwrap());
    let run = crawl(&arguments(server, out));
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stderr.contains(" holds 60 pages, 3 failed; the crawl is complete, and --recrawl looks"), "{run:?}");
    assert_eq!(fs::read_to_string(out).unwrap(), text);
    assert!(server.requests().len() - before <= 1, "{:?}", &server.requests()[before..]);
}

#[test]
fn a_killed_crawl_resumes_without_loss_or_repeats() {
    let (server, folder) = (site(), Folder::new("crawl-killed"));
    let out = folder.path("pages.jsonl");
    let args = arguments(&server, &out);
    for lines in [6, 22, 40] {
        let mut child = start(&args);
        wait_for_lines(Path::new(&out), lines, &mut child);
        // SIGKILL leaves the process no chance to clean up.
        child.kill().unwrap();
        child.wait().unwrap();
        // Simulates a last line that was written in part.
        let mut file = fs::OpenOptions::new().append(true).open(&out).unwrap();
        file.write_all(b"{\"url\": \"http://half").unwrap();
    }
    let run = crawl(&args);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(names(&records(&out), &server), expected());
    check_requests(&server);
}

fn wait_for_lines(out: &Path, lines: usize, child: &mut Child) {
    let begin = Instant::now();
    while fs::read(out).map_or(0, |b| b.iter().filter(|c| **c == b'\n').count()) < lines {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        assert!(begin.elapsed() < Duration::from_secs(60), "{lines} lines were not written");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a site whose pages can be reached only through a feed and sitemaps. Pages have ETags; page `changed` has a new text.
fn indexed(changed: &'static AtomicUsize) -> Server {
    Server::start_with_requests(move |request, stream| {
        let path = request.split(' ').nth(1).unwrap_or("");
        let xml = |body: String| response("Content-Type: application/xml", body.as_bytes());
        let host = request.lines().find_map(|l| l.strip_prefix("Host: ").or(l.strip_prefix("host: "))).unwrap_or("");
        let address = |p: &str| format!("http://{}{p}", host.trim());
        let bytes = match path {
            "/robots.txt" => {
                let text = format!("User-agent: *\nDisallow:\nSitemap: {}\n", address("/sitemaps.xml"));
                response("Content-Type: text/plain", text.as_bytes())
            }
            "/feed.xml" => xml(format!(
                "<rss version='2.0'><channel><item><link>{}</link></item><item><link>/news/story-2</link></item></channel></rss>",
                address("/news/story-1?utm_source=rss")
            )),
            "/sitemaps.xml" => {
                xml(format!("<sitemapindex><sitemap><loc>{}</loc></sitemap></sitemapindex>", address("/s.xml.gz")))
            }
            "/s.xml.gz" => {
                let urls: String =
                    (2..6).map(|n| format!("<url><loc>{}</loc></url>", address(&format!("/news/story-{n}")))).collect();
                response("Content-Type: application/gzip", &gzip(format!("<urlset>{urls}</urlset>").as_bytes()))
            }
            _ => match path.strip_prefix("/news/story-").and_then(|n| n.parse::<usize>().ok()) {
                Some(n) => validated(n, changed.load(Ordering::SeqCst), request),
                None => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
            },
        };
        let _ = stream.write_all(&bytes);
    })
}

fn validated(n: usize, changed: usize, request: &str) -> Vec<u8> {
    let version = if n == changed { 100 } else { 0 };
    let tag = format!("\"{n}-{version}\"");
    if request.contains(&tag) {
        return b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec();
    }
    let html = article("news", n).replace("the minutes", if version > 0 { "the new minutes" } else { "the minutes" });
    response(&format!("Content-Type: text/html; charset=utf-8\r\nETag: {tag}"), html.as_bytes())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

static CHANGED: AtomicUsize = AtomicUsize::new(usize::MAX);

#[test]
fn feeds_and_sitemaps_are_starting_points_and_a_recrawl_writes_changed_pages() {
    let (server, folder) = (indexed(&CHANGED), Folder::new("crawl-feed"));
    let out = folder.path("pages.jsonl");
    let args = |more: &[&str]| -> Vec<String> {
        let start = ["crawl", &server.url("/feed.xml"), "-o", &out].map(String::from);
        start.into_iter().chain(QUICK.iter().chain(more).map(|s| s.to_string())).collect()
    };
    let stories = |ns: &[usize]| ns.iter().map(|n| format!("/news/story-{n}")).collect::<Vec<_>>();
    assert_eq!(crawl(&args(&[])).status, Some(0));
    assert_eq!(names(&records(&out), &server), stories(&[1, 2]));
    // The feed is in the state, so it is not fetched again; the next run finds the sitemaps in robots.txt.
    assert_eq!(crawl(&args(&["--discover"])).status, Some(0));
    assert_eq!(names(&records(&out), &server), stories(&[1, 2]));
    let run = crawl(&args(&["--discover", "--recrawl"]));
    assert_eq!(names(&records(&out), &server), stories(&[1, 2, 3, 4, 5]), "{run:?}");
    CHANGED.store(3, Ordering::SeqCst);
    let run = crawl(&args(&["--recrawl", "--changes"]));
    assert!(run.stderr.contains("1 page written") && run.stderr.contains("4 unchanged"), "{run:?}");
    assert!(run.stderr.contains("pages: 1 changed, 0 new, 0 failed; in "), "{run:?}");
    let changes = records(&format!("{out}.changes.jsonl"));
    assert_eq!(
        (changes.len(), &changes[0]["page"], &changes[0]["edited"]),
        (1, &"changed".into(), &5.into()),
        "{changes:?}"
    );
    assert!(changes[0]["changes"][0]["text"].as_str().unwrap().contains("the new minutes"), "{changes:?}");
    assert!(changes[0]["changes"][0]["before"].as_str().unwrap().contains("the minutes"), "{changes:?}");
    let found = records(&out);
    assert_eq!(names(&found, &server), stories(&[1, 2, 3, 3, 4, 5]));
    assert!(found[5]["text"].as_str().unwrap().contains("the new minutes"));
}

#[test]
fn max_pages_limits_a_run_and_a_larger_value_continues_it() {
    let (server, folder) = (site(), Folder::new("crawl-max"));
    let out = folder.path("pages.jsonl");
    let run = |n: &str| {
        let mut args = arguments(&server, &out);
        args.extend(["--max-pages".into(), n.into()]);
        crawl(&args)
    };
    assert_eq!(run("3").status, Some(0));
    assert_eq!(records(&out).len(), 3);
    assert_eq!(run("5").status, Some(0));
    let found = names(&records(&out), &server);
    assert_eq!((found.len(), found.iter().collect::<BTreeSet<_>>().len()), (5, 5));
}

#[test]
fn a_server_with_an_unreadable_robots_txt_is_not_crawled() {
    let server = Server::constant(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".to_vec());
    let folder = Folder::new("crawl-rules");
    let run = crawl(&arguments(&server, &folder.path("pages.jsonl")));
    assert!(run.status == Some(1) && run.stderr.contains("failed: 2 robots.txt not readable"), "{run:?}");
    let found = records(&folder.path("pages.jsonl"));
    assert!(
        found.len() == 2 && found[0]["error"].as_str().unwrap().contains("robots.txt could not be read"),
        "{found:?}"
    );
    assert!(server.requests().iter().all(|r| r.starts_with("GET /robots.txt")));
}

#[test]
fn a_crawl_that_found_nothing_says_what_to_do() {
    let folder = Folder::new("crawl-nothing");
    let out = folder.path("down.jsonl");
    for args in [&["--all", "--depth", "1"][..], &[]] {
        let start = ["crawl", "http://127.0.0.1:1/", "--retries", "0", "-o", &out];
        let run = crawl(&start.iter().chain(args).map(|arg| arg.to_string()).collect::<Vec<_>>());
        assert!(run.status == Some(1) && run.stderr.contains("--retry-failed tries again"), "{run:?}");
        assert!(!run.stderr.contains("earlier run"), "{run:?}");
        fs::remove_file(&out).unwrap();
        fs::remove_file(folder.path("down.jsonl.crawl")).unwrap();
    }
    let html = "<title>A walk</title><h1>A walk</h1><p>We left early, and the road was empty until the hills.</p>";
    let server = Server::start(move |path, stream| {
        let answer = if path == "/a" { page(html) } else { b"HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n".to_vec() };
        stream.write_all(&answer).unwrap();
    });
    let run = crawl(&["crawl", &server.url("/a"), "-o", &folder.path("a.jsonl")].map(String::from));
    assert!(run.status == Some(1) && run.stderr.contains("--all follows"), "{run:?}");
}

#[test]
fn a_forbidden_start_is_a_failure() {
    let (server, folder) = (site(), Folder::new("crawl-forbidden"));
    let run = crawl(&["crawl", &server.url("/private/7"), "-o", &folder.path("x.jsonl")].map(String::from));
    assert!(run.status == Some(1) && run.stderr.contains("forbidden by robots.txt"), "{run:?}");
}

#[test]
fn an_invalid_start_or_output_is_reported() {
    let folder = Folder::new("crawl-wrong");
    let out = folder.path("x.jsonl");
    let run = crawl(&["crawl", "example.org/news", "-o", &out].map(String::from));
    assert!(run.status == Some(2) && run.stderr.contains("write it in full"), "{run:?}");
    let table = folder.path("x.csv");
    let run = crawl(&["crawl", "http://127.0.0.1:1/", "-o", &table].map(String::from));
    assert!(run.status == Some(2) && run.stderr.contains("x.csv: the name does not determine a format"), "{run:?}");
    let other = folder.write("other.jsonl", "mine\n");
    let run = crawl(&["crawl", "http://127.0.0.1:1/", "-o", &other].map(String::from));
    assert!(run.status == Some(1) && run.stderr.contains("choose another name"), "{run:?}");
    assert_eq!(folder.read("other.jsonl"), "mine\n");
}
