"""Tests of pickled, copied and compared pages, of signatures, and of other formats than HTML."""

from __future__ import annotations

import concurrent.futures
import copy
import json
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import article

import maintext

THING = '<script type="application/ld+json">{"@type": "Book", "name": "On rivers", "numberOfPages": 96}</script>'
SCHEMA = {"properties": {"title": {"type": "string"}, "author": {"type": "string"}}}
LISTED = "<h1>News</h1><div class='post-list archive'>" + "".join(
    f"<article class='post'><h2><a href='/news/story-{i}'>What happened on day {i} of the year</a></h2><time>2024-05-1{i}</time></article>"
    for i in range(9)
)
PUBLIC = [name for name in dir(maintext.Page) if not name.startswith("_")]


def everything(page: maintext.Page) -> dict[str, Any]:
    """Returns all that a page gives."""
    found = {name: getattr(page, name) for name in PUBLIC}
    # A pickled page has no record of its pieces, which `chunks` needs.
    found.pop("chunks")
    found = {name: value() if callable(value) else value for name, value in found.items()}
    return {**found, "str": str(page), "repr": repr(page), "html_": page._repr_html_(), "keys": list(page.to_dict())}


def full(html: str, url: str | None = "https://example.org/a/b") -> maintext.Page:
    formats = ["text", "markdown", "html", "xml", "blocks"]
    return maintext.extract(html, url, formats=formats, page_type=True, things=True, schema=SCHEMA)


def pages() -> list[maintext.Page]:
    crooked = article("\u2028 \x7f & <\ud83d> 'alders' 🌲")
    comments = article("alders") + "".join(
        f"<div class=comment id=c{i}><b class=author>Ann {i}</b> <time datetime=2024-05-1{i}>then</time><p>I saw it too, number {i}.</p></div>"
        for i in range(5)
    )
    return [
        full(article("alders") + THING),
        full(LISTED, "https://example.org/category/news"),
        full(comments),
        full(crooked, "nonsense"),
        full(""),
        maintext.extract(article("alders"), formats="text", metadata=False, method="line-density"),
        next(iter(maintext.extract_many([b"%PDF-1.7"]))),
        next(iter(maintext.extract_many([(article("alders"), "https://example.org")], timeout=10))),
    ]


def test_a_pickled_page_gives_what_it_gave() -> None:
    for page in pages():
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            restored = pickle.loads(pickle.dumps(page, protocol))
            assert everything(restored) == everything(page)
            assert restored == page and page == restored and hash(restored) == hash(page)
            assert not restored != page
        assert pickle.dumps(restored) == pickle.dumps(page)
        assert everything(pickle.loads(pickle.dumps(restored))) == everything(page)
    with pytest.raises(maintext.InvalidOptionError, match="a page that was pickled cannot be cut"):
        pickle.loads(pickle.dumps(pages()[0])).chunks()
    assert pages()[1].entries and pages()[0].things and pages()[0].data and pages()[3].warnings and pages()[6].error


def test_pages_are_copied_and_compared_by_content() -> None:
    page = full(article("alders"))
    assert copy.copy(page) == page == copy.deepcopy(page) == copy.deepcopy([page])[0]
    assert page == full(article("alders")) and len({page, full(article("alders"))}) == 1
    others = [
        full(article("birches")),
        full(article("alders"), None),
        maintext.extract(article("alders"), "https://example.org/a/b"),
        maintext.extract(article("alders"), "https://example.org/a/b", formats=["text", "xml"]),
    ]
    assert all(page != other for other in others) and page != page.text and page != None  # noqa: E711
    assert len(set(pages())) == len(pages())


def test_a_damaged_state_is_a_clear_error() -> None:
    restore, (state,) = pages()[0].__reduce__()
    assert restore(state) == pages()[0] and state.startswith(b"maintext.Page 1\n")
    for cut in range(0, len(state), 97):
        with pytest.raises(ValueError, match="not the state of a maintext.Page|form|damaged"):
            restore(state[:cut])
    later = state.replace(b"maintext.Page 1\n", b"maintext.Page 2\n")
    with pytest.raises(ValueError, match='a maintext.Page in form "2"; this version of maintext reads form 1'):
        restore(later)
    head, body = state.split(b"\n", 1)
    for wrong in (
        b"[]", b"{}", b"null", body[:-1], body + b"]", b"\xff" + body, body.replace(b'"comments":[]', b'"comments":7'),
        body.replace(b'"tags":', b'"tags_":'), b'{"page":' + b"[" * 100_000,
    ):  # fmt: skip
        assert wrong != body
        with pytest.raises(ValueError, match="the state of a maintext.Page is damaged: "):
            restore(head + b"\n" + wrong)
    with pytest.raises(TypeError):
        restore("text")


def extracted(html: str) -> maintext.Page:
    return full(html)


def doubled(page: maintext.Page) -> list[maintext.Page]:
    return [page, copy.deepcopy(page)]


def test_a_pool_of_processes_returns_pages() -> None:
    htmls = [article(tree) for tree in ("alders", "birches", "cedars", "firs")]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(extracted, htmls))
        assert found == [full(html) for html in htmls]
        assert list(pool.map(doubled, found)) == [[page, page] for page in found]
    assert [everything(page) for page in found] == [everything(full(html)) for html in htmls]


def test_bytes_may_be_other_formats() -> None:
    feed = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>The ferry</title>
        <link>https://example.org/ferry</link><description>It leaves at nine.</description></item></channel></rss>"""
    assert "The ferry" in maintext.extract(feed).text
    note = maintext.extract(b"# A note\n\nCopyright.\n\n- Share *this*.\n- Follow us.\n")
    assert note.text == "A note\nCopyright.\n- Share this.\n- Follow us.\n" or "Share this." in note.text
    saved = (
        b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/walk\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related; boundary="x"\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-8\r\n'
        b"Content-Location: https://example.org/walk\r\n\r\n" + article("alders").encode() + b"\r\n--x--\r\n"
    )
    for page in (maintext.extract(saved), *maintext.extract_many([saved]), *maintext.extract_many([saved], timeout=10)):
        assert "speaks of alders" in page.text and "Imprint" not in page.text and page.url == "https://example.org/walk"
    mailbox = b"From a Mon\nFrom: a@b.org\nSubject: One\n\nFirst letter.\n\nFrom a Mon\nFrom: a@b.org\nSubject: Two\n\nSecond.\n"
    with pytest.raises(maintext.InvalidInputError, match="the input is a mailbox, not a page; split it into messages first"):
        maintext.extract(mailbox)
    with pytest.raises(maintext.InvalidInputError, match="an SVG image"):
        maintext.extract(b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>')
    # Text is always HTML.
    assert maintext.extract("# A note").text == "# A note\n" and maintext.extract(b"").text == ""


def test_pages_of_read_are_whole_where_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Note\n\nCopyright.\n\nShare this.\n")
    (tmp_path / "page.html").write_text(article("alders"))
    records = list(maintext.read(tmp_path))
    assert [record["whole"] for record in records] == [True, False]
    for options in ({}, {"timeout": 10}):
        note, page = maintext.extract_many(maintext.read(tmp_path), **options)
        assert "Copyright." in note.text and "Share this." in note.text and note.title == "Note"
        assert page.text == maintext.extract(article("alders")).text
    maintext.batch(tmp_path, tmp_path.with_suffix(".jsonl"), fields=["text"])
    rows = [json.loads(line) for line in tmp_path.with_suffix(".jsonl").read_text().splitlines()]
    assert [row["text"] for row in rows] == [page.text for page in maintext.extract_many(records)]
    (failed,) = maintext.extract_many([{"html": None, "url": None, "error": "record 21 is damaged"}])
    assert failed.error == "record 21 is damaged"
