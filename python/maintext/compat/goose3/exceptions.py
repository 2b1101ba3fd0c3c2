"""Exceptions, as goose3's ``exceptions``."""

from .network import NetworkError

__all__ = ["NetworkError"]
