"""A replacement for readability-lxml's ``Document``: ``from maintext.compat.readability import Document``.

Settings of readability's scoring (``positive_keywords``, ``min_text_length``, ...) are accepted and ignored.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from .. import MaintextError, Page
from .. import extract as _extract

__all__ = ["Document", "Unparseable"]

#: Separators between a page's title and the site's name.
_SEPARATORS = (" | ", " - ", " :: ", " / ", " – ", " — ", " » ")


class Unparseable(ValueError):
    """The input is not a page that can be extracted."""


class Document:
    """A page with the interface of readability-lxml."""

    def __init__(
        self,
        input: Any,
        positive_keywords: Any = None,
        negative_keywords: Any = None,
        url: str | None = None,
        min_text_length: int = 25,
        retry_length: int = 250,
        xpath: bool = False,
        handle_failures: str | None = "discard",
    ) -> None:
        if not isinstance(input, (str, bytes)):
            from lxml import etree  # the input is an lxml element, so lxml is installed

            input = etree.tostring(input, encoding="unicode", method="html")
        self.input: str | bytes = input
        self.url = url
        self.encoding: str | None = None
        self._found: Page | None = None

    def _page(self) -> Page:
        if self._found is None:
            try:
                self._found = _extract(self.input, self.url, formats=("text", "html"))
            except MaintextError as error:
                raise Unparseable(str(error)) from error
        return self._found

    def _source(self) -> str:
        return self.input if isinstance(self.input, str) else self.input.decode(self.encoding or "utf-8", "replace")

    def content(self) -> str:
        """Returns the original body of the page."""
        body = re.search(r"<body\b.*?(?=</body|\Z)", self._source(), re.IGNORECASE | re.DOTALL)
        return f"{body.group(0)}</body>" if body else self._source()

    def title(self) -> str:
        """Returns the complete title, or "[no-title]" if the page has no title."""
        found = re.search(r"<title\b[^>]*>(.*?)</title", self._source(), re.IGNORECASE | re.DOTALL)
        from html import unescape

        title = " ".join(unescape(found.group(1)).split()) if found else ""
        return title or "[no-title]"

    def author(self) -> str:
        """Returns the author, or "[no-author]" if the page names no author."""
        return self._page().author or "[no-author]"

    def short_title(self) -> str:
        """Returns the title without the site's name."""
        title = self._page().title
        if title:
            return title
        title = self.title()
        for separator in _SEPARATORS:
            if separator in title:
                return max(title.split(separator), key=len)
        return title

    def get_clean_html(self) -> str:
        """Returns the content as HTML."""
        return self._page().html or ""

    def summary(self, html_partial: bool = False, keep_all_images: bool = False) -> str:
        """Returns the content as an HTML document, or as a ``div`` with ``html_partial``."""
        content = self.get_clean_html().strip()
        if html_partial:
            return f"<div>{content}</div>"
        return f'<html><body id="readabilityBody">{content}</body></html>'

    def __repr__(self) -> str:
        return f"Document(url={escape(self.url or '')!r})"
