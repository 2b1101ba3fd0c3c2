//! Sites that offer Markdown: by negotiation, by a declared version, by llms.txt. Their preferences, and their demands for payment.
use crate::command::server::{Server, page, redirect, response};
use crate::command::{Folder, article, maintext};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

const MARKDOWN: &str = "Content-Type: text/markdown; charset=utf-8\nVary: Accept";

const QUICK: [&str; 8] = ["--delay", "0", "--backoff", "0.05", "--timeout", "5", "--retries", "1"];

fn header<'r>(request: &'r str, name: &str) -> &'r str {
    let of = |line: &'r str| line.split_once(':').filter(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim());
    request.lines().find_map(of).unwrap_or("")
}

fn path(request: &str) -> &str {
    request.split(' ').nth(1).unwrap_or("")
}

fn status(line: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {line}\r\n{headers}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Serves `/walk` in both forms by negotiation, and pages that declare Markdown versions of several kinds.
fn site() -> Server {
    Server::start_with_requests(|request, stream| {
        let wants_markdown = header(request, "accept").starts_with("text/markdown");
        let declaring = |href: &str| {
            let link = format!("<link rel=alternate type=text/markdown href='{href}'></head>");
            page(&article("herons in HTML").replace("</head>", &link))
        };
        let answer = match path(request) {
            "/walk" if wants_markdown => {
                response(MARKDOWN, b"# A walk\n\nWe saw *herons* in Markdown, [here](there).\n")
            }
            "/plain" if wants_markdown => response("Content-Type: text/plain", b"We saw herons in plain text.\n"),
            "/walk" | "/plain" => page(&article("herons in HTML")),
            "/docs/declared" => declaring("declared.md"),
            "/docs/declared.md" => {
                response("Content-Type: text/plain", b"# Declared\n\n- We saw **herons** in the version.\n")
            }
            "/header" => {
                let link =
                    "Content-Type: text/html\nLink: </docs/declared.md>; rel=\"alternate\"; type=\"text/markdown\"";
                response(link, article("herons in HTML").as_bytes())
            }
            "/soft" => declaring("/soft.md"),
            // An application that answers every address with its own page, whatever type it declares.
            "/soft.md" => {
                response("Content-Type: text/markdown", b"<!DOCTYPE html><title>App</title><p>Not found, sorry.")
            }
            "/foreign" => declaring("http://other.example/a.md"),
            "/away" => declaring("/away.md"),
            "/away.md" => redirect(302, "http://127.0.0.2:9/a.md"),
            "/missing" => declaring("/gone.md"),
            "/hollow" => declaring("/hollow.md"),
            "/hollow.md" => response(MARKDOWN, b"\n\n"),
            _ => status("404 Not Found", "Content-Type: text/markdown", "# Not found\n\nThere is no herons page.\n"),
        };
        let _ = stream.write_all(&answer);
    })
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn text_and_markdown_are_read_from_markdown() {
    let server = site();
    let url = server.url("/walk");
    let markdown = maintext(&["extract", "-f", "markdown", &url]).good();
    assert_eq!(markdown, format!("# A walk\n\nWe saw *herons* in Markdown, [here]({}).\n", server.url("/there")));
    assert_eq!(maintext(&["extract", &url]).good(), "A walk\nWe saw herons in Markdown, here.\n");
    assert_eq!(maintext(&["extract", &server.url("/plain")]).good(), "We saw herons in plain text.\n");
    let asked: Vec<bool> = server.requests().iter().map(|r| header(r, "accept").starts_with("text/markdown")).collect();
    assert_eq!(asked, [true, true, true]);
}

#[test]
fn other_outputs_and_flags_are_read_from_html() {
    let server = site();
    let url = server.url("/walk");
    for flags in [
        &["-f", "json"][..],
        &["-f", "html"],
        &["-f", "xml"],
        &["-f", "markdown", "--with-metadata"],
        &["--representation", "html"],
        &["--content-selector", "article"],
        &["--favor", "recall"],
        &["--method", "text-density"],
        &["--follow"],
        &["--header", "Accept: text/html"],
    ] {
        let text = maintext(&[&["extract", &url], flags].concat()).good();
        assert!(text.contains("herons in HTML"), "{flags:?}: {text}");
    }
    assert!(server.requests().iter().all(|r| !header(r, "accept").contains("markdown")));
    let page = json(&maintext(&["extract", "-f", "json", &url]).good());
    assert_eq!((&page["representation"], &page["final_url"]), (&"text/html".into(), &url.as_str().into()));
    let page = json(&maintext(&["extract", "-f", "json", "--representation", "markdown", &url]).good());
    assert_eq!((&page["representation"], &page["title"]), (&"text/markdown".into(), &"A walk".into()));
}

#[test]
fn a_declared_version_is_read_when_asked() {
    let server = site();
    for path in ["/docs/declared", "/header"] {
        let url = server.url(path);
        assert!(maintext(&["extract", &url]).good().contains("herons in HTML"));
        let page = json(&maintext(&["extract", "-f", "json", "--representation", "markdown", &url]).good());
        assert_eq!(page["representation"], "text/markdown", "{path}");
        assert_eq!((&page["final_url"], &page["title"]), (&server.url("/docs/declared.md").into(), &"Declared".into()));
        assert!(page["markdown"].as_str().unwrap().contains("- We saw **herons** in the version."));
        let declared = json(&maintext(&["extract", "-f", "json", &url]).good());
        assert_eq!(declared["markdown_url"], server.url("/docs/declared.md"));
    }
}

#[test]
fn what_is_no_markdown_version_is_not_taken_for_one() {
    let server = site();
    for (path, why) in [
        ("/soft", Some("is text/html, not Markdown")),
        ("/missing", Some("HTTP status 404")),
        ("/away", Some("no connection")),
        ("/hollow", Some("is empty")),
        ("/foreign", None),
    ] {
        let run =
            maintext(&["extract", "-f", "json", "--representation", "markdown", "--timeout", "5", &server.url(path)]);
        let page = json(&run.good());
        assert_eq!(page["representation"], "text/html", "{path}");
        assert!(page["text"].as_str().unwrap().contains("herons in HTML"), "{path}");
        let warning = page["warnings"].as_array().unwrap().iter().find(|w| w["code"] == "markdown_failed");
        let message = warning.map(|w| w["message"].as_str().unwrap());
        assert_eq!(message.is_some(), why.is_some(), "{path}: {message:?}");
        assert!(why.is_none_or(|why| message.unwrap().contains(why)), "{path}: {message:?}");
    }
    // An error is one in any form.
    for representation in ["auto", "markdown", "html"] {
        let run = maintext(&["extract", "--representation", representation, &server.url("/nothing")]);
        assert!(run.failure().contains("HTTP status 404"));
    }
}

#[test]
fn contradictions_are_errors() {
    let contradiction =
        maintext(&["extract", "--representation", "markdown", "--content-selector", "p", "http://127.0.0.1:9/"]);
    assert_eq!(contradiction.status, Some(2));
    assert!(contradiction.stderr.contains("--content-selector has an effect on HTML only"), "{}", contradiction.stderr);
    let file = maintext(&["extract", "--representation", "html", "-"]);
    assert_eq!((file.status, file.stderr.contains("needs an address")), (Some(2), true));
    let crawl =
        maintext(&["crawl", "http://127.0.0.1:9/", "-o", "/nonexistent/a.jsonl", "--obey-preferences", "training"]);
    assert_eq!(crawl.status, Some(2));
    assert!(crawl.stderr.contains("the uses are search, ai-input and ai-train"), "{}", crawl.stderr);
}

#[test]
fn payment_is_an_error_with_its_terms() {
    let server = Server::start(|_, stream| {
        let headers = "crawler-price: USD 0.02\r\nLink: </rsl.xml>; rel=\"license\"";
        let _ = stream.write_all(&status("402 Payment Required", headers, "<p>Pay us."));
    });
    let message = maintext(&["extract", &server.url("/a")]).failure();
    assert!(
        message.contains("payment required, but maintext never pays (price: USD 0.02; licence: http://"),
        "{message}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn preferences_of_headers_and_of_the_page_are_reported() {
    let html = article("herons").replace("<head>", "<head><meta name=robots content='noimageai'>");
    let headers =
        "Content-Type: text/html\nContent-Usage: train-ai=n\nX-Robots-Tag: otherbot: noai\nContent-Signal: search=yes";
    let server = Server::constant(response(headers, html.as_bytes()));
    let page = json(&maintext(&["extract", "-f", "json", &server.url("/a")]).good());
    let found = &page["preferences"];
    let uses = ["search", "ai_input", "ai_train", "ai_train_images"].map(|name| found[name].as_bool());
    assert_eq!(uses, [Some(true), None, Some(false), Some(false)]);
    assert_eq!(found["statements"].as_array().unwrap().len(), 3, "{found}");
    let plain = Server::constant(page_of("herons"));
    assert!(json(&maintext(&["extract", "-f", "json", &plain.url("/a")]).good()).get("preferences").is_none());
}

fn page_of(mark: &str) -> Vec<u8> {
    page(&article(mark))
}

/// Serves a site with an llms.txt that names a page in Markdown and one in HTML.
fn llms(robots: &'static str) -> Server {
    Server::start_with_requests(move |request, stream| {
        let wants_markdown = header(request, "accept").starts_with("text/markdown");
        let answer = match path(request) {
            "/robots.txt" => response("Content-Type: text/plain", robots.as_bytes()),
            "/llms.txt" => {
                let text = "# Birds\n\n> A site about birds.\n\n## Pages\n\n- [Herons](/herons.md): tall\n- [Owls](/owls)\n- [Other](http://other.example/)\n- [Secret](/private/a)\n";
                response("Content-Type: text/plain", text.as_bytes())
            }
            "/" => page(&article("the front").replace("href=\"c\"", "href=\"/linked\"")),
            "/herons.md" => response(MARKDOWN, b"# Herons\n\nHerons stand still for hours. [Geese](/geese) do not.\n"),
            "/owls" if wants_markdown => response(MARKDOWN, b"# Owls\n\nOwls hunt in the dark, in Markdown.\n"),
            "/owls" => page_of("owls"),
            "/geese" => response("Content-Type: text/html\nX-Robots-Tag: noai", article("geese").as_bytes()),
            "/linked" => page_of("links"),
            "/named" => page_of("names"),
            _ => status("404 Not Found", "Content-Type: text/html", "<p>No."),
        };
        let _ = stream.write_all(&answer);
    })
}

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

#[test]
fn a_map_lists_the_pages_of_llms_txt() {
    let server = llms(ROBOTS);
    let out = maintext(&["map", "--json", "--delay", "0", &server.url("/")]).output();
    let found: BTreeMap<String, (String, Value)> = out
        .lines()
        .map(json)
        .map(|l| {
            let url = l["url"].as_str().unwrap().replace(&server.url(""), "");
            (url, (l["source"].as_str().unwrap().to_owned(), l["title"].clone()))
        })
        .collect();
    let source = |path: &str| found.get(path).map(|f| f.0.as_str());
    assert_eq!(
        (source("/"), source("/herons.md"), source("/owls")),
        (Some("start"), Some("llms"), Some("llms")),
        "{found:?}"
    );
    assert_eq!(found["/owls"].1, "Owls");
    assert_eq!((source("/linked"), source("/llms.txt"), found.len()), (Some("link"), None, 5), "{found:?}");
    assert!(!found.keys().any(|url| url.contains("other.example") || url.contains("/private/")));
    let asked: Vec<String> = server.requests().iter().map(|r| path(r).to_owned()).collect();
    assert!(!asked.contains(&"/owls".to_owned()), "{asked:?}");
}

fn crawl(server: &Server, name: &str, flags: &[&str]) -> (BTreeMap<String, Value>, String) {
    let folder = Folder::new(name);
    let out = folder.path("out.jsonl");
    let run = maintext(&[&["crawl", "--all", &server.url("/"), "-o", &out], &QUICK[..], flags].concat());
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let rows = folder.read("out.jsonl");
    let key = |row: &Value| row["id"].as_str().unwrap().replace(&server.url(""), "");
    (rows.lines().map(json).map(|row| (key(&row), row)).collect(), run.stderr)
}

#[test]
fn a_crawl_reads_llms_txt_and_markdown() {
    let server = llms(ROBOTS);
    let (rows, _) = crawl(&server, "llms-html", &[]);
    let representation = |path: &str| rows.get(path).map(|row| row["representation"].as_str().unwrap());
    assert_eq!(representation("/herons.md"), Some("text/markdown"));
    assert_eq!((representation("/owls"), representation("/geese")), (Some("text/html"), Some("text/html")));
    assert_eq!(rows["/herons.md"]["text"], "Herons\nHerons stand still for hours. Geese do not.\n");
    assert_eq!(rows["/geese"]["preferences"]["ai_train"], false);
    assert!(!rows.contains_key("/private/a") && !rows.contains_key("/llms.txt"), "{:?}", rows.keys());
    let asked = server.requests();
    assert!(asked.iter().all(|r| !header(r, "accept").contains("markdown")));
    assert!(asked.iter().all(|r| path(r) != "/private/a"));

    let server = llms(ROBOTS);
    let (rows, _) = crawl(&server, "llms-markdown", &["--representation", "markdown"]);
    assert_eq!(rows["/owls"]["representation"], "text/markdown");
    assert!(rows["/owls"]["text"].as_str().unwrap().contains("in Markdown"));
    let markdown = |r: &&String| header(r, "accept").starts_with("text/markdown");
    let asked = server.requests();
    assert!(asked.iter().filter(markdown).all(|r| !path(r).contains("robots") && !path(r).contains("sitemap")));
    let pages = ["/", "/b", "/c", "/geese", "/herons.md", "/linked", "/owls"];
    let mut found: Vec<&str> = asked.iter().filter(markdown).map(|r| path(r)).collect();
    found.sort_unstable();
    assert_eq!(found, pages);
}

#[test]
fn a_crawl_obeys_preferences() {
    let robots = "User-agent: *\nDisallow: /private/\nContent-Signal: search=yes, ai-input=yes\nContent-Usage: /owls train-ai=n\n";
    let server = llms(robots);
    let (rows, said) = crawl(&server, "obeying", &["--obey-preferences", "ai-train"]);
    // /owls is not even requested; the header of /geese comes with the page.
    assert!(
        rows.contains_key("/herons.md") && !rows.contains_key("/owls") && !rows.contains_key("/geese"),
        "{:?}",
        rows.keys()
    );
    let asked: Vec<String> = server.requests().iter().map(|r| path(r).to_owned()).collect();
    assert!(!asked.contains(&"/owls".to_owned()) && asked.contains(&"/geese".to_owned()), "{asked:?}");
    assert!(said.contains("skipped: 2 forbidden by a preference: ai-train"), "{said}");
    assert_eq!(rows["/herons.md"]["preferences"]["search"], true);
    assert_eq!(rows["/herons.md"]["preferences"]["statements"][0]["in"], "robots.txt");

    let (rows, said) = crawl(&llms(robots), "not-obeying", &["--obey-preferences", "search,ai-input"]);
    assert_eq!(rows["/owls"]["preferences"]["ai_train"], false);
    assert!(rows.contains_key("/geese") && !said.contains("preference"), "{said}");
}

#[test]
fn a_crawl_fails_where_payment_is_required() {
    let server = Server::start(|path, stream| {
        let answer = match path {
            "/" => page(&article("the front").replace("href=\"c\"", "href=\"/paid\"")),
            "/paid" => status("402 Payment Required", "crawler-price: USD 1", ""),
            _ => status("404 Not Found", "Content-Type: text/plain", ""),
        };
        let _ = stream.write_all(&answer);
    });
    let (rows, said) = crawl(&server, "paid", &[]);
    assert!(rows["/paid"]["error"].as_str().unwrap().contains("price: USD 1"), "{rows:?}");
    assert!(said.contains("1 payment required"), "{said}");
    assert_eq!(server.requests().iter().filter(|r| path(r) == "/paid").count(), 1);
}

#[test]
fn inputs_of_a_busy_server_wait() {
    let start = Instant::now();
    let server = Server::start(move |path, stream| {
        let answer = match path {
            "/busy" => status("503 Busy", "Retry-After: 1", ""),
            _ => page_of("herons"),
        };
        let _ = stream.write_all(&answer);
    });
    let run = maintext(&["extract", &server.url("/busy"), &server.url("/next")]);
    assert!(start.elapsed() > Duration::from_millis(900));
    assert_eq!(run.status, Some(1));
    assert!(run.stdout.contains("herons") && run.stderr.contains("asks to wait 1 s"), "{run:?}");
    assert!(run.stderr.contains("/next: waiting 1 s, as the server asked"), "{run:?}");
}

#[test]
fn a_crawl_does_not_wait_for_ever_for_a_robots_txt() {
    for wait in ["86400", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let server = Server::start(move |_, stream| {
            let _ = stream.write_all(&status("503 Busy", &format!("Retry-After: {wait}"), ""));
        });
        let (folder, start) = (Folder::new(&format!("patience-{}", wait.len())), Instant::now());
        let out = folder.path("out.jsonl");
        let run = maintext(&[&["crawl", "--all", &server.url("/"), "-o", &out], &QUICK[..]].concat());
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(start.elapsed() < Duration::from_secs(30) && server.requests().len() == 1);
        assert!(folder.read("out.jsonl").contains("asks to wait 86400 s"));
    }
}

#[test]
fn a_crawl_of_lists_obeys_preferences_too() {
    let server = Server::start(|path, stream| {
        let answer = match path {
            "/robots.txt" => response("Content-Type: text/plain", b"User-agent: *\nContent-Usage: /c train-ai=n\n"),
            "/feed" => {
                let items: String =
                    ["/a", "/b", "/c"].map(|p| format!("<item><title>{p}</title><link>{p}</link></item>")).concat();
                response(
                    "Content-Type: application/rss+xml",
                    format!("<rss><channel>{items}</channel></rss>").as_bytes(),
                )
            }
            "/b" => response("Content-Type: text/html\nX-Robots-Tag: noai", article("geese").as_bytes()),
            _ => page_of(path),
        };
        let _ = stream.write_all(&answer);
    });
    let folder = Folder::new("lists-obeying");
    let out = folder.path("out.jsonl");
    let start = server.url("/feed");
    let run = maintext(&[&["crawl", &start, "-o", &out, "--obey-preferences", "ai-train"], &QUICK[..]].concat());
    assert!(run.status == Some(0) && run.stderr.contains("1 page written"), "{run:?}");
    assert!(run.stderr.contains("2 left out by --obey-preferences"), "{run:?}");
    assert!(server.requests().iter().all(|r| path(r) != "/c"));
    assert!(folder.read("out.jsonl").contains("speaks of /a"));
}
