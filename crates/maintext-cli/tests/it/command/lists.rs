//! `maintext list` and `maintext classify`.
use super::{example, maintext, maintext_on};

const URL: &str = "https://example.org/category/news";

fn page() -> String {
    let entry = |i: usize| {
        format!(
            "<article><h2><a href='/news/story-{i}?utm_source=list'>What happened on day {i} of the year</a></h2>\
             <p>It was seen by many, told by more, and is written down here at last in one long sentence.</p></article>"
        )
    };
    let entries: String = (1..9).map(entry).collect();
    let menu = "<nav><a href=/>Home</a> <a href=/about>About</a> <a href=/contact>Contact</a></nav>";
    let pages =
        "<p class=pagination><b>1</b> <a href='?page=2'>2</a> <a href='?page=3'>3</a> <a href='?page=2'>Next</a></p>";
    format!("<title>News</title><body>{menu}<main>{entries}</main>{pages}</body>")
}

#[test]
fn list_writes_entries_and_pagination_as_json() {
    let run = maintext_on(page().as_bytes(), &["list", "--url", URL, "-f", "json", "--strip-tracking"]);
    let json: serde_json::Value = serde_json::from_str(&run.good()).unwrap();
    let entries = json["groups"][0]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 8);
    assert_eq!(entries[2]["url"], "https://example.org/news/story-3");
    assert_eq!(entries[2]["href"], "/news/story-3?utm_source=list");
    assert!(entries[2]["summary"].as_str().unwrap().starts_with("It was seen"));
    assert_eq!(json["pagination"]["next"]["url"], "https://example.org/category/news?page=2");
}

#[test]
fn list_writes_lines_tables_and_feeds() {
    let page = page();
    let of = |format: &str| maintext_on(page.as_bytes(), &["list", "--url", URL, "--strip-tracking", "-f", format]);
    let lines = of("jsonl").good();
    let entries: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((entries.len(), &entries[7]["position"]), (8, &8.into()));
    let csv = of("csv").good();
    assert!(
        csv.starts_with(
            "group,position,title,url,date,author,price,image,summary,category,rating,place,replies\n1,1,What happened on day 1"
        ),
        "{csv}"
    );
    assert!(csv.contains(",\"It was seen by many, told by more"), "{csv}");
    let feed = of("rss").good();
    assert_eq!(feed, of("rss").good());
    assert!(
        feed.contains("<title>News</title>") && feed.contains("<guid>https://example.org/news/story-3</guid>"),
        "{feed}"
    );
    // The command reads its own feed.
    let again = maintext_on(feed.as_bytes(), &["list", "-f", "json"]).good();
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    let urls: Vec<&serde_json::Value> =
        again["groups"][0]["entries"].as_array().unwrap().iter().map(|entry| &entry["url"]).collect();
    assert_eq!(urls, entries.iter().map(|entry| &entry["url"]).collect::<Vec<_>>());
    let without = maintext_on(page.as_bytes(), &["list", "-f", "rss"]);
    assert!(without.status == Some(1) && without.stderr.contains("--url"), "{without:?}");
}

#[test]
fn list_writes_a_table_for_people() {
    let table = maintext_on(page().as_bytes(), &["list", "--url", URL]).good();
    assert!(table.starts_with("Group 1 of "), "{table}");
    assert!(table.contains("Next: https://example.org/category/news?page=2"), "{table}");
    let empty = maintext_on(b"<p>nothing", &["list"]);
    assert_eq!((empty.status, empty.stdout.as_str()), (Some(0), ""));
    assert!(empty.stderr.contains("no list of entries"), "{empty:?}");
    assert!(!maintext_on(page().as_bytes(), &["list", "--url", URL]).stderr.contains("not a list"));
    let article = maintext_on(&example("news-en.html"), &["list"]);
    assert!(article.stderr.contains("probably not a list page"), "{article:?}");
}

#[test]
fn classify_gives_probabilities() {
    let json = maintext_on(page().as_bytes(), &["classify", "--url", URL]).good();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sum: f64 = json["probabilities"].as_object().unwrap().values().filter_map(|p| p.as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{json}");
    assert!(json["list"].as_f64().is_some() && json["page_type"].is_string());
}

/// The layout tables of a Russian newspaper of 2005 are most probably a listing, but have no entries.
#[test]
fn classify_knows_the_examples() {
    for (name, kind, list) in [
        ("docs-code-tables", "documentation", false),
        ("forum-thread", "forum", false),
        ("list", "listing", true),
        ("news-en", "article", false),
        ("news-ru-1251", "article", false),
        ("news-zh-gbk", "article", false),
        ("product", "product", false),
    ] {
        let json = maintext_on(&example(&format!("{name}.html")), &["classify"]).good();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (json["page_type"].as_str(), json["list"].as_f64().map(|l| l > 0.5)),
            (Some(kind), Some(list)),
            "{name}"
        );
    }
}

#[test]
fn unreadable_pages_are_reported() {
    for command in ["list", "classify"] {
        assert!(maintext(&[command, "no-such-page.html"]).failure().contains("no-such-page.html"));
    }
}

#[test]
fn classify_by_the_published_method_separates_lists_from_details() {
    let json = maintext_on(page().as_bytes(), &["classify", "--classifier", "svm"]).good();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let sum: f64 = json["probabilities"].as_object().unwrap().values().filter_map(|p| p.as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-3 && json["probabilities"]["list"] == json["list"], "{json}");
}

#[test]
fn files_other_than_html_are_rejected_as_by_extract() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let refused = maintext_on(png, &["extract"]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("a PNG image, not a page"), "{refused:?}");
    for args in
        [&["list"][..], &["classify"], &["classify", "--classifier", "svm"], &["inspect"], &["inspect", "--metadata"]]
    {
        let run = maintext_on(png, args);
        assert_eq!((run.status, run.stderr, run.stdout.as_str()), (Some(1), refused.stderr.clone(), ""), "{args:?}");
    }
}

#[test]
fn an_invalid_address_is_invalid_usage() {
    for args in [&["list"][..], &["classify"], &["inspect", "--metadata"]] {
        let run = maintext_on(b"<p>a", &[args, &["--url", "example.org/x"]].concat());
        assert_eq!(run.status, Some(2), "{args:?}");
        assert!(run.stderr.contains("absolute address"), "{run:?}");
        let both = maintext(&[args, &["--url", URL, "http://127.0.0.1:9/"]].concat());
        assert_eq!(both.status, Some(2), "{args:?}");
    }
}

#[test]
fn empty_pages_and_invalid_bytes_give_warnings() {
    let warnings = |html: &[u8], args: &[&str]| -> Vec<String> {
        let json: serde_json::Value = serde_json::from_str(&maintext_on(html, args).good()).unwrap();
        let of = |w: &serde_json::Value| w["code"].as_str().unwrap().to_owned();
        json["warnings"].as_array().unwrap().iter().map(of).collect()
    };
    let broken = b"<meta charset=utf-8><p>The mill was sold \xff\xfe to a baker \xc3, who keeps geese.";
    for args in [&["classify"][..], &["classify", "--classifier", "svm"], &["list", "-f", "json"]] {
        assert_eq!(warnings(b"<title>Empty</title><p>", args), ["no_content"], "{args:?}");
        assert_eq!(warnings(broken, args), warnings(broken, &["extract", "-f", "json"]), "{args:?}");
        assert!(warnings(page().as_bytes(), args).is_empty(), "{args:?}");
    }
    let shell = format!("<body><div id=app></div><script>{}</script>", "var a = 'b';".repeat(1500));
    assert_eq!(warnings(shell.as_bytes(), &["classify"]), ["no_content", "needs_rendering"]);
    for args in [&["list"][..], &["inspect"]] {
        let run = maintext_on(b"<title>Empty</title><p>", args);
        assert_eq!(run.status, Some(0));
        assert!(run.stderr.contains("warning: the page has no text"), "{run:?}");
    }
}

#[test]
fn a_page_in_xml_syntax_is_parsed_as_by_extract() {
    // In HTML syntax, the script element would contain the rest of the page.
    let xml = "<meta name='a'/><meta name='b'/><link href='c'/><script src='d'/>".to_owned() + &page();
    assert!(maintext_on(xml.as_bytes(), &["extract"]).good().contains("seen by many"));
    let list = maintext_on(xml.as_bytes(), &["list", "--url", URL]).good();
    assert!(list.contains("https://example.org/news/story-3"), "{list}");
    assert!(maintext_on(xml.as_bytes(), &["inspect"]).good().contains("day 3 of the year"));
    let classes = |html: &str| maintext_on(html.as_bytes(), &["classify", "--url", URL]).good();
    assert_eq!(classes(&xml), classes(&xml.replace("<script src='d'/>", "<script src='d'></script>")));
}

/// As in `maintext classify page.html | head -c 0`.
#[test]
fn a_closed_pipe_is_not_a_failure() {
    use std::process::{Command, Stdio};
    for command in ["list", "classify"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_maintext"))
            .args([command, "--url", URL])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), page().as_bytes()).unwrap();
        let run = child.wait_with_output().unwrap();
        assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    }
}
