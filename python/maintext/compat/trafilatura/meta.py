"""Caches, as trafilatura's ``meta``."""

from __future__ import annotations

from .utils import line_processing, trim


def reset_caches() -> None:
    """Empties all caches."""
    trim.cache_clear()
    line_processing.cache_clear()
