//! Nothing is lost: inputs and finished outputs stay, and the summary lists skipped files.
use crate::command::{Folder, Run, article, maintext};
use serde_json::{Value, json};
use std::fs;

fn page_line(id: &str) -> String {
    format!("{}\n", json!({"id": id, "html": article(id)}))
}

fn ids(text: &str) -> Vec<String> {
    text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["id"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn refused(run: &Run, message: &str) {
    assert!(run.status == Some(2) && run.stderr.contains(message) && run.stdout.is_empty(), "{run:?}");
}

/// Returns a folder with `file` and two other names for it.
#[cfg(unix)]
fn linked(test: &str, file: &str, content: &str) -> Folder {
    let folder = Folder::new(test);
    let path = folder.write(file, content);
    fs::hard_link(&path, folder.path("hard")).unwrap();
    std::os::unix::fs::symlink(&path, folder.path("soft")).unwrap();
    folder
}

/// A past bug: `maintext batch b.jsonl -o b.jsonl` replaced the crawl with its results.
#[cfg(unix)]
#[test]
fn batch_never_writes_over_its_input() {
    let folder = linked("keep-batch", "b.jsonl", &page_line("a"));
    let (file, other) = (folder.path("b.jsonl"), folder.write("other.jsonl", page_line("b")));
    for name in ["hard.jsonl", "soft.jsonl"] {
        fs::rename(folder.path(&name[..4]), folder.path(name)).unwrap();
    }
    let message = "which is an input";
    for output in ["b.jsonl", "hard.jsonl", "soft.jsonl"] {
        let output = folder.path(output);
        for flags in [&[][..], &["--restart"]] {
            refused(&maintext(&[&["batch", &other, &file, "-o", &output], flags].concat()), message);
        }
        let new = folder.path("new.jsonl");
        refused(&maintext(&["batch", &file, "-o", &new, "--errors", &output, "--restart"]), message);
        refused(&maintext(&["batch", &file, "-o", &new, "--summary", &output]), message);
    }
    fs::create_dir(folder.path("site")).unwrap();
    let page = folder.write("site/a.html", article("a"));
    let new = folder.path("new.jsonl");
    refused(&maintext(&["batch", &folder.path("site"), "-o", &new, "--errors", &page, "--restart"]), message);
    assert_eq!((folder.read("b.jsonl"), folder.read("site/a.html")), (page_line("a"), article("a")));
    assert_eq!(folder.names(), ["b.jsonl", "hard.jsonl", "other.jsonl", "site", "soft.jsonl"]);
}

/// A past bug: `maintext extract x.html -o x.html` replaced the page.
#[cfg(unix)]
#[test]
fn extract_and_inspect_never_write_over_their_input() {
    let html = article("alders");
    let folder = linked("keep-extract", "x.html", &html);
    let (file, other) = (folder.path("x.html"), folder.write("other.html", &html));
    for output in ["x.html", "hard", "soft"] {
        refused(&maintext(&["extract", &other, &file, "-o", &folder.path(output)]), "which is an input");
        for flag in ["--html", "--csv", "--labels"] {
            refused(&maintext(&["inspect", &file, flag, &folder.path(output)]), "which is an input");
        }
    }
    // Without an early check, the result of the first input would be written before the second is refused.
    let run = maintext(&["extract", "-f", "html", &other, &file, "--output-dir", &folder.path("")]);
    refused(&run, "which is an input");
    assert_eq!((folder.read("x.html"), folder.read("other.html")), (html.clone(), html));
    assert_eq!(folder.names(), ["hard", "other.html", "soft", "x.html"]);
}

/// A past bug: `extract -o` and `--output-dir` replaced texts that somebody had edited.
#[test]
fn extract_and_chunk_replace_files_only_if_told_to() {
    let folder = Folder::new("keep-existing");
    let (page, out) = (folder.write("a.html", article("alders")), folder.write("a.txt", "mine"));
    let here = folder.path("");
    for args in
        [&["extract", &page, "-o", &out][..], &["extract", &page, "--output-dir", &here], &["chunk", &page, "-o", &out]]
    {
        refused(&maintext(args), "a.txt: exists already; replace it with --overwrite");
        assert_eq!(folder.read("a.txt"), "mine");
        maintext(&[args, &["--overwrite"]].concat()).good();
        assert!(folder.read("a.txt").contains("alders"));
        folder.write("a.txt", "mine");
    }
}

/// A past bug: one input of a wrong kind kept a batch from starting, and the first input was blamed.
#[test]
fn inputs_by_name_and_by_pattern_are_skipped_like_those_of_folders() {
    let folder = Folder::new("keep-named");
    let (one, two) = (folder.write("1.html", article("alders")), folder.write("2.html", article("birches")));
    let (image, none) = (folder.write("a.png", b"\x89PNG\r\n\x1a\n0000"), folder.path("none.html"));
    let (out, pattern) = (folder.path("out.jsonl"), folder.path("*.xyz"));
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", folder.path("3.html")).unwrap();
    let run = maintext(&["batch", &one, &image, &none, &pattern, &two, &folder.path("[3].html"), "-o", &out]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let text = folder.read("out.jsonl");
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let failed: Vec<&str> =
        rows.iter().filter(|row| !row["error"].is_null()).filter_map(|row| row["id"].as_str()).collect();
    let mut expected = vec![image.as_str(), &none, &pattern];
    let link = folder.path("3.html");
    if cfg!(unix) {
        expected.push(&link);
    }
    assert_eq!((failed, rows.len()), (expected, if cfg!(unix) { 6 } else { 5 }), "{rows:?}");
    assert!(rows[1]["error"].as_str().unwrap().starts_with(&format!("{image}: ")), "{rows:?}");
    // If no input is good, there is nothing to do.
    let run = maintext(&["batch", &image, &none, "-o", &folder.path("other.jsonl")]);
    assert!(run.status == Some(1) && run.stderr.contains("a.png: "), "{run:?}");
}

/// A past bug: a finished output of 10,000 rows was silently replaced by one of 3.
#[test]
fn a_finished_output_stays_unless_told_otherwise() {
    let folder = Folder::new("keep-output");
    let (one, two) = (folder.write("1.jsonl", page_line("one")), folder.write("2.jsonl", page_line("two")));
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst", "out.parquet", "texts/"] {
        let out = folder.path(name);
        let batch = |input: &str, flags: &[&str]| maintext(&[&["batch", "-q", input, "-o", &out], flags].concat());
        let rows = || match name {
            "texts/" => ids(&folder.read("texts/index.jsonl")),
            "out.parquet" => ids(&maintext(&["batch", "-q", &out, "-o", "-", "--html-column", "text"]).good()),
            _ => {
                let copy = format!("id-{name}");
                fs::copy(&out, folder.path(&copy)).unwrap();
                let lines = maintext(&["batch", "-q", &folder.path(&copy), "-o", "-", "--fields", "id"]).stdout;
                ids(&lines)
            }
        };
        batch(&one, &[]).good();
        refused(&batch(&two, &[]), "exists already; replace it with --restart");
        assert_eq!(rows(), ["one"], "{name}");
        batch(&two, &["--restart"]).good();
        assert_eq!(rows(), ["two"], "{name}");
    }
    // The pages of the replaced run are gone with their index.
    let names: Vec<String> = fs::read_dir(folder.path("texts/00000"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, ["00000000-two.txt"]);
}

/// A past bug: files of other types were skipped silently.
#[test]
fn the_summary_lists_what_was_skipped_and_what_failed() {
    let folder = Folder::new("keep-summary");
    fs::create_dir_all(folder.path("site/deep")).unwrap();
    for (name, content) in [
        ("site/a.html", article("alders")),
        ("site/b.htm", "%PDF-1.7".into()),
        ("site/deep/c.html", article("cedars")),
        ("site/deep/style.css", "p {}".into()),
        ("site/main.css", "p {}".into()),
        ("site/logo.svgz", "x".into()),
        ("site/.hidden", "x".into()),
    ] {
        folder.write(name, content);
    }
    let (out, summary) = (folder.path("site/out.jsonl"), folder.path("summary.json"));
    let run = maintext(&["batch", &folder.path("site"), "-o", &out, "--summary", &summary]);
    assert_eq!(run.status, Some(1));
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines[0].starts_with("maintext: 3 pages, 2 kept in ") && lines[0].ends_with(" pages/s"), "{run:?}");
    assert_eq!(
        lines[1..4],
        [
            "maintext: failed: 1 a PDF (b.htm)",
            "maintext: skipped: 2 file type .css (first: deep/style.css)",
            "maintext: skipped: 1 file type .svgz (logo.svgz)",
        ]
    );
    assert!(lines[4].contains("1 of 3 pages failed") && lines.len() == 5, "{run:?}");
    let summary: Value = serde_json::from_str(&folder.read("summary.json")).unwrap();
    assert_eq!((&summary["pages"], &summary["kept"], &summary["rows"]), (&json!(3), &json!(2), &json!(3)));
    assert_eq!(summary["failed"], json!({"a PDF": {"count": 1, "first": "b.htm"}}));
    assert_eq!(summary["skipped"]["file type .css"], json!({"count": 2, "first": "deep/style.css"}));
    assert!(summary["pages_per_second"].as_f64().unwrap() > 0.0);
    // The output of the first run is in the folder, but not an input of the second.
    let run = maintext(&["batch", &folder.path("site"), "-o", &out, "--restart"]);
    assert!(run.stderr.starts_with("maintext: 3 pages, 2 kept"), "{run:?}");
}

/// A past bug: each run read the texts of the one before.
#[test]
fn a_folder_is_not_its_own_output() {
    let folder = Folder::new("keep-same-folder");
    fs::create_dir_all(folder.path("site")).unwrap();
    folder.write("site/a.html", article("alders"));
    let site = folder.path("site");
    refused(&maintext(&["batch", &site, "-o", &format!("{site}/")]), "which is an input");
    let inside = format!("{site}/out/");
    for _ in 0..2 {
        let run = maintext(&["batch", &site, "-o", &inside, "--restart"]);
        assert!(run.stderr.starts_with("maintext: 1 page, 1 kept"), "{run:?}");
    }
}

#[test]
fn a_folder_without_pages_is_an_error() {
    let folder = Folder::new("keep-empty");
    fs::create_dir_all(folder.path("none/deep")).unwrap();
    let out = folder.path("out.jsonl");
    for _ in 0..2 {
        let message = maintext(&["batch", &folder.path("none"), "-o", &out]).failure();
        assert!(message.contains("none: no pages in this folder"), "{message}");
        folder.write("none/deep/style.css", "p {}");
    }
    assert_eq!(folder.names(), ["none"]);
}

/// A past bug: every remaining file of `--output-dir` gave an error of its own on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_with_one_message() {
    let folder = Folder::new("keep-full");
    let pages: Vec<String> = (0..9).map(|i| folder.write(&format!("{i}.html"), article("alders"))).collect();
    fs::create_dir(folder.path("out")).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.path("out/3.txt")).unwrap();
    let out = folder.path("out");
    let args: Vec<&str> =
        ["extract", "--output-dir", &out].into_iter().chain(pages.iter().map(String::as_str)).collect();
    let run = maintext(&args);
    assert_eq!((run.status, run.stderr.lines().count()), (Some(1), 2), "{run:?}");
    assert!(run.stderr.contains("3.html: ") && run.stderr.contains("No space left on device"), "{run:?}");
    assert!(run.stderr.contains("out: nothing more can be written; 5 inputs are left"), "{run:?}");
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["0.txt", "1.txt", "2.txt", "3.txt"]);
}

/// A batch that can write no further leaves no output, and resumes when there is room.
#[cfg(target_os = "linux")]
#[test]
fn a_batch_resumes_after_a_full_disk() {
    let folder = Folder::new("keep-room");
    let input = folder.write("in.jsonl", (0..300).map(|i| page_line(&i.to_string())).collect::<String>());
    let (out, whole) = (folder.path("out.jsonl"), folder.path("whole.jsonl"));
    let batch = |out: &str, shell: &str| -> Run {
        let mut command = std::process::Command::new("sh");
        let command = command.args(["-c", &format!("{shell} exec \"$@\""), "sh", env!("CARGO_BIN_EXE_maintext")]);
        command.args(["batch", "-q", &input, "-o", out, "--checkpoint", "0"]).output().unwrap().into()
    };
    batch(&whole, "").good();
    let size = fs::metadata(&whole).unwrap().len();
    // No file may grow beyond half of the output, in units of 512 bytes.
    let run = batch(&out, &format!("trap '' XFSZ; ulimit -f {};", size / 1024));
    assert!(run.status == Some(1) && run.stderr.contains("out.jsonl: File too large"), "{run:?}");
    assert!(!fs::exists(&out).unwrap());
    batch(&out, "").good();
    assert_eq!(folder.read("out.jsonl"), folder.read("whole.jsonl"));
    assert_eq!(folder.names(), ["in.jsonl", "out.jsonl", "whole.jsonl"]);
}
