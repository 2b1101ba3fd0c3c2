"""Addresses from feeds, as trafilatura's ``feeds``. Needs courlan and urllib3."""

from __future__ import annotations

import json
import logging
import re
from configparser import ConfigParser
from html import unescape
from itertools import islice
from time import sleep
from urllib.parse import quote

from .deduplication import is_similar_domain
from .downloads import fetch_url
from .settings import DEFAULT_CONFIG, MAX_FEEDS_CHECKED, MAX_LINKS
from .utils import load_html, safe_relative_url

__all__ = ["find_feed_urls"]

LOGGER = logging.getLogger(__name__)

_TYPES = re.compile(r"(?:application|text)/(?:atom|feed|rdf|rss|x\.atom|x-atom)?\+?(?:xml|json)", re.IGNORECASE)
_FEED = re.compile(
    r"\.(?:atom|rdf|rss|xml)$|\b(?:atom|rss)\b|\?type=100$|feeds/posts/default/?$|\?feed=(?:atom|rdf|rss|rss2)|feed/?$|/feed[./]"
)
_ELEMENT = re.compile(r"<link>\s*(?:<!\[CDATA\[)?(.+?)(?:\]\]>)?\s*</link>", re.DOTALL)
_WITH_ATTRIBUTES = re.compile(r"<link\s+((?:[^>\"']|\"[^\"]*\"|'[^']*')*)[\"']?/?>")
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(\"|')(.*?)\2", re.DOTALL)


class FeedParameters:
    """The site of a feed and the wanted addresses."""

    __slots__ = ("base", "domain", "ext", "lang", "ref")

    def __init__(self, baseurl: str, domainname: str, reference: str, external: bool = False, target_lang: str | None = None) -> None:
        self.base = baseurl
        self.domain = domainname
        self.ref = reference
        self.ext = external
        self.lang = target_lang


def is_potential_feed(feed_string: str) -> bool:
    """Returns whether a text starts like a feed."""
    return bool(re.match(r"<(?:feed|rss|\?xml)", feed_string)) or any(tag in feed_string[:100] for tag in ("<rss", "<feed"))


def handle_link_list(linklist: list[str], params: FeedParameters) -> list[str]:
    """Returns the usable addresses of a list: complete, cleaned, in the wanted language, and of the same site."""
    from courlan import check_url, clean_url

    found = []
    for item in sorted(set(linklist)):
        address = safe_relative_url(params.base, item)
        try:
            checked = check_url(address, language=params.lang)
        except ValueError:
            checked = None
        if checked is not None:
            link, domain = checked
            if params.ext or is_similar_domain(params.domain, domain) or "feed" in link:
                found.append(link)
            else:
                LOGGER.warning("Rejected, diverging domain names: %s %s", params.domain, domain)
        elif re.search(r"feedburner|feedproxy", address):
            found.append(clean_url(address) or address)
    return found


def find_links(feed_string: str, params: FeedParameters) -> list[str]:
    """Returns the addresses in a feed."""
    if not is_potential_feed(feed_string):
        if not feed_string.startswith("{"):
            return []
        try:
            items = json.loads(feed_string).get("items")
        except (ValueError, AttributeError):
            LOGGER.debug("JSON feed cannot be read: %s", params.domain)
            return []
        found = []
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict):
                named = (item.get("url"), item.get("id"))
                found += [next((address for address in named if address and isinstance(address, str)), "")]
        return [address for address in found if address]
    if "<link>" in feed_string:
        return [unescape(m.group(1).strip()) for m in islice(_ELEMENT.finditer(feed_string), MAX_LINKS)]
    found = []
    for match in islice(_WITH_ATTRIBUTES.finditer(feed_string), MAX_LINKS):
        fields = {name.lower(): value for name, _, value in _ATTRIBUTE.findall(match.group(1))}
        if "href" in fields and fields.get("rel") != "self" and "atom+xml" not in fields.get("type", ""):
            found.append(unescape(fields["href"]))
    return found


def extract_links(feed_string: str, params: FeedParameters) -> list[str]:
    """Returns the addresses of the pages in a feed."""
    if not feed_string:
        LOGGER.debug("Empty feed: %s", params.domain)
        return []
    links = handle_link_list(find_links(feed_string.strip(), params), params)
    return [link for link in links if link != params.ref and link.count("/") > 2]


def determine_feed(htmlstring: str, params: FeedParameters) -> list[str]:
    """Returns the addresses of the feeds that a page names."""
    from courlan import check_url

    tree = load_html(htmlstring)
    if tree is None:
        return []
    named = [
        link.get("href", "")
        for link in tree.iter("link")
        if "alternate" in (link.get("rel") or "").lower()
        and (_TYPES.match(link.get("type") or "") or _FEED.search(link.get("href", "")))
    ]
    named = named or [link.get("href", "") for link in tree.iter("a") if _FEED.search(link.get("href", ""))]
    found: list[str] = []
    for item in named:
        address = safe_relative_url(params.base, item.strip())
        if not item or address == params.ref or re.search(r"\bcomments\b", address):
            continue
        try:
            usable = check_url(address) is not None or bool(_FEED.search(address))
        except ValueError:
            continue
        if usable and re.match(r"https?://[^/\s]+\.[^/\s]+", address) and address not in found:
            found.append(address)
    return found


def probe_gnews(params: FeedParameters, urlfilter: str | None, config: ConfigParser = DEFAULT_CONFIG) -> list[str]:
    """Returns addresses of the site from the feed of Google News, for a wanted language."""
    if not params.lang:
        return []
    from courlan import filter_urls

    address = f"https://news.google.com/rss/search?q=site:{quote(params.domain)}&hl={params.lang}&scoring=n&num=100"
    downloaded = fetch_url(address, config=config)
    return list(filter_urls(extract_links(downloaded, params), urlfilter)) if downloaded else []


def find_feed_urls(
    url: str,
    target_lang: str | None = None,
    external: bool = False,
    sleep_time: float = 2.0,
    config: ConfigParser = DEFAULT_CONFIG,
) -> list[str]:
    """Returns the addresses of pages in the feeds of a site, or in a feed.

    :param url: a site, a page or a feed
    :param target_lang: only addresses in this language
    :param external: keep addresses of other sites
    :param sleep_time: seconds between two requests
    """
    from courlan import filter_urls, get_hostinfo

    domain, baseurl = get_hostinfo(url)
    if domain is None:
        LOGGER.warning("Invalid URL: %s", url)
        return []
    params = FeedParameters(baseurl, domain, url, external, target_lang)
    urlfilter = url if len(url) > len(baseurl) + 2 else None
    downloaded = fetch_url(url, config=config)
    if downloaded is not None:
        links = extract_links(downloaded, params)
        if not links:
            feeds = [feed for feed in determine_feed(downloaded, params) if feed not in (url, params.ref)][:MAX_FEEDS_CHECKED]
            for place, feed in enumerate(feeds):
                if place:
                    sleep(sleep_time)
                content = fetch_url(feed, config=config)
                links += extract_links(content, params) if content else []
        if links:
            return sorted(set(filter_urls(links, None if _FEED.search(url) else urlfilter) if urlfilter else links))
        LOGGER.debug("No usable feed links found: %s", url)
    else:
        LOGGER.error("Could not download web page: %s", url)
    if url.strip("/") != baseurl and downloaded is None:
        sleep(sleep_time)
        return try_homepage(baseurl, target_lang, external, sleep_time, config)
    return probe_gnews(params, urlfilter, config)


def try_homepage(
    baseurl: str,
    target_lang: str | None,
    external: bool = False,
    sleep_time: float = 2.0,
    config: ConfigParser = DEFAULT_CONFIG,
) -> list[str]:
    """Looks for feeds on the home page of a site."""
    return find_feed_urls(baseurl, target_lang, external, sleep_time, config)
