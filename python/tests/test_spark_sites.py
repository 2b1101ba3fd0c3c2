"""Tests of extract(sites=True) on a local Spark, skipped without pyspark or Java."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import maintext

pytest.importorskip("pyspark")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java", allow_module_level=True)

from maintext import spark as mt  # noqa: E402

SENTENCES = [
    "The ferry leaves the island at nine, and comes back in the evening with the last of the carts.",
    "A keeper counts the seals on the northern rocks every spring, before the pups are born.",
    "In the winter of the great ice, people walked across the bay and carried the post by hand.",
    "The school moved into the old net loft, which has thick walls and a view of the harbour.",
    "Two boats were built this year, the first since the yard changed its owner.",
    "Nobody remembers who planted the orchard behind the chapel, but its pears win prizes.",
]
APPEAL = "We are a small paper that lives from its readers, and every letter that we print costs us money."


def page(i: int) -> str:
    return (
        f"<script></script><nav><a href=/>Home</a></nav><h1>Part {i}</h1><div class=a><p>{SENTENCES[i % 6]}</p>"
        f"<p>Then: {SENTENCES[(i + 1) % 6]}</p></div><div class=about><p>{APPEAL} <a href=/about>More about us</a></p></div>"
    )


def test_pages_are_judged_beside_their_host_as_in_batch(spark: Any, tmp_path: Path) -> None:
    urls = [f"https://{'www.' if i == 3 else ''}paper.test/{i}" for i in range(6)] + ["HTTPS://two.test/0", "https://two.test/1"]
    rows = [(str(n), url, page(n % 6)) for n, url in enumerate(urls)] + [("none", None, page(0))]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"id": i, "url": u, "html": h}) + "\n" for i, u, h in rows))
    maintext.batch(tmp_path / "in.jsonl", tmp_path / "out.jsonl", fields=["id", "text"], sites=True)
    expected = {row["id"]: row["text"] for row in map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())}
    df = spark.createDataFrame([(*row, "kept") for row in rows], "id string, url string, html string, more string").repartition(3)
    found = mt.extract(df, keep=["more"], fields=["id", "text", "error"], sites=True).collect()
    assert {row["id"]: row["text"] for row in found} == expected and len(found) == len(rows)
    assert all(row["error"] is None and row["more"] == "kept" for row in found)
    with_appeal = sorted(row["id"] for row in found if APPEAL in row["text"])
    assert with_appeal == ["6", "7", "none"]


def test_sites_need_addresses(spark: Any) -> None:
    with pytest.raises(ValueError, match="sites=True needs a column of addresses"):
        mt.extract(spark.createDataFrame([("<p>a",)], "html string"), sites=True)
