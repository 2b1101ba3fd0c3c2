"""Tests of maintext.integrations.scrapy: crawls of a local site, each in its own process as Scrapy needs it."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import scrapy
from conftest import article
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

import maintext
from maintext.integrations.scrapy import MaintextLoader, MaintextMiddleware, extract

SPIDER = '''
import scrapy
from maintext.integrations.scrapy import MaintextLoader

class Article(scrapy.Item):
    url = scrapy.Field()
    title = scrapy.Field()
    authors = scrapy.Field()
    date = scrapy.Field()
    markdown = scrapy.Field()
    links = scrapy.Field()

class Articles(scrapy.Spider):
    name = "articles"

    async def start(self):
        for page in ("alders", "birches", "empty", "broken"):
            yield scrapy.Request(f"{self.site}/{page}")

    def parse(self, response):
        loader = MaintextLoader(item=Article(), response=response)
        loader.add_page(comments=False)
        loader.add_value("url", response.url)
        yield loader.load_item()
'''

PLAIN = '''
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {
        "SPIDER_MIDDLEWARES": {"maintext.integrations.scrapy.MaintextMiddleware": 500},
        "MAINTEXT_FIELDS": ["title", "author", "date", "language", "text"],
        "MAINTEXT_OPTIONS": {"favor": "precision"},
    }

    async def start(self):
        for page in ("alders", "birches", "empty", "broken"):
            yield scrapy.Request(f"{self.site}/{page}")

    async def parse(self, response):
        yield {"page": response.url.rsplit("/", 1)[1], "title": "Own" if "birches" in response.url else None}

    def closed(self, reason):
        print(dict(self.crawler.stats.get_stats()))
'''


def crawl(spider: str, site: str, folder: Path) -> tuple[dict[str, dict], str]:
    """Runs ``scrapy runspider`` and returns the items by the last part of their address, and the log."""
    (folder / "spider.py").write_text(spider)
    command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-a", f"site={site}", "-o", "items.jsonl", "-L", "WARNING"]
    path = os.pathsep.join(p for p in sys.path if p)
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": path})
    assert run.returncode == 0, run.stderr
    items = [json.loads(line) for line in (folder / "items.jsonl").open()]
    return {item.get("page") or item["url"].rsplit("/", 1)[1]: item for item in items}, run.stdout + run.stderr


def test_a_spider_loads_items(site: str, tmp_path: Path) -> None:
    items, log = crawl(SPIDER, site, tmp_path)
    assert set(items) == {"alders", "birches", "empty", "broken"} and "Traceback" not in log
    alders = items["alders"]
    assert (alders["title"], alders["authors"], alders["date"]) == ("About alders", ["Ada Byron"], "2024-05-17")
    assert f"[a link]({site}/c)" in alders["markdown"] and "links" not in alders
    assert "speaks of Prés salés" in items["birches"]["markdown"] and f"({site}/elsewhere/c)" in items["birches"]["markdown"]
    assert set(items["empty"]) == set(items["broken"]) == {"url"} and "Cannot extract" in log


def test_the_middleware_fills_items(site: str, tmp_path: Path) -> None:
    items, log = crawl(PLAIN, site, tmp_path)
    assert set(items) == {"alders", "birches", "empty", "broken"} and "Traceback" not in log
    alders = items["alders"]
    assert (alders["title"], alders["author"], alders["language"]) == ("About alders", "Ada Byron", "en")
    assert "speaks of alders" in alders["text"] and items["birches"]["title"] == "Own" and "Prés salés" in items["birches"]["text"]
    assert "text" not in items["broken"]
    for count in ("'maintext/extracted': 2", "'maintext/empty': 1", "'maintext/failed': 1"):
        assert count in log


@dataclasses.dataclass
class Article:
    title: str | None = None
    tags: list[str] | None = None
    page_type: str | None = None
    text: str | None = None


def page(html: str, url: str = "https://example.org/a") -> HtmlResponse:
    return HtmlResponse(url, body=html.encode("cp1251", "replace"), encoding="cp1251")


def test_the_loader_takes_any_item_and_renamed_fields() -> None:
    response = page(article("чайки"))
    loader = MaintextLoader(item=Article(), response=response)
    loader.add_page().add_css("tags", "b::text")
    item = loader.load_item()
    assert item.title == "About чайки" and item.tags == ["a strong word"] and item.page_type and "speaks of чайки" in item.text
    loader = MaintextLoader(response=response)
    loader.add_page({"heading": "title", "body": "markdown", "people": "author"}, links=False)
    item = loader.load_item()
    assert (item["heading"], item["people"]) == ("About чайки", "Ada Byron") and "](" not in item["body"]
    assert set(MaintextLoader(response=response).add_page().load_item()) >= {"url", "title", "author", "date", "language", "text"}
    assert "speaks of чайки" in extract(response, favor="precision").text
    with pytest.raises(maintext.InvalidInputError, match="not text but Response"):
        extract(Response("https://example.org/a.png", body=b"\x89PNG"))


def test_the_middleware_extracts_a_response_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    original = maintext.extract
    monkeypatch.setattr(maintext, "extract", lambda *args, **options: calls.append(args) or original(*args, **options))
    middleware = MaintextMiddleware.from_crawler(get_crawler(settings_dict={}))
    response = page(article("firs"))
    results = [Article(), Article(title="Own"), scrapy.Request("https://example.org/b"), {"n": 1}]
    first, second, request, other = middleware.process_spider_output(response, results)
    assert (first.title, second.title, other["title"]) == ("About firs", "Own", "About firs") and first.text == second.text
    assert isinstance(request, scrapy.Request) and other["url"] == "https://example.org/a" and other["n"] == 1
    assert len(calls) == 2  # the dict wants fields that the articles lack
    assert list(middleware.process_spider_output(response, [{"n": 2}]))[0]["text"] == first.text and len(calls) == 2


def test_unknown_options_and_fields_are_errors() -> None:
    loader = MaintextLoader(response=page(article("firs")))
    for call in (lambda: loader.add_page(favour="x"), lambda: loader.add_page(["colour"]), lambda: extract(page(""), tables=1)):
        with pytest.raises(maintext.InvalidOptionError):
            call()
    for settings in ({"MAINTEXT_OPTIONS": {"favour": "x"}}, {"MAINTEXT_FIELDS": ["colour"]}):
        with pytest.raises(maintext.InvalidOptionError):
            MaintextMiddleware.from_crawler(get_crawler(settings_dict=settings))
