//! `maintext crawl --all` and `maintext map` against a small site on the loopback interface.
use crate::command::batch::tree;
use crate::command::server::{Server, page, redirect, response};
use crate::command::{Folder, Run, article, command};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, thread};

/// Pages that the front page links to. Sitemaps name the first ten and /only-in-the-map; the feed names /only-in-the-feed.
const PAGES: usize = 20;

fn site() -> Server {
    Server::start_with_requests(answer)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn answer(request: &str, stream: &mut TcpStream) {
    let path = request.split(' ').nth(1).unwrap_or("");
    let host = request.lines().find_map(|l| l.strip_prefix("Host: ").or(l.strip_prefix("host: "))).unwrap_or("");
    let at = |p: &str| format!("http://{}{p}", host.trim());
    let xml = |text: String| response("Content-Type: application/xml", text.as_bytes());
    let urls = |from: usize, to: usize| -> String {
        let url = |n| format!("<url><loc>{}</loc><lastmod>2024-05-{n:02}</lastmod></url>", at(&format!("/notes/{n}")));
        (from..to).map(url).collect()
    };
    let place = path.split('?').next().unwrap_or("");
    let parts: Vec<&str> = place.trim_matches('/').split('/').collect();
    let bytes = match parts[..] {
        ["robots.txt"] => {
            let text = format!("User-agent: *\nDisallow: /private/\nSitemap: {}\n", at("/sitemaps.xml"));
            response("Content-Type: text/plain", text.as_bytes())
        }
        ["sitemaps.xml"] => {
            let parts = ["/one.xml.gz", "/two.txt"].map(|p| format!("<sitemap><loc>{}</loc></sitemap>", at(p)));
            xml(format!("<sitemapindex>{}</sitemapindex>", parts.concat()))
        }
        ["one.xml.gz"] => {
            response("Content-Type: application/gzip", &gzip(&format!("<urlset>{}</urlset>", urls(1, 6))))
        }
        ["two.txt"] => {
            let lines: String = (6..11).map(|n| at(&format!("/notes/{n}\n"))).collect();
            response("Content-Type: text/plain", format!("{lines}{}\n", at("/only-in-the-map")).as_bytes())
        }
        ["feed.json"] => response(
            "Content-Type: application/feed+json",
            br#"{"version": "https://jsonfeed.org/version/1.1",
                "items": [{"id": "1", "url": "/only-in-the-feed", "title": "In the feed"}]}"#,
        ),
        [""] | ["index.html"] => page(&front()),
        ["old", n] => redirect(301, &format!("/notes/{n}")),
        ["away"] => redirect(302, "http://other.example/notes/1"),
        ["loop", "a"] => redirect(302, "/loop/b"),
        ["loop", "b"] => redirect(302, "/loop/a"),
        ["data"] => response("Content-Type: image/png", b"\x89PNG\r\n\x1a\n\0\0"),
        ["calendar", year, month] => page(&calendar(year.parse().unwrap_or(2024), month.parse().unwrap_or(1))),
        ["slow"] => {
            thread::sleep(Duration::from_millis(700));
            page(&article("slowness"))
        }
        ["only-in-the-map" | "only-in-the-feed" | "deep"] => page(&article(place)),
        ["private", _] => page(&article("secrets")),
        // Each note links to the next, the last one to a deeper page.
        ["notes", n] => match n.parse::<usize>() {
            Ok(n) if n <= PAGES => {
                let next = if n == PAGES { "/deep".to_owned() } else { format!("{}?ref={n}#part", n + 1) };
                let canonical = format!("<link rel=canonical href='/notes/{n}'></head>");
                let html = article(&format!("note {n} of {}", MONTHS[n % 12])).replace("</head>", &canonical);
                page(&html.replace("href=\"c\"", &format!("href=\"{next}\"")))
            }
            _ => missing(),
        },
        _ => missing(),
    };
    let _ = stream.write_all(&bytes);
}

fn missing() -> Vec<u8> {
    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec()
}

fn front() -> String {
    let mut links: Vec<String> = (1..=PAGES)
        .map(|n| match n % 4 {
            0 => format!("/notes/{n}?utm_source=front"),
            1 => format!("/notes/{n}#part"),
            2 => format!("/notes/{n}?PHPSESSID=9f{n}"),
            _ => format!("/notes/{n}?ref=front"),
        })
        .collect();
    links.extend(
        [
            "/index.html",
            "/old/3",
            "/old/4",
            "/away",
            "/loop/a",
            "/gone",
            "/private/1",
            "/data",
            "/paper.pdf",
            "/slow",
            "/calendar/2024/5",
        ]
        .map(String::from),
    );
    links.extend(
        ["http://other.example/notes/1", "https://sub.other.example/", "mailto:a@other.example"].map(String::from),
    );
    let links: String = links.iter().map(|l| format!("<li><a href='{l}'>{l}</a></li>")).collect();
    let feed = "<link rel=alternate type=application/feed+json href=/feed.json></head>";
    article("the front").replace("</head>", feed).replace("</nav>", &format!("<ul>{links}</ul></nav>"))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns a month of an endless calendar.
fn calendar(year: usize, month: usize) -> String {
    let (next_year, next) = if month >= 12 { (year + 1, 1) } else { (year, month + 1) };
    let name = MONTHS[(month - 1) % 12];
    format!(
        "<html><head><title>{name} {year}</title></head><body><main><h1>{name} {year}</h1><p>There are no events in {name} {year}.</p>\
         </main><a href='/calendar/{next_year}/{next}'>Next month</a></body></html>"
    )
}

const QUICK: [&str; 12] =
    ["--delay", "0", "--backoff", "0.05", "--timeout", "5", "--retries", "1", "--per-host", "3", "--concurrency", "3"];

fn run(args: &[&str]) -> Run {
    command(args).output().unwrap().into()
}

fn crawl(server: &Server, out: &str, more: &[&str]) -> Run {
    run(&[&["crawl", &server.url("/"), "--all", "-o", out], &QUICK[..], more].concat())
}

fn rows(path: impl AsRef<Path>) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the paths of the rows outside the calendar, sorted, and the number of those within.
fn paths(rows: &[Value], server: &Server) -> (Vec<String>, usize) {
    let home = server.url("");
    let path = |r: &Value| {
        let id = r["id"].as_str().unwrap();
        let path = id.strip_prefix(&home).unwrap_or_else(|| panic!("{id} is on another host"));
        let failed = if r["error"].is_string() { " failed" } else { "" };
        // A page may have been found by a variant of its address.
        format!("{}{failed}", path.replace("?ref=front", ""))
    };
    let mut paths: Vec<String> = rows.iter().map(path).collect();
    paths.sort();
    let all = paths.len();
    paths.retain(|p| !p.starts_with("/calendar"));
    let calendar = all - paths.len();
    (paths, calendar)
}

fn expected() -> Vec<String> {
    let mut paths: Vec<String> = (1..=PAGES).map(|n| format!("/notes/{n}")).collect();
    paths.extend(["/", "/only-in-the-map", "/only-in-the-feed", "/deep", "/slow"].map(String::from));
    paths.extend(["/b failed", "/c failed", "/gone failed", "/loop/b failed"].map(String::from));
    paths.sort();
    paths
}

#[test]
fn every_page_of_a_site_is_written_once() {
    let (server, folder) = (site(), Folder::new("site"));
    let out = folder.path("site.jsonl");
    let run = crawl(&server, &out, &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let (found, calendar) = paths(&rows(&out), &server);
    assert_eq!(found, expected(), "{run:?}");
    assert!((12..=40).contains(&calendar), "{calendar} pages of the calendar");
    let requests = server.requests();
    assert!(!requests.iter().any(|r| r.starts_with("GET /private") || r.starts_with("GET /paper.pdf")));
    for line in [
        "failed: 3 HTTP status 404 (first: ",
        "failed: 1 redirects (",
        "skipped: 2 on another host (first: ",
        "skipped: 1 redirects out of the site (",
        "skipped: 1 forbidden by robots.txt (",
        "skipped: 1 file type .pdf (",
        "skipped: 1 type image/png (",
        "skipped: 1 like many pages without new text (",
        &format!("{} kept in ", found.len() - 4 + calendar),
    ] {
        assert!(run.stderr.contains(line), "{line}: {}", run.stderr);
    }
    // The same command has nothing left to do.
    let text = fs::read(&out).unwrap();
    let before = server.requests().len();
    assert_eq!(crawl(&server, &out, &[]).status, Some(0));
    assert_eq!((fs::read(&out).unwrap(), server.requests().len()), (text.clone(), before));
    let run = crawl(&server, &out, &["--exclude", "/notes/"]);
    assert!(run.status == Some(1) && run.stderr.contains("--exclude was '', is now '/notes/'"), "{run:?}");
    let run = crawl(&server, &out, &["--no-links", "--method", "line-blocks"]);
    assert_eq!((run.status, fs::read(&out).unwrap()), (Some(1), text), "{run:?}");
    for change in ["links was 'true', is now 'false'", "method was 'learned', is now 'line-blocks'"] {
        assert!(run.stderr.contains(change), "{run:?}");
    }
}

#[test]
fn a_killed_crawl_of_a_site_gives_the_same_bytes() {
    let (server, folder) = (site(), Folder::new("site-killed"));
    let (whole, killed) = (folder.path("whole.jsonl"), folder.path("killed.jsonl"));
    assert_eq!(crawl(&server, &whole, &[]).status, Some(0));
    let start = server.url("/");
    for lines in [3, 12, 25] {
        let args = [&["crawl", &start, "--all", "-o", &killed], &QUICK[..]].concat();
        let mut child = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while fs::read(&killed).map_or(0, |b| b.iter().filter(|c| **c == b'\n').count()) < lines {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let run = crawl(&server, &killed, &[]);
    assert!(run.status == Some(0) && run.stderr.contains("kept by an earlier run"), "{run:?}");
    assert_eq!(fs::read_to_string(&whole).unwrap(), fs::read_to_string(&killed).unwrap());
}

#[test]
fn files_follow_the_paths_of_the_site_after_a_kill_too() {
    let (server, folder) = (site(), Folder::new("site-paths"));
    let (whole, killed) = (folder.path("whole/"), folder.path("killed/"));
    let no_calendar = ["--exclude", "/calendar/"];
    assert_eq!(crawl(&server, &whole, &no_calendar).status, Some(0));
    let (start, collected) = (server.url("/"), folder.path("killed.rows"));
    let args = [&["crawl", &start, "--all", "-o", &killed], &QUICK[..], &no_calendar].concat();
    let mut child = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while fs::read(&collected).map_or(0, |b| b.iter().filter(|c| **c == b'\n').count()) < 8 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for pages in ["10", "1000"] {
        let run = crawl(&server, &killed, &[&no_calendar[..], &["--max-pages", pages]].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    let files = tree(Path::new(&whole));
    assert_eq!(files, tree(Path::new(&killed)));
    let home = server.url("").replace("http://", "").replace(':', "+");
    let names: Vec<&str> = files.keys().map(|name| name.trim_start_matches('/')).collect();
    for file in ["index.md", "slow.md", "deep.md", "only-in-the-map.md", "notes/1.md", "notes/11@ref=front.md"] {
        let file = format!("{home}/{file}");
        assert!(names.contains(&&*file), "{file}: {names:?}");
    }
    let index = rows(folder.path("whole/index.jsonl"));
    let named = index.iter().filter_map(|r| r["file"].as_str()).count();
    assert_eq!(named + 1, names.len(), "{names:?}");
}

#[test]
fn max_pages_and_depth_bound_a_crawl() {
    let (server, folder) = (site(), Folder::new("site-bounds"));
    let (whole, parts) = (folder.path("whole.jsonl"), folder.path("parts.jsonl"));
    let no_calendar = ["--exclude", "/calendar/"];
    assert_eq!(crawl(&server, &whole, &no_calendar).status, Some(0));
    let run = crawl(&server, &parts, &["--exclude", "/calendar/", "--max-pages", "7"]);
    assert!(run.stderr.contains("addresses left by --max-pages"), "{run:?}");
    assert_eq!(rows(&parts).iter().filter(|r| r["error"].is_null()).count(), 7);
    assert_eq!(crawl(&server, &parts, &no_calendar).status, Some(0));
    assert_eq!(fs::read_to_string(&whole).unwrap(), fs::read_to_string(&parts).unwrap());
    let shallow = folder.path("shallow.jsonl");
    let run = crawl(&server, &shallow, &["--depth", "1", "--exclude", "/calendar/"]);
    assert!(run.stderr.contains("deeper than --depth (first: "), "{run:?}");
    let without_deep: Vec<String> = expected().into_iter().filter(|p| p != "/deep").collect();
    assert_eq!(paths(&rows(&shallow), &server).0, without_deep);
    let timed = folder.path("timed.jsonl");
    let start = server.url("/");
    let run = crate::command::maintext(&[
        "crawl",
        &start,
        "--all",
        "-o",
        &timed,
        "--max-time",
        "0.4",
        "--delay",
        "0.1",
        "--include",
        "/notes/",
    ]);
    assert!(run.stderr.contains("addresses left by --max-time"), "{run:?}");
}

#[test]
fn patterns_and_the_path_of_the_start_choose_the_pages() {
    let (server, folder) = (site(), Folder::new("site-patterns"));
    let out = folder.path("a.jsonl");
    let run = crawl(&server, &out, &["--include", "re:/notes/\\d$", "--include", "/slow", "--exclude", "/notes/5"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let mut expected: Vec<String> = [1, 2, 3, 4, 6, 7, 8, 9].map(|n| format!("/notes/{n}")).into();
    expected.push("/slow".into());
    assert_eq!(paths(&rows(&out), &server).0, expected);
    let out = folder.path("b.jsonl");
    let start = server.url("/notes/");
    let run = run_at(&start, &out);
    // The starting point itself does not exist, but the sitemaps name pages below it.
    let notes: Vec<String> = (1..=PAGES).map(|n| format!("/notes/{n}")).collect();
    let found: Vec<String> =
        rows(&out).iter().map(|r| r["id"].as_str().unwrap().replace(&server.url(""), "")).collect();
    let found: Vec<&str> = found.iter().map(|p| p.split('?').next().unwrap()).filter(|p| *p != "/notes/").collect();
    assert_eq!(found.len(), PAGES, "{run:?} {found:?}");
    assert!(notes.iter().all(|n| found.contains(&n.as_str())), "{found:?}");
    assert!(run.stderr.contains("outside the path of the starting point"), "{run:?}");
    let run = crate::command::maintext(&["crawl", &server.url("/"), "-o", &out, "--include", "/a"]);
    assert!(run.status == Some(2) && run.stderr.contains("need --all"), "{run:?}");
    let run = crate::command::maintext(&["crawl", &server.url("/"), "--all", "-o", &out, "--include", "re:("]);
    assert!(run.status == Some(2) && run.stderr.contains("unclosed group"), "{run:?}");
}

fn run_at(start: &str, out: &str) -> Run {
    run(&[&["crawl", start, "--all", "-o", out], &QUICK[..]].concat())
}

#[test]
fn a_site_becomes_a_folder_or_a_table() {
    let (server, folder) = (site(), Folder::new("site-folder"));
    let (texts, table, packed) = (folder.path("texts/"), folder.path("site.parquet"), folder.path("site.jsonl.gz"));
    let first = crawl(&server, &texts, &["--exclude", "/calendar/", "--max-pages", "5"]);
    assert_eq!(first.status, Some(0), "{first:?}");
    let index = Path::new(&texts).join("index.jsonl");
    assert_eq!(rows(&index).iter().filter(|r| r["file"].is_string()).count(), 5);
    for out in [&texts, &table, &packed] {
        let run = crawl(&server, out, &["--exclude", "/calendar/"]);
        assert_eq!(run.status, Some(0), "{run:?}");
    }
    let found = rows(&index);
    assert_eq!(paths(&found, &server).0, expected());
    let front = found.iter().find(|r| r["id"] == server.url("/")).unwrap();
    let markdown = fs::read_to_string(Path::new(&texts).join(front["file"].as_str().unwrap())).unwrap();
    assert!(front["file"].as_str().unwrap().ends_with(".md") && markdown.contains("the front"), "{front}");
    assert!(front["text"].is_null() && front["error"].is_null());
    // Rows of a Parquet file are read by a batch.
    let mut unpacked = String::new();
    let bytes = fs::read(&packed).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut unpacked).unwrap();
    assert_eq!(unpacked.lines().count(), found.len());
    let bytes = fs::read(&table).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let again = folder.path("again.jsonl");
    let run = crate::command::maintext(&["batch", &table, "-o", &again, "--fields", "id", "--quiet"]);
    assert_eq!(rows(&again).len(), found.len(), "{run:?}");
    // A file from elsewhere is not replaced.
    let other = folder.write("other.parquet", "mine");
    let run = crawl(&server, &other, &[]);
    assert!(run.status == Some(1) && run.stderr.contains("choose another name"), "{run:?}");
    assert_eq!(folder.read("other.parquet"), "mine");
    let run = crawl(&server, &folder.path("other.txt"), &[]);
    assert!(run.status == Some(2) && run.stderr.contains("does not determine a format"), "{run:?}");
}

#[test]
fn a_map_lists_each_address_once_with_its_source() {
    let server = site();
    let out = run(&["map", &server.url("/"), "--json", "--delay", "0"]);
    assert_eq!(out.status, Some(0), "{out:?}");
    let listed: Vec<Value> = out.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let by_path: BTreeMap<String, &Value> =
        listed.iter().map(|v| (v["url"].as_str().unwrap().replace(&server.url(""), ""), v)).collect();
    assert_eq!(by_path.len(), listed.len(), "an address twice: {}", out.stdout);
    let source = |path: &str| by_path.get(path).map(|v| v["source"].as_str().unwrap());
    assert_eq!(source("/"), Some("start"));
    assert_eq!(by_path["/notes/2"]["lastmod"], "2024-05-02");
    assert_eq!(
        (source("/notes/2"), source("/notes/8"), source("/notes/20")),
        (Some("sitemap"), Some("sitemap"), Some("link"))
    );
    assert_eq!((source("/only-in-the-feed"), source("/only-in-the-map")), (Some("feed"), Some("sitemap")));
    assert_eq!(by_path["/only-in-the-feed"]["title"], "In the feed");
    assert_eq!(by_path["/"]["title"], "About the front");
    // Files, other hosts and pages that are two links away are left out.
    for path in ["/paper.pdf", "/index.html", "/deep", "http://other.example/notes/1"] {
        assert_eq!(source(path), None, "{path}");
    }
    assert!(server.requests().iter().filter(|r| r.starts_with("GET /notes/")).count() == 0);
    let plain = run(&["map", &server.url("/notes/"), "--delay", "0.001", "--exclude", "/notes/1*"]);
    let lines: Vec<String> = plain.stdout.lines().map(|l| l.replace(&server.url(""), "")).collect();
    assert_eq!(lines, (2..10).map(|n| format!("/notes/{n}")).collect::<Vec<_>>(), "{plain:?}");
    let deeper = run(&["map", &server.url("/"), "--delay", "0.001", "--depth", "2", "--exclude", "/calendar/"]);
    assert!(deeper.stdout.contains("/deep\n"), "{deeper:?}");
}

/// A past bug: each recrawl followed the calendar a few pages further.
#[test]
fn a_recrawl_does_not_open_a_trap_again() {
    let (server, folder) = (site(), Folder::new("site-trap"));
    let out = folder.path("site.jsonl");
    let calendar = |run: &Run| {
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(run.stderr.contains("skipped: 1 like many pages without new text ("), "{run:?}");
        paths(&rows(&out), &server).1
    };
    let first = calendar(&crawl(&server, &out, &["--include", "/calendar/*"]));
    for _ in 0..2 {
        assert_eq!(calendar(&crawl(&server, &out, &["--include", "/calendar/*", "--recrawl"])), first);
    }
}

#[test]
fn a_map_leaves_out_what_robots_txt_forbids() {
    let server = site();
    let map = run(&["map", &server.url("/"), "--delay", "0"]);
    assert!(!map.stdout.contains("/private/"), "{map:?}");
    assert!(map.stderr.contains("skipped: 1 forbidden by robots.txt ("), "{map:?}");
    let all = run(&["map", &server.url("/"), "--delay", "0", "--ignore-robots"]);
    assert!(all.stdout.contains("/private/1\n"), "{all:?}");
    // The rules of the second site are not known yet when the first one links to it.
    let second = Server::start(|path, stream| {
        let _ = stream.write_all(&match path {
            "/robots.txt" => {
                thread::sleep(Duration::from_millis(300));
                response("Content-Type: text/plain", b"User-agent: *\nDisallow: /private/\n")
            }
            "/" => page(&article("bitterns")),
            _ => missing(),
        });
    });
    let links = format!("<a href='{}'>Open</a><a href='{}'>Private</a>", second.url("/open"), second.url("/private/1"));
    let front = article("herons").replace("</nav>", &format!("{links}</nav>"));
    let first = Server::start(move |path, stream| {
        let _ = stream.write_all(&if path == "/" { page(&front) } else { missing() });
    });
    let map = run(&["map", &first.url("/"), &second.url("/"), "--delay", "0"]);
    assert!(map.stdout.contains(&second.url("/open\n")) && !map.stdout.contains("/private/"), "{map:?}");
    assert!(!second.requests().iter().any(|r| r.starts_with("GET /open") || r.starts_with("GET /private")));
}

#[test]
fn a_forbidden_site_gives_nothing_unless_robots_txt_is_ignored() {
    let server = Server::start(|path, stream| {
        let _ = stream.write_all(&match path {
            "/robots.txt" => response("Content-Type: text/plain", b"User-agent: *\nDisallow: /\nCrawl-delay: 60\n"),
            "/" => page(&article("herons").replace("href=\"c\"", "href=\"/b\"")),
            "/b" => page(&article("bitterns")),
            _ => missing(),
        });
    });
    let folder = Folder::new("site-forbidden");
    let run = crawl(&server, &folder.path("a.jsonl"), &[]);
    assert!(run.status == Some(1) && run.stderr.contains("forbidden by robots.txt"), "{run:?}");
    let run = crawl(&server, &folder.path("b.jsonl"), &["--ignore-robots"]);
    assert_eq!(
        (run.status, rows(folder.path("b.jsonl")).iter().filter(|r| r["error"].is_null()).count()),
        (Some(0), 2),
        "{run:?}"
    );
}

/// A past bug: each new parameter counted as a new form of address, so a page that links to itself with one more parameter was requested
/// endlessly.
#[test]
fn addresses_whose_query_grows_are_given_up() {
    let server = Server::start_with_requests(|request, stream| {
        let path = request.split(' ').nth(1).unwrap_or("");
        let bytes = match path.split('?').next().unwrap_or("") {
            "/robots.txt" => missing(),
            "/" => page(&article("alders").replace("href=\"c\"", "href=\"/self\"")),
            _ => {
                let query = path.split_once('?').map_or("", |(_, query)| query);
                let links: Vec<String> =
                    (1..4).map(|x| format!("<a href='/self?{query}&x={x}'>More {x}</a>")).collect();
                page(&article("birches").replace("</article>", &format!("{}</article>", links.join(" "))))
            }
        };
        let _ = stream.write_all(&bytes);
    });
    let folder = Folder::new("site-grows");
    let out = folder.path("site.jsonl");
    let run = crawl(&server, &out, &["--limit", "1000"]);
    let requests = server.requests().len();
    assert!(requests < 150, "{requests} requests: {run:?}");
}

/// A site whose links have a session in the path, which changes at every visit. `segment` writes it.
fn site_of_sessions(segment: fn(u64) -> String) -> Server {
    let visits = AtomicU64::new(0);
    Server::start_with_requests(move |request, stream| {
        let path = request.split(' ').nth(1).unwrap_or("");
        // A number of 64 bits that looks random.
        let visit = (visits.fetch_add(1, Ordering::Relaxed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let name = path.rsplit('/').next().unwrap_or("");
        let links: Vec<String> =
            (0..30).map(|n| format!("<li><a href='/{}/p{n}'>Page {n}</a></li>", segment(visit))).collect();
        let text = format!("page {} of {}", MONTHS[name.len() % 12], words_of(name));
        let bytes = match name {
            "robots.txt" | "sitemap.xml" | "sitemap_index.xml" | "sitemap.txt" | "llms.txt" => missing(),
            _ => page(&article(&text).replace("</nav>", &format!("<ul>{}</ul></nav>", links.concat()))),
        };
        let _ = stream.write_all(&bytes);
    })
}

/// Returns words instead of digits, so that pages differ in more than numbers.
fn words_of(name: &str) -> String {
    name.chars().map(|c| MONTHS[c as usize % 12]).collect::<Vec<_>>().join(" ")
}

/// A past bug: each visit made new addresses of the same pages, and only pages that were written counted.
#[test]
fn sessions_in_the_path_give_each_page_once() {
    let folder = Folder::new("site-sessions");
    let segments: [fn(u64) -> String; 2] = [|visit| format!("(S({visit:016x}))"), |visit| format!("s-{visit:016x}")];
    for (number, segment) in segments.into_iter().enumerate() {
        let server = site_of_sessions(segment);
        let out = folder.path(&format!("site-{number}.jsonl"));
        let run = crawl(&server, &out, &["--max-pages", "500"]);
        let rows = rows(&out);
        let ids = rows.iter().map(|row| row["id"].as_str().unwrap());
        let mut names: Vec<&str> = ids.map(|id| id.rsplit('/').next().unwrap()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        let numbered = names.iter().filter(|name| name.starts_with('p')).count();
        assert_eq!((all, numbered), (names.len(), 30), "{run:?}");
        let requests = server.requests().len();
        assert!(requests < 120, "{requests} requests: {run:?}");
    }
}

#[test]
fn a_crawl_ends_at_a_limit_of_requests_and_says_so() {
    let visits = AtomicU64::new(0);
    let server = Server::start_with_requests(move |request, stream| {
        let path = request.split(' ').nth(1).unwrap_or("");
        let visit = visits.fetch_add(1, Ordering::Relaxed);
        // Every address has the same text, and no two have the same form.
        let name =
            |n: u64| (0..10).map(|i| char::from(b'a' + ((visit * 3 + n) >> (2 * i) & 3) as u8)).collect::<String>();
        let links: String = (0..3).map(|n| format!("<a href='{}/'>More</a>", name(n))).collect();
        let bytes = match path {
            "/robots.txt" => missing(),
            _ => page(&article("alders").replace("</article>", &format!("{links}</article>"))),
        };
        let _ = stream.write_all(&bytes);
    });
    let folder = Folder::new("site-requests");
    let out = folder.path("site.jsonl");
    let run = crawl(&server, &out, &["--max-pages", "5"]);
    let requests = server.requests().len();
    assert!((150..190).contains(&requests), "{requests} requests: {run:?}");
    assert!(run.stderr.contains("left by the limit of 150 requests, which --max-pages raises"), "{run:?}");
}
