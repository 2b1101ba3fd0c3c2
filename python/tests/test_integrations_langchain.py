"""Tests of maintext.integrations.langchain with langchain-core."""

from __future__ import annotations

import asyncio
import logging
import pickle
from pathlib import Path

import pytest
from conftest import article
from langchain_core.documents import Document
from langchain_core.documents.base import Blob

import maintext
from maintext.integrations.langchain import MaintextLoader, MaintextParser, MaintextTransformer


def test_the_loader_reads_addresses_files_folders_and_archives(site: str, crawl: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for tree in ("firs", "oaks"):
        (folder / f"{tree}.html").write_text(article(tree))
    documents = MaintextLoader([f"{site}/alders", f"{site}/birches", folder, folder / "firs.html", crawl]).load()
    assert [d.metadata["source"] for d in documents[:5]] == [
        f"{site}/alders",
        f"{site}/birches",
        str(folder / "firs.html"),
        str(folder / "oaks.html"),
        str(folder / "firs.html"),
    ]
    assert documents[5].metadata["source"] == "http://example.org/0" and len(documents) == 5 + 38
    first = documents[0]
    assert first.page_content.startswith("# About alders\n") and f"[a link]({site}/c)" in first.page_content
    assert first.metadata == {
        "source": f"{site}/alders",
        "title": "About alders",
        "author": "Ada Byron",
        "date": "2024-05-17",
        "language": "en",
        "sitename": first.metadata["sitename"],
    }
    assert "speaks of Prés salés" in documents[1].page_content and f"{site}/elsewhere/c" in documents[1].page_content


def test_a_file_that_is_content_as_a_whole_keeps_all_of_it(tmp_path: Path) -> None:
    links = " | ".join(f"[Title {i}](/{i})" for i in range(40))
    note = tmp_path / "note.md"
    note.write_text(f"# Links\n\n{links}\n\nOne.\n")
    (document,) = MaintextLoader(note, format="text").load()
    assert document.page_content.startswith("Links\nTitle 0 | Title 1 | ")


def test_pages_that_fail_are_skipped_with_a_warning_or_raise(site: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sources = [f"{site}/alders", f"{site}/nothing", f"{site}/broken", f"{site}/empty", tmp_path / "no.html", f"{site}/birches"]
    with caplog.at_level(logging.WARNING):
        documents = MaintextLoader(sources, format="text").load()
    assert [d.metadata["title"] for d in documents] == ["About alders", "About Prés salés"]
    assert len([r for r in caplog.records if r.name.startswith("maintext.")]) == 4
    assert all(reason in caplog.text for reason in ("404", "application/pdf", "No such file", "No main content"))
    strict = MaintextLoader(sources, continue_on_failure=False).lazy_load()
    assert next(strict).metadata["title"] == "About alders"
    with pytest.raises(OSError, match="404"):
        next(strict)


def test_the_loader_is_lazy_and_asynchronous(site: str, tmp_path: Path) -> None:
    for i in range(200):
        (tmp_path / f"{i:03}.html").write_text(article(f"tree{i}", 1))
    loader = MaintextLoader(tmp_path, workers=2)
    lazy = loader.lazy_load()
    assert "tree0," in next(lazy).page_content
    lazy.close()

    async def load() -> list[Document]:
        return [document async for document in loader.alazy_load()]

    assert [d.page_content for d in asyncio.run(load())] == [d.page_content for d in loader.load()]
    assert len(asyncio.run(pickle.loads(pickle.dumps(loader)).aload())) == 200


def test_the_parser_reads_blobs(tmp_path: Path) -> None:
    latin = article("Prés salés").replace("<head>", "<head><meta charset=windows-1252>").encode("windows-1252")
    (tmp_path / "a.html").write_bytes(latin)
    parser = pickle.loads(pickle.dumps(MaintextParser(links=False)))
    (document,) = parser.parse(Blob.from_path(tmp_path / "a.html", metadata={"shelf": 3}))
    assert "speaks of Prés salés" in document.page_content and "](" not in document.page_content
    assert document.metadata["source"] == str(tmp_path / "a.html") and document.metadata["shelf"] == 3
    (document,) = MaintextParser().parse(Blob.from_data(article("alders"), metadata={"source": "https://example.org/a"}))
    assert "(https://example.org/c)" in document.page_content
    assert MaintextParser().parse(Blob.from_data(b"%PDF-1.7")) == []
    with pytest.raises(maintext.InvalidInputError):
        MaintextParser(continue_on_failure=False).parse(Blob.from_data(b"%PDF-1.7"))


def test_the_transformer_keeps_metadata_and_ids(caplog: pytest.LogCaptureFixture) -> None:
    pages = [article("alders"), "%PDF-1.7", "", article("firs")]
    sources = [{"source": f"https://example.org/{i}", "title": "Own"} for i in range(4)]
    documents = [Document(page_content=page, id=str(i), metadata=sources[i]) for i, page in enumerate(pages)]
    transformer = MaintextTransformer(fields=["title", "authors", "confidence"], format="text")
    found = pickle.loads(pickle.dumps(transformer)).transform_documents(documents)
    assert [(d.id, d.metadata["title"], d.metadata["authors"]) for d in found] == [("0", "Own", "Ada Byron"), ("3", "Own", "Ada Byron")]
    assert "speaks of firs" in found[1].page_content and "<" not in found[1].page_content
    assert len([r for r in caplog.records if r.name.startswith("maintext.")]) == 2 and documents[0].page_content == pages[0]
    assert asyncio.run(transformer.atransform_documents(documents)) == found
    with pytest.raises(maintext.MaintextError, match="a PDF"):
        MaintextTransformer(continue_on_failure=False).transform_documents(documents)


@pytest.mark.parametrize("make", [lambda **o: MaintextLoader("a.html", **o), MaintextParser, MaintextTransformer])
def test_unknown_options_are_errors(make) -> None:
    make(favor="precision", comments=False)
    for wrong in ({"favour": "x"}, {"format": "pdf"}, {"fields": ["colour"]}, {"fields": "title"}, {"formats": "text"}, {"tables": 1}):
        with pytest.raises(maintext.InvalidOptionError):
            make(**wrong)


def test_pages_become_a_document_for_each_chunk(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(article("alders"))
    chunks = {"size": 30, "overlap": 5}
    found = MaintextLoader(tmp_path / "a.html", chunks=chunks).load()
    page = maintext.extract(article("alders"))
    expected = page.chunks(30, overlap=5)
    assert [d.page_content for d in found] == [c["text"] for c in expected] and len(found) > 1
    assert found[1].metadata["chunk"] == 1 and found[1].metadata["headings"].startswith("About alders")
    assert page.markdown is not None and page.markdown[found[1].metadata["start_index"] :].startswith(found[1].page_content)
    assert all(isinstance(v, (str, int)) for d in found for v in d.metadata.values())
    documents = [Document(page_content=article("firs"), id="7", metadata={"source": "https://example.org/f"})]
    transformer = pickle.loads(pickle.dumps(MaintextTransformer(chunks=chunks)))
    assert [d.id for d in transformer.transform_documents(documents)][:2] == ["7#0", "7#1"]
    blob = Blob.from_data(article("alders"))
    assert len(MaintextParser(chunks=chunks).parse(blob)) == len(found)
    for wrong in ({"chunks": {"size": 0}}, {"chunks": {"siez": 1}}, {"chunks": chunks, "format": "html"}):
        with pytest.raises(maintext.InvalidOptionError):
            MaintextParser(**wrong)
