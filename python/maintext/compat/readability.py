"""A replacement for readability-lxml's ``Document``: ``from maintext.compat.readability import Document``.

maintext chooses the content; the summary is cut from the page's own tree, so that classes, ids and links stay as the page has them.
Settings of readability's scoring (``positive_keywords``, ``min_text_length``, ...) are accepted and ignored. The summary needs lxml.
"""

from __future__ import annotations

import re
from copy import deepcopy
from html import unescape
from typing import Any

from .. import MaintextError, Page
from .. import extract as _extract
from ._cut import content_of, remove_unwanted
from .trafilatura.utils import decode_file, detect_encoding, remove_control_characters

__all__ = ["Document", "Unparseable"]

#: Separators between a page's title and the site's name.
_SEPARATORS = (" | ", " - ", " :: ", " / ", " – ", " — ", " » ")


class Unparseable(ValueError):
    """The input is not a page that can be extracted."""


def _words(text: str) -> tuple[int, int]:
    """Returns the number of words and characters; every character of a script without spaces is a word."""
    return len(text.split()) + len(re.findall("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", text)), len(text)


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
        keep_all_images: bool = False,
    ) -> None:
        if not isinstance(input, (str, bytes)):
            from lxml import etree  # the input is an lxml element, so lxml is installed

            input = etree.tostring(input, encoding="unicode", method="html")
        self.input: str | bytes = input
        self.url = url
        self.positive_keywords = positive_keywords
        self.negative_keywords = negative_keywords
        self.min_text_length = min_text_length
        self.retry_length = retry_length
        self.keep_all_images = keep_all_images
        #: The encoding of a page that was given as bytes; None for text.
        self.encoding: str | None = None
        if isinstance(input, bytes):
            self.encoding = next(iter(detect_encoding(input)), "utf-8")
        self._found: Page | None = None

    def _page(self) -> Page:
        if self._found is None:
            try:
                # A PDF or an image is recognised by its bytes only.
                if isinstance(self.input, bytes):
                    _extract(self.input[:1024], formats="text")
                self._found = _extract(self._source(), self.url or None, formats=("text", "html"), comments=False, images=True)
            except MaintextError as error:
                raise Unparseable(str(error)) from error
        return self._found

    def _source(self) -> str:
        return self.input if isinstance(self.input, str) else decode_file(self.input)

    def _tree(self) -> Any:
        from lxml import etree
        from lxml import html as lxml_html

        source = remove_control_characters(self._source())
        try:
            parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True)
            tree: Any = lxml_html.document_fromstring(source.encode("utf-8"), parser=parser)
        except (etree.LxmlError, ValueError) as error:
            raise Unparseable(str(error)) from error
        if self.url:
            tree.make_links_absolute(self.url, resolve_base_href=True, handle_failures="discard")
        return tree

    def content(self) -> str:
        """Returns the original body of the page."""
        source = self._source()
        body = re.search(r"<body\b.*?(?=</body|\Z)", source, re.IGNORECASE | re.DOTALL)
        return f"{body.group(0)}</body>" if body else source

    def title(self) -> str:
        """Returns the complete title, or "[no-title]" if the page has no title."""
        found = re.search(r"<title\b[^>]*>(.*?)</title", self._source(), re.IGNORECASE | re.DOTALL)
        title = " ".join(unescape(found.group(1)).split()) if found else ""
        return title or "[no-title]"

    def author(self) -> str:
        """Returns the author, or "[no-author]" if the page names no author."""
        return self._page().author or "[no-author]"

    def short_title(self) -> str:
        """Returns the title without the site's name."""
        title = self.title()
        if title == "[no-title]":
            return self._page().title or ""
        chosen = self._page().title
        heading = re.search(r"<h1\b[^>]*>(.*?)</h1", self._source(), re.IGNORECASE | re.DOTALL)
        if chosen and chosen != title and chosen in title and heading and chosen in unescape(heading.group(1)):
            return chosen
        for separator in _SEPARATORS:
            if separator in title:
                return max(title.split(separator), key=_words)
        return title

    def get_clean_html(self) -> str:
        """Returns the content as HTML."""
        return self._page().html or ""

    def summary(self, html_partial: bool = False, keep_all_images: bool = False) -> str:
        """Returns the content as an HTML document, or as a ``div`` with ``html_partial``.

        :param keep_all_images: keep images; without it, the summary has none
        """
        from lxml import etree

        chosen = self._cut(keep_all_images or self.keep_all_images)
        if chosen is None:
            content = self.get_clean_html().strip()
            return f"<div>{content}</div>" if html_partial else f"<html><body><div>{content}</div></body></html>"
        whole = chosen.tag == "body"
        if whole:
            chosen.attrib.clear()
            chosen.set("id", "readabilityBody")
            if html_partial:
                chosen.tag = "div"
        written = str(etree.tostring(chosen, encoding="unicode", method="html", with_tail=False)).strip()
        if whole:
            return written
        return f"<div>{written}</div>" if html_partial else f"<html><body><div>{written}</div></body></html>"

    def _cut(self, images: bool) -> Any:
        """Returns the smallest part of the page's tree that holds the content, without the parts that do not belong to it."""
        found = content_of(self._tree(), self._page())
        if found is None:
            return None
        top, wanted = found
        remove_unwanted(top, wanted, images)
        return deepcopy(top)

    def __repr__(self) -> str:
        return f"Document(url={self.url!r})"
