//! Damaged and hostile files: an error or a part of the content, in little time and memory, without panic.

use crate::make::{CONTAINER, epub, gzip, warc, zip};
use maintext_formats::{Document, Hint, Limits, Refusal, documents};
use std::time::{Duration, Instant};

const LIMIT: usize = 1 << 20;

/// Reads all documents with a limit of 1 MiB. The file itself may be larger.
fn read(bytes: impl Into<Vec<u8>>, name: &str) -> Result<Vec<Result<Document, Refusal>>, Refusal> {
    let begun = Instant::now();
    let hint = Hint { name: Some(name), ..Hint::default() };
    let found = documents(bytes.into(), &hint, &Limits { max_size: LIMIT, items: true, ..Limits::default() });
    let found = found.map(|found| found.take(100_000).collect());
    assert!(begun.elapsed() < Duration::from_secs(30), "{name} took {:?}", begun.elapsed());
    found
}

#[test]
fn bombs_stop_at_the_limit() {
    let zeros = vec![b' '; 64 << 20];
    let bomb = gzip(&zeros);
    for bytes in [bomb.clone(), gzip(&bomb), zstd::encode_all(zeros.as_slice(), 3).unwrap()] {
        assert_eq!(read(bytes, "x.html").unwrap_err(), Refusal::TooLarge(LIMIT));
    }
    let chapter = "x".repeat(LIMIT / 3);
    let names: Vec<String> = (0..9).map(|i| format!("{i}.xhtml")).collect();
    let chapters: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), chapter.as_str())).collect();
    let found = read(epub(&chapters, ""), "book.epub").unwrap();
    assert_eq!((found.len(), found.iter().filter(|d| d.is_ok()).count()), (3, 2));
    assert_eq!(found[2], Err(Refusal::TooLarge(LIMIT)));
    let archive = zip(&[("datapackage.json", b"{}"), ("archive/a.warc.gz", &bomb)]);
    assert_eq!(read(archive, "a.wacz").unwrap(), [Err(Refusal::TooLarge(LIMIT))]);
    let records = warc(&[("https://example.org/", "<p>Words.")]);
    let bombs = [gzip(&records), gzip(&[b"WARC/1.0\r\n", zeros.as_slice()].concat())].concat();
    let found = read(bombs, "a.warc.gz").unwrap();
    assert!(found.len() == 2 && found[0].is_ok() && found[1] == Err(Refusal::TooLarge(LIMIT)), "{:?}", found[1]);
}

#[test]
fn nested_compression_is_refused() {
    let mut bytes = b"<p>text".to_vec();
    for layer in 1..=6 {
        bytes = gzip(&bytes);
        let found = read(bytes.clone(), "x");
        if layer <= 4 {
            assert!(found.is_ok())
        } else {
            assert!(found.unwrap_err().to_string().contains("compressed more than 4 times"))
        }
    }
}

#[test]
fn mime_parts_nest_ten_thousand_deep() {
    let mut text = String::from("From: a@example.org\nSubject: Deep\nMIME-Version: 1.0\n");
    for i in 0..10_000 {
        text += &format!("Content-Type: multipart/mixed; boundary=b{i}\n\n--b{i}\n");
    }
    text += "Content-Type: text/plain\n\nAt the bottom.\n";
    let _ = read(text, "deep.eml");
    let mut forwarded = String::new();
    for _ in 0..10_000 {
        forwarded += "From: a@example.org\nSubject: Again\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n";
    }
    let _ = read(forwarded + "From: a@example.org\nSubject: Last\n\nAt the bottom.\n", "again.eml");
}

#[test]
fn markup_nests_a_hundred_thousand_deep() {
    let deep = 100_000;
    let atom = format!("<feed>{}</feed>", "<entry><content type='xhtml'><div>".repeat(deep));
    read(atom, "").unwrap();
    read(format!("<rss><channel>{}", "<item><title>".repeat(deep)), "").unwrap();
    for sign in ["> ", "- ", "*", "[", "!["] {
        read(sign.repeat(deep) + "x", "a.md").unwrap();
    }
    read(">".repeat(deep), "a.txt").unwrap();
    assert!(read("[".repeat(deep), "feed.json").is_ok());
    let open = "<package><metadata>".to_owned() + &"<dc:title>".repeat(deep);
    let book = zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("OEBPS/content.opf", open.as_bytes()),
    ]);
    assert!(read(book, "a.epub").unwrap_err().to_string().contains("it has no chapters"));
}

/// Marks that make parsers of Markdown look ahead or back.
#[test]
fn marks_repeat_without_end() {
    let marks = [
        "[a](", "[a]: b\n", "**a ", "*a_ ", "`a", "``` \n", "&a;", "<a ", "<!--", "|a", "1. ", "\t>", "~~", "[^a]",
        "![](<", "\\",
    ];
    for mark in marks {
        let text = "# Marks\n\n".to_owned() + &mark.repeat(300_000 / mark.len());
        let begun = Instant::now();
        read(text, "a.md").unwrap();
        assert!(begun.elapsed() < Duration::from_secs(15), "{mark:?} took {:?}", begun.elapsed());
    }
}

/// A table whose rows lack nearly all their cells does not get them all.
#[test]
fn a_wide_table_stays_small() {
    let text = format!("{}\n{}\n{}", "|a".repeat(20_000), "|-".repeat(20_000), "|b\n".repeat(20_000));
    let found = read(text, "a.md").unwrap();
    assert!(found[0].as_ref().unwrap().bytes.len() < 16 << 20);
}

/// The name of a book is on every page made from it, and yet the pages stay small.
#[test]
fn long_names_are_cut() {
    let refs = "<itemref idref='a'/>".repeat(2_000);
    let opf = format!(
        "<package xmlns:dc='d'><metadata><dc:title>{}</dc:title>{}</metadata><manifest><item id='a' href='a.html' media-type='text/html'/>\
         </manifest><spine>{refs}</spine></package>",
        "x".repeat(300_000),
        "<dc:subject>y</dc:subject>".repeat(20_000)
    );
    let files: [(&str, &[u8]); 4] = [
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("OEBPS/content.opf", opf.as_bytes()),
        ("OEBPS/a.html", b"<p>a"),
    ];
    let found = read(zip(&files), "a.epub").unwrap();
    assert_eq!(found.len(), 2_000);
    assert!(found.iter().flatten().all(|d| d.bytes.len() < 20_000));
}

#[test]
fn feeds_of_a_million_items_are_bounded() {
    let million = format!("<rss><channel>{}</channel></rss>", "<item><title>a</title></item>".repeat(1_000_000));
    let found = read(million, "feed.xml").unwrap();
    let document = found[0].as_ref().unwrap();
    assert_eq!(document.list.as_ref().unwrap().groups[0].entries.len(), 50_000);
    assert!(document.warning.as_ref().unwrap().contains("only the first 50000"));
    let json =
        format!("{{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}{{}}]}}", "{},".repeat(1_000_000));
    assert!(read(json, "feed.json").unwrap_err().to_string().contains("more than 50000 entries"));
}

#[test]
fn books_without_parts_say_so_or_give_the_rest() {
    let two = [("a.xhtml", "<p>One.</p>"), ("b.xhtml", "<p>Two.</p>")];
    // The spine names a chapter that does not exist, and one that the manifest lacks.
    let spine = "<spine><itemref idref='none'/><itemref idref='b.xhtml'/></spine>";
    assert_eq!(read(epub(&two, spine), "a.epub").unwrap().len(), 1);
    let opf = b"<package><manifest>\
        <item id='x' href='gone.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='x'/></spine></package>";
    let gone = zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("OEBPS/content.opf", opf),
    ]);
    let found = read(gone, "a.epub").unwrap();
    let error = found[0].as_ref().unwrap_err().to_string();
    assert_eq!(error, "the input is an EPUB book, but it is damaged: OEBPS/gone.xhtml is missing");
    let bare = zip(&[("mimetype", b"application/epub+zip"), ("b.html", b"<p>b"), ("a.html", b"<p>a")]);
    assert_eq!(read(bare, "a.epub").unwrap().len(), 2);
    let locked = b"<encryption><CipherReference URI='OEBPS/a.xhtml'/></encryption>";
    let locked = zip(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("META-INF/encryption.xml", locked),
        ("OEBPS/content.opf", opf),
    ]);
    assert!(read(locked, "a.epub").unwrap_err().to_string().contains("an encrypted EPUB book, not a page"));
}

/// Names that lead out of an archive are names like any other: nothing is written, and nothing outside is read.
#[test]
fn paths_in_archives_lead_nowhere() {
    let opf = b"<package><manifest><item id='x' href='../../../../etc/hostname' media-type='application/xhtml+xml'/></manifest>\
        <spine><itemref idref='x'/></spine></package>";
    let files: [(&str, &[u8]); 4] = [
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", CONTAINER.as_bytes()),
        ("OEBPS/content.opf", opf),
        ("../../evil.xhtml", b"<p>evil"),
    ];
    let found = read(zip(&files), "a.epub").unwrap();
    assert!(found[0].as_ref().unwrap_err().to_string().ends_with("etc/hostname is missing"));
}

/// Every file cut anywhere gives documents or a refusal.
#[test]
fn truncated_files_never_panic() {
    let chapters = [("a.xhtml", "<p>One.</p>"), ("b.xhtml", "<p>Two.</p>")];
    let book = epub(&chapters, "<spine><itemref idref='a.xhtml'/></spine>");
    let records = warc(&[("https://example.org/a", "<p>text")]);
    let archive = zip(&[("datapackage.json", b"{}"), ("archive/a.warc", &records)]);
    let mail = b"From: a@example.org\nSubject: =?utf-8?Q?a?=\nContent-Type: multipart/related; boundary=X\n\n--X\n\
        Content-Type: text/html\n\n<p>a\n--X--\n";
    let feed = b"<?xml version='1.0'?><feed xml:lang='en'><entry><title type='html'>a &amp; b</title>\
        <content type='xhtml'><p>a</p></content></entry></feed>";
    let json = b"{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"title\": \"a\"}]}";
    let text = "---\ntitle: a\n---\n# Ueber\n\n> a\n";
    let xhtml = b"<?xml version='1.0'?><html><head><title/></head><body><![CDATA[a]]></body></html>";
    let files: [(&str, &[u8]); 10] = [
        ("a.epub", &book),
        ("a.wacz", &archive),
        ("a.warc", &records),
        ("a.eml", mail),
        ("a.mht", mail),
        ("a.atom", feed),
        ("a.json", json),
        ("a.md", text.as_bytes()),
        ("a.txt", text.as_bytes()),
        ("a.html", xhtml),
    ];
    for (name, bytes) in files {
        let packed = gzip(bytes);
        for cut in (0..bytes.len()).step_by(1 + bytes.len() / 400) {
            let _ = read(&bytes[..cut], name);
            let _ = read(&packed[..cut.min(packed.len())], name);
            let mut flipped = bytes.to_vec();
            flipped[cut] ^= 0x55;
            let _ = read(flipped, name);
        }
    }
    assert!(
        read(&gzip(b"<p>text")[..20], "a.html.gz")
            .unwrap_err()
            .to_string()
            .contains("gzip-compressed data, but it is damaged")
    );
}

/// These patterns make careless parsers of Markdown quadratic.
#[test]
fn the_cost_of_markdown_grows_in_proportion_to_its_size() {
    let long = format!("[a]: /{}\n\n", "b".repeat(5000));
    let patterns = [
        "[", "![", "]", "[a](", "[a][b]", "`a``", "*a _b ", "**x", "> ", "- ", "<a ", "<!--", "&a", "[a]: b\n",
        "[^a]: ", "|", "~~a", "<a:", "[a] ",
    ];
    for pattern in patterns {
        let time = |bytes: usize| {
            let text = format!("# A\n\n{long}{}", pattern.repeat(bytes / pattern.len())).into_bytes();
            let hint = Hint { content_type: Some("text/markdown"), ..Hint::default() };
            let start = Instant::now();
            let found = documents(text, &hint, &Limits { max_size: LIMIT, ..Limits::default() }).unwrap().next();
            assert!(found.unwrap().unwrap().bytes.len() < 2 * LIMIT + 1000, "{pattern}");
            start.elapsed()
        };
        let (small, large) = (time(40_000), time(320_000));
        assert!(large < 32 * small + Duration::from_secs(1), "{pattern}: {small:?} and {large:?}");
    }
}
