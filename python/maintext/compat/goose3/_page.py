"""What ``Goose.extract`` finds in a page."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any
from urllib.parse import urlsplit

from .. import _news
from .._images import size_of
from ..trafilatura.metadata import objects, text_of, types_of
from .article import Article
from .configuration import Configuration
from .image import Image
from .network import NetworkFetcher
from .text import get_encodings_from_content
from .video import Video

_SCHEMAS = ("reportagenewsarticle", "newsarticle", "article")
_PROVIDERS = ("youtube", "youtu.be", "vimeo", "dailymotion", "kewego", "twitch")
_TAG_PLACES = ("/tag/", "/tags/", "/topic/", "?keyword=")


def fill(article: Article, url: str | None, html: str, config: Configuration, fetcher: NetworkFetcher) -> None:
    """Fills the fields of an article from its page.

    :raises ValueError: if the input is not a page
    """
    reading = _news.read(html, url)
    if reading is None or reading.tree is None:
        raise ValueError("the input is not a page")
    page, tree = reading.page, reading.tree
    article._raw_html = html
    article._doc, article._raw_doc = tree, _news.parsed(html)
    article._opengraph = _opengraph(tree)
    article._schema = next((item for item in objects(tree) if set(types_of(item)) & set(_SCHEMAS)), None)
    stated = article._opengraph.get("url") or (article._schema or {}).get("url") or url
    article._final_url = stated[0] if isinstance(stated, list) else stated
    _fill_metas(article, html, tree)
    article._domain = urlsplit(article._final_url).hostname if article._final_url else None
    article._publish_date = _date(article, config, page.date)
    article._publish_datetime_utc = _utc(article._publish_date, page.date)
    article._tags = _news.labels(tree, _TAG_PLACES)
    article._authors = _authors(tree, config) or _news.names(page)
    article._title = page.title or ""
    article._meta_lang = _news.language_of(tree) or (page.language or "")[:2] or None
    known = _known(tree, config, article._domain)
    article._cleaned_text = text_in(known, reading, config) if known else formatted(reading, config)
    _fill_content(article, known[0] if known else reading.top, None if known else reading.wanted)
    if config.enable_image_fetching:
        article._top_image = _image(reading, article._final_url or url or "", config, fetcher)


def _fill_metas(article: Article, html: str, tree: Any) -> None:
    article._meta_favicon = _news.favicon(tree)
    article._meta_description = _news.meta(tree, "description", ("name",))
    article._meta_keywords = _news.meta(tree, "keywords", ("name",))
    article._meta_encoding = next(iter(get_encodings_from_content(html)), None)
    stated = _news.canonical(tree)
    own = article._final_url
    article._canonical_link = _news.joined(own, stated) if own and stated else own


def _fill_content(article: Article, top: Any, wanted: set[Any] | None) -> None:
    """Fills the fields that come from the element with the content.

    :param wanted: the elements that belong to the content; None if all do
    """
    if top is None:
        return
    article._top_node = top
    article._top_node_raw_html = _code(top)
    article._links = [a.get("href") for a in top.iter("a") if a.get("href") and (wanted is None or a in wanted)]
    article._tweets = [_code(e) for e in top.iter("blockquote") if "twitter-tweet" in (e.get("class") or "").split()]
    for element, source in _news.video_elements(top):
        site = _news.provider(source, _PROVIDERS)
        if site:
            code = "".join(line.strip() for line in _code(element).splitlines())
            article._movies.append(Video(element.tag, site, element.get("width"), element.get("height"), code, source))


def _code(element: Any, method: str = "xml") -> str:
    from lxml import etree

    return str(etree.tostring(element, encoding="unicode", method=method, with_tail=False))


def _known(tree: Any, config: Configuration, domain: str | None) -> list[Any]:
    """Returns the outermost of the elements that the caller names."""
    found = [element for pattern in config.known_context_patterns for element in pattern.elements(tree, domain)]
    return [element for element in dict.fromkeys(found) if not any(parent in found for parent in element.iterancestors())]


def formatted(reading: _news.Reading, config: Configuration) -> str:
    """Returns the text as goose3 writes it: paragraphs with an empty line between them, items of lists on lines of their own."""
    text = ""
    before = ""
    for piece in reading.pieces(config.keep_footnotes):
        if _news.is_heading(piece) and not config.parse_headers:
            continue
        if piece.tag == "li" and config.parse_lists:
            text += ("\n" if text else "") + ("• " if config.pretty_lists else "") + piece.text
        elif text:
            text += (" " if piece.tag == before == "li" else "\n\n") + piece.text
        else:
            text = piece.text
        before = piece.tag
    return text


def text_in(elements: list[Any], reading: _news.Reading, config: Configuration) -> str:
    """Returns the content within elements that the caller names, or else all of their text."""
    whole = "".join(_code(element, "html") for element in elements)
    inner = _news.read(f"<html><body><article>{whole}</article></body></html>", reading.url)
    text = formatted(inner, config) if inner else ""
    return text or "\n\n".join(piece.text for piece in _news.pieces(whole))


def _opengraph(tree: Any) -> dict[str, Any]:
    """Returns the Open Graph properties without their prefix; properties of the page's own type keep theirs."""
    properties = [((e.get("property") or "").strip(), e.get("content") or "") for e in tree.iter("meta")]
    kinds = tuple(sorted({content for name, content in properties if name == "og:type" and content}))
    found: dict[str, Any] = {}
    for name, content in properties:
        key = name[3:] if name.startswith("og:") else name if kinds and name.startswith(kinds) else ""
        if key and content:
            earlier = found.get(key)
            found[key] = content if earlier is None else [*(earlier if isinstance(earlier, list) else [earlier]), content]
    if kinds:
        found.pop("type")
        found.update({"types": list(kinds)} if len(kinds) > 1 else {"type": kinds[0]})
    return found


def _authors(tree: Any, config: Configuration) -> list[str]:
    """Returns the authors where the caller's patterns find them."""
    found: list[str] = []
    for pattern in config.known_author_patterns:
        for element in pattern.elements(tree):
            content = pattern.content
            if pattern.subpattern is not None:
                inner = pattern.subpattern.elements(element)
                if not inner:
                    continue
                element, content = inner[0], pattern.subpattern.content
            found.append((element.get(content) if content else "") or text_of(element))
    return list(dict.fromkeys(name for name in found if name))


def _date(article: Article, config: Configuration, chosen: str | None) -> str | None:
    """Returns the date where the caller's patterns find it, or else maintext's, as the page writes it."""
    for pattern in config.known_publish_date_tags:
        for element in pattern.elements(article._doc, article._domain)[:1]:
            stated = element.get(pattern.content) if pattern.content else text_of(element) if pattern.tag else None
            if stated and pattern.subcontent:
                try:
                    stated = json.loads(stated)[pattern.subcontent]
                except (KeyError, TypeError, ValueError):
                    return None
            if stated:
                return str(stated)
    day = (chosen or "")[:10]
    for written in _written_dates(article):
        found = _news.to_datetime(written)
        if found and (not day or found.strftime("%Y-%m-%d").startswith(day)):
            return written
    return chosen


def _written_dates(article: Article) -> list[str]:
    """Returns the dates of publication that a page states, in the order in which goose3 looks for them."""
    first = article._opengraph.get("article:published_time")
    found = [first[0] if isinstance(first, list) else first, _epoch((article._schema or {}).get("datePublished"))]
    tree = article._doc
    found += [_news.meta(tree, ("rnews:datepublished", "article:published_time", "originalpublicationdate", "datepublished"))]
    found += [e.get("datetime") for e in tree.iter() if isinstance(e.tag, str) and e.get("itemprop") == "datePublished"]
    found += [text_of(e) for e in tree.iter("time")]
    return [date for date in found if isinstance(date, str) and date]


def _epoch(date: Any) -> Any:
    """Returns a number of seconds or milliseconds since 1970 as a date, and other values unchanged."""
    if not isinstance(date, (int, float)) or isinstance(date, bool):
        return date
    try:
        return datetime.fromtimestamp(date if abs(date) < 1e11 else date / 1000, tz=timezone.utc).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _utc(written: str | None, chosen: str | None) -> datetime | None:
    found = _news.to_datetime(written) or _news.to_datetime(chosen) if written else None
    return found.astimezone(timezone.utc) if found is not None and found.tzinfo else found


def _image(reading: _news.Reading, base: str, config: Configuration, fetcher: NetworkFetcher) -> Image | None:
    """Returns the page's image that is large enough, or else the first of the content."""
    inner = [image.get("src") for image in reading.page.images]
    if reading.top is not None:
        inner += _news.image_sources(reading.top)
    stated = reading.page.image or _news.meta(reading.tree, ("og:image", "twitter:image"))
    candidates: list[tuple[str | None, str, float]] = [(stated, "opengraph", 100.0)]
    candidates += [(source, "content", 90.0) for source in dict.fromkeys(inner)]
    for source, kind, score in candidates[:20]:
        address = _news.joined(base, source) if source else ""
        if not address.startswith(("http://", "https://")):
            continue
        try:
            data = fetcher.fetch(address)
        except (OSError, RuntimeError):
            continue
        size = size_of(data)
        if size is None or len(data) < config.images_min_bytes:
            continue
        made = Image()
        made._src, made._extraction_type, made._confidence_score = address, kind, score
        (made._width, made._height), made._bytes = size, len(data)
        nodes = [e for e in reading.tree.iter("img") if e.get("src") and _news.joined(base, e.get("src")) == address]
        made._top_image_node = nodes[0] if nodes else None
        return made
    return None
