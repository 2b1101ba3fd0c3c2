"""A replacement for trafilatura's functions: ``from maintext.compat.trafilatura import extract``.

Functions, arguments and results match trafilatura 2; maintext does the extraction. Crawls, feeds, the search for duplicates and the
command are left to trafilatura. The package needs lxml: ``pip install maintext[trafilatura]``. docs/compat.md lists the differences.

Messages go to loggers below ``maintext.compat.trafilatura``, which are silent unless the program configures logging.
"""

from __future__ import annotations

import logging

from ... import __version__
from .baseline import baseline, html2txt
from .core import Document, Extractor, bare_extraction, extract, extract_with_metadata
from .downloads import fetch_url
from .metadata import extract_metadata
from .utils import load_html

__all__ = [
    "Document",
    "Extractor",
    "__version__",
    "bare_extraction",
    "baseline",
    "extract",
    "extract_metadata",
    "extract_with_metadata",
    "fetch_url",
    "html2txt",
    "load_html",
]

# Without a handler, Python prints warnings of a library to the error output.
logging.getLogger(__name__).addHandler(logging.NullHandler())
