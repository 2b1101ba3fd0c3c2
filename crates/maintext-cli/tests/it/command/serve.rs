//! `maintext serve`, started and stopped as by an operator.
use crate::command::maintext;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

#[test]
#[cfg(unix)]
fn the_service_starts_answers_and_ends_on_sigterm() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_maintext"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env("MAINTEXT_SERVE_LISTEN", "127.0.0.1:1")
        .env("MAINTEXT_SERVE_MAX_BODY", "100")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('"').next()).expect(&line).to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let page = "<p>We left early, and the road was empty.</p>";
    let head = format!(
        "POST /v1/extract HTTP/1.1\r\nHost: {address}\r\nX-Request-Id: first\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        page.len()
    );
    stream.write_all((head + page).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("the road was empty"), "{answer}");
    let mut stream = TcpStream::connect(&address).unwrap();
    let long =
        format!("POST /v1/extract HTTP/1.1\r\nHost: {address}\r\nContent-Length: 101\r\n\r\n{}", "x".repeat(101));
    stream.write_all(long.as_bytes()).unwrap();
    let mut refused = [0; 12];
    stream.read_exact(&mut refused).unwrap();
    assert_eq!(&refused, b"HTTP/1.1 413", "the limit of the environment");
    drop(stream);
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success() && child.wait().unwrap().success());
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    let line = rest.lines().find(|line| line.contains("\"id\":\"first\"")).expect(&rest);
    assert!(line.contains("\"queue_ms\":") && line.contains("\"status\":200") && !line.contains("fetch_ms"), "{line}");
    assert!(rest.contains("\"path\":\"/v1/extract\"") && rest.contains("all requests were answered"), "{rest}");
}

#[test]
fn invalid_settings_are_reported() {
    for (args, what) in [
        (vec!["--allow-network", "10.0.0.0/33"], "is not a network"),
        (vec!["--listen", "nowhere"], "--listen"),
        (vec!["--token-file", "/nonexistent/tokens"], "/nonexistent/tokens"),
    ] {
        let args: Vec<&str> = ["serve"].into_iter().chain(args).collect();
        let output = maintext(&args);
        assert_eq!(output.status, Some(2), "{args:?}");
        assert!(output.stderr.contains(what), "{args:?}: {}", output.stderr);
    }
}

#[test]
fn variables_set_flags_unless_the_command_line_does() {
    let run = |variable: &str, value: &str, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_maintext"));
        let output = command.args(["serve", "--token-file", "/nonexistent/tokens"]).args(args).env(variable, value);
        let output = output.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let wrong = run("MAINTEXT_SERVE_WORKERS", "fast", &[]);
    assert!(wrong.contains("invalid value 'fast' for '--workers <N>'"), "{wrong}");
    for (variable, value) in
        [("MAINTEXT_SERVE_QUIET", "yes"), ("MAINTEXT_SERVE_ALLOW_PORT", "81,82"), ("MAINTEXT_SERVE_X", "1")]
    {
        assert!(run(variable, value, &[]).contains("/nonexistent/tokens"), "{variable}");
    }
    assert!(run("MAINTEXT_SERVE_ALLOW_PORT", "81,x", &[]).contains("'x'"));
    assert!(run("MAINTEXT_SERVE_WORKERS", "fast", &["--workers", "2"]).contains("/nonexistent/tokens"));
}
