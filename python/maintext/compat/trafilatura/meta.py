"""Caches, as trafilatura's ``meta``."""

from __future__ import annotations

from ... import _ready


def reset_caches() -> None:
    """Empties the cache of extractors."""
    _ready.clear()
