use super::*;

/// A folder that is removed at the end of the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("maintext-inputs-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Temporary(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path.display().to_string()
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn loaded(inputs: &Inputs, from: Position) -> Vec<(Position, String)> {
    let describe = |loaded| match loaded {
        Loaded::Page(page) => format!("{}={}", page.id, String::from_utf8_lossy(&page.bytes)),
        Loaded::Skipped { reason, .. } => format!("skipped: {reason}"),
        Loaded::Failed { message, .. } => format!("failed: {message}"),
    };
    inputs.read(from, &[]).map(|item| (item.after, describe(item.page(None, 1000)))).collect()
}

fn inputs(arguments: &[&str]) -> Result<Inputs, InputError> {
    Inputs::new(arguments, InputOptions::default())
}

fn warc(pages: &[&str]) -> Vec<u8> {
    let record = |page: &&str| {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n{page}");
        format!(
            "WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 0\r\n\r\n\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n\
             WARC-Record-ID: <{page}>\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    };
    pages.iter().map(record).collect::<String>().into_bytes()
}

#[test]
fn every_format_is_recognised_and_read_from_any_position() {
    let folder = Temporary::new("kinds");
    folder.write("site/b.html", "<p>b");
    folder.write("site/a/z.HTM", "<p>z");
    folder.write("site/.hidden/c.html", "<p>c");
    folder.write("site/style.css", "p {}");
    let lines = "{\"id\": \"x\", \"html\": \"<p>x\"}\n\nbroken\n{\"html\": \"<p>y\"}\n";
    let arguments = [
        folder.path() + "/site",
        folder.write("lines", lines),
        folder.write("lines.zst", zstd::encode_all(lines.as_bytes(), 3).unwrap()),
        folder.write("crawl", warc(&["<p>1", "<p>2"])),
        folder.write("list", "# addresses\nhttps://example.org/a\n\n  https://example.org/b\r\n"),
        folder.write("page", "\u{feff} <!doctype html><p>page"),
        folder.write("large.html", "x".repeat(1001)),
    ];
    let inputs = Inputs::new(&arguments, InputOptions::default()).unwrap();
    assert!(inputs.can_resume() && inputs.fetches() && inputs.total_bytes().is_none());
    let all = loaded(&inputs, Position::default());
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts[..4], ["a/z.HTM=<p>z", "b.html=<p>b", "skipped: file type .css", "x=<p>x"]);
    assert!(texts[4].starts_with("failed: ") && texts[4].contains("lines line 3: not a page record"));
    assert_eq!(texts[5..9], ["4=<p>y", "x=<p>x", texts[7], "4=<p>y"]);
    let request = "skipped: WARC record of type request";
    assert_eq!(texts[9..13], [request, "<p>1=<p>1", request, "<p>2=<p>2"].map(|t| t.trim_start_matches('<')));
    assert_eq!(texts[13..15], ["failed: no fetcher is available for addresses"; 2]);
    assert!(texts[15].ends_with("page=\u{feff} <!doctype html><p>page"), "{}", texts[15]);
    assert!(texts[16].ends_with("large.html: the page is larger than the limit of 1000 bytes"), "{}", texts[16]);
    assert_eq!(texts.len(), 17);
    for (i, (position, _)) in all.iter().enumerate() {
        assert_eq!(loaded(&inputs, *position), all[i + 1..], "from {position:?}");
    }
}

#[test]
fn inputs_that_cannot_be_used_are_named() {
    let folder = Temporary::new("wrong");
    let odd = folder.write("odd", "what?");
    assert!(inputs(&[&odd]).unwrap_err().to_string().starts_with(&format!("{odd}: not recognised as HTML")));
    let missing = folder.path() + "/missing.jsonl";
    assert!(inputs(&[&missing]).unwrap_err().to_string().starts_with(&format!("{missing}: cannot be opened: ")));
    assert!(inputs(&[&(folder.path() + "/*.x")]).unwrap_err().to_string().contains("no file matches"));
    let table = folder.write("a.parquet", "PAR1 but nothing more");
    let items = loaded(&inputs(&[&table]).unwrap(), Position::default());
    assert!(items.len() == 1 && items[0].1.starts_with(&format!("failed: {table}: ")), "{items:?}");
}

#[test]
fn a_pattern_matches_files_in_the_order_of_their_names() {
    let folder = Temporary::new("pattern");
    for name in ["b.html", "a.html", "c.htm"] {
        folder.write(name, format!("<p>{name}"));
    }
    let items = loaded(&inputs(&[&(folder.path() + "/*.html")]).unwrap(), Position::default());
    assert!(items.len() == 2 && items[0].1.ends_with("<p>a.html") && items[1].1.ends_with("<p>b.html"), "{items:?}");
}

/// Parts of files in a folder count one by one, and reading resumes within a file.
#[test]
fn pages_of_several_folders_have_different_ids() {
    let folder = Temporary::new("several");
    folder.write("a/x.html", "<p>a");
    folder.write("b/deep/x.html", "<p>b");
    let path = folder.path();
    let ids = |arguments: &[&str]| {
        let items = inputs(arguments).unwrap().read(Position::default(), &[]);
        items.map(|item| item.names().0.unwrap().replace(&path, "")).collect::<Vec<_>>()
    };
    let [a, b] = ["a/", "b"].map(|name| format!("{path}/{name}"));
    assert_eq!(ids(&[&a, &b]), ["/a/x.html", "/b/deep/x.html"]);
    assert_eq!(ids(&[&b]), ["deep/x.html"]);
}

#[test]
fn parts_of_files_are_read_from_any_position() {
    let folder = Temporary::new("parts");
    folder.write("in/b.html", "<p>b");
    folder.write("in/b_files/frame.html", "<p>frame");
    let text = "The ferry leaves at nine. ".repeat(12);
    let item = |n: usize| format!("<item><title>{n}</title><content:encoded>{text}</content:encoded></item>");
    let feed = format!("<rss><channel>{}{}</channel></rss>", item(1), item(2));
    folder.write("in/c.rss", &feed);
    folder.write("in/d.txt", "Plain.");
    let arguments = [folder.path() + "/in", folder.write("box.rss", &feed)];
    let inputs = Inputs::new(&arguments, InputOptions::default()).unwrap();
    let read = |from| -> Vec<(Position, String)> {
        let describe = |loaded| match loaded {
            Loaded::Page(page) => format!("{} {}", page.id.rsplit('/').next().unwrap_or(""), page.whole),
            Loaded::Skipped { id, reason } => format!("{} skipped: {reason}", id.unwrap_or_default()),
            Loaded::Failed { message, .. } => format!("failed: {message}"),
        };
        inputs.read(from, &[]).map(|item| (item.after, describe(item.page(None, 10_000)))).collect()
    };
    let all = read(Position::default());
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    let expected = [
        "b.html false",
        "b_files skipped: files of a saved page",
        "c.rss#1 true",
        "c.rss#2 true",
        "d.txt true",
        "box.rss#1 true",
        "box.rss#2 true",
    ];
    assert_eq!(texts, expected);
    for (i, (after, _)) in all.iter().enumerate() {
        assert_eq!(read(*after), all[i + 1..], "after {i}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_with_links_to_itself_is_read_once() {
    use std::os::unix::fs::symlink;
    let folder = Temporary::new("links");
    folder.write("site/one.html", "<p>1");
    folder.write("site/deep/two.html", "<p>2");
    folder.write("else/three.html", "<p>3");
    let link = |target: &str, name: &str| symlink(target, folder.0.join("site").join(name)).unwrap();
    // Two links to a folder inside of it would double the paths at each level.
    link(".", "a");
    link(".", "b");
    link("deep", "c");
    link("..", "up");
    link("../else", "other");
    link("../else", "same");
    link("one.html", "file.html");
    let items = loaded(&inputs(&[&(folder.path() + "/site")]).unwrap(), Position::default());
    let texts: Vec<&str> = items.iter().map(|(_, text)| text.as_str()).collect();
    let read = "skipped: link to a folder that is read already";
    let expected = ["deep/two.html=<p>2", "file.html=<p>1", "one.html=<p>1", "other/three.html=<p>3"];
    assert_eq!(texts.iter().filter(|text| **text == read).count(), 5, "{texts:?}");
    assert_eq!(texts.into_iter().filter(|text| *text != read).collect::<Vec<_>>(), expected);
}

#[test]
fn what_cannot_be_read_has_a_place_instead_of_an_id() {
    let folder = Temporary::new("places");
    let long = format!("{{\"html\": \"{}\"}}\n", "x".repeat(3000));
    let lines =
        folder.write("a.jsonl", format!("{{\"id\": \"2\", \"html\": \"\"}}\nbroken\n{long}{{\"html\": \"\"}}\n"));
    let records =
        folder.write("a.warc", [warc(&["<p>1"]), b"WARC/1.0\r\nContent-Length: no\r\n\r\n".to_vec()].concat());
    let options = InputOptions { max_size: 1000, ..InputOptions::default() };
    let inputs = Inputs::new(&[lines, records], options).unwrap();
    let items = inputs.read(Position::default(), &[]).map(|item| match item.page(None, 1000) {
        Loaded::Page(page) => format!("page {}", page.id),
        Loaded::Failed { id, place: Some((word, number)), .. } => format!("{id:?} {word} {number}"),
        other => format!("{other:?}"),
    });
    let items: Vec<String> = items.filter(|item| !item.starts_with("Skipped")).collect();
    assert_eq!(items, ["page 2", "None line 2", "None line 3", "page 4", "page p>1", "None record 3"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_stay_different() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Temporary::new("names");
    for name in [&b"a\xfe.html"[..], b"a\xff.html"] {
        fs::write(folder.0.join(std::ffi::OsStr::from_bytes(name)), "<p>x").unwrap();
    }
    let all = loaded(&inputs(&[&folder.path()]).unwrap(), Position::default());
    let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["a\\xfe.html=<p>x", "a\\xff.html=<p>x"]);
}
