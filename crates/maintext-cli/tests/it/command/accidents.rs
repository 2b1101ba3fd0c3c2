//! Ordinary accidents: one of each kind among many pages, outputs that take nothing, little memory.
use super::batch::{gzip, lines, records, tree, warc_record};
use super::make::zip;
use super::{Folder, article, command};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A page with words that no other number has.
fn page(number: usize) -> String {
    article(&format!("tree{}", (number as u32).wrapping_mul(2_654_435_761)))
}

/// Inputs with one of each kind of damage, and the losses that a run must list.
#[derive(Default)]
struct Inputs {
    names: Vec<String>,
    /// Number of pages that can be read.
    good: usize,
    /// A part of the message of each loss.
    lost: Vec<&'static str>,
    /// Number of files that are not pages and that the summary lists.
    skipped: u64,
}

impl Inputs {
    fn add(&mut self, name: String, good: usize, lost: &[&'static str]) {
        self.names.push(name);
        self.good += good;
        self.lost.extend(lost);
    }
}

/// Records of an archive; the one in the middle is damaged by `damage`.
fn archive(first: usize, count: usize, pack: impl Fn(&[u8]) -> Vec<u8>, damage: impl Fn(&mut [u8])) -> Vec<u8> {
    let packed = (0..count).map(|n| {
        let mut member = pack(&warc_record(&format!("http://e.org/{}", first + n), &page(first + n)));
        if n == count / 2 {
            damage(&mut member);
        }
        member
    });
    packed.collect::<Vec<_>>().concat()
}

/// Flips a bit in the middle.
fn flip(bytes: &mut [u8]) {
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
}

/// Makes about `count` pages: two fifths in lines of JSON and in a web archive each, one in a folder, and a few in files of other formats.
fn inputs(folder: &Folder, count: usize) -> Inputs {
    let mut inputs = Inputs::default();
    let (many, few) = (count * 2 / 5, count / 5);
    let name = folder.write("a.warc.gz", archive(0, many, gzip, flip));
    inputs.add(name, many - 1, &["the compressed data are damaged"]);
    let wrong_length = |bytes: &mut [u8]| {
        let at = bytes.windows(16).position(|w| w == b"Content-Length: ").unwrap() + 16;
        bytes[at] ^= 1;
    };
    let name = folder.write("b.warc", archive(many, 20, <[u8]>::to_vec, wrong_length));
    inputs.add(name, 19, &["b.warc record 11"]);
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let name = folder.write("c.warc.zst", archive(many + 20, 20, zstd, |bytes| bytes[0] ^= 1));
    inputs.add(name, 19, &["c.warc.zst record 11"]);
    let mut text = lines(&(0..many).map(|n| json!({"id": n, "html": page(n + 1_000_000)})).collect::<Vec<_>>());
    text += "not JSON\n";
    text += &lines(&[
        json!({"id": "a PDF", "html": "%PDF-1.7"}),
        json!({"id": "nothing", "html": null}),
        json!({"id": "long", "html": "x".repeat(300_000)}),
    ]);
    text += &format!("{{\"id\": 123456789012345678901234567890, \"html\": {}}}\n", json!(page(2_000_000)));
    let lost = ["not a page record", "a PDF, not an HTML page", "has neither", "larger than the limit"];
    inputs.add(folder.write("d.jsonl", text), many + 1, &lost);
    let cut = gzip(lines(&(0..50).map(|n| json!({"html": page(n + 3_000_000)})).collect::<Vec<_>>()).as_bytes());
    inputs.add(folder.write("e.jsonl.gz", &cut[..cut.len() - 6]), 50, &["cannot read further"]);
    inputs.add(saved_pages(folder, few), few, &["convert it first"]);
    inputs.skipped += 5;
    let mut saved = format!(
        "From: <Saved by Blink>\r\nSubject: Tale\r\nContent-Type: multipart/related; boundary=\"xx-7\"\r\n\r\n--xx-7\r\n\
         Content-Type: text/html\r\n\r\n{}",
        page(4_000_000)
    );
    saved.truncate(saved.len() - 20);
    inputs.add(folder.write("h.mhtml", saved), 1, &[]);
    let web = zip(&[
        ("datapackage.json", b"{}"),
        ("archive/a.warc.gz", &archive(5_000_000, 10, gzip, |_| ())),
        ("archive/b.warc", &archive(5_000_010, 10, <[u8]>::to_vec, |_| ())),
    ]);
    inputs.add(folder.write("i.wacz", web), 20, &[]);
    // The second page of a table is null, and another table lacks its end.
    let table = table(&[Some(page(7_000_000)), None, Some(page(7_000_001))]);
    inputs.add(folder.write("l.parquet", &table), 2, &["has neither"]);
    inputs.add(folder.write("m.parquet", &table[..table.len() - 9]), 0, &["m.parquet"]);
    inputs.add(folder.write("k.png", b"\x89PNG\r\n\x1a\n0000"), 0, &["k.png"]);
    inputs.add(folder.path("none.html"), 0, &["none.html"]);
    inputs
}

/// A Parquet file of pages.
fn table(pages: &[Option<String>]) -> Vec<u8> {
    use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    let schema = "message pages { required int64 id; optional binary html (UTF8); }";
    let schema = std::sync::Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let mut writer = parquet::file::writer::SerializedFileWriter::new(&mut bytes, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let ids: Vec<i64> = (0..pages.len() as i64).collect();
    column.typed::<Int64Type>().write_batch(&ids, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let texts: Vec<ByteArray> = pages.iter().flatten().map(|page| ByteArray::from(page.as_bytes().to_vec())).collect();
    let levels: Vec<i16> = pages.iter().map(|page| i16::from(page.is_some())).collect();
    column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

/// A folder with pages, a PDF, files that are not pages, links to the folder itself and a dangling link.
fn saved_pages(folder: &Folder, count: usize) -> String {
    let home = folder.0.join("f");
    fs::create_dir(&home).unwrap();
    for n in 0..count {
        fs::write(home.join(format!("{n}.html")), page(n + 6_000_000)).unwrap();
    }
    fs::write(home.join("x.html"), "%PDF-1.7").unwrap();
    fs::write(home.join("style.css"), "p {}").unwrap();
    fs::write(home.join("image.png"), "x").unwrap();
    for (name, to) in [("to-itself", "."), ("again", "."), ("nowhere.html", "nothing")] {
        std::os::unix::fs::symlink(to, home.join(name)).unwrap();
    }
    home.to_str().unwrap().to_owned()
}

fn start(inputs: &Inputs, home: &str) -> Child {
    fs::create_dir_all(home).unwrap();
    let [out, errors, summary] = ["out.jsonl", "errors.jsonl", "summary.json"].map(|name| format!("{home}/{name}"));
    let mut args = vec!["batch", "-q", "--max-size", "200K", "--checkpoint", "0", "--fields", "id,url,text,error"];
    args.extend(inputs.names.iter().map(String::as_str));
    args.extend(["-o", &out, "--errors", &errors, "--summary", &summary]);
    command(&args).stderr(Stdio::piped()).spawn().unwrap()
}

/// Each of many inputs is a row or is reported as lost, and a run that is killed five times gives the same bytes.
fn every_input_is_a_row_or_a_loss(count: usize, name: &str) {
    let folder = Folder::new(name);
    let inputs = inputs(&folder, count);
    let (whole, killed) = (folder.path("whole"), folder.path("killed"));
    let run = start(&inputs, &whole).wait_with_output().unwrap();
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stderr));
    let rows = records(&folder.read("whole/out.jsonl"));
    let errors = records(&folder.read("whole/errors.jsonl"));
    let messages: Vec<&str> = errors.iter().map(|row| row["error"].as_str().unwrap()).collect();
    for lost in &inputs.lost {
        assert!(messages.iter().any(|message| message.contains(lost)), "{lost}: {messages:#?}");
    }
    assert_eq!((rows.len(), errors.len()), (inputs.good, inputs.lost.len()), "{messages:#?}");
    let texts: HashSet<&str> = rows.iter().filter_map(|row| row["text"].as_str()).collect();
    assert_eq!(texts.len(), rows.len(), "each page once");
    let summary: Value = serde_json::from_str(&folder.read("whole/summary.json")).unwrap();
    let skipped = summary["skipped"].as_object().unwrap().values().map(|tally| tally["count"].as_u64().unwrap());
    assert_eq!(skipped.sum::<u64>(), inputs.skipped, "{summary:#}");
    let all = inputs.good + inputs.lost.len();
    assert_eq!(
        (summary["pages"].as_u64(), summary["rows"].as_u64()),
        (Some(all as u64), Some(inputs.good as u64)),
        "{summary:#}"
    );

    let size = fs::metadata(folder.path("whole/out.jsonl")).unwrap().len();
    for moment in 1..=5 {
        let mut run = start(&inputs, &killed);
        let so_far = folder.0.join("killed/.out.jsonl.partial/rows");
        while fs::metadata(&so_far).map_or(0, |rows| rows.len()) < size * moment / 6 {
            assert!(run.try_wait().unwrap().is_none(), "it ended before moment {moment}");
            std::thread::sleep(Duration::from_millis(1));
        }
        run.kill().unwrap();
        run.wait().unwrap();
    }
    let last = start(&inputs, &killed).wait_with_output().unwrap();
    assert_eq!(last.status.code(), Some(1), "{}", String::from_utf8_lossy(&last.stderr));
    let (mut expected, mut found) = (tree(whole.as_ref()), tree(killed.as_ref()));
    let tallies = |files: &mut std::collections::BTreeMap<String, Vec<u8>>| {
        let summary: Value = serde_json::from_slice(&files.remove("/summary.json").unwrap()).unwrap();
        ["pages", "rows", "failed", "skipped"].map(|count| summary[count].clone())
    };
    assert_eq!(tallies(&mut expected), tallies(&mut found));
    assert_eq!(expected.keys().collect::<BTreeSet<_>>(), found.keys().collect::<BTreeSet<_>>());
    assert!(expected == found, "the rows differ after five kills");
}

#[test]
fn every_input_of_a_thousand_is_a_row_or_a_loss() {
    every_input_is_a_row_or_a_loss(1000, "accidents");
}

#[test]
#[ignore = "runs by night"]
fn every_input_of_twenty_thousand_is_a_row_or_a_loss() {
    every_input_is_a_row_or_a_loss(20_000, "accidents-many");
}

/// Runs the command by a shell, with its redirections and limits.
fn shell(line: &str, args: &[&str]) -> super::Run {
    let mut shell = std::process::Command::new("sh");
    let line = format!("\"$0\" \"$@\" {line}");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_maintext")]).args(args).stdin(Stdio::null());
    shell.output().unwrap().into()
}

/// A past bug: Rust's runtime opens `/dev/null` for a closed standard output, and the output was lost with exit status 0.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_nothing_is_a_failure() {
    let folder = Folder::new("closed");
    let input = folder.write("a.html", article("alders"));
    let entries: String =
        (0..9).map(|n| format!("<li><a href=/{n}>The tale of the heron, number {n}</a></li>")).collect();
    let list = folder.write("list.html", format!("<ul>{entries}</ul>"));
    let commands: [&[&str]; 6] = [
        &["extract", &input],
        &["list", &list],
        &["batch", "-q", &input, "-o", "-"],
        &["chunk", &input],
        &["classify", &input],
        &["--help"],
    ];
    for args in commands {
        let run = shell(">&-", args);
        let expected = "maintext: standard output: is closed: nothing can be written\n";
        assert_eq!((run.status, run.stderr.as_str()), (Some(1), expected), "{args:?}");
        let run = shell(">/dev/full", args);
        assert!(
            run.status == Some(1) && run.stderr.starts_with("maintext: standard output: No space left"),
            "{args:?}: {run:?}"
        );
        // A reader that has seen enough, and one that wants nothing.
        let run = shell("| head -c 1 >/dev/null", args);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert_eq!(shell(">/dev/null", args).status, Some(0), "{args:?}");
        assert_eq!(shell("<>/dev/null 1>&0", args).status, Some(0), "{args:?}");
    }
    // Nothing is written there.
    let out = folder.path("out.jsonl");
    assert_eq!(shell(">&-", &["batch", "-q", &input, "-o", &out]).status, Some(0));
    assert_eq!(records(&folder.read("out.jsonl")).len(), 1);
}

/// With little address space a batch ends, or makes all its rows: it does not wait for a thread that could not start.
#[cfg(target_os = "linux")]
#[test]
fn little_memory_ends_a_batch_with_a_message() {
    let folder = Folder::new("memory");
    let input =
        folder.write("in.jsonl", lines(&(0..40).map(|n| json!({"id": n, "html": page(n)})).collect::<Vec<_>>()));
    let program = fs::metadata(env!("CARGO_BIN_EXE_maintext")).unwrap().len() >> 10;
    let mut ends = [0, 0];
    for more in (0..200_000).step_by(10_000) {
        let out = folder.path(&format!("{more}.jsonl"));
        let limited = |args: &[&str]| {
            let mut shell = std::process::Command::new("sh");
            let line = format!("ulimit -v {}; exec timeout 60 \"$0\" \"$@\"", program * 7 / 10 + more);
            shell.args(["-c", &line, env!("CARGO_BIN_EXE_maintext")]).args(args).env("RUST_BACKTRACE", "0");
            shell.stdin(Stdio::null()).output().unwrap()
        };
        // The system may not even load the program.
        if !limited(&["--version"]).status.success() {
            continue;
        }
        let run = limited(&["batch", "-q", &input, "-o", &out, "--threads", "8"]);
        let said = String::from_utf8_lossy(&run.stderr);
        match run.status.code() {
            Some(0) => {
                ends[0] += 1;
                assert_eq!(records(&folder.read(&format!("{more}.jsonl"))).len(), 40, "{more}");
            }
            status => {
                ends[1] += 1;
                assert!(status != Some(124) && !said.is_empty(), "{more}: {status:?} {said}");
                assert!(!fs::exists(&out).unwrap(), "{more}: {said}");
            }
        }
    }
    assert!(ends[0] > 0 && ends[1] > 0, "{ends:?}");
}
