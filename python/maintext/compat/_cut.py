"""The part of a page's own tree that holds the content which maintext chose."""

from __future__ import annotations

import re
from typing import Any

from .. import Page
from .trafilatura.utils import BLOCK_TAGS

#: Elements whose text does not belong to the content.
SILENT = {"script", "style", "noscript", "template", "head", "iframe", "object", "embed", "form", "nav", "aside", "footer"}
_MEDIA = {"img", "picture", "figure", "video", "audio", "svg", "canvas"}


def letters_of(text: str) -> str:
    """Returns a text without white space and punctuation."""
    return re.sub(r"\W+", "", text)


def content_of(tree: Any, page: Page) -> tuple[Any, set[Any]] | None:
    """Returns the smallest element of a tree that holds all of the content, and the elements that belong to the content."""
    blocks = {letters_of(block["text"]) for block in page.text_blocks} - {""}
    body = tree.find("body")
    if body is None or not blocks:
        return None
    kept = kept_runs(body, blocks)
    if not kept:
        return None
    wanted = set()
    for element in kept:
        wanted.add(element)
        wanted.update(element.iterancestors())
    return smallest(body, kept, wanted), wanted


def smallest(body: Any, kept: set[Any], wanted: set[Any]) -> Any:
    """Returns the smallest element with all of the content, at least a block. ``wanted`` holds the kept elements and those above them."""
    top = body
    while True:
        inner = [child for child in top if child in wanted]
        if len(inner) != 1 or top in kept or inner[0].tag not in ("div", "article", "section", "main"):
            return top
        top = inner[0]


def kept_runs(body: Any, blocks: set[str]) -> set[Any]:
    """Returns the elements whose own text belongs to a kept block. The blocks are given as their letters.

    As in maintext, a block is a run of text without a border of a block-level element inside.
    """
    from lxml.etree import iterwalk

    whole = "\n".join(sorted(blocks))
    kept: set[Any] = set()
    run: list[Any] = []
    letters: list[str] = []

    def flush() -> None:
        text = "".join(letters)
        if text and (text in blocks or (len(text) > 20 and text in whole)):
            kept.update(run)
        run.clear()
        letters.clear()

    def add(element: Any, text: str | None) -> None:
        found = letters_of(text or "")
        if found:
            run.append(element)
            letters.append(found)

    walk = iterwalk(body, events=("start", "end"))
    for event, element in walk:
        block = element.tag in BLOCK_TAGS or element is body
        if event == "start":
            if not isinstance(element.tag, str) or element.tag in SILENT:
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


def remove_unwanted(top: Any, wanted: set[Any], images: bool) -> None:
    """Removes all unwanted elements below an element, with their contents."""
    waiting = list(top)
    while waiting:
        element = waiting.pop()
        if unwanted(element, wanted, images):
            element.drop_tree()
        else:
            waiting.extend(element)


def unwanted(element: Any, wanted: set[Any], images: bool) -> bool:
    """Returns whether an element does not belong to the summary."""
    if not isinstance(element.tag, str) or element.tag in ("script", "style", "noscript", "template", "link", "meta"):
        return True
    if element.tag in _MEDIA:
        return not images and element not in wanted
    if element in wanted:
        return False
    if images and any(True for _ in element.iter("img")):
        return False
    # Empty inline elements, such as anchors, are harmless; a block without content is not part of it.
    return bool("".join(element.itertext()).strip()) or element.tag not in ("a", "br", "hr", "wbr", "span", "td", "th", "col")
