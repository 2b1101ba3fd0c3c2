"""Addresses from sitemaps, as trafilatura's ``sitemaps``. Needs courlan and urllib3."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from configparser import ConfigParser
from html import unescape
from itertools import islice
from time import sleep
from urllib.parse import urljoin

from . import settings
from .deduplication import is_similar_domain
from .downloads import fetch_url, is_live_page
from .settings import DEFAULT_CONFIG, MAX_LINKS, MAX_SITEMAPS_SEEN

__all__ = ["sitemap_search"]

LOGGER = logging.getLogger(__name__)

GUESSES = ["sitemap.xml", "sitemap.xml.gz", "sitemap", "sitemap_index.xml", "sitemap_news.xml"]
_FORMAT = re.compile(r"^.{0,5}<\?xml|<(?:[\w.-]+:)?(?:sitemapindex|sitemap|urlset)\b")
_ADDRESS = re.compile(r"https?://[^\s<\"]+")
_PLATFORMS = re.compile(r"(?:blogger|blogpost|ghost|hubspot|livejournal|medium|typepad|squarespace|tumblr|weebly|wix|wordpress)\.")
_LOCATION = re.compile(r"<(?:([\w.-]+):)?loc\b([^>]*)>\s*(?:<!\[CDATA\[)?\s*([^<\s]+?)\s*(?:\]\]>)?\s*</(?:[\w.-]+:)?loc>")
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


class SitemapObject:
    """A sitemap that is read, and the addresses that were found."""

    __slots__ = ("base_url", "config", "content", "current_url", "domain", "external", "seen", "sitemap_urls", "target_lang", "urls")

    def __init__(
        self,
        base_url: str,
        domain: str,
        sitemapsurls: list[str],
        target_lang: str | None = None,
        external: bool = False,
        config: ConfigParser = DEFAULT_CONFIG,
    ) -> None:
        self.base_url = base_url
        self.domain = domain
        self.sitemap_urls = sitemapsurls
        self.target_lang = target_lang
        self.external = external
        self.config = config
        self.content: str | None = None
        self.current_url = ""
        self.seen: set[str] = set()
        self.urls: list[str] = []

    def fetch(self) -> None:
        """Downloads the current sitemap."""
        LOGGER.debug("fetching sitemap: %s", self.current_url)
        self.content = fetch_url(self.current_url, config=self.config)
        self.seen.add(self.current_url)

    def handle_link(self, link: str) -> None:
        """Files an address as a page or as a sitemap, if it belongs to the site."""
        from courlan import clean_url, extract_domain, lang_filter

        if link == self.current_url:
            return
        try:
            link = urljoin(self.base_url, link)
            wanted = lang_filter(link, self.target_lang)
            link = clean_url(link, self.target_lang) or ""
            host = extract_domain(link, fast=True) if link else None
        except ValueError:
            return
        if not link or not wanted or host is None:
            return
        if not (self.external or _PLATFORMS.search(host) or is_similar_domain(self.domain, host)):
            LOGGER.warning("link discarded, diverging domain names: %s %s", self.domain, host)
            return
        if re.search(r"\.xml(?:\..{2,4})?$|\.xml[?#]", link):
            self.sitemap_urls.append(link)
        else:
            self.urls.append(link)

    def extract_links(self, links: Iterable[str], handler: Callable[[str], None]) -> None:
        """Handles at most ``MAX_LINKS`` addresses."""
        for link in islice(links, MAX_LINKS):
            handler(link)

    def extract_sitemap_langlinks(self) -> None:
        """Reads the addresses of pages in the wanted language."""
        if not self.target_lang or "hreflang=" not in (self.content or ""):
            return
        wanted = re.compile(rf"hreflang=[\"'](?:{re.escape(self.target_lang)}(?:-[^\"']*)?|x-default)[\"']", re.IGNORECASE)
        elements = (m.group(0) for m in re.finditer(r"<xhtml:link[^>]+>", self.content or ""))
        addresses = (re.search(r"href=[\"'](.+?)[\"']", e) for e in elements if wanted.search(e))
        self.extract_links((unescape(a.group(1)) for a in addresses if a), self.handle_link)

    def extract_sitemap_links(self) -> None:
        """Reads the locations of a sitemap. Those of other vocabularies, such as images, are left out."""
        content = self.content or ""
        spaces: dict[str, str] = {}
        for match in re.finditer(r"xmlns(?::([\w.-]+))?\s*=\s*([\"'])(.*?)\2", content[:2000]):
            spaces.setdefault(match.group(1) or "", match.group(3))

        def ours(prefix: str | None, attributes: str) -> bool:
            declared = re.search(r"xmlns(?::[\w.-]+)?\s*=\s*[\"'](.*?)[\"']", attributes)
            space = declared.group(1) if declared else spaces.get(prefix or "")
            return space in (_SPACE, _SPACE.replace("http:", "https:")) or (not prefix and not declared)

        found = (m for m in _LOCATION.finditer(content) if ours(m.group(1), m.group(2)))
        addresses = (m.group(3) for m in found)
        entity = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#\d+;|#x[\da-f]+;)\w+;", re.IGNORECASE)
        self.extract_links((unescape(a) for a in addresses if not entity.search(a)), self.handle_link)

    def process(self) -> None:
        """Reads a sitemap: a list of addresses, or XML."""
        if not self.content or not is_plausible_sitemap(self.current_url, self.content):
            return
        if not _FORMAT.search(self.content):
            self.extract_links((m.group(0) for m in _ADDRESS.finditer(self.content)), self.handle_link)
            return
        if self.target_lang is not None:
            before = len(self.urls), len(self.sitemap_urls)
            self.extract_sitemap_langlinks()
            if (len(self.urls), len(self.sitemap_urls)) != before:
                return
        self.extract_sitemap_links()


def sitemap_search(
    url: str,
    target_lang: str | None = None,
    external: bool = False,
    sleep_time: float = 2.0,
    max_sitemaps: int = MAX_SITEMAPS_SEEN,
    config: ConfigParser = DEFAULT_CONFIG,
) -> list[str]:
    """Returns the addresses of pages in the sitemaps of a site.

    :param url: a site, a page or a sitemap
    :param target_lang: only addresses in this language
    :param external: keep addresses of other sites
    :param sleep_time: seconds between two requests
    :param max_sitemaps: the number of sitemaps to read
    """
    from courlan import get_hostinfo, lang_filter

    domain, baseurl = get_hostinfo(url)
    if domain is None:
        LOGGER.warning("invalid URL: %s", url)
        return []
    if not is_live_page(baseurl, config):
        LOGGER.warning("base URL unreachable, dropping sitemap: %s", url)
        return []
    urlfilter = None
    given = bool(re.search(r"\.xml\b", url)) or url.endswith(("sitemap", ".gz"))
    if not given and len(url) > len(baseurl) + 2:
        urlfilter = url
    sitemap = SitemapObject(baseurl, domain, [url] if given else [], target_lang, external, config)
    if not sitemap.sitemap_urls:
        sitemap.sitemap_urls = find_robots_sitemaps(baseurl, config) or [f"{baseurl}/{guess}" for guess in GUESSES]
    limit = min(max_sitemaps, settings.MAX_SITEMAPS_SEEN)
    while sitemap.sitemap_urls and len(sitemap.seen) < limit:
        sitemap.current_url = sitemap.sitemap_urls.pop(0)
        sitemap.fetch()
        sitemap.process()
        sitemap.sitemap_urls = [address for address in sitemap.sitemap_urls if address not in sitemap.seen]
        if sitemap.sitemap_urls and len(sitemap.seen) < limit:
            sleep(sleep_time)
    found = [address for address in sitemap.urls if lang_filter(address, target_lang)] if target_lang else sitemap.urls
    found = list(dict.fromkeys(found))
    if urlfilter:
        start = re.sub(r"https?://", "", urlfilter)
        found = [address for address in found if start in address]
    return found


def is_plausible_sitemap(url: str, contents: str | None) -> bool:
    """Returns whether a download is a sitemap and not, for example, a page of errors."""
    if not contents or isinstance(contents, bytes):
        return False
    address = re.sub(r"\?.*$|#.*$", "", url)
    if re.search(r"\.xml\b", address) and not _FORMAT.search(contents):
        LOGGER.warning("not a valid XML sitemap: %s", address)
        return False
    if "<html" in contents[:150].lower() or contents[:100].lstrip().lower().startswith("<!doctype html"):
        LOGGER.warning("not a sitemap but a page: %s", address)
        return False
    return True


def find_robots_sitemaps(baseurl: str, config: ConfigParser = DEFAULT_CONFIG) -> list[str]:
    """Returns the sitemaps that the site's robots.txt names."""
    return extract_robots_sitemaps(fetch_url(baseurl + "/robots.txt", config=config), baseurl)


def extract_robots_sitemaps(robotstxt: str | None, baseurl: str) -> list[str]:
    """Returns the sitemaps that a robots.txt names."""
    if not robotstxt or len(robotstxt) > 10000:
        return []
    found = []
    for line in robotstxt.splitlines():
        name, colon, value = line.split("#")[0].partition(":")
        if colon and name.strip().lower() == "sitemap" and value.strip():
            try:
                found.append(urljoin(baseurl, value.strip()))
            except ValueError:
                continue
    return list(dict.fromkeys(found))
