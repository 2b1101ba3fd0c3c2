"""A replacement for html2text: ``from maintext.compat.html2text import HTML2Text, html2text``.

>>> from maintext.compat.html2text import html2text
>>> html2text("<h2>Alders</h2><p>They stand on the <b>bank</b>.</p>")
'## Alders\\n\\nThey stand on the **bank**.\\n\\n'

The whole input is converted; ``main_content=True`` converts the main content of a page alone, and needs lxml:
``pip install 'maintext[html2text]'``.
"""

from __future__ import annotations

from typing import Any

from ._output import Attributes
from ._parser import Parser

__all__ = ["HTML2Text", "html2text"]
__version__ = (2024, 2, 26)


class HTML2Text(Parser):
    """Converts HTML to Markdown. Options are attributes:

    - ``main_content``: convert the main content of a page alone
    - ``baseurl``: the address against which links are resolved; ``body_width``: the width of lines, 0 for no limit
    - links: ``ignore_links``, ``ignore_mailto_links``, ``skip_internal_links``, ``inline_links`` (False for references at the end),
      ``links_each_paragraph`` (references after each paragraph), ``protect_links`` (angle brackets around addresses),
      ``use_automatic_links`` (``<address>``), ``wrap_links``
    - images: ``ignore_images``, ``images_as_html``, ``images_to_alt``, ``images_with_size``, ``default_image_alt``
    - tables: ``bypass_tables`` (as HTML), ``ignore_tables`` (text alone), ``pad_tables`` (columns of one width), ``wrap_tables``
    - marks: ``ul_item_mark``, ``emphasis_mark``, ``strong_mark``, ``open_quote``, ``close_quote``, ``ignore_emphasis``,
      ``include_sup_sub``, ``mark_code``
    - text: ``unicode_snob`` (characters outside of ASCII stay), ``escape_snob`` (escape all special characters),
      ``single_line_break`` (with ``body_width = 0``), ``wrap_list_items``
    - ``google_doc``, ``google_list_indent``, ``hide_strikethrough``: for documents that Google Docs exports
    - ``tag_callback(converter, tag, attributes, start)``: called for each tag; if it returns True, the tag is ignored
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(self, name) and name in _UNKNOWN:
            raise AttributeError(f"html2text has no option {name!r}; did you mean {_UNKNOWN[name]!r}?")
        super().__setattr__(name, value)

    def handle_tag(self, tag: str, attrs: Attributes, start: bool) -> None:
        """Takes a tag; a subclass may replace this method. ``start`` is False for end tags."""
        super().handle_tag(tag, attrs, start)


#: Names of parameters and of the command line that are taken for options.
_UNKNOWN = {"bodywidth": "body_width", "base_url": "baseurl", "reference_links": "inline_links", "googledoc": "google_doc"}


def html2text(html: str, baseurl: str = "", bodywidth: int | None = None, main_content: bool = False) -> str:
    """Converts a page or a fragment to Markdown.

    :param baseurl: the address against which links are resolved
    :param bodywidth: the width of lines, by default 78; 0 for no limit
    :param main_content: as the option of :class:`HTML2Text`
    """
    converter = HTML2Text(baseurl=baseurl, bodywidth=78 if bodywidth is None else bodywidth)
    converter.main_content = main_content
    return converter.handle(html)
