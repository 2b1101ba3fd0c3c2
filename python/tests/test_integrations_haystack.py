"""Tests of maintext.integrations.haystack in Haystack's pipelines."""

from __future__ import annotations

import logging
import os
import pickle
from pathlib import Path

import pytest
from conftest import article

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
from haystack import Pipeline  # noqa: E402
from haystack.components.preprocessors import DocumentSplitter  # noqa: E402
from haystack.dataclasses import ByteStream  # noqa: E402

import maintext  # noqa: E402
from maintext.integrations.haystack import MaintextConverter  # noqa: E402


def test_a_pipeline_converts_files_and_streams(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "firs.html").write_text(article("firs"))
    stream = ByteStream(article("alders").encode(), meta={"url": "https://example.org/a", "title": "Own"})
    koi = ByteStream(article("чайки").encode("koi8-r"), meta={"encoding": "koi8-r"})
    bad = [ByteStream(b"%PDF-1.7"), ByteStream(b""), tmp_path / "missing.html"]
    pipeline = Pipeline()
    pipeline.add_component("converter", MaintextConverter(comments=False))
    pipeline.add_component("splitter", DocumentSplitter(split_by="word", split_length=1000))
    pipeline.connect("converter.documents", "splitter.documents")
    pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=["maintext.integrations.haystack"])
    sources = [str(tmp_path / "firs.html"), stream, *bad, koi, tmp_path / "firs.html"]
    with caplog.at_level(logging.WARNING):
        found = pipeline.run({"converter": {"sources": sources, "meta": {"shelf": 3}}})["splitter"]["documents"]
    firs, alders, gulls, again = found
    assert len([r for r in caplog.records if r.name.startswith("maintext.")]) == 3
    assert firs.content.startswith("# About firs\n") and again.content == firs.content
    assert firs.meta["file_path"] == "firs.html" and firs.meta["shelf"] == 3
    named = {name: firs.meta[name] for name in ("title", "author", "date", "language")}
    assert named == {"title": "About firs", "author": "Ada Byron", "date": "2024-05-17", "language": "en"}
    assert "(https://example.org/c)" in alders.content and alders.meta["title"] == "Own"
    assert "speaks of чайки" in gulls.content


def test_meta_and_paths(tmp_path: Path) -> None:
    path = tmp_path / "firs.html"
    path.write_text(article("firs"))
    converter = MaintextConverter(store_full_path=True, format="text", fields=["title", "authors", "tags"])
    first, second = converter.run([path, path], meta=[{"n": 1}, {"n": 2, "title": "Own"}])["documents"]
    assert first.meta == {"title": "About firs", "authors": ["Ada Byron"], "file_path": str(path), "n": 1}
    assert second.meta["title"] == "Own" and "**" not in first.content
    with pytest.raises(ValueError, match="length of the metadata"):
        converter.run([path], meta=[{}, {}])
    latin = ByteStream(article("Prés salés").encode("windows-1252"))
    assert "Prés salés" in MaintextConverter(encoding="windows-1252").run([latin])["documents"][0].content


def test_it_is_serialised_and_checks_its_options() -> None:
    made = MaintextConverter(favor="precision", fields=["title"], encoding="utf-8")
    data = made.to_dict()
    assert data["type"] == "maintext.integrations.haystack.MaintextConverter" and data["init_parameters"]["favor"] == "precision"
    assert MaintextConverter.from_dict(data).to_dict() == data
    assert pickle.loads(pickle.dumps(made)).to_dict() == data
    for wrong in ({"favour": "x"}, {"format": "pdf"}, {"fields": ["colour"]}, {"formats": "text"}, {"tables": 1}, {"encoding": "none"}):
        with pytest.raises(maintext.InvalidOptionError):
            MaintextConverter(**wrong)


def test_pages_become_a_document_for_each_chunk(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(article("alders"))
    converter = MaintextConverter(chunks={"size": 30})
    again = MaintextConverter.from_dict(converter.to_dict())
    found = again.run([tmp_path / "a.html"])["documents"]
    expected = maintext.extract(article("alders")).chunks(30)
    assert [d.content for d in found] == [c["text"] for c in expected] and len(found) > 1
    assert [d.meta["split_id"] for d in found] == list(range(len(found))) and found[1].meta["headings"][0] == "About alders"
    with pytest.raises(maintext.InvalidOptionError):
        MaintextConverter(chunks={"size": 0})
