"""Tests of chunks: of a page, in tables, and in files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import maintext

GUIDE = """<html><head><title>Guide</title></head><body><article><h1>Guide</h1>
<p>The ferry – the old one – leaves at nine, and it returns in the evening. Nobody has to book, as there is room for all. Bring a coat.</p>
<h2>Prices</h2><p>Tickets are sold on board, and cards are accepted. Write to <a href="/office">the office</a> for groups of more than ten.</p>
<table><tr><th>Passenger</th><th>Price</th></tr><tr><td>Adult person</td><td>four pounds</td></tr>
<tr><td>Child below ten</td><td>two pounds</td></tr><tr><td>Dog of any size</td><td>free of charge</td></tr></table>
<p>Prices hold until the end of the year, and nobody knows by how much they will rise after it.</p></article></body></html>"""


def test_a_page_is_cut_by_its_headings() -> None:
    page = maintext.extract(GUIDE, "https://e.org/guide")
    chunks = page.chunks(30, overlap=12)
    assert page.markdown is not None and len(chunks) > 3
    for number, chunk in enumerate(chunks):
        assert chunk["index"] == number and page.markdown[chunk["start"] : chunk["end"]] == chunk["text"]
        assert chunk["tokens"] <= 30 or chunk["oversized"]
    (table,) = (c for c in chunks if "table" in c["kinds"])
    assert table["oversized"] and table["headings"] == ["Guide", "Prices"]
    assert [c["links"] for c in chunks if c["links"]][0] == [{"text": "the office", "href": "https://e.org/office"}]
    start, end = table["source_start"], table["source_end"]
    assert GUIDE.encode()[start:end].decode().startswith("Passenger</th>")
    assert any(c["overlap"] for c in chunks)
    assert not any(c["oversized"] for c in page.chunks(24, split_large=True))
    assert len(page.chunks()) < len(page.chunks(24, min=12)) <= len(page.chunks(24))


def test_the_form_follows_the_formats() -> None:
    page = maintext.extract(GUIDE, formats="text")
    chunks = page.chunks(400, tokenizer="chars")
    assert all(page.text[c["start"] : c["end"]] == c["text"] and "#" not in c["text"] for c in chunks)
    (page,) = maintext.extract_many([GUIDE], formats=["markdown"])
    assert page.chunks(20)[0]["text"].startswith("# Guide")
    (failed,) = maintext.extract_many([b"%PDF-1.7"])
    assert failed.chunks(20) == []


def test_tokenizers_are_names_files_and_functions(tmp_path: Path) -> None:
    page = maintext.extract(GUIDE)
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    parts = {"truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "post_processor": None, "decoder": None}
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": model, **parts}))
    counts = [sum(c["tokens"] for c in page.chunks(1000, tokenizer=t)) for t in ("words", "chars", file, str(file), lambda text: len(text.encode()))]
    assert counts[0] < counts[2] == counts[3] < counts[1] < counts[4]

    def broken(text: str) -> int:
        raise LookupError("no vocabulary")

    with pytest.raises(LookupError, match="no vocabulary"):
        page.chunks(20, tokenizer=broken)
    with pytest.raises(LookupError, match="no vocabulary"):
        maintext.extract_batch({"html": [GUIDE]}, fields=["chunks"], chunks={"tokenizer": broken})


def test_wrong_settings_are_errors(tmp_path: Path) -> None:
    page = maintext.extract(GUIDE)
    wrong = [{"size": 0}, {"size": 10, "overlap": 6}, {"size": "x"}, {"tokenizer": "gpt-9"}, {"siez": 3}, {"form": "text"}, {"min": -1}]
    for settings in wrong:
        with pytest.raises(maintext.InvalidOptionError):
            page.chunks(**settings)
    with pytest.raises(TypeError, match="tokenizer"):
        page.chunks(tokenizer=3)  # type: ignore[arg-type]
    with pytest.raises(OSError, match=r"none\.json"):
        page.chunks(tokenizer=tmp_path / "none.json")
    with pytest.raises(maintext.InvalidOptionError, match="markdown or text"):
        maintext.extract(GUIDE, formats="html").chunks()
    with pytest.raises(maintext.InvalidOptionError, match="pickled"):
        pickle.loads(pickle.dumps(page)).chunks()
    with pytest.raises(maintext.InvalidOptionError, match="no effect"):
        maintext.extract_batch({"html": [GUIDE]}, fields=["text"], chunks={"size": 20})
    with pytest.raises(maintext.InvalidOptionError, match="rows"):
        maintext.batch(str(tmp_path), str(tmp_path / "a.jsonl"), rows="posts")


def test_tables_have_a_column_of_chunks() -> None:
    table = maintext.extract_batch(pa.table({"html": [GUIDE, "%PDF-1.7"]}), fields=["id", "markdown", "chunks"], chunks={"size": 20})
    (first, failed) = table.to_pylist()
    expected = maintext.extract(GUIDE).chunks(20)
    assert first["chunks"] == expected and failed["chunks"] == []
    kind = table.schema.field("chunks").type.value_type
    assert kind.field("headings").type == pa.list_(pa.string()) and kind.field("oversized").type == pa.bool_()
    text = maintext.extract_batch(pa.table({"html": [GUIDE]}), fields=["text", "chunks"], chunks={"form": "text"}).to_pylist()[0]
    assert text["text"].startswith(text["chunks"][0]["text"])


def test_files_have_a_row_per_chunk(tmp_path: Path) -> None:
    (tmp_path / "guide.html").write_text(GUIDE)
    out = tmp_path / "chunks.parquet"
    counts = maintext.batch(str(tmp_path / "guide.html"), out, rows="chunks", chunks={"size": 20})
    rows = pq.read_table(out).to_pylist()
    expected = maintext.extract(GUIDE).chunks(20)
    assert counts["rows"] == len(rows) == len(expected)
    assert [r["text"] for r in rows] == [c["text"] for c in expected] and rows[0]["title"] == "Guide"
    maintext.batch(str(tmp_path / "guide.html"), out, rows="chunks", fields=["url", "part=index", "text"], restart=True)
    assert pq.read_schema(out).names == ["url", "part", "text"]
