"""What ``Article.parse`` finds in a page."""

from __future__ import annotations

import logging
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from .. import _http, _news
from .._images import size_of
from .configuration import Configuration
from .languages import get_available_languages, normalize_language_code

if TYPE_CHECKING:
    from .article import Article

log = logging.getLogger(__name__)

_TAG_PLACES = ("/tag/", "/tags/", "/topic/", "?keyword=", "?tag=")
_META_IMAGES = (
    "og:image",
    "og:image:url",
    "og:image:secure_url",
    "twitter:image",
    "twitter:image:src",
    "image",
    "thumbnail",
    "thumbnailurl",
)
_SCHEMES = {"img_src", "image_src"}


class Filled:
    """The fields of an article that a page fills."""

    config: Configuration
    url: str
    _title: str

    def __init__(self) -> None:
        self._text = ""
        self.article_html = ""
        self.authors: list[str] = []
        self.publish_date: datetime | None = None
        self.top_image = ""
        self.meta_img = ""
        self.images: list[str] = []
        self.movies: list[str] = []
        self.tags: set[str] = set()
        self.meta_keywords: list[str] = []
        self.meta_description = ""
        self.meta_lang = ""
        self.meta_favicon = ""
        self.meta_site_name = ""
        self.meta_type = ""
        self.meta_data: dict[str, Any] = {}
        self.canonical_link: str | None = ""
        self._reading: _news.Reading | None = None

    @property
    def doc(self) -> Any:
        """The page's tree, or None before ``parse()``."""
        return self._reading.tree if self._reading else None

    @property
    def clean_doc(self) -> Any:
        """Another name of ``doc``."""
        return self.doc

    @property
    def top_node(self) -> Any:
        """The element of ``doc`` that holds the content, or None."""
        return self._reading.top if self._reading else None

    def __getstate__(self) -> dict[str, Any]:
        # Trees cannot be pickled; they are made again from the page.
        return {**self.__dict__, "_reading": self._reading is not None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reading = _news.read(state["_html"], state["url"]) if state["_reading"] else None


def fill(article: Article) -> None:
    """Fills the fields of an article from its page."""
    reading = _news.read(article.html, article.url) if article.html.strip() else None
    article._reading = reading
    if reading is None or reading.tree is None:
        return
    page, tree = reading.page, reading.tree
    article.title = page.title or ""
    article.authors = _news.names(page)[: article.config.max_authors]
    article.publish_date = _news.to_datetime(page.date)
    language = normalize_language_code(re.split("[-_]", tree.get("lang") or "")[0].lower())
    language = language if language in get_available_languages() else _news.language_of(tree) or ""
    if language in get_available_languages():
        article.meta_lang = language
        if article.config.use_meta_language:
            article.config.language = language
    article.meta_site_name = _news.meta(tree, "og:site_name")
    article.meta_description = _news.meta(tree, ("description", "og:description"))
    article.meta_keywords = [word.strip() for word in _news.meta(tree, "keywords").split(",")]
    article.meta_type = _news.meta(tree, "og:type")
    article.meta_data = meta_data(tree)
    article.canonical_link = _canonical(article.url, tree)
    article.tags = set(_news.labels(tree, _TAG_PLACES))
    article.movies = [address for _, address in _news.video_elements(reading.top)] if reading.top is not None else []
    article.movies += [address for address in _news.video_objects(tree) if address not in article.movies]
    _images(article, reading)
    article.text = "\n\n".join(piece.text for piece in reading.pieces())
    article.article_html = (page.html or "").strip() if article.config.clean_article_html else _as_it_stands(reading)


def _as_it_stands(reading: _news.Reading) -> str:
    from lxml import etree

    return str(etree.tostring(reading.top, encoding="unicode", method="html", with_tail=False)) if reading.top is not None else ""


def meta_data(tree: Any) -> dict[str, Any]:
    """Returns the contents of all ``meta`` elements; the parts of names with colons are levels of dicts.

    An element whose name also has parts below it is among these parts: under its own name at the first level, else as "identifier".
    """
    data: dict[str, Any] = {}
    for element in tree.iter("meta"):
        name = (element.get("property") or element.get("name") or "").strip()
        text = (element.get("content") or element.get("value") or "").strip()
        if not name or not text:
            continue
        value = int(text) if text.isascii() and text.isdigit() else text
        *levels, last = name.split(":")
        place = data
        for depth, level in enumerate(levels):
            inner = place.get(level)
            if not isinstance(inner, dict):
                inner = place[level] = {} if inner is None else {"identifier" if depth else level: inner}
            place = inner
        if isinstance(place.get(last), dict):
            place[last]["identifier" if levels else last] = value
        else:
            place[last] = value
    return data


def _canonical(url: str, tree: Any) -> str | None:
    """Returns the address that the page states, complete; or None."""
    stated = _news.canonical(tree) or _news.meta(tree, "og:url")
    if not stated:
        return None
    try:
        parts, own = urlsplit(stated), urlsplit(url)
    except ValueError:
        return None
    if parts.hostname or not own.hostname:
        return stated
    # "www.example.org/a" is meant as an address, not as a path.
    path = parts.path.partition(f"{own.hostname}/")[2] or parts.path
    return urlunsplit((own.scheme, own.hostname, path if path.startswith("/") else f"/{path}", "", ""))


def _images(article: Article, reading: _news.Reading) -> None:
    tree, url = reading.tree, article.url
    article.meta_favicon = _news.favicon(tree)
    stated = _news.meta(tree, _META_IMAGES)
    if not stated:
        links = (e for e in tree.iter("link") if set((e.get("rel") or "").lower().split()) & _SCHEMES)
        stated = next((e.get("href") for e in links if e.get("href")), "")
    icon = next((e.get("href") for e in tree.iter("link") if e.get("rel") == "icon" and e.get("href")), "")
    article.meta_img = _news.joined(url, stated or icon) if stated or icon else ""
    article.images = [address for address in (_news.joined(url, source) for source in _news.image_sources(tree)) if address]
    # An icon stands for the site, not for the article.
    chosen = [stated] if stated else []
    chosen += [source for source in (reading.page.image, *(image.get("src") for image in reading.page.images)) if source]
    candidates = list(dict.fromkeys(_news.joined(url, source) for source in chosen))
    if not article.config.fetch_images:
        article.top_image = next(iter(candidates), "")
        return
    candidates += [address for address in article.images if address not in candidates]
    article.top_image = next((address for address in candidates[:20] if _is_large(address, article)), "")


def _is_large(address: str, article: Article) -> bool:
    """Fetches an image. Returns whether it is as large as the configuration wants the top image."""
    if not address.startswith(("http://", "https://")):
        return False
    wanted = article.config.top_image_settings
    options = {**article.config.requests_params, "protected": article.config.ssrf_protection}
    options["headers"] = {**(options.get("headers") or {}), "Referer": article.url}
    for _ in range(max(wanted["max_retries"], 1)):
        try:
            size = size_of(_http.request(address, **options).content)
            break
        except OSError as error:
            log.debug("error while fetching: %s refer: %s: %s", address, article.url, error)
    else:
        return False
    if size is None or size[0] < wanted["min_width"] or size[1] < wanted["min_height"]:
        return False
    factor = 10 if re.search("logo|sprite", address, re.IGNORECASE) else 1
    return size[0] * size[1] >= wanted["min_area"] * factor
