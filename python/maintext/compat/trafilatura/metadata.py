"""Metadata of pages, as trafilatura's ``metadata``: maintext's title, authors and date, with the fields and forms of trafilatura."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from ... import MaintextError
from ... import extract as _extract
from ._document import Document
from .utils import load_html, trim

__all__ = ["Document", "extract_metadata"]

LOGGER = logging.getLogger(__name__)

BLOCK_TAGS = set(
    "address article blockquote br dd details div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5 h6 header hr li main nav ol "
    "option p pre section summary table td th title tr ul".split()
)
_LICENSE_URL = re.compile(r"/(by-nc-nd|by-nc-sa|by-nc|by-nd|by-sa|by|zero)/([1-9]\.[0-9])")
_LICENSE_TEXT = re.compile(r"\b(?:cc|creative commons) (by-nc-nd|by-nc-sa|by-nc|by-nd|by-sa|by|zero) ?([1-9]\.[0-9])?", re.IGNORECASE)
_KINDS = {
    "categories": ("category", "categories", re.compile(r"/categor(?:y|ies)/")),
    "tags": ("tag", "tags", re.compile(r"/tags?/")),
}
_PLACES = re.compile(
    r"^(?:post-?(?:info|meta|entry)|entry-(?:meta|info|footer|utility|categories|tags|category)|postmeta|cat-links|meta|tags?)",
    re.IGNORECASE,
)
_ARTICLES = {
    "article",
    "advertisercontentarticle",
    "backgroundnewsarticle",
    "blogposting",
    "liveblogposting",
    "medicalscholarlyarticle",
    "newsarticle",
    "opinionnewsarticle",
    "reportagenewsarticle",
    "scholarlyarticle",
    "socialmediaposting",
    "techarticle",
}
#: Other types of pages that trafilatura reports.
_PAGES = set("aboutpage collectionpage contactpage faqpage itempage medicalwebpage profilepage qapage webpage website".split())
_PUBLISHERS = ("article:publisher", "citation_journal_title", "dc.publisher", "dc:publisher", "dcterms.publisher", "publisher")


def text_of(element: Any) -> str:
    """Returns the text of an element, with spaces where blocks meet."""
    from lxml.etree import iterwalk

    parts: list[str] = []
    for event, part in iterwalk(element, events=("start", "end")):
        if not isinstance(part.tag, str):
            continue
        if part is not element and part.tag in BLOCK_TAGS:
            parts.append(" ")
        if event == "start":
            parts.append(part.text or "" if part.tag not in ("script", "style") else "")
        elif part is not element:
            parts.append(part.tail or "")
    return trim("".join(parts))


def _metas(tree: Any, names: Iterable[str]) -> list[str]:
    """Returns the contents of the ``meta`` elements with one of the names, in the order of the names."""
    found: dict[str, list[str]] = {}
    for element in tree.iter("meta"):
        content = trim(unescape(element.get("content") or ""))
        for key in ("property", "name", "itemprop"):
            if element.get(key) and content:
                found.setdefault(element.get(key).lower(), []).append(content)
    return [content for name in names for content in found.get(name, [])]


def normalize_tags(tags: str) -> str:
    """Returns a list of tags as text without entities, quotation marks and empty items."""
    cleaned = re.sub(r"[\"']", "", unescape(unescape(trim(tags))))
    return ", ".join(part for part in (trim(p) for p in cleaned.split(", ")) if part)


def check_authors(authors: str, author_blacklist: set[str]) -> str | None:
    """Removes unwanted names, without regard to case, from names that semicolons separate."""
    unwanted = {name.lower() for name in author_blacklist}
    kept = [name.strip() for name in authors.split(";") if name.strip().lower() not in unwanted]
    return "; ".join(kept).strip("; ") or None


def normalize_authors(current_authors: str | None, author_string: str) -> str | None:
    """Adds names to names. Returns all of them, separated by semicolons."""
    if "http" in author_string.lower() or re.fullmatch(r"\S+@\S+", author_string.strip()):
        return current_authors
    names = [] if not current_authors else current_authors.split("; ")
    if "\\u" in author_string:
        author_string = re.sub(r"\\u([\da-fA-F]{4})", lambda m: chr(int(m.group(1), 16)), author_string)
    cleaned = unescape(re.sub(r"<[^>]+>", " ", unescape(author_string)))
    cleaned = re.sub("[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f]", "", cleaned)
    for name in re.split(r"\s*(?:[;,]|\b(?:and|und|et)\b|&|/|\|)\s*", cleaned):
        name = trim(re.sub(r"^(?:by|von|par|from)\s*:?\s+|^(?:by|von):\s*", "", trim(name), flags=re.IGNORECASE)).strip(".,:;–—-•| ")
        if name and name not in names and not any(name in other for other in names):
            names = [other for other in names if other not in name] + [name]
    return "; ".join(names).strip("; ") or None


def extract_url(tree: Any, default_url: str | None = None) -> str | None:
    """Returns the address that a page states, or else the given one."""
    stated = [e.get("href") for e in tree.iter("link") if (e.get("rel") or "").lower() == "canonical"]
    stated += _metas(tree, ["og:url", "twitter:url"])
    stated += [e.get("href") for e in tree.iter("base")]
    stated += [e.get("href") for e in tree.iter("link") if (e.get("hreflang") or "").lower() == "x-default"]
    bases = _metas(tree, ["og:url", "twitter:url"])
    for address in stated:
        if not address:
            continue
        if address.startswith("//"):
            address = "https:" + address
        elif not re.match(r"https?://", address):
            joined = (_joined(base, address) for base in bases)
            address = next((a for a in joined if a), "")
        if _host(address):
            return str(address)
    return default_url


def _joined(base: str, address: str) -> str | None:
    try:
        return urljoin(base, address) if _host(base) else None
    except ValueError:
        return None


def _host(address: str | None) -> str | None:
    """Returns the host without "www."."""
    try:
        parts = urlsplit(address or "")
        host = parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        return None
    return re.sub(r"^(?:www|w\d+)\.", "", host) if host else None


def objects(tree: Any) -> list[dict[str, Any]]:
    """Returns the objects of the page's JSON-LD, with those of their graphs."""
    found: list[dict[str, Any]] = []
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or ""):
            continue
        try:
            waiting = [json.loads(re.sub(r"[\x00-\x1f]", " ", script.text or ""))]
        except ValueError:
            continue
        while waiting and len(found) < 200:
            item = waiting.pop(0)
            if isinstance(item, list):
                waiting = item + waiting
            elif isinstance(item, dict):
                found.append(item)
                graph = item.get("@graph")
                waiting += graph if isinstance(graph, list) else [graph] if graph else []
    return found


def types_of(item: dict[str, Any]) -> list[str]:
    """Returns the types of an object in lower case."""
    types = item.get("@type")
    return [str(t).lower() for t in (types if isinstance(types, list) else [types]) if t]


def _organizations(tree: Any) -> set[str]:
    """Returns the names of organizations that the JSON-LD gives as authors; trafilatura takes persons only."""
    found = set()
    for item in objects(tree):
        authors = item.get("author")
        for author in authors if isinstance(authors, list) else [authors]:
            if isinstance(author, dict) and "person" not in types_of(author) and "organization" in types_of(author):
                found.add(str(author.get("name")))
    return found


def _linked_authors(tree: Any) -> list[str]:
    """Returns the authors of the JSON-LD if their names hold markup."""
    found = []
    for item in objects(tree):
        authors = item.get("author")
        for author in authors if isinstance(authors, list) else [authors]:
            name = author.get("name") if isinstance(author, dict) else author
            if isinstance(name, str) and re.search(r"</a\s*>", name):
                found.append(name)
    return found


def _page_type(tree: Any) -> str | None:
    for item in objects(tree):
        for kind in types_of(item):
            if kind in _ARTICLES:
                return kind
    stated = _metas(tree, ["og:type"])
    return stated[0] if stated else next((kind for item in objects(tree) for kind in types_of(item) if kind in _PAGES), None)


def _license(tree: Any) -> str | None:
    def named(element: Any, strict: bool) -> str | None:
        found = _LICENSE_URL.search(element.get("href") or "")
        if found:
            return f"CC {found.group(1).upper()} {found.group(2)}"
        text = text_of(element)
        stated = _LICENSE_TEXT.search(text)
        if stated:
            return trim(stated.group(0))
        return None if strict else text or None

    links = list(tree.iter("a"))
    for link in links:
        if "license" in (link.get("rel") or "").lower().split():
            found = named(link, False)
            if found:
                return found
    for link in links:
        places = (f"{e.get('class') or ''} {e.get('id') or ''}" for e in link.iterancestors())
        if any(e.tag == "footer" for e in link.iterancestors()) or any("footer" in place for place in places):
            found = named(link, True)
            if found:
                return found
    return None


def _labels(tree: Any, kind: str) -> list[str]:
    """Returns the texts of the links to categories or tags at the head or the foot of an article."""
    rel, _, pattern = _KINDS[kind]
    found: list[str] = []
    for link in tree.iter("a"):
        if not link.get("href"):
            continue
        inside = any(_PLACES.search(e.get("class") or "") for e in link.iterancestors())
        rels = (link.get("rel") or "").split()
        if (inside and pattern.search(link.get("href"))) or (kind == "tags" and rels == ["tag"] and inside):
            found.append(trim(text_of(link)))
    if not found and kind == "categories":
        found = _metas(tree, ["article:section"])
        for item in objects(tree):
            sections = item.get("articleSection")
            found += [s for s in (sections if isinstance(sections, list) else [sections]) if isinstance(s, str)]
    if kind == "tags":
        keywords = _metas(tree, ["keywords", "parsely-tags", "article:tag", "citation_keywords"])
        found = [normalize_tags(word) for word in keywords] or found
    return list(dict.fromkeys(label for label in found if label))


def _site(tree: Any, stated: str | None, host: str | None) -> str | None:
    names = _metas(tree, ["og:site_name"]) + [n for n in _metas(tree, _PUBLISHERS) if n != "@" and not n.startswith("http")]
    backup = _metas(tree, ["application-name", "twitter:site"])
    if not names:
        publishers = (item.get("publisher") for item in objects(tree))
        names = [p["name"] for p in publishers if isinstance(p, dict) and isinstance(p.get("name"), str)]
        for item in objects(tree):
            if {"organization", "newsmediaorganization", "website"} & set(types_of(item)):
                names += [value for value in (item.get("name"), item.get("legalName")) if isinstance(value, str)][:1]
    name = names[0] if names else stated
    if not name:
        for title in tree.iter("title"):
            for part in re.split(r"\s+[-–—|»•·:]\s+", trim(title.text or "")):
                if re.fullmatch(r"[\w-]+(\.[\w-]+)+", part) and not name:
                    name = part
    name = (name or (backup[0] if backup else None) or "").lstrip("@") or None
    if name and "." not in name and name[0].islower():
        name = name.title()
    return name or host


def _title(tree: Any) -> str | None:
    """Returns the text of the ``title`` element."""
    return next((text for text in (text_of(e) for e in tree.iter("title")) if text), None)


def fill(
    document: Document, tree: Any, found: dict[str, Any], blacklist: set[str], url: str | None, dates: dict[str, Any] | None = None
) -> None:
    """Copies metadata of maintext to a document and adds what the tree states."""
    document.title = found.get("title") or _title(tree)
    document.description = found.get("description")
    organizations = _organizations(tree)
    stated = [str(name) for name in found.get("authors") or [] if str(name) not in organizations]
    names = [normalize_authors(None, name) for name in _linked_authors(tree) or stated]
    document.author = check_authors("; ".join(n for n in names if n), blacklist)
    # trafilatura's dates have no time.
    document.date = (found.get("date") or "")[:10] or None
    if dates is not None and not dates.get("extensive_search", True) and _from_text(found):
        document.date = None
    image = _metas(tree, ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src", "image"])
    document.image = image[0] if image else None
    document.url = extract_url(tree, url)
    document.hostname = _host(document.url)
    document.sitename = _site(tree, found.get("sitename"), document.hostname)
    document.categories = _labels(tree, "categories") or found.get("categories") or []
    document.tags = _labels(tree, "tags")
    document.license = _license(tree)
    document.pagetype = _page_type(tree)
    document.language = None


def _from_text(found: dict[str, Any]) -> bool:
    """Returns whether the date was read from the text, and not from metadata or the address."""
    return str((found.get("metadata_sources") or {}).get("date") or "") in ("text", "byline", "body")


def extract_metadata(
    filecontent: Any,
    default_url: str | None = None,
    date_config: dict[str, Any] | None = None,
    extensive: bool = True,
    author_blacklist: set[str] | None = None,
) -> Document:
    """Returns the metadata of a page as a :class:`Document` without content."""
    from .core import source_of
    from .settings import set_date_params

    document = Document()
    tree = load_html(filecontent)
    if tree is None:
        return document
    try:
        page = _extract(source_of(filecontent, tree), _address(tree, default_url), formats=())
    except MaintextError as error:
        LOGGER.warning("discarding data: %s (%s)", default_url, error)
        return document
    dates = date_config or set_date_params(extensive)
    fill(document, tree, page.metadata, author_blacklist or set(), default_url, dates)
    document.filedate = dates.get("max_date")
    document.clean_and_trim()
    return document


def _address(tree: Any, default_url: str | None) -> str | None:
    return default_url if _host(default_url) else extract_url(tree)
