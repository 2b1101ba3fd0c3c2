"""Tests of maintext.integrations.datatrove with datatrove's own readers, writers and executors."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest
from conftest import article, warc_record
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import WarcReader
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.stats import Stats

import maintext
from maintext.integrations.datatrove import Maintext


def counts(stats: Stats) -> dict[str, int]:
    return {name: stat.total for name, stat in stats.stats.items() if name != "doc_len"}


def documents(*pages: object) -> list[Document]:
    metadata = [{"url": f"https://example.org/{i}", "date": "2026-01-01"} for i in range(len(pages))]
    return [Document(text=page, id=str(i), metadata=metadata[i]) for i, page in enumerate(pages)]


def test_a_pipeline_from_a_warc_reader_to_a_jsonl_writer(tmp_path: Path) -> None:
    pytest.importorskip("magic", exc_type=ImportError)  # needs the system's libmagic
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    for file in range(2):
        pages = [article(f"tree{file}{i}").encode() for i in range(40)]
        pages[3], pages[5] = b"<html><body></body></html>", b"%PDF-1.7"
        records = [warc_record(f"http://example.org/{file}/{i}", page) for i, page in enumerate(pages)]
        (crawl / f"{file}.warc.gz").write_bytes(b"".join(map(as_html, records)))
    pipeline = [WarcReader(str(crawl)), Maintext(timeout=20, format="markdown"), JsonlWriter(str(tmp_path / "out"), compression=None)]
    stats = LocalPipelineExecutor(pipeline, tasks=2, workers=2, logging_dir=str(tmp_path / "logs")).run()
    found = [json.loads(line) for path in sorted((tmp_path / "out").glob("*.jsonl")) for line in path.open()]
    assert len(found) == 76
    first = found[0]
    assert first["text"].startswith("# About tree00\n") and "[a link](http://example.org/0/c)" in first["text"]
    metadata = first["metadata"]
    assert (metadata["title"], metadata["author"], metadata["language"]) == ("About tree00", "Ada Byron", "en")
    assert metadata["date"] == "2026-01-02T03:04:05Z" and metadata["date_published"] == "2024-05-17"
    assert metadata["url"] == "http://example.org/0/0" and 0 < metadata["confidence"] <= 1
    logged = json.loads((tmp_path / "logs" / "stats.json").read_text())[1]
    assert logged["name"].endswith("Maintext") and logged["stats"]["total"] == 80
    assert counts(stats.stats[1]) == {"total": 80, "extracted": 78, "forwarded": 76, "dropped": 2, "clean_error": 2}


def as_html(record: bytes) -> bytes:
    """Adds a header by which every page claims to be HTML, the PDF too."""
    more = b"WARC-Identified-Payload-Type: text/html\r\nWARC-Type"
    return gzip.compress(gzip.decompress(record).replace(b"WARC-Type", more, 1), mtime=0)


def test_pages_that_fail_are_counted_and_do_not_end_the_run() -> None:
    slow = "<p>a word and <b>another</b>" * 600_000
    block = Maintext(timeout=0.3)
    found = list(block.run(documents(article("alders"), "", "%PDF-1.7", None, slow, "<html><body></body></html>", article("firs"))))
    assert [doc.id for doc in found] == ["0", "6"] and "speaks of firs" in found[1].text and not found[1].text.endswith("\n")
    assert counts(block.stats) == {"total": 7, "extracted": 4, "forwarded": 2, "dropped": 2, "clean_error": 2, "timeout": 1}
    assert block.stats.time_stats.total > 0


def test_many_documents_are_extracted_lazily_and_in_order() -> None:
    taken = 0

    def pages():
        nonlocal taken
        for doc in documents(*(article(f"tree{i}", 1) for i in range(500))):
            taken += 1
            yield doc

    results = Maintext(timeout=None, threads=2).run(pages())
    assert "tree0," in next(results).text and taken <= 64
    assert [doc.id for doc in results] == [str(i) for i in range(1, 500)]


def test_metadata_have_one_schema_and_fields_can_be_chosen() -> None:
    bare, whole = Maintext().run(documents("<p>Nothing is said of this page, except these few words.</p>", article("alders")))
    assert bare.metadata.keys() == whole.metadata.keys() and bare.metadata["author"] is None
    (doc,) = Maintext(fields={"date": "date", "tags": "keywords", "page_type": "kind"}).run(documents(article("alders")))
    assert doc.metadata == {"url": "https://example.org/0", "date": "2024-05-17", "keywords": [], "kind": doc.metadata["kind"]}
    assert doc.metadata["kind"] is not None


def test_options_are_those_of_the_extractor() -> None:
    block = Maintext(favour_precision=True, timeout=5, deduplicate=True, tables=False)  # the first three are Trafilatura's
    assert block.extractor == maintext.Extractor(favor="precision", images=False, tables=False, formats=("text",))
    copied = pickle.loads(pickle.dumps(block))
    assert copied.extractor == block.extractor and copied.extract(article("alders")) == block.extract(article("alders"))
    assert Maintext().extract(article("alders")) == maintext.extract(article("alders")).text.rstrip("\n")
    for wrong in ({"favour": "x"}, {"format": "pdf"}, {"fields": ["colour"]}, {"formats": ["text"]}, {"timeout": -1}):
        with pytest.raises(maintext.InvalidOptionError):
            Maintext(**wrong)
