//! No text of a page reaches a terminal unescaped, in any format and mode. `script` of util-linux provides the terminal.
#![cfg(target_os = "linux")]
use super::{Folder, root};
use std::process::{Command, Stdio};

/// What pages may try: the clipboard (OSC 52), the screen (CSI), the same with C1 controls, directions of text, formulas, YAML.
const ATTACKS: &str = "=cmd|' /C calc'!A0 \u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J\u{9b}31mred\u{9d}0;t\u{9c}\u{202e}tac\u{2066}x\u{2069}\u{7f}\u{8} - a: [b, *c] &d !e %f @g \"h\"";

fn page() -> String {
    let a = ATTACKS.replace('&', "&amp;").replace('"', "&quot;");
    let json = serde_json::Value::from(ATTACKS).to_string();
    format!(
        "<html><head><title>Herons {a}</title><meta name=author content=\"Ann {a}\"><meta name=description content=\"{a}\">\
         <meta property='article:tag' content=\"{a}\"><link rel=canonical href=\"https://e.org/{a}\">\
         <script type=application/ld+json>{{\"@type\":\"Event\",\"name\":{json},\"startDate\":\"2026-01-02\",\"description\":{json}}}</script></head>\
         <body><article><h1>Herons {a}</h1><p>They stand still for a long time, {a} and nobody knows why they do it.</p><h2>{a}</h2>\
         <p>Some <a href=\"https://e.org/{a}\" title=\"{a}\">link {a}</a> and <code>code {a}</code> in a sentence of many words.</p>\
         <figure><img src=\"https://e.org/{a}.jpg\" alt=\"{a}\"><figcaption>Caption {a}</figcaption></figure>\
         <table><caption>{a}</caption><tr><th>A {a}<th>B</tr><tr><td>{a}<td>y</tr></table><pre>code {a}\nmore</pre>\
         <ul><li>{a}<li>Another item of it</ul><blockquote><p>{a}</blockquote>\
         <math><annotation encoding='application/x-tex'>{a}</annotation></math></article>\
         <ul>{}</ul></body></html>",
        (0..6)
            .map(|i| format!("<li><a href=\"/news/{i}?{a}\">The entry {i} {a}</a> 2026-01-0{}</li>", i + 1))
            .collect::<String>()
    )
}

/// Returns the output of the command on a terminal.
fn shown(args: &str) -> String {
    let line = format!("'{}' {args}", env!("CARGO_BIN_EXE_maintext"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(root()).stdin(Stdio::null());
    String::from_utf8(script.output().unwrap().stdout).unwrap()
}

/// Returns the first character that could manipulate a terminal. The command's own colours do not count.
fn dangerous(shown: &str) -> Option<String> {
    let is_colour = |rest: &str| {
        let rest = rest.strip_prefix("\u{1b}[").unwrap_or("");
        rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')
    };
    let is_bad = |&(at, c): &(usize, char)| match c {
        '\n' | '\r' | '\t' => false,
        '\u{1b}' => !is_colour(&shown[at..]),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    };
    let (at, _) = shown.char_indices().find(is_bad)?;
    Some(format!("{:?}", shown[at..].chars().take(40).collect::<String>()))
}

#[test]
fn pages_do_not_control_the_terminal() {
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let folder = Folder::new("terminal");
    let named = folder.write("a \u{1b}]52;c;eA==\u{7}\u{9b}2J.html", page());
    let plain = folder.write("page.html", page());
    let schema = folder.write(
        "schema.json",
        r#"{"type": "object", "properties": {"title": {"type": "string"}, "links": {"type": "array", "items": {"type": "string"}, "x-selector": "a"}}}"#,
    );
    let rows = folder.write(
        "pages.jsonl",
        format!("{}\n", serde_json::json!({"id": ATTACKS, "html": page(), "url": "https://e.org/a"})),
    );
    let csv = folder.path("table.csv");
    let mut modes: Vec<String> = Vec::new();
    for format in ["text", "markdown", "html", "xml", "blocks", "json"] {
        modes.push(format!("extract -f {format} '{named}'"));
        modes.push(format!("extract -f {format} --with-metadata '{named}' '{plain}'"));
    }
    for mode in [
        "extract -f json --things --chunks",
        "list",
        "list -f json",
        "list --url https://e.org/",
        "list -f json --url https://e.org/",
        "chunk",
        "chunk -f json",
        "classify",
        "inspect",
        "inspect --metadata",
        "inspect --metadata=json",
    ] {
        modes.push(format!("{mode} '{named}'"));
    }
    modes.push(format!("inspect --csv '{csv}' '{plain}'"));
    modes.push(format!("extract --schema '{schema}' '{named}'"));
    for mode in ["", "--rows chunks", "--fields id,title,things,blocks,chunks"] {
        modes.push(format!("batch {mode} '{rows}' -o - 2>'{}'", folder.path("err")));
    }
    // Errors name the input.
    modes.push(format!("extract '{named}/missing'"));
    for mode in modes {
        let shown = shown(&mode);
        assert!(shown.len() > 20, "{mode}: {shown}");
        assert_eq!(dangerous(&shown), None, "{mode}");
        if mode.contains("markdown --with-metadata") {
            let lines = shown.lines().skip(1).map_while(|line| line.trim_end().split_once(": "));
            let values: Vec<serde_json::Value> = lines.map(|(_, v)| serde_json::from_str(v).unwrap()).collect();
            assert!(values.len() > 3 && values[0].as_str().is_some_and(|v| v.starts_with("Herons")), "{shown}");
        }
    }
    let formulas = folder.read("table.csv");
    assert!(formulas.contains("\"'=cmd") && !formulas.contains("\"=cmd"), "{formulas}");
}

/// The places that write to standard output pass the one function that makes text fit for terminals.
#[test]
fn no_writer_bypasses_the_terminal() {
    let known = [
        // With its own colours; its texts are made by the same function.
        ("maintext-cli/src/inspect.rs", "anstream::stdout()"),
        // Only whether it is a terminal, and the flush at the end.
        ("maintext-cli/src/chunk.rs", "io::stdout().is_terminal()"),
        ("maintext-cli/src/lib.rs", "io::stdout().flush()"),
        // Compressed, or not to a terminal.
        ("maintext-batch/src/run/books.rs", "io::stdout()"),
        // Looks whether it is closed.
        ("maintext-cli/src/main.rs", "fcntl_getfd"),
    ];
    for krate in ["maintext-cli", "maintext-batch", "maintext-crawl"] {
        let mut folders = vec![root().join("crates").join(krate).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let source = std::fs::read_to_string(&path).unwrap();
                for line in source.lines().filter(|l| !l.trim_start().starts_with("//")) {
                    let writes = ["io::stdout()", "anstream::stdout()", " stdout()", "println!", "print!("]
                        .iter()
                        .any(|w| line.contains(w) && !line.contains("terminal::stdout()"));
                    let is_known = known.iter().any(|(file, what)| path.ends_with(file) && line.contains(what));
                    assert!(!writes || is_known, "{}: {line}", path.display());
                }
            }
        }
    }
}
