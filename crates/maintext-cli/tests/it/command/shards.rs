//! Tests of `maintext batch` into folders of shards.
use crate::command::batch::{gzip, long_article, records, warc_record};
use crate::command::{Folder, maintext};
use parquet::file::reader::FileReader;
use parquet::record::RowAccessor;
use serde_json::Value;
use std::fs::{self, File};

/// Writes a web archive of 40 pages, one of which is damaged.
fn archive(folder: &Folder) -> String {
    let record = |i: usize| {
        let record = String::from_utf8(warc_record(&format!("http://e.org/{i}"), &long_article(i))).unwrap();
        let date = format!("WARC-Date: 2026-01-{:02}T00:00:00Z\r\nWARC-Type", i % 28 + 1);
        let mut member = gzip(record.replacen("WARC-Type", &date, 1).as_bytes());
        if i == 7 {
            member[300..320].fill(0x55);
        }
        member
    };
    folder.write("in.warc.gz", (0..40).flat_map(record).collect::<Vec<u8>>())
}

fn manifest(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read("corpus/_manifest.json")).unwrap()
}

#[test]
fn shards_have_the_schema_of_public_corpora_and_a_manifest() {
    let folder = Folder::new("batch-shards");
    let (input, out) = (archive(&folder), folder.path("corpus/"));
    let args = [
        "batch",
        &input,
        "-o",
        &out,
        "-f",
        "parquet",
        "--shard-size",
        "30K",
        "--fields",
        "fineweb",
        "--dump",
        "D1",
        "--tokenizer",
        "words",
    ];
    let run = maintext(&[&args[..], &["--where", "min-words=5"]].concat());
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    let manifest = self::manifest(&folder);
    assert_eq!((&manifest["counts"]["pages"], &manifest["counts"]["kept"]), (&40.into(), &39.into()));
    assert_eq!(
        (&manifest["filters"]["where"]["min_words"], &manifest["inputs"][0]),
        (&5.into(), &input.as_str().into())
    );
    let names: Vec<&str> = manifest["fields"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    let expected = ["text", "id", "dump", "url", "date", "file_path", "language", "language_score", "token_count"];
    assert_eq!(names, expected);
    let shards = manifest["shards"].as_array().unwrap();
    assert!(shards.len() > 2, "{shards:?}");
    let mut rows = 0;
    for (number, shard) in shards.iter().enumerate() {
        let name = shard["file"].as_str().unwrap();
        assert_eq!(name, format!("{number:05}.parquet"));
        let path = format!("{out}{name}");
        assert_eq!(fs::metadata(&path).unwrap().len(), shard["bytes"].as_u64().unwrap());
        let sum = std::process::Command::new("sha256sum").arg(&path).output();
        if let Ok(sum) = sum {
            assert!(String::from_utf8_lossy(&sum.stdout).starts_with(shard["sha256"].as_str().unwrap()));
        }
        let table = parquet::file::reader::SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        let row = table.get_row_iter(None).unwrap().next().unwrap().unwrap();
        let text = |column| row.get_string(column).unwrap().as_str();
        assert_eq!((text(2), text(5)), ("D1", input.as_str()));
        assert!(text(4).starts_with("2026-01-"), "{row}");
        assert!(row.get_float(7).is_ok() && row.get_int(8).unwrap() > 300, "{row}");
        rows += table.metadata().file_metadata().num_rows();
        assert_eq!(Some(table.metadata().file_metadata().num_rows()), shard["rows"].as_i64());
    }
    assert_eq!(rows, 39, "failed pages are counted, but have no rows");
}

#[test]
fn languages_by_paragraph_are_a_field() {
    let folder = Folder::new("batch-languages");
    let page = "<article><p>The road was empty that morning, and we left early to be with our friends.</p>\
                <p>Am Morgen war die Straße leer, und wir gingen früh los, um bei unseren Freunden zu sein.</p></article>";
    let input = folder.write("page.html", page);
    let run = maintext(&["batch", "-q", &input, "-o", "-", "--fields", "languages,script,language_score"]);
    let row = &records(&run.stdout)[0];
    assert!(row["script"] == "Latn" && row["language_score"].as_f64().unwrap() > 0.3, "{row}");
    let languages = row["languages"].as_array().unwrap();
    let tags: Vec<_> = languages.iter().map(|l| (&l["language"], &l["script"])).collect();
    assert_eq!(tags, [(&"de".into(), &"Latn".into()), (&"en".into(), &"Latn".into())]);
    assert!(languages.iter().all(|l| (0.4..0.6).contains(&l["share"].as_f64().unwrap())), "{row}");
}

#[test]
fn shards_are_replaced_only_on_request() {
    let folder = Folder::new("batch-shards-again");
    let (input, out) = (archive(&folder), folder.path("corpus/"));
    let args =
        ["batch", "-q", &input, "-o", &out, "-f", "jsonl", "--shard-size", "30K", "--fields", "url,content=markdown"];
    assert_eq!(maintext(&args).status, Some(1));
    let before = manifest(&folder)["shards"].as_array().unwrap().len();
    let run = maintext(&args);
    assert!(run.status == Some(2) && run.stderr.contains("exists already"), "{}", run.stderr);
    folder.write("corpus/notes.txt", "mine");
    let mut larger = args;
    larger[8] = "200K";
    assert_eq!(maintext(&[&larger[..], &["--restart"]].concat()).status, Some(1));
    let shards = manifest(&folder)["shards"].as_array().unwrap().len();
    assert!(shards < before, "{shards} of {before}");
    // Old shards are gone; files of others stay.
    assert_eq!(fs::read_dir(&out).unwrap().count(), shards + 2);
    let text = zstd::decode_all(File::open(format!("{out}00000.jsonl.zst")).unwrap()).unwrap();
    let rows = records(&String::from_utf8(text).unwrap());
    assert_eq!(rows[1]["url"], "http://e.org/1");
    assert!(rows[1]["content"].as_str().unwrap().contains(" w"), "{}", rows[1]);
}

#[test]
fn a_folder_that_someone_else_filled_is_not_overwritten() {
    let folder = Folder::new("batch-shards-foreign");
    let (input, out) = (archive(&folder), folder.path("corpus"));
    fs::create_dir(&out).unwrap();
    folder.write("corpus/00000.parquet", "mine");
    let run = maintext(&["batch", "-q", &input, "-o", &out, "-f", "parquet"]);
    assert!(run.status == Some(2) && run.stderr.contains("00000.parquet: exists already"), "{}", run.stderr);
    assert_eq!(folder.read("corpus/00000.parquet"), "mine");
    let run = maintext(&["batch", "-q", &input, "-o", "-", "-f", "jsonl"]);
    assert!(run.status == Some(2) && run.stderr.contains("name a folder"), "{}", run.stderr);
}
