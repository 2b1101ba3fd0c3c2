//! `maintext batch` on web archives that a server has.
use crate::command::batch::{gzip, long_article, records, warc_record};
use crate::command::server::Server;
use crate::command::{Folder, Run, maintext};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the server misbehaves.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    /// Every third request fails: with the status 503, by closing the connection halfway, or by sending fewer bytes than announced.
    Bad,
    /// It ignores ranges.
    Whole,
    /// It sends another range than requested.
    Shifted,
}

/// Serves files with ranges.
fn server(files: HashMap<String, Vec<u8>>, mood: Mood) -> Server {
    let count = AtomicU64::new(0);
    // A part that fails every time would never arrive, so a request fails once only.
    let failed = Mutex::new(std::collections::HashSet::new());
    Server::start_with_requests(move |request, stream| {
        let path = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
        let Some(file) = files.get(path) else {
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            return;
        };
        let number = count.fetch_add(1, Ordering::SeqCst);
        let range =
            request.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
        let fails = mood == Mood::Bad
            && number.is_multiple_of(3)
            && failed.lock().unwrap().insert((path.to_owned(), range.clone()));
        let _ = answer(stream, file, range.as_deref(), mood, fails.then_some(number / 3 % 3));
    })
}

fn answer(
    stream: &mut TcpStream,
    file: &[u8],
    range: Option<&str>,
    mood: Mood,
    failure: Option<u64>,
) -> std::io::Result<()> {
    if failure == Some(0) {
        return stream.write_all(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n");
    }
    let bounds = range.and_then(|range| range.split_once('-'));
    let Some((from, to)) = bounds.filter(|_| mood != Mood::Whole) else {
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", file.len())?;
        return stream.write_all(file);
    };
    let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
    if from >= file.len() {
        return write!(
            stream,
            "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */{}\r\nContent-Length: 0\r\n\r\n",
            file.len()
        );
    }
    let from = from + usize::from(mood == Mood::Shifted);
    let body = &file[from..=to.min(file.len() - 1)];
    let (last, total) = (from + body.len() - 1, file.len());
    write!(stream, "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {from}-{last}/{total}\r\n")?;
    match failure {
        // The connection closes in the middle of the body.
        Some(1) => {
            write!(stream, "Content-Length: {}\r\n\r\n", body.len())?;
            stream.write_all(&body[..body.len() / 2])
        }
        // The body is shorter than the range.
        Some(_) => {
            write!(stream, "Content-Length: {}\r\n\r\n", body.len() / 3)?;
            stream.write_all(&body[..body.len() / 3])
        }
        None => {
            write!(stream, "Content-Length: {}\r\n\r\n", body.len())?;
            stream.write_all(body)
        }
    }
}

/// An archive and the places of its captures: URL, offset, length.
fn archive(pages: std::ops::Range<usize>) -> (Vec<u8>, Vec<(String, usize, usize)>) {
    let mut bytes = gzip(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
    let mut places = Vec::new();
    for page in pages {
        let url = format!("https://h{}.example.org/{page}", page % 3);
        let member = gzip(&warc_record(&url, &long_article(page)));
        places.push((url, bytes.len(), member.len()));
        bytes.extend(member);
    }
    (bytes, places)
}

/// Three archives of ten pages, as the server has them. The second is damaged.
fn crawl() -> HashMap<String, Vec<u8>> {
    let mut files = HashMap::new();
    for number in 0..3 {
        let (mut bytes, places) = archive(number * 10..number * 10 + 10);
        if number == 1 {
            let (_, start, length) = places[4];
            bytes[start + length / 2..][..9].fill(0x55);
        }
        files.insert(format!("crawl-data/{number}.warc.gz"), bytes);
    }
    files
}

/// Writes the files to a folder, and a list of them with one that does not exist. Returns the list.
fn on_disk(folder: &Folder, files: &HashMap<String, Vec<u8>>) -> String {
    std::fs::create_dir_all(folder.0.join("crawl-data")).unwrap();
    for (name, bytes) in files {
        folder.write(name, bytes);
    }
    let names = ["0", "1", "missing", "2"].map(|name| format!("crawl-data/{name}.warc.gz\n"));
    folder.write("warc.paths.gz", gzip(names.concat().as_bytes()))
}

fn run(input: &str, base: &str, out: &str, more: &[&str]) -> Run {
    let args = ["batch", input, "--base", base, "-o", out, "--fields", "id,url,text,error", "--retry-wait", "0.01"];
    maintext(&[&args[..], more].concat())
}

#[test]
fn a_list_of_archives_is_read_from_a_server_as_from_disk() {
    let folder = Folder::new("archives-list");
    let files = crawl();
    let list = on_disk(&folder, &files);
    let local = run(&list, &folder.path(""), "-", &["-q"]);
    assert_eq!(local.status, Some(1));
    let rows = records(&local.stdout);
    assert_eq!(rows.len(), 31, "29 pages, a damaged one and a missing file");
    let missing = rows.iter().find(|row| row["error"].as_str().is_some_and(|e| e.contains("missing.warc.gz"))).unwrap();
    assert_eq!(missing["id"], Value::Null);
    let server = server(files, Mood::Bad);
    let out = folder.path("out.jsonl");
    let remote = run(&list, &server.url("/"), &out, &["--connections", "3"]);
    assert_eq!(remote.status, Some(1), "{remote:?}");
    assert!(remote.stderr.contains("failed: 1 HTTP status 404\n"), "{}", remote.stderr);
    let found = records(&folder.read("out.jsonl"));
    assert_eq!(found.len(), rows.len());
    for (found, row) in found.iter().zip(&rows) {
        assert_eq!(found["text"], row["text"]);
        assert_eq!(found["error"].is_null(), row["error"].is_null());
    }
    let error = found.iter().filter_map(|row| row["error"].as_str()).find(|e| e.contains("missing")).unwrap();
    assert_eq!(error, format!("{}: HTTP status 404 (no such page)", server.url("/crawl-data/missing.warc.gz")));
    let requests = server.requests();
    assert!(
        requests.iter().all(|r| r.contains("bytes=") && r.to_ascii_lowercase().contains("accept-encoding: identity"))
    );
}

#[test]
fn servers_without_ranges_and_dead_servers_fail_with_a_reason() {
    let folder = Folder::new("archives-moods");
    let files = crawl();
    let list = folder.write("warc.paths", "crawl-data/0.warc.gz\n");
    // A small file can come as a whole.
    let whole = server(files.clone(), Mood::Whole);
    let rows = records(&run(&list, &whole.url(""), "-", &["-q"]).good());
    assert_eq!(rows.len(), 10);
    let shifted = server(files, Mood::Shifted);
    let rows = records(&run(&list, &shifted.url(""), "-", &["-q"]).stdout);
    let error = rows[0]["error"].as_str().unwrap();
    assert!(error.contains("the server did not send the bytes from 0 on; download the file instead"), "{error}");
    let rows = records(&run(&list, "http://127.0.0.1:1", "-", &["-q", "--retries", "2"]).stdout);
    let error = rows[0]["error"].as_str().unwrap();
    assert!(error.contains("no connection") && error.ends_with("(after 3 attempts)"), "{error}");
    let other = folder.write("other.paths", "s3://commoncrawl/0.warc.gz\n");
    let message = run(&other, &shifted.url(""), "-", &["-q"]).failure();
    assert!(message.contains("s3: addresses cannot be read, only http:, https: and file:"), "{message}");
    let message = maintext(&["batch", "-q", &list, "-o", "-"]).failure();
    assert!(
        message.contains("crawl-data/0.warc.gz is not a file; name what the paths start with, such as --base"),
        "{message}"
    );
    let message = maintext(&["batch", "-q", "https://example.org/page.html", "-o", "-"]).failure();
    assert!(message.contains("put the addresses of pages in a file that ends with .urls"), "{message}");
}

#[test]
fn a_killed_run_over_a_server_resumes_and_gives_the_same_bytes() {
    let folder = Folder::new("archives-killed");
    let files = crawl();
    let list = on_disk(&folder, &files);
    let server = server(files, Mood::Bad);
    let base = server.url("/");
    let start = |out: &str| {
        let args = ["batch", "-q", &list, "--base", &base, "-o", out, "--checkpoint", "0", "--retry-wait", "0.01"];
        let more = ["--crashes", "0", "--dedup", "exact", "--connections", "2", "-j", "1"];
        crate::command::command(&[&args[..], &more].concat()).stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let whole = folder.path("whole.jsonl");
    let begin = std::time::Instant::now();
    assert_eq!(start(&whole).wait().unwrap().code(), Some(1));
    let time = begin.elapsed();
    let out = folder.path("killed.jsonl");
    let mut kills = 0;
    for step in 1..=8 {
        let mut child = start(&out);
        std::thread::sleep(time.mul_f64(f64::from(step) / 8.0));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    // The status is 2 if the last run was complete.
    start(&out).wait().unwrap();
    assert!(kills > 0);
    assert!(std::fs::read(&whole).unwrap() == std::fs::read(&out).unwrap(), "the rows differ after {kills} kills");
}
