"""markdownify with the choice of main content: ``from maintext.compat.markdownify import markdownify``.

>>> from maintext.compat.markdownify import markdownify
>>> markdownify("<b>Yes</b> <a href='https://example.org/a'>here</a>")
'**Yes** [here](https://example.org/a)'

markdownify itself converts, the whole input unless ``main_content=True``. It must be installed, and lxml for the main content:
``pip install 'maintext[markdownify]'``.
"""

from __future__ import annotations

from typing import Any

from bs4 import BeautifulSoup
from markdownify import (
    ASTERISK,
    ATX,
    ATX_CLOSED,
    BACKSLASH,
    LSTRIP,
    RSTRIP,
    SETEXT,
    SPACES,
    STRIP,
    STRIP_ONE,
    UNDERLINED,
    UNDERSCORE,
)
from markdownify import MarkdownConverter as _MarkdownConverter

from ._content import checked, main_part

__all__ = [
    "ASTERISK",
    "ATX",
    "ATX_CLOSED",
    "BACKSLASH",
    "LSTRIP",
    "RSTRIP",
    "SETEXT",
    "SPACES",
    "STRIP",
    "STRIP_ONE",
    "UNDERLINED",
    "UNDERSCORE",
    "MarkdownConverter",
    "markdownify",
]


class MarkdownConverter(_MarkdownConverter):
    """markdownify's converter, with all of its options, and ``main_content``: whether to convert the main content of a page alone."""

    class DefaultOptions(_MarkdownConverter.DefaultOptions):
        """Options of every converter."""

        main_content = False

    class Options(DefaultOptions):
        """Options of a subclass."""

    def convert_soup(self, soup: Any) -> str:
        """Converts an element or a document of Beautiful Soup."""
        if checked(self.options["main_content"]):
            content = main_part(str(soup))
            soup = soup if content is None else BeautifulSoup(content, **self.options["bs4_options"])
        return super().convert_soup(soup)


def markdownify(html: Any, **options: Any) -> str:
    """Converts a page or a fragment to Markdown; the options are markdownify's, and ``main_content``."""
    return MarkdownConverter(**options).convert(html)
