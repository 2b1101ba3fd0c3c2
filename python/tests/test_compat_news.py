"""The replacements for newspaper4k and goose3: every public attribute beside the real packages, and what these cannot show."""

from __future__ import annotations

import copy
import doctest
import http.server
import importlib
import inspect
import json
import pickle
import socket
import struct
import threading
import zlib
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import goose3 as real_goose3
import pytest
from news_pages import JSON_LD, LINES, LIST, META, PAGES, PLAIN, URL, newspaper4k

from maintext.compat import goose3, newspaper
from maintext.compat._images import size_of
from maintext.compat._news import host_parts, to_datetime
from maintext.compat.newspaper.article import ArticleDownloadState

real_newspaper = newspaper4k()
#: newspaper3k has the same module name; where both are installed, newspaper4k cannot be imported.
beside_newspaper4k = pytest.mark.skipif(real_newspaper is None, reason="needs newspaper4k without newspaper3k")

NEWSPAPER = """url original_url source_url title authors publish_date text top_image meta_img images movies keywords keyword_scores
meta_keywords meta_description meta_lang meta_favicon meta_site_name canonical_link html is_parsed history read_more_link summary imgs
top_img text_cleaned download_exception_msg""".split()
#: Names of newspaper4k that concern sites and not pages; they are not replaced.
SOURCES = {"Source", "build", "hot", "popular_urls"}
GOOSE3 = """title cleaned_text meta_description meta_lang meta_favicon meta_keywords meta_encoding canonical_link domain final_url tags
opengraph tweets links authors publish_date publish_datetime_utc schema raw_html additional_data infos top_image""".split()


def parsed(module: Any, page: str, **options: Any) -> Any:
    return module.article(URL, input_html=page, fetch_images=False, **options)


@beside_newspaper4k
@pytest.mark.parametrize("name", PAGES)
def test_attributes_of_newspaper(name: str) -> None:
    ours, theirs = parsed(newspaper, PAGES[name]), parsed(real_newspaper, PAGES[name])
    for attribute in NEWSPAPER:
        # newspaper4k drops the last paragraph of this page, and the quotation.
        if name == "json_ld" and attribute.startswith("text"):
            continue
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
    assert ours.top_node.tag == theirs.top_node.tag and ours.doc.tag == "html"
    assert ours.config.language == theirs.config.language
    assert ours.download_state.name == theirs.download_state.name == "SUCCESS"
    assert ours.is_valid_url() == theirs.is_valid_url() and ours.is_valid_body() == theirs.is_valid_body()
    fields = ours.to_json(as_string=False)
    assert list(fields) == list(theirs.to_json(as_string=False)) and json.loads(ours.to_json()) == fields
    assert LINES[0] in ours.article_html or name == "list"


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("url", [URL, None])
def test_attributes_of_goose3(name: str, url: str | None) -> None:
    ours = goose3.Goose().extract(url=url, raw_html=PAGES[name])
    theirs = real_goose3.Goose().extract(url=url, raw_html=PAGES[name])
    for attribute in GOOSE3:
        # goose3 drops the quotation of this page.
        if name == "json_ld" and attribute in ("cleaned_text", "infos"):
            continue
        found, expected = getattr(ours, attribute), getattr(theirs, attribute)
        assert (sorted(found) == sorted(expected)) if attribute == "tags" else (found == expected), attribute
    assert len(ours.movies) == len(theirs.movies) == (name == "json_ld")
    for movie, other in zip(ours.movies, theirs.movies):
        for attribute in ("embed_type", "provider", "width", "height", "embed_code", "src"):
            assert getattr(movie, attribute) == getattr(other, attribute)
    assert ours.link_hash.split(".")[0] == theirs.link_hash.split(".")[0]
    assert ours.top_node.tag == theirs.top_node.tag and LINES[0][:20] in (ours.top_node_raw_html or "") or name == "list"


def test_what_the_originals_lose_is_kept() -> None:
    assert "The siskins of the bank are back" in parsed(newspaper, JSON_LD).text and "the cones." in parsed(newspaper, JSON_LD).text
    assert "The siskins of the bank are back" in goose3.Goose().extract(raw_html=JSON_LD).cleaned_text
    assert parsed(newspaper, JSON_LD).tags == {"Birds", "Trees"}
    assert parsed(newspaper, META).meta_data["og"]["site_name"] == "River Notes"
    assert newspaper.fulltext(LIST).startswith("Erlen am Ufer\n\nDie Erle Nummer 0")
    for page in (META, PLAIN) if real_newspaper is not None else ():
        assert newspaper.fulltext(page) == real_newspaper.fulltext(page)


@beside_newspaper4k
def test_signatures_match() -> None:
    for ours, theirs in ((newspaper, real_newspaper), (goose3, real_goose3)):
        for name in getattr(theirs, "__all__", "Goose Article Configuration AuthorPattern ArticleContextPattern Image Video".split()):
            if name in SOURCES:
                continue
            expected = getattr(theirs, name)
            found = getattr(ours, name)
            if inspect.isfunction(expected):
                assert list(inspect.signature(found).parameters) == list(inspect.signature(expected).parameters), name
            elif inspect.isclass(expected) and not issubclass(expected, Exception):
                for member, value in inspect.getmembers(expected, inspect.isfunction):
                    if not member.startswith("_") and member not in ("set_movies", "fetch_images", "get_parser"):
                        parameters = list(inspect.signature(getattr(found, member)).parameters)
                        assert parameters == list(inspect.signature(value).parameters), f"{name}.{member}"
    for ours, theirs in ((newspaper.Config(), real_newspaper.Config()), (goose3.Configuration(), real_goose3.Configuration())):
        for name in dir(theirs):
            if name.startswith("_") or name.isupper() or name in ("get_parser",):
                continue
            value = getattr(theirs, name)
            if isinstance(value, (bool, int, float, str)) and "agent" not in name:
                assert getattr(ours, name) == value, name
    assert [code for code, _ in newspaper.valid_languages()] == [code for code, _ in real_newspaper.valid_languages()]


def test_keywords_and_summary() -> None:
    article = parsed(newspaper, META)
    article.nlp()
    assert set(article.keywords[:3]) == {"alders", "bank", "alder"} and article.keyword_scores["alder"] > 1
    assert article.summary.split("\n") == [line for line in LINES if line in article.summary] and article.summary.count("\n") == 4
    from maintext.compat.newspaper.nlp import split_sentences

    text = "Dr. Byron lives in St. Ives. She said: “We left early.” The road, e.g. the new one, was empty! 水が流れている。木がある。"
    expected = ["Dr. Byron lives in St. Ives.", "She said: “We left early.”", "The road, e.g. the new one, was empty!"]
    assert split_sentences(text)[:3] == expected
    assert len(split_sentences("一本の木が川のそばに立っている。その木の下に小さな川が流れている。")) == 2


def test_articles_are_pickled_copied_and_compared() -> None:
    article = parsed(newspaper, META)
    again = pickle.loads(pickle.dumps(article))
    assert again == article and again.top_node.tag == "article" and copy.deepcopy(article) == article
    assert again != parsed(newspaper, PLAIN)
    with pytest.raises(NotImplementedError):
        article == 1  # noqa: B015
    fresh = pickle.loads(pickle.dumps(newspaper.Article(URL)))
    assert fresh.doc is None and fresh.download_state == ArticleDownloadState.NOT_STARTED


def test_states_and_errors_of_newspaper(tmp_path: Path) -> None:
    article = newspaper.Article(URL)
    with pytest.raises(newspaper.ArticleException, match="download"):
        article.parse()
    article.download(input_html=META)
    with pytest.raises(newspaper.ArticleException, match="parse"):
        article.nlp()
    with pytest.raises(newspaper.ArticleException, match="parse"):
        article.to_json()
    with pytest.raises(ValueError, match="language"):
        newspaper.Article(URL, language="zz")
    with pytest.raises(newspaper.ArticleException):
        newspaper.Article(URL, newspaper.Config())  # type: ignore[arg-type]
    missing = newspaper.Article((tmp_path / "none.html").as_uri()).download()
    assert missing.download_state == ArticleDownloadState.FAILED_RESPONSE and "No such file" in str(missing.download_exception_msg)
    (tmp_path / "a.html").write_bytes(META.replace("utf-8", "windows-1252").replace("Alders", "Früh").encode("cp1252"))
    local = newspaper.Article((tmp_path / "a.html").as_uri(), fetch_images=False).download().parse()
    assert local.title == "Früh on the bank"
    empty = newspaper.Article(URL).download(input_html="").parse()
    assert empty.is_parsed and empty.text == "" and empty.doc is None
    assert parsed(newspaper, "<html></html>").text == ""
    with pytest.warns(DeprecationWarning):
        assert newspaper.Config().MAX_TEXT == 100000
    short = parsed(newspaper, META, max_text=10, max_authors=0, max_title=6)
    assert (short.text, short.authors, short.title) == ("The alder ", [], "Alders")


def test_options_of_goose3() -> None:
    def text(page: str, **options: Any) -> str:
        return str(goose3.Goose(options).extract(raw_html=page).cleaned_text)

    def real(page: str, **options: Any) -> str:
        return str(real_goose3.Goose(options).extract(raw_html=page).cleaned_text)

    for options in ({"pretty_lists": False}, {"parse_headers": False}, {"unknown": 1}, {}):
        assert text(LIST, **options) == real(LIST, **options), options
    assert "• Sie braucht" in text(LIST) and "Was die Erle braucht" not in text(LIST, parse_headers=False)
    page = META.replace("<article>", "<div id=other><p>Only this line is the article, as the caller says.</p></div><article>")
    assert text(page, known_context_patterns={"attr": "id", "value": "other"}) == "Only this line is the article, as the caller says."
    page = META.replace("<h1>", "<span class='byline' data-name='Grace Rivers'>x</span><h1>")
    pattern = {"attribute": "class", "value": "byline", "content": "data-name"}
    assert goose3.Goose({"known_author_patterns": pattern}).extract(raw_html=page).authors == ["Grace Rivers"]
    page = LIST.replace("<h1>", "<b data-day='2021-02-03T04:05:06+02:00' class='day'></b><h1>")
    named = goose3.PublishDatePattern(attr="class", value="day", content="data-day")
    for place in ({"attribute": "class", "value": "day", "content": "data-day"}, named):
        article = goose3.Goose({"known_publish_date_tags": place}).extract(raw_html=page)
        assert article.publish_date == "2021-02-03T04:05:06+02:00"
        assert article.publish_datetime_utc == datetime(2021, 2, 3, 2, 5, 6, tzinfo=timezone.utc)
    elsewhere = goose3.PublishDatePattern(attr="class", value="day", content="data-day", domain="example.com")
    assert goose3.Goose({"known_publish_date_tags": elsewhere}).extract(raw_html=page).publish_date == "2022-03-04"
    with pytest.raises(ValueError, match="url or raw_html"):
        goose3.Goose().extract()
    with pytest.raises(ValueError, match="StopWords"):
        goose3.Configuration().stopwords_class = str
    with pytest.raises(AttributeError):
        goose3.Article().title = "x"
    seconds = JSON_LD.replace('"2023-11-05T06:07:08Z"', "1699164428")
    assert goose3.Goose().extract(raw_html=seconds).publish_datetime_utc == datetime(2023, 11, 5, 6, 7, 8, tzinfo=timezone.utc)


def png(width: int, height: int, size: int = 5000) -> bytes:
    """Returns an image whose last chunk is filled up."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * (width + 1) * height)), (b"tEXt", b"x" * size), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)


@pytest.fixture
def site() -> Any:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here = f"http://127.0.0.1:{self.server.server_address[1]}"
            pages: dict[str, tuple[bytes, str]] = {
                "/2024/05/17/alders-on-the-bank.html": (META.replace("https://www.example.org", here).encode(), "text/html; charset=utf-8"),
                "/2024/05/18/siskins.html": (JSON_LD.replace("bank", "bänk").encode("cp1252"), "text/html; charset=cp1252"),
                "/alder.jpg": (png(800, 600), "image/png"),
                "/small.png": (png(20, 20, 0), "image/png"),
                "/a.zip": (b"PK\3\4" + bytes(range(256)), "application/zip"),
            }
            body, kind = pages.get(self.path, (b"no such page", "text/html"))
            self.send_response(302 if self.path == "/old" else 200 if self.path in pages else 404)
            if self.path == "/old":
                self.send_header("Location", "/2024/05/17/alders-on-the-bank.html")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


OPEN = {"ssrf_protection": False}


def test_downloads_of_newspaper(site: str) -> None:
    page = f"{site}/2024/05/17/alders-on-the-bank.html"
    refused = newspaper.Article(page).download()
    assert refused.download_state == ArticleDownloadState.FAILED_RESPONSE and "public" in str(refused.download_exception_msg)
    article = newspaper.article(f"{site}/old", fetch_images=False, **OPEN)
    assert article.title == "Alders on the bank" and article.history == [f"{site}/old"]
    assert "bänk" in newspaper.article(f"{site}/2024/05/18/siskins.html", fetch_images=False, **OPEN).text
    missing = newspaper.Article(f"{site}/none", **OPEN).download()
    assert missing.download_exception_msg == f"Status code 404 for url {site}/none"
    with pytest.raises(newspaper.ArticleException, match="404"):
        missing.parse()
    with pytest.raises(newspaper.ArticleBinaryDataException):
        newspaper.Article(f"{site}/a.zip", **OPEN).download()
    for image, expected in (("alder.jpg", "alder.jpg"), ("small.png", "")):
        html = META.replace("https://www.example.org/alder.jpg", f"/{image}").replace('"/alder.jpg"', f'"/{image}"')
        found = newspaper.article(page, input_html=html, **OPEN)
        assert found.meta_img == f"{site}/{image}" and found.top_image == (f"{site}/{expected}" if expected else "")


def test_newspaper_is_quiet_without_a_network(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: Any) -> Any:
        raise socket.gaierror("no network")

    monkeypatch.setattr(socket, "getaddrinfo", unreachable)
    # Without handlers of their own, warnings go to standard error.
    monkeypatch.setattr("logging.root.handlers", [])
    article = newspaper.article(URL, input_html=META)
    assert article.title == "Alders on the bank" and article.top_image == "" and article.meta_img
    assert newspaper.Article(URL).download().download_state == ArticleDownloadState.FAILED_RESPONSE
    assert capfd.readouterr() == ("", "")


def test_options_of_sources_are_refused() -> None:
    config = newspaper.Config()
    assert config.honor_robots_txt is False
    with pytest.raises(ValueError, match="leaves to newspaper4k"):
        config.honor_robots_txt = True


def test_downloads_of_goose3(site: str) -> None:
    page = f"{site}/2024/05/17/alders-on-the-bank.html"
    with pytest.raises(OSError, match="public"):
        goose3.Goose().extract(page)
    with goose3.Goose({**OPEN, "enable_image_fetching": True}) as goose:
        article = goose.extract(page)
        image = article.top_image
        assert article.title == "Alders on the bank" and image is not None and image.extraction_type == "opengraph"
        assert (image.src, image.width, image.height, image.bytes) == (f"{site}/alder.jpg", 800, 600, len(png(800, 600)))
        assert article.infos["image"] == {"url": f"{site}/alder.jpg", "width": 800, "height": 600, "type": "image"}
        small = META.replace("https://www.example.org", site).replace("alder.jpg", "small.png")
        other = goose.extract(page, raw_html=small.replace("</article>", "<img src=/alder.jpg></article>")).top_image
        assert other is not None and other.src == f"{site}/alder.jpg" and other.extraction_type == "content"
        goose.config.images_min_bytes = 10**6
        assert goose.extract(page).top_image is None
        with pytest.raises(goose3.NetworkError) as caught:
            goose.extract(f"{site}/none")
        assert caught.value.status_code == 404
    lenient = goose3.Goose({**OPEN, "strict": False})
    assert lenient.extract(f"{site}/none").title == "" and "bänk" in lenient.extract(f"{site}/2024/05/18/siskins.html").cleaned_text
    lenient.close()


def test_dates_hosts_and_images() -> None:
    expected = datetime(2024, 5, 17, 10, 0, tzinfo=timezone.utc)
    for text in ("2024-05-17T10:00:00Z", "2024-05-17T12:00+0200", "Fri, 17 May 2024 10:00:00 GMT", "2024-05-17 10:00 UTC"):
        assert to_datetime(text) == expected, text
    for text in ("May 17, 2024", "17 May 2024", "Friday, May 17, 2024", "2024-05-17"):
        assert to_datetime(text) == datetime(2024, 5, 17), text
    for text in ("", None, "yesterday", "2024-13-45", "10:00"):
        assert to_datetime(text) is None, text
    assert host_parts("https://edition.example.co.uk/a") == ("edition", "example") and host_parts("http://example.org") == ("", "example")
    assert size_of(png(30, 20)) == (30, 20) and size_of(b"x") is None and size_of(b"\xff\xd8\xff") is None
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x14\x00\x1e" + bytes(12)
    assert size_of(jpeg) == (30, 20)
    assert size_of(b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\x1d\0\0\x13\0\0") == (30, 20)


@pytest.mark.parametrize("name", ["newspaper.nlp", "newspaper.api", "newspaper.article", "goose3", "goose3.text", "_images"])
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"maintext.compat.{name}"))
    assert result.attempted and not result.failed
