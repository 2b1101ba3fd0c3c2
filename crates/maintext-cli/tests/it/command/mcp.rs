//! `maintext mcp` as an agent uses it: one JSON-RPC message per line.
use crate::command::server::{Server, page};
use crate::command::{article, command};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Agent {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    calls: u64,
    /// Notifications that came before an answer.
    pub notes: Vec<Value>,
}

impl Agent {
    /// Starts the command and shakes hands, as the revision of June 2025 states.
    pub fn start(flags: &[&str]) -> Agent {
        let mut agent = Agent::without_handshake(flags);
        let client = json!({"name": "test", "version": "1"});
        let hello =
            agent.ask("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}));
        assert_eq!(hello["result"]["serverInfo"]["name"], "maintext");
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        assert!(hello["result"]["instructions"].as_str().unwrap().contains("next_offset"));
        assert!(hello["result"]["instructions"].as_str().unwrap().contains("<<<page MARK"));
        agent.tell("notifications/initialized", json!({}));
        agent
    }

    pub fn without_handshake(flags: &[&str]) -> Agent {
        Agent::of(&mut command(&[&["mcp"], flags].concat()))
    }

    pub fn of(server: &mut Command) -> Agent {
        let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Agent { child, to, from, calls: 0, notes: Vec::new() }
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request, and returns its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.calls += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
        self.calls
    }

    /// Reads the next message.
    pub fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.hear();
            if message["id"].is_null() && message["method"].is_string() {
                self.notes.push(message);
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            return message;
        }
    }

    pub fn call(&mut self, name: &str, arguments: Value) -> Value {
        let most = arguments["max_chars"].as_u64().unwrap_or(6_000).max(200);
        let result = self.ask("tools/call", json!({"name": name, "arguments": arguments}))["result"].take();
        assert!(result.to_string().chars().count() as u64 <= most, "{name}: {}", result.to_string().len());
        result
    }

    pub fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    fn error(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{name}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub fn end(mut self) {
        // The command ends at the end of its input.
        drop(self.to.take());
        assert!(self.child.wait().unwrap().success());
    }
}

pub fn index(count: usize) -> String {
    let entry = |i: usize| {
        format!(
            "<li><h2><a href=/walks/{i}-the-herons>Walk number {i} to the herons</a></h2>\
            <p>We left early, and the road was empty until noon.</p>"
        )
    };
    let entries: String = (1..=count).map(entry).collect();
    format!(
        "<title>Walks</title><nav><a href=/>Home</a> <a href=/about>About</a></nav>\
        <main><h1>Walks</h1><ul>{entries}</ul></main>"
    )
}

pub fn walk() -> String {
    let paragraph = |i: usize| {
        format!(
            "<p>Paragraph {i}: by noon we had seen two herons, a fox, and the first swallows of the year, \
            <a href=/more/{i}>as told</a>.</p>"
        )
    };
    let paragraphs: String = (0..80).map(paragraph).collect();
    format!("<title>A walk</title><nav><a href=/>Home</a></nav><article><h1>A walk</h1>{paragraphs}</article>")
}

#[test]
fn an_agent_lists_the_tools_and_calls_them() {
    let mut agent = Agent::start(&["--no-fetch"]);
    let tools = agent.ask("tools/list", json!({}))["result"]["tools"].take();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["extract", "find", "list", "changes"]);
    for tool in tools.as_array().unwrap() {
        assert_eq!(
            (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["openWorldHint"]),
            (&json!(true), &json!(false))
        );
        assert!(tool["inputSchema"]["properties"]["render"].is_null(), "no browser, so no render: {tool}");
    }
    let text = agent.text("extract", json!({"html": article("herons")}));
    let mark = text.strip_prefix("<<<page ").and_then(|rest| rest.split('\n').next()).unwrap();
    let content = text.strip_suffix(&format!("\npage {mark}>>>")).unwrap();
    assert!(content.contains("\ntitle: About herons\n") && content.contains("speaks of herons"), "{text}");
    let error = agent.error("extract", json!({"url": "https://example.org/"}));
    assert!(
        error.starts_with("error (no_fetching)") && error.contains("What to do: Pass the page itself in html"),
        "{error}"
    );
    assert!(
        agent.ask("tools/call", json!({"name": "nothing"}))["error"]["message"].as_str().unwrap().contains("changes")
    );
    agent.end();
}

#[test]
fn wrong_arguments_are_errors_that_name_them() {
    let mut agent = Agent::start(&["--no-fetch"]);
    let html = article("herons");
    let wrong = [
        ("extract", json!({"html": html, "max_characters": 9}), "extract has no argument 'max_characters'; it takes"),
        ("extract", json!({"html": html, "max_chars": 20}), "max_chars must be a number from 200 to 200000, not 20"),
        (
            "extract",
            json!({"html": html, "favor": "all"}),
            "favor must be one of balance, precision, recall, not \"all\"",
        ),
        ("extract", json!({"html": html, "render": "always"}), "no argument 'render'"),
        ("extract", json!({"html": html, "format": "pdf"}), "format must be one of markdown, text, html, json"),
        ("extract", json!({"html": html, "content_selector": "a["}), "content_selector: "),
        ("extract", json!({"html": html, "offset": 100_000}), "offset: 100000 is beyond the end"),
        ("list", json!({"html": html, "group": 99}), "group: the page has only"),
        ("extract", json!({}), "expected url, or the page itself in html"),
    ];
    for (tool, arguments, expected) in wrong {
        let error = agent.error(tool, arguments.clone());
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("What to do: Correct the arguments"), "{error}");
    }
    // Null means that the argument was left out.
    assert!(agent.text("extract", json!({"html": html, "url": null, "favor": null})).contains("speaks of herons"));
    agent.end();
}

#[test]
fn an_agent_reads_a_site_in_parts() {
    let site = Server::start(|path, stream| {
        let answer = match path {
            "/" => page(&index(60)),
            path if path.starts_with("/walks/") => page(&walk()),
            _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
        };
        let _ = stream.write_all(&answer);
    });
    let url = site.url("/");
    let port = url.trim_end_matches('/').rsplit_once(':').unwrap().1;
    let mut agent = Agent::start(&["--allow-network", "127.0.0.0/8", "--allow-port", port]);
    let first = agent.text("list", json!({"url": url, "max_chars": 4000}));
    assert!(first.contains("entries: 60") && first.contains("- Walk number 1 to the herons | http"), "{first}");
    let next = |text: &str| -> Option<u64> { text.rsplit_once("[next_offset: ")?.1.split(' ').next()?.parse().ok() };
    let mut seen = vec![first];
    while let Some(offset) = next(seen.last().unwrap()) {
        seen.push(agent.text("list", json!({"url": url, "max_chars": 4000, "offset": offset})));
    }
    let all = seen.concat();
    assert!((1..=60).all(|i| all.matches(&format!("- Walk number {i} to")).count() == 1), "{all}");
    // Later parts come from memory: one request for all of them.
    assert_eq!(site.requests().iter().filter(|request| request.starts_with("GET / ")).count(), 1);

    let walk = site.url("/walks/7-the-herons");
    let part = agent.text("extract", json!({"url": walk, "max_chars": 3000}));
    assert!(!part.contains("/more/") && part.contains("Paragraph 5:"), "{part}");
    let rest = agent.text("extract", json!({"url": walk, "max_chars": 3000, "offset": next(&part).unwrap()}));
    let body = rest.split("\n\n").nth(1).unwrap();
    assert!(rest.starts_with("<<<page ") && part.starts_with("<<<page ") && rest[..20] != part[..20], "{rest}");
    assert!(body.starts_with("Paragraph "), "begins at a paragraph: {rest}");
    assert!(agent.text("extract", json!({"url": walk, "links": true})).contains("/more/1"));
    let map = agent.text("map", json!({"url": url, "include": ["*/walks/1*"]}));
    assert!(map.contains("/walks/12-the-herons") && !map.contains("/walks/2-"), "{map}");
    let crawl = agent.text("crawl", json!({"url": url, "max_pages": 4, "max_chars": 8000}));
    assert_eq!((crawl.matches("\ntitle: A walk").count(), crawl.matches("Paragraph 0:").count()), (3, 3), "{crawl}");
    let cut = agent.text("extract", json!({"url": walk, "format": "text", "max_chars": 3000}));
    let failed = agent.error("changes", json!({"url": walk, "before_text": cut}));
    assert!(failed.contains("only a part of the earlier answer"), "{failed}");
    let before = site.requests().len();
    let failed = agent.error("crawl", json!({"url": url, "method": "foo"}));
    assert!(failed.contains("method must be one of learned, ") && site.requests().len() == before, "{failed}");
    let failed = agent.error("extract", json!({"url": site.url("/none")}));
    assert!(failed.starts_with("error (fetch_failed)") && failed.contains("Check the address"), "{failed}");
    agent.end();
}
