//! Tests of `maintext chunk`, `extract --chunks`, and the chunks of `batch`.
use crate::command::batch::records;
use crate::command::{Folder, maintext, maintext_on};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::fs::File;

const GUIDE: &str = "<html><head><title>Guide</title></head><body><article><h1>Guide</h1>
<p>The ferry leaves at nine, and it returns in the evening. Nobody has to book, as there is room for all. Bring a coat, since the deck is cold.</p>
<h2>Prices</h2><p>Tickets are sold on board, and cards are accepted. Write to <a href='/office'>the office</a> or to ann@ferry.net for groups of more than ten.</p>
<table><tr><th>Passenger</th><th>Price</th></tr><tr><td>Adult person</td><td>four pounds</td></tr>
<tr><td>Child below ten</td><td>two pounds</td></tr><tr><td>Dog of any size</td><td>free of charge</td></tr></table>
<p>Prices hold until the end of the year, and nobody knows by how much they will rise after it.</p></article></body></html>";

/// Returns the objects of lines of JSON.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn chunks_are_lines_with_the_page_and_the_places() {
    let folder = Folder::new("chunk-lines");
    let page = folder.write("guide.html", GUIDE);
    let run = maintext(&["chunk", "--size", "24", "--overlap", "10", "--url", "https://e.org/guide", &page]);
    let chunks = lines(&run.good());
    assert!(chunks.len() > 3, "{chunks:?}");
    let markdown = maintext(&["extract", "-f", "markdown", "--url", "https://e.org/guide", &page]).good();
    let characters: Vec<char> = markdown.chars().collect();
    for (i, chunk) in chunks.iter().enumerate() {
        assert_eq!((&chunk["index"], &chunk["title"]), (&i.into(), &"Guide".into()));
        assert_eq!((&chunk["id"], &chunk["url"]), (&page.as_str().into(), &"https://e.org/guide".into()));
        let at = |key: &str| usize::try_from(chunk[key].as_u64().unwrap()).unwrap();
        assert_eq!(characters[at("start")..at("end")].iter().collect::<String>(), chunk["text"]);
        assert!(at("tokens") <= 24 || chunk["oversized"] == true, "{chunk}");
        assert!(GUIDE.is_char_boundary(at("source_start")) && at("source_end") <= GUIDE.len());
    }
    let table = chunks.iter().find(|c| c["kinds"][0] == "table").unwrap();
    assert_eq!((&table["oversized"], &table["headings"][1]), (&true.into(), &"Prices".into()));
    let linked = chunks.iter().find(|c| c["links"][0]["text"] == "the office").unwrap();
    assert_eq!(linked["links"][0]["href"], "https://e.org/office");
    assert!(chunks.iter().any(|c| c["overlap"].as_u64() > Some(0)), "{chunks:?}");
    let split = maintext(&["chunk", "--size", "20", "--split-large", &page]).good();
    assert!(lines(&split).iter().all(|c| c["oversized"] == false), "{split}");
    let text = maintext(&["chunk", "--form", "text", "--tokenizer", "chars", &page]).good();
    assert!(text.contains("Adult person | four pounds"), "{text}");
}

#[test]
fn chunks_are_readable_and_come_from_several_inputs() {
    let folder = Folder::new("chunk-shown");
    let page = folder.write("guide.html", GUIDE);
    let shown = maintext(&["chunk", "-f", "text", "--size", "60", &page]).good();
    assert!(shown.starts_with("--- 0: "), "{shown}");
    assert!(shown.contains("tokens, heading text table, Guide > Prices\n## Prices\n\nTickets"), "{shown}");
    let missing = folder.path("none.html");
    let out = folder.path("chunks.jsonl");
    let run = maintext_on(GUIDE.as_bytes(), &["chunk", "-o", &out, "-", &missing, &page]);
    assert_eq!((run.status, run.stderr.matches('\n').count()), (Some(1), 1), "{run:?}");
    assert!(run.stderr.contains("none.html: no such file"), "{run:?}");
    let mut ids: Vec<Value> = lines(&folder.read("chunks.jsonl")).iter().map(|c| c["id"].clone()).collect();
    ids.dedup();
    assert_eq!(ids, [Value::from("standard input"), page.as_str().into()]);
    let empty = maintext_on(b"<p></p>", &["chunk"]);
    assert_eq!((empty.status, empty.stdout.as_str()), (Some(0), ""));
    assert!(empty.stderr.contains("standard input: warning: "), "{empty:?}");
}

#[test]
fn a_tokenizer_of_a_file_counts() {
    let folder = Folder::new("chunk-tokenizer");
    let page = folder.write("guide.html", GUIDE);
    let json = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":{"type":"Whitespace"},
        "post_processor":null,"decoder":null,"model":{"type":"WordLevel","vocab":{"[UNK]":0},"unk_token":"[UNK]"}}"#;
    let file = folder.write("tokenizer.json", json);
    let chunks = lines(&maintext(&["chunk", "--tokenizer", &file, &page]).good());
    let words = lines(&maintext(&["chunk", "--tokenizer", "words", &page]).good());
    let tokens = |chunks: &[Value]| chunks.iter().map(|c| c["tokens"].as_u64().unwrap()).sum::<u64>();
    // The pre-tokenizer separates signs from words.
    assert!(tokens(&chunks) > tokens(&words), "{chunks:?}");
    let wrong = maintext(&["chunk", "--tokenizer", &page, &page]);
    assert_eq!(wrong.status, Some(2));
    assert!(wrong.stderr.contains("--tokenizer") && wrong.stderr.contains("not a tokenizer.json"), "{wrong:?}");
}

#[test]
fn wrong_usage_of_chunks_names_the_flag() {
    let cases: &[(&[&str], &str)] = &[
        (&["chunk", "--size", "0"], "--size: the limit"),
        (&["chunk", "--size", "10", "--overlap", "6"], "--overlap: "),
        (&["chunk", "--size", "10", "--min", "11"], "--min: "),
        (&["chunk", "--size", "ten"], "--size"),
        (&["chunk", "--tokenizer", "gpt-9"], "unknown tokenizer 'gpt-9'"),
        (&["chunk", "--tokenizer", "none/tokenizer.json"], "--tokenizer"),
        (&["chunk", "-o", "a.parquet"], "batch --rows chunks"),
        (&["chunk", "--things"], "--things"),
        (&["extract", "--chunks"], "--chunks needs -f json"),
        (&["extract", "-f", "json", "--min", "3"], "--min has no effect without --chunks"),
        (&["batch", "x", "-o", "-", "--overlap", "3"], "--overlap has no effect without --rows chunks"),
        (&["batch", "x", "-o", "-", "--fields", "index"], "unknown field 'index'"),
        (&["batch", "x", "-o", "-", "--rows", "chunks", "--fields", "chunks"], "unknown field 'chunks'"),
        (&["batch", "x", "-o", "-", "--fields", "chunks", "--size", "0"], "--size: the limit"),
    ];
    let folder = Folder::new("chunk-usage");
    folder.write("x", GUIDE);
    for (args, expected) in cases {
        let run: crate::command::Run = crate::command::command(args).current_dir(&folder.0).output().unwrap().into();
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}: {run:?}");
        assert!(run.stderr.contains(expected), "{args:?}: {run:?}");
    }
}

#[test]
fn the_json_of_a_page_and_a_column_hold_the_same_chunks() {
    let folder = Folder::new("chunk-key");
    let page = folder.write("guide.html", GUIDE);
    let object: Value =
        serde_json::from_str(&maintext(&["extract", "-f", "json", "--chunks", "--size", "30", &page]).good()).unwrap();
    assert_eq!(object["title"], "Guide");
    let from_lines = lines(&maintext(&["chunk", "--size", "30", &page]).good());
    let args = ["batch", "-q", &page, "-o", "-", "--fields", "id,markdown,chunks", "--size", "30"];
    let row = &records(&maintext(&args).good())[0];
    assert_eq!(row["chunks"], object["chunks"]);
    for (mut line, chunk) in from_lines.into_iter().zip(object["chunks"].as_array().unwrap()) {
        line.as_object_mut().unwrap().retain(|key, _| !["id", "url", "title"].contains(&&**key));
        assert_eq!(line, *chunk);
    }
}

#[test]
fn rows_of_chunks_are_a_table_with_the_page_beside_them() {
    let folder = Folder::new("chunk-rows");
    let pages: Vec<String> =
        (0..30).map(|i| serde_json::json!({"id": i.to_string(), "html": GUIDE}).to_string()).collect();
    let broken = serde_json::json!({"id": "broken", "html": "%PDF-1.7"}).to_string();
    let input = folder.write("pages.jsonl", [pages.join("\n"), broken].join("\n"));
    let out = folder.path("chunks.parquet");
    let args = ["batch", "-q", &input, "-o", &out, "--rows", "chunks", "--size", "30", "--row-group", "25"];
    let run = maintext(&args);
    assert_eq!(run.status, Some(1), "{run:?}");
    let table = SerializedFileReader::new(File::open(&out).unwrap()).unwrap();
    let rows = table.metadata().file_metadata().num_rows();
    let names: Vec<String> =
        table.metadata().file_metadata().schema().get_fields().iter().map(|f| f.name().to_owned()).collect();
    assert_eq!(names[..5], ["id", "url", "title", "index", "text"]);
    assert!(table.num_row_groups() > 2);
    let one = lines(&maintext(&["chunk", "--size", "30", "-"]).stdout).len();
    assert_eq!(one, 0);
    let one = lines(&maintext_on(GUIDE.as_bytes(), &["chunk", "--size", "30"]).good()).len();
    assert_eq!(rows as usize, 30 * one + 1, "a row per chunk, and one for the page that failed");
    let args = ["batch", "-q", &input, "-o", "-", "--rows", "chunks", "--fields", "id,part=index,text,words,error"];
    let found = records(&maintext(&args).stdout);
    let last = found.last().unwrap();
    assert!(last["error"].as_str().unwrap().contains("a PDF") && last["text"].is_null(), "{last}");
    assert!(found[1]["words"].as_u64() > Some(50) && found[1]["part"] == 1 || one == 1, "{}", found[1]);
    let corpus = folder.path("corpus/");
    let args = [
        "batch",
        "-q",
        &input,
        "-o",
        &corpus,
        "-f",
        "parquet",
        "--rows",
        "chunks",
        "--size",
        "30",
        "--shard-size",
        "20K",
    ];
    assert_eq!(maintext(&args).status, Some(1));
    let manifest: Value = serde_json::from_str(&folder.read("corpus/_manifest.json")).unwrap();
    let shards = manifest["shards"].as_array().unwrap();
    let sum: u64 = shards.iter().map(|s| s["rows"].as_u64().unwrap()).sum();
    assert!(shards.len() > 1 && sum as usize == 30 * one, "{manifest}");
    assert_eq!((&manifest["chunks"]["tokenizer"], &manifest["chunks"]["size"]), (&"words".into(), &30.into()));
}
