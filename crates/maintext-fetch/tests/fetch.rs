//! Tests the fetcher against a real server: well-behaved, broken and hostile.

mod server;

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use maintext_fetch::{Answer, Ask, FetchError, FetchOptions, Fetched, Fetcher, Proxy, Representation};
use server::{Server, page, read_request, redirect, response};

fn options() -> FetchOptions {
    FetchOptions { timeout: Duration::from_secs(10), proxy: Proxy::Direct, ..FetchOptions::default() }
}

fn fetch(url: &str) -> Result<Fetched, FetchError> {
    Fetcher::new(options())?.fetch(url)
}

fn fetch_response(response: impl Into<Vec<u8>>) -> Result<Fetched, FetchError> {
    fetch(&Server::constant(response).url("/page"))
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).unwrap()
}

/// Encodes text as Brotli with uncompressed meta-blocks (RFC 7932, section 9.2): a window of 16 bits, blocks of up to 65,536 bytes.
fn brotli(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut window_bits = 1;
    for block in text.chunks(1 << 16) {
        // WBITS (first block only), ISLAST 0, MNIBBLES 00, MLEN - 1 in 16 bits, ISUNCOMPRESSED 1, then whole bytes.
        let header = ((block.len() as u32 - 1) | 1 << 16) << (3 + window_bits);
        bytes.extend_from_slice(&header.to_le_bytes()[..3]);
        bytes.extend_from_slice(block);
        window_bits = 0;
    }
    bytes.push(3); // ISLAST 1, ISLASTEMPTY 1
    bytes
}

#[test]
fn a_page_is_returned_with_its_headers() {
    let server =
        Server::constant(response("Content-Type: text/html; charset=\"KOI8-R\"\nX-Test: a\nX-Test: b", b"<p>\xf0"));
    let fetched = fetch(&server.url("/a?b=c#d")).unwrap();
    assert_eq!(fetched.url, server.url("/a?b=c#d"));
    assert_eq!((fetched.status, fetched.body.as_slice()), (200, b"<p>\xf0".as_slice()));
    assert_eq!(fetched.charset.as_deref(), Some("KOI8-R"));
    assert_eq!(fetched.content_type.as_deref(), Some("text/html; charset=\"KOI8-R\""));
    let x_test = fetched.headers.iter().filter(|(name, _)| name == "x-test");
    assert_eq!(x_test.map(|(_, value)| value.as_str()).collect::<Vec<_>>(), ["a", "b"]);

    let request = server.requests().remove(0).to_ascii_lowercase();
    assert!(request.starts_with("get /a?b=c http/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nuser-agent: maintext/"), "{request}");
    assert!(request.contains("\r\naccept-encoding: gzip, deflate, br, zstd\r\n"), "{request}");
}

#[test]
fn headers_in_the_options_replace_the_defaults() {
    let server = Server::constant(page("x"));
    let options = FetchOptions {
        user_agent: "tester/1".into(),
        headers: vec![("Accept".into(), "text/plain".into()), ("Accept-Language".into(), "de".into())],
        ..options()
    };
    Fetcher::new(options).unwrap().fetch(&server.url("/")).unwrap();
    let request = server.requests().remove(0).to_ascii_lowercase();
    for line in ["user-agent: tester/1", "accept: text/plain", "accept-language: de"] {
        assert_eq!(request.matches(&format!("\r\n{line}\r\n")).count(), 1, "{request}");
    }
    assert_eq!(request.matches("\r\naccept:").count(), 1);
}

#[test]
fn every_content_encoding_is_decoded() {
    let text = "<p>Some words that repeat, words that repeat.</p>".repeat(3000);
    let text = text.as_bytes();
    for (encoding, body) in [
        ("gzip", gzip(text)),
        ("x-gzip", gzip(text)),
        ("deflate", zlib(text)),
        ("deflate", deflate(text)),
        ("br", brotli(text)),
        ("zstd", zstd(text)),
        ("identity", text.to_vec()),
        ("gzip, br", brotli(&gzip(text))),
    ] {
        let headers = format!("Content-Type: text/html\nContent-Encoding: {encoding}");
        let fetched = fetch_response(response(&headers, &body));
        assert!(fetched.is_ok_and(|fetched| fetched.body == text), "{encoding}");
    }
}

#[test]
fn unknown_content_encoding_is_named() {
    let error = fetch_response(response("Content-Type: text/html\nContent-Encoding: compress", b"x"));
    assert!(matches!(error, Err(FetchError::ContentEncoding { encoding, .. }) if encoding == "compress"));
}

#[test]
fn chunked_and_close_delimited_bodies_are_read() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n2;x=y\r\nab\r\n0\r\n\r\n");
    assert_eq!(fetch_response(chunked).unwrap().body, b"<p>ab");
    assert_eq!(fetch_response(format!("{head}\r\n<p>ab")).unwrap().body, b"<p>ab");
    let old = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>ab";
    assert_eq!(fetch_response(old).unwrap().body, b"<p>ab");
}

#[test]
fn a_wrong_charset_header_is_passed_on_and_overruled_by_the_decoder() {
    let sentence = "Москва и область ждут тёплых дней";
    let russian: Vec<u8> = sentence
        .chars()
        .map(|c| match c {
            'А'..='я' => (c as u32 - 'А' as u32) as u8 + 0xc0,
            'ё' => 0xb8,
            _ => c as u8,
        })
        .collect();
    let fetched = fetch_response(response("Content-Type: text/html; charset=utf-8", &russian)).unwrap();
    assert_eq!(fetched.charset.as_deref(), Some("utf-8"));
    let decoded = maintext_core::decode::decode(&fetched.body, fetched.charset.as_deref());
    assert_eq!((decoded.encoding, decoded.text.as_ref()), ("windows-1251", sentence));
}

#[test]
fn redirects_of_every_kind_are_followed() {
    let server = Server::start(|path, stream| {
        let response = match path {
            "/a/start" => redirect(301, "next?x=1"),
            "/a/next?x=1" => redirect(302, "/root"),
            "/root" => redirect(303, "  ../up  "),
            "/up" => redirect(307, "?query"),
            "/up?query" => redirect(308, "/ümlaut path"),
            "/%C3%BCmlaut%20path" => page("end"),
            _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        };
        let _ = stream.write_all(&response);
    });
    let fetched = fetch(&server.url("/a/start#part")).unwrap();
    assert_eq!(fetched.url, server.url("/%C3%BCmlaut%20path#part"));
    assert_eq!(fetched.body, b"end");
}

#[test]
fn a_redirect_may_omit_the_scheme() {
    let target = Server::constant(page("there"));
    let location = target.url("/x").replace("http:", "");
    let server = Server::constant(redirect(302, &location));
    assert_eq!(fetch(&server.url("/")).unwrap().url, target.url("/x"));
}

#[test]
fn a_redirect_loop_is_distinguished_from_a_long_chain() {
    let server = Server::start(|path, stream| {
        let number: usize = path[1..].parse().unwrap_or(0);
        let next = if path.starts_with("/loop") { "/loop#x".into() } else { format!("/{}", number + 1) };
        let _ = stream.write_all(&redirect(302, &next));
    });
    let error = fetch(&server.url("/loop")).unwrap_err();
    assert!(matches!(&error, FetchError::RedirectLoop { .. }), "{error}");
    assert_eq!(server.requests().len(), 1);

    let error = fetch(&server.url("/1")).unwrap_err();
    let (url, last) = (server.url("/1"), server.url("/12"));
    assert_eq!(error, FetchError::TooManyRedirects { url, last, limit: 10 });

    let none = FetchOptions { max_redirects: 0, ..options() };
    let error = Fetcher::new(none).unwrap().fetch(&server.url("/1")).unwrap_err();
    assert!(matches!(error, FetchError::TooManyRedirects { limit: 0, .. }));
}

#[test]
fn unusable_redirects_are_errors() {
    for location in ["ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)", "data:,x"] {
        let error = fetch_response(redirect(302, location)).unwrap_err();
        assert!(matches!(error, FetchError::Scheme { .. }), "{error}");
    }
    let error = fetch_response(redirect(302, "http://[")).unwrap_err();
    assert!(matches!(error, FetchError::BadRedirect { status: 302, .. }), "{error}");
    let error = fetch_response("HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n").unwrap_err();
    assert!(error.to_string().contains("no Location"), "{error}");
}

#[test]
fn headers_that_may_hold_secrets_stay_with_their_site() {
    let other = Server::constant(page("other"));
    let away = other.url("/away");
    let server = Server::start(move |path, stream| {
        let next = if path == "/1" { "/2" } else { &away };
        let _ = stream.write_all(&redirect(302, next));
    });
    let secret = ["Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization", "Referer", "X-Anything"];
    let mut headers: Vec<(String, String)> = secret.map(|name| (name.into(), "secret".into())).into();
    headers.extend([("Accept-Language".into(), "de".into()), ("User-Agent".into(), "reader".into())]);
    Fetcher::new(FetchOptions { headers, ..options() }).unwrap().fetch(&server.url("/1")).unwrap();
    assert_eq!(server.requests().len(), 2);
    for request in server.requests() {
        assert_eq!(request.matches("secret").count(), secret.len(), "{request}");
    }
    let request = other.requests().remove(0).to_ascii_lowercase();
    assert!(request.contains("accept-language: de") && request.contains("user-agent: reader"), "{request}");
    assert!(!request.contains("secret"), "{request}");
}

#[test]
fn a_foreign_site_cannot_send_secrets_back() {
    let home: std::sync::Arc<std::sync::OnceLock<String>> = Default::default();
    let back = home.clone();
    let other = Server::start(move |_, stream| {
        let _ = stream.write_all(&redirect(302, back.get().unwrap()));
    });
    let away = other.url("/away");
    let server = Server::start(move |path, stream| {
        let answer = if path == "/start" { redirect(302, &away) } else { page("transfer done") };
        let _ = stream.write_all(&answer);
    });
    home.set(server.url("/transfer")).unwrap();
    let headers = vec![("Cookie".into(), "secret".into())];
    Fetcher::new(FetchOptions { headers, ..options() }).unwrap().fetch(&server.url("/start")).unwrap();
    let requests = server.requests();
    assert!(requests[0].contains("secret") && !requests[1].contains("secret"), "{requests:?}");
}

#[test]
fn a_password_in_the_url_is_sent_but_not_shown() {
    let server = Server::start(|path, stream| {
        let found = if path == "/found" { page("x") } else { b"HTTP/1.1 404 No\r\n\r\n".to_vec() };
        let _ = stream.write_all(&found);
    });
    let url = |path| server.url(path).replace("http://", "http://user:secret@");
    assert_eq!(fetch(&url("/found")).unwrap().url, server.url("/found"));
    assert!(server.requests()[0].contains("Basic dXNlcjpzZWNyZXQ="), "{:?}", server.requests());
    let error = fetch(&url("/missing")).unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn error_statuses_name_status_and_url() {
    for status in [400, 404, 410, 429, 500, 503] {
        let server = Server::constant(format!(
            "HTTP/1.1 {status} Whatever\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nbody"
        ));
        let error = fetch(&server.url("/gone")).unwrap_err();
        assert_eq!(error, FetchError::Status { url: server.url("/gone"), status, retry_after: None, sent: true });
        let line = error.to_string();
        assert!(line.contains(&status.to_string()) && line.contains("/gone"), "{line}");
    }
}

#[test]
fn other_content_types_are_refused_without_reading_the_body() {
    for content_type in ["application/pdf", "image/png", "application/json", "application/octet-stream"] {
        // The body is never sent: the fetcher must not wait for it.
        let error = fetch_response(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: 999999\r\n\r\n"
        ))
        .unwrap_err();
        assert!(matches!(&error, FetchError::ContentType { .. }), "{error}");
        let line = error.to_string();
        assert!(line.contains(content_type) && line.contains("/page"), "{line}");
    }
}

#[test]
fn missing_content_type_is_sniffed() {
    for text in ["<!doctype html><p>x", "just text", "", "\u{feff}text"] {
        let fetched = fetch_response(response("X-Y: z", text.as_bytes())).unwrap();
        assert_eq!((fetched.body.as_slice(), fetched.content_type), (text.as_bytes(), None));
    }
    let binaries: [&[u8]; 4] = [b"%PDF-1.4 x", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"a\x01b"];
    for body in binaries {
        let error = fetch_response(response("X-Y: z", body)).unwrap_err();
        assert!(matches!(error, FetchError::Binary { content_type: None, .. }), "{error}");
    }
}

#[test]
fn a_pdf_declared_as_html_is_refused() {
    let error = fetch_response(response("Content-Type: text/html", b"%PDF-1.7\n%\xe2\xe3")).unwrap_err();
    let line = error.to_string();
    assert!(line.contains("a PDF document") && line.contains("text/html"), "{line}");
}

#[test]
fn slow_server_is_stopped_by_the_timeout() {
    let server = Server::start(|path, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n";
        let (fast, slow) = match path {
            "/body" => (head.as_bytes(), b"x"),
            "/head" => (b"HTTP/1.1 200 OK\r\nX: ".as_slice(), b"y"),
            _ => (b"".as_slice(), b" "),
        };
        let mut alive = stream.write_all(fast).is_ok();
        while alive {
            thread::sleep(Duration::from_millis(20));
            // "/silent" sends nothing at all until the client is gone.
            alive = path != "/silent" && stream.write_all(slow).is_ok();
            if path == "/silent" {
                thread::sleep(Duration::from_secs(1));
            }
        }
    });
    for path in ["/body", "/head", "/silent"] {
        let options = FetchOptions { timeout: Duration::from_millis(300), ..options() };
        let start = Instant::now();
        let error = Fetcher::new(options).unwrap().fetch(&server.url(path)).unwrap_err();
        assert!(matches!(error, FetchError::Timeout { connecting: false, .. }), "{path}: {error}");
        assert!(start.elapsed() < Duration::from_secs(4), "{path}: {:?}", start.elapsed());
        assert!(error.is_temporary());
    }
}

#[test]
fn timeout_covers_all_redirects_together() {
    let server = Server::start(|path, stream| {
        thread::sleep(Duration::from_millis(120));
        let number: usize = path[1..].parse().unwrap();
        let _ = stream.write_all(&redirect(302, &format!("/{}", number + 1)));
    });
    let options = FetchOptions { timeout: Duration::from_millis(300), ..options() };
    let error = Fetcher::new(options).unwrap().fetch(&server.url("/1")).unwrap_err();
    assert!(matches!(error, FetchError::Timeout { .. }), "{error}");
    assert!(server.requests().len() <= 3);
}

#[test]
fn endless_body_is_stopped_at_the_limit() {
    let server = Server::start(|path, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
        let framing = if path == "/chunked" { "Transfer-Encoding: chunked\r\n" } else { "" };
        let data = if path == "/chunked" { format!("1000\r\n{}\r\n", "x".repeat(4096)) } else { "x".repeat(4096) };
        let _ = write!(stream, "{head}{framing}\r\n");
        while stream.write_all(data.as_bytes()).is_ok() {}
    });
    let options = FetchOptions { max_size: 1_000_000, ..options() };
    for path in ["/chunked", "/close"] {
        let error = Fetcher::new(options.clone()).unwrap().fetch(&server.url(path)).unwrap_err();
        assert_eq!(error, FetchError::TooLarge { url: server.url(path), limit: 1_000_000 });
    }
}

#[test]
fn a_declared_length_over_the_limit_is_refused_without_reading_the_body() {
    let error = fetch_response("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 99999999999\r\n\r\n");
    assert!(matches!(error, Err(FetchError::TooLarge { .. })));
}

#[test]
fn decompression_bombs_are_stopped() {
    let zeros = vec![0; 50_000_000];
    let bombs = [
        ("gzip", gzip(&zeros)),
        ("deflate", zlib(&zeros)),
        ("zstd", zstd(&zeros)),
        ("gzip, gzip", gzip(&gzip(&zeros))),
        ("br", brotli(&zeros[..2_000_000])),
    ];
    for (encoding, bomb) in bombs {
        let headers = format!("Content-Type: text/html\nContent-Encoding: {encoding}");
        let server = Server::constant(response(&headers, &bomb));
        let options = FetchOptions { max_size: 1_000_000, ..options() };
        let start = Instant::now();
        let error = Fetcher::new(options).unwrap().fetch(&server.url("/")).unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { .. }), "{encoding}: {error}");
        assert!(start.elapsed() < Duration::from_secs(2), "{encoding}");
    }
}

#[test]
fn a_connection_closed_in_mid_body_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
    let cut_gzip = &gzip(&[b'x'; 9000])[..20];
    let bodies = [
        format!("{head}Content-Length: 1000\r\n\r\n<p>only this").into_bytes(),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n1000\r\n<p>only this").into_bytes(),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n").into_bytes(),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n<p>\r\n").into_bytes(),
        [format!("{head}Content-Encoding: gzip\r\n\r\n").as_bytes(), cut_gzip].concat(),
    ];
    for body in bodies {
        let text = String::from_utf8_lossy(&body).into_owned();
        let error = fetch_response(body).unwrap_err();
        assert!(matches!(error, FetchError::Damaged { .. }), "{text}: {error}");
    }
}

#[test]
fn a_response_that_is_not_http_is_a_connection_error() {
    for answer in ["", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nBroken Header\r\n\r\n"] {
        let error = fetch_response(answer).unwrap_err();
        assert!(matches!(error, FetchError::Connect { .. }), "{answer:?}: {error}");
    }
    let huge = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1_000_000));
    assert!(matches!(fetch_response(huge), Err(FetchError::Connect { .. })));
}

#[test]
fn https_to_a_server_without_tls_is_a_connection_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut hello = [0; 5];
        std::io::Read::read_exact(&mut stream, &mut hello).unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        hello
    });
    let error = fetch(&url).unwrap_err();
    assert!(matches!(&error, FetchError::Connect { .. }), "{error}");
    // A TLS handshake record shows that the client tried.
    assert_eq!(server.join().unwrap()[..2], [0x16, 0x03]);
}

#[test]
fn refused_connection_names_the_url() {
    let url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/x", listener.local_addr().unwrap())
    };
    let error = fetch(&url).unwrap_err();
    assert!(matches!(error, FetchError::Connect { .. }) && error.to_string().contains(&url), "{error}");
}

#[test]
fn a_connection_closed_between_two_fetches_is_reopened() {
    // The server closes the connection after each response without announcing it.
    let server = Server::constant(page("x"));
    let fetcher = Fetcher::new(options()).unwrap();
    for _ in 0..20 {
        fetcher.fetch(&server.url("/")).unwrap();
    }
}

#[test]
fn headers_cannot_be_injected() {
    for (name, value) in [
        ("X-Test", "a\r\nX-Injected: b"),
        ("X-Test", "a\nb"),
        ("X-Test", "a\0b"),
        ("X-Test\r\nX-Injected", "b"),
        ("X Test", "b"),
        ("", "b"),
        ("Host", "other.example"),
        ("Content-Length", "5"),
        ("Transfer-Encoding", "chunked"),
    ] {
        let options = FetchOptions { headers: vec![(name.into(), value.into())], ..options() };
        let error = Fetcher::new(options).unwrap_err();
        assert!(matches!(&error, FetchError::BadHeader { .. }), "{error}");
        assert!(!error.to_string().contains(['\r', '\n']), "{error}");
    }
    let options = FetchOptions { user_agent: "a\r\nX-Injected: b".into(), ..options() };
    assert!(matches!(Fetcher::new(options), Err(FetchError::BadHeader { .. })));
}

#[test]
fn line_breaks_in_urls_inject_nothing() {
    let server = Server::start(|path, stream| {
        let answer = if path.starts_with("/jump") {
            redirect(302, "/to%0d%0aX-Injected:%20b\tX-Injected: b")
        } else {
            page("x")
        };
        let _ = stream.write_all(&answer);
    });
    fetch(&server.url("/a b HTTP/1.1\r\nX-Injected: b\r\n\r\n")).unwrap();
    fetch(&server.url("/jump")).unwrap();
    for request in server.requests() {
        assert!(!request.contains("\r\nX-Injected"), "{request}");
    }
}

#[test]
fn unusable_urls_are_errors() {
    for url in ["", "example.org/page", "http://", "http://[::1", "//example.org", "http://a b/"] {
        let error = fetch(url).unwrap_err();
        assert!(matches!(error, FetchError::BadUrl { .. }), "{url}: {error}");
    }
    for url in ["ftp://example.org/", "file:///etc/passwd", "localhost:8080", "mailto:a@b.c"] {
        let error = fetch(url).unwrap_err();
        assert!(matches!(error, FetchError::Scheme { .. }), "{url}: {error}");
    }
}

#[test]
fn the_proxy_in_the_options_is_used() {
    let proxy = Server::start(|path, stream| {
        assert_eq!(path, "pages.example:80");
        let _ = stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n");
        let request = read_request(stream).unwrap();
        assert!(request.starts_with("GET /x HTTP/1.1\r\n"), "{request}");
        let _ = stream.write_all(&page("through the proxy"));
    });
    let options = FetchOptions { proxy: Proxy::Url(proxy.url("")), ..options() };
    let fetched = Fetcher::new(options).unwrap().fetch("http://pages.example/x").unwrap();
    assert_eq!(fetched.body, b"through the proxy");
    let bad = FetchOptions { proxy: Proxy::Url("gopher://x".into()), ..FetchOptions::default() };
    assert!(matches!(Fetcher::new(bad), Err(FetchError::BadProxy { .. })));
}

#[test]
fn absurd_options_do_not_panic() {
    let server = Server::constant(page("x"));
    let most = FetchOptions {
        timeout: Duration::MAX,
        connect_timeout: Duration::MAX,
        max_size: usize::MAX,
        max_redirects: usize::MAX,
        ..options()
    };
    assert_eq!(Fetcher::new(most).unwrap().fetch(&server.url("/")).unwrap().body, b"x");
    let least = FetchOptions { timeout: Duration::ZERO, max_size: 0, ..options() };
    assert!(matches!(Fetcher::new(least).unwrap().fetch(&server.url("/")), Err(FetchError::Timeout { .. })));
}

#[test]
fn a_fetcher_can_be_shared_between_threads() {
    let server = Server::constant(page("x"));
    let fetcher = Fetcher::new(options()).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fetcher.fetch(&server.url("/")).unwrap());
        }
    });
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn error_pages_are_returned_on_request() {
    let gone = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 11\r\nConnection: close\r\n\r\n<p>No page.";
    let file = "HTTP/1.1 404 Not Found\r\nContent-Type: image/png\r\nContent-Length: 1\r\nConnection: close\r\n\r\n.";
    let fetcher = Fetcher::new(FetchOptions { error_pages: true, ..options() }).unwrap();
    let page = fetcher.fetch(&Server::constant(gone).url("/gone")).unwrap();
    assert_eq!((page.status, &page.body[..]), (404, &b"<p>No page."[..]));
    let error = fetcher.fetch(&Server::constant(file).url("/picture")).unwrap_err();
    assert!(matches!(error, FetchError::Status { status: 404, .. }), "{error:?}");
}

fn partial(range: &str, announced: usize, body: &[u8]) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {range}\r\nContent-Length: {announced}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

#[test]
fn ranges_are_added_to_what_is_there() {
    let body = partial("5-8/20", 4, b"fghi");
    let server = Server::constant(body);
    let mut bytes = b"before ".to_vec();
    let part = Fetcher::new(options()).unwrap().range(&server.url("/a"), 5, 4, &mut bytes).unwrap();
    assert_eq!((bytes.as_slice(), part.total), (&b"before fghi"[..], Some(20)));
    let request = server.requests()[0].to_ascii_lowercase();
    assert!(request.contains("range: bytes=5-8\r\n") && request.contains("accept-encoding: identity"), "{request}");
}

#[test]
fn a_range_that_breaks_off_keeps_what_arrived() {
    let start = b"x".repeat(100_000);
    let sent = start.clone();
    let server = Server::start(move |path, stream| {
        let _ = stream.write_all(&partial("0-199999/500000", 200_000, &sent));
        if path == "/slow" {
            thread::sleep(Duration::from_secs(1));
        }
    });
    let options = FetchOptions { timeout: Duration::from_millis(400), ..options() };
    let fetcher = Fetcher::new(options).unwrap();
    for path in ["/slow", "/closed"] {
        let mut bytes = Vec::new();
        let error = fetcher.range(&server.url(path), 0, 200_000, &mut bytes).unwrap_err();
        assert!(error.is_temporary(), "{error}");
        assert!(bytes == start, "{path}: {} bytes", bytes.len());
    }
}

#[test]
fn answers_without_the_range_are_refused() {
    let range = |response: Vec<u8>| {
        let mut bytes = Vec::new();
        let server = Server::constant(response);
        Fetcher::new(options()).unwrap().range(&server.url("/a"), 0, 5, &mut bytes).map(|part| (bytes, part.total))
    };
    assert_eq!(range(response("", b"abc")), Ok((b"abc".to_vec(), Some(3))));
    // Without a length, the body shows whether it is the whole file.
    assert_eq!(range(b"HTTP/1.1 200 OK\r\n\r\nabcde".to_vec()), Ok((b"abcde".to_vec(), Some(5))));
    for wrong in [response("", b"abcdef"), b"HTTP/1.1 200 OK\r\n\r\nabcdef".to_vec(), partial("1-5/9", 5, b"bcdef")] {
        assert!(matches!(range(wrong), Err(FetchError::Range { .. })));
    }
    let ended = b"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(range(ended.to_vec()), Ok((Vec::new(), Some(0))));
    assert!(matches!(
        range(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".to_vec()),
        Err(FetchError::Status { status: 404, .. })
    ));
}

fn accept_of(request: &str) -> String {
    let line = request.lines().find(|l| l.to_ascii_lowercase().starts_with("accept:"));
    line.unwrap_or("").split_once(':').map_or("", |(_, value)| value).trim().to_owned()
}

#[test]
fn markdown_is_asked_for_when_wanted() {
    let server = Server::start_with_requests(|request, stream| {
        let answer = if accept_of(request).starts_with("text/markdown") {
            response("Content-Type: text/markdown; charset=utf-8\nVary: Accept", b"# A walk")
        } else {
            page("<h1>A walk</h1>")
        };
        let _ = stream.write_all(&answer);
    });
    let fetcher = Fetcher::new(options()).unwrap();
    let markdown = fetcher.asking_for(Representation::Markdown);
    assert_eq!(markdown.fetch(&server.url("/a")).unwrap().body, b"# A walk");
    assert_eq!(fetcher.fetch(&server.url("/a")).unwrap().body, b"<h1>A walk</h1>");
    let url = server.url("/a");
    let ask = Ask { representation: Some(Representation::Html), ..Ask::new(&url) };
    assert!(matches!(markdown.ask(&ask).unwrap(), Answer::Page(page) if page.body.starts_with(b"<h1>")));
    // The caller's own header takes precedence.
    let headers = vec![("Accept".to_owned(), "text/html".to_owned())];
    let own = FetchOptions { headers, representation: Representation::Markdown, ..options() };
    assert_eq!(Fetcher::new(own).unwrap().fetch(&server.url("/a")).unwrap().body, b"<h1>A walk</h1>");
    let accepts: Vec<String> = server.requests().iter().map(|r| accept_of(r)).collect();
    assert!(accepts[0].contains("text/html;q=0.7") && accepts[1].starts_with("text/html,"), "{accepts:?}");
    assert_eq!(accepts[3], "text/html");
}

#[test]
fn an_error_in_markdown_is_an_error() {
    let body = "HTTP/1.1 404 Not Found\r\nContent-Type: text/markdown\r\nContent-Length: 11\r\n\r\n# Not found";
    let server = Server::constant(body);
    let fetcher = Fetcher::new(FetchOptions { representation: Representation::Markdown, ..options() }).unwrap();
    assert!(matches!(fetcher.fetch(&server.url("/")), Err(FetchError::Status { status: 404, .. })));
    // A binary file is not Markdown whatever its header says.
    let server = Server::constant(response("Content-Type: text/markdown", b"\x89PNG\r\n\x1a\n\0\0\0"));
    assert!(matches!(fetcher.fetch(&server.url("/")), Err(FetchError::Binary { .. })));
}

#[test]
fn a_link_header_declares_the_markdown_version() {
    let headers = "Content-Type: text/html\nLink: </feed>; rel=alternate; type=\"application/rss+xml\", <a.md>; rel=\"alternate\"; \
                   type=\"text/markdown\"";
    let server = Server::constant(response(headers, b"<p>x"));
    assert_eq!(fetch(&server.url("/d/a")).unwrap().markdown_link(), Some(server.url("/d/a.md")));
}

#[test]
fn an_answer_that_asks_for_payment_has_its_terms() {
    let headers = "crawler-price: USD 0.01\r\nLink: </l.xml>; rel=\"license\"; type=\"application/rsl+xml\"\r\n";
    let answer = format!(
        "HTTP/1.1 402 Payment Required\r\nContent-Type: text/html\r\n{headers}Content-Length: 7\r\n\r\n<p>Pay!"
    );
    let server = Server::constant(answer);
    let fetcher = Fetcher::new(FetchOptions { error_pages: true, ..options() }).unwrap();
    for result in [fetch(&server.url("/")), fetcher.fetch(&server.url("/"))] {
        let error = result.unwrap_err();
        let license = Some(server.url("/l.xml"));
        assert_eq!(error, FetchError::Payment { url: server.url("/"), price: Some("USD 0.01".into()), license });
        assert!(!error.is_temporary() && error.reason() == "payment required");
        assert!(error.to_string().contains("price: USD 0.01; licence: http"), "{error}");
    }
    let body = r#"{"x402Version":1,"accepts":[{"maxAmountRequired":"10","network":"base"}]}"#;
    let answer = format!(
        "HTTP/1.1 402 Payment Required\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let error = fetch_response(answer).unwrap_err();
    assert!(
        matches!(&error, FetchError::Payment { price: Some(p), license: None, .. } if p == "10 units on base"),
        "{error}"
    );
    let none = fetch_response("HTTP/1.1 402 Payment Required\r\nContent-Length: 0\r\n\r\n").unwrap_err();
    assert!(none.to_string().contains("no price stated"), "{none}");
}

#[test]
fn a_server_that_asks_to_wait_gets_no_request_until_then() {
    let later = || httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(3));
    for wait in [|| "2".to_owned(), later] {
        let wait = wait();
        let answer = format!("HTTP/1.1 429 Slow down\r\nRetry-After: {wait}\r\nContent-Length: 0\r\n\r\n");
        let server = Server::constant(answer);
        let fetcher = Fetcher::new(options()).unwrap();
        let lenient = Fetcher::new(FetchOptions { error_pages: true, ..options() }).unwrap().resting_with(&fetcher);
        assert_eq!(fetcher.rest(&server.url("/")), None);
        for (fetcher, path) in [(&fetcher, "/a"), (&fetcher.clone(), "/b"), (&lenient, "/c")] {
            let error = fetcher.fetch(&server.url(path)).unwrap_err();
            let FetchError::Status { status: 429, retry_after: Some(left), sent, .. } = &error else {
                panic!("{error}")
            };
            assert!(*sent == (path == "/a") && error.is_temporary());
            assert!(*left <= Duration::from_secs(3) && error.to_string().contains("asks to wait"), "{error}");
        }
        assert_eq!(server.requests().len(), 1, "{wait}");
        thread::sleep(fetcher.rest(&server.url("/x")).unwrap());
        let _ = fetcher.fetch(&server.url("/d"));
        assert_eq!(server.requests().len(), 2, "{wait}");
    }
}
