"""Extraction, as Resiliparse's package of the same name."""

from . import html2text as html2text

__all__ = ["html2text"]
