"""The main text of any web page, with title, author, date, language and images.

>>> import maintext
>>> page = maintext.extract("<nav>Home</nav><article><p>We left early, and the road was empty.</p></article>")
>>> page.text
'We left early, and the road was empty.\\n'

For many pages: :func:`extract_many` (an iterator), :func:`extract_batch` (Arrow tables), :func:`batch` (files and crawls), and
:mod:`maintext.spark`. To see why a page came out as it did: :func:`inspect`.
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

# Extractors by their options, so that a loop over extract() does not load the model each time.
_ready: dict[tuple[Any, ...], Extractor] = {}


def _extractor(options: dict[str, Any]) -> Extractor:
    formats = options.get("formats")
    if formats is not None and not isinstance(formats, str):
        options = {**options, "formats": tuple(formats)}
    key = tuple(sorted(options.items()))
    try:
        found = _ready.get(key)
    except TypeError:  # an option that cannot be hashed is wrong, and the extractor says why
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
    :param url: its address; links and images are made absolute against it
    :param options: those of :class:`Extractor`
    :raises InvalidInputError: the input is no page (a PDF, an image)
    :raises InvalidOptionError: an option that does not exist or a value that it cannot have
    """
    return _extractor(options).extract(html, url)


def extract_many(
    pages: Iterable[Any],
    threads: int | None = None,
    timeout: float | None = None,
    **options: Any,
) -> Iterator[Page]:
    """Extracts many pages on all cores, in the order of the input and in bounded memory.

    :param pages: str or bytes, pairs (html, url), or dicts with "html" and "url"
    :param threads: how many pages are extracted at the same time; one for each core by default
    :param timeout: longest time for a page, in seconds
    :returns: an iterator of pages. A page that failed has its reason in ``error``; it never ends the iteration.
    """
    return _extractor(options).extract_many(pages, threads, timeout)


def fetch(url: str, *, timeout: float = 30.0, max_size: int = 20 << 20, **options: Any) -> Page:
    """Fetches a page and extracts it.

    :raises OSError: it cannot be fetched
    """
    address, body, charset = _maintext.fetch(url, timeout, max_size)
    return extract(body, address, **{"charset": charset, **options})


def inspect(html: str | bytes, url: str | None = None, **options: Any) -> Inspection:
    """Shows what the method saw of a page: each text block with its score and whether it was kept.

    In a notebook the result draws itself.
    """
    return Inspection(_maintext.inspect(html, url, **options))
