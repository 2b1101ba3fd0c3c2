//! `maintext batch` on files and pipes.
use crate::command::{Folder, Run, article, maintext, maintext_on};
use serde_json::{Value, json};
use std::io::Write;

pub fn lines(pages: &[Value]) -> String {
    pages.iter().map(|page| format!("{page}\n")).collect()
}

pub(super) fn records(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_compression_gives_one_record_per_page() {
    let folder = Folder::new("batch");
    let pages = lines(&[
        json!({"id": "one", "url": "https://example.org/1", "html": article("alders"), "other": [1]}),
        // "Пример" in windows-1251 among ASCII.
        json!({"id": 2, "html_base64": "PGh0bWw+PG1ldGEgY2hhcnNldD13aW5kb3dzLTEyNTE+PHA+z/Do7OXwLCDv8Ojs5fAu"}),
    ]);
    folder.write("in.jsonl", &pages);
    folder.write("in.jsonl.zst", zstd::encode_all(pages.as_bytes(), 3).unwrap());
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(pages.as_bytes()).unwrap();
    folder.write("in.jsonl.gz", gz.finish().unwrap());
    for name in ["in.jsonl", "in.jsonl.zst", "in.jsonl.gz"] {
        assert_eq!(
            maintext(&["batch", "-q", &folder.path(name), "--ordered", "--restart", "-o", &folder.path("out.jsonl")])
                .good(),
            ""
        );
        let out = records(&folder.read("out.jsonl"));
        assert_eq!((out.len(), &out[0]["id"], &out[1]["id"]), (2, &json!("one"), &json!("2")), "{name}");
        assert_eq!(out[0]["hostname"], "example.org");
        assert!(out[0]["text"].as_str().unwrap().contains("alders"));
        assert!(out[1]["text"].as_str().unwrap().contains("Пример"), "{}", out[1]);
        assert!(out.iter().all(|record| record["error"].is_null() && record.get("page_type").is_some()));
    }
    assert_eq!(folder.names(), ["in.jsonl", "in.jsonl.gz", "in.jsonl.zst", "out.jsonl"]);
}

#[test]
fn standard_input_and_output() {
    let pages = lines(&[json!({"id": "a", "html": article("alders")})]);
    let out = maintext_on(pages.as_bytes(), &["batch", "-q", "-", "-o", "-", "-j", "2"]).good();
    assert_eq!(records(&out)[0]["id"], "a");
    assert_eq!(maintext_on(b"", &["batch", "-q", "-", "-o", "-"]).good(), "");
}

#[test]
fn broken_pages_have_error_records_and_exit_status_1() {
    let pages = format!(
        "{}nonsense\n{}",
        lines(&[json!({"id": 1, "html": "%PDF-1.4"})]),
        lines(&[json!({"html": "<p>Good."})])
    );
    let Run { status, stdout, stderr } = maintext_on(pages.as_bytes(), &["batch", "-q", "-", "-o", "-", "--ordered"]);
    assert_eq!(status, Some(1));
    assert_eq!(
        stderr,
        "maintext: standard input: 2 of 3 pages failed; the \"error\" field of their records holds the reason\n"
    );
    let out = records(&stdout);
    assert!(out[0]["error"].as_str().unwrap().contains("a PDF"));
    assert!(out[1]["error"].as_str().unwrap().starts_with("standard input line 2: "));
    assert_eq!((&out[2]["id"], &out[2]["error"]), (&json!("3"), &Value::Null));
}

#[test]
fn a_line_without_a_page_keeps_its_id() {
    let pages = lines(&[
        json!({"id": "a", "url": "https://e.org/a", "html_base64": "!!"}),
        json!({"id": 7}),
        json!({"id": []}),
    ]);
    let rows = records(&maintext_on(pages.as_bytes(), &["batch", "-q", "-", "-o", "-", "--ordered"]).stdout);
    let ids: Vec<&Value> = rows.iter().map(|row| &row["id"]).collect();
    assert_eq!((ids, &rows[0]["url"]), (vec![&json!("a"), &json!("7"), &Value::Null], &json!("https://e.org/a")));
    assert!(rows.iter().all(|row| row["error"].is_string()));
}

#[test]
fn files_that_cannot_be_read_or_written_are_named() {
    let folder = Folder::new("batch-files");
    let missing = folder.path("missing.jsonl");
    let message = maintext(&["batch", "-q", &missing, "-o", &folder.path("out.jsonl")]).failure();
    assert!(message.starts_with(&format!("maintext: {missing}: ")), "{message}");
    assert!(folder.names().is_empty());
    let input = folder.write("in.jsonl", lines(&[json!({"html": "<p>a"})]));
    let nowhere = folder.path("none/out.jsonl");
    let message = maintext(&["batch", "-q", &input, "-o", &nowhere]).failure();
    assert!(message.starts_with(&format!("maintext: {nowhere}: ")), "{message}");
}

#[test]
fn pages_before_damage_in_a_file_are_kept() {
    let folder = Folder::new("batch-cut");
    let page = |i: u32| json!({"id": i, "html": article(&format!("tree{}", i.wrapping_mul(2_654_435_761)))});
    let pages: Vec<Value> = (0..3000).map(page).collect();
    let whole = zstd::encode_all(lines(&pages).as_bytes(), 3).unwrap();
    let input = folder.write("in.jsonl.zst", &whole[..whole.len() * 9 / 10]);
    let run = maintext(&["batch", "-q", &input, "-o", &folder.path("out.jsonl"), "--ordered"]);
    assert_eq!(run.status, Some(1));
    let out = records(&folder.read("out.jsonl"));
    assert!(out.len() > 100 && out[100]["id"] == "100");
    let last = out.last().unwrap()["error"].as_str().unwrap();
    assert!(last.contains("cannot read further"), "{last}");
}

/// Returns a WARC response record.
pub(super) fn warc_record(url: &str, html: &str) -> Vec<u8> {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    let length = block.len();
    format!("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:{url}>\r\nWARC-Target-URI: {url}\r\nContent-Length: {length}\r\n\r\n{block}\r\n\r\n")
        .into_bytes()
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns a page with a long text that differs for each number.
pub(super) fn long_article(number: usize) -> String {
    let word = |i: usize| format!("w{}", (number * 7919 + i * 104_729) % 5003);
    let paragraph = |p: usize| format!("<p>{}.</p>", (0..60).map(|i| word(p * 60 + i)).collect::<Vec<_>>().join(" "));
    let body: String = (0..6).map(paragraph).collect();
    format!(
        "<html><head><title>Number {number}</title></head><body><nav><a href=/>Home</a></nav><article>{body}</article>"
    )
}

#[test]
fn inputs_of_all_formats_keep_their_order() {
    let folder = Folder::new("batch-kinds");
    std::fs::create_dir_all(folder.0.join("pages/deep")).unwrap();
    folder.write("pages/deep/b.htm", article("birches"));
    folder.write("pages/a.html", article("alders"));
    folder.write("pages/notes.css", "p { color: red }");
    let crawl = [warc_record("http://e.org/1", &article("cedars")), warc_record("http://e.org/2", &article("drifts"))];
    folder.write("1.warc.gz", crawl.iter().flat_map(|r| gzip(r)).collect::<Vec<u8>>());
    folder.write("2.warc.gz", gzip(&warc_record("http://e.org/3", &article("elders"))));
    let lines = folder.write("more", lines(&[json!({"id": "f", "html": article("firs")})]));
    let pattern = folder.path("*.warc.gz");
    let table = folder.path("out.parquet");
    let inputs = [folder.path("pages"), pattern, lines];
    maintext(&["batch", "-q", &inputs[0], &inputs[1], &inputs[2], "-o", &table]).good();
    // Reads the written table again, with other columns as page and id.
    let out = maintext(&[
        "batch",
        "-q",
        &table,
        "--html-column",
        "html",
        "--id-column",
        "title",
        "-o",
        "-",
        "--fields",
        "id,text",
    ]);
    let out = records(&out.good());
    let ids: Vec<&str> = out.iter().map(|r| r["id"].as_str().unwrap()).collect();
    let trees = ["alders", "birches", "cedars", "drifts", "elders", "firs"];
    assert_eq!(ids, trees.map(|tree| format!("About {tree}")));
    for (record, tree) in out.iter().zip(trees) {
        assert!(record["text"].as_str().unwrap().contains(tree), "{record}");
        assert_eq!(record.as_object().unwrap().len(), 2);
    }
}

#[test]
fn where_dedup_and_errors_work_together() {
    let folder = Folder::new("batch-where");
    let input = folder.write(
        "in.jsonl",
        lines(&[
            json!({"id": 1, "html": long_article(1)}),
            json!({"id": 2, "html": "<p>Too short."}),
            json!({"id": 3, "html": long_article(1).replace("Number 1", "Other title")}),
            json!({"id": 4, "html": "%PDF-1.4"}),
            json!({"id": 5, "html": long_article(1).replacen("w2916 ", "other ", 1)}),
            json!({"id": 6, "html": long_article(2)}),
        ]),
    );
    let (out, errors) = (folder.path("out.jsonl.zst"), folder.path("errors.jsonl"));
    for (dedup, expected) in [("exact", vec!["1", "5", "6"]), ("minhash", vec!["1", "6"])] {
        let args =
            ["batch", "-q", &input, "-o", &out, "--errors", &errors, "--where", "min-words=10", "--dedup", dedup];
        let run = maintext(&[&args[..], &["--fields", "id", "--restart"]].concat());
        assert_eq!(run.status, Some(1), "{run:?}");
        let text = String::from_utf8(zstd::decode_all(&std::fs::read(&out).unwrap()[..]).unwrap()).unwrap();
        let ids: Vec<Value> = records(&text).iter().map(|r| r["id"].clone()).collect();
        assert_eq!(ids, expected, "{dedup}");
        let failed = records(&folder.read("errors.jsonl"));
        assert_eq!((failed.len(), &failed[0]["id"]), (1, &json!("4")));
    }
    assert_eq!(folder.names(), ["errors.jsonl", "in.jsonl", "out.jsonl.zst"]);
}

#[test]
fn a_folder_of_markdown_with_an_index() {
    let folder = Folder::new("batch-folder");
    let pages = lines(&[
        json!({"id": "a", "url": "https://example.org/x?y", "html": article("alders")}),
        json!({"id": "b", "html": "%PDF-1.4"}),
    ]);
    let input = folder.write("in.jsonl", pages);
    let out = folder.path("texts");
    assert_eq!(maintext(&["batch", "-q", &input, "-o", &out, "-f", "markdown"]).status, Some(1));
    let index = records(&folder.read("texts/index.jsonl"));
    assert_eq!(index[0]["file"], "00000/00000000-example.org_x_y.md");
    assert!(folder.read("texts/00000/00000000-example.org_x_y.md").contains("alders"));
    assert!(index[0].get("markdown").is_none() && index[1]["file"].is_null());
}

#[test]
fn invalid_settings_are_rejected_before_reading() {
    let folder = Folder::new("batch-usage");
    let input = folder.write("in.jsonl", "");
    let out = folder.path("out.jsonl");
    let cases = [
        (vec!["-o", &out, "--fields", "id,colour"], "unknown field 'colour'; the fields are: id, "),
        (vec!["-o", &out, "--where", "colour=red"], "'colour=red' is not a condition; the conditions are: lang=CODE"),
        (vec!["-o", "out.doc"], "out.doc: the name does not determine a format"),
        (vec!["-o", "out.parquet", "-f", "text"], "out.parquet cannot hold several files"),
        (vec!["-o", "out.parquet", "-f", "parquet"], "out.parquet cannot hold several files"),
        (vec!["-o", "-", "-f", "markdown"], "standard output cannot hold several files"),
        (vec!["-o", &out, "--shard-size", "5M"], "--shard-size has no effect"),
        (vec!["-o", &out, "--dump", "C"], "--dump has no effect"),
        (vec!["-o", &out, "--dump", "C", "--fields", "id,text"], "--dump has no effect"),
    ];
    for (flags, message) in cases {
        let run = maintext(&[&["batch", "-q", &input], &flags[..]].concat());
        assert!(run.status == Some(2) && run.stderr.contains(message), "{run:?}");
    }
    let odd = folder.write("odd", "what is this?");
    assert!(maintext(&["batch", "-q", &odd, "-o", &out]).failure().contains("name its format with --input-format"));
    assert!(maintext(&["batch", "-q", &folder.path("*.nothing"), "-o", &out]).failure().contains("no file matches"));
}

/// Random numbers that differ between runs; a failed test prints the seed.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Random(now.as_nanos() as u64 | 1)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// Returns all files below a folder with their content.
pub(super) fn tree(path: &std::path::Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut files = std::collections::BTreeMap::new();
    let mut open = vec![path.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                open.push(path)
            } else {
                drop(files.insert(path.display().to_string(), std::fs::read(path).unwrap()))
            }
        }
    }
    let prefix = path.display().to_string();
    files.into_iter().map(|(name, content)| (name[prefix.len()..].to_owned(), content)).collect()
}

#[test]
fn a_killed_run_resumes_and_gives_the_same_bytes() {
    let folder = Folder::new("batch-killed");
    let crawl: Vec<u8> =
        (0..24).flat_map(|i| gzip(&warc_record(&format!("http://e.org/{i}"), &long_article(i)))).collect();
    let mut damaged = crawl.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 9].fill(0x55);
    let page = |i: usize| json!({"id": i, "html": if i % 17 == 3 { "%PDF-".into() } else { long_article(i) }});
    let inputs =
        [folder.write("a.warc.gz", damaged), folder.write("b.jsonl", lines(&(14..34).map(page).collect::<Vec<_>>()))];
    let mut random = Random::new();
    let seed = random.0;
    let shards = |format| ["-f", format, "--shard-size", "20K"];
    let chunks = ["--rows", "chunks", "--size", "40"];
    let outputs: [(&str, &[&str]); 8] = [
        ("out.jsonl", &[]),
        ("out.jsonl.zst", &[]),
        ("out.parquet", &[]),
        ("out/", &[]),
        ("parquet/", &shards("parquet")),
        ("jsonl/", &shards("jsonl")),
        ("chunks.jsonl.zst", &chunks),
        ("chunks.parquet", &chunks),
    ];
    for (out, format) in outputs {
        let whole = folder.path("whole");
        let killed = folder.path("killed");
        let start = |home: &str| {
            std::fs::create_dir_all(home).unwrap();
            let (target, errors) = (format!("{home}/{out}"), format!("{home}/errors.jsonl"));
            let args = ["batch", "-q", &inputs[0], &inputs[1], "-o", &target, "--errors", &errors, "--dedup", "exact"];
            let more = ["--checkpoint", "0", "--row-group", "8", "--crashes", "0"];
            let mut command = crate::command::command(&[&args[..], &more, format].concat());
            command.stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let begin = std::time::Instant::now();
        let run = start(&whole).wait_with_output().unwrap();
        let time = begin.elapsed().as_millis() as u64;
        assert_eq!(run.status.code(), Some(1), "{out}: {}", String::from_utf8_lossy(&run.stderr));
        let mut kills = 0;
        for _ in 0..8 {
            let mut child = start(&killed);
            // A random fraction of the whole run's time, so that a run is killed several times before it completes.
            std::thread::sleep(std::time::Duration::from_millis(5 + random.below(time / 4 + 10)));
            if child.try_wait().unwrap().is_some() {
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        let last = start(&killed).wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&last.stderr);
        // The run may have completed between the last check and the kill; then its output is kept.
        let complete = message.contains("exists already");
        assert_eq!(last.status.code(), Some(if complete { 2 } else { 1 }), "{out}: {message}");
        assert!(kills > 0, "{out} (seed {seed}): never killed");
        let (expected, found) = (tree(whole.as_ref()), tree(killed.as_ref()));
        assert_eq!(expected.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>(), "{out} (seed {seed})");
        for (name, content) in expected {
            assert!(content == found[&name], "{out}: {name} differs after {kills} kills (seed {seed})");
        }
        for home in [whole, killed] {
            std::fs::remove_dir_all(home).unwrap();
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_says_how_to_resume() {
    let folder = Folder::new("batch-interrupted");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let (list, out) = (folder.write("silent.urls", format!("http://{address}/\n")), folder.path("out.jsonl"));
    for (command, inputs) in [("batch", list.as_str()), ("crawl", &format!("http://{address}/"))] {
        // A job of a shell can ignore the signal, and its children would too.
        let child = std::process::Command::new("env")
            .args(["--default-signal=INT", env!("CARGO_BIN_EXE_maintext"), command, inputs, "-o", &out])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let _open = silent.accept().unwrap();
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let ended = child.wait_with_output().unwrap();
        let message = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(130), "{command}: {message}");
        let expected = format!("maintext: interrupted; the same command resumes, and {out} is complete then\n");
        assert_eq!(message, expected, "{command}");
    }
}

#[test]
fn an_unfinished_run_with_other_settings_is_not_resumed() {
    let folder = Folder::new("batch-other");
    let page = |i: usize| json!({"id": i, "html": long_article(i)});
    let input = folder.write("in.jsonl", lines(&(0..150).map(page).collect::<Vec<_>>()));
    let out = folder.path("out.jsonl");
    let mut child = crate::command::command(&["batch", "-q", &input, "-o", &out, "--checkpoint", "0"]).spawn().unwrap();
    let checkpoint = folder.0.join(".out.jsonl.partial/checkpoint.json");
    while !checkpoint.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let other = maintext(&["batch", "-q", &input, "-o", &out, "--fields", "id"]);
    assert_eq!(other.status, Some(2), "{other:?}");
    assert!(other.stderr.contains("start again with --restart"), "{other:?}");
    assert!(!std::path::Path::new(&out).exists());
    maintext(&["batch", "-q", &input, "-o", &out, "--fields", "id", "--restart"]).good();
    assert_eq!(records(&folder.read("out.jsonl")).len(), 150);
    assert_eq!(folder.names(), ["in.jsonl", "out.jsonl"]);
}

/// A past bug: the files that the interrupted run had written stayed in the folder.
#[test]
fn an_unfinished_run_leaves_no_files_to_a_run_with_another_format() {
    let folder = Folder::new("batch-format");
    let page = |i: usize| json!({"id": i, "html": long_article(i)});
    let input = folder.write("in.jsonl", lines(&(0..150).map(page).collect::<Vec<_>>()));
    let own = folder.path("texts/00000/notes.md");
    for (checkpoint, restart) in [("600", None), ("0", Some("--restart"))] {
        let out = folder.path("texts/");
        let unfinished = ["batch", "-q", &input, "-o", &out, "-f", "markdown", "--checkpoint", checkpoint];
        let mut child = crate::command::command(&[&unfinished[..], restart.as_slice()].concat()).spawn().unwrap();
        let some = folder.0.join("texts/00000/00000005-5.md");
        while !some.exists() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(some.exists());
        std::fs::write(&own, "not from a run").unwrap();
        let args = ["batch", "-q", &input, "-o", &out, "-f", "text"];
        maintext(&[&args[..], restart.as_slice()].concat()).good();
        let files = tree(folder.0.join("texts").as_ref());
        assert_eq!(files.keys().filter(|name| name.ends_with(".txt")).count(), 150);
        assert_eq!(files.keys().filter(|name| name.ends_with(".md")).collect::<Vec<_>>(), ["/00000/notes.md"]);
    }
}

#[test]
fn a_list_of_addresses_is_fetched() {
    let html = article("alders").into_bytes();
    let server =
        crate::command::server::Server::constant(crate::command::server::response("Content-Type: text/html", &html));
    let folder = Folder::new("batch-urls");
    let (good, bad) = (server.url("/a"), "http://127.0.0.1:1/nobody-listens");
    let list = folder.write("seeds.urls", format!("# seeds\n{good}\n\n{bad}\n"));
    let run = maintext(&["batch", "-q", &list, "-o", "-", "--fields", "id,url,text,error", "--timeout", "10"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let out = records(&run.stdout);
    assert_eq!((&out[0]["id"], &out[0]["url"], &out[0]["error"]), (&json!(good), &json!(good), &Value::Null));
    assert!(out[0]["text"].as_str().unwrap().contains("alders"));
    assert_eq!(out[1]["id"], bad);
    assert!(out[1]["error"].as_str().unwrap().contains(bad), "{}", out[1]);
}

#[test]
fn things_are_a_column() {
    let folder = Folder::new("things");
    let page =
        r#"<script type="application/ld+json">{"@type": "Book", "name": "On rivers"}</script><h1>On rivers</h1>"#;
    let path = folder.write("a.html", page);
    let rows = |args: &[&str]| records(&maintext(&[&["batch", "-q", &path[..], "-o", "-"], args].concat()).good());
    assert_eq!(rows(&["--things"])[0]["things"][0]["name"], "On rivers");
    assert_eq!(rows(&["--fields", "id,things"])[0]["things"][0]["type"], "Book");
    assert_eq!(rows(&[])[0]["things"], json!([]));
    let run = maintext(&["batch", "-q", &path, "-o", "-", "--things", "--fields", "text"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("--fields leaves out 'things'"), "{run:?}");
}

#[test]
fn the_object_of_a_schema_is_a_column() {
    let folder = Folder::new("data");
    let schema = folder.write("s.json", r#"{"properties": {"name": {"type": "string"}}, "required": ["name"]}"#);
    let book = folder
        .write("a.html", r#"<div itemscope itemtype="https://schema.org/Book"><h1 itemprop=name>On rivers</h1></div>"#);
    let walk = folder.write("b.html", article("foxes"));
    let run =
        |args: &[&str]| maintext(&[&["batch", "-q", &book[..], &walk, "-o", "-", "--schema", &schema], args].concat());
    let rows = records(&run(&["--fields", "id,data,warnings"]).good());
    assert_eq!((&rows[0]["data"], &rows[1]["data"]), (&json!({"name": "On rivers"}), &json!(null)));
    assert_eq!(rows[1]["warnings"][0]["code"], "missing_property");
    assert_eq!(records(&run(&[]).good())[0]["data"]["name"], "On rivers");
    let wrong = run(&["--fields", "id,text"]);
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.stderr.contains("--schema and the field 'data' belong together"), "{wrong:?}");
}

/// A past bug: `--where page_type=` did not classify the pages, so no page met the condition.
#[test]
fn conditions_and_fields_that_need_the_page_type_compute_it() {
    let pages = lines(&[json!({"id": "a", "html": article("alders")})]);
    let run = |args: &[&str]| maintext_on(pages.as_bytes(), &[&["batch", "-q", "-", "-o", "-"], args].concat()).good();
    let row = &records(&run(&["--fields", "id,page_type"]))[0];
    let kind = row["page_type"].as_str().unwrap();
    let kept = records(&run(&["--where", &format!("page_type={kind}")]));
    assert_eq!((kept.len(), &kept[0]["page_type"]), (1, &json!(kind)));
    let other = if kind == "product" { "forum" } else { "product" };
    assert!(records(&run(&["--where", &format!("page_type={other}")])).is_empty());
    assert!(records(&run(&[]))[0]["page_type"].is_null());
}

/// A past bug: a page that needed too much memory ended every run at the same page, and no message named the page.
#[cfg(target_os = "linux")]
#[test]
fn a_page_that_ended_the_process_twice_is_an_error() {
    let folder = Folder::new("batch-crashes");
    let large = "<div><p>a<b>b</b>".repeat(600_000);
    let page = |i: usize| json!({"id": i, "html": if i == 3 { large.clone() } else { long_article(i) }});
    let input = folder.write("in.jsonl", lines(&(0..8).map(page).collect::<Vec<_>>()));
    let out = folder.path("out.jsonl");
    let run = |more: &str| -> Run {
        let batch = format!(
            "{} batch -q {input} -o {out} --fields id,text,error --threads 3 {more}",
            env!("CARGO_BIN_EXE_maintext")
        );
        // The process aborts where it would need more than this address space, in kB.
        std::process::Command::new("sh")
            .args(["-c", &format!("ulimit -v 900000; exec {batch}")])
            .output()
            .unwrap()
            .into()
    };
    for _ in 0..2 {
        let crashed = run("");
        assert_eq!(crashed.status, None, "the page should end the process: {crashed:?}");
    }
    let last = run("");
    assert_eq!(last.status, Some(1), "{last:?}");
    let rows: Vec<serde_json::Value> =
        std::fs::read_to_string(&out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let failed: Vec<usize> = (0..rows.len()).filter(|i| rows[*i]["error"].is_string()).collect();
    assert_eq!((rows.len(), failed), (8, vec![3]));
    assert!(rows[3]["error"].as_str().unwrap().contains("the process has ended 2 times"), "{}", rows[3]);
    assert!(rows[4]["text"].as_str().is_some_and(|text| !text.is_empty()));
}
