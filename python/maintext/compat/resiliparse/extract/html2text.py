"""A replacement for Resiliparse: ``from maintext.compat.resiliparse.extract.html2text import extract_plain_text``.

>>> from maintext.compat.resiliparse.extract.html2text import extract_plain_text
>>> extract_plain_text("<h1>Alders</h1><ul><li>black</li><li>grey</li></ul>")
'Alders\\n\\n  • black\\n  • grey'

Needs lxml, and cssselect for ``skip_elements``: ``pip install 'maintext[resiliparse]'``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Union

from ..._content import MARK, main_part, study, tree_of
from ._plain import CONTROLS, plain

__all__ = ["extract_plain_text"]

_FLAGS = ("main_content", "list_bullets", "alt_texts", "links", "form_fields", "noscript", "comments", "post_meta", "hidden_elements")
#: Words in classes that Resiliparse takes for hidden.
_HIDDEN = re.compile(
    r"\b(?:hid(?:e|den)|invisible|d-none|is-hidden|visually-?hidden|sr-only|screen-reader-text|collapsed?)\b", re.IGNORECASE
)


def extract_plain_text(
    html: Any,
    preserve_formatting: Union[bool, str, Any] = ...,
    main_content: bool = False,
    list_bullets: bool = True,
    alt_texts: bool = True,
    links: bool = False,
    form_fields: bool = False,
    noscript: bool = False,
    comments: bool = True,
    post_meta: bool = True,
    hidden_elements: bool = False,
    skip_elements: Iterable[str] | None = None,
) -> str:
    """Returns the text of a page, or of its main content.

    :param html: the page as str, or a tree of Resiliparse
    :param preserve_formatting: True, the default, for lines and paragraphs; False for one line; "minimal_html" for headings,
        paragraphs, lists, code, line breaks and links as HTML
    :param main_content: the main content, chosen by maintext; False for the whole page
    :param list_bullets: write bullets and numbers before the items of lists
    :param alt_texts: write the alternative texts of images
    :param links: write the addresses of links
    :param form_fields: write the values of form fields
    :param noscript: write the contents of ``noscript`` elements
    :param comments: write readers' comments, with ``main_content``
    :param post_meta: write the author and date line of forum posts, with ``main_content``
    :param hidden_elements: keep elements whose classes say that they are hidden, with ``main_content``
    :param skip_elements: CSS selectors of elements to leave out
    :raises TypeError: if the input is neither str nor a tree, or an option has another type
    :raises ValueError: if a selector or ``preserve_formatting`` is invalid
    """
    given = locals()
    for name in _FLAGS:
        if not isinstance(given[name], bool):
            raise TypeError(f"{name}: {type(given[name]).__name__!r} object is not an instance of 'bool'")
    if preserve_formatting is ...:
        preserve_formatting = True
    if not isinstance(preserve_formatting, (bool, str)):
        raise TypeError(f"preserve_formatting: {type(preserve_formatting).__name__!r} object is neither a bool nor a str")
    if isinstance(preserve_formatting, str) and preserve_formatting != "minimal_html":
        raise ValueError(f"preserve_formatting={preserve_formatting!r}: expected True, False or 'minimal_html'")
    source = _source(html)
    selectors = [skip_elements] if isinstance(skip_elements, str) else list(skip_elements or ())
    if not source.strip():
        return ""
    if main_content and (selectors or hidden_elements):
        source = _prepared(source, selectors, hidden_elements)
        selectors = []
    if main_content:
        found = _main(source, comments, alt_texts, post_meta, form_fields, noscript)
        if found is None:
            return ""
        source = f"<html><body>{found}</body></html>"
    tree = tree_of(source)
    _skip(tree, selectors)
    return plain(tree, preserve_formatting, list_bullets, alt_texts, links, form_fields, noscript)


def _source(html: Any) -> str:
    if isinstance(html, str):
        return html
    if type(html).__module__.startswith("resiliparse") and type(html).__name__ == "HTMLTree":
        return str(html)
    raise TypeError('Parameter "html" is neither string nor HTMLTree.')


def _main(source: str, comments: bool, images: bool, headers: bool, fields: bool, noscript: bool) -> str | None:
    """Returns the HTML of the main content."""
    if fields or noscript:
        keep = frozenset((*(CONTROLS if fields else ()), *(["noscript"] if noscript else [])))
        return main_part(source.replace(MARK, " "), keep=keep)
    page = study(source, formats="html", comments=comments, images=images, links=True, post_headers=headers)
    return page.html if page is not None else None


def _skip(tree: Any, selectors: list[str]) -> None:
    """Removes elements; the text after them stays."""
    if not selectors:
        return
    try:
        from lxml.cssselect import CSSSelector
    except ImportError as error:
        raise ImportError("skip_elements needs cssselect: pip install 'maintext[resiliparse]'") from error
    for selector in selectors:
        try:
            found = CSSSelector(selector, translator="html")(tree)
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"CSS parser error: {selector!r}: {error}") from error
        for element in found:
            if element.getparent() is not None:
                element.drop_tree()


def _prepared(source: str, selectors: list[str], hidden: bool) -> str:
    """Returns the page without the elements to skip and, with ``hidden``, without classes that hide elements."""
    from lxml import etree

    tree = tree_of(source)
    _skip(tree, selectors)
    if hidden:
        for element in tree.iter():
            names = element.get("class") if isinstance(element.tag, str) else None
            if names and _HIDDEN.search(names):
                element.set("class", _HIDDEN.sub("", names))
    return str(etree.tostring(tree, encoding="unicode", method="html"))
