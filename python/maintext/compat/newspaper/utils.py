"""Helpers, as newspaper4k's ``utils``."""

from __future__ import annotations

from .._news import parsed
from .languages import get_available_languages, print_available_languages

__all__ = ["extract_meta_refresh", "get_available_languages", "print_available_languages"]


def extract_meta_refresh(html: str) -> str | None:
    """Returns the address to which a page leads its readers, or None."""
    tree = parsed(html)
    for element in tree.iter("meta") if tree is not None else ():
        if (element.get("http-equiv") or "").lower() == "refresh":
            target = (element.get("content") or "").partition(";")[2].strip()
            if target.lower().startswith("url="):
                return target[4:].strip().strip("\"'") or None
    return None
