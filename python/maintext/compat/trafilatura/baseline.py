"""Text of whole pages, as trafilatura's ``baseline``."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ... import MaintextError
from ... import extract as _extract
from ._output import plain
from ._tree import from_html, from_texts, remove
from .utils import load_html, source_of, text_of

_INVISIBLE = ("script", "style", "noscript", "template", "svg", "head")
_BESIDE = ("aside", "footer", "fencedframe")


def html2txt(content: Any, clean: bool = True) -> str:
    """Returns the text of a whole page; ``clean`` leaves out sidebars and footers."""
    tree = load_html(content)
    body = None if tree is None or tree.tag == "body" else tree.find(".//body")
    body = tree if body is None else body
    # A feed has a root of its own.
    if body is None or body.tag in ("feed", "rss", "html", "rdf"):
        return ""
    body = deepcopy(body)
    unwanted = _INVISIBLE + (_BESIDE if clean else ())
    for element in list(body.iter(*unwanted)):
        remove(element)
    return text_of(body)


def baseline(filecontent: Any) -> tuple[Any, str, int]:
    """Returns the content as an element and as text, and the length of the text; all text of a page without content."""
    body = from_texts([])
    if load_html(filecontent) is not None:
        try:
            body = from_html(_extract(source_of(filecontent), formats="html", favor="recall", title="as-is").html or "")
        except MaintextError:
            pass
        if len(body) == 0:
            body = from_texts([html2txt(filecontent)])
    text = plain(body)
    return body, text, len(text)
