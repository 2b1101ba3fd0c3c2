"""The search for a page's date, as htmldate's ``core``."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

from ... import MaintextError
from ... import extract as _extract
from .extractors import custom_parse, dates_in, extract_url_date, idiosyncrasies_search, month_of_url, months_in, try_date_expr
from .settings import MAX_POSSIBLE_CANDIDATES
from .utils import Extractor, load_html
from .validators import ISO, get_max_date, get_min_date, is_valid_format, update_reference, validate_and_convert

LOGGER = logging.getLogger(__name__)

_PUBLISHED = re.compile(
    r"(?:^|[._:-])(?:date|pub_?date|publish(?:ed)?[._-]?(?:date|time|on)?|publication[._-]?date|(?:date|time)[._-]?published"
    r"|issued|created?(?:[._-]?(?:date|time|at))?|date[._-]?created|release[._-]?date|reg_?date|display[._-]?date"
    r"|original[._-]?date|citation_(?:online_)?date"
    r"|article[._-]?date|dc[._]?terms[._]date|parsely-pub-date|sailthru[._]date|rnews:datepublished|datum|pdate|timestamp|time)$",
    re.IGNORECASE,
)
_MODIFIED = re.compile(
    r"(?:updated?|modified|last[._-]?mod(?:ified)?|revised|revision)(?:[._-]?(?:date|time|at|on))?$|date[._-]?(?:modified|updated?)$",
    re.IGNORECASE,
)
_PLACES = re.compile(
    r"date|datum|time|publish|meta|footer|info|post_detail|block-content|byline|subline|posted|submitted|created-post|publication"
    r"|author|autor|field-content|fa-clock-o|fa-calendar|fecha|parution|lastmod",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(r"(?:©|&copy;|\(c\)|copyright)\D{0,30}?(?:(?:19|20)\d{2}\s*[-–]\s*)?((?:19|20)\d{2})(?!\d)", re.IGNORECASE)


class _Found:
    """Collects dates and keeps the oldest or the newest one."""

    def __init__(self, options: Extractor) -> None:
        self.options = options
        self.best: datetime | None = None

    def add(self, text: str | None) -> None:
        """Takes the first date of a text."""
        options = self.options
        made = custom_parse(text or "", ISO, options.min, options.max)
        if made is None and options.extensive and text:
            month = next(months_in(text), None)
            made = validate_and_convert(month, ISO, options.min, options.max)
        if made:
            self.best = update_reference(self.best, datetime.fromisoformat(made), options.original)

    def result(self) -> str | None:
        """Returns the date in the options' format."""
        return validate_and_convert(self.best, self.options.format, self.options.min, self.options.max) if self.best else None


def _name_of(element: Any) -> str:
    names = (element.get(name) for name in ("property", "name", "itemprop", "pubdate", "http-equiv"))
    return next((name.strip() for name in names if name), "")


def _stated(tree: Any, options: Extractor) -> tuple[str | None, str | None, str | None]:
    """Returns the published and the modified date of the ``meta`` elements, and the year of the copyright."""
    published, modified = _Found(options), _Found(options)
    year = None
    for element in tree.iter("meta"):
        name, content = _name_of(element), element.get("content") or element.get("datetime") or ""
        if not content:
            continue
        if name.lower() == "copyrightyear":
            first = re.match(r"\s*(\d{3,4})\s*$", content)
            date = datetime(int(first[1]), 1, 1) if first and int(first[1]) else None
            year = validate_and_convert(date, options.format, options.min, options.max) or year
        elif _MODIFIED.search(name):
            modified.add(content)
        elif _PUBLISHED.search(name) or element.get("pubdate"):
            published.add(content)
        elif name.lower() == "og:url":
            found = extract_url_date(content, options)
            if found:
                return found, None, None
    return published.result(), modified.result(), year


def _from_maintext(source: str, url: str | None, options: Extractor) -> tuple[str | None, str | None, bool]:
    """Returns maintext's published and modified date, and whether the published one comes from the text."""
    try:
        found = _extract(source, url, formats=()).metadata
    except MaintextError:
        return None, None, False
    origin = str((found.get("metadata_sources") or {}).get("date") or "")
    dates = [custom_parse(str(found.get(name) or ""), options.format, options.min, options.max) for name in ("date", "date_modified")]
    return dates[0], dates[1], origin in ("text", "byline", "body")


def _elements(tree: Any, options: Extractor) -> str | None:
    """Returns the date of ``time`` and ``abbr`` elements."""
    found = _Found(options)
    for element in tree.iter("time", "abbr", "relative-time"):
        stamp = element.get("data-utime")
        if stamp:
            try:
                found.add(datetime.fromtimestamp(int(stamp), timezone.utc).strftime("%Y-%m-%d %H:%M:%S"))
            except (OverflowError, OSError, ValueError):
                pass
        elif element.tag == "abbr":
            if re.search(r"date|published|time", element.get("class") or ""):
                found.add(element.get("title") or element.text_content())
        else:
            before = found.best
            found.add(element.get("datetime"))
            if found.best is before:
                found.add(element.text_content())
    return found.result()


def date_candidates(tree: Any, extensive: bool) -> Iterator[Any]:
    """Yields the elements whose names say that they may hold a date."""
    for element in tree.iter():
        if isinstance(element.tag, str) and element.tag not in ("body", "html", "meta", "script", "style"):
            named = f"{element.get('id') or ''} {element.get('class') or ''} {element.get('itemprop') or ''}"
            if element.tag in ("footer", "small") or (len(named) > 2 and _PLACES.search(named)):
                yield element


def _named(tree: Any, options: Extractor) -> str | None:
    """Returns the first date in elements that are named as the place of a date."""
    for number, element in enumerate(date_candidates(tree, options.extensive)):
        if number >= MAX_POSSIBLE_CANDIDATES:
            break
        text = " ".join(element.text_content().split())
        for part in (element.get("content"), element.get("datetime"), element.get("title"), text if 6 < len(text) < 100 else None):
            made = try_date_expr(part, options.format, options.extensive, options.min, options.max)
            if made:
                return made
    return None


def _texts(tree: Any) -> Iterator[str]:
    for element in tree.iter():
        if isinstance(element.tag, str) and element.tag not in ("script", "style", "noscript", "template"):
            if element.text and any(char.isdigit() for char in element.text):
                yield " ".join(element.text.split())
        if element.tail and any(char.isdigit() for char in element.tail):
            yield " ".join(element.tail.split())


def _numeric(tree: Any, options: Extractor) -> Iterator[str]:
    """Yields the dates in the notation of ISO 8601; those with a time come first."""
    dates = [date for text in _texts(tree) for date in dates_in(text[:2000], words=False) if re.search(rf"{date.year}-", text)]
    for date in sorted(dates, key=lambda date: (date.hour, date.minute) == (0, 0)):
        made = validate_and_convert(date, options.format, options.min, options.max)
        if made:
            yield made


def _frequent(tree: Any, options: Extractor) -> str | None:
    """Returns the most frequent date of the text; of several, the oldest or the newest one."""
    found: Counter[datetime] = Counter()
    for text in _texts(tree):
        for date in dates_in(text[:2000]):
            if validate_and_convert(date, options.format, options.min, options.max):
                found[date] += 1
        if len(found) > MAX_POSSIBLE_CANDIDATES:
            break
    if not found:
        return None
    most = max(found.values())
    chosen = [date for date, count in found.items() if count == most]
    best: datetime | None = None
    for date in chosen:
        best = update_reference(best, date, options.original)
    return validate_and_convert(best, options.format, options.min, options.max)


def _vague(tree: Any, url: str | None, source: str, options: Extractor) -> str | None:
    """Returns the month of the address or of the text, or the year of the copyright."""
    found = month_of_url(url, options)
    if found:
        return found
    images = [image.get("src") for image in tree.iter("img")]
    images += [e.get("content") for e in tree.iter("meta") if (e.get("property") or "") in ("og:image", "twitter:image")]
    of_images = {made for made in (extract_url_date(image, options) for image in images) if made}
    if of_images:
        return min(of_images) if options.original else max(of_images)
    for text in _texts(tree):
        for date in months_in(text[:500]):
            made = validate_and_convert(date, options.format, options.min, options.max)
            if made:
                return made
    years = [int(found[1]) for found in _COPYRIGHT.finditer(source[-200000:])]
    if years:
        return validate_and_convert(datetime(max(years), 1, 1), options.format, options.min, options.max)
    return None


def find_date(
    htmlobject: Any,
    extensive_search: bool = True,
    original_date: bool = False,
    outputformat: str = "%Y-%m-%d",
    url: str | None = None,
    verbose: bool = False,
    min_date: Any = None,
    max_date: Any = None,
    deferred_url_extractor: bool = False,
) -> str | None:
    """Returns the date of a page, or None.

    :param htmlobject: the page as text, bytes, tree of lxml, or address
    :param extensive_search: also take dates from the text, months and years
    :param original_date: the date of publication; otherwise that of the last change
    :param outputformat: the format of the result, as for ``strftime``
    :param url: the page's address, which may hold a date
    :param verbose: log what is found
    :param min_date: the earliest acceptable date, as datetime or in ISO 8601
    :param max_date: the latest acceptable date
    :param deferred_url_extractor: prefer dates in the page's metadata to one in its address
    """
    if verbose:
        logging.basicConfig(level=logging.DEBUG)
    tree = load_html(htmlobject)
    if tree is None:
        return None
    if outputformat != "%Y-%m-%d" and not is_valid_format(outputformat):
        LOGGER.error("wrong output format or type: %s", outputformat)
        return None
    options = Extractor(extensive_search, get_max_date(max_date), get_min_date(min_date), original_date, ISO)
    if url is None:
        url = next((e.get("href") for e in tree.iter("link") if (e.get("rel") or "").lower() == "canonical"), None)
    in_url = extract_url_date(url, options)
    found = None if deferred_url_extractor else in_url
    found = found or _search(tree, url, options) or in_url
    if found:
        LOGGER.debug("date found: %s", found)
    return datetime.fromisoformat(found).strftime(outputformat) if found else None


def _search(tree: Any, url: str | None, options: Extractor) -> str | None:
    from lxml import etree

    published, modified, year = _stated(tree, options)
    found = (published or modified) if options.original else (modified or published)
    if found:
        return found
    source = str(etree.tostring(tree, encoding="unicode", method="html", with_tail=False))
    published, modified, from_text = _from_maintext(source, url, options)
    if (published and not from_text) or modified:
        if options.original:
            return published or modified
        # A later date in an element is that of a change.
        dates = [date for date in (published, _elements(tree, options)) if date]
        return modified or max(dates, key=lambda text: datetime.fromisoformat(text).replace(tzinfo=None))
    found = _elements(tree, options) or year or _named(tree, options) or idiosyncrasies_search(source, options)
    if found or not options.extensive:
        return found or next(_numeric(tree, options), None)
    return published or _frequent(tree, options) or _vague(tree, url, source, options)
