//! A service on loopback, and a client that writes raw HTTP, so that it can misbehave.
#![allow(dead_code)]
pub mod tab;

use maintext_fetch::{FetchOptions, Policy};
use maintext_server::{Config, Service};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// A page with a story between menus.
pub const STORY: &str = "<html lang=en><head><title>Two herons | The Daily Bank</title></head><body>\
    <nav><ul><li><a href=/>Home</a><li><a href=/birds>Birds</a></ul></nav><article><h1>Two herons</h1>\
    <p>We left early, and the road was empty. Nobody spoke until the hills, where the fog lifted and the river shone.</p>\
    <p>By noon we had seen two herons, a fox, and the first swallows of the year, which is more than we had hoped for.</p>\
    </article><footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer></body></html>";

/// A running service, stopped on drop.
pub struct Running {
    pub address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<bool>>,
}

/// Returns settings for tests, which permit fetching from loopback on any port.
pub fn config() -> Config {
    let policy = Policy { networks: vec!["127.0.0.1/32".parse().unwrap()], ports: Vec::new(), ..Policy::default() };
    let fetch = Config::default().fetch.unwrap();
    Config { fetch: Some(FetchOptions { policy: Some(policy), ..fetch }), log: false, ..Config::default() }
}

pub fn start(config: Config) -> Running {
    let (sender, receiver) = mpsc::channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let answered = runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            let service = Service::new(config).unwrap();
            service.run(listener, async { drop(stopped.await) }).await
        });
        // Does not wait for hanging fetches, like the command.
        runtime.shutdown_background();
        answered
    });
    Running { address: receiver.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
}

impl Running {
    /// Signals the service to stop; `finish` waits for it.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Stops the service and returns whether all requests were answered.
    pub fn finish(mut self) -> bool {
        self.stop();
        self.thread.take().unwrap().join().unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    pub fn get(&self, path: &str, headers: &str) -> Answer {
        self.raw(format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n", self.address))
    }

    pub fn post(&self, path: &str, headers: &str, body: impl AsRef<[u8]>) -> Answer {
        let body = body.as_ref();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        self.raw([head.as_bytes(), body].concat())
    }

    pub fn json(&self, path: &str, body: &Value) -> Answer {
        self.post(path, "Content-Type: application/json\r\n", body.to_string())
    }

    /// Returns the body of a response as bytes.
    pub fn download(&self, path: &str) -> Vec<u8> {
        let mut stream = self.connect();
        let ask = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        stream.write_all(ask.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let head = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        bytes.split_off(head + 4)
    }

    /// Sends bytes and reads until the server closes the connection.
    pub fn raw(&self, request: impl AsRef<[u8]>) -> Answer {
        let mut stream = self.connect();
        // A server that rejects a request early may close the connection during the write.
        let _ = stream.write_all(request.as_ref());
        Answer::read(&mut stream)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A response.
#[derive(Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn read(stream: &mut TcpStream) -> Answer {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunked(body) } else { body.to_owned() };
        Answer { status, head: head.to_lowercase(), body }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
}

fn unchunked(body: &str) -> String {
    let (mut rest, mut out) = (body.as_bytes(), Vec::new());
    while let Some(at) = rest.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
        out.extend_from_slice(&rest[at + 2..at + 2 + size]);
        rest = &rest[at + 2 + size + 2..];
        if size == 0 {
            break;
        }
    }
    String::from_utf8(out).unwrap()
}

/// Starts a site on loopback. `answer` returns the response for a path: status line with headers, and body.
pub fn site(answer: impl Fn(&str) -> (String, String) + Send + Sync + 'static) -> SocketAddr {
    site_by_request(move |request| answer(request.split(' ').nth(1).unwrap_or("")))
}

/// Like [`site`], but the answer depends on the whole head of the request.
pub fn site_by_request(answer: impl Fn(&str) -> (String, String) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = std::sync::Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || {
                let mut stream = stream;
                let mut request = Vec::new();
                let mut piece = [0; 4096];
                while !request.windows(4).any(|w| w == b"\r\n\r\n") {
                    match stream.read(&mut piece) {
                        Ok(n) if n > 0 => request.extend_from_slice(&piece[..n]),
                        _ => return,
                    }
                }
                let request = String::from_utf8_lossy(&request).into_owned();
                let (head, body) = answer(&request);
                let length = body.len();
                let text = format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
                let _ = stream.write_all(text.as_bytes());
            });
        }
    });
    address
}

/// Returns a response for `site` with a page.
pub fn page(html: &str) -> (String, String) {
    ("200 OK\r\nContent-Type: text/html; charset=utf-8".into(), html.into())
}
