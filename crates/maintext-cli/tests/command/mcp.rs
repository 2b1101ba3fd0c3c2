//! `maintext mcp` as an agent uses it: one JSON-RPC message per line.
use crate::{article, command};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

#[test]
fn an_agent_lists_the_tools_and_calls_them() {
    let mut child = command(&["mcp", "--no-fetch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |id: u64, method: &str, params: Value| -> Value {
        writeln!(to, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).unwrap();
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        if id == 1 {
            writeln!(to, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
        }
        assert_eq!(answer["id"], id, "{answer}");
        answer
    };
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    assert_eq!(ask(1, "initialize", hello)["result"]["serverInfo"]["name"], "maintext");
    let tools = ask(2, "tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["extract", "list", "classify", "inspect"]);
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let answer = ask(3, "tools/call", call("extract", json!({"html": article("herons")})));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("title: About herons\n") && text.contains("speaks of herons"), "{text}");
    let answer = ask(4, "tools/call", call("inspect", json!({"html": article("herons")})));
    assert!(answer["result"]["structuredContent"]["blocks"].as_array().unwrap().len() > 2, "{answer}");
    let answer = ask(5, "tools/call", call("extract", json!({"url": "https://example.org/"})));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(ask(6, "tools/call", call("nothing", json!({})))["error"].is_object());
    // The command ends at the end of its input.
    drop(to);
    assert!(child.wait().unwrap().success());
}
