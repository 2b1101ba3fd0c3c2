//! `maintext extract` against a real server on the loopback interface.
use crate::command::server::{Server, redirect, response};
use crate::command::{Folder, Run, article, example, maintext};
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

const HTML: &str = "Content-Type: text/html; charset=utf-8";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns the output of the command for the same bytes in a file.
fn text_of_file(bytes: &[u8], url: &str) -> String {
    let folder = Folder::new(&format!("http-{}", url.replace(|c: char| !c.is_alphanumeric(), "-")));
    maintext(&["extract", "--url", url, &folder.write("page.html", bytes)]).output()
}

fn serve(headers: &'static str, body: Vec<u8>) -> Server {
    Server::constant(response(headers, &body))
}

#[track_caller]
fn error(server: &Server, path: &str, args: &[&str]) -> String {
    let url = server.url(path);
    let message = maintext(&[&["extract", url.as_str()], args].concat()).failure();
    assert!(message.contains(&url), "{message}");
    message
}

#[test]
fn pages_are_the_same_over_http() {
    for name in ["news-en.html", "forum-thread.html", "docs-code-tables.html", "product.html", "list.html"] {
        let server = serve(HTML, example(name));
        let url = server.url("/page");
        let text = maintext(&["extract", &url]).output();
        assert_eq!(text, text_of_file(&example(name), &url), "{name}");
        assert!(!text.is_empty(), "{name}");
    }
}

#[test]
fn redirects_are_followed_and_the_result_has_the_last_address() {
    let server = Server::start(|path, stream| {
        let answer = match path {
            "/a" => redirect(301, "/b"),
            "/b" => redirect(302, "dir/c?d=1"),
            "/dir/c?d=1" => response(HTML, article("herons").as_bytes()),
            _ => redirect(307, &format!("{path}x")),
        };
        let _ = stream.write_all(&answer);
    });
    let out = maintext(&["extract", "-f", "json", &server.url("/a")]).good();
    let page: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(page["url"], server.url("/dir/c?d=1"));
    assert!(page["text"].as_str().unwrap().contains("herons"));
    let message = error(&server, "/endless", &["--max-redirects", "3"]);
    assert!(message.contains("more than 3 redirects"), "{message}");
}

#[test]
fn gzip_bodies_are_unpacked() {
    let page = example("news-en.html");
    let server = Server::constant(response(&format!("{HTML}\r\nContent-Encoding: gzip"), &gzip(&page)));
    let url = server.url("/");
    // A hidden notice of the page is a warning.
    assert_eq!(maintext(&["extract", &url]).output(), text_of_file(&page, &url));
}

#[test]
fn a_wrong_charset_header_is_overruled() {
    for (name, charset, words) in [
        ("news-ru-1251.html", "utf-8", "каланчи"),
        ("news-zh-gbk.html", "utf-8", "记者"),
        ("small/japanese-sjis.html", "utf-8", "店主"),
    ] {
        let server = Server::constant(response(&format!("Content-Type: text/html; charset={charset}"), &example(name)));
        let url = server.url("/");
        let text = maintext(&["extract", &url]).good();
        assert_eq!(text, text_of_file(&example(name), &url), "{name} sent as {charset}");
        assert!(text.contains(words) && !text.contains('\u{fffd}'), "{name} sent as {charset}: {text}");
    }
}

#[test]
fn error_statuses_are_errors() {
    let server = Server::constant("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nNone");
    assert!(error(&server, "/gone", &[]).contains("404"));
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    let message = maintext(&["extract", &nobody]).failure();
    assert!(message.contains(&nobody) && message.contains("no connection"), "{message}");
}

#[test]
fn a_slow_body_is_stopped_by_the_timeout() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{HTML}\r\n\r\n").as_bytes());
        while stream.write_all(b"<p>word ").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let start = Instant::now();
    let message = error(&server, "/slow", &["--timeout", "0.7"]);
    assert!(message.contains("within 0.7 s"), "{message}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_body_of_1_gb_is_stopped_at_max_size() {
    fn flood(stream: &mut TcpStream) {
        let chunk = [b'x'; 1 << 16];
        for _ in 0..(1 << 30) / chunk.len() {
            if stream.write_all(&chunk).is_err() {
                return;
            }
        }
    }
    let server = Server::start(|path, stream| {
        let length = if path == "/announced" { "Content-Length: 1073741824\r\n" } else { "" };
        let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{HTML}\r\n{length}\r\n").as_bytes());
        flood(stream);
    });
    for path in ["/announced", "/unannounced"] {
        let start = Instant::now();
        let message = error(&server, path, &["--max-size", "2M"]);
        assert!(message.contains("larger than 2097152 bytes; raise the size limit (--max-size)"), "{message}");
        assert!(start.elapsed() < Duration::from_secs(5), "{path}: {:?}", start.elapsed());
    }
    // A small body that expands to 1 GB is rejected at the default limit.
    let bomb = gzip(&vec![b' '; 64 << 20]);
    let body = bomb.repeat(16);
    assert!(body.len() < 20 << 20);
    let server = Server::constant(response(&format!("{HTML}\r\nContent-Encoding: gzip"), &body));
    assert!(error(&server, "/bomb", &[]).contains("larger than 20971520 bytes"));
}

#[test]
fn a_pdf_is_a_clear_error() {
    let server = serve("Content-Type: application/pdf", b"%PDF-1.7\n".to_vec());
    assert!(error(&server, "/paper.pdf", &[]).contains("application/pdf, not HTML"));
    let server = serve(HTML, b"%PDF-1.7\n".to_vec());
    assert!(error(&server, "/paper", &[]).contains("PDF"));
}

#[test]
fn headers_and_user_agent_are_sent() {
    let server = serve(HTML, article("herons").into_bytes());
    maintext(&["extract", &server.url("/"), "--user-agent", "Tester/1", "--header", "X-Test: a: b"]).good();
    let request = server.requests().remove(0).to_lowercase();
    assert!(request.contains("user-agent: tester/1\r\n") && request.contains("x-test: a: b\r\n"), "{request}");
}

#[test]
fn results_are_named_after_the_address() {
    let server = serve(HTML, article("herons").into_bytes());
    let folder = Folder::new("http-names");
    let url = server.url("/news/2024?id=7");
    maintext(&["extract", &url, "--output-dir", folder.0.to_str().unwrap()]).good();
    assert_eq!(folder.names(), ["127.0.0.1_news_2024_id_7.txt"]);
}

#[test]
fn one_failure_among_addresses_does_not_end_the_run() {
    let server = Server::start(|path, stream| {
        let _ = match path {
            "/good" => stream.write_all(&response(HTML, article("herons").as_bytes())),
            _ => stream.write_all(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"),
        };
    });
    let Run { status, stdout, stderr } = maintext(&["extract", &server.url("/bad"), &server.url("/good")]);
    assert!(status == Some(1) && stdout.contains("herons") && stderr.contains("/bad: HTTP status 500"), "{stderr}");
}
