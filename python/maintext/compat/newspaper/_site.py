"""The categories and feeds of a site, by the links of its front page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from .._news import host_parts, joined

#: Folders and subdomains that hold no articles.
_STOP_WORDS = set("""about help privacy legal feedback sitemap sitemaps profile account mobile facebook myspace twitter linkedin bebo
friendster stumbleupon youtube vimeo store mail preferences maps password imgur flickr search subscription itunes siteindex events stop
jobs careers newsletter newsletters subscribe academy shopping purchase site-map shop donate product advert info tickets coupons forum
board archive archives browse howto how to faq terms charts services contact plus admin login signup register developer proxy cookie
cookies rss feed feeds tag tags author authors app apps wp-login.php cart imprint impressum""".split())
#: Folders whose subfolders are categories.
_PREFIXES = set("category categories topic topics section sections rubrik rubriek news nyheter seccion sezione".split())
_FEED_TYPES = ("rss", "atom", "xml")


def category_urls(url: str, tree: Any) -> list[str]:
    """Returns the addresses of the parts of a site that its front page links to, and the front page."""
    found = {joined(url, "/")}
    if tree is not None:
        found |= set(_categories(url, (a.get("href") or "" for a in tree.iter("a"))))
        if len(found) == 1:
            found |= set(_categories(url, _scripted(tree)))
    return sorted(address for address in found if address)


def _scripted(tree: Any) -> Iterator[str]:
    """Returns the addresses in the scripts of a page."""
    for script in tree.iter("script"):
        for address in re.findall(r'"(https?:\\?/\\?/[^"\s]*)"', script.text or ""):
            address = address.replace("\\/", "/")
            if not re.search(r"\.(?:css|js|json|xml|rss|jpe?g|png|gif|svg|webp|woff2?)(?:\?|$)", address, re.IGNORECASE):
                yield address


def _categories(url: str, links: Iterable[str]) -> Iterator[str]:
    _, site = host_parts(url)
    for link in links:
        if link.startswith(("#", "mailto:", "javascript:")):
            continue
        address = joined(url, link)
        try:
            parts = urlsplit(address)
            subdomain, name = host_parts(address)
        except ValueError:
            continue
        if parts.scheme not in ("http", "https") or not parts.path or (name != site and site not in subdomain.split(".")):
            continue
        chunks = [chunk for chunk in parts.path.split("/") if chunk and chunk != "index.html"]
        if subdomain in ("m", "i") or not _STOP_WORDS.isdisjoint([*(c.lower() for c in chunks), *subdomain.lower().split(".")]):
            continue
        if _is_category(subdomain, chunks):
            yield f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _is_category(subdomain: str, chunks: list[str]) -> bool:
    if not chunks:
        return subdomain not in ("", "www")
    if any(chunk.startswith("_") for chunk in chunks):
        return False
    if len(chunks) == 2:
        return chunks[0].lower() in _PREFIXES
    return len(chunks) == 1 and 1 < len(chunks[0]) < 20 and "." not in chunks[0]


def feed_urls(pages: Iterable[tuple[str, Any]]) -> list[str]:
    """Returns the addresses of the feeds that pages name, at most 50.

    :param pages: pairs of an address and a tree
    """
    found: dict[str, None] = {}
    for url, tree in pages:
        if tree is None:
            continue
        for element in tree.iter("link", "a"):
            kind = (element.get("type") or "").lower()
            if element.get("href") and kind.startswith("application/") and any(name in kind for name in _FEED_TYPES):
                if "xhtml" not in kind:
                    found.setdefault(joined(url, element.get("href")))
    return [address for address in found if address][:50]


def addresses_of(feed: str) -> list[str]:
    """Returns the addresses in the text of a feed and in its ``link`` elements."""
    feed = re.sub(r"<!\[CDATA\[|\]\]>", " ", feed)
    linked = re.findall(r"<link\b[^<>]*\bhref=[\"']([^\"'<>]+)", feed)
    return [unescape(address) for address in linked + re.findall(r"https?://[^\s<>\"']+", re.sub(r"<[^<>]*>", " ", feed))]
