"""Metadata of pages, as trafilatura's ``metadata``: maintext's values in trafilatura's fields."""

from __future__ import annotations

import json
import logging
import re
from typing import Any
from urllib.parse import urlsplit

from ... import MaintextError
from ... import extract as _extract
from ._document import Document
from .settings import set_date_params
from .utils import load_html, source_of

__all__ = ["Document", "extract_metadata"]

LOGGER = logging.getLogger(__name__)

_LICENSE_URL = re.compile(r"/(by-nc-nd|by-nc-sa|by-nc|by-nd|by-sa|by|zero)/([1-9]\.[0-9])")


def check_authors(authors: str, author_blacklist: set[str]) -> str | None:
    """Removes unwanted names, without regard to case, from names that semicolons separate."""
    unwanted = {name.lower() for name in author_blacklist}
    kept = [name.strip() for name in authors.split(";") if name.strip().lower() not in unwanted]
    return "; ".join(kept).strip("; ") or None


def _page_type(tree: Any) -> str | None:
    """Returns the type that the page declares: in OpenGraph, or else the first one in its JSON-LD."""
    for element in tree.iter("meta"):
        if element.get("property") == "og:type" and element.get("content"):
            return str(element.get("content"))
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or ""):
            continue
        try:
            stated = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        items = stated if isinstance(stated, list) else [stated]
        for item in items:
            graph = item.get("@graph") if isinstance(item, dict) else None
            for part in [item, *(graph if isinstance(graph, list) else [])]:
                kind = part.get("@type") if isinstance(part, dict) else None
                kind = kind[0] if isinstance(kind, list) and kind else kind
                if isinstance(kind, str):
                    return kind.lower()
    return None


def _host(address: str | None) -> str | None:
    """Returns the host without "www."."""
    try:
        host = urlsplit(address or "").hostname
    except ValueError:
        return None
    return re.sub(r"^www\.", "", host) if host else None


def _license(stated: str | None) -> str | None:
    """Returns the short name of a licence of Creative Commons; others as the page states them."""
    found = _LICENSE_URL.search(stated or "")
    return f"CC {found.group(1).upper()} {found.group(2)}" if found else stated


def fill(document: Document, tree: Any, found: dict[str, Any], blacklist: set[str], url: str | None, dates: dict[str, Any]) -> None:
    """Copies metadata of maintext to a document.

    :param dates: parameters of the search for dates: ``original_date``, ``extensive_search`` and ``max_date`` are obeyed
    """
    document.title = found.get("title")
    document.description = found.get("description")
    document.author = check_authors("; ".join(found.get("authors") or []), blacklist)
    original = dates.get("original_date", True) or not found.get("date_modified")
    name = "date" if original else "date_modified"
    source = (found.get("metadata_sources") or {}).get(name)
    # trafilatura's dates have no time.
    day = (found.get(name) or "")[:10] or None
    late = day is not None and day > (dates.get("max_date") or "9999")
    in_text = not dates.get("extensive_search", True) and source in ("text", "byline", "body")
    document.date = None if late or in_text else day
    document.image = found.get("image")
    document.url = found.get("url") or url
    document.hostname = _host(document.url)
    document.sitename = found.get("sitename") or document.hostname
    document.categories = found.get("categories") or []
    document.tags = found.get("tags") or []
    document.license = _license(found.get("license"))
    document.pagetype = _page_type(tree)
    document.filedate = dates.get("max_date")


def extract_metadata(
    filecontent: Any,
    default_url: str | None = None,
    date_config: dict[str, Any] | None = None,
    extensive: bool = True,
    author_blacklist: set[str] | None = None,
) -> Document:
    """Returns the metadata of a page as a :class:`Document` without content."""
    document = Document()
    tree = load_html(filecontent)
    if tree is None:
        return document
    try:
        page = _extract(source_of(filecontent), default_url, formats=())
    except MaintextError as error:
        LOGGER.warning("discarding data: %s (%s)", default_url, error)
        return document
    fill(document, tree, page.metadata, author_blacklist or set(), default_url, date_config or set_date_params(extensive))
    return document
