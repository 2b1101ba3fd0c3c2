"""The main text of any web page, with title, author, date, language and images.

>>> import maintext
>>> page = maintext.extract("<nav>Home</nav><article><p>We left early, and the road was empty.</p></article>")
>>> page.text
'We left early, and the road was empty.\\n'

For many pages, use :func:`extract_many` (iterators), :func:`extract_batch` (Arrow tables), :func:`batch` (files and web archives) or
:mod:`maintext.spark`. :func:`inspect` explains the result for a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from . import _maintext
from ._inspect import Inspection
from ._maintext import (
    METHODS,
    ExtractionError,
    Extractor,
    InvalidInputError,
    InvalidOptionError,
    MaintextError,
    Page,
    __version__,
)
from ._study import Trained, evaluate, train
from ._tables import batch, extract_batch, read, schema

__all__ = [
    "METHODS",
    "ExtractionError",
    "Extractor",
    "Inspection",
    "InvalidInputError",
    "InvalidOptionError",
    "MaintextError",
    "Page",
    "Trained",
    "__version__",
    "batch",
    "evaluate",
    "extract",
    "extract_batch",
    "extract_many",
    "fetch",
    "inspect",
    "read",
    "schema",
    "train",
]

# Cached extractors by their options, so that a loop over extract() does not load the model each time.
_ready: dict[tuple[Any, ...], Extractor] = {}


def _extractor(options: dict[str, Any]) -> Extractor:
    formats = options.get("formats")
    if formats is not None and not isinstance(formats, str):
        options = {**options, "formats": tuple(formats)}
    key = tuple(sorted(options.items()))
    try:
        found = _ready.get(key)
    except TypeError:  # an option that cannot be hashed is invalid; the extractor reports it
        return Extractor(**options)
    if found is None:
        found = Extractor(**options)
        if len(_ready) >= 32:
            _ready.clear()
        _ready[key] = found
    return found


def extract(html: str | bytes, url: str | None = None, **options: Any) -> Page:
    """Extracts the main content of a page.

    :param html: the page, as text or as bytes in any encoding
    :param url: its address; relative links and images are resolved against it
    :param options: options of :class:`Extractor`
    :raises InvalidInputError: if the input is not an HTML page but, for example, a PDF
    :raises InvalidOptionError: if an option is unknown or has an invalid value
    """
    return _extractor(options).extract(html, url)


def extract_many(
    pages: Iterable[Any],
    threads: int | None = None,
    timeout: float | None = None,
    **options: Any,
) -> Iterator[Page]:
    """Extracts many pages on all cores, in input order and in bounded memory.

    :param pages: an iterable of str or bytes, pairs (html, url), or dicts with "html" and "url"
    :param threads: number of worker threads, by default one per core
    :param timeout: time limit for one page in seconds
    :returns: an iterator of pages. A failed page has the reason in ``error`` and does not end the iteration.
    """
    return _extractor(options).extract_many(pages, threads, timeout)


def fetch(url: str, *, timeout: float = 30.0, max_size: int = 20 << 20, **options: Any) -> Page:
    """Fetches a page and extracts it.

    :raises OSError: if the page cannot be fetched
    """
    address, body, charset = _maintext.fetch(url, timeout, max_size)
    return extract(body, address, **{"charset": charset, **options})


def inspect(html: str | bytes, url: str | None = None, **options: Any) -> Inspection:
    """Returns all text blocks of a page with the method's scores and decisions.

    A notebook displays the result as a table.
    """
    return Inspection(_maintext.inspect(html, url, **options))
