"""html2text with the choice of main content: ``from maintext.compat.html2text import HTML2Text, html2text``.

>>> from maintext.compat.html2text import html2text
>>> html2text("<h2>Alders</h2><p>They stand on the <b>bank</b>.</p>")
'## Alders\\n\\nThey stand on the **bank**.\\n\\n'

html2text itself converts, the whole input unless ``main_content=True``. It must be installed, and lxml for the main content:
``pip install 'maintext[html2text]'``.
"""

from __future__ import annotations

from html.entities import name2codepoint

import html2text as _original
from html2text import config

from ._content import checked, main_part

__all__ = ["HTML2Text", "html2text"]
__version__ = _original.__version__


class HTML2Text(_original.HTML2Text):
    """html2text's converter, with all of its options, and ``main_content``: whether to convert the main content of a page alone."""

    main_content = False

    def handle(self, data: str) -> str:
        """Converts a page or a fragment."""
        if checked(self.main_content):
            content = main_part(data, self.baseurl or None)
            data = data if content is None else _with_references(content, data)
        return super().handle(data)


def _with_references(content: str, source: str) -> str:
    """Writes characters of the content as references again if the source has them as references only: html2text replaces these."""
    for name in config.UNIFIABLE:
        char = chr(name2codepoint[name])
        if char in content and char not in source:
            content = content.replace(char, f"&{name};")
    return content


def html2text(html: str, baseurl: str = "", bodywidth: int | None = None, main_content: bool = False) -> str:
    """Converts a page or a fragment to Markdown; the parameters are html2text's, and ``main_content``."""
    converter = HTML2Text(baseurl=baseurl, bodywidth=config.BODY_WIDTH if bodywidth is None else bodywidth)
    converter.main_content = main_content
    return converter.handle(html)
