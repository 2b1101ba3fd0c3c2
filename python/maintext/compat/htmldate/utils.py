"""Loading of pages, as htmldate's ``utils``."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from ..trafilatura.utils import decode_file, detect_encoding, is_dubious_html, repair_faulty_html, trim
from ..trafilatura.utils import load_html as _load

__all__ = ["Extractor", "decode_file", "detect_encoding", "fetch_url", "is_dubious_html", "load_html", "repair_faulty_html", "trim_text"]

trim_text = trim


class Extractor:
    """The options of a search."""

    __slots__ = ("extensive", "format", "max", "min", "original")

    def __init__(
        self, extensive_search: bool, max_date: datetime, min_date: datetime, original_date: bool, outputformat: str
    ) -> None:
        self.extensive = extensive_search
        self.max = max_date
        self.min = min_date
        self.original = original_date
        self.format = outputformat


def fetch_url(url: str) -> str | None:
    """Fetches a page; returns None if that fails."""
    from ..trafilatura.downloads import fetch_url as fetch

    found = fetch(url)
    return found if isinstance(found, str) else None


def load_html(htmlobject: Any) -> Any:
    """Returns the tree of a page, which may be given as tree, text, bytes or address.

    :raises TypeError: if the input is nothing of these
    :raises ValueError: if the page at an address cannot be fetched
    """
    if not isinstance(htmlobject, (str, bytes)) and not hasattr(htmlobject, "xpath"):
        raise TypeError("incompatible input type: %s" % type(htmlobject))
    if isinstance(htmlobject, str) and re.match(r"https?://[^ <]+\Z", htmlobject):
        fetched = fetch_url(htmlobject)
        if fetched is None:
            raise ValueError(f"URL couldn't be processed: {htmlobject}")
        htmlobject = fetched
    tree = _load(htmlobject)
    if tree is None or hasattr(htmlobject, "xpath"):
        return tree
    # A text without the tags of a page is not a page.
    return None if len(tree) < 2 and is_dubious_html(decode_file(htmlobject)[:50].lower()) else tree
