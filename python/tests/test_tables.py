"""Tests of extract_batch(), read() and batch()."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from conftest import article

import maintext

pa = pytest.importorskip("pyarrow")


def test_columns_of_all_types() -> None:
    pages = [article("alders"), None, article("birches")]
    raw = [p and p.encode() for p in pages]
    kinds = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
    for kind in kinds:
        column = pa.array(raw if "binary" in str(kind) else pages, kind)
        batch = pa.record_batch({"html": column, "url": ["http://e.org/1", None, "nonsense"]})
        found = maintext.extract_batch(batch, fields=["url", "text", "error"])
        assert isinstance(found, pa.RecordBatch) and found.schema == maintext.schema(["url", "text", "error"])
        rows = found.to_pylist()
        assert "alders" in rows[0]["text"] and rows[0]["url"] == "http://e.org/1" and rows[0]["error"] is None
        assert rows[1] == {"url": None, "text": None, "error": "the page is null"}
        assert "birches" in rows[2]["text"]


def test_a_missing_pyarrow_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (maintext.schema, lambda: maintext.extract_batch({"html": ["<p>a"]})):
        with pytest.raises(ImportError, match=r"pip install 'maintext\[arrow\]'"):
            call()


def test_a_chunked_table_keeps_its_rows() -> None:
    pages = [article(f"tree{i}") for i in range(50)]
    table = pa.table({"page": pages, "key": list(range(50))})
    table = pa.concat_tables([table.slice(0, 7), table.slice(7, 30), table.slice(37)])
    found = maintext.extract_batch(table, html="page", id="key", threads=3)
    assert isinstance(found, pa.Table) and found.schema == maintext.schema()
    for i, row in enumerate(found.to_pylist()):
        assert row["id"] == str(i) and f"tree{i}," in row["text"]
        expected = maintext.extract(pages[i]).to_dict()
        for name in ("title", "authors", "images", "entries", "markdown", "html"):
            assert row[name] == expected[name], name
    assert maintext.extract_batch(table.slice(0, 0), html="page").num_rows == 0


def test_things_are_a_column_of_json() -> None:
    html = '<script type="application/ld+json">{"@type": "Book", "name": "On rivers", "numberOfPages": 96}</script><h1>On rivers</h1>'
    batch = pa.record_batch({"html": [html, None]})
    expected = maintext.extract(html, things=True).things
    for found in (maintext.extract_batch(batch, fields=["things"]), maintext.extract_batch(batch, things=True)):
        assert [json.loads(things) for things in found.column("things").to_pylist()] == [expected, []]
    assert expected[0]["pages"] == 96
    assert maintext.extract_batch(batch).column("things").to_pylist() == ["[]", "[]"]


def test_objects_with_an_arrow_stream() -> None:
    class Stream:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, requested_schema=None):
            return self.table.__arrow_c_stream__(requested_schema)

    found = maintext.extract_batch(Stream(pa.table({"html": [article("alders")]})), fields=["text"])
    assert "alders" in found.column("text")[0].as_py()


def test_limits_and_invalid_columns() -> None:
    batch = pa.record_batch({"html": [article("alders"), article("birches", 500)], "n": [1, 2]})
    rows = maintext.extract_batch(batch, fields=["error"], max_size=10_000).to_pylist()
    assert rows[0]["error"] is None and "larger than the limit of 10000" in rows[1]["error"]
    with pytest.raises(ValueError, match="no column 'page'; the columns are html, n"):
        maintext.extract_batch(batch, "page")
    with pytest.raises(ValueError, match="column 'n' has the type Int64"):
        maintext.extract_batch(batch, "n")
    with pytest.raises(maintext.InvalidOptionError, match="unknown field 'colour'"):
        maintext.extract_batch(batch, fields=["colour"])


def test_reading_a_warc_file(crawl: Path) -> None:
    pages = list(maintext.read(crawl, errors=True))
    assert len(pages) == 39 or len(pages) == 40
    broken = [p for p in pages if p["error"]]
    assert len(broken) == 1 and "record 21" in broken[0]["error"] and broken[0]["html"] is None
    good = list(maintext.read(str(crawl)))
    assert good[3]["url"] == "http://example.org/3" and b"tree3," in good[3]["html"]
    with pytest.raises(OSError, match="missing.warc.gz"):
        maintext.read(crawl.parent / "missing.warc.gz")


def test_a_batch_run(crawl: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    errors = tmp_path / "errors.jsonl"
    calls = []
    counts = maintext.batch(
        crawl,
        tmp_path / "out.parquet",
        where="lang=en,min-words=10",
        errors=errors,
        progress=lambda pages, read: calls.append((pages, read)),
    )
    assert counts["rows"] == 38 and counts["failed"] + counts["skipped"] == 2
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.schema.equals(maintext.schema()) and table.num_rows == 38
    assert all(json.loads(line)["error"] for line in errors.read_text().splitlines())
    with pytest.raises(maintext.InvalidOptionError, match="the name does not determine a format"):
        maintext.batch(crawl, tmp_path / "out.doc")
    with pytest.raises(OSError, match="no file matches"):
        maintext.batch(str(tmp_path / "*.nothing"), tmp_path / "out.jsonl")


def test_an_exception_in_progress_ends_the_run(tmp_path: Path) -> None:
    pages = tmp_path / "pages.jsonl"
    pages.write_text("".join(json.dumps({"html": article(f"t{i}", 20)}) + "\n" for i in range(300)))

    def stop(pages: int, read: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        maintext.batch(pages, tmp_path / "out.jsonl", progress=stop, threads=1)
    assert not (tmp_path / "out.jsonl").exists()
    assert maintext.batch(pages, tmp_path / "out.jsonl", threads=1)["rows"] == 300


def test_the_columns_of_a_table_are_named(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"content": [article("alders")], "link": ["http://e.org/1"]}), tmp_path / "in.parquet")
    names = {"html_column": "content", "url_column": "link", "id_column": "link"}
    maintext.batch(tmp_path / "in.parquet", tmp_path / "out.jsonl", fields=["id", "url", "text"], **names)
    row = json.loads((tmp_path / "out.jsonl").read_text())
    assert (row["id"], row["url"]) == ("http://e.org/1", "http://e.org/1") and "alders" in row["text"]


@pytest.mark.parametrize("format", ["parquet", "jsonl"])
def test_folders_of_shards_have_a_manifest(crawl: Path, tmp_path: Path, format: str) -> None:
    import hashlib

    options = {"fields": ["fineweb", "title"], "dump": "CC-TEST", "tokenizer": "words"}
    counts = maintext.batch(crawl, tmp_path / "out", format=format, shard_size=10_000, **options)
    manifest = json.loads((tmp_path / "out/_manifest.json").read_text())
    assert len(manifest["shards"]) > 1 and sum(shard["rows"] for shard in manifest["shards"]) == counts["rows"] == 38
    for shard in manifest["shards"]:
        assert hashlib.sha256((tmp_path / "out" / shard["file"]).read_bytes()).hexdigest() == shard["sha256"]
    if format == "parquet":
        found = pa.parquet.read_table(tmp_path / "out").to_pylist()
        assert {row["dump"] for row in found} == {"CC-TEST"}
        assert all(row["token_count"] == len(row["text"].split()) and row["title"].startswith("About tree") for row in found)


def test_a_format_of_shards_needs_a_folder_and_a_known_tokenizer(crawl: Path, tmp_path: Path) -> None:
    for wrong, message in [
        ({"output": "-", "format": "parquet"}, "standard output cannot hold several files"),
        ({"output": tmp_path / "out", "format": "csv"}, "format=\"csv\": expected 'text', 'markdown', 'parquet'"),
        ({"output": tmp_path / "out.jsonl", "tokenizer": "sounds"}, 'tokenizer="sounds"'),
    ]:
        with pytest.raises(maintext.InvalidOptionError, match=message):
            maintext.batch(crawl, **wrong)
    with pytest.raises(OSError, match="missing.json"):
        maintext.batch(crawl, tmp_path / "out.jsonl", tokenizer=tmp_path / "missing.json")


def test_origin_and_tokens_are_fields_of_corpora() -> None:
    table = pa.table(
        {
            "html": [article("alders"), None],
            "captured": ["2024-05-17T09:30:00Z", None],
            "file": ["a.warc.gz", "b.warc.gz"],
            "dump": ["CC-2024-22", "CC-2024-22"],
        }
    )
    one, two = maintext.extract_batch(table, fields=["fineweb", "error"], tokenizer="chars").to_pylist()
    assert (one["date"], one["file_path"], one["dump"]) == ("2024-05-17T09:30:00Z", "a.warc.gz", "CC-2024-22")
    assert one["token_count"] == len(one["text"]) > 100 and one["language"] == "en" and one["language_score"] > 0.5
    assert (two["error"], two["date"], two["file_path"], two["token_count"]) == ("the page is null", None, "b.warc.gz", None)
    with pytest.raises(maintext.InvalidOptionError, match="tokenizer="):
        maintext.extract_batch(table, tokenizer="nonsense")


def test_fields_are_a_list_or_names_with_commas(tmp_path: Path) -> None:
    for fields in ("title, language", ["title", "language"]):
        assert maintext.schema(fields).names == ["title", "language"]
        assert list(maintext.extract_batch({"html": [article("alders")]}, fields=fields)) == ["title", "language"]
    (tmp_path / "a.html").write_text(article("alders"))
    maintext.batch(tmp_path / "a.html", tmp_path / "out.jsonl", fields="title,language")
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"title": "About alders", "language": "en"}
    with pytest.raises(maintext.InvalidOptionError, match="unknown field 'titel'"):
        maintext.schema("titel")
