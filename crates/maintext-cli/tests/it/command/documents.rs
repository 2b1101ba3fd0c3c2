//! The commands in the documents: each runs on example files without a network, or `.ci/commands` gives the reason why not.
use crate::command::server::Server;
use crate::command::{Folder, article, example, make, root};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The time that one command may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Folders that hold no documents of this repository.
const OTHERS: &[&str] = &["target", "node_modules", "testdata", ".git"];

/// A command of a document.
struct Line {
    /// The path of the document, from the root of the repository.
    document: String,
    /// The number of the line at which the command begins.
    number: usize,
    /// The command, without its comment.
    text: String,
}

/// Returns all documents, as paths from the root of the repository.
fn documents(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !OTHERS.contains(&name.as_str()) {
            documents(&path, found);
        } else if name.ends_with(".md") && name != "CHANGELOG.md" {
            found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
}

/// Removes the comment of a line and returns the quotation mark that its end leaves open.
fn without_comment(line: &str, mut open: Option<char>) -> (&str, Option<char>) {
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (open, c) {
            (None, '#') if before == ' ' => return (line[..at].trim_end(), None),
            (None, '"' | '\'') if before != '\\' => open = Some(c),
            (Some(mark), _) if mark == c && !(c == '"' && before == '\\') => open = None,
            _ => {}
        }
        before = c;
    }
    (line.trim_end(), open)
}

/// Returns the commands of the shell blocks of a document. A command goes on after a backslash, a bar, or an open quotation mark.
fn commands(document: &str, text: &str) -> Vec<Line> {
    let mut found = Vec::new();
    let mut fence: Option<bool> = None;
    let (mut command, mut begin, mut open) = (String::new(), 0, None);
    for (index, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let shell = ["sh", "bash", "shell", "console"].contains(&language.trim());
            fence = if fence.is_some() { None } else { Some(shell) };
            assert!(command.is_empty(), "{document}:{begin}: the command has no end: {command}");
        } else if fence == Some(true) {
            if command.is_empty() {
                begin = index + 1;
            }
            let (part, left) = without_comment(if command.is_empty() { line.trim_start() } else { line }, open);
            open = left;
            command += part;
            if open.is_some() || part.ends_with(['\\', '|']) {
                command.push('\n');
            } else if !command.is_empty() {
                found.push(Line { document: document.into(), number: begin, text: std::mem::take(&mut command) });
            }
        }
    }
    found
}

/// Returns the commands in all documents and in the help texts, where they are indented by two columns.
fn all_commands() -> Vec<Line> {
    let mut names = Vec::new();
    documents(root(), &mut names);
    names.sort();
    let mut found: Vec<Line> =
        names.iter().flat_map(|name| commands(name, &fs::read_to_string(root().join(name)).unwrap())).collect();
    let help = help("");
    let examples = help.lines().enumerate().filter(|(_, line)| line.starts_with("  ") && !line.starts_with("   "));
    found.extend(examples.filter(|(_, line)| line.contains("maintext ")).map(|(at, line)| Line {
        document: "--help".into(),
        number: at + 1,
        text: line.trim().into(),
    }));
    found
}

/// One entry of `.ci/commands`.
struct Exception {
    reason: String,
    document: String,
    start: String,
}

impl Exception {
    fn covers(&self, line: &Line) -> bool {
        (self.document == "*" || self.document == line.document) && line.text.starts_with(&self.start)
    }
}

fn exceptions() -> Vec<Exception> {
    let text = fs::read_to_string(root().join(".ci/commands")).unwrap();
    let mut reason = String::new();
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            reason = heading.into();
            continue;
        }
        let (document, start) = line.split_once(' ').unwrap_or_else(|| panic!(".ci/commands: {line}: no command"));
        assert!(!reason.is_empty(), ".ci/commands: {line}: no reason");
        found.push(Exception { reason: reason.clone(), document: document.into(), start: start.into() });
    }
    found
}

/// Returns the help of a subcommand, or of the command itself.
fn help(subcommand: &str) -> String {
    static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap();
    known.entry(subcommand.into()).or_insert_with(|| asked_help(subcommand)).clone()
}

fn asked_help(subcommand: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_maintext"));
    let run = command.args((!subcommand.is_empty()).then_some(subcommand)).arg("--help").output().unwrap();
    assert!(run.status.success(), "maintext {subcommand} --help fails");
    String::from_utf8(run.stdout).unwrap()
}

/// Splits a command into words, without the quotation marks; `|`, `;`, `&` and parentheses outside of quotation marks are words of their own.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut open = None;
    for c in text.chars() {
        match (open, c) {
            (Some(mark), _) if mark == c => open = None,
            (None, '"' | '\'') => open = Some(c),
            (None, ' ' | '\n' | '\\') => words.push(String::new()),
            (None, '|' | ';' | '&' | '(' | ')') => words.extend([c.to_string(), String::new()]),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the errors in the names of a command: subcommands and flags of `maintext`, tasks and flags of `cargo xtask`, scripts and
/// their flags, and the examples of crates.
fn wrong_names(line: &Line) -> Vec<String> {
    let words = words(&line.text);
    let mut wrong = Vec::new();
    let simple = words.split(|word| ["|", ";", "&", "(", ")"].contains(&word.as_str()));
    for simple in simple {
        let simple: Vec<&str> = simple.iter().map(String::as_str).skip_while(|w| w.contains('=')).collect();
        let (described, flags) = match simple.as_slice() {
            ["maintext", rest @ ..] | ["npx", "maintext", rest @ ..] | ["python", "-m", "maintext", rest @ ..] => {
                let subcommand = rest.first().filter(|word| !word.starts_with('-')).copied().unwrap_or("");
                // npx extracts without a subcommand.
                let name = if simple[0] == "npx" && subcommand != "list" { "extract" } else { subcommand };
                if !name.is_empty() && !help("").contains(&format!("\n  {name} ")) {
                    wrong.push(format!("{name} is not a subcommand"));
                    continue;
                }
                (help(name), rest)
            }
            ["cargo", "xtask", "measure", rest @ ..] => {
                let sources =
                    ["main.rs", "measure/fields.rs", "measure/lists.rs"].map(|name| root().join("lab/src").join(name));
                (sources.map(|path| fs::read_to_string(path).unwrap()).concat(), rest)
            }
            ["cargo", "xtask", task, rest @ ..] => {
                let sources = fs::read_dir(root().join("xtask/src")).unwrap().map(|e| e.unwrap().path());
                let text: String = sources.map(|path| fs::read_to_string(path).unwrap()).collect();
                if !text.contains(&format!("\"{task}\"")) {
                    wrong.push(format!("xtask has no task {task}"));
                }
                (text, rest)
            }
            ["python" | "python3" | "node" | "venv/bin/python", script, rest @ ..] if script.starts_with("bench/") => {
                (fs::read_to_string(root().join(script)).unwrap_or_default(), rest)
            }
            _ => (String::new(), &[] as &[&str]),
        };
        let flags = flags.iter().filter(|word| word.starts_with("--")).map(|word| word.split('=').next().unwrap());
        // Scripts for Node.js and programs with clap declare flags without hyphens, and some scripts pass unknown flags on.
        let known = |flag: &str| {
            let name = flag.trim_start_matches('-').replace('-', "_");
            let declared = described.contains(flag) || described.contains(&format!(" {name}: "));
            declared || described.contains("parse_known_args")
        };
        wrong.extend(flags.filter(|flag| !known(flag)).map(|flag| format!("there is no {flag}")));
        for pair in simple.windows(2).filter(|pair| pair[0] == "--example") {
            let crates = fs::read_dir(root().join("crates")).unwrap().map(|e| e.unwrap().path());
            let crates = crates.chain([root().join("lab")]);
            let is_there = |path: std::path::PathBuf| {
                path.join(format!("examples/{}.rs", pair[1])).exists() || path.join("examples").join(pair[1]).is_dir()
            };
            if !crates.into_iter().any(is_there) {
                wrong.push(format!("there is no example {}", pair[1]));
            }
        }
        let paths = simple.iter().filter(|w| ["bench/", "deploy/", "crates/", "lab/"].iter().any(|f| w.starts_with(f)));
        let paths = paths.filter(|word| !word.contains(['*', '{']) && !root().join(word).exists());
        wrong.extend(paths.map(|word| format!("there is no {word}")));
    }
    wrong
}

/// A service that ends with the test.
struct Service(Child, String);

impl Service {
    fn start(site: &Server) -> Service {
        let mut command = Command::new(env!("CARGO_BIN_EXE_maintext"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--allow-network", "127.0.0.0/8"]);
        let port = site.url("");
        command.args(["--allow-port", port.rsplit(':').next().unwrap()]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(['"', '/', ' ', '\n']).next());
        let address = address.expect(&line).to_owned();
        // A full pipe would stop the service.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Service(child, address)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Answers as a small site: a list page at `/`, `/news` and `/docs/`, a feed, a sitemap, a product, and an article elsewhere.
fn site() -> Server {
    let list: String = (1..=3)
        .map(|n| {
            format!("<li><h2><a href=/news/{n}>The news of day {n}</a></h2><p>What the paper says of day {n}.</p></li>")
        })
        .collect();
    let list = format!("<title>News</title><nav><a href=/>Home</a></nav><main><h1>News</h1><ul>{list}</ul></main>");
    let item = "<item><title>The news of day 1</title><link>/news/1</link></item>";
    let feed = format!("<rss version=\"2.0\"><channel><title>News</title>{item}</channel></rss>");
    let kettle = String::from_utf8(example("product.html")).unwrap();
    Server::start(move |path, stream| {
        let (status, body) = match path {
            "/robots.txt" | "/sitemap.xml" | "/sitemap.xml.gz" | "/llms.txt" => ("404 Not Found", String::new()),
            "/" | "/news" | "/docs/" => ("200 OK", list.clone()),
            "/feed.xml" => ("200 OK", feed.clone()),
            "/kettle" => ("200 OK", kettle.clone()),
            _ => ("200 OK", article(path)),
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        let _ = stream.write_all((head + &body).as_bytes());
    })
}

/// Fills a folder with the files that the documents name.
fn fill(folder: &Folder) {
    let page = |name: &str| String::from_utf8(example(name)).unwrap();
    for name in ["examples", "crawl", "shop", ".local/share/bash-completion/completions"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    std::os::unix::fs::symlink(root().join("crates"), folder.path("crates")).unwrap();
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path(&format!("examples/{}", path.file_name().unwrap().to_str().unwrap()))).unwrap();
    }
    folder.write("page.html", page("news-en.html"));
    folder.write("other.html", page("forum-thread.html"));
    folder.write("page.labels", "");
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let pages = [("https://example.org/a", page("news-en.html")), ("https://example.org/b", page("product.html"))];
    zipped.write_all(&make::warc(&pages.each_ref().map(|(url, html)| (*url, html.as_str())))).unwrap();
    let warc = zipped.finish().unwrap();
    for name in ["crawl.warc.gz", "pages.warc.gz", "crawl/0.warc.gz", "shop/0.warc.gz"] {
        folder.write(name, &warc);
    }
    let row = |(url, html): &(&str, String)| serde_json::json!({"id": url, "url": url, "html": html}).to_string();
    let rows = pages.each_ref().map(row).join("\n");
    folder.write("pages.jsonl.zst", zstd::encode_all(rows.as_bytes(), 1).unwrap());
    let schema = r#"{"type": "object", "properties": {"name": {"type": "string"}}}"#;
    folder.write("product.schema.json", schema);
}

/// Runs a command in the shell. Returns its failure, if it fails.
fn run(line: &Line, folder: &Folder, site: &Server, service: &Service) -> Option<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_maintext"));
    let mut path = vec![program.parent().unwrap().to_path_buf()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let (here, page, temporary) = (site.url(""), site.url("/article"), folder.path(""));
    let replaced = [
        ("https://example.org", here.as_str()),
        ("http://127.0.0.1:8765", &here),
        ("127.0.0.1:8000", &service.1),
        ("$URL", &page),
        ("/tmp/", &temporary),
        ("maintext crawl ", "maintext crawl --delay 0 "),
        ("maintext map ", "maintext map --delay 0 "),
        ("curl ", "curl --fail "),
    ];
    let text = replaced.iter().fold(line.text.clone(), |text, (from, to)| text.replace(from, to));
    let output = folder.path("output-of-a-command");
    let log = fs::File::create(&output).unwrap();
    let mut command = Command::new("bash");
    // Its own process group, so that the time limit also ends processes that the shell started.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .args(["-o", "pipefail", "-c", &text])
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("HOME", &folder.0)
        .envs([("NO_PROXY", "127.0.0.1"), ("HTTPS_PROXY", "http://127.0.0.1:9"), ("HTTP_PROXY", "http://127.0.0.1:9")])
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if begin.elapsed() > LIMIT {
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let printed = String::from_utf8_lossy(&fs::read(&output).unwrap()).into_owned();
    let wrong = match status {
        Some(status) if status.success() => return None,
        // The exit status of the shell for a program that is missing. The hosted workflow has them all.
        Some(status) if status.code() == Some(127) && std::env::var_os("CI").is_none() => {
            println!("{}:{}: skipped: {printed}", line.document, line.number);
            return None;
        }
        Some(status) => status.to_string(),
        None => format!("not done in {LIMIT:?}"),
    };
    Some(format!("{wrong}: {}", printed.lines().rev().take(3).collect::<Vec<_>>().join(" / ")))
}

#[test]
fn commands_of_a_block_are_told_apart() {
    let text = "```sh\na 'x  # y\n z' # c\n\nb \\\n  c | # d\ne\n```\n```text\nf\n```\n  ```sh\n  g\n  ```\n";
    let found: Vec<(usize, String)> = commands("d", text).into_iter().map(|line| (line.number, line.text)).collect();
    assert_eq!(found, [(2, "a 'x  # y\n z'".into()), (5, "b \\\n  c |\ne".into()), (13, "g".into())]);
}

#[test]
fn wrong_names_in_commands_are_found() {
    let wrong = |text: &str| wrong_names(&Line { document: "d".into(), number: 1, text: text.into() }).join("; ");
    assert_eq!(wrong("maintext extract -f json --things 'a | --b' | jq --c"), "");
    assert_eq!(
        wrong("A=b maintext extrct x | maintext list --nothing"),
        "extrct is not a subcommand; there is no --nothing"
    );
    assert_eq!(wrong("cargo xtask nothing"), "xtask has no task nothing");
    assert_eq!(wrong("python bench/nothing.py --x"), "there is no --x; there is no bench/nothing.py");
    assert_eq!(wrong("cargo run --example nothing"), "there is no example nothing");
}

#[test]
fn names_in_the_commands_of_documents_exist() {
    let wrong: Vec<String> = all_commands()
        .iter()
        .flat_map(|line| {
            wrong_names(line).into_iter().map(|w| format!("{}:{}: {w}: {}", line.document, line.number, line.text))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_of_documents_run_or_are_exceptions() {
    let lines = all_commands();
    let exceptions = exceptions();
    let mut wrong: Vec<String> = exceptions
        .iter()
        .filter(|exception| !lines.iter().any(|line| exception.covers(line)))
        .map(|e| format!(".ci/commands: [{}] {} {}: no document has this command", e.reason, e.document, e.start))
        .collect();
    let site = site();
    let service = Service::start(&site);
    let mut of_document: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines.iter().filter(|line| !exceptions.iter().any(|exception| exception.covers(line))) {
        of_document.entry(&line.document).or_default().push(line);
    }
    for (document, lines) in of_document {
        // The commands of a document work on the results of those before.
        let folder = Folder::new(&format!("document-{}", document.replace('/', "-")));
        fill(&folder);
        for line in lines {
            let begin = Instant::now();
            let failure = run(line, &folder, &site, &service);
            println!("{document}:{}: {:.1} s: {}", line.number, begin.elapsed().as_secs_f64(), line.text);
            wrong.extend(failure.map(|f| format!("{document}:{}: {}\n    {f}", line.number, line.text)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
