"""Caches, as htmldate's ``meta``."""

from .extractors import try_date_expr


def reset_caches() -> None:
    """Empties the caches."""
    try_date_expr.cache_clear()
