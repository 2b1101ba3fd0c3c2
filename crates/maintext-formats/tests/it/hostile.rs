//! Damaged and hostile files: an error or a part of the content, in little time and memory, without panic.

use crate::make::{gzip, warc, zip};
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

/// Every file cut anywhere gives documents or a refusal.
#[test]
fn truncated_files_never_panic() {
    let records = warc(&[("https://example.org/a", "<p>text")]);
    let archive = zip(&[("datapackage.json", b"{}"), ("archive/a.warc", &records)]);
    let mail = b"From: a@example.org\nSubject: =?utf-8?Q?a?=\nContent-Type: multipart/related; boundary=X\n\n--X\n\
        Content-Type: text/html\n\n<p>a\n--X--\n";
    let feed = b"<?xml version='1.0'?><feed xml:lang='en'><entry><title type='html'>a &amp; b</title>\
        <content type='xhtml'><p>a</p></content></entry></feed>";
    let json = b"{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"title\": \"a\"}]}";
    let text = "---\ntitle: a\n---\n# Ueber\n\n> a\n";
    let xhtml = b"<?xml version='1.0'?><html><head><title/></head><body><![CDATA[a]]></body></html>";
    let files: [(&str, &[u8]); 9] = [
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
