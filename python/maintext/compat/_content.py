"""The main content of a page, cut from the page's own tree.

The modules for html2text, markdownify and resiliparse share these functions. They need lxml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from typing import Any

from .. import MaintextError, Page
from .. import extract as _extract
from ._cut import SILENT, letters_of, smallest, unwanted
from .trafilatura.metadata import BLOCK_TAGS
from .trafilatura.utils import remove_control_characters

#: Marks the start of a kept block in the source; a character for private use, without meaning.
MARK = "\uf8fe"


def checked(main_content: Any) -> bool:
    """Returns the option of this name, which must be a bool."""
    if not isinstance(main_content, bool):
        raise ValueError(f"main_content={main_content!r}: expected True or False")
    return main_content


def study(source: str, url: str | None = None, **options: Any) -> Page | None:
    """Extracts a page with images and links; returns None if the input is not a page."""
    given: dict[str, Any] = {"formats": ("text", "html"), "comments": False, "images": True, **options}
    try:
        return _extract(source, url or None, **given)
    except MaintextError:
        return None


def marked(source: str, page: Page) -> str:
    """Returns the source with a mark at the start of each kept block."""
    data = source.encode("utf-8", "surrogatepass")
    mark = MARK.encode()
    parts = []
    done = 0
    starts = {block["span"][0] for block in page.text_blocks if block["keep"] and block["span"][1] > block["span"][0]}
    for start in sorted(starts):
        if start <= len(data):
            parts += [data[done:start], mark]
            done = start
    return (b"".join(parts) + data[done:]).decode("utf-8", "replace")


def tree_of(source: str) -> Any:
    """Parses a page; its comments are left out."""
    from lxml import html as lxml_html

    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True)
    return lxml_html.document_fromstring(remove_control_characters(source).encode("utf-8", "replace"), parser=parser)


def mark_title(tree: Any, page: Page) -> None:
    """Marks the heading with the page's title; the title is not one of the blocks."""
    opening = re.match(r"\s*<h([1-6])\b[^>]*>(.*?)</h\1>", page.html or "", re.DOTALL)
    if opening is None:
        return
    wanted = letters_of(unescape(re.sub(r"<[^>]*>", "", opening.group(2))))
    for element in tree.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        if wanted and letters_of("".join(element.itertext())) == wanted:
            if MARK not in "".join(element.itertext()):
                element.text = MARK + (element.text or "")
            return


def _with_ancestors(elements: Iterable[Any]) -> set[Any]:
    found: set[Any] = set()
    for element in elements:
        while element is not None and element not in found:
            found.add(element)
            element = element.getparent()
    return found


def cut(tree: Any, images: bool, keep: frozenset[str] = frozenset(), page: Page | None = None) -> Any:
    """Returns the smallest element of a marked tree that holds the content, without the parts that do not belong to it.

    :param images: keep images that stand in the content
    :param keep: tags of further elements that stay where they stand in the content
    :param page: keep images of this page only, but all items of kept lists, all cells of kept tables, captions of figures, and code
        between kept elements
    """
    body = tree.find("body")
    kept = _kept_runs(body) if body is not None else set()
    if not kept:
        return None
    wanted = _with_ancestors(kept)
    top = smallest(body, kept, wanted)
    holders = _with_ancestors(body.iter(*keep)) if keep else set()
    if images:
        chosen = body.iter("img")
        if page is not None:
            sources = {unescape(source) for source in re.findall(r'<img\b[^>]*?\ssrc="([^"]*)"', page.html or "")}
            chosen = [image for image in chosen if any(value in sources for value in image.attrib.values())]
        holders |= _with_ancestors(chosen)
    if page is not None:
        wanted |= _parts(top, wanted, holders)
    _remove_unwanted(top, wanted, images and page is None, keep, holders)
    for element in top.iter():
        if element.text and MARK in element.text:
            element.text = element.text.replace(MARK, "")
        if element.tail and MARK in element.tail:
            element.tail = element.tail.replace(MARK, "")
    return top


def main_part(source: str, url: str | None = None, keep: frozenset[str] = frozenset()) -> str | None:
    """Returns the HTML of the main content with the page's own elements and attributes, or None if the page has no content."""
    from lxml import etree

    page = study(source, url)
    if page is None or not page.text.strip():
        return None
    if MARK in source:
        source = source.replace(MARK, " " * len(MARK.encode()))
    try:
        tree = tree_of(marked(source, page))
        mark_title(tree, page)
        found = cut(tree, True, keep, page)
    except (etree.LxmlError, ValueError):
        found = None
    if found is None:
        return page.html or None
    if found.tag == "body":
        found.tag = "div"
    return str(etree.tostring(found, encoding="unicode", method="html", with_tail=False))


def _kept_runs(body: Any) -> set[Any]:
    """Returns the elements with text of their own in a kept block.

    As in maintext, a block is a run of text without a border of a block-level element inside.
    """
    from lxml.etree import iterwalk

    marks = (e if MARK in (e.text or "") else e.getparent() for e in body.iter() if MARK in (e.text or "") + (e.tail or ""))
    holders = _with_ancestors(marks)
    kept: set[Any] = set()
    run: list[Any] = []
    keep = False

    def flush() -> None:
        nonlocal keep
        if keep:
            kept.update(run)
        keep = False
        run.clear()

    def add(element: Any, text: str | None) -> None:
        nonlocal keep
        if text and not text.isspace():
            run.append(element)
            keep = keep or MARK in text

    walk = iterwalk(body, events=("start", "end"))
    for event, element in walk:
        block = element.tag in BLOCK_TAGS or element is body
        if event == "start":
            if not isinstance(element.tag, str) or (element.tag in SILENT and element not in holders):
                walk.skip_subtree()
                continue
            if block:
                flush()
            add(element, element.text)
        else:
            if block:
                flush()
            if element is not body:
                add(element.getparent(), element.tail)
    flush()
    return kept


def _parts(top: Any, wanted: set[Any], holders: set[Any]) -> set[Any]:
    """Returns the parts of kept lists, tables and figures, and code, with everything inside them."""
    found: set[Any] = set()
    for element in top.iter("li", "dt", "dd", "tr", "td", "th", "figcaption", "caption", "pre"):
        part = element
        while part.tag == "pre" and part.getparent() not in wanted and len(part.getparent()) == 1 and part is not top:
            part = part.getparent()
            if part.tag != "div":
                break
        parent = part.getparent()
        if element not in wanted and (parent in wanted or parent in found or (parent in holders and parent.tag == "figure")):
            found.update(part.iter())
    return found


def _remove_unwanted(top: Any, wanted: set[Any], images: bool, keep: frozenset[str], holders: set[Any]) -> None:
    """Removes all unwanted elements below an element, with their contents."""
    waiting = list(top)
    while waiting:
        element = waiting.pop()
        if element.tag in keep:
            continue
        if element not in holders and unwanted(element, wanted, images):
            element.drop_tree()
        else:
            waiting.extend(element)
