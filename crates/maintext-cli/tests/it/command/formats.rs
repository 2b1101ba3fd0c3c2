//! Files of every format through the command: text, exit status and message.
use crate::command::make::{brotli, gzip, warc, zip};
use crate::command::server::{Server, response};
use crate::command::{Folder, article, maintext, maintext_on};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

const LETTER: &str = "From: Jane Doe <jane@example.org>\nTo: john@example.org\nSubject: The ferry\n\
    Date: Fri, 17 May 2024 10:00:00 +0200\n\nIt leaves at nine.\n\nYours, Jane\n";

const FEED: &str = "<?xml version='1.0'?><rss version='2.0'><channel><title>The Pier</title><link>https://example.org/</link>\
    <item><title>One</title><link>/1</link><pubDate>Fri, 17 May 2024 23:30:00 +0900</pubDate><description>Wind.</description></item>\
    <item><title>Two</title><link>/2</link></item></channel></rss>";

#[test]
fn xhtml_with_a_prolog_and_empty_elements_is_read() {
    let page = "<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x.dtd'>\n\
        <html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='a.js'/></head>\
        <body><p>Two herons stood still.</p></body></html>";
    assert_eq!(maintext_on(page.as_bytes(), &["extract"]).good(), "Two herons stood still.\n");
}

#[test]
fn compressed_pages_are_read_from_files_and_standard_input() {
    let folder = Folder::new("formats-packed");
    let page = article("herons");
    let text = maintext_on(page.as_bytes(), &["extract"]).good();
    for (name, bytes) in [
        ("a.html.gz", gzip(page.as_bytes())),
        ("a.html.zst", zstd::encode_all(page.as_bytes(), 3).unwrap()),
        ("a.html.br", brotli(page.as_bytes())),
    ] {
        assert_eq!(maintext(&["extract", &folder.write(name, &bytes)]).good(), text, "{name}");
        if !name.ends_with("br") {
            assert_eq!(maintext_on(&bytes, &["extract"]).good(), text, "{name}");
        }
    }
    let bomb = gzip(&vec![b' '; 3 << 20]);
    let message = maintext(&["extract", "--max-size", "1M", &folder.write("bomb.html.gz", bomb)]).failure();
    assert!(message.contains("larger than 1048576 bytes after decompression; raise --max-size"), "{message}");
    let cut = &gzip(page.as_bytes())[..40];
    let message = maintext(&["extract", &folder.write("cut.html.gz", cut)]).failure();
    assert!(message.contains("cut.html.gz: the input is gzip-compressed data, but it is damaged"), "{message}");
}

#[test]
fn documents_of_one_part_are_read() {
    let folder = Folder::new("formats-one");
    for (name, content, text, title) in [
        ("a.txt", "The ferry leaves at nine.\n\nShare this.\n", "The ferry leaves at nine.\nShare this.\n", None),
        ("a.md", "# Ferry\n\nAt **nine**.\n\n- pier\n- bay\n", "Ferry\nAt nine.\n- pier\n- bay\n", Some("Ferry")),
        ("a.eml", LETTER, "It leaves at nine.\nYours, Jane\n", Some("The ferry")),
    ] {
        let page = json(&maintext(&["extract", "-f", "json", &folder.write(name, content)]).good());
        assert_eq!((page["text"].as_str(), page["title"].as_str()), (Some(text), title), "{name}");
    }
    let letter = json(&maintext_on(LETTER.as_bytes(), &["extract", "-f", "json"]).good());
    assert_eq!((&letter["author"], &letter["date"]), (&"Jane Doe".into(), &"2024-05-17T10:00:00+02:00".into()));
}

#[test]
fn archives_are_read() {
    let folder = Folder::new("formats-archives");
    let (one, two) = (article("alders"), article("birches"));
    let records = warc(&[("https://example.org/a", &one), ("https://example.org/b", &two)]);
    let packed = gzip(&records);
    let wacz = zip(&[("datapackage.json", b"{}"), ("archive/data.warc.gz", &packed)]);
    for (name, bytes) in [("a.warc", &records), ("a.warc.gz", &packed), ("a.wacz", &wacz)] {
        let path = folder.write(name, bytes);
        let lines = maintext(&["extract", "-f", "json", &path]).good();
        let urls: Vec<Value> = lines.lines().map(|line| json(line)["url"].clone()).collect();
        assert_eq!(urls, ["https://example.org/a", "https://example.org/b"], "{name}");
        let rows = maintext(&["batch", &path, "-o", "-", "--ordered"]);
        assert_eq!((rows.status, rows.stdout.lines().count()), (Some(0), 2), "{rows:?}");
        assert!(rows.stdout.contains("birches"));
    }
}

/// Past bugs: files after one with another compression were lost, and the missing end of a truncated feed was not reported.
#[test]
fn what_part_of_a_file_cannot_give_does_not_cost_the_rest() {
    let folder = Folder::new("formats-parts");
    let record = |name: &str| warc(&[(&format!("https://example.org/{name}"), &article(name))]);
    let mut damaged = gzip(&record("c"));
    let middle = damaged.len() / 2;
    damaged[middle] ^= 4;
    let files: [(&str, &[u8]); 4] = [
        ("archive/a.warc", &record("a")),
        ("archive/b.warc.gz", &gzip(&record("b"))),
        ("archive/c.warc.gz", &damaged),
        ("archive/d.warc", &record("d")),
    ];
    let run = maintext(&["batch", &folder.write("a.wacz", zip(&files)), "-o", "-", "--ordered"]);
    let rows: Vec<Value> = run.stdout.lines().map(json).collect();
    let urls: Vec<&str> = rows.iter().filter_map(|row| row["url"].as_str()).collect();
    assert_eq!((run.status, rows.len()), (Some(1), 4), "{run:?}");
    assert_eq!(urls, ["https://example.org/a", "https://example.org/b", "https://example.org/d"]);
    assert!(rows[2]["id"].is_null() && rows[2]["record"] == 3 && rows[2]["error"].is_string(), "{}", rows[2]);

    let cut = folder.write("cut.rss", &FEED[..FEED.len() - 60]);
    let run = maintext(&["batch", &cut, "-o", "-", "--ordered"]);
    let rows: Vec<Value> = run.stdout.lines().map(json).collect();
    let error = rows.last().unwrap()["error"].as_str().unwrap();
    assert!(run.status == Some(1) && error.contains("cut.rss: the feed is damaged or cut off"), "{run:?}");
    assert!(rows[..rows.len() - 1].iter().all(|row| row["error"].is_null()));
}

#[test]
fn feeds_and_sitemaps_are_lists() {
    let list = json(&maintext_on(FEED.as_bytes(), &["list", "-f", "json"]).good());
    let entry = &list["groups"][0]["entries"][0];
    assert_eq!((&entry["title"], &entry["url"]), (&"One".into(), &"https://example.org/1".into()));
    assert_eq!((&entry["date"], &entry["summary"]), (&"2024-05-17T23:30:00+09:00".into(), &"Wind.".into()));
    let text = maintext_on(FEED.as_bytes(), &["extract"]).good();
    assert!(text.starts_with("The Pier\nOne\n") && text.contains("Wind.") && text.ends_with("Two\n"), "{text}");
    let map = "<urlset><url><loc>https://example.org/a</loc><lastmod>2024-05-17</lastmod></url></urlset>";
    let table = maintext_on(map.as_bytes(), &["list"]).good();
    assert!(table.contains("1 entry") && table.contains("2024-05-17  https://example.org/a"), "{table}");
    let json_feed = "{\"version\": \"https://jsonfeed.org/version/1.1\", \
        \"items\": [{\"url\": \"https://example.org/j\", \"title\": \"J\"}]}";
    assert!(maintext_on(json_feed.as_bytes(), &["list"]).good().contains("https://example.org/j"));
    let server = Server::constant(response("Content-Type: application/feed+json", json_feed.as_bytes()));
    assert!(maintext(&["list", &server.url("/feed.json")]).good().contains("https://example.org/j"));
    let cut = &FEED[..FEED.len() - 60];
    let run = maintext_on(cut.as_bytes(), &["list"]);
    assert!(run.status == Some(0) && run.stderr.contains("warning: the feed is damaged or cut off"), "{run:?}");
}

#[test]
fn batch_reads_all_formats_of_a_folder_and_resumes_within_a_file() {
    let folder = Folder::new("formats-batch");
    std::fs::create_dir_all(folder.0.join("in")).unwrap();
    folder.write("in/a.html.gz", gzip(article("alders").as_bytes()));
    folder.write("in/d.md", "# Dunes\n\nSand.\n");
    folder.write("in/e.txt", "Elders.\n");
    folder.write("in/f.eml", LETTER);
    let long = "The ferry leaves at nine from the old pier. ".repeat(10);
    let item = |n: usize| format!("<item><title>Day {n}</title><content:encoded>{long}{n}</content:encoded></item>");
    folder.write("in/g.rss", format!("<rss><channel>{}{}</channel></rss>", item(1), item(2)));
    folder.write("in/h.eml", [0xff, 0xd8, 0xff, 0xe0]);
    let run = maintext(&["batch", &folder.path("in"), "--ordered", "-o", "-"]);
    let rows: Vec<Value> = run.stdout.lines().map(json).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let expected = ["a.html.gz", "d.md", "e.txt", "f.eml", "g.rss#1", "g.rss#2", "h.eml"];
    assert_eq!(ids, expected, "{run:?}");
    assert_eq!(
        (&rows[3]["author"], &rows[3]["text"]),
        (&"Jane Doe".into(), &"It leaves at nine.\nYours, Jane\n".into())
    );
    assert_eq!(rows[1]["title"], "Dunes");
    assert!(rows[6]["error"].as_str().unwrap().contains("a JPEG image, not a page"), "{}", rows[6]);
}

#[test]
fn other_data_are_refused_by_name() {
    let folder = Folder::new("formats-refused");
    let mut state = 7u32;
    let mut next = || {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        (state >> 24) as u8
    };
    let noise: Vec<u8> = (0..2000).map(|_| next()).collect();
    let mailbox = format!("From jane\n{LETTER}\nFrom john\n{LETTER}").into_bytes();
    let epub = zip(&[("META-INF/container.xml", b"<container/>"), ("a.xhtml", b"<p>a")]);
    for (name, bytes, reason) in [
        ("a.mbox", &mailbox[..], "a mailbox, not a page; split it into messages first, for example with formail"),
        ("a.epub", &epub, "an EPUB book, not a page; convert it first, for example with pandoc"),
        ("a.pdf", b"%PDF-1.7", "a PDF, not a page; convert it first, for example with pdftotext"),
        ("a.html", b"\xff\xd8\xff\xe0", "a JPEG image, not a page"),
        ("a.json", b"{\"a\": 1}", "JSON, not a page"),
        ("a.plist", b"bplist00\xd1\x01", "a binary property list, not a page"),
        ("a.bin", &noise, "binary data, not a page"),
        ("a.u32", b"\xff\xfe\0\0<\0\0\0p\0\0\0", "UTF-32 text, not a page; convert it to UTF-8"),
    ] {
        let path = folder.write(name, bytes);
        for command in ["extract", "list"] {
            let message = maintext(&[command, &path]).failure();
            assert_eq!(message, format!("maintext: {path}: the input is {reason}\n"));
        }
    }
}
