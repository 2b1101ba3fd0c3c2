"""A site with news, as newspaper4k's ``source``."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from .._news import host_parts, meta, parsed
from . import _site, network, urls, utils
from .article import Article
from .configuration import Configuration
from .exceptions import RobotsException
from .network_hooks import add_hook
from .settings import NUM_THREADS_PER_SOURCE_WARN_LIMIT

__all__ = ["Category", "Feed", "RobotsException", "Source"]

log = logging.getLogger(__name__)


class _Treed:
    """Leaves the tree out when an object is pickled, and makes it again from the page."""

    html: str | None
    doc: Any

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "doc": self.doc is not None, "_robots": None, "_robots_init_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.doc = parsed(state["html"]) if state["doc"] and state["html"] else None
        self.__dict__["_robots_init_lock"] = threading.Lock()


@dataclass
class Category(_Treed):
    """A part of a site: its address, its page, and the page's tree."""

    url: str
    html: str | None = None
    doc: Any = None


@dataclass
class Feed:
    """A feed of a site: its address and its text."""

    url: str
    rss: str | None = None
    title: str | None = None


class Source(_Treed):
    """A site with news: ``build()`` finds its categories, feeds and articles.

    :param url: the address of the front page
    :param read_more_link: an XPath expression for the link from an article to the whole article
    :param config: options; ``kwargs`` are single options of :class:`Configuration`
    :raises ValueError: if the address is not complete
    """

    def __init__(self, url: str, read_more_link: str = "", config: Configuration | None = None, **kwargs: Any) -> None:
        if url is None or "://" not in url or not url.startswith("http"):
            raise ValueError("Input url is bad!")
        self.config = config or Configuration()
        self.config.update(**kwargs)
        self.url = urls.prepare_url(url)
        self.domain = urls.get_domain(self.url) or ""
        self.scheme = urls.get_scheme(self.url) or ""
        self.brand = host_parts(self.url)[1]
        self.description = ""
        self.read_more_link = read_more_link
        self.categories: list[Category] = []
        self.feeds: list[Feed] = []
        self.articles: list[Article] = []
        self.html: str = ""
        self.doc: Any = None
        self.logo_url = ""
        self.favicon = ""
        self.is_parsed = False
        self.is_downloaded = False
        self._robots: Any = None
        self._robots_init_lock = threading.Lock()
        self._robots_init_done = False

    def build(self, input_html: str | None = None, only_homepage: bool = False, only_in_path: bool = False) -> None:
        """Finds categories, feeds and articles; the articles are not downloaded.

        :param input_html: the front page; without it, it is fetched
        :param only_homepage: take articles from the front page only
        :param only_in_path: take articles below the front page's path only
        """
        self._ready()
        if input_html:
            self.html = input_html
        else:
            self.download()
        self.parse()
        if only_homepage:
            self.categories = [Category(url=self.url, html=self.html, doc=self.doc)]
        else:
            self.set_categories()
            self.download_categories()
        self.parse_categories()
        if not only_homepage:
            self.set_feeds()
            self.download_feeds()
        self.generate_articles(only_in_path=only_in_path)

    def _ready(self) -> None:
        """Reads robots.txt if that is wanted and has not been done."""
        with self._robots_init_lock:
            if not self._robots_init_done:
                self._init_robots_parser()

    def _init_robots_parser(self) -> None:
        self._robots_init_done = True
        if not self.config.honor_robots_txt:
            return
        address = urlunsplit((self.scheme, self.domain, "robots.txt", "", ""))
        try:
            response = network.do_request(address, self.config)
            response.raise_for_status()
        except Exception as error:
            log.warning("Failed to fetch robots.txt from %s: %s", address, error)
            return
        import importlib

        self._robots = importlib.import_module("protego").Protego.parse(response.text)
        domain = self.domain

        def check(url: str, config: Configuration, *args: Any, **kwargs: Any) -> bool:
            # The rules of one site say nothing about another one.
            if urls.get_domain(url) == domain and not self._robots.can_fetch(url, config.browser_user_agent):
                raise RobotsException(f"Cannot download {url}: Access denied by robots.txt (user-agent: {config.browser_user_agent})")
            return True

        add_hook("before_request", check)

    def download(self) -> None:
        """Fetches the front page.

        :raises RobotsException: if robots.txt disallows it
        """
        self._ready()
        self.html = network.get_html(self.url, self.config)

    def parse(self) -> None:
        """Reads the front page."""
        self.doc = parsed(self.html) if self.html else None
        if self.doc is None:
            log.warning("Source %s parse error.", self.url)
            return
        self.set_description()

    def set_description(self) -> None:
        """Takes the site's description from the front page."""
        self.description = meta(self.doc, ("description", "og:description"))

    @utils.cache_disk(seconds=86400)
    def _get_category_urls(self, domain: str) -> list[str]:
        return _site.category_urls(self.url, self.doc)

    def set_categories(self) -> None:
        """Finds the categories; they are stored for a day, unless ``disable_category_cache`` is set."""
        utils.cache_disk.enabled = not self.config.disable_category_cache
        self.categories = [Category(url=url) for url in dict.fromkeys(self._get_category_urls(self.domain))]

    def download_categories(self) -> list[Category]:
        """Fetches the pages of the categories; those without an answer are removed."""
        self._ready()
        for category, response in zip(self.categories, network.multithread_request(self.category_urls(), self.config)):
            if response is not None and response.status_code < 400:
                category.html = network.get_html(category.url, self.config, response=response)
        self.categories = [category for category in self.categories if category.html]
        return self.categories

    def parse_categories(self) -> None:
        """Reads the pages of the categories."""
        for category in self.categories:
            category.doc = parsed(category.html or "")
        self.categories = [category for category in self.categories if category.doc is not None]

    def set_feeds(self) -> None:
        """Finds the feeds that the front page, the categories and the usual addresses of feeds name."""
        suffixes = ["/feed", "/feeds", "/rss"]
        usual = [urljoin(self.url, suffix) for suffix in suffixes]
        for category in self.categories:
            if "." not in category.url.rstrip("/").rsplit("/", 1)[-1]:
                usual += [category.url.rstrip("/") + suffix for suffix in suffixes]
        usual = list(dict.fromkeys(usual))
        pages = [(category.url, category.doc) for category in self.categories]
        for response in network.multithread_request(usual, self.config):
            if response is not None and response.status_code < 300:
                pages.append((response.url, parsed(response.text)))
        pages.append((self.url, self.doc))
        self.feeds = [Feed(url=url) for url in _site.feed_urls(pages)]

    def download_feeds(self) -> list[Feed]:
        """Fetches the feeds; those without an answer are removed."""
        self._ready()
        for feed, response in zip(self.feeds, network.multithread_request(self.feed_urls(), self.config)):
            if response is not None and response.status_code < 400:
                feed.rss = network.get_html(feed.url, self.config, response=response)
        self.feeds = [feed for feed in self.feeds if feed.rss]
        return self.feeds

    def parse_feeds(self) -> None:
        """Reads the titles of the feeds."""
        for feed in self.feeds:
            found = re.search(r"<title[^>]*>\s*(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?\s*</title", feed.rss or "", re.DOTALL)
            feed.title = (found.group(1) if found else "") or self.brand

    def _articles(self, place: str, found: list[tuple[str, str | None]]) -> list[Article]:
        made = [
            Article(url=url, source_url=place, read_more_link=self.read_more_link, title=title or "", config=self.config)
            for url, title in found
            if urls.valid_url(url)
        ]
        return utils.memorize_articles(self, made) if self.config.memorize_articles else made

    def feeds_to_articles(self) -> list[Article]:
        """Returns the articles of the feeds."""
        found = []
        for feed in self.feeds:
            found += self._articles(feed.url, [(address, None) for address in _site.addresses_of(feed.rss or "")])
        return found

    def categories_to_articles(self) -> list[Article]:
        """Returns the articles that the pages of the categories link to."""
        found = []
        for category in self.categories:
            links = [a for a in category.doc.iter("a") if a.get("href")] if category.doc is not None else []
            found += self._articles(category.url, [(urls.urljoin_if_valid(self.url, a.get("href")), a.text) for a in links])
        return found

    def generate_articles(self, limit: int = 5000, only_in_path: bool = False) -> None:
        """Sets ``articles`` to those of feeds and categories, each address once.

        :param limit: the largest number of articles
        :param only_in_path: take articles below the front page's path only
        """
        found = {article.url: article for article in [*self.feeds_to_articles(), *self.categories_to_articles()]}
        unique: dict[str, Article] = {}
        for article in found.values():
            unique.setdefault(urls.normalize_url(article.url), article)
        articles = list(unique.values())
        if only_in_path:
            path = _folder(self.url) + "/"
            articles = [a for a in articles if urls.get_domain(a.url) == self.domain and _folder(a.url).startswith(path)]
        self.articles = articles[:limit]

    def download_articles(self) -> list[Article]:
        """Downloads all articles with several threads."""
        self._ready()
        if self.config.number_threads > NUM_THREADS_PER_SOURCE_WARN_LIMIT:
            log.warning("Using %s+ threads on a single source may result in rate limiting!", NUM_THREADS_PER_SOURCE_WARN_LIMIT)
        failed = []
        pages = []
        for article, response in zip(self.articles, network.multithread_request(self.article_urls(), self.config)):
            answered = response is not None and response.status_code < 400
            pages.append(network.get_html(article.url, self.config, response=response) if answered else "")
            if not answered:
                failed.append(article.url)
        with ThreadPoolExecutor(max_workers=max(self.config.number_threads, 1)) as pool:
            self.articles = list(pool.map(lambda pair: pair[0].download(input_html=pair[1]), zip(self.articles, pages)))
        self.is_downloaded = True
        if failed:
            log.warning("There were %d articles that failed to download: %s", len(failed), ", ".join(failed))
        return self.articles

    @staticmethod
    def _article_fingerprint(article: Article) -> str:
        """Returns a hash of an article's words."""
        words = re.sub(r"[^\w\s]", "", f"{article.title or ''}{article.text or ''}".lower())
        return hashlib.sha256(" ".join(words.split()).encode("utf-8", "replace")).hexdigest()

    def parse_articles(self) -> None:
        """Parses all articles; those that are too short, or the same as an earlier one, are removed."""
        for article in self.articles:
            article.parse()
        unique: dict[str, Article] = {}
        for article in self.articles:
            if article.is_valid_body():
                unique.setdefault(self._article_fingerprint(article), article)
        self.articles = list(unique.values())
        self.is_parsed = True

    def size(self) -> int:
        """Returns the number of articles."""
        return len(self.articles or [])

    def clean_memo_cache(self) -> None:
        """Forgets the known articles of the site."""
        utils.clear_memo_cache(self)

    def feed_urls(self) -> list[str]:
        """Returns the addresses of the feeds."""
        return [feed.url for feed in self.feeds]

    def category_urls(self) -> list[str]:
        """Returns the addresses of the categories."""
        return [category.url for category in self.categories]

    def article_urls(self) -> list[str]:
        """Returns the addresses of the articles."""
        return [article.url for article in self.articles]

    def print_summary(self) -> None:
        """Prints the site's fields."""
        print(self)

    def __str__(self) -> str:
        head = f"Source (\n\turl={self.url}\n\tbrand={self.brand}\n\tdomain={self.domain}\n\tlen(articles)={len(self.articles)}\n"
        head += f"\tdescription={self.description[:50]}\n)\n 10 sample Articles: \n"
        samples = "".join(f"{article} \n{'=' * 40}\n" for article in self.articles[:10])
        return f"{head}{samples}category_urls: \n\n{self.category_urls()}\nfeed_urls:\n\n{self.feed_urls()}"


def _folder(url: str) -> str:
    chunks = [chunk for chunk in urlsplit(url).path.split("/") if chunk]
    if chunks and chunks[-1].endswith((".html", ".php")):
        chunks.pop()
    return "/".join(chunks)
