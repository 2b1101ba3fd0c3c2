"""Tests of maintext.integrations.llama_index with llama-index-core."""

from __future__ import annotations

import asyncio
import logging
import pickle
from pathlib import Path

import pytest
from conftest import article
from llama_index.core import SimpleDirectoryReader
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import Document, MetadataMode, NodeRelationship

import maintext
from maintext.integrations.llama_index import MaintextNodeParser, MaintextWebReader

GUIDE = """<html lang=en><head><title>A guide to trees</title><meta name=author content="Ada Byron"></head><body>
<nav><a href=/>Home</a></nav>
<article><h1>A guide to trees</h1><p>This guide is about the trees that stand along the river and on the hills behind it.</p>
<h2>Near <em>water</em></h2><p>Some trees like their feet wet, and they will die when the river is led elsewhere.</p>
<h3>Alders</h3><p>The alder stands on the bank of the river, and its wood is light and does not rot.</p>
<pre># no heading
make alder</pre><p>Carpenters have used it for the piles of bridges and of whole cities.</p>
<h2>On the hills</h2><p>The oak and the fir stand on dry ground, where the wind keeps them short.</p></article></body></html>"""


def test_the_reader_reads_addresses_and_files(site: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "firs.html").write_text(article("firs"))
    reader = MaintextWebReader(comments=False)
    urls = [f"{site}/alders", f"{site}/nothing", f"{site}/broken", f"{site}/empty", f"{site}/birches", tmp_path / "firs.html"]
    with caplog.at_level(logging.WARNING):
        documents = reader.load_data(urls)
    assert [d.id_ for d in documents] == [f"{site}/alders", f"{site}/birches", str(tmp_path / "firs.html")]
    assert len([r for r in caplog.records if r.name.startswith("maintext.")]) == 3
    assert documents[0].text.startswith("# About alders\n") and "speaks of Prés salés" in documents[1].text
    metadata = documents[0].metadata
    assert (metadata["url"], metadata["title"], metadata["author"]) == (f"{site}/alders", "About alders", "Ada Byron")
    assert (metadata["date"], metadata["language"]) == ("2024-05-17", "en")
    assert documents[2].metadata["file_path"] == str(tmp_path / "firs.html") and "url" not in documents[2].metadata
    assert all(isinstance(value, (str, int, float)) for d in documents for value in d.metadata.values())
    assert next(iter(reader.lazy_load_data(urls))).text == documents[0].text
    assert [d.text for d in asyncio.run(reader.aload_data(urls))] == [d.text for d in documents]
    with pytest.raises(OSError, match="404"):
        MaintextWebReader(fail_on_error=True).load_data(urls)


def test_the_reader_serves_a_directory_reader(tmp_path: Path) -> None:
    (tmp_path / "firs.html").write_text(article("firs"))
    (document,) = SimpleDirectoryReader(str(tmp_path), file_extractor={".html": MaintextWebReader()}).load_data()
    assert document.text.startswith("# About firs") and document.metadata["file_name"] == "firs.html"
    assert document.metadata["title"] == "About firs"


def test_nodes_follow_the_headings() -> None:
    document = Document(text=GUIDE, metadata={"url": "https://example.org/guide", "shelf": 3})
    nodes = MaintextNodeParser().get_nodes_from_documents([document])
    assert [(n.metadata["header_path"], n.metadata["heading"], n.metadata["level"]) for n in nodes] == [
        ("/", "A guide to trees", 1),
        ("/A guide to trees/", "Near water", 2),
        ("/A guide to trees/Near water/", "Alders", 3),
        ("/A guide to trees/", "On the hills", 2),
    ]
    assert "# no heading\nmake alder" in nodes[2].text and "whole cities" in nodes[2].text
    assert all(n.metadata["title"] == "A guide to trees" and n.metadata["shelf"] == 3 for n in nodes)
    assert all(n.source_node.node_id == document.node_id for n in nodes)
    assert nodes[1].prev_node.node_id == nodes[0].node_id and nodes[1].next_node.node_id == nodes[2].node_id
    assert NodeRelationship.NEXT not in nodes[3].relationships
    coarse = MaintextNodeParser(max_level=2).get_nodes_from_documents([document])
    assert len(coarse) == 3 and "### Alders" in coarse[1].text
    bare = MaintextNodeParser(include_metadata=False, include_prev_next_rel=False).get_nodes_from_documents([document])
    assert [n.metadata for n in bare] == [{}] * 4 and bare[0].next_node is None


def test_markdown_of_the_reader_is_divided_without_a_second_extraction(tmp_path: Path) -> None:
    (tmp_path / "guide.html").write_text(GUIDE)
    documents = MaintextWebReader().load_data(tmp_path / "guide.html")
    nodes = IngestionPipeline(transformations=[MaintextNodeParser(html=False)]).run(documents=documents)
    assert [n.metadata["heading"] for n in nodes] == ["A guide to trees", "Near water", "Alders", "On the hills"]
    assert all(n.metadata["author"] == "Ada Byron" for n in nodes)
    assert [documents[0].text[n.start_char_idx : n.end_char_idx] for n in nodes] == [n.text for n in nodes]
    assert "\n\n".join(n.get_content(MetadataMode.NONE) for n in nodes) == documents[0].text


def test_headings_are_plain_text_in_metadata() -> None:
    heading = "<code>my_func</code> and a_b <a href=/a_b>c_d [x]</a> <b>bold</b> <i>it</i> 2 * 3 # 4"
    html = GUIDE.replace("On the hills", heading)
    *_, last = MaintextNodeParser().get_nodes_from_documents([Document(text=html)])
    assert last.metadata["heading"] == "my_func and a_b c_d [x] bold it 2 * 3 # 4"
    fenced = Document(text="# One\n\n~~~~\n# no\n~~~\n# no\n~~~~\n\nText\n\n#no heading\n\n### Two ###\n\nText")
    nodes = MaintextNodeParser(html=False).get_nodes_from_documents([fenced])
    assert [(n.metadata["heading"], n.metadata["header_path"]) for n in nodes] == [("One", "/"), ("Two", "/One/")]


def test_files_of_another_file_system() -> None:
    fs = pytest.importorskip("fsspec").filesystem("memory")
    fs.pipe("/pages/firs.html", article("firs").encode())
    reader = SimpleDirectoryReader("/pages", file_extractor={".html": MaintextWebReader()}, fs=fs)
    assert [d.metadata["title"] for d in reader.load_data()] == ["About firs"]


def test_a_page_that_fails_gives_no_nodes(caplog: pytest.LogCaptureFixture) -> None:
    documents = [Document(text=text) for text in ("%PDF-1.7", "", GUIDE)]
    nodes = MaintextNodeParser().get_nodes_from_documents(documents)
    assert len(nodes) == 4 and {n.ref_doc_id for n in nodes} == {documents[2].node_id} and "a PDF" in caplog.text
    with pytest.raises(maintext.MaintextError, match="a PDF"):
        MaintextNodeParser(fail_on_error=True).get_nodes_from_documents(documents)


@pytest.mark.parametrize("kind", [MaintextWebReader, MaintextNodeParser])
def test_components_are_serialised_and_check_their_options(kind: type) -> None:
    made = kind(favor="precision", fields=["title"])
    for copied in (kind.from_dict(made.to_dict()), pickle.loads(pickle.dumps(made)), kind.from_json(made.to_json())):
        assert copied.options == {"favor": "precision"} and copied.fields == ["title"] and copied.to_dict() == made.to_dict()
    for wrong in ({"favour": "x"}, {"fields": ["colour"]}, {"formats": "text"}, {"tables": 1}):
        with pytest.raises(maintext.InvalidOptionError):
            kind(**wrong)


def test_nodes_are_chunks_of_limited_size() -> None:
    parser = MaintextNodeParser(chunks={"size": 30})
    again = MaintextNodeParser.from_dict(parser.to_dict())
    nodes = again.get_nodes_from_documents([Document(text=article("alders"), metadata={"url": "https://example.org/a"})])
    expected = maintext.extract(article("alders"), "https://example.org/a").chunks(30)
    assert [n.text for n in nodes] == [c["text"] for c in expected] and len(nodes) > 1
    assert nodes[0].metadata["heading"] == "About alders" and nodes[0].metadata["title"] == "About alders"
    assert nodes[1].prev_node is not None and nodes[1].prev_node.node_id == nodes[0].node_id
    for wrong in ({"chunks": {"size": 0}}, {"chunks": {"size": 30}, "html": False}):
        with pytest.raises(maintext.InvalidOptionError):
            MaintextNodeParser(**wrong)
