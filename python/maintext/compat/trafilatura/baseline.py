"""Text of whole pages, as trafilatura's ``baseline``."""

from __future__ import annotations

from copy import deepcopy
from html import unescape
from typing import Any

from ... import MaintextError
from ._tree import from_html, remove
from .metadata import objects, text_of
from .settings import Extractor
from .utils import load_html, remove_control_characters
from .xml import xmltotxt

_INVISIBLE = ("script", "style", "noscript", "template", "svg", "head")
_CLEANED = ("aside", "footer", "fencedframe")


def _visible(tree: Any, clean: bool) -> Any:
    """Returns a copy without elements that show no text, and with ``clean`` without those beside the content."""
    tree = deepcopy(tree)
    unwanted = _INVISIBLE + (_CLEANED if clean else ())
    for element in list(tree.iter()):
        named = f"{element.get('class') or ''} {element.get('id') or ''}" if isinstance(element.tag, str) else ""
        if element.tag in unwanted or (clean and element.tag == "div" and "footer" in named):
            remove(element)
    return tree


def html2txt(content: Any, clean: bool = True) -> str:
    """Returns the text of a whole page; ``clean`` leaves out sidebars and footers."""
    tree = load_html(content)
    if tree is None:
        return ""
    body = tree if tree.tag == "body" else tree.find(".//body")
    if body is None:
        # A feed has a root of its own; an element without body is part of a page.
        if tree.tag in ("feed", "rss", "html", "rdf") or not isinstance(tree.tag, str):
            return ""
        body = tree
    return remove_control_characters(text_of(_visible(body, clean)))


def _in_data(tree: Any) -> str:
    """Returns the text of an article in the page's JSON-LD."""
    from lxml import html as lxml_html

    for item in objects(tree):
        text = item.get("articleBody")
        if isinstance(text, str) and len(text) > 100:
            text = unescape(text)
            return text_of(lxml_html.fromstring(f"<div>{text}</div>")) if "<" in text else " ".join(text.split())
    return ""


def baseline(filecontent: Any) -> tuple[Any, str, int]:
    """Returns the content as an element and as text, and the length of the text."""
    from lxml import etree

    from .core import _page, source_of

    tree = load_html(filecontent)
    if tree is None:
        return etree.Element("body"), "", 0
    try:
        page = _page(source_of(filecontent, tree), Extractor(recall=True, comments=False))
    except MaintextError:
        return etree.Element("body"), "", 0
    body = from_html(page.html or "")
    text = xmltotxt(body)
    if not text:
        text = _in_data(tree) or html2txt(tree)
        if text:
            etree.SubElement(body, "p").text = text
    return body, text, len(text)
