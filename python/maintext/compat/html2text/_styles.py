"""Styles of documents that Google Docs exports: bold and italic text, lists and fixed widths are in CSS."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Optional

Style = dict[str, str]
Attributes = Mapping[str, Optional[str]]
_BOLD = ("bold", "700", "800", "900")
_FIXED = ("courier new", "consolas")


def properties(text: str) -> Style:
    """Parses the declarations of a style."""
    found = (part.partition(":") for part in text.split(";"))
    return {name.strip().lower(): value.strip().lower() for name, colon, value in found if colon}


def rules(text: str) -> dict[str, Style]:
    """Parses a style sheet into the declarations of each selector."""
    text = re.sub(r"@import\b[^;{]*(?:;|$)", "", text + ";")
    return {selector.strip(): properties(body) for selector, body in re.findall(r"([^{}]*)\{([^{}]*)\}", text)}


def style_of(attributes: Attributes, sheet: Mapping[str, Style], inherited: Style) -> Style:
    """Returns the style of an element."""
    style = dict(inherited)
    for name in (attributes.get("class") or "").split():
        style.update(sheet.get("." + name, {}))
    style.update(properties(attributes.get("style") or ""))
    return style


def is_ordered(style: Style) -> bool:
    """Returns whether the items of a list are numbered."""
    return style.get("list-style-type") not in ("disc", "circle", "square", "none")


def marks(style: Style) -> set[str]:
    """Returns the properties of a text that Markdown can show: bold, italic, fixed and struck."""
    found = set()
    if style.get("font-weight") in _BOLD:
        found.add("bold")
    if "italic" in style.get("font-style", ""):
        found.add("italic")
    if is_fixed(style):
        found.add("fixed")
    if "line-through" in style.get("text-decoration", ""):
        found.add("struck")
    return found


def is_fixed(style: Style) -> bool:
    """Returns whether all letters have one width."""
    return style.get("font-family", "").replace('"', "").replace("'", "") in _FIXED
