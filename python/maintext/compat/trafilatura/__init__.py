"""Replacements for trafilatura's functions: ``from maintext.compat.trafilatura import extract``.

Modules, functions, arguments, results and output formats are those of trafilatura 2; maintext does the extraction. Crawls, feeds, the search
for duplicates and the command are left to trafilatura. The package needs lxml, and downloads need urllib3:
``pip install maintext[trafilatura]``. docs/compat.md lists the differences.
"""

from __future__ import annotations

from ... import __version__
from .baseline import baseline, html2txt
from .core import Document, Extractor, bare_extraction, extract, extract_with_metadata
from .downloads import Response, fetch_response, fetch_url
from .metadata import extract_metadata
from .utils import load_html

__all__ = [
    "Document",
    "Extractor",
    "Response",
    "__version__",
    "bare_extraction",
    "baseline",
    "extract",
    "extract_metadata",
    "extract_with_metadata",
    "fetch_response",
    "fetch_url",
    "html2txt",
    "load_html",
]
