//! `maintext extract` on files and standard input, and the usage of the command as a whole.
use crate::command::{Folder, article, command, maintext, maintext_on};
use std::io::Read;
use std::process::Stdio;

#[test]
fn file_and_standard_input_give_the_same_text() {
    let folder = Folder::new("same");
    let file = folder.write("a.html", article("herons"));
    let text = maintext(&["extract", &file]).good();
    assert!(text.contains("speaks of herons") && !text.contains("Home") && text.ends_with('\n'), "{text}");
    assert_eq!(maintext_on(article("herons").as_bytes(), &["extract"]).good(), text);
    assert_eq!(maintext_on(article("herons").as_bytes(), &["extract", "-"]).good(), text);
}

#[test]
fn a_page_in_place_of_the_content_is_a_warning() {
    let page = "<title>404 - Page not found</title><h1>404 - Page not found</h1><p>The page that you are looking for does not exist.";
    let run = maintext_on(page.as_bytes(), &["extract"]);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (Some(0), "maintext: standard input: warning: this is an error page\n")
    );
    let json = maintext_on(page.as_bytes(), &["extract", "-f", "json"]).good();
    assert!(json.contains("\"barrier\": \"error\""), "{json}");
}

#[test]
fn invalid_usage_gets_advice() {
    for (args, advice) in [
        (vec!["https://example.org"], "tip: 'maintext extract https://example.org' writes the main text of a page"),
        (vec!["extract", "--output-format", "json"], "'--format'"),
        (vec!["serve", "--listen", "8000"], "such as 127.0.0.1:8000"),
    ] {
        let run = maintext(&args);
        assert!(run.status == Some(2) && run.stderr.contains(advice), "{run:?}");
    }
}

#[test]
fn a_server_without_tls_is_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = std::io::Write::write_all(&mut stream.unwrap(), b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let message = maintext(&["extract", &format!("https://127.0.0.1:{port}/")]).failure();
    assert!(message.contains("the server does not answer in TLS"), "{message}");
}

#[test]
fn every_format_holds_the_text() {
    for format in ["text", "markdown", "html", "xml", "blocks", "json"] {
        let out = maintext_on(article("foxes").as_bytes(), &["extract", "-f", format]).good();
        assert!(out.contains("speaks of foxes") && out.contains("it ends"), "{format}: {out}");
    }
}

#[test]
fn typed_blocks_are_a_json_array() {
    let read = |out: &str| serde_json::from_str::<serde_json::Value>(out).unwrap();
    let out = maintext_on(article("foxes").as_bytes(), &["extract", "-f", "blocks"]).good();
    let blocks = read(&out);
    assert_eq!(out.lines().count(), blocks.as_array().unwrap().len() + 2, "one block per line: {out}");
    let (start, end) = (blocks[0]["start"].as_u64().unwrap(), blocks[0]["end"].as_u64().unwrap());
    assert_eq!(blocks[0]["text"].as_str().unwrap(), &article("foxes")[start as usize..end as usize]);
    let out = maintext_on(article("foxes").as_bytes(), &["extract", "-f", "blocks", "--with-metadata"]).good();
    assert_eq!((&read(&out)["blocks"], &read(&out)["metadata"]["author"]), (&blocks, &serde_json::Value::Null));
    assert_eq!(maintext_on(b"", &["extract", "-f", "blocks"]).stdout, "[]\n");
}

#[test]
fn json_has_every_key() {
    let args = ["extract", "-f", "json", "--url", "https://example.org/a/b"];
    let out = maintext_on(article("owls").as_bytes(), &args).good();
    assert!(out.lines().count() > 5, "a single object is pretty-printed: {out}");
    let page: serde_json::Value = serde_json::from_str(&out).unwrap();
    let compact = maintext_on(article("owls").as_bytes(), &[&args[..], &["--compact"]].concat()).good();
    assert_eq!((compact.lines().count(), serde_json::from_str(&compact).ok().as_ref()), (1, Some(&page)));
    let keys = [
        "url",
        "hostname",
        "title",
        "author",
        "date",
        "date_modified",
        "sitename",
        "description",
        "language",
        "image",
        "categories",
        "tags",
        "license",
        "page_type",
        "confidence",
        "text",
        "markdown",
        "html",
        "blocks",
        "comments",
        "images",
        "entries",
        "things",
        "data",
        "warnings",
    ];
    for key in keys {
        assert!(page.get(key).is_some(), "{key}");
    }
    assert_eq!(page["hostname"], "example.org");
    assert_eq!(page["author"], serde_json::Value::Null);
    assert!(page["tags"].as_array().unwrap().is_empty());
    for key in ["text", "markdown", "html"] {
        assert!(page[key].as_str().unwrap().contains("speaks of owls"), "{key}");
    }
}

const KETTLE: &str = r#"<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "sku": "K-1",
    "offers": {"price": 19.90, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}</script>
    <h1>Kettle</h1><p>It boils a litre of water in three minutes, and then it whistles until somebody comes.</p>"#;

#[test]
fn things_are_read_on_request() {
    let read = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
    let out = maintext_on(KETTLE.as_bytes(), &["extract", "-f", "json", "--things"]).good();
    let kettle = &read(&out)["things"][0];
    assert_eq!((&kettle["type"], &kettle["name"]), (&"Product".into(), &"Kettle".into()));
    assert_eq!(
        kettle["offers"][0],
        serde_json::json!({"price": "19.90", "currency": "EUR", "availability": "InStock"})
    );
    assert_eq!(kettle["sources"]["sku"]["from"], "json-ld");
    let out = maintext_on(KETTLE.as_bytes(), &["extract", "-f", "json"]).good();
    assert_eq!(read(&out)["things"], serde_json::json!([]));
    let run = maintext_on(KETTLE.as_bytes(), &["extract", "--things"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("--things needs -f json"), "{run:?}");
    assert!(run.stderr.contains("Usage: maintext extract "), "{run:?}");
    for (args, message) in [
        (["--page-type", "-f", "markdown"], "--page-type needs -f json"),
        (["--compact", "-f", "text"], "--compact needs -f json or -f blocks"),
        (["-o", "pages.parquet", "-fjson"], "for Parquet use 'maintext batch'"),
    ] {
        let run = maintext_on(KETTLE.as_bytes(), &[&["extract"], &args[..]].concat());
        assert!(run.status == Some(2) && run.stderr.contains(message), "{args:?}: {run:?}");
    }
}

#[test]
fn a_schema_gives_the_form_of_the_output() {
    let folder = Folder::new("schema");
    let kettle = folder.write("kettle.html", KETTLE);
    let schema = folder.write(
        "schema.json",
        r#"{"type": "object", "required": ["sku", "price"], "properties": {"sku": {"type": "string", "pattern": "^K-"},
            "price": {"type": "number", "maximum": 50}, "heading": {"type": "string", "x-selector": "h1"}}}"#,
    );
    let line = "{\"sku\":\"K-1\",\"price\":19.9,\"heading\":\"Kettle\"}\n";
    assert_eq!(maintext(&["extract", "--schema", &schema, &kettle]).good(), line);
    let walk = folder.write("walk.html", article("foxes"));
    let dear = folder.write("dear.html", KETTLE.replace("19.90", "1990"));
    let run = maintext(&["extract", "--schema", &schema, &walk, &dear, &kettle]);
    assert_eq!((run.status, &run.stdout[..]), (Some(1), line));
    let lines: Vec<&str> = run.stderr.lines().collect();
    let missing = "no value for the required property 'sku'; no value for the required property 'price'";
    assert_eq!(lines[0], format!("maintext: {walk}: {missing}"));
    assert!(lines[1].starts_with(&format!("maintext: {dear}: property 'price': value is greater than")), "{run:?}");
    let wrong = folder.write("wrong.json", r#"{"properties": {"a": {"x-selector": "p >"}}}"#);
    for (args, message) in [
        (&["--schema", &wrong[..]][..], "properties.a: selector 'p >', column 4"),
        (&["--schema", "none.json"], "none.json: "),
        (&["--schema", &schema, "-f", "json"], "cannot be used with"),
    ] {
        let run = maintext_on(b"", &[&["extract"], args].concat());
        assert_eq!(run.status, Some(2), "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_schema_may_come_from_a_pipe() {
    let folder = Folder::new("schema-pipe");
    let kettle = folder.write("kettle.html", KETTLE);
    let schema = br#"{"properties": {"sku": {"type": "string", "pattern": "^K-"}}}"#;
    let out = maintext_on(schema, &["extract", "--schema", "/dev/stdin", &kettle]).good();
    assert_eq!(out, "{\"sku\":\"K-1\"}\n");
}

#[test]
fn a_failed_input_does_not_stop_the_others() {
    let folder = Folder::new("several");
    let (a, b) = (folder.write("a.html", article("alders")), folder.write("b.html", article("birches")));
    let missing = folder.path("missing.html");
    let run = maintext(&["extract", "-f", "json", &a, &missing, &b]);
    assert_eq!(run.status, Some(1));
    assert_eq!(run.stderr, format!("maintext: {missing}: no such file, and not an http(s) address\n"));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "one object per line");
    assert!(lines[0].contains("alders") && lines[1].contains("birches"));
    let ids = lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].clone());
    assert_eq!(ids.collect::<Vec<_>>(), [a.as_str(), &b], "each object names its input");

    let run = maintext(&["extract", &a, &missing, &b]);
    let first = maintext(&["extract", &a]).good();
    let second = maintext(&["extract", &b]).good();
    assert_eq!((run.status, run.stdout), (Some(1), format!("{first}\n{second}")));
}

#[test]
fn markdown_and_html_begin_with_the_title() {
    let html = "<title>A walk</title><meta property=og:title content='A walk'><article><p>The first paragraph of the walk is long \
        enough to be content, since it says where the walk began and why.<p>The second one is about the way home, which was longer.";
    let of = |args: &[&str]| maintext_on(html.as_bytes(), &[&["extract", "--format"], args].concat()).good();
    assert!(of(&["markdown"]).starts_with("# A walk\n\nThe first"));
    assert!(of(&["html"]).starts_with("<h1>A walk</h1>"));
    assert!(of(&["text"]).starts_with("The first"));
    for title in ["never", "as-is"] {
        assert!(of(&["markdown", "--title", title]).starts_with("The first"), "{title}");
    }
}

#[test]
fn metadata_goes_before_the_text() {
    let args = ["extract", "--with-metadata", "--url", "https://example.org/a"];
    let text = maintext_on(article("geese").as_bytes(), &args).good();
    let (front, body) = text.strip_prefix("---\n").unwrap().split_once("---\n\n").unwrap();
    assert!(front.contains("hostname: \"example.org\"\n"), "{front}");
    assert!(body.contains("speaks of geese"));
    let html = maintext_on(article("geese").as_bytes(), &[&args[..], &["-f", "html"]].concat()).good();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<meta name=\"hostname\" content=\"example.org\">"));
}

#[test]
fn output_file_is_written_atomically() {
    let folder = Folder::new("output");
    let page = folder.write("a.html", article("larks"));
    let out = folder.path("out.txt");
    assert_eq!(maintext(&["extract", &page, "-o", &out]).good(), "");
    assert_eq!(folder.read("out.txt"), maintext(&["extract", &page]).good());
    // If every input fails, the old file stays; if one succeeds, the file holds its text.
    maintext(&["extract", &folder.path("none"), "--overwrite", "-o", &out]).failure();
    assert!(folder.read("out.txt").contains("larks"));
    let other = folder.write("b.html", article("wrens"));
    assert_eq!(maintext(&["extract", &folder.path("none"), &other, "--overwrite", "-o", &out]).status, Some(1));
    assert!(folder.read("out.txt").contains("wrens"));
    assert_eq!(folder.names(), ["a.html", "b.html", "out.txt"], "no temporary file remains");
    let nowhere = maintext(&["extract", &page, "-o", &folder.path("no/such/folder.txt")]).failure();
    assert!(nowhere.contains("no/such/folder.txt: "), "{nowhere}");
}

#[test]
fn a_text_file_of_addresses_is_named_as_one() {
    let folder = Folder::new("addresses");
    let list = folder.write("list.txt", "https://example.org/a\n\nhttps://example.org/b\n");
    let run = maintext(&["extract", &list]);
    assert!(run.status == Some(0) && run.stderr.contains("holds only addresses"), "{run:?}");
    let prose = folder.write("prose.txt", "https://example.org/a is the address of the mill.\n");
    assert!(!maintext(&["extract", &prose]).stderr.contains("addresses"));
}

#[test]
fn output_folder_gets_a_file_for_each_input() {
    let folder = Folder::new("folder");
    let (a, b) = (folder.write("a.html", article("moss")), folder.write("a.htm", article("fern")));
    let out = folder.path("out/new");
    let run = maintext(&["extract", "-f", "markdown", "--output-dir", &out, &a, "nothing.html", &b]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.starts_with("maintext: nothing.html: ") && run.stderr.lines().count() == 1);
    assert!(folder.read("out/new/a.md").contains("moss") && folder.read("out/new/a-2.md").contains("fern"));
    // HTML results must not overwrite the HTML inputs.
    let here = folder.0.to_str().unwrap();
    let run = maintext(&["extract", "-f", "html", "--output-dir", here, &a]);
    assert!(run.status == Some(2) && run.stderr.contains("would overwrite"), "{run:?}");
    assert_eq!(folder.read("a.html"), article("moss"));
}

#[test]
fn unreadable_inputs_are_reported_in_one_line() {
    let folder = Folder::new("unreadable");
    let pdf = folder.write("a.pdf", b"%PDF-1.7\n...");
    for (input, expected) in [
        (pdf.as_str(), "PDF"),
        (folder.0.to_str().unwrap(), "folder"),
        ("www.example.org", "https://www.example.org"),
        ("ftp://example.org/", "ftp:"),
        ("file:///etc/hostname", "file:"),
        ("http://", "http://"),
    ] {
        let message = maintext(&["extract", input]).failure();
        assert!(message.contains(input) && message.contains(expected), "{message}");
    }
    let message = maintext(&["extract", "--max-size", "1K", &folder.write("big.html", "x".repeat(1025))]).failure();
    assert!(message.contains("big.html: larger than 1024 bytes"), "{message}");
    assert!(maintext_on(&[b'x'; 2000], &["extract", "--max-size", "1K"]).failure().contains("standard input: larger"));
}

#[test]
fn a_page_without_content_gets_a_warning() {
    let run = maintext_on(b"", &["extract"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""));
    assert_eq!(run.stderr, "maintext: standard input: warning: the page has no text\n");
}

#[test]
fn a_page_over_budget_is_partial_with_a_warning() {
    let page =
        format!("<article><h1>Herons</h1>{}</article>", "<p>This paragraph speaks of herons, at length.".repeat(500));
    let whole = maintext_on(page.as_bytes(), &["extract"]).good();
    let cases = [("--max-bytes", "2K", "input bytes"), ("--max-nodes", "200", "nodes"), ("--max-work", "3000", "work")];
    for (flag, value, what) in cases {
        let run = maintext_on(page.as_bytes(), &["extract", flag, value]);
        let said = format!("warning: more {what} than the limit allows: the result is partial");
        assert!(run.status == Some(0) && run.stderr.contains(&said), "{flag}: {}", run.stderr);
        assert!(run.stdout.len() < whole.len(), "{flag}");
    }
    assert!(maintext_on(b"", &["extract", "--max-nodes", "x"]).stderr.contains("--max-nodes"));
}

#[test]
fn invalid_usage_is_exit_status_2() {
    for args in [
        &["extract", "--format", "pdf"][..],
        &["extract", "--method", "magic"],
        &["extract", "--url", "nonsense"],
        &["extract", "--url", "https://example.org/", "a.html", "b.html"],
        &["extract", "--url", "https://example.org/", "https://example.org/"],
        &["extract", "-", "-"],
        &["extract", "-o", "x", "--output-dir", "y"],
        &["extract", "--max-size", "lots"],
        &["extract", "--timeout", "0"],
        &["extract", "--header", "no colon"],
        &["extract", "--header", "A: b\nC: d", "http://127.0.0.1:1/"],
        &["batch", "x.jsonl"],
        &["batch", "x.jsonl", "-o", "-", "--threads", "0"],
        &["man", "nothing"],
        &["nothing"],
        &[],
    ] {
        let run = maintext(args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}: {run:?}");
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn help_completions_and_manual_page() {
    let help = maintext(&["--help"]).good();
    for part in ["extract", "batch", "Examples:", "Exit status:"] {
        assert!(help.contains(part), "{part}");
    }
    let help = maintext(&["extract", "--help"]).good();
    for flag in [
        "--format",
        "--output",
        "--output-dir",
        "--url",
        "--method",
        "--no-comments",
        "--no-tables",
        "--no-images",
        "--no-links",
        "--external-links",
        "--reference-links",
        "--with-metadata",
        "--favor",
        "--user-agent",
        "--timeout",
        "--max-size",
        "--max-redirects",
        "--header",
    ] {
        assert!(help.contains(flag), "{flag}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(maintext(&["completions", shell]).good().contains("with-metadata"), "{shell}");
    }
    assert!(maintext(&["man"]).good().contains(".TH maintext 1"));
    assert!(maintext(&["man", "extract"]).good().contains(".TH maintext-extract 1"));
}

#[test]
fn each_flag_of_markdown_changes_what_its_name_says() {
    let html = format!(
        "<title>Oaks</title><base href='https://example.org/'><article><h1>Oaks</h1><p>{filler} They grow old.<sup><a href='#f1'>1</a></sup> \
         See <a href=/elm>elms</a> and <a href='https://other.example/ash'>ashes</a>.</p><h4>Tables</h4><p>{filler}</p>\
         <table><tr><th>Tree<th>Note<tr><td>Oak<td><ul><li>hard<li>slow</ul><pre>a\n\nb</pre></table><p>{filler}</p>\
         <ol><li id=f1>See the forester of the parish, who has counted the rings of many of them.</li></ol></article>",
        filler = "The oaks of the parish stand along the old road, and each of them has a name that the foresters gave it long ago. "
    );
    let of = |args: &[&str]| {
        let all = [&["extract", "-f", "markdown", "--url", "https://example.org/oaks"], args].concat();
        maintext_on(html.as_bytes(), &all).good()
    };
    let plain = of(&[]);
    let all = [
        "# Oaks",
        "[^1]: See",
        "[elms](https://example.org/elm)",
        "[ashes](https://other.example/ash)",
        "#### Tables",
        "<td>",
    ];
    let missing = |out: &str| all.iter().copied().filter(|part| !out.contains(part)).collect::<Vec<_>>();
    assert_eq!(missing(&plain), [""; 0], "{plain}");
    let external = of(&["--external-links"]);
    assert_eq!(missing(&external), [all[2]], "{external}");
    let references = of(&["--reference-links"]);
    assert_eq!(missing(&references), [all[2], all[3]]);
    assert!(references.contains("\n[1]: https://example.org/elm\n"), "{references}");
    assert_eq!(missing(&of(&["--no-footnotes"])), [all[1]]);
    assert_eq!(missing(&of(&["--title", "never"])), [all[0]]);
    let levels = of(&["--level-headings"]);
    assert_eq!(missing(&levels), [all[4]]);
    assert!(levels.contains("\n## Tables\n"), "{levels}");
    let lines = of(&["--no-html-tables"]);
    assert_eq!(missing(&lines), [all[5]]);
    assert!(lines.contains("| Tree | Note |"), "{lines}");
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let folder = Folder::new("pipe");
    let page = folder.write("a.html", article("reeds").replace("</article>", &"<p>More words.</p>".repeat(50_000)));
    let mut child = command(&["extract", &page, &page]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn flags_that_change_no_written_format_are_errors() {
    let folder = Folder::new("unused-flags");
    let page = folder.write("page.html", article("herons"));
    for (flags, named) in [
        (&["-f", "text", "--reference-links"][..], "--reference-links has no effect without -f markdown or json"),
        (&["-f", "html", "--no-html-tables"], "--no-html-tables has no effect"),
        (&["-f", "xml", "--no-repeat-spans"], "--no-repeat-spans has no effect"),
        (&["-f", "markdown", "--no-list-numbers"], "--no-list-numbers has no effect without -f text or json"),
        (&["--level-headings"], "--level-headings has no effect"),
        (&["--no-links"], "--no-links has no effect"),
        (&["--overwrite"], "--overwrite has no effect without -o or --output-dir"),
    ] {
        let run = maintext(&[&["extract", &page], flags].concat());
        assert!(run.status == Some(2) && run.stdout.is_empty() && run.stderr.contains(named), "{run:?}");
        let flags: Vec<&str> = flags.iter().copied().filter(|flag| flag.starts_with("--")).collect();
        if flags != ["--overwrite"] {
            maintext(&[&["extract", "-f", "json", &page], &flags[..]].concat()).good();
        }
    }
}

#[test]
fn a_shell_of_scripts_names_the_flag_that_renders_it() {
    let shell = "<title>App</title><div id=root></div><script src=/a.js></script><noscript>You need to enable JavaScript to run this app.</noscript>";
    let run = maintext_on(shell.as_bytes(), &["extract"]);
    assert!(
        run.status == Some(0) && run.stderr.contains("only after rendering; --render loads an address in a browser"),
        "{run:?}"
    );
}

#[test]
fn links_of_a_saved_page_are_absolute_if_it_declares_its_address() {
    let page = article("herons").replace("<head>", "<head><link rel=canonical href=https://example.org/walks/1>");
    let markdown = maintext_on(page.as_bytes(), &["extract", "-f", "markdown"]).good();
    assert!(markdown.contains("[here](https://example.org/walks/c)"), "{markdown}");
    let other = maintext_on(page.as_bytes(), &["extract", "-f", "markdown", "--url", "https://example.net/"]).output();
    assert!(other.contains("[here](https://example.net/c)"), "{other}");
}
