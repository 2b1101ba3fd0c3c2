//! One file of each format: the documents, and how the extractor reads them.

use crate::make::{brotli, gzip, warc, zip, zlib};
use maintext_core::{Extractor, Input, Options, Page};
use maintext_formats::wacz::{WarcPlace, contents};
use maintext_formats::{Document, Format, Hint, Limits, documents};
use std::io::Cursor;

const ARTICLE: &str = "<!doctype html><title>The ferry</title><nav><a href=/>Home</a></nav><article><h1>The ferry</h1>\
    <p>The ferry leaves at nine from the old pier, and comes back in the evening if the wind allows it.</p>\
    <p>Whoever misses it walks around the bay, which takes until noon, or waits for the mail boat.</p></article>";

fn read(bytes: impl Into<Vec<u8>>, name: &str) -> (Format, Vec<Document>) {
    read_with(bytes, name, &Limits::default())
}

fn read_with(bytes: impl Into<Vec<u8>>, name: &str, limits: &Limits) -> (Format, Vec<Document>) {
    let hint = Hint { name: (!name.is_empty()).then_some(name), ..Hint::default() };
    let found = documents(bytes.into(), &hint, limits).unwrap();
    let format = found.format();
    (format, found.collect::<Result<_, _>>().unwrap())
}

fn page(document: &Document) -> Page {
    let mut extractor = Extractor::new(Options::default()).unwrap();
    let (url, charset) = (document.url.as_deref(), document.charset.as_deref());
    let input = Input { whole: document.whole, ..Input::at(&document.bytes, url, charset) };
    extractor.extract(input).unwrap()
}

#[test]
fn compressed_pages() {
    let html = ARTICLE.as_bytes();
    for (bytes, name) in [
        (html.to_vec(), ""),
        (gzip(html), ""),
        (gzip(&gzip(html)), "page.html.gz.gz"),
        (zstd::encode_all(html, 3).unwrap(), ""),
        (zlib(html), ""),
        (brotli(html), "page.html.br"),
    ] {
        let (format, found) = read(bytes, name);
        assert_eq!((format, found.len(), found[0].bytes.as_slice()), (Format::Html, 1, html), "{name}");
        assert!(!found[0].whole);
    }
    // A name alone does not make a page brotli.
    assert_eq!(read(html, "page.html.br").1[0].bytes, html);
}

#[test]
fn saved_pages_know_their_address() {
    let saved = format!("<!doctype html>\n<!-- saved from url=(0029)https://example.org/the-ferry -->\n{ARTICLE}");
    assert_eq!(read(saved, "The ferry.html").1[0].url.as_deref(), Some("https://example.org/the-ferry"));
    let single = format!(
        "<!DOCTYPE html> <html lang=en><!--\n Page saved with SingleFile \n url: https://example.org/the-ferry \n saved date: today\n-->{}",
        &ARTICLE[15..]
    );
    let (format, found) = read(single, "");
    assert_eq!((format, found[0].url.as_deref()), (Format::Html, Some("https://example.org/the-ferry")));
    assert!(page(&found[0]).text().contains("mail boat"));
}

#[test]
fn plain_text() {
    let text = "The ferry\n\nThe ferry leaves at nine from the old pier, and comes\nback in the evening if the wind allows it at all.\n\n\
                Share this.\n";
    let (format, found) = read(text, "ferry.txt");
    let expected = "The ferry\nThe ferry leaves at nine from the old pier, and comes back in the evening if the wind allows it at all.\n\
                    Share this.\n";
    assert_eq!((format, page(&found[0]).text()), (Format::Text, expected));
    assert_eq!(read(text, "").0, Format::Text);
    assert_eq!(read(ARTICLE, "ferry.txt").0, Format::Html);
    // windows-1252, and UTF-16 with a byte-order mark.
    assert!(page(&read(b"Caf\xe9 ferm\xe9 le lundi.".to_vec(), "a.txt").1[0]).text().contains("Café fermé"));
    let utf16: Vec<u8> = "\u{feff}Über den Fluss.".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(page(&read(utf16, "").1[0]).text().contains("Über den Fluss."));
}

#[test]
fn markdown() {
    let text = "---\ntitle: The ferry\nauthor: Jane Doe\ndate: 2024-05-17\n---\n\n\
                It leaves at **nine**.\n\n- pier\n- bay\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let (format, found) = read(text, "ferry.md");
    let page = page(&found[0]);
    assert_eq!(format, Format::Markdown);
    assert_eq!(page.metadata.title.as_deref(), Some("The ferry"));
    assert_eq!(
        (page.metadata.author.as_deref(), page.metadata.date.as_deref()),
        (Some("Jane Doe"), Some("2024-05-17"))
    );
    assert!(page.text().contains("- pier\n- bay") && page.text().contains("1"), "{}", page.text());
    assert_eq!(read("# The ferry\n\nIt leaves at [nine](https://example.org/).\n", "").0, Format::Markdown);
    assert_eq!(read("<p align=center>Logo</p>\n\n# The ferry\n", "README.md").0, Format::Markdown);
}

const MAIL: &str = "From: \"Doe, Jane\" <jane@example.org>\r\nTo: john@example.org\r\nSubject: =?utf-8?Q?The_ferry_=E2=80=93_again?=\r\n\
    Date: Fri, 17 May 2024 23:30:00 +0900\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=XX\r\n\r\n--XX\r\n\
    Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nUnseen text.\r\n--XX\r\n\
    Content-Type: text/html; charset=utf-8\r\n\r\n<p>It leaves at nine.</p><p>Unsubscribe from waiting.</p>\r\n--XX--\r\n";

#[test]
fn mail() {
    let (format, found) = read(MAIL, "");
    let page = page(&found[0]);
    assert_eq!(format, Format::Mail);
    assert_eq!(page.text(), "It leaves at nine.\nUnsubscribe from waiting.\n");
    assert_eq!(page.metadata.title.as_deref(), Some("The ferry – again"));
    assert_eq!(
        (page.metadata.author.as_deref(), page.metadata.date.as_deref()),
        (Some("Jane Doe"), Some("2024-05-17T23:30:00+09:00"))
    );
    let plain = "From: jane@example.org\nSubject: Pier\nDate: Fri, 17 May 2024 10:00:00 +0000\n\nOld caf\u{e9}.\n\n> When?\n\nAt nine.\n";
    let plain = self::page(&read(plain, "x.eml").1[0]);
    assert_eq!((plain.text(), plain.metadata.title.as_deref()), ("Old café.\nWhen?\nAt nine.\n", Some("Pier")));
}

#[test]
fn mhtml() {
    let html = ARTICLE.replace('=', "=3D").replace("noon, ", "noon,=\r\n ");
    let text = format!(
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/ferry\r\nSubject: The ferry\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"XX\"\r\n\r\n--XX\r\nContent-Type: text/html\r\n\
         Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://example.org/ferry\r\n\r\n{html}\r\n--XX\r\n\
         Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--XX--\r\n"
    );
    for name in ["", "ferry.mhtml"] {
        let (format, found) = read(text.as_str(), name);
        assert_eq!((format, found[0].url.as_deref()), (Format::Mhtml, Some("https://example.org/ferry")));
        let page = page(&found[0]);
        assert!(
            page.text().contains("which takes until noon, or waits") && !page.text().contains("Home"),
            "{}",
            page.text()
        );
        assert_eq!(page.metadata.title.as_deref(), Some("The ferry"));
    }
}

#[test]
fn archives() {
    let records = warc(&[("https://example.org/a", ARTICLE), ("https://example.org/b", ARTICLE)]);
    for bytes in [records.clone(), gzip(&records)] {
        let (format, found) = read(bytes, "");
        assert_eq!((format, found.len(), found[1].url.as_deref()), (Format::Warc, 2, Some("https://example.org/b")));
    }
    let packed = gzip(&records);
    let files: [(&str, &[u8]); 3] =
        [("datapackage.json", b"{}"), ("archive/a.warc.gz", &packed), ("archive/b.warc", &records)];
    let bytes = zip(&files);
    let found = contents(Cursor::new(&bytes)).unwrap();
    let at = |place: &WarcPlace| &bytes[place.start as usize..][..place.length as usize];
    assert_eq!(found.iter().map(at).collect::<Vec<_>>(), [packed.as_slice(), records.as_slice()]);
    let (format, found) = read(bytes.clone(), "");
    assert_eq!((format, found.len()), (Format::Wacz, 4));
    assert!(page(&found[3]).text().contains("mail boat"));
}

const RSS: &str = "<?xml version='1.0'?><rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel>\
    <title>The Pier</title><link>https://example.org/</link><language>en</language>";

#[test]
fn feeds_are_lists() {
    let item = |n: usize| {
        format!(
            "<item><title>Day {n} &amp; night</title><link>/day/{n}</link><pubDate>Fri, 17 May 2024 23:30:00 +0900</pubDate>\
                 <description>&lt;p&gt;Wind from the &lt;b&gt;west&lt;/b&gt;.&lt;/p&gt;</description></item>"
        )
    };
    let (format, found) = read(format!("{RSS}{}{}</channel></rss>", item(1), item(2)), "");
    assert_eq!((format, found.len()), (Format::Rss, 1));
    let entries = &found[0].list.as_ref().unwrap().groups[0].entries;
    assert_eq!(
        (entries.len(), entries[1].title.as_str(), entries[1].url.as_deref().unwrap_or_default()),
        (2, "Day 2 & night", "https://example.org/day/2")
    );
    assert_eq!(
        (entries[0].date.as_deref(), entries[0].summary.as_deref()),
        (Some("2024-05-17T23:30:00+09:00"), Some("Wind from the west."))
    );
    let page = page(&found[0]);
    assert_eq!(page.metadata.title.as_deref(), Some("The Pier"));
    assert!(page.text().contains("Day 1 & night") && page.text().contains("Wind from the west."), "{}", page.text());
}

#[test]
fn full_items_become_pages() {
    let text = "The ferry leaves at nine from the old pier, and comes back in the evening. ".repeat(5);
    let item = |n: usize| {
        format!(
            "<item><title>Day {n}</title><link>https://example.org/day/{n}</link><dc:creator>Jane Doe</dc:creator>\
                 <pubDate>17 May 2024 10:00:00 GMT</pubDate><description>Short.</description>\
                 <content:encoded><![CDATA[<p>{text}</p><p>Share day {n}.</p>]]></content:encoded></item>"
        )
    };
    let feed = format!("{RSS}{}{}</channel></rss>", item(1), item(2));
    let limits = Limits { items: true, ..Limits::default() };
    let found = read_with(feed.as_str(), "", &limits).1;
    assert_eq!(
        (found.len(), found[1].part.as_deref(), found[1].url.as_deref()),
        (2, Some("2"), Some("https://example.org/day/2"))
    );
    let page = page(&found[1]);
    assert!(page.text().ends_with("Share day 2.\n"), "{}", page.text());
    assert_eq!((page.metadata.title.as_deref(), page.metadata.author.as_deref()), (Some("Day 2"), Some("Jane Doe")));
    assert_eq!(read(feed, "").1.len(), 1);
    let teasers = format!("{RSS}<item><title>a</title><description>Short.</description></item></channel></rss>");
    assert_eq!(read_with(teasers, "", &limits).1[0].part, None);
}

#[test]
fn atom_json_and_sitemaps() {
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>Pier</title><link href='https://example.org/'/>\
        <link rel='next' href='/p2'/>\
        <entry><title>One</title><link href='/1'/><published>2024-05-17T10:00:00+02:00</published>\
        <author><name>Jane Doe</name></author></entry></feed>";
    let json = "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"Pier\", \"items\": [{\"id\": 7, \"title\": \"One\", \
        \"url\": \"https://example.org/1\", \"content_text\": \"At nine.\", \"date_published\": \"2024-05-17T10:00:00+02:00\", \
        \"authors\": [{\"name\": \"Jane Doe\"}]}]}";
    for (text, expected) in [(atom, Format::Atom), (json, Format::JsonFeed)] {
        let (format, found) = read(text, "");
        let list = found[0].list.as_ref().unwrap();
        let entry = &list.groups[0].entries[0];
        assert_eq!(
            (format, entry.title.as_str(), entry.url.as_deref().unwrap_or_default()),
            (expected, "One", "https://example.org/1")
        );
        assert_eq!(
            (entry.date.as_deref(), entry.author.as_deref()),
            (Some("2024-05-17T10:00:00+02:00"), Some("Jane Doe"))
        );
        assert_eq!(list.pagination.next.is_some(), expected == Format::Atom);
    }
    let map = "<?xml version='1.0'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.org/a</loc>\
        <lastmod>2024-05-17</lastmod></url><url><loc>https://example.org/b</loc></url></urlset>";
    let (format, found) = read(gzip(map.as_bytes()), "sitemap.xml.gz");
    let entries = &found[0].list.as_ref().unwrap().groups[0].entries;
    assert_eq!(
        (format, entries.len(), entries[0].url.as_deref().unwrap_or_default()),
        (Format::Sitemap, 2, "https://example.org/a")
    );
    assert_eq!(entries[0].date.as_deref(), Some("2024-05-17"));
    assert!(page(&found[0]).text().contains("https://example.org/b"));
    let index = "<sitemapindex><sitemap><loc>https://example.org/s1.xml</loc></sitemap></sitemapindex>";
    assert_eq!(
        read(index, "").1[0].list.as_ref().unwrap().groups[0].entries[0].url.as_deref(),
        Some("https://example.org/s1.xml")
    );
}

#[test]
fn other_data_are_refused_by_name() {
    let odt = zip(&[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", b"<x/>")]);
    let word = zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>")]);
    let plain = zip(&[("a.txt", b"a")]);
    let utf32: Vec<u8> = ARTICLE.chars().flat_map(|c| (c as u32).to_le_bytes()).collect();
    let book = zip(&[("mimetype", b"application/epub+zip"), ("META-INF/container.xml", b"<container/>")]);
    let bare_book = zip(&[("META-INF/container.xml", b"<container/>"), ("a.xhtml", b"<p>a")]);
    let cases: [(&[u8], &str); 15] = [
        (b"\x89PNG\r\n\x1a\n", "a PNG image, not a page"),
        (b"\xff\xd8\xff\xe0", "a JPEG image, not a page"),
        (b"%PDF-1.7", "a PDF, not a page; convert it first, for example with pdftotext"),
        (b"bplist00\xd1", "a binary property list, not a page"),
        (b"{\"a\": \"<p>b</p>\"}", "JSON, not a page"),
        (b"{\"a\": 1}\n{\"a\": 2}\n", "lines of JSON, not a page; pages in it are read by 'maintext batch'"),
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG image, not a page"),
        (b"<?xml version='1.0'?><!DOCTYPE plist><plist version='1.0'><dict/></plist>", "a property list, not a page"),
        (&odt, "an OpenDocument text, not a page"),
        (&word, "a Word document, not a page"),
        (&plain, "a ZIP archive, not a page"),
        (
            b"From jane Fri May 17 10:00:00 2024\nFrom: jane@example.org\nSubject: Pier\n\nWords.\n",
            "a mailbox, not a page; split it into messages first, for example with formail",
        ),
        (&book, "an EPUB book, not a page; convert it first, for example with pandoc"),
        (&bare_book, "an EPUB book, not a page; convert it first, for example with pandoc"),
        (&utf32, "UTF-32 text, not a page; convert it to UTF-8"),
    ];
    for (bytes, expected) in cases {
        let error = documents(bytes.to_vec(), &Hint::default(), &Limits::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("the input is {expected}"));
    }
}
