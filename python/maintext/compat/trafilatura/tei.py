"""Documents in the format of the Text Encoding Initiative, https://tei-c.org/release/doc/tei-p5-doc/en/html/."""

from __future__ import annotations

import logging
from copy import deepcopy
from typing import Any

LOGGER = logging.getLogger(__name__)
_NAMESPACE = "http://www.tei-c.org/ns/1.0"
#: Elements of the text, with the elements that may contain them.
_INLINE = {"hi", "ref", "del", "lb", "code", "graphic"}
_ALLOWED: dict[str, set[str]] = {
    "div": {"p", "ab", "list", "table", "quote", "code", "div", "graphic"},
    "p": _INLINE | {"list", "quote", "table"},
    "ab": _INLINE,
    "quote": _INLINE | {"p", "list", "quote", "table", "ab"},
    "list": {"item"},
    "item": _INLINE | {"p", "list", "quote", "table", "ab"},
    "table": {"row"},
    "row": {"cell"},
    "cell": _INLINE | {"p", "list", "quote", "table", "ab"},
    "hi": _INLINE,
    "ref": _INLINE,
    "del": _INLINE,
    "code": {"lb"},
    "lb": set(),
    "graphic": set(),
}


def _add(parent: Any, tag: str, text: str | None = None, **attributes: str) -> Any:
    from lxml.etree import SubElement

    made = SubElement(parent, tag, attributes)
    made.text = text
    return made


def _titles(parent: Any, document: Any) -> None:
    statement = _add(parent, "titleStmt")
    _add(statement, "title", document.title, type="main")
    if document.author:
        _add(statement, "author", document.author)


def _header(tei: Any, document: Any) -> None:
    header = _add(tei, "teiHeader")
    file = _add(header, "fileDesc")
    _titles(file, document)
    published = _add(file, "publicationStmt")
    if document.license:
        _add(published, "publisher", document.sitename or document.hostname or "N/A")
        _add(_add(published, "availability"), "p", document.license)
    else:
        _add(published, "p")
    notes = _add(file, "notesStmt")
    if document.id:
        _add(notes, "note", document.id, type="id")
    _add(notes, "note", document.fingerprint, type="fingerprint")
    source = _add(file, "sourceDesc")
    site = document.sitename or document.hostname or ""
    _add(source, "bibl", ", ".join(part for part in (document.title, site, document.date) if part))
    _add(source, "bibl", ", ".join(part for part in (site, document.date) if part), type="sigle")
    full = _add(source, "biblFull")
    _titles(full, document)
    statement = _add(full, "publicationStmt")
    names = [name for name in (document.sitename, document.hostname) if name]
    _add(statement, "publisher", f"{names[0]} ({names[1]})" if len(names) == 2 else "".join(names) or "N/A")
    if document.url:
        _add(statement, "ptr", type="URL", target=document.url)
    _add(statement, "date", document.date)
    profile = _add(header, "profileDesc")
    _add(_add(profile, "abstract"), "p", document.description)
    if document.categories or document.tags:
        keywords = _add(_add(profile, "textClass"), "keywords")
        for kind in ("categories", "tags"):
            if getattr(document, kind):
                _add(keywords, "term", ",".join(getattr(document, kind)), type=kind)
    _add(_add(profile, "creation"), "date", document.filedate, type="download")
    application = _add(_add(_add(header, "encodingDesc"), "appInfo"), "application", version=_version(), ident="maintext")
    _add(application, "label", "maintext")


def _version() -> str:
    from ... import __version__

    return __version__


def _division(source: Any, kind: str) -> Any:
    """Returns a part of the document as a division with elements that TEI allows."""
    from lxml.etree import Element

    part = deepcopy(source)
    part.tag = "div"
    part.tail = None
    part.attrib.clear()
    part.set("type", kind)
    for element in part.iter("head"):
        element.tag = "ab"
        element.set("type", "header")
    for graphic in part.iter("graphic"):
        address = graphic.get("src")
        graphic.attrib.clear()
        graphic.set("url", address or "")
    for place, element in enumerate(list(part)):
        if element.tag in _INLINE:
            block = Element("p")
            part[place] = block
            block.append(element)
    for element in list(part.iterdescendants()):
        parent = element.getparent()
        if element.tag == "p" and parent.tag in ("p", "ab"):
            element.tag = "hi"
            element.set("rend", "block")
    return part


def build_tei_output(document: Any) -> Any:
    """Returns a document as a TEI element."""
    from lxml import etree

    tei = etree.Element("TEI", xmlns=_NAMESPACE)
    _header(tei, document)
    body = _add(_add(tei, "text"), "body")
    body.append(_division(document.body, "entry"))
    body.append(_division(document.commentsbody, "comments"))
    return etree.fromstring(etree.tostring(tei))


def validate_tei(xmldoc: Any) -> bool:
    """Returns whether a document has the header and the text of a TEI document, and only elements where TEI allows them.

    This checks the elements that the output uses, not the complete schema.
    """
    def name(element: Any) -> str:
        return str(element.tag).rpartition("}")[2]

    if name(xmldoc) != "TEI" or [name(child) for child in xmldoc] != ["teiHeader", "text"]:
        LOGGER.warning("not a valid TEI document: a TEI element has a teiHeader and a text")
        return False
    for division in (e for e in xmldoc.iter() if name(e) == "div"):
        for element in division.iterdescendants():
            parent = name(element.getparent())
            if name(element) not in _ALLOWED.get(parent, set()):
                LOGGER.warning("not a valid TEI document: %s within %s", name(element), parent)
                return False
    return True
