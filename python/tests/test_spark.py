"""Tests of maintext.spark on a local Spark, skipped without pyspark or Java."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import article

import maintext

pytest.importorskip("pyspark")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java", allow_module_level=True)

from maintext import spark as mt  # noqa: E402
from maintext import spark_job  # noqa: E402


def test_every_input_row_gives_one_row(spark) -> None:
    pages = [article("alders"), None, "%PDF-1.7", "", "<p>" * 100_000, article("birches", 4000)]
    rows = [(i, None if page is None else page.encode(), f"http://e.org/{i}", "kept") for i, page in enumerate(pages)]
    df = spark.createDataFrame(rows, "key int, html binary, url string, more string")
    found = mt.extract(df, id="key", keep=["more"], fields=["id", "url", "text", "error"], max_size=350_000)
    assert [f.name for f in found.schema.fields] == ["more", "id", "url", "text", "error"]
    rows = {row["id"]: row for row in found.collect()}
    assert len(rows) == 6 and all(row["more"] == "kept" for row in rows.values())
    assert "alders" in rows["0"]["text"] and rows["0"]["error"] is None
    assert rows["1"]["error"] == "the page is null"
    assert "a PDF" in rows["2"]["error"]
    assert rows["3"]["error"] is None and rows["3"]["text"] == ""
    assert rows["4"]["error"] is None
    assert "larger than the limit" in rows["5"]["error"]


def test_all_fields_have_their_types(spark) -> None:
    df = spark.createDataFrame([(article("alders"),)], "html string")
    row = mt.extract(df).collect()[0].asDict(recursive=True)
    expected = maintext.extract(article("alders")).to_dict()
    assert set(row) == set(maintext.schema().names)
    for name in ("title", "authors", "date", "text", "markdown", "html", "images", "entries"):
        assert row[name] == expected[name], name


def test_origin_and_tokens_are_fields_of_corpora(spark) -> None:
    rows = [(article("alders"), "2024-05-17T09:30:00Z", "a.warc.gz", "CC-2024-22")]
    df = spark.createDataFrame(rows, "html string, captured string, source string, dump string")
    row = mt.extract(df, fields=["text", "captured", "file", "dump", "token_count"], tokenizer="chars").collect()[0]
    assert row[1:] == (*rows[0][1:], len(row["text"]))


def test_things_are_a_column_of_json(spark) -> None:
    html = '<script type="application/ld+json">{"@type": "Book", "name": "On rivers"}</script><h1>On rivers</h1>'
    row = mt.extract(spark.createDataFrame([(html,)], "html string"), fields=["things"]).collect()[0]
    assert json.loads(row["things"]) == maintext.extract(html, things=True).things


def test_invalid_options_are_reported_before_the_job_runs(spark) -> None:
    df = spark.createDataFrame([("<p>a",)], "page string")
    with pytest.raises(ValueError, match="no column 'html'; the columns are page"):
        mt.extract(df)
    with pytest.raises(maintext.InvalidOptionError):
        mt.extract(df, "page", method="magic")
    with pytest.raises(FileNotFoundError):
        mt.read_warc(spark, "missing/*.warc.gz")


def test_a_page_over_the_time_limit_fails_alone(spark) -> None:
    slow = "<p>a word and <b>another</b>" * 600_000
    df = spark.createDataFrame([(slow,), (article("alders"),)], "html string")
    rows = mt.extract(df, fields=["text", "error"], timeout=0.1).collect()
    assert "took longer than 0.1 s" in rows[0]["error"] and "alders" in rows[1]["text"]


def test_the_job_gives_the_same_rows_as_batch(spark, crawl: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    fields = "id,url,title,text,markdown,error"
    maintext.batch(crawl, tmp_path / "batch.parquet", fields=fields.split(","))
    out = tmp_path / "spark.parquet"
    inputs = [str(crawl), str(tmp_path / "not-there.warc.gz")]
    assert spark_job.main(["--input", *inputs, "--output", str(out), "--fields", fields]) == 0
    by_id = lambda rows: sorted(rows, key=lambda row: str(row["id"]))  # noqa: E731
    batch = by_id(pq.read_table(tmp_path / "batch.parquet").to_pylist())
    job = pq.read_table(out).to_pylist()
    missing = [row for row in job if "not-there" in (row["error"] or "")]
    assert len(missing) == 1
    assert by_id(row for row in job if row not in missing) == batch
