//! `--follow-pages` and `--follow`: articles over several pages, and pages whose content is at another address.
use crate::command::server::Server;
use crate::command::{Folder, Run, maintext};
use serde_json::Value;
use std::io::Write;

/// Serves pages; a body of "" is a missing page.
fn site(page: impl Fn(&str) -> String + Send + Sync + 'static) -> Server {
    Server::start(move |path, stream| {
        let body = page(path);
        let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        // The client may have closed the connection.
        let _ = stream.write_all((head + &body).as_bytes());
    })
}

/// Returns part `n` of an article, with links below it.
fn part(n: u32, links: &str) -> String {
    titled("The long way to the harbour", n, links)
}

fn titled(title: &str, n: u32, links: &str) -> String {
    format!(
        "<html><head><title>{title} - The Gazette</title><meta name=author content='Jane Field'></head><body><nav><a href=/>Home</a></nav>\
         <article><h1>{title}</h1><p>Passage number{n} tells how the travellers left the road, and why none of them looked back at the hills.\
         </p><p>They walked on until the evening, past the mill and the old bridge, and counted{n} the lights on the water below.</p>\
         </article><div class=pages>{links}</div></body></html>"
    )
}

/// Returns the numbers of the passages in a text, in order.
fn passages(text: &str) -> Vec<u32> {
    let numbers = text.split("Passage number").skip(1);
    numbers.map(|rest| rest.split(' ').next().unwrap().parse().unwrap()).collect()
}

fn numbered(from: u32, to: u32) -> String {
    let link = |n: u32| if n == 1 { "<a href=/walk>1</a> ".to_owned() } else { format!("<a href=/walk/{n}>{n}</a> ") };
    (from..=to).map(link).collect()
}

/// Returns the number in an address `/walk/N`; the address without a number is part 1.
fn number(path: &str) -> Option<u32> {
    match path.strip_prefix("/walk")? {
        "" => Some(1),
        rest => rest.strip_prefix('/')?.parse().ok(),
    }
}

fn extract(site: &Server, flags: &[&str], path: &str) -> Run {
    let url = site.url(path);
    let mut args = vec!["extract"];
    args.extend(flags);
    args.push(&url);
    maintext(&args)
}

/// Returns the page as JSON, with the codes of its warnings.
fn json(site: &Server, flags: &[&str], path: &str) -> (Value, Vec<String>) {
    let flags = [&["-f", "json"], flags].concat();
    let page: Value = serde_json::from_str(&extract(site, &flags, path).good()).unwrap();
    let codes = page["warnings"].as_array().unwrap().iter().map(|w| w["code"].as_str().unwrap().to_owned()).collect();
    (page, codes)
}

#[test]
fn parts_are_joined_in_order_with_the_metadata_of_the_first() {
    // The links are in the wrong order.
    let site = site(|path| {
        number(path).filter(|n| *n <= 3).map(|n| part(n, &(numbered(3, 3) + &numbered(1, 2)))).unwrap_or_default()
    });
    assert_eq!(passages(&extract(&site, &[], "/walk").good()), [1]);
    let (page, codes) = json(&site, &["--follow-pages", "10"], "/walk");
    assert_eq!((passages(page["text"].as_str().unwrap()), codes), (vec![1, 2, 3], vec![]));
    assert_eq!(page["text"].as_str().unwrap().matches("The long way to the harbour").count(), 1, "{page}");
    assert_eq!(
        (page["title"].as_str(), page["author"].as_str()),
        (Some("The long way to the harbour"), Some("Jane Field"))
    );
    for format in ["text", "markdown", "html", "xml", "blocks"] {
        assert_eq!(
            passages(&extract(&site, &["--follow-pages", "10", "-f", format], "/walk").good()),
            [1, 2, 3],
            "{format}"
        );
    }
    // Without the flag the JSON names the parts.
    assert_eq!(json(&site, &[], "/walk").0["parts"]["next"]["url"], site.url("/walk/2"));
}

#[test]
fn a_missing_part_is_a_warning_and_the_rest_is_joined() {
    let site =
        site(|path| number(path).filter(|n| *n <= 4 && *n != 3).map(|n| part(n, &numbered(1, 4))).unwrap_or_default());
    let run = extract(&site, &["--follow-pages", "10"], "/walk");
    assert_eq!((run.status, passages(&run.stdout)), (Some(0), vec![1, 2, 4]));
    assert!(run.stderr.contains("warning: part 3") && run.stderr.contains("is missing: HTTP status 404"), "{run:?}");
    assert_eq!(json(&site, &["--follow-pages", "10"], "/walk").1, ["missing_part"]);
}

#[test]
fn the_number_of_parts_is_bounded_and_loops_end() {
    let endless = site(|path| {
        number(path).map(|n| part(n, &format!("<a rel=next href=/walk/{}>Next</a>", n + 1))).unwrap_or_default()
    });
    let (page, codes) = json(&endless, &["--follow-pages", "7"], "/walk");
    assert_eq!(
        (passages(page["text"].as_str().unwrap()), codes),
        ((1..=8).collect(), vec!["limit_reached".to_owned()])
    );
    assert_eq!(endless.requests().len(), 8);
    let thousand =
        site(|path| number(path).filter(|n| *n <= 1000).map(|n| part(n, &numbered(1, 1000))).unwrap_or_default());
    let (page, codes) = json(&thousand, &["--follow-pages", "12"], "/walk");
    assert_eq!((passages(page["text"].as_str().unwrap()).len(), codes), (13, vec!["limit_reached".to_owned()]));
    // Part 3 leads back to part 2.
    let round = site(|path| {
        let link = |n: u32| if n == 3 { 2 } else { n + 1 };
        number(path).map(|n| part(n, &format!("<a href=/walk/{}>{}</a>", link(n), link(n)))).unwrap_or_default()
    });
    assert_eq!(passages(&extract(&round, &["--follow-pages", "50"], "/walk").good()), [1, 2, 3]);
    assert_eq!(round.requests().len(), 3);
    assert_eq!(extract(&round, &["--follow-pages", "0"], "/walk").status, Some(2));
}

#[test]
fn the_next_article_is_never_followed() {
    let next = |link: &'static str| {
        site(move |path| match path {
            "/news/12" => titled("The mill is sold", 1, link),
            _ => titled("A bridge for the town", 2, link),
        })
    };
    for link in
        ["<a rel=next href=/news/13>Next</a>", "<a href=/news/13>Next article</a>", "<a rel=next href=/bridge>Next</a>"]
    {
        let site = next(link);
        assert_eq!(passages(&extract(&site, &["--follow-pages", "10"], "/news/12").good()), [1], "{link}");
        assert_eq!(site.requests().len(), 1, "{link}");
    }
    // What looks like a part is not joined if it has another title.
    let site = site(|path| match path {
        "/walk" => titled("The mill is sold", 1, "<a href=/walk/2>2</a>"),
        _ => titled("A bridge for the town", 2, ""),
    });
    let run = extract(&site, &["--follow-pages", "10"], "/walk");
    assert_eq!(passages(&run.stdout), [1]);
    assert!(run.stderr.contains("it has another title, 'A bridge for the town'"), "{run:?}");
}

#[test]
fn the_whole_article_on_one_page_is_preferred() {
    let site = site(|path| match (path, number(path)) {
        ("/walk/all", _) => {
            let (one, two) = (part(1, ""), part(2, ""));
            let second =
                two.split("<h1>The long way to the harbour</h1>").nth(1).unwrap().split("</article>").next().unwrap();
            one.replace("</article>", &format!("{second}</article>"))
        }
        (_, Some(n)) => part(n, "<a href=/walk>1</a> <a href=/walk/2>2</a> <a href=/walk/all>Show all</a>"),
        _ => String::new(),
    });
    assert_eq!(passages(&extract(&site, &["--follow-pages", "10"], "/walk").good()), [1, 2]);
    assert_eq!(site.requests().len(), 2);
}

#[test]
fn frames_refreshes_and_hints_say_where_the_content_is() {
    let site = site(|path| match path {
        "/frames" => {
            "<frameset cols='20%,*'><frame name=nav src=/menu><frame name=main src=/walk></frameset>".to_owned()
        }
        "/menu" => "<ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul>".to_owned(),
        "/refresh" => "<meta http-equiv=refresh content='0; url=/hop'><p>One moment".to_owned(),
        "/hop" => "<meta http-equiv=refresh content='0; url=/frames'>".to_owned(),
        "/hint" => "<head><link rel=canonical href=/walk></head><p>A teaser of a few words.".to_owned(),
        "/round" => "<meta http-equiv=refresh content='0; url=/round2'><p>Round".to_owned(),
        "/round2" => "<meta http-equiv=refresh content='0; url=/round'><p>And round".to_owned(),
        "/gone" => "<meta http-equiv=refresh content='0; url=/nowhere'><p>Gone".to_owned(),
        "/inside" => "<meta http-equiv=refresh content='0; url=http://127.0.0.2:9/secret'><p>Inside".to_owned(),
        "/walk" => part(1, ""),
        long if long.starts_with("/chain") => {
            let n: u32 = long[6..].parse().unwrap();
            format!("<meta http-equiv=refresh content='0; url=/chain{}'>", n + 1)
        }
        _ => String::new(),
    });
    for path in ["/frames", "/refresh", "/hint"] {
        let (page, codes) = json(&site, &[], path);
        assert!(codes.contains(&"content_elsewhere".to_owned()) && page["elsewhere"][0].is_string(), "{path}: {page}");
        let run = extract(&site, &["--follow"], path);
        assert_eq!((passages(&run.stdout), run.stderr.as_str()), (vec![1], ""), "{path}");
    }
    assert_eq!(json(&site, &[], "/frames").0["elsewhere"], serde_json::json!([site.url("/walk"), site.url("/menu")]));
    assert!(extract(&site, &[], "/frames").stderr.contains(&site.url("/walk")));
    // Circles and chains end; failures are reported.
    assert_eq!(extract(&site, &["--follow"], "/round").status, Some(0));
    let before = site.requests().len();
    assert!(extract(&site, &["--follow"], "/chain1").stderr.contains("more than 5 addresses"));
    assert_eq!(site.requests().len() - before, 6);
    assert!(extract(&site, &["--follow"], "/gone").stderr.contains("could not be followed"));
    // A page of one server may not name addresses inside the network.
    let inside = extract(&site, &["--follow"], "/inside");
    assert!(inside.stderr.contains("could not be followed") && inside.stderr.contains("not"), "{inside:?}");
}

#[test]
fn following_needs_an_address() {
    let folder = Folder::new("follow");
    let file = folder.write("a.html", part(1, ""));
    let run = maintext(&["extract", "--follow-pages", "3", &file]);
    assert!(run.status == Some(2) && run.stderr.contains("need an address"), "{run:?}");
}
