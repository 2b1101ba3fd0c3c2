"""What the replacements for newspaper4k and goose3 share: a page with maintext's content, and what its tree states."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from .. import MaintextError, Page
from .. import extract as _extract
from ._cut import content_of
from .trafilatura.metadata import BLOCK_TAGS, objects, text_of, types_of
from .trafilatura.utils import remove_control_characters

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_VIDEO_TAGS = ("iframe", "embed", "object", "video")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_SECOND_LEVEL = set("ac co com edu gob gov gouv go ne net nom or org".split())


class Piece(NamedTuple):
    """A line of the content: its text, and the tag of its block."""

    tag: str
    text: str


class Reading:
    """A page: maintext's extraction and the page's own tree.

    :raises MaintextError: if the input is not a page but, for example, a PDF
    """

    def __init__(self, source: str, url: str | None = None) -> None:
        self.url = url or None
        self.page: Page = _extract(source, self.url, formats=("text", "html"), comments=False, images=True)
        self.tree: Any = parsed(source)
        found = content_of(self.tree, self.page) if self.tree is not None else None
        #: The element of the tree that holds the content, or None.
        self.top: Any = found[0] if found else None
        #: The elements that belong to the content.
        self.wanted: set[Any] = found[1] if found else set()

    def pieces(self, footnotes: bool = True, title: bool = False) -> list[Piece]:
        """Returns the lines of the content.

        :param footnotes: keep text in superscript
        :param title: keep the title above the text if the page has it there
        """
        found = pieces(self.page.html or "", footnotes)
        known = _plain(self.page.title or "")
        if known and len(found) > 1 and _plain(found[0].text) == known:
            if not title or not any(_plain(text_of(heading)) == known for heading in self.tree.iter(*_HEADINGS)):
                del found[0]
        return found


def read(source: str, url: str | None = None) -> Reading | None:
    """Reads a page. Returns None if the input is not a page."""
    try:
        return Reading(source, url)
    except MaintextError:
        return None


def parsed(source: str) -> Any:
    """Returns the tree of a page, or None if it has none."""
    from lxml import etree
    from lxml import html as lxml_html

    try:
        parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True)
        return lxml_html.document_fromstring(remove_control_characters(source).encode("utf-8"), parser=parser)
    except (etree.LxmlError, ValueError):
        return None


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", "", text).lower().split())


def pieces(html: str, footnotes: bool = True) -> list[Piece]:
    """Returns the lines of a page's content in HTML. Rows of tables are one line; line breaks end a line."""
    from lxml.etree import iterwalk

    tree = parsed(html) if html.strip() else None
    if tree is None:
        return []
    found: list[Piece] = []
    words: list[str] = []
    open_blocks = ["p"]

    def flush() -> None:
        text = " ".join("".join(words).split())
        if text:
            found.append(Piece(open_blocks[-1], text))
        words.clear()

    walk = iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if event == "start" and (not isinstance(tag, str) or tag == "head" or (tag == "sup" and not footnotes)):
            walk.skip_subtree()
        elif event == "start":
            if tag in ("td", "th"):
                words.append(" ")
            elif tag in BLOCK_TAGS:
                flush()
                if tag in ("p", "div") and open_blocks[-1] == "li":
                    tag = "li"
                open_blocks.append(tag)
            words.append(element.text or "")
        else:
            if isinstance(tag, str) and tag in BLOCK_TAGS and tag not in ("td", "th"):
                flush()
                open_blocks.pop()
            words.append(element.tail or "")
    flush()
    return found


def is_heading(piece: Piece) -> bool:
    """Returns whether a line is a heading."""
    return piece.tag in _HEADINGS


def meta(tree: Any, names: str | Iterable[str], attributes: tuple[str, ...] = ("property", "name", "itemprop")) -> str:
    """Returns the first content of a ``meta`` element with one of the names, in the order of the names, or an empty text."""
    elements = [(element, (element.get("content") or "").strip()) for element in tree.iter("meta")]
    for name in [names] if isinstance(names, str) else names:
        for element, content in elements:
            if content and any((element.get(attribute) or "").lower() == name for attribute in attributes):
                return str(content)
    return ""


def names(page: Page) -> list[str]:
    """Returns the authors, without the word that joins the last one to the others."""
    return [re.sub(r"^(?:and|und|et|y|e|&)\s+(?=\S+\s)", "", name) for name in page.authors]


def favicon(tree: Any) -> str:
    """Returns the address of the page's icon as the page writes it, or an empty text."""
    links = (e for e in tree.iter("link") if "icon" in (e.get("rel") or "").lower())
    return next((str(e.get("href")) for e in links if e.get("href")), "")


def canonical(tree: Any) -> str:
    """Returns the address that the page states as its own, as the page writes it, or an empty text."""
    links = (e for e in tree.iter("link") if (e.get("rel") or "").lower() == "canonical")
    return next((e.get("href").strip() for e in links if (e.get("href") or "").strip()), "")


def joined(base: str, address: str) -> str:
    """Resolves an address, or returns an empty text if it is not valid."""
    try:
        return urljoin(base, address)
    except ValueError:
        return ""


def language_of(tree: Any) -> str | None:
    """Returns the language that the page states, as two letters."""
    stated = [tree.get("lang"), meta(tree, "content-language", ("http-equiv",)), meta(tree, "lang", ("name",))]
    for language in stated:
        if language and re.match(r"[A-Za-z]{2}\b|[A-Za-z]{2}[-_]", language):
            return str(language[:2].lower())
    return None


def labels(tree: Any, places: Iterable[str]) -> list[str]:
    """Returns the texts of links with ``rel=tag``, and of links whose address has one of the parts."""
    found = [e for e in tree.iter("a") if "tag" in (e.get("rel") or "").split()]
    if not found:
        found = [e for e in tree.iter("a") if any(place in (e.get("href") or "") for place in places)]
    return list(dict.fromkeys(text for text in (text_of(e) for e in found) if text))


def video_elements(top: Any) -> list[tuple[Any, str]]:
    """Returns the elements of an article that show videos, and the addresses of these."""
    found = []
    for element in top.iter(*_VIDEO_TAGS):
        source = element.get("src")
        if element.tag == "embed" and any(parent.tag == "object" for parent in element.iterancestors()):
            continue
        if element.tag == "object":
            named = [e.get("value") for e in element.iter("param") if (e.get("name") or "").lower() == "movie"]
            source = next((value for value in named if value), None) or next((e.get("src") for e in element.iter("embed")), None)
        elif element.tag == "video":
            source = source or next((e.get("src") for e in element.iter("source") if e.get("src")), None)
        if not source or source.startswith("about:"):
            # A script loads the video later.
            source = next((value for name, value in element.attrib.items() if name.startswith("data-") and name.endswith("src")), None)
        if source:
            found.append((element, str(source)))
    return found


def video_objects(tree: Any) -> list[str]:
    """Returns the addresses of the videos in the page's JSON-LD."""
    found = (item.get("contentUrl") for item in objects(tree) if "videoobject" in types_of(item))
    return [address for address in found if isinstance(address, str) and address]


def provider(address: str, known: Iterable[str]) -> str | None:
    """Returns the first of the names that an address holds."""
    return next((name for name in known if name in address), None)


def image_sources(tree: Any) -> list[str]:
    """Returns the addresses of all images, also of those that a script loads, as the page writes them."""
    found = []
    for image in tree.iter("img"):
        sources = [value for name, value in image.attrib.items() if "src" in name and "srcset" not in name and value]
        sources = [value.strip() for value in sources if value.strip() and not value.startswith("data:")]
        sources.sort(key=lambda value: not value.lower().startswith("http"))
        found += sources[:1]
    return found


def to_datetime(text: str | None) -> datetime | None:
    """Reads a date in ISO 8601, in the form of mails, as "May 17, 2024" or as "17 May 2024"; or returns None."""
    text = (text or "").strip()
    iso = re.match(r"(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?", text)
    try:
        if iso:
            year, month, day, hour, minute, second = (int(part or 0) for part in iso.groups()[:6])
            micro = int((iso.group(7) or "0").ljust(6, "0")[:6])
            return datetime(year, month, day, hour, minute, second, micro, _zone(iso.group(8)))
        words = re.match(r"(?:\w+,?\s+)??([A-Za-z]{3,9})\.?\s+(\d\d?),?\s+(\d{4})\b", text)
        if words and words.group(1)[:3].lower() in _MONTHS:
            return datetime(int(words.group(3)), _MONTHS.index(words.group(1)[:3].lower()) + 1, int(words.group(2)))
        words = re.match(r"(?:\w+,?\s+)??(\d\d?)\.?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})$", text)
        if words and words.group(2)[:3].lower() in _MONTHS:
            return datetime(int(words.group(3)), _MONTHS.index(words.group(2)[:3].lower()) + 1, int(words.group(1)))
        return parsedate_to_datetime(text) if re.search(r"\d\d:\d\d", text) else None
    except (TypeError, ValueError, IndexError):
        return None


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    if text[0] not in "+-":
        return timezone.utc
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)


def host_parts(url: str) -> tuple[str, str]:
    """Returns the subdomain and the name of a site: "edition" and "example" for ``https://edition.example.co.uk/``.

    The suffix is one label, or two if both look like those of a country's registry; there is no list of suffixes.
    """
    host = urlsplit(url).hostname or ""
    if not host or re.fullmatch(r"[\d.]+|.*:.*", host):
        return "", host
    names = host.split(".")
    suffix = 2 if len(names) > 2 and len(names[-1]) == 2 and names[-2] in _SECOND_LEVEL else 1
    rest = names[:-suffix] if len(names) > suffix else names
    return ".".join(rest[:-1]), rest[-1]
