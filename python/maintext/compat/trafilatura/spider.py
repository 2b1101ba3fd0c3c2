"""A crawler for one site, as trafilatura's ``spider``. Needs courlan and urllib3; ``maintext crawl`` serves larger tasks."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from configparser import ConfigParser
from time import sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

from .baseline import html2txt
from .core import prune
from .downloads import fetch_response, fetch_url
from .settings import DEFAULT_CONFIG
from .utils import Response, language_classifier, load_html

if TYPE_CHECKING:
    from courlan import UrlStore

__all__ = ["focused_crawler"]

LOGGER = logging.getLogger(__name__)

MAX_SEEN_URLS = 10
MAX_KNOWN_URLS = 100000
ROBOTS_TXT_URL = "/robots.txt"


def _store() -> Any:
    try:
        from courlan import UrlStore
    except ImportError:
        return None
    return UrlStore(compressed=False, strict=False)


#: The addresses of all crawls of this process.
URL_STORE: UrlStore = _store()


class CrawlParameters:
    """The start, the rules and the state of a crawl."""

    __slots__ = ("base", "config", "i", "is_on", "known_num", "lang", "prune_xpath", "ref", "rules", "start")

    def __init__(
        self,
        start: str,
        lang: str | None = None,
        rules: RobotFileParser | None = None,
        prune_xpath: str | list[str] | None = None,
        config: ConfigParser = DEFAULT_CONFIG,
    ) -> None:
        from courlan import get_base_url

        self.start = start
        self.base = get_base_url(start)
        if not self.base:
            raise ValueError(f"cannot start crawl: {start}")
        path = start[len(self.base) :].rpartition("/")[0]
        self.ref = self.base + (f"{path}/" if path else "")
        self.ref = self.base if self.ref == self.base + "/" else self.ref
        self.lang = lang
        self.rules: RobotFileParser | None = rules
        self.prune_xpath = prune_xpath
        self.config = config
        self.i = 0
        self.known_num = 0
        self.is_on = True

    def update_metadata(self, url_store: UrlStore) -> None:
        """Reads the state of the crawl from the store."""
        self.is_on = bool(url_store.find_unvisited_urls(self.base))
        self.known_num = len(url_store.find_known_urls(self.base))

    def filter_list(self, todo: Iterable[str] | None) -> list[str]:
        """Returns the addresses of a list that belong to the crawl."""
        return [address for address in todo or [] if address != self.start and self.ref in address]

    def is_valid_link(self, link: str) -> bool:
        """Returns whether a page may be visited."""
        from courlan import is_not_crawlable

        allowed = self.rules is None or self.rules.can_fetch("*", link)
        return allowed and link.startswith(self.ref) and not is_not_crawlable(link)


def refresh_detection(htmlstring: str, homepage: str, config: ConfigParser = DEFAULT_CONFIG) -> tuple[str | None, str | None]:
    """Follows a ``meta`` element that sends browsers to another page."""
    if '"refresh"' not in htmlstring and '"REFRESH"' not in htmlstring:
        return htmlstring, homepage
    tree = load_html(htmlstring)
    if tree is None:
        return htmlstring, homepage
    for element in tree.iter("meta"):
        if (element.get("http-equiv") or "").lower() != "refresh":
            continue
        found = re.match(r"\s*\d+\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"'\s]+)", element.get("content") or "", re.IGNORECASE)
        if not found:
            return htmlstring, homepage
        address = urljoin(homepage, found.group(1))
        downloaded = fetch_url(address, config=config)
        return (downloaded, address) if downloaded is not None else (None, None)
    return htmlstring, homepage


def probe_alternative_homepage(homepage: str, config: ConfigParser = DEFAULT_CONFIG) -> tuple[str | None, str | None, str | None]:
    """Follows the redirections of a home page. Returns its source, its address and its site."""
    from courlan import get_base_url

    response = fetch_response(homepage, decode=False, config=config)
    if not response or not response.data:
        return None, None, None
    if response.url not in (homepage, "/", ""):
        LOGGER.info("followed home page redirect: %s", response.url)
        homepage = response.url
    htmlstring, address = refresh_detection(str(response), homepage, config)
    if address is None:
        return None, None, None
    return htmlstring, address, get_base_url(address)


def parse_robots(robots_url: str, data: str) -> RobotFileParser | None:
    """Returns the rules of a robots.txt, or None if it is not text."""
    if not isinstance(data, str):
        return None
    rules = RobotFileParser()
    rules.set_url(robots_url)
    rules.parse(data.splitlines())
    return rules


def get_rules(base_url: str, config: ConfigParser = DEFAULT_CONFIG) -> RobotFileParser | None:
    """Fetches the rules of a site."""
    address = base_url + ROBOTS_TXT_URL
    data = fetch_url(address, config=config)
    return parse_robots(address, data) if data else None


def is_target_language(htmlstring: str, language: str | None) -> bool:
    """Returns whether a page is in the wanted language."""
    if not language or not htmlstring:
        return True
    found = language_classifier(html2txt(htmlstring), "")
    return found is None or found == language


def is_still_navigation(todo: Iterable[str]) -> bool:
    """Returns whether pages of navigation are left to visit."""
    from courlan import is_navigation_page

    return any(is_navigation_page(address) for address in todo)


def process_links(htmlstring: str, params: CrawlParameters, url: str | None = "") -> None:
    """Stores the links of a page, those of navigation first."""
    from courlan import extract_links, is_navigation_page

    if not htmlstring or not is_target_language(htmlstring, params.lang):
        return
    if params.prune_xpath is not None:
        tree = load_html(htmlstring)
        if tree is not None:
            from lxml.html import tostring

            htmlstring = tostring(prune(tree, params.prune_xpath), encoding="unicode")
    links: list[str] = []
    first: list[str] = []
    try:
        found = extract_links(htmlstring, url or params.base, language=params.lang, with_nav=True, strict=False)
    except ValueError:  # a malformed address
        sources = re.sub(r"""href\s*=\s*["']?(?:https?:)?//\[[^\s"'>]*["']?""", "", htmlstring)
        found = extract_links(sources, url or params.base, language=params.lang, with_nav=True, strict=False)
    for link in found:
        if params.is_valid_link(link):
            (first if is_navigation_page(link) else links).append(link)
    URL_STORE.add_urls(urls=links, appendleft=first)


def process_response(response: Response | None, params: CrawlParameters) -> None:
    """Stores the links of a fetched page and marks it as visited."""
    if response is None or not response.data:
        return
    URL_STORE.add_urls([response.url], visited=True)
    if response.html is None:
        response.decode_data(True)
    process_links(str(response), params, params.base)


def init_crawl(
    start: str,
    lang: str | None = None,
    rules: RobotFileParser | None = None,
    todo: list[str] | None = None,
    known: list[str] | None = None,
    prune_xpath: str | list[str] | None = None,
    config: ConfigParser = DEFAULT_CONFIG,
) -> CrawlParameters:
    """Prepares a crawl, and visits its first page if no addresses are given."""
    params = CrawlParameters(start, lang, rules, prune_xpath, config)
    URL_STORE.add_urls(urls=known or [], visited=True)
    URL_STORE.add_urls(urls=params.filter_list(todo))
    if params.rules is None:
        params.rules = get_rules(params.base, config)
    if params.rules is not None:
        URL_STORE.store_rules(params.base, params.rules)
    if not todo:
        URL_STORE.add_urls(urls=[params.start], visited=False)
        params = crawl_page(params, initial=True)
    else:
        URL_STORE.add_urls(urls=[params.start], visited=True)
        params.update_metadata(URL_STORE)
    return params


def crawl_page(params: CrawlParameters, initial: bool = False) -> CrawlParameters:
    """Visits the next page of a crawl and stores its links."""
    address = URL_STORE.get_url(params.base)
    if not address:
        params.is_on = False
        params.known_num = len(URL_STORE.find_known_urls(params.base))
        return params
    params.i += 1
    if initial:
        htmlstring, homepage, _ = probe_alternative_homepage(address, params.config)
        if htmlstring and homepage:
            URL_STORE.add_urls([homepage], visited=True)
            if homepage != address and params.base.replace("http://", "https://", 1) in homepage:
                _upgrade(params, homepage)
            process_links(htmlstring, params, params.base)
    else:
        process_response(fetch_response(address, decode=False, config=params.config), params)
    params.update_metadata(URL_STORE)
    return params


def _upgrade(params: CrawlParameters, homepage: str) -> None:
    """Continues a crawl over HTTPS if the site sends visitors there."""
    if params.base.startswith("http://") and homepage.startswith("https://"):
        params.base = params.base.replace("http://", "https://", 1)
        params.ref = params.ref.replace("http://", "https://", 1)


def focused_crawler(
    homepage: str,
    max_seen_urls: int = MAX_SEEN_URLS,
    max_known_urls: int = MAX_KNOWN_URLS,
    todo: list[str] | None = None,
    known_links: list[str] | None = None,
    lang: str | None = None,
    config: ConfigParser = DEFAULT_CONFIG,
    rules: RobotFileParser | None = None,
    prune_xpath: str | list[str] | None = None,
) -> tuple[list[str], list[str]]:
    """Visits the pages of a site, those of navigation first. Returns the addresses to visit and all known addresses.

    :param max_seen_urls: the number of pages to visit
    :param max_known_urls: the number of addresses after which the crawl ends
    """
    params = init_crawl(homepage, lang, rules, todo, known_links, prune_xpath, config)
    pause = URL_STORE.get_crawl_delay(params.base, default=config.getfloat("DEFAULT", "SLEEP_TIME", fallback=5.0))
    while params.is_on and params.i < max_seen_urls and params.known_num < max_known_urls:
        params = crawl_page(params)
        sleep(pause)
    known = URL_STORE.find_known_urls(params.base)
    return list(dict.fromkeys(URL_STORE.find_unvisited_urls(params.base))), list(dict.fromkeys(known))


