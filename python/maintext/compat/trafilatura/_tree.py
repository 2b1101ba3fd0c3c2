"""Conversion of maintext's HTML to the elements of trafilatura's documents."""

from __future__ import annotations

import re
from typing import Any

from .utils import remove_control_characters

_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_MARKS = {
    "b": "#b",
    "strong": "#b",
    "i": "#i",
    "em": "#i",
    "cite": "#i",
    "u": "#u",
    "kbd": "#t",
    "samp": "#t",
    "tt": "#t",
    "var": "#t",
    "sub": "#sub",
    "sup": "#sup",
}
_RENAMED = {"p": "p", "br": "lb", "blockquote": "quote", "tr": "row", "figcaption": "p", "summary": "head"}
_KEPT = {"code", "item", "row", "cell", "table", "list", "head", "p", "quote", "hi", "del", "ref", "graphic", "lb"}
_INLINE = {"hi", "ref", "del", "lb"}
_MAY_BE_EMPTY = {"lb", "graphic", "cell", "row"}


def remove(element: Any) -> None:
    """Removes an element and keeps the text that follows it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _unwrap(element: Any) -> None:
    """Replaces an element by its contents."""
    parent = element.getparent()
    place = parent.index(element)
    before = parent[place - 1] if place else None
    if element.text:
        if before is not None:
            before.tail = (before.tail or "") + element.text
        else:
            parent.text = (parent.text or "") + element.text
    children = list(element)
    for offset, child in enumerate(children):
        parent.insert(place + offset, child)
    last = children[-1] if children else before
    if element.tail:
        if last is not None:
            last.tail = (last.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    element.tail = None
    parent.remove(element)


def _rename(element: Any, tag: str, **attributes: str | None) -> None:
    element.tag = tag
    element.attrib.clear()
    for name, value in attributes.items():
        if value:
            element.set(name, value)


def _list(element: Any) -> None:
    number = 0
    for child in element:
        if child.tag in ("dt", "dd"):
            number += child.tag == "dt" or number == 0
            _rename(child, "item", rend=f"{child.tag}-{number}")
        elif child.tag == "li":
            _rename(child, "item")
    _rename(element, "list", rend=element.tag)


def _convert(element: Any, formatting: bool, links: bool, images: bool) -> None:
    tag = element.tag
    if tag in _HEADINGS:
        _rename(element, "head", rend=tag)
    elif tag in ("ul", "ol", "dl"):
        _list(element)
    elif tag in ("td", "th"):
        _rename(element, "cell", role="head" if tag == "th" else None)
    elif tag == "pre":
        for child in list(element.iterdescendants()):
            if child.tag != "br":
                child.tag = "span"
        _rename(element, "code")
    elif tag in ("del", "s", "strike"):
        _rename(element, "del", rend="overstrike")
    elif tag in _MARKS:
        if formatting:
            _rename(element, "hi", rend=_MARKS[tag])
        else:
            element.tag = "span"
    elif tag == "a":
        if links:
            _rename(element, "ref", target=element.get("href"))
        else:
            element.tag = "span"
    elif tag == "img":
        if images and element.get("src"):
            _rename(element, "graphic", src=element.get("src"), alt=element.get("alt"), title=element.get("title"))
        else:
            element.tag = "dropped"
    elif tag in _RENAMED:
        _rename(element, _RENAMED[tag])
    elif tag == "table":
        _rename(element, "table")
    elif tag == "caption":
        element.tag = "row"
        _wrap(element, "cell", role="head")
    elif tag == "code":
        _rename(element, "code")


def _wrap(element: Any, tag: str, **attributes: str) -> None:
    """Puts the contents of an element into a new child."""
    from lxml.etree import Element

    made = Element(tag, attributes)
    made.text, element.text = element.text, None
    made.extend(list(element))
    element.attrib.clear()
    element.append(made)


def _in_code(element: Any) -> bool:
    return element.tag == "code" or any(a.tag == "code" for a in element.iterancestors())


def _tidy(body: Any) -> None:
    """Normalises white space and removes empty elements and line breaks at the end of paragraphs."""
    for element in body.iter():
        if element.tag not in ("code",) and element.text and not _in_code(element):
            element.text = re.sub(r"\s+", " ", element.text)
        if element.tail:
            parent = element.getparent()
            if parent is not None and not _in_code(parent):
                element.tail = re.sub(r"\s+", " ", element.tail)
    blocks = {"body", "list", "table", "row", "quote"}
    for block in body.iter(*blocks):
        inside = [e for e in block if e.tag in _INLINE]
        for element in block:
            if not inside and element.tail is not None and not element.tail.strip():
                element.tail = None
    for element in list(body.iter()):
        if element.tag in blocks and element.text is not None and not element.text.strip():
            element.text = None
        parent = element.getparent()
        within = parent is not None and parent.tag in blocks | {"item", "cell"}
        if within and element.tag in ("p", "list", "head", "table", "quote", "item") and not (element.tail or "").strip():
            element.tail = None
        if element.tag in ("p", "item", "head", "cell") and element.text:
            element.text = element.text.lstrip()
            if len(element) == 0:
                element.text = element.text.rstrip()
        if element.tag in ("item", "p") and len(element) and element[0].tag in ("list", "p") and element.text:
            element.text = element.text.rstrip()
        if element.tag == "lb" and element.tail:
            element.tail = element.tail.lstrip() or None if not _in_code(element.getparent()) else element.tail
    for element in reversed(list(body.iter("p", "item", "cell", "head"))):
        while len(element) and element[-1].tag == "lb" and not (element[-1].tail or "").strip():
            remove(element[-1])
    for element in reversed(list(body.iter())):
        if element.tag in _MAY_BE_EMPTY or element is body:
            continue
        if len(element) == 0 and not (element.text or "").strip():
            remove(element)


def _paragraphs(body: Any) -> None:
    """Wraps loose text and inline elements below the body into paragraphs."""
    from lxml.etree import Element

    inline = {"hi", "ref", "del", "lb", "code"}
    if not (body.text or "").strip() and not any((c.tail or "").strip() or c.tag in inline - {"code"} for c in body):
        return
    made: list[Any] = []
    open_: Any = None

    def put(text: str | None) -> None:
        nonlocal open_
        if not text or (open_ is None and not text.strip()):
            return
        if open_ is None:
            open_ = Element("p")
            made.append(open_)
        if len(open_):
            open_[-1].tail = (open_[-1].tail or "") + text
        else:
            open_.text = (open_.text or "") + text

    children = list(body)
    put(body.text)
    body.text = None
    for child in children:
        tail, child.tail = child.tail, None
        if child.tag in inline and (child.tag != "code" or open_ is not None):
            if open_ is None:
                open_ = Element("p")
                made.append(open_)
            open_.append(child)
        else:
            made.append(child)
            open_ = None
        put(tail)
    body[:] = made


def from_html(html: str, formatting: bool = False, links: bool = False, images: bool = False, tables: bool = True) -> Any:
    """Returns clean HTML as an element ``body`` with trafilatura's elements below it."""
    from lxml import etree
    from lxml import html as lxml_html

    body = etree.Element("body")
    if not html.strip():
        return body
    parsed = lxml_html.document_fromstring(f"<html><body>{remove_control_characters(html)}</body></html>")
    found = parsed.find("body")
    if found is None:
        return body
    for element in list(found.iter()):
        if not isinstance(element.tag, str):
            element.tag = "dropped"
    for element in list(found.iterdescendants()):
        _convert(element, formatting, links, images)
    for element in list(found.iterdescendants()):
        if element.tag == "dropped" or (element.tag == "table" and not tables):
            remove(element)
    for element in list(found.iterdescendants()):
        if element.tag not in _KEPT:
            _unwrap(element)
    # A plain element of lxml, as callers of trafilatura expect.
    body = etree.fromstring(etree.tostring(found, encoding="unicode", with_tail=False))
    for line_break in [e for e in body.iter("lb") if any(a.tag == "hi" for a in e.iterancestors())]:
        line_break.tail = " " + (line_break.tail or "")
        remove(line_break)
    _paragraphs(body)
    _tidy(body)
    for element in body.findall("p"):
        if len(element) == 1 and element[0].tag == "graphic" and not (element.text or element[0].tail or "").strip():
            body.replace(element, element[0])
    return body


def from_texts(texts: list[str]) -> Any:
    """Returns paragraphs as an element ``body``."""
    from lxml import etree

    body = etree.Element("body")
    for text in texts:
        for line in text.splitlines():
            if line.strip():
                etree.SubElement(body, "p").text = remove_control_characters(line)
    return body
