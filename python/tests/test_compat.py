"""The replacements for other packages."""

from __future__ import annotations

import http.server
import json
import re
import threading

import pytest
from conftest import article

from maintext.compat import readability, trafilatura

PAGE = article("alders")


@pytest.fixture
def address():
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = PAGE.encode()
            self.send_response(200 if self.path == "/a" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_documented_examples_of_trafilatura(address: str) -> None:
    """Runs the calls in trafilatura's quickstart and usage pages, with only the import changed."""
    from maintext.compat.trafilatura import baseline, bare_extraction, extract, extract_metadata, fetch_url, html2txt

    downloaded = fetch_url(address + "/a")
    assert downloaded is not None and fetch_url(address + "/missing") is None
    result = extract(downloaded)
    assert "speaks of alders" in result and "Imprint" not in result
    assert "<main>" in extract(downloaded, output_format="xml")
    assert "speaks of alders" in extract(downloaded, include_comments=False)
    assert "speaks of alders" in extract(downloaded, output_format="xml", include_comments=False, include_tables=False)
    assert "[a link]" in extract(downloaded, include_links=True, include_formatting=True)
    assert extract(downloaded, include_comments=False, include_tables=False, no_fallback=False)
    assert extract(downloaded, include_comments=False, fast=True)
    assert "speaks of alders" in extract(downloaded, favor_precision=True)
    assert "speaks of alders" in extract(downloaded, favor_recall=True)
    assert extract(downloaded, target_language="de") is None
    assert extract(downloaded, target_language="en") is not None
    assert "**a strong word**" in extract(downloaded, output_format="markdown", with_metadata=False)
    assert extract(downloaded, with_metadata=True).startswith("---\ntitle: About alders")
    fields = json.loads(extract(downloaded, output_format="json", with_metadata=True, url=address + "/a"))
    assert fields["author"] == "Ada Byron" and fields["date"] == "2024-05-17" and "alders" in fields["text"]
    assert {"source", "source-hostname", "excerpt", "fingerprint", "comments", "raw_text"} <= set(fields)
    assert set(json.loads(extract(downloaded, output_format="json"))) == {"text", "comments"}
    assert extract(downloaded, output_format="csv", record_id="7").count("\t") == 10
    assert extract(downloaded, output_format="html", with_metadata=True).startswith("<html>\n<head>\n<meta name=")
    assert "<TEI" in extract(downloaded, output_format="xmltei")
    document = bare_extraction(downloaded, with_metadata=True)
    assert document.title == "About alders" and sorted(document.as_dict())[:2] == ["author", "body"]
    assert any("alders" in (p.text or "") for p in document.body.iter("p"))
    assert bare_extraction(downloaded, only_with_metadata=True, url=address + "/a") is not None
    postbody, text, len_text = baseline(downloaded)
    assert "alders" in text and len_text == len(text) and len(postbody)
    assert "alders" in html2txt(downloaded) and "Imprint" in html2txt(downloaded, clean=False)
    assert extract_metadata(downloaded).sitename in (None, "The Site")
    assert extract_metadata(downloaded, author_blacklist={"Ada Byron"}).author is None


def test_conditions_that_make_trafilatura_return_none() -> None:
    assert trafilatura.extract("") is None
    assert trafilatura.extract("<html><body></body></html>") is None
    assert trafilatura.extract(b"%PDF-1.4") is None
    assert trafilatura.extract(article("x"), only_with_metadata=True) is None
    assert trafilatura.extract(article("x"), url="http://e.org/x", url_blacklist={"http://e.org/x"}) is None
    with pytest.raises(ValueError, match="only usable in bare_extraction"):
        trafilatura.extract(PAGE, output_format="python")
    with pytest.raises(AttributeError, match="Cannot set format"):
        trafilatura.extract(PAGE, output_format="pdf")
    with pytest.warns(DeprecationWarning):
        trafilatura.extract(PAGE, no_fallback=True)


def test_the_date_of_the_last_change_on_request() -> None:
    page = PAGE.replace("<head>", "<head><meta property=article:modified_time content=2024-06-02>")
    for original, date in [(True, "2024-05-17"), (False, "2024-06-02")]:
        dates = {"original_date": original, "extensive_search": True, "max_date": "2026-01-01"}
        document = trafilatura.bare_extraction(page, with_metadata=True, date_extraction_params=dates)
        assert document is not None and document.date == date


def test_xml_without_metadata_has_the_fingerprint() -> None:
    assert re.match(r'<doc fingerprint="[0-9a-f]{16}">', trafilatura.extract(PAGE, output_format="xml"))


def test_signatures_match_trafilatura() -> None:
    real = pytest.importorskip("trafilatura")
    import inspect

    for name in ("extract", "bare_extraction", "extract_metadata", "html2txt", "baseline"):
        ours = inspect.signature(getattr(trafilatura, name)).parameters
        theirs = inspect.signature(getattr(real, name)).parameters
        assert list(ours) == list(theirs), name


def test_readability_document() -> None:
    document = readability.Document(PAGE, url="https://example.org/a")
    assert document.title() == "About alders | The Site"
    assert document.short_title() == "About alders"
    assert document.author() == "Ada Byron"
    summary = document.summary()
    assert summary.startswith("<html><body><div><article>") and "speaks of alders" in summary
    assert document.summary(html_partial=True).startswith("<div>") and "Imprint" not in summary
    assert "Imprint" in document.content()
    assert readability.Document("<p>No title here.").title() == "[no-title]"
    assert readability.Document("<p>No author here.").author() == "[no-author]"
    with pytest.raises(readability.Unparseable):
        readability.Document(b"%PDF-1.4").summary()
