//! A web server on loopback that sends whatever a test writes, byte by byte.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Runs until dropped. Each connection has its own thread and gets one response.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server; `answer` gets the path and writes the whole response.
    pub fn start(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Self::start_with_requests(move |request, stream| answer(request.split(' ').nth(1).unwrap_or(""), stream))
    }

    /// Starts a server; `answer` gets the request with its headers and writes the whole response.
    #[allow(dead_code)]
    pub fn start_with_requests(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server =
            Self { address: listener.local_addr().unwrap(), requests: Arc::default(), stopped: Arc::default() };
        let (requests, stopped) = (server.requests.clone(), server.stopped.clone());
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    break;
                }
                let (answer, requests) = (answer.clone(), requests.clone());
                let Ok(mut stream) = stream else { continue };
                thread::spawn(move || {
                    let Some(request) = read_request(&mut stream) else {
                        return;
                    };
                    requests.lock().unwrap().push(request.clone());
                    answer(&request, &mut stream);
                });
            }
        });
        server
    }

    /// A server that always gives the same response.
    pub fn constant(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::start(move |_, stream| {
            // The client may have closed the connection early.
            let _ = stream.write_all(&response);
        })
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests so far, including their headers.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _ = TcpStream::connect(self.address);
    }
}

/// Reads a request up to the blank line.
pub fn read_request(stream: &mut TcpStream) -> Option<String> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        request.push(byte[0]);
    }
    String::from_utf8(request).ok()
}

/// Returns a response with a `Content-Length`.
pub fn response(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n", body.len()).into_bytes();
    for header in headers.lines() {
        response.extend_from_slice(header.trim().as_bytes());
        response.extend_from_slice(b"\r\n");
    }
    response.extend_from_slice(b"\r\n");
    response.extend_from_slice(body);
    response
}

/// Returns a response with an HTML page.
pub fn page(body: &str) -> Vec<u8> {
    response("Content-Type: text/html; charset=utf-8", body.as_bytes())
}

/// Returns a redirect.
pub fn redirect(status: u16, location: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}
