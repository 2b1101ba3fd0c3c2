"""Text of whole pages, as trafilatura's ``baseline``."""

from __future__ import annotations

import re
from copy import deepcopy
from html import unescape
from typing import Any

from ... import MaintextError
from ._tree import from_html, from_texts, remove
from .metadata import objects, text_of, types_of
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


#: Properties of schema.org that hold text, or objects that do.
_TEXTS = ("articleBody", "reviewBody", "text", "recipeInstructions", "step", "itemListElement", "mainEntity", "acceptedAnswer")
_MARKUP = re.compile(r"</[a-z]\w*>|<(?:p|br|div|li|ul|ol|h[1-6]|span|strong|em|b|i|a|img)(?:\s+[\w-]+=|\s*/?>)", re.IGNORECASE)
#: The least length of content in characters.
_LEAST = 100


def _plain(text: str) -> str:
    """Returns a text of a page's data without markup."""
    from lxml import html as lxml_html

    text = remove_control_characters(text)
    if _MARKUP.search(unescape(text)):
        return text_of(lxml_html.fromstring(f"<div>{unescape(text)}</div>"))
    return " ".join(unescape(text).split())


def _in_data(tree: Any) -> tuple[list[str], str]:
    """Returns the texts of the page's JSON-LD, and the longest description of a product or a video."""
    found: list[str] = []
    teaser = ""
    for item in objects(tree):
        waiting: list[Any] = [[item[name] for name in _TEXTS if name in item]]
        while waiting:
            value = waiting.pop(0)
            if isinstance(value, str):
                found.append(_plain(value))
            elif isinstance(value, list):
                waiting = value + waiting
            elif isinstance(value, dict):
                waiting = [value[name] for name in _TEXTS if name in value] + waiting
        described = item.get("description")
        if isinstance(described, str) and {"product", "videoobject"} & set(types_of(item)):
            teaser = max(teaser, _plain(described), key=len)
    return [text for text in dict.fromkeys(found) if text], teaser


def baseline(filecontent: Any) -> tuple[Any, str, int]:
    """Returns the content as an element and as text, and the length of the text."""
    from lxml import etree

    from .core import _page, source_of

    tree = load_html(filecontent)
    if tree is None:
        return etree.Element("body"), "", 0
    whole = html2txt(tree)
    texts, teaser = _in_data(tree)
    if sum(map(len, texts)) > max(_LEAST, len(whole)):
        body = from_texts(texts)
    elif len(teaser) > _LEAST > len(whole):
        body = from_texts([teaser])
    else:
        cleaned = _visible(tree, True)
        try:
            page = _page(source_of(None, cleaned), Extractor(recall=True, comments=False))
            body = from_html(page.html or "")
        except MaintextError:
            body = etree.Element("body")
        if not xmltotxt(body):
            body = from_texts([whole])
    text = xmltotxt(body)
    return body, text, len(text)
