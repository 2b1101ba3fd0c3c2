"""Tests of filters and deduplication on a local Spark, skipped without pyspark or Java."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import maintext

pytest.importorskip("pyspark")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java", allow_module_level=True)

from maintext import spark as mt  # noqa: E402
from maintext import spark_job  # noqa: E402


def words(seed: int, count: int = 200) -> list[str]:
    random_ = random.Random(seed)
    return [f"word{random_.randrange(100_000)}" for _ in range(count)]


def chain(length: int) -> list[str]:
    """Returns texts that share nine tenths with the next; the first and the last of twelve share nothing."""
    text = words(1, 200 + 20 * length)
    return [" ".join(text[20 * step : 20 * step + 200]) for step in range(length)]


def ids(df: Any) -> list[str]:
    """Returns the ids of a frame; failed pages, without ids, are "-"."""
    return sorted(row["id"] or "-" for row in df.collect())


@pytest.fixture(scope="module")
def texts(spark: Any) -> Any:
    """A chain of 40 texts, four texts that only white space or the end distinguish, and texts without duplicates."""
    rows: list[tuple[str, str | None, str | None, str | None, float | None]] = []
    rows += [(f"c{i:02}", text, f"2024-01-{i % 28 + 1:02}", f"HTTP://e.org:80/{i // 2}#top", None) for i, text in enumerate(chain(12))]
    same = " ".join(words(3))
    rows += [("s1", same, None, "mailto:ann@e.org", 0.1), ("s2", same.replace(" ", "\n"), "2020-01-01", None, 0.9)]
    rows += [("s3", same + " more", "2021-01-01", "nothing", None), ("s4", same, "2021-01-01", "", 0.9)]
    rows += [("x1", " ".join(words(4)), None, "http://x.org/", 0.5), ("x2", None, None, "http://x.org/", None), (None, " \n", None, None, None), (None, None, None, None, None)]
    return spark.createDataFrame(rows, "id string, text string, date string, url string, score double").cache()


ALONE = ["-", "-", "x1", "x2"]


def test_a_chain_of_small_edits_is_one_cluster(texts: Any, tmp_path: Path) -> None:
    # The order of the rows and the number of partitions do not matter.
    marked = mt.deduplicate(texts.orderBy("text").coalesce(1), mark=True, keep="longest", work=str(tmp_path))
    assert marked.columns == [*texts.columns, "cluster", "cluster_size", "kept"]
    found = {row["id"]: tuple(row)[-3:] for row in marked.collect()}
    longest = max((len(text), -i) for i, text in enumerate(chain(12)))
    kept = {f"c{-longest[1]:02}", "s3", "x1", "x2", None}
    clusters = {"c": ("c00", 12), "s": ("s1", 4)}
    assert found == {id: (*clusters.get((id or "-")[0], (id, 1)), id in kept) for id in found}
    # Only the table that the result reads stays.
    assert [path.name for path in tmp_path.glob("*/*")] == ["members"]
    again = mt.clusters(texts.repartition(5, "text"), keep="longest")
    assert {row["id"]: tuple(row)[1:] for row in again.collect()} == {id: row for id, row in found.items() if row[1] > 1}


def test_rules_choose_the_copy_that_stays(texts: Any) -> None:
    some = texts.where("id is null or id not like 'c%'")
    for keep, kept in [("newest", "s3"), ("score", "s2")]:
        assert ids(mt.deduplicate(some, keep=keep)) == sorted([kept, *ALONE]), keep
    # s3 is not equal to the others.
    assert ids(mt.deduplicate(some, by="exact", keep=-some["score"])) == sorted(["s1", "s3", *ALONE])


def test_addresses_are_compared_in_their_normal_form(texts: Any) -> None:
    some = texts.where("id is null or id < 'c04' or id like 's%' or id like 'x%'")
    assert ids(mt.deduplicate(some, by="url")) == ["-", "-", "c00", "c02", "s1", "s2", "s3", "s4", "x1"]
    urls = {row[0] for row in some.select(mt.normalize_url("url")).collect()}
    assert urls == {"http://e.org/0", "http://e.org/1", "http://x.org/", None}


def test_signatures_are_those_of_the_package(texts: Any) -> None:
    for row in mt.signatures(texts, name="keys").where("id is null or id not like 'c%'").collect():
        expected = maintext.signature(row["text"] or "")
        found = None if row["keys"] is None else b"".join(key.to_bytes(8, "little", signed=True) for key in row["keys"])
        assert found == expected, row["id"]


def test_wrong_arguments_are_named(texts: Any, tmp_path: Path) -> None:
    for wrong, message in [
        ({"id": "key"}, "no column 'key' of unique ids; the columns are id, text"),
        ({"text": "score"}, "column 'score' has the type double; expected strings"),
        ({"by": "sound"}, "by='sound': expected 'minhash', 'exact' or 'url'"),
        ({"keep": "frist"}, "keep='frist': expected 'first', 'longest', 'newest' or an expression"),
        ({"keep": "length("}, r"keep='length\('"),
        ({"id": "score"}, "column 'score' has (null|the value 0.9) in [0-9]+ rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            mt.deduplicate(texts, **wrong, work=str(tmp_path))
    assert list(tmp_path.glob("*/*")) == []
    with pytest.raises(ValueError, match="the column 'kept' exists already"):
        mt.deduplicate(texts.withColumnRenamed("score", "kept"), mark=True)


def test_lines_of_many_pages_are_dropped_and_the_others_keep_their_order(spark: Any) -> None:
    rows = [(1, "Home\nA line.\n\nShare this\nHome\n"), (2, "Home\nAnother.\nShare  this"), (3, None), (4, "Home"), (5, "Alone\n\nAlone")]
    df = spark.createDataFrame(rows, "id int, text string")
    result = lambda **options: [row["text"] for row in sorted(mt.drop_repeated(df, **options).collect())]  # noqa: E731
    assert result() == ["A line.\n\n", "Another.\n", None, "", "Alone\n\nAlone"]
    assert result(pages=2, within="id < 5")[:2] == ["A line.\n\nShare this\n", "Another.\nShare  this"]
    assert result(unit="paragraph", within="id % 2") == [row[1] for row in rows]


PASSAGES = "".join(f"<p>Write to ann@mail.net, who is with us and has number {n}. It is the road of the {n} trees.</p>" for n in range(9))
HTML = [
    f"<article>{PASSAGES}</article>",
    "<article><p>Short and without an end</p></article>",
    f"<article>{PASSAGES}<p>One more sentence is at the end of it.</p></article>",
    "%PDF-1.7",
    "<article>" + "".join(f"<p>The garden has number {n} and a gate that leads to the house on hill {n * 7}.</p>" for n in range(12)) + "</article>",
]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps({"id": str(i), "html": html, "url": f"http://e.org/{i}"}) + "\n" for i, html in enumerate(HTML)))
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return sorted((json.loads(line) for line in path.read_text().splitlines()), key=lambda row: str(row["id"]))


def test_the_job_deduplicates_like_batch(spark: Any, pages: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"id": [str(i) for i in range(len(HTML))], "html": HTML})
    pq.write_table(table, tmp_path / "in.parquet")
    maintext.batch(pages, tmp_path / "out.jsonl", fields=["text"], dedup="minhash")
    out, work = tmp_path / "out", tmp_path / "work"
    flags = ["--input", str(tmp_path / "in.parquet"), "--output", str(out), "--fields", "text"]
    flags += ["--dedup", "url,minhash", "--work", str(work)]
    spark_job.run(spark_job.arguments(flags), spark)
    by_text = lambda rows: sorted(rows, key=str)  # noqa: E731
    expected = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert by_text(pq.read_table(out).to_pylist()) == by_text(expected) and len(expected) == 4
    assert list(work.iterdir()) == []
    with pytest.raises(FileExistsError, match="exists already"):
        spark_job.run(spark_job.arguments(flags), spark)
    with pytest.raises(SystemExit):
        spark_job.arguments([*flags[:4], "--dedup", "sound"])
